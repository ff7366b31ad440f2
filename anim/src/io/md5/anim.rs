//! `md5anim`.

use std::sync::Arc;

use glam::{DVec3, Quat, Vec3};

use crate::{Animation, Channel, Interpolation, Joint, JointId, Skeleton, Transform, Values};

use super::{
    Md5Anim, Md5Error, check_count,
    lexer::{Lexer, Word},
    mesh::read_parent,
    read_head, unit_quaternion,
};

/// The bits of a joint's flags: position x, y, z, quaternion x, y, z, in the order of the values.
const COMPONENTS: usize = 6;
const POSITION: u8 = 0b000_111;
const ROTATION: u8 = 0b111_000;

struct Entry {
    name: String,
    parent: Option<JointId>,
    flags: u8,
    first: usize,
    /// Position and the quaternion's first three components.
    base: [f64; COMPONENTS],
}

/// Reads an `md5anim` file.
///
/// ```
/// let text = br#"MD5Version 10
/// commandline ""
/// numFrames 2 numJoints 1 frameRate 24 numAnimatedComponents 1
/// hierarchy { "lid" -1 8 0 } // the quaternion's x
/// bounds { ( 0 0 0 ) ( 1 1 1 ) ( 0 0 0 ) ( 1 1 1 ) }
/// baseframe { ( 0 0 5 ) ( 0 0 0 ) }
/// frame 0 { 0 }
/// frame 1 { -0.70710678118654757 }"#;
/// let anim = elea_anim::md5::parse_anim(text)?;
/// assert_eq!((anim.frames, anim.frame_rate), (2, 24.0));
/// let mut pose = anim.skeleton.rest_pose().clone();
/// anim.animation.sample(&anim.skeleton, 1.0 / 24.0, &mut pose);
/// let lid = pose.get(elea_anim::JointId(0));
/// assert_eq!(lid.translation.to_array(), [0.0, 0.0, 5.0]);
/// // x and w are both negative: a quarter turn about x.
/// let up = lid.rotation * elea_anim::glam::Vec3::Y;
/// assert!(up.distance(elea_anim::glam::Vec3::Z) < 1e-6);
/// # Ok::<(), elea_anim::md5::Md5Error>(())
/// ```
///
/// # Errors
/// [`Md5Error`] with the line: another format or version, counts or indices that do not fit, NaN or infinity.
pub fn parse_anim(bytes: &[u8]) -> Result<Md5Anim, Md5Error> {
    let mut lexer = Lexer::new(bytes);
    let lexer = &mut lexer;
    let command_line = read_head(lexer)?;
    if lexer.peek() == Word::Plain(b"numJoints") {
        return Err(Md5Error::OtherKind {
            line: lexer.line(),
            found: "an MD5 mesh",
            function: "parse_mesh",
        });
    }
    lexer.keyword("numFrames")?;
    let declared_frames = lexer.integer()?;
    lexer.keyword("numJoints")?;
    let declared_joints = lexer.integer()?;
    lexer.keyword("frameRate")?;
    let line = lexer.line();
    let frame_rate = lexer.number()?;
    // The time of the last frame must be an f32.
    if frame_rate < 1.0 / crate::io::sampling::LONGEST_FRAME {
        return Err(Md5Error::Unexpected {
            line,
            expected: "frames a second, above zero",
            found: format!("\"{frame_rate}\""),
        });
    }
    lexer.keyword("numAnimatedComponents")?;
    let declared_components = lexer.integer()?;
    let mut entries = read_hierarchy(lexer, declared_joints, declared_components)?;
    let components = usize::try_from(declared_components).unwrap_or(0);
    let bounds = read_bounds(lexer, declared_frames)?;
    let skeleton = read_base(lexer, &mut entries)?;
    // Only what has values of its own in every frame, so that memory and time grow with the file.
    let mut tracks: Vec<Track> = entries.iter().enumerate().filter_map(Track::new).collect();
    let mut frames = 0;
    let mut values = Vec::new();
    while lexer.takes("frame") {
        lexer.next_index("frame", frames)?;
        lexer.mark(b'{')?;
        values.clear();
        while let Word::Plain(_) = lexer.peek() {
            values.push(lexer.number()?);
        }
        check_count(
            lexer.line(),
            "values in a frame",
            declared_components,
            values.len(),
        )?;
        lexer.mark(b'}')?;
        for track in &mut tracks {
            track.push(&values);
        }
        frames += 1;
    }
    lexer.end("frame or the end of the file")?;
    let line = lexer.line();
    check_count(line, "frames", declared_frames, frames)?;
    Ok(Md5Anim {
        command_line,
        animation: animation(tracks, frames, frame_rate),
        skeleton,
        frame_rate,
        frames,
        components,
        bounds,
    })
}

/// The keys of a joint that is animated.
struct Track<'a> {
    joint: usize,
    entry: &'a Entry,
    positions: Vec<Vec3>,
    rotations: Vec<Quat>,
}

