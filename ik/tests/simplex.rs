//! The downhill simplex on the standard test functions, against scipy's evaluation counts.

use core::f64::consts::TAU;

use elea_ik::simplex::{FirstSimplex, Outcome, Scratch, SimplexOptions, minimize, minimize_with};

fn rosenbrock(x: &[f64]) -> f64 {
    x.windows(2)
        .map(|w| 100.0 * (w[1] - w[0] * w[0]).powi(2) + (1.0 - w[0]).powi(2))
        .sum()
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

fn beale(x: &[f64]) -> f64 {
    (1.5 - x[0] + x[0] * x[1]).powi(2)
        + (2.25 - x[0] + x[0] * x[1] * x[1]).powi(2)
        + (2.625 - x[0] + x[0] * x[1].powi(3)).powi(2)
}

/// Fletcher and Powell's helical valley.
fn helical(x: &[f64]) -> f64 {
    let turn = x[1].atan2(x[0]) / TAU;
    100.0 * ((x[2] - 10.0 * turn).powi(2) + (x[0].hypot(x[1]) - 1.0).powi(2)) + x[2] * x[2]
}

fn ellipsoid(x: &[f64]) -> f64 {
    x.iter()
        .zip(1_u32..)
        .map(|(x, weight)| f64::from(weight) * x * x)
        .sum()
}

/// Name, function, start, and what scipy 1.17.1 needs: `scipy.optimize.minimize(f, x0, method="Nelder-Mead",
/// options=dict(adaptive=True, xatol=1e-6, fatol=1e-6, maxfev=100000, maxiter=100000))`, its `nfev` and `fun`.
type Case = (&'static str, fn(&[f64]) -> f64, &'static [f64], usize, f64);
const CASES: [Case; 7] = [
    ("Rosenbrock", rosenbrock, &[-1.2, 1.0], 189, 4.2e-14),
    ("Powell", powell, &[3.0, -1.0, 0.0, 1.0], 863, 1.7e-22),
    ("Wood", wood, &[-3.0, -1.0, -3.0, -1.0], 812, 2.0e-13),
    ("Beale", beale, &[1.0, 1.0], 132, 1.8e-14),
    ("helical valley", helical, &[-1.0, 0.0, 0.0], 464, 6.8e-13),
    // A local minimum, scipy's too.
    (
        "Rosenbrock 8",
        rosenbrock,
        &[-1.2, 1.0, -1.2, 1.0, -1.2, 1.0, -1.2, 1.0],
        1757,
        3.985_887_769_6,
    ),
    ("ellipsoid 16", ellipsoid, &[1.0; 16], 3010, 1.9e-12),
];

const OPTIONS: SimplexOptions<'_> = SimplexOptions {
    first: FirstSimplex::Relative(0.05),
    f_tolerance: 1e-6,
    x_tolerance: 1e-6,
    max_evaluations: 100_000,
    restarts: 0,
};

#[test]
fn no_more_evaluations_than_scipy_needs() {
    for (name, function, start, scipy, value) in CASES {
        let mut x = start.to_vec();
        let outcome = minimize(function, &mut x, &OPTIONS);
        assert!(outcome.converged, "{name} converges");
        assert!(
            (outcome.value - value).abs() < 1e-6,
            "{name}: {} where scipy has {value}",
            outcome.value
        );
        assert_eq!(
            function(&x),
            outcome.value,
            "{name}: the value is that of the point"
        );
        // The same method: the last bits of the first corners differ, which a long search amplifies.
        let ratio = outcome.evaluations as f64 / scipy as f64;
        assert!(
            ratio < 1.1,
            "{name}: {} evaluations where scipy needs {scipy}",
            outcome.evaluations
        );
    }
}

#[test]
fn a_restart_leaves_a_collapsed_simplex() {
    let start = [-1.2, 1.0, -1.2, 1.0, -1.2, 1.0, -1.2, 1.0];
    let mut x = start;
    // A first simplex this flat collapses; beginning again from its best point does better every time.
    let options = |restarts| SimplexOptions {
        first: FirstSimplex::Uniform(0.5),
        restarts,
        f_tolerance: 1e-2,
        x_tolerance: 1e-1,
        ..OPTIONS
    };
    let once = minimize(rosenbrock, &mut x, &options(0));
    let mut x = start;
    let again = minimize(rosenbrock, &mut x, &options(20));
    assert!(
        again.value < 0.5 * once.value,
        "{} after restarts, {} without",
        again.value,
        once.value
    );
}

#[test]
fn scratch_that_was_used_before_changes_nothing() {
    let mut scratch = Scratch::default();
    for (name, function, start, ..) in CASES {
        let (mut fresh, mut reused) = (start.to_vec(), start.to_vec());
        let a = minimize(function, &mut fresh, &OPTIONS);
        let b = minimize_with(function, &mut reused, &OPTIONS, &mut scratch);
        assert_eq!((a, fresh), (b, reused), "{name}");
    }
}

#[test]
fn the_budget_is_kept_to_one_step() {
    for budget in [1, 10, 100] {
        let options = SimplexOptions {
            max_evaluations: budget,
            restarts: 3,
            ..OPTIONS
        };
        let mut x = [-3.0, -1.0, -3.0, -1.0];
        let outcome = minimize(wood, &mut x, &options);
        // The first simplex is complete, and so is the last step: at most a reflection, a contraction and a shrink.
        assert!(
            outcome.evaluations <= budget.max(5) + 6,
            "{} of {budget}",
            outcome.evaluations
        );
        assert!(!outcome.converged, "and says so");
    }
}

#[test]
fn functions_that_refuse_points_and_functions_of_nothing_are_answered() {
    // NaN outside the unit disc.
    let disc = |x: &[f64]| {
        if x[0].hypot(x[1]) < 1.0 {
            (x[0] - 2.0).powi(2) + x[1] * x[1]
        } else {
            f64::NAN
        }
    };
    let mut x = [0.1, 0.1];
    let outcome = minimize(disc, &mut x, &OPTIONS);
    assert!(
        outcome.value.is_finite() && outcome.value < 1.1,
        "near the edge: {outcome:?}"
    );
    let mut everywhere = [1.0, 1.0];
    let outcome = minimize(|_| f64::NAN, &mut everywhere, &OPTIONS);
    assert_eq!(
        (outcome.value, outcome.converged),
        (f64::INFINITY, false),
        "NaN everywhere ends"
    );
    let outcome = minimize(|_| 3.0, &mut [], &OPTIONS);
    assert_eq!(
        outcome,
        Outcome {
            value: 3.0,
            evaluations: 1,
            converged: true
        },
        "no variables"
    );
}
