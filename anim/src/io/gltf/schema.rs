//! The part of glTF's JSON that is read, as it stands in the file: nothing in it is checked but its kind.
//!
//! The names are those of the glTF 2.0 specification. Unknown fields are skipped. Indices are plain numbers:
//! everything that uses one looks it up with a check.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Root {
    pub(super) asset: Asset,
    #[serde(default)]
    pub(super) extensions_required: Vec<String>,
    #[serde(default)]
    pub(super) accessors: Vec<Accessor>,
    #[serde(default)]
    pub(super) animations: Vec<Animation>,
    #[serde(default)]
    pub(super) buffers: Vec<Buffer>,
    #[serde(default)]
    pub(super) buffer_views: Vec<BufferView>,
    #[serde(default)]
    pub(super) materials: Vec<Material>,
    #[serde(default)]
    pub(super) meshes: Vec<Mesh>,
    #[serde(default)]
    pub(super) nodes: Vec<Node>,
    pub(super) scene: Option<usize>,
    #[serde(default)]
    pub(super) scenes: Vec<Scene>,
    #[serde(default)]
    pub(super) skins: Vec<Skin>,
}

#[derive(Deserialize)]
pub(super) struct Asset {
    pub(super) version: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    pub(super) byte_length: u64,
    pub(super) uri: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub(super) buffer: usize,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) byte_length: u64,
    pub(super) byte_stride: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub(super) buffer_view: Option<usize>,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) component_type: u64,
    #[serde(default)]
    pub(super) normalized: bool,
    pub(super) count: u64,
    #[serde(rename = "type")]
    pub(super) kind: Kind,
    pub(super) sparse: Option<Box<Sparse>>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum Kind {
    Scalar,
    Vec2,
    Vec3,
    Vec4,
    Mat2,
    Mat3,
    Mat4,
}

#[derive(Deserialize)]
pub(super) struct Sparse {
    pub(super) count: u64,
    pub(super) indices: SparseIndices,
    pub(super) values: SparseValues,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    pub(super) buffer_view: usize,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) component_type: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    pub(super) buffer_view: usize,
    #[serde(default)]
    pub(super) byte_offset: u64,
}

#[derive(Deserialize)]
pub(super) struct Node {
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) children: Vec<usize>,
    pub(super) matrix: Option<Box<[f32; 16]>>,
    pub(super) translation: Option<[f32; 3]>,
    pub(super) rotation: Option<[f32; 4]>,
    pub(super) scale: Option<[f32; 3]>,
    pub(super) mesh: Option<usize>,
    pub(super) skin: Option<usize>,
    pub(super) weights: Option<Vec<f32>>,
}

#[derive(Deserialize)]
pub(super) struct Scene {
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) nodes: Vec<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Skin {
    pub(super) name: Option<String>,
    pub(super) joints: Vec<usize>,
    pub(super) inverse_bind_matrices: Option<usize>,
}

#[derive(Deserialize)]
pub(super) struct Mesh {
    pub(super) primitives: Vec<Primitive>,
    pub(super) weights: Option<Vec<f32>>,
    /// Any JSON; `targetNames` in it names the morph targets.
    pub(super) extras: Option<Box<RawValue>>,
}

/// What exporters agreed on for the names of morph targets.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MeshExtras {
    pub(super) target_names: Vec<String>,
}

#[derive(Deserialize)]
pub(super) struct Primitive {
    pub(super) attributes: BTreeMap<String, usize>,
    pub(super) indices: Option<usize>,
    pub(super) material: Option<usize>,
    pub(super) mode: Option<u64>,
    #[serde(default)]
    pub(super) targets: Vec<BTreeMap<String, usize>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Material {
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) pbr_metallic_roughness: Pbr,
    #[serde(default)]
    pub(super) double_sided: bool,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Pbr {
    pub(super) base_color_factor: Option<[f32; 4]>,
    pub(super) metallic_factor: Option<f32>,
    pub(super) roughness_factor: Option<f32>,
}

#[derive(Deserialize)]
pub(super) struct Animation {
    pub(super) name: Option<String>,
    pub(super) channels: Vec<AnimationChannel>,
    pub(super) samplers: Vec<Sampler>,
    /// Any JSON; see [`AnimationExtras`].
    pub(super) extras: Option<Box<RawValue>>,
}

/// What [`glb::write`](crate::glb::write) keeps there.
#[derive(Default, Deserialize)]
pub(super) struct AnimationExtras {
    #[serde(default)]
    pub(super) events: Vec<Marker>,
    #[serde(default)]
    pub(super) markers: Vec<Marker>,
}

#[derive(Deserialize)]
pub(super) struct Marker {
    pub(super) time: f32,
    pub(super) name: String,
}

#[derive(Deserialize)]
pub(super) struct AnimationChannel {
    pub(super) sampler: usize,
    pub(super) target: Target,
}

#[derive(Deserialize)]
pub(super) struct Target {
    pub(super) node: Option<usize>,
    pub(super) path: String,
}

#[derive(Deserialize)]
pub(super) struct Sampler {
    pub(super) input: usize,
    #[serde(default)]
    pub(super) interpolation: Curve,
    pub(super) output: usize,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum Curve {
    Step,
    #[default]
    Linear,
    CubicSpline,
}
