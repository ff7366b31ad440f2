//! From rows of channels to animation channels.

use std::sync::Arc;

use glam::{DQuat, DVec3, Quat, Vec3};

use crate::{
    Animation, Channel, Interpolation, Joint, JointId, Skeleton, Transform, Values, channel::settled,
};

use super::{
    Axis, Bvh, BvhChannel, BvhError, BvhJoint, BvhOptions, BvhWarning, Positions, Tip,
    angles::{HalfAngle, three_turns},
    error::Notes,
    hierarchy::{Hierarchy, JointEntry},
    motion::Motion,
};

/// An OFFSET shorter than this (length units) has no direction to tell replacing from adding by; both readings
/// are then the same to well below f32's precision of any coordinate above 0.02.
const NO_OFFSET: f64 = 1e-9;

/// The motion so far, one track a joint.
pub(super) struct Tracks {
    tracks: Vec<Track>,
    frames: usize,
    channels: usize,
    /// Half of every angle of the row that is being taken.
    halves: Vec<HalfAngle>,
}

struct Track {
    channels: Vec<BvhChannel>,
    /// Column of the first of three rotations about different axes one behind the other, and their axes: the
    /// usual case, for which there is a shorter formula.
    euler: Option<(usize, [Axis; 3])>,
    /// `Some` where the joint has such channels, one value a frame.
    positions: Option<Vec<DVec3>>,
    rotations: Option<Vec<Quat>>,
    scales: Option<Vec<Vec3>>,
}

impl Tracks {
    pub(super) fn new(hierarchy: &Hierarchy) -> Self {
        let track = |joint: &JointEntry| {
            let has = |kind: fn(&BvhChannel) -> bool| joint.channels.iter().any(kind);
            Track {
                channels: joint.channels.clone(),
                euler: euler_columns(&joint.channels),
                positions: has(|channel| matches!(channel, BvhChannel::Position(_))).then(Vec::new),
                rotations: has(|channel| matches!(channel, BvhChannel::Rotation(_))).then(Vec::new),
                scales: has(|channel| matches!(channel, BvhChannel::Scale(_))).then(Vec::new),
            }
        };
        Self {
            tracks: hierarchy.joints.iter().map(track).collect(),
            frames: 0,
            channels: hierarchy.joints.iter().map(|joint| joint.channels.len()).sum(),
            halves: Vec::new(),
        }
    }

    pub(super) const fn frames(&self) -> usize {
        self.frames
    }

    pub(super) const fn channels(&self) -> usize {
        self.channels
    }

    pub(super) fn reserve(&mut self, frames: usize) {
        for track in &mut self.tracks {
            if let Some(positions) = &mut track.positions {
                positions.reserve_exact(frames);
            }
            if let Some(rotations) = &mut track.rotations {
                rotations.reserve_exact(frames);
            }
            if let Some(scales) = &mut track.scales {
                scales.reserve_exact(frames);
            }
        }
    }

    /// What is held where the first frame's value is not finite.
    pub(super) fn first_row(&self) -> Vec<f64> {
        let columns = self.tracks.iter().flat_map(|track| &track.channels);
        columns
            .map(|channel| f64::from(u8::from(matches!(channel, BvhChannel::Scale(_)))))
            .collect()
    }

    /// Takes one frame of values, one for each channel.
    pub(super) fn push(&mut self, row: &[f64]) {
        // Positions and scales go through it too: without a branch the loop takes several values at a time.
        self.halves.clear();
        HalfAngle::extend(&mut self.halves, row);
        let mut first = 0;
        for track in &mut self.tracks {
            let columns = first..first + track.channels.len();
            first = columns.end;
            let (values, halves) = (&row[columns.clone()], &self.halves[columns]);
            let (mut position, mut rotation, mut scale) = (DVec3::ZERO, DQuat::IDENTITY, DVec3::ONE);
            if let Some((at, axes)) = track.euler {
                rotation = three_turns([halves[at], halves[at + 1], halves[at + 2]], axes);
            }
            if track.euler.is_none() || track.channels.len() > 3 {
                for ((channel, &value), &half) in track.channels.iter().zip(values).zip(halves) {
                    match channel {
                        BvhChannel::Position(axis) => position[*axis as usize] = value,
                        BvhChannel::Scale(axis) => scale[*axis as usize] = value,
                        BvhChannel::Rotation(_) if track.euler.is_some() => {}
                        BvhChannel::Rotation(axis) => rotation = half.turn(rotation, *axis),
                    }
                }
            }
            if let Some(positions) = &mut track.positions {
                positions.push(position);
            }
            if let Some(rotations) = &mut track.rotations {
                let rotation = rotation.as_quat();
                // As `Channel` wants them: each on the side of the one before.
                let opposed = rotations.last().is_some_and(|before| before.dot(rotation) < 0.0);
                rotations.push(if opposed { -rotation } else { rotation });
            }
            if let Some(scales) = &mut track.scales {
                scales.push(scale.as_vec3());
            }
        }
        self.frames += 1;
    }
}

