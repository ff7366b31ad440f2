//! A skeleton with its map and the pose in which rigs are compared.

use elea_anim::{Animation, Channel, Joint, JointId, Pose, Skeleton, Transform};
use glam::{Quat, Vec3};

use super::{
    bone_map::{BoneMap, MapReport},
    contact,
    error::RetargetError,
    humanoid::{Part, Side},
    limb::arc,
    stance::Stance,
};

/// A figure: its skeleton, which joint is which part, and its retarget pose.
///
/// The retarget pose is a pose in which the figure simply stands: feet flat, head level, arms anywhere (T, A or
/// down; the two figures' arms need not agree). What a joint's rotation *means* is read from it. It is NOT always
/// the skeleton's rest pose: some files lay every bone along one axis there. [`Rig::auto`] and [`choose_pose`] pick one.
#[derive(Clone, Debug)]
pub struct Rig {
    /// Joints and rest pose.
    pub skeleton: Skeleton,
    /// Which joint is which part.
    pub map: BoneMap,
    /// The retarget pose, local space: where the figure stands.
    pub pose: Pose,
}

impl Rig {
    /// A rig whose retarget pose is the skeleton's rest pose.
    #[must_use]
    pub fn new(skeleton: Skeleton, map: BoneMap) -> Self {
        let pose = skeleton.rest_pose().clone();
        Self { skeleton, map, pose }
    }

    /// A rig with the map that [`BoneMap::auto`] finds and the pose that [`choose_pose`] chooses. Look at the
    /// report's `missing` and `warnings`.
    ///
    /// `animation`: a clip of this skeleton, if there is one.
    #[must_use]
    pub fn auto(skeleton: Skeleton, animation: Option<&Animation>) -> (Self, MapReport) {
        let report = BoneMap::auto(&skeleton);
        let pose = choose_pose(&skeleton, &report.map, animation);
        let map = report.map.clone();
        (Self { skeleton, map, pose }, report)
    }

    /// Adds joints at the tips of the feet, behind all other joints.
    ///
    /// Files like BVH keep the ends of last bones apart from the joints ("End Sites"). A foot's tip tells where the foot
    /// points and what of it stands on the ground, where there is no toe joint. `tips`: a joint and the tip's position in
    /// that joint's space; tips that are not of a foot's last joint are left out. Ids and channels of the other joints stay valid, so
    /// animations of the skeleton without tips play on it; poses have the tips' transforms too.
    pub fn add_foot_tips(&mut self, tips: impl IntoIterator<Item = (JointId, Vec3)>) {
        // Of each joint: whether it is of a foot and has nothing below it.
        let mut ends = vec![false; self.skeleton.len()];
        for side in Side::BOTH {
            if let Some(ankle) = self.map.joint(Part::Foot(side), &self.skeleton) {
                for joint in self.skeleton.subtree(ankle) {
                    ends[joint.index()] = true;
                }
            }
        }
        for parent in self.skeleton.parents().iter().flatten() {
            ends[parent.index()] = false;
        }
        let mut joints = self.skeleton.to_joints();
        let mut transforms: Vec<Transform> = self.pose.transforms().collect();
        for (last, at) in tips {
            let is_end = ends.get(last.index()).is_some_and(|&is_end| is_end);
            if is_end && at.is_finite() && at != Vec3::ZERO {
                let name = format!("{} tip", self.skeleton.name(last));
                let rest = Transform::from_translation(at);
                joints.push(Joint {
                    name,
                    parent: Some(last),
                    rest,
                });
                transforms.push(rest);
            }
        }
        if let Ok(skeleton) = Skeleton::new(joints) {
            self.skeleton = skeleton;
            self.pose = transforms.into_iter().collect();
        }
    }

    /// Whether the trunk is at right angles to the legs in the retarget pose: the figure may have four legs.
    /// `false` where hips, shoulders or feet are missing.
    #[must_use]
    pub fn is_four_legged(&self) -> bool {
        Stance::of(&self.skeleton, &self.map, &self.pose).is_some_and(|stance| stance.lies_along_the_ground())
    }

