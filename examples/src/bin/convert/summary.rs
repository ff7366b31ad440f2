//! What was kept and what was lost.

use std::fmt::Write as _;

use elea_examples::file::Format;

use crate::document::Document;

pub(crate) fn text(document: &Document, format: Format, input: &str, output: &str) -> String {
    let mut out = format!(
        "{input} ({}) -> {output} ({})\n",
        name(document.format),
        name(format)
    );
    for (label, lines) in [("kept", kept(document, format)), ("lost", lost(document, format))] {
        for line in lines {
            let _ = writeln!(out, "  {label}: {line}");
        }
    }
    for line in &document.changes {
        let _ = writeln!(out, "  {line}");
    }
    out
}

fn kept(document: &Document, format: Format) -> Vec<String> {
    let mut lines = vec![count(document.file.skeleton.len(), "joint")];
    if format == Format::Bvh && !document.tips.is_empty() {
        lines.push(count(document.tips.len(), "End Site"));
    }
    if has_meshes(format) && !document.file.instances.is_empty() {
        lines.push(format!(
            "{} with {}",
            count(document.file.meshes.len(), "mesh"),
            count(document.vertices(), "vertex")
        ));
    }
    let animations = &document.file.animations;
    if format == Format::Gltf {
        for animation in animations {
            lines.push(format!(
                "animation \"{}\", {:.3} s",
                animation.name,
                animation.duration()
            ));
        }
    } else if matches!(format, Format::Bvh | Format::Md5Anim)
        && let Some(animation) = document.animation()
    {
        lines.push(format!(
            "animation \"{}\", {:.3} s",
            animation.name,
            animation.duration()
        ));
    }
    lines
}

fn lost(document: &Document, format: Format) -> Vec<String> {
    let file = &document.file;
    let mut lines = Vec::new();
    let mut lose = |number: usize, what: &str, why: &str| {
        if number > 0 {
            lines.push(format!("{}, {why}", count(number, what)));
        }
    };
    let none = format!("which {} does not have", name(format));
    if format != Format::Bvh {
        lose(document.tips.len(), "End Site", &none);
    }
    if !has_meshes(format) {
        lose(file.meshes.len(), "mesh", &none);
    }
    match format {
        Format::Gltf => {}
        Format::Md5Mesh => lose(file.animations.len(), "animation", "for .md5anim files"),
        Format::Bvh | Format::Md5Anim => lose(
            file.animations.len().saturating_sub(1),
            "animation",
            "since there is room for one (--animation chooses)",
        ),
    }
    if format != Format::Gltf {
        let targets: usize = file.meshes.iter().map(|mesh| mesh.targets.len()).sum();
        lose(targets, "morph target", &none);
        lose(file.morphs.len(), "track of morph weights", &none);
    }
    if document.format == Format::Gltf && !file.materials.is_empty() {
        lines.push("images, cameras and lights, if there are any: they are not read".to_owned());
    }
    if format == Format::Md5Mesh {
        let normals = file
            .meshes
            .iter()
            .filter(|mesh| !mesh.mesh.normals.is_empty())
            .count();
        if normals > 0 && document.format != Format::Md5Mesh {
            lines.push("normals and tangents, which readers make from the triangles".to_owned());
        }
        let colors = file.meshes.iter().filter(|mesh| !mesh.colors.is_empty()).count();
        if colors > 0 {
            lines.push("vertex colours, which md5mesh does not have".to_owned());
        }
        if document.format == Format::Gltf && !file.materials.is_empty() {
            lines.push("materials but for their names".to_owned());
        }
    }
    lines
}

const fn name(format: Format) -> &'static str {
    match format {
        Format::Bvh => "BVH",
        Format::Gltf => "glTF",
        Format::Md5Mesh => "md5mesh",
        Format::Md5Anim => "md5anim",
    }
}

const fn has_meshes(format: Format) -> bool {
    matches!(format, Format::Gltf | Format::Md5Mesh)
}

/// `1 mesh`, `2 meshes`.
fn count(number: usize, what: &str) -> String {
    let plural = match what {
        _ if number == 1 => what.to_owned(),
        "vertex" => "vertices".to_owned(),
        "mesh" => "meshes".to_owned(),
        "track of morph weights" => "tracks of morph weights".to_owned(),
        _ => format!("{what}s"),
    };
    format!("{number} {plural}")
}
