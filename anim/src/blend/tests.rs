use glam::{Quat, Vec3};

use super::*;
use crate::{JointId, rigs::Random};

fn blend_two(a: Quat, b: Quat, weights: [f32; 2]) -> Quat {
    let pose = |rotation| {
        [crate::Transform::from_rotation(rotation)]
            .into_iter()
            .collect::<Pose>()
    };
    let (a, b, mut out) = (pose(a), pose(b), Pose::identity(1));
    let input = |pose, weight| BlendInput {
        pose,
        weight,
        mask: None,
    };
    let _ = blend(
        &[input(&a, weights[0]), input(&b, weights[1])],
        &Pose::identity(1),
        &mut out,
    );
    out.get(JointId(0)).rotation
}

#[test]
fn two_rotations_meet_on_the_short_way_whatever_their_signs() {
    // Blending took 270 degrees instead of 90 for these (godotengine/godot#81755).
    let a = Quat::from_xyzw(-0.062, 0.997, -0.003, 0.052).normalize();
    let b = Quat::from_xyzw(0.046, -0.742, -0.042, 0.668).normalize();
    let expected = a.as_dquat().slerp(-b.as_dquat(), 0.5);
    for (a, b) in [(a, b), (-a, b), (a, -b), (-a, -b)] {
        let found = blend_two(a, b, [0.5; 2]).as_dquat();
        let chord = (found - expected).length().min((found + expected).length());
        assert!(chord < 2e-7, "{found} is {chord} from {expected}");
        assert!((found.length() - 1.0).abs() < 2e-7, "{} long", found.length());
    }
}

#[test]
fn every_instruction_set_gives_the_same_bits() {
    let mut random = Random(7);
    for joints in [1, 8, 9, 37, 64] {
        let skeleton = random.skeleton(joints);
        let poses: Vec<Pose> = (0..5).map(|_| random.pose(joints)).collect();
        let masks: Vec<Option<Mask>> = (0..5)
            .map(|_| (random.below(2) == 0).then(|| random.mask(&skeleton)))
            .collect();
        let weights: Vec<f32> = (0..5).map(|_| random.unit()).collect();
        let inputs: Vec<BlendInput<'_>> = (0..5)
            .map(|i| BlendInput {
                pose: &poses[i],
                weight: weights[i],
                mask: masks[i].as_ref(),
            })
            .collect();
        let plain: Vec<BlendInput<'_>> = inputs
            .iter()
            .map(|input| BlendInput { mask: None, ..*input })
            .collect();
        crate::simd::tests::same_on_every_set(|| {
            let mut out = Pose::identity(joints);
            let mut results = Vec::new();
            for inputs in [&inputs, &plain] {
                results.push((blend(inputs, skeleton.rest_pose(), &mut out), out.clone()));
                results.push((blend_additive(inputs, &mut out), out.clone()));
                results.push((
                    stack(Kernel::Deterministic, &Weights(inputs), &mut out),
                    out.clone(),
                ));
                results.push((
                    stack(Kernel::Deterministic, &Weights(inputs), &mut out),
                    out.clone(),
                ));
            }
            results
        });
    }
}

/// The weighted average of one joint in f64.
fn average_f64(inputs: &[(crate::Transform, f64)]) -> (glam::DVec3, glam::DQuat, glam::DVec3) {
    let total: f64 = inputs.iter().map(|(_, weight)| weight).sum();
    let first = inputs
        .iter()
        .find(|(_, weight)| *weight > 0.0)
        .unwrap()
        .0
        .rotation
        .as_dquat();
    let (mut t, mut s, mut r) = (glam::DVec3::ZERO, glam::DVec3::ZERO, glam::DVec4::ZERO);
    for (transform, weight) in inputs {
        let q = transform.rotation.as_dquat();
        let sign = if q.dot(first) < 0.0 { -1.0 } else { 1.0 };
        t += transform.translation.as_dvec3() * (weight / total);
        s += transform.scale.as_dvec3() * (weight / total);
        r += glam::DVec4::from(q) * (sign * weight / total);
    }
    (t, glam::DQuat::from_vec4(r.normalize()), s)
}

