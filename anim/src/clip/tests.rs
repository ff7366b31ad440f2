use super::*;
use crate::{BakeOptions, rigs::Random};

const LOSSLESS: BakeOptions = BakeOptions {
    rotation_error: 0.0,
    position_error: 0.0,
};

#[test]
fn every_instruction_set_gives_the_same_bits() {
    let mut random = Random(3);
    for (joints, shared) in [
        (1, true),
        (8, true),
        (37, true),
        (64, true),
        (9, false),
        (40, false),
    ] {
        let skeleton = random.skeleton(joints);
        let animation = random.animation(joints, shared);
        for options in [
            BakeOptions {
                rotation_error: 1e-3,
                ..LOSSLESS
            },
            LOSSLESS,
        ] {
            let (clip, _) = animation.bake(&skeleton, &options).unwrap();
            for _ in 0..50 {
                let time = random.signed() * 12.0;
                crate::simd::tests::same_on_every_set(|| {
                    let mut pose = Pose::identity(joints);
                    let _ = clip.sample(time, &mut pose);
                    pose
                });
            }
        }
    }
}

/// Largest angle and distance (scale included) between two poses.
fn distance(a: &Pose, b: &Pose) -> (f64, f64) {
    a.transforms()
        .zip(b.transforms())
        .fold((0.0, 0.0), |(angle, far), (a, b)| {
            let (p, q) = (a.rotation.as_dquat(), b.rotation.as_dquat());
            let chord = (p - q).length().min((p + q).length());
            let apart = (a.translation - b.translation).length() + (a.scale - b.scale).length();
            (
                f64::max(angle, 4.0 * (chord / 2.0).asin()),
                f64::max(far, f64::from(apart)),
            )
        })
}

#[test]
fn a_clip_shows_what_its_animation_says() {
    let mut random = Random(5);
    let mut worst = [0.0_f64; 2];
    for (joints, shared) in [(1, true), (37, true), (9, false), (40, false)] {
        for _ in 0..5 {
            let skeleton = random.skeleton(joints);
            let animation = random.animation(joints, shared);
            let (clip, _) = animation.bake(&skeleton, &LOSSLESS).unwrap();
            let (packed, report) = animation.bake(&skeleton, &BakeOptions::default()).unwrap();
            let (mut exact, mut found) = (Pose::identity(joints), Pose::identity(joints));
            for _ in 0..200 {
                let time = random.signed() * 12.0;
                animation.sample(&skeleton, time, &mut exact);
                for (clip, kernel, bound) in [
                    (&clip, Kernel::Deterministic, 1e-5),
                    (&clip, Kernel::Fast, 1e-5),
                    (&packed, Kernel::Deterministic, 1e-4),
                ] {
                    let _ = clip.sample_with(kernel, time, &mut found);
                    let (angle, far) = distance(&exact, &found);
                    assert!(angle <= bound, "{angle} rad off at {time}, {kernel:?}");
                    assert!(far < 2e-6 * 12.0, "{far} off at {time}");
                    worst[usize::from(bound > 1e-5)] = worst[usize::from(bound > 1e-5)].max(angle);
                    for joint in skeleton.joints() {
                        let single = clip.joint(time, joint);
                        let (a, b) = (
                            [single].into_iter().collect(),
                            [found.get(joint)].into_iter().collect(),
                        );
                        let (angle, far) = distance(&a, &b);
                        assert!(
                            angle < 2e-6 && far < 2e-5,
                            "one joint by itself: {angle} rad, {far}"
                        );
                    }
                }
            }
            assert!(report.rotation_error <= 1e-4, "{report:?}");
        }
    }
    assert!(worst[1] > 1e-6, "16-bit storage was never used: {worst:?}");
}
