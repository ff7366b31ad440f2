//! Times of solves: targets that every contender of a case reaches, so that nobody is timed while it fails.

use elea_ik::{Goal, Solver, Status, Tracker};
use glam::{DAffine3, DQuat, DVec3};

use super::chains::{Set, sets};
use super::k_crate::KArm;
use super::{K, NEWTON, Report, SIMPLEX, TRACKER, percent};
use crate::measure::{Timed, nanoseconds};
use crate::random::Random;

/// One target: as k takes it, and as ours do.
#[derive(Clone, Debug)]
struct Target {
    position: DVec3,
    rotation: Option<DQuat>,
    goals: Vec<Goal>,
}

/// An arm, targets that all contenders reach, and k's twin of it.
#[expect(missing_debug_implementations, reason = "k's types have none")]
pub struct Race {
    /// The chain.
    pub set: Set,
    targets: Vec<Target>,
    arm: KArm,
    rest: Vec<f64>,
    /// Percent of the targets drawn that k reaches.
    pub k_success: f64,
}

impl Race {
    /// The two arms that k can solve: position alone, and the full pose. `count` targets are drawn for each.
    #[must_use]
    pub fn all(count: usize) -> Vec<Self> {
        let named = |set: &Set| ["arm", "arm7pose"].contains(&set.name);
        sets()
            .into_iter()
            .filter(named)
            .map(|set| Self::new(set, count))
            .collect()
    }

    fn new(set: Set, count: usize) -> Self {
        let is_posed = set.name == "arm7pose";
        let tip = DVec3::new(0.18, 0.0, 0.0);
        let rest = set.chain.rest_angles();
        let rests = local_rests(&set.model(&rest));
        let arm = KArm::new(&set.chain, &rests, tip, 1e-3 * set.chain.length());
        let mut random = Random::new(5);
        let (mut targets, mut by_k) = (Vec::new(), 0);
        for _ in 0..count {
            let pose = set.pose(&mut random);
            let model = set.model(&pose);
            let wrist = model[model.len() - 1];
            let target = Target {
                position: wrist.transform_point3(tip),
                rotation: is_posed.then(|| DQuat::from_mat3(&wrist.matrix3).normalize()),
                goals: set.goals(&pose),
            };
            let reached = arm.solve(&rest, target.position, target.rotation);
            by_k += usize::from(reached);
            let solved = Solver::gauss_newton().solve(&set.chain, &target.goals, &mut rest.clone());
            if reached && solved.is_ok_and(|solved| solved.status == Status::Reached) {
                targets.push(target);
            }
        }
        Self {
            k_success: percent(by_k, count),
            set,
            targets,
            arm,
            rest,
        }
    }

    /// How many targets there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether no target is left.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Solves a target (their numbers wrap around) from rest.
    pub fn solve(&self, solver: &mut Solver, target: usize) -> bool {
        let mut angles = [0.0; 16];
        let angles = &mut angles[..self.rest.len()];
        let goals = &self.targets[target % self.targets.len()].goals;
        solver.solve(&self.set.chain, goals, angles).is_ok()
    }

    /// Lets k solve it.
    #[must_use]
    pub fn solve_by_k(&self, target: usize) -> bool {
        let target = &self.targets[target % self.targets.len()];
        self.arm.solve(&self.rest, target.position, target.rotation)
    }
}

/// Every bone's rest placement in its parent's space, of an unbranched chain.
pub(crate) fn local_rests(model: &[DAffine3]) -> Vec<DAffine3> {
    let mut above = DAffine3::IDENTITY;
    let local = |placed: &DAffine3| {
        let local = above.inverse() * *placed;
        above = *placed;
        local
    };
    model.iter().map(local).collect()
}

/// In one run with k where k can solve the chain.
pub(super) fn times(report: &mut Report) {
    for race in Race::all(1_000) {
        let case = race.set.name;
        report.add(case, K, "success", race.k_success, "percent");
        let (mut newton, mut simplex) = (Solver::gauss_newton(), Solver::simplex());
        let count = race.len();
        // A hundred are enough for the simplex.
        let few = count.min(100);
        let mut contenders: [Timed<'_>; 3] = [
            (
                NEWTON,
                Box::new(|| {
                    for target in 0..count {
                        std::hint::black_box(race.solve(&mut newton, target));
                    }
                }),
            ),
            (
                SIMPLEX,
                Box::new(|| {
                    for target in 0..few {
                        std::hint::black_box(race.solve(&mut simplex, target));
                    }
                }),
            ),
            (
                K,
                Box::new(|| {
                    for target in 0..count {
                        std::hint::black_box(race.solve_by_k(target));
                    }
                }),
            ),
        ];
        let mut measured = nanoseconds(&mut contenders, count, 9);
        measured[1] *= count as f64 / few as f64;
        for ((name, _), time) in contenders.iter().zip(&measured) {
            report.add(case, name, "time", time * 1e-3, "microseconds");
            report.add(case, name, "time_ratio", time / measured[2], "");
        }
    }
    for set in sets() {
        alone(report, &set);
    }
}

/// Ours alone: cold solves where k has no twin of the chain, and a frame of the tracker.
fn alone(report: &mut Report, set: &Set) {
    let mut random = Random::new(6);
    let frames = 300;
    let path: Vec<Vec<Goal>> = set
        .path(&mut random, frames)
        .iter()
        .map(|pose| set.goals(pose))
        .collect();
    let mut solver = Solver::gauss_newton();
    let mut contenders: [Timed<'_>; 2] = [
        (
            NEWTON,
            Box::new(|| {
                for goals in &path {
                    let mut angles = set.chain.rest_angles();
                    std::hint::black_box(solver.solve(&set.chain, goals, &mut angles).is_ok());
                }
            }),
        ),
        (
            TRACKER,
            Box::new(|| {
                let mut tracker = Tracker::new(Solver::gauss_newton());
                let mut angles = set.chain.rest_angles();
                for goals in &path {
                    std::hint::black_box(tracker.solve(&set.chain, goals, &mut angles).is_ok());
                }
            }),
        ),
    ];
    let measured = nanoseconds(&mut contenders, frames, 9);
    for ((name, _), time) in contenders.iter().zip(measured) {
        report.add(set.name, name, "time_of_a_frame", time * 1e-3, "microseconds");
    }
}
