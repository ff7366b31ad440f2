//! The command line.

use std::path::PathBuf;

use clap::Parser;
use glam::UVec2;

/// Plays, skins and draws a figure: retargeting, layered animation, inverse kinematics and GPU skinning together.
///
/// Exit codes: 0 done; 1 a file could not be written, or --check found a miss; 2 a bad argument or input file;
/// 3 --gpu, --check, --bench or --window without a Vulkan device.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Options {
    /// Play this BVH motion, retargeted onto the figure, in place of its own walk
    #[arg(long, value_name = "FILE.bvh")]
    pub(crate) motion: Option<PathBuf>,

    /// Where the picture goes: one large view, a row from the side, a row from all round (--check draws none)
    #[arg(long, value_name = "FILE", default_value = "out/skinning.png")]
    pub(crate) png: PathBuf,

    /// Also write the performance as an endless GIF, 25 frames a second
    #[arg(long, value_name = "FILE", conflicts_with_all = ["check", "bench"])]
    pub(crate) gif: Option<PathBuf>,

    /// Also write a BVH on the figure's skeleton: the retargeted motion alone with --motion, else the whole performance
    #[arg(long, value_name = "FILE", conflicts_with_all = ["check", "bench"])]
    pub(crate) bvh: Option<PathBuf>,

    /// Also write the figure, skinned, as GLB: with the retargeted motion, else with the performance and its own clips
    #[arg(long, value_name = "FILE", conflicts_with_all = ["check", "bench"])]
    pub(crate) glb: Option<PathBuf>,

    /// Play so many frames (of 1/25 s) [default: two strides; with --motion, all of it, at most 10 s]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) frames: Option<u32>,

    /// The picture's size in pixels; the GIF is half as high as the picture
    #[arg(long, value_name = "WxH", default_value = "1600x1000", value_parser = parse_size)]
    pub(crate) size: UVec2,

    /// Insist on the GPU: exit 3 where there is no Vulkan device
    #[arg(long)]
    pub(crate) gpu: bool,

    /// Compare every stage of the GPU with the CPU's instead of drawing: exit 1 on a miss
    #[arg(long, conflicts_with = "bench")]
    pub(crate) check: bool,

    /// Measure the GPU's passes instead of drawing
    #[arg(long)]
    pub(crate) bench: bool,

    /// Open a window instead: orbit, pause, weights of the layers
    #[cfg(feature = "window")]
    #[arg(long, conflicts_with_all = ["bench", "check", "gif", "bvh", "glb"])]
    pub(crate) window: bool,

    /// With --bench: so many figures at once
    #[arg(long, value_name = "N", default_value_t = 1, requires = "bench",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) chars: u32,
}

/// Pixels along a side.
const SIDES: std::ops::RangeInclusive<u32> = 160..=8192;

fn parse_size(text: &str) -> Result<UVec2, String> {
    let sides = text
        .split_once(['x', 'X'])
        .and_then(|(width, height)| Some((width.trim().parse().ok()?, height.trim().parse().ok()?)));
    match sides {
        Some((width, height)) if SIDES.contains(&width) && SIDES.contains(&height) => {
            Ok(UVec2::new(width, height))
        }
        _ => Err(format!(
            "expected WIDTHxHEIGHT, each from {} to {}, as in 1600x1000",
            SIDES.start(),
            SIDES.end()
        )),
    }
}

impl Options {
    /// Whether there is nothing to do without a GPU.
    pub(crate) const fn needs_gpu(&self) -> bool {
        self.gpu || self.check || self.bench || self.wants_window()
    }

    /// Whether a window was asked for.
    #[cfg(feature = "window")]
    pub(crate) const fn wants_window(&self) -> bool {
        self.window
    }

    /// This build knows no window.
    #[cfg(not(feature = "window"))]
    pub(crate) const fn wants_window(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_two_numbers_in_range() {
        assert_eq!(parse_size("640x480"), Ok(UVec2::new(640, 480)));
        for bad in [
            "",
            "640",
            "640x",
            "0x480",
            "640x480x2",
            "1e3x1e3",
            "-640x480",
            "99999x480",
        ] {
            assert!(parse_size(bad).is_err(), "{bad:?} was taken");
        }
    }
}
