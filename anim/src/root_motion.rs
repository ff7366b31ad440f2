//! The part of an animation that moves the whole character.

use glam::{Quat, Vec3};

use crate::{JointId, Transform, skeleton::unit_quat};

/// How far a character moved in one step, in its own space at the step's beginning:
/// `character = character * motion`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct RootMotion {
    /// In the data's length unit.
    pub translation: Vec3,
    /// Unit quaternion.
    pub rotation: Quat,
}

impl RootMotion {
    /// No motion.
    pub const NONE: Self = Self {
        translation: Vec3::ZERO,
        rotation: Quat::IDENTITY,
    };

    /// The motion as a transform of scale one.
    #[must_use]
    pub const fn to_transform(self) -> Transform {
        Transform {
            translation: self.translation,
            rotation: self.rotation,
            scale: Vec3::ONE,
        }
    }

    /// First this motion, then `next`.
    pub fn then(self, next: Self) -> Self {
        Self {
            translation: self.translation + self.rotation * next.translation,
            rotation: (self.rotation * next.rotation).normalize(),
        }
    }

    fn inverse(self) -> Self {
        let rotation = self.rotation.conjugate();
        Self {
            translation: rotation * -self.translation,
            rotation,
        }
    }
}

impl Default for RootMotion {
    fn default() -> Self {
        Self::NONE
    }
}

/// Which part of which joint moves the character ([`Animux::set_root_motion`](crate::Animux::set_root_motion)).
///
/// That part is taken out of the pose and given as [`RootMotion`] instead: the character's own transform times
/// the pose is what the clip alone would have shown.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RootTrack {
    /// Usually the root, or the hips.
    pub joint: JointId,
    /// Which coordinates of its translation to take: `[true, false, true]` for walking on the xz plane.
    pub axes: [bool; 3],
    /// The rotation about this axis is taken (the twist about "up"); `None` leaves all rotation in the pose.
    /// Of any length above zero.
    pub turn: Option<Vec3>,
}

impl RootTrack {
    /// The part of the joint's transform that moves the character.
    pub(crate) fn part(&self, transform: Transform) -> RootMotion {
        let taken = |axis: usize| {
            if self.axes[axis] {
                transform.translation[axis]
            } else {
                0.0
            }
        };
        let rotation = self
            .turn
            .map_or(Quat::IDENTITY, |axis| twist(transform.rotation, axis));
        RootMotion {
            translation: Vec3::new(taken(0), taken(1), taken(2)),
            rotation,
        }
    }

    /// What remains of the joint's transform.
    pub(crate) fn rest_of(&self, transform: Transform) -> Transform {
        let RootMotion {
            translation,
            rotation,
        } = self.part(transform);
        let inverse = rotation.conjugate();
        Transform {
            translation: inverse * (transform.translation - translation),
            rotation: inverse * transform.rotation,
            scale: transform.scale,
        }
    }

    /// The motion from one transform of the joint to another.
    pub(crate) fn between(&self, from: Transform, to: Transform) -> RootMotion {
        self.part(from).inverse().then(self.part(to))
    }
}

/// The rotation about `axis` in `rotation` (swing-twist decomposition, `rotation = twist * swing`).
///
/// A half turn about an axis across `axis` has no twist to speak of: the identity is given.
fn twist(rotation: Quat, axis: Vec3) -> Quat {
    let along = Vec3::new(rotation.x, rotation.y, rotation.z).dot(axis) / axis.length_squared();
    let part = Quat::from_vec4((axis * along).extend(rotation.w));
    if part.is_finite() {
        unit_quat(part).unwrap_or(Quat::IDENTITY)
    } else {
        Quat::IDENTITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_taken_out_and_the_rest_make_the_whole() {
        let track = RootTrack {
            joint: JointId(0),
            axes: [true, false, true],
            turn: Some(Vec3::Y * 3.0),
        };
        let whole = Transform {
            translation: Vec3::new(1.0, 2.0, 3.0),
            rotation: Quat::from_rotation_y(2.5) * Quat::from_rotation_x(0.4),
            scale: Vec3::ONE,
        };
        let part = track.part(whole);
        let rest = track.rest_of(whole);
        assert!(
            part.rotation.angle_between(Quat::from_rotation_y(2.5)) < 1e-3,
            "{:?}",
            part.rotation
        );
        assert!(
            rest.rotation.abs_diff_eq(Quat::from_rotation_x(0.4), 1e-6),
            "{:?}",
            rest.rotation
        );
        let again = part.to_transform().to_affine() * rest.to_affine();
        assert!(again.abs_diff_eq(whole.to_affine(), 1e-6), "{again:?}");
    }

    #[test]
    fn motions_follow_one_another() {
        let turn = RootMotion {
            translation: Vec3::Z,
            rotation: Quat::from_rotation_y(std::f32::consts::FRAC_PI_2),
        };
        let both = turn.then(turn);
        assert!(
            both.translation.abs_diff_eq(Vec3::new(1.0, 0.0, 1.0), 1e-6),
            "{both:?}"
        );
        assert!(
            turn.then(turn.inverse()).translation.length() < 1e-6,
            "the inverse undoes it"
        );
    }
}
