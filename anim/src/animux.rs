//! The animation multiplexer: many clips at once on one skeleton.

use std::sync::Arc;

use crate::{
    Blend, Channels, Clip, Event, Flags, Kernel, Layer, LayerId, Loop, Mask, Pose, RootMotion, RootTrack,
    Scratch, Skeleton, Stage, Transition,
    blend::{Source, Sources, add, stack},
    check, inertia,
    layer::{Lane, MAX_VOICES, WeightFade, fills_a_product},
    local_to_model,
    scratch::Playing,
    sync,
    voice::Voice,
};

/// Plays clips on layers, all at once, and mixes them into one pose.
///
/// The layers lie over each other, the rest pose below them all. A replacing layer takes its weight's share of
/// each joint (weight times mask), the topmost first, until all of the joint is taken: at weight 1 it hides what
/// is below, two layers of weight 0.5 meet half way, and what no layer takes shows the rest pose. An additive
/// layer adds its differences to what is below it.
///
/// Every frame: [`advance`](Self::advance), then [`evaluate`](Self::evaluate). Neither allocates once a
/// [`Scratch`] has been used. A clone is a snapshot of the whole state; `saved.clone_from(&animux)` saves into one
/// that is there already and `animux.clone_from(&saved)` restores, without allocating where both have as many
/// layers.
///
/// ```
/// use std::sync::Arc;
/// use elea_anim::{Animation, Animux, BakeOptions, Channel, Interpolation, Joint, JointId, Key, Layer, Pose,
///     Scratch, Skeleton, Transform, Transition, glam::Vec3};
/// let skeleton = Skeleton::new(vec![Joint { name: "root".into(), parent: None, rest: Transform::IDENTITY }])?;
/// let keys = [Key::new(0.0, Vec3::ZERO), Key::new(2.0, Vec3::X)];
/// let slide = Animation::new("slide", vec![Channel::translation(JointId(0), Interpolation::Linear, &keys)?]);
/// let clip = Arc::new(slide.bake(&skeleton, &BakeOptions::default())?.0);
///
/// let mut animux = Animux::new(&skeleton);
/// let body = animux.add_layer(Layer::default());
/// animux.play(body, clip, Transition::Cut);
/// let (mut scratch, mut pose) = (Scratch::new(), Pose::identity(skeleton.len()));
/// let _ = animux.advance(0.5, |event| println!("{}", event.name));
/// let flags = animux.evaluate(&skeleton, &mut scratch, &mut pose);
/// assert!(flags.is_empty());
/// assert_eq!(pose.get(JointId(0)).translation, Vec3::X * 0.25);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Animux {
    joints: usize,
    lanes: Vec<Lane>,
    kernel: Kernel,
    root: Option<RootTrack>,
    /// Raised by `advance`, given by the next `evaluate`.
    flags: Flags,
}

impl Clone for Animux {
    fn clone(&self) -> Self {
        Self {
            lanes: self.lanes.clone(),
            ..*self
        }
    }

    fn clone_from(&mut self, other: &Self) {
        let Self {
            joints,
            lanes,
            kernel,
            root,
            flags,
        } = self;
        lanes.clone_from(&other.lanes);
        (*joints, *kernel, *root, *flags) = (other.joints, other.kernel, other.root, other.flags);
    }
}

impl Animux {
    /// Without layers, for skeletons with as many joints as `skeleton`.
    #[must_use]
    pub fn new(skeleton: &Skeleton) -> Self {
        Self {
            joints: skeleton.len(),
            lanes: Vec::new(),
            kernel: Kernel::Deterministic,
            root: None,
            flags: Flags::NONE,
        }
    }

    /// Chooses the arithmetic; deterministic unless told otherwise.
    pub const fn set_kernel(&mut self, kernel: Kernel) {
        self.kernel = kernel;
    }

