//! What can be wrong with a BVH file.

use super::Strictness;

/// Why a file could not be read. Lines count from 1, frames and channels from 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BvhError {
    /// The file does not start with the word HIERARCHY.
    #[error("line {line}: not a BVH file: expected HIERARCHY, found {found}")]
    NotBvh {
        /// Where the first word stands; 1 in an empty file.
        line: usize,
        /// What is there instead.
        found: String,
    },
    /// A hierarchy without a ROOT.
    #[error("line {line}: the hierarchy has no ROOT")]
    NoRoot {
        /// Where the hierarchy ends.
        line: usize,
    },
    /// A word that cannot stand where it stands.
    #[error("line {line}: expected {expected}, found {found}")]
    Unexpected {
        /// Where it stands.
        line: usize,
        /// What the format has there.
        expected: &'static str,
        /// What was found.
        found: String,
    },
    /// More joints than a skeleton can hold.
    #[error("line {line}: more than {max} joints", max = crate::Skeleton::MAX_JOINTS)]
    TooManyJoints {
        /// Where the first one too many begins.
        line: usize,
    },
    /// A channel that is no position, rotation or scale.
    #[error("line {line}: unknown channel \"{name}\"")]
    UnknownChannel {
        /// Where it stands.
        line: usize,
        /// The name as written.
        name: String,
    },
    /// The number behind CHANNELS is not the number of names.
    #[error("line {line}: CHANNELS {declared}, but {found} channel names follow")]
    ChannelCount {
        /// Where CHANNELS stands.
        line: usize,
        /// The number behind CHANNELS.
        declared: u64,
        /// How many names follow.
        found: usize,
    },
    /// A joint, or another End Site, inside an End Site, or channels of one.
    #[error("line {line}: {found} inside an End Site, which can only have an OFFSET")]
    NestedEndSite {
        /// Where it stands.
        line: usize,
        /// The word.
        found: String,
    },
    /// A NaN or an infinity (or a number beyond f32) in an OFFSET or in `Frame Time`.
    #[error("line {line}: {what} has the value {text}, which is not a finite number")]
    NonFiniteHeader {
        /// Where it stands.
        line: usize,
        /// Which part of the file.
        what: &'static str,
        /// The value as written.
        text: String,
    },
    /// A NaN or an infinity (or a number beyond an eighth of f32's range) in the motion.
    #[error("line {line}: frame {frame}, channel {channel}: {text} is not a finite number")]
    NonFinite {
        /// Where it stands.
        line: usize,
        /// The frame.
        frame: usize,
        /// The column, over all joints.
        channel: usize,
        /// The value as written.
        text: String,
    },
    /// Something between the values of the motion that is no number.
    #[error("line {line}: frame {frame}, channel {channel}: expected a number, found {text}")]
    NotANumber {
        /// Where it stands.
        line: usize,
        /// The frame.
        frame: usize,
        /// The column, over all joints.
        channel: usize,
        /// What was found.
        text: String,
    },
    /// Something that [`Strictness::Lenient`] reads with a warning.
    #[error("{0}")]
    Strict(BvhWarning),
}

impl BvhError {
    /// The line that is at fault, from 1.
    #[must_use]
    pub const fn line(&self) -> usize {
        match self {
            Self::NotBvh { line, .. }
            | Self::NoRoot { line }
            | Self::Unexpected { line, .. }
            | Self::TooManyJoints { line }
            | Self::UnknownChannel { line, .. }
            | Self::ChannelCount { line, .. }
            | Self::NestedEndSite { line, .. }
            | Self::NonFiniteHeader { line, .. }
            | Self::NonFinite { line, .. }
            | Self::NotANumber { line, .. } => *line,
            Self::Strict(warning) => warning.line(),
        }
    }
}

