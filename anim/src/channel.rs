//! The keys of one property of one joint.

mod exact;
mod limits;

use std::sync::Arc;

pub(crate) use exact::exact;
use glam::{Quat, Vec3, Vec4};
pub(crate) use limits::{Limits, check_keys, largest, settled};

use crate::{
    Interpolation, JointId, Key, Transform,
    clip::{Property, hermite},
    error::AnimError,
    skeleton::unit_quat,
};

/// The values of a [`Channel`], and with their type the property that they animate.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Values {
    /// Positions in the parent's space.
    Translation(Vec<Vec3>),
    /// Quaternions; sampled values are normalised.
    Rotation(Vec<Quat>),
    /// Factors along the joint's own axes.
    Scale(Vec<Vec3>),
}

impl Values {
    /// Number of values; a cubic spline has three for each key.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Translation(values) | Self::Scale(values) => values.len(),
            Self::Rotation(values) => values.len(),
        }
    }

    /// Whether there are no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) const fn property(&self) -> Property {
        match self {
            Self::Translation(_) => Property::Translation,
            Self::Rotation(_) => Property::Rotation,
            Self::Scale(_) => Property::Scale,
        }
    }

    /// For errors.
    const fn property_name(&self) -> &'static str {
        match self {
            Self::Translation(_) => "translation",
            Self::Rotation(_) => "rotation",
            Self::Scale(_) => "scale",
        }
    }

    const fn limits(&self) -> Limits {
        match self {
            Self::Translation(_) | Self::Scale(_) => Limits::LENGTHS,
            Self::Rotation(_) => Limits::ROTATIONS,
        }
    }

    /// The largest magnitude of a value's components; infinite where one is not finite.
    fn largest_at(&self, index: usize) -> f32 {
        match self {
            Self::Translation(values) | Self::Scale(values) => largest(&values[index].to_array()),
            Self::Rotation(values) => largest(&values[index].to_array()),
        }
    }
}

/// The keys of one property (translation, rotation or scale) of one joint.
///
/// Times and values are kept apart, as glTF keeps them: channels of one clip usually share their times, and
/// clones of an `Arc` share them for free. Times never decrease; two equal times are a step: before that time
/// the first value holds, at and after it the last. One key is a constant. Before the first key and behind the
/// last one their values hold.
///
/// What lies between two keys is finite, whatever they are: [`MAX_VALUE`](Self::MAX_VALUE) and
/// [`MAX_TIME`](Self::MAX_TIME) are far from any use, but keep the way from one key to the next inside f32's range.
///
/// ```
/// use elea_anim::{Channel, Interpolation, JointId, Key, glam::Vec3};
/// let keys = [Key::new(0.0, Vec3::ZERO), Key::new(2.0, Vec3::X)];
/// let channel = Channel::translation(JointId(0), Interpolation::Linear, &keys)?;
/// assert_eq!(channel.keys(), 2);
/// # Ok::<(), elea_anim::AnimError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Channel {
    joint: JointId,
    interpolation: Interpolation,
    times: Arc<[f32]>,
    values: Values,
    repairs: Repairs,
}

/// Channels are equal if their joints, curves and keys are; what was repaired on the way does not count.
impl PartialEq for Channel {
    fn eq(&self, other: &Self) -> bool {
        self.joint == other.joint
            && self.interpolation == other.interpolation
            && self.times == other.times
            && self.values == other.values
    }
}

/// How many keys of a [`Channel`] were not as they should be and were put right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repairs {
    /// Keys that [`Channel::sorted`] moved to their place in time.
    pub sorted: usize,
    /// Rotations whose length was off one by more than 1e-4, made unit length.
    pub renormalised: usize,
    /// Rotations that were negated to be on the short way from the one before.
    pub flipped: usize,
}

impl Repairs {
    const NONE: Self = Self {
        sorted: 0,
        renormalised: 0,
        flipped: 0,
    };
}

/// A rotation's length may be off by this much: what files with five digits hold.
const UNIT_TOLERANCE: f32 = 1e-4;

impl Channel {
    /// The largest component of a position or a scale, in either direction, and the largest tangent component times
    /// the seconds of the interval in which it counts: a quarter of f32's range, 8.5e37.
    ///
    /// Two values are then at most half of that range apart. A spline goes beyond the larger of two values by at most
    /// a quarter of the larger tangent (the Hermite weights of two tangents add up to t (1 - t)).
    pub const MAX_VALUE: f32 = f32::MAX / 4.0;

