//! `proptest` strategies that plant the hard cases, for tests of your own code.
//!
//! Matrices are `[column][row]` in `f64`; round them to `f32` for `f32` code. All but [`reflected`] are without a reflection,
//! [`noisy_rotation`] as long as its size is below 1/3 (where the noise's norm is below 1, the rotation's smallest singular value).
//!
//! ```
//! use proptest::prelude::*;
//! proptest!(|(m in elea::strategies::noisy_rotation(1e-3))| {
//!     let q = elea::quat_from_mat3(m);
//!     let length: f64 = q.iter().map(|v| v * v).sum();
//!     prop_assert!((length - 1.0).abs() < 1e-14);
//! });
//! ```

use crate::EulerOrder;
use proptest::prelude::*;
use std::f64::consts::{FRAC_PI_2, PI};

/// A matrix as `[column][row]`.
pub type Matrix = [[f64; 3]; 3];

fn multiply(a: Matrix, b: Matrix) -> Matrix {
    core::array::from_fn(|c| core::array::from_fn(|r| (0..3).map(|k| a[k][r] * b[c][k]).sum()))
}

/// Unit vectors: any, the coordinate axes, and vectors that nearly lie in a coordinate plane.
fn axis() -> impl Strategy<Value = [f64; 3]> {
    let any = (-1.0..1.0_f64, -PI..PI).prop_map(|(z, t)| {
        let r = (1.0 - z * z).sqrt();
        [r * t.cos(), r * t.sin(), z]
    });
    let coordinate = (0..3_usize, prop::bool::ANY).prop_map(|(n, negative)| {
        let mut v = [0.0; 3];
        v[n] = if negative { -1.0 } else { 1.0 };
        v
    });
    let flat = (0..3_usize, -PI..PI, -300.0..-1.0_f64).prop_map(|(n, t, exponent)| {
        let mut v = [t.cos(), t.sin(), 10_f64.powf(exponent)];
        v.rotate_right(n);
        let n = v.iter().map(|c| c * c).sum::<f64>().sqrt();
        v.map(|c| c / n)
    });
    prop_oneof![2 => any, 1 => coordinate, 1 => flat]
}

fn about(axis: [f64; 3], angle: f64) -> [f64; 4] {
    let (s, c) = (0.5 * angle).sin_cos();
    [axis[0] * s, axis[1] * s, axis[2] * s, c]
}

/// Unit quaternions `[x, y, z, w]`: uniform ones, and ones with two to four components of equal size to a few units in the
/// last place, where formulae that choose by size switch.
pub fn rotation() -> impl Strategy<Value = [f64; 4]> {
    let uniform = (0.0..1.0_f64, -PI..PI, -PI..PI).prop_map(|(u, a, b)| {
        let (p, q) = ((1.0 - u).sqrt(), u.sqrt());
        [p * a.sin(), p * a.cos(), q * b.sin(), q * b.cos()]
    });
    let equal = (
        prop::array::uniform4(-8..=8_i32),
        2..=4_usize,
        0..4_usize,
        0..16_u8,
        -1.0..1.0_f64,
    )
        .prop_map(|(ulps, count, turn, signs, rest)| {
            let mut q: [f64; 4] = core::array::from_fn(|n| {
                let size = if n < count {
                    1.0 + f64::from(ulps[n]) * f64::EPSILON
                } else {
                    rest
                };
                if signs >> n & 1 == 1 { -size } else { size }
            });
            q.rotate_left(turn);
            let n = q.iter().map(|v| v * v).sum::<f64>().sqrt();
            q.map(|v| v / n)
        });
    prop_oneof![3 => uniform, 1 => equal]
}

/// Unit quaternions within 1e-1 to 1e-16 radians of a half turn, and exact ones, about axes that make each component the
/// largest.
pub fn near_half_turn() -> impl Strategy<Value = [f64; 4]> {
    let short = prop_oneof![4 => (-16.0..-1.0_f64).prop_map(|e| 10_f64.powf(e)), 1 => Just(0.0)];
    (axis(), short).prop_map(|(axis, short)| {
        let (s, c) = (0.5 * short).sin_cos();
        // sin and cos of pi/2 - short/2: exact where short is 0.
        [axis[0] * c, axis[1] * c, axis[2] * c, s]
    })
}

