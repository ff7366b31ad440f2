//! From local space to model space.

use glam::Affine3A;

use crate::{Pose, Skeleton};

/// Multiplies every joint's local transform onto its parent's: `model[joint] = model[parent] * local[joint]`.
///
/// * `pose`: local space, one transform per joint.
/// * `model`: out, one matrix per joint, in the space in which the roots' transforms are given.
///
/// # Panics
/// If `pose` or `model` has another number of joints than `skeleton`.
///
/// ```
/// # use elea_anim::{Joint, JointId, Skeleton, Transform, glam::{Affine3A, Vec3}, local_to_model};
/// # let up = Transform::from_translation(Vec3::Y);
/// # let joint = |parent| Joint { name: String::new(), parent, rest: up };
/// # let skeleton = Skeleton::new(vec![joint(None), joint(Some(JointId(0)))])?;
/// let mut model = vec![Affine3A::IDENTITY; skeleton.len()];
/// local_to_model(&skeleton, skeleton.rest_pose(), &mut model);
/// assert_eq!(model[1].translation, (Vec3::Y * 2.0).into());
/// # Ok::<(), elea_anim::SkeletonError>(())
/// ```
pub fn local_to_model(skeleton: &Skeleton, pose: &Pose, model: &mut [Affine3A]) {
    assert_eq!(pose.len(), skeleton.len(), "pose of another skeleton");
    assert_eq!(model.len(), skeleton.len(), "one model matrix per joint");
    for ((index, transform), parent) in pose.transforms().enumerate().zip(skeleton.parents()) {
        let local = transform.to_affine();
        model[index] = match parent {
            Some(parent) => model[parent.index()] * local,
            None => local,
        };
    }
}
