//! The MOTION section: a stream of numbers, one row of channels a frame.

use crate::io::sampling::{LARGEST, LONGEST_FRAME};

use super::{
    BvhError, BvhOptions, BvhWarning, DEFAULT_FRAME_TIME, NonFinite,
    error::{Notes, Repeated},
    hierarchy::{Hierarchy, unexpected},
    lexer::{Lexer, is_blank, is_keyword, quote},
    number::{is_non_finite, number_at_front, short_number},
    tracks::Tracks,
};

pub(super) struct Motion {
    pub(super) has_motion: bool,
    pub(super) frame_time: f64,
    pub(super) tracks: Tracks,
}

pub(super) fn read(
    lexer: &mut Lexer<'_>,
    hierarchy: &Hierarchy,
    options: &BvhOptions,
    notes: &mut Notes,
) -> Result<Motion, BvhError> {
    let mut tracks = Tracks::new(hierarchy);
    if lexer.peek().is_empty() {
        return Ok(Motion {
            has_motion: false,
            frame_time: DEFAULT_FRAME_TIME,
            tracks,
        });
    }
    lexer.word();
    let motion_line = lexer.line;
    let header = Header::read(lexer, notes)?;
    let frame_time = match header.frame_time {
        Some((_, seconds)) if seconds > 0.0 => seconds,
        Some((line, found)) => {
            notes.warn(BvhWarning::FrameTimeNotPositive { line, found })?;
            DEFAULT_FRAME_TIME
        }
        None => {
            notes.warn(BvhWarning::FrameTimeMissing { line: motion_line })?;
            DEFAULT_FRAME_TIME
        }
    };
    let declared = header.frames.map(|(_, frames)| frames);
    // A value takes two bytes of text: the header's number alone reserves nothing.
    let possible = lexer.rest().len() / (2 * tracks.channels()).max(1) + 1;
    tracks.reserve(
        declared
            .and_then(|frames| usize::try_from(frames).ok())
            .map_or(possible, |frames| frames.min(possible)),
    );
    read_rows(lexer, &mut tracks, declared.unwrap_or(0), options, notes)?;
    let found = tracks.frames();
    match header.frames {
        Some((_, declared)) if declared == found as u64 => {}
        Some((line, declared)) => notes.warn(BvhWarning::FrameCount {
            line,
            declared,
            found,
        })?,
        None => notes.warn(BvhWarning::FrameCountMissing {
            line: motion_line,
            found,
        })?,
    }
    Ok(Motion {
        has_motion: true,
        frame_time,
        tracks,
    })
}

/// `Frames:` and `Frame Time:`, each with its line.
#[derive(Default)]
struct Header {
    frames: Option<(usize, u64)>,
    frame_time: Option<(usize, f64)>,
}

impl Header {
    fn read(lexer: &mut Lexer<'_>, notes: &mut Notes) -> Result<Self, BvhError> {
        let mut header = Self::default();
        while let Some(is_time) = keyword(lexer) {
            let line = lexer.line;
            let Some(word) = value(lexer) else {
                // Without a value it is as good as missing.
                continue;
            };
            let number = number_at_front(word).filter(|number| number.len == word.len());
            if let Some(number) = &number
                && number.comma
            {
                notes.count(Repeated::DecimalCommas, || line)?;
            }
            let value = number.map(|number| number.value);
            if is_time {
                let not_finite =
                    is_non_finite(word) || value.is_some_and(|value| value.abs() > LONGEST_FRAME);
                if not_finite {
                    let text = quote(word);
                    return Err(BvhError::NonFiniteHeader {
                        line,
                        what: "Frame Time",
                        text,
                    });
                }
                let value =
                    value.ok_or_else(|| unexpected(line, "a number of seconds behind Frame Time", word))?;
                header.frame_time = Some((line, value));
            } else {
                let count = value.filter(|value| *value >= 0.0 && value.fract() == 0.0);
                let count = count.ok_or_else(|| unexpected(line, "a number behind Frames", word))?;
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "not negative; what is beyond u64 becomes its largest number"
                )]
                let count = count as u64;
                header.frames = Some((line, count));
            }
        }
        Ok(header)
    }
}

fn letters<'a>(lexer: &mut Lexer<'a>) -> &'a [u8] {
    lexer.skip_blanks();
    let rest = lexer.rest();
    &rest[..rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count()]
}

/// Goes over `Frames`, `Frame`, `Frame Time` or `FrameTime` with its colon; whether it is the time.
fn keyword(lexer: &mut Lexer<'_>) -> Option<bool> {
    let word = letters(lexer);
    let mut is_time = is_keyword(word, "FrameTime");
    if !is_time && !is_keyword(word, "Frames") && !is_keyword(word, "Frame") {
        return None;
    }
    lexer.at += word.len();
    if is_keyword(word, "Frame") {
        let word = letters(lexer);
        if is_keyword(word, "Time") {
            is_time = true;
            lexer.at += word.len();
        }
    }
    let blanks = lexer
        .rest()
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count();
    if lexer.rest().get(blanks) == Some(&b':') {
        lexer.at += blanks + 1;
    }
    Some(is_time)
}

