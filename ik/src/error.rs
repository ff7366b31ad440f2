//! What can be wrong with a chain, a goal or a pose.

use elea_anim::JointId;

/// Why a chain or a problem was refused. Nothing was changed: the pose is as it was before the call.
///
/// `goal` is an index into the slice of goals, `bone` a joint of the skeleton the chain was built from (or the id that
/// [`Chain::push`](crate::Chain::push) gave), `axis` 0, 1 or 2: the letter of the bone's Euler order, or x, y, z of a
/// translation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum IkError {
    /// A target has a NaN or an infinity.
    #[error("goal {goal}: its target is not finite")]
    TargetNotFinite {
        /// Index of the goal.
        goal: usize,
    },
    /// A local point or axis has a NaN or an infinity.
    #[error("goal {goal}: its local point or axis is not finite")]
    LocalNotFinite {
        /// Index of the goal.
        goal: usize,
    },
    /// A weight is NaN, infinite or negative.
    #[error("goal {goal}: its weight is {weight}, which must be finite and not negative")]
    Weight {
        /// Index of the goal.
        goal: usize,
        /// The weight as given.
        weight: f32,
    },
    /// An angle of the pose to start from is NaN or infinite.
    #[error("angle {index} of the pose is not finite")]
    AngleNotFinite {
        /// Index into the slice of angles.
        index: usize,
    },
    /// A joint of the pose has a NaN or an infinity, or a rotation of length zero.
    #[error("joint {} of the pose is not finite or has a rotation of length zero", joint.0)]
    PoseNotFinite {
        /// The joint.
        joint: JointId,
    },
    /// A direction goal whose local axis or target has length zero.
    #[error("goal {goal}: a direction of length zero")]
    ZeroDirection {
        /// Index of the goal.
        goal: usize,
    },
    /// An orientation goal whose target quaternion has length zero.
    #[error("goal {goal}: a target rotation of length zero")]
    ZeroRotation {
        /// Index of the goal.
        goal: usize,
    },
    /// A limit of an enabled axis is zero, negative, NaN or infinite.
    #[error("joint {}, axis {axis}: limit {limit}, which must be finite and above 0", bone.0)]
    Limit {
        /// The bone.
        bone: JointId,
        /// 0, 1 or 2.
        axis: usize,
        /// The limit as given.
        limit: f64,
    },
    /// A rigidity of an enabled axis is negative, NaN or infinite.
    #[error("joint {}, axis {axis}: rigidity {rigidity}, which must be finite and not negative", bone.0)]
    Rigidity {
        /// The bone.
        bone: JointId,
        /// 0, 1 or 2.
        axis: usize,
        /// The rigidity as given.
        rigidity: f64,
    },
    /// A goal names a bone that the chain does not have.
    #[error("goal {goal}: joint {} is not in the chain", bone.0)]
    GoalOutsideChain {
        /// Index of the goal.
        goal: usize,
        /// The bone it names.
        bone: JointId,
    },
    /// Every bone has length zero, so that no distance can be told from another.
    #[error("the chain's total length is zero; give it one with Chain::set_length")]
    ZeroLength,
    /// More free axes than a solver takes: its matrices grow with their square.
    #[error("{found} free axes, of which a chain may have {most}")]
    TooManyAxes {
        /// [`Chain::free_axes`](crate::Chain::free_axes).
        found: usize,
        /// [`Chain::MOST_AXES`](crate::Chain::MOST_AXES).
        most: usize,
    },
    /// No axis of the chain may move.
    #[error("no axis of the chain is free to move")]
    NoFreeAxis,
    /// A joint that neither the skeleton nor the chain has.
    #[error("there is no joint {}", joint.0)]
    NoSuchJoint {
        /// The joint.
        joint: JointId,
    },
    /// A tip that does not stand below the root.
    #[error("joint {} is not below the chain's root {}", tip.0, root.0)]
    TipNotBelowRoot {
        /// The tip.
        tip: JointId,
        /// The root.
        root: JointId,
    },
    /// A rest transform is not finite or its rotation has length zero.
    #[error("the rest transform of joint {} is not finite or has a rotation of length zero", bone.0)]
    RestTransform {
        /// The bone.
        bone: JointId,
    },
    /// A slice of angles of the wrong length.
    #[error("{found} angles where the chain has {expected}")]
    AngleCount {
        /// [`Chain::angle_count`](crate::Chain::angle_count).
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// A pose of another skeleton than the chain's.
    #[error("a pose of {found} joints, where the chain needs at least {expected}")]
    PoseSize {
        /// One more than the highest joint of the chain, or the joints of the skeleton.
        expected: usize,
        /// Joints of the pose.
        found: usize,
    },
    /// A joint's placement in model space is not finite, mirrors, or is flat; or the transform above a chain is not finite,
    /// or the scales of its bones multiply beyond f64.
    #[error("a joint's transform is not finite, mirrors or has no volume")]
    JointTransform,
    /// A setting of the solver that makes no sense.
    #[error("setting {name} is {value}, which is outside its range")]
    Setting {
        /// The field's name.
        name: &'static str,
        /// Its value.
        value: f64,
    },
}
