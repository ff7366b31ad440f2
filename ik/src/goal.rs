//! What the chain should reach.

use elea_anim::JointId;
use glam::{DMat3, DVec3, Quat, Vec3};

use crate::two_bone::soft_reach;
use crate::{Chain, IkError};

/// One thing that a bone should do. Any number of goals on any bones are solved at once.
///
/// Targets are in model space. Weights say what matters more where not all can be met; 1 is usual, 0 switches a goal off.
/// A goal with less than a tenth of the heaviest one's weight is a preference: it pulls, and its error is reported, but it
/// does not decide whether the goals are reached. A pole (where the elbow should point) is a
/// [`Direction`](Self::Direction) on the middle bone with a weight of 0.01 to 0.05.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Goal {
    /// A point of the bone should be at a place. Error: the distance divided by the chain's length.
    Position {
        /// The bone that carries the point.
        bone: JointId,
        /// The point in the bone's own space; zero is the joint itself.
        local: Vec3,
        /// Where it should be, in model space.
        target: Vec3,
        /// How much it matters.
        weight: f32,
    },
    /// An axis of the bone should point in a direction. Error: the chord, `2 sin(angle / 2)`, at most 2.
    Direction {
        /// The bone that carries the axis.
        bone: JointId,
        /// The axis in the bone's own space, of any length above 0.
        local: Vec3,
        /// Where it should point, in model space, of any length above 0.
        target: Vec3,
        /// How much it matters.
        weight: f32,
    },
    /// The bone should have an orientation. Error: the chord of the angle between, `2 sin(angle / 2)`, at most 2.
    Orientation {
        /// The bone.
        bone: JointId,
        /// Its rotation in model space, a quaternion of any length above 0.
        target: Quat,
        /// How much it matters.
        weight: f32,
    },
}

impl Goal {
    /// A point of the bone at a place, weight 1.
    #[must_use]
    pub const fn position(bone: JointId, local: Vec3, target: Vec3) -> Self {
        Self::Position {
            bone,
            local,
            target,
            weight: 1.0,
        }
    }

    /// An axis of the bone in a direction, weight 1.
    #[must_use]
    pub const fn direction(bone: JointId, local: Vec3, target: Vec3) -> Self {
        Self::Direction {
            bone,
            local,
            target,
            weight: 1.0,
        }
    }

    /// The bone's orientation, weight 1.
    #[must_use]
    pub const fn orientation(bone: JointId, target: Quat) -> Self {
        Self::Orientation {
            bone,
            target,
            weight: 1.0,
        }
    }

    /// The same goal with another weight.
    #[must_use]
    pub const fn with_weight(mut self, new: f32) -> Self {
        match &mut self {
            Self::Position { weight, .. }
            | Self::Direction { weight, .. }
            | Self::Orientation { weight, .. } => {
                *weight = new;
            }
        }
        self
    }

    /// The bone that the goal is about.
    #[must_use]
    pub const fn bone(&self) -> JointId {
        match *self {
            Self::Position { bone, .. } | Self::Direction { bone, .. } | Self::Orientation { bone, .. } => {
                bone
            }
        }
    }

    /// How much the goal matters.
    #[must_use]
    pub const fn weight(&self) -> f32 {
        match *self {
            Self::Position { weight, .. }
            | Self::Direction { weight, .. }
            | Self::Orientation { weight, .. } => weight,
        }
    }
}

/// Goals with less than this part of the largest weight are preferences.
const PREFERENCE: f64 = 0.1;

/// A goal as the solvers use it: checked, in double precision, the bone by its place in the chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aim {
    pub(crate) bone: usize,
    pub(crate) weight: f64,
    /// Whether it decides if the goals are reached; otherwise it is a preference, or switched off.
    pub(crate) counts: bool,
    pub(crate) kind: AimKind,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum AimKind {
    /// `target` is where the point is pulled to, `asked` what the caller wants; they differ near full extension alone.
    Position {
        local: DVec3,
        target: DVec3,
        asked: DVec3,
    },
    Direction {
        local: DVec3,
        target: DVec3,
    },
    Orientation {
        target: DMat3,
    },
}

