//! The mapping of stereographic G-buffers: a stereographic projection, and the disk made a diamond.
//!
//! p = (x, y) C / (C |n| + |z|), projected from (0, 0, -C), fills the unit disk; q = p |p| / (|px| + |py|) fills the
//! diamond |u| + |v| <= 1; the lower hemisphere folds over the nearest diagonal. The functions of this module have the
//! centre C = 1, those of [`sqrt2`] have C = sqrt(2), which evens out the cells a little. There is no epsilon in it: at
//! the pole, where p = 0, q = 0.
//!
//! The encoder rounds hexagonally, as [`octahedral`](crate::octahedral)'s does; decoders of such data need no change.
//!
//! Here for data that is in this form already: [`warped`](crate::warped) is nearly twice as accurate in the same bits.

use crate::batch::{self, Conversion};
use crate::lattice::{self, Direction, half, square_root};
use core::f32::consts::{FRAC_1_SQRT_2, SQRT_2};

/// The code of the direction of `normal`, each component in -h..=h with h = 2^(BITS-1) - 1, BITS in 2..=16.
///
/// The length of `normal` does not matter. Zero, NaN and infinities give +z's code, `[0, 0]`; see [`try_encode`].
///
/// ```
/// use gbuffer_codec::diamond;
/// assert_eq!(diamond::encode::<8>([0.0, 2.0, 0.0]), [0, 127]);
/// ```
#[inline]
#[must_use]
pub fn encode<const BITS: u32>(normal: impl Into<[f32; 3]>) -> [i16; 2] {
    lattice::code_from_point::<BITS>(point::<BITS>(Direction::new(normal.into())))
}

/// As [`encode`], but `None` for the zero vector and for a component that is NaN or infinite.
///
/// ```
/// use gbuffer_codec::diamond;
/// assert_eq!(diamond::try_encode::<16>([0.0, 1e-40, 0.0]), Some([0, 32767]));
/// assert_eq!(diamond::try_encode::<16>([0.0, f32::NAN, 0.0]), None);
/// ```
#[inline]
#[must_use]
pub fn try_encode<const BITS: u32>(normal: impl Into<[f32; 3]>) -> Option<[i16; 2]> {
    let normal = normal.into();
    Direction::new(normal).valid.then(|| encode::<BITS>(normal))
}

/// The unit normal of a code: any pair of integers (a component beyond h counts as h).
///
/// Axes are exact and no zero is negative. Components and length are right within 3e-7.
///
/// ```
/// use gbuffer_codec::diamond;
/// assert_eq!(diamond::decode::<8>([127, 127]), [0.0, 0.0, -1.0]);
/// ```
#[inline]
#[must_use]
pub fn decode<const BITS: u32>(code: [i16; 2]) -> [f32; 3] {
    decode_octahedron(lattice::octahedron_from_code::<BITS>(code))
}

/// The unit normal of texture coordinates as a snorm texture gives them: u / h and v / h.
///
/// Clamps to -1..=1 (snorm's most negative integer reads as a little less than -1 on some devices); NaN counts as 0.
/// Never filter the texture: between two codes across the fold lie normals up to 180 degrees away.
///
/// ```
/// use gbuffer_codec::diamond;
/// let [u, v] = diamond::encode::<16>([0.6, 0.0, -0.8]);
/// let sampled = [f32::from(u) / 32767.0, f32::from(v) / 32767.0];
/// let [x, _, z] = diamond::decode_uv(sampled);
/// assert!((x - 0.6).abs() < 1e-4 && (z + 0.8).abs() < 1e-4);
/// ```
#[inline]
#[must_use]
pub fn decode_uv(uv: [f32; 2]) -> [f32; 3] {
    decode_octahedron(lattice::octahedron_from_uv(uv))
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
        decode_octahedron(point)
    }
}

/// [`encode`] for slices, with the same results bit for bit.
///
/// ```
/// use gbuffer_codec::diamond;
/// let mut codes = [[0; 2]; 2];
/// diamond::encode_slice::<8>(&[[0.0, 0.0, 1.0], [0.0, -1.0, 0.0]], &mut codes);
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
/// use gbuffer_codec::diamond;
/// let mut normals = [[0.0_f32; 3]; 2];
/// diamond::decode_slice::<8>(&[[0, 0], [0, -127]], &mut normals);
/// assert_eq!(normals, [[0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]);
/// ```
///
/// # Panics
/// If the lengths differ.
#[inline]
pub fn decode_slice<const BITS: u32>(codes: &[[i16; 2]], normals: &mut [impl From<[f32; 3]>]) {
    batch::decode_slice::<Decode<BITS>, _>(codes, normals);
}

/// The point in the square of the upper hemisphere, in steps, and z.
#[inline(always)]
fn point<const BITS: u32>(direction: Direction) -> [f32; 3] {
    point_from_centre::<BITS>(direction, 1.0)
}

/// The same for either centre.
#[inline(always)]
fn point_from_centre<const BITS: u32>(direction: Direction, centre: f32) -> [f32; 3] {
    let [x, y, z] = direction.vector;
    let plane = x * x + y * y;
    let length = square_root(plane + z * z);
    let sum = x.abs() + y.abs();
    // At the poles the disk's point is 0 whatever the quotient is.
    let diamond = square_root(plane) / if sum > 0.0 { sum } else { 1.0 };
    let scale = half::<BITS>() * centre * diamond / (centre * length + z.abs());
    direction.or_z([x * scale, y * scale, z], [0.0; 3])
}

