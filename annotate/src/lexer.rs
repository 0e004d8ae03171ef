//! Splits CUDA C++ text into tokens with byte spans.
//!
//! Drops comments and white space. Keeps preprocessor lines, and comments that look like a directive, apart from the
//! tokens, each with the number of tokens before it: the code around a directive reads as if it were not there.
//! Understands line splices, raw strings, digit separators and CRLF; never takes the contents of string literals and
//! comments for code. The preprocessor has decided about conditionals before.

use crate::error::Error;
use crate::lines::{self, Lines, Marker};

/// The kind of a token. Its text tells the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Word,
    Number,
    /// String or character literal, raw ones included.
    Literal,
    Punctuation,
}

/// One token. Offsets are 32 bits wide because a file may have tens of millions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) kind: TokenKind,
}

impl Token {
    /// Returns its text in the source that it is from.
    pub(crate) fn text(self, source: &str) -> &str {
        source.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

/// The kinds of a [`Line`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineKind {
    /// A line of the preprocessor.
    Preprocessor,
    /// A comment with the word `CCC` in it. It may stand in the arguments of a macro.
    Comment,
    /// A comment in the definition of a macro, which the preprocessor drops.
    InDefinition,
    /// A comment behind another line of the preprocessor, which drops it with the line.
    BehindPreprocessor,
}

/// A preprocessor line, or a comment that may be a directive.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Number of tokens before it, which is the index of the token behind it.
    pub(crate) next: usize,
    /// No code stands before it on its line.
    pub(crate) alone: bool,
    pub(crate) kind: LineKind,
    /// The text, with comments and splices replaced by as many blanks.
    pub(crate) visible: String,
}

impl Line {
    /// Returns its text in the source that it is from.
    pub(crate) fn text<'s>(&self, source: &'s str) -> &'s str {
        source.get(self.start..self.end).unwrap_or_default()
    }
}

/// The tokens, lines, markers and errors that the lexer found.
pub(crate) struct Lexed {
    pub(crate) tokens: Vec<Token>,
    pub(crate) lines: Vec<Line>,
    /// The preprocessor's line markers.
    pub(crate) markers: Vec<Marker>,
    pub(crate) errors: Vec<Error>,
}

/// Longest first, so that the first match is the right one.
const PUNCTUATION: [&str; 24] = [
    "<<=", ">>=", "->*", "...", "::", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=",
    "*=", "/=", "%=", "&=", "|=", "^=",
];

struct Lexer<'s> {
    source: &'s str,
    bytes: &'s [u8],
    places: &'s Lines<'s>,
    pos: usize,
    /// No token seen on this line yet.
    fresh: bool,
    out: Lexed,
}

/// Splits `source` into tokens and preprocessor lines.
pub(crate) fn lex(source: &str, places: &Lines<'_>) -> Lexed {
    let mut lexer = Lexer {
        source,
        bytes: source.as_bytes(),
        places,
        pos: 0,
        fresh: true,
        out: Lexed { tokens: Vec::new(), lines: Vec::new(), markers: Vec::new(), errors: Vec::new() },
    };
    lexer.run();
    lexer.out
}

impl<'s> Lexer<'s> {
    fn run(&mut self) {
        while let Some(byte) = self.at(0) {
            match byte {
                b'\n' => {
                    self.pos += 1;
                    self.fresh = true;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.pos += 1,
                b'\\' if self.splice(self.pos) > 0 => self.pos += self.splice(self.pos),
                b'/' if self.at(1) == Some(b'/') => self.line_comment(),
                b'/' if self.at(1) == Some(b'*') => self.block_comment(),
                b'#' if self.fresh => self.preprocessor_line(),
                b'#' if looks_like_directive(tail(self.source, self.pos)) => self.stray_directive(),
                b'"' | b'\'' => self.quoted(),
                b'0'..=b'9' => self.number(),
                b'.' if self.at(1).is_some_and(|b| b.is_ascii_digit()) => self.number(),
                _ if is_word(byte) => self.word(),
                _ => self.punctuation(),
            }
        }
    }

    fn at(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.pos + ahead).copied()
    }

