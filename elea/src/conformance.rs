//! Our stability tests, run on your conversion.
//!
//! [`check_quat_from_mat3`] and [`check_euler_from_mat3`] call a conversion with families of matrices that plant what goes
//! wrong in practice, and compare it with the nearest rotation, known to 30 digits. The [`Report`] prints as a table, and
//! [`Report::assert_within`] turns it into a test.
//!
//! ```
//! use elea::conformance::check_quat_from_mat3;
//!
//! check_quat_from_mat3(|m: [[f32; 3]; 3]| elea::quat_from_mat3(m)).assert_within(4e-7);
//!
//! // glam's is exact for rotations, and far off for matrices that carry noise.
//! # #[cfg(feature = "glam")] {
//! use elea::glam::{Mat3, Quat};
//! let glam = check_quat_from_mat3(|m: Mat3| Quat::from_mat3(&m));
//! assert!(glam.family("uniform").unwrap().worst < 4e-7);
//! assert!(glam.family("noise 1e-1").unwrap().worst > 0.1);
//! # }
//! ```

mod families;
mod reference;

use crate::euler::EulerOrder;
use crate::matrix::Matrix3;
use crate::quaternion::Quaternion;
use crate::scalar::Real;
pub(crate) use families::Random;
use families::{Case, FAMILIES, Matrix, Precision, about, multiply, rotation};
use reference::{Nearest, angle, nearest};
use std::fmt;
use std::string::String;
use std::vec::Vec;

/// Cases a family of [`check_quat_from_mat3`] and [`check_euler_from_mat3`].
pub const CASES: u64 = 2000;

/// What a conversion did on one family of inputs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FamilyReport {
    /// Name of the family.
    pub name: String,
    /// Number of inputs.
    pub cases: u64,
    /// Largest angle between the answer and the nearest rotation, in radians.
    pub worst: f64,
    /// Mean of these angles.
    pub mean: f64,
    /// Largest angle divided by half the input's condition s1 / (s2 + s3), where that is above 2: what
    /// [`Report::assert_within`] compares. (s1 >= s2 >= |s3| are the singular values, s3 < 0 for a reflection.)
    pub worst_scaled: f64,
    /// Largest | |q| - 1 |; 0 for Euler angles.
    pub worst_length: f64,
    /// How much farther than the exact answers two answers to neighbouring inputs are apart, at most: a quaternion distance.
    pub worst_jump: f64,
    /// Answers with a NaN or an infinity; they count in none of the other figures.
    pub not_finite: u64,
    /// The input of the largest angle, `[column][row]`.
    pub worst_input: [[f64; 3]; 3],
}

impl FamilyReport {
    fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            cases: 0,
            worst: 0.0,
            mean: 0.0,
            worst_scaled: 0.0,
            worst_length: 0.0,
            worst_jump: 0.0,
            not_finite: 0,
            worst_input: [[0.0; 3]; 3],
        }
    }

    fn add(&mut self, input: Matrix, exact: &Nearest, answer: [f64; 4]) {
        self.cases += 1;
        if !answer.iter().all(|v| v.is_finite()) {
            if self.not_finite == 0 {
                self.worst_input = input;
            }
            self.not_finite += 1;
            return;
        }
        let length = answer.iter().map(|v| v * v).sum::<f64>().sqrt();
        let unit = if length > 0.0 {
            answer.map(|v| v / length)
        } else {
            [0.0, 0.0, 0.0, 1.0]
        };
        let error = angle(unit, exact.quaternion);
        self.mean += error;
        self.worst_length = self.worst_length.max((length - 1.0).abs());
        self.worst_scaled = self.worst_scaled.max(error / (0.5 * exact.condition).max(1.0));
        if error > self.worst {
            self.worst = error;
            if self.not_finite == 0 {
                self.worst_input = input;
            }
        }
    }

    fn finish(mut self) -> Self {
        let finite = self.cases - self.not_finite;
        self.mean = if finite > 0 {
            self.mean / finite as f64
        } else {
            f64::NAN
        };
        self
    }
}

/// What a conversion did on all families. Its `Display` is a table in Markdown.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// One entry a family.
    pub families: Vec<FamilyReport>,
}

impl Report {
    /// The family of that name.
    #[must_use]
    pub fn family(&self, name: &str) -> Option<&FamilyReport> {
        self.families.iter().find(|f| f.name == name)
    }

