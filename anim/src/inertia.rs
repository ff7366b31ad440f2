//! Inertialisation: the difference from an old motion to a new one, and how it fades.

use glam::{Quat, Vec3};

use crate::{
    BlendInput, JointId, Kernel, Pose, RootTrack, Transform, blend_with, layer::MAX_VOICES, voice::Voice,
};

/// Seconds between the two poses from which a velocity is taken: half a frame at 60 Hz.
pub(crate) const VELOCITY_STEP: f32 = 1.0 / 120.0;

/// Poses that [`Inertia::capture`] works in.
pub(crate) const WORK_POSES: usize = MAX_VOICES + 3;

/// Sine of half an angle below which `2 atan2(sine, cosine) / sine` is 2 to f32's last bit: it is off by sine^2 / 3.
const MIN_SINE: f32 = 1e-6;

/// Translation, rotation (axis times angle) and scale of one joint.
type Difference = [Vec3; 3];

/// What is left of an old motion. Each number x follows the polynomial of fifth degree that starts at x(0) with
/// the velocity x'(0) and no acceleration, and ends at rest after `seconds`.
#[derive(Debug)]
pub(crate) struct Inertia {
    offsets: Vec<Difference>,
    velocities: Vec<Difference>,
    age: f32,
    /// 0 when nothing is left.
    seconds: f32,
    requested: Option<f32>,
}

impl Clone for Inertia {
    fn clone(&self) -> Self {
        Self {
            offsets: self.offsets.clone(),
            velocities: self.velocities.clone(),
            ..*self
        }
    }

    /// Without allocating, where the other has no more joints.
    fn clone_from(&mut self, other: &Self) {
        let Self {
            offsets,
            velocities,
            age,
            seconds,
            requested,
        } = self;
        offsets.clone_from(&other.offsets);
        velocities.clone_from(&other.velocities);
        (*age, *seconds, *requested) = (other.age, other.seconds, other.requested);
    }
}

impl Inertia {
    pub(crate) fn new(joints: usize) -> Self {
        let zero = vec![[Vec3::ZERO; 3]; joints];
        Self {
            offsets: zero.clone(),
            velocities: zero,
            age: 0.0,
            seconds: 0.0,
            requested: None,
        }
    }

    pub(crate) const fn request(&mut self, seconds: f32) {
        self.requested = Some(seconds);
    }

    pub(crate) const fn cancel_request(&mut self) {
        self.requested = None;
    }

    pub(crate) const fn is_requested(&self) -> bool {
        self.requested.is_some()
    }

    pub(crate) const fn clear(&mut self) {
        self.requested = None;
        self.seconds = 0.0;
    }

    pub(crate) fn age(&mut self, seconds: f32) {
        self.age += seconds;
        if self.age >= self.seconds {
            self.seconds = 0.0;
        }
    }

    /// Adds what is left to `pose`.
    pub(crate) fn apply(&self, pose: &mut Pose) {
        self.apply_at(self.age, pose);
    }

    fn apply_at(&self, age: f32, pose: &mut Pose) {
        if self.seconds <= 0.0 {
            return;
        }
        // Before its beginning it went on at its first speed.
        let s = (age / self.seconds).min(1.0);
        let [position, velocity] = if s < 0.0 { [1.0, s] } else { quintic(s) };
        let velocity = velocity * self.seconds;
        for (index, (offset, speed)) in self.offsets.iter().zip(&self.velocities).enumerate() {
            let joint = JointId::from_index(index);
            let [translation, turn, scale] =
                [0, 1, 2].map(|part: usize| offset[part] * position + speed[part] * velocity);
            let old = pose.get(joint);
            pose.set(
                joint,
                Transform {
                    translation: old.translation + translation,
                    rotation: (Quat::from_scaled_axis(turn) * old.rotation).normalize(),
                    scale: old.scale + scale,
                },
            );
        }
    }

