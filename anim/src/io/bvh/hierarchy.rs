//! The HIERARCHY section.

use std::collections::HashMap;

use crate::{JointId, Skeleton, io::sampling::LARGEST};

use super::{
    Axis, BvhChannel, BvhError, BvhWarning,
    error::{Notes, Repeated},
    lexer::{Lexer, is_keyword, quote},
    number::{is_non_finite, number_at_front},
};

/// The tree as written, parents before children.
#[derive(Default)]
pub(super) struct Hierarchy {
    pub(super) joints: Vec<JointEntry>,
    pub(super) tips: Vec<TipEntry>,
}

pub(super) struct JointEntry {
    pub(super) name: String,
    pub(super) parent: Option<JointId>,
    pub(super) offset: [f64; 3],
    pub(super) channels: Vec<BvhChannel>,
    pub(super) line: usize,
}

pub(super) struct TipEntry {
    pub(super) joint: JointId,
    pub(super) name: Option<String>,
    pub(super) offset: [f64; 3],
}

/// A node whose closing brace has not come yet.
#[derive(Clone, Copy)]
enum Open {
    Joint(usize),
    EndSite(usize),
}

/// Reads up to MOTION or the end of the file. The tree's depth is on a stack of its own, not on the program's.
pub(super) fn read(lexer: &mut Lexer<'_>, notes: &mut Notes) -> Result<Hierarchy, BvhError> {
    let first = lexer.word();
    if !is_keyword(first, "HIERARCHY") {
        let utf16 = matches!(lexer.bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
        return Err(BvhError::NotBvh {
            line: lexer.line,
            found: if utf16 {
                "UTF-16 (save it as UTF-8)".to_owned()
            } else {
                quote(first)
            },
        });
    }
    let mut reader = Reader {
        hierarchy: Hierarchy::default(),
        open: Vec::new(),
        lines: HashMap::new(),
    };
    while reader.read_item(lexer, notes)? {}
    if reader.hierarchy.joints.is_empty() {
        return Err(BvhError::NoRoot { line: lexer.line });
    }
    Ok(reader.hierarchy)
}

struct Reader {
    hierarchy: Hierarchy,
    open: Vec<Open>,
    /// Where each name was first used.
    lines: HashMap<String, usize>,
}

impl Reader {
    /// Reads one word and what belongs to it; `false` at MOTION and at the end.
    fn read_item(&mut self, lexer: &mut Lexer<'_>, notes: &mut Notes) -> Result<bool, BvhError> {
        let word = lexer.peek();
        let line = lexer.line;
        let is = |keyword| is_keyword(word, keyword);
        if word.is_empty() || is("MOTION") {
            self.close_tree(line, notes)?;
            return Ok(false);
        }
        lexer.word();
        let top = self.open.last().copied();
        match top {
            _ if is("ROOT") => {
                self.close_tree(line, notes)?;
                self.open_joint(None, line, lexer, notes)?;
            }
            _ if word == b"}" => {
                if self.open.pop().is_none() {
                    notes.warn(BvhWarning::ExtraBrace { line })?;
                }
            }
            Some(Open::Joint(parent)) if is("JOINT") => {
                self.open_joint(Some(JointId::from_index(parent)), line, lexer, notes)?;
            }
            Some(Open::Joint(joint)) if is("End") || is("EndSite") => {
                self.open_end_site(joint, line, lexer, notes)?;
            }
            Some(Open::EndSite(_)) if ["JOINT", "End", "EndSite"].into_iter().any(is) => {
                let found = quote(word);
                return Err(BvhError::NestedEndSite { line, found });
            }
            Some(open) if is("OFFSET") => {
                let offset = read_offset(lexer, notes)?;
                match open {
                    Open::Joint(joint) => self.hierarchy.joints[joint].offset = offset,
                    Open::EndSite(tip) => self.hierarchy.tips[tip].offset = offset,
                }
            }
            Some(open) if is("CHANNELS") => {
                let channels = read_channels(line, lexer)?;
                match open {
                    Open::Joint(joint) if self.hierarchy.joints[joint].channels.is_empty() => {
                        self.hierarchy.joints[joint].channels = channels;
                    }
                    Open::EndSite(_) if channels.is_empty() => {}
                    Open::EndSite(_) => {
                        let found = quote(word);
                        return Err(BvhError::NestedEndSite { line, found });
                    }
                    Open::Joint(_) => return Err(unexpected(line, "one CHANNELS for each joint", word)),
                }
            }
            Some(_) => {
                return Err(unexpected(
                    line,
                    "OFFSET, CHANNELS, JOINT, End Site or a brace",
                    word,
                ));
            }
            None => return Err(unexpected(line, "ROOT or MOTION", word)),
        }
        Ok(true)
    }

    fn close_tree(&mut self, line: usize, notes: &mut Notes) -> Result<(), BvhError> {
        if self.open.is_empty() {
            return Ok(());
        }
        self.open.clear();
        notes.warn(BvhWarning::MissingBrace { line, expected: '}' })
    }

    fn open_joint(
        &mut self,
        parent: Option<JointId>,
        line: usize,
        lexer: &mut Lexer<'_>,
        notes: &mut Notes,
    ) -> Result<(), BvhError> {
        let joint = self.hierarchy.joints.len();
        if joint == Skeleton::MAX_JOINTS {
            return Err(BvhError::TooManyJoints { line });
        }
        let name = decode(lexer.name(), line, notes)?;
        match self.lines.get(&name) {
            Some(&first_line) => {
                let name = name.clone();
                notes.warn(BvhWarning::DuplicateName {
                    line,
                    name,
                    first_line,
                })?;
            }
            None => {
                self.lines.insert(name.clone(), line);
            }
        }
        self.hierarchy.joints.push(JointEntry {
            name,
            parent,
            offset: [0.0; 3],
            channels: Vec::new(),
            line,
        });
        self.open.push(Open::Joint(joint));
        open_brace(lexer, notes)
    }

    fn open_end_site(
        &mut self,
        joint: usize,
        line: usize,
        lexer: &mut Lexer<'_>,
        notes: &mut Notes,
    ) -> Result<(), BvhError> {
        let mut name = lexer.name();
        if let Some((site, rest)) = name.split_at_checked(4)
            && site.eq_ignore_ascii_case(b"Site")
            && rest
                .first()
                .is_none_or(|&byte| !byte.is_ascii_alphanumeric() && byte != b'_')
        {
            name = rest;
        }
        let name = name.trim_ascii_start();
        let name = name.strip_prefix(b":").unwrap_or(name).trim_ascii();
        let name = if name.is_empty() {
            None
        } else {
            Some(decode(name, line, notes)?)
        };
        self.open.push(Open::EndSite(self.hierarchy.tips.len()));
        self.hierarchy.tips.push(TipEntry {
            joint: JointId::from_index(joint),
            name,
            offset: [0.0; 3],
        });
        open_brace(lexer, notes)
    }
}

fn open_brace(lexer: &mut Lexer<'_>, notes: &mut Notes) -> Result<(), BvhError> {
    if lexer.peek() == b"{" {
        lexer.word();
        return Ok(());
    }
    let line = lexer.line;
    notes.warn(BvhWarning::MissingBrace { line, expected: '{' })
}

/// UTF-8, or else Latin-1, in which every byte is the character of its own number.
fn decode(name: &[u8], line: usize, notes: &mut Notes) -> Result<String, BvhError> {
    if let Ok(name) = str::from_utf8(name) {
        return Ok(name.to_owned());
    }
    notes.count(Repeated::NotUtf8, || line)?;
    Ok(name.iter().copied().map(char::from).collect())
}

fn read_offset(lexer: &mut Lexer<'_>, notes: &mut Notes) -> Result<[f64; 3], BvhError> {
    let mut offset = [0.0; 3];
    let mut read = 0;
    while read < 3 {
        let word = lexer.word();
        let line = lexer.line;
        let not_finite = || BvhError::NonFiniteHeader {
            line,
            what: "OFFSET",
            text: quote(word),
        };
        if is_non_finite(word) {
            return Err(not_finite());
        }
        let mut rest = word;
        while read < 3
            && let Some(number) = number_at_front(rest)
        {
            if rest.len() < word.len() {
                notes.count(Repeated::GluedNumbers, || line)?;
            }
            if number.comma {
                notes.count(Repeated::DecimalCommas, || line)?;
            }
            if number.value.abs() > LARGEST {
                return Err(not_finite());
            }
            offset[read] = number.value;
            read += 1;
            rest = &rest[number.len..];
            if !matches!(rest.first(), Some(b'+' | b'-')) {
                break;
            }
        }
        if word.is_empty() || !rest.is_empty() {
            return Err(unexpected(line, "three numbers behind OFFSET", word));
        }
    }
    Ok(offset)
}

fn read_channels(line: usize, lexer: &mut Lexer<'_>) -> Result<Vec<BvhChannel>, BvhError> {
    let word = lexer.word();
    let declared = str::from_utf8(word)
        .ok()
        .and_then(|word| word.parse::<u64>().ok());
    let Some(declared) = declared else {
        return Err(unexpected(lexer.line, "the number of channels", word));
    };
    let mut channels = Vec::new();
    loop {
        let word = lexer.peek();
        let ends = ["OFFSET", "CHANNELS", "JOINT", "ROOT", "End", "EndSite", "MOTION"];
        if word.is_empty() || matches!(word, b"{" | b"}") || ends.iter().any(|end| is_keyword(word, end)) {
            break;
        }
        let Some(channel) = channel(word) else {
            if channels.len() as u64 == declared {
                break;
            }
            return Err(BvhError::UnknownChannel {
                line: lexer.line,
                name: String::from_utf8_lossy(word).into_owned(),
            });
        };
        channels.push(channel);
        lexer.word();
    }
    let found = channels.len();
    if declared != found as u64 {
        return Err(BvhError::ChannelCount {
            line,
            declared,
            found,
        });
    }
    Ok(channels)
}

fn channel(word: &[u8]) -> Option<BvhChannel> {
    let (axis, property) = word.split_first()?;
    let axis = match axis.to_ascii_uppercase() {
        b'X' => Axis::X,
        b'Y' => Axis::Y,
        b'Z' => Axis::Z,
        _ => return None,
    };
    let is = |name: &[u8]| property.eq_ignore_ascii_case(name);
    if is(b"position") {
        Some(BvhChannel::Position(axis))
    } else if is(b"rotation") {
        Some(BvhChannel::Rotation(axis))
    } else {
        is(b"scale").then_some(BvhChannel::Scale(axis))
    }
}

pub(super) fn unexpected(line: usize, expected: &'static str, found: &[u8]) -> BvhError {
    let found = quote(found);
    BvhError::Unexpected {
        line,
        expected,
        found,
    }
}
