//! Eight vertices at once.

#![allow(
    clippy::needless_range_loop,
    reason = "components of several arrays in step; iterators would hide which"
)]

use glam::{Vec3, Vec4};

use super::{SkinInput, SkinOutput, unit_or};
use crate::{
    influences::BYTE_UNIT,
    pose::LANES,
    simd::{Job, Simd, each_lane},
};

/// A stored weight.
pub(super) trait Weight: Copy + Default {
    fn factor(self) -> f32;
}

impl Weight for f32 {
    #[inline(always)]
    fn factor(self) -> f32 {
        self
    }
}

impl Weight for u8 {
    #[inline(always)]
    fn factor(self) -> f32 {
        f32::from(self) * BYTE_UNIT
    }
}

/// Up to `COUNT` influences per vertex.
pub(super) struct Skin<'a, 'o, const COUNT: usize, W> {
    pub(super) palette: &'a [[Vec4; 3]],
    pub(super) input: SkinInput<'a>,
    pub(super) output: SkinOutput<'o>,
    pub(super) weights: &'a [W],
}

impl<const COUNT: usize, W: Weight> Job for Skin<'_, '_, COUNT, W> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(&mut self, simd: S) {
        let (palette, input, weights) = (self.palette, self.input, self.weights);
        let output = &mut self.output;
        let SkinInput {
            positions,
            normals,
            tangents,
            influences,
        } = input;
        let count = influences.per_vertex();
        // What is not there in full is copied here: the last vertices, and influences fewer than `COUNT`.
        let mut few_slots = [[0; COUNT]; LANES];
        let mut few_weights = [[W::default(); COUNT]; LANES];
        let (mut few, mut few_normals) = ([Vec3::ZERO; LANES], [Vec3::ZERO; LANES]);
        let mut few_tangents = [Vec4::ZERO; LANES];
        let mut rows = [Padded([Vec4::ZERO; 3]); LANES];
        for start in (0..positions.len()).step_by(LANES) {
            let end = positions.len().min(start + LANES);
            let used = end - start;
            let slots = &influences.joints()[start * count..end * count];
            let weights = &weights[start * count..end * count];
            let whole = (slots.as_chunks().0.as_array(), weights.as_chunks().0.as_array());
            let (slots, weights) =
                if let (Some(slots), Some(weights), true) = (whole.0, whole.1, count == COUNT) {
                    (slots, weights)
                } else {
                    for vertex in 0..used {
                        few_slots[vertex][..count].copy_from_slice(&slots[vertex * count..][..count]);
                        few_weights[vertex][..count].copy_from_slice(&weights[vertex * count..][..count]);
                    }
                    (&few_slots, &few_weights)
                };
            weighted_rows(simd, palette, slots, weights, &mut rows);
            let [ax, ay, az, at] = transposed_row::<S, 0>(simd, &rows);
            let [bx, by, bz, bt] = transposed_row::<S, 1>(simd, &rows);
            let [cx, cy, cz, ct] = transposed_row::<S, 2>(simd, &rows);
            let (a, b, c) = ([ax, ay, az], [bx, by, bz], [cx, cy, cz]);

            let point = simd.load_vec3s(whole_block(&positions[start..end], &mut few));
            let moved = [
                dot3(simd, a, point) + at,
                dot3(simd, b, point) + bt,
                dot3(simd, c, point) + ct,
            ];
            store_vectors(simd, moved, &mut output.positions[start..end]);
            if !normals.is_empty() {
                let before = whole_block(&normals[start..end], &mut few_normals);
                let normal = simd.load_vec3s(before);
                let turned = [
                    dot3(simd, cross(b, c), normal),
                    dot3(simd, cross(c, a), normal),
                    dot3(simd, cross(a, b), normal),
                ];
                store_unit(simd, turned, &mut output.normals[start..end], before);
            }
            if !tangents.is_empty() {
                few_tangents[..used].copy_from_slice(&tangents[start..end]);
                let [x, y, z, _] =
                    simd.transpose(each_lane!(lane => simd.load4(few_tangents[lane].as_ref())));
                let tangent = [x, y, z];
                let turned = [
                    dot3(simd, a, tangent),
                    dot3(simd, b, tangent),
                    dot3(simd, c, tangent),
                ];
                let mut out = [Vec3::ZERO; LANES];
                store_unit(simd, turned, &mut out, &few_tangents.map(Vec4::truncate));
                for lane in 0..used {
                    output.tangents[start + lane] = out[lane].extend(few_tangents[lane].w);
                }
            }
        }
    }
}

