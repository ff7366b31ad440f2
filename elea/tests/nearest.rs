//! Matrices, quaternions and polar parts: bounds, signs, errors.
#![allow(clippy::cast_possible_truncation, reason = "tests round to f32 on purpose")]

mod common;

use common::{Random, angle, assert_bound};
use elea::RotationError;

type Matrix = [[f64; 3]; 3];

const IDENTITY: Matrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

fn multiply(a: Matrix, b: Matrix) -> Matrix {
    core::array::from_fn(|c| core::array::from_fn(|r| (0..3).map(|k| a[k][r] * b[c][k]).sum()))
}

fn transposed(m: Matrix) -> Matrix {
    core::array::from_fn(|c| core::array::from_fn(|r| m[r][c]))
}

fn largest_difference(a: Matrix, b: Matrix) -> f64 {
    a.as_flattened()
        .iter()
        .zip(b.as_flattened())
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max)
}

/// The textbook matrix of a unit quaternion.
fn textbook([x, y, z, w]: [f64; 4]) -> Matrix {
    [
        [
            1.0 - 2.0 * (y * y + z * z),
            2.0 * (x * y + w * z),
            2.0 * (x * z - w * y),
        ],
        [
            2.0 * (x * y - w * z),
            1.0 - 2.0 * (x * x + z * z),
            2.0 * (y * z + w * x),
        ],
        [
            2.0 * (x * z + w * y),
            2.0 * (y * z - w * x),
            1.0 - 2.0 * (x * x + y * y),
        ],
    ]
}

/// V diag(values) V^T for a random rotation V.
fn stretch(random: &mut Random, values: [f64; 3]) -> Matrix {
    let v = textbook(random.quaternion());
    core::array::from_fn(|c| core::array::from_fn(|r| (0..3).map(|k| v[k][c] * values[k] * v[k][r]).sum()))
}

fn random_matrix(random: &mut Random) -> Matrix {
    core::array::from_fn(|_| core::array::from_fn(|_| random.range(-1.0, 1.0)))
}

#[test]
fn a_matrix_of_a_quaternion_is_the_textbooks() {
    let mut random = Random(1);
    let (mut worst64, mut worst32) = (0.0_f64, 0.0_f64);
    for _ in 0..100_000 {
        let q = random.quaternion();
        worst64 = worst64.max(largest_difference(elea::mat3_from_quat(q), textbook(q)));
        let q32 = q.map(|v| v as f32);
        let exact = q32.map(f64::from);
        let n = exact.iter().map(|v| v * v).sum::<f64>().sqrt();
        let m32 = elea::mat3_from_quat(q32).map(|c| c.map(f64::from));
        worst32 = worst32.max(largest_difference(m32, textbook(exact.map(|v| v / n))));
        let scaled = elea::mat3_from_quat(q.map(|v| v * 1e-200));
        assert!(
            largest_difference(scaled, textbook(q)) < 2e-15,
            "any length: {q:?}"
        );
    }
    assert_bound("f64", worst64, 2e-15);
    assert_bound("f32", worst32, 6e-8);
    for odd in [
        [0.0; 4],
        [f64::NAN, 0.0, 0.0, 1.0],
        [f64::INFINITY, 0.0, 0.0, 0.0],
    ] {
        assert_eq!(elea::mat3_from_quat(odd), IDENTITY, "{odd:?}");
    }
}

