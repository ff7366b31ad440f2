//! The loops over eight joints.

#![allow(
    clippy::needless_range_loop,
    reason = "components of several arrays in step; iterators would hide which"
)]

use super::{Source, Sources};
use crate::{
    Channels, Flags,
    lerp::{dot, normalize, quat_mul},
    pose::{Block, LANES},
    simd::{Job, Simd, load3, load4, store},
};

/// How the sources of a blend get their weights, one after the other.
trait Scheme<S: Simd> {
    /// The `step`-th of `count` sources in the order of this scheme.
    fn index(step: usize, count: usize) -> usize;
    /// Whether what the sources leave over belongs to the bottom.
    const HAS_BOTTOM: bool;

    /// Its weight in each lane of a block.
    fn weight(&mut self, simd: S, source: &Source<'_>, block: usize) -> S::F;
    /// What the sources have left over.
    fn left(&self) -> S::F;
}

/// The weight of a source in a block's lanes.
#[inline(always)]
fn lane_weights<S: Simd>(simd: S, source: &Source<'_>, weight: f32, block: usize) -> S::F {
    match source.mask {
        Some(mask) => simd.load(&mask[block]) * simd.splat(weight),
        None => simd.splat(weight),
    }
}

/// Each weight as it is; what they add up to is kept.
struct Parts<S: Simd, const MASKED: bool> {
    total: S::F,
}

impl<S: Simd, const MASKED: bool> Scheme<S> for Parts<S, MASKED> {
    const HAS_BOTTOM: bool = false;

    #[inline(always)]
    fn index(step: usize, _count: usize) -> usize {
        step
    }

    #[inline(always)]
    fn weight(&mut self, simd: S, source: &Source<'_>, block: usize) -> S::F {
        if MASKED {
            let weight = lane_weights(simd, source, source.weight, block);
            self.total = self.total + weight;
            weight
        } else {
            simd.splat(source.weight)
        }
    }

    #[inline(always)]
    fn left(&self) -> S::F {
        self.total
    }
}

/// From the last source to the first, each takes its weight of what is left.
struct Shares<S: Simd, const MASKED: bool> {
    left: S::F,
    taken: S::F,
}

impl<S: Simd, const MASKED: bool> Shares<S, MASKED> {
    #[inline(always)]
    fn new(simd: S) -> Self {
        Self {
            left: simd.splat(1.0),
            taken: simd.splat(0.0),
        }
    }
}

impl<S: Simd, const MASKED: bool> Scheme<S> for Shares<S, MASKED> {
    const HAS_BOTTOM: bool = true;

    #[inline(always)]
    fn index(step: usize, count: usize) -> usize {
        count - 1 - step
    }

    #[inline(always)]
    fn weight(&mut self, simd: S, source: &Source<'_>, block: usize) -> S::F {
        if source.ends_layer {
            let wanted = if MASKED {
                lane_weights(simd, source, source.weight, block)
            } else {
                simd.splat(source.weight)
            };
            self.taken = simd.min(wanted, self.left);
            self.left = self.left - self.taken;
        }
        self.taken * simd.splat(source.share)
    }

    #[inline(always)]
    fn left(&self) -> S::F {
        self.left
    }
}

/// How many steps a scheme takes: one for each source, and one more for what they leave over.
#[inline(always)]
fn steps<S: Simd, C: Scheme<S>>(count: usize) -> usize {
    count + usize::from(C::HAS_BOTTOM)
}

/// The block of a step and its weight in each lane; the steps are taken in order.
#[inline(always)]
fn step<'a, S: Simd, T: Sources + Copy, C: Scheme<S>>(
    simd: S,
    sources: &'a T,
    scheme: &mut C,
    step: usize,
    index: usize,
    bottom: &'a Block,
) -> (&'a Block, S::F) {
    let count = sources.count();
    if step < count {
        let source = sources.source(C::index(step, count));
        let weight = scheme.weight(simd, &source, index);
        (&source.blocks[index], weight)
    } else {
        (bottom, scheme.left())
    }
}

/// A sum of rotations whose weights add up to one, and that is no longer than the root of this, has no direction: it is
/// what rounding has left of opposite rotations (2^-24, squared 4e-15, if anything), or the rest of them times a tiny
/// weight. Its square could leave f32's range.
const MIN_SQUARE: f32 = 1e-30;

