//! A channel between two times.

use glam::{DVec4, Quat, Vec3, Vec4};

use crate::{AnimError, Channel, Interpolation, Transform, Values, clip::Property};

/// A spline key: in-tangent, value, out-tangent.
type SplineKey = [[f32; 4]; 3];

/// With its time.
type TimedKey = (f32, SplineKey);

/// The channel from `start` to `end`, with keys at both; before its first and behind its last key it holds.
///
/// # Errors
/// What [`Channel::new`] refuses. Of values between keys that can only be those of a spline that is cut:
/// [`AnimError::ValueTooLarge`] where it has swung beyond [`Channel::MAX_VALUE`], [`AnimError::ValueNotFinite`] where its
/// slope is beyond f32.
pub(super) fn trimmed(channel: &Channel, start: f32, end: f32) -> Result<Channel, AnimError> {
    let flat: Vec<[f32; 4]> = match channel.values() {
        Values::Translation(values) | Values::Scale(values) => {
            values.iter().map(|value| value.extend(0.0).to_array()).collect()
        }
        Values::Rotation(values) => values.iter().map(|value| value.to_array()).collect(),
    };
    let (times, values) = if channel.interpolation() == Interpolation::CubicSpline {
        let (times, keys) = trimmed_spline(channel, &flat, start, end);
        (times, keys.concat())
    } else {
        trimmed_line(channel, &flat, start, end)
    };
    let vectors = |values: Vec<[f32; 4]>| values.iter().map(|v| Vec3::new(v[0], v[1], v[2])).collect();
    let values = match channel.values().property() {
        Property::Translation => Values::Translation(vectors(values)),
        Property::Scale => Values::Scale(vectors(values)),
        Property::Rotation => Values::Rotation(values.into_iter().map(Quat::from_array).collect()),
    };
    Channel::new(channel.joint(), channel.interpolation(), times, values)
}

/// The keys whose time is `end`: where there are several, the interval before them aims at the first, and what
/// comes after starts at the last.
fn keys_at(times: &[f32], end: f32) -> impl Iterator<Item = usize> {
    let first = times.partition_point(|&time| time < end);
    let behind = times.partition_point(|&time| time <= end);
    let last = (behind > first + 1).then(|| behind - 1);
    (behind > first).then_some(first).into_iter().chain(last)
}

fn trimmed_line(channel: &Channel, flat: &[[f32; 4]], start: f32, end: f32) -> (Vec<f32>, Vec<[f32; 4]>) {
    let times = channel.times();
    let value_at = |time: f32| {
        let mut transform = Transform::IDENTITY;
        channel.sample_into(time, &mut transform);
        match channel.values().property() {
            Property::Translation => transform.translation.extend(0.0),
            Property::Scale => transform.scale.extend(0.0),
            Property::Rotation => Vec4::from(transform.rotation),
        }
        .to_array()
    };
    let mut kept = vec![(start, value_at(start))];
    let is_inside = |time: f32| start < time && time < end;
    let inside = times.iter().zip(flat).filter(|(time, _)| is_inside(**time));
    kept.extend(inside.map(|(&time, &value)| (time, value)));
    if end > start {
        let before = kept.len();
        kept.extend(keys_at(times, end).map(|key| (end, flat[key])));
        if kept.len() == before {
            kept.push((end, value_at(end)));
        }
    }
    kept.into_iter().unzip()
}

fn trimmed_spline(channel: &Channel, flat: &[[f32; 4]], start: f32, end: f32) -> (Vec<f32>, Vec<SplineKey>) {
    let keys = channel.times().iter().zip(flat.chunks_exact(3));
    let keys: Vec<TimedKey> = keys
        .map(|(&time, key)| (time, [key[0], key[1], key[2]]))
        .collect();
    let is_rotation = channel.values().property() == Property::Rotation;
    let kept = until(&since(&keys, start, is_rotation), end, is_rotation);
    kept.into_iter().unzip()
}

/// The part of a spline from `start` on.
fn since(keys: &[TimedKey], start: f32, is_rotation: bool) -> Vec<TimedKey> {
    let after = keys.partition_point(|(time, _)| *time <= start);
    let mut kept = Vec::with_capacity(keys.len());
    if after == 0 {
        kept.push((start, level(keys[0].1)));
        kept.extend_from_slice(keys);
        // What lies before the first key is level, up to its end.
        kept[1].1[0] = [0.0; 4];
    } else if keys[after - 1].0 == start {
        kept.extend_from_slice(&keys[after - 1..]);
    } else if after == keys.len() {
        kept.push((start, level(keys[after - 1].1)));
    } else {
        let spline = Spline::between(keys[after - 1], keys[after], is_rotation);
        spline.cut([start, keys[after].0], &mut kept);
        let joint = kept.len() - 1;
        kept.extend_from_slice(&keys[after..]);
        // Two keys for one time: the piece's way into it, the spline's way out.
        let (_, [into, ..]) = kept.remove(joint);
        kept[joint].1[0] = into;
    }
    kept
}

