//! The optional neighbours: `mint` types as matrices and quaternions, `approx` comparisons of [`Polar`](crate::Polar).

#[cfg(feature = "mint")]
mod mint_types {
    use crate::matrix::{Matrix3, sealed::Sealed};
    use crate::quaternion::Quaternion;

    macro_rules! mint_types {
        ($scalar:ty) => {
            impl Sealed for mint::ColumnMatrix3<$scalar> {}
            impl Matrix3 for mint::ColumnMatrix3<$scalar> {
                type Scalar = $scalar;
                type Quat = mint::Quaternion<$scalar>;
                fn to_columns(self) -> [[$scalar; 3]; 3] {
                    self.into()
                }
                fn from_columns(columns: [[$scalar; 3]; 3]) -> Self {
                    columns.into()
                }
            }
            impl Sealed for mint::Quaternion<$scalar> {}
            impl Quaternion for mint::Quaternion<$scalar> {
                type Scalar = $scalar;
                type Mat3 = mint::ColumnMatrix3<$scalar>;
                fn to_xyzw(self) -> [$scalar; 4] {
                    self.into()
                }
                fn from_xyzw_array(xyzw: [$scalar; 4]) -> Self {
                    xyzw.into()
                }
            }
        };
    }
    mint_types!(f32);
    mint_types!(f64);
}

#[cfg(feature = "approx")]
mod approx_polar {
    use crate::matrix::Matrix3;
    use crate::polar::Polar;
    use approx::{AbsDiffEq, RelativeEq, UlpsEq};

    /// Whether all eighteen pairs of elements compare.
    fn all<M: Matrix3>(a: &Polar<M>, b: &Polar<M>, compare: impl Fn(&M::Scalar, &M::Scalar) -> bool) -> bool {
        let same = |a: M, b: M| {
            let (a, b) = (a.to_columns(), b.to_columns());
            a.as_flattened()
                .iter()
                .zip(b.as_flattened())
                .all(|(a, b)| compare(a, b))
        };
        same(a.rotation, b.rotation) && same(a.stretch, b.stretch)
    }

    impl<M: Matrix3<Scalar: AbsDiffEq<Epsilon: Copy>> + PartialEq> AbsDiffEq for Polar<M> {
        type Epsilon = <M::Scalar as AbsDiffEq>::Epsilon;
        fn default_epsilon() -> Self::Epsilon {
            M::Scalar::default_epsilon()
        }
        fn abs_diff_eq(&self, other: &Self, epsilon: Self::Epsilon) -> bool {
            all(self, other, |a, b| a.abs_diff_eq(b, epsilon))
        }
    }

    impl<M: Matrix3<Scalar: RelativeEq<Epsilon: Copy>> + PartialEq> RelativeEq for Polar<M> {
        fn default_max_relative() -> Self::Epsilon {
            M::Scalar::default_max_relative()
        }
        fn relative_eq(&self, other: &Self, epsilon: Self::Epsilon, max_relative: Self::Epsilon) -> bool {
            all(self, other, |a, b| a.relative_eq(b, epsilon, max_relative))
        }
    }

    impl<M: Matrix3<Scalar: UlpsEq<Epsilon: Copy>> + PartialEq> UlpsEq for Polar<M> {
        fn default_max_ulps() -> u32 {
            M::Scalar::default_max_ulps()
        }
        fn ulps_eq(&self, other: &Self, epsilon: Self::Epsilon, max_ulps: u32) -> bool {
            all(self, other, |a, b| a.ulps_eq(b, epsilon, max_ulps))
        }
    }
}

#[cfg(test)]
mod tests {
    #[cfg(feature = "mint")]
    #[test]
    fn mint_types_go_in_and_out() {
        let m = mint::ColumnMatrix3::from([[0.0_f32, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]);
        let q: mint::Quaternion<f32> = crate::quat_from_mat3(m);
        assert!(
            (q.s - 0.5_f32.sqrt()).abs() < 1e-7 && (q.v.z - 0.5_f32.sqrt()).abs() < 1e-7,
            "{q:?}"
        );
        let back: [[f32; 3]; 3] = crate::mat3_from_quat(q).into();
        assert!((back[0][1] - 1.0).abs() < 1e-6, "{back:?}");
    }

    #[cfg(feature = "approx")]
    #[test]
    fn polar_parts_compare_element_by_element() {
        let m = [[2.0_f64, 0.1, 0.0], [0.0, 1.0, 0.2], [0.3, 0.0, 1.0]];
        let a = crate::polar_from_mat3(m).expect("a rotation");
        let mut b = a;
        b.stretch[2][1] += 1e-9;
        approx::assert_abs_diff_eq!(a, b, epsilon = 1e-8);
        approx::assert_abs_diff_ne!(a, b, epsilon = 1e-10);
        approx::assert_relative_ne!(a, b, max_relative = 1e-12);
        approx::assert_ulps_eq!(a, a);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn orders_and_polar_parts_survive_json() {
        for order in crate::EulerOrder::ALL {
            let text = serde_json::to_string(&order).expect("JSON");
            assert_eq!(text, std::format!("\"{order:?}\""), "the name as it is written");
            assert_eq!(
                serde_json::from_str::<crate::EulerOrder>(&text).expect("an order"),
                order
            );
        }
        let m = [[2.0_f64, 0.1, 0.0], [0.0, 1.0, 0.2], [0.3, 0.0, 1.0]];
        let polar = crate::polar_from_mat3(m).expect("a rotation");
        let text = serde_json::to_string(&polar).expect("JSON");
        // serde_json's parser may be off by the last bit of a number.
        let back: crate::Polar<[[f64; 3]; 3]> = serde_json::from_str(&text).expect("a polar");
        for (a, b) in polar
            .stretch
            .as_flattened()
            .iter()
            .zip(back.stretch.as_flattened())
        {
            assert!((a - b).abs() < 1e-15, "{text}");
        }
    }
}
