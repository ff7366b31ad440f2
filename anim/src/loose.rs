//! Eight tracks side by side, each with key times of its own.

use std::sync::Arc;

use arrayvec::ArrayVec;
use glam::Vec4;

use crate::{
    clip::{Curve, Place, Property, Row, interpolate, kernel::vector_row, lane_value, place, write_lane},
    lerp::{corrections, lerp, slerp},
    pose::{Block, LANES},
    simd::{Simd, WIDE_ONE, each_lane, store},
    timeline::Timeline,
};

/// A row whose lanes have different key times.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LooseRow {
    pub(crate) row: Row,
    /// Lanes with a track of their own.
    pub(crate) tracks: usize,
    /// When the lanes go from key to key; none if that is as in the row before.
    pub(crate) timeline: Option<Timeline>,
    /// The keys in the timeline's places; behind each lane's last one a copy of it at infinity.
    keys: Vec<LooseKey>,
    /// Cubic splines, by themselves.
    splines: Vec<(usize, Track)>,
}

/// The time as f32, then the value: a vector as three f32, a rotation as four integers of 24 bits that are
/// [`WIDE_ONE`] for one (three in the upper bits, the fourth in the bytes below them). A quarter of a cache line: a key
/// and the next one are usually fetched together.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(16))]
struct LooseKey([u32; 4]);

impl LooseKey {
    fn new(property: Property, time: f32, value: [f32; 4]) -> Self {
        let time = time.to_bits();
        let [x, y, z, w] = value;
        if property != Property::Rotation {
            return Self([time, x.to_bits(), y.to_bits(), z.to_bits()]);
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "24 bits; components of unit quaternions may be one and a rounding"
        )]
        let [x, y, z, w] =
            [x, y, z, w].map(|component| (component * WIDE_ONE).round().clamp(-WIDE_ONE, WIDE_ONE) as i32);
        let [low, middle, high, _] = w.to_le_bytes();
        let join = |number: i32, byte: u8| (number.cast_unsigned() << 8) | u32::from(byte);
        Self([time, join(x, high), join(y, middle), join(z, low)])
    }

    const fn time(self) -> f32 {
        f32::from_bits(self.0[0])
    }

    /// What is kept; eight rotations at once are decoded to [`WIDE_ONE`] times this.
    fn value(self, property: Property) -> Vec4 {
        let [_, x, y, z] = self.0;
        if property != Property::Rotation {
            return Vec4::new(f32::from_bits(x), f32::from_bits(y), f32::from_bits(z), 0.0);
        }
        let w = (x << 24) | ((y & 0xff) << 16) | ((z & 0xff) << 8);
        #[expect(clippy::cast_precision_loss, reason = "24 bits")]
        let number = |bits: u32| (bits.cast_signed() >> 8) as f32;
        Vec4::new(number(x), number(y), number(z), number(w)) / WIDE_ONE
    }
}

/// The keys of one lane.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Track {
    pub(crate) curve: Curve,
    pub(crate) times: Arc<[f32]>,
    /// Their [`key_rate`](crate::clip::key_rate).
    pub(crate) rate: f32,
    /// [`Curve::stride`] for each key.
    pub(crate) values: Vec<[f32; 4]>,
}

/// Keys between which all is linear: a step becomes two keys of one time, and of more such keys the first and the last
/// one remain.
fn linear_keys(track: &Track) -> Vec<(f32, [f32; 4])> {
    let mut keys: Vec<(f32, [f32; 4])> = Vec::with_capacity(track.times.len());
    for (&time, &value) in track.times.iter().zip(&track.values) {
        if let (Curve::Step, Some(&(earlier, before))) = (track.curve, keys.last())
            && earlier < time
        {
            keys.push((time, before));
        }
        if let [.., (a, _), (b, last)] = keys.as_mut_slice()
            && *a == time
            && *b == time
        {
            *last = value;
        } else {
            keys.push((time, value));
        }
    }
    keys
}

/// More than a processor looks ahead.
const ROWS_AT_ONCE: usize = 12;

impl LooseRow {
    /// From the tracks of the lanes; the others keep `base`'s values. `before` is the timeline of the row before.
    pub(crate) fn new(
        row: Row,
        tracks: [Option<Track>; LANES],
        base: &Block,
        before: Option<&Timeline>,
    ) -> Self {
        let count = tracks.iter().flatten().count();
        let mut splines = Vec::new();
        let mut lanes: [Vec<(f32, [f32; 4])>; LANES] = Default::default();
        for (lane, track) in tracks.into_iter().enumerate() {
            match track {
                Some(track) if track.curve != Curve::Cubic => lanes[lane] = linear_keys(&track),
                other => splines.extend(other.map(|track| (lane, track))),
            }
        }
        let times = lanes
            .each_ref()
            .map(|keys| keys.iter().map(|key| key.0).collect());
        let timeline = Timeline::new(&times);
        let mut keys = Vec::with_capacity(timeline.keys());
        for (lane, mut lane_keys) in lanes.into_iter().enumerate() {
            if lane_keys.is_empty() {
                lane_keys.push((0.0, lane_value(base, row.property, lane)));
            }
            let end = (f32::INFINITY, lane_keys[lane_keys.len() - 1].1);
            let all = lane_keys.into_iter().chain([end]);
            keys.extend(all.map(|(time, value)| LooseKey::new(row.property, time, value)));
        }
        Self {
            row,
            tracks: count,
            timeline: (before != Some(&timeline)).then_some(timeline),
            keys,
            splines,
        }
    }

