//! Words of an MD5 file.

use super::Md5Error;

/// Words, quoted text and the marks `( ) { }`, with comments (`//` to the end of the line, `/* */`) left out.
pub(super) struct Lexer<'a> {
    rest: &'a [u8],
    line: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Word<'a> {
    Plain(&'a [u8]),
    Quoted(&'a [u8]),
    /// Text whose line ends before its second quote comes.
    Unclosed(&'a [u8]),
    Mark(u8),
    End,
}

impl Word<'_> {
    /// For messages: at most 40 characters.
    pub(super) fn show(self) -> String {
        let text = match self {
            Word::Plain(text) | Word::Quoted(text) => text,
            Word::Unclosed(_) => return "a quote that is not closed in its line".to_owned(),
            Word::Mark(mark) => return format!("\"{}\"", char::from(mark)),
            Word::End => return "the end of the file".to_owned(),
        };
        let text: String = String::from_utf8_lossy(&text[..text.len().min(160)])
            .chars()
            .take(40)
            .collect();
        format!("\"{}\"", text.escape_debug())
    }
}

impl<'a> Lexer<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes),
            line: 1,
        }
    }

    /// The line of the next word, from 1.
    pub(super) fn line(&mut self) -> usize {
        self.skip();
        self.line
    }

    /// Goes over blanks and comments.
    fn skip(&mut self) {
        loop {
            match self.rest {
                [b'\n', rest @ ..] => {
                    self.line += 1;
                    self.rest = rest;
                }
                [b'\r', rest @ ..] => {
                    self.line += usize::from(rest.first() != Some(&b'\n'));
                    self.rest = rest;
                }
                [b' ' | b'\t' | 0x0b | 0x0c, rest @ ..] => self.rest = rest,
                [b'/', b'/', ..] => {
                    self.take(self.rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')));
                }
                [b'/', b'*', rest @ ..] => {
                    let end = rest.windows(2).position(|pair| pair == b"*/");
                    let comment = self.take(end.map(|end| end + 4));
                    self.line += line_ends(comment);
                }
                _ => return,
            }
        }
    }

    /// Goes over `len` bytes, or all of them.
    fn take(&mut self, len: Option<usize>) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at(len.unwrap_or(self.rest.len()));
        self.rest = rest;
        taken
    }

    pub(super) fn peek(&mut self) -> Word<'a> {
        let (rest, line) = (self.rest, self.line);
        let word = self.word();
        (self.rest, self.line) = (rest, line);
        word
    }

    pub(super) fn word(&mut self) -> Word<'a> {
        self.skip();
        match self.rest {
            [] => Word::End,
            [mark @ (b'(' | b')' | b'{' | b'}'), rest @ ..] => {
                self.rest = rest;
                Word::Mark(*mark)
            }
            [b'"', rest @ ..] => {
                self.rest = rest;
                // Text ends with its line, so that a lost quote does not swallow the file. A backslash is a
                // backslash.
                let text = self.take(rest.iter().position(|byte| matches!(byte, b'"' | b'\n' | b'\r')));
                match self.rest.strip_prefix(b"\"") {
                    Some(rest) => {
                        self.rest = rest;
                        Word::Quoted(text)
                    }
                    None => Word::Unclosed(text),
                }
            }
            _ => Word::Plain(self.take(end_of_word(self.rest))),
        }
    }

    /// Takes the word if it is this one.
    pub(super) fn takes(&mut self, keyword: &str) -> bool {
        let found = self.peek() == Word::Plain(keyword.as_bytes());
        if found {
            self.word();
        }
        found
    }

    pub(super) fn keyword(&mut self, keyword: &'static str) -> Result<(), Md5Error> {
        let line = self.line();
        match self.word() {
            Word::Plain(word) if word == keyword.as_bytes() => Ok(()),
            word => Err(unexpected(line, keyword, word)),
        }
    }

    pub(super) fn mark(&mut self, mark: u8) -> Result<(), Md5Error> {
        let line = self.line();
        match self.word() {
            word if word == Word::Mark(mark) => Ok(()),
            word => {
                let expected = match mark {
                    b'(' => "(",
                    b')' => ")",
                    b'{' => "{",
                    _ => "}",
                };
                Err(unexpected(line, expected, word))
            }
        }
    }

    pub(super) fn text(&mut self) -> Result<String, Md5Error> {
        let line = self.line();
        match self.word() {
            // UTF-8, or else Latin-1, in which every byte is the character of its own number.
            Word::Quoted(text) => Ok(str::from_utf8(text).map_or_else(
                |_| text.iter().map(|&byte| char::from(byte)).collect(),
                ToOwned::to_owned,
            )),
            word => Err(unexpected(line, "text in quotes", word)),
        }
    }

    /// A finite number that is an f32 as well.
    pub(super) fn number(&mut self) -> Result<f64, Md5Error> {
        let line = self.line();
        let word = self.word();
        let number = match word {
            Word::Plain(text) => str::from_utf8(text)
                .ok()
                .and_then(|text| text.parse::<f64>().ok()),
            _ => None,
        };
        match number {
            Some(number) if number.abs() <= crate::io::sampling::LARGEST => Ok(number),
            Some(_) => Err(Md5Error::NotFinite {
                line,
                text: word.show(),
            }),
            None => Err(unexpected(line, "a number", word)),
        }
    }

    pub(super) fn integer(&mut self) -> Result<i64, Md5Error> {
        let line = self.line();
        let word = self.word();
        let number = match word {
            Word::Plain(text) => str::from_utf8(text).ok().and_then(|text| text.parse().ok()),
            _ => None,
        };
        number.ok_or_else(|| unexpected(line, "an integer", word))
    }

    /// A number of things, or the number of one.
    pub(super) fn unsigned(&mut self, expected: &'static str) -> Result<u32, Md5Error> {
        let line = self.line();
        let word = self.word();
        let number = match word {
            Word::Plain(text) => str::from_utf8(text).ok().and_then(|text| text.parse().ok()),
            _ => None,
        };
        number.ok_or_else(|| unexpected(line, expected, word))
    }

    /// An index below `count`.
    pub(super) fn index(&mut self, what: &'static str, count: usize) -> Result<usize, Md5Error> {
        let line = self.line();
        let index = self.integer()?;
        match usize::try_from(index) {
            Ok(found) if found < count => Ok(found),
            _ => Err(Md5Error::Index {
                line,
                what,
                index,
                count,
            }),
        }
    }

    /// The same, for lists that are never longer than u32 can count.
    pub(super) fn index_u32(&mut self, what: &'static str, count: usize) -> Result<u32, Md5Error> {
        let line = self.line();
        let found = self.index(what, count)?;
        u32::try_from(found).map_err(|_| Md5Error::Index {
            line,
            what,
            index: i64::MAX,
            count,
        })
    }

    /// The index of the next entry of a list that has `count` so far.
    pub(super) fn next_index(&mut self, what: &'static str, count: usize) -> Result<(), Md5Error> {
        let line = self.line();
        let index = self.integer()?;
        if usize::try_from(index) == Ok(count) {
            return Ok(());
        }
        Err(Md5Error::OutOfOrder {
            line,
            what,
            index,
            expected: count,
        })
    }

    /// `( x y z )`.
    pub(super) fn vector<const N: usize>(&mut self) -> Result<[f64; N], Md5Error> {
        self.mark(b'(')?;
        let mut vector = [0.0; N];
        for component in &mut vector {
            *component = self.number()?;
        }
        self.mark(b')')?;
        Ok(vector)
    }

    /// The error for whatever comes next.
    pub(super) fn refuse<T>(&mut self, expected: &'static str) -> Result<T, Md5Error> {
        let line = self.line();
        Err(unexpected(line, expected, self.peek()))
    }

    /// The file has to end here.
    pub(super) fn end(&mut self, expected: &'static str) -> Result<(), Md5Error> {
        if self.peek() == Word::End {
            Ok(())
        } else {
            self.refuse(expected)
        }
    }
}

/// Where a word ends that begins the text; `None` where the text ends first.
fn end_of_word(text: &[u8]) -> Option<usize> {
    let ends = |at: &usize| match text[*at] {
        b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c | b'(' | b')' | b'{' | b'}' | b'"' => true,
        b'/' => matches!(text.get(at + 1), Some(b'/' | b'*')),
        _ => false,
    };
    // At least one byte, whatever it is, so that the reader always gets on.
    (1..text.len()).find(ends)
}

/// Line ends of any kind: LF, CR LF or CR.
fn line_ends(text: &[u8]) -> usize {
    let feeds = text.iter().filter(|&&byte| byte == b'\n').count();
    let returns = text.iter().filter(|&&byte| byte == b'\r').count();
    let both = text.windows(2).filter(|pair| pair == b"\r\n").count();
    feeds + returns - both
}

fn unexpected(line: usize, expected: &'static str, found: Word<'_>) -> Md5Error {
    Md5Error::Unexpected {
        line,
        expected,
        found: found.show(),
    }
}
