//! The bones of a chain as the solvers see them.

use elea_anim::{JointId, Pose, Skeleton, Transform};
use glam::{DMat3, DQuat, DVec3};

use crate::{Axis, ChainJoint, IkError};

/// Sizes of the way down to a bone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measure {
    /// Upper bound of the product of scales down to and with the bone.
    pub(crate) scale: f64,
    /// Length of the way from the root's joint to the bone's, stretched out.
    pub(crate) reach: f64,
    /// The bone without a parent that the way begins at, if nothing on the way can translate.
    pub(crate) fixed_root: Option<usize>,
}

/// Where the chain's root hangs: the model space transform above it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Base {
    pub(crate) linear: DMat3,
    pub(crate) rotation: DMat3,
    pub(crate) position: DVec3,
}

impl Base {
    pub(crate) const IDENTITY: Self = Self {
        linear: DMat3::IDENTITY,
        rotation: DMat3::IDENTITY,
        position: DVec3::ZERO,
    };

    pub(crate) fn is_finite(&self) -> bool {
        self.linear.is_finite() && self.rotation.is_finite() && self.position.is_finite()
    }

    /// The same transform in the space above `transform`.
    pub(crate) fn above(self, transform: Transform) -> Self {
        let rotation = DMat3::from_quat(transform.rotation.as_dquat().normalize());
        let linear = rotation * DMat3::from_diagonal(transform.scale.as_dvec3());
        Self {
            linear: linear * self.linear,
            rotation: rotation * self.rotation,
            position: linear * self.position + transform.translation.as_dvec3(),
        }
    }
}

/// What scale does to a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// No scale anywhere.
    Rigid,
    /// Scales differ from 1, each the same along all axes and positive.
    Uniform,
    /// A scale that differs between axes, or mirrors.
    Sheared,
}

/// One bone as the solvers see it.
#[derive(Clone, Debug)]
pub(crate) struct Bone {
    pub(crate) id: JointId,
    pub(crate) parent: Option<usize>,
    pub(crate) offset: DVec3,
    pub(crate) rest: DQuat,
    pub(crate) rest_matrix: DMat3,
    pub(crate) scale: DVec3,
    pub(crate) joint: ChainJoint,
    /// First of the bone's angles.
    pub(crate) slot: usize,
    /// The rotations as a matrix product, left to right: axis (0..3) and letter (0..3).
    pub(crate) sequence: [(usize, usize); 3],
    /// The variable of each letter, and of each translation.
    pub(crate) rotation_variables: [Option<u16>; 3],
    pub(crate) translation_variables: [Option<u16>; 3],
}

impl Bone {
    pub(crate) fn translates(&self) -> bool {
        self.joint.translate.iter().any(|axis| *axis != Axis::Off)
    }

    pub(crate) fn slots(&self) -> usize {
        if self.translates() { 6 } else { 3 }
    }

    pub(crate) fn set_rest(&mut self, rest: Transform) -> Result<(), IkError> {
        let rotation = rest.rotation.as_dquat();
        if !rest.is_finite() || rotation.length_squared() == 0.0 {
            return Err(IkError::RestTransform { bone: self.id });
        }
        self.offset = rest.translation.as_dvec3();
        self.scale = rest.scale.as_dvec3();
        self.rest = rotation.normalize();
        self.rest_matrix = DMat3::from_quat(self.rest);
        Ok(())
    }
}

/// The most that a matrix stretches one of the axes.
pub(crate) fn largest_stretch(linear: DMat3) -> f64 {
    linear
        .x_axis
        .length()
        .max(linear.y_axis.length())
        .max(linear.z_axis.length())
}

/// The transform above a joint in model space, taken from a pose.
pub(crate) fn base_above(skeleton: &Skeleton, pose: &Pose, joint: JointId) -> Base {
    let mut base = Base::IDENTITY;
    let mut current = skeleton.parent(joint);
    while let Some(joint) = current {
        base = base.above(pose.get(joint));
        current = skeleton.parent(joint);
    }
    base
}

/// The middle of an axis' limits; 0 without limits.
pub(crate) fn middle(axis: Axis) -> f64 {
    match axis {
        Axis::Limit {
            negative, positive, ..
        } => 0.5 * (positive.limit - negative.limit),
        Axis::Off | Axis::Free => 0.0,
    }
}

/// Whether a joint of a pose is a placement at all.
pub(crate) fn check_transform(pose: &Pose, joint: JointId) -> Result<(), IkError> {
    let transform = pose.get(joint);
    if transform.is_finite() && transform.rotation.length_squared() > 0.0 {
        Ok(())
    } else {
        Err(IkError::PoseNotFinite { joint })
    }
}
