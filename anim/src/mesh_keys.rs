//! Mesh keyframes: whole shapes of a mesh over time, blended two at a time.

use std::sync::Arc;

use glam::Vec3;

use crate::{Flags, check};

/// Shapes of one mesh at key times: every vertex has a position (and a normal) in each of them.
///
/// This is how figures without a skeleton were animated, and how faces, cloth and baked simulations still are. A
/// renderer uploads every shape once and gives its shader two of them and a weight ([`at`](Self::at)); on the CPU
/// [`sample`](Self::sample) does the same.
///
/// ```
/// use elea_anim::{MeshKeys, glam::Vec3};
/// // One vertex that goes up and comes down again.
/// let keys = MeshKeys::new(vec![0.0, 1.0, 3.0], 1, vec![Vec3::ZERO, Vec3::Y, Vec3::ZERO], vec![])?;
/// let key = keys.at(2.0);
/// assert_eq!((key.current, key.next, key.weight), (1, 2, 0.5));
/// let mut positions = [Vec3::NAN];
/// let flags = keys.sample(2.0, &mut positions, &mut []);
/// assert!(flags.is_empty());
/// assert_eq!(positions[0], Vec3::Y * 0.5);
/// # Ok::<(), elea_anim::MeshKeysError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MeshKeys {
    times: Arc<[f32]>,
    vertices: usize,
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
}

/// Two shapes and the way between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshKey {
    /// The key at or before the time.
    pub current: usize,
    /// The key after it; the same one at the ends.
    pub next: usize,
    /// How far from `current` to `next`: 0 to below 1.
    pub weight: f32,
}

impl MeshKeys {
    /// From times in seconds and, for each of them, one position and one normal for each of `vertices` vertices, one
    /// key after the other. Normals may be left out altogether.
    ///
    /// # Errors
    /// [`MeshKeysError`] naming the list or the key.
    pub fn new(
        times: impl Into<Arc<[f32]>>,
        vertices: usize,
        positions: Vec<Vec3>,
        normals: Vec<Vec3>,
    ) -> Result<Self, MeshKeysError> {
        let times = times.into();
        if times.is_empty() {
            return Err(MeshKeysError::NoKeys);
        }
        for (key, time) in times.iter().enumerate() {
            if !time.is_finite() {
                return Err(MeshKeysError::TimeNotFinite { key });
            }
            if key > 0 && *time < times[key - 1] {
                return Err(MeshKeysError::TimesDecrease { key });
            }
        }
        let expected = times.len().saturating_mul(vertices);
        for (what, list, is_optional) in [("positions", &positions, false), ("normals", &normals, true)] {
            if list.len() != expected && !(is_optional && list.is_empty()) {
                return Err(MeshKeysError::Count {
                    what,
                    found: list.len(),
                    expected,
                });
            }
            if let Some(index) = list.iter().position(|vector| !vector.is_finite()) {
                return Err(MeshKeysError::NotFinite {
                    what,
                    key: index / vertices,
                    vertex: index % vertices,
                });
            }
        }
        Ok(Self {
            times,
            vertices,
            positions,
            normals,
        })
    }

    /// Key times in seconds; they never decrease, and there is at least one.
    #[must_use]
    pub const fn times(&self) -> &Arc<[f32]> {
        &self.times
    }

    /// Vertices of every shape.
    #[must_use]
    pub const fn vertices(&self) -> usize {
        self.vertices
    }

    /// One position for each vertex.
    ///
    /// # Panics
    /// If there is no such key.
    #[must_use]
    #[track_caller]
    pub fn positions(&self, key: usize) -> &[Vec3] {
        self.check(key);
        &self.positions[key * self.vertices..][..self.vertices]
    }

    #[track_caller]
    fn check(&self, key: usize) {
        let keys = self.times.len();
        assert!(key < keys, "key {key} of a mesh of {keys} keys");
    }

    /// One normal for each vertex, or none at all.
    ///
    /// # Panics
    /// If there is no such key.
    #[must_use]
    #[track_caller]
    pub fn normals(&self, key: usize) -> &[Vec3] {
        self.check(key);
        if self.normals.is_empty() {
            &[]
        } else {
            &self.normals[key * self.vertices..][..self.vertices]
        }
    }

    /// Which two shapes to blend at `time` (seconds). Before the first key and behind the last one that shape holds;
    /// two equal times are a step; NaN is the first key.
    #[must_use]
    pub fn at(&self, time: f32) -> MeshKey {
        let after = self.times.partition_point(|&key| key <= time);
        let current = after.saturating_sub(1);
        if after == 0 || after == self.times.len() {
            return MeshKey {
                current,
                next: current,
                weight: 0.0,
            };
        }
        let (from, to) = (f64::from(self.times[current]), f64::from(self.times[after]));
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a ratio of 0..1, which may round to 1"
        )]
        let weight = ((f64::from(time) - from) / (to - from)) as f32;
        MeshKey {
            current,
            next: after,
            weight: weight.min(1.0 - f32::EPSILON / 2.0),
        }
    }

    /// The shape at `time` as [`at`](Self::at) says; normals are blended likewise and are not made unit again. NaN is
    /// the first key, and [`Flags::BAD_TIME`].
    ///
    /// # Panics
    /// If `positions` is not of [`vertices`](Self::vertices), or `normals` neither empty nor as long as the keys'.
    pub fn sample(&self, time: f32, positions: &mut [Vec3], normals: &mut [Vec3]) -> Flags {
        let MeshKey {
            current,
            next,
            weight,
        } = self.at(time);
        blend_mesh_keys(self.positions(current), self.positions(next), weight, positions);
        if !normals.is_empty() {
            blend_mesh_keys(self.normals(current), self.normals(next), weight, normals);
        }
        if time.is_nan() {
            Flags::BAD_TIME
        } else {
            Flags::NONE
        }
    }
}

