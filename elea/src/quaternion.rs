//! Quaternions from matrices and back.

use crate::error::RotationError;
use crate::matrix::Matrix3;
use crate::nearest::{self, Fast, cross, nearest, unit_scale};
use crate::scalar::{Real, Scalar};
use crate::trig::atan2;

/// A quaternion: `[f32; 4]`, `[f64; 4]` as `[x, y, z, w]`, and with feature `glam` `Quat`, `DQuat`, with feature `mint`
/// `mint::Quaternion` of either. Sealed.
pub trait Quaternion: Copy + crate::matrix::sealed::Sealed {
    /// `f32` or `f64`.
    type Scalar: Scalar;
    /// The matrix type that goes with this quaternion type.
    type Mat3: Matrix3<Scalar = Self::Scalar>;

    /// The quaternion as `[x, y, z, w]`.
    #[must_use]
    fn to_xyzw(self) -> [Self::Scalar; 4];

    /// The quaternion from `[x, y, z, w]`.
    #[must_use]
    fn from_xyzw_array(xyzw: [Self::Scalar; 4]) -> Self;
}

macro_rules! array_quaternion {
    ($scalar:ty) => {
        impl crate::matrix::sealed::Sealed for [$scalar; 4] {}
        impl Quaternion for [$scalar; 4] {
            type Scalar = $scalar;
            type Mat3 = [[$scalar; 3]; 3];
            #[inline(always)]
            fn to_xyzw(self) -> Self {
                self
            }
            #[inline(always)]
            fn from_xyzw_array(xyzw: Self) -> Self {
                xyzw
            }
        }
    };
}
array_quaternion!(f32);
array_quaternion!(f64);

#[cfg(feature = "glam")]
macro_rules! glam_quaternion {
    ($quat:ty, $scalar:ty, $matrix:ty) => {
        impl crate::matrix::sealed::Sealed for $quat {}
        impl Quaternion for $quat {
            type Scalar = $scalar;
            type Mat3 = $matrix;
            #[inline(always)]
            fn to_xyzw(self) -> [$scalar; 4] {
                self.to_array()
            }
            #[inline(always)]
            fn from_xyzw_array(xyzw: [$scalar; 4]) -> Self {
                // One store: from_array gathers four.
                Self::from_slice(&xyzw)
            }
        }
    };
}
#[cfg(feature = "glam")]
glam_quaternion!(glam::Quat, f32, glam::Mat3);
#[cfg(feature = "glam")]
glam_quaternion!(glam::DQuat, f64, glam::DMat3);

/// The rotation nearest to `m`, as a unit quaternion.
///
/// Nearest in the Frobenius norm: the rotation of `m`'s polar decomposition, made proper. `m` may carry scale, shear or
/// noise; the answer is continuous wherever that map is. The sign returned has w >= 0, and at w = 0 the first nonzero of
/// x, y, z positive. NaN, infinities and the zero matrix give the identity; a reflection gives the nearest proper
/// rotation. [`try_quat_from_mat3`] tells such input apart.
///
/// Exact to rounding: the answer is within 4e-7 rad (`f32`; 7e-8 in the mean) or 2e-15 rad (`f64`) of the nearest rotation as
/// long as s1 <= 2 (s2 + s3), and within that times s1 / (2 (s2 + s3)) beyond (s1 >= s2 >= |s3| are the singular values, s3 < 0
/// for a reflection). Its length is within 2e-7 or 5e-16 of 1. Answers to neighbouring matrices are no farther apart than
/// the nearest rotations are, plus 3e-7 or 1e-15 (quaternion distance).
///
/// Davenport's matrix (1968; Horn, "Closed-form solution of absolute orientation", 1987): two power steps for what is nearly a
/// scaled rotation, else the largest root of its characteristic polynomial, else Jacobi rotations, both in `f64`.
///
/// ```
/// // A quarter turn about z, scaled by 2: columns.
/// let m = [[0.0_f32, 2.0, 0.0], [-2.0, 0.0, 0.0], [0.0, 0.0, 2.0]];
/// let [x, y, z, w] = elea::quat_from_mat3(m);
/// let half = 0.5_f32.sqrt();
/// assert!(x == 0.0 && y == 0.0 && (z - half).abs() < 1e-7 && (w - half).abs() < 1e-7);
/// ```
#[inline]
#[must_use]
pub fn quat_from_mat3<M: Matrix3>(m: M) -> M::Quat {
    M::Quat::from_xyzw_array(nearest(m.to_columns()))
}

