//! What two rigs have in common, worked out once: which target joint follows which source joint, from which aligned
//! rotation, and the bone vectors of body and limbs.

use elea_anim::JointId;
use glam::{Affine3A, Quat, Vec3};

use super::{
    body::BodyJoint,
    error::RetargetError,
    hand,
    head::{Between, between},
    humanoid::{Finger, Part, Phalanx, Side},
    kinematics::ModelPose,
    limb::{MIN_BONE, arc},
    options::{Options, Scale},
    posed::Posed,
    rig::Rig,
};

/// How easily hips and collar bones turn, spine joints being 1: the pelvis carries the legs and is known well, a collar
/// bone has a small range.
const ROOT_COMPLIANCE: f32 = 0.1;
const CLAVICLE_COMPLIANCE: f32 = 0.25;

/// From the ankles over the hips to the shoulders, in statures: ankles at 0.039 and shoulders at 0.818 of it (Winter,
/// Biomechanics and Motor Control of Human Movement, 2009, figure 4.1), 0.78 apart, less 0.06 as the joints of rigs stand
/// closer than the landmarks on the skin. The report of the benches measures statures with the same number.
const ANKLE_TO_SHOULDER: f32 = 0.72;

/// A source joint whose turn since the retarget pose is passed on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Driver {
    pub(super) joint: JointId,
    /// Inverse of its rotation in the retarget pose, then into the source's world.
    pub(super) after: Quat,
}

/// A target joint that is turned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Driven {
    pub(super) joint: JointId,
    /// Places in the list of drivers.
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) blend: f32,
    /// Its model rotation when the target stands as the source does in its retarget pose.
    pub(super) aligned: Quat,
}

/// An arm or a leg.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limb {
    /// The source's joints: start, middle, end.
    pub(super) source: [JointId; 3],
    /// Places in the list of driven joints: start, middle, end.
    pub(super) driven: [usize; 3],
    /// Bone vectors in the frames of start and middle.
    pub(super) bones: [Vec3; 2],
    /// Target length over source length.
    pub(super) ratio: f32,
    pub(super) is_leg: bool,
    /// Where the middle joint of the straight limb goes when it bends, in the frame of the upper bone: knees forward,
    /// elbows backward.
    pub(super) side: Vec3,
    /// From the foot's joint to the point that stands on the ground (the toe joint), in the foot's frame: of the target
    /// and of the source.
    pub(super) sole: Vec3,
    pub(super) source_sole: Vec3,
    /// From the root's joint to the limb's start in the root's frame; legs only.
    pub(super) hip: Vec3,
}

/// The neck's bones as one direction.
#[derive(Clone, Debug)]
pub(super) struct Neck {
    pub(super) source: [JointId; 2],
    /// Driven joints and their bone vectors.
    pub(super) bones: Vec<(usize, Vec3)>,
}

/// Everything that stays the same from frame to frame.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// From the source's world to the target's: axes onto axes.
    pub(super) world: Quat,
    pub(super) drivers: Vec<Driver>,
    pub(super) driven: Vec<Driven>,
    pub(super) body: Vec<BodyJoint>,
    pub(super) limbs: Vec<Limb>,
    pub(super) neck: Option<Neck>,
    pub(super) source_thighs: [JointId; 2],
    pub(super) source_arms: [JointId; 2],
    pub(super) target_thighs: [JointId; 2],
    pub(super) target_arms: [JointId; 2],
    /// The target joint that carries everything, and its place among the driven joints.
    pub(super) root: JointId,
    pub(super) root_driven: usize,
    /// From model space into the space of the root's parent.
    pub(super) root_parent: Affine3A,
    /// The middle of the hips in the root's frame.
    pub(super) hip_middle: Vec3,
    /// Length of the target over length of the source.
    pub(super) scale: f32,
    /// Added along the target's up axis, in its units.
    pub(super) lift: Vec3,
    pub(super) up: Vec3,
    /// The source's stature, in the target's unit, from [`ANKLE_TO_SHOULDER`].
    pub(super) stature: f32,
    /// Joints from the root on that carry a driven joint, parents first, and their place among the driven if they are.
    pub(super) carriers: Vec<(JointId, Option<usize>)>,
}

