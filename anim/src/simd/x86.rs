//! SSE2 and AVX2.

#![allow(
    unsafe_code,
    reason = "core::arch intrinsics; each block says why it is sound, tests compare every path with the portable one"
)]

use core::arch::x86_64::*;

use glam::{Affine3A, Mat3A, Vec3, Vec4};

use super::{Add, Job, LANES, Mul, Simd, Sub};
use crate::Kernel;

/// Runs `job` with the best set that was detected.
#[inline(always)]
pub(super) fn with_best<J: Job>(kernel: Kernel, job: J) -> J::Output {
    if is_x86_feature_detected!("avx2") {
        if kernel == Kernel::Fast && is_x86_feature_detected!("fma") {
            // SAFETY: AVX2 and FMA were just detected.
            return unsafe { with_avx2_fma(job) };
        }
        // SAFETY: AVX2 was just detected.
        return unsafe { with_avx2(job) };
    }
    job.run(Sse2::new())
}

#[target_feature(enable = "avx2")]
fn with_avx2<J: Job>(job: J) -> J::Output {
    job.run(Avx2(()))
}

#[target_feature(enable = "avx2,fma")]
fn with_avx2_fma<J: Job>(job: J) -> J::Output {
    job.run(Avx2Fma(()))
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
        fn store4(self, values: Four, to: &mut [f32; 4]) {
            // SAFETY: four floats are writable; unaligned store.
            unsafe { _mm_storeu_ps(to.as_mut_ptr(), values.0) }
        }

        #[inline(always)]
        fn load_vec3(self, from: &Vec3) -> Four {
            let [xy, z]: [*const f32; 2] = [&raw const from.x, &raw const from.z];
            // SAFETY: a `Vec3` is three floats in a row (`repr(C)`): eight bytes are readable from x, four from z;
            // neither load needs an alignment.
            unsafe {
                let xy = _mm_castpd_ps(_mm_load_sd(xy.cast()));
                Four(_mm_movelh_ps(xy, _mm_load_ss(z)))
            }
        }

        #[inline(always)]
        fn store_vec3(self, values: Four, to: &mut Vec3) {
            let [xy, z]: [*mut f32; 2] = [&raw mut to.x, &raw mut to.z];
            // SAFETY: as above, for writing.
            unsafe {
                _mm_store_sd(xy.cast(), _mm_castps_pd(values.0));
                _mm_store_ss(z, _mm_movehl_ps(values.0, values.0));
            }
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

/// Applies an SSE2 intrinsic to both halves.
macro_rules! halves {
    ($intrinsic:ident, $a:expr, $b:expr) => {{
        let (a, b): (Two, Two) = ($a, $b);
        // SAFETY: SSE2 is part of every x86-64.
        unsafe { Two($intrinsic(a.0, b.0), $intrinsic(a.1, b.1)) }
    }};
}

/// Applies an intrinsic to registers that only a token can have made.
macro_rules! avx {
    ($expression:expr) => {{
        // SAFETY: the arguments or the token can only come from `dispatch`, which detected the set.
        unsafe { $expression }
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

    four_numbers!();

    #[inline(always)]
    fn mul_add4(self, a: Four, b: Four, c: Four) -> Four {
        self.add4(self.mul4(a, b), c)
    }

    #[inline(always)]
    fn transpose(self, rows: [Four; LANES]) -> [Two; 4] {
        let [a, b, c, d, e, f, g, h] = rows;
        let low = transpose4([a.0, b.0, c.0, d.0]);
        let high = transpose4([e.0, f.0, g.0, h.0]);
        [
            Two(low[0], high[0]),
            Two(low[1], high[1]),
            Two(low[2], high[2]),
            Two(low[3], high[3]),
        ]
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
    fn transpose_rows(self, rows: [[Four; 3]; LANES]) -> [[Two; 4]; 3] {
        let [a, b, c, d, e, f, g, h] = rows;
        [
            self.transpose([a[0], b[0], c[0], d[0], e[0], f[0], g[0], h[0]]),
            self.transpose([a[1], b[1], c[1], d[1], e[1], f[1], g[1], h[1]]),
            self.transpose([a[2], b[2], c[2], d[2], e[2], f[2], g[2], h[2]]),
        ]
    }
}

/// One register of eight; no fused operations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

/// As [`Avx2`], with fused multiply-adds and estimates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2Fma(());

#[derive(Clone, Copy)]
pub(crate) struct Eight(__m256);

impl Add for Eight {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(avx!(_mm256_add_ps(self.0, other.0)))
    }
}

impl Sub for Eight {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(avx!(_mm256_sub_ps(self.0, other.0)))
    }
}

impl Mul for Eight {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(avx!(_mm256_mul_ps(self.0, other.0)))
    }
}

macro_rules! eight_lanes {
    ($token:ty, $mul_add:ident, $mul_add4:ident, $inverse_sqrt:ident) => {
        impl $token {
            /// Two rows in one register, and the third.
            #[inline(always)]
            fn load_rows(self, rows: &[Vec4; 3]) -> (Eight, Four) {
                let start: *const f32 = rows.as_ptr().cast();
                // Twelve floats in a row are readable from `start`; unaligned loads.
                avx!((
                    Eight(_mm256_loadu_ps(start)),
                    Four(_mm_loadu_ps(start.add(8)))
                ))
            }
        }

        impl Simd for $token {
            type F = Eight;

            #[inline(always)]
            fn splat(self, value: f32) -> Eight {
                Eight(avx!(_mm256_set1_ps(value)))
            }

            #[inline(always)]
            fn load(self, values: &[f32; LANES]) -> Eight {
                // Eight floats are readable; unaligned load.
                Eight(avx!(_mm256_loadu_ps(values.as_ptr())))
            }

            #[inline(always)]
            fn load_i16(self, values: &[i16; LANES]) -> Eight {
                // Sixteen bytes are readable; unaligned load.
                Eight(avx!(_mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(
                    _mm_loadu_si128(values.as_ptr().cast())
                ))))
            }

            #[inline(always)]
            fn store(self, values: Eight, to: &mut [f32; LANES]) {
                // Eight floats are writable; unaligned store.
                avx!(_mm256_storeu_ps(to.as_mut_ptr(), values.0))
            }

            #[inline(always)]
            fn mul_add(self, a: Eight, b: Eight, c: Eight) -> Eight {
                $mul_add(a, b, c)
            }

            #[inline(always)]
            fn div(self, a: Eight, b: Eight) -> Eight {
                Eight(avx!(_mm256_div_ps(a.0, b.0)))
            }

            #[inline(always)]
            fn inverse_sqrt(self, a: Eight) -> Eight {
                $inverse_sqrt(a)
            }

            #[inline(always)]
            fn flip(self, a: Eight, sign: Eight) -> Eight {
                Eight(avx!(_mm256_xor_ps(
                    a.0,
                    _mm256_and_ps(sign.0, _mm256_set1_ps(-0.0))
                )))
            }

            #[inline(always)]
            fn or(self, a: Eight, b: Eight) -> Eight {
                Eight(avx!(_mm256_or_ps(a.0, b.0)))
            }

            #[inline(always)]
            fn xor(self, a: Eight, b: Eight) -> Eight {
                Eight(avx!(_mm256_xor_ps(a.0, b.0)))
            }

            #[inline(always)]
            fn sign_bits(self, a: Eight) -> u8 {
                avx!(_mm256_movemask_ps(a.0)).to_le_bytes()[0]
            }

            #[inline(always)]
            fn min(self, a: Eight, b: Eight) -> Eight {
                Eight(avx!(_mm256_min_ps(a.0, b.0)))
            }

            #[inline(always)]
            fn where_positive(self, test: Eight, yes: Eight, no: Eight) -> Eight {
                Eight(avx!(_mm256_blendv_ps(
                    no.0,
                    yes.0,
                    _mm256_cmp_ps::<_CMP_GT_OQ>(test.0, _mm256_setzero_ps())
                )))
            }

            four_numbers!();

            #[inline(always)]
            fn mul_add4(self, a: Four, b: Four, c: Four) -> Four {
                $mul_add4(a, b, c)
            }

            #[inline(always)]
            fn transpose(self, rows: [Four; LANES]) -> [Eight; 4] {
                let [a, b, c, d, e, f, g, h] = rows;
                let [x, y, z, w] = avx!(transpose_halves([
                    _mm256_set_m128(e.0, a.0),
                    _mm256_set_m128(f.0, b.0),
                    _mm256_set_m128(g.0, c.0),
                    _mm256_set_m128(h.0, d.0),
                ]));
                [Eight(x), Eight(y), Eight(z), Eight(w)]
            }

            #[inline(always)]
            fn transpose_back(self, columns: [Eight; 4]) -> [Four; LANES] {
                let [x, y, z, w] = columns;
                let [a, b, c, d] = avx!(transpose_halves([x.0, y.0, z.0, w.0]));
                [
                    low(a),
                    low(b),
                    low(c),
                    low(d),
                    high(a),
                    high(b),
                    high(c),
                    high(d),
                ]
            }

            type Rows = (Eight, Four);

            #[inline(always)]
            fn scale_rows(self, rows: &[Vec4; 3], factor: f32) -> (Eight, Four) {
                let (two, one) = self.load_rows(rows);
                (
                    two * self.splat(factor),
                    self.mul4(one, self.splat4(factor)),
                )
            }

            #[inline(always)]
            fn add_rows(self, rows: &[Vec4; 3], factor: f32, sum: (Eight, Four)) -> (Eight, Four) {
                let (two, one) = self.load_rows(rows);
                (
                    $mul_add(two, self.splat(factor), sum.0),
                    $mul_add4(one, self.splat4(factor), sum.1),
                )
            }

            #[inline(always)]
            fn transpose_rows(self, rows: [(Eight, Four); LANES]) -> [[Eight; 4]; 3] {
                let [a, b, c, d, e, f, g, h] = rows;
                let first = avx!(transpose_halves([
                    _mm256_permute2f128_ps::<0x20>(a.0.0, e.0.0),
                    _mm256_permute2f128_ps::<0x20>(b.0.0, f.0.0),
                    _mm256_permute2f128_ps::<0x20>(c.0.0, g.0.0),
                    _mm256_permute2f128_ps::<0x20>(d.0.0, h.0.0),
                ]));
                let second = avx!(transpose_halves([
                    _mm256_permute2f128_ps::<0x31>(a.0.0, e.0.0),
                    _mm256_permute2f128_ps::<0x31>(b.0.0, f.0.0),
                    _mm256_permute2f128_ps::<0x31>(c.0.0, g.0.0),
                    _mm256_permute2f128_ps::<0x31>(d.0.0, h.0.0),
                ]));
                let eights = |four: [__m256; 4]| {
                    [
                        Eight(four[0]),
                        Eight(four[1]),
                        Eight(four[2]),
                        Eight(four[3]),
                    ]
                };
                let third = self.transpose([a.1, b.1, c.1, d.1, e.1, f.1, g.1, h.1]);
                [eights(first), eights(second), third]
            }

            #[inline(always)]
            fn mul_affine(self, parent: &Affine3A, local: &Affine3A) -> Affine3A {
                let [p0, p1, p2, p3] = self.load_affine(parent);
                let [p0, p1, p2] = [twice(p0), twice(p1), twice(p2)];
                let [l0, l1, l2, l3] = self.load_affine(local);
                // Two columns at a time.
                let pair = pair(l0, l1);
                let sum = Eight(p0) * splat_halves::<0x00>(pair);
                let sum = $mul_add(Eight(p1), splat_halves::<0x55>(pair), sum);
                let first = $mul_add(Eight(p2), splat_halves::<0xaa>(pair), sum).0;
                let pair = self::pair(l2, l3);
                let sum = Eight(p0) * splat_halves::<0x00>(pair);
                let sum = $mul_add(Eight(p1), splat_halves::<0x55>(pair), sum);
                let second = $mul_add(Eight(p2), splat_halves::<0xaa>(pair), sum).0;
                // The translation, not the axis next to it, is moved by the parent's.
                let translation = self.add4(high(second), p3);
                self.to_affine([low(first), high(first), low(second), translation])
            }
        }
    };
}

eight_lanes!(Avx2, separate, separate4, exact_inverse_sqrt);
eight_lanes!(Avx2Fma, fused, fused4, estimated_inverse_sqrt);

#[inline(always)]
fn low(pair: __m256) -> Four {
    Four(avx!(_mm256_castps256_ps128(pair)))
}

#[inline(always)]
fn high(pair: __m256) -> Four {
    Four(avx!(_mm256_extractf128_ps::<1>(pair)))
}

#[inline(always)]
fn pair(low: Four, high: Four) -> __m256 {
    avx!(_mm256_set_m128(high.0, low.0))
}

#[inline(always)]
fn twice(four: Four) -> __m256 {
    pair(four, four)
}

/// One number of each half, four times.
#[inline(always)]
fn splat_halves<const WHICH: i32>(pair: __m256) -> Eight {
    Eight(avx!(_mm256_permute_ps::<WHICH>(pair)))
}

/// Transposes the low and the high halves, each by itself.
#[inline(always)]
unsafe fn transpose_halves(rows: [__m256; 4]) -> [__m256; 4] {
    let [a, b, c, d] = rows;
    // SAFETY: the caller holds a token of AVX.
    unsafe {
        let (ab, cd) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d));
        let (xy, zw) = (_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d));
        [
            _mm256_shuffle_ps::<0x44>(ab, cd),
            _mm256_shuffle_ps::<0xee>(ab, cd),
            _mm256_shuffle_ps::<0x44>(xy, zw),
            _mm256_shuffle_ps::<0xee>(xy, zw),
        ]
    }
}

