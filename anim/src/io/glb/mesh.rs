//! From meshes to primitives.

use std::collections::HashMap;

use glam::{Vec3, Vec4};

use super::{
    GlbError,
    buffer::{Buffer, Use},
    finite, is_rigid, schema,
};
use crate::{
    Influences,
    gltf::{Gltf, Instance, Mesh},
    influences::Weights,
};

/// Influences in one attribute.
const SET: usize = 4;

pub(super) struct Writer<'a, 'b> {
    file: &'a Gltf,
    buffer: &'b mut Buffer,
    pub(super) meshes: Vec<schema::Mesh<'a>>,
    /// By the instance's meshes, the bits of its weights and whether it is rigid.
    by_content: HashMap<(Vec<usize>, Vec<u32>, bool), Option<usize>>,
    /// By mesh, and whether it is rigid.
    primitives: HashMap<(usize, bool), schema::Primitive>,
}

impl<'a, 'b> Writer<'a, 'b> {
    pub(super) fn new(file: &'a Gltf, buffer: &'b mut Buffer) -> Self {
        Self {
            file,
            buffer,
            meshes: Vec::new(),
            by_content: HashMap::new(),
            primitives: HashMap::new(),
        }
    }

    /// The index of what the instance draws; `None` where there are no triangles.
    pub(super) fn mesh(&mut self, instance: &'a Instance) -> Result<Option<usize>, GlbError> {
        let is_rigid = is_rigid(&self.file.skins[instance.skin]);
        let weights = instance.weights.iter().map(|weight| weight.to_bits()).collect();
        let key = (instance.meshes.clone(), weights, is_rigid);
        if let Some(&index) = self.by_content.get(&key) {
            return Ok(index);
        }
        let mut primitives = Vec::new();
        for &mesh in &instance.meshes {
            if !self.file.meshes[mesh].mesh.triangles.is_empty() {
                primitives.push(self.primitive(mesh, is_rigid)?);
            }
        }
        let names = instance.meshes.first().map_or_else(Vec::new, |&mesh| {
            let targets = self.file.meshes[mesh].targets.iter();
            targets.map(|target| &*target.name).collect()
        });
        let has_names = names.iter().any(|name: &&str| !name.is_empty());
        let index = if primitives.is_empty() {
            None
        } else {
            self.meshes.push(schema::Mesh {
                name: &instance.name,
                primitives,
                weights: &instance.weights,
                extras: has_names.then_some(schema::MeshExtras { target_names: names }),
            });
            Some(self.meshes.len() - 1)
        };
        self.by_content.insert(key, index);
        Ok(index)
    }

    fn primitive(&mut self, index: usize, is_rigid: bool) -> Result<schema::Primitive, GlbError> {
        if let Some(primitive) = self.primitives.get(&(index, is_rigid)) {
            return Ok(primitive.clone());
        }
        let mesh = &self.file.meshes[index];
        check(index, mesh)?;
        let geometry = &mesh.mesh;
        let mut attributes = Vec::new();
        let mut add = |name: &str, accessor: usize| attributes.push((name.to_owned(), accessor));
        let vertices = Some(Use::Vertices);
        let positions: Vec<[f32; 3]> = geometry.positions.iter().map(Vec3::to_array).collect();
        add("POSITION", self.buffer.floats(&positions, vertices, true));
        if !geometry.normals.is_empty() {
            let unit = |normal: &Vec3| unit_or(*normal, Vec3::Y).to_array();
            let normals: Vec<[f32; 3]> = geometry.normals.iter().map(unit).collect();
            add("NORMAL", self.buffer.floats(&normals, vertices, false));
        }
        if !geometry.tangents.is_empty() {
            let unit = |tangent: &Vec4| {
                let sign = if tangent.w < 0.0 { -1.0 } else { 1.0 };
                unit_or(tangent.truncate(), Vec3::X).extend(sign).to_array()
            };
            let tangents: Vec<[f32; 4]> = geometry.tangents.iter().map(unit).collect();
            add("TANGENT", self.buffer.floats(&tangents, vertices, false));
        }
        if !mesh.texcoords.is_empty() {
            let texcoords: Vec<[f32; 2]> = mesh.texcoords.iter().map(|uv| uv.to_array()).collect();
            add("TEXCOORD_0", self.buffer.floats(&texcoords, vertices, false));
        }
        if !mesh.colors.is_empty() {
            let clamped = |color: &Vec4| color.clamp(Vec4::ZERO, Vec4::ONE).to_array();
            let colors: Vec<[f32; 4]> = mesh.colors.iter().map(clamped).collect();
            add("COLOR_0", self.buffer.floats(&colors, vertices, false));
        }
        if !is_rigid {
            for (set, (joints, weights)) in self.influences(&geometry.influences).into_iter().enumerate() {
                add(&format!("JOINTS_{set}"), joints);
                add(&format!("WEIGHTS_{set}"), weights);
            }
        }
        let primitive = schema::Primitive {
            attributes: schema::Attributes(attributes),
            indices: self.buffer.indices(&geometry.triangles, geometry.positions.len()),
            material: mesh.material,
            targets: mesh
                .targets
                .iter()
                .map(|target| self.target(mesh, target))
                .collect(),
        };
        self.primitives.insert((index, is_rigid), primitive.clone());
        Ok(primitive)
    }

