//! Blanks, comments, words, punctuation (PTX ISA, "Syntax").
//!
//! A parser takes the rest of the text and gives back what it read and the new rest, as `nom` wants it. The place of an
//! error is kept as the address of the byte, from which the offset follows once the beginning of the text is known; so
//! any piece of the text can stand for its place.

use std::borrow::Cow;

use memchr::memchr;
use nom::error::{ErrorKind, ParseError};
use nom::{Err, IResult};

/// The place where reading failed, and what would have been right. Boxed, so that results without a failure stay small.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fail(Box<Failure>);

/// The content of a [`Fail`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Failure {
    /// The address of the byte at which it failed.
    pub(crate) at: usize,
    /// The expected text, or a whole message if `semantic`.
    pub(crate) expected: Cow<'static, str>,
    /// True if the grammar was followed and another rule broken.
    pub(crate) semantic: bool,
    /// The advice on what to do about it.
    pub(crate) help: Option<String>,
}

impl Fail {
    #[cold]
    fn new(at: &str, expected: Cow<'static, str>, semantic: bool, help: Option<&str>) -> Fail {
        Fail(Box::new(Failure { at: address(at), expected, semantic, help: help.map(str::to_owned) }))
    }

    /// The address of the byte at which it failed.
    pub(crate) fn at(&self) -> usize {
        self.0.at
    }

    /// Returns what is known of it.
    pub(crate) fn into_failure(self) -> Failure {
        *self.0
    }
}

impl ParseError<&str> for Fail {
    fn from_error_kind(input: &str, kind: ErrorKind) -> Self {
        Fail::new(input, kind.description().to_owned().into(), false, None)
    }

    fn append(_: &str, _: ErrorKind, other: Self) -> Self {
        other
    }

    fn or(self, other: Self) -> Self {
        // The alternative that got further says more about what the author meant.
        if self.at() > other.at() { self } else { other }
    }
}

pub(crate) type Parsed<'a, T> = IResult<&'a str, T, Fail>;

/// Returns where a piece of text stands, as a number from which the offset follows.
pub(crate) fn address(text: &str) -> usize {
    text.as_ptr() as usize
}

/// Returns what stands behind the first `length` bytes of a text; its end if they end inside a character or it has fewer.
#[inline(always)]
pub(crate) fn past(text: &str, length: usize) -> &str {
    text.get(length..).unwrap_or_else(|| end(text))
}

/// Returns the first `length` bytes of a text and what stands behind them; the whole text if it cannot be cut there.
#[inline(always)]
pub(crate) fn cut(text: &str, length: usize) -> (&str, &str) {
    text.split_at_checked(length).unwrap_or_else(|| (text, end(text)))
}

/// Returns what stands in front of `rest`, which is the end of a text.
#[inline(always)]
pub(crate) fn until<'a>(text: &'a str, rest: &str) -> &'a str {
    cut(text, text.len().saturating_sub(rest.len())).0
}

/// Returns the end of a text, as a piece of it: a place follows from where a piece stands.
#[cold]
pub(super) fn end(text: &str) -> &str {
    text.get(text.len()..).unwrap_or("")
}