/// The weighted average of the sources' rotations, each with the sign that is nearer to the first one's; where that has no
/// direction, the first one. `PER_LANE`: the first source that has a weight is not the same for all lanes.
#[inline(always)]
fn average_rotation<S: Simd, T: Sources + Copy, C: Scheme<S>, const PER_LANE: bool>(
    simd: S,
    sources: T,
    scheme: &mut C,
    index: usize,
    bottom: &Block,
) -> [S::F; 4] {
    let (block, weight) = step(simd, &sources, scheme, 0, index, bottom);
    let mut first = load4(simd, &block.rotation);
    let mut total = weight;
    let mut sum = first.map(|component| component * weight);
    for number in 1..steps::<S, C>(sources.count()) {
        let (block, weight) = step(simd, &sources, scheme, number, index, bottom);
        let turn = load4(simd, &block.rotation);
        if PER_LANE {
            for component in 0..4 {
                first[component] = simd.where_positive(total, first[component], turn[component]);
            }
            total = total + weight;
        }
        let signed = simd.flip(weight, dot(simd, turn, first));
        for component in 0..4 {
            sum[component] = simd.mul_add(turn[component], signed, sum[component]);
        }
    }
    let square = dot(simd, sum, sum);
    let factor = simd.inverse_sqrt(square);
    let room = square - simd.splat(MIN_SQUARE);
    let mut unit = sum.map(|component| component * factor);
    if simd.sign_bits(room) != 0 {
        for component in 0..4 {
            unit[component] = simd.where_positive(room, unit[component], first[component]);
        }
    }
    unit
}

/// Weighted sums of the sources' vectors.
struct VectorSums<S: Simd> {
    translation: [S::F; 3],
    scale: [S::F; 3],
    /// The sign bit is set where some scale is negative.
    negative: S::F,
}

#[inline(always)]
fn vector_sums<S: Simd, T: Sources + Copy, C: Scheme<S>>(
    simd: S,
    sources: T,
    scheme: &mut C,
    index: usize,
    bottom: &Block,
) -> VectorSums<S> {
    let (first, weight) = step(simd, &sources, scheme, 0, index, bottom);
    let (mut translation, mut scale) = (load3(simd, &first.translation), load3(simd, &first.scale));
    let mut negative = simd.or(simd.or(scale[0], scale[1]), scale[2]);
    for component in 0..3 {
        translation[component] = translation[component] * weight;
        scale[component] = scale[component] * weight;
    }
    for number in 1..steps::<S, C>(sources.count()) {
        let (block, weight) = step(simd, &sources, scheme, number, index, bottom);
        let (more, size) = (load3(simd, &block.translation), load3(simd, &block.scale));
        for component in 0..3 {
            translation[component] = simd.mul_add(more[component], weight, translation[component]);
            scale[component] = simd.mul_add(size[component], weight, scale[component]);
            negative = simd.or(negative, size[component]);
        }
    }
    VectorSums {
        translation,
        scale,
        negative,
    }
}

/// The sign bit is set where scales of opposite signs met: where one that counts differs from the first that does.
#[inline(always)]
fn mirrored<S: Simd, T: Sources + Copy, C: Scheme<S>>(
    simd: S,
    sources: T,
    scheme: &mut C,
    index: usize,
    bottom: &Block,
) -> S::F {
    let zero = simd.splat(0.0);
    let (mut first, mut total, mut differs) = ([zero; 3], zero, zero);
    for number in 0..steps::<S, C>(sources.count()) {
        let (block, weight) = step(simd, &sources, scheme, number, index, bottom);
        let scale = load3(simd, &block.scale);
        for component in 0..3 {
            first[component] = simd.where_positive(total, first[component], scale[component]);
            let other = simd.xor(scale[component], first[component]);
            differs = simd.or(differs, simd.where_positive(weight, other, zero));
        }
        total = total + weight;
    }
    differs
}

