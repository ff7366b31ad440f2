//! Damaged glTF files at random: an answer or a typed error, never a panic, and no memory beyond the file's order of
//! size. What can still be read can be played and written.
#![cfg(feature = "gltf")]
#![allow(clippy::missing_assert_message, reason = "tests")]

use std::io::Write as _;

use elea_anim::{
    BakeOptions, Pose, SkinInput, SkinOutput,
    glam::{Affine3A, Vec4},
    glb, gltf, local_to_model, palette, skin,
};
use gltf_sample::{BYTE, Sample, UNSIGNED_BYTE, full};
use serde_json::json;

mod gltf_sample;

/// Bytes that reading may take at any moment, for each byte of a file, as the module's documentation says ...
const GROWTH: u64 = gltf::MAX_MEMORY;
/// ... and for any file.
const ALLOWANCE: u64 = 1 << 18;

/// `SplitMix64`.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.bits() % end.max(1) as u64).unwrap()
    }
}

/// What a liar puts where a number, a text or a list was.
const LIES: [&str; 18] = [
    "-1",
    "255",
    "65535",
    "4294967295",
    "4294967296",
    "9007199254740991",
    "18446744073709551615",
    "0.5",
    "1e38",
    "1e39",
    "1e400",
    "null",
    "true",
    "\"SCALAR\"",
    "[]",
    "{}",
    "[0,0,0]",
    "5121",
];

/// One or two changes of the kinds that transfers, tools and liars make.
fn mutate(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for _ in 0..=random.below(2) {
        if out.is_empty() {
            break;
        }
        let at = random.below(out.len());
        let length = 1 + random.below(16);
        let end = (at + length).min(out.len());
        match random.below(10) {
            0 => out[at] ^= 1 << random.below(8),
            1 => out[at] = random.bits().to_le_bytes()[0],
            2 => out.truncate(at),
            3 => drop(out.drain(at..end)),
            4 => {
                let copy = out[at..end].to_vec();
                let to = random.below(out.len());
                out.splice(to..to, copy);
            }
            5 => {
                for byte in &mut out[at..end] {
                    *byte = [0, 0xff, 0x7f, 0x80][random.below(4)];
                }
            }
            // A number of the JSON becomes another one, or something else.
            _ => {
                let is_digit = |byte: &u8| byte.is_ascii_digit();
                let Some(start) = out[at..].iter().position(is_digit).map(|offset| at + offset) else {
                    continue;
                };
                let stop = out[start..].iter().position(|byte| !is_digit(byte));
                let stop = stop.map_or(out.len(), |offset| start + offset);
                // Mostly one that could stand there.
                let small = random.below(12).to_string();
                let lie = if random.below(3) == 0 {
                    LIES[random.below(LIES.len())]
                } else {
                    &small
                };
                out.splice(start..stop, lie.bytes());
            }
        }
    }
    out
}

/// A GLB file's lengths put right, so that damage gets past the header.
fn repair(bytes: &mut Vec<u8>) {
    let Some(kind) = bytes.windows(4).position(|window| window == b"BIN\0") else {
        return;
    };
    if kind < 24 || !bytes.starts_with(b"glTF") {
        return;
    }
    // The second chunk begins with its length, at a multiple of four.
    let start = kind - 4;
    let blanks = start.next_multiple_of(4) - start;
    bytes.splice(start..start, vec![b' '; blanks]);
    let start = start + blanks;
    let total = bytes.len();
    let mut put = |at: usize, number: usize| {
        bytes[at..at + 4].copy_from_slice(&u32::try_from(number).unwrap().to_le_bytes());
    };
    put(8, total);
    put(12, start - 20);
    put(start, total - start - 8);
}

