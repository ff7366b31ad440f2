//! The two solvers.

use crate::search::Search;
use crate::{Chain, Errors, Goal, IkError, SolveReport, Status};

/// Finds the angles that bring a chain's bones to their goals with the least tension.
///
/// Both methods minimise the same objective, `sum w_i d_i + t_scale * sum T`: the errors of the goals (distances divided by
/// the chain's length, chords of directions) and the tensions of the axes.
///
/// * [`Solver::gauss_newton`] goes along the analytic gradient and curvature: some ten to fifty passes over the objective.
///   Take it for everything that runs every frame, for many axes and for several goals.
/// * [`Solver::simplex`] only compares values (the downhill simplex of the animation article, in stages of falling
///   roundness): about a thousand passes for an arm. Take it where you want the article's method, to check the other
///   one, or as the model for an objective of your own with [`simplex::minimize`](crate::simplex::minimize).
///
/// A solver keeps its buffers: the first solve of a chain allocates, later ones don't. It keeps nothing else: the answer
/// depends on the fields, the chain, the goals and the angles alone, whatever was solved before and on which thread. Clone it
/// for each thread.
///
/// ```
/// use elea_anim::{Transform, glam::Vec3};
/// use elea_ik::{Chain, ChainJoint, Goal, Solver, Status};
/// let mut chain = Chain::new();
/// let upper = chain.push(None, Transform::IDENTITY, ChainJoint::ball(2.0, 0.1))?;
/// let lower = chain.push(Some(upper), Transform::from_translation(Vec3::X), ChainJoint::ball(2.0, 0.1))?;
/// let goals = [Goal::position(lower, Vec3::X, Vec3::new(0.5, 1.0, 0.3))];
///
/// let mut solver = Solver::gauss_newton();
/// let mut angles = chain.rest_angles();
/// let report = solver.solve(&chain, &goals, &mut angles)?;
/// assert_eq!(report.status, Status::Reached);
/// assert!(report.errors[0] < solver.e_max);
/// # Ok::<(), elea_ik::IkError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Solver {
    /// How many starts to try at most: first the angles given, then the middle of the limits, the rest pose, and random
    /// poses; the first that reaches every goal within the limits ends the search. Where one reaches them past a soft
    /// limit (by more than 1 % of it), four more are tried.
    pub runs: usize,
    /// Passes over the objective in one run at most.
    pub iterations: usize,
    /// A goal counts as reached when its error is below this: a part of the chain's length, or a chord. Above 0.
    pub e_max: f64,
    /// Weight of the tensions against the errors, above 0. Much above 0.01 the tension holds the chain off its goals.
    pub t_scale: f64,
    /// Seed of the random starts.
    pub seed: u64,
    /// The part of its length over which a chain softly comes to full extension, 0 (off, unless set) to 1; 0.02 to 0.05
    /// avoid the pop of an elbow that straightens.
    ///
    /// Position targets farther from the chain's root than `1 - soften` of the stretched chain are drawn in on an exponential
    /// that comes to the full length at infinity; value and slope are continuous. Errors and status are about the target
    /// as it was asked for, so that a target which is drawn in by more than `e_max` gives [`Status::Approximate`].
    /// Chains whose root translates are not stretched and not softened.
    pub soften: f64,
    pub(crate) method: Method,
    pub(crate) search: Search,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Simplex,
    GaussNewton,
}

/// A solver's fields, as the search takes them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) runs: usize,
    pub(crate) iterations: usize,
    pub(crate) e_max: f64,
    pub(crate) t_scale: f64,
    pub(crate) seed: u64,
    pub(crate) soften: f64,
}

impl Settings {
    pub(crate) fn check(&self) -> Result<(), IkError> {
        for (name, value) in [("e_max", self.e_max), ("t_scale", self.t_scale)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(IkError::Setting { name, value });
            }
        }
        if !(0.0..=1.0).contains(&self.soften) {
            return Err(IkError::Setting {
                name: "soften",
                value: self.soften,
            });
        }
        Ok(())
    }
}

impl Solver {
    /// The article's downhill simplex: 8 runs, 60,000 iterations, `e_max` 1e-3, `t_scale` 0.01.
    #[must_use]
    pub fn simplex() -> Self {
        Self {
            runs: 8,
            iterations: 60_000,
            ..Self::gauss_newton()
        }
        .with_method(Method::Simplex)
    }

    /// Damped Gauss-Newton with the analytic gradient: 16 runs, 60 iterations, `e_max` 1e-3, `t_scale` 0.01.
    #[must_use]
    pub fn gauss_newton() -> Self {
        Self {
            runs: 16,
            iterations: 60,
            e_max: 1e-3,
            t_scale: 0.01,
            seed: 1,
            soften: 0.0,
            method: Method::GaussNewton,
            search: Search::default(),
        }
    }

    fn with_method(mut self, method: Method) -> Self {
        self.method = method;
        self
    }

    pub(crate) fn settings(&self) -> Settings {
        Settings {
            runs: self.runs,
            iterations: self.iterations,
            e_max: self.e_max,
            t_scale: self.t_scale,
            seed: self.seed,
            soften: self.soften,
        }
    }

    /// Solves from `angles` (the previous pose, or [`Chain::rest_angles`]) and leaves the best angles found there. Axes that
    /// are off keep their angles. The answer is always finite.
    ///
    /// # Errors
    /// Any [`IkError`] about the goals, the angles, the chain or the fields; `angles` is unchanged then.
    pub fn solve(
        &mut self,
        chain: &Chain,
        goals: &[Goal],
        angles: &mut [f64],
    ) -> Result<SolveReport, IkError> {
        let settings = self.settings();
        self.search.prepare(&settings, chain, goals, angles)?;
        let found = self.search.solve(&settings, self.method, chain);
        let status = self.search.status(&settings, chain, found);
        Ok(self.search.report(chain, status, angles))
    }
}

impl Search {
    /// Writes the angles and tells what they are worth.
    pub(crate) fn report(&self, chain: &Chain, status: Status, angles: &mut [f64]) -> SolveReport {
        self.objective.angles_from_variables(chain, &self.x, angles);
        SolveReport {
            status,
            errors: Errors::new(&self.objective.errors),
            tension: self.objective.exact_tension(chain, &self.x),
            evaluations: self.objective.evaluations,
        }
    }
}
