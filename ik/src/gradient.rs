//! The objective that both solvers minimise, with its gradient and curvature.
//!
//! `E(x) = sum w_i (sqrt(d_i^2 + e^2) - e) + t_scale * sum T(x) + stiffness * sum (x - anchor)^2`, where d is a goal's
//! error (see [`Goal`]) and e rounds off the kink that |d| has where the goal is reached. The minimum for e -> 0 is that
//! of the weighted sum of distances; a solver goes there by way of larger e, where the valley is wide.

use glam::{DMat3, DVec3};

use crate::bone::Shape;
use crate::goal::{Aim, AimKind, resolve};
use crate::kinematics::Kinematics;
use crate::tension::Rounded;
use crate::variable::Variable;
use crate::{Chain, Goal, IkError};

/// The objective of one chain and its goals, and the workspace to evaluate it in. Buffers grow and are reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct Objective {
    pub(crate) aims: Vec<Aim>,
    pub(crate) length: f64,
    pub(crate) t_scale: f64,
    /// Weight of the squared distance from `anchor`; 0 without one.
    pub(crate) stiffness: f64,
    pub(crate) anchor: Vec<f64>,
    /// The error of every goal at the last measured point.
    pub(crate) errors: Vec<f64>,
    /// Sum of the rounded tensions at the last measured point.
    tension: f64,
    /// Passes over the objective since `prepare`.
    pub(crate) evaluations: u32,
    /// All angles in the chain's layout.
    slots: Vec<f64>,
    kinematics: Kinematics,
    terms: Vec<Term>,
    anchored: f64,
    /// The rounded tension of every variable that has one.
    tensions: Vec<Rounded>,
    /// The same four at the point that was differentiated.
    here: Costs,
}

/// What the objective is made of at one point.
#[derive(Clone, Debug, Default)]
struct Costs {
    errors: Vec<f64>,
    tension: f64,
    anchored: f64,
    tensions: Vec<Rounded>,
}

/// Which curvature to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Model {
    Exact,
    Bowl,
}

/// One goal seen from one variable: what half the squared error does when the variable moves.
#[derive(Clone, Copy, Debug, Default)]
struct Term {
    /// First derivative.
    slope: f64,
    /// The second derivative by this variable and a later (or the same) one is `early + bend` of this one, dot `late` of
    /// the later one: without `bend` it is Gauss and Newton's part, which is never negative.
    early: DVec3,
    bend: DVec3,
    late: DVec3,
}

impl Objective {
    /// Checks the problem and makes room for it. `angles` gives the axes that are off.
    pub(crate) fn prepare(
        &mut self,
        chain: &Chain,
        goals: &[Goal],
        soften: f64,
        angles: &[f64],
    ) -> Result<(), IkError> {
        chain.check_angles(angles)?;
        self.length = resolve(chain, goals, soften, &mut self.aims)?;
        self.slots.clear();
        self.slots.extend_from_slice(angles);
        self.kinematics.prepare(chain);
        self.errors.clear();
        self.errors.resize(self.aims.len(), 0.0);
        self.tensions.clear();
        self.tensions.resize(chain.variables().len(), Rounded::default());
        self.anchor.clear();
        self.anchor.resize(chain.variables().len(), 0.0);
        self.stiffness = 0.0;
        self.evaluations = 0;
        Ok(())
    }

    /// Reads the variables from angles in the chain's layout, in the solver's units.
    pub(crate) fn variables_from_angles(&self, chain: &Chain, angles: &[f64], x: &mut [f64]) {
        for (x, variable) in x.iter_mut().zip(chain.variables()) {
            *x = angles[variable.slot] / variable.unit(self.length);
        }
    }

    /// Writes the variables into angles in the chain's layout.
    pub(crate) fn angles_from_variables(&self, chain: &Chain, x: &[f64], angles: &mut [f64]) {
        for (x, variable) in x.iter().zip(chain.variables()) {
            angles[variable.slot] = x * variable.unit(self.length);
        }
    }