    /// Fails where an answer is farther from the nearest rotation than `angle` radians, jumps by more than `angle`, has a
    /// length that is off by more, or is not finite. Inputs with a condition above 2 may be off by `angle` times half of it.
    ///
    /// # Panics
    ///
    /// With the table of the report, when a family is beyond the bound.
    #[track_caller]
    pub fn assert_within(&self, angle: f64) {
        for f in &self.families {
            assert!(
                f.not_finite == 0
                    && f.worst_scaled <= angle
                    && f.worst_jump <= angle
                    && f.worst_length <= angle,
                "family `{}` is beyond {angle:e}; its worst input, by columns: {:?}\n{self}",
                f.name,
                f.worst_input
            );
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| family | worst angle | mean angle | worst / condition | length | jump | not finite | worst input, columns |\n\
             |-|-:|-:|-:|-:|-:|-:|-|"
        )?;
        for r in &self.families {
            writeln!(
                f,
                "| {} | {:.1e} | {:.1e} | {:.1e} | {:.1e} | {:.1e} | {} of {} | {:?} |",
                r.name,
                r.worst,
                r.mean,
                r.worst_scaled,
                r.worst_length,
                r.worst_jump,
                r.not_finite,
                r.cases,
                r.worst_input
            )?;
        }
        Ok(())
    }
}

fn precision<T: Real>() -> Precision {
    Precision {
        epsilon: T::EPSILON.to_f64(),
        decades: T::DECADES,
        round: |v| T::from_f64(v).to_f64(),
    }
}

/// The case rounded to the precision of `M`, with the nearest rotation of what came of it.
fn posed<M: Matrix3>(case: Case) -> Option<(M, Matrix, Nearest)> {
    let columns = case.matrix.map(|c| c.map(M::Scalar::from_f64));
    let rounded = columns.map(|c| c.map(Real::to_f64));
    nearest(rounded, case.start).map(|exact| (M::from_columns(columns), rounded, exact))
}

fn each_case<M: Matrix3>(family: &families::Family, cases: u64, mut take: impl FnMut(M, Matrix, Nearest)) {
    let mut random = Random(0x656c_6561);
    let mut index = 0;
    let mut taken = 0;
    // The few cases whose nearest rotation has no proof are drawn again.
    while taken < cases && index < 2 * cases {
        let case = (family.case)(&mut random, index, precision::<M::Scalar>());
        index += 1;
        if let Some((m, rounded, exact)) = posed::<M>(case) {
            taken += 1;
            take(m, rounded, exact);
        }
    }
}

/// Tries a conversion from matrix to quaternion on every family, with [`CASES`] cases each.
///
/// The conversion's answers may have either sign. `M` is any matrix type of elea's; name it in the closure.
#[must_use]
pub fn check_quat_from_mat3<M: Matrix3>(convert: impl FnMut(M) -> M::Quat) -> Report {
    check_quat_from_mat3_with(CASES, convert)
}

/// [`check_quat_from_mat3`] with another number of cases a family.
#[must_use]
pub fn check_quat_from_mat3_with<M: Matrix3>(cases: u64, mut convert: impl FnMut(M) -> M::Quat) -> Report {
    let mut convert = |m: M| convert(m).to_xyzw().map(Real::to_f64);
    let mut families: Vec<FamilyReport> = FAMILIES
        .iter()
        .map(|family| {
            let mut report = FamilyReport::new(family.name);
            each_case::<M>(family, cases, |m, rounded, exact| {
                report.add(rounded, &exact, convert(m));
            });
            report.finish()
        })
        .collect();
    families.push(continuity::<M>(cases.div_ceil(4), &mut convert));
    Report { families }
}

/// Bisections of a path that changes by about one radian: down to a rounding of `f64`.
const BISECTIONS: u32 = 50;

