//! Writing glTF 2.0 in one piece (`.glb`). Needs the feature `gltf`.
//!
//! [`write()`] takes what [`gltf::parse`](crate::gltf::parse) gives, so that a file can be read, given another
//! motion and written; or a [`Gltf`] that is made by hand. What it writes passes the Khronos validator without a
//! warning and opens in Blender, three.js and engines:
//!
//! ```
//! use elea_anim::{Animation, Channel, Influences, Interpolation, Joint, JointId, Key, Skeleton, SkinBinding, SkinnedMesh, Transform};
//! use elea_anim::glam::{Quat, Vec3};
//! use elea_anim::{glb, gltf::{self, Gltf, Instance, Mesh, Skin}};
//!
//! let joint = |name: &str, parent, rest| Joint { name: name.into(), parent, rest };
//! let skeleton = Skeleton::new(vec![
//!     joint("hips", None, Transform::IDENTITY),
//!     joint("chest", Some(JointId(0)), Transform::from_translation(Vec3::Y)),
//! ])?;
//! let (influences, _) = Influences::new(1, 2, vec![0, 0, 1], vec![1.0; 3])?;
//! let triangle = SkinnedMesh {
//!     positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y * 2.0],
//!     normals: vec![Vec3::Z; 3],
//!     tangents: Vec::new(),
//!     influences,
//!     triangles: vec![[0, 1, 2]],
//! };
//! let keys = [Key::new(0.0, Quat::IDENTITY), Key::new(1.0, Quat::from_rotation_z(0.5))];
//! let bow = Channel::rotation(JointId(1), Interpolation::Linear, &keys)?;
//!
//! let mut file = Gltf::new(skeleton);
//! file.skins = vec![Skin { name: "body".into(), binding: SkinBinding::from_rest_pose(&file.skeleton)?, is_rigid: false }];
//! file.meshes = vec![Mesh::new(triangle)];
//! file.instances = vec![Instance { name: "body".into(), skin: 0, meshes: vec![0], ..Instance::default() }];
//! file.animations = vec![Animation::new("bow", vec![bow])];
//! let bytes = glb::write(&file)?;
//!
//! let back = gltf::parse(&bytes)?;
//! assert_eq!((&back.skeleton, &back.animations), (&file.skeleton, &file.animations));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A skeleton without any skin is written as plain nodes; give it one skin (of
//! [`SkinBinding::from_rest_pose`](crate::SkinBinding::from_rest_pose)), without any mesh, and Blender makes an armature of it.

mod animation;
mod buffer;
mod mesh;
mod schema;

use std::collections::HashMap;

use crate::{
    JointId, Skeleton, SkinError,
    gltf::{Gltf, Instance, Skin},
};
use buffer::Buffer;

/// Why a file could not be written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GlbError {
    /// An index of something that is not there.
    #[error("{what} is {index}, but there are {count}")]
    NoSuchElement {
        /// What the index stands for.
        what: String,
        /// The index.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A mesh whose lists do not fit each other.
    #[error("meshes[{mesh}]: {source}")]
    Mesh {
        /// Index of the mesh.
        mesh: usize,
        /// What is wrong.
        source: SkinError,
    },
    /// A list of another length than it needs.
    #[error("{what}: {found} elements where {expected} are needed")]
    Count {
        /// The list.
        what: String,
        /// Its length.
        found: usize,
        /// The length that would fit.
        expected: usize,
    },
    /// A NaN or an infinity.
    #[error("{what}: element {element} is not finite")]
    NotFinite {
        /// The list.
        what: String,
        /// Which element.
        element: usize,
    },
    /// The format has no additive animations.
    #[error("animation \"{name}\" is additive; add it to a pose first")]
    Additive {
        /// The animation's name.
        name: String,
    },
    /// GLB counts its bytes in 32 bits.
    #[error("{bytes} bytes; a GLB file holds less than 4 GiB")]
    TooLarge {
        /// Size of the file.
        bytes: usize,
    },
}

