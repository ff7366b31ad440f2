//! Which joint of a skeleton is which part of a humanoid.

use std::collections::BTreeMap;
use std::fmt;

use elea_anim::{JointId, Skeleton};

use super::{
    humanoid::{Part, Side},
    names::{self, CONVENTIONS},
    stance::Stance,
    topology,
};

/// Names a joint for each part of a humanoid.
///
/// Find one with [`BoneMap::auto`], or write it by hand, or read it from a JSON object `{"hips": "Hips",
/// "l_upperarm": "LeftArm", ...}` (feature `serde`). Joints are named as in the [`Skeleton`]; where a name repeats
/// there, `name#2`, `name#3` are the later ones.
///
/// ```
/// use elea_ik::retarget::{BoneMap, Part};
/// let mut map = BoneMap::default();
/// map.set(Part::Hips, "Hips");
/// assert_eq!(map.get(Part::Hips), Some("Hips"));
/// assert_eq!(map.get(Part::Neck), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct BoneMap {
    joints: BTreeMap<Part, String>,
}

/// What [`BoneMap::auto`] found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapReport {
    /// The parts that were found.
    pub map: BoneMap,
    /// The naming convention that names most of them; `None` where the names told nothing.
    pub convention: Option<&'static str>,
    /// The parts without a joint, fingers and the skull's top left out. Parts of [`Part::REQUIRED`] among them make
    /// [`Retargeter::new`](super::Retargeter::new) fail; the others are skipped.
    pub missing: Vec<Part>,
    /// What a person should look at.
    pub warnings: Vec<MapWarning>,
}

/// What is odd about a map that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MapWarning {
    /// The names told nothing of this part; the skeleton's shape did.
    Guessed {
        /// The part.
        part: Part,
        /// The joint that stands where the part would be.
        joint: String,
    },
    /// In the rest pose the trunk lies along the ground: the figure may have four legs.
    FourLegged,
    /// In the rest pose the joints that are named left stand on the figure's right.
    SidesSwapped,
    /// An optional part has no joint; it stays as its neighbours carry it.
    Skipped {
        /// The part.
        part: Part,
    },
}

impl fmt::Display for MapWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Guessed { part, joint } => {
                write!(
                    f,
                    "{part}: taken to be joint \"{joint}\" by its place, not by its name"
                )
            }
            Self::FourLegged => f.write_str("the trunk lies along the ground: four legs, no humanoid"),
            Self::SidesSwapped => f.write_str("the joints named left stand on the figure's right side"),
            Self::Skipped { part } => write!(f, "{part}: no joint found, skipped"),
        }
    }
}

impl BoneMap {
    /// Finds the parts by the joints' names, and where these tell nothing, by the skeleton's shape.
    ///
    /// Names are compared in any case, without namespaces (`mixamorig:`), a prefix that all joints share, and
    /// separators, against 40 conventions; the one that names most parts wins. Then come names with the side in
    /// another place (`foot.l`, `L_Foot`), then topology: two long legs at the hips, two arms and a neck at the
    /// chest, sides by `(up x forward) . (left - right)`. Topology needs a rest pose that stands, names do not.
    #[must_use]
    pub fn auto(skeleton: &Skeleton) -> MapReport {
        let mut warnings = Vec::new();
        let (mut joints, convention) = by_name(skeleton);
        if Part::REQUIRED.iter().any(|part| !joints.contains_key(part)) {
            let (loose, loose_convention) = by_base_name(skeleton);
            let found = |map: &BTreeMap<Part, JointId>| {
                Part::REQUIRED
                    .iter()
                    .filter(|part| map.contains_key(part))
                    .count()
            };
            if found(&loose) > found(&joints) {
                return Self::finish(skeleton, loose, loose_convention, warnings);
            }
            if let Some(shape) = topology::guess(skeleton) {
                for (part, joint) in shape {
                    joints.entry(part).or_insert_with(|| {
                        let joint_name = unique_name(skeleton, joint);
                        warnings.push(MapWarning::Guessed {
                            part,
                            joint: joint_name,
                        });
                        joint
                    });
                }
            }
        }
        Self::finish(skeleton, joints, convention, warnings)
    }

