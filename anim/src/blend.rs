//! Many poses into one, in one pass.

mod kernel;

use arrayvec::ArrayVec;
use kernel::{Additive, Average, Stack};

use crate::{
    Channels, Flags, Kernel, Layer, Mask, Pose, check,
    layer::fills_a_product,
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
/// nearer to the first contributing input's) and then normalised. Joints that no input gives a weight, or whose
/// masks leave less than 1e-15 of the weights, get `rest`'s transform ([`Flags::REST`]). An input whose weight is
/// NaN, infinite or negative is left out ([`Flags::BAD_WEIGHT`]); weights above 1e30 count as that.
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
#[track_caller]
pub fn blend(inputs: &[BlendInput<'_>], rest: &Pose, out: &mut Pose) -> Flags {
    blend_with(Kernel::Deterministic, inputs, rest, out)
}

/// As [`blend`], with a chosen arithmetic.
///
/// # Panics
/// If a pose or a mask has another number of joints than `out`.
#[track_caller]
pub fn blend_with(kernel: Kernel, inputs: &[BlendInput<'_>], rest: &Pose, out: &mut Pose) -> Flags {
    check::same_joints("rest pose", rest.len(), "pose to fill", out.len());
    let mut flags = Flags::NONE;
    for input in inputs {
        input.check("pose to fill", out.len());
        if !(0.0..=f32::MAX).contains(&input.weight) {
            flags |= Flags::BAD_WEIGHT;
        }
    }
    flags
        | match inputs {
            [a, b] if a.is_plain() && b.is_plain() => average_two(kernel, a, b, rest, out),
            _ => average(kernel, &Weights(inputs), rest, out),
        }
}

/// Adds differences (of additive clips) to `pose`, one after the other: see [`Blend::Additive`]. At weight 0 the
/// pose stays as it is, at weight 1 a rotation is `difference * pose`; other weights, also negative ones and
/// those above 1, go the corresponding way; beyond [`Layer::MAX_ADDITIVE_WEIGHT`], in either direction, they count as
/// that. An input whose weight is NaN or infinite is left out
/// ([`Flags::BAD_WEIGHT`]).
///
/// # Panics
/// If a pose or a mask has another number of joints than `pose`.
#[track_caller]
pub fn blend_additive(inputs: &[BlendInput<'_>], pose: &mut Pose) -> Flags {
    blend_additive_with(Kernel::Deterministic, inputs, pose)
}

/// As [`blend_additive`], with a chosen arithmetic.
///
/// # Panics
/// If a pose or a mask has another number of joints than `pose`.
#[track_caller]
pub fn blend_additive_with(kernel: Kernel, inputs: &[BlendInput<'_>], pose: &mut Pose) -> Flags {
    let mut flags = Flags::NONE;
    for input in inputs {
        input.check("pose to add to", pose.len());
        if !input.weight.is_finite() {
            flags |= Flags::BAD_WEIGHT;
        }
    }
    // As many at a time as their product can hold.
    let mut rest = inputs;
    while !rest.is_empty() {
        let weights = |count: usize| rest[..count].iter().map(BlendInput::additive_weight);
        let fits = (1..rest.len()).find(|&count| fills_a_product(weights(count)));
        let (first, others) = rest.split_at(fits.unwrap_or(rest.len()));
        add(kernel, &Differences(first), pose);
        rest = others;
    }
    flags
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
    /// The properties that it takes part in.
    pub(crate) channels: Channels,
}

/// The poses of a blend, wherever they are kept.
pub(crate) trait Sources {
    fn count(&self) -> usize;
    fn source(&self, index: usize) -> Source<'_>;
}

impl BlendInput<'_> {
    #[track_caller]
    fn check(&self, out: &str, joints: usize) {
        check::same_joints("pose of an input", self.pose.len(), out, joints);
        if let Some(mask) = self.mask {
            check::same_joints("mask of an input", mask.len(), out, joints);
        }
    }

    /// 0 for what is no number.
    #[inline(always)]
    fn additive_weight(&self) -> f32 {
        let most = Layer::MAX_ADDITIVE_WEIGHT;
        if self.weight.is_finite() {
            self.weight.clamp(-most, most)
        } else {
            0.0
        }
    }

    /// Whether it has a say in everything.
    fn is_plain(&self) -> bool {
        self.mask.is_none() && self.weight > 0.0 && self.weight <= MAX_WEIGHT
    }

    /// 0 for what is negative or no number.
    #[inline(always)]
    fn average_weight(&self) -> f32 {
        if self.weight.is_finite() {
            // The largest numbers could add up to infinity.
            self.weight.clamp(0.0, MAX_WEIGHT)
        } else {
            0.0
        }
    }

    #[inline(always)]
    fn source(&self, weight: f32) -> Source<'_> {
        Source {
            blocks: self.pose.blocks(),
            weight,
            mask: self.mask.map(Mask::lanes),
            share: 1.0,
            ends_layer: true,
            channels: self.mask.map_or(Channels::ALL, Mask::channels),
        }
    }
}

/// Inputs that are added.
struct Differences<'a>(&'a [BlendInput<'a>]);

impl Sources for Differences<'_> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    fn source(&self, index: usize) -> Source<'_> {
        let input = &self.0[index];
        input.source(input.additive_weight())
    }
}

/// Inputs of an average, whose weights may not be negative.
struct Weights<'a>(&'a [BlendInput<'a>]);

impl Sources for Weights<'_> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    fn source(&self, index: usize) -> Source<'_> {
        let input = &self.0[index];
        input.source(input.average_weight())
    }
}

/// Sums of 2^24 of these are finite.
const MAX_WEIGHT: f32 = 1e30;

/// The sources that have a say in one property.
struct Only<'a> {
    sources: &'a dyn Sources,
    channels: Channels,
}

impl Sources for Only<'_> {
    fn count(&self) -> usize {
        self.sources.count()
    }

    fn source(&self, index: usize) -> Source<'_> {
        let source = self.sources.source(index);
        Source {
            weight: if source.channels.meets(self.channels) {
                source.weight
            } else {
                0.0
            },
            ..source
        }
    }
}

