// The G-buffer: albedo and the normal's code. In front of this file: gbuffer_codec::WGSL, counts.wgsl, srgb.wgsl.

@group(0) @binding(0) var<uniform> counts: Counts;
@group(0) @binding(1) var<uniform> view_projection: mat4x4<f32>;
@group(0) @binding(2) var<storage, read> skinned: array<f32>;
// Linear RGB, three floats a vertex.
@group(0) @binding(3) var<storage, read> albedo: array<f32>;

struct Corner {
    @builtin(position) position: vec4<f32>,
    @location(0) normal: vec3<f32>,
    @location(1) albedo: vec3<f32>,
}

@vertex
fn vertex(@builtin(vertex_index) index: u32, @builtin(instance_index) character: u32) -> Corner {
    let at = 6u * (character * counts.vertices + index);
    let position = vec3<f32>(skinned[at], skinned[at + 1u], skinned[at + 2u]);
    let normal = vec3<f32>(skinned[at + 3u], skinned[at + 4u], skinned[at + 5u]);
    let color = vec3<f32>(albedo[3u * index], albedo[3u * index + 1u], albedo[3u * index + 2u]);
    return Corner(view_projection * vec4<f32>(position, 1.0), normal, color);
}

struct Texel {
    // sRGB-encoded by hand: 8 linear bits would band in the dark.
    @location(0) albedo: vec4<f32>,
    // Two integers of 16 bits; nothing may filter them.
    @location(1) code: u32,
}

// The interpolated normal goes to the encoder as it is: the codec takes a normal of any length.
fn texel(corner: Corner) -> Texel {
    return Texel(vec4<f32>(srgb_from_linear(corner.albedo), 1.0), code_from_normal(corner.normal));
}

@fragment
fn write(corner: Corner) -> Texel {
    return texel(corner);
}

// For --check: the same code, and beside it the normal that it was made from.
struct CheckedTexel {
    @location(0) albedo: vec4<f32>,
    @location(1) code: u32,
    @location(2) normal: vec4<f32>,
}

@fragment
fn write_checked(corner: Corner) -> CheckedTexel {
    let plain = texel(corner);
    return CheckedTexel(plain.albedo, plain.code, vec4<f32>(corner.normal, 1.0));
}
