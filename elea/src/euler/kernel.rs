//! Euler angles from a quaternion: the branch-free kernels.
//!
//! Half sums and half differences of the outer angles are two plain arc tangents (Shoemake, "Euler angle conversion",
//! Graphics Gems IV, has the orders; Bernardes and Viollet, "Quaternion to Euler angles conversion", `PLoS` ONE 2022, the
//! pairs). No arc sine, no threshold: the lock is where one pair vanishes, and the other stays exact there.

use super::order::Frame;
use crate::quaternion::normal_range;
use crate::scalar::{Real, select};
use crate::trig::{angle_from_parts, atan2_parts};

/// A quaternion as the kernels take it: w, and the components of the frame's i, j, k; e is -1 for odd frames.
#[inline(always)]
pub(crate) fn components<T: Real>(xyzw: [T; 4], frame: Frame) -> [T; 4] {
    [xyzw[3], xyzw[frame.i], xyzw[frame.j], xyzw[frame.k]]
}

#[inline(always)]
fn round<T: Real>(x: T) -> T {
    (x + T::ROUNDER) - T::ROUNDER
}

/// The solution before the choice of turns: sigma = (t1 + t3) / 2 and delta = (t1 - t3) / 2 (swapped signs aside) as
/// parts, the middle angle as parts, and the squared weights P of sigma and Q of delta.
struct Pairs<T> {
    sigma: (T, T),
    delta: (T, T),
    middle: (T, T),
    p: T,
    q: T,
}

/// Whether [`normal_range`] would change nothing, as it is for unit quaternions: all below 1, one not below 1/2.
#[inline(always)]
fn is_usual<T: Real>(wijk: [T; 4]) -> bool {
    let [w, i, j, k] = wijk.map(T::abs);
    let below = w < T::ONE && i < T::ONE && j < T::ONE && k < T::ONE;
    below && (w >= T::HALF || i >= T::HALF || j >= T::HALF || k >= T::HALF)
}

/// `SINGLE`: one quaternion rather than lanes of them; the three arc tangents then go side by side.
#[inline(always)]
fn pairs<T: Real, const PROPER: bool, const SINGLE: bool>(wijk: [T; 4], e: T) -> Pairs<T> {
    // A branch that is foreseen takes the scaling out of the chain of a single call. Between 1/2 and 1 the scale is 1.
    let [w, qi, qj, qk] = if SINGLE && is_usual(wijk) {
        wijk
    } else {
        normal_range(wijk)
    };
    let (ej, ek) = (e * qj, e * qk);
    let [a, b, c, d] = if PROPER {
        [w, qi, qj, ek]
    } else {
        [w + ej, qi + qk, w - ej, qi - qk]
    };
    let p = a * a + b * b;
    let q = c * c + d * d;
    let root = (p * q).sqrt();
    let (sine, cosine) = if PROPER {
        (T::TWO * root, p - q)
    } else {
        (e * (T::TWO * (w * ej + qi * qk)), root)
    };
    let (k, r) = if SINGLE {
        T::atan2_parts_of_three([b, d, sine], [a, c, cosine])
    } else {
        let s = atan2_parts(b, a);
        let d = atan2_parts(d, c);
        let m = atan2_parts(sine, cosine);
        ([s.0, d.0, m.0], [s.1, d.1, m.1])
    };
    Pairs {
        sigma: (k[0], r[0]),
        delta: (k[1], r[1]),
        middle: (k[2], r[2]),
        p,
        q,
    }
}

/// k eighths of a turn and r, brought to (-pi, pi].
#[inline(always)]
fn wrapped<T: Real>(k: T, r: T) -> T {
    let eight = T::ONE / (T::HALF * T::HALF * T::HALF);
    let v = angle_from_parts(k, r);
    let turn = select(v > T::PI, -eight, select(v <= -T::PI, eight, T::ZERO));
    angle_from_parts(k + turn, r)
}

/// How many eighths bring sigma or delta alone to (-pi/2, pi/2].
#[inline(always)]
fn half_turn<T: Real>((k, r): (T, T)) -> T {
    let four = T::TWO + T::TWO;
    let v = angle_from_parts(k, r);
    select(v > T::HALF_PI, -four, select(v <= -T::HALF_PI, four, T::ZERO))
}

#[inline(always)]
pub(crate) fn canonical<T: Real, const PROPER: bool, const SINGLE: bool>(wijk: [T; 4], e: T) -> [T; 3] {
    let Pairs {
        sigma: (sigma_k, sigma_r),
        delta: (delta_k, delta_r),
        middle,
        p,
        q,
    } = pairs::<T, PROPER, SINGLE>(wijk, e);
    // At an exact lock one pair has no angle, and the other is taken up to a half turn.
    let (sigma_k, delta_k) = if SINGLE && p != T::ZERO && q != T::ZERO {
        // As below: adding zero clears the sign of a zero.
        (sigma_k + T::ZERO, delta_k + T::ZERO)
    } else {
        // By products: a choice of values that are only wanted here would be compiled to branches.
        let no_sigma = select(p == T::ZERO, T::ONE, T::ZERO);
        let no_delta = select(q == T::ZERO, T::ONE, T::ZERO);
        (
            sigma_k + no_delta * half_turn((sigma_k, sigma_r)),
            delta_k + no_sigma * half_turn((delta_k, delta_r)),
        )
    };
    [
        wrapped(sigma_k + delta_k, sigma_r + delta_r),
        angle_from_parts(middle.0, middle.1),
        wrapped(sigma_k - delta_k, sigma_r - delta_r),
    ]
}

