//! Meshes cut into tiles, each with a palette small enough for a limit.

use glam::Vec4;

use crate::{Influences, SkinBinding, SkinError, SkinnedMesh, check};

mod grow;
mod pack;
mod tree;

pub use pack::{PackedInfluences, pack_slots, unpack_slots};
pub use tree::{LevelTiles, MaterialTiles, TileTree};

/// A part of a mesh that is drawn at once, with a palette of its own.
///
/// Vertices name slots of the tile's palette; `slots` says which slots of the whole mesh's palette these are.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Tile {
    /// Index of the part that it was cut from; 0 where there is one mesh only.
    pub part: usize,
    /// Tile slot i is slot `slots[i]` of the whole mesh; ascending, no more than the limit.
    pub slots: Vec<u16>,
    /// Tile vertex i is vertex `vertices[i]` of the whole mesh; in the order in which triangles use them.
    pub vertices: Vec<u32>,
    /// Indices of tile vertices.
    pub triangles: Vec<[u32; 3]>,
    /// Tile triangle i is triangle `source_triangles[i]` of the whole mesh; ascending.
    pub source_triangles: Vec<u32>,
    /// Tile slots of every tile vertex, with the whole mesh's weights in the whole mesh's order.
    pub influences: Influences,
}

impl Tile {
    /// The tile's own binding: palettes made with it have the tile's slots.
    ///
    /// # Panics
    /// If `whole` has fewer slots than the mesh that was cut.
    #[must_use]
    pub fn binding(&self, whole: &SkinBinding) -> SkinBinding {
        let slots = || self.slots.iter().map(|&slot| usize::from(slot));
        SkinBinding::new(
            slots().map(|slot| whole.joints()[slot]).collect(),
            slots().map(|slot| whole.inverse_bind()[slot]).collect(),
        )
        .expect("as many finite matrices as joints")
    }

    /// Copies the tile's part of the whole mesh's palette.
    ///
    /// # Panics
    /// If `whole` has fewer slots than the mesh that was cut, or `palette` another length than `slots`.
    #[track_caller]
    pub fn palette(&self, whole: &[[Vec4; 3]], palette: &mut [[Vec4; 3]]) {
        check::one_each(
            "palette entries",
            palette.len(),
            "slots of the tile",
            self.slots.len(),
        );
        for (&slot, rows) in self.slots.iter().zip(palette) {
            *rows = whole[usize::from(slot)];
        }
    }

    /// The tile's values out of a list that has one for each vertex of the whole mesh (positions, texture
    /// coordinates ...).
    ///
    /// # Panics
    /// If the list is shorter than the mesh that was cut.
    pub fn gather<T: Copy>(&self, whole: &[T]) -> Vec<T> {
        self.vertices
            .iter()
            .map(|&vertex| whole[vertex as usize])
            .collect()
    }

    /// The tile as a mesh of its own.
    ///
    /// # Panics
    /// If `whole` has fewer vertices than the mesh that was cut.
    #[must_use]
    pub fn mesh(&self, whole: &SkinnedMesh) -> SkinnedMesh {
        let optional = |is_there: bool| if is_there { self.vertices.as_slice() } else { &[] };
        let normals = optional(!whole.normals.is_empty()).iter();
        let tangents = optional(!whole.tangents.is_empty()).iter();
        SkinnedMesh {
            positions: self.gather(&whole.positions),
            normals: normals.map(|&vertex| whole.normals[vertex as usize]).collect(),
            tangents: tangents.map(|&vertex| whole.tangents[vertex as usize]).collect(),
            influences: self.influences.clone(),
            triangles: self.triangles.clone(),
        }
    }
}

/// One mesh of a figure, for [`split_parts`].
#[derive(Clone, Copy, Debug)]
pub struct SkinnedPart<'a> {
    /// Its vertices and triangles.
    pub mesh: &'a SkinnedMesh,
    /// Any number that stands for what it is drawn with.
    pub material: u32,
    /// Level of detail: 0 is the finest.
    pub level: u32,
}

/// Cuts a mesh into tiles of no more than `max_bones` palette slots each: 28 slots of three rows fit into the 96
/// constants of the first vertex shaders, 1,365 into a uniform buffer of 64 KiB.
///
/// A triangle needs the slots that have a weight above zero at one of its corners. Tiles grow from one triangle:
/// whatever needs no further slot comes along, then what needs the fewest further ones and has most vertices in
/// common. Several ways to begin and to go on are tried; the result with the fewest tiles is kept, of these the
/// one with the fewest vertices in all. Vertices that no triangle uses are left out; the order of triangles is
/// kept within a tile.
///
/// The same mesh gives the same tiles, always. Time grows with triangles times tiles, and with the square of
/// the number of different bone sets of triangles, of which figures have few.
///
/// ```
/// use elea_anim::{Influences, SkinnedMesh, glam::Vec3, split_tiles};
/// // A strip of four triangles along five bones, one vertex at each.
/// let (influences, _) = Influences::new(1, 6, vec![0, 1, 2, 3, 4, 5], vec![1.0; 6])?;
/// let strip = SkinnedMesh {
///     positions: vec![Vec3::ZERO; 6],
///     normals: vec![],
///     tangents: vec![],
///     influences,
///     triangles: vec![[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5]],
/// };
/// let tree = split_tiles(&strip, 4)?;
/// let tiles: Vec<_> = tree.tiles().collect();
/// assert_eq!(tiles.len(), 2);
/// assert!(tiles.iter().all(|tile| tile.slots.len() == 4 && tile.triangles.len() == 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`TileError`] where the mesh contradicts itself, or one triangle alone needs more slots than the limit.
pub fn split_tiles(mesh: &SkinnedMesh, max_bones: usize) -> Result<TileTree, TileError> {
    split_parts(
        &[SkinnedPart {
            mesh,
            material: 0,
            level: 0,
        }],
        max_bones,
    )
}

