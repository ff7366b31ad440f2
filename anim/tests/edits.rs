//! Cutting, joining and turning animations.

use elea_anim::{
    AnimError, Animation, BakeOptions, Channel, Interpolation, Joint, JointId, Key, Marker, Pose, Skeleton,
    Transform, Values,
    glam::{Quat, Vec3},
};

const ROOT: JointId = JointId(0);
const ARM: JointId = JointId(1);

fn skeleton() -> Skeleton {
    let joint = |name: &str, parent, y| Joint {
        name: name.into(),
        parent,
        rest: Transform::from_translation(Vec3::Y * y),
    };
    Skeleton::new(vec![joint("root", None, 1.0), joint("arm", Some(ROOT), 2.0)]).unwrap()
}

fn key(time: f32, x: f32) -> Key<Vec3> {
    Key::new(time, Vec3::new(x, x * x, -x))
}

/// One channel of each interpolation: translation of the root, rotation of the arm, scale of the arm.
fn motion(interpolation: Interpolation) -> Animation {
    let places = [key(1.0, 0.0), key(2.0, 3.0), key(2.5, 1.0), key(4.0, 2.0)].map(|key| Key {
        tangents: Some([key.value * 0.5, Vec3::ONE - key.value]),
        ..key
    });
    let turns = [1.0, 1.5, 3.0, 4.0].map(|time: f32| Key {
        time,
        value: Quat::from_rotation_x(time * time * 0.3),
        tangents: Some([
            Quat::from_xyzw(0.1, 0.2, 0.0, -0.1),
            Quat::from_xyzw(0.2, 0.0, 0.1, 0.1),
        ]),
    });
    let scales = [Key::new(1.0, Vec3::ONE), Key::new(4.0, Vec3::splat(2.0))];
    let mut animation = Animation::new(
        "motion",
        vec![
            Channel::translation(ROOT, interpolation, &places).unwrap(),
            Channel::rotation(ARM, interpolation, &turns).unwrap(),
            Channel::scale(ARM, interpolation, &scales).unwrap(),
        ],
    );
    animation.events = vec![
        Marker::new(1.0, "start"),
        Marker::new(2.25, "middle"),
        Marker::new(4.0, "end"),
    ];
    animation
}

fn at(animation: &Animation, time: f32) -> Pose {
    let mut pose = Pose::identity(2);
    animation.sample(&skeleton(), time, &mut pose);
    pose
}

#[track_caller]
fn assert_same(a: &Pose, b: &Pose, tolerance: f32) {
    for (a, b) in a.transforms().zip(b.transforms()) {
        let close = a.translation.abs_diff_eq(b.translation, tolerance)
            && a.scale.abs_diff_eq(b.scale, tolerance)
            && (a.rotation.abs_diff_eq(b.rotation, tolerance)
                || a.rotation.abs_diff_eq(-b.rotation, tolerance));
        assert!(close, "{a:?}\n{b:?}");
    }
}

const ALL: [Interpolation; 3] = [
    Interpolation::Step,
    Interpolation::Linear,
    Interpolation::CubicSpline,
];

#[test]
fn what_is_left_after_a_cut_is_what_was_there() {
    for interpolation in ALL {
        let whole = motion(interpolation);
        // 1e-5 rad are half of that between quaternions.
        let tolerance = 5e-6;
        let mut middle = whole.clone();
        middle.trim(1.75, 3.5).unwrap();
        assert_eq!((middle.start(), middle.end()), (1.75, 3.5));
        assert_eq!(middle.events.len(), 1);
        let (before, after) = whole.split(2.25).unwrap();
        assert_eq!(
            (before.start(), before.end(), after.start(), after.end()),
            (1.0, 2.25, 2.25, 4.0)
        );
        let names = |animation: &Animation| {
            animation
                .events
                .iter()
                .map(|e| e.name.to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            (names(&before), names(&after)),
            (vec!["start".into()], vec!["middle".into(), "end".into()])
        );
        for step in 0..120_u8 {
            let time = 1.0 + f32::from(step) * 0.025;
            let expected = at(&whole, time);
            if (1.75..=3.5).contains(&time) {
                assert_same(&at(&middle, time), &expected, tolerance);
            }
            assert_same(
                &at(if time < 2.25 { &before } else { &after }, time),
                &expected,
                tolerance,
            );
        }
        // Joined again, it is the whole.
        let mut again = before.clone();
        again.append(&after, &skeleton()).unwrap();
        for step in 0..=120_u8 {
            let time = 1.0 + f32::from(step) * 0.025;
            assert_same(&at(&again, time), &at(&whole, time), tolerance);
        }
    }
}

#[test]
fn cuts_outside_are_refused() {
    let mut animation = motion(Interpolation::Linear);
    let before = animation.clone();
    for (start, end) in [
        (0.5, 2.0),
        (1.0, 5.0),
        (3.0, 2.0),
        (f32::NAN, 2.0),
        (2.0, f32::NAN),
    ] {
        let error = animation.trim(start, end).unwrap_err();
        assert!(matches!(error, AnimError::EditValue { .. }), "{error}");
        assert_eq!(animation, before, "untouched");
    }
    assert_eq!(
        animation.split(9.0).unwrap_err().to_string(),
        "time is 9, which is not within the animation"
    );
}

#[test]
fn references_that_are_too_small_are_named() {
    let error = motion(Interpolation::Linear)
        .to_additive(&Pose::identity(1))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "channel of joint 1, but the reference pose has 1 joints"
    );
    let options = BakeOptions {
        position_error: -0.5,
        ..BakeOptions::default()
    };
    let error = motion(Interpolation::Linear)
        .bake(&skeleton(), &options)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "bake option position_error is -0.5, which is not 0 or more"
    );
}

