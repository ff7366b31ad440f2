//! From channels to a clip.

mod measure;

use std::{collections::HashMap, sync::Arc};

use measure::{Still, measure};

use crate::{
    AnimError, Animation, Channel, Clip, Interpolation, Pose, Repairs, Skeleton, Values,
    channel::exact,
    clip::{
        Curve, Group, Lanes3, Lanes4, PACKED_ONE, Packed4, Property, Rotations, Row, key_rate, lane_value,
        rotation_value, vector_value, write_lane,
    },
    loose::{LooseRow, Track},
    pose::{Block, LANES},
};

/// How far a [`Clip`] may be from its animation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BakeOptions {
    /// Radians. Rotations of channels that share their times are stored in 16 bits a component if all of them stay
    /// within it; a channel that moves less is a constant. At 0, in f32.
    pub rotation_error: f32,
    /// In the data's length unit: a translation that moves less from its first key is a constant, and a scale
    /// that changes less as a factor. The default 0 drops nothing but exact repetitions.
    pub position_error: f32,
}

impl Default for BakeOptions {
    /// 1e-4 rad, and no position error.
    fn default() -> Self {
        Self {
            rotation_error: 1e-4,
            position_error: 0.0,
        }
    }
}

/// What [`Animation::bake`] did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BakeReport {
    /// Channels that the clip samples.
    pub animated: usize,
    /// Channels that never change: written once.
    pub constant: usize,
    /// Indices of channels that a later channel of the same joint and property replaces.
    pub replaced: Vec<usize>,
    /// What was put right in the keys of the channels that count ([`Channel::repairs`]), added up.
    pub repairs: Repairs,
    /// Distinct lists of key times among the animated channels.
    pub time_lists: usize,
    /// Channels whose neighbours in memory have other key times or another curve: eight of them are searched at once,
    /// which takes about four times as long as sampling channels that share their times. Their rotations take 24 bits a
    /// component (within 2.4e-7 rad).
    pub loose: usize,
    /// Whether rotations whose channels share their times are stored in 16 bits a component.
    pub packed: bool,
    /// Largest angle (radians) between the clip and the animation computed in f64, at the keys and at the
    /// quarter and the middle between them, and of the constants.
    pub rotation_error: f32,
    /// Largest distance of a translation, in the data's length unit, likewise.
    pub position_error: f32,
    /// Bytes of the clip.
    pub size: usize,
}

impl Animation {
    /// Makes the form to play, for `skeleton`'s joints. Joints without a channel get their rest transform; in an
    /// additive animation, no change.
    ///
    /// # Errors
    /// [`AnimError::NoSuchJoint`] for a channel of a joint that the skeleton lacks,
    /// [`AnimError::MarkerTime`] for an event or a marker whose time is not finite,
    /// [`AnimError::BakeOption`] for an error bound that is negative or NaN.
    pub fn bake(&self, skeleton: &Skeleton, options: &BakeOptions) -> Result<(Clip, BakeReport), AnimError> {
        for (option, value) in [
            ("rotation_error", options.rotation_error),
            ("position_error", options.position_error),
        ] {
            if value.is_nan() || value < 0.0 {
                return Err(AnimError::BakeOption { option, value });
            }
        }
        for marker in self.events.iter().chain(&self.markers) {
            if !marker.time.is_finite() {
                return Err(AnimError::MarkerTime {
                    name: marker.name.to_string(),
                });
            }
        }
        let mut report = BakeReport::default();
        let sources = self.sources(skeleton, options, &mut report)?;
        let rest = (!self.additive).then(|| Arc::clone(skeleton.shared_rest_pose()));
        let mut base = rest.as_deref().map_or_else(
            || vec![Block::IDENTITY; skeleton.len().div_ceil(LANES)],
            |rest| rest.blocks().to_vec(),
        );
        for source in sources.iter().filter(|source| source.is_constant) {
            write_lane(
                &mut base[source.block()],
                source.property,
                source.lane(),
                source.values[source.first()],
            );
        }
        let mut still = Still::new(&sources, &base, skeleton.len());
        let mut animated: Vec<Source> = sources.into_iter().filter(|source| !source.is_constant).collect();
        report.animated = animated.len();
        share_times(&mut animated);
        let packed = options.rotation_error > 0.0;
        let mut clip = self.assemble(&animated, rest, &base, skeleton.len(), packed);
        let mut errors = measure(&clip, &animated);
        errors.0 = errors.0.max(still.error(&clip));
        report.packed = packed && has_packed(&clip);
        if report.packed && errors.0 > options.rotation_error {
            clip = self.assemble(&animated, clip.rest, &base, skeleton.len(), false);
            errors = measure(&clip, &animated);
            errors.0 = errors.0.max(still.error(&clip));
            report.packed = false;
        }
        report.rotation_error = report.rotation_error.max(errors.0);
        report.position_error = report.position_error.max(errors.1);
        report.loose = clip.loose.iter().map(|row| row.tracks).sum();
        report.time_lists = {
            let lists = animated.iter().map(|source| time_bits(&source.times));
            lists.collect::<std::collections::HashSet<_>>().len()
        };
        report.size = clip.size();
        Ok((clip, report))
    }

