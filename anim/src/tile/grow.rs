//! Which triangles share a tile: sets of bones that grow until nothing more fits.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::SkinnedMesh;

/// With more needs than this one attempt has to do: attempts are there for the seams of figures, not for
/// meshes made of thousands of bone sets.
const MANY_NEEDS: usize = 10_000;
/// Rounds in which needs may change tiles; figures settle after two or three.
const MAX_ROUNDS: usize = 8;
/// How often in a round it may be asked whether a need fits into a tile, per need. Figures take about ten; meshes of
/// random bones, which nothing can improve, must not take for ever.
const QUESTIONS_PER_NEED: usize = 100;

/// The triangles that need the same bones.
pub(super) struct Need {
    /// Palette slots of the whole mesh; ascending.
    pub(super) bones: Vec<u16>,
    /// Ascending.
    pub(super) triangles: Vec<u32>,
    /// Each once; ascending.
    vertices: Vec<u32>,
}

/// In the order of the first triangle of each.
pub(super) fn needs_of(mesh: &SkinnedMesh) -> Vec<Need> {
    let mut index_of: HashMap<Vec<u16>, usize> = HashMap::new();
    let mut needs: Vec<Need> = Vec::new();
    for (triangle, corners) in (0_u32..).zip(&mesh.triangles) {
        let influences = corners
            .iter()
            .flat_map(|&vertex| mesh.influences.of(vertex as usize));
        let mut bones: Vec<u16> = influences
            .filter(|(_, weight)| *weight > 0.0)
            .map(|(slot, _)| slot)
            .collect();
        bones.sort_unstable();
        bones.dedup();
        let index = *index_of.entry(bones).or_insert_with_key(|bones| {
            needs.push(Need {
                bones: bones.clone(),
                triangles: Vec::new(),
                vertices: Vec::new(),
            });
            needs.len() - 1
        });
        needs[index].triangles.push(triangle);
        needs[index].vertices.extend(corners);
    }
    for need in &mut needs {
        need.vertices.sort_unstable();
        need.vertices.dedup();
    }
    needs
}

/// Tiles, and vertices of all tiles; less is better.
type Cost = (usize, usize);

/// Where a tile begins.
#[derive(Clone, Copy)]
enum Seed {
    /// At the need with the most bones.
    Largest,
    /// At a bone that the fewest needs have: the tips of limbs.
    Rarest,
    /// Where most vertices belong to tiles that are done.
    Border,
}

/// What comes next, of all that fits.
#[derive(Clone, Copy)]
enum Next {
    /// The fewest further bones, then the most common vertices.
    FewestBones,
    /// The most common vertices for each further bone.
    LongestSeam,
    /// The most triangles for each further bone, of those with common vertices.
    MostTriangles,
}

/// The needs of each tile. Every need must have no more than `max_bones` bones.
pub(super) fn grow(needs: &[Need], mesh: &SkinnedMesh, max_bones: usize) -> Vec<Vec<usize>> {
    let links = Links::new(needs, mesh);
    let seeds = [Seed::Largest, Seed::Rarest, Seed::Border];
    let nexts = [Next::FewestBones, Next::LongestSeam, Next::MostTriangles];
    let attempts = seeds.into_iter().flat_map(|seed| nexts.map(|next| (seed, next)));
    let count = if needs.len() > MANY_NEEDS { 1 } else { usize::MAX };
    let mut best: Option<(Cost, Vec<Vec<usize>>)> = None;
    for (seed, next) in attempts.take(count) {
        let mut tiling = Tiling::new(needs, max_bones, attempt(needs, &links, max_bones, seed, next));
        tiling.improve(&links);
        let (cost, tiles) = (tiling.cost(), tiling.into_tiles());
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, tiles));
        }
        if cost.0 <= 1 {
            break;
        }
    }
    best.map_or_else(Vec::new, |(_, tiles)| tiles)
}

/// Which needs have a bone or a vertex.
struct Links {
    of_bone: Vec<Vec<usize>>,
    of_vertex: Vec<Vec<usize>>,
}

impl Links {
    fn new(needs: &[Need], mesh: &SkinnedMesh) -> Self {
        let mut of_bone = vec![Vec::new(); mesh.influences.slots()];
        let mut of_vertex = vec![Vec::new(); mesh.positions.len()];
        for (index, need) in needs.iter().enumerate() {
            for &bone in &need.bones {
                of_bone[usize::from(bone)].push(index);
            }
            for &vertex in &need.vertices {
                of_vertex[vertex as usize].push(index);
            }
        }
        Self { of_bone, of_vertex }
    }

    /// How many needs have the rarest bone of this one.
    fn rarity(&self, need: &Need) -> usize {
        let counts = need
            .bones
            .iter()
            .map(|&bone| self.of_bone[usize::from(bone)].len());
        counts.min().unwrap_or(0)
    }
}

