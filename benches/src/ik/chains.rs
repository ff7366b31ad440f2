//! The five test chains, their targets, their moving paths, and the Panda arm.
//!
//! A person's right arm in three depths, a leg, and a spine with pelvis and shoulder girdle as in the animation article's
//! body fit. Axes stand in the order in which they turn the bone; limits are magnitudes in degrees. Targets come from poses
//! drawn uniformly within a part of the limits, so that each can be reached.

use std::f64::consts::TAU;

use elea_anim::{JointId, Transform};
use elea_ik::{Axis, Chain, ChainJoint, EulerOrder, Goal, Tension};
use glam::{DAffine3, DQuat, Quat, Vec3};

use crate::random::Random;

/// What one goal asks of a bone: a point (true) or an axis (false), local.
type Ask = (bool, JointId, Vec3);

/// A chain, what is asked of it, and the range of its axes.
#[derive(Clone, Debug)]
pub struct Set {
    /// The case of the report.
    pub name: &'static str,
    /// The chain; its length is set.
    pub chain: Chain,
    asks: Vec<Ask>,
    /// Place in the angles, lower and upper limit of every enabled axis.
    pub limits: Vec<(usize, f64, f64)>,
    /// Poses are drawn within this part of the limits.
    pub pose_fraction: f64,
    /// How many targets are solved.
    pub targets: usize,
}

/// Negative limit, positive limit, rigidity of each side: degrees.
type Range = (f64, f64, f64, f64);

const fn range(negative: f64, positive: f64, rigidity: f64) -> Range {
    (negative, positive, rigidity, rigidity)
}

fn axis((negative, positive, stiff_negative, stiff_positive): Range) -> Axis {
    let side = |limit: f64, rigidity| Tension {
        limit: limit.to_radians(),
        rigidity,
    };
    Axis::Limit {
        negative: side(negative, stiff_negative),
        positive: side(positive, stiff_positive),
        hard: false,
    }
}

fn joint(order: EulerOrder, ranges: &[Range]) -> ChainJoint {
    let mut axes = [Axis::Off; 3];
    for (slot, range) in axes.iter_mut().zip(ranges) {
        *slot = axis(*range);
    }
    ChainJoint {
        order,
        axes,
        ..ChainJoint::FIXED
    }
}

fn push(chain: &mut Chain, parent: Option<JointId>, offset: [f32; 3], joint: ChainJoint) -> JointId {
    let rest = Transform::from_translation(Vec3::from_array(offset));
    chain.push(parent, rest, joint).expect("a valid bone")
}

impl Set {
    fn new(name: &'static str, mut chain: Chain, length: f64, pose_fraction: f64, asks: Vec<Ask>) -> Self {
        chain.set_length(Some(length));
        let mut limits = Vec::new();
        for bone in chain.bones() {
            let slots = chain.angles_of(bone).expect("a bone of the chain");
            let joint = chain.joint(bone).expect("a bone of the chain");
            for (slot, axis) in slots.zip(joint.axes.into_iter().chain(joint.translate)) {
                if let Axis::Limit {
                    negative, positive, ..
                } = axis
                {
                    limits.push((slot, -negative.limit, positive.limit));
                }
            }
        }
        Self {
            name,
            chain,
            asks,
            limits,
            pose_fraction,
            targets: 1_000,
        }
    }

    /// A pose drawn uniformly within the fraction of each limit.
    pub fn pose(&self, random: &mut Random) -> Vec<f64> {
        let mut angles = self.chain.rest_angles();
        for &(slot, low, high) in &self.limits {
            angles[slot] = random.range(low * self.pose_fraction, high * self.pose_fraction);
        }
        angles
    }

    /// Where every bone is.
    #[must_use]
    pub fn model(&self, pose: &[f64]) -> Vec<DAffine3> {
        let mut model = vec![DAffine3::IDENTITY; self.chain.len()];
        self.chain
            .model_from_angles(pose, &mut model)
            .expect("a pose of the chain");
        model
    }