/// Checks every goal and the chain, and fills `aims`. Returns the length by which distances are divided.
pub(crate) fn resolve(
    chain: &Chain,
    goals: &[Goal],
    soften: f64,
    aims: &mut Vec<Aim>,
) -> Result<f64, IkError> {
    aims.clear();
    let mut length = chain.length();
    let mut needs_length = false;
    for (index, goal) in goals.iter().enumerate() {
        let weight = goal.weight();
        if !(weight.is_finite() && weight >= 0.0) {
            return Err(IkError::Weight { goal: index, weight });
        }
        let Some(bone) = chain.position_of(goal.bone()) else {
            return Err(IkError::GoalOutsideChain {
                goal: index,
                bone: goal.bone(),
            });
        };
        let kind = match *goal {
            Goal::Position { local, target, .. } => {
                let (local, target) = finite_pair(index, local, target)?;
                needs_length = true;
                if !chain.has_set_length() {
                    let reach = chain.reach_of(bone) + chain.scale_of(bone) * local.length();
                    length = length.max(reach);
                }
                AimKind::Position {
                    local,
                    target: softened(chain, bone, local, target, soften),
                    asked: target,
                }
            }
            Goal::Direction { local, target, .. } => {
                let (local, target) = finite_pair(index, local, target)?;
                // Divided by the largest component first, so that no length under- or overflows.
                let unit = |v: DVec3| (v / v.abs().max_element()).try_normalize();
                match (unit(local), unit(target)) {
                    (Some(local), Some(target)) => AimKind::Direction { local, target },
                    _ => return Err(IkError::ZeroDirection { goal: index }),
                }
            }
            Goal::Orientation { target, .. } => {
                if !target.is_finite() {
                    return Err(IkError::TargetNotFinite { goal: index });
                }
                let target = target.as_dquat();
                if target.length_squared() == 0.0 {
                    return Err(IkError::ZeroRotation { goal: index });
                }
                AimKind::Orientation {
                    target: DMat3::from_quat(target.normalize()),
                }
            }
        };
        aims.push(Aim {
            bone,
            weight: f64::from(weight),
            counts: weight > 0.0,
            kind,
        });
    }
    let heaviest = aims
        .iter()
        .fold(0.0_f64, |heaviest, aim| heaviest.max(aim.weight));
    for aim in aims.iter_mut() {
        aim.counts &= aim.weight >= PREFERENCE * heaviest;
    }
    if !chain.is_finite() {
        return Err(IkError::JointTransform);
    }
    if needs_length && length <= 0.0 {
        return Err(IkError::ZeroLength);
    }
    let found = chain.free_axes();
    if found > Chain::MOST_AXES {
        let most = Chain::MOST_AXES;
        return Err(IkError::TooManyAxes { found, most });
    }
    if found == 0 {
        return Err(IkError::NoFreeAxis);
    }
    // Without a position goal nothing is divided by the length.
    Ok(if length > 0.0 { length } else { 1.0 })
}

/// A target near or beyond full extension, drawn in so that the chain comes to it softly.
fn softened(chain: &Chain, bone: usize, local: DVec3, target: DVec3, soften: f64) -> DVec3 {
    let Some(root) = chain.fixed_root_of(bone).filter(|_| soften > 0.0) else {
        return target;
    };
    let root = chain.root_position(root);
    let reach = chain.reach_of(bone) + chain.scale_of(bone) * local.length();
    let away = target - root;
    let distance = away.length();
    let soft = soft_reach(distance, reach, soften);
    if soft < distance {
        root + away * (soft / distance)
    } else {
        target
    }
}

fn finite_pair(goal: usize, local: Vec3, target: Vec3) -> Result<(DVec3, DVec3), IkError> {
    if !target.is_finite() {
        return Err(IkError::TargetNotFinite { goal });
    }
    if !local.is_finite() {
        return Err(IkError::LocalNotFinite { goal });
    }
    Ok((local.as_dvec3(), target.as_dvec3()))
}
