//! Own sine, cosine and arc tangent: the same bits with `std` and with `libm`, and loops over them vectorise.

use crate::scalar::{Real, select};

/// atan2(y, x) as (k, r): the angle is k pi/4 + r, k an integer in -4..=4, |r| <= pi/8.
///
/// Kept apart so that sums of angles round once, at the end. atan2(0, 0) = 0, and the sign of a zero does not count:
/// negating both arguments changes k by exactly 4 and leaves r.
#[inline(always)]
pub(crate) fn atan2_parts<T: Real>(y: T, x: T) -> (T, T) {
    let (ay, ax) = (y.abs(), x.abs());
    let steep = ay > ax;
    let (small, large) = (select(steep, ax, ay), select(steep, ay, ax));
    let high = small > T::TAN_EIGHTH_PI * large;
    // tan(t - pi/4) = (tan t - 1) / (tan t + 1)
    let numerator = select(high, small - large, small);
    let denominator = select(high, small + large, large);
    let denominator = select(denominator > T::ZERO, denominator, T::ONE);
    let r = T::atan_small(numerator / denominator);
    let k = select(high, T::ONE, T::ZERO);
    let (k, r) = (select(steep, T::TWO - k, k), select(steep, -r, r));
    let left = x < T::ZERO;
    let (k, r) = (select(left, T::TWO + T::TWO - k, k), select(left, -r, r));
    let below = y < T::ZERO;
    (select(below, -k, k), select(below, -r, r))
}

/// [`atan2_parts`], the same bits: products with signs and masked sums instead of choices, which are compiled to branches that
/// nobody foresees in single calls, and to slow instructions for AVX2.
#[inline(always)]
pub(crate) fn atan2_parts_by_signs<T: Real>(y: T, x: T) -> (T, T) {
    let (ay, ax) = (y.abs(), x.abs());
    let (small, large) = (select(ax < ay, ax, ay), select(ax > ay, ax, ay));
    let high = select(small > T::TAN_EIGHTH_PI * large, T::ONE, T::ZERO);
    let (numerator, denominator) = (small - high * large, large + high * small);
    // Not below the smallest denormal: 0 / 0 would be NaN.
    let r = T::atan_small(numerator / select(denominator > T::LEAST, denominator, T::LEAST));
    // -1 where |y| > |x|, where x < 0, where y < 0. Adding zero clears the sign of a zero.
    let (steep, left, below) = (
        T::ONE.flip_by(ax - ay),
        T::ONE.flip_by(x + T::ZERO),
        T::ONE.flip_by(y + T::ZERO),
    );
    let k = (high * steep + (T::ONE - steep)) * left + T::TWO * (T::ONE - left);
    (k * below, r * (steep * left * below))
}

/// k pi/4 + r, rounded once.
#[inline(always)]
pub(crate) fn angle_from_parts<T: Real>(k: T, r: T) -> T {
    k * T::QUARTER_PI_HIGH + (k * T::QUARTER_PI_LOW + r)
}

/// Three arc tangents; `MASKS`: the CPU chooses by masks at no cost.
#[inline(always)]
pub(crate) fn atan2_parts_of_three<T: Real, const MASKS: bool>(y: [T; 3], x: [T; 3]) -> [(T, T); 3] {
    if !MASKS {
        [
            atan2_parts_by_signs(y[0], x[0]),
            atan2_parts_by_signs(y[1], x[1]),
            atan2_parts_by_signs(y[2], x[2]),
        ]
    } else {
        [
            atan2_parts(y[0], x[0]),
            atan2_parts(y[1], x[1]),
            atan2_parts(y[2], x[2]),
        ]
    }
}

/// k eighths of a turn and r, brought to (-pi, pi].
#[inline(always)]
fn wrapped<T: Real>(k: T, r: T) -> T {
    let four = T::TWO + T::TWO;
    let eight = four + four;
    let v = angle_from_parts(k, r);
    let (over, under) = (
        select(v > T::PI, eight, T::ZERO),
        select(v <= -T::PI, eight, T::ZERO),
    );
    angle_from_parts(k + (under - over), r)
}