/// Sources whose weights add up to one.
struct Scaled<'a> {
    sources: &'a dyn Sources,
    total: f32,
}

impl Sources for Scaled<'_> {
    fn count(&self) -> usize {
        self.sources.count()
    }

    fn source(&self, index: usize) -> Source<'_> {
        let source = self.sources.source(index);
        Source {
            weight: source.weight / self.total,
            ..source
        }
    }
}

/// So many sources are looked up once for all joints; more of them are looked up for each block.
const FEW: usize = 8;

impl Sources for &[Source<'_>] {
    #[inline(always)]
    fn count(&self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn source(&self, index: usize) -> Source<'_> {
        self[index]
    }
}

/// The loop over these is written out.
impl<const COUNT: usize> Sources for [Source<'_>; COUNT] {
    #[inline(always)]
    fn count(&self) -> usize {
        COUNT
    }

    #[inline(always)]
    fn source(&self, index: usize) -> Source<'_> {
        self[index]
    }
}

impl Sources for &dyn Sources {
    #[inline(always)]
    fn count(&self) -> usize {
        (**self).count()
    }

    #[inline(always)]
    fn source(&self, index: usize) -> Source<'_> {
        (**self).source(index)
    }
}

/// The sources that have a weight, if there are not too many.
type Few<'a> = ArrayVec<Source<'a>, FEW>;

/// Fills `few` with the sources that have a weight, in place: what was just written in parts would be slow to move as a
/// whole. False if they are too many.
#[inline(always)]
fn gather<'a>(sources: &'a (impl Sources + ?Sized), few: &mut Few<'a>) -> bool {
    for index in 0..sources.count() {
        let source = sources.source(index);
        if source.weight * source.share != 0.0 && few.try_push(source).is_err() {
            return false;
        }
    }
    true
}