/// A failure at the front of `rest`.
#[cold]
pub(crate) fn expected<T>(rest: &str, what: impl Into<Cow<'static, str>>) -> Parsed<'static, T> {
    Err(Err::Failure(Fail::new(rest, what.into(), false, None)))
}

/// As [`expected`], with what to do about it.
#[cold]
pub(crate) fn expected_with<T>(rest: &str, what: &'static str, help: &str) -> Parsed<'static, T> {
    Err(Err::Failure(Fail::new(rest, what.into(), false, Some(help))))
}

/// A failure because something is missing behind what was just read. A person looks for it at the end of that line, so
/// the place is there if the next token begins something on the next line. It is the next token if that is on the same line, is
/// punctuation, or stands behind an empty line: what is missing may have been alone on it.
#[cold]
pub(crate) fn missing<T>(rest: &str, what: impl Into<Cow<'static, str>>) -> Parsed<'static, T> {
    let next = blanks(rest);
    let lines = until(rest, next).bytes().filter(|&byte| byte == b'\n').count();
    let punctuation = next.starts_with([';', ',', ')', ']', ':', '=', '>', '|']);
    let what = what.into();
    // A semicolon never stands alone.
    let alone = lines > 1 && !what.ends_with("`;`");
    let at_next = lines == 0 || punctuation || alone;
    expected(if at_next && !next.is_empty() { next } else { rest }, what)
}

/// A broken rule at the front of `rest`.
#[cold]
pub(crate) fn broken(rest: &str, message: String, help: Option<&str>) -> Err<Fail> {
    Err::Failure(Fail::new(rest, message.into(), true, help))
}

/// The classes of bytes, as bits.
mod class {
    /// A blank or a line break.
    pub(super) const BLANK: u8 = 1;
    /// A byte of a name, behind the first.
    pub(super) const WORD: u8 = 2;
    /// The first byte of a name.
    pub(super) const START: u8 = 4;
    /// A byte of an instruction's head: of a name, or `.`.
    pub(super) const HEAD: u8 = 8;
    /// A slash or a number sign, which may begin a comment or a line marker.
    pub(super) const COMMENT: u8 = 16;

    const TABLE: [u8; 256] = {
        let mut table = [0; 256];
        let mut byte = 0;
        while byte < 256 {
            let b = byte as u8;
            let class = match b {
                // The last is Ctrl-Z, with which editors of DOS end a text.
                b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c | 0x1a => BLANK,
                b'_' | b'$' => WORD | START | HEAD,
                b'%' => START,
                b'.' => HEAD,
                b'/' | b'#' => COMMENT,
                _ if b.is_ascii_alphabetic() => WORD | START | HEAD,
                _ if b.is_ascii_digit() => WORD | HEAD,
                _ => 0,
            };
            if let Some((_, [place, ..])) = table.split_at_mut_checked(byte) {
                *place = class;
            }
            byte += 1;
        }
        table
    };

    /// Returns the classes of a byte.
    #[inline(always)]
    pub(super) fn of(byte: u8) -> u8 {
        TABLE.get(usize::from(byte)).copied().unwrap_or(0)
    }
}

fn is(byte: u8, class: u8) -> bool {
    class::of(byte) & class != 0
}

/// Skips blanks, comments and line markers. A comment that never ends is left in place, where nothing else can match it.
#[inline(always)]
pub(crate) fn blanks(text: &str) -> &str {
    const MORE: u8 = class::BLANK | class::COMMENT;
    match *text.as_bytes() {
        [first, ..] if !is(first, MORE) => text,
        // One blank, as behind most commas.
        [b' ' | b'\t', second, ..] if !is(second, MORE) => past(text, 1),
        // Two, as behind the opcodes that nvcc writes.
        [b' ', b'\t', third, ..] if !is(third, MORE) => past(text, 2),
        _ => skip(text, false),
    }
}

/// As [`blanks`], but stops at a marker comment `//#`.
#[inline]
pub(crate) fn blanks_to_marker(text: &str) -> &str {
    match *text.as_bytes() {
        // As nearly all statements begin.
        [b'\n', b'\t', first, ..] if !is(first, class::BLANK | class::COMMENT) => past(text, 2),
        _ => skip(text, true),
    }
}

fn skip(text: &str, stop_at_marker: bool) -> &str {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if is(byte, class::BLANK) {
            at += 1;
            continue;
        }
        if byte == b'#'
            && let Some(length) = line_marker(past(text, at))
        {
            at += length;
            continue;
        }
        if byte != b'/' {
            break;
        }
        match bytes.get(at + 1) {
            Some(b'/') if stop_at_marker && bytes.get(at + 2) == Some(&b'#') => break,
            Some(b'/') => at = memchr(b'\n', past(text, at).as_bytes()).map_or(bytes.len(), |end| at + end),
            Some(b'*') => match past(text, at + 2).find("*/") {
                Some(end) => at += 2 + end + 2,
                None => break,
            },
            _ => break,
        }
    }
    past(text, at)
}

/// The length of the line marker at the front of a text, its line break not counted: `# 7 "a.cu"` or `#line 7 "a.cu"`, flags behind it
/// (PTX ISA, "Source Format"). As for `ptxas`, one may stand wherever a blank may, and nothing but a line break may stand behind it.
pub(crate) fn line_marker(text: &str) -> Option<usize> {
    marker(text).filter(|&length| length < text.len())
}

/// As [`line_marker`], of a piece of text that may end where the line does.
pub(crate) fn marker(text: &str) -> Option<usize> {
    const BLANKS: [char; 4] = [' ', '\t', '\r', '\x0c'];
    let rest = text.strip_prefix('#')?.trim_start_matches(BLANKS);
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start_matches(BLANKS);
    let number = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let name = number.trim_start_matches(BLANKS);
    if number.len() == rest.len() || name.len() == number.len() {
        return None;
    }
    let name = name.strip_prefix('"')?;
    let end = name.find(['"', '\n'])?;
    let behind =
        past(name, end).strip_prefix('"')?.trim_start_matches(|c: char| c.is_ascii_digit() || BLANKS.contains(&c));
    (behind.is_empty() || behind.starts_with('\n')).then_some(text.len() - behind.len())
}

/// A piece of text without its blanks, comments and line markers, for an opcode that has some in front of its modifiers.
pub(crate) fn without_blanks(text: &str) -> String {
    let mut out = String::new();
    let mut rest = blanks(text);
    while let Some(first) = rest.chars().next() {
        out.push(first);
        rest = blanks(past(rest, first.len_utf8()));
    }
    out
}

pub(crate) fn is_word_start(byte: u8) -> bool {
    is(byte, class::START)
}

pub(crate) fn is_word(byte: u8) -> bool {
    is(byte, class::WORD)
}

/// A name: `%r1`, `$L__BB0_1`, `param_0`.
#[inline]
pub(crate) fn word(text: &str) -> Parsed<'_, &str> {
    match text.as_bytes() {
        [first, behind @ ..] if is_word_start(*first) => {
            let end = 1 + behind.iter().position(|&byte| !is_word(byte)).unwrap_or(behind.len());
            let (name, rest) = cut(text, end);
            Ok((rest, name))
        }
        _ => expected(text, "a name"),
    }
}

/// Skips blanks, comments and line markers up to the end of the line, if nothing else stands there: a comment behind a statement
/// belongs to it.
pub(crate) fn rest_of_line(text: &str) -> &str {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        match bytes.get(at) {
            Some(b' ' | b'\t') => at += 1,
            // A marker is a statement of its own.
            Some(b'/') if bytes.get(at + 1) == Some(&b'/') && bytes.get(at + 2) != Some(&b'#') => {
                let comment = past(text, at);
                let line = comment.split('\n').next().unwrap_or(comment);
                return past(comment, line.trim_end_matches('\r').len());
            }
            Some(b'/') if bytes.get(at + 1) == Some(&b'*') => match past(text, at + 2).split_once("*/") {
                Some((comment, _)) if !comment.contains('\n') => at += 2 + comment.len() + 2,
                _ => return text,
            },
            Some(b'\n' | b'\r') => return past(text, at),
            Some(b'#') => {
                let marker = past(text, at);
                let Some(length) = line_marker(marker) else { return text };
                let line = until(marker, past(marker, length));
                return past(marker, line.trim_end_matches('\r').len());
            }
            _ => return text,
        }
    }
}

