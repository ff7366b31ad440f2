//! A rig in its retarget pose: chains of joints, sizes and frames that the plan compares.

use elea_anim::{JointId, Skeleton};
use glam::{Quat, Vec3};

use super::{
    bone_map::BoneMap,
    error::RetargetError,
    humanoid::{Part, Side},
    kinematics::ModelPose,
    rig::Rig,
    stance::{Stance, common_ancestor},
};

/// Ankle height over leg length where a rig has no toe to measure it by: 0.039 / 0.53 of the stature
/// (Winter, Biomechanics and Motor Control of Human Movement, 2009, figure 4.1).
const ANKLE_HEIGHT: f32 = 0.0736;

/// From the ankle forward to the ball of the foot, over leg length, where a rig has no toe joint: two thirds of a foot's
/// length of 0.152 / 0.53 (as above), of which a quarter lies behind the ankle.
const BALL_DISTANCE: f32 = 0.14;

/// A foot's toe joint that is less than this part of its distance in front of the ankle (17 degrees from straight below)
/// tells no heading. Feet have 0.5 and more.
const MIN_HEADING: f32 = 0.3;

/// A rig in its retarget pose.
pub(super) struct Posed<'a> {
    pub(super) skeleton: &'a Skeleton,
    pub(super) map: &'a BoneMap,
    pub(super) model: ModelPose,
    pub(super) stance: Stance,
    /// The figure's axes: X to its left, Y up, Z forward.
    pub(super) facing: Quat,
    pub(super) pelvis: JointId,
    pub(super) root: JointId,
    pub(super) spine: Vec<JointId>,
    pub(super) top: JointId,
    pub(super) neck: Vec<JointId>,
}

/// The joints from `above` (left out) down to `below`, or none where `below` hangs elsewhere.
pub(super) fn path(skeleton: &Skeleton, above: JointId, below: JointId) -> Vec<JointId> {
    let mut joints = Vec::new();
    let mut here = below;
    while here != above {
        joints.push(here);
        match skeleton.parent(here) {
            Some(parent) => here = parent,
            None => return Vec::new(),
        }
    }
    joints.reverse();
    joints
}

impl<'a> Posed<'a> {
    pub(super) fn of(rig: &'a Rig) -> Result<Self, RetargetError> {
        rig.check()?;
        let (skeleton, map) = (&rig.skeleton, &rig.map);
        let model = ModelPose::of(skeleton, &rig.pose);
        let stance = Stance::of(skeleton, map, &rig.pose).ok_or(RetargetError::NoSize)?;
        if stance.left.length() <= 0.0 {
            return Err(RetargetError::NoSize);
        }
        let required = |part: Part| map.joint(part, skeleton).ok_or(RetargetError::MissingPart(part));
        let meet = |a, b| common_ancestor(skeleton, a, b).ok_or(RetargetError::SeveralRoots);
        let both = |part: fn(Side) -> Part| meet(required(part(Side::Left))?, required(part(Side::Right))?);
        let pelvis = both(Part::Thigh)?;
        let top = both(Part::UpperArm)?;
        let root = meet(meet(pelvis, top)?, required(Part::Hips)?)?;
        let part = |part: Part| map.joint(part, skeleton);
        let neck = match (part(Part::Neck), part(Part::Head)) {
            (_, Some(head)) => {
                let mut joints = path(skeleton, top, head);
                joints.pop();
                joints
            }
            (Some(neck), None) => path(skeleton, top, neck),
            (None, None) => Vec::new(),
        };
        Ok(Self {
            skeleton,
            map,
            spine: path(skeleton, root, top),
            model,
            stance,
            facing: stance.facing(skeleton, map),
            pelvis,
            root,
            top,
            neck,
        })
    }

    pub(super) fn joint(&self, part: Part) -> Option<JointId> {
        self.map.joint(part, self.skeleton)
    }

    pub(super) fn pair(&self, part: fn(Side) -> Part) -> Option<[JointId; 2]> {
        Some([self.joint(part(Side::Left))?, self.joint(part(Side::Right))?])
    }

    pub(super) fn middle(&self, pair: [JointId; 2]) -> Vec3 {
        (self.model.position(pair[0]) + self.model.position(pair[1])) * 0.5
    }