    /// The goals that a pose fulfils.
    #[must_use]
    pub fn goals(&self, pose: &[f64]) -> Vec<Goal> {
        let model = self.model(pose);
        let goal = |&(is_position, bone, local): &Ask| {
            let placed = model[bone.index()];
            if is_position {
                let target = placed.transform_point3(local.as_dvec3()).as_vec3();
                Goal::position(bone, local, target)
            } else {
                let target = placed.transform_vector3(local.as_dvec3()).as_vec3();
                Goal::direction(bone, local, target)
            }
        };
        self.asks.iter().map(goal).collect()
    }

    /// A moving pose: per axis the centre of the limits plus 0.7 of the half range times a sine with 1, 2 or 3 turns.
    pub fn path(&self, random: &mut Random, frames: usize) -> Vec<Vec<f64>> {
        let wave = |random: &mut Random| (random.range(1.0, 4.0).floor(), random.range(0.0, TAU));
        let waves: Vec<(f64, f64)> = self.limits.iter().map(|_| wave(random)).collect();
        let pose = |frame: usize| {
            let time = frame as f64 / frames as f64;
            let mut angles = self.chain.rest_angles();
            for (&(slot, low, high), &(turns, phase)) in self.limits.iter().zip(&waves) {
                angles[slot] = 0.5 * (low + high) + 0.35 * (high - low) * (TAU * turns * time + phase).sin();
            }
            angles
        };
        (0..frames).map(pose).collect()
    }
}

/// Shoulder, elbow and wrist; with a forearm that twists in between if asked. Returns the chain and its wrist.
fn arm(forearm: bool) -> (Chain, JointId) {
    let mut chain = Chain::new();
    let shoulder = [
        (60.0, 120.0, 0.3, 0.1),
        (120.0, 60.0, 0.1, 0.3),
        range(60.0, 60.0, 0.5),
    ];
    let mut last = push(&mut chain, None, [0.0; 3], joint(EulerOrder::ZYX, &shoulder));
    let elbow = joint(EulerOrder::ZYX, &[(5.0, 145.0, 0.5, 0.05)]);
    last = push(&mut chain, Some(last), [0.3, 0.0, 0.0], elbow);
    let mut to_wrist = 0.26;
    if forearm {
        let twist = joint(EulerOrder::XYZ, &[range(80.0, 80.0, 0.2)]);
        last = push(&mut chain, Some(last), [0.1, 0.0, 0.0], twist);
        to_wrist = 0.16;
    }
    let wrist = joint(EulerOrder::ZYX, &[range(70.0, 70.0, 0.3), range(25.0, 35.0, 0.5)]);
    let wrist = push(&mut chain, Some(last), [to_wrist, 0.0, 0.0], wrist);
    (chain, wrist)
}

fn leg() -> Set {
    let mut chain = Chain::new();
    let ranges = [
        (120.0, 30.0, 0.1, 0.2),
        range(45.0, 45.0, 0.3),
        range(40.0, 40.0, 0.5),
    ];
    let hip = push(&mut chain, None, [0.0, 1.0, 0.0], joint(EulerOrder::XZY, &ranges));
    let knee = joint(EulerOrder::XYZ, &[(3.0, 150.0, 0.5, 0.05)]);
    let knee = push(&mut chain, Some(hip), [0.0, -0.45, 0.0], knee);
    let down = Vec3::NEG_Y;
    Set::new(
        "leg",
        chain,
        0.9,
        0.95,
        vec![(false, hip, down), (false, knee, down)],
    )
}

fn spine() -> Set {
    let mut chain = Chain::new();
    let ranges = [
        range(180.0, 180.0, 0.02),
        range(90.0, 90.0, 0.05),
        range(90.0, 90.0, 0.05),
    ];
    let side = Tension {
        limit: 1.0,
        rigidity: 0.05,
    };
    let moves = Axis::Limit {
        negative: side,
        positive: side,
        hard: false,
    };
    let root = joint(EulerOrder::YXZ, &ranges).with_translate(moves);
    let root = push(&mut chain, None, [0.0, 1.0, 0.0], root);
    let ranges = [
        range(30.0, 30.0, 0.3),
        range(40.0, 25.0, 0.2),
        range(25.0, 25.0, 0.4),
    ];
    let vertebra = joint(EulerOrder::ZXY, &ranges);
    let pelvis = push(&mut chain, Some(root), [0.0; 3], vertebra);
    let mut last = root;
    for index in 0..8 {
        let up = if index == 0 { 0.05 } else { 0.06 };
        last = push(&mut chain, Some(last), [0.0, up, 0.0], vertebra);
    }
    let at = |bone, x, y| (true, bone, Vec3::new(x, y, 0.0));
    let asks = vec![
        at(pelvis, -0.1, -0.08),
        at(pelvis, 0.1, -0.08),
        at(last, -0.18, 0.06),
        at(last, 0.18, 0.06),
    ];
    Set {
        targets: 500,
        ..Set::new("spine", chain, 0.61, 0.8, asks)
    }
}