/// Cuts each part of a figure as [`split_tiles`] does, and orders all tiles by material and level of detail.
///
/// # Errors
/// As [`split_tiles`], with the part.
pub fn split_parts(parts: &[SkinnedPart<'_>], max_bones: usize) -> Result<TileTree, TileError> {
    let mut tree = TileTree::default();
    for (index, part) in parts.iter().enumerate() {
        part.mesh
            .check()
            .map_err(|source| TileError::Mesh { part: index, source })?;
        tree.insert(
            part.material,
            part.level,
            split_part(index, part.mesh, max_bones)?,
        );
    }
    Ok(tree)
}

fn split_part(part: usize, mesh: &SkinnedMesh, max_bones: usize) -> Result<Vec<Tile>, TileError> {
    let needs = grow::needs_of(mesh);
    for need in &needs {
        if need.bones.len() > max_bones {
            let triangle = need.triangles[0] as usize;
            return Err(TileError::TriangleNeedsMore {
                part,
                triangle,
                bones: need.bones.clone(),
                max_bones,
            });
        }
    }
    let sets = grow::grow(&needs, mesh, max_bones);
    Ok(sets
        .into_iter()
        .map(|needs_of_tile| {
            let mut triangles: Vec<u32> = needs_of_tile
                .into_iter()
                .flat_map(|need| needs[need].triangles.iter().copied())
                .collect();
            triangles.sort_unstable();
            cut(part, mesh, triangles)
        })
        .collect())
}

/// Numbers vertices and slots anew.
fn cut(part: usize, mesh: &SkinnedMesh, source_triangles: Vec<u32>) -> Tile {
    let mut of_vertex = std::collections::HashMap::new();
    let mut vertices = Vec::new();
    let triangles = source_triangles
        .iter()
        .map(|&triangle| {
            mesh.triangles[triangle as usize].map(|vertex| {
                *of_vertex.entry(vertex).or_insert_with(|| {
                    vertices.push(vertex);
                    u32::try_from(vertices.len() - 1).expect("no more vertices than the mesh has")
                })
            })
        })
        .collect();
    let used = |vertex: &u32| {
        let influences = mesh.influences.of(*vertex as usize);
        influences
            .filter(|(_, weight)| *weight > 0.0)
            .map(|(slot, _)| slot)
    };
    let mut slots: Vec<u16> = vertices.iter().flat_map(used).collect();
    slots.sort_unstable();
    slots.dedup();
    let influences = mesh.influences.remapped(&vertices, &slots);
    Tile {
        part,
        slots,
        vertices,
        triangles,
        source_triangles,
        influences,
    }
}

/// Why a mesh could not be cut, or a tile not be packed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TileError {
    /// One triangle alone needs more palette slots than a tile may have.
    #[error(
        "triangle {triangle} of part {part} needs {} bones {bones:?}; a tile may have {max_bones}",
        bones.len()
    )]
    TriangleNeedsMore {
        /// Index of the part; 0 where there is one mesh only.
        part: usize,
        /// Index of the triangle in the part.
        triangle: usize,
        /// The slots that have a weight above zero at one of its corners; ascending.
        bones: Vec<u16>,
        /// The limit.
        max_bones: usize,
    },
    /// The mesh contradicts itself.
    #[error("part {part}: {source}")]
    Mesh {
        /// Index of the part; 0 where there is one mesh only.
        part: usize,
        /// What is wrong.
        source: SkinError,
    },
    /// Packed slots are 0 to 63.
    #[error("vertex {vertex} names slot {slot}; packed slots are 0 to 63")]
    SlotNotPackable {
        /// Index of the vertex.
        vertex: usize,
        /// The slot.
        slot: u16,
    },
    /// Packed vertices have up to four influences: see [`Influences::reduced`].
    #[error("vertex {vertex} has {influences} influences; up to 4 can be packed")]
    TooManyInfluences {
        /// Index of the vertex.
        vertex: usize,
        /// How many have a weight above zero.
        influences: usize,
    },
}

#[cfg(test)]
mod tests;