    /// One pass: places the chain, fills `errors` and `tension`.
    pub(crate) fn measure(&mut self, chain: &Chain, x: &[f64]) {
        self.evaluations += 1;
        self.tension = 0.0;
        self.anchored = 0.0;
        for (index, (&x, variable)) in x.iter().zip(chain.variables()).enumerate() {
            let angle = x * variable.unit(self.length);
            self.slots[variable.slot] = angle;
            if let Some(tension) = variable.side(angle) {
                self.tensions[index] = tension.rounded(angle);
                self.tension += self.tensions[index].value;
            }
            let away = x - self.anchor[index];
            self.anchored += away * away;
        }
        self.kinematics.place(chain, &self.slots);
        for (error, aim) in self.errors.iter_mut().zip(&self.aims) {
            let rotation = &self.kinematics.rotations[aim.bone];
            *error = match aim.kind {
                AimKind::Position { local, target, .. } => {
                    (self.kinematics.point(chain, aim.bone, local) - target).length() / self.length
                }
                AimKind::Direction { local, target } => (*rotation * local - target).length(),
                AimKind::Orientation { target } => {
                    let away = *rotation - target;
                    let squared = away.x_axis.length_squared()
                        + away.y_axis.length_squared()
                        + away.z_axis.length_squared();
                    (0.5 * squared).sqrt()
                }
            };
        }
    }

    /// The objective at the last measured point, its kink rounded off by `e`.
    pub(crate) fn value(&self, e: f64) -> f64 {
        self.sum(&self.errors, self.tension, self.anchored, e)
    }

    /// The objective at the point that was differentiated.
    pub(crate) fn value_here(&self, e: f64) -> f64 {
        self.sum(&self.here.errors, self.here.tension, self.here.anchored, e)
    }

    fn sum(&self, errors: &[f64], tension: f64, anchored: f64, e: f64) -> f64 {
        let rounded = |(error, aim): (&f64, &Aim)| {
            // (sqrt(d^2 + e^2) - e), in the form that does not cancel.
            let squared = error * error;
            aim.weight * squared / ((squared + e * e).sqrt() + e)
        };
        let goals: f64 = errors.iter().zip(&self.aims).map(rounded).sum();
        goals + self.t_scale * tension + self.stiffness * anchored
    }

    /// Goes back from a point that was tried to the one that was differentiated: errors and tension are as they were.
    pub(crate) fn step_back(&mut self) {
        self.errors.copy_from_slice(&self.here.errors);
        (self.tension, self.anchored) = (self.here.tension, self.here.anchored);
    }

    /// The sum of the tensions themselves.
    pub(crate) fn exact_tension(&self, chain: &Chain, x: &[f64]) -> f64 {
        let tension = |(x, variable): (&f64, &Variable)| {
            let angle = x * variable.unit(self.length);
            variable.side(angle).map_or(0.0, |tension| tension.value(angle))
        };
        x.iter().zip(chain.variables()).map(tension).sum()
    }

    /// Turns the errors at the last measured point into those from what was asked, where a target was drawn in.
    pub(crate) fn measure_asked(&mut self, chain: &Chain) {
        for (error, aim) in self.errors.iter_mut().zip(&self.aims) {
            let AimKind::Position { local, target, asked } = aim.kind else {
                continue;
            };
            if asked != target {
                *error = (self.kinematics.point(chain, aim.bone, local) - asked).length() / self.length;
            }
        }
    }

    /// The largest error of the goals that count.
    pub(crate) fn largest_error(&self) -> f64 {
        let counted = self.errors.iter().zip(&self.aims).filter(|(_, aim)| aim.counts);
        counted.fold(0.0, |largest, (&error, _)| largest.max(error))
    }

