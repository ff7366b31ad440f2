//! The damped Newton descent of [`Solver::gauss_newton`](crate::Solver::gauss_newton).
//!
//! Levenberg-Marquardt damping (K. Levenberg 1944, D. Marquardt 1963) of the curvature of the rounded objective, along a
//! path of shrinking roundness e as interior point methods follow theirs. The curvature is Gauss-Newton's plus the
//! second derivatives of the chain, which cost little (each is a cross product with a column of the Jacobian) and matter:
//! where a goal is reached, the goal pulls exactly as hard as the tension, and the bend of the valley weighs as much as
//! the tension's own.

use crate::Chain;
use crate::gradient::{Model, Objective};

/// Buffers of the descent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Newton {
    gradient: Vec<f64>,
    curvature: Vec<f64>,
    factor: Vec<f64>,
    inverses: Vec<f64>,
    step: Vec<f64>,
    fixed: Vec<bool>,
    trial: Vec<f64>,
}

/// How far to descend.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Descent {
    /// Roundness to begin with and to end with.
    pub(crate) e_first: f64,
    pub(crate) e_last: f64,
    /// Goals count as reached below this error.
    pub(crate) e_max: f64,
    pub(crate) iterations: usize,
    /// Counts a larger objective as this when a promise is called small: a goal out of reach makes every promise look
    /// small.
    pub(crate) cap: f64,
}

/// Longest step of one variable (radians, or chain lengths): about the angle up to which a quadratic model of a rotation
/// says anything (cos 0.6 = 0.825 against 1 - 0.6^2 / 2 = 0.82).
const LONGEST_STEP: f64 = 0.6;
/// How far the roundness falls at once.
const ROUNDNESS_FACTOR: f64 = 0.1;
/// The roundness falls once the goals are inside it and a step promises less than this part of the objective: the chain
/// has slid down the valley as far as it is wide.
const SHRINK_BELOW: f64 = 0.1;
/// A point of rest this many roundnesses away from a goal is a compromise; a sharper objective would not move it.
const STUCK: f64 = 3.0;
/// The exact model is taken inside this part of the roundness, the bowl outside.
const EXACT_WITHIN: f64 = 0.5;
/// The descent ends when the model promises less than this part of the objective, which at a goal is all tension.
const GAIN: f64 = 7e-4;
/// No tension is small enough to go on for below this.
const LEAST_TENSION: f64 = 1e-2;
/// A step is taken when it brings this part of what the model promised.
const LEAST_RATIO: f64 = 1e-4;
/// Damping to start with, its floor, and its ceiling, where a step is shorter than 1e-9 for any slope of the objective.
const FIRST_DAMPING: f64 = 1e-2;
const LEAST_DAMPING: f64 = 1e-9;
const MOST_DAMPING: f64 = 1e9;
/// A refused step of the exact model with less damping than this is tried again with the bowl.
const DAMPING_OF_TRUST: f64 = 1e-2;
/// Smallest pivot that counts as positive: a hundred roundings of curvatures near 1.
const LEAST_PIVOT: f64 = 1e-14;

impl Newton {
    pub(crate) fn prepare(&mut self, variables: usize) {
        for buffer in [
            &mut self.gradient,
            &mut self.step,
            &mut self.trial,
            &mut self.inverses,
        ] {
            buffer.resize(variables, 0.0);
        }
        self.fixed.resize(variables, false);
        self.curvature.resize(variables * variables, 0.0);
        self.factor.resize(variables * variables, 0.0);
    }

    /// Descends from `x`, which stays between `low` and `high`. Leaves the objective measured at the final `x`.
    /// Returns whether it came to rest before the iterations ran out.
    pub(crate) fn descend(
        &mut self,
        objective: &mut Objective,
        chain: &Chain,
        x: &mut [f64],
        (low, high): (&[f64], &[f64]),
        descent: Descent,
    ) -> bool {
        for ((x, low), high) in x.iter_mut().zip(low).zip(high) {
            *x = x.clamp(*low, *high);
        }
        objective.measure(chain, x);
        objective.differentiate(chain);
        let mut e = descent.e_first.max(descent.e_last);
        let mut damping = FIRST_DAMPING;
        let mut error = objective.largest_error();
        let mut model = best_model(error, e);
        let mut rested = false;
        let mut passes = 1;
        objective.assemble(chain, x, e, model, &mut self.gradient, &mut self.curvature);
        while passes < descent.iterations {
            let value = objective.value_here(e);
            let Some(promise) = self.find_step(x, low, high, &mut damping, model) else {
                if model == Model::Bowl {
                    rested = true;
                    break;
                }
                // Not convex here: take the model that is.
                model = Model::Bowl;
                objective.assemble(chain, x, e, model, &mut self.gradient, &mut self.curvature);
                continue;
            };
            let small = promise <= GAIN * value.min(descent.cap).max(LEAST_TENSION * objective.t_scale);
            let done = error < 0.5 * descent.e_max || e <= descent.e_last;
            if small && (done || error > STUCK * e) {
                rested = true;
                break;
            }
            if !done && (small || (promise <= SHRINK_BELOW * value && error < e)) {
                e = (e * ROUNDNESS_FACTOR).max(descent.e_last);
                model = best_model(error, e);
                objective.assemble(chain, x, e, model, &mut self.gradient, &mut self.curvature);
                continue;
            }
            for ((trial, x), step) in self.trial.iter_mut().zip(&*x).zip(&self.step) {
                *trial = x + step;
            }
            objective.measure(chain, &self.trial);
            passes += 1;
            let ratio = (value - objective.value(e)) / promise;
            if ratio > LEAST_RATIO {
                x.copy_from_slice(&self.trial);
                objective.differentiate(chain);
                if ratio > 0.75 {
                    damping = (damping * 0.1).max(LEAST_DAMPING);
                } else if ratio < 0.25 {
                    damping *= 4.0;
                }
                error = objective.largest_error();
                model = best_model(error, e);
            } else {
                objective.step_back();
                if model == Model::Exact && damping < DAMPING_OF_TRUST {
                    model = Model::Bowl;
                } else {
                    damping = (damping * 10.0).max(FIRST_DAMPING * 0.1);
                    if damping > MOST_DAMPING {
                        rested = true;
                        break;
                    }
                }
            }
            objective.assemble(chain, x, e, model, &mut self.gradient, &mut self.curvature);
        }
        rested
    }

