//! MD5, the model and animation text format of Doom 3: `md5mesh` and `md5anim`.
//!
//! [`parse_mesh`] reads a skeleton in its bind pose and the surfaces on it, [`parse_anim`] a skeleton with its motion;
//! [`write_mesh`] and [`write_anim`] write them. [`Md5Surface::to_skinned_mesh`] and
//! [`Md5Surface::from_skinned_mesh`] lead to meshes with vertices in bind space and back. The format is that of id's
//! exporter, version 10, as David Henry describes it ("MD5 mesh and anim files formats", tfc.duke.free.fr, 2005).
//!
//! Quaternions are stored without w, which is not positive: w = -sqrt(1 - x^2 - y^2 - z^2). Where the sum of squares
//! is above one, by rounding, w is 0 and the rest is normalised. Positions keep the file's length unit and axes (in
//! Doom 3 z is up); times are seconds from 0.
//!
//! Every error names the line, every index is checked, and nothing is allocated because a count claims it. What is read
//! can be turned into meshes in time and memory that are proportional to the file's size.

mod anim;
mod lexer;
mod mesh;
mod surface;
mod write;
mod write_mesh;

use glam::{DQuat, Vec2, Vec3};

use crate::{Animation, JointId, Skeleton, SkeletonError};

pub use anim::parse_anim;
pub use mesh::parse_mesh;
pub use surface::Md5SkinReport;
pub use write::{Md5WriteError, write_anim};
pub use write_mesh::write_mesh;

/// The version of the format that there are files of.
const VERSION: i64 = 10;

/// What an `md5mesh` file holds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Md5Mesh {
    /// What the exporter was called with.
    pub command_line: String,
    /// The rest pose is the bind pose, in local space. (The file has it in model space.)
    pub skeleton: Skeleton,
    /// The surfaces, each with its own shader.
    pub surfaces: Vec<Md5Surface>,
}

impl Md5Mesh {
    /// For [`write_mesh`].
    #[must_use]
    pub const fn new(skeleton: Skeleton, surfaces: Vec<Md5Surface>) -> Self {
        Self {
            command_line: String::new(),
            skeleton,
            surfaces,
        }
    }
}

/// One surface: vertices, each the sum of points that joints carry. It has no normals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Md5Surface {
    /// Name of the material.
    pub shader: String,
    /// The vertices.
    pub vertices: Vec<Md5Vertex>,
    /// Indices of vertices, clockwise seen from the front.
    pub triangles: Vec<[u32; 3]>,
    /// The weights of all vertices.
    pub weights: Vec<Md5Weight>,
}

/// One vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Md5Vertex {
    /// Texture coordinates; v grows downwards.
    pub uv: Vec2,
    /// Index of the first of its weights.
    pub first_weight: u32,
    /// How many weights it has.
    pub weights: u32,
}

/// One point that a joint carries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Md5Weight {
    /// The joint.
    pub joint: JointId,
    /// Its share; those of a vertex add up to one in a sound file.
    pub bias: f32,
    /// The point in the joint's space.
    pub position: Vec3,
}

/// What an `md5anim` file holds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Md5Anim {
    /// What the exporter was called with.
    pub command_line: String,
    /// The rest pose is the base frame.
    pub skeleton: Skeleton,
    /// Linear keys at every frame for the properties that the file animates.
    pub animation: Animation,
    /// Frames a second, above zero.
    pub frame_rate: f64,
    /// Number of frames.
    pub frames: usize,
    /// Numbers in each frame: a component (x, y or z of a position or a quaternion) of a joint each.
    pub components: usize,
    /// The bounding box of the figure in each frame: smallest and largest corner. Empty where the file has none.
    pub bounds: Vec<[Vec3; 2]>,
}