/// Writes a GLB file: the skeleton with its rest pose, skins, meshes with morph targets, materials, scenes and
/// animations. The same input gives the same bytes.
///
/// Where the format asks for more than this crate does:
///
/// * Key times must grow and begin at 0 or later: one of two equal times is moved by the smallest possible
///   step, and an animation that starts before 0 is moved to start at 0.
/// * Of several channels of one property of a joint the last is written: it is the one that counts.
/// * A spline of one key is a constant. Animations without channels are left out, and so are meshes without triangles.
/// * Normals and tangents are made unit (a normal of length zero points along y, a tangent along x), colours clamped
///   to 0..=1, influences of one joint on a vertex added up.
/// * The joints of a skin need a common root: where they have none, a node `armature` above all roots is added.
///
/// [`Animation::events`](crate::Animation::events) and [`markers`](crate::Animation::markers) go into the
/// animation's `extras`, where [`gltf::parse`](crate::gltf::parse) finds them again.
/// [`Instance::node`], [`Gltf::joint_of_node`] and [`Gltf::report`] describe a file that was read: of them only
/// [`Gltf::scenes`] uses the first two. Without scenes everything is in one.
///
/// # Errors
/// [`GlbError`] names what does not fit.
pub fn write(file: &Gltf) -> Result<Vec<u8>, GlbError> {
    let mut buffer = Buffer::default();
    let skeleton = &file.skeleton;
    let mut nodes: Vec<schema::Node<'_>> = skeleton
        .joints()
        .map(|joint| schema::Node::new(skeleton.name(joint), skeleton.rest_pose().get(joint)))
        .collect();
    for joint in skeleton.joints() {
        if let Some(parent) = skeleton.parent(joint) {
            nodes[parent.index()].children.push(joint.index());
        }
    }
    check(file)?;
    let skins = write_skins(file, &mut buffer);
    let mut writer = mesh::Writer::new(file, &mut buffer);
    let mut node_of_instance = Vec::with_capacity(file.instances.len());
    for instance in &file.instances {
        let mesh = writer.mesh(instance)?;
        let node = place(file, instance, mesh, skins.of[instance.skin], &mut nodes);
        node_of_instance.push(node);
    }
    let meshes = writer.meshes;
    let animations = animation::write(file, &node_of_instance, &mut buffer)?;
    let armature = needs_armature(file).then(|| {
        let mut node = schema::Node::new("armature", crate::Transform::IDENTITY);
        node.children = roots(skeleton).map(JointId::index).collect();
        nodes.push(node);
        nodes.len() - 1
    });
    let scenes = scenes(file, &node_of_instance, armature);
    let (bytes, accessors, buffer_views) = buffer.finish();
    let root = schema::Root {
        asset: schema::Asset {
            version: "2.0",
            generator: concat!("elea-anim ", env!("CARGO_PKG_VERSION")),
        },
        scene: file.scene.filter(|_| armature.is_none()).unwrap_or(0),
        scenes,
        nodes,
        meshes,
        skins: skins.list,
        animations,
        materials: file.materials.iter().map(schema::Material::new).collect(),
        accessors,
        buffer_views,
        buffers: if bytes.is_empty() {
            Vec::new()
        } else {
            vec![schema::BufferSize {
                byte_length: bytes.len(),
            }]
        },
    };
    // Numbers, strings, lists and structs can always be written.
    let json = serde_json::to_vec(&root).unwrap_or_default();
    assemble(json, bytes)
}

