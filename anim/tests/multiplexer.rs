//! Layers, loops, events, transitions, sync groups and root motion.

#![allow(clippy::cast_possible_truncation, reason = "small counts")]

use std::sync::Arc;

use elea_anim::{
    Animation, Animux, BakeOptions, Blend, Channel, Clip, Flags, Interpolation, Joint, JointId, Key, Layer,
    LayerId, Loop, Marker, Mask, Pose, RootMotion, RootTrack, Scratch, Skeleton, Stage, Transform,
    Transition,
    glam::{Affine3A, Quat, Vec3},
};

const ROOT: JointId = JointId(0);

fn skeleton() -> Skeleton {
    let joint = |name: &str, parent| Joint {
        name: name.into(),
        parent,
        rest: Transform::IDENTITY,
    };
    Skeleton::new(vec![
        joint("root", None),
        joint("legs", Some(ROOT)),
        joint("torso", Some(ROOT)),
    ])
    .unwrap()
}

fn bake(animation: &Animation) -> Arc<Clip> {
    Arc::new(animation.bake(&skeleton(), &BakeOptions::default()).unwrap().0)
}

/// Every joint moves along x from `from` to `to` in `seconds`.
fn slide(from: f32, to: f32, seconds: f32) -> Animation {
    let keys = [Key::new(0.0, Vec3::X * from), Key::new(seconds, Vec3::X * to)];
    let channel = |joint| Channel::translation(JointId(joint), Interpolation::Linear, &keys).unwrap();
    Animation::new("slide", (0..3).map(channel).collect())
}

fn with_events(mut animation: Animation, times: &[f32]) -> Animation {
    animation.events = times
        .iter()
        .map(|&time| Marker::new(time, format!("{time}")))
        .collect();
    animation
}

fn shown(animux: &mut Animux) -> ([f32; 3], Flags) {
    let skeleton = skeleton();
    let mut pose = Pose::identity(3);
    let flags = animux.evaluate(&skeleton, &mut Scratch::new(), &mut pose);
    (
        [0, 1, 2].map(|joint| pose.get(JointId(joint)).translation.x),
        flags,
    )
}

fn close(found: f32, expected: f32) -> bool {
    (found - expected).abs() < 1e-5
}

fn events(animux: &mut Animux, dt: f32) -> Vec<f32> {
    let mut times = Vec::new();
    let _ = animux.advance(dt, |event| times.push(event.time));
    times
}

fn playing(animation: &Animation, layer: Layer) -> (Animux, LayerId) {
    let mut animux = Animux::new(&skeleton());
    let id = animux.add_layer(layer);
    animux.play(id, bake(animation), Transition::Cut);
    (animux, id)
}

#[test]
fn loops_repeat_stay_or_turn_round() {
    for (looping, expected) in [
        (Loop::Repeat, [0.6, 0.2, 0.8, 0.4]),
        (Loop::Once, [0.6, 1.0, 1.0, 1.0]),
        (Loop::PingPong, [0.6, 0.8, 0.2, 0.4]),
    ] {
        let (mut animux, id) = playing(
            &slide(0.0, 1.0, 1.0),
            Layer {
                looping,
                ..Layer::default()
            },
        );
        for expected in expected {
            let _ = animux.advance(0.6, |_| {});
            let (found, _) = shown(&mut animux);
            assert!(
                close(found[0], expected),
                "{looping:?}: {found:?}, not {expected}"
            );
        }
        assert_eq!(animux.is_finished(id), looping == Loop::Once);
    }
    let (mut animux, _) = playing(
        &slide(0.0, 1.0, 1.0),
        Layer {
            speed: -0.5,
            ..Layer::default()
        },
    );
    let _ = animux.advance(0.6, |_| {});
    assert!(close(shown(&mut animux).0[0], 0.7), "backward from the end");
}

