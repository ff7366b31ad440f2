//! Turning one bone towards a point, in closed form.

use core::f64::consts::PI;

use glam::{Affine3A, DQuat, DVec3, Quat, Vec3};

use crate::IkError;

/// How [`look_at`] turns the bone.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LookAtOptions {
    /// The bone's axis that looks, in its own space, of any length above 0.
    pub forward: Vec3,
    /// Where it looks from, in the bone's own space: an eye, a muzzle. Zero is the joint.
    pub offset: Vec3,
    /// The bone's axis that should stay upright, in its own space.
    pub up: Vec3,
    /// What upright means, a direction in model space; `None` leaves the roll to the shortest turn.
    pub pole: Option<Vec3>,
    /// The most that the bone turns, in radians, 0 to pi.
    pub limit: f32,
    /// How much of the turn is made, 0 to 1.
    pub weight: f32,
}

impl Default for LookAtOptions {
    /// Looks along z with y up, no pole, no limit, weight 1.
    fn default() -> Self {
        Self {
            forward: Vec3::Z,
            offset: Vec3::ZERO,
            up: Vec3::Y,
            pole: None,
            limit: core::f32::consts::PI,
            weight: 1.0,
        }
    }
}

/// The answer of [`look_at`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LookAt {
    /// To be multiplied from the right onto the bone's local rotation: `local * correction`.
    pub correction: Quat,
    /// The angle between where the bone looks after the correction and the target, in radians.
    pub error: f32,
}

/// The turn that makes a bone look at a target.
///
/// * `bone`: the bone's placement in model space, with positive scales.
/// * `target`: in model space. A target at the joint, or nearer to it than the line of sight, gets the nearest there is.
///
/// A target that moves past the back of a bone with a limit makes nothing snap from one side to the other: behind the
/// limit the turn is held, and over the last half of the way to straight behind it goes back to none. Near the pole
/// the roll fades out in the same way.
///
/// # Errors
/// [`IkError::TargetNotFinite`] for the target or a pole; [`IkError::LocalNotFinite`] for an option;
/// [`IkError::ZeroDirection`] for a forward or a pole of length zero, and with a pole for such an up;
/// [`IkError::JointTransform`]. The goal's index is 0.
///
/// ```
/// use elea_ik::glam::{Affine3A, Vec3};
/// use elea_ik::{LookAtOptions, look_at};
/// let head = Affine3A::from_translation(Vec3::Y);
/// let look = look_at(head, Vec3::new(5.0, 1.0, 0.0), &LookAtOptions::default())?;
/// assert!((look.correction * Vec3::Z).distance(Vec3::X) < 1e-6);
/// # Ok::<(), elea_ik::IkError>(())
/// ```
pub fn look_at(bone: Affine3A, target: Vec3, options: &LookAtOptions) -> Result<LookAt, IkError> {
    let rotation = rotation_of(bone)?;
    if !target.is_finite() || !options.pole.is_none_or(Vec3::is_finite) {
        return Err(IkError::TargetNotFinite { goal: 0 });
    }
    let numbers = [options.limit, options.weight];
    let vectors = [options.forward, options.offset, options.up];
    if !numbers.iter().all(|number| number.is_finite()) || !vectors.iter().all(|vector| vector.is_finite()) {
        return Err(IkError::LocalNotFinite { goal: 0 });
    }
    let unit = |v: Vec3| {
        v.as_dvec3()
            .try_normalize()
            .ok_or(IkError::ZeroDirection { goal: 0 })
    };
    let forward = unit(options.forward)?;
    // Everything in the bone's space, its scale left in the lengths.
    let scale = bone.matrix3.x_axis.as_dvec3().length();
    let offset = options.offset.as_dvec3() * scale;
    let to_target = rotation.inverse() * (target.as_dvec3() - bone.translation.as_dvec3());
    let distance = to_target.length();
    // The point of the line of sight that is as far from the joint as the target; the nearest one if none is.
    let along = offset.dot(forward);
    let ahead = (along * along + distance * distance - offset.length_squared())
        .max(0.0)
        .sqrt()
        - along;
    let seen = offset + forward * ahead;
    let (Some(from), Some(to)) = (seen.try_normalize(), to_target.try_normalize()) else {
        return Ok(LookAt {
            correction: Quat::IDENTITY,
            error: 0.0,
        });
    };
    let (axis, angle) = arc(from, to, options.up.as_dvec3());
    let limit = f64::from(options.limit).clamp(0.0, PI);
    let mut correction = DQuat::from_axis_angle(axis, held(angle, limit));
    if let Some(pole) = options.pole {
        let up = unit(options.up)?;
        correction = upright(correction, forward, up, rotation.inverse() * unit(pole)?);
    }
    correction = DQuat::IDENTITY.slerp(positive(correction), f64::from(options.weight).clamp(0.0, 1.0));
    let sees = (correction * seen).normalize_or_zero();
    let error = arc(sees, to, DVec3::Y).1;
    #[expect(clippy::cast_possible_truncation, reason = "an angle")]
    let error = error as f32;
    Ok(LookAt {
        correction: correction.as_quat().normalize(),
        error,
    })
}