    /// Returns what was read from byte `start` on.
    fn since(&self, start: usize) -> &'s str {
        self.source.get(start..self.pos).unwrap_or_default()
    }

    /// Length of the backslash-newline at `pos`, 0 if there is none.
    fn splice(&self, pos: usize) -> usize {
        splice(self.bytes, pos)
    }

    fn push(&mut self, start: usize, kind: TokenKind) {
        self.fresh = false;
        // Larger texts are refused before, so that offsets fit.
        self.out.tokens.push(Token { start: start as u32, end: self.pos as u32, kind });
    }

    fn word(&mut self) {
        let start = self.pos;
        while self.at(0).is_some_and(|b| is_word(b) || b.is_ascii_digit()) {
            self.pos += 1;
        }
        let raw = matches!(self.since(start), "R" | "LR" | "uR" | "UR" | "u8R");
        if raw && self.at(0) == Some(b'"') {
            self.pos = self.raw_string_end(start, self.pos);
            self.push(start, TokenKind::Literal);
        } else {
            self.push(start, TokenKind::Word);
        }
    }

    /// A preprocessing number: exponents take a sign, and a quote between digits separates them.
    fn number(&mut self) {
        let start = self.pos;
        while let Some(byte) = self.at(0) {
            let signed = matches!(byte, b'e' | b'E' | b'p' | b'P') && matches!(self.at(1), Some(b'+' | b'-'));
            let separator = byte == b'\'' && self.at(1).is_some_and(|b| b.is_ascii_alphanumeric());
            if signed || separator {
                self.pos += 2;
            } else if is_word(byte) || byte.is_ascii_digit() || byte == b'.' {
                self.pos += 1;
            } else {
                break;
            }
        }
        self.push(start, TokenKind::Number);
    }

    fn punctuation(&mut self) {
        let start = self.pos;
        let rest = tail(self.source, start);
        self.pos += PUNCTUATION.iter().find(|p| rest.starts_with(**p)).map_or(1, |p| p.len());
        self.push(start, TokenKind::Punctuation);
    }

    fn quoted(&mut self) {
        let start = self.pos;
        let (end, closed) = quoted_end(self.bytes, start);
        self.pos = end;
        if !closed {
            self.out.errors.push(Error::UnterminatedLiteral { at: self.places.span(start, end) });
        }
        self.push(start, TokenKind::Literal);
    }

    /// End of the raw string whose opening quote is at `quote`; to the end of the file where it is not closed.
    fn raw_string_end(&mut self, start: usize, quote: usize) -> usize {
        let end = raw_string_end(self.source, quote);
        if end.is_none() {
            self.out.errors.push(Error::UnterminatedLiteral { at: self.places.span(start, quote) });
        }
        end.unwrap_or(self.bytes.len())
    }

    fn block_comment(&mut self) {
        let start = self.pos;
        self.pos = match tail(self.source, start + 2).find("*/") {
            Some(length) => start + length + 4,
            None => {
                self.out.errors.push(Error::UnterminatedComment { at: self.places.span(start, start + 2) });
                self.bytes.len()
            }
        };
        let body = self.since(start + 2).trim_end_matches("*/");
        if mentions(body) {
            self.keep_line(start, LineKind::Comment, format!("  {}", body.trim_end()));
        }
    }

    fn line_comment(&mut self) {
        let start = self.pos;
        self.pos = line_end(self.bytes, start);
        let body = self.since(start + 2);
        if mentions(body) {
            self.keep_line(start, LineKind::Comment, format!("  {}", visible(body)));
        }
    }

    /// `x = 1; #CCC for`: not C++, but clearly meant as a directive.
    fn stray_directive(&mut self) {
        let start = self.pos;
        self.pos = line_end(self.bytes, start);
        self.keep_line(start, LineKind::Preprocessor, visible(self.since(start)));
    }

    fn preprocessor_line(&mut self) {
        let start = self.pos;
        let (end, open_comment) = preprocessor_end(self.source, start);
        if let Some(at) = open_comment {
            self.out.errors.push(Error::UnterminatedComment { at: self.places.span(at, at + 2) });
        }
        self.pos = end;
        let text = self.since(start);
        let line_end = if self.source.get(end..).is_some_and(|rest| rest.starts_with("\r\n")) { 2 } else { 1 };
        match lines::marker(text, (end + line_end).min(self.bytes.len())) {
            Some(marker) => self.out.markers.push(marker),
            None => self.keep_line(start, LineKind::Preprocessor, visible(text)),
        }
        let defines = text.trim_start_matches('#').trim_start().starts_with("define");
        for (at, body) in comments_in(text).filter(|(_, body)| mentions(body)) {
            let (start, kind) = match defines {
                true => (start, LineKind::InDefinition),
                false => (start + at, LineKind::BehindPreprocessor),
            };
            self.keep_line(start, kind, format!("  {body}"));
        }
    }

    fn keep_line(&mut self, start: usize, kind: LineKind, visible: String) {
        let next = self.out.tokens.len();
        self.out.lines.push(Line { start, end: self.pos, next, alone: self.fresh, kind, visible });
    }
}