    /// Whether this rig can be retargeted, by itself: what [`Retargeter::new`](super::Retargeter::new) checks of both.
    ///
    /// # Errors
    /// [`RetargetError`] that names the part or joint.
    pub fn check(&self) -> Result<(), RetargetError> {
        let (skeleton, map) = (&self.skeleton, &self.map);
        if self.pose.len() != skeleton.len() {
            return Err(RetargetError::PoseOfAnotherSkeleton {
                joints: skeleton.len(),
                pose: self.pose.len(),
            });
        }
        let is_bad = |transform: Transform| {
            let largest = transform
                .translation
                .abs()
                .max(transform.scale.abs())
                .max_element();
            let is_value = transform.is_finite() && largest <= Channel::MAX_VALUE;
            !is_value || transform.rotation.length_squared() == 0.0
        };
        if let Some(index) = self.pose.transforms().position(is_bad) {
            let joint = skeleton.name(JointId::from_index(index)).to_owned();
            return Err(RetargetError::NotFinite { joint });
        }
        for part in Part::REQUIRED {
            map.get(part).ok_or(RetargetError::MissingPart(part))?;
        }
        for (part, name) in map.iter() {
            if map.joint(part, skeleton).is_none() {
                let joint = name.to_owned();
                return Err(RetargetError::UnknownJoint { part, joint });
            }
        }
        for side in Side::BOTH {
            let chains = [
                [Part::UpperArm(side), Part::Forearm(side), Part::Hand(side)],
                [Part::Thigh(side), Part::Shin(side), Part::Foot(side)],
            ];
            for [upper, middle, end] in chains {
                for (above, part) in [(upper, middle), (middle, end)] {
                    let joints = (map.joint(above, skeleton), map.joint(part, skeleton));
                    if let (Some(high), Some(low)) = joints
                        && (high == low || !skeleton.is_in_subtree(low, high))
                    {
                        return Err(RetargetError::NotBelow { part, above });
                    }
                }
            }
        }
        Ok(())
    }
}

/// The retarget pose of a skeleton.
///
/// 1. The rest pose, where it stands: sides apart, arms not above the head, legs within 35 degrees of the trunk's line.
///    Where the animation's first frame stands along another axis (Z up against Y up), it is turned there.
/// 2. Else the animation's first frame, where that is nearer to standing; else the rest pose all the same.
/// 3. The feet are turned flat, as they are when they stand on the ground in the animation: some mocap rest poses have
///    spread legs and feet that lean with them. No such moment in the animation leaves them.
///
/// `animation`: a clip of this skeleton, if there is one; channels of joints that it lacks are no clip of it.
#[must_use]
pub fn choose_pose(skeleton: &Skeleton, map: &BoneMap, animation: Option<&Animation>) -> Pose {
    let rest = skeleton.rest_pose();
    let Some(animation) = animation.filter(|animation| {
        let own = |channel: &Channel| channel.joint().index() < skeleton.len();
        !animation.channels.is_empty() && animation.channels.iter().all(own)
    }) else {
        return rest.clone();
    };
    let mut first = rest.clone();
    animation.sample(skeleton, animation.start(), &mut first);
    let stances = [rest, &first].map(|pose| Stance::of(skeleton, map, pose));
    let mut pose = match stances {
        [Some(rest_stance), Some(first)] if rest_stance.stands() => {
            let turn = arc(rest_stance.up, first.up);
            let other_axis = first.stands() && first.up != rest_stance.up;
            if other_axis {
                turned(skeleton, rest, turn)
            } else {
                rest.clone()
            }
        }
        [Some(rest_stance), Some(first_stance)] if first_stance.badness() < rest_stance.badness() => first,
        [None, Some(_)] => first,
        _ => rest.clone(),
    };
    contact::flatten_feet(skeleton, map, animation, &mut pose);
    pose
}

/// A pose turned as a whole about the origin.
fn turned(skeleton: &Skeleton, pose: &Pose, turn: Quat) -> Pose {
    let mut pose = pose.clone();
    for root in skeleton
        .joints()
        .filter(|joint| skeleton.parent(*joint).is_none())
    {
        let local = pose.get(root);
        pose.set_rotation(root, turn * local.rotation);
        pose.set_translation(root, turn * local.translation);
    }
    pose
}
