//! The matrix types that the conversions take and return.

use crate::Scalar;
use crate::quaternion::Quaternion;

/// A 3x3 matrix: `[[f32; 3]; 3]`, `[[f64; 3]; 3]`, and with feature `glam` `Mat3`, `Mat3A`, `DMat3`, with feature `mint`
/// `mint::ColumnMatrix3` of either.
///
/// Arrays are columns: `m[column][row]`, as glam's `to_cols_array_2d` gives them. Sealed.
pub trait Matrix3: Copy + sealed::Sealed {
    /// `f32` or `f64`.
    type Scalar: Scalar;
    /// The quaternion type that goes with this matrix type.
    type Quat: Quaternion<Scalar = Self::Scalar>;

    /// The matrix as `[column][row]`.
    #[must_use]
    fn to_columns(self) -> [[Self::Scalar; 3]; 3];

    /// The matrix from `[column][row]`.
    #[must_use]
    fn from_columns(columns: [[Self::Scalar; 3]; 3]) -> Self;
}

pub(crate) mod sealed {
    pub trait Sealed {}
}

macro_rules! array_matrix {
    ($scalar:ty) => {
        impl sealed::Sealed for [[$scalar; 3]; 3] {}
        impl Matrix3 for [[$scalar; 3]; 3] {
            type Scalar = $scalar;
            type Quat = [$scalar; 4];
            #[inline(always)]
            fn to_columns(self) -> Self {
                self
            }
            #[inline(always)]
            fn from_columns(columns: Self) -> Self {
                columns
            }
        }
    };
}
array_matrix!(f32);
array_matrix!(f64);

#[cfg(feature = "glam")]
macro_rules! glam_matrix {
    ($matrix:ty, $scalar:ty, $quat:ty) => {
        impl sealed::Sealed for $matrix {}
        impl Matrix3 for $matrix {
            type Scalar = $scalar;
            type Quat = $quat;
            #[inline(always)]
            fn to_columns(self) -> [[$scalar; 3]; 3] {
                self.to_cols_array_2d()
            }
            #[inline(always)]
            fn from_columns(columns: [[$scalar; 3]; 3]) -> Self {
                Self::from_cols_array_2d(&columns)
            }
        }
    };
}
#[cfg(feature = "glam")]
glam_matrix!(glam::Mat3, f32, glam::Quat);
#[cfg(feature = "glam")]
glam_matrix!(glam::Mat3A, f32, glam::Quat);
#[cfg(feature = "glam")]
glam_matrix!(glam::DMat3, f64, glam::DQuat);
