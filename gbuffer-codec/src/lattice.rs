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

/// Scaled, the smallest denormal number is 2^-22: any direction has a sum above this, and only zero is below.
const SMALLEST_SUM: f32 = 1.0 / 8_388_608.0;
/// Scaled, three components of less than 4 each; infinity and NaN are not below this.
const LARGEST_SUM: f32 = 16.0;

/// The direction of an input vector, if it has one.
#[derive(Clone, Copy)]
pub(crate) struct Direction {
    /// The input times a power of two, so that nothing overflows or vanishes: the largest component is in 1..4, or more than
    /// 2^-23 if it was denormal.
    pub(crate) vector: [f32; 3],
    /// |x| + |y| + |z| of `vector`.
    pub(crate) sum: f32,
    /// False for the zero vector and for anything with a NaN or an infinity.
    pub(crate) valid: bool,
}

impl Direction {
    #[inline(always)]
    pub(crate) fn new([x, y, z]: [f32; 3]) -> Self {
        // The reciprocal power of two of the largest component, by its exponent bits: exact, so it changes no code.
        const EXPONENT: u32 = 0x7f80_0000;
        let largest = larger(larger(x.abs(), y.abs()), z.abs());
        let exponent = (largest.to_bits() & EXPONENT).min(253 << 23);
        let scale = f32::from_bits((254 << 23) - exponent);
        let [x, y, z] = [x * scale, y * scale, z * scale];
        let sum = x.abs() + y.abs() + z.abs();
        Self {
            vector: [x, y, z],
            sum,
            valid: (sum > SMALLEST_SUM) & (sum < LARGEST_SUM),
        }
    }

    /// The same of a vector that needs no scaling, as [`Self::length`] then says.
    #[inline(always)]
    pub(crate) fn usual(vector: [f32; 3]) -> Self {
        let [x, y, z] = vector;
        Self {
            vector,
            sum: x.abs() + y.abs() + z.abs(),
            valid: true,
        }
    }

    /// Less than [`UNUSUAL`](crate::batch::UNUSUAL) where |x| + |y| + |z| is in 2^-16..2^16. Such numbers may be joined by
    /// "or": 32 exponents of f32 are 28 bits.
    #[inline(always)]
    pub(crate) fn length(&self) -> u32 {
        self.sum.to_bits().wrapping_sub((127 - 16) << 23)
    }

    /// The numbers of a mapping's first function, or those of +z where there is no direction: at its end, as the
    /// divisions before it need not wait for the question.
    #[inline(always)]
    pub(crate) fn or_z<const K: usize>(&self, point: [f32; K], point_of_z: [f32; K]) -> [f32; K] {
        core::array::from_fn(|k| if self.valid { point[k] } else { point_of_z[k] })
    }
}

/// The code of the lattice point (i, j, h - i - j) on the face where x, y, z have the signs of `signs`.
///
/// A component that rounded to 0 counts as positive. So the border of the square, whose points are the same normal in
/// pairs (and the four corners all -z), has one code for each normal.
#[inline(always)]
pub(crate) fn code<const BITS: u32>((i, j): (i32, i32), [x, y, z]: [f32; 3]) -> [i16; 2] {
    let h = half_integer::<BITS>();
    // Folded: (h - j, h - i).
    let fold = if z < 0.0 { h - i - j } else { 0 };
    let (u, v) = (i + fold, j + fold);
    let u = if (x < 0.0) & (i > 0) { -u } else { u };
    let v = if (y < 0.0) & (j > 0) { -v } else { v };
    #[allow(
        clippy::cast_possible_truncation,
        reason = "|u| and |v| are at most h <= 32767"
    )]
    [u as i16, v as i16]
}

/// The code of a point in the square of the upper hemisphere, in steps, and a number with the sign of z: [u, v, z].
#[inline(always)]
pub(crate) fn code_from_point<const BITS: u32>(point: [f32; 3]) -> [i16; 2] {
    code::<BITS>(round_hexagonal(point[0].abs(), point[1].abs()), point)
}

/// The lattice point nearest to (a, b, h - a - b), all >= 0, in the hexagonal metric.
///
/// What rounding all three barycentrics and repairing the one with the largest rounding error, so that they sum to h, gives:
/// the Voronoi cells of the triangular lattice are hexagons. (Rounding u and v alone has squares for cells, which reach 1.5
/// times as far when seen on the face.) In the lattice square around the point, with x and y the distances from its lower
/// corner, the borders of the cells are 2x + y = 1 and x + 2y = 2 where x >= y, and x + 2y = 1 and 2x + y = 2 elsewhere.
#[inline(always)]
fn round_hexagonal(a: f32, b: f32) -> (i32, i32) {
    // On the border of the square either neighbour will do.
    let ((i, i_float), (j, j_float)) = (round(a - 0.5), round(b - 0.5));
    let (x, y) = (a - i_float, b - j_float);
    let sum = x + y;
    let x_larger = if x >= y { 1.0 } else { 0.0 };
    (
        i + i32::from(sum + x + x_larger >= 2.0),
        j + i32::from(sum + y - x_larger >= 1.0),
    )
}

