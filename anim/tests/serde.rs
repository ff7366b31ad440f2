//! What is saved comes back as it was, and what does not hold together is refused as its constructor refuses it.
#![cfg(feature = "serde")]

use elea_anim::{
    Channel, Interpolation, JointId, Key, MorphTrack,
    glam::{Quat, Vec3},
};
use serde_json::{Value, from_value, json, to_value};

#[test]
fn morph_tracks_come_back() {
    for (interpolation, rows) in [
        (Interpolation::Step, 2),
        (Interpolation::Linear, 2),
        (Interpolation::CubicSpline, 6),
    ] {
        for targets in [0, 3] {
            let weights = (0..rows * targets).map(|index: u8| f32::from(index) * 0.1 - 0.3);
            let weights = weights.collect();
            let track = MorphTrack::new(targets.into(), interpolation, vec![0.1, 2.7], weights).unwrap();
            let saved = to_value(&track).unwrap();
            assert_eq!(from_value::<MorphTrack>(saved).unwrap(), track);
        }
    }
    let track = MorphTrack::new(1, Interpolation::Linear, vec![0.5, 1.0], vec![0.25, 2.0]).unwrap();
    let text = json!({"targets": 1, "interpolation": "Linear", "times": [0.5, 1.0], "weights": [0.25, 2.0]});
    assert_eq!(to_value(track).unwrap(), text);
}

#[test]
fn morph_tracks_that_are_none_are_refused() {
    let sound = json!({"targets": 2, "interpolation": "Linear", "times": [0.0, 1.0], "weights": [0.0, 0.1, 0.2, 0.3]});
    assert!(from_value::<MorphTrack>(sound.clone()).is_ok(), "as it should be");
    for (field, value, message) in [
        ("times", json!([]), "weight channel of joint 0 has no keys"),
        (
            "times",
            json!([1.0, 0.5]),
            "weight channel of joint 0: time of key 1 is before the key it follows; Channel::sorted takes keys in any order",
        ),
        (
            "times",
            json!([0.0, 1e300]),
            "weight channel of joint 0: time of key 1 is not finite",
        ),
        (
            "times",
            json!([0.0, 1e38]),
            "weight channel of joint 0: time of key 1 is more than 8.5e37 s from 0",
        ),
        (
            "weights",
            json!([0.0]),
            "weight channel of joint 0 has 1 values where its times need 4",
        ),
        (
            "weights",
            json!([0.0, 0.0, -1e300, 0.0]),
            "weight channel of joint 0: value of key 1 is not finite",
        ),
        (
            "weights",
            json!([0.0, 1e38, 0.0, 0.0]),
            "weight channel of joint 0: a value of key 0, or a tangent times the seconds that it is for, is beyond 8.5e37",
        ),
        (
            "interpolation",
            json!("CubicSpline"),
            "weight channel of joint 0 has 4 values where its times need 12",
        ),
    ] {
        let mut broken = sound.clone();
        broken[field] = value;
        assert_eq!(
            from_value::<MorphTrack>(broken).unwrap_err().to_string(),
            message,
            "{field}"
        );
    }
}

/// A number of targets times keys that is beyond the address space.
#[test]
fn more_targets_than_memory_are_refused() {
    let track =
        json!({"targets": usize::MAX / 2, "interpolation": "Linear", "times": [0, 1, 2], "weights": []});
    let error = from_value::<MorphTrack>(track).unwrap_err().to_string();
    assert!(
        error.starts_with("weight channel of joint 0 has 0 values where its times need"),
        "{error}"
    );
}

#[test]
fn channels_come_back_checked() {
    let turns = [0.0, 1.5].map(|time| Key::new(time, Quat::from_rotation_y(time)));
    let places = [0.0, 1.5].map(|time| Key::new(time, Vec3::splat(time)));
    let (joint, linear) = (JointId(3), Interpolation::Linear);
    let channels = [
        Channel::rotation(joint, linear, &turns),
        Channel::translation(joint, Interpolation::CubicSpline, &places),
        Channel::scale(joint, Interpolation::Step, &places),
    ];
    for (channel, property) in channels.into_iter().zip(["rotation", "translation", "scale"]) {
        let channel = channel.unwrap();
        let saved = to_value(&channel).unwrap();
        assert_eq!(from_value::<Channel>(saved.clone()).unwrap(), channel);
        let mut broken: Value = saved;
        broken["times"] = json!([1.5, 0.0]);
        assert_eq!(
            from_value::<Channel>(broken).unwrap_err().to_string(),
            format!(
                "{property} channel of joint 3: time of key 1 is before the key it follows; Channel::sorted takes keys in any order"
            )
        );
    }
}
