//! Tiles in the order in which they are drawn.

use crate::Tile;

/// A figure's tiles, ordered by material, then by level of detail, then as they were cut: a renderer changes
/// its material as seldom as possible and its palette once a tile.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TileTree {
    /// Ascending.
    pub materials: Vec<MaterialTiles>,
}

/// All tiles of one material.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialTiles {
    /// As given by the part.
    pub material: u32,
    /// Ascending: the finest first. Never empty.
    pub levels: Vec<LevelTiles>,
}

/// The tiles of one material at one level of detail.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelTiles {
    /// 0 is the finest.
    pub level: u32,
    /// In order of their parts.
    pub tiles: Vec<Tile>,
}

impl TileTree {
    pub(super) fn insert(&mut self, material: u32, level: u32, tiles: Vec<Tile>) {
        let found = self.materials.binary_search_by_key(&material, |m| m.material);
        let place = found.unwrap_or_else(|place| {
            let levels = Vec::new();
            self.materials.insert(place, MaterialTiles { material, levels });
            place
        });
        let levels = &mut self.materials[place].levels;
        match levels.binary_search_by_key(&level, |l| l.level) {
            Ok(place) => levels[place].tiles.extend(tiles),
            Err(place) => levels.insert(place, LevelTiles { level, tiles }),
        }
    }

    /// Every tile of every level.
    pub fn tiles(&self) -> impl Iterator<Item = &Tile> {
        let levels = self.materials.iter().flat_map(|material| &material.levels);
        levels.flat_map(|level| &level.tiles)
    }

    /// What to draw at one level of detail: of each material the coarsest level that is no coarser than `level`,
    /// or its finest where all are coarser.
    pub fn at_level(&self, level: u32) -> impl Iterator<Item = (u32, &Tile)> {
        self.materials.iter().flat_map(move |material| {
            let fits = material.levels.partition_point(|l| l.level <= level);
            let chosen = material.levels.get(fits.saturating_sub(1));
            let tiles = chosen.into_iter().flat_map(|level| &level.tiles);
            tiles.map(|tile| (material.material, tile))
        })
    }

    /// The vertices of all tiles together; those on the seams count once for each tile.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.tiles().map(|tile| tile.vertices.len()).sum()
    }
}
