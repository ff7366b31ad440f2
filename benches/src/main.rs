//! The whole comparison of an area, as Markdown or as JSON rows.

use clap::{Parser, ValueEnum};
use elea_benches::{conversions, row};

/// Compares the elea family with other libraries.
#[derive(Debug, Parser)]
#[command(name = "elea-benches")]
struct Arguments {
    /// What to compare.
    area: Area,
    /// One JSON array of rows on stdout instead of Markdown.
    #[arg(long)]
    json: bool,
}

/// An area is a file beside this one with `rows()`, and a line in each of the two lists here.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Area {
    /// Rotation conversions: accuracy, continuity, time.
    Conversions,
}

impl Area {
    fn rows(self) -> Vec<row::Row> {
        match self {
            Self::Conversions => conversions::rows(),
        }
    }
}

fn main() -> Result<(), serde_json::Error> {
    let Arguments { area, json } = Arguments::parse();
    let rows = area.rows();
    if json {
        println!("{}", row::json(&rows)?);
    } else {
        println!("{}", row::markdown(&rows));
    }
    Ok(())
}
