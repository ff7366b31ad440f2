//! Writing `md5anim`.

use std::fmt::Write as _;

use glam::{Affine3A, DQuat, Vec3};

use crate::{
    Animation, JointId, Pose, Skeleton, Transform,
    io::sampling::{MAX_FRAMES, SampleError, frame_times, sample},
    local_to_model,
};

/// A scale further from one than this is no rounding any more.
pub(super) const SCALE_TOLERANCE: f32 = 1e-5;

/// Why a mesh or a motion cannot be written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Md5WriteError {
    /// The frame rate (frames a second) is not above zero, or not finite.
    #[error("frame rate {found} is not above zero")]
    FrameRate {
        /// What was given.
        found: f64,
    },
    /// More than 2^22 frames, which f32 key times cannot tell apart.
    #[error("the animation lasts {seconds} s: more than {MAX_FRAMES} frames")]
    TooManyFrames {
        /// Duration of the animation.
        seconds: f32,
    },
    /// A channel of a joint that the skeleton does not have.
    #[error("joint {} is animated, but the skeleton has {joints} joints", joint.0)]
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
    /// A scale, which the format does not have.
    #[error("joint {} (\"{name}\") is scaled in frame {frame}; MD5 has no scale", joint.0)]
    Scale {
        /// The joint.
        joint: JointId,
        /// Its name.
        name: String,
        /// The frame.
        frame: usize,
    },
    /// A scale in the rest pose of a mesh's skeleton.
    #[error("joint {} (\"{name}\") is scaled in the rest pose; MD5 has no scale", joint.0)]
    RestScale {
        /// The joint.
        joint: JointId,
        /// Its name.
        name: String,
    },
    /// A part of a surface that could not be read again.
    #[error("surface {surface}: {element} {index} {problem}")]
    Surface {
        /// Index of the surface.
        surface: usize,
        /// `vertex`, `triangle` or `weight`.
        element: &'static str,
        /// Index of it.
        index: usize,
        /// What is wrong with it.
        problem: &'static str,
    },
}

impl From<SampleError> for Md5WriteError {
    fn from(error: SampleError) -> Self {
        match error {
            SampleError::FrameTime { found } => Self::FrameRate { found: 1.0 / found },
            SampleError::TooManyFrames { seconds, .. } => Self::TooManyFrames { seconds },
            SampleError::NoSuchJoint { joint, joints } => Self::NoSuchJoint { joint, joints },
            SampleError::NotFinite { joint, name, frame } => Self::NotFinite { joint, name, frame },
        }
    }
}

/// Writes an `md5anim` file: the rest pose as the base frame, and for each frame the components that ever differ from
/// it. The animation is sampled `frame_rate` times a second from its start to its end, at least once; the bounding
/// boxes are those of the joints, since there is no mesh.
///
/// Reading it again gives every rotation to 1e-6 rad and every position exactly: w is a root of what is left of 1,
/// so joints that come near to half a turn get 15 decimals, all others 10. Doom 3 itself wants a whole frame rate.
/// In names, quotes and control characters become `_`.
///
/// ```
/// use elea_anim::{Animation, Channel, Interpolation, Joint, JointId, Key, Skeleton, Transform, glam::Quat, md5};
/// let skeleton = Skeleton::new(vec![Joint { name: "lid".into(), parent: None, rest: Transform::IDENTITY }])?;
/// let keys = [Key::new(0.0, Quat::IDENTITY), Key::new(1.0, Quat::from_rotation_x(1.5))];
/// let open = Channel::rotation(JointId(0), Interpolation::Linear, &keys)?;
/// let text = md5::write_anim(&skeleton, &Animation::new("open", vec![open]), 24.0)?;
/// assert_eq!(md5::parse_anim(text.as_bytes())?.frames, 25);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Md5WriteError`].
pub fn write_anim(
    skeleton: &Skeleton,
    animation: &Animation,
    frame_rate: f64,
) -> Result<String, Md5WriteError> {
    if !(frame_rate > 0.0 && frame_rate.is_finite()) {
        return Err(Md5WriteError::FrameRate { found: frame_rate });
    }
    let times = frame_times(animation, 1.0 / frame_rate)?;
    let tracks = sample(skeleton, animation, &times)?;
    for (joint, track) in skeleton.joints().zip(&tracks) {
        let scaled =
            |transform: &Transform| (transform.scale - Vec3::ONE).abs().max_element() > SCALE_TOLERANCE;
        if let Some(frame) = track.iter().position(scaled) {
            let name = skeleton.name(joint).to_owned();
            return Err(Md5WriteError::Scale { joint, name, frame });
        }
    }
    let base: Vec<[f64; 6]> = skeleton.rest_pose().transforms().map(components).collect();
    let rows: Vec<Vec<[f64; 6]>> = tracks
        .iter()
        .map(|track| track.iter().map(|transform| components(*transform)).collect())
        .collect();
    let decimals: Vec<Decimals> = rows
        .iter()
        .zip(&base)
        .map(|(rows, base)| Decimals::of(rows.iter().chain([base]).map(|&[.., x, y, z]| [x, y, z])))
        .collect();
    let flags: Vec<u8> = rows
        .iter()
        .zip(&base)
        .map(|(rows, base)| differing(rows, base))
        .collect();
    let animated: u32 = flags.iter().map(|flags| flags.count_ones()).sum();
    let mut out = String::new();
    put(&mut out, format_args!("MD5Version 10\ncommandline \"\"\n\n"));
    put(
        &mut out,
        format_args!("numFrames {}\nnumJoints {}\n", times.len(), skeleton.len()),
    );
    put(
        &mut out,
        format_args!("frameRate {frame_rate}\nnumAnimatedComponents {animated}\n\nhierarchy {{\n"),
    );
    let mut first = 0;
    for (joint, flags) in skeleton.joints().zip(&flags) {
        let parent = skeleton.parent(joint).map_or(-1, |parent| i32::from(parent.0));
        let name = clean(skeleton.name(joint));
        put(&mut out, format_args!("\t\"{name}\"\t{parent} {flags} {first}\n"));
        first += flags.count_ones();
    }
    out.push_str("}\n\nbounds {\n");
    put_bounds(&mut out, skeleton, &tracks, times.len());
    out.push_str("}\n\nbaseframe {\n");
    for (base, decimals) in base.iter().zip(&decimals) {
        let [x, y, z] = [base[0], base[1], base[2]].map(short);
        let [qx, qy, qz] = [base[3], base[4], base[5]].map(|component| decimals.text(component));
        put(&mut out, format_args!("\t( {x} {y} {z} ) ( {qx} {qy} {qz} )\n"));
    }
    out.push_str("}\n");
    for frame in 0..times.len() {
        put(&mut out, format_args!("\nframe {frame} {{\n"));
        for ((rows, flags), decimals) in rows.iter().zip(&flags).zip(&decimals) {
            put_components(&mut out, &rows[frame], *flags, *decimals);
        }
        out.push_str("}\n");
    }
    Ok(out)
}

