//! The largest, smallest and closest numbers that keys and weights may have: what comes out is always a number.

#![allow(clippy::cast_possible_truncation, reason = "times and values are f32")]

use std::sync::Arc;

use elea_anim::{
    AnimError, Animation, Animux, BakeOptions, Blend, Channel, Flags, Interpolation, Joint, JointId, Kernel,
    Key, Layer, MorphTrack, Pose, Scratch, Skeleton, Transform, Transition, Values,
    glam::{DQuat, Quat, Vec3},
};

const MAX: f32 = Channel::MAX_VALUE;

/// The next f32 above a quarter of the range: 2^126 less its last bit is the largest that is taken.
const TOO_MUCH: f32 = MAX.next_up();

fn skeleton(joints: u16) -> Skeleton {
    let joint = |_| Joint {
        name: String::new(),
        parent: None,
        rest: Transform::IDENTITY,
    };
    Skeleton::new((0..joints).map(joint).collect()).unwrap()
}

fn vector(joint: u16, interpolation: Interpolation, times: &[f32], values: Vec<Vec3>) -> Channel {
    Channel::new(JointId(joint), interpolation, times, Values::Translation(values)).unwrap()
}

/// Hermite's formula in f64.
fn hermite(t: f64, interval: f64, [p0, m0, p1, m1]: [f64; 4]) -> f64 {
    let (t2, t3) = (t * t, t * t * t);
    p0 * (2.0 * t3 - 3.0 * t2 + 1.0)
        + m0 * interval * (t3 - 2.0 * t2 + t)
        + p1 * (3.0 * t2 - 2.0 * t3)
        + m1 * interval * (t3 - t2)
}

/// The worst a spline can do: tangents that add up at the value that is the furthest out.
fn spline(times: [f32; 2]) -> Vec<Vec3> {
    let tangent = (f64::from(MAX) / (f64::from(times[1]) - f64::from(times[0]))) as f32;
    let tangent = Vec3::splat(if tangent * (times[1] - times[0]) > MAX {
        tangent.next_down()
    } else {
        tangent
    });
    let value = Vec3::splat(MAX);
    vec![-tangent, value, tangent, -tangent, value, tangent]
}

#[test]
fn whatever_lies_between_two_keys_is_a_number() {
    let end = Channel::MAX_TIME;
    for times in [
        [0.0, 1.0],
        [-end, end],
        [-end, 0.0],
        [end.next_down(), end],
        [0.0, f32::MIN_POSITIVE / f32::EPSILON],
    ] {
        let line = vec![Vec3::splat(-MAX), Vec3::splat(MAX)];
        let spline = spline(times);
        let tangents = [spline[2].x, spline[3].x].map(f64::from);
        // Joints 0 and 1 share their times and lie in one row; 8 to 11 are a row whose joints have times of their own.
        let other = [times[0], f32::midpoint(times[0], times[1]), times[1]];
        let channels = vec![
            vector(0, Interpolation::Linear, &times, line.clone()),
            vector(1, Interpolation::Linear, &times, line.clone()),
            vector(8, Interpolation::Linear, &times, line.clone()),
            vector(9, Interpolation::CubicSpline, &times, spline.clone()),
            vector(10, Interpolation::Step, &times, line.clone()),
            vector(11, Interpolation::Linear, &other, vec![line[0], line[1], line[0]]),
            vector(16, Interpolation::CubicSpline, &times, spline),
        ];
        let animation = Animation::new("", channels);
        // `bake` must not measure an error of infinity, which it would take for its own.
        let options = BakeOptions {
            rotation_error: 0.0,
            position_error: 0.0,
        };
        let skeleton = skeleton(17);
        let (clip, report) = animation.bake(&skeleton, &options).unwrap();
        assert!(report.position_error < MAX * 1e-6, "{times:?}: {report:?}");
        let [start, span] = [f64::from(times[0]), f64::from(times[1]) - f64::from(times[0])];
        for step in 0..=64_u8 {
            let time = (start + span * f64::from(step) / 64.0) as f32;
            let t = (f64::from(time) - start) / span;
            let largest = f64::from(MAX);
            let straight = largest * (2.0 * t - 1.0);
            let curved = hermite(t, span, [largest, tangents[0], largest, tangents[1]]);
            let mut poses = [const { None }; 3];
            for (index, pose) in poses.iter_mut().enumerate() {
                let pose = pose.insert(Pose::identity(17));
                match index {
                    0 => animation.sample(&skeleton, time, pose),
                    1 => assert_eq!(clip.sample(time, pose), Flags::NONE),
                    _ => assert_eq!(clip.sample_with(Kernel::Fast, time, pose), Flags::NONE),
                }
            }
            for (way, pose) in poses.iter().flatten().enumerate() {
                for (joint, expected) in [
                    (0, straight),
                    (1, straight),
                    (8, straight),
                    (9, curved),
                    (10, if time < times[1] { -largest } else { largest }),
                    (16, curved),
                ] {
                    let found = f64::from(pose.get(JointId(joint)).translation.x);
                    assert!(
                        (found - expected).abs() <= largest * 1e-6,
                        "{times:?} at {time} (step {step}), way {way}: joint {joint} at {found}, not {expected}"
                    );
                }
                assert!(
                    pose.transforms().all(|joint| joint.is_finite()),
                    "{times:?} at {time}"
                );
            }
        }
    }
}

