//! Eight lanes of f32 with run-time dispatch. `x86.rs` and the file in its folder are the one place with `unsafe`.
//!
//! A kernel is written once as a [`Job`] over a [`Simd`] token. [`dispatch`] looks at the machine and runs the
//! job's body inside a function that has the instruction set enabled. A token can only be had from `dispatch`,
//! so holding one proves that its instructions exist.
//!
//! `Portable`, `Sse2` and `Avx2` do the same operations in the same order, hence give the same bits.
//! `Avx2Fma` fuses multiply-adds and estimates reciprocal square roots.

use std::ops::{Add, Mul, Sub};

use glam::{Affine3A, Vec3, Vec4};

use crate::{Kernel, pose::LANES};

#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(any(test, not(target_arch = "x86_64")))]
use portable::Portable;

/// What one is as an integer of 24 bits.
pub(crate) const WIDE_ONE: f32 = 8_388_607.0;

/// An instruction set that is known to exist.
pub(crate) trait Simd: Copy {
    /// Eight numbers.
    type F: Copy + Add<Output = Self::F> + Sub<Output = Self::F> + Mul<Output = Self::F>;

    fn splat(self, value: f32) -> Self::F;
    fn load(self, values: &[f32; LANES]) -> Self::F;
    /// The integers as numbers, not scaled.
    fn load_i16(self, values: &[i16; LANES]) -> Self::F;
    fn store(self, values: Self::F, to: &mut [f32; LANES]);
    /// a * b + c; rounded once or twice, as the set has it.
    fn mul_add(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    fn div(self, a: Self::F, b: Self::F) -> Self::F;
    /// One over the square root.
    fn inverse_sqrt(self, a: Self::F) -> Self::F;
    /// `a`, negated where `sign` has its sign bit set.
    fn flip(self, a: Self::F, sign: Self::F) -> Self::F;
    /// Bitwise or; used to gather sign bits.
    fn or(self, a: Self::F, b: Self::F) -> Self::F;
    /// Bitwise exclusive or; used to compare sign bits.
    fn xor(self, a: Self::F, b: Self::F) -> Self::F;
    /// One bit per lane: its sign bit.
    fn sign_bits(self, a: Self::F) -> u8;
    fn min(self, a: Self::F, b: Self::F) -> Self::F;
    /// `yes` where `test > 0`, else `no`.
    fn where_positive(self, test: Self::F, yes: Self::F, no: Self::F) -> Self::F;

    /// Four signed integers of 24 bits, as numbers: three in the upper bits, the fourth in the bytes below, its highest
    /// byte first.
    fn unpack24(self, bits: [Self::F; 3]) -> [Self::F; 4];

    /// Four numbers: a column or a row of one joint's matrix.
    type V: Copy;

    fn load4(self, values: &[f32; 4]) -> Self::V;
    /// Four times 32 bits, whatever they mean.
    fn load4_bits(self, bits: &[u32; 4]) -> Self::V;
    fn store4(self, values: Self::V, to: &mut [f32; 4]);
    /// Eight vectors as their x, y and z.
    fn load_vec3s(self, from: &[Vec3; LANES]) -> [Self::F; 3];
    fn store_vec3s(self, values: [Self::F; 3], to: &mut [Vec3; LANES]);
    fn splat4(self, value: f32) -> Self::V;
    fn add4(self, a: Self::V, b: Self::V) -> Self::V;
    fn mul4(self, a: Self::V, b: Self::V) -> Self::V;
    fn mul_add4(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// Each of the first three numbers four times.
    fn splats4(self, a: Self::V) -> [Self::V; 3];
    /// From eight times four numbers to four times eight.
    fn transpose(self, rows: [Self::V; LANES]) -> [Self::F; 4];
    /// From four times eight numbers to eight times four.
    fn transpose_back(self, columns: [Self::F; 4]) -> [Self::V; LANES];
    /// The columns; the last number of each is anything.
    fn load_affine(self, from: &Affine3A) -> [Self::V; 4];
    fn to_affine(self, columns: [Self::V; 4]) -> Affine3A;

    /// Three rows of four.
    type Rows: Copy;

    fn scale_rows(self, rows: &[Vec4; 3], factor: f32) -> Self::Rows;
    /// rows * factor + sum
    fn add_rows(self, rows: &[Vec4; 3], factor: f32, sum: Self::Rows) -> Self::Rows;
    /// Each row of both: `a`'s in the lower four lanes, `b`'s in the upper four.
    fn pair_rows(self, a: Self::Rows, b: Self::Rows) -> [Self::F; 3];
    /// Transposes the four times four numbers in the lower lanes, and those in the upper lanes.
    fn transpose_fours(self, rows: [Self::F; 4]) -> [Self::F; 4];

    /// The weighted sums of the matrices of vertices, in blocks of eight: in `sums[block][lane]` the rows of `lane` in the
    /// lower four lanes, and those of the vertex four further on in the upper ones.
    ///
    /// # Panics
    /// If a slot is not in `palette`.
    #[inline(always)]
    fn weighted_rows<const COUNT: usize>(
        self,
        palette: &[[Vec4; 3]],
        slots: &[[[u16; COUNT]; LANES]],
        weights: &[[[f32; COUNT]; LANES]],
        sums: &mut [[[Self::F; 3]; LANES / 2]],
    ) {
        weighted_rows(self, palette, slots, weights, sums);
    }

    /// `parent * local`.
    #[inline(always)]
    fn mul_affine(self, parent: &Affine3A, local: &Affine3A) -> Affine3A {
        let [p0, p1, p2, p3] = self.load_affine(parent);
        let mut columns = self.load_affine(local);
        for column in &mut columns {
            let [x, y, z] = self.splats4(*column);
            *column = self.mul_add4(p2, z, self.mul_add4(p1, y, self.mul4(p0, x)));
        }
        columns[3] = self.add4(columns[3], p3);
        self.to_affine(columns)
    }
}

/// Where a slot's matrix is.
trait Palette: Copy {
    fn rows(&self, slot: u16) -> &[Vec4; 3];
}

impl Palette for &[[Vec4; 3]] {
    #[inline(always)]
    fn rows(&self, slot: u16) -> &[Vec4; 3] {
        &self[usize::from(slot)]
    }
}

/// [`Simd::weighted_rows`] from either kind of palette.
#[inline(always)]
fn weighted_rows<S: Simd, const COUNT: usize>(
    simd: S,
    palette: impl Palette,
    slots: &[[[u16; COUNT]; LANES]],
    weights: &[[[f32; COUNT]; LANES]],
    sums: &mut [[[S::F; 3]; LANES / 2]],
) {
    for ((slots, weights), sums) in slots.iter().zip(weights).zip(sums) {
        for (lane, sum) in sums.iter_mut().enumerate() {
            let other = lane + LANES / 2;
            *sum = simd.pair_rows(
                weighted_sum(simd, palette, &slots[lane], &weights[lane]),
                weighted_sum(simd, palette, &slots[other], &weights[other]),
            );
        }
    }
}

/// The weighted sum of one vertex's matrices.
#[inline(always)]
fn weighted_sum<S: Simd, const COUNT: usize>(
    simd: S,
    palette: impl Palette,
    slots: &[u16; COUNT],
    weights: &[f32; COUNT],
) -> S::Rows {
    let mut sum = simd.scale_rows(palette.rows(slots[0]), weights[0]);
    for influence in 1..COUNT {
        sum = simd.add_rows(palette.rows(slots[influence]), weights[influence], sum);
    }
    sum
}

/// The array of an expression for each of the eight lanes. Written out, as the registers of a loop go through
/// memory, where a load waits for the two stores that it spans.
macro_rules! each_lane {
    ($lane:ident => $value:expr) => {
        [
            $crate::simd::each_lane!(0, $lane => $value),
            $crate::simd::each_lane!(1, $lane => $value),
            $crate::simd::each_lane!(2, $lane => $value),
            $crate::simd::each_lane!(3, $lane => $value),
            $crate::simd::each_lane!(4, $lane => $value),
            $crate::simd::each_lane!(5, $lane => $value),
            $crate::simd::each_lane!(6, $lane => $value),
            $crate::simd::each_lane!(7, $lane => $value),
        ]
    };
    ($number:literal, $lane:ident => $value:expr) => {{
        let $lane: usize = $number;
        $value
    }};
}
pub(crate) use each_lane;

#[inline(always)]
pub(crate) fn load3<S: Simd>(simd: S, lanes: &[[f32; LANES]; 3]) -> [S::F; 3] {
    let [x, y, z] = lanes;
    [simd.load(x), simd.load(y), simd.load(z)]
}

#[inline(always)]
pub(crate) fn load4<S: Simd>(simd: S, lanes: &[[f32; LANES]; 4]) -> [S::F; 4] {
    let [x, y, z, w] = lanes;
    [simd.load(x), simd.load(y), simd.load(z), simd.load(w)]
}

#[inline(always)]
pub(crate) fn store<S: Simd, const N: usize>(simd: S, values: [S::F; N], to: &mut [[f32; LANES]; N]) {
    for component in 0..N {
        simd.store(values[component], &mut to[component]);
    }
}

/// A kernel.
pub(crate) trait Job {
    type Output;

    /// Must be `#[inline(always)]`, and so must all that it calls with `simd`.
    fn run<S: Simd>(&mut self, simd: S) -> Self::Output;
}

/// Runs `job` with the best instruction set that this machine has and `kernel` allows.
///
/// By reference: moving what was just written in parts waits until all of it has reached memory.
#[inline(always)]
pub(crate) fn dispatch<J: Job>(kernel: Kernel, job: &mut J) -> J::Output {
    #[cfg(all(test, target_arch = "x86_64"))]
    match tests::FORCED.get() {
        Some(tests::Set::Portable) => return job.run(Portable),
        Some(tests::Set::Sse2) => return job.run(x86::Sse2::new()),
        None => {}
    }
    #[cfg(target_arch = "x86_64")]
    return x86::with_best(kernel, job);
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = kernel;
        job.run(Portable)
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
pub(crate) mod tests {
    use std::cell::Cell;

    /// An instruction set that every x86-64 has.
    #[derive(Clone, Copy, Debug)]
    pub(crate) enum Set {
        Portable,
        Sse2,
    }

    thread_local! {
        /// What `dispatch` uses on this thread instead of the best.
        pub(crate) static FORCED: Cell<Option<Set>> = const { Cell::new(None) };
    }

    /// The result of `run` with plain arrays, which must be that of SSE2 and of the machine's best set.
    pub(crate) fn same_on_every_set<T: std::fmt::Debug>(run: impl Fn() -> T) -> T {
        FORCED.set(Some(Set::Portable));
        let portable = run();
        FORCED.set(Some(Set::Sse2));
        let sse2 = run();
        FORCED.set(None);
        let best = run();
        // As text: == takes -0 for 0.
        let [portable_text, sse2, best] = [&portable, &sse2, &best].map(|result| format!("{result:?}"));
        assert!(
            portable_text == sse2,
            "plain arrays and SSE2 differ: {portable_text} and {sse2}"
        );
        assert!(
            portable_text == best,
            "plain arrays and the best set differ: {portable_text} and {best}"
        );
        portable
    }
}
