//! Channels that play together.

use std::sync::Arc;

use crate::{Channel, Pose, Skeleton, check};

/// Channels that play together: the authoring form, easy to edit. [`Clip`](crate::Clip) is the form to play.
///
/// Joints without a channel keep their rest transform.
///
/// ```
/// use elea_anim::{Animation, Channel, Interpolation, JointId, Key, glam::Vec3};
/// let keys = [Key::new(0.0, Vec3::ZERO), Key::new(2.0, Vec3::X)];
/// let slide = Channel::translation(JointId(0), Interpolation::Linear, &keys)?;
/// let animation = Animation::new("slide", vec![slide]);
/// assert_eq!((animation.start(), animation.end()), (0.0, 2.0));
/// # Ok::<(), elea_anim::AnimError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Animation {
    /// Any text.
    pub name: String,
    /// In any order. Where two channels animate the same property of a joint, the later one wins.
    pub channels: Vec<Channel>,
    /// Things that happen at a time (a footstep, a shot); [`Animux::advance`](crate::Animux::advance) reports
    /// them. In any order. One that is not in [`start`](Self::start)`..=`[`end`](Self::end) is kept but never reported:
    /// no clip plays that time.
    #[cfg_attr(feature = "serde", serde(default))]
    pub events: Vec<Marker>,
    /// Named phases by which sync groups keep several clips in step (left foot down, right foot down). In any
    /// order.
    #[cfg_attr(feature = "serde", serde(default))]
    pub markers: Vec<Marker>,
    /// Whether the channels hold differences from a pose ([`to_additive`](Self::to_additive) makes them).
    #[cfg_attr(feature = "serde", serde(default))]
    pub additive: bool,
}

/// A name at a time: an event, or a phase of a cycle.
///
/// The name is shared, so that reporting an event allocates nothing.
#[derive(Clone, Debug, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Marker {
    /// Seconds, on the animation's own axis.
    pub time: f32,
    /// Any text.
    pub name: Arc<str>,
}

impl Marker {
    /// A name at a time.
    #[must_use]
    pub fn new(time: f32, name: impl Into<Arc<str>>) -> Self {
        Self {
            time,
            name: name.into(),
        }
    }
}

impl Animation {
    /// An animation of these channels.
    #[must_use]
    pub fn new(name: impl Into<String>, channels: Vec<Channel>) -> Self {
        Self {
            name: name.into(),
            channels,
            ..Self::default()
        }
    }

    /// The earliest key time in seconds; 0 without channels.
    #[must_use]
    pub fn start(&self) -> f32 {
        let first = |channel: &Channel| channel.times()[0];
        self.channels.iter().map(first).reduce(f32::min).unwrap_or(0.0)
    }

    /// The latest key time in seconds; 0 without channels.
    #[must_use]
    pub fn end(&self) -> f32 {
        let last = |channel: &Channel| channel.times()[channel.keys() - 1];
        self.channels.iter().map(last).reduce(f32::max).unwrap_or(0.0)
    }

    /// Seconds from [`start`](Self::start) to [`end`](Self::end).
    #[must_use]
    pub fn duration(&self) -> f32 {
        self.end() - self.start()
    }

    /// Fills `pose` with the rest pose and every channel's value at `time` (seconds, finite; the ends hold).
    ///
    /// For tools: it searches every channel's keys. To play an animation, bake a [`Clip`](crate::Clip).
    ///
    /// # Panics
    /// If `pose` is not of `skeleton`, or a channel's joint is not in it.
    #[track_caller]
    pub fn sample(&self, skeleton: &Skeleton, time: f32, pose: &mut Pose) {
        check::same_joints("pose", pose.len(), "skeleton", skeleton.len());
        pose.copy_from(skeleton.rest_pose());
        for channel in &self.channels {
            let mut transform = pose.get(channel.joint());
            channel.sample_into(time, &mut transform);
            pose.set(channel.joint(), transform);
        }
    }
}
