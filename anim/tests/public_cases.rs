//! Bugs that other libraries had, each with the right answer. The issue is named at each test.

use std::{io::Write as _, sync::Arc};

use elea_anim::{
    Animation, Animux, BakeOptions, Blend, BlendInput, Channel, Clip, Flags, Interpolation, Joint, JointId,
    Key, Layer, Marker, MorphTrack, Pose, Scratch, Skeleton, Transform, Transition, Values, blend,
    blend_additive,
    glam::{Quat, Vec3},
};

const ROOT: JointId = JointId(0);

fn skeleton(joints: u16) -> Skeleton {
    let joint = |index: u16| Joint {
        name: format!("joint {index}"),
        parent: index.checked_sub(1).map(JointId),
        rest: Transform::IDENTITY,
    };
    Skeleton::new((0..joints).map(joint).collect()).unwrap()
}

fn bake(channel: Channel) -> Clip {
    Animation::new("case", vec![channel])
        .bake(&skeleton(1), &BakeOptions::default())
        .unwrap()
        .0
}

fn at(clip: &Clip, time: f32) -> Transform {
    let mut pose = Pose::identity(1);
    let flags = clip.sample(time, &mut pose);
    assert!(flags.is_empty(), "{flags:?}");
    pose.get(ROOT)
}

fn places(interpolation: Interpolation, keys: &[(f32, f32)]) -> Channel {
    let keys: Vec<Key<Vec3>> = keys
        .iter()
        .map(|&(time, x)| Key::new(time, Vec3::X * x))
        .collect();
    Channel::translation(ROOT, interpolation, &keys).unwrap()
}

fn angle(a: Quat, b: Quat) -> f64 {
    let (a, b) = (a.as_dquat().normalize(), b.as_dquat().normalize());
    4.0 * ((a - b).length().min((a + b).length()) / 2.0).asin()
}

/// godotengine/godot#81755: blending went 270 degrees round instead of 90.
#[test]
fn blending_takes_the_shortest_arc_whatever_the_signs() {
    let q1 = Quat::from_xyzw(-0.062, 0.997, -0.003, 0.052).normalize();
    let q2 = Quat::from_xyzw(0.046, -0.742, -0.042, 0.668).normalize();
    let mut results = Vec::new();
    for (a, b) in [(q1, q2), (-q1, q2), (q1, -q2), (-q1, -q2)] {
        let pose = |q| [Transform::from_rotation(q)].into_iter().collect::<Pose>();
        let (a, b, mut out) = (pose(a), pose(b), Pose::identity(1));
        let input = |pose| BlendInput {
            pose,
            weight: 0.5,
            mask: None,
        };
        let _ = blend(&[input(&a), input(&b)], &Pose::identity(1), &mut out);
        results.push(out.get(ROOT).rotation);
    }
    for result in results {
        assert!((result.length() - 1.0).abs() < 1e-6, "{result}");
        let half = angle(q1, q2) / 2.0;
        assert!((angle(result, q1) - half).abs() < 1e-6, "half way from the first");
        assert!((angle(result, q2) - half).abs() < 1e-6, "half way to the second");
    }
}

/// fu5ha/ultraviolet#152 and godotengine/godot#57951: the long way between keys of opposite signs.
#[test]
fn signs_are_aligned_once_along_the_channel() {
    let turn = |angle: f32| Quat::from_rotation_y(angle);
    let keys: Vec<Key<Quat>> = [turn(0.0), -turn(0.4), turn(0.8), -turn(1.2)]
        .into_iter()
        .zip([0.0, 1.0, 2.0, 3.0])
        .map(|(value, time)| {
            // The tangent of a steady turn of 0.4 rad a second, with its key's sign.
            let speed = Quat::from_xyzw(0.0, 0.2, 0.0, 0.0) * value;
            Key {
                time,
                value,
                tangents: Some([speed; 2]),
            }
        })
        .collect();
    for interpolation in [Interpolation::Linear, Interpolation::CubicSpline] {
        let channel = Channel::rotation(ROOT, interpolation, &keys).unwrap();
        let clip = bake(channel);
        for step in 0..=30_u8 {
            let time = f32::from(step) * 0.1;
            let off = angle(at(&clip, time).rotation, turn(0.4 * time));
            assert!(off < 1e-4, "{interpolation:?} at {time}: {off} rad off");
        }
    }
}

