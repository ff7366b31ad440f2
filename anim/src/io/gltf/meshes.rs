//! From primitives to meshes.

use std::{collections::BTreeMap, fmt::Arguments};

use glam::{Vec2, Vec3, Vec4};

use super::{
    GltfError, GltfWarning, Mesh, Report,
    accessor::{Component, Data, Deltas},
    schema::{MeshExtras, Primitive},
};
use crate::{Influences, MorphTarget, SkinError, SkinnedMesh};

/// Influences in one attribute.
const SET: usize = 4;

/// Reads one primitive. `slots`: joints of the skin that moves it; `None` for one that hangs on a single joint.
/// `None` comes back, with a warning, for what is no triangle mesh.
pub(super) fn read(
    data: &Data<'_>,
    (mesh, primitive): (usize, usize),
    slots: Option<usize>,
    target_names: &[String],
    report: &mut Report,
) -> Result<Option<Mesh>, GltfError> {
    let schema = &data.root.meshes[mesh].primitives[primitive];
    let path = format!("meshes[{mesh}].primitives[{primitive}]");
    let reader = Reader {
        data,
        path: &path,
        attributes: &schema.attributes,
    };
    let mut ignore = |why| {
        let path = path.clone();
        report.warnings.push(GltfWarning::IgnoredPrimitive { path, why });
        Ok(None)
    };
    let mode = schema.mode.unwrap_or(TRIANGLES);
    if !matches!(mode, TRIANGLES | TRIANGLE_STRIP | TRIANGLE_FAN) {
        return ignore("points and lines are not read");
    }
    if slots.is_some() && !schema.attributes.contains_key("JOINTS_0") {
        return ignore("it has no joints, but its node has a skin");
    }
    let Some(positions) = reader.vectors::<3>("POSITION")? else {
        return ignore("it has no positions");
    };
    let vertices = positions.len();
    let (triangles, leftover) = reader.triangles(schema.indices, mode, vertices)?;
    if leftover > 0 {
        report.warnings.push(GltfWarning::LeftoverIndices {
            path: path.clone(),
            indices: leftover,
        });
    }
    let influences = match slots {
        Some(slots) => reader.influences(vertices, slots, report)?,
        None => {
            data.charge(vertices.saturating_mul(6), format_args!("{path}"))?;
            let (influences, _) = Influences::new(1, 1, vec![0; vertices], vec![1.0; vertices])
                .map_err(|source| reader.skin_error(source))?;
            influences
        }
    };
    let to_vec3 = |list: Option<Vec<[f32; 3]>>| -> Vec<Vec3> {
        list.unwrap_or_default()
            .into_iter()
            .map(Vec3::from_array)
            .collect()
    };
    let to_vec4 = |list: Option<Vec<[f32; 4]>>| -> Vec<Vec4> {
        list.unwrap_or_default()
            .into_iter()
            .map(Vec4::from_array)
            .collect()
    };
    let skinned = SkinnedMesh {
        positions: to_vec3(Some(positions)),
        normals: to_vec3(reader.vectors("NORMAL")?),
        tangents: to_vec4(reader.vectors("TANGENT")?),
        influences,
        triangles,
    };
    skinned.check().map_err(|source| reader.skin_error(source))?;
    let texcoords: Vec<[f32; 2]> = reader.vectors("TEXCOORD_0")?.unwrap_or_default();
    let texcoords: Vec<Vec2> = texcoords.into_iter().map(Vec2::from_array).collect();
    let colors = to_vec4(reader.colors()?);
    for (what, found) in [("TEXCOORD_0", texcoords.len()), ("COLOR_0", colors.len())] {
        if found != vertices && found != 0 {
            return Err(GltfError::Count {
                path: format!("{path}.attributes.{what}"),
                found,
                expected: vertices,
            });
        }
    }
    if let Some(material) = schema.material {
        super::accessor::look_up(&data.root.materials, material, format_args!("{path}.material"))?;
    }
    let targets = schema.targets.iter().enumerate().map(|(index, target)| {
        let name = target_names.get(index).map_or("", String::as_str);
        data.charge(name.len(), format_args!("{path}.targets[{index}]"))?;
        reader.morph_target(index, target, name.to_owned(), vertices)
    });
    let targets: Vec<MorphTarget> = targets.collect::<Result<_, _>>()?;
    Ok(Some(Mesh {
        mesh: skinned,
        texcoords,
        colors,
        targets,
        material: schema.material,
    }))
}

/// Names of the morph targets, where the file has some.
pub(super) fn target_names(data: &Data<'_>, mesh: usize) -> Vec<String> {
    let extras = data.root.meshes[mesh].extras.as_ref();
    extras
        .and_then(|extras| serde_json::from_str::<MeshExtras>(extras.get()).ok())
        .map_or_else(Vec::new, |extras| extras.target_names)
}

