//! The loops over eight joints.

#![allow(
    clippy::needless_range_loop,
    reason = "components of several arrays in step; iterators would hide which"
)]

use super::{
    Clip, Curve, Group, Lanes4, MIN_SPLINE_SQUARE, PACKED_ONE, Packed4, Place, Property, Rotations, Row,
    hermite, place,
};
use crate::{
    lerp::{correction, dot, lerp, normalize, slerp},
    loose::sample_loose,
    pose::{Block, LANES},
    simd::{Job, Simd, load3, load4, store},
};

pub(super) struct Sample<'a> {
    pub(super) clip: &'a Clip,
    pub(super) time: f32,
    pub(super) blocks: &'a mut [Block],
}

impl Job for Sample<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(&mut self, simd: S) {
        let (clip, time, blocks) = (self.clip, self.time, &mut *self.blocks);
        for group in &clip.groups {
            let place = place(&group.times, group.rate, time);
            match group.curve {
                Curve::Step => step_group(simd, group, place.from, blocks),
                Curve::Linear => linear_group(simd, group, place, blocks),
                Curve::Cubic => cubic_group(simd, group, place, blocks),
            }
        }
        sample_loose(simd, &clip.loose, time, blocks);
    }
}

/// A row of rotations as it is stored.
trait Stored: Copy {
    /// Squared length of a stored unit quaternion.
    const SQUARE: f32;

    fn load<S: Simd>(&self, simd: S) -> [S::F; 4];
}

impl Stored for Lanes4 {
    const SQUARE: f32 = 1.0;

    #[inline(always)]
    fn load<S: Simd>(&self, simd: S) -> [S::F; 4] {
        load4(simd, &self.0)
    }
}

impl Stored for Packed4 {
    const SQUARE: f32 = PACKED_ONE * PACKED_ONE;

    #[inline(always)]
    fn load<S: Simd>(&self, simd: S) -> [S::F; 4] {
        let [x, y, z, w] = &self.0;
        [
            simd.load_i16(x),
            simd.load_i16(y),
            simd.load_i16(z),
            simd.load_i16(w),
        ]
    }
}

/// The vector row that `row` names.
#[inline(always)]
pub(crate) fn vector_row(blocks: &mut [Block], row: Row) -> &mut [[f32; LANES]; 3] {
    let block = &mut blocks[row.block as usize];
    if row.property == Property::Scale {
        &mut block.scale
    } else {
        &mut block.translation
    }
}

/// The values of one key; also what never changes.
#[inline(always)]
fn step_group<S: Simd>(simd: S, group: &Group, key: usize, blocks: &mut [Block]) {
    let rows = group.rotation_blocks.len();
    match &group.rotations {
        Rotations::Full(values) => {
            for (&block, value) in group.rotation_blocks.iter().zip(&values[key * rows..][..rows]) {
                blocks[block as usize].rotation = value.0;
            }
        }
        Rotations::Packed(values) => {
            for (&block, value) in group.rotation_blocks.iter().zip(&values[key * rows..][..rows]) {
                let unit = normalize(simd, value.load(simd));
                store(simd, unit, &mut blocks[block as usize].rotation);
            }
        }
    }
    let rows = group.vector_rows.len();
    for (row, value) in group.vector_rows.iter().zip(&group.vectors[key * rows..][..rows]) {
        *vector_row(blocks, *row) = value.0;
    }
}

#[inline(always)]
fn linear_group<S: Simd>(simd: S, group: &Group, place: Place, blocks: &mut [Block]) {
    match &group.rotations {
        Rotations::Full(values) => linear_rotations(simd, values, group, place, blocks),
        Rotations::Packed(values) => linear_rotations(simd, values, group, place, blocks),
    }
    let fraction = simd.splat(place.fraction);
    let rows = group.vector_rows.len();
    let from = &group.vectors[place.from * rows..][..rows];
    let to = &group.vectors[place.to * rows..][..rows];
    for ((row, from), to) in group.vector_rows.iter().zip(from).zip(to) {
        let value = lerp(simd, load3(simd, &from.0), load3(simd, &to.0), fraction);
        store(simd, value, vector_row(blocks, *row));
    }
}

#[inline(always)]
fn linear_rotations<S: Simd, R: Stored>(
    simd: S,
    values: &[R],
    group: &Group,
    place: Place,
    blocks: &mut [Block],
) {
    let rows = group.rotation_blocks.len();
    let from = &values[place.from * rows..][..rows];
    let to = &values[place.to * rows..][..rows];
    let fraction = simd.splat(place.fraction);
    let correction = correction(place.fraction);
    let [c0, c1, c2, c3] = correction;
    let correction = [simd.splat(c0), simd.splat(c1), simd.splat(c2), simd.splat(c3)];
    let inverse_square = simd.splat(1.0 / R::SQUARE);
    for ((&block, from), to) in group.rotation_blocks.iter().zip(from).zip(to) {
        let value = slerp(
            simd,
            from.load(simd),
            to.load(simd),
            fraction,
            correction,
            inverse_square,
        );
        store(simd, value, &mut blocks[block as usize].rotation);
    }
}

#[inline(always)]
fn cubic_group<S: Simd>(simd: S, group: &Group, place: Place, blocks: &mut [Block]) {
    let [w0, w1, w2, w3] = hermite(place.fraction, place.interval);
    let weights = [simd.splat(w0), simd.splat(w1), simd.splat(w2), simd.splat(w3)];
    // Value, out-tangent, value, in-tangent.
    let parts = [
        3 * place.from + 1,
        3 * place.from + 2,
        3 * place.to + 1,
        3 * place.to,
    ];
    if let Rotations::Full(values) = &group.rotations {
        let rows = group.rotation_blocks.len();
        for (row, &block) in group.rotation_blocks.iter().enumerate() {
            let mut four = [[weights[0]; 4]; 4];
            for part in 0..4 {
                four[part] = values[parts[part] * rows + row].load(simd);
            }
            let blend = weighted(simd, four, weights);
            // A spline can pass through zero length, where no direction is better than the key's.
            let square = dot(simd, blend, blend) - simd.splat(MIN_SPLINE_SQUARE);
            let mut unit = normalize(simd, blend);
            for component in 0..4 {
                unit[component] = simd.where_positive(square, unit[component], four[0][component]);
            }
            store(simd, unit, &mut blocks[block as usize].rotation);
        }
    }
    let rows = group.vector_rows.len();
    for (index, row) in group.vector_rows.iter().enumerate() {
        let mut four = [[weights[0]; 3]; 4];
        for part in 0..4 {
            four[part] = load3(simd, &group.vectors[parts[part] * rows + index].0);
        }
        store(simd, weighted(simd, four, weights), vector_row(blocks, *row));
    }
}

#[inline(always)]
fn weighted<S: Simd, const N: usize>(simd: S, parts: [[S::F; N]; 4], weights: [S::F; 4]) -> [S::F; N] {
    let [a, b, c, d] = parts;
    let mut out = a;
    for component in 0..N {
        let sum = simd.mul_add(b[component], weights[1], a[component] * weights[0]);
        let sum = simd.mul_add(c[component], weights[2], sum);
        out[component] = simd.mul_add(d[component], weights[3], sum);
    }
    out
}
