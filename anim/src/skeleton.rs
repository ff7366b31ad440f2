//! Joint names, parents and the rest pose.

use std::{collections::HashMap, sync::Arc};

use crate::{Pose, Transform, check};

/// The index of a joint in its [`Skeleton`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct JointId(pub u16);

impl JointId {
    /// The index for slices that have one element per joint.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The id of the joint at `index`.
    ///
    /// # Panics
    /// If `index` is not below [`Skeleton::MAX_JOINTS`]; no skeleton has such a joint.
    #[must_use]
    #[track_caller]
    pub fn from_index(index: usize) -> Self {
        assert!(
            index < Skeleton::MAX_JOINTS,
            "joint index {index}: a skeleton has at most {} joints",
            Skeleton::MAX_JOINTS
        );
        #[expect(clippy::cast_possible_truncation, reason = "checked by the assertion above")]
        Self(index as u16)
    }
}

/// What [`Skeleton::new`] needs to know of one joint.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Joint {
    /// Any text; names may repeat (see [`Skeleton::joint`]).
    pub name: String,
    /// An earlier joint of the list, or `None` for a root. There may be several roots.
    pub parent: Option<JointId>,
    /// The placement in the parent's space when nothing is animated.
    pub rest: Transform,
}

/// Why a list of joints is no skeleton.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SkeletonError {
    /// The list has more joints than a [`JointId`] can name.
    #[error("{joints} joints; a skeleton holds at most {max}", max = Skeleton::MAX_JOINTS)]
    TooManyJoints {
        /// Length of the list.
        joints: usize,
    },
    /// A parent stands at or after its child.
    #[error("joint {joint} (\"{name}\") has parent {parent}, which must stand before it")]
    ParentNotBefore {
        /// Index of the child.
        joint: usize,
        /// Name of the child.
        name: String,
        /// Index of the parent as given.
        parent: usize,
    },
    /// A rest transform has a NaN or an infinity.
    #[error("joint {joint} (\"{name}\") has a rest transform that is not finite")]
    NotFinite {
        /// Index of the joint.
        joint: usize,
        /// Name of the joint.
        name: String,
    },
    /// A rest rotation has length zero.
    #[error("joint {joint} (\"{name}\") has a rest rotation of length zero")]
    ZeroRotation {
        /// Index of the joint.
        joint: usize,
        /// Name of the joint.
        name: String,
    },
}

/// A tree (or several) of named joints with a rest pose. Parents stand before their children, so that one
/// forward pass over the joints visits every parent first.
///
/// ```
/// use elea_anim::{Joint, JointId, Skeleton, Transform, glam::Vec3};
/// let skeleton = Skeleton::new(vec![
///     Joint { name: "hips".into(), parent: None, rest: Transform::IDENTITY },
///     Joint { name: "spine".into(), parent: Some(JointId(0)), rest: Transform::from_translation(Vec3::Y) },
/// ])?;
/// let spine = skeleton.joint("spine").expect("named above");
/// assert_eq!(skeleton.parent(spine), skeleton.joint("hips"));
/// # Ok::<(), elea_anim::SkeletonError>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Vec<Joint>", into = "Vec<Joint>"))]
pub struct Skeleton {
    names: Vec<String>,
    parents: Vec<Option<JointId>>,
    rest: Arc<Pose>,
    by_name: HashMap<String, JointId>,
    /// Each joint that has a parent, and that parent; joints nearer to their root first.
    by_level: Vec<[JointId; 2]>,
}

impl Skeleton {
    /// The most joints that a skeleton can have.
    pub const MAX_JOINTS: usize = u16::MAX as usize;