#[test]
fn joints_of_one_part_rest_in_the_other() {
    let slide = |joint, x| {
        Animation::new(
            "slide",
            vec![Channel::translation(joint, Interpolation::Linear, &[key(0.0, x), key(1.0, x)]).unwrap()],
        )
    };
    let mut animation = slide(ROOT, 5.0);
    animation.append(&slide(ARM, 7.0), &skeleton()).unwrap();
    assert_eq!(animation.duration(), 2.0);
    let x = |time| {
        let pose = at(&animation, time);
        (pose.get(ROOT).translation, pose.get(ARM).translation)
    };
    assert_eq!(x(0.5), (Vec3::new(5.0, 25.0, -5.0), Vec3::Y * 2.0));
    assert_eq!(x(1.5), (Vec3::Y, Vec3::new(7.0, 49.0, -7.0)));
    // Steps and lines join; a spline needs a spline.
    let mut step = motion(Interpolation::Step);
    step.append(&motion(Interpolation::Linear), &skeleton()).unwrap();
    assert_same(&at(&step, 2.4), &at(&motion(Interpolation::Step), 2.4), 1e-6);
    assert_same(
        &at(&step, 4.0 + 1.4),
        &at(&motion(Interpolation::Linear), 2.4),
        1e-5,
    );
    let error = step
        .append(&motion(Interpolation::CubicSpline), &skeleton())
        .unwrap_err();
    assert_eq!(error, AnimError::CurvesDiffer { joint: ROOT });
}

#[test]
fn backward_is_the_mirror_in_time() {
    for interpolation in ALL {
        let whole = motion(interpolation);
        let reversed = whole.reversed().unwrap();
        assert_eq!((reversed.start(), reversed.end()), (1.0, 4.0));
        // Off the keys: a step holds its key's instant on the other side.
        for step in 0..119_u8 {
            let time = 1.0125 + f32::from(step) * 0.025;
            assert_same(&at(&reversed, 5.0 - time), &at(&whole, time), 2e-5);
        }
        let times: Vec<f32> = reversed.events.iter().map(|event| event.time).collect();
        assert_eq!(times, [1.0, 2.75, 4.0]);
    }
}

#[test]
fn slower_is_the_same_later() {
    for interpolation in ALL {
        let whole = motion(interpolation);
        let slow = whole.time_scaled(2.5).unwrap();
        for step in 0..=120_u8 {
            let time = 1.0 + f32::from(step) * 0.025;
            assert_same(
                &at(&slow, time * 2.5),
                &at(&whole, time),
                if step % 20 == 0 { 3.0 } else { 2e-5 },
            );
        }
        assert_eq!(slow.events[1].time, 2.25 * 2.5);
        for bad in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            assert!(whole.time_scaled(bad).is_err(), "{bad}");
        }
        assert!(whole.time_scaled(f32::MAX).is_err(), "times beyond f32");
    }
}

#[test]
fn merging_replaces_what_both_move() {
    let mut animation = motion(Interpolation::Linear);
    let other = Animation::new(
        "other",
        vec![
            Channel::translation(ROOT, Interpolation::Linear, &[key(0.0, 9.0)]).unwrap(),
            Channel::translation(ARM, Interpolation::Linear, &[key(0.0, 8.0)]).unwrap(),
        ],
    );
    animation.merge(&other);
    assert_eq!(animation.channels.len(), 4);
    let pose = at(&animation, 2.0);
    assert_eq!(
        (pose.get(ROOT).translation.x, pose.get(ARM).translation.x),
        (9.0, 8.0)
    );
    let (root, rest) = animation.split_joints(|joint| joint == ROOT);
    assert_eq!((root.channels.len(), rest.channels.len()), (1, 3));
}