const TRIANGLES: u64 = 4;
const TRIANGLE_STRIP: u64 = 5;
const TRIANGLE_FAN: u64 = 6;

struct Reader<'a, 'd> {
    data: &'a Data<'d>,
    /// Of the primitive.
    path: &'a str,
    attributes: &'a BTreeMap<String, usize>,
}

impl Reader<'_, '_> {
    fn skin_error(&self, source: SkinError) -> GltfError {
        GltfError::Skin {
            path: self.path.to_owned(),
            source,
        }
    }

    fn vectors<const N: usize>(&self, name: &str) -> Result<Option<Vec<[f32; N]>>, GltfError> {
        let accessor = self.attributes.get(name);
        let path = format_args!("{}.attributes.{name}", self.path);
        accessor
            .map(|&accessor| self.data.floats(accessor, path))
            .transpose()
    }

    /// Colours have three components or four.
    fn colors(&self) -> Result<Option<Vec<[f32; 4]>>, GltfError> {
        match self.vectors::<4>("COLOR_0") {
            Err(GltfError::AccessorKind { .. }) => {
                let colors = self.vectors::<3>("COLOR_0")?;
                let opaque = |[r, g, b]: [f32; 3]| [r, g, b, 1.0];
                Ok(colors.map(|colors| colors.into_iter().map(opaque).collect()))
            }
            other => other,
        }
    }

    /// The triangles, and how many indices are left over.
    fn triangles(
        &self,
        indices: Option<usize>,
        mode: u64,
        vertices: usize,
    ) -> Result<(Vec<[u32; 3]>, usize), GltfError> {
        let path = format_args!("{}.indices", self.path);
        let indices: Vec<u32> = match indices {
            Some(accessor) => {
                let indices: Vec<[u32; 1]> = self.data.integers(accessor, path)?;
                indices.into_iter().map(|[index]| index).collect()
            }
            None => {
                self.data.charge(vertices.saturating_mul(4), path)?;
                (0..u32::try_from(vertices).unwrap_or(u32::MAX)).collect()
            }
        };
        if mode == TRIANGLES {
            let (triangles, rest) = indices.as_chunks::<3>();
            return Ok((triangles.to_vec(), rest.len()));
        }
        self.data.charge(indices.len().saturating_mul(12), path)?;
        if mode == TRIANGLE_FAN {
            // The edges behind the first vertex, round which it turns.
            let edges = indices.get(1..).unwrap_or_default().array_windows::<2>();
            return Ok((edges.map(|&[a, b]| [a, b, indices[0]]).collect(), 0));
        }
        // Every other triangle of a strip is the other way round.
        let strip = indices.array_windows::<3>().enumerate();
        let turn =
            |(index, &[a, b, c]): (usize, &[u32; 3])| if index % 2 == 0 { [a, b, c] } else { [a, c, b] };
        Ok((strip.map(turn).collect(), 0))
    }

