//! One lane of the multiplexer.

use std::sync::Arc;

use crate::{
    Blend, Clip, Flags, Loop, Mask,
    inertia::Inertia,
    voice::{Voice, presence},
};

/// A layer's place in its [`Animux`](crate::Animux): 0 is the lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LayerId(pub(crate) u16);

impl LayerId {
    /// 0 is the lowest layer.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// How one layer of an [`Animux`](crate::Animux) plays and how much of it shows.
///
/// ```
/// use elea_anim::{Blend, Layer, Loop};
/// let reload = Layer { looping: Loop::Once, speed: 1.5, ..Layer::default() };
/// let breathing = Layer { blend: Blend::Additive, weight: 0.5, ..Layer::default() };
/// # assert_eq!(reload.weight, 1.0);
/// # assert_eq!(breathing.speed, 1.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Replaces its share of what is below, or adds to it.
    pub blend: Blend,
    /// The share that a replacing layer takes (0..=1; more counts as 1), or how much of a difference is added
    /// (any number; beyond [`MAX_ADDITIVE_WEIGHT`](Self::MAX_ADDITIVE_WEIGHT), in either direction, it counts as
    /// that). Translations and scales that leave f32's range by it become infinite; rotations never do. NaN, infinite, and below 0 for a replacing layer: the layer is left out
    /// ([`Flags::BAD_WEIGHT`]).
    pub weight: f32,
    /// Multiplies `weight`, joint by joint; `None` is every joint.
    pub mask: Option<Mask>,
    /// Multiplies the time; below 0 the clips play backward. Not finite: the layer stands still
    /// ([`Flags::BAD_TIME`]).
    pub speed: f32,
    /// What happens at the end of clips that are played from now on.
    pub looping: Loop,
    /// Layers of one group keep their clips in step: each moves by the same part of its cycle, at the average of
    /// their rates by weight. Repeating clips whose markers ([`Animation::markers`](crate::Animation::markers))
    /// have the same names in the same order round the cycle meet at their markers and move evenly in between:
    /// the layer that shows most leads, at its own pace.
    pub sync: Option<u16>,
    /// Events of a clip are reported where it shows by more than this (layer weight times fade, each at the
    /// event's own instant; also where it just begins to).
    pub event_weight: f32,
}

impl Layer {
    /// An additive layer's largest [`weight`](Self::weight), and negated its smallest: 10,000 times a difference.
    /// More would hardly turn a joint any further, and the product of several such rotations would leave f32's range.
    pub const MAX_ADDITIVE_WEIGHT: f32 = 1e4;
}

impl Default for Layer {
    /// Replace, weight 1, no mask, speed 1, repeat, no sync group.
    fn default() -> Self {
        Self {
            blend: Blend::Replace,
            weight: 1.0,
            mask: None,
            speed: 1.0,
            looping: Loop::Repeat,
            sync: None,
            event_weight: 0.0,
        }
    }
}

/// How a clip takes over from what its layer played before.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Transition {
    /// At once.
    #[default]
    Cut,
    /// Over that many seconds, both clips playing; at the beginning exactly the old pose, at the end exactly the
    /// new one. 0, less and NaN cut.
    Crossfade(f32),
    /// The new clip plays at once, and the difference from where the joints were, and how fast they moved, fades
    /// in that many seconds. Cheaper than a crossfade, as the old clip need not play on, and joints keep their
    /// momentum (Bollo, "Inertialization", GDC 2018). 0, less, NaN and infinity cut.
    Inertialized(f32),
}

/// Clips of one layer that can fade into each other at one time; a further one ends the oldest.
pub(crate) const MAX_VOICES: usize = 4;

/// A change of the layer's weight over time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WeightFade {
    pub(crate) from: f32,
    pub(crate) to: f32,
    pub(crate) age: f32,
    pub(crate) seconds: f32,
}

impl WeightFade {
    /// The weight that many seconds from now.
    fn after(&self, seconds: f32) -> f32 {
        let s = ((self.age + seconds) / self.seconds).clamp(0.0, 1.0);
        if s >= 1.0 {
            self.to
        } else {
            self.from + (self.to - self.from) * s
        }
    }
}

/// A lane's fades as they stand at the beginning of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fades {
    blend: Blend,
    weight: f32,
    fade: Option<WeightFade>,
    /// Age and fade of each voice.
    voices: [(f32, f32); MAX_VOICES],
    count: usize,
}

impl Fades {
    /// The layer's weight that many seconds from now, as far as it can be used.
    pub(crate) fn weight(&self, seconds: f32) -> f32 {
        let weight = self.fade.map_or(self.weight, |fade| fade.after(seconds));
        usable(self.blend, weight).unwrap_or(0.0)
    }

    /// The voice's share of the layer that many seconds from now.
    pub(crate) fn share(&self, voice: usize, seconds: f32) -> f32 {
        let presence_of = |index: usize| {
            let (age, fade) = self.voices[index];
            presence(age + seconds, fade)
        };
        let own = if voice == 0 { 1.0 } else { presence_of(voice) };
        (voice + 1..self.count).fold(own, |share, newer| share * (1.0 - presence_of(newer)))
    }
}

/// The weight, if it can be used.
fn usable(blend: Blend, weight: f32) -> Option<f32> {
    let most = Layer::MAX_ADDITIVE_WEIGHT;
    match blend {
        _ if !weight.is_finite() => None,
        Blend::Additive => Some(weight.clamp(-most, most)),
        Blend::Replace => (weight >= 0.0).then_some(weight),
    }
}