/// The tile of each need.
fn attempt(needs: &[Need], links: &Links, max_bones: usize, seed: Seed, next: Next) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let mut tile_of = vec![NONE; needs.len()];
    let mut has_bone = vec![false; links.of_bone.len()];
    // Vertices in common with any tile, and with the growing one.
    let mut border = vec![0_usize; needs.len()];
    let mut common = vec![0_usize; needs.len()];
    let mut missing = vec![0_usize; needs.len()];
    // The last tile that a vertex belongs to.
    let mut tile_of_vertex = vec![NONE; links.of_vertex.len()];
    let mut open: Vec<usize> = (0..needs.len()).collect();
    for tile in 0.. {
        open.retain(|&need| tile_of[need] == NONE);
        for &need in &open {
            (missing[need], common[need]) = (needs[need].bones.len(), 0);
        }
        let first = open.iter().copied().min_by_key(|&need| match seed {
            Seed::Largest => (Reverse(missing[need]), Reverse(border[need])),
            Seed::Rarest => (
                Reverse(usize::MAX - links.rarity(&needs[need])),
                Reverse(missing[need]),
            ),
            Seed::Border => (Reverse(border[need]), Reverse(missing[need])),
        });
        let Some(first) = first else { break };
        let (mut bones, mut stack) = (Vec::new(), vec![first]);
        loop {
            while let Some(need) = stack.pop() {
                if tile_of[need] != NONE {
                    continue;
                }
                tile_of[need] = tile;
                for &bone in &needs[need].bones {
                    if !std::mem::replace(&mut has_bone[usize::from(bone)], true) {
                        bones.push(bone);
                        for &other in &links.of_bone[usize::from(bone)] {
                            if tile_of[other] == NONE {
                                missing[other] -= 1;
                                if missing[other] == 0 {
                                    stack.push(other);
                                }
                            }
                        }
                    }
                }
                for &vertex in &needs[need].vertices {
                    let vertex = vertex as usize;
                    let is_first = tile_of_vertex[vertex] == NONE;
                    if std::mem::replace(&mut tile_of_vertex[vertex], tile) != tile {
                        for &other in &links.of_vertex[vertex] {
                            common[other] += 1;
                            border[other] += usize::from(is_first);
                        }
                    }
                }
            }
            let room = max_bones - bones.len();
            let fitting = open
                .iter()
                .copied()
                .filter(|&need| tile_of[need] == NONE && missing[need] <= room);
            let chosen = fitting.min_by_key(|&need| {
                let triangles = needs[need].triangles.len();
                let [missing, common, triangles] =
                    [missing[need], common[need], triangles].map(|count| count as u64);
                // Ratios as integers: what is compared is exact enough and the same everywhere.
                let per_bone = |count: u64| Reverse((count << 16) / missing.max(1));
                match next {
                    Next::FewestBones => (Reverse(u64::MAX - missing), Reverse(common), Reverse(triangles)),
                    Next::LongestSeam => (per_bone(common), Reverse(triangles), Reverse(0)),
                    Next::MostTriangles => (
                        Reverse(u64::from(common > 0)),
                        per_bone(triangles),
                        Reverse(common),
                    ),
                }
            });
            match chosen {
                Some(need) => stack.push(need),
                None => break,
            }
        }
        for bone in bones {
            has_bone[usize::from(bone)] = false;
        }
    }
    tile_of
}

/// Needs in tiles, with the counts that tell what a move would bring.
struct Tiling<'a> {
    needs: &'a [Need],
    max_bones: usize,
    tile_of: Vec<usize>,
    /// How many needs of a tile have a bone.
    bones: Vec<HashMap<u16, usize>>,
    /// How many needs of a tile have a vertex.
    vertices: HashMap<(usize, u32), usize>,
    /// What is left of [`QUESTIONS_PER_NEED`].
    questions: usize,
}

impl<'a> Tiling<'a> {
    fn new(needs: &'a [Need], max_bones: usize, tile_of: Vec<usize>) -> Self {
        let tiles = tile_of.iter().map(|tile| tile + 1).max().unwrap_or(0);
        let mut tiling = Self {
            needs,
            max_bones,
            tile_of: Vec::new(),
            bones: vec![HashMap::new(); tiles],
            vertices: HashMap::new(),
            questions: 0,
        };
        for (need, &tile) in tile_of.iter().enumerate() {
            tiling.add(need, tile);
        }
        tiling.tile_of = tile_of;
        tiling
    }

    fn add(&mut self, need: usize, tile: usize) {
        let Need { bones, vertices, .. } = &self.needs[need];
        for &bone in bones {
            *self.bones[tile].entry(bone).or_default() += 1;
        }
        for &vertex in vertices {
            *self.vertices.entry((tile, vertex)).or_default() += 1;
        }
    }

