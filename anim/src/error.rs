//! What can be wrong with authored animation data.

use crate::JointId;

/// Why keys, channels or an animation were refused. Each variant says which joint and key.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AnimError {
    /// A channel without keys.
    #[error("channel of joint {} has no keys", joint.0)]
    NoKeys {
        /// The channel's joint.
        joint: JointId,
    },
    /// The number of values does not fit the number of times.
    #[error("channel of joint {} has {found} values where its times need {expected}", joint.0)]
    ValueCount {
        /// The channel's joint.
        joint: JointId,
        /// One per time, three for cubic splines.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// A NaN or infinite time.
    #[error("channel of joint {}: time of key {key} is not finite", joint.0)]
    TimeNotFinite {
        /// The channel's joint.
        joint: JointId,
        /// Index of the key.
        key: usize,
    },
    /// A time that is smaller than the one before.
    #[error("channel of joint {}: time of key {key} is before the key it follows", joint.0)]
    TimesDecrease {
        /// The channel's joint.
        joint: JointId,
        /// Index of the later key.
        key: usize,
    },
    /// A NaN or infinite value or tangent.
    #[error("channel of joint {}: value of key {key} is not finite", joint.0)]
    ValueNotFinite {
        /// The channel's joint.
        joint: JointId,
        /// Index of the key.
        key: usize,
    },
    /// A rotation that points nowhere.
    #[error("channel of joint {}: rotation of key {key} has length zero", joint.0)]
    ZeroRotation {
        /// The channel's joint.
        joint: JointId,
        /// Index of the key.
        key: usize,
    },
    /// A channel of a joint that the skeleton does not have.
    #[error("channel of joint {}, but the skeleton has {joints} joints", joint.0)]
    NoSuchJoint {
        /// The channel's joint.
        joint: JointId,
        /// Joints of the skeleton.
        joints: usize,
    },
}
