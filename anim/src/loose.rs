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
        lane_value, place,
    },
    lerp::{corrections, lerp, slerp},
    pose::{Block, LANES},
    simd::Simd,
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
    /// The keys of all lanes, one lane after the other; each lane is closed by a copy of its last key at infinity.
    times: Vec<f32>,
    /// Vectors leave the last component unused.
    values: Vec<[f32; 4]>,
    /// For each bucket the index of a key at or before its beginning (or the lane's first key).
    buckets: Vec<[u32; LANES]>,
    start: f32,
    /// Buckets per second.
    rate: f32,
    /// 1, or 0 for steps.
    slopes: [f32; LANES],
    /// Cubic splines, by themselves.
    splines: Vec<(usize, Track)>,
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
            times: Vec::new(),
            values: Vec::new(),
            buckets: vec![[0; LANES]; count],
            start,
            rate: if rate.is_finite() { rate } else { 0.0 },
            slopes: [1.0; LANES],
            splines: Vec::new(),
        };
        for (lane, track) in tracks.into_iter().enumerate() {
            let first = loose.times.len();
            match track {
                Some(track) if track.curve != Curve::Cubic => {
                    loose.times.extend_from_slice(&track.times);
                    loose.values.extend_from_slice(&track.values);
                    loose.slopes[lane] = if track.curve == Curve::Step { 0.0 } else { 1.0 };
                }
                other => {
                    loose.times.push(start);
                    loose.values.push(lane_value(base, row.property, lane));
                    loose.splines.extend(other.map(|track| (lane, track)));
                }
            }
            let keys = &loose.times[first..];
            for (bucket, starts) in loose.buckets.iter_mut().enumerate() {
                #[expect(clippy::cast_precision_loss, reason = "a small integer")]
                let begin = f64::from(start) + (bucket as f64 - BUCKET_MARGIN) / f64::from(loose.rate);
                let before = keys.partition_point(|&key| f64::from(key) <= begin);
                starts[lane] = u32::try_from(first + before.max(1) - 1).expect("fewer than 2^32 keys");
            }
            loose.times.push(f32::INFINITY);
            loose.values.push(loose.values[loose.values.len() - 1]);
        }
        loose
    }

    /// Bytes behind the row.
    pub(crate) fn size(&self) -> usize {
        let spline = |(_, track): &(usize, Track)| {
            size_of_val(&*track.times) + size_of_val(track.values.as_slice()) + size_of::<Track>()
        };
        size_of_val(self.times.as_slice())
            + size_of_val(self.values.as_slice())
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
        // Most buckets hold one key at most: two steps without a branch that could be mispredicted.
        key += usize::from(self.times[key + 1] <= time);
        key += usize::from(self.times[key + 1] <= time);
        while self.times[key + 1] <= time {
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
        let interval = self.times[from + 1] - self.times[from];
        let fraction = ((time - self.times[from]) / interval).max(0.0) * self.slopes[lane];
        let place = Place {
            from,
            to: from + 1,
            fraction,
            interval,
        };
        let part = |key: usize| Vec4::from_array(self.values[key]);
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
        let (mut starts, mut ends) = ([0.0; LANES], [0.0; LANES]);
        let mut from = [simd.splat4(0.0); LANES];
        let mut to = from;
        for lane in 0..LANES {
            let key = self.key(bucket[lane], time);
            (starts[lane], ends[lane]) = (self.times[key], self.times[key + 1]);
            from[lane] = simd.load4(&self.values[key]);
            to[lane] = simd.load4(&self.values[key + 1]);
        }
        for (lane, spline) in &self.splines {
            let value = spline.value(time, self.row.property).to_array();
            (from[*lane], to[*lane]) = (simd.load4(&value), simd.load4(&value));
        }
        let (from, to) = (simd.transpose(from), simd.transpose(to));
        let start = simd.load(&starts);
        // Behind the last key the interval is infinite and the fraction 0; before the first one it is negative.
        let fraction = simd.div(simd.splat(time) - start, simd.load(&ends) - start);
        let fraction = simd.where_positive(fraction, fraction, simd.splat(0.0)) * simd.load(&self.slopes);
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
