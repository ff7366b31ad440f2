//! Surfaces as meshes in bind space, and back.

use glam::{Affine3A, Vec2, Vec3};

use crate::{
    Influences, JointId, Skeleton, SkinBinding, SkinError, SkinnedMesh, WeightReport, local_to_model,
};

use super::{Md5Surface, Md5Vertex, Md5Weight};

/// What [`Md5Surface::to_skinned_mesh`] had to change.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Md5SkinReport {
    /// Weights that do not add up to one, or are all zero.
    pub weights: WeightReport,
    /// Weights beyond the eight largest of their vertex, left out.
    pub dropped_weights: usize,
    /// The largest distance of a carried point from its vertex in the bind pose: zero (but for rounding) in files of
    /// exporters. Where it is more, the surface deforms in another way than in a program that keeps the points.
    pub spread: f32,
}

/// Weights that a vertex may share with others: eight times what the GPU takes of one ([`Influences::MAX`]).
const SHARED_WEIGHTS: u64 = 64;

/// The weights of all vertices together where they are too many for a file.
pub(super) struct Excess {
    /// The vertex with which they are.
    pub(super) vertex: usize,
    /// The weights of the vertices up to it.
    pub(super) named: u64,
    pub(super) most: u64,
}

impl Md5Surface {
    /// Whether the vertices have more weights together than the surface has and [`SHARED_WEIGHTS`] for each vertex.
    pub(super) fn excess(&self) -> Option<Excess> {
        let most = self.weights.len() as u64 + SHARED_WEIGHTS * self.vertices.len() as u64;
        let mut named = 0;
        let vertex = self.vertices.iter().position(|vertex| {
            named += u64::from(vertex.weights);
            named > most
        });
        vertex.map(|vertex| Excess { vertex, named, most })
    }

    /// Where a vertex is: the sum of its weighted points, each carried by its joint.
    ///
    /// * `model`: model space matrices of the skeleton's joints, as [`local_to_model`] makes them.
    ///
    /// # Panics
    /// If `model` has fewer joints than the skeleton of the file, or there is no such vertex.
    #[must_use]
    pub fn position(&self, vertex: usize, model: &[Affine3A]) -> Vec3 {
        let carried = self
            .weights_of(vertex)
            .iter()
            .map(|weight| carried(weight, model) * weight.bias);
        carried.sum()
    }

    fn weights_of(&self, vertex: usize) -> &[Md5Weight] {
        let Md5Vertex {
            first_weight,
            weights,
            ..
        } = self.vertices[vertex];
        &self.weights[first_weight as usize..][..weights as usize]
    }

    /// The surface around the rest pose of its skeleton: positions where [`position`](Self::position) puts them,
    /// normals from the triangles (weighted by area; vertices in one place share theirs only if they are one
    /// vertex), triangles counter-clockwise from the front, one influence for each weight, at most eight.
    ///
    /// Its binding is [`SkinBinding::from_rest_pose`]. Texture coordinates are those of the vertices, in order. It takes
    /// time in proportion to the weights of all vertices together, which a file that was read bounds
    /// ([`Md5Error::SharedWeights`](super::Md5Error::SharedWeights)).
    ///
    /// ```
    /// # let text = br#"MD5Version 10 numJoints 1 numMeshes 1 joints { "a" -1 ( 0 0 5 ) ( 0 0 0 ) }
    /// # mesh { shader "" numverts 3 vert 0 ( 0 0 ) 0 1 vert 1 ( 1 0 ) 1 1 vert 2 ( 0 1 ) 2 1
    /// # numtris 1 tri 0 0 2 1
    /// # numweights 3 weight 0 0 1 ( 0 0 0 ) weight 1 0 1 ( 1 0 0 ) weight 2 0 1 ( 0 1 0 ) }"#;
    /// use elea_anim::{SkinBinding, glam::Vec3, md5};
    /// let file = md5::parse_mesh(text)?;
    /// let (mesh, report) = file.surfaces[0].to_skinned_mesh(&file.skeleton)?;
    /// let binding = SkinBinding::from_rest_pose(&file.skeleton)?;
    /// assert_eq!(mesh.positions[1], Vec3::new(1.0, 0.0, 5.0));
    /// assert_eq!((mesh.triangles[0], mesh.normals[0]), ([0, 1, 2], Vec3::Z));
    /// assert!(report.weights.is_clean());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SkinError`] for a negative weight, or a joint that `skeleton` lacks.
    ///
    /// # Panics
    /// If a vertex names weights, or a triangle vertices, that are not there; files that were read have none such.
    pub fn to_skinned_mesh(&self, skeleton: &Skeleton) -> Result<(SkinnedMesh, Md5SkinReport), SkinError> {
        let joints = skeleton.len();
        if let Some(weight) = self.weights.iter().find(|weight| weight.joint.index() >= joints) {
            return Err(SkinError::NoSuchSlot {
                vertex: self.vertex_of(weight),
                slot: weight.joint.0,
                slots: joints,
            });
        }
        let mut model = vec![Affine3A::IDENTITY; joints];
        local_to_model(skeleton, skeleton.rest_pose(), &mut model);
        let widest = self.vertices.iter().map(|vertex| vertex.weights as usize).max();
        let per_vertex = widest.unwrap_or(0).clamp(1, Influences::MAX);
        let mut report = Md5SkinReport::default();
        let mut positions = Vec::with_capacity(self.vertices.len());
        let (mut slots, mut weights) = (Vec::new(), Vec::new());
        for vertex in 0..self.vertices.len() {
            let place = self.position(vertex, &model);
            positions.push(place);
            let mut all: Vec<&Md5Weight> = self.weights_of(vertex).iter().collect();
            for weight in &all {
                report.spread = report.spread.max(carried(weight, &model).distance(place));
            }
            if all.len() > per_vertex {
                // Stable: equal weights keep their order.
                all.sort_by(|a, b| b.bias.total_cmp(&a.bias));
                report.dropped_weights += all.len() - per_vertex;
            }
            for influence in 0..per_vertex {
                let weight = all.get(influence);
                slots.push(weight.map_or(0, |weight| weight.joint.0));
                weights.push(weight.map_or(0.0, |weight| weight.bias));
            }
        }
        let (influences, of_weights) = Influences::new(per_vertex, joints, slots, weights)?;
        report.weights = of_weights;
        let triangles: Vec<[u32; 3]> = self.triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
        let mesh = SkinnedMesh {
            normals: normals(&positions, &triangles),
            positions,
            tangents: Vec::new(),
            influences,
            triangles,
        };
        Ok((mesh, report))
    }

