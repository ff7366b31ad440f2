//! Cutting, joining and turning animations.

mod cut;

use cut::trimmed;
use glam::{Quat, Vec3};

use crate::{
    AnimError, Animation, Channel, Interpolation, JointId, Marker, Pose, Skeleton, Transform, Values,
    clip::Property, mirror::product,
};

impl Animation {
    /// Adds `other`'s channels, events and markers; where both animate a property of a joint, `other`'s channel
    /// replaces this one's. Times stay as they are.
    pub fn merge(&mut self, other: &Self) {
        let is_replaced =
            |channel: &Channel| other.channels.iter().any(|theirs| same_target(channel, theirs));
        self.channels.retain(|channel| !is_replaced(channel));
        self.channels.extend_from_slice(&other.channels);
        self.events.extend_from_slice(&other.events);
        self.markers.extend_from_slice(&other.markers);
    }

    /// The channels of the joints that `is_first` names, and all others: legs and torso, say. Both parts keep all
    /// events and markers.
    #[must_use]
    pub fn split_joints(&self, is_first: impl Fn(JointId) -> bool) -> (Self, Self) {
        let part = |first: bool| Self {
            channels: self
                .channels
                .iter()
                .filter(|channel| is_first(channel.joint()) == first)
                .cloned()
                .collect(),
            ..self.clone()
        };
        (part(true), part(false))
    }

    /// The animation before and from `time` on, with keys at the cut. Times stay as they are (see
    /// [`shifted`](Self::shifted)); an event at the cut belongs to the second part.
    ///
    /// # Errors
    /// [`AnimError::EditValue`] unless `start() <= time <= end()`; [`AnimError::ValueTooLarge`] and
    /// [`AnimError::ValueNotFinite`] as for [`trim`](Self::trim).
    pub fn split(&self, time: f32) -> Result<(Self, Self), AnimError> {
        if !(self.start()..=self.end()).contains(&time) {
            return Err(AnimError::EditValue {
                what: "time",
                value: time,
                expected: "within the animation",
            });
        }
        let (mut before, mut after) = (self.clone(), self.clone());
        before.trim(self.start(), time)?;
        after.trim(time, self.end())?;
        before.events.retain(|event| event.time < time);
        before.markers.retain(|marker| marker.time < time);
        Ok((before, after))
    }

    /// Keeps what lies in `start..=end`, with keys at both ends: between them the animation is what it was.
    /// (A rotation spline that is cut between two keys gets a few more keys in that interval, so that it stays
    /// within 1e-5 rad.) Times stay as they are.
    ///
    /// # Errors
    /// [`AnimError::EditValue`] unless `start() <= start <= end <= end()`. Where a spline is cut,
    /// [`AnimError::ValueTooLarge`] if it has swung beyond [`Channel::MAX_VALUE`] there and
    /// [`AnimError::ValueNotFinite`] if its slope at the cut, in units a second, is beyond f32. Nothing is changed then.
    pub fn trim(&mut self, start: f32, end: f32) -> Result<(), AnimError> {
        let (first, last) = (self.start(), self.end());
        if !(first..=last).contains(&start) {
            return Err(AnimError::EditValue {
                what: "start",
                value: start,
                expected: "within the animation",
            });
        }
        if !(start..=last).contains(&end) {
            return Err(AnimError::EditValue {
                what: "end",
                value: end,
                expected: "between the start and the animation's end",
            });
        }
        let channels: Result<_, AnimError> = self
            .channels
            .iter()
            .map(|channel| trimmed(channel, start, end))
            .collect();
        self.channels = channels?;
        let is_inside = |marker: &Marker| (start..=end).contains(&marker.time);
        self.events.retain(is_inside);
        self.markers.retain(is_inside);
        Ok(())
    }