    /// Gradient and curvature at the last measured point for several `e` to come; no pass of its own.
    pub(crate) fn differentiate(&mut self, chain: &Chain) {
        self.here.errors.clone_from(&self.errors);
        self.here.tensions.clone_from(&self.tensions);
        (self.here.tension, self.here.anchored) = (self.tension, self.anchored);
        self.terms.clear();
        for aim in &self.aims {
            let path = chain.path(aim.bone);
            let rotation = self.kinematics.rotations[aim.bone];
            let axes = &self.kinematics.axes;
            let is_rotation = |v: u16| chain.variables()[usize::from(v)].translation.is_none();
            match aim.kind {
                AimKind::Position { local, target, .. } => {
                    let point = self.kinematics.point(chain, aim.bone, local);
                    let away = (point - target) / self.length;
                    if chain.shape == Shape::Sheared {
                        let first = self.terms.len();
                        self.terms.resize(first + path.len(), Term::default());
                        let terms = &mut self.terms[first..];
                        sheared_columns(chain, &self.kinematics, aim.bone, local, self.length, terms);
                        for term in terms {
                            term.slope = away.dot(term.late);
                            term.early = term.late;
                        }
                        continue;
                    }
                    for &v in path {
                        let variable = &chain.variables()[usize::from(v)];
                        let axis = axes[usize::from(v)];
                        let term = if variable.translation.is_none() {
                            let arm = (point - self.kinematics.positions[variable.bone]) / self.length;
                            let column = axis.cross(arm);
                            Term {
                                slope: away.dot(column),
                                early: column,
                                bend: away.cross(axis),
                                late: column,
                            }
                        } else {
                            Term {
                                slope: away.dot(axis),
                                early: axis,
                                bend: DVec3::ZERO,
                                late: axis,
                            }
                        };
                        self.terms.push(term);
                    }
                }
                AimKind::Direction { local, target } => {
                    let direction = rotation * local;
                    let away = direction - target;
                    self.terms.extend(path.iter().map(|&v| {
                        if !is_rotation(v) {
                            return Term::default();
                        }
                        let axis = axes[usize::from(v)];
                        let column = axis.cross(direction);
                        Term {
                            slope: away.dot(column),
                            early: column,
                            bend: away.cross(axis),
                            late: column,
                        }
                    }));
                }
                AimKind::Orientation { target } => {
                    // Half the squared error is (3 - tr(R T')) / 2; a rotation of R by axis k, then l, gives these.
                    let product = rotation * target.transpose();
                    let trace = product.x_axis.x + product.y_axis.y + product.z_axis.z;
                    let twist = 0.5
                        * DVec3::new(
                            product.y_axis.z - product.z_axis.y,
                            product.z_axis.x - product.x_axis.z,
                            product.x_axis.y - product.y_axis.x,
                        );
                    // At the target the curvature is the identity: Gauss and Newton's part.
                    let curvature = (DMat3::from_diagonal(DVec3::splat(trace)) - product) * 0.5;
                    let bend = curvature.transpose() - DMat3::IDENTITY;
                    self.terms.extend(path.iter().map(|&v| {
                        if !is_rotation(v) {
                            return Term::default();
                        }
                        let axis = axes[usize::from(v)];
                        Term {
                            slope: axis.dot(twist),
                            early: axis,
                            bend: bend * axis,
                            late: axis,
                        }
                    }));
                }
            }
        }
    }

    /// Fills the gradient and the upper triangle of the (row-major) curvature from what `differentiate` left.
    ///
    /// Where an error is above e, the rounded distance counts as the parabola that touches it; else
    /// [`Model::Exact`] takes the second derivatives as they are; [`Model::Bowl`] leaves out those that may be negative and
    /// takes parabolas that touch the objective and lie above it.
    pub(crate) fn assemble(
        &self,
        chain: &Chain,
        x: &[f64],
        e: f64,
        model: Model,
        gradient: &mut [f64],
        curvature: &mut [f64],
    ) {
        let n = x.len();
        curvature.fill(0.0);
        for (k, variable) in chain.variables().iter().enumerate() {
            let unit = variable.unit(self.length);
            gradient[k] = 2.0 * self.stiffness * (x[k] - self.anchor[k]);
            curvature[k * n + k] = 2.0 * self.stiffness;
            if variable.tension.is_some() {
                let rounded = self.here.tensions[k];
                gradient[k] += self.t_scale * rounded.slope * unit;
                curvature[k * n + k] += self.t_scale * rounded.curvature * unit * unit;
            }
        }
        let mut first = 0;
        for (aim, &error) in self.aims.iter().zip(&self.here.errors) {
            let path = chain.path(aim.bone);
            let terms = &self.terms[first..first + path.len()];
            first += path.len();
            if aim.weight == 0.0 {
                continue;
            }
            let rounded = (error * error + e * e).sqrt();
            let pull = aim.weight / rounded;
            // The rounded distance bends less than the parabola that touches it; beyond e that would carry a step across.
            let flatten = if error < e {
                pull / (rounded * rounded)
            } else {
                0.0
            };
            let bent = if model == Model::Exact { 1.0 } else { 0.0 };
            for (i, (&k, early)) in path.iter().zip(terms).enumerate() {
                let k = usize::from(k);
                gradient[k] += pull * early.slope;
                let left = (early.early + early.bend * bent) * pull;
                let slope = early.slope * flatten;
                let row = &mut curvature[k * n..(k + 1) * n];
                for (&l, late) in path[i..].iter().zip(&terms[i..]) {
                    row[usize::from(l)] += left.dot(late.late) - slope * late.slope;
                }
            }
        }
    }
}