/// KhronosGroup/glTF-Blender-Exporter#90: tangents are per second, hence times the interval.
#[test]
fn tangents_are_per_second() {
    let key = |time, x: f32| Key {
        time,
        value: Vec3::X * x,
        tangents: Some([Vec3::X * 8.0; 2]),
    };
    let channel =
        Channel::translation(ROOT, Interpolation::CubicSpline, &[key(0.0, 0.0), key(0.5, 4.0)]).unwrap();
    let clip = bake(channel);
    for step in 0..=10_u8 {
        let time = f32::from(step) * 0.05;
        let x = at(&clip, time).translation.x;
        // 8 units a second at both ends and 4 units in half a second: a straight line.
        assert!((x - 8.0 * time).abs() < 1e-6, "at {time}: {x}");
    }
}

/// raysan5/raylib#5561: with one key the value was never written.
#[test]
fn one_key_is_a_constant() {
    for interpolation in [
        Interpolation::Step,
        Interpolation::Linear,
        Interpolation::CubicSpline,
    ] {
        let clip = bake(places(interpolation, &[(3.0, 7.0)]));
        for time in [-1.0, 0.0, 3.0, 100.0] {
            assert_eq!(at(&clip, time).translation.x, 7.0, "{interpolation:?} at {time}");
        }
    }
}

/// loodakrawa/SpriterDotNet#98, jMonkeyEngine/jmonkeyengine#1138: two keys of one time divided by zero.
#[test]
fn two_keys_of_one_time_are_a_step() {
    let clip = bake(places(
        Interpolation::Linear,
        &[(0.0, 0.0), (1.2, 6.0), (1.2, 9.0)],
    ));
    assert!(
        (at(&clip, 1.199_999).translation.x - 6.0).abs() < 1e-4,
        "the first value before it"
    );
    for time in [1.2, 1.3, 1e30, f32::INFINITY] {
        assert_eq!(
            at(&clip, time).translation.x,
            9.0,
            "the last value from it on, at {time}"
        );
    }
}

/// google/filament#10154: counts were not compared.
#[test]
fn counts_are_compared() {
    let values = Values::Scale(vec![Vec3::ONE; 3]);
    let error = Channel::new(ROOT, Interpolation::Linear, vec![0.0, 1.0], values).unwrap_err();
    assert_eq!(
        error.to_string(),
        "scale channel of joint 0 has 3 values where its times need 2"
    );
    // Weights of three morph targets at two equal times: a step, and no count but the right one.
    let weights = [0.0, 0.25, 0.5, 1.0, 1.0, 0.0];
    for wrong in [0, 3, 5] {
        let track = MorphTrack::new(3, Interpolation::Linear, [1.0, 1.0], weights[..wrong].into());
        assert!(track.is_err(), "{wrong} weights for two keys of three");
    }
    let track = MorphTrack::new(3, Interpolation::Linear, [1.0, 1.0], weights.into()).unwrap();
    let mut found = [f32::NAN; 3];
    for (time, expected) in [
        (0.9, [0.0, 0.25, 0.5]),
        (1.0, [1.0, 1.0, 0.0]),
        (2.0, [1.0, 1.0, 0.0]),
    ] {
        track.sample(time, &mut found);
        assert_eq!(found, expected, "at {time}");
    }
}

/// KhronosGroup/glTF-Blender-Exporter#78 and glTF-Blender-IO#1901: what lay before time 0 was lost.
#[test]
fn times_below_zero_are_kept() {
    for (start, end) in [(-0.966_666_7, 2.2), (-0.125, 1.0)] {
        let animation = Animation::new(
            "early",
            vec![places(Interpolation::Linear, &[(start, 1.0), (end, 2.0)])],
        );
        let (clip, _) = animation.bake(&skeleton(1), &BakeOptions::default()).unwrap();
        assert_eq!((clip.start(), clip.end()), (start, end));
        assert_eq!(at(&clip, start).translation.x, 1.0);
        assert_eq!(at(&clip, end).translation.x, 2.0);
        let shifted = animation.shifted(-start).unwrap();
        assert_eq!(shifted.start(), 0.0, "moved to 0 where that is wanted");
    }
}

/// godotengine/godot#86003: the key at the end of a loop was never shown.
#[test]
fn the_last_key_is_shown_at_its_time() {
    let clip = bake(places(
        Interpolation::Linear,
        &[(0.0, 1.0), (0.5, 3.0), (1.0, 5.0)],
    ));
    assert_eq!(at(&clip, 1.0).translation.x, 5.0);
}