/// The part of a spline up to `end`, which is not before its start.
fn until(keys: &[TimedKey], end: f32, is_rotation: bool) -> Vec<TimedKey> {
    let times: Vec<f32> = keys.iter().map(|(time, _)| *time).collect();
    let to = times.partition_point(|&time| time < end);
    let mut kept = keys[..to].to_vec();
    if to == keys.len() {
        // What lies behind the last key is level, from its start.
        kept[to - 1].1[2] = [0.0; 4];
        kept.push((end, level(keys[to - 1].1)));
    } else if times[to] == end {
        kept.extend(keys_at(&times, end).map(|key| keys[key]));
    } else {
        let [from, to] = [keys[to - 1], keys[to]];
        let spline = Spline::between(from, to, is_rotation);
        kept.pop();
        let joint = kept.len();
        spline.cut([from.0, end], &mut kept);
        kept[joint].1[0] = from.1[0];
    }
    kept
}

/// A key that holds its value.
const fn level(key: SplineKey) -> SplineKey {
    [[0.0; 4], key[1], [0.0; 4]]
}

/// Largest angle (radians) between a cut rotation spline and what it was: far below what a clip may err by.
const CUT_ERROR: f64 = 2e-6;

/// A cut interval is halved at most this often. The error falls by 16 with each halving, so that only a spline
/// whose quaternion passes close to zero gets that far.
const MAX_HALVINGS: u32 = 6;

/// One interval of a cubic spline.
struct Spline {
    start: f64,
    interval: f64,
    /// Value, out-tangent, value, in-tangent; tangents per interval.
    parts: [DVec4; 4],
    is_rotation: bool,
}

impl Spline {
    fn between((start, a): TimedKey, (end, b): TimedKey, is_rotation: bool) -> Self {
        let wide = |v: [f32; 4]| DVec4::from_array(v.map(f64::from));
        let start = f64::from(start);
        let interval = f64::from(end) - start;
        Self {
            start,
            interval,
            parts: [
                wide(a[1]),
                wide(a[2]) * interval,
                wide(b[1]),
                wide(b[0]) * interval,
            ],
            is_rotation,
        }
    }

    /// Adds keys for the part `span`, both ends included.
    fn cut(&self, span: [f32; 2], kept: &mut Vec<TimedKey>) {
        kept.push((span[0], self.key(span[0])));
        self.halve(span, MAX_HALVINGS, kept);
    }

    /// Value and change per second; of rotations, those of the quaternion made one.
    fn at(&self, time: f64) -> (DVec4, DVec4) {
        let t = (time - self.start) / self.interval;
        let (t2, t3) = (t * t, t * t * t);
        let [p0, m0, p1, m1] = self.parts;
        let value = p0 * (1.0 - 3.0 * t2 + 2.0 * t3)
            + m0 * (t3 - 2.0 * t2 + t)
            + p1 * (3.0 * t2 - 2.0 * t3)
            + m1 * (t3 - t2);
        let slope = (p0 * (6.0 * t2 - 6.0 * t)
            + m0 * (3.0 * t2 - 4.0 * t + 1.0)
            + p1 * (6.0 * t - 6.0 * t2)
            + m1 * (3.0 * t2 - 2.0 * t))
            / self.interval;
        let length = value.length();
        if !self.is_rotation || length == 0.0 {
            return (value, slope);
        }
        let unit = value / length;
        (unit, (slope - unit * unit.dot(slope)) / length)
    }

    fn key(&self, time: f32) -> SplineKey {
        let (value, slope) = self.at(f64::from(time));
        let [value, slope] = [value, slope].map(|v| v.as_vec4().to_array());
        [slope, value, slope]
    }

    /// Keys behind `span`'s start up to its end. A piece of a polynomial is one again; a piece of a quaternion
    /// spline, made one at its ends, is not, but comes as close as needed.
    fn halve(&self, span: [f32; 2], halvings: u32, kept: &mut Vec<TimedKey>) {
        let [from, to] = span;
        let middle = f32::midpoint(from, to);
        if self.is_rotation && halvings > 0 && from < middle && middle < to && self.error(span) > CUT_ERROR {
            self.halve([from, middle], halvings - 1, kept);
            self.halve([middle, to], halvings - 1, kept);
        } else {
            kept.push((to, self.key(to)));
        }
    }

    /// Largest angle between the one piece that would stand for `span` and the spline.
    fn error(&self, span: [f32; 2]) -> f64 {
        let [start, end] = span.map(f64::from);
        let ((p0, m0), (p1, m1)) = (self.at(start), self.at(end));
        let interval = end - start;
        let piece = Self {
            start,
            interval,
            parts: [p0, m0 * interval, p1, m1 * interval],
            is_rotation: true,
        };
        let angle = |fraction: f64| {
            let time = start + interval * fraction;
            // The angle of a rotation is twice the one between its quaternions.
            2.0 * (piece.at(time).0 - self.at(time).0).length()
        };
        [0.25, 0.5, 0.75].map(angle).into_iter().fold(0.0, f64::max)
    }
}
