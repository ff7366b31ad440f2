//! Which joints move a vertex, and by how much.

use glam::{Vec3, Vec4};

use crate::SkinError;

/// Palette slots and weights of every vertex: 1 to 8 for each, weights adding up to one.
#[derive(Clone, Debug, PartialEq)]
pub struct Influences {
    per_vertex: usize,
    slots: usize,
    joints: Vec<u16>,
    weights: Weights,
}

/// What an 8-bit weight of 1 is worth. 255 times this rounds to one.
pub(crate) const BYTE_UNIT: f32 = 1.0 / 255.0;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Weights {
    Float(Vec<f32>),
    /// 255ths that add up to 255.
    Byte(Vec<u8>),
}

/// What [`Influences::new`] had to mend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WeightReport {
    /// Vertices whose weights did not add up to one (to [`Influences::SUM_TOLERANCE`]): divided by their sum.
    pub renormalized: usize,
    /// Vertices whose weights were all zero: bound to their first slot.
    pub unweighted: usize,
}

impl WeightReport {
    /// Whether nothing had to be mended.
    #[must_use]
    pub const fn is_clean(&self) -> bool {
        self.renormalized == 0 && self.unweighted == 0
    }
}

impl Influences {
    /// The most influences that a vertex can have.
    pub const MAX: usize = 8;

    /// Sums further from one than this are reported: half a step of 8-bit weights, which a file may have been
    /// exported from, times four influences.
    pub const SUM_TOLERANCE: f32 = 4.0 * 0.5 / 255.0;

    /// From `per_vertex` slots and weights for each vertex, one vertex after the other, into a palette of
    /// `slots` entries. Weights are divided by their sum; a vertex without weight is bound to its first slot.
    ///
    /// # Errors
    /// [`SkinError`] for a count that does not fit, a slot that the palette lacks (of a weight above zero), a
    /// weight that is negative or not finite.
    pub fn new(
        per_vertex: usize,
        slots: usize,
        mut joints: Vec<u16>,
        mut weights: Vec<f32>,
    ) -> Result<(Self, WeightReport), SkinError> {
        check_counts(per_vertex, joints.len(), weights.len())?;
        let mut report = WeightReport::default();
        let vertices = joints
            .chunks_exact_mut(per_vertex)
            .zip(weights.chunks_exact_mut(per_vertex));
        for (vertex, (joints, weights)) in vertices.enumerate() {
            if weights
                .iter()
                .any(|weight| !(weight.is_finite() && *weight >= 0.0))
            {
                return Err(SkinError::BadWeight { vertex });
            }
            // In f64: the sum of finite weights may exceed f32.
            let sum: f64 = weights.iter().copied().map(f64::from).sum();
            if sum == 0.0 {
                report.unweighted += 1;
                weights[0] = 1.0;
            } else {
                report.renormalized += usize::from((sum - 1.0).abs() > f64::from(Self::SUM_TOLERANCE));
                for weight in &mut *weights {
                    #[expect(clippy::cast_possible_truncation, reason = "a ratio of 0..=1")]
                    let ratio = (f64::from(*weight) / sum) as f32;
                    *weight = ratio;
                }
            }
            check_slots(vertex, slots, joints, |influence| weights[influence] > 0.0)?;
        }
        Ok((
            Self {
                per_vertex,
                slots,
                joints,
                weights: Weights::Float(weights),
            },
            report,
        ))
    }

