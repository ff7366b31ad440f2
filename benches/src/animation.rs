//! Sampling, blending, hierarchy, palette and skinning against `naive`: plain glam, an array of structs, as a
//! competent engineer writes it first.
//!
//! Every case runs with 64 and 256 joints (skinning: 10,000 vertices on as many slots). Clips last 4 s; all
//! channels of a joint are animated, with keys at 30 Hz that all share (`sample_forward`, `sample_seek`) or with
//! random times of their own (`sample_keys`, `sample_keys_seek`). Poses are sampled at 60 Hz, or at random times.
//! `naive` turns normals by the matrix itself and leaves their length; `naive, cofactors` does what elea does: by
//! the cofactor matrix, to length one. Then 2,000 characters of four layers on one thread and on two, and clips'
//! sizes. Errors are the largest against f64: radians for sampling, otherwise the largest difference of a
//! coordinate; those of blending are against `naive`.
//!
//! With feature `bevy`, `bevy_animation` samples the same keys as curves of bevy's, and mixes poses as bevy's player
//! does: one after another, each by slerp, and it adds scales where the others multiply. So its poses are others by
//! design, and of random rotations far from the average: its difference from `naive` is no error.

#![allow(clippy::cast_possible_truncation, reason = "random test data")]

#[cfg(feature = "bevy")]
mod bevy;
mod blending;
mod crowd;
mod matrices;
pub mod naive;
mod sampling;
mod skinning;

use elea_anim::{Joint, JointId, Kernel, Skeleton, Transform};
use glam::{Quat, Vec3};
use naive::NaiveJoint;
pub use sampling::bake;

use crate::{
    measure::{Timed, nanoseconds},
    random::Random,
    row::Row,
};

const SECONDS: f32 = 4.0;
const ROUNDS: usize = 60;
/// Calls per measurement.
const CALLS: usize = 100;
const VERTICES: usize = 10_000;
/// Both kernels, with their names in the report.
pub const KERNELS: [(&str, Kernel); 2] = [
    ("elea deterministic", Kernel::Deterministic),
    ("elea fast", Kernel::Fast),
];

/// The whole area.
#[must_use]
pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for joints in [64, 256] {
        let mut rig = Rig::new(joints);
        sampling::sampling(&mut rig, &mut rows);
        blending::blending(&mut rig, &mut rows);
        matrices::matrices(&mut rig, &mut rows);
        skinning::skinning(&mut rig, &mut rows);
        crowd::sizes(&mut rig, &mut rows);
    }
    crowd::crowd(&mut Rig::new(64), &mut rows);
    rows
}

/// A skeleton, and random numbers for its motions.
#[derive(Debug)]
pub struct Rig {
    random: Random,
    joints: usize,
    /// Limbs and fingers of four joints.
    pub skeleton: Skeleton,
}

impl Rig {
    /// The same number of joints gives the same rig.
    ///
    /// # Panics
    /// Never: parents stand before their children.
    #[must_use]
    pub fn new(joints: usize) -> Self {
        let mut random = Random::new(joints as u64);
        let joint = |index: usize| Joint {
            name: format!("joint {index}"),
            // Limbs and fingers of four joints that begin anywhere.
            parent: (index > 0).then(|| {
                let anywhere = (random.unit() * index as f64) as usize;
                JointId::from_index(if index % 4 == 1 { anywhere } else { index - 1 })
            }),
            rest: Transform::from_translation(Vec3::Y * 0.1),
        };
        let skeleton =
            Skeleton::new((0..joints).map(joint).collect()).expect("parents stand before children");
        Self {
            random,
            joints,
            skeleton,
        }
    }

    fn vector(&mut self) -> Vec3 {
        let mut one = || self.random.range(-1.0, 1.0) as f32;
        Vec3::new(one(), one(), one())
    }

    fn rotation(&mut self) -> Quat {
        Quat::from_array(self.random.quaternion().map(|c| c as f32)).normalize()
    }

    /// A random transform for every joint.
    pub fn transforms(&mut self) -> Vec<Transform> {
        (0..self.joints)
            .map(|_| Transform {
                translation: self.vector(),
                rotation: self.rotation(),
                scale: Vec3::ONE + self.vector() * 0.2,
            })
            .collect()
    }

    fn shared_times(&self) -> Vec<f32> {
        (0..=120_u8).map(|key| f32::from(key) / 30.0).collect()
    }

    fn own_times(&mut self) -> Vec<f32> {
        let mut times: Vec<f32> = (0..58)
            .map(|_| self.random.range(0.0, f64::from(SECONDS)) as f32)
            .collect();
        times.extend([0.0, SECONDS]);
        times.sort_by(f32::total_cmp);
        times.dedup();
        times
    }

    /// A motion without jumps: each key is a small step from the one before.
    pub fn channels(&mut self, shared: bool) -> Vec<NaiveJoint> {
        let channel_times = |rig: &mut Self| {
            if shared {
                rig.shared_times()
            } else {
                rig.own_times()
            }
        };
        (0..self.joints)
            .map(|_| {
                let (tt, rt, st) = (channel_times(self), channel_times(self), channel_times(self));
                let mut rotation = self.rotation();
                let rotations = rt
                    .iter()
                    .map(|_| {
                        rotation = (Quat::from_scaled_axis(self.vector() * 0.15) * rotation).normalize();
                        rotation
                    })
                    .collect();
                NaiveJoint {
                    translations: tt.iter().map(|_| self.vector() * 0.1).collect(),
                    translation_times: tt,
                    rotations,
                    rotation_times: rt,
                    scales: st.iter().map(|_| Vec3::ONE + self.vector() * 0.1).collect(),
                    scale_times: st,
                }
            })
            .collect()
    }
}

/// Rows of one case: the time of each contender, its ratio to the first (naive), and its error.
fn report(
    rows: &mut Vec<Row>,
    case: &str,
    size: usize,
    items: usize,
    contenders: &mut [Timed<'_>],
    errors: &[f64],
    error_unit: &'static str,
) {
    let times = nanoseconds(contenders, items, ROUNDS);
    for (((contender, _), time), error) in contenders.iter().zip(&times).zip(errors) {
        let row = |metric: &str, value, unit| Row {
            area: "animation",
            case: format!("{case}_{size}"),
            contender: (*contender).into(),
            metric: metric.into(),
            value,
            unit,
        };
        rows.push(row("ns", *time, "ns"));
        rows.push(row("ratio_to_naive", time / times[0], ""));
        rows.push(row("max_error", *error, error_unit));
    }
}