/// The columns of a position's Jacobian where scales differ between axes: each joint's rotation seen in its parent's
/// space, where nothing is sheared yet.
fn sheared_columns(
    chain: &Chain,
    kinematics: &Kinematics,
    place: usize,
    local: DVec3,
    length: f64,
    terms: &mut [Term],
) {
    let mut point = local;
    let mut current = Some(place);
    let mut end = terms.len();
    while let Some(place) = current {
        let bone = &chain.bones[place];
        let (rotation, linear) = match bone.parent {
            Some(parent) => (kinematics.rotations[parent], kinematics.linears[parent]),
            None => (chain.base.rotation, chain.base.linear),
        };
        let to_parent = rotation.transpose();
        let arm = to_parent * kinematics.rotations[place] * (bone.scale * point);
        let path = chain.path(place);
        while end > 0 {
            let variable = &chain.variables()[usize::from(path[end - 1])];
            if variable.bone != place {
                break;
            }
            let axis = kinematics.axes[usize::from(path[end - 1])];
            terms[end - 1].late = match variable.translation {
                None => linear * (to_parent * axis).cross(arm) / length,
                Some(_) => axis,
            };
            end -= 1;
        }
        // Where the joint is in its parent's space, whatever moved it there.
        point = arm + kinematics.offsets[place];
        current = bone.parent;
    }
}

#[cfg(test)]
mod tests {
    use elea_anim::{JointId, Transform};
    use glam::{Quat, Vec3};

    use super::*;
    use crate::random::Random;
    use crate::{Axis, ChainJoint, EulerOrder};

    fn vector(random: &mut Random, size: f64) -> Vec3 {
        DVec3::from_array([(); 3].map(|()| size * random.signed())).as_vec3()
    }

    fn rotation(random: &mut Random) -> Quat {
        glam::DQuat::from_array([(); 4].map(|()| random.signed()))
            .normalize()
            .as_quat()
    }

    /// A random tree of joints with random orders, limits, rest rotations, a translating root, and scales if asked.
    fn random_chain(random: &mut Random, scale: Shape) -> Chain {
        let mut chain = Chain::new();
        for index in 0..7_usize {
            let parent = (index > 0).then(|| JointId::from_index(index - 1 - index / 5));
            let rest = Transform {
                translation: vector(random, 1.0),
                rotation: rotation(random),
                scale: match scale {
                    Shape::Rigid => Vec3::ONE,
                    Shape::Uniform => Vec3::splat(1.0 + 0.5 * vector(random, 1.0).x),
                    Shape::Sheared => Vec3::ONE + 0.5 * vector(random, 1.0),
                },
            };
            let mut limit = || 1.0 + 0.9 * random.signed();
            let axes = [(); 3].map(|()| Axis::limit(limit(), limit(), 0.3));
            let order = EulerOrder::ALL[(index * 7 + 3) % 24];
            let mut joint = ChainJoint {
                order,
                axes,
                ..ChainJoint::FIXED
            };
            if index == 2 {
                joint.axes[1] = Axis::Off;
                joint.axes[2] = Axis::Free;
            }
            if index == 0 || index == 3 {
                joint = joint.with_translate(Axis::limit(1.0, 2.0, 0.2));
            }
            chain.push(parent, rest, joint).expect("a valid bone");
        }
        assert_eq!(chain.shape, scale, "the chain is of the kind that is tested");
        chain
    }

