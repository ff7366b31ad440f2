//! glTF 2.0 files, as text with their buffers (`.gltf`) or in one piece (`.glb`). Needs the feature `gltf`.
//!
//! [`parse`] and [`load`] read skeletons, skins, meshes with morph targets, and animations; [`glb::write`](crate::glb::write)
//! writes them. Images, textures, cameras and lights are not read. The format's description is
//! the [glTF 2.0 specification](https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html).
//!
//! The whole file has ONE skeleton: its joints are the nodes, so that nodes between joints, armatures above them,
//! several skins, several scenes and animated nodes without any skin are all the same thing, and one pose plays
//! it all. Model space is the file's scene space. Left out are only nodes that hold a skinned mesh and nothing else,
//! because the format says that such a node's transform means nothing.
//!
//! What the reader does where files differ:
//!
//! | in the file | reading |
//! |-|-|
//! | order of nodes | depth first, so that parents stand before children: [`Gltf::joint_of_node`], [`Report::reordered_joints`] |
//! | a node without a name | `node 7` |
//! | a node's `matrix` | translation, rotation, scale; a shear is dropped with a warning |
//! | no inverse bind matrices | the identity |
//! | a mesh without a skin | hangs on its node's joint: one influence of weight 1, and a skin of its own ([`Skin::is_rigid`]) |
//! | quantised or normalised numbers | as floats (`KHR_mesh_quantization`); weights of one set in 8 bits stay in 8 bits |
//! | sparse accessors, accessors without a buffer view | read; morph targets keep only the vertices that move |
//! | more than 8 influences on a vertex | the 8 largest, renormalised, with a warning |
//! | weights that do not add up to one | divided by their sum, with a warning from [`Influences::SUM_TOLERANCE`](crate::Influences::SUM_TOLERANCE) on |
//! | times out of order | keys sorted by time, with a warning; two equal times are a step |
//! | strips and fans | triangles; points and lines are left out with a warning |
//! | an animated property that is no node's | left out with a warning |
//! | a required extension that changes geometry or nodes | [`GltfError::Extension`] |
//!
//! Everything else that is wrong is a [`GltfError`] that names the place in the JSON. No count in a file is
//! believed: at any moment the reader holds less than [`MAX_MEMORY`] times the bytes of the file and its buffers.
//!
//! ```no_run
//! use elea_anim::{BakeOptions, Pose, SkinInput, SkinOutput, glam::{Affine3A, Vec3, Vec4}};
//! use elea_anim::{gltf, local_to_model, palette, skin};
//!
//! let file = gltf::load("robot.glb")?;
//! for warning in &file.report.warnings {
//!     eprintln!("robot.glb: {warning}");
//! }
//! let (walk, _) = file.animation("Walking").ok_or("no such animation")?.bake(&file.skeleton, &BakeOptions::default())?;
//!
//! // Every frame, with buffers that are made once:
//! let mut pose = Pose::identity(file.skeleton.len());
//! let mut model = vec![Affine3A::IDENTITY; file.skeleton.len()];
//! walk.sample(0.3, &mut pose);
//! local_to_model(&file.skeleton, &pose, &mut model);
//! for instance in &file.instances {
//!     let binding = &file.skins[instance.skin].binding;
//!     let mut rows = vec![[Vec4::ZERO; 3]; binding.len()];
//!     palette(&model, binding, &mut rows);
//!     for mesh in instance.meshes.iter().map(|&index| &file.meshes[index].mesh) {
//!         let mut positions = vec![Vec3::ZERO; mesh.positions.len()];
//!         skin(
//!             &rows,
//!             SkinInput { positions: &mesh.positions, normals: &[], tangents: &[], influences: &mesh.influences },
//!             SkinOutput { positions: &mut positions, normals: &mut [], tangents: &mut [] },
//!         );
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod accessor;
mod animations;
mod container;
mod error;
mod meshes;
mod nodes;
mod schema;

use std::{collections::HashMap, fs, path::Path};

use glam::{Affine3A, Mat4, Vec2, Vec4};

use crate::{Animation, JointId, MorphTarget, MorphTrack, Skeleton, SkinBinding, SkinnedMesh};
use accessor::{Data, look_up};

pub use error::{GltfError, GltfWarning, Report};

