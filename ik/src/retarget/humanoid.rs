//! The parts of a humanoid figure.

use std::{fmt, str::FromStr};

/// The figure's own left or right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The figure's own left.
    Left,
    /// The figure's own right.
    Right,
}

impl Side {
    /// Left, then right.
    pub const BOTH: [Self; 2] = [Self::Left, Self::Right];

    /// The other side.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

/// A finger of a hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Finger {
    /// The thumb.
    Thumb,
    /// The index finger.
    Index,
    /// The middle finger.
    Middle,
    /// The ring finger.
    Ring,
    /// The little finger.
    Pinky,
}

impl Finger {
    /// All five, from the thumb on.
    pub const ALL: [Self; 5] = [Self::Thumb, Self::Index, Self::Middle, Self::Ring, Self::Pinky];

    const fn name(self) -> &'static str {
        match self {
            Self::Thumb => "thumb",
            Self::Index => "index",
            Self::Middle => "middle",
            Self::Ring => "ring",
            Self::Pinky => "pinky",
        }
    }
}

/// A joint of a finger, counted from the palm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phalanx {
    /// The knuckle, where the finger leaves the palm.
    First,
    /// The second joint.
    Second,
    /// The third joint.
    Third,
    /// The finger's tip, where the rig has a joint there.
    Tip,
}

impl Phalanx {
    /// From the knuckle to the tip.
    pub const ALL: [Self; 4] = [Self::First, Self::Second, Self::Third, Self::Tip];
}

/// A part of a humanoid figure: what a [`BoneMap`](super::BoneMap) gives joint names to.
///
/// A part is named after the bone that its joint moves: `UpperArm` is the shoulder's ball joint, `Forearm` the
/// elbow, `Thigh` the hip's ball joint, `Shin` the knee, `Foot` the ankle, `Toe` the ball of the foot.
///
/// The text form, read by [`FromStr`] and written by [`Display`](fmt::Display), is short lower case:
/// `hips`, `upperchest`, `l_upperarm`, `r_index1` (`4` is the tip).
///
/// ```
/// use elea_ik::retarget::{Part, Side};
/// assert_eq!("l_upperarm".parse(), Ok(Part::UpperArm(Side::Left)));
/// assert_eq!(Part::Toe(Side::Right).to_string(), "r_toe");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The joint that carries the whole figure: pelvis, hips or root.
    Hips,
    /// The lowest joint of the spine.
    Spine,
    /// A middle joint of the spine.
    Chest,
    /// The joint of the spine that carries shoulders and neck.
    UpperChest,
    /// The lowest joint of the neck.
    Neck,
    /// Where the skull sits on the neck.
    Head,
    /// The top of the skull.
    HeadEnd,
    /// An eye's centre.
    Eye(Side),
    /// Collar bone: the shoulder girdle.
    Clavicle(Side),
    /// The shoulder's ball joint.
    UpperArm(Side),
    /// The elbow.
    Forearm(Side),
    /// The wrist.
    Hand(Side),
    /// The hip's ball joint.
    Thigh(Side),
    /// The knee.
    Shin(Side),
    /// The ankle.
    Foot(Side),
    /// The ball of the foot.
    Toe(Side),
    /// A joint of a finger.
    Finger(Side, Finger, Phalanx),
}

type OfSide = fn(Side) -> Part;

/// The parts that both sides have, by their names without the side.
const SIDED: [(&str, OfSide); 9] = [
    ("eye", Part::Eye),
    ("clavicle", Part::Clavicle),
    ("upperarm", Part::UpperArm),
    ("forearm", Part::Forearm),
    ("hand", Part::Hand),
    ("thigh", Part::Thigh),
    ("shin", Part::Shin),
    ("foot", Part::Foot),
    ("toe", Part::Toe),
];

const CENTRAL: [(&str, Part); 7] = [
    ("hips", Part::Hips),
    ("spine", Part::Spine),
    ("chest", Part::Chest),
    ("upperchest", Part::UpperChest),
    ("neck", Part::Neck),
    ("head", Part::Head),
    ("head_end", Part::HeadEnd),
];

impl Part {
    /// The parts without which a figure can't be retargeted: hips, upper and lower arms, thighs and shins, with
    /// the wrists and ankles at their ends.
    pub const REQUIRED: [Self; 13] = [
        Self::Hips,
        Self::UpperArm(Side::Left),
        Self::UpperArm(Side::Right),
        Self::Forearm(Side::Left),
        Self::Forearm(Side::Right),
        Self::Hand(Side::Left),
        Self::Hand(Side::Right),
        Self::Thigh(Side::Left),
        Self::Thigh(Side::Right),
        Self::Shin(Side::Left),
        Self::Shin(Side::Right),
        Self::Foot(Side::Left),
        Self::Foot(Side::Right),
    ];

