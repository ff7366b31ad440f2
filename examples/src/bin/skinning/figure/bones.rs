//! The figure's skeleton: a person of 1.75 m, facing +Z, left hand towards +X.
//!
//! It rests in T pose with all rotations the identity, so that every hinge turns about a coordinate
//! axis. The skin is modelled, and bound, in A pose: shoulders keep their shape better that way when
//! the arms hang.

use elea_anim::{Joint, JointId, Pose, Skeleton, Transform};
use glam::{Quat, Vec3};

/// By how much the arms are lower in A pose than in T pose, radians.
const ARMS_LOWER: f32 = 0.733_038;

/// Along the left arm in A pose: 42 degrees below the horizontal.
pub(crate) const ARM: Vec3 = Vec3::new(0.743_145, -0.669_131, 0.0);
/// Where the left palm looks: down and towards the body.
pub(crate) const PALM: Vec3 = Vec3::new(-0.669_131, -0.743_145, 0.0);

/// The left arm's joints.
pub(crate) const SHOULDER: Vec3 = Vec3::new(0.174, 1.408, -0.012);
pub(crate) const UPPER_ARM: f32 = 0.28;
pub(crate) const FOREARM: f32 = 0.25;

/// The left leg's joints.
pub(crate) const HIP: Vec3 = Vec3::new(0.092, 0.915, 0.0);
pub(crate) const KNEE: Vec3 = Vec3::new(0.094, 0.500, 0.012);
pub(crate) const ANKLE: Vec3 = Vec3::new(0.095, 0.088, -0.015);
pub(crate) const BALL: Vec3 = Vec3::new(0.097, 0.022, 0.115);

/// The left wrist.
pub(crate) fn wrist() -> Vec3 {
    SHOULDER + ARM * (UPPER_ARM + FOREARM)
}

/// A point of the left hand: along the fingers, towards the thumb, out of the palm; metres from the wrist.
pub(crate) fn hand_point(along: f32, thumbwards: f32, out: f32) -> Vec3 {
    wrist() + ARM * along + Vec3::Z * thumbwards + PALM * out
}

/// The other side's point.
pub(crate) fn mirrored(point: Vec3) -> Vec3 {
    Vec3::new(-point.x, point.y, point.z)
}

/// Name, parent and model-space place in A pose of the middle joints and those of the left side.
fn table() -> Vec<(&'static str, &'static str, Vec3)> {
    vec![
        ("Hips", "", Vec3::new(0.0, 0.955, 0.0)),
        ("Spine", "Hips", Vec3::new(0.0, 1.050, -0.006)),
        ("Spine1", "Spine", Vec3::new(0.0, 1.165, -0.010)),
        ("Spine2", "Spine1", Vec3::new(0.0, 1.290, -0.014)),
        ("Neck", "Spine2", Vec3::new(0.0, 1.470, -0.016)),
        ("Head", "Neck", Vec3::new(0.0, 1.560, 0.002)),
        ("LeftShoulder", "Spine2", Vec3::new(0.035, 1.410, -0.005)),
        ("LeftArm", "LeftShoulder", SHOULDER),
        ("LeftForeArm", "LeftArm", SHOULDER + ARM * UPPER_ARM),
        ("LeftHand", "LeftForeArm", wrist()),
        ("LeftHandThumb1", "LeftHand", hand_point(0.030, 0.026, 0.008)),
        (
            "LeftHandThumb2",
            "LeftHandThumb1",
            hand_point(0.066, 0.052, 0.014),
        ),
        ("LeftHandMiddle1", "LeftHand", hand_point(0.092, 0.0, 0.0)),
        (
            "LeftHandMiddle2",
            "LeftHandMiddle1",
            hand_point(0.132, 0.0, 0.002),
        ),
        ("LeftUpLeg", "Hips", HIP),
        ("LeftLeg", "LeftUpLeg", KNEE),
        ("LeftFoot", "LeftLeg", ANKLE),
        ("LeftToeBase", "LeftFoot", BALL),
    ]
}

/// The skeleton in T pose.
pub(crate) fn skeleton() -> Skeleton {
    let left = table();
    // Where the arm is bent up from A pose to T pose, offsets turn with it.
    let raised = Quat::from_rotation_z(ARMS_LOWER);
    let below_shoulder = |name: &str| name.contains("ForeArm") || name.contains("Hand");
    let place_of = |name: &str| {
        left.iter()
            .find(|row| row.0 == name)
            .map_or(Vec3::ZERO, |row| row.2)
    };
    let mut all: Vec<(String, String, Vec3)> = Vec::new();
    for &(name, parent, place) in &left {
        let offset = place - place_of(parent);
        let offset = if below_shoulder(name) {
            raised * offset
        } else {
            offset
        };
        all.push((name.to_owned(), parent.to_owned(), offset));
    }
    for (name, parent, offset) in all.clone() {
        if name.starts_with("Left") {
            let other = |text: &str| text.replace("Left", "Right");
            all.push((other(&name), other(&parent), mirrored(offset)));
        }
    }
    let joints = all
        .iter()
        .map(|(name, parent, offset)| Joint {
            name: name.clone(),
            parent: all
                .iter()
                .position(|(other, ..)| other == parent)
                .map(JointId::from_index),
            rest: Transform::from_translation(*offset),
        })
        .collect();
    Skeleton::new(joints).expect("parents stand before their children in the table")
}

/// The A pose that the skin is modelled in.
pub(crate) fn bind_pose(skeleton: &Skeleton) -> Pose {
    let mut pose = skeleton.rest_pose().clone();
    for (name, angle) in [("LeftArm", -ARMS_LOWER), ("RightArm", ARMS_LOWER)] {
        let id = skeleton.joint(name).expect("a joint of the table");
        pose.set_rotation(id, Quat::from_rotation_z(angle));
    }
    pose
}
