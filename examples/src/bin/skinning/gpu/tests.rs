//! What needs a device says `SKIPPED` without one, and fails under `ELEA_REQUIRE_GPU`.

use std::io::Write as _;

use elea_anim::glam::camera::rh::{proj::directx::orthographic, view::look_at_mat4};
use elea_anim::glam::{Affine3A, Quat, Vec3};

use super::crowd::Crowd;
use super::{Gpu, GpuError};
use crate::frame::{Frame, MAX_CAPSULES};
use crate::mesh::Mesh;

/// An open device, or none with the reason on the standard error.
fn gpu() -> Option<Gpu> {
    match Gpu::new() {
        Ok(gpu) => Some(gpu),
        Err(error) => {
            assert!(
                std::env::var_os("ELEA_REQUIRE_GPU").is_none(),
                "a GPU is required: {error}"
            );
            // Past libtest's capture.
            writeln!(std::io::stderr(), "SKIPPED: {error}").expect("stderr");
            None
        }
    }
}

/// A unit square that faces +Z, all in slot 0; slots 1 and 2 stand for the ground and the ball.
fn square() -> Mesh {
    let corner = |x: f32, y: f32| Vec3::new(x, y, 0.0);
    Mesh {
        positions: vec![
            corner(-0.5, -0.5),
            corner(0.5, -0.5),
            corner(0.5, 0.5),
            corner(-0.5, 0.5),
        ],
        normals: vec![Vec3::Z; 4],
        albedo: vec![[0.25, 0.5, 0.75]; 4],
        joints: vec![[0; 4]; 4],
        weights: vec![[1.0, 0.0, 0.0, 0.0]; 4],
        indices: vec![0, 1, 2, 0, 2, 3],
        inverse_bind: vec![Affine3A::IDENTITY; 3],
    }
}

/// From 2 m before the square, one metre to each side in view.
fn frame() -> Frame {
    let eye = Vec3::new(0.0, 0.0, 2.0);
    let view = look_at_mat4(eye, Vec3::ZERO, Vec3::Y);
    Frame {
        model: vec![Affine3A::IDENTITY; 3],
        view_projection: orthographic(-1.0, 1.0, -1.0, 1.0, 0.1, 10.0) * view,
        eye,
        focus: Vec3::ZERO,
        light: Vec3::Z,
        capsules: Vec::new(),
    }
}

#[test]
fn the_square_is_where_it_belongs() {
    let Some(mut gpu) = gpu() else { return };
    gpu.prepare(&square(), 64, 32).expect("prepare");
    let stages = gpu.stages(&frame()).expect("stages");
    // 128 x 64 samples; the square covers the middle half of each axis.
    for (index, (normal, depth)) in stages.normals.iter().zip(&stages.depths).enumerate() {
        let (x, y) = (index % 128, index / 128);
        let inside = (32..96).contains(&x) && (16..48).contains(&y);
        assert_eq!(normal[3] == 1.0, inside, "sample {x} {y}");
        // z from 0.1 to 10: the plane at 2 m.
        let expected = if inside { (2.0 - 0.1) / 9.9 } else { 1.0 };
        assert!((depth - expected).abs() < 1e-6, "sample {x} {y}: depth {depth}");
    }
    assert_eq!(
        stages.picture.dimensions(),
        (64, 32),
        "the picture has a quarter of the samples"
    );
}

#[test]
fn a_turned_and_stretched_slot_moves_positions_and_normals() {
    let Some(mut gpu) = gpu() else { return };
    gpu.prepare(&square(), 8, 8).expect("prepare");
    let mut turned = frame();
    // Sheared by a scale under a rotation: the normal is no longer the rotated one.
    let scale = Affine3A::from_scale(Vec3::new(1.0, 1.0, 4.0));
    let turn = Affine3A::from_rotation_translation(Quat::from_rotation_y(0.5), Vec3::new(0.1, 0.2, 0.3));
    turned.model[0] = scale * turn;
    let stages = gpu.stages(&turned).expect("stages");
    // By hand: R_y(0.5) takes x to (cos, 0, -sin) and z to (sin, 0, cos); z is then times 4, and a normal by 1/4.
    let (sin, cos) = 0.5_f32.sin_cos();
    let corner = stages.vertices[1];
    let expected = Vec3::new(0.5 * cos + 0.1, -0.5 + 0.2, 4.0 * (-0.5 * sin + 0.3));
    assert!(
        (corner.position - expected).length() < 1e-6,
        "{corner:?}, expected {expected}"
    );
    let normal = Vec3::new(sin, 0.0, 0.25 * cos).normalize();
    assert!(
        (corner.normal - normal).length() < 1e-6,
        "{corner:?}, expected normal {normal}"
    );
}

#[test]
fn a_flattened_slot_has_a_finite_normal() {
    let Some(mut gpu) = gpu() else { return };
    gpu.prepare(&square(), 8, 8).expect("prepare");
    let mut flat = frame();
    flat.model[0] = Affine3A::from_scale(Vec3::new(1.0, 1.0, 0.0));
    let stages = gpu.stages(&flat).expect("stages");
    assert_eq!(
        stages.vertices[0].normal,
        Vec3::Z,
        "flattened along its own normal"
    );
    // Tiny and huge scales neither vanish nor overflow.
    for scale in [1e-18, 1e18] {
        flat.model[0] = Affine3A::from_scale(Vec3::splat(scale));
        let normal = gpu.stages(&flat).expect("stages").vertices[0].normal;
        assert!((normal - Vec3::Z).length() < 1e-6, "scale {scale}: {normal}");
    }
    flat.model[0] = Affine3A::from_scale(Vec3::ZERO);
    assert_eq!(
        gpu.stages(&flat).expect("stages").vertices[0].normal,
        Vec3::Z,
        "in a point the normal is kept"
    );
}

