//! Polar decomposition: a matrix as rotation times stretch.

use crate::error::RotationError;
use crate::matrix::Matrix3;
use crate::nearest::{UnitScale, nearest_at_unit_scale};
use crate::quaternion::{checked_unit_scale, columns_from_xyzw};
use crate::scalar::Real;

/// `m = rotation * stretch`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Polar<M> {
    /// The proper rotation nearest to the matrix.
    pub rotation: M,
    /// Symmetric: scale along three perpendicular axes. Positive for det > 0; a matrix that mirrors has one negative axis
    /// here, so that nothing is lost.
    pub stretch: M,
}

/// Splits `m` into a rotation and the symmetric stretch that comes before it: `m = rotation * stretch`.
///
/// For importers that need the scale and shear of a bone's matrix. The rotation is the one of
/// [`quat_from_mat3`](crate::quat_from_mat3). For det < 0 it is still proper and the stretch has one negative axis; where
/// several rotations are equally near (a mirrored uniform scale, say) it is the one nearest to the identity.
///
/// The product is within 2e-15 (`f64`) or 1.5e-7 (`f32`) of `m`, relative to its Frobenius norm; the stretch is symmetric to the
/// bit. Elements of the stretch that are beyond the type, as those of a matrix near its largest number may be, are infinite.
///
/// # Errors
///
/// [`RotationError::NotFinite`] and [`RotationError::Singular`] (zero or rank one), as
/// [`try_quat_from_mat3`](crate::try_quat_from_mat3); never `Reflection`.
///
/// ```
/// let mirrored = [[2.0_f64, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, -2.0]];
/// let polar = elea::polar_from_mat3(mirrored)?;
/// assert_eq!(polar.rotation, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
/// assert_eq!(polar.stretch, mirrored);
/// # Ok::<(), elea::RotationError>(())
/// ```
pub fn polar_from_mat3<M: Matrix3>(m: M) -> Result<Polar<M>, RotationError> {
    let columns = m.to_columns();
    let unit: UnitScale = checked_unit_scale(columns)?;
    let rotation = columns_from_xyzw(nearest_at_unit_scale(&unit));
    let columns = columns.map(|c| c.map(Real::to_f64));
    // rotation^T * m, element [column][row]
    let product = |c: usize, r: usize| {
        rotation[r][0] * columns[c][0] + rotation[r][1] * columns[c][1] + rotation[r][2] * columns[c][2]
    };
    let stretch: [[f64; 3]; 3] =
        core::array::from_fn(|c| core::array::from_fn(|r| 0.5 * product(c, r) + 0.5 * product(r, c)));
    Ok(Polar {
        rotation: M::from_columns(rotation.map(|c| c.map(Real::from_f64))),
        stretch: M::from_columns(stretch.map(|c| c.map(Real::from_f64))),
    })
}
