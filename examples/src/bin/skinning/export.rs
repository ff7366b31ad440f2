//! The figure as a GLB file, for other programs.

use elea_anim::gltf::{Gltf, Instance, Material, Mesh, Skin};
use elea_anim::{Animation, Influences, SkinBinding, SkinnedMesh};
use glam::Vec4;

use crate::figure::Figure;

/// The figure without ground and ball, its colours at the vertices, with these motions.
pub(crate) fn document(figure: &Figure, animations: Vec<Animation>) -> Gltf {
    let joints = figure.skeleton.len();
    let mesh = &figure.mesh;
    // Ground and ball have slots behind the joints' and stand behind the figure.
    let is_body = |slots: &[u16; 4]| usize::from(slots[0]) < joints;
    let vertices = mesh.joints.iter().take_while(|slots| is_body(slots)).count();
    let (corners, _) = mesh.indices.as_chunks::<3>();
    let mut triangles = corners.to_vec();
    triangles.retain(|corners| corners.iter().all(|&corner| (corner as usize) < vertices));
    let slots = mesh.joints[..vertices].as_flattened().to_vec();
    let weights = mesh.weights[..vertices].as_flattened().to_vec();
    let (influences, _) = Influences::new(4, joints, slots, weights).expect("slots of the figure's joints");
    let mut body = Mesh::new(SkinnedMesh {
        positions: mesh.positions[..vertices].to_vec(),
        normals: mesh.normals[..vertices].to_vec(),
        tangents: Vec::new(),
        influences,
        triangles,
    });
    let color = |&[r, g, b]: &[f32; 3]| Vec4::new(r, g, b, 1.0);
    body.colors = mesh.albedo[..vertices].iter().map(color).collect();
    body.material = Some(0);

    let inverse_bind = mesh.inverse_bind[..joints].to_vec();
    let binding = SkinBinding::new(figure.skeleton.joints().collect(), inverse_bind);
    let mut document = Gltf::new(figure.skeleton.clone());
    document.skins = vec![Skin {
        name: "figure".to_owned(),
        binding: binding.expect("finite matrices, one per joint"),
        is_rigid: false,
    }];
    document.meshes = vec![body];
    document.materials = vec![Material {
        name: "vertex colours".to_owned(),
        ..Material::default()
    }];
    document.instances = vec![Instance {
        name: "figure".to_owned(),
        meshes: vec![0],
        ..Instance::default()
    }];
    document.animations = animations;
    document
}
