//! The largest angle between a normal and its decoded code, against the table of the documentation.

mod support;

use support::{Mapping, Random, between_codes, mappings, squared_sine_and_cosine, structured};

const RANDOM: usize = 8_000_000;
const BETWEEN: usize = 2_000_000;

/// In degrees, over `RANDOM` + `BETWEEN` normals and the structured ones.
fn largest_error(mapping: &Mapping) -> f64 {
    let mut random = Random(0x5eed + u64::from(mapping.bits));
    let mut largest = 0.0_f64;
    let mut check = |normal: [f32; 3]| {
        let decoded = (mapping.decode)((mapping.encode)(normal));
        let (squared_sine, cosine) = squared_sine_and_cosine(decoded, normal);
        assert!(
            cosine > 0.0,
            "{}: {normal:?} decodes to {decoded:?}",
            mapping.name
        );
        largest = largest.max(squared_sine / (squared_sine + cosine * cosine));
    };
    structured().into_iter().for_each(&mut check);
    for _ in 0..RANDOM {
        check(random.normal());
    }
    for _ in 0..BETWEEN {
        check(between_codes(mapping, &mut random));
    }
    largest.sqrt().asin().to_degrees()
}

/// The radius of the hexagon that each of 2^(2 bits) codes would have if they shared the sphere evenly: nothing with as
/// many codes can have a smaller largest error (Fejes Toth's covering bound).
fn covering_bound(bits: u32) -> f64 {
    let area = 4.0 * core::f64::consts::PI / f64::from(1_u32 << bits).powi(2);
    (2.0 * area / (3.0 * 3.0_f64.sqrt())).sqrt().to_degrees()
}

fn check<const BITS: u32>(limits: [f64; 5]) {
    use std::io::Write as _;
    for (mapping, limit) in mappings::<BITS>().iter().zip(limits) {
        let largest = largest_error(mapping);
        let ratio = largest / covering_bound(BITS);
        let line = format!(
            "{:16} 2x{BITS:<2} largest error {largest:.6} degrees, {ratio:.3} of the covering bound",
            mapping.name
        );
        writeln!(std::io::stderr(), "{line}").expect("stderr");
        assert!(largest <= limit, "{line}, limit {limit}");
        assert!(
            largest > 0.8 * limit,
            "{line}: far below {limit}, so the normals miss the worst case"
        );
    }
}

#[test]
fn at_8_bits() {
    check::<8>([0.518, 0.639, 0.639, 0.970, 0.830]);
}

#[test]
fn at_10_bits() {
    check::<10>([0.1286, 0.1587, 0.1587, 0.2425, 0.2070]);
}

#[test]
fn at_12_bits() {
    check::<12>([0.0321, 0.0397, 0.0397, 0.0607, 0.0517]);
}

#[test]
fn at_16_bits() {
    check::<16>([0.00201, 0.00249, 0.00249, 0.00380, 0.00324]);
}
