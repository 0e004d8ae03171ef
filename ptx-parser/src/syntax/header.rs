//! The parts of the header of a kernel or function beside its name and parameters: attributes and performance directives.
//!
//! `ptxas` knows them all by name. Here, an unknown directive is accepted too, with integers behind it or nothing: a later PTX may have it.
//! A name that is nearly a known one is a misspelling.

use smallvec::SmallVec;

use super::error_recovery::begins_item;
use super::lexical::{Parsed, accept, blanks, dotted, expected, expected_with, missing, punct, string};
use super::literal::{Number, count, number};
use crate::suggest::nearest;
use crate::tables::PerformanceDirective;

/// The directives of a header (PTX ISA, "Performance-Tuning Directives", "Cluster Dimension Directives" and "Miscellaneous
/// Directives"), each with the smallest and the largest number of its values. `.pragma`, which has strings, is none of them.
pub(crate) const DIRECTIVES: &[(&str, usize, usize)] = &[
    ("maxntid", 1, 3),
    ("reqntid", 1, 3),
    ("maxnreg", 1, 1),
    ("minnctapersm", 1, 1),
    ("maxnctapersm", 1, 1),
    ("reqnctapercluster", 1, 3),
    ("maxclusterrank", 1, 1),
    ("explicitcluster", 0, 0),
    ("blocksareclusters", 0, 0),
    ("noreturn", 0, 0),
    ("abi_preserve", 1, 1),
    ("abi_preserve_control", 1, 1),
];

/// The texts that may follow a header.
const NEXT: &str = "`{`, `;` or a performance directive";

/// The attributes (PTX ISA, "Variable and Function Attribute Directive"), each with the number of its values. `ptxas` has the last, the
/// manual does not.
const ATTRIBUTES: &[(&str, usize)] = &[("managed", 0), ("unified", 2), ("unified_func_stub", 0)];

/// All performance directives at the front of a text.
pub(super) fn performance_directives(text: &str) -> Parsed<'_, Vec<PerformanceDirective>> {
    let mut list = Vec::new();
    let mut text = text;
    loop {
        let at = blanks(text);
        let Ok((rest, name)) = dotted(at) else { return Ok((text, list)) };
        if begins_item(at) || matches!(name, "reg" | "param") {
            return Ok((text, list));
        }
        let (rest, values) = match name {
            "pragma" => (pragma(rest)?.0, SmallVec::new()),
            _ => values(at, rest, name)?,
        };
        list.push(PerformanceDirective { name: name.into(), values });
        text = rest;
    }
}

/// The numbers behind the performance directive of a name, which begins at `at` and ends at `text`.
fn values<'a>(at: &'a str, text: &'a str, name: &str) -> Parsed<'a, SmallVec<[u32; 3]>> {
    let known = DIRECTIVES.iter().find(|(known, ..)| *known == name);
    if known.is_none()
        && let Some(near) = nearest(name, DIRECTIVES.iter().map(|(known, ..)| *known).chain(["pragma"]))
    {
        return expected_with(at, NEXT, &format!("did you mean `.{near}`?"));
    }
    let &(_, least, most) = known.unwrap_or(&("", 0, usize::MAX));
    let mut values = SmallVec::new();
    if least == 0 && (most == 0 || !blanks(text).as_bytes().first().is_some_and(u8::is_ascii_digit)) {
        return Ok((text, values));
    }
    let mut text = text;
    loop {
        if !blanks(text).as_bytes().first().is_some_and(u8::is_ascii_digit) {
            return missing(text, "a number");
        }
        let (rest, value) = count(text)?;
        values.push(value);
        let Some(more) = accept(rest, ',') else { return Ok((rest, values)) };
        if values.len() == most {
            let comma = blanks(rest);
            return expected_with(comma, NEXT, &format!("`.{name}` takes no further value"));
        }
        text = more;
    }
}

/// `(.managed, .unified(1, 2))`, behind `.attribute`.
pub(super) fn attributes(text: &str) -> Parsed<'_, ()> {
    let (mut text, ()) = punct(text, '(', "`(`")?;
    loop {
        let at = blanks(text);
        let Ok((rest, name)) = dotted(at) else { return missing(text, "an attribute such as `.managed`") };
        let rest = match ATTRIBUTES.iter().find(|(known, _)| *known == name) {
            Some((_, 0)) => rest,
            Some((_, count)) => integers(rest, Some(*count))?.0,
            None => match nearest(name, ATTRIBUTES.iter().map(|(known, _)| *known)) {
                Some(near) => return expected_with(at, "an attribute", &format!("did you mean `.{near}`?")),
                None if accept(rest, '(').is_some() => integers(rest, None)?.0,
                None => rest,
            },
        };
        match accept(rest, ',') {
            Some(rest) => text = rest,
            None => return punct(rest, ')', "`,` or `)`"),
        }
    }
}

/// `(1, 2)`, the integers of an attribute: as many as there must be, or, where nobody knows, as are given.
fn integers(text: &str, count: Option<usize>) -> Parsed<'_, ()> {
    let (mut text, ()) = punct(text, '(', "`(`")?;
    let mut read = 0;
    loop {
        let at = blanks(text);
        let rest = match at.as_bytes().first() {
            Some(b'0'..=b'9') => match number(at)? {
                (rest, Number::Signed(_) | Number::Unsigned(_)) => rest,
                _ => return expected(at, "an integer"),
            },
            _ => return missing(text, "an integer"),
        };
        read += 1;
        match accept(rest, ',') {
            Some(more) if count != Some(read) => text = more,
            None if count.is_some_and(|count| read < count) => return missing(rest, "`,` and another integer"),
            _ => return punct(rest, ')', "`)`"),
        }
    }
}

/// The strings of a `.pragma` and the semicolon.
pub(super) fn pragma(text: &str) -> Parsed<'_, ()> {
    let mut text = text;
    loop {
        let (rest, _) = string(blanks(text))?;
        match accept(rest, ',') {
            Some(rest) => text = rest,
            None => return punct(rest, ';', "`,` or `;`"),
        }
    }
}
