//! Every public conversion takes and gives arrays and glam types of both precisions, and they agree.
#![allow(clippy::cast_possible_truncation, reason = "tests round to f32 on purpose")]

use elea::EulerOrder;

/// All names for one matrix type and its quaternion type, by the same rotation.
macro_rules! names {
    ($name:ident, $matrix:ty, $quat:ty, $scalar:ty, $order:expr, $bound:expr) => {
        #[test]
        fn $name() {
            let (order, bound): (_, $scalar) = ($order, $bound);
            let angles: [$scalar; 3] = [0.3, -0.5, 1.1];
            let near = |a: [$scalar; 3], b: [$scalar; 3]| (0..3).all(|n| (a[n] - b[n]).abs() <= bound);

            let q = elea::quat_from_euler::<$quat>(angles, order);
            let m = elea::mat3_from_euler::<$matrix>(angles, order);
            let back: $quat = elea::quat_from_mat3(m);
            assert!(elea::angle_between(q, back) <= bound, "{q:?} {back:?}");
            assert_eq!(elea::try_quat_from_mat3(m), Ok(back));
            let displaced: $quat = elea::quat_from_mat3_displacement(m);
            assert!(
                elea::angle_between(q, displaced) <= 4.0 * bound,
                "{displaced:?}"
            );
            let of_q = elea::mat3_from_quat(q);
            assert!(elea::angle_between(elea::quat_from_mat3(of_q), q) <= bound);
            let polar: elea::Polar<$matrix> = elea::polar_from_mat3(m).expect("a rotation");
            assert!(elea::angle_between(elea::quat_from_mat3(polar.rotation), q) <= bound);

            assert!(near(elea::euler_from_mat3(m, order), angles));
            assert!(near(elea::euler_from_quat(q, order), angles));
            let turn = std::f64::consts::TAU as $scalar;
            let reference = [angles[0] + turn, angles[1], angles[2] - turn];
            assert!(near(
                elea::euler_from_mat3_near(m, order, reference, 0.0),
                reference
            ));
            assert!(near(
                elea::euler_from_quat_near(q, order, reference, 0.0),
                reference
            ));

            let (mut quats, mut out) = ([q; 5], [[0.0; 3]; 5]);
            elea::quats_from_mat3s(&[m; 5], &mut quats);
            assert_eq!(quats, [back; 5]);
            elea::eulers_from_quats(&quats, order, &mut out);
            assert_eq!(out, [elea::euler_from_quat(back, order); 5]);
            elea::eulers_from_quats_near(&quats, order, &[reference; 5], 0.0, &mut out);
            assert_eq!(
                out,
                [elea::euler_from_quat_near(back, order, reference, 0.0); 5]
            );
            let mut curve = [reference, elea::euler_from_quat(q, order)];
            elea::unroll_eulers(&mut curve, order);
            assert!(near(curve[1], reference), "{curve:?}");

            let rows = [[1.0 as $scalar; 2]; 9];
            let [mut x, mut y, mut z, mut w] = [[0.0 as $scalar; 2]; 4];
            elea::quats_from_mat3s_soa(
                rows.each_ref().map(<[_; 2]>::as_slice),
                [&mut x, &mut y, &mut z, &mut w],
            );
            let [mut a, mut b, mut c] = [[0.0 as $scalar; 2]; 3];
            elea::eulers_from_quats_soa([&x, &y, &z, &w], order, [&mut a, &mut b, &mut c]);
            let references = [[0.0 as $scalar; 2]; 3];
            elea::eulers_from_quats_near_soa(
                [&x, &y, &z, &w],
                order,
                references.each_ref().map(<[_; 2]>::as_slice),
                0.0,
                [&mut a, &mut b, &mut c],
            );
            let plane: [$scalar; 4] = [0.0, 1.0, 0.0, 0.0];
            let camera = elea::reflection(plane);
            assert_eq!(elea::mirrored_camera(camera, plane)[1][1], 1.0);
            assert_eq!(elea::clip_plane(camera, plane), [0.0, -1.0, 0.0, 0.0]);
        }
    };
}

names!(arrays_of_f32, [[f32; 3]; 3], [f32; 4], f32, EulerOrder::YXZ, 1e-6);
names!(
    arrays_of_f64,
    [[f64; 3]; 3],
    [f64; 4],
    f64,
    EulerOrder::YXZ,
    3e-15
);
#[cfg(feature = "glam")]
mod glam_types {
    use elea::glam::{DMat3, DQuat, EulerRot, Mat3, Mat3A, Quat};

    names!(mat3, Mat3, Quat, f32, EulerRot::ZYXEx, 1e-6);
    names!(mat3a, Mat3A, Quat, f32, EulerRot::ZYXEx, 1e-6);
    names!(dmat3, DMat3, DQuat, f64, EulerRot::ZYXEx, 3e-15);
}

#[test]
fn no_conversion_allocates() {
    let matrices = vec![[[0.9_f32, 0.1, 0.0], [-0.1, 0.9, 0.2], [0.0, -0.2, 1.1]]; 100];
    let (mut quats, mut angles) = (vec![[0.0; 4]; 100], vec![[0.0; 3]; 100]);
    let references = angles.clone();
    let count = allocation_counter::measure(|| {
        elea::quats_from_mat3s(&matrices, &mut quats);
        elea::eulers_from_quats(&quats, EulerOrder::XYZ, &mut angles);
        elea::eulers_from_quats_near(&quats, EulerOrder::ZXZ, &references, 1e-3, &mut angles);
        elea::unroll_eulers(&mut angles, EulerOrder::ZXZ);
        angles[0] = elea::euler_from_mat3(matrices[0], EulerOrder::XYZ);
        assert!(elea::polar_from_mat3(matrices[0]).is_ok());
    });
    assert_eq!(count.count_total, 0, "allocations");
}
