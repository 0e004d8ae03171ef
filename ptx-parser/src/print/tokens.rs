//! A text as tokens and comments, for what is changed or laid out without being understood: declarations, directives, headers.
//!
//! The representation of a declaration holds less than its text (attributes, dimensions, prototypes). Renaming and canonical printing
//! therefore work on its tokens, which lose nothing but blanks.

use crate::syntax::lexical::{cut, is_word, is_word_start, marker, past};

/// The kind of a piece of text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A name: `%r1`, `$L__BB0_1`, `generic`.
    Word,
    /// A word with a dot in front: `.b32`, `.debug_info`, `.unified::v`.
    Dotted,
    /// A number, its sign not included.
    Number,
    /// A string with its quotes.
    Text,
    /// `// …` without the line break, or a line marker, `# 7 "a.cu"`.
    LineComment,
    /// `/* … */`
    BlockComment,
    /// Any other character.
    Mark,
}

/// A token or a comment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) kind: Kind,
    pub(crate) text: &'a str,
    /// The offset at which it begins in the text.
    pub(crate) at: usize,
    /// The number of line breaks between the token before it and this one.
    pub(crate) breaks: usize,
}

impl Token<'_> {
    pub(crate) fn is_comment(&self) -> bool {
        matches!(self.kind, Kind::LineComment | Kind::BlockComment)
    }

    /// Returns true if it is this mark.
    pub(crate) fn is(&self, mark: &str) -> bool {
        self.kind == Kind::Mark && self.text == mark
    }
}

/// The tokens and comments of a text, in order.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let blanks =
            past(text, at).bytes().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c | 0x1a));
        let (count, breaks) = blanks.fold((0, 0), |(all, breaks), byte| (all + 1, breaks + usize::from(byte == b'\n')));
        let start = at + count;
        let rest = past(text, start);
        let (kind, length) = first(rest)?;
        at = start + length;
        Some(Token { kind, text: cut(rest, length).0, at: start, breaks })
    })
}

/// The token at the front of a text that begins with no blank, and how long it is.
fn first(text: &str) -> Option<(Kind, usize)> {
    let bytes = text.as_bytes();
    let words = |from: usize| from + bytes.iter().skip(from).take_while(|byte| is_word(**byte)).count();
    Some(match bytes {
        [] => return None,
        [b'/', b'/', ..] => {
            let line = text.find('\n').map_or(text, |end| cut(text, end).0);
            // Blanks of Unicode are none of PTX and belong to the comment.
            (Kind::LineComment, line.trim_end_matches([' ', '\t', '\r', '\x0b', '\x0c']).len())
        }
        [b'#', ..] if let Some(length) = marker(text) => {
            (Kind::LineComment, cut(text, length).0.trim_end_matches([' ', '\t', '\r', '\x0c']).len())
        }
        [b'/', b'*', ..] => (Kind::BlockComment, past(text, 2).find("*/").map_or(text.len(), |end| end + 4)),
        [b'"', ..] => (Kind::Text, string(bytes)),
        [b'.', b'0'..=b'9', ..] | [b'0'..=b'9', ..] => (Kind::Number, number(bytes)),
        [b'.', next, ..] if is_word(*next) => {
            let mut end = words(1);
            while past(text, end).starts_with("::") {
                end = words(end + 2);
            }
            (Kind::Dotted, end)
        }
        [byte, ..] if is_word_start(*byte) => (Kind::Word, words(1)),
        _ => (Kind::Mark, text.chars().next().map_or(1, char::len_utf8)),
    })
}

/// Returns true if two tokens, of which the first has this kind, read as something else with no blank between them. What nobody checks, such as
/// debug sections, may hold such neighbours: `0` and `.`.
pub(super) fn joins(kind: Kind, text: &str, next: &str) -> bool {
    // Further colons may follow.
    if kind == Kind::Dotted && next == ":" {
        return true;
    }
    // Of a name with dots, the last part.
    let text = match kind {
        Kind::Word => past(text, text.rfind('.').unwrap_or(0)),
        _ => text,
    };
    let open = match kind {
        Kind::Mark => matches!(text, "." | "/"),
        kind => kind != Kind::Text,
    };
    let goes_on = next.bytes().next().is_some_and(|byte| is_word(byte) || b"./:+-*".contains(&byte));
    open && goes_on && first(&format!("{text}{next}")).is_none_or(|(_, length)| length != text.len())
}

