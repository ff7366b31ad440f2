//! What can be wrong with a glTF file.

use crate::{AnimError, SkeletonError, SkinError};

/// Why a file could not be read. `path` names the place in the file's JSON, as in
/// `animations[0].samplers[3].input`.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GltfError {
    /// The file itself could not be read.
    #[error("{file}: {message}")]
    File {
        /// The path that was given.
        file: String,
        /// What the operating system says.
        message: String,
    },
    /// What is wrong in a file that was [`load`](super::load)ed.
    #[error("{file}: {source}")]
    InFile {
        /// The path that was given.
        file: String,
        /// What is wrong; never of this kind.
        source: Box<Self>,
    },
    /// A file of no bytes.
    #[error("the file is empty")]
    Empty,
    /// Neither a GLB file nor JSON text.
    #[error("not a glTF file: it starts neither with \"glTF\" nor with \"{{\"")]
    NotGltf,
    /// Another version of the format than 2.
    #[error("glTF version {version}; only version 2 can be read")]
    Version {
        /// As the file says.
        version: String,
    },
    /// A GLB file whose header or chunks claim more bytes than there are, or have no JSON.
    #[error("broken GLB file: {what}, but it has {found} bytes")]
    Glb {
        /// What the file claims.
        what: String,
        /// Bytes of the file.
        found: usize,
    },
    /// JSON that is not JSON, or a value of the wrong kind.
    #[error("{}{message} (line {line}, column {column} of the JSON)", in_text(path))]
    Json {
        /// The place; `.` where the text itself is broken, or its outermost object.
        path: String,
        /// Counted from 1 in the JSON text.
        line: usize,
        /// Counted from 1 in the line.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// An index of something that the file does not have.
    #[error("{path}: {index}, but there are {count}")]
    NoSuchElement {
        /// Where the index stands.
        path: String,
        /// The index.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A buffer whose bytes are not to be had.
    #[error("{path}: {message}")]
    Buffer {
        /// The buffer, or its `uri`.
        path: String,
        /// What is wrong with it.
        message: String,
    },
    /// A stretch of bytes that reaches beyond what holds it.
    #[error("{path}: needs {needed} bytes, but there are {found}")]
    OutOfBounds {
        /// The buffer view, or what an accessor was used for.
        path: String,
        /// Bytes that are claimed.
        needed: u64,
        /// Bytes that exist.
        found: u64,
    },
    /// An accessor of a kind that cannot be used there.
    #[error("{path}: an accessor of {found} where {expected} is needed")]
    AccessorKind {
        /// What the accessor is used for.
        path: String,
        /// The accessor's component type and type.
        found: String,
        /// What would do.
        expected: &'static str,
    },
    /// A list that does not fit another one.
    #[error("{path}: {found} elements where {expected} are needed")]
    Count {
        /// Where the list stands.
        path: String,
        /// Its length.
        found: usize,
        /// The length that would fit.
        expected: usize,
    },
    /// Sparse indices that do not grow, or name an element that the accessor does not have.
    #[error("{path}: sparse index {index} of element {element}: indices must grow and stay below {count}")]
    SparseIndex {
        /// What the accessor is used for.
        path: String,
        /// Which of the indices.
        element: usize,
        /// Its value.
        index: usize,
        /// Elements of the accessor.
        count: usize,
    },
    /// A NaN or an infinity.
    #[error("{path}: element {element} is not finite")]
    NotFinite {
        /// What the numbers are used for.
        path: String,
        /// Which element.
        element: usize,
    },
    /// Nodes that are no tree: a node is its own ancestor, or a child of two nodes.
    #[error("{path}: node {node} {problem}")]
    Tree {
        /// Where the node is named.
        path: String,
        /// Its index.
        node: usize,
        /// What is wrong.
        problem: &'static str,
    },
    /// The nodes are no skeleton.
    #[error("{path}: {source}")]
    Skeleton {
        /// The node where one is to blame, else `nodes`.
        path: String,
        /// What is wrong; joints are counted in the skeleton's order.
        source: SkeletonError,
    },
    /// A skin or the influences of a mesh.
    #[error("{path}: {source}")]
    Skin {
        /// The skin or the primitive.
        path: String,
        /// What is wrong.
        source: SkinError,
    },
    /// The keys of a channel.
    #[error("{path}: {source}")]
    Channel {
        /// The sampler's input or output.
        path: String,
        /// What is wrong.
        source: AnimError,
    },
    /// A compression or another extension that the file cannot be read without.
    #[error("{path}: the file needs the extension {name}: export it without")]
    Extension {
        /// Where it is required.
        path: String,
        /// Its name.
        name: String,
    },
    /// Accessors that share their bytes so often that reading them would take more than
    /// [`MAX_GROWTH`](super::MAX_GROWTH) times the file's size.
    #[error("{path}: the file's accessors add up to more than {limit} bytes")]
    TooMuchData {
        /// The first use of an accessor that is too much.
        path: String,
        /// Bytes allowed for this file.
        limit: u64,
    },
}

/// The place before a message; nothing for the whole text.
fn in_text(path: &str) -> String {
    if path == "." {
        String::new()
    } else {
        format!("{path}: ")
    }
}

impl GltfError {
    /// The error without the name of the file ([`InFile`](Self::InFile)): to tell kinds apart.
    #[must_use]
    pub fn reason(&self) -> &Self {
        match self {
            Self::InFile { source, .. } => source,
            other => other,
        }
    }

    /// The place in the file's JSON, where the error has one.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::InFile { source, .. } => source.path(),
            Self::File { .. } | Self::Empty | Self::NotGltf | Self::Version { .. } | Self::Glb { .. } => None,
            Self::Json { path, .. }
            | Self::NoSuchElement { path, .. }
            | Self::Buffer { path, .. }
            | Self::OutOfBounds { path, .. }
            | Self::AccessorKind { path, .. }
            | Self::Count { path, .. }
            | Self::SparseIndex { path, .. }
            | Self::NotFinite { path, .. }
            | Self::Tree { path, .. }
            | Self::Skeleton { path, .. }
            | Self::Skin { path, .. }
            | Self::Channel { path, .. }
            | Self::Extension { path, .. }
            | Self::TooMuchData { path, .. } => Some(path),
        }
    }
}

