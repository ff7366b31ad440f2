//! The form of an animation that is played.

pub(crate) mod kernel;

use std::sync::Arc;

use glam::{Quat, Vec3, Vec4};
use kernel::Sample;

use crate::{
    Flags, JointId, Kernel, Marker, Pose, Transform, check,
    lerp::correction,
    loose::LooseRow,
    pose::{Block, LANES},
    simd::dispatch,
};

/// A baked animation: immutable, `Send + Sync`, and read without any state, so that any number of characters can
/// play it at any times in any order. [`Animation::bake`](crate::Animation::bake) makes it.
///
/// What bakes into it: key times that many channels share are kept and searched once, and their values lie in memory as
/// they are computed, eight joints side by side; other channels are searched eight at a time; channels that never change
/// are copied. Rotations are interpolated within 1e-5 rad of slerp (a corrected normalised lerp); linear translations
/// and scales and cubic splines follow their formulae. Sampling at a key's time gives the key, and 0, 1 and the identity
/// come out exactly, also from 16-bit and 24-bit storage.
///
/// ```
/// use elea_anim::{Animation, BakeOptions, Channel, Interpolation, Joint, JointId, Key, Pose, Skeleton, Transform, glam::Vec3};
/// let skeleton = Skeleton::new(vec![Joint { name: "root".into(), parent: None, rest: Transform::IDENTITY }])?;
/// let keys = [Key::new(0.0, Vec3::ZERO), Key::new(2.0, Vec3::X)];
/// let slide = Animation::new("slide", vec![Channel::translation(JointId(0), Interpolation::Linear, &keys)?]);
/// let (clip, _report) = slide.bake(&skeleton, &BakeOptions::default())?;
/// let mut pose = Pose::identity(1);
/// let flags = clip.sample(0.5, &mut pose);
/// assert!(flags.is_empty());
/// assert_eq!(pose.get(JointId(0)).translation, Vec3::X * 0.25);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    pub(crate) name: String,
    pub(crate) start: f32,
    pub(crate) end: f32,
    pub(crate) additive: bool,
    pub(crate) events: Vec<Marker>,
    pub(crate) markers: Vec<Marker>,
    pub(crate) joints: usize,
    /// The skeleton's rest pose; none for additive clips, whose rest is the identity.
    pub(crate) rest: Option<Arc<Pose>>,
    /// Each row is in one group or is a loose one. What never changes is a group with one key.
    pub(crate) groups: Vec<Group>,
    pub(crate) loose: Vec<LooseRow>,
}

/// One property of eight joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Row {
    pub(crate) block: u32,
    pub(crate) property: Property,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Property {
    Translation,
    Rotation,
    Scale,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Curve {
    Step,
    Linear,
    Cubic,
}

impl Curve {
    /// Values per key: a cubic spline has the tangents as well.
    pub(crate) const fn stride(self) -> usize {
        match self {
            Self::Step | Self::Linear => 1,
            Self::Cubic => 3,
        }
    }
}

/// Rows whose channels share their key times and their curve.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Group {
    pub(crate) curve: Curve,
    pub(crate) times: Arc<[f32]>,
    /// Keys per second if they were evenly spaced: a first guess at the key.
    pub(crate) rate: f32,
    /// Blocks of the rotation rows, and their values, key after key.
    pub(crate) rotation_blocks: Vec<u32>,
    pub(crate) rotations: Rotations,
    /// Translation and scale rows, and their values, key after key.
    pub(crate) vector_rows: Vec<Row>,
    pub(crate) vectors: Vec<Lanes3>,
}

impl Group {
    pub(crate) const fn is_empty(&self) -> bool {
        self.rotation_blocks.is_empty() && self.vector_rows.is_empty()
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Lanes3(pub(crate) [[f32; LANES]; 3]);

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Lanes4(pub(crate) [[f32; LANES]; 4]);

/// Components as integers of -32767..=32767.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Packed4(pub(crate) [[i16; LANES]; 4]);

/// What a packed one is.
pub(crate) const PACKED_ONE: f32 = 32767.0;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Rotations {
    Full(Vec<Lanes4>),
    Packed(Vec<Packed4>),
}

/// Where a time falls among keys.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// 0..1
    pub(crate) fraction: f32,
    /// Seconds from one key to the other.
    pub(crate) interval: f32,
}

/// Keys per second if they were evenly spaced; 0 for a single time.
pub(crate) fn key_rate(times: &[f32]) -> f32 {
    let last = times.len() - 1;
    let span = times[last] - times[0];
    #[expect(clippy::cast_precision_loss, reason = "a guess")]
    let rate = if span > 0.0 { last as f32 / span } else { 0.0 };
    rate
}

/// The last key at or before `time`, and how far the next one is; the ends hold. `rate` is the [`key_rate`].
#[inline]
pub(crate) fn place(times: &[f32], rate: f32, time: f32) -> Place {
    let last = times.len() - 1;
    let hold = |key| Place {
        from: key,
        to: key,
        fraction: 0.0,
        interval: 0.0,
    };
    if time < times[0] {
        return hold(0);
    }
    if time >= times[last] {
        return hold(last);
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "`as` saturates, and a guess may be wrong"
    )]
    let guess = ((time - times[0]) * rate) as usize;
    let guess = guess.min(last - 1);
    let from = if times[guess] <= time && time < times[guess + 1] {
        guess
    } else if guess > 0 && times[guess - 1] <= time && time < times[guess] {
        guess - 1
    } else {
        times.partition_point(|&key| key <= time) - 1
    };
    let interval = times[from + 1] - times[from];
    Place {
        from,
        to: from + 1,
        fraction: (time - times[from]) / interval,
        interval,
    }
}