#[test]
fn averages_are_those_of_f64_with_and_without_masks() {
    let mut random = Random(11);
    let joints = 29;
    let skeleton = random.skeleton(joints);
    for masked in [false, true] {
        for kernel in [Kernel::Deterministic, Kernel::Fast] {
            let poses: Vec<Pose> = (0..4).map(|_| random.pose(joints)).collect();
            let masks: Vec<Mask> = (0..4).map(|_| random.mask(&skeleton)).collect();
            let weights: Vec<f32> = (0..4).map(|_| random.unit() + 0.1).collect();
            let inputs: Vec<BlendInput<'_>> = (0..4)
                .map(|i| BlendInput {
                    pose: &poses[i],
                    weight: weights[i],
                    mask: masked.then_some(&masks[i]),
                })
                .collect();
            let mut out = Pose::identity(joints);
            let _ = blend_with(kernel, &inputs, skeleton.rest_pose(), &mut out);
            for joint in skeleton.joints() {
                let mask = |i: usize| if masked { masks[i].get(joint) } else { 1.0 };
                let of_joint: Vec<_> = (0..4)
                    .map(|i| (poses[i].get(joint), f64::from(weights[i] * mask(i))))
                    .collect();
                let found = out.get(joint);
                if of_joint.iter().all(|(_, weight)| *weight == 0.0) {
                    assert_eq!(found, skeleton.rest_pose().get(joint), "no weight: the rest pose");
                    continue;
                }
                let (t, r, s) = average_f64(&of_joint);
                assert!(
                    (found.translation.as_dvec3() - t).length() < 1e-6,
                    "{found:?}: {t}"
                );
                assert!((found.scale.as_dvec3() - s).length() < 1e-6, "{found:?}: {s}");
                let chord = (found.rotation.as_dquat() - r)
                    .length()
                    .min((found.rotation.as_dquat() + r).length());
                assert!(chord < 2e-5, "{found:?}: {r}");
            }
        }
    }
}

#[test]
fn additive_starts_at_the_base_and_ends_at_the_difference_times_the_base() {
    // Blending additive rotations from the wrong end changed the base at weight 0 (bevyengine/bevy#13832).
    let base = Quat::from_rotation_x(1.0);
    let turn = Quat::from_rotation_y(0.7);
    let difference = crate::Transform {
        translation: Vec3::X,
        rotation: -turn,
        scale: Vec3::splat(2.0),
    };
    let below = crate::Transform {
        translation: Vec3::Y,
        rotation: base,
        scale: Vec3::splat(3.0),
    };
    let pose: Pose = [difference].into_iter().collect();
    let add = |weight| {
        let mut out: Pose = [below].into_iter().collect();
        let _ = blend_additive(
            &[BlendInput {
                pose: &pose,
                weight,
                mask: None,
            }],
            &mut out,
        );
        out.get(JointId(0))
    };
    assert_eq!(add(0.0), below);
    let full = add(1.0);
    assert_eq!(
        (full.translation, full.scale),
        (Vec3::new(1.0, 1.0, 0.0), Vec3::splat(6.0))
    );
    assert!((full.rotation - turn * base).length() < 3e-7, "{}", full.rotation);
    assert_eq!(add(-1.0).translation, Vec3::new(-1.0, 1.0, 0.0));
}

#[test]
fn bad_weights_are_left_out_and_flagged() {
    let (a, b) = (Random(1).pose(3), Random(2).pose(3));
    let rest = Pose::identity(3);
    let input = |pose, weight| BlendInput {
        pose,
        weight,
        mask: None,
    };
    for bad in [f32::NAN, f32::INFINITY, -0.5] {
        let mut out = Pose::identity(3);
        let flags = blend(&[input(&a, bad), input(&b, 0.3)], &rest, &mut out);
        assert_eq!(flags, Flags::BAD_WEIGHT, "{bad}");
        for joint in 0..3 {
            let (found, expected) = (out.get(JointId(joint)), b.get(JointId(joint)));
            assert!(
                found.translation.abs_diff_eq(expected.translation, 1e-6),
                "{found:?}"
            );
        }
    }
    let mut out = a.clone();
    assert_eq!(blend(&[input(&a, 0.0)], &rest, &mut out), Flags::REST);
    assert_eq!(out, rest, "no weight at all: the rest pose");
}

#[test]
fn opposite_scales_are_flagged() {
    // A mirrored bone passed through a flat limb without a word (bdero/flutter_scene#249).
    let pose = |scale| {
        [crate::Transform {
            scale,
            ..crate::Transform::IDENTITY
        }]
        .into_iter()
        .collect::<Pose>()
    };
    let (a, b) = (pose(Vec3::new(-1.0, 1.0, 1.0)), pose(Vec3::new(1.0, 1.0, -1.0)));
    let input = |pose| BlendInput {
        pose,
        weight: 0.5,
        mask: None,
    };
    let mut out = Pose::identity(1);
    assert_eq!(
        blend(&[input(&a), input(&b)], &Pose::identity(1), &mut out),
        Flags::MIRRORED_SCALE
    );
    assert_eq!(
        blend(&[input(&a), input(&a)], &Pose::identity(1), &mut out),
        Flags::NONE
    );
    assert_eq!(out.get(JointId(0)).scale, Vec3::new(-1.0, 1.0, 1.0));
}

