//! Inverse kinematics as a stage of the animation multiplexer.

use elea_anim::{Pose, PoseModifier, Skeleton};
use glam::Affine3A;

use crate::{Chain, Goal, IkError, Status, Tracker};

/// Brings a chain of an animated skeleton to its goals, frame after frame: a [`PoseModifier`] for
/// [`Animux::evaluate_with`](elea_anim::Animux::evaluate_with).
///
/// Each frame takes from the animated pose what the chain does not move (the bones above, translations, scales, axes that
/// are off), solves with the [`Tracker`], as near to the animated pose as [`animation_weight`](Self::animation_weight) says,
/// and blends the answer over the animated pose by `weight`. The animated pose comes in fresh every frame and nothing of
/// the answer is fed back into it, so that no error adds up.
///
/// After the first frame nothing is allocated.
///
/// ```
/// use elea_anim::{Joint, JointId, PoseModifier, Skeleton, Transform, glam::{Affine3A, Vec3}, local_to_model};
/// use elea_ik::{Chain, Goal, IkModifier, Solver, Status, Tracker};
/// # let joint = |parent, rest| Joint { name: String::new(), parent, rest: Transform::from_translation(rest) };
/// # let skeleton = Skeleton::new(vec![
/// #     joint(None, Vec3::Y), joint(Some(JointId(0)), Vec3::X), joint(Some(JointId(1)), Vec3::X)])?;
/// let chain = Chain::from_skeleton(&skeleton, JointId(0), &[JointId(2)])?;
/// let mut reach = IkModifier::new(chain, Tracker::new(Solver::gauss_newton()));
/// reach.goals.push(Goal::position(JointId(2), Vec3::ZERO, Vec3::new(1.0, 2.0, 0.5)));
///
/// // In a game these two come from the multiplexer.
/// let mut pose = skeleton.rest_pose().clone();
/// let mut model = vec![Affine3A::IDENTITY; skeleton.len()];
/// reach.modify(&skeleton, &mut pose, &mut model);
/// assert_eq!(reach.outcome(), Some(&Ok(Status::Reached)));
/// local_to_model(&skeleton, &pose, &mut model);
/// assert!(model[2].translation.distance(Vec3::new(1.0, 2.0, 0.5).into()) < 2e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct IkModifier {
    /// The bones to move.
    pub chain: Chain,
    /// What they should do; set the targets before each frame.
    pub goals: Vec<Goal>,
    /// How it is solved.
    pub tracker: Tracker,
    /// 0 leaves the animated pose as it is (and forgets the last answer), 1 takes the solved one.
    pub weight: f32,
    /// Weight of the squared distance (radians, chain lengths) from the animated pose, against the weights of the goals:
    /// what the goals leave free follows the animation. 0.01 unless set; 0, or less, or NaN: the animation only gives the
    /// first frame's start.
    pub animation_weight: f64,
    animated: Vec<f64>,
    angles: Vec<f64>,
    outcome: Option<Result<Status, IkError>>,
}

impl IkModifier {
    /// A modifier without goals, weight 1.
    #[must_use]
    pub const fn new(chain: Chain, tracker: Tracker) -> Self {
        Self {
            chain,
            goals: Vec::new(),
            tracker,
            weight: 1.0,
            animation_weight: 0.01,
            animated: Vec::new(),
            angles: Vec::new(),
            outcome: None,
        }
    }

    /// How the last frame went; `None` before the first one and while the weight is 0. On an error the pose was left as
    /// it came.
    #[must_use]
    pub const fn outcome(&self) -> Option<&Result<Status, IkError>> {
        self.outcome.as_ref()
    }

    fn solve(&mut self, skeleton: &Skeleton, pose: &mut Pose) -> Result<Status, IkError> {
        let Self {
            chain,
            goals,
            tracker,
            animated,
            angles,
            ..
        } = self;
        chain.adopt_pose(skeleton, pose)?;
        let count = chain.angle_count();
        animated.resize(count, 0.0);
        chain.angles_from_pose(pose, animated)?;
        if angles.len() == count {
            chain.copy_fixed_angles(animated, angles);
        } else {
            angles.clone_from(animated);
            tracker.reset();
        }
        let near = (self.animation_weight > 0.0).then_some((animated.as_slice(), self.animation_weight));
        let status = tracker.solve_near(chain, goals, near, angles)?.status;
        if self.weight < 1.0 {
            chain.blend_into_pose(angles, self.weight, pose);
        } else {
            chain.pose_from_angles(angles, pose)?;
        }
        Ok(status)
    }
}

impl PoseModifier for IkModifier {
    fn modify(&mut self, skeleton: &Skeleton, pose: &mut Pose, _model: &mut [Affine3A]) {
        // Also for NaN: a weight that says nothing changes nothing.
        if self.weight.is_nan() || self.weight <= 0.0 {
            self.angles.clear();
            self.outcome = None;
            return;
        }
        self.outcome = Some(self.solve(skeleton, pose));
    }
}
