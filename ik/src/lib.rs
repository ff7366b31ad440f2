//! Inverse kinematics that reaches, keeps its limits and does not jump, and retargeting.
//!
//! * [`Chain`]: which bones may move, and how: [`ChainJoint`], [`Axis`], [`Tension`]. From a skeleton or built by hand.
//! * [`Goal`]: a point at a place, an axis in a direction, an orientation; any number at once, with weights.
//! * [`Solver`]: finds the angles. [`Tracker`]: frame after frame. [`solve_animation`]: a whole clip. [`solve_many`]:
//!   many chains. [`IkModifier`]: in elea-anim's multiplexer.
//! * [`look_at`] and [`two_bone`]: closed forms for the everyday cases.
//! * [`simplex`]: the downhill simplex for any function.
//! * [`retarget`]: a motion of one skeleton for another.
//!
//! Lengths are the data's own; angles are radians; targets are in model space; rotations follow [`elea::conventions`].
//! Poses are `f32`, angles `f64`: near a goal the objective is a narrow valley that single precision cannot see.
//!
//! Two solvers share one objective. Take [`Solver::gauss_newton`] for everything that runs every frame, for many axes and
//! for several goals: some twenty evaluations. Take [`Solver::simplex`] where you want the animation article's method, or to
//! check the other one: a thousand evaluations and more.
//!
//! ```
//! use elea_anim::{Joint, JointId, Skeleton, Transform, glam::Vec3};
//! use elea_ik::{Axis, Chain, ChainJoint, Goal, Solver, Status};
//!
//! let joint = |name: &str, parent: Option<u16>, rest: Vec3| Joint {
//!     name: name.into(),
//!     parent: parent.map(JointId),
//!     rest: Transform::from_translation(rest),
//! };
//! let skeleton = Skeleton::new(vec![
//!     joint("shoulder", None, Vec3::new(0.2, 1.4, 0.0)),
//!     joint("elbow", Some(0), 0.3 * Vec3::X),
//!     joint("wrist", Some(1), 0.26 * Vec3::X),
//! ])?;
//! let [shoulder, elbow, wrist] = [0, 1, 2].map(JointId);
//!
//! let mut chain = Chain::from_skeleton(&skeleton, shoulder, &[wrist])?;
//! chain.set_joint(shoulder, ChainJoint::ball(2.0, 0.1))?;
//! chain.set_joint(elbow, ChainJoint::hinge(1, Axis::limit(2.5, 0.1, 0.05)))?;
//! chain.set_joint(wrist, ChainJoint::FIXED)?;
//!
//! // The wrist to a place; the elbow should rather hang down.
//! let goals = [
//!     Goal::position(wrist, Vec3::ZERO, Vec3::new(0.4, 1.5, 0.35)),
//!     Goal::direction(shoulder, Vec3::X, Vec3::NEG_Y).with_weight(0.01),
//! ];
//! for mut solver in [Solver::gauss_newton(), Solver::simplex()] {
//!     let mut pose = skeleton.rest_pose().clone();
//!     let mut angles = chain.rest_angles();
//!     chain.angles_from_pose(&pose, &mut angles)?;
//!     let report = solver.solve(&chain, &goals, &mut angles)?;
//!     // The light goal is a preference: it does not count.
//!     assert_eq!(report.status, Status::Reached);
//!     assert!(report.errors[0] < 1e-3 && report.errors[1] > 0.1);
//!     chain.pose_from_angles(&angles, &mut pose)?;
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod bone;
mod chain;
mod error;
mod goal;
mod gradient;
mod joint;
mod kinematics;
mod look_at;
mod many;
mod modifier;
mod newton;
mod random;
mod report;
pub mod retarget;
mod search;
mod sequence;
pub mod simplex;
mod solver;
mod tension;
mod tracker;
mod two_bone;
mod variable;

pub use chain::Chain;
pub use elea::EulerOrder;
pub use error::IkError;
pub use glam;
pub use goal::Goal;
pub use joint::{Axis, ChainJoint};
pub use look_at::{LookAt, LookAtOptions, look_at};
pub use many::{Problem, Solved, solve_many};
pub use modifier::IkModifier;
pub use report::{Errors, SolveReport, Status};
pub use sequence::{SequenceReport, animation_from_angles, solve_animation};
pub use solver::Solver;
pub use tension::Tension;
pub use tracker::Tracker;
pub use two_bone::{TwoBone, TwoBoneOptions, two_bone};

/// The README's examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
