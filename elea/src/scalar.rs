//! The two precisions, and the few operations that the kernels need of them.

use crate::euler::kernel::near_of_pairs;
use core::fmt::Debug;
use core::ops::{Add, Div, Mul, Neg, Sub};

#[cfg(not(any(feature = "std", feature = "libm")))]
compile_error!("elea needs a square root: switch on feature `std` (the default) or `libm`");

/// `f32` or `f64`. Sealed: no other type can implement it.
pub trait Scalar: Real + crate::nearest::Fast {}

impl Scalar for f32 {}
impl Scalar for f64 {}

/// What the kernels need of a number. Every operation is correctly rounded, so that all builds give the same bits.
pub trait Real:
    Copy
    + Debug
    + Default
    + PartialOrd
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + 'static
{
    const ZERO: Self;
    const ONE: Self;
    const TWO: Self;
    const HALF: Self;
    const THIRD: Self;
    const EPSILON: Self;
    const MAX: Self;
    /// The smallest denormal.
    const LEAST: Self;
    /// Lanes in a block: four registers of 512 bits. Longer blocks leave the first-level cache, in shorter ones the kernels wait
    /// for the stores that fill them.
    const BLOCK: usize;
    /// Whether slices go to lanes by [`Self::transposed`] rather than number by number.
    const BY_FOURS: bool;
    /// Powers of ten either way that leave the elements of a scaled rotation finite and normal.
    const DECADES: f64;
    const PI: Self;
    const HALF_PI: Self;
    /// pi/4 = `QUARTER_PI_HIGH + QUARTER_PI_LOW`; a small integer times the high part is exact.
    const QUARTER_PI_HIGH: Self;
    const QUARTER_PI_LOW: Self;
    const ONE_OVER_PI: Self;
    const TAN_EIGHTH_PI: Self;
    /// 1.5 * 2^(mantissa bits): adding and subtracting it rounds to an integer (to even at a half).
    const ROUNDER: Self;
    /// References are clamped to this many radians, far below what [`Self::ROUNDER`] can round.
    const REFERENCE_LIMIT: Self;

    fn sqrt(self) -> Self;
    fn abs(self) -> Self;
    /// A power of two that brings a positive finite number between 1/2 and 4, a denormal between that and 2^-52 (2^-23).
    fn unit_scale(self) -> Self;
    /// Negated where `by` is negative: on the bits, as a branch on a sign is often mispredicted.
    fn flip_by(self, by: Self) -> Self;
    /// The sign bit: cheaper than a comparison, and true for -0.
    fn is_negative(self) -> bool;
    fn is_finite(self) -> bool;
    fn from_f64(value: f64) -> Self;
    fn to_f64(self) -> f64;
    /// atan(z) for |z| <= tan(pi/8).
    fn atan_small(z: Self) -> Self;
    /// Rows and columns change places.
    #[inline(always)]
    fn transposed(m: [[Self; 4]; 4]) -> [[Self; 4]; 4] {
        let [a, b, c, d] = m;
        let at = |n: usize| [a[n], b[n], c[n], d[n]];
        [at(0), at(1), at(2), at(3)]
    }
    /// [`angles_of_pairs`](crate::trig::angles_of_pairs) of a single call: the same bits.
    #[inline(always)]
    fn angles_of_pairs(y: [Self; 3], x: [Self; 3]) -> [Self; 3] {
        crate::trig::angles_of_pairs::<Self, false>(y, x)
    }
    /// [`near_of_pairs`] of a single call: the same bits.
    #[inline(always)]
    fn near_of_pairs(
        pairs: ([Self; 3], [Self; 3]),
        weights: (Self, Self),
        proper: bool,
        reference: [Self; 3],
        l2: Self,
    ) -> [Self; 3] {
        near_of_pairs::<Self, false>(pairs, weights, proper, reference, l2)
    }
}

/// atan(z) = z + c3 z^3 + c5 z^5 + c7 z^7 + c9 z^9 in `f32`, for |z| <= tan(pi/8) (Cephes; Moshier 1989).
pub(crate) const ATAN_F32: [f32; 4] = [-3.333_295e-1, 1.997_771_1e-1, -1.387_768_5e-1, 8.053_744_6e-2];

/// `a` if `condition` else `b`, without a branch where both are at hand.
#[inline(always)]
pub(crate) fn select<T: Copy>(condition: bool, a: T, b: T) -> T {
    if condition { a } else { b }
}

