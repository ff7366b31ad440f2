//! Seeded random numbers for starts: the same on every machine.

/// `SplitMix64` (G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// Independent sequences for each seed and stream.
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        let mut random = Self(seed);
        random.0 = random
            .next()
            .wrapping_add(stream.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// In [-1, 1).
    pub(crate) fn signed(&mut self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "53 bits fit exactly")]
        let bits = (self.next() >> 11) as f64;
        bits * (2.0 / 9_007_199_254_740_992.0) - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spread_evenly_and_streams_differ() {
        let mut counts = [0; 10];
        let mut random = Random::new(1, 0);
        for _ in 0..10_000 {
            let place = (random.signed() + 1.0) * 5.0;
            assert!((0.0..10.0).contains(&place), "{place} is outside [-1, 1)");
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 9")]
            let bin = place as usize;
            counts[bin] += 1;
        }
        // Binomial: 1000 +- 30 each; five sigmas.
        assert!(
            counts.iter().all(|&count: &i32| (count - 1000).abs() < 150),
            "{counts:?}"
        );
        assert_ne!(Random::new(1, 0).next(), Random::new(1, 1).next(), "streams");
        assert_ne!(Random::new(1, 0).next(), Random::new(2, 0).next(), "seeds");
    }
}
