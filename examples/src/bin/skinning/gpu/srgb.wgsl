// sRGB (IEC 61966-2-1), by hand: the textures are plain unorm, so that what is stored is what is written here.

fn srgb_from_linear(linear: vec3<f32>) -> vec3<f32> {
    let c = clamp(linear, vec3<f32>(0.0), vec3<f32>(1.0));
    let high = 1.055 * pow(c, vec3<f32>(1.0 / 2.4)) - 0.055;
    return select(high, 12.92 * c, c <= vec3<f32>(0.0031308));
}

fn linear_from_srgb(encoded: vec3<f32>) -> vec3<f32> {
    let high = pow((encoded + 0.055) / 1.055, vec3<f32>(2.4));
    return select(high, encoded / 12.92, encoded <= vec3<f32>(0.04045));
}
