//! Blanks, comments, words, numbers, punctuation (PTX ISA, "Syntax").
//!
//! A parser takes the rest of the text and gives back what it read and the new rest, as `nom` wants it. The place of an
//! error is kept as the address of the byte, from which the offset follows once the beginning of the text is known; so
//! any piece of the text can stand for its place.

use std::borrow::Cow;

use nom::error::{ErrorKind, ParseError};
use nom::{Err, IResult};

/// Where reading failed and what would have been right.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fail {
    /// The address of the byte at which it failed.
    pub(crate) at: usize,
    /// What was expected, or a whole message if `semantic`.
    pub(crate) expected: Cow<'static, str>,
    /// Whether the grammar was followed and another rule broken.
    pub(crate) semantic: bool,
    /// What to do about it.
    pub(crate) help: Option<String>,
}

impl ParseError<&str> for Fail {
    fn from_error_kind(input: &str, kind: ErrorKind) -> Self {
        Fail { at: address(input), expected: kind.description().to_owned().into(), semantic: false, help: None }
    }

    fn append(_: &str, _: ErrorKind, other: Self) -> Self {
        other
    }

    fn or(self, other: Self) -> Self {
        // The alternative that got further says more about what the author meant.
        if self.at > other.at { self } else { other }
    }
}

pub(crate) type Parsed<'a, T> = IResult<&'a str, T, Fail>;

fn address(text: &str) -> usize {
    text.as_ptr() as usize
}

/// A failure at the front of `rest`.
pub(crate) fn expected<T>(rest: &str, what: impl Into<Cow<'static, str>>) -> Parsed<'static, T> {
    Err(Err::Failure(Fail { at: address(rest), expected: what.into(), semantic: false, help: None }))
}

/// A failure because something is missing behind what was just read. A person looks for it at the end of that line, so
/// the place is there if the next token is on another line, and the next token else.
pub(crate) fn missing<T>(rest: &str, what: impl Into<Cow<'static, str>>) -> Parsed<'static, T> {
    let next = blanks(rest);
    let new_line = rest[..rest.len() - next.len()].contains('\n');
    expected(if new_line || next.is_empty() { rest } else { next }, what)
}

/// A broken rule at the front of `rest`.
pub(crate) fn broken(rest: &str, message: String, help: Option<&str>) -> Err<Fail> {
    Err::Failure(Fail { at: address(rest), expected: message.into(), semantic: true, help: help.map(str::to_owned) })
}

/// Skips blanks and comments. A comment that never ends is left in place, where nothing else can match it.
pub(crate) fn blanks(text: &str) -> &str {
    skip(text, false)
}

/// As [`blanks`], but stops at a marker comment `//#`.
pub(crate) fn blanks_to_marker(text: &str) -> &str {
    skip(text, true)
}

fn skip(text: &str, stop_at_marker: bool) -> &str {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        match bytes.get(at) {
            Some(b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c) => at += 1,
            Some(b'/') => match bytes.get(at + 1) {
                Some(b'/') if stop_at_marker && bytes.get(at + 2) == Some(&b'#') => break,
                Some(b'/') => {
                    at += bytes[at..].iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len() - at);
                }
                Some(b'*') => match text[at + 2..].find("*/") {
                    Some(end) => at += 2 + end + 2,
                    None => break,
                },
                _ => break,
            },
            _ => break,
        }
    }
    &text[at..]
}

pub(crate) fn is_word_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$' | b'%')
}

pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

/// A name: `%r1`, `$L__BB0_1`, `param_0`.
pub(crate) fn word(text: &str) -> Parsed<'_, &str> {
    let bytes = text.as_bytes();
    match bytes.first() {
        Some(&first) if is_word_start(first) => {
            let end = 1 + bytes[1..].iter().position(|&byte| !is_word(byte)).unwrap_or(bytes.len() - 1);
            Ok((&text[end..], &text[..end]))
        }
        _ => expected(text, "a name"),
    }
}

/// Skips blanks and comments up to the end of the line, if nothing else stands there: a comment behind a statement
/// belongs to it.
pub(crate) fn rest_of_line(text: &str) -> &str {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        match bytes.get(at) {
            Some(b' ' | b'\t') => at += 1,
            // A marker is a statement of its own.
            Some(b'/') if bytes.get(at + 1) == Some(&b'/') && bytes.get(at + 2) != Some(&b'#') => {
                let line = &text[at..text[at..].find('\n').map_or(text.len(), |end| at + end)];
                return &text[at + line.trim_end_matches('\r').len()..];
            }
            Some(b'/') if bytes.get(at + 1) == Some(&b'*') => match text[at + 2..].find("*/") {
                Some(end) if !text[at..at + 2 + end].contains('\n') => at += 2 + end + 2,
                _ => return text,
            },
            Some(b'\n' | b'\r') => return &text[at..],
            _ => return text,
        }
    }
}

/// A comment, or a slash that begins none.
pub(crate) fn comment(text: &str) -> Parsed<'_, ()> {
    let rest = blanks(text);
    match text.as_bytes().get(1) {
        _ if rest.len() < text.len() => Ok((rest, ())),
        Some(b'*') => expected(text, "a comment that ends with `*/`"),
        _ => Ok((&text[1..], ())),
    }
}