    pub(super) fn rig(&self) -> (&Skeleton, &BoneMap, &ModelPose) {
        (self.skeleton, self.map, &self.model)
    }

    pub(super) fn limb(&self, parts: [Part; 3]) -> Option<([JointId; 3], [Vec3; 2])> {
        let joints = [
            self.joint(parts[0])?,
            self.joint(parts[1])?,
            self.joint(parts[2])?,
        ];
        let [a, b, c] = joints.map(|joint| self.model.position(joint));
        Some((joints, [b - a, c - b]))
    }

    /// Mean length of the legs.
    pub(super) fn leg(&self) -> f32 {
        let lengths = Side::BOTH.map(|side| {
            let leg = self.limb([Part::Thigh(side), Part::Shin(side), Part::Foot(side)]);
            leg.map_or(0.0, |(_, bones)| bones[0].length() + bones[1].length())
        });
        (lengths[0] + lengths[1]) * 0.5
    }

    /// From the ankle to the ball of the foot in model space: to its toe joint or, where there is none or it hangs right
    /// below the ankle, to the joint of the foot that lies furthest in front.
    pub(super) fn ball(&self, side: Side) -> Option<Vec3> {
        let foot = self.joint(Part::Foot(side))?;
        let up = self.stance.up;
        let bone = |joint: JointId| self.model.position(joint) - self.model.position(foot);
        let flat = |bone: Vec3| (bone - up * bone.dot(up)).length();
        let in_front = |bone: &Vec3| flat(*bone) > MIN_HEADING * bone.length();
        let toe = self
            .joint(Part::Toe(side))
            .or_else(|| self.skeleton.children(foot).next());
        if let Some(ball) = toe.map(bone).filter(in_front) {
            return Some(ball);
        }
        let below = self.skeleton.subtree(foot).skip(1);
        below
            .map(bone)
            .filter(in_front)
            .max_by(|a, b| flat(*a).total_cmp(&flat(*b)))
    }

    /// From the ankle to the ball of the foot, or to where it would be, in the foot's frame.
    pub(super) fn sole(&self, foot: JointId, side: Side) -> Vec3 {
        let sole = self.ball(side).unwrap_or_else(|| {
            let sole = Vec3::new(0.0, -ANKLE_HEIGHT, BALL_DISTANCE);
            self.facing * sole * self.leg()
        });
        self.model.rotation(foot).inverse() * sole
    }

    /// Height of the middle of the hips over the ground in the retarget pose.
    pub(super) fn hip_height(&self, hips: Vec3) -> f32 {
        let up = self.stance.up;
        let mut ankle = f32::INFINITY;
        let mut lowest = f32::INFINITY;
        for side in Side::BOTH {
            let Some(foot) = self.joint(Part::Foot(side)) else {
                continue;
            };
            for joint in self.skeleton.subtree(foot) {
                lowest = lowest.min(self.model.position(joint).dot(up));
            }
            ankle = ankle.min(self.model.position(foot).dot(up));
        }
        if lowest >= ankle {
            lowest = ankle - ANKLE_HEIGHT * self.leg();
        }
        hips.dot(up) - lowest
    }

    /// The chest's frame in this pose: X to the left along the shoulder line, Y along the trunk as far as that leaves it.
    pub(super) fn chest_frame(&self, thighs: [JointId; 2], arms: [JointId; 2]) -> Option<Quat> {
        let x = (self.model.position(arms[0]) - self.model.position(arms[1])).try_normalize()?;
        let trunk = self.middle(arms) - self.middle(thighs);
        let y = (trunk - x * trunk.dot(x)).try_normalize()?;
        Some(Quat::from_mat3(&glam::Mat3::from_cols(x, y, x.cross(y))))
    }

    /// The body's frame in this pose: X to the left along the hip line, Y as near up as that leaves it.
    pub(super) fn body_frame(&self) -> Option<Quat> {
        let x = self.stance.left.try_normalize()?;
        let y = (self.stance.up - x * self.stance.up.dot(x)).try_normalize()?;
        Some(Quat::from_mat3(&glam::Mat3::from_cols(x, y, x.cross(y))))
    }
}
