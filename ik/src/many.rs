//! Many chains at once.

use crate::{Chain, Goal, IkError, Solver, Status};

/// One chain to solve among many.
#[derive(Debug)]
pub struct Problem<'a> {
    /// The chain; many problems may share one.
    pub chain: &'a Chain,
    /// What it should reach.
    pub goals: &'a [Goal],
    /// In: the pose to begin with. Out: the pose found.
    pub angles: &'a mut [f64],
    /// How it went; filled by [`solve_many`]. On an error the angles are unchanged.
    pub outcome: Option<Result<Solved, IkError>>,
}

impl<'a> Problem<'a> {
    /// A problem that is not solved yet.
    #[must_use]
    pub const fn new(chain: &'a Chain, goals: &'a [Goal], angles: &'a mut [f64]) -> Self {
        Self {
            chain,
            goals,
            angles,
            outcome: None,
        }
    }
}

/// What a [`SolveReport`](crate::SolveReport) says, without its list of errors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solved {
    /// How it ended.
    pub status: Status,
    /// The largest of the goals' errors.
    pub largest_error: f64,
    /// The sum of the tensions of all axes.
    pub tension: f64,
    /// Passes over the objective.
    pub evaluations: u32,
}

/// Solves every problem with the settings of `solver`: on all threads with feature `rayon`, else one after the other. The
/// answers are the same bits either way, and those of [`Solver::solve`].
///
/// Every thread clones the solver, so that its first problem allocates.
///
/// ```
/// use elea_anim::{Transform, glam::Vec3};
/// use elea_ik::{Chain, ChainJoint, Goal, Problem, Solver, Status, solve_many};
/// let mut chain = Chain::new();
/// let upper = chain.push(None, Transform::IDENTITY, ChainJoint::ball(2.0, 0.1))?;
/// let lower = chain.push(Some(upper), Transform::from_translation(Vec3::X), ChainJoint::ball(2.0, 0.1))?;
/// let goals: Vec<_> = (0..100_u8)
///     .map(|i| [Goal::position(lower, Vec3::X, Vec3::new(1.0, 0.01 * f32::from(i), 0.3))])
///     .collect();
/// let mut angles = vec![[0.0; 6]; goals.len()];
///
/// let mut problems: Vec<_> =
///     goals.iter().zip(&mut angles).map(|(goals, angles)| Problem::new(&chain, goals, angles)).collect();
/// solve_many(&Solver::gauss_newton(), &mut problems);
/// for problem in &problems {
///     let solved = problem.outcome.as_ref().expect("solved");
///     assert_eq!(solved.as_ref().map(|solved| solved.status), Ok(Status::Reached));
/// }
/// # Ok::<(), elea_ik::IkError>(())
/// ```
pub fn solve_many(solver: &Solver, problems: &mut [Problem<'_>]) {
    #[cfg(feature = "rayon")]
    {
        use rayon::prelude::*;
        problems
            .par_iter_mut()
            .for_each_init(|| solver.clone(), solve_one);
    }
    #[cfg(not(feature = "rayon"))]
    {
        let mut solver = solver.clone();
        for problem in problems {
            solve_one(&mut solver, problem);
        }
    }
}

fn solve_one(solver: &mut Solver, problem: &mut Problem<'_>) {
    let report = solver.solve(problem.chain, problem.goals, problem.angles);
    problem.outcome = Some(report.map(|report| Solved {
        status: report.status,
        largest_error: report.largest_error(),
        tension: report.tension,
        evaluations: report.evaluations,
    }));
}
