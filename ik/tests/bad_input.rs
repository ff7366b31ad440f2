//! Bad input gives its own error and leaves the angles as they were; odd input is answered.

use elea_anim::{AnimError, Joint, JointId, Pose, Skeleton, Transform};
use elea_ik::glam::{Affine3A, DAffine3, Quat, Vec3};
use elea_ik::{
    Axis, Chain, ChainJoint, EulerOrder, Goal, IkError, Solver, Status, Tension, Tracker,
    animation_from_angles,
};

const TIP: JointId = JointId(1);

/// Two bones of length 1 along x; the tip's point is at (2, 0, 0).
fn arm() -> Chain {
    let mut chain = Chain::new();
    let root = chain
        .push(None, Transform::IDENTITY, ChainJoint::ball(2.0, 0.1))
        .expect("a valid bone");
    let rest = Transform::from_translation(Vec3::X);
    chain
        .push(Some(root), rest, ChainJoint::ball(2.0, 0.1))
        .expect("a valid bone");
    chain
}

fn refused(chain: &Chain, goals: &[Goal], start: f64) -> IkError {
    let mut error = None;
    for mut solver in [Solver::gauss_newton(), Solver::simplex()] {
        let mut angles = vec![start; chain.angle_count()];
        let before: Vec<u64> = angles.iter().map(|angle| angle.to_bits()).collect();
        error = solver.solve(chain, goals, &mut angles).err();
        assert!(
            angles.iter().map(|angle| angle.to_bits()).eq(before),
            "the angles stay as they were"
        );
        let mut tracker = Tracker::new(solver);
        let tracked = tracker.solve(chain, goals, &mut angles).err();
        assert_eq!(
            format!("{tracked:?}"),
            format!("{error:?}"),
            "the tracker says the same"
        );
    }
    error.expect("an error")
}

#[test]
fn every_kind_of_bad_goal_has_its_error() {
    let chain = arm();
    let good = Goal::position(TIP, Vec3::X, Vec3::Y);
    let position = |local, target| [good, Goal::position(TIP, local, target)];
    let direction = |local, target| [good, Goal::direction(TIP, local, target)];
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let target = Vec3::new(0.0, bad, 0.0);
        assert_eq!(
            refused(&chain, &position(Vec3::X, target), 0.1),
            IkError::TargetNotFinite { goal: 1 }
        );
        assert_eq!(
            refused(&chain, &position(target, Vec3::X), 0.1),
            IkError::LocalNotFinite { goal: 1 }
        );
        assert_eq!(
            refused(&chain, &direction(Vec3::X, target), 0.1),
            IkError::TargetNotFinite { goal: 1 }
        );
        let orientation = [good, Goal::orientation(TIP, Quat::from_xyzw(bad, 0.0, 0.0, 1.0))];
        assert_eq!(
            refused(&chain, &orientation, 0.1),
            IkError::TargetNotFinite { goal: 1 }
        );
        assert!(matches!(
            refused(&chain, &[good.with_weight(bad)], 0.1),
            IkError::Weight { goal: 0, .. }
        ));
    }
    assert_eq!(
        refused(&chain, &[good.with_weight(-1.0)], 0.1),
        IkError::Weight {
            goal: 0,
            weight: -1.0
        }
    );
    assert_eq!(
        refused(&chain, &direction(Vec3::ZERO, Vec3::X), 0.1),
        IkError::ZeroDirection { goal: 1 }
    );
    assert_eq!(
        refused(&chain, &direction(Vec3::X, Vec3::ZERO), 0.1),
        IkError::ZeroDirection { goal: 1 }
    );
    let zero = [Goal::orientation(TIP, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0))];
    assert_eq!(refused(&chain, &zero, 0.1), IkError::ZeroRotation { goal: 0 });
    let outside = [Goal::position(JointId(7), Vec3::X, Vec3::Y)];
    assert_eq!(
        refused(&chain, &outside, 0.1),
        IkError::GoalOutsideChain {
            goal: 0,
            bone: JointId(7)
        }
    );
}