/// [`quat_from_mat3`], or why `m` stands for no rotation.
///
/// # Errors
///
/// [`RotationError::NotFinite`]; [`RotationError::Singular`] for zero and for rank one (to 12 units of rounding of the
/// input's precision, at unit scale); [`RotationError::Reflection`] for a determinant below -16 units of rounding, at
/// unit scale: a rounded matrix of rank two passes.
///
/// ```
/// use elea::{RotationError, try_quat_from_mat3};
/// let scaled = [[3.0_f64, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]];
/// assert!((try_quat_from_mat3(scaled)?[3] - 1.0).abs() < 1e-15);
/// let mirrored = [[1.0_f64, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -2.0]];
/// assert_eq!(try_quat_from_mat3(mirrored), Err(RotationError::Reflection { determinant: -2.0 }));
/// # Ok::<(), RotationError>(())
/// ```
#[inline]
pub fn try_quat_from_mat3<M: Matrix3>(m: M) -> Result<M::Quat, RotationError> {
    let columns = m.to_columns();
    let (q, accepted) = M::Scalar::fast(columns);
    if accepted {
        // What the fast path accepts is nearly a scaled rotation.
        return Ok(M::Quat::from_xyzw_array(q));
    }
    try_cold(columns).map(M::Quat::from_xyzw_array)
}

#[cold]
#[inline(never)]
fn try_cold<T: Real>(columns: [[T; 3]; 3]) -> Result<[T; 4], RotationError> {
    let unit = checked_unit_scale(columns)?;
    if unit.determinant < -REFLECTION_ROUNDINGS * T::EPSILON.to_f64() {
        return Err(RotationError::Reflection {
            determinant: determinant(columns),
        });
    }
    Ok(nearest::cold(columns))
}

/// |cofactors| below this many roundings (at a squared norm of 3) is rank one: nine roundings of half a unit, times the
/// largest element sqrt(3), rounded up.
const SINGULAR_ROUNDINGS: f64 = 12.0;
/// A rounded matrix of rank two has a determinant of at most this many roundings (at a squared norm of 3).
const REFLECTION_ROUNDINGS: f64 = 16.0;

/// The matrix at unit scale, or `NotFinite`, or `Singular`.
pub(crate) fn checked_unit_scale<T: Real>(columns: [[T; 3]; 3]) -> Result<nearest::UnitScale, RotationError> {
    if !columns.as_flattened().iter().all(|v| v.is_finite()) {
        return Err(RotationError::NotFinite);
    }
    let unit = unit_scale(columns).ok_or(RotationError::Singular)?;
    if Real::sqrt(unit.cofactor2) <= SINGULAR_ROUNDINGS * T::EPSILON.to_f64() {
        return Err(RotationError::Singular);
    }
    Ok(unit)
}

fn determinant<T: Real>(columns: [[T; 3]; 3]) -> f64 {
    let columns = columns.map(|c| c.map(T::to_f64));
    let largest = columns.as_flattened().iter().fold(0.0_f64, |l, v| l.max(v.abs()));
    // By a power of two, which changes no digit: otherwise infinities could meet and make a NaN.
    let scale = largest.unit_scale();
    let [a, b, c] = columns.map(|c| c.map(|v| v * scale));
    let n = cross(b, c);
    (a[0] * n[0] + a[1] * n[1] + a[2] * n[2]) / scale / scale / scale
}

/// The matrix of a quaternion of any length; the identity for a zero or non-finite one.
///
/// Elements are within 6e-8 (`f32`) or 2e-15 (`f64`) of the exact matrix.
///
/// ```
/// let m = elea::mat3_from_quat([0.0_f64, 0.0, 1.0, 0.0]);
/// assert_eq!(m, [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]]);
/// ```
#[inline]
#[must_use]
pub fn mat3_from_quat<Q: Quaternion>(q: Q) -> Q::Mat3 {
    let columns = columns_from_xyzw(q.to_xyzw().map(Real::to_f64));
    Q::Mat3::from_columns(columns.map(|c| c.map(Real::from_f64)))
}

