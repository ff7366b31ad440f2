//! The displacement method: the axis from how far the matrix moves the coordinate axes.

use crate::matrix::Matrix3;
use crate::quaternion::{Quaternion, normal_range};
use crate::scalar::Real;

/// A quaternion from the displacements of the coordinate axes: the method of the article that elea grew from, kept for
/// comparison. Use [`quat_from_mat3`](crate::quat_from_mat3).
///
/// Every axis moves by d = M e - e, at a right angle to the rotation axis: the rotation axis is the cross product of the two
/// longest displacements, and the angle is that by which the axis with the longest turns about it. There is no choice by the
/// trace; but the two longest displacements are a choice as well.
///
/// Measured in `f32`: within 5e-7 rad for rotations to rounding, half turns included; 4e-3 with noise of 1e-3 on the
/// elements, 0.5 with noise of 0.1, up to pi with shear of 0.5; neighbouring noisy matrices jump by 0.1 and more.
///
/// NaN, infinities and matrices that move nothing give the identity.
///
/// ```
/// // A quarter turn about z: both methods agree on a rotation without noise.
/// let m = [[0.0_f32, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
/// assert!(elea::angle_between(elea::quat_from_mat3_displacement(m), elea::quat_from_mat3(m)) < 5e-7);
/// ```
#[must_use]
pub fn quat_from_mat3_displacement<M: Matrix3>(m: M) -> M::Quat {
    M::Quat::from_xyzw_array(displacement(m.to_columns()))
}

fn displacement<T: Real>(m: [[T; 3]; 3]) -> [T; 4] {
    let identity = [T::ZERO, T::ZERO, T::ZERO, T::ONE];
    let mut displacements = m;
    for (n, column) in displacements.iter_mut().enumerate() {
        column[n] = column[n] - T::ONE;
    }
    let squares = displacements.map(|d| dot(d, d));
    // The axis that moves least is left out; of the others the first is the longer.
    let (mut first, mut second) = (0, 1);
    if squares[1] > squares[0] {
        (first, second) = (1, 0);
    }
    if squares[2] > squares[first] {
        (first, second) = (2, first);
    } else if squares[2] > squares[second] {
        second = 2;
    }
    let normal = cross(displacements[first], displacements[second]);
    let length = dot(normal, normal).sqrt();
    if !(length > T::ZERO && length.is_finite()) {
        return identity;
    }
    let axis = normal.map(|v| v / length);
    let mut from = [T::ZERO; 3];
    from[first] = T::ONE;
    let (from, to) = (across(from, axis), across(m[first], axis));
    // The half angle's sine and cosine are as 1 - cos to sin, and as sin to 1 + cos: the pair without a cancellation.
    let scale = (dot(from, from) * dot(to, to)).sqrt();
    let (sine, cosine) = (dot(axis, cross(from, to)), dot(from, to));
    let (half_sine, w) = if cosine > T::ZERO {
        (sine, scale + cosine)
    } else {
        (scale - cosine, sine)
    };
    let [x, y, z] = axis.map(|v| v * half_sine);
    let [x, y, z, w] = normal_range([x, y, z, w]);
    let length = ((x * x + y * y) + (z * z + w * w)).sqrt();
    if length > T::ZERO && length.is_finite() {
        crate::nearest::canonical_sign([x / length, y / length, z / length, w / length])
    } else {
        identity
    }
}

/// The part of v at a right angle to the unit axis.
fn across<T: Real>(v: [T; 3], axis: [T; 3]) -> [T; 3] {
    let along = dot(v, axis);
    core::array::from_fn(|i| v[i] - axis[i] * along)
}

fn dot<T: Real>(a: [T; 3], b: [T; 3]) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross<T: Real>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}
