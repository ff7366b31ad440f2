//! Memory, depth and any damage at all.
#![allow(clippy::missing_assert_message, reason = "tests")]

use std::fmt::Write as _;

use elea_anim::md5::{parse_anim, parse_mesh, write_anim, write_mesh};

use damage::{Random, mutate};
use md5_sample::{ANIM, MESH, with};

mod damage;
mod md5_sample;

/// The most that reading may hold at one time, in bytes for each byte of the file: a joint takes 18 bytes of text,
/// becomes about 100 and 170 more in the skeleton with its map of names, and buffers double while they grow.
const BYTES_PER_BYTE: u64 = 40;

/// What every file costs, however small.
const BYTES_AT_LEAST: u64 = 16 * 1024;

fn check_memory(text: &[u8]) {
    let mut read_it = [false; 2];
    for (read_it, is_mesh) in read_it.iter_mut().zip([true, false]) {
        let memory = allocation_counter::measure(|| {
            *read_it = if is_mesh {
                parse_mesh(text).is_ok()
            } else {
                parse_anim(text).is_ok()
            };
        });
        let most = BYTES_AT_LEAST + BYTES_PER_BYTE * text.len() as u64;
        assert!(
            memory.bytes_max <= most,
            "{} bytes for {} bytes of text (read: {read_it})",
            memory.bytes_max,
            text.len()
        );
    }
}

#[test]
fn a_count_allocates_nothing() {
    for (text, count) in [
        (MESH, "numJoints 2"),
        (MESH, "numMeshes 1"),
        (MESH, "numverts 3"),
        (MESH, "numtris 1"),
        (MESH, "numweights 4"),
        (ANIM, "numFrames 3"),
        (ANIM, "numJoints 2"),
        (ANIM, "numAnimatedComponents 5"),
    ] {
        let keyword = count.split(' ').next().unwrap();
        for number in ["999999999999", "9223372036854775807", "1e300"] {
            let text = with(text, count, &format!("{keyword} {number}"));
            assert!(parse_mesh(text.as_bytes()).is_err() && parse_anim(text.as_bytes()).is_err());
            let memory = allocation_counter::measure(|| {
                let _ = (parse_mesh(text.as_bytes()), parse_anim(text.as_bytes()));
            });
            assert!(
                memory.bytes_max < 4096,
                "{number} {keyword}: {} bytes",
                memory.bytes_max
            );
        }
    }
    let weights = with(
        MESH,
        "vert 1 ( 0.5 0.25 ) 1 2",
        "vert 1 ( 0.5 0.25 ) 1 4294967295",
    );
    check_memory(weights.as_bytes());
}

#[test]
fn memory_is_bounded_by_the_size_of_the_file() {
    let mut joints = String::new();
    for _ in 0..20_000 {
        joints.push_str("\"\"-1(0 0 0)(0 0 0)");
    }
    let mesh = format!("MD5Version 10 numJoints 20000 numMeshes 0 joints {{{joints}}}");
    check_memory(mesh.as_bytes());
    assert!(parse_mesh(mesh.as_bytes()).is_ok());
    // Many joints that are not animated, and many frames that hold nothing.
    let joints = 20_000;
    let frames = 20_000;
    let mut text = format!(
        "MD5Version 10 numFrames {frames} numJoints {joints} frameRate 24 numAnimatedComponents 0 hierarchy {{{}}} baseframe {{{}}}",
        "\"\"-1 0 0 ".repeat(joints),
        "(0 0 0)(0 0 0)".repeat(joints)
    );
    for frame in 0..frames {
        let _ = write!(text, "frame {frame}{{}}");
    }
    check_memory(text.as_bytes());
    let read = parse_anim(text.as_bytes()).unwrap();
    assert_eq!((read.frames, read.animation.channels.len()), (frames, 0));
    // The same with one component that all joints would share.
    let shared = text
        .replace("numAnimatedComponents 0", "numAnimatedComponents 1")
        .replace("\"\"-1 0 0", "\"\"-1 8 0")
        .replace("{}", "{0}");
    check_memory(shared.as_bytes());
    assert_eq!(
        parse_anim(shared.as_bytes()).unwrap_err().to_string(),
        "line 1: 1 animated components declared, but 2 found"
    );
    // One component that turns: two bytes of text for each key.
    let mut spin = String::from(
        "MD5Version 10 numFrames 1 numJoints 2000 frameRate 24 numAnimatedComponents 2000 hierarchy {",
    );
    for joint in 0..2000 {
        let _ = write!(spin, "\"\"-1 32 {joint} ");
    }
    let _ = write!(
        spin,
        "}} baseframe {{{}}} frame 0 {{{}}}",
        "(0 0 0)(0 0 0)".repeat(2000),
        "0 ".repeat(2000)
    );
    check_memory(spin.as_bytes());
    assert_eq!(
        parse_anim(spin.as_bytes()).unwrap().animation.channels.len(),
        2000
    );
}