/// Of the arc tangents sigma, delta and middle of three pairs: sigma + delta and sigma - delta in (-pi, pi], middle between them.
#[inline(always)]
pub(crate) fn angles_of_pairs<T: Real, const MASKS: bool>(y: [T; 3], x: [T; 3]) -> [T; 3] {
    let [sigma, delta, middle] = atan2_parts_of_three::<T, MASKS>(y, x);
    [
        wrapped(sigma.0 + delta.0, sigma.1 + delta.1),
        angle_from_parts(middle.0 + T::ZERO, middle.1 + T::ZERO),
        wrapped(sigma.0 - delta.0, sigma.1 - delta.1),
    ]
}

/// atan2(y, x), 0 at (0, 0).
pub(crate) fn atan2<T: Real>(y: T, x: T) -> T {
    let (k, r) = atan2_parts(y, x);
    angle_from_parts(k, r)
}

/// Above this many radians the angle is first reduced by the remainder of 2 pi as `f64` has it.
const PLAIN_REDUCTION_LIMIT: f64 = 1.0e6;

/// (sin x, cos x), to about 1 unit in the last place of `f64`.
///
/// Beyond 1e6 radians the answer is that of an angle less than half a unit in the last place away. (0, 1) for NaN and
/// the infinities.
pub(crate) fn sin_cos(x: f64) -> (f64, f64) {
    if !x.is_finite() {
        return (0.0, 1.0);
    }
    // pi/2 in three parts, the first two of 33 bits: exact products with k < 2^20 (fdlibm's).
    const PIO2_1: f64 = 1.570_796_326_734_125_6;
    const PIO2_2: f64 = 6.077_100_506_303_966e-11;
    const PIO2_3: f64 = 2.022_266_248_795_950_7e-21;
    let x = if x.abs() > PLAIN_REDUCTION_LIMIT {
        x % core::f64::consts::TAU
    } else {
        x
    };
    let k = (x * core::f64::consts::FRAC_2_PI + f64::ROUNDER) - f64::ROUNDER;
    let head = x - k * PIO2_1;
    let middle = k * PIO2_2;
    let r = head - middle;
    let tail = ((head - r) - middle) - k * PIO2_3;
    let r_full = r + tail;
    let tail = (r - r_full) + tail;
    let (s, c) = sin_cos_small(r_full, tail);
    #[allow(
        clippy::cast_possible_truncation,
        reason = "an integer below 2^21 in magnitude"
    )]
    match (k as i64) & 3 {
        0 => (s, c),
        1 => (c, -s),
        2 => (-s, -c),
        _ => (-c, s),
    }
}

/// (sin, cos) of x + tail for |x| <= pi/4: fdlibm's kernels (Sun Microsystems, 1993).
fn sin_cos_small(x: f64, tail: f64) -> (f64, f64) {
    let z = x * x;
    let r = 8.333_333_333_322_49e-3
        + z * (-1.984_126_982_985_795e-4
            + z * (2.755_731_370_707_006_8e-6
                + z * (-2.505_076_025_340_686_3e-8 + z * 1.589_690_995_211_55e-10)));
    let v = z * x;
    let sin = x - ((z * (0.5 * tail - v * r) - tail) - v * -1.666_666_666_666_663_2e-1);
    let r = z
        * (4.166_666_666_666_66e-2
            + z * (-1.388_888_888_887_411e-3
                + z * (2.480_158_728_947_673e-5
                    + z * (-2.755_731_435_139_066_3e-7
                        + z * (2.087_572_321_298_175e-9 + z * -1.135_964_755_778_819_5e-11)))));
    let hz = 0.5 * z;
    let w = 1.0 - hz;
    let cos = w + (((1.0 - w) - hz) + (z * r - x * tail));
    (sin, cos)
}
