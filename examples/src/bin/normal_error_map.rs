//! Where on the sphere a codec errs: a picture of the angle between each normal and its decoded 2x8 code.
//!
//! `cargo run --release -p elea-examples --bin normal_error_map [FILE.png]`
//!
//! A column a mapping, the upper row seen from (3, 2, 2), the lower from -z. Dark is exact, white the covering bound (the
//! least that 2^16 codes can have as their largest error), yellow to red what lies above it, up to twice the bound.

use std::error::Error;
use std::process::ExitCode;

use elea_examples::{drawing, file};
use gbuffer_codec::{diamond, octahedral, warped};
use image::{Rgb, RgbImage};

const BITS: u32 = 8;
/// Pixels of a sphere's picture on a side; a code is about 4 pixels wide.
const SIZE: u32 = 480;

/// Pictures beside each other.
const COLUMNS: u32 = 4;

type Mapping = (&'static str, fn([f32; 3]) -> [f32; 3]);

const MAPPINGS: [Mapping; COLUMNS as usize] = [
    ("warped", |n| warped::decode::<BITS>(warped::encode::<BITS>(n))),
    ("octahedral, hexagonal rounding", |n| {
        octahedral::decode::<BITS>(octahedral::encode::<BITS>(n))
    }),
    ("octahedral, as engines round", |n| {
        octahedral::decode::<BITS>(round_each(n))
    }),
    ("diamond", |n| diamond::decode::<BITS>(diamond::encode::<BITS>(n))),
];

/// The usual encoder: u and v rounded each for itself.
fn round_each([x, y, z]: [f32; 3]) -> [i16; 2] {
    let sum = x.abs() + y.abs() + z.abs();
    let (u, v) = (x / sum, y / sum);
    let (u, v) = if z < 0.0 {
        ((1.0 - v.abs()).copysign(u), (1.0 - u.abs()).copysign(v))
    } else {
        (u, v)
    };
    #[allow(clippy::cast_possible_truncation, reason = "at most 127")]
    [u, v].map(|x| (x * 127.0).round() as i16)
}

fn main() -> ExitCode {
    let about = "Draws where on the sphere each mapping errs at 2x8 bits, and prints the largest error seen";
    drawing::run(about, "out/normal_error_map.png", draw)
}

fn draw(path: &str) -> Result<(), Box<dyn Error>> {
    let mut picture = RgbImage::new(SIZE * COLUMNS, SIZE * 2);
    let mut largest = [0.0_f64; MAPPINGS.len()];
    for (x, y, pixel) in picture.enumerate_pixels_mut() {
        let column = (x / SIZE) as usize;
        if let Some(normal) = normal_at(x % SIZE, y % SIZE, y / SIZE) {
            let error = degrees_between(normal, MAPPINGS[column].1(normal));
            largest[column] = largest[column].max(error);
            *pixel = colour(error / covering_bound());
        }
    }
    file::save(&picture, path)?;
    println!("{path}: 2x{BITS}, covering bound {:.4} degrees", covering_bound());
    for ((name, _), error) in MAPPINGS.iter().zip(largest) {
        println!(
            "{name}: {error:.4} degrees at most, {:.2} of the bound",
            error / covering_bound()
        );
    }
    Ok(())
}

/// The normal of a unit sphere at a pixel of its picture; none beside it.
fn normal_at(x: u32, y: u32, row: u32) -> Option<[f32; 3]> {
    let screen = |p: u32| (p as f32 + 0.5) / SIZE as f32 * 2.1 - 1.05;
    let (x, y) = (screen(x), -screen(y));
    let depth = (x * x + y * y <= 1.0).then(|| (1.0 - x * x - y * y).sqrt())?;
    // Each view's right, up and towards the eye.
    let [right, up, eye] = if row == 0 {
        let eye = glam::Vec3::new(3.0, 2.0, 2.0).normalize();
        let right = glam::Vec3::Z.cross(eye).normalize();
        [right, eye.cross(right), eye]
    } else {
        [-glam::Vec3::X, glam::Vec3::Y, -glam::Vec3::Z]
    };
    Some((right * x + up * y + eye * depth).to_array())
}

fn degrees_between(a: [f32; 3], b: [f32; 3]) -> f64 {
    let [a, b] = [a, b].map(|v| glam::DVec3::from(v.map(f64::from)));
    a.cross(b).length().atan2(a.dot(b)).to_degrees()
}

/// The circumradius of the hexagons that 2^(2 BITS) codes would have if they shared the sphere evenly.
fn covering_bound() -> f64 {
    let area = 4.0 * std::f64::consts::PI / f64::from(1 << BITS).powi(2);
    (2.0 * area / (3.0 * 3.0_f64.sqrt())).sqrt().to_degrees()
}

/// Black to white for 0 to 1 bound, then yellow to red up to 2.
fn colour(ratio: f64) -> Rgb<u8> {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to a byte"
    )]
    let byte = |x: f64| (x.clamp(0.0, 1.0) * 255.0) as u8;
    if ratio <= 1.0 {
        Rgb([byte(ratio * 0.9); 3])
    } else {
        Rgb([255, byte(2.0 - ratio), 0])
    }
}