    /// One source per animated property; the last channel of a property counts.
    fn sources(
        &self,
        skeleton: &Skeleton,
        options: &BakeOptions,
        report: &mut BakeReport,
    ) -> Result<Vec<Source>, AnimError> {
        let mut last = HashMap::new();
        for (index, channel) in self.channels.iter().enumerate() {
            if channel.joint().index() >= skeleton.len() {
                return Err(AnimError::NoSuchJoint {
                    joint: channel.joint(),
                    joints: skeleton.len(),
                });
            }
            if let Some(replaced) = last.insert((channel.joint(), channel.values().property()), index) {
                report.replaced.push(replaced);
            }
        }
        report.replaced.sort_unstable();
        let mut indices: Vec<usize> = last.into_values().collect();
        indices.sort_unstable();
        let mut sources = Vec::with_capacity(indices.len());
        for index in indices {
            let Repairs {
                sorted,
                renormalised,
                flipped,
            } = self.channels[index].repairs();
            report.repairs.sorted += sorted;
            report.repairs.renormalised += renormalised;
            report.repairs.flipped += flipped;
            let mut source = Source::new(&self.channels[index]);
            source.find_constant(options, report);
            report.constant += usize::from(source.is_constant);
            sources.push(source);
        }
        Ok(sources)
    }

    fn assemble(
        &self,
        sources: &[Source],
        rest: Option<Arc<Pose>>,
        base: &[Block],
        joints: usize,
        packed: bool,
    ) -> Clip {
        let mut rows: HashMap<Row, [Option<usize>; LANES]> = HashMap::new();
        for (index, source) in sources.iter().enumerate() {
            rows.entry(source.row()).or_default()[source.lane()] = Some(index);
        }
        let mut order: Vec<Row> = rows.keys().copied().collect();
        order.sort_unstable();
        let mut groups: Vec<GroupBuilder> = Vec::new();
        let mut by_times: HashMap<(Curve, Vec<u32>), usize> = HashMap::new();
        let mut loose = Vec::new();
        for row in &order {
            let lanes = rows[row];
            let mut used = lanes.iter().flatten().map(|&index| &sources[index]);
            let Some(first) = used.next() else { continue };
            if used.all(|other| other.curve == first.curve && other.times == first.times) {
                let key = (first.curve, time_bits(&first.times));
                let group = *by_times.entry(key).or_insert_with(|| {
                    groups.push(GroupBuilder {
                        curve: first.curve,
                        times: Arc::clone(&first.times),
                        rows: Vec::new(),
                    });
                    groups.len() - 1
                });
                groups[group].rows.push((*row, lanes));
            } else {
                let track = |index: Option<usize>| index.map(|index| sources[index].track());
                let tracks = lanes.map(track);
                let before = loose
                    .iter()
                    .rev()
                    .find_map(|row: &LooseRow| row.timeline.as_ref());
                let row = LooseRow::new(*row, tracks, &base[row.block as usize], before);
                loose.push(row);
            }
        }
        let mut constants = Vec::new();
        for block in 0..base.len() {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a skeleton has fewer than 2^16 joints"
            )]
            let block = block as u32;
            for property in [Property::Translation, Property::Rotation, Property::Scale] {
                constants.push((Row { block, property }, [None; LANES]));
            }
        }
        constants.retain(|(row, _)| !rows.contains_key(row));
        let constant = GroupBuilder {
            curve: Curve::Step,
            times: Arc::new([0.0]),
            rows: constants,
        };
        let sorted = |markers: &[crate::Marker]| {
            let mut markers = markers.to_vec();
            markers.sort_by(|a, b| a.time.total_cmp(&b.time));
            markers
        };
        Clip {
            name: self.name.clone(),
            start: self.start(),
            end: self.end(),
            additive: self.additive,
            events: sorted(&self.events),
            markers: sorted(&self.markers),
            joints,
            groups: [constant.build(sources, base, false)]
                .into_iter()
                .filter(|constant| !constant.is_empty())
                .chain(groups.iter().map(|group| group.build(sources, base, packed)))
                .collect(),
            rest,
            loose,
        }
    }
}

