//! What every writer of sampled motion does first.

use glam::Vec3;

use crate::{Animation, Channel, JointId, Skeleton, Transform};

/// Frame times above this (seconds) are refused: the time of the last frame must be an f32, and no file that fits
/// into memory has 1e18 frames.
pub(crate) const LONGEST_FRAME: f64 = 1e20;

/// Larger values (in length units) are refused: an eighth of f32's range, so that a channel takes the sum of two.
pub(crate) const LARGEST: f64 = Channel::MAX_VALUE as f64 / 2.0;

/// The most frames in one file: with more, f32 key times no longer tell the frames apart.
pub const MAX_FRAMES: usize = 1 << 22;

/// Why an animation cannot be sampled; the writers say it in their own errors.
pub(crate) enum SampleError {
    FrameTime {
        found: f64,
    },
    TooManyFrames {
        seconds: f32,
        frame_time: f64,
    },
    NoSuchJoint {
        joint: JointId,
        joints: usize,
    },
    NotFinite {
        joint: JointId,
        name: String,
        frame: usize,
    },
}

/// The time of every frame from the animation's start to its end, at least one.
pub(crate) fn frame_times(animation: &Animation, frame_time: f64) -> Result<Vec<f32>, SampleError> {
    if !(frame_time > 0.0 && frame_time <= LONGEST_FRAME) {
        return Err(SampleError::FrameTime { found: frame_time });
    }
    let seconds = animation.duration();
    let steps = (f64::from(seconds) / frame_time).round();
    #[expect(clippy::cast_precision_loss, reason = "a power of two")]
    let most = MAX_FRAMES as f64;
    if steps >= most {
        return Err(SampleError::TooManyFrames { seconds, frame_time });
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 to MAX_FRAMES"
    )]
    let steps = steps as u32;
    let start = f64::from(animation.start());
    #[expect(
        clippy::cast_possible_truncation,
        reason = "key times are f32, rounded as the readers do"
    )]
    let time = |step| (start + f64::from(step) * frame_time) as f32;
    Ok((0..=steps).map(time).collect())
}

pub(crate) fn check_joint(skeleton: &Skeleton, joint: JointId) -> Result<(), SampleError> {
    let joints = skeleton.len();
    if joint.index() < joints {
        Ok(())
    } else {
        Err(SampleError::NoSuchJoint { joint, joints })
    }
}

/// Every joint's local transform at every time, one list for each joint.
pub(crate) fn sample(
    skeleton: &Skeleton,
    animation: &Animation,
    times: &[f32],
) -> Result<Vec<Vec<Transform>>, SampleError> {
    let mut channels: Vec<Vec<&Channel>> = vec![Vec::new(); skeleton.len()];
    for channel in &animation.channels {
        check_joint(skeleton, channel.joint())?;
        channels[channel.joint().index()].push(channel);
    }
    let mut tracks = Vec::with_capacity(skeleton.len());
    for (joint, channels) in skeleton.joints().zip(channels) {
        let mut track = vec![skeleton.rest_pose().get(joint); times.len()];
        for (frame, (transform, &time)) in track.iter_mut().zip(times).enumerate() {
            for channel in &channels {
                channel.sample_into(time, transform);
            }
            let small = |v: Vec3| v.is_finite() && f64::from(v.abs().max_element()) <= LARGEST;
            if !small(transform.translation) || !small(transform.scale) {
                let name = skeleton.name(joint).to_owned();
                return Err(SampleError::NotFinite { joint, name, frame });
            }
        }
        tracks.push(track);
    }
    Ok(tracks)
}