/// How far to turn for a target at `angle`.
fn held(angle: f64, limit: f64) -> f64 {
    // From here on the turn goes back; without a limit, never.
    let back = 0.5 * (limit + PI);
    if angle <= back {
        return angle.min(limit);
    }
    let way = ((PI - angle) / (PI - back)).clamp(0.0, 1.0);
    // Without a limit `back` is pi, and what comes here is rounding.
    if limit >= PI {
        angle
    } else {
        limit * way * way * (3.0 - 2.0 * way)
    }
}

/// Rolls about the line of sight until `up` is as near to the pole as it can be.
fn upright(turn: DQuat, forward: DVec3, up: DVec3, pole: DVec3) -> DQuat {
    let sight = turn * forward;
    let (is, should) = (turn * up, pole);
    let (is, should) = (
        is.reject_from_normalized(sight),
        should.reject_from_normalized(sight),
    );
    let angle = sight.dot(is.cross(should)).atan2(is.dot(should));
    // Looking along the pole, every roll is upright: none is made there, and all of it 30 degrees away.
    let fade = (should.length_squared() / 0.25).min(1.0);
    DQuat::from_axis_angle(sight, angle * fade) * turn
}

/// Axis and angle of the shortest turn between unit vectors; for opposite ones about `side` made perpendicular.
pub(crate) fn arc(from: DVec3, to: DVec3, side: DVec3) -> (DVec3, f64) {
    let cross = from.cross(to);
    let angle = cross.length().atan2(from.dot(to));
    let axis = cross
        .try_normalize()
        .or_else(|| side.reject_from(from).try_normalize())
        .unwrap_or_else(|| from.any_orthonormal_vector());
    (axis, angle)
}

/// The sign of a quaternion that stands for at most half a turn.
pub(crate) fn positive(q: DQuat) -> DQuat {
    if q.w < 0.0 { -q } else { q }
}

