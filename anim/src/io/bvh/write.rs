//! BVH text from a skeleton and its animation.

use std::fmt::Write as _;

use elea::EulerOrder;
use glam::{DQuat, DVec3, Vec3};

use crate::{
    Animation, JointId, Skeleton, Transform,
    io::sampling::{MAX_FRAMES, SampleError, check_joint, frame_times, sample},
};

use super::{
    Axis, Bvh, BvhChannel, BvhJoint, Positions, Tip, angles::angles_about, tracks::reads_as_replacing,
};

const AXES: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

/// A translation that stays this near to its OFFSET (relative to the OFFSET's largest coordinate) is not
/// animated: four roundings.
const STILL: f32 = 4.0 * f32::EPSILON;

/// Levels of indentation; deeper ones get no more, or the text of a chain would grow with its square.
const MAX_INDENT: usize = 40;

/// How [`write_with`] lays a file out.
#[derive(Clone, Debug, PartialEq)]
pub struct BvhWriteOptions {
    /// The rotation channels of every joint, in the order in which they are written and multiplied: `ZXY` is
    /// `Zrotation Xrotation Yrotation` and `Rz * Rx * Ry`. (An extrinsic order is written as the intrinsic one
    /// that is the same rotation.)
    pub rotation_order: EulerOrder,
    /// End Sites. A joint without children that has none here gets one at its own origin: many programs ask for
    /// one.
    pub tips: Vec<Tip>,
}

impl Default for BvhWriteOptions {
    /// `ZXY`, the order of most files, and no tips.
    fn default() -> Self {
        Self {
            rotation_order: EulerOrder::ZXY,
            tips: Vec::new(),
        }
    }
}

/// Why a motion cannot be written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BvhWriteError {
    /// A BVH file has at least one joint.
    #[error("the skeleton has no joints")]
    NoJoints,
    /// The frame time (seconds) is not above zero, not finite, or longer than 1e20 s.
    #[error("frame time {found} s is not above zero and at most 1e20 s")]
    FrameTime {
        /// What was given.
        found: f64,
    },
    /// More than [`MAX_FRAMES`] frames.
    #[error("the animation lasts {seconds} s: more than {MAX_FRAMES} frames of {frame_time} s")]
    TooManyFrames {
        /// Duration of the animation.
        seconds: f32,
        /// Seconds a frame.
        frame_time: f64,
    },
    /// A channel or a tip of a joint that the skeleton does not have.
    #[error("joint {} is animated or has a tip, but the skeleton has {joints} joints", joint.0)]
    NoSuchJoint {
        /// The joint.
        joint: JointId,
        /// Joints of the skeleton.
        joints: usize,
    },
    /// A sampled value is not finite, or beyond an eighth of f32's range.
    #[error("joint {} (\"{name}\") is not finite in frame {frame}", joint.0)]
    NotFinite {
        /// The joint.
        joint: JointId,
        /// Its name.
        name: String,
        /// The frame.
        frame: usize,
    },
}

impl From<SampleError> for BvhWriteError {
    fn from(error: SampleError) -> Self {
        match error {
            SampleError::FrameTime { found } => Self::FrameTime { found },
            SampleError::TooManyFrames { seconds, frame_time } => Self::TooManyFrames { seconds, frame_time },
            SampleError::NoSuchJoint { joint, joints } => Self::NoSuchJoint { joint, joints },
            SampleError::NotFinite { joint, name, frame } => Self::NotFinite { joint, name, frame },
        }
    }
}

/// Writes a file that other programs read: [`write_with`] with the default options.
///
/// ```
/// use elea_anim::{Animation, Channel, Interpolation, Joint, JointId, Key, Skeleton, Transform, bvh, glam::Quat};
/// let skeleton = Skeleton::new(vec![Joint { name: "arm".into(), parent: None, rest: Transform::IDENTITY }])?;
/// let keys = [Key::new(0.0, Quat::IDENTITY), Key::new(1.0, Quat::from_rotation_z(1.0))];
/// let wave = Channel::rotation(JointId(0), Interpolation::Linear, &keys)?;
/// let text = bvh::write(&skeleton, &Animation::new("wave", vec![wave]), 0.25)?;
/// assert!(text.contains("Frames: 5"));
/// assert_eq!(bvh::parse(text.as_bytes())?.animation.end(), 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`BvhWriteError`].
pub fn write(skeleton: &Skeleton, animation: &Animation, frame_time: f64) -> Result<String, BvhWriteError> {
    write_with(skeleton, animation, frame_time, &BvhWriteOptions::default())
}