#[test]
fn rotation_splines_of_the_steepest_tangents_are_of_unit_length() {
    // 2^64 / 3 s, as far as a tangent may go.
    let most = ((2.0_f64.powi(64) / 3.0) as f32).next_down();
    let tangent = |x: f32| Quat::from_xyzw(x, -x, x, x);
    let keys = [
        Key {
            time: 0.0,
            value: Quat::from_rotation_x(0.5),
            tangents: Some([tangent(f32::MAX), tangent(most)]),
        },
        Key {
            time: 3.0,
            value: Quat::from_rotation_y(0.5),
            tangents: Some([tangent(-most), tangent(f32::MAX)]),
        },
    ];
    let channel = Channel::rotation(JointId(0), Interpolation::CubicSpline, &keys).unwrap();
    let animation = Animation::new("", vec![channel]);
    let skeleton = skeleton(1);
    let (clip, _) = animation.bake(&skeleton, &BakeOptions::default()).unwrap();
    let mut pose = Pose::identity(1);
    for step in 0..=48_u8 {
        let time = f32::from(step) / 16.0;
        let _ = clip.sample(time, &mut pose);
        let rotation = pose.get(JointId(0)).rotation;
        assert!((rotation.length() - 1.0).abs() < 1e-6, "{rotation} at {time}");
        // Between the keys the tangents are all there is.
        let way = DQuat::from_xyzw(0.5, -0.5, 0.5, 0.5);
        let is_key = step == 0 || step == 48;
        assert!(
            is_key || rotation.as_dquat().dot(way).abs() > 1.0 - 1e-6,
            "{rotation} at {time}"
        );
    }
    let keys = keys.map(|key| Key {
        tangents: key.tangents.map(|[into, out]| [into * 1.0001, out * 1.0001]),
        ..key
    });
    let keys = [
        Key {
            tangents: Some([Quat::IDENTITY; 2]),
            ..keys[0]
        },
        keys[1],
    ];
    let error = Channel::rotation(JointId(4), Interpolation::CubicSpline, &keys);
    assert_eq!(
        error.unwrap_err().to_string(),
        "rotation channel of joint 4: a value of key 1, or a tangent times the seconds that it is for, is beyond 1.8e19"
    );
}

#[test]
fn what_is_larger_is_refused_by_name() {
    let value = |interpolation, times: &[f32], values: Vec<Vec3>| {
        Channel::new(JointId(7), interpolation, times, Values::Scale(values)).map(|channel| channel.keys())
    };
    let line = |times: [f32; 2], values: [f32; 2]| {
        value(Interpolation::Linear, &times, values.map(Vec3::splat).to_vec())
    };
    let (joint, property, limit) = (JointId(7), "scale", MAX);
    assert_eq!(line([0.0, 1.0], [MAX, -MAX]), Ok(2));
    assert_eq!(
        line([0.0, 1.0], [0.0, -TOO_MUCH]),
        Err(AnimError::ValueTooLarge {
            joint,
            property,
            key: 1,
            limit
        })
    );
    assert_eq!(
        line([-TOO_MUCH, 0.0], [0.0, 0.0]),
        Err(AnimError::TimeTooLarge {
            joint,
            property,
            key: 0
        })
    );
    assert_eq!(
        line([0.0, f32::MAX], [0.0, 0.0]).unwrap_err().to_string(),
        "scale channel of joint 7: time of key 1 is more than 8.5e37 s from 0"
    );
    // A tangent counts times its interval: one before the first key and one behind the last count nowhere.
    let spline = |tangents: [f32; 4]| {
        let [a, b, c, d] = tangents.map(Vec3::splat);
        value(
            Interpolation::CubicSpline,
            &[0.0, 4.0],
            vec![a, Vec3::ZERO, b, c, Vec3::ZERO, d],
        )
    };
    assert_eq!(spline([f32::MAX, MAX / 4.0, -MAX / 4.0, f32::MIN]), Ok(2));
    for (tangents, key) in [([0.0, MAX / 3.9, 0.0, 0.0], 0), ([0.0, 0.0, MAX / 3.9, 0.0], 1)] {
        assert_eq!(
            spline(tangents),
            Err(AnimError::ValueTooLarge {
                joint,
                property,
                key,
                limit
            })
        );
    }
    let weights =
        |weights: &[f32]| MorphTrack::new(2, Interpolation::Linear, vec![0.0, 1.0], weights.to_vec());
    let mut found = [0.0; 2];
    weights(&[MAX, -MAX, -MAX, MAX]).unwrap().sample(0.75, &mut found);
    let off = [found[0] / MAX + 0.5, found[1] / MAX - 0.5].map(f32::abs);
    assert!(off[0].max(off[1]) < 1e-7, "{found:?}");
    assert_eq!(
        weights(&[0.0, 0.0, 0.0, TOO_MUCH]),
        Err(AnimError::ValueTooLarge {
            joint: JointId(0),
            property: "weight",
            key: 1,
            limit
        })
    );
}

