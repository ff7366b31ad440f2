//! Euler angles: exact everywhere, continuous where a reference is given.
#![allow(clippy::cast_possible_truncation, reason = "tests round to f32 on purpose")]

mod common;

use common::{Random, angle, assert_bound, rebuilt};
use elea::EulerOrder;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Rotations of all kinds, a share of them at and near the order's lock.
fn rotation(random: &mut Random, order: EulerOrder) -> [f64; 4] {
    match random.bits() % 4 {
        0 | 1 => random.quaternion(),
        kind => {
            let distance = if kind == 2 {
                0.0
            } else {
                10_f64.powf(random.range(-16.0, -1.0))
            };
            let lock = match (order.is_proper(), random.bits() % 2) {
                (true, 0) => 0.0,
                (true, _) => PI,
                (false, 0) => FRAC_PI_2,
                (false, _) => -FRAC_PI_2,
            };
            rebuilt(
                [random.range(-PI, PI), lock + distance, random.range(-PI, PI)],
                order,
            )
        }
    }
}

fn unit(q: [f32; 4]) -> [f64; 4] {
    let q = q.map(f64::from);
    let n = q.iter().map(|v| v * v).sum::<f64>().sqrt();
    q.map(|v| v / n)
}

#[test]
fn canonical_angles_rebuild_the_rotation_and_keep_their_ranges() {
    let (mut worst32, mut worst64) = (0.0_f64, 0.0_f64);
    let mut random = Random(1);
    for order in EulerOrder::ALL {
        for _ in 0..20_000 {
            let q = rotation(&mut random, order);
            let q32 = q.map(|v| v as f32);
            let (a, a32) = (elea::euler_from_quat(q, order), elea::euler_from_quat(q32, order));
            worst64 = worst64.max(angle(rebuilt(a, order), q));
            worst32 = worst32.max(angle(rebuilt(a32.map(f64::from), order), unit(q32)));
            for outer in [0, 2] {
                assert!(-PI < a[outer] && a[outer] <= PI, "{order:?} {a:?}");
                let pi = std::f32::consts::PI;
                assert!(-pi < a32[outer] && a32[outer] <= pi, "{order:?} {a32:?}");
            }
            let middle = if order.is_proper() {
                0.0..=PI
            } else {
                -FRAC_PI_2..=FRAC_PI_2
            };
            assert!(middle.contains(&a[1]), "{order:?} {a:?}");
            assert_eq!(
                elea::euler_from_quat(q.map(|v| -v), order),
                a,
                "{order:?}: -q is the same rotation"
            );
            assert_eq!(
                elea::euler_from_quat(q32.map(|v| -v), order),
                a32,
                "{order:?}: -q is the same rotation"
            );
        }
    }
    assert_bound("f32", worst32, 5e-7);
    assert_bound("f64", worst64, 2e-15);
}

#[test]
fn angles_from_known_angles_come_back() {
    let mut random = Random(2);
    for order in EulerOrder::ALL {
        for _ in 0..2000 {
            let middle = if order.is_proper() {
                random.range(0.1, PI - 0.1)
            } else {
                random.range(-1.47, 1.47)
            };
            let want = [random.range(-PI, PI), middle, random.range(-PI, PI)];
            let got = elea::euler_from_quat(rebuilt(want, order), order);
            for n in 0..3 {
                assert!((got[n] - want[n]).abs() < 2e-14, "{order:?} {got:?} {want:?}");
            }
        }
    }
}

