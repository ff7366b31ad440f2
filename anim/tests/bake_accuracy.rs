//! Clips of real files against their animations computed in f64 here: slerp, straight lines, glTF's splines.

use std::{io::Write as _, path::PathBuf};

use elea_anim::{
    Animation, BakeOptions, Channel, Clip, Interpolation, Joint, JointId, Kernel, Key, Pose, Skeleton,
    Transform, Values, bvh,
    glam::{DQuat, DVec4, Quat, Vec3},
};

fn data() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    if folder.is_dir() {
        return Some(folder);
    }
    let _ = writeln!(
        std::io::stderr(),
        "SKIPPED: no motions, {} is not here",
        folder.display()
    );
    None
}

/// Component by component in f64; rotations by slerp with acos and sines, as textbooks have it.
fn exact(channel: &Channel, time: f32) -> DVec4 {
    let part = |index: usize| match channel.values() {
        Values::Translation(values) | Values::Scale(values) => values[index].as_dvec3().extend(0.0),
        Values::Rotation(values) => DVec4::from(values[index].as_dquat()).normalize(),
        _ => panic!("a fourth property"),
    };
    let tangent = |index: usize| match channel.values() {
        Values::Translation(values) | Values::Scale(values) => values[index].as_dvec3().extend(0.0),
        Values::Rotation(values) => DVec4::from(values[index].as_dquat()),
        _ => panic!("a fourth property"),
    };
    let is_rotation = matches!(channel.values(), Values::Rotation(_));
    let stride = if channel.interpolation() == Interpolation::CubicSpline {
        3
    } else {
        1
    };
    let key = |index: usize| part(stride * index + stride / 2);
    let times = channel.times();
    let Some(from) = times.iter().rposition(|&key| key <= time) else {
        return key(0);
    };
    if from + 1 == times.len() || channel.interpolation() == Interpolation::Step {
        return key(from);
    }
    let interval = f64::from(times[from + 1]) - f64::from(times[from]);
    let f = (f64::from(time) - f64::from(times[from])) / interval;
    let (a, mut b) = (key(from), key(from + 1));
    if stride == 3 {
        let (m0, m1) = (tangent(3 * from + 2) * interval, tangent(3 * from + 3) * interval);
        let (f2, f3) = (f * f, f * f * f);
        let value = a * (2.0 * f3 - 3.0 * f2 + 1.0)
            + m0 * (f3 - 2.0 * f2 + f)
            + b * (3.0 * f2 - 2.0 * f3)
            + m1 * (f3 - f2);
        return if is_rotation { value.normalize() } else { value };
    }
    if !is_rotation {
        return a + (b - a) * f;
    }
    if a.dot(b) < 0.0 {
        b = -b;
    }
    let angle = a.dot(b).clamp(-1.0, 1.0).acos();
    if angle < 1e-7 {
        return (a + (b - a) * f).normalize();
    }
    (a * ((1.0 - f) * angle).sin() + b * (f * angle).sin()) / angle.sin()
}

/// Largest angle (radians) and largest distance, relative to the largest coordinate or to one.
#[derive(Default, Debug, Clone, Copy)]
struct Worst {
    angle: f64,
    distance: f64,
}

fn compare(name: &str, animation: &Animation, clip: &Clip, pose: &mut Pose) -> Worst {
    let mut worst = Worst::default();
    let span = animation.duration();
    for step in 0..=200_u16 {
        // Not in step with any file's frames.
        let time = animation.start() + span * (f32::from(step) * 0.618_034).fract();
        for kernel in [Kernel::Deterministic, Kernel::Fast] {
            assert!(
                clip.sample_with(kernel, time, pose).is_empty(),
                "{name} at {time}"
            );
            for channel in &animation.channels {
                let (found, expected) = (pose.get(channel.joint()), exact(channel, time));
                let vector = |found: Vec3| {
                    (found.as_dvec3() - expected.truncate()).length() / expected.truncate().length().max(1.0)
                };
                match channel.values() {
                    Values::Translation(_) => worst.distance = worst.distance.max(vector(found.translation)),
                    Values::Scale(_) => worst.distance = worst.distance.max(vector(found.scale)),
                    _ => {
                        let expected = DQuat::from_vec4(expected);
                        let found = found.rotation.as_dquat();
                        let length = found.length();
                        assert!((length - 1.0).abs() < 1e-6, "{name}: {length} long at {time}");
                        let found = found * (1.0 / length);
                        let chord = (found - expected).length().min((found + expected).length());
                        worst.angle = worst.angle.max(4.0 * (chord / 2.0).min(1.0).asin());
                    }
                }
            }
        }
    }
    worst
}

/// With 16 bits and without: no worse than asked for, and than the report says.
fn check(name: &str, skeleton: &Skeleton, animation: &Animation) {
    let mut pose = Pose::identity(skeleton.len());
    for rotation_error in [0.0_f32, 1e-5, 1e-4, 1e-3] {
        let options = BakeOptions {
            rotation_error,
            position_error: 0.0,
        };
        let (clip, report) = animation.bake(skeleton, &options).unwrap();
        let worst = compare(name, animation, &clip, &mut pose);
        // Slerp is met to 1e-5 rad whatever is asked for.
        let bound = f64::from(rotation_error).max(1e-5);
        assert!(
            worst.angle <= bound,
            "{name}: {} rad with {rotation_error} asked for",
            worst.angle
        );
        assert!(
            worst.angle <= f64::from(report.rotation_error) + 2e-5,
            "{name}: {} rad where the report says {}",
            worst.angle,
            report.rotation_error
        );
        assert!(worst.distance <= 1e-6, "{name}: off by {}", worst.distance);
        assert_eq!(report.size, clip.size(), "{name}: bytes");
    }
}