/// Letters, `_`, `$`, and everything outside ASCII.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// `#CCC`, `# pragma CCC`, in any case.
pub(crate) fn looks_like_directive(text: &str) -> bool {
    let blanks = [' ', '\t'];
    let Some(rest) = text.strip_prefix('#') else { return false };
    let rest = rest.trim_start_matches(blanks);
    let rest = rest.strip_prefix("pragma").map_or(rest, |r| r.trim_start_matches(blanks));
    let word = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
    word.is_some_and(|word| word.eq_ignore_ascii_case("CCC"))
}

/// Returns true if a text in any encoding may be a directive, or be taken for one: `#CCCif`.
pub(crate) fn may_be_directive(text: &[u8]) -> bool {
    let Some(rest) = text.strip_prefix(b"#") else { return false };
    let rest = rest.trim_ascii_start();
    let rest = rest.strip_prefix(b"pragma").map_or(rest, <[u8]>::trim_ascii_start);
    rest.get(..3).is_some_and(|word| word.eq_ignore_ascii_case(b"CCC"))
}

/// Returns true if a comment has the word of directives in it.
fn mentions(comment: &str) -> bool {
    comment.as_bytes().windows(3).any(|word| word.eq_ignore_ascii_case(b"CCC"))
}

/// The comments in a line of the preprocessor: where each begins, and its text.
fn comments_in(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = line.as_bytes();
    let mut pos = 0;
    std::iter::from_fn(move || {
        while let Some(rest @ [_, ..]) = bytes.get(pos..) {
            let start = pos;
            match rest {
                [b'/', b'/', ..] => {
                    pos = bytes.len();
                    return Some((start, tail(line, start + 2)));
                }
                [b'/', b'*', ..] => {
                    let rest = tail(line, start + 2);
                    let body = rest.split_once("*/").map_or(rest, |(body, _)| body);
                    pos = (start + body.len() + 4).min(bytes.len());
                    return Some((start, body));
                }
                [b'"' | b'\'', ..] => pos = quoted_end(bytes, pos).0,
                _ => pos += 1,
            }
        }
        None
    })
}

/// Returns the part of `text` from byte `at` on; nothing where there is none.
fn tail(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or_default()
}

fn splice(bytes: &[u8], pos: usize) -> usize {
    match bytes.get(pos..) {
        Some([b'\\', b'\n', ..]) => 2,
        Some([b'\\', b'\r', b'\n', ..]) => 3,
        _ => 0,
    }
}