/// Header, JSON and bytes.
fn assemble(mut json: Vec<u8>, mut bytes: Vec<u8>) -> Result<Vec<u8>, GlbError> {
    json.resize(json.len().next_multiple_of(4), b' ');
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let has_bytes = !bytes.is_empty();
    let length = 12 + 8 + json.len() + if has_bytes { 8 + bytes.len() } else { 0 };
    let number = |number: usize| u32::try_from(number).map(u32::to_le_bytes);
    let too_large = |_| GlbError::TooLarge { bytes: length };
    let mut out = Vec::with_capacity(length);
    out.extend(b"glTF\x02\0\0\0");
    out.extend(number(length).map_err(too_large)?);
    out.extend(number(json.len()).map_err(too_large)?);
    out.extend(b"JSON");
    out.append(&mut json);
    if has_bytes {
        out.extend(number(bytes.len()).map_err(too_large)?);
        out.extend(b"BIN\0");
        out.append(&mut bytes);
    }
    Ok(out)
}

fn roots(skeleton: &Skeleton) -> impl Iterator<Item = JointId> + '_ {
    skeleton
        .joints()
        .filter(|&joint| skeleton.parent(joint).is_none())
}

fn look_up(what: impl FnOnce() -> String, index: usize, count: usize) -> Result<(), GlbError> {
    if index < count {
        return Ok(());
    }
    Err(GlbError::NoSuchElement {
        what: what(),
        index,
        count,
    })
}

/// Every index and count that the caller may have got wrong.
fn check(file: &Gltf) -> Result<(), GlbError> {
    for (index, skin) in file.skins.iter().enumerate() {
        for (slot, joint) in skin.binding.joints().iter().enumerate() {
            let what = || format!("joint of slot {slot} of skins[{index}]");
            look_up(what, joint.index(), file.skeleton.len())?;
        }
    }
    for (index, instance) in file.instances.iter().enumerate() {
        look_up(
            || format!("instances[{index}].skin"),
            instance.skin,
            file.skins.len(),
        )?;
        let slots = file.skins[instance.skin].binding.len();
        for &mesh in &instance.meshes {
            look_up(|| format!("instances[{index}].meshes"), mesh, file.meshes.len())?;
            let needed = file.meshes[mesh].mesh.influences.slots();
            if slots < needed {
                return Err(GlbError::Count {
                    what: format!("skins[{}] for meshes[{mesh}]", instance.skin),
                    found: slots,
                    expected: needed,
                });
            }
            let targets = file.meshes[mesh].targets.len();
            if instance.weights.len() != targets {
                return Err(GlbError::Count {
                    what: format!("instances[{index}].weights for meshes[{mesh}]"),
                    found: instance.weights.len(),
                    expected: targets,
                });
            }
        }
        finite(|| format!("instances[{index}].weights"), &instance.weights)?;
    }
    for (index, mesh) in file.meshes.iter().enumerate() {
        if let Some(material) = mesh.material {
            look_up(
                || format!("meshes[{index}].material"),
                material,
                file.materials.len(),
            )?;
        }
    }
    for (index, material) in file.materials.iter().enumerate() {
        let [r, g, b, a] = material.base_color;
        let numbers = [r, g, b, a, material.metallic, material.roughness];
        finite(|| format!("materials[{index}]"), &numbers)?;
    }
    if let Some(scene) = file.scene {
        look_up(|| "scene".to_owned(), scene, file.scenes.len())?;
    }
    Ok(())
}

fn finite(what: impl FnOnce() -> String, numbers: &[f32]) -> Result<(), GlbError> {
    match numbers.iter().position(|number| !number.is_finite()) {
        None => Ok(()),
        Some(element) => Err(GlbError::NotFinite {
            what: what(),
            element,
        }),
    }
}

/// Whether meshes of this skin are written as hanging on its joint.
fn is_rigid(skin: &Skin) -> bool {
    let identity = glam::Affine3A::IDENTITY;
    skin.is_rigid && skin.binding.inverse_bind() == [identity]
}

struct Skins<'a> {
    list: Vec<schema::Skin<'a>>,
    /// For each of [`Gltf::skins`], its place in `list`.
    of: Vec<Option<usize>>,
}

