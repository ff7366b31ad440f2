//! Why two figures can't be retargeted.

use super::humanoid::Part;

/// Why [`Retargeter::new`](super::Retargeter::new) refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RetargetError {
    /// The map has no joint for a part that retargeting needs.
    #[error("the bone map has no joint for {0}")]
    MissingPart(Part),
    /// The map names a joint that the skeleton does not have.
    #[error("{part} is mapped to joint \"{joint}\", which the skeleton does not have")]
    UnknownJoint {
        /// The part.
        part: Part,
        /// The joint's name as mapped.
        joint: String,
    },
    /// A limb's joints don't follow each other.
    #[error("{part} does not stand below {above} in the skeleton: one of them is mapped to the wrong joint")]
    NotBelow {
        /// The lower part.
        part: Part,
        /// The part that should carry it.
        above: Part,
    },
    /// Hips, legs and arms hang from different roots.
    #[error("hips, legs and arms hang from several roots: join them under one joint")]
    SeveralRoots,
    /// The retarget pose has another number of joints than the skeleton.
    #[error("the retarget pose has {pose} joints, the skeleton {joints}")]
    PoseOfAnotherSkeleton {
        /// Joints of the skeleton.
        joints: usize,
        /// Joints of the pose.
        pose: usize,
    },
    /// In the retarget pose NaN, infinity, a number beyond [`Channel::MAX_VALUE`](elea_anim::Channel::MAX_VALUE) or a
    /// rotation of length zero.
    #[error(
        "the retarget pose of joint \"{joint}\" is not finite, too large or has a rotation of length zero"
    )]
    NotFinite {
        /// The joint.
        joint: String,
    },
    /// Legs or trunk have no length in the retarget pose, or both sides fall together.
    #[error(
        "the figure has no size in its retarget pose (legs, trunk or hips of length 0): choose another pose"
    )]
    NoSize,
    /// An option outside its range.
    #[error("option {name} is {value}: {expected}")]
    BadOption {
        /// Name of the field.
        name: &'static str,
        /// What it was.
        value: f32,
        /// What it may be.
        expected: &'static str,
    },
}
