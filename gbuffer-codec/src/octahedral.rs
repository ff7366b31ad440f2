//! The classic octahedral mapping: every engine's shader decodes it.
//!
//! a = |n| / (|nx| + |ny| + |nz|) are the barycentrics of the octahedron's face; the lower half folds over the
//! diagonals of the square. Encoding rounds hexagonally, which cuts the largest error by a third at no cost for the
//! decoder. Choose this mapping where data or shaders exist that already decode it; [`warped`](crate::warped) is a
//! fifth more accurate in the same bits. [`mappings`](crate::mappings) has a figure.
//!
//! Sources: Cigolle et al., "A Survey of Efficient Representations for Independent Unit Vectors", JCGT 3(2), 2014
//! (the mapping); Conway and Sloane, "Fast quantizing and decoding algorithms for lattice quantizers", IEEE Trans.
//! Inf. Theory 28(2), 1982 (rounding in the lattice A2).

use crate::batch::{self, Conversion};
use crate::lattice::{self, Direction, half, half_integer};

/// The code of the direction of `normal`, each component in -h..=h with h = 2^(BITS-1) - 1, BITS in 2..=16.
///
/// The length of `normal` does not matter. Zero, NaN and infinities give +z's code, `[0, 0]`; see [`try_encode`].
///
/// ```
/// use gbuffer_codec::octahedral;
/// let code = octahedral::encode::<8>([0.0, 3.0, 4.0]);
/// assert_eq!(code, [0, 54]); // 127 * 3 / 7
/// ```
#[inline]
#[must_use]
pub fn encode<const BITS: u32>(normal: impl Into<[f32; 3]>) -> [i16; 2] {
    lattice::code_from_point::<BITS>(point::<BITS>(Direction::new(normal.into())))
}

/// As [`encode`], but `None` for the zero vector and for a component that is NaN or infinite.
///
/// ```
/// use gbuffer_codec::octahedral;
/// assert_eq!(octahedral::try_encode::<16>([0.0, 1e-40, 0.0]), Some([0, 32767]));
/// assert_eq!(octahedral::try_encode::<16>([0.0, f32::NAN, 0.0]), None);
/// ```
#[inline]
#[must_use]
pub fn try_encode<const BITS: u32>(normal: impl Into<[f32; 3]>) -> Option<[i16; 2]> {
    let normal = normal.into();
    Direction::new(normal).valid.then(|| encode::<BITS>(normal))
}

/// The point in the square of the upper hemisphere, in steps, and z.
#[inline(always)]
fn point<const BITS: u32>(direction: Direction) -> [f32; 3] {
    let [x, y, z] = direction.vector;
    let scale = half::<BITS>() / direction.sum;
    direction.or_z([x * scale, y * scale, z], [0.0; 3])
}

/// As [`encode`], by integers alone: the same code on every processor and, by the WGSL twin
/// `gbuffer_octahedral_encode_exact`, on every GPU.
///
/// The input is first rounded to 22 bits of its largest component; the rest is exact, ties included. So the code may
/// differ from that of [`encode`] for normals within 2^-22 of a tie on the octahedron
/// |x| + |y| + |z| = 1: 2 in 1,000 random normals at 16 bits, 1 in 100,000 at 8.
///
/// ```
/// use gbuffer_codec::octahedral;
/// assert_eq!(octahedral::encode_exact::<12>([0.0, 0.0, -1.0]), [2047, 2047]);
/// ```
#[inline]
#[must_use]
pub fn encode_exact<const BITS: u32>(normal: impl Into<[f32; 3]>) -> [i16; 2] {
    let normal: [f32; 3] = normal.into();
    let h = half_integer::<BITS>();
    let direction = Direction::new(normal);
    let [x, y, z] = fixed_point(normal);
    let sum = u64::from((x + y + z).max(1));
    // Integer parts and remainders of i = x h / sum and so on; the remainders are the fractions in units of 1/sum.
    let divide = |a: u32| {
        let product = u64::from(a) * u64::from(h.unsigned_abs());
        (product / sum, product % sum)
    };
    let ((i, a), (j, b)) = (divide(x), divide(y));
    let (larger, smaller) = (a.max(b), a.min(b));
    let first = u64::from(2 * larger + smaller >= sum);
    let second = u64::from(larger + 2 * smaller >= 2 * sum);
    let a_first = a >= b;
    let i = i + if a_first { first } else { second };
    let j = j + if a_first { second } else { first };
    let signs = direction.or_z(direction.vector, [0.0, 0.0, 1.0]);
    #[allow(clippy::cast_possible_truncation, reason = "i and j are at most h")]
    lattice::code::<BITS>((i as i32, j as i32), signs)
}