/// Writes a file in the layout that every program reads: roots with three position and three rotation channels,
/// other joints with three rotation channels. What that layout cannot hold is added to it and never dropped:
///
/// * a joint whose translation is animated gets position channels, which replace its OFFSET; where that would be
///   read the other way (see [`Positions::Auto`]) they add, or the OFFSET is zero;
/// * a joint whose scale is not 1 gets scale channels, which few programs read.
///
/// Position channels of a joint below the root are the one thing that programs read in two ways: Blender has them
/// replace the OFFSET, as is written here, three.js has them add to it.
///
/// The animation is sampled every `frame_time` seconds from its start to its end, at least once. A BVH file has
/// no rest pose apart from the OFFSETs: rest rotations and a root's rest translation are in the frames alone,
/// and every root's OFFSET is zero, which is where adding and replacing agree. Angles are in degrees with six
/// decimals and continue from frame to frame, past 180 where the joint turns on. In names, line breaks, other
/// control characters and braces become `_`.
///
/// # Errors
/// [`BvhWriteError`].
pub fn write_with(
    skeleton: &Skeleton,
    animation: &Animation,
    frame_time: f64,
    options: &BvhWriteOptions,
) -> Result<String, BvhWriteError> {
    let times = frame_times(animation, frame_time)?;
    let order = axes_of(options.rotation_order);
    let mut plans = Vec::with_capacity(skeleton.len());
    let tracks = sample(skeleton, animation, &times)?;
    for (joint, track) in skeleton.joints().zip(&tracks) {
        let is_root = skeleton.parent(joint).is_none();
        let positions = AXES.map(BvhChannel::Position);
        let layout = BvhJoint {
            channels: positions
                .into_iter()
                .filter(|_| is_root)
                .chain(order.map(BvhChannel::Rotation))
                .collect(),
            replaces_offset: true,
        };
        let offset = if is_root {
            Vec3::ZERO
        } else {
            skeleton.rest_pose().get(joint).translation
        };
        plans.push(Plan::new(offset, &layout, Positions::Auto, order, track));
    }
    let mut tips = options.tips.clone();
    let mut is_leaf = vec![true; skeleton.len()];
    for parent in skeleton.parents().iter().flatten() {
        is_leaf[parent.index()] = false;
    }
    for tip in &options.tips {
        check_joint(skeleton, tip.joint)?;
        is_leaf[tip.joint.index()] = false;
    }
    tips.extend(
        skeleton
            .joints()
            .filter(|joint| is_leaf[joint.index()])
            .map(|joint| Tip {
                joint,
                name: None,
                offset: Vec3::ZERO,
            }),
    );
    let motion = Some((frame_time, times.len()));
    text(skeleton, &plans, &tips, motion)
}

impl Bvh {
    /// Writes the file in its own layout: channels in their order, position channels where it has them with
    /// their meaning, tips with their names. Joints whose animation no longer fits get the missing channels
    /// (see [`write_with`]).
    ///
    /// `animation` is sampled every [`frame_time`](Self::frame_time) seconds. Without channels there are no
    /// frames, and without [`has_motion`](Self::has_motion) there is then no MOTION section.
    ///
    /// # Errors
    /// [`BvhWriteError`].
    pub fn write(&self) -> Result<String, BvhWriteError> {
        let skeleton = &self.skeleton;
        let mut times = frame_times(&self.animation, self.frame_time)?;
        if self.animation.channels.is_empty() {
            times.clear();
        }
        for tip in &self.tips {
            check_joint(skeleton, tip.joint)?;
        }
        let tracks = sample(skeleton, &self.animation, &times)?;
        let own = BvhJoint::default();
        let plan = |(joint, track): (JointId, &Vec<Transform>)| {
            let layout = self.joints.get(joint.index()).unwrap_or(&own);
            let offset = skeleton.rest_pose().get(joint).translation;
            Plan::new(offset, layout, self.positions, axes_of(EulerOrder::ZXY), track)
        };
        let plans: Vec<Plan> = skeleton.joints().zip(&tracks).map(plan).collect();
        let motion = (self.has_motion || !times.is_empty()).then_some((self.frame_time, times.len()));
        text(skeleton, &plans, &self.tips, motion)
    }
}

/// The axes of the rotation channels, in the order of the product.
fn axes_of(order: EulerOrder) -> [Axis; 3] {
    let mut axes = order.axes().map(|axis| AXES[axis]);
    if order.is_extrinsic() {
        axes.reverse();
    }
    axes
}

