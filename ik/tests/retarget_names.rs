//! Bone maps against a list of what public rigs call their joints.

use std::{collections::BTreeMap, io::Write, path::Path};

use elea_anim::{Joint, JointId, Skeleton, Transform, bvh, gltf};
use elea_ik::retarget::{BoneMap, MapWarning, Options, Part, RetargetError, Retargeter, Rig, Side};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data");

/// The list's rows by convention, with the parts that a map knows.
fn conventions() -> Option<BTreeMap<String, Vec<(Part, String)>>> {
    let path = Path::new(DATA).join("bone_names.tsv");
    let Ok(text) = std::fs::read_to_string(&path) else {
        let _ = writeln!(std::io::stderr(), "SKIPPED: {} is not here", path.display());
        return None;
    };
    let mut rows: BTreeMap<String, Vec<(Part, String)>> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [part, convention, name] = fields[..] else {
            continue;
        };
        if let Ok(part) = part.parse() {
            rows.entry(convention.to_owned())
                .or_default()
                .push((part, name.to_owned()));
        }
    }
    assert!(rows.len() >= 45, "{} conventions in the list", rows.len());
    Some(rows)
}

/// A skeleton of nothing but names.
fn names_alone<'a>(names: impl Iterator<Item = &'a str>) -> Skeleton {
    let joint = |name: &str| Joint {
        name: name.into(),
        parent: None,
        rest: Transform::IDENTITY,
    };
    Skeleton::new(names.map(joint).collect()).unwrap()
}

#[test]
fn every_convention_of_the_list_is_read_by_its_names() {
    let Some(conventions) = conventions() else { return };
    for (convention, rows) in conventions {
        // The first name of each part is the convention's main one.
        let mut first: BTreeMap<Part, &str> = BTreeMap::new();
        for (part, name) in &rows {
            first.entry(*part).or_insert(name);
        }
        let report = BoneMap::auto(&names_alone(first.values().copied()));
        for (part, name) in first {
            // Conventions overlap: another one can name more parts of this list, and spines and toes a little differently.
            if Part::REQUIRED.contains(&part) || report.convention == Some(convention.as_str()) {
                let found = report.map.get(part);
                assert_eq!(
                    found,
                    Some(name),
                    "{convention}: {part}, read as {:?}",
                    report.convention
                );
            }
        }
    }
}

#[test]
fn prefixes_case_and_sides_elsewhere_change_nothing() {
    let parts = [
        ("hips", "Hips"),
        ("l_upperarm", "LeftArm"),
        ("l_forearm", "LeftForeArm"),
        ("l_hand", "LeftHand"),
        ("r_upperarm", "RightArm"),
        ("r_forearm", "RightForeArm"),
        ("r_hand", "RightHand"),
        ("l_thigh", "LeftUpLeg"),
        ("l_shin", "LeftLeg"),
        ("l_foot", "LeftFoot"),
        ("r_thigh", "RightUpLeg"),
        ("r_shin", "RightLeg"),
        ("r_foot", "RightFoot"),
    ];
    let changes: [fn(&str) -> String; 6] = [
        str::to_owned,
        str::to_uppercase,
        |name| format!("hero:{name}"),
        |name| format!("Character1_{name}"),
        |name| format!("Armature|mixamorig7:{name}"),
        |name| match (name.strip_prefix("Left"), name.strip_prefix("Right")) {
            (Some(rest), _) => format!("{rest}.L"),
            (_, Some(rest)) => format!("{rest}.R"),
            _ => name.to_owned(),
        },
    ];
    for change in changes {
        let names: Vec<String> = parts.iter().map(|(_, name)| change(name)).collect();
        let report = BoneMap::auto(&names_alone(names.iter().map(String::as_str)));
        for ((part, _), name) in parts.iter().zip(&names) {
            let found = report.map.get(part.parse().unwrap());
            assert_eq!(found, Some(name.as_str()), "{part} among {names:?}");
        }
    }
}

#[test]
fn a_repeated_name_has_a_number() {
    let skeleton = names_alone(["a", "b", "b"].into_iter());
    let mut map = BoneMap::default();
    map.set(Part::Hips, "b#2");
    assert_eq!(map.joint(Part::Hips, &skeleton), Some(JointId(2)));
    map.set(Part::Hips, "b#3");
    assert_eq!(map.joint(Part::Hips, &skeleton), None);
}

