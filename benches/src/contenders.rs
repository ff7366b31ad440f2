//! The libraries that are compared: one line a library in each list, everything else follows from it.
//!
//! Two of them are methods rather than libraries: that of the "Matrix and Quaternion FAQ", and that of the article on
//! stable conversion which elea's displacement form keeps. ultraviolet has no Euler angles of a rotation.

use elea::EulerOrder;
use glam::{DMat3, DQuat, EulerRot, Mat3, Quat};
use nalgebra as na;

/// A conversion of whole slices.
pub type Conversion<A, B> = Box<dyn Fn(&[A], &mut [B])>;

/// Names and conversions.
pub type Contenders<A, B> = Vec<(&'static str, Conversion<A, B>)>;

/// The slice form of a conversion of one item; the call is inlined into the loop.
fn each<A: Copy + 'static, B: 'static>(convert: impl Fn(A) -> B + 'static) -> Conversion<A, B> {
    Box::new(move |from, to| {
        for (to, &from) in to.iter_mut().zip(from) {
            *to = convert(from);
        }
    })
}

/// From matrix to quaternion, `f32`.
#[must_use]
pub fn quat_from_mat3() -> Contenders<Mat3, Quat> {
    vec![
        ("elea", each(elea::quat_from_mat3::<Mat3>)),
        ("elea batch", Box::new(elea::quats_from_mat3s::<Mat3>)),
        ("glam", each(|m: Mat3| Quat::from_mat3(&m))),
        (
            "nalgebra",
            each(|m: Mat3| Quat::from_array(nalgebra_quat(m.to_cols_array_2d()))),
        ),
        (
            "cgmath",
            each(|m: Mat3| Quat::from_array(cgmath_quat(m.to_cols_array_2d()))),
        ),
        (
            "ultraviolet",
            each(|m: Mat3| {
                let m = ultraviolet::Mat3::from(m.to_cols_array_2d());
                Quat::from_array(m.into_rotor3().into_quaternion_array())
            }),
        ),
        ("article", each(elea::quat_from_mat3_displacement::<Mat3>)),
        ("faq", each(faq)),
    ]
}

/// From matrix to quaternion, `f64`.
#[must_use]
pub fn dquat_from_dmat3() -> Contenders<DMat3, DQuat> {
    vec![
        ("elea", each(elea::quat_from_mat3::<DMat3>)),
        ("elea batch", Box::new(elea::quats_from_mat3s::<DMat3>)),
        ("glam", each(|m: DMat3| DQuat::from_mat3(&m))),
        (
            "nalgebra",
            each(|m: DMat3| DQuat::from_array(nalgebra_quat(m.to_cols_array_2d()))),
        ),
        (
            "cgmath",
            each(|m: DMat3| DQuat::from_array(cgmath_quat(m.to_cols_array_2d()))),
        ),
        (
            "ultraviolet",
            each(|m: DMat3| {
                let m = ultraviolet::DMat3::from(m.to_cols_array_2d());
                DQuat::from_array(m.into_rotor3().into_quaternion_array())
            }),
        ),
        ("article", each(elea::quat_from_mat3_displacement::<DMat3>)),
    ]
}

/// From quaternion to the Euler angles X Y Z, `f32`.
#[must_use]
pub fn euler_from_quat() -> Contenders<Quat, [f32; 3]> {
    vec![
        ("elea", each(|q: Quat| elea::euler_from_quat(q, EulerOrder::XYZ))),
        (
            "elea batch",
            Box::new(|q, a| elea::eulers_from_quats(q, EulerOrder::XYZ, a)),
        ),
        ("glam", each(|q: Quat| q.to_euler(EulerRot::XYZ).into())),
        ("nalgebra", each(|q: Quat| nalgebra_euler(q.to_array()))),
        ("cgmath", each(|q: Quat| cgmath_euler(q.to_array()))),
    ]
}

/// From quaternion to the Euler angles X Y Z, `f64`.
#[must_use]
pub fn deuler_from_dquat() -> Contenders<DQuat, [f64; 3]> {
    vec![
        ("elea", each(|q: DQuat| elea::euler_from_quat(q, EulerOrder::XYZ))),
        (
            "elea batch",
            Box::new(|q, a| elea::eulers_from_quats(q, EulerOrder::XYZ, a)),
        ),
        ("glam", each(|q: DQuat| q.to_euler(EulerRot::XYZ).into())),
        ("nalgebra", each(|q: DQuat| nalgebra_euler(q.to_array()))),
        ("cgmath", each(|q: DQuat| cgmath_euler(q.to_array()))),
    ]
}

/// nalgebra's `from_matrix` has no bound on its iterations and hangs on some inputs, 0.11823407 I for instance. This is the
/// same call with a bound.
const NALGEBRA_ITERATIONS: usize = 1000;

fn nalgebra_quat<T: na::RealField + Copy>(columns: [[T; 3]; 3]) -> [T; 4] {
    let m = na::Matrix3::from_data(na::ArrayStorage(columns));
    // Its inner loop has no bound at all: it waits for |m - rotation|^2 to change by more than epsilon, which for small and
    // large matrices takes very long or never comes. NaN stands for an answer that nobody waits for.
    let n2 = m.norm_squared();
    if !(n2 > T::default_epsilon() && n2 * T::default_epsilon() < T::one()) {
        return [T::zero() / T::zero(); 4];
    }
    let start = na::Rotation3::identity();
    let r = na::Rotation3::from_matrix_eps(&m, T::default_epsilon(), NALGEBRA_ITERATIONS, start);
    na::UnitQuaternion::from_rotation_matrix(&r).coords.data.0[0]
}

fn nalgebra_euler<T: na::RealField + Copy>(xyzw: [T; 4]) -> [T; 3] {
    let q = na::UnitQuaternion::new_unchecked(na::Quaternion::from(xyzw));
    let axes = [
        na::Vector3::x_axis(),
        na::Vector3::y_axis(),
        na::Vector3::z_axis(),
    ];
    q.to_rotation_matrix().euler_angles_ordered(axes, false).0
}

fn cgmath_quat<T: cgmath::BaseFloat>(columns: [[T; 3]; 3]) -> [T; 4] {
    let q = cgmath::Quaternion::from(cgmath::Matrix3::from(columns));
    [q.v.x, q.v.y, q.v.z, q.s]
}

fn cgmath_euler<T: cgmath::BaseFloat>([x, y, z, w]: [T; 4]) -> [T; 3] {
    let angles = cgmath::Euler::from(cgmath::Quaternion::new(w, x, y, z));
    [angles.x.0, angles.y.0, angles.z.0]
}

/// Question 55 of the "Matrix and Quaternion FAQ", version 1.21: by the trace, else by the largest diagonal.
fn faq(m: Mat3) -> Quat {
    let [[m00, m10, m20], [m01, m11, m21], [m02, m12, m22]] = m.to_cols_array_2d();
    let t = 1.0 + m00 + m11 + m22;
    if t > 1e-8 {
        let s = t.sqrt() * 2.0;
        Quat::from_xyzw((m21 - m12) / s, (m02 - m20) / s, (m10 - m01) / s, 0.25 * s)
    } else if m00 > m11 && m00 > m22 {
        let s = (1.0 + m00 - m11 - m22).sqrt() * 2.0;
        Quat::from_xyzw(0.25 * s, (m10 + m01) / s, (m02 + m20) / s, (m21 - m12) / s)
    } else if m11 > m22 {
        let s = (1.0 + m11 - m00 - m22).sqrt() * 2.0;
        Quat::from_xyzw((m10 + m01) / s, 0.25 * s, (m21 + m12) / s, (m02 - m20) / s)
    } else {
        let s = (1.0 + m22 - m00 - m11).sqrt() * 2.0;
        Quat::from_xyzw((m02 + m20) / s, (m21 + m12) / s, 0.25 * s, (m10 - m01) / s)
    }
}
