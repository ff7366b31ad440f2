//! One number that a solver may change.

use crate::{Axis, Tension};

/// One enabled axis of a chain. In the solvers a rotation counts in radians and a translation in chain lengths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variable {
    pub(crate) bone: usize,
    /// Place in the slice of angles.
    pub(crate) slot: usize,
    /// x, y or z of a translation; `None` for a rotation.
    pub(crate) translation: Option<usize>,
    /// Negative and positive; `None` for a free axis.
    pub(crate) tension: Option<(Tension, Tension)>,
    pub(crate) hard: bool,
}

/// The range in which a free axis is searched: a half turn, or one chain length, each way.
const FREE_ROTATION: f64 = core::f64::consts::PI;
const FREE_TRANSLATION: f64 = 1.0;

impl Variable {
    /// The tension of the side on which `angle` lies (in the slice's units).
    pub(crate) fn side(&self, angle: f64) -> Option<Tension> {
        self.tension
            .map(|(negative, positive)| if angle < 0.0 { negative } else { positive })
    }

    /// How many of the slice's units one unit of the solver is.
    pub(crate) fn unit(&self, length: f64) -> f64 {
        if self.translation.is_some() { length } else { 1.0 }
    }

    /// Where starts are drawn from, in the solver's units.
    pub(crate) fn range(&self, length: f64) -> (f64, f64) {
        match self.tension {
            Some((negative, positive)) => {
                let unit = self.unit(length);
                (-negative.limit / unit, positive.limit / unit)
            }
            None if self.translation.is_some() => (-FREE_TRANSLATION, FREE_TRANSLATION),
            None => (-FREE_ROTATION, FREE_ROTATION),
        }
    }

    /// Where the variable must stay, in the solver's units.
    pub(crate) fn bounds(&self, length: f64) -> (f64, f64) {
        if self.hard {
            self.range(length)
        } else {
            (f64::NEG_INFINITY, f64::INFINITY)
        }
    }
}

pub(crate) fn variable(axis: Axis, bone: usize, slot: usize, translation: Option<usize>) -> Option<Variable> {
    let (tension, hard) = match axis {
        Axis::Off => return None,
        Axis::Free => (None, false),
        Axis::Limit {
            negative,
            positive,
            hard,
        } => (Some((negative, positive)), hard),
    };
    Some(Variable {
        bone,
        slot,
        translation,
        tension,
        hard,
    })
}
