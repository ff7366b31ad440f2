//! Model-space rotations and positions of a pose.

use elea_anim::{JointId, Pose, Skeleton};
use glam::{Quat, Vec3};

/// Rotations, positions and scales of all joints in model space. Scales are multiplied per axis, which is exact
/// for uniform ones; shear from rotated non-uniform scales is left out.
#[derive(Clone, Debug)]
pub(super) struct ModelPose {
    pub(super) rotations: Vec<Quat>,
    pub(super) positions: Vec<Vec3>,
    pub(super) scales: Vec<Vec3>,
}

impl ModelPose {
    pub(super) fn new(joints: usize) -> Self {
        Self {
            rotations: vec![Quat::IDENTITY; joints],
            positions: vec![Vec3::ZERO; joints],
            scales: vec![Vec3::ONE; joints],
        }
    }

    pub(super) fn of(skeleton: &Skeleton, pose: &Pose) -> Self {
        let mut model = Self::new(skeleton.len());
        model.update(skeleton, pose);
        model
    }

    pub(super) fn update(&mut self, skeleton: &Skeleton, pose: &Pose) {
        for ((index, local), parent) in pose.transforms().enumerate().zip(skeleton.parents()) {
            let (rotation, position, scale) = match parent {
                None => (local.rotation, local.translation, local.scale),
                Some(parent) => {
                    let (rotation, position) = (self.rotation(*parent), self.position(*parent));
                    let scale = self.scales[parent.index()];
                    (
                        rotation * local.rotation,
                        position + rotation * (scale * local.translation),
                        scale * local.scale,
                    )
                }
            };
            self.rotations[index] = rotation;
            self.positions[index] = position;
            self.scales[index] = scale;
        }
    }

    pub(super) fn rotation(&self, joint: JointId) -> Quat {
        self.rotations[joint.index()]
    }

    pub(super) fn position(&self, joint: JointId) -> Vec3 {
        self.positions[joint.index()]
    }
}
