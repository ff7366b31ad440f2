//! Clips at times in order and at random ones.

use elea_anim::{Animation, BakeOptions, Channel, Clip, Interpolation, Key, Pose, Skeleton, Transform};
use glam::DQuat;

#[cfg(feature = "bevy")]
use super::bevy;
use super::{CALLS, KERNELS, Rig, SECONDS, naive::NaiveJoint, report};
use crate::{measure::Timed, row::Row};

/// The same keys as channels.
pub(super) fn animation(skeleton: &Skeleton, joints: &[NaiveJoint]) -> Animation {
    fn keys<V: Copy>(times: &[f32], values: &[V]) -> Vec<Key<V>> {
        times
            .iter()
            .zip(values)
            .map(|(&time, &value)| Key::new(time, value))
            .collect()
    }
    let linear = Interpolation::Linear;
    let mut channels = Vec::new();
    for (id, joint) in skeleton.joints().zip(joints) {
        channels.push(Channel::translation(
            id,
            linear,
            &keys(&joint.translation_times, &joint.translations),
        ));
        channels.push(Channel::rotation(
            id,
            linear,
            &keys(&joint.rotation_times, &joint.rotations),
        ));
        channels.push(Channel::scale(
            id,
            linear,
            &keys(&joint.scale_times, &joint.scales),
        ));
    }
    let channels = channels
        .into_iter()
        .collect::<Result<Vec<_>, _>>()
        .expect("finite keys in order");
    Animation::new("bench", channels)
}

/// The clip to play.
///
/// # Panics
/// If there are more joints than the skeleton has.
#[must_use]
pub fn bake(skeleton: &Skeleton, joints: &[NaiveJoint]) -> Clip {
    animation(skeleton, joints)
        .bake(skeleton, &BakeOptions::default())
        .expect("joints exist")
        .0
}

fn angle(a: DQuat, b: DQuat) -> f64 {
    let chord = (a - b).length().min((a + b).length());
    4.0 * (chord / 2.0).min(1.0).asin()
}

pub(super) fn sampling(rig: &mut Rig, rows: &mut Vec<Row>) {
    let forward: Vec<f32> = (0..CALLS).map(|frame| frame as f32 / 60.0).collect();
    let seek: Vec<f32> = (0..CALLS)
        .map(|_| rig.random.range(0.0, f64::from(SECONDS)) as f32)
        .collect();
    for (case, shared, times) in [
        ("sample_forward", true, &forward),
        ("sample_seek", true, &seek),
        ("sample_keys", false, &forward),
        ("sample_keys_seek", false, &seek),
    ] {
        let joints = rig.channels(shared);
        let clip = bake(&rig.skeleton, &joints);
        let mut errors = vec![0.0_f64; 1 + KERNELS.len()];
        let mut pose = Pose::identity(rig.joints);
        for &time in times {
            for joint in &joints {
                errors[0] = errors[0].max(angle(
                    joint.sample(time).rotation.as_dquat(),
                    joint.exact_rotation(time),
                ));
            }
            for ((_, kernel), error) in KERNELS.iter().zip(&mut errors[1..]) {
                let _ = clip.sample_with(*kernel, time, &mut pose);
                for (joint, found) in joints.iter().zip(pose.transforms()) {
                    *error = error.max(angle(found.rotation.as_dquat(), joint.exact_rotation(time)));
                }
            }
        }
        let mut naive = vec![Transform::IDENTITY; rig.joints];
        let joints = &joints;
        let mut contenders: Vec<Timed<'_>> = vec![(
            "naive",
            Box::new(move || {
                for &time in times {
                    for (joint, out) in joints.iter().zip(&mut naive) {
                        *out = joint.sample(time);
                    }
                    std::hint::black_box(&mut naive);
                }
            }),
        )];
        let clip = &clip;
        for (name, kernel) in KERNELS {
            let mut pose = Pose::identity(rig.joints);
            contenders.push((
                name,
                Box::new(move || {
                    for &time in times {
                        let _ = clip.sample_with(kernel, time, &mut pose);
                        std::hint::black_box(&mut pose);
                    }
                }),
            ));
        }
        #[cfg(feature = "bevy")]
        {
            let curves: Vec<bevy::Curves> = joints.iter().map(bevy::Curves::new).collect();
            let mut error = 0.0_f64;
            for &time in times {
                for (joint, curves) in joints.iter().zip(&curves) {
                    error = error.max(angle(
                        curves.sample(time).rotation.as_dquat(),
                        joint.exact_rotation(time),
                    ));
                }
            }
            errors.push(error);
            let mut out = vec![Transform::IDENTITY; rig.joints];
            contenders.push((
                bevy::NAME,
                Box::new(move || {
                    for &time in times {
                        for (curves, out) in curves.iter().zip(&mut out) {
                            *out = curves.sample(time);
                        }
                        std::hint::black_box(&mut out);
                    }
                }),
            ));
        }
        report(
            rows,
            case,
            rig.joints,
            rig.joints * CALLS,
            &mut contenders,
            &errors,
            "rad",
        );
    }
}
