//! The five test sets: success, evaluations, tension, and motion without jumps. Expected values are the targets that the
//! crate's README states.
#![allow(clippy::cast_precision_loss, reason = "counts of a test")]

mod common;

use std::io::Write;

use common::{Random, TestChain, median, test_chains};
use elea_ik::{IkError, SolveReport, Solver, Status, Tracker, solve_animation};

/// Seed 1 was tuned on, seed 20 was not.
const SEEDS: [u64; 2] = [1, 20];

fn sets() -> Vec<TestChain> {
    test_chains().unwrap_or_else(|| {
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: ../shared/cases/ik_chains.json is absent"
        );
        Vec::new()
    })
}

/// What one set must show: name, success in percent, median evaluations, median tension over the best known.
struct Target {
    name: &'static str,
    success: f64,
    evaluations: f64,
    tension: f64,
}

/// Solves `count` targets from the rest pose. Returns success in percent, median evaluations, median tension ratio, and how
/// many poses in percent have an axis more than 1 % past its limit.
fn measure(set: &TestChain, mut solver: Solver, count: usize, seed: u64) -> (f64, f64, f64, f64) {
    let mut random = Random(seed);
    let (mut reached, mut past, mut evaluations, mut ratios) = (0, 0, Vec::new(), Vec::new());
    for _ in 0..count {
        let pose = set.pose(&mut random);
        let goals = set.goals(&pose);
        let mut angles = set.chain.rest_angles();
        let report = solver
            .solve(&set.chain, &goals, &mut angles)
            .expect("a valid problem");
        assert!(
            report.tension.is_finite() && angles.iter().all(|angle| angle.is_finite()),
            "{}",
            set.name
        );
        evaluations.push(f64::from(report.evaluations));
        let is_past =
            |&(slot, low, high): &(usize, f64, f64)| !(1.01 * low..=1.01 * high).contains(&angles[slot]);
        past += usize::from(set.limits.iter().any(is_past));
        if report.status != Status::Reached {
            continue;
        }
        assert!(
            report.errors.iter().all(|&error| error < 1e-3),
            "{}: reached is reached",
            set.name
        );
        reached += 1;
        let tension = report.tension;
        // Best known: the least of eight long runs, one of them from the pose that made the targets.
        let mut best = tension;
        for start in 0..8 {
            let mut other = if start == 0 {
                pose.clone()
            } else {
                set.pose(&mut random)
            };
            let mut long = Solver::gauss_newton();
            (long.runs, long.iterations) = (1, 300);
            let report = long
                .solve(&set.chain, &goals, &mut other)
                .expect("a valid problem");
            if report.status == Status::Reached {
                best = best.min(report.tension);
            }
        }
        ratios.push(tension / best);
    }
    (
        100.0 * f64::from(reached) / count as f64,
        median(&mut evaluations),
        median(&mut ratios),
        100.0 * past as f64 / count as f64,
    )
}

fn check(targets: &[Target], solver: fn() -> Solver, count: impl Fn(&str) -> usize) {
    for set in sets() {
        let target = targets
            .iter()
            .find(|target| target.name == set.name)
            .expect("a target for each set");
        for seed in SEEDS {
            let (success, evaluations, tension, past) = measure(&set, solver(), count(&set.name), seed);
            let name = &set.name;
            assert!(
                success >= target.success,
                "{name}, seed {seed}: {success} % reached"
            );
            assert!(
                evaluations <= target.evaluations,
                "{name}, seed {seed}: {evaluations} evaluations"
            );
            assert!(
                tension <= target.tension,
                "{name}, seed {seed}: {tension} times the best tension"
            );
            assert!(past <= 0.5, "{name}, seed {seed}: {past} % past a limit");
        }
    }
}

#[test]
fn gauss_newton_meets_its_targets() {
    let target = |name, success, evaluations| Target {
        name,
        success,
        evaluations,
        tension: 1.01,
    };
    let targets = [
        target("arm", 99.8, 25.0),
        target("arm7", 99.0, 30.0),
        target("arm7pose", 99.0, 30.0),
        target("leg", 99.5, 12.0),
        // The median over seeds is 1.006; a few hundred targets leave it between 1.003 and 1.012.
        Target {
            tension: 1.02,
            ..target("spine", 99.9, 35.0)
        },
    ];
    check(&targets, Solver::gauss_newton, |name| {
        if name == "spine" { 200 } else { 500 }
    });
}

