//! Morph targets: other shapes of a mesh, blended in by weights.

use std::sync::Arc;

use glam::{Vec3, Vec4};

use crate::{
    AnimError, Interpolation, JointId,
    channel::{Limits, check_keys, largest, settle},
    check,
    clip::hermite,
};

/// Another shape of a mesh, as differences of the vertices that it moves. All others stay.
///
/// ```
/// use elea_anim::{MorphTarget, glam::Vec3};
/// let smile = MorphTarget { vertices: vec![1], positions: vec![Vec3::Y], ..MorphTarget::default() };
/// let mut positions = [Vec3::ZERO; 3];
/// smile.add_to(0.5, &mut positions, &mut [], &mut []);
/// assert_eq!(positions, [Vec3::ZERO, Vec3::Y * 0.5, Vec3::ZERO]);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphTarget {
    /// Any text; may be empty.
    pub name: String,
    /// The vertices that it moves, growing.
    pub vertices: Vec<u32>,
    /// One difference for each of [`vertices`](Self::vertices), in bind space; or none at all.
    pub positions: Vec<Vec3>,
    /// Likewise, of the normals.
    pub normals: Vec<Vec3>,
    /// Likewise, of the tangents' directions.
    pub tangents: Vec<Vec3>,
}

impl MorphTarget {
    /// Adds the differences times `weight` to a mesh in bind space, before skinning. Normals and tangents are not
    /// made unit again ([`skin`](crate::skin) does that). An empty output list is left out.
    ///
    /// # Panics
    /// If an output list that is not empty lacks one of [`vertices`](Self::vertices).
    pub fn add_to(&self, weight: f32, positions: &mut [Vec3], normals: &mut [Vec3], tangents: &mut [Vec4]) {
        if weight == 0.0 {
            return;
        }
        if !positions.is_empty() {
            for (&vertex, &delta) in self.vertices.iter().zip(&self.positions) {
                positions[vertex as usize] += delta * weight;
            }
        }
        if !normals.is_empty() {
            for (&vertex, &delta) in self.vertices.iter().zip(&self.normals) {
                normals[vertex as usize] += delta * weight;
            }
        }
        if !tangents.is_empty() {
            for (&vertex, &delta) in self.vertices.iter().zip(&self.tangents) {
                tangents[vertex as usize] += (delta * weight).extend(0.0);
            }
        }
    }
}

/// The weights of a mesh's morph targets over time.
///
/// With feature `serde` it is `{ targets, interpolation, times, weights }`; reading checks what [`new`](Self::new) checks.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "MorphTrackData"))]
pub struct MorphTrack {
    targets: usize,
    interpolation: Interpolation,
    times: Arc<[f32]>,
    weights: Vec<f32>,
}

impl MorphTrack {
    /// From times in seconds and, for each of them, one weight for each of `targets` targets; for cubic splines
    /// `targets` in-tangents, `targets` weights and `targets` out-tangents, as in glTF.
    ///
    /// # Errors
    /// As [`Channel::new`](crate::Channel::new); the joint in the error is 0.
    pub fn new(
        targets: usize,
        interpolation: Interpolation,
        times: impl Into<Arc<[f32]>>,
        weights: Vec<f32>,
    ) -> Result<Self, AnimError> {
        let (mut times, joint, property) = (times.into(), JointId(0), "weight");
        let per_key = match interpolation {
            Interpolation::CubicSpline => targets.saturating_mul(3),
            Interpolation::Step | Interpolation::Linear => targets,
        };
        if times.is_empty() {
            return Err(AnimError::NoKeys { joint, property });
        }
        let expected = per_key.saturating_mul(times.len());
        if weights.len() != expected {
            return Err(AnimError::ValueCount {
                joint,
                property,
                expected,
                found: weights.len(),
            });
        }
        let row = |row: usize| largest(&weights[row * targets..][..targets]);
        check_keys((joint, property), interpolation, &times, Limits::LENGTHS, row)?;
        settle(&mut times);
        Ok(Self {
            targets,
            interpolation,
            times,
            weights,
        })
    }

    /// Number of morph targets.
    #[must_use]
    pub const fn targets(&self) -> usize {
        self.targets
    }

    /// What happens between keys.
    #[must_use]
    pub const fn interpolation(&self) -> Interpolation {
        self.interpolation
    }

    /// Key times in seconds; they never decrease, and there is at least one.
    #[must_use]
    pub const fn times(&self) -> &Arc<[f32]> {
        &self.times
    }

    /// The weights as [`new`](Self::new) takes them.
    #[must_use]
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// Writes the weights at `time` (seconds). Before the first key and behind the last one their weights hold; two
    /// equal times are a step; a NaN is the first key.
    ///
    /// # Panics
    /// If `weights` has not one element for each target.
    #[track_caller]
    pub fn sample(&self, time: f32, weights: &mut [f32]) {
        check::one_each("weights", weights.len(), "morph targets", self.targets);
        let after = self.times.partition_point(|&key| key <= time);
        let last = self.times.len() - 1;
        let (from, to) = (after.saturating_sub(1), after.min(last));
        let interval = self.times[to] - self.times[from];
        let fraction = if from == to {
            0.0
        } else {
            (time - self.times[from]) / interval
        };
        for (target, weight) in weights.iter_mut().enumerate() {
            let at = |row: usize| self.weights[row * self.targets + target];
            *weight = match self.interpolation {
                Interpolation::Step => at(from),
                Interpolation::Linear => at(from) + (at(to) - at(from)) * fraction,
                Interpolation::CubicSpline if from == to => at(3 * from + 1),
                Interpolation::CubicSpline => {
                    let [p0, m0, p1, m1] = hermite(fraction, interval);
                    at(3 * from + 1) * p0 + at(3 * from + 2) * m0 + at(3 * to + 1) * p1 + at(3 * to) * m1
                }
            };
        }
    }
}

/// A track as it is read, not yet checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct MorphTrackData {
    targets: usize,
    interpolation: Interpolation,
    times: Vec<f32>,
    weights: Vec<f32>,
}

#[cfg(feature = "serde")]
impl TryFrom<MorphTrackData> for MorphTrack {
    type Error = AnimError;

    fn try_from(data: MorphTrackData) -> Result<Self, AnimError> {
        Self::new(data.targets, data.interpolation, data.times, data.weights)
    }
}
