//! Inverse kinematics: success, evaluations, tension, limits, motion without jumps, time.
//!
//! Cases `arm`, `arm7`, `arm7pose`, `leg`, `spine` (see [`chains`]) and `panda` (10,000 poses, position and rotation to 1e-5).
//! Every target is solved from the rest pose. Metrics:
//! * `success`: targets whose every goal error (distance / length, or chord) is below 1e-3 (Panda: 1e-5); seed 1 was tuned
//!   on, `success_second_seed` not.
//! * `median_evaluations`: passes over the objective, with or without its gradient.
//! * `median_tension_ratio`: to the least tension found from nine starts with five times the iterations.
//! * `limit_violations`: solved targets where an axis is past its (soft) limit by more than 1 % of it.
//! * `time`, `time_ratio`: mean over the targets that all contenders of the case reach; ratio to the crate k.
//! * `time_of_a_frame`: of a moving pose, solved alone and tracked.
//! * `path_*`: 20 moving poses of 600 frames, followed by the tracker; `clip_*`: the same frames solved as whole
//!   animations; jumps are frames in which an axis turns by more than 10 degrees.
//! * `perturbed_*`: targets moved by a thousandth of the length: pairs of which an axis differs by more than 10 degrees,
//!   and the axes that do.
//! * `minimise_*`: the downhill simplex alone on the standard test functions, against argmin.
//!
//! Contenders are what solves such a chain: k for serial chains with one position or pose as the goal. The registry's other
//! crates are for the plane (fabrik) or for one kind of six-axis robot (rs-opw-kinematics).

pub mod chains;
pub mod k_crate;
mod minimise;
pub mod times;

use elea_ik::{Goal, Solver, Status, Tracker, solve_animation};
use glam::{DAffine3, DVec3};

use crate::random::Random;
use crate::row::Row;
use chains::{PANDA_TIP, Set, panda, panda_flange, panda_pose, sets};
use k_crate::KArm;

const NEWTON: &str = "elea gauss-newton";
const SIMPLEX: &str = "elea simplex";
const K: &str = "k";
const TRACKER: &str = "elea tracker";
const CLIP: &str = "elea solve_animation";

struct Report(Vec<Row>);

impl Report {
    fn add(&mut self, case: &str, contender: &str, metric: &str, value: f64, unit: &'static str) {
        self.0.push(Row {
            area: "ik",
            case: case.into(),
            contender: contender.into(),
            metric: metric.into(),
            value,
            unit,
        });
    }
}

/// The whole comparison: about two minutes.
#[must_use]
pub fn rows() -> Vec<Row> {
    let mut report = Report(Vec::new());
    for set in sets() {
        cold(&mut report, &set, NEWTON, Solver::gauss_newton, set.targets);
        // A simplex of 33 variables takes 50 ms a target.
        let targets = if set.name == "spine" { 60 } else { set.targets };
        cold(&mut report, &set, SIMPLEX, Solver::simplex, targets);
        perturbed(&mut report, &set);
        paths(&mut report, &set);
    }
    times::times(&mut report);
    robot(&mut report);
    minimise::rows(&mut report);
    report.0
}

