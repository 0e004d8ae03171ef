//! Debug sections (PTX ISA, "Debugging Directives: .section"): labels, and lists of numbers and places in DWARF's formats.
//!
//! Nothing of it is kept, because it prints from the source. It is read all the same, so that a comma or a brace that is missing
//! shows where it is missing. A text with debug information is mostly this, so that numbers take a short way.

use super::lexical::{Parsed, accept, blanks, dotted, expected, is_word, is_word_start, missing, punct, word};
use super::literal::{Number, number};

/// `.debug_str { label: .b8 1, 2 }`, behind `.section`.
pub(super) fn section(text: &str) -> Parsed<'_, ()> {
    let at = blanks(text);
    let (rest, _) = dotted(at).or_else(|_| expected(at, "the name of a section, such as `.debug_info`"))?;
    let (mut text, ()) = punct(rest, '{', "`{`")?;
    loop {
        text = blanks(text);
        match text.as_bytes().first() {
            Some(b'}') => return Ok((&text[1..], ())),
            Some(b'.') => {
                let (rest, name) = dotted(text)?;
                if !is_entry(name) {
                    return expected(text, "`.b8`, `.b16`, `.b32`, `.b64`, or `}` at the end of the section");
                }
                text = values(rest)?.0;
            }
            Some(&byte) if is_word_start(byte) => text = punct(word(text)?.0, ':', "`:` behind the label")?.0,
            _ => return expected(text, "`}` at the end of the section"),
        }
    }
}

/// Whether a directive, without its dot, begins a list of values.
pub(crate) fn is_entry(name: &str) -> bool {
    matches!(name, "b8" | "b16" | "b32" | "b64" | "u8" | "u16" | "u32" | "u64")
}

/// Values between commas.
fn values(text: &str) -> Parsed<'_, ()> {
    let mut rest = text;
    loop {
        let at = blanks(rest);
        let digits = at.bytes().take_while(u8::is_ascii_digit).count();
        let short = (1..19).contains(&digits) && !at.as_bytes().get(digits).is_some_and(|&b| is_word(b) || b == b'.');
        let after = if short { &at[digits..] } else { value(rest)?.0 };
        match accept(after, ',') {
            Some(more) => rest = more,
            None => return Ok((after, ())),
        }
    }
}

/// `0x1f`, `-1`, `label`, `label+4`, `end-begin`, `.debug_info+4`; blanks before it skipped.
fn value(text: &str) -> Parsed<'_, ()> {
    let at = blanks(text);
    match at.as_bytes().first() {
        Some(b'.') if !at.as_bytes().get(1).is_some_and(u8::is_ascii_digit) => offset(dotted(at)?.0),
        Some(&byte) if is_word_start(byte) => {
            let mut rest = word(at)?.0;
            // clang writes the names of OpenCL's local variables with a dot inside.
            while let Ok((after, part)) = dotted(rest)
                && !is_entry(part)
            {
                rest = after;
            }
            offset(rest)
        }
        Some(b'-') => integer(blanks(&at[1..])),
        Some(byte) if byte.is_ascii_digit() => integer(at),
        _ => missing(text, "a number or a label"),
    }
}

/// What is added to a place or subtracted from it, if anything.
fn offset(text: &str) -> Parsed<'_, ()> {
    let at = blanks(text);
    let Some(rest) = at.strip_prefix(['+', '-']) else { return Ok((text, ())) };
    let next = blanks(rest);
    match next.as_bytes().first() {
        Some(&byte) if is_word_start(byte) => word(next).map(|(rest, _)| (rest, ())),
        _ => integer(next),
    }
}

fn integer(text: &str) -> Parsed<'_, ()> {
    match number(text)? {
        (rest, Number::Signed(_) | Number::Unsigned(_)) => Ok((rest, ())),
        _ => expected(text, "an integer"),
    }
}