    /// Chooses what moves the character; `None`, as at first, leaves all motion in the pose.
    ///
    /// # Panics
    /// If the skeleton has no such joint, or the axis of the turn is zero or not finite.
    #[track_caller]
    pub fn set_root_motion(&mut self, track: Option<RootTrack>) {
        if let Some(track) = &track {
            check::joint(track.joint, "multiplexer", self.joints);
        }
        // In f64, where the square of no f32 over- or underflows.
        let unit = |axis: glam::Vec3| axis.as_dvec3().try_normalize().map(|axis| axis.as_vec3());
        let turn = track.and_then(|track| track.turn);
        let unit_turn = turn.and_then(unit);
        if let (Some(axis), None) = (turn, unit_turn) {
            panic!("the turn's axis {axis} has no direction: it must be finite and longer than zero");
        }
        self.root = track.map(|track| RootTrack {
            turn: unit_turn,
            ..track
        });
    }

    /// Puts a layer above all others.
    ///
    /// # Panics
    /// If its mask is of another number of joints, or there are 65,535 layers.
    #[track_caller]
    pub fn add_layer(&mut self, layer: Layer) -> LayerId {
        check_mask(layer.mask.as_ref(), self.joints);
        let id = self.lanes.len();
        assert!(
            id < usize::from(u16::MAX),
            "there are {id} layers already, the most"
        );
        #[expect(clippy::cast_possible_truncation, reason = "checked by the assertion above")]
        let id = id as u16;
        self.lanes.push(Lane::new(layer, self.joints));
        LayerId(id)
    }

    /// Number of layers.
    #[must_use]
    pub const fn layers(&self) -> usize {
        self.lanes.len()
    }

    /// A layer's settings.
    ///
    /// # Panics
    /// If there is no such layer; so do all functions below.
    #[must_use]
    #[track_caller]
    pub fn layer(&self, id: LayerId) -> &Layer {
        &self.lane(id).layer
    }

    /// A layer's settings, to change. A mask must be of the skeleton's number of joints:
    /// [`evaluate`](Self::evaluate) panics otherwise.
    #[track_caller]
    pub fn layer_mut(&mut self, id: LayerId) -> &mut Layer {
        &mut self.lane_mut(id).layer
    }

    /// Starts a clip on a layer: at its beginning, or its end where the layer plays backward; in a sync group,
    /// where the group is in its cycle.
    ///
    /// A clip of the wrong kind (see [`Clip::is_additive`]) plays without showing: [`Flags::WRONG_BLEND`].
    ///
    /// # Panics
    /// If the clip is of another number of joints.
    #[track_caller]
    pub fn play(&mut self, id: LayerId, clip: impl Into<Arc<Clip>>, transition: Transition) {
        let clip = clip.into();
        check::same_joints("clip", clip.joints(), "multiplexer", self.joints);
        let layer = &self.lane(id).layer;
        let repeats = layer.looping == Loop::Repeat;
        let joining = layer
            .sync
            .and_then(|group| sync::joining(&self.lanes, group, &clip, repeats));
        let voice = self.lanes[id.index()].play(clip, transition);
        if let Some(position) = joining {
            voice.seek(position);
        }
    }

    /// Stops all clips of a layer; it shows nothing then.
    #[track_caller]
    pub fn stop(&mut self, id: LayerId) {
        let lane = self.lane_mut(id);
        lane.voices.clear();
        lane.inertia.clear();
    }

    /// Changes a layer's weight evenly over that many seconds (0 and less: at once).
    #[track_caller]
    pub fn fade_weight(&mut self, id: LayerId, to: f32, seconds: f32) {
        let lane = self.lane_mut(id);
        if seconds > 0.0 {
            lane.fade = Some(WeightFade {
                from: lane.layer.weight,
                to,
                age: 0.0,
                seconds,
            });
        } else {
            lane.fade = None;
            lane.layer.weight = to;
        }
    }

    /// The newest clip of a layer and its time on the clip's own axis.
    #[must_use]
    #[track_caller]
    pub fn playing(&self, id: LayerId) -> Option<(&Arc<Clip>, f32)> {
        self.lane(id)
            .voices
            .last()
            .map(|voice| (&voice.clip, voice.time()))
    }

    /// Whether the newest clip of a layer has come to its end ([`Loop::Once`]), or there is
    /// none.
    #[must_use]
    #[track_caller]
    pub fn is_finished(&self, id: LayerId) -> bool {
        self.lane(id).voices.last().is_none_or(Voice::is_finished)
    }