fn percent(part: usize, of: usize) -> f64 {
    100.0 * part as f64 / of.max(1) as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn degrees_between(a: &[f64], b: &[f64]) -> f64 {
    let turns = a.iter().zip(b).map(|(a, b)| (a - b).abs().to_degrees());
    turns.fold(0.0, f64::max)
}

/// Every target from the rest pose.
fn cold(report: &mut Report, set: &Set, contender: &str, solver: fn() -> Solver, targets: usize) {
    for (seed, is_tuned) in [(1, true), (20, false)] {
        let mut random = Random::new(seed);
        let mut solver = solver();
        let (mut reached, mut violations) = (0, 0);
        let (mut evaluations, mut ratios) = (Vec::new(), Vec::new());
        for _ in 0..targets {
            let pose = set.pose(&mut random);
            let goals = set.goals(&pose);
            let mut angles = set.chain.rest_angles();
            let solved = solver
                .solve(&set.chain, &goals, &mut angles)
                .expect("a valid problem");
            evaluations.push(f64::from(solved.evaluations));
            let is_past = |&(slot, low, high): &(usize, f64, f64)| {
                angles[slot] < 1.01 * low || angles[slot] > 1.01 * high
            };
            violations += usize::from(set.limits.iter().any(is_past));
            if solved.status == Status::Reached {
                reached += 1;
                if is_tuned {
                    ratios
                        .push(solved.tension / best_tension(set, &goals, &pose, solved.tension, &mut random));
                }
            }
        }
        let case = set.name;
        if !is_tuned {
            report.add(
                case,
                contender,
                "success_second_seed",
                percent(reached, targets),
                "percent",
            );
            continue;
        }
        report.add(case, contender, "success", percent(reached, targets), "percent");
        report.add(case, contender, "median_evaluations", median(evaluations), "");
        report.add(case, contender, "median_tension_ratio", median(ratios), "");
        report.add(
            case,
            contender,
            "limit_violations",
            percent(violations, targets),
            "percent",
        );
    }
}

fn best_tension(set: &Set, goals: &[Goal], pose: &[f64], found: f64, random: &mut Random) -> f64 {
    let mut long = Solver::gauss_newton();
    (long.runs, long.iterations) = (1, 300);
    let mut best = found;
    for start in 0..9 {
        let mut angles = if start == 0 {
            pose.to_vec()
        } else {
            set.pose(random)
        };
        let solved = long
            .solve(&set.chain, goals, &mut angles)
            .expect("a valid problem");
        if solved.status == Status::Reached {
            best = best.min(solved.tension);
        }
    }
    best
}

/// Targets moved by a thousandth of the length, both solved cold, and the second one tracked from the first.
fn perturbed(report: &mut Report, set: &Set) {
    let mut random = Random::new(3);
    let (mut cold, mut tracked) = ((0, 0), (0, 0));
    let pairs = 300;
    let count = |jumps: &mut (usize, usize), a: &[f64], b: &[f64]| {
        let axes = a
            .iter()
            .zip(b)
            .filter(|(a, b)| (*a - *b).abs().to_degrees() > 10.0);
        let axes = axes.count();
        jumps.0 += usize::from(axes > 0);
        jumps.1 += axes;
    };
    for _ in 0..pairs {
        let goals = set.goals(&set.pose(&mut random));
        let direction = DVec3::from_array([(); 3].map(|()| random.normal())).normalize();
        let by = (1e-3 * set.chain.length() * direction).as_vec3();
        let moved: Vec<Goal> = goals
            .iter()
            .map(|goal| match *goal {
                Goal::Position {
                    bone, local, target, ..
                } => Goal::position(bone, local, target + by),
                Goal::Direction {
                    bone, local, target, ..
                } => Goal::direction(bone, local, target + (1e-3 * direction).as_vec3()),
                other => other,
            })
            .collect();
        let mut tracker = Tracker::new(Solver::gauss_newton());
        tracker.max_step = f64::MAX;
        let mut first = set.chain.rest_angles();
        tracker
            .solve(&set.chain, &goals, &mut first)
            .expect("a valid problem");
        let mut second = set.chain.rest_angles();
        let solved = Solver::gauss_newton().solve(&set.chain, &moved, &mut second);
        solved.expect("a valid problem");
        count(&mut cold, &first, &second);
        let mut next = first.clone();
        tracker
            .solve(&set.chain, &moved, &mut next)
            .expect("a valid problem");
        count(&mut tracked, &first, &next);
    }
    let axes = pairs * set.chain.free_axes();
    for (contender, jumps) in [(NEWTON, cold), (TRACKER, tracked)] {
        report.add(
            set.name,
            contender,
            "perturbed_jumps",
            percent(jumps.0, pairs),
            "percent",
        );
        report.add(
            set.name,
            contender,
            "perturbed_axes",
            percent(jumps.1, axes),
            "percent",
        );
    }
}

/// Moving targets: tracked frame after frame, solved as whole clips, and each frame for itself.
fn paths(report: &mut Report, set: &Set) {
    let (frames, count) = (600, 20);
    let mut random = Random::new(2);
    let (mut reached, mut largest, mut evaluations) = (0, 0.0_f64, Vec::new());
    let (mut clip_reached, mut clip_jumps) = (0, 0);
    let (mut cold_reached, mut cold_largest) = (0, 0.0_f64);
    for path in 0..count {
        let goals: Vec<Vec<Goal>> = set
            .path(&mut random, frames)
            .iter()
            .map(|pose| set.goals(pose))
            .collect();
        let mut tracker = Tracker::new(Solver::gauss_newton());
        let mut angles = set.chain.rest_angles();
        for (frame, goals) in goals.iter().enumerate() {
            let before = angles.clone();
            let solved = tracker
                .solve(&set.chain, goals, &mut angles)
                .expect("a valid problem");
            reached += usize::from(solved.status == Status::Reached);
            if frame > 0 {
                evaluations.push(f64::from(solved.evaluations));
                largest = largest.max(degrees_between(&before, &angles));
            }
        }
        let mut clip = vec![0.0; frames * set.chain.angle_count()];
        let mut tracker = Tracker::new(Solver::gauss_newton());
        let solved = solve_animation(&mut tracker, &set.chain, &goals, &mut clip).expect("valid frames");
        clip_reached += solved.reached;
        clip_jumps += solved.jumps;
        if path < 4 {
            let mut solver = Solver::gauss_newton();
            let mut last: Option<Vec<f64>> = None;
            for goals in &goals {
                let mut angles = set.chain.rest_angles();
                let solved = solver
                    .solve(&set.chain, goals, &mut angles)
                    .expect("a valid problem");
                cold_reached += usize::from(solved.status == Status::Reached);
                if let Some(last) = &last {
                    cold_largest = cold_largest.max(degrees_between(last, &angles));
                }
                last = Some(angles);
            }
        }
    }
    let (case, all) = (set.name, frames * count);
    report.add(case, TRACKER, "path_success", percent(reached, all), "percent");
    report.add(case, CLIP, "path_success", percent(clip_reached, all), "percent");
    report.add(
        case,
        NEWTON,
        "path_success",
        percent(cold_reached, 4 * frames),
        "percent",
    );
    report.add(case, TRACKER, "path_max_jump", largest, "degrees");
    report.add(case, NEWTON, "path_max_jump", cold_largest, "degrees");
    report.add(
        case,
        CLIP,
        "path_frames_above_10_degrees",
        percent(clip_jumps, all),
        "percent",
    );
    report.add(case, TRACKER, "median_evaluations", median(evaluations), "");
}

/// The Panda: 10,000 poses uniform in its limits, position and rotation to 1e-5.
fn robot(report: &mut Report) {
    let (chain, last) = panda();
    let mut random = Random::new(1);
    let mut solver = Solver::gauss_newton();
    solver.e_max = 1e-5;
    let rest = chain.rest_angles();
    let mut model = vec![DAffine3::IDENTITY; chain.len()];
    chain.model_from_angles(&rest, &mut model).expect("the rest pose");
    let arm = KArm::new(&chain, &times::local_rests(&model), PANDA_TIP.as_dvec3(), 1e-5);
    let (mut reached, mut by_k, mut evaluations) = (0, 0, Vec::new());
    let count = 10_000;
    for _ in 0..count {
        let pose = panda_pose(&chain, &mut random);
        let (position, rotation) = panda_flange(&chain, &pose);
        let goals = [
            Goal::position(last, PANDA_TIP, position),
            Goal::orientation(last, rotation),
        ];
        let mut angles = rest.clone();
        let solved = solver
            .solve(&chain, &goals, &mut angles)
            .expect("a valid problem");
        reached += usize::from(solved.status == Status::Reached);
        evaluations.push(f64::from(solved.evaluations));
        by_k += usize::from(arm.solve(&rest, position.as_dvec3(), Some(rotation.as_dquat())));
    }
    report.add("panda", NEWTON, "success", percent(reached, count), "percent");
    report.add("panda", NEWTON, "median_evaluations", median(evaluations), "");
    report.add("panda", K, "success", percent(by_k, count), "percent");
}
