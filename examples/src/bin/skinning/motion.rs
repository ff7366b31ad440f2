//! A recorded motion, brought onto the figure.

use std::path::{Path, PathBuf};

use elea_anim::bvh::{self, BvhError};
use elea_anim::{Animation, Channel, Pose, Skeleton, Values, local_to_model};
use elea_ik::retarget::{Options, Part, RetargetError, Retargeter, Rig};
use glam::Affine3A;

use crate::figure::bones::{ANKLE, BALL};
use crate::limb_error::{self, LimbError};

/// A file's motion on the figure's skeleton.
#[derive(Debug)]
pub(crate) struct Motion {
    /// Starts at 0.
    pub(crate) animation: Animation,
    /// Seconds.
    pub(crate) frame_time: f64,
    /// What a person should know about file and figure, one line each.
    pub(crate) notes: Vec<String>,
    /// One line: frames, joints, naming convention, errors.
    pub(crate) summary: String,
}

/// Why a file could not be played. Each message is one line that names the file.
#[derive(Debug)]
pub(crate) enum MotionError {
    Read(PathBuf, std::io::Error),
    Empty(PathBuf),
    Bvh(PathBuf, BvhError),
    NoFrames(PathBuf),
    FourLegged(PathBuf),
    MissingPart(PathBuf, Part, String),
    Retarget(PathBuf, RetargetError),
    /// The result would not be finite.
    NotFinite(PathBuf),
}

impl std::fmt::Display for MotionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Read(path, error) => write!(
                f,
                "{}: can't be read: {error}; check the path given to --motion",
                path.display()
            ),
            Self::Empty(path) => write!(
                f,
                "{}: the file is empty; --motion takes a BVH file, which begins with the line HIERARCHY",
                path.display()
            ),
            Self::Bvh(path, error) => write!(
                f,
                "{}: {error}; --motion takes a BVH file: repair that line or export the motion again",
                path.display()
            ),
            Self::NoFrames(path) => write!(
                f,
                "{}: the MOTION section holds no complete frame, so there is nothing to play; export it with its frames",
                path.display()
            ),
            Self::FourLegged(path) => write!(
                f,
                "{}: the trunk lies along the ground, so this looks like a four-legged figure; --motion takes humanoids, \
                 so choose another file",
                path.display()
            ),
            Self::MissingPart(path, part, joints) => write!(
                f,
                "{}: no joint found for the {}; is this a humanoid? rename its joint (the file has {joints}), \
                 or give the retarget example a bone map",
                path.display(),
                in_words(*part)
            ),
            Self::Retarget(path, error) => write!(
                f,
                "{}: {error}; the retarget example takes a bone map and a pose of your own, and its BVH can be played here",
                path.display()
            ),
            Self::NotFinite(path) => write!(
                f,
                "{}: the motion has values too large to be used; scale it down when exporting",
                path.display()
            ),
        }
    }
}

impl std::error::Error for MotionError {}

/// Reads the file and retargets all of it.
pub(crate) fn load(path: &Path, figure: &Skeleton) -> Result<Motion, MotionError> {
    let bytes = std::fs::read(path).map_err(|error| MotionError::Read(path.into(), error))?;
    if bytes.trim_ascii().is_empty() {
        return Err(MotionError::Empty(path.into()));
    }
    let bvh = bvh::parse(&bytes).map_err(|error| MotionError::Bvh(path.into(), error))?;
    let mut notes: Vec<String> = bvh.warnings.iter().map(ToString::to_string).collect();
    if bvh.frames == 0 {
        return Err(MotionError::NoFrames(path.into()));
    }

    let (mut source, report) = Rig::auto(bvh.skeleton.clone(), Some(&bvh.animation));
    if source.is_four_legged() {
        return Err(MotionError::FourLegged(path.into()));
    }
    let (target, _) = Rig::auto(figure.clone(), None);
    let source_map = report.map.clone();
    notes.extend(report.warnings.iter().map(ToString::to_string));
    source.add_foot_tips(bvh.tips.iter().map(|tip| (tip.joint, tip.offset)));
    let options = Options {
        foot_lock: true,
        ..Options::default()
    };
    let mut retargeter = Retargeter::new(source, target, options).map_err(|error| match error {
        RetargetError::MissingPart(part) => {
            MotionError::MissingPart(path.into(), part, first_names(&bvh.skeleton))
        }
        other => MotionError::Retarget(path.into(), other),
    })?;
    let mut animation = retargeter.retarget_animation(&bvh.animation);
    let times = frame_times(&bvh.animation, bvh.frames);
    set_on_ground(figure, &mut animation, &times).ok_or_else(|| MotionError::NotFinite(path.into()))?;

    let limbs = limb_error::limb_error(
        limb_error::Figure {
            skeleton: &bvh.skeleton,
            map: &source_map,
            animation: &bvh.animation,
        },
        limb_error::Figure {
            skeleton: figure,
            map: &retargeter.target().map,
            animation: &animation,
        },
        &times,
    );
    let limbs = limbs.map_or_else(String::new, |LimbError { mean, max }| {
        format!("; limb directions off by {mean:.2} degrees (mean), {max:.2} (max)")
    });
    let summary = format!(
        "{}: {} frames at {:.1} Hz, {} joints, names: {}{limbs}",
        path.display(),
        bvh.frames,
        1.0 / bvh.frame_time,
        bvh.skeleton.len(),
        report.convention.unwrap_or("none known"),
    );
    Ok(Motion {
        animation,
        frame_time: bvh.frame_time,
        notes,
        summary,
    })
}