impl Real for f32 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    const TWO: Self = 2.0;
    const HALF: Self = 0.5;
    const THIRD: Self = 1.0 / 3.0;
    const EPSILON: Self = Self::EPSILON;
    const MAX: Self = Self::MAX;
    const LEAST: Self = Self::from_bits(1);
    const BLOCK: usize = 64;
    const BY_FOURS: bool = cfg!(feature = "glam");
    const DECADES: f64 = 36.0;
    const PI: Self = core::f32::consts::PI;
    const HALF_PI: Self = core::f32::consts::FRAC_PI_2;
    // 11 leading bits of pi/4: exact products up to 2^13 eighths of a turn.
    const QUARTER_PI_HIGH: Self = 0.785_156_25;
    const QUARTER_PI_LOW: Self = 2.419_134e-4;
    const ONE_OVER_PI: Self = core::f32::consts::FRAC_1_PI;
    const TAN_EIGHTH_PI: Self = 0.414_213_57;
    const ROUNDER: Self = 12_582_912.0;
    // 2^20 radians.
    const REFERENCE_LIMIT: Self = 1_048_576.0;

    #[inline(always)]
    fn sqrt(self) -> Self {
        #[cfg(feature = "std")]
        return Self::sqrt(self);
        #[cfg(not(feature = "std"))]
        return libm::sqrtf(self);
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self::abs(self)
    }
    #[inline(always)]
    fn unit_scale(self) -> Self {
        // The exponent's field, and the field of its inverse. The largest would have none that is normal.
        let field = self.to_bits() & (0xff << 23);
        let largest = 252 << 23;
        Self::from_bits((253 << 23) - if field > largest { largest } else { field })
    }
    #[inline(always)]
    fn flip_by(self, by: Self) -> Self {
        Self::from_bits(self.to_bits() ^ (by.to_bits() & (1 << 31)))
    }
    #[inline(always)]
    fn is_negative(self) -> bool {
        self.is_sign_negative()
    }
    #[inline(always)]
    fn is_finite(self) -> bool {
        Self::is_finite(self)
    }
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "rounding is the purpose")]
    fn from_f64(value: f64) -> Self {
        value as Self
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn atan_small(z: Self) -> Self {
        let s = z * z;
        let [c3, c5, c7, c9] = ATAN_F32;
        let p = ((c9 * s + c7) * s + c5) * s + c3;
        z + z * (s * p)
    }
    #[cfg(feature = "glam")]
    #[inline(always)]
    fn transposed(m: [[Self; 4]; 4]) -> [[Self; 4]; 4] {
        glam::Mat4::from_cols_array_2d(&m).transpose().to_cols_array_2d()
    }
    #[cfg(feature = "glam")]
    #[inline(always)]
    fn angles_of_pairs(y: [Self; 3], x: [Self; 3]) -> [Self; 3] {
        crate::quad::angles_of_pairs(y, x)
    }
    #[cfg(feature = "glam")]
    #[inline(always)]
    fn near_of_pairs(
        pairs: ([Self; 3], [Self; 3]),
        weights: (Self, Self),
        proper: bool,
        reference: [Self; 3],
        l2: Self,
    ) -> [Self; 3] {
        crate::quad::near_of_pairs(pairs, weights, proper, reference, l2)
    }
}

impl Real for f64 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    const TWO: Self = 2.0;
    const HALF: Self = 0.5;
    const THIRD: Self = 1.0 / 3.0;
    const EPSILON: Self = Self::EPSILON;
    const MAX: Self = Self::MAX;
    const LEAST: Self = Self::from_bits(1);
    const BLOCK: usize = 32;
    const BY_FOURS: bool = false;
    const DECADES: Self = 300.0;
    const PI: Self = core::f64::consts::PI;
    const HALF_PI: Self = core::f64::consts::FRAC_PI_2;
    // 32 leading bits of pi/4: exact products up to 2^21 eighths of a turn.
    const QUARTER_PI_HIGH: Self = Self::from_bits(0x3fe9_21fb_5440_0000);
    const QUARTER_PI_LOW: Self = 3.038_550_253_153_985e-11;
    const ONE_OVER_PI: Self = core::f64::consts::FRAC_1_PI;
    const TAN_EIGHTH_PI: Self = 0.414_213_562_373_095_03;
    const ROUNDER: Self = 6_755_399_441_055_744.0;
    // 2^50 radians.
    const REFERENCE_LIMIT: Self = 1_125_899_906_842_624.0;

    #[inline(always)]
    fn sqrt(self) -> Self {
        #[cfg(feature = "std")]
        return Self::sqrt(self);
        #[cfg(not(feature = "std"))]
        return libm::sqrt(self);
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self::abs(self)
    }
    #[inline(always)]
    fn unit_scale(self) -> Self {
        // The exponent's field, and the field of its inverse. The largest would have none that is normal.
        let field = self.to_bits() & (0x7ff << 52);
        let largest = 2044 << 52;
        Self::from_bits((2045 << 52) - if field > largest { largest } else { field })
    }
    #[inline(always)]
    fn flip_by(self, by: Self) -> Self {
        Self::from_bits(self.to_bits() ^ (by.to_bits() & (1 << 63)))
    }
    #[inline(always)]
    fn is_negative(self) -> bool {
        self.is_sign_negative()
    }
    #[inline(always)]
    fn is_finite(self) -> bool {
        Self::is_finite(self)
    }
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
    #[inline(always)]
    fn atan_small(z: Self) -> Self {
        let s = z * z;
        let p = -8.750_608_600_031_904e-1;
        let p = p * s - 1.615_753_718_733_365e1;
        let p = p * s - 7.500_855_792_314_704e1;
        let p = p * s - 1.228_866_684_490_136_2e2;
        let p = p * s - 6.485_021_904_942_025e1;
        let q = s + 2.485_846_490_142_306_3e1;
        let q = q * s + 1.650_270_098_316_988_5e2;
        let q = q * s + 4.328_810_604_912_902_6e2;
        let q = q * s + 4.853_903_996_359_137e2;
        let q = q * s + 1.945_506_571_482_614e2;
        z + z * (s * p / q)
    }
}
