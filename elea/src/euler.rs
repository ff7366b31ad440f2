//! Euler angles: from matrices and quaternions, nearest to a reference, and back.

pub(crate) mod kernel;
mod order;

pub use order::EulerOrder;
pub(crate) use order::Frame;

use crate::matrix::Matrix3;
use crate::nearest::nearest;
use crate::quaternion::{Quaternion, columns_from_xyzw};
use crate::scalar::{Real, Scalar, select};
use crate::trig::sin_cos;

/// Canonical angles in the order of the letters.
pub(crate) fn canonical<T: Real>(xyzw: [T; 4], frame: Frame) -> [T; 3] {
    let e = select(frame.odd, -T::ONE, T::ONE);
    let wijk = kernel::components(xyzw, frame);
    let [a, b, c] = if frame.proper {
        kernel::canonical::<T, true>(wijk, e)
    } else {
        kernel::canonical::<T, false>(wijk, e)
    };
    if frame.extrinsic { [c, b, a] } else { [a, b, c] }
}

/// Angles nearest to a reference, both in the order of the letters.
pub(crate) fn near<T: Real>(xyzw: [T; 4], frame: Frame, reference: [T; 3], tolerance: T) -> [T; 3] {
    let e = select(frame.odd, -T::ONE, T::ONE);
    let wijk = kernel::components(xyzw, frame);
    let [r1, r2, r3] = reference;
    let reference = if frame.extrinsic { [r3, r2, r1] } else { reference };
    let [a, b, c] = if frame.proper {
        kernel::near::<T, true>(wijk, e, reference, tolerance)
    } else {
        kernel::near::<T, false>(wijk, e, reference, tolerance)
    };
    if frame.extrinsic { [c, b, a] } else { [a, b, c] }
}

/// Canonical Euler angles of the rotation nearest to `m`, in radians, in the order of the letters.
///
/// Ranges and the answer at the lock are those of [`euler_from_quat`]; any matrix is answered as by
/// [`quat_from_mat3`](crate::quat_from_mat3). All of it is computed in `f64`: the angles stand for a rotation within 3e-7 rad
/// (`f32`) or 2e-15 rad (`f64`) of the nearest one, magnified as there for matrices far from a rotation.
///
/// ```
/// use elea::{euler_from_mat3, mat3_from_euler, EulerOrder};
/// let m: [[f64; 3]; 3] = mat3_from_euler([0.1, 0.2, 0.3], EulerOrder::XYZ);
/// let [a, b, c] = euler_from_mat3(m, EulerOrder::XYZ);
/// assert!((a - 0.1).abs() < 1e-15 && (b - 0.2).abs() < 1e-15 && (c - 0.3).abs() < 1e-15);
/// ```
#[must_use]
pub fn euler_from_mat3<M: Matrix3>(m: M, order: impl Into<EulerOrder>) -> [M::Scalar; 3] {
    let q = nearest(m.to_columns().map(|c| c.map(Real::to_f64)));
    canonical(q, order.into().frame()).map(Real::from_f64)
}

/// Canonical Euler angles of a quaternion of any length, in radians, in the order of the letters.
///
/// The first and the last angle are in (-pi, pi]; the middle one is in [-pi/2, pi/2] for Tait-Bryan orders and in
/// [0, pi] for proper ones. q and -q give the same bits. At an exact lock, where only the sum or the difference of the outer
/// angles is determined, half of it, taken in (-pi/2, pi/2], goes to each. A zero or non-finite quaternion gives zeros.
///
/// The angles rebuild the rotation within 5e-7 rad (`f32`) or 2e-15 rad (`f64`), at any distance from the lock.
///
/// ```
/// use elea::{euler_from_quat, EulerOrder};
/// // A quarter turn about y is XYZ's lock.
/// let half = 0.5_f32.sqrt();
/// assert_eq!(euler_from_quat([0.0, half, 0.0, half], EulerOrder::XYZ), [0.0, std::f32::consts::FRAC_PI_2, 0.0]);
/// ```
#[must_use]
pub fn euler_from_quat<Q: Quaternion>(q: Q, order: impl Into<EulerOrder>) -> [Q::Scalar; 3] {
    canonical(q.to_xyzw(), order.into().frame())
}

