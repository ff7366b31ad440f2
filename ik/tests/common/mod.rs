//! The test chains of `cases/ik_chains.json`, their targets and their paths.
#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    missing_debug_implementations,
    clippy::cast_possible_truncation,
    reason = "shared by several tests, each of which uses a part"
)]

use core::f64::consts::TAU;
use std::path::Path;

use elea_anim::{JointId, Transform};
use elea_ik::glam::{DAffine3, DVec3, Quat, Vec3};
use elea_ik::{Axis, Chain, ChainJoint, EulerOrder, Goal, Solver, Tension};
use serde_json::Value;

/// `SplitMix64`: test inputs that are the same everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// In [low, high).
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.bits() >> 11) as f64 / (1_u64 << 53) as f64;
        low + (high - low) * unit
    }

    pub fn vector(&mut self, size: f64) -> Vec3 {
        Vec3::from_array([(); 3].map(|()| self.range(-size, size) as f32))
    }

    pub fn rotation(&mut self) -> Quat {
        let xyzw = [(); 4].map(|()| self.range(-1.0, 1.0) as f32);
        Quat::from_array(xyzw).normalize()
    }
}

/// One set: a chain, what is asked of it, and the limits from which poses are drawn.
pub struct TestChain {
    pub name: String,
    pub chain: Chain,
    /// Local point or axis of every goal; the targets are those of a pose.
    goals: Vec<(bool, JointId, Vec3, f32)>,
    /// Slot, lower and upper limit of every enabled axis.
    pub limits: Vec<(usize, f64, f64)>,
    pub pose_fraction: f64,
}

/// The sets, or `None` where the shared folder is absent.
pub fn test_chains() -> Option<Vec<TestChain>> {
    let path = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../shared/cases/ik_chains.json"
    ));
    let text = std::fs::read_to_string(path).ok()?;
    let cases: Value = serde_json::from_str(&text).expect("valid JSON");
    Some(
        cases["sets"]
            .as_array()
            .expect("sets")
            .iter()
            .map(read_set)
            .collect(),
    )
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn vector(value: &Value) -> Vec3 {
    Vec3::from_array([0, 1, 2].map(|i| number(&value[i]) as f32))
}

fn tension(value: &Value) -> Tension {
    Tension {
        limit: number(&value["limit_deg"]).to_radians(),
        rigidity: number(&value["rigidity"]),
    }
}

/// The bone's axes in their order, completed to three letters with axes that are off.
fn joint(bone: &Value) -> ChainJoint {
    let mut letters: Vec<usize> = Vec::new();
    let mut axes = [Axis::Off; 3];
    for (place, axis) in bone["axes"].as_array().expect("axes").iter().enumerate() {
        letters.push(
            "XYZ"
                .find(axis["axis"].as_str().expect("a letter"))
                .expect("X, Y or Z"),
        );
        let (negative, positive) = (tension(&axis["negative"]), tension(&axis["positive"]));
        axes[place] = Axis::Limit {
            negative,
            positive,
            hard: false,
        };
    }
    for letter in 0..3 {
        if !letters.contains(&letter) {
            letters.push(letter);
        }
    }
    let order = *EulerOrder::ALL
        .iter()
        .find(|order| order.axes() == letters[..])
        .expect("one of the orders");
    let mut joint = ChainJoint {
        order,
        axes,
        translate: [Axis::Off; 3],
    };
    if let Some(translate) = bone.get("translate") {
        let side = Tension {
            limit: number(&translate["limit"]),
            rigidity: number(&translate["rigidity"]),
        };
        joint = joint.with_translate(Axis::Limit {
            negative: side,
            positive: side,
            hard: false,
        });
    }
    joint
}

