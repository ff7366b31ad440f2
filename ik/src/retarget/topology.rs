//! Finding a humanoid by the skeleton's shape alone.

use std::collections::BTreeMap;

use elea_anim::{JointId, Skeleton};
use glam::Vec3;

use super::{
    humanoid::{Part, Side},
    kinematics::ModelPose,
};

/// A chain that counts as a limb has at least this many joints: thigh, shin, foot; upper arm, forearm, hand.
const LIMB_JOINTS: usize = 3;

/// Lengths of a pair of limbs may differ by this factor and still be a pair.
const PAIR_RATIO: f32 = 1.25;

/// A collar bone's joint is nearer to the middle than this share of the shoulder's distance from it.
const COLLAR_SHARE: f32 = 0.25;

/// A joint that is nearer to the one before than this share of the chain's length is a helper on it. Helpers (twist and
/// scale joints of exporters) sit exactly there but for rounding, 1e-5 of the figure; the shortest bone of a limb, from
/// the ankle to the ball of the foot, is a tenth of it.
const HELPER_SHARE: f32 = 0.01;

struct Shape {
    positions: Vec<Vec3>,
    children: Vec<Vec<JointId>>,
    /// The longest way down from each joint, in joints and in length.
    depth: Vec<(usize, f32)>,
}

impl Shape {
    fn of(skeleton: &Skeleton) -> Self {
        let positions = ModelPose::of(skeleton, skeleton.rest_pose()).positions;
        let mut children = vec![Vec::new(); skeleton.len()];
        let mut depth = vec![(1, 0.0); skeleton.len()];
        for joint in skeleton.joints().rev() {
            let Some(parent) = skeleton.parent(joint) else {
                continue;
            };
            children[parent.index()].push(joint);
            let (joints, length) = depth[joint.index()];
            let bone = positions[joint.index()].distance(positions[parent.index()]);
            let here = &mut depth[parent.index()];
            if length + bone > here.1 || here.0 == 1 {
                *here = (joints + 1, length + bone);
            }
        }
        // They came last to first.
        for of_one in &mut children {
            of_one.reverse();
        }
        Self {
            positions,
            children,
            depth,
        }
    }

    fn at(&self, joint: JointId) -> Vec3 {
        self.positions[joint.index()]
    }

    /// Children that are long enough to be a limb or the trunk.
    fn branches(&self, joint: JointId) -> Vec<JointId> {
        let long = |child: &&JointId| self.depth[child.index()].0 >= LIMB_JOINTS;
        self.children[joint.index()]
            .iter()
            .filter(long)
            .copied()
            .collect()
    }

    /// The way down along the longest branch, from `joint` on, up to where it forks into several (a hand).
    fn chain(&self, joint: JointId) -> Vec<JointId> {
        let mut chain = vec![joint];
        let mut here = joint;
        while let [only] = self.children[here.index()][..] {
            chain.push(only);
            here = only;
        }
        chain
    }

    /// A chain's joints without those that sit on the joint before ([`HELPER_SHARE`]).
    fn segments(&self, joint: JointId) -> Vec<JointId> {
        let chain = self.chain(joint);
        let total = self.depth[joint.index()].1;
        let mut kept = Vec::new();
        for &joint in &chain {
            if let Some(&last) = kept.last()
                && self.at(joint).distance(self.at(last)) < HELPER_SHARE * total
            {
                kept.pop();
            }
            kept.push(joint);
        }
        kept
    }

    /// Where in a chain the two bones begin that are longest together: thigh and shin, upper arm and forearm, behind hip
    /// helpers or a collar bone.
    fn long_bones(&self, chain: &[JointId]) -> Option<usize> {
        let bones = |joints: &[JointId]| {
            self.at(joints[0]).distance(self.at(joints[1])) + self.at(joints[1]).distance(self.at(joints[2]))
        };
        let lengths = chain.windows(LIMB_JOINTS).map(bones).enumerate();
        lengths.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(start, _)| start)
    }

    /// The two most alike of several branches, by length.
    fn pair(&self, branches: &[JointId]) -> Option<[JointId; 2]> {
        let length = |joint: JointId| self.depth[joint.index()].1;
        let mut best: Option<(f32, [JointId; 2])> = None;
        for (place, &a) in branches.iter().enumerate() {
            for &b in &branches[place + 1..] {
                let ratio = length(a).max(length(b)) / length(a).min(length(b)).max(f32::MIN_POSITIVE);
                if ratio <= PAIR_RATIO && best.is_none_or(|(known, _)| ratio < known) {
                    best = Some((ratio, [a, b]));
                }
            }
        }
        best.map(|(_, pair)| pair)
    }
}