    /// Puts the newest clip of a layer at a time on the clip's own axis (clamped; no event is reported).
    #[track_caller]
    pub fn seek(&mut self, id: LayerId, time: f32) {
        if let Some(voice) = self.lane_mut(id).voices.last_mut()
            && !time.is_nan()
        {
            voice.seek(f64::from(time) - f64::from(voice.clip.start()));
        }
    }

    /// Moves all clips by `dt` seconds (below 0: backward; not finite: not at all, [`Flags::BAD_TIME`]), reports
    /// the events that are passed, and gives the motion of the character.
    ///
    /// A stretch of time holds its beginning and not its end, so that events fall into exactly one, whatever
    /// `dt`, direction and loops are; only the last instant of a clip belongs to the stretch that reaches it.
    /// Where the direction changes, that instant is the beginning of the way back. Fades are looked up at each
    /// event's own instant. Layers report one after the other, in their order, each clip after clip (the one that
    /// fades out first), each in order of its time. Of a step over more than 1,000 loops the loops in excess are
    /// left out.
    ///
    /// The motion is that of the replacing layers, shared out as the pose is, with the weights of the middle of
    /// the step; what no layer takes stands still.
    pub fn advance(&mut self, dt: f32, mut on_event: impl FnMut(Event)) -> RootMotion {
        if !dt.is_finite() {
            self.flags |= Flags::BAD_TIME;
            return RootMotion::NONE;
        }
        // All steps first: in a sync group they depend on one another.
        for index in 0..self.lanes.len() {
            self.lanes[index].steps = sync::steps(&self.lanes, index, f64::from(dt));
        }
        let mut motion = MotionSum::new();
        let seconds = dt.abs();
        for index in 0..self.lanes.len() {
            let joint_share = self.joint_share(index, seconds / 2.0);
            let (root, lane) = (self.root, &mut self.lanes[index]);
            let fades = lane.fades();
            lane.age(seconds);
            for (place, voice) in lane.voices.iter_mut().enumerate() {
                let shown = |after: f32| fades.weight(after) * fades.share(place, after);
                let step = lane.steps[place];
                let mut moved = RootMotion::NONE;
                voice.advance(step, |voice, stretch| {
                    voice.events(stretch, |event, passed| {
                        #[expect(clippy::cast_possible_truncation, reason = "0..=seconds")]
                        let after = seconds * (passed / step.abs()).min(1.0) as f32;
                        let weight = shown(after);
                        let threshold = lane.layer.event_weight;
                        if weight > threshold || (weight == threshold && shown(seconds) > threshold) {
                            on_event(Event {
                                layer: LayerId(u16::try_from(index).unwrap_or(u16::MAX)),
                                name: Arc::clone(&event.name),
                                time: event.time,
                                weight,
                            });
                        }
                    });
                    if let Some(track) = root {
                        let at = |position| voice.clip.joint(voice.time_at(position), track.joint);
                        moved = moved.then(track.between(at(stretch.from), at(stretch.to)));
                    }
                });
                if lane.layer.blend == Blend::Replace && !voice.clip.is_additive() {
                    motion.add(moved, joint_share * fades.share(place, seconds / 2.0));
                }
            }
            lane.drop_hidden();
        }
        motion.finish()
    }

    /// Fills `pose` with what the layers show together, in local space.
    ///
    /// # Panics
    /// If `skeleton` or `pose` has another number of joints than the multiplexer, or a layer's mask has.
    #[track_caller]
    pub fn evaluate(&mut self, skeleton: &Skeleton, scratch: &mut Scratch, pose: &mut Pose) -> Flags {
        self.evaluate_with(skeleton, scratch, pose, &mut [])
    }