/// The Euler angles of the rotation nearest to `m` that are nearest to `reference`: [`euler_from_quat_near`] for a matrix.
///
/// Any matrix is answered as by [`quat_from_mat3`](crate::quat_from_mat3). All of it is computed in `f64`, so that a reference
/// counts as 2^50 radians at most for `f32` too; the least tolerance is 4 roundings of the matrix's own type.
///
/// ```
/// use elea::{euler_from_mat3_near, mat3_from_euler, EulerOrder};
/// let m: [[f64; 3]; 3] = mat3_from_euler([6.2, 0.1, 0.0], EulerOrder::XYZ);
/// let near = euler_from_mat3_near(m, EulerOrder::XYZ, [6.1, 0.0, 0.0], 0.0);
/// assert!((near[0] - 6.2).abs() < 1e-14);
/// ```
#[must_use]
pub fn euler_from_mat3_near<M: Matrix3>(
    m: M,
    order: impl Into<EulerOrder>,
    reference: [M::Scalar; 3],
    tolerance: M::Scalar,
) -> [M::Scalar; 3] {
    let q = nearest(m.to_columns().map(|c| c.map(Real::to_f64)));
    let tolerance = kernel::usable_tolerance(tolerance);
    near(
        q,
        order.into().frame(),
        reference.map(Real::to_f64),
        tolerance.to_f64(),
    )
    .map(Real::from_f64)
}

/// The Euler angles of a quaternion of any length that are nearest to `reference`, unwrapped: a reference of 350 degrees
/// gives 355, not -5.
///
/// Of all triples that stand for the rotation (whole turns of each angle, and the pair of solutions) this is the one with
/// the smallest sum of squared differences from the reference. Within `tolerance` of the lock, where only the sum or the
/// difference of the outer angles matters, the other combination is taken from the reference, with a smooth passage
/// and without a jump: the answer is the projection of the reference onto the solutions.
///
/// `tolerance` is the radius of that neighbourhood, in radians; less than 4 roundings counts as 4 roundings, more than 1
/// as 1. Pass 0 for the exact rotation: it is rebuilt within 1e-6 rad (`f32`; 3e-15 in `f64`) for references within half
/// a turn, and within 1.5e-6 for a whole one. Pass 1e-3 for curves that an animator edits: straight through the lock no angle moves
/// more than the rotation does from frame to frame. The rotation that is given up for it is at most 1.2 times the
/// tolerance in Tait-Bryan orders and 1.75 times in proper ones (2.1 times at a tolerance of 0.1).
///
/// A zero or non-finite quaternion counts as the identity. A NaN in the reference counts as 0; beyond 2^20 radians (`f32`,
/// 2^50 in `f64`) a reference counts as that much.
///
/// ```
/// use elea::{euler_from_quat_near, quat_from_euler, EulerOrder};
/// let q: [f64; 4] = quat_from_euler([6.2, 0.1, 0.0], EulerOrder::XYZ);
/// let near = euler_from_quat_near(q, EulerOrder::XYZ, [6.1, 0.0, 0.0], 0.0);
/// assert!((near[0] - 6.2).abs() < 1e-14);
/// ```
#[must_use]
pub fn euler_from_quat_near<Q: Quaternion>(
    q: Q,
    order: impl Into<EulerOrder>,
    reference: [Q::Scalar; 3],
    tolerance: Q::Scalar,
) -> [Q::Scalar; 3] {
    near(q.to_xyzw(), order.into().frame(), reference, tolerance)
}

/// The unit quaternion of three angles in radians, in the order of the letters.
///
/// The sign is that of the product of the three half-angle quaternions, so that it follows the angles without a flip.
/// A non-finite angle counts as 0.
///
/// Within 1.2e-7 rad (`f32`) or 1e-15 rad (`f64`); above 1e6 radians as if the angle were off by half a unit in its last place.
///
/// ```
/// use elea::{quat_from_euler, EulerOrder};
/// let q: [f32; 4] = quat_from_euler([std::f32::consts::PI, 0.0, 0.0], EulerOrder::XYZ);
/// assert!((q[0] - 1.0).abs() < 1e-7 && q[3].abs() < 1e-7);
/// ```
#[must_use]
pub fn quat_from_euler<Q: Quaternion>(angles: [Q::Scalar; 3], order: impl Into<EulerOrder>) -> Q {
    Q::from_xyzw_array(xyzw_from_euler(angles, order.into()).map(Real::from_f64))
}

