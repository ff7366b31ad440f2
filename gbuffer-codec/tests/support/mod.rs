//! What the tests share: the mappings as a table, normals that plant the hard cases, and angles in f64.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test file uses a part of this module"
)]

use gbuffer_codec::{diamond, octahedral, warped};

/// A mapping at one depth.
pub struct Mapping {
    pub name: &'static str,
    pub bits: u32,
    pub encode: fn([f32; 3]) -> [i16; 2],
    pub try_encode: fn([f32; 3]) -> Option<[i16; 2]>,
    pub decode: fn([i16; 2]) -> [f32; 3],
    pub decode_uv: fn([f32; 2]) -> [f32; 3],
}

impl Mapping {
    pub fn half(&self) -> i16 {
        i16::try_from((1_i32 << (self.bits - 1)) - 1).expect("2 to 16 bits")
    }
}

/// Every mapping at a depth: warped, octahedral, its exact encoder, diamond with either centre.
pub fn mappings<const BITS: u32>() -> [Mapping; 5] {
    [
        Mapping {
            name: "warped",
            bits: BITS,
            encode: warped::encode::<BITS>,
            try_encode: warped::try_encode::<BITS>,
            decode: warped::decode::<BITS>,
            decode_uv: warped::decode_uv,
        },
        Mapping {
            name: "octahedral",
            bits: BITS,
            encode: octahedral::encode::<BITS>,
            try_encode: octahedral::try_encode::<BITS>,
            decode: octahedral::decode::<BITS>,
            decode_uv: octahedral::decode_uv,
        },
        Mapping {
            name: "octahedral exact",
            bits: BITS,
            encode: octahedral::encode_exact::<BITS>,
            try_encode: octahedral::try_encode::<BITS>,
            decode: octahedral::decode::<BITS>,
            decode_uv: octahedral::decode_uv,
        },
        Mapping {
            name: "diamond",
            bits: BITS,
            encode: diamond::encode::<BITS>,
            try_encode: diamond::try_encode::<BITS>,
            decode: diamond::decode::<BITS>,
            decode_uv: diamond::decode_uv,
        },
        Mapping {
            name: "diamond sqrt2",
            bits: BITS,
            encode: diamond::sqrt2::encode::<BITS>,
            try_encode: diamond::sqrt2::try_encode::<BITS>,
            decode: diamond::sqrt2::decode::<BITS>,
            decode_uv: diamond::sqrt2::decode_uv,
        },
    ]
}

/// Every mapping at every depth.
pub fn all() -> Vec<Mapping> {
    let mut all = Vec::new();
    all.extend(mappings::<2>());
    all.extend(mappings::<3>());
    all.extend(mappings::<4>());
    all.extend(mappings::<5>());
    all.extend(mappings::<6>());
    all.extend(mappings::<7>());
    all.extend(mappings::<8>());
    all.extend(mappings::<9>());
    all.extend(mappings::<10>());
    all.extend(mappings::<11>());
    all.extend(mappings::<12>());
    all.extend(mappings::<13>());
    all.extend(mappings::<14>());
    all.extend(mappings::<15>());
    all.extend(mappings::<16>());
    all
}

/// `SplitMix64` (Steele, Lea and Flood, 2014).
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In -1..1.
    pub fn signed(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// A unit normal, uniform over the sphere.
    pub fn normal(&mut self) -> [f32; 3] {
        loop {
            let n = [self.signed(), self.signed(), self.signed()];
            let length = dot(n, n).sqrt();
            if length > 1e-3 && length <= 1.0 {
                return to_f32(n.map(|x| x / length));
            }
        }
    }

    /// An integer in -h..=h.
    pub fn component(&mut self, h: i16) -> i16 {
        let span = 2 * u64::from(h.unsigned_abs()) + 1;
        i16::try_from(i64::try_from(self.bits() % span).expect("small") - i64::from(h)).expect("in range")
    }
}

#[allow(clippy::cast_possible_truncation, reason = "rounding is meant")]
pub fn to_f32(v: [f64; 3]) -> [f32; 3] {
    v.map(|x| x as f32)
}

pub fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The squared sine and the cosine of the angle, both times |a| |b|.
pub fn squared_sine_and_cosine(a: [f32; 3], b: [f32; 3]) -> (f64, f64) {
    let (a, b) = (a.map(f64::from), b.map(f64::from));
    let cross = [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ];
    (dot(cross, cross), dot(a, b))
}

/// The angle between two vectors of any length, in degrees, to 1e-14.
pub fn degrees_between(a: [f32; 3], b: [f32; 3]) -> f64 {
    let (squared_sine, cosine) = squared_sine_and_cosine(a, b);
    squared_sine.sqrt().atan2(cosine).to_degrees()
}

/// Normals that go wrong in such codecs: axes, zeros of either sign, diagonals, borders of the fold, z nearly 0, poles
/// missed by little.
pub fn structured() -> Vec<[f32; 3]> {
    let values = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0];
    let tiny = [
        1e-30, -1e-30, 1e-8, -1e-8, 6e-8, -6e-8, 1e-6, -1e-6, 1e-4, -1e-4, 1e-3, -1e-3,
    ];
    let all: Vec<f32> = values.into_iter().chain(tiny).collect();
    let mut normals = Vec::new();
    for &x in &all {
        for &y in &all {
            for &z in &all {
                if x != 0.0 || y != 0.0 || z != 0.0 {
                    normals.push([x, y, z]);
                }
            }
        }
    }
    // Circles: the equator, the two meridians of the fold, the diagonal planes.
    for step in 0..3600_u16 {
        let (sine, cosine) = (f64::from(step) * 0.1).to_radians().sin_cos();
        let r = core::f64::consts::FRAC_1_SQRT_2;
        for n in [
            [cosine, sine, 0.0],
            [0.0, cosine, sine],
            [cosine, 0.0, sine],
            [cosine * r, cosine * r, sine],
            [cosine * r, -cosine * r, sine],
        ] {
            normals.push(to_f32(n));
        }
    }
    normals
}

/// The middle of three neighbouring codes' normals: about as far from any code as a normal can be.
pub fn between_codes(mapping: &Mapping, random: &mut Random) -> [f32; 3] {
    let h = mapping.half();
    let (u, v) = (random.component(h), random.component(h));
    let next = |x: i16| if x == h { x - 1 } else { x + 1 };
    let far = if random.bits() & 1 == 0 {
        [u, v]
    } else {
        [next(u), next(v)]
    };
    let corners = [far, [next(u), v], [u, next(v)]].map(mapping.decode);
    core::array::from_fn(|axis| corners[0][axis] + corners[1][axis] + corners[2][axis])
}
