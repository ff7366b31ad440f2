//! All crates in one picture: a figure made in code walks, waves and reaches.
#![allow(dead_code, reason = "parts of the program are still to be joined")]

mod camera;
mod cpu;
mod figure;
mod frame;
mod gpu;
mod lighting;
mod mesh;

fn main() {}