/// godotengine/godot#99928: quaternion compression gave NaN without an axis, and neither 0 nor 1.
#[test]
fn identity_zero_and_one_come_out_exactly() {
    let turns = [
        Quat::IDENTITY,
        Quat::from_rotation_x(1.0),
        Quat::IDENTITY,
        Quat::IDENTITY,
    ];
    let keys: Vec<Key<Quat>> = turns
        .into_iter()
        .zip([0.0, 1.0, 2.0, 3.0])
        .map(|(q, time)| Key::new(time, q))
        .collect();
    let animation = Animation::new(
        "case",
        vec![
            Channel::rotation(ROOT, Interpolation::Linear, &keys).unwrap(),
            places(
                Interpolation::Linear,
                &[(0.0, 0.0), (1.0, 100.03), (2.0, 1.0), (3.0, 0.0)],
            ),
        ],
    );
    for rotation_error in [0.0, 1e-4] {
        let options = BakeOptions {
            rotation_error,
            position_error: 0.0,
        };
        let (clip, report) = animation.bake(&skeleton(1), &options).unwrap();
        assert_eq!(
            report.packed,
            rotation_error > 0.0,
            "16-bit storage is tried where an error is allowed"
        );
        for (time, x) in [(0.0, 0.0), (1.0, 100.03), (2.0, 1.0), (3.0, 0.0)] {
            assert_eq!(at(&clip, time).translation.x, x);
        }
        for time in [0.0, 2.0, 2.3, 2.9, 3.0] {
            assert_eq!(at(&clip, time).rotation, Quat::IDENTITY, "at {time}");
        }
    }
}

/// Times that are no numbers, and times beyond the ends.
#[test]
fn times_that_are_no_numbers_give_the_rest_pose() {
    let clip = bake(places(Interpolation::Linear, &[(0.0, 1.0), (1.0, 2.0)]));
    let mut pose = Pose::identity(1);
    assert_eq!(clip.sample(f32::NAN, &mut pose), Flags::BAD_TIME);
    assert_eq!(pose.get(ROOT), Transform::IDENTITY);
    assert_eq!(at(&clip, f32::NEG_INFINITY).translation.x, 1.0);
    assert_eq!(at(&clip, f32::INFINITY).translation.x, 2.0);
}

/// A clip that stands still at `x` for a second, with an event at each of `events`.
fn still(x: f32, events: &[f32]) -> Animation {
    let mut animation = Animation::new(
        "still",
        vec![places(Interpolation::Linear, &[(0.0, x), (1.0, x)])],
    );
    animation.events = events.iter().map(|&time| Marker::new(time, "event")).collect();
    animation
}

fn baked(animation: &Animation) -> Arc<Clip> {
    Arc::new(animation.bake(&skeleton(1), &BakeOptions::default()).unwrap().0)
}

fn shown(animux: &mut Animux) -> (Transform, Flags) {
    let mut pose = Pose::identity(1);
    let flags = animux.evaluate(&skeleton(1), &mut Scratch::new(), &mut pose);
    (pose.get(ROOT), flags)
}

/// matiaszanolli/ByroRedux#3701: the new clip's weight stayed 0 until the fade was over.
#[test]
fn a_fade_goes_on_from_the_old_pose_to_the_new() {
    let mut animux = Animux::new(&skeleton(1));
    let layer = animux.add_layer(Layer::default());
    animux.play(layer, baked(&still(2.0, &[])), Transition::Cut);
    animux.play(layer, baked(&still(6.0, &[])), Transition::Crossfade(0.25));
    assert_eq!(shown(&mut animux).0.translation.x, 2.0, "exactly the old pose");
    for step in 1..=8_u8 {
        let _ = animux.advance(0.031_25, |_| {});
        // The smooth step 3 s^2 - 2 s^3 from 2 to 6.
        let s = f32::from(step) / 8.0;
        let expected = 2.0 + 4.0 * s * s * (3.0 - 2.0 * s);
        let x = shown(&mut animux).0.translation.x;
        assert!((x - expected).abs() < 1e-6, "step {step}: {x}, not {expected}");
    }
    assert_eq!(shown(&mut animux).0.translation.x, 6.0, "exactly the new pose");
}

