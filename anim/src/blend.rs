//! Many poses into one, in one pass.

mod kernel;

use kernel::{Additive, Average, Stack};

use crate::{
    Flags, Kernel, Mask, Pose,
    pose::{Block, LANES},
    simd::dispatch,
};

/// How a layer meets what is below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Blend {
    /// It takes its weight's share of each joint from the layers below.
    #[default]
    Replace,
    /// It adds to what is below: translations are added, rotations multiplied in the parent's space
    /// (`difference * below`), scales multiplied; each by the layer's weight.
    Additive,
}

/// A pose with its say in a blend.
#[derive(Clone, Copy, Debug)]
pub struct BlendInput<'a> {
    /// What is blended.
    pub pose: &'a Pose,
    /// Relative to the other inputs'; 0 or more.
    pub weight: f32,
    /// Multiplies `weight`, joint by joint.
    pub mask: Option<&'a Mask>,
}

/// Fills `out` with the weighted average of `inputs`, whose weights need not add up to one.
///
/// Translations and scales are averaged by component, rotations as quaternions (each with the sign that is
/// nearer to the first contributing input's) and then normalised. Joints that no input gives a weight get
/// `rest`'s transform ([`Flags::REST`]). An input whose weight is NaN, infinite or negative is left out
/// ([`Flags::BAD_WEIGHT`]).
///
/// # Panics
/// If a pose or a mask has another number of joints than `out`.
///
/// ```
/// use elea_anim::{BlendInput, JointId, Pose, Transform, blend, glam::Vec3};
/// let rest = Pose::identity(1);
/// let (mut a, mut b, mut out) = (rest.clone(), rest.clone(), rest.clone());
/// a.set(JointId(0), Transform::from_translation(Vec3::X));
/// b.set(JointId(0), Transform::from_translation(Vec3::Y));
/// let input = |pose, weight| BlendInput { pose, weight, mask: None };
/// let _ = blend(&[input(&a, 1.0), input(&b, 3.0)], &rest, &mut out);
/// assert_eq!(out.get(JointId(0)).translation, Vec3::new(0.25, 0.75, 0.0));
/// ```
pub fn blend(inputs: &[BlendInput<'_>], rest: &Pose, out: &mut Pose) -> Flags {
    blend_with(Kernel::Deterministic, inputs, rest, out)
}

/// As [`blend`], with a chosen arithmetic.
///
/// # Panics
/// If a pose or a mask has another number of joints than `out`.
pub fn blend_with(kernel: Kernel, inputs: &[BlendInput<'_>], rest: &Pose, out: &mut Pose) -> Flags {
    assert_eq!(rest.len(), out.len(), "rest pose of another skeleton");
    let mut flags = Flags::NONE;
    for input in inputs {
        input.check(out.len());
        if !(input.weight.is_finite() && input.weight >= 0.0) {
            flags |= Flags::BAD_WEIGHT;
        }
    }
    flags | average(kernel, &inputs, rest, out)
}

/// Adds differences (of additive clips) to `pose`, one after the other: see [`Blend::Additive`]. At weight 0 the
/// pose stays as it is, at weight 1 a rotation is `difference * pose`; other weights, also negative ones and
/// those above 1, go the corresponding way. An input whose weight is NaN or infinite is left out
/// ([`Flags::BAD_WEIGHT`]).
///
/// # Panics
/// If a pose or a mask has another number of joints than `pose`.
pub fn blend_additive(inputs: &[BlendInput<'_>], pose: &mut Pose) -> Flags {
    blend_additive_with(Kernel::Deterministic, inputs, pose)
}

/// As [`blend_additive`], with a chosen arithmetic.
///
/// # Panics
/// If a pose or a mask has another number of joints than `pose`.
pub fn blend_additive_with(kernel: Kernel, inputs: &[BlendInput<'_>], pose: &mut Pose) -> Flags {
    let mut flags = Flags::NONE;
    for input in inputs {
        input.check(pose.len());
        if !input.weight.is_finite() {
            flags |= Flags::BAD_WEIGHT;
        }
    }
    add(kernel, &inputs, pose);
    flags
}

impl BlendInput<'_> {
    fn check(&self, joints: usize) {
        assert_eq!(self.pose.len(), joints, "pose of another skeleton");
        if let Some(mask) = self.mask {
            assert_eq!(mask.len(), joints, "mask of another skeleton");
        }
    }
}

/// One pose of a blend as the kernels see it.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) blocks: &'a [Block],
    /// Finite; 0 leaves the source out.
    pub(crate) weight: f32,
    pub(crate) mask: Option<&'a [[f32; LANES]]>,
    /// Of `weight`, for sources that share one layer; sources of a layer follow each other.
    pub(crate) share: f32,
    /// Whether the next source (in order of the list) belongs to another layer, or there is none.
    pub(crate) ends_layer: bool,
}

/// The poses of a blend, wherever they are kept.
pub(crate) trait Sources {
    fn count(&self) -> usize;
    fn source(&self, index: usize) -> Source<'_>;
}

impl Sources for &[BlendInput<'_>] {
    #[inline(always)]
    fn count(&self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn source(&self, index: usize) -> Source<'_> {
        let input = &self[index];
        Source {
            blocks: input.pose.blocks(),
            weight: if input.weight.is_finite() {
                input.weight
            } else {
                0.0
            },
            mask: input.mask.map(Mask::lanes),
            share: 1.0,
            ends_layer: true,
        }
    }
}

/// The weighted average of `sources` onto `out`; joints without a weight get `rest`'s transform.
fn average<T: Sources>(kernel: Kernel, sources: &T, rest: &Pose, out: &mut Pose) -> Flags {
    let mut total = 0.0;
    let (mut masked, mut first_is_masked) = (false, None);
    for index in 0..sources.count() {
        let source = sources.source(index);
        if source.weight > 0.0 {
            total += source.weight;
            masked |= source.mask.is_some();
            first_is_masked = first_is_masked.or(Some(source.mask.is_some()));
        }
    }
    let Some(first_is_masked) = first_is_masked else {
        out.copy_from(rest);
        return Flags::REST;
    };
    let (joints, rest, blocks) = (out.len(), rest.blocks(), out.blocks_mut());
    match (masked, first_is_masked) {
        (false, _) => dispatch(
            kernel,
            Average::<_, false, false> {
                sources,
                total,
                joints,
                rest,
                blocks,
            },
        ),
        (true, false) => dispatch(
            kernel,
            Average::<_, true, false> {
                sources,
                total,
                joints,
                rest,
                blocks,
            },
        ),
        (true, true) => dispatch(
            kernel,
            Average::<_, true, true> {
                sources,
                total,
                joints,
                rest,
                blocks,
            },
        ),
    }
}

/// Layers one over the other: each source takes its share, the last one first, until all is taken; what is left
/// is `out`'s own.
pub(crate) fn stack<T: Sources>(kernel: Kernel, sources: &T, masked: bool, out: &mut Pose) -> Flags {
    let joints = out.len();
    let blocks = out.blocks_mut();
    if masked {
        dispatch(
            kernel,
            Stack::<_, true> {
                sources,
                joints,
                blocks,
            },
        )
    } else {
        dispatch(
            kernel,
            Stack::<_, false> {
                sources,
                joints,
                blocks,
            },
        )
    }
}

/// Adds differences to `out`.
pub(crate) fn add<T: Sources>(kernel: Kernel, sources: &T, out: &mut Pose) {
    dispatch(
        kernel,
        Additive {
            sources,
            blocks: out.blocks_mut(),
        },
    );
}

#[cfg(test)]
mod tests;
