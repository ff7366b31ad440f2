// The G-buffer's choice among the codec's mappings: warped, 16 bits a component, in one u32.
// In front of this file: gbuffer_codec::WGSL.

fn code_from_normal(normal: vec3<f32>) -> u32 {
    return gbuffer_snorm16x2_pack(gbuffer_warped_encode(normal, 16u));
}

fn normal_from_code(code: u32) -> vec3<f32> {
    return gbuffer_warped_decode(gbuffer_snorm16x2_unpack(code), 16u);
}
