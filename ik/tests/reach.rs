//! Targets where no pose can bring them, and where only an odd one can.

mod common;

use common::{both, line, point};
use elea_ik::glam::Vec3;
use elea_ik::{Goal, Status};

/// Out of reach by 1 %, 10 %, 1,000 % and 1e9: the same, each from rest.
#[test]
fn however_far_the_target_the_chain_points_at_it() {
    for mut solver in both() {
        let (chain, tip) = line(&[1.0, 1.0]);
        for distance in [2.02_f32, 2.2, 20.0, 1e9] {
            let direction = Vec3::new(0.48, 0.6, 0.64);
            let goals = [Goal::position(tip, Vec3::X, distance * direction)];
            let mut angles = chain.rest_angles();
            let report = solver
                .solve(&chain, &goals, &mut angles)
                .expect("a valid problem");
            assert_eq!(report.status, Status::Unreachable, "at {distance}");
            let end = point(&chain, &angles, tip, Vec3::X);
            assert!(end.distance(2.0 * direction) < 0.05, "{end} for {distance}");
        }
    }
}

/// A target at the root: the chain folds up, and says Reached because it can.
#[test]
fn a_target_at_the_root_is_reached() {
    for mut solver in both() {
        let (chain, tip) = line(&[1.0, 1.0, 1.0]);
        let mut angles = chain.rest_angles();
        let report = solver.solve(&chain, &[Goal::position(tip, Vec3::X, Vec3::ZERO)], &mut angles);
        assert_eq!(report.expect("a valid problem").status, Status::Reached);
        // A bone of length zero is a bone like any other.
        let (chain, tip) = line(&[1.0, 0.0, 1.0]);
        let mut angles = chain.rest_angles();
        let goals = [Goal::position(tip, Vec3::X, Vec3::new(1.0, 1.0, 0.5))];
        let report = solver
            .solve(&chain, &goals, &mut angles)
            .expect("a valid problem");
        assert_eq!(report.status, Status::Reached);
    }
}

/// A pole is a preference: the position is reached as exactly as without it, and the elbow turns to the pole's side.
#[test]
fn a_pole_turns_the_elbow_and_costs_no_accuracy() {
    for mut solver in both() {
        for pole in [Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z] {
            let (chain, tip) = line(&[1.0, 1.0]);
            let root = chain.bones().next().expect("a bone");
            let target = Vec3::new(1.5, 0.0, 0.0);
            let goals = [
                Goal::position(tip, Vec3::X, target),
                Goal::direction(root, Vec3::X, pole).with_weight(0.02),
            ];
            let mut angles = chain.rest_angles();
            let report = solver
                .solve(&chain, &goals, &mut angles)
                .expect("a valid problem");
            assert_eq!(report.status, Status::Reached, "{pole}");
            let elbow = point(&chain, &angles, tip, Vec3::ZERO);
            // The elbow stands 0.66 beside the line to the target.
            assert!(elbow.dot(pole) > 0.6, "{pole}: the elbow is at {elbow}");
        }
    }
}
