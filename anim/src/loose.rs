//! Eight tracks side by side, each with key times of its own.

#![allow(
    clippy::needless_range_loop,
    reason = "lanes of several arrays in step; iterators would hide which"
)]

use std::sync::Arc;

use glam::Vec4;

use crate::{
    clip::{
        Curve, Place, Property, Row, interpolate,
        kernel::{store, vector_row},
        lane_value, place, write_lane,
    },
    lerp::{corrections, lerp, slerp},
    pose::{Block, LANES},
    simd::{Simd, each_lane},
};

/// A row whose lanes have different key times.
///
/// The span of time is cut into even buckets; for each bucket and lane the first key that may count is kept, so
/// that finding a key takes no search.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LooseRow {
    pub(crate) row: Row,
    /// Lanes with a track of their own.
    pub(crate) tracks: usize,
    /// The keys of all lanes, one lane after the other; each lane is closed by two copies of its last key at infinity.
    keys: Vec<LooseKey>,
    /// For each bucket the index of a key at or before its beginning (or the lane's first key).
    buckets: Vec<[u32; LANES]>,
    start: f32,
    /// Buckets per second.
    rate: f32,
    /// Cubic splines, by themselves.
    splines: Vec<(usize, Track)>,
}

/// Half a cache line: a key and the next one are usually fetched together.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
struct LooseKey {
    /// Vectors leave the last component unused.
    value: [f32; 4],
    /// The time, and one over the seconds to the next key (0 for the last one, and for steps).
    timing: [f32; 4],
}

/// The keys of one lane.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Track {
    pub(crate) curve: Curve,
    pub(crate) times: Arc<[f32]>,
    /// [`Curve::stride`] for each key.
    pub(crate) values: Vec<[f32; 4]>,
}

/// More buckets than keys: most then hold one key at most.
const BUCKETS_PER_KEY: usize = 2;

/// With more, a bucket's index would lose digits in f32.
const MAX_BUCKETS: usize = 4096;

/// How much earlier than computed a bucket may begin, in buckets: the rounding of f32 times [`MAX_BUCKETS`].
const BUCKET_MARGIN: f64 = 2e-3;