#[test]
fn an_event_falls_into_one_step_whatever_the_steps_are() {
    let times = [0.0, 0.25, 0.5, 1.0];
    // Steps that are binary fractions meet the events exactly; the others do not.
    for dt in [0.25_f32, 0.5, 0.125, 1.0, 2.0, 4.0, 0.1, 0.3, 1.7] {
        for speed in [1.0, -1.0] {
            for looping in [Loop::Repeat, Loop::PingPong] {
                let animation = with_events(slide(0.0, 1.0, 1.0), &times);
                let (mut animux, _) = playing(
                    &animation,
                    Layer {
                        speed,
                        looping,
                        ..Layer::default()
                    },
                );
                let mut count = [0_i32; 4];
                let mut elapsed = 0.0;
                while elapsed < 8.0 {
                    for time in events(&mut animux, dt) {
                        count[times.iter().position(|&other| other == time).unwrap()] += 1;
                    }
                    elapsed += dt;
                }
                // How often each time is passed in [0, elapsed), counted on the unrolled axis.
                let loops = elapsed.floor();
                for (index, &time) in times.iter().enumerate() {
                    let along = if speed > 0.0 { time } else { 1.0 - time };
                    let expected = if looping == Loop::Repeat {
                        // An end belongs to the step that reaches it.
                        let reached = elapsed - loops >= along && (along < elapsed - loops || along == 0.0);
                        let extra = if along == 0.0 { elapsed > loops } else { reached };
                        if along == 0.0 {
                            elapsed.ceil()
                        } else {
                            loops + f32::from(u8::from(extra))
                        }
                    } else {
                        let passes = |at: f32| (at < elapsed) as i32;
                        (0..40)
                            .map(|cycle| {
                                let base = 2.0 * cycle as f32;
                                let there = passes(base + along);
                                let back = if along == 0.0 || along == 1.0 {
                                    0
                                } else {
                                    passes(base + 2.0 - along)
                                };
                                there + back
                            })
                            .sum::<i32>() as f32
                    };
                    // Sums of tenths are not exact: a boundary may fall on either side.
                    let slack = if (dt * 8.0).fract() == 0.0 { 0 } else { 1 };
                    let off = (count[index] - expected as i32).abs();
                    assert!(
                        off <= slack,
                        "event at {time}, steps of {dt} at speed {speed}, {looping:?}: {} times, not {expected}",
                        count[index]
                    );
                }
            }
        }
    }
}

#[test]
fn events_at_loop_multiples_fire_once_a_loop_and_none_at_weight_zero() {
    // One too many at exact multiples (KybernetikGames/animancer#205), only in the first loop (BabylonJS#4260).
    let animation = with_events(slide(0.0, 1.0, 1.0), &[0.5]);
    let (mut animux, id) = playing(&animation, Layer::default());
    assert_eq!(events(&mut animux, 0.5), [0.0; 0], "[0, 0.5) does not hold 0.5");
    assert_eq!(events(&mut animux, 1.0), [0.5], "[0.5, 1.5) holds it once");
    animux.layer_mut(id).weight = 0.0;
    assert_eq!(
        events(&mut animux, 1.0),
        [0.0; 0],
        "nothing shows, nothing is heard"
    );
    let animation = with_events(slide(0.0, 1.0, 1.0), &[0.0]);
    let (mut animux, _) = playing(&animation, Layer::default());
    assert_eq!(events(&mut animux, 3.0), [0.0; 3], "three loops, three times");
}

#[test]
fn once_fires_its_last_event_and_only_once() {
    let animation = with_events(slide(0.0, 1.0, 1.0), &[0.0, 1.0]);
    let (mut animux, _) = playing(
        &animation,
        Layer {
            looping: Loop::Once,
            ..Layer::default()
        },
    );
    assert_eq!(events(&mut animux, 0.5), [0.0]);
    assert_eq!(events(&mut animux, 0.5), [1.0]);
    assert_eq!(events(&mut animux, 0.5), [0.0; 0]);
}

