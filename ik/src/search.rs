//! Runs from one start or many: what both solvers, the tracker and whole clips share.

use core::f64::consts::TAU;

use crate::goal::AimKind;
use crate::gradient::Objective;
use crate::newton::{Descent, Newton};
use crate::random::Random;
use crate::simplex::{FirstSimplex, Scratch, SimplexOptions, minimize_with};
use crate::solver::{Method, Settings};
use crate::variable::Variable;
use crate::{Chain, Goal, IkError, Status};

/// Everything a search needs; buffers grow and are reused, and hold nothing that one solve tells the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Search {
    pub(crate) objective: Objective,
    newton: Newton,
    simplex: Scratch,
    steps: Vec<f64>,
    clamped: Vec<f64>,
    pub(crate) low: Vec<f64>,
    pub(crate) high: Vec<f64>,
    /// The pose to begin with.
    pub(crate) given: Vec<f64>,
    pub(crate) x: Vec<f64>,
    best: Vec<f64>,
    /// What following the last pose came to.
    pub(crate) tracked: Vec<f64>,
    tight: Vec<f64>,
}

/// What the starts together came to; the point is in `Search::x`, measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) reached: bool,
    pub(crate) rested: bool,
}

/// Last roundness as a part of `e_max`: there the tension of an axis at its limit (slope 16 per limit, times `t_scale`)
/// holds a goal off by less than the error that counts as reached.
const E_LAST: f64 = 0.1;
/// First roundness: a tenth of the chain's length.
const E_FIRST: f64 = 0.1;
/// First roundness from a pose that is close already.
const E_WARM: f64 = 1e-3;

/// Largest error that tension alone may account for: an axis pressed 10 % past its limit pulls with 16 * 1.1^15 = 67 per
/// limit, times a `t_scale` of 0.01 about as hard as a goal, and a tenth of a limit is some 0.1 rad.
const SLACKEN_WITHIN: f64 = 0.1;

/// An axis farther past its soft limit than this part of it does not keep it.
const PAST_LIMIT: f64 = 0.01;

/// No start reaches a goal that is out of reach; so many of Newton's are enough that one does not end half way. A simplex,
/// with its large first steps, often ends where two axes of a joint have turned by half a turn.
const RUNS_OUT_OF_REACH: (usize, usize) = (2, 8);

/// How many more starts are tried for a pose within the limits, once one past them is found: half of the poses that a
/// random start finds keep them, so that 4 find one in 15 of 16 cases where there is one.
const RUNS_FOR_LIMITS: usize = 4;

/// The box is narrower by this part, so that the difference of two poses is not above the step once it is rounded, up to
/// angles of a hundred radians.
const HAIR: f64 = 1e-12;

/// First roundness of a run with less tension.
const E_SLACK: f64 = 0.02;

/// The best compromise is refined until a step promises less than the usual part of this: an objective of a hundredth.
const FINE: f64 = 1e-2;

/// The simplex' stages: roundness, and size of the first simplex as a part of each variable's range.
const STAGES: [(f64, f64); 4] = [(0.1, 0.5), (0.02, 0.2), (0.003, 0.1), (1e-4, 0.05)];

/// How often the best compromise is improved by a fresh simplex at most.
const RESTARTS: usize = 3;

/// A stage ends when the simplex is flat to this part of its roundness and has shrunk to this part of its first size.
const FLAT: f64 = 0.03;
const SMALL: f64 = 0.015;

/// With more axes than this the first stage ends when its simplex has shrunk further, by as much as there are more axes.
/// Later stages hardly leave where it ends. Measured on the spine of 33 axes: tension at 1.008 times the least known, not at
/// 1.06, for twice the evaluations (41,000); the chains of up to 7 axes end at 1.006 as it is.
const FEW_AXES: f64 = 9.0;

/// The stages from a pose that is close already.
const WARM_STAGES: [(f64, f64); 2] = [(0.003, 0.05), (1e-4, 0.02)];