    /// Takes the difference between the newest voice and all before it, if that was requested. Returns whether
    /// it was; the older voices can go then.
    ///
    /// * `rates`: how fast each voice moves, in seconds of its clip a second.
    /// * `root`: what is taken out of the poses, hence has no part in the difference.
    pub(crate) fn capture(
        &mut self,
        kernel: Kernel,
        voices: &[Voice],
        rates: &[f64; MAX_VOICES],
        root: Option<RootTrack>,
        work: &mut [Pose],
    ) -> bool {
        let Some(seconds) = self.requested.take() else {
            return false;
        };
        let [now, before, after, samples @ ..] = work else {
            return true;
        };
        let Some((new, old)) = voices.split_last() else {
            return true;
        };
        if old.is_empty() {
            return true;
        }
        let mut mix = |voices: &[Voice], place: &dyn Fn(usize) -> f64, out: &mut Pose| {
            mix(kernel, voices, place, root, samples, out);
        };
        // Two places an instant apart, for the velocity.
        let around = |voices: &[Voice], index: usize| {
            let step = rates[index].abs() * f64::from(VELOCITY_STEP);
            voices[index].around(rates[index], step)
        };
        mix(old, &|index| old[index].position(), now);
        self.apply(now);
        mix(old, &|index| around(old, index)[0], before);
        self.apply_at(self.age - VELOCITY_STEP, before);
        mix(old, &|index| around(old, index)[1], after);
        self.apply(after);
        for (velocity, pair) in self.velocities.iter_mut().zip(pairs(before, after)) {
            *velocity = difference(pair).map(|part| part / VELOCITY_STEP);
        }
        let newest = std::slice::from_ref(new);
        let places = new.around(
            rates[old.len()],
            rates[old.len()].abs() * f64::from(VELOCITY_STEP),
        );
        mix(newest, &|_| places[0], before);
        mix(newest, &|_| places[1], after);
        for (velocity, pair) in self.velocities.iter_mut().zip(pairs(before, after)) {
            for (part, new) in velocity.iter_mut().zip(difference(pair)) {
                *part -= new / VELOCITY_STEP;
            }
        }
        mix(newest, &|_| new.position(), after);
        for (offset, pair) in self.offsets.iter_mut().zip(pairs(after, now)) {
            *offset = difference(pair);
        }
        self.age = 0.0;
        self.seconds = seconds;
        true
    }
}

/// What `voices` show together, each at its place (seconds behind its clip's start).
fn mix(
    kernel: Kernel,
    voices: &[Voice],
    place: &dyn Fn(usize) -> f64,
    root: Option<RootTrack>,
    samples: &mut [Pose],
    out: &mut Pose,
) {
    let mut weights = [0.0; MAX_VOICES];
    let mut left = 1.0;
    for (index, voice) in voices.iter().enumerate().rev() {
        let presence = if index == 0 { 1.0 } else { voice.presence() };
        weights[index] = left * presence;
        left -= weights[index];
        let sample = &mut samples[index];
        let _ = voice
            .clip
            .sample_with(kernel, voice.time_at(place(index)), sample);
        if let Some(track) = root {
            sample.set(track.joint, track.rest_of(sample.get(track.joint)));
        }
    }
    let count = voices.len();
    let inputs: [BlendInput<'_>; MAX_VOICES] = std::array::from_fn(|index| {
        let index = index.min(count - 1);
        BlendInput {
            pose: &samples[index],
            weight: weights[index],
            mask: None,
        }
    });
    out.copy_from(&samples[0]);
    let rest = &samples[0];
    let _ = blend_with(kernel, &inputs[..count], rest, out);
}

/// Each joint in two poses.
fn pairs(from: &Pose, to: &Pose) -> impl Iterator<Item = (Transform, Transform)> {
    from.transforms().zip(to.transforms())
}

/// What leads from one transform to the other; rotations in the parent's space, the short way.
fn difference((from, to): (Transform, Transform)) -> Difference {
    let turn = to.rotation * from.rotation.conjugate();
    let turn = if turn.w < 0.0 { -turn } else { turn };
    let axis = Vec3::new(turn.x, turn.y, turn.z);
    let sine = axis.length();
    // axis * angle / sine, which is 2 at no angle.
    let factor = if sine > MIN_SINE {
        2.0 * sine.atan2(turn.w) / sine
    } else {
        2.0
    };
    [
        to.translation - from.translation,
        axis * factor,
        to.scale - from.scale,
    ]
}

/// Weights of x(0) and of x'(0) at `s` = 0..=1 of the way.
fn quintic(s: f32) -> [f32; 2] {
    let cube = s * s * s;
    let position = 1.0 - cube * (10.0 - s * (15.0 - 6.0 * s));
    let velocity = s - cube * (6.0 - s * (8.0 - 3.0 * s));
    [position, velocity]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quintic_starts_with_value_and_velocity_and_ends_at_rest() {
        let h = 1e-3;
        assert_eq!(quintic(0.0), [1.0, 0.0]);
        let [p1, v1] = quintic(h);
        assert!(
            (p1 - 1.0).abs() < 1e-7 && (v1 / h - 1.0).abs() < 1e-4,
            "slopes 0 and 1 at the start"
        );
        let [p, v] = quintic(1.0 - h);
        assert!(p.abs() < 1e-6 && v.abs() < 1e-6, "level at the end: {p}, {v}");
    }

    #[test]
    fn differences_lead_there() {
        let from = Transform {
            rotation: Quat::from_rotation_x(0.3),
            ..Transform::from_translation(Vec3::X)
        };
        let to = Transform {
            rotation: -Quat::from_rotation_z(2.9) * Quat::from_rotation_x(0.3),
            ..Transform::from_translation(Vec3::Y)
        };
        let [translation, turn, scale] = difference((from, to));
        assert_eq!((translation, scale), (Vec3::Y - Vec3::X, Vec3::ZERO));
        assert!(turn.abs_diff_eq(Vec3::Z * 2.9, 1e-5), "{turn}");
    }
}