fn read_set(set: &Value) -> TestChain {
    let mut chain = Chain::new();
    let mut names = Vec::new();
    for bone in set["bones"].as_array().expect("bones") {
        let parent = usize::try_from(bone["parent"].as_i64().expect("an index")).ok();
        let rest = Transform::from_translation(vector(&bone["offset"]));
        chain
            .push(parent.map(JointId::from_index), rest, joint(bone))
            .expect("a valid bone");
        names.push(bone["name"].as_str().expect("a name").to_owned());
    }
    chain.set_length(Some(number(&set["length"])));
    let goals = set["goals"].as_array().expect("goals").iter().map(|goal| {
        let bone = names
            .iter()
            .position(|name| name == goal["bone"].as_str().expect("a name"))
            .expect("a bone");
        let is_position = goal["kind"] == "position";
        (
            is_position,
            JointId::from_index(bone),
            vector(&goal["local"]),
            number(&goal["weight"]) as f32,
        )
    });
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
    TestChain {
        name: set["name"].as_str().expect("a name").to_owned(),
        goals: goals.collect(),
        chain,
        limits,
        pose_fraction: number(&set["pose_fraction"]),
    }
}

impl TestChain {
    /// A pose drawn uniformly within the fraction of each limit.
    pub fn pose(&self, random: &mut Random) -> Vec<f64> {
        let mut angles = self.chain.rest_angles();
        for &(slot, low, high) in &self.limits {
            angles[slot] = random.range(low * self.pose_fraction, high * self.pose_fraction);
        }
        angles
    }

    /// The goals that a pose fulfils.
    pub fn goals(&self, pose: &[f64]) -> Vec<Goal> {
        let mut model = vec![DAffine3::IDENTITY; self.chain.len()];
        self.chain
            .model_from_angles(pose, &mut model)
            .expect("a pose of the chain");
        let goal = |&(is_position, bone, local, weight): &(bool, JointId, Vec3, f32)| {
            let placed = model[bone.index()];
            let target: DVec3 = if is_position {
                placed.transform_point3(local.as_dvec3())
            } else {
                placed.transform_vector3(local.as_dvec3())
            };
            let target = target.as_vec3();
            if is_position {
                Goal::Position {
                    bone,
                    local,
                    target,
                    weight,
                }
            } else {
                Goal::Direction {
                    bone,
                    local,
                    target,
                    weight,
                }
            }
        };
        self.goals.iter().map(goal).collect()
    }

    /// A moving pose: per axis the centre of the limits plus 0.7 of the half range times a sine with 1, 2 or 3 turns over
    /// `frames`.
    pub fn path(&self, random: &mut Random, frames: usize) -> Vec<Vec<f64>> {
        let waves: Vec<(f64, f64)> = self
            .limits
            .iter()
            .map(|_| (random.range(1.0, 4.0).floor(), random.range(0.0, TAU)))
            .collect();
        let pose = |frame: usize| {
            let time = frame as f64 / frames as f64;
            let mut angles = self.chain.rest_angles();
            for (&(slot, low, high), &(turns, phase)) in self.limits.iter().zip(&waves) {
                let wave = (TAU * turns * time + phase).sin();
                angles[slot] = 0.5 * (low + high) + 0.35 * (high - low) * wave;
            }
            angles
        };
        (0..frames).map(pose).collect()
    }
}

/// The middle of sorted values.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Bones of the given lengths in a line along x, each a ball joint; returns the last bone too.
pub fn line(lengths: &[f32]) -> (Chain, JointId) {
    let mut chain = Chain::new();
    let mut last = None;
    let mut offset = 0.0;
    for &length in lengths {
        let rest = Transform::from_translation(offset * Vec3::X);
        last = Some(
            chain
                .push(last, rest, ChainJoint::ball(2.5, 0.1))
                .expect("a valid bone"),
        );
        offset = length;
    }
    (chain, last.expect("a bone"))
}

/// A bone's point in model space.
pub fn point(chain: &Chain, angles: &[f64], bone: JointId, local: Vec3) -> Vec3 {
    let mut model = vec![DAffine3::IDENTITY; chain.len()];
    chain
        .model_from_angles(angles, &mut model)
        .expect("finite angles");
    let place = chain
        .bones()
        .position(|id| id == bone)
        .expect("a bone of the chain");
    model[place].transform_point3(local.as_dvec3()).as_vec3()
}

/// Both solvers.
pub fn both() -> [Solver; 2] {
    [Solver::gauss_newton(), Solver::simplex()]
}
