//! SSE2 and AVX2.

#![allow(
    unsafe_code,
    reason = "core::arch intrinsics; each block says why it is sound, tests compare every path with the portable one"
)]

mod avx2;

use core::arch::x86_64::*;

use avx2::{Avx2, Avx2Fma};
use glam::{Affine3A, Mat3A, Vec3, Vec4};

use super::{Add, Job, LANES, Mul, Simd, Sub};
use crate::Kernel;

/// Runs `job` with the best set that was detected.
#[inline(always)]
pub(super) fn with_best<J: Job>(kernel: Kernel, job: &mut J) -> J::Output {
    if is_x86_feature_detected!("avx2") {
        if kernel == Kernel::Fast && is_x86_feature_detected!("fma") {
            // SAFETY: AVX2 and FMA were just detected.
            return unsafe { with_avx2_fma(job) };
        }
        // SAFETY: AVX2 was just detected.
        return unsafe { with_avx2(job) };
    }
    with_sse2(job)
}

/// By itself, so that the sizes of the two forms do not add up where they are called.
#[inline(never)]
fn with_sse2<J: Job>(job: &mut J) -> J::Output {
    job.run(Sse2::new())
}

#[target_feature(enable = "avx2")]
fn with_avx2<J: Job>(job: &mut J) -> J::Output {
    job.run(Avx2::new())
}

#[target_feature(enable = "avx2,fma")]
fn with_avx2_fma<J: Job>(job: &mut J) -> J::Output {
    job.run(Avx2Fma::new())
}

/// Two registers of four.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sse2(());

