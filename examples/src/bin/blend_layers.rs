//! `Run_legs`, `Shoot_torso` and `Face_phoneme` on one figure at once, and a hand that inverse kinematics keeps on a moving
//! target: `out/blend_layers.gif`, and what every layer did.
//!
//! `cargo run --release -p elea-examples --bin blend_layers [FILE.gif]`

use std::{error::Error, f32::consts::TAU, process::ExitCode};

use elea_anim::{
    AnimError, Animation, Animux, BakeOptions, Channel, Interpolation, Joint, JointId, Key, Layer, Marker,
    Mask, Pose, Scratch, Skeleton, Stage, Transform, Transition, local_to_model,
};
use elea_examples::canvas::{BLUE, Canvas, GREY, RED};
use elea_examples::{drawing, film::Film};
use elea_ik::{Axis, Chain, ChainJoint, Goal, IkModifier, Solver, Tracker};
use glam::{Affine3A, Quat, Vec2, Vec3};

/// A figure seen from the side, running to the right. Joints 5 to 10 are its legs, 13 and 14 the arm that reaches.
const NAMES: &str =
    "hips spine chest head jaw thigh.L shin.L foot.L thigh.R shin.R foot.R arm.R forearm.R arm.L forearm.L";
const PARENTS: [usize; 15] = [0, 0, 1, 2, 3, 0, 5, 6, 0, 8, 9, 2, 11, 2, 13];
/// Where each is in its parent's space.
const X: [f32; 15] = [
    0.0, 0.0, 0.0, 0.0, 0.04, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.3, 0.0, 0.3,
];
const Y: [f32; 15] = [
    0.95, 0.15, 0.25, 0.25, 0.0, 0.0, -0.45, -0.45, 0.0, -0.45, -0.45, 0.15, 0.0, 0.15, 0.0,
];
const HAND: Vec3 = Vec3::new(0.28, 0.0, 0.0);

/// A joint that turns in the plane of the picture, by `angle` (radians) at each part (0 to 1) of the cycle.
fn swing(joint: u16, seconds: f32, angle: impl Fn(f32) -> f32) -> Result<Channel, AnimError> {
    let part = |key: u16| f32::from(key) / 24.0;
    let keys: Vec<_> = (0..=24)
        .map(|key| Key::new(part(key) * seconds, Quat::from_rotation_z(angle(part(key)))))
        .collect();
    Channel::rotation(JointId(joint), Interpolation::Linear, &keys)
}

fn main() -> ExitCode {
    let about = "Plays three clips and a reaching hand on one figure at once, and says what every layer did";
    drawing::run(about, "out/blend_layers.gif", draw)
}

