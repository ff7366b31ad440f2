//! One local transform per joint, in structure-of-arrays blocks.

use glam::{Quat, Vec3};

use crate::{Channels, JointId, Transform, check};

/// Joints per block: one AVX2 register of f32.
pub(crate) const LANES: usize = 8;

/// Eight joints, one array per component. Lanes behind the last joint hold the identity.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Block {
    pub(crate) translation: [[f32; LANES]; 3],
    pub(crate) rotation: [[f32; LANES]; 4],
    pub(crate) scale: [[f32; LANES]; 3],
}

impl Block {
    pub(crate) const IDENTITY: Self = Self {
        translation: [[0.0; LANES]; 3],
        rotation: [[0.0; LANES], [0.0; LANES], [0.0; LANES], [1.0; LANES]],
        scale: [[1.0; LANES]; 3],
    };

    pub(crate) fn get(&self, lane: usize) -> Transform {
        Transform {
            translation: Vec3::from_array(self.translation.map(|c| c[lane])),
            rotation: Quat::from_array(self.rotation.map(|c| c[lane])),
            scale: Vec3::from_array(self.scale.map(|c| c[lane])),
        }
    }

    /// Takes over `channels` of `other`.
    pub(crate) const fn copy(&mut self, other: &Self, channels: Channels) {
        if channels.translation {
            self.translation = other.translation;
        }
        if channels.rotation {
            self.rotation = other.rotation;
        }
        if channels.scale {
            self.scale = other.scale;
        }
    }

    fn set(&mut self, lane: usize, transform: Transform) {
        fn put<const N: usize>(components: &mut [[f32; LANES]; N], lane: usize, values: [f32; N]) {
            for (component, value) in components.iter_mut().zip(values) {
                component[lane] = value;
            }
        }
        put(&mut self.translation, lane, transform.translation.to_array());
        put(&mut self.rotation, lane, transform.rotation.to_array());
        put(&mut self.scale, lane, transform.scale.to_array());
    }
}

/// A local transform for each joint of a skeleton: what clips sample into, blends mix and IK changes.
///
/// The caller owns it and uses it again every frame; nothing that writes a pose allocates.
/// Transforms go in and out by value with [`get`](Self::get) and [`set`](Self::set); inside they are kept
/// as structure-of-arrays blocks of eight joints, which is what makes sampling and blending fast.
///
/// ```
/// use elea_anim::{JointId, Pose, Transform, glam::Vec3};
/// let mut pose = Pose::identity(3);
/// pose.set(JointId(2), Transform::from_translation(Vec3::Y));
/// assert_eq!(pose.get(JointId(2)).translation, Vec3::Y);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Pose {
    joints: usize,
    blocks: Vec<Block>,
}

impl Pose {
    /// A pose of `joints` identity transforms.
    #[must_use]
    pub fn identity(joints: usize) -> Self {
        Self {
            joints,
            blocks: vec![Block::IDENTITY; joints.div_ceil(LANES)],
        }
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

    /// The joint's local transform.
    ///
    /// # Panics
    /// If the pose has no such joint.
    #[must_use]
    #[track_caller]
    pub fn get(&self, joint: JointId) -> Transform {
        let index = self.checked(joint);
        self.blocks[index / LANES].get(index % LANES)
    }

    /// Replaces the joint's local transform.
    ///
    /// # Panics
    /// If the pose has no such joint.
    #[track_caller]
    pub fn set(&mut self, joint: JointId, transform: Transform) {
        let index = self.checked(joint);
        self.blocks[index / LANES].set(index % LANES, transform);
    }

    /// Replaces the joint's rotation alone.
    ///
    /// # Panics
    /// If the pose has no such joint.
    #[track_caller]
    pub fn set_rotation(&mut self, joint: JointId, rotation: Quat) {
        let index = self.checked(joint);
        let block = &mut self.blocks[index / LANES];
        for (component, value) in block.rotation.iter_mut().zip(rotation.to_array()) {
            component[index % LANES] = value;
        }
    }

    /// Replaces the joint's translation alone.
    ///
    /// # Panics
    /// If the pose has no such joint.
    #[track_caller]
    pub fn set_translation(&mut self, joint: JointId, translation: Vec3) {
        let index = self.checked(joint);
        let block = &mut self.blocks[index / LANES];
        for (component, value) in block.translation.iter_mut().zip(translation.to_array()) {
            component[index % LANES] = value;
        }
    }

    /// Every local transform, in joint order.
    pub fn transforms(&self) -> impl ExactSizeIterator<Item = Transform> + '_ {
        (0..self.joints).map(|index| self.blocks[index / LANES].get(index % LANES))
    }

    /// Takes over every transform of `other` without allocating.
    ///
    /// # Panics
    /// If the two poses have different numbers of joints.
    #[track_caller]
    pub fn copy_from(&mut self, other: &Self) {
        check::same_joints("pose", self.joints, "pose to copy", other.joints);
        self.blocks.copy_from_slice(&other.blocks);
    }

    /// Whether every number is finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.transforms().all(Transform::is_finite)
    }

    pub(crate) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    pub(crate) fn blocks_mut(&mut self) -> &mut [Block] {
        &mut self.blocks
    }

    #[track_caller]
    fn checked(&self, joint: JointId) -> usize {
        check::joint(joint, "pose", self.joints)
    }
}

impl FromIterator<Transform> for Pose {
    fn from_iter<I: IntoIterator<Item = Transform>>(transforms: I) -> Self {
        let mut pose = Self::identity(0);
        for transform in transforms {
            if pose.joints.is_multiple_of(LANES) {
                pose.blocks.push(Block::IDENTITY);
            }
            pose.blocks[pose.joints / LANES].set(pose.joints % LANES, transform);
            pose.joints += 1;
        }
        pose
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Pose {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.transforms())
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Pose {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::<Transform>::deserialize(deserializer)?.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_is_read_back_in_every_lane_and_nowhere_else() {
        for joints in [1, 7, 8, 9, 64, 65] {
            let mut pose = Pose::identity(joints);
            for index in 0..joints {
                let before = pose.clone();
                let value = index as f32;
                let transform = Transform {
                    translation: Vec3::new(value, 1.0, 2.0),
                    rotation: Quat::from_xyzw(value, 3.0, 4.0, 5.0),
                    scale: Vec3::new(6.0, value, 7.0),
                };
                pose.set(JointId::from_index(index), transform);
                for (other, (new, old)) in pose.transforms().zip(before.transforms()).enumerate() {
                    assert_eq!(new, if other == index { transform } else { old });
                }
            }
            assert_eq!(pose.transforms().collect::<Pose>(), pose);
        }
    }

    #[test]
    #[should_panic(expected = "joint 3 of a pose of 3 joints")]
    fn lanes_behind_the_last_joint_are_out_of_reach() {
        let _ = Pose::identity(3).get(JointId(3));
    }
}
