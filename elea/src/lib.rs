//! Stable rotation conversions: the rotation nearest to any matrix, Euler angles of any order nearest to a reference.
//!
//! ```
//! use elea::{EulerOrder, euler_from_mat3_near, polar_from_mat3, quat_from_mat3};
//!
//! // A bone's matrix out of a file: a quarter turn about z, with scale and some noise. Arrays are `m[column][row]`.
//! let bone = [[0.001_f32, 2.0, 0.0], [-1.0, 0.0, 0.002], [0.0, 0.0, 1.5]];
//! let [x, y, z, w] = quat_from_mat3(bone);
//! assert!((z - 0.7071).abs() < 1e-3 && (w - 0.7071).abs() < 1e-3 && x.abs() + y.abs() < 1e-3);
//!
//! // Its scale and shear.
//! let polar = polar_from_mat3(bone)?;
//! assert!((polar.stretch[0][0] - 2.0).abs() < 1e-3);
//!
//! // Angles for a curve editor that shows the frame before at 450 degrees: the curve goes on.
//! let before = [0.0, 0.0, 450.0_f32.to_radians()];
//! let [_, _, now] = euler_from_mat3_near(bone, EulerOrder::XYZ, before, 1e-3);
//! assert!((now - before[2]).abs() < 2e-3);
//! # Ok::<(), elea::RotationError>(())
//! ```
//!
//! # What is here
//!
//! - Matrix to quaternion: [`quat_from_mat3`], [`try_quat_from_mat3`] with an error that says what is wrong,
//!   [`polar_from_mat3`] for rotation and stretch. Back: [`mat3_from_quat`]. Compare: [`angle_between`].
//! - Euler angles, all 24 orders: [`euler_from_quat`], [`euler_from_mat3`], nearest to a reference:
//!   [`euler_from_quat_near`], [`euler_from_mat3_near`]; back: [`quat_from_euler`], [`mat3_from_euler`]; a whole curve:
//!   [`unroll_eulers`].
//! - Whole slices with the bits of single calls: [`quats_from_mat3s`], [`eulers_from_quats`], [`eulers_from_quats_near`], and
//!   their `_soa` forms for structures of arrays. AVX2 and AVX-512 are found at run time.
//! - Mirrors: [`reflection`], [`mirrored_camera`], [`clip_plane`].
//! - Tests to run on other conversions: `conformance` (feature `conformance`), generators of hard cases: `strategies` (feature
//!   `proptest`).
//!
//! Every convention is stated once, in [`conventions`], and every line there is a test.
//!
//! # What is not
//!
//! No vector or matrix types: arrays of `f32` and `f64` go in and out, and with feature `glam` (the default) glam's `Mat3`, `Mat3A`,
//! `DMat3`, `Quat` and `DQuat`, with feature `mint` its column matrices and quaternions. No interpolation, no transforms:
//! that is `elea-anim`.
//!
//! # Features
//!
//! `std` (default) or `libm` for the square root; `glam` (default), `mint`, `serde`, `approx`, `proptest`, `conformance`. None
//! changes a number.
#![no_std]
#![deny(clippy::print_stdout, clippy::print_stderr)]

#[cfg(any(feature = "std", test))]
extern crate std;

mod batch;
#[cfg(any(feature = "conformance", test))]
pub mod conformance;
pub mod conventions;
mod displacement;
mod error;
mod euler;
mod interop;
mod lanes;
mod layout;
mod matrix;
mod nearest;
mod polar;
#[cfg(feature = "glam")]
mod quad;
mod quaternion;
mod reflection;
mod scalar;
#[cfg(feature = "proptest")]
pub mod strategies;
mod trig;

#[cfg(feature = "glam")]
pub use glam;

pub use batch::{
    eulers_from_quats, eulers_from_quats_near, eulers_from_quats_near_soa, eulers_from_quats_soa,
    quats_from_mat3s, quats_from_mat3s_soa,
};
pub use displacement::quat_from_mat3_displacement;
pub use error::RotationError;
pub use euler::{
    EulerOrder, euler_from_mat3, euler_from_mat3_near, euler_from_quat, euler_from_quat_near,
    mat3_from_euler, quat_from_euler, unroll_eulers,
};
pub use matrix::Matrix3;
pub use polar::{Polar, polar_from_mat3};
pub use quaternion::{Quaternion, angle_between, mat3_from_quat, quat_from_mat3, try_quat_from_mat3};
pub use reflection::{clip_plane, mirrored_camera, reflection};
pub use scalar::Scalar;

/// The README's examples are tests.
#[cfg(all(doctest, feature = "glam"))]
#[doc = include_str!("../README.md")]
struct Readme;
