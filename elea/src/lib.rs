//! Stable rotation conversions.
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