/// The head of an instruction, or a label: a word with `.modifiers`, in which `::` may stand. Blanks may stand before a
/// modifier on the same line, as `mov .u32`.
pub(crate) fn head(text: &str) -> Parsed<'_, &str> {
    let bytes = text.as_bytes();
    let mut at = 0;
    if !bytes.first().is_some_and(|&first| is_word_start(first)) {
        return expected(text, "an instruction, a label or a directive");
    }
    at += 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b':' if bytes.get(at + 1) == Some(&b':') => at += 2,
            b'.' => at += 1,
            _ if is_word(byte) => at += 1,
            b' ' | b'\t' => {
                let gap = bytes[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
                let modifier =
                    bytes.get(at + gap) == Some(&b'.') && bytes.get(at + gap + 1).is_some_and(u8::is_ascii_alphabetic);
                if !modifier {
                    break;
                }
                at += gap;
            }
            _ => break,
        }
    }
    Ok((&text[at..], &text[..at]))
}

/// A directive word: `.reg` gives `reg`.
pub(crate) fn dotted(text: &str) -> Parsed<'_, &str> {
    match text.strip_prefix('.') {
        Some(rest) if rest.as_bytes().first().is_some_and(|&byte| is_word(byte)) => {
            let end = rest.as_bytes().iter().position(|&byte| !is_word(byte) && byte != b':').unwrap_or(rest.len());
            Ok((&rest[end..], &rest[..end]))
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

/// Whether the next character that is not blank is this one; if so, it is read.
pub(crate) fn accept(text: &str, mark: char) -> Option<&str> {
    blanks(text).strip_prefix(mark)
}

/// A quoted string on one line, without its quotes; escapes are left as they are.
pub(crate) fn string(text: &str) -> Parsed<'_, &str> {
    let Some(rest) = text.strip_prefix('"') else { return expected(text, "a string") };
    let mut escaped = false;
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Ok((&rest[at + 1..], &rest[..at])),
            b'\n' => break,
            _ => {}
        }
    }
    expected(text, "a string that ends with `\"` on its line")
}

/// A literal number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Number {
    Int(u64),
    Float32(u32),
    Float64(u64),
}

/// A literal without its sign: integers in four bases, `0f` and `0d` bit patterns, decimal floats (PTX ISA, "Constants").
pub(crate) fn number(text: &str) -> Parsed<'_, Number> {
    let bytes = text.as_bytes();
    let digits = |from: usize, ok: fn(&u8) -> bool| bytes[from..].iter().take_while(|byte| ok(byte)).count();
    let hex = |byte: &u8| byte.is_ascii_hexdigit();
    let at_end = |end: usize| !bytes.get(end).is_some_and(|&byte| is_word(byte));
    if bytes.first() == Some(&b'0') && bytes.len() > 1 {
        let bits = match bytes[1] {
            b'f' | b'F' if digits(2, hex) == 8 => {
                u32::from_str_radix(&text[2..10], 16).ok().map(Number::Float32).zip(Some(10))
            }
            b'd' | b'D' if digits(2, hex) == 16 => {
                u64::from_str_radix(&text[2..18], 16).ok().map(Number::Float64).zip(Some(18))
            }
            _ => None,
        };
        if let Some((number, end)) = bits {
            return if at_end(end) { Ok((&text[end..], number)) } else { expected(text, "a number") };
        }
    }
    let decimal = digits(0, u8::is_ascii_digit);
    if let Some(end) = float_end(bytes, decimal) {
        return match text[..end].parse::<f64>() {
            Ok(value) if at_end(end) => Ok((&text[end..], Number::Float64(value.to_bits()))),
            _ => expected(text, "a number"),
        };
    }
    let (from, radix, count) = match bytes {
        [b'0', b'x' | b'X', ..] => (2, 16, digits(2, hex)),
        [b'0', b'b' | b'B', ..] => (2, 2, digits(2, |byte| matches!(byte, b'0' | b'1'))),
        [b'0', b'0'..=b'9', ..] => (1, 8, digits(1, |byte| matches!(byte, b'0'..=b'7'))),
        _ => (0, 10, decimal),
    };
    let end = from + count;
    match u64::from_str_radix(&text[from..end], radix) {
        Ok(value) => {
            let end = if bytes.get(end) == Some(&b'U') { end + 1 } else { end };
            if at_end(end) { Ok((&text[end..], Number::Int(value))) } else { expected(text, "a number") }
        }
        Err(_) if count > 0 => expected(text, "a number that fits 64 bits"),
        Err(_) => expected(text, "a number"),
    }
}

/// The end of a decimal float that begins with `whole` digits, or `None` if it is none.
fn float_end(bytes: &[u8], whole: usize) -> Option<usize> {
    let count = |from: usize| bytes.get(from..).unwrap_or(&[]).iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = whole;
    let mut is_float = false;
    if bytes.get(end) == Some(&b'.') && (whole > 0 || count(end + 1) > 0) {
        end += 1 + count(end + 1);
        is_float = true;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) && end > 0 {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = count(end + 1 + sign);
        if exponent > 0 {
            end += 1 + sign + exponent;
            is_float = true;
        }
    }
    is_float.then_some(end)
}

/// An integer with an optional sign, blanks before it skipped; wraps to 64 bits.
pub(crate) fn integer(text: &str) -> Parsed<'_, i64> {
    let text = blanks(text);
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, blanks(rest)),
        None => (false, text),
    };
    match number(digits)? {
        (rest, Number::Int(value)) => {
            let value = value as i64;
            Ok((rest, if negative { value.wrapping_neg() } else { value }))
        }
        _ => expected(digits, "an integer"),
    }
}

/// An unsigned integer of 32 bits, blanks before it skipped.
pub(crate) fn count(text: &str) -> Parsed<'_, u32> {
    let text = blanks(text);
    match number(text)? {
        (rest, Number::Int(value)) => match u32::try_from(value) {
            Ok(value) => Ok((rest, value)),
            Err(_) => expected(text, "a number below 4294967296"),
        },
        _ => expected(text, "an integer"),
    }
}
