//! One entry a library and mapping: how it encodes, decodes, and what a timed pass over slices is.

use crate::random::Random;
use gbuffer_codec::{diamond, octahedral, warped};
use std::hint::black_box;

/// A timed pass over prepared slices.
pub type Pass = Box<dyn FnMut()>;

/// A contender at one depth.
#[derive(Clone, Copy, Debug)]
pub struct Codec {
    /// Its name in the report.
    pub name: &'static str,
    /// The decoded codes of normals of length 1.
    pub round_trip: fn(&[[f32; 3]], &mut [[f32; 3]]),
    /// A pass that encodes the normals, or decodes their codes, into a buffer of its own.
    pub prepare: fn(&[[f32; 3]], bool) -> Pass,
}

/// The contenders that have this depth: 8, 10, 12 or 16 bits a component.
///
/// # Panics
///
/// For any other depth.
#[must_use]
pub fn codecs(bits: u32) -> Vec<Codec> {
    match bits {
        8 => [ours::<8>(), meshopt::<8>(), vec![normal_pack()]].concat(),
        10 => [ours::<10>(), meshopt::<10>()].concat(),
        12 => [ours::<12>(), meshopt::<12>()].concat(),
        16 => [ours::<16>(), meshopt::<16>()].concat(),
        _ => panic!("no contenders at {bits} bits"),
    }
}

/// Uniform over the sphere, length 1.
pub fn unit_normals(random: &mut Random, count: usize) -> Vec<[f32; 3]> {
    let mut normals = Vec::with_capacity(count);
    while normals.len() < count {
        let n = [
            random.range(-1.0, 1.0),
            random.range(-1.0, 1.0),
            random.range(-1.0, 1.0),
        ];
        let length = n.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 1e-3 && length <= 1.0 {
            #[allow(clippy::cast_possible_truncation, reason = "rounding is meant")]
            normals.push(n.map(|x| (x / length) as f32));
        }
    }
    normals
}

type Encode = fn(&[[f32; 3]], &mut [[i16; 2]]);
type Decode = fn(&[[i16; 2]], &mut [[f32; 3]]);

fn pass(encode: Encode, decode: Decode, normals: &[[f32; 3]], decoding: bool) -> Pass {
    let mut normals = normals.to_vec();
    let mut codes = vec![[0; 2]; normals.len()];
    encode(&normals, &mut codes);
    if decoding {
        Box::new(move || decode(black_box(&codes), black_box(&mut normals)))
    } else {
        Box::new(move || encode(black_box(&normals), black_box(&mut codes)))
    }
}

fn round_trip(encode: Encode, decode: Decode, normals: &[[f32; 3]], decoded: &mut [[f32; 3]]) {
    let mut codes = vec![[0; 2]; normals.len()];
    encode(normals, &mut codes);
    decode(&codes, decoded);
}

fn encode_exact<const BITS: u32>(normals: &[[f32; 3]], codes: &mut [[i16; 2]]) {
    for (code, &normal) in codes.iter_mut().zip(normals) {
        *code = octahedral::encode_exact::<BITS>(normal);
    }
}

fn ours<const BITS: u32>() -> Vec<Codec> {
    vec![
        Codec {
            name: "warped",
            round_trip: |n, d| round_trip(warped::encode_slice::<BITS>, warped::decode_slice::<BITS>, n, d),
            prepare: |n, decoding| {
                pass(
                    warped::encode_slice::<BITS>,
                    warped::decode_slice::<BITS>,
                    n,
                    decoding,
                )
            },
        },
        Codec {
            name: "octahedral",
            round_trip: |n, d| {
                round_trip(
                    octahedral::encode_slice::<BITS>,
                    octahedral::decode_slice::<BITS>,
                    n,
                    d,
                )
            },
            prepare: |n, decoding| {
                pass(
                    octahedral::encode_slice::<BITS>,
                    octahedral::decode_slice::<BITS>,
                    n,
                    decoding,
                )
            },
        },
        Codec {
            name: "octahedral exact",
            round_trip: |n, d| round_trip(encode_exact::<BITS>, octahedral::decode_slice::<BITS>, n, d),
            prepare: |n, decoding| {
                pass(
                    encode_exact::<BITS>,
                    octahedral::decode_slice::<BITS>,
                    n,
                    decoding,
                )
            },
        },
        Codec {
            name: "diamond",
            round_trip: |n, d| round_trip(diamond::encode_slice::<BITS>, diamond::decode_slice::<BITS>, n, d),
            prepare: |n, decoding| {
                pass(
                    diamond::encode_slice::<BITS>,
                    diamond::decode_slice::<BITS>,
                    n,
                    decoding,
                )
            },
        },
        Codec {
            name: "diamond sqrt2",
            round_trip: |n, d| {
                round_trip(
                    diamond::sqrt2::encode_slice::<BITS>,
                    diamond::sqrt2::decode_slice::<BITS>,
                    n,
                    d,
                );
            },
            prepare: |n, decoding| {
                pass(
                    diamond::sqrt2::encode_slice::<BITS>,
                    diamond::sqrt2::decode_slice::<BITS>,
                    n,
                    decoding,
                )
            },
        },
    ]
}

