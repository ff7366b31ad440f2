//! Real and odd files from outside the repository; each test says SKIPPED where they are absent.
#![allow(
    clippy::cast_possible_truncation,
    clippy::missing_assert_message,
    reason = "tests"
)]

use std::{
    collections::HashMap,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use elea_anim::{
    bvh::{self, Bvh, BvhError, BvhOptions, Strictness},
    glam::{DQuat, DVec3, Vec3},
};
use serde_json::Value;

mod bvh_reference;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data");

fn folder(name: &str) -> Option<PathBuf> {
    let path = Path::new(DATA).join(name);
    if path.is_dir() {
        return Some(path);
    }
    let _ = writeln!(std::io::stderr(), "SKIPPED: {} is not there", path.display());
    None
}

fn files(name: &str) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = folder(name).into_iter().collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "bvh") {
                let bytes = fs::read(&path).unwrap();
                found.push((path.strip_prefix(DATA).unwrap().display().to_string(), bytes));
            }
        }
    }
    found.sort();
    found
}

/// One number for two orientations, radians; exact near zero.
fn angle(a: DQuat, b: DQuat) -> f64 {
    let d = a.conjugate() * b;
    2.0 * d.xyz().length().atan2(d.w.abs())
}

#[test]
fn odd_files_read_as_expected() {
    let Some(folder) = folder("bvh-odd") else { return };
    let expected: HashMap<String, Value> =
        serde_json::from_slice(&fs::read(folder.join("expected.json")).unwrap()).unwrap();
    assert_eq!(expected.len(), 34);
    for (name, expected) in &expected {
        let bytes = fs::read(folder.join(format!("{name}.bvh"))).unwrap();
        let verdict = expected["verdict"].as_str().unwrap();
        let strict = BvhOptions {
            strictness: Strictness::Strict,
            ..BvhOptions::default()
        };
        match (verdict, bvh::parse(&bytes)) {
            ("error", result) => {
                let error = result.expect_err(name);
                assert_eq!(
                    bvh::parse_with(&bytes, &strict).unwrap_err(),
                    error,
                    "{name}: strict differs"
                );
                continue;
            }
            (_, Err(error)) => panic!("{name}: {error}"),
            (_, Ok(bvh)) => {
                assert_eq!(
                    bvh.warnings.is_empty(),
                    verdict == "ok",
                    "{name}: {:?}",
                    bvh.warnings
                );
                match bvh::parse_with(&bytes, &strict) {
                    Ok(_) => assert_eq!(verdict, "ok", "{name}: strict"),
                    Err(error) => assert!(matches!(error, BvhError::Strict(_)), "{name}: strict: {error}"),
                }
                check(name, expected, &bvh);
                // The same reading again from what is written, in both modes.
                let again = bvh::parse(bvh.write().unwrap().as_bytes()).unwrap();
                let mut expected = expected.clone();
                if !bvh.has_motion {
                    assert!(!again.has_motion, "{name}");
                } else if verdict == "ok" {
                    assert_eq!(again.channels(), bvh.channels(), "{name}");
                }
                check(name, &expected, &again);
                let minimal = bvh::write(&bvh.skeleton, &bvh.animation, bvh.frame_time).unwrap();
                let again = bvh::parse(minimal.as_bytes()).unwrap();
                assert_eq!(again.warnings, [], "{name}");
                for key in ["channels", "frames", "frame_time", "tips"] {
                    expected[key] = Value::Null;
                }
                check(name, &expected, &again);
            }
        }
    }
}

fn check(name: &str, expected: &Value, bvh: &Bvh) {
    let skeleton = &bvh.skeleton;
    let names: Vec<&str> = skeleton.joints().map(|joint| skeleton.name(joint)).collect();
    assert_eq!(expected["joints"], serde_json::json!(names), "{name}");
    let parent = |parent: &Option<elea_anim::JointId>| parent.map_or(-1, |parent| i64::from(parent.0));
    let parents: Vec<i64> = skeleton.parents().iter().map(parent).collect();
    assert_eq!(expected["parents"], serde_json::json!(parents), "{name}");
    let same = |key: &str, found: Value| {
        assert!(
            expected[key].is_null() || expected[key] == found,
            "{name}: {key} {found}"
        )
    };
    same("frames", bvh.frames.into());
    same("channels", bvh.channels().into());
    same("frame_time", bvh.frame_time.into());
    same("tips", bvh.tips.len().into());
    for (frame, joints) in expected["world"].as_object().unwrap() {
        let world = bvh_reference::world(bvh, frame.parse().unwrap());
        assert_eq!(joints.as_object().unwrap().len(), names.len());
        for (joint, (position, _)) in names.iter().zip(&world) {
            let wanted: [f64; 3] = serde_json::from_value(joints[joint].clone()).unwrap();
            let off = position.distance(DVec3::from_array(wanted));
            assert!(
                off < 1e-5,
                "{name}: frame {frame}, {joint}: {position}, not {wanted:?}"
            );
        }
    }
}