/// Directives of a body that no modifier is named like.
const DIRECTIVES: [&str; 8] =
    ["reg", "loc", "pragma", "extern", "branchtargets", "calltargets", "callprototype", "section"];

/// The head of an instruction, or a label: a word with `.modifiers`, in which `::` may stand. Blanks and comments may stand before a
/// modifier, as `mov .u32`. On the next line, a directive is none: a semicolon is missing in front of it.
pub(crate) fn head(text: &str) -> Parsed<'_, &str> {
    let bytes = text.as_bytes();
    let mut at = 0;
    if !bytes.first().is_some_and(|&first| is_word_start(first)) {
        return expected(text, "an instruction, a label or a directive");
    }
    at += 1;
    loop {
        let more = bytes.get(at..).unwrap_or_default();
        at += more.iter().position(|&byte| !is(byte, class::HEAD)).unwrap_or(more.len());
        match bytes.get(at) {
            Some(b':') if bytes.get(at + 1) == Some(&b':') => at += 2,
            Some(&byte) if is(byte, class::BLANK | class::COMMENT) => {
                let here = past(text, at);
                let next = blanks(here);
                let [b'.', first, ..] = next.as_bytes() else { break };
                let gap = until(here, next);
                let directive = || dotted(next).is_ok_and(|(_, word)| DIRECTIVES.contains(&word));
                if gap.is_empty() || !first.is_ascii_alphabetic() || (gap.contains('\n') && directive()) {
                    break;
                }
                at += gap.len();
            }
            _ => break,
        }
    }
    let (head, rest) = cut(text, at);
    Ok((rest, head))
}

