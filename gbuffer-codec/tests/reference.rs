//! Against independent references: decoders in f64, the nearest code by brute force, exact integers.

mod support;

use support::{Mapping, Random, all, degrees_between, mappings};

/// A code's normal from the definitions of the documentation, in f64 and without sharing a line with the crate.
fn decode_f64(mapping: &Mapping, uv: [f64; 2]) -> [f64; 3] {
    let [u, v] = uv;
    let (au, av) = (u.abs(), v.abs());
    let lower = au + av > 1.0;
    let (a, b) = if lower { (1.0 - av, 1.0 - au) } else { (au, av) };
    let c = 1.0 - a - b;
    let magnitude = match mapping.name {
        "octahedral" | "octahedral exact" => [a, b, c],
        "warped" => [a, b, c].map(|t| t * (1.0 - 0.8 * t + 0.486 * t * t)),
        name => {
            let centre = if name == "diamond" { 1.0 } else { 2.0_f64.sqrt() };
            let length = a.hypot(b);
            // q = p |p| / (|px| + |py|) has |qx| + |qy| = |p|.
            let radius = a + b;
            let (px, py) = if length > 0.0 {
                (a / length * radius, b / length * radius)
            } else {
                (0.0, 0.0)
            };
            // (x, y) = p (C + z) / C on the unit sphere: a quadratic equation in z.
            let k = radius * radius / (centre * centre);
            let z = (-k * centre
                + (k * centre * k * centre - (k + 1.0) * (k * centre * centre - 1.0)).sqrt())
                / (k + 1.0);
            let scale = (centre + z) / centre;
            [px * scale, py * scale, z]
        }
    };
    let length = support::dot(magnitude, magnitude).sqrt();
    let [x, y, z] = magnitude.map(|t| t / length);
    [x.copysign(u), y.copysign(v), if lower { -z } else { z }]
}

/// The bounds that the documentation of `decode` states.
#[test]
fn decode_and_decode_uv_agree_with_f64() {
    let mut random = Random(64);
    for mapping in all() {
        let h = mapping.half();
        let tolerance = if mapping.name.starts_with("diamond") {
            3e-7
        } else {
            2e-7
        };
        let (mut component, mut length) = ([0.0_f64; 2], [0.0_f64; 2]);
        for _ in 0..20_000 {
            let code = [random.component(h), random.component(h)];
            let texture = code.map(|x| f32::from(x) / f32::from(h));
            let expected = [
                decode_f64(&mapping, code.map(|x| f64::from(x) / f64::from(h))),
                decode_f64(&mapping, texture.map(f64::from)),
            ];
            let found = [(mapping.decode)(code), (mapping.decode_uv)(texture)];
            for n in 0..2 {
                let found = found[n].map(f64::from);
                for axis in 0..3 {
                    component[n] = component[n].max((found[axis] - expected[n][axis]).abs());
                }
                length[n] = length[n].max((support::dot(found, found).sqrt() - 1.0).abs());
            }
        }
        for (n, what) in ["decode", "decode_uv"].iter().enumerate() {
            let (component, length) = (component[n], length[n]);
            assert!(
                component <= tolerance && length <= tolerance,
                "{what} {} 2x{}: components wrong by {component}, length by {length}",
                mapping.name,
                mapping.bits
            );
        }
    }
}

#[test]
fn decode_uv_clamps_and_takes_any_float() {
    for mapping in mappings::<8>() {
        let [x, y, z] = (mapping.decode_uv)([-1.007_874, 0.0]);
        assert_eq!([x, y, z], [-1.0, 0.0, 0.0], "{}", mapping.name);
        assert_eq!(
            (mapping.decode_uv)([f32::NAN, f32::NAN]),
            [0.0, 0.0, 1.0],
            "{}",
            mapping.name
        );
        assert_eq!(
            (mapping.decode_uv)([f32::INFINITY, f32::MAX]),
            [0.0, 0.0, -1.0],
            "{}",
            mapping.name
        );
        let zero = (mapping.decode_uv)([-0.0, -0.0]).map(f32::to_bits);
        assert_eq!(zero, [0.0, 0.0, 1.0_f32].map(f32::to_bits), "{}", mapping.name);
    }
}