/// The smallest distance of any triple of the same rotation from the reference, by trying all.
fn brute_force_distance(angles: [f64; 3], order: EulerOrder, reference: [f64; 3]) -> f64 {
    let [a, b, c] = angles;
    let partner = [a + PI, if order.is_proper() { -b } else { PI - b }, c + PI];
    [angles, partner]
        .iter()
        .map(|t| {
            (0..3)
                .map(|n| {
                    let d = t[n] - reference[n];
                    (d - TAU * (d / TAU).round()).powi(2)
                })
                .sum::<f64>()
        })
        .fold(f64::INFINITY, f64::min)
        .sqrt()
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|n| (a[n] - b[n]).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn near_is_the_nearest_of_all_triples() {
    let mut random = Random(3);
    for order in EulerOrder::ALL {
        for _ in 0..5000 {
            let angles: [f64; 3] = core::array::from_fn(|_| random.range(-PI, PI));
            // The rounding of the quaternion is magnified toward the lock.
            let from_lock = if order.is_proper() {
                angles[1].sin()
            } else {
                angles[1].cos()
            };
            let rounding = 1e-14 + 1e-15 / from_lock.abs();
            let reference = core::array::from_fn(|_| random.range(-TAU, TAU));
            let q = rebuilt(angles, order);
            let best = brute_force_distance(angles, order, reference);
            let exact = elea::euler_from_quat_near(q, order, reference, 0.0);
            assert!(
                distance(exact, reference) <= best + rounding,
                "{order:?} {angles:?} {reference:?}: {exact:?}"
            );
            for tolerance in [1e-3, 1e-2] {
                let near = elea::euler_from_quat_near(q, order, reference, tolerance);
                assert!(
                    distance(near, reference) <= best + rounding + 0.7 * tolerance,
                    "{order:?} {near:?}"
                );
            }
        }
    }
}

#[test]
fn near_rebuilds_the_rotation() {
    let mut random = Random(4);
    for (reach, bound32, bound64) in [(PI, 1e-6, 3e-15), (TAU, 1.5e-6, 3e-15)] {
        let (mut worst32, mut worst64) = (0.0_f64, 0.0_f64);
        for order in EulerOrder::ALL {
            for _ in 0..10_000 {
                let q = rotation(&mut random, order);
                let q32 = q.map(|v| v as f32);
                let reference: [f64; 3] = core::array::from_fn(|_| random.range(-reach, reach));
                let a = elea::euler_from_quat_near(q, order, reference, 0.0);
                let a32 = elea::euler_from_quat_near(q32, order, reference.map(|v| v as f32), 0.0);
                worst64 = worst64.max(angle(rebuilt(a, order), q));
                worst32 = worst32.max(angle(rebuilt(a32.map(f64::from), order), unit(q32)));
            }
        }
        assert_bound("f32", worst32, bound32);
        assert_bound("f64", worst64, bound64);
    }
}

#[test]
fn the_tolerance_bounds_the_rotation_that_is_given_up() {
    let mut random = Random(5);
    for (proper, tolerance, factor) in [
        (false, 1e-4, 1.2),
        (false, 1e-2, 1.2),
        (true, 1e-4, 1.75),
        (true, 1e-2, 1.75),
        (false, 0.1, 2.1),
        (true, 0.1, 2.1),
    ] {
        let mut worst = 0.0_f64;
        for order in EulerOrder::ALL.into_iter().filter(|o| o.is_proper() == proper) {
            for _ in 0..8000 {
                let lock = if proper { 0.0 } else { FRAC_PI_2 };
                let b = lock + tolerance * random.range(-6.0, 6.0);
                let q = rebuilt([random.range(-PI, PI), b, random.range(-PI, PI)], order);
                let reference = [random.range(-PI, PI), lock, random.range(-PI, PI)];
                let a = elea::euler_from_quat_near(q, order, reference, tolerance);
                worst = worst.max(angle(rebuilt(a, order), q));
            }
        }
        assert_bound("given up", worst, factor * tolerance);
    }
}

/// The largest change of an angle between frames, of a curve where each frame takes the one before as its reference.
fn largest_jump(order: EulerOrder, tolerance: f64, path: impl Fn(usize) -> [f64; 4]) -> f64 {
    let first = elea::euler_from_quat_near(path(0), order, [0.0; 3], 0.0);
    let mut before = first;
    let mut worst = 0.0_f64;
    for n in 1..1000 {
        let now = elea::euler_from_quat_near(path(n), order, before, tolerance);
        for i in 0..3 {
            worst = worst.max((now[i] - before[i]).abs());
        }
        before = now;
    }
    worst
}

#[test]
fn a_curve_through_the_lock_does_not_jump() {
    for order in EulerOrder::ALL {
        let lock = if order.is_proper() { 0.0 } else { FRAC_PI_2 };
        let step = |n: usize| (n as f64 - 500.0) * 1e-3;
        // Straight through: only the middle angle moves.
        let jump = largest_jump(order, 1e-3, |n| rebuilt([0.4, lock + step(n), -0.9], order));
        assert!(jump <= 1.001e-3, "{order:?}: {jump}");
        // All three angles move.
        let jump = largest_jump(order, 1e-3, |n| {
            rebuilt([0.4 + step(n), lock + step(n), -0.9 - 0.5 * step(n)], order)
        });
        assert!(jump <= 3e-3, "{order:?}: {jump}");
        // Past the lock at 1e-4, where the exact angles turn by half a turn within a frame.
        let miss = |n: usize| {
            let mut turn = [0.0, 0.0, 0.0, 1.0];
            let across = 3 - order.axes()[0] - order.axes()[1];
            turn[across] = 0.5e-4;
            let q = rebuilt([0.4, lock + step(n), 0.0], order);
            common::multiply(q, turn)
        };
        let jump = largest_jump(order, 1e-3, miss);
        assert!(jump <= 0.07, "{order:?}: {jump}");
    }
}

#[test]
fn a_reference_beyond_one_turn_is_followed() {
    let degrees = |v: f64| v.to_radians();
    let q = rebuilt([degrees(-5.0), 0.1, 0.2], EulerOrder::XYZ);
    let near = elea::euler_from_quat_near(q, EulerOrder::XYZ, [degrees(350.0), 0.1, 0.2], 0.0);
    assert!((near[0] - degrees(355.0)).abs() < 1e-14, "{near:?}");
    let far = elea::euler_from_quat_near(q, EulerOrder::XYZ, [20.0 * TAU, 0.1, 0.2], 0.0);
    assert!((far[0] - (20.0 * TAU + degrees(-5.0))).abs() < 1e-13, "{far:?}");
}

#[test]
fn odd_references_and_tolerances_have_an_answer() {
    let q = rebuilt([0.3, 0.2, 0.1], EulerOrder::XYZ);
    let plain = elea::euler_from_quat_near(q, EulerOrder::XYZ, [0.0; 3], 0.0);
    assert_eq!(
        elea::euler_from_quat_near(q, EulerOrder::XYZ, [f64::NAN; 3], f64::NAN),
        plain
    );
    assert_eq!(
        elea::euler_from_quat_near(q, EulerOrder::XYZ, [0.0; 3], -1.0),
        plain
    );
    let one = elea::euler_from_quat_near(q, EulerOrder::XYZ, [0.0; 3], 1.0);
    assert_eq!(
        elea::euler_from_quat_near(q, EulerOrder::XYZ, [0.0; 3], f64::INFINITY),
        one
    );
    for reference in [f64::INFINITY, -1e300, 1e20] {
        let far = elea::euler_from_quat_near(q, EulerOrder::XYZ, [reference; 3], 0.0);
        assert!(far.iter().all(|v| v.is_finite()), "{far:?}");
    }
    // What is no rotation counts as the identity.
    let identity = [0.0, 0.0, 0.0, 1.0];
    for odd in [
        [0.0; 4],
        [f64::NAN, 0.0, 0.0, 1.0],
        [0.0, f64::INFINITY, 0.0, 0.0],
    ] {
        let reference = [6.0, 0.1, -6.2];
        assert_eq!(
            elea::euler_from_quat_near(odd, EulerOrder::XYZ, reference, 1e-3),
            elea::euler_from_quat_near(identity, EulerOrder::XYZ, reference, 1e-3)
        );
        assert_eq!(elea::euler_from_quat(odd, EulerOrder::ZXZ), [0.0; 3]);
    }
    // The length of the quaternion does not count.
    for scale in [1e-300, 1e-3, 7.0, 1e300] {
        let scaled = elea::euler_from_quat_near(q.map(|v| v * scale), EulerOrder::XYZ, [0.3, 0.0, 0.0], 1e-3);
        let unit = elea::euler_from_quat_near(q, EulerOrder::XYZ, [0.3, 0.0, 0.0], 1e-3);
        for n in 0..3 {
            assert!(
                (scaled[n] - unit[n]).abs() < 1e-15,
                "{scale:e}: {scaled:?} {unit:?}"
            );
        }
    }
}

#[test]
fn from_angles_is_the_product_of_the_letters() {
    let mut random = Random(6);
    let (mut worst64, mut worst32, mut worst_matrix) = (0.0_f64, 0.0_f64, 0.0_f64);
    for order in EulerOrder::ALL {
        for _ in 0..5000 {
            let reach = if random.bits().is_multiple_of(2) { PI } else { 1e5 };
            let angles: [f64; 3] = core::array::from_fn(|_| random.range(-reach, reach));
            let want = rebuilt(angles, order);
            let got: [f64; 4] = elea::quat_from_euler(angles, order);
            worst64 = worst64.max(angle(got, want));
            assert!(
                (0..4).all(|n| (got[n] - want[n]).abs() < 1e-14),
                "the sign is the product's: {got:?} {want:?}"
            );
            let angles32 = angles.map(|v| v as f32);
            let want32 = rebuilt(angles32.map(f64::from), order);
            let got32: [f32; 4] = elea::quat_from_euler(angles32, order);
            worst32 = worst32.max(angle(unit(got32), want32));
            let matrix: [[f64; 3]; 3] = elea::mat3_from_euler(angles, order);
            worst_matrix = worst_matrix.max(angle(elea::quat_from_mat3(matrix), want));
        }
    }
    assert_bound("quaternion, f64", worst64, 1e-15);
    assert_bound("quaternion, f32", worst32, 1.2e-7);
    assert_bound("matrix, f64", worst_matrix, 2e-15);
}

#[test]
fn huge_angles_are_reduced_as_far_as_their_digits_go() {
    // Above 1e6 the answer is that of an angle within half a unit in the last place: of half the angle, a quarter of one.
    let mut random = Random(7);
    let mut worst = 0.0_f64;
    for _ in 0..20_000 {
        let x = 10_f64.powf(random.range(6.0, 15.0));
        let angle = 2.0 * x;
        let q: [f64; 4] = elea::quat_from_euler([angle, 0.0, 0.0], EulerOrder::XYZ);
        let unit = angle.next_up() - angle;
        let error = 2.0 * (q[0] - x.sin()).hypot(q[3] - x.cos());
        worst = worst.max((error - 1e-15) / unit);
    }
    assert_bound("units in the last place", worst, 0.5);
    // A reference counts as 2^20 (2^50 in f64) at most.
    let q = rebuilt([0.3, 0.2, 0.1], EulerOrder::XYZ);
    let limit = 2_f64.powi(50);
    let near = |r: f64| elea::euler_from_quat_near(q, EulerOrder::XYZ, [r, 0.0, 0.0], 0.0);
    assert_eq!(near(1e300), near(limit));
    assert!(near(limit) != near(0.5 * limit), "{:?}", near(limit));
    let (q, limit) = (q.map(|v| v as f32), 2_f32.powi(20));
    let near = |r: f32| elea::euler_from_quat_near(q, EulerOrder::XYZ, [r, 0.0, 0.0], 0.0);
    assert_eq!(near(f32::MAX), near(limit));
    assert!(near(limit) != near(0.5 * limit), "{:?}", near(limit));
    // A matrix is answered in f64, its references too.
    let m: [[f32; 3]; 3] = elea::mat3_from_euler([0.3, 0.2, 0.1], EulerOrder::XYZ);
    let limit = 2_f32.powi(50);
    let near = |r: f32| elea::euler_from_mat3_near(m, EulerOrder::XYZ, [r, 0.0, 0.0], 0.0);
    assert_eq!(near(f32::MAX), near(limit));
    assert!(near(limit) != near(0.5 * limit), "{:?}", near(limit));
    let q: [f64; 4] = elea::quat_from_euler([f64::MAX, f64::INFINITY, f64::NAN], EulerOrder::XYZ);
    assert!(
        (q.iter().map(|v| v * v).sum::<f64>() - 1.0).abs() < 1e-15,
        "{q:?}"
    );
}

#[test]
fn unrolling_makes_a_curve_continuous_and_keeps_every_rotation() {
    for order in EulerOrder::ALL {
        let path = |n: usize| {
            let t = n as f64 * 0.01;
            rebuilt([2.0 * t, 1.2 * t.sin(), -1.5 * t], order)
        };
        let canonical: Vec<[f64; 3]> = (0..1500).map(|n| elea::euler_from_quat(path(n), order)).collect();
        let mut curve = canonical.clone();
        elea::unroll_eulers(&mut curve, order);
        assert_eq!(curve[0], canonical[0], "the first frame stays");
        for n in 1..curve.len() {
            assert!(
                angle(rebuilt(curve[n], order), path(n)) < 1e-14,
                "{order:?} frame {n}"
            );
            let best = brute_force_distance(canonical[n], order, curve[n - 1]);
            assert!(
                distance(curve[n], curve[n - 1]) <= best + 1e-13,
                "{order:?} frame {n}"
            );
        }
    }
    let mut broken = [[3.1, 0.0, 0.0], [f64::NAN, 0.0, 0.0], [-3.1, 0.0, 0.0]];
    elea::unroll_eulers(&mut broken, EulerOrder::XYZ);
    assert!(
        broken[1][0].is_nan() && (broken[2][0] - (TAU - 3.1)).abs() < 1e-15,
        "{broken:?}"
    );
    // The difference of the two largest numbers is infinite: no later frame may become NaN by it.
    for huge in [f64::MAX, 2_f64.powi(50).next_up()] {
        let mut broken = [
            [-huge, 0.0, 0.0],
            [3.1, 0.0, 0.0],
            [huge, 0.0, 0.0],
            [-3.1, 0.0, 0.0],
        ];
        elea::unroll_eulers(&mut broken, EulerOrder::XYZ);
        assert_eq!([broken[0][0], broken[1][0], broken[2][0]], [-huge, 3.1, huge]);
        assert!((broken[3][0] - (TAU - 3.1)).abs() < 1e-15, "{broken:?}");
    }
    let mut broken = [[3.1_f32, 0.0, 0.0], [f32::MAX, 0.0, 0.0], [-3.1, 0.0, 0.0]];
    elea::unroll_eulers(&mut broken, EulerOrder::XYZ);
    assert_eq!(broken[1][0], f32::MAX);
    assert!((broken[2][0] - (TAU as f32 - 3.1)).abs() < 1e-6, "{broken:?}");
}

#[cfg(feature = "glam")]
#[test]
fn orders_mean_what_glam_means() {
    use elea::glam::{DMat3, DQuat, EulerRot};
    let mut random = Random(8);
    for order in EulerOrder::ALL {
        let theirs = EulerRot::from(order);
        assert_eq!(EulerOrder::from(theirs), order);
        assert_eq!(format!("{theirs:?}"), format!("{order:?}"));
        for _ in 0..100 {
            let [a, b, c] = core::array::from_fn(|_| random.range(-PI, PI));
            let q: DQuat = elea::quat_from_euler([a, b, c], theirs);
            assert!(
                angle(q.to_array(), DQuat::from_euler(theirs, a, b, c).to_array()) < 1e-14,
                "{order:?}"
            );
            let m: DMat3 = elea::mat3_from_euler([a, b, c], theirs);
            assert!(
                m.abs_diff_eq(DMat3::from_euler(theirs, a, b, c), 1e-14),
                "{order:?}"
            );
        }
    }
}