    /// Largest difference between the analytic derivatives and central differences, relative to the largest derivative:
    /// of the gradient, and of the curvature.
    fn differences(random: &mut Random, shape: Shape) -> (f64, f64) {
        let chain = random_chain(random, shape);
        let goals = [
            Goal::position(JointId(6), vector(random, 1.0), vector(random, 3.0)),
            Goal::position(JointId(4), vector(random, 1.0), vector(random, 3.0)).with_weight(0.5),
            Goal::direction(JointId(5), vector(random, 1.0), vector(random, 1.0)),
            Goal::orientation(JointId(6), rotation(random)),
            Goal::orientation(JointId(3), rotation(random)).with_weight(2.0),
        ];
        let mut angles = chain.rest_angles();
        angles.iter_mut().for_each(|angle| *angle = 0.8 * random.signed());
        let mut objective = Objective::default();
        objective
            .prepare(&chain, &goals, 0.0, &angles)
            .expect("a valid problem");
        objective.t_scale = 0.01;
        let n = chain.free_axes();
        let mut x = vec![0.0; n];
        objective.variables_from_angles(&chain, &angles, &mut x);
        objective.stiffness = 0.02;
        objective
            .anchor
            .iter_mut()
            .for_each(|anchor| *anchor = random.signed());
        let mut at = |x: &[f64], e: f64, model: Model| {
            let (mut gradient, mut curvature) = (vec![0.0; n], vec![0.0; n * n]);
            objective.measure(&chain, x);
            objective.differentiate(&chain);
            objective.assemble(&chain, x, e, model, &mut gradient, &mut curvature);
            (objective.value(e), gradient, curvature)
        };
        let largest = |values: &[f64]| {
            values
                .iter()
                .fold(0.0_f64, |largest, value| largest.max(value.abs()))
        };
        let h = 1e-6;
        let (mut gradient_off, mut curvature_off) = (0.0_f64, 0.0_f64);
        // The gradient is the objective's for every roundness and model; the curvature is exact where the roundness is
        // larger than any error.
        for (e, model) in [(10.0, Model::Exact), (0.1, Model::Bowl), (1e-4, Model::Bowl)] {
            let (_, gradient, curvature) = at(&x, e, model);
            let (slope, bend) = (largest(&gradient), largest(&curvature));
            for k in 0..n {
                let mut moved = |by: f64| {
                    let mut moved = x.clone();
                    moved[k] += by;
                    at(&moved, e, model)
                };
                let (above, below) = (moved(h), moved(-h));
                let difference = (above.0 - below.0) / (2.0 * h);
                gradient_off = gradient_off.max((difference - gradient[k]).abs() / slope);
                if model == Model::Bowl {
                    continue;
                }
                // Row k of the upper triangle.
                for l in k..n {
                    let difference = (above.1[l] - below.1[l]) / (2.0 * h);
                    curvature_off = curvature_off.max((difference - curvature[k * n + l]).abs() / bend);
                }
            }
        }
        (gradient_off, curvature_off)
    }

    #[test]
    fn derivatives_equal_central_differences() {
        let mut random = Random::new(7, 0);
        for shape in [Shape::Rigid, Shape::Uniform, Shape::Sheared] {
            for _ in 0..200 {
                let (gradient, curvature) = differences(&mut random, shape);
                assert!(
                    gradient < 1e-6,
                    "{shape:?}: gradient off by {gradient} of its largest element"
                );
                // A sheared chain has Gauss-Newton's curvature, without the chain's own second derivatives.
                if shape != Shape::Sheared {
                    assert!(
                        curvature < 1e-5,
                        "{shape:?}: curvature off by {curvature} of its largest element"
                    );
                }
            }
        }
    }
}
