//! Root motion of the multiplexer against closed forms.

#![allow(
    clippy::cast_possible_truncation,
    reason = "small counts, and f64 forms of f32 results"
)]

use elea_anim::{
    Animation, Animux, Blend, Channel, Interpolation, Key, Layer, Loop, RootMotion, RootTrack, Transition,
    glam::{Quat, Vec3},
};
use slides::{ROOT, bake, close, playing, skeleton, slide, step, walking};

mod slides;

#[test]
fn root_motion_is_the_sum_of_its_loops_and_undoes_itself_backward() {
    for (looping, expected) in [
        (Loop::Repeat, 7.3 * 3.0),
        (Loop::Once, 3.0),
        (Loop::PingPong, 3.0 * 0.7),
    ] {
        for steps in [1_u16, 10, 333] {
            let (mut animux, _) = playing(
                &slide(1.0, 4.0, -0.5, 0.5),
                Layer {
                    looping,
                    ..Layer::default()
                },
            );
            walking(&mut animux);
            let mut walked = RootMotion::NONE;
            for _ in 0..steps {
                walked = walked.then(step(&mut animux, 7.3 / f32::from(steps)));
            }
            close(
                walked.translation.x,
                expected,
                2e-4,
                &format!("{looping:?} in {steps} steps"),
            );
            if looping == Loop::Once {
                continue;
            }
            for _ in 0..steps {
                walked = walked.then(step(&mut animux, -7.3 / f32::from(steps)));
            }
            close(
                walked.translation.x,
                0.0,
                2e-4,
                &format!("{looping:?} there and back"),
            );
        }
    }
}

/// From 1 to 3 units a second in 0.4 s by a smooth step, which is half on average: 2 units a second, whatever the
/// steps.
#[test]
fn root_motion_of_a_crossfade_is_its_integral() {
    for steps in [1_u16, 2, 5, 50] {
        let (mut animux, id) = playing(&slide(0.0, 1.0, 0.0, 1.0), Layer::default());
        walking(&mut animux);
        animux.play(id, bake(&slide(0.0, 3.0, 0.0, 1.0)), Transition::Crossfade(0.4));
        let walked: f32 = (0..steps)
            .map(|_| step(&mut animux, 0.4 / f32::from(steps)).translation.x)
            .sum();
        close(walked, 0.8, 1e-5, &format!("in {steps} steps"));
        close(
            step(&mut animux, 0.1).translation.x,
            0.3,
            1e-5,
            "the new clip alone",
        );
    }
}

#[test]
fn root_motion_is_shared_out_as_the_pose_is() {
    let mut animux = Animux::new(&skeleton());
    let low = animux.add_layer(Layer::default());
    let high = animux.add_layer(Layer::default());
    walking(&mut animux);
    animux.play(low, bake(&slide(0.0, 1.0, 0.0, 1.0)), Transition::Cut);
    animux.play(high, bake(&slide(0.0, 5.0, 0.0, 1.0)), Transition::Cut);
    for (low_weight, high_weight, speed) in [
        (1.0, 0.0, 1.0),
        (1.0, 0.25, 2.0),
        (0.5, 0.0, 0.5),
        (0.5, 0.75, 4.0),
        (3.0, 1.0, 5.0),
        (0.0, 0.0, 0.0),
    ] {
        animux.layer_mut(low).weight = low_weight;
        animux.layer_mut(high).weight = high_weight;
        let walked = step(&mut animux, 0.125).translation.x;
        close(
            walked,
            speed * 0.125,
            1e-6,
            &format!("weights {low_weight} and {high_weight}"),
        );
    }
    // A clip that cannot be shown takes nothing from those below.
    animux.layer_mut(low).weight = 1.0;
    animux.layer_mut(high).weight = 1.0;
    let additive = slide(0.0, 5.0, 0.0, 1.0)
        .to_additive(skeleton().rest_pose())
        .unwrap();
    animux.play(high, bake(&additive), Transition::Cut);
    close(
        step(&mut animux, 0.125).translation.x,
        0.125,
        1e-6,
        "the lower layer alone",
    );
    animux.layer_mut(high).blend = Blend::Additive;
    close(
        step(&mut animux, 0.125).translation.x,
        0.125,
        1e-6,
        "differences move nobody",
    );
}

/// Half of a turn of 2 rad and half of none: a turn of 1 rad, in the plane.
#[test]
fn root_turns_are_averaged() {
    let keys = [0.0, 0.5, 1.0].map(|time| Key::new(time, Quat::from_rotation_y(2.0 * time)));
    let turn = Animation::new(
        "turn",
        vec![Channel::rotation(ROOT, Interpolation::Linear, &keys).unwrap()],
    );
    let (mut animux, _) = playing(
        &turn,
        Layer {
            weight: 0.5,
            ..Layer::default()
        },
    );
    animux.set_root_motion(Some(RootTrack {
        joint: ROOT,
        axes: [true, false, true],
        turn: Some(Vec3::Y),
    }));
    let moved = step(&mut animux, 0.5);
    let angle = 2.0 * f64::from(moved.rotation.y).atan2(f64::from(moved.rotation.w));
    // 1e-4: the bound of the bake.
    close(angle, 0.5, 1e-4, "half of one");
}

/// The square of a short or a long axis is no f32: such an axis was refused, or took no turn.
#[test]
fn the_axis_of_the_turn_may_have_any_length() {
    let keys = [
        Key::new(0.0, Quat::IDENTITY),
        Key::new(1.0, Quat::from_rotation_y(1.2)),
    ];
    let turn = Channel::rotation(ROOT, Interpolation::Linear, &keys).unwrap();
    for length in [1e-40, 1e-25, 1.0, 1e25, 3e38] {
        let (mut animux, _) = playing(&Animation::new("turn", vec![turn.clone()]), Layer::default());
        animux.set_root_motion(Some(RootTrack {
            joint: ROOT,
            axes: [false; 3],
            turn: Some(Vec3::Y * length),
        }));
        let turned = step(&mut animux, 0.5).rotation;
        let expected = Quat::from_rotation_y(0.6);
        assert!(turned.abs_diff_eq(expected, 1e-5), "{length}: {turned:?}");
    }
}