    /// Every part: the trunk from the hips up, then the left side, then the right.
    pub fn all() -> impl Iterator<Item = Self> {
        let sided = |side: Side| {
            let fingers = Finger::ALL
                .into_iter()
                .flat_map(move |finger| Phalanx::ALL.map(|phalanx| Self::Finger(side, finger, phalanx)));
            SIDED.iter().map(move |(_, part)| part(side)).chain(fingers)
        };
        let central = CENTRAL.iter().map(|&(_, part)| part);
        central.chain(Side::BOTH.into_iter().flat_map(sided))
    }

    /// Which side the part is on; `None` for the trunk and the head.
    #[must_use]
    pub const fn side(self) -> Option<Side> {
        match self {
            Self::Eye(side)
            | Self::Clavicle(side)
            | Self::UpperArm(side)
            | Self::Forearm(side)
            | Self::Hand(side)
            | Self::Thigh(side)
            | Self::Shin(side)
            | Self::Foot(side)
            | Self::Toe(side)
            | Self::Finger(side, ..) => Some(side),
            _ => None,
        }
    }

    /// The same part of the other side; parts of the trunk and the head are their own mirror images.
    #[must_use]
    pub fn mirrored(self) -> Self {
        let Some(side) = self.side() else { return self };
        let other = side.other();
        match self {
            Self::Finger(_, finger, phalanx) => Self::Finger(other, finger, phalanx),
            _ => SIDED
                .iter()
                .find(|(_, part)| part(side) == self)
                .map_or(self, |(_, part)| part(other)),
        }
    }

    /// Whether the automatic map counts it when it compares conventions: all but fingers and the skull's top.
    pub(super) const fn is_core(self) -> bool {
        !matches!(self, Self::Finger(..) | Self::HeadEnd)
    }

    pub(super) fn sided(name: &str, side: Side) -> Option<Self> {
        if let Some((_, part)) = SIDED.iter().find(|(known, _)| *known == name) {
            return Some(part(side));
        }
        let (name, number) = name.split_at_checked(name.len().checked_sub(1)?)?;
        let finger = Finger::ALL.into_iter().find(|finger| finger.name() == name)?;
        let phalanx = *Phalanx::ALL.get(number.parse::<usize>().ok()?.checked_sub(1)?)?;
        Some(Self::Finger(side, finger, phalanx))
    }

    pub(super) fn central(name: &str) -> Option<Self> {
        CENTRAL
            .iter()
            .find(|(known, _)| *known == name)
            .map(|&(_, part)| part)
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(side) = self.side() else {
            let name = CENTRAL
                .iter()
                .find(|(_, part)| part == self)
                .map_or("", |(name, _)| name);
            return f.write_str(name);
        };
        f.write_str(match side {
            Side::Left => "l_",
            Side::Right => "r_",
        })?;
        match self {
            Self::Finger(_, finger, phalanx) => write!(f, "{}{}", finger.name(), *phalanx as u8 + 1),
            _ => {
                let found = SIDED.iter().find(|(_, part)| part(side) == *self);
                f.write_str(found.map_or("", |(name, _)| name))
            }
        }
    }
}

/// A text that names no [`Part`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{text}\" is no part of a humanoid; parts are named like hips, l_upperarm, r_index1")]
pub struct ParsePartError {
    /// What was to be read.
    pub text: String,
}

impl FromStr for Part {
    type Err = ParsePartError;

    fn from_str(text: &str) -> Result<Self, ParsePartError> {
        let found = match text.split_at_checked(2) {
            Some(("l_", name)) => Self::sided(name, Side::Left),
            Some(("r_", name)) => Self::sided(name, Side::Right),
            _ => Self::central(text),
        };
        found.ok_or_else(|| ParsePartError {
            text: text.to_owned(),
        })
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Part {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Part {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_has_its_own_name_and_reads_it_back() {
        let parts: Vec<Part> = Part::all().collect();
        assert_eq!(parts.len(), 7 + 2 * (9 + 20));
        let names: std::collections::HashSet<String> = parts.iter().map(Part::to_string).collect();
        assert_eq!(names.len(), parts.len());
        for part in parts {
            assert_eq!(part.to_string().parse(), Ok(part));
            assert_eq!(part.mirrored().mirrored(), part);
            assert_eq!(part.mirrored() == part, part.side().is_none());
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "", "l_", "l_é", "hip", "l_hips", "l_index0", "l_index5", "r_thumb", "x_foot", "é",
        ] {
            assert!(text.parse::<Part>().is_err(), "{text} names no part");
        }
    }
}