fn draw(path: &str) -> Result<(), Box<dyn Error>> {
    let joints = NAMES.split(' ').enumerate().map(|(index, name)| Joint {
        name: name.into(),
        parent: (index > 0).then(|| JointId::from_index(PARENTS[index])),
        rest: Transform::from_translation(Vec3::new(X[index], Y[index], 0.0)),
    });
    let skeleton = Skeleton::new(joints.collect())?;
    let thigh = |part: f32| 0.7 * (TAU * part).sin() + 0.2;
    let shin = |part: f32| -0.8 + 0.8 * (TAU * part).cos();
    let (left, right) = (swing(5, 0.7, thigh)?, swing(8, 0.7, |part| thigh(part + 0.5))?);
    let (below_left, below_right) = (swing(6, 0.7, shin)?, swing(9, 0.7, |part| shin(part + 0.5))?);
    let run_legs = Animation::new("Run_legs", vec![left, right, below_left, below_right]);
    let recoil = |part: f32| f32::from(part >= 0.5) * (15.0 - 30.0 * part).exp();
    let spine = swing(1, 1.0, |part| -0.15 + 0.15 * recoil(part))?;
    let arm = swing(11, 1.0, |part| 0.1 + 0.5 * recoil(part))?;
    let mut shoot_torso = Animation::new("Shoot_torso", vec![spine, arm]);
    shoot_torso.events = vec![Marker::new(0.5, "shot")];
    let jaw = swing(4, 0.25, |part| -0.3 + 0.3 * (TAU * part).cos())?;
    let face_phoneme = Animation::new("Face_phoneme", vec![jaw]);

    // Every layer plays a clip of its own on its part of the body, all at once.
    let mut animux = Animux::new(&skeleton);
    let mut legs = Mask::subtree(&skeleton, JointId(5));
    legs.set_subtree(&skeleton, JointId(8), 1.0);
    let [torso, face] = [1, 4].map(|joint| Mask::subtree(&skeleton, JointId(joint)));
    for (mask, animation) in [(legs, run_legs), (torso, shoot_torso), (face, face_phoneme)] {
        let layer = animux.add_layer(Layer::default());
        animux.layer_mut(layer).mask = Some(mask);
        let (clip, _) = animation.bake(&skeleton, &BakeOptions::default())?;
        animux.play(layer, clip, Transition::Cut);
    }
    // The other arm has no clip: it follows the target.
    let mut chain = Chain::from_skeleton(&skeleton, JointId(13), &[JointId(14)])?;
    chain.set_joint(JointId(13), ChainJoint::hinge(2, Axis::limit(2.5, 2.5, 0.1)))?;
    chain.set_joint(JointId(14), ChainJoint::hinge(2, Axis::limit(0.1, 2.6, 0.1)))?;
    let mut reach = IkModifier::new(chain, Tracker::new(Solver::gauss_newton()));

    let (mut scratch, mut pose) = (Scratch::new(), Pose::identity(skeleton.len()));
    let mut model = vec![Affine3A::IDENTITY; skeleton.len()];
    let mut film = Film::create(path)?;
    let (mut shots, mut widest, mut farthest, mut stride) = (0, 0.0_f32, 0.0_f32, 0.0_f32);
    for frame in 0..70_u16 {
        let turn = TAU * f32::from(frame) / 70.0;
        let target = Vec3::new(0.38 + 0.08 * turn.cos(), 1.38 + 0.15 * turn.sin(), 0.0);
        reach.goals = vec![Goal::position(JointId(14), HAND, target)];
        let _ = animux.advance(0.04, |event| shots += u32::from(&*event.name == "shot"));
        let (after, modifier) = (None, &mut reach);
        let stages = &mut [Stage { after, modifier }];
        let _ = animux.evaluate_with(&skeleton, &mut scratch, &mut pose, stages);
        local_to_model(&skeleton, &pose, &mut model);

        let at = |joint: usize| model[joint].translation.truncate();
        let end = |joint: usize, local: Vec3| model[joint].transform_point3(local).truncate();
        farthest = farthest.max(end(14, HAND).distance(target.truncate()));
        stride = stride.max(at(7).distance(at(10)));
        widest = widest.max(pose.get(JointId(4)).rotation.to_scaled_axis().z.abs());
        let mut canvas = Canvas::new(300, 300, Vec2::new(130.0, 30.0), 140.0);
        for (joint, &parent) in PARENTS.iter().enumerate().skip(1) {
            let color = if joint >= 13 { BLUE } else { GREY };
            canvas.line(at(parent), at(joint), 6.0, color);
        }
        let mouth = Vec3::new(0.1, -0.04, 0.0);
        for (joint, local, color) in [(12, HAND, GREY), (14, HAND, BLUE), (4, mouth, GREY)] {
            canvas.line(at(joint), end(joint, local), 6.0, color);
        }
        canvas.disc(target.truncate(), 5.0, RED);
        film.show(canvas)?;
    }
    println!("{path}: 70 frames of three clips and a solver on one figure");
    println!("Run_legs: feet up to {stride:.2} m apart");
    println!("Shoot_torso: {shots} shots");
    println!("Face_phoneme: mouth open up to {widest:.2} rad");
    println!("inverse kinematics: the hand stays within {farthest:.4} m of its target");
    Ok(())
}
