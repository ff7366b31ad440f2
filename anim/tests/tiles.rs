//! Tiles of a real figure.

#![allow(clippy::cast_possible_truncation, reason = "small counts")]

use std::{collections::BTreeSet, io::Write};

use elea_anim::{
    Influences, SkinInput, SkinOutput, SkinnedMesh,
    glam::{Mat3, Quat, Vec3, Vec4},
    skin, split_tiles,
};
use serde_json::Value;

/// The figure's mesh, or `None` where the shared data is absent.
fn cesium_man() -> Option<SkinnedMesh> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../shared/data/models/cesium_man.gltf"
    );
    let Ok(text) = std::fs::read(path) else {
        let _ = writeln!(std::io::stderr(), "SKIPPED: no {path}");
        return None;
    };
    let gltf: Value = serde_json::from_slice(&text).unwrap();
    let uri = gltf["buffers"][0]["uri"].as_str().unwrap();
    let buffer = from_base64(uri.split_once(',').unwrap().1);
    let primitive = &gltf["meshes"][0]["primitives"][0];
    let number = |value: &Value| value.as_u64().unwrap_or(0) as usize;
    // Elements of so many bytes, one after the other.
    let read = |accessor: &Value, size: usize| -> Vec<u8> {
        let accessor = &gltf["accessors"][number(accessor)];
        let view = &gltf["bufferViews"][number(&accessor["bufferView"])];
        let start = number(&view["byteOffset"]) + number(&accessor["byteOffset"]);
        let stride = if view["byteStride"].is_null() {
            size
        } else {
            number(&view["byteStride"])
        };
        let element = |index| &buffer[start + index * stride..][..size];
        (0..number(&accessor["count"]))
            .flat_map(element)
            .copied()
            .collect()
    };
    let attributes = &primitive["attributes"];
    let floats = |name: &str, count: usize| -> Vec<f32> {
        let bytes = read(&attributes[name], count * 4);
        bytes
            .as_chunks()
            .0
            .iter()
            .map(|&four| f32::from_le_bytes(four))
            .collect()
    };
    let shorts = |bytes: Vec<u8>| -> Vec<u16> {
        bytes
            .as_chunks()
            .0
            .iter()
            .map(|&two| u16::from_le_bytes(two))
            .collect()
    };
    let vectors = |name: &str| {
        floats(name, 3)
            .as_chunks()
            .0
            .iter()
            .map(|&three| Vec3::from_array(three))
            .collect()
    };
    let joints = shorts(read(&attributes["JOINTS_0"], 8));
    let (influences, _) = Influences::new(4, 19, joints, floats("WEIGHTS_0", 4)).unwrap();
    let indices = shorts(read(&primitive["indices"], 2));
    Some(SkinnedMesh {
        positions: vectors("POSITION"),
        normals: vectors("NORMAL"),
        tangents: vec![],
        influences,
        triangles: indices
            .as_chunks()
            .0
            .iter()
            .map(|three| three.map(u32::from))
            .collect(),
    })
}

fn from_base64(text: &str) -> Vec<u8> {
    let digits = text.bytes().filter_map(|letter| match letter {
        b'A'..=b'Z' => Some(letter - b'A'),
        b'a'..=b'z' => Some(letter - b'a' + 26),
        b'0'..=b'9' => Some(letter - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    });
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for digit in digits {
        bits = bits << 6 | u32::from(digit);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

/// How many tiles and vertices there are when triangles are taken in their order until the limit is reached.
fn in_index_order(mesh: &SkinnedMesh, max_bones: usize) -> (usize, usize) {
    let bones_of = |vertex: u32| {
        let influences = mesh.influences.of(vertex as usize);
        influences
            .filter(|(_, weight)| *weight > 0.0)
            .map(|(slot, _)| slot)
    };
    let mut tiles: Vec<(BTreeSet<u16>, BTreeSet<u32>)> = vec![<_>::default()];
    for corners in &mesh.triangles {
        let (mut bones, _) = tiles.last().unwrap().clone();
        bones.extend(corners.iter().copied().flat_map(bones_of));
        if bones.len() > max_bones {
            bones = corners.iter().copied().flat_map(bones_of).collect();
            tiles.push(<_>::default());
        }
        let tile = tiles.last_mut().unwrap();
        tile.0 = bones;
        tile.1.extend(corners);
    }
    (
        tiles.len(),
        tiles.iter().map(|(_, vertices)| vertices.len()).sum(),
    )
}

#[test]
fn cesium_man_at_twelve_bones() {
    let Some(mesh) = cesium_man() else { return };
    let whole = mesh.positions.len();
    // The numbers of tiles are the least possible: an exhaustive search found no cover with fewer.
    for (max_bones, least, most_vertices) in [
        (8, 6, 1.02),
        (12, 3, 1.01),
        (13, 2, 1.01),
        (16, 2, 1.01),
        (19, 1, 1.0),
    ] {
        let tree = split_tiles(&mesh, max_bones).unwrap();
        let (tiles, ratio) = (tree.tiles().count(), tree.vertices() as f64 / whole as f64);
        let plain = in_index_order(&mesh, max_bones);
        let _ = writeln!(
            std::io::stderr(),
            "{max_bones} bones: {tiles} tiles, {ratio:.4} of the vertices; in index order {} and {:.4}",
            plain.0,
            plain.1 as f64 / whole as f64
        );
        assert_eq!(tiles, least, "{max_bones} bones");
        assert!(
            ratio <= most_vertices,
            "{max_bones} bones: {ratio} of the vertices"
        );
        assert!(
            tiles <= plain.0 && tree.vertices() <= plain.1,
            "no worse than in index order: {plain:?}"
        );
    }
}

#[test]
fn every_vertex_skins_to_the_same_place() {
    let Some(mesh) = cesium_man() else { return };
    let palette: Vec<[Vec4; 3]> = (0..19_u8)
        .map(|slot| {
            let turn = Quat::from_scaled_axis(Vec3::new(0.1, 0.2, 0.3) * f32::from(slot));
            let matrix = Mat3::from_quat(turn).transpose();
            [
                matrix.x_axis.extend(0.1),
                matrix.y_axis.extend(0.2),
                matrix.z_axis.extend(0.3),
            ]
        })
        .collect();
    let run = |mesh: &SkinnedMesh, palette: &[[Vec4; 3]]| {
        let (mut positions, mut normals) = (mesh.positions.clone(), mesh.normals.clone());
        skin(
            palette,
            SkinInput {
                positions: &mesh.positions,
                normals: &mesh.normals,
                tangents: &[],
                influences: &mesh.influences,
            },
            SkinOutput {
                positions: &mut positions,
                normals: &mut normals,
                tangents: &mut [],
            },
        );
        (positions, normals)
    };
    let (positions, normals) = run(&mesh, &palette);
    for max_bones in [8, 12, 28] {
        let mut seen = vec![false; positions.len()];
        for tile in split_tiles(&mesh, max_bones).unwrap().tiles() {
            let mut own = vec![[Vec4::ZERO; 3]; tile.slots.len()];
            tile.palette(&palette, &mut own);
            let found = run(&tile.mesh(&mesh), &own);
            assert_eq!(
                found,
                (tile.gather(&positions), tile.gather(&normals)),
                "the same bits"
            );
            for &vertex in &tile.vertices {
                seen[vertex as usize] = true;
            }
        }
        assert!(
            seen.iter().all(|&seen| seen),
            "every vertex of the figure is in a tile"
        );
    }
}
