//! The shader twin of the palette and of skinning.

/// Palettes and linear blend skinning in WGSL, for a compute or a vertex shader.
///
/// One file of functions: no bindings, no overrides, no directives, every name prefixed, so it works pasted
/// in front of a shader (`format!("{}{mine}", elea_anim::SKIN_WGSL)`), with `naga_oil` and with WESL.
///
/// | name | what |
/// |-|-|
/// | `EleaAffine` | three rows of four: the layout of [`palette`](crate::palette)'s output, 48 bytes |
/// | `elea_affine_mul(a, b)`, `elea_palette(model, inverse_bind)` | matrix products |
/// | `elea_blend(a, b, c, d, weights)` | four influences; weights sum to 1 |
/// | `elea_affine_zero()`, `elea_affine_add(sum, m, weight)` | any number of influences |
/// | `elea_unpack_joints(words)` | `[u16; 4]` from two `u32` |
/// | `elea_transform_point(m, p)`, `elea_transform_vector(m, v)` | |
/// | `elea_transform_normal(m, n)` | by the cofactor matrix, unit length; kept where `m` leaves no direction |
///
/// Conventions as in [`elea::conventions`]: column vectors, palette = model * inverse bind.
pub const SKIN_WGSL: &str = include_str!("wgsl/skin.wgsl");
