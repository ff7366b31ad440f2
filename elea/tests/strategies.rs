//! The strategies plant what they say, and elea stands all of it.
#![cfg(feature = "proptest")]

use elea::EulerOrder;
use elea::strategies as s;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

fn samples<T: std::fmt::Debug>(strategy: impl Strategy<Value = T>) -> Vec<T> {
    let mut runner = TestRunner::deterministic();
    (0..4000)
        .map(|_| strategy.new_tree(&mut runner).expect("no filter").current())
        .collect()
}

fn length(q: [f64; 4]) -> f64 {
    q.iter().map(|v| v * v).sum::<f64>().sqrt()
}

fn determinant(m: s::Matrix) -> f64 {
    let [a, b, c] = m;
    a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
}

#[test]
fn rotations_are_unit_and_often_have_equal_components() {
    let all = samples(s::rotation());
    assert!(all.iter().all(|q| (length(*q) - 1.0).abs() < 1e-15), "unit");
    let equal = all
        .iter()
        .filter(|q| (q[0].abs() - q[1].abs()).abs() < 1e-14)
        .count();
    assert!(
        equal > 200,
        "x and y equal to a few units in the last place: {equal}"
    );
}

#[test]
fn half_turns_are_near_and_exact_with_each_component_largest() {
    let all = samples(s::near_half_turn());
    assert!(
        all.iter()
            .all(|q| q[3].abs() < 0.06 && (length(*q) - 1.0).abs() < 1e-15),
        "near"
    );
    assert!(all.iter().filter(|q| q[3] == 0.0).count() > 200, "exact ones");
    assert!(
        all.iter().filter(|q| q[3] != 0.0 && q[3] < 1e-12).count() > 200,
        "very near ones"
    );
    for n in 0..3 {
        let largest = all
            .iter()
            .filter(|q| (0..3).all(|k| q[n].abs() >= q[k].abs()))
            .count();
        assert!(largest > 500, "component {n}: {largest}");
    }
}

#[test]
fn tiny_rotations_reach_far_down() {
    let all = samples(s::tiny_rotation());
    let size = |q: &[f64; 4]| q[0].abs().max(q[1].abs()).max(q[2].abs());
    assert!(all.iter().all(|q| size(q) <= 0.05), "tiny");
    assert!(
        all.iter().filter(|q| size(q) < 1e-100 && size(q) > 0.0).count() > 500,
        "very tiny ones"
    );
    assert!(
        all.iter().filter(|q| size(q) == 0.0).count() > 200,
        "the identity"
    );
}

#[test]
fn locks_are_at_and_on_both_sides_of_the_order() {
    for order in [EulerOrder::XYZ, EulerOrder::ZXZ] {
        let from_lock = |angles: &[f64; 3]| {
            if order.is_proper() {
                angles[1].sin()
            } else {
                angles[1].cos()
            }
        };
        let all = samples(s::near_gimbal_lock(order));
        assert!(all.iter().all(|a| from_lock(a).abs() <= 0.1), "near");
        assert!(
            all.iter().filter(|a| from_lock(a).abs() < 2e-16).count() > 300,
            "exact ones"
        );
        let above = all.iter().filter(|a| from_lock(a) > 1e-14).count();
        let below = all.iter().filter(|a| from_lock(a) < -1e-14).count();
        assert!(above > 500 && below > 500, "{above} {below}");
    }
}

#[test]
fn matrices_are_of_their_kind() {
    assert!(
        samples(s::noisy_rotation(0.01))
            .iter()
            .all(|m| (determinant(*m) - 1.0).abs() < 0.1),
        "noisy"
    );
    assert!(
        samples(s::sheared()).iter().all(|m| determinant(*m) > 0.0),
        "sheared"
    );
    let scaled = samples(s::scaled());
    let size = |m: &s::Matrix| m.as_flattened().iter().fold(0.0_f64, |l, v| l.max(v.abs()));
    assert!(
        scaled.iter().filter(|m| size(m) < f64::MIN_POSITIVE).count() > 20,
        "denormal ones"
    );
    assert!(
        scaled.iter().all(|m| size(m) > 0.0 && size(m).is_finite()),
        "no zero, no infinity"
    );
    let reflected = samples(s::reflected());
    assert!(reflected.iter().all(|m| determinant(*m) < 0.0), "reflected");
}

