//! `md5mesh`.

use glam::{DQuat, DVec2, DVec3};

use crate::{Joint, JointId, Skeleton, Transform};

use super::{
    Md5Error, Md5Mesh, Md5Surface, Md5Vertex, Md5Weight, check_count,
    lexer::{Lexer, Word},
    read_head,
    surface::Excess,
    unit_quaternion,
};

/// Reads an `md5mesh` file.
///
/// ```
/// let text = br#"MD5Version 10
/// commandline ""
/// numJoints 1
/// numMeshes 1
/// joints { "origin" -1 ( 0 0 5 ) ( 0 0 0 ) }
/// mesh {
///     shader "stone"
///     numverts 1 vert 0 ( 0.5 0.25 ) 0 1
///     numtris 0
///     numweights 1 weight 0 0 1 ( 1 2 3 )
/// }"#;
/// let mesh = elea_anim::md5::parse_mesh(text)?;
/// let mut model = vec![elea_anim::glam::Affine3A::IDENTITY; 1];
/// elea_anim::local_to_model(&mesh.skeleton, mesh.skeleton.rest_pose(), &mut model);
/// assert_eq!(mesh.surfaces[0].position(0, &model).to_array(), [1.0, 2.0, 8.0]);
/// # Ok::<(), elea_anim::md5::Md5Error>(())
/// ```
///
/// # Errors
/// [`Md5Error`] with the line: another format or version, counts or indices that do not fit, NaN or infinity.
pub fn parse_mesh(bytes: &[u8]) -> Result<Md5Mesh, Md5Error> {
    let mut lexer = Lexer::new(bytes);
    let lexer = &mut lexer;
    let command_line = read_head(lexer)?;
    if lexer.peek() == Word::Plain(b"numFrames") {
        return Err(Md5Error::OtherKind {
            line: lexer.line(),
            found: "an MD5 motion",
            function: "parse_anim",
        });
    }
    lexer.keyword("numJoints")?;
    let joints = lexer.integer()?;
    lexer.keyword("numMeshes")?;
    let meshes = lexer.integer()?;
    let skeleton = read_joints(lexer, joints)?;
    let mut surfaces = Vec::new();
    while lexer.takes("mesh") {
        surfaces.push(read_surface(lexer, skeleton.len())?);
    }
    lexer.end("mesh or the end of the file")?;
    check_count(lexer.line(), "meshes", meshes, surfaces.len())?;
    Ok(Md5Mesh {
        command_line,
        skeleton,
        surfaces,
    })
}

fn read_joints(lexer: &mut Lexer<'_>, declared: i64) -> Result<Skeleton, Md5Error> {
    lexer.keyword("joints")?;
    lexer.mark(b'{')?;
    let mut joints: Vec<Joint> = Vec::new();
    let mut model: Vec<(DVec3, DQuat)> = Vec::new();
    while let Word::Quoted(_) = lexer.peek() {
        let name = lexer.text()?;
        let parent = read_parent(lexer, joints.len())?;
        let position = DVec3::from_array(lexer.vector()?);
        let rotation = unit_quaternion(lexer.vector()?);
        // The file has the bind pose in model space.
        let (origin, turn) = parent.map_or((DVec3::ZERO, DQuat::IDENTITY), |parent| model[parent.index()]);
        let turn = turn.conjugate();
        joints.push(Joint {
            name,
            parent,
            rest: Transform {
                translation: (turn * (position - origin)).as_vec3(),
                rotation: (turn * rotation).as_quat(),
                scale: glam::Vec3::ONE,
            },
        });
        model.push((position, rotation));
    }
    let line = lexer.line();
    check_count(line, "joints", declared, joints.len())?;
    lexer.mark(b'}')?;
    Skeleton::new(joints).map_err(|source| Md5Error::Skeleton { line, source })
}

/// -1 for a root, else an earlier joint.
pub(super) fn read_parent(lexer: &mut Lexer<'_>, joints: usize) -> Result<Option<JointId>, Md5Error> {
    let line = lexer.line();
    let index = lexer.integer()?;
    if index == -1 {
        return Ok(None);
    }
    match usize::try_from(index) {
        Ok(parent) if parent < joints.min(Skeleton::MAX_JOINTS) => Ok(Some(JointId::from_index(parent))),
        _ => Err(Md5Error::Index {
            line,
            what: "earlier joint",
            index,
            count: joints,
        }),
    }
}

fn read_surface(lexer: &mut Lexer<'_>, joints: usize) -> Result<Md5Surface, Md5Error> {
    lexer.mark(b'{')?;
    let mut surface = Md5Surface::default();
    lexer.keyword("shader")?;
    surface.shader = lexer.text()?;
    // Which line the weights of a vertex stand in, for the check that has to wait for the weights.
    let mut vertex_lines = Vec::new();
    lexer.keyword("numverts")?;
    let declared = lexer.integer()?;
    while lexer.takes("vert") {
        vertex_lines.push(lexer.line());
        lexer.next_index("vertex", surface.vertices.len())?;
        let uv = DVec2::from_array(lexer.vector()?).as_vec2();
        let first_weight = lexer.unsigned("the index of a weight")?;
        let weights = lexer.unsigned("a number of weights")?;
        surface.vertices.push(Md5Vertex {
            uv,
            first_weight,
            weights,
        });
    }
    check_count(lexer.line(), "vertices", declared, surface.vertices.len())?;
    lexer.keyword("numtris")?;
    let declared = lexer.integer()?;
    while lexer.takes("tri") {
        lexer.next_index("triangle", surface.triangles.len())?;
        let mut triangle = [0; 3];
        for corner in &mut triangle {
            *corner = lexer.index_u32("vertex", surface.vertices.len())?;
        }
        surface.triangles.push(triangle);
    }
    check_count(lexer.line(), "triangles", declared, surface.triangles.len())?;
    lexer.keyword("numweights")?;
    let declared = lexer.integer()?;
    while lexer.takes("weight") {
        lexer.next_index("weight", surface.weights.len())?;
        let joint = JointId::from_index(lexer.index("joint", joints)?);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "in f32's range; f32 is what is kept"
        )]
        let bias = lexer.number()? as f32;
        let position = DVec3::from_array(lexer.vector()?).as_vec3();
        surface.weights.push(Md5Weight {
            joint,
            bias,
            position,
        });
    }
    check_count(lexer.line(), "weights", declared, surface.weights.len())?;
    for (vertex, &line) in surface.vertices.iter().zip(&vertex_lines) {
        let end = u64::from(vertex.first_weight) + u64::from(vertex.weights);
        let count = surface.weights.len();
        if end > count as u64 {
            let index = i64::try_from(end).unwrap_or(i64::MAX) - 1;
            return Err(Md5Error::Index {
                line,
                what: "weight",
                index,
                count,
            });
        }
    }
    if let Some(Excess { vertex, named, most }) = surface.excess() {
        let line = vertex_lines[vertex];
        return Err(Md5Error::SharedWeights { line, named, most });
    }
    lexer.mark(b'}')?;
    Ok(surface)
}
