//! Blocks of lanes: the kernels as loops that the compiler turns into vector code, for the widest registers that the CPU
//! has. Which ones is found at run time, so that a default build is as fast as one for the machine at hand.
//!
//! The wide forms are the same code compiled for AVX2 and AVX-512, without fused multiply-add: no bit differs, and the tests of the
//! batch forms hold every one of them to that.
#![allow(
    unsafe_code,
    reason = "calls of functions compiled for AVX2 and AVX-512, after the CPU was asked"
)]

/// Lanes in a block at most; [`Real::BLOCK`](crate::scalar::Real::BLOCK) of them are used.
pub(crate) const BLOCK: usize = 64;

/// One value for every lane.
pub(crate) type Lanes<T> = [T; BLOCK];

/// Loops over lanes. `run` and all that it calls must be `#[inline(always)]`, or they are compiled for plain registers.
pub(crate) trait Work {
    /// `MASKS`: choices by masks cost nothing.
    fn run<const MASKS: bool>(self);
}

/// The forms that the loops are compiled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// For every CPU of the target.
    Plain,
    /// Registers of 256 bits.
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    Avx2,
    /// Registers of 512 bits, and choices by masks.
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    Avx512,
}

impl Form {
    /// All that the target may have.
    #[cfg(test)]
    pub(crate) const ALL: &[Self] = &[
        Self::Plain,
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        Self::Avx2,
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        Self::Avx512,
    ];

    /// The widest that the CPU has.
    #[inline]
    pub(crate) fn widest() -> Self {
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        {
            if Self::Avx512.is_here() {
                return Self::Avx512;
            }
            if Self::Avx2.is_here() {
                return Self::Avx2;
            }
        }
        Self::Plain
    }

    /// Whether the CPU has it. The answer is kept by the standard library: asking costs a load and a comparison.
    #[inline]
    pub(crate) fn is_here(self) -> bool {
        match self {
            Self::Plain => true,
            #[cfg(all(feature = "std", target_arch = "x86_64"))]
            Self::Avx2 => std::arch::is_x86_feature_detected!("avx2"),
            #[cfg(all(feature = "std", target_arch = "x86_64"))]
            Self::Avx512 => {
                std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512vl")
                    && std::arch::is_x86_feature_detected!("avx512dq")
                    && std::arch::is_x86_feature_detected!("avx512bw")
            }
        }
    }

    /// Runs the loops in this form.
    ///
    /// # Panics
    ///
    /// If the CPU does not have it.
    pub(crate) fn run(self, work: impl Work) {
        assert!(self.is_here(), "the CPU has no {self:?}");
        match self {
            Self::Plain => work.run::<false>(),
            #[cfg(all(feature = "std", target_arch = "x86_64"))]
            // SAFETY: the CPU has AVX2, as asserted above: the only feature that the function asks for.
            Self::Avx2 => unsafe { avx2(work) },
            #[cfg(all(feature = "std", target_arch = "x86_64"))]
            // SAFETY: the CPU has the four parts of AVX-512 that the function asks for, as asserted above.
            Self::Avx512 => unsafe { avx512(work) },
        }
    }
}

/// Runs the loops in the widest form that the CPU has.
pub(crate) fn widest(work: impl Work) {
    Form::widest().run(work);
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[target_feature(enable = "avx2")]
fn avx2(work: impl Work) {
    work.run::<false>();
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
fn avx512(work: impl Work) {
    work.run::<true>();
}
