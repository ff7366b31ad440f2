//! Any three floats: codes in range, unit normals out, and a code decodes and encodes to itself.
#![no_main]

use gbuffer_codec::{diamond, octahedral, warped};
use libfuzzer_sys::fuzz_target;

fn unit([x, y, z]: [f32; 3]) {
    let length = x.hypot(y).hypot(z);
    assert!((length - 1.0).abs() < 1e-5, "{x} {y} {z}");
}

fuzz_target!(|normal: [f32; 3]| {
    macro_rules! check {
        ($mapping:ident, $bits:literal) => {
            let code = $mapping::encode::<$bits>(normal);
            let limit = ((1_i32 << ($bits - 1)) - 1) as i16;
            assert!(
                code.iter().all(|value| (-limit..=limit).contains(value)),
                "{code:?}"
            );
            let decoded = $mapping::decode::<$bits>(code);
            unit(decoded);
            let again = $mapping::encode::<$bits>(decoded);
            assert_eq!(
                $mapping::encode::<$bits>($mapping::decode::<$bits>(again)),
                again
            );
        };
    }
    check!(warped, 8);
    check!(warped, 12);
    check!(warped, 16);
    check!(octahedral, 8);
    check!(octahedral, 12);
    check!(octahedral, 16);
    check!(diamond, 8);
    check!(diamond, 12);
    check!(diamond, 16);
});