/// A channel on its way into a clip.
#[derive(Clone, Debug)]
struct Source {
    joint: usize,
    property: Property,
    curve: Curve,
    times: Arc<[f32]>,
    /// [`Curve::stride`] for each key.
    values: Vec<[f32; 4]>,
    is_constant: bool,
    /// What errors are measured against.
    channel: Channel,
}

impl Source {
    fn new(channel: &Channel) -> Self {
        let values = match channel.values() {
            Values::Translation(values) | Values::Scale(values) => {
                values.iter().copied().map(vector_value).collect()
            }
            Values::Rotation(values) => values.iter().copied().map(rotation_value).collect(),
        };
        Self {
            joint: channel.joint().index(),
            property: channel.values().property(),
            curve: match channel.interpolation() {
                Interpolation::Step => Curve::Step,
                Interpolation::Linear => Curve::Linear,
                Interpolation::CubicSpline => Curve::Cubic,
            },
            times: Arc::clone(channel.times()),
            values,
            is_constant: false,
            channel: channel.clone(),
        }
    }

    const fn block(&self) -> usize {
        self.joint / LANES
    }

    const fn lane(&self) -> usize {
        self.joint % LANES
    }

    fn row(&self) -> Row {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a skeleton has fewer than 2^16 joints"
        )]
        let block = self.block() as u32;
        Row {
            block,
            property: self.property,
        }
    }

    /// Index of the first key's value, behind its in-tangent if it has one.
    const fn first(&self) -> usize {
        self.curve.stride() / 2
    }

    /// Sets `is_constant` where every key is as good as the first.
    fn find_constant(&mut self, options: &BakeOptions, report: &mut BakeReport) {
        let (stride, first) = (self.curve.stride(), self.first());
        let start = self.values[first];
        let keys = self.values.chunks_exact(stride);
        let is_level = |key: &[[f32; 4]]| stride == 1 || (key[0] == [0.0; 4] && key[2] == [0.0; 4]);
        if self.times.len() > 1 && !keys.clone().all(is_level) {
            return;
        }
        let is_rotation = self.property == Property::Rotation;
        let error = keys
            .map(|key| difference(is_rotation, start, key[first]))
            .fold(0.0, f32::max);
        let bound = if is_rotation {
            options.rotation_error
        } else {
            options.position_error
        };
        self.is_constant = error <= bound;
        if self.is_constant {
            match self.property {
                Property::Rotation => report.rotation_error = report.rotation_error.max(error),
                Property::Translation => report.position_error = report.position_error.max(error),
                Property::Scale => {}
            }
        }
    }

    fn track(&self) -> Track {
        Track {
            curve: self.curve,
            times: Arc::clone(&self.times),
            rate: key_rate(&self.times),
            values: self.values.clone(),
        }
    }
}

/// Angle between two unit quaternions in radians, or distance of two vectors.
fn difference(is_rotation: bool, a: [f32; 4], b: [f32; 4]) -> f32 {
    let wide = |v: [f32; 4]| glam::DVec4::from_array(v.map(f64::from));
    let (a, b) = (wide(a), wide(b));
    let distance = if is_rotation {
        let (a, b) = (a.normalize(), b.normalize());
        // Four times the angle whose half chord this is: exact near zero, where acos is not.
        4.0 * ((a - b).length().min((a + b).length()) / 2.0).min(1.0).asin()
    } else {
        (a - b).length()
    };
    #[expect(clippy::cast_possible_truncation, reason = "an error estimate")]
    let distance = distance as f32;
    distance
}

fn time_bits(times: &[f32]) -> Vec<u32> {
    // + 0.0 makes one of the two zeros.
    times.iter().map(|time| (time + 0.0).to_bits()).collect()
}

