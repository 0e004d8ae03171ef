//! Going on behind an error, so that one run reports all errors of a text.
//!
//! Reading goes on behind the statement that failed: behind its `;`, or in front of the `}` that ends its scope. Where the `;` is
//! what is missing, it goes on with the next line. At the top level it goes on with the next line that begins a declaration of
//! the module.

use memchr::memchr;
use nom::Err;

use super::lexical::{Fail, address, blanks, dotted, end, head, is_word_start, past, rest_of_line, until};

/// More errors than this are of no use to anybody.
const MAX_FAILS: usize = 100;

/// The errors in a text, in the order in which they are added.
#[derive(Default)]
pub(crate) struct Fails(Vec<Fail>);

impl Fails {
    pub(crate) fn add(&mut self, fail: Err<Fail>) {
        // Nothing here asks for more input, so that `Incomplete` cannot be. One statement may be wrong in many places.
        if let Err::Error(fail) | Err::Failure(fail) = fail
            && !self.are_enough()
        {
            self.0.push(fail);
        }
    }

    /// Returns true if so much is wrong that reading on is of no use.
    pub(crate) fn are_enough(&self) -> bool {
        self.0.len() >= MAX_FAILS
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them, in the order of the text.
    pub(crate) fn take(&mut self) -> Vec<Fail> {
        let mut fails = std::mem::take(&mut self.0);
        fails.sort_by_key(Fail::at);
        fails.dedup_by_key(|fail| fail.at());
        fails
    }
}

/// Returns where to go on in a body after a statement that begins at `start` failed. `None` at the end of the text.
pub(super) fn next_statement<'a>(start: &'a str, fail: &Err<Fail>) -> &'a str {
    let at = match fail {
        Err::Error(fail) | Err::Failure(fail) => fail.at(),
        Err::Incomplete(_) => address(start),
    };
    let offset = at.saturating_sub(address(start)).min(start.len());
    let Some((read, rest)) = start.split_at_checked(offset) else { return end(start) };
    // The failure is at the end of a line if something is missing there. What begins like a statement on the next line is one.
    let next = blanks(rest);
    let line_ends = until(rest, next).contains('\n');
    if line_ends && !read.trim().is_empty() && begins_statement(next) {
        return rest_of_line(rest);
    }
    let mut depth = braces(read);
    let mut text = rest;
    loop {
        text = blanks(text);
        match text.as_bytes().first() {
            None => return text,
            // A comment that never ends.
            Some(b'/') if text.starts_with("/*") => return end(text),
            Some(b';') => return past(text, 1),
            Some(b'{') => depth += 1,
            // The end of a vector whose beginning is missing, and no end of a scope.
            Some(b'}') if depth <= 0 && blanks(past(text, 1)).starts_with([';', ',', '|', ']', ')']) => {}
            Some(b'}') if depth <= 0 => return text,
            Some(b'}') => depth -= 1,
            Some(b'.') if begins_declaration(text) && text.len() < start.len() => return text,
            Some(b'"') => {
                text = super::lexical::string(text).map_or(past(text, 1), |(rest, _)| rest);
                continue;
            }
            Some(_) => {}
        }
        text = step(text);
    }
}

/// Behind one token, or what looks like none.
fn step(text: &str) -> &str {
    if text.as_bytes().first().is_some_and(|&byte| is_word_start(byte)) {
        return super::lexical::word(text).map_or(end(text), |(rest, _)| rest);
    }
    let mut rest = text.chars();
    rest.next();
    rest.as_str()
}

/// Returns how many braces a piece of text leaves open.
fn braces(text: &str) -> i32 {
    let mut open = 0;
    let mut text = blanks(text);
    while let [first, ..] = text.as_bytes()
        && !text.starts_with("/*")
    {
        match first {
            b'{' => open += 1,
            b'}' => open -= 1,
            _ => {}
        }
        text = blanks(step(text));
    }
    open
}

/// Returns true if a text looks like the beginning of a statement and not like the next operand of one.
pub(super) fn begins_statement(text: &str) -> bool {
    match text.as_bytes().first() {
        Some(b'@' | b'{' | b'}') => true,
        Some(b'.') => text.as_bytes().get(1).is_some_and(u8::is_ascii_alphabetic),
        Some(&byte) if is_word_start(byte) && byte != b'%' => match head(text) {
            // A label, or an instruction: words side by side are no operands.
            Ok((rest, head)) => {
                rest.starts_with(':')
                    || head.contains('.')
                    || rest.starts_with(';')
                    || blanks(rest)
                        .starts_with(|c: char| c.is_ascii() && (is_word_start(c as u8) || c == '[' || c == '{'))
            }
            Err(_) => false,
        },
        _ => false,
    }
}

/// Returns true if a text begins a declaration of the module, which no body holds.
pub(super) fn begins_declaration(text: &str) -> bool {
    const WORDS: [&str; 10] =
        ["visible", "entry", "func", "weak", "common", "version", "target", "address_size", "file", "section"];
    dotted(text).is_ok_and(|(_, word)| WORDS.contains(&word))
}

/// Returns true if a text begins any declaration of the module, those included that a body may hold as well.
pub(super) fn begins_item(text: &str) -> bool {
    let data = dotted(text).is_ok_and(|(_, word)| matches!(word, "extern" | "global" | "const" | "tex" | "alias"));
    data || begins_declaration(text)
}

/// Returns where to go on at the top level after a declaration that begins at `start` failed: the next line that begins a declaration.
pub(super) fn next_item<'a>(start: &'a str, fail: &Err<Fail>) -> &'a str {
    let at = match fail {
        Err::Error(fail) | Err::Failure(fail) => fail.at(),
        Err::Incomplete(_) => address(start),
    };
    let offset = at.saturating_sub(address(start)).max(1).min(start.len());
    // A character of several bytes may stand where the failure is.
    let mut text = (offset..=start.len()).find_map(|offset| start.get(offset..)).unwrap_or(end(start));
    loop {
        let Some(line) = memchr(b'\n', text.as_bytes()) else { return end(start) };
        text = past(text, line + 1);
        let next = text.trim_start_matches([' ', '\t', '\r']);
        if begins_item(next) {
            return next;
        }
    }
}
