//! How a joint of a chain may move.

use elea::EulerOrder;
use elea_anim::JointId;

use crate::{IkError, Tension};

/// What one axis of a joint may do.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Axis {
    /// The solver never moves it; it keeps the angle that the pose brings.
    Off,
    /// It may take any angle at no cost. Nothing wraps: tracking across a half turn goes on past pi.
    Free,
    /// It costs [`Tension`] in each direction from the rest angle.
    Limit {
        /// The tension of negative angles.
        negative: Tension,
        /// The tension of positive angles.
        positive: Tension,
        /// Whether the limits are exact. Without, a far goal can push an axis a few percent past its limit; with, the
        /// solver keeps inside and passes the rest of the error on to the other joints.
        hard: bool,
    },
}

impl Axis {
    /// Soft limits in radians, both above 0, and one rigidity for both directions.
    #[must_use]
    pub const fn limit(negative: f64, positive: f64, rigidity: f64) -> Self {
        Self::Limit {
            negative: Tension {
                limit: negative,
                rigidity,
            },
            positive: Tension {
                limit: positive,
                rigidity,
            },
            hard: false,
        }
    }

    /// The same axis with exact limits; only [`Axis::Limit`] has them.
    #[must_use]
    pub const fn hard(self) -> Self {
        match self {
            Self::Limit {
                negative, positive, ..
            } => Self::Limit {
                negative,
                positive,
                hard: true,
            },
            other => other,
        }
    }
}

/// How one joint of a chain may move.
///
/// The joint's local rotation is `rest * R`, where R is the product of the three letters of `order` (see
/// [`EulerOrder`]): limits count from the rest pose, about the bone's own axes, so that a rest rotation of 180 degrees
/// is no special case.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ChainJoint {
    /// Which axes turn in which order; `axes[i]` belongs to the i-th letter.
    pub order: EulerOrder,
    /// The three rotations, in radians.
    pub axes: [Axis; 3],
    /// The three translations from the joint's place in its parent's space, along the parent's x, y and z, in lengths.
    pub translate: [Axis; 3],
}

impl Default for ChainJoint {
    /// A ball joint with soft limits of a half turn and rigidity 0.1 each way: a chain that keeps near its rest pose.
    fn default() -> Self {
        Self::ball(core::f64::consts::PI, 0.1)
    }
}

impl ChainJoint {
    /// A joint that does not move by itself.
    pub const FIXED: Self = Self {
        order: EulerOrder::XYZ,
        axes: [Axis::Off; 3],
        translate: [Axis::Off; 3],
    };

    /// Three rotations with the same soft limit (radians, each way) and rigidity.
    #[must_use]
    pub const fn ball(limit: f64, rigidity: f64) -> Self {
        Self {
            axes: [Axis::limit(limit, limit, rigidity); 3],
            ..Self::FIXED
        }
    }

    /// One rotation, about the bone's x (0), y (1) or z (2): a knee, an elbow.
    ///
    /// # Panics
    /// If `xyz` is above 2.
    #[must_use]
    pub const fn hinge(xyz: usize, axis: Axis) -> Self {
        assert!(xyz < 3, "a hinge turns about axis 0, 1 or 2");
        let mut joint = Self::FIXED;
        joint.axes[xyz] = axis;
        joint
    }

    /// The same joint with a translation along each of the parent's axes.
    #[must_use]
    pub const fn with_translate(mut self, axis: Axis) -> Self {
        self.translate = [axis; 3];
        self
    }
}

/// Whether every limit and rigidity of a joint is one.
pub(crate) fn check_joint(bone: JointId, joint: &ChainJoint) -> Result<(), IkError> {
    for axes in [&joint.axes, &joint.translate] {
        for (axis, spec) in axes.iter().enumerate() {
            let Axis::Limit {
                negative, positive, ..
            } = *spec
            else {
                continue;
            };
            for tension in [negative, positive] {
                let (limit, rigidity) = (tension.limit, tension.rigidity);
                if !(limit.is_finite() && limit > 0.0) {
                    return Err(IkError::Limit { bone, axis, limit });
                }
                if !(rigidity.is_finite() && rigidity >= 0.0) {
                    return Err(IkError::Rigidity { bone, axis, rigidity });
                }
            }
        }
    }
    Ok(())
}