impl Sse2 {
    pub(super) const fn new() -> Self {
        Self(())
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Two(__m128, __m128);

/// One register of four: a joint's column or row.
#[derive(Clone, Copy)]
pub(crate) struct Four(__m128);

/// What all sets do with four numbers.
macro_rules! four_numbers {
    () => {
        type V = Four;

        #[inline(always)]
        fn load4(self, values: &[f32; 4]) -> Four {
            // SAFETY: four floats are readable; unaligned load.
            Four(unsafe { _mm_loadu_ps(values.as_ptr()) })
        }

        #[inline(always)]
        fn load4_bits(self, bits: &[u32; 4]) -> Four {
            // SAFETY: sixteen bytes are readable; unaligned load.
            Four(unsafe { _mm_loadu_ps(bits.as_ptr().cast()) })
        }

        #[inline(always)]
        fn store4(self, values: Four, to: &mut [f32; 4]) {
            // SAFETY: four floats are writable; unaligned store.
            unsafe { _mm_storeu_ps(to.as_mut_ptr(), values.0) }
        }

        #[inline(always)]
        fn splat4(self, value: f32) -> Four {
            // SAFETY: SSE2 is part of every x86-64.
            Four(unsafe { _mm_set1_ps(value) })
        }

        #[inline(always)]
        fn add4(self, a: Four, b: Four) -> Four {
            // SAFETY: SSE2 is part of every x86-64.
            Four(unsafe { _mm_add_ps(a.0, b.0) })
        }

        #[inline(always)]
        fn mul4(self, a: Four, b: Four) -> Four {
            // SAFETY: SSE2 is part of every x86-64.
            Four(unsafe { _mm_mul_ps(a.0, b.0) })
        }

        #[inline(always)]
        fn splats4(self, a: Four) -> [Four; 3] {
            // SAFETY: SSE2 is part of every x86-64.
            unsafe {
                [
                    Four(_mm_shuffle_ps::<0x00>(a.0, a.0)),
                    Four(_mm_shuffle_ps::<0x55>(a.0, a.0)),
                    Four(_mm_shuffle_ps::<0xaa>(a.0, a.0)),
                ]
            }
        }

        #[inline(always)]
        fn load_affine(self, from: &Affine3A) -> [Four; 4] {
            let Mat3A {
                x_axis,
                y_axis,
                z_axis,
            } = from.matrix3;
            [
                Four(x_axis.into()),
                Four(y_axis.into()),
                Four(z_axis.into()),
                Four(from.translation.into()),
            ]
        }

        #[inline(always)]
        fn to_affine(self, columns: [Four; 4]) -> Affine3A {
            let [x, y, z, translation] = columns;
            let translation = translation.0.into();
            let (x, y, z) = (x.0.into(), y.0.into(), z.0.into());
            Affine3A {
                matrix3: Mat3A::from_cols(x, y, z),
                translation,
            }
        }
    };
}

/// Four vectors of three in three registers of four to their x, y and z; likewise in both halves of registers
/// of eight. The two bits of an index pick a number of the first register twice, then of the second one.
macro_rules! from_vec3s {
    ($shuffle:ident, $a:expr, $b:expr, $c:expr) => {{
        let (a, b, c) = ($a, $b, $c);
        // x2 y2 x3 y3 and y0 z0 y1 z1
        let (late, early) = ($shuffle::<0b10_01_11_10>(b, c), $shuffle::<0b01_00_10_01>(a, b));
        [
            $shuffle::<0b10_00_11_00>(a, late),
            $shuffle::<0b11_01_10_00>(early, late),
            $shuffle::<0b11_00_11_01>(early, c),
        ]
    }};
}

/// The way back.
macro_rules! to_vec3s {
    ($shuffle:ident, $x:expr, $y:expr, $z:expr) => {{
        let (x, y, z) = ($x, $y, $z);
        // x0 x2 y0 y2, y1 y3 z1 z3 and z0 z2 x1 x3
        let xy = $shuffle::<0b10_00_10_00>(x, y);
        let yz = $shuffle::<0b11_01_11_01>(y, z);
        let zx = $shuffle::<0b11_01_10_00>(z, x);
        [
            $shuffle::<0b10_00_10_00>(xy, zx),
            $shuffle::<0b11_01_10_00>(yz, xy),
            $shuffle::<0b11_01_11_01>(zx, yz),
        ]
    }};
}

use {four_numbers, from_vec3s, to_vec3s};

/// From rows to columns: `rows[i][j]` becomes `columns[j][i]`.
#[inline(always)]
fn transpose4(rows: [__m128; 4]) -> [__m128; 4] {
    let [a, b, c, d] = rows;
    // SAFETY: SSE2 is part of every x86-64.
    unsafe {
        let (ab, cd) = (_mm_unpacklo_ps(a, b), _mm_unpacklo_ps(c, d));
        let (xy, zw) = (_mm_unpackhi_ps(a, b), _mm_unpackhi_ps(c, d));
        [
            _mm_movelh_ps(ab, cd),
            _mm_movehl_ps(cd, ab),
            _mm_movelh_ps(xy, zw),
            _mm_movehl_ps(zw, xy),
        ]
    }
}

/// [`Simd::unpack24`] of four lanes.
#[inline(always)]
fn unpack24_four(bits: [__m128; 3]) -> [__m128; 4] {
    // SAFETY: SSE2 is part of every x86-64.
    unsafe {
        let [x, y, z] = bits;
        let (x, y, z) = (_mm_castps_si128(x), _mm_castps_si128(y), _mm_castps_si128(z));
        let byte = _mm_set1_epi32(0xff);
        let high = _mm_slli_epi32::<24>(x);
        let middle = _mm_slli_epi32::<16>(_mm_and_si128(y, byte));
        let low = _mm_slli_epi32::<8>(_mm_and_si128(z, byte));
        let w = _mm_or_si128(_mm_or_si128(high, middle), low);
        [
            _mm_cvtepi32_ps(_mm_srai_epi32::<8>(x)),
            _mm_cvtepi32_ps(_mm_srai_epi32::<8>(y)),
            _mm_cvtepi32_ps(_mm_srai_epi32::<8>(z)),
            _mm_cvtepi32_ps(_mm_srai_epi32::<8>(w)),
        ]
    }
}

/// Four registers for the lower lanes and four for the upper ones.
#[inline(always)]
fn join_fours(low: [__m128; 4], high: [__m128; 4]) -> [Two; 4] {
    let ([a, b, c, d], [e, f, g, h]) = (low, high);
    [Two(a, e), Two(b, f), Two(c, g), Two(d, h)]
}

/// Applies an SSE2 intrinsic to both halves.
macro_rules! halves {
    ($intrinsic:ident, $a:expr, $b:expr) => {{
        let (a, b): (Two, Two) = ($a, $b);
        // SAFETY: SSE2 is part of every x86-64.
        unsafe { Two($intrinsic(a.0, b.0), $intrinsic(a.1, b.1)) }
    }};
}

impl Add for Two {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        halves!(_mm_add_ps, self, other)
    }
}

impl Sub for Two {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        halves!(_mm_sub_ps, self, other)
    }
}

