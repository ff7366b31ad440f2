//! Any nine numbers: a unit quaternion of the documented sign, in f32 and in f64; any order of angles gives it back.
#![no_main]

use elea::EulerOrder;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: ([[f64; 3]; 3], [[f32; 3]; 3])| {
    let (double, single) = input;
    let q: [f64; 4] = elea::quat_from_mat3(double);
    let length = q.iter().map(|value| value * value).sum::<f64>().sqrt();
    assert!((length - 1.0).abs() < 1e-14 && q[3] >= 0.0, "{q:?}");
    let q: [f32; 4] = elea::quat_from_mat3(single);
    let length = q.iter().map(|value| value * value).sum::<f32>().sqrt();
    assert!((length - 1.0).abs() < 1e-6 && q[3] >= 0.0, "{q:?}");
    for order in [
        EulerOrder::XYZ,
        EulerOrder::ZXY,
        EulerOrder::ZXZ,
        EulerOrder::YXZEx,
    ] {
        let angles: [f32; 3] = elea::euler_from_quat(q, order);
        assert!(angles.iter().all(|angle| angle.is_finite()), "{angles:?}");
        let back: [f32; 4] = elea::quat_from_euler(angles, order);
        let off = elea::angle_between(q, back);
        assert!(off < 1e-6, "{order:?}: {off}");
    }
    let _ = elea::try_quat_from_mat3(double);
    let _ = elea::polar_from_mat3(single);
});