    fn remove(&mut self, need: usize, tile: usize) {
        let Need { bones, vertices, .. } = &self.needs[need];
        for bone in bones {
            if let Some(count) = self.bones[tile].get_mut(bone) {
                *count -= 1;
                if *count == 0 {
                    self.bones[tile].remove(bone);
                }
            }
        }
        for &vertex in vertices {
            if let Some(count) = self.vertices.get_mut(&(tile, vertex)) {
                *count -= 1;
                if *count == 0 {
                    self.vertices.remove(&(tile, vertex));
                }
            }
        }
    }

    fn shift(&mut self, need: usize, to: usize) {
        self.remove(need, self.tile_of[need]);
        self.add(need, to);
        self.tile_of[need] = to;
    }

    fn further_bones(&self, need: usize, tile: usize) -> usize {
        let bones = &self.needs[need].bones;
        bones
            .iter()
            .filter(|bone| !self.bones[tile].contains_key(bone))
            .count()
    }

    fn fits(&mut self, need: usize, tile: usize) -> bool {
        self.questions = self.questions.saturating_sub(1);
        self.bones[tile].len() + self.further_bones(need, tile) <= self.max_bones
    }

    /// Vertices that a need alone brings to its tile, and those that it would bring to another.
    fn brings(&self, need: usize, tile: usize, alone: usize) -> usize {
        let vertices = &self.needs[need].vertices;
        let count = |vertex: u32| self.vertices.get(&(tile, vertex)).copied().unwrap_or(0);
        vertices.iter().filter(|&&vertex| count(vertex) == alone).count()
    }

    /// Moves needs to tiles where they cost fewer vertices, and gives up tiles that others can take in.
    fn improve(&mut self, links: &Links) {
        for _ in 0..MAX_ROUNDS {
            let before = self.cost();
            self.questions = self.needs.len() * QUESTIONS_PER_NEED;
            let mut members = vec![Vec::new(); self.bones.len()];
            for (need, &tile) in self.tile_of.iter().enumerate() {
                members[tile].push(need);
            }
            let mut has_more = vec![false; self.bones.len()];
            for (tile, members) in members.iter().enumerate() {
                if !has_more[tile] && self.questions > 0 {
                    self.dissolve(tile, members, &mut has_more);
                }
            }
            for need in 0..self.needs.len() {
                if self.questions == 0 {
                    break;
                }
                let from = self.tile_of[need];
                // Only tiles in contact can save vertices.
                let vertices = self.needs[need].vertices.iter();
                let mut near: Vec<usize> = vertices
                    .flat_map(|&vertex| &links.of_vertex[vertex as usize])
                    .map(|&other| self.tile_of[other])
                    .filter(|&tile| tile != from)
                    .collect();
                near.sort_unstable();
                near.dedup();
                let saved = self.brings(need, from, 1);
                near.retain(|&tile| self.fits(need, tile));
                let costs = near.into_iter().map(|tile| (self.brings(need, tile, 0), tile));
                if let Some((cost, tile)) = costs.min()
                    && cost < saved
                {
                    self.shift(need, tile);
                }
            }
            if self.cost() >= before {
                break;
            }
        }
    }

    /// Moves all needs of a tile (`members`) to others, if they have room. Notes which tiles have got more needs.
    fn dissolve(&mut self, tile: usize, members: &[usize], has_more: &mut [bool]) {
        let mut moves = Vec::new();
        for &need in members {
            let mut best = None;
            for other in 0..self.bones.len() {
                if self.questions == 0 {
                    break;
                }
                if other != tile && !self.bones[other].is_empty() && self.fits(need, other) {
                    let cost = (
                        self.further_bones(need, other),
                        self.brings(need, other, 0),
                        other,
                    );
                    best = Some(best.map_or(cost, |least| cost.min(least)));
                }
            }
            if let Some((_, _, other)) = best {
                self.shift(need, other);
                moves.push((need, other));
            } else {
                for (need, _) in moves {
                    self.shift(need, tile);
                }
                return;
            }
        }
        for (_, other) in moves {
            has_more[other] = true;
        }
    }

    fn cost(&self) -> Cost {
        let tiles = self.bones.iter().filter(|bones| !bones.is_empty()).count();
        (tiles, self.vertices.len())
    }

    /// Without the empty ones.
    fn into_tiles(self) -> Vec<Vec<usize>> {
        let mut tiles = vec![Vec::new(); self.bones.len()];
        for (need, tile) in self.tile_of.into_iter().enumerate() {
            tiles[tile].push(need);
        }
        tiles.retain(|needs| !needs.is_empty());
        tiles
    }
}
