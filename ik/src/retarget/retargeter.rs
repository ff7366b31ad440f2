//! Frame by frame.

use std::sync::Arc;

use elea_anim::{Animation, Channel, Interpolation, JointId, Pose, Values};
use glam::{Quat, Vec3};

use super::{
    body,
    error::RetargetError,
    foot_lock::{self, Frames},
    kinematics::ModelPose,
    limb::{MIN_BONE, arc, two_bone},
    options::Options,
    plan::{Limb, Plan, body_goals},
    rig::Rig,
};

/// Gaps between keys longer than this are sampled in between (seconds): a retargeted pose is no linear function of
/// the source's, and 30 frames a second is the slowest rate at which motion is recorded.
const MAX_GAP: f32 = 1.0 / 30.0;

/// A gap longer than [`MAX_GAP`] by this part of it is none: key times are rounded.
const GAP_ROUNDING: f32 = 1e-3;

/// Animations of more frames than this (nine hours) get no keys between the source's: a file of a few keys far apart
/// must not fill the memory.
const MOST_FRAMES: f32 = 1e6;

/// Plays the motions of one rig on another.
///
/// Built once for a pair of rigs, it holds all memory that a frame needs: [`retarget_pose`](Self::retarget_pose)
/// allocates nothing. A clone works on another thread.
#[derive(Clone, Debug)]
pub struct Retargeter {
    source: Rig,
    target: Rig,
    options: Options,
    plan: Plan,
    scratch: Scratch,
}

/// One frame's work.
#[derive(Clone, Debug)]
struct Scratch {
    source: ModelPose,
    turns: Vec<Quat>,
    /// Model rotations of the driven joints.
    driven: Vec<Quat>,
    /// Model rotations of all target joints.
    model: Vec<Quat>,
}

impl Retargeter {
    /// Compares the two rigs.
    ///
    /// # Errors
    /// [`RetargetError`]: a part of [`Part::REQUIRED`](super::Part::REQUIRED) is missing, a mapped joint does not
    /// exist or hangs in the wrong place, a figure has no size, an option is out of range. To tell which of the two
    /// rigs is meant, ask [`Rig::check`].
    pub fn new(source: Rig, target: Rig, options: Options) -> Result<Self, RetargetError> {
        let plan = Plan::new(&source, &target, &options)?;
        let mut model = ModelPose::new(target.skeleton.len());
        model.update(&target.skeleton, &target.pose);
        let scratch = Scratch {
            source: ModelPose::new(source.skeleton.len()),
            turns: vec![Quat::IDENTITY; plan.drivers.len()],
            driven: vec![Quat::IDENTITY; plan.driven.len()],
            model: model.rotations,
        };
        Ok(Self {
            source,
            target,
            options,
            plan,
            scratch,
        })
    }

    /// The rig that moves.
    #[must_use]
    pub const fn source(&self) -> &Rig {
        &self.source
    }

    /// The rig that follows.
    #[must_use]
    pub const fn target(&self) -> &Rig {
        &self.target
    }

    /// The options it was built with.
    #[must_use]
    pub const fn options(&self) -> &Options {
        &self.options
    }

    pub(super) const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Target length per source length.
    #[must_use]
    pub const fn scale(&self) -> f32 {
        self.plan.scale
    }

    /// Puts the target into the source's pose.
    ///
    /// * `source`: local space, of the source's skeleton.
    /// * `target`: out, local space; joints that follow no one get their retarget pose.
    ///
    /// Each call stands alone: the answer does not depend on earlier calls. Feet are not locked here. A source pose
    /// that is not finite, or has a rotation of length zero, leaves the target in its retarget pose.
    ///
    /// # Panics
    /// If a pose has another number of joints than its skeleton.
    pub fn retarget_pose(&mut self, source: &Pose, target: &mut Pose) {
        assert_eq!(
            source.len(),
            self.source.skeleton.len(),
            "pose of another source skeleton"
        );
        assert_eq!(
            target.len(),
            self.target.skeleton.len(),
            "pose of another target skeleton"
        );
        self.solve(source);
        let hips = self.hips();
        self.write(hips, target);
    }