#[test]
fn angles_between_rotations_are_exact_small_and_large() {
    let mut random = Random(2);
    let mut worst = 0.0_f64;
    let mut worst_small = 0.0_f64;
    for _ in 0..100_000 {
        let axis = random.quaternion();
        let n = (axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]).sqrt();
        let t = random.range(0.0, std::f64::consts::PI);
        let about = |t: f64| -> [f64; 4] {
            let (s, c) = (0.5 * t).sin_cos();
            [axis[0] / n * s, axis[1] / n * s, axis[2] / n * s, c]
        };
        let start = random.quaternion();
        let turned = common::multiply(about(t), start);
        worst = worst.max((elea::angle_between(start, turned) - t).abs());
        let tiny = 10_f64.powf(random.range(-300.0, -1.0));
        let relative = elea::angle_between([0.0, 0.0, 0.0, 1.0], about(tiny)) / tiny - 1.0;
        worst_small = worst_small.max(relative.abs());
    }
    assert_bound("absolute", worst, 2e-15);
    assert_bound("relative, from the identity", worst_small, 1e-15);
    let q = random.quaternion();
    assert_eq!(
        elea::angle_between(q, q.map(|v| -v)),
        0.0,
        "q and -q are one rotation"
    );
    assert_eq!(
        elea::angle_between([0.0_f32; 4], [0.0, 0.0, 0.0, 5.0]),
        0.0,
        "zero counts as the identity"
    );
}

#[test]
fn polar_parts_multiply_to_the_matrix() {
    let mut random = Random(3);
    let (mut product, mut orthogonal, mut asymmetric, mut product32) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
    for n in 0..60_000 {
        let scale = if n % 2 == 0 {
            1.0
        } else {
            10_f64.powf(random.range(-30.0, 30.0))
        };
        let m = random_matrix(&mut random).map(|c| c.map(|v| v * scale));
        let size = m.as_flattened().iter().map(|v| v * v).sum::<f64>().sqrt();
        let polar = elea::polar_from_mat3(m).expect("a random matrix has a rotation");
        product = product.max(largest_difference(multiply(polar.rotation, polar.stretch), m) / size);
        let r = polar.rotation;
        orthogonal = orthogonal.max(largest_difference(multiply(transposed(r), r), IDENTITY));
        asymmetric = asymmetric.max(largest_difference(polar.stretch, transposed(polar.stretch)) / size);
        assert!(
            angle(elea::quat_from_mat3(r), elea::quat_from_mat3(m)) < 1e-15,
            "the same rotation"
        );
        let m32 = m.map(|c| c.map(|v| v as f32));
        let polar = elea::polar_from_mat3(m32).expect("a random matrix has a rotation");
        let (r, s) = (
            polar.rotation.map(|c| c.map(f64::from)),
            polar.stretch.map(|c| c.map(f64::from)),
        );
        product32 = product32.max(largest_difference(multiply(r, s), m32.map(|c| c.map(f64::from))) / size);
    }
    assert_bound("product, f64", product, 2e-15);
    assert_bound("product, f32", product32, 1.5e-7);
    assert_bound("orthogonality, f64", orthogonal, 2e-15);
    assert_eq!(asymmetric, 0.0, "the stretch is symmetric to the bit");
}

#[test]
fn polar_parts_of_a_known_stretch_are_found() {
    let mut random = Random(4);
    for n in 0..20_000 {
        let sign = if n % 2 == 0 { 1.0 } else { -1.0 };
        let s3 = random.range(0.1, 0.5);
        let values = [random.range(1.0, 2.0), random.range(s3 + 0.2, 1.0), sign * s3];
        let (q, s) = (random.quaternion(), stretch(&mut random, values));
        let m = multiply(textbook(q), s);
        let polar = elea::polar_from_mat3(m).expect("regular");
        assert!(
            largest_difference(polar.rotation, textbook(q)) < 2e-14,
            "{values:?}"
        );
        assert!(largest_difference(polar.stretch, s) < 3e-14, "{values:?}");
    }
    // Where several are equally near: nearest to the identity.
    for mirror in [[1.0, 1.0, -1.0], [-1.0, 1.0, 1.0], [2.0, -2.0, 2.0]] {
        let mut m = [[0.0; 3]; 3];
        for n in 0..3 {
            m[n][n] = mirror[n];
        }
        let polar = elea::polar_from_mat3(m).expect("regular");
        assert!(
            largest_difference(polar.rotation, IDENTITY) < 1e-15,
            "{mirror:?}: {polar:?}"
        );
        assert!(
            largest_difference(polar.stretch, m) < 1e-15,
            "{mirror:?}: {polar:?}"
        );
    }
}

