//! Transitions of the multiplexer against their polynomials.

#![allow(
    clippy::cast_possible_truncation,
    reason = "small counts, and f64 forms of f32 results"
)]

use elea_anim::{Layer, Loop, Transition};
use slides::{ROOT, bake, close, inertialized, playing, pose, slide, step, tip, walking};

mod slides;

/// Three clips fade over one another: the newest takes its smooth step, the one below its own of what is left.
#[test]
fn fades_over_fades_share_as_their_smooth_steps_say() {
    let (mut animux, id) = playing(&slide(1.0, 1.0, 0.0, 1.0), Layer::default());
    let _ = step(&mut animux, 0.1);
    animux.play(id, bake(&slide(10.0, 10.0, 0.0, 1.0)), Transition::Crossfade(0.8));
    let _ = step(&mut animux, 0.3);
    animux.play(
        id,
        bake(&slide(100.0, 100.0, 0.0, 1.0)),
        Transition::Crossfade(0.6),
    );
    let smooth = |s: f64| s.min(1.0).powi(2) * (3.0 - 2.0 * s.min(1.0));
    for count in 0..16_u8 {
        let after = f64::from(count) * 0.05;
        let (second, third) = (smooth((0.3 + after) / 0.8), smooth(after / 0.6));
        let below = 1.0 + 9.0 * second;
        close(
            tip(&mut animux),
            below + (100.0 - below) * third,
            1e-4,
            "the three together",
        );
        let _ = step(&mut animux, 0.05);
    }
}

/// Lets a clip play to some place, changes to one that moves from 5 at 0.5 a second, and compares each frame.
fn check_inertia(what: &str, layer: Layer, seconds: f32, old: f64, velocity: f64) {
    let (mut animux, id) = playing(&slide(0.0, 2.0, 0.0, 1.0), layer);
    let _ = step(&mut animux, seconds);
    close(tip(&mut animux), old, 1e-5, what);
    animux.layer_mut(id).speed = 1.0;
    animux.layer_mut(id).looping = Loop::Once;
    animux.play(
        id,
        bake(&slide(5.0, 6.0, 0.0, 2.0)),
        Transition::Inertialized(0.4),
    );
    for count in 0..12_u8 {
        let after = f64::from(count) * 0.04;
        let expected = 5.0 + 0.5 * after + inertialized(old - 5.0, velocity - 0.5, 0.4, after);
        // Velocities come from poses 1/120 s apart, in f32.
        close(
            tip(&mut animux),
            expected,
            2e-4,
            &format!("{what}, after {after}"),
        );
        let _ = step(&mut animux, 0.04);
    }
}

#[test]
fn inertialisation_follows_its_polynomial() {
    let layer = |looping| Layer {
        looping,
        ..Layer::default()
    };
    check_inertia("in the middle", layer(Loop::Repeat), 0.5, 1.0, 2.0);
    // The pose before lay at the end of the loop before: its difference would be a jump, not a velocity.
    check_inertia(
        "just after the loop's seam",
        layer(Loop::Repeat),
        1.001,
        0.002,
        2.0,
    );
    check_inertia("at the beginning", layer(Loop::Repeat), 0.0, 0.0, 2.0);
    check_inertia("on the way back", layer(Loop::PingPong), 1.25, 1.5, -2.0);
    check_inertia("at rest at the end", layer(Loop::Once), 3.0, 2.0, 0.0);
}