    /// Checks the list and builds the skeleton. Rest rotations are normalised. An empty list is allowed.
    ///
    /// # Errors
    /// [`SkeletonError`] names the first joint that breaks a rule.
    pub fn new(joints: Vec<Joint>) -> Result<Self, SkeletonError> {
        if joints.len() > Self::MAX_JOINTS {
            return Err(SkeletonError::TooManyJoints { joints: joints.len() });
        }
        let mut rest = Pose::identity(joints.len());
        let mut names = Vec::with_capacity(joints.len());
        let mut parents = Vec::with_capacity(joints.len());
        let mut by_name = HashMap::with_capacity(joints.len());
        for (index, joint) in joints.into_iter().enumerate() {
            let id = JointId::from_index(index);
            let Joint {
                name,
                parent,
                rest: mut transform,
            } = joint;
            if let Some(parent) = parent
                && parent >= id
            {
                return Err(SkeletonError::ParentNotBefore {
                    joint: index,
                    name,
                    parent: parent.index(),
                });
            }
            if !transform.is_finite() {
                return Err(SkeletonError::NotFinite { joint: index, name });
            }
            let Some(rotation) = unit_quat(transform.rotation) else {
                return Err(SkeletonError::ZeroRotation { joint: index, name });
            };
            transform.rotation = rotation;
            rest.set(id, transform);
            by_name.entry(name.clone()).or_insert(id);
            names.push(name);
            parents.push(parent);
        }
        let by_level = by_level(&parents);
        Ok(Self {
            names,
            parents,
            rest: Arc::new(rest),
            by_name,
            by_level,
        })
    }

    /// Each joint that has a parent, and that parent; joints nearer to their root first.
    pub(crate) fn by_level(&self) -> &[[JointId; 2]] {
        &self.by_level
    }

    /// Number of joints.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are no joints.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The joint of that exact name; the first one where the name repeats.
    #[must_use]
    pub fn joint(&self, name: &str) -> Option<JointId> {
        self.by_name.get(name).copied()
    }

    /// The joint's name.
    ///
    /// # Panics
    /// If the joint is of a larger skeleton.
    #[must_use]
    #[track_caller]
    pub fn name(&self, joint: JointId) -> &str {
        &self.names[check::joint(joint, "skeleton", self.len())]
    }

    /// The joint's parent; `None` for a root.
    ///
    /// # Panics
    /// If the joint is of a larger skeleton.
    #[must_use]
    #[track_caller]
    pub fn parent(&self, joint: JointId) -> Option<JointId> {
        self.parents[check::joint(joint, "skeleton", self.len())]
    }

    /// One parent per joint, in joint order.
    #[must_use]
    pub fn parents(&self) -> &[Option<JointId>] {
        &self.parents
    }

    /// All joints, parents before children.
    pub fn joints(&self) -> impl ExactSizeIterator<Item = JointId> + DoubleEndedIterator + use<> {
        (0..self.len()).map(JointId::from_index)
    }

    /// The joints whose parent is `joint`, in joint order. Walks all joints behind it.
    pub fn children(&self, joint: JointId) -> impl Iterator<Item = JointId> + '_ {
        self.joints()
            .skip(joint.index() + 1)
            .filter(move |&child| self.parent(child) == Some(joint))
    }

    /// `joint` and all joints below it, in joint order. Walks all joints behind it once, whatever the skeleton's
    /// depth, and allocates a byte for each of them.
    ///
    /// # Panics
    /// If `joint` is of a larger skeleton.
    #[track_caller]
    pub fn subtree(&self, joint: JointId) -> impl Iterator<Item = JointId> + '_ {
        let first = check::joint(joint, "skeleton", self.len());
        // Of each joint from `joint` on: whether it is in the subtree. Parents stand before their children.
        let mut inside = vec![false; self.len() - first];
        inside[0] = true;
        self.joints().skip(first).filter(move |id| {
            let parent = self.parents[id.index()].and_then(|parent| parent.index().checked_sub(first));
            let at = id.index() - first;
            inside[at] |= parent.is_some_and(|parent| inside[parent]);
            inside[at]
        })
    }

    /// Whether `joint` is `ancestor` or stands below it. Walks up from `joint`; to ask it of many joints, take
    /// [`subtree`](Self::subtree).
    ///
    /// # Panics
    /// If `joint` is of a larger skeleton.
    #[must_use]
    #[track_caller]
    pub fn is_in_subtree(&self, joint: JointId, ancestor: JointId) -> bool {
        check::joint(joint, "skeleton", self.len());
        let mut current = Some(joint);
        while let Some(id) = current {
            if id == ancestor {
                return true;
            }
            // Parents stand before children, so nothing above `ancestor` can be below it.
            if id < ancestor {
                return false;
            }
            current = self.parent(id);
        }
        false
    }

    /// The pose when nothing is animated, in local space.
    #[must_use]
    pub fn rest_pose(&self) -> &Pose {
        &self.rest
    }

    pub(crate) const fn shared_rest_pose(&self) -> &Arc<Pose> {
        &self.rest
    }

    /// The joints as they were given, rest rotations normalised.
    #[must_use]
    pub fn to_joints(&self) -> Vec<Joint> {
        self.joints()
            .map(|id| Joint {
                name: self.name(id).to_owned(),
                parent: self.parent(id),
                rest: self.rest.get(id),
            })
            .collect()
    }
}

