//! BVH motion files (Biovision hierarchy), as mocap systems, Blender, MotionBuilder and game tools write them.
//!
//! [`parse`] reads a skeleton and its motion, [`write()`] makes a file that other programs read, and
//! [`Bvh::write`] keeps the layout of the file that was read. The format has no standard: the descriptions that
//! everybody follows are Meredith and Maddock, *Motion Capture File Formats Explained* (Sheffield, 2001), and the
//! files themselves. What this reader does where they differ:
//!
//! | in the file | reading |
//! |-|-|
//! | rotation channels | multiplied in the order in which they are written, degrees: `Zrotation Xrotation Yrotation` is `Rz * Rx * Ry`; each joint its own order; one, two or more channels and repeated axes are fine |
//! | position channels | they replace the OFFSET or add to it; both exist: see [`Positions`] |
//! | order of positions and rotations | no matter: `T * R` always |
//! | `Xscale`, `Yscale`, `Zscale` | a scale channel (`T * R * S`) and [`BvhWarning::ScaleChannels`] |
//! | End Site | no joint: a [`Tip`] with its offset and, where it has one, its name |
//! | several ROOTs, no End Site, no CHANNELS, no MOTION | fine |
//! | line ends, case of keywords, colons | LF, CRLF and CR; any case; colons and blanks around them are optional |
//! | line breaks in the motion | mean nothing: values are counted |
//! | names | the rest of the line without blanks at its ends; an opening brace may end it |
//!
//! Files that are damaged in a way that leaves one sensible reading are read with a [`BvhWarning`]
//! ([`Strictness::Strict`] makes it an error); everything else is a [`BvhError`]. Both name the line.
//! Nothing is allocated because a header claims it; memory is a small multiple of the input's size at most.
//!
//! Positions keep the file's length unit and axes; times are seconds from 0, frame k at `k * frame_time`.
//!
//! ```
//! let text = b"HIERARCHY
//! ROOT Hips
//! {
//!     OFFSET 0 90 0
//!     CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
//!     JOINT Chest
//!     {
//!         OFFSET 0 30 0
//!         CHANNELS 3 Zrotation Xrotation Yrotation
//!         End Site
//!         {
//!             OFFSET 0 20 0
//!         }
//!     }
//! }
//! MOTION
//! Frames: 2
//! Frame Time: 0.04
//! 0 90 0 0 0 0 0 0 0
//! 0 91 0 90 0 0 0 0 10
//! ";
//! let bvh = elea_anim::bvh::parse(text)?;
//! assert_eq!((bvh.skeleton.len(), bvh.frames, bvh.frame_time), (2, 2, 0.04));
//! assert!(bvh.warnings.is_empty());
//! # Ok::<(), elea_anim::bvh::BvhError>(())
//! ```

mod angles;
mod error;
mod hierarchy;
mod lexer;
mod motion;
mod number;
mod tracks;
mod write;

use glam::Vec3;

use crate::{Animation, JointId, Skeleton};

pub use crate::io::sampling::MAX_FRAMES;
pub use error::{BvhError, BvhWarning};
pub use write::{BvhWriteError, BvhWriteOptions, write, write_with};

/// Seconds a frame where a file does not say (or says zero or less): the commonest rate of such files.
pub const DEFAULT_FRAME_TIME: f64 = 1.0 / 30.0;

/// What a BVH file holds.
///
/// `skeleton`, `animation` and `frame_time` are the motion; the other fields keep the file's own layout, so that
/// [`Bvh::write`] gives it back. To write another motion in that layout, replace `animation` and `frame_time`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Bvh {
    /// The joints in file order, End Sites left out. The rest translation is the OFFSET, rest rotations are the
    /// identity. OFFSETs along the bones need not be a pose that anybody ever stood in.
    pub skeleton: Skeleton,
    /// Linear keys at every frame for each property that the file animates. Translations have the OFFSET in
    /// them where it adds. No channels where the file has no frames.
    pub animation: Animation,
    /// Seconds from one frame to the next, more than zero; [`DEFAULT_FRAME_TIME`] where the file has none.
    pub frame_time: f64,
    /// Complete frames in the file.
    pub frames: usize,
    /// Whether there is a MOTION section, be it an empty one.
    pub has_motion: bool,
    /// How each joint is written in the file, in joint order.
    pub joints: Vec<BvhJoint>,
    /// End Sites in file order.
    pub tips: Vec<Tip>,
    /// The setting the file was read with; [`BvhJoint::replaces_offset`] has the answer for each joint.
    pub positions: Positions,
    /// What was wrong but could be read, in file order within each section.
    pub warnings: Vec<BvhWarning>,
}

