// Palette = model * inverse bind, one thread a slot, one row of workgroups a character.
// In front of this file: elea_anim::SKIN_WGSL and counts.wgsl.

@group(0) @binding(0) var<uniform> counts: Counts;
@group(0) @binding(1) var<storage, read> model: array<EleaAffine>;
@group(0) @binding(2) var<storage, read> inverse_bind: array<EleaAffine>;
@group(0) @binding(3) var<storage, read_write> palette: array<EleaAffine>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let slot = id.x;
    let character = id.y;
    if slot >= counts.slots || character >= counts.characters {
        return;
    }
    let index = character * counts.slots + slot;
    palette[index] = elea_palette(model[index], inverse_bind[slot]);
}