#[test]
fn every_kind_of_bad_pose_has_its_error() {
    let chain = arm();
    let goals = [Goal::position(TIP, Vec3::X, Vec3::Y)];
    assert_eq!(
        refused(&chain, &goals, f64::NAN),
        IkError::AngleNotFinite { index: 0 }
    );
    assert_eq!(
        refused(&chain, &goals, f64::INFINITY),
        IkError::AngleNotFinite { index: 0 }
    );
    let mut short = [0.0; 5];
    let error = Solver::gauss_newton().solve(&chain, &goals, &mut short).err();
    assert_eq!(
        error,
        Some(IkError::AngleCount {
            expected: 6,
            found: 5
        })
    );

    let mut pose = Pose::identity(2);
    let mut angles = [0.5; 6];
    pose.set_rotation(JointId(1), Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0));
    assert_eq!(
        chain.angles_from_pose(&pose, &mut angles),
        Err(IkError::PoseNotFinite { joint: JointId(1) })
    );
    assert_eq!(angles, [0.5; 6], "untouched");
    let small = Pose::identity(1);
    let too_small = Err(IkError::PoseSize {
        expected: 2,
        found: 1,
    });
    assert_eq!(chain.angles_from_pose(&small, &mut angles), too_small);
    assert_eq!(chain.pose_from_angles(&angles, &mut small.clone()), too_small);
    let mut pose = Pose::identity(2);
    let nan = [0.0, 0.0, 0.0, f64::NAN, 0.0, 0.0];
    assert_eq!(
        chain.pose_from_angles(&nan, &mut pose),
        Err(IkError::AngleNotFinite { index: 3 })
    );
    assert_eq!(pose, Pose::identity(2), "untouched");
}

#[test]
fn every_kind_of_bad_chain_has_its_error() {
    let goals = [Goal::position(TIP, Vec3::ZERO, Vec3::Y)];
    let mut fixed = arm();
    for bone in [JointId(0), TIP] {
        fixed.set_joint(bone, ChainJoint::FIXED).expect("a valid joint");
    }
    assert_eq!(refused(&fixed, &goals, 0.0), IkError::NoFreeAxis);

    let mut flat = Chain::new();
    let root = flat
        .push(None, Transform::from_translation(Vec3::Y), ChainJoint::default())
        .expect("a valid bone");
    flat.push(Some(root), Transform::IDENTITY, ChainJoint::default())
        .expect("a valid bone");
    assert_eq!(refused(&flat, &goals, 0.0), IkError::ZeroLength);

    let mut chain = arm();
    for limit in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let bad = ChainJoint::hinge(1, Axis::limit(1.0, limit, 0.1));
        let error = chain.set_joint(TIP, bad).expect_err("a bad limit");
        assert!(
            matches!(
                error,
                IkError::Limit {
                    bone: TIP,
                    axis: 1,
                    ..
                }
            ),
            "{error:?}"
        );
        assert!(
            chain.push(None, Transform::IDENTITY, bad).is_err(),
            "nor can it be pushed"
        );
    }
    for rigidity in [-0.1, f64::NAN] {
        let error = chain
            .set_joint(TIP, ChainJoint::hinge(2, Axis::limit(1.0, 1.0, rigidity)))
            .expect_err("bad");
        assert!(
            matches!(
                error,
                IkError::Rigidity {
                    bone: TIP,
                    axis: 2,
                    ..
                }
            ),
            "{error:?}"
        );
    }
    assert_eq!(chain.free_axes(), 6, "unchanged");
    // The limit of an axis that is off is nobody's business.
    let off = Axis::Limit {
        negative: Tension {
            limit: 1.0,
            rigidity: 0.0,
        },
        positive: Tension {
            limit: 1.0,
            rigidity: 0.0,
        },
        hard: false,
    };
    chain
        .set_joint(
            TIP,
            ChainJoint {
                axes: [off, Axis::Off, Axis::Off],
                ..ChainJoint::FIXED
            },
        )
        .expect("valid");

    let unknown = Err(IkError::NoSuchJoint { joint: JointId(9) });
    assert_eq!(chain.set_joint(JointId(9), ChainJoint::FIXED), unknown);
    assert!(
        chain
            .push(Some(JointId(9)), Transform::IDENTITY, ChainJoint::FIXED)
            .is_err(),
        "no such parent"
    );
    let nan = Transform::from_translation(Vec3::NAN);
    let error = chain.push(None, nan, ChainJoint::FIXED).expect_err("not finite");
    assert!(matches!(error, IkError::RestTransform { .. }), "{error:?}");
    assert_eq!(chain.len(), 2, "unchanged");
}

