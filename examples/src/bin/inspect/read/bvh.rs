//! BVH.

use elea_anim::{
    JointId,
    bvh::{self, Axis, Bvh, BvhChannel, BvhError, BvhOptions, Strictness},
};

use super::world;
use crate::report::{Positions, Report};

pub(super) fn read(bytes: &[u8], strict: bool, frames: &[usize]) -> Result<Report, String> {
    let strictness = if strict {
        Strictness::Strict
    } else {
        Strictness::Lenient
    };
    let options = BvhOptions {
        strictness,
        ..BvhOptions::default()
    };
    match bvh::parse_with(bytes, &options) {
        Ok(bvh) => Ok(report(&bvh, frames)),
        Err(error) => Err(format!("{error}; {}", advice(&error))),
    }
}

/// What a user can do about an error.
fn advice(error: &BvhError) -> &'static str {
    match error {
        BvhError::NotBvh { .. } => "inspect reads BVH files, which begin with this word, glTF, GLB and MD5",
        BvhError::NoRoot { .. } => "the file may be cut off: get it again",
        BvhError::UnknownChannel { .. } => "X, Y or Z with position, rotation or scale are channels",
        BvhError::ChannelCount { .. } => "make the number and the names agree",
        BvhError::NestedEndSite { .. } => "close the End Site with a brace before it, or make it a JOINT",
        BvhError::TooManyJoints { .. } => "split the file",
        BvhError::NonFinite { .. } | BvhError::NonFiniteHeader { .. } => "export it again or put in a number",
        BvhError::Strict(_) => "without --strict the file is read",
        _ => "correct this line",
    }
}

fn report(bvh: &Bvh, frames: &[usize]) -> Report {
    let skeleton = &bvh.skeleton;
    let names: Vec<String> = skeleton
        .joints()
        .map(|joint| skeleton.name(joint).to_owned())
        .collect();
    let parents = skeleton.parents();
    let frames = frames.iter().filter(|frame| **frame < bvh.frames);
    Report {
        format: "BVH",
        parents: parents
            .iter()
            .map(|parent| parent.map_or(-1, |parent| i64::from(parent.0)))
            .collect(),
        roots: parents.iter().filter(|parent| parent.is_none()).count(),
        frames: bvh.frames,
        frame_time: bvh.has_motion.then_some(bvh.frame_time),
        channels: bvh.channels(),
        warnings: bvh.warnings.iter().map(ToString::to_string).collect(),
        error: None,
        world: frames
            .map(|&frame| {
                #[expect(
                    clippy::cast_precision_loss,
                    clippy::cast_possible_truncation,
                    reason = "the frame's key time, as it is defined"
                )]
                let time = (frame as f64 * bvh.frame_time) as f32;
                let positions = world(skeleton, &bvh.animation, time);
                (frame, Positions::new(&names, positions))
            })
            .collect(),
        notes: skeleton.joints().map(|joint| note(bvh, joint)).collect(),
        summary: Vec::new(),
        joints: names,
    }
}

/// The joint's channels and End Sites in a few words.
fn note(bvh: &Bvh, joint: JointId) -> String {
    let layout = &bvh.joints[joint.index()];
    let letter = |axis: &Axis| format!("{axis:?}");
    let mut rotations = String::new();
    let (mut positions, mut scales) = (false, false);
    for channel in &layout.channels {
        match channel {
            BvhChannel::Rotation(axis) => rotations.push_str(&letter(axis)),
            BvhChannel::Position(_) => positions = true,
            BvhChannel::Scale(_) => scales = true,
        }
    }
    let mut parts = Vec::new();
    if !rotations.is_empty() {
        parts.push(rotations);
    }
    if positions {
        parts.push(
            if layout.replaces_offset {
                "positions replace OFFSET"
            } else {
                "positions add to OFFSET"
            }
            .to_owned(),
        );
    }
    if scales {
        parts.push("scale".to_owned());
    }
    if layout.channels.is_empty() {
        parts.push("fixed".to_owned());
    }
    match bvh.tips.iter().filter(|tip| tip.joint == joint).count() {
        0 => {}
        1 => parts.push("End Site".to_owned()),
        count => parts.push(format!("{count} End Sites")),
    }
    parts.join(", ")
}
