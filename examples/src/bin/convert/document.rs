//! What was read, whatever the format: as glTF has it, which holds the most.

use std::path::Path;

use elea_anim::{Animation, Channel, Interpolation, JointId, Key, Values, bvh::Tip, gltf::Gltf};
use elea_examples::file::Format;

/// Which way is up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Up {
    /// BVH and glTF: z is forward.
    Y,
    /// MD5: x is forward.
    Z,
}

/// Seconds between keys that are evenly spaced, to a hundredth; `None` where they are not.
pub(crate) fn frame_time(animation: &Animation) -> Option<f64> {
    let longest = animation.channels.iter().max_by_key(|channel| channel.keys())?;
    let times = longest.times();
    let steps = u32::try_from(times.len() - 1).ok().filter(|steps| *steps > 0)?;
    let step = f64::from(times[times.len() - 1] - times[0]) / f64::from(steps);
    let even = |pair: &[f32]| (f64::from(pair[1]) - f64::from(pair[0]) - step).abs() < 0.01 * step;
    (step > 0.0 && times.windows(2).all(even)).then_some(step)
}

impl Up {
    /// Of a file as its format has it.
    pub(crate) const fn of(format: Format) -> Self {
        match format {
            Format::Bvh | Format::Gltf => Self::Y,
            Format::Md5Mesh | Format::Md5Anim => Self::Z,
        }
    }
}

/// A file's content, and what is known about it.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) format: Format,
    pub(crate) up: Up,
    pub(crate) file: Gltf,
    /// Seconds a frame; `None` where the format has no frames.
    pub(crate) frame_time: Option<f64>,
    /// End Sites.
    pub(crate) tips: Vec<Tip>,
    /// The animation to write where there is only room for one.
    pub(crate) chosen: usize,
    /// What the readers said, each with its file.
    pub(crate) warnings: Vec<String>,
    /// What was changed on the way, for the summary.
    pub(crate) changes: Vec<String>,
}

impl Document {
    pub(crate) const fn new(format: Format, file: Gltf) -> Self {
        Self {
            format,
            up: Up::of(format),
            file,
            frame_time: None,
            tips: Vec::new(),
            chosen: 0,
            warnings: Vec::new(),
            changes: Vec::new(),
        }
    }

    /// Puts the first animation of another file on the joints of the same names.
    pub(crate) fn add_motion(&mut self, motion: Self, path: &Path) -> Result<(), String> {
        let Some(animation) = motion.file.animations.get(motion.chosen) else {
            return Err(format!(
                "{}: holds no animation; give a file with frames",
                path.display()
            ));
        };
        let (own, other) = (&self.file.skeleton, &motion.file.skeleton);
        let mut channels = Vec::new();
        let mut missing = Vec::new();
        for joint in other.joints() {
            let name = other.name(joint);
            let Some(target) = own.joint(name) else {
                missing.push(name);
                continue;
            };
            let moved: Vec<&Channel> = animation
                .channels
                .iter()
                .filter(|channel| channel.joint() == joint)
                .collect();
            channels.extend(moved.iter().map(|&channel| channel.clone().with_joint(target)));
            // What the motion leaves at rest stands as its own rest pose has it.
            let (rest, here) = (other.rest_pose().get(joint), own.rest_pose().get(target));
            let apart = rest.translation.distance(here.translation) > 1e-5 * here.translation.length();
            let is_moved = |of: fn(&Values) -> bool| moved.iter().any(|channel| of(channel.values()));
            if apart && !is_moved(|values| matches!(values, Values::Translation(_))) {
                channels.extend(Channel::translation(
                    target,
                    Interpolation::Linear,
                    &[Key::new(0.0, rest.translation)],
                ));
            }
            if rest.rotation != here.rotation && !is_moved(|values| matches!(values, Values::Rotation(_))) {
                channels.extend(Channel::rotation(
                    target,
                    Interpolation::Linear,
                    &[Key::new(0.0, rest.rotation)],
                ));
            }
            if rest.scale != here.scale && !is_moved(|values| matches!(values, Values::Scale(_))) {
                channels.extend(Channel::scale(
                    target,
                    Interpolation::Linear,
                    &[Key::new(0.0, rest.scale)],
                ));
            }
        }
        if missing.len() == other.len() {
            return Err(format!(
                "{}: none of its joints has a name that IN has; the program retarget moves motions between skeletons",
                path.display()
            ));
        }
        if !missing.is_empty() {
            self.changes.push(format!(
                "lost: the motion of {} of {} joints that IN does not have, \"{}\" first",
                missing.len(),
                other.len(),
                missing[0]
            ));
        }
        self.chosen = self.file.animations.len();
        self.file.animations.push(Animation {
            channels,
            ..animation.clone()
        });
        self.frame_time = motion.frame_time;
        self.warnings.extend(motion.warnings);
        Ok(())
    }

    /// The animation of that name, or else of that number.
    pub(crate) fn choose(&mut self, wanted: &str) -> Result<(), String> {
        let animations = &self.file.animations;
        let by_name = animations.iter().position(|animation| animation.name == wanted);
        let by_number = || {
            wanted
                .parse()
                .ok()
                .filter(|&number: &usize| number < animations.len())
        };
        let Some(chosen) = by_name.or_else(by_number) else {
            if animations.is_empty() {
                return Err("holds no animation; leave --animation out".to_owned());
            }
            let names: Vec<String> = animations
                .iter()
                .map(|animation| format!("\"{}\"", animation.name))
                .collect();
            return Err(format!(
                "there is no animation \"{wanted}\"; give a name or a number of: {}",
                names.join(", ")
            ));
        };
        if chosen != self.chosen {
            // So far it was that of the other animation.
            self.frame_time = frame_time(&animations[chosen]);
        }
        self.chosen = chosen;
        Ok(())
    }

    /// The animation to write where there is only room for one.
    pub(crate) fn animation(&self) -> Option<&Animation> {
        self.file.animations.get(self.chosen)
    }

    /// Vertices of everything that is drawn.
    pub(crate) fn vertices(&self) -> usize {
        self.file
            .meshes
            .iter()
            .map(|mesh| mesh.mesh.positions.len())
            .sum()
    }

    /// Whether a joint is the top of a tree.
    pub(crate) fn is_root(&self, joint: JointId) -> bool {
        self.file.skeleton.parent(joint).is_none()
    }
}
