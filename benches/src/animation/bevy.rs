//! bevy's keyframe curves, sampled as its animation player does, and its blending of transforms in the order of the
//! player's evaluators. The player's graph, evaluators, assets and entities are left out.

use bevy_animation::prelude::{Animatable, AnimatableKeyframeCurve, BlendInput};
use bevy_curve::Curve;
pub(super) use bevy_transform::components::Transform as BevyTransform;
use elea_anim::Transform;
use glam::{Quat, Vec3};

use super::naive::NaiveJoint;

/// Its name in the report.
pub(super) const NAME: &str = "bevy_animation";

/// The same keys as [`NaiveJoint`], as bevy's loader of glTF keeps linear ones.
pub(super) struct Curves {
    translation: AnimatableKeyframeCurve<Vec3>,
    rotation: AnimatableKeyframeCurve<Quat>,
    scale: AnimatableKeyframeCurve<Vec3>,
}

impl Curves {
    pub(super) fn new(joint: &NaiveJoint) -> Self {
        fn curve<V: Animatable + Copy>(times: &[f32], values: &[V]) -> AnimatableKeyframeCurve<V> {
            let keys = times.iter().copied().zip(values.iter().copied());
            AnimatableKeyframeCurve::new(keys).expect("two keys or more")
        }
        Self {
            translation: curve(&joint.translation_times, &joint.translations),
            rotation: curve(&joint.rotation_times, &joint.rotations),
            scale: curve(&joint.scale_times, &joint.scales),
        }
    }

    /// Each property by itself.
    pub(super) fn sample(&self, time: f32) -> Transform {
        Transform {
            translation: self.translation.sample_clamped(time),
            rotation: self.rotation.sample_clamped(time),
            scale: self.scale.sample_clamped(time),
        }
    }
}

/// Each layer is mixed into those before it by its share of the weights so far; then `added` is added. So does the
/// player. `Transform::blend` of all layers at once would begin at the identity: one slerp a joint more.
pub(super) fn blend(
    layers: &[(Vec<BevyTransform>, f32)],
    added: Option<(&[BevyTransform], f32)>,
    out: &mut [BevyTransform],
) {
    let Some(((first, first_weight), others)) = layers.split_first() else {
        return;
    };
    for (joint, out) in out.iter_mut().enumerate() {
        let (mut value, mut total) = (first[joint], *first_weight);
        for (pose, weight) in others {
            total += weight;
            value = BevyTransform::interpolate(&value, &pose[joint], weight / total);
        }
        if let Some((pose, weight)) = added {
            let add = |value, weight| BlendInput {
                weight,
                value,
                additive: true,
            };
            value = BevyTransform::blend([add(value, 1.0), add(pose[joint], weight)].into_iter());
        }
        *out = value;
    }
}

/// A pose as bevy's.
pub(super) fn pose(pose: &[Transform]) -> Vec<BevyTransform> {
    pose.iter()
        .map(|joint| BevyTransform {
            translation: joint.translation,
            rotation: joint.rotation,
            scale: joint.scale,
        })
        .collect()
}

/// A pose to add as bevy's, which adds scales where elea and naive multiply: it holds what they exceed one by.
pub(super) fn added_pose(added: &[Transform]) -> Vec<BevyTransform> {
    let mut added = pose(added);
    for joint in &mut added {
        joint.scale -= Vec3::ONE;
    }
    added
}

/// A pose of bevy's as elea's.
pub(super) fn transforms(pose: &[BevyTransform]) -> impl Iterator<Item = Transform> {
    pose.iter().map(|joint| Transform {
        translation: joint.translation,
        rotation: joint.rotation,
        scale: joint.scale,
    })
}

#[cfg(test)]
mod tests {
    use super::{Curves, added_pose, blend, pose, transforms};
    use crate::animation::{Rig, naive};
    use elea_anim::Transform;

    /// Some roundings of values below 4.
    const ROUNDING: f32 = 1e-5;

    #[test]
    fn curves_are_the_naive_ones_within_their_keys_and_outside() {
        let mut rig = Rig::new(16);
        for shared in [true, false] {
            for joint in rig.channels(shared) {
                let curves = Curves::new(&joint);
                for time in [-1.0, 0.0, 0.1, 1.234, 2.0, 3.99, 4.0, 5.0] {
                    let (found, expected) = (curves.sample(time), joint.sample(time));
                    assert!(
                        found.rotation.dot(expected.rotation).abs() > 1.0 - ROUNDING,
                        "{time}: {found:?} for {expected:?}"
                    );
                    assert!(
                        found.translation.abs_diff_eq(expected.translation, ROUNDING)
                            && found.scale.abs_diff_eq(expected.scale, ROUNDING),
                        "{time}: {found:?} for {expected:?}"
                    );
                }
            }
        }
    }

    /// One after another or all at once: what is linear comes to the same average.
    #[test]
    fn translations_and_scales_of_a_blend_are_the_weighted_average() {
        let mut rig = Rig::new(16);
        for layers in [1_u8, 2, 4, 8] {
            let layers: Vec<(Vec<Transform>, f32)> = (0..layers)
                .map(|layer| (rig.transforms(), 0.3 + 0.1 * f32::from(layer)))
                .collect();
            let mut expected = vec![Transform::IDENTITY; 16];
            naive::blend(&layers, None, &mut expected);
            let layers: Vec<_> = layers.iter().map(|(layer, w)| (pose(layer), *w)).collect();
            let mut out = pose(&[Transform::IDENTITY; 16]);
            blend(&layers, None, &mut out);
            for (found, expected) in transforms(&out).zip(&expected) {
                assert!(
                    found.translation.abs_diff_eq(expected.translation, ROUNDING)
                        && found.scale.abs_diff_eq(expected.scale, ROUNDING),
                    "{found:?} for {expected:?}"
                );
            }
        }
    }

    #[test]
    fn adding_turns_and_moves_as_naive_does() {
        let mut rig = Rig::new(16);
        let (base, added) = (rig.transforms(), rig.transforms());
        let mut expected = base.clone();
        naive::add(&added, 1.0, &mut expected);
        let mut out = pose(&[Transform::IDENTITY; 16]);
        blend(&[(pose(&base), 1.0)], Some((&added_pose(&added), 1.0)), &mut out);
        for ((found, expected), (base, added)) in transforms(&out).zip(&expected).zip(base.iter().zip(&added))
        {
            assert!(
                found.translation.abs_diff_eq(expected.translation, ROUNDING),
                "{found:?} for {expected:?}"
            );
            assert!(
                found.rotation.dot(expected.rotation).abs() > 1.0 - ROUNDING,
                "{found:?} for {expected:?}"
            );
            let scale = base.scale + added.scale - 1.0;
            assert!(found.scale.abs_diff_eq(scale, ROUNDING), "{found:?} for {scale}");
        }
    }
}