struct Builder<'a> {
    source: Posed<'a>,
    target: Posed<'a>,
    world: Quat,
    /// Turns the target's hips in its retarget pose onto the source's.
    turn: Quat,
    /// Turns the target's chest, as shoulder line and trunk show it, onto the source's.
    chest_turn: Quat,
    drivers: Vec<Driver>,
    driven: Vec<Driven>,
}

impl Builder<'_> {
    fn driver(&mut self, joint: JointId) -> usize {
        if let Some(place) = self.drivers.iter().position(|driver| driver.joint == joint) {
            return place;
        }
        let after = (self.world * self.source.model.rotation(joint)).inverse();
        self.drivers.push(Driver { joint, after });
        self.drivers.len() - 1
    }

    /// Lets `target` follow `source`; its aligned rotation is the retarget pose's turned by `turn`.
    fn drive(&mut self, target: JointId, source: JointId, turn: Quat) -> usize {
        let driver = self.driver(source);
        self.drive_between(target, [driver, driver], 0.0, turn)
    }

    fn drive_between(&mut self, target: JointId, [from, to]: [usize; 2], blend: f32, turn: Quat) -> usize {
        if let Some(place) = self.place(target) {
            return place;
        }
        let aligned = (turn * self.target.model.rotation(target)).normalize();
        self.driven.push(Driven {
            joint: target,
            from,
            to,
            blend,
            aligned,
        });
        self.driven.len() - 1
    }

    fn place(&self, target: JointId) -> Option<usize> {
        self.driven.iter().position(|driven| driven.joint == target)
    }

    /// A direction of the source's retarget pose in the target's world.
    fn in_target_world(&self, direction: Vec3) -> Vec3 {
        self.world * direction
    }

    /// A chain of the target along a chain of the source. `turn` is each joint's turn onto the source's retarget pose.
    fn drive_chain(
        &mut self,
        target: &[JointId],
        base: JointId,
        source: &[JointId],
        turn: impl Fn(usize) -> Quat,
    ) {
        for (index, &joint) in target.iter().enumerate() {
            let Between { from, to, blend } = between(index, target.len(), source.len());
            let mut driver = |place: Option<usize>| self.driver(place.map_or(base, |place| source[place]));
            let pair = [driver(from), driver(to)];
            self.drive_between(joint, pair, blend, turn(index));
        }
    }

    /// The bone vector from one joint to another in the frame of a third, in the target's retarget pose.
    fn bone(&self, frame: JointId, vector: Vec3) -> Vec3 {
        self.target.model.rotation(frame).inverse() * vector
    }

    fn limb(&mut self, parts: [Part; 3], is_leg: bool) -> Option<Limb> {
        let (source, source_bones) = self.source.limb(parts)?;
        let (target, bones) = self.target.limb(parts)?;
        let length = |bones: [Vec3; 2]| bones[0].length() + bones[1].length();
        let mut driven = [0; 3];
        let mut turn = self.turn;
        for half in 0..2 {
            let wanted = self.in_target_world(source_bones[half]);
            let long = source_bones[half].length() > MIN_BONE * length(source_bones)
                && bones[half].length() > MIN_BONE * length(bones);
            turn = if long {
                arc(self.turn * bones[half], wanted) * self.turn
            } else {
                turn
            };
            driven[half] = self.drive(target[half], source[half], turn);
        }
        let side = parts[0].side()?;
        let end_turn = if is_leg {
            self.foot_turn(side)
        } else {
            self.hand_turn(side).unwrap_or(turn)
        };
        driven[2] = self.drive(target[2], source[2], end_turn);
        let forward = if is_leg { Vec3::Z } else { Vec3::NEG_Z };
        let (mut sole, mut source_sole, mut hip) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
        if is_leg {
            sole = self.target.sole(target[2], side);
            source_sole = self.source.sole(source[2], side);
            if let (Some(toe), Some(source_toe)) = (
                self.target.joint(Part::Toe(side)),
                self.source.joint(Part::Toe(side)),
            ) {
                self.drive(toe, source_toe, end_turn);
            }
            let at = |joint| self.target.model.position(joint);
            hip = self.bone(self.target.root, at(target[0]) - at(self.target.root));
        } else {
            self.fingers(side, end_turn);
        }
        Some(Limb {
            source,
            driven,
            bones: [self.bone(target[0], bones[0]), self.bone(target[1], bones[1])],
            ratio: length(bones) / length(source_bones).max(f32::MIN_POSITIVE),
            is_leg,
            side: self.driven[driven[0]].aligned.inverse() * (self.turn * self.target.facing * forward),
            sole,
            source_sole,
            hip,
        })
    }

    /// Feet are flat in both retarget poses, whatever the heights of their toe joints: only their headings differ.
    fn foot_turn(&self, side: Side) -> Quat {
        let heading = |rig: &Posed<'_>| {
            let ball = rig.ball(side)?;
            Some(ball - rig.stance.up * ball.dot(rig.stance.up))
        };
        let (Some(target), Some(source)) = (heading(&self.target), heading(&self.source)) else {
            return self.turn;
        };
        arc(self.turn * target, self.in_target_world(source)) * self.turn
    }

    fn hand_turn(&self, side: Side) -> Option<Quat> {
        let [source, target] = hand::frames(self.source.rig(), self.target.rig(), side)?;
        Some(self.world * source * target.inverse())
    }

    fn fingers(&mut self, side: Side, hand_turn: Quat) {
        for finger in Finger::ALL {
            let mut turn = hand_turn;
            for phalanx in Phalanx::ALL {
                let part = Part::Finger(side, finger, phalanx);
                let (Some(target), Some(source)) = (self.target.joint(part), self.source.joint(part)) else {
                    continue;
                };
                let bones = [
                    hand::bone(self.target.rig(), side, finger, phalanx),
                    hand::bone(self.source.rig(), side, finger, phalanx),
                ];
                if let [Some(from), Some(to)] = bones {
                    turn = arc(hand_turn * from, self.in_target_world(to)) * hand_turn;
                }
                self.drive(target, source, turn);
            }
        }
    }

    /// The body problem's joints with their bone vectors, from the target's retarget pose.
    fn body(&self, thighs: [JointId; 2], arms: [JointId; 2], weights: &[f32]) -> Vec<BodyJoint> {
        let target = &self.target;
        let at = |joint: JointId| target.model.position(joint);
        let clavicle = |place: usize| {
            let joint = target.joint(Part::Clavicle(Side::BOTH[place]))?;
            let on_the_way = joint > target.top
                && joint < arms[place]
                && target.skeleton.is_in_subtree(arms[place], joint);
            on_the_way.then_some(joint)
        };
        let clavicles = [clavicle(0), clavicle(1)];
        // Where the shoulders hang from the top of the spine: at the collar bones' joints.
        let held = [0, 1].map(|place| at(clavicles[place].unwrap_or(arms[place])));
        let joint = |joint: JointId, vectors: [Vec3; 3], compliance: f32| {
            self.place(joint).map(|driven| BodyJoint {
                driven,
                vectors: vectors.map(|vector| self.bone(joint, vector)),
                compliance,
            })
        };
        let line = held[0] - held[1];
        let middle = (held[0] + held[1]) * 0.5;
        let hips = target.middle(thighs);
        let hip_line = at(thighs[0]) - at(thighs[1]);
        let mut body = Vec::new();
        // The root turns what lies between the hips and the first spine joint; the top of the spine what lies behind it.
        let mut ways: Vec<JointId> = vec![target.root];
        ways.extend(&target.spine);
        for (index, &here) in ways.iter().enumerate() {
            let from = if index == 0 { hips } else { at(here) };
            let (to, shoulder) = match ways.get(index + 1) {
                Some(&next) => (at(next), Vec3::ZERO),
                None => (middle, line),
            };
            let hip = if index == 0 { hip_line } else { Vec3::ZERO };
            let compliance = match index {
                0 => ROOT_COMPLIANCE,
                _ => weights.get(index - 1).copied().unwrap_or(1.0),
            };
            body.extend(joint(here, [hip, shoulder, to - from], compliance));
        }
        for (place, sign) in [(0, 1.0), (1, -1.0)] {
            if let Some(clavicle) = clavicles[place] {
                let bone = at(arms[place]) - at(clavicle);
                body.extend(joint(
                    clavicle,
                    [Vec3::ZERO, bone * sign, bone * 0.5],
                    CLAVICLE_COMPLIANCE,
                ));
            }
        }
        body
    }
}