impl Mul for Two {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        halves!(_mm_mul_ps, self, other)
    }
}

impl Simd for Sse2 {
    type F = Two;

    #[inline(always)]
    fn splat(self, value: f32) -> Two {
        // SAFETY: SSE2 is part of every x86-64.
        let four = unsafe { _mm_set1_ps(value) };
        Two(four, four)
    }

    #[inline(always)]
    fn load(self, values: &[f32; LANES]) -> Two {
        let from = values.as_ptr();
        // SAFETY: eight floats are readable from `from`; unaligned loads.
        unsafe { Two(_mm_loadu_ps(from), _mm_loadu_ps(from.add(4))) }
    }

    #[inline(always)]
    fn load_i16(self, values: &[i16; LANES]) -> Two {
        // SAFETY: sixteen bytes are readable; unaligned load. Doubling each and shifting back extends the sign.
        unsafe {
            let eight = _mm_loadu_si128(values.as_ptr().cast());
            let low = _mm_srai_epi32::<16>(_mm_unpacklo_epi16(eight, eight));
            let high = _mm_srai_epi32::<16>(_mm_unpackhi_epi16(eight, eight));
            Two(_mm_cvtepi32_ps(low), _mm_cvtepi32_ps(high))
        }
    }

    #[inline(always)]
    fn store(self, values: Two, to: &mut [f32; LANES]) {
        let to = to.as_mut_ptr();
        // SAFETY: eight floats are writable at `to`; unaligned stores.
        unsafe {
            _mm_storeu_ps(to, values.0);
            _mm_storeu_ps(to.add(4), values.1);
        }
    }

    #[inline(always)]
    fn mul_add(self, a: Two, b: Two, c: Two) -> Two {
        a * b + c
    }

    #[inline(always)]
    fn div(self, a: Two, b: Two) -> Two {
        halves!(_mm_div_ps, a, b)
    }

    #[inline(always)]
    fn inverse_sqrt(self, a: Two) -> Two {
        // SAFETY: SSE2 is part of every x86-64.
        let roots = unsafe { Two(_mm_sqrt_ps(a.0), _mm_sqrt_ps(a.1)) };
        halves!(_mm_div_ps, self.splat(1.0), roots)
    }

    #[inline(always)]
    fn flip(self, a: Two, sign: Two) -> Two {
        self.xor(a, halves!(_mm_and_ps, sign, self.splat(-0.0)))
    }

    #[inline(always)]
    fn or(self, a: Two, b: Two) -> Two {
        halves!(_mm_or_ps, a, b)
    }

    #[inline(always)]
    fn xor(self, a: Two, b: Two) -> Two {
        halves!(_mm_xor_ps, a, b)
    }

    #[inline(always)]
    fn sign_bits(self, a: Two) -> u8 {
        // SAFETY: SSE2 is part of every x86-64.
        let (low, high) = unsafe { (_mm_movemask_ps(a.0), _mm_movemask_ps(a.1)) };
        (low | (high << 4)).to_le_bytes()[0]
    }

    #[inline(always)]
    fn min(self, a: Two, b: Two) -> Two {
        halves!(_mm_min_ps, a, b)
    }

    #[inline(always)]
    fn where_positive(self, test: Two, yes: Two, no: Two) -> Two {
        let mask = halves!(_mm_cmpgt_ps, test, self.splat(0.0));
        let yes = halves!(_mm_and_ps, mask, yes);
        self.or(yes, halves!(_mm_andnot_ps, mask, no))
    }