    /// The first vertex that a weight belongs to; 0 for a weight of none.
    fn vertex_of(&self, weight: &Md5Weight) -> usize {
        let owns = |vertex: &usize| {
            self.weights_of(*vertex)
                .iter()
                .any(|own| std::ptr::eq(own, weight))
        };
        (0..self.vertices.len()).find(owns).unwrap_or(0)
    }

    /// A surface that moves as the mesh does under [`palette`](crate::palette) and [`skin`](crate::skin), whatever
    /// the binding's matrices are. Weights of zero are left out; normals and tangents are lost.
    ///
    /// * `uvs`: texture coordinates, one for each vertex, v downwards; (0, 0) where there are too few.
    ///
    /// # Panics
    /// If the mesh fails [`SkinnedMesh::check`], or names slots that `binding` lacks.
    #[must_use]
    pub fn from_skinned_mesh(
        shader: impl Into<String>,
        mesh: &SkinnedMesh,
        uvs: &[Vec2],
        binding: &SkinBinding,
    ) -> Self {
        let mut weights = Vec::new();
        let mut vertices = Vec::with_capacity(mesh.positions.len());
        for (vertex, &position) in mesh.positions.iter().enumerate() {
            let first = weights.len();
            for (slot, bias) in mesh.influences.of(vertex).filter(|influence| influence.1 > 0.0) {
                let slot = usize::from(slot);
                weights.push(Md5Weight {
                    joint: binding.joints()[slot],
                    bias,
                    position: binding.inverse_bind()[slot].transform_point3(position),
                });
            }
            vertices.push(Md5Vertex {
                uv: uvs.get(vertex).copied().unwrap_or(Vec2::ZERO),
                first_weight: count(first),
                weights: count(weights.len() - first),
            });
        }
        Self {
            shader: shader.into(),
            vertices,
            triangles: mesh.triangles.iter().map(|&[a, b, c]| [a, c, b]).collect(),
            weights,
        }
    }
}

fn carried(weight: &Md5Weight, model: &[Affine3A]) -> Vec3 {
    let JointId(joint) = weight.joint;
    model[usize::from(joint)].transform_point3(weight.position)
}

fn count(weights: usize) -> u32 {
    u32::try_from(weights).expect("fewer than 2^32 weights")
}

/// Of length one; zero where a vertex has no triangle with an area.
fn normals(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
    let mut normals = vec![Vec3::ZERO; positions.len()];
    for corners in triangles {
        let [a, b, c] = corners.map(|corner| positions[corner as usize]);
        let normal = (b - a).cross(c - a);
        for &corner in corners {
            normals[corner as usize] += normal;
        }
    }
    normals
        .into_iter()
        .map(|normal| normal.as_dvec3().normalize_or_zero().as_vec3())
        .collect()
}