/// Walks from one noisy rotation to another and halves the path toward the larger excess over the exact answers: where a
/// conversion switches formulae on the way, the two sides of the switch are what is left.
fn continuity<M: Matrix3>(paths: u64, convert: &mut impl FnMut(M) -> [f64; 4]) -> FamilyReport {
    let mut report = FamilyReport::new("continuity");
    let mut random = Random(0x6a75_6d70);
    let noises = [0.0, 1e-3, 1e-2, 1e-1];
    for n in 0..paths {
        let noise = noises[(n % 4) as usize];
        let start = random.quaternion();
        let axis = random.direction();
        let turn = random.range(0.5, 3.0);
        let mut stretch = rotation([0.0, 0.0, 0.0, 1.0]);
        for v in stretch.as_flattened_mut() {
            *v += noise * random.range(-1.0, 1.0);
        }
        let base = multiply(rotation(start), stretch);
        let mut at = |t: f64| {
            let matrix = multiply(rotation(about(axis, t * turn)), base);
            let (m, rounded, exact) = posed::<M>(Case { matrix, start })?;
            Some((rounded, exact, convert(m)))
        };
        let (mut low, mut high) = (0.0, 1.0);
        let (Some(mut a), Some(mut b)) = (at(low), at(high)) else {
            continue;
        };
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (low + high);
            let Some(c) = at(middle) else { break };
            report.add(c.0, &c.1, c.2);
            let excess = |p: &(Matrix, Nearest, [f64; 4]), q: &(Matrix, Nearest, [f64; 4])| {
                distance(p.2, q.2) - distance(p.1.quaternion, q.1.quaternion)
            };
            let (first, second) = (excess(&a, &c), excess(&c, &b));
            if first > second {
                (high, b) = (middle, c);
            } else {
                (low, a) = (middle, c);
            }
            // Only what neighbours do is a jump; far apart it would be plain error.
            if high - low < 1e-3 {
                report.worst_jump = report.worst_jump.max(first).max(second);
            }
        }
    }
    report.finish()
}

/// The distance of two quaternions, up to sign.
fn distance(a: [f64; 4], b: [f64; 4]) -> f64 {
    let length = |s: f64| {
        (0..4)
            .map(|i| (a[i] - s * b[i]) * (a[i] - s * b[i]))
            .sum::<f64>()
            .sqrt()
    };
    length(1.0).min(length(-1.0))
}

/// Tries a conversion from matrix to Euler angles (in the order of the letters, radians) on every family, and on rotations
/// at and near the lock, by the rotation that its angles stand for.
#[must_use]
pub fn check_euler_from_mat3<M: Matrix3>(
    order: impl Into<EulerOrder>,
    convert: impl FnMut(M) -> [M::Scalar; 3],
) -> Report {
    check_euler_from_mat3_with(CASES, order, convert)
}

/// [`check_euler_from_mat3`] with another number of cases a family.
#[must_use]
pub fn check_euler_from_mat3_with<M: Matrix3>(
    cases: u64,
    order: impl Into<EulerOrder>,
    mut convert: impl FnMut(M) -> [M::Scalar; 3],
) -> Report {
    let order = order.into();
    let mut convert = |m: M| rebuilt(convert(m).map(Real::to_f64), order);
    let mut families = Vec::new();
    for family in &FAMILIES {
        let mut report = FamilyReport::new(family.name);
        each_case::<M>(family, cases, |m, rounded, exact| {
            report.add(rounded, &exact, convert(m));
        });
        report.worst_length = 0.0;
        families.push(report.finish());
    }
    let least = M::Scalar::EPSILON.to_f64().log10().floor();
    let mut distances: Vec<f64> = (1..)
        .map(|n| 10_f64.powi(-n))
        .take_while(|d| d.log10() >= least)
        .collect();
    distances.push(0.0);
    for distance in distances {
        let mut report = FamilyReport::new(&std::format!("lock at {distance:e}"));
        let mut random = Random(0x6c6f_636b);
        for n in 0..cases {
            let side = if n % 2 == 0 { 1.0 } else { -1.0 };
            let lock = if order.is_proper() {
                if n % 4 < 2 { 0.0 } else { core::f64::consts::PI }
            } else {
                side * core::f64::consts::FRAC_PI_2
            };
            let angles = [
                random.range(-3.1, 3.1),
                lock + side * distance,
                random.range(-3.1, 3.1),
            ];
            let start = rebuilt(angles, order);
            if let Some((m, rounded, exact)) = posed::<M>(Case {
                matrix: rotation(start),
                start,
            }) {
                report.add(rounded, &exact, convert(m));
            }
        }
        report.worst_length = 0.0;
        families.push(report.finish());
    }
    Report { families }
}

/// The rotation of Euler angles, by plain products with the standard library's sine and cosine.
fn rebuilt(angles: [f64; 3], order: EulerOrder) -> [f64; 4] {
    let turns: [[f64; 4]; 3] = core::array::from_fn(|n| {
        let mut axis = [0.0; 3];
        axis[order.axes()[n]] = 1.0;
        about(axis, angles[n])
    });
    let product = |[ax, ay, az, aw]: [f64; 4], [bx, by, bz, bw]: [f64; 4]| {
        [
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        ]
    };
    let [a, b, c] = turns;
    if order.is_extrinsic() {
        product(product(c, b), a)
    } else {
        product(product(a, b), c)
    }
}

#[cfg(test)]
mod tests;
