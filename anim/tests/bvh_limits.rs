//! Memory, depth and any damage at all.
#![allow(clippy::missing_assert_message, reason = "tests")]

use std::{fmt::Write as _, fs, io::Write as _, path::Path};

use elea_anim::bvh::{self, BvhWarning, parse};

use bvh_sample::{SAMPLE, read, with};
use damage::{Random, mutate};

mod bvh_sample;
mod damage;

/// The most that reading may hold at one time, in bytes for each byte of the file: an axis that turns takes two
/// bytes of text ("0 ") and becomes a quaternion of 16 and a time of 4, twice while a buffer grows or is copied.
const BYTES_PER_BYTE: u64 = 40;

/// What every file costs, however small.
const BYTES_AT_LEAST: u64 = 16 * 1024;

fn check_memory(text: &[u8]) {
    let mut read_it = false;
    let memory = allocation_counter::measure(|| read_it = parse(text).is_ok());
    let most = BYTES_AT_LEAST + BYTES_PER_BYTE * text.len() as u64;
    assert!(
        memory.bytes_max <= most,
        "{} bytes for {} bytes of text (read: {read_it})",
        memory.bytes_max,
        text.len()
    );
}

#[test]
fn a_header_allocates_nothing() {
    let plain = allocation_counter::measure(|| drop(parse(SAMPLE.as_bytes())));
    for count in [
        "999999999999",
        "18446744073709551615",
        "1e300",
        "99999999999999999999999999",
    ] {
        let text = with("Frames: 2", &format!("Frames: {count}"));
        let lying = allocation_counter::measure(|| drop(parse(text.as_bytes())));
        // The warning, and a few more rows of room: the rest of the file could be "0 0 0".
        assert!(
            lying.bytes_max < plain.bytes_max + 1024,
            "{count}: {} after {}",
            lying.bytes_max,
            plain.bytes_max
        );
        let warnings = read(&text).warnings;
        assert!(
            matches!(
                warnings[..],
                [BvhWarning::FrameCount {
                    line: 17,
                    found: 2,
                    ..
                }]
            ),
            "{warnings:?}"
        );
        assert!(parse(with("CHANNELS 3", &format!("CHANNELS {count}")).as_bytes()).is_err());
        check_memory(text.as_bytes());
    }
}

#[test]
fn memory_is_bounded_by_the_size_of_the_file() {
    let one_axis = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\nFrames: 100000\nFrame Time: 1\n";
    check_memory(format!("{one_axis}{}", "0 ".repeat(100_000)).as_bytes());
    check_memory(format!("{one_axis}1{}", "-1".repeat(100_000)).as_bytes());
    check_memory(
        one_axis
            .replace("Xrotation", "Xposition")
            .replace("MOTION", &format!("MOTION\n{}", "0 ".repeat(50_000)))
            .as_bytes(),
    );
    let mut wide = String::from("HIERARCHY ROOT a { ");
    wide.push_str(&"JOINT b { } ".repeat(20_000));
    check_memory(wide.as_bytes());
    check_memory(wide.replace("JOINT b { }", "End { }").as_bytes());
    check_memory(wide.replace("JOINT b { }", "JOINT { }").as_bytes());
    check_memory(format!("HIERARCHY ROOT a {{CHANNELS 9999{}", " Xscale".repeat(9_999)).as_bytes());
}