    fn target(&mut self, mesh: &Mesh, target: &crate::MorphTarget) -> schema::Attributes {
        let vertices = mesh.mesh.positions.len();
        let to_arrays = |list: &[Vec3]| -> Vec<[f32; 3]> { list.iter().map(Vec3::to_array).collect() };
        // A target without any attribute would be none: a shape that moves nothing still has positions.
        let positions = self
            .buffer
            .sparse(vertices, &target.vertices, &to_arrays(&target.positions), true);
        let mut attributes = vec![("POSITION".to_owned(), positions)];
        for (name, base, deltas) in [
            ("NORMAL", mesh.mesh.normals.len(), &target.normals),
            ("TANGENT", mesh.mesh.tangents.len(), &target.tangents),
        ] {
            if base > 0 && !deltas.is_empty() {
                let accessor = self
                    .buffer
                    .sparse(vertices, &target.vertices, &to_arrays(deltas), false);
                attributes.push((name.to_owned(), accessor));
            }
        }
        schema::Attributes(attributes)
    }

    /// Accessors of slots and weights, in sets of four.
    fn influences(&mut self, influences: &Influences) -> Vec<(usize, usize)> {
        let vertices = influences.vertices();
        let sets = influences.per_vertex().div_ceil(SET);
        let mut slots = vec![vec![[0_u16; SET]; vertices]; sets];
        let mut floats = vec![vec![[0.0_f32; SET]; vertices]; sets];
        let mut bytes = vec![vec![[0_u8; SET]; vertices]; sets];
        let per_vertex = influences.per_vertex();
        let mut used: Vec<u16> = Vec::new();
        for vertex in 0..vertices {
            used.clear();
            for (influence, (slot, weight)) in influences.of(vertex).enumerate() {
                if weight == 0.0 {
                    continue;
                }
                // The format wants each joint once, and zeros where there is no weight.
                let place = used.iter().position(|&other| other == slot).unwrap_or_else(|| {
                    used.push(slot);
                    used.len() - 1
                });
                let (set, column) = (place / SET, place % SET);
                slots[set][vertex][column] = slot;
                match influences.weights() {
                    Weights::Float(_) => floats[set][vertex][column] += weight,
                    Weights::Byte(weights) => {
                        bytes[set][vertex][column] += weights[vertex * per_vertex + influence];
                    }
                }
            }
        }
        let are_bytes = matches!(influences.weights(), Weights::Byte(_));
        (0..sets)
            .map(|set| {
                let joints = self.buffer.slots(&slots[set]);
                let weights = if are_bytes {
                    self.buffer.byte_weights(&bytes[set])
                } else {
                    self.buffer.floats(&floats[set], Some(Use::Vertices), false)
                };
                (joints, weights)
            })
            .collect()
    }
}

/// Everything that is not checked by construction.
fn check(index: usize, mesh: &Mesh) -> Result<(), GlbError> {
    let geometry = &mesh.mesh;
    geometry
        .check()
        .map_err(|source| GlbError::Mesh { mesh: index, source })?;
    let vertices = geometry.positions.len();
    for (what, found) in [("texcoords", mesh.texcoords.len()), ("colors", mesh.colors.len())] {
        if found != vertices && found != 0 {
            return Err(GlbError::Count {
                what: format!("meshes[{index}].{what}"),
                found,
                expected: vertices,
            });
        }
    }
    let what = |list: &str| format!("meshes[{index}].{list}");
    check_vectors(&geometry.positions, || what("positions"))?;
    check_vectors(&geometry.normals, || what("normals"))?;
    for (list, values) in [("tangents", &geometry.tangents), ("colors", &mesh.colors)] {
        if let Some(element) = values.iter().position(|value| !value.is_finite()) {
            return Err(GlbError::NotFinite {
                what: what(list),
                element,
            });
        }
    }
    let texcoords: Vec<f32> = mesh.texcoords.iter().flat_map(|uv| uv.to_array()).collect();
    finite(|| what("texcoords"), &texcoords)?;
    for (number, target) in mesh.targets.iter().enumerate() {
        let what = |list: &str| format!("meshes[{index}].targets[{number}].{list}");
        let grows = target.vertices.windows(2).all(|pair| pair[0] < pair[1]);
        let last = target.vertices.last().map_or(0, |&vertex| vertex as usize);
        if !grows || last >= vertices {
            return Err(GlbError::NoSuchElement {
                what: what("vertices"),
                index: last,
                count: vertices,
            });
        }
        for (list, values) in [
            ("positions", &target.positions),
            ("normals", &target.normals),
            ("tangents", &target.tangents),
        ] {
            if !values.is_empty() && values.len() != target.vertices.len() {
                return Err(GlbError::Count {
                    what: what(list),
                    found: values.len(),
                    expected: target.vertices.len(),
                });
            }
            check_vectors(values, || what(list))?;
        }
    }
    Ok(())
}

fn check_vectors(values: &[Vec3], what: impl FnOnce() -> String) -> Result<(), GlbError> {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(element) => Err(GlbError::NotFinite {
            what: what(),
            element,
        }),
    }
}

/// In f64: no finite vector but zero is too short or too long.
fn unit_or(vector: Vec3, otherwise: Vec3) -> Vec3 {
    let wide = vector.as_dvec3();
    let length = wide.length();
    if length > 0.0 {
        (wide / length).as_vec3()
    } else {
        otherwise
    }
}
