//! What all mappings share: the square of codes, its fold into an octahedron, and hexagonal rounding.
//!
//! A code (u, v) with |u| + |v| <= h lies on the upper hemisphere; the four corners of the square fold down over the
//! diagonals to the lower one. On a face of that octahedron (i, j, k) = (|u|, |v|, h - |u| - |v|) are barycentric
//! coordinates in steps of 1/h: the square grid is a triangular lattice there.

/// The largest component of a code, as f32: 2^(bits-1) - 1. Also the compile-time check of `BITS`.
pub(crate) const fn half<const BITS: u32>() -> f32 {
    half_integer::<BITS>() as f32
}

/// The largest component of a code: 2^(bits-1) - 1.
pub(crate) const fn half_integer<const BITS: u32>() -> i32 {
    const { assert!(BITS >= 2 && BITS <= 16, "BITS must be in 2..=16") };
    (1 << (BITS - 1)) - 1
}

/// A direction without its signs, scaled by a power of two so that nothing overflows or vanishes.
#[derive(Clone, Copy)]
pub(crate) struct Direction {
    /// |x|, |y|, |z| of the input, times a power of two: the largest is in 1..4 unless it was denormal.
    pub(crate) magnitude: [f32; 3],
    /// |x| + |y| + |z|.
    pub(crate) sum: f32,
    /// Whether x, y, z were below zero. (-0.0 is not.)
    negative: [bool; 3],
    /// False for the zero vector and for anything with a NaN or an infinity.
    pub(crate) valid: bool,
}

impl Direction {
    #[inline(always)]
    pub(crate) fn new([x, y, z]: [f32; 3]) -> Self {
        let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
        // The reciprocal power of two of the largest component, by its exponent bits: exact, so it changes no code.
        let largest = ax.max(ay).max(az);
        let exponent = (largest.to_bits() >> 23).min(253);
        let scale = f32::from_bits((254 - exponent) << 23);
        let magnitude = [ax * scale, ay * scale, az * scale];
        let sum = magnitude[0] + magnitude[1] + magnitude[2];
        Self {
            magnitude,
            sum,
            negative: [x < 0.0, y < 0.0, z < 0.0],
            valid: sum > 0.0 && sum < f32::INFINITY,
        }
    }

    /// The code of the lattice point (i, j, h - i - j) on this direction's face; +z's code where it has none.
    ///
    /// A component that rounded to 0 counts as positive. So the border of the square, whose points are the same normal
    /// in pairs (and the four corners all -z), has one code for each normal.
    #[inline(always)]
    pub(crate) fn code(&self, i: i32, j: i32, h: i32) -> [i16; 2] {
        let [negative_x, negative_y, negative_z] = self.negative;
        let u = if negative_z { h - j } else { i };
        let v = if negative_z { h - i } else { j };
        let u = if negative_x & (i > 0) { -u } else { u };
        let v = if negative_y & (j > 0) { -v } else { v };
        let (u, v) = if self.valid { (u, v) } else { (0, 0) };
        #[allow(
            clippy::cast_possible_truncation,
            reason = "|u| and |v| are at most h <= 32767"
        )]
        [u as i16, v as i16]
    }
}

/// The lattice point nearest to (a, b, h - a - b), all >= 0, in the hexagonal metric.
///
/// The same as rounding all three barycentrics and repairing the one with the largest rounding error so that they
/// sum to h: the Voronoi cells of the triangular lattice are hexagons. (Rounding u and v alone has squares for cells,
/// which reach 1.5 times as far when seen on the face.)
#[inline(always)]
pub(crate) fn round_hexagonal(a: f32, b: f32) -> (i32, i32) {
    let (i, j) = (truncate(a), truncate(b));
    let (x, y) = (a - i as f32, b - j as f32);
    let (larger, smaller) = (x.max(y), x.min(y));
    let first = i32::from(larger + larger + smaller >= 1.0);
    let second = i32::from(larger + smaller + smaller >= 2.0);
    let x_first = x >= y;
    (
        i + if x_first { first } else { second },
        j + if x_first { second } else { first },
    )
}

/// The integer part of a number in 0..65536.
#[inline(always)]
pub(crate) fn truncate(x: f32) -> i32 {
    #[allow(clippy::cast_possible_truncation, reason = "truncation is the purpose")]
    {
        x as i32
    }
}

/// A point on a face of the octahedron: barycentrics a + b + c = 1, all >= 0, and the signs of x, y, z.
#[derive(Clone, Copy)]
pub(crate) struct Face {
    pub(crate) barycentric: [f32; 3],
    negative: [bool; 3],
}

impl Face {
    /// Unfolds a code. Components beyond h count as h, so that every pair of integers has a normal.
    #[inline(always)]
    pub(crate) fn from_code<const BITS: u32>([u, v]: [i16; 2]) -> Self {
        let h = half_integer::<BITS>();
        // The nearest f32 to 1/h; h * step is exactly 1 for all of 2..=16 bits, which keeps the axes exact.
        let step = const { 1.0 / half::<BITS>() };
        let (u, v) = (i32::from(u).clamp(-h, h), i32::from(v).clamp(-h, h));
        let k = h - u.abs() - v.abs();
        let fold = (-k).max(0);
        let (i, j) = (u.abs() - fold, v.abs() - fold);
        Self {
            barycentric: [i as f32 * step, j as f32 * step, k.abs() as f32 * step],
            negative: [u < 0, v < 0, k < 0],
        }
    }

    /// Unfolds texture coordinates in -1..=1; what lies beyond is clamped and NaN counts as 0.
    #[inline(always)]
    pub(crate) fn from_uv(uv: [f32; 2]) -> Self {
        let [u, v] = uv.map(|x| if x.is_nan() { 0.0 } else { x.clamp(-1.0, 1.0) });
        let k = 1.0 - u.abs() - v.abs();
        let fold = (-k).max(0.0);
        Self {
            barycentric: [u.abs() - fold, v.abs() - fold, k.abs()],
            negative: [u < 0.0, v < 0.0, k < 0.0],
        }
    }

    /// Puts the signs back. No zero of the answer is negative.
    #[inline(always)]
    pub(crate) fn signed(&self, magnitude: [f32; 3]) -> [f32; 3] {
        core::array::from_fn(|n| {
            let x = if self.negative[n] {
                -magnitude[n]
            } else {
                magnitude[n]
            };
            // -0.0 + 0.0 is +0.0; everything else stays.
            x + 0.0
        })
    }
}

/// `vector` over its length, which is neither 0 nor out of range.
#[inline(always)]
pub(crate) fn normalize([x, y, z]: [f32; 3]) -> [f32; 3] {
    let scale = 1.0 / square_root(x * x + y * y + z * z);
    [x * scale, y * scale, z * scale]
}

/// The square root, correctly rounded in both builds.
#[inline(always)]
pub(crate) fn square_root(x: f32) -> f32 {
    #[cfg(feature = "std")]
    return x.sqrt();
    #[cfg(all(not(feature = "std"), feature = "libm"))]
    return libm::sqrtf(x);
}