    fn finish(
        skeleton: &Skeleton,
        mut joints: BTreeMap<Part, JointId>,
        convention: Option<&'static str>,
        mut warnings: Vec<MapWarning>,
    ) -> MapReport {
        topology::add_toes(skeleton, &mut joints);
        let names = joints
            .iter()
            .map(|(&part, &joint)| (part, unique_name(skeleton, joint)));
        let map = Self {
            joints: names.collect(),
        };
        let core = Part::all().filter(|part| part.is_core() && !joints.contains_key(part));
        let missing: Vec<Part> = core.collect();
        let optional = missing.iter().filter(|part| !Part::REQUIRED.contains(part));
        let eyes = |part: &&Part| !matches!(part, Part::Eye(_));
        warnings.extend(optional.filter(eyes).map(|&part| MapWarning::Skipped { part }));
        if let Some(stance) = Stance::of(skeleton, &map, skeleton.rest_pose()) {
            if stance.lies_along_the_ground() {
                warnings.push(MapWarning::FourLegged);
            } else if stance.stands() && stance.sides_swapped {
                warnings.push(MapWarning::SidesSwapped);
            }
        }
        MapReport {
            map,
            convention,
            missing,
            warnings,
        }
    }

    /// The name of the part's joint.
    #[must_use]
    pub fn get(&self, part: Part) -> Option<&str> {
        self.joints.get(&part).map(String::as_str)
    }

    /// Gives the part a joint.
    pub fn set(&mut self, part: Part, joint: impl Into<String>) {
        self.joints.insert(part, joint.into());
    }

    /// Takes the part out of the map.
    pub fn remove(&mut self, part: Part) {
        self.joints.remove(&part);
    }

    /// The parts and their joints' names.
    pub fn iter(&self) -> impl Iterator<Item = (Part, &str)> {
        self.joints.iter().map(|(&part, name)| (part, name.as_str()))
    }

    /// Number of parts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// Whether no part has a joint.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// The part's joint in `skeleton`; `None` where the map lacks the part or the skeleton the name.
    #[must_use]
    pub fn joint(&self, part: Part, skeleton: &Skeleton) -> Option<JointId> {
        find_joint(skeleton, self.get(part)?)
    }
}

/// The joint of that name; `name#2` is the second of that name.
pub(super) fn find_joint(skeleton: &Skeleton, name: &str) -> Option<JointId> {
    if let Some(joint) = skeleton.joint(name) {
        return Some(joint);
    }
    let (base, number) = name.rsplit_once('#')?;
    let number: usize = number.parse().ok()?;
    let same = |joint: &JointId| skeleton.name(*joint) == base;
    skeleton.joints().filter(same).nth(number.checked_sub(1)?)
}

fn unique_name(skeleton: &Skeleton, joint: JointId) -> String {
    let name = skeleton.name(joint);
    if skeleton.joint(name) == Some(joint) {
        return name.to_owned();
    }
    let same = |other: &JointId| skeleton.name(*other) == name && *other <= joint;
    format!("{name}#{}", skeleton.joints().filter(same).count())
}

/// How much of every joint's name is one shared prefix that ends in a separator.
fn shared_prefix(skeleton: &Skeleton) -> usize {
    let mut names = skeleton.joints().map(|joint| skeleton.name(joint));
    let Some(first) = names.next() else { return 0 };
    let mut length = first.len();
    for name in names {
        let same = first
            .bytes()
            .zip(name.bytes())
            .take_while(|(a, b)| a == b)
            .count();
        length = length.min(same);
    }
    while !first.is_char_boundary(length) {
        length -= 1;
    }
    first[..length]
        .rfind(['_', '.', '-', ' ', ':', '|'])
        .map_or(0, |separator| separator + 1)
}