    /// Bytes behind the row.
    pub(crate) fn size(&self) -> usize {
        let spline = |(_, track): &(usize, Track)| {
            size_of_val(&*track.times) + size_of_val(track.values.as_slice()) + size_of::<Track>()
        };
        size_of_val(self.keys.as_slice())
            + self.timeline.as_ref().map_or(0, Timeline::size)
            + self.splines.iter().map(spline).sum::<usize>()
    }

    /// One lane by itself; `timeline` is this row's or that of a row before.
    pub(crate) fn value(&self, timeline: &Timeline, time: f32, lane: usize) -> Vec4 {
        if let Some((_, spline)) = self.splines.iter().find(|(of, _)| *of == lane) {
            return spline.value(time, self.row.property);
        }
        let from = timeline.place(time, lane) as usize;
        let [start, end] = [self.keys[from].time(), self.keys[from + 1].time()];
        let place = Place {
            from,
            to: from + 1,
            fraction: ((time - start) / (end - start)).max(0.0),
            interval: 0.0,
        };
        let is_rotation = self.row.property == Property::Rotation;
        interpolate(Curve::Linear, place, is_rotation, |key| {
            self.keys[key].value(self.row.property)
        })
    }

    /// The two keys of each lane, as they are stored, and the fraction between them; `places` are the timeline's.
    #[inline(always)]
    fn gather<S: Simd>(&self, simd: S, places: &[u32; LANES], time: f32) -> Gathered<S> {
        let keys = each_lane!(lane => {
            let place = places[lane] as usize;
            let pair = &self.keys[place..place + 2];
            (simd.load4_bits(&pair[0].0), simd.load4_bits(&pair[1].0))
        });
        let [start, fx, fy, fz] = simd.transpose(each_lane!(lane => keys[lane].0));
        let [end, tx, ty, tz] = simd.transpose(each_lane!(lane => keys[lane].1));
        let fraction = simd.div(simd.splat(time) - start, end - start);
        // Before the first key it is negative.
        let fraction = simd.where_positive(fraction, fraction, simd.splat(0.0));
        Gathered {
            from: [fx, fy, fz],
            to: [tx, ty, tz],
            fraction,
        }
    }
}

struct Gathered<S: Simd> {
    from: [S::F; 3],
    to: [S::F; 3],
    fraction: S::F,
}

/// Samples all rows.
///
/// A few at a time, in stages over all of them: what a stage has to wait for in one row, it does in the next one
/// meanwhile. A row's stages one behind the other are more than a processor looks ahead.
#[inline(always)]
pub(crate) fn sample_loose<S: Simd>(simd: S, rows: &[LooseRow], time: f32, blocks: &mut [Block]) {
    let mut last = [0; LANES];
    for rows in rows.chunks(ROWS_AT_ONCE) {
        let mut places = ArrayVec::<_, ROWS_AT_ONCE>::new();
        for row in rows {
            if let Some(timeline) = &row.timeline {
                last = timeline.places(simd, time);
            }
            places.push(last);
        }
        let mut rotations = ArrayVec::<_, ROWS_AT_ONCE>::new();
        for (loose, places) in rows.iter().zip(&places) {
            let gathered = loose.gather(simd, places, time);
            let row = loose.row;
            if row.property == Property::Rotation {
                rotations.push((row.block, gathered));
            } else {
                let value = lerp(simd, gathered.from, gathered.to, gathered.fraction);
                store(simd, value, vector_row(blocks, row));
            }
        }
        for (block, gathered) in &rotations {
            let value = slerp(
                simd,
                simd.unpack24(gathered.from),
                simd.unpack24(gathered.to),
                gathered.fraction,
                corrections(simd, gathered.fraction),
                simd.splat(1.0 / (WIDE_ONE * WIDE_ONE)),
            );
            store(simd, value, &mut blocks[*block as usize].rotation);
        }
        for loose in rows {
            for (lane, spline) in &loose.splines {
                let value = spline.value(time, loose.row.property).to_array();
                let block = &mut blocks[loose.row.block as usize];
                write_lane(block, loose.row.property, *lane, value);
            }
        }
    }
}

impl Track {
    fn value(&self, time: f32, property: Property) -> Vec4 {
        let part = |part: usize| Vec4::from_array(self.values[part]);
        let place = place(&self.times, self.rate, time);
        interpolate(self.curve, place, property == Property::Rotation, part)
    }
}
