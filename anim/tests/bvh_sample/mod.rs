//! A small file and what it holds, for the tests of reading.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::cast_possible_truncation,
    clippy::missing_assert_message,
    reason = "a helper of tests, each of which uses a part of it"
)]

use elea_anim::{
    JointId, Pose, Transform,
    bvh::{Bvh, BvhError, BvhOptions, BvhWarning, Strictness, parse, parse_with},
    glam::{DQuat, DVec3, Vec3},
};

/// Two joints, nine channels; lines 1 to 20.
pub const SAMPLE: &str = "\
HIERARCHY
ROOT Pelvis
{
  OFFSET 1.5 80 -2
  CHANNELS 6 Xposition Yposition Zposition Yrotation Xrotation Zrotation
  JOINT Torso
  {
    OFFSET 0 12.5 3
    CHANNELS 3 Xrotation Zrotation Yrotation
    End Site
    {
      OFFSET 0 25 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.02
1 81 -3 10 20 30 -40 50 60
2 82 -4 11 22 33 -44 55 66
";

pub fn read(text: &str) -> Bvh {
    parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error} in\n{text}"))
}

pub fn fails(text: &str) -> BvhError {
    parse(text.as_bytes()).expect_err(text)
}

/// The only warning; strict reading makes an error of it.
pub fn warns(text: &str) -> (Bvh, BvhWarning) {
    let bvh = read(text);
    let [warning] = &bvh.warnings[..] else {
        panic!("{:?} in\n{text}", bvh.warnings)
    };
    let strict = BvhOptions {
        strictness: Strictness::Strict,
        ..BvhOptions::default()
    };
    match parse_with(text.as_bytes(), &strict).expect_err(text) {
        // Strict reading stops at the first one of a kind, and so does not know how many there are.
        BvhError::Strict(first) => assert_eq!(
            (first.line(), std::mem::discriminant(&first)),
            (warning.line(), std::mem::discriminant(warning))
        ),
        error => panic!("{error} in\n{text}"),
    }
    let warning = warning.clone();
    (bvh, warning)
}

pub fn local(bvh: &Bvh, frame: usize, joint: u16) -> Transform {
    let mut pose = Pose::identity(bvh.skeleton.len());
    bvh.animation
        .sample(&bvh.skeleton, (frame as f64 * bvh.frame_time) as f32, &mut pose);
    pose.get(JointId(joint))
}

/// A product of rotations by glam, angles in degrees.
pub fn product(turns: &[(DVec3, f64)]) -> DQuat {
    turns.iter().fold(DQuat::IDENTITY, |q, (axis, degrees)| {
        q * DQuat::from_axis_angle(*axis, degrees.to_radians())
    })
}

#[track_caller]
pub fn turned(found: Transform, turns: &[(DVec3, f64)]) {
    let (found, wanted) = (found.rotation.as_dquat(), product(turns));
    let off = (found - wanted).length().min((found + wanted).length());
    assert!(off < 2e-7, "{found}, not {wanted}");
}

#[track_caller]
pub fn is_sample(bvh: &Bvh) {
    assert_eq!((bvh.frames, bvh.frame_time, bvh.channels()), (2, 0.02, 9));
    assert_eq!(bvh.skeleton.parents(), [None, Some(JointId(0))]);
    assert_eq!(local(bvh, 0, 0).translation, Vec3::new(1.0, 81.0, -3.0));
    assert_eq!(local(bvh, 1, 0).translation, Vec3::new(2.0, 82.0, -4.0));
    turned(
        local(bvh, 1, 0),
        &[(DVec3::Y, 11.0), (DVec3::X, 22.0), (DVec3::Z, 33.0)],
    );
    turned(
        local(bvh, 0, 1),
        &[(DVec3::X, -40.0), (DVec3::Z, 50.0), (DVec3::Y, 60.0)],
    );
    turned(
        local(bvh, 1, 1),
        &[(DVec3::X, -44.0), (DVec3::Z, 55.0), (DVec3::Y, 66.0)],
    );
    assert_eq!(bvh.tips[0].offset, Vec3::new(0.0, 25.0, 0.0));
}

/// The same file with another text in one place.
pub fn with(old: &str, new: &str) -> String {
    assert_eq!(SAMPLE.matches(old).count(), 1, "{old}");
    SAMPLE.replace(old, new)
}