/// The point in the disk of a point of the octahedron, and its squared distance from the centre.
#[inline(always)]
fn disk_from_octahedron([x, y, z]: [f32; 3]) -> ([f32; 2], f32) {
    let radius = 1.0 - z.abs();
    let length = square_root(x * x + y * y);
    let scale = radius / if length > 0.0 { length } else { 1.0 };
    ([x * scale, y * scale], radius * radius)
}

/// Inverse projection for the centre (0, 0, -1).
#[inline(always)]
fn decode_octahedron(point: [f32; 3]) -> [f32; 3] {
    let ([x, y], r2) = disk_from_octahedron(point);
    let scale = 1.0 / (1.0 + r2);
    let z = (1.0 - r2) * scale;
    [2.0 * x * scale, 2.0 * y * scale, z.copysign(point[2])]
}

/// Inverse projection for the centre (0, 0, -sqrt(2)).
#[inline(always)]
fn decode_octahedron_sqrt2(point: [f32; 3]) -> [f32; 3] {
    let ([x, y], r2) = disk_from_octahedron(point);
    let z = (square_root(4.0 - 2.0 * r2) - SQRT_2 * r2) / (2.0 + r2);
    let scale = 1.0 + z * FRAC_1_SQRT_2;
    [x * scale, y * scale, z.copysign(point[2])]
}

/// The same with the projection's centre at (0, 0, -sqrt(2)).
pub mod sqrt2 {
    use super::{decode_octahedron_sqrt2, point_from_centre};
    use crate::batch::{self, Conversion};
    use crate::lattice::{self, Direction};
    use core::f32::consts::SQRT_2;

    #[inline(always)]
    fn point<const BITS: u32>(direction: Direction) -> [f32; 3] {
        point_from_centre::<BITS>(direction, SQRT_2)
    }

    /// The code of the direction of `normal`, each component in -h..=h with h = 2^(BITS-1) - 1, BITS in 2..=16.
    ///
    /// The length of `normal` does not matter. Zero, NaN and infinities give +z's code, `[0, 0]`; see [`try_encode`].
    ///
    /// ```
    /// use gbuffer_codec::diamond::sqrt2;
    /// assert_eq!(sqrt2::encode::<8>([0.0, 2.0, 0.0]), [0, 127]);
    /// ```
    #[inline]
    #[must_use]
    pub fn encode<const BITS: u32>(normal: impl Into<[f32; 3]>) -> [i16; 2] {
        lattice::code_from_point::<BITS>(point::<BITS>(Direction::new(normal.into())))
    }

    /// As [`encode`], but `None` for the zero vector and for a component that is NaN or infinite.
    ///
    /// ```
    /// use gbuffer_codec::diamond::sqrt2;
    /// assert_eq!(sqrt2::try_encode::<16>([0.0, 1e-40, 0.0]), Some([0, 32767]));
    /// assert_eq!(sqrt2::try_encode::<16>([0.0, f32::NAN, 0.0]), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn try_encode<const BITS: u32>(normal: impl Into<[f32; 3]>) -> Option<[i16; 2]> {
        let normal = normal.into();
        Direction::new(normal).valid.then(|| encode::<BITS>(normal))
    }

    /// The unit normal of a code: any pair of integers (a component beyond h counts as h).
    ///
    /// Axes are exact and no zero is negative. Components and length are right within 3e-7.
    ///
    /// ```
    /// use gbuffer_codec::diamond::sqrt2;
    /// assert_eq!(sqrt2::decode::<8>([127, 127]), [0.0, 0.0, -1.0]);
    /// ```
    #[inline]
    #[must_use]
    pub fn decode<const BITS: u32>(code: [i16; 2]) -> [f32; 3] {
        decode_octahedron_sqrt2(lattice::octahedron_from_code::<BITS>(code))
    }

    /// The unit normal of texture coordinates as a snorm texture gives them: u / h and v / h.
    ///
    /// Clamps to -1..=1 (snorm's most negative integer reads as a little less than -1 on some devices); NaN counts as 0.
    /// Never filter the texture: between two codes across the fold lie normals up to 180 degrees away.
    ///
    /// ```
    /// use gbuffer_codec::diamond::sqrt2;
    /// let [u, v] = sqrt2::encode::<16>([0.6, 0.0, -0.8]);
    /// let sampled = [f32::from(u) / 32767.0, f32::from(v) / 32767.0];
    /// let [x, _, z] = sqrt2::decode_uv(sampled);
    /// assert!((x - 0.6).abs() < 1e-4 && (z + 0.8).abs() < 1e-4);
    /// ```
    #[inline]
    #[must_use]
    pub fn decode_uv(uv: [f32; 2]) -> [f32; 3] {
        decode_octahedron_sqrt2(lattice::octahedron_from_uv(uv))
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
            decode_octahedron_sqrt2(point)
        }
    }

    /// [`encode`] for slices, with the same results bit for bit.
    ///
    /// ```
    /// use gbuffer_codec::diamond::sqrt2;
    /// let mut codes = [[0; 2]; 2];
    /// sqrt2::encode_slice::<8>(&[[0.0, 0.0, 1.0], [0.0, -1.0, 0.0]], &mut codes);
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
    /// use gbuffer_codec::diamond::sqrt2;
    /// let mut normals = [[0.0_f32; 3]; 2];
    /// sqrt2::decode_slice::<8>(&[[0, 0], [0, -127]], &mut normals);
    /// assert_eq!(normals, [[0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]);
    /// ```
    ///
    /// # Panics
    /// If the lengths differ.
    #[inline]
    pub fn decode_slice<const BITS: u32>(codes: &[[i16; 2]], normals: &mut [impl From<[f32; 3]>]) {
        batch::decode_slice::<Decode<BITS>, _>(codes, normals);
    }
}
