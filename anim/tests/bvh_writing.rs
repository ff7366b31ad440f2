//! What is written reads back, and nothing of the motion is lost.
#![allow(
    clippy::cast_possible_truncation,
    clippy::missing_assert_message,
    reason = "tests"
)]

use std::f32::consts::{PI, TAU};

use elea::EulerOrder;
use elea_anim::{
    Animation, Channel, Interpolation, Joint, JointId, Key, Skeleton, Transform,
    bvh::{self, Axis, Bvh, BvhChannel, BvhWriteError, BvhWriteOptions, Positions, Tip, parse},
    glam::{Quat, Vec3},
};

use bvh_sample::{SAMPLE, is_sample, local};

mod bvh_sample;

fn joint(name: &str, parent: Option<u16>, at: Vec3) -> Joint {
    Joint {
        name: name.into(),
        parent: parent.map(JointId),
        rest: Transform::from_translation(at),
    }
}

/// A root and two bones, the second of them a sibling that stands behind the first one's child.
fn skeleton() -> Skeleton {
    Skeleton::new(vec![
        joint("root", None, Vec3::new(0.0, 9.0, 0.0)),
        joint("left", Some(0), Vec3::new(2.0, 0.0, 0.0)),
        joint("right", Some(0), Vec3::new(-2.0, 0.5, 0.0)),
        joint("left tip", Some(1), Vec3::new(0.0, -3.0, 0.0)),
    ])
    .unwrap()
}

fn keys<V: Copy>(values: &[V]) -> Vec<Key<V>> {
    values
        .iter()
        .enumerate()
        .map(|(index, value)| Key::new(index as f32 * 0.5, *value))
        .collect()
}

fn rotation(joint: u16, values: &[Quat]) -> Channel {
    Channel::rotation(JointId(joint), Interpolation::Linear, &keys(values)).unwrap()
}

fn translation(joint: u16, values: &[Vec3]) -> Channel {
    Channel::translation(JointId(joint), Interpolation::Linear, &keys(values)).unwrap()
}

fn written(animation: &Animation) -> Bvh {
    let text = bvh::write(&skeleton(), animation, 0.25).unwrap();
    let bvh = parse(text.as_bytes()).unwrap();
    assert_eq!(bvh.warnings, [], "{text}");
    bvh
}

#[track_caller]
fn same(found: Transform, wanted: Transform) {
    assert!(
        found.translation.distance(wanted.translation) < 1e-5,
        "{found:?}, not {wanted:?}"
    );
    assert!(
        found.scale.distance(wanted.scale) < 1e-5,
        "{found:?}, not {wanted:?}"
    );
    let off = found.rotation.as_dquat().conjugate() * wanted.rotation.as_dquat();
    assert!(off.xyz().length() < 5e-7, "{found:?}, not {wanted:?}");
}

/// All joints at all frames, by name: the file's joints may stand in another order.
fn same_motion(bvh: &Bvh, skeleton: &Skeleton, animation: &Animation, except_root_rest: bool) {
    let mut pose = skeleton.rest_pose().clone();
    for frame in 0..bvh.frames {
        animation.sample(
            skeleton,
            (frame as f64 * bvh.frame_time) as f32 + animation.start(),
            &mut pose,
        );
        for joint in skeleton.joints() {
            let found = bvh.skeleton.joint(skeleton.name(joint)).unwrap();
            let parent = skeleton.parent(joint).map(|parent| skeleton.name(parent));
            assert_eq!(
                bvh.skeleton.parent(found).map(|parent| bvh.skeleton.name(parent)),
                parent
            );
            same(local(bvh, frame, found.0), pose.get(joint));
            let is_root = parent.is_none();
            let rest = if is_root && except_root_rest {
                Vec3::ZERO
            } else {
                skeleton.rest_pose().get(joint).translation
            };
            assert_eq!(bvh.skeleton.rest_pose().get(found).translation, rest);
        }
    }
}

