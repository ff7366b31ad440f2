//! What can be wrong with authored animation data.

use crate::JointId;

/// Why keys, channels or an animation were refused. Each variant says which joint and key.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AnimError {
    /// A channel without keys.
    #[error("{property} channel of joint {} has no keys", joint.0)]
    NoKeys {
        /// The channel's joint.
        joint: JointId,
        /// "translation", "rotation", "scale", or "weight" of a [`MorphTrack`](crate::MorphTrack).
        property: &'static str,
    },
    /// The number of values does not fit the number of times.
    #[error("{property} channel of joint {} has {found} values where its times need {expected}", joint.0)]
    ValueCount {
        /// The channel's joint.
        joint: JointId,
        /// "translation", "rotation", "scale", or "weight" of a [`MorphTrack`](crate::MorphTrack).
        property: &'static str,
        /// One per time, three for cubic splines.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// A NaN or infinite time.
    #[error("{property} channel of joint {}: time of key {key} is not finite", joint.0)]
    TimeNotFinite {
        /// The channel's joint.
        joint: JointId,
        /// "translation", "rotation", "scale", or "weight" of a [`MorphTrack`](crate::MorphTrack).
        property: &'static str,
        /// Index of the key.
        key: usize,
    },
    /// A time that is smaller than the one before.
    #[error("{property} channel of joint {}: time of key {key} is before the key it follows; Channel::sorted takes keys in any order", joint.0)]
    TimesDecrease {
        /// The channel's joint.
        joint: JointId,
        /// "translation", "rotation", "scale", or "weight" of a [`MorphTrack`](crate::MorphTrack).
        property: &'static str,
        /// Index of the later key.
        key: usize,
    },
    /// A time beyond [`Channel::MAX_TIME`](crate::Channel::MAX_TIME).
    #[error(
        "{property} channel of joint {}: time of key {key} is more than {:.1e} s from 0", joint.0, crate::Channel::MAX_TIME
    )]
    TimeTooLarge {
        /// The channel's joint.
        joint: JointId,
        /// "translation", "rotation", "scale", or "weight" of a [`MorphTrack`](crate::MorphTrack).
        property: &'static str,
        /// Index of the key.
        key: usize,
    },
    /// A value, or a tangent times the seconds of its interval, that is beyond
    /// [`Channel::MAX_VALUE`](crate::Channel::MAX_VALUE) (for rotations' tangents, 1.8e19).
    #[error(
        "{property} channel of joint {}: a value of key {key}, or a tangent times the seconds that it is for, is beyond {limit:.1e}",
        joint.0
    )]
    ValueTooLarge {
        /// The channel's joint.
        joint: JointId,
        /// "translation", "rotation", "scale", or "weight" of a [`MorphTrack`](crate::MorphTrack).
        property: &'static str,
        /// Index of the key.
        key: usize,
        /// The largest magnitude that is taken.
        limit: f32,
    },
    /// A NaN or infinite value or tangent.
    #[error("{property} channel of joint {}: value of key {key} is not finite", joint.0)]
    ValueNotFinite {
        /// The channel's joint.
        joint: JointId,
        /// "translation", "rotation", "scale", or "weight" of a [`MorphTrack`](crate::MorphTrack).
        property: &'static str,
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
    /// A channel of a joint that the pose lacks from which differences are to be taken.
    #[error("channel of joint {}, but the reference pose has {joints} joints", joint.0)]
    NoReference {
        /// The channel's joint.
        joint: JointId,
        /// Joints of the reference pose.
        joints: usize,
    },
    /// An event or a marker at a time that is NaN or infinite.
    #[error("marker \"{name}\": its time is not finite")]
    MarkerTime {
        /// The event's or marker's name.
        name: String,
    },
    /// An error bound that is negative or NaN.
    #[error("bake option {option} is {value}, which is not 0 or more")]
    BakeOption {
        /// The field's name.
        option: &'static str,
        /// As given.
        value: f32,
    },
    /// A time or a factor of an edit that makes no sense.
    #[error("{what} is {value}, which is not {expected}")]
    EditValue {
        /// The parameter.
        what: &'static str,
        /// As given.
        value: f32,
        /// The allowed range.
        expected: &'static str,
    },
    /// Two channels of one property that cannot be joined: a spline and something else.
    #[error("channel of joint {}: a cubic spline can only be joined to another one", joint.0)]
    CurvesDiffer {
        /// The channels' joint.
        joint: JointId,
    },
    /// A reference scale of zero, against which no ratio can be taken.
    #[error("reference scale of joint {} is zero", joint.0)]
    ZeroReferenceScale {
        /// The joint.
        joint: JointId,
    },
    /// A map or pose of another number of joints.
    #[error("{found} joints where {expected} are needed")]
    JointCount {
        /// Joints of the skeleton.
        expected: usize,
        /// What was given.
        found: usize,
    },
}
