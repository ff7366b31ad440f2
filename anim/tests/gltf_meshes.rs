//! What is read of glTF files: meshes and skins.
#![cfg(feature = "gltf")]
#![allow(clippy::missing_assert_message, reason = "tests")]

use elea_anim::{
    SkinError,
    glam::Vec3,
    gltf::{GltfError, GltfWarning, parse},
};
use gltf_sample::{BYTE, SHORT, Sample, UNSIGNED_BYTE, UNSIGNED_INT, UNSIGNED_SHORT, fails, full, read};
use serde_json::json;

mod gltf_sample;

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
