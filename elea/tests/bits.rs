//! Any bits go in: no hang, no panic, a unit quaternion out; and batches give the bits of single calls.
#![allow(
    clippy::cast_possible_truncation,
    reason = "bit patterns are cut to size on purpose"
)]

mod common;

use common::Random;
use elea::{EulerOrder, RotationError};

/// Bit patterns with every class of number planted: NaN payloads, infinities, denormals, zeros, extremes.
fn bits32(random: &mut Random) -> f32 {
    let bits = random.bits();
    let low = bits as u32;
    f32::from_bits(match bits >> 60 {
        0 => low & 0x807f_ffff,                        // zero exponent: denormals and zeros
        1 if bits >> 56 & 3 == 0 => low | 0x7f80_0000, // NaN and infinity
        2 => 0,
        3 => (low & 0x8000_0000) | 0x3f80_0000,     // +-1
        4 => (low & 0x807f_ffff) | 0x7f00_0000,     // the largest exponent
        5..=9 => (low & 0x83ff_ffff) | 0x3c00_0000, // near 1
        _ => low,
    })
}

fn bits64(random: &mut Random) -> f64 {
    let (bits, low) = (random.bits(), random.bits());
    f64::from_bits(match bits >> 60 {
        0 => low & 0x800f_ffff_ffff_ffff,
        1 if bits >> 56 & 3 == 0 => low | 0x7ff0_0000_0000_0000,
        2 => 0,
        3 => (low & (1 << 63)) | 0x3ff0_0000_0000_0000,
        4 => (low & 0x800f_ffff_ffff_ffff) | 0x7fe0_0000_0000_0000,
        5..=9 => (low & 0x807f_ffff_ffff_ffff) | 0x3f80_0000_0000_0000,
        _ => low,
    })
}

macro_rules! any_bits {
    ($name:ident, $scalar:ty, $bits:ident, $cases:literal, $length:literal) => {
        #[test]
        fn $name() {
            let mut random = Random(0xb175);
            for case in 0..$cases {
                let m: [[$scalar; 3]; 3] =
                    core::array::from_fn(|_| core::array::from_fn(|_| $bits(&mut random)));
                let finite = m.as_flattened().iter().all(|v| v.is_finite());
                let zero = m.as_flattened().iter().all(|v| *v == 0.0);
                let q = elea::quat_from_mat3(m);
                let length = q
                    .iter()
                    .map(|v| f64::from(*v) * f64::from(*v))
                    .sum::<f64>()
                    .sqrt();
                assert!((length - 1.0).abs() < $length, "{m:?}: {q:?}");
                let lead = [q[3], q[0], q[1], q[2]].into_iter().find(|v| *v != 0.0);
                assert!(lead > Some(0.0), "the sign: {m:?}: {q:?}");
                assert!(
                    q.iter().all(|v| *v != 0.0 || v.is_sign_positive()),
                    "no -0: {m:?}: {q:?}"
                );
                if !finite || zero {
                    assert_eq!(q, [0.0, 0.0, 0.0, 1.0], "{m:?}");
                }
                match elea::try_quat_from_mat3(m) {
                    Ok(same) => assert_eq!(same, q, "{m:?}"),
                    Err(RotationError::NotFinite) => assert!(!finite, "{m:?}"),
                    Err(_) => assert!(finite, "{m:?}"),
                }
                // The other conversions are much the same below: every eighth case will do.
                if case % 8 == 0 {
                    let polar = elea::polar_from_mat3(m);
                    assert_eq!(
                        polar.is_err() && finite,
                        finite && elea::try_quat_from_mat3(m) == Err(RotationError::Singular)
                    );
                    let q: [$scalar; 4] = core::array::from_fn(|_| $bits(&mut random));
                    let reference: [$scalar; 3] = core::array::from_fn(|_| $bits(&mut random));
                    let tolerance = $bits(&mut random);
                    let order = EulerOrder::ALL[(random.bits() % 24) as usize];
                    let angles = elea::euler_from_quat(q, order);
                    assert!(angles.iter().all(|v| v.abs() < 3.15), "{q:?}: {angles:?}");
                    let near = elea::euler_from_quat_near(q, order, reference, tolerance);
                    assert!(
                        near.iter().all(|v| v.is_finite()),
                        "{q:?} {reference:?} {tolerance}: {near:?}"
                    );
                    let from: [$scalar; 4] = elea::quat_from_euler(reference, order);
                    assert!(
                        from.iter().all(|v| v.abs() <= 1.0),
                        "{reference:?}: {from:?}"
                    );
                    let matrix = elea::mat3_from_quat(q);
                    assert!(
                        matrix.as_flattened().iter().all(|v| v.abs() <= 1.001),
                        "{q:?}: {matrix:?}"
                    );
                    assert!(
                        (0.0..3.15).contains(&elea::angle_between(q, from)),
                        "{q:?} {from:?}"
                    );
                    let _ = elea::quat_from_mat3_displacement(m);
                    let mut curve = [angles, reference, near];
                    elea::unroll_eulers(&mut curve, order);
                }
            }
        }
    };
}
any_bits!(any_bits_have_an_answer_in_f32, f32, bits32, 1_200_000, 3e-7);
any_bits!(any_bits_have_an_answer_in_f64, f64, bits64, 300_000, 1e-15);