/// One joint as it will be written: the columns hold one row of its channels for each frame.
struct Plan {
    offset: Vec3,
    channels: Vec<BvhChannel>,
    columns: Vec<f64>,
}

impl Plan {
    fn new(
        offset: Vec3,
        layout: &BvhJoint,
        reading: Positions,
        order: [Axis; 3],
        track: &[Transform],
    ) -> Self {
        let mut channels = layout.channels.clone();
        let rotations: Vec<DQuat> = track
            .iter()
            .map(|transform| transform.rotation.as_dquat().normalize())
            .collect();
        let axes: Vec<Axis> = channels.iter().filter_map(rotation_axis).collect();
        let angles = match angles_about(&axes, &rotations) {
            Some(angles) => angles,
            None => {
                channels.retain(|channel| rotation_axis(channel).is_none());
                channels.extend(order.map(BvhChannel::Rotation));
                angles_about(&order, &rotations).unwrap_or_default()
            }
        };
        let still = offset.abs().max_element() * STILL;
        let moves = |axis: Axis| {
            let at = axis as usize;
            track
                .iter()
                .any(|transform| (transform.translation[at] - offset[at]).abs() > still)
        };
        let scaled = |axis: Axis| {
            track
                .iter()
                .any(|transform| transform.scale[axis as usize] != 1.0)
        };
        add_missing(&mut channels, BvhChannel::Position, moves);
        add_missing(&mut channels, BvhChannel::Scale, scaled);
        let mut plan = Self {
            offset,
            channels,
            columns: Vec::new(),
        };
        let positions = plan.positions(layout.replaces_offset, reading, track);
        for (frame, transform) in track.iter().enumerate() {
            let mut turned = 0;
            for channel in &plan.channels {
                plan.columns.push(match *channel {
                    BvhChannel::Position(axis) => positions[frame][axis as usize],
                    BvhChannel::Scale(axis) => f64::from(transform.scale[axis as usize]),
                    BvhChannel::Rotation(_) => {
                        turned += 1;
                        angles[frame][turned - 1].to_degrees()
                    }
                });
            }
        }
        plan
    }

    /// The position columns in the meaning that is read back, preferably the one they had.
    fn positions(&mut self, replaces: bool, reading: Positions, track: &[Transform]) -> Vec<DVec3> {
        let written = |axis| self.channels.contains(&BvhChannel::Position(axis));
        let mask = DVec3::from_array(AXES.map(|axis| f64::from(u8::from(written(axis)))));
        if mask == DVec3::ZERO {
            return vec![DVec3::ZERO; track.len()];
        }
        let offset = self.offset.as_dvec3();
        let values = |replaces: bool| -> Vec<DVec3> {
            let base = if replaces { DVec3::ZERO } else { offset };
            track
                .iter()
                .map(|transform| (transform.translation.as_dvec3() - base) * mask)
                .collect()
        };
        for meaning in [replaces, !replaces] {
            let values = values(meaning);
            let read = match reading {
                Positions::Auto => reads_as_replacing(offset, &values),
                Positions::Replace => true,
                Positions::Add => false,
            };
            if read == meaning {
                return values;
            }
        }
        // With an OFFSET of zero both meanings are one.
        self.offset *= (DVec3::ONE - mask).as_vec3();
        values(true)
    }
}

const fn rotation_axis(channel: &BvhChannel) -> Option<Axis> {
    match channel {
        BvhChannel::Rotation(axis) => Some(*axis),
        BvhChannel::Position(_) | BvhChannel::Scale(_) => None,
    }
}

/// Adds the channels of one property that the animation needs and the layout lacks; to a layout without any, all
/// three, because that is what other programs know. Positions go to the front, as everywhere.
fn add_missing(
    channels: &mut Vec<BvhChannel>,
    channel: fn(Axis) -> BvhChannel,
    needed: impl Fn(Axis) -> bool,
) {
    let none = !AXES.iter().any(|&axis| channels.contains(&channel(axis)));
    let any_needed = AXES.into_iter().any(&needed);
    let missing: Vec<BvhChannel> = AXES
        .into_iter()
        .filter(|&axis| !channels.contains(&channel(axis)) && (needed(axis) || none && any_needed))
        .map(channel)
        .collect();
    let at = if matches!(channel(Axis::X), BvhChannel::Position(_)) {
        0
    } else {
        channels.len()
    };
    channels.splice(at..at, missing);
}