    /// As [`new`](Self::new), from 8-bit weights, kept in 8 bits: 255 is one. A vertex's weights are made to add
    /// up to 255 exactly.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn from_bytes(
        per_vertex: usize,
        slots: usize,
        mut joints: Vec<u16>,
        mut weights: Vec<u8>,
    ) -> Result<(Self, WeightReport), SkinError> {
        check_counts(per_vertex, joints.len(), weights.len())?;
        let mut report = WeightReport::default();
        let vertices = joints
            .chunks_exact_mut(per_vertex)
            .zip(weights.chunks_exact_mut(per_vertex));
        for (vertex, (joints, weights)) in vertices.enumerate() {
            let sum: u32 = weights.iter().copied().map(u32::from).sum();
            if sum == 0 {
                report.unweighted += 1;
                weights[0] = u8::MAX;
            } else if sum != 255 {
                report.renormalized += 1;
                let ratios: Vec<f64> = weights
                    .iter()
                    .map(|&weight| f64::from(weight) / f64::from(sum))
                    .collect();
                round_to_255(&ratios, weights);
            }
            check_slots(vertex, slots, joints, |influence| weights[influence] > 0)?;
        }
        Ok((
            Self {
                per_vertex,
                slots,
                joints,
                weights: Weights::Byte(weights),
            },
            report,
        ))
    }

    /// The same with 8-bit weights that add up to 255 exactly (largest remainders are rounded up).
    #[must_use]
    pub fn to_bytes(&self) -> Self {
        let mut bytes = vec![0; self.joints.len()];
        let mut ratios = [0.0; Self::MAX];
        for (vertex, bytes) in bytes.chunks_exact_mut(self.per_vertex).enumerate() {
            for (ratio, (_, weight)) in ratios.iter_mut().zip(self.of(vertex)) {
                *ratio = f64::from(weight);
            }
            round_to_255(&ratios[..self.per_vertex], bytes);
        }
        Self {
            weights: Weights::Byte(bytes),
            joints: self.joints.clone(),
            ..*self
        }
    }

    /// The same with at most `per_vertex` influences: the largest, renormalised.
    ///
    /// # Errors
    /// [`SkinError::PerVertex`] unless `per_vertex` is 1 to 8.
    pub fn reduced(&self, per_vertex: usize) -> Result<Self, SkinError> {
        check_counts(per_vertex, 0, 0)?;
        let kept = per_vertex.min(self.per_vertex);
        let (mut joints, mut weights) = (Vec::new(), Vec::new());
        for vertex in 0..self.vertices() {
            let mut all: Vec<(u16, f32)> = self.of(vertex).collect();
            // Stable: equal weights keep their order.
            all.sort_by(|a, b| b.1.total_cmp(&a.1));
            joints.extend(all[..kept].iter().map(|influence| influence.0));
            weights.extend(all[..kept].iter().map(|influence| influence.1));
        }
        Self::new(kept, self.slots, joints, weights).map(|(influences, _)| influences)
    }

    /// Number of vertices.
    #[must_use]
    pub const fn vertices(&self) -> usize {
        self.joints.len() / self.per_vertex
    }

    /// Influences of each vertex, 1 to 8.
    #[must_use]
    pub const fn per_vertex(&self) -> usize {
        self.per_vertex
    }

    /// Entries that a palette must have.
    #[must_use]
    pub const fn slots(&self) -> usize {
        self.slots
    }

    /// Every vertex's slots, one vertex after the other.
    #[must_use]
    pub fn joints(&self) -> &[u16] {
        &self.joints
    }

    /// Slots and weights of one vertex, those of weight zero included.
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn of(&self, vertex: usize) -> impl ExactSizeIterator<Item = (u16, f32)> + '_ {
        let start = vertex * self.per_vertex;
        self.joints[start..start + self.per_vertex]
            .iter()
            .enumerate()
            .map(move |(influence, &slot)| {
                let weight = match &self.weights {
                    Weights::Float(weights) => weights[start + influence],
                    Weights::Byte(weights) => f32::from(weights[start + influence]) * BYTE_UNIT,
                };
                (slot, weight)
            })
    }

    /// The influences of some vertices in a palette that has `slots` (ascending) of this one: slots are numbered
    /// anew, weights and their order stay.
    pub(crate) fn remapped(&self, vertices: &[u32], slots: &[u16]) -> Self {
        let ranges = || {
            let start = |&vertex: &u32| vertex as usize * self.per_vertex;
            vertices
                .iter()
                .map(start)
                .map(|start| start..start + self.per_vertex)
        };
        let of_vertex = |vertex: &u32| {
            self.of(*vertex as usize).map(|(slot, weight)| {
                let place = if weight > 0.0 {
                    slots.binary_search(&slot).unwrap_or(0)
                } else {
                    0
                };
                u16::try_from(place).expect("no more slots than u16 can name")
            })
        };
        Self {
            per_vertex: self.per_vertex,
            slots: slots.len(),
            joints: vertices.iter().flat_map(of_vertex).collect(),
            weights: match &self.weights {
                Weights::Float(weights) => {
                    Weights::Float(ranges().flat_map(|range| &weights[range]).copied().collect())
                }
                Weights::Byte(weights) => {
                    Weights::Byte(ranges().flat_map(|range| &weights[range]).copied().collect())
                }
            },
        }
    }

    pub(crate) const fn weights(&self) -> &Weights {
        &self.weights
    }
}

