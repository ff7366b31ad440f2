//! Single calls in `f32` on registers of four, through glam's `Vec4`: every number is that of the plain code.

use crate::nearest::{Fast, canonical_sign};
use crate::scalar::{ATAN_F32, Real};
use glam::{Vec4, Vec4Swizzles};

/// Which lanes of the four parts of K + s I (see [`fast`]) are its column x, y, z or w.
const COLUMNS: [[Vec4; 4]; 4] = [
    [Vec4::X, Vec4::Y, Vec4::Z, Vec4::W],
    [Vec4::Y, Vec4::X, Vec4::W, Vec4::Z],
    [Vec4::Z, Vec4::W, Vec4::X, Vec4::Y],
    [Vec4::W, Vec4::Z, Vec4::Y, Vec4::X],
];

/// The fast path ([`crate::nearest`]) of one matrix. The product of K + s I and q is taken as the sum of four: of the diagonal
/// with q, and of three registers of other elements with q in the orders yxwz, zwxy and wzyx.
#[inline(always)]
pub(crate) fn fast(m: [[f32; 3]; 3]) -> ([f32; 4], bool) {
    let [[m00, m10, m20], [m01, m11, m21], [m02, m12, m22]] = m;
    let (head, tail) = (Vec4::new(m00, m10, m20, m01), Vec4::new(m11, m21, m02, m12));
    let squares = head * head + tail * tail;
    let pairs = squares + squares.yxwz();
    let n2 = (pairs.x + pairs.z) + m22 * m22;
    let s = Real::sqrt(n2 * f32::THIRD);

    // xz yz xy, yw xw zw
    let (p, q) = (Vec4::new(m02, m21, m10, m10), Vec4::new(m20, m12, m01, m01));
    let (symmetric, skew) = (p + q, p - q);
    let by_yxwz = Vec4::new(symmetric.z, symmetric.z, skew.z, skew.z);
    let pairs = Vec4::new(symmetric.x, skew.x, symmetric.y, skew.y);
    let (by_zwxy, by_wzyx) = (pairs.xyxy(), pairs.wzzw());
    let sums = Vec4::splat(m00) * Vec4::new(1.0, -1.0, -1.0, 1.0)
        + Vec4::splat(m11) * Vec4::new(-1.0, 1.0, -1.0, 1.0);
    let diagonal = (Vec4::splat(s) + Vec4::splat(m22) * Vec4::new(-1.0, -1.0, 1.0, 1.0)) + sums;
    // Bits: m00 - m11, its opposite, -(m00 + m11), its opposite.
    let signs = sums.is_negative_bitmask() as usize;
    let column = if m22.is_negative() {
        signs & 1
    } else {
        3 - (signs >> 3)
    };
    let [e0, e1, e2, e3] = COLUMNS[column & 3];
    let q0 = (diagonal * e0 + by_yxwz * e1) + (by_zwxy * e2 + by_wzyx * e3);
    let multiply = |q: Vec4| (diagonal * q + by_yxwz * q.yxwz()) + (by_zwxy * q.zwxy() + by_wzyx * q.wzyx());
    let a = multiply(q0);
    let b = multiply(a);
    // Both squared lengths at once.
    let (a_squares, b_squares) = (a * a, b * b);
    let halves = Vec4::new(b_squares.x, a_squares.x, b_squares.y, a_squares.y)
        + Vec4::new(b_squares.z, a_squares.z, b_squares.w, a_squares.w);
    let [b2, a2, ..] = (halves + halves.zwxy()).to_array();
    let accepted = b2 > a2 * n2 * f32::ACCEPT && n2 > f32::NORM2_MIN && n2 < f32::NORM2_MAX;
    let q = b * (1.0_f32.copysign(b.w) / Real::sqrt(b2)) + Vec4::ZERO;
    if q.w == 0.0 {
        return (half_turn_sign(q), accepted);
    }
    (q.to_array(), accepted)
}

#[cold]
#[inline(never)]
fn half_turn_sign(q: Vec4) -> [f32; 4] {
    canonical_sign(q.to_array())
}

/// Three arc tangents ([`crate::trig::atan2_parts`]) side by side, as k and r. Choices are products with signs and masked sums:
/// plain SSE has no instruction that chooses.
#[inline(always)]
fn atan2_parts(y: Vec4, x: Vec4) -> (Vec4, Vec4) {
    let sign = |v: Vec4| Vec4::ONE.copysign(v);
    let (ay, ax) = (y.abs(), x.abs());
    let (small, large) = (ax.min(ay), ax.max(ay));
    let high = small.cmpgt(f32::TAN_EIGHTH_PI * large);
    let numerator = small - Vec4::select(high, large, Vec4::ZERO);
    let denominator = large + Vec4::select(high, small, Vec4::ZERO);
    // Not below the smallest denormal: 0 / 0 would be NaN.
    let z = numerator / denominator.max(Vec4::splat(f32::LEAST));
    let s = z * z;
    let [c3, c5, c7, c9] = ATAN_F32.map(Vec4::splat);
    let r = z + z * (s * (((c9 * s + c7) * s + c5) * s + c3));
    let k = Vec4::select(high, Vec4::ONE, Vec4::ZERO);
    // -1 where |y| > |x|, where x < 0, where y < 0. Adding zero clears the sign of a zero.
    let (steep, left, below) = (sign(ax - ay), sign(x + Vec4::ZERO), sign(y + Vec4::ZERO));
    let k = (k * steep + (Vec4::ONE - steep)) * left + 2.0 * (Vec4::ONE - left);
    (k * below, r * (steep * left * below))
}

