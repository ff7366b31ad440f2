//! Blocks of lanes: the kernels as loops that the compiler turns into vector code, for the widest registers that the CPU
//! has. Which ones is found at run time, so that a default build is as fast as one for the machine at hand.
//!
//! The wide form is the same code compiled for AVX2, without fused multiply-add: no bit differs.
#![allow(
    unsafe_code,
    reason = "one call of a function compiled for AVX2, after the CPU was asked"
)]

/// Lanes in a block: four AVX2 registers of `f32`.
pub(crate) const BLOCK: usize = 32;

/// One value for every lane.
pub(crate) type Lanes<T> = [T; BLOCK];

/// Loops over lanes. `run` and all that it calls must be `#[inline(always)]`, or they are compiled without AVX2.
pub(crate) trait Work {
    fn run(self);
}

/// Runs the loops in the widest form that the CPU has.
pub(crate) fn widest(work: impl Work) {
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the CPU has AVX2, the only feature that the function asks for.
        return unsafe { avx2(work) };
    }
    work.run();
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[target_feature(enable = "avx2")]
fn avx2(work: impl Work) {
    work.run();
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sum<'a>(&'a [f32], &'a mut f32);

    impl Work for Sum<'_> {
        #[inline(always)]
        fn run(self) {
            *self.1 = self.0.iter().sum();
        }
    }

    #[test]
    fn the_wide_form_gives_the_bits_of_the_plain_one() {
        let items: [f32; 100] = core::array::from_fn(|n| 1.0 / (n as f32 + 0.3));
        let (mut plain, mut wide) = (0.0, 0.0);
        Sum(&items, &mut plain).run();
        widest(Sum(&items, &mut wide));
        assert_eq!(plain.to_bits(), wide.to_bits(), "{plain} {wide}");
    }
}