/// Three rows in a cache line of their own: a store across two lines takes twice as long.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Padded([Vec4; 3]);

/// The weighted sums of eight vertices' matrices.
///
/// They go through memory on purpose: eight at once are more than there are registers.
#[inline(always)]
fn weighted_rows<S: Simd, const COUNT: usize, W: Weight>(
    simd: S,
    palette: &[[Vec4; 3]],
    slots: &[[u16; COUNT]; LANES],
    weights: &[[W; COUNT]; LANES],
    rows: &mut [Padded; LANES],
) {
    for ((slots, weights), rows) in slots.iter().zip(weights).zip(rows) {
        let mut sum = simd.scale_rows(&palette[usize::from(slots[0])], weights[0].factor());
        for influence in 1..COUNT {
            let rows = &palette[usize::from(slots[influence])];
            sum = simd.add_rows(rows, weights[influence].factor(), sum);
        }
        simd.store_rows(sum, &mut rows.0);
    }
}

/// One row of each of eight matrices.
#[inline(always)]
fn transposed_row<S: Simd, const ROW: usize>(simd: S, rows: &[Padded; LANES]) -> [S::F; 4] {
    simd.transpose(each_lane!(lane => simd.load4(rows[lane].0[ROW].as_ref())))
}

/// Replaces what could not be normalised at once, lane by lane.
#[cold]
fn mend(bad: u8, vectors: &[Vec3; LANES], fallback: &[Vec3; LANES], out: &mut [Vec3]) {
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

/// Eight vectors; if there are fewer, by way of `few`.
#[inline(always)]
fn whole_block<'a>(from: &'a [Vec3], few: &'a mut [Vec3; LANES]) -> &'a [Vec3; LANES] {
    if let Some(from) = from.as_array() {
        return from;
    }
    few[..from.len()].copy_from_slice(from);
    few
}

/// Stores up to eight vectors.
#[inline(always)]
fn store_vectors<S: Simd>(simd: S, vectors: [S::F; 3], out: &mut [Vec3]) {
    if let Some(out) = out.as_mut_array::<LANES>() {
        simd.store_vec3s(vectors, out);
    } else {
        let mut few = [Vec3::ZERO; LANES];
        simd.store_vec3s(vectors, &mut few);
        out.copy_from_slice(&few[..out.len()]);
    }
}

/// Between these squared lengths f32 can normalise without over- or underflow of the squares.
const MIN_SQUARE: f32 = 1e-30;
const MAX_SQUARE: f32 = 1e30;

/// Stores up to eight vectors with length one. Where the length cannot be had at once, `fallback` stands in if there
/// is no direction at all.
#[inline(always)]
fn store_unit<S: Simd>(simd: S, vector: [S::F; 3], out: &mut [Vec3], fallback: &[Vec3; LANES]) {
    let square = dot3(simd, vector, vector);
    let room = simd.min(square - simd.splat(MIN_SQUARE), simd.splat(MAX_SQUARE) - square);
    let factor = simd.inverse_sqrt(square);
    let [x, y, z] = vector;
    store_vectors(simd, [x * factor, y * factor, z * factor], out);
    let bad = simd.sign_bits(room);
    if bad != 0 {
        let mut whole = [Vec3::ZERO; LANES];
        simd.store_vec3s(vector, &mut whole);
        mend(bad, &whole, fallback, out);
    }
}
