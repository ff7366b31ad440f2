//! Skin weights: a walk down the joint tree with soft borders.
//!
//! All of a vertex's weight starts at the root. At each joint a share moves on to a child: 0 well
//! before the child's joint, 1 well behind it, a smooth step between, measured along a direction of
//! the child's own. So a vertex is shared by neighbours in the tree alone, and the shares of one
//! joint's children never pull at each other's limbs.

use elea_anim::Skeleton;
use glam::Vec3;

use super::body::Body;
use super::bones::{ANKLE, ARM, BALL, HIP, KNEE, SHOULDER, UPPER_ARM, hand_point, mirrored, wrist};
use crate::lighting::smoothstep;

/// The border between a joint's parent and the joint.
struct Border {
    joint: &'static str,
    /// Where the share is one half.
    at: Vec3,
    /// From the parent's side to the joint's, unit.
    along: Vec3,
    /// Half the way over which the share goes from 0 to 1.
    half_width: f32,
    /// Only this side of the body; the middle is shared over this half width. `None`: everywhere.
    side: Option<f32>,
}

const fn border(joint: &'static str, at: Vec3, along: Vec3, half_width: f32, side: Option<f32>) -> Border {
    Border {
        joint,
        at,
        along,
        half_width,
        side,
    }
}

/// Where a part may reach in the tree: legs never take a share of the arms, and so on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Region {
    /// Torso and upper arms.
    Shirt,
    /// Pelvis and legs.
    Legs,
    /// The arm alone, from the shoulder.
    Arm,
    /// Neck and head.
    Head,
}

fn borders(region: Region) -> Vec<Border> {
    let up = |y: f32| Vec3::new(0.0, y, 0.0);
    let spine = [
        border("Spine", up(1.050), Vec3::Y, 0.070, None),
        border("Spine1", up(1.165), Vec3::Y, 0.065, None),
        border("Spine2", up(1.285), Vec3::Y, 0.070, None),
    ];
    let head = [
        border("Neck", up(1.478), Vec3::Y, 0.040, None),
        border("Head", up(1.560), Vec3::new(0.0, 0.94, 0.34), 0.045, None),
    ];
    let elbow = SHOULDER + ARM * UPPER_ARM;
    let thumb = Vec3::new(0.50, -0.45, 0.74).normalize();
    let arm = [
        border(
            "LeftShoulder",
            Vec3::new(0.085, 1.400, 0.0),
            Vec3::new(0.80, 0.60, 0.0),
            0.055,
            Some(0.02),
        ),
        border(
            "LeftArm",
            SHOULDER + ARM * 0.008,
            Vec3::new(0.90, -0.436, 0.0),
            0.062,
            Some(0.02),
        ),
        border("LeftForeArm", elbow, ARM, 0.050, None),
        border("LeftHand", wrist(), ARM, 0.034, None),
        border("LeftHandMiddle1", hand_point(0.094, 0.0, 0.0), ARM, 0.014, None),
        border("LeftHandMiddle2", hand_point(0.134, 0.0, 0.0), ARM, 0.010, None),
        border(
            "LeftHandThumb1",
            hand_point(0.034, 0.040, 0.008),
            thumb,
            0.014,
            None,
        ),
        border(
            "LeftHandThumb2",
            hand_point(0.066, 0.052, 0.014),
            thumb,
            0.010,
            None,
        ),
    ];
    let knee = (ANKLE - HIP).normalize();
    let leg = [
        border(
            "LeftUpLeg",
            HIP + Vec3::new(0.0, -0.015, 0.0),
            Vec3::new(0.30, -0.954, 0.0),
            0.085,
            Some(0.022),
        ),
        border("LeftLeg", KNEE, knee, 0.060, None),
        border(
            "LeftFoot",
            ANKLE + Vec3::new(0.0, 0.006, 0.0),
            Vec3::NEG_Y,
            0.026,
            None,
        ),
        border("LeftToeBase", BALL, Vec3::new(0.0, -0.10, 0.995), 0.022, None),
    ];
    match region {
        // The hem lies on the thighs.
        Region::Shirt => spine
            .into_iter()
            .chain(arm.into_iter().take(2))
            .chain(leg.into_iter().take(1))
            .collect(),
        Region::Legs => spine.into_iter().take(1).chain(leg).collect(),
        Region::Arm => arm.into(),
        Region::Head => head.into(),
    }
}

/// How far the shirt's hem goes with the thighs in front, 0 to 1.
const HEM: f32 = 0.8;

/// The four largest shares of one vertex of a left or middle part.
pub(crate) fn weights(skeleton: &Skeleton, body: &Body, region: Region, p: Vec3) -> ([u16; 4], [f32; 4]) {
    let root = match region {
        Region::Shirt | Region::Legs => "Hips",
        Region::Arm => "LeftShoulder",
        Region::Head => "Spine2",
    };
    let mut shares = vec![0.0_f32; skeleton.len()];
    let id = |name: &str| skeleton.joint(name).expect("named in the skeleton's table");
    shares[id(root).index()] = 1.0;
    let mut pass = |name: &str, border: &Border, p: Vec3| {
        let joint = id(name);
        let parent = skeleton.parent(joint).expect("no border at the root");
        let way = (p - border.at).dot(border.along);
        let mut share = smoothstep(-border.half_width, border.half_width, way);
        if let Some(width) = border.side {
            share *= smoothstep(-width, width, p.x);
        }
        // Below the shoulder no plane parts sleeve and trunk: the nearer surface does.
        if region == Region::Shirt {
            let sleeve = body.nearer_to_sleeve(p);
            match border.joint {
                "LeftUpLeg" => share *= HEM * smoothstep(-0.04, 0.06, p.z),
                "LeftArm" => share *= smoothstep(-0.075, -0.005, sleeve),
                "LeftShoulder" => share = share.max(smoothstep(-0.09, -0.01, sleeve)),
                _ => {
                    let either = sleeve.max(body.nearer_to_sleeve(mirrored(p)));
                    share = share.max(smoothstep(-0.09, -0.01, either));
                }
            }
        }
        let moved = shares[parent.index()] * share;
        shares[parent.index()] -= moved;
        shares[joint.index()] += moved;
    };
    for border in &borders(region) {
        pass(border.joint, border, p);
        // Parts of the middle hold both sides.
        if border.side.is_some() || (region == Region::Legs && border.joint.starts_with("Left")) {
            pass(&border.joint.replace("Left", "Right"), border, mirrored(p));
        }
    }
    largest(&shares)
}

fn largest(shares: &[f32]) -> ([u16; 4], [f32; 4]) {
    let mut order: Vec<usize> = (0..shares.len()).filter(|&j| shares[j] > 1e-4).collect();
    order.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]));
    order.truncate(4);
    let total: f32 = order.iter().map(|&j| shares[j]).sum();
    let (mut joints, mut weights) = ([0_u16; 4], [0.0; 4]);
    for (slot, &joint) in order.iter().enumerate() {
        joints[slot] = u16::try_from(joint).expect("a skeleton's joint");
        weights[slot] = shares[joint] / total;
    }
    (joints, weights)
}