/// Position, and the quaternion as it is stored.
fn components(transform: Transform) -> [f64; 6] {
    let [x, y, z] = transform.translation.as_dvec3().to_array();
    let [qx, qy, qz] = stored(transform.rotation.as_dquat());
    [x, y, z, qx, qy, qz]
}

/// The quaternion without its w, which is not positive.
pub(super) fn stored(rotation: DQuat) -> [f64; 3] {
    let rotation = rotation.normalize();
    let rotation = if rotation.w > 0.0 { -rotation } else { rotation };
    [rotation.x, rotation.y, rotation.z]
}

/// How many decimals the quaternions of a joint get.
#[derive(Clone, Copy)]
pub(super) struct Decimals(usize);

impl Decimals {
    /// Where |w| is 0.01 or more, an error of 0.5e-10 in each component is one of 0.9e-8 in w at the most; at w = 0
    /// it would be 1e-5. With 15 decimals it is 5e-8 there.
    pub(super) fn of(quaternions: impl IntoIterator<Item = [f64; 3]>) -> Self {
        let near_half_turn = |[x, y, z]: [f64; 3]| x * x + y * y + z * z > 1.0 - 1e-4;
        let many = quaternions.into_iter().any(near_half_turn);
        Self(if many { 15 } else { 10 })
    }

    /// Without zeros at the end, and without a sign where nothing else is left.
    pub(super) fn text(self, component: f64) -> String {
        let text = format!("{component:.*}", self.0);
        let text = text.trim_end_matches('0').trim_end_matches('.');
        if text == "-0" { "0" } else { text }.to_owned()
    }
}

/// A bit for each component that is not always that of the base frame.
fn differing(rows: &[[f64; 6]], base: &[f64; 6]) -> u8 {
    let differs = |bit: usize| rows.iter().any(|row| row[bit].to_bits() != base[bit].to_bits());
    (0..6)
        .filter(|&bit| differs(bit))
        .fold(0, |flags, bit| flags | 1 << bit)
}

fn put_components(out: &mut String, row: &[f64; 6], flags: u8, decimals: Decimals) {
    let mut separator = '\t';
    for (bit, &value) in row.iter().enumerate() {
        if flags & (1 << bit) == 0 {
            continue;
        }
        out.push(separator);
        separator = ' ';
        if bit < 3 {
            put(out, format_args!("{}", short(value)));
        } else {
            out.push_str(&decimals.text(value));
        }
    }
    if flags != 0 {
        out.push('\n');
    }
}

fn put_bounds(out: &mut String, skeleton: &Skeleton, tracks: &[Vec<Transform>], frames: usize) {
    let mut pose = Pose::identity(skeleton.len());
    let mut model = vec![Affine3A::IDENTITY; skeleton.len()];
    for frame in 0..frames {
        for (joint, track) in skeleton.joints().zip(tracks) {
            pose.set(joint, track[frame]);
        }
        local_to_model(skeleton, &pose, &mut model);
        let origins = || model.iter().map(|model| Vec3::from(model.translation));
        let low = origins().reduce(Vec3::min).unwrap_or(Vec3::ZERO);
        let high = origins().reduce(Vec3::max).unwrap_or(Vec3::ZERO);
        put(
            out,
            format_args!(
                "\t( {} {} {} ) ( {} {} {} )\n",
                low.x, low.y, low.z, high.x, high.y, high.z
            ),
        );
    }
}

/// The shortest text that is the f32 again.
#[expect(clippy::cast_possible_truncation, reason = "it was an f32")]
pub(super) const fn short(value: f64) -> f32 {
    value as f32 + 0.0
}

pub(super) fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = out.write_fmt(text);
}

pub(super) fn clean(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_control() || c == '"' { '_' } else { c })
        .collect()
}
