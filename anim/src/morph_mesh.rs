//! A whole mesh with its morph targets blended in.

use glam::{Vec3, Vec4};

use crate::{Flags, MorphTarget, SkinOutput, check};

/// What [`morph`] reads: a mesh in bind space and its targets.
#[derive(Clone, Copy, Debug)]
pub struct MorphInput<'a> {
    /// One per vertex.
    pub positions: &'a [Vec3],
    /// One per vertex, or none at all.
    pub normals: &'a [Vec3],
    /// One per vertex, or none at all; `w` stays as it is.
    pub tangents: &'a [Vec4],
    /// Other shapes of this mesh.
    pub targets: &'a [MorphTarget],
}

/// The mesh plus each target's differences times its weight, in bind space: before [`skin`](crate::skin), whose
/// input the output is.
///
/// Weights may be of any size and sign (0 to 1 is usual); they add up in order of the targets. A weight that is NaN
/// or infinite leaves its target out: [`Flags::BAD_WEIGHT`]. Normals and tangents are not made unit again, which
/// skinning does; differences that cancel a normal leave zero, for which skinning keeps zero.
///
/// [`MorphTrack::sample`](crate::MorphTrack::sample) gives the weights at a time.
///
/// # Panics
/// If the number of weights is not that of targets, an output is not as long as its input, or a target names a
/// vertex that the mesh lacks (see [`MorphTarget::check`]).
///
/// ```
/// use elea_anim::{MorphInput, MorphTarget, SkinOutput, glam::Vec3, morph};
/// let smile = MorphTarget { vertices: vec![1], positions: vec![Vec3::Y], ..MorphTarget::default() };
/// let blink = MorphTarget { vertices: vec![0], positions: vec![Vec3::X], ..MorphTarget::default() };
/// let mut positions = [Vec3::ZERO; 2];
/// let flags = morph(
///     MorphInput { positions: &[Vec3::Z; 2], normals: &[], tangents: &[], targets: &[smile, blink] },
///     &[0.5, 1.0],
///     SkinOutput { positions: &mut positions, normals: &mut [], tangents: &mut [] },
/// );
/// assert!(flags.is_empty());
/// assert_eq!(positions, [Vec3::new(1.0, 0.0, 1.0), Vec3::new(0.0, 0.5, 1.0)]);
/// ```
#[track_caller]
pub fn morph(input: MorphInput<'_>, weights: &[f32], output: SkinOutput<'_>) -> Flags {
    check::one_each("weights", weights.len(), "morph targets", input.targets.len());
    check::one_each(
        "output positions",
        output.positions.len(),
        "positions",
        input.positions.len(),
    );
    check::one_each(
        "output normals",
        output.normals.len(),
        "normals",
        input.normals.len(),
    );
    check::one_each(
        "output tangents",
        output.tangents.len(),
        "tangents",
        input.tangents.len(),
    );
    output.positions.copy_from_slice(input.positions);
    output.normals.copy_from_slice(input.normals);
    output.tangents.copy_from_slice(input.tangents);
    let mut flags = Flags::NONE;
    for (target, &weight) in input.targets.iter().zip(weights) {
        if weight.is_finite() {
            target.add_to(weight, output.positions, output.normals, output.tangents);
        } else {
            flags |= Flags::BAD_WEIGHT;
        }
    }
    flags
}

impl MorphTarget {
    /// From one difference per vertex: those that are zero in every list are left out. Lists may be empty.
    ///
    /// # Errors
    /// [`MorphError`] for lists of different lengths, and what is not finite.
    pub fn from_differences(
        name: impl Into<String>,
        positions: &[Vec3],
        normals: &[Vec3],
        tangents: &[Vec3],
    ) -> Result<Self, MorphError> {
        let lists = [positions, normals, tangents];
        let vertices = lists.iter().map(|list| list.len()).max().unwrap_or(0);
        let moves = |vertex: &u32| {
            let is_moved = |list: &&[Vec3]| list.get(*vertex as usize).is_some_and(|&d| d != Vec3::ZERO);
            lists.iter().any(is_moved)
        };
        // What is no number is moved too, so that the check below finds it.
        let moved: Vec<u32> = (0..).take(vertices).filter(moves).collect();
        if let Some(list) = lists
            .iter()
            .position(|list| !list.is_empty() && list.len() != vertices)
        {
            return Err(MorphError::Count {
                what: LISTS[list],
                found: lists[list].len(),
                vertices,
            });
        }
        let [positions, normals, tangents] = lists.map(|list| {
            let of_moved = moved.iter().filter_map(|&vertex| list.get(vertex as usize));
            of_moved.copied().collect()
        });
        let target = Self {
            name: name.into(),
            vertices: moved,
            positions,
            normals,
            tangents,
        };
        target.check(vertices)?;
        Ok(target)
    }

    /// Checks that the target fits a mesh of `vertices` vertices: then [`morph`] does not panic.
    ///
    /// # Errors
    /// [`MorphError`] naming the list or the vertex.
    pub fn check(&self, vertices: usize) -> Result<(), MorphError> {
        let lists = [&self.positions, &self.normals, &self.tangents];
        for (&what, list) in LISTS.iter().zip(lists) {
            if !list.is_empty() && list.len() != self.vertices.len() {
                return Err(MorphError::Count {
                    what,
                    found: list.len(),
                    vertices: self.vertices.len(),
                });
            }
            if let Some(index) = list.iter().position(|difference| !difference.is_finite()) {
                let vertex = self.vertices[index];
                return Err(MorphError::NotFinite { what, vertex });
            }
        }
        if let Some(pair) = self.vertices.windows(2).find(|pair| pair[0] >= pair[1]) {
            return Err(MorphError::Order { vertex: pair[1] });
        }
        match self.vertices.last() {
            Some(&vertex) if vertex as usize >= vertices => {
                Err(MorphError::NoSuchVertex { vertex, vertices })
            }
            _ => Ok(()),
        }
    }
}

