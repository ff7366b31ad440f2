//! The loops over eight joints.

#![allow(
    clippy::needless_range_loop,
    reason = "components of several arrays in step; iterators would hide which"
)]

use super::{Source, Sources};
use crate::{
    Flags,
    lerp::{dot, normalize, quat_mul},
    pose::{Block, LANES},
    simd::{Job, Simd},
};

/// How the sources of a blend get their weights, one after the other.
trait Scheme<S: Simd>: Copy {
    /// The `step`-th of `count` sources in the order of this scheme.
    fn index(step: usize, count: usize) -> usize;
    /// Whether what the sources leave over belongs to the bottom.
    const HAS_BOTTOM: bool;
    /// Whether a weight may be 0 in some lanes.
    const SOME_ZERO: bool;

    /// Its weight in each lane of a block.
    fn weight(&mut self, simd: S, source: &Source<'_>, block: usize) -> S::F;
    /// What the sources have left over.
    fn left(self) -> S::F;
}

/// The weight of a source in a block's lanes.
#[inline(always)]
fn lane_weights<S: Simd>(simd: S, source: &Source<'_>, weight: f32, block: usize) -> S::F {
    match source.mask {
        Some(mask) => simd.load(&mask[block]) * simd.splat(weight),
        None => simd.splat(weight),
    }
}

/// Each weight times one over their sum.
#[derive(Clone, Copy)]
struct Parts<S: Simd, const MASKED: bool> {
    inverse: S::F,
}

impl<S: Simd, const MASKED: bool> Scheme<S> for Parts<S, MASKED> {
    const HAS_BOTTOM: bool = false;
    const SOME_ZERO: bool = MASKED;

    #[inline(always)]
    fn index(step: usize, _count: usize) -> usize {
        step
    }

    #[inline(always)]
    fn weight(&mut self, simd: S, source: &Source<'_>, block: usize) -> S::F {
        let weight = if MASKED {
            lane_weights(simd, source, source.weight.max(0.0), block)
        } else {
            simd.splat(source.weight)
        };
        weight * self.inverse
    }

    #[inline(always)]
    fn left(self) -> S::F {
        self.inverse
    }
}

/// From the last source to the first, each takes its weight of what is left.
#[derive(Clone, Copy)]
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
    const SOME_ZERO: bool = true;

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
    fn left(self) -> S::F {
        self.left
    }
}

/// The weighted sum of rotations, each with the sign that is nearer to the first one's. `PER_LANE`: the first
/// source that has a weight is not the same for all lanes.
#[inline(always)]
fn rotations<S: Simd, T: Sources + ?Sized, C: Scheme<S>, const PER_LANE: bool>(
    simd: S,
    sources: &T,
    mut scheme: C,
    index: usize,
    bottom: &Block,
) -> [S::F; 4] {
    let count = sources.count();
    let source = sources.source(C::index(0, count));
    let mut total = scheme.weight(simd, &source, index);
    let mut first = load4(simd, &source.blocks[index].rotation);
    let mut sum = first;
    for component in 0..4 {
        sum[component] = first[component] * total;
    }
    // One more step for what the sources left over.
    for step in 1..count + usize::from(C::HAS_BOTTOM) {
        let (rotation, weight);
        if step < count {
            let source = sources.source(C::index(step, count));
            weight = scheme.weight(simd, &source, index);
            rotation = load4(simd, &source.blocks[index].rotation);
        } else {
            weight = scheme.left();
            rotation = load4(simd, &bottom.rotation);
        }
        if PER_LANE {
            for component in 0..4 {
                first[component] = simd.where_positive(total, first[component], rotation[component]);
            }
            total = total + weight;
        }
        let signed = simd.flip(weight, dot(simd, rotation, first));
        for component in 0..4 {
            sum[component] = simd.mul_add(rotation[component], signed, sum[component]);
        }
    }
    sum
}

/// The weighted sum of translations or (`SCALE`) scales. Sign bits in the last result tell where scales of
/// opposite signs met.
#[inline(always)]
fn vectors<S: Simd, T: Sources + ?Sized, C: Scheme<S>, const SCALE: bool, const PER_LANE: bool>(
    simd: S,
    sources: &T,
    mut scheme: C,
    index: usize,
    bottom: &Block,
) -> ([S::F; 3], S::F) {
    let zero = simd.splat(0.0);
    let count = sources.count();
    let source = sources.source(C::index(0, count));
    let mut total = scheme.weight(simd, &source, index);
    let mut first = load_vector::<S, SCALE>(simd, &source.blocks[index]);
    let (mut sum, mut mirrored) = (first, zero);
    for component in 0..3 {
        sum[component] = first[component] * total;
    }
    for step in 1..count + usize::from(C::HAS_BOTTOM) {
        let (vector, weight);
        if step < count {
            let source = sources.source(C::index(step, count));
            weight = scheme.weight(simd, &source, index);
            vector = load_vector::<S, SCALE>(simd, &source.blocks[index]);
        } else {
            weight = scheme.left();
            vector = load_vector::<S, SCALE>(simd, bottom);
        }
        for component in 0..3 {
            sum[component] = simd.mul_add(vector[component], weight, sum[component]);
        }
        if SCALE {
            if PER_LANE {
                for component in 0..3 {
                    first[component] = simd.where_positive(total, first[component], vector[component]);
                }
                total = total + weight;
            }
            let mut differs = simd.or(
                simd.or(simd.xor(vector[0], first[0]), simd.xor(vector[1], first[1])),
                simd.xor(vector[2], first[2]),
            );
            if C::SOME_ZERO {
                differs = simd.where_positive(weight, differs, zero);
            }
            mirrored = simd.or(mirrored, differs);
        }
    }
    (sum, mirrored)
}

