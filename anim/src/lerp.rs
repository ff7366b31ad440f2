//! Interpolation of eight joints at once.

#![allow(
    clippy::needless_range_loop,
    reason = "components of several arrays in step; iterators would hide which"
)]

use crate::simd::Simd;

/// u(f, d) - f = f (f - 1/2) (f - 1) * sum `CORRECTION[i][j] (1 - d)^(i + 1) (f - 1/2)^2j` makes the normalised
/// lerp at `u` point where slerp points at `f`; d is the dot product of the two quaternions, 0..=1.
///
/// A fit over all angles and fractions that minimises the largest angle: 9.3e-6 rad (plain normalised lerp:
/// 0.14). The form (a cubic with zeros at 0, 1/2 and 1, where both agree) is that of Arseny Kapoulkine's
/// "Approximating slerp" (zeux.io, 2015); the coefficients are our own.
const CORRECTION: [[f32; 4]; 4] = [
    [0.662_346_8, 0.025_035_43, -0.255_311_57, 0.129_928_25],
    [0.160_661_68, 0.427_030_3, 1.382_524_2, 0.169_804_12],
    [-0.016_625_52, 0.286_603_5, -1.821_271_7, -2.416_964],
    [0.051_876_95, 0.118_213_37, 1.434_419_1, 3.541_121],
];

/// The part of the correction that depends on the fraction alone: coefficients of the powers of 1 - d.
#[inline]
pub(crate) fn correction(fraction: f32) -> [f32; 4] {
    let centred = fraction - 0.5;
    let square = centred * centred;
    let zeros = fraction * centred * (fraction - 1.0);
    CORRECTION.map(|[c0, c1, c2, c3]| zeros * (c0 + square * (c1 + square * (c2 + square * c3))))
}

/// [`correction`] of eight fractions.
#[inline(always)]
pub(crate) fn corrections<S: Simd>(simd: S, fraction: S::F) -> [S::F; 4] {
    let centred = fraction - simd.splat(0.5);
    let square = centred * centred;
    let zeros = fraction * centred * (fraction - simd.splat(1.0));
    let fourth = square * square;
    let mut out = [zeros; 4];
    for power in 0..4 {
        let [c0, c1, c2, c3] = CORRECTION[power];
        let high = simd.mul_add(simd.splat(c3), square, simd.splat(c2));
        let low = simd.mul_add(simd.splat(c1), square, simd.splat(c0));
        out[power] = zeros * simd.mul_add(high, fourth, low);
    }
    out
}

/// `fraction` of the way, exact where both ends are equal and at fraction 0.
#[inline(always)]
pub(crate) fn lerp<S: Simd, const N: usize>(
    simd: S,
    from: [S::F; N],
    to: [S::F; N],
    fraction: S::F,
) -> [S::F; N] {
    let mut out = from;
    for component in 0..N {
        out[component] = simd.mul_add(to[component] - from[component], fraction, from[component]);
    }
    out
}

#[inline(always)]
pub(crate) fn dot<S: Simd>(simd: S, a: [S::F; 4], b: [S::F; 4]) -> S::F {
    // Two sums: one behind the other would take two additions longer.
    simd.mul_add(a[1], b[1], a[0] * b[0]) + simd.mul_add(a[3], b[3], a[2] * b[2])
}

#[inline(always)]
pub(crate) fn normalize<S: Simd>(simd: S, q: [S::F; 4]) -> [S::F; 4] {
    let factor = simd.inverse_sqrt(dot(simd, q, q));
    [q[0] * factor, q[1] * factor, q[2] * factor, q[3] * factor]
}

/// Slerp to 9.3e-6 rad. `inverse_square` is one over the squared length of both quaternions, whose dot product
/// must not be negative; the result has length one.
#[inline(always)]
pub(crate) fn slerp<S: Simd>(
    simd: S,
    from: [S::F; 4],
    to: [S::F; 4],
    fraction: S::F,
    correction: [S::F; 4],
    inverse_square: S::F,
) -> [S::F; 4] {
    let x = simd.splat(1.0) - dot(simd, from, to) * inverse_square;
    let [c0, c1, c2, c3] = correction;
    // Two sums side by side: a chain of four would take longer.
    let sum = simd.mul_add(simd.mul_add(c3, x, c2), x * x, simd.mul_add(c1, x, c0));
    normalize(simd, lerp(simd, from, to, simd.mul_add(sum, x, fraction)))
}

/// Multiplies two quaternions (Hamilton).
#[inline(always)]
pub(crate) fn quat_mul<S: Simd>(simd: S, a: [S::F; 4], b: [S::F; 4]) -> [S::F; 4] {
    let [ax, ay, az, aw] = a;
    let [bx, by, bz, bw] = b;
    [
        simd.mul_add(aw, bx, ax * bw) + (ay * bz - az * by),
        simd.mul_add(aw, by, ay * bw) + (az * bx - ax * bz),
        simd.mul_add(aw, bz, az * bw) + (ax * by - ay * bx),
        (aw * bw - ax * bx) - simd.mul_add(ay, by, az * bz),
    ]
}
