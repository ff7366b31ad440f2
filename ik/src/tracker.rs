//! Solving frame after frame without jumps.

use crate::search::{Found, Search};
use crate::solver::{Method, Settings};
use crate::{Chain, Goal, IkError, SolveReport, Solver};

/// Follows goals frame after frame: each solve begins at the last pose, stays within [`max_step`](Self::max_step) of it, and
/// prefers to be near it.
///
/// Solving every frame for itself jumps now and then: two poses are equally good, and a small move of the target makes
/// the other one better. Here a jump becomes a movement over several frames, at the price that the goals may be missed
/// on the way. Goals that no pose within the limits reaches are looked for everywhere again in the next frame, then after 1,
/// 2, 4 and so on up to 16 frames.
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
    detour: Detour,
}

/// What keeps a frame's pose near the last one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leash<'a> {
    pub(crate) max_step: f64,
    pub(crate) stiffness: f64,
    /// Another pose to be near, and the weight of that.
    pub(crate) near: Option<(&'a [f64], f64)>,
}

/// What the tracker remembers while following the last pose reaches nothing.
#[derive(Clone, Debug, Default)]
struct Detour {
    /// Where to go; empty while the last pose is followed.
    destination: Vec<f64>,
    /// Frames to wait before looking everywhere again, and how many to wait if that finds nothing.
    waiting: u32,
    waited: u32,
}

/// Where looking everywhere found nothing either, it is tried again after 0, 1, 2, 4 ... frames, at most this many: a goal
/// that the limits forbid must not cost a whole search every frame.
const LONGEST_WAIT: u32 = 16;

impl Tracker {
    /// Follows with the settings of a solver.
    #[must_use]
    pub const fn new(solver: Solver) -> Self {
        Self {
            solver,
            max_step: 10.0 * core::f64::consts::PI / 180.0,
            stiffness: 0.01,
            started: false,
            detour: Detour {
                destination: Vec::new(),
                waiting: 0,
                waited: 0,
            },
        }
    }

    /// Forgets that there was a last frame: the next solve may go anywhere. Call it when the character is teleported.
    pub fn reset(&mut self) {
        self.started = false;
        self.detour.destination.clear();
        (self.detour.waiting, self.detour.waited) = (0, 0);
    }

    pub(crate) fn check(&self) -> Result<(), IkError> {
        for (name, value) in [("max_step", self.max_step), ("stiffness", self.stiffness)] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(IkError::Setting { name, value });
            }
        }
        Ok(())
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
    ) -> Result<SolveReport, IkError> {
        self.solve_near(chain, goals, None, angles)
    }

    /// As [`solve`](Self::solve), with a pose to be near (as angles of the chain) and the weight of the squared distance
    /// from it.
    pub(crate) fn solve_near(
        &mut self,
        chain: &Chain,
        goals: &[Goal],
        near: Option<(&[f64], f64)>,
        angles: &mut [f64],
    ) -> Result<SolveReport, IkError> {
        self.check()?;
        if !self.started {
            let report = self.solver.solve(chain, goals, angles)?;
            self.started = true;
            return Ok(report);
        }
        let settings = self.solver.settings();
        let method = self.solver.method;
        let search = &mut self.solver.search;
        search.prepare(&settings, chain, goals, angles)?;
        let leash = Leash {
            max_step: self.max_step,
            stiffness: self.stiffness,
            near,
        };
        let found = search.track(&settings, method, chain, leash, &mut self.detour);
        let status = search.status(&settings, chain, found);
        Ok(search.report(chain, status, angles))
    }
}

impl Search {
    /// One frame from `given`, within `max_step` of it.
    fn track(
        &mut self,
        settings: &Settings,
        method: Method,
        chain: &Chain,
        leash: Leash<'_>,
        detour: &mut Detour,
    ) -> Found {
        let Detour {
            destination,
            waiting,
            waited,
        } = detour;
        if destination.len() != self.x.len() {
            destination.clear();
            let followed = self.follow(settings, method, chain, leash);
            if followed.reached || self.is_out_of_reach(chain, settings.e_max) {
                (*waiting, *waited) = (0, 0);
                return followed;
            }
            if *waiting > 0 {
                *waiting -= 1;
                return followed;
            }
            self.tracked.copy_from_slice(&self.x);
            // Nothing in the box: look everywhere, and go there as far as the box allows.
            self.leave_box(chain);
            self.hold(0.0);
            if !self.rescue(settings, method, chain).reached {
                self.x.copy_from_slice(&self.tracked);
                self.objective.measure(chain, &self.x);
                *waiting = *waited;
                *waited = (*waited * 2).clamp(1, LONGEST_WAIT);
                return followed;
            }
            (*waiting, *waited) = (0, 0);
        } else {
            self.x.copy_from_slice(destination);
            self.run_warm(settings, method, chain);
            if self.objective.largest_error() >= settings.e_max {
                // The destination is lost as well: begin anew from here.
                destination.clear();
                return self.follow(settings, method, chain, leash);
            }
        }
        destination.clear();
        destination.extend_from_slice(&self.x);
        self.enter_box(leash.max_step);
        self.clamp_to_box();
        if self.x == *destination {
            destination.clear();
        } else {
            self.objective.measure(chain, &self.x);
        }
        let reached = self.objective.largest_error() < settings.e_max;
        Found {
            reached,
            rested: true,
        }
    }

    /// From `given`, within reach of the leash.
    pub(crate) fn follow(
        &mut self,
        settings: &Settings,
        method: Method,
        chain: &Chain,
        leash: Leash<'_>,
    ) -> Found {
        self.enter_box(leash.max_step);
        self.hold(leash.stiffness);
        if let Some((pose, weight)) = leash.near {
            self.attract(chain, pose, weight);
        }
        self.x.copy_from_slice(&self.given);
        let rested = self.run_warm(settings, method, chain);
        Found {
            reached: self.objective.largest_error() < settings.e_max,
            rested,
        }
    }
}
