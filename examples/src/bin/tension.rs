//! The animation article's tension curve: `out/tension.png`. Negative angles have limit 1.0 and rigidity 1.0, positive
//! ones 1.5 and 0.1.
//!
//! `cargo run --release -p elea-examples --bin tension [FILE.png]`

use std::error::Error;
use std::process::ExitCode;

use elea_examples::canvas::{BLUE, Canvas, GREY, RED};
use elea_examples::{drawing, file};
use elea_ik::Tension;
use glam::Vec2;

fn main() -> ExitCode {
    let about = "Draws the tension of a joint against its angle, for two limits and rigidities";
    drawing::run(about, "out/tension.png", draw)
}

fn draw(path: &str) -> Result<(), Box<dyn Error>> {
    let negative = Tension {
        limit: 1.0,
        rigidity: 1.0,
    };
    let positive = Tension {
        limit: 1.5,
        rigidity: 0.1,
    };
    let value = |angle: f64| {
        if angle < 0.0 {
            negative.value(angle)
        } else {
            positive.value(angle)
        }
    };

    #[expect(clippy::cast_possible_truncation, reason = "a place in the picture")]
    let single = |x: f64, y: f64| Vec2::new(x as f32, y as f32);

    let mut canvas = Canvas::new(560, 420, Vec2::new(240.0, 30.0), 150.0);
    canvas.line(Vec2::new(-1.5, 0.0), Vec2::new(2.0, 0.0), 1.0, GREY);
    canvas.line(Vec2::ZERO, Vec2::new(0.0, 2.5), 1.0, GREY);
    for tick in [-1.0, 1.0, 2.0] {
        canvas.line(Vec2::new(tick, -0.04), Vec2::new(tick, 0.04), 1.0, GREY);
        canvas.line(
            Vec2::new(-0.04, tick.max(0.0)),
            Vec2::new(0.04, tick.max(0.0)),
            1.0,
            GREY,
        );
    }
    for limit in [-negative.limit, positive.limit] {
        canvas.line(single(limit, 0.0), single(limit, 2.5), 1.0, RED);
    }
    let mut last = None;
    for step in -140..=190_i16 {
        let angle = f64::from(step) * 0.01;
        let point = single(angle, value(angle).min(3.0));
        if let Some(last) = last {
            canvas.line(last, point, 3.0, BLUE);
        }
        last = Some(point);
    }
    file::save(&canvas.image, path)?;
    println!(
        "{path}: T(-1) = {:.2}, T(0) = {:.2}, T(1.5) = {:.2}",
        value(-1.0),
        value(0.0),
        value(1.5)
    );
    Ok(())
}