#[inline(always)]
fn load_vector<S: Simd, const SCALE: bool>(simd: S, block: &Block) -> [S::F; 3] {
    load3(simd, if SCALE { &block.scale } else { &block.translation })
}

#[inline(always)]
fn load3<S: Simd>(simd: S, lanes: &[[f32; LANES]; 3]) -> [S::F; 3] {
    let [x, y, z] = lanes;
    [simd.load(x), simd.load(y), simd.load(z)]
}

#[inline(always)]
fn load4<S: Simd>(simd: S, lanes: &[[f32; LANES]; 4]) -> [S::F; 4] {
    let [x, y, z, w] = lanes;
    [simd.load(x), simd.load(y), simd.load(z), simd.load(w)]
}

#[inline(always)]
fn store<S: Simd, const N: usize>(simd: S, values: [S::F; N], to: &mut [[f32; LANES]; N]) {
    for component in 0..N {
        simd.store(values[component], &mut to[component]);
    }
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

/// `MASKED`: some source has a mask. `PER_LANE`: so has the first one that counts.
pub(super) struct Average<'a, T: ?Sized, const MASKED: bool, const PER_LANE: bool> {
    pub(super) sources: &'a T,
    pub(super) total: f32,
    pub(super) joints: usize,
    pub(super) rest: &'a [Block],
    pub(super) blocks: &'a mut [Block],
}

impl<T: Sources + ?Sized, const MASKED: bool, const PER_LANE: bool> Job for Average<'_, T, MASKED, PER_LANE> {
    type Output = Flags;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Flags {
        let Self {
            sources,
            total,
            joints,
            rest,
            blocks,
        } = self;
        let mut scheme = Parts::<S, MASKED> {
            inverse: simd.splat(1.0 / total),
        };
        let (mut mirrored, mut at_rest) = (0, 0);
        for ((index, block), bottom) in blocks.iter_mut().enumerate().zip(rest) {
            let used = used_lanes(joints, index);
            let mut total = simd.splat(0.0);
            if MASKED {
                for source in 0..sources.count() {
                    let source = sources.source(source);
                    if source.weight > 0.0 {
                        total = total + lane_weights(simd, &source, source.weight, index);
                    }
                }
                scheme.inverse = simd.div(simd.splat(1.0), total);
                at_rest |= used & !simd.sign_bits(simd.splat(0.0) - total);
            }
            let sum = rotations::<S, T, _, PER_LANE>(simd, sources, scheme, index, bottom);
            let mut rotation = normalize(simd, sum);
            if MASKED {
                rotation = choose(simd, total, rotation, &bottom.rotation);
            }
            store(simd, rotation, &mut block.rotation);
            let (mut sum, _) = vectors::<S, T, _, false, PER_LANE>(simd, sources, scheme, index, bottom);
            if MASKED {
                sum = choose(simd, total, sum, &bottom.translation);
            }
            store(simd, sum, &mut block.translation);
            let (mut sum, differs) = vectors::<S, T, _, true, PER_LANE>(simd, sources, scheme, index, bottom);
            if MASKED {
                sum = choose(simd, total, sum, &bottom.scale);
            }
            store(simd, sum, &mut block.scale);
            mirrored |= used & simd.sign_bits(differs);
        }
        flags(mirrored, at_rest)
    }
}

pub(super) struct Stack<'a, T: ?Sized, const MASKED: bool> {
    pub(super) sources: &'a T,
    pub(super) joints: usize,
    pub(super) blocks: &'a mut [Block],
}

impl<T: Sources + ?Sized, const MASKED: bool> Job for Stack<'_, T, MASKED> {
    type Output = Flags;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Flags {
        let Self {
            sources,
            joints,
            blocks,
        } = self;
        let (mut mirrored, mut at_rest) = (0, 0);
        for (index, block) in blocks.iter_mut().enumerate() {
            let used = used_lanes(joints, index);
            let mut scheme = Shares::<S, MASKED>::new(simd);
            for source in (0..sources.count()).rev() {
                let _ = scheme.weight(simd, &sources.source(source), index);
            }
            // Where nothing was taken, all is left.
            at_rest |= used & !simd.sign_bits(scheme.left - simd.splat(1.0));
            let scheme = Shares::<S, MASKED>::new(simd);
            let sum = rotations::<S, T, _, MASKED>(simd, sources, scheme, index, block);
            store(simd, normalize(simd, sum), &mut block.rotation);
            let (sum, _) = vectors::<S, T, _, false, MASKED>(simd, sources, scheme, index, block);
            store(simd, sum, &mut block.translation);
            let (sum, differs) = vectors::<S, T, _, true, MASKED>(simd, sources, scheme, index, block);
            store(simd, sum, &mut block.scale);
            mirrored |= used & simd.sign_bits(differs);
        }
        flags(mirrored, at_rest)
    }
}

pub(super) struct Additive<'a, T: ?Sized> {
    pub(super) sources: &'a T,
    pub(super) blocks: &'a mut [Block],
}

impl<T: Sources + ?Sized> Job for Additive<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { sources, blocks } = self;
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
            store(simd, translation, &mut block.translation);
            store(simd, scale, &mut block.scale);
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
