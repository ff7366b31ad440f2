//! The contract of `inspect`: exit status, the JSON object, one line for every error.
#![allow(clippy::missing_assert_message, reason = "tests")]

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::{Value, json};

const SAMPLE: &str = "\
HIERARCHY
ROOT a
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT b
  {
    OFFSET 0 2 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT b
    {
      OFFSET 3 0 0
      End Site
      {
        OFFSET 1 0 0
      }
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.5
0 10 0 0 0 0 0 0 0
1 10 0 0 0 0 90 0 0
";

/// A file of its own for each test, gone when the test ends.
struct File(PathBuf);

impl File {
    fn new(name: &str, content: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("inspect-{}-{name}", std::process::id()));
        fs::write(&path, content).unwrap();
        Self(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn inspect(path: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_inspect"))
        .arg(path)
        .args(arguments)
        .output()
        .unwrap()
}

/// Exit status and the one object on standard output.
fn object(path: &Path, arguments: &[&str]) -> (i32, Value) {
    let output = inspect(path, &[arguments, &["--json"]].concat());
    let value = serde_json::from_slice(&output.stdout).expect("one object and nothing else");
    (output.status.code().unwrap(), value)
}

#[test]
fn the_object_has_the_agreed_keys() {
    let file = File::new("keys.bvh", SAMPLE.as_bytes());
    let (status, value) = object(&file.0, &["--world", "1,0,7"]);
    assert_eq!(status, 0);
    assert_eq!(
        value,
        json!({
            "joints": ["a", "b", "b"],
            "parents": [-1, 0, 1],
            "roots": 1,
            "frames": 2,
            "frame_time": 0.5,
            "channels": 9,
            "warnings": ["line 10: joint name \"b\" is already used in line 6"],
            "error": null,
            "world": {
                "0": { "a": [0.0, 10.0, 0.0], "b": [0.0, 12.0, 0.0], "b#2": [3.0, 12.0, 0.0] },
                "1": { "a": [1.0, 10.0, 0.0], "b": [1.0, 12.0, 0.0], "b#2": value["world"]["1"]["b#2"] },
            },
        })
    );
    // b is turned by 90 degrees about z: its child's x axis points up.
    let tip: [f64; 3] = serde_json::from_value(value["world"]["1"]["b#2"].clone()).unwrap();
    for (found, wanted) in tip.iter().zip([1.0, 15.0, 0.0]) {
        assert!((found - wanted).abs() < 1e-6, "{tip:?}");
    }
    let (_, value) = object(&file.0, &[]);
    assert_eq!(value["world"], json!({}));
}

#[test]
fn strict_refuses_what_is_read_with_a_warning() {
    let file = File::new("strict.bvh", SAMPLE.as_bytes());
    let (status, value) = object(&file.0, &["--strict"]);
    assert_eq!(
        (status, &value["joints"], &value["frame_time"]),
        (2, &json!([]), &Value::Null)
    );
    let error = value["error"].as_str().unwrap();
    assert!(error.contains("strict.bvh: line 10: joint name \"b\""), "{error}");
    assert!(error.ends_with("without --strict the file is read"), "{error}");
    let clean = File::new(
        "clean.bvh",
        SAMPLE
            .replace("JOINT b\n    {\n      OFFSET 3", "JOINT c\n    {\n      OFFSET 3")
            .as_bytes(),
    );
    let (status, value) = object(&clean.0, &["--strict"]);
    assert_eq!(
        (status, &value["warnings"], &value["error"]),
        (0, &json!([]), &Value::Null)
    );
}

#[test]
fn every_failure_is_one_line_with_the_file_and_exit_2() {
    let missing = std::env::temp_dir().join("inspect-no-such-file.bvh");
    let empty = File::new("empty.bvh", b"");
    let other = File::new("other.txt", b"hello\nworld\n");
    let binary = File::new("binary.glb", b"glTF\x02\0\0\0\xff\x0b\x0b\n");
    let dangling = File::new(
        "dangling.gltf",
        br#"{"asset": {"version": "2.0"}, "nodes": [{"mesh": 3}]}"#,
    );
    let lines = File::new(
        "lines.gltf",
        br#"{"asset": {"version": "2.0"}, "accessors": [{"type": "VEC\n3"}]}"#,
    );
    let broken = File::new(
        "broken.bvh",
        SAMPLE.replace("CHANNELS 3", "CHANNELS 4").as_bytes(),
    );
    let nan = File::new("nan.bvh", SAMPLE.replace("1 10 0", "1 NaN 0").as_bytes());
    for (path, part) in [
        (missing.as_path(), "there is no such file; check the path"),
        (empty.0.as_path(), "the file is empty; export it again"),
        (
            other.0.as_path(),
            "line 1: not a BVH file: expected HIERARCHY, found \"hello\"; inspect reads BVH files",
        ),
        (
            binary.0.as_path(),
            "broken GLB file: its header says 168496127 bytes, but it has 12 bytes",
        ),
        (
            dangling.0.as_path(),
            "nodes[0].mesh: 3, but there are 0; export it again or mend this place in its JSON",
        ),
        (lines.0.as_path(), "accessors[0].type: unknown variant `VEC 3`"),
        (
            broken.0.as_path(),
            "line 9: CHANNELS 4, but 3 channel names follow; make the number and the names agree",
        ),
        (
            nan.0.as_path(),
            "line 24: frame 1, channel 1: \"NaN\" is not a finite number",
        ),
        (std::env::temp_dir().as_path(), "is a folder"),
    ] {
        let output = inspect(path, &[]);
        assert_eq!(output.status.code(), Some(2), "{}", path.display());
        assert!(output.stdout.is_empty(), "{}", path.display());
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(
            text.contains(&format!("{}: ", path.display())) && text.contains(part),
            "{text}"
        );
        let (status, value) = object(path, &[]);
        assert_eq!(status, 2);
        assert!(value["error"].as_str().unwrap().contains(part), "{value}");
        assert_eq!(value.as_object().unwrap().len(), 9, "{value}");
    }
    let (status, value) = object(&empty.0, &["--world", "first"]);
    assert_eq!(status, 2);
    assert!(value["error"].as_str().unwrap().contains("'first'"), "{value}");
}

#[test]
fn people_see_the_tree_and_the_warnings() {
    let file = File::new("people.bvh", SAMPLE.replace("Frames: 2", "Frames: 3").as_bytes());
    let output = inspect(&file.0, &["--world", "0"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0));
    for part in [
        "BVH, 3 joints, 9 channels, 2 frames of 0.5 s",
        "ZXY",
        "End Site",
        "2 warnings:",
        "line 21: Frames says 3",
        "b#2",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}

/// Two nodes, the second above the first; the first turns by 90 degrees about z and back.
const GLTF: &str = r#"{
    "asset": {"version": "2.0"},
    "nodes": [{"name": "tip", "translation": [0, 2, 0], "children": [2]}, {"name": "base", "children": [0]},
              {"name": "tip", "translation": [1, 0, 0]}],
    "animations": [{"name": "swing", "samplers": [{"input": 0, "output": 1}],
                    "channels": [{"sampler": 0, "target": {"node": 0, "path": "rotation"}}]}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "SCALAR"},
                  {"bufferView": 1, "componentType": 5122, "normalized": true, "count": 3, "type": "VEC4"}],
    "bufferViews": [{"buffer": 0, "byteLength": 12}, {"buffer": 0, "byteOffset": 12, "byteLength": 24}],
    "buffers": [{"byteLength": 36, "uri": "data:;base64,AAAAAAAAgD8AAABAAAAAAAAA/38AAAAAglqCWgAAAAAAAP9/"}]
}"#;

#[test]
fn gltf_files_have_the_key_times_of_their_first_animation_as_frames() {
    let file = File::new("swing.gltf", GLTF.as_bytes());
    let (status, mut value) = object(&file.0, &["--world", "0,1,9"]);
    assert_eq!(status, 0, "{value}");
    let turned: [f64; 3] =
        serde_json::from_value(value["world"]["1"]["tip#2"].take()).expect("three numbers");
    for (found, wanted) in turned.iter().zip([0.0, 3.0, 0.0]) {
        // The rotation is stored in 16 bits.
        assert!((found - wanted).abs() < 1e-4, "{turned:?}");
    }
    assert_eq!(
        value,
        json!({
            "joints": ["base", "tip", "tip"],
            "parents": [-1, 0, 1],
            "roots": 1,
            "frames": 3,
            "frame_time": 1.0,
            "channels": 1,
            "warnings": [],
            "error": null,
            "world": {
                "0": { "base": [0.0, 0.0, 0.0], "tip": [0.0, 2.0, 0.0], "tip#2": [1.0, 2.0, 0.0] },
                "1": { "base": [0.0, 0.0, 0.0], "tip": [0.0, 2.0, 0.0], "tip#2": null },
            },
        })
    );
    let text = String::from_utf8(inspect(&file.0, &[]).stdout).unwrap();
    assert!(
        text.contains("animation \"swing\": 1 channels, 2.000 s"),
        "{text}"
    );
}

#[test]
fn the_odd_files_answer_as_expected() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/bvh-odd"));
    let Ok(expected) = fs::read(folder.join("expected.json")) else {
        let _ = writeln!(std::io::stderr(), "SKIPPED: {} is not there", folder.display());
        return;
    };
    let expected: Value = serde_json::from_slice(&expected).unwrap();
    for (name, expected) in expected.as_object().unwrap() {
        let (status, found) = object(&folder.join(format!("{name}.bvh")), &["--world", "0,1,2,3,4"]);
        let verdict = expected["verdict"].as_str().unwrap();
        assert_eq!(status, if verdict == "error" { 2 } else { 0 }, "{name}: {found}");
        assert_eq!(found["error"].is_null(), verdict != "error", "{name}: {found}");
        assert_eq!(
            found["warnings"] != json!([]),
            verdict == "warn",
            "{name}: {found}"
        );
        if verdict == "error" {
            continue;
        }
        for key in ["joints", "parents", "roots", "frames", "frame_time", "channels"] {
            assert_eq!(found[key], expected[key], "{name}: {key}");
        }
        let (found, expected) = (
            found["world"].as_object().unwrap(),
            expected["world"].as_object().unwrap(),
        );
        assert_eq!(found.len(), expected.len(), "{name}");
        for (frame, joints) in expected {
            for (joint, wanted) in joints.as_object().unwrap() {
                for (found, wanted) in found[frame][joint]
                    .as_array()
                    .unwrap()
                    .iter()
                    .zip(wanted.as_array().unwrap())
                {
                    let off = (found.as_f64().unwrap() - wanted.as_f64().unwrap()).abs();
                    assert!(off < 1e-5, "{name}: frame {frame}, {joint}: off by {off}");
                }
            }
        }
    }
}

#[test]
fn md5_meshes_and_motions() {
    let mesh = "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes 1\njoints {\n\"origin\" -1 ( 0 0 2 ) ( 0 0 0 )\n\"tip\" 0 ( 0 4 2 ) ( 0 0 0 )\n}\nmesh {\nshader \"stone\"\nnumverts 1\nvert 0 ( 0 0 ) 0 1\nnumtris 0\nnumweights 1\nweight 0 1 1 ( 1 2 3 )\n}\n";
    let file = File::new("figure.md5mesh", mesh.as_bytes());
    let (status, value) = object(&file.0, &["--world", "0", "--strict"]);
    assert_eq!(status, 0);
    assert_eq!(
        value,
        json!({
            "joints": ["origin", "tip"], "parents": [-1, 0], "roots": 1, "frames": 0, "frame_time": null,
            "channels": 0, "warnings": [], "error": null, "world": {},
        })
    );
    let text = String::from_utf8(inspect(&file.0, &[]).stdout).unwrap();
    for part in [
        "MD5 mesh, 2 joints",
        "no motion",
        "surface \"stone\": 1 vertices, 0 triangles, 1 weights",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    let half = File::new(
        "half.md5mesh",
        mesh.replace("weight 0 1 1", "weight 0 1 0.5").as_bytes(),
    );
    let (status, value) = object(&half.0, &[]);
    assert_eq!(status, 0);
    assert_eq!(
        value["warnings"],
        json!(["surface 0: the weights of 1 vertices do not add up to one"])
    );
    assert_eq!(object(&half.0, &["--strict"]).0, 2);
    let anim = "MD5Version 10\nnumFrames 2\nnumJoints 2\nframeRate 4\nnumAnimatedComponents 2\nhierarchy {\n\"origin\" -1 4 0\n\"tip\" 0 8 1\n}\nbaseframe {\n( 1 0 0 ) ( 0 0 -0.70710678118654752 )\n( 0 4 0 ) ( 0 0 0 )\n}\nframe 0 {\n2 0\n}\nframe 1 {\n3 0.5\n}\n";
    let file = File::new("wave.md5anim", anim.as_bytes());
    let (status, value) = object(&file.0, &["--world", "0,1,2"]);
    assert_eq!(
        (status, &value["frames"], &value["frame_time"], &value["channels"]),
        (0, &json!(2), &json!(0.25), &json!(2))
    );
    // The origin is turned by 90 degrees about z: 4 along its y is -4 along x.
    for (frame, z) in [("0", 2.0), ("1", 3.0)] {
        let tip: [f64; 3] = serde_json::from_value(value["world"][frame]["tip"].clone()).unwrap();
        for (found, wanted) in tip.iter().zip([-3.0, 0.0, z]) {
            assert!((found - wanted).abs() < 1e-6, "{tip:?}");
        }
    }
    assert_eq!(value["world"].as_object().unwrap().len(), 2);
    for (content, part) in [
        (
            anim.replace("numFrames 2", "numFrames 3"),
            "line 20: 3 frames declared, but 2 found; the file may be cut off",
        ),
        (
            mesh.replace("Version 10", "Version 6"),
            "line 1: MD5 version 6; only version 10 is known; export it for version 10",
        ),
        (
            mesh.replace("weight 0 1", "weight 0 2"),
            "line 15: there is no joint 2 (there are 2); correct this line",
        ),
    ] {
        let file = File::new("bad.md5", content.as_bytes());
        let output = inspect(&file.0, &[]);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            (output.status.code(), text.lines().count()),
            (Some(2), 1),
            "{text}"
        );
        assert!(text.contains(part), "{part} in {text}");
    }
}