impl Search {
    /// Checks the problem, makes room, and reads the start from `angles`.
    pub(crate) fn prepare(
        &mut self,
        settings: &Settings,
        chain: &Chain,
        goals: &[Goal],
        angles: &[f64],
    ) -> Result<(), IkError> {
        settings.check()?;
        self.objective.prepare(chain, goals, settings.soften, angles)?;
        self.objective.t_scale = settings.t_scale;
        let n = chain.variables().len();
        for buffer in [
            &mut self.steps,
            &mut self.clamped,
            &mut self.low,
            &mut self.high,
            &mut self.given,
            &mut self.x,
            &mut self.best,
            &mut self.tracked,
            &mut self.tight,
        ] {
            buffer.resize(n, 0.0);
        }
        self.newton.prepare(n);
        self.leave_box(chain);
        self.objective
            .variables_from_angles(chain, angles, &mut self.given);
        Ok(())
    }

    /// Runs from start after start until one reaches every goal with every axis within its limits. The best point is left in
    /// `x`.
    pub(crate) fn solve(&mut self, settings: &Settings, method: Method, chain: &Chain) -> Found {
        self.try_starts(settings, method, chain, true)
    }

    /// As [`solve`](Self::solve), but takes the first pose that reaches every goal: from the pose given, it is the nearest,
    /// and following it later leads back within the limits.
    pub(crate) fn rescue(&mut self, settings: &Settings, method: Method, chain: &Chain) -> Found {
        self.try_starts(settings, method, chain, false)
    }

    fn try_starts(
        &mut self,
        settings: &Settings,
        method: Method,
        chain: &Chain,
        within_limits: bool,
    ) -> Found {
        let runs = if self.is_out_of_reach(chain, settings.e_max) {
            settings.runs.min(match method {
                Method::GaussNewton => RUNS_OUT_OF_REACH.0,
                Method::Simplex => RUNS_OUT_OF_REACH.1,
            })
        } else {
            settings.runs
        };
        let mut best_value = f64::INFINITY;
        let mut found = Found {
            reached: false,
            rested: false,
        };
        let mut last_run = runs.max(1);
        let mut run = 0;
        while run < last_run {
            let rested = self.run_from(settings, method, chain, run);
            run += 1;
            found.rested |= rested;
            let reached = self.objective.largest_error() < settings.e_max;
            if reached && (!within_limits || self.keeps_limits(chain)) {
                found.reached = true;
                return found;
            }
            let value = self.objective.value(E_LAST * settings.e_max);
            if (reached && !found.reached) || (reached == found.reached && value < best_value) {
                best_value = value;
                self.best.copy_from_slice(&self.x);
            }
            if reached && !found.reached {
                found.reached = true;
                last_run = last_run.min(run + RUNS_FOR_LIMITS);
            }
        }
        self.x.copy_from_slice(&self.best);
        self.objective.measure(chain, &self.x);
        if found.reached {
            return found;
        }
        found.reached = self.slacken(settings, method, chain);
        if !found.reached {
            found.rested |= match method {
                Method::GaussNewton => self.run_newton(settings, chain, E_WARM, FINE),
                Method::Simplex => self.restart_simplex(settings, chain),
            };
        }
        found
    }

    /// One run from the start of that number.
    pub(crate) fn run_from(
        &mut self,
        settings: &Settings,
        method: Method,
        chain: &Chain,
        run: usize,
    ) -> bool {
        self.start(settings, method, chain, run);
        match method {
            Method::Simplex => self.run_simplex(settings, chain, &STAGES),
            Method::GaussNewton => self.run_newton(settings, chain, E_FIRST, f64::INFINITY),
        }
    }

    /// Begins again with fresh simplices at the best compromise, as long as that improves it: a simplex can collapse beside
    /// the ridge that a goal out of reach makes.
    fn restart_simplex(&mut self, settings: &Settings, chain: &Chain) -> bool {
        let mut converged = false;
        for _ in 0..RESTARTS {
            let before = self.objective.value(E_LAST * settings.e_max);
            self.tight.copy_from_slice(&self.x);
            converged |= self.run_simplex(settings, chain, &STAGES[1..]);
            if self.objective.value(E_LAST * settings.e_max) >= before {
                self.x.copy_from_slice(&self.tight);
                self.objective.measure(chain, &self.x);
                break;
            }
        }
        converged
    }

