//! How large times and values may be, so that what lies between them is a number.

use super::{Channel, values_per_key};
use crate::{AnimError, Interpolation, JointId};

/// Seconds. Times nearer to zero count as zero: the f32s that are left, zero among them, are at least
/// [`f32::MIN_POSITIVE`] apart, so that one over the seconds between two keys is finite.
const MIN_TIME: f32 = f32::MIN_POSITIVE / f32::EPSILON;

/// What a component of a rotation's tangent may be at most, times the seconds of its interval: 2^64. A spline's
/// quaternion has components of at most 1 + 2^64 / 4 then (see [`Channel::MAX_VALUE`]), and the square of its length,
/// by which it is normalised, is less than 2^127.
const MAX_ROTATION_TANGENT: f32 = 18_446_744_073_709_551_616.0;

/// The largest magnitudes of a property's values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    value: f32,
    /// Of tangents, times the seconds of the interval in which they count.
    tangent: f32,
}

impl Limits {
    /// Positions, scales and weights.
    pub(crate) const LENGTHS: Self = Self {
        value: Channel::MAX_VALUE,
        tangent: Channel::MAX_VALUE,
    };

    /// Quaternions, which are made unit length.
    pub(crate) const ROTATIONS: Self = Self {
        value: f32::MAX,
        tangent: MAX_ROTATION_TANGENT,
    };
}

/// The largest magnitude; infinite where one is NaN or infinite.
pub(crate) fn largest(components: &[f32]) -> f32 {
    let larger = |largest: f32, component: &f32| {
        if component.is_finite() {
            largest.max(component.abs())
        } else {
            f32::INFINITY
        }
    };
    components.iter().fold(0.0, larger)
}

/// Checks times and values; `largest` gives the [`largest`] magnitude of a value (of a tangent, for splines: three
/// values a key).
pub(crate) fn check_keys(
    (joint, property): (JointId, &'static str),
    interpolation: Interpolation,
    times: &[f32],
    limits: Limits,
    largest: impl Fn(usize) -> f32,
) -> Result<(), AnimError> {
    for (key, time) in times.iter().enumerate() {
        if !time.is_finite() {
            return Err(AnimError::TimeNotFinite { joint, property, key });
        }
        if key > 0 && *time < times[key - 1] {
            return Err(AnimError::TimesDecrease { joint, property, key });
        }
        if time.abs() > Channel::MAX_TIME {
            return Err(AnimError::TimeTooLarge { joint, property, key });
        }
    }
    let per_key = values_per_key(interpolation);
    let seconds = |from: usize, to: usize| match (times.get(from), times.get(to)) {
        (Some(from), Some(to)) => to - from,
        // Before the first and behind the last key tangents do not count.
        _ => 0.0,
    };
    for key in 0..times.len() {
        let tangents = [seconds(key.wrapping_sub(1), key), seconds(key, key + 1)];
        for part in 0..per_key {
            let largest = largest(key * per_key + part);
            if !largest.is_finite() {
                return Err(AnimError::ValueNotFinite { joint, property, key });
            }
            let (counts, limit) = if part == per_key / 2 {
                (f64::from(largest), limits.value)
            } else {
                (f64::from(largest) * f64::from(tangents[part / 2]), limits.tangent)
            };
            if counts > f64::from(limit) {
                return Err(AnimError::ValueTooLarge {
                    joint,
                    property,
                    key,
                    limit,
                });
            }
        }
    }
    Ok(())
}

/// The time as keys have it.
pub(crate) const fn settled(time: f32) -> f32 {
    if time.abs() < MIN_TIME { 0.0 } else { time }
}
