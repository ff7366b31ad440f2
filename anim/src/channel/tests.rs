use super::*;

fn value(channel: &Channel, time: f32) -> Transform {
    let mut transform = Transform::IDENTITY;
    channel.sample_into(time, &mut transform);
    transform
}

#[test]
fn a_cubic_spline_follows_its_polynomial_in_seconds() {
    // x(t) = t^3 - 2t has the tangents 3t^2 - 2; a Hermite spline reproduces every cubic.
    let x = |t: f32| t * t * t - 2.0 * t;
    let key = |t: f32| Key {
        time: t,
        value: Vec3::X * x(t),
        tangents: Some([Vec3::X * (3.0 * t * t - 2.0); 2]),
    };
    let keys = [key(-1.0), key(0.5), key(3.0)];
    let channel = Channel::translation(JointId(0), Interpolation::CubicSpline, &keys).unwrap();
    for step in 0..=40_u8 {
        let t = f32::from(step) * 0.1 - 1.0;
        let found = value(&channel, t).translation.x;
        assert!((found - x(t)).abs() < 2e-5, "at {t}: {found}, not {}", x(t));
    }
}

#[test]
fn equal_times_are_a_step_and_ends_hold() {
    let keys = [(0.0, 1.0), (1.0, 2.0), (1.0, 5.0), (2.0, 6.0)].map(|(t, v)| Key::new(t, Vec3::splat(v)));
    let channel = Channel::scale(JointId(0), Interpolation::Linear, &keys).unwrap();
    for (t, expected) in [
        (-9.0, 1.0),
        (0.5, 1.5),
        (1.0, 5.0),
        (1.5, 5.5),
        (2.0, 6.0),
        (99.0, 6.0),
    ] {
        assert_eq!(value(&channel, t).scale.x, expected, "at {t}");
    }
}

#[test]
fn slerp_takes_the_short_way_at_constant_speed() {
    let a = Quat::from_rotation_y(0.3);
    for angle in [1e-6_f32, 1e-3, 0.5, 3.0] {
        let keys = [
            Key::new(0.0, a),
            Key::new(1.0, -(Quat::from_rotation_y(angle) * a)),
        ];
        let channel = Channel::rotation(JointId(0), Interpolation::Linear, &keys).unwrap();
        for t in [0.0, 0.125, 0.5, 0.875, 1.0] {
            let expected = glam::DQuat::from_rotation_y(f64::from(angle) * f64::from(t) + f64::from(0.3_f32));
            let found = value(&channel, t).rotation.as_dquat();
            let chord = (found - expected).length().min((found + expected).length());
            assert!(chord < 1.5e-7, "angle {angle}, t {t}: off by {chord}");
        }
    }
}

#[test]
fn repairs_are_counted() {
    let quats = [
        Quat::IDENTITY,
        -Quat::from_rotation_x(0.2),
        Quat::from_rotation_x(0.4) * 2.0,
    ];
    let values = Values::Rotation(quats.to_vec());
    let channel = Channel::sorted(JointId(0), Interpolation::Linear, vec![0.0, 1.0, 0.5], values).unwrap();
    let expected = Repairs {
        sorted: 2,
        renormalised: 1,
        flipped: 1,
    };
    assert_eq!(channel.repairs(), expected);
    let found = value(&channel, 0.5).rotation;
    assert!(found.abs_diff_eq(Quat::from_rotation_x(0.4), 1e-6), "{found}");
    let found = value(&channel, 1.0).rotation;
    assert!(found.abs_diff_eq(Quat::from_rotation_x(0.2), 1e-6), "{found}");
    // A spline's tangents go with their key, also when it is negated.
    let spline = [0.0, 1.0].map(|time| Key {
        time,
        value: if time > 0.0 {
            -Quat::from_rotation_x(0.2)
        } else {
            Quat::IDENTITY
        },
        tangents: Some([Quat::from_xyzw(time, 0.0, 0.0, 0.0); 2]),
    });
    let spline = Channel::rotation(JointId(0), Interpolation::CubicSpline, &spline).unwrap();
    let Values::Rotation(values) = spline.values() else {
        panic!("rotations")
    };
    assert_eq!(
        (values[3].x, values[5].x, spline.repairs().flipped),
        (-1.0, -1.0, 1)
    );
    let nan = Values::Scale(vec![Vec3::ONE; 3]);
    let error = Channel::sorted(JointId(1), Interpolation::Step, vec![2.0, f32::NAN, 1.0], nan);
    assert!(
        matches!(error, Err(AnimError::TimeNotFinite { key: 1, .. })),
        "{error:?}"
    );
}

#[test]
fn bad_keys_are_named() {
    let channel = |keys: &[Key<Vec3>]| {
        Channel::translation(JointId(3), Interpolation::Linear, keys).map_err(|error| error.to_string())
    };
    let message = |keys: &[Key<Vec3>]| channel(keys).unwrap_err();
    assert_eq!(message(&[]), "translation channel of joint 3 has no keys");
    let nan = [Key::new(0.0, Vec3::ZERO), Key::new(1.0, Vec3::NAN)];
    assert_eq!(
        message(&nan),
        "translation channel of joint 3: value of key 1 is not finite"
    );
    let late = [Key::new(1.0, Vec3::ZERO), Key::new(0.0, Vec3::ZERO)];
    assert_eq!(
        message(&late),
        "translation channel of joint 3: time of key 1 is before the key it follows; Channel::sorted takes keys in any order"
    );
    let keys = [Key::new(0.0, Quat::from_vec4(Vec4::ZERO))];
    let error = Channel::rotation(JointId(3), Interpolation::Step, &keys).unwrap_err();
    assert_eq!(
        error.to_string(),
        "channel of joint 3: rotation of key 0 has length zero"
    );
}