    /// Whether no axis of `x` is past its limit by more than `PAST_LIMIT` of it.
    fn keeps_limits(&self, chain: &Chain) -> bool {
        let keeps = |(x, variable): (&f64, &Variable)| {
            let (low, high) = variable.range(self.objective.length);
            let past = 1.0 + PAST_LIMIT;
            variable.tension.is_none() || (past * low..=past * high).contains(x)
        };
        self.x.iter().zip(chain.variables()).all(keeps)
    }

    /// Where the tension of axes near their limits holds a goal off by a little more than `e_max`, goes on from there with
    /// less and less tension. Puts everything back if that does not reach it either.
    fn slacken(&mut self, settings: &Settings, method: Method, chain: &Chain) -> bool {
        if self.objective.largest_error() > SLACKEN_WITHIN {
            return false;
        }
        self.tight.copy_from_slice(&self.x);
        for t_scale in [0.1, 0.01].map(|factor| factor * settings.t_scale) {
            self.objective.t_scale = t_scale;
            match method {
                Method::GaussNewton => self.run_newton(settings, chain, E_SLACK, f64::INFINITY),
                Method::Simplex => self.run_simplex(settings, chain, &STAGES[1..]),
            };
            if self.objective.largest_error() < settings.e_max {
                self.objective.t_scale = settings.t_scale;
                return true;
            }
        }
        self.objective.t_scale = settings.t_scale;
        self.x.copy_from_slice(&self.tight);
        self.objective.measure(chain, &self.x);
        false
    }

    /// A Newton run from `x` as it is.
    pub(crate) fn run_newton(&mut self, settings: &Settings, chain: &Chain, e_first: f64, cap: f64) -> bool {
        let descent = Descent {
            e_first,
            e_last: E_LAST * settings.e_max,
            e_max: settings.e_max,
            iterations: settings.iterations,
            cap,
        };
        self.newton.descend(
            &mut self.objective,
            chain,
            &mut self.x,
            (&self.low, &self.high),
            descent,
        )
    }

    /// A run from `x`, which should be close.
    pub(crate) fn run_warm(&mut self, settings: &Settings, method: Method, chain: &Chain) -> bool {
        match method {
            Method::GaussNewton => self.run_newton(settings, chain, E_WARM, f64::INFINITY),
            Method::Simplex => self.run_simplex(settings, chain, &WARM_STAGES),
        }
    }

    /// Keeps every variable within `max_step` of the pose given, besides its limits.
    pub(crate) fn enter_box(&mut self, max_step: f64) {
        let max_step = max_step * (1.0 - HAIR);
        for ((low, high), given) in self.low.iter_mut().zip(&mut self.high).zip(&self.given) {
            // A pose outside the limits comes back by a step at a time.
            *low = low.clamp(given - max_step, given + max_step);
            *high = high.clamp(given - max_step, given + max_step);
        }
    }

    /// Leaves only the limits.
    pub(crate) fn leave_box(&mut self, chain: &Chain) {
        for (k, variable) in chain.variables().iter().enumerate() {
            (self.low[k], self.high[k]) = variable.bounds(self.objective.length);
        }
    }

    pub(crate) fn clamp_to_box(&mut self) {
        clamp_into(&mut self.clamped, &self.x, &self.low, &self.high);
        self.x.copy_from_slice(&self.clamped);
    }

    /// Makes the pose given attractive.
    pub(crate) fn hold(&mut self, stiffness: f64) {
        self.objective.anchor.copy_from_slice(&self.given);
        self.objective.stiffness = stiffness;
    }

    /// Makes another pose attractive as well: two squared distances are one from the point between, but for a constant.
    pub(crate) fn attract(&mut self, chain: &Chain, pose: &[f64], weight: f64) {
        let stiffness = self.objective.stiffness + weight;
        if weight <= 0.0 {
            return;
        }
        let part = weight / stiffness;
        self.objective
            .variables_from_angles(chain, pose, &mut self.clamped);
        for (k, variable) in chain.variables().iter().enumerate() {
            let mut wanted = self.clamped[k];
            if variable.tension.is_none() && variable.translation.is_none() {
                // A free axis may have gone around; the pose's angle stands for all that look the same.
                wanted += TAU * ((self.given[k] - wanted) / TAU).round();
            }
            self.objective.anchor[k] += part * (wanted - self.objective.anchor[k]);
        }
        self.objective.stiffness = stiffness;
    }