impl PartialEq for Skeleton {
    fn eq(&self, other: &Self) -> bool {
        self.names == other.names && self.parents == other.parents && self.rest == other.rest
    }
}

impl TryFrom<Vec<Joint>> for Skeleton {
    type Error = SkeletonError;

    fn try_from(joints: Vec<Joint>) -> Result<Self, SkeletonError> {
        Self::new(joints)
    }
}

impl From<Skeleton> for Vec<Joint> {
    fn from(skeleton: Skeleton) -> Self {
        skeleton.to_joints()
    }
}

fn by_level(parents: &[Option<JointId>]) -> Vec<[JointId; 2]> {
    let mut depths: Vec<u16> = Vec::with_capacity(parents.len());
    let mut pairs = Vec::with_capacity(parents.len());
    for (index, parent) in parents.iter().enumerate() {
        depths.push(parent.map_or(0, |parent| depths[parent.index()] + 1));
        pairs.extend(parent.map(|parent| [JointId::from_index(index), parent]));
    }
    // Stable: joints of one level stay in order.
    pairs.sort_by_key(|[joint, _]| depths[joint.index()]);
    pairs
}

/// `rotation` with length one, scaled in f64 so that no finite input over- or underflows; `None` at length zero.
pub(crate) fn unit_quat(rotation: glam::Quat) -> Option<glam::Quat> {
    let wide = rotation.as_dquat();
    let length = wide.length();
    (length > 0.0).then(|| (wide / length).as_quat())
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;

    fn joint(name: &str, parent: Option<u16>) -> Joint {
        Joint {
            name: name.into(),
            parent: parent.map(JointId),
            rest: Transform::IDENTITY,
        }
    }

    #[test]
    fn parents_must_stand_before_children() {
        let error = Skeleton::new(vec![joint("a", Some(1)), joint("b", None)]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "joint 0 (\"a\") has parent 1, which must stand before it"
        );
        assert!(Skeleton::new(vec![joint("a", Some(0))]).is_err());
    }

    #[test]
    fn rest_rotations_become_unit_and_bad_ones_are_named() {
        let mut a = joint("a", None);
        a.rest.rotation = Quat::from_xyzw(0.0, 0.0, 0.0, 1e-30);
        let skeleton = Skeleton::new(vec![a.clone()]).unwrap();
        assert_eq!(skeleton.rest_pose().get(JointId(0)).rotation, Quat::IDENTITY);
        a.rest.rotation = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
        assert!(matches!(
            Skeleton::new(vec![a.clone()]),
            Err(SkeletonError::ZeroRotation { joint: 0, .. })
        ));
        a.rest.translation = Vec3::new(0.0, f32::NAN, 0.0);
        assert!(matches!(
            Skeleton::new(vec![a]),
            Err(SkeletonError::NotFinite { joint: 0, .. })
        ));
    }

    #[test]
    fn repeated_names_give_the_first_joint() {
        let skeleton =
            Skeleton::new(vec![joint("a", None), joint("b", Some(0)), joint("b", Some(1))]).unwrap();
        assert_eq!(skeleton.joint("b"), Some(JointId(1)));
        assert_eq!(skeleton.children(JointId(1)).collect::<Vec<_>>(), [JointId(2)]);
        assert!(skeleton.is_in_subtree(JointId(2), JointId(0)));
        assert!(!skeleton.is_in_subtree(JointId(0), JointId(2)));
        assert_eq!(
            skeleton.subtree(JointId(1)).collect::<Vec<_>>(),
            [JointId(1), JointId(2)]
        );
    }
}
