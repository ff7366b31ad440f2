//! The chains of the benches are those of `../shared/cases/ik_chains.json`: names, limits, rigidities, and targets computed
//! anew from the file by plain matrices.

use std::io::Write;

use elea_benches::ik::chains::{PANDA, PANDA_TIP, Set, panda, panda_flange, panda_pose, sets};
use elea_benches::random::Random;
use elea_ik::{Axis, Goal};
use glam::{DAffine3, DMat3, DVec3};
use serde_json::Value;

fn cases() -> Option<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/cases/ik_chains.json");
    let text = std::fs::read_to_string(path).ok();
    if text.is_none() {
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: ../shared/cases/ik_chains.json is absent"
        );
    }
    text.map(|text| serde_json::from_str(&text).expect("valid JSON"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn vector(value: &Value) -> DVec3 {
    DVec3::from_array([0, 1, 2].map(|i| number(&value[i])))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

fn rotation(letter: &str, angle: f64) -> DMat3 {
    match letter {
        "X" => DMat3::from_rotation_x(angle),
        "Y" => DMat3::from_rotation_y(angle),
        "Z" => DMat3::from_rotation_z(angle),
        other => panic!("axis {other}"),
    }
}

/// Every enabled axis in the file's order as (negative limit, its rigidity, positive limit, its rigidity), and the bones
/// placed with an angle for each of them; translations come after a bone's rotations.
fn read(set: &Value, angles: &[f64]) -> (Vec<[f64; 4]>, Vec<DAffine3>) {
    let mut angles = angles.iter().copied();
    let mut next = || angles.next().expect("an angle for each axis");
    let (mut axes, mut placed) = (Vec::new(), Vec::<DAffine3>::new());
    for bone in list(&set["bones"]) {
        let mut turned = DMat3::IDENTITY;
        for axis in list(&bone["axes"]) {
            turned *= rotation(text(&axis["axis"]), next());
            let side = |side: &Value| [number(&side["limit_deg"]).to_radians(), number(&side["rigidity"])];
            let ([a, b], [c, d]) = (side(&axis["negative"]), side(&axis["positive"]));
            axes.push([a, b, c, d]);
        }
        let mut offset = vector(&bone["offset"]);
        if let Some(moves) = bone.get("translate") {
            let (limit, rigidity) = (number(&moves["limit"]), number(&moves["rigidity"]));
            offset += DVec3::new(next(), next(), next());
            axes.extend([[limit, rigidity, limit, rigidity]; 3]);
        }
        let local = DAffine3::from_mat3_translation(turned, offset);
        let parent = bone["parent"]
            .as_u64()
            .and_then(|parent| usize::try_from(parent).ok());
        placed.push(parent.map_or(local, |parent| placed[parent] * local));
    }
    (axes, placed)
}

/// The same of the benches' chain.
fn axes_of(set: &Set) -> Vec<[f64; 4]> {
    let mut axes = Vec::new();
    for bone in set.chain.bones() {
        let joint = set.chain.joint(bone).expect("a bone of the chain");
        for axis in joint.axes.into_iter().chain(joint.translate) {
            if let Axis::Limit {
                negative, positive, ..
            } = axis
            {
                axes.push([
                    negative.limit,
                    negative.rigidity,
                    positive.limit,
                    positive.rigidity,
                ]);
            }
        }
    }
    axes
}

#[test]
fn the_sets_are_those_of_the_file() {
    let Some(cases) = cases() else { return };
    let ours = sets();
    assert_eq!(ours.len(), list(&cases["sets"]).len(), "as many sets");
    for (set, case) in ours.iter().zip(list(&cases["sets"])) {
        let name = set.name;
        assert_eq!(name, text(&case["name"]), "the same order");
        assert_eq!(set.chain.length(), number(&case["length"]), "{name}: length");
        assert_eq!(
            set.pose_fraction,
            number(&case["pose_fraction"]),
            "{name}: fraction"
        );
        let mut random = Random::new(3);
        for _ in 0..20 {
            let pose = set.pose(&mut random);
            let enabled: Vec<f64> = set.limits.iter().map(|&(slot, ..)| pose[slot]).collect();
            let (axes, placed) = read(case, &enabled);
            assert_eq!(axes_of(set), axes, "{name}: limits and rigidities");
            let bones: Vec<&str> = list(&case["bones"])
                .iter()
                .map(|bone| text(&bone["name"]))
                .collect();
            let goals = set.goals(&pose);
            assert_eq!(goals.len(), list(&case["goals"]).len(), "{name}: goals");
            for (goal, case) in goals.iter().zip(list(&case["goals"])) {
                let bone = bones.iter().position(|bone| *bone == text(&case["bone"]));
                let placed = placed[bone.expect("a bone of the file")];
                let local = vector(&case["local"]);
                let (kind, expected, target) = match *goal {
                    Goal::Position { target, .. } => ("position", placed.transform_point3(local), target),
                    Goal::Direction { target, .. } => ("direction", placed.transform_vector3(local), target),
                    Goal::Orientation { .. } => panic!("{name}: an orientation"),
                };
                assert_eq!(kind, text(&case["kind"]), "{name}: kind of goal");
                assert_eq!(
                    f64::from(goal.weight()),
                    number(&case["weight"]),
                    "{name}: weight"
                );
                // Offsets, points and targets are f32.
                let off = expected.distance(target.as_dvec3());
                assert!(off < 1e-6, "{name}: the target is {off} away");
            }
        }
    }
}

#[test]
fn the_robot_is_that_of_the_file() {
    let Some(cases) = cases() else { return };
    let case = &cases["panda"];
    let axes: Vec<String> = text(&case["axes"]).chars().map(String::from).collect();
    let tip = vector(&case["tip"]);
    assert!((PANDA_TIP.as_dvec3() - tip).length() < 1e-7, "the flange");
    let (chain, _) = panda();
    assert_eq!(chain.length(), number(&case["length"]), "length");
    let mut random = Random::new(3);
    for _ in 0..20 {
        let pose = panda_pose(&chain, &mut random);
        let mut placed = DAffine3::IDENTITY;
        for (index, bone) in chain.bones().enumerate() {
            let (low, high) = (number(&case["lower"][index]), number(&case["upper"][index]));
            let slots = chain.angles_of(bone).expect("a bone of the chain");
            // The chain counts from the middle of each range.
            let angle = 0.5 * (low + high) + pose[slots.start + PANDA[index].0];
            assert!((low..=high).contains(&angle), "joint {index}: {angle}");
            let local = DAffine3::from_mat3_translation(
                rotation(&axes[index], angle),
                vector(&case["offsets"][index]),
            );
            placed *= local;
        }
        let (position, orientation) = panda_flange(&chain, &pose);
        let off = placed.transform_point3(tip).distance(position.as_dvec3());
        assert!(off < 1e-6, "the flange is {off} away");
        let turned = DMat3::from_quat(orientation.as_dquat()) - placed.matrix3;
        assert!(
            turned.to_cols_array().iter().all(|part| part.abs() < 1e-6),
            "and turned by {turned}"
        );
    }
}
