//! What holds without an error bound: idempotence over all codes, axes, zeros, scales, bad input, slices.

mod support;

use std::collections::HashSet;
use support::{Mapping, Random, all, mappings, structured};

/// Every pair of integers of a depth, the most negative ones included, decodes to a normal whose code decodes to the same
/// normal, and that code stays. Counts the codes that stay.
fn canonical_codes(mapping: &Mapping) -> u64 {
    let h = mapping.half();
    let mut count = 0;
    for u in -h - 1..=h {
        for v in -h - 1..=h {
            let normal = (mapping.decode)([u, v]);
            let code = (mapping.encode)(normal);
            if code == [u, v] {
                count += 1;
                continue;
            }
            // On the border of the square, and beyond it.
            let border = u.abs() >= h || v.abs() >= h;
            assert!(
                border,
                "{} 2x{}: {:?} came back as {code:?}",
                mapping.name,
                mapping.bits,
                [u, v]
            );
            assert_eq!(
                (mapping.decode)(code),
                normal,
                "{} 2x{}: {:?}",
                mapping.name,
                mapping.bits,
                [u, v]
            );
            assert_eq!(
                (mapping.encode)((mapping.decode)(code)),
                code,
                "{} 2x{}: {:?}",
                mapping.name,
                mapping.bits,
                [u, v]
            );
        }
    }
    count
}

fn check_all_codes<const BITS: u32>() {
    for mapping in mappings::<BITS>() {
        let h = u64::from(mapping.half().unsigned_abs());
        assert_eq!(
            canonical_codes(&mapping),
            4 * h * h + 2,
            "{} 2x{BITS}",
            mapping.name
        );
    }
}

#[test]
fn all_codes_of_2_to_9_bits_come_back() {
    check_all_codes::<2>();
    check_all_codes::<3>();
    check_all_codes::<4>();
    check_all_codes::<5>();
    check_all_codes::<6>();
    check_all_codes::<7>();
    check_all_codes::<8>();
    check_all_codes::<9>();
}

#[test]
fn all_codes_of_12_bits_come_back() {
    check_all_codes::<12>();
}

#[test]
fn codes_of_16_bits_come_back() {
    for mapping in mappings::<16>() {
        let mut random = Random(16);
        let check = |code: [i16; 2]| {
            let normal = (mapping.decode)(code);
            let once = (mapping.encode)(normal);
            let on_border = code[0].abs() == 32767 || code[1].abs() == 32767;
            assert!(
                once == code || on_border,
                "{}: {code:?} came back as {once:?}",
                mapping.name
            );
            assert_eq!((mapping.decode)(once), normal, "{}: {code:?}", mapping.name);
            assert_eq!(
                (mapping.encode)((mapping.decode)(once)),
                once,
                "{}: {code:?}",
                mapping.name
            );
        };
        for _ in 0..4_000_000 {
            check([random.component(32767), random.component(32767)]);
        }
        for u in -32767..=32767_i16 {
            for v in [-32767, -32766, -1, 0, 1, 32766, 32767] {
                check([u, v]);
                check([v, u]);
            }
            check([u, 32767 - u.abs()]);
            check([u, u.abs() - 32767]);
        }
    }
}

#[test]
fn distinct_normals_are_4_h_squared_plus_2() {
    for mapping in mappings::<8>() {
        let normals: HashSet<[u32; 3]> = (-127..=127)
            .flat_map(|u| (-127..=127).map(move |v| [u, v]))
            .map(|code| (mapping.decode)(code).map(f32::to_bits))
            .collect();
        assert_eq!(normals.len(), 4 * 127 * 127 + 2, "{}", mapping.name);
    }
}