/// A chain of more axes than the solvers take is refused before anything of their size is allocated.
#[test]
fn a_chain_of_too_many_axes_is_refused() {
    let mut chain = Chain::new();
    let mut last = None;
    // 1,366 balls have 4,098 axes.
    for _ in 0..1_366 {
        let rest = Transform::from_translation(0.01 * Vec3::X);
        let joint = ChainJoint::ball(1.0, 0.1);
        last = Some(chain.push(last, rest, joint).expect("a valid bone"));
    }
    let tip = last.expect("a bone");
    let goals = [Goal::position(tip, Vec3::ZERO, Vec3::Y)];
    let error = IkError::TooManyAxes {
        found: 4_098,
        most: Chain::MOST_AXES,
    };
    assert_eq!(refused(&chain, &goals, 0.1), error);
    chain.set_joint(tip, ChainJoint::FIXED).expect("a valid joint");
    assert_eq!(chain.free_axes(), 4_095);
    // Poses go in and out whatever the number.
    let (mut pose, mut angles) = (Pose::identity(1_366), chain.rest_angles());
    chain.pose_from_angles(&angles, &mut pose).expect("a pose");
    chain.angles_from_pose(&pose, &mut angles).expect("angles");
}

#[test]
fn skeletons_give_chains_or_say_why_not() {
    let joint = |parent: Option<u16>| Joint {
        name: String::new(),
        parent: parent.map(JointId),
        rest: Transform::from_translation(Vec3::Y),
    };
    // 0 - 1 - 2 and 1 - 3, and 4 apart.
    let joints = vec![
        joint(None),
        joint(Some(0)),
        joint(Some(1)),
        joint(Some(1)),
        joint(None),
    ];
    let skeleton = Skeleton::new(joints).expect("a valid skeleton");
    let chain =
        Chain::from_skeleton(&skeleton, JointId(1), &[JointId(2), JointId(3)]).expect("a branching chain");
    assert!(
        chain.bones().eq([JointId(1), JointId(2), JointId(3)]),
        "the root and both branches"
    );
    let elsewhere = Chain::from_skeleton(&skeleton, JointId(1), &[JointId(4)]).err();
    assert_eq!(
        elsewhere,
        Some(IkError::TipNotBelowRoot {
            tip: JointId(4),
            root: JointId(1)
        })
    );
    let unknown = Chain::from_skeleton(&skeleton, JointId(1), &[JointId(40)]).err();
    assert_eq!(unknown, Some(IkError::NoSuchJoint { joint: JointId(40) }));
}

#[test]
fn bad_settings_are_named() {
    let chain = arm();
    let goals = [Goal::position(TIP, Vec3::X, Vec3::Y)];
    for value in [0.0, -1.0, f64::NAN] {
        let mut solver = Solver::gauss_newton();
        solver.e_max = value;
        let error = solver
            .solve(&chain, &goals, &mut chain.rest_angles())
            .expect_err("bad e_max");
        assert!(
            matches!(error, IkError::Setting { name: "e_max", .. }),
            "{error:?}"
        );
        let mut solver = Solver::simplex();
        solver.t_scale = value;
        let error = solver
            .solve(&chain, &goals, &mut chain.rest_angles())
            .expect_err("bad t_scale");
        assert!(
            matches!(error, IkError::Setting { name: "t_scale", .. }),
            "{error:?}"
        );
    }
    // No run and no iteration: still an answer, and an honest status.
    let mut solver = Solver::gauss_newton();
    (solver.runs, solver.iterations) = (0, 0);
    let mut angles = chain.rest_angles();
    let report = solver
        .solve(&chain, &goals, &mut angles)
        .expect("a valid problem");
    assert_eq!(report.status, Status::Budget);
}

/// Every Euler order: what a pose brings is what goes out again.
#[test]
fn poses_survive_the_way_through_angles() {
    for (index, order) in EulerOrder::ALL.into_iter().enumerate() {
        let mut chain = Chain::new();
        let rest = Transform {
            rotation: Quat::from_rotation_y(2.0),
            ..Transform::from_translation(Vec3::X)
        };
        let joint = ChainJoint {
            order,
            ..ChainJoint::ball(2.0, 0.1)
        };
        let root = chain
            .push(None, rest, joint.with_translate(Axis::Free))
            .expect("a valid bone");
        chain.push(Some(root), rest, joint).expect("a valid bone");
        let mut pose = Pose::identity(2);
        let angle = 0.1 + 0.25 * f32::from(u8::try_from(index).expect("24 orders"));
        let rotation = Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), angle);
        pose.set(
            JointId(0),
            Transform {
                rotation,
                ..Transform::from_translation(Vec3::new(1.0, 2.0, 3.0))
            },
        );
        pose.set(
            JointId(1),
            Transform {
                rotation: rotation.inverse(),
                ..rest
            },
        );
        let mut angles = chain.rest_angles();
        chain
            .angles_from_pose(&pose, &mut angles)
            .expect("a pose of the chain");
        let mut again = Pose::identity(2);
        chain
            .pose_from_angles(&angles, &mut again)
            .expect("angles of the chain");
        for joint in [JointId(0), JointId(1)] {
            let off = pose.get(joint).rotation.angle_between(again.get(joint).rotation);
            assert!(off < 1e-3, "{order:?}: off by {off}");
        }
        let moved = again
            .get(JointId(0))
            .translation
            .distance(Vec3::new(1.0, 2.0, 3.0));
        assert!(moved < 1e-6, "{order:?}: the root is {moved} away");
    }
}