/// The merged list of key times may be this much longer than the longest of its parts.
const MAX_MERGED_TIMES: f32 = 1.5;

/// Puts all linear channels onto one list of times where that costs little: on a straight line or a great arc,
/// more keys change nothing.
fn share_times(sources: &mut [Source]) {
    let is_mergeable = |source: &Source| {
        source.curve == Curve::Linear && source.times.windows(2).all(|pair| pair[0] < pair[1])
    };
    let mut merged: Vec<f32> = Vec::new();
    let mut longest = 0;
    let mut seen = std::collections::HashSet::new();
    for source in sources.iter().filter(|source| is_mergeable(source)) {
        if seen.insert(time_bits(&source.times)) {
            merged.extend_from_slice(&source.times);
            longest = longest.max(source.times.len());
        }
    }
    merged.sort_by(f32::total_cmp);
    merged.dedup();
    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    let ratio = merged.len() as f32 / longest.max(1) as f32;
    if seen.len() < 2 || ratio > MAX_MERGED_TIMES {
        return;
    }
    let merged: Arc<[f32]> = merged.into();
    for source in sources.iter_mut().filter(|source| is_mergeable(source)) {
        if source.times.len() == merged.len() {
            continue;
        }
        #[expect(clippy::cast_possible_truncation, reason = "rounds to the clip's precision")]
        let value = |&time: &f32| exact(&source.channel, time).map(|component| component as f32);
        source.values = merged.iter().map(value).collect();
        source.times = Arc::clone(&merged);
    }
}

struct GroupBuilder {
    curve: Curve,
    times: Arc<[f32]>,
    rows: Vec<(Row, [Option<usize>; LANES])>,
}

impl GroupBuilder {
    fn build(&self, sources: &[Source], base: &[Block], packed: bool) -> Group {
        let is_rotation = |row: &Row| row.property == Property::Rotation;
        let (rotation_rows, vector_rows): (Vec<_>, Vec<_>) =
            self.rows.iter().partition(|(row, _)| is_rotation(row));
        let parts = self.curve.stride() * self.times.len();
        let mut rotations = Vec::with_capacity(parts * rotation_rows.len());
        let mut vectors = Vec::with_capacity(parts * vector_rows.len());
        for part in 0..parts {
            for (row, lanes) in &rotation_rows {
                rotations.push(Lanes4(self.lanes(sources, base, *row, lanes, part)));
            }
            for (row, lanes) in &vector_rows {
                let [x, y, z, _] = self.lanes(sources, base, *row, lanes, part);
                vectors.push(Lanes3([x, y, z]));
            }
        }
        let rotations = if packed && self.curve != Curve::Cubic {
            Rotations::Packed(rotations.into_iter().map(pack).collect())
        } else {
            Rotations::Full(rotations)
        };
        Group {
            curve: self.curve,
            times: Arc::clone(&self.times),
            rate: key_rate(&self.times),
            rotation_blocks: rotation_rows.iter().map(|(row, _)| row.block).collect(),
            rotations,
            vector_rows: vector_rows.iter().map(|(row, _)| *row).collect(),
            vectors,
        }
    }

    /// A row's values at one part of a key; lanes without a channel hold still.
    fn lanes(
        &self,
        sources: &[Source],
        base: &[Block],
        row: Row,
        lanes: &[Option<usize>; LANES],
        part: usize,
    ) -> [[f32; LANES]; 4] {
        let is_tangent = self.curve == Curve::Cubic && part % 3 != 1;
        let mut out = [[0.0; LANES]; 4];
        for (lane, source) in lanes.iter().enumerate() {
            let value = match source {
                Some(index) => sources[*index].values[part],
                None if is_tangent => [0.0; 4],
                None => lane_value(&base[row.block as usize], row.property, lane),
            };
            for component in 0..4 {
                out[component][lane] = value[component];
            }
        }
        out
    }
}

fn pack(lanes: Lanes4) -> Packed4 {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "components of unit quaternions; `as` saturates"
    )]
    let integer = |value: f32| (value * PACKED_ONE).round() as i16;
    Packed4(lanes.0.map(|component| component.map(integer)))
}

fn has_packed(clip: &Clip) -> bool {
    let packed =
        |group: &Group| matches!(group.rotations, Rotations::Packed(_)) && !group.rotation_blocks.is_empty();
    clip.groups.iter().any(packed)
}
