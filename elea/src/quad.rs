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

    // yz xz xy, xw yw zw
    let (p, q) = (Vec4::new(m21, m02, m10, m10), Vec4::new(m12, m20, m01, m01));
    let (symmetric, skew) = (p + q, p - q);
    let [yz, xz, xy, _] = symmetric.to_array();
    let [xw, yw, zw, _] = skew.to_array();
    let by_yxwz = Vec4::new(xy, xy, zw, zw);
    let by_zwxy = Vec4::new(xz, yw, xz, yw);
    let by_wzyx = Vec4::new(xw, yz, yz, xw);
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
    let square = |v: Vec4| {
        let squares = v * v;
        let pairs = squares + squares.yxwz();
        pairs.x + pairs.z
    };
    let a = multiply(q0);
    let b = multiply(a);
    let (a2, b2) = (square(a), square(b));
    let accepted = (b2 > a2 * n2 * f32::ACCEPT) & (n2 > f32::NORM2_MIN) & (n2 < f32::NORM2_MAX);
    // The sign waits for no root.
    let q = (b * Vec4::ONE.copysign(b.wwww())) * (1.0 / Real::sqrt(b2)) + Vec4::ZERO;
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

/// Three arc tangents ([`crate::trig::atan2_parts`]) side by side, as k and r.
#[inline(always)]
fn atan2_parts(y: Vec4, x: Vec4) -> (Vec4, Vec4) {
    let (ay, ax) = (y.abs(), x.abs());
    let steep = ay.cmpgt(ax);
    let (small, large) = (Vec4::select(steep, ax, ay), Vec4::select(steep, ay, ax));
    let high = small.cmpgt(f32::TAN_EIGHTH_PI * large);
    let numerator = Vec4::select(high, small - large, small);
    let denominator = Vec4::select(high, small + large, large);
    let denominator = Vec4::select(denominator.cmpgt(Vec4::ZERO), denominator, Vec4::ONE);
    let z = numerator / denominator;
    let s = z * z;
    let [c3, c5, c7, c9] = ATAN_F32.map(Vec4::splat);
    let r = z + z * (s * (((c9 * s + c7) * s + c5) * s + c3));
    let two = Vec4::splat(2.0);
    let k = Vec4::select(high, Vec4::ONE, Vec4::ZERO);
    let (k, r) = (Vec4::select(steep, two - k, k), Vec4::select(steep, -r, r));
    let left = x.cmplt(Vec4::ZERO);
    let (k, r) = (
        Vec4::select(left, Vec4::splat(4.0) - k, k),
        Vec4::select(left, -r, r),
    );
    let below = y.cmplt(Vec4::ZERO);
    (Vec4::select(below, -k, k), Vec4::select(below, -r, r))
}

/// [`atan2_parts`] of arrays.
#[inline(always)]
pub(crate) fn atan2_parts_of_three(y: [f32; 3], x: [f32; 3]) -> [(f32, f32); 3] {
    let (k, r) = atan2_parts(Vec4::new(y[0], y[1], y[2], 0.0), Vec4::new(x[0], x[1], x[2], 0.0));
    [(k.x, r.x), (k.y, r.y), (k.z, r.z)]
}

/// [`crate::trig::angles_of_pairs`].
#[inline(always)]
pub(crate) fn angles_of_pairs(y: [f32; 3], x: [f32; 3]) -> [f32; 3] {
    let (k, r) = atan2_parts(Vec4::new(y[0], y[1], y[2], 0.0), Vec4::new(x[0], x[1], x[2], 0.0));
    // sigma + delta, middle + 0, sigma - delta
    let signs = Vec4::new(1.0, 0.0, -1.0, 0.0);
    let combined = |v: Vec4| v.xzxw() + v.yyyy() * signs;
    let (k, r) = (combined(k), combined(r));
    let angle = |k: Vec4| k * f32::QUARTER_PI_HIGH + (k * f32::QUARTER_PI_LOW + r);
    let v = angle(k);
    let eight = Vec4::splat(8.0);
    let (over, under) = (v.cmpgt(Vec4::splat(f32::PI)), v.cmple(Vec4::splat(-f32::PI)));
    let turn = Vec4::select(over, -eight, Vec4::select(under, eight, Vec4::ZERO));
    angle(k + turn).truncate().to_array()
}
