//! What every number of this family means. Each line is a test.
//!
//! # Matrices
//!
//! Vectors are columns: v' = M v. Arrays are `m[column][row]`, as glam's `to_cols_array_2d`.
//!
//! ```
//! // A quarter turn about z takes x to y: the first column is the image of the x axis.
//! let m: [[f64; 3]; 3] = elea::mat3_from_euler([0.0, 0.0, std::f64::consts::FRAC_PI_2], elea::EulerOrder::XYZ);
//! let x = m[0];
//! assert!(x[0].abs() < 1e-15 && (x[1] - 1.0).abs() < 1e-15 && x[2] == 0.0);
//! ```
//!
//! # Quaternions
//!
//! `[x, y, z, w]`, Hamilton's product (i j = k), active: q turns vectors, not axes. A right-handed turn by t about a unit axis
//! n is (n sin(t/2), cos(t/2)). No axis is "up".
//!
//! ```
//! // A quarter turn about x takes y to z.
//! let half = 0.5_f64.sqrt();
//! let m = elea::mat3_from_quat([half, 0.0, 0.0, half]);
//! assert!((m[1][2] - 1.0).abs() < 1e-15);
//! ```
//!
//! q and -q are one rotation. From a matrix w >= 0 is returned, and at w = 0 the first nonzero of x, y, z is positive; no
//! component is -0.
//!
//! ```
//! // A half turn about (-1, 1, 0): w = 0, so x is positive.
//! let half_turn = [[0.0, -1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, -1.0]];
//! let [x, y, z, w] = elea::quat_from_mat3::<[[f64; 3]; 3]>(half_turn);
//! assert!(x > 0.0 && y == -x && z == 0.0 && w == 0.0);
//! assert!(z.is_sign_positive() && w.is_sign_positive());
//! ```
//!
//! [`quat_from_euler`](crate::quat_from_euler) gives the sign of the product of its three half-angle quaternions instead: it
//! follows the angles without a flip.
//!
//! ```
//! let q: [f64; 4] = elea::quat_from_euler([2.0 * std::f64::consts::PI, 0.0, 0.0], elea::EulerOrder::XYZ);
//! assert!((q[3] + 1.0).abs() < 1e-15);
//! ```
//!
//! Quaternions that are taken in may have any length; zero and non-finite ones count as the identity.
//!
//! ```
//! assert_eq!(elea::mat3_from_quat([0.0, 0.0, 3.0e-30_f32, 0.0])[0], [-1.0, 0.0, 0.0]);
//! assert_eq!(elea::euler_from_quat([f32::NAN; 4], elea::EulerOrder::XYZ), [0.0; 3]);
//! ```
//!
//! # Nearest
//!
//! The rotation of a matrix is the one nearest to it in the Frobenius norm. Scale and shear do not count, a determinant
//! below zero gives the nearest proper rotation; NaN, infinities and zero give the identity.
//!
//! ```
//! use elea::RotationError;
//! let zero = [[0.0_f32; 3]; 3];
//! assert_eq!(elea::quat_from_mat3(zero), [0.0, 0.0, 0.0, 1.0]);
//! assert_eq!(elea::try_quat_from_mat3(zero), Err(RotationError::Singular));
//! ```
//!
//! # Euler angles
//!
//! Radians, in the order of the letters of [`EulerOrder`](crate::EulerOrder). The letters are a matrix product, so that the
//! last letter turns first about the fixed axes, and the first letter first about the moving ones (intrinsic).
//!
//! ```
//! use elea::{EulerOrder, mat3_from_euler, quat_from_euler};
//! type M = [[f64; 3]; 3];
//! let product = |a: M, b: M| -> M {
//!     std::array::from_fn(|c| std::array::from_fn(|r| (0..3).map(|k| a[k][r] * b[c][k]).sum()))
//! };
//! let (a, b, c) = (0.3, -0.7, 1.1);
//! let x = mat3_from_euler([a, 0.0, 0.0], EulerOrder::XYZ);
//! let y = mat3_from_euler([0.0, b, 0.0], EulerOrder::XYZ);
//! let z = mat3_from_euler([0.0, 0.0, c], EulerOrder::XYZ);
//! let close = |m: M, n: M| m.iter().flatten().zip(n.iter().flatten()).all(|(p, q)| (p - q).abs() < 1e-15);
//! assert!(close(mat3_from_euler([a, b, c], EulerOrder::XYZ), product(product(x, y), z)));
//! // Extrinsic: about fixed axes, first letter first.
//! assert!(close(mat3_from_euler([a, b, c], EulerOrder::XYZEx), product(product(z, y), x)));
//! ```
//!
//! Ranges: the outer angles are in (-pi, pi], the middle one in [-pi/2, pi/2] for Tait-Bryan orders (three different letters)
//! and in [0, pi] for proper ones.
//!
//! ```
//! use elea::{EulerOrder, euler_from_quat};
//! let [a, b, c] = euler_from_quat([0.5_f64, -0.5, 0.1, -0.7], EulerOrder::ZXZ);
//! assert!(a.abs() <= std::f64::consts::PI && (0.0..=std::f64::consts::PI).contains(&b) && c.abs() <= std::f64::consts::PI);
//! ```
//!
//! The lock: where the middle angle is +-pi/2 (Tait-Bryan), 0 or pi (proper), only the sum or the difference of the outer angles
//! is determined. There is no threshold around it. At the exact lock the other combination is 0.
//!
//! ```
//! use elea::{EulerOrder, euler_from_quat};
//! // x by 0.4 is all there is; ZXZ would write it as any a + c = 0.
//! let [a, b, c] = euler_from_quat([0.0, 0.0, 0.2_f64.sin(), 0.2_f64.cos()], EulerOrder::ZXZ);
//! assert!((a - 0.2).abs() < 1e-15 && b == 0.0 && (c - 0.2).abs() < 1e-15);
//! ```
//!
//! With a reference the combination is the reference's, and angles are unwrapped toward it. The tolerance is the radius of the
//! lock's neighbourhood, in radians, in which the rotation may be given up for smoothness; below 4 roundings it counts
//! as 4 roundings.
//!
//! ```
//! use elea::{EulerOrder, euler_from_quat_near};
//! let turned_back = [0.0, 0.0, (-0.04_f64).sin(), (-0.04_f64).cos()]; // -0.08 about z
//! let [_, _, c] = euler_from_quat_near(turned_back, EulerOrder::XYZ, [0.0, 0.0, 6.2], 0.0);
//! assert!((c - (std::f64::consts::TAU - 0.08)).abs() < 1e-14);
//! ```
//!
//! # Errors
//!
//! Errors of rotations are angles in radians, as [`angle_between`](crate::angle_between) gives them: 0 to pi.
//!
//! ```
//! assert!((elea::angle_between([1.0_f64, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]) - std::f64::consts::PI).abs() < 1e-15);
//! ```
//!
//! # Builds
//!
//! Features never change a number. Sine, cosine and arc tangent are elea's own; only the square root comes from `std` or
//! `libm`, and that is exact to rounding in both. The batch forms give the bits of the single calls on every CPU.
//!
//! ```
//! let matrices = [[[0.9_f32, 0.1, 0.0], [-0.1, 0.9, 0.2], [0.0, -0.2, 1.1]]; 13];
//! let mut quats = [[0.0; 4]; 13];
//! elea::quats_from_mat3s(&matrices, &mut quats);
//! assert_eq!(quats, [elea::quat_from_mat3(matrices[0]); 13]);
//! ```
//!
//! # The crates above
//!
//! Seconds, and whatever length unit the data has. Transforms compose as translation * rotation * scale. Spaces are local (to
//! the parent), model and bind. A palette is model * inverse bind, as three rows of four. Parents stand before children.
