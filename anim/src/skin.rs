//! Vertices that follow joints.

mod kernel;

use glam::{Affine3A, Mat3A, Vec3, Vec4};
use kernel::Skin;

use crate::{
    Influences, JointId, Kernel, Skeleton, check,
    influences::Weights,
    local_to_model,
    simd::{Job, Simd, dispatch},
};

/// Which joints a mesh follows, and where each of them was when the mesh was bound.
///
/// Slot i of a palette belongs to joint `joints()[i]`; vertices name slots, not joints, so that a mesh that
/// uses 20 joints of 300 has a palette of 20.
#[derive(Clone, Debug, PartialEq)]
pub struct SkinBinding {
    joints: Vec<JointId>,
    inverse_bind: Vec<Affine3A>,
    /// `inverse_bind`, row by row.
    rows: Vec<[Vec4; 3]>,
    /// The last joint of the skeleton that a slot names.
    largest: Option<JointId>,
}

impl SkinBinding {
    /// From explicit matrices: `inverse_bind[i]` takes a vertex from bind space into the space of `joints[i]`.
    /// glTF files without matrices mean the identity: see [`with_identity`](Self::with_identity).
    ///
    /// # Errors
    /// [`SkinError::MatrixCount`] where the lengths differ, [`SkinError::MatrixNotFinite`] with the slot.
    pub fn new(joints: Vec<JointId>, inverse_bind: Vec<Affine3A>) -> Result<Self, SkinError> {
        if joints.len() != inverse_bind.len() {
            return Err(SkinError::MatrixCount {
                joints: joints.len(),
                matrices: inverse_bind.len(),
            });
        }
        if let Some(slot) = inverse_bind.iter().position(|matrix| !matrix.is_finite()) {
            return Err(SkinError::MatrixNotFinite { slot });
        }
        Ok(Self::from_matrices(joints, inverse_bind))
    }

    fn from_matrices(joints: Vec<JointId>, inverse_bind: Vec<Affine3A>) -> Self {
        let rows = |matrix: &Affine3A| {
            let Mat3A {
                x_axis: x,
                y_axis: y,
                z_axis: z,
            } = matrix.matrix3;
            [0, 1, 2].map(|axis| Vec4::new(x[axis], y[axis], z[axis], matrix.translation[axis]))
        };
        Self {
            rows: inverse_bind.iter().map(rows).collect(),
            largest: joints.iter().max().copied(),
            joints,
            inverse_bind,
        }
    }

    /// Every joint of `skeleton` in order, for a mesh modelled around the rest pose.
    ///
    /// # Errors
    /// [`SkinError::MatrixNotFinite`] where a rest transform cannot be inverted (a scale of zero).
    pub fn from_rest_pose(skeleton: &Skeleton) -> Result<Self, SkinError> {
        let mut model = vec![Affine3A::IDENTITY; skeleton.len()];
        local_to_model(skeleton, skeleton.rest_pose(), &mut model);
        Self::new(
            skeleton.joints().collect(),
            model.iter().map(Affine3A::inverse).collect(),
        )
    }

    /// For vertices that are already in their joints' spaces: every matrix the identity.
    #[must_use]
    pub fn with_identity(joints: Vec<JointId>) -> Self {
        let inverse_bind = vec![Affine3A::IDENTITY; joints.len()];
        Self::from_matrices(joints, inverse_bind)
    }

    /// Number of palette slots.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.joints.len()
    }

    /// Whether there are no slots.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// One joint per slot.
    #[must_use]
    pub fn joints(&self) -> &[JointId] {
        &self.joints
    }

    /// One matrix per slot, from bind space to the joint's space.
    #[must_use]
    pub fn inverse_bind(&self) -> &[Affine3A] {
        &self.inverse_bind
    }
}

/// Fills `palette` with one matrix per slot: `model[joint] * inverse_bind`, from bind space to model space.
///
/// Three rows of four (row-major 3x4): `row.dot(position.extend(1.0))` is one coordinate of the skinned
/// position. As bytes this is what a shader reads as three `vec4` per joint.
///
/// # Panics
/// If `palette` has another length than `binding`, or a joint of it is not in `model`.
///
/// ```
/// use elea_anim::{JointId, SkinBinding, glam::{Affine3A, Vec3, Vec4}, palette};
/// let binding = SkinBinding::with_identity(vec![JointId(0)]);
/// let model = [Affine3A::from_translation(Vec3::new(1.0, 2.0, 3.0))];
/// let mut rows = [[Vec4::ZERO; 3]];
/// palette(&model, &binding, &mut rows);
/// assert_eq!(rows[0][1], Vec4::new(0.0, 1.0, 0.0, 2.0));
/// ```
#[track_caller]
pub fn palette(model: &[Affine3A], binding: &SkinBinding, palette: &mut [[Vec4; 3]]) {
    palette_with(Kernel::Deterministic, model, binding, palette);
}

