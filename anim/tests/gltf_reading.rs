//! What is read of glTF files: trees of nodes and animations.
#![cfg(feature = "gltf")]
#![allow(clippy::missing_assert_message, reason = "tests")]

use elea_anim::{
    Interpolation, JointId, Pose, Values,
    glam::{Affine3A, Quat, Vec3},
    gltf::GltfWarning,
    local_to_model,
};
use gltf_sample::{BYTE, FLOAT, SHORT, Sample, UNSIGNED_BYTE, UNSIGNED_SHORT, fails, full, read};
use serde_json::json;

mod gltf_sample;

#[test]
fn everything_in_one_file() {
    let file = read(&full());
    assert!(file.report.is_clean(), "{:?}", file.report);
    assert_eq!((file.report.reordered_joints, file.report.left_out_nodes), (1, 1));
    let names: Vec<&str> = file
        .skeleton
        .joints()
        .map(|joint| file.skeleton.name(joint))
        .collect();
    assert_eq!(names, ["root", "tip", "box"]);
    assert_eq!(
        file.skeleton.parents(),
        [None, Some(JointId(0)), Some(JointId(0))]
    );
    let joints = [Some(JointId(1)), Some(JointId(0)), None, Some(JointId(2))];
    assert_eq!(file.joint_of_node, joints);
    // The matrix came apart.
    let rest = file.skeleton.rest_pose().get(JointId(2));
    assert_eq!(
        (rest.translation, rest.scale),
        (Vec3::new(5.0, 6.0, 7.0), Vec3::splat(2.0))
    );

    assert_eq!(file.skins.len(), 2);
    let skin = &file.skins[0];
    assert_eq!((&*skin.name, skin.is_rigid), ("skin", false));
    assert_eq!(skin.binding.joints(), [JointId(0), JointId(1)]);
    let lowered = Affine3A::from_translation(-Vec3::Y);
    assert_eq!(skin.binding.inverse_bind(), [Affine3A::IDENTITY, lowered]);
    assert!(file.skins[1].is_rigid);
    assert_eq!(file.skins[1].binding.joints(), [JointId(2)]);

    let [sheet, hanging] = &file.instances[..] else {
        panic!("two instances")
    };
    assert_eq!(
        (sheet.skin, &sheet.meshes[..], sheet.node, sheet.top),
        (0, &[0][..], 2, 2)
    );
    assert_eq!(
        (hanging.skin, &hanging.meshes[..], hanging.node, hanging.top),
        (1, &[1][..], 3, 1)
    );
    // A node's weights win over its mesh's.
    assert_eq!(sheet.weights, [0.25]);
    let mesh = &file.meshes[0];
    assert_eq!(mesh.mesh.positions[3], Vec3::new(1.0, 1.0, 0.0));
    assert_eq!(mesh.mesh.triangles, [[0, 1, 2], [2, 3, 4], [4, 5, 6]]);
    assert_eq!(
        mesh.mesh.influences.of(5).collect::<Vec<_>>(),
        [(1, 0.75), (0, 0.25), (0, 0.0), (0, 0.0)]
    );
    assert_eq!((mesh.texcoords.len(), mesh.mesh.normals[7]), (8, Vec3::Z));
    let lift = &mesh.targets[0];
    assert_eq!((&*lift.name, &lift.vertices[..]), ("lift", &[3, 6][..]));
    assert_eq!(lift.positions, [Vec3::Z, Vec3::Z * 2.0]);
    assert_eq!(file.materials[0].base_color, [1.0, 0.0, 0.0, 1.0]);
    // Without indices, vertices are triangles in order.
    assert_eq!(file.meshes[1].mesh.triangles, [[0, 1, 2], [3, 4, 5]]);

    let animation = &file.animations[0];
    let kinds: Vec<Interpolation> = animation
        .channels
        .iter()
        .map(|channel| channel.interpolation())
        .collect();
    assert_eq!(
        kinds,
        [
            Interpolation::Linear,
            Interpolation::Step,
            Interpolation::CubicSpline
        ]
    );
    // One list of times, shared.
    let [first, second, _] = &animation.channels[..] else {
        panic!("three channels")
    };
    assert!(std::sync::Arc::ptr_eq(first.times(), second.times()));
    let morph = &file.morphs[0];
    assert_eq!((morph.animation, morph.instance), (0, 0));
    let mut weight = [0.0];
    morph.track.sample(0.25, &mut weight);
    assert_eq!(weight, [0.5]);
    let scene = &file.scenes[file.scene.unwrap()];
    assert_eq!((&*scene.name, &scene.nodes[..]), ("main", &[1, 2][..]));
    assert_eq!(file.instances_of(scene).count(), 2);
}

