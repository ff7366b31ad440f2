use super::*;
use crate::{Animation, BakeOptions, Channel, Interpolation, Key, rigs::Random};

const LOSSLESS: BakeOptions = BakeOptions {
    rotation_error: 0.0,
    position_error: 0.0,
};

#[test]
fn every_instruction_set_gives_the_same_bits() {
    let mut random = Random(3);
    for (joints, shared) in [
        (1, true),
        (8, true),
        (37, true),
        (64, true),
        (9, false),
        (40, false),
    ] {
        let skeleton = random.skeleton(joints);
        let animation = random.animation(joints, shared);
        for options in [
            BakeOptions {
                rotation_error: 1e-3,
                ..LOSSLESS
            },
            LOSSLESS,
        ] {
            let (clip, _) = animation.bake(&skeleton, &options).unwrap();
            for _ in 0..50 {
                let time = random.signed() * 12.0;
                crate::simd::tests::same_on_every_set(|| {
                    let mut pose = Pose::identity(joints);
                    let _ = clip.sample(time, &mut pose);
                    pose
                });
            }
        }
    }
}

/// Largest angle and distance (scale included) between two poses.
fn distance(a: &Pose, b: &Pose) -> (f64, f64) {
    a.transforms()
        .zip(b.transforms())
        .fold((0.0, 0.0), |(angle, far), (a, b)| {
            let (p, q) = (a.rotation.as_dquat(), b.rotation.as_dquat());
            let chord = (p - q).length().min((p + q).length());
            let apart = (a.translation - b.translation).length() + (a.scale - b.scale).length();
            (
                f64::max(angle, 4.0 * (chord / 2.0).asin()),
                f64::max(far, f64::from(apart)),
            )
        })
}

#[test]
fn a_clip_shows_what_its_animation_says() {
    let mut random = Random(5);
    let mut worst = [0.0_f64; 2];
    for (joints, shared) in [(1, true), (37, true), (9, false), (40, false)] {
        for _ in 0..5 {
            let skeleton = random.skeleton(joints);
            let animation = random.animation(joints, shared);
            let (clip, _) = animation.bake(&skeleton, &LOSSLESS).unwrap();
            let (packed, report) = animation.bake(&skeleton, &BakeOptions::default()).unwrap();
            let (mut exact, mut found) = (Pose::identity(joints), Pose::identity(joints));
            for _ in 0..200 {
                let time = random.signed() * 12.0;
                animation.sample(&skeleton, time, &mut exact);
                for (clip, kernel, bound) in [
                    (&clip, Kernel::Deterministic, 1e-5),
                    (&clip, Kernel::Fast, 1e-5),
                    (&packed, Kernel::Deterministic, 1e-4),
                ] {
                    let _ = clip.sample_with(kernel, time, &mut found);
                    let (angle, far) = distance(&exact, &found);
                    assert!(angle <= bound, "{angle} rad off at {time}, {kernel:?}");
                    assert!(far < 2e-6 * 12.0, "{far} off at {time}");
                    worst[usize::from(bound > 1e-5)] = worst[usize::from(bound > 1e-5)].max(angle);
                    for joint in skeleton.joints() {
                        let single = clip.joint(time, joint);
                        let (a, b) = (
                            [single].into_iter().collect(),
                            [found.get(joint)].into_iter().collect(),
                        );
                        let (angle, far) = distance(&a, &b);
                        assert!(
                            angle < 2e-6 && far < 2e-5,
                            "one joint by itself: {angle} rad, {far}"
                        );
                    }
                }
            }
            assert!(report.rotation_error <= 1e-4, "{report:?}");
        }
    }
    assert!(worst[1] > 1e-6, "16-bit storage was never used: {worst:?}");
}

/// Keys of one time are a step, however many: before it the first one's value counts, from it on the last one's.
#[test]
fn many_keys_of_one_time_are_one_step_among_lanes_of_other_times() {
    let mut random = Random(31);
    let skeleton = random.skeleton(8);
    for interpolation in [Interpolation::Step, Interpolation::Linear] {
        let value = |key: u16| Vec3::new(f32::from(key), 0.0, 0.0);
        let mut keys = vec![Key::new(0.0, value(0))];
        // Three hundred at 1 s and at 2 s: more than a byte counts.
        keys.extend((1..=300).map(|key| Key::new(1.0, value(key))));
        keys.extend((301..=600).map(|key| Key::new(2.0, value(key))));
        keys.push(Key::new(3.0, value(601)));
        let crowded = Channel::translation(JointId(3), interpolation, &keys).unwrap();
        let other = [Key::new(0.5, Vec3::ZERO), Key::new(2.5, Vec3::X)];
        let other = Channel::translation(JointId(5), Interpolation::Linear, &other).unwrap();
        let animation = Animation::new("crowded", vec![crowded, other]);
        let (clip, report) = animation.bake(&skeleton, &BakeOptions::default()).unwrap();
        assert_eq!(report.loose, 2);
        let linear = interpolation == Interpolation::Linear;
        let mut pose = Pose::identity(8);
        for (time, held, between) in [
            (-1.0, 0.0, 0.0),
            (0.5, 0.0, 0.5),
            (1.0, 300.0, 300.0),
            (1.5, 300.0, 300.5),
            (2.0, 600.0, 600.0),
            (2.5, 600.0, 600.5),
            (3.0, 601.0, 601.0),
            (9.0, 601.0, 601.0),
        ] {
            let _ = clip.sample(time, &mut pose);
            let x = pose.get(JointId(3)).translation.x;
            assert_eq!(x, if linear { between } else { held }, "at {time}");
            let x = pose.get(JointId(5)).translation.x;
            assert_eq!(x, ((time - 0.5) / 2.0).clamp(0.0, 1.0), "the other one at {time}");
        }
    }
}

