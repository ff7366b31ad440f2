//! The downhill simplex alone, on the standard test functions: ours against argmin's, with the same first simplex and the
//! same coefficients (argmin takes no contraction above a half, where Gao and Han have 0.625 for four variables). Ours ends
//! when no two values differ by more than 1e-8, argmin at a standard deviation of 1e-8.

use std::cell::Cell;

use argmin::core::{CostFunction, Error, Executor};
use argmin::solver::neldermead::NelderMead;
use elea_ik::simplex::{FirstSimplex, Scratch, SimplexOptions, minimize_with};

use super::Report;
use crate::measure::{Timed, nanoseconds};

const OURS: &str = "elea simplex::minimize";
const ARGMIN: &str = "argmin";

/// Case, function, start.
type Case = (&'static str, fn(&[f64]) -> f64, &'static [f64]);

const CASES: [Case; 3] = [
    ("minimise_rosenbrock", rosenbrock, &[-1.2, 1.0]),
    ("minimise_powell", powell, &[3.0, -1.0, 0.0, 1.0]),
    ("minimise_wood", wood, &[-3.0, -1.0, -3.0, -1.0]),
];

fn rosenbrock(x: &[f64]) -> f64 {
    100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2)
}

fn powell(x: &[f64]) -> f64 {
    (x[0] + 10.0 * x[1]).powi(2)
        + 5.0 * (x[2] - x[3]).powi(2)
        + (x[1] - 2.0 * x[2]).powi(4)
        + 10.0 * (x[0] - x[3]).powi(4)
}

fn wood(x: &[f64]) -> f64 {
    100.0 * (x[1] - x[0] * x[0]).powi(2)
        + (1.0 - x[0]).powi(2)
        + 90.0 * (x[3] - x[2] * x[2]).powi(2)
        + (1.0 - x[2]).powi(2)
        + 10.1 * ((x[1] - 1.0).powi(2) + (x[3] - 1.0).powi(2))
        + 19.8 * (x[1] - 1.0) * (x[3] - 1.0)
}

struct Problem<'a> {
    function: fn(&[f64]) -> f64,
    evaluations: &'a Cell<u32>,
}

impl CostFunction for Problem<'_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        self.evaluations.set(self.evaluations.get() + 1);
        Ok((self.function)(x))
    }
}

/// Value and evaluations.
fn by_argmin(function: fn(&[f64]) -> f64, start: &[f64]) -> (f64, f64) {
    let n = start.len() as f64;
    let mut corners = vec![start.to_vec(); start.len() + 1];
    for (k, &value) in start.iter().enumerate() {
        corners[k + 1][k] += if value == 0.0 { 0.00025 } else { 0.05 * value };
    }
    let solver = NelderMead::new(corners)
        .with_sd_tolerance(1e-8)
        .and_then(|solver| solver.with_gamma(1.0 + 2.0 / n))
        .and_then(|solver| solver.with_rho((0.75 - 0.5 / n).min(0.5)))
        .and_then(|solver| solver.with_sigma(1.0 - 1.0 / n))
        .expect("valid coefficients");
    let evaluations = Cell::new(0);
    let problem = Problem {
        function,
        evaluations: &evaluations,
    };
    let result = Executor::new(problem, solver)
        .configure(|state| state.max_iters(5_000))
        .run()
        .expect("a result");
    (result.state.best_cost, f64::from(evaluations.get()))
}

fn by_ours(function: fn(&[f64]) -> f64, start: &[f64], scratch: &mut Scratch) -> (f64, f64) {
    let options = SimplexOptions {
        first: FirstSimplex::Relative(0.05),
        f_tolerance: 1e-8,
        x_tolerance: f64::MAX,
        max_evaluations: 10_000,
        restarts: 0,
    };
    let mut x = [0.0; 4];
    let x = &mut x[..start.len()];
    x.copy_from_slice(start);
    let outcome = minimize_with(function, x, &options, scratch);
    (outcome.value, outcome.evaluations as f64)
}

pub(super) fn rows(report: &mut Report) {
    for (case, function, start) in CASES {
        let mut scratch = Scratch::default();
        let ours = by_ours(function, start, &mut scratch);
        let argmin = by_argmin(function, start);
        let mut contenders: [Timed<'_>; 2] = [
            (
                OURS,
                Box::new(|| {
                    std::hint::black_box(by_ours(function, start, &mut scratch));
                }),
            ),
            (
                ARGMIN,
                Box::new(|| {
                    std::hint::black_box(by_argmin(function, start));
                }),
            ),
        ];
        let times = nanoseconds(&mut contenders, 1, 101);
        for ((name, (value, evaluations)), time) in [(OURS, ours), (ARGMIN, argmin)].into_iter().zip(times) {
            report.add(case, name, "evaluations", evaluations, "");
            report.add(case, name, "value_found", value, "");
            report.add(case, name, "time_of_an_evaluation", time / evaluations, "ns");
        }
    }
}