proptest! {
    #[test]
    fn a_rotation_comes_back(q in prop_oneof![s::rotation(), s::near_half_turn(), s::tiny_rotation()]) {
        let back = elea::quat_from_mat3(elea::mat3_from_quat(q));
        prop_assert!(elea::angle_between(back, q) < 3e-15);
    }

    #[test]
    fn a_lock_comes_back(angles in s::near_gimbal_lock(EulerOrder::YXZ)) {
        let q: [f64; 4] = elea::quat_from_euler(angles, EulerOrder::YXZ);
        let again: [f64; 4] = elea::quat_from_euler(elea::euler_from_quat(q, EulerOrder::YXZ), EulerOrder::YXZ);
        prop_assert!(elea::angle_between(again, q) < 3e-15);
    }

    #[test]
    fn every_matrix_has_a_unit_quaternion(
        m in prop_oneof![s::noisy_rotation(0.5).boxed(), s::scaled().boxed(), s::sheared().boxed(), s::reflected().boxed()],
    ) {
        prop_assert!((length(elea::quat_from_mat3(m)) - 1.0).abs() < 1e-15);
        let single = m.map(|c| c.map(|v| {
            #[allow(clippy::cast_possible_truncation, reason = "rounding is wanted")]
            let v = v as f32;
            v
        }));
        prop_assert!((length(elea::quat_from_mat3(single).map(f64::from)) - 1.0).abs() < 3e-7);
    }

    #[test]
    fn polar_parts_multiply_back(m in prop_oneof![s::sheared().boxed(), s::reflected().boxed()]) {
        let polar = elea::polar_from_mat3(m).expect("regular");
        for c in 0..3 {
            for r in 0..3 {
                let v: f64 = (0..3).map(|k| polar.rotation[k][r] * polar.stretch[c][k]).sum();
                prop_assert!((v - m[c][r]).abs() < 3e-14, "{m:?}");
            }
        }
    }
}

/// Nine floats of any bits; in three of eight the exponent is set to that of zero and the denormals, of the largest numbers, or of
/// NaN and infinity. Three integers rather than nine strategies, for speed.
fn any_nine_floats() -> impl Strategy<Value = [[f32; 3]; 3]> {
    any::<(u128, u128, u64)>().prop_map(|(a, b, c)| {
        let word = |n: usize| {
            let wide = [a, b, u128::from(c)][n / 4] >> (32 * (n % 4));
            u32::try_from(wide & u128::from(u32::MAX)).unwrap_or(0)
        };
        core::array::from_fn(|column| {
            core::array::from_fn(|row| {
                let n = 3 * column + row;
                f32::from_bits(match word(9) >> (3 * n) & 7 {
                    0 => word(n) & !(0xff << 23),
                    1 => word(n) & !(0xff << 23) | 0xfe << 23,
                    2 => word(n) | 0xff << 23,
                    _ => word(n),
                })
            })
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000_000))]

    #[test]
    fn any_nine_floats_have_an_answer(m in any_nine_floats(), order in 0..24_usize) {
        let q = elea::quat_from_mat3(m);
        prop_assert!((length(q.map(f64::from)) - 1.0).abs() < 3e-7, "{q:?}");
        let order = EulerOrder::ALL[order];
        let angles = elea::euler_from_mat3(m, order);
        prop_assert!(angles.iter().all(|v| v.abs() < 3.15), "{angles:?}");
        // Three of the floats as a reference, another as a tolerance.
        let near = elea::euler_from_mat3_near(m, order, m[1], m[2][0]);
        prop_assert!(near.iter().all(|v| v.is_finite()), "{near:?}");
        match elea::polar_from_mat3(m) {
            Ok(polar) => prop_assert!(
                polar.rotation.as_flattened().iter().all(|v| v.abs() < 1.001)
                    && polar.stretch.as_flattened().iter().all(|v| !v.is_nan()),
                "{polar:?}"
            ),
            Err(error) => prop_assert!(elea::try_quat_from_mat3(m) == Err(error), "{error}"),
        }
    }
}