#[test]
fn cmu_clips_are_within_their_bound() {
    let Some(data) = data() else { return };
    let mut files = 0;
    let mut folders = vec![data.join("motion")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "bvh") {
                let file = bvh::parse(&std::fs::read(&path).unwrap()).unwrap();
                check(&path.display().to_string(), &file.skeleton, &file.animation);
                files += 1;
            }
        }
    }
    assert!(files > 0, "no BVH file found");
}

#[cfg(feature = "gltf")]
#[test]
fn gltf_animations_are_within_their_bound() {
    let Some(data) = data() else { return };
    for name in ["robot.glb", "Fox.glb", "cesium_man.gltf"] {
        let file = elea_anim::gltf::load(data.join("models").join(name)).unwrap();
        assert!(!file.animations.is_empty(), "{name} moves");
        for animation in &file.animations {
            check(&format!("{name}: {}", animation.name), &file.skeleton, animation);
        }
    }
}

#[test]
fn identity_zero_and_one_are_exact_in_16_bits() {
    use elea_anim::{Joint, JointId, Key, Transform};
    let joint = |_| Joint {
        name: String::new(),
        parent: None,
        rest: Transform::IDENTITY,
    };
    let skeleton = Skeleton::new((0..8).map(joint).collect()).unwrap();
    let ends = [
        Quat::IDENTITY,
        Quat::from_xyzw(1.0, 0.0, 0.0, 0.0),
        Quat::from_xyzw(0.0, 1.0, 0.0, 0.0),
        Quat::from_xyzw(0.0, 0.0, 1.0, 0.0),
    ];
    let channels = (0..8_u16)
        .map(|joint| {
            let values = [ends[usize::from(joint) % 4], Quat::from_rotation_y(0.1)];
            // There, a little away, and back.
            let keys = [0.0_f32, 1.0, 2.0, 3.0].map(|time| {
                let value = if time == 1.0 {
                    values[1] * values[0]
                } else {
                    values[0]
                };
                Key::new(time, value)
            });
            Channel::rotation(JointId(joint), Interpolation::Linear, &keys).unwrap()
        })
        .collect();
    let options = BakeOptions {
        rotation_error: 1e-3,
        position_error: 0.0,
    };
    let (clip, report) = Animation::new("exact", channels)
        .bake(&skeleton, &options)
        .unwrap();
    assert!(report.packed, "16 bits are enough for 1e-3 rad");
    let mut pose = Pose::identity(8);
    for time in [0.0, 2.0, 2.3, 3.0] {
        let _ = clip.sample(time, &mut pose);
        for (index, found) in pose.transforms().enumerate() {
            assert_eq!(found.rotation, ends[index % 4], "joint {index} at {time}");
            assert_eq!((found.translation, found.scale), (Vec3::ZERO, Vec3::ONE));
        }
    }
}

/// Nine joints in nine blocks, each with key times of its own: lists of one channel were packed and never measured.
#[test]
fn lists_of_a_single_channel_keep_the_bound_too() {
    let joint = |name: usize| Joint {
        name: name.to_string(),
        parent: None,
        rest: Transform::IDENTITY,
    };
    let skeleton = Skeleton::new((0..72).map(joint).collect()).unwrap();
    let channel = |block: u16| {
        let (start, turn) = (f32::from(block) * 0.01, 0.3 + f32::from(block) * 0.2);
        let axis = Vec3::new(1.0, f32::from(block), 2.0).normalize();
        let keys = [0.0, 1.0].map(|key| Key::new(start + key, Quat::from_axis_angle(axis, turn * key)));
        Channel::rotation(JointId(8 * block), Interpolation::Linear, &keys).unwrap()
    };
    let animation = Animation::new("turns", (0..9).map(channel).collect());
    for bound in [1e-4, 1e-6] {
        let options = BakeOptions {
            rotation_error: bound,
            ..BakeOptions::default()
        };
        let (clip, report) = animation.bake(&skeleton, &options).unwrap();
        let mut pose = Pose::identity(72);
        let mut worst = 0.0_f64;
        for channel in &animation.channels {
            for part in 0..=4_u8 {
                let time = channel.times()[0] + f32::from(part) / 4.0;
                let _ = clip.sample(time, &mut pose);
                let found = DVec4::from(pose.get(channel.joint()).rotation.as_dquat());
                let exact = exact(channel, time);
                let chord = (found - exact).length().min((found + exact).length());
                worst = worst.max(4.0 * (chord / 2.0).asin());
            }
        }
        assert_eq!(report.packed, bound == 1e-4, "16 bits err by more than 1e-6 rad");
        let told = f64::from(report.rotation_error);
        assert!(
            worst > 0.0 && worst <= told * 1.01 + 1e-7,
            "{worst} rad, but {told} told"
        );
    }
}