#[test]
fn joints_hang_where_their_nodes_hang() {
    // An armature with a scale of 100, a plain node between two joints, joints in two trees.
    let mut sample = Sample::new();
    sample.push(
        "nodes",
        json!({"name": "armature", "scale": [100, 100, 100], "children": [1]}),
    );
    sample.push(
        "nodes",
        json!({"name": "hips", "children": [2], "translation": [0, 1, 0]}),
    );
    sample.push("nodes", json!({"children": [3], "translation": [1, 0, 0]}));
    sample.push("nodes", json!({"name": "chest", "translation": [0, 1, 0]}));
    sample.push("nodes", json!({"name": "other", "translation": [7, 0, 0]}));
    sample.push("skins", json!({"joints": [1, 3]}));
    sample.push("skins", json!({"joints": [4], "skeleton": 4}));
    let file = read(&sample);
    assert_eq!(file.skeleton.name(JointId(2)), "node 2");
    let mut model = vec![Affine3A::IDENTITY; file.skeleton.len()];
    local_to_model(&file.skeleton, file.skeleton.rest_pose(), &mut model);
    assert_eq!(Vec3::from(model[3].translation), Vec3::new(100.0, 200.0, 0.0));
    assert_eq!(file.skins[0].binding.joints(), [JointId(1), JointId(3)]);
    assert_eq!(file.skins[1].binding.joints(), [JointId(4)]);
    // Missing inverse binds are the identity.
    assert_eq!(file.skins[0].binding.inverse_bind(), [Affine3A::IDENTITY; 2]);
}

#[test]
fn deep_trees_need_no_stack() {
    let count = 60_000;
    let mut sample = Sample::new();
    let nodes: Vec<_> = (0..count)
        .map(|node| {
            if node == 0 {
                json!({})
            } else {
                json!({"children": [node - 1]})
            }
        })
        .collect();
    sample.json["nodes"] = json!(nodes);
    let file = read(&sample);
    assert_eq!(file.skeleton.len(), count);
    assert_eq!(file.report.reordered_joints, count - 1);
    sample.json["nodes"] = json!(vec![json!({}); 65_536]);
    assert_eq!(
        fails(&sample),
        "nodes: 65536 joints; a skeleton holds at most 65535"
    );
}

#[test]
fn trees_that_are_none() {
    let with = |children: [&[usize]; 3]| {
        let mut sample = Sample::new();
        for list in children {
            sample.push("nodes", json!({"children": list}));
        }
        fails(&sample)
    };
    assert_eq!(
        with([&[1], &[2], &[0]]),
        "nodes[0].children: node 0 is its own ancestor"
    );
    assert_eq!(
        with([&[], &[1], &[]]),
        "nodes[1].children: node 1 is its own ancestor"
    );
    assert_eq!(
        with([&[2], &[2], &[]]),
        "nodes[1].children[0]: node 2 has two parents"
    );
    assert_eq!(
        with([&[1], &[3], &[]]),
        "nodes[1].children[0]: 3, but there are 3"
    );
}

/// A file with one animated node; gives the keys of its one channel.
fn channel(build: impl FnOnce(&mut Sample) -> (usize, usize), interpolation: &str, path: &str) -> Sample {
    let mut sample = Sample::new();
    sample.push("nodes", json!({"name": "n"}));
    // So that there is a buffer in any case.
    sample.view(&[0; 4]);
    let (input, output) = build(&mut sample);
    sample.push(
        "animations",
        json!({
            "samplers": [{"input": input, "output": output, "interpolation": interpolation}],
            "channels": [{"sampler": 0, "target": {"node": 0, "path": path}}],
        }),
    );
    sample
}

