//! Euler angles from a quaternion: the branch-free kernels.
//!
//! Half sums and half differences of the outer angles are two plain arc tangents (Shoemake, "Euler angle conversion",
//! Graphics Gems IV, has the orders; Bernardes and Viollet, "Quaternion to Euler angles conversion", `PLoS` ONE 2022, the
//! pairs). No arc sine, no threshold: the lock is where one pair vanishes, and the other stays exact there.

use super::order::Frame;
use crate::quaternion::normal_range;
use crate::scalar::{Real, select};
use crate::trig::{angle_from_parts, angles_of_pairs, atan2_parts, atan2_parts_of_three};

/// A quaternion as the kernels take it: w, and the components of the frame's i, j, k; e is -1 for odd frames.
#[inline(always)]
pub(crate) fn components<T: Real>(xyzw: [T; 4], frame: Frame) -> [T; 4] {
    [xyzw[3], xyzw[frame.i], xyzw[frame.j], xyzw[frame.k]]
}

#[inline(always)]
fn round<T: Real>(x: T) -> T {
    (x + T::ROUNDER) - T::ROUNDER
}

/// Squared lengths (P + Q: once or twice that of the quaternion) between these need no scaling: every square stays far from
/// overflow, and those that vanish do so within rounding of the lock.
const NORM2_MIN: f64 = 1.0 / 16.0;
const NORM2_MAX: f64 = 16.0;

#[inline(always)]
fn needs_no_scale<T: Real>(n2: T) -> bool {
    (n2 > T::from_f64(NORM2_MIN)) & (n2 < T::from_f64(NORM2_MAX))
}

/// Three pairs (y, x) whose arc tangents are sigma = (t1 + t3) / 2, delta = (t1 - t3) / 2 (swapped signs aside) and the middle
/// angle, and the squared lengths P and Q of the first two.
struct Pairs<T> {
    y: [T; 3],
    x: [T; 3],
    p: T,
    q: T,
}

#[inline(always)]
fn pairs<T: Real, const PROPER: bool>([w, qi, qj, qk]: [T; 4], e: T) -> Pairs<T> {
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
    Pairs {
        y: [b, d, sine],
        x: [a, c, cosine],
        p,
        q,
    }
}

/// Whether [`fast`] accepts the quaternion.
#[inline(always)]
pub(crate) fn is_usual<T: Real, const PROPER: bool>(wijk: [T; 4], e: T) -> bool {
    let Pairs { p, q, .. } = pairs::<T, PROPER>(wijk, e);
    needs_no_scale(p + q) & (p > T::ZERO) & (q > T::ZERO)
}

/// A quaternion of usable length: the identity where it is zero or not finite.
#[inline(always)]
fn usable<T: Real>(wijk: [T; 4]) -> [T; 4] {
    let q = normal_range(wijk);
    if q == [T::ZERO; 4] {
        [T::ONE, T::ZERO, T::ZERO, T::ZERO]
    } else {
        q
    }
}

/// Canonical angles, and whether they may be used: not for lengths far from 1, nor at an exact lock. `SINGLE`: of one
/// quaternion rather than of lanes of them. `MASKS`: as in [`Work`](crate::lanes::Work), for lanes.
#[inline(always)]
pub(crate) fn fast<T: Real, const PROPER: bool, const SINGLE: bool, const MASKS: bool>(
    wijk: [T; 4],
    e: T,
) -> ([T; 3], bool) {
    let Pairs { y, x, p, q } = pairs::<T, PROPER>(wijk, e);
    let accepted = needs_no_scale(p + q) & (p > T::ZERO) & (q > T::ZERO);
    let angles = if SINGLE {
        T::angles_of_pairs(y, x)
    } else {
        angles_of_pairs::<T, MASKS>(y, x)
    };
    (angles, accepted)
}

