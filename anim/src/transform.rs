//! One joint's placement: translation, rotation, scale.

use glam::{Affine3A, Quat, Vec3};

/// A placement relative to a parent, composed as `T * R * S`: a point is scaled first, then rotated, then moved.
///
/// `translation` is in the data's own length unit, `rotation` is a unit quaternion (both its signs mean the same),
/// `scale` is per axis; a negative scale mirrors. See `elea::conventions`.
///
/// ```
/// use elea_anim::{Transform, glam::{Quat, Vec3}};
/// let transform = Transform { translation: Vec3::X, rotation: Quat::from_rotation_z(1.0), scale: Vec3::splat(2.0) };
/// let point = transform.to_affine().transform_point3(Vec3::Y);
/// assert!(point.distance(Vec3::X + transform.rotation * (Vec3::Y * 2.0)) < 1e-6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Transform {
    /// Position of the origin in the parent's space.
    pub translation: Vec3,
    /// Unit quaternion `[x, y, z, w]`, active.
    pub rotation: Quat,
    /// Factors along the joint's own axes.
    pub scale: Vec3,
}

impl Transform {
    /// No movement, no rotation, scale one.
    pub const IDENTITY: Self = Self {
        translation: Vec3::ZERO,
        rotation: Quat::IDENTITY,
        scale: Vec3::ONE,
    };

    /// A movement alone.
    #[must_use]
    pub const fn from_translation(translation: Vec3) -> Self {
        Self {
            translation,
            ..Self::IDENTITY
        }
    }

    /// A rotation alone.
    #[must_use]
    pub const fn from_rotation(rotation: Quat) -> Self {
        Self {
            rotation,
            ..Self::IDENTITY
        }
    }

    /// The same placement as a 3x4 matrix.
    #[must_use]
    pub fn to_affine(self) -> Affine3A {
        Affine3A::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }

    /// Whether every number is finite.
    #[must_use]
    pub fn is_finite(self) -> bool {
        self.translation.is_finite() && self.rotation.is_finite() && self.scale.is_finite()
    }
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}