impl<'a> Track<'a> {
    /// `None` for a joint without flags.
    fn new((joint, entry): (usize, &'a Entry)) -> Option<Self> {
        (entry.flags != 0).then_some(Self {
            joint,
            entry,
            positions: Vec::new(),
            rotations: Vec::new(),
        })
    }

    /// The base frame with this frame's components put in.
    fn push(&mut self, values: &[f64]) {
        let mut components = self.entry.base;
        let mut values = values[self.entry.first..].iter();
        for (bit, component) in components.iter_mut().enumerate() {
            if self.entry.flags & (1 << bit) != 0
                && let Some(&value) = values.next()
            {
                *component = value;
            }
        }
        let [x, y, z, qx, qy, qz] = components;
        if self.entry.flags & POSITION != 0 {
            self.positions.push(DVec3::new(x, y, z).as_vec3());
        }
        if self.entry.flags & ROTATION != 0 {
            self.rotations.push(unit_quaternion([qx, qy, qz]).as_quat());
        }
    }
}

fn read_hierarchy(lexer: &mut Lexer<'_>, joints: i64, components: i64) -> Result<Vec<Entry>, Md5Error> {
    lexer.keyword("hierarchy")?;
    lexer.mark(b'{')?;
    let mut entries = Vec::new();
    let mut used = 0;
    while let Word::Quoted(_) = lexer.peek() {
        let name = lexer.text()?;
        let parent = read_parent(lexer, entries.len())?;
        let line = lexer.line();
        let flags = lexer.integer()?;
        let Some(flags) = u8::try_from(flags).ok().filter(|flags| *flags < 1 << COMPONENTS) else {
            return Err(Md5Error::Flags { line, found: flags });
        };
        let line = lexer.line();
        let index = lexer.integer()?;
        used += i64::from(flags.count_ones());
        let last = index.saturating_add(i64::from(flags.count_ones()) - 1);
        let first = match usize::try_from(index) {
            // Nothing to look up, whatever the index is.
            _ if flags == 0 => 0,
            Ok(first) if last < components => first,
            _ => {
                return Err(Md5Error::Index {
                    line,
                    what: "component",
                    index: if index < 0 { index } else { last },
                    count: usize::try_from(components).unwrap_or(0),
                });
            }
        };
        // Two joints that share components would let a short frame fill many tracks.
        if used > components {
            return Err(Md5Error::Count {
                line,
                what: "animated components",
                declared: components,
                found: usize::try_from(used).unwrap_or(usize::MAX),
            });
        }
        entries.push(Entry {
            name,
            parent,
            flags,
            first,
            base: [0.0; COMPONENTS],
        });
    }
    check_count(lexer.line(), "joints", joints, entries.len())?;
    lexer.mark(b'}')?;
    Ok(entries)
}

fn read_bounds(lexer: &mut Lexer<'_>, frames: i64) -> Result<Vec<[Vec3; 2]>, Md5Error> {
    let mut bounds = Vec::new();
    if !lexer.takes("bounds") {
        return Ok(bounds);
    }
    lexer.mark(b'{')?;
    while lexer.peek() == Word::Mark(b'(') {
        let corner = |lexer: &mut Lexer<'_>| Ok(DVec3::from_array(lexer.vector()?).as_vec3());
        bounds.push([corner(lexer)?, corner(lexer)?]);
    }
    check_count(lexer.line(), "bounds", frames, bounds.len())?;
    lexer.mark(b'}')?;
    Ok(bounds)
}

fn read_base(lexer: &mut Lexer<'_>, entries: &mut [Entry]) -> Result<Skeleton, Md5Error> {
    lexer.keyword("baseframe")?;
    lexer.mark(b'{')?;
    let mut joints = Vec::new();
    for entry in &mut *entries {
        let [x, y, z] = lexer.vector()?;
        let rotation = lexer.vector()?;
        entry.base = [x, y, z, rotation[0], rotation[1], rotation[2]];
        joints.push(Joint {
            name: entry.name.clone(),
            parent: entry.parent,
            rest: Transform {
                translation: DVec3::new(x, y, z).as_vec3(),
                rotation: unit_quaternion(rotation).as_quat(),
                scale: Vec3::ONE,
            },
        });
    }
    let line = lexer.line();
    lexer.mark(b'}')?;
    Skeleton::new(joints).map_err(|source| Md5Error::Skeleton { line, source })
}

fn animation(tracks: Vec<Track<'_>>, frames: usize, frame_rate: f64) -> Animation {
    #[expect(clippy::cast_precision_loss, reason = "frame numbers are far below 2^52")]
    #[expect(clippy::cast_possible_truncation, reason = "key times are f32")]
    let times: Arc<[f32]> = (0..frames)
        .map(|frame| (frame as f64 / frame_rate) as f32)
        .collect();
    let mut channels = Vec::new();
    for track in tracks {
        let joint = JointId::from_index(track.joint);
        // Finite values, as many as times, times that grow: with a frame or more nothing is left to refuse.
        let channel = |values: Values| {
            let times = Arc::clone(&times);
            Channel::new(joint, Interpolation::Linear, times, values).ok()
        };
        if track.entry.flags & POSITION != 0 {
            channels.extend(channel(Values::Translation(track.positions)));
        }
        if track.entry.flags & ROTATION != 0 {
            channels.extend(channel(Values::Rotation(track.rotations)));
        }
    }
    Animation::new("", channels)
}
