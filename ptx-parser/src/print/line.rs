//! Writes tokens and comments as lines: one blank where the canonical layout has one, tabs in front, long lists wrapped.

use std::borrow::Cow;

use super::tokens::{Kind, Token, joins};
use crate::syntax::lexical::past;
use crate::syntax::literal::{Number, number};

/// Behind this column, a list goes on in the next line; a tab counts as four.
const WIDTH: usize = 100;

/// The text that replaces `//#` among operands. Behind the instruction, `//#` would be a marker.
pub(super) const UNMARKED: &str = "// #";

/// The text that is written, and where in it the writer stands.
#[derive(Default)]
pub(super) struct Lines {
    pub(super) out: String,
    /// The number of tabs that stand in front of a line.
    pub(super) depth: usize,
    /// The offset at which the current line begins.
    start: usize,
    /// The last thing of the line is a comment behind which nothing stands: one that goes on to the end of the line, or has line breaks.
    in_comment: bool,
}

impl Lines {
    /// Ends the line, and begins one of `depth` tabs when something is written next; where the source had an empty line, one stays.
    pub(super) fn next(&mut self, breaks: usize) {
        if self.out.is_empty() {
            return;
        }
        if !self.out.ends_with('\n') {
            self.out.push('\n');
        }
        if breaks > 1 && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
        self.start = self.out.len();
        self.in_comment = false;
    }

    /// Returns true if nothing was written since the line began.
    pub(super) fn is_new(&self) -> bool {
        self.start == self.out.len()
    }

    fn indent(&mut self) {
        if self.is_new() {
            self.out.extend(std::iter::repeat_n('\t', self.depth));
        }
    }

    /// Writes a text on the current line.
    pub(super) fn write(&mut self, text: &str) {
        if self.in_comment {
            self.next(1);
        }
        self.indent();
        self.out.push_str(text);
    }

    /// A comment in a line of its own.
    pub(super) fn comment(&mut self, comment: &Token<'_>) {
        if !self.is_new() || comment.breaks > 1 {
            self.next(comment.breaks);
        }
        self.put(comment);
    }

    /// A comment behind what the line says; one that goes on to the end of the line can be followed by none. One of several lines is
    /// read as a comment on what follows, and so begins a line.
    pub(super) fn comment_behind(&mut self, comment: &Token<'_>) {
        if self.in_comment || (comment.text.contains('\n') && !self.is_new()) {
            self.next(1);
        } else if !self.is_new() {
            self.out.push(' ');
        }
        match comment.text.strip_prefix("//#").filter(|_| self.depth > 0) {
            Some(rest) => self.put(&Token { text: &format!("{UNMARKED}{rest}"), ..*comment }),
            None => self.put(comment),
        }
    }

    fn put(&mut self, comment: &Token<'_>) {
        self.indent();
        self.out.push_str(&broken_by_line_feeds(comment.text));
        self.in_comment = comment.kind == Kind::LineComment || comment.text.contains('\n');
    }

    /// Writes tokens, one more tab in front of lines after the first. Comments among them stay where they are.
    pub(super) fn tokens<'t>(&mut self, list: &[Token<'t>]) {
        let mut before: Option<&Token<'t>> = None;
        let mut written = Cow::Borrowed("");
        for (index, token) in list.iter().enumerate() {
            if token.is_comment() {
                self.comment_behind(token);
                continue;
            }
            let text = normal(token, list.get(index + 1));
            if self.in_comment {
                self.next(1);
            }
            let behind_comma = before.is_some_and(|before| before.is(","));
            if behind_comma && self.column() + text.len() + 1 > WIDTH {
                self.next(1);
            }
            let continues = self.is_new() && before.is_some();
            if continues {
                self.depth += 1;
            }
            self.indent();
            if continues {
                self.depth -= 1;
            } else if before.is_some_and(|before| {
                has_blank(before, token, before_of(list, index)) || joins(before.kind, &written, &text)
            }) {
                self.out.push(' ');
            }
            self.out.push_str(&text);
            before = Some(token);
            written = text;
        }
    }

    fn column(&self) -> usize {
        let line = past(&self.out, self.start);
        line.len() + 3 * line.bytes().take_while(|byte| *byte == b'\t').count()
    }
}

/// A text in which no carriage return stands in front of a line feed; any number of them may have been there.
pub(super) fn broken_by_line_feeds(text: &str) -> Cow<'_, str> {
    if !text.contains('\r') {
        return text.into();
    }
    let mut out = String::new();
    for piece in text.split_inclusive('\n') {
        match piece.strip_suffix('\n') {
            Some(line) => out.extend([line.trim_end_matches('\r'), "\n"]),
            None => out.push_str(piece),
        }
    }
    out.into()
}

/// The token in front of the one in front of an index.
fn before_of<'a, 't>(list: &'a [Token<'t>], index: usize) -> Option<&'a Token<'t>> {
    list.get(..index)?.iter().rev().filter(|token| !token.is_comment()).nth(1)
}

/// Returns true if a blank stands between two tokens. `first` is the one in front of them.
fn has_blank(before: &Token<'_>, token: &Token<'_>, first: Option<&Token<'_>>) -> bool {
    let operator = |token: &Token<'_>| {
        token.kind == Kind::Mark && !matches!(token.text, "," | ";" | ":" | "(" | ")" | "[" | "]" | "{" | "}" | "=")
    };
    if token.is(",") || token.is(";") || token.is(":") || token.is(")") || token.is("]") || token.is("}") {
        return false;
    }
    if before.is("(") || before.is("[") || before.is("{") || operator(before) {
        return false;
    }
    if operator(token) {
        // A sign.
        return before.is(",") || before.is("=");
    }
    if before.is("=") && token.is("=") {
        return false;
    }
    if before.is("=") || token.is("=") {
        // `a == b` has a sign of two characters; so has `a <= b`.
        return !first.is_some_and(|first| first.is("=") && before.is("="));
    }
    if token.is("[") {
        return before.kind == Kind::Mark && !before.is("]");
    }
    if token.is("(") {
        let called = before.kind == Kind::Word || before.kind == Kind::Number;
        return !called && !matches!(before.text, ".attribute" | ".unified");
    }
    true
}

/// A token in its canonical form: integers are decimal, floats are their bits.
fn normal<'t>(token: &Token<'t>, next: Option<&Token<'_>>) -> Cow<'t, str> {
    // `0xff00(name)` takes bytes of an address, which is easier to see in its own form; so is an unsigned number.
    if token.kind != Kind::Number || next.is_some_and(|next| next.is("(")) || token.text.ends_with('U') {
        return token.text.into();
    }
    match number(token.text) {
        Ok(("", Number::Signed(value))) => value.to_string().into(),
        Ok(("", Number::Unsigned(value))) => value.to_string().into(),
        Ok(("", Number::Single(bits))) => format!("0f{bits:08X}").into(),
        Ok(("", Number::Double(value))) => format!("0d{:016X}", value.to_bits()).into(),
        _ => token.text.into(),
    }
}
