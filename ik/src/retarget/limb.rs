//! Arms and legs: two bones by two directions, or by the end point.

use glam::{Quat, Vec3};

/// A bone shorter than this part of its limb has no direction.
pub(super) const MIN_BONE: f32 = 1e-4;

/// The bend of a limb (sine of the angle between upper bone and the line to its end) under which the bend's plane is
/// more and more taken from the figure instead: the plane of a straight limb is noise.
const MIN_BEND: f32 = 0.05;

/// Cosines nearer to -1 than this are opposite directions: their cross product has no digits left (8 eps).
const OPPOSITE: f32 = 1e-6;

/// A limb is folded to no less than this part of its length: its end then still has a direction in f32.
const MIN_REACH: f32 = 1e-6;

/// The smallest rotation that takes `from` to `to` (any lengths); the identity where one has no direction. Opposite
/// directions turn about an axis at right angles.
pub(super) fn arc(from: Vec3, to: Vec3) -> Quat {
    let (Some(from), Some(to)) = (from.try_normalize(), to.try_normalize()) else {
        return Quat::IDENTITY;
    };
    let dot = from.dot(to);
    if dot <= -1.0 + OPPOSITE {
        return Quat::from_axis_angle(from.any_orthonormal_vector(), std::f32::consts::PI);
    }
    // glam's from_rotation_arc gives the identity below 5e-4 radians, a step that a smooth motion shows as jitter.
    let axis = from.cross(to);
    Quat::from_xyzw(axis.x, axis.y, axis.z, 1.0 + dot).normalize()
}

/// Directions of the two bones (unit) so that the limb's end comes to `reach` from its start.
///
/// * `lengths`: upper and lower bone, > 0.
/// * `upper`: the upper bone's present direction; the bend stays in its plane with `reach`, on its side.
/// * `side`: where the middle joint goes when the limb is straight (any length).
///
/// Too far or too near: the limb is straight, or folded, along `reach`.
pub(super) fn two_bone(lengths: [f32; 2], reach: Vec3, upper: Vec3, side: Vec3) -> [Vec3; 2] {
    let [a, b] = lengths;
    let distance = reach
        .length()
        .clamp((a - b).abs().max(MIN_REACH * (a + b)), a + b);
    let along = reach.try_normalize().unwrap_or(upper);
    let bend = upper - along * upper.dot(along);
    let help = side - along * side.dot(along);
    let bend = (bend + help.normalize_or_zero() * MIN_BEND)
        .try_normalize()
        .unwrap_or_else(|| along.any_orthonormal_vector());
    let cosine = ((a * a + distance * distance - b * b) / (2.0 * a * distance)).clamp(-1.0, 1.0);
    let sine = (1.0 - cosine * cosine).max(0.0).sqrt();
    let first = along * cosine + bend * sine;
    let second = (along * distance - first * a).try_normalize().unwrap_or(along);
    [first, second]
}
