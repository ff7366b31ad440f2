//! The inputs that conversions in the field got wrong, with numbers of our own: half turns, mirrors, zero, NaN, scales, the
//! lock with a reference. Right values are closed forms.
#![allow(clippy::cast_possible_truncation, reason = "tests round to f32 on purpose")]

mod common;

use common::angle;
use elea::{EulerOrder, RotationError};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, PI};

/// A name, the matrix by rows, and its rotation.
type RotationCase = (&'static str, [[f64; 3]; 3], [f64; 4]);

const ROTATIONS: [RotationCase; 10] = [
    (
        "identity",
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [0.0, 0.0, 0.0, 1.0],
    ),
    (
        "half turn about y",
        [[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]],
        [0.0, 1.0, 0.0, 0.0],
    ),
    (
        "half turn about (1, 1, 0)",
        [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]],
        [FRAC_1_SQRT_2, FRAC_1_SQRT_2, 0.0, 0.0],
    ),
    (
        "half turn about (0, 1, -1): the signs of y and z differ",
        [[-1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, -1.0, 0.0]],
        [0.0, FRAC_1_SQRT_2, -FRAC_1_SQRT_2, 0.0],
    ),
    (
        "half turn about (0.28, 0, 0.96)",
        [[-0.8432, 0.0, 0.5376], [0.0, -1.0, 0.0], [0.5376, 0.0, 0.8432]],
        [0.28, 0.0, 0.96, 0.0],
    ),
    (
        "a third of a turn about (1, 1, 1)",
        [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        [0.5, 0.5, 0.5, 0.5],
    ),
    (
        "scale 40",
        [[0.0, -40.0, 0.0], [40.0, 0.0, 0.0], [0.0, 0.0, 40.0]],
        [0.0, 0.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2],
    ),
    (
        "scale 1e-7",
        [[1e-7, 0.0, 0.0], [0.0, 0.0, -1e-7], [0.0, 1e-7, 0.0]],
        [FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2],
    ),
    (
        "scale (3, 1, 0.2)",
        [[3.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.2]],
        [0.0, 0.0, 0.0, 1.0],
    ),
    (
        "0.11823407 I",
        [
            [0.11823407, 0.0, 0.0],
            [0.0, 0.11823407, 0.0],
            [0.0, 0.0, 0.11823407],
        ],
        [0.0, 0.0, 0.0, 1.0],
    ),
];

fn columns(rows: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    core::array::from_fn(|c| core::array::from_fn(|r| rows[r][c]))
}

#[test]
fn matrices_that_others_got_wrong() {
    for (name, rows, want) in ROTATIONS {
        let m = columns(rows);
        let q = elea::quat_from_mat3(m);
        assert!(angle(q, want) < 1e-15, "{name}: {q:?}");
        assert_eq!(elea::try_quat_from_mat3(m), Ok(q), "{name}");
        let m32 = m.map(|c| c.map(|v| v as f32));
        let q32 = elea::quat_from_mat3(m32);
        assert!(angle(q32.map(f64::from), want) < 3e-7, "{name}: {q32:?}");
        assert_eq!(elea::try_quat_from_mat3(m32), Ok(q32), "{name}");
    }
}

#[test]
fn mirrors_are_named() {
    let mirrors = [
        ([[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], -1.0),
        ([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], -1.0),
        ([[-0.02, 0.0, 0.0], [0.0, -0.02, 0.0], [0.0, 0.0, -0.02]], -8e-6),
    ];
    for (rows, det) in mirrors {
        match elea::try_quat_from_mat3(columns(rows)) {
            Err(RotationError::Reflection { determinant }) => {
                assert!((determinant / det - 1.0).abs() < 1e-14, "{determinant}");
            }
            other => panic!("{rows:?}: {other:?}"),
        }
        let q = elea::quat_from_mat3(columns(rows));
        assert!(
            (q.iter().map(|v| v * v).sum::<f64>() - 1.0).abs() < 1e-15,
            "{rows:?}: {q:?}"
        );
    }
}

#[test]
fn the_lock_with_a_reference() {
    // (order, angles of the rotation, reference, right answer): at the lock only the sum or the difference counts, and what is
    // missing to it is shared by the outer angles.
    let cases = [
        (
            EulerOrder::ZYX,
            [0.5, -FRAC_PI_2, 0.2],
            [0.6, -1.57, 0.1],
            [0.6, -FRAC_PI_2, 0.1],
        ),
        (
            EulerOrder::ZYX,
            [0.5, FRAC_PI_2, 0.2],
            [0.6, 1.57, 0.5],
            [0.7, FRAC_PI_2, 0.4],
        ),
        (
            EulerOrder::XYZ,
            [0.0, 1.58, 0.0],
            [0.0, 1.575, 0.0],
            [0.0, 1.58, 0.0],
        ),
        (
            EulerOrder::XYZ,
            [0.0, -1.6, 0.0],
            [0.0, -1.59, 0.0],
            [0.0, -1.6, 0.0],
        ),
        (
            EulerOrder::YXZ,
            [-3.2, -FRAC_PI_2, 1.5],
            [-3.25, -1.5, 1.55],
            [-3.25, -FRAC_PI_2, 1.55],
        ),
        (EulerOrder::ZXZ, [1.0, 0.0, 0.5], [0.2, 0.1, 0.9], [0.4, 0.0, 1.1]),
        (EulerOrder::ZXZ, [1.0, PI, 0.5], [0.2, 3.0, 0.9], [0.8, PI, 0.3]),
        (EulerOrder::ZYX, [3.4, 0.2, 0.1], [3.3, 0.2, 0.1], [3.4, 0.2, 0.1]),
        (
            EulerOrder::ZYX,
            [-9.5, 0.2, 0.1],
            [-9.4, 0.2, 0.1],
            [-9.5, 0.2, 0.1],
        ),
    ];
    for (order, angles, reference, want) in cases {
        let q = common::rebuilt(angles, order);
        // The rotations are rounded, a few 1e-16 from their lock: the tolerance takes them for locked.
        let got = elea::euler_from_quat_near(q, order, reference, 1e-12);
        for n in 0..3 {
            assert!(
                (got[n] - want[n]).abs() < 3e-12,
                "{order:?} {angles:?}: {got:?} {want:?}"
            );
        }
        let matrix: [[f64; 3]; 3] = elea::mat3_from_quat(q);
        let again = elea::euler_from_mat3_near(matrix, order, reference, 0.0);
        assert!(
            angle(common::rebuilt(again, order), q) < 2e-15,
            "{order:?} {again:?}"
        );
        let q32 = q.map(|v| v as f32);
        let got = elea::euler_from_quat_near(q32, order, reference.map(|v| v as f32), 0.0);
        for n in 0..3 {
            assert!(
                (f64::from(got[n]) - want[n]).abs() < 1e-3,
                "{order:?} {angles:?}: {got:?} {want:?}"
            );
        }
    }
}