/// The rotation matrix of three angles in radians, in the order of the letters. A non-finite angle counts as 0.
///
/// Within 2e-15 rad (`f64`); in `f32` the elements are rounded once.
///
/// ```
/// use elea::{mat3_from_euler, EulerOrder};
/// let m: [[f64; 3]; 3] = mat3_from_euler([0.0, 0.0, 0.5], EulerOrder::XYZ);
/// // The first column is the image of the x axis.
/// assert!((m[0][0] - 0.5_f64.cos()).abs() < 1e-15 && (m[0][1] - 0.5_f64.sin()).abs() < 1e-15);
/// ```
#[must_use]
pub fn mat3_from_euler<M: Matrix3>(angles: [M::Scalar; 3], order: impl Into<EulerOrder>) -> M {
    let columns = columns_from_xyzw(xyzw_from_euler(angles, order.into()));
    M::from_columns(columns.map(|c| c.map(Real::from_f64)))
}

fn xyzw_from_euler<T: Real>(angles: [T; 3], order: EulerOrder) -> [f64; 4] {
    let mut axes = order.axes();
    let mut angles = angles.map(Real::to_f64);
    if order.is_extrinsic() {
        axes.reverse();
        angles.reverse();
    }
    let [a, b, c]: [[f64; 4]; 3] = core::array::from_fn(|n| {
        let (s, c) = sin_cos(0.5 * angles[n]);
        let mut q = [0.0, 0.0, 0.0, c];
        q[axes[n]] = s;
        q
    });
    multiply(multiply(a, b), c)
}

/// The Hamilton product a b: first b, then a.
fn multiply(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (a, b);
    [
        (aw * bx + ax * bw) + (ay * bz - az * by),
        (aw * by + ay * bw) + (az * bx - ax * bz),
        (aw * bz + az * bw) + (ax * by - ay * bx),
        (aw * bw - ax * bx) - (ay * by + az * bz),
    ]
}

/// Makes a whole curve continuous: each frame becomes the triple of the same rotation nearest to the frame before it.
///
/// The first frame stays. Whole turns are added to single angles, and the pair of solutions is swapped where that is
/// nearer; every frame keeps its rotation to rounding. Frames with a NaN, an infinity, or an angle beyond 2^50 radians (where
/// `f64` counts by a quarter, so that whole turns are lost in the rounding) are left alone and skipped.
///
/// ```
/// use elea::{unroll_eulers, EulerOrder};
/// let mut curve = [[3.1_f64, 0.0, 0.0], [-3.1, 0.0, 0.0]];
/// unroll_eulers(&mut curve, EulerOrder::XYZ);
/// assert!((curve[1][0] - 3.183_185_307_179_586).abs() < 1e-15);
/// ```
pub fn unroll_eulers<T: Scalar>(angles: &mut [[T; 3]], order: impl Into<EulerOrder>) {
    let order = order.into();
    let proper = order.is_proper();
    let mut before: Option<[f64; 3]> = None;
    for frame in angles {
        let now = frame.map(Real::to_f64);
        // NaN is not below the limit.
        if !now.iter().all(|v| v.abs() <= f64::REFERENCE_LIMIT) {
            continue;
        }
        let next = match before {
            Some(reference) => unrolled(now, reference, proper),
            None => now,
        };
        *frame = next.map(Real::from_f64);
        before = Some(next);
    }
}

/// The triple of the same rotation as `angles` nearest to `reference`, by whole turns and the pair of solutions alone.
fn unrolled(angles: [f64; 3], reference: [f64; 3], proper: bool) -> [f64; 3] {
    use core::f64::consts::{PI, TAU};
    let toward = |angles: [f64; 3]| -> [f64; 3] {
        core::array::from_fn(|n| {
            let turns = (((reference[n] - angles[n]) / TAU) + f64::ROUNDER) - f64::ROUNDER;
            angles[n] + turns * TAU
        })
    };
    let distance = |a: [f64; 3]| -> f64 {
        (0..3)
            .map(|n| (a[n] - reference[n]) * (a[n] - reference[n]))
            .sum()
    };
    let [a, b, c] = angles;
    let same = toward(angles);
    let partner = toward([a + PI, if proper { -b } else { PI - b }, c + PI]);
    if distance(partner) < distance(same) {
        partner
    } else {
        same
    }
}