#[test]
fn axes_are_exact_and_zeros_positive() {
    for mapping in all() {
        let h = mapping.half();
        let axes = [
            ([1.0, 0.0, 0.0], [h, 0]),
            ([-1.0, 0.0, 0.0], [-h, 0]),
            ([0.0, 1.0, 0.0], [0, h]),
            ([0.0, -1.0, 0.0], [0, -h]),
            ([0.0, 0.0, 1.0], [0, 0]),
            ([0.0, 0.0, -1.0], [h, h]),
        ];
        for (axis, code) in axes {
            let decoded = (mapping.decode)(code);
            let bits = decoded.map(f32::to_bits);
            assert_eq!(
                bits,
                axis.map(f32::to_bits),
                "{} 2x{}: {decoded:?}",
                mapping.name,
                mapping.bits
            );
            // Each combination of signs of the zeros.
            for signs in 0..8_u8 {
                let input = core::array::from_fn(|n| {
                    let negative_zero = axis[n] == 0.0 && signs >> n & 1 == 1;
                    if negative_zero { -0.0 } else { axis[n] }
                });
                assert_eq!(
                    (mapping.encode)(input),
                    code,
                    "{} 2x{}: {input:?}",
                    mapping.name,
                    mapping.bits
                );
            }
        }
        for corner in [[h, -h], [-h, h], [-h, -h], [i16::MIN, i16::MIN]] {
            let decoded = (mapping.decode)(corner).map(f32::to_bits);
            assert_eq!(
                decoded,
                [0.0, 0.0, -1.0_f32].map(f32::to_bits),
                "{} 2x{}",
                mapping.name,
                mapping.bits
            );
        }
    }
}

#[test]
fn negative_zero_is_zero() {
    for mapping in all() {
        for normal in structured() {
            let positive = normal.map(|x| x + 0.0);
            let (a, b) = ((mapping.encode)(normal), (mapping.encode)(positive));
            assert_eq!(a, b, "{} 2x{}: {normal:?}", mapping.name, mapping.bits);
        }
    }
}

#[test]
fn length_does_not_matter() {
    let mut random = Random(38);
    for mapping in all() {
        for _ in 0..2000 {
            // Multiples of 2^-20: powers of two down to the denormal numbers keep them exact.
            let normal = random.normal().map(|x| (x * 1_048_576.0).round());
            let code = (mapping.encode)(normal);
            for exponent in [-149, -140, -126, -64, -1, 1, 64, 106, 107] {
                let scaled = support::to_f32(normal.map(|x| f64::from(x) * 2.0_f64.powi(exponent)));
                assert!(scaled.iter().all(|x| x.is_finite()), "{scaled:?}");
                assert_eq!(
                    (mapping.encode)(scaled),
                    code,
                    "{} 2x{}: {scaled:?}",
                    mapping.name,
                    mapping.bits
                );
                // The exact encoder has no `try_encode` of its own and may break a tie the other way.
                let tried = (mapping.try_encode)(scaled);
                if mapping.name == "octahedral exact" {
                    assert!(tried.is_some(), "{scaled:?}");
                } else {
                    assert_eq!(tried, Some(code), "{scaled:?}");
                }
            }
        }
        let h = mapping.half();
        let tiniest = f32::from_bits(1);
        for (normal, code) in [
            ([f32::MAX, 0.0, 0.0], [h, 0]),
            ([0.0, -f32::MAX, 0.0], [0, -h]),
            ([tiniest, 0.0, 0.0], [h, 0]),
            ([0.0, 0.0, -tiniest], [h, h]),
            ([1.0, f32::MAX, 1e-38], [0, h]),
            ([1e-38, -1e-45, 1e38], [0, 0]),
        ] {
            assert_eq!(
                (mapping.encode)(normal),
                code,
                "{} 2x{}: {normal:?}",
                mapping.name,
                mapping.bits
            );
        }
        let corner = [f32::MAX; 3];
        assert_eq!(
            (mapping.encode)(corner),
            (mapping.encode)([1.0; 3]),
            "{} 2x{}",
            mapping.name,
            mapping.bits
        );
    }
}