#[test]
fn depth_needs_no_stack() {
    let depth = 20_000;
    let mut text = String::from("HIERARCHY\n");
    for joint in 0..depth {
        let (keyword, y) = if joint == 0 { ("ROOT", 0) } else { ("JOINT", 1) };
        let _ = writeln!(text, "{keyword} j{joint} {{ OFFSET 0 {y} 0 CHANNELS 1 Zrotation");
    }
    text.push_str(&"}".repeat(depth));
    text.push_str("\nMOTION\nFrames: 1\nFrame Time: 0.1\n");
    text.push_str(&"1 ".repeat(depth));
    let work = move || {
        let bvh = parse(text.as_bytes()).unwrap();
        assert_eq!(
            (bvh.skeleton.len(), bvh.frames, bvh.warnings.len()),
            (depth, 1, 0)
        );
        let written = bvh.write().unwrap();
        // Indentation does not grow with the square of the depth.
        assert!(written.len() < 400 * depth, "{} bytes", written.len());
        assert!(parse(written.as_bytes()).unwrap().skeleton == bvh.skeleton);
        let minimal = bvh::write(&bvh.skeleton, &bvh.animation, bvh.frame_time).unwrap();
        assert!(parse(minimal.as_bytes()).unwrap().skeleton == bvh.skeleton);
        // A joint more than a skeleton can hold is an error.
        let many = format!("HIERARCHY ROOT a {{{}", " JOINT b { ".repeat(65_535));
        assert!(
            parse(many.as_bytes())
                .unwrap_err()
                .to_string()
                .contains("more than 65535 joints")
        );
    };
    // A thread with a stack on which 20,000 nested calls have no room.
    let thread = std::thread::Builder::new()
        .stack_size(256 * 1024)
        .spawn(work)
        .unwrap();
    thread.join().unwrap();
}

/// What a BVH file is made of, or is broken by.
const WORDS: [&str; 24] = [
    "{",
    "}",
    "\n",
    "\r",
    "\0",
    "NaN",
    "-",
    "1e999",
    "0.0-7.5",
    "0,5",
    "ROOT x",
    "JOINT",
    "End Site",
    "MOTION",
    "Frames: 99999999999999",
    "Frame Time: 0",
    "CHANNELS 2 Xrotation Zscale",
    "OFFSET 1 2 3",
    "\u{feff}",
    "HIERARCHY",
    "Xposition",
    "99999999999999999999999",
    "1e-400",
    "-.",
];

/// No panic, bounded memory, and what is read can be written and read again.
fn survives(text: &[u8]) {
    check_memory(text);
    if let Ok(bvh) = parse(text) {
        let written = bvh
            .write()
            .expect("whatever was read has finite values and a positive frame time");
        let again = parse(written.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{written}"));
        assert_eq!(
            (again.skeleton.len(), again.frames),
            (bvh.skeleton.len(), bvh.frames),
            "{written}"
        );
    }
}

#[test]
fn random_damage_does_not_panic() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let samples = [
        SAMPLE.to_owned(),
        with(
            "CHANNELS 3 Xrotation Zrotation Yrotation",
            "CHANNELS 3 Xscale Zposition Yrotation",
        ),
        with(
            "MOTION",
            "ROOT b\n{\nOFFSET 1 2 3\nCHANNELS 0\nEnd Site tip\n{\nOFFSET 0 0 0\n}\n}\nMOTION",
        ),
        SAMPLE.replace('\n', "\r\n"),
    ];
    for round in 0..80_000 {
        survives(&mutate(
            samples[round % samples.len()].as_bytes(),
            &WORDS,
            &mut random,
        ));
    }
}

/// Every file below a folder beside the repository, in a fixed order.
fn files(folder: &str) -> Vec<Vec<u8>> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data")).join(folder);
    let mut paths = vec![root];
    let mut found = Vec::new();
    while let Some(path) = paths.pop() {
        if let Ok(entries) = fs::read_dir(&path) {
            paths.extend(entries.map(|entry| entry.unwrap().path()));
            paths.sort();
        } else if path.extension().is_some_and(|extension| extension == "bvh") {
            found.push(fs::read(path).unwrap());
        }
    }
    if found.is_empty() {
        let _ = writeln!(std::io::stderr(), "SKIPPED: shared/data/{folder} is not there");
    }
    found
}

#[test]
fn random_damage_to_real_files_does_not_panic() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for text in files("bvh-odd") {
        for _ in 0..600 {
            survives(&mutate(&text, &WORDS, &mut random));
        }
    }
    for text in files("motion") {
        for _ in 0..100 {
            check_memory(&mutate(&text, &WORDS, &mut random));
        }
    }
}
