//! Humanoids made here, and where their parts are in f64.
#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    missing_debug_implementations,
    reason = "shared by several tests, each of which uses a part"
)]

use std::f32::consts::PI;

use elea_anim::{Joint, JointId, Pose, Skeleton, Transform, local_to_model};
use elea_ik::{
    glam::{Affine3A, DVec3, EulerRot, Quat, Vec3},
    retarget::{Part, Rig, Side},
};

/// A figure's measures.
#[derive(Clone, Copy)]
pub struct Build {
    pub size: f32,
    pub thigh: f32,
    pub shin: f32,
    /// Degrees of the arms below the horizontal.
    pub arms: f32,
    pub spine: usize,
    pub clavicles: bool,
    /// Turns the whole figure: another up axis.
    pub turn: Quat,
    /// Each joint's own axes are turned by this seed's angles.
    pub axes: u32,
}

pub const PLAIN: Build = Build {
    size: 1.0,
    thigh: 0.45,
    shin: 0.45,
    arms: 0.0,
    spine: 2,
    clavicles: true,
    turn: Quat::IDENTITY,
    axes: 0,
};

/// A cheap hash to a number in -1..1.
pub fn noise(seed: u32) -> f32 {
    let mut x = seed.wrapping_mul(0x9E37_79B9) ^ 0x85EB_CA6B;
    x ^= x >> 15;
    x = x.wrapping_mul(0x2C1B_3C6D);
    x ^= x >> 12;
    (x >> 8) as f32 / (1 << 23) as f32 - 1.0
}

pub fn turn(seed: u32, most: f32) -> Quat {
    let [x, y, z] = [0, 1, 2].map(|axis| noise(seed * 3 + axis) * most);
    Quat::from_euler(EulerRot::XYZ, x, y, z)
}

/// A humanoid in its rest pose by model positions, with Mixamo's names.
pub fn figure(build: Build) -> Rig {
    let mut joints: Vec<(String, Option<usize>, Vec3)> = Vec::new();
    let mut add = |name: String, parent: Option<usize>, at: Vec3| {
        joints.push((name, parent, at * build.size));
        joints.len() - 1
    };
    let height = build.thigh + build.shin + 0.08;
    let hips = add("Hips".into(), None, Vec3::new(0.0, height + 0.05, 0.0));
    let mut top = hips;
    for index in 0..build.spine {
        let name = if index == 0 {
            "Spine".into()
        } else {
            format!("Spine{index}")
        };
        let y = height + 0.1 + 0.4 * (index as f32 + 0.3) / build.spine as f32;
        top = add(name, Some(top), Vec3::new(0.0, y, -0.01));
    }
    let shoulder = height + 0.5;
    let neck = add("Neck".into(), Some(top), Vec3::new(0.0, shoulder + 0.04, 0.0));
    add("Head".into(), Some(neck), Vec3::new(0.0, shoulder + 0.14, 0.02));
    for (side, x) in [("Left", 1.0), ("Right", -1.0)] {
        let mut parent = top;
        if build.clavicles {
            parent = add(
                format!("{side}Shoulder"),
                Some(top),
                Vec3::new(0.03 * x, shoulder - 0.03, 0.02),
            );
        }
        let (down, out) = build.arms.to_radians().sin_cos();
        let mut at = Vec3::new(0.18 * x, shoulder, 0.0);
        for (name, length) in [("Arm", 0.28), ("ForeArm", 0.25), ("Hand", 0.0)] {
            parent = add(format!("{side}{name}"), Some(parent), at);
            at += Vec3::new(out * x, -down, 0.0) * length;
        }
        let hip = Vec3::new(0.09 * x, height, 0.0);
        let thigh = add(format!("{side}UpLeg"), Some(hips), hip);
        let knee = hip - Vec3::Y * build.thigh;
        let shin = add(format!("{side}Leg"), Some(thigh), knee);
        let ankle = knee - Vec3::Y * build.shin;
        let foot = add(format!("{side}Foot"), Some(shin), ankle);
        add(
            format!("{side}ToeBase"),
            Some(foot),
            ankle + Vec3::new(0.0, -0.06, 0.13),
        );
    }
    let model = |index: usize| {
        let own = if build.axes == 0 {
            Quat::IDENTITY
        } else {
            turn(build.axes + u32::try_from(index).unwrap(), PI)
        };
        (build.turn * own, build.turn * joints[index].2)
    };
    let joint = |index: usize| {
        let (rotation, position) = model(index);
        let (name, parent, _) = joints[index].clone();
        let rest = match parent {
            None => Transform {
                rotation,
                translation: position,
                scale: Vec3::ONE,
            },
            Some(parent) => {
                let (above, origin) = model(parent);
                let inverse = above.inverse();
                Transform {
                    rotation: inverse * rotation,
                    translation: inverse * (position - origin),
                    scale: Vec3::ONE,
                }
            }
        };
        Joint {
            name,
            parent: parent.map(JointId::from_index),
            rest,
        }
    };
    let skeleton = Skeleton::new((0..joints.len()).map(joint).collect()).unwrap();
    let (rig, report) = Rig::auto(skeleton, None);
    assert!(
        report.missing.iter().all(|part| !Part::REQUIRED.contains(part)),
        "{:?}",
        report.missing
    );
    rig
}

