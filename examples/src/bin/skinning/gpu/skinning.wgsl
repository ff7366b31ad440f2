// Linear blend skinning with four influences, one thread a vertex, one row of workgroups a character.
// In front of this file: elea_anim::SKIN_WGSL and counts.wgsl.

struct BindVertex {
    position: vec3<f32>,
    joints_low: u32,
    normal: vec3<f32>,
    joints_high: u32,
    weights: vec4<f32>,
}

@group(0) @binding(0) var<uniform> counts: Counts;
@group(0) @binding(1) var<storage, read> palette: array<EleaAffine>;
@group(0) @binding(2) var<storage, read> bind_vertices: array<BindVertex>;
// Six floats a vertex: position and normal, without vec3's padding.
@group(0) @binding(3) var<storage, read_write> skinned: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let character = id.y;
    if id.x >= counts.vertices || character >= counts.characters {
        return;
    }
    let vertex = bind_vertices[id.x];
    let joints = elea_unpack_joints(vec2<u32>(vertex.joints_low, vertex.joints_high));
    let first = character * counts.slots;
    let matrix = elea_blend(
        palette[first + joints.x],
        palette[first + joints.y],
        palette[first + joints.z],
        palette[first + joints.w],
        vertex.weights,
    );
    let position = elea_transform_point(matrix, vertex.position);
    let normal = elea_transform_normal(matrix, vertex.normal);
    let at = 6u * (character * counts.vertices + id.x);
    skinned[at] = position.x;
    skinned[at + 1u] = position.y;
    skinned[at + 2u] = position.z;
    skinned[at + 3u] = normal.x;
    skinned[at + 4u] = normal.y;
    skinned[at + 5u] = normal.z;
}