#[test]
fn differences_added_to_their_reference_are_the_animation() {
    use elea_anim::{BlendInput, blend_additive};
    for interpolation in ALL {
        let whole = motion(interpolation);
        let reference = at(&whole, 1.75);
        let additive = whole.to_additive(&reference).unwrap();
        assert!(additive.additive, "marked as differences");
        let (clip, _) = additive
            .bake(
                &skeleton(),
                &BakeOptions {
                    rotation_error: 0.0,
                    position_error: 0.0,
                },
            )
            .unwrap();
        let mut difference = Pose::identity(2);
        for step in 0..=120_u8 {
            let time = 1.0 + f32::from(step) * 0.025;
            let _ = clip.sample(time, &mut difference);
            let mut sum = reference.clone();
            let _ = blend_additive(
                &[BlendInput {
                    pose: &difference,
                    weight: 1.0,
                    mask: None,
                }],
                &mut sum,
            );
            assert_same(&sum, &at(&whole, time), 3e-5);
        }
    }
    let mut flat = skeleton().rest_pose().clone();
    flat.set(
        ARM,
        Transform {
            scale: Vec3::new(1.0, 0.0, 1.0),
            ..Transform::IDENTITY
        },
    );
    let error = motion(Interpolation::Linear).to_additive(&flat).unwrap_err();
    assert_eq!(error, AnimError::ZeroReferenceScale { joint: ARM });
}

#[test]
fn a_difference_is_not_turned_by_the_base() {
    // Subtracting poses turned the translation by the base's rotation (o3de/o3de#19965).
    let mut base = skeleton().rest_pose().clone();
    base.set(
        ROOT,
        Transform {
            translation: Vec3::X,
            rotation: Quat::from_rotation_z(std::f32::consts::FRAC_PI_2),
            scale: Vec3::ONE,
        },
    );
    let target = Channel::translation(
        ROOT,
        Interpolation::Linear,
        &[Key::new(0.0, Vec3::new(3.0, 0.0, 0.0))],
    )
    .unwrap();
    let additive = Animation::new("move", vec![target]).to_additive(&base).unwrap();
    assert_eq!(
        additive.channels[0].values(),
        &Values::Translation(vec![Vec3::X * 2.0])
    );
}

/// One joint's positions with keys at these times, the last of them at 1 on every axis and the others at 0.
fn places(joint: JointId, times: &[f32]) -> Animation {
    let mut values = vec![Vec3::ZERO; times.len()];
    values[times.len() - 1] = Vec3::ONE;
    let channel = Channel::new(joint, Interpolation::Linear, times, Values::Translation(values));
    Animation::new("places", vec![channel.unwrap()])
}

/// A spline from key to key, the first one's way out and the last one's way in as given, in units a second.
fn spline(times: [f32; 2], value: f32, [out, into]: [f32; 2]) -> Channel {
    let values = [0.0, value, out, into, value, 0.0].map(Vec3::splat);
    let values = Values::Translation(values.to_vec());
    Channel::new(ARM, Interpolation::CubicSpline, times, values).unwrap()
}

fn with_event(mut animation: Animation, time: f32) -> Animation {
    animation.events = vec![Marker::new(time, "far")];
    animation
}

#[test]
fn times_that_go_too_far_are_named() {
    let far = Channel::MAX_TIME;
    let marker = || AnimError::MarkerTime { name: "far".into() };
    let late = |key| AnimError::TimeTooLarge {
        joint: ARM,
        property: "translation",
        key,
    };
    let infinite = |key| AnimError::TimeNotFinite {
        joint: ARM,
        property: "translation",
        key,
    };
    // Appended.
    let mut first = with_event(places(ROOT, &[0.0, far * 0.75]), 1.0);
    let before = first.clone();
    for (second, error) in [
        (places(ARM, &[0.0, far * 0.3]), late(1)),
        (places(ARM, &[-far, -far * 0.9, far]), late(2)),
        (with_event(places(ARM, &[0.0, 1.0]), f32::MAX), marker()),
        (
            places(JointId(9), &[0.0, 1.0]),
            AnimError::NoSuchJoint {
                joint: JointId(9),
                joints: 2,
            },
        ),
    ] {
        assert_eq!(first.append(&second, &skeleton()).unwrap_err(), error);
        assert_eq!(first, before, "untouched after {error}");
    }
    first
        .append(&places(ARM, &[0.0, far * 0.2]), &skeleton())
        .unwrap();
    assert_eq!(first.end(), far * 0.75 + far * 0.2);
    // Scaled.
    let brief = places(ARM, &[0.0, 4.0]);
    for (animation, factor, error) in [
        (&brief, far / 3.0, late(1)),
        (&brief, f32::MAX / 2.0, infinite(1)),
        (&with_event(brief.clone(), -1e38), 4.0, marker()),
    ] {
        assert_eq!(animation.time_scaled(factor).unwrap_err(), error);
    }
    assert_eq!(brief.time_scaled(far / 4.0).unwrap().end(), far);
    // Shifted.
    for (animation, seconds, error) in [
        (&brief, -far * 1.01, late(0)),
        (&places(ARM, &[0.0, far]), f32::MAX, late(0)),
        (&places(ARM, &[far]), f32::MAX, infinite(0)),
        (&with_event(brief.clone(), f32::MAX), far, marker()),
    ] {
        assert_eq!(animation.shifted(seconds).unwrap_err(), error);
    }
    // Backward.
    assert_eq!(
        with_event(places(ARM, &[0.0, far]), -f32::MAX)
            .reversed()
            .unwrap_err(),
        marker()
    );
}

