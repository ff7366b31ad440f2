//! A value at a time.

/// A value at a time, with tangents for [`Interpolation::CubicSpline`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Key<V> {
    /// Seconds, also negative ones; at most [`Channel::MAX_TIME`](crate::Channel::MAX_TIME) from 0.
    pub time: f32,
    /// The value at `time`.
    pub value: V,
    /// `[into the key, out of the key]` in value units per second; read by cubic splines alone.
    /// They are multiplied by the length of their interval when sampled (glTF 2.0, appendix C).
    /// `None` is a level key: both tangents zero.
    pub tangents: Option<[V; 2]>,
}

impl<V> Key<V> {
    /// A key without tangents.
    #[must_use]
    pub const fn new(time: f32, value: V) -> Self {
        Self {
            time,
            value,
            tangents: None,
        }
    }
}

/// What happens between two keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Interpolation {
    /// The earlier key's value until the later key's time.
    Step,
    /// A straight line; for rotations the shortest great arc at constant speed (slerp).
    #[default]
    Linear,
    /// A cubic Hermite spline through the keys with their tangents; rotations are normalised afterwards.
    CubicSpline,
}