impl Plan {
    pub(super) fn new(source: &Rig, target: &Rig, options: &Options) -> Result<Self, RetargetError> {
        options.check()?;
        let (source, target) = (Posed::of(source)?, Posed::of(target)?);
        let world = target.facing * source.facing.inverse();
        let frames = [source.body_frame(), target.body_frame()];
        let [Some(source_frame), Some(target_frame)] = frames else {
            return Err(RetargetError::NoSize);
        };
        let turn = world * source_frame * target_frame.inverse();
        let pair = |rig: &Posed<'_>, part: fn(Side) -> Part| {
            rig.pair(part).ok_or(RetargetError::MissingPart(part(Side::Left)))
        };
        let source_thighs = pair(&source, Part::Thigh)?;
        let source_arms = pair(&source, Part::UpperArm)?;
        let thighs = pair(&target, Part::Thigh)?;
        let arms = pair(&target, Part::UpperArm)?;
        let (leg, source_leg) = (target.leg(), source.leg());
        let trunk = target.middle(arms) - target.middle(thighs);
        let source_trunk = (source.middle(source_arms) - source.middle(source_thighs)).length();
        let sizes = [leg, source_leg, trunk.length()];
        if !sizes.iter().all(|size| *size > 0.0 && size.is_finite()) {
            return Err(RetargetError::NoSize);
        }
        let chests = [
            source.chest_frame(source_thighs, source_arms),
            target.chest_frame(thighs, arms),
        ];
        let chest_turn = match chests {
            [Some(source), Some(target)] => world * source * target.inverse(),
            _ => turn,
        };
        let mut builder = Builder {
            source,
            target,
            world,
            turn,
            chest_turn,
            drivers: Vec::new(),
            driven: Vec::new(),
        };
        let root_driven = builder.drive(builder.target.root, builder.source.pelvis, turn);
        let (spine, source_spine) = (builder.target.spine.clone(), builder.source.spine.clone());
        let (chest_turn, pelvis) = (builder.chest_turn, builder.source.pelvis);
        let whole = spine.len() as f32 + 1.0;
        builder.drive_chain(&spine, pelvis, &source_spine, |index| {
            // The lower third of the spine bends from the hips' turn to the chest's.
            let share = (3.0 * (index as f32 + 1.0) / whole).min(1.0);
            turn.slerp(chest_turn, share)
        });
        for side in Side::BOTH {
            if let Some(clavicle) = builder.target.joint(Part::Clavicle(side)) {
                let twin = builder
                    .source
                    .joint(Part::Clavicle(side))
                    .unwrap_or(builder.source.top);
                builder.drive(clavicle, twin, chest_turn);
            }
        }
        let body = builder.body(thighs, arms, &options.spine_weights);
        let neck = builder.neck();
        let mut limbs = Vec::new();
        for side in Side::BOTH {
            let leg = [Part::Thigh(side), Part::Shin(side), Part::Foot(side)];
            let arm = [Part::UpperArm(side), Part::Forearm(side), Part::Hand(side)];
            limbs.extend(builder.limb(leg, true));
            limbs.extend(builder.limb(arm, false));
        }
        let root = builder.target.root;
        let hips = builder.target.middle(thighs);
        let hip_middle = builder.bone(root, hips - builder.target.model.position(root));
        let up = builder.target.stance.up;
        let (scale, vertical) = match options.scale {
            Scale::Guess => {
                let scale = leg / source_leg;
                let heights = [
                    builder.target.hip_height(hips),
                    builder.source.hip_height(builder.source.middle(source_thighs)),
                ];
                (scale, heights[0] - scale * heights[1])
            }
            Scale::Fixed { scale, vertical } => (scale, vertical),
        };
        let carriers = builder.carriers();
        let model = &builder.target.model;
        let root_parent = builder
            .target
            .skeleton
            .parent(root)
            .map_or(Affine3A::IDENTITY, |parent| {
                let scale = model.scales[parent.index()];
                Affine3A::from_scale_rotation_translation(
                    scale,
                    model.rotation(parent),
                    model.position(parent),
                )
                .inverse()
            });
        if !root_parent.is_finite() {
            return Err(RetargetError::NoSize);
        }
        Ok(Self {
            world,
            root,
            root_driven,
            root_parent,
            hip_middle,
            scale,
            lift: up * vertical,
            up,
            stature: scale * (source_leg + source_trunk) / ANKLE_TO_SHOULDER,
            carriers,
            drivers: builder.drivers,
            driven: builder.driven,
            body,
            limbs,
            neck,
            source_thighs,
            source_arms,
            target_thighs: thighs,
            target_arms: arms,
        })
    }
}

