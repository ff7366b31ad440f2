//! From a signed distance to triangles: naive surface nets (Gibson 1998), then the vertices are
//! pulled onto the surface.

use std::collections::HashMap;

use glam::{IVec3, Vec3};

/// Vertices with unit normals out of the solid; triangles counter-clockwise seen from outside.
#[derive(Debug, Clone, Default)]
pub(crate) struct Surface {
    pub(crate) positions: Vec<Vec3>,
    pub(crate) normals: Vec<Vec3>,
    pub(crate) indices: Vec<u32>,
}

/// Cells along the side of a block that is skipped whole where the surface is far away.
const BLOCK: i32 = 8;
/// By how much the fields may overestimate distances far from their surface.
const DISTANCE_SLACK: f32 = 2.0;
const PULLS: usize = 3;

/// The gradient by central differences of `step`, normalised.
fn normal_at(field: &dyn Fn(Vec3) -> f32, p: Vec3, step: f32) -> Vec3 {
    let along = |axis: Vec3| field(p + axis * step) - field(p - axis * step);
    Vec3::new(along(Vec3::X), along(Vec3::Y), along(Vec3::Z)).normalize_or(Vec3::Y)
}

/// Meshes the zero set of `field` in the box `low..high` (which must hold all of it) with cells of
/// `cell` metres. The same input gives the same mesh.
pub(crate) fn surface_nets(field: &dyn Fn(Vec3) -> f32, low: Vec3, high: Vec3, cell: f32) -> Surface {
    let cells = ((high - low) / cell).ceil().as_ivec3() + IVec3::splat(2);
    let blocks = (cells + IVec3::splat(BLOCK - 1)) / BLOCK;
    let at = |corner: IVec3| low + (corner.as_vec3() - 0.5) * cell;
    let mut surface = Surface::default();
    let mut vertex_of_cell: HashMap<IVec3, u32> = HashMap::new();
    // (cell, axis, whether the solid is at the edge's lower end): one quad each.
    let mut crossings: Vec<(IVec3, usize, bool)> = Vec::new();
    let side = usize::try_from(BLOCK + 1).expect("positive");
    let mut values = vec![0.0_f32; side * side * side];
    let index = |c: IVec3| {
        let [x, y, z] = c
            .to_array()
            .map(|v| usize::try_from(v).expect("inside the block"));
        (z * side + y) * side + x
    };

    for block in grid(blocks) {
        let first = block * BLOCK;
        let middle = at(first) + Vec3::splat(0.5 * cell * BLOCK as f32);
        let reach = 0.866_03 * cell * (BLOCK + 1) as f32 * DISTANCE_SLACK;
        if field(middle).abs() > reach {
            continue;
        }
        for corner in grid(IVec3::splat(BLOCK + 1)) {
            values[index(corner)] = field(at(first + corner));
        }
        for local in grid(IVec3::splat(BLOCK)) {
            let corners: [f32; 8] = std::array::from_fn(|k| values[index(local + offset(k))]);
            let inside = corners.iter().filter(|d| **d < 0.0).count();
            if inside == 0 || inside == 8 {
                continue;
            }
            let id = first + local;
            let vertex = u32::try_from(surface.positions.len()).expect("fewer than 2^32 vertices");
            vertex_of_cell.insert(id, vertex);
            let origin = at(id);
            surface.positions.push(origin + mean_crossing(&corners) * cell);
            for (axis, other) in [1, 2, 4].into_iter().enumerate() {
                if (corners[0] < 0.0) != (corners[other] < 0.0) {
                    crossings.push((id, axis, corners[0] < 0.0));
                }
            }
        }
    }

    for (id, axis, solid_below) in crossings {
        let (u, v) = (AXES[(axis + 1) % 3], AXES[(axis + 2) % 3]);
        // The four cells round the edge, counter-clockwise seen from the edge's upper end.
        let around = [id - u - v, id - v, id, id - u].map(|c| vertex_of_cell.get(&c).copied());
        let [Some(a), Some(b), Some(c), Some(d)] = around else {
            continue;
        };
        let quad = if solid_below { [a, b, c, d] } else { [a, d, c, b] };
        let diagonal = |i: usize, j: usize| {
            surface.positions[quad[i] as usize].distance_squared(surface.positions[quad[j] as usize])
        };
        let order = if diagonal(0, 2) <= diagonal(1, 3) {
            [0, 1, 2, 0, 2, 3]
        } else {
            [1, 2, 3, 1, 3, 0]
        };
        surface.indices.extend(order.map(|k| quad[k]));
    }

    for p in &mut surface.positions {
        for _ in 0..PULLS {
            let step = field(*p).clamp(-0.5 * cell, 0.5 * cell);
            *p -= normal_at(field, *p, 0.25 * cell) * step;
        }
    }
    surface.normals = surface
        .positions
        .iter()
        .map(|&p| normal_at(field, p, 0.5 * cell))
        .collect();
    surface
}

const AXES: [IVec3; 3] = [IVec3::X, IVec3::Y, IVec3::Z];

fn offset(corner: usize) -> IVec3 {
    let bit = |k: usize| i32::from(corner >> k & 1 == 1);
    IVec3::new(bit(0), bit(1), bit(2))
}

fn grid(size: IVec3) -> impl Iterator<Item = IVec3> {
    (0..size.z)
        .flat_map(move |z| (0..size.y).flat_map(move |y| (0..size.x).map(move |x| IVec3::new(x, y, z))))
}

/// The mean of the points where the cell's twelve edges cross the surface, in cells.
fn mean_crossing(corners: &[f32; 8]) -> Vec3 {
    let (mut sum, mut count) = (Vec3::ZERO, 0.0);
    for a in 0..8 {
        for bit in [1, 2, 4] {
            let b = a | bit;
            if b == a || (corners[a] < 0.0) == (corners[b] < 0.0) {
                continue;
            }
            let t = corners[a] / (corners[a] - corners[b]);
            sum += offset(a).as_vec3().lerp(offset(b).as_vec3(), t);
            count += 1.0;
        }
    }
    sum / count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sphere_is_closed_round_and_faces_outwards() {
        let centre = Vec3::new(0.3, -0.2, 0.1);
        let sphere = |p: Vec3| p.distance(centre) - 0.5;
        let surface = surface_nets(&sphere, centre - 0.5, centre + 0.5, 0.05);
        assert!(surface.positions.len() > 500, "{}", surface.positions.len());
        let mut volume = 0.0;
        for triangle in surface.indices.as_chunks::<3>().0 {
            let [a, b, c] = triangle.map(|i| surface.positions[i as usize] - centre);
            volume += a.dot(b.cross(c)) / 6.0;
        }
        // 4/3 pi r^3; flat triangles lie inside, so a little less.
        let exact = 4.0 / 3.0 * std::f32::consts::PI * 0.125;
        assert!(
            volume < exact && volume > 0.97 * exact,
            "volume {volume} of {exact}"
        );
        for (p, n) in surface.positions.iter().zip(&surface.normals) {
            assert!((p.distance(centre) - 0.5).abs() < 1e-4, "off the sphere");
            assert!(n.dot((p - centre) / 0.5) > 0.9999, "normal turned away");
        }
        // Closed: every edge has its twin.
        let mut edges = HashMap::new();
        for t in surface.indices.as_chunks::<3>().0 {
            for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
                *edges.entry((a, b)).or_insert(0) += 1;
            }
        }
        for (&(a, b), &count) in &edges {
            assert_eq!(count, 1, "edge used twice in one direction");
            assert!(edges.contains_key(&(b, a)), "open edge");
        }
    }
}