    /// Plays a whole animation of the source on the target.
    ///
    /// Keys stand at the source's key times (and between them where these are more than 1/30 s apart, unless the
    /// animation is longer than nine hours), every target joint that moves has a rotation channel, the root a
    /// translation channel. An animation without channels gives
    /// one frame: the rest pose retargeted.
    ///
    /// # Panics
    /// If a channel's joint is not in the source's skeleton.
    #[must_use]
    pub fn retarget_animation(&mut self, animation: &Animation) -> Animation {
        self.retarget_animation_with(animation, |_, _| {})
    }

    /// As [`retarget_animation`](Self::retarget_animation), and says after each frame how far it is:
    /// `progress(done, total)`, in frames.
    ///
    /// # Panics
    /// As [`retarget_animation`](Self::retarget_animation).
    #[must_use]
    pub fn retarget_animation_with(
        &mut self,
        animation: &Animation,
        mut progress: impl FnMut(usize, usize),
    ) -> Animation {
        let times = key_times(animation);
        let mut pose = self.source.skeleton.rest_pose().clone();
        let joints: Vec<JointId> = self.plan.driven.iter().map(|driven| driven.joint).collect();
        let mut driven: Vec<Quat> = Vec::with_capacity(times.len() * joints.len());
        let mut hips: Vec<Vec3> = Vec::with_capacity(times.len());
        let mut feet: [Vec<[Vec3; 2]>; 2] = [Vec::new(), Vec::new()];
        for (frame, &time) in times.iter().enumerate() {
            animation.sample(&self.source.skeleton, time, &mut pose);
            self.solve(&pose);
            driven.extend_from_slice(&self.scratch.driven);
            hips.push(self.hips());
            if self.options.foot_lock {
                for (points, limb) in feet
                    .iter_mut()
                    .zip(self.plan.limbs.iter().filter(|limb| limb.is_leg))
                {
                    points.push(self.source_foot(limb));
                }
            }
            progress(frame + 1, times.len());
        }
        if self.options.foot_lock {
            let mut frames = Frames {
                times: &times,
                driven: &mut driven,
                hips: &mut hips,
                source: &feet,
            };
            foot_lock::lock(&self.plan, &mut frames);
        }
        let mut out = self.target.pose.clone();
        let mut rotations: Vec<Vec<Quat>> = vec![Vec::with_capacity(times.len()); joints.len()];
        let mut positions: Vec<Vec3> = Vec::with_capacity(times.len());
        for (model, &hips) in driven.chunks_exact(joints.len()).zip(&hips) {
            self.scratch.driven.copy_from_slice(model);
            self.write(hips, &mut out);
            for (&joint, track) in joints.iter().zip(&mut rotations) {
                track.push(out.get(joint).rotation);
            }
            positions.push(out.get(self.plan.root).translation);
        }
        let mut channels = self.constant_channels(times[0]);
        channels.push(self.channel(self.plan.root, &times, Values::Translation(positions)));
        for (joint, track) in joints.into_iter().zip(rotations) {
            channels.push(self.channel(joint, &times, Values::Rotation(track)));
        }
        Animation::new(animation.name.clone(), channels)
    }

    #[expect(clippy::unused_self, reason = "reads as a part of the retargeter")]
    fn channel(&self, joint: JointId, times: &Arc<[f32]>, values: Values) -> Channel {
        let channel = Channel::new(joint, Interpolation::Linear, Arc::clone(times), values);
        channel.expect("times come from channels, and values that no channel takes were refused or replaced")
    }

