//! Channels in f64.

use super::{Channel, Values};
use crate::{Interpolation, clip::Property};

/// The channel's value at `time` in f64 (vectors leave the last component 0): what baked clips are measured
/// against.
pub(crate) fn exact(channel: &Channel, time: f32) -> [f64; 4] {
    let (from, to, _, _) = channel.locate(time);
    let [start, end, time] = [channel.times[from], channel.times[to], time].map(f64::from);
    let interval = end - start;
    let fraction = if from == to {
        0.0
    } else {
        (time - start) / interval
    };
    let part = |index: usize| match &channel.values {
        Values::Translation(values) | Values::Scale(values) => values[index].as_dvec3().extend(0.0),
        Values::Rotation(values) => values[index].as_dquat().into(),
    };
    let is_rotation = channel.values.property() == Property::Rotation;
    let value = match channel.interpolation {
        Interpolation::Step => part(from),
        Interpolation::Linear if is_rotation => {
            let (a, b) = (part(from), part(to));
            let angle = 2.0 * (b - a).length().atan2((b + a).length());
            if angle == 0.0 {
                a
            } else {
                (a * ((1.0 - fraction) * angle).sin() + b * (fraction * angle).sin()) / angle.sin()
            }
        }
        Interpolation::Linear => part(from).lerp(part(to), fraction),
        Interpolation::CubicSpline => {
            let (t2, t3) = (fraction.powi(2), fraction.powi(3));
            let p1 = 3.0 * t2 - 2.0 * t3;
            part(3 * from + 1) * (1.0 - p1)
                + part(3 * from + 2) * (interval * (t3 - 2.0 * t2 + fraction))
                + part(3 * to + 1) * p1
                + part(3 * to) * (interval * (t3 - t2))
        }
    };
    let length = value.length();
    if is_rotation && length > 0.0 {
        value / length
    } else {
        value
    }
    .to_array()
}