/// As [`palette`], with a chosen arithmetic.
///
/// # Panics
/// If `palette` has another length than `binding`, or a joint of it is not in `model`.
#[track_caller]
pub fn palette_with(kernel: Kernel, model: &[Affine3A], binding: &SkinBinding, palette: &mut [[Vec4; 3]]) {
    check::one_each(
        "palette entries",
        palette.len(),
        "slots of the binding",
        binding.len(),
    );
    if let Some(joint) = binding.largest {
        check::joint(joint, "list of model matrices", model.len());
    }
    dispatch(
        kernel,
        &mut Palette {
            model,
            binding,
            palette,
        },
    );
}

struct Palette<'a> {
    model: &'a [Affine3A],
    binding: &'a SkinBinding,
    palette: &'a mut [[Vec4; 3]],
}

impl Job for Palette<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(&mut self, simd: S) {
        let (model, binding, palette) = (self.model, self.binding, &mut *self.palette);
        let last = simd.load4(&[0.0, 0.0, 0.0, 1.0]);
        for ((joint, bind_rows), rows) in binding.joints.iter().zip(&binding.rows).zip(palette) {
            let [b0, b1, b2] = bind_rows;
            let (b0, b1, b2) = (
                simd.load4(b0.as_ref()),
                simd.load4(b1.as_ref()),
                simd.load4(b2.as_ref()),
            );
            let [x, y, z, t] = simd.load_affine(&model[joint.index()]);
            let (x, y, z, t) = (simd.splats4(x), simd.splats4(y), simd.splats4(z), simd.splats4(t));
            for (axis, row) in rows.iter_mut().enumerate() {
                let sum = simd.mul_add4(y[axis], b1, simd.mul4(x[axis], b0));
                let sum = simd.mul_add4(t[axis], last, simd.mul_add4(z[axis], b2, sum));
                simd.store4(sum, row.as_mut());
            }
        }
    }
}

/// What [`skin`] reads: a mesh in bind space.
#[derive(Clone, Copy, Debug)]
pub struct SkinInput<'a> {
    /// One per vertex.
    pub positions: &'a [Vec3],
    /// One per vertex, or none at all.
    pub normals: &'a [Vec3],
    /// One per vertex, or none at all; `w` is the bitangent's sign and stays as it is.
    pub tangents: &'a [Vec4],
    /// Which slots move each vertex.
    pub influences: &'a Influences,
}

/// Where [`skin`] writes: the caller's buffers, as long as the input's.
#[derive(Debug)]
pub struct SkinOutput<'a> {
    /// Model space.
    pub positions: &'a mut [Vec3],
    /// Model space, length one.
    pub normals: &'a mut [Vec3],
    /// Model space, length one.
    pub tangents: &'a mut [Vec4],
}

/// Linear blend skinning: each vertex is moved by the weighted sum of its slots' matrices.
///
/// Normals go by the cofactor matrix of the sum, which is right under any scale and shear and needs no inverse,
/// and are renormalised; where the sum flattens everything (all cofactors zero) the input normal is kept.
/// Tangents go by the sum itself, renormalised, likewise.
///
/// # Panics
/// If a buffer is not as long as the input's, or `palette` is shorter than
/// [`Influences::slots`](Influences::slots).
///
/// ```
/// use elea_anim::{Influences, SkinInput, SkinOutput, glam::{Vec3, Vec4}, skin};
/// let (influences, _) = Influences::new(1, 1, vec![0], vec![1.0])?;
/// let palette = [[Vec4::new(2.0, 0.0, 0.0, 5.0), Vec4::Y, Vec4::Z]];
/// let (mut positions, mut normals) = ([Vec3::ZERO], [Vec3::ZERO]);
/// let slope = Vec3::new(1.0, 1.0, 0.0).normalize();
/// skin(
///     &palette,
///     SkinInput { positions: &[Vec3::X], normals: &[slope], tangents: &[], influences: &influences },
///     SkinOutput { positions: &mut positions, normals: &mut normals, tangents: &mut [] },
/// );
/// assert_eq!(positions[0], Vec3::new(7.0, 0.0, 0.0));
/// // Stretched along x, the slope gets flatter: its normal turns away from x.
/// assert!(normals[0].distance(Vec3::new(1.0, 2.0, 0.0).normalize()) < 1e-6);
/// # Ok::<(), elea_anim::SkinError>(())
/// ```
#[track_caller]
pub fn skin(palette: &[[Vec4; 3]], input: SkinInput<'_>, output: SkinOutput<'_>) {
    skin_with(Kernel::Deterministic, palette, input, output);
}