    #[inline(always)]
    fn unpack24(self, [x, y, z]: [Two; 3]) -> [Two; 4] {
        join_fours(unpack24_four([x.0, y.0, z.0]), unpack24_four([x.1, y.1, z.1]))
    }

    four_numbers!();

    #[inline(always)]
    fn mul_add4(self, a: Four, b: Four, c: Four) -> Four {
        self.add4(self.mul4(a, b), c)
    }

    #[inline(always)]
    fn transpose(self, rows: [Four; LANES]) -> [Two; 4] {
        let [a, b, c, d, e, f, g, h] = rows;
        self.transpose_fours([Two(a.0, e.0), Two(b.0, f.0), Two(c.0, g.0), Two(d.0, h.0)])
    }

    #[inline(always)]
    fn transpose_back(self, columns: [Two; 4]) -> [Four; LANES] {
        let [x, y, z, w] = columns;
        let [a, b, c, d] = transpose4([x.0, y.0, z.0, w.0]);
        let [e, f, g, h] = transpose4([x.1, y.1, z.1, w.1]);
        [
            Four(a),
            Four(b),
            Four(c),
            Four(d),
            Four(e),
            Four(f),
            Four(g),
            Four(h),
        ]
    }

    type Rows = [Four; 3];

    #[inline(always)]
    fn scale_rows(self, rows: &[Vec4; 3], factor: f32) -> [Four; 3] {
        let ([a, b, c], factor) = (rows, self.splat4(factor));
        [
            self.mul4(self.load4(a.as_ref()), factor),
            self.mul4(self.load4(b.as_ref()), factor),
            self.mul4(self.load4(c.as_ref()), factor),
        ]
    }

    #[inline(always)]
    fn add_rows(self, rows: &[Vec4; 3], factor: f32, sum: [Four; 3]) -> [Four; 3] {
        let ([a, b, c], factor) = (rows, self.splat4(factor));
        [
            self.mul_add4(self.load4(a.as_ref()), factor, sum[0]),
            self.mul_add4(self.load4(b.as_ref()), factor, sum[1]),
            self.mul_add4(self.load4(c.as_ref()), factor, sum[2]),
        ]
    }

    #[inline(always)]
    fn pair_rows(self, [a, b, c]: [Four; 3], [p, q, r]: [Four; 3]) -> [Two; 3] {
        [Two(a.0, p.0), Two(b.0, q.0), Two(c.0, r.0)]
    }

    #[inline(always)]
    fn transpose_fours(self, [a, b, c, d]: [Two; 4]) -> [Two; 4] {
        join_fours(transpose4([a.0, b.0, c.0, d.0]), transpose4([a.1, b.1, c.1, d.1]))
    }

    #[inline(always)]
    fn load_vec3s(self, from: &[Vec3; LANES]) -> [Two; 3] {
        let from: *const f32 = from.as_ptr().cast();
        // SAFETY: eight vectors are 24 floats in a row; unaligned loads.
        unsafe {
            let load = |four: usize| _mm_loadu_ps(from.add(4 * four));
            let low = from_vec3s!(_mm_shuffle_ps, load(0), load(1), load(2));
            let high = from_vec3s!(_mm_shuffle_ps, load(3), load(4), load(5));
            [Two(low[0], high[0]), Two(low[1], high[1]), Two(low[2], high[2])]
        }
    }

    #[inline(always)]
    fn store_vec3s(self, [x, y, z]: [Two; 3], to: &mut [Vec3; LANES]) {
        let to: *mut f32 = to.as_mut_ptr().cast();
        // SAFETY: eight vectors are 24 floats in a row; unaligned stores.
        unsafe {
            let halves = [
                to_vec3s!(_mm_shuffle_ps, x.0, y.0, z.0),
                to_vec3s!(_mm_shuffle_ps, x.1, y.1, z.1),
            ];
            for (half, [a, b, c]) in halves.into_iter().enumerate() {
                _mm_storeu_ps(to.add(12 * half), a);
                _mm_storeu_ps(to.add(12 * half + 4), b);
                _mm_storeu_ps(to.add(12 * half + 8), c);
            }
        }
    }
}
