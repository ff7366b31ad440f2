//! The performance as long as one looks at it, with weights that change.

use elea_anim::{Animux, JointId, LayerId, Loop, Pose, Scratch, Stage, local_to_model};
use glam::{Affine3A, Quat, Vec3};

use super::{Moment, Place, Scene, ball_path, place_of};

/// Camera and ball follow the figure with this time constant (seconds).
const FOLLOW: f32 = 0.5;

/// How much of each part is played, 0 to 1, and how fast.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Weights {
    /// The walk, or the recorded motion.
    pub(crate) body: f32,
    /// The wave of the right arm.
    pub(crate) wave: f32,
    /// The left hand on the ball.
    pub(crate) reach: f32,
    /// 1 is the clips' own speed.
    pub(crate) speed: f32,
}

/// The scene in motion.
pub(crate) struct Live<'a> {
    scene: Scene<'a>,
    animux: Animux,
    body: LayerId,
    arm: LayerId,
    scratch: Scratch,
    pose: Pose,
    reached: Pose,
    model: Vec<Affine3A>,
    hips: JointId,
    chest: JointId,
    /// The joints that the hand's reach turns.
    chain: Vec<JointId>,
    way: Vec3,
    time: f32,
    /// Steadied, without the way.
    place: Option<Place>,
}

impl<'a> Scene<'a> {
    /// Plays it without an end.
    pub(crate) fn live(mut self) -> Live<'a> {
        let skeleton = &self.figure.skeleton;
        let id = |name: &str| skeleton.joint(name).expect("a joint of the figure");
        let (animux, [body, arm]) = self.animux(Loop::Repeat);
        self.reach.reset();
        Live {
            animux,
            body,
            arm,
            scratch: Scratch::new(),
            pose: skeleton.rest_pose().clone(),
            reached: skeleton.rest_pose().clone(),
            model: vec![Affine3A::IDENTITY; skeleton.len()],
            hips: id("Hips"),
            chest: id("Spine2"),
            chain: ["LeftShoulder", "LeftArm", "LeftForeArm", "LeftHand"]
                .map(id)
                .to_vec(),
            way: Vec3::ZERO,
            time: 0.0,
            place: None,
            scene: self,
        }
    }
}

impl<'a> Live<'a> {
    /// The scene that is played: what makes a picture of a moment.
    pub(crate) const fn scene(&self) -> &Scene<'a> {
        &self.scene
    }

    /// The moment `seconds` later; 0 shows the same one with other weights.
    pub(crate) fn step(&mut self, seconds: f32, weights: Weights) -> Moment {
        let skeleton = &self.scene.figure.skeleton;
        self.animux.layer_mut(self.body).weight = weights.body;
        self.animux.layer_mut(self.arm).weight = weights.wave;
        let seconds = seconds * weights.speed;
        // A figure that does not walk does not move on either.
        self.way += self.animux.advance(seconds, |_| ()).translation * weights.body;
        self.time += seconds;
        let _ = self.animux.evaluate(skeleton, &mut self.scratch, &mut self.pose);
        local_to_model(skeleton, &self.pose, &mut self.model);

        // Its way is followed at once; what sways about it, slowly.
        let now = place_of(
            self.pose.get(self.hips),
            self.model[self.chest.index()],
            Vec3::ZERO,
        );
        let place = self.place.map_or(now, |before| {
            let share = 1.0 - (-seconds / FOLLOW).exp();
            let turn = Quat::from_rotation_y(before.heading).slerp(Quat::from_rotation_y(now.heading), share);
            let ahead = turn * Vec3::Z;
            Place {
                point: before.point.lerp(now.point, share),
                chest: before.chest.lerp(now.chest, share),
                heading: ahead.x.atan2(ahead.z),
            }
        });
        self.place = Some(place);

        let point = place.point + self.way * Vec3::new(1.0, 0.0, 1.0);
        let ball = place.chest + self.way + Quat::from_rotation_y(place.heading) * ball_path(self.time);
        let reach = &mut self.scene.reach;
        reach.target = ball - self.way;
        reach.heading = place.heading;
        let stage = Stage {
            after: None,
            modifier: reach,
        };
        let _ = self
            .animux
            .evaluate_with(skeleton, &mut self.scratch, &mut self.reached, &mut [stage]);
        let mut whole = self.pose.clone();
        for &joint in &self.chain {
            let (own, reached) = (self.pose.get(joint).rotation, self.reached.get(joint).rotation);
            whole.set_rotation(joint, own.slerp(reached, weights.reach));
        }
        whole.set_translation(self.hips, whole.get(self.hips).translation + self.way);
        local_to_model(skeleton, &whole, &mut self.model);
        Moment {
            pose: whole,
            model: self.model.clone(),
            ball,
            place: point,
            heading: place.heading,
            miss: self.scene.reach.miss,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Figure, bones};

    const ALL: Weights = Weights {
        body: 1.0,
        wave: 1.0,
        reach: 1.0,
        speed: 1.0,
    };

    #[test]
    fn weights_of_zero_stop_what_they_weigh() {
        let figure = Figure::new(bones::skeleton());
        let id = |name: &str| figure.skeleton.joint(name).unwrap();
        let mut live = Scene::new(&figure, None).live();
        let first = live.step(0.0, ALL);
        let again = live.step(0.0, ALL);
        assert_eq!(
            first.pose.get(id("RightArm")),
            again.pose.get(id("RightArm")),
            "no time, no motion"
        );
        let (mut walked, mut stood) = (first.clone(), first.clone());
        for _ in 0..25 {
            walked = live.step(0.04, ALL);
        }
        assert!(
            walked.place.distance(first.place) > 0.3,
            "it walks: {}",
            walked.place
        );
        let still = Weights {
            body: 0.0,
            wave: 0.0,
            reach: 0.0,
            speed: 1.0,
        };
        for _ in 0..100 {
            stood = live.step(0.04, still);
        }
        let rest = figure.skeleton.rest_pose();
        for joint in figure.skeleton.joints().filter(|&joint| joint != id("Hips")) {
            let turn = stood
                .pose
                .get(joint)
                .rotation
                .angle_between(rest.get(joint).rotation);
            assert!(turn < 1e-3, "{} is turned by {turn}", figure.skeleton.name(joint));
        }
    }
}