/// Zero, one and the identity come out exactly, whatever keeps the keys.
#[test]
fn axes_and_the_identity_are_exact_in_every_storage() {
    let axes = [
        Quat::IDENTITY,
        Quat::from_xyzw(1.0, 0.0, 0.0, 0.0),
        Quat::from_xyzw(0.0, 1.0, 0.0, 0.0),
        Quat::from_xyzw(0.0, 0.0, 1.0, 0.0),
    ];
    let mut random = Random(37);
    let skeleton = random.skeleton(8);
    for shared in [true, false] {
        for options in [LOSSLESS, BakeOptions::default()] {
            let channels = (0..8_u16).map(|joint| {
                let start = if shared { 0.0 } else { f32::from(joint) * 0.25 };
                let axis = axes[usize::from(joint) % 4];
                let turned = Quat::from_rotation_x(0.3) * Quat::from_rotation_z(0.2) * axis;
                let keys = [Key::new(start, axis), Key::new(9.0, turned), Key::new(11.0, axis)];
                Channel::rotation(JointId(joint), Interpolation::Linear, &keys).unwrap()
            });
            let animation = Animation::new("axes", channels.collect());
            let (clip, report) = animation.bake(&skeleton, &options).unwrap();
            assert_eq!(report.loose, if shared { 0 } else { 8 });
            let mut pose = Pose::identity(8);
            for time in [0.0, 11.0] {
                let _ = clip.sample(time, &mut pose);
                for joint in 0..8_u16 {
                    let found = pose.get(JointId(joint)).rotation;
                    let axis = axes[usize::from(joint) % 4];
                    assert!(found == axis || found == -axis, "{found} at {time}, not {axis}");
                }
            }
        }
    }
}

/// Before the start the first of several keys counts, at it the last: the clamp to the start made one of both.
#[test]
fn before_the_start_the_first_of_several_keys_counts() {
    let skeleton = Random(43).skeleton(2);
    let keys = [
        Key::new(1.0, Vec3::ZERO),
        Key::new(1.0, Vec3::X),
        Key::new(2.0, Vec3::Y),
    ];
    let other = [Key::new(1.5, Vec3::ZERO), Key::new(1.75, Vec3::ONE)];
    for interpolation in [Interpolation::Step, Interpolation::Linear] {
        for is_loose in [false, true] {
            let mut channels = vec![Channel::translation(JointId(0), interpolation, &keys).unwrap()];
            if is_loose {
                channels.push(Channel::translation(JointId(1), Interpolation::Linear, &other).unwrap());
            }
            let (clip, report) = Animation::new("early", channels)
                .bake(&skeleton, &LOSSLESS)
                .unwrap();
            assert_eq!(report.loose > 0, is_loose);
            let mut pose = Pose::identity(2);
            for (time, expected) in [
                (f32::NEG_INFINITY, Vec3::ZERO),
                (0.5, Vec3::ZERO),
                (1.0_f32.next_down(), Vec3::ZERO),
                (1.0, Vec3::X),
                (2.0, Vec3::Y),
            ] {
                let _ = clip.sample(time, &mut pose);
                assert_eq!(pose.get(JointId(0)).translation, expected, "at {time}");
                assert_eq!(clip.joint(time, JointId(0)).translation, expected, "at {time}");
            }
        }
    }
}

/// A joint at rest beside an animated one was packed with it, and neither held to the bound nor reported.
#[test]
fn joints_that_stand_still_are_held_to_the_bound() {
    let rotation = Quat::from_xyzw(0.123_456, 0.345_678, 0.567_89, 0.3).normalize();
    let joint = |rest| crate::Joint {
        name: String::new(),
        parent: None,
        rest,
    };
    let rest = [Transform::IDENTITY, Transform::from_rotation(rotation)];
    let skeleton = crate::Skeleton::new(rest.map(joint).into()).unwrap();
    let keys = [
        Key::new(0.0, Quat::IDENTITY),
        Key::new(1.0, Quat::from_xyzw(1.0, 0.0, 0.0, 0.0)),
    ];
    let channel = Channel::rotation(JointId(0), Interpolation::Step, &keys).unwrap();
    let animation = Animation::new("step", vec![channel]);
    for bound in [1e-6, 1e-4] {
        let options = BakeOptions {
            rotation_error: bound,
            position_error: 0.0,
        };
        let (clip, report) = animation.bake(&skeleton, &options).unwrap();
        let mut pose = Pose::identity(2);
        let _ = clip.sample(0.0, &mut pose);
        let found = pose.get(JointId(1)).rotation.as_dquat();
        let angle = 4.0 * ((found - rotation.as_dquat()).length() / 2.0).asin();
        assert!(angle <= f64::from(bound), "{angle} rad off at {bound}");
        assert!(
            (angle - f64::from(report.rotation_error)).abs() < 1e-7,
            "{report:?}"
        );
        assert_eq!(report.packed, bound > 1e-5, "{report:?}");
    }
}
