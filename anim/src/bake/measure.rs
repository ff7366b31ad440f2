//! How far a clip is from its animation.

use std::collections::HashMap;

use super::{Source, difference};
use crate::{
    Clip, Pose,
    channel::exact,
    clip::{Group, Property, Row, lane_value, rotation_value},
    loose::LooseRow,
    pose::{Block, LANES},
};

/// Largest rotation and position errors at the keys, the quarters and the middles of every list of times.
///
/// Each group and each loose row is sampled by itself: the cost grows with the keys, not with keys times lists.
pub(super) fn measure(clip: &Clip, sources: &[Source]) -> (f32, f32) {
    let mut by_row: HashMap<Row, Vec<&Source>> = HashMap::new();
    for source in sources {
        by_row.entry(source.row()).or_default().push(source);
    }
    let in_row = |row: &Row| by_row.get(row).into_iter().flatten().copied();
    let mut worst = (0.0_f32, 0.0_f32);
    let mut pose = Pose::identity(clip.joints);
    let mut check = |part: &Clip, sources: &[&Source], times: &[f32]| {
        for (key, &time) in times.iter().enumerate() {
            let next = times.get(key + 1).copied().unwrap_or(time);
            for fraction in [0.0, 0.25, 0.5] {
                let time = time + (next - time) * fraction;
                let _ = part.sample(time, &mut pose);
                for source in sources {
                    let found = lane_value(&pose.blocks()[source.block()], source.property, source.lane());
                    let error = error_against(source.property, found, exact(&source.channel, time));
                    match source.property {
                        Property::Rotation => worst.0 = worst.0.max(error),
                        Property::Translation => worst.1 = worst.1.max(error),
                        Property::Scale => {}
                    }
                }
            }
        }
    };
    for group in &clip.groups {
        let rotations = group.rotation_blocks.iter().map(|&block| Row {
            block,
            property: Property::Rotation,
        });
        let rows = rotations.chain(group.vector_rows.iter().copied());
        let sources: Vec<&Source> = rows.flat_map(|row| in_row(&row)).collect();
        check(&part_of(clip, Some(group), None), &sources, &group.times);
    }
    let mut timeline = None;
    for row in &clip.loose {
        timeline = row.timeline.as_ref().or(timeline);
        let mut row = row.clone();
        row.timeline = timeline.cloned();
        let part = part_of(clip, None, Some(&row));
        for source in in_row(&row.row) {
            check(&part, &[source], &source.times);
        }
    }
    worst
}

/// The rotations that never change: each joint's, and how far its channel goes from it (none for animated ones).
pub(super) struct Still {
    rotations: Vec<Option<([f32; 4], f32)>>,
    pose: Pose,
}

impl Still {
    pub(super) fn new(sources: &[Source], base: &[Block], joints: usize) -> Self {
        let rotation = |joint: usize| lane_value(&base[joint / LANES], Property::Rotation, joint % LANES);
        let mut rotations: Vec<_> = (0..joints).map(|joint| Some((rotation(joint), 0.0))).collect();
        for source in sources
            .iter()
            .filter(|source| source.property == Property::Rotation)
        {
            let (first, values) = (source.first(), source.values.chunks_exact(source.curve.stride()));
            let far = values.map(|key| difference(true, source.values[first], key[first]));
            rotations[source.joint] = source
                .is_constant
                .then(|| (rotation(source.joint), far.fold(0.0, f32::max)));
        }
        Self {
            rotations,
            pose: Pose::identity(joints),
        }
    }

    /// Largest angle: where eight joints are packed together, those that stand still are too.
    pub(super) fn error(&mut self, clip: &Clip) -> f32 {
        let _ = clip.sample(clip.start, &mut self.pose);
        let found = self.pose.transforms().zip(&self.rotations);
        found.fold(0.0, |worst, (found, still)| match still {
            Some((rotation, far)) => {
                worst.max(difference(true, rotation_value(found.rotation), *rotation) + far)
            }
            None => worst,
        })
    }
}

/// A clip that samples nothing else.
fn part_of(clip: &Clip, group: Option<&Group>, row: Option<&LooseRow>) -> Clip {
    Clip {
        name: String::new(),
        start: clip.start,
        end: clip.end,
        additive: clip.additive,
        events: Vec::new(),
        markers: Vec::new(),
        joints: clip.joints,
        rest: None,
        groups: group.into_iter().cloned().collect(),
        loose: row.into_iter().cloned().collect(),
    }
}

/// Angle or distance of a sampled value from the exact one.
fn error_against(property: Property, found: [f32; 4], exact: [f64; 4]) -> f32 {
    let found = glam::DVec4::from_array(found.map(f64::from));
    let exact = glam::DVec4::from_array(exact);
    let chord = (found - exact).length();
    let error = if property == Property::Rotation {
        let chord = chord.min((found + exact).length());
        4.0 * (chord / 2.0).min(1.0).asin()
    } else {
        chord
    };
    // What is no number is no small error; `max` would drop it.
    let error = if error.is_nan() { f64::INFINITY } else { error };
    #[expect(clippy::cast_possible_truncation, reason = "an error estimate")]
    let error = error as f32;
    error
}
