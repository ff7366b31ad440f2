//! Events of the multiplexer against closed forms, for any steps.

#![allow(
    clippy::cast_possible_truncation,
    reason = "small counts, and f64 forms of f32 results"
)]

use elea_anim::{Animation, Animux, Channel, Event, Interpolation, Key, Layer, Loop, Transition, glam::Vec3};
use slides::{ROOT, bake, close, events, heard_at, playing, random, slide, step};

mod slides;

/// Where a clip of one second is on the unrolled axis, in exact f64 sums of f32 steps: every event between the
/// two ends of a step is heard, in its order, and no other.
#[test]
fn events_of_random_steps_are_those_between_the_steps_ends() {
    let times = [0.125_f32, 0.3, 0.5, 0.77];
    for looping in [Loop::Repeat, Loop::PingPong] {
        // A ping-pong's second cycle is the first one in a mirror.
        let cycle: Vec<(f64, f32)> = match looping {
            Loop::Repeat => times.iter().map(|&time| (f64::from(time), time)).collect(),
            _ => {
                let back = times.iter().rev().map(|&time| (2.0 - f64::from(time), time));
                times
                    .iter()
                    .map(|&time| (f64::from(time), time))
                    .chain(back)
                    .collect()
            }
        };
        let length = if looping == Loop::Repeat { 1.0 } else { 2.0 };
        for (scale, only_forward) in [(0.3, false), (3.0, false), (0.04, true), (7.0, true)] {
            let animation = heard_at(slide(0.0, 1.0, 0.0, 1.0), &times);
            let (mut animux, _) = playing(
                &animation,
                Layer {
                    looping,
                    ..Layer::default()
                },
            );
            // Far from 0, so that the unrolled axis need not go below it.
            let (mut at, mut seed) = (4000.0_f64, 7);
            for _ in 0..400 {
                let dt = random(&mut seed) * scale;
                let dt = if only_forward { dt.abs() } else { dt };
                let to = at + f64::from(dt);
                let (low, high) = (at.min(to), at.max(to));
                let mut expected = Vec::new();
                let first = (low / length).floor() as i32 - 1;
                for loops in first..=(high / length).ceil() as i32 {
                    for &(place, time) in &cycle {
                        let place = f64::from(loops) * length + place;
                        let is_passed = if dt >= 0.0 {
                            place >= at && place < to
                        } else {
                            place <= at && place > to
                        };
                        if is_passed {
                            expected.push((place, time));
                        }
                    }
                }
                expected.sort_by(|a, b| a.0.total_cmp(&b.0));
                if dt < 0.0 {
                    expected.reverse();
                }
                let expected: Vec<f32> = expected.into_iter().map(|(_, time)| time).collect();
                let found: Vec<f32> = events(&mut animux, dt)
                    .into_iter()
                    .map(|event| event.time)
                    .collect();
                assert_eq!(found, expected, "{looping:?} from {at} to {to}");
                at = to;
            }
        }
    }
}

/// The difference of two f32 is not always one: the clip's length must not be rounded.
#[test]
fn an_event_at_the_very_end_is_heard_once_a_loop_wherever_the_clip_starts() {
    for (start, end) in [(-0.966_666_7, 2.2), (0.1, 0.7), (-1.0 / 3.0, 1e3), (100.1, 100.3)] {
        let animation = heard_at(slide(0.0, 1.0, start, end), &[start, end]);
        for (looping, speed, expected) in [
            (Loop::Repeat, 1.0, [11, 10]),
            (Loop::Repeat, -1.0, [10, 11]),
            (Loop::Once, 1.0, [1, 1]),
            (Loop::Once, -1.0, [1, 1]),
        ] {
            let (mut animux, _) = playing(
                &animation,
                Layer {
                    looping,
                    speed,
                    ..Layer::default()
                },
            );
            let mut counts = [0; 2];
            for _ in 0..1050 {
                for event in events(&mut animux, (end - start) / 100.0) {
                    counts[usize::from(event.time == end)] += 1;
                }
            }
            // Backward, the start is an end: it belongs to the step that reaches it.
            let found = if speed < 0.0 && looping == Loop::Repeat {
                [counts[0], counts[1]]
            } else {
                counts
            };
            assert_eq!(found, expected, "{start} to {end}, {looping:?} at {speed}");
        }
    }
}