    /// The latest time and, negated, the earliest one (seconds): a quarter of f32's range, 8.5e37, so that the span
    /// from the first to the last key is finite, also twice over. Times closer to 0 than 9.9e-32 s count as 0.
    pub const MAX_TIME: f32 = f32::MAX / 4.0;

    /// A channel from shared times and one value per time (three for cubic splines: in-tangent, value,
    /// out-tangent, as in glTF).
    ///
    /// Rotations are normalised, and each is negated where that brings it nearer to the one before
    /// (tangents with their key), so that interpolation always takes the short way.
    ///
    /// # Errors
    /// [`AnimError`] with the joint and the key: no keys, counts that differ, NaN or infinity, times that
    /// decrease, times beyond [`MAX_TIME`](Self::MAX_TIME), values and tangents beyond
    /// [`MAX_VALUE`](Self::MAX_VALUE) (of a rotation's tangents times seconds: 1.8e19, whose square is in range), a
    /// rotation of length zero.
    pub fn new(
        joint: JointId,
        interpolation: Interpolation,
        times: impl Into<Arc<[f32]>>,
        values: Values,
    ) -> Result<Self, AnimError> {
        let mut times = times.into();
        let (per_key, property) = (values_per_key(interpolation), values.property_name());
        if times.is_empty() {
            return Err(AnimError::NoKeys { joint, property });
        }
        if values.len() != per_key * times.len() {
            return Err(AnimError::ValueCount {
                joint,
                property,
                expected: per_key * times.len(),
                found: values.len(),
            });
        }
        check_keys(
            (joint, property),
            interpolation,
            &times,
            values.limits(),
            |index| values.largest_at(index),
        )?;
        settle(&mut times);
        let mut channel = Self {
            joint,
            interpolation,
            times,
            values,
            repairs: Repairs::NONE,
        };
        channel.align_rotations()?;
        Ok(channel)
    }

    /// As [`new`](Self::new), but times may come in any order: keys are sorted by time, and those of one time stay
    /// in their order. [`repairs`](Self::repairs) says how many had to move.
    ///
    /// # Errors
    /// As [`new`](Self::new), except for times that decrease.
    ///
    /// ```
    /// use elea_anim::{Channel, Interpolation, JointId, Values, glam::Vec3};
    /// let values = Values::Translation(vec![Vec3::Y, Vec3::X]);
    /// let channel = Channel::sorted(JointId(0), Interpolation::Linear, vec![2.0, 1.0], values)?;
    /// assert_eq!(channel.times()[..], [1.0, 2.0]);
    /// assert_eq!(channel.values(), &Values::Translation(vec![Vec3::X, Vec3::Y]));
    /// assert_eq!(channel.repairs().sorted, 2);
    /// # Ok::<(), elea_anim::AnimError>(())
    /// ```
    pub fn sorted(
        joint: JointId,
        interpolation: Interpolation,
        times: impl Into<Arc<[f32]>>,
        values: Values,
    ) -> Result<Self, AnimError> {
        let times = times.into();
        let per_key = values_per_key(interpolation);
        let is_odd = |time: &f32| !time.is_finite();
        if times.is_sorted() || times.iter().any(is_odd) || values.len() != per_key * times.len() {
            return Self::new(joint, interpolation, times, values);
        }
        let mut order: Vec<usize> = (0..times.len()).collect();
        order.sort_by(|&a, &b| times[a].total_cmp(&times[b]));
        let sorted = order.iter().enumerate().filter(|(to, from)| to != *from).count();
        let values = match &values {
            Values::Translation(values) => Values::Translation(in_order(values, &order, per_key)),
            Values::Rotation(values) => Values::Rotation(in_order(values, &order, per_key)),
            Values::Scale(values) => Values::Scale(in_order(values, &order, per_key)),
        };
        let times: Vec<f32> = order.iter().map(|&key| times[key]).collect();
        let mut channel = Self::new(joint, interpolation, times, values)?;
        channel.repairs.sorted = sorted;
        Ok(channel)
    }

    /// What was put right when the channel was made. It is not saved with the channel.
    #[must_use]
    pub const fn repairs(&self) -> Repairs {
        self.repairs
    }

