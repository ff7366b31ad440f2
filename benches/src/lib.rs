//! Comparisons of the elea family with other libraries.
//!
//! `cargo run --release -p elea-benches -- AREA` prints the whole comparison of an area; `cargo bench` runs the criterion
//! benches. One file an area, each with `rows() -> Vec<Row>`; contenders stand in `contenders.rs`, one line a library.
//! `--features meshopt` adds meshoptimizer to the codec area; that builds C++. `--features bevy` adds bevy's curves
//! and blending to the animation area; that builds the engine's core, eighty crates.

pub mod animation;
pub mod codec;
pub mod contenders;
pub mod conversions;
pub mod formats;
pub mod ik;
pub mod measure;
pub mod random;
pub mod retarget;
pub mod row;