/// `values` where `test` is positive, elsewhere those of `other`.
#[inline(always)]
fn choose<S: Simd, const N: usize>(
    simd: S,
    test: S::F,
    values: [S::F; N],
    other: &[[f32; LANES]; N],
) -> [S::F; N] {
    let mut out = values;
    for component in 0..N {
        out[component] = simd.where_positive(test, values[component], simd.load(&other[component]));
    }
    out
}

/// The lanes of a block that are joints, one bit each.
#[inline(always)]
fn used_lanes(joints: usize, block: usize) -> u8 {
    let used = joints - block * LANES;
    if used >= LANES { u8::MAX } else { (1 << used) - 1 }
}

fn flags(mirrored: u8, rest: u8) -> Flags {
    let mut flags = Flags::NONE;
    if mirrored != 0 {
        flags |= Flags::MIRRORED_SCALE;
    }
    if rest != 0 {
        flags |= Flags::REST;
    }
    flags
}

/// Weights times masks that add up to no more than this part of the weights are none: the squares of what they leave of
/// a quaternion go out of f32's range from 1e-19 on.
const MIN_TOTAL: f32 = 1e-15;

/// `MASKED`: some source has a mask. `PER_LANE`: so has the first one that counts. Without masks the weights add
/// up to one.
pub(super) struct Average<'a, T, const MASKED: bool, const PER_LANE: bool> {
    pub(super) sources: T,
    pub(super) joints: usize,
    pub(super) rest: &'a [Block],
    pub(super) blocks: &'a mut [Block],
    /// The properties to write.
    pub(super) written: Channels,
}

impl<T: Sources + Copy, const MASKED: bool, const PER_LANE: bool> Job for Average<'_, T, MASKED, PER_LANE> {
    type Output = Flags;

    #[inline(always)]
    fn run<S: Simd>(&mut self, simd: S) -> Flags {
        let (sources, joints, rest, written) = (self.sources, self.joints, self.rest, self.written);
        let blocks = &mut *self.blocks;
        let parts = || Parts::<S, MASKED> {
            total: simd.splat(0.0),
        };
        let (mut opposite, mut at_rest) = (0, 0);
        // Rotations and vectors by themselves: few registers and short waits each.
        if written.rotation {
            for ((index, block), bottom) in blocks.iter_mut().enumerate().zip(rest) {
                let mut scheme = parts();
                let mut unit =
                    average_rotation::<S, T, _, PER_LANE>(simd, sources, &mut scheme, index, bottom);
                if MASKED {
                    let counts = scheme.total - simd.splat(MIN_TOTAL);
                    let without = !simd.sign_bits(simd.splat(0.0) - counts);
                    if without != 0 {
                        at_rest |= without & used_lanes(joints, index);
                        unit = choose(simd, counts, unit, &bottom.rotation);
                    }
                }
                store(simd, unit, &mut block.rotation);
            }
        }
        if written.translation || written.scale {
            for ((index, block), bottom) in blocks.iter_mut().enumerate().zip(rest) {
                let mut scheme = parts();
                let mut sums = vector_sums(simd, sources, &mut scheme, index, bottom);
                if MASKED {
                    let inverse = simd.div(simd.splat(1.0), scheme.total);
                    for component in 0..3 {
                        sums.translation[component] = sums.translation[component] * inverse;
                        sums.scale[component] = sums.scale[component] * inverse;
                    }
                    let counts = scheme.total - simd.splat(MIN_TOTAL);
                    let without = !simd.sign_bits(simd.splat(0.0) - counts);
                    if without != 0 {
                        at_rest |= without & used_lanes(joints, index);
                        sums.translation = choose(simd, counts, sums.translation, &bottom.translation);
                        sums.scale = choose(simd, counts, sums.scale, &bottom.scale);
                    }
                }
                // Lanes behind the last joint have positive scales.
                if written.scale && simd.sign_bits(sums.negative) != 0 {
                    opposite |=
                        simd.sign_bits(mirrored::<S, T, _>(simd, sources, &mut parts(), index, bottom));
                }
                write(simd, &sums, written, block);
            }
        }
        flags(opposite, at_rest)
    }
}

pub(super) struct Stack<'a, T, const MASKED: bool> {
    pub(super) sources: T,
    pub(super) joints: usize,
    pub(super) blocks: &'a mut [Block],
    pub(super) written: Channels,
}

