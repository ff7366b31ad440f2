//! From a file to a report.

use std::path::Path;

use elea_anim::{Animation, Pose, Skeleton};
use elea_examples::file::{self, Format};
use glam::{DAffine3, DVec3};

use crate::report::Report;

mod bvh;
mod gltf;
mod md5;

/// Reads a file, or says in one line what is wrong and what to do.
pub(crate) fn read(path: &Path, strict: bool, frames: &[usize]) -> Result<Report, String> {
    let bytes = file::read(path)?;
    let report = match Format::of(&bytes) {
        Format::Bvh => bvh::read(&bytes, strict, frames),
        Format::Gltf => gltf::read(path, strict, frames),
        Format::Md5Mesh | Format::Md5Anim => md5::read(&bytes, strict, frames),
    };
    // A message may quote the file; it stays one line.
    report.map_err(|message| message.replace(char::is_control, " "))
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
