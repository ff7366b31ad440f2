//! Times of single solves: case/contender, each from rest, over targets that all contenders reach.
#![allow(missing_docs, reason = "criterion_group makes an undocumented function")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use elea_benches::ik::times::Race;
use elea_ik::Solver;

fn solves(criterion: &mut Criterion) {
    for race in Race::all(300) {
        let mut group = criterion.benchmark_group(race.set.name);
        for (name, mut solver) in [
            ("elea gauss-newton", Solver::gauss_newton()),
            ("elea simplex", Solver::simplex()),
        ] {
            let mut target = 0;
            group.bench_function(name, |bencher| {
                bencher.iter(|| {
                    target += 1;
                    black_box(race.solve(&mut solver, target))
                });
            });
        }
        let mut target = 0;
        group.bench_function("k", |bencher| {
            bencher.iter(|| {
                target += 1;
                black_box(race.solve_by_k(target))
            });
        });
        group.finish();
    }
}

criterion_group!(benches, solves);
criterion_main!(benches);