    /// A graduated simplex run from `x` as it is.
    fn run_simplex(&mut self, settings: &Settings, chain: &Chain, stages: &[(f64, f64)]) -> bool {
        let mut converged = false;
        let mut budget = settings.iterations;
        let axes = self.x.len().max(1) as f64;
        for &(e, size) in stages {
            for (step, variable) in self.steps.iter_mut().zip(chain.variables()) {
                let (low, high) = variable.range(self.objective.length);
                *step = size * (high - low);
            }
            let further = if e >= STAGES[0].0 {
                (FEW_AXES / axes).min(1.0)
            } else {
                1.0
            };
            let options = SimplexOptions {
                first: FirstSimplex::Steps(&self.steps),
                f_tolerance: FLAT * e,
                x_tolerance: SMALL * size * further,
                max_evaluations: budget.max(1),
                restarts: 0,
            };
            let (objective, clamped, low, high) =
                (&mut self.objective, &mut self.clamped, &self.low, &self.high);
            let function = |x: &[f64]| {
                clamp_into(clamped, x, low, high);
                objective.measure(chain, clamped);
                objective.value(e)
            };
            let outcome = minimize_with(function, &mut self.x, &options, &mut self.simplex);
            converged = outcome.converged;
            budget = budget.saturating_sub(outcome.evaluations);
        }
        self.clamp_to_box();
        self.objective.measure(chain, &self.x);
        converged
    }

    /// Puts the start of a run into `x`.
    fn start(&mut self, settings: &Settings, method: Method, chain: &Chain, run: usize) {
        let mut random = Random::new(settings.seed, run as u64);
        // A simplex needs room around its start, Newton a start that is near: what is best to begin with differs.
        let kind = match (method, run) {
            (Method::Simplex, 0) => 1,
            (Method::Simplex, 1) => 0,
            _ => run,
        };
        // A nudge of 1 to 3 degrees leaves the saddle of a straight chain.
        let mut nudge = || {
            let signed = random.signed();
            (1.0 + 2.0 * signed.abs()).to_radians().copysign(signed)
        };
        for (k, variable) in chain.variables().iter().enumerate() {
            let (low, high) = variable.range(self.objective.length);
            let middle = 0.5 * (low + high);
            self.x[k] = match kind {
                0 => self.given[k],
                1 => middle,
                2 => nudge(),
                3 => 0.6 * middle + 0.1 * nudge(),
                _ => {
                    middle
                        + 0.45 * (high - low) * Random::new(settings.seed, (run * 65_537 + k) as u64).signed()
                }
            };
        }
    }

    /// Whether a position goal lies farther from the root than the bones on the way reach, by more than `e_max`.
    pub(crate) fn is_out_of_reach(&self, chain: &Chain, e_max: f64) -> bool {
        self.objective.aims.iter().any(|aim| {
            let (AimKind::Position { local, asked, .. }, Some(root)) =
                (aim.kind, chain.fixed_root_of(aim.bone))
            else {
                return false;
            };
            let reach = chain.reach_of(aim.bone) + chain.scale_of(aim.bone) * local.length();
            let distance = asked.distance(chain.root_position(root));
            aim.counts && distance - reach > e_max * self.objective.length
        })
    }

    /// How it ended; leaves the errors from what was asked.
    pub(crate) fn status(&mut self, settings: &Settings, chain: &Chain, found: Found) -> Status {
        self.objective.measure_asked(chain);
        if found.reached && self.objective.largest_error() < settings.e_max {
            Status::Reached
        } else if self.is_out_of_reach(chain, settings.e_max) {
            Status::Unreachable
        } else if found.rested {
            Status::Approximate
        } else {
            Status::Budget
        }
    }
}

fn clamp_into(out: &mut [f64], x: &[f64], low: &[f64], high: &[f64]) {
    for (((out, x), low), high) in out.iter_mut().zip(x).zip(low).zip(high) {
        *out = x.clamp(*low, *high);
    }
}
