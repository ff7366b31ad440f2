//! Eight lanes of f32 with run-time dispatch: the crate's one file with `unsafe`.
//!
//! A kernel is written once as a [`Job`] over a [`Simd`] token. [`dispatch`] looks at the machine and runs the
//! job's body inside a function that has the instruction set enabled. A token can only be had from `dispatch`,
//! so holding one proves that its instructions exist.
//!
//! `Portable`, `Sse2` and `Avx2` do the same operations in the same order, hence give the same bits.
//! `Avx2Fma` fuses multiply-adds and estimates reciprocal square roots.

#![allow(
    unsafe_code,
    reason = "core::arch intrinsics; each block says why it is sound, tests compare every path with the portable one"
)]

use std::ops::{Add, Mul, Sub};

use crate::{Kernel, pose::LANES};

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
}

/// A kernel.
pub(crate) trait Job {
    type Output;

    /// Must be `#[inline(always)]`, and so must all that it calls with `simd`.
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// Runs `job` with the best instruction set that this machine has and `kernel` allows.
#[inline]
pub(crate) fn dispatch<J: Job>(kernel: Kernel, job: J) -> J::Output {
    #[cfg(all(test, target_arch = "x86_64"))]
    match tests::FORCED.get() {
        Some(tests::Set::Portable) => return job.run(Portable),
        Some(tests::Set::Sse2) => return job.run(x86::Sse2::new()),
        None => {}
    }
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx2") {
            if kernel == Kernel::Fast && is_x86_feature_detected!("fma") {
                // SAFETY: AVX2 and FMA were just detected.
                return unsafe { x86::with_avx2_fma(job) };
            }
            // SAFETY: AVX2 was just detected.
            return unsafe { x86::with_avx2(job) };
        }
        // SSE2 is part of every x86-64.
        job.run(x86::Sse2::new())
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = kernel;
        job.run(Portable)
    }
}

#[cfg(any(test, not(target_arch = "x86_64")))]
pub(crate) use portable::Portable;

#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable {
    use super::{Add, LANES, Mul, Simd, Sub};

    /// Plain arrays: what other machines run, and the reference for the tests.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Portable;

    #[derive(Clone, Copy)]
    pub(crate) struct Array([f32; LANES]);

    impl Array {
        #[inline(always)]
        fn zip(self, other: Self, function: impl Fn(f32, f32) -> f32) -> Self {
            let mut out = self;
            for lane in 0..LANES {
                out.0[lane] = function(self.0[lane], other.0[lane]);
            }
            out
        }
    }

    impl Add for Array {
        type Output = Self;

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            self.zip(other, |a, b| a + b)
        }
    }

    impl Sub for Array {
        type Output = Self;

        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            self.zip(other, |a, b| a - b)
        }
    }

    impl Mul for Array {
        type Output = Self;

        #[inline(always)]
        fn mul(self, other: Self) -> Self {
            self.zip(other, |a, b| a * b)
        }
    }

    impl Simd for Portable {
        type F = Array;

        #[inline(always)]
        fn splat(self, value: f32) -> Array {
            Array([value; LANES])
        }

        #[inline(always)]
        fn load(self, values: &[f32; LANES]) -> Array {
            Array(*values)
        }

        #[inline(always)]
        fn load_i16(self, values: &[i16; LANES]) -> Array {
            Array(values.map(f32::from))
        }

        #[inline(always)]
        fn store(self, values: Array, to: &mut [f32; LANES]) {
            *to = values.0;
        }

        #[inline(always)]
        fn mul_add(self, a: Array, b: Array, c: Array) -> Array {
            a * b + c
        }

        #[inline(always)]
        fn inverse_sqrt(self, a: Array) -> Array {
            Array(a.0.map(|value| 1.0 / value.sqrt()))
        }

        #[inline(always)]
        fn flip(self, a: Array, sign: Array) -> Array {
            a.zip(sign, |a, sign| {
                f32::from_bits(a.to_bits() ^ (sign.to_bits() & (1 << 31)))
            })
        }

        #[inline(always)]
        fn or(self, a: Array, b: Array) -> Array {
            a.zip(b, |a, b| f32::from_bits(a.to_bits() | b.to_bits()))
        }

        #[inline(always)]
        fn xor(self, a: Array, b: Array) -> Array {
            a.zip(b, |a, b| f32::from_bits(a.to_bits() ^ b.to_bits()))
        }

        #[inline(always)]
        fn sign_bits(self, a: Array) -> u8 {
            (0..LANES).fold(0, |bits, lane| {
                bits | (u8::from(a.0[lane].is_sign_negative()) << lane)
            })
        }

        #[inline(always)]
        fn min(self, a: Array, b: Array) -> Array {
            a.zip(b, |a, b| if a < b { a } else { b })
        }

        #[inline(always)]
        fn where_positive(self, test: Array, yes: Array, no: Array) -> Array {
            let mut out = no;
            for lane in 0..LANES {
                if test.0[lane] > 0.0 {
                    out.0[lane] = yes.0[lane];
                }
            }
            out
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) mod x86 {
    use core::arch::x86_64::*;

    use super::{Add, Job, LANES, Mul, Simd, Sub};

    #[target_feature(enable = "avx2")]
    pub(super) fn with_avx2<J: Job>(job: J) -> J::Output {
        job.run(Avx2(()))
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn with_avx2_fma<J: Job>(job: J) -> J::Output {
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
        ($token:ty, $mul_add:ident, $inverse_sqrt:ident) => {
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
            }
        };
    }

    eight_lanes!(Avx2, separate, exact_inverse_sqrt);
    eight_lanes!(Avx2Fma, fused, estimated_inverse_sqrt);

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
    pub(crate) fn same_on_every_set<T: PartialEq + std::fmt::Debug>(run: impl Fn() -> T) -> T {
        FORCED.set(Some(Set::Portable));
        let portable = run();
        FORCED.set(Some(Set::Sse2));
        let sse2 = run();
        FORCED.set(None);
        let best = run();
        assert!(
            portable == sse2,
            "plain arrays and SSE2 differ: {portable:?} and {sse2:?}"
        );
        assert!(
            portable == best,
            "plain arrays and the best set differ: {portable:?} and {best:?}"
        );
        portable
    }
}
