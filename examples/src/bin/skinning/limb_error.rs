//! How far the limbs' directions of a retargeted motion are from the source's.

use elea_anim::{Animation, JointId, Pose, Skeleton, local_to_model};
use elea_ik::retarget::{BoneMap, Part, Side};
use glam::{Affine3A, Mat3, Vec3};

/// Angles over all frames and all upper and lower arms and legs, in degrees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LimbError {
    pub(crate) mean: f32,
    pub(crate) max: f32,
}

/// A figure in motion.
#[derive(Clone, Copy)]
pub(crate) struct Figure<'a> {
    pub(crate) skeleton: &'a Skeleton,
    pub(crate) map: &'a BoneMap,
    pub(crate) animation: &'a Animation,
}

/// Compares the motions frame by frame. Each figure's up axis is laid on Y, and the mean turn between
/// the two about Y is taken out: worlds may be turned, poses may not.
///
/// `None` where a limb has no joint.
pub(crate) fn limb_error(source: Figure<'_>, target: Figure<'_>, times: &[f32]) -> Option<LimbError> {
    let (a, b) = (Limbs::new(source, times)?, Limbs::new(target, times)?);
    let (mut sine, mut cosine) = (0.0, 0.0);
    for (p, q) in a.hip_lines.iter().zip(&b.hip_lines) {
        let turn = (p.z * q.x - p.x * q.z).atan2(p.x * q.x + p.z * q.z);
        sine += turn.sin();
        cosine += turn.cos();
    }
    let back = Mat3::from_rotation_y(-sine.atan2(cosine));
    let (mut sum, mut max) = (0.0, 0.0_f32);
    for (p, q) in a.bones.iter().zip(&b.bones) {
        let angle = p.angle_between(back * *q).to_degrees();
        sum += f64::from(angle);
        max = max.max(angle);
    }
    #[expect(clippy::cast_possible_truncation, reason = "degrees")]
    #[expect(clippy::cast_precision_loss, reason = "a count of bones")]
    let mean = (sum / a.bones.len().max(1) as f64) as f32;
    Some(LimbError { mean, max })
}

/// Directions in a space with Y up; all bones of the first frame, then of the second.
struct Limbs {
    bones: Vec<Vec3>,
    hip_lines: Vec<Vec3>,
}

impl Limbs {
    fn new(figure: Figure<'_>, times: &[f32]) -> Option<Self> {
        let joint = |part| figure.map.joint(part, figure.skeleton);
        let mut bones: Vec<[JointId; 2]> = Vec::new();
        for side in Side::BOTH {
            let arm = [Part::UpperArm(side), Part::Forearm(side), Part::Hand(side)];
            let leg = [Part::Thigh(side), Part::Shin(side), Part::Foot(side)];
            for [upper, middle, end] in [arm, leg] {
                bones.push([joint(upper)?, joint(middle)?]);
                bones.push([joint(middle)?, joint(end)?]);
            }
        }
        let [left, right] = Side::BOTH.map(|side| joint(Part::Thigh(side)));
        let feet = Side::BOTH.map(|side| joint(Part::Foot(side)));
        let top = joint(Part::Head).or(joint(Part::Neck))?;
        let (left, right, feet) = (left?, right?, [feet[0]?, feet[1]?]);

        let mut pose = Pose::identity(figure.skeleton.len());
        let mut model = vec![Affine3A::IDENTITY; figure.skeleton.len()];
        let mut limbs = Self {
            bones: Vec::with_capacity(bones.len() * times.len()),
            hip_lines: Vec::with_capacity(times.len()),
        };
        let mut up = Vec3::ZERO;
        for &time in times {
            figure.animation.sample(figure.skeleton, time, &mut pose);
            local_to_model(figure.skeleton, &pose, &mut model);
            let at = |id: JointId| Vec3::from(model[id.index()].translation);
            up += at(top) - (at(feet[0]) + at(feet[1])) * 0.5;
            limbs
                .bones
                .extend(bones.iter().map(|[from, to]| at(*to) - at(*from)));
            limbs.hip_lines.push(at(left) - at(right));
        }
        let upright = y_up(up);
        for v in limbs.bones.iter_mut().chain(&mut limbs.hip_lines) {
            *v = upright * *v;
        }
        Some(limbs)
    }
}

/// The rotation that lays the coordinate axis nearest to `up` on +Y.
fn y_up(up: Vec3) -> Mat3 {
    let axis = up.abs().max_position();
    let sign = up[axis].signum();
    match axis {
        0 => Mat3::from_rotation_z(sign * std::f32::consts::FRAC_PI_2),
        2 => Mat3::from_rotation_x(-sign * std::f32::consts::FRAC_PI_2),
        _ if sign < 0.0 => Mat3::from_rotation_x(std::f32::consts::PI),
        _ => Mat3::IDENTITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_axis_is_laid_on_y() {
        for axis in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z] {
            let got = y_up(axis) * axis;
            assert!(got.abs_diff_eq(Vec3::Y, 1e-6), "{axis} went to {got}");
        }
    }
}