/// What a file's accessors may add up to, as a multiple of the bytes of the file and its buffers (and 64 KiB for any
/// file). Numbers grow by 12 at most (a strip of 8-bit indices); the rest is for accessors that share their bytes.
pub const MAX_GROWTH: u64 = 64;

/// Bytes of memory that reading takes at most for each byte of the file and its buffers (and 256 KiB for any file).
/// Files full of empty nodes come near it; files with data in them take a few times their size.
pub const MAX_MEMORY: u64 = 256;

/// Rotations whose length is further from one are reported: half a step of 8-bit numbers in each of four.
pub const UNIT_TOLERANCE: f32 = 4.0 * 0.5 / 127.0;

/// What a glTF file holds, and what [`glb::write`](crate::glb::write) writes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Gltf {
    /// The nodes, parents before children. Joint names are node names.
    pub skeleton: Skeleton,
    /// The file's skins in their order, then one of a single joint for each joint on which a mesh hangs rigidly.
    pub skins: Vec<Skin>,
    /// The geometry, one for each of the file's primitives that is used.
    pub meshes: Vec<Mesh>,
    /// What is drawn: one for each node that has a mesh.
    pub instances: Vec<Instance>,
    /// The file's animations in their order. Those without a name are called `animation 2`.
    pub animations: Vec<Animation>,
    /// Animated weights of morph targets.
    pub morphs: Vec<MorphChannel>,
    /// The file's materials in their order.
    pub materials: Vec<Material>,
    /// The file's scenes in their order.
    pub scenes: Vec<Scene>,
    /// The scene to show; `None` where the file does not say.
    pub scene: Option<usize>,
    /// One per node of the file: the joint that it became.
    pub joint_of_node: Vec<Option<JointId>>,
    /// What was mended or left out.
    pub report: Report,
}

/// The joints that move a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Skin {
    /// Any text; may be empty.
    pub name: String,
    /// Joints and inverse bind matrices.
    pub binding: SkinBinding,
    /// Whether it was made for a mesh that hangs on its only joint, and is no skin of the file.
    pub is_rigid: bool,
}

/// A triangle mesh of one material.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// Geometry in bind space with its influences. Slots are those of the instance's skin.
    pub mesh: SkinnedMesh,
    /// One per vertex (`TEXCOORD_0`), or none at all.
    pub texcoords: Vec<Vec2>,
    /// One per vertex (`COLOR_0`, linear), or none at all.
    pub colors: Vec<Vec4>,
    /// Morph targets; all meshes of an instance have the same number.
    pub targets: Vec<MorphTarget>,
    /// Index into [`Gltf::materials`].
    pub material: Option<usize>,
}

impl Mesh {
    /// A mesh alone.
    #[must_use]
    pub const fn new(mesh: SkinnedMesh) -> Self {
        Self {
            mesh,
            texcoords: Vec::new(),
            colors: Vec::new(),
            targets: Vec::new(),
            material: None,
        }
    }
}

/// Meshes that are drawn together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Instance {
    /// The node's name.
    pub name: String,
    /// The node's index in the file.
    pub node: usize,
    /// The node at the top of its tree.
    pub top: usize,
    /// Index into [`Gltf::skins`].
    pub skin: usize,
    /// Indices into [`Gltf::meshes`].
    pub meshes: Vec<usize>,
    /// Weights of the meshes' morph targets when nothing animates them.
    pub weights: Vec<f32>,
}

/// The weights of an instance's morph targets in one animation.
#[derive(Clone, Debug, PartialEq)]
pub struct MorphChannel {
    /// Index into [`Gltf::animations`].
    pub animation: usize,
    /// Index into [`Gltf::instances`].
    pub instance: usize,
    /// The weights over time.
    pub track: MorphTrack,
}

/// The few properties of a material that every renderer has.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Any text; may be empty.
    pub name: String,
    /// Linear red, green, blue and opacity.
    pub base_color: [f32; 4],
    /// 0 is a dielectric, 1 a metal.
    pub metallic: f32,
    /// 0 is a mirror, 1 is matt.
    pub roughness: f32,
    /// Whether triangles are seen from behind as well.
    pub double_sided: bool,
}

