//! What a solve came to.

use core::fmt;
use core::ops::Deref;

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Status {
    /// Every goal's error is below `e_max`; those of light goals, which are preferences (see [`Goal`](crate::Goal)), don't
    /// count.
    Reached,
    /// The best compromise found: limits, or the goals among themselves, allow no better one nearby.
    Approximate,
    /// The target of a position goal is farther away than the stretched chain is long; the chain points at it.
    Unreachable,
    /// The iterations ran out before the search came to rest.
    Budget,
}

/// What a solve came to.
#[derive(Clone, Debug, PartialEq)]
pub struct SolveReport {
    /// How it ended.
    pub status: Status,
    /// The error of every goal, in their order: distance divided by the chain's length, or chord. Weights don't count.
    pub errors: Errors,
    /// The sum of the tensions of all axes.
    pub tension: f64,
    /// Passes over the objective, with or without its derivatives.
    pub evaluations: u32,
}

impl SolveReport {
    /// The largest of the errors; 0 without goals.
    #[must_use]
    pub fn largest_error(&self) -> f64 {
        self.errors.iter().fold(0.0, |largest, &error| largest.max(error))
    }
}

/// The error of every goal; a slice to read from. Up to 16 are kept in place, only more allocate.
#[derive(Clone)]
pub struct Errors {
    inline: [f64; INLINE],
    count: usize,
    /// All of them where there are more than fit.
    spilled: Vec<f64>,
}

const INLINE: usize = 16;

impl Errors {
    pub(crate) fn new(errors: &[f64]) -> Self {
        let mut inline = [0.0; INLINE];
        let count = errors.len();
        let mut spilled = Vec::new();
        match inline.get_mut(..count) {
            Some(room) => room.copy_from_slice(errors),
            None => spilled.extend_from_slice(errors),
        }
        Self {
            inline,
            count,
            spilled,
        }
    }
}

impl Deref for Errors {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        self.inline.get(..self.count).unwrap_or(&self.spilled)
    }
}

impl<'a> IntoIterator for &'a Errors {
    type Item = &'a f64;
    type IntoIter = core::slice::Iter<'a, f64>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Debug for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl PartialEq for Errors {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_errors_read_the_same() {
        for count in [0, 1, 16, 17, 100] {
            let errors: Vec<f64> = (0..count).map(f64::from).collect();
            let read = Errors::new(&errors);
            assert_eq!(*read, errors[..], "{count} errors");
            assert!((&read).into_iter().eq(&errors), "{count} errors in a loop");
        }
    }
}