#[inline(always)]
fn separate4(a: Four, b: Four, c: Four) -> Four {
    // SAFETY: SSE2 is part of every x86-64.
    Four(unsafe { _mm_add_ps(_mm_mul_ps(a.0, b.0), c.0) })
}

#[inline(always)]
fn fused4(a: Four, b: Four, c: Four) -> Four {
    Four(avx!(_mm_fmadd_ps(a.0, b.0, c.0)))
}

#[inline(always)]
fn separate(a: Eight, b: Eight, c: Eight) -> Eight {
    a * b + c
}

#[inline(always)]
fn fused(a: Eight, b: Eight, c: Eight) -> Eight {
    Eight(avx!(_mm256_fmadd_ps(a.0, b.0, c.0)))
}

#[inline(always)]
fn exact_inverse_sqrt(a: Eight) -> Eight {
    Eight(avx!(_mm256_div_ps(_mm256_set1_ps(1.0), _mm256_sqrt_ps(a.0))))
}

/// One Newton step on the 12-bit estimate: e (1.5 - 0.5 a e^2), about 22 bits.
#[inline(always)]
fn estimated_inverse_sqrt(a: Eight) -> Eight {
    avx!({
        let estimate = _mm256_rsqrt_ps(a.0);
        let half = _mm256_mul_ps(_mm256_mul_ps(a.0, _mm256_set1_ps(0.5)), estimate);
        let correction = _mm256_fnmadd_ps(half, estimate, _mm256_set1_ps(1.5));
        Eight(_mm256_mul_ps(estimate, correction))
    })
}
