use std::collections::BTreeSet;

use glam::{Affine3A, Vec3};

use super::*;
use crate::{JointId, SkinInput, SkinOutput, skin};

/// A number of 0..count, the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, count: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % count
    }

    fn unit(&mut self) -> f32 {
        u16::try_from(self.roll(65_536)).map(f32::from).unwrap() / 65_535.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.unit(), self.unit(), self.unit()) * 2.0 - 1.0
    }
}

/// A grid of `width` * `height` quads; each vertex follows up to `per_vertex` bones near it.
fn sheet(dice: &mut Dice, width: usize, height: usize, per_vertex: usize, bones: usize) -> SkinnedMesh {
    let columns = width + 1;
    let vertices = columns * (height + 1);
    let (mut joints, mut weights) = (Vec::new(), Vec::new());
    for vertex in 0..vertices {
        let near = vertex % columns * bones / columns;
        for _ in 0..per_vertex {
            joints.push(u16::try_from((near + dice.roll(3)).min(bones - 1)).unwrap());
            weights.push(if dice.roll(3) == 0 { 0.0 } else { dice.unit() });
        }
    }
    let index = |x: usize, y: usize| u32::try_from(y * columns + x).unwrap();
    let triangles = (0..width * height).flat_map(|quad| {
        let (x, y) = (quad % width, quad / width);
        [
            [index(x, y), index(x + 1, y), index(x, y + 1)],
            [index(x + 1, y), index(x + 1, y + 1), index(x, y + 1)],
        ]
    });
    SkinnedMesh {
        triangles: triangles.collect(),
        positions: (0..vertices).map(|_| dice.vector()).collect(),
        normals: (0..vertices).map(|_| dice.vector()).collect(),
        tangents: (0..vertices).map(|_| dice.vector().extend(1.0)).collect(),
        influences: Influences::new(per_vertex, bones, joints, weights).unwrap().0,
    }
}

fn skinned(mesh: &SkinnedMesh, palette: &[[Vec4; 3]]) -> (Vec<Vec3>, Vec<Vec3>, Vec<Vec4>) {
    let mut out = (
        mesh.positions.clone(),
        mesh.normals.clone(),
        mesh.tangents.clone(),
    );
    skin(
        palette,
        SkinInput {
            positions: &mesh.positions,
            normals: &mesh.normals,
            tangents: &mesh.tangents,
            influences: &mesh.influences,
        },
        SkinOutput {
            positions: &mut out.0,
            normals: &mut out.1,
            tangents: &mut out.2,
        },
    );
    out
}

#[test]
fn tiles_hold_every_triangle_once_and_skin_to_the_same_bits() {
    let mut dice = Dice(1);
    for round in 0..40_usize {
        let (bones, per_vertex) = (4 + dice.roll(60), 1 + dice.roll(8));
        let (width, height) = (1 + dice.roll(20), 1 + dice.roll(8));
        let mut mesh = sheet(&mut dice, width, height, per_vertex, bones);
        if round % 2 == 1 {
            mesh.influences = mesh.influences.to_bytes();
        }
        if round % 5 == 0 {
            (mesh.normals, mesh.tangents) = (vec![], vec![]);
        }
        // A triangle's corners are near three columns of bones.
        let max_bones = 12 + dice.roll(20);
        let tree = split_tiles(&mesh, max_bones).unwrap();
        let rows: Vec<[Vec4; 3]> = (0..bones)
            .map(|_| [0; 3].map(|_| dice.vector().extend(dice.unit())))
            .collect();
        let whole = skinned(&mesh, &rows);
        let mut seen = BTreeSet::new();
        for tile in tree.tiles() {
            assert!(
                tile.slots.len() <= max_bones,
                "{} slots of {max_bones}",
                tile.slots.len()
            );
            assert!(
                tile.slots.is_sorted() && tile.source_triangles.is_sorted(),
                "ascending"
            );
            assert_eq!(tile.influences.slots(), tile.slots.len());
            for (corners, &source) in tile.triangles.iter().zip(&tile.source_triangles) {
                let back = corners.map(|vertex| tile.vertices[vertex as usize]);
                assert_eq!(back, mesh.triangles[source as usize], "triangle {source}");
                assert!(seen.insert(source), "triangle {source} twice");
            }
            let mut palette = vec![[Vec4::ZERO; 3]; tile.slots.len()];
            tile.palette(&rows, &mut palette);
            let (positions, normals, tangents) = skinned(&tile.mesh(&mesh), &palette);
            assert_eq!(positions, tile.gather(&whole.0));
            if round % 5 != 0 {
                assert_eq!(
                    (normals, tangents),
                    (tile.gather(&whole.1), tile.gather(&whole.2))
                );
            }
        }
        assert_eq!(seen.len(), mesh.triangles.len(), "every triangle is there");
        assert_eq!(split_tiles(&mesh, max_bones).unwrap(), tree, "the same again");
    }
}