#[test]
fn any_skeleton_in_the_layout_that_all_programs_read() {
    let turn = [
        Quat::IDENTITY,
        Quat::from_rotation_x(1.0) * Quat::from_rotation_z(2.0),
        Quat::from_rotation_y(-3.0),
    ];
    let walk = [
        Vec3::new(0.0, 9.0, 1.0),
        Vec3::new(0.5, 8.5, 2.0),
        Vec3::new(1.0, 9.0, 3.5),
    ];
    let animation = Animation::new(
        "walk",
        vec![rotation(1, &turn), translation(0, &walk), rotation(3, &turn)],
    );
    let bvh = written(&animation);
    assert_eq!((bvh.frames, bvh.frame_time), (5, 0.25));
    // Depth first, as the format nests joints.
    let names: Vec<&str> = bvh
        .skeleton
        .joints()
        .map(|joint| bvh.skeleton.name(joint))
        .collect();
    assert_eq!(names, ["root", "left", "left tip", "right"]);
    assert_eq!(
        bvh.joints
            .iter()
            .map(|joint| joint.channels.len())
            .collect::<Vec<_>>(),
        [6, 3, 3, 3]
    );
    assert_eq!(
        bvh.joints[1].channels,
        [Axis::Z, Axis::X, Axis::Y].map(BvhChannel::Rotation)
    );
    same_motion(&bvh, &skeleton(), &animation, true);
    // Leaves end somewhere, because programs ask for it.
    assert_eq!(
        bvh.tips
            .iter()
            .map(|tip| (tip.joint.0, tip.offset))
            .collect::<Vec<_>>(),
        [(2, Vec3::ZERO), (3, Vec3::ZERO)]
    );
}

#[test]
fn every_rotation_order_and_named_tips() {
    let turn = [
        Quat::IDENTITY,
        Quat::from_rotation_x(1.0) * Quat::from_rotation_z(2.0),
        Quat::from_rotation_y(-3.0),
    ];
    let animation = Animation::new("", vec![rotation(1, &turn)]);
    let tips = vec![Tip {
        joint: JointId(2),
        name: Some("Thumb {end}\n".into()),
        offset: Vec3::X,
    }];
    for rotation_order in EulerOrder::ALL {
        let options = BvhWriteOptions {
            rotation_order,
            tips: tips.clone(),
        };
        let text = bvh::write_with(&skeleton(), &animation, 0.5, &options).unwrap();
        let bvh = parse(text.as_bytes()).unwrap();
        same_motion(&bvh, &skeleton(), &animation, true);
        let axes = bvh.joints[1].channels.iter().map(|channel| match channel {
            BvhChannel::Rotation(axis) => *axis as usize,
            other => panic!("{other:?}"),
        });
        let mut wanted = rotation_order.axes();
        if rotation_order.is_extrinsic() {
            wanted.reverse();
        }
        assert_eq!(axes.collect::<Vec<_>>(), wanted);
        assert_eq!(
            bvh.tips[1],
            Tip {
                joint: JointId(3),
                name: Some("Thumb _end_".into()),
                offset: Vec3::X
            }
        );
    }
}

