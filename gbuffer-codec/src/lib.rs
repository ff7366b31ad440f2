//! Unit normals in two small integers.
#![no_std]
#![deny(clippy::print_stdout, clippy::print_stderr)]

#[cfg(feature = "std")]
extern crate std;

#[cfg(not(any(feature = "std", feature = "libm")))]
compile_error!("gbuffer-codec needs a square root: enable the feature `std` (the default) or `libm`");

mod batch;
pub mod diamond;
mod lattice;
pub mod octahedral;
pub mod pack;
pub mod warped;

/// The WGSL twin.
pub const WGSL: &str = include_str!("wgsl/normal.wgsl");