#[test]
fn a_mask_can_leave_out_properties() {
    let mut random = Random(23);
    let joints = 11;
    let skeleton = random.skeleton(joints);
    let (a, b) = (random.pose(joints), random.pose(joints));
    let rotations = Channels {
        translation: false,
        rotation: true,
        scale: false,
    };
    let mask = Mask::uniform(&skeleton, 1.0).with_channels(rotations);
    let inputs = [(&a, None), (&b, Some(&mask))].map(|(pose, mask)| BlendInput {
        pose,
        weight: 1.0,
        mask,
    });
    let plain = inputs.map(|input| BlendInput { mask: None, ..input });
    let (mut out, mut both) = (Pose::identity(joints), Pose::identity(joints));
    assert_eq!(blend(&inputs, skeleton.rest_pose(), &mut out), Flags::NONE);
    let _ = blend(&plain, skeleton.rest_pose(), &mut both);
    for joint in skeleton.joints() {
        let (found, a, both) = (out.get(joint), a.get(joint), both.get(joint));
        assert_eq!((found.translation, found.scale), (a.translation, a.scale));
        assert!(found.rotation.abs_diff_eq(both.rotation, 1e-6), "{found:?}");
    }
    // One over the other: the upper one's rotations over the lower one's places.
    let mut stacked = Pose::identity(joints);
    let _ = stack(Kernel::Deterministic, &Weights(&inputs), &mut stacked);
    // Added: the difference of the rotations alone.
    let mut sum = a.clone();
    let _ = blend_additive(&inputs[1..], &mut sum);
    for joint in skeleton.joints() {
        let (found, a, b) = (stacked.get(joint), a.get(joint), b.get(joint));
        assert_eq!((found.translation, found.scale), (a.translation, a.scale));
        assert!(found.rotation.abs_diff_eq(b.rotation, 1e-6), "{found:?}");
        let sum = sum.get(joint);
        assert_eq!((sum.translation, sum.scale), (a.translation, a.scale));
        let turned = b.rotation * a.rotation;
        assert!(sum.rotation.dot(turned).abs() > 1.0 - 1e-6, "{sum:?}");
    }
}

#[test]
fn a_pose_alone_stays_as_it_is_and_great_weights_are_finite() {
    let pose = Random(5).pose(9);
    let rest = Pose::identity(9);
    for weight in [1e-30, 0.3, 1.0, 7.0, f32::MAX] {
        let input = BlendInput {
            pose: &pose,
            weight,
            mask: None,
        };
        for count in [1, 2, 12] {
            let mut out = Pose::identity(9);
            let flags = blend(&vec![input; count], &rest, &mut out);
            assert_eq!(flags, Flags::NONE, "{count} of weight {weight}");
            for (found, expected) in out.transforms().zip(pose.transforms()) {
                let is_near = found.translation.abs_diff_eq(expected.translation, 1e-6)
                    && found.scale.abs_diff_eq(expected.scale, 1e-6);
                assert!(is_near, "{count} of weight {weight}: {found:?}, not {expected:?}");
                if count == 1 {
                    assert_eq!(
                        (found.translation, found.scale),
                        (expected.translation, expected.scale)
                    );
                }
            }
        }
    }
}

/// Masks that leave next to nothing made a quaternion whose square was zero, and NaN of it.
#[test]
fn masks_next_to_zero_give_the_average_or_the_rest_pose() {
    let mut random = Random(77);
    let skeleton = random.skeleton(9);
    let (a, b) = (random.pose(9), random.pose(9));
    for value in [1e-45_f32, 1e-30, 1e-22, 1e-16, 1e-14, 1e-7] {
        let mut mask = Mask::uniform(&skeleton, 1.0);
        mask.set(JointId(4), value);
        let inputs = [&a, &b].map(|pose| BlendInput {
            pose,
            weight: 1.0,
            mask: Some(&mask),
        });
        for count in [1, 6] {
            let (inputs, plain) = (
                inputs.repeat(count),
                inputs
                    .map(|input| BlendInput { mask: None, ..input })
                    .repeat(count),
            );
            let (mut out, mut expected) = (Pose::identity(9), Pose::identity(9));
            let flags = blend(&inputs, skeleton.rest_pose(), &mut out);
            let _ = blend(&plain, skeleton.rest_pose(), &mut expected);
            if value < 1e-15 {
                assert_eq!(flags, Flags::REST, "mask {value}");
                expected.set(JointId(4), skeleton.rest_pose().get(JointId(4)));
            } else {
                assert_eq!(flags, Flags::NONE, "mask {value}");
            }
            for (found, expected) in out.transforms().zip(expected.transforms()) {
                let is_near = found.translation.abs_diff_eq(expected.translation, 1e-6)
                    && found.rotation.abs_diff_eq(expected.rotation, 1e-6)
                    && found.scale.abs_diff_eq(expected.scale, 1e-6);
                assert!(is_near, "mask {value}: {found:?}, not {expected:?}");
            }
        }
    }
}