/// What a pass goes over: the sources that have a weight, or all of them if those are too many.
enum Gathered<'f, 'a> {
    Few(&'f mut Few<'a>),
    Many(&'f dyn Sources),
}

/// Calls `pass` once for all properties, if all sources take part in all of them, otherwise for each property by itself.
#[inline(always)]
fn each_pass(sources: &impl Sources, mut pass: impl FnMut(Gathered<'_, '_>, Channels) -> Flags) -> Flags {
    let mut few = Few::new();
    let takes_all = |source: &Source<'_>| source.channels == Channels::ALL;
    if gather(sources, &mut few) && few.iter().all(takes_all) {
        return pass(Gathered::Few(&mut few), Channels::ALL);
    }
    if (0..sources.count()).all(|index| takes_all(&sources.source(index))) {
        return pass(Gathered::Many(sources), Channels::ALL);
    }
    let mut flags = Flags::NONE;
    for channels in Channels::EACH {
        let only = Only { sources, channels };
        let mut few = Few::new();
        let gathered = if gather(&only, &mut few) {
            Gathered::Few(&mut few)
        } else {
            Gathered::Many(&only)
        };
        flags |= pass(gathered, channels);
    }
    flags
}

/// The weighted average of `sources` onto `out`; joints without a weight get `rest`'s transform.
#[inline(always)]
fn average(kernel: Kernel, sources: &Weights<'_>, rest: &Pose, out: &mut Pose) -> Flags {
    each_pass(sources, |sources, written| match sources {
        Gathered::Few(few) => average_few(kernel, few, written, rest, out),
        Gathered::Many(many) => average_many(kernel, many, written, rest, out),
    })
}

/// The most usual blend by itself: no list, and the loop over the sources written out. That pays for two of them; for
/// more there are not registers enough.
#[inline(always)]
fn average_two(kernel: Kernel, a: &BlendInput<'_>, b: &BlendInput<'_>, rest: &Pose, out: &mut Pose) -> Flags {
    let total = a.weight + b.weight;
    let sources = [a.source(a.weight / total), b.source(b.weight / total)];
    dispatch(
        kernel,
        &mut Average::<_, false, false> {
            sources,
            joints: out.len(),
            rest: rest.blocks(),
            blocks: out.blocks_mut(),
            written: Channels::ALL,
        },
    )
}

#[inline(always)]
fn average_few(kernel: Kernel, few: &mut Few<'_>, written: Channels, rest: &Pose, out: &mut Pose) -> Flags {
    let (joints, rest, blocks) = (out.len(), rest.blocks(), out.blocks_mut());
    // Divided, so that a weight alone is exactly one.
    let total: f32 = few.iter().map(|source| source.weight).sum();
    let mut is_masked = false;
    for source in &mut *few {
        source.weight /= total;
        is_masked |= source.mask.is_some();
    }
    let sources = few.as_slice();
    macro_rules! pass {
        ($masked:literal, $per_lane:literal) => {
            dispatch(
                kernel,
                &mut Average::<_, $masked, $per_lane> {
                    sources,
                    joints,
                    rest,
                    blocks,
                    written,
                },
            )
        };
    }
    let Some(first) = sources.first() else {
        for (block, rest) in blocks.iter_mut().zip(rest) {
            block.copy(rest, written);
        }
        return Flags::REST;
    };
    match (is_masked, first.mask.is_some()) {
        (false, _) => pass!(false, false),
        (true, false) => pass!(true, false),
        (true, true) => pass!(true, true),
    }
}

#[cold]
fn average_many(
    kernel: Kernel,
    sources: &dyn Sources,
    written: Channels,
    rest: &Pose,
    out: &mut Pose,
) -> Flags {
    let weights = (0..sources.count()).map(|index| sources.source(index).weight);
    let scaled = Scaled {
        sources,
        total: weights.sum(),
    };
    dispatch(
        kernel,
        &mut Average::<_, true, true> {
            sources: &scaled as &dyn Sources,
            joints: out.len(),
            rest: rest.blocks(),
            blocks: out.blocks_mut(),
            written,
        },
    )
}

/// Layers one over the other: each source takes its share, the last one first, until all is taken; what is left
/// is `out`'s own.
pub(crate) fn stack(kernel: Kernel, sources: &impl Sources, out: &mut Pose) -> Flags {
    each_pass(sources, |sources, written| match sources {
        Gathered::Few(few) => stack_few(kernel, few, written, out),
        Gathered::Many(many) => stack_pass::<_, true>(kernel, many, written, out),
    })
}

#[inline(always)]
fn stack_few(kernel: Kernel, few: &[Source<'_>], written: Channels, out: &mut Pose) -> Flags {
    match few {
        [] => Flags::REST,
        sources if sources.iter().any(|source| source.mask.is_some()) => {
            stack_pass::<_, true>(kernel, sources, written, out)
        }
        sources => stack_pass::<_, false>(kernel, sources, written, out),
    }
}

#[inline(always)]
fn stack_pass<T: Sources + Copy, const MASKED: bool>(
    kernel: Kernel,
    sources: T,
    written: Channels,
    out: &mut Pose,
) -> Flags {
    dispatch(
        kernel,
        &mut Stack::<_, MASKED> {
            sources,
            joints: out.len(),
            blocks: out.blocks_mut(),
            written,
        },
    )
}

/// Adds differences to `out`.
#[inline(always)]
pub(crate) fn add(kernel: Kernel, sources: &impl Sources, out: &mut Pose) {
    let _ = each_pass(sources, |sources, written| {
        match sources {
            Gathered::Few(few) => add_pass(kernel, few.as_slice(), written, out),
            Gathered::Many(many) => add_pass(kernel, many, written, out),
        }
        Flags::NONE
    });
}

#[inline(always)]
fn add_pass(kernel: Kernel, sources: impl Sources + Copy, written: Channels, out: &mut Pose) {
    if sources.count() > 0 {
        dispatch(
            kernel,
            &mut Additive {
                sources,
                blocks: out.blocks_mut(),
                written,
            },
        );
    }
}

#[cfg(test)]
mod tests;