const LISTS: [&str; 3] = ["positions", "normals", "tangents"];

/// What is wrong with a morph target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MorphError {
    /// A list has not as many differences as the target moves vertices.
    #[error("{what}: {found}, but {vertices} vertices")]
    Count {
        /// The list.
        what: &'static str,
        /// Its length.
        found: usize,
        /// What it should be.
        vertices: usize,
    },
    /// A difference is NaN or infinite.
    #[error("{what}: the difference of vertex {vertex} is not finite")]
    NotFinite {
        /// The list.
        what: &'static str,
        /// The vertex of the mesh.
        vertex: u32,
    },
    /// The vertices do not grow.
    #[error("vertex {vertex} stands behind one that is no lower")]
    Order {
        /// The vertex that stands too late.
        vertex: u32,
    },
    /// The mesh lacks a vertex.
    #[error("vertex {vertex} of a mesh of {vertices}")]
    NoSuchVertex {
        /// As given.
        vertex: u32,
        /// Vertices of the mesh.
        vertices: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rigs::Random;

    #[test]
    fn what_comes_out_is_the_sum_in_f64() {
        let mut random = Random(41);
        let list = |random: &mut Random, count: usize| -> Vec<Vec3> {
            (0..count)
                .map(|_| {
                    if random.below(3) == 0 {
                        Vec3::ZERO
                    } else {
                        random.vector()
                    }
                })
                .collect()
        };
        let vertices = 50;
        let (positions, normals) = (list(&mut random, vertices), list(&mut random, vertices));
        let tangents: Vec<Vec4> = list(&mut random, vertices)
            .iter()
            .map(|t| t.extend(-1.0))
            .collect();
        let dense: Vec<[Vec<Vec3>; 3]> = (0..5)
            .map(|_| [0; 3].map(|_| list(&mut random, vertices)))
            .collect();
        let targets: Vec<MorphTarget> = dense
            .iter()
            .map(|[p, n, t]| MorphTarget::from_differences("shape", p, n, t).unwrap())
            .collect();
        assert!(
            targets.iter().any(|target| target.vertices.len() < vertices),
            "some vertices stay"
        );
        let weights = [0.3, -0.5, 0.0, 1.0, 2.0];
        let mut out = (positions.clone(), normals.clone(), tangents.clone());
        let flags = morph(
            MorphInput {
                positions: &positions,
                normals: &normals,
                tangents: &tangents,
                targets: &targets,
            },
            &weights,
            SkinOutput {
                positions: &mut out.0,
                normals: &mut out.1,
                tangents: &mut out.2,
            },
        );
        assert_eq!(flags, Flags::NONE);
        for vertex in 0..vertices {
            let sum = |base: Vec3, list: usize| {
                let terms = dense.iter().zip(weights);
                let terms = terms.map(|(lists, weight)| lists[list][vertex].as_dvec3() * f64::from(weight));
                base.as_dvec3() + terms.sum::<glam::DVec3>()
            };
            let off = [
                (out.0[vertex].as_dvec3() - sum(positions[vertex], 0)).length(),
                (out.1[vertex].as_dvec3() - sum(normals[vertex], 1)).length(),
                (out.2[vertex].truncate().as_dvec3() - sum(tangents[vertex].truncate(), 2)).length(),
            ];
            assert!(off.iter().all(|off| *off < 2e-6), "vertex {vertex}: {off:?}");
            assert_eq!(out.2[vertex].w, -1.0, "the sign stays");
        }
    }

    #[test]
    fn a_weight_that_is_no_number_leaves_its_target_out() {
        let target = |x: f32| MorphTarget::from_differences("", &[Vec3::X * x], &[], &[]).unwrap();
        let mut out = [Vec3::NAN];
        for bad in [f32::NAN, f32::INFINITY] {
            let flags = morph(
                MorphInput {
                    positions: &[Vec3::ZERO],
                    normals: &[],
                    tangents: &[],
                    targets: &[target(1.0), target(10.0)],
                },
                &[bad, 0.5],
                SkinOutput {
                    positions: &mut out,
                    normals: &mut [],
                    tangents: &mut [],
                },
            );
            assert_eq!((flags, out[0].x), (Flags::BAD_WEIGHT, 5.0));
        }
    }

    #[test]
    fn bad_targets_are_named() {
        let target = |vertices: &[u32], positions: &[Vec3]| MorphTarget {
            vertices: vertices.into(),
            positions: positions.into(),
            ..MorphTarget::default()
        };
        let error = |target: MorphTarget| target.check(3).unwrap_err().to_string();
        assert_eq!(error(target(&[0, 1], &[Vec3::X])), "positions: 1, but 2 vertices");
        assert_eq!(
            error(target(&[1, 1], &[Vec3::X; 2])),
            "vertex 1 stands behind one that is no lower"
        );
        assert_eq!(error(target(&[0, 3], &[Vec3::X; 2])), "vertex 3 of a mesh of 3");
        assert_eq!(
            error(target(&[2], &[Vec3::NAN])),
            "positions: the difference of vertex 2 is not finite"
        );
        let dense = |p: &[Vec3], n: &[Vec3]| {
            MorphTarget::from_differences("", p, n, &[])
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            dense(&[Vec3::ZERO; 2], &[Vec3::X; 3]),
            "positions: 2, but 3 vertices"
        );
        assert_eq!(
            dense(&[Vec3::ZERO, Vec3::NAN], &[]),
            "positions: the difference of vertex 1 is not finite"
        );
        assert_eq!(target(&[0, 2], &[Vec3::X; 2]).check(3), Ok(()));
    }
}
