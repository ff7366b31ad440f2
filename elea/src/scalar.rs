//! The two precisions, and the few operations that the kernels need of them.

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
    /// Quaternions with a largest component outside `1 / LARGE ..= LARGE` are rescaled: squares stay normal.
    const LARGE: Self;
    /// A power of two that brings either side back.
    const RESCALE: Self;

    fn sqrt(self) -> Self;
    fn abs(self) -> Self;
    fn is_finite(self) -> bool;
    fn from_f64(value: f64) -> Self;
    fn to_f64(self) -> f64;
    /// atan(z) for |z| <= tan(pi/8).
    fn atan_small(z: Self) -> Self;
}

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
    // 2^40 and 2^100: the squares of 2^-49 .. 2^40 are normal.
    const LARGE: Self = 1_099_511_627_776.0;
    const RESCALE: Self = Self::from_bits((127 + 100) << 23);

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
        let p = 8.053_744_6e-2 * s - 1.387_768_5e-1;
        let p = p * s + 1.997_771_1e-1;
        let p = p * s - 3.333_295e-1;
        z + z * (s * p)
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
    // 2^300 and 2^800: the squares of 2^-274 .. 2^300 are normal.
    const LARGE: Self = Self::from_bits((1023 + 300) << 52);
    const RESCALE: Self = Self::from_bits((1023 + 800) << 52);

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