    /// Joins `other` to the end, moved so that it starts at this one's [`end`](Self::end). A joint that only one of
    /// the two animates has its rest transform (in additive animations: no change) in the other. The joint is a
    /// step if the poses differ there.
    ///
    /// # Errors
    /// [`AnimError::CurvesDiffer`] where a cubic spline meets another interpolation,
    /// [`AnimError::NoSuchJoint`] for a channel of a joint that the skeleton lacks, [`AnimError::TimeTooLarge`] if a key
    /// comes to lie beyond [`Channel::MAX_TIME`], [`AnimError::MarkerTime`] if an event or a marker of `other` comes to
    /// lie beyond f32, [`AnimError::ValueTooLarge`] as for [`shifted`](Self::shifted). Nothing is changed then.
    pub fn append(&mut self, other: &Self, skeleton: &Skeleton) -> Result<(), AnimError> {
        let (seam, end) = (self.end(), self.end() + other.duration());
        let (own_start, other) = (self.start(), other.shifted(self.end() - other.start())?);
        let rest = |channel: &Channel| -> Result<Transform, AnimError> {
            let joint = channel.joint();
            if joint.index() >= skeleton.len() {
                return Err(AnimError::NoSuchJoint {
                    joint,
                    joints: skeleton.len(),
                });
            }
            Ok(if self.additive {
                Transform::IDENTITY
            } else {
                skeleton.rest_pose().get(joint)
            })
        };
        let mut channels = Vec::with_capacity(self.channels.len());
        for mine in &self.channels {
            // The last one of a target counts.
            let theirs = other
                .channels
                .iter()
                .rev()
                .find(|theirs| same_target(mine, theirs));
            let theirs = match theirs {
                Some(theirs) => theirs.clone(),
                None => constant(mine, seam, end, rest(mine)?)?,
            };
            channels.push(joined(mine, &theirs, seam)?);
        }
        for theirs in &other.channels {
            if !self.channels.iter().any(|mine| same_target(mine, theirs)) {
                let mine = constant(theirs, own_start, seam, rest(theirs)?)?;
                channels.push(joined(&mine, theirs, seam)?);
            }
        }
        self.channels = channels;
        self.events.extend(other.events);
        self.markers.extend(other.markers);
        Ok(())
    }

    /// The same, `seconds` later.
    ///
    /// # Errors
    /// [`AnimError::EditValue`] if `seconds` is not finite. If a key comes to lie beyond [`Channel::MAX_TIME`],
    /// [`AnimError::TimeTooLarge`], beyond f32 [`AnimError::TimeNotFinite`]; [`AnimError::MarkerTime`] if an event or a
    /// marker does. [`AnimError::ValueTooLarge`] where times, rounded, make the interval of a steep tangent too long.
    pub fn shifted(&self, seconds: f32) -> Result<Self, AnimError> {
        if !seconds.is_finite() {
            return Err(AnimError::EditValue {
                what: "shift",
                value: seconds,
                expected: "finite",
            });
        }
        self.retimed(|time| time + seconds, |channel| Ok(channel.values().clone()))
    }

    /// The same in `factor` times the time, counted from time 0: 2 is half the speed.
    ///
    /// Tangents, in units a second, are divided by the factor.
    ///
    /// # Errors
    /// [`AnimError::EditValue`] unless `factor` is finite and above 0. If a key comes to lie beyond
    /// [`Channel::MAX_TIME`], [`AnimError::TimeTooLarge`], beyond f32 [`AnimError::TimeNotFinite`];
    /// [`AnimError::MarkerTime`] if an event or a marker does. [`AnimError::ValueNotFinite`] if a tangent becomes
    /// infinite (by factors below 1), [`AnimError::ValueTooLarge`] as for [`shifted`](Self::shifted).
    pub fn time_scaled(&self, factor: f32) -> Result<Self, AnimError> {
        if !(factor.is_finite() && factor > 0.0) {
            return Err(AnimError::EditValue {
                what: "time factor",
                value: factor,
                expected: "above 0",
            });
        }
        self.retimed(
            |time| time * factor,
            |channel| {
                Ok(map_tangents(
                    channel,
                    |tangent| tangent / factor,
                    |tangent| tangent / factor,
                ))
            },
        )
    }

