//! Tiles of a real figure.

#![cfg(feature = "gltf")]

use std::{collections::BTreeSet, io::Write};

use elea_anim::{
    SkinInput, SkinOutput, SkinnedMesh,
    glam::{Mat3, Quat, Vec3, Vec4},
    gltf, skin, split_tiles,
};

/// The figure's mesh, or `None` where the shared data is absent.
fn cesium_man() -> Option<SkinnedMesh> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../shared/data/models/cesium_man.gltf"
    );
    if !std::path::Path::new(path).exists() {
        let _ = writeln!(std::io::stderr(), "SKIPPED: no {path}");
        return None;
    }
    let mut file = gltf::load(path).unwrap();
    Some(file.meshes.swap_remove(0).mesh)
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
