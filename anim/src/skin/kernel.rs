//! Eight vertices at once.

#![allow(
    clippy::needless_range_loop,
    reason = "components of several arrays in step; iterators would hide which"
)]

use std::ops::Range;

use glam::{Vec3, Vec4};

use super::{SkinInput, SkinOutput, unit_or};
use crate::{
    influences::BYTE_UNIT,
    pose::LANES,
    simd::{Job, Simd, each_lane},
};

/// A stored weight.
pub(super) trait Weight: Copy + Default {
    /// Weights as factors, in `converted` (at least as many) if they are not stored as such.
    fn factors<'a, const COUNT: usize>(
        weights: &'a [[[Self; COUNT]; LANES]],
        converted: &'a mut [[[f32; COUNT]; LANES]],
    ) -> &'a [[[f32; COUNT]; LANES]];
}

impl Weight for f32 {
    #[inline(always)]
    fn factors<'a, const COUNT: usize>(
        weights: &'a [[[Self; COUNT]; LANES]],
        _: &'a mut [[[f32; COUNT]; LANES]],
    ) -> &'a [[[f32; COUNT]; LANES]] {
        weights
    }
}

impl Weight for u8 {
    #[inline(always)]
    fn factors<'a, const COUNT: usize>(
        weights: &'a [[[Self; COUNT]; LANES]],
        converted: &'a mut [[[f32; COUNT]; LANES]],
    ) -> &'a [[[f32; COUNT]; LANES]] {
        let factors = converted.as_flattened_mut().as_flattened_mut();
        for (factor, weight) in factors.iter_mut().zip(weights.as_flattened().as_flattened()) {
            *factor = f32::from(*weight) * BYTE_UNIT;
        }
        &converted[..weights.len()]
    }
}

/// Up to `COUNT` influences per vertex.
pub(super) struct Skin<'a, 'o, const COUNT: usize, W> {
    pub(super) palette: &'a [[Vec4; 3]],
    pub(super) input: SkinInput<'a>,
    pub(super) output: SkinOutput<'o>,
    pub(super) weights: &'a [W],
}

/// So many blocks go through each stage together: what one has to wait for, the next ones do meanwhile. Both stages of
/// one block are more than a processor looks ahead.
const BLOCKS_AT_ONCE: usize = 8;

impl<const COUNT: usize, W: Weight> Job for Skin<'_, '_, COUNT, W> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(&mut self, simd: S) {
        let (palette, weights) = (self.palette, self.weights);
        let SkinInput {
            positions,
            normals,
            tangents,
            influences,
        } = self.input;
        let SkinOutput {
            positions: to_positions,
            normals: to_normals,
            tangents: to_tangents,
        } = &mut self.output;
        let count = influences.per_vertex();
        let slots = influences.joints();
        // Blocks that are there in full, with as many influences as the loop is written for.
        let whole = if count == COUNT {
            positions.len() / LANES
        } else {
            0
        };
        let mut sums = [[[simd.splat(0.0); 3]; LANES / 2]; BLOCKS_AT_ONCE];
        let mut turned = [[simd.splat(0.0); 3]; BLOCKS_AT_ONCE];
        let mut converted = [[[0.0; COUNT]; LANES]; BLOCKS_AT_ONCE];
        let slot_blocks = &blocks(slots.as_chunks::<COUNT>().0)[..whole];
        let weight_blocks = &blocks(weights.as_chunks::<COUNT>().0)[..whole];
        for start in (0..whole).step_by(BLOCKS_AT_ONCE) {
            let batch = start..whole.min(start + BLOCKS_AT_ONCE);
            let factors = W::factors(&weight_blocks[batch.clone()], &mut converted);
            simd.weighted_rows(palette, &slot_blocks[batch.clone()], factors, &mut sums);
            for ((block, sums), turned) in batch.clone().zip(&sums).zip(&mut turned) {
                *turned = move_block(
                    simd,
                    sums,
                    (&blocks(positions)[block], &mut blocks_mut(to_positions)[block]),
                    blocks(normals).get(block),
                    blocks(tangents)
                        .get(block)
                        .zip(blocks_mut(to_tangents).get_mut(block)),
                );
            }
            if !normals.is_empty() {
                for (block, turned) in batch.zip(&turned) {
                    store_unit(
                        simd,
                        *turned,
                        &mut blocks_mut(to_normals)[block],
                        &blocks(normals)[block],
                    );
                }
            }
        }
        // The others are copied: the last vertices, or influences fewer than `COUNT`.
        for start in (whole * LANES..positions.len()).step_by(LANES) {
            let range = start..positions.len().min(start + LANES);
            let (mut few_slots, mut few_weights) = ([[0; COUNT]; LANES], [[W::default(); COUNT]; LANES]);
            for (lane, vertex) in range.clone().enumerate() {
                let own = vertex * count..(vertex + 1) * count;
                few_slots[lane][..count].copy_from_slice(&slots[own.clone()]);
                few_weights[lane][..count].copy_from_slice(&weights[own]);
            }
            let factors = W::factors(std::slice::from_ref(&few_weights), &mut converted);
            simd.weighted_rows(palette, &[few_slots], factors, &mut sums);
            let mut moved = [Vec3::ZERO; LANES];
            let (mut turned, mut turned_tangents) = (moved, [Vec4::ZERO; LANES]);
            let (few_normals, few_tangents) = (few(normals, &range), few(tangents, &range));
            let normal = move_block(
                simd,
                &sums[0],
                (&few(positions, &range), &mut moved),
                (!normals.is_empty()).then_some(&few_normals),
                (!tangents.is_empty()).then_some((&few_tangents, &mut turned_tangents)),
            );
            if !normals.is_empty() {
                store_unit(simd, normal, &mut turned, &few_normals);
            }
            put_few(&moved, to_positions, &range);
            put_few(&turned, to_normals, &range);
            put_few(&turned_tangents, to_tangents, &range);
        }
    }
}

