//! Animation: operation/joints/contender, a pose (or a mesh) an iteration.
#![allow(missing_docs, reason = "criterion_group makes an undocumented function")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use elea_anim::{BlendInput, Pose, SkinBinding, Transform, blend_with, local_to_model_with, palette_with};
use elea_benches::animation::{KERNELS, Rig, bake, naive};
use glam::{Affine3A, Vec4};
use std::hint::black_box;

fn sample(criterion: &mut Criterion) {
    for joints in [64, 256] {
        let mut rig = Rig::new(joints);
        for (case, shared) in [("sample", true), ("sample_keys", false)] {
            let keys = rig.channels(shared);
            let clip = bake(&rig.skeleton, &keys);
            let mut group = criterion.benchmark_group(case);
            group.throughput(Throughput::Elements(joints as u64));
            let mut time = 0.0;
            let mut next = move || {
                time = (time + 1.0 / 60.0) % 4.0;
                time
            };
            let mut out = vec![Transform::IDENTITY; joints];
            group.bench_function(BenchmarkId::new("naive", joints), |b| {
                b.iter(|| {
                    let time = next();
                    for (joint, out) in keys.iter().zip(&mut out) {
                        *out = joint.sample(time);
                    }
                    black_box(&mut out);
                });
            });
            let mut pose = Pose::identity(joints);
            for (name, kernel) in KERNELS {
                group.bench_function(BenchmarkId::new(name, joints), |b| {
                    b.iter(|| {
                        let _ = clip.sample_with(kernel, next(), &mut pose);
                        black_box(&mut pose);
                    });
                });
            }
            group.finish();
        }
    }
}

fn mix(criterion: &mut Criterion) {
    for joints in [64, 256] {
        let mut rig = Rig::new(joints);
        let poses: Vec<(Vec<Transform>, f32)> = (0..4).map(|_| (rig.transforms(), 0.25)).collect();
        let blocks: Vec<Pose> = poses
            .iter()
            .map(|(pose, _)| pose.iter().copied().collect())
            .collect();
        let inputs: Vec<BlendInput<'_>> = blocks
            .iter()
            .map(|pose| BlendInput {
                pose,
                weight: 0.25,
                mask: None,
            })
            .collect();
        let binding = SkinBinding::from_rest_pose(&rig.skeleton).expect("rest scales are one");
        let mut group = criterion.benchmark_group("blend_4");
        group.throughput(Throughput::Elements(joints as u64));
        let mut out = vec![Transform::IDENTITY; joints];
        group.bench_function(BenchmarkId::new("naive", joints), |b| {
            b.iter(|| naive::blend(black_box(&poses), None, &mut out));
        });
        let mut pose = Pose::identity(joints);
        for (name, kernel) in KERNELS {
            group.bench_function(BenchmarkId::new(name, joints), |b| {
                b.iter(|| blend_with(kernel, black_box(&inputs), rig.skeleton.rest_pose(), &mut pose));
            });
        }
        group.finish();
        let mut group = criterion.benchmark_group("local_to_model_and_palette");
        group.throughput(Throughput::Elements(joints as u64));
        let mut model = vec![Affine3A::IDENTITY; joints];
        let mut rows = vec![[Vec4::ZERO; 3]; joints];
        for (name, kernel) in KERNELS {
            group.bench_function(BenchmarkId::new(name, joints), |b| {
                b.iter(|| {
                    local_to_model_with(kernel, &rig.skeleton, black_box(&pose), &mut model);
                    palette_with(kernel, &model, &binding, &mut rows);
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, sample, mix);
criterion_main!(benches);
