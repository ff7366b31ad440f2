//! The downhill simplex for any function of several variables.
//!
//! Nelder and Mead's method (J. A. Nelder, R. Mead, "A simplex method for function minimization", 1965) with the
//! coefficients of F. Gao and L. Han ("Implementing the Nelder-Mead simplex algorithm with adaptive parameters", 2012),
//! which depend on the number of variables and keep the method going in more than a few. It needs no derivative and no
//! smoothness, only values.

/// How to search, and when to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimplexOptions<'a> {
    /// The shape of the first simplex.
    pub first: FirstSimplex<'a>,
    /// The search ends when the values at the simplex's corners differ by no more than this ...
    pub f_tolerance: f64,
    /// ... and its corners differ by no more than this in any variable.
    pub x_tolerance: f64,
    /// It ends at this number of evaluations too; 0 stands for 200 per variable.
    pub max_evaluations: usize,
    /// How often to begin again with a fresh simplex at the best point. A simplex can collapse before it is at a
    /// minimum; a restart that finds nothing better costs little.
    pub restarts: usize,
}

impl Default for SimplexOptions<'_> {
    /// The first simplex of [`FirstSimplex::Relative`] 0.05, tolerances 1e-4, 200 evaluations per variable, no restart.
    fn default() -> Self {
        Self {
            first: FirstSimplex::Relative(0.05),
            f_tolerance: 1e-4,
            x_tolerance: 1e-4,
            max_evaluations: 0,
            restarts: 0,
        }
    }
}

/// The first simplex: the start, and one corner for every variable that differs from it in that variable alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FirstSimplex<'a> {
    /// By this part of the variable's value, or by 0.00025 where it is 0.
    Relative(f64),
    /// By the same amount in every variable.
    Uniform(f64),
    /// By an amount of its own in each variable; missing ones count as 1.
    Steps(&'a [f64]),
}

impl FirstSimplex<'_> {
    fn step(self, variable: usize, value: f64) -> f64 {
        match self {
            Self::Relative(_) if value == 0.0 => 0.00025,
            Self::Relative(part) => part * value,
            Self::Uniform(step) => step,
            Self::Steps(steps) => steps.get(variable).copied().unwrap_or(1.0),
        }
    }
}

/// What a search came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The value at the point found.
    pub value: f64,
    /// How often the function was called.
    pub evaluations: usize,
    /// Whether both tolerances were met; otherwise the evaluations ran out.
    pub converged: bool,
}

/// The buffers of a search, to be used again for the next one: `(n + 1) * (n + 1) + 3 n` numbers for n variables.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// Corners, one after the other, each with n coordinates.
    corners: Vec<f64>,
    values: Vec<f64>,
    /// Corners from best to worst.
    order: Vec<usize>,
    centre: Vec<f64>,
    trial: Vec<f64>,
    second: Vec<f64>,
}

/// Searches a minimum of `function`, beginning at `x`, and leaves the best point there.
///
/// A value that is NaN counts as infinite: a function can refuse points. Without variables the function is called once.
///
/// ```
/// use elea_ik::simplex::{SimplexOptions, minimize};
/// let mut x = [-1.2, 1.0];
/// let rosenbrock = |x: &[f64]| (1.0 - x[0]).powi(2) + 100.0 * (x[1] - x[0] * x[0]).powi(2);
/// let outcome = minimize(rosenbrock, &mut x, &SimplexOptions::default());
/// assert!(outcome.converged && (x[0] - 1.0).abs() < 1e-3 && (x[1] - 1.0).abs() < 1e-3);
/// ```
pub fn minimize(function: impl FnMut(&[f64]) -> f64, x: &mut [f64], options: &SimplexOptions<'_>) -> Outcome {
    minimize_with(function, x, options, &mut Scratch::default())
}

/// [`minimize`] with buffers of the caller's: no allocation once they have the size.
pub fn minimize_with(
    mut function: impl FnMut(&[f64]) -> f64,
    x: &mut [f64],
    options: &SimplexOptions<'_>,
    scratch: &mut Scratch,
) -> Outcome {
    let budget = if options.max_evaluations == 0 {
        200 * x.len()
    } else {
        options.max_evaluations
    };
    let mut evaluations = 0;
    let mut outcome = Outcome {
        value: f64::INFINITY,
        evaluations: 0,
        converged: false,
    };
    for _ in 0..=options.restarts {
        let mut call = |x: &[f64]| {
            evaluations += 1;
            let value = function(x);
            if value.is_nan() { f64::INFINITY } else { value }
        };
        let spent = outcome.evaluations;
        let (value, converged) = scratch.search(&mut call, x, options, budget.saturating_sub(spent));
        outcome = Outcome {
            value,
            evaluations,
            converged,
        };
        if evaluations >= budget || x.is_empty() {
            break;
        }
    }
    outcome
}

