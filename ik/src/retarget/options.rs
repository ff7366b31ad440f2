//! What a caller can choose.

use super::error::RetargetError;

/// How long the target's steps are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Scale {
    /// From the two figures: legs over legs for the scale, and as much height as keeps the soles of both on the same
    /// ground (the plane through the origin of each space).
    #[default]
    Guess,
    /// Given.
    Fixed {
        /// Target length per source length, > 0.
        scale: f32,
        /// Added along the target's up axis, in the target's unit.
        vertical: f32,
    },
}

/// What of an arm or a leg is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Limbs {
    /// The directions of both its bones: the pose looks the same. The default.
    #[default]
    Direction,
    /// Where its end is, seen from its start and measured in limb lengths, with the bend's direction: hands that meet
    /// keep meeting better where upper and lower bones are of other proportions.
    EndPoint,
    /// Between the two: 0 is `Direction`, 1 is `EndPoint`.
    Blend(f32),
}

impl Limbs {
    pub(super) const fn end_point(self) -> f32 {
        match self {
            Self::Direction => 0.0,
            Self::EndPoint => 1.0,
            Self::Blend(blend) => blend,
        }
    }
}

/// How to retarget. The default suits most motions.
///
/// ```
/// use elea_ik::retarget::{Limbs, Options};
/// let options = Options { limbs: Limbs::Blend(0.5), foot_lock: true, ..Options::default() };
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Size of the steps and height of the hips.
    pub scale: Scale,
    /// What of a limb is kept.
    pub limbs: Limbs,
    /// How easily each spine joint of the target turns, from the lowest up, >= 0; joints beyond the list count as 1.
    pub spine_weights: Vec<f32>,
    /// Whether feet that stand in the source are held in their place. Works on whole animations alone
    /// ([`retarget_animation`](super::Retargeter::retarget_animation)): a single pose has no contact.
    pub foot_lock: bool,
    /// The body is solved when hip line, shoulder line and trunk are nearer to the source's than this (radians, > 0).
    pub e_max: f32,
    /// How hard body joints are held where the source's rotations put them, > 0: added to the diagonal of the body's
    /// normal equations, whose entries are about 1, besides the sum of the squares of the angles that are left. More makes
    /// poses that the target can't reach milder.
    pub t_scale: f32,
    /// How often the body is solved again, each time holding a tenth as hard, while an error above `e_max` is left.
    pub runs: u32,
    /// The most Newton steps of one run.
    pub iterations: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            scale: Scale::Guess,
            limbs: Limbs::Direction,
            spine_weights: Vec::new(),
            foot_lock: false,
            e_max: 2e-4,
            t_scale: 1e-5,
            runs: 1,
            iterations: 8,
        }
    }
}

impl Options {
    pub(super) fn check(&self) -> Result<(), RetargetError> {
        let check = |name, value: f32, good: bool, expected| {
            if good && value.is_finite() {
                Ok(())
            } else {
                Err(RetargetError::BadOption {
                    name,
                    value,
                    expected,
                })
            }
        };
        if let Scale::Fixed { scale, vertical } = self.scale {
            check("scale", scale, scale > 0.0, "a finite number above 0")?;
            check("vertical", vertical, true, "a finite number")?;
        }
        let blend = self.limbs.end_point();
        check(
            "limbs",
            blend,
            (0.0..=1.0).contains(&blend),
            "a blend from 0 to 1",
        )?;
        for &weight in &self.spine_weights {
            check(
                "spine_weights",
                weight,
                weight >= 0.0,
                "finite numbers, 0 or more",
            )?;
        }
        check(
            "e_max",
            self.e_max,
            self.e_max > 0.0,
            "a finite angle above 0, in radians",
        )?;
        check(
            "t_scale",
            self.t_scale,
            self.t_scale > 0.0,
            "a finite number above 0",
        )
    }
}
