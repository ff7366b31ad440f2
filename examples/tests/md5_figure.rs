//! The sample figure is what it says: closed boxes that face outwards, and an arm that goes up by a right angle.
#![allow(clippy::missing_assert_message, reason = "tests")]

use std::{fs, process::Command};

use elea_anim::{Pose, local_to_model, md5};
use glam::{Affine3A, Vec3};

#[test]
fn the_figure_waves() {
    let folder = std::env::temp_dir().join(format!("md5_figure-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let run = |folder: &str| {
        Command::new(env!("CARGO_BIN_EXE_md5_figure"))
            .arg(folder)
            .output()
            .unwrap()
    };
    assert_eq!(run(folder.to_str().unwrap()).status.code(), Some(0));
    let figure = md5::parse_mesh(&fs::read(folder.join("figure.md5mesh")).unwrap()).unwrap();
    let wave = md5::parse_anim(&fs::read(folder.join("wave.md5anim")).unwrap()).unwrap();
    fs::remove_dir_all(&folder).unwrap();
    let missing = run("/no/such/folder");
    assert_eq!(missing.status.code(), Some(2));
    assert_eq!(String::from_utf8(missing.stderr).unwrap().lines().count(), 1);

    let skeleton = &figure.skeleton;
    assert_eq!((skeleton.len(), figure.surfaces.len()), (11, 1));
    assert_eq!(wave.skeleton.parents(), skeleton.parents());
    let (mesh, report) = figure.surfaces[0].to_skinned_mesh(skeleton).unwrap();
    assert!(report.weights.is_clean() && report.spread < 1e-4, "{report:?}");
    // Ten boxes; those whose corners are ordered outwards enclose a positive volume.
    assert_eq!((mesh.positions.len(), mesh.triangles.len()), (80, 120));
    for cuboid in mesh.triangles.chunks(12) {
        let volume: f32 = cuboid
            .iter()
            .map(|corners| {
                let [a, b, c] = corners.map(|corner| mesh.positions[corner as usize]);
                a.dot(b.cross(c)) / 6.0
            })
            .sum();
        assert!(volume > 1.0, "{volume}");
    }
    // The hand goes round the shoulder at (0, -9, 60), 24 away: out at rest, up half a turn of the sine later.
    let hand = skeleton.joint("r_hand").unwrap();
    let mut pose = Pose::identity(skeleton.len());
    let mut model = vec![Affine3A::IDENTITY; skeleton.len()];
    assert_eq!((wave.frames, wave.frame_rate), (49, 24.0));
    for (frame, wanted) in [
        (0.0, Vec3::new(0.0, -33.0, 60.0)),
        (
            6.0,
            Vec3::new(0.0, -9.0 - 24.0 * 0.5_f32.sqrt(), 60.0 + 24.0 * 0.5_f32.sqrt()),
        ),
        (12.0, Vec3::new(0.0, -9.0, 84.0)),
        (24.0, Vec3::new(0.0, -33.0, 60.0)),
        (36.0, Vec3::new(0.0, -9.0, 84.0)),
    ] {
        wave.animation.sample(&wave.skeleton, frame / 24.0, &mut pose);
        local_to_model(skeleton, &pose, &mut model);
        let found = Vec3::from(model[hand.index()].translation);
        assert!(found.distance(wanted) < 1e-4, "frame {frame}: {found}");
    }
}