fn write_skins<'a>(file: &'a Gltf, buffer: &mut Buffer) -> Skins<'a> {
    let mut skins = Skins {
        list: Vec::new(),
        of: Vec::new(),
    };
    for skin in &file.skins {
        if is_rigid(skin) || skin.binding.is_empty() {
            skins.of.push(None);
            continue;
        }
        let matrices = skin.binding.inverse_bind().iter();
        let columns: Vec<[f32; 16]> = matrices
            .map(|matrix| glam::Mat4::from(*matrix).to_cols_array())
            .collect();
        skins.of.push(Some(skins.list.len()));
        skins.list.push(schema::Skin {
            name: &skin.name,
            inverse_bind_matrices: buffer.floats(&columns, None, false),
            joints: skin.binding.joints().iter().map(|joint| joint.index()).collect(),
        });
    }
    skins
}

/// Puts a mesh into the tree of nodes.
fn place<'a>(
    file: &Gltf,
    instance: &'a Instance,
    mesh: Option<usize>,
    skin: Option<usize>,
    nodes: &mut Vec<schema::Node<'a>>,
) -> usize {
    let mut node = schema::Node::new(&instance.name, crate::Transform::IDENTITY);
    node.mesh = mesh;
    node.skin = skin.filter(|_| mesh.is_some());
    if is_rigid(&file.skins[instance.skin]) {
        let joint = file.skins[instance.skin].binding.joints()[0].index();
        if nodes[joint].mesh.is_none() {
            nodes[joint].mesh = mesh;
            return joint;
        }
        let child = nodes.len();
        nodes[joint].children.push(child);
    }
    nodes.push(node);
    nodes.len() - 1
}

/// Whether there is a skin whose joints stand in several trees.
fn needs_armature(file: &Gltf) -> bool {
    let mut tops: Vec<JointId> = Vec::with_capacity(file.skeleton.len());
    for joint in file.skeleton.joints() {
        let parent = file.skeleton.parent(joint);
        tops.push(parent.map_or(joint, |parent| tops[parent.index()]));
    }
    file.skins.iter().any(|skin| {
        let mut joints = skin.binding.joints().iter().map(|joint| tops[joint.index()]);
        let first = joints.next();
        joints.any(|top| Some(top) != first)
    })
}

fn scenes<'a>(file: &'a Gltf, node_of_instance: &[usize], armature: Option<usize>) -> Vec<schema::Scene<'a>> {
    let skeleton = &file.skeleton;
    // Joints and what hangs on them are in the tree already.
    let free = |index: &usize| !is_rigid(&file.skins[file.instances[*index].skin]);
    let instances: Vec<usize> = (0..file.instances.len()).filter(free).collect();
    if armature.is_some() || file.scenes.is_empty() {
        let mut nodes: Vec<usize> = match armature {
            Some(armature) => vec![armature],
            None => roots(skeleton).map(JointId::index).collect(),
        };
        nodes.extend(instances.iter().map(|&instance| node_of_instance[instance]));
        return vec![schema::Scene { name: "", nodes }];
    }
    let mut by_top: HashMap<usize, Vec<usize>> = HashMap::new();
    for &instance in &instances {
        let nodes = by_top.entry(file.instances[instance].top).or_default();
        nodes.push(node_of_instance[instance]);
    }
    let scene = |scene: &'a crate::gltf::Scene| {
        let joints = scene
            .nodes
            .iter()
            .filter_map(|&node| file.joint_of_node.get(node).copied().flatten())
            .filter(|joint| joint.index() < skeleton.len() && skeleton.parent(*joint).is_none());
        let mut nodes: Vec<usize> = joints.map(JointId::index).collect();
        for node in &scene.nodes {
            nodes.extend(by_top.get(node).into_iter().flatten());
        }
        schema::Scene {
            name: &scene.name,
            nodes,
        }
    };
    file.scenes.iter().map(scene).collect()
}
