//! Inverse kinematics and retargeting.

pub mod retarget;