    /// [`Channel::new`] for values that are known to fulfil its conditions: within its limits, as many as the times
    /// ask for, at least one, times that do not decrease and are [`settled`], unit rotations each of which is nearer to the one before than its
    /// negative is.
    pub(crate) const fn from_checked(
        joint: JointId,
        interpolation: Interpolation,
        times: Arc<[f32]>,
        values: Values,
    ) -> Self {
        Self {
            joint,
            interpolation,
            times,
            values,
            repairs: Repairs::NONE,
        }
    }

    /// A channel of positions from keys.
    ///
    /// # Errors
    /// As [`Channel::new`].
    pub fn translation(
        joint: JointId,
        interpolation: Interpolation,
        keys: &[Key<Vec3>],
    ) -> Result<Self, AnimError> {
        let values = Values::Translation(flatten(interpolation, keys, Vec3::ZERO));
        Self::new(joint, interpolation, times(keys), values)
    }

    /// A channel of rotations from keys.
    ///
    /// # Errors
    /// As [`Channel::new`].
    pub fn rotation(
        joint: JointId,
        interpolation: Interpolation,
        keys: &[Key<Quat>],
    ) -> Result<Self, AnimError> {
        let zero = Quat::from_vec4(Vec4::ZERO);
        let values = Values::Rotation(flatten(interpolation, keys, zero));
        Self::new(joint, interpolation, times(keys), values)
    }

    /// A channel of scales from keys.
    ///
    /// # Errors
    /// As [`Channel::new`].
    pub fn scale(
        joint: JointId,
        interpolation: Interpolation,
        keys: &[Key<Vec3>],
    ) -> Result<Self, AnimError> {
        let values = Values::Scale(flatten(interpolation, keys, Vec3::ZERO));
        Self::new(joint, interpolation, times(keys), values)
    }

    /// The animated joint.
    #[must_use]
    pub const fn joint(&self) -> JointId {
        self.joint
    }

    /// The same keys on another joint.
    #[must_use]
    pub fn with_joint(mut self, joint: JointId) -> Self {
        self.joint = joint;
        self
    }

    /// What happens between keys.
    #[must_use]
    pub const fn interpolation(&self) -> Interpolation {
        self.interpolation
    }

    /// Number of keys, at least one.
    #[must_use]
    pub fn keys(&self) -> usize {
        self.times.len()
    }

    /// Key times in seconds; they never decrease.
    #[must_use]
    pub const fn times(&self) -> &Arc<[f32]> {
        &self.times
    }

    /// The values; three per key for cubic splines (in-tangent, value, out-tangent).
    #[must_use]
    pub const fn values(&self) -> &Values {
        &self.values
    }

    /// Writes the property's value at `time` (seconds, finite) into `transform` and leaves the others alone.
    pub fn sample_into(&self, time: f32, transform: &mut Transform) {
        let (from, to, fraction, interval) = self.locate(time);
        match &self.values {
            Values::Translation(values) => {
                transform.translation = self.vector_at(values, from, to, fraction, interval);
            }
            Values::Scale(values) => {
                transform.scale = self.vector_at(values, from, to, fraction, interval);
            }
            Values::Rotation(values) => {
                transform.rotation = self.rotation_at(values, from, to, fraction, interval);
            }
        }
    }

    /// The keys around `time`, how far between them (0..=1) and the seconds between them.
    fn locate(&self, time: f32) -> (usize, usize, f32, f32) {
        let after = self.times.partition_point(|&key| key <= time);
        if after == 0 {
            return (0, 0, 0.0, 0.0);
        }
        if after == self.times.len() {
            return (after - 1, after - 1, 0.0, 0.0);
        }
        let (start, end) = (self.times[after - 1], self.times[after]);
        let interval = end - start;
        (after - 1, after, (time - start) / interval, interval)
    }

    fn vector_at(&self, values: &[Vec3], from: usize, to: usize, fraction: f32, interval: f32) -> Vec3 {
        match self.interpolation {
            Interpolation::Step => values[from],
            Interpolation::Linear => values[from].lerp(values[to], fraction),
            Interpolation::CubicSpline => {
                let [p0, m0, p1, m1] = hermite(fraction, interval);
                values[3 * from + 1] * p0
                    + values[3 * from + 2] * m0
                    + values[3 * to + 1] * p1
                    + values[3 * to] * m1
            }
        }
    }