#[test]
fn steps_without_bounds_end() {
    let animation = with_events(slide(0.0, 1.0, 1e-3), &[0.0]);
    for looping in [Loop::Repeat, Loop::PingPong, Loop::Once] {
        for dt in [f32::MAX, -f32::MAX, 1e20] {
            let (mut animux, _) = playing(
                &animation,
                Layer {
                    looping,
                    ..Layer::default()
                },
            );
            assert!(events(&mut animux, dt).len() <= 3000, "{looping:?}");
            assert!(shown(&mut animux).0[0].is_finite(), "{looping:?}, {dt}");
        }
    }
    // A clip of one instant.
    let still = Animation::new(
        "still",
        vec![Channel::translation(ROOT, Interpolation::Linear, &[Key::new(2.0, Vec3::ONE)]).unwrap()],
    );
    let (mut animux, _) = playing(&still, Layer::default());
    let _ = animux.advance(1e9, |_| {});
    assert_eq!(shown(&mut animux).0[0], 1.0);
}

#[test]
fn a_layer_takes_its_share_from_those_below() {
    let mut animux = Animux::new(&skeleton());
    let low = animux.add_layer(Layer::default());
    let high = animux.add_layer(Layer::default());
    animux.play(low, bake(&slide(2.0, 2.0, 1.0)), Transition::Cut);
    animux.play(high, bake(&slide(10.0, 10.0, 1.0)), Transition::Cut);
    for (low_weight, high_weight, expected) in [
        (1.0, 0.0, 2.0),
        (1.0, 0.25, 4.0),
        (0.5, 0.5, 6.0),
        (1.0, 1.0, 10.0),
        (0.25, 0.25, 3.0),
        (0.0, 0.0, 0.0),
    ] {
        animux.layer_mut(low).weight = low_weight;
        animux.layer_mut(high).weight = high_weight;
        let (found, flags) = shown(&mut animux);
        assert!(
            close(found[0], expected),
            "{low_weight} and {high_weight}: {found:?}, not {expected}"
        );
        assert_eq!(flags.contains(Flags::REST), low_weight + high_weight == 0.0);
    }
    // A mask: legs run, torso shoots.
    animux.layer_mut(low).weight = 1.0;
    animux.layer_mut(high).weight = 1.0;
    animux.layer_mut(high).mask = Some(Mask::subtree(&skeleton(), JointId(2)));
    assert_eq!(shown(&mut animux).0, [2.0, 2.0, 10.0]);
    // A weight that is no number: the layer is left out.
    animux.layer_mut(high).weight = f32::NAN;
    let (found, flags) = shown(&mut animux);
    assert_eq!((found, flags), ([2.0; 3], Flags::BAD_WEIGHT));
}

#[test]
fn additive_layers_add_and_must_be_given_differences() {
    // A plain clip as an additive layer doubled the character (guillaumeblanc/ozz-animation#139).
    let mut animux = Animux::new(&skeleton());
    let base = animux.add_layer(Layer::default());
    let more = animux.add_layer(Layer {
        blend: Blend::Additive,
        weight: 0.5,
        ..Layer::default()
    });
    let clip = slide(4.0, 4.0, 1.0);
    animux.play(base, bake(&clip), Transition::Cut);
    animux.play(more, bake(&clip), Transition::Cut);
    assert_eq!(
        shown(&mut animux),
        ([4.0; 3], Flags::WRONG_BLEND),
        "left out and flagged"
    );
    let reference = skeleton().rest_pose().clone();
    animux.play(
        more,
        bake(&clip.to_additive(&reference).unwrap()),
        Transition::Cut,
    );
    assert_eq!(shown(&mut animux), ([6.0; 3], Flags::NONE));
}