/// The length of a string with its quotes; one that does not end goes to the end of the text.
fn string(bytes: &[u8]) -> usize {
    bytes.iter().skip(1).position(|byte| *byte == b'"').map_or(bytes.len(), |at| at + 2)
}

/// The length of a number: digits, letters, a point, and the sign of a decimal exponent.
fn number(bytes: &[u8]) -> usize {
    let based = matches!(bytes, [b'0', b'x' | b'X' | b'b' | b'B' | b'f' | b'F' | b'd' | b'D', ..]);
    let (mut end, mut before) = (0, 0);
    while let Some(&byte) = bytes.get(end) {
        let sign = matches!(byte, b'+' | b'-') && matches!(before, b'e' | b'E') && !based;
        if !is_word(byte) && byte != b'.' && !sign {
            break;
        }
        end += 1;
        before = byte;
    }
    end
}

/// A text with every mention of a name replaced; comments, strings and the prefix of a family `%r<4>` stay. `None` where the name is
/// not mentioned.
pub(crate) fn renamed(text: &str, from: &str, to: &str) -> Option<String> {
    renamed_by(text, |name| (name == from).then_some(to))
}

/// As [`renamed`], for all names at once that `to` gives another name.
pub(crate) fn renamed_by<'n>(text: &str, to: impl Fn(&str) -> Option<&'n str>) -> Option<String> {
    let mut out = String::new();
    let mut copied = 0;
    let mut rest = tokens(text).peekable();
    while let Some(token) = rest.next() {
        if token.kind == Kind::Word
            && !rest.peek().is_some_and(|next| next.is("<"))
            && let Some(to) = to(token.text)
        {
            out.push_str(text.get(copied..token.at).unwrap_or(""));
            out.push_str(to);
            copied = token.at + token.text.len();
        }
    }
    (copied > 0).then(|| out + past(text, copied))
}

/// The text without its comments, one blank between tokens: what a statement says, for a copy of it that stands elsewhere.
pub(crate) fn bare(text: &str) -> String {
    bare_renamed(text, |_| None)
}

/// As [`bare`], with other names that `to` gives; the prefix of a family `%r<4>` counts as a name.
pub(crate) fn bare_renamed<'n>(text: &str, to: impl Fn(&str) -> Option<&'n str>) -> String {
    let mut out = String::new();
    for token in tokens(text).filter(|token| !token.is_comment()) {
        if !out.is_empty() && ![",", ";"].contains(&token.text) {
            out.push(' ');
        }
        let name = (token.kind == Kind::Word).then(|| to(token.text)).flatten();
        out.push_str(name.unwrap_or(token.text));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_falls_into_tokens() {
        let text = ".reg .b32 %r<4>; // four\n\n/* a; */ x = {-1.5e-3, 0f3F80_, \"a;\\b\\\", .5}, $L+4";
        let found: Vec<&str> = tokens(text).map(|token| token.text).collect();
        let expected = [
            ".reg",
            ".b32",
            "%r",
            "<",
            "4",
            ">",
            ";",
            "// four",
            "/* a; */",
            "x",
            "=",
            "{",
            "-",
            "1.5e-3",
            ",",
            "0f3F80_",
            ",",
            "\"a;\\b\\\"",
            ",",
            ".5",
            "}",
            ",",
            "$L",
            "+",
            "4",
        ];
        assert_eq!(found, expected);
        let comments: Vec<usize> = tokens(text).filter(Token::is_comment).map(|token| token.breaks).collect();
        assert_eq!(comments, [0, 2]);
    }

    #[test]
    fn tokens_end_with_the_text() {
        for text in ["\"open", "/* open", "// open", "é", "0x", "1e+", ".", "", " \t"] {
            let length: usize = tokens(text).map(|token| token.text.len()).sum();
            assert_eq!(length, text.trim().len(), "{text}");
        }
    }

    #[test]
    fn names_are_replaced_as_whole_words() {
        assert_eq!(renamed("a ab .a \"a\" a+1 // a", "a", "b").as_deref(), Some("b ab .a \"a\" b+1 // a"));
        assert_eq!(renamed("ab", "a", "b"), None);
        assert_eq!(bare("\n // x\n .loc 1  2 /* y */ 3 , function_name f"), ".loc 1 2 3, function_name f");
    }
}
