//! The ground that the figure walks on and the ball that it reaches for.

use glam::{Affine3A, Vec3};

use super::vertex;
use crate::clips::gait::STRIDE;
use crate::mesh::Mesh;

/// Side of a ground tile in metres: two tiles a stride, so that a cycle of the walk ends on the
/// pattern on which it began.
pub(crate) const TILE: f32 = 0.5 * STRIDE;
/// The ground's pattern repeats after this many metres, along X and Z.
pub(crate) const GROUND_PERIOD: f32 = 2.0 * TILE;
/// Tiles from the middle to the edge.
const TILES: i32 = 12;
const LIGHT_TILE: [f32; 3] = [0.50, 0.51, 0.52];
const DARK_TILE: [f32; 3] = [0.40, 0.42, 0.445];

const BALL: f32 = 0.045;
const BALL_COLOUR: [f32; 3] = [0.90, 0.32, 0.03];

fn push(mesh: &mut Mesh, p: Vec3, n: Vec3, colour: [f32; 3], slot: u16) {
    mesh.positions.push(p);
    mesh.normals.push(n);
    mesh.albedo.push(colour);
    mesh.joints.push([slot, 0, 0, 0]);
    mesh.weights.push([1.0, 0.0, 0.0, 0.0]);
}

/// A chequered square at y = 0.
pub(crate) fn add_ground(mesh: &mut Mesh, slot: u16) {
    mesh.inverse_bind.push(Affine3A::IDENTITY);
    for z in -TILES..TILES {
        for x in -TILES..TILES {
            let first = vertex(mesh.positions.len());
            let colour = if (x + z) % 2 == 0 { LIGHT_TILE } else { DARK_TILE };
            for (dx, dz) in [(0, 0), (0, 1), (1, 1), (1, 0)] {
                let corner = Vec3::new((x + dx) as f32, 0.0, (z + dz) as f32) * TILE;
                push(mesh, corner, Vec3::Y, colour, slot);
            }
            mesh.indices.extend([0, 1, 2, 0, 2, 3].map(|k: u32| first + k));
        }
    }
}

/// A sphere round the origin.
pub(crate) fn add_ball(mesh: &mut Mesh, slot: u16) {
    const RINGS: u32 = 16;
    const AROUND: u32 = 32;
    mesh.inverse_bind.push(Affine3A::IDENTITY);
    let first = vertex(mesh.positions.len());
    for ring in 0..=RINGS {
        let polar = std::f32::consts::PI * ring as f32 / RINGS as f32;
        for step in 0..=AROUND {
            let turn = std::f32::consts::TAU * step as f32 / AROUND as f32;
            let n = Vec3::new(polar.sin() * turn.sin(), polar.cos(), polar.sin() * turn.cos());
            push(mesh, n * BALL, n, BALL_COLOUR, slot);
        }
    }
    for ring in 0..RINGS {
        for step in 0..AROUND {
            let a = first + ring * (AROUND + 1) + step;
            let b = a + AROUND + 1;
            mesh.indices.extend([a, b, b + 1, a, b + 1, a + 1]);
        }
    }
}