#[test]
fn a_figure_without_names_is_read_by_its_shape() {
    let motion = Path::new(DATA).join("motion");
    if !motion.is_dir() {
        let _ = writeln!(std::io::stderr(), "SKIPPED: {} is not here", motion.display());
        return;
    }
    for file in [
        "mpfb/mixamo_rest.bvh",
        "mpfb/cmu_mb_rest.bvh",
        "mpfb/game_engine_rest.bvh",
        "cmu/cmu_12_01_walk.bvh",
        "pybvh/standard_skeleton.bvh",
        "pybvh/bvh_test1.bvh",
        "pybvh/bvh_test2.bvh",
        "pybvh/bvh_test3.bvh",
        "misc/walk01.bvh",
        "misc/pirouette_excerpt.bvh",
        "pymo/AV_8Walk_Meredith_HVHA_Rep1.bvh",
    ] {
        let bvh = bvh::parse(&std::fs::read(motion.join(file)).unwrap()).unwrap();
        let named = BoneMap::auto(&bvh.skeleton).map;
        let mut joints = bvh.skeleton.to_joints();
        for (index, joint) in joints.iter_mut().enumerate() {
            joint.name = format!("bone {index}");
        }
        let nameless = Skeleton::new(joints).unwrap();
        let report = BoneMap::auto(&nameless);
        assert_eq!(report.convention, None, "{file}");
        assert!(
            report
                .warnings
                .iter()
                .any(|warning| matches!(warning, MapWarning::Guessed { .. })),
            "{file}: a guess is told"
        );
        for part in Part::REQUIRED {
            let expected = named.joint(part, &bvh.skeleton);
            assert_eq!(report.map.joint(part, &nameless), expected, "{file}: {part}");
        }
    }
}

#[test]
fn gltf_skeletons_are_read_too() {
    let models = Path::new(DATA).join("models");
    if !models.is_dir() {
        let _ = writeln!(std::io::stderr(), "SKIPPED: {} is not here", models.display());
        return;
    }
    let rig = |file: &str| {
        let gltf = gltf::load(models.join(file)).unwrap();
        Rig::auto(gltf.skeleton.clone(), gltf.animations.first())
    };
    // A walking man whose nodes have no names: two legs of four joints, two arms of three, a neck and a head.
    let (man, report) = rig("cesium_man.gltf");
    assert_eq!(report.convention, None);
    let up = |part: Part, steps: usize| {
        let mut joint = man.map.joint(part, &man.skeleton).unwrap();
        for _ in 0..steps {
            joint = man.skeleton.parent(joint).unwrap();
        }
        joint
    };
    for side in Side::BOTH {
        assert_eq!(
            up(Part::Toe(side), 4),
            up(Part::Hips, 0),
            "legs hang from the hips"
        );
        assert_eq!(
            up(Part::Hand(side), 3),
            up(Part::UpperChest, 0),
            "arms hang from the chest"
        );
    }
    assert_eq!(up(Part::Head, 2), up(Part::UpperChest, 0));
    assert!(
        Retargeter::new(man.clone(), man, Options::default()).is_ok(),
        "he can be retargeted"
    );
    // A fox.
    let (fox, report) = rig("Fox.glb");
    assert!(fox.is_four_legged() && report.warnings.contains(&MapWarning::FourLegged));
    // A robot whose feet hang from the root and whose fingers hang from the forearms.
    let (robot, report) = rig("robot.glb");
    let hand = Part::Hand(Side::Left);
    assert!(report.missing.contains(&hand), "{:?}", report.missing);
    assert_eq!(robot.check(), Err(RetargetError::MissingPart(hand)));
}

#[cfg(feature = "serde")]
#[test]
fn a_map_is_written_and_read_as_json() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("map.json");
    let mut map = BoneMap::default();
    map.set(Part::Hips, "Hüfte");
    map.set("l_index1".parse().unwrap(), "finger \"1\"");
    map.save(&path).unwrap();
    assert_eq!(BoneMap::load(&path).unwrap(), map);
    assert_eq!(serde_json::to_value(&map).unwrap()["l_index1"], "finger \"1\"");
    std::fs::write(&path, "{\"hips\": \"a\",\n \"l_fin\": \"b\"}").unwrap();
    let error = BoneMap::load(&path).unwrap_err().to_string();
    assert!(
        error.contains("map.json") && error.contains("l_fin") && error.contains("line 2"),
        "{error}"
    );
    let error = BoneMap::load(path.with_file_name("nowhere.json"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("nowhere.json"), "{error}");
}