/// What was wrong with a file that could be read. Lines count from 1; where a fault repeats it is reported once,
/// with its first line and its count.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BvhWarning {
    /// `Frames:` says another number than there are complete frames; all complete frames were read.
    #[error("line {line}: Frames says {declared}, but the file has {found}")]
    FrameCount {
        /// Where `Frames:` stands.
        line: usize,
        /// What it says.
        declared: u64,
        /// Complete frames found.
        found: usize,
    },
    /// No `Frames:` line; all complete frames were read.
    #[error("line {line}: no number of frames; the file has {found}")]
    FrameCountMissing {
        /// Where the motion begins.
        line: usize,
        /// Complete frames found.
        found: usize,
    },
    /// The last frame lacks values and was left out.
    #[error("line {line}: frame {frame} has {found} of {expected} values and was left out")]
    CutRow {
        /// Where its last value stands.
        line: usize,
        /// Index of the frame.
        frame: usize,
        /// Values that are there.
        found: usize,
        /// Values of a complete frame.
        expected: usize,
    },
    /// `Frame Time` is zero or negative: [`DEFAULT_FRAME_TIME`](super::DEFAULT_FRAME_TIME) is used.
    #[error("line {line}: Frame Time {found} is not above zero; using 1/30 s")]
    FrameTimeNotPositive {
        /// Where it stands.
        line: usize,
        /// What it says.
        found: f64,
    },
    /// No `Frame Time` line: [`DEFAULT_FRAME_TIME`](super::DEFAULT_FRAME_TIME) is used.
    #[error("line {line}: no Frame Time; using 1/30 s")]
    FrameTimeMissing {
        /// Where the motion begins.
        line: usize,
    },
    /// Two joints of one name; both are kept.
    #[error("line {line}: joint name \"{name}\" is already used in line {first_line}")]
    DuplicateName {
        /// Where the later joint stands.
        line: usize,
        /// The name.
        name: String,
        /// Where the first joint of this name stands.
        first_line: usize,
    },
    /// An opening or closing brace is missing and was taken as there.
    #[error("line {line}: missing brace: expected {expected}")]
    MissingBrace {
        /// Where it was missed.
        line: usize,
        /// Which one.
        expected: char,
    },
    /// A closing brace that closes nothing was ignored.
    #[error("line {line}: closing brace without an opening one")]
    ExtraBrace {
        /// Where it stands.
        line: usize,
    },
    /// Numbers without a blank between them (`0.0-7.5`), taken apart.
    #[error("line {line}: numbers without a blank between them ({count} in the file)")]
    GluedNumbers {
        /// Where the first one stands.
        line: usize,
        /// How many blanks are missing.
        count: usize,
    },
    /// Numbers with a decimal comma (`0,5`).
    #[error("line {line}: decimal commas ({count} in the file)")]
    DecimalCommas {
        /// Where the first one stands.
        line: usize,
        /// How many there are.
        count: usize,
    },
    /// Names that are not UTF-8, read as Latin-1.
    #[error("line {line}: names that are not UTF-8 were read as Latin-1 ({count} in the file)")]
    NotUtf8 {
        /// Where the first one stands.
        line: usize,
        /// How many there are.
        count: usize,
    },
    /// Something behind the motion that is no part of it was ignored.
    #[error("line {line}: text after the data was ignored: {text}")]
    TextAfterData {
        /// Where it begins.
        line: usize,
        /// Its first word.
        text: String,
    },
    /// Scale channels, which most programs do not read. Here they are a scale.
    #[error("line {line}: joint \"{joint}\" has scale channels{}", if *.all_one { " (all values 1)" } else { "" })]
    ScaleChannels {
        /// Where the first joint with scale channels stands.
        line: usize,
        /// Its name.
        joint: String,
        /// Whether every scale of the file is 1, so that nothing depends on them.
        all_one: bool,
    },
    /// NaN or infinity, replaced as [`NonFinite::Hold`](super::NonFinite::Hold) says.
    #[error("line {line}: {count} values are not finite; the values before them were held")]
    HeldValues {
        /// Where the first one stands.
        line: usize,
        /// How many there are.
        count: usize,
    },
}

impl BvhWarning {
    /// The line that is at fault, from 1.
    #[must_use]
    pub const fn line(&self) -> usize {
        match self {
            Self::FrameCount { line, .. }
            | Self::FrameCountMissing { line, .. }
            | Self::CutRow { line, .. }
            | Self::FrameTimeNotPositive { line, .. }
            | Self::FrameTimeMissing { line }
            | Self::DuplicateName { line, .. }
            | Self::MissingBrace { line, .. }
            | Self::ExtraBrace { line }
            | Self::GluedNumbers { line, .. }
            | Self::DecimalCommas { line, .. }
            | Self::NotUtf8 { line, .. }
            | Self::TextAfterData { line, .. }
            | Self::ScaleChannels { line, .. }
            | Self::HeldValues { line, .. } => *line,
        }
    }
}

/// Faults that may be in every line, so that they are counted instead of listed.
#[derive(Clone, Copy)]
pub(super) enum Repeated {
    GluedNumbers,
    DecimalCommas,
    NotUtf8,
    HeldValues,
}

impl Repeated {
    const ALL: [Self; 4] = [
        Self::GluedNumbers,
        Self::DecimalCommas,
        Self::NotUtf8,
        Self::HeldValues,
    ];

    const fn warning(self, line: usize, count: usize) -> BvhWarning {
        match self {
            Self::GluedNumbers => BvhWarning::GluedNumbers { line, count },
            Self::DecimalCommas => BvhWarning::DecimalCommas { line, count },
            Self::NotUtf8 => BvhWarning::NotUtf8 { line, count },
            Self::HeldValues => BvhWarning::HeldValues { line, count },
        }
    }
}

/// Collects warnings, or turns the first one into an error.
pub(super) struct Notes {
    strictness: Strictness,
    warnings: Vec<BvhWarning>,
    /// First line and count of each [`Repeated`].
    repeated: [Option<(usize, usize)>; Repeated::ALL.len()],
}

impl Notes {
    pub(super) const fn new(strictness: Strictness) -> Self {
        Self {
            strictness,
            warnings: Vec::new(),
            repeated: [None; Repeated::ALL.len()],
        }
    }

    pub(super) fn warn(&mut self, warning: BvhWarning) -> Result<(), BvhError> {
        match self.strictness {
            Strictness::Lenient => {
                self.warnings.push(warning);
                Ok(())
            }
            Strictness::Strict => Err(BvhError::Strict(warning)),
        }
    }

    /// Counts a fault; its line is asked for the first time only.
    pub(super) fn count(&mut self, fault: Repeated, line: impl FnOnce() -> usize) -> Result<(), BvhError> {
        match (&mut self.repeated[fault as usize], self.strictness) {
            (Some((_, count)), _) => *count += 1,
            (None, Strictness::Strict) => return Err(BvhError::Strict(fault.warning(line(), 1))),
            (first @ None, Strictness::Lenient) => *first = Some((line(), 1)),
        }
        Ok(())
    }

    /// All warnings in the order of their lines.
    pub(super) fn finish(mut self) -> Vec<BvhWarning> {
        for fault in Repeated::ALL {
            if let Some((line, count)) = self.repeated[fault as usize] {
                self.warnings.push(fault.warning(line, count));
            }
        }
        self.warnings.sort_by_key(BvhWarning::line);
        self.warnings
    }
}