/// The rotation of a placement without its scale.
pub(crate) fn rotation_of(bone: Affine3A) -> Result<DQuat, IkError> {
    if !bone.is_finite() {
        return Err(IkError::JointTransform);
    }
    elea::try_quat_from_mat3(bone.matrix3.as_dmat3()).map_err(|_| IkError::JointTransform)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn random_vector(random: &mut Random) -> Vec3 {
        DVec3::from_array([(); 3].map(|()| random.signed())).as_vec3()
    }

    fn random_bone(random: &mut Random) -> Affine3A {
        let rotation = Quat::from_euler(glam::EulerRot::XYZ, 3.0 * random_vector(random).x, 1.0, 2.0);
        Affine3A::from_scale_rotation_translation(Vec3::splat(0.01), rotation, random_vector(random))
    }

    /// The line of sight from the eye, after the correction, goes through the target.
    #[test]
    fn the_line_of_sight_goes_through_the_target() {
        let mut random = Random::new(3, 0);
        for _ in 0..2_000 {
            let bone = random_bone(&mut random);
            let options = LookAtOptions {
                forward: random_vector(&mut random),
                offset: 20.0 * random_vector(&mut random),
                pole: None,
                ..LookAtOptions::default()
            };
            let target = bone.transform_point3(100.0 * random_vector(&mut random).normalize());
            let look = look_at(bone, target, &options).expect("a valid problem");
            let turned = bone * Affine3A::from_quat(look.correction);
            let eye = turned.transform_point3(options.offset);
            let sight = turned.transform_vector3(options.forward).normalize();
            let miss = (target - eye).normalize().distance(sight);
            assert!(miss < 1e-4, "misses by {miss}");
            assert!(look.error < 1e-6, "and says {}", look.error);
        }
    }

    #[test]
    fn a_pole_keeps_the_bone_upright() {
        let mut random = Random::new(4, 0);
        for _ in 0..1_000 {
            let bone = random_bone(&mut random);
            let options = LookAtOptions {
                pole: Some(Vec3::Y),
                ..LookAtOptions::default()
            };
            let mut direction = random_vector(&mut random);
            direction.y *= 0.3;
            let target = Vec3::from(bone.translation) + 3.0 * direction.normalize();
            if direction.normalize().y.abs() > 0.86 {
                continue;
            }
            let look = look_at(bone, target, &options).expect("a valid problem");
            let turned = bone * Affine3A::from_quat(look.correction);
            let (sight, up) = (
                turned.transform_vector3(Vec3::Z).normalize(),
                turned.transform_vector3(Vec3::Y),
            );
            assert!(
                sight.distance(direction.normalize()) < 1e-4,
                "looks at the target"
            );
            let side = sight.cross(Vec3::Y).normalize();
            assert!(
                up.normalize().dot(side).abs() < 1e-4 && up.y > 0.0,
                "stands upright"
            );
        }
    }

    /// A head with a limit follows a target all around it without a step larger than a few times the target's.
    #[test]
    fn nothing_snaps_behind_the_back() {
        let options = LookAtOptions {
            limit: 1.2,
            ..LookAtOptions::default()
        };
        let mut last: Option<Quat> = None;
        for step in 0..=7_200_u16 {
            let angle = f32::from(step) * 0.05_f32.to_radians();
            let target = Vec3::new(angle.sin(), 0.0, angle.cos());
            let look = look_at(Affine3A::IDENTITY, target, &options).expect("a valid problem");
            let turn = 2.0 * look.correction.w.abs().min(1.0).acos();
            assert!(turn <= 1.2 + 1e-3, "turns by {turn}");
            if let Some(last) = last {
                // The way back is 1.2 rad in 0.97 rad of the target's, with a smooth step's 1.5 in the middle.
                let moved = look.correction.angle_between(last);
                assert!(
                    moved < 2.0 * 0.05_f32.to_radians() + 1e-3,
                    "snaps by {moved} at {angle}"
                );
            }
            last = Some(look.correction);
        }
    }

    #[test]
    fn odd_targets_are_answered() {
        let options = LookAtOptions {
            offset: Vec3::X,
            ..LookAtOptions::default()
        };
        for target in [
            Vec3::ZERO,
            0.1 * Vec3::X,
            Vec3::NEG_Z,
            1e9 * Vec3::ONE,
            1e-20 * Vec3::ONE,
        ] {
            let look = look_at(Affine3A::IDENTITY, target, &options).expect("an answer");
            assert!(
                look.correction.is_finite() && look.error.is_finite(),
                "{target}: {look:?}"
            );
        }
        let nan = look_at(Affine3A::IDENTITY, Vec3::NAN, &options);
        assert_eq!(nan, Err(IkError::TargetNotFinite { goal: 0 }));
        let zero = LookAtOptions {
            forward: Vec3::ZERO,
            ..options
        };
        assert_eq!(
            look_at(Affine3A::IDENTITY, Vec3::X, &zero),
            Err(IkError::ZeroDirection { goal: 0 })
        );
        let flat = Affine3A::from_scale(Vec3::ZERO);
        assert_eq!(look_at(flat, Vec3::X, &options), Err(IkError::JointTransform));
    }
}