/// Warped: no code of all 2^(2 bits) is nearer by more than the rounding of the comparison.
#[test]
fn warped_finds_the_nearest_of_all_codes() {
    let mapping = &mappings::<6>()[0];
    let h = mapping.half();
    let codes: Vec<[f32; 3]> = (-h..=h)
        .flat_map(|u| (-h..=h).map(move |v| [u, v]))
        .map(|code| (mapping.decode)(code))
        .collect();
    let mut random = Random(6);
    let mut beaten = 0;
    for _ in 0..4000 {
        let normal = random.normal();
        let found = degrees_between((mapping.decode)((mapping.encode)(normal)), normal);
        let nearest = codes
            .iter()
            .map(|&c| degrees_between(c, normal))
            .fold(f64::INFINITY, f64::min);
        beaten += u32::from(found > nearest + 1e-5);
    }
    assert_eq!(beaten, 0, "of 4000 normals had a nearer code");
}

/// The exact encoder's code is the nearest point of the triangular lattice, by exact arithmetic, ties included.
#[test]
fn exact_encoder_is_the_nearest_lattice_point() {
    fn check<const BITS: u32>() {
        let h = (1_i128 << (BITS - 1)) - 1;
        let mut random = Random(u64::from(BITS));
        for round in 0..20_000 {
            // Integers of at most 20 bits are exact in the encoder's 22. Small ones make ties.
            let span = if round % 2 == 0 { 12 } else { 1 << 20 };
            let n: [i128; 3] = core::array::from_fn(|_| i128::from(random.bits() % span));
            let sum: i128 = n.iter().sum();
            if sum == 0 {
                continue;
            }
            let code = gbuffer_codec::octahedral::encode_exact::<BITS>(n.map(|x| x as f32));
            let point = |i: i128, j: i128| [i, j, h - i - j];
            let distance = |p: [i128; 3]| -> i128 { (0..3).map(|a| (n[a] * h - p[a] * sum).pow(2)).sum() };
            let (i, j) = (i128::from(code[0]), i128::from(code[1]));
            let found = distance(point(i, j));
            for (di, dj) in [(1, 0), (0, 1), (-1, 0), (0, -1), (1, -1), (-1, 1)] {
                assert!(
                    found <= distance(point(i + di, j + dj)),
                    "2x{BITS} {n:?}: {code:?} is not the nearest"
                );
            }
        }
    }
    check::<4>();
    check::<8>();
    check::<12>();
    check::<16>();
}

/// Where `encode` and `encode_exact` differ, the point on the face is as far from both codes, up to 2^-22 on the octahedron.
#[test]
fn exact_and_plain_encoder_differ_near_ties_only() {
    fn check<const BITS: u32>(most: u32) {
        let h = f64::from((1_i32 << (BITS - 1)) - 1);
        let mut random = Random(21);
        let mut different = 0;
        for _ in 0..1_000_000 {
            let normal = random.normal().map(f32::abs);
            let codes = [
                gbuffer_codec::octahedral::encode::<BITS>(normal),
                gbuffer_codec::octahedral::encode_exact::<BITS>(normal),
            ];
            if codes[0] == codes[1] {
                continue;
            }
            different += 1;
            let n = normal.map(f64::from);
            let [a, b] = [n[0], n[1]].map(|x| x / (n[0] + n[1] + n[2]) * h);
            // Distances in the plane of the face, where the steps of the lattice are sqrt(2).
            let [p, q] = codes.map(|[u, v]| {
                let (x, y) = (a - f64::from(u), b - f64::from(v));
                x * x + y * y + (x + y) * (x + y)
            });
            // Twice the distance from the border between the two cells.
            let off = (p - q).abs() / 2.0_f64.sqrt() / h;
            assert!(off <= 2.0_f64.powi(-21), "2x{BITS} {normal:?}: {codes:?}, {off}");
        }
        assert!(different <= most, "2x{BITS}: {different} of 1e6 differ");
    }
    check::<8>(20);
    check::<12>(200);
    check::<16>(3000);
}

/// Octahedral codes are decoded by the few lines that shaders have had since 2014.
#[test]
fn classic_shader_decodes_octahedral() {
    fn shader([u, v]: [f32; 2]) -> [f32; 3] {
        let z = 1.0 - u.abs() - v.abs();
        let t = (-z).clamp(0.0, 1.0);
        let x = u + if u >= 0.0 { -t } else { t };
        let y = v + if v >= 0.0 { -t } else { t };
        let length = (x * x + y * y + z * z).sqrt();
        [x / length, y / length, z / length]
    }
    let mut random = Random(2014);
    for _ in 0..100_000 {
        let normal = random.normal();
        let code = gbuffer_codec::octahedral::encode::<12>(normal);
        let error = degrees_between(shader(code.map(|x| f32::from(x) / 2047.0)), normal);
        assert!(error <= 0.0397, "{normal:?}: {error} degrees");
    }
}
