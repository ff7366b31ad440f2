//! What is known of a file, as JSON and as text.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fmt,
};

use serde::{Serialize, Serializer};

/// The JSON object's keys are these fields.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Report {
    /// Names as they stand in the file, End Sites left out.
    pub(crate) joints: Vec<String>,
    /// Index of each joint's parent, -1 for roots.
    pub(crate) parents: Vec<i64>,
    pub(crate) roots: usize,
    pub(crate) frames: usize,
    /// Seconds; `None` where the file has no motion.
    pub(crate) frame_time: Option<f64>,
    pub(crate) channels: usize,
    pub(crate) warnings: Vec<String>,
    pub(crate) error: Option<String>,
    /// Joint positions of the frames that were asked for.
    pub(crate) world: BTreeMap<usize, Positions>,
    /// The format's name, for people.
    #[serde(skip)]
    pub(crate) format: &'static str,
    /// What else is in the file, a line each, for people.
    #[serde(skip)]
    pub(crate) summary: Vec<String>,
    /// A word or two on each joint, for people.
    #[serde(skip)]
    pub(crate) notes: Vec<String>,
}

/// Positions by name, in the order of the joints.
#[derive(Debug)]
pub(crate) struct Positions(Vec<(String, [f64; 3])>);

impl Positions {
    /// One position for each name; the second of a name becomes `name#2`, the third `name#3`.
    pub(crate) fn new(names: &[String], positions: impl IntoIterator<Item = [f64; 3]>) -> Self {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        let mut used = HashSet::new();
        let keys = names.iter().map(|name| {
            let count = counts.entry(name).or_default();
            loop {
                *count += 1;
                let key = if *count == 1 {
                    name.clone()
                } else {
                    format!("{name}#{count}")
                };
                // A joint may really be called `name#2`.
                if used.insert(key.clone()) {
                    return key;
                }
            }
        });
        Self(keys.collect::<Vec<_>>().into_iter().zip(positions).collect())
    }
}

impl Serialize for Positions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, position)| (name, position)))
    }
}

impl Report {
    /// The report of a file that could not be read.
    pub(crate) fn failed(error: String) -> Self {
        Self {
            error: Some(error),
            ..Self::default()
        }
    }

    pub(crate) fn to_json(&self) -> String {
        // Strings, numbers and maps with such keys can always be written.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

/// How deep a joint may be indented; deeper ones stay there.
const MAX_INDENT: usize = 30;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let roots = if self.roots == 1 {
            String::new()
        } else {
            format!(" in {} trees", self.roots)
        };
        write!(
            f,
            "{}, {} joints{roots}, {} channels, ",
            self.format,
            self.joints.len(),
            self.channels
        )?;
        match self.frame_time {
            None => writeln!(f, "no motion")?,
            Some(frame_time) => {
                #[expect(clippy::cast_precision_loss, reason = "a duration for people")]
                let seconds = self.frames as f64 * frame_time;
                let rate = 1.0 / frame_time;
                writeln!(
                    f,
                    "{} frames of {frame_time} s ({rate:.2} a second, {seconds:.2} s)",
                    self.frames
                )?;
            }
        }
        let mut depths: Vec<usize> = Vec::with_capacity(self.joints.len());
        for (index, (name, note)) in self.joints.iter().zip(&self.notes).enumerate() {
            let parent = usize::try_from(self.parents[index]).ok();
            let depth = parent.map_or(0, |parent| depths[parent] + 1);
            depths.push(depth);
            let label = format!("{}{name}", "  ".repeat(depth.min(MAX_INDENT)));
            writeln!(f, "  {label:<32} {note}")?;
        }
        for line in &self.summary {
            writeln!(f, "  {line}")?;
        }
        for (frame, Positions(positions)) in &self.world {
            writeln!(f, "frame {frame}, positions in model space:")?;
            for (name, [x, y, z]) in positions {
                writeln!(f, "  {name:<32} {x:12.6} {y:12.6} {z:12.6}")?;
            }
        }
        if !self.warnings.is_empty() {
            let s = if self.warnings.len() == 1 { "" } else { "s" };
            writeln!(f, "{} warning{s}:", self.warnings.len())?;
            for warning in &self.warnings {
                writeln!(f, "  {warning}")?;
            }
        }
        Ok(())
    }
}