#[test]
fn a_crossfade_begins_with_the_old_pose_and_ends_with_the_new_one() {
    // A fade's weight stayed 0 until it cut (matiaszanolli/ByroRedux#3701).
    let (mut animux, id) = playing(&slide(1.0, 1.0, 1.0), Layer::default());
    animux.play(id, bake(&slide(3.0, 3.0, 1.0)), Transition::Crossfade(0.2));
    assert_eq!(shown(&mut animux).0[0], 1.0, "exactly the old pose");
    let mut before = 1.0;
    for step in 1..=4 {
        let _ = animux.advance(0.04, |_| {});
        let (found, _) = shown(&mut animux);
        assert!(found[0] > before && found[0] < 3.0, "step {step}: {found:?}");
        before = found[0];
    }
    let _ = animux.advance(0.05, |_| {});
    assert_eq!(shown(&mut animux).0[0], 3.0, "exactly the new pose");
}

#[test]
fn inertialisation_keeps_place_and_speed() {
    // The old clip moves at 2 units a second; the new one stands still at 5.
    let (mut animux, id) = playing(&slide(0.0, 2.0, 1.0), Layer::default());
    let h = 1e-3;
    let _ = animux.advance(0.5, |_| {});
    let old = shown(&mut animux).0[0];
    animux.play(id, bake(&slide(5.0, 5.0, 1.0)), Transition::Inertialized(0.3));
    let start = shown(&mut animux).0[0];
    assert!((start - old).abs() < 1e-5, "no jump: {start}, {old}");
    let _ = animux.advance(h, |_| {});
    let next = shown(&mut animux).0[0];
    assert!(
        ((next - start) / h - 2.0).abs() < 0.1,
        "the old speed: {}",
        (next - start) / h
    );
    let mut last = next;
    for _ in 0..29 {
        let _ = animux.advance(0.01, |_| {});
        let found = shown(&mut animux).0[0];
        assert!((found - last).abs() < 0.5, "smooth: {last} to {found}");
        last = found;
    }
    let _ = animux.advance(0.02, |_| {});
    assert_eq!(shown(&mut animux).0[0], 5.0, "exactly the new pose");
}

#[test]
fn sync_groups_keep_step() {
    let mut animux = Animux::new(&skeleton());
    let walk = animux.add_layer(Layer {
        sync: Some(7),
        weight: 0.75,
        ..Layer::default()
    });
    let run = animux.add_layer(Layer {
        sync: Some(7),
        weight: 0.25,
        ..Layer::default()
    });
    animux.play(walk, bake(&slide(0.0, 1.0, 2.0)), Transition::Cut);
    let _ = animux.advance(0.5, |_| {});
    animux.play(run, bake(&slide(0.0, 1.0, 1.0)), Transition::Cut);
    let time = |animux: &Animux, id| animux.playing(id).unwrap().1;
    // The phase is taken over: a quarter of the cycle.
    assert!(close(time(&animux, run), 0.25), "{}", time(&animux, run));
    let _ = animux.advance(0.4, |_| {});
    // 0.75 of half a cycle a second and 0.25 of one: 0.625 cycles a second.
    let phase = 0.25 + 0.4 * 0.625;
    assert!(close(time(&animux, walk) / 2.0, phase), "{}", time(&animux, walk));
    assert!(close(time(&animux, run), phase), "{}", time(&animux, run));
}

