//! How much of a layer reaches each joint.

use crate::{JointId, Skeleton, check, pose::LANES};

/// Which properties of the joints a layer takes part in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Channels {
    /// Translations.
    pub translation: bool,
    /// Rotations.
    pub rotation: bool,
    /// Scales.
    pub scale: bool,
}

impl Channels {
    /// Every property.
    pub const ALL: Self = Self {
        translation: true,
        rotation: true,
        scale: true,
    };

    const NONE: Self = Self {
        translation: false,
        rotation: false,
        scale: false,
    };

    /// Each property by itself.
    pub(crate) const EACH: [Self; 3] = [
        Self {
            translation: true,
            ..Self::NONE
        },
        Self {
            rotation: true,
            ..Self::NONE
        },
        Self {
            scale: true,
            ..Self::NONE
        },
    ];

    /// Whether a property is in both.
    pub(crate) const fn meets(self, other: Self) -> bool {
        (self.translation && other.translation)
            || (self.rotation && other.rotation)
            || (self.scale && other.scale)
    }
}

impl Default for Channels {
    /// Every property.
    fn default() -> Self {
        Self::ALL
    }
}

/// A weight per joint in 0..=1 that multiplies a layer's weight: 0 leaves the joint to the other layers.
///
/// ```
/// # use elea_anim::{Joint, JointId, Mask, Skeleton, Transform};
/// # let joint = |name: &str, parent| Joint { name: name.into(), parent, rest: Transform::IDENTITY };
/// # let skeleton = Skeleton::new(vec![joint("hips", None), joint("spine", Some(JointId(0))), joint("arm", Some(JointId(1)))])?;
/// // The arm alone, and everything but the arm.
/// let arm = Mask::subtree(&skeleton, skeleton.joint("arm").expect("named above"));
/// let rest = arm.inverted();
/// assert_eq!((arm.get(JointId(2)), rest.get(JointId(2))), (1.0, 0.0));
/// # Ok::<(), elea_anim::SkeletonError>(())
/// ```
#[derive(Debug, PartialEq)]
pub struct Mask {
    joints: usize,
    channels: Channels,
    /// Whole blocks; the lanes behind the last joint are 0.
    weights: Vec<f32>,
}

impl Clone for Mask {
    fn clone(&self) -> Self {
        Self {
            weights: self.weights.clone(),
            ..*self
        }
    }

    /// Without allocating, where the other has no more joints.
    fn clone_from(&mut self, other: &Self) {
        let mut weights = std::mem::take(&mut self.weights);
        weights.clone_from(&other.weights);
        *self = Self { weights, ..*other };
    }
}

impl Mask {
    /// The same weight for every joint.
    ///
    /// # Panics
    /// If `weight` is not in 0..=1.
    #[must_use]
    #[track_caller]
    pub fn uniform(skeleton: &Skeleton, weight: f32) -> Self {
        check_weight(weight);
        let joints = skeleton.len();
        let mut weights = vec![0.0; joints.next_multiple_of(LANES)];
        weights[..joints].fill(weight);
        Self {
            joints,
            channels: Channels::ALL,
            weights,
        }
    }

    /// 1 for `joint` and everything below it, 0 elsewhere.
    ///
    /// # Panics
    /// If the skeleton has no such joint.
    #[must_use]
    #[track_caller]
    pub fn subtree(skeleton: &Skeleton, joint: JointId) -> Self {
        let mut mask = Self::uniform(skeleton, 0.0);
        mask.set_subtree(skeleton, joint, 1.0);
        mask
    }