/// Reads, plays and writes; gives whether it could be read.
fn survive(bytes: &[u8]) -> bool {
    let mut result = None;
    let info = allocation_counter::measure(|| result = Some(gltf::parse(bytes)));
    let limit = GROWTH * bytes.len() as u64 + ALLOWANCE;
    assert!(
        info.bytes_max <= limit,
        "{} bytes of memory for {} of a file",
        info.bytes_max,
        bytes.len()
    );
    let file = match result.unwrap() {
        Ok(file) => file,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return false;
        }
    };
    let mut pose = Pose::identity(file.skeleton.len());
    let mut model = vec![Affine3A::IDENTITY; file.skeleton.len()];
    for animation in &file.animations {
        animation.sample(&file.skeleton, 0.3, &mut pose);
        // Keys near the end of f32 may overflow between them; that is no panic.
        if let Ok((clip, _)) = animation.bake(&file.skeleton, &BakeOptions::default()) {
            let _ = clip.sample(0.3, &mut pose);
        }
    }
    local_to_model(&file.skeleton, &pose, &mut model);
    for instance in &file.instances {
        let binding = &file.skins[instance.skin].binding;
        let mut rows = vec![[Vec4::ZERO; 3]; binding.len()];
        palette(&model, binding, &mut rows);
        for mesh in instance.meshes.iter().map(|&mesh| &file.meshes[mesh]) {
            let mut positions = mesh.mesh.positions.clone();
            for target in &mesh.targets {
                target.add_to(0.5, &mut positions, &mut [], &mut []);
            }
            let input = SkinInput {
                positions: &positions.clone(),
                normals: &[],
                tangents: &[],
                influences: &mesh.mesh.influences,
            };
            let output = SkinOutput {
                positions: &mut positions,
                normals: &mut [],
                tangents: &mut [],
            };
            skin(&rows, input, output);
        }
    }
    for morph in &file.morphs {
        let mut weights = vec![0.0; morph.track.targets()];
        morph.track.sample(0.3, &mut weights);
    }
    let written = glb::write(&file).unwrap_or_else(|error| panic!("read, but not written: {error}"));
    gltf::parse(&written).unwrap_or_else(|error| panic!("written, but not read: {error}"));
    true
}

