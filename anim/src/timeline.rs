//! Which key each of eight lanes is at, found at once for all of them.

use crate::{pose::LANES, simd::Simd};

/// The key times of eight lanes merged into one order of *steps*: after each, some lane has gone on to its next key.
///
/// One search among the steps replaces eight among the lanes' keys. Lanes have their keys one behind the other in a
/// list of [`Timeline::keys`] places; each lane is closed by a place of its own, so that every key has a next one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Timeline {
    /// When the steps happen, in order, no two at once; closed by infinities, so that eight can always be read.
    times: Box<[f32]>,
    /// How many steps come before each even piece of the span (those at its rounded beginning count as later).
    buckets: Box<[u32]>,
    start: f32,
    /// Buckets per second.
    rate: f32,
    /// The lanes' keys after every [`STEPS_PER_ANCHOR`]-th step, the first before any.
    anchors: Box<[[u32; LANES]]>,
    /// Before the first step and after each: how many keys each lane is behind the anchor.
    gone: Box<[[u8; LANES]]>,
    keys: usize,
}

/// A lane takes two keys in one step at most (see [`Timeline::new`]), so this many fit into a byte.
const STEPS_PER_ANCHOR: usize = 64;

/// One bucket for so many steps: eight are then nearly always enough to look at, even if they are not spread evenly.
const STEPS_PER_BUCKET: usize = 4;

/// With more, a bucket's beginning would be off by more than [`BUCKET_MARGIN`].
const MAX_BUCKETS: usize = 1 << 16;

/// How much earlier than computed a bucket may begin, in buckets: a difference and a product in f32 are each off by
/// 2^-24 of themselves, of up to 2^16 buckets: 2^-7 in all.
const BUCKET_MARGIN: f64 = 1.0 / 64.0;

impl Timeline {
    /// From each lane's key times, which never decrease; at most two are equal.
    ///
    /// A lane without times stands still.
    ///
    /// # Panics
    /// If there are 2^32 keys.
    pub(crate) fn new(lanes: &[Vec<f32>; LANES]) -> Self {
        let mut anchor = [0; LANES];
        let mut keys = 0;
        for (lane, times) in lanes.iter().enumerate() {
            anchor[lane] = u32::try_from(keys).expect("fewer than 2^32 keys");
            keys += times.len().max(1) + 1;
        }
        u32::try_from(keys).expect("fewer than 2^32 keys");
        // The first key counts from the beginning of time.
        let mut steps: Vec<(f32, usize)> = lanes
            .iter()
            .enumerate()
            .flat_map(|(lane, times)| times.iter().skip(1).map(move |&time| (time, lane)))
            .collect();
        steps.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut times, mut anchors, mut all_gone) = (Vec::new(), vec![anchor], vec![[0; LANES]]);
        let mut gone = [0; LANES];
        // + 0.0 makes one of the two zeros.
        for step in steps.chunk_by(|a, b| a.0 + 0.0 == b.0 + 0.0) {
            for &(_, lane) in step {
                gone[lane] += 1;
            }
            times.push(step[0].0);
            if all_gone.len().is_multiple_of(STEPS_PER_ANCHOR) {
                for (anchor, gone) in anchor.iter_mut().zip(&mut gone) {
                    *anchor += u32::from(*gone);
                    *gone = 0;
                }
                anchors.push(anchor);
            }
            all_gone.push(gone);
        }
        let (start, rate, buckets) = buckets(&times);
        times.extend([f32::INFINITY; LANES]);
        Self {
            times: times.into(),
            buckets,
            start,
            rate,
            anchors: anchors.into(),
            gone: all_gone.into(),
            keys,
        }
    }

    /// Places of all lanes' keys, with one behind each lane.
    pub(crate) const fn keys(&self) -> usize {
        self.keys
    }

    /// Bytes behind it.
    pub(crate) fn size(&self) -> usize {
        size_of_val(&*self.times)
            + size_of_val(&*self.buckets)
            + size_of_val(&*self.anchors)
            + size_of_val(&*self.gone)
    }

    /// For each lane the place of its last key at or before `time` (seconds, finite), or of its first one.
    #[inline(always)]
    pub(crate) fn places<S: Simd>(&self, simd: S, time: f32) -> [u32; LANES] {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "`as` saturates; times before the start count as the start"
        )]
        let bucket = ((time - self.start) * self.rate) as usize;
        let mut step = self.buckets[bucket.min(self.buckets.len() - 1)] as usize;
        // + 0.0 makes one of the two zeros: their difference can have a sign.
        let now = simd.splat(time + 0.0);
        if let Some(next) = self.times[step..].first_chunk() {
            // A lane's sign bit is set where its step is still to come; all behind it are then as well.
            let later = simd.sign_bits(now - simd.load(next));
            step += later.trailing_zeros() as usize;
            if later == 0 {
                // The steps are crowded here.
                step += self.times[step..].partition_point(|&step| step <= time);
            }
        }
        let (anchor, gone) = (&self.anchors[step / STEPS_PER_ANCHOR], &self.gone[step]);
        std::array::from_fn(|lane| anchor[lane] + u32::from(gone[lane]))
    }

    /// One lane's place of [`places`](Self::places).
    pub(crate) fn place(&self, time: f32, lane: usize) -> u32 {
        let step = self.times.partition_point(|&step| step <= time);
        self.anchors[step / STEPS_PER_ANCHOR][lane] + u32::from(self.gone[step][lane])
    }
}