#[cfg(feature = "meshopt")]
fn with_fourth(normals: &[[f32; 3]]) -> Vec<[f32; 4]> {
    normals.iter().map(|&[x, y, z]| [x, y, z, 0.0]).collect()
}

/// The filter decodes in place and gives 16-bit integers, 8-bit ones in 4 bytes. Whoever keeps the codes copies them first;
/// the timed pass does so too.
#[cfg(feature = "meshopt")]
fn meshopt<const BITS: u32>() -> Vec<Codec> {
    use meshopt::encoding::{decode_filter_oct, encode_filter_oct};
    vec![Codec {
        name: "meshopt",
        round_trip: |normals, decoded| {
            let mut codes = encode_filter_oct::<u16>(&with_fourth(normals), BITS.cast_signed());
            decode_filter_oct(&mut codes);
            for (normal, code) in decoded.iter_mut().zip(codes) {
                *normal = std::array::from_fn(|axis| f32::from(code[axis].cast_signed()) / 32767.0);
            }
        },
        prepare: |normals, decoding| {
            let normals = with_fourth(normals);
            let codes = encode_filter_oct::<u16>(&normals, BITS.cast_signed());
            let narrow = encode_filter_oct::<u8>(&normals, BITS.min(8).cast_signed());
            let (mut decoded, mut narrow_decoded) = (codes.clone(), narrow.clone());
            match (decoding, BITS <= 8) {
                (true, false) => Box::new(move || {
                    decoded.copy_from_slice(black_box(&codes));
                    decode_filter_oct(black_box(&mut decoded));
                }),
                (true, true) => Box::new(move || {
                    narrow_decoded.copy_from_slice(black_box(&narrow));
                    decode_filter_oct(black_box(&mut narrow_decoded));
                }),
                (false, false) => Box::new(move || {
                    black_box(encode_filter_oct::<u16>(black_box(&normals), BITS.cast_signed()));
                }),
                (false, true) => Box::new(move || {
                    black_box(encode_filter_oct::<u8>(black_box(&normals), BITS.cast_signed()));
                }),
            }
        },
    }]
}

/// Without the feature: it builds C++.
#[cfg(not(feature = "meshopt"))]
const fn meshopt<const BITS: u32>() -> Vec<Codec> {
    Vec::new()
}

/// Octahedral in two unsigned bytes.
fn normal_pack() -> Codec {
    use normal_pack::EncodedUnitVector3U8 as Packed;
    Codec {
        name: "normal_pack",
        round_trip: |normals, decoded| {
            for (back, &normal) in decoded.iter_mut().zip(normals) {
                *back = Packed::encode(normal).decode();
            }
        },
        prepare: |normals, decoding| {
            let mut normals = normals.to_vec();
            let mut codes: Vec<Packed> = normals.iter().map(|&n| Packed::encode(n)).collect();
            if decoding {
                Box::new(move || {
                    let codes = black_box(&codes);
                    for (normal, code) in black_box(&mut normals).iter_mut().zip(codes) {
                        *normal = code.decode();
                    }
                })
            } else {
                Box::new(move || {
                    let normals = black_box(&normals);
                    for (code, &normal) in black_box(&mut codes).iter_mut().zip(normals) {
                        *code = Packed::encode(normal);
                    }
                })
            }
        },
    }
}
