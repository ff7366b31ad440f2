//! How a hand of one rig lies against a hand of the other.

use elea_anim::Skeleton;
use glam::{Mat3, Quat, Vec3};

use super::{
    bone_map::BoneMap,
    humanoid::{Finger, Part, Phalanx, Side},
    kinematics::ModelPose,
};

/// The hand's frame in a pose, from the directions to the finger roots: X from the wrist to the middle of the
/// knuckles, Y across the palm from the little finger's side to the index finger's, made square. `None` without two
/// knuckles besides the thumb's, or where they lie in one line with the wrist.
fn frame(
    skeleton: &Skeleton,
    map: &BoneMap,
    model: &ModelPose,
    side: Side,
    fingers: [Finger; 2],
) -> Option<Quat> {
    let wrist = model.position(map.joint(Part::Hand(side), skeleton)?);
    let knuckle = |finger| {
        let joint = map.joint(Part::Finger(side, finger, Phalanx::First), skeleton)?;
        Some(model.position(joint) - wrist)
    };
    let [first, last] = [knuckle(fingers[0])?, knuckle(fingers[1])?];
    let along = (first + last).try_normalize()?;
    let across = first - last;
    let across = (across - along * across.dot(along)).try_normalize()?;
    Some(Quat::from_mat3(&Mat3::from_cols(
        along,
        across,
        along.cross(across),
    )))
}

/// Frames of the two hands by the outermost knuckles that both have.
pub(super) fn frames(
    source: (&Skeleton, &BoneMap, &ModelPose),
    target: (&Skeleton, &BoneMap, &ModelPose),
    side: Side,
) -> Option<[Quat; 2]> {
    const PAIRS: [[Finger; 2]; 3] = [
        [Finger::Index, Finger::Pinky],
        [Finger::Index, Finger::Ring],
        [Finger::Index, Finger::Middle],
    ];
    PAIRS.into_iter().find_map(|pair| {
        let a = frame(source.0, source.1, source.2, side, pair)?;
        let b = frame(target.0, target.1, target.2, side, pair)?;
        Some([a, b])
    })
}

/// The direction of a finger's bone in a pose.
pub(super) fn bone(
    rig: (&Skeleton, &BoneMap, &ModelPose),
    side: Side,
    finger: Finger,
    phalanx: Phalanx,
) -> Option<Vec3> {
    let next = *Phalanx::ALL.get(phalanx as usize + 1)?;
    let at = |phalanx| {
        let joint = rig.1.joint(Part::Finger(side, finger, phalanx), rig.0)?;
        Some(rig.2.position(joint))
    };
    (at(next)? - at(phalanx)?).try_normalize()
}