impl<T: Sources + Copy, const MASKED: bool> Job for Stack<'_, T, MASKED> {
    type Output = Flags;

    #[inline(always)]
    fn run<S: Simd>(&mut self, simd: S) -> Flags {
        let (sources, joints, written) = (self.sources, self.joints, self.written);
        let blocks = &mut *self.blocks;
        let (mut opposite, mut at_rest) = (0, 0);
        // Where nothing was taken, all is left.
        let untouched = |left: S::F| !simd.sign_bits(left - simd.splat(1.0));
        if written.rotation {
            for (index, block) in blocks.iter_mut().enumerate() {
                let mut scheme = Shares::<S, MASKED>::new(simd);
                let unit = average_rotation::<S, T, _, MASKED>(simd, sources, &mut scheme, index, block);
                at_rest |= used_lanes(joints, index) & untouched(scheme.left);
                store(simd, unit, &mut block.rotation);
            }
        }
        if written.translation || written.scale {
            for (index, block) in blocks.iter_mut().enumerate() {
                let mut scheme = Shares::<S, MASKED>::new(simd);
                let sums = vector_sums(simd, sources, &mut scheme, index, block);
                at_rest |= used_lanes(joints, index) & untouched(scheme.left);
                // Lanes behind the last joint have positive scales.
                if written.scale && simd.sign_bits(sums.negative) != 0 {
                    let mut scheme = Shares::<S, MASKED>::new(simd);
                    opposite |= simd.sign_bits(mirrored::<S, T, _>(simd, sources, &mut scheme, index, block));
                }
                write(simd, &sums, written, block);
            }
        }
        flags(opposite, at_rest)
    }
}

#[inline(always)]
fn write<S: Simd>(simd: S, sums: &VectorSums<S>, written: Channels, block: &mut Block) {
    if written.translation {
        store(simd, sums.translation, &mut block.translation);
    }
    if written.scale {
        store(simd, sums.scale, &mut block.scale);
    }
}

pub(super) struct Additive<'a, T> {
    pub(super) sources: T,
    pub(super) blocks: &'a mut [Block],
    pub(super) written: Channels,
}

impl<T: Sources + Copy> Job for Additive<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(&mut self, simd: S) {
        let (sources, written) = (self.sources, self.written);
        let blocks = &mut *self.blocks;
        let one = simd.splat(1.0);
        for (index, block) in blocks.iter_mut().enumerate() {
            let mut translation = load3(simd, &block.translation);
            let mut scale = load3(simd, &block.scale);
            for source in 0..sources.count() {
                let source = sources.source(source);
                let weight = source.weight * source.share;
                if weight != 0.0 {
                    let weight = lane_weights(simd, &source, weight, index);
                    let more = load3(simd, &source.blocks[index].translation);
                    let factor = load3(simd, &source.blocks[index].scale);
                    for component in 0..3 {
                        translation[component] =
                            simd.mul_add(more[component], weight, translation[component]);
                        let step = simd.mul_add(factor[component] - one, weight, one);
                        scale[component] = scale[component] * step;
                    }
                }
            }
            if written.translation {
                store(simd, translation, &mut block.translation);
            }
            if written.scale {
                store(simd, scale, &mut block.scale);
            }
        }
        if !written.rotation {
            return;
        }
        for (index, block) in blocks.iter_mut().enumerate() {
            let mut rotation = load4(simd, &block.rotation);
            let mut is_changed = false;
            for source in 0..sources.count() {
                let source = sources.source(source);
                let weight = source.weight * source.share;
                if weight != 0.0 {
                    is_changed = true;
                    let weight = lane_weights(simd, &source, weight, index);
                    let turn = load4(simd, &source.blocks[index].rotation);
                    // From the identity to `turn`, the short way; the length is made one at the end.
                    let signed = simd.flip(weight, turn[3]);
                    let real = simd.mul_add(turn[3], signed, one - weight);
                    let part = [turn[0] * signed, turn[1] * signed, turn[2] * signed, real];
                    rotation = quat_mul(simd, part, rotation);
                }
            }
            if is_changed {
                store(simd, normalize(simd, rotation), &mut block.rotation);
            }
        }
    }
}