/// The integer nearest to a number in -32768..=65536, ties to even.
///
/// By adding 1.5 * 2^23, whose last bit counts 1: a cast would saturate, which no vector instruction does.
#[inline(always)]
pub(crate) fn round(x: f32) -> (i32, f32) {
    const MAGIC: f32 = 12_582_912.0;
    let shifted = x + MAGIC;
    let integer = shifted.to_bits().cast_signed() - MAGIC.to_bits().cast_signed();
    (integer, shifted - MAGIC)
}

/// The larger; one instruction, unlike `f32::max` with its rule for NaN.
#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The smaller, likewise.
#[inline(always)]
fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The point of the octahedron |x| + |y| + |z| = 1 at a code: |x|, |y| and z. No zero is negative.
#[inline(always)]
pub(crate) fn barycentrics_from_code<const BITS: u32>([u, v]: [i16; 2]) -> ([f32; 2], f32) {
    let h = half::<BITS>();
    // The nearest f32 to 1/h; h * step is exactly 1 for all of 2..=16 bits, which keeps the axes exact.
    let step = const { 1.0 / half::<BITS>() };
    // Integers in f32, for the sake of instruction sets that have no minimum of integers.
    let a = smaller(f32::from(u).abs(), h);
    let b = smaller(f32::from(v).abs(), h);
    // Beyond the diagonal, where z < 0, the smaller is the folded one.
    let (x, y) = (smaller(a, h - b), smaller(b, h - a));
    ([x * step, y * step], (h - a - b) * step)
}

/// Puts the signs of a code on |x| and |y|.
#[inline(always)]
pub(crate) fn with_signs([x, y]: [f32; 2], [u, v]: [i16; 2]) -> [f32; 2] {
    // -0.0 + 0.0 is +0.0; everything else stays.
    [x.copysign(f32::from(u)) + 0.0, y.copysign(f32::from(v)) + 0.0]
}

/// The point of the octahedron |x| + |y| + |z| = 1 at a code. No zero of it is negative.
#[inline(always)]
pub(crate) fn octahedron_from_code<const BITS: u32>(code: [i16; 2]) -> [f32; 3] {
    let (magnitudes, z) = barycentrics_from_code::<BITS>(code);
    let [x, y] = with_signs(magnitudes, code);
    [x, y, z]
}

/// The point of the octahedron at texture coordinates; what lies beyond -1..=1 is clamped and NaN counts as 0.
#[inline(always)]
pub(crate) fn octahedron_from_uv(uv: [f32; 2]) -> [f32; 3] {
    let [u, v] = uv.map(|x| if x.is_nan() { 0.0 } else { x.clamp(-1.0, 1.0) });
    let z = 1.0 - u.abs() - v.abs();
    let fold = (-z).max(0.0);
    let x = if u < 0.0 { u + fold } else { u - fold };
    let y = if v < 0.0 { v + fold } else { v - fold };
    // -0.0 + 0.0 is +0.0; everything else stays.
    [x + 0.0, y + 0.0, z]
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
    // Never compiled to the end: without either feature lib.rs is an error, which this keeps from being two.
    #[cfg(not(any(feature = "std", feature = "libm")))]
    return x;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of `std` and `libm` computes it must not change a code.
    #[test]
    fn square_root_is_correctly_rounded() {
        for n in 0..200_000_u32 {
            // Over the range of the callers, 1/4 to 64.
            let x = f32::from_bits(0x3e80_0000 + n * 160);
            // In f64 and then to f32: for square roots, rounding twice is rounding once.
            #[allow(clippy::cast_possible_truncation, reason = "rounding is meant")]
            let expected = f64::from(x).sqrt() as f32;
            assert_eq!(square_root(x).to_bits(), expected.to_bits(), "{x}");
        }
    }

    #[test]
    fn round_goes_to_the_nearest_even() {
        for (x, expected) in [
            (0.0, 0),
            (-0.5, 0),
            (0.5, 0),
            (1.5, 2),
            (2.5, 2),
            (-1.0, -1),
            (32766.502, 32767),
            (32767.0, 32767),
        ] {
            assert_eq!(round(x), (expected, expected as f32), "{x}");
        }
    }

    /// The corners of each cell of the hexagonal metric, by distances in the plane of the lattice.
    #[test]
    fn hexagonal_rounding_is_the_nearest_point() {
        let distance = |a: f32, b: f32, (i, j): (i32, i32)| {
            let (x, y) = (a - i as f32, b - j as f32);
            // |(x, y, -x-y)|^2
            x * x + y * y + (x + y) * (x + y)
        };
        for m in 0..97 {
            for n in 0..97 {
                let (a, b) = (3.0 + m as f32 / 96.0, 5.0 + n as f32 / 96.0);
                let found = distance(a, b, round_hexagonal(a, b));
                for i in 2..=5 {
                    for j in 4..=7 {
                        assert!(found <= distance(a, b, (i, j)) + 1e-6, "{a} {b}: not ({i}, {j})");
                    }
                }
            }
        }
    }
}