#[test]
fn events_of_a_fade_have_the_weight_of_their_instant_whatever_the_steps() {
    let all: Vec<f32> = (0..20_u8).map(|index| f32::from(index) * 0.05).collect();
    let smooth = |s: f64| s * s * (3.0 - 2.0 * s);
    for steps in [1_u16, 2, 7, 64, 1000] {
        let (mut animux, id) = playing(&heard_at(slide(0.0, 1.0, 0.0, 1.0), &all), Layer::default());
        let _ = step(&mut animux, 0.5);
        animux.fade_weight(id, 0.5, 1.0);
        animux.play(
            id,
            bake(&heard_at(slide(0.0, 1.0, 0.0, 1.0), &all)),
            Transition::Crossfade(0.4),
        );
        let mut found: Vec<Event> = Vec::new();
        for _ in 0..steps {
            found.extend(events(&mut animux, 0.59 / f32::from(steps)));
        }
        // The old clip is heard until it has gone, at 0.4 s; the new one from its beginning on.
        let (mut old, mut new) = (Vec::new(), Vec::new());
        for event in &found {
            let at = f64::from(event.time);
            // The new clip is at time t after t seconds, the old one was half a second ahead.
            let layer = |after: f64| 1.0 - 0.5 * after;
            let as_new = layer(at) * smooth((at / 0.4).min(1.0));
            let as_old = layer(at - 0.5) * (1.0 - smooth((at - 0.5) / 0.4));
            if (0.5..0.9).contains(&at) && (f64::from(event.weight) - as_old).abs() < 1e-5 {
                old.push(event.time);
            } else {
                close(event.weight, as_new, 1e-5, "weight of the new clip's event");
                new.push(event.time);
            }
        }
        assert_eq!(old, all[10..18], "old clip in {steps} steps");
        assert_eq!(
            new.len(),
            12,
            "new clip in {steps} steps, its first event among them: {new:?}"
        );
        assert_eq!(new[0], 0.0);
    }
}

#[test]
fn a_threshold_is_met_at_the_events_own_instant() {
    let times: Vec<f32> = (0..10_u8).map(|index| f32::from(index) * 0.1).collect();
    for steps in [1_u16, 3, 40] {
        let layer = Layer {
            weight: 0.0,
            event_weight: 0.55,
            ..Layer::default()
        };
        let (mut animux, id) = playing(&heard_at(slide(0.0, 1.0, 0.0, 1.0), &times), layer);
        animux.fade_weight(id, 1.0, 1.0);
        let heard = |animux: &mut Animux| -> Vec<f32> {
            (0..steps)
                .flat_map(|_| events(animux, 0.99 / f32::from(steps)))
                .map(|event| event.time)
                .collect()
        };
        assert_eq!(heard(&mut animux), times[6..], "in {steps} steps");
    }
}

#[test]
fn a_clip_that_is_paused_has_not_come_to_its_end() {
    let layer = Layer {
        looping: Loop::Once,
        ..Layer::default()
    };
    let (mut animux, id) = playing(&slide(0.0, 1.0, 0.0, 1.0), layer);
    let _ = step(&mut animux, 0.0);
    assert!(!animux.is_finished(id), "no time has passed");
    animux.layer_mut(id).speed = 0.0;
    let _ = step(&mut animux, 5.0);
    assert!(!animux.is_finished(id), "it stands still in the middle");
    animux.layer_mut(id).speed = 1.0;
    let _ = step(&mut animux, 1.0);
    assert!(animux.is_finished(id), "at its end");
}

#[test]
fn a_clip_of_one_instant_is_heard_once() {
    let keys = [Key::new(2.0, Vec3::ONE)];
    let channel = Channel::translation(ROOT, Interpolation::Linear, &keys).unwrap();
    let animation = heard_at(Animation::new("still", vec![channel]), &[2.0]);
    for looping in [Loop::Once, Loop::Repeat, Loop::PingPong] {
        let (mut animux, id) = playing(
            &animation,
            Layer {
                looping,
                ..Layer::default()
            },
        );
        let counts = [0.0, 0.1, 0.1, -0.1].map(|dt| events(&mut animux, dt).len());
        assert_eq!(counts, [0, 1, 0, 0], "{looping:?}");
        assert_eq!(animux.is_finished(id), looping == Loop::Once, "{looping:?}");
    }
}

/// A clip of one second at 1 s of its axis: what lies outside of it is kept, and never heard.
#[test]
fn events_outside_of_the_clip_are_never_heard() {
    for looping in [Loop::Once, Loop::Repeat, Loop::PingPong] {
        let animation = heard_at(slide(0.0, 1.0, 1.0, 2.0), &[0.5, 1.5, 2.5]);
        let layer = Layer {
            looping,
            ..Layer::default()
        };
        let (mut animux, id) = playing(&animation, layer);
        let kept = animux.playing(id).map(|(clip, _)| clip.events().len());
        assert_eq!(kept, Some(3), "{looping:?}");
        for dt in [0.7, 5.0, -3.0] {
            for event in events(&mut animux, dt) {
                assert_eq!(event.time, 1.5, "{looping:?}");
            }
        }
    }
}