#[test]
fn a_limit_that_all_bones_meet_makes_one_tile() {
    let mesh = sheet(&mut Dice(2), 12, 4, 4, 20);
    let tree = split_tiles(&mesh, 20).unwrap();
    assert_eq!((tree.tiles().count(), tree.vertices()), (1, mesh.positions.len()));
}

/// 16 bones in a row, triangles in shuffled order: four tiles of six bones overlap by two, as a triangle's
/// corners reach over three bones; three would have 18 slots and need 20.
#[test]
fn a_chain_of_bones_is_cut_across_whatever_the_triangles_order() {
    let mut dice = Dice(3);
    let bones = 16_usize;
    let slots: Vec<u16> = (0..16).flat_map(|bone| [bone; 2]).collect();
    let (influences, _) = Influences::new(1, bones, slots, vec![1.0; 2 * bones]).unwrap();
    let mut triangles: Vec<[u32; 3]> = (0..28).map(|v| [v, v + 2, v + 4]).collect();
    for index in (1..triangles.len()).rev() {
        triangles.swap(index, dice.roll(index + 1));
    }
    let mesh = SkinnedMesh {
        positions: vec![Vec3::ZERO; 2 * bones],
        normals: vec![],
        tangents: vec![],
        influences,
        triangles,
    };
    let tree = split_tiles(&mesh, 6).unwrap();
    assert_eq!(tree.tiles().count(), 4);
    // Three seams of two bones with two vertices each.
    assert_eq!(tree.vertices(), 2 * bones + 3 * 4);
}

#[test]
fn a_triangle_that_needs_too_much_is_named() {
    let (influences, _) =
        Influences::new(2, 9, vec![8, 1, 2, 1, 4, 3], vec![0.5, 0.5, 1.0, 0.0, 0.7, 0.3]).unwrap();
    let mesh = |triangles: Vec<[u32; 3]>| SkinnedMesh {
        positions: vec![Vec3::ZERO; 3],
        normals: vec![],
        tangents: vec![],
        influences: influences.clone(),
        triangles,
    };
    let wide = mesh(vec![[1, 1, 2], [2, 1, 0]]);
    let error = split_tiles(&wide, 4).unwrap_err();
    assert_eq!(
        error,
        TileError::TriangleNeedsMore {
            part: 0,
            triangle: 1,
            bones: vec![1, 2, 3, 4, 8],
            max_bones: 4
        }
    );
    assert_eq!(
        error.to_string(),
        "triangle 1 of part 0 needs 5 bones [1, 2, 3, 4, 8]; a tile may have 4"
    );
    assert_eq!(
        split_tiles(&wide, 5).unwrap().tiles().count(),
        1,
        "one more is enough"
    );
    assert!(split_tiles(&wide, 0).is_err(), "no bones at all");
    assert_eq!(
        split_tiles(&mesh(vec![]), 0).unwrap().tiles().count(),
        0,
        "nothing to draw"
    );
    let broken = split_tiles(&mesh(vec![[0, 1, 3]]), 5).unwrap_err();
    assert_eq!(
        broken.to_string(),
        "part 0: triangle 0 names vertex 3, but the mesh has 3"
    );
}

/// 2,000 bones, of which a vertex names the last: slots of a tile are its own, and few.
#[test]
fn slots_are_local_to_the_tile_however_many_joints_there_are() {
    let bones = 2000_u16;
    let slots: Vec<u16> = (0..bones).collect();
    let (influences, _) = Influences::new(1, 2000, slots, vec![1.0; 2000]).unwrap();
    let mesh = SkinnedMesh {
        positions: vec![Vec3::X; 2000],
        normals: vec![],
        tangents: vec![],
        influences,
        triangles: (0..666)
            .map(|triangle| [0, 1, 2].map(|corner| triangle * 3 + corner))
            .collect(),
    };
    let tree = split_tiles(&mesh, 28).unwrap();
    assert_eq!(
        tree.tiles().count(),
        666_usize.div_ceil(9),
        "nine triangles of three bones in 28"
    );
    let joints: Vec<JointId> = (0..bones).rev().map(JointId).collect();
    let matrices = joints
        .iter()
        .map(|joint| Affine3A::from_translation(Vec3::Y * f32::from(joint.0)));
    let whole = SkinBinding::new(joints.clone(), matrices.collect()).unwrap();
    for tile in tree.tiles() {
        assert!(tile.influences.joints().iter().all(|&slot| slot < 28), "local");
        let binding = tile.binding(&whole);
        for (&slot, (joint, matrix)) in tile
            .slots
            .iter()
            .zip(binding.joints().iter().zip(binding.inverse_bind()))
        {
            assert_eq!(joint.0, bones - 1 - slot);
            assert_eq!(matrix.translation.y, f32::from(joint.0));
        }
        let packed = tile.influences.packed().unwrap();
        assert!(
            packed.iter().all(|vertex| vertex.weights == [255, 0, 0, 0]),
            "one bone each"
        );
    }
}

