//! With feature `serde`, what is set up by hand can be kept in a file.
#![cfg(feature = "serde")]

use core::fmt::Debug;

use elea_anim::JointId;
use elea_ik::glam::{Quat, Vec3};
use elea_ik::{Axis, ChainJoint, EulerOrder, Goal, LookAtOptions, Status, Tension, TwoBoneOptions};
use serde::{Serialize, de::DeserializeOwned};

fn survives<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: T) {
    let text = serde_json::to_string(&value).expect("valid values");
    let again: T = serde_json::from_str(&text).expect("what was written");
    assert_eq!(again, value, "{text}");
}

#[test]
fn everything_that_is_set_by_hand_survives() {
    let bone = JointId(3);
    survives(Goal::position(bone, Vec3::X, Vec3::new(0.1, -2.5, 1e-7)).with_weight(0.3));
    survives(Goal::direction(bone, Vec3::Z, Vec3::NEG_Y));
    survives(Goal::orientation(bone, Quat::from_rotation_x(0.7)));
    survives(Tension {
        limit: 1.25,
        rigidity: 0.1,
    });
    survives(ChainJoint {
        order: EulerOrder::ZYX,
        axes: [Axis::Off, Axis::Free, Axis::limit(0.1, 2.6, 0.05).hard()],
        ..ChainJoint::FIXED
    });
    for status in [
        Status::Reached,
        Status::Approximate,
        Status::Unreachable,
        Status::Budget,
    ] {
        survives(status);
    }
    survives(LookAtOptions::default());
    survives(TwoBoneOptions::default());
}