    fn influences(
        &self,
        vertices: usize,
        slots: usize,
        report: &mut Report,
    ) -> Result<Influences, GltfError> {
        let sets = (0..)
            .take_while(|set| self.attributes.contains_key(&format!("JOINTS_{set}")))
            .count();
        let mut joint_sets: Vec<Vec<[u32; SET]>> = Vec::new();
        let mut weight_sets: Vec<Vec<[f32; SET]>> = Vec::new();
        let mut are_bytes = true;
        for set in 0..sets {
            let (joints, weights) = (format!("JOINTS_{set}"), format!("WEIGHTS_{set}"));
            let path = format_args!("{}.attributes.{joints}", self.path);
            let joint_set = self.data.integers(self.attributes[&joints], path)?;
            let Some(weight_set) = self.vectors::<SET>(&weights)? else {
                return Err(GltfError::Count {
                    path: format!("{}.attributes.{weights}", self.path),
                    found: 0,
                    expected: vertices,
                });
            };
            for (name, found) in [(joints, joint_set.len()), (weights.clone(), weight_set.len())] {
                if found != vertices {
                    return Err(GltfError::Count {
                        path: format!("{}.attributes.{name}", self.path),
                        found,
                        expected: vertices,
                    });
                }
            }
            are_bytes &= self.data.component(self.attributes[&weights]) == Some(Component::U8);
            joint_sets.push(joint_set);
            weight_sets.push(weight_set);
        }
        let per_vertex = (sets * SET).min(Influences::MAX);
        let path = format_args!("{}.attributes", self.path);
        self.data
            .charge(vertices.saturating_mul(per_vertex).saturating_mul(6), path)?;
        let mut joints: Vec<u16> = Vec::with_capacity(vertices * per_vertex);
        let mut weights: Vec<f32> = Vec::with_capacity(vertices * per_vertex);
        let mut dropped = 0;
        let mut all: Vec<(u32, f32)> = Vec::new();
        for vertex in 0..vertices {
            all.clear();
            for (joints, weights) in joint_sets.iter().zip(&weight_sets) {
                all.extend(joints[vertex].into_iter().zip(weights[vertex]));
            }
            if all.len() > per_vertex {
                // Stable: equal weights keep their order.
                all.sort_by(|a, b| b.1.total_cmp(&a.1));
                let is_lost = |&(_, weight): &(u32, f32)| weight > 0.0;
                dropped += usize::from(all[per_vertex..].iter().any(is_lost));
                all.truncate(per_vertex);
            }
            // A slot beyond u16 is beyond any skeleton, and stays so.
            joints.extend(
                all.iter()
                    .map(|&(slot, _)| u16::try_from(slot).unwrap_or(u16::MAX)),
            );
            weights.extend(all.iter().map(|&(_, weight)| weight));
        }
        let result = if are_bytes && sets == 1 {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "255ths from a byte; casts saturate"
            )]
            let bytes = weights
                .iter()
                .map(|weight| (weight * 255.0).round() as u8)
                .collect();
            Influences::from_bytes(per_vertex, slots, joints, bytes)
        } else {
            Influences::new(per_vertex, slots, joints, weights)
        };
        let (influences, weight_report) = result.map_err(|source| self.skin_error(source))?;
        let path = || self.path.to_owned();
        if dropped > 0 {
            report.warnings.push(GltfWarning::DroppedInfluences {
                path: path(),
                vertices: dropped,
            });
        }
        // Dropped influences are said to be renormalised already.
        if weight_report.renormalized > 0 && dropped == 0 {
            report.warnings.push(GltfWarning::RenormalizedWeights {
                path: path(),
                vertices: weight_report.renormalized,
            });
        }
        if weight_report.unweighted > 0 {
            report.warnings.push(GltfWarning::UnweightedVertices {
                path: path(),
                vertices: weight_report.unweighted,
            });
        }
        Ok(influences)
    }

    fn morph_target(
        &self,
        index: usize,
        attributes: &BTreeMap<String, usize>,
        name: String,
        vertices: usize,
    ) -> Result<MorphTarget, GltfError> {
        let read = |name: &str| -> Result<Option<Deltas>, GltfError> {
            let Some(&accessor) = attributes.get(name) else {
                return Ok(None);
            };
            let path = format_args!("{}.targets[{index}].{name}", self.path);
            let deltas = self.data.deltas(accessor, path)?;
            if deltas.count != vertices {
                return Err(GltfError::Count {
                    path: path.to_string(),
                    found: deltas.count,
                    expected: vertices,
                });
            }
            Ok(Some(deltas))
        };
        let lists = [read("POSITION")?, read("NORMAL")?, read("TANGENT")?];
        // Vertices that any of the lists moves.
        let path = format_args!("{}.targets[{index}]", self.path);
        let mut touched: Vec<u32> = Vec::new();
        for deltas in lists.iter().flatten() {
            self.data.charge(deltas.values.len().saturating_mul(16), path)?;
            touched.extend(deltas.moved().map(|(vertex, _)| vertex));
        }
        touched.sort_unstable();
        touched.dedup();
        let spread = |deltas: &Option<Deltas>| -> Vec<Vec3> {
            let Some(deltas) = deltas else {
                return Vec::new();
            };
            let mut list = vec![Vec3::ZERO; touched.len()];
            let mut at = 0;
            for (vertex, value) in deltas.moved() {
                // Both lists grow, and every moved vertex was touched.
                while touched[at] < vertex {
                    at += 1;
                }
                list[at] = value;
            }
            list
        };
        let [positions, normals, tangents] = [0, 1, 2].map(|list| spread(&lists[list]));
        Ok(MorphTarget {
            name,
            positions,
            normals,
            tangents,
            vertices: touched,
        })
    }
}

impl Deltas {
    /// Vertices with a difference that is not zero, growing.
    fn moved(&self) -> impl Iterator<Item = (u32, Vec3)> + '_ {
        self.values.iter().enumerate().filter_map(|(element, value)| {
            let value = Vec3::from_array(*value);
            let vertex = match &self.indices {
                Some(indices) => indices[element],
                None => u32::try_from(element).ok()?,
            };
            (value != Vec3::ZERO).then_some((vertex, value))
        })
    }
}

/// Number of morph targets, which all primitives of a mesh must share.
pub(super) fn target_count(primitives: &[Primitive], path: Arguments<'_>) -> Result<usize, GltfError> {
    let expected = primitives.first().map_or(0, |primitive| primitive.targets.len());
    for (index, primitive) in primitives.iter().enumerate() {
        let found = primitive.targets.len();
        if found != expected {
            return Err(GltfError::Count {
                path: format!("{path}.primitives[{index}].targets"),
                found,
                expected,
            });
        }
    }
    Ok(expected)
}
