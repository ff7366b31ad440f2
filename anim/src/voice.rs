//! One clip as it plays on a layer.

use std::sync::Arc;

use crate::{Clip, Marker};

/// What happens at a clip's end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Loop {
    /// It stays there.
    Once,
    /// It starts again: the last key's instant is the first key's.
    #[default]
    Repeat,
    /// It turns round.
    PingPong,
}

/// A longer step's first loops are left out of the events: at this many per frame nobody counts them.
const MAX_LOOPS_PER_STEP: f64 = 1000.0;

/// A clip that plays.
#[derive(Clone, Debug)]
pub(crate) struct Voice {
    pub(crate) clip: Arc<Clip>,
    /// Seconds behind the clip's start, 0..=duration. f64: a sum of thousands of frames.
    position: f64,
    /// Which way a ping-pong goes.
    forward: bool,
    looping: Loop,
    /// At its end, for good.
    finished: bool,
    /// Seconds since it began to fade in.
    pub(crate) age: f32,
    /// Seconds that it takes to fade in.
    pub(crate) fade: f32,
}

/// A stretch of time that a clip played without a break, in seconds behind its start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stretch {
    pub(crate) from: f64,
    pub(crate) to: f64,
    /// Whether `to` itself belongs to it; `from` always does.
    pub(crate) closed: bool,
    /// Seconds of the clip that the step had passed when it began.
    pub(crate) passed: f64,
}

impl Voice {
    pub(crate) fn new(clip: Arc<Clip>, looping: Loop, forward: bool, fade: f32) -> Self {
        let position = if forward { 0.0 } else { duration_of(&clip) };
        Self {
            clip,
            position,
            forward: true,
            looping,
            finished: false,
            age: 0.0,
            fade,
        }
    }

    /// In f64, as [`Clip::duration`] is rounded: an event at the very end has to be met.
    pub(crate) fn duration(&self) -> f64 {
        duration_of(&self.clip)
    }

    /// 0..=1; a clip without length is at 0.
    pub(crate) fn phase(&self) -> f64 {
        let duration = self.duration();
        if duration > 0.0 {
            self.position / duration
        } else {
            0.0
        }
    }

    pub(crate) const fn position(&self) -> f64 {
        self.position
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.finished && self.looping == Loop::Once
    }

    pub(crate) fn repeats(&self) -> bool {
        self.looping == Loop::Repeat
    }

    /// Two positions, `seconds` of the clip apart or less, between which a clip that moves at `rate` is or soon
    /// will be or just was, and no end between them: what its velocity is taken from.
    pub(crate) fn around(&self, rate: f64, seconds: f64) -> [f64; 2] {
        if self.is_finished() || rate == 0.0 {
            return [self.position; 2];
        }
        let (duration, seconds) = (self.duration(), seconds.min(self.duration()));
        if (rate > 0.0) == self.forward {
            let to = self.position.max(seconds);
            [to - seconds, to]
        } else {
            let to = self.position.min(duration - seconds);
            [to + seconds, to]
        }
    }

    pub(crate) fn seek(&mut self, position: f64) {
        self.position = position.clamp(0.0, self.duration());
        self.finished = false;
    }

    /// On the clip's own axis.
    pub(crate) fn time(&self) -> f32 {
        self.time_at(self.position)
    }

    pub(crate) fn time_at(&self, position: f64) -> f32 {
        #[expect(clippy::cast_possible_truncation, reason = "rounds to the clip's precision")]
        let time = (f64::from(self.clip.start()) + position) as f32;
        time
    }

    /// How far it has faded in, 0..=1, smoothly.
    pub(crate) fn presence(&self) -> f32 {
        presence(self.age, self.fade)
    }

    /// Moves by `step` seconds (finite) and reports each unbroken stretch on the way.
    pub(crate) fn advance(&mut self, step: f64, mut report: impl FnMut(&Self, Stretch)) {
        let duration = self.duration();
        if step == 0.0 {
            return;
        }
        if duration <= 0.0 {
            // One instant, passed once.
            if !std::mem::replace(&mut self.finished, true) {
                let stretch = Stretch {
                    from: 0.0,
                    to: 0.0,
                    closed: true,
                    passed: 0.0,
                };
                report(self, stretch);
            }
            return;
        }
        let mut left = if self.forward { step } else { -step };
        if self.looping != Loop::Once && left.abs() > MAX_LOOPS_PER_STEP * duration {
            // A whole number of cycles, of two loops each: a ping-pong then has the same direction.
            let cycles = ((left.abs() - MAX_LOOPS_PER_STEP * duration) / (2.0 * duration)).floor();
            left -= left.signum() * cycles * 2.0 * duration;
            // What huge steps lose to rounding must not loop forever.
            left = left.clamp(
                -2.0 * MAX_LOOPS_PER_STEP * duration,
                2.0 * MAX_LOOPS_PER_STEP * duration,
            );
        }
        let mut passed = 0.0;
        while left != 0.0 {
            let (end, start) = if left > 0.0 {
                (duration, 0.0)
            } else {
                (0.0, duration)
            };
            let room = (end - self.position).abs();
            if left.abs() < room {
                let to = self.position + left;
                report(
                    self,
                    Stretch {
                        from: self.position,
                        to,
                        closed: false,
                        passed,
                    },
                );
                self.position = to;
                self.finished = false;
                return;
            }
            if self.looping == Loop::Once && self.finished && room == 0.0 {
                return;
            }
            let closed = self.looping != Loop::PingPong;
            report(
                self,
                Stretch {
                    from: self.position,
                    to: end,
                    closed,
                    passed,
                },
            );
            self.position = end;
            passed += room;
            left -= left.signum() * room;
            match self.looping {
                Loop::Once => {
                    self.finished = true;
                    return;
                }
                Loop::Repeat => self.position = start,
                Loop::PingPong => {
                    self.forward = !self.forward;
                    left = -left;
                }
            }
        }
    }

    /// The clip's events in a stretch, in the order in which they are passed.
    ///
    /// With each come the seconds of the clip that the step had passed by then.
    pub(crate) fn events(&self, stretch: Stretch, mut report: impl FnMut(&Marker, f64)) {
        let Stretch {
            from,
            to,
            closed,
            passed,
        } = stretch;
        let start = f64::from(self.clip.start());
        if from < to || (from == to && from > 0.0) {
            for event in self.clip.events() {
                let at = f64::from(event.time) - start;
                if at >= from && (at < to || (closed && at == to)) {
                    report(event, passed + (at - from).abs());
                }
            }
        } else {
            for event in self.clip.events().iter().rev() {
                let at = f64::from(event.time) - start;
                if at <= from && (at > to || (closed && at == to)) {
                    report(event, passed + (at - from).abs());
                }
            }
        }
    }
}

fn duration_of(clip: &Clip) -> f64 {
    f64::from(clip.end()) - f64::from(clip.start())
}

/// How far a clip of that age has faded in that takes `fade` seconds for it.
pub(crate) fn presence(age: f32, fade: f32) -> f32 {
    if age >= fade {
        return 1.0;
    }
    let s = (age / fade).max(0.0);
    s * s * (3.0 - 2.0 * s)
}