fn check_counts(per_vertex: usize, slots: usize, weights: usize) -> Result<(), SkinError> {
    if !(1..=Influences::MAX).contains(&per_vertex) {
        return Err(SkinError::PerVertex { per_vertex });
    }
    if slots != weights || !slots.is_multiple_of(per_vertex) {
        return Err(SkinError::InfluenceCount {
            slots,
            weights,
            per_vertex,
        });
    }
    Ok(())
}

/// Slots must exist where they count; elsewhere they are set to 0, which is always there.
fn check_slots(
    vertex: usize,
    slots: usize,
    joints: &mut [u16],
    counts: impl Fn(usize) -> bool,
) -> Result<(), SkinError> {
    for (influence, slot) in joints.iter_mut().enumerate() {
        if counts(influence) {
            if usize::from(*slot) >= slots {
                return Err(SkinError::NoSuchSlot {
                    vertex,
                    slot: *slot,
                    slots,
                });
            }
        } else {
            *slot = 0;
        }
    }
    Ok(())
}

/// Rounds ratios that add up to one to 255ths that add up to 255: down, then up where most was lost.
pub(crate) fn round_to_255(ratios: &[f64], bytes: &mut [u8]) {
    let mut lost = [0.0; Influences::MAX];
    let mut left = 255_u8;
    for (index, (ratio, byte)) in ratios.iter().zip(&mut *bytes).enumerate() {
        let exact = (ratio * 255.0).clamp(0.0, 255.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0..=255")]
        let floor = exact.floor() as u8;
        *byte = floor.min(left);
        left -= *byte;
        lost[index] = exact - f64::from(*byte);
    }
    for _ in 0..left {
        let most = (0..ratios.len()).fold(
            0,
            |best, index| if lost[index] > lost[best] { index } else { best },
        );
        bytes[most] += 1;
        lost[most] -= 1.0;
    }
}

/// A mesh with its influences: vertices in bind space and triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct SkinnedMesh {
    /// One per vertex.
    pub positions: Vec<Vec3>,
    /// One per vertex, or none at all.
    pub normals: Vec<Vec3>,
    /// One per vertex, or none at all; `w` is the bitangent's sign.
    pub tangents: Vec<Vec4>,
    /// Slots and weights of every vertex.
    pub influences: Influences,
    /// Indices of vertices.
    pub triangles: Vec<[u32; 3]>,
}

