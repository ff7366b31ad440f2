//! What elea's own conversions are held to, and that the known methods are told apart.

use super::{
    FamilyReport, Report, check_euler_from_mat3_with, check_quat_from_mat3, check_quat_from_mat3_with,
};
use crate::{EulerOrder, quat_from_mat3};

/// A bound that holds, and that a tenth of it would not.
#[track_caller]
fn assert_bound(what: &str, measured: f64, bound: f64) {
    assert!(measured <= bound, "{what}: {measured:e} is beyond {bound:e}");
    assert!(
        measured > 0.1 * bound,
        "{what}: {measured:e} is far below {bound:e}: tighten the bound"
    );
}

fn worst(report: &Report, value: fn(&FamilyReport) -> f64) -> f64 {
    report.families.iter().map(value).fold(0.0, f64::max)
}

fn worst_of(report: &Report, family: &str) -> f64 {
    report.family(family).expect("a family of that name").worst
}

#[test]
fn quat_from_mat3_keeps_its_documented_bounds_in_f32() {
    let report = check_quat_from_mat3_with(4000, quat_from_mat3::<[[f32; 3]; 3]>);
    report.assert_within(4e-7);
    assert_bound("angle", worst(&report, |f| f.worst_scaled), 4e-7);
    assert_bound("mean angle", worst(&report, |f| f.mean), 7e-8);
    assert_bound("length", worst(&report, |f| f.worst_length), 2e-7);
    assert_bound("jump", worst(&report, |f| f.worst_jump), 3e-7);
}

#[test]
fn quat_from_mat3_keeps_its_documented_bounds_in_f64() {
    let report = check_quat_from_mat3_with(4000, quat_from_mat3::<[[f64; 3]; 3]>);
    report.assert_within(2e-15);
    assert_bound("angle", worst(&report, |f| f.worst_scaled), 2e-15);
    assert_bound("mean angle", worst(&report, |f| f.mean), 5e-16);
    assert_bound("length", worst(&report, |f| f.worst_length), 5e-16);
    assert_bound("jump", worst(&report, |f| f.worst_jump), 1e-15);
}

#[test]
fn euler_from_mat3_keeps_its_documented_bounds() {
    for order in [
        EulerOrder::XYZ,
        EulerOrder::ZXZ,
        EulerOrder::ZYXEx,
        EulerOrder::XYXEx,
    ] {
        let report =
            check_euler_from_mat3_with(300, order, |m: [[f32; 3]; 3]| crate::euler_from_mat3(m, order));
        report.assert_within(3e-7);
        assert_bound("f32", worst(&report, |f| f.worst_scaled), 3e-7);
        let report =
            check_euler_from_mat3_with(300, order, |m: [[f64; 3]; 3]| crate::euler_from_mat3(m, order));
        report.assert_within(2e-15);
        assert_bound("f64", worst(&report, |f| f.worst_scaled), 2e-15);
    }
}

#[test]
fn the_displacement_method_has_its_documented_errors() {
    let report = check_quat_from_mat3(crate::quat_from_mat3_displacement::<[[f32; 3]; 3]>);
    for exact in ["uniform", "near half turn", "near-equal diagonals"] {
        assert_bound(exact, worst_of(&report, exact), 5e-7);
    }
    assert_bound("noise 1e-3", worst_of(&report, "noise 1e-3"), 4e-3);
    assert_bound("noise 1e-1", worst_of(&report, "noise 1e-1"), 0.5);
    assert_bound("shear", worst_of(&report, "shear 0.5"), 3.15);
    let jump = report.family("continuity").expect("continuity").worst_jump;
    assert!(jump > 0.1, "the choice of two displacements shows: {jump}");
}

#[cfg(feature = "glam")]
#[test]
fn a_method_that_chooses_a_formula_is_told_apart() {
    use glam::{EulerRot, Mat3, Quat};
    let glam = check_quat_from_mat3(|m: Mat3| Quat::from_mat3(&m));
    for exact in [
        "uniform",
        "near half turn",
        "cube and half turns",
        "near-equal diagonals",
    ] {
        assert!(worst_of(&glam, exact) < 4e-7, "{exact}\n{glam}");
    }
    for wrong in [
        "noise 1e-3",
        "noise 1e-1",
        "shear 0.5",
        "axis scale 0.1 to 10",
        "uniform scale",
    ] {
        assert!(worst_of(&glam, wrong) > 1e-3, "{wrong}\n{glam}");
    }
    assert!(worst_of(&glam, "product of 1000") > 1e-6, "{glam}");
    let jump = glam.family("continuity").expect("continuity").worst_jump;
    assert!(jump > 1e-2, "{jump}");

    let euler = check_euler_from_mat3_with(500, EulerOrder::XYZ, |m: Mat3| {
        quat_from_mat3(m).to_euler(EulerRot::XYZ).into()
    });
    assert!(worst_of(&euler, "lock at 1e-4") > 1e-5, "{euler}");
}

#[test]
fn the_faqs_method_fails_where_it_is_known_to() {
    // Question 55 of the Matrix and Quaternion FAQ, the part by the trace, which it takes for all but exact half turns.
    let faq = |m: [[f32; 3]; 3]| -> [f32; 4] {
        let [[m00, m10, m20], [m01, m11, m21], [m02, m12, m22]] = m;
        let s = 2.0 * (1.0 + m00 + m11 + m22).max(1e-8).sqrt();
        [(m21 - m12) / s, (m02 - m20) / s, (m10 - m01) / s, 0.25 * s]
    };
    let report = check_quat_from_mat3(faq);
    assert!(worst_of(&report, "near half turn") > 0.1, "{report}");
    assert!(worst_of(&report, "noise 1e-1") > 0.1, "{report}");
    assert!(worst_of(&report, "tiny rotation") < 1e-6, "{report}");
}

#[test]
fn answers_that_are_not_finite_are_counted_and_refused() {
    let report = check_quat_from_mat3_with(10, |_: [[f32; 3]; 3]| [f32::NAN; 4]);
    assert_eq!(report.family("uniform").expect("uniform").not_finite, 10);
    let refused = std::panic::catch_unwind(|| report.assert_within(10.0));
    assert!(refused.is_err(), "NaN must not pass");
    assert!(std::format!("{report}").contains("10 of 10"), "the table says so");
}
