//! The figure: a skeleton, and the skin that is made for it in code.

mod body;
pub(crate) mod bones;
mod field;
mod props;
mod surface;
mod weights;

use elea_anim::Skeleton;
use glam::{Affine3A, Vec3};

use crate::mesh::Mesh;
use body::{Body, EYE};
use surface::{Surface, surface_nets};
use weights::Region;

/// The figure with what stands round it. Palette slots: the skeleton's joints, then [`Self::ground`]
/// and [`Self::ball`].
#[derive(Debug)]
pub(crate) struct Figure {
    pub(crate) skeleton: Skeleton,
    pub(crate) mesh: Mesh,
    /// Slot of the ground, a square of [`props::TILE`] tiles round the origin.
    pub(crate) ground: usize,
    /// Slot of the ball that marks the target; its centre is the origin.
    pub(crate) ball: usize,
}

pub(crate) use props::GROUND_PERIOD;

const SKIN: [f32; 3] = [0.62, 0.36, 0.25];
const LIPS: [f32; 3] = [0.42, 0.16, 0.14];
const HAIR: [f32; 3] = [0.085, 0.045, 0.028];
const SHIRT: [f32; 3] = [0.10, 0.33, 0.42];
const TROUSERS: [f32; 3] = [0.085, 0.095, 0.14];
const SHOES: [f32; 3] = [0.44, 0.12, 0.07];
const SOLES: [f32; 3] = [0.72, 0.70, 0.66];
const EYE_WHITE: [f32; 3] = [0.80, 0.79, 0.76];
const IRIS: [f32; 3] = [0.03, 0.03, 0.035];

impl Figure {
    /// Builds the mesh; always the same one. `skeleton` is [`bones::skeleton`]'s.
    pub(crate) fn new(skeleton: Skeleton) -> Self {
        let mesh = figure_mesh(&skeleton);
        let (ground, ball) = (skeleton.len(), skeleton.len() + 1);
        let mut figure = Self {
            skeleton,
            mesh,
            ground,
            ball,
        };
        props::add_ground(&mut figure.mesh, slot(ground));
        props::add_ball(&mut figure.mesh, slot(ball));
        figure
    }
}

fn slot(index: usize) -> u16 {
    u16::try_from(index).expect("a palette slot")
}

/// How a part lies on the body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sides {
    Middle,
    /// Modelled on the left; the right is its mirror image.
    Both,
}

fn figure_mesh(skeleton: &Skeleton) -> Mesh {
    use Sides::{Both, Middle};
    let body = Body::new();
    let mut mesh = Mesh {
        inverse_bind: inverse_bind(skeleton),
        ..Mesh::default()
    };
    let v = Vec3::new;
    type Field<'a> = &'a dyn Fn(Vec3) -> f32;
    let mut part = |sides, region, colour: &dyn Fn(Vec3) -> [f32; 3], cell, low, high, field: Field<'_>| {
        let surface = surface_nets(field, low, high, cell);
        add(&mut mesh, skeleton, &body, &surface, sides, region, colour);
    };
    let plain = |colour: [f32; 3]| move |_: Vec3| colour;

    part(
        Middle,
        Region::Shirt,
        &plain(SHIRT),
        0.011,
        v(-0.42, 0.87, -0.16),
        v(0.42, 1.52, 0.15),
        &|p| body.shirt(p),
    );
    part(
        Middle,
        Region::Legs,
        &plain(TROUSERS),
        0.011,
        v(-0.20, 0.04, -0.15),
        v(0.20, 1.05, 0.13),
        &|p| body.trousers(p),
    );
    part(
        Both,
        Region::Arm,
        &plain(SKIN),
        0.0055,
        v(0.17, 0.89, -0.10),
        v(0.76, 1.43, 0.10),
        &|p| body.arm(p),
    );
    part(
        Middle,
        Region::Head,
        &plain(SKIN),
        0.0065,
        v(-0.10, 1.40, -0.12),
        v(0.10, 1.77, 0.14),
        &|p| body.head(p),
    );
    part(
        Middle,
        Region::Head,
        &plain(HAIR),
        0.0065,
        v(-0.11, 1.54, -0.13),
        v(0.11, 1.80, 0.12),
        &|p| body.hair(p),
    );
    part(
        Both,
        Region::Head,
        &plain(EYE_WHITE),
        0.0025,
        EYE - 0.02,
        EYE + 0.02,
        &|p| body.eye(p),
    );
    part(
        Both,
        Region::Head,
        &plain(IRIS),
        0.0018,
        EYE - 0.02,
        EYE + 0.02,
        &|p| body.iris(p),
    );
    part(
        Both,
        Region::Head,
        &plain(HAIR),
        0.003,
        v(0.0, 1.65, 0.06),
        v(0.06, 1.69, 0.11),
        &|p| body.brow(p),
    );
    part(
        Middle,
        Region::Head,
        &plain(LIPS),
        0.003,
        v(-0.04, 1.56, 0.06),
        v(0.04, 1.60, 0.11),
        &|p| body.mouth(p),
    );
    part(
        Both,
        Region::Legs,
        &plain(SHOES),
        0.007,
        v(0.03, 0.0, -0.12),
        v(0.17, 0.14, 0.23),
        &|p| body.shoe(p),
    );
    part(
        Both,
        Region::Legs,
        &plain(SOLES),
        0.007,
        v(0.03, -0.01, -0.12),
        v(0.17, 0.04, 0.23),
        &|p| body.sole(p),
    );
    mesh
}

