//! Plain glam, an array of structs, as a competent engineer writes it first.

use elea_anim::Transform;
use glam::{DQuat, Quat, Vec3};

/// Keys of one joint, with times for each property.
#[derive(Clone, Debug)]
pub struct NaiveJoint {
    pub(super) translation_times: Vec<f32>,
    pub(super) translations: Vec<Vec3>,
    pub(super) rotation_times: Vec<f32>,
    pub(super) rotations: Vec<Quat>,
    pub(super) scale_times: Vec<f32>,
    pub(super) scales: Vec<Vec3>,
}

fn naive_place(times: &[f32], time: f32) -> (usize, usize, f32) {
    let after = times.partition_point(|&key| key <= time);
    if after == 0 {
        return (0, 0, 0.0);
    }
    if after == times.len() {
        return (after - 1, after - 1, 0.0);
    }
    (
        after - 1,
        after,
        (time - times[after - 1]) / (times[after] - times[after - 1]),
    )
}

impl NaiveJoint {
    /// Each property by itself.
    #[must_use]
    pub fn sample(&self, time: f32) -> Transform {
        let (a, b, f) = naive_place(&self.translation_times, time);
        let translation = self.translations[a].lerp(self.translations[b], f);
        let (a, b, f) = naive_place(&self.rotation_times, time);
        let (from, to) = (self.rotations[a], self.rotations[b]);
        let rotation = from.slerp(if from.dot(to) < 0.0 { -to } else { to }, f);
        let (a, b, f) = naive_place(&self.scale_times, time);
        Transform {
            translation,
            rotation,
            scale: self.scales[a].lerp(self.scales[b], f),
        }
    }

    pub(super) fn exact_rotation(&self, time: f32) -> DQuat {
        let (a, b, _) = naive_place(&self.rotation_times, time);
        let (from, mut to) = (self.rotations[a].as_dquat(), self.rotations[b].as_dquat());
        if from.dot(to) < 0.0 {
            to = -to;
        }
        let [start, end, time] = [self.rotation_times[a], self.rotation_times[b], time].map(f64::from);
        let angle = 2.0 * (to - from).length().atan2((to + from).length());
        if a == b || angle == 0.0 {
            return from.normalize();
        }
        let f = (time - start) / (end - start);
        ((from * ((1.0 - f) * angle).sin() + to * (f * angle).sin()) * (1.0 / angle.sin())).normalize()
    }
}

/// The weighted average; `mask` is the second layer's.
pub fn blend(inputs: &[(Vec<Transform>, f32)], mask: Option<&[f32]>, out: &mut [Transform]) {
    for (joint, out) in out.iter_mut().enumerate() {
        let weight = |layer: usize| {
            inputs[layer].1
                * if layer == 1 {
                    mask.map_or(1.0, |mask| mask[joint])
                } else {
                    1.0
                }
        };
        let total: f32 = (0..inputs.len()).map(weight).sum();
        let first = inputs[0].0[joint].rotation;
        let (mut t, mut r, mut s) = (Vec3::ZERO, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), Vec3::ZERO);
        for (layer, (pose, _)) in inputs.iter().enumerate() {
            let (part, transform) = (weight(layer) / total, pose[joint]);
            t += transform.translation * part;
            s += transform.scale * part;
            let sign = if transform.rotation.dot(first) < 0.0 {
                -part
            } else {
                part
            };
            r += transform.rotation * sign;
        }
        *out = Transform {
            translation: t,
            rotation: r.normalize(),
            scale: s,
        };
    }
}

/// Adds differences.
pub(super) fn add(pose: &[Transform], weight: f32, out: &mut [Transform]) {
    for (more, out) in pose.iter().zip(out) {
        out.translation += more.translation * weight;
        out.rotation = Quat::IDENTITY.lerp(more.rotation, weight) * out.rotation;
        out.scale *= Vec3::ONE.lerp(more.scale, weight);
    }
}