/// At most so many frames are looked at to compare motions: enough for any statistic.
const MAX_LOOKS: usize = 2_000;

/// Evenly spread over the animation, both ends among them.
fn frame_times(animation: &Animation, frames: usize) -> Vec<f32> {
    let count = frames.clamp(1, MAX_LOOKS);
    #[expect(clippy::cast_precision_loss, reason = "at most MAX_LOOKS")]
    let share = |index: usize| index as f32 / (count - 1).max(1) as f32;
    (0..count)
        .map(|index| animation.start() + animation.duration() * share(index))
        .collect()
}

/// Raises or lowers the whole motion so that the lower foot stands on the ground in all but the
/// lowest twentieth of the frames. Floors of recorded motions are rarely at height 0.
///
/// `None` where the motion is not finite.
fn set_on_ground(figure: &Skeleton, animation: &mut Animation, times: &[f32]) -> Option<()> {
    let mut pose = Pose::identity(figure.len());
    let mut model = vec![Affine3A::IDENTITY; figure.len()];
    let soles: Vec<(usize, f32)> = [
        ("LeftFoot", ANKLE.y),
        ("RightFoot", ANKLE.y),
        ("LeftToeBase", BALL.y),
        ("RightToeBase", BALL.y),
    ]
    .into_iter()
    .map(|(name, height)| (figure.joint(name).expect("a joint of the figure").index(), height))
    .collect();
    let mut lows = Vec::with_capacity(times.len());
    for &time in times {
        animation.sample(figure, time, &mut pose);
        local_to_model(figure, &pose, &mut model);
        if !model.iter().all(|m| m.is_finite()) {
            return None;
        }
        let height = |&(joint, height): &(usize, f32)| model[joint].translation.y - height;
        lows.push(soles.iter().map(height).fold(f32::INFINITY, f32::min));
    }
    lows.sort_by(f32::total_cmp);
    let floor = lows[lows.len() / 20];
    let hips = figure.joint("Hips").expect("a joint of the figure");
    for channel in &mut animation.channels {
        if channel.joint() != hips {
            continue;
        }
        let Values::Translation(values) = channel.values() else {
            continue;
        };
        let moved = values.iter().map(|v| *v - glam::Vec3::Y * floor).collect();
        *channel = Channel::new(
            hips,
            channel.interpolation(),
            channel.times().to_vec(),
            Values::Translation(moved),
        )
        .expect("as valid as before");
    }
    Some(())
}

/// "left upper arm" for `l_upperarm`.
fn in_words(part: Part) -> String {
    let name = part.to_string();
    let name = match name.split_once('_') {
        Some(("l", rest)) => format!("left {rest}"),
        Some(("r", rest)) => format!("right {rest}"),
        _ => name,
    };
    name.replace("upperarm", "upper arm").replace('_', " ")
}

/// A few names, for a message.
fn first_names(skeleton: &Skeleton) -> String {
    const SHOWN: usize = 6;
    let names: Vec<String> = skeleton
        .joints()
        .take(SHOWN)
        .map(|id| skeleton.name(id).escape_debug().to_string())
        .collect();
    let more = if skeleton.len() > SHOWN { ", ..." } else { "" };
    format!("{}{more}", names.join(", "))
}