/// The inverse of each joint's bind matrix.
fn inverse_bind(skeleton: &Skeleton) -> Vec<Affine3A> {
    let mut bind = vec![Affine3A::IDENTITY; skeleton.len()];
    elea_anim::local_to_model(skeleton, &bones::bind_pose(skeleton), &mut bind);
    bind.iter().map(Affine3A::inverse).collect()
}

fn add(
    mesh: &mut Mesh,
    skeleton: &Skeleton,
    body: &Body,
    surface: &Surface,
    sides: Sides,
    region: Region,
    colour: &dyn Fn(Vec3) -> [f32; 3],
) {
    let first = mesh.positions.len();
    for (&p, &n) in surface.positions.iter().zip(&surface.normals) {
        let (joints, weights) = weights::weights(skeleton, body, region, p);
        mesh.positions.push(p);
        mesh.normals.push(n);
        mesh.albedo.push(colour(p));
        mesh.joints.push(joints);
        mesh.weights.push(weights);
    }
    mesh.indices
        .extend(surface.indices.iter().map(|&i| i + vertex(first)));
    if sides == Sides::Middle {
        return;
    }
    let other_side: Vec<u16> = skeleton
        .joints()
        .map(|id| {
            let name = skeleton.name(id).replace("Left", "Right");
            skeleton.joint(&name).expect("the table has both sides").0
        })
        .collect();
    let count = surface.positions.len();
    let second = mesh.positions.len();
    for k in first..first + count {
        mesh.positions.push(bones::mirrored(mesh.positions[k]));
        mesh.normals.push(bones::mirrored(mesh.normals[k]));
        mesh.albedo.push(mesh.albedo[k]);
        mesh.joints
            .push(mesh.joints[k].map(|joint| other_side[usize::from(joint)]));
        mesh.weights.push(mesh.weights[k]);
    }
    // Mirroring turns triangles inside out: turn them back.
    for t in surface.indices.as_chunks::<3>().0 {
        mesh.indices
            .extend([t[0], t[2], t[1]].map(|i| i + vertex(second)));
    }
}

fn vertex(index: usize) -> u32 {
    u32::try_from(index).expect("fewer than 2^32 vertices")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{HashMap, HashSet};

    #[test]
    fn the_skin_is_whole() {
        let figure = Figure::new(bones::skeleton());
        let mesh = &figure.mesh;
        let vertices = mesh.positions.len();
        assert!(vertices >= 2_000, "{vertices} vertices");
        assert_eq!(mesh.inverse_bind.len(), figure.skeleton.len() + 2, "slots");
        for k in 0..vertices {
            let sum: f32 = mesh.weights[k].iter().sum();
            assert!((sum - 1.0).abs() < 1e-5, "weights of vertex {k} add up to {sum}");
            assert!(
                (mesh.normals[k].length() - 1.0).abs() < 1e-3,
                "normal of vertex {k}: {}",
                mesh.normals[k]
            );
            let slots = mesh.joints[k]
                .iter()
                .all(|&s| usize::from(s) < mesh.inverse_bind.len());
            assert!(slots, "vertex {k} names a slot that is not there");
        }
        // No triangle is inside out: its own normal agrees with those of its corners.
        let mut disagreeing = 0;
        let mut edges: HashMap<(u32, u32), i32> = HashMap::new();
        for t in mesh.indices.as_chunks::<3>().0 {
            let [a, b, c] = t.map(|i| mesh.positions[i as usize]);
            let corners: Vec3 = t.iter().map(|&i| mesh.normals[i as usize]).sum();
            disagreeing += usize::from((b - a).cross(c - a).dot(corners) < 0.0);
            for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
                *edges.entry((a, b)).or_insert(0) += 1;
            }
        }
        // Slivers at creases may be off; more would be a fault.
        assert!(
            disagreeing * 2_000 < mesh.indices.len() / 3,
            "{disagreeing} triangles are inside out"
        );
        // The figure's parts are closed; the ground and the ball (whose seam has twins) are not.
        let figure_slots: HashSet<u16> = (0..figure.skeleton.len()).map(slot).collect();
        let open = edges.keys().filter(|(a, b)| {
            figure_slots.contains(&mesh.joints[*a as usize][0]) && !edges.contains_key(&(*b, *a))
        });
        assert_eq!(open.count(), 0, "edges without a neighbour");
    }

    #[test]
    fn no_limb_is_pulled_by_another() {
        let figure = Figure::new(bones::skeleton());
        for (joints, weights) in figure.mesh.joints.iter().zip(&figure.mesh.weights) {
            let names: Vec<&str> = joints
                .iter()
                .zip(weights)
                .filter(|&(&joint, &weight)| weight > 0.0 && usize::from(joint) < figure.skeleton.len())
                .map(|(&joint, _)| figure.skeleton.name(elea_anim::JointId(joint)))
                .collect();
            let any = |part: &[&str]| names.iter().any(|name| part.contains(name));
            assert!(
                !(any(&["LeftLeg", "LeftFoot"]) && any(&["RightLeg", "RightFoot"])),
                "{names:?}"
            );
            assert!(
                !(any(&["LeftArm", "LeftForeArm", "LeftHand"]) && any(&["LeftUpLeg", "Hips"])),
                "{names:?}"
            );
        }
    }
}
