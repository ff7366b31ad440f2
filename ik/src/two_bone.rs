//! Arms and legs of two bones, in closed form.

use core::f64::consts::PI;

use glam::{Affine3A, DQuat, DVec3, Quat, Vec3};

use crate::IkError;
use crate::look_at::{arc, positive, rotation_of};

/// How [`two_bone`] bends the limb.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TwoBoneOptions {
    /// The axis about which the middle joint bends, in its own space: a positive rotation about it bends more. Its length
    /// does not matter; zero takes the plane in which the limb is bent already, and the pole where it is straight.
    pub hinge: Vec3,
    /// Where the middle joint should point, a direction in model space (forward for a knee); `None` keeps the plane of the
    /// pose.
    pub pole: Option<Vec3>,
    /// The least and the most that the middle joint is bent, in radians: 0 is straight, pi folded. From 0 to pi.
    pub bend: (f32, f32),
    /// The part of the limb's length over which it softly comes to its full extension, 0 to 1: 0.02 avoids the pop of a
    /// knee that straightens. Nearer targets are reached exactly; 0 switches it off.
    pub soften: f32,
    /// How much of the correction is made, 0 to 1.
    pub weight: f32,
}

impl Default for TwoBoneOptions {
    /// The plane of the pose, any bend, softened over 2 % of the length, weight 1.
    fn default() -> Self {
        Self {
            hinge: Vec3::ZERO,
            pole: None,
            bend: (0.0, core::f32::consts::PI),
            soften: 0.02,
            weight: 1.0,
        }
    }
}

/// The answer of [`two_bone`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoBone {
    /// To be multiplied from the right onto the start joint's local rotation: `local * correction`.
    pub start: Quat,
    /// To be multiplied from the right onto the middle joint's local rotation.
    pub middle: Quat,
    /// The distance that the end is away from the target after both corrections at weight 1.
    pub distance: f32,
}

/// The turns of shoulder and elbow (hip and knee) that bring the end of a limb to a target.
///
/// * `start`, `middle`: their placements in model space, with positive scales.
/// * `end`: the end's position in model space: a wrist, an ankle, a fingertip.
/// * `target`: in model space. One out of reach straightens the limb towards it; one too near folds it.
///
/// The end's own rotation goes along with the limb; to keep it, set its local rotation from the model space rotation
/// it should have.
///
/// # Errors
/// [`IkError::TargetNotFinite`] for the target, the end or the pole; [`IkError::LocalNotFinite`] for an option;
/// [`IkError::ZeroLength`] where a bone has no length; [`IkError::ZeroDirection`] for a pole of length zero;
/// [`IkError::JointTransform`]. The goal's index is 0.
///
/// ```
/// use elea_ik::glam::{Affine3A, Vec3};
/// use elea_ik::{TwoBoneOptions, two_bone};
/// let hip = Affine3A::from_translation(Vec3::new(0.0, 2.0, 0.0));
/// let knee = Affine3A::from_translation(Vec3::new(0.0, 1.0, 0.0));
/// let options = TwoBoneOptions { hinge: Vec3::X, pole: Some(Vec3::Z), ..TwoBoneOptions::default() };
/// let leg = two_bone(hip, knee, Vec3::ZERO, Vec3::new(0.0, 0.6, 0.3), &options)?;
/// assert!(leg.distance < 1e-6);
/// # Ok::<(), elea_ik::IkError>(())
/// ```
pub fn two_bone(
    start: Affine3A,
    middle: Affine3A,
    end: Vec3,
    target: Vec3,
    options: &TwoBoneOptions,
) -> Result<TwoBone, IkError> {
    let (start_rotation, middle_rotation) = (rotation_of(start)?, rotation_of(middle)?);
    check(end, target, options)?;
    let a = start.translation.as_dvec3();
    let (upper, lower) = (
        middle.translation.as_dvec3() - a,
        end.as_dvec3() - middle.translation.as_dvec3(),
    );
    let (l1, l2) = (upper.length(), lower.length());
    if l1 == 0.0 || l2 == 0.0 {
        return Err(IkError::ZeroLength);
    }
    let pole = match options.pole {
        None => None,
        Some(pole) => Some(
            pole.as_dvec3()
                .try_normalize()
                .ok_or(IkError::ZeroDirection { goal: 0 })?,
        ),
    };
    let to_target = target.as_dvec3() - a;
    let reach = soft_reach(
        to_target.length(),
        l1 + l2,
        f64::from(options.soften).clamp(0.0, 1.0),
    );

    // Bend the middle joint until the end is as far away as the target.
    let cos_bend = (reach * reach - l1 * l1 - l2 * l2) / (2.0 * l1 * l2);
    let (least, most) = (f64::from(options.bend.0), f64::from(options.bend.1));
    let bend = cos_bend
        .clamp(-1.0, 1.0)
        .acos()
        .clamp(least.clamp(0.0, PI), most.clamp(0.0, PI).max(least.max(0.0)));
    let hinge = find_hinge(upper, lower, middle_rotation * options.hinge.as_dvec3(), pole);
    let bent = hinge.dot(upper.cross(lower)).atan2(upper.dot(lower));
    let fold = DQuat::from_axis_angle(hinge, bend - bent);
    let folded = fold * lower;

    // Turn the whole limb so that the end lies on the way to the target.
    let (from, to) = (upper + folded, to_target);
    let swing = match (from.try_normalize(), to.try_normalize()) {
        (Some(from), Some(to)) => {
            let (axis, angle) = arc(from, to, hinge);
            DQuat::from_axis_angle(axis, angle)
        }
        _ => DQuat::IDENTITY,
    };
    let swing = match (
        pole,
        to.try_normalize().or_else(|| (swing * from).try_normalize()),
    ) {
        (Some(pole), Some(axis)) => twist_to_pole(swing, upper, hinge, axis, pole) * swing,
        _ => swing,
    };

    let distance = (swing * (upper + folded) - to_target).length();
    let weight = f64::from(options.weight).clamp(0.0, 1.0);
    let local = |frame: DQuat, turn: DQuat| {
        let correction = positive(frame.inverse() * turn * frame);
        DQuat::IDENTITY.slerp(correction, weight).as_quat().normalize()
    };
    #[expect(clippy::cast_possible_truncation, reason = "a distance of f32 points")]
    let distance = distance as f32;
    Ok(TwoBone {
        start: local(start_rotation, swing),
        middle: local(middle_rotation, fold),
        distance,
    })
}

