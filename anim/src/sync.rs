//! Sync groups: clips of several layers that keep in step.

use crate::{
    Clip, Marker,
    layer::{Lane, MAX_VOICES},
    voice::Voice,
};

/// Seconds of its clip (below 0: backward) that each voice of a lane moves in `dt` seconds.
///
/// A group has one rate, in cycles a second: the average of its layers' own (speed over duration), by weight. Its
/// leader, the layer that shows most, moves at that rate; the others move so that they stay in step with it.
pub(crate) fn steps(lanes: &[Lane], index: usize, dt: f64) -> [f64; MAX_VOICES] {
    let lane = &lanes[index];
    let mut steps = [0.0; MAX_VOICES];
    let Some(group) = lane.layer.sync else {
        steps.fill(dt * speed(lane));
        return steps;
    };
    let Some(leader) = leader(lanes, group) else {
        return steps;
    };
    let cycles = dt * rate(lanes, group);
    let from = leader.position();
    let to = from + cycles * leader.duration();
    for (step, voice) in steps.iter_mut().zip(&lane.voices) {
        let in_step = (leader.repeats() && voice.repeats())
            .then(|| Alignment::nearest(&leader.clip, &voice.clip, from, voice.position()))
            .flatten();
        *step = match in_step {
            Some(aligned) => aligned.follow(to) - aligned.follow(from),
            None => cycles * voice.duration(),
        };
    }
    steps
}

/// Where a clip begins that joins a group: seconds behind its start. `None` where nothing plays in the group.
pub(crate) fn joining(lanes: &[Lane], group: u16, clip: &Clip, repeats: bool) -> Option<f64> {
    let leader = leader(lanes, group)?;
    let duration = length(clip);
    let aligned = (leader.repeats() && repeats && duration > 0.0)
        .then(|| Alignment::first(&leader.clip, clip))
        .flatten();
    Some(match aligned {
        Some(aligned) => aligned.follow(leader.position()).rem_euclid(duration),
        None => leader.phase() * duration,
    })
}

/// The newest voice of the layer that shows most, the lowest of equals.
fn leader(lanes: &[Lane], group: u16) -> Option<&Voice> {
    let mut best: Option<(f32, &Voice)> = None;
    for (weight, voice) in members(lanes, group) {
        if best.is_none_or(|(most, _)| weight > most) {
            best = Some((weight, voice));
        }
    }
    best.map(|(_, voice)| voice)
}

/// Cycles a second, averaged by weight; by number where nothing has a weight.
fn rate(lanes: &[Lane], group: u16) -> f64 {
    let (mut sum, mut total, mut plain, mut count) = (0.0, 0.0, 0.0, 0.0);
    for lane in lanes.iter().filter(|lane| lane.layer.sync == Some(group)) {
        for (weight, voice) in members(std::slice::from_ref(lane), group) {
            let own = speed(lane) / voice.duration();
            let weight = f64::from(weight.max(0.0));
            sum += own * weight;
            total += weight;
            plain += own;
            count += 1.0;
        }
    }
    if total > 0.0 {
        sum / total
    } else {
        plain / f64::max(count, 1.0)
    }
}

/// Weight and newest voice of each layer that plays something of some length.
fn members(lanes: &[Lane], group: u16) -> impl Iterator<Item = (f32, &Voice)> {
    let lanes = lanes.iter().filter(move |lane| lane.layer.sync == Some(group));
    let voices = lanes.filter_map(|lane| lane.voices.last().map(|voice| (lane.weight().0, voice)));
    voices.filter(|(_, voice)| voice.duration() > 0.0)
}

fn speed(lane: &Lane) -> f64 {
    if lane.layer.speed.is_finite() {
        f64::from(lane.layer.speed)
    } else {
        0.0
    }
}

fn length(clip: &Clip) -> f64 {
    f64::from(clip.end()) - f64::from(clip.start())
}

/// The markers of a repeating clip: those at its end and outside of it do not count.
fn beats(clip: &Clip) -> &[Marker] {
    let markers = clip.markers();
    let from = markers.partition_point(|marker| marker.time < clip.start());
    let to = markers.partition_point(|marker| marker.time < clip.end());
    &markers[from..to.max(from)]
}

