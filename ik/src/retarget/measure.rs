//! How far a retargeted pose is from its source.

use elea_anim::Pose;
use glam::Vec3;

use super::{kinematics::ModelPose, plan::body_goals, retargeter::Retargeter};

/// Angles between the directions of two poses, radians.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PoseErrors {
    /// Left thigh, shin, upper arm and forearm, then the right side's.
    pub limbs: [f32; 8],
    /// The line from hip to hip.
    pub hip_line: f32,
    /// The line from shoulder to shoulder.
    pub shoulder_line: f32,
    /// From the middle of the hips to the middle of the shoulders.
    pub trunk: f32,
}

impl PoseErrors {
    /// Mean of the eight limb bones.
    #[must_use]
    pub fn limb_mean(&self) -> f32 {
        self.limbs.iter().sum::<f32>() / 8.0
    }

    /// The largest of all; NaN where one is (of poses that are not finite).
    #[must_use]
    pub fn max(&self) -> f32 {
        let body = [self.hip_line, self.shoulder_line, self.trunk];
        // `f32::max` would drop a NaN.
        let larger = |a: f32, b: f32| if a.is_nan() || a > b { a } else { b };
        self.limbs.into_iter().chain(body).fold(0.0, larger)
    }
}

/// The angle between two vectors, accurate near 0 and pi alike; 0 where one has no length.
fn angle(a: Vec3, b: Vec3) -> f32 {
    a.cross(b).length().atan2(a.dot(b))
}

impl Retargeter {
    /// Compares a source pose with a target pose, both in local space, by the directions of their bones.
    ///
    /// For tools and tests: it allocates.
    ///
    /// # Panics
    /// If a pose has another number of joints than its skeleton.
    #[must_use]
    pub fn errors(&self, source: &Pose, target: &Pose) -> PoseErrors {
        let skeletons = [&self.source().skeleton, &self.target().skeleton];
        assert_eq!(
            source.len(),
            skeletons[0].len(),
            "pose of another source skeleton"
        );
        assert_eq!(
            target.len(),
            skeletons[1].len(),
            "pose of another target skeleton"
        );
        let models = [
            ModelPose::of(skeletons[0], source),
            ModelPose::of(skeletons[1], target),
        ];
        let plan = self.plan();
        let wanted = body_goals(plan.world, &models[0], plan.source_thighs, plan.source_arms);
        let found = body_goals(
            glam::Quat::IDENTITY,
            &models[1],
            plan.target_thighs,
            plan.target_arms,
        );
        let mut errors = PoseErrors {
            hip_line: angle(wanted[0], found[0]),
            shoulder_line: angle(wanted[1], found[1]),
            trunk: angle(wanted[2], found[2]),
            ..PoseErrors::default()
        };
        for (limb, out) in plan.limbs.iter().zip(errors.limbs.chunks_exact_mut(2)) {
            let target = limb.driven.map(|place| plan.driven[place].joint);
            for (half, out) in out.iter_mut().enumerate() {
                let bone = |model: &ModelPose, joints: [_; 3]| {
                    model.position(joints[half + 1]) - model.position(joints[half])
                };
                *out = angle(
                    plan.world * bone(&models[0], limb.source),
                    bone(&models[1], target),
                );
            }
        }
        errors
    }
}