#[test]
fn errors_say_what_is_wrong() {
    use RotationError::{NotFinite, Reflection, Singular};
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut m = IDENTITY;
        m[2][1] = bad;
        assert_eq!(elea::try_quat_from_mat3(m), Err(NotFinite));
        assert_eq!(elea::polar_from_mat3(m), Err(NotFinite));
        assert_eq!(elea::quat_from_mat3(m), [0.0, 0.0, 0.0, 1.0]);
    }
    let rank_one: Matrix =
        core::array::from_fn(|c| core::array::from_fn(|r| [1.0, 2.0, -3.0][c] * [0.5, 1.0, 0.25][r]));
    for m in [[[0.0; 3]; 3], rank_one, rank_one.map(|c| c.map(|v| v * 1e-200))] {
        assert_eq!(elea::try_quat_from_mat3(m), Err(Singular), "{m:?}");
        assert_eq!(elea::polar_from_mat3(m), Err(Singular), "{m:?}");
        assert_eq!(
            elea::try_quat_from_mat3(m.map(|c| c.map(|v| v as f32))),
            Err(Singular),
            "{m:?}"
        );
    }
    let mirrored = [[2.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, -0.5]];
    assert_eq!(
        elea::try_quat_from_mat3(mirrored),
        Err(Reflection { determinant: -3.0 })
    );
    assert!(
        elea::polar_from_mat3(mirrored).is_ok(),
        "the stretch keeps the sign"
    );
    let text = Reflection { determinant: -3.0 }.to_string();
    assert_eq!(
        text,
        "the matrix is a reflection (determinant -3), not a rotation"
    );
}

#[test]
fn a_determinant_beyond_f64_has_its_sign() {
    // The reflection through the plane at a right angle to (1, 2, 2): products of 1e200 are infinite, with both signs.
    let mirror = [[7.0, -4.0, -4.0], [-4.0, 1.0, -8.0], [-4.0, -8.0, 1.0]];
    let found = |scale: f64| match elea::try_quat_from_mat3(mirror.map(|c| c.map(|v| v * scale))) {
        Err(RotationError::Reflection { determinant }) => determinant,
        other => panic!("{other:?}"),
    };
    assert_eq!(found(1.0), -729.0);
    assert_eq!(found(1e200), f64::NEG_INFINITY);
    assert_eq!(found(1e-200).to_bits(), (-0.0_f64).to_bits());
}

#[test]
fn a_stretch_beyond_the_type_is_infinite() {
    // Columns at right angles, the first of length 1.7 times the largest number: that is what it is stretched to.
    let m = [[1.0, 1.0, 1.0], [1.0, -1.0, 0.0], [-0.5, -0.5, 1.0]].map(|c| c.map(|v: f32| v * f32::MAX));
    let polar = elea::polar_from_mat3(m).expect("regular");
    assert_eq!(polar.stretch[0][0], f32::INFINITY);
    assert!(
        polar.rotation.as_flattened().iter().all(|v| v.is_finite()),
        "{polar:?}"
    );
    assert!(
        !polar.stretch.as_flattened().iter().any(|v| v.is_nan()),
        "{polar:?}"
    );
}

fn determinant([a, b, c]: Matrix) -> f64 {
    a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
}

#[test]
fn rounded_rank_two_is_no_reflection() {
    let mut random = Random(5);
    let mut negative = 0;
    for _ in 0..50_000 {
        let values = [random.range(0.5, 2.0), random.range(0.5, 2.0), 0.0];
        let m = multiply(textbook(random.quaternion()), stretch(&mut random, values))
            .map(|c| c.map(|v| v as f32));
        negative += i32::from(determinant(m.map(|c| c.map(f64::from))) < 0.0);
        assert!(elea::try_quat_from_mat3(m).is_ok(), "{m:?}");
    }
    assert!(
        negative > 10_000,
        "rounding makes many determinants negative: {negative}"
    );
    // The limit is where the documentation has it.
    let mirrored = |det: f32| [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, det * f32::EPSILON]];
    // At unit scale the determinant of diag(1, 1, d) is 1.5^1.5 d.
    assert!(elea::try_quat_from_mat3(mirrored(-8.0)).is_ok(), "-15 roundings");
    assert!(elea::try_quat_from_mat3(mirrored(-9.0)).is_err(), "-17 roundings");
}