    /// Played from the end to the start, in the same span of time.
    ///
    /// # Errors
    /// [`AnimError::MarkerTime`] for an event or a marker so far outside of the keys that it comes to lie beyond f32.
    /// Keys stay in their span. [`AnimError::ValueTooLarge`] as for [`shifted`](Self::shifted).
    pub fn reversed(&self) -> Result<Self, AnimError> {
        let (start, end) = (self.start(), self.end());
        // In f64, so that the ends map onto each other exactly.
        #[expect(clippy::cast_possible_truncation, reason = "rounds to the keys' precision")]
        let mirror = |time: f32| (f64::from(start) + f64::from(end) - f64::from(time)) as f32;
        let mut reversed = self.clone();
        for channel in &mut reversed.channels {
            let times: Vec<f32> = channel.times().iter().rev().map(|&time| mirror(time)).collect();
            let values = match channel.values() {
                Values::Translation(values) => Values::Translation(reversed_values(channel, values)),
                Values::Scale(values) => Values::Scale(reversed_values(channel, values)),
                Values::Rotation(values) => Values::Rotation(reversed_values(channel, values)),
            };
            *channel = Channel::new(channel.joint(), channel.interpolation(), times, values)?;
        }
        reversed.retime_markers(mirror)?;
        reversed.events.reverse();
        reversed.markers.reverse();
        Ok(reversed)
    }

    /// Differences from `reference`, for layers that add: translations minus the reference's, rotations
    /// `rotation * reference^-1` (in the parent's space), scales divided by the reference's. For the usual
    /// differences from the first frame, [`sample`](Self::sample) that one as the reference.
    ///
    /// # Errors
    /// [`AnimError::NoReference`] for a channel of a joint that `reference` lacks,
    /// [`AnimError::ZeroReferenceScale`] where no ratio can be taken, [`AnimError::ValueTooLarge`] or
    /// [`AnimError::ValueNotFinite`] where a difference or a ratio is beyond [`Channel::MAX_VALUE`] or f32.
    pub fn to_additive(&self, reference: &Pose) -> Result<Self, AnimError> {
        let mut additive = Self {
            additive: true,
            ..self.clone()
        };
        for channel in &mut additive.channels {
            let joint = channel.joint();
            if joint.index() >= reference.len() {
                return Err(AnimError::NoReference {
                    joint,
                    joints: reference.len(),
                });
            }
            let Transform {
                translation,
                rotation,
                scale,
            } = reference.get(joint);
            let is_value =
                |index: usize| channel.interpolation() != Interpolation::CubicSpline || index % 3 == 1;
            let values = match channel.values() {
                Values::Translation(values) => {
                    let minus = |index| if is_value(index) { translation } else { Vec3::ZERO };
                    let values = values.iter().enumerate();
                    Values::Translation(values.map(|(index, &value)| value - minus(index)).collect())
                }
                Values::Rotation(values) => {
                    let inverse = rotation.conjugate();
                    Values::Rotation(values.iter().map(|&value| product(value, inverse)).collect())
                }
                Values::Scale(values) => {
                    if (0..3).any(|axis| scale[axis] == 0.0) {
                        return Err(AnimError::ZeroReferenceScale { joint });
                    }
                    Values::Scale(values.iter().map(|&value| value / scale).collect())
                }
            };
            *channel = Channel::new(joint, channel.interpolation(), channel.times().clone(), values)?;
        }
        Ok(additive)
    }

    fn retimed(
        &self,
        time: impl Fn(f32) -> f32,
        values: impl Fn(&Channel) -> Result<Values, AnimError>,
    ) -> Result<Self, AnimError> {
        let mut result = self.clone();
        for channel in &mut result.channels {
            let times: Vec<f32> = channel.times().iter().map(|&key| time(key)).collect();
            *channel = Channel::new(channel.joint(), channel.interpolation(), times, values(channel)?)?;
        }
        result.retime_markers(time)?;
        Ok(result)
    }

    /// Moves events and markers.
    fn retime_markers(&mut self, time: impl Fn(f32) -> f32) -> Result<(), AnimError> {
        for marker in self.events.iter_mut().chain(&mut self.markers) {
            marker.time = time(marker.time);
            if !marker.time.is_finite() {
                let name = marker.name.to_string();
                return Err(AnimError::MarkerTime { name });
            }
        }
        Ok(())
    }
}

fn same_target(a: &Channel, b: &Channel) -> bool {
    a.joint() == b.joint() && a.values().property() == b.values().property()
}

/// The values with both tangents of every spline key changed.
fn map_tangents(channel: &Channel, vector: impl Fn(Vec3) -> Vec3, rotation: impl Fn(Quat) -> Quat) -> Values {
    fn each<V: Copy>(values: &[V], is_spline: bool, change: impl Fn(V) -> V) -> Vec<V> {
        let values = values.iter().enumerate();
        values
            .map(|(index, &value)| {
                if is_spline && index % 3 != 1 {
                    change(value)
                } else {
                    value
                }
            })
            .collect()
    }
    let is_spline = channel.interpolation() == Interpolation::CubicSpline;
    match channel.values() {
        Values::Translation(values) => Values::Translation(each(values, is_spline, vector)),
        Values::Scale(values) => Values::Scale(each(values, is_spline, vector)),
        Values::Rotation(values) => Values::Rotation(each(values, is_spline, rotation)),
    }
}