#[test]
fn world_positions_equal_those_of_a_plain_f64_reader() {
    for (name, bytes) in files("motion") {
        let bvh = bvh::parse(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(bvh.warnings, [], "{name}");
        let reference = bvh_reference::read(&String::from_utf8_lossy(&bytes));
        let names: Vec<&str> = bvh
            .skeleton
            .joints()
            .map(|joint| bvh.skeleton.name(joint))
            .collect();
        assert_eq!(names, reference.names, "{name}");
        let parents: Vec<i64> = bvh
            .skeleton
            .parents()
            .iter()
            .map(|p| p.map_or(-1, |p| i64::from(p.0)))
            .collect();
        assert_eq!(parents, reference.parents, "{name}");
        assert_eq!(bvh.frames, reference.frames, "{name}");
        for frame in (0..bvh.frames).step_by(bvh.frames / 50 + 1) {
            let size = reference.world[frame]
                .iter()
                .map(|(p, _)| p.abs().max_element())
                .fold(1e-9, f64::max);
            for (joint, ((position, rotation), (wanted, matrix))) in bvh_reference::world(&bvh, frame)
                .iter()
                .zip(&reference.world[frame])
                .enumerate()
            {
                let off = position.distance(*wanted);
                assert!(
                    off <= 1e-6 * size,
                    "{name}: frame {frame}, {}: {off} of {size}",
                    names[joint]
                );
                let off = angle(*rotation, DQuat::from_mat3(matrix));
                assert!(off <= 1e-6, "{name}: frame {frame}, {}: {off} rad", names[joint]);
            }
        }
    }
}

#[test]
fn writing_and_reading_again_is_exact() {
    let files = files("motion");
    for (name, bytes) in &files {
        let bvh = bvh::parse(bytes).unwrap();
        let again = bvh::parse(bvh.write().unwrap().as_bytes()).unwrap();
        assert_eq!(again.warnings, [], "{name}");
        assert_eq!(again.skeleton, bvh.skeleton, "{name}");
        assert_eq!(
            (again.frames, again.frame_time),
            (bvh.frames, bvh.frame_time),
            "{name}"
        );
        assert_eq!(again.joints, bvh.joints, "{name}");
        assert_eq!(again.tips, bvh.tips, "{name}");
        assert_eq!(
            again.animation.channels.len(),
            bvh.animation.channels.len(),
            "{name}"
        );
        same_motion(name, &again, &bvh);
        let minimal = bvh::write(&bvh.skeleton, &bvh.animation, bvh.frame_time).unwrap();
        same_motion(name, &bvh::parse(minimal.as_bytes()).unwrap(), &bvh);
    }
}

/// Local transforms within 1e-6 rad and 1e-6 of the largest coordinate.
fn same_motion(name: &str, found: &Bvh, wanted: &Bvh) {
    let pose = |bvh: &Bvh, time| {
        let mut pose = bvh.skeleton.rest_pose().clone();
        bvh.animation.sample(&bvh.skeleton, time, &mut pose);
        pose
    };
    for frame in 0..wanted.frames {
        let time = (frame as f64 * wanted.frame_time) as f32;
        let (found, wanted_pose) = (pose(found, time), pose(wanted, time));
        let largest = |v: Vec3| v.abs().max_element();
        let size = wanted_pose
            .transforms()
            .map(|t| largest(t.translation))
            .fold(0.0, f32::max);
        for (joint, (found, wanted)) in found.transforms().zip(wanted_pose.transforms()).enumerate() {
            let off = largest(found.translation - wanted.translation);
            assert!(
                off <= 1e-6 * size,
                "{name}: frame {frame}, joint {joint}: {off} of {size}"
            );
            let off = angle(found.rotation.as_dquat(), wanted.rotation.as_dquat());
            assert!(off <= 1e-6, "{name}: frame {frame}, joint {joint}: {off} rad");
        }
    }
}
