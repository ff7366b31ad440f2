//! An arm follows a target that leaves its reach and comes back: `out/reach.gif`, and what the tracker made of it.
//!
//! `cargo run --release -p elea-examples --bin reach [FILE.gif]`

use std::error::Error;
use std::f32::consts::TAU;
use std::process::ExitCode;

use elea_anim::{JointId, Transform};
use elea_examples::canvas::{BLUE, Canvas, GREY, RED};
use elea_examples::{drawing, film::Film};
use elea_ik::{Axis, Chain, ChainJoint, Goal, Solver, Status, Tracker};
use glam::{DAffine3, Vec2, Vec3};

/// Upper arm, forearm and hand in the plane: each a hinge about z with limits in degrees, and a length.
const BONES: [(f64, f64, f32); 3] = [(100.0, 130.0, 0.30), (5.0, 145.0, 0.26), (20.0, 70.0, 0.18)];

fn arm() -> Result<(Chain, JointId), Box<dyn Error>> {
    let mut chain = Chain::new();
    let mut last = None;
    let mut offset = 0.0;
    for (negative, positive, length) in BONES {
        let axis = Axis::limit(negative.to_radians(), positive.to_radians(), 0.1);
        let rest = Transform::from_translation(offset * Vec3::X);
        last = Some(chain.push(last, rest, ChainJoint::hinge(2, axis))?);
        offset = length;
    }
    Ok((chain, last.ok_or("no bones")?))
}

fn main() -> ExitCode {
    let about = "Draws an arm that follows a target out of its reach and back";
    drawing::run(about, "out/reach.gif", draw)
}

fn draw(path: &str) -> Result<(), Box<dyn Error>> {
    let (chain, hand) = arm()?;
    let tip = BONES[2].2 * Vec3::X;
    let mut tracker = Tracker::new(Solver::gauss_newton());
    let mut angles = chain.rest_angles();
    let mut model = vec![DAffine3::IDENTITY; chain.len()];
    let mut film = Film::create(path)?;

    let frames: u16 = 200;
    let (mut reached, mut evaluations, mut largest) = (0, 0, 0.0_f64);
    for frame in 0..frames {
        let turn = TAU * f32::from(frame) / f32::from(frames);
        // An eight that leaves the arm's reach of 0.74 on the right.
        let target = Vec3::new(0.5 + 0.27 * turn.cos(), 0.1 + 0.2 * (2.0 * turn).sin(), 0.0);
        let before = angles.clone();
        let report = tracker.solve(&chain, &[Goal::position(hand, tip, target)], &mut angles)?;
        reached += u32::from(report.status == Status::Reached);
        evaluations += report.evaluations;
        if frame > 0 {
            let turns = angles
                .iter()
                .zip(&before)
                .map(|(a, b)| (a - b).abs().to_degrees());
            largest = turns.fold(largest, f64::max);
        }

        let mut canvas = Canvas::new(300, 240, Vec2::new(45.0, 90.0), 260.0);
        chain.model_from_angles(&angles, &mut model)?;
        let mut joints: Vec<Vec2> = model
            .iter()
            .map(|bone| bone.translation.as_vec3().truncate())
            .collect();
        let end = model[model.len() - 1].transform_point3(tip.as_dvec3());
        joints.push(end.as_vec3().truncate());
        canvas.disc(target.truncate(), 7.0, RED);
        for pair in joints.windows(2) {
            canvas.line(pair[0], pair[1], 6.0, BLUE);
        }
        for joint in joints {
            canvas.disc(joint, 5.0, GREY);
        }
        film.show(canvas)?;
    }
    println!("{path}: {frames} frames, {reached} reached (the others are out of reach)");
    println!(
        "{:.1} evaluations a frame, at most {largest:.1} degrees from one to the next",
        { f64::from(evaluations) / f64::from(frames) }
    );
    Ok(())
}