/// The parts by shape: at the hips two alike legs and a trunk, at its first fork two alike arms. `None` where the
/// rest pose has no such shape.
pub(super) fn guess(skeleton: &Skeleton) -> Option<Vec<(Part, JointId)>> {
    let shape = Shape::of(skeleton);
    let hips = skeleton
        .joints()
        .find(|&joint| shape.branches(joint).len() >= 3)?;
    let branches = shape.branches(hips);
    // The trunk is the branch with the longest pair of arms at its first fork: feet fork too, into toes.
    let fork = |&trunk: &JointId| {
        let mut here = trunk;
        loop {
            let forks = shape.branches(here);
            if forks.len() >= 2 {
                let arms = shape.pair(&forks)?;
                return Some((trunk, here, arms));
            }
            here = *forks.first()?;
        }
    };
    let length = |joint: JointId| shape.depth[joint.index()].1;
    let forks = branches.iter().filter_map(fork);
    let (trunk, chest, arms) = forks.max_by(|a, b| length(a.2[0]).total_cmp(&length(b.2[0])))?;
    let others: Vec<JointId> = branches
        .iter()
        .copied()
        .filter(|&branch| branch != trunk)
        .collect();
    let legs = shape.pair(&others)?;
    let leg_joints = legs.map(|leg| shape.segments(leg));
    let mut arm_joints = arms.map(|arm| shape.segments(arm));
    // A chain that begins at the spine begins with a collar bone, however long.
    let root = shape.at(chest);
    let across = arm_joints
        .each_ref()
        .map(|chain| chain.get(1).map(|&joint| shape.at(joint)));
    let mut collars = [None; 2];
    if let [Some(a), Some(b)] = across {
        for (chain, collar) in arm_joints.iter_mut().zip(&mut collars) {
            let sideways = |joint: JointId| (shape.at(joint) - root).dot(a - b).abs();
            if chain.len() > LIMB_JOINTS && sideways(chain[0]) < COLLAR_SHARE * sideways(chain[1]) {
                *collar = Some(chain.remove(0));
            }
        }
    }
    let [left_leg, right_leg] = [&leg_joints[0], &leg_joints[1]].map(|chain| shape.long_bones(chain));
    let [left_arm, right_arm] = [&arm_joints[0], &arm_joints[1]].map(|chain| shape.long_bones(chain));
    let (leg_starts, arm_starts) = ([left_leg?, right_leg?], [left_arm?, right_arm?]);
    let start = |place: usize| shape.at(leg_joints[place][leg_starts[place]]);
    let up = (shape.at(arms[0]) + shape.at(arms[1]) - start(0) - start(1)) * 0.5;
    let toe = |place: usize| {
        let (chain, start) = (&leg_joints[place], leg_starts[place]);
        let toe = *chain.get(start + LIMB_JOINTS)?;
        Some(shape.at(toe) - shape.at(chain[start + LIMB_JOINTS - 1]))
    };
    // Without toes nothing tells front from back: forward is +Z with Y up and -Y with Z up, as most tools have it.
    let usual = if up.z.abs() > up.y.abs() {
        Vec3::NEG_Y
    } else {
        Vec3::Z
    };
    let forward = match (toe(0), toe(1)) {
        (Some(a), Some(b)) => a + b,
        _ => usual,
    };
    let left = up.cross(forward);
    // By the limbs' ends: they often start in one point.
    let sides = |chains: &[Vec<JointId>; 2], starts: [usize; 2]| {
        let ends = [0, 1].map(|place: usize| shape.at(chains[place][starts[place] + LIMB_JOINTS - 1]));
        if (ends[0] - ends[1]).dot(left) < 0.0 {
            [1, 0]
        } else {
            [0, 1]
        }
    };
    let mut parts = vec![(Part::Hips, hips), (Part::Spine, trunk)];
    if chest != trunk {
        parts.push((Part::UpperChest, chest));
    }
    let neck = shape.children[chest.index()]
        .iter()
        .find(|child| !arms.contains(child));
    if let Some(&neck) = neck {
        let chain = shape.chain(neck);
        parts.push((Part::Neck, neck));
        if let Some(&head) = chain.get(1) {
            parts.push((Part::Head, head));
        }
    }
    for (side, place) in Side::BOTH.into_iter().zip(sides(&leg_joints, leg_starts)) {
        let chain = &leg_joints[place][leg_starts[place]..];
        let named = [
            Part::Thigh(side),
            Part::Shin(side),
            Part::Foot(side),
            Part::Toe(side),
        ];
        parts.extend(named.into_iter().zip(chain.iter().copied()));
    }
    for (side, place) in Side::BOTH.into_iter().zip(sides(&arm_joints, arm_starts)) {
        let (chain, start) = (&arm_joints[place], arm_starts[place]);
        let collar = start
            .checked_sub(1)
            .map(|before| chain[before])
            .or(collars[place]);
        parts.extend(collar.map(|collar| (Part::Clavicle(side), collar)));
        let named = [Part::UpperArm(side), Part::Forearm(side), Part::Hand(side)];
        parts.extend(named.into_iter().zip(chain[start..].iter().copied()));
    }
    Some(parts)
}

/// A foot without a named toe whose only way on is one joint has its toe there.
pub(super) fn add_toes(skeleton: &Skeleton, joints: &mut BTreeMap<Part, JointId>) {
    for side in Side::BOTH {
        if joints.contains_key(&Part::Toe(side)) {
            continue;
        }
        let Some(&foot) = joints.get(&Part::Foot(side)) else {
            continue;
        };
        let mut children = skeleton.children(foot);
        if let (Some(toe), None) = (children.next(), children.next()) {
            joints.insert(Part::Toe(side), toe);
        }
    }
}