/// All five.
#[must_use]
pub fn sets() -> Vec<Set> {
    let point = |wrist| (true, wrist, Vec3::new(0.18, 0.0, 0.0));
    let (chain, wrist) = arm(false);
    let (chain_7, wrist_7) = arm(true);
    let pointing = vec![point(wrist_7), (false, wrist_7, Vec3::X)];
    let posed = vec![
        point(wrist_7),
        (false, wrist_7, Vec3::X),
        (false, wrist_7, Vec3::Y),
    ];
    vec![
        Set::new("arm", chain, 0.74, 0.95, vec![point(wrist)]),
        Set::new("arm7", chain_7.clone(), 0.74, 0.95, pointing),
        Set::new("arm7pose", chain_7, 0.74, 0.95, posed),
        leg(),
        spine(),
    ]
}

/// Seven hinges in a row, as a robot has them: axis (0, 1, 2), least and greatest angle, offset from the one before.
pub const PANDA: [(usize, f64, f64, [f32; 3]); 7] = [
    (2, -2.8973, 2.8973, [0.0, 0.0, 0.333]),
    (1, -1.7628, 1.7628, [0.0; 3]),
    (2, -2.8973, 2.8973, [0.0, 0.0, 0.316]),
    (1, 0.0698, 3.0718, [0.0825, 0.0, 0.0]),
    (2, -2.8973, 2.8973, [-0.0825, 0.0, 0.384]),
    (1, -3.7525, 0.0175, [0.0; 3]),
    (2, -2.8973, 2.8973, [0.088, 0.0, 0.0]),
];
/// The flange in the last joint's space.
pub const PANDA_TIP: Vec3 = Vec3::new(0.0, 0.0, -0.107);

/// The Panda with exact limits. Limits count from the rest pose, which is the middle of each range here.
#[must_use]
pub fn panda() -> (Chain, JointId) {
    let mut chain = Chain::new();
    let mut last = None;
    for (xyz, low, high, offset) in PANDA {
        let mut direction = [0.0; 3];
        direction[xyz] = 1.0;
        #[expect(clippy::cast_possible_truncation, reason = "an angle")]
        let middle = (0.5 * (low + high)) as f32;
        let rest = Transform {
            rotation: Quat::from_axis_angle(Vec3::from_array(direction), middle),
            ..Transform::from_translation(Vec3::from_array(offset))
        };
        let half = 0.5 * (high - low);
        let hinge = ChainJoint::hinge(xyz, Axis::limit(half, half, 0.05).hard());
        last = Some(chain.push(last, rest, hinge).expect("a valid bone"));
    }
    chain.set_length(Some(1.0));
    (chain, last.expect("seven joints"))
}

/// A pose of the Panda uniform in its limits.
pub fn panda_pose(chain: &Chain, random: &mut Random) -> Vec<f64> {
    let mut angles = chain.rest_angles();
    for (bone, (xyz, low, high, _)) in chain.bones().zip(PANDA) {
        let slots = chain.angles_of(bone).expect("a bone of the chain");
        angles[slots.start + xyz] = random.range(-0.5 * (high - low), 0.5 * (high - low));
    }
    angles
}

/// Position of the flange and the last joint's orientation in a pose.
#[must_use]
pub fn panda_flange(chain: &Chain, pose: &[f64]) -> (Vec3, Quat) {
    let mut model = vec![DAffine3::IDENTITY; chain.len()];
    chain
        .model_from_angles(pose, &mut model)
        .expect("a pose of the chain");
    let last = model[model.len() - 1];
    let rotation = DQuat::from_mat3(&last.matrix3).as_quat().normalize();
    (last.transform_point3(PANDA_TIP.as_dvec3()).as_vec3(), rotation)
}