impl Builder<'_> {
    fn neck(&mut self) -> Option<Neck> {
        let (joints, source_joints) = (self.target.neck.clone(), self.source.neck.clone());
        let (top, turn) = (self.source.top, self.turn);
        if source_joints.is_empty()
            && let Some(head) = self.source.joint(Part::Head)
        {
            self.drive_chain(&joints, top, &[head], |_| turn);
        } else {
            self.drive_chain(&joints, top, &source_joints, |_| turn);
        }
        let head = self.target.joint(Part::Head)?;
        let source_head = self.source.joint(Part::Head);
        let driver = source_head.or(source_joints.last().copied()).unwrap_or(top);
        self.drive(head, driver, self.turn);
        let (neck, source_neck) = (self.target.joint(Part::Neck)?, self.source.joint(Part::Neck)?);
        let start = joints.iter().position(|&joint| joint == neck)?;
        let at = |joint: JointId| self.target.model.position(joint);
        let mut bones = Vec::new();
        for (index, &joint) in joints.iter().enumerate().skip(start) {
            let next = joints.get(index + 1).copied().unwrap_or(head);
            bones.push((self.place(joint)?, self.bone(joint, at(next) - at(joint))));
        }
        let neck = Neck {
            source: [source_neck, source_head?],
            bones,
        };
        let direction =
            self.source.model.position(neck.source[1]) - self.source.model.position(neck.source[0]);
        let sum: Vec3 = neck
            .bones
            .iter()
            .map(|&(place, bone)| self.driven[place].aligned * bone)
            .sum();
        let turn = arc(sum, self.in_target_world(direction));
        for &(place, _) in &neck.bones {
            self.driven[place].aligned = (turn * self.driven[place].aligned).normalize();
        }
        Some(neck)
    }

    /// All joints of the target that are driven or lie between the root and a driven one.
    fn carriers(&self) -> Vec<(JointId, Option<usize>)> {
        let mut carries = vec![false; self.target.skeleton.len()];
        for driven in &self.driven {
            let mut here = Some(driven.joint);
            while let Some(joint) = here.filter(|joint| !carries[joint.index()]) {
                carries[joint.index()] = true;
                here = self
                    .target
                    .skeleton
                    .parent(joint)
                    .filter(|_| joint != self.target.root);
            }
        }
        let joints = self
            .target
            .skeleton
            .joints()
            .filter(|joint| carries[joint.index()]);
        joints.map(|joint| (joint, self.place(joint))).collect()
    }
}

/// Hip line, shoulder line and trunk of the source in the target's world, unit vectors (zero where there is none).
pub(super) fn body_goals(
    world: Quat,
    source: &ModelPose,
    thighs: [JointId; 2],
    arms: [JointId; 2],
) -> [Vec3; 3] {
    let at = |joint: JointId| source.position(joint);
    let (hips, shoulders) = (at(thighs[0]) - at(thighs[1]), at(arms[0]) - at(arms[1]));
    let trunk = (at(arms[0]) + at(arms[1]) - at(thighs[0]) - at(thighs[1])) * 0.5;
    [hips, shoulders, trunk].map(|line| (world * line).normalize_or_zero())
}