fn text(
    skeleton: &Skeleton,
    plans: &[Plan],
    tips: &[Tip],
    motion: Option<(f64, usize)>,
) -> Result<String, BvhWriteError> {
    let mut children: Vec<Vec<JointId>> = vec![Vec::new(); skeleton.len()];
    let mut roots = Vec::new();
    for joint in skeleton.joints() {
        match skeleton.parent(joint) {
            Some(parent) => children[parent.index()].push(joint),
            None => roots.push(joint),
        }
    }
    let mut tips_of: Vec<Vec<&Tip>> = vec![Vec::new(); skeleton.len()];
    for tip in tips {
        tips_of[tip.joint.index()].push(tip);
    }
    if skeleton.is_empty() {
        return Err(BvhWriteError::NoJoints);
    }
    let mut out = String::from("HIERARCHY\n");
    let mut order = Vec::with_capacity(skeleton.len());
    // (joint, depth) to open, or a depth to close; a stack of our own, whatever the depth of the tree is.
    let mut stack: Vec<(Option<JointId>, usize)> = roots.iter().rev().map(|&root| (Some(root), 0)).collect();
    while let Some((joint, depth)) = stack.pop() {
        let tabs = "\t".repeat(depth.min(MAX_INDENT));
        let Some(joint) = joint else {
            put(&mut out, format_args!("{tabs}}}\n"));
            continue;
        };
        order.push(joint);
        let plan = &plans[joint.index()];
        let keyword = if depth == 0 { "ROOT" } else { "JOINT" };
        let name = clean(skeleton.name(joint));
        put(&mut out, format_args!("{tabs}{keyword} {name}\n{tabs}{{\n"));
        put_offset(&mut out, &tabs, plan.offset);
        put(&mut out, format_args!("{tabs}\tCHANNELS {}", plan.channels.len()));
        for channel in &plan.channels {
            let (axis, property) = match channel {
                BvhChannel::Position(axis) => (axis, "position"),
                BvhChannel::Rotation(axis) => (axis, "rotation"),
                BvhChannel::Scale(axis) => (axis, "scale"),
            };
            put(&mut out, format_args!(" {axis:?}{property}"));
        }
        out.push('\n');
        for tip in &tips_of[joint.index()] {
            let name = tip.name.as_deref().map(clean).filter(|name| !name.is_empty());
            let name = name.map_or_else(String::new, |name| format!(" {name}"));
            put(&mut out, format_args!("{tabs}\tEnd Site{name}\n{tabs}\t{{\n"));
            put_offset(&mut out, &format!("{tabs}\t"), tip.offset);
            put(&mut out, format_args!("{tabs}\t}}\n"));
        }
        stack.push((None, depth));
        stack.extend(
            children[joint.index()]
                .iter()
                .rev()
                .map(|&child| (Some(child), depth + 1)),
        );
    }
    if let Some((frame_time, frames)) = motion {
        put(
            &mut out,
            format_args!("MOTION\nFrames: {frames}\nFrame Time: {frame_time}\n"),
        );
        put_rows(&mut out, &order, plans, frames);
    }
    Ok(out)
}

fn put_rows(out: &mut String, order: &[JointId], plans: &[Plan], frames: usize) {
    for frame in 0..frames {
        let mut separator = "";
        for joint in order {
            let Plan {
                channels, columns, ..
            } = &plans[joint.index()];
            let row = &columns[frame * channels.len()..][..channels.len()];
            for (channel, &value) in channels.iter().zip(row) {
                out.push_str(separator);
                separator = " ";
                match channel {
                    // Adding zero turns -0 into 0.
                    BvhChannel::Rotation(_) => put(out, format_args!("{:.6}", round_to_zero(value))),
                    #[expect(
                        clippy::cast_possible_truncation,
                        reason = "the shortest text of the f32 that is read back"
                    )]
                    _ => put(out, format_args!("{}", value as f32 + 0.0)),
                }
            }
        }
        out.push('\n');
    }
}

/// What six decimals would show as `-0.000000` is zero.
fn round_to_zero(degrees: f64) -> f64 {
    if degrees.abs() < 5e-7 { 0.0 } else { degrees }
}

fn put_offset(out: &mut String, tabs: &str, offset: Vec3) {
    let [x, y, z] = (offset + Vec3::ZERO).to_array();
    put(out, format_args!("{tabs}\tOFFSET {x} {y} {z}\n"));
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = out.write_fmt(text);
}

/// A name as one line without braces.
fn clean(name: &str) -> String {
    let keep = |c: char| {
        if c.is_control() || matches!(c, '{' | '}') {
            '_'
        } else {
            c
        }
    };
    name.trim().chars().map(keep).collect()
}
