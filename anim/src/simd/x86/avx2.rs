//! AVX2, with and without fused multiply-adds.

use core::arch::x86_64::*;

use glam::{Affine3A, Mat3A, Vec3, Vec4};

use super::{Four, four_numbers, from_vec3s, to_vec3s};
use crate::simd::{Add, LANES, Mul, Palette, Simd, Sub, weighted_rows};

/// Applies an intrinsic to registers that only a token can have made.
macro_rules! avx {
    ($expression:expr) => {{
        // SAFETY: the arguments or the token can only come from `dispatch`, which detected the set.
        unsafe { $expression }
    }};
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

/// A palette that is known to have every slot it is asked for.
#[derive(Clone, Copy)]
struct Known<'a>(&'a [[Vec4; 3]]);

impl<'a> Known<'a> {
    /// # Safety
    /// It is asked for no slot that `palette` lacks.
    const unsafe fn new(palette: &'a [[Vec4; 3]]) -> Self {
        Self(palette)
    }
}

impl Palette for Known<'_> {
    #[inline(always)]
    fn rows(&self, slot: u16) -> &[Vec4; 3] {
        // SAFETY: whoever made it said that the slot is there.
        unsafe { self.0.get_unchecked(usize::from(slot)) }
    }
}

macro_rules! eight_lanes {
    ($token:ty, $mul_add:ident, $mul_add4:ident, $inverse_sqrt:ident) => {
        impl $token {
            /// Only where AVX2 was detected, and FMA for the token that uses it.
            pub(super) const fn new() -> Self {
                Self(())
            }

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

            #[inline(always)]
            fn unpack24(self, bits: [Eight; 3]) -> [Eight; 4] {
                avx!({
                    let [x, y, z] = bits;
                    let (x, y, z) = (
                        _mm256_castps_si256(x.0),
                        _mm256_castps_si256(y.0),
                        _mm256_castps_si256(z.0),
                    );
                    let byte = _mm256_set1_epi32(0xff);
                    let high = _mm256_slli_epi32::<24>(x);
                    let middle = _mm256_slli_epi32::<16>(_mm256_and_si256(y, byte));
                    let low = _mm256_slli_epi32::<8>(_mm256_and_si256(z, byte));
                    let w = _mm256_or_si256(_mm256_or_si256(high, middle), low);
                    [
                        Eight(_mm256_cvtepi32_ps(_mm256_srai_epi32::<8>(x))),
                        Eight(_mm256_cvtepi32_ps(_mm256_srai_epi32::<8>(y))),
                        Eight(_mm256_cvtepi32_ps(_mm256_srai_epi32::<8>(z))),
                        Eight(_mm256_cvtepi32_ps(_mm256_srai_epi32::<8>(w))),
                    ]
                })
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
            fn pair_rows(self, a: (Eight, Four), b: (Eight, Four)) -> [Eight; 3] {
                avx!([
                    Eight(_mm256_permute2f128_ps::<0x20>(a.0.0, b.0.0)),
                    Eight(_mm256_permute2f128_ps::<0x31>(a.0.0, b.0.0)),
                    Eight(_mm256_set_m128(b.1.0, a.1.0)),
                ])
            }

            #[inline(always)]
            fn transpose_fours(self, [a, b, c, d]: [Eight; 4]) -> [Eight; 4] {
                let [x, y, z, w] = avx!(transpose_halves([a.0, b.0, c.0, d.0]));
                [Eight(x), Eight(y), Eight(z), Eight(w)]
            }

            #[inline(always)]
            fn load_vec3s(self, from: &[Vec3; LANES]) -> [Eight; 3] {
                let from: *const f32 = from.as_ptr().cast();
                // Eight vectors are 24 floats in a row; unaligned loads.
                let [x, y, z] = avx!(from_vec3s!(
                    _mm256_shuffle_ps,
                    _mm256_set_m128(_mm_loadu_ps(from.add(12)), _mm_loadu_ps(from)),
                    _mm256_set_m128(_mm_loadu_ps(from.add(16)), _mm_loadu_ps(from.add(4))),
                    _mm256_set_m128(_mm_loadu_ps(from.add(20)), _mm_loadu_ps(from.add(8)))
                ));
                [Eight(x), Eight(y), Eight(z)]
            }

            #[inline(always)]
            fn store_vec3s(self, [x, y, z]: [Eight; 3], to: &mut [Vec3; LANES]) {
                let to: *mut f32 = to.as_mut_ptr().cast();
                // Eight vectors are 24 floats in a row; unaligned stores.
                avx!({
                    let fours = to_vec3s!(_mm256_shuffle_ps, x.0, y.0, z.0);
                    for (four, pair) in fours.into_iter().enumerate() {
                        _mm_storeu_ps(to.add(4 * four), _mm256_castps256_ps128(pair));
                        _mm_storeu_ps(to.add(4 * four + 12), _mm256_extractf128_ps::<1>(pair));
                    }
                })
            }

            #[inline(always)]
            fn weighted_rows<const COUNT: usize>(
                self,
                palette: &[[Vec4; 3]],
                slots: &[[[u16; COUNT]; LANES]],
                weights: &[[[f32; COUNT]; LANES]],
                sums: &mut [[[Eight; 3]; LANES / 2]],
            ) {
                let all = slots.as_flattened().as_flattened();
                let most = all.iter().fold(0, |most, &slot| slot.max(most));
                assert!(
                    usize::from(most) < palette.len(),
                    "slot {most} is not in the palette"
                );
                // SAFETY: no slot is larger than `most`, which the palette was just found to have.
                let known = unsafe { Known::new(palette) };
                weighted_rows(self, known, slots, weights, sums);
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