/// `current + (next - current) * weight`, vector by vector: exactly `current` at weight 0. Any weight is allowed.
///
/// # Panics
/// If the lists differ in length.
#[track_caller]
pub fn blend_mesh_keys(current: &[Vec3], next: &[Vec3], weight: f32, out: &mut [Vec3]) {
    check::one_each("next positions", next.len(), "current positions", current.len());
    check::one_each("output positions", out.len(), "current positions", current.len());
    for ((&current, &next), out) in current.iter().zip(next).zip(out) {
        *out = current + (next - current) * weight;
    }
}

/// What is wrong with mesh keyframes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshKeysError {
    /// There is no key.
    #[error("no keys")]
    NoKeys,
    /// A time is NaN or infinite.
    #[error("time of key {key} is not finite")]
    TimeNotFinite {
        /// Index of the key.
        key: usize,
    },
    /// A time is before that of the key before.
    #[error("key {key} is earlier than the one before it")]
    TimesDecrease {
        /// Index of the key.
        key: usize,
    },
    /// A list has not one element for each vertex of each key.
    #[error("{found} {what}, but keys times vertices make {expected}")]
    Count {
        /// The list.
        what: &'static str,
        /// Its length.
        found: usize,
        /// What it should be.
        expected: usize,
    },
    /// A number is NaN or infinite.
    #[error("{what}: vertex {vertex} of key {key} is not finite")]
    NotFinite {
        /// The list.
        what: &'static str,
        /// Index of the key.
        key: usize,
        /// Index of the vertex.
        vertex: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_follow_their_straight_lines() {
        let times = [-1.0_f32, 0.5, 0.5, 2.0];
        let x = [0.0_f32, 3.0, 5.0, 2.0];
        let shapes = x.iter().flat_map(|&x| [Vec3::X * x, Vec3::Y * x]).collect();
        let normals = x.iter().flat_map(|_| [Vec3::Z, Vec3::X]).collect();
        let keys = MeshKeys::new(times, 2, shapes, normals).unwrap();
        for (time, expected) in [
            (f32::NEG_INFINITY, 0.0),
            (-1.0, 0.0),
            (0.0, 2.0),
            (0.499_999_97, 3.0),
            (0.5, 5.0),
            (1.0, 4.0),
            (2.0, 2.0),
            (f32::INFINITY, 2.0),
        ] {
            let (mut positions, mut normals) = ([Vec3::NAN; 2], [Vec3::NAN; 2]);
            assert_eq!(keys.sample(time, &mut positions, &mut normals), Flags::NONE);
            let off = positions[0]
                .distance(Vec3::X * expected)
                .max(positions[1].distance(Vec3::Y * expected));
            assert!(off < 1e-6, "at {time}: {positions:?}, not {expected}");
            assert_eq!(normals, [Vec3::Z, Vec3::X]);
            assert!((0.0..1.0).contains(&keys.at(time).weight), "at {time}");
        }
        let mut positions = [Vec3::NAN; 2];
        assert_eq!(keys.sample(f32::NAN, &mut positions, &mut []), Flags::BAD_TIME);
        assert_eq!(positions, [Vec3::ZERO; 2], "the first key");
    }

    #[test]
    fn bad_keys_are_named() {
        let error = |times: &[f32], positions: Vec<Vec3>, normals: Vec<Vec3>| {
            MeshKeys::new(times, 2, positions, normals)
                .unwrap_err()
                .to_string()
        };
        let (two, four) = (vec![Vec3::X; 2], vec![Vec3::X; 4]);
        assert_eq!(error(&[], vec![], vec![]), "no keys");
        assert_eq!(
            error(&[0.0, f32::NAN], four.clone(), vec![]),
            "time of key 1 is not finite"
        );
        assert_eq!(
            error(&[1.0, 0.0], four.clone(), vec![]),
            "key 1 is earlier than the one before it"
        );
        assert_eq!(
            error(&[0.0, 1.0], two.clone(), vec![]),
            "2 positions, but keys times vertices make 4"
        );
        assert_eq!(
            error(&[0.0, 1.0], four.clone(), two),
            "2 normals, but keys times vertices make 4"
        );
        let mut bad = four.clone();
        bad[3].y = f32::INFINITY;
        assert_eq!(
            error(&[0.0, 1.0], four, bad),
            "normals: vertex 1 of key 1 is not finite"
        );
        assert!(
            MeshKeys::new([0.0], 0, vec![], vec![]).is_ok(),
            "a mesh without vertices"
        );
    }
}
