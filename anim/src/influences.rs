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

#[derive(Clone, Debug, PartialEq)]
enum Weights {
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
                    Weights::Byte(weights) => f32::from(weights[start + influence]) / 255.0,
                };
                (slot, weight)
            })
    }

    /// The weighted sum of a vertex's matrices.
    pub(crate) fn blend(&self, palette: &[[Vec4; 3]], vertex: usize) -> [Vec4; 3] {
        let mut rows = [Vec4::ZERO; 3];
        for (slot, weight) in self.of(vertex) {
            // A slot of weight zero may be out of range.
            if weight > 0.0 {
                let matrix = &palette[usize::from(slot)];
                for (row, of_slot) in rows.iter_mut().zip(matrix) {
                    *row += *of_slot * weight;
                }
            }
        }
        rows
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
fn round_to_255(ratios: &[f64], bytes: &mut [u8]) {
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