/// End of the logical line, without its newline (or CRLF).
fn line_end(bytes: &[u8], mut pos: usize) -> usize {
    while let Some(rest @ [_, ..]) = bytes.get(pos..) {
        match rest {
            [b'\n', ..] | [b'\r', b'\n', ..] => break,
            [b'\\', ..] => pos += splice(bytes, pos).max(1),
            _ => pos += 1,
        }
    }
    pos
}

/// End of the literal whose quote is at `start`, and whether it is closed before its line ends.
fn quoted_end(bytes: &[u8], start: usize) -> (usize, bool) {
    let quote = bytes.get(start);
    let mut pos = start + 1;
    while let Some(byte) = bytes.get(pos) {
        match byte {
            b'\n' => return (pos, false),
            b'\\' if splice(bytes, pos) > 0 => pos += splice(bytes, pos),
            b'\\' if !matches!(bytes.get(pos + 1), None | Some(b'\n')) => pos += 2,
            _ if Some(byte) == quote => return (pos + 1, true),
            _ => pos += 1,
        }
    }
    (bytes.len(), false)
}

/// End of the raw string whose quote is at `quote`; `None` where it is not closed.
fn raw_string_end(source: &str, quote: usize) -> Option<usize> {
    let body = source.get(quote + 1..)?;
    let (delimiter, _) = body.split_once('(')?;
    let valid = delimiter.len() <= 16 && !delimiter.contains([' ', ')', '\\', '\t', '\n', '"']);
    let close = if valid { format!("){delimiter}\"") } else { "\"".into() };
    body.find(&close).map(|at| quote + 1 + at + close.len())
}

/// End of the preprocessor line that begins at `start`, and the beginning of a comment that is never closed.
///
/// Block comments and raw strings may carry the line over newlines; other literals end with the line.
fn preprocessor_end(source: &str, start: usize) -> (usize, Option<usize>) {
    let bytes = source.as_bytes();
    let word = tail(source, start + 1).trim_start_matches([' ', '\t']);
    if word.starts_with("include") {
        // A header's name may hold what looks like a comment.
        return (line_end(bytes, start), None);
    }
    let mut pos = start;
    while let Some(rest @ [_, ..]) = bytes.get(pos..) {
        match rest {
            [b'\n', ..] | [b'\r', b'\n', ..] => break,
            [b'\\', ..] => pos += splice(bytes, pos).max(1),
            [b'/', b'/', ..] => return (line_end(bytes, pos), None),
            [b'/', b'*', ..] => match tail(source, pos + 2).find("*/") {
                Some(length) => pos += length + 4,
                None => return (bytes.len(), Some(pos)),
            },
            [b'R', b'"', ..] => pos = raw_string_end(source, pos + 1).unwrap_or(pos + 2),
            [b'"' | b'\'', ..] => {
                let (end, closed) = quoted_end(bytes, pos);
                pos = if closed { end } else { pos + 1 };
            }
            _ => pos += 1,
        }
    }
    (pos, None)
}

/// `text` with comments and splices replaced by blanks, byte for byte, so that offsets stay.
fn visible(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut pos = 0;
    while let Some(rest @ [_, ..]) = bytes.get(pos..) {
        let end = match rest {
            [b'/', b'/', ..] => bytes.len(),
            [b'/', b'*', ..] => tail(text, pos + 2).find("*/").map_or(bytes.len(), |length| pos + length + 4),
            [b'\\', ..] if splice(bytes, pos) > 0 => pos + splice(bytes, pos),
            [b'"' | b'\'', ..] => {
                let (end, closed) = quoted_end(bytes, pos);
                pos = if closed { end } else { pos + 1 };
                continue;
            }
            _ => {
                pos += 1;
                continue;
            }
        };
        if let Some(hidden) = out.get_mut(pos..end) {
            hidden.fill(b' ');
        }
        pos = end;
    }
    // Only whole characters are replaced; the loop stops at ASCII bytes.
    String::from_utf8_lossy(&out).into_owned()
}