type Found = (BTreeMap<Part, JointId>, Option<&'static str>);

fn by_name(skeleton: &Skeleton) -> Found {
    let prefix = shared_prefix(skeleton);
    let clean = |joint: JointId, cut: usize| names::normalize(&skeleton.name(joint)[cut..]);
    let whole: Vec<String> = skeleton.joints().map(|joint| clean(joint, 0)).collect();
    let cut: Vec<String> = skeleton.joints().map(|joint| clean(joint, prefix)).collect();
    best_convention(skeleton, |entry, joint| {
        let index = joint.index();
        entry
            .matches(&whole[index])
            .or_else(|| entry.matches(&cut[index]))
    })
}

fn by_base_name(skeleton: &Skeleton) -> Found {
    let prefix = shared_prefix(skeleton);
    let name = |joint: JointId| &skeleton.name(joint)[prefix..];
    let split: Vec<Option<(Side, String)>> = skeleton
        .joints()
        .map(|joint| names::split_side(name(joint)))
        .collect();
    let central: Vec<String> = skeleton
        .joints()
        .map(|joint| names::normalize(name(joint)))
        .collect();
    best_convention(skeleton, |entry, joint| match &split[joint.index()] {
        Some((side, base)) => entry.matches_base(base, *side),
        None => entry.matches(&central[joint.index()]),
    })
}

/// Tries every convention; the most core parts win, then the earlier row.
fn best_convention(skeleton: &Skeleton, matches: impl Fn(&names::Entry, JointId) -> Option<Part>) -> Found {
    let mut best: Found = (BTreeMap::new(), None);
    let mut best_core = 0;
    for &(convention, row) in CONVENTIONS {
        let mut found: BTreeMap<Part, (usize, JointId)> = BTreeMap::new();
        for (rank, entry) in names::entries(row).enumerate() {
            for joint in skeleton.joints() {
                let Some(part) = matches(&entry, joint) else {
                    continue;
                };
                // Helper bones carry the bone's name with something around it: the shortest name is the bone.
                let length = |joint: JointId| skeleton.name(joint).len();
                let better = found
                    .get(&part)
                    .is_none_or(|&(known_rank, known)| known_rank == rank && length(joint) < length(known));
                if better {
                    found.insert(part, (rank, joint));
                }
            }
        }
        let core = found.keys().filter(|part| part.is_core()).count();
        if core > best_core {
            best_core = core;
            let joints = found.into_iter().map(|(part, (_, joint))| (part, joint));
            best = (joints.collect(), Some(convention));
        }
    }
    best
}

/// Why a map file could not be read or written.
#[cfg(feature = "serde")]
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MapFileError {
    /// The file could not be opened, read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is no JSON object of parts and joint names.
    #[error(
        "{path}: {source}; a map is a JSON object like {{\"hips\": \"Hips\", \"l_thigh\": \"LeftUpLeg\"}}"
    )]
    Json {
        /// The file.
        path: String,
        /// What is wrong, with line and column.
        source: serde_json::Error,
    },
}

#[cfg(feature = "serde")]
impl BoneMap {
    /// Reads a JSON object `{part: joint}`.
    ///
    /// # Errors
    /// [`MapFileError`] with the file, and the line where the text is wrong.
    pub fn load(path: impl AsRef<std::path::Path>) -> Result<Self, MapFileError> {
        let path = path.as_ref();
        let name = || path.display().to_string();
        let text =
            std::fs::read_to_string(path).map_err(|source| MapFileError::Io { path: name(), source })?;
        serde_json::from_str(&text).map_err(|source| MapFileError::Json { path: name(), source })
    }

    /// Writes the map as a JSON object `{part: joint}`.
    ///
    /// # Errors
    /// [`MapFileError::Io`] where the file can't be written.
    pub fn save(&self, path: impl AsRef<std::path::Path>) -> Result<(), MapFileError> {
        let path = path.as_ref();
        let name = || path.display().to_string();
        let mut text = serde_json::to_string_pretty(self)
            .map_err(|source| MapFileError::Json { path: name(), source })?;
        text.push('\n');
        std::fs::write(path, text).map_err(|source| MapFileError::Io { path: name(), source })
    }
}
