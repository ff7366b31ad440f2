//! Why a matrix has no rotation to give.

use core::fmt;

/// Why a 3x3 matrix does not stand for a rotation.
///
/// The plain functions ([`quat_from_mat3`](crate::quat_from_mat3) and the Euler functions) answer for every input;
/// the `try_` form and [`polar_from_mat3`](crate::polar_from_mat3) give this instead of an answer that means nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum RotationError {
    /// An element is NaN or infinite.
    NotFinite,
    /// The matrix is zero or of rank one (to rounding): it says nothing about the rotation around its one direction.
    Singular,
    /// The matrix mirrors: its determinant is negative.
    Reflection {
        /// The determinant of the matrix as given; minus infinity or minus zero where it is beyond the range of `f64`.
        determinant: f64,
    },
}

impl fmt::Display for RotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite => f.write_str("the matrix has an element that is NaN or infinite"),
            Self::Singular => f.write_str("the matrix is singular: zero or of rank one"),
            Self::Reflection { determinant } => {
                write!(
                    f,
                    "the matrix is a reflection (determinant {determinant}), not a rotation"
                )
            }
        }
    }
}

impl core::error::Error for RotationError {}