/// Canonical angles of any quaternion.
#[cold]
#[inline(never)]
fn at_lock<T: Real, const PROPER: bool>(wijk: [T; 4], e: T) -> [T; 3] {
    let wijk = usable(wijk);
    let (angles, accepted) = fast::<T, PROPER, true, false>(wijk, e);
    if accepted {
        return angles;
    }
    // One pair has no angle, and the other is taken up to a half turn.
    let Pairs { y, x, q, .. } = pairs::<T, PROPER>(wijk, e);
    let sign = select(q > T::ZERO, -T::ONE, T::ONE);
    let pair = usize::from(q > T::ZERO);
    let (mut k, r) = atan2_parts(y[pair], x[pair]);
    let (four, v) = (T::TWO + T::TWO, angle_from_parts(k, r));
    if v > T::HALF_PI {
        k = k - four;
    } else if v <= -T::HALF_PI {
        k = k + four;
    }
    let (middle_k, middle_r) = atan2_parts(y[2], x[2]);
    let v = angle_from_parts(k, r);
    [v, angle_from_parts(middle_k, middle_r), sign * v]
}

/// Canonical angles.
#[inline(always)]
pub(crate) fn canonical<T: Real, const PROPER: bool>(wijk: [T; 4], e: T) -> [T; 3] {
    let (angles, accepted) = fast::<T, PROPER, true, false>(wijk, e);
    if accepted {
        angles
    } else {
        at_lock::<T, PROPER>(wijk, e)
    }
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

/// Angles near a reference, and whether they may be used: not for lengths far from 1. `SINGLE` and `MASKS` as in [`fast`].
#[inline(always)]
pub(crate) fn near_fast<T: Real, const PROPER: bool, const SINGLE: bool, const MASKS: bool>(
    wijk: [T; 4],
    e: T,
    reference: [T; 3],
    tolerance: T,
) -> ([T; 3], bool) {
    let [r1, r2, r3] = reference;
    let reference = [usable_reference(r1), usable_reference(r2), usable_reference(r3)];
    let Pairs { y, x, p, q } = pairs::<T, PROPER>(wijk, e);
    let accepted = needs_no_scale(p + q);
    // P and Q add up to the quaternion's squared length in proper orders, to twice that in the others.
    let n2 = select(PROPER, p + q, (p + q) * T::HALF);
    let tolerance = usable_tolerance(tolerance);
    let l2 = (tolerance * tolerance) * n2;
    let angles = if SINGLE {
        T::near_of_pairs((y, x), (p, q), PROPER, reference, l2)
    } else {
        near_of_pairs::<T, MASKS>((y, x), (p, q), PROPER, reference, l2)
    };
    (angles, accepted)
}

/// The angles nearest to a reference from [`Pairs`]; `l2` is the squared tolerance at the quaternion's length.
#[inline(always)]
pub(crate) fn near_of_pairs<T: Real, const MASKS: bool>(
    (y, x): ([T; 3], [T; 3]),
    (p, q): (T, T),
    proper: bool,
    [r1, r2, r3]: [T; 3],
    l2: T,
) -> [T; 3] {
    let four = T::TWO + T::TWO;
    let eight = four + four;
    let [sigma, delta, middle] = atan2_parts_of_three::<T, MASKS>(y, x);
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
    let partner = nearest_middle((select(proper, T::ZERO, four) - middle.0, -middle.1));
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
            select(far, far_middle.0, near_middle.0) + T::ZERO,
            select(far, far_middle.1, near_middle.1) + T::ZERO,
        ),
        angle_from_parts(sigma_k - delta_k, rs - rd),
    ]
}

/// Angles near a reference of any quaternion.
#[cold]
#[inline(never)]
fn near_any<T: Real, const PROPER: bool>(wijk: [T; 4], e: T, reference: [T; 3], tolerance: T) -> [T; 3] {
    near_fast::<T, PROPER, true, false>(usable(wijk), e, reference, tolerance).0
}

/// Angles near a reference.
#[inline(always)]
pub(crate) fn near<T: Real, const PROPER: bool>(
    wijk: [T; 4],
    e: T,
    reference: [T; 3],
    tolerance: T,
) -> [T; 3] {
    let (angles, accepted) = near_fast::<T, PROPER, true, false>(wijk, e, reference, tolerance);
    if accepted {
        angles
    } else {
        near_any::<T, PROPER>(wijk, e, reference, tolerance)
    }
}