/// A tolerance below this many roundings counts as this many.
const TOLERANCE_ROUNDINGS: f64 = 4.0;

/// The tolerance that is used: between 4 roundings and 1.
#[inline(always)]
pub(crate) fn usable_tolerance<T: Real>(tolerance: T) -> T {
    let least = T::from_f64(TOLERANCE_ROUNDINGS) * T::EPSILON;
    let t = select(tolerance > least, tolerance, least);
    select(t < T::ONE, t, T::ONE)
}

/// The reference that is used: NaN as 0, and no more than the limit.
#[inline(always)]
fn usable_reference<T: Real>(r: T) -> T {
    let r = select(r.abs() >= T::ZERO, r, T::ZERO);
    let r = select(r > T::REFERENCE_LIMIT, T::REFERENCE_LIMIT, r);
    select(r < -T::REFERENCE_LIMIT, -T::REFERENCE_LIMIT, r)
}

#[inline(always)]
pub(crate) fn near<T: Real, const PROPER: bool, const SINGLE: bool>(
    wijk: [T; 4],
    e: T,
    reference: [T; 3],
    tolerance: T,
) -> [T; 3] {
    let four = T::TWO + T::TWO;
    let eight = four + four;
    let [r1, r2, r3] = reference;
    let (r1, r2, r3) = (usable_reference(r1), usable_reference(r2), usable_reference(r3));
    let Pairs {
        sigma,
        delta,
        middle,
        p,
        q,
    } = pairs::<T, PROPER, SINGLE>(wijk, e);
    // The shares of a unit quaternion. P and Q add up to its squared length in proper orders, to twice that in the others.
    let n2 = select(PROPER, p + q, (p + q) * T::HALF);
    let inverse = T::ONE / select(n2 > T::ZERO, n2, T::ONE);
    let (p, q) = (p * inverse, q * inverse);
    let tolerance = usable_tolerance(tolerance);
    let l2 = tolerance * tolerance;

    let sigma_reference = (r1 + r3) * T::HALF;
    let delta_reference = (r1 - r3) * T::HALF;
    let nearest_turn = |(k, r): (T, T), reference: T| {
        let m = round((reference - angle_from_parts(k, r)) * T::ONE_OVER_PI);
        let k = k + four * m;
        (
            m,
            k,
            (k * T::QUARTER_PI_HIGH - reference) + (k * T::QUARTER_PI_LOW + r),
        )
    };
    let (m, sigma_k, ds) = nearest_turn(sigma, sigma_reference);
    let (n, delta_k, dd) = nearest_turn(delta, delta_reference);
    let nearest_middle = |(k, r): (T, T)| {
        let turns = round((r2 - angle_from_parts(k, r)) * (T::ONE_OVER_PI * T::HALF));
        let k = k + eight * turns;
        (k, r, (k * T::QUARTER_PI_HIGH - r2) + (k * T::QUARTER_PI_LOW + r))
    };
    let same = nearest_middle(middle);
    let partner = nearest_middle((if PROPER { -middle.0 } else { four - middle.0 }, -middle.1));
    let sum = m + n;
    let odd = (sum - T::TWO * round(sum * T::HALF)) != T::ZERO;
    let near_middle = (
        select(odd, partner.0, same.0),
        select(odd, partner.1, same.1),
        select(odd, partner.2, same.2),
    );
    let far_middle = (select(odd, same.0, partner.0), select(odd, same.1, partner.1));
    let far_distance = select(odd, same.2, partner.2);

    // Moving sigma or delta by pi toward the reference's other side costs this much more.
    let us = p / (p + l2);
    let ud = q / (q + l2);
    let cost = |u: T, d: T| u * (T::PI * (T::PI - T::TWO * d.abs()));
    let (cost_s, cost_d) = (cost(us, ds), cost(ud, dd));
    let move_sigma = cost_s < cost_d;
    let extra = T::TWO * select(move_sigma, cost_s, cost_d);
    let near_cost = near_middle.2 * near_middle.2;
    let far = far_distance * far_distance + extra < near_cost;
    let step = |d: T| select(d > T::ZERO, -four, four);
    let sigma_step = select(far & move_sigma, step(ds), T::ZERO);
    let delta_step = select(far & !move_sigma, step(dd), T::ZERO);
    let (sigma_k, delta_k) = (sigma_k + sigma_step, delta_k + delta_step);
    let quarter = T::HALF * T::HALF;
    let ds = ds + sigma_step * (quarter * T::PI);
    let dd = dd + delta_step * (quarter * T::PI);

    // Near the lock only one combination of the outer angles matters: the other goes to the reference, without a jump.
    let l4 = l2 * l2;
    let pull_s = ds * (l4 / (p * p + l4));
    let pull_d = dd * (l4 / (q * q + l4));
    let (rs, rd) = (sigma.1 - pull_s, delta.1 - pull_d);
    [
        angle_from_parts(sigma_k + delta_k, rs + rd),
        angle_from_parts(
            select(far, far_middle.0, near_middle.0),
            select(far, far_middle.1, near_middle.1),
        ),
        angle_from_parts(sigma_k - delta_k, rs - rd),
    ]
}