#[test]
fn what_does_not_fit_is_an_error() {
    let Some(mut gpu) = gpu() else { return };
    assert_eq!(
        gpu.draw(&frame()).unwrap_err(),
        GpuError::NotPrepared,
        "no mesh yet"
    );

    let mesh = square();
    let mut bad = mesh.clone();
    bad.indices[4] = 4;
    assert!(
        matches!(gpu.prepare(&bad, 8, 8), Err(GpuError::Mesh(_))),
        "an index past the end"
    );
    let mut bad = mesh.clone();
    bad.joints[3] = [0, 0, 3, 0];
    assert!(
        matches!(gpu.prepare(&bad, 8, 8), Err(GpuError::Mesh(_))),
        "a joint past the end"
    );
    let mut bad = mesh.clone();
    bad.weights.pop();
    assert!(
        matches!(gpu.prepare(&bad, 8, 8), Err(GpuError::Mesh(_))),
        "a vertex without weights"
    );
    assert!(
        matches!(gpu.prepare(&Mesh::default(), 8, 8), Err(GpuError::Mesh(_))),
        "no vertices"
    );
    assert!(
        matches!(gpu.prepare(&mesh, 0, 8), Err(GpuError::Frame(_))),
        "no pixels"
    );
    let huge = gpu.prepare(&mesh, u32::MAX, 8);
    assert!(
        matches!(huge, Err(GpuError::TooLarge { .. })),
        "a picture beyond any limit: {huge:?}"
    );
    let crowd = gpu.prepare_crowd(&mesh, 8, 8, u32::MAX);
    assert!(
        matches!(crowd, Err(GpuError::TooLarge { .. })),
        "a crowd beyond any limit: {crowd:?}"
    );

    gpu.prepare(&mesh, 8, 8).expect("prepare after the failures");
    let mut short = frame();
    short.model.pop();
    assert!(
        matches!(gpu.draw(&short), Err(GpuError::Frame(_))),
        "a slot without a matrix"
    );
    let capsule = crate::frame::Capsule {
        a: Vec3::ZERO,
        b: Vec3::Y,
        radius: 0.1,
    };
    let shadows = Frame {
        capsules: vec![capsule; MAX_CAPSULES + 1],
        ..frame()
    };
    assert!(
        matches!(gpu.draw(&shadows), Err(GpuError::Frame(_))),
        "one capsule too many"
    );
    gpu.draw(&frame()).expect("a good frame after the failures");
}

#[test]
fn nan_in_a_matrix_draws_a_picture_without_the_figure() {
    let Some(mut gpu) = gpu() else { return };
    gpu.prepare(&square(), 8, 8).expect("prepare");
    let mut broken = frame();
    broken.model[0].translation.x = f32::NAN;
    let stages = gpu.stages(&broken).expect("no error, no hang");
    assert!(
        stages.normals.iter().all(|normal| normal[3] == 0.0),
        "nothing has a place"
    );
}

#[test]
fn a_lost_device_is_an_error_for_good() {
    let Some(mut gpu) = gpu() else { return };
    gpu.prepare(&square(), 8, 8).expect("prepare");
    gpu.device.device.destroy();
    for _ in 0..2 {
        gpu.draw(&frame()).expect_err("the device is gone");
    }
    gpu.prepare(&square(), 8, 8).expect_err("the device is gone");
}

#[test]
fn a_crowd_has_every_character_in_its_place() {
    let Some(mut gpu) = gpu() else { return };
    let mesh = square();
    let crowd = Crowd::new(&[frame()], 5, 1.0).expect("five of one frame");
    gpu.prepare_crowd(&mesh, 64, 64, 5).expect("prepare");
    let picture = gpu.draw_crowd(&crowd.view, crowd.models()).expect("draw");
    let vertices: Vec<super::SkinnedVertex> = gpu.read_vertices().expect("read");
    assert_eq!(vertices.len(), 20, "four vertices a character");
    for (character, model) in crowd.models().enumerate() {
        let expected = model[0].transform_point3(mesh.positions[0]);
        assert_eq!(
            vertices[4 * character].position,
            expected,
            "character {character}"
        );
    }
    // The squares are of a stronger blue than the sky.
    let drawn = picture
        .pixels()
        .filter(|pixel| pixel[2] > pixel[0].saturating_add(60))
        .count();
    assert!(drawn > 20, "{drawn} pixels show the crowd");
}

#[test]
fn timing_has_a_figure_for_every_pass() {
    let Some(mut gpu) = gpu() else { return };
    gpu.prepare(&square(), 8, 8).expect("prepare");
    let frame = frame();
    let timing = gpu.time(&frame, [frame.model.as_slice()], 3).expect("time");
    assert!(timing.frame_ms > 0.0, "{timing}");
    assert_eq!(
        (timing.repeats, timing.characters, timing.vertices),
        (3, 1, 4),
        "{timing}"
    );
}

#[test]
fn what_wgpu_refuses_is_an_error_and_no_panic() {
    let Some(mut gpu) = gpu() else { return };
    gpu.prepare(&square(), 8, 8).expect("prepare");
    // A usage that no buffer may have: stands for any mistake in a call.
    let _refused = gpu.device.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 4,
        usage: wgpu::BufferUsages::empty(),
        mapped_at_creation: false,
    });
    let refused = gpu.draw(&frame());
    assert!(matches!(refused, Err(GpuError::Validation(_))), "{refused:?}");
    gpu.draw(&frame()).expect("the mistake is over");
}
