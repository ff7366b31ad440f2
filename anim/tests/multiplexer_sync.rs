//! Sync groups of the multiplexer, and its state.

#![allow(
    clippy::cast_possible_truncation,
    reason = "small counts, and f64 forms of f32 results"
)]

use elea_anim::{Animation, Animux, Flags, Layer, Loop, Pose, Scratch, Transition};
use slides::{
    bake, close, heard_at, inertialized, marked, pose, position, random, skeleton, slide, step, tip, walking,
};

mod slides;

/// A layer of the one sync group.
fn in_group(weight: f32) -> Layer {
    Layer {
        sync: Some(1),
        weight,
        ..Layer::default()
    }
}

#[test]
fn a_group_stays_in_step_while_weights_fade() {
    let mut animux = Animux::new(&skeleton());
    let walk = animux.add_layer(in_group(1.0));
    let run = animux.add_layer(in_group(0.0));
    animux.play(walk, bake(&slide(0.0, 1.0, 0.0, 2.0)), Transition::Cut);
    animux.play(run, bake(&slide(0.0, 1.0, 3.0, 3.5)), Transition::Cut);
    animux.fade_weight(walk, 0.0, 1.0);
    animux.fade_weight(run, 1.0, 1.0);
    let mut seed = 3;
    for _ in 0..200 {
        let _ = step(&mut animux, random(&mut seed).abs() * 0.05);
        let off = (position(&animux, walk) / 2.0 - position(&animux, run) / 0.5).abs();
        assert!(off.min(1.0 - off) < 1e-5, "phases {off} apart");
    }
}

/// A walk of 2 s with steps at 0.5 and 1.3, a run of 1 s with steps at 0.8 and 0.2: left meets left.
fn walk_and_run() -> (Animation, Animation) {
    (
        marked(slide(0.0, 1.0, 0.0, 2.0), &[(0.5, "left"), (1.3, "right")]),
        marked(slide(0.0, 1.0, 0.0, 1.0), &[(0.8, "left"), (0.2, "right")]),
    )
}

/// The run's place for one of the walk, from the four pairs of marks by hand.
fn run_for_walk(walk: f64) -> f64 {
    // (walk, run), unrolled: left, right, and both a cycle later and earlier.
    let marks = [(-0.7, 0.2 - 1.0 + 0.0), (0.5, -0.2), (1.3, 0.2), (2.5, 0.8)];
    let pair = marks.windows(2).find(|pair| walk < pair[1].0).unwrap();
    let fraction = (walk - pair[0].0) / (pair[1].0 - pair[0].0);
    (pair[0].1 + fraction * (pair[1].1 - pair[0].1)).rem_euclid(1.0)
}

#[test]
fn marked_clips_meet_at_their_marks() {
    let (walk_clip, run_clip) = walk_and_run();
    let mut animux = Animux::new(&skeleton());
    let walk = animux.add_layer(in_group(1.0));
    let run = animux.add_layer(in_group(0.25));
    animux.play(walk, bake(&walk_clip), Transition::Cut);
    let _ = step(&mut animux, 0.7);
    close(
        position(&animux, walk),
        0.7,
        1e-6,
        "alone in its group a clip plays at its own pace",
    );
    animux.play(run, bake(&run_clip), Transition::Cut);
    let off = |animux: &Animux| {
        let off = (position(animux, run) - run_for_walk(position(animux, walk))).abs();
        off.min(1.0 - off)
    };
    assert!(
        off(&animux) < 1e-6,
        "it joins where the group is: {}",
        position(&animux, run)
    );
    // 0.5 cycles a second by weight 1 and 1 by 0.25: 0.6.
    let before = position(&animux, walk);
    let _ = step(&mut animux, 0.1);
    close(
        position(&animux, walk) - before,
        0.6 * 2.0 * 0.1,
        1e-6,
        "the leader's pace",
    );
    let mut seed = 5;
    for count in 0..600 {
        if count == 200 {
            // The other one leads from now on.
            animux.fade_weight(walk, 0.1, 1.0);
        }
        let _ = step(&mut animux, random(&mut seed) * 0.3);
        assert!(off(&animux) < 1e-5, "step {count}: {} apart", off(&animux));
    }
}

#[test]
fn marks_of_other_names_leave_the_phase_to_decide() {
    let (walk_clip, _) = walk_and_run();
    let other = marked(slide(0.0, 1.0, 0.0, 1.0), &[(0.1, "up"), (0.2, "down")]);
    let mut animux = Animux::new(&skeleton());
    let walk = animux.add_layer(in_group(1.0));
    let waltz = animux.add_layer(in_group(0.5));
    animux.play(walk, bake(&walk_clip), Transition::Cut);
    let _ = step(&mut animux, 0.9);
    animux.play(waltz, bake(&other), Transition::Cut);
    for _ in 0..50 {
        let off = (position(&animux, walk) / 2.0 - position(&animux, waltz)).abs();
        assert!(off.min(1.0 - off) < 1e-5, "phases {off} apart");
        let _ = step(&mut animux, 0.13);
    }
}

