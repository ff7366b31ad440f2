//! Solving frame after frame without jumps.

use crate::search::Found;
use crate::solver::Method;
use crate::{Chain, Goal, IkError, SolveReport, Solver};

/// Follows goals frame after frame: each solve begins at the last pose, stays within [`max_step`](Self::max_step) of it, and
/// prefers to be near it.
///
/// Solving every frame for itself jumps now and then: two poses are equally good, and a small move of the target makes
/// the other one better. Here a jump becomes a movement over several frames, at the price that the goals may be missed
/// on the way.
///
/// ```
/// use elea_anim::{Transform, glam::Vec3};
/// use elea_ik::{Chain, ChainJoint, Goal, Solver, Status, Tracker};
/// let mut chain = Chain::new();
/// let upper = chain.push(None, Transform::IDENTITY, ChainJoint::ball(2.0, 0.1))?;
/// let lower = chain.push(Some(upper), Transform::from_translation(Vec3::X), ChainJoint::ball(2.0, 0.1))?;
///
/// let mut tracker = Tracker::new(Solver::gauss_newton());
/// let mut angles = chain.rest_angles();
/// for frame in 0..60 {
///     let target = Vec3::new(1.2, 0.01 * frame as f32, 0.5);
///     let report = tracker.solve(&chain, &[Goal::position(lower, Vec3::X, target)], &mut angles)?;
///     assert_eq!(report.status, Status::Reached);
/// }
/// # Ok::<(), elea_ik::IkError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tracker {
    /// Solves the first frame, and those where following the last pose reaches nothing.
    pub solver: Solver,
    /// The most that an axis may turn in one solve, in radians (a translation: in chain lengths). 10 degrees unless set.
    pub max_step: f64,
    /// Weight of the squared distance from the last pose, against the weights of the goals. 0.01 unless set.
    pub stiffness: f64,
    started: bool,
}

impl Tracker {
    /// Follows with the settings of a solver.
    #[must_use]
    pub const fn new(solver: Solver) -> Self {
        Self {
            solver,
            max_step: 10.0 * core::f64::consts::PI / 180.0,
            stiffness: 0.01,
            started: false,
        }
    }

    /// Forgets that there was a last frame: the next solve may go anywhere. Call it when the character is teleported.
    pub const fn reset(&mut self) {
        self.started = false;
    }

    /// Solves one frame from the pose of the last one in `angles`, and leaves the new pose there. The first frame is
    /// solved by the solver alone.
    ///
    /// # Errors
    /// As for [`Solver::solve`]; also [`IkError::Setting`] for a `max_step` or a `stiffness` that is not finite or
    /// below 0. `angles` is unchanged then.
    pub fn solve(
        &mut self,
        chain: &Chain,
        goals: &[Goal],
        angles: &mut [f64],
    ) -> Result<SolveReport<'_>, IkError> {
        for (name, value) in [("max_step", self.max_step), ("stiffness", self.stiffness)] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(IkError::Setting { name, value });
            }
        }
        if !self.started {
            let report = self.solver.solve(chain, goals, angles)?;
            self.started = true;
            return Ok(report);
        }
        let settings = self.solver.settings();
        let method = self.solver.method;
        let search = &mut self.solver.search;
        search.prepare(&settings, chain, goals, angles)?;
        let found = search.track(&settings, method, chain, self.max_step, self.stiffness);
        let status = search.status(&settings, chain, found);
        Ok(search.report(chain, status, angles))
    }
}

impl crate::search::Search {
    /// One frame from `given`, within `max_step` of it.
    fn track(
        &mut self,
        settings: &crate::solver::Settings,
        method: Method,
        chain: &Chain,
        max_step: f64,
        stiffness: f64,
    ) -> Found {
        self.enter_box(max_step);
        self.hold(stiffness);
        self.x.copy_from_slice(&self.given);
        let mut rested = self.run_warm(settings, method, chain);
        let mut reached = self.objective.largest_error() < settings.e_max;
        if !reached && !self.is_out_of_reach(chain, settings.e_max) {
            // Nothing in the box: look everywhere, and go there as far as the box allows.
            self.tracked.copy_from_slice(&self.x);
            self.leave_box(chain);
            self.hold(0.0);
            let found = self.solve(settings, method, chain);
            self.enter_box(max_step);
            self.hold(stiffness);
            if found.reached {
                self.clamp_to_box();
                rested = self.run_warm(settings, method, chain) || rested;
                reached = self.objective.largest_error() < settings.e_max;
            } else {
                self.x.copy_from_slice(&self.tracked);
                self.objective.measure(chain, &self.x);
            }
        }
        Found { reached, rested }
    }
}
