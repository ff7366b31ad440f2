//! Unit normals in two small integers: 4 to 5 % above the least error that is possible, with WGSL that gives the same codes.
//!
//! ```
//! use gbuffer_codec::{pack, warped};
//!
//! let normal = [0.36, 0.48, -0.8]; // of any length
//! let code = warped::encode::<16>(normal);
//! let word: u32 = pack::to_snorm16x2(code); // 4 bytes instead of 12
//!
//! let [x, y, z] = warped::decode::<16>(pack::from_snorm16x2(word));
//! assert!((x - 0.36).abs() < 4e-5 && (y - 0.48).abs() < 4e-5 && (z + 0.8).abs() < 4e-5);
//! ```
//!
//! In a shader, [`WGSL`] in front of your own text:
//!
//! ```
//! let shader = format!("{}{}", gbuffer_codec::WGSL, "
//!     fn write(n: vec3<f32>) -> u32 { return gbuffer_snorm16x2_pack(gbuffer_warped_encode(n, 16u)); }
//!     fn read(word: u32) -> vec3<f32> { return gbuffer_warped_decode(gbuffer_snorm16x2_unpack(word), 16u); }
//! ");
//! # assert!(shader.contains("fn gbuffer_warped_encode("));
//! ```
//!
//! Whole buffers, in place of your own loop over single normals: two to four times as fast.
//!
//! ```
//! use gbuffer_codec::warped;
//!
//! // Arrays, or the vectors of any library that converts to and from them: glam, nalgebra, mint ...
//! let normals = [[0.0, 0.6, 0.8], [0.0, -1.0, 0.0_f32]];
//! let mut codes = [[0; 2]; 2];
//! warped::encode_slice::<10>(&normals, &mut codes);
//! assert_eq!(codes[1], [0, -511]);
//!
//! let mut decoded = [[0.0_f32; 3]; 2];
//! warped::decode_slice::<10>(&codes, &mut decoded);
//! assert_eq!(decoded[1], normals[1]);
//! ```
//!
//! - [`warped`] is the mapping to choose, [`octahedral`] the one that every engine decodes, [`diamond`] the one of older
//!   stereographic G-buffers. [`mappings`] derives them, has their errors, and says which texture formats to use.
//! - [`pack`] puts codes of 16, 12, 10 and 8 bits into words, half words and RGBA8 texels.
//! - The depth is a const parameter, 2 to 16 bits a component. `encode_slice` and `decode_slice` use AVX2 or
//!   AVX-512 where the processor has them, with the same bits.
//!
//! In scope: directions of length 1, one at a time or in slices. Not in scope: tangent frames, compression of streams, and lossless
//! storage.
//!
//! Every input has an answer. Length does not matter, from the smallest denormal number to `f32::MAX`; zero and non-finite
//! vectors encode as +z, and `try_encode` tells them apart. Every pair of integers decodes. Other depths do not compile:
//!
//! ```compile_fail
//! gbuffer_codec::warped::encode::<17>([0.0, 0.0, 1.0]);
//! ```
//! ```compile_fail
//! gbuffer_codec::octahedral::decode::<1>([0, 0]);
//! ```
//!
//! # Features
//! - `std` (default): square roots from the standard library, and AVX2 or AVX-512 chosen at run time on
//!   `x86_64`.
//! - `libm`: square roots from `libm`, for `no_std`. One of the two is needed; results are the same.
//! - `bytemuck`: slices of codes as bytes and back.
#![no_std]
#![deny(clippy::print_stdout, clippy::print_stderr)]

#[cfg(any(feature = "std", test))]
extern crate std;

#[cfg(not(any(feature = "std", feature = "libm")))]
compile_error!("gbuffer-codec needs a square root: enable the feature `std` (the default) or `libm`");

mod batch;
pub mod diamond;
mod lattice;
pub mod octahedral;
pub mod pack;
pub mod warped;

pub mod mappings {
    #![doc = include_str!("mappings/square.md")]
    #![doc = include_str!("mappings/lattice.svg")]
    #![doc = include_str!("mappings/errors.md")]
}

/// The README's Rust is tested as everything else is.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The same mappings and packings as WGSL functions: `gbuffer_warped_encode(n, bits)` and so on.
///
/// One text without bindings, overrides, directives and entry points, every name with the prefix `gbuffer_`.
///
/// | Rust | WGSL |
/// |-|-|
/// | `warped::encode::<BITS>(n)` | `gbuffer_warped_encode(n: vec3<f32>, bits: u32) -> vec2<i32>` |
/// | `warped::decode::<BITS>(code)` | `gbuffer_warped_decode(code: vec2<i32>, bits: u32) -> vec3<f32>` |
/// | `warped::decode_uv(uv)` | `gbuffer_warped_decode_uv(uv: vec2<f32>) -> vec3<f32>` |
/// | `octahedral::...`, `octahedral::encode_exact` | `gbuffer_octahedral_...`, `gbuffer_octahedral_encode_exact` |
/// | `diamond::...`, `diamond::sqrt2::...` | `gbuffer_diamond_...`, `gbuffer_diamond_sqrt2_...` |
/// | `try_encode(n).is_some()` | `gbuffer_has_direction(n: vec3<f32>) -> bool` |
/// | `pack::to_snorm16x2`, `from_snorm16x2` | `gbuffer_snorm16x2_pack(code) -> u32`, `gbuffer_snorm16x2_unpack(word)` |
/// | `8x2`, `10x2` | likewise |
/// | `pack::to_snorm12x2_flags8`, `from_...` | `gbuffer_snorm12x2_flags8_pack(code, flags)`, `..._unpack(word)`, `..._flags(word)` |
/// | `pack::to_rgba8`, `from_rgba8` | `gbuffer_rgba8_pack(code) -> vec4<f32>` for `rgba8unorm`, `gbuffer_rgba8_unpack(texel)` |
///
/// Pass `bits` as a constant, so that the compiler folds what depends on it. What a NaN decodes to in `decode_uv` is the
/// device's choice. naga translates all of it to SPIR-V, MSL, HLSL and GLSL, down to OpenGL ES 3.0 (WebGL 2).
///
/// - wgpu: concatenate it with your shader.
/// - `naga_oil` (bevy): add it as a composable module with `as_name: Some("gbuffer_codec".into())`, then
///   `#import gbuffer_codec::{gbuffer_warped_encode, gbuffer_snorm16x2_pack}`. In bevy put the text into a file with
///   `#define_import_path gbuffer_codec` as its first line and load that as a shader asset.
/// - WESL: save it as `gbuffer_codec.wesl` in the package, then `import package::gbuffer_codec::gbuffer_warped_encode;`.
///
/// Bit for bit the results of the Rust functions on devices that follow IEEE 754; see [`mappings`] for the others.
///
/// ```
/// // What is yours comes after it; it uses no binding and no entry point.
/// let shader = format!("{}{}", gbuffer_codec::WGSL, "
///     @group(0) @binding(0) var codes: texture_2d<u32>;
///     fn normal_at(pixel: vec2<u32>) -> vec3<f32> {
///         return gbuffer_warped_decode(gbuffer_snorm16x2_unpack(textureLoad(codes, pixel, 0).x), 16u);
///     }
/// ");
/// # assert!(shader.contains("fn gbuffer_snorm16x2_unpack("));
/// ```
pub const WGSL: &str = include_str!("wgsl/normal.wgsl");