/// Quantised attributes, strides, strips, several skins and scenes.
fn odd() -> Sample {
    let mut sample = Sample::new();
    for node in 0..4 {
        sample.push(
            "nodes",
            json!({"mesh": node % 2, "skin": node / 2, "translation": [node, 0, 0]}),
        );
    }
    sample.push(
        "nodes",
        json!({"children": [5], "rotation": [0.6, 0, 0, 0.8], "scale": [1, 2, 3]}),
    );
    sample.push(
        "nodes",
        json!({"matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 1, 2, 3, 1]}),
    );
    let bytes: Vec<u8> = (0..96).collect();
    let positions = sample.accessor("VEC3", BYTE, 12, &bytes);
    sample.json["bufferViews"][0]["byteStride"] = json!(8);
    let joints = sample.accessor("VEC4", UNSIGNED_BYTE, 12, &[0, 1, 0, 1].repeat(12));
    let weights = sample.accessor("VEC4", UNSIGNED_BYTE, 12, &[200, 20, 20, 15].repeat(12));
    sample.set(weights, "normalized", json!(true));
    let indices = sample.accessor("SCALAR", UNSIGNED_BYTE, 12, &(0..12).collect::<Vec<u8>>());
    for mode in [5, 6] {
        let attributes = json!({
            "POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights,
            "JOINTS_1": joints, "WEIGHTS_1": weights, "JOINTS_2": joints, "WEIGHTS_2": weights,
        });
        let primitive = json!({"attributes": attributes, "indices": indices, "mode": mode});
        sample.push("meshes", json!({"primitives": [primitive]}));
    }
    sample.push("skins", json!({"joints": [4, 5]}));
    sample.push("skins", json!({"joints": [5, 4]}));
    let times = sample.floats("SCALAR", &[1.0, 0.0, 0.5]);
    let rotations = sample.floats("VEC4", &[0.5; 12]);
    sample.push(
        "animations",
        json!({
            "samplers": [{"input": times, "output": rotations}],
            "channels": [{"sampler": 0, "target": {"node": 4, "path": "rotation"}}],
            "extras": {"events": [{"time": 0.5, "name": "step"}]},
        }),
    );
    sample.json["scenes"] = json!([{"nodes": [0, 1, 4]}, {"nodes": [2, 3, 4]}]);
    sample
}

#[test]
fn small_files_damaged_at_random() {
    let written = glb::write(&gltf::parse(&full().glb()).unwrap()).unwrap();
    let samples = [full().glb(), full().gltf(), odd().glb(), odd().gltf(), written];
    let mut random = Random(2);
    let (mut read, mut all) = (0, 0);
    for sample in &samples {
        assert!(sample.len() <= 16 << 10, "{} bytes", sample.len());
        assert!(survive(sample));
        for round in 0..6000 {
            let mut bytes = mutate(sample, &mut random);
            if round % 8 != 0 {
                repair(&mut bytes);
            }
            read += usize::from(survive(&bytes));
            all += 1;
        }
    }
    // Both kinds of answers are put to the test.
    assert!(
        all == 30_000 && read > all / 8 && read < all * 7 / 8,
        "{read} of {all} could be read"
    );
}

#[test]
fn larger_files_damaged_at_random() {
    let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/models"));
    let Ok(entries) = std::fs::read_dir(folder) else {
        let _ = writeln!(std::io::stderr(), "SKIPPED: {} is not here", folder.display());
        return;
    };
    let mut random = Random(3);
    let mut files = 0;
    for path in entries.map(|entry| entry.unwrap().path()) {
        if !path
            .extension()
            .is_some_and(|extension| extension == "gltf" || extension == "glb")
        {
            continue;
        }
        files += 1;
        let sample = std::fs::read(&path).unwrap();
        for round in 0..100 {
            let mut bytes = mutate(&sample, &mut random);
            if round % 8 != 0 {
                repair(&mut bytes);
            }
            survive(&bytes);
        }
    }
    assert_eq!(files, 9);
}

/// Files that are made to take as much memory as they can.
#[test]
fn greedy_files_stay_within_the_bound() {
    let repeat = |text: &str, count: usize| vec![text; count].join(",");
    let with = |list: &str, body: String| format!(r#"{{"asset":{{"version":"2.0"}},"{list}":[{body}]}}"#);
    let mut files = vec![
        with("nodes", repeat("{}", 65_535)),
        with("scenes", repeat("{}", 60_000)),
        with("materials", repeat("{}", 60_000)),
        with("meshes", repeat(r#"{"primitives":[]}"#, 20_000)),
        with(
            "meshes",
            format!(r#"{{"primitives":[{}]}}"#, repeat(r#"{"attributes":{}}"#, 20_000)),
        ),
        with("skins", repeat(r#"{"joints":[]}"#, 20_000)),
        with("animations", repeat(r#"{"channels":[],"samplers":[]}"#, 20_000)),
        with(
            "accessors",
            repeat(r#"{"componentType":0,"count":0,"type":"VEC3"}"#, 20_000),
        ),
        with("buffers", repeat(r#"{"byteLength":0,"uri":"data:,"}"#, 20_000)),
        with("bufferViews", repeat(r#"{"buffer":0,"byteLength":0}"#, 20_000)),
        with("extensionsRequired", repeat("\"KHR_xmp\"", 60_000)),
        with("nodes", format!(r#"{{"weights":[{}]}}"#, repeat("0", 100_000))),
        format!(
            r#"{{"asset":{{"version":"2.0"}},"nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{{"attributes":{{}},"targets":[{}]}}]}}]}}"#,
            repeat("{}", 60_000)
        ),
        // Many nodes that draw one mesh of many primitives.
        format!(
            r#"{{"asset":{{"version":"2.0"}},"nodes":[{}],"meshes":[{{"primitives":[{}]}}]}}"#,
            repeat(r#"{"mesh":0}"#, 20_000),
            repeat(r#"{"attributes":{}}"#, 10_000)
        ),
    ];
    // Many samplers of one long accessor.
    let mut sample = Sample::new();
    sample.push("nodes", json!({}));
    let times: Vec<f32> = (0..4000_u16).map(f32::from).collect();
    let times = sample.floats("SCALAR", &times);
    let values = sample.floats("VEC3", &[0.5; 12_000]);
    let channel = json!({"sampler": 0, "target": {"node": 0, "path": "scale"}});
    sample.push(
        "animations",
        json!({"samplers": [{"input": times, "output": values}], "channels": vec![channel; 3000]}),
    );
    let bytes = sample.glb();
    assert!(
        gltf::parse(&bytes)
            .unwrap_err()
            .to_string()
            .contains("add up to more than")
    );
    files.push(String::from_utf8(sample.gltf()).unwrap());
    for file in &files {
        let start: String = file.chars().take(80).collect();
        let info = allocation_counter::measure(|| drop(gltf::parse(file.as_bytes())));
        let limit = GROWTH * file.len() as u64 + ALLOWANCE;
        let each = info.bytes_max as f64 / file.len() as f64;
        assert!(info.bytes_max <= limit, "{each:.0} bytes for each of {start}");
    }
}
