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
    flags | average(kernel, &Weights(inputs), rest, out)
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
    add(kernel, &Differences(inputs), pose);
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

impl Source<'_> {
    const NONE: Self = Self {
        blocks: &[],
        weight: 0.0,
        mask: None,
        share: 0.0,
        ends_layer: false,
    };
}

/// The poses of a blend, wherever they are kept.
pub(crate) trait Sources {
    fn count(&self) -> usize;
    fn source(&self, index: usize) -> Source<'_>;
}

impl Sources for [BlendInput<'_>] {
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

/// Inputs that are added.
struct Differences<'a>(&'a [BlendInput<'a>]);

impl Sources for Differences<'_> {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn source(&self, index: usize) -> Source<'_> {
        self.0.source(index)
    }
}

/// Inputs of an average, whose weights may not be negative.
struct Weights<'a>(&'a [BlendInput<'a>]);

impl Sources for Weights<'_> {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn source(&self, index: usize) -> Source<'_> {
        let source = self.0.source(index);
        Source {
            weight: source.weight.max(0.0),
            ..source
        }
    }
}

/// So many sources are looked up once for all joints; more of them are looked up for each block.
const FEW: usize = 8;

impl Sources for [Source<'_>] {
    #[inline(always)]
    fn count(&self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn source(&self, index: usize) -> Source<'_> {
        self[index]
    }
}

/// The sources that have a weight, in `few`, if there are not too many.
fn gather<'a, 'f>(sources: &'a dyn Sources, few: &'f mut [Source<'a>; FEW]) -> Option<&'f [Source<'a>]> {
    let mut count = 0;
    for index in 0..sources.count() {
        let source = sources.source(index);
        if source.weight * source.share != 0.0 {
            *few.get_mut(count)? = source;
            count += 1;
        }
    }
    Some(&few[..count])
}

/// The weighted average of `sources` onto `out`; joints without a weight get `rest`'s transform.
fn average(kernel: Kernel, sources: &dyn Sources, rest: &Pose, out: &mut Pose) -> Flags {
    let total = (0..sources.count())
        .map(|index| sources.source(index).weight)
        .sum::<f32>();
    let mut few = [Source::NONE; FEW];
    let few = gather(sources, &mut few);
    if total <= 0.0 || few.is_some_and(<[_]>::is_empty) {
        out.copy_from(rest);
        return Flags::REST;
    }
    let (joints, rest, blocks) = (out.len(), rest.blocks(), out.blocks_mut());
    let Some(sources) = few else {
        return dispatch(
            kernel,
            Average::<_, true, true> {
                sources,
                total,
                joints,
                rest,
                blocks,
            },
        );
    };
    match (
        sources.iter().any(|source| source.mask.is_some()),
        sources[0].mask.is_some(),
    ) {
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
pub(crate) fn stack(kernel: Kernel, sources: &dyn Sources, out: &mut Pose) -> Flags {
    let mut few = [Source::NONE; FEW];
    let joints = out.len();
    let blocks = out.blocks_mut();
    match gather(sources, &mut few) {
        Some([]) => Flags::REST,
        Some(sources) if sources.iter().all(|source| source.mask.is_none()) => dispatch(
            kernel,
            Stack::<_, false> {
                sources,
                joints,
                blocks,
            },
        ),
        Some(sources) => dispatch(
            kernel,
            Stack::<_, true> {
                sources,
                joints,
                blocks,
            },
        ),
        None => dispatch(
            kernel,
            Stack::<_, true> {
                sources,
                joints,
                blocks,
            },
        ),
    }
}

/// Adds differences to `out`.
pub(crate) fn add(kernel: Kernel, sources: &dyn Sources, out: &mut Pose) {
    let mut few = [Source::NONE; FEW];
    let blocks = out.blocks_mut();
    match gather(sources, &mut few) {
        Some(sources) => dispatch(kernel, Additive { sources, blocks }),
        None => dispatch(kernel, Additive { sources, blocks }),
    }
}

#[cfg(test)]
mod tests;
