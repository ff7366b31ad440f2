//! Channels that play together.

use crate::{Channel, Pose, Skeleton};

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
}

impl Animation {
    /// An animation of these channels.
    #[must_use]
    pub fn new(name: impl Into<String>, channels: Vec<Channel>) -> Self {
        Self {
            name: name.into(),
            channels,
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
    pub fn sample(&self, skeleton: &Skeleton, time: f32, pose: &mut Pose) {
        pose.copy_from(skeleton.rest_pose());
        for channel in &self.channels {
            let mut transform = pose.get(channel.joint());
            channel.sample_into(time, &mut transform);
            pose.set(channel.joint(), transform);
        }
    }
}