#[test]
fn values_that_grow_too_large_are_named() {
    let (joint, limit) = (ARM, Channel::MAX_VALUE);
    let too_large = |property, key| AnimError::ValueTooLarge {
        joint,
        property,
        key,
        limit,
    };
    let not_finite = |property, key| AnimError::ValueNotFinite { joint, property, key };
    let (large, infinite) = (
        |key| too_large("translation", key),
        |key| not_finite("translation", key),
    );
    // Tangents are divided by the factor; the time of steep ones is lengthened by rounding.
    let steep = Animation::new("", vec![spline([0.0, 1e-3], 0.0, [1e38, 0.0])]);
    assert_eq!(steep.time_scaled(0.1).unwrap_err(), infinite(0));
    // 8 s apart where f32 has no other times in between.
    let steep = Animation::new("", vec![spline([3.9, 4.1], 0.0, [1e38, 0.0])]);
    assert_eq!(steep.shifted(1e8).unwrap_err(), large(0));
    // A cut where a spline has swung out, and one where it is too steep; the other channel stays whole, too.
    let whole = |spline| {
        let other = places(ROOT, &[0.0, 2.0]).channels.swap_remove(0);
        Animation::new("", vec![other, spline])
    };
    let swing = whole(spline([0.0, 1.0], limit, [limit, -limit]));
    // 2^-100 s: a change by 2^100 within it is one by 2^200 a second.
    let tiny = 2.0_f32.powi(-100);
    let values = [0.0, 0.0, 0.0, 0.0, 2.0_f32.powi(100), 0.0].map(Vec3::splat);
    let values = Values::Translation(values.to_vec());
    let sudden = Channel::new(ARM, Interpolation::CubicSpline, [0.0, tiny], values).unwrap();
    for (mut animation, end, error) in [(swing, 0.5, large(1)), (whole(sudden), tiny / 2.0, infinite(1))] {
        let before = animation.clone();
        assert_eq!(animation.trim(0.0, end).unwrap_err(), error);
        assert_eq!(animation.split(end).unwrap_err(), error);
        assert_eq!(animation, before, "untouched after {error}");
    }
    // Differences and ratios.
    let mut reference = skeleton().rest_pose().clone();
    let sizes = |scale: f32| {
        let keys = [Key::new(0.0, Vec3::splat(scale))];
        let channel = Channel::scale(ARM, Interpolation::Linear, &keys);
        Animation::new("", vec![channel.unwrap()])
    };
    for (translation, scale, animation, error) in [
        (-limit, 1.0, places(ARM, &[0.0]), None),
        (-limit, 1.0, places(ARM, &[0.0, 1.0]), None),
        (-limit * 1.1, 1.0, places(ARM, &[0.0, 1.0]), Some(large(0))),
        (0.0, 1e-30, sizes(1e7), None),
        (0.0, 1e-30, sizes(1e8), Some(too_large("scale", 0))),
        (0.0, 1e-30, sizes(1e9), Some(not_finite("scale", 0))),
    ] {
        let transform = Transform {
            scale: Vec3::splat(scale),
            ..Transform::from_translation(Vec3::splat(translation))
        };
        reference.set(ARM, transform);
        assert_eq!(
            animation.to_additive(&reference).err(),
            error,
            "{translation}, {scale}"
        );
    }
    // In a mirror: the partner's rest scale is another.
    let mut joints = skeleton().to_joints();
    joints[1].rest.scale = Vec3::splat(1e-30);
    let uneven = Skeleton::new(joints).unwrap();
    let (joint, property) = (ROOT, "scale");
    for (scale, error) in [
        (
            1e8,
            AnimError::ValueTooLarge {
                joint,
                property,
                key: 0,
                limit,
            },
        ),
        (
            1e9,
            AnimError::ValueNotFinite {
                joint,
                property,
                key: 0,
            },
        ),
    ] {
        let mirrored = sizes(scale).mirrored(&uneven, &[ARM, ROOT], Vec3::X);
        assert_eq!(mirrored.unwrap_err(), error);
    }
}