fn check(end: Vec3, target: Vec3, options: &TwoBoneOptions) -> Result<(), IkError> {
    if !target.is_finite() || !end.is_finite() || !options.pole.is_none_or(Vec3::is_finite) {
        return Err(IkError::TargetNotFinite { goal: 0 });
    }
    let numbers = [options.bend.0, options.bend.1, options.soften, options.weight];
    if !numbers.iter().all(|number| number.is_finite()) || !options.hinge.is_finite() {
        return Err(IkError::LocalNotFinite { goal: 0 });
    }
    Ok(())
}

/// The distance to stretch to for a target at `distance`: itself up to `soften` before the full length, from there on an
/// exponential that comes to the full length only at infinity. Value and slope are continuous.
pub(crate) fn soft_reach(distance: f64, length: f64, soften: f64) -> f64 {
    let zone = soften * length;
    let begin = length - zone;
    if distance <= begin || zone == 0.0 {
        return distance;
    }
    begin + zone * (1.0 - (-(distance - begin) / zone).exp())
}

/// Sine of the bend below which the plane of the two bones is rounding of f32 positions.
const STRAIGHT: f64 = 1e-5;

/// The unit axis of the middle joint, perpendicular to both bones if they are not in line.
fn find_hinge(upper: DVec3, lower: DVec3, given: DVec3, pole: Option<DVec3>) -> DVec3 {
    let normal = upper.cross(lower);
    let is_bent = normal.length() > STRAIGHT * upper.length() * lower.length();
    let plane = if is_bent { normal.try_normalize() } else { None };
    if let Some(given) = given.try_normalize() {
        // The hinge says which way; the plane, where there is one, says exactly where.
        if let Some(plane) = plane
            && plane.dot(given).abs() > 0.5
        {
            return plane * plane.dot(given).signum();
        }
        if let Some(axis) = given.reject_from(lower).try_normalize() {
            return axis;
        }
    }
    // A knee that points to the pole folds the lower bone away from it.
    let from_pole = pole.and_then(|pole| pole.cross(upper).try_normalize());
    plane
        .or(from_pole)
        .unwrap_or_else(|| upper.normalize().any_orthonormal_vector())
}

