//! After the first solve of a chain nothing is allocated.

mod common;

use allocation_counter::measure;
use common::{Random, test_chains};
use elea_anim::{Joint, JointId, PoseModifier, Skeleton, Transform};
use elea_ik::glam::{Affine3A, Vec3};
use elea_ik::simplex::{FirstSimplex, Scratch, SimplexOptions, minimize_with};
use elea_ik::{Chain, Goal, IkModifier, Solver, Tracker};
use std::io::Write;

#[test]
fn solving_allocates_nothing() {
    let Some(sets) = test_chains() else {
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: ../shared/cases/ik_chains.json is absent"
        );
        return;
    };
    for set in sets {
        let mut random = Random(1);
        let mut quick = Solver::simplex();
        (quick.runs, quick.iterations) = (2, 500);
        for mut solver in [Solver::gauss_newton(), quick] {
            let goals: Vec<_> = (0..20).map(|_| set.goals(&set.pose(&mut random))).collect();
            let mut angles = set.chain.rest_angles();
            solver
                .solve(&set.chain, &goals[0], &mut angles)
                .expect("a valid problem");
            let counted = measure(|| {
                for goals in &goals {
                    let report = solver.solve(&set.chain, goals, &mut angles);
                    assert!(report.is_ok(), "a valid problem");
                }
            });
            assert_eq!(counted.count_total, 0, "{}: allocations in 20 solves", set.name);

            let mut tracker = Tracker::new(solver);
            // A far target in the second frame makes the tracker choose a destination once.
            for goals in &goals[..2] {
                tracker
                    .solve(&set.chain, goals, &mut angles)
                    .expect("a valid problem");
            }
            let counted = measure(|| {
                for goals in &goals {
                    assert!(
                        tracker.solve(&set.chain, goals, &mut angles).is_ok(),
                        "a valid problem"
                    );
                }
            });
            assert_eq!(counted.count_total, 0, "{}: allocations in 20 frames", set.name);
        }
    }
}

#[test]
fn a_modifier_allocates_in_its_first_frame_alone() {
    let joint = |parent: Option<u16>| Joint {
        name: String::new(),
        parent: parent.map(JointId),
        rest: Transform::from_translation(Vec3::X),
    };
    let joints = vec![joint(None), joint(Some(0)), joint(Some(1)), joint(Some(2))];
    let skeleton = Skeleton::new(joints).expect("a valid skeleton");
    let chain = Chain::from_skeleton(&skeleton, JointId(1), &[JointId(3)]).expect("a chain");
    let mut modifier = IkModifier::new(chain, Tracker::new(Solver::gauss_newton()));
    modifier
        .goals
        .push(Goal::position(JointId(3), Vec3::ZERO, Vec3::new(2.0, 1.0, 0.0)));
    let mut pose = skeleton.rest_pose().clone();
    let mut model = vec![Affine3A::IDENTITY; skeleton.len()];
    modifier.modify(&skeleton, &mut pose, &mut model);
    let counted = measure(|| {
        for weight in [1.0, 0.5, 1.0] {
            modifier.weight = weight;
            pose.copy_from(skeleton.rest_pose());
            modifier.modify(&skeleton, &mut pose, &mut model);
        }
    });
    assert_eq!(counted.count_total, 0, "allocations in three frames");
}

#[test]
fn the_simplex_allocates_nothing_with_scratch() {
    let options = SimplexOptions {
        first: FirstSimplex::Uniform(0.5),
        restarts: 3,
        ..SimplexOptions::default()
    };
    let mut scratch = Scratch::default();
    let mut run = || {
        let mut x = [3.0; 8];
        minimize_with(|x| x.iter().map(|x| x * x).sum(), &mut x, &options, &mut scratch)
    };
    run();
    assert_eq!(
        measure(|| {
            run();
        })
        .count_total,
        0,
        "allocations in the second run"
    );
}
