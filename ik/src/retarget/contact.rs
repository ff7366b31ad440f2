//! Feet on the ground.

use elea_anim::{Animation, JointId, Pose, Skeleton};
use glam::Vec3;

use super::{
    bone_map::BoneMap,
    humanoid::{Part, Side},
    kinematics::ModelPose,
    limb::arc,
    stance::Stance,
};

/// A foot that stands still is slower than this, in leg lengths per second: a quarter of a stature, a leg being 0.53 of it.
const STANDING_SPEED: f32 = 0.47;

/// Frames looked at to see how the feet stand, at most.
const LOOKS: u16 = 400;

/// Fewer moments on the ground than this tell nothing.
const MIN_LOOKS: usize = 8;

/// The value below which a twentieth of the others lie; the ground under a foot. 0 for none.
pub(super) fn low(values: &[f32], sorted: &mut Vec<f32>) -> f32 {
    sorted.clear();
    sorted.extend_from_slice(values);
    sorted.sort_by(f32::total_cmp);
    sorted.get(sorted.len() / 20).copied().unwrap_or(0.0)
}

/// Turns the feet of a retarget pose flat: up is for the foot where it is, on average, while the foot stands still on
/// the ground with heel and toe in the animation. Headings stay.
pub(super) fn flatten_feet(skeleton: &Skeleton, map: &BoneMap, animation: &Animation, pose: &mut Pose) {
    let Some(stance) = Stance::of(skeleton, map, pose) else {
        return;
    };
    let (start, seconds) = (animation.start(), animation.duration());
    if !(seconds > 0.0 && seconds.is_finite()) {
        return;
    }
    let mut model = ModelPose::new(skeleton.len());
    let mut frame = pose.clone();
    let joints = |side| {
        let foot = map.joint(Part::Foot(side), skeleton)?;
        let toe = map.joint(Part::Toe(side), skeleton).unwrap_or(foot);
        Some((map.joint(Part::Shin(side), skeleton)?, foot, toe))
    };
    let [Some(left), Some(right)] = Side::BOTH.map(joints) else {
        return;
    };
    let legs = [left, right];
    // Per foot and look: ankle, toe, and up as the foot sees it.
    let mut looks: [Vec<(Vec3, Vec3, Vec3)>; 2] = [Vec::new(), Vec::new()];
    let step = seconds / f32::from(LOOKS);
    for look in 0..=LOOKS {
        animation.sample(skeleton, start + step * f32::from(look), &mut frame);
        model.update(skeleton, &frame);
        for (looks, (_, foot, toe)) in looks.iter_mut().zip(legs) {
            let up = model.rotation(foot).inverse() * stance.up;
            looks.push((model.position(foot), model.position(toe), up));
        }
    }
    model.update(skeleton, pose);
    let mut sorted = Vec::new();
    for (looks, (shin, foot, _)) in looks.iter().zip(legs) {
        let leg = 2.0 * model.position(shin).distance(model.position(foot));
        let heights =
            |at: fn(&(Vec3, Vec3, Vec3)) -> Vec3| looks.iter().map(|look| at(look).dot(stance.up)).collect();
        let (ankles, toes): (Vec<f32>, Vec<f32>) = (heights(|look| look.0), heights(|look| look.1));
        let (ankle_ground, toe_ground) = (low(&ankles, &mut sorted), low(&toes, &mut sorted));
        let mut up = Vec3::ZERO;
        let mut count = 0;
        for (index, pair) in looks.windows(2).enumerate() {
            let moved = pair[0].0.distance(pair[1].0).max(pair[0].1.distance(pair[1].1));
            let flat = ankles[index] - ankle_ground < FLAT_HEIGHT * leg
                && toes[index] - toe_ground < FLAT_HEIGHT * leg;
            if flat && moved < STANDING_SPEED * leg * step {
                up += pair[0].2;
                count += 1;
            }
        }
        if count >= MIN_LOOKS {
            flatten(skeleton, pose, &model, foot, up, stance.up);
        }
    }
}

/// Ankle and toe are both nearer to their lowest than this while the foot is flat, in leg lengths: a heel that has
/// begun to rise by a tenth of the foot.
const FLAT_HEIGHT: f32 = 0.03;

/// Turns one foot so that `up` of its own frame points up.
fn flatten(skeleton: &Skeleton, pose: &mut Pose, model: &ModelPose, foot: JointId, own: Vec3, up: Vec3) {
    let rotation = model.rotation(foot);
    let turned = arc(rotation * own, up) * rotation;
    let parent = skeleton
        .parent(foot)
        .map_or(glam::Quat::IDENTITY, |parent| model.rotation(parent));
    pose.set_rotation(foot, (parent.inverse() * turned).normalize());
}