/// Weights of value 0, out-tangent 0, value 1, in-tangent 1 (glTF 2.0, appendix C.5).
pub(crate) fn hermite(t: f32, interval: f32) -> [f32; 4] {
    let (t2, t3) = (t * t, t * t * t);
    let p1 = 3.0 * t2 - 2.0 * t3;
    [1.0 - p1, interval * (t3 - 2.0 * t2 + t), p1, interval * (t3 - t2)]
}

impl Clip {
    /// The animation's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of joints of the skeleton that it was baked for.
    #[must_use]
    pub const fn joints(&self) -> usize {
        self.joints
    }

    /// The first key's time in seconds.
    #[must_use]
    pub const fn start(&self) -> f32 {
        self.start
    }

    /// The last key's time in seconds.
    #[must_use]
    pub const fn end(&self) -> f32 {
        self.end
    }

    /// Seconds from the first key to the last one.
    #[must_use]
    pub const fn duration(&self) -> f32 {
        self.end - self.start
    }

    /// Whether it holds differences for an additive layer (see
    /// [`Animation::to_additive`](crate::Animation::to_additive)).
    #[must_use]
    pub const fn is_additive(&self) -> bool {
        self.additive
    }

    /// Things that happen, in order of time.
    #[must_use]
    pub fn events(&self) -> &[Marker] {
        &self.events
    }

    /// Named phases for sync groups, in order of time.
    #[must_use]
    pub fn markers(&self) -> &[Marker] {
        &self.markers
    }

    /// Bytes that the clip holds, its name, events and markers apart; the rest pose is the skeleton's.
    #[must_use]
    pub fn size(&self) -> usize {
        let group = |group: &Group| {
            let rotations = match &group.rotations {
                Rotations::Full(values) => size_of_val(values.as_slice()),
                Rotations::Packed(values) => size_of_val(values.as_slice()),
            };
            size_of_val(&*group.times)
                + size_of_val(group.rotation_blocks.as_slice())
                + size_of_val(group.vector_rows.as_slice())
                + size_of_val(group.vectors.as_slice())
                + rotations
        };
        size_of::<Self>()
            + self.groups.iter().map(group).sum::<usize>()
            + size_of_val(self.groups.as_slice())
            + self.loose.iter().map(LooseRow::size).sum::<usize>()
            + size_of_val(self.loose.as_slice())
    }

    /// Fills `pose` with the pose at `time`, in seconds on the clip's own axis (`start()..=end()`; outside of it
    /// the ends hold). Nothing wraps here: the last key is shown at its time. NaN gives the rest pose and
    /// [`Flags::BAD_TIME`].
    ///
    /// # Panics
    /// If `pose` has another number of joints than the clip.
    #[track_caller]
    pub fn sample(&self, time: f32, pose: &mut Pose) -> Flags {
        self.sample_with(Kernel::Deterministic, time, pose)
    }

    /// As [`sample`](Self::sample), with a chosen arithmetic.
    ///
    /// # Panics
    /// If `pose` has another number of joints than the clip.
    #[track_caller]
    pub fn sample_with(&self, kernel: Kernel, time: f32, pose: &mut Pose) -> Flags {
        check::same_joints("pose", pose.len(), "clip", self.joints);
        if time.is_nan() {
            match &self.rest {
                Some(rest) => pose.copy_from(rest),
                None => pose.blocks_mut().fill(Block::IDENTITY),
            }
            return Flags::BAD_TIME;
        }
        let time = self.clamped(time);
        dispatch(
            kernel,
            &mut Sample {
                clip: self,
                time,
                blocks: pose.blocks_mut(),
            },
        );
        Flags::NONE
    }
}

impl Clip {
    /// A time just before the start stands for all earlier ones: there, the first of several keys at the start counts.
    fn clamped(&self, time: f32) -> f32 {
        time.clamp(self.start.next_down(), self.end)
    }

