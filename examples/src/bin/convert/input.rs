//! From a file to a document.

use std::path::Path;

use elea_anim::{
    SkinBinding,
    bvh::{self, BvhError},
    gltf::{self, Gltf, GltfError, Instance, Material, Mesh, Scene, Skin},
    md5::{self, Md5Error, Md5Mesh},
};

use elea_examples::file::{self, Format};

use crate::document::{Document, frame_time};

/// Reads a file, or says in one line what is wrong with it and what to do.
pub(crate) fn read(path: &Path) -> Result<Document, String> {
    content(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn content(path: &Path) -> Result<Document, String> {
    let bytes = file::read(path)?;
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let mut document = match Format::of(&bytes) {
        Format::Bvh => from_bvh(&bytes)?,
        Format::Gltf => from_gltf(path)?,
        Format::Md5Mesh => from_md5mesh(&bytes)?,
        Format::Md5Anim => from_md5anim(&bytes)?,
    };
    // Formats of one animation do not name it.
    for animation in &mut document.file.animations {
        if animation.name.is_empty() {
            animation.name = name.clone().unwrap_or_default();
        }
    }
    for warning in &mut document.warnings {
        *warning = format!("{}: {warning}", path.display());
    }
    Ok(document)
}

fn from_bvh(bytes: &[u8]) -> Result<Document, String> {
    let bvh = bvh::parse(bytes).map_err(|error| {
        let advice = match error {
            BvhError::NotBvh { .. } => "give a BVH, glTF, GLB, md5mesh or md5anim file",
            _ => "correct this line or export the file again",
        };
        format!("{error}; {advice}")
    })?;
    let mut document = Document::new(Format::Bvh, Gltf::new(bvh.skeleton));
    if bvh.frames > 0 {
        document.file.animations.push(bvh.animation);
        document.frame_time = Some(bvh.frame_time);
    }
    document.tips = bvh.tips;
    document.warnings = bvh.warnings.iter().map(ToString::to_string).collect();
    Ok(document)
}

fn from_gltf(path: &Path) -> Result<Document, String> {
    let file = gltf::load(path).map_err(|error| {
        let error = error.reason();
        let advice = match error {
            GltfError::NotGltf | GltfError::Version { .. } | GltfError::Extension { .. } => {
                "export it as plain glTF 2.0 or GLB"
            }
            GltfError::Glb { .. } => "the file may be cut off: get it again",
            GltfError::Buffer { .. } => "keep a glTF file and its buffers together",
            _ => "correct this place in its JSON or export it again",
        };
        format!("{error}; {advice}")
    })?;
    let mut document = Document::new(Format::Gltf, file);
    document.warnings = document
        .file
        .report
        .warnings
        .iter()
        .map(ToString::to_string)
        .collect();
    document.frame_time = document.file.animations.first().and_then(frame_time);
    Ok(document)
}

fn advised(error: &Md5Error) -> String {
    format!("{error}; correct this line or export the file again")
}

fn from_md5mesh(bytes: &[u8]) -> Result<Document, String> {
    let mesh = md5::parse_mesh(bytes).map_err(|error| advised(&error))?;
    let mut document = Document::new(Format::Md5Mesh, Gltf::new(mesh.skeleton.clone()));
    if !mesh.surfaces.is_empty() {
        add_surfaces(&mut document, &mesh)?;
    }
    Ok(document)
}

fn add_surfaces(document: &mut Document, file: &Md5Mesh) -> Result<(), String> {
    let Document {
        file: out, warnings, ..
    } = document;
    out.skins.push(Skin {
        name: String::new(),
        binding: SkinBinding::from_rest_pose(&file.skeleton).map_err(|error| error.to_string())?,
        is_rigid: false,
    });
    for (index, surface) in file.surfaces.iter().enumerate() {
        let (mesh, report) = surface.to_skinned_mesh(&file.skeleton).map_err(|error| {
            format!("surface {index}: {error}; give its weights values that are not negative")
        })?;
        let mut warn = |text: String| warnings.push(format!("surface {index}: {text}"));
        let changed = report.weights.renormalized + report.weights.unweighted;
        if changed > 0 {
            warn(format!("the weights of {changed} vertices did not add up to one"));
        }
        if report.dropped_weights > 0 {
            warn(format!(
                "{} weights beyond the 8 largest of a vertex were left out",
                report.dropped_weights
            ));
        }
        let size = mesh
            .positions
            .iter()
            .map(|position| position.abs().max_element())
            .fold(0.0, f32::max);
        if report.spread > 1e-3 * size {
            warn(format!(
                "weighted points of one vertex are {} apart; it may bend in another way",
                report.spread
            ));
        }
        let mut converted = Mesh::new(mesh);
        converted.texcoords = surface.vertices.iter().map(|vertex| vertex.uv).collect();
        converted.material = Some(index);
        out.materials.push(Material {
            name: surface.shader.clone(),
            ..Material::default()
        });
        out.meshes.push(converted);
        out.instances.push(Instance {
            name: format!("surface {index}"),
            skin: 0,
            meshes: vec![index],
            ..Instance::default()
        });
    }
    out.scenes = Vec::<Scene>::new();
    Ok(())
}

fn from_md5anim(bytes: &[u8]) -> Result<Document, String> {
    let anim = md5::parse_anim(bytes).map_err(|error| advised(&error))?;
    let mut document = Document::new(Format::Md5Anim, Gltf::new(anim.skeleton));
    if anim.frames > 0 {
        document.file.animations.push(anim.animation);
        document.frame_time = Some(1.0 / anim.frame_rate);
    }
    Ok(document)
}
