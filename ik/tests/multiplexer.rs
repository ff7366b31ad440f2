//! The modifier in elea-anim's multiplexer: a clip turns the body, and the hand stays on its target on top of it.

use elea_anim::{
    Animation, Animux, BakeOptions, Channel, Interpolation, Joint, JointId, Key, Layer, Loop, Pose, Scratch,
    Skeleton, Stage, Transform, Transition, local_to_model,
};
use elea_ik::glam::{Affine3A, Quat, Vec3};
use elea_ik::{Chain, Goal, IkModifier, Solver, Status, Tracker};

#[test]
fn a_hand_stays_on_its_target_while_a_clip_turns_the_body() {
    let joint = |name: &str, parent: Option<u16>, rest: Vec3| Joint {
        name: name.into(),
        parent: parent.map(JointId),
        rest: Transform::from_translation(rest),
    };
    let skeleton = Skeleton::new(vec![
        joint("hips", None, Vec3::Y),
        joint("shoulder", Some(0), Vec3::new(0.2, 0.5, 0.0)),
        joint("elbow", Some(1), 0.3 * Vec3::X),
        joint("hand", Some(2), 0.3 * Vec3::X),
        joint("other", Some(0), Vec3::new(-0.2, 0.5, 0.0)),
    ])
    .expect("a valid skeleton");
    let [hips, shoulder, hand] = ["hips", "shoulder", "hand"].map(|name| skeleton.joint(name).expect(name));
    let swing = |angle: f32| Quat::from_rotation_y(angle);
    let keys = [0.0_f32, 0.4, -0.4, 0.0].map(swing);
    let keys: Vec<_> = keys
        .into_iter()
        .zip([0.0, 0.5, 1.5, 2.0])
        .map(|(q, time)| Key::new(time, q))
        .collect();
    let channel = Channel::rotation(hips, Interpolation::Linear, &keys).expect("valid keys");
    let clip = Animation::new("swing", vec![channel])
        .bake(&skeleton, &BakeOptions::default())
        .expect("a valid animation")
        .0;

    let mut animux = Animux::new(&skeleton);
    let body = animux.add_layer(Layer {
        looping: Loop::Repeat,
        ..Layer::default()
    });
    animux.play(body, clip, Transition::Cut);
    let chain = Chain::from_skeleton(&skeleton, shoulder, &[hand]).expect("a chain");
    let mut reach = IkModifier::new(chain, Tracker::new(Solver::gauss_newton()));
    let target = Vec3::new(0.4, 1.4, 0.3);
    reach.goals.push(Goal::position(hand, Vec3::ZERO, target));

    let (mut scratch, mut pose) = (Scratch::new(), Pose::identity(skeleton.len()));
    let mut model = vec![Affine3A::IDENTITY; skeleton.len()];
    let mut turned = 0.0_f32;
    for frame in 0..240 {
        let _ = animux.advance(1.0 / 60.0, |_| {});
        let stages = &mut [Stage {
            after: None,
            modifier: &mut reach,
        }];
        let flags = animux.evaluate_with(&skeleton, &mut scratch, &mut pose, stages);
        assert!(flags.is_empty(), "frame {frame}: {flags:?}");
        assert_eq!(reach.outcome(), Some(&Ok(Status::Reached)), "frame {frame}");
        // Through the runtime's own matrices.
        local_to_model(&skeleton, &pose, &mut model);
        let miss = model[hand.index()].translation.distance(target.into());
        assert!(miss < 1e-3, "frame {frame}: misses by {miss}");
        turned = turned.max(pose.get(hips).rotation.angle_between(Quat::IDENTITY));
        let other = skeleton.joint("other").expect("the other shoulder");
        assert_eq!(
            pose.get(other).rotation,
            Quat::IDENTITY,
            "what is not in the chain stays as it is"
        );
    }
    assert!(turned > 0.39, "the clip plays: {turned}");
}

/// What the goal leaves free follows the animation: a hand stays where it is while the clip swings the elbow.
#[test]
fn an_elbow_follows_the_clip() {
    let joint = |parent: Option<u16>, rest: Vec3| Joint {
        name: String::new(),
        parent: parent.map(JointId),
        rest: Transform::from_translation(rest),
    };
    let joints = vec![
        joint(None, Vec3::ZERO),
        joint(Some(0), Vec3::X),
        joint(Some(1), Vec3::X),
    ];
    let skeleton = Skeleton::new(joints).expect("a valid skeleton");
    let [shoulder, elbow, hand] = [0, 1, 2].map(JointId);
    let target = Vec3::new(1.5, 0.0, 0.0);
    let mut heights = Vec::new();
    for weight in [0.0, 0.01, f64::NAN] {
        let chain = Chain::from_skeleton(&skeleton, shoulder, &[hand]).expect("a chain");
        let mut reach = IkModifier::new(chain, Tracker::new(Solver::gauss_newton()));
        reach.animation_weight = weight;
        reach.goals.push(Goal::position(hand, Vec3::ZERO, target));
        let mut model = vec![Affine3A::IDENTITY; skeleton.len()];
        let mut height = Vec::new();
        // The clip holds the hand near its target and turns the elbow from below to above about the line to it.
        for frame in 0..=180_u8 {
            let swivel = Quat::from_rotation_x(f32::from(frame).to_radians());
            let mut pose = skeleton.rest_pose().clone();
            pose.set_rotation(shoulder, swivel * Quat::from_rotation_z(-0.7227));
            pose.set_rotation(elbow, Quat::from_rotation_z(1.4454));
            elea_anim::PoseModifier::modify(&mut reach, &skeleton, &mut pose, &mut model);
            assert_eq!(reach.outcome(), Some(&Ok(Status::Reached)), "frame {frame}");
            local_to_model(&skeleton, &pose, &mut model);
            height.push(model[1].translation.y);
        }
        heights.push(height);
    }
    // The elbow of an arm of 1 and 1 that reaches 1.5 stands 0.66 beside the line; tension and the last frame hold it back
    // somewhat.
    let ends = |heights: &[f32]| [heights[0], heights[180]];
    let [first, last] = ends(&heights[1]);
    assert!(
        first < -0.6 && last > 0.5,
        "it follows the clip: {first} to {last}"
    );
    let [first, last] = ends(&heights[0]);
    assert!(
        first < -0.6 && last < -0.5,
        "without, it stays: {first} to {last}"
    );
    assert_eq!(ends(&heights[0]), ends(&heights[2]), "NaN counts as 0");
}
