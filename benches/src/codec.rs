//! Normals in two integers: gbuffer-codec, `normal_pack`, and with feature `meshopt` meshoptimizer's octahedral filter.

mod contenders;
mod error;

use crate::measure::{Timed, nanoseconds};
use crate::random::Random;
use crate::row::Row;
pub use contenders::{Codec, Pass, codecs, unit_normals};
use std::hint::black_box;

/// Errors over 1e6 normals a contender and depth, or over 1e8 for `full`, which also passes all 2^32 codes of 16 bits
/// through the default mapping; times over random normals.
#[must_use]
pub fn rows(full: bool) -> Vec<Row> {
    let count = if full { 100_000_000 } else { 1_000_000 };
    let mut rows = Vec::new();
    for bits in [8, 10, 12, 16] {
        for codec in codecs(bits) {
            let error = error::over(&codec, count);
            let mut push = |metric: &str, value, unit| {
                rows.push(row(format!("2x{bits}"), codec.name, metric, value, unit))
            };
            push("largest error", error.largest, "degrees");
            push(
                "largest error to covering bound",
                error.largest / error::covering_bound(bits),
                "",
            );
            push("mean error", error.mean, "degrees");
        }
    }
    if full {
        let changed = error::warped_codes_changed();
        rows.push(row(
            "2x16, all 2^32 codes".into(),
            "warped",
            "codes whose normal changes in a round trip",
            changed as f64,
            "",
        ));
    }
    for bits in [8, 16] {
        times(bits, &mut rows);
    }
    rows
}

fn row(case: String, contender: &str, metric: &str, value: f64, unit: &'static str) -> Row {
    Row {
        area: "codec",
        case,
        contender: contender.into(),
        metric: metric.into(),
        value,
        unit,
    }
}

/// Times of slices, and with feature `meshopt` their ratios to meshopt's. The normals are random and too many for a branch
/// predictor to learn their signs, on which meshopt's encoder branches; and few enough for all contenders' buffers to stay
/// in a second-level cache.
fn times(bits: u32, rows: &mut Vec<Row>) {
    const COUNT: usize = 1 << 14;
    let normals = unit_normals(&mut Random::new(16), COUNT);
    let codecs = codecs(bits);
    for (what, decode) in [("encode", false), ("decode", true)] {
        let mut work: Vec<Timed<'_>> = codecs
            .iter()
            .map(|codec| (codec.name, (codec.prepare)(&normals, decode) as Box<dyn FnMut()>))
            .collect();
        let times = nanoseconds(&mut work, COUNT, 240);
        let meshopt = codecs
            .iter()
            .zip(&times)
            .find(|(codec, _)| codec.name == "meshopt")
            .map(|(_, &t)| t);
        for (codec, time) in codecs.iter().zip(times) {
            let case = format!("{what} 2x{bits}");
            rows.push(row(case.clone(), codec.name, "time a normal", time, "ns"));
            if let Some(meshopt) = meshopt {
                rows.push(row(case, codec.name, "time to meshopt's", time / meshopt, ""));
            }
        }
    }
    black_box(normals);
}
