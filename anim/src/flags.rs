//! What went wrong in a frame, and which arithmetic to use.

use std::fmt;
use std::ops::{BitOr, BitOrAssign};

/// What went wrong while a pose was made: a set of conditions, empty when all is well.
///
/// A frame never fails: each condition has a documented answer, and the flag says that it was given.
///
/// ```
/// use elea_anim::Flags;
/// let flags = Flags::BAD_TIME | Flags::BAD_WEIGHT;
/// assert!(flags.contains(Flags::BAD_TIME) && !flags.is_empty());
/// assert_eq!(format!("{flags:?}"), "BAD_TIME | BAD_WEIGHT");
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
#[must_use]
pub struct Flags(u8);

impl Flags {
    /// All is well.
    pub const NONE: Self = Self(0);
    /// A time was NaN: the rest pose was given (by [`Clip::sample`](crate::Clip::sample)), or the step was
    /// left out (by [`Animux::advance`](crate::Animux::advance)).
    pub const BAD_TIME: Self = Self(1);
    /// The weight of a layer, of a blend's input or of a morph target was NaN or infinite, or below 0 where it is
    /// that of a replacing layer or of an input of [`blend`](crate::blend()): that one was left out.
    pub const BAD_WEIGHT: Self = Self(1 << 1);
    /// An additive clip on a layer that replaces, or the other way round: the clip was left out.
    pub const WRONG_BLEND: Self = Self(1 << 2);
    /// A scale was blended with one of the opposite sign, so that it may pass through zero.
    pub const MIRRORED_SCALE: Self = Self(1 << 3);
    /// No layer had any weight for at least one joint: it has its rest transform.
    pub const REST: Self = Self(1 << 4);

    const NAMES: [(Self, &'static str); 5] = [
        (Self::BAD_TIME, "BAD_TIME"),
        (Self::BAD_WEIGHT, "BAD_WEIGHT"),
        (Self::WRONG_BLEND, "WRONG_BLEND"),
        (Self::MIRRORED_SCALE, "MIRRORED_SCALE"),
        (Self::REST, "REST"),
    ];

    /// Whether every condition of `other` is in this set.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub(crate) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether all is well.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl BitOr for Flags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl fmt::Debug for Flags {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (flag, name) in Self::NAMES {
            if self.contains(flag) {
                write!(formatter, "{separator}{name}")?;
                separator = " | ";
            }
        }
        if separator.is_empty() {
            formatter.write_str("NONE")?;
        }
        Ok(())
    }
}

/// Which arithmetic the hot loops use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Kernel {
    /// The same bits on every machine: no fused multiply-add, no reciprocal estimates.
    #[default]
    Deterministic,
    /// Fused multiply-add and reciprocal square root estimates where the machine has them. Results differ
    /// from machine to machine in the last bits (by less than 1e-6 of the largest number involved).
    Fast,
}