/// The word behind a keyword: in the same line, or alone in the next one.
fn value<'a>(lexer: &mut Lexer<'a>) -> Option<&'a [u8]> {
    let line = lexer.line;
    let word = lexer.peek();
    if word.is_empty() {
        return None;
    }
    if lexer.line != line {
        let rest = &lexer.rest()[word.len()..];
        let alone = rest
            .iter()
            .take_while(|byte| !matches!(byte, b'\n' | b'\r'))
            .all(|&byte| is_blank(byte));
        if !alone || !word[0].is_ascii_digit() && !matches!(word[0], b'.' | b'-' | b'+') {
            return None;
        }
    }
    Some(lexer.word())
}

fn read_rows(
    lexer: &mut Lexer<'_>,
    tracks: &mut Tracks,
    declared: u64,
    options: &BvhOptions,
    notes: &mut Notes,
) -> Result<(), BvhError> {
    let channels = tracks.channels();
    let mut row = tracks.first_row();
    let mut column = 0;
    let mut values = Values {
        bytes: lexer.bytes,
        at: lexer.at,
        split_until: 0,
    };
    let mut last = lexer.at;
    loop {
        values.skip_blanks();
        let start = values.at;
        if channels > 0
            && let (value, len @ 1..) = short_number(&values.bytes[start..])
            && start >= values.split_until
        {
            // The blank that ends it goes with it.
            values.at += len + 1;
            last = start;
            row[column] = value;
            column += 1;
            if column == channels {
                tracks.push(&row);
                column = 0;
            }
            continue;
        }
        let value = match values.next() {
            Value::End => break,
            Value::Number { value, glued, comma } if channels > 0 => {
                if glued {
                    notes.count(Repeated::GluedNumbers, || lexer.line_of(start))?;
                }
                if comma {
                    notes.count(Repeated::DecimalCommas, || lexer.line_of(start))?;
                }
                value
            }
            Value::NotFinite => f64::NAN,
            Value::Number { .. } | Value::Text => {
                let done = tracks.frames() as u64 >= declared;
                // In the middle of the data a word is damage; where no frame can follow it is text behind them.
                let enough = if column == 0 { channels } else { 1 };
                if !done && numbers_behind(values.word_end(start), lexer.bytes, enough) {
                    return Err(BvhError::NotANumber {
                        line: lexer.line_of(start),
                        frame: tracks.frames(),
                        channel: column,
                        text: quote(values.word(start)),
                    });
                }
                let text = quote(values.word(start));
                notes.warn(BvhWarning::TextAfterData {
                    line: lexer.line_of(start),
                    text,
                })?;
                if done {
                    column = 0;
                }
                break;
            }
        };
        last = start;
        if value.abs() <= LARGEST {
            row[column] = value;
        } else if options.non_finite == NonFinite::Hold && channels > 0 {
            notes.count(Repeated::HeldValues, || lexer.line_of(start))?;
        } else {
            return Err(BvhError::NonFinite {
                line: lexer.line_of(start),
                frame: tracks.frames(),
                channel: column,
                text: quote(values.word(start)),
            });
        }
        column += 1;
        if column == channels {
            tracks.push(&row);
            column = 0;
        }
    }
    if column > 0 {
        notes.warn(BvhWarning::CutRow {
            line: lexer.line_of(last),
            frame: tracks.frames(),
            found: column,
            expected: channels,
        })?;
    }
    Ok(())
}

/// Whether `enough` words that are numbers stand behind `at`.
fn numbers_behind(at: usize, bytes: &[u8], enough: usize) -> bool {
    let words = bytes[at..]
        .split(|&byte| is_blank(byte))
        .filter(|word| !word.is_empty());
    let numbers = words.filter(|word| number_at_front(word).is_some_and(|number| number.len == word.len()));
    numbers.take(enough).count() == enough
}

/// The words of the motion.
struct Values<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Up to here the text is known to be numbers without blanks between them.
    split_until: usize,
}

enum Value {
    Number {
        value: f64,
        /// Whether there is no blank before it.
        glued: bool,
        /// Whether it has a decimal comma.
        comma: bool,
    },
    NotFinite,
    Text,
    End,
}

impl<'a> Values<'a> {
    #[inline]
    fn skip_blanks(&mut self) {
        while self.bytes.get(self.at).is_some_and(|&byte| is_blank(byte)) {
            self.at += 1;
        }
    }

    fn word_end(&self, start: usize) -> usize {
        let rest = &self.bytes[start..];
        start + rest.iter().position(|&byte| is_blank(byte)).unwrap_or(rest.len())
    }

    fn word(&self, start: usize) -> &'a [u8] {
        &self.bytes[start..self.word_end(start)]
    }

    /// The value at the position, which is not a blank.
    fn next(&mut self) -> Value {
        let rest = &self.bytes[self.at..];
        if rest.is_empty() {
            return Value::End;
        }
        let glued = self.at < self.split_until;
        if !glued {
            let word = self.word(self.at);
            if is_non_finite(word) {
                self.at += word.len();
                return Value::NotFinite;
            }
            if !is_numbers(word) {
                return Value::Text;
            }
            self.split_until = self.at + word.len();
        }
        let Some(number) = number_at_front(rest) else {
            return Value::Text;
        };
        self.at += number.len;
        Value::Number {
            value: number.value,
            glued,
            comma: number.comma,
        }
    }
}

/// Whether a word is numbers one behind the other, each but the first with its sign.
fn is_numbers(word: &[u8]) -> bool {
    let mut rest = word;
    while let Some(number) = number_at_front(rest) {
        rest = &rest[number.len..];
        match rest.first() {
            None => return true,
            Some(b'+' | b'-') => {}
            Some(_) => return false,
        }
    }
    false
}
