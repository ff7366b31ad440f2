//! The methods that are compared.

use elea_anim::{JointId, Pose, Skeleton};
use elea_ik::retarget::{Part, Rig, Side};
use glam::{Mat3, Quat, Vec3};

use super::parts_of_both;

/// Who retargets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Elea { foot_lock: bool },
    CopyRotations,
    RestPoseDelta,
}

impl Method {
    pub(super) const ALL: [Self; 4] = [
        Self::Elea { foot_lock: false },
        Self::Elea { foot_lock: true },
        Self::CopyRotations,
        Self::RestPoseDelta,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Elea { foot_lock: false } => "elea",
            Self::Elea { foot_lock: true } => "elea foot lock",
            Self::CopyRotations => "copy rotations",
            Self::RestPoseDelta => "rest-pose delta",
        }
    }
}

/// Model rotations and positions of a pose.
fn model(skeleton: &Skeleton, pose: &Pose) -> (Vec<Quat>, Vec<Vec3>) {
    let (mut rotations, mut positions): (Vec<Quat>, Vec<Vec3>) = (Vec::new(), Vec::new());
    for (local, parent) in pose.transforms().zip(skeleton.parents()) {
        let (rotation, position) = parent.map_or((Quat::IDENTITY, Vec3::ZERO), |parent| {
            (rotations[parent.index()], positions[parent.index()])
        });
        rotations.push(rotation * local.rotation);
        positions.push(position + rotation * local.translation);
    }
    (rotations, positions)
}

/// The rotation of a figure's own axes: X to its left, Y up, each the axis of its space nearest to hip line and trunk.
fn facing(rig: &Rig, positions: &[Vec3]) -> Quat {
    let at = |part| {
        rig.map
            .joint(part, &rig.skeleton)
            .map(|joint| positions[joint.index()])
    };
    let pair = |part: fn(Side) -> Part| Some([at(part(Side::Left))?, at(part(Side::Right))?]);
    let (Some(thighs), Some(arms)) = (pair(Part::Thigh), pair(Part::UpperArm)) else {
        return Quat::IDENTITY;
    };
    let nearest = |direction: Vec3| {
        let largest = direction.abs().max_position();
        [Vec3::X, Vec3::Y, Vec3::Z][largest] * direction[largest].signum()
    };
    let up = nearest(arms[0] + arms[1] - thighs[0] - thighs[1]);
    let across = thighs[0] - thighs[1];
    let left = nearest(across - up * across.dot(up));
    Quat::from_mat3(&Mat3::from_cols(left, up, left.cross(up)))
}

/// Joints of two rigs that are the same part.
pub(super) struct Twins<'a> {
    source: &'a Rig,
    target: &'a Rig,
    /// The twin of each target joint with what it has to be turned by, before and after, for the delta.
    twins: Vec<Option<(JointId, Quat, Quat)>>,
    /// From the source's world to the target's.
    world: Quat,
    hips: [JointId; 2],
    /// Legs over legs.
    scale: f32,
    /// The hips' place in the target's retarget pose less the scaled source's.
    offset: Vec3,
}

impl<'a> Twins<'a> {
    pub(super) fn new(source: &'a Rig, target: &'a Rig) -> Self {
        let (from, to) = (
            model(&source.skeleton, &source.pose),
            model(&target.skeleton, &target.pose),
        );
        let world = facing(target, &to.1) * facing(source, &from.1).inverse();
        let joint = |rig: &Rig, part| rig.map.joint(part, &rig.skeleton).unwrap_or(JointId(0));
        let mut twins = vec![None; target.skeleton.len()];
        for part in parts_of_both([&source.map, &target.map]) {
            let (a, b) = (joint(source, part), joint(target, part));
            // A limb's bone of the target's retarget pose is laid onto the source's.
            let below = match part {
                Part::UpperArm(side) => Some(Part::Forearm(side)),
                Part::Forearm(side) => Some(Part::Hand(side)),
                Part::Thigh(side) => Some(Part::Shin(side)),
                Part::Shin(side) => Some(Part::Foot(side)),
                _ => None,
            };
            let align = below.map_or(Quat::IDENTITY, |below| {
                let bones = [
                    to.1[joint(target, below).index()] - to.1[b.index()],
                    world * (from.1[joint(source, below).index()] - from.1[a.index()]),
                ];
                Quat::from_rotation_arc(bones[0].normalize_or(Vec3::X), bones[1].normalize_or(Vec3::X))
            });
            let before = (world * from.0[a.index()]).inverse();
            twins[b.index()] = Some((a, before, align * to.0[b.index()]));
        }
        let leg = |rig: &Rig, positions: &[Vec3]| {
            let at = |part| positions[joint(rig, part).index()];
            let (thigh, shin, foot) = (
                Part::Thigh(Side::Left),
                Part::Shin(Side::Left),
                Part::Foot(Side::Left),
            );
            at(thigh).distance(at(shin)) + at(shin).distance(at(foot))
        };
        let scale = leg(target, &to.1) / leg(source, &from.1);
        let hips = [joint(source, Part::Hips), joint(target, Part::Hips)];
        let offset = to.1[hips[1].index()] - world * from.1[hips[0].index()] * scale;
        Self {
            source,
            target,
            twins,
            world,
            hips,
            scale,
            offset,
        }
    }

    /// Each joint has its twin's model rotation.
    pub(super) fn copy(&self, pose: &Pose) -> Pose {
        self.play(pose, |rotation, _, _| rotation)
    }

    /// Each joint is turned as its twin is since the retarget pose.
    pub(super) fn delta(&self, pose: &Pose) -> Pose {
        self.play(pose, |rotation, before, after| rotation * before * after)
    }

    fn play(&self, pose: &Pose, turn: impl Fn(Quat, Quat, Quat) -> Quat) -> Pose {
        let (rotations, positions) = model(&self.source.skeleton, pose);
        let mut out = self.target.pose.clone();
        let skeleton = &self.target.skeleton;
        let mut solved: Vec<Quat> = Vec::with_capacity(skeleton.len());
        for (index, parent) in skeleton.parents().iter().enumerate() {
            let joint = JointId::from_index(index);
            let above = parent.map_or(Quat::IDENTITY, |parent| solved[parent.index()]);
            if let Some((twin, before, after)) = self.twins[index] {
                let rotation = turn(self.world * rotations[twin.index()], before, after);
                out.set_rotation(joint, (above.inverse() * rotation).normalize());
                solved.push(rotation);
            } else {
                solved.push(above * out.get(joint).rotation);
            }
        }
        // The hips' joint is moved in its parent's space; where it has a parent, that one stays in the retarget pose.
        let hips = self.world * positions[self.hips[0].index()] * self.scale + self.offset;
        let (rest_rotations, rest_positions) = model(skeleton, &self.target.pose);
        let local = skeleton.parent(self.hips[1]).map_or(hips, |parent| {
            rest_rotations[parent.index()].inverse() * (hips - rest_positions[parent.index()])
        });
        out.set_translation(self.hips[1], local);
        out
    }
}
