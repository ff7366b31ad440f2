//! From a file to a report.

use std::{fs, io, path::Path};

use elea_anim::{Animation, Pose, Skeleton};
use glam::{DAffine3, DVec3};

use crate::report::Report;

mod bvh;
mod gltf;
mod md5;

/// Reads a file, or says in one line what is wrong and what to do.
pub(crate) fn read(path: &Path, strict: bool, frames: &[usize]) -> Result<Report, String> {
    if path.is_dir() {
        return Err("is a folder; name a file in it".to_owned());
    }
    let bytes = fs::read(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => "there is no such file; check the path".to_owned(),
        io::ErrorKind::PermissionDenied => "may not be read; check its permissions".to_owned(),
        _ => format!("cannot be read: {error}"),
    })?;
    if bytes.is_empty() {
        return Err("the file is empty; export it again".to_owned());
    }
    let report = if is_gltf(&bytes) {
        gltf::read(path, strict, frames)
    } else if is_md5(&bytes) {
        md5::read(&bytes, strict, frames)
    } else {
        bvh::read(&bytes, strict, frames)
    };
    // A message may quote the file; it stays one line.
    report.map_err(|message| message.replace(char::is_control, " "))
}

/// A GLB file, or a JSON object: no other format begins so.
fn is_gltf(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    text.starts_with(b"glTF") || text.trim_ascii_start().starts_with(b"{")
}

/// A mesh or a motion of Doom 3.
fn is_md5(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    text.trim_ascii_start().starts_with(b"MD5Version")
}

/// Every joint's position in model space.
fn world(skeleton: &Skeleton, animation: &Animation, time: f32) -> Vec<[f64; 3]> {
    let mut pose = Pose::identity(skeleton.len());
    animation.sample(skeleton, time, &mut pose);
    // In f64, so that a long chain adds nothing to the rounding of the keys.
    let mut model: Vec<DAffine3> = Vec::with_capacity(pose.len());
    for (local, parent) in pose.transforms().zip(skeleton.parents()) {
        let local = DAffine3::from_scale_rotation_translation(
            local.scale.as_dvec3(),
            local.rotation.as_dquat().normalize(),
            local.translation.as_dvec3(),
        );
        model.push(parent.map_or(local, |parent| model[parent.index()] * local));
    }
    // Adding zero turns -0 into 0.
    model
        .iter()
        .map(|model| (model.translation + DVec3::ZERO).to_array())
        .collect()
}