/// As [`skin`], with a chosen arithmetic.
///
/// # Panics
/// As [`skin`].
#[track_caller]
pub fn skin_with(kernel: Kernel, palette: &[[Vec4; 3]], input: SkinInput<'_>, output: SkinOutput<'_>) {
    check_lengths(palette.len(), &input, &output);
    let influences = input.influences;
    match (influences.per_vertex(), influences.weights()) {
        (0..=4, Weights::Float(weights)) => dispatch(
            kernel,
            &mut Skin::<4, _> {
                palette,
                input,
                output,
                weights,
            },
        ),
        (0..=4, Weights::Byte(weights)) => dispatch(
            kernel,
            &mut Skin::<4, _> {
                palette,
                input,
                output,
                weights,
            },
        ),
        (_, Weights::Float(weights)) => dispatch(
            kernel,
            &mut Skin::<8, _> {
                palette,
                input,
                output,
                weights,
            },
        ),
        (_, Weights::Byte(weights)) => dispatch(
            kernel,
            &mut Skin::<8, _> {
                palette,
                input,
                output,
                weights,
            },
        ),
    }
}

/// Panics where a list has not the length that it must have.
#[track_caller]
pub(crate) fn check_lengths(slots: usize, input: &SkinInput<'_>, output: &SkinOutput<'_>) {
    let SkinInput {
        positions,
        normals,
        tangents,
        influences,
    } = *input;
    let vertices = positions.len();
    check::one_each(
        "vertices with influences",
        influences.vertices(),
        "positions",
        vertices,
    );
    let needed = influences.slots();
    assert!(
        slots >= needed,
        "the palette has {slots} slots, the influences need {needed}"
    );
    check::one_each("output positions", output.positions.len(), "positions", vertices);
    if !normals.is_empty() {
        check::one_each("normals", normals.len(), "positions", vertices);
    }
    if !tangents.is_empty() {
        check::one_each("tangents", tangents.len(), "positions", vertices);
    }
    check::one_each("output normals", output.normals.len(), "normals", normals.len());
    check::one_each(
        "output tangents",
        output.tangents.len(),
        "tangents",
        tangents.len(),
    );
}

/// `vector` with length one, or `fallback` where it has no direction.
///
/// Divided by its largest component first: the cofactors of a matrix with small entries are smaller than f32's
/// squares can hold.
pub(crate) fn unit_or(vector: Vec3, fallback: Vec3) -> Vec3 {
    let largest = vector.abs().max_element();
    if largest > 0.0 && largest.is_finite() {
        (vector / largest).normalize()
    } else {
        fallback
    }
}

/// What is wrong with a skin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SkinError {
    /// Joints and inverse bind matrices differ in number.
    #[error("{joints} joints, but {matrices} inverse bind matrices")]
    MatrixCount {
        /// Number of joints.
        joints: usize,
        /// Number of matrices.
        matrices: usize,
    },
    /// A matrix has a NaN or an infinity.
    #[error("inverse bind matrix of slot {slot} is not finite")]
    MatrixNotFinite {
        /// Index of the matrix.
        slot: usize,
    },
    /// A vertex can have 1 to 8 influences.
    #[error("{per_vertex} influences per vertex; 1 to 8 are possible")]
    PerVertex {
        /// As given.
        per_vertex: usize,
    },
    /// Slots and weights differ in number, or are not a whole number of vertices.
    #[error("{slots} slots and {weights} weights for {per_vertex} influences per vertex")]
    InfluenceCount {
        /// Number of slots.
        slots: usize,
        /// Number of weights.
        weights: usize,
        /// Influences per vertex.
        per_vertex: usize,
    },
    /// A vertex names a slot that the skin lacks.
    #[error("vertex {vertex} names slot {slot}, but the skin has {slots}")]
    NoSuchSlot {
        /// Index of the vertex.
        vertex: usize,
        /// As given.
        slot: u16,
        /// Slots of the skin.
        slots: usize,
    },
    /// A weight is NaN, infinite or negative.
    #[error("vertex {vertex} has a weight that is negative or not finite")]
    BadWeight {
        /// Index of the vertex.
        vertex: usize,
    },
    /// A mesh's lists differ in length.
    #[error("{what}: {found}, but the mesh has {vertices} vertices")]
    VertexCount {
        /// The list.
        what: &'static str,
        /// Its length.
        found: usize,
        /// Number of positions.
        vertices: usize,
    },
    /// A triangle names a vertex that the mesh lacks.
    #[error("triangle {triangle} names vertex {vertex}, but the mesh has {vertices}")]
    NoSuchVertex {
        /// Index of the triangle.
        triangle: usize,
        /// As given.
        vertex: u32,
        /// Number of positions.
        vertices: usize,
    },
}

#[cfg(test)]
mod tests;