/// Unit quaternions of turns by 1e-1 down to 1e-300 radians, and the identity.
pub fn tiny_rotation() -> impl Strategy<Value = [f64; 4]> {
    let angle = prop_oneof![4 => (-300.0..-1.0_f64).prop_map(|e| 10_f64.powf(e)), 1 => Just(0.0)];
    (axis(), angle).prop_map(|(axis, angle)| about(axis, angle))
}

/// Euler angles at the lock of an order and within 1e-1 to 1e-16 radians of it, on either side.
pub fn near_gimbal_lock(order: EulerOrder) -> impl Strategy<Value = [f64; 3]> {
    let distance = prop_oneof![4 => (-16.0..-1.0_f64).prop_map(|e| 10_f64.powf(e)), 1 => Just(0.0)];
    (-PI..PI, prop::bool::ANY, distance, prop::bool::ANY, -PI..PI).prop_map(
        move |(a, other_lock, distance, beyond, c)| {
            let lock = match (order.is_proper(), other_lock) {
                (true, false) => 0.0,
                (true, true) => PI,
                (false, false) => FRAC_PI_2,
                (false, true) => -FRAC_PI_2,
            };
            [a, lock + if beyond { distance } else { -distance }, c]
        },
    )
}

fn matrix_of(q: [f64; 4]) -> Matrix {
    crate::mat3_from_quat(q)
}

/// Rotation matrices with independent noise in [-size, size] on every element.
pub fn noisy_rotation(size: f64) -> impl Strategy<Value = Matrix> {
    (
        rotation(),
        prop::array::uniform3(prop::array::uniform3(-1.0..=1.0_f64)),
    )
        .prop_map(move |(q, noise)| {
            let m = matrix_of(q);
            core::array::from_fn(|c| core::array::from_fn(|r| m[c][r] + size * noise[c][r]))
        })
}

/// Rotation matrices times a scale from denormal (1e-320) to 1e300.
pub fn scaled() -> impl Strategy<Value = Matrix> {
    (rotation(), -320.0..300.0_f64).prop_map(|(q, exponent)| {
        // In two factors, as 1e-320 is not a normal number.
        let half = 10_f64.powf(0.5 * exponent);
        matrix_of(q).map(|c| c.map(|v| v * half * half))
    })
}

/// Rotation matrices times scales along the axes in [1/8, 8] and a shear in [-1, 1].
pub fn sheared() -> impl Strategy<Value = Matrix> {
    (
        rotation(),
        prop::array::uniform3(-3.0..3.0_f64),
        0..6_usize,
        -1.0..1.0_f64,
    )
        .prop_map(|(q, exponents, place, amount)| {
            let mut stretch = [[0.0; 3]; 3];
            for (n, e) in exponents.iter().enumerate() {
                stretch[n][n] = e.exp2();
            }
            let column = place / 2;
            stretch[column][(column + 1 + place % 2) % 3] = amount;
            multiply(matrix_of(q), stretch)
        })
}

/// Matrices with a determinant below zero: a rotation times a stretch with one negative axis, whose size is often within a
/// few units in the last place of another's, where the nearest rotation is not unique.
pub fn reflected() -> impl Strategy<Value = Matrix> {
    let apart = prop_oneof![1 => 0.0..0.9_f64, 1 => (0..16_i32).prop_map(|n| f64::from(n) * f64::EPSILON)];
    (rotation(), rotation(), 0.1..1.0_f64, apart, 1.0..10.0_f64).prop_map(|(q, v, s2, apart, s1)| {
        let (r, v) = (matrix_of(q), matrix_of(v));
        let values = [s1, s2, -s2 * (1.0 - apart)];
        let stretch = core::array::from_fn(|c| {
            core::array::from_fn(|row| (0..3).map(|k| v[k][c] * values[k] * v[k][row]).sum())
        });
        multiply(r, stretch)
    })
}