/// |x|, |y|, |z| in units of 2^-22 of the power of two above the largest, rounded half up; zeros for NaN and infinity.
fn fixed_point(normal: [f32; 3]) -> [u32; 3] {
    const INFINITY: u32 = 0x7f80_0000;
    let bits = normal.map(|x| x.to_bits() & 0x7fff_ffff);
    if bits.iter().any(|&b| b >= INFINITY) {
        return [0; 3];
    }
    // A denormal has the exponent of the smallest normal number, without the leading one.
    let exponent = |b: u32| (b >> 23).max(1);
    let mantissa = |b: u32| (b & 0x007f_ffff) | if b >> 23 == 0 { 0 } else { 0x0080_0000 };
    let largest = bits[0].max(bits[1]).max(bits[2]);
    // Denormals: shift the largest mantissa up to 24 bits first. 0 has none.
    let lift = mantissa(largest.max(1)).leading_zeros() - 8;
    bits.map(|b| {
        let shift = (exponent(largest) - exponent(b)).min(31);
        let lifted = mantissa(b) << lift;
        // Shifted in two steps, as shift + 1 may be 32, which is no valid shift.
        ((lifted >> 1 >> shift) + 1) >> 1
    })
}

/// The unit normal of a code: any pair of integers (a component beyond h counts as h).
///
/// Axes are exact and no zero is negative. Components and length are right within 2e-7.
///
/// ```
/// use gbuffer_codec::octahedral;
/// assert_eq!(octahedral::decode::<10>([-511, 0]), [-1.0, 0.0, 0.0]);
/// ```
#[inline]
#[must_use]
pub fn decode<const BITS: u32>(code: [i16; 2]) -> [f32; 3] {
    lattice::normalize(lattice::octahedron_from_code::<BITS>(code))
}

/// The unit normal of texture coordinates as a snorm texture gives them: u / h and v / h.
///
/// Clamps to -1..=1 (snorm's most negative integer reads as a little less than -1 on some devices); NaN counts as 0.
/// Never filter the texture: between two codes across the fold lie normals up to 180 degrees away.
///
/// ```
/// use gbuffer_codec::octahedral;
/// let [u, v] = octahedral::encode::<16>([0.6, 0.0, -0.8]);
/// let sampled = [f32::from(u) / 32767.0, f32::from(v) / 32767.0];
/// let [x, _, z] = octahedral::decode_uv(sampled);
/// assert!((x - 0.6).abs() < 1e-4 && (z + 0.8).abs() < 1e-4);
/// ```
#[inline]
#[must_use]
pub fn decode_uv(uv: [f32; 2]) -> [f32; 3] {
    lattice::normalize(lattice::octahedron_from_uv(uv))
}

/// [`encode`] in two halves, for slices.
pub(crate) struct Encode<const BITS: u32>;

impl<const BITS: u32> Conversion<3> for Encode<BITS> {
    type Input = [f32; 3];
    type Output = [i16; 2];

    #[inline(always)]
    fn first(normal: [f32; 3]) -> [f32; 3] {
        point::<BITS>(Direction::new(normal))
    }

    #[inline(always)]
    fn usual(normal: [f32; 3]) -> ([f32; 3], u32) {
        let direction = Direction::usual(normal);
        (point::<BITS>(direction), direction.length())
    }

    #[inline(always)]
    fn second(point: [f32; 3]) -> [i16; 2] {
        lattice::code_from_point::<BITS>(point)
    }
}

/// [`decode`] in two halves, for slices.
pub(crate) struct Decode<const BITS: u32>;

impl<const BITS: u32> Conversion<3> for Decode<BITS> {
    type Input = [i16; 2];
    type Output = [f32; 3];

    #[inline(always)]
    fn first(code: [i16; 2]) -> [f32; 3] {
        lattice::octahedron_from_code::<BITS>(code)
    }

    #[inline(always)]
    fn usual(code: [i16; 2]) -> ([f32; 3], u32) {
        (Self::first(code), 0)
    }

    #[inline(always)]
    fn second(point: [f32; 3]) -> [f32; 3] {
        lattice::normalize(point)
    }
}

/// [`encode`] for slices, with the same results bit for bit.
///
/// ```
/// use gbuffer_codec::octahedral;
/// let mut codes = [[0; 2]; 2];
/// octahedral::encode_slice::<8>(&[[0.0, 0.0, 1.0], [0.0, -1.0, 0.0]], &mut codes);
/// assert_eq!(codes, [[0, 0], [0, -127]]);
/// ```
///
/// # Panics
/// If the lengths differ.
#[inline]
pub fn encode_slice<const BITS: u32>(normals: &[impl Into<[f32; 3]> + Copy], codes: &mut [[i16; 2]]) {
    batch::encode_slice::<Encode<BITS>, _, 3>(normals, codes);
}

/// [`decode`] for slices, with the same results bit for bit.
///
/// ```
/// use gbuffer_codec::octahedral;
/// let mut normals = [[0.0_f32; 3]; 2];
/// octahedral::decode_slice::<8>(&[[0, 0], [0, -127]], &mut normals);
/// assert_eq!(normals, [[0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]);
/// ```
///
/// # Panics
/// If the lengths differ.
#[inline]
pub fn decode_slice<const BITS: u32>(codes: &[[i16; 2]], normals: &mut [impl From<[f32; 3]>]) {
    batch::decode_slice::<Decode<BITS>, _>(codes, normals);
}