    /// As [`evaluate`](Self::evaluate), with modifiers between the layers or after them.
    ///
    /// # Panics
    /// As [`evaluate`](Self::evaluate).
    ///
    /// ```
    /// # use elea_anim::{Animux, Joint, JointId, Layer, Pose, Scratch, Skeleton, Stage, Transform, glam::{Affine3A, Quat}};
    /// # let skeleton = Skeleton::new(vec![Joint { name: "head".into(), parent: None, rest: Transform::IDENTITY }])?;
    /// # let mut animux = Animux::new(&skeleton);
    /// # let (mut scratch, mut pose) = (Scratch::new(), Pose::identity(1));
    /// let turned = Quat::from_rotation_y(0.5);
    /// let mut look = |_: &Skeleton, pose: &mut Pose, _: &mut [Affine3A]| pose.set_rotation(JointId(0), turned);
    /// let stages = &mut [Stage { after: None, modifier: &mut look }];
    /// let _ = animux.evaluate_with(&skeleton, &mut scratch, &mut pose, stages);
    /// assert_eq!(pose.get(JointId(0)).rotation, turned);
    /// # Ok::<(), elea_anim::SkeletonError>(())
    /// ```
    #[track_caller]
    pub fn evaluate_with(
        &mut self,
        skeleton: &Skeleton,
        scratch: &mut Scratch,
        pose: &mut Pose,
        stages: &mut [Stage<'_>],
    ) -> Flags {
        check::same_joints("skeleton", skeleton.len(), "multiplexer", self.joints);
        check::same_joints("pose", pose.len(), "multiplexer", self.joints);
        let mut flags = std::mem::take(&mut self.flags);
        scratch.prepare(self.joints, self.lanes.len());
        pose.copy_from(skeleton.rest_pose());
        if self.lanes.is_empty() {
            flags |= Flags::REST;
        }
        let mut run_start = 0;
        for index in 0..self.lanes.len() {
            flags |= self.sample_lane(index, scratch);
            let id = LayerId(u16::try_from(index).unwrap_or(u16::MAX));
            let has_stage = stages.iter().any(|stage| stage.after == Some(id));
            let blend = self.lanes[index].layer.blend;
            let next = self.lanes.get(index + 1).map(|lane| lane.layer.blend);
            let parts = scratch.voices.iter().map(|voice| voice.weight * voice.share);
            let is_full = blend == Blend::Additive && fills_a_product(parts);
            if next != Some(blend) || has_stage || is_full {
                flags |= self.mix(blend, run_start == 0, scratch, pose);
                run_start = index + 1;
                scratch.voices.clear();
            }
            if has_stage {
                run(skeleton, scratch, pose, stages, Some(id));
            }
        }
        run(skeleton, scratch, pose, stages, None);
        flags
    }

    /// Samples a layer's voices behind those that wait in `scratch`.
    #[track_caller]
    fn sample_lane(&mut self, index: usize, scratch: &mut Scratch) -> Flags {
        let (kernel, root) = (self.kernel, self.root);
        let mut rates = [0.0; MAX_VOICES];
        if self.lanes[index].inertia.is_requested() {
            // Over a time so short that all rates are even.
            let seconds = f64::from(inertia::VELOCITY_STEP);
            rates = sync::steps(&self.lanes, index, seconds).map(|step| step / seconds);
        }
        let lane = &mut self.lanes[index];
        let taken = root.filter(|_| lane.layer.blend == Blend::Replace);
        check_mask(lane.layer.mask.as_ref(), self.joints);
        if lane
            .inertia
            .capture(kernel, &lane.voices, &rates, taken, &mut scratch.work)
        {
            lane.drop_hidden();
        }
        let (weight, mut flags) = lane.weight();
        if !lane.layer.speed.is_finite() {
            flags |= Flags::BAD_TIME;
        }
        let mut shares = [0.0; MAX_VOICES];
        for (voice, share) in lane.shares() {
            shares[voice] = share;
        }
        let before = scratch.voices.len();
        for (voice, share) in lane.voices.iter().zip(shares) {
            if voice.clip.is_additive() != (lane.layer.blend == Blend::Additive) {
                flags |= Flags::WRONG_BLEND;
                continue;
            }
            if weight == 0.0 || share == 0.0 {
                continue;
            }
            let pose = &mut scratch.poses[scratch.voices.len()];
            flags |= voice.clip.sample_with(kernel, voice.time(), pose);
            if let Some(track) = taken {
                pose.set(track.joint, track.rest_of(pose.get(track.joint)));
            }
            lane.inertia.apply(pose);
            scratch.voices.push(Playing {
                layer: index,
                weight,
                share,
                ends_layer: false,
            });
        }
        if scratch.voices.len() > before {
            let last = scratch.voices.len() - 1;
            scratch.voices[last].ends_layer = true;
        }
        flags
    }

    /// Puts the sampled voices onto `pose`.
    fn mix(&self, blend: Blend, is_lowest: bool, scratch: &Scratch, pose: &mut Pose) -> Flags {
        let sources = Sampled {
            poses: &scratch.poses,
            voices: &scratch.voices,
            lanes: &self.lanes,
        };
        match blend {
            Blend::Additive => {
                add(self.kernel, &sources, pose);
                if is_lowest { Flags::REST } else { Flags::NONE }
            }
            Blend::Replace => {
                let flags = stack(self.kernel, &sources, pose);
                if is_lowest {
                    flags
                } else {
                    flags.without(Flags::REST)
                }
            }
        }
    }

    #[track_caller]
    fn lane(&self, id: LayerId) -> &Lane {
        check_layer(id, self.lanes.len());
        &self.lanes[id.index()]
    }

    #[track_caller]
    fn lane_mut(&mut self, id: LayerId) -> &mut Lane {
        check_layer(id, self.lanes.len());
        &mut self.lanes[id.index()]
    }

    /// The share of the root joint that a replacing layer has, that many seconds from now.
    fn joint_share(&self, index: usize, seconds: f32) -> f32 {
        let Some(track) = self.root else { return 0.0 };
        let share_of = |lane: &Lane| {
            let mask = lane.layer.mask.as_ref().map_or(1.0, |mask| mask.get(track.joint));
            let shows = |voice: &Voice| !voice.clip.is_additive();
            if lane.layer.blend == Blend::Replace && lane.voices.iter().any(shows) {
                lane.fades().weight(seconds) * mask
            } else {
                0.0
            }
        };
        let above: f32 = self.lanes[index + 1..].iter().map(share_of).sum();
        share_of(&self.lanes[index]).min((1.0 - above).max(0.0))
    }
}

#[track_caller]
fn check_layer(id: LayerId, layers: usize) {
    let index = id.index();
    assert!(
        index < layers,
        "layer {index} of a multiplexer of {layers} layers"
    );
}

#[track_caller]
fn check_mask(mask: Option<&Mask>, joints: usize) {
    if let Some(mask) = mask {
        check::same_joints("mask of a layer", mask.len(), "multiplexer", joints);
    }
}

/// Runs the modifiers of one place.
fn run(
    skeleton: &Skeleton,
    scratch: &mut Scratch,
    pose: &mut Pose,
    stages: &mut [Stage<'_>],
    after: Option<LayerId>,
) {
    for stage in stages.iter_mut().filter(|stage| stage.after == after) {
        local_to_model(skeleton, pose, &mut scratch.model);
        stage.modifier.modify(skeleton, pose, &mut scratch.model);
    }
}

/// Motions averaged by their weights; what is missing to one stands still.
struct MotionSum {
    translation: glam::Vec3,
    rotation: glam::Quat,
    total: f32,
}

impl MotionSum {
    const fn new() -> Self {
        Self {
            translation: glam::Vec3::ZERO,
            rotation: glam::Quat::from_xyzw(0.0, 0.0, 0.0, 0.0),
            total: 0.0,
        }
    }

    fn add(&mut self, motion: RootMotion, weight: f32) {
        let rotation = if motion.rotation.w < 0.0 {
            -motion.rotation
        } else {
            motion.rotation
        };
        self.translation += motion.translation * weight;
        self.rotation += rotation * weight;
        self.total += weight;
    }

    fn finish(self) -> RootMotion {
        let rotation = self.rotation + glam::Quat::IDENTITY * (1.0 - self.total).max(0.0);
        RootMotion {
            translation: self.translation,
            rotation: crate::skeleton::unit_quat(rotation).unwrap_or(glam::Quat::IDENTITY),
        }
    }
}

/// The voices that wait in a scratch.
struct Sampled<'a> {
    poses: &'a [Pose],
    voices: &'a [Playing],
    lanes: &'a [Lane],
}

impl Sources for Sampled<'_> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.voices.len()
    }

    #[inline(always)]
    fn source(&self, index: usize) -> Source<'_> {
        let playing = self.voices[index];
        let mask = self.lanes[playing.layer].layer.mask.as_ref();
        Source {
            blocks: self.poses[index].blocks(),
            weight: playing.weight,
            mask: mask.map(Mask::lanes),
            share: playing.share,
            ends_layer: playing.ends_layer,
            channels: mask.map_or(Channels::ALL, Mask::channels),
        }
    }
}
