//! The figure's own clips, made of keys in code: a walk cycle and a wave of the right arm.

pub(crate) mod gait;
mod limb;

use elea_anim::{Animation, Channel, Interpolation, JointId, Key, Skeleton};
use glam::{Quat, Vec3};

/// Keys a cycle: the curves are smooth, so straight lines between so many do.
const WALK_KEYS: u16 = 48;
const WAVE_KEYS: u16 = 40;

/// Seconds from one rightmost point of the waving hand to the next: twice a stride, so that both
/// together repeat.
const WAVE_PERIOD: f32 = 0.5 * gait::PERIOD;

/// Two steps ahead along +Z, [`gait::STRIDE`] metres; the left heel strikes at its start.
pub(crate) fn walk(skeleton: &Skeleton) -> Animation {
    let mut keys = Keys::new(skeleton);
    for step in 0..=WALK_KEYS {
        let phase = f32::from(step) / f32::from(WALK_KEYS);
        gait::write(&mut keys, phase * gait::PERIOD, phase);
    }
    keys.animation("walk")
}

/// The right arm up, the forearm swinging from side to side. Only the right arm has channels.
pub(crate) fn wave(skeleton: &Skeleton) -> Animation {
    let mut keys = Keys::new(skeleton);
    for step in 0..=WAVE_KEYS {
        let time = WAVE_PERIOD * f32::from(step) / f32::from(WAVE_KEYS);
        let turn = std::f32::consts::TAU * f32::from(step) / f32::from(WAVE_KEYS);
        let degrees = |d: f32| d.to_radians();
        // As for the left arm: out to the side and a little up and forward, then turned about
        // itself until the elbow bends upwards and the palm looks ahead.
        let raise = Quat::from_rotation_z(degrees(6.0));
        let forward = Quat::from_rotation_y(degrees(-28.0 + 3.0 * turn.cos()));
        let outwards = Quat::from_rotation_x(degrees(-68.0));
        let clavicle = Quat::from_rotation_z(degrees(9.0));
        let elbow = bend(degrees(88.0 + 21.0 * turn.sin()));
        // The hand lags behind the forearm.
        let wrist = bend(degrees(-3.0 + 13.0 * (turn - 0.9).sin())) * curl(-8.0);
        for (joint, rotation) in [
            ("RightShoulder", clavicle),
            ("RightArm", forward * raise * outwards),
            ("RightForeArm", elbow),
            ("RightHand", wrist),
            ("RightHandMiddle1", curl(3.0)),
            ("RightHandMiddle2", curl(6.0)),
            ("RightHandThumb1", Quat::IDENTITY),
        ] {
            keys.rotation(joint, time, mirrored(rotation));
        }
    }
    keys.animation("wave")
}

/// The left elbow bent by so many radians: the forearm comes forward. In T pose the arm lies along X
/// with the palm down and the thumb ahead.
fn bend(angle: f32) -> Quat {
    Quat::from_rotation_y(-angle)
}

/// A finger joint of the left hand bent by so many degrees.
fn curl(degrees: f32) -> Quat {
    Quat::from_rotation_z(-degrees.to_radians())
}

/// The rotation of the other side's joint.
fn mirrored(q: Quat) -> Quat {
    Quat::from_xyzw(q.x, -q.y, -q.z, q.w)
}

/// Keys that are being collected, by joint.
pub(crate) struct Keys<'a> {
    skeleton: &'a Skeleton,
    rotations: Vec<Vec<Key<Quat>>>,
    translations: Vec<Vec<Key<Vec3>>>,
}

impl<'a> Keys<'a> {
    fn new(skeleton: &'a Skeleton) -> Self {
        Self {
            skeleton,
            rotations: vec![Vec::new(); skeleton.len()],
            translations: vec![Vec::new(); skeleton.len()],
        }
    }

    fn id(&self, joint: &str) -> JointId {
        self.skeleton.joint(joint).expect("a joint of the figure's table")
    }

    fn rotation(&mut self, joint: &str, time: f32, rotation: Quat) {
        let id = self.id(joint);
        self.rotations[id.index()].push(Key::new(time, rotation));
    }

