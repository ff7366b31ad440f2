//! The angle between a normal and its decoded code, in f64, over many normals on all cores.

use super::contenders::{Codec, unit_normals};
use crate::random::Random;
use gbuffer_codec::warped;
use std::f64::consts::PI;
use std::num::NonZero;
use std::thread;

/// Angles in degrees.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Error {
    /// Over all normals.
    pub(super) largest: f64,
    /// Over those that are uniform over the sphere.
    pub(super) mean: f64,
}

/// The largest error that any 2^(2 bits) codes must have: the circumradius of the even hexagon (Fejes Toth).
pub(super) fn covering_bound(bits: u32) -> f64 {
    let area = 4.0 * PI / f64::from(1_u32 << bits).powi(2);
    (2.0 * area / (3.0 * 3.0_f64.sqrt())).sqrt().to_degrees()
}

fn threads() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Over `count` normals: five eighths random, an eighth near the axes and the planes of the fold, an eighth between
/// neighbouring decoded normals of the contender, an eighth around the worst normal that the thread has met.
pub(super) fn over(codec: &Codec, count: usize) -> Error {
    const BLOCK: usize = 1 << 13;
    const UNIFORM: usize = BLOCK * 5 / 8;
    let threads = threads();
    let blocks = count.div_ceil(BLOCK * threads);
    let parts: Vec<Error> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|thread| {
                scope.spawn(move || {
                    let mut random = Random::new(0x6e6f_726d + thread as u64);
                    let mut decoded = vec![[0.0; 3]; BLOCK];
                    let mut error = Error::default();
                    let mut worst = [0.0, 0.0, 1.0];
                    for _ in 0..blocks {
                        let mut normals = unit_normals(&mut random, BLOCK);
                        structure(&mut normals[..BLOCK / 8], &mut random);
                        between(&mut normals[BLOCK / 8..BLOCK / 4], codec);
                        around(worst, &mut normals[BLOCK / 4..3 * BLOCK / 8], &mut random);
                        (codec.round_trip)(&normals, &mut decoded);
                        for (n, (&normal, &back)) in normals.iter().zip(&decoded).enumerate() {
                            let angle = radians_between(normal, back);
                            if angle > error.largest {
                                error.largest = angle;
                                worst = normal;
                            }
                            if n >= BLOCK - UNIFORM {
                                error.mean += angle;
                            }
                        }
                    }
                    error
                })
            })
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().expect("no panic"))
            .collect()
    });
    Error {
        largest: parts.iter().fold(0.0, |m: f64, e| m.max(e.largest)).to_degrees(),
        mean: parts.iter().map(|e| e.mean).sum::<f64>().to_degrees() / (blocks * UNIFORM * threads) as f64,
    }
}

/// Puts normals on and near the planes where a component is 0 or two are equal, and near the poles.
fn structure(normals: &mut [[f32; 3]], random: &mut Random) {
    for normal in normals {
        let bits = random.bits();
        let axis = usize::from(bits.to_le_bytes()[0] % 3);
        let next = (axis + 1) % 3;
        let tiny = [0.0, -0.0, 1e-8, -1e-7, 1e-5, -1e-4][usize::from(bits.to_le_bytes()[1] % 6)];
        match bits.to_le_bytes()[2] % 3 {
            0 => normal[axis] = tiny,
            1 => normal[axis] = normal[next] + tiny,
            _ => {
                normal[axis] = tiny;
                normal[next] = -tiny;
            }
        }
        let length = normal.iter().map(|x| x * x).sum::<f32>().sqrt();
        *normal = if length > 0.0 {
            normal.map(|x| x / length)
        } else {
            [0.0, 0.0, 1.0]
        };
    }
}

/// Moves each normal as far beyond its code's as it was off: about half way to the next code.
fn between(normals: &mut [[f32; 3]], codec: &Codec) {
    let mut decoded = vec![[0.0; 3]; normals.len()];
    (codec.round_trip)(normals, &mut decoded);
    for (normal, back) in normals.iter_mut().zip(&decoded) {
        let moved: [f32; 3] = std::array::from_fn(|axis| 1.5 * normal[axis] - 0.5 * back[axis]);
        let length = moved.iter().map(|x| x * x).sum::<f32>().sqrt();
        *normal = moved.map(|x| x / length);
    }
}

/// Moves `worst` by 1e-7 to 0.1 radians in the directions of `normals`.
fn around(worst: [f32; 3], normals: &mut [[f32; 3]], random: &mut Random) {
    for normal in normals {
        let step = 10.0_f64.powf(random.range(-7.0, -1.0));
        let moved: [f64; 3] =
            std::array::from_fn(|axis| f64::from(worst[axis]) + step * f64::from(normal[axis]));
        let length = moved.iter().map(|x| x * x).sum::<f64>().sqrt();
        #[allow(clippy::cast_possible_truncation, reason = "rounding is meant")]
        {
            *normal = moved.map(|x| (x / length) as f32);
        }
    }
}

/// By the half chord of the unit vectors, which loses no digits at small angles.
fn radians_between(a: [f32; 3], b: [f32; 3]) -> f64 {
    let unit = |v: [f32; 3]| {
        let v = v.map(f64::from);
        let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        v.map(|x| x / length)
    };
    let (a, b) = (unit(a), unit(b));
    let chord = (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt();
    2.0 * (chord / 2.0).min(1.0).asin()
}

/// Of all 2^32 codes of 2x16, those whose normal is another after a round trip.
pub(super) fn warped_codes_changed() -> u64 {
    let threads = threads();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|thread| {
                scope.spawn(move || {
                    let mut codes = vec![[0_i16; 2]; 1 << 16];
                    let mut again = codes.clone();
                    let mut normals = vec![[0.0_f32; 3]; 1 << 16];
                    let mut changed = 0;
                    for u in (i16::MIN..=i16::MAX).skip(thread).step_by(threads) {
                        for (code, v) in codes.iter_mut().zip(i16::MIN..=i16::MAX) {
                            *code = [u, v];
                        }
                        warped::decode_slice::<16>(&codes, &mut normals);
                        warped::encode_slice::<16>(&normals, &mut again);
                        for ((&code, &back), &normal) in codes.iter().zip(&again).zip(&normals) {
                            changed += u64::from(code != back && warped::decode::<16>(back) != normal);
                        }
                    }
                    changed
                })
            })
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().expect("no panic"))
            .sum()
    })
}