    /// Joints whose retarget pose is not their rest pose keep the former.
    fn constant_channels(&self, time: f32) -> Vec<Channel> {
        let times: Arc<[f32]> = Arc::from([time]);
        let rest = self.target.skeleton.rest_pose();
        let mut channels = Vec::new();
        for joint in self.target.skeleton.joints() {
            let (pose, rest) = (self.target.pose.get(joint), rest.get(joint));
            if pose.translation != rest.translation && joint != self.plan.root {
                channels.push(self.channel(joint, &times, Values::Translation(vec![pose.translation])));
            }
            if pose.scale != rest.scale {
                channels.push(self.channel(joint, &times, Values::Scale(vec![pose.scale])));
            }
            let driven = self.plan.driven.iter().any(|driven| driven.joint == joint);
            if pose.rotation != rest.rotation && !driven {
                channels.push(self.channel(joint, &times, Values::Rotation(vec![pose.rotation])));
            }
        }
        channels
    }

    /// Model rotations of all driven joints for this source pose.
    fn solve(&mut self, source: &Pose) {
        let (plan, scratch, options) = (&self.plan, &mut self.scratch, &self.options);
        scratch.source.update(&self.source.skeleton, source);
        for (turn, driver) in scratch.turns.iter_mut().zip(&plan.drivers) {
            *turn = plan.world * scratch.source.rotation(driver.joint) * driver.after;
        }
        for (rotation, driven) in scratch.driven.iter_mut().zip(&plan.driven) {
            let from = scratch.turns[driven.from];
            let turn = if driven.blend > 0.0 {
                from.slerp(scratch.turns[driven.to], driven.blend)
            } else {
                from
            };
            *rotation = turn * driven.aligned;
        }
        let goals = body_goals(plan.world, &scratch.source, plan.source_thighs, plan.source_arms);
        let mut hold = options.t_scale;
        for _ in 0..options.runs.max(1) {
            let left = body::solve(
                &plan.body,
                &mut scratch.driven,
                goals,
                options.iterations,
                options.e_max,
                hold,
            );
            if left <= options.e_max {
                break;
            }
            hold *= 0.1;
        }
        if let Some(neck) = &plan.neck {
            let [start, end] = neck.source.map(|joint| scratch.source.position(joint));
            let sum: Vec3 = neck
                .bones
                .iter()
                .map(|&(place, bone)| scratch.driven[place] * bone)
                .sum();
            let turn = arc(sum, plan.world * (end - start));
            for &(place, _) in &neck.bones {
                scratch.driven[place] = turn * scratch.driven[place];
            }
        }
        let blend = options.limbs.end_point();
        for limb in &plan.limbs {
            let points = limb
                .source
                .map(|joint| plan.world * scratch.source.position(joint));
            let bones = [points[1] - points[0], points[2] - points[1]];
            let length = bones[0].length() + bones[1].length();
            for (half, bone) in bones.into_iter().enumerate() {
                if bone.length() > MIN_BONE * length {
                    turn_onto(limb, &mut scratch.driven, half, bone);
                }
            }
            if blend > 0.0 {
                let reach = (points[2] - points[0]) * limb.ratio;
                let now = limb_reach(limb, &scratch.driven);
                bend_to(limb, &mut scratch.driven, now.lerp(reach, blend));
            }
        }
    }

    /// Where the middle of the hips goes, in the target's model space.
    fn hips(&self) -> Vec3 {
        let plan = &self.plan;
        let [left, right] = plan
            .source_thighs
            .map(|joint| self.scratch.source.position(joint));
        plan.world * ((left + right) * 0.5) * plan.scale + plan.lift
    }

    /// Ankle and sole point of a leg of the source, in the target's world and unit.
    fn source_foot(&self, limb: &Limb) -> [Vec3; 2] {
        let (plan, source) = (&self.plan, &self.scratch.source);
        let ankle = source.position(limb.source[2]);
        let sole = ankle + source.rotation(limb.source[2]) * limb.source_sole;
        [ankle, sole].map(|point| plan.world * point * plan.scale)
    }