#[test]
fn without_a_direction_plus_z_or_none() {
    for mapping in all() {
        for bad in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            for axis in 0..3 {
                for other in [0.0, -1.0, f32::MAX, bad] {
                    let mut normal = [other; 3];
                    normal[axis] = bad;
                    assert_eq!(
                        (mapping.encode)(normal),
                        [0, 0],
                        "{} 2x{}: {normal:?}",
                        mapping.name,
                        mapping.bits
                    );
                    assert_eq!(
                        (mapping.try_encode)(normal),
                        None,
                        "{} 2x{}: {normal:?}",
                        mapping.name,
                        mapping.bits
                    );
                }
            }
        }
        for zero in [[0.0; 3], [-0.0; 3]] {
            assert_eq!(
                (mapping.encode)(zero),
                [0, 0],
                "{} 2x{}",
                mapping.name,
                mapping.bits
            );
            assert_eq!(
                (mapping.try_encode)(zero),
                None,
                "{} 2x{}",
                mapping.name,
                mapping.bits
            );
        }
    }
}

#[test]
fn components_beyond_h_count_as_h() {
    let mut random = Random(11);
    for mapping in all() {
        let h = mapping.half();
        for _ in 0..1000 {
            let code = [random.component(i16::MAX), random.component(i16::MAX)];
            let clamped = code.map(|x| x.clamp(-h, h));
            assert_eq!(
                (mapping.decode)(code),
                (mapping.decode)(clamped),
                "{} 2x{}: {code:?}",
                mapping.name,
                mapping.bits
            );
        }
    }
}

#[test]
fn slices_give_the_same_bits() {
    use gbuffer_codec::{diamond, octahedral, warped};
    let mut random = Random(3);
    let mut normals = structured();
    normals.extend((0..20_000).map(|_| random.normal()));
    normals.extend([[f32::NAN, 1.0, 0.0], [0.0; 3], [f32::INFINITY; 3]]);
    // Odd lengths, so that the rest of a vectorised loop is covered too.
    for length in [0, 1, 7, normals.len()] {
        let normals = &normals[..length];
        type Encode = fn(&[[f32; 3]], &mut [[i16; 2]]);
        type Decode = fn(&[[i16; 2]], &mut [[f32; 3]]);
        let slices: [(Encode, Decode); 5] = [
            (
                |n, c| warped::encode_slice::<16>(n, c),
                |c, n| warped::decode_slice::<16>(c, n),
            ),
            (
                |n, c| octahedral::encode_slice::<16>(n, c),
                |c, n| octahedral::decode_slice::<16>(c, n),
            ),
            (
                |n, c| {
                    n.iter()
                        .zip(c)
                        .for_each(|(n, c)| *c = octahedral::encode_exact::<16>(*n))
                },
                |c, n| octahedral::decode_slice::<16>(c, n),
            ),
            (
                |n, c| diamond::encode_slice::<16>(n, c),
                |c, n| diamond::decode_slice::<16>(c, n),
            ),
            (
                |n, c| diamond::sqrt2::encode_slice::<16>(n, c),
                |c, n| diamond::sqrt2::decode_slice::<16>(c, n),
            ),
        ];
        for (mapping, (encode, decode)) in mappings::<16>().iter().zip(slices) {
            let mut codes = vec![[0; 2]; length];
            encode(normals, &mut codes);
            let mut decoded = vec![[0.0; 3]; length];
            decode(&codes, &mut decoded);
            for ((&normal, &code), &back) in normals.iter().zip(&codes).zip(&decoded) {
                assert_eq!(code, (mapping.encode)(normal), "{}: {normal:?}", mapping.name);
                assert_eq!(
                    back.map(f32::to_bits),
                    (mapping.decode)(code).map(f32::to_bits),
                    "{}: {code:?}",
                    mapping.name
                );
            }
        }
    }
}

#[test]
#[should_panic(expected = "the same length")]
fn slices_of_different_lengths_panic() {
    gbuffer_codec::warped::encode_slice::<8>(&[[0.0, 0.0, 1.0_f32]; 3], &mut [[0; 2]; 2]);
}