impl LooseRow {
    /// From the tracks of the lanes; the others keep `base`'s values.
    pub(crate) fn new(row: Row, tracks: [Option<Track>; LANES], base: &Block) -> Self {
        let of = |track: &Option<Track>, time: fn(&Track) -> f32| track.as_ref().map(time);
        let first = tracks
            .iter()
            .filter_map(|track| of(track, |track| track.times[0]))
            .reduce(f32::min);
        let last = |track: &Track| track.times[track.times.len() - 1];
        let last = tracks.iter().flatten().map(last).reduce(f32::max);
        let (start, end) = (first.unwrap_or(0.0), last.unwrap_or(0.0));
        let most = tracks
            .iter()
            .flatten()
            .map(|track| track.times.len())
            .max()
            .unwrap_or(1);
        let count = (most * BUCKETS_PER_KEY).min(MAX_BUCKETS);
        let span = f64::from(end) - f64::from(start);
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            reason = "a small integer"
        )]
        let rate = if span > 0.0 {
            (count as f64 / span) as f32
        } else {
            0.0
        };
        let mut loose = Self {
            row,
            tracks: tracks.iter().flatten().count(),
            keys: Vec::new(),
            buckets: vec![[0; LANES]; count],
            start,
            rate: if rate.is_finite() { rate } else { 0.0 },
            splines: Vec::new(),
        };
        for (lane, track) in tracks.into_iter().enumerate() {
            let first = loose.keys.len();
            let key = |time, value, rate| LooseKey {
                value,
                timing: [time, rate, 0.0, 0.0],
            };
            match track {
                Some(track) if track.curve != Curve::Cubic => {
                    for (index, (&time, &value)) in track.times.iter().zip(&track.values).enumerate() {
                        let next = track.times.get(index + 1).copied().unwrap_or(f32::INFINITY);
                        // Two keys of one time are never interpolated.
                        let is_flat = track.curve == Curve::Step || next == time;
                        loose
                            .keys
                            .push(key(time, value, if is_flat { 0.0 } else { 1.0 / (next - time) }));
                    }
                }
                other => {
                    loose
                        .keys
                        .push(key(start, lane_value(base, row.property, lane), 0.0));
                    loose.splines.extend(other.map(|track| (lane, track)));
                }
            }
            let keys = &loose.keys[first..];
            for (bucket, starts) in loose.buckets.iter_mut().enumerate() {
                #[expect(clippy::cast_precision_loss, reason = "a small integer")]
                let begin = f64::from(start) + (bucket as f64 - BUCKET_MARGIN) / f64::from(loose.rate);
                let before = keys.partition_point(|key| f64::from(key.timing[0]) <= begin);
                starts[lane] = u32::try_from(first + before.max(1) - 1).expect("fewer than 2^32 keys");
            }
            let last = loose.keys[loose.keys.len() - 1];
            loose.keys.extend([key(f32::INFINITY, last.value, 0.0); 2]);
        }
        loose
    }

    /// Bytes behind the row.
    pub(crate) fn size(&self) -> usize {
        let spline = |(_, track): &(usize, Track)| {
            size_of_val(&*track.times) + size_of_val(track.values.as_slice()) + size_of::<Track>()
        };
        size_of_val(self.keys.as_slice())
            + size_of_val(self.buckets.as_slice())
            + self.splines.iter().map(spline).sum::<usize>()
    }

    #[inline(always)]
    fn bucket(&self, time: f32) -> &[u32; LANES] {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "`as` saturates; times before the start count as the start"
        )]
        let bucket = ((time - self.start) * self.rate) as usize;
        &self.buckets[bucket.min(self.buckets.len() - 1)]
    }

    /// The last key at or before `time`, or the lane's first one, from a key before that.
    #[inline(always)]
    fn key(&self, start: u32, time: f32) -> usize {
        let mut key = start as usize;
        // Most buckets hold one key at most. Two keys are looked at without a branch that could be mispredicted;
        // each lane ends with two at infinity.
        let next = &self.keys[key + 1..key + 3];
        key += usize::from(next[0].timing[0] <= time) + usize::from(next[1].timing[0] <= time);
        while self.keys[key + 1].timing[0] <= time {
            key += 1;
        }
        key
    }

    /// One lane by itself.
    pub(crate) fn value(&self, time: f32, lane: usize) -> Vec4 {
        if let Some((_, spline)) = self.splines.iter().find(|(of, _)| *of == lane) {
            return spline.value(time, self.row.property);
        }
        let from = self.key(self.bucket(time)[lane], time);
        let [start, rate, ..] = self.keys[from].timing;
        let fraction = ((time - start) * rate).clamp(0.0, 1.0);
        let place = Place {
            from,
            to: from + 1,
            fraction,
            interval: 0.0,
        };
        let part = |key: usize| Vec4::from_array(self.keys[key].value);
        interpolate(
            Curve::Linear,
            place,
            self.row.property == Property::Rotation,
            part,
        )
    }

    /// All lanes into their block.
    #[inline(always)]
    pub(crate) fn sample<S: Simd>(&self, simd: S, time: f32, blocks: &mut [Block]) {
        let bucket = self.bucket(time);
        let keys = each_lane!(lane => {
            let key = self.key(bucket[lane], time);
            let [a, b] = [&self.keys[key], &self.keys[key + 1]];
            (simd.load4(&a.value), simd.load4(&b.value), simd.load4(&a.timing))
        });
        let from = each_lane!(lane => keys[lane].0);
        let to = each_lane!(lane => keys[lane].1);
        let timing = each_lane!(lane => keys[lane].2);
        let (from, to, timing) = (simd.transpose(from), simd.transpose(to), simd.transpose(timing));
        // 0 before the first key; the product may round to slightly more than 1.
        let fraction = (simd.splat(time) - timing[0]) * timing[1];
        let fraction = simd.where_positive(fraction, fraction, simd.splat(0.0));
        let fraction = simd.min(fraction, simd.splat(1.0));
        if self.row.property == Property::Rotation {
            let value = slerp(
                simd,
                from,
                to,
                fraction,
                corrections(simd, fraction),
                simd.splat(1.0),
            );
            store(simd, value, &mut blocks[self.row.block as usize].rotation);
        } else {
            let [x, y, z, _] = lerp(simd, from, to, fraction);
            store(simd, [x, y, z], vector_row(blocks, self.row));
        }
        for (lane, spline) in &self.splines {
            let value = spline.value(time, self.row.property);
            write_lane(
                &mut blocks[self.row.block as usize],
                self.row.property,
                *lane,
                value.to_array(),
            );
        }
    }
}

impl Track {
    fn value(&self, time: f32, property: Property) -> Vec4 {
        let last = self.times.len() - 1;
        let span = self.times[last] - self.times[0];
        #[expect(clippy::cast_precision_loss, reason = "a guess")]
        let rate = if span > 0.0 { last as f32 / span } else { 0.0 };
        let part = |part: usize| Vec4::from_array(self.values[part]);
        let place = place(&self.times, rate, time);
        interpolate(self.curve, place, property == Property::Rotation, part)
    }
}