impl Default for Material {
    /// A white, matt dielectric.
    fn default() -> Self {
        Self {
            name: String::new(),
            base_color: [1.0; 4],
            metallic: 0.0,
            roughness: 1.0,
            double_sided: false,
        }
    }
}

/// Nodes that are shown together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scene {
    /// Any text; may be empty.
    pub name: String,
    /// The nodes (of the file) at the top of its trees.
    pub nodes: Vec<usize>,
}

impl Gltf {
    /// A skeleton alone: the start of what is to be written.
    #[must_use]
    pub fn new(skeleton: Skeleton) -> Self {
        Self {
            skeleton,
            skins: Vec::new(),
            meshes: Vec::new(),
            instances: Vec::new(),
            animations: Vec::new(),
            morphs: Vec::new(),
            materials: Vec::new(),
            scenes: Vec::new(),
            scene: None,
            joint_of_node: Vec::new(),
            report: Report::default(),
        }
    }

    /// The first animation of that exact name.
    #[must_use]
    pub fn animation(&self, name: &str) -> Option<&Animation> {
        self.animations.iter().find(|animation| animation.name == name)
    }

    /// What one scene draws.
    pub fn instances_of<'a>(&'a self, scene: &'a Scene) -> impl Iterator<Item = &'a Instance> {
        self.instances
            .iter()
            .filter(|instance| scene.nodes.contains(&instance.top))
    }
}

/// Reads a GLB file, or a glTF text whose buffers are in it as data URIs.
///
/// ```
/// let text = br#"{
///     "asset": {"version": "2.0"},
///     "nodes": [{"name": "tip", "translation": [0, 1, 0]}, {"name": "root", "children": [0]}]
/// }"#;
/// let file = elea_anim::gltf::parse(text)?;
/// assert_eq!(file.skeleton.name(file.joint_of_node[0].expect("a joint")), "tip");
/// assert_eq!(file.skeleton.parents(), [None, Some(elea_anim::JointId(0))]);
///
/// let error = elea_anim::gltf::parse(br#"{"asset": {"version": "2.0"}, "nodes": [{"children": [5]}]}"#);
/// assert_eq!(error.unwrap_err().to_string(), "nodes[0].children[0]: 5, but there are 1");
/// # Ok::<(), elea_anim::gltf::GltfError>(())
/// ```
///
/// # Errors
/// [`GltfError`]; a buffer in another file is one as well: see [`load`].
pub fn parse(bytes: &[u8]) -> Result<Gltf, GltfError> {
    read(bytes, None)
}

/// Reads a file and the buffers beside it, as the `uri`s in it say, relative to its folder (`../` included). Other
/// machines, absolute paths and what is no plain file are errors, and no more of a file is read than its buffer's
/// `byteLength`.
///
/// # Errors
/// [`GltfError::File`] where the file cannot be read, [`GltfError::InFile`] with the reason for all else; both name the
/// file.
pub fn load(path: impl AsRef<Path>) -> Result<Gltf, GltfError> {
    let path = path.as_ref();
    let file = || path.display().to_string();
    let bytes = fs::read(path).map_err(|error| GltfError::File {
        file: file(),
        message: error.to_string(),
    })?;
    let folder = path.parent().unwrap_or_else(|| Path::new(""));
    read(&bytes, Some(folder)).map_err(|source| GltfError::InFile {
        file: file(),
        source: Box::new(source),
    })
}

/// Extensions that do not change what is read here, by the beginning of their names.
const HARMLESS: [&str; 9] = [
    "KHR_mesh_quantization",
    "KHR_materials_",
    "KHR_texture_",
    "KHR_lights_",
    "KHR_xmp",
    "KHR_animation_pointer",
    "EXT_texture_",
    "EXT_lights_",
    "MSFT_texture_",
];