/// Turns of every joint away from the rest pose, and of the whole figure.
pub fn pose(rig: &Rig, seed: u32, most: f32) -> Pose {
    let mut pose = rig.pose.clone();
    for joint in rig.skeleton.joints() {
        let rest = pose.get(joint).rotation;
        let own = turn(seed * 101 + u32::from(joint.0), most);
        pose.set_rotation(joint, rest * own);
    }
    pose
}

/// Model positions in f64.
pub fn positions(skeleton: &Skeleton, pose: &Pose) -> Vec<DVec3> {
    let mut model = vec![Affine3A::IDENTITY; skeleton.len()];
    local_to_model(skeleton, pose, &mut model);
    model.iter().map(|joint| joint.translation.as_dvec3()).collect()
}

pub struct View<'a> {
    pub rig: &'a Rig,
    pub positions: Vec<DVec3>,
}

impl View<'_> {
    pub fn at(&self, part: Part) -> DVec3 {
        self.positions[self.rig.map.joint(part, &self.rig.skeleton).unwrap().index()]
    }

    pub fn middle(&self, part: fn(Side) -> Part) -> DVec3 {
        (self.at(part(Side::Left)) + self.at(part(Side::Right))) * 0.5
    }

    /// Hip line, shoulder line, trunk, then the limbs' eight bones.
    pub fn directions(&self) -> Vec<DVec3> {
        let line = |part: fn(Side) -> Part| self.at(part(Side::Left)) - self.at(part(Side::Right));
        let trunk = self.middle(Part::UpperArm) - self.middle(Part::Thigh);
        let mut all = vec![line(Part::Thigh), line(Part::UpperArm), trunk];
        for side in Side::BOTH {
            for [from, to] in [
                [Part::Thigh(side), Part::Shin(side)],
                [Part::Shin(side), Part::Foot(side)],
                [Part::UpperArm(side), Part::Forearm(side)],
                [Part::Forearm(side), Part::Hand(side)],
            ] {
                all.push(self.at(to) - self.at(from));
            }
        }
        all
    }
}

/// Degrees between the directions of both, `world` turning the source's.
pub fn errors(source: &View<'_>, target: &View<'_>, world: Quat) -> Vec<f64> {
    let pairs = source.directions().into_iter().zip(target.directions());
    pairs
        .map(|(a, b)| {
            let a = world.as_dquat() * a;
            a.cross(b).length().atan2(a.dot(b)).to_degrees()
        })
        .collect()
}

pub fn view<'a>(rig: &'a Rig, pose: &Pose) -> View<'a> {
    View {
        rig,
        positions: positions(&rig.skeleton, pose),
    }
}