    /// One joint at `time` (seconds, finite): what [`sample`](Self::sample) gives for it, but for the last bits.
    pub(crate) fn joint(&self, time: f32, joint: JointId) -> Transform {
        let time = self.clamped(time);
        let (index, lane) = (joint.index() / LANES, joint.index() % LANES);
        let mut transform = Transform::IDENTITY;
        for group in &self.groups {
            let is_here = |block: u32| block as usize == index;
            let place = place(&group.times, group.rate, time);
            if let Some(row) = group.rotation_blocks.iter().position(|&block| is_here(block)) {
                let rows = group.rotation_blocks.len();
                let part = |part: usize| match &group.rotations {
                    Rotations::Full(values) => Vec4::from_array(values[part * rows + row].0.map(|c| c[lane])),
                    Rotations::Packed(values) => {
                        let packed = values[part * rows + row].0.map(|c| f32::from(c[lane]));
                        Vec4::from_array(packed) / PACKED_ONE
                    }
                };
                set(
                    &mut transform,
                    Property::Rotation,
                    interpolate(group.curve, place, true, part),
                );
            }
            let rows = group.vector_rows.len();
            for (index, row) in group
                .vector_rows
                .iter()
                .enumerate()
                .filter(|(_, row)| is_here(row.block))
            {
                let part = |part: usize| {
                    Vec3::from_array(group.vectors[part * rows + index].0.map(|c| c[lane])).extend(0.0)
                };
                set(
                    &mut transform,
                    row.property,
                    interpolate(group.curve, place, false, part),
                );
            }
        }
        let mut timeline = None;
        for loose in &self.loose {
            timeline = loose.timeline.as_ref().or(timeline);
            if let (true, Some(timeline)) = (loose.row.block as usize == index, timeline) {
                let value = loose.value(timeline, time, lane);
                set(&mut transform, loose.row.property, value);
            }
        }
        transform
    }
}

fn set(transform: &mut Transform, property: Property, value: Vec4) {
    match property {
        Property::Translation => transform.translation = value.truncate(),
        Property::Rotation => transform.rotation = Quat::from_vec4(value),
        Property::Scale => transform.scale = value.truncate(),
    }
}

/// A quaternion spline shorter than the root of this has lost more than half of its digits to cancellation.
const MIN_SPLINE_SQUARE: f32 = 1e-8;

/// One lane by itself; `part` gives the stored parts of the keys.
pub(crate) fn interpolate(
    curve: Curve,
    place: Place,
    is_rotation: bool,
    part: impl Fn(usize) -> Vec4,
) -> Vec4 {
    let Place {
        from,
        to,
        fraction,
        interval,
    } = place;
    match curve {
        Curve::Step if is_rotation => part(from).normalize(),
        Curve::Step => part(from),
        Curve::Linear => {
            let (a, b) = (part(from), part(to));
            if !is_rotation {
                return (b - a) * fraction + a;
            }
            let x = 1.0 - a.dot(b);
            let [c0, c1, c2, c3] = correction(fraction);
            let fraction = fraction + x * (c0 + x * (c1 + x * (c2 + x * c3)));
            ((b - a) * fraction + a).normalize()
        }
        Curve::Cubic => {
            let [w0, w1, w2, w3] = hermite(fraction, interval);
            let key = part(3 * from + 1);
            let value = key * w0 + part(3 * from + 2) * w1 + part(3 * to + 1) * w2 + part(3 * to) * w3;
            let square = value.length_squared();
            if !is_rotation {
                value
            } else if square > MIN_SPLINE_SQUARE {
                value / square.sqrt()
            } else {
                key
            }
        }
    }
}

const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<Clip>();
};

/// Sets a row's lane in `block`.
pub(crate) fn write_lane(block: &mut Block, property: Property, lane: usize, value: [f32; 4]) {
    for (component, value) in value.into_iter().enumerate() {
        match property {
            Property::Rotation => block.rotation[component][lane] = value,
            Property::Translation if component < 3 => block.translation[component][lane] = value,
            Property::Scale if component < 3 => block.scale[component][lane] = value,
            Property::Translation | Property::Scale => {}
        }
    }
}

/// The value of a row's lane in `block`.
pub(crate) fn lane_value(block: &Block, property: Property, lane: usize) -> [f32; 4] {
    let three = |values: &[[f32; LANES]; 3]| [values[0][lane], values[1][lane], values[2][lane], 0.0];
    match property {
        Property::Translation => three(&block.translation),
        Property::Rotation => block.rotation.map(|component| component[lane]),
        Property::Scale => three(&block.scale),
    }
}

/// Components of a vector, with the last one unused.
pub(crate) fn vector_value(value: Vec3) -> [f32; 4] {
    value.extend(0.0).to_array()
}

/// Components of a rotation.
pub(crate) fn rotation_value(value: Quat) -> [f32; 4] {
    value.to_array()
}

#[cfg(test)]
mod tests;