#[test]
fn rounded_rank_one_is_singular() {
    let mut random = Random(7);
    for _ in 0..50_000 {
        let (u, v): ([f64; 3], [f64; 3]) = (
            core::array::from_fn(|_| random.range(-1.0, 1.0)),
            core::array::from_fn(|_| random.range(-1.0, 1.0)),
        );
        let m: [[f32; 3]; 3] = core::array::from_fn(|c| core::array::from_fn(|r| (u[c] * v[r]) as f32));
        assert_eq!(elea::try_quat_from_mat3(m), Err(RotationError::Singular), "{m:?}");
    }
    // The limit is where the documentation has it:
    // diag(1, d, 0) has cofactors of 3 d at unit scale.
    let flat = |d: f32| [[1.0, 0.0, 0.0], [0.0, d * f32::EPSILON, 0.0], [0.0, 0.0, 0.0]];
    assert!(elea::try_quat_from_mat3(flat(3.9)).is_err(), "11.7 roundings");
    assert!(elea::try_quat_from_mat3(flat(4.1)).is_ok(), "12.3 roundings");
}

#[test]
fn the_nearest_rotation_is_nearer_than_its_neighbours() {
    // By the definition: no small turn away from the answer comes nearer to the matrix.
    let mut random = Random(6);
    for _ in 0..20_000 {
        let m = random_matrix(&mut random);
        let q = elea::quat_from_mat3(m);
        let distance = |q: [f64; 4]| -> f64 {
            let r = textbook(q);
            m.as_flattened()
                .iter()
                .zip(r.as_flattened())
                .map(|(a, b)| (a - b).powi(2))
                .sum()
        };
        let best = distance(q);
        let half_turns = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
        for n in 0..3 {
            for t in [1e-3, -1e-3, 0.3, -0.3] {
                let (s, c) = f64::sin_cos(0.5 * t);
                let mut turn = [0.0, 0.0, 0.0, c];
                turn[n] = s;
                assert!(distance(common::multiply(q, turn)) >= best - 1e-14, "{m:?}");
            }
            assert!(
                distance(common::multiply(q, half_turns[n])) >= best - 1e-14,
                "{m:?}"
            );
        }
    }
}

#[cfg(feature = "glam")]
#[test]
fn glam_types_come_back_as_glam_types() {
    use elea::glam::{DMat3, DQuat, Mat3, Mat3A, Quat};
    let q = Quat::from_xyzw(0.5, -0.5, 0.5, 0.5);
    let a: Quat = elea::quat_from_mat3(Mat3::from_quat(q));
    let b: Quat = elea::quat_from_mat3(Mat3A::from_quat(q));
    assert!(a.abs_diff_eq(q, 1e-7) && a == b, "{a} {b}");
    let d: DQuat = elea::quat_from_mat3(DMat3::from_quat(q.as_dquat()));
    assert!(d.abs_diff_eq(q.as_dquat(), 1e-15), "{d}");
    let m: Mat3 = elea::mat3_from_quat(q);
    assert!(m.abs_diff_eq(Mat3::from_quat(q), 1e-7), "{m}");
    let polar: elea::Polar<Mat3A> = elea::polar_from_mat3(Mat3A::from_quat(q) * 3.0).expect("regular");
    assert!(
        polar.stretch.abs_diff_eq(Mat3A::IDENTITY * 3.0, 1e-6),
        "{}",
        polar.stretch
    );
}
