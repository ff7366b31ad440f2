//! What is read of glTF files, feature by feature.
#![cfg(feature = "gltf")]
#![allow(clippy::missing_assert_message, reason = "tests")]

use elea_anim::{
    Interpolation, JointId, Pose, SkinError, Values,
    glam::{Affine3A, Quat, Vec3},
    gltf::{self, Gltf, GltfError, GltfWarning, parse},
    local_to_model,
};
use gltf_sample::{BYTE, FLOAT, SHORT, Sample, UNSIGNED_BYTE, UNSIGNED_INT, UNSIGNED_SHORT, base64, full};
use serde_json::json;

mod gltf_sample;

fn read(sample: &Sample) -> Gltf {
    let text = parse(&sample.gltf()).unwrap_or_else(|error| panic!("{error}"));
    let binary = parse(&sample.glb()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(text, binary, "text and GLB");
    text
}

fn fails(sample: &Sample) -> String {
    let error = parse(&sample.gltf()).unwrap_err();
    assert_eq!(parse(&sample.glb()).unwrap_err(), error, "text and GLB");
    error.to_string()
}

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
fn indices_behind_the_last_triangle_are_reported() {
    let mut sample = full();
    sample.json["meshes"][0]["primitives"][0]["mode"] = json!(4);
    let indices = sample.json["meshes"][0]["primitives"][0]["indices"]
        .as_u64()
        .unwrap();
    sample.set(usize::try_from(indices).unwrap(), "count", json!(8));
    let file = read(&sample);
    assert_eq!(file.meshes[0].mesh.triangles.len(), 2);
    assert!(file.report.warnings.contains(&GltfWarning::LeftoverIndices {
        path: "meshes[0].primitives[0]".into(),
        indices: 2
    }));
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
        "animations[0].samplers[0].input: channel of joint 0 has no keys"
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

/// A mesh of one primitive with these attributes, on a node with a skin of two joints.
fn mesh(attributes: impl FnOnce(&mut Sample) -> serde_json::Value) -> Sample {
    let mut sample = Sample::new();
    sample.push("nodes", json!({"mesh": 0, "skin": 0}));
    sample.push("nodes", json!({"children": [2]}));
    sample.push("nodes", json!({}));
    sample.push("skins", json!({"joints": [1, 2]}));
    let attributes = attributes(&mut sample);
    sample.push("meshes", json!({"primitives": [{"attributes": attributes}]}));
    sample
}

#[test]
fn quantised_attributes_are_numbers_again() {
    let sample = mesh(|sample| {
        // Positions in 16 bits as they are, with a gap behind each; normals in 8 bits, normalised.
        let positions = sample.shorts("VEC3", SHORT, 3, &[1, -2, 3, 0, 0, 0, 0, 0, -32768, 5, 5, 0]);
        let view = sample.json["accessors"][positions]["bufferView"]
            .as_u64()
            .unwrap();
        sample.json["bufferViews"][usize::try_from(view).unwrap()]["byteStride"] = json!(8);
        let normals = sample.accessor("VEC3", BYTE, 3, &[127, 0, 0, 0x81, 0, 0, 0x80, 0, 0]);
        sample.set(normals, "normalized", json!(true));
        let joints = sample.shorts("VEC4", UNSIGNED_SHORT, 3, &[1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
        let weights = sample.accessor(
            "VEC4",
            UNSIGNED_BYTE,
            3,
            &[255, 0, 0, 0, 128, 127, 0, 0, 255, 0, 0, 0],
        );
        sample.set(weights, "normalized", json!(true));
        json!({"POSITION": positions, "NORMAL": normals, "JOINTS_0": joints, "WEIGHTS_0": weights})
    });
    let file = read(&sample);
    let mesh = &file.meshes[0].mesh;
    assert_eq!(
        mesh.positions,
        [
            Vec3::new(1.0, -2.0, 3.0),
            Vec3::ZERO,
            Vec3::new(-32768.0, 5.0, 5.0)
        ]
    );
    assert_eq!(mesh.normals, [Vec3::X, -Vec3::X, -Vec3::X]);
    let weight = mesh.influences.of(1).next().unwrap();
    assert_eq!(weight, (1, 128.0 * (1.0 / 255.0)));
    assert_eq!(mesh.influences.to_bytes(), mesh.influences, "kept in 8 bits");
    assert!(file.report.is_clean());
}

#[test]
fn sparse_accessors_replace_elements() {
    let sample = mesh(|sample| {
        let positions = sample.floats("VEC3", &[1.0; 9]);
        let indices = sample.view(&[1, 0]);
        let values: Vec<u8> = [7.0_f32, 8.0, 9.0]
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        let values = sample.view(&values);
        sample.set(
            positions,
            "sparse",
            json!({"count": 1, "indices": {"bufferView": indices, "componentType": UNSIGNED_SHORT},
                   "values": {"bufferView": values}}),
        );
        let joints = sample.accessor("VEC4", UNSIGNED_BYTE, 3, &[0; 12]);
        let weights = sample.floats("VEC4", &[0.25; 12]);
        json!({"POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights})
    });
    let file = read(&sample);
    assert_eq!(
        file.meshes[0].mesh.positions,
        [Vec3::ONE, Vec3::new(7.0, 8.0, 9.0), Vec3::ONE]
    );
    let mut bad = sample;
    bad.json["accessors"][0]["sparse"]["count"] = json!(2);
    assert!(fails(&bad).starts_with("accessors[0].sparse.indices: needs 4 bytes, but there are 2"));
    bad.json["accessors"][0]["sparse"]["count"] = json!(1);
    bad.json["accessors"][0]["count"] = json!(1);
    let error = fails(&bad);
    assert!(
        error.ends_with(
            "attributes.POSITION: sparse index 1 of element 0: indices must grow and stay below 1"
        ),
        "{error}"
    );
}

#[test]
fn more_than_eight_influences_keep_the_largest() {
    let sample = mesh(|sample| {
        let positions = sample.floats("VEC3", &[0.0; 9]);
        let mut attributes = json!({"POSITION": positions});
        for set in 0..3 {
            let joints = sample.accessor("VEC4", UNSIGNED_BYTE, 3, &[set % 2; 12]);
            let weights = match set {
                0 => [0.05; 12],
                1 => [0.1; 12],
                _ => [0.1, 0.1, 0.1, 0.1, 0.0, 0.0, 0.0, 0.0, 0.1, 0.1, 0.1, 0.1],
            };
            let weights = sample.floats("VEC4", &weights);
            attributes[format!("JOINTS_{set}")] = json!(joints);
            attributes[format!("WEIGHTS_{set}")] = json!(weights);
        }
        attributes
    });
    let file = read(&sample);
    let influences = &file.meshes[0].mesh.influences;
    assert_eq!(influences.per_vertex(), 8);
    for (_, weight) in influences.of(0) {
        assert!((weight - 0.125).abs() < 1e-6);
    }
    let path = "meshes[0].primitives[0]".to_owned();
    assert_eq!(
        file.report.warnings,
        [GltfWarning::DroppedInfluences { path, vertices: 2 }]
    );
}

#[test]
fn skins_that_do_not_fit_are_errors() {
    let with = |joint: u8, weight: f32| {
        mesh(|sample| {
            let positions = sample.floats("VEC3", &[0.0; 9]);
            let joints = sample.accessor("VEC4", UNSIGNED_BYTE, 3, &[joint; 12]);
            let weights = sample.floats("VEC4", &[weight; 12]);
            json!({"POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights})
        })
    };
    assert_eq!(
        parse(&with(2, 0.25).glb()),
        Err(GltfError::Skin {
            path: "meshes[0].primitives[0]".into(),
            source: SkinError::NoSuchSlot {
                vertex: 0,
                slot: 2,
                slots: 2
            }
        })
    );
    assert_eq!(
        fails(&with(1, -0.25)),
        "meshes[0].primitives[0]: vertex 0 has a weight that is negative or not finite"
    );
    // No weight at all: the first joint, and a word on it.
    let file = read(&with(1, 0.0));
    assert_eq!(file.meshes[0].mesh.influences.of(2).next(), Some((1, 1.0)));
    let path = "meshes[0].primitives[0]".to_owned();
    assert_eq!(
        file.report.warnings,
        [GltfWarning::UnweightedVertices { path, vertices: 3 }]
    );
    let mut short = full();
    short.set(7, "count", json!(1));
    assert_eq!(
        fails(&short),
        "skins[0].inverseBindMatrices: 1 elements where 2 are needed"
    );
}

#[test]
fn strips_and_fans_are_triangles() {
    let with = |mode: u32| {
        let mut sample = Sample::new();
        sample.push("nodes", json!({"mesh": 0}));
        let positions = sample.floats("VEC3", &[0.0; 15]);
        let indices: Vec<u8> = [4_u32, 3, 2, 1, 0]
            .iter()
            .flat_map(|index| index.to_le_bytes())
            .collect();
        let indices = sample.accessor("SCALAR", UNSIGNED_INT, 5, &indices);
        let primitive = json!({"attributes": {"POSITION": positions}, "indices": indices, "mode": mode});
        sample.push("meshes", json!({"primitives": [primitive]}));
        read(&sample)
    };
    // The specification's formulae: strip p_i = {i, i + (1 + i % 2), i + (2 - i % 2)}, fan p_i = {i + 1, i + 2, 0}.
    assert_eq!(
        with(5).meshes[0].mesh.triangles,
        [[4, 3, 2], [3, 1, 2], [2, 1, 0]]
    );
    assert_eq!(
        with(6).meshes[0].mesh.triangles,
        [[3, 2, 4], [2, 1, 4], [1, 0, 4]]
    );
    let points = with(0);
    assert!(points.meshes.is_empty());
    assert_eq!(
        points.report.warnings[0].to_string(),
        "meshes[0].primitives[0]: left out: points and lines are not read"
    );
}

#[test]
fn shared_meshes_are_read_once() {
    let mut sample = full();
    for _ in 0..10 {
        sample.push("nodes", json!({"mesh": 1}));
    }
    let file = read(&sample);
    assert_eq!(
        (file.meshes.len(), file.instances.len(), file.skins.len()),
        (2, 12, 12)
    );
}

#[test]
fn buffers_in_every_place() {
    let folder = std::env::temp_dir().join(format!("elea-gltf-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("sub folder")).unwrap();
    let sample = full();
    let expected = read(&sample);
    std::fs::write(folder.join("sub folder/data.bin"), &sample.bytes).unwrap();
    let path = folder.join("file.gltf");
    std::fs::write(&path, sample.gltf_with("sub%20folder/data.bin")).unwrap();
    assert_eq!(gltf::load(&path).unwrap(), expected);
    // Without a place there are no files.
    let error = parse(&sample.gltf_with("data.bin")).unwrap_err();
    assert_eq!(error.path(), Some("buffers[0].uri"));
    assert!(error.to_string().contains("use load"), "{error}");
    for (uri, part) in [
        ("missing.bin", "missing.bin: "),
        ("sub%20folder", "not a file"),
        ("https://example.org/data.bin", "nothing else is read"),
        ("/etc/passwd", "nothing else is read"),
        ("data:;base64,AA!A", "broken base64"),
        ("data:nothing", "without a comma"),
        ("%ff.bin", "not UTF-8"),
    ] {
        std::fs::write(&path, sample.gltf_with(uri)).unwrap();
        let error = gltf::load(&path).unwrap_err();
        assert_eq!(error.path(), Some("buffers[0].uri"), "{error}");
        assert!(error.to_string().contains(part), "{uri}: {error}");
    }
    // Padding missing, escapes, line breaks, data as text.
    let data = base64(&sample.bytes);
    let bare = data.trim_end_matches('=').replace('+', "%2B");
    let (head, tail) = bare.split_at(20);
    let text = sample.gltf_with(&format!("data:;base64,{head}\n{tail}"));
    assert_eq!(parse(&text).unwrap(), expected);
    let escaped: String = sample.bytes.iter().map(|byte| format!("%{byte:02x}")).collect();
    assert_eq!(
        parse(&sample.gltf_with(&format!("data:,{escaped}"))).unwrap(),
        expected
    );
    std::fs::write(folder.join("sub folder/data.bin"), &sample.bytes[..100]).unwrap();
    std::fs::write(&path, sample.gltf_with("sub%20folder/data.bin")).unwrap();
    let error = gltf::load(&path).unwrap_err().to_string();
    assert!(error.starts_with("buffers[0].byteLength: needs"), "{error}");
    assert!(error.ends_with("but there are 100"), "{error}");
    assert!(matches!(
        gltf::load(folder.join("no.gltf")),
        Err(GltfError::File { .. })
    ));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn containers_that_are_broken() {
    let message = |bytes: &[u8]| parse(bytes).unwrap_err().to_string();
    let not = "not a glTF file: it starts neither with \"glTF\" nor with \"{\"";
    assert_eq!(message(b""), not);
    assert_eq!(message(b"HIERARCHY"), not);
    assert_eq!(
        message(b"glTF"),
        "broken GLB file: its header has 12 bytes, but it has 4 bytes"
    );
    assert_eq!(
        message(b"glTF\x01\0\0\0\x0c\0\0\0"),
        "glTF version 1; only version 2 can be read"
    );
    // A header that says less than the header.
    assert_eq!(
        message(b"glTF\x02\0\0\0\x05\0\0\0"),
        "broken GLB file: it needs a JSON chunk, but it has 12 bytes"
    );
    let good = full().glb();
    assert_eq!(
        message(&good[..100]),
        format!(
            "broken GLB file: its header says {} bytes, but it has 100 bytes",
            good.len()
        )
    );
    let mut long = good.clone();
    long[12..16].copy_from_slice(&[0xff; 4]);
    assert!(message(&long).starts_with("broken GLB file: a chunk says 4294967295 bytes"));
    // Bytes behind the end mean nothing.
    let mut more = good.clone();
    more.extend(b"more");
    assert_eq!(parse(&more), parse(&good));
    assert_eq!(
        message(br#"{"asset": {"version": "1.0"}}"#),
        "glTF version 1.0; only version 2 can be read"
    );
    assert_eq!(
        message(b"{"),
        ".: EOF while parsing an object (line 1, column 1 of the JSON)"
    );
    assert!(
        message(br#"{"asset": {"version": "2.0"}, "nodes": [{"children": [-1]}]}"#)
            .starts_with("nodes[0].children[0]: invalid value: integer `-1`")
    );
    let deep = format!(
        "{{\"asset\": {{\"version\": \"2.0\"}}, \"extras\": {}",
        "[".repeat(100_000)
    );
    assert!(parse(deep.as_bytes()).is_err());
    assert!(parse(b"\xef\xbb\xbf {\"asset\": {\"version\": \"2.1\"}}").is_ok());
}

/// Files that the specification allows and that a strict reading of its schema trips over.
#[test]
fn legal_rarities() {
    for text in [
        r#"{"asset": {"version": "2.0"}, "scenes": [{}]}"#,
        r#"{"asset": {"version": "2.0"}, "nodes": [{"extras": "text"}, {"extras": 5}, {"extras": [1]}]}"#,
        r#"{"asset": {"version": "2.0"}, "meshes": [{"primitives": [], "extras": "no names"}], "nodes": [{"mesh": 0}]}"#,
        r#"{"asset": {"version": "2.0"}, "extensionsRequired": ["KHR_materials_unlit", "KHR_mesh_quantization"]}"#,
        r#"{"asset": {"version": "2.0"}, "unknown": {"deep": [[[]]]}}"#,
    ] {
        parse(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
    let draco = br#"{"asset": {"version": "2.0"}, "extensionsRequired": ["KHR_draco_mesh_compression"]}"#;
    assert_eq!(
        parse(draco).unwrap_err().to_string(),
        "extensionsRequired[0]: the file needs the extension KHR_draco_mesh_compression: export it without"
    );
}

#[test]
fn what_accessors_claim_is_checked() {
    let mut sample = full();
    let position = 0;
    sample.set(position, "count", json!(9_007_199_254_740_991_u64));
    assert!(
        fails(&sample).starts_with("accessors[0]: needs"),
        "{}",
        fails(&sample)
    );
    sample.set(position, "count", json!(u64::MAX));
    assert!(fails(&sample).starts_with("accessors[0]: needs 18446744073709551615 bytes"));
    sample.set(position, "byteOffset", json!(u64::MAX));
    assert!(fails(&sample).starts_with("accessors[0].byteOffset: needs"));
    sample.set(position, "bufferView", json!(99));
    assert!(fails(&sample).starts_with("accessors[0].bufferView: 99, but there are"));
    let mut sample = full();
    sample.json["bufferViews"][0]["byteLength"] = json!(u64::MAX);
    assert!(fails(&sample).starts_with("bufferViews[0]: needs 18446744073709551615 bytes"));
    sample.json["bufferViews"][0]["buffer"] = json!(1);
    assert!(fails(&sample).starts_with("bufferViews[0].buffer: 1, but there are 1"));
    let mut sample = full();
    sample.json["bufferViews"][0]["byteStride"] = json!(4);
    assert!(fails(&sample).starts_with("accessors[0]: needs"));
    // An accessor without a view is all zero, however many it claims.
    let mut sample = full();
    sample.json["accessors"][0]
        .as_object_mut()
        .unwrap()
        .remove("bufferView");
    sample.set(0, "count", json!(1_u64 << 40));
    // The limit depends on the file's size, which differs between text and GLB.
    let error = parse(&sample.glb()).unwrap_err().to_string();
    assert!(
        error.starts_with("meshes[0].primitives[0].attributes.POSITION: the file's accessors add up"),
        "{error}"
    );
    sample.set(0, "componentType", json!(5124));
    assert!(fails(&sample).contains("an accessor of component type 5124 VEC3 where VEC3 is needed"));
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