/// Why a file could not be read. Lines count from 1.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Md5Error {
    /// A word that cannot stand where it stands.
    #[error("line {line}: expected {expected}, found {found}")]
    Unexpected {
        /// Where it stands.
        line: usize,
        /// What the format has there.
        expected: &'static str,
        /// What was found.
        found: String,
    },
    /// A file that does not begin as MD5 files do.
    #[error("line {line}: not an MD5 file: it begins with {found}, not with MD5Version")]
    NotMd5 {
        /// Where its first word stands.
        line: usize,
        /// The first word.
        found: String,
    },
    /// A mesh where a motion is needed, or a motion where a mesh is.
    #[error("line {line}: this is {found}; {function} reads it")]
    OtherKind {
        /// Where that shows.
        line: usize,
        /// What the file is.
        found: &'static str,
        /// The function for such files.
        function: &'static str,
    },
    /// Another version of the format.
    #[error("line {line}: MD5 version {found}; only version 10 is known")]
    Version {
        /// Where it stands.
        line: usize,
        /// The version.
        found: i64,
    },
    /// A count that the file does not keep.
    #[error("line {line}: {declared} {what} declared, but {found} found")]
    Count {
        /// Where the list ends.
        line: usize,
        /// What is counted.
        what: &'static str,
        /// The number declared.
        declared: i64,
        /// The number found.
        found: usize,
    },
    /// An index of something that is not there.
    #[error("line {line}: there is no {what} {index} (there are {count})")]
    Index {
        /// Where it stands.
        line: usize,
        /// What it is an index of.
        what: &'static str,
        /// The index.
        index: i64,
        /// How many there are.
        count: usize,
    },
    /// Flags of a joint with bits that mean nothing.
    #[error("line {line}: flags {found} are not 0 to 63")]
    Flags {
        /// Where they stand.
        line: usize,
        /// The flags.
        found: i64,
    },
    /// An entry of a list that does not have the next number.
    #[error("line {line}: {what} {index} where {expected} comes next")]
    OutOfOrder {
        /// Where it stands.
        line: usize,
        /// What is listed.
        what: &'static str,
        /// The index.
        index: i64,
        /// The index that comes next.
        expected: usize,
    },
    /// A number that is not finite, or beyond an eighth of f32's range.
    #[error("line {line}: {text} is not a finite number")]
    NotFinite {
        /// Where it stands.
        line: usize,
        /// The number as written.
        text: String,
    },
    /// Vertices that name the same weights over and over. Programs give every vertex weights of its own; a small file
    /// could ask for work without end this way, hence the weights of all vertices together may be no more than the
    /// surface has, and 64 for each vertex.
    #[error(
        "line {line}: the vertices up to here have {named} weights together, most of them shared; at most {most} are read"
    )]
    SharedWeights {
        /// Where the vertex stands with which there are too many.
        line: usize,
        /// The weights of the vertices up to it.
        named: u64,
        /// The most for all vertices.
        most: u64,
    },
    /// The joints make no skeleton.
    #[error("line {line}: {source}")]
    Skeleton {
        /// Where the list of joints ends.
        line: usize,
        /// Why not.
        source: SkeletonError,
    },
}

impl Md5Error {
    /// The line that the error is in, from 1.
    #[must_use]
    pub const fn line(&self) -> usize {
        match self {
            Self::Unexpected { line, .. }
            | Self::NotMd5 { line, .. }
            | Self::OtherKind { line, .. }
            | Self::Version { line, .. }
            | Self::Count { line, .. }
            | Self::Index { line, .. }
            | Self::Flags { line, .. }
            | Self::OutOfOrder { line, .. }
            | Self::NotFinite { line, .. }
            | Self::SharedWeights { line, .. }
            | Self::Skeleton { line, .. } => *line,
        }
    }
}

/// Whether a file is an MD5 motion (for [`parse_anim`]) rather than a mesh or something else: by its first words alone.
///
/// ```
/// use elea_anim::md5::is_anim;
/// assert!(is_anim(b"MD5Version 10 commandline \"\" numFrames 3"));
/// assert!(!is_anim(b"MD5Version 10 commandline \"\" numJoints 3"));
/// assert!(!is_anim(b"HIERARCHY"));
/// ```
#[must_use]
pub fn is_anim(bytes: &[u8]) -> bool {
    let mut lexer = lexer::Lexer::new(bytes);
    read_head(&mut lexer).is_ok() && lexer.takes("numFrames")
}

/// Reads `MD5Version 10` and `commandline "..."`.
fn read_head(lexer: &mut lexer::Lexer<'_>) -> Result<String, Md5Error> {
    let line = lexer.line();
    if !lexer.takes("MD5Version") {
        let found = match lexer.peek() {
            lexer::Word::End => "nothing".to_owned(),
            word => word.show(),
        };
        return Err(Md5Error::NotMd5 { line, found });
    }
    let line = lexer.line();
    let found = lexer.integer()?;
    if found != VERSION {
        return Err(Md5Error::Version { line, found });
    }
    if lexer.takes("commandline") {
        lexer.text()
    } else {
        Ok(String::new())
    }
}

/// The unit quaternion of its first three components.
fn unit_quaternion([x, y, z]: [f64; 3]) -> DQuat {
    let rest = 1.0 - x * x - y * y - z * z;
    DQuat::from_xyzw(x, y, z, -rest.max(0.0).sqrt()).normalize()
}

/// Compares a declared count with what was found.
fn check_count(line: usize, what: &'static str, declared: i64, found: usize) -> Result<(), Md5Error> {
    if usize::try_from(declared) == Ok(found) {
        return Ok(());
    }
    Err(Md5Error::Count {
        line,
        what,
        declared,
        found,
    })
}
