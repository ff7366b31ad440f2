//! A head follows somebody who walks around it, seen from above: `out/look_at.gif`.
//!
//! `cargo run --release -p elea-examples --bin look_at [FILE.gif]`

use std::error::Error;
use std::f32::consts::TAU;
use std::process::ExitCode;

use elea_anim::{Joint, JointId, Skeleton, Transform, local_to_model};
use elea_examples::canvas::{BLUE, Canvas, GREY, RED};
use elea_examples::{drawing, film::Film};
use elea_ik::{LookAtOptions, look_at};
use glam::{Affine3A, Vec2, Vec3};

fn main() -> ExitCode {
    let about = "Draws a head that follows somebody who walks around it";
    drawing::run(about, "out/look_at.gif", draw)
}

fn draw(path: &str) -> Result<(), Box<dyn Error>> {
    let joint = |name: &str, parent: Option<u16>, height: f32| Joint {
        name: name.into(),
        parent: parent.map(JointId),
        rest: Transform::from_translation(height * Vec3::Y),
    };
    let joints = vec![
        joint("chest", None, 1.3),
        joint("neck", Some(0), 0.2),
        joint("head", Some(1), 0.1),
    ];
    let skeleton = Skeleton::new(joints)?;
    let mut film = Film::create(path)?;

    let frames: u16 = 90;
    let mut largest = 0.0_f32;
    let mut last: Option<Vec3> = None;
    for frame in 0..frames {
        let turn = TAU * f32::from(frame) / f32::from(frames);
        let target = Vec3::new(1.5 * turn.sin(), 1.7, 1.5 * turn.cos());
        // The neck takes half of the turn, the head what is left, each within its limit.
        let mut pose = skeleton.rest_pose().clone();
        let mut model = vec![Affine3A::IDENTITY; skeleton.len()];
        for (name, weight, limit) in [("neck", 0.5, 0.7_f32), ("head", 1.0, 0.9)] {
            let bone = skeleton.joint(name).ok_or("no such joint")?;
            local_to_model(&skeleton, &pose, &mut model);
            let options = LookAtOptions {
                // The eyes are 8 cm above and 10 cm before the joint.
                offset: if name == "head" {
                    Vec3::new(0.0, 0.08, 0.1)
                } else {
                    Vec3::ZERO
                },
                pole: Some(Vec3::Y),
                weight,
                limit,
                ..LookAtOptions::default()
            };
            let look = look_at(model[bone.index()], target, &options)?;
            pose.set_rotation(bone, pose.get(bone).rotation * look.correction);
        }
        local_to_model(&skeleton, &pose, &mut model);
        let sight = model[2].transform_vector3(Vec3::Z);
        if let Some(last) = last {
            largest = largest.max(sight.angle_between(last).to_degrees());
        }
        last = Some(sight);

        // From above: x to the right, z up.
        let flat = |point: Vec3| Vec2::new(point.x, point.z);
        let mut canvas = Canvas::new(240, 240, Vec2::new(120.0, 120.0), 65.0);
        canvas.line(Vec2::new(-0.25, 0.0), Vec2::new(0.25, 0.0), 8.0, GREY);
        canvas.line(Vec2::ZERO, flat(sight), 3.0, BLUE);
        canvas.disc(Vec2::ZERO, 12.0, BLUE);
        canvas.disc(flat(target), 8.0, RED);
        film.show(canvas)?;
    }
    println!("{path}: the target moves 4 degrees a frame, the sight at most {largest:.1}");
    Ok(())
}