impl Bvh {
    /// Number of values in one frame.
    #[must_use]
    pub fn channels(&self) -> usize {
        self.joints.iter().map(|joint| joint.channels.len()).sum()
    }
}

/// The layout of one joint in its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BvhJoint {
    /// The joint's columns of the motion, in file order.
    pub channels: Vec<BvhChannel>,
    /// Whether the position channels replaced the OFFSET; `false` where they added to it or there are none.
    pub replaces_offset: bool,
}

/// One column of the motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BvhChannel {
    /// `Xposition`, `Yposition`, `Zposition`: length units.
    Position(Axis),
    /// `Xrotation`, `Yrotation`, `Zrotation`: degrees.
    Rotation(Axis),
    /// `Xscale`, `Yscale`, `Zscale`: factors.
    Scale(Axis),
}

/// A coordinate axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Axis {
    /// The first coordinate.
    X,
    /// The second coordinate.
    Y,
    /// The third coordinate.
    Z,
}

/// An End Site: where the last bone of a chain ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Tip {
    /// The joint that it belongs to; a joint may have several tips, or none.
    pub joint: JointId,
    /// What stands behind `End Site`, if anything does.
    pub name: Option<String>,
    /// Position in the joint's space.
    pub offset: Vec3,
}

/// How to read a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BvhOptions {
    /// Whether damage is tolerated.
    pub strictness: Strictness,
    /// What position channels mean.
    pub positions: Positions,
    /// What a NaN or an infinity in the motion does.
    pub non_finite: NonFinite,
}

/// Whether files with damage that leaves one sensible reading are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// Read them and report a [`BvhWarning`].
    #[default]
    Lenient,
    /// The first warning is an error ([`BvhError::Strict`]).
    Strict,
}

/// Whether position channels replace the joint's OFFSET or add to it. Files of both kinds exist, and none says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Positions {
    /// Each joint by its own data: they replace the OFFSET where their median distance from the OFFSET is
    /// smaller than their median distance from zero, else they add. (Where the OFFSET is zero both are the same.)
    #[default]
    Auto,
    /// The channels are the position, as Blender reads them.
    Replace,
    /// The channels are a movement away from the OFFSET, as three.js reads them.
    Add,
}

/// What a NaN or an infinity in the motion does. (In an OFFSET it is always an error.)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NonFinite {
    /// [`BvhError::NonFinite`] names frame, channel and line.
    #[default]
    Error,
    /// The channel keeps its value of the frame before, zero in the first frame (one for a scale), and
    /// [`BvhWarning::HeldValues`] counts them.
    Hold,
}

/// Reads a file leniently; see [`parse_with`].
///
/// # Errors
/// [`BvhError`] with the line: not a BVH file, broken beyond one sensible reading, or NaN or infinity in it.
pub fn parse(bytes: &[u8]) -> Result<Bvh, BvhError> {
    parse_with(bytes, &BvhOptions::default())
}

/// Reads a file. See the [module's text](self) for the rules.
///
/// ```
/// use elea_anim::bvh::{BvhError, BvhOptions, BvhWarning, Strictness, parse, parse_with};
/// let cut = b"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\nFrames: 3\nFrame Time: 0.1\n5\n6\n";
/// assert!(matches!(parse(cut)?.warnings[..], [BvhWarning::FrameCount { line: 8, declared: 3, found: 2 }]));
/// let strict = BvhOptions { strictness: Strictness::Strict, ..BvhOptions::default() };
/// assert_eq!(parse_with(cut, &strict).unwrap_err().line(), 8);
/// # Ok::<(), BvhError>(())
/// ```
///
/// # Errors
/// As [`parse`]; with [`Strictness::Strict`] also for everything that is a warning otherwise.
pub fn parse_with(bytes: &[u8], options: &BvhOptions) -> Result<Bvh, BvhError> {
    let mut notes = error::Notes::new(options.strictness);
    let mut lexer = lexer::Lexer::new(bytes);
    let hierarchy = hierarchy::read(&mut lexer, &mut notes)?;
    let motion = motion::read(&mut lexer, &hierarchy, options, &mut notes)?;
    tracks::assemble(hierarchy, motion, options, notes)
}
