//! Inertialisation: the difference from an old motion to a new one, and how it fades.

use glam::{Quat, Vec3};

use crate::{BlendInput, JointId, Kernel, Pose, Transform, blend_with, layer::MAX_VOICES, voice::Voice};

/// Seconds between the two poses from which a velocity is taken: half a frame at 60 Hz.
const VELOCITY_STEP: f32 = 1.0 / 120.0;

/// Poses that [`Inertia::capture`] works in.
pub(crate) const WORK_POSES: usize = MAX_VOICES + 2;

/// Translation, rotation (axis times angle) and scale of one joint.
type Difference = [Vec3; 3];

/// What is left of an old motion. Each number x follows the polynomial of fifth degree that starts at x(0) with
/// the velocity x'(0) and no acceleration, and ends at rest after `seconds`.
#[derive(Clone, Debug)]
pub(crate) struct Inertia {
    offsets: Vec<Difference>,
    velocities: Vec<Difference>,
    age: f32,
    /// 0 when nothing is left.
    seconds: f32,
    requested: Option<f32>,
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
        let [position, velocity] = quintic((age / self.seconds).clamp(0.0, 1.0));
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
    pub(crate) fn capture(
        &mut self,
        kernel: Kernel,
        voices: &[Voice],
        speed: f32,
        work: &mut [Pose],
    ) -> bool {
        let Some(seconds) = self.requested.take() else {
            return false;
        };
        let [now, other, samples @ ..] = work else {
            return true;
        };
        let Some((new, old)) = voices.split_last() else {
            return true;
        };
        if old.is_empty() {
            return true;
        }
        // `other` becomes the old pose one step ago, `now` the old pose.
        mix(kernel, old, -f64::from(VELOCITY_STEP * speed), samples, other);
        self.apply_at(self.age - VELOCITY_STEP, other);
        mix(kernel, old, 0.0, samples, now);
        self.apply(now);
        for (velocity, (from, to)) in self
            .velocities
            .iter_mut()
            .zip(other.transforms().zip(now.transforms()))
        {
            *velocity = difference(from, to).map(|part| part / VELOCITY_STEP);
        }
        let _ = new.clip.sample_with(kernel, new.time(), other);
        for (offset, (from, to)) in self
            .offsets
            .iter_mut()
            .zip(other.transforms().zip(now.transforms()))
        {
            *offset = difference(from, to);
        }
        let ahead = new.position() + f64::from(VELOCITY_STEP * speed);
        let _ = new.clip.sample_with(kernel, new.time_at(ahead), now);
        for (velocity, (from, to)) in self
            .velocities
            .iter_mut()
            .zip(other.transforms().zip(now.transforms()))
        {
            for (part, new) in velocity.iter_mut().zip(difference(from, to)) {
                *part -= new / VELOCITY_STEP;
            }
        }
        self.age = 0.0;
        self.seconds = seconds;
        true
    }
}

/// What `voices` show together, `shift` seconds from now.
fn mix(kernel: Kernel, voices: &[Voice], shift: f64, samples: &mut [Pose], out: &mut Pose) {
    let mut weights = [0.0; MAX_VOICES];
    let mut left = 1.0;
    for (index, voice) in voices.iter().enumerate().rev() {
        let presence = if index == 0 { 1.0 } else { voice.presence() };
        weights[index] = left * presence;
        left -= weights[index];
        let time = voice.time_at((voice.position() + shift).clamp(0.0, voice.duration()));
        let _ = voice.clip.sample_with(kernel, time, &mut samples[index]);
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

/// What leads from one transform to the other; rotations in the parent's space, the short way.
fn difference(from: Transform, to: Transform) -> Difference {
    let turn = to.rotation * from.rotation.conjugate();
    let turn = if turn.w < 0.0 { -turn } else { turn };
    let axis = Vec3::new(turn.x, turn.y, turn.z);
    let sine = axis.length();
    // axis * angle / sine, which is 2 at no angle.
    let factor = if sine > 1e-6 {
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
        let [translation, turn, scale] = difference(from, to);
        assert_eq!((translation, scale), (Vec3::Y - Vec3::X, Vec3::ZERO));
        assert!(turn.abs_diff_eq(Vec3::Z * 2.9, 1e-5), "{turn}");
    }
}