fn of_one(rotation: Quat) -> Pose {
    [crate::Transform::from_rotation(rotation)].into_iter().collect()
}

fn whole(pose: &Pose, weight: f32) -> BlendInput<'_> {
    BlendInput {
        pose,
        weight,
        mask: None,
    }
}

/// A masked blend left NaN in the lanes behind the last joint, and the next blend took it for a mirrored scale.
#[test]
fn lanes_behind_the_last_joint_stay_whole_under_masks() {
    let skeleton = Random(11).skeleton(1);
    let mask = Mask::uniform(&skeleton, 1.0);
    let (a, b) = (
        of_one(Quat::from_rotation_x(0.5)),
        of_one(Quat::from_rotation_y(0.5)),
    );
    let masked = |pose| BlendInput {
        pose,
        weight: 1.0,
        mask: Some(&mask),
    };
    let (mut out, mut next) = (Pose::identity(1), Pose::identity(1));
    let flags = blend(&[masked(&a), masked(&b)], skeleton.rest_pose(), &mut out);
    assert!(flags.is_empty());
    assert_eq!(out, out.clone(), "a number is equal to itself");
    let flags = blend(
        &[whole(&out, 1.0), whole(&a, 1.0)],
        skeleton.rest_pose(),
        &mut next,
    );
    assert!(flags.is_empty(), "{flags:?}");
    assert_eq!(next, next.clone());
}

/// Opposite rotations cancel; what is left had no length, and NaN came out.
#[test]
fn opposite_rotations_leave_the_first_one() {
    let [first, turn, back] = [
        Quat::IDENTITY,
        Quat::from_xyzw(1.0, 0.0, 0.0, 0.0),
        Quat::from_xyzw(-1.0, 0.0, 0.0, 0.0),
    ]
    .map(of_one);
    let inputs = [whole(&first, 1e-25), whole(&turn, 1.0), whole(&back, 1.0)];
    let rest = Pose::identity(1);
    let found = crate::simd::tests::same_on_every_set(|| {
        let mut out = Pose::identity(1);
        let _ = blend(&inputs, &rest, &mut out);
        out.get(JointId(0)).rotation
    });
    assert_eq!(found, Quat::IDENTITY);
    let layers = [whole(&back, 1.0), whole(&turn, 0.5), whole(&first, 1e-25)];
    let found = crate::simd::tests::same_on_every_set(|| {
        let mut out = Pose::identity(1);
        let _ = stack(Kernel::Deterministic, &Weights(&layers), &mut out);
        out.get(JointId(0)).rotation
    });
    assert_eq!(found, Quat::IDENTITY);
}

#[test]
fn rotations_stay_rotations_however_much_is_added() {
    let turn = of_one(Quat::from_rotation_x(1.0));
    let half = of_one(Quat::from_xyzw(1.0, 0.0, 0.0, 0.0));
    for (inputs, expected) in [
        // The way to infinity ends at the difference of both ends: w (r - 1), normalised.
        (
            vec![whole(&turn, 1e20)],
            Quat::from_xyzw(0.5_f32.sin(), 0.0, 0.0, 0.5_f32.cos() - 1.0).normalize(),
        ),
        // Half a half turn 160 times: 160 quarter turns.
        (vec![whole(&half, 0.5); 160], Quat::IDENTITY),
        (
            vec![whole(&half, 0.5); 161],
            Quat::from_rotation_x(std::f32::consts::FRAC_PI_2),
        ),
    ] {
        let mut out = Pose::identity(1);
        let flags = blend_additive(&inputs, &mut out);
        let found = out.get(JointId(0)).rotation;
        assert!(flags.is_empty());
        assert!((found.length() - 1.0).abs() < 1e-6, "{found}");
        let chord = (found - expected).length().min((found + expected).length());
        // The limit is reached within 1e-4 at a weight of 1e4; roundings of 160 products.
        assert!(chord < 5e-4, "{found}, not {expected}");
    }
}
