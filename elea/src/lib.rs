//! Stable rotation conversions.
#![no_std]
#![deny(clippy::print_stdout, clippy::print_stderr)]

#[cfg(any(feature = "std", test))]
extern crate std;

mod error;
mod euler;
mod matrix;
mod nearest;
mod polar;
mod quaternion;
mod scalar;
mod trig;

#[cfg(feature = "glam")]
pub use glam;

pub use error::RotationError;
pub use euler::{
    EulerOrder, euler_from_mat3, euler_from_mat3_near, euler_from_quat, euler_from_quat_near,
    mat3_from_euler, quat_from_euler, unroll_eulers,
};
pub use matrix::Matrix3;
pub use polar::{Polar, polar_from_mat3};
pub use quaternion::{Quaternion, angle_between, mat3_from_quat, quat_from_mat3, try_quat_from_mat3};
pub use scalar::Scalar;