#[test]
fn the_simplex_meets_its_targets() {
    let target = |name, success, evaluations, tension| Target {
        name,
        success,
        evaluations,
        tension,
    };
    let targets = [
        target("arm", 99.8, 1_500.0, 1.01),
        target("arm7", 99.0, 2_200.0, 1.01),
        target("arm7pose", 99.0, 2_200.0, 1.01),
        target("leg", 99.5, 700.0, 1.01),
        // The median over seeds is 1.008; a few targets leave it between 1.00 and 1.02.
        target("spine", 99.9, 45_000.0, 1.02),
    ];
    // Of seven axes a thousand, as in the README: one in a hundred may miss, and a miss more or less in 200 is half of that.
    // Five seeds of 1,000 reach 99.1 % of the full poses together, and 98.5 to 99.6 % each.
    check(&targets, Solver::simplex, |name| match name {
        "spine" => 30,
        "arm7" | "arm7pose" => 1000,
        _ => 200,
    });
}

/// The largest difference between two poses, in degrees.
fn turn(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |largest, (a, b)| {
        f64::max(largest, (a - b).abs().to_degrees())
    })
}

#[test]
fn the_tracker_turns_no_axis_by_more_than_its_step() {
    for set in sets() {
        let mut random = Random(20);
        let (mut frames, mut reached, mut evaluations) = (0, 0, Vec::new());
        for _ in 0..3 {
            let mut tracker = Tracker::new(Solver::gauss_newton());
            let mut angles = set.chain.rest_angles();
            for (frame, pose) in set.path(&mut random, 600).into_iter().enumerate() {
                let before = angles.clone();
                let report = tracker
                    .solve(&set.chain, &set.goals(&pose), &mut angles)
                    .expect("a valid problem");
                frames += 1;
                reached += usize::from(report.status == Status::Reached);
                if frame > 0 {
                    evaluations.push(f64::from(report.evaluations));
                    let step = turn(&before, &angles);
                    assert!(step <= 10.0, "{}: {step} degrees in frame {frame}", set.name);
                }
            }
        }
        let (part, median) = (
            100.0 * reached as f64 / f64::from(frames),
            median(&mut evaluations),
        );
        // Where a pose comes to a dead end the way to another one leads past the target.
        assert!(part >= 95.0, "{}: {part} % of the frames reached", set.name);
        assert!(median <= 6.0, "{}: {median} evaluations per frame", set.name);
    }
}

#[test]
fn whole_animations_are_reached_with_hardly_a_jump() {
    for set in sets() {
        let mut random = Random(20);
        let (mut reached, mut jumps, mut frames) = (0, 0, 0);
        for _ in 0..2 {
            let goals: Vec<_> = set
                .path(&mut random, 600)
                .iter()
                .map(|pose| set.goals(pose))
                .collect();
            let mut angles = vec![0.0; goals.len() * set.chain.angle_count()];
            let mut tracker = Tracker::new(Solver::gauss_newton());
            let report =
                solve_animation(&mut tracker, &set.chain, &goals, &mut angles).expect("valid frames");
            reached += report.reached;
            jumps += report.jumps;
            frames += goals.len();
            let frame = |index: usize| &angles[index * set.chain.angle_count()..][..set.chain.angle_count()];
            let steps = (1..goals.len()).map(|index| turn(frame(index - 1), frame(index)));
            let counted = steps.filter(|step| *step > 10.0 + 1e-6).count();
            assert!(
                counted <= report.jumps,
                "{}: {counted} jumps, {} reported",
                set.name,
                report.jumps
            );
        }
        assert_eq!(reached, frames, "{}: every frame is reached", set.name);
        assert!(jumps <= 2, "{}: {jumps} jumps in {frames} frames", set.name);
    }
}