impl SkinnedMesh {
    /// Checks that every list fits the positions and every triangle names vertices.
    ///
    /// # Errors
    /// [`SkinError`] naming the list or the triangle.
    pub fn check(&self) -> Result<(), SkinError> {
        let vertices = self.positions.len();
        let lists = [
            ("normals", self.normals.len(), true),
            ("tangents", self.tangents.len(), true),
            ("influences", self.influences.vertices(), false),
        ];
        for (what, found, is_optional) in lists {
            if found != vertices && !(is_optional && found == 0) {
                return Err(SkinError::VertexCount {
                    what,
                    found,
                    vertices,
                });
            }
        }
        for (triangle, corners) in self.triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&vertex| vertex as usize >= vertices) {
                return Err(SkinError::NoSuchVertex {
                    triangle,
                    vertex,
                    vertices,
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_made_to_add_up_and_that_is_reported() {
        let joints = vec![1, 2, 3, 0, 4, 4, 4, 4, 2, 1, 9, 0];
        let weights = vec![0.5, 0.25, 0.125, 0.1053, 0.0, 0.0, 0.0, 0.0, 0.25, 0.75, 0.0, 0.0];
        let (influences, report) = Influences::new(4, 5, joints, weights).unwrap();
        assert_eq!(
            report,
            WeightReport {
                renormalized: 1,
                unweighted: 1
            }
        );
        for vertex in 0..3 {
            let sum: f32 = influences.of(vertex).map(|(_, weight)| weight).sum();
            assert!((sum - 1.0).abs() < 1e-6, "vertex {vertex}: {sum}");
        }
        // Without weights a vertex follows its first slot; slots of weight zero need not exist.
        assert_eq!(influences.of(1).next(), Some((4, 1.0)));
        assert_eq!(influences.of(2).next(), Some((2, 0.25)));
    }

    #[test]
    fn bytes_add_up_to_255_exactly() {
        let thirds = vec![1.0 / 3.0; 6];
        let (influences, _) = Influences::new(3, 3, vec![0, 1, 2, 2, 1, 0], thirds).unwrap();
        let sum = |influences: &Influences, vertex| {
            influences
                .of(vertex)
                .map(|(_, weight)| (weight * 255.0).round())
                .sum::<f32>()
        };
        assert_eq!(
            (sum(&influences.to_bytes(), 0), sum(&influences.to_bytes(), 1)),
            (255.0, 255.0)
        );
        for weights in [
            [127, 127, 0, 0],
            [255, 255, 255, 255],
            [1, 0, 0, 0],
            [0, 0, 0, 0],
            [85, 85, 85, 0],
        ] {
            let (influences, report) = Influences::from_bytes(4, 1, vec![0; 4], weights.into()).unwrap();
            assert_eq!(sum(&influences, 0), 255.0, "{weights:?}");
            let total: u32 = weights.iter().map(|&weight| u32::from(weight)).sum();
            assert_eq!(report.is_clean(), total == 255, "{weights:?}");
        }
    }

    #[test]
    fn fewer_influences_keep_the_largest() {
        let joints = (0..8).collect();
        let weights = vec![0.05, 0.3, 0.1, 0.2, 0.05, 0.15, 0.1, 0.05];
        let (influences, _) = Influences::new(8, 8, joints, weights).unwrap();
        let four: Vec<(u16, f32)> = influences.reduced(4).unwrap().of(0).collect();
        assert_eq!(
            four.iter().map(|(slot, _)| *slot).collect::<Vec<_>>(),
            [1, 3, 5, 2]
        );
        let expected = [0.3, 0.2, 0.15, 0.1].map(|weight| weight / 0.75);
        for ((_, weight), expected) in four.iter().zip(expected) {
            assert!((weight - expected).abs() < 1e-6, "{weight}, not {expected}");
        }
    }

    #[test]
    fn bad_influences_are_named() {
        let new = |per_vertex, joints: &[u16], weights: &[f32]| {
            Influences::new(per_vertex, 2, joints.into(), weights.into())
                .map(|_| ())
                .map_err(|e| e.to_string())
        };
        assert_eq!(
            new(0, &[], &[]),
            Err("0 influences per vertex; 1 to 8 are possible".into())
        );
        assert_eq!(
            new(9, &[], &[]),
            Err("9 influences per vertex; 1 to 8 are possible".into())
        );
        assert_eq!(
            new(2, &[0, 1, 0], &[1.0; 3]),
            Err("3 slots and 3 weights for 2 influences per vertex".into())
        );
        assert_eq!(
            new(1, &[0, 2], &[1.0; 2]),
            Err("vertex 1 names slot 2, but the skin has 2".into())
        );
        for bad in [f32::NAN, f32::INFINITY, -1.0] {
            let message = "vertex 1 has a weight that is negative or not finite";
            assert_eq!(new(1, &[0, 0], &[1.0, bad]), Err(message.into()));
        }
        assert!(new(2, &[0, 1], &[f32::MAX; 2]).is_ok(), "a sum beyond f32");
    }
}