/// What was mended or left out when a file was read.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// Nodes that stood before their parent in the file. Nothing is wrong with that.
    pub reordered_joints: usize,
    /// Nodes that are no joints: they only hold a skinned mesh, whose place their own transform does not change.
    pub left_out_nodes: usize,
    /// What was not as the format asks, or could not be used.
    pub warnings: Vec<GltfWarning>,
}

impl Report {
    /// Whether nothing was mended and everything used.
    #[must_use]
    pub const fn is_clean(&self) -> bool {
        self.warnings.is_empty()
    }
}

/// Something in a file that was mended or left out. `path` as in [`GltfError`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GltfWarning {
    /// Weights that did not add up to one were divided by their sum.
    #[error("{path}: the weights of {vertices} vertices did not add up to one and were divided by their sum")]
    RenormalizedWeights {
        /// The primitive.
        path: String,
        /// Vertices that were changed.
        vertices: usize,
    },
    /// Vertices without any weight follow their first joint.
    #[error("{path}: {vertices} vertices have no weight and follow their first joint")]
    UnweightedVertices {
        /// The primitive.
        path: String,
        /// How many.
        vertices: usize,
    },
    /// More than eight joints move a vertex: the eight of the largest weights were kept and renormalised.
    #[error("{path}: {vertices} vertices follow more than 8 joints; the 8 largest weights were kept")]
    DroppedInfluences {
        /// The primitive.
        path: String,
        /// Vertices that lost an influence.
        vertices: usize,
    },
    /// Keys that were not in the order of their times were sorted.
    #[error("{path}: {keys} keys before the key that they follow; the keys were sorted by time")]
    SortedKeys {
        /// The sampler's input.
        path: String,
        /// Times that are smaller than the one before.
        keys: usize,
    },
    /// Rotations that were not of length one (to [`UNIT_TOLERANCE`](super::UNIT_TOLERANCE)) were divided by it.
    #[error("{path}: {rotations} rotations were not of length one and were normalised")]
    NormalizedRotations {
        /// The sampler's output, or the node's rotation.
        path: String,
        /// How many.
        rotations: usize,
    },
    /// A node's matrix that no translation, rotation and scale make up: its shear was dropped.
    #[error("{path}: a sheared matrix; the nearest rotation and scale were taken")]
    ShearedMatrix {
        /// The matrix.
        path: String,
    },
    /// A channel that animates something else than a node's transform or its morph weights.
    #[error("{path}: left out: {why}")]
    IgnoredChannel {
        /// The channel.
        path: String,
        /// Why.
        why: &'static str,
    },
    /// Geometry that is not used.
    #[error("{path}: left out: {why}")]
    IgnoredPrimitive {
        /// The primitive.
        path: String,
        /// Why.
        why: &'static str,
    },
    /// Indices behind the last whole triangle.
    #[error("{path}: {indices} indices behind the last triangle were left out")]
    LeftoverIndices {
        /// The primitive.
        path: String,
        /// One or two.
        indices: usize,
    },
}

impl GltfWarning {
    /// The place in the file's JSON.
    #[must_use]
    pub fn path(&self) -> &str {
        match self {
            Self::RenormalizedWeights { path, .. }
            | Self::UnweightedVertices { path, .. }
            | Self::DroppedInfluences { path, .. }
            | Self::SortedKeys { path, .. }
            | Self::NormalizedRotations { path, .. }
            | Self::ShearedMatrix { path }
            | Self::IgnoredChannel { path, .. }
            | Self::IgnoredPrimitive { path, .. }
            | Self::LeftoverIndices { path, .. } => path,
        }
    }
}
