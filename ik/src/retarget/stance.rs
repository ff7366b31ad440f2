//! How a figure stands in a pose: which way is up, where it looks, whether it is a pose at all.

use elea_anim::{JointId, Pose, Skeleton};
use glam::{Quat, Vec3};

use super::{
    bone_map::BoneMap,
    humanoid::{Part, Side},
    kinematics::ModelPose,
    limb::arc,
};

/// Legs further than this from the line of the trunk are no standing pose (degrees): the widest A pose of a leg in
/// use is about 20, a sitting or collapsed figure has 60 and more.
const STANDING_MAX_DEGREES: f32 = 35.0;

/// From this angle between trunk and legs (degrees) on up to that far beyond a right one, the trunk lies along the ground:
/// 55 to 125, a right angle give or take as much as a standing pose may be from straight.
const LYING_MIN_DEGREES: f32 = 90.0 - STANDING_MAX_DEGREES;

/// What is added to the angle of a pose whose sides have fallen together (degrees): the largest angle that there is, so
/// that it is worse than every pose with sides.
const FALLEN_DEGREES: f32 = 180.0;

/// The hips' width over the leg's length below which the two sides fall together (people: about 0.2).
const MIN_HIP_WIDTH: f32 = 0.02;

/// Upper arms that point further from down than this, in the trunk's line, are no pose (degrees): arms are down, in an A
/// or a T, or at most raised by a third of the way from there to straight up.
const ARMS_MAX_DEGREES: f32 = 120.0;

/// The shoulders' width over the hips' below which the shoulders have fallen together (people: about 1.7).
const MIN_SHOULDERS: f32 = 0.5;

/// Where the hips, shoulders and feet are in one pose.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stance {
    /// The axis of the space nearest to the trunk's direction.
    pub(super) up: Vec3,
    /// The axis, at right angles to `up`, nearest to where the figure faces.
    pub(super) forward: Vec3,
    /// From the right hip to the left.
    pub(super) left: Vec3,
    /// Whether the toes point backwards by the hips' sides.
    pub(super) sides_swapped: bool,
    /// The mean of the legs' angles to the trunk's line, degrees: 0 stands straight.
    off_degrees: f32,
    /// Whether both sides are apart and the arms don't point up: what a collapsed rest pose fails.
    spread: bool,
}

/// The axis of the space nearest to `direction`.
fn nearest_axis(direction: Vec3) -> Vec3 {
    let axes = [Vec3::X, Vec3::Y, Vec3::Z];
    let largest = direction.abs().max_position();
    axes[largest] * direction[largest].signum()
}

impl Stance {
    /// `None` where hips, shoulders or legs are missing or have no size.
    pub(super) fn of(skeleton: &Skeleton, map: &BoneMap, pose: &Pose) -> Option<Self> {
        let model = ModelPose::of(skeleton, pose);
        let joint = |part: Part| map.joint(part, skeleton);
        let at = |part: Part| Some(model.position(joint(part)?));
        let both = |part: fn(Side) -> Part| Some([at(part(Side::Left))?, at(part(Side::Right))?]);
        let thighs = both(Part::Thigh)?;
        let feet = both(Part::Foot)?;
        let arms = both(Part::UpperArm)?;
        let middle = |pair: [Vec3; 2]| (pair[0] + pair[1]) * 0.5;
        let trunk = (middle(arms) - middle(thighs)).try_normalize()?;
        let legs = [feet[0] - thighs[0], feet[1] - thighs[1]];
        let length = (legs[0].length() + legs[1].length()) * 0.5;
        if !(length > 0.0 && length.is_finite()) {
            return None;
        }
        let off = legs.map(|leg| (-trunk).angle_between(leg).to_degrees());
        let left = thighs[0] - thighs[1];
        let up = nearest_axis((middle(arms) - middle(feet)).try_normalize().unwrap_or(trunk));
        let elbows = both(Part::Forearm)?;
        let shoulders = arms[0] - arms[1];
        let raised = [0, 1].map(|side| (-trunk).angle_between(elbows[side] - arms[side]).to_degrees());
        let across = left - up * left.dot(up);
        let facing = across.cross(up);
        let toes: Vec3 = Side::BOTH
            .into_iter()
            .filter_map(|side| {
                let foot = joint(Part::Foot(side))?;
                let toe = joint(Part::Toe(side)).or_else(|| skeleton.children(foot).next())?;
                Some(model.position(toe) - model.position(foot))
            })
            .sum();
        Some(Self {
            up,
            forward: if facing.length() > 0.0 {
                nearest_axis(facing - up * facing.dot(up))
            } else {
                up.any_orthonormal_vector()
            },
            left,
            sides_swapped: facing.dot(toes) < 0.0,
            off_degrees: (off[0] + off[1]) * 0.5,
            spread: across.length() > MIN_HIP_WIDTH * length
                && shoulders.dot(across) > MIN_SHOULDERS * across.length_squared()
                && (raised[0] + raised[1]) * 0.5 < ARMS_MAX_DEGREES,
        })
    }

    /// Whether the figure is upright on straight legs with its sides apart: whether this is a pose.
    pub(super) fn stands(&self) -> bool {
        self.spread && self.off_degrees < STANDING_MAX_DEGREES
    }

    /// How far the legs are from straight under the trunk, degrees; 180 more where the two sides fall together.
    pub(super) fn badness(&self) -> f32 {
        if self.spread {
            self.off_degrees
        } else {
            FALLEN_DEGREES + self.off_degrees
        }
    }

    /// Whether the trunk is at right angles to the legs, as a four-legged animal's.
    pub(super) fn lies_along_the_ground(&self) -> bool {
        self.spread && (LYING_MIN_DEGREES..180.0 - LYING_MIN_DEGREES).contains(&self.off_degrees)
    }

    /// The rotation that takes the space's axes to the figure's: X to its left, Y up, Z forward. Axes onto axes.
    ///
    /// Which way a figure faces is a matter of its skeleton, not of the moment that serves as its retarget pose: forward
    /// is where the rest pose looks, if that stands; turned along where this pose has another axis up. A rest pose that is
    /// no pose looks nowhere: then forward is +Z with Y up and -Y with Z up, as most tools have it.
    pub(super) fn facing(&self, skeleton: &Skeleton, map: &BoneMap) -> Quat {
        let rest = Self::of(skeleton, map, skeleton.rest_pose()).filter(Self::stands);
        let forward = match rest {
            Some(rest) => nearest_axis(arc(rest.up, self.up) * rest.forward),
            None if self.up.z.abs() > 0.5 => Vec3::NEG_Y,
            None => Vec3::Z,
        };
        let left = self.up.cross(forward);
        Quat::from_mat3(&glam::Mat3::from_cols(left, self.up, forward))
    }
}

/// The joint at which the paths from both joints to the root meet.
pub(super) fn common_ancestor(skeleton: &Skeleton, a: JointId, b: JointId) -> Option<JointId> {
    let (mut a, mut b) = (a, b);
    while a != b {
        // Parents stand before children: the later joint is never the other's ancestor.
        if a > b {
            a = skeleton.parent(a)?;
        } else {
            b = skeleton.parent(b)?;
        }
    }
    Some(a)
}
