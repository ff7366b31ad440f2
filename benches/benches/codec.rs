//! Normals: operation/depth/contender over slices of 16,384 random normals.
#![allow(missing_docs, reason = "criterion_group makes an undocumented function")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use elea_benches::codec::{codecs, unit_normals};
use elea_benches::random::Random;

fn codec(criterion: &mut Criterion) {
    let normals = unit_normals(&mut Random::new(16), 1 << 14);
    for bits in [8, 16] {
        for (what, decoding) in [("encode", false), ("decode", true)] {
            let mut group = criterion.benchmark_group(format!("{what}/2x{bits}"));
            group.throughput(Throughput::Elements(normals.len() as u64));
            for contender in codecs(bits) {
                let mut pass = (contender.prepare)(&normals, decoding);
                group.bench_function(contender.name, |b| b.iter(&mut pass));
            }
            group.finish();
        }
    }
}

criterion_group!(benches, codec);
criterion_main!(benches);