#[test]
fn inertialisation_on_inertialisation_keeps_place_and_speed() {
    let (mut animux, id) = playing(&slide(0.0, 2.0, 0.0, 1.0), Layer::default());
    let _ = step(&mut animux, 0.5);
    animux.play(
        id,
        bake(&slide(5.0, 5.0, 0.0, 1.0)),
        Transition::Inertialized(0.4),
    );
    let _ = pose(&mut animux);
    for after in [0.001_f32, 0.1, 0.399] {
        let mut animux = animux.clone();
        let _ = step(&mut animux, after);
        let old = f64::from(tip(&mut animux));
        let h = 1e-4;
        let value = |t: f64| 5.0 + inertialized(-4.0, 2.0, 0.4, t);
        let after = f64::from(after);
        let velocity = (value(after) - value(after - h)) / h;
        animux.play(
            id,
            bake(&slide(-3.0, -3.0, 0.0, 1.0)),
            Transition::Inertialized(0.2),
        );
        close(tip(&mut animux), old, 1e-5, "no jump");
        let _ = step(&mut animux, 0.01);
        let expected = -3.0 + inertialized(old + 3.0, velocity, 0.2, 0.01);
        // The velocity is a mean over 1/120 s of a motion with accelerations up to 400 units/s^2.
        close(tip(&mut animux), expected, 0.02, "the same speed");
    }
}

/// A speed that is no number stands still: it has no velocity to hand on.
#[test]
fn inertialisation_from_a_layer_without_a_speed_is_finite() {
    let (mut animux, id) = playing(&slide(0.0, 2.0, 0.0, 1.0), Layer::default());
    let _ = step(&mut animux, 0.5);
    animux.layer_mut(id).speed = f32::NAN;
    animux.play(
        id,
        bake(&slide(5.0, 5.0, 0.0, 1.0)),
        Transition::Inertialized(0.4),
    );
    for count in 0..10_u8 {
        let after = f64::from(count) * 0.05;
        close(
            tip(&mut animux),
            5.0 + inertialized(-4.0, 0.0, 0.4, after),
            1e-4,
            "stands and fades",
        );
        let _ = step(&mut animux, 0.05);
    }
}

/// What the root's motion takes out of the pose must not come back as the difference of two clips.
#[test]
fn inertialisation_leaves_the_root_alone_that_moves_the_character() {
    let (mut animux, id) = playing(&slide(0.0, 8.0, 0.0, 1.0), Layer::default());
    walking(&mut animux);
    let _ = step(&mut animux, 0.75);
    animux.play(
        id,
        bake(&slide(-20.0, -18.0, 0.0, 1.0)),
        Transition::Inertialized(0.5),
    );
    let mut walked = 0.0;
    for _ in 0..20 {
        let shown = pose(&mut animux);
        assert_eq!(
            shown.get(ROOT).translation.x,
            0.0,
            "all of x belongs to the character"
        );
        walked += step(&mut animux, 0.025).translation.x;
    }
    close(
        walked,
        1.0,
        1e-4,
        "the new clip's two units a second, for half a second",
    );
}

#[test]
fn a_transition_that_never_ends_cuts() {
    let (mut animux, id) = playing(&slide(0.0, 2.0, 0.0, 1.0), Layer::default());
    let _ = step(&mut animux, 0.5);
    for seconds in [f32::INFINITY, f32::NAN, 0.0, -1.0] {
        animux.play(
            id,
            bake(&slide(5.0, 6.0, 0.0, 2.0)),
            Transition::Inertialized(seconds),
        );
        close(tip(&mut animux), 5.0, 1e-6, &format!("{seconds} s"));
        let _ = step(&mut animux, 0.5);
        close(tip(&mut animux), 5.25, 1e-6, &format!("{seconds} s"));
    }
}

/// Seconds that are no length of time: the new clip is all there is, at once.
#[test]
fn transitions_without_a_length_cut() {
    for seconds in [f32::NAN, -1.0, 0.0, f32::NEG_INFINITY] {
        for transition in [Transition::Crossfade(seconds), Transition::Inertialized(seconds)] {
            let (mut animux, id) = playing(&slide(1.0, 1.0, 0.0, 1.0), Layer::default());
            let _ = step(&mut animux, 0.1);
            animux.play(id, bake(&slide(10.0, 10.0, 0.0, 1.0)), transition);
            close(tip(&mut animux), 10.0, 1e-6, &format!("{transition:?}"));
            let _ = step(&mut animux, 0.1);
            close(tip(&mut animux), 10.0, 1e-6, &format!("{transition:?}, later"));
        }
    }
}