/// The first step's time, buckets per second, and how many steps come before each bucket.
fn buckets(times: &[f32]) -> (f32, f32, Box<[u32]>) {
    let start = times.first().copied().unwrap_or(0.0);
    let span = times
        .last()
        .map_or(0.0, |&last| f64::from(last) - f64::from(start));
    let count = (times.len() / STEPS_PER_BUCKET).clamp(1, MAX_BUCKETS);
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "a small integer, and a rate that may be infinite"
    )]
    let rate = (count as f64 / span) as f32;
    // A span too short for a rate, or too long for a difference in f32, is one bucket.
    if !(rate.is_finite() && span <= f64::from(f32::MAX)) {
        return (start, 0.0, Box::new([0]));
    }
    let begins = (0..count).map(|bucket| {
        #[expect(clippy::cast_precision_loss, reason = "a small integer")]
        let begin = f64::from(start) + (bucket as f64 - BUCKET_MARGIN) / f64::from(rate);
        let before = times.partition_point(|&time| f64::from(time) < begin);
        u32::try_from(before).expect("fewer than 2^32 keys")
    });
    // All earlier times fall into the first bucket: its beginning is before the first step.
    (start, rate, begins.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Kernel,
        rigs::Random,
        simd::{Job, dispatch},
    };

    struct Find<'a>(&'a Timeline, f32);

    impl Job for Find<'_> {
        type Output = [u32; LANES];

        #[inline(always)]
        fn run<S: Simd>(&mut self, simd: S) -> [u32; LANES] {
            self.0.places(simd, self.1)
        }
    }

    fn check(lanes: &[Vec<f32>; LANES], extra: &[f32]) {
        let timeline = Timeline::new(lanes);
        let lengths = lanes.each_ref().map(|times| times.len().max(1) + 1);
        assert_eq!(timeline.keys(), lengths.iter().sum::<usize>());
        let times = lanes
            .iter()
            .flatten()
            .flat_map(|&time| [time, time.next_down(), time.next_up()]);
        for time in times.chain(extra.iter().copied()).filter(|time| time.is_finite()) {
            let found = crate::simd::tests::same_on_every_set(|| {
                dispatch(Kernel::Deterministic, &mut Find(&timeline, time))
            });
            for (lane, times) in lanes.iter().enumerate() {
                let at = times.partition_point(|&key| key <= time).max(1) - 1;
                let first: usize = lengths[..lane].iter().sum();
                assert_eq!(
                    found[lane] as usize,
                    first + at,
                    "lane {lane} at {time:e} of {times:?}"
                );
                assert_eq!(timeline.place(time, lane), found[lane]);
            }
        }
    }

    #[test]
    fn every_lane_is_where_a_search_of_its_own_would_find_it() {
        let mut random = Random(23);
        for count in [0, 1, 2, 3, 9, 70, 700] {
            let lanes = std::array::from_fn(|lane| {
                let mut times: Vec<f32> = (0..count + lane % 3).map(|_| random.signed() * 10.0).collect();
                times.sort_by(f32::total_cmp);
                // Pairs of equal times.
                if lane == 4 {
                    times = times.iter().flat_map(|&time| [time; 2]).collect();
                }
                times
            });
            let extra: Vec<f32> = (0..500).map(|_| random.signed() * 12.0).collect();
            check(&lanes, &extra);
        }
    }

    #[test]
    fn hard_times_are_found_too() {
        let evenly: Vec<f32> = (0..5_000_u16).map(|key| f32::from(key) / 30.0).collect();
        let far: Vec<f32> = (0..5_000_u16).map(|key| 1e6 + f32::from(key) / 8.0).collect();
        let crowded: Vec<f32> = (1..3_000_u16)
            .map(|key| 1.0 + f32::from(key) * f32::EPSILON)
            .collect();
        let tiny: Vec<f32> = (0..40).map(f32::from_bits).collect();
        let huge = vec![-f32::MAX, -1.0, 0.0, 1.0, f32::MAX];
        let zeros = vec![-1.0, -0.0, 0.0, 1.0];
        // One key far away makes all others crowd into one bucket.
        let mut lonely = evenly.clone();
        lonely.push(1e6);
        let spread: Vec<f32> = (-100..=100_i16).map(|key| f32::from(key) * 3e36).collect();
        for lanes in [
            [const { Vec::new() }; LANES],
            std::array::from_fn(|lane| evenly[lane..].to_vec()),
            std::array::from_fn(|_| far.clone()),
            std::array::from_fn(|lane| {
                if lane == 3 {
                    crowded.clone()
                } else {
                    vec![0.0, 1e4]
                }
            }),
            std::array::from_fn(|_| tiny.clone()),
            std::array::from_fn(|lane| lonely[lane..].to_vec()),
            std::array::from_fn(|_| spread.clone()),
            std::array::from_fn(|lane| {
                if lane % 2 == 0 {
                    huge.clone()
                } else {
                    zeros.clone()
                }
            }),
        ] {
            check(
                &lanes,
                &[0.0, -0.0, 1.0, -1e30, 1e30, f32::MAX, f32::MIN, 1e6 + 0.3],
            );
        }
    }
}