#[inline(always)]
fn blocks<T>(all: &[T]) -> &[[T; LANES]] {
    all.as_chunks().0
}

#[inline(always)]
fn blocks_mut<T>(all: &mut [T]) -> &mut [[T; LANES]] {
    all.as_chunks_mut().0
}

/// Up to eight of `all`, if there are any at all.
fn few<T: Copy + Default>(all: &[T], range: &Range<usize>) -> [T; LANES] {
    let mut few = [T::default(); LANES];
    if let Some(from) = all.get(range.clone()) {
        few[..from.len()].copy_from_slice(from);
    }
    few
}

fn put_few<T: Copy>(few: &[T; LANES], all: &mut [T], range: &Range<usize>) {
    if let Some(to) = all.get_mut(range.clone()) {
        to.copy_from_slice(&few[..to.len()]);
    }
}

/// What goes in, and what comes out.
type InOut<'a, T> = (&'a [T; LANES], &'a mut [T; LANES]);

/// Applies the rows of [`Simd::weighted_rows`]. Returns the normals, not yet of length one.
#[inline(always)]
fn move_block<S: Simd>(
    simd: S,
    sums: &[[S::F; 3]; LANES / 2],
    (positions, to_positions): InOut<'_, Vec3>,
    normals: Option<&[Vec3; LANES]>,
    tangents: Option<InOut<'_, Vec4>>,
) -> [S::F; 3] {
    let [[a0, b0, c0], [a1, b1, c1], [a2, b2, c2], [a3, b3, c3]] = *sums;
    let [ax, ay, az, at] = simd.transpose_fours([a0, a1, a2, a3]);
    let [bx, by, bz, bt] = simd.transpose_fours([b0, b1, b2, b3]);
    let [cx, cy, cz, ct] = simd.transpose_fours([c0, c1, c2, c3]);
    let (a, b, c) = ([ax, ay, az], [bx, by, bz], [cx, cy, cz]);
    let point = simd.load_vec3s(positions);
    let moved = [
        dot3(simd, a, point) + at,
        dot3(simd, b, point) + bt,
        dot3(simd, c, point) + ct,
    ];
    simd.store_vec3s(moved, to_positions);
    if let Some((tangents, to_tangents)) = tangents {
        let [x, y, z, _] = simd.transpose(each_lane!(lane => simd.load4(tangents[lane].as_ref())));
        let tangent = [x, y, z];
        let turned = [
            dot3(simd, a, tangent),
            dot3(simd, b, tangent),
            dot3(simd, c, tangent),
        ];
        let mut unit = [Vec3::ZERO; LANES];
        store_unit(simd, turned, &mut unit, &tangents.map(Vec4::truncate));
        for lane in 0..LANES {
            to_tangents[lane] = unit[lane].extend(tangents[lane].w);
        }
    }
    let Some(normals) = normals else {
        return moved;
    };
    let normal = simd.load_vec3s(normals);
    [
        dot3(simd, cross(b, c), normal),
        dot3(simd, cross(c, a), normal),
        dot3(simd, cross(a, b), normal),
    ]
}

/// Replaces what could not be normalised at once, lane by lane.
#[cold]
fn mend(bad: u8, vectors: &[Vec3; LANES], fallback: &[Vec3; LANES], out: &mut [Vec3; LANES]) {
    for (lane, out) in out.iter_mut().enumerate() {
        if bad >> lane & 1 == 1 {
            *out = unit_or(vectors[lane], fallback[lane]);
        }
    }
}

#[inline(always)]
fn dot3<S: Simd>(simd: S, a: [S::F; 3], b: [S::F; 3]) -> S::F {
    simd.mul_add(a[2], b[2], simd.mul_add(a[1], b[1], a[0] * b[0]))
}

#[inline(always)]
fn cross<F: Copy + std::ops::Mul<Output = F> + std::ops::Sub<Output = F>>(a: [F; 3], b: [F; 3]) -> [F; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Between these squared lengths f32 can normalise without over- or underflow of the squares.
const MIN_SQUARE: f32 = 1e-30;
const MAX_SQUARE: f32 = 1e30;

/// Stores eight vectors with length one. Where the length cannot be had at once, `fallback` stands in if there
/// is no direction at all.
#[inline(always)]
fn store_unit<S: Simd>(simd: S, vector: [S::F; 3], out: &mut [Vec3; LANES], fallback: &[Vec3; LANES]) {
    let square = dot3(simd, vector, vector);
    let room = simd.min(square - simd.splat(MIN_SQUARE), simd.splat(MAX_SQUARE) - square);
    let factor = simd.inverse_sqrt(square);
    let [x, y, z] = vector;
    simd.store_vec3s([x * factor, y * factor, z * factor], out);
    // Whatever is no number has no room either; its sign may be either.
    let bad = simd.sign_bits(simd.where_positive(room, simd.splat(1.0), simd.splat(-1.0)));
    if bad != 0 {
        let mut whole = [Vec3::ZERO; LANES];
        simd.store_vec3s(vector, &mut whole);
        mend(bad, &whole, fallback, out);
    }
}
