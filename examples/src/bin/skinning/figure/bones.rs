//! The figure's skeleton: a person of 1.75 m in A pose, facing +Z, left hand towards +X.

use elea_anim::{Joint, JointId, Skeleton, Transform};
use glam::Vec3;

/// Along the left arm: 42 degrees below the horizontal.
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

/// Name, parent and model-space place of the middle joints and those of the left side.
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

/// The skeleton; rest rotations are the identity, so the rest translations are plain offsets.
pub(crate) fn skeleton() -> Skeleton {
    let left = table();
    let mut all: Vec<(String, String, Vec3)> = Vec::new();
    for (name, parent, place) in &left {
        all.push(((*name).to_owned(), (*parent).to_owned(), *place));
    }
    for (name, parent, place) in &left {
        if name.starts_with("Left") {
            all.push((
                name.replace("Left", "Right"),
                parent.replace("Left", "Right"),
                mirrored(*place),
            ));
        }
    }
    let joints = all
        .iter()
        .map(|(name, parent, place)| {
            let above = all.iter().position(|(other, ..)| other == parent);
            Joint {
                name: name.clone(),
                parent: above.map(JointId::from_index),
                rest: Transform::from_translation(*place - above.map_or(Vec3::ZERO, |index| all[index].2)),
            }
        })
        .collect();
    Skeleton::new(joints).expect("parents stand before their children in the table")
}