fn reversed_values<V: Copy + std::ops::Mul<f32, Output = V>>(channel: &Channel, values: &[V]) -> Vec<V> {
    match channel.interpolation() {
        Interpolation::Linear => values.iter().rev().copied().collect(),
        // What a key held until the next one, it holds from the next one on.
        Interpolation::Step => values.iter().rev().skip(1).chain(&values[..1]).copied().collect(),
        Interpolation::CubicSpline => values
            .chunks_exact(3)
            .rev()
            .flat_map(|key| [key[2] * -1.0, key[1], key[0] * -1.0])
            .collect(),
    }
}

/// A value of `channel`'s property, twice: a constant over a span.
fn constant(channel: &Channel, start: f32, end: f32, rest: Transform) -> Result<Channel, AnimError> {
    let is_spline = channel.interpolation() == Interpolation::CubicSpline;
    let vectors = |value: Vec3| {
        if is_spline {
            vec![Vec3::ZERO, value, Vec3::ZERO, Vec3::ZERO, value, Vec3::ZERO]
        } else {
            vec![value; 2]
        }
    };
    let values = match channel.values().property() {
        Property::Translation => Values::Translation(vectors(rest.translation)),
        Property::Scale => Values::Scale(vectors(rest.scale)),
        Property::Rotation => {
            let (value, zero) = (rest.rotation, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0));
            Values::Rotation(if is_spline {
                vec![zero, value, zero, zero, value, zero]
            } else {
                vec![value; 2]
            })
        }
    };
    Channel::new(channel.joint(), channel.interpolation(), vec![start, end], values)
}

/// The keys of one channel, then those of the other. Each part must fill its side of the seam, lest the
/// interpolation run across it.
fn joined(a: &Channel, b: &Channel, seam: f32) -> Result<Channel, AnimError> {
    let (a, b) = if a.interpolation() == b.interpolation() {
        (a.clone(), b.clone())
    } else if a.interpolation() == Interpolation::CubicSpline
        || b.interpolation() == Interpolation::CubicSpline
    {
        return Err(AnimError::CurvesDiffer { joint: a.joint() });
    } else {
        (without_steps(a)?, without_steps(b)?)
    };
    let a = trimmed(&a, a.times()[0].min(seam), seam)?;
    let b = trimmed(&b, seam, b.times()[b.keys() - 1].max(seam))?;
    let times: Vec<f32> = a.times().iter().chain(b.times().iter()).copied().collect();
    let values = match (a.values(), b.values()) {
        (Values::Translation(a), Values::Translation(b)) => Values::Translation([a.as_slice(), b].concat()),
        (Values::Scale(a), Values::Scale(b)) => Values::Scale([a.as_slice(), b].concat()),
        (Values::Rotation(a), Values::Rotation(b)) => Values::Rotation([a.as_slice(), b].concat()),
        _ => return Err(AnimError::CurvesDiffer { joint: a.joint() }),
    };
    Channel::new(a.joint(), a.interpolation(), times, values)
}

/// A step channel as a linear one with two keys at each step.
fn without_steps(channel: &Channel) -> Result<Channel, AnimError> {
    fn doubled<V: Copy>(values: &[V]) -> Vec<V> {
        let first = values.iter().take(1).copied();
        first
            .chain(values.windows(2).flat_map(|pair| [pair[0], pair[1]]))
            .collect()
    }
    if channel.interpolation() != Interpolation::Step {
        return Ok(channel.clone());
    }
    let times = channel.times();
    let times: Vec<f32> = times
        .iter()
        .take(1)
        .chain(times.iter().skip(1).flat_map(|time| [time; 2]))
        .copied()
        .collect();
    let values = match channel.values() {
        Values::Translation(values) => Values::Translation(doubled(values)),
        Values::Scale(values) => Values::Scale(doubled(values)),
        Values::Rotation(values) => Values::Rotation(doubled(values)),
    };
    Channel::new(channel.joint(), Interpolation::Linear, times, values)
}