#[test]
fn rotations_in_every_kind_of_number() {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let expected = [Quat::IDENTITY, Quat::from_xyzw(0.0, 0.0, half, half)];
    for (component, one, tolerance) in [
        (BYTE, 127.0, 0.01),
        (UNSIGNED_BYTE, 255.0, 0.01),
        (SHORT, 32767.0, 1e-4),
        (UNSIGNED_SHORT, 65535.0, 1e-4),
        (FLOAT, 0.0, 1e-7),
    ] {
        let sample = channel(
            |sample| {
                let numbers: Vec<f32> = expected.iter().flat_map(|q| q.to_array()).collect();
                let input = sample.floats("SCALAR", &[0.0, 1.0]);
                let output = if one == 0.0 {
                    sample.floats("VEC4", &numbers)
                } else {
                    #[expect(clippy::cast_possible_truncation, reason = "the format's own rounding")]
                    let integers: Vec<i32> = numbers
                        .iter()
                        .map(|number| (number * one).round() as i32)
                        .collect();
                    let size = if one < 256.0 { 1 } else { 2 };
                    let bytes: Vec<u8> = integers
                        .iter()
                        .flat_map(|number| number.to_le_bytes()[..size].to_vec())
                        .collect();
                    let output = sample.accessor("VEC4", component, 2, &bytes);
                    sample.set(output, "normalized", json!(true));
                    output
                };
                (input, output)
            },
            "LINEAR",
            "rotation",
        );
        let file = read(&sample);
        let Values::Rotation(found) = file.animations[0].channels[0].values() else {
            panic!("rotations")
        };
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                found.abs_diff_eq(expected, tolerance),
                "{component}: {found} is not {expected}"
            );
        }
        assert!(file.report.is_clean());
    }
}

#[test]
fn keys_out_of_order_are_sorted_with_their_values() {
    let build = |sample: &mut Sample| {
        let input = sample.floats("SCALAR", &[1.0, 0.0, 2.0, 1.5]);
        let output = sample.floats(
            "VEC3",
            &[1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 2.0, 2.0, 2.0, 1.5, 1.5, 1.5],
        );
        (input, output)
    };
    let file = read(&channel(build, "LINEAR", "translation"));
    let channel = &file.animations[0].channels[0];
    assert_eq!(channel.times()[..], [0.0, 1.0, 1.5, 2.0]);
    assert_eq!(
        *channel.values(),
        Values::Translation([0.0, 1.0, 1.5, 2.0].map(Vec3::splat).into())
    );
    let path = "animations[0].samplers[0].input".to_owned();
    assert_eq!(file.report.warnings, [GltfWarning::SortedKeys { path, keys: 2 }]);
    // Splines keep each key's tangents.
    let build = |sample: &mut Sample| {
        let input = sample.floats("SCALAR", &[1.0, 0.0]);
        let numbers: Vec<f32> = (0..18_u8).map(|k| f32::from(k / 3)).collect();
        (input, sample.floats("VEC3", &numbers))
    };
    let file = read(&self::channel(build, "CUBICSPLINE", "scale"));
    let order = [3.0, 4.0, 5.0, 0.0, 1.0, 2.0].map(Vec3::splat);
    assert_eq!(
        *file.animations[0].channels[0].values(),
        Values::Scale(order.into())
    );
}

#[test]
fn bad_keys_are_named() {
    let with = |times: &[f32], values: &[f32], interpolation: &str, path: &str| {
        let build = |sample: &mut Sample| {
            let kind = if path == "rotation" { "VEC4" } else { "VEC3" };
            (sample.floats("SCALAR", times), sample.floats(kind, values))
        };
        fails(&channel(build, interpolation, path))
    };
    let three = [0.0; 3];
    assert_eq!(
        with(&[0.0, f32::NAN], &[0.0; 6], "LINEAR", "scale"),
        "animations[0].samplers[0].input: element 1 is not finite"
    );
    assert_eq!(
        with(&[0.0], &[0.0, f32::INFINITY, 0.0], "LINEAR", "translation"),
        "animations[0].samplers[0].output: element 0 is not finite"
    );
    assert_eq!(
        with(&[0.0, 1.0], &three, "LINEAR", "translation"),
        "animations[0].samplers[0].output: 1 elements where 2 are needed"
    );
    assert_eq!(
        with(&[0.0], &three, "CUBICSPLINE", "translation"),
        "animations[0].samplers[0].output: 1 elements where 3 are needed"
    );
    assert_eq!(
        with(&[0.0], &[0.0; 4], "LINEAR", "rotation"),
        "animations[0].samplers[0].output: channel of joint 0: rotation of key 0 has length zero"
    );
    assert_eq!(
        with(&[0.0], &[0.0; 4], "LINEAR", "rotation").split(':').next(),
        Some("animations[0].samplers[0].output")
    );
    assert_eq!(
        with(&[], &[], "LINEAR", "scale"),
        "animations[0].samplers[0].input: scale channel of joint 0 has no keys"
    );
    let build = |sample: &mut Sample| (sample.floats("SCALAR", &[0.0]), sample.floats("VEC3", &three));
    let mut sample = channel(build, "LINEAR", "rotation");
    assert_eq!(
        fails(&sample),
        "animations[0].samplers[0].output: an accessor of F32 VEC3 where VEC4 is needed"
    );
    sample.json["animations"][0]["samplers"][0]["output"] = json!(9);
    assert_eq!(
        fails(&sample),
        "animations[0].samplers[0].output: 9, but there are 2"
    );
    sample.json["animations"][0]["channels"][0]["sampler"] = json!(1);
    assert_eq!(
        fails(&sample),
        "animations[0].channels[0].sampler: 1, but there are 1"
    );
    sample.json["animations"][0]["samplers"][0]["interpolation"] = json!("BEZIER");
    let error = fails(&sample);
    assert!(
        error.starts_with("animations[0].samplers[0].interpolation: unknown variant `BEZIER`"),
        "{error}"
    );
}