#[test]
fn root_motion_leaves_the_pose_and_adds_up() {
    let turn = |time: f32| {
        let angle = time * 1.5;
        (
            Quat::from_rotation_y(angle),
            Vec3::new(angle.sin() * 3.0, 1.0 + 0.1 * time, angle.cos() * 3.0),
        )
    };
    let keys: Vec<f32> = (0..=40_u8).map(|key| f32::from(key) * 0.025).collect();
    let rotations: Vec<Key<Quat>> = keys.iter().map(|&time| Key::new(time, turn(time).0)).collect();
    let places: Vec<Key<Vec3>> = keys.iter().map(|&time| Key::new(time, turn(time).1)).collect();
    let animation = Animation::new(
        "arc",
        vec![
            Channel::rotation(ROOT, Interpolation::Linear, &rotations).unwrap(),
            Channel::translation(ROOT, Interpolation::Linear, &places).unwrap(),
        ],
    );
    let options = BakeOptions {
        rotation_error: 0.0,
        position_error: 0.0,
    };
    let clip = Arc::new(animation.bake(&skeleton(), &options).unwrap().0);
    let track = RootTrack {
        joint: ROOT,
        axes: [true, false, true],
        turn: Some(Vec3::Y),
    };
    let mut animux = Animux::new(&skeleton());
    animux.set_root_motion(Some(track));
    let id = animux.add_layer(Layer::default());
    animux.play(id, clip, Transition::Cut);
    let mut whole = RootMotion::NONE;
    let mut pose = Pose::identity(3);
    for _ in 0..50 {
        whole = whole.then(animux.advance(0.05, |_| {}));
        let _ = animux.evaluate(&skeleton(), &mut Scratch::new(), &mut pose);
        let left = pose.get(ROOT);
        assert!(
            left.translation.x.abs() < 1e-5 && left.translation.z.abs() < 1e-5,
            "{left:?}"
        );
        assert!(
            left.translation.y > 0.99 && left.translation.y < 1.11,
            "height stays: {left:?}"
        );
        assert!(left.rotation.angle_between(Quat::IDENTITY) < 2e-3, "{left:?}");
    }
    // Two and a half loops of 1.5 rad around a circle of radius 3: the motion goes on along the circle.
    let angle: f32 = 2.5 * 1.5;
    let expected = Quat::from_rotation_y(angle);
    assert!(whole.rotation.dot(expected).abs() > 0.999_999, "{whole:?}");
    let start = Vec3::Z * 3.0;
    let end = Vec3::new(angle.sin() * 3.0, 0.0, angle.cos() * 3.0);
    assert!(
        (start + whole.translation).distance(end) < 2e-3,
        "{whole:?}, not {}",
        end - start
    );
}

#[test]
fn modifiers_run_where_they_are_told_to() {
    let skeleton = skeleton();
    let mut animux = Animux::new(&skeleton);
    let low = animux.add_layer(Layer::default());
    let mask = Some(Mask::subtree(&skeleton, JointId(2)));
    let high = animux.add_layer(Layer {
        mask,
        ..Layer::default()
    });
    animux.play(low, bake(&slide(1.0, 1.0, 1.0)), Transition::Cut);
    animux.play(high, bake(&slide(2.0, 2.0, 1.0)), Transition::Cut);
    let mut seen = Vec::new();
    let mut raise = |_: &Skeleton, pose: &mut Pose, model: &mut [Affine3A]| {
        seen.push([1, 2].map(|joint: usize| model[joint].translation.x));
        for joint in 0..3 {
            pose.set_translation(JointId(joint), Vec3::X * 100.0);
        }
    };
    let mut pose = Pose::identity(3);
    let stages = &mut [Stage {
        after: Some(low),
        modifier: &mut raise,
    }];
    let _ = animux.evaluate_with(&skeleton, &mut Scratch::new(), &mut pose, stages);
    let found = [0, 1, 2].map(|joint| pose.get(JointId(joint)).translation.x);
    assert_eq!(found, [100.0, 100.0, 2.0], "the masked layer above covers it");
    assert_eq!(seen, [[2.0, 2.0]], "model space: the root and the joint");
}

#[test]
fn time_that_is_no_number_moves_nothing() {
    let (mut animux, _) = playing(&slide(0.0, 1.0, 1.0), Layer::default());
    let _ = animux.advance(0.25, |_| {});
    assert_eq!(animux.advance(f32::NAN, |_| {}), RootMotion::NONE);
    assert_eq!(shown(&mut animux), ([0.25; 3], Flags::BAD_TIME));
    assert_eq!(shown(&mut animux).1, Flags::NONE, "said once");
    let saved = animux.clone();
    let _ = animux.advance(0.3, |_| {});
    animux = saved;
    assert_eq!(shown(&mut animux).0, [0.25; 3], "a clone is a snapshot");
}
