//! What changes a pose between layers.

use glam::Affine3A;

use crate::{LayerId, Pose, Skeleton};

/// Changes a pose between layers, or after them: inverse kinematics, a look-at, a spring.
///
/// Closures of the same shape are modifiers too.
pub trait PoseModifier {
    /// Changes `pose`.
    ///
    /// * `pose`: local space.
    /// * `model`: the same pose in model space, to read from. It need not be kept up to date: who comes next gets
    ///   it computed anew.
    fn modify(&mut self, skeleton: &Skeleton, pose: &mut Pose, model: &mut [Affine3A]);
}

impl<F: FnMut(&Skeleton, &mut Pose, &mut [Affine3A])> PoseModifier for F {
    fn modify(&mut self, skeleton: &Skeleton, pose: &mut Pose, model: &mut [Affine3A]) {
        self(skeleton, pose, model);
    }
}

/// A modifier and when it runs.
#[expect(missing_debug_implementations, reason = "holds somebody's modifier")]
pub struct Stage<'a> {
    /// After this layer, below the ones above it; `None`: after all layers.
    pub after: Option<LayerId>,
    /// What runs.
    pub modifier: &'a mut dyn PoseModifier,
}