#[inline(always)]
fn three([a, b, c]: [f32; 3]) -> Vec4 {
    Vec4::new(a, b, c, 0.0)
}

/// x + y, z, x - y.
#[inline(always)]
fn combined(v: Vec4) -> Vec4 {
    // A comparison, as the type of masks has another name in glam's scalar builds.
    let outer = Vec4::new(1.0, 0.0, 1.0, 0.0).cmpgt(Vec4::ZERO);
    v.xzxw() + Vec4::select(outer, v.yyyy(), Vec4::ZERO) * Vec4::new(1.0, 1.0, -1.0, 1.0)
}

/// [`crate::trig::angle_from_parts`]
#[inline(always)]
fn angle_from_parts(k: Vec4, r: Vec4) -> Vec4 {
    k * f32::QUARTER_PI_HIGH + (k * f32::QUARTER_PI_LOW + r)
}

/// [`crate::trig::angles_of_pairs`]
#[inline(always)]
pub(crate) fn angles_of_pairs(y: [f32; 3], x: [f32; 3]) -> [f32; 3] {
    let (k, r) = atan2_parts(three(y), three(x));
    let (k, r) = (combined(k), combined(r));
    let v = angle_from_parts(k, r);
    let eight = Vec4::splat(8.0);
    let (over, under) = (v.cmpgt(Vec4::splat(f32::PI)), v.cmple(Vec4::splat(-f32::PI)));
    let turn = Vec4::select(over, -eight, Vec4::ZERO) + Vec4::select(under, eight, Vec4::ZERO);
    angle_from_parts(k + turn, r).truncate().to_array()
}

/// [`crate::euler::kernel::near_of_pairs`]
#[inline(always)]
pub(crate) fn near_of_pairs(
    (y, x): ([f32; 3], [f32; 3]),
    (p, q): (f32, f32),
    proper: bool,
    reference: [f32; 3],
    l2: f32,
) -> [f32; 3] {
    let partner = Vec4::W.cmpgt(Vec4::ZERO);
    let round = |v: Vec4| (v + f32::ROUNDER) - f32::ROUNDER;
    let [r1, r2, r3] = reference;
    let reference = Vec4::new((r1 + r3) * 0.5, (r1 - r3) * 0.5, r2, r2);
    // sigma, delta, the middle angle and its partner.
    let (k, r) = atan2_parts(three(y), three(x));
    let (k, r) = (k.xyzz(), r.xyzz());
    let base = if proper { 0.0 } else { 4.0 };
    let k = Vec4::select(partner, Vec4::splat(base) - k, k);
    let r = Vec4::select(partner, -r, r);
    const HALF: f32 = 0.5 * f32::ONE_OVER_PI;
    let inverse_turn = Vec4::new(f32::ONE_OVER_PI, f32::ONE_OVER_PI, HALF, HALF);
    let turns = round((reference - angle_from_parts(k, r)) * inverse_turn);
    let k = k + Vec4::new(4.0, 4.0, 8.0, 8.0) * turns;
    let distance = (k * f32::QUARTER_PI_HIGH - reference) + (k * f32::QUARTER_PI_LOW + r);

    // An odd number of half turns swaps the middle angle with its partner.
    let half_turns = turns.xxxx() + turns.yyyy();
    let odd = (half_turns - 2.0 * round(half_turns * 0.5)).cmpne(Vec4::ZERO);
    let swapped = |v: Vec4| Vec4::select(odd, v.xywz(), v);
    let (k, r, distance) = (swapped(k), swapped(r), swapped(distance));

    let weights = Vec4::new(p, q, 1.0, 1.0);
    let costs = weights / (weights + l2) * (f32::PI * (f32::PI - 2.0 * distance.abs()));
    let move_sigma = costs.x < costs.y;
    let extra = 2.0 * if move_sigma { costs.x } else { costs.y };
    let far = distance.w * distance.w + extra < distance.z * distance.z;
    let (mut k, mut r, mut distance) = (k, r, distance);
    if far {
        let moved = if move_sigma { Vec4::X } else { Vec4::Y };
        let step = Vec4::select(distance.cmpgt(Vec4::ZERO), Vec4::splat(-4.0), Vec4::splat(4.0)) * moved;
        k = (k + step).xyww();
        r = r.xyww();
        distance += step * (0.25 * f32::PI);
    }
    let l4 = l2 * l2;
    let pull = distance * (Vec4::splat(l4) / (weights * weights + l4));
    let outer = Vec4::new(1.0, 1.0, 0.0, 0.0).cmpgt(Vec4::ZERO);
    let r = Vec4::select(outer, r - pull, r);
    angle_from_parts(combined(k), combined(r)).truncate().to_array()
}