    /// In the parent's space.
    fn translation(&mut self, joint: &str, time: f32, translation: Vec3) {
        let id = self.id(joint);
        self.translations[id.index()].push(Key::new(time, translation));
    }

    fn animation(self, name: &str) -> Animation {
        let linear = Interpolation::Linear;
        let mut channels = Vec::new();
        for id in self.skeleton.joints() {
            let (rotations, translations) = (&self.rotations[id.index()], &self.translations[id.index()]);
            if !rotations.is_empty() {
                channels.push(Channel::rotation(id, linear, rotations));
            }
            if !translations.is_empty() {
                channels.push(Channel::translation(id, linear, translations));
            }
        }
        let channels: Result<Vec<Channel>, _> = channels.into_iter().collect();
        Animation::new(name, channels.expect("finite keys in order"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::bones::{self, ANKLE, BALL};
    use elea_anim::{Pose, local_to_model};
    use glam::Affine3A;

    /// The model matrices of so many moments of one cycle of the walk.
    fn walk_cycle(skeleton: &Skeleton, moments: u16) -> Vec<Vec<Affine3A>> {
        let animation = walk(skeleton);
        let mut pose = Pose::identity(skeleton.len());
        (0..moments)
            .map(|k| {
                let time = gait::PERIOD * f32::from(k) / f32::from(moments);
                animation.sample(skeleton, time, &mut pose);
                let mut model = vec![Affine3A::IDENTITY; skeleton.len()];
                local_to_model(skeleton, &pose, &mut model);
                model
            })
            .collect()
    }

    #[test]
    fn standing_feet_neither_slide_nor_sink() {
        let skeleton = bones::skeleton();
        let toe = skeleton.joint("LeftToeBase").unwrap().index();
        let foot = skeleton.joint("LeftFoot").unwrap().index();
        let cycle = walk_cycle(&skeleton, 100);
        // Flat on the ground from a tenth to a third of the cycle, then on the ball to 0.6.
        let balls: Vec<Vec3> = cycle[12..58].iter().map(|m| m[toe].translation.into()).collect();
        for ball in &balls {
            assert!(
                ball.distance(balls[0]) < 0.004,
                "the ball slid {}",
                ball.distance(balls[0])
            );
        }
        // No part of a sole is below the ground by more than the shoe's rounding.
        let heel = Vec3::new(0.0, -ANKLE.y, -0.055);
        let tip = Vec3::new(0.0, -BALL.y, 0.06);
        for (k, model) in cycle.iter().enumerate() {
            let low = model[foot]
                .transform_point3(heel)
                .y
                .min(model[toe].transform_point3(tip).y);
            assert!(low > -0.012, "sole at {low} at {k} %");
        }
    }

    #[test]
    fn a_cycle_ends_as_it_began_one_stride_ahead() {
        let skeleton = bones::skeleton();
        let animation = walk(&skeleton);
        let (mut first, mut last) = (Pose::identity(skeleton.len()), Pose::identity(skeleton.len()));
        animation.sample(&skeleton, 0.0, &mut first);
        animation.sample(&skeleton, gait::PERIOD, &mut last);
        for id in skeleton.joints() {
            let (a, b) = (first.get(id), last.get(id));
            assert!(
                a.rotation.angle_between(b.rotation) < 1e-3,
                "{}",
                skeleton.name(id)
            );
            let way = if id.index() == 0 {
                Vec3::Z * gait::STRIDE
            } else {
                Vec3::ZERO
            };
            assert!(
                b.translation.abs_diff_eq(a.translation + way, 1e-5),
                "{}",
                skeleton.name(id)
            );
        }
    }

    #[test]
    fn the_wave_moves_the_right_arm_alone() {
        let skeleton = bones::skeleton();
        let arm = skeleton.joint("RightShoulder").unwrap();
        for channel in &wave(&skeleton).channels {
            let name = skeleton.name(channel.joint());
            assert!(skeleton.is_in_subtree(channel.joint(), arm), "{name}");
        }
    }
}
