//! The part of glTF's JSON that is written. The names are those of the glTF 2.0 specification, where a list that is
//! there must not be empty.

use serde::Serialize;

use crate::{Transform, gltf};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Root<'a> {
    pub(super) asset: Asset,
    pub(super) scene: usize,
    pub(super) scenes: Vec<Scene<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) nodes: Vec<Node<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) meshes: Vec<Mesh<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) skins: Vec<Skin<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) animations: Vec<Animation<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) materials: Vec<Material<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) accessors: Vec<Accessor>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) buffer_views: Vec<BufferView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) buffers: Vec<BufferSize>,
}

#[derive(Serialize)]
pub(super) struct Asset {
    pub(super) version: &'static str,
    pub(super) generator: &'static str,
}

#[derive(Serialize)]
pub(super) struct Scene<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) name: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) nodes: Vec<usize>,
}

#[derive(Serialize)]
pub(super) struct Node<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) translation: Option<[f32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rotation: Option<[f32; 4]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) scale: Option<[f32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mesh: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) skin: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) children: Vec<usize>,
}

impl<'a> Node<'a> {
    /// A node without mesh and children.
    pub(super) fn new(name: &'a str, transform: Transform) -> Self {
        let Transform {
            translation,
            rotation,
            scale,
        } = transform;
        let identity = Transform::IDENTITY;
        Self {
            name,
            translation: (translation != identity.translation).then(|| translation.to_array()),
            rotation: (rotation != identity.rotation).then(|| rotation.to_array()),
            scale: (scale != identity.scale).then(|| scale.to_array()),
            mesh: None,
            skin: None,
            children: Vec::new(),
        }
    }
}

#[derive(Serialize)]
pub(super) struct Mesh<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) name: &'a str,
    pub(super) primitives: Vec<Primitive>,
    #[serde(skip_serializing_if = "<[f32]>::is_empty")]
    pub(super) weights: &'a [f32],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) extras: Option<MeshExtras<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MeshExtras<'a> {
    pub(super) target_names: Vec<&'a str>,
}

#[derive(Clone, Serialize)]
pub(super) struct Primitive {
    pub(super) attributes: Attributes,
    pub(super) indices: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) material: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) targets: Vec<Attributes>,
}

/// Names and accessors, written as an object.
#[derive(Clone, Default)]
pub(super) struct Attributes(pub(super) Vec<(String, usize)>);

impl Serialize for Attributes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, accessor)| (name, accessor)))
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Skin<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) name: &'a str,
    pub(super) inverse_bind_matrices: usize,
    pub(super) joints: Vec<usize>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Material<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    name: &'a str,
    pbr_metallic_roughness: Pbr,
    #[serde(skip_serializing_if = "Option::is_none")]
    alpha_mode: Option<&'static str>,
    double_sided: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Pbr {
    base_color_factor: [f32; 4],
    metallic_factor: f32,
    roughness_factor: f32,
}

impl<'a> Material<'a> {
    /// The format has no numbers outside 0..=1 here.
    pub(super) fn new(material: &'a gltf::Material) -> Self {
        let base_color_factor = material.base_color.map(|factor| factor.clamp(0.0, 1.0));
        Self {
            name: &material.name,
            pbr_metallic_roughness: Pbr {
                base_color_factor,
                metallic_factor: material.metallic.clamp(0.0, 1.0),
                roughness_factor: material.roughness.clamp(0.0, 1.0),
            },
            alpha_mode: (base_color_factor[3] < 1.0).then_some("BLEND"),
            double_sided: material.double_sided,
        }
    }
}

#[derive(Serialize)]
pub(super) struct Animation<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) name: &'a str,
    pub(super) channels: Vec<Channel>,
    pub(super) samplers: Vec<Sampler>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) extras: Option<AnimationExtras<'a>>,
}

/// What the format has no place for.
#[derive(Serialize)]
pub(super) struct AnimationExtras<'a> {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) events: Vec<Marker<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) markers: Vec<Marker<'a>>,
}

#[derive(Serialize)]
pub(super) struct Marker<'a> {
    pub(super) time: f32,
    pub(super) name: &'a str,
}

#[derive(Serialize)]
pub(super) struct Channel {
    pub(super) sampler: usize,
    pub(super) target: Target,
}

#[derive(Serialize)]
pub(super) struct Target {
    pub(super) node: usize,
    pub(super) path: &'static str,
}

#[derive(Serialize)]
pub(super) struct Sampler {
    pub(super) input: usize,
    pub(super) interpolation: &'static str,
    pub(super) output: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) buffer_view: Option<usize>,
    pub(super) component_type: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) normalized: bool,
    pub(super) count: usize,
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    /// In f64, whose shortest decimals are the f32 to the last bit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) min: Vec<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) max: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sparse: Option<Sparse>,
}

#[derive(Serialize)]
pub(super) struct Sparse {
    pub(super) count: usize,
    pub(super) indices: SparseIndices,
    pub(super) values: SparseValues,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    pub(super) buffer_view: usize,
    pub(super) component_type: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    pub(super) buffer_view: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub(super) buffer: usize,
    pub(super) byte_offset: usize,
    pub(super) byte_length: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) target: Option<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferSize {
    pub(super) byte_length: usize,
}
