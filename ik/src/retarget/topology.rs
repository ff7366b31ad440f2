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
            children[parent.index()].insert(0, joint);
            let (joints, length) = depth[joint.index()];
            let bone = positions[joint.index()].distance(positions[parent.index()]);
            let here = &mut depth[parent.index()];
            if length + bone > here.1 || here.0 == 1 {
                *here = (joints + 1, length + bone);
            }
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

    /// A chain's joints without those that sit on the joint before (helpers): at least a hundredth of the chain apart.
    fn segments(&self, joint: JointId) -> Vec<JointId> {
        let chain = self.chain(joint);
        let total = self.depth[joint.index()].1;
        let mut kept = Vec::new();
        for &joint in &chain {
            if let Some(&last) = kept.last()
                && self.at(joint).distance(self.at(last)) < 0.01 * total
            {
                kept.pop();
            }
            kept.push(joint);
        }
        kept
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
    // The trunk is the branch that forks again into two arms (and a neck); legs do not.
    let (trunk, chest, arms) = branches.iter().find_map(|&trunk| {
        let mut here = trunk;
        loop {
            let forks = shape.branches(here);
            if forks.len() >= 2 {
                return Some((trunk, here, shape.pair(&forks)?));
            }
            here = *forks.first()?;
        }
    })?;
    let others: Vec<JointId> = branches.into_iter().filter(|&branch| branch != trunk).collect();
    let legs = shape.pair(&others)?;
    let leg_joints = legs.map(|leg| shape.segments(leg));
    let arm_joints = arms.map(|arm| shape.segments(arm));
    if leg_joints
        .iter()
        .chain(&arm_joints)
        .any(|chain| chain.len() < LIMB_JOINTS)
    {
        return None;
    }
    let middle = |pair: [JointId; 2]| (shape.at(pair[0]) + shape.at(pair[1])) * 0.5;
    let up = middle(arms) - middle(legs);
    let toes: Vec3 = leg_joints
        .iter()
        .filter_map(|chain| Some(shape.at(*chain.get(3)?) - shape.at(chain[2])))
        .sum();
    let left = up.cross(toes);
    let sides = |pair: [JointId; 2]| {
        let swapped = (shape.at(pair[0]) - shape.at(pair[1])).dot(left) < 0.0;
        if swapped { [1, 0] } else { [0, 1] }
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
    for (side, place) in Side::BOTH.into_iter().zip(sides(legs)) {
        let chain = &leg_joints[place];
        let named = [
            Part::Thigh(side),
            Part::Shin(side),
            Part::Foot(side),
            Part::Toe(side),
        ];
        parts.extend(named.into_iter().zip(chain.iter().copied()));
    }
    for (side, place) in Side::BOTH.into_iter().zip(sides(arms)) {
        let chain = &arm_joints[place];
        // A fourth joint before the hand is the collar bone; a hand ends where its fingers fork.
        let collar = usize::from(chain.len() > LIMB_JOINTS && shape.branches(chain[2]).len() < 2);
        if collar == 1 {
            parts.push((Part::Clavicle(side), chain[0]));
        }
        let named = [Part::UpperArm(side), Part::Forearm(side), Part::Hand(side)];
        parts.extend(named.into_iter().zip(chain[collar..].iter().copied()));
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
