//! MD5: meshes and motions.

use elea_anim::{
    Channel, JointId, Skeleton, Values,
    md5::{self, Md5Anim, Md5Error, Md5Mesh},
};

use super::world;
use crate::report::{Positions, Report};

pub(super) fn read(bytes: &[u8], strict: bool, frames: &[usize]) -> Result<Report, String> {
    let report = if md5::is_anim(bytes) {
        let anim = md5::parse_anim(bytes).map_err(|error| advised(&error))?;
        of_anim(&anim, frames)
    } else {
        let mesh = md5::parse_mesh(bytes).map_err(|error| advised(&error))?;
        of_mesh(&mesh)
    };
    match report.warnings.first() {
        Some(warning) if strict => Err(format!("{warning}; without --strict the file is read")),
        _ => Ok(report),
    }
}

/// The error, and what a user can do about it.
fn advised(error: &Md5Error) -> String {
    let advice = match error {
        Md5Error::Version { .. } => "export it for version 10",
        Md5Error::Count { .. } => "the file may be cut off: get it again",
        Md5Error::Skeleton { .. } => "mend these joints",
        _ => "correct this line or export the file again",
    };
    format!("{error}; {advice}")
}

fn of_skeleton(skeleton: &Skeleton) -> Report {
    let parents = skeleton.parents();
    Report {
        joints: skeleton
            .joints()
            .map(|joint| skeleton.name(joint).to_owned())
            .collect(),
        parents: parents
            .iter()
            .map(|parent| parent.map_or(-1, |parent| i64::from(parent.0)))
            .collect(),
        roots: parents.iter().filter(|parent| parent.is_none()).count(),
        ..Report::default()
    }
}

/// A mesh has no frames.
fn of_mesh(file: &Md5Mesh) -> Report {
    let mut report = of_skeleton(&file.skeleton);
    report.format = "MD5 mesh";
    report.notes = vec![String::new(); report.joints.len()];
    for (index, surface) in file.surfaces.iter().enumerate() {
        report.summary.push(format!(
            "surface \"{}\": {} vertices, {} triangles, {} weights",
            surface.shader,
            surface.vertices.len(),
            surface.triangles.len(),
            surface.weights.len()
        ));
        let changed = match surface.to_skinned_mesh(&file.skeleton) {
            Ok((_, changed)) => changed,
            Err(error) => {
                report.warnings.push(format!("surface {index}: {error}"));
                continue;
            }
        };
        let off = changed.weights.renormalized + changed.weights.unweighted;
        if off > 0 {
            report.warnings.push(format!(
                "surface {index}: the weights of {off} vertices do not add up to one"
            ));
        }
        if changed.dropped_weights > 0 {
            report.warnings.push(format!(
                "surface {index}: {} weights beyond the 8 largest of their vertex",
                changed.dropped_weights
            ));
        }
    }
    report
}

fn of_anim(file: &Md5Anim, frames: &[usize]) -> Report {
    let report = of_skeleton(&file.skeleton);
    let known = frames.iter().filter(|frame| **frame < file.frames);
    let positions = known.map(|&frame| {
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            reason = "the frame's key time, as it is defined"
        )]
        let time = (frame as f64 / file.frame_rate) as f32;
        let positions = world(&file.skeleton, &file.animation, time);
        (frame, Positions::new(&report.joints, positions))
    });
    Report {
        format: "MD5 motion",
        frames: file.frames,
        frame_time: Some(1.0 / file.frame_rate),
        channels: file.components,
        world: positions.collect(),
        notes: file.skeleton.joints().map(|joint| note(file, joint)).collect(),
        ..report
    }
}

/// What moves the joint, in a few words.
fn note(file: &Md5Anim, joint: JointId) -> String {
    let property = |channel: &Channel| match channel.values() {
        Values::Translation(_) => "translation",
        Values::Rotation(_) => "rotation",
        _ => "other",
    };
    let channels = file.animation.channels.iter();
    let moved: Vec<&str> = channels
        .filter(|channel| channel.joint() == joint)
        .map(property)
        .collect();
    if moved.is_empty() {
        "fixed".to_owned()
    } else {
        moved.join(", ")
    }
}