#[test]
fn parts_are_ordered_by_material_and_level() {
    let mut dice = Dice(4);
    let fine = sheet(&mut dice, 12, 6, 2, 24);
    let coarse = sheet(&mut dice, 6, 2, 2, 24);
    let part = |mesh, material, level| SkinnedPart {
        mesh,
        material,
        level,
    };
    let parts = [
        part(&coarse, 9, 2),
        part(&fine, 4, 0),
        part(&fine, 9, 0),
        part(&coarse, 4, 1),
        part(&fine, 9, 0),
    ];
    let tree = split_parts(&parts, 12).unwrap();
    let order: Vec<(u32, u32)> = tree
        .materials
        .iter()
        .flat_map(|material| {
            material
                .levels
                .iter()
                .map(|level| (material.material, level.level))
        })
        .collect();
    assert_eq!(order, [(4, 0), (4, 1), (9, 0), (9, 2)]);
    let parts_of: Vec<usize> = tree.tiles().map(|tile| tile.part).collect();
    let mut expected = parts_of.clone();
    expected.sort_by_key(|part| [4, 0, 2, 1, 3][*part]);
    assert_eq!(parts_of, expected);
    let at = |level| {
        let mut parts: Vec<(u32, usize)> = tree.at_level(level).map(|(m, tile)| (m, tile.part)).collect();
        parts.dedup();
        parts
    };
    assert_eq!(at(0), [(4, 1), (9, 2), (9, 4)]);
    assert_eq!(
        at(1),
        [(4, 3), (9, 2), (9, 4)],
        "the second material has no level 1"
    );
    assert_eq!(at(7), [(4, 3), (9, 0)]);
    let only_coarse = split_parts(&parts[..1], 12).unwrap();
    assert!(only_coarse.at_level(0).count() > 0, "the finest there is");
    let bad = SkinnedMesh {
        normals: vec![Vec3::X],
        ..coarse.clone()
    };
    let error = split_parts(&[parts[0], part(&bad, 0, 0)], 12).unwrap_err();
    assert_eq!(
        error.to_string(),
        "part 1: normals: 1, but the mesh has 21 vertices"
    );
}

#[test]
fn packed_vertices_unpack_to_what_they_were() {
    let mut dice = Dice(5);
    for per_vertex in 1..=8 {
        let vertices = 200;
        let joints: Vec<u16> = (0..vertices * per_vertex)
            .map(|_| u16::try_from(dice.roll(64)).unwrap())
            .collect();
        let weights = (0..vertices * per_vertex)
            // No more than four count.
            .map(|index| if index % per_vertex < 4 { dice.unit() } else { 0.0 })
            .collect();
        let (influences, _) = Influences::new(per_vertex, 64, joints, weights).unwrap();
        for (vertex, packed) in influences.packed().unwrap().iter().enumerate() {
            assert_eq!(
                packed
                    .weights
                    .iter()
                    .map(|&weight| u32::from(weight))
                    .sum::<u32>(),
                255
            );
            let slots = unpack_slots(packed.slots);
            let of = |influence: usize| u32::from(slots[influence]);
            assert_eq!(packed.slots, of(0) + 64 * of(1) + 4096 * of(2) + 262_144 * of(3));
            #[expect(
                clippy::cast_precision_loss,
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "that it is exact is what is shown"
            )]
            let through_float = packed.slots as f32 as u32;
            assert_eq!(through_float, packed.slots, "exact in f32");
            let used = influences.of(vertex).filter(|(_, weight)| *weight > 0.0);
            for (place, (slot, weight)) in used.enumerate() {
                assert_eq!(slots[place], slot);
                let off = (f32::from(packed.weights[place]) / 255.0 - weight).abs();
                assert!(off < 1.0 / 255.0, "{weight} became {}", packed.weights[place]);
            }
        }
    }
    assert_eq!(unpack_slots((1 << 24) - 1), [63; 4]);
    let error = |per_vertex, joints: &[u16], weights: &[f32]| {
        let (influences, _) = Influences::new(per_vertex, 65, joints.into(), weights.into()).unwrap();
        influences.packed().unwrap_err().to_string()
    };
    assert_eq!(
        error(1, &[0, 64], &[1.0; 2]),
        "vertex 1 names slot 64; packed slots are 0 to 63"
    );
    assert_eq!(
        error(5, &[0; 5], &[0.2; 5]),
        "vertex 0 has 5 influences; up to 4 can be packed"
    );
}
