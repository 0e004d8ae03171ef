//! Debug sections (PTX ISA, "Debugging Directives: .section"): labels, and lists of numbers and places in DWARF's formats.
//!
//! Nothing of it is kept, because it prints from the source. It is read all the same, so that a comma or a brace that is missing
//! shows where it is missing. A text with debug information is mostly this, so that numbers take a short way.

use super::lexical::{
    Parsed, accept, blanks, broken, dotted, expected, is_word, is_word_start, missing, past, punct, until, word,
};
use super::literal::{Number, number};
use super::numeral::small;

/// `.debug_str { label: .b8 1, 2 }`, behind `.section`.
pub(super) fn section(text: &str) -> Parsed<'_, ()> {
    let at = blanks(text);
    let (rest, _) = dotted(at).or_else(|_| expected(at, "the name of a section, such as `.debug_info`"))?;
    let (mut text, ()) = punct(rest, '{', "`{`")?;
    loop {
        text = blanks(text);
        match text.as_bytes().first() {
            Some(b'}') => return Ok((past(text, 1), ())),
            Some(b'.') => {
                let (rest, name) = dotted(text)?;
                let Some(bits) = bits(name) else {
                    return expected(text, "`.b8`, `.b16`, `.b32`, `.b64`, or `}` at the end of the section");
                };
                text = entry(rest, bits)?.0;
            }
            Some(&byte) if is_word_start(byte) => text = punct(word(text)?.0, ':', "`:` behind the label")?.0,
            _ => return expected(text, "`}` at the end of the section"),
        }
    }
}

/// Returns how many bits the values have in front of which a directive stands, given without its dot.
fn bits(directive: &str) -> Option<u32> {
    match directive {
        "b8" => Some(8),
        "b16" => Some(16),
        "b32" => Some(32),
        "b64" => Some(64),
        _ => None,
    }
}

/// Returns true if a directive, without its dot, begins a list of values.
pub(crate) fn is_entry(directive: &str) -> bool {
    bits(directive).is_some()
}

/// A place, or numbers between commas; blanks before it skipped.
fn entry(text: &str, bits: u32) -> Parsed<'_, ()> {
    let at = blanks(text);
    match at.as_bytes() {
        [b'.', next, ..] if !next.is_ascii_digit() => {}
        [first, ..] if is_word_start(*first) => {}
        _ => return numbers(text, bits),
    }
    let (rest, ()) = place(at)?;
    if bits < 32 {
        return Err(broken(at, format!("a place does not fit {bits} bits"), Some("write it behind `.b32` or `.b64`")));
    }
    match accept(rest, ',') {
        Some(_) => expected(blanks(rest), "a directive or `}`: a place stands alone"),
        None => Ok((rest, ())),
    }
}

/// Numbers between commas.
fn numbers(text: &str, bits: u32) -> Parsed<'_, ()> {
    let mut rest = text;
    loop {
        let at = blanks(rest);
        let after = match short(at, bits) {
            Some(length) => past(at, length),
            None => any_number(rest, bits)?.0,
        };
        match accept(after, ',') {
            Some(more) => rest = more,
            None => return Ok((after, ())),
        }
    }
}

/// The length of a decimal number of up to seven digits that fits, as nearly all of a section are.
#[inline]
fn short(text: &str, bits: u32) -> Option<usize> {
    let (length, value) = small(text.as_bytes())?;
    let next = *text.as_bytes().get(length)?;
    // Seven digits are less than 32 bits.
    let fits = bits >= 32 || value >> bits == 0;
    (fits && !is_word(next) && next != b'.').then_some(length)
}

/// `0x1f`, `-1`; blanks before it skipped. What is out of range is what it is for `ptxas` 13.0, which looks at the lowest 32 bits
/// of a positive number, and of those of 32 and 64 bits at none.
fn any_number(text: &str, bits: u32) -> Parsed<'_, ()> {
    let at = blanks(text);
    let (digits, negative) = match at.as_bytes().first() {
        Some(b'-') => (blanks(past(at, 1)), true),
        Some(byte) if byte.is_ascii_digit() => (at, false),
        _ => return missing(text, "a number or a label"),
    };
    let fits = match number(digits)? {
        (rest, Number::Signed(value)) if negative => (rest, bits == 64 || value <= 1 << (bits - 1)),
        (_, Number::Unsigned(_)) if negative => return expected(digits, "a number of 63 bits without a `U`"),
        (rest, Number::Signed(value)) => (rest, bits >= 32 || i64::from(value as u32) >> bits == 0),
        (rest, Number::Unsigned(value)) => (rest, bits >= 32 || u64::from(value as u32) >> bits == 0),
        _ => return expected(at, "an integer"),
    };
    match fits {
        (rest, true) => Ok((rest, ())),
        (rest, false) => {
            let value = until(at, rest).trim_end();
            Err(broken(at, format!("{value} does not fit {bits} bits"), Some("write it behind a wider directive")))
        }
    }
}

/// `label`, `label+4`, `end-begin`, `.debug_info+4`.
fn place(at: &str) -> Parsed<'_, ()> {
    if at.starts_with('.') {
        let (rest, _) = dotted(at)?;
        return accept(rest, '+').map_or(Ok((rest, ())), integer);
    }
    let mut rest = word(at)?.0;
    // clang writes the names of OpenCL's local variables with a dot inside.
    while rest.starts_with('.')
        && let Ok((after, part)) = dotted(rest)
        && !is_entry(part)
    {
        rest = after;
    }
    match (accept(rest, '+'), accept(rest, '-')) {
        (Some(offset), _) => integer(offset),
        (_, Some(begin)) => word(blanks(begin)).map(|(rest, _)| (rest, ())),
        _ => Ok((rest, ())),
    }
}

/// An integer, blanks before it skipped.
fn integer(text: &str) -> Parsed<'_, ()> {
    let text = blanks(text);
    match number(text)? {
        (rest, Number::Signed(_) | Number::Unsigned(_)) => Ok((rest, ())),
        _ => expected(text, "an integer"),
    }
}