/// Length of a product of quaternions behind which no further factor may come: 2^10. A layer's clips share its weight,
/// hence its factors multiply to at most (1 + 2 * 10,000 / 4)^4 < 2^50 for four of them
/// ([`Layer::MAX_ADDITIVE_WEIGHT`]): the product stays below 2^60, and its square in f32's range.
const MAX_LENGTH: f32 = 1024.0;

/// Factors behind which no further one may come. Each has a length of at least the root of a half (a half turn of weight
/// 0.5), so that the square of the product stays above 2^-70.
const MAX_FACTORS: usize = 64;

/// Whether differences of these weights are as many as go into one product of rotations.
///
/// A rotation r with weight w enters as w r + (1 - w), r's real part not negative: of length |w| + |1 - w| at most.
pub(crate) fn fills_a_product(weights: impl ExactSizeIterator<Item = f32>) -> bool {
    weights.len() >= MAX_FACTORS
        || weights.fold(1.0, |length, weight| {
            length * (weight.abs() + (1.0 - weight).abs())
        }) > MAX_LENGTH
}

/// A layer and what plays on it.
#[derive(Debug)]
pub(crate) struct Lane {
    pub(crate) layer: Layer,
    /// Oldest first; never more than [`MAX_VOICES`], for which there is room from the start.
    pub(crate) voices: Vec<Voice>,
    pub(crate) fade: Option<WeightFade>,
    pub(crate) inertia: Inertia,
    /// How far each voice moves in the step that is being made.
    pub(crate) steps: [f64; MAX_VOICES],
}

impl Clone for Lane {
    fn clone(&self) -> Self {
        let mut voices = Vec::with_capacity(MAX_VOICES);
        voices.extend_from_slice(&self.voices);
        Self {
            layer: self.layer.clone(),
            voices,
            fade: self.fade,
            inertia: self.inertia.clone(),
            steps: self.steps,
        }
    }

    /// Without allocating, where the masks have the same number of joints.
    fn clone_from(&mut self, other: &Self) {
        let Self {
            layer,
            voices,
            fade,
            inertia,
            steps,
        } = self;
        let mask = match (layer.mask.take(), &other.layer.mask) {
            (Some(mut mask), Some(from)) => {
                mask.clone_from(from);
                Some(mask)
            }
            (_, from) => from.clone(),
        };
        *layer = Layer { mask, ..other.layer };
        voices.clone_from(&other.voices);
        inertia.clone_from(&other.inertia);
        (*fade, *steps) = (other.fade, other.steps);
    }
}

impl Lane {
    pub(crate) fn new(layer: Layer, joints: usize) -> Self {
        Self {
            layer,
            voices: Vec::with_capacity(MAX_VOICES),
            fade: None,
            inertia: Inertia::new(joints),
            steps: [0.0; MAX_VOICES],
        }
    }

    pub(crate) fn play(&mut self, clip: Arc<Clip>, transition: Transition) -> &mut Voice {
        if self.inertia.is_requested() {
            // It has never been seen: what it was to take over from is taken over from now.
            self.voices.pop();
            self.inertia.cancel_request();
        }
        let seconds = match transition {
            Transition::Crossfade(seconds) if !self.voices.is_empty() && seconds > 0.0 => seconds,
            Transition::Inertialized(seconds)
                if !self.voices.is_empty() && seconds > 0.0 && seconds.is_finite() =>
            {
                // The old voices stay until the next evaluation has seen where they were.
                self.inertia.request(seconds);
                0.0
            }
            _ => {
                self.voices.clear();
                self.inertia.clear();
                0.0
            }
        };
        if self.voices.len() == MAX_VOICES {
            self.voices.remove(0);
        }
        self.voices.push(Voice::new(
            clip,
            self.layer.looping,
            // Also for a speed that is no number.
            self.layer.speed.is_nan() || self.layer.speed >= 0.0,
            seconds,
        ));
        let last = self.voices.len() - 1;
        &mut self.voices[last]
    }

    /// The layer's weight as far as it can be used, and what was wrong with it.
    pub(crate) fn weight(&self) -> (f32, Flags) {
        match usable(self.layer.blend, self.layer.weight) {
            Some(weight) => (weight, Flags::NONE),
            None => (0.0, Flags::BAD_WEIGHT),
        }
    }

    pub(crate) fn fades(&self) -> Fades {
        let mut voices = [(0.0, 0.0); MAX_VOICES];
        for (place, voice) in voices.iter_mut().zip(&self.voices) {
            *place = (voice.age, voice.fade);
        }
        Fades {
            blend: self.layer.blend,
            weight: self.layer.weight,
            fade: self.fade,
            voices,
            count: self.voices.len(),
        }
    }

    /// The share of the layer that each voice has, newest first: `(voice, share)`.
    pub(crate) fn shares(&self) -> impl Iterator<Item = (usize, f32)> + '_ {
        let mut left = 1.0;
        (0..self.voices.len()).rev().map(move |index| {
            // The oldest has nothing to fade from.
            let presence = if index == 0 {
                1.0
            } else {
                self.voices[index].presence()
            };
            let share = left * presence;
            left -= share;
            (index, share)
        })
    }

    /// Ends the voices that no longer show. `requested` inertialisation keeps them for one more evaluation.
    pub(crate) fn drop_hidden(&mut self) {
        if self.inertia.is_requested() {
            return;
        }
        if let Some(full) = self.voices.iter().rposition(|voice| voice.presence() >= 1.0) {
            self.voices.drain(..full);
        }
    }

    pub(crate) fn age(&mut self, seconds: f32) {
        if let Some(fade) = &mut self.fade {
            self.layer.weight = fade.after(seconds);
            fade.age += seconds;
            if fade.age >= fade.seconds {
                self.fade = None;
            }
        }
        for voice in &mut self.voices {
            voice.age += seconds;
        }
        self.inertia.age(seconds);
    }
}
