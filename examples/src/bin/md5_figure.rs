//! Makes a figure of boxes and lets it wave, as Doom 3 has them: `md5_figure FOLDER` writes `figure.md5mesh` and
//! `wave.md5anim`, samples to try other programs with. Units are inches, z is up, x is forward.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use elea_anim::{
    Animation, Channel, Influences, Interpolation, Joint, JointId, Key, Skeleton, SkinBinding, SkinnedMesh,
    Transform,
    md5::{self, Md5Mesh, Md5Surface},
};
use glam::{Quat, Vec2, Vec3};

/// Name, parent, place in model space, and where its box ends with half its width; the root has none.
type Bone = (&'static str, Option<u16>, [f32; 3], Option<([f32; 3], f32)>);

const BONES: [Bone; 11] = [
    ("origin", None, [0.0, 0.0, 0.0], None),
    ("hips", Some(0), [0.0, 0.0, 38.0], Some(([0.0, 0.0, 48.0], 6.0))),
    ("chest", Some(1), [0.0, 0.0, 48.0], Some(([0.0, 0.0, 62.0], 8.0))),
    ("head", Some(2), [0.0, 0.0, 64.0], Some(([0.0, 0.0, 73.0], 4.0))),
    ("l_arm", Some(2), [0.0, 9.0, 60.0], Some(([0.0, 33.0, 60.0], 2.0))),
    (
        "l_hand",
        Some(4),
        [0.0, 33.0, 60.0],
        Some(([0.0, 40.0, 60.0], 1.5)),
    ),
    (
        "r_arm",
        Some(2),
        [0.0, -9.0, 60.0],
        Some(([0.0, -33.0, 60.0], 2.0)),
    ),
    (
        "r_hand",
        Some(6),
        [0.0, -33.0, 60.0],
        Some(([0.0, -40.0, 60.0], 1.5)),
    ),
    ("l_leg", Some(1), [0.0, 4.0, 38.0], Some(([0.0, 4.0, 3.0], 3.0))),
    ("r_leg", Some(1), [0.0, -4.0, 38.0], Some(([0.0, -4.0, 3.0], 3.0))),
    ("visor", Some(3), [4.0, 0.0, 69.0], Some(([5.0, 0.0, 69.0], 2.0))),
];

/// Frames a second, and how many.
const RATE: f64 = 24.0;
const FRAMES: u16 = 49;

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    let written = folder.map_or(
        Err("name the folder to write figure.md5mesh and wave.md5anim to".into()),
        |folder| write(&folder),
    );
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("md5_figure: {error}");
            ExitCode::from(2)
        }
    }
}

fn write(folder: &Path) -> Result<(), Failure> {
    for (name, text) in files()? {
        let path = folder.join(name);
        std::fs::write(&path, text)
            .map_err(|error| format!("{}: {error}; choose another folder", path.display()))?;
        println!("{}", path.display());
    }
    Ok(())
}

fn files() -> Result<[(&'static str, String); 2], Failure> {
    let place = |bone: usize| Vec3::from(BONES[bone].2);
    let joints = BONES
        .iter()
        .enumerate()
        .map(|(index, &(name, parent, ..))| Joint {
            name: name.to_owned(),
            parent: parent.map(JointId),
            rest: Transform::from_translation(
                place(index) - parent.map_or(Vec3::ZERO, |parent| place(usize::from(parent))),
            ),
        });
    let skeleton = Skeleton::new(joints.collect())?;
    let binding = SkinBinding::from_rest_pose(&skeleton)?;
    let (mesh, uvs) = boxes(skeleton.len())?;
    let surface = Md5Surface::from_skinned_mesh("models/figure", &mesh, &uvs, &binding);
    let figure = md5::write_mesh(&Md5Mesh::new(skeleton.clone(), vec![surface]))?;
    // The right arm goes up by a right angle and down again, twice.
    let keys: Vec<Key<Quat>> = (0..FRAMES)
        .map(|frame| {
            let turn = std::f32::consts::TAU * f32::from(frame) / 24.0;
            let angle = -std::f32::consts::FRAC_PI_4 * (1.0 - turn.cos());
            Key::new(f32::from(frame) / 24.0, Quat::from_rotation_x(angle))
        })
        .collect();
    let arm = skeleton.joint("r_arm").unwrap_or(JointId(0));
    let raise = Channel::rotation(arm, Interpolation::Linear, &keys)?;
    let wave = md5::write_anim(&skeleton, &Animation::new("wave", vec![raise]), RATE)?;
    Ok([("figure.md5mesh", figure), ("wave.md5anim", wave)])
}

/// A box for each bone. Its near end follows the parent by half, so that the figure bends at its joints.
fn boxes(joints: usize) -> Result<(SkinnedMesh, Vec<Vec2>), Failure> {
    let (mut positions, mut uvs, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
    let (mut slots, mut weights) = (Vec::new(), Vec::new());
    for (joint, (_, parent, start, end)) in (0_u16..).zip(BONES) {
        let Some((end, width)) = end else { continue };
        let [start, end] = [start, end].map(Vec3::from);
        let along = (end - start).normalize();
        let side = along.any_orthogonal_vector() * width;
        let corners = [side, along.cross(side), -side, -along.cross(side)];
        let first = u32::try_from(positions.len())?;
        for (centre, own) in [(start, 0.5), (end, 1.0)] {
            for (index, corner) in (0_u8..).zip(corners) {
                positions.push(centre + corner);
                uvs.push(Vec2::new(f32::from(index) / 4.0, own));
                slots.extend([joint, parent.unwrap_or(joint)]);
                weights.extend([own, 1.0 - own]);
            }
        }
        let mut quad = |a: u32, b: u32, c: u32, d: u32| {
            triangles.extend([[a, b, c], [a, c, d]].map(|corners| corners.map(|corner| first + corner)));
        };
        quad(3, 2, 1, 0);
        quad(4, 5, 6, 7);
        for side in 0..4 {
            let next = (side + 1) % 4;
            quad(side, next, next + 4, side + 4);
        }
    }
    let (influences, _) = Influences::new(2, joints, slots, weights)?;
    let mesh = SkinnedMesh {
        positions,
        normals: Vec::new(),
        tangents: Vec::new(),
        influences,
        triangles,
    };
    Ok((mesh, uvs))
}
