//! The crate `k`: a Jacobian pseudo-inverse with clamped limits, for serial chains and pose targets.

use elea_ik::{Axis, Chain};
use glam::{DAffine3, DQuat, DVec3};
use k::nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use k::{Constraints, InverseKinematicsSolver, JacobianIkSolver, JointType, NodeBuilder, SerialChain};

/// A serial chain of hinges like one of ours: a hinge for every enabled axis, and the tip as a fixed joint.
#[expect(missing_debug_implementations, reason = "k's types have none")]
pub struct KArm {
    arm: SerialChain<f64>,
    /// Place of each hinge's angle in our slices.
    slots: Vec<usize>,
    solver: JacobianIkSolver<f64>,
}

fn direction(xyz: usize) -> Vector3<f64> {
    let mut direction = Vector3::zeros();
    direction[xyz] = 1.0;
    direction
}

impl KArm {
    /// Builds the chain. `accuracy` is in lengths and radians. The multiplier is that of k's own bench; ten times its
    /// tries, so that it isn't cut short.
    #[must_use]
    pub fn new(chain: &Chain, rests: &[DAffine3], tip: DVec3, accuracy: f64) -> Self {
        let mut nodes: Vec<k::Node<f64>> = Vec::new();
        let mut slots = Vec::new();
        let mut add = |builder: NodeBuilder<f64>| {
            let node = builder.into_node();
            if let Some(last) = nodes.last() {
                node.set_parent(last);
            }
            nodes.push(node);
        };
        for (index, bone) in chain.bones().enumerate() {
            let joint = chain.joint(bone).expect("a bone of the chain");
            let first = chain.angles_of(bone).expect("a bone of the chain").start;
            let mut origin = isometry(rests[index]);
            for (letter, (axis, xyz)) in joint.axes.into_iter().zip(joint.order.axes()).enumerate() {
                let Axis::Limit {
                    negative, positive, ..
                } = axis
                else {
                    continue;
                };
                let hinge = NodeBuilder::new()
                    .name(&format!("{index} {letter}"))
                    .joint_type(JointType::Rotational {
                        axis: k::nalgebra::Unit::new_unchecked(direction(xyz)),
                    })
                    .limits(Some(k::joint::Range::new(-negative.limit, positive.limit)))
                    .origin(origin);
                add(hinge);
                slots.push(first + letter);
                origin = Isometry3::identity();
            }
        }
        let tip = Translation3::new(tip.x, tip.y, tip.z);
        add(NodeBuilder::new()
            .name("tip")
            .joint_type(JointType::Fixed)
            .translation(tip));
        let arm = SerialChain::from_end(nodes.last().expect("the tip"));
        Self {
            arm,
            slots,
            solver: JacobianIkSolver::new(accuracy, accuracy, 0.8, 100),
        }
    }

    /// Solves from `start` in our layout; whether k says that it got there. Without `rotation` the position alone counts.
    pub fn solve(&self, start: &[f64], position: DVec3, rotation: Option<DQuat>) -> bool {
        let angles: Vec<f64> = self.slots.iter().map(|&slot| start[slot]).collect();
        self.arm.set_joint_positions_unchecked(&angles);
        let turns = rotation.is_some();
        let q = rotation.unwrap_or(DQuat::IDENTITY);
        let target = Isometry3::from_parts(
            Translation3::new(position.x, position.y, position.z),
            UnitQuaternion::from_quaternion(Quaternion::new(q.w, q.x, q.y, q.z)),
        );
        let constraints = Constraints {
            rotation_x: turns,
            rotation_y: turns,
            rotation_z: turns,
            ..Constraints::default()
        };
        self.solver
            .solve_with_constraints(&self.arm, &target, &constraints)
            .is_ok()
    }
}

fn isometry(placed: DAffine3) -> Isometry3<f64> {
    let (_, q, t) = placed.to_scale_rotation_translation();
    Isometry3::from_parts(
        Translation3::new(t.x, t.y, t.z),
        UnitQuaternion::from_quaternion(Quaternion::new(q.w, q.x, q.y, q.z)),
    )
}