/// Vertices that all name all weights: work that grows with the square of the file's size.
#[test]
fn shared_weights_are_no_work_without_end() {
    let mesh = |vertices: usize, named: &dyn Fn(usize) -> usize, weights: usize| {
        let mut text = String::from("MD5Version 10 numJoints 1 numMeshes 1 joints {\"\"-1(0 0 0)(0 0 0)}\n");
        let _ = write!(text, "mesh {{ shader \"\" numverts {vertices}");
        for vertex in 0..vertices {
            let _ = write!(text, "\nvert {vertex} (0 0) 0 {}", named(vertex));
        }
        let _ = write!(text, "\nnumtris 0 numweights {weights}");
        for weight in 0..weights {
            let _ = write!(text, " weight {weight} 0 1 (0 0 {weight})");
        }
        text + "}"
    };
    let hostile = mesh(20_000, &|_| 20_000, 20_000);
    check_memory(hostile.as_bytes());
    // 20,000 weights and 64 for each vertex are 65 times 20,000: with vertex 65 there are too many.
    assert_eq!(
        parse_mesh(hostile.as_bytes()).unwrap_err().to_string(),
        "line 68: the vertices up to here have 1320000 weights together, most of them shared; at most 1300000 are read"
    );
    // The most that is read: 200 and 64 times 100 are 100 times 66.
    let read = parse_mesh(mesh(100, &|_| 66, 200).as_bytes()).unwrap();
    let (skinned, report) = read.surfaces[0].to_skinned_mesh(&read.skeleton).unwrap();
    assert_eq!((skinned.positions.len(), report.dropped_weights), (100, 100 * 58));
    let error = parse_mesh(mesh(100, &|vertex| if vertex == 7 { 67 } else { 66 }, 200).as_bytes());
    assert_eq!(error.unwrap_err().line(), 102);
    // One vertex may have all weights.
    assert!(parse_mesh(mesh(1, &|_| 5000, 5000).as_bytes()).is_ok());
}

#[test]
fn depth_needs_no_stack_and_no_time() {
    let depth = 20_000;
    let mut text = format!("MD5Version 10 numJoints {depth} numMeshes 0 joints {{\n");
    for joint in 0..depth {
        let _ = writeln!(text, "\"j{joint}\" {} ( 0 0 {joint} ) ( 0 0 0 )", joint - 1);
    }
    text.push('}');
    let mesh = parse_mesh(text.as_bytes()).unwrap();
    let written = write_mesh(&mesh).unwrap();
    assert!(parse_mesh(written.as_bytes()).unwrap() == mesh);
    // A joint more than a skeleton can hold is an error.
    let many = format!(
        "MD5Version 10 numJoints 65536 numMeshes 0 joints {{{}}}",
        "\"\"-1(0 0 0)(0 0 0)".repeat(65_536)
    );
    let error = parse_mesh(many.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("65536 joints"), "{error}");
    // A comment without an end, many times over.
    let error = parse_mesh(
        "MD5Version 10 "
            .repeat(5)
            .replace("10", &"/*".repeat(100_000))
            .as_bytes(),
    );
    assert!(error.is_err());
}

const WORDS: [&str; 24] = [
    "{",
    "}",
    "(",
    ")",
    "\"",
    "\n",
    "\0",
    "NaN",
    "-1",
    "1e999",
    "4294967295",
    "-9223372036854775808",
    "//",
    "/*",
    "mesh {",
    "frame 1 {",
    "numJoints 99999999",
    "numFrames 0",
    "MD5Version 10",
    "vert 0 ( 0 0 ) 0 1",
    "( 0 0 0 )",
    "\"a\" -1 63 0",
    "1e-400",
    "0",
];

/// No panic, bounded memory, and what is read can be written and read again.
fn survives(text: &[u8]) -> [bool; 2] {
    check_memory(text);
    let mesh = parse_mesh(text);
    if let Ok(mesh) = &mesh {
        // Its skeleton may have joints so far away that they leave the range one by one.
        if let Ok(written) = write_mesh(mesh) {
            let again = parse_mesh(written.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{written}"));
            let count = mesh.surfaces.len();
            assert_eq!(again.surfaces.len(), count, "{written}");
            for (again, surface) in again.surfaces.iter().zip(&mesh.surfaces) {
                assert_eq!(again.vertices, surface.vertices, "{written}");
                assert_eq!(again.triangles, surface.triangles, "{written}");
                assert_eq!(again.weights, surface.weights, "{written}");
            }
        }
        for surface in &mesh.surfaces {
            let _ = surface.to_skinned_mesh(&mesh.skeleton);
        }
    }
    let anim = parse_anim(text);
    if let Ok(anim) = &anim {
        let written = write_anim(&anim.skeleton, &anim.animation, anim.frame_rate);
        if let Ok(written) = written {
            let again = parse_anim(written.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{written}"));
            assert_eq!(again.skeleton.parents(), anim.skeleton.parents(), "{written}");
        }
    }
    [mesh.is_ok(), anim.is_ok()]
}

#[test]
fn random_damage_does_not_panic() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut read = [0; 2];
    for round in 0..40_000 {
        let sample = [MESH, ANIM][round % 2];
        let found = survives(&mutate(sample.as_bytes(), &WORDS, &mut random));
        for (read, found) in read.iter_mut().zip(found) {
            *read += usize::from(found);
        }
    }
    // Some damage leaves a file that can be read, most does not.
    assert!(read.iter().all(|read| (200..10_000).contains(read)), "{read:?}");
}
