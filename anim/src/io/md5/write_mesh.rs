//! Writing `md5mesh`.

use glam::{DQuat, DVec3, Vec3};

use crate::{Skeleton, io::sampling::LARGEST};

use super::{
    Md5Mesh, Md5Surface, Md5WriteError,
    write::{Decimals, SCALE_TOLERANCE, clean, put, short, stored},
};

/// Writes an `md5mesh` file.
///
/// Its joints stand where the skeleton's rest pose puts them. In names, quotes and control characters become `_`.
/// Doom 3 itself wants a single root with the name `origin`, and no name twice.
///
/// ```
/// use elea_anim::{Joint, JointId, Skeleton, Transform, glam::{Vec2, Vec3}, md5};
/// let rest = Transform::from_translation(Vec3::new(0.0, 0.0, 5.0));
/// let skeleton = Skeleton::new(vec![Joint { name: "origin".into(), parent: None, rest }])?;
/// let dot = md5::Md5Surface {
///     shader: "stone".into(),
///     vertices: vec![md5::Md5Vertex { uv: Vec2::ZERO, first_weight: 0, weights: 1 }],
///     triangles: Vec::new(),
///     weights: vec![md5::Md5Weight { joint: JointId(0), bias: 1.0, position: Vec3::X }],
/// };
/// let text = md5::write_mesh(&md5::Md5Mesh::new(skeleton, vec![dot]))?;
/// assert_eq!(md5::parse_mesh(text.as_bytes())?.surfaces[0].weights[0].position, Vec3::X);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Md5WriteError`]: a scaled rest transform, numbers that are not finite, indices of things that are not there.
pub fn write_mesh(mesh: &Md5Mesh) -> Result<String, Md5WriteError> {
    let Md5Mesh {
        command_line,
        skeleton,
        surfaces,
    } = mesh;
    let mut out = String::new();
    put(
        &mut out,
        format_args!(
            "MD5Version 10\ncommandline \"{}\"\n\nnumJoints {}\nnumMeshes {}\n\njoints {{\n",
            clean(command_line),
            skeleton.len(),
            surfaces.len()
        ),
    );
    put_joints(&mut out, skeleton)?;
    out.push_str("}\n");
    for (index, surface) in surfaces.iter().enumerate() {
        check(index, surface, skeleton)?;
        put_surface(&mut out, surface);
    }
    Ok(out)
}

fn put_joints(out: &mut String, skeleton: &Skeleton) -> Result<(), Md5WriteError> {
    // In f64, so that a long chain adds nothing to the rounding of its transforms.
    let mut model: Vec<(DVec3, DQuat)> = Vec::with_capacity(skeleton.len());
    for (joint, rest) in skeleton.joints().zip(skeleton.rest_pose().transforms()) {
        let name = skeleton.name(joint);
        if (rest.scale - Vec3::ONE).abs().max_element() > SCALE_TOLERANCE {
            return Err(Md5WriteError::RestScale {
                joint,
                name: name.to_owned(),
            });
        }
        let parent = skeleton.parent(joint);
        let (origin, turn) = parent.map_or((DVec3::ZERO, DQuat::IDENTITY), |parent| model[parent.index()]);
        let rotation = (turn * rest.rotation.as_dquat().normalize()).normalize();
        let position = origin + turn * rest.translation.as_dvec3();
        if position.abs().max_element() > LARGEST {
            return Err(Md5WriteError::NotFinite {
                joint,
                name: name.to_owned(),
                frame: 0,
            });
        }
        model.push((position, rotation));
        let quaternion = stored(rotation);
        let decimals = Decimals::of([quaternion]);
        let index = parent.map_or(-1, |parent| i32::from(parent.0));
        let [x, y, z] = position.to_array().map(short);
        let [qx, qy, qz] = quaternion.map(|component| decimals.text(component));
        put(
            out,
            format_args!(
                "\t\"{}\"\t{index} ( {x} {y} {z} ) ( {qx} {qy} {qz} )\n",
                clean(name)
            ),
        );
    }
    Ok(())
}

/// Everything in a surface must be there and finite, or it could not be read again.
fn check(index: usize, surface: &Md5Surface, skeleton: &Skeleton) -> Result<(), Md5WriteError> {
    let small = |value: f32| f64::from(value.abs()) <= LARGEST;
    let bad = |element, at: Option<usize>, problem| {
        at.map_or(Ok(()), |at| {
            Err(Md5WriteError::Surface {
                surface: index,
                element,
                index: at,
                problem,
            })
        })
    };
    let (vertices, weights) = (surface.vertices.len(), surface.weights.len());
    bad(
        "vertex",
        surface
            .vertices
            .iter()
            .position(|vertex| u64::from(vertex.first_weight) + u64::from(vertex.weights) > weights as u64),
        "names weights that are not there",
    )?;
    bad(
        "vertex",
        surface.excess().map(|excess| excess.vertex),
        "is one of too many that share weights",
    )?;
    bad(
        "vertex",
        surface
            .vertices
            .iter()
            .position(|vertex| !vertex.uv.to_array().into_iter().all(small)),
        "has texture coordinates that are not finite",
    )?;
    bad(
        "triangle",
        surface
            .triangles
            .iter()
            .position(|corners| corners.iter().any(|&corner| corner as usize >= vertices)),
        "names a vertex that is not there",
    )?;
    bad(
        "weight",
        surface
            .weights
            .iter()
            .position(|weight| weight.joint.index() >= skeleton.len()),
        "names a joint that is not there",
    )?;
    bad(
        "weight",
        surface
            .weights
            .iter()
            .position(|weight| !(small(weight.bias) && weight.position.to_array().into_iter().all(small))),
        "is not finite",
    )
}

fn put_surface(out: &mut String, surface: &Md5Surface) {
    put(
        out,
        format_args!(
            "\nmesh {{\n\tshader \"{}\"\n\n\tnumverts {}\n",
            clean(&surface.shader),
            surface.vertices.len()
        ),
    );
    for (index, vertex) in surface.vertices.iter().enumerate() {
        put(
            out,
            format_args!(
                "\tvert {index} ( {} {} ) {} {}\n",
                vertex.uv.x, vertex.uv.y, vertex.first_weight, vertex.weights
            ),
        );
    }
    put(out, format_args!("\n\tnumtris {}\n", surface.triangles.len()));
    for (index, [a, b, c]) in surface.triangles.iter().enumerate() {
        put(out, format_args!("\ttri {index} {a} {b} {c}\n"));
    }
    put(out, format_args!("\n\tnumweights {}\n", surface.weights.len()));
    for (index, weight) in surface.weights.iter().enumerate() {
        let [x, y, z] = weight.position.to_array();
        put(
            out,
            format_args!(
                "\tweight {index} {} {} ( {x} {y} {z} )\n",
                weight.joint.0, weight.bias
            ),
        );
    }
    out.push_str("}\n");
}
