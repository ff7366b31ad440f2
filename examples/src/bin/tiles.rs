//! A figure with 49 bones is cut into tiles for small palettes: a table, and a picture with a colour for each tile.
//!
//! `cargo run --release -p elea-examples --bin tiles [FILE.png]`

use std::collections::BTreeSet;
use std::error::Error;
use std::process::ExitCode;

use elea_anim::{Influences, SkinnedMesh, TileTree, split_tiles};
use elea_examples::canvas::Canvas;
use elea_examples::{drawing, file};
use glam::{Vec2, Vec3};

const LIMBS: u16 = 6;
const BONES_PER_LIMB: u16 = 8;
/// Rings along a limb, and vertices around it.
const RINGS: u16 = 31;
const AROUND: u16 = 10;

/// A star of limbs around one body bone. Bone 0 is the body; each ring follows the two bones nearest to it.
fn star() -> Result<SkinnedMesh, Box<dyn Error>> {
    let (mut positions, mut slots, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    let mut triangles = Vec::new();
    for limb in 0..LIMBS {
        let turn = std::f32::consts::TAU * f32::from(limb) / f32::from(LIMBS);
        let along = Vec2::from_angle(turn).extend(0.0);
        let across = Vec3::Z.cross(along);
        for ring in 0..RINGS {
            let place = f32::from(ring) / f32::from(RINGS - 1);
            let bone = place * f32::from(BONES_PER_LIMB);
            // Bone k of the limb reaches from k / 8 to (k + 1) / 8; before the first is the body.
            let first = (ring * BONES_PER_LIMB / (RINGS - 1)).min(BONES_PER_LIMB - 1);
            let slot_of = |bone: u16| (limb * BONES_PER_LIMB + bone) * u16::from(bone > 0);
            for corner in 0..AROUND {
                let angle = std::f32::consts::TAU * f32::from(corner) / f32::from(AROUND);
                let radius = 0.09 - 0.06 * place;
                let out = across * angle.cos() + Vec3::Z * angle.sin();
                positions.push(along * (0.15 + 0.8 * place) + out * radius);
                slots.extend([slot_of(first), slot_of(first + 1)]);
                weights.extend([1.0 - (bone - f32::from(first)), bone - f32::from(first)]);
                if ring + 1 < RINGS {
                    let index = |ring: u16, corner: u16| {
                        u32::from(limb * RINGS + ring) * u32::from(AROUND) + u32::from(corner % AROUND)
                    };
                    let (a, b) = (index(ring, corner), index(ring, corner + 1));
                    let (c, d) = (index(ring + 1, corner), index(ring + 1, corner + 1));
                    triangles.extend([[a, b, c], [b, d, c]]);
                }
            }
        }
    }
    // As an exporter might leave them: not limb by limb.
    triangles.sort_by_key(|[a, ..]| (a % 97, *a));
    let bones = usize::from(1 + LIMBS * BONES_PER_LIMB);
    let (influences, _) = Influences::new(2, bones, slots, weights)?;
    Ok(SkinnedMesh {
        positions,
        normals: vec![],
        tangents: vec![],
        influences,
        triangles,
    })
}

/// Tiles when triangles are taken in their order until the limit is reached.
fn in_index_order(mesh: &SkinnedMesh, limit: usize) -> usize {
    let (mut tiles, mut bones) = (1, BTreeSet::new());
    for corners in &mesh.triangles {
        let of = |corner: &u32| mesh.influences.of(*corner as usize).filter(|of| of.1 > 0.0);
        let own: BTreeSet<u16> = corners.iter().flat_map(of).map(|(slot, _)| slot).collect();
        bones.extend(&own);
        if bones.len() > limit {
            (tiles, bones) = (tiles + 1, own);
        }
    }
    tiles
}

fn draw(mesh: &SkinnedMesh, tree: &TileTree, path: &str) -> Result<(), Box<dyn Error>> {
    let mut canvas = Canvas::new(640, 640, Vec2::splat(320.0), 310.0);
    for (index, tile) in (0_u8..).zip(tree.tiles()) {
        let color = [37_u8, 101, 173].map(|step| step.wrapping_mul(index + 1) / 4 * 3);
        let positions = tile.gather(&mesh.positions);
        for corners in &tile.triangles {
            let [a, b, c] = corners.map(|corner| positions[corner as usize].truncate());
            canvas.line(a, b, 1.0, color);
            canvas.line(b, c, 1.0, color);
        }
    }
    Ok(file::save(&canvas.image, path)?)
}

fn main() -> ExitCode {
    let about =
        "Cuts a mesh into tiles for small palettes: a table, and a picture with a colour for each tile";
    drawing::run(about, "out/tiles.png", cut)
}

fn cut(path: &str) -> Result<(), Box<dyn Error>> {
    let mesh = star()?;
    let (vertices, triangles) = (mesh.positions.len(), mesh.triangles.len());
    let bones = mesh.influences.slots();
    println!("{vertices} vertices, {triangles} triangles, {bones} bones");
    println!("bones a tile | tiles | vertices | tiles in index order");
    for limit in [6, 9, 12, 28, 49] {
        let tree = split_tiles(&mesh, limit)?;
        let (tiles, plain) = (tree.tiles().count(), in_index_order(&mesh, limit));
        let ratio = tree.vertices() as f64 / vertices as f64;
        println!("{limit:12} | {tiles:5} | {ratio:7.3}x | {plain}");
    }
    draw(&mesh, &split_tiles(&mesh, 12)?, path)?;
    println!("{path}: the tiles of 12 bones, a colour for each");
    let error = split_tiles(&mesh, 2)
        .err()
        .ok_or("a joint's triangles need three bones")?;
    println!("at 2 bones: {error}");
    Ok(())
}