    /// Number of joints.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.joints
    }

    /// Whether there are no joints.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.joints == 0
    }

    /// The joint's weight.
    ///
    /// # Panics
    /// If the mask has no such joint.
    #[must_use]
    #[track_caller]
    pub fn get(&self, joint: JointId) -> f32 {
        self.weights[check::joint(joint, "mask", self.joints)]
    }

    /// Sets the joint's weight.
    ///
    /// # Panics
    /// If `weight` is not in 0..=1 or the mask has no such joint.
    #[track_caller]
    pub fn set(&mut self, joint: JointId, weight: f32) {
        check_weight(weight);
        self.weights[check::joint(joint, "mask", self.joints)] = weight;
    }

    /// Sets the weight of `joint` and of everything below it, in one pass over the joints.
    ///
    /// # Panics
    /// If `weight` is not in 0..=1, the skeleton has no such joint, or another number of joints than the mask.
    #[track_caller]
    pub fn set_subtree(&mut self, skeleton: &Skeleton, joint: JointId, weight: f32) {
        check::same_joints("skeleton", skeleton.len(), "mask", self.joints);
        for id in skeleton.subtree(joint) {
            self.set(id, weight);
        }
    }

    /// One minus every weight.
    #[must_use]
    pub fn inverted(&self) -> Self {
        let mut mask = self.clone();
        for weight in &mut mask.weights[..mask.joints] {
            *weight = 1.0 - *weight;
        }
        mask
    }

    /// The same weights for these properties alone; to the others the layer leaves what is below.
    ///
    /// A blend that has such a mask takes three passes, one a property.
    #[must_use]
    pub const fn with_channels(mut self, channels: Channels) -> Self {
        self.channels = channels;
        self
    }

    /// The properties that it lets through; all unless told otherwise.
    #[must_use]
    pub const fn channels(&self) -> Channels {
        self.channels
    }

    /// One weight per joint, in joint order.
    #[must_use]
    pub fn weights(&self) -> &[f32] {
        &self.weights[..self.joints]
    }

    pub(crate) fn lanes(&self) -> &[[f32; LANES]] {
        self.weights.as_chunks().0
    }
}

#[track_caller]
fn check_weight(weight: f32) {
    assert!(
        (0.0..=1.0).contains(&weight),
        "mask weight {weight} is not in 0..=1"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Joint, Transform};

    #[test]
    fn a_subtree_is_the_joint_and_all_below() {
        let joint = |parent: Option<u16>| Joint {
            name: String::new(),
            parent: parent.map(JointId),
            rest: Transform::IDENTITY,
        };
        let parents = [
            None,
            Some(0),
            Some(1),
            Some(0),
            Some(2),
            Some(3),
            None,
            Some(6),
            Some(4),
            Some(0),
        ];
        let skeleton = Skeleton::new(parents.map(joint).into()).unwrap();
        let mask = Mask::subtree(&skeleton, JointId(1));
        assert_eq!(mask.weights(), [0., 1., 1., 0., 1., 0., 0., 0., 1., 0.]);
        assert_eq!(
            mask.inverted().weights(),
            [1., 0., 0., 1., 0., 1., 1., 1., 0., 1.]
        );
        assert_eq!(mask.inverted().lanes()[1], [0., 1., 0., 0., 0., 0., 0., 0.]);
    }

    /// Walking up from each of these joints would take two thousand million steps, once for each.
    #[test]
    fn the_deepest_skeleton_takes_one_pass() {
        let last = Skeleton::MAX_JOINTS - 1;
        let joints = (0..=last).map(|index| Joint {
            name: String::new(),
            // A chain, but for the last joint, which hangs on the root.
            parent: match index {
                0 => None,
                _ if index == last => Some(JointId(0)),
                _ => Some(JointId::from_index(index - 1)),
            },
            rest: Transform::IDENTITY,
        });
        let skeleton = Skeleton::new(joints.collect()).unwrap();
        let start = std::time::Instant::now();
        for first in 1..=64 {
            let mask = Mask::subtree(&skeleton, JointId(first));
            let expected = |index: usize| f32::from(u8::from((first.into()..last).contains(&index)));
            assert!(
                (0..=last).all(|index| mask.weights()[index] == expected(index)),
                "{first}"
            );
        }
        // Some 20 ms where it is one pass, a minute and more where it is not.
        assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    }
}
