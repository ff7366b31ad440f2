//! The whole comparison of an area, as Markdown or as JSON rows.

use clap::{Parser, ValueEnum};
use elea_benches::{animation, codec, conversions, formats, ik, retarget, row};

/// Compares the elea family with other libraries.
#[derive(Debug, Parser)]
#[command(name = "elea-benches")]
struct Arguments {
    /// What to compare.
    area: Area,
    /// One JSON array of rows on stdout instead of Markdown.
    #[arg(long)]
    json: bool,
    /// The whole sample instead of a quick one: 1e8 normals a mapping and depth.
    #[arg(long)]
    full: bool,
}

/// An area is a file beside this one with `rows()`, and a line in each of the two lists here.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Area {
    /// Rotation conversions: accuracy, continuity, time.
    Conversions,
    /// Sampling, blending, hierarchy, skinning: time and accuracy.
    Animation,
    /// Normals: largest error, time.
    Codec,
    /// Reading and writing BVH: speed.
    Formats,
    /// Inverse kinematics: success, evaluations, tension, motion without jumps, time.
    Ik,
    /// Retargeting: directions kept, feet that stand, smoothness, speed.
    Retarget,
}

impl Area {
    fn rows(self, full: bool) -> Vec<row::Row> {
        match self {
            Self::Conversions => conversions::rows(),
            Self::Animation => animation::rows(),
            Self::Codec => codec::rows(full),
            Self::Formats => formats::rows(),
            Self::Ik => ik::rows(),
            Self::Retarget => retarget::rows(),
        }
    }
}

fn main() -> Result<(), serde_json::Error> {
    let Arguments { area, json, full } = Arguments::parse();
    let rows = area.rows(full);
    if json {
        println!("{}", row::json(&rows)?);
    } else {
        println!("{}", row::markdown(&rows));
    }
    Ok(())
}