    /// The damped step within the bounds, in `self.step`; returns the decrease that the model promises. `None` where the
    /// exact model is not convex, or no damping makes the bowl so.
    fn find_step(
        &mut self,
        x: &[f64],
        low: &[f64],
        high: &[f64],
        damping: &mut f64,
        model: Model,
    ) -> Option<f64> {
        let n = x.len();
        for (k, fixed) in self.fixed.iter_mut().enumerate() {
            // At a bound, with the slope pushing outward.
            *fixed =
                (x[k] <= low[k] && self.gradient[k] > 0.0) || (x[k] >= high[k] && self.gradient[k] < 0.0);
            self.step[k] = 0.0;
        }
        // Variables that a step would carry past a bound go to the bound, and the others are solved again, so that what
        // the limit takes away passes on to the other joints.
        for round in 0..4 {
            while !self.factorise(n, *damping) {
                if model == Model::Exact || *damping > MOST_DAMPING {
                    return None;
                }
                *damping = (*damping * 10.0).max(1e-5);
            }
            self.solve(n);
            let mut crossed = false;
            for k in 0..n {
                if self.fixed[k] {
                    continue;
                }
                let to = x[k] + self.step[k];
                if to < low[k] || to > high[k] {
                    self.step[k] = to.clamp(low[k], high[k]) - x[k];
                    if round < 3 {
                        self.fixed[k] = true;
                    }
                    crossed = true;
                }
            }
            if !crossed {
                break;
            }
        }
        let longest = self
            .step
            .iter()
            .fold(0.0_f64, |longest, step| longest.max(step.abs()));
        if longest > LONGEST_STEP {
            let factor = LONGEST_STEP / longest;
            self.step.iter_mut().for_each(|step| *step *= factor);
        }
        // -(g s + s H s / 2)
        let mut promise = 0.0;
        for k in 0..n {
            let row = &self.curvature[k * n..(k + 1) * n];
            let mut product = 0.5 * row[k] * self.step[k];
            for (bend, step) in row.iter().zip(&self.step).skip(k + 1) {
                product += bend * step;
            }
            promise -= self.step[k] * (self.gradient[k] + product);
        }
        Some(promise)
    }

    /// Cholesky factor (upper triangle, rows; the diagonal as `inverses`) of the damped curvature without the fixed
    /// variables. False where it is not positive definite.
    fn factorise(&mut self, n: usize, damping: f64) -> bool {
        self.factor.copy_from_slice(&self.curvature);
        for i in (0..n).filter(|&i| self.fixed[i]) {
            (0..i).for_each(|j| self.factor[j * n + i] = 0.0);
            self.factor[i * n..(i + 1) * n].fill(0.0);
            self.factor[i * n + i] = 1.0;
        }
        for k in 0..n {
            let (above, below) = self.factor.split_at_mut((k + 1) * n);
            let row = &mut above[k * n..];
            let pivot = row[k] + damping;
            if pivot.is_nan() || pivot <= LEAST_PIVOT {
                return false;
            }
            let inverse = 1.0 / pivot.sqrt();
            self.inverses[k] = inverse;
            row[k + 1..].iter_mut().for_each(|value| *value *= inverse);
            for (i, out) in (k + 1..n).zip(below.chunks_exact_mut(n)) {
                let factor = row[i];
                for (value, row) in out[i..].iter_mut().zip(&row[i..]) {
                    *value -= factor * row;
                }
            }
        }
        true
    }

    /// Solves for the step of the variables that are not fixed; those that are keep theirs.
    fn solve(&mut self, n: usize) {
        // Right-hand side: minus the gradient and what the fixed steps already do.
        for (side, gradient) in self.trial.iter_mut().zip(&self.gradient) {
            *side = -gradient;
        }
        for j in (0..n).filter(|&j| self.fixed[j]) {
            for i in 0..n {
                self.trial[i] -= self.curvature[i.min(j) * n + i.max(j)] * self.step[j];
            }
        }
        for k in 0..n {
            let row = &self.factor[k * n..(k + 1) * n];
            let value = if self.fixed[k] {
                0.0
            } else {
                self.trial[k] * self.inverses[k]
            };
            self.trial[k] = value;
            for (side, row) in self.trial[k + 1..].iter_mut().zip(&row[k + 1..]) {
                *side -= row * value;
            }
        }
        for k in (0..n).rev() {
            let row = &self.factor[k * n..(k + 1) * n];
            let done: f64 = row[k + 1..]
                .iter()
                .zip(&self.trial[k + 1..])
                .map(|(a, b)| a * b)
                .sum();
            self.trial[k] = (self.trial[k] - done) * self.inverses[k];
        }
        for ((step, value), fixed) in self.step.iter_mut().zip(&self.trial).zip(&self.fixed) {
            if !fixed {
                *step = *value;
            }
        }
    }
}

fn best_model(error: f64, e: f64) -> Model {
    if error < EXACT_WITHIN * e {
        Model::Exact
    } else {
        Model::Bowl
    }
}
