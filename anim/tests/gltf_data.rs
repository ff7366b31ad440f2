//! Real glTF files.
#![cfg(feature = "gltf")]
#![allow(clippy::missing_assert_message, reason = "tests")]

use std::{io::Write as _, path::PathBuf};

use elea_anim::{
    Pose,
    glam::Affine3A,
    gltf::{self, Gltf, GltfWarning},
    local_to_model,
};

/// The folder of models, or a word on why the test does nothing.
fn models() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/models");
    if folder.is_dir() {
        return Some(folder);
    }
    let _ = writeln!(
        std::io::stderr(),
        "SKIPPED: no glTF files, {} is not here",
        folder.display()
    );
    None
}

fn load(name: &str) -> Option<Gltf> {
    models().map(|folder| gltf::load(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}")))
}

/// Joints, skins, vertices, triangles and animations as the `gltf` crate's iterators count them.
#[test]
fn every_model_holds_what_another_reader_finds_in_it() {
    let Some(folder) = models() else { return };
    let mut files = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if !path
            .extension()
            .is_some_and(|extension| extension == "gltf" || extension == "glb")
        {
            continue;
        }
        files += 1;
        let ours = gltf::load(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let theirs = gltf_crate::Gltf::open(&path).unwrap();
        let file_skins = ours.skins.iter().filter(|skin| !skin.is_rigid);
        let slots: Vec<usize> = file_skins.map(|skin| skin.binding.len()).collect();
        assert_eq!(
            slots,
            theirs
                .skins()
                .map(|skin| skin.joints().count())
                .collect::<Vec<_>>()
        );
        let mut primitives: Vec<[usize; 3]> = Vec::new();
        for primitive in theirs.meshes().flat_map(|mesh| mesh.primitives()) {
            let vertices = primitive.get(&gltf_crate::Semantic::Positions).unwrap().count();
            let indices = primitive.indices().map_or(vertices, |indices| indices.count());
            primitives.push([vertices, indices / 3, primitive.morph_targets().count()]);
        }
        let mut found: Vec<[usize; 3]> = ours
            .meshes
            .iter()
            .map(|mesh| {
                [
                    mesh.mesh.positions.len(),
                    mesh.mesh.triangles.len(),
                    mesh.targets.len(),
                ]
            })
            .collect();
        found.sort_unstable();
        primitives.sort_unstable();
        assert_eq!(found, primitives, "{}", path.display());
        assert_eq!(ours.animations.len(), theirs.animations().count());
        for (index, (ours_animation, theirs)) in ours.animations.iter().zip(theirs.animations()).enumerate() {
            let morphs = ours.morphs.iter().filter(|morph| morph.animation == index);
            assert_eq!(
                ours_animation.channels.len() + morphs.count(),
                theirs.channels().count()
            );
        }
        for (node, joint) in theirs.nodes().zip(&ours.joint_of_node) {
            if let (Some(joint), Some(name)) = (joint, node.name()) {
                assert_eq!(ours.skeleton.name(*joint), name);
            }
        }
    }
    assert_eq!(files, 9);
}

#[test]
fn nodes_that_only_hold_skinned_meshes_are_no_joints() {
    let Some(robot) = load("robot.glb") else { return };
    // 58 nodes: 43 joints of the skin, the armature above them, 14 skinned meshes with names of joints.
    assert_eq!((robot.skeleton.len(), robot.report.left_out_nodes), (44, 14));
    let head = robot.skeleton.joint("Head").unwrap();
    assert_eq!(
        robot.skeleton.parent(head).map(|neck| robot.skeleton.name(neck)),
        Some("Neck")
    );
    assert!(robot.skins[0].binding.joints().contains(&head));
    assert_eq!(robot.report.reordered_joints, 43);
    assert!(robot.report.is_clean());
}

#[test]
fn weights_that_do_not_add_up_are_reported() {
    let Some(man) = load("cesium_man.gltf") else {
        return;
    };
    assert_eq!(
        man.report.warnings,
        [GltfWarning::RenormalizedWeights {
            path: "meshes[0].primitives[0]".into(),
            vertices: 210
        }]
    );
    let influences = &man.meshes[0].mesh.influences;
    assert_eq!(influences.vertices(), 3273);
    for vertex in 0..influences.vertices() {
        let sum: f32 = influences.of(vertex).map(|(_, weight)| weight).sum();
        assert!((sum - 1.0).abs() < 1e-6);
    }
}

/// At ten times of each animation, against three.js.
#[test]
fn sampled_poses_are_those_of_three_js() {
    let Some(folder) = models() else { return };
    let (mut compared, mut worst) = (0, 0.0_f32);
    let mut loaded: Option<(String, Gltf)> = None;
    let lines = include_str!("data/three_poses.tsv").lines();
    for line in lines.filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, animation, node, time, numbers @ ..] = &fields[..] else {
            panic!("{line}")
        };
        if loaded.as_ref().is_none_or(|(loaded, _)| loaded != name) {
            loaded = Some(((*name).to_owned(), gltf::load(folder.join(name)).unwrap()));
        }
        let file = &loaded.as_ref().unwrap().1;
        let (animation, time): (usize, f32) = (animation.parse().unwrap(), time.parse().unwrap());
        let expected: Vec<f32> = numbers.iter().map(|number| number.parse().unwrap()).collect();
        let found = if let Some(node) = node.strip_prefix('w') {
            let node: usize = node.parse().unwrap();
            let is_it = |morph: &&gltf::MorphChannel| {
                morph.animation == animation && file.instances[morph.instance].node == node
            };
            let track = &file.morphs.iter().find(is_it).unwrap().track;
            let mut weights = vec![0.0; track.targets()];
            track.sample(time, &mut weights);
            weights
        } else {
            let joint = file.joint_of_node[node.parse::<usize>().unwrap()].unwrap();
            let mut pose = Pose::identity(file.skeleton.len());
            file.animations[animation].sample(&file.skeleton, time, &mut pose);
            let mut model = vec![Affine3A::IDENTITY; file.skeleton.len()];
            local_to_model(&file.skeleton, &pose, &mut model);
            model[joint.index()].to_cols_array().to_vec()
        };
        assert_eq!(found.len(), expected.len(), "{line}");
        for (found, expected) in found.iter().zip(&expected) {
            let off = (found - expected).abs();
            worst = worst.max(off);
            assert!(off < 1e-4, "{found}, not {expected}: {line}");
        }
        compared += 1;
    }
    assert_eq!(compared, 220);
    println!("off by {worst} at most");
}