fn read(bytes: &[u8], folder: Option<&Path>) -> Result<Gltf, GltfError> {
    let (json, binary) = container::split(bytes)?;
    let root = container::read_json(json)?;
    for (index, name) in root.extensions_required.iter().enumerate() {
        if !HARMLESS.iter().any(|harmless| name.starts_with(harmless)) {
            return Err(GltfError::Extension {
                path: format!("extensionsRequired[{index}]"),
                name: name.clone(),
            });
        }
    }
    let buffers = container::buffers(&root, binary, folder)?;
    let data = Data::new(&root, buffers, json.len());
    let mut report = Report::default();
    let nodes::Nodes {
        skeleton,
        joints,
        tops,
    } = nodes::read(&root, &mut report)?;
    let mut builder = Builder {
        data: &data,
        joints: &joints,
        tops: &tops,
        skins: skins(&data, &joints)?,
        meshes: Vec::new(),
        by_primitive: HashMap::new(),
        rigid: HashMap::new(),
        names: HashMap::new(),
        report: &mut report,
    };
    let (mut instances, mut morph_targets) = (Vec::new(), Vec::new());
    for node in 0..root.nodes.len() {
        if let Some((instance, targets)) = builder.instance(node)? {
            instances.push(instance);
            morph_targets.push(targets);
        }
    }
    let (skins, meshes) = (builder.skins, builder.meshes);
    let targets = animations::Targets {
        joints: &joints,
        instances: &instances,
        morph_targets: &morph_targets,
    };
    let (animations, morphs) = animations::read(&data, &targets, &mut report)?;
    let scenes = scenes(&root)?;
    if let Some(scene) = root.scene {
        look_up(&scenes, scene, format_args!("scene"))?;
    }
    Ok(Gltf {
        skeleton,
        skins,
        meshes,
        instances,
        animations,
        morphs,
        materials: materials(&root)?,
        scenes,
        scene: root.scene,
        joint_of_node: joints,
        report,
    })
}

fn scenes(root: &schema::Root) -> Result<Vec<Scene>, GltfError> {
    let scene = |(index, scene): (usize, &schema::Scene)| {
        for (position, &node) in scene.nodes.iter().enumerate() {
            look_up(
                &root.nodes,
                node,
                format_args!("scenes[{index}].nodes[{position}]"),
            )?;
        }
        Ok(Scene {
            name: scene.name.clone().unwrap_or_default(),
            nodes: scene.nodes.clone(),
        })
    };
    root.scenes.iter().enumerate().map(scene).collect()
}

fn materials(root: &schema::Root) -> Result<Vec<Material>, GltfError> {
    let read = |(index, material): (usize, &schema::Material)| {
        let pbr = &material.pbr_metallic_roughness;
        let read = Material {
            name: material.name.clone().unwrap_or_default(),
            base_color: pbr.base_color_factor.unwrap_or([1.0; 4]),
            metallic: pbr.metallic_factor.unwrap_or(1.0),
            roughness: pbr.roughness_factor.unwrap_or(1.0),
            double_sided: material.double_sided,
        };
        let [r, g, b, a] = read.base_color;
        let numbers = [r, g, b, a, read.metallic, read.roughness];
        match numbers.iter().position(|number| !number.is_finite()) {
            None => Ok(read),
            Some(element) => Err(GltfError::NotFinite {
                path: format!("materials[{index}].pbrMetallicRoughness"),
                element,
            }),
        }
    };
    root.materials.iter().enumerate().map(read).collect()
}

fn skins(data: &Data<'_>, joints: &[Option<JointId>]) -> Result<Vec<Skin>, GltfError> {
    let mut skins = Vec::new();
    for (index, skin) in data.root.skins.iter().enumerate() {
        let ids = skin.joints.iter().enumerate().map(|(slot, &node)| {
            let path = format_args!("skins[{index}].joints[{slot}]");
            // A joint of a skin is always a joint.
            Ok(look_up(joints, node, path)?.unwrap_or(JointId(0)))
        });
        let ids: Vec<JointId> = ids.collect::<Result<_, _>>()?;
        let binding = match skin.inverse_bind_matrices {
            None => SkinBinding::with_identity(ids),
            Some(accessor) => {
                let path = format_args!("skins[{index}].inverseBindMatrices");
                let matrices: Vec<[f32; 16]> = data.floats(accessor, path)?;
                if matrices.len() < ids.len() {
                    return Err(GltfError::Count {
                        path: path.to_string(),
                        found: matrices.len(),
                        expected: ids.len(),
                    });
                }
                // The last row is (0, 0, 0, 1) by the specification.
                let affine = |columns: &[f32; 16]| Affine3A::from_mat4(Mat4::from_cols_array(columns));
                let matrices = matrices.iter().take(ids.len()).map(affine).collect();
                SkinBinding::new(ids, matrices).map_err(|source| GltfError::Skin {
                    path: format!("skins[{index}]"),
                    source,
                })?
            }
        };
        skins.push(Skin {
            name: skin.name.clone().unwrap_or_default(),
            binding,
            is_rigid: false,
        });
    }
    Ok(skins)
}

