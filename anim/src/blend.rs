//! Many poses into one, in one pass.

#![allow(
    clippy::needless_range_loop,
    reason = "components of several arrays in step; iterators would hide which"
)]

use crate::{
    Flags, Kernel, Mask, Pose,
    lerp::{dot, normalize, quat_mul},
    pose::{Block, LANES},
    simd::{Job, Simd, dispatch},
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
    out.copy_from(rest);
    let mut flags = Flags::NONE;
    for input in inputs {
        input.check(out.len());
        if !(input.weight.is_finite() && input.weight >= 0.0) {
            flags |= Flags::BAD_WEIGHT;
        }
    }
    let masked = inputs.iter().any(|input| input.mask.is_some());
    flags | average(kernel, &inputs, masked, out)
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

/// The weighted average of `sources` onto `out`, which holds what joints without a weight keep.
fn average<T: Sources>(kernel: Kernel, sources: &T, masked: bool, out: &mut Pose) -> Flags {
    let joints = out.len();
    let blocks = out.blocks_mut();
    if masked {
        dispatch(
            kernel,
            Average::<_, true> {
                sources,
                joints,
                blocks,
            },
        )
    } else {
        dispatch(
            kernel,
            Average::<_, false> {
                sources,
                joints,
                blocks,
            },
        )
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

/// A weighted sum of transforms.
struct Sum<S: Simd> {
    /// The rotation of the first contributing source: the sign that the others take.
    first: [S::F; 4],
    first_scale: [S::F; 3],
    total: S::F,
    translation: [S::F; 3],
    rotation: [S::F; 4],
    scale: [S::F; 3],
    /// Sign bits where scales of opposite signs met.
    mirrored: S::F,
}

impl<S: Simd> Sum<S> {
    #[inline(always)]
    fn new(simd: S) -> Self {
        let zero = simd.splat(0.0);
        Self {
            first: [zero; 4],
            first_scale: [zero; 3],
            total: zero,
            translation: [zero; 3],
            rotation: [zero; 4],
            scale: [zero; 3],
            mirrored: zero,
        }
    }

    /// The first source of an unmasked blend.
    #[inline(always)]
    fn start(&mut self, simd: S, block: &Block, weight: S::F) {
        let (translation, rotation, scale) = load(simd, block);
        self.first = rotation;
        self.first_scale = scale;
        self.total = weight;
        self.translation = translation.map(|component| component * weight);
        self.rotation = rotation.map(|component| component * weight);
        self.scale = scale.map(|component| component * weight);
    }

    /// Another one. `MASKED`: its weight may be 0 in some lanes, and some lanes may still wait for their first.
    #[inline(always)]
    fn add<const MASKED: bool>(&mut self, simd: S, block: &Block, weight: S::F) {
        let (translation, rotation, scale) = load(simd, block);
        if MASKED {
            for component in 0..4 {
                self.first[component] =
                    simd.where_positive(self.total, self.first[component], rotation[component]);
            }
            for component in 0..3 {
                self.first_scale[component] =
                    simd.where_positive(self.total, self.first_scale[component], scale[component]);
            }
        }
        let mut differs = simd.xor(scale[0], self.first_scale[0]);
        differs = simd.or(differs, simd.xor(scale[1], self.first_scale[1]));
        differs = simd.or(differs, simd.xor(scale[2], self.first_scale[2]));
        if MASKED {
            differs = simd.where_positive(weight, differs, simd.splat(0.0));
        }
        self.mirrored = simd.or(self.mirrored, differs);
        self.total = self.total + weight;
        for component in 0..3 {
            self.translation[component] =
                simd.mul_add(translation[component], weight, self.translation[component]);
            self.scale[component] = simd.mul_add(scale[component], weight, self.scale[component]);
        }
        let signed = simd.flip(weight, dot(simd, rotation, self.first));
        for component in 0..4 {
            self.rotation[component] = simd.mul_add(rotation[component], signed, self.rotation[component]);
        }
    }

    /// Writes the sum where `total` is positive.
    #[inline(always)]
    fn store<const MASKED: bool>(self, simd: S, block: &mut Block) {
        let rotation = normalize(simd, self.rotation);
        put::<S, MASKED, 3>(simd, self.total, self.translation, &mut block.translation);
        put::<S, MASKED, 4>(simd, self.total, rotation, &mut block.rotation);
        put::<S, MASKED, 3>(simd, self.total, self.scale, &mut block.scale);
    }
}

/// Stores `values`; with `MASKED` only where `total` is positive.
#[inline(always)]
fn put<S: Simd, const MASKED: bool, const N: usize>(
    simd: S,
    total: S::F,
    values: [S::F; N],
    to: &mut [[f32; LANES]; N],
) {
    for component in 0..N {
        let mut value = values[component];
        if MASKED {
            value = simd.where_positive(total, value, simd.load(&to[component]));
        }
        simd.store(value, &mut to[component]);
    }
}

/// Translation, rotation and scale.
type Parts<S> = ([<S as Simd>::F; 3], [<S as Simd>::F; 4], [<S as Simd>::F; 3]);

#[inline(always)]
fn load<S: Simd>(simd: S, block: &Block) -> Parts<S> {
    let [tx, ty, tz] = &block.translation;
    let [rx, ry, rz, rw] = &block.rotation;
    let [sx, sy, sz] = &block.scale;
    (
        [simd.load(tx), simd.load(ty), simd.load(tz)],
        [simd.load(rx), simd.load(ry), simd.load(rz), simd.load(rw)],
        [simd.load(sx), simd.load(sy), simd.load(sz)],
    )
}

/// The weight of a source in a block's lanes.
#[inline(always)]
fn lane_weights<S: Simd>(simd: S, source: &Source<'_>, weight: f32, block: usize) -> S::F {
    match source.mask {
        Some(mask) => simd.load(&mask[block]) * simd.splat(weight),
        None => simd.splat(weight),
    }
}

/// The lanes of a block that are joints, one bit each.
#[inline(always)]
fn used_lanes(joints: usize, block: usize) -> u8 {
    let used = joints - block * LANES;
    if used >= LANES { u8::MAX } else { (1 << used) - 1 }
}

struct Average<'a, T, const MASKED: bool> {
    sources: &'a T,
    joints: usize,
    blocks: &'a mut [Block],
}

impl<T: Sources, const MASKED: bool> Job for Average<'_, T, MASKED> {
    type Output = Flags;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Flags {
        let Self {
            sources,
            joints,
            blocks,
        } = self;
        let mut total = 0.0;
        for index in 0..sources.count() {
            total += sources.source(index).weight.max(0.0);
        }
        if !MASKED && total <= 0.0 {
            return Flags::REST;
        }
        let inverse = 1.0 / total;
        let (mut mirrored, mut rest) = (0, 0);
        for (index, block) in blocks.iter_mut().enumerate() {
            let mut sum = Sum::new(simd);
            let used = used_lanes(joints, index);
            if MASKED {
                // Per-joint totals: the sum is divided at the end.
                for source in 0..sources.count() {
                    let source = sources.source(source);
                    if source.weight > 0.0 {
                        let weight = lane_weights(simd, &source, source.weight, index);
                        sum.add::<true>(simd, &source.blocks[index], weight);
                    }
                }
                let root = simd.inverse_sqrt(sum.total);
                let inverse = root * root;
                sum.translation = sum.translation.map(|component| component * inverse);
                sum.scale = sum.scale.map(|component| component * inverse);
                rest |= used & !simd.sign_bits(simd.splat(0.0) - sum.total);
            } else {
                let mut is_first = true;
                for source in 0..sources.count() {
                    let source = sources.source(source);
                    if source.weight > 0.0 {
                        let weight = simd.splat(source.weight * inverse);
                        if is_first {
                            sum.start(simd, &source.blocks[index], weight);
                            is_first = false;
                        } else {
                            sum.add::<false>(simd, &source.blocks[index], weight);
                        }
                    }
                }
            }
            mirrored |= used & simd.sign_bits(sum.mirrored);
            sum.store::<MASKED>(simd, block);
        }
        flags(mirrored, rest)
    }
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

struct Stack<'a, T, const MASKED: bool> {
    sources: &'a T,
    joints: usize,
    blocks: &'a mut [Block],
}

impl<T: Sources, const MASKED: bool> Job for Stack<'_, T, MASKED> {
    type Output = Flags;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Flags {
        let Self {
            sources,
            joints,
            blocks,
        } = self;
        let (mut mirrored, mut rest) = (0, 0);
        for (index, block) in blocks.iter_mut().enumerate() {
            let used = used_lanes(joints, index);
            let mut sum = Sum::new(simd);
            if MASKED {
                let mut left = simd.splat(1.0);
                let mut taken = simd.splat(0.0);
                for source in (0..sources.count()).rev() {
                    let source = sources.source(source);
                    if source.ends_layer {
                        taken = simd.min(lane_weights(simd, &source, source.weight, index), left);
                        left = left - taken;
                    }
                    let weight = taken * simd.splat(source.share);
                    sum.add::<true>(simd, &source.blocks[index], weight);
                }
                rest |= used & !simd.sign_bits(simd.splat(0.0) - sum.total);
                sum.add::<true>(simd, block, left);
            } else {
                let (mut left, mut taken, mut is_first) = (1.0_f32, 0.0, true);
                for source in (0..sources.count()).rev() {
                    let source = sources.source(source);
                    if source.ends_layer {
                        taken = source.weight.min(left);
                        left -= taken;
                    }
                    let weight = taken * source.share;
                    if weight > 0.0 {
                        if is_first {
                            sum.start(simd, &source.blocks[index], simd.splat(weight));
                            is_first = false;
                        } else {
                            sum.add::<false>(simd, &source.blocks[index], simd.splat(weight));
                        }
                    }
                }
                if is_first {
                    return Flags::REST;
                }
                if left > 0.0 {
                    sum.add::<false>(simd, block, simd.splat(left));
                }
            }
            mirrored |= used & simd.sign_bits(sum.mirrored);
            sum.store::<MASKED>(simd, block);
        }
        flags(mirrored, rest)
    }
}