/// The matrix of a quaternion of any length, as columns.
pub(crate) fn columns_from_xyzw(q: [f64; 4]) -> [[f64; 3]; 3] {
    let [x, y, z, w] = normal_range(q);
    let n2 = x * x + y * y + z * z + w * w;
    let s = if n2 > 0.0 { 2.0 / n2 } else { 0.0 };
    let (xs, ys, zs) = (x * s, y * s, z * s);
    let (xx, yy, zz) = (x * xs, y * ys, z * zs);
    let (xy, xz, yz) = (x * ys, x * zs, y * zs);
    let (wx, wy, wz) = (w * xs, w * ys, w * zs);
    [
        [1.0 - (yy + zz), xy + wz, xz - wy],
        [xy - wz, 1.0 - (xx + zz), yz + wx],
        [xz + wy, yz - wx, 1.0 - (xx + yy)],
    ]
}

/// The quaternion times a power of two that keeps its squares normal; zero where it is not finite.
#[inline(always)]
pub(crate) fn normal_range<T: Real>(q: [T; 4]) -> [T; 4] {
    use crate::scalar::select;
    let larger = |a: T, b: T| select(a > b, a, b);
    let (x, y, z, w) = (q[0].abs(), q[1].abs(), q[2].abs(), q[3].abs());
    let largest = larger(larger(x, y), larger(z, w));
    let scale = largest.unit_scale();
    // Compared one by one, as NaN fails every comparison but is lost in `larger`.
    let finite = (x <= T::MAX) & (y <= T::MAX) & (z <= T::MAX) & (w <= T::MAX);
    // Not `map`: it is a call of its own in loops that are compiled for wider registers.
    [
        select(finite, q[0] * scale, T::ZERO),
        select(finite, q[1] * scale, T::ZERO),
        select(finite, q[2] * scale, T::ZERO),
        select(finite, q[3] * scale, T::ZERO),
    ]
}

/// The angle of the rotation that takes `a` to `b`, in radians, 0 to pi; q and -q are one rotation.
///
/// Within 2e-15 rad, and from the identity within 1e-15 of a small angle itself (`f32` input is computed in `f64` and rounded
/// once). The quaternions may have any length. A zero or
/// non-finite quaternion counts as the identity.
///
/// ```
/// use elea::{angle_between, quat_from_euler, EulerOrder};
/// let a: [f64; 4] = quat_from_euler([0.3, 0.0, 0.0], EulerOrder::XYZ);
/// let b: [f64; 4] = quat_from_euler([0.3 + 1e-12, 0.0, 0.0], EulerOrder::XYZ);
/// assert!((angle_between(a, b) - 1e-12).abs() < 1e-15);
/// ```
#[must_use]
pub fn angle_between<Q: Quaternion>(a: Q, b: Q) -> Q::Scalar {
    let or_identity = |q: Q| {
        let q = normal_range(q.to_xyzw().map(Real::to_f64));
        if q == [0.0; 4] { [0.0, 0.0, 0.0, 1.0] } else { q }
    };
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (or_identity(a), or_identity(b));
    let c = cross([ax, ay, az], [bx, by, bz]);
    let v = [
        aw * bx - bw * ax - c[0],
        aw * by - bw * ay - c[1],
        aw * bz - bw * az - c[2],
    ];
    let w = (ax * bx + ay * by) + (az * bz + aw * bw);
    // By the largest component, as the square of a tiny angle vanishes.
    let largest = v.iter().fold(0.0_f64, |l, c| l.max(c.abs()));
    let shares = if largest > 0.0 { v.map(|c| c / largest) } else { v };
    let sine = largest * Real::sqrt(shares[0] * shares[0] + shares[1] * shares[1] + shares[2] * shares[2]);
    Real::from_f64(2.0 * atan2(sine, w.abs()))
}