#[test]
fn translations_of_inner_joints_are_kept_whichever_way_they_read() {
    let rest = Vec3::new(-2.0, 0.5, 0.0);
    for (path, replaces, offset) in [
        // Near the OFFSET: they replace it.
        (vec![rest, rest * 1.25, rest + Vec3::Y], true, rest),
        // Near zero they would be read as added, and so they are written as that.
        (
            vec![Vec3::ZERO, rest * 0.25, Vec3::new(0.0, 0.125, 0.0)],
            false,
            rest,
        ),
        // Both readings fail: as they are, the median distances are 1.05 OFFSETs from the OFFSET and 1 from zero;
        // less the OFFSET, they are 1 and 1.05.
        (
            [-0.05, -0.05, 1.0, 2.05, 2.05]
                .map(|factor| rest * factor)
                .to_vec(),
            false,
            Vec3::ZERO,
        ),
    ] {
        let animation = Animation::new("", vec![translation(2, &path)]);
        let text = bvh::write(&skeleton(), &animation, 0.5).unwrap();
        let bvh = parse(text.as_bytes()).unwrap();
        assert_eq!(bvh.frames, path.len());
        let right = bvh.skeleton.joint("right").unwrap();
        let layout = &bvh.joints[right.index()];
        assert_eq!(
            layout.channels[..3],
            [Axis::X, Axis::Y, Axis::Z].map(BvhChannel::Position),
            "{path:?}"
        );
        assert_eq!(
            bvh.skeleton.rest_pose().get(right).translation,
            offset,
            "{path:?}"
        );
        assert_eq!(layout.replaces_offset, replaces, "{path:?}");
        for frame in 0..bvh.frames {
            let mut wanted = Transform::IDENTITY;
            animation.channels[0].sample_into(frame as f32 * 0.5, &mut wanted);
            same(local(&bvh, frame, right.0), wanted);
        }
        assert_eq!(
            text.matches("CHANNELS 6").count(),
            2,
            "the other joints have rotations alone"
        );
    }
}

#[test]
fn scale_and_rest_rotation_are_kept() {
    let mut joints = skeleton().to_joints();
    joints[1].rest.rotation = Quat::from_rotation_x(0.75);
    joints[2].rest.scale = Vec3::splat(2.0);
    let skeleton = Skeleton::new(joints).unwrap();
    let text = bvh::write(&skeleton, &Animation::default(), 1.0).unwrap();
    let bvh = parse(text.as_bytes()).unwrap();
    assert_eq!(bvh.frames, 1, "the rest pose");
    same_motion(&bvh, &skeleton, &Animation::default(), true);
}

#[test]
fn the_layout_of_a_file_is_kept() {
    let text = SAMPLE
        .replace(
            "6 Xposition Yposition Zposition Yrotation Xrotation Zrotation",
            "6 Yrotation Zposition Xrotation Xposition Yposition Zrotation",
        )
        .replace("3 Xrotation Zrotation Yrotation", "2 Xrotation Zrotation")
        .replace("-40 50 60", "-40 50")
        .replace("-44 55 66", "-44 55")
        .replace("End Site", "End Site Crown");
    let bvh = parse(text.as_bytes()).unwrap();
    let again = parse(bvh.write().unwrap().as_bytes()).unwrap();
    assert_eq!(
        (&again.joints, &again.tips, &again.skeleton),
        (&bvh.joints, &bvh.tips, &bvh.skeleton)
    );
    same_motion(&again, &bvh.skeleton, &bvh.animation, false);
    // A motion that does not fit any more gets the channels that it needs, and those alone.
    let mut edited = bvh.clone();
    edited.animation.channels.push(rotation(
        1,
        &[Quat::from_rotation_y(0.5), Quat::from_rotation_y(1.0)],
    ));
    edited.animation.channels.push(translation(
        1,
        &[Vec3::new(0.0, 12.5, 3.0), Vec3::new(0.0, 13.5, 3.0)],
    ));
    edited.frame_time = 0.125;
    let again = parse(edited.write().unwrap().as_bytes()).unwrap();
    assert_eq!(again.joints[0], bvh.joints[0]);
    assert_eq!(again.joints[1].channels.len(), 6);
    assert_eq!(again.frames, 5);
    same_motion(&again, &edited.skeleton, &edited.animation, false);
}

#[test]
fn forced_meanings_are_written_as_they_were_read() {
    for positions in [Positions::Add, Positions::Replace] {
        let options = bvh::BvhOptions {
            positions,
            ..bvh::BvhOptions::default()
        };
        let bvh = bvh::parse_with(SAMPLE.as_bytes(), &options).unwrap();
        let again = bvh::parse_with(bvh.write().unwrap().as_bytes(), &options).unwrap();
        assert_eq!(again.joints, bvh.joints);
        same_motion(&again, &bvh.skeleton, &bvh.animation, false);
    }
    is_sample(&parse(parse(SAMPLE.as_bytes()).unwrap().write().unwrap().as_bytes()).unwrap());
}