impl Scratch {
    fn search(
        &mut self,
        call: &mut impl FnMut(&[f64]) -> f64,
        x: &mut [f64],
        options: &SimplexOptions<'_>,
        budget: usize,
    ) -> (f64, bool) {
        let n = x.len();
        if n == 0 {
            return (call(x), true);
        }
        self.begin(call, x, options.first);
        let mut evaluations = n + 1;
        // Gao and Han's coefficients; in one variable theirs would contract to a point, so that Nelder and Mead's stay.
        #[expect(clippy::cast_precision_loss, reason = "a number of variables, far below 2^52")]
        let dimension = n.max(2) as f64;
        let expansion = 1.0 + 2.0 / dimension;
        let contraction = 0.75 - 0.5 / dimension;
        let shrinkage = 1.0 - 1.0 / dimension;
        let mut converged = false;
        loop {
            self.sort();
            if self.is_small(options) {
                converged = true;
                break;
            }
            if evaluations >= budget {
                break;
            }
            let worst = self.order[n];
            let (best_value, worst_value) = (self.values[self.order[0]], self.values[worst]);
            let second_worst = self.values[self.order[n - 1]];
            self.find_centre();
            towards(
                &mut self.trial,
                &self.centre,
                &self.corners[worst * n..(worst + 1) * n],
                -1.0,
            );
            let reflected = call(&self.trial);
            evaluations += 1;
            if reflected < best_value {
                towards(
                    &mut self.second,
                    &self.centre,
                    &self.corners[worst * n..(worst + 1) * n],
                    -expansion,
                );
                let expanded = call(&self.second);
                evaluations += 1;
                if expanded < reflected {
                    self.trial.copy_from_slice(&self.second);
                    self.replace_worst(expanded);
                } else {
                    self.replace_worst(reflected);
                }
                continue;
            }
            if reflected < second_worst {
                self.replace_worst(reflected);
                continue;
            }
            let outside = reflected < worst_value;
            let factor = if outside { -contraction } else { contraction };
            towards(
                &mut self.second,
                &self.centre,
                &self.corners[worst * n..(worst + 1) * n],
                factor,
            );
            let contracted = call(&self.second);
            evaluations += 1;
            let accepted = if outside {
                contracted <= reflected
            } else {
                contracted < worst_value
            };
            if accepted {
                self.trial.copy_from_slice(&self.second);
                self.replace_worst(contracted);
                continue;
            }
            evaluations += self.shrink(call, shrinkage);
        }
        let best = self.order[0];
        x.copy_from_slice(&self.corners[best * n..(best + 1) * n]);
        (self.values[best], converged)
    }

    fn begin(&mut self, call: &mut impl FnMut(&[f64]) -> f64, x: &[f64], first: FirstSimplex<'_>) {
        let n = x.len();
        self.corners.clear();
        self.values.clear();
        for corner in 0..=n {
            self.corners.extend_from_slice(x);
            if corner > 0 {
                let variable = corner - 1;
                self.corners[corner * n + variable] += first.step(variable, x[variable]);
            }
            self.values
                .push(call(&self.corners[corner * n..(corner + 1) * n]));
        }
        self.order.clear();
        self.order.extend(0..=n);
        for buffer in [&mut self.centre, &mut self.trial, &mut self.second] {
            buffer.clear();
            buffer.resize(n, 0.0);
        }
    }

    /// Insertion sort: stable, and almost nothing to do after a step that replaced one corner.
    fn sort(&mut self) {
        for i in 1..self.order.len() {
            let moving = self.order[i];
            let mut j = i;
            while j > 0 && self.values[self.order[j - 1]] > self.values[moving] {
                self.order[j] = self.order[j - 1];
                j -= 1;
            }
            self.order[j] = moving;
        }
    }

    fn is_small(&self, options: &SimplexOptions<'_>) -> bool {
        let n = self.centre.len();
        let best = self.order[0];
        // Not the difference alone: infinity minus infinity is NaN.
        let flat = |&corner: &usize| (self.values[corner] - self.values[best]).abs() <= options.f_tolerance;
        let near = |&corner: &usize| {
            let pairs = self.corners[corner * n..(corner + 1) * n]
                .iter()
                .zip(&self.corners[best * n..]);
            pairs.fold(0.0_f64, |largest, (a, b)| largest.max((a - b).abs())) <= options.x_tolerance
        };
        self.order[1..].iter().all(|corner| flat(corner) && near(corner))
    }

    /// The centre of all corners but the worst.
    fn find_centre(&mut self) {
        let n = self.centre.len();
        self.centre.fill(0.0);
        for &corner in &self.order[..n] {
            for (sum, value) in self.centre.iter_mut().zip(&self.corners[corner * n..]) {
                *sum += value;
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "a number of variables, far below 2^52")]
        let count = n as f64;
        self.centre.iter_mut().for_each(|sum| *sum /= count);
    }

    fn replace_worst(&mut self, value: f64) {
        let n = self.centre.len();
        let worst = self.order[n];
        self.corners[worst * n..(worst + 1) * n].copy_from_slice(&self.trial);
        self.values[worst] = value;
    }

    fn shrink(&mut self, call: &mut impl FnMut(&[f64]) -> f64, factor: f64) -> usize {
        let n = self.centre.len();
        let best = self.order[0];
        self.trial
            .copy_from_slice(&self.corners[best * n..(best + 1) * n]);
        for &corner in &self.order[1..] {
            let coordinates = &mut self.corners[corner * n..(corner + 1) * n];
            for (value, best) in coordinates.iter_mut().zip(&self.trial) {
                *value = best + factor * (*value - best);
            }
            self.values[corner] = call(coordinates);
        }
        n
    }
}

/// `out = centre + factor * (from - centre)`
fn towards(out: &mut [f64], centre: &[f64], from: &[f64], factor: f64) {
    for ((out, centre), from) in out.iter_mut().zip(centre).zip(from) {
        *out = centre + factor * (from - centre);
    }
}