macro_rules! batches {
    ($name:ident, $scalar:ty, $bits:ident) => {
        #[test]
        fn $name() {
            let mut random = Random(0xba7c);
            for len in (0..70).chain([127, 128, 129, 1000]) {
                let m: Vec<[[$scalar; 3]; 3]> = (0..len)
                    .map(|n| match n % 3 {
                        0 => core::array::from_fn(|_| core::array::from_fn(|_| $bits(&mut random))),
                        1 => elea::mat3_from_quat(random.quaternion().map(|v| v as $scalar)),
                        _ => core::array::from_fn(|_| {
                            core::array::from_fn(|_| random.range(-1.0, 1.0) as $scalar)
                        }),
                    })
                    .collect();
                let mut q = vec![[7.0; 4]; len];
                elea::quats_from_mat3s(&m, &mut q);
                let single: Vec<_> = m.iter().map(|&m| elea::quat_from_mat3(m)).collect();
                let same = |a: &[[$scalar; 4]], b: &[[$scalar; 4]]| {
                    a.as_flattened()
                        .iter()
                        .zip(b.as_flattened())
                        .all(|(a, b)| a.to_bits() == b.to_bits())
                };
                assert!(same(&q, &single), "{len} quaternions");
                let columns: [Vec<$scalar>; 9] =
                    core::array::from_fn(|e| m.iter().map(|m| m[e / 3][e % 3]).collect());
                let mut out: [Vec<$scalar>; 4] = core::array::from_fn(|_| vec![7.0; len]);
                elea::quats_from_mat3s_soa(
                    columns.each_ref().map(Vec::as_slice),
                    out.each_mut().map(Vec::as_mut_slice),
                );
                let back: Vec<[$scalar; 4]> = (0..len)
                    .map(|n| core::array::from_fn(|e| out[e][n]))
                    .collect();
                assert!(
                    same(&back, &single),
                    "{len} quaternions as a structure of arrays"
                );

                // Quaternions of any bits as well, and at the lock.
                for (n, q) in q.iter_mut().enumerate() {
                    if n % 4 == 1 {
                        *q = core::array::from_fn(|_| $bits(&mut random));
                    } else if n % 4 == 2 {
                        *q = [q[0], q[1], q[1], q[0]];
                    }
                }
                let references: Vec<[$scalar; 3]> = (0..len)
                    .map(|_| core::array::from_fn(|_| random.range(-7.0, 7.0) as $scalar))
                    .collect();
                let lanes: [Vec<$scalar>; 4] = core::array::from_fn(|e| q.iter().map(|q| q[e]).collect());
                let reference_lanes: [Vec<$scalar>; 3] =
                    core::array::from_fn(|e| references.iter().map(|r| r[e]).collect());
                for order in EulerOrder::ALL
                    .into_iter()
                    .skip(len % 6)
                    .step_by(if len < 8 { 1 } else { 5 })
                {
                    let same = |a: &[[$scalar; 3]], b: &[[$scalar; 3]]| {
                        a.as_flattened()
                            .iter()
                            .zip(b.as_flattened())
                            .all(|(a, b)| a.to_bits() == b.to_bits())
                    };
                    let mut out: [Vec<$scalar>; 3] = core::array::from_fn(|_| vec![7.0; len]);
                    let back = |out: &[Vec<$scalar>; 3]| -> Vec<[$scalar; 3]> {
                        (0..len)
                            .map(|n| core::array::from_fn(|e| out[e][n]))
                            .collect()
                    };
                    let mut angles = vec![[7.0; 3]; len];
                    elea::eulers_from_quats(&q, order, &mut angles);
                    let single: Vec<_> = q.iter().map(|&q| elea::euler_from_quat(q, order)).collect();
                    assert!(same(&angles, &single), "{len} {order:?}");
                    elea::eulers_from_quats_soa(
                        lanes.each_ref().map(Vec::as_slice),
                        order,
                        out.each_mut().map(Vec::as_mut_slice),
                    );
                    assert!(
                        same(&back(&out), &single),
                        "{len} {order:?} as a structure of arrays"
                    );

                    let tolerance = 1e-3;
                    elea::eulers_from_quats_near(&q, order, &references, tolerance, &mut angles);
                    let single: Vec<_> = q
                        .iter()
                        .zip(&references)
                        .map(|(&q, &r)| elea::euler_from_quat_near(q, order, r, tolerance))
                        .collect();
                    assert!(same(&angles, &single), "{len} {order:?} near");
                    elea::eulers_from_quats_near_soa(
                        lanes.each_ref().map(Vec::as_slice),
                        order,
                        reference_lanes.each_ref().map(Vec::as_slice),
                        tolerance,
                        out.each_mut().map(Vec::as_mut_slice),
                    );
                    assert!(
                        same(&back(&out), &single),
                        "{len} {order:?} near as a structure of arrays"
                    );
                }
            }
        }
    };
}
batches!(batches_have_the_bits_of_single_calls_in_f32, f32, bits32);
batches!(batches_have_the_bits_of_single_calls_in_f64, f64, bits64);