#[test]
fn curves_continue_through_whole_turns_and_the_lock() {
    // Three turns about the middle axis of ZXY, which goes through gimbal lock six times.
    let steps = 121;
    let angle = |step: usize| step as f32 * 3.0 * TAU / (steps - 1) as f32;
    let turns: Vec<Quat> = (0..steps)
        .map(|step| Quat::from_rotation_x(angle(step)))
        .collect();
    let spin: Vec<Quat> = (0..steps)
        .map(|step| Quat::from_rotation_z(angle(step)))
        .collect();
    let animation = Animation::new("", vec![rotation(1, &turns), rotation(3, &spin)]);
    let text = bvh::write(&skeleton(), &animation, 0.5).unwrap();
    let rows: Vec<Vec<f32>> = text
        .lines()
        .skip_while(|line| !line.starts_with("Frame Time"))
        .skip(1)
        .map(|line| line.split(' ').map(|word| word.parse().unwrap()).collect())
        .collect();
    assert_eq!(rows.len(), steps);
    for (before, after) in rows.iter().zip(&rows[1..]) {
        for (a, b) in before.iter().zip(after) {
            assert!((a - b).abs() < 9.1, "a jump from {a} to {b} degrees; a step is 9");
        }
    }
    // root 6, left (z x y), left tip (z x y).
    let degrees = angle(steps - 1) * 180.0 / PI;
    assert!(
        (rows[steps - 1][7] - degrees).abs() < 1e-3,
        "{}",
        rows[steps - 1][7]
    );
    assert!(
        (rows[steps - 1][9] - degrees).abs() < 1e-3,
        "{}",
        rows[steps - 1][9]
    );
    assert!(!text.contains("-0.000000"), "minus zero");
}

#[test]
fn what_cannot_be_written_is_named() {
    let skeleton = skeleton();
    let animation = Animation::new("", vec![rotation(1, &[Quat::IDENTITY; 3])]);
    let message = |result: Result<String, BvhWriteError>| result.unwrap_err().to_string();
    for frame_time in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e30] {
        assert_eq!(
            message(bvh::write(&skeleton, &animation, frame_time)),
            format!("frame time {frame_time} s is not above zero and at most 1e20 s")
        );
    }
    assert_eq!(
        message(bvh::write(&skeleton, &animation, 1e-9)),
        "the animation lasts 1 s: more than 4194304 frames of 0.000000001 s"
    );
    let empty = Skeleton::new(Vec::new()).unwrap();
    assert_eq!(
        message(bvh::write(&empty, &Animation::default(), 1.0)),
        "the skeleton has no joints"
    );
    let stranger = Animation::new("", vec![rotation(7, &[Quat::IDENTITY])]);
    assert_eq!(
        message(bvh::write(&skeleton, &stranger, 1.0)),
        "joint 7 is animated or has a tip, but the skeleton has 4 joints"
    );
    let tips = vec![Tip {
        joint: JointId(4),
        name: None,
        offset: Vec3::ZERO,
    }];
    let options = BvhWriteOptions {
        tips,
        ..BvhWriteOptions::default()
    };
    assert_eq!(
        message(bvh::write_with(&skeleton, &animation, 1.0, &options)),
        "joint 4 is animated or has a tip, but the skeleton has 4 joints"
    );
    let far = Animation::new("", vec![translation(2, &[Vec3::ZERO, Vec3::splat(5e37)])]);
    assert_eq!(
        message(bvh::write(&skeleton, &far, 0.5)),
        "joint 2 (\"right\") is not finite in frame 1"
    );
}
