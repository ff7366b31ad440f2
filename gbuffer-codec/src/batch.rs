//! The slice forms: one loop, written once, over the scalar functions of a mapping.

/// Encodes `normals` into `codes`.
#[inline(always)]
pub(crate) fn encode_slice<N: Into<[f32; 3]> + Copy>(
    normals: &[N],
    codes: &mut [[i16; 2]],
    encode: impl Fn([f32; 3]) -> [i16; 2],
) {
    assert_eq!(
        normals.len(),
        codes.len(),
        "encode_slice: normals and codes must have the same length"
    );
    for (code, &normal) in codes.iter_mut().zip(normals) {
        *code = encode(normal.into());
    }
}

/// Decodes `codes` into `normals`.
#[inline(always)]
pub(crate) fn decode_slice<N: From<[f32; 3]>>(
    codes: &[[i16; 2]],
    normals: &mut [N],
    decode: impl Fn([i16; 2]) -> [f32; 3],
) {
    assert_eq!(
        codes.len(),
        normals.len(),
        "decode_slice: codes and normals must have the same length"
    );
    for (normal, &code) in normals.iter_mut().zip(codes) {
        *normal = N::from(decode(code));
    }
}