/// A directive word: `.reg` gives `reg`, `.param::entry` gives `param::entry`.
pub(crate) fn dotted(text: &str) -> Parsed<'_, &str> {
    match text.strip_prefix('.') {
        // `.5` is a number.
        Some(rest) if rest.as_bytes().first().is_some_and(|&byte| is_word(byte) && !byte.is_ascii_digit()) => {
            let bytes = rest.as_bytes();
            let word = |from: usize| from + bytes.iter().skip(from).take_while(|&&byte| is_word(byte)).count();
            let mut end = word(0);
            while past(rest, end).starts_with("::") {
                end = word(end + 2);
            }
            let (word, behind) = cut(rest, end);
            Ok((behind, word))
        }
        _ => expected(text, "a directive"),
    }
}

/// One character of punctuation, blanks before it skipped.
pub(crate) fn punct<'a>(text: &'a str, mark: char, what: &'static str) -> Parsed<'a, ()> {
    match accept(text, mark) {
        Some(rest) => Ok((rest, ())),
        None => missing(text, what),
    }
}

/// Returns whether the next character that is not blank is this one, an ASCII character; if so, it is read.
#[inline]
pub(crate) fn accept(text: &str, mark: char) -> Option<&str> {
    let at = blanks(text);
    (at.as_bytes().first() == Some(&(mark as u8))).then(|| past(at, 1))
}

/// A quoted string on one line, without its quotes; escapes are left as they are. As for `ptxas`, no escape keeps a quote from ending it.
pub(crate) fn string(text: &str) -> Parsed<'_, &str> {
    let Some(rest) = text.strip_prefix('"') else { return expected(text, "a string") };
    let (inside, behind) = cut(rest, rest.find(['"', '\n']).unwrap_or(rest.len()));
    match behind.strip_prefix('"') {
        Some(behind) => Ok((behind, inside)),
        None => expected(text, "a string that ends with `\"` on its line"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_cannot_be_cut_ends_there() {
        let text = "aé;";
        assert_eq!((past(text, 1), cut(text, 3), until(text, ";")), ("é;", ("aé", ";"), "aé"));
        for length in [2, 5, usize::MAX] {
            assert_eq!((past(text, length), cut(text, length)), ("", (text, "")), "{length}");
            // A place follows from where a piece stands.
            assert_eq!(address(past(text, length)), address(text) + text.len(), "{length}");
        }
        assert_eq!(until(text, "longer than the text"), "");
    }
}
