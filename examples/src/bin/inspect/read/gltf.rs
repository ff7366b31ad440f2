//! glTF and GLB.

use std::{path::Path, sync::Arc};

use elea_anim::{
    Channel, Interpolation, JointId, Values,
    gltf::{self, Gltf, GltfError},
};

use super::world;
use crate::report::{Positions, Report};

pub(super) fn read(path: &Path, strict: bool, frames: &[usize]) -> Result<Report, String> {
    let file = gltf::load(path).map_err(|error| format!("{}; {}", error.reason(), advice(error.reason())))?;
    match file.report.warnings.first() {
        Some(warning) if strict => Err(format!("{warning}; without --strict the file is read")),
        _ => Ok(report(&file, frames)),
    }
}

/// What a user can do about an error.
const fn advice(error: &GltfError) -> &'static str {
    match error {
        GltfError::NotGltf | GltfError::Version { .. } => "export it as glTF 2.0 or GLB",
        GltfError::Glb { .. } => "the file may be cut off: get it again",
        GltfError::Buffer { .. } => "keep a glTF file and its buffers together",
        GltfError::Skeleton { .. } => "mend these nodes, or split the file",
        GltfError::Extension { .. } => "inspect reads plain glTF 2.0",
        _ => "export it again or mend this place in its JSON",
    }
}

/// The frames of a glTF file are the key times of its first animation: a file that was sampled at a fixed rate has
/// its own frames, and any other its keys.
fn report(file: &Gltf, frames: &[usize]) -> Report {
    let skeleton = &file.skeleton;
    let names: Vec<String> = skeleton
        .joints()
        .map(|joint| skeleton.name(joint).to_owned())
        .collect();
    let parents = skeleton.parents();
    let animation = file.animations.first();
    let times = key_times(file, 0);
    let morphs = file.morphs.iter().filter(|morph| morph.animation == 0).count();
    Report {
        format: "glTF",
        parents: parents
            .iter()
            .map(|parent| parent.map_or(-1, |parent| i64::from(parent.0)))
            .collect(),
        roots: parents.iter().filter(|parent| parent.is_none()).count(),
        frames: times.len(),
        frame_time: frame_time(&times),
        channels: animation.map_or(0, |animation| animation.channels.len() + morphs),
        warnings: file.report.warnings.iter().map(ToString::to_string).collect(),
        error: None,
        world: animation.map_or_else(Default::default, |animation| {
            let known = frames
                .iter()
                .filter_map(|&frame| Some((frame, *times.get(frame)?)));
            known
                .map(|(frame, time)| (frame, Positions::new(&names, world(skeleton, animation, time))))
                .collect()
        }),
        notes: skeleton.joints().map(|joint| note(file, joint)).collect(),
        summary: summary(file),
        joints: names,
    }
}

/// All key times of an animation, each once, growing; those of morph weights as well.
fn key_times(file: &Gltf, index: usize) -> Vec<f32> {
    let channels = file.animations.get(index).into_iter();
    let channels = channels
        .flat_map(|animation| &animation.channels)
        .map(Channel::times);
    let morphs = file.morphs.iter().filter(|morph| morph.animation == index);
    // Most files share one list, which then is one in memory.
    let mut lists: Vec<&Arc<[f32]>> = channels.chain(morphs.map(|morph| morph.track.times())).collect();
    lists.dedup_by(|a, b| Arc::ptr_eq(a, b));
    let mut times: Vec<f32> = lists.into_iter().flat_map(|list| list.iter().copied()).collect();
    times.sort_by(f32::total_cmp);
    times.dedup();
    times
}

/// Seconds from one key time to the next, on average.
fn frame_time(times: &[f32]) -> Option<f64> {
    let (first, last) = (times.first()?, times.last()?);
    let steps = u32::try_from(times.len() - 1).ok().filter(|steps| *steps > 0)?;
    Some((f64::from(*last) - f64::from(*first)) / f64::from(steps))
}

/// Lines on skins, meshes and animations.
fn summary(file: &Gltf) -> Vec<String> {
    let mut lines = Vec::new();
    for skin in file.skins.iter().filter(|skin| !skin.is_rigid) {
        lines.push(format!("skin \"{}\": {} joints", skin.name, skin.binding.len()));
    }
    for instance in &file.instances {
        let meshes = || instance.meshes.iter().map(|&mesh| &file.meshes[mesh]);
        let vertices: usize = meshes().map(|mesh| mesh.mesh.positions.len()).sum();
        let triangles: usize = meshes().map(|mesh| mesh.mesh.triangles.len()).sum();
        let skin = &file.skins[instance.skin];
        let held = if skin.is_rigid {
            "on its joint".to_owned()
        } else {
            format!("skin \"{}\"", skin.name)
        };
        let morphs = match instance.weights.len() {
            0 => String::new(),
            count => format!(", {count} morph targets"),
        };
        lines.push(format!(
            "mesh \"{}\": {vertices} vertices, {triangles} triangles{morphs}, {held}",
            instance.name
        ));
    }
    for (index, animation) in file.animations.iter().enumerate() {
        let morphs: Vec<_> = file
            .morphs
            .iter()
            .filter(|morph| morph.animation == index)
            .collect();
        let end = morphs
            .iter()
            .filter_map(|morph| morph.track.times().last())
            .fold(animation.end(), |end, &time| end.max(time));
        lines.push(format!(
            "animation \"{}\": {} channels, {:.3} s",
            animation.name,
            animation.channels.len() + morphs.len(),
            end - animation.start().min(end)
        ));
    }
    lines
}

/// What moves the joint in the first animation, in a few words.
fn note(file: &Gltf, joint: JointId) -> String {
    let Some(animation) = file.animations.first() else {
        return String::new();
    };
    let parts: Vec<String> = animation
        .channels
        .iter()
        .filter(|channel| channel.joint() == joint)
        .map(|channel| {
            let property = match channel.values() {
                Values::Translation(_) => "translation",
                Values::Rotation(_) => "rotation",
                Values::Scale(_) => "scale",
                _ => "other",
            };
            let curve = match channel.interpolation() {
                Interpolation::Step => " (steps)",
                Interpolation::Linear => "",
                Interpolation::CubicSpline => " (splines)",
            };
            format!("{property}{curve}")
        })
        .collect();
    if parts.is_empty() {
        "fixed".to_owned()
    } else {
        parts.join(", ")
    }
}