struct Additive<'a, T> {
    sources: &'a T,
    blocks: &'a mut [Block],
}

impl<T: Sources> Job for Additive<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let one = simd.splat(1.0);
        for (index, block) in self.blocks.iter_mut().enumerate() {
            let (mut translation, mut rotation, mut scale) = load(simd, block);
            let mut changed = false;
            for source in 0..self.sources.count() {
                let source = self.sources.source(source);
                let weight = source.weight * source.share;
                if weight == 0.0 {
                    continue;
                }
                changed = true;
                let weight = lane_weights(simd, &source, weight, index);
                let (more, turn, factor) = load(simd, &source.blocks[index]);
                for component in 0..3 {
                    translation[component] = simd.mul_add(more[component], weight, translation[component]);
                    let step = simd.mul_add(factor[component] - one, weight, one);
                    scale[component] = scale[component] * step;
                }
                // From the identity to `turn`, the short way; the length is made one at the end.
                let signed = simd.flip(weight, turn[3]);
                let real = simd.mul_add(turn[3], signed, one - weight);
                let part = [turn[0] * signed, turn[1] * signed, turn[2] * signed, real];
                rotation = quat_mul(simd, part, rotation);
            }
            if changed {
                let rotation = normalize(simd, rotation);
                for component in 0..3 {
                    simd.store(translation[component], &mut block.translation[component]);
                    simd.store(scale[component], &mut block.scale[component]);
                }
                for component in 0..4 {
                    simd.store(rotation[component], &mut block.rotation[component]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::{JointId, rigs::Random};

    fn blend_two(a: Quat, b: Quat, weights: [f32; 2]) -> Quat {
        let pose = |rotation| {
            [crate::Transform::from_rotation(rotation)]
                .into_iter()
                .collect::<Pose>()
        };
        let (a, b, mut out) = (pose(a), pose(b), Pose::identity(1));
        let input = |pose, weight| BlendInput {
            pose,
            weight,
            mask: None,
        };
        let _ = blend(
            &[input(&a, weights[0]), input(&b, weights[1])],
            &Pose::identity(1),
            &mut out,
        );
        out.get(JointId(0)).rotation
    }

    #[test]
    fn two_rotations_meet_on_the_short_way_whatever_their_signs() {
        // Blending took 270 degrees instead of 90 for these (godotengine/godot#81755).
        let a = Quat::from_xyzw(-0.062, 0.997, -0.003, 0.052).normalize();
        let b = Quat::from_xyzw(0.046, -0.742, -0.042, 0.668).normalize();
        let expected = a.as_dquat().slerp(-b.as_dquat(), 0.5);
        for (a, b) in [(a, b), (-a, b), (a, -b), (-a, -b)] {
            let found = blend_two(a, b, [0.5; 2]).as_dquat();
            let chord = (found - expected).length().min((found + expected).length());
            assert!(chord < 2e-7, "{found} is {chord} from {expected}");
            assert!((found.length() - 1.0).abs() < 2e-7, "{} long", found.length());
        }
    }

    #[test]
    fn every_instruction_set_gives_the_same_bits() {
        let mut random = Random(7);
        for joints in [1, 8, 9, 37, 64] {
            let skeleton = random.skeleton(joints);
            let poses: Vec<Pose> = (0..5).map(|_| random.pose(joints)).collect();
            let masks: Vec<Option<Mask>> = (0..5)
                .map(|_| (random.below(2) == 0).then(|| random.mask(&skeleton)))
                .collect();
            let weights: Vec<f32> = (0..5).map(|_| random.unit()).collect();
            let inputs: Vec<BlendInput<'_>> = (0..5)
                .map(|i| BlendInput {
                    pose: &poses[i],
                    weight: weights[i],
                    mask: masks[i].as_ref(),
                })
                .collect();
            let plain: Vec<BlendInput<'_>> = inputs
                .iter()
                .map(|input| BlendInput { mask: None, ..*input })
                .collect();
            crate::simd::tests::same_on_every_set(|| {
                let mut out = Pose::identity(joints);
                let mut results = Vec::new();
                for inputs in [&inputs, &plain] {
                    results.push((blend(inputs, skeleton.rest_pose(), &mut out), out.clone()));
                    results.push((blend_additive(inputs, &mut out), out.clone()));
                    results.push((
                        stack(Kernel::Deterministic, &inputs.as_slice(), true, &mut out),
                        out.clone(),
                    ));
                    results.push((
                        stack(Kernel::Deterministic, &inputs.as_slice(), false, &mut out),
                        out.clone(),
                    ));
                }
                results
            });
        }
    }

    /// The weighted average of one joint in f64.
    fn average_f64(inputs: &[(crate::Transform, f64)]) -> (glam::DVec3, glam::DQuat, glam::DVec3) {
        let total: f64 = inputs.iter().map(|(_, weight)| weight).sum();
        let first = inputs
            .iter()
            .find(|(_, weight)| *weight > 0.0)
            .unwrap()
            .0
            .rotation
            .as_dquat();
        let (mut t, mut s, mut r) = (glam::DVec3::ZERO, glam::DVec3::ZERO, glam::DVec4::ZERO);
        for (transform, weight) in inputs {
            let q = transform.rotation.as_dquat();
            let sign = if q.dot(first) < 0.0 { -1.0 } else { 1.0 };
            t += transform.translation.as_dvec3() * (weight / total);
            s += transform.scale.as_dvec3() * (weight / total);
            r += glam::DVec4::from(q) * (sign * weight / total);
        }
        (t, glam::DQuat::from_vec4(r.normalize()), s)
    }

    #[test]
    fn averages_are_those_of_f64_with_and_without_masks() {
        let mut random = Random(11);
        let joints = 29;
        let skeleton = random.skeleton(joints);
        for masked in [false, true] {
            for kernel in [Kernel::Deterministic, Kernel::Fast] {
                let poses: Vec<Pose> = (0..4).map(|_| random.pose(joints)).collect();
                let masks: Vec<Mask> = (0..4).map(|_| random.mask(&skeleton)).collect();
                let weights: Vec<f32> = (0..4).map(|_| random.unit() + 0.1).collect();
                let inputs: Vec<BlendInput<'_>> = (0..4)
                    .map(|i| BlendInput {
                        pose: &poses[i],
                        weight: weights[i],
                        mask: masked.then_some(&masks[i]),
                    })
                    .collect();
                let mut out = Pose::identity(joints);
                let _ = blend_with(kernel, &inputs, skeleton.rest_pose(), &mut out);
                for joint in skeleton.joints() {
                    let mask = |i: usize| if masked { masks[i].get(joint) } else { 1.0 };
                    let of_joint: Vec<_> = (0..4)
                        .map(|i| (poses[i].get(joint), f64::from(weights[i] * mask(i))))
                        .collect();
                    let found = out.get(joint);
                    if of_joint.iter().all(|(_, weight)| *weight == 0.0) {
                        assert_eq!(found, skeleton.rest_pose().get(joint), "no weight: the rest pose");
                        continue;
                    }
                    let (t, r, s) = average_f64(&of_joint);
                    assert!(
                        (found.translation.as_dvec3() - t).length() < 1e-6,
                        "{found:?}: {t}"
                    );
                    assert!((found.scale.as_dvec3() - s).length() < 1e-6, "{found:?}: {s}");
                    let chord = (found.rotation.as_dquat() - r)
                        .length()
                        .min((found.rotation.as_dquat() + r).length());
                    assert!(chord < 2e-5, "{found:?}: {r}");
                }
            }
        }
    }

    #[test]
    fn additive_starts_at_the_base_and_ends_at_the_difference_times_the_base() {
        // Blending additive rotations from the wrong end changed the base at weight 0 (bevyengine/bevy#13832).
        let base = Quat::from_rotation_x(1.0);
        let turn = Quat::from_rotation_y(0.7);
        let difference = crate::Transform {
            translation: Vec3::X,
            rotation: -turn,
            scale: Vec3::splat(2.0),
        };
        let below = crate::Transform {
            translation: Vec3::Y,
            rotation: base,
            scale: Vec3::splat(3.0),
        };
        let pose: Pose = [difference].into_iter().collect();
        let add = |weight| {
            let mut out: Pose = [below].into_iter().collect();
            let _ = blend_additive(
                &[BlendInput {
                    pose: &pose,
                    weight,
                    mask: None,
                }],
                &mut out,
            );
            out.get(JointId(0))
        };
        assert_eq!(add(0.0), below);
        let full = add(1.0);
        assert_eq!(
            (full.translation, full.scale),
            (Vec3::new(1.0, 1.0, 0.0), Vec3::splat(6.0))
        );
        assert!((full.rotation - turn * base).length() < 3e-7, "{}", full.rotation);
        assert_eq!(add(-1.0).translation, Vec3::new(-1.0, 1.0, 0.0));
    }

    #[test]
    fn bad_weights_are_left_out_and_flagged() {
        let (a, b) = (Random(1).pose(3), Random(2).pose(3));
        let rest = Pose::identity(3);
        let input = |pose, weight| BlendInput {
            pose,
            weight,
            mask: None,
        };
        for bad in [f32::NAN, f32::INFINITY, -0.5] {
            let mut out = Pose::identity(3);
            let flags = blend(&[input(&a, bad), input(&b, 0.3)], &rest, &mut out);
            assert_eq!(flags, Flags::BAD_WEIGHT, "{bad}");
            for joint in 0..3 {
                let (found, expected) = (out.get(JointId(joint)), b.get(JointId(joint)));
                assert!(
                    found.translation.abs_diff_eq(expected.translation, 1e-6),
                    "{found:?}"
                );
            }
        }
        let mut out = a.clone();
        assert_eq!(blend(&[input(&a, 0.0)], &rest, &mut out), Flags::REST);
        assert_eq!(out, rest, "no weight at all: the rest pose");
    }

    #[test]
    fn opposite_scales_are_flagged() {
        // A mirrored bone passed through a flat limb without a word (bdero/flutter_scene#249).
        let pose = |scale| {
            [crate::Transform {
                scale,
                ..crate::Transform::IDENTITY
            }]
            .into_iter()
            .collect::<Pose>()
        };
        let (a, b) = (pose(Vec3::new(-1.0, 1.0, 1.0)), pose(Vec3::new(1.0, 1.0, -1.0)));
        let input = |pose| BlendInput {
            pose,
            weight: 0.5,
            mask: None,
        };
        let mut out = Pose::identity(1);
        assert_eq!(
            blend(&[input(&a), input(&b)], &Pose::identity(1), &mut out),
            Flags::MIRRORED_SCALE
        );
        assert_eq!(
            blend(&[input(&a), input(&a)], &Pose::identity(1), &mut out),
            Flags::NONE
        );
        assert_eq!(out.get(JointId(0)).scale, Vec3::new(-1.0, 1.0, 1.0));
    }
}
