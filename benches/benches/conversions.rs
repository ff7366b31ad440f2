//! Times of rotation conversions: operation/input/library. The answers are asserted before the clock starts.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use elea::EulerOrder;
use elea_benches::contenders::{self, Contenders};
use elea_benches::conversions::rotations;
use glam::{DMat3, DQuat, EulerRot, Mat3, Quat};
use std::hint::black_box;

/// One group a conversion and input, one line a contender.
fn compare<A: Copy, B: Copy + Default>(
    criterion: &mut Criterion,
    operation: &str,
    input: &str,
    items: &[A],
    contenders: Contenders<A, B>,
    check: impl Fn(A, B, &str),
) {
    let mut group = criterion.benchmark_group(operation);
    group.throughput(Throughput::Elements(items.len() as u64));
    let mut out = vec![B::default(); items.len()];
    for (library, conversion) in contenders {
        conversion(items, &mut out);
        for (&from, &to) in items.iter().zip(&out) {
            check(from, to, library);
        }
        group.bench_function(BenchmarkId::new(input, library), |bencher| {
            bencher.iter(|| conversion(black_box(items), black_box(&mut out)));
        });
    }
    group.finish();
}

/// The loosest contender on rotations, in radians: the FAQ's.
const LOOSE: f64 = 0.02;
/// The same in `f64`: ultraviolet's, which takes roots of differences.
const LOOSE_F64: f64 = 1e-6;
/// The loosest Euler angles: cgmath's, which takes all within 3.6 degrees of the lock for locked and pins x there.
const LOOSE_EULER: f64 = 0.1;

fn conversions(criterion: &mut Criterion) {
    for (coherent, input) in [(true, "coherent"), (false, "random")] {
        let quats = rotations(coherent);
        let mats: Vec<DMat3> = quats.iter().map(|&q| DMat3::from_quat(q)).collect();
        let quats32: Vec<Quat> = quats.iter().map(|q| q.as_quat()).collect();
        let mats32: Vec<Mat3> = mats.iter().map(|m| m.as_mat3()).collect();
        compare(
            criterion,
            "quat_from_mat3/f32",
            input,
            &mats32,
            contenders::quat_from_mat3(),
            |m, q, library| {
                let error = DMat3::from_quat(q.as_dquat().normalize()).inverse() * m.as_dmat3();
                assert!(error.abs_diff_eq(DMat3::IDENTITY, LOOSE), "{library}: {m} {q}");
            },
        );
        compare(
            criterion,
            "quat_from_mat3/f64",
            input,
            &mats,
            contenders::dquat_from_dmat3(),
            |m, q, library| {
                assert!(
                    DMat3::from_quat(q.normalize()).abs_diff_eq(m, LOOSE_F64),
                    "{library}: {m} {q}"
                );
            },
        );
        compare(
            criterion,
            "euler_from_quat/f32",
            input,
            &quats32,
            contenders::euler_from_quat(),
            |q, [a, b, c], library| {
                let error = q.angle_between(Quat::from_euler(EulerRot::XYZ, a, b, c));
                assert!(f64::from(error) < LOOSE_EULER, "{library}: {q} {error}");
            },
        );
        compare(
            criterion,
            "euler_from_quat/f64",
            input,
            &quats,
            contenders::deuler_from_dquat(),
            |q, [a, b, c], library| {
                let error = elea::angle_between(q, DQuat::from_euler(EulerRot::XYZ, a, b, c));
                assert!(error < LOOSE_EULER, "{library}: {q} {error}");
            },
        );
        near(criterion, input, &quats32);
    }
}

/// Only elea has angles near a reference.
fn near(criterion: &mut Criterion, input: &str, quats: &[Quat]) {
    let references: Vec<[f32; 3]> = quats
        .iter()
        .map(|&q| elea::euler_from_quat(q, EulerOrder::XYZ).map(|a| a + 0.01))
        .collect();
    let mut group = criterion.benchmark_group("euler_from_quat_near/f32");
    group.throughput(Throughput::Elements(quats.len() as u64));
    let mut out = vec![[0.0; 3]; quats.len()];
    group.bench_function(BenchmarkId::new(input, "elea"), |bencher| {
        bencher.iter(|| {
            for ((q, r), out) in black_box(quats).iter().zip(&references).zip(&mut out) {
                *out = elea::euler_from_quat_near(*q, EulerOrder::XYZ, *r, 1e-3);
            }
            black_box(&mut out);
        });
    });
    group.bench_function(BenchmarkId::new(input, "elea batch"), |bencher| {
        bencher.iter(|| {
            elea::eulers_from_quats_near(
                black_box(quats),
                EulerOrder::XYZ,
                &references,
                1e-3,
                black_box(&mut out),
            );
        });
    });
    group.finish();
}

criterion_group!(benches, conversions);
criterion_main!(benches);