#[test]
#[should_panic(expected = "the slice of quaternions has 3 items, the first slice 2")]
fn slices_of_different_length_are_refused() {
    elea::quats_from_mat3s(&[[[0.0_f32; 3]; 3]; 2], &mut [[0.0; 4]; 3]);
}

#[test]
#[should_panic(expected = "a slice of angles has 1 items, the first slice 2")]
fn structures_of_arrays_of_different_length_are_refused() {
    let v = [0.0_f32; 2];
    let (mut a, mut b, mut c) = ([0.0; 2], [0.0; 1], [0.0; 2]);
    elea::eulers_from_quats_soa([&v, &v, &v, &v], EulerOrder::XYZ, [&mut a, &mut b, &mut c]);
}

/// Features and CPUs never change a number. This is the fingerprint (FNV-1a of the answers' bits) that every build has: it
/// says nothing about right or wrong, which the other tests do.
#[test]
fn every_build_gives_the_same_bits() {
    let mut random = Random(0xf0);
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut eat = |bits: u64| hash = (hash ^ bits).wrapping_mul(0x0100_0000_01b3);
    for n in 0..20_000 {
        let order = EulerOrder::ALL[n % 24];
        let noise = [0.0, 1e-3, 0.5][n % 3];
        let mut q = random.quaternion();
        if n % 5 == 0 {
            // At or near a lock of many orders.
            let near = if n % 2 == 0 { 1e-4 } else { 0.0 };
            q = [q[0], q[1] + near, q[1], q[0]];
        }
        let m: [[f64; 3]; 3] =
            elea::mat3_from_quat(q).map(|c| c.map(|v| v + noise * random.range(-1.0, 1.0)));
        let r: [f64; 3] = core::array::from_fn(|_| random.range(-7.0, 7.0));
        let from: [f64; 4] = elea::quat_from_euler(r, order);
        elea::quat_from_mat3(m)
            .into_iter()
            .chain(from)
            .for_each(|v| eat(v.to_bits()));
        elea::euler_from_quat(q, order)
            .into_iter()
            .for_each(|v| eat(v.to_bits()));
        elea::euler_from_quat_near(q, order, r, 1e-3)
            .into_iter()
            .for_each(|v| eat(v.to_bits()));
        eat(elea::angle_between(q, from).to_bits());
        let (q, m, r) = (
            q.map(|v| v as f32),
            m.map(|c| c.map(|v| v as f32)),
            r.map(|v| v as f32),
        );
        elea::quat_from_mat3(m)
            .into_iter()
            .for_each(|v| eat(u64::from(v.to_bits())));
        elea::euler_from_quat(q, order)
            .into_iter()
            .for_each(|v| eat(u64::from(v.to_bits())));
        elea::euler_from_quat_near(q, order, r, 1e-3)
            .into_iter()
            .for_each(|v| eat(u64::from(v.to_bits())));
    }
    assert_eq!(hash, FINGERPRINT, "{hash:#x}");
}

const FINGERPRINT: u64 = 0xa1883c3a09d92979;
