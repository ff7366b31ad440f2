//! Targets where no pose can bring them, and where only an odd one can.

mod common;

use common::{both, line, point};
use elea_anim::Transform;
use elea_ik::glam::Vec3;
use elea_ik::{Axis, Chain, ChainJoint, Goal, Solver, Status, Tracker};

/// Out of reach by 1 %, 10 %, 1,000 % and 5e8 lengths: the same, each from rest.
#[test]
fn however_far_the_target_the_chain_points_at_it() {
    for mut solver in both() {
        let (chain, tip) = line(&[1.0, 1.0]);
        let directions = [
            Vec3::new(0.48, 0.6, 0.64),
            Vec3::new(-0.48, 0.6, 0.64),
            Vec3::NEG_Y,
            Vec3::new(0.6, 0.0, -0.8),
        ];
        for (distance, direction) in [2.02_f32, 2.2, 22.0, 1e9]
            .into_iter()
            .flat_map(|distance| directions.map(|direction| (distance, direction)))
        {
            let goals = [Goal::position(tip, Vec3::X, distance * direction)];
            let mut angles = chain.rest_angles();
            let report = solver
                .solve(&chain, &goals, &mut angles)
                .expect("a valid problem");
            assert_eq!(report.status, Status::Unreachable, "at {distance}");
            let end = point(&chain, &angles, tip, Vec3::X);
            assert!(end.distance(2.0 * direction) < 0.03, "{end} for {distance}");
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

/// Of two poses that reach, the one within the limits is taken: a hinge with a soft limit of 10 degrees one way can fold
/// either way, and rest is nearer to the wrong one.
#[test]
fn a_pose_within_the_limits_is_preferred() {
    for mut solver in both() {
        let mut chain = Chain::new();
        let wide = ChainJoint::hinge(2, Axis::limit(2.5, 2.5, 0.1));
        let elbow = ChainJoint::hinge(2, Axis::limit(0.2, 2.5, 0.05));
        let root = chain.push(None, Transform::IDENTITY, wide).expect("a valid bone");
        let rest = Transform::from_translation(Vec3::X);
        let tip = chain.push(Some(root), rest, elbow).expect("a valid bone");
        for step in 0..40_u8 {
            let angle = 0.04 * f32::from(step) - 0.8;
            let goals = [Goal::position(
                tip,
                Vec3::X,
                1.9 * Vec3::new(angle.cos(), angle.sin(), 0.0),
            )];
            let mut angles = chain.rest_angles();
            // Bent the wrong way to begin with.
            angles[5] = -0.6;
            let report = solver
                .solve(&chain, &goals, &mut angles)
                .expect("a valid problem");
            assert_eq!(report.status, Status::Reached, "at {angle}");
            assert!(angles[5] > 0.5, "at {angle}: bent by {}", angles[5]);
        }
    }
}

/// A goal that the limits forbid costs a whole search now and then, not every frame; and is found soon after it comes back.
#[test]
fn a_goal_that_the_limits_forbid_is_cheap_to_track() {
    let mut chain = Chain::new();
    let hinge = |negative, positive| ChainJoint::hinge(2, Axis::limit(negative, positive, 0.1).hard());
    let root = chain
        .push(None, Transform::IDENTITY, hinge(0.5, 0.5))
        .expect("a valid bone");
    let rest = Transform::from_translation(Vec3::X);
    let tip = chain
        .push(Some(root), rest, hinge(0.1, 2.5))
        .expect("a valid bone");
    let behind = [Goal::position(tip, Vec3::X, Vec3::new(-1.0, 0.2, 0.0))];
    let before = [Goal::position(tip, Vec3::X, Vec3::new(1.2, 0.8, 0.0))];
    let mut tracker = Tracker::new(Solver::gauss_newton());
    let mut angles = chain.rest_angles();
    let mut searches = 0;
    for frame in 0..100 {
        let report = tracker
            .solve(&chain, &behind, &mut angles)
            .expect("a valid problem");
        assert_eq!(report.status, Status::Approximate, "frame {frame}");
        searches += usize::from(report.evaluations > 60);
    }
    // The first frame, then after 0, 1, 2, 4, 8, 16, 16, 16, 16 frames.
    assert!((4..=12).contains(&searches), "{searches} searches in 100 frames");
    let back = (0..30).position(|_| {
        let report = tracker.solve(&chain, &before, &mut angles);
        report.expect("a valid problem").status == Status::Reached
    });
    assert!(
        back.is_some_and(|frames| frames < 25),
        "back after {back:?} frames"
    );
}
