//! Times of several contenders in one run, interleaved, so that a busy machine slows all alike.

use std::time::Instant;

/// A contender: its name, and what it does once.
pub type Timed<'a> = (&'a str, Box<dyn FnMut() + 'a>);

/// Nanoseconds per item of each contender: the lower quartile of `rounds` interleaved rounds, where one call handles `items`
/// items. Each timed call follows one that is not, so that nobody pays for a cache that the one before has filled. The
/// lower quartile, because other programs on the machine only ever add time.
#[must_use]
pub fn nanoseconds(contenders: &mut [Timed<'_>], items: usize, rounds: usize) -> Vec<f64> {
    let mut times = vec![Vec::with_capacity(rounds); contenders.len()];
    for _ in 0..rounds {
        for ((_, work), times) in contenders.iter_mut().zip(&mut times) {
            work();
            let start = Instant::now();
            work();
            times.push(start.elapsed().as_secs_f64() * 1e9 / items as f64);
        }
    }
    times
        .iter_mut()
        .map(|times| {
            times.sort_by(f64::total_cmp);
            times.get(times.len() / 4).copied().unwrap_or(f64::NAN)
        })
        .collect()
}
