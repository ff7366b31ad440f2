//! Words and lines of a BVH file.

/// A position in the file. Lines end with LF, CRLF or CR.
pub(super) struct Lexer<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    /// The line that `at` is in, from 1.
    pub(super) line: usize,
}

pub(super) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

const fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

impl<'a> Lexer<'a> {
    /// The start of a file; a UTF-8 byte order mark is no part of it.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        Self {
            bytes,
            at: 0,
            line: 1,
        }
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// Goes over blanks and line ends.
    pub(super) fn skip_blanks(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at).filter(|byte| is_blank(**byte)) {
            self.line += usize::from(self.ends_line(byte));
            self.at += 1;
        }
    }

    /// Whether the byte at the position is the last one of its line's end.
    fn ends_line(&self, byte: u8) -> bool {
        byte == b'\n' || byte == b'\r' && self.bytes.get(self.at + 1) != Some(&b'\n')
    }

    /// The line in which the byte at `offset` (at or behind the position) stands.
    pub(super) fn line_of(&self, offset: usize) -> usize {
        let mut ahead = Self { ..*self };
        let mut line = self.line;
        while ahead.at < offset.min(self.bytes.len()) {
            line += usize::from(ahead.ends_line(self.bytes[ahead.at]));
            ahead.at += 1;
        }
        line
    }

    /// The next word without going over it: text between blanks, or a brace. Empty at the end.
    pub(super) fn peek(&mut self) -> &'a [u8] {
        self.skip_blanks();
        let rest = self.rest();
        match rest.first() {
            Some(b'{' | b'}') => &rest[..1],
            _ => {
                let end = rest
                    .iter()
                    .position(|&byte| is_blank(byte) || matches!(byte, b'{' | b'}'));
                &rest[..end.unwrap_or(rest.len())]
            }
        }
    }

    pub(super) fn word(&mut self) -> &'a [u8] {
        let word = self.peek();
        self.at += word.len();
        word
    }

    /// What is left of the line, without blanks at its ends, up to an opening brace that is the last thing in
    /// the line or stands behind a blank.
    pub(super) fn name(&mut self) -> &'a [u8] {
        let rest = self.rest();
        // Forward without looking back or to the end of the line: a whole file may be one line.
        let ends_name = |(index, &byte): (usize, &u8)| match byte {
            b'{' => {
                let behind = rest[index + 1..]
                    .iter()
                    .find(|&&byte| !is_blank(byte) || is_line_end(byte));
                index == 0 || is_blank(rest[index - 1]) || behind.is_none_or(|&byte| is_line_end(byte))
            }
            _ => is_line_end(byte),
        };
        let name = &rest[..rest.iter().enumerate().position(ends_name).unwrap_or(rest.len())];
        self.at += name.len();
        name.trim_ascii()
    }
}

/// Whether a word is the keyword in any case, with or without a colon behind it.
pub(super) fn is_keyword(word: &[u8], keyword: &str) -> bool {
    word.strip_suffix(b":")
        .unwrap_or(word)
        .eq_ignore_ascii_case(keyword.as_bytes())
}

/// Some text for a message: quoted, at most 40 characters; "the end of the file" where there is none.
pub(super) fn quote(text: &[u8]) -> String {
    const SHOWN: usize = 40;
    if text.is_empty() {
        return "the end of the file".to_owned();
    }
    // Four bytes a character at most; a character that is cut in two shows as U+FFFD and falls off with the rest.
    let text = String::from_utf8_lossy(&text[..text.len().min(4 * SHOWN + 4)]);
    let mut shown: String = text.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if text.chars().count() > SHOWN {
        shown.push_str("...");
    }
    format!("\"{shown}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_three_ways() {
        let mut lexer = Lexer::new(b"a\r\nb\rc\n\n\r\r\nd");
        let mut lines = Vec::new();
        while !lexer.peek().is_empty() {
            lines.push((lexer.word()[0], lexer.line));
        }
        assert_eq!(lines, [(b'a', 1), (b'b', 2), (b'c', 3), (b'd', 7)]);
        assert_eq!(Lexer::new(b"a\r\nb\rc").line_of(5), 3);
    }

    #[test]
    fn names_keep_blanks_and_colons() {
        let name =
            |text: &'static str| String::from_utf8_lossy(Lexer::new(text.as_bytes()).name()).into_owned();
        assert_eq!(name("  Bip01 L:Foot\t \r\n{"), "Bip01 L:Foot");
        assert_eq!(name(" Hips {"), "Hips");
        assert_eq!(name(" Hips{"), "Hips");
        assert_eq!(name(" Hips { OFFSET 0 0 0"), "Hips");
        assert_eq!(name(" a{b}c \n"), "a{b}c");
        assert_eq!(name("\n"), "");
    }

    #[test]
    fn long_text_is_cut_in_messages() {
        assert_eq!(quote(b""), "the end of the file");
        assert_eq!(quote("Tête".as_bytes()), "\"Tête\"");
        assert_eq!(quote(&[b'a'; 500]), format!("\"{}...\"", "a".repeat(40)));
    }
}
