//! Single calls in `f32` on registers of four, through glam's `Vec4`: every number is that of the plain code.

use crate::nearest::{Fast, canonical_sign};
use crate::scalar::{ATAN_F32, Real};
use glam::{Vec4, Vec4Swizzles};

/// The fast path ([`crate::nearest`]) of one matrix, which is held as four columns of K.
#[inline(always)]
pub(crate) fn fast(m: [[f32; 3]; 3]) -> ([f32; 4], bool) {
    let [[m00, m10, m20], [m01, m11, m21], [m02, m12, m22]] = m;
    let (c0, c1, c2) = (
        Vec4::new(m00, m10, m20, 0.0),
        Vec4::new(m01, m11, m21, 0.0),
        Vec4::new(m02, m12, m22, 0.0),
    );
    let rows = c0 * c0 + c1 * c1 + c2 * c2;
    let n2 = rows.x + rows.y + rows.z;
    let s = Real::sqrt(n2 * f32::THIRD);

    let (p, q) = (Vec4::new(m12, m20, m01, 0.0), Vec4::new(m21, m02, m10, 0.0));
    // yz xz xy -, xw yw zw -
    let (symmetric, skew) = (q + p, q - p);
    let (xx, yy, zz, ww) = (m00 - m11 - m22, m11 - m00 - m22, m22 - m00 - m11, m00 + m11 + m22);
    let first = usize::from(yy > xx);
    let second = 2 + usize::from(ww > zz);
    let (first_value, second_value) = (if yy > xx { yy } else { xx }, if ww > zz { ww } else { zz });
    let best = if second_value > first_value { second } else { first };
    let [yz, xz, xy, _] = symmetric.to_array();
    let [xw, yw, zw, _] = skew.to_array();
    let columns = [
        Vec4::new(xx + s, xy, xz, xw),
        Vec4::new(xy, yy + s, yz, yw),
        Vec4::new(xz, yz, zz + s, zw),
        Vec4::new(xw, yw, zw, ww + s),
    ];
    let multiply = |q: Vec4| {
        (columns[0] * q.xxxx() + columns[1] * q.yyyy()) + (columns[2] * q.zzzz() + columns[3] * q.wwww())
    };
    let square = |v: Vec4| {
        let squares = v * v;
        let pairs = squares + squares.yxwz();
        (pairs + pairs.zwxy()).x
    };
    let a = multiply(columns[best]);
    let b = multiply(a);
    let (a2, b2) = (square(a), square(b));
    let accepted = (b2 > a2 * n2 * f32::ACCEPT) & (n2 > f32::NORM2_MIN) & (n2 < f32::NORM2_MAX);
    let q = b * (1.0 / Real::sqrt(b2));
    if q.w == 0.0 {
        return (half_turn_sign(q), accepted);
    }
    (
        (q * Vec4::ONE.copysign(q.wwww()) + Vec4::ZERO).to_array(),
        accepted,
    )
}

#[cold]
#[inline(never)]
fn half_turn_sign(q: Vec4) -> [f32; 4] {
    canonical_sign(q.to_array())
}

/// Three arc tangents ([`crate::trig::atan2_parts`]) side by side.
#[inline(always)]
pub(crate) fn atan2_parts_of_three(y: [f32; 3], x: [f32; 3]) -> ([f32; 3], [f32; 3]) {
    let (y, x) = (Vec4::new(y[0], y[1], y[2], 0.0), Vec4::new(x[0], x[1], x[2], 0.0));
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
    let (k, r) = (Vec4::select(below, -k, k), Vec4::select(below, -r, r));
    (k.truncate().to_array(), r.truncate().to_array())
}