#[test]
fn times_that_are_all_but_zero_are_zero() {
    let tiny = [-1e-40, 0.0, 1e-45, 9.8e-32, 9.9e-32, 1.0];
    let values: Vec<Vec3> = (0..6_u8).map(|key| Vec3::splat(key.into())).collect();
    let channel = vector(0, Interpolation::Linear, &tiny, values);
    assert_eq!(channel.times()[..], [0.0, 0.0, 0.0, 0.0, 9.9e-32, 1.0]);
    let times = Arc::clone(channel.times());
    let again = Channel::new(
        JointId(1),
        Interpolation::Linear,
        Arc::clone(&times),
        channel.values().clone(),
    );
    assert!(
        Arc::ptr_eq(again.unwrap().times(), &times),
        "times that are as they should be stay shared"
    );
}

/// Differences of these angles about x, all added with `weight`, one layer each.
fn added(angles: &[f32], weight: f32, kernel: Kernel) -> (Quat, Flags) {
    let skeleton = skeleton(1);
    let mut animux = Animux::new(&skeleton);
    animux.set_kernel(kernel);
    for &angle in angles {
        let keys = [Key::new(0.0, Quat::from_rotation_x(angle))];
        let mut difference = Animation::new(
            "",
            vec![Channel::rotation(JointId(0), Interpolation::Step, &keys).unwrap()],
        );
        difference.additive = true;
        let (clip, _) = difference.bake(&skeleton, &BakeOptions::default()).unwrap();
        let layer = animux.add_layer(Layer {
            blend: Blend::Additive,
            weight,
            ..Layer::default()
        });
        animux.play(layer, Arc::new(clip), Transition::Cut);
    }
    let mut pose = Pose::identity(1);
    let flags = animux.evaluate(&skeleton, &mut Scratch::new(), &mut pose);
    (pose.get(JointId(0)).rotation, flags)
}

#[test]
fn rotations_stay_rotations_however_much_of_them_is_added() {
    // The sum of the angles, each of a difference's quaternion times its weight, the rest of it the identity.
    let turned = |angle: f32, weight: f64| {
        let half = f64::from(angle) / 2.0;
        2.0 * (weight * half.sin()).atan2(weight * half.cos() + 1.0 - weight)
    };
    let angles: Vec<f32> = (0..150_u8)
        .map(|index| 0.5 + f32::from(index % 5) * 0.1)
        .collect();
    // Below half a turn: f32's pi is above it, where the short way is the other one.
    let half_turns = [std::f32::consts::PI.next_down(); 300];
    for angles in [&angles[..1], &angles[..7], &angles, &half_turns] {
        for weight in [-f32::MAX, -1e20, -3.0, 0.5, 1.0, 2.0, 9e3, 1e4, 1e20, f32::MAX] {
            for kernel in [Kernel::Deterministic, Kernel::Fast] {
                let (rotation, flags) = added(angles, weight, kernel);
                assert_eq!(flags, Flags::REST, "weight {weight}");
                let counts = f64::from(weight).clamp(-1e4, 1e4);
                let angle: f64 = angles.iter().map(|&angle| turned(angle, counts)).sum();
                let expected = DQuat::from_rotation_x(angle);
                let chord = (rotation.as_dquat() - expected).length();
                let chord = chord.min((rotation.as_dquat() + expected).length());
                // Half of 2^-23 for each difference and its weight, and as much for each product.
                let bound = 3e-7 * (3 + angles.len()) as f64;
                assert!(
                    chord < bound,
                    "{} of weight {weight}, {kernel:?}: {rotation}, off by {chord}",
                    angles.len()
                );
            }
        }
    }
}