    fn rotation_at(&self, values: &[Quat], from: usize, to: usize, fraction: f32, interval: f32) -> Quat {
        match self.interpolation {
            Interpolation::Step => values[from],
            Interpolation::Linear => slerp(values[from], values[to], fraction),
            Interpolation::CubicSpline => {
                let [p0, m0, p1, m1] = hermite(fraction, interval);
                let blend = values[3 * from + 1] * p0
                    + values[3 * from + 2] * m0
                    + values[3 * to + 1] * p1
                    + values[3 * to] * m1;
                // A spline can pass through zero length, where no direction is better than the key's.
                unit_quat(blend).unwrap_or(values[3 * from + 1])
            }
        }
    }

    fn align_rotations(&mut self) -> Result<(), AnimError> {
        let Values::Rotation(values) = &mut self.values else {
            return Ok(());
        };
        let per_key = values_per_key(self.interpolation);
        let middle = per_key / 2;
        let mut previous = Quat::IDENTITY;
        for (key, group) in values.chunks_exact_mut(per_key).enumerate() {
            let Some(mut unit) = unit_quat(group[middle]) else {
                return Err(AnimError::ZeroRotation {
                    joint: self.joint,
                    key,
                });
            };
            let off = (group[middle].length() - 1.0).abs();
            self.repairs.renormalised += usize::from(off > UNIT_TOLERANCE);
            if key > 0 && previous.dot(unit) < 0.0 {
                self.repairs.flipped += 1;
                unit = -unit;
                if per_key == 3 {
                    group[0] = -group[0];
                    group[2] = -group[2];
                }
            }
            group[middle] = unit;
            previous = unit;
        }
        Ok(())
    }
}

const fn values_per_key(interpolation: Interpolation) -> usize {
    match interpolation {
        Interpolation::Step | Interpolation::Linear => 1,
        Interpolation::CubicSpline => 3,
    }
}

/// Makes times that are all but zero zero. Shared times stay shared where there are none.
pub(crate) fn settle(times: &mut Arc<[f32]>) {
    if times.iter().any(|&time| settled(time) != time) {
        *times = times.iter().map(|&time| settled(time)).collect();
    }
}

/// Groups of `per_key` values in another order.
fn in_order<V: Copy>(values: &[V], order: &[usize], per_key: usize) -> Vec<V> {
    let groups = order.iter().map(|key| &values[key * per_key..][..per_key]);
    groups.flatten().copied().collect()
}

fn times<V>(keys: &[Key<V>]) -> Arc<[f32]> {
    keys.iter().map(|key| key.time).collect()
}

fn flatten<V: Copy>(interpolation: Interpolation, keys: &[Key<V>], zero: V) -> Vec<V> {
    if interpolation != Interpolation::CubicSpline {
        return keys.iter().map(|key| key.value).collect();
    }
    keys.iter()
        .flat_map(|key| {
            let [into, out] = key.tangents.unwrap_or([zero; 2]);
            [into, key.value, out]
        })
        .collect()
}

/// Below this angle (radians between the 4-vectors) a normalised lerp differs from slerp by less than
/// angle^3 / 20 < 1e-10, while `sin` in the denominator would lose digits.
const SLERP_MIN_ANGLE: f32 = 1e-3;

/// Constant-speed rotation from `a` to `b` along the short way, in f32 with one atan2: the reference that baked
/// clips are measured against computes the same in f64.
fn slerp(a: Quat, b: Quat, t: f32) -> Quat {
    if t == 0.0 {
        return a;
    }
    let b = if a.dot(b) < 0.0 { -b } else { b };
    // Half-angle by atan2 of the chord: exact near zero, where acos of the dot product is not.
    let angle = 2.0 * (b - a).length().atan2((b + a).length());
    if angle < SLERP_MIN_ANGLE {
        return a.lerp(b, t);
    }
    let (start, end) = (((1.0 - t) * angle).sin(), (t * angle).sin());
    (a * start + b * end).normalize()
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct ChannelData {
    joint: JointId,
    interpolation: Interpolation,
    times: Vec<f32>,
    values: Values,
}

#[cfg(feature = "serde")]
impl serde::Serialize for Channel {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ChannelData {
            joint: self.joint,
            interpolation: self.interpolation,
            times: self.times.to_vec(),
            values: self.values.clone(),
        }
        .serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Channel {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let data = ChannelData::deserialize(deserializer)?;
        Self::new(data.joint, data.interpolation, data.times, data.values).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests;