/// guillaumeblanc/ozz-animation#139: a plain clip was added to the pose, which doubled the figure.
#[test]
fn a_plain_clip_is_not_added() {
    let plain = still(4.0, &[]);
    let mut animux = Animux::new(&skeleton(1));
    let base = animux.add_layer(Layer::default());
    let more = animux.add_layer(Layer {
        blend: Blend::Additive,
        ..Layer::default()
    });
    animux.play(base, baked(&plain), Transition::Cut);
    animux.play(more, baked(&plain), Transition::Cut);
    let (shown_root, flags) = shown(&mut animux);
    assert_eq!((shown_root.translation.x, flags), (4.0, Flags::WRONG_BLEND));
    // Against itself it is no difference; against a pose of half the scale it is a ratio of two.
    let mut half = Pose::identity(1);
    half.set(
        ROOT,
        Transform {
            translation: Vec3::X * 4.0,
            scale: Vec3::splat(0.5),
            ..Transform::IDENTITY
        },
    );
    let keys = [Key::new(0.0, Vec3::ONE)];
    let mut animation = plain;
    animation
        .channels
        .push(Channel::scale(ROOT, Interpolation::Linear, &keys).unwrap());
    animux.play(
        more,
        baked(&animation.to_additive(&half).unwrap()),
        Transition::Cut,
    );
    let (root, flags) = shown(&mut animux);
    assert_eq!(
        (root.translation.x, root.scale, flags),
        (4.0, Vec3::splat(2.0), Flags::NONE)
    );
}

/// bevyengine/bevy#13832: additive rotations were blended from the wrong end.
#[test]
fn additive_weight_zero_is_the_base_and_one_the_whole_difference() {
    let base = Quat::from_rotation_x(0.7);
    let difference = Quat::from_rotation_y(1.1);
    let pose = |q| [Transform::from_rotation(q)].into_iter().collect::<Pose>();
    let add = |weight| {
        let mut out = pose(base);
        let added = pose(difference);
        let _ = blend_additive(
            &[BlendInput {
                pose: &added,
                weight,
                mask: None,
            }],
            &mut out,
        );
        out.get(ROOT).rotation
    };
    assert_eq!(add(0.0), base, "untouched");
    assert!(
        angle(add(1.0), difference * base) < 1e-6,
        "d * base: {}",
        add(1.0)
    );
    let half = add(0.5);
    let expected = Quat::from_rotation_y(0.55) * base;
    assert!(
        angle(half, expected) < 1e-6,
        "half of the turn, before the base: {half}"
    );
}

/// o3de/o3de#19965: the difference of translations was turned by the base's rotation.
#[test]
fn differences_of_translations_are_in_the_parents_space() {
    let mut reference = Pose::identity(1);
    let turned = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
    reference.set(
        ROOT,
        Transform {
            translation: Vec3::new(1.0, 2.0, 3.0),
            rotation: turned,
            scale: Vec3::ONE,
        },
    );
    let place = [Key::new(0.0, Vec3::new(6.0, 2.0, 3.0))];
    let turn = [Key::new(0.0, turned)];
    let animation = Animation::new(
        "moved",
        vec![
            Channel::translation(ROOT, Interpolation::Linear, &place).unwrap(),
            Channel::rotation(ROOT, Interpolation::Linear, &turn).unwrap(),
        ],
    );
    let clip = baked(&animation.to_additive(&reference).unwrap());
    let difference = at(&clip, 0.0);
    assert_eq!(difference.translation, Vec3::X * 5.0);
    assert!(
        angle(difference.rotation, Quat::IDENTITY) < 1e-7,
        "{}",
        difference.rotation
    );
}

