//! The capsules that stand for the figure where its shadow is cast.

use elea_anim::Skeleton;
use glam::{Affine3A, Vec3};

use crate::frame::Capsule;

/// From joint to joint, with the radius in metres; the offsets are in the joints' own spaces.
struct Bone {
    from: &'static str,
    to: &'static str,
    /// Past `to`.
    beyond: Vec3,
    radius: f32,
}

const fn bone(from: &'static str, to: &'static str, beyond: [f32; 3], radius: f32) -> Bone {
    Bone {
        from,
        to,
        beyond: Vec3::from_array(beyond),
        radius,
    }
}

const MIDDLE: [Bone; 3] = [
    bone("Hips", "Spine1", [0.0; 3], 0.115),
    bone("Spine1", "Spine2", [0.0, 0.05, 0.0], 0.125),
    bone("Head", "Head", [0.0, 0.10, 0.01], 0.085),
];
const LEFT: [Bone; 6] = [
    bone("LeftUpLeg", "LeftLeg", [0.0; 3], 0.070),
    bone("LeftLeg", "LeftFoot", [0.0; 3], 0.050),
    bone("LeftFoot", "LeftToeBase", [0.0, 0.0, 0.03], 0.042),
    bone("LeftArm", "LeftForeArm", [0.0; 3], 0.045),
    bone("LeftForeArm", "LeftHand", [0.0; 3], 0.034),
    bone("LeftHand", "LeftHandMiddle1", [0.04, 0.0, 0.0], 0.032),
];

/// The figure's capsules, from its joints' model matrices.
pub(crate) fn capsules(skeleton: &Skeleton, model: &[Affine3A]) -> Vec<Capsule> {
    let matrix = |name: &str| model[skeleton.joint(name).expect("a joint of the figure").index()];
    let capsule = |from: &str, to: &str, beyond: Vec3, radius: f32| Capsule {
        a: matrix(from).translation.into(),
        b: matrix(to).transform_point3(beyond),
        radius,
    };
    let mut all: Vec<Capsule> = MIDDLE
        .iter()
        .map(|bone| capsule(bone.from, bone.to, bone.beyond, bone.radius))
        .collect();
    for bone in &LEFT {
        all.push(capsule(bone.from, bone.to, bone.beyond, bone.radius));
        let other = |name: &str| name.replace("Left", "Right");
        let beyond = Vec3::new(-bone.beyond.x, bone.beyond.y, bone.beyond.z);
        all.push(capsule(&other(bone.from), &other(bone.to), beyond, bone.radius));
    }
    all
}
