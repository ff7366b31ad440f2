//! Inverse kinematics and retargeting.
