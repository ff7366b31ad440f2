//! All crates in one picture: a figure made in code walks (its own clip, or a recorded motion that is
//! retargeted onto it), waves with one arm on a second layer, and keeps its other hand on a moving
//! ball by inverse kinematics. The skin is drawn through a G-buffer with coded normals, on the GPU or,
//! where there is none, on the CPU.

mod artist;
mod camera;
mod check;
mod clips;
mod cpu;
mod export;
mod figure;
mod frame;
mod gpu;
mod lighting;
mod limb_error;
mod mesh;
mod motion;
mod options;
mod output;
mod reach;
mod run;
mod scene;
mod shadow;
#[cfg(feature = "window")]
mod window;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    match run::run(&options::Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            error.exit_code()
        }
    }
}
