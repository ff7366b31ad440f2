//! Poses into one.

use elea_anim::{BlendInput, Mask, Pose, Transform, blend_additive_with, blend_with};

#[cfg(feature = "bevy")]
use super::bevy;
use super::{CALLS, KERNELS, Rig, naive, report};
use crate::{measure::Timed, row::Row};

/// Largest difference of a coordinate between two poses, rotations with the nearer sign.
fn pose_difference(a: impl Iterator<Item = Transform>, b: &[Transform]) -> f64 {
    a.zip(b).fold(0.0, |worst: f64, (a, b)| {
        let sign = if a.rotation.dot(b.rotation) < 0.0 {
            -1.0
        } else {
            1.0
        };
        let rotation = (a.rotation - b.rotation * sign).length();
        let rest = (a.translation - b.translation)
            .abs()
            .max_element()
            .max((a.scale - b.scale).abs().max_element());
        worst.max(f64::from(rotation.max(rest)))
    })
}

pub(super) fn blending(rig: &mut Rig, rows: &mut Vec<Row>) {
    let mut mask = Mask::uniform(&rig.skeleton, 0.0);
    for joint in rig.skeleton.joints() {
        mask.set(joint, rig.random.unit() as f32);
    }
    for (case, layers, masked, additive) in [
        ("blend_2", 2, false, false),
        ("blend_4", 4, false, false),
        ("blend_8", 8, false, false),
        ("blend_masked", 2, true, false),
        ("blend_additive", 2, false, true),
    ] {
        let poses: Vec<(Vec<Transform>, f32)> = (0..layers)
            .map(|_| (rig.transforms(), rig.random.range(0.2, 1.0) as f32))
            .collect();
        let more = rig.transforms();
        let soa: Vec<(Pose, f32)> = poses
            .iter()
            .map(|(pose, w)| (pose.iter().copied().collect(), *w))
            .collect();
        let more_soa: Pose = more.iter().copied().collect();
        let inputs: Vec<BlendInput<'_>> = soa
            .iter()
            .enumerate()
            .map(|(layer, (pose, weight))| BlendInput {
                pose,
                weight: *weight,
                mask: (masked && layer == 1).then_some(&mask),
            })
            .collect();
        let add = [BlendInput {
            pose: &more_soa,
            weight: 0.4,
            mask: None,
        }];
        let weights = masked.then(|| mask.weights());
        let mut expected = vec![Transform::IDENTITY; rig.joints];
        naive::blend(&poses, weights, &mut expected);
        if additive {
            naive::add(&more, 0.4, &mut expected);
        }
        let rest = rig.skeleton.rest_pose();
        let mut errors = vec![0.0];
        let mut naive = vec![Transform::IDENTITY; rig.joints];
        let (poses, more, inputs, add) = (&poses, &more, &inputs, &add);
        let mut contenders: Vec<Timed<'_>> = vec![(
            "naive",
            Box::new(move || {
                for _ in 0..CALLS {
                    naive::blend(std::hint::black_box(poses), weights, &mut naive);
                    if additive {
                        naive::add(more, 0.4, &mut naive);
                    }
                    std::hint::black_box(&mut naive);
                }
            }),
        )];
        for (name, kernel) in KERNELS {
            let mut pose = Pose::identity(rig.joints);
            let mut work = move || {
                let _ = blend_with(kernel, std::hint::black_box(inputs), rest, &mut pose);
                if additive {
                    let _ = blend_additive_with(kernel, add, &mut pose);
                }
                std::hint::black_box(&mut pose);
            };
            let mut found = Pose::identity(rig.joints);
            let _ = blend_with(kernel, inputs, rest, &mut found);
            if additive {
                let _ = blend_additive_with(kernel, add, &mut found);
            }
            errors.push(pose_difference(found.transforms(), &expected));
            contenders.push((
                name,
                Box::new(move || {
                    for _ in 0..CALLS {
                        work();
                    }
                }),
            ));
        }
        #[cfg(feature = "bevy")]
        if !masked {
            let layers: Vec<(Vec<bevy::BevyTransform>, f32)> = poses
                .iter()
                .map(|(pose, weight)| (bevy::pose(pose), *weight))
                .collect();
            let added = bevy::added_pose(more);
            let mix = move |out: &mut [bevy::BevyTransform]| {
                let added = additive.then_some((&added[..], 0.4));
                bevy::blend(std::hint::black_box(&layers), added, out);
            };
            let mut out = vec![bevy::BevyTransform::IDENTITY; rig.joints];
            mix(&mut out);
            errors.push(pose_difference(bevy::transforms(&out), &expected));
            contenders.push((
                bevy::NAME,
                Box::new(move || {
                    for _ in 0..CALLS {
                        mix(&mut out);
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
            "difference",
        );
    }
}