    /// From model rotations to the target's local pose.
    fn write(&mut self, hips: Vec3, target: &mut Pose) {
        let (plan, scratch) = (&self.plan, &mut self.scratch);
        let skeleton = &self.target.skeleton;
        target.copy_from(&self.target.pose);
        let root = scratch.driven[plan.root_driven];
        let position = hips - root * plan.hip_middle;
        let is_rotation = |rotation: &Quat| rotation.is_finite() && rotation.length_squared() > 0.0;
        let position = plan.root_parent.transform_point3(position);
        // What a channel takes, too.
        let is_place = position.is_finite() && position.abs().max_element() <= Channel::MAX_VALUE;
        if !(is_place && scratch.driven.iter().all(is_rotation)) {
            return;
        }
        for &(joint, driven) in &plan.carriers {
            let parent = skeleton
                .parent(joint)
                .map_or(Quat::IDENTITY, |parent| scratch.model[parent.index()]);
            match driven {
                Some(driven) => {
                    let model = scratch.driven[driven];
                    scratch.model[joint.index()] = model;
                    target.set_rotation(joint, (parent.inverse() * model).normalize());
                }
                None => scratch.model[joint.index()] = parent * self.target.pose.get(joint).rotation,
            }
        }
        target.set_translation(plan.root, position);
    }
}

/// Turns one bone of a limb onto a direction.
fn turn_onto(limb: &Limb, driven: &mut [Quat], half: usize, direction: Vec3) {
    let rotation = &mut driven[limb.driven[half]];
    *rotation = (arc(*rotation * limb.bones[half], direction) * *rotation).normalize();
}

/// From the limb's start to its end.
pub(super) fn limb_reach(limb: &Limb, driven: &[Quat]) -> Vec3 {
    driven[limb.driven[0]] * limb.bones[0] + driven[limb.driven[1]] * limb.bones[1]
}

/// Bends a limb so that its end is at `reach` from its start.
pub(super) fn bend_to(limb: &Limb, driven: &mut [Quat], reach: Vec3) {
    let side = driven[limb.driven[0]] * limb.side;
    let upper = driven[limb.driven[0]] * limb.bones[0];
    let lengths = limb.bones.map(Vec3::length);
    let Some(upper) = upper.try_normalize().filter(|_| lengths[1] > 0.0) else {
        return;
    };
    let directions = two_bone(lengths, reach, upper, side);
    for (half, direction) in directions.into_iter().enumerate() {
        turn_onto(limb, driven, half, direction);
    }
}

/// All key times of an animation in order, with more between them where they are far apart; 0 without channels.
fn key_times(animation: &Animation) -> Arc<[f32]> {
    let mut keys: Vec<f32> = Vec::new();
    let mut last: Option<&Arc<[f32]>> = None;
    for channel in &animation.channels {
        // Channels of one clip usually share their times.
        if last.is_none_or(|last| !Arc::ptr_eq(last, channel.times()) && **last != **channel.times()) {
            keys.extend_from_slice(channel.times());
        }
        last = Some(channel.times());
    }
    keys.sort_by(f32::total_cmp);
    keys.dedup();
    let span = keys
        .last()
        .zip(keys.first())
        .map_or(0.0, |(last, first)| last - first);
    let fills = span / MAX_GAP < MOST_FRAMES;
    let mut times = Vec::with_capacity(keys.len());
    for &key in &keys {
        if let Some(&before) = times.last() {
            let gap: f32 = key - before;
            let parts = (gap / MAX_GAP - GAP_ROUNDING).ceil();
            if fills && parts > 1.0 {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    clippy::cast_precision_loss,
                    reason = "a whole number below MOST_FRAMES"
                )]
                times.extend((1..parts as u32).map(|part| before + gap * (part as f32 / parts)));
            }
        }
        times.push(key);
    }
    if times.is_empty() {
        times.push(0.0);
    }
    times.into()
}
