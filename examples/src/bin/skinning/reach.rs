//! The left hand follows a target: inverse kinematics as the last stage of the multiplexer.

use elea_anim::{JointId, Pose, PoseModifier, Skeleton};
use elea_ik::{Axis, Chain, ChainJoint, EulerOrder, Goal, Solver, Tracker};
use glam::{Affine3A, Quat, Vec3};

/// Where the target touches the hand, in the left hand's space: on the palm.
const GRIP: Vec3 = Vec3::new(0.080, -0.062, 0.0);
/// The elbow hangs: direction and weight of the pole.
const ELBOW: Vec3 = Vec3::new(0.30, -1.0, -0.35);
const ELBOW_WEIGHT: f32 = 0.04;
/// The palm looks up at what it carries, the fingers ahead.
const PALM_WEIGHT: f32 = 0.03;

/// Degrees that an axis may turn in a frame of the example's 25 a second.
const MAX_STEP: f64 = 15.0;

/// Bends collar bone, shoulder, elbow and wrist of the left arm so that the palm is at the target.
#[derive(Debug)]
pub(crate) struct Reach {
    chain: Chain,
    tracker: Tracker,
    angles: Vec<f64>,
    started: bool,
    /// What carries the chain.
    chest: JointId,
    upper_arm: JointId,
    hand: JointId,
    /// In the space of the pose.
    pub(crate) target: Vec3,
    /// The figure's heading: radians from +Z towards +X.
    pub(crate) heading: f32,
    /// How far from the target the palm is after the last frame, metres; infinite where the solver
    /// refused.
    pub(crate) miss: f32,
}

fn degrees(d: f64) -> f64 {
    d.to_radians()
}

fn limit(negative: f64, positive: f64, rigidity: f64) -> Axis {
    Axis::limit(degrees(negative), degrees(positive), rigidity)
}

/// How the left arm moves, from T pose: the arm along X, palm down, so that the elbow bends about -Y.
fn arm_joints() -> [(&'static str, ChainJoint); 4] {
    let joint = |order, axes| ChainJoint {
        order,
        axes,
        ..ChainJoint::FIXED
    };
    [
        (
            "LeftShoulder",
            joint(
                EulerOrder::YZX,
                [limit(12.0, 10.0, 0.6), limit(6.0, 18.0, 0.6), Axis::Off],
            ),
        ),
        (
            "LeftArm",
            joint(
                EulerOrder::YZX,
                [
                    limit(130.0, 45.0, 0.02),
                    limit(95.0, 80.0, 0.02),
                    limit(40.0, 40.0, 0.20),
                ],
            ),
        ),
        (
            "LeftForeArm",
            ChainJoint::hinge(1, limit(145.0, 2.0, 0.02).hard()),
        ),
        (
            "LeftHand",
            joint(
                EulerOrder::XYZ,
                [
                    limit(85.0, 85.0, 0.03),
                    limit(25.0, 25.0, 0.20),
                    limit(60.0, 60.0, 0.10),
                ],
            ),
        ),
    ]
}

impl Reach {
    pub(crate) fn new(skeleton: &Skeleton) -> Self {
        let id = |name: &str| skeleton.joint(name).expect("a joint of the figure");
        let hand = id("LeftHand");
        let mut chain = Chain::from_skeleton(skeleton, id("LeftShoulder"), &[hand])
            .expect("the hand is below the shoulder");
        for (name, joint) in arm_joints() {
            chain
                .set_joint(id(name), joint)
                .expect("limits of this file are valid");
        }
        let mut tracker = Tracker::new(Solver::gauss_newton());
        tracker.max_step = degrees(MAX_STEP);
        Self {
            angles: chain.rest_angles(),
            chain,
            tracker,
            started: false,
            chest: id("Spine2"),
            upper_arm: id("LeftArm"),
            hand,
            target: Vec3::ZERO,
            heading: 0.0,
            miss: 0.0,
        }
    }

    /// Starts a new motion.
    pub(crate) fn reset(&mut self) {
        self.tracker.reset();
        self.started = false;
    }
}

impl PoseModifier for Reach {
    fn modify(&mut self, _: &Skeleton, pose: &mut Pose, model: &mut [Affine3A]) {
        self.chain.set_base(model[self.chest.index()]);
        if !self.started {
            self.started = self.chain.angles_from_pose(pose, &mut self.angles).is_ok();
        }
        let ahead = Quat::from_rotation_y(self.heading);
        let goals = [
            Goal::position(self.hand, GRIP, self.target),
            Goal::Direction {
                bone: self.upper_arm,
                local: Vec3::X,
                target: ahead * ELBOW,
                weight: ELBOW_WEIGHT,
            },
            Goal::Direction {
                bone: self.hand,
                local: Vec3::NEG_Y,
                target: Vec3::Y,
                weight: PALM_WEIGHT,
            },
        ];
        let length = self.chain.length();
        self.miss = match self.tracker.solve(&self.chain, &goals, &mut self.angles) {
            #[expect(clippy::cast_possible_truncation, reason = "metres")]
            Ok(report) => (report.errors[0] * length) as f32,
            Err(_) => f32::INFINITY,
        };
        // Only bad input makes this fail, and then the arm stays as the clips have it.
        let _ = self.chain.pose_from_angles(&self.angles, pose);
    }
}
