//! File formats: reading and writing BVH.
//!
//! `elea` makes a skeleton and quaternion channels, `bvh_anim` keeps the file's numbers as f32, and `naive` is
//! what one writes first: `split_whitespace` and `str::parse` on the motion alone.

use std::{fmt::Write as _, fs, hint::black_box, path::Path};

use elea_anim::bvh;

use crate::{
    measure::{Timed, nanoseconds},
    random::Random,
    row::Row,
};

/// Interleaved rounds for each case.
const ROUNDS: usize = 60;

/// The whole comparison.
///
/// # Panics
///
/// If the contenders read different numbers.
#[must_use]
pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for (case, text) in cases() {
        check(&case, &text);
        read_rows(&case, &text, &mut rows);
        write_rows(&case, &text, &mut rows);
    }
    rows
}

/// Walks of 31 joints as mocap tools write them, with four and with six decimals, and the largest real file where it
/// is there.
fn cases() -> Vec<(String, String)> {
    let mut cases = vec![
        ("bvh_4_decimals".to_owned(), walk(1_000, 4)),
        ("bvh_6_decimals".to_owned(), walk(1_000, 6)),
    ];
    let real = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../shared/data/motion/cmu/01_01.bvh"
    ));
    if let Ok(text) = fs::read_to_string(real) {
        cases.push(("bvh_cmu_01_01".to_owned(), text));
    }
    cases
}

/// A tree of 31 joints in which every angle swings.
fn walk(frames: usize, decimals: usize) -> String {
    const JOINTS: usize = 31;
    const CHAIN: usize = 6;
    let mut random = Random::new(31);
    let mut text = String::from("HIERARCHY\nROOT joint0\n{\n\tOFFSET 0.00000 0.00000 0.00000\n");
    text += "\tCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\n";
    for joint in 1..JOINTS {
        let tabs = "\t".repeat((joint - 1) % CHAIN + 1);
        let _ = write!(
            text,
            "{tabs}JOINT joint{joint}\n{tabs}{{\n{tabs}\tOFFSET 0.00000 {:.5} 0.10000\n",
            random.range(1.0, 8.0)
        );
        let _ = writeln!(text, "{tabs}\tCHANNELS 3 Zrotation Yrotation Xrotation");
        if joint % CHAIN == 0 {
            let _ = write!(
                text,
                "{tabs}\tEnd Site\n{tabs}\t{{\n{tabs}\t\tOFFSET 0.00000 1.00000 0.00000\n{tabs}\t}}\n"
            );
            for depth in (1..=CHAIN).rev() {
                let _ = writeln!(text, "{}}}", "\t".repeat(depth));
            }
        }
    }
    let _ = write!(text, "}}\nMOTION\nFrames: {frames}\nFrame Time: 0.0083333\n");
    let swings: Vec<(f64, f64)> = (0..3 * JOINTS)
        .map(|_| (random.range(1.0, 120.0), random.range(0.01, 0.1)))
        .collect();
    for frame in 0..frames {
        let _ = write!(
            text,
            "{:.decimals$} 17.5 {:.decimals$}",
            frame as f64 * 0.01,
            frame as f64 * 0.03
        );
        for (size, speed) in &swings {
            let _ = write!(text, " {:.decimals$}", size * (speed * frame as f64).sin());
        }
        text.push('\n');
    }
    text
}

fn naive(text: &str) -> Vec<f64> {
    let (_, motion) = text.split_once("MOTION").unwrap_or_default();
    motion
        .split_whitespace()
        .skip(5)
        .map(|word| word.parse().unwrap_or(f64::NAN))
        .collect()
}

/// The same frames, and the same position of the root in the last one.
fn check(case: &str, text: &str) {
    let (ours, theirs) = (bvh::parse(text.as_bytes()), bvh_anim::from_str(text));
    let (Ok(ours), Ok(theirs)) = (ours, theirs) else {
        panic!("{case}: not read by all");
    };
    let values = naive(text);
    assert_eq!(values.len(), ours.frames * ours.channels(), "{case}: values");
    assert_eq!(theirs.frames().count(), ours.frames, "{case}: frames");
    let mut pose = ours.skeleton.rest_pose().clone();
    ours.animation
        .sample(&ours.skeleton, f32::INFINITY.min(ours.animation.end()), &mut pose);
    let root = pose.transforms().next().map(|root| root.translation.x);
    let first = (ours.frames - 1) * ours.channels();
    #[expect(clippy::cast_possible_truncation, reason = "f32 is what is compared")]
    let wanted = values[first] as f32;
    assert_eq!(root, Some(wanted), "{case}: root");
    let theirs = theirs.frames().last().map(|frame| frame.as_slice()[0]);
    assert_eq!(theirs, Some(wanted), "{case}: root of bvh_anim");
}

fn read_rows(case: &str, text: &str, rows: &mut Vec<Row>) {
    let bytes = text.as_bytes();
    let mut contenders: Vec<Timed<'_>> = vec![
        ("elea", Box::new(|| drop(black_box(bvh::parse(black_box(bytes)))))),
        (
            "bvh_anim",
            Box::new(|| drop(black_box(bvh_anim::from_bytes(black_box(bytes))))),
        ),
        ("naive", Box::new(|| drop(black_box(naive(black_box(text)))))),
    ];
    push(&format!("{case}_read"), &mut contenders, bytes.len(), rows);
}

fn write_rows(case: &str, text: &str, rows: &mut Vec<Row>) {
    let (Ok(ours), Ok(theirs)) = (bvh::parse(text.as_bytes()), bvh_anim::from_str(text)) else {
        return;
    };
    let mut contenders: Vec<Timed<'_>> = vec![
        ("elea", Box::new(|| drop(black_box(black_box(&ours).write())))),
        (
            "bvh_anim",
            Box::new(|| drop(black_box(black_box(&theirs).to_bstring()))),
        ),
    ];
    push(&format!("{case}_write"), &mut contenders, text.len(), rows);
}

/// MB/s, and how many times as fast as `bvh_anim` in the same run.
fn push(case: &str, contenders: &mut [Timed<'_>], bytes: usize, rows: &mut Vec<Row>) {
    let times = nanoseconds(contenders, bytes, ROUNDS);
    let reference = contenders
        .iter()
        .position(|(name, _)| *name == "bvh_anim")
        .map_or(f64::NAN, |at| times[at]);
    for ((name, _), time) in contenders.iter().zip(&times) {
        let mut row = |metric: &str, value, unit| {
            rows.push(Row {
                area: "formats",
                case: case.to_owned(),
                contender: (*name).to_owned(),
                metric: metric.to_owned(),
                value,
                unit,
            });
        };
        row("speed", 1e3 / time, "MB/s");
        row("speed_to_bvh_anim", reference / time, "");
    }
}
