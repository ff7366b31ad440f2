//! `Solver::soften`: a chain comes softly to its full extension.

mod common;

use common::{both, line, point};
use elea_ik::glam::Vec3;
use elea_ik::{ChainJoint, Goal, IkError, Solver, Status, Tracker, animation_from_angles, solve_animation};

/// How far the tip may be for a target at `distance`: the formula of `Solver::soften` for a chain of length 2.
fn expected(distance: f64, soften: f64) -> f64 {
    let begin = 2.0 * (1.0 - soften);
    if distance <= begin {
        return distance;
    }
    begin + 2.0 * soften * (1.0 - (-(distance - begin) / (2.0 * soften)).exp())
}

/// A target slides out through full extension: without softening the elbow goes like sqrt(1 - (d / 2)^2) and pops at the end,
/// with it the elbow's way per frame stays bounded, and the tip is where the formula says.
#[test]
fn an_elbow_does_not_pop_when_it_straightens() {
    for solver in both() {
        let mut largest = [0.0_f32; 2];
        for (soften, largest) in [0.0, 0.05].into_iter().zip(&mut largest) {
            let (chain, tip) = line(&[1.0, 1.0]);
            let mut tracker = Tracker::new(solver.clone());
            tracker.solver.soften = soften;
            tracker.solver.e_max = 1e-4;
            let mut angles = chain.rest_angles();
            angles[5] = 0.5;
            let mut last: Option<Vec3> = None;
            for step in 0..=300_u16 {
                let distance = 1.7 + 0.002 * f64::from(step);
                #[expect(clippy::cast_possible_truncation, reason = "a length")]
                let target = Vec3::new(distance as f32, 0.0, 0.0);
                let goals = [Goal::position(tip, Vec3::X, target)];
                let report = tracker
                    .solve(&chain, &goals, &mut angles)
                    .expect("a valid problem");
                let end = point(&chain, &angles, tip, Vec3::X);
                if soften > 0.0 {
                    let off = f64::from(end.length()) - expected(distance, soften);
                    assert!(off.abs() < 1e-3, "{off} beside the formula at {distance}");
                    // The report is about the target itself.
                    let miss = f64::from(end.distance(target)) / 2.0;
                    assert!((report.errors[0] - miss).abs() < 1e-6, "{report:?} at {distance}");
                    let status = match distance {
                        ..1.9 => Status::Reached,
                        ..2.0 => Status::Approximate,
                        _ => Status::Unreachable,
                    };
                    if (distance - 1.9).abs() > 0.02 && (distance - 2.0).abs() > 1e-3 {
                        assert_eq!(report.status, status, "at {distance}");
                    }
                }
                let elbow = point(&chain, &angles, tip, Vec3::ZERO);
                if let Some(last) = last {
                    *largest = largest.max(elbow.distance(last));
                }
                last = Some(elbow);
            }
        }
        // sqrt(1 - (d / 2)^2): the last 0.002 alone are 0.045 of the elbow's way. Softened over 0.1 its speed is largest where
        // the zone begins: 1.9 / (4 * 0.312) = 1.52 times the target's, 0.0032 with the way along the line. Reaching to
        // 1e-4 of the length, before and after, lets it go 1.52 * 4e-4 farther, and somewhat to the side.
        assert!(largest[0] > 0.03, "the test tests something: {}", largest[0]);
        assert!(largest[1] < 0.005, "the elbow pops by {}", largest[1]);
    }
}

#[test]
fn what_is_not_near_full_extension_is_solved_as_without() {
    let (chain, tip) = line(&[1.0, 1.0]);
    let mut free = chain.clone();
    let root = free.bones().next().expect("a bone");
    let moving = ChainJoint::ball(2.0, 0.1).with_translate(elea_ik::Axis::Free);
    free.set_joint(root, moving).expect("a valid joint");
    // A root that moves is not stretched.
    for (chain, distance) in [(&chain, 1.7), (&free, 2.5)] {
        let goals = [Goal::position(tip, Vec3::X, Vec3::new(distance, 0.2, 0.1))];
        let mut results = Vec::new();
        for soften in [0.0, 0.05] {
            let mut solver = Solver::gauss_newton();
            solver.soften = soften;
            let mut angles = chain.rest_angles();
            let report = solver.solve(chain, &goals, &mut angles).expect("a valid problem");
            assert_eq!(report.status, Status::Reached, "soften {soften}");
            results.push(angles);
        }
        assert_eq!(results[0], results[1], "the same bits");
    }
    for bad in [-0.1, 1.1, f64::NAN] {
        let mut solver = Solver::gauss_newton();
        solver.soften = bad;
        let goals = [Goal::position(tip, Vec3::X, Vec3::Y)];
        let error = solver.solve(&chain, &goals, &mut chain.rest_angles()).err();
        assert!(
            matches!(error, Some(IkError::Setting { name: "soften", .. })),
            "{error:?}"
        );
    }
}

/// Whole clips count a frame as reached by the target that was asked for.
#[test]
fn clips_are_softened_too() {
    let (chain, tip) = line(&[1.0, 1.0]);
    let target = |frame: u16| Vec3::new(1.5 + 0.01 * f32::from(frame), 0.3, 0.0);
    let goals: Vec<[Goal; 1]> = (0..50)
        .map(|frame| [Goal::position(tip, Vec3::X, target(frame))])
        .collect();
    let mut angles = vec![0.0; goals.len() * chain.angle_count()];
    let mut tracker = Tracker::new(Solver::gauss_newton());
    tracker.solver.soften = 0.1;
    let report = solve_animation(&mut tracker, &chain, &goals, &mut angles).expect("valid frames");
    // The zone begins at 1.8, which is 1.775 along x: the 27th frame; a millimetre or two later e_max is exceeded.
    assert!((27..34).contains(&report.reached), "{report:?}");
    assert_eq!(report.jumps, 0, "{report:?}");
    let animation = animation_from_angles(&chain, "reach", &angles, 1.0 / 60.0).expect("an animation");
    assert_eq!(animation.name, "reach");
}