/// Turns about the line to the target until the middle joint points to the pole; less and less where the pole is in line
/// with the target and says nothing.
fn twist_to_pole(swing: DQuat, upper: DVec3, hinge: DVec3, axis: DVec3, pole: DVec3) -> DQuat {
    let bone = (swing * upper).normalize();
    let mut points = bone.reject_from_normalized(axis);
    // A straight limb points where it would begin to bend to.
    if points.length() < STRAIGHT {
        points = axis.cross(swing * hinge);
    }
    let should = pole.reject_from_normalized(axis);
    let angle = axis.dot(points.cross(should)).atan2(points.dot(should));
    // All of it from 6 degrees on.
    let fade = (should.length_squared() / 0.01).min(1.0);
    DQuat::from_axis_angle(axis, angle * fade)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn random_vector(random: &mut Random) -> Vec3 {
        DVec3::from_array([(); 3].map(|()| random.signed())).as_vec3()
    }

    /// Where middle and end are after the corrections.
    fn apply(start: Affine3A, middle: Affine3A, end: Vec3, answer: &TwoBone) -> (Affine3A, Affine3A, Vec3) {
        let local = start.inverse() * middle;
        let new_start = start * Affine3A::from_quat(answer.start);
        let new_middle = new_start * local * Affine3A::from_quat(answer.middle);
        let new_end = new_middle.transform_point3(middle.inverse().transform_point3(end));
        (new_start, new_middle, new_end)
    }

    fn random_limb(random: &mut Random, scale: f32) -> (Affine3A, Affine3A, Vec3) {
        let rotation = |v: Vec3| Quat::from_euler(glam::EulerRot::XYZ, 3.0 * v.x, 3.0 * v.y, 3.0 * v.z);
        let start = Affine3A::from_scale_rotation_translation(
            Vec3::splat(scale),
            rotation(random_vector(random)),
            random_vector(random),
        );
        let offset = random_vector(random) / scale;
        let middle = start * Affine3A::from_rotation_translation(rotation(random_vector(random)), offset);
        (
            start,
            middle,
            middle.transform_point3(random_vector(random) / scale),
        )
    }

    /// Limbs bent in any way, of any lengths, under an armature of scale 1 and of scale 0.01.
    #[test]
    fn the_end_is_where_the_distance_says() {
        let mut random = Random::new(5, 0);
        for scale in [1.0, 0.01] {
            for _ in 0..2_000 {
                let (start, middle, end) = random_limb(&mut random, scale);
                let options = TwoBoneOptions {
                    soften: 0.0,
                    ..TwoBoneOptions::default()
                };
                let target = Vec3::from(start.translation) + random_vector(&mut random);
                let answer = two_bone(start, middle, end, target, &options).expect("a valid limb");
                let (_, new_middle, new_end) = apply(start, middle, end, &answer);
                let miss = new_end.distance(target);
                assert!(
                    (miss - answer.distance).abs() < 2e-4,
                    "says {} and is {miss} away",
                    answer.distance
                );
                let (l1, l2) = (
                    start.translation.distance(middle.translation),
                    middle.translation.distance(end.into()),
                );
                let asked = target.distance(start.translation.into());
                let possible = (asked - (l1 + l2)).max((l1 - l2).abs() - asked).max(0.0);
                assert!(
                    (miss - possible).abs() < 2e-4,
                    "misses by {miss}, could by {possible}"
                );
                let bone = start.translation.distance(new_middle.translation);
                assert!((bone - l1).abs() < 1e-4, "bones keep their lengths");
            }
        }
    }

    #[test]
    fn a_knee_points_to_its_pole_whichever_way_the_leg_goes() {
        let hip = Affine3A::from_translation(Vec3::new(0.0, 2.0, 0.0));
        let knee = Affine3A::from_translation(Vec3::new(0.0, 1.0, 0.0));
        for hinge in [Vec3::ZERO, Vec3::X] {
            let options = TwoBoneOptions {
                hinge,
                pole: Some(Vec3::Z),
                ..TwoBoneOptions::default()
            };
            for step in 0..60_u8 {
                let angle = 2.0 * f32::from(step) / 60.0 - 1.0;
                let target = Vec3::new(1.4 * angle.sin(), 2.0 - 1.4 * angle.cos(), 0.3 * angle);
                let answer = two_bone(hip, knee, Vec3::ZERO, target, &options).expect("a valid leg");
                let (_, new_knee, new_end) = apply(hip, knee, Vec3::ZERO, &answer);
                assert!(
                    new_end.distance(target) < 1e-5,
                    "foot off by {}",
                    new_end.distance(target)
                );
                let axis = (target - Vec3::from(hip.translation)).normalize();
                let points = Vec3::from(new_knee.translation - hip.translation)
                    .reject_from(axis)
                    .normalize();
                let should = Vec3::Z.reject_from(axis).normalize();
                assert!(
                    points.distance(should) < 1e-3,
                    "knee points to {points}, not {should}"
                );
            }
        }
    }

    /// A foot moves out along a line past the leg's length: the extension comes to its end without a jump of the knee, and
    /// never goes back.
    #[test]
    fn full_extension_does_not_pop() {
        let hip = Affine3A::IDENTITY;
        let knee = Affine3A::from_translation(Vec3::NEG_Y);
        let end = Vec3::new(0.0, -2.0, 0.0);
        let options = TwoBoneOptions {
            hinge: Vec3::X,
            pole: Some(Vec3::Z),
            soften: 0.05,
            ..TwoBoneOptions::default()
        };
        let (mut last_knee, mut last_reach) = (None::<Vec3>, 0.0_f32);
        for step in 0..=600_u16 {
            let distance = 1.7 + 0.001 * f32::from(step);
            let target = Vec3::new(0.0, -distance, 0.0);
            let answer = two_bone(hip, knee, end, target, &options).expect("a valid leg");
            let (_, new_knee, new_end) = apply(hip, knee, end, &answer);
            let knee_at = Vec3::from(new_knee.translation);
            if distance <= 1.9 {
                assert!(
                    new_end.distance(target) < 1e-5,
                    "inside the soft zone's begin the target is reached"
                );
            }
            assert!(
                new_end.length() <= 2.0 + 1e-5 && new_end.length() >= last_reach - 1e-6,
                "monotone"
            );
            if let Some(last) = last_knee {
                // The knee stands sqrt(1 - (d / 2)^2) out: per d that changes by d / (4 h) = 1.52 where the zone begins.
                assert!(
                    knee_at.distance(last) < 0.002,
                    "pops by {} at {distance}",
                    knee_at.distance(last)
                );
            }
            (last_knee, last_reach) = (Some(knee_at), new_end.length());
        }
    }

    #[test]
    fn the_bend_keeps_its_limits() {
        let hip = Affine3A::IDENTITY;
        let knee = Affine3A::from_translation(Vec3::NEG_Y);
        let options = TwoBoneOptions {
            hinge: Vec3::X,
            bend: (0.2, 2.0),
            ..TwoBoneOptions::default()
        };
        for (distance, expected) in [(0.3_f32, 2.0_f32), (5.0, 0.2)] {
            let target = Vec3::new(0.1, -distance, 0.0);
            let answer =
                two_bone(hip, knee, Vec3::new(0.0, -2.0, 0.0), target, &options).expect("a valid leg");
            let bend = 2.0 * answer.middle.w.acos();
            assert!((bend - expected).abs() < 1e-3, "bends by {bend}");
            assert!(
                answer.distance > 0.1,
                "and says that it is {} away",
                answer.distance
            );
        }
    }

    #[test]
    fn odd_input_is_answered_or_refused() {
        let hip = Affine3A::IDENTITY;
        let knee = Affine3A::from_translation(Vec3::NEG_Y);
        let end = Vec3::new(0.0, -2.0, 0.0);
        let options = TwoBoneOptions {
            pole: Some(Vec3::Z),
            ..TwoBoneOptions::default()
        };
        for target in [
            Vec3::ZERO,
            1e9 * Vec3::ONE,
            end,
            Vec3::new(0.0, 1.5, 0.0),
            Vec3::Z,
            Vec3::NEG_Z,
        ] {
            let answer = two_bone(hip, knee, end, target, &options).expect("an answer");
            assert!(
                answer.start.is_finite() && answer.middle.is_finite(),
                "{target}: {answer:?}"
            );
        }
        let refused = |target, end, options: &TwoBoneOptions| two_bone(hip, knee, end, target, options).err();
        assert_eq!(
            refused(Vec3::NAN, end, &options),
            Some(IkError::TargetNotFinite { goal: 0 })
        );
        assert_eq!(refused(Vec3::X, Vec3::NEG_Y, &options), Some(IkError::ZeroLength));
        let pole = TwoBoneOptions {
            pole: Some(Vec3::ZERO),
            ..options
        };
        assert_eq!(
            refused(Vec3::X, end, &pole),
            Some(IkError::ZeroDirection { goal: 0 })
        );
        let nan = TwoBoneOptions {
            soften: f32::NAN,
            ..options
        };
        assert_eq!(
            refused(Vec3::X, end, &nan),
            Some(IkError::LocalNotFinite { goal: 0 })
        );
    }
}
