//! Single calls in `f32` on registers of four, through glam's `Vec4`: every number is that of the plain code.

use crate::scalar::{ATAN_F32, Real};
use glam::{Vec4, Vec4Swizzles};

/// Second step of the fast path ([`crate::nearest`]): the matrix is held as four columns.
#[inline(always)]
pub(crate) fn fast_powers(k: [f32; 10], s: f32) -> (f32, [f32; 4]) {
    let [xx, yy, zz, ww, xy, xz, yz, xw, yw, zw] = k;
    let first = usize::from(yy > xx);
    let second = 2 + usize::from(ww > zz);
    let (first_value, second_value) = (if yy > xx { yy } else { xx }, if ww > zz { ww } else { zz });
    let columns = [
        Vec4::new(xx + s, xy, xz, xw),
        Vec4::new(xy, yy + s, yz, yw),
        Vec4::new(xz, yz, zz + s, zw),
        Vec4::new(xw, yw, zw, ww + s),
    ];
    let multiply = |q: Vec4| {
        (columns[0] * q.xxxx() + columns[1] * q.yyyy()) + (columns[2] * q.zzzz() + columns[3] * q.wwww())
    };
    let best = if second_value > first_value { second } else { first };
    let a = multiply(columns[best]);
    let squares = a * a;
    let pairs = squares + squares.yxwz();
    ((pairs + pairs.zwxy()).x, multiply(a).to_array())
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
