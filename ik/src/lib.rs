//! Inverse kinematics and retargeting.
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