/// A name that comes twice in a cycle fits in two ways: clips stay in the one that they are in.
#[test]
fn repeated_names_keep_the_way_they_are_in() {
    let beat = |seconds: f32, marks: [f32; 4]| {
        let names = ["a", "b", "a", "b"];
        let marks: Vec<(f32, &str)> = marks.into_iter().zip(names).collect();
        marked(slide(0.0, 1.0, 0.0, seconds), &marks)
    };
    let mut animux = Animux::new(&skeleton());
    let one = animux.add_layer(in_group(1.0));
    let two = animux.add_layer(in_group(0.5));
    animux.play(one, bake(&beat(4.0, [0.0, 1.0, 2.0, 3.0])), Transition::Cut);
    animux.play(two, bake(&beat(2.0, [0.0, 0.2, 0.9, 1.6])), Transition::Cut);
    animux.seek(one, 2.0);
    animux.seek(two, 0.0);
    // One's third mark goes with two's first: half a cycle on, it is the other way round.
    for lead in 0..4 {
        animux.layer_mut(one).weight = if lead % 2 == 0 { 1.0 } else { 0.1 };
        let rate = |animux: &Animux| {
            let weight = f64::from(animux.layer(one).weight);
            (weight / 4.0 + 0.5 / 2.0) / (weight + 0.5)
        };
        let expected_one = [0.0, 1.0, 2.0, 3.0, 4.0];
        let expected_two = [0.9, 1.6, 2.0, 2.2, 2.9];
        for _ in 0..40 {
            let dt = (0.025 / rate(&animux)) as f32;
            let _ = step(&mut animux, dt);
            let at = position(&animux, one);
            let index = (0..4).find(|&index| at < expected_one[index + 1]).unwrap_or(3);
            let fraction = (at - expected_one[index]) / (expected_one[index + 1] - expected_one[index]);
            let expected = expected_two[index] + fraction * (expected_two[index + 1] - expected_two[index]);
            let off = (expected - position(&animux, two)).rem_euclid(2.0);
            assert!(off.min(2.0 - off) < 1e-4, "one at {at}: two is {off} off");
        }
    }
}

/// The velocity of a clip in a group is the group's, not the layer's own.
#[test]
fn inertialisation_in_a_group_starts_at_the_groups_pace() {
    let mut animux = Animux::new(&skeleton());
    let slow = animux.add_layer(in_group(0.5));
    let shown = animux.add_layer(in_group(1.0));
    animux.play(slow, bake(&slide(0.0, 0.0, 0.0, 4.0)), Transition::Cut);
    animux.play(shown, bake(&slide(0.0, 2.0, 0.0, 1.0)), Transition::Cut);
    // (0.5 / 4 + 1) / 1.5 = 0.75 cycles a second.
    let _ = step(&mut animux, 0.5);
    close(tip(&mut animux), 2.0 * 0.375, 1e-5, "in its cycle");
    animux.layer_mut(shown).sync = None;
    animux.layer_mut(slow).weight = 0.0;
    // Out of the group again only now: the old clip goes on at its own pace, 2 units a second.
    animux.play(
        shown,
        bake(&slide(5.0, 5.0, 0.0, 1.0)),
        Transition::Inertialized(0.4),
    );
    close(tip(&mut animux), 0.75, 1e-5, "no jump");
    let mut grouped = Animux::new(&skeleton());
    let slow = grouped.add_layer(in_group(0.5));
    let shown = grouped.add_layer(in_group(1.0));
    grouped.play(slow, bake(&slide(0.0, 0.0, 0.0, 4.0)), Transition::Cut);
    grouped.play(shown, bake(&slide(0.0, 2.0, 0.0, 1.0)), Transition::Cut);
    let _ = step(&mut grouped, 0.5);
    grouped.play(
        shown,
        bake(&slide(5.0, 5.0, 0.0, 1.0)),
        Transition::Inertialized(0.4),
    );
    close(tip(&mut grouped), 0.75, 1e-5, "no jump");
    let _ = step(&mut grouped, 0.02);
    // 0.75 cycles of 2 units a second.
    let expected = 5.0 + inertialized(-4.25, 1.5, 0.4, 0.02);
    close(tip(&mut grouped), expected, 2e-4, "the group's pace");
}

/// Saves in the middle of everything, goes on, and goes on again from there: the same bits.
#[test]
fn a_restored_state_goes_on_as_before() {
    let (walk_clip, run_clip) = walk_and_run();
    let mut animux = Animux::new(&skeleton());
    walking(&mut animux);
    let body = animux.add_layer(Layer {
        sync: Some(1),
        ..Layer::default()
    });
    let more = animux.add_layer(Layer {
        sync: Some(1),
        weight: 0.3,
        looping: Loop::PingPong,
        ..Layer::default()
    });
    animux.play(
        body,
        bake(&heard_at(walk_clip, &[0.1, 0.6, 1.9])),
        Transition::Cut,
    );
    animux.play(more, bake(&slide(3.0, 1.0, 0.0, 0.9)), Transition::Cut);
    let _ = step(&mut animux, 0.3);
    animux.play(body, bake(&run_clip), Transition::Crossfade(0.7));
    animux.play(
        more,
        bake(&slide(9.0, 8.0, 0.0, 0.4)),
        Transition::Inertialized(0.5),
    );
    animux.fade_weight(more, 0.9, 0.8);
    let _ = (step(&mut animux, 0.1), pose(&mut animux));
    let _ = step(&mut animux, f32::NAN);
    let run = |animux: &mut Animux| {
        let mut trace = Vec::new();
        for count in 0..60_u8 {
            if count == 20 {
                animux.play(
                    body,
                    bake(&slide(0.0, 1.0, 0.0, 0.3)),
                    Transition::Inertialized(0.2),
                );
            }
            let mut times = Vec::new();
            let motion = animux.advance(0.021, |event| times.push((event.time, event.weight)));
            let mut pose = Pose::identity(2);
            let flags = animux.evaluate(&skeleton(), &mut Scratch::new(), &mut pose);
            trace.push((motion, times, flags, pose));
        }
        trace
    };
    let saved = animux.clone();
    let mut other = Animux::new(&skeleton());
    other.clone_from(&animux);
    let first = run(&mut animux);
    assert!(
        first[0].2.contains(Flags::BAD_TIME),
        "flags are part of the state"
    );
    animux.clone_from(&saved);
    assert_eq!(run(&mut animux), first);
    assert_eq!(run(&mut other), first);
}
