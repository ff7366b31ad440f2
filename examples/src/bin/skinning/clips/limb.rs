//! Two-bone placement for authoring keys: the law of cosines.

use glam::{Mat3, Quat, Vec3};

/// Rotations of the upper and lower bone (model space, from the rest pose in which `rest` holds root,
/// middle and tip) that bring the tip from `root` to `tip`, the middle joint towards `ahead`.
/// Out of reach the limb is stretched towards the tip.
pub(super) fn place(rest: [Vec3; 3], root: Vec3, tip: Vec3, ahead: Vec3) -> [Quat; 2] {
    let (upper, lower) = (rest[1] - rest[0], rest[2] - rest[1]);
    let (a, b) = (upper.length(), lower.length());
    let way = tip - root;
    let reach = way.length().clamp((a - b).abs() + 1e-4, (a + b) * 0.9995);
    let along = way.normalize();
    let bend = ahead.reject_from_normalized(along).normalize();
    let cosine = (a * a + reach * reach - b * b) / (2.0 * a * reach);
    let sine = (1.0 - cosine * cosine).max(0.0).sqrt();
    let new_upper = (along * cosine + bend * sine) * a;
    let new_lower = along * reach - new_upper;
    let side = |bone: Vec3, ahead: Vec3| {
        let axis = bone.normalize();
        let front = ahead.reject_from_normalized(axis).normalize();
        Mat3::from_cols(front, axis.cross(front), axis)
    };
    let turn = |from: Vec3, to: Vec3| {
        let rotation = side(to, ahead) * side(from, Vec3::Z).transpose();
        Quat::from_mat3(&rotation).normalize()
    };
    [turn(upper, new_upper), turn(lower, new_lower)]
}
