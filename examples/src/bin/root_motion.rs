//! A character walks in a circle, breaks into a run and turns the other way: what its clips do to the hips moves the
//! character instead. Draws the path from above and compares frame rates.
//!
//! `cargo run --release -p elea-examples --bin root_motion [FILE.png]`

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;

use elea_anim::{
    AnimError, Animation, Animux, BakeOptions, Channel, Clip, Interpolation, Joint, JointId, Key, Layer,
    Pose, RootMotion, RootTrack, Scratch, Skeleton, Transform, Transition,
};
use elea_examples::canvas::{BLUE, Canvas, GREY, RED};
use elea_examples::{drawing, file};
use glam::{Quat, Vec2, Vec3};

const HIPS: JointId = JointId(0);
const HEIGHT: f32 = 0.95;

/// A cycle of `seconds` on an arc about "up": `speed` in metres a second, `turn` in radians a second; the hips bob
/// twice a cycle.
fn gait(name: &str, seconds: f32, speed: f32, turn: f32, bob: f32) -> Result<Animation, AnimError> {
    let radius = speed / turn;
    let at = |part: u16| f32::from(part) / 40.0 * seconds;
    let places: Vec<Key<Vec3>> = (0..=40)
        .map(|part| {
            let (sin, cos) = (turn * at(part)).sin_cos();
            let up = HEIGHT + bob * (4.0 * std::f32::consts::PI * f32::from(part) / 40.0).sin();
            Key::new(at(part), Vec3::new(radius * (1.0 - cos), up, radius * sin))
        })
        .collect();
    let turns: Vec<Key<Quat>> = (0..=40)
        .map(|part| Key::new(at(part), Quat::from_rotation_y(turn * at(part))))
        .collect();
    Ok(Animation::new(
        name,
        vec![
            Channel::translation(HIPS, Interpolation::Linear, &places)?,
            Channel::rotation(HIPS, Interpolation::Linear, &turns)?,
        ],
    ))
}

/// Walks for 4 s, runs for 3 s. Gives the places from above, and how far the hips strayed from above the character.
fn journey(skeleton: &Skeleton, clips: &[Arc<Clip>; 2], rate: u16) -> (Vec<Vec2>, f32) {
    let mut animux = Animux::new(skeleton);
    animux.set_root_motion(Some(RootTrack {
        joint: HIPS,
        axes: [true, false, true],
        turn: Some(Vec3::Y),
    }));
    let body = animux.add_layer(Layer::default());
    animux.play(body, Arc::clone(&clips[0]), Transition::Cut);
    let (mut scratch, mut pose) = (Scratch::new(), Pose::identity(skeleton.len()));
    let mut character = RootMotion::NONE;
    let (mut path, mut strayed) = (vec![Vec2::ZERO], 0.0_f32);
    for frame in 0..7 * rate {
        if frame == 4 * rate {
            animux.play(body, Arc::clone(&clips[1]), Transition::Crossfade(0.5));
        }
        character = character.then(animux.advance(1.0 / f32::from(rate), |_| {}));
        let _ = animux.evaluate(skeleton, &mut scratch, &mut pose);
        let hips = pose.get(HIPS).translation;
        strayed = strayed.max(Vec2::new(hips.x, hips.z).length());
        path.push(Vec2::new(character.translation.x, character.translation.z));
    }
    (path, strayed)
}

fn main() -> ExitCode {
    let about = "Draws the path of a character that its clips move, at three frame rates";
    drawing::run(about, "out/root_motion.png", draw)
}

fn draw(path: &str) -> Result<(), Box<dyn Error>> {
    let rest = Transform::from_translation(Vec3::Y * HEIGHT);
    let skeleton = Skeleton::new(vec![Joint {
        name: "hips".into(),
        parent: None,
        rest,
    }])?;
    // The walk's circle has a radius of 1.4 / 1.2 m and is left after 4 s, 4.8 rad of it.
    let gaits = [
        gait("walk", 1.1, 1.4, 1.2, 0.02)?,
        gait("run", 0.7, 3.5, -0.9, 0.05)?,
    ];
    let mut clips = Vec::new();
    for gait in &gaits {
        clips.push(Arc::new(gait.bake(&skeleton, &BakeOptions::default())?.0));
    }
    let clips: [Arc<Clip>; 2] = clips.try_into().map_err(|_| "two clips")?;

    // The path is within -4.7..2.4 m across and -6.7..1.2 m up.
    let mut canvas = Canvas::new(480, 480, Vec2::new(300.0, 383.0), 52.0);
    for (rate, color, width) in [(200, GREY, 7.0), (60, BLUE, 3.0), (20, RED, 1.0)] {
        let (places, strayed) = journey(&skeleton, &clips, rate);
        let length: f32 = places.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
        let (walked, end) = (places[usize::from(4 * rate)], places[places.len() - 1]);
        println!(
            "{rate:3} frames/s: {length:.2} m, after the walk at ({:.3}, {:.3}), at last at ({:.3}, {:.3}); hips off by {strayed:.6} m",
            walked.x, walked.y, end.x, end.y
        );
        for pair in places.windows(2) {
            canvas.line(pair[0], pair[1], width, color);
        }
    }
    file::save(&canvas.image, path)?;
    println!("{path}: the path from above at all three frame rates");
    Ok(())
}