#[test]
fn rotations_that_are_not_unit_are_normalised_and_reported() {
    let build = |sample: &mut Sample| {
        let input = sample.floats("SCALAR", &[0.0, 1.0]);
        (
            input,
            sample.floats("VEC4", &[0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 1.0001, 0.0]),
        )
    };
    let mut sample = channel(build, "LINEAR", "rotation");
    sample.json["nodes"][0]["rotation"] = json!([0.5, 0, 0, 0]);
    let file = read(&sample);
    let turned = vec![Quat::IDENTITY, Quat::from_xyzw(0.0, 0.0, 1.0, 0.0)];
    assert_eq!(*file.animations[0].channels[0].values(), Values::Rotation(turned));
    assert_eq!(
        file.skeleton.rest_pose().get(JointId(0)).rotation,
        Quat::from_xyzw(1.0, 0.0, 0.0, 0.0)
    );
    let paths: Vec<&str> = file.report.warnings.iter().map(GltfWarning::path).collect();
    assert_eq!(paths, ["nodes[0].rotation", "animations[0].samplers[0].output"]);
    sample.json["nodes"][0]["rotation"] = json!([0, 0, 0, 0]);
    assert_eq!(
        fails(&sample),
        "nodes[0]: joint 0 (\"n\") has a rest rotation of length zero"
    );
    sample.json["nodes"][0]["rotation"] = json!([0, 0, 0, 1e39]);
    assert!(fails(&sample).starts_with("nodes[0]: joint 0 (\"n\") has a rest transform that is not finite"));
}

#[test]
fn properties_of_other_things_are_left_out() {
    let mut sample = full();
    let channels = sample.json["animations"][0]["channels"].as_array_mut().unwrap();
    channels[0]["target"] =
        json!({"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": "/x"}}});
    channels[1]["target"]["path"] = json!("colour");
    channels[3]["target"]["node"] = json!(0);
    let file = read(&sample);
    assert_eq!((file.animations[0].channels.len(), file.morphs.len()), (1, 0));
    let whys: Vec<String> = file.report.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        whys,
        [
            "animations[0].channels[0]: left out: it names no node",
            "animations[0].channels[1]: left out: only translation, rotation, scale and weights are read",
            "animations[0].channels[3]: left out: morph weights of a node without morph targets",
        ]
    );
}

#[test]
fn poses_are_those_of_the_formulae() {
    // The full sample at 0.25 s: a slerp half way, a step, and a Hermite spline, from the specification's appendix C.
    let file = read(&full());
    let mut pose = Pose::identity(file.skeleton.len());
    file.animations[0].sample(&file.skeleton, 0.25, &mut pose);
    let angle = 0.5 * 2.0 * 0.6_f64.asin();
    let turn = pose.get(JointId(0)).rotation;
    assert!((f64::from(turn.z) - (angle / 2.0).sin()).abs() < 1e-6);
    let tip = pose.get(JointId(1));
    assert_eq!(tip.translation, Vec3::Y);
    let (t, dt) = (0.5_f64, 0.5_f64);
    let scale = |k: u32| 1.0 + f64::from(k % 5) / 8.0;
    for axis in 0..3_u32 {
        // Key 0: in 0..3, value 3..6, out 6..9; key 1: in 9..12, value 12..15.
        let (v0, b0, a1, v1) = (
            scale(3 + axis),
            scale(6 + axis),
            scale(9 + axis),
            scale(12 + axis),
        );
        let (t2, t3) = (t * t, t * t * t);
        let expected = (2.0 * t3 - 3.0 * t2 + 1.0) * v0
            + dt * (t3 - 2.0 * t2 + t) * b0
            + (-2.0 * t3 + 3.0 * t2) * v1
            + dt * (t3 - t2) * a1;
        let found = f64::from(tip.scale[axis as usize]);
        assert!(
            (found - expected).abs() < 1e-6,
            "axis {axis}: {found} is not {expected}"
        );
    }
}