fn euler_columns(channels: &[BvhChannel]) -> Option<(usize, [Axis; 3])> {
    let is_rotation = |channel: &BvhChannel| matches!(channel, BvhChannel::Rotation(_));
    let at = channels.iter().position(is_rotation)?;
    match channels[at..] {
        [
            BvhChannel::Rotation(i),
            BvhChannel::Rotation(j),
            BvhChannel::Rotation(k),
            ref rest @ ..,
        ] if i != j && j != k && k != i && !rest.iter().any(is_rotation) => Some((at, [i, j, k])),
        _ => None,
    }
}

/// Builds what [`parse_with`](super::parse_with) returns.
pub(super) fn assemble(
    hierarchy: Hierarchy,
    motion: Motion,
    options: &BvhOptions,
    mut notes: Notes,
) -> Result<Bvh, BvhError> {
    let Motion {
        has_motion,
        frame_time,
        tracks,
    } = motion;
    warn_of_scales(&hierarchy, &tracks, &mut notes)?;
    let frames = tracks.frames;
    #[expect(clippy::cast_precision_loss, reason = "frame numbers are far below 2^52")]
    #[expect(clippy::cast_possible_truncation, reason = "key times are f32")]
    let times: Arc<[f32]> = (0..frames)
        .map(|frame| settled((frame as f64 * frame_time) as f32))
        .collect();
    let mut channels = Vec::new();
    let mut joints = Vec::with_capacity(hierarchy.joints.len());
    for (index, (entry, track)) in hierarchy.joints.iter().zip(tracks.tracks).enumerate() {
        let joint = JointId::from_index(index);
        let offset = DVec3::from_array(entry.offset);
        let mut replaces_offset = false;
        let mut add = |values| {
            if frames > 0 {
                let times = Arc::clone(&times);
                channels.push(Channel::from_checked(joint, Interpolation::Linear, times, values));
            }
        };
        if let Some(positions) = track.positions {
            replaces_offset = match options.positions {
                Positions::Auto => reads_as_replacing(offset, &positions),
                Positions::Replace => true,
                Positions::Add => false,
            };
            let animated = |axis| track.channels.contains(&BvhChannel::Position(axis));
            let base = |axis, offset| {
                if replaces_offset && animated(axis) {
                    0.0
                } else {
                    offset
                }
            };
            let base = DVec3::new(
                base(Axis::X, offset.x),
                base(Axis::Y, offset.y),
                base(Axis::Z, offset.z),
            );
            let positions = positions.iter().map(|position| (base + *position).as_vec3());
            add(Values::Translation(positions.collect()));
        }
        if let Some(rotations) = track.rotations {
            add(Values::Rotation(rotations));
        }
        if let Some(scales) = track.scales {
            add(Values::Scale(scales));
        }
        joints.push(BvhJoint {
            channels: track.channels,
            replaces_offset,
        });
    }
    let skeleton_joint = |entry: JointEntry| Joint {
        name: entry.name,
        parent: entry.parent,
        rest: Transform::from_translation(DVec3::from_array(entry.offset).as_vec3()),
    };
    let last_line = hierarchy.joints.last().map_or(1, |entry| entry.line);
    let skeleton = Skeleton::new(hierarchy.joints.into_iter().map(skeleton_joint).collect())
        .map_err(|_| BvhError::TooManyJoints { line: last_line })?;
    let tips = hierarchy.tips.into_iter().map(|tip| Tip {
        joint: tip.joint,
        name: tip.name,
        offset: DVec3::from_array(tip.offset).as_vec3(),
    });
    Ok(Bvh {
        skeleton,
        animation: Animation::new("", channels),
        frame_time,
        frames,
        has_motion,
        joints,
        tips: tips.collect(),
        positions: options.positions,
        warnings: notes.finish(),
    })
}

fn warn_of_scales(hierarchy: &Hierarchy, tracks: &Tracks, notes: &mut Notes) -> Result<(), BvhError> {
    let scales = || tracks.tracks.iter().filter_map(|track| track.scales.as_ref());
    let Some(first) = tracks.tracks.iter().position(|track| track.scales.is_some()) else {
        return Ok(());
    };
    let entry = &hierarchy.joints[first];
    notes.warn(BvhWarning::ScaleChannels {
        line: entry.line,
        joint: entry.name.clone(),
        all_one: scales().flatten().all(|scale| *scale == Vec3::ONE),
    })
}

/// The rule of [`Positions::Auto`].
pub(super) fn reads_as_replacing(offset: DVec3, positions: &[DVec3]) -> bool {
    let median = |center: DVec3| {
        median(
            positions
                .iter()
                .map(|position| position.distance(center))
                .collect(),
        )
    };
    offset.length() > NO_OFFSET && median(offset) < median(DVec3::ZERO)
}

/// The middle value, or the mean of the two middle ones; NaN where there is none, so that no comparison holds.
fn median(mut values: Vec<f64>) -> f64 {
    let middle = values.len() / 2;
    if values.is_empty() {
        return f64::NAN;
    }
    let even = values.len().is_multiple_of(2);
    let (below, &mut upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    if even {
        let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        return (lower + upper) / 2.0;
    }
    upper
}