/// Collects what nodes draw; everything that several of them share is read once.
struct Builder<'a, 'd> {
    data: &'a Data<'d>,
    joints: &'a [Option<JointId>],
    tops: &'a [usize],
    skins: Vec<Skin>,
    meshes: Vec<Mesh>,
    /// By mesh, primitive and skin: the index in `meshes`, if it could be used.
    by_primitive: HashMap<(usize, usize, Option<usize>), Option<usize>>,
    /// By joint: the index in `skins`.
    rigid: HashMap<JointId, usize>,
    /// Names of morph targets by mesh.
    names: HashMap<usize, Vec<String>>,
    report: &'a mut Report,
}

impl Builder<'_, '_> {
    /// What a node draws, if anything, and its number of morph targets.
    fn instance(&mut self, index: usize) -> Result<Option<(Instance, usize)>, GltfError> {
        let root = self.data.root;
        let node = &root.nodes[index];
        let Some(mesh) = node.mesh else {
            return Ok(None);
        };
        let schema = look_up(&root.meshes, mesh, format_args!("nodes[{index}].mesh"))?;
        if let Some(skin) = node.skin {
            look_up(&root.skins, skin, format_args!("nodes[{index}].skin"))?;
        }
        let targets = meshes::target_count(&schema.primitives, format_args!("meshes[{mesh}]"))?;
        let size = schema.primitives.len().saturating_add(targets) * size_of::<usize>();
        self.data.charge(size, format_args!("nodes[{index}].mesh"))?;
        let mut list = Vec::new();
        for primitive in 0..schema.primitives.len() {
            list.extend(self.mesh(mesh, primitive, node.skin)?);
        }
        let weights = match (&node.weights, &schema.weights) {
            (Some(weights), _) => (weights, format!("nodes[{index}].weights")),
            (None, Some(weights)) => (weights, format!("meshes[{mesh}].weights")),
            (None, None) => (&vec![0.0; targets], String::new()),
        };
        let (weights, path) = weights;
        if weights.len() != targets {
            return Err(GltfError::Count {
                path,
                found: weights.len(),
                expected: targets,
            });
        }
        if let Some(element) = weights.iter().position(|weight| !weight.is_finite()) {
            return Err(GltfError::NotFinite { path, element });
        }
        let skin = match node.skin {
            Some(skin) => skin,
            // Such a node is always a joint.
            None => self.rigid_skin(self.joints[index].unwrap_or(JointId(0))),
        };
        let instance = Instance {
            name: nodes::name(&root.nodes, index),
            node: index,
            top: self.tops[index],
            skin,
            meshes: list,
            weights: weights.clone(),
        };
        Ok(Some((instance, targets)))
    }

    fn mesh(
        &mut self,
        mesh: usize,
        primitive: usize,
        skin: Option<usize>,
    ) -> Result<Option<usize>, GltfError> {
        let key = (mesh, primitive, skin);
        if let Some(&index) = self.by_primitive.get(&key) {
            return Ok(index);
        }
        let names = self
            .names
            .entry(mesh)
            .or_insert_with(|| meshes::target_names(self.data, mesh));
        let slots = skin.map(|skin| self.skins[skin].binding.len());
        let read = meshes::read(self.data, (mesh, primitive), slots, names, self.report)?;
        let index = read.map(|mesh| {
            self.meshes.push(mesh);
            self.meshes.len() - 1
        });
        self.by_primitive.insert(key, index);
        Ok(index)
    }

    fn rigid_skin(&mut self, joint: JointId) -> usize {
        *self.rigid.entry(joint).or_insert_with(|| {
            self.skins.push(Skin {
                name: String::new(),
                binding: SkinBinding::with_identity(vec![joint]),
                is_rigid: true,
            });
            self.skins.len() - 1
        })
    }
}