/// With NaN above the chain the largest error came out as 0 and the goals as reached.
#[test]
fn a_placement_above_the_chain_that_is_none_is_refused() {
    let goals = [Goal::position(TIP, Vec3::X, Vec3::Y)];
    for base in [
        Affine3A::from_translation(Vec3::new(0.0, f32::NAN, 0.0)),
        Affine3A::from_scale(Vec3::INFINITY),
        Affine3A::from_scale(Vec3::ZERO),
    ] {
        let mut chain = arm();
        chain.set_base(base);
        assert_eq!(refused(&chain, &goals, 0.1), IkError::JointTransform, "{base:?}");
    }
    // Ten times 3e38 is beyond f64.
    let huge = Transform {
        scale: Vec3::splat(3e38),
        ..Transform::from_translation(Vec3::X)
    };
    let mut chain = Chain::new();
    let mut last = None;
    for _ in 0..10 {
        last = Some(
            chain
                .push(last, huge, ChainJoint::ball(2.0, 0.1))
                .expect("a valid bone"),
        );
    }
    assert_eq!(refused(&chain, &goals, 0.1), IkError::JointTransform);
}

#[test]
fn a_pose_with_a_bad_joint_above_the_chain_is_not_adopted() {
    let joint = |parent: Option<u16>| Joint {
        name: String::new(),
        parent: parent.map(JointId),
        rest: Transform::from_translation(Vec3::Y),
    };
    let joints = vec![joint(None), joint(Some(0)), joint(Some(1)), joint(Some(2))];
    let skeleton = Skeleton::new(joints).expect("a valid skeleton");
    let mut chain = Chain::from_skeleton(&skeleton, JointId(2), &[JointId(3)]).expect("a chain");
    let tip_of = |chain: &Chain| {
        let mut model = [DAffine3::IDENTITY; 2];
        chain
            .model_from_angles(&chain.rest_angles(), &mut model)
            .expect("valid angles");
        model[1].translation
    };
    let before = tip_of(&chain);
    let rest = skeleton.rest_pose().get(JointId(0));
    for bad in [
        Transform {
            translation: Vec3::NAN,
            ..rest
        },
        Transform {
            rotation: Quat::from_xyzw(0.0, 0.0, 0.0, 0.0),
            ..rest
        },
    ] {
        let mut pose = skeleton.rest_pose().clone();
        pose.set(JointId(0), bad);
        assert_eq!(
            chain.adopt_pose(&skeleton, &pose),
            Err(IkError::PoseNotFinite { joint: JointId(0) })
        );
        assert_eq!(tip_of(&chain), before, "the chain is as it was");
    }
    assert_eq!(
        chain.adopt_pose(&skeleton, &Pose::identity(5)),
        Err(IkError::PoseSize {
            expected: 4,
            found: 5
        })
    );
}

#[test]
fn an_animation_needs_a_frame_time() {
    let chain = arm();
    let angles = [chain.rest_angles(), chain.rest_angles()].concat();
    for bad in [0.0, -0.1, f32::NAN, f32::INFINITY] {
        let error = animation_from_angles(&chain, "still", &angles, bad).expect_err("no frame time");
        assert!(matches!(error, AnimError::EditValue { .. }), "{bad}: {error}");
    }
    assert!(
        animation_from_angles(&chain, "still", &[], 0.1).is_err(),
        "no frames"
    );
    let animation = animation_from_angles(&chain, "still", &angles, 0.1).expect("two frames");
    assert_eq!((animation.start(), animation.end()), (0.0, 0.1));
}