/// `bdero/flutter_scene#249`: a mirrored bone passed through scale 0 without a word.
#[test]
fn scales_of_opposite_sign_are_kept_as_authored_and_flagged() {
    let mirrored = |scale: Vec3, angle: f32| Transform {
        rotation: Quat::from_rotation_y(angle),
        scale,
        ..Transform::IDENTITY
    };
    let a: Pose = [mirrored(Vec3::new(-1.0, 1.0, 1.0), 0.3)].into_iter().collect();
    let b: Pose = [mirrored(Vec3::new(1.0, 1.0, -1.0), 0.5)].into_iter().collect();
    let mix = |weight: f32| {
        let mut out = Pose::identity(1);
        let input = |pose, weight| BlendInput {
            pose,
            weight,
            mask: None,
        };
        let flags = blend(
            &[input(&a, 1.0 - weight), input(&b, weight)],
            &Pose::identity(1),
            &mut out,
        );
        (out.get(ROOT).scale, flags)
    };
    assert_eq!(mix(0.0), (Vec3::new(-1.0, 1.0, 1.0), Flags::NONE));
    let (scale, flags) = mix(0.5);
    assert_eq!(
        (scale.y, flags),
        (1.0, Flags::MIRRORED_SCALE),
        "flat, and said so: {scale}"
    );
    let clip = bake(
        Channel::scale(
            ROOT,
            Interpolation::Linear,
            &[
                Key::new(0.0, Vec3::new(-1.0, 1.0, 1.0)),
                Key::new(1.0, Vec3::new(-1.0, 2.0, 1.0)),
            ],
        )
        .unwrap(),
    );
    assert_eq!(
        at(&clip, 0.5).scale,
        Vec3::new(-1.0, 1.5, 1.0),
        "on the authored axis"
    );
}

fn times_heard(animux: &mut Animux, dt: f32) -> Vec<f32> {
    let mut times = Vec::new();
    let _ = animux.advance(dt, |event| times.push(event.time));
    times
}

/// KybernetikGames/animancer#205: one event too many at whole loops, and events of clips without weight.
#[test]
fn an_event_at_a_loop_multiple_is_heard_once() {
    let mut animux = Animux::new(&skeleton(1));
    let layer = animux.add_layer(Layer::default());
    animux.play(layer, baked(&still(0.0, &[0.5])), Transition::Cut);
    assert_eq!(times_heard(&mut animux, 0.5), [0.0; 0], "[0, 0.5)");
    assert_eq!(times_heard(&mut animux, 1.0), [0.5], "[0.5, 1.5)");
    assert_eq!(times_heard(&mut animux, 3.0), [0.5; 3], "[1.5, 4.5)");
    animux.layer_mut(layer).weight = 0.0;
    assert_eq!(times_heard(&mut animux, 3.0), [0.0; 0], "not shown, not heard");
}

/// BabylonJS/Babylon.js#4260: an event at time 0 was heard in the first loop alone.
#[test]
fn an_event_at_the_beginning_is_heard_in_every_loop() {
    let mut animux = Animux::new(&skeleton(1));
    let layer = animux.add_layer(Layer::default());
    animux.play(layer, baked(&still(0.0, &[0.0])), Transition::Cut);
    assert_eq!(times_heard(&mut animux, 3.0), [0.0; 3]);
}

/// KhronosGroup/glTF-Sample-Assets#170: an accessor's byte offset was ignored, so that times read 1.25, 2.5, 0, 1.25.
#[cfg(feature = "gltf")]
#[test]
fn an_accessors_offset_counts() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../shared/data/models/box_animated.gltf"
    );
    if !std::path::Path::new(path).exists() {
        let _ = writeln!(std::io::stderr(), "SKIPPED: no {path}");
        return;
    }
    let file = elea_anim::gltf::load(path).unwrap();
    let times: Vec<f32> = file.animations[0].channels[1].times().to_vec();
    assert_eq!(times[..3], [0.0, 1.25, 2.5]);
    assert!((times[3] - 3.708_33).abs() < 1e-5, "{times:?}");
}

/// Which test holds which of the reports that were collected; none may be without one.
#[test]
fn every_collected_report_has_its_test() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/cases/anim.json");
    let Ok(text) = std::fs::read(path) else {
        let _ = writeln!(std::io::stderr(), "SKIPPED: no {path}");
        return;
    };
    let reports: Vec<serde_json::Value> = serde_json::from_slice(&text).unwrap();
    let sources = [
        include_str!("public_cases.rs"),
        include_str!("public_skin_cases.rs"),
    ];
    for report in &reports {
        let repository = report["repo"].as_str().unwrap();
        let project = repository.rsplit('/').next().unwrap();
        // "#13832 / PR #15662" names two; one is enough.
        let reference = report["ref"].as_str().unwrap();
        let mut numbers = reference
            .split(|letter: char| !letter.is_ascii_digit())
            .filter(|n| !n.is_empty());
        let is_named = |number: &str| {
            let name = format!("{project}#{number}");
            sources.iter().any(|source| source.contains(&name))
        };
        assert!(numbers.any(is_named), "no test names {repository} {reference}");
    }
    assert!(reports.len() >= 25, "{} reports", reports.len());
}