/// Two repeating clips whose markers have the same names in the same order round the cycle.
struct Alignment<'a> {
    leader: &'a Clip,
    follower: &'a Clip,
    /// The follower's marker that belongs to the leader's first.
    shift: usize,
}

impl<'a> Alignment<'a> {
    fn all(leader: &'a Clip, follower: &'a Clip) -> impl Iterator<Item = Self> {
        let (names, others) = (beats(leader), beats(follower));
        let count = if names.len() == others.len() {
            names.len()
        } else {
            0
        };
        (0..count).filter_map(move |shift| {
            let rotated = others.iter().cycle().skip(shift);
            let same = names.iter().zip(rotated).all(|(a, b)| a.name == b.name);
            same.then_some(Self {
                leader,
                follower,
                shift,
            })
        })
    }

    fn first(leader: &'a Clip, follower: &'a Clip) -> Option<Self> {
        Self::all(leader, follower).next()
    }

    /// Of several (names that repeat in the cycle) the one that the two clips are in.
    fn nearest(leader: &'a Clip, follower: &'a Clip, at: f64, follower_at: f64) -> Option<Self> {
        let cycle = length(follower);
        let off = |aligned: &Self| {
            let off = (aligned.follow(at) - follower_at).rem_euclid(cycle);
            off.min(cycle - off)
        };
        Self::all(leader, follower).min_by(|a, b| off(a).total_cmp(&off(b)))
    }

    /// The follower's position for one of the leader, in seconds behind their starts; both go on through their
    /// loops. Between two markers evenly.
    fn follow(&self, position: f64) -> f64 {
        let cycle = length(self.leader);
        let loops = ((position - at(self.leader, 0)) / cycle).floor();
        let within = position - loops * cycle;
        let start = f64::from(self.leader.start());
        let passed = beats(self.leader).partition_point(|marker| f64::from(marker.time) - start <= within);
        let beat = passed.saturating_sub(1);
        let (from, to) = (at(self.leader, beat), at(self.leader, beat + 1));
        // Rounding can put `within` just before the first marker, and two markers may share their time.
        let fraction = if to > from {
            (within - from) / (to - from)
        } else {
            0.0
        };
        let (from, to) = (
            at(self.follower, beat + self.shift),
            at(self.follower, beat + self.shift + 1),
        );
        from + fraction * (to - from) + loops * length(self.follower)
    }
}

/// A marker's seconds behind the clip's start, on through the loops.
fn at(clip: &Clip, beat: usize) -> f64 {
    let beats = beats(clip);
    let (loops, beat) = (beat / beats.len(), beat % beats.len());
    #[expect(clippy::cast_precision_loss, reason = "0, 1 or 2")]
    let loops = loops as f64;
    f64::from(beats[beat].time) - f64::from(clip.start()) + loops * length(clip)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Animation, BakeOptions, Channel, Interpolation, Joint, JointId, Key, Skeleton, Transform};
    use glam::Vec3;

    /// Two markers at one time: behind thousands of loops a place just before them divided by the nothing between them,
    /// and with a step of NaN a clip went round for ever.
    #[test]
    fn two_markers_at_one_time_are_no_gap_to_divide_by() {
        let joint = Joint {
            name: String::new(),
            parent: None,
            rest: Transform::IDENTITY,
        };
        let skeleton = Skeleton::new(vec![joint]).unwrap();
        let keys = [Key::new(0.0, Vec3::ZERO), Key::new(0.7, Vec3::X)];
        let slide = Channel::translation(JointId(0), Interpolation::Linear, &keys).unwrap();
        let mut animation = Animation::new("slide", vec![slide]);
        animation.markers = [(0.1, "a"), (0.1, "b"), (0.4, "c")]
            .map(|(time, name)| Marker::new(time, name))
            .into();
        let (clip, _) = animation.bake(&skeleton, &BakeOptions::default()).unwrap();
        let aligned = Alignment::first(&clip, &clip).unwrap();
        for exponent in 0..31 {
            for part in 0..200_u8 {
                // After so many loops the place in the cycle is rounding, also from before the first marker.
                let position = f64::from(part) * 10.0_f64.powi(exponent) / 7.0;
                // A clip follows itself where it is.
                let found = aligned.follow(position);
                assert!(
                    (found - position).abs() <= 1e-12 * (1.0 + position),
                    "{found}, not {position}"
                );
            }
        }
    }
}