/// Targets moved by about a thousandth of the chain's length: the tracked pose hardly moves.
#[test]
fn a_small_move_of_the_target_is_a_small_move_of_the_pose() {
    for set in sets() {
        let mut random = Random(3);
        let (mut cold, mut tracked) = (0, 0);
        for _ in 0..100 {
            let pose = set.pose(&mut random);
            let mut near = pose.clone();
            for &(slot, ..) in &set.limits {
                near[slot] += random.range(-5e-4, 5e-4);
            }
            let mut solver = Solver::gauss_newton();
            let (mut first, mut second) = (set.chain.rest_angles(), set.chain.rest_angles());
            solver
                .solve(&set.chain, &set.goals(&pose), &mut first)
                .expect("a valid problem");
            solver
                .solve(&set.chain, &set.goals(&near), &mut second)
                .expect("a valid problem");
            cold += usize::from(turn(&first, &second) > 10.0);
            let mut tracker = Tracker::new(Solver::gauss_newton());
            let mut angles = set.chain.rest_angles();
            // A few frames to slide down to the least tension.
            for _ in 0..8 {
                tracker
                    .solve(&set.chain, &set.goals(&pose), &mut angles)
                    .expect("a valid problem");
            }
            let before = angles.clone();
            tracker
                .solve(&set.chain, &set.goals(&near), &mut angles)
                .expect("a valid problem");
            tracked += usize::from(turn(&before, &angles) > 5.0);
        }
        assert!(
            tracked <= 1,
            "{}: {tracked} of 100 tracked poses move by more than 5 degrees",
            set.name
        );
        assert!(cold <= 10, "{}: {cold} of 100 cold poses jump", set.name);
    }
}

/// A soft limit gives way by a few percent under a far goal, a hard one never.
#[test]
fn hard_limits_are_exact() {
    for mut set in sets() {
        for bone in set.chain.bones().collect::<Vec<_>>() {
            let mut joint = *set.chain.joint(bone).expect("a bone of the chain");
            joint.axes = joint.axes.map(elea_ik::Axis::hard);
            joint.translate = joint.translate.map(elea_ik::Axis::hard);
            set.chain.set_joint(bone, joint).expect("valid limits");
        }
        let mut random = Random(9);
        let mut reached = 0;
        for _ in 0..200 {
            let pose = set.pose(&mut random);
            let mut angles = set.chain.rest_angles();
            let status = Solver::gauss_newton()
                .solve(&set.chain, &set.goals(&pose), &mut angles)
                .map(|r| r.status);
            reached += usize::from(status == Ok(Status::Reached));
            for &(slot, low, high) in &set.limits {
                // One rounding: translations count in chain lengths inside.
                let slack = 1e-15 * high;
                assert!(
                    angles[slot] >= low - slack && angles[slot] <= high + slack,
                    "{}: {}",
                    set.name,
                    angles[slot]
                );
            }
        }
        assert!(
            reached >= 190,
            "{}: {reached} of 200 reached within exact limits",
            set.name
        );
    }
}

/// The same bits alone, after other problems, in a batch, and on threads.
#[test]
fn nothing_but_the_problem_decides_the_answer() {
    for set in sets() {
        let mut random = Random(5);
        let goals: Vec<_> = (0..40).map(|_| set.goals(&set.pose(&mut random))).collect();
        let solve = |solver: &mut Solver, goals: &Vec<elea_ik::Goal>| {
            let mut angles = set.chain.rest_angles();
            let report: Result<SolveReport, IkError> = solver.solve(&set.chain, goals, &mut angles);
            let report = report.expect("a valid problem");
            (report.evaluations, report.tension.to_bits(), angles)
        };
        let fresh: Vec<_> = goals
            .iter()
            .map(|goals| solve(&mut Solver::gauss_newton(), goals))
            .collect();
        let mut reused = Solver::gauss_newton();
        let again: Vec<_> = goals
            .iter()
            .rev()
            .map(|goals| solve(&mut reused, goals))
            .collect();
        assert!(fresh.iter().eq(again.iter().rev()), "{}: a used solver", set.name);
        let mut angles = vec![set.chain.rest_angles(); goals.len()];
        let mut problems: Vec<_> = goals
            .iter()
            .zip(&mut angles)
            .map(|(goals, angles)| elea_ik::Problem::new(&set.chain, goals, angles))
            .collect();
        elea_ik::solve_many(&reused, &mut problems);
        let is_fresh = |angles: &Vec<Vec<f64>>| fresh.iter().map(|(.., angles)| angles).eq(angles);
        assert!(is_fresh(&angles), "{}: a batch", set.name);
        #[cfg(feature = "rayon")]
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("threads");
            let mut angles = vec![set.chain.rest_angles(); goals.len()];
            let mut problems: Vec<_> = goals
                .iter()
                .zip(&mut angles)
                .map(|(goals, angles)| elea_ik::Problem::new(&set.chain, goals, angles))
                .collect();
            pool.install(|| elea_ik::solve_many(&reused, &mut problems));
            assert!(is_fresh(&angles), "{}: {threads} threads", set.name);
        }
    }
}
