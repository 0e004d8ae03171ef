//! Finds the directives of a file as it is written, so that those can be named that the preprocessor leaves out.

use std::borrow::Cow;

use crate::directives;
use crate::error::{Error, Span};
use crate::lexer::{self, Lexed, LineKind, Token};
use crate::lines::Lines;

/// A directive in a file as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The file, as the preprocessor names it: a `#line` may have given it another name.
    pub file: String,
    /// The line, as the preprocessor counts it.
    pub line: usize,
    /// The line on which what it is an argument of begins, a macro perhaps, of which everything comes out on one line; otherwise its own.
    pub argument_of: usize,
}

/// Returns the directives of a file, whatever the preprocessor leaves of them. `name` is the file of lines without a `#line` above them. None are returned of
/// a file with a `#line` that only the preprocessor can read, because nobody knows what their lines are called.
#[must_use]
pub fn written(text: &str, name: &str) -> Vec<Written> {
    let text = &with_newlines(text);
    let mut places = Lines::of(text, name);
    let Lexed { tokens, lines, markers, .. } = lexer::lex(text, &places);
    if markers.iter().any(|marker| marker.file.as_ref().is_some_and(|file| file.contains('\\')))
        || lines.iter().any(|line| line.kind == LineKind::Preprocessor && is_computed(&line.visible))
    {
        return Vec::new();
    }
    places.follow(&markers);
    let mut errors = Vec::new();
    let found = directives::read(text, &lines, &places, &mut errors);
    let dropped = errors.iter().filter_map(|error| match error {
        Error::NotOnOwnLine { at } => Some((tokens.partition_point(|token| (token.start as usize) < at.start), *at)),
        _ => None,
    });
    let mut all: Vec<(usize, Span)> = found.iter().map(|(parsed, _)| (parsed.next, parsed.at)).chain(dropped).collect();
    all.sort();
    let mut calls = Calls { text, tokens: &tokens, done: 0, open: Vec::new() };
    let written = all.into_iter().map(|(next, at)| Written {
        file: places.name(at.file).to_owned(),
        line: at.position.line as usize,
        argument_of: calls.around(next).map_or(at.position.line as usize, |start| places.line(start)),
    });
    written.collect()
}

/// The text with a newline for each carriage return that has none: for GCC, such a line ends there.
fn with_newlines(text: &str) -> Cow<'_, str> {
    let lone = text.as_bytes().array_windows().any(|&[first, second]| first == b'\r' && second != b'\n');
    if lone { Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")) } else { Cow::Borrowed(text) }
}

/// Returns true for a `#line` whose operands are macros.
fn is_computed(line: &str) -> bool {
    line.trim_start().trim_start_matches('#').trim_start().starts_with("line")
}

/// The brackets around a token. Those of code that no compiler reads may lack partners.
struct Calls<'t> {
    text: &'t str,
    tokens: &'t [Token],
    done: usize,
    /// The brackets that are open: what closes each, and where the token before it begins.
    open: Vec<(&'static str, usize)>,
}

impl Calls<'_> {
    /// The first byte of the outermost call that token `at` is in. Tokens are asked for in their order.
    fn around(&mut self, at: usize) -> Option<usize> {
        for (index, token) in self.tokens.iter().enumerate().take(at).skip(self.done) {
            let before = self.tokens.get(index.saturating_sub(1)).unwrap_or(token).start as usize;
            match token.text(self.text) {
                "(" => self.open.push((")", before)),
                "{" => self.open.push(("}", before)),
                close @ (")" | "}") => {
                    let partner = self.open.iter().rposition(|(closes, _)| *closes == close);
                    partner.iter().for_each(|&partner| self.open.truncate(partner));
                }
                _ => {}
            }
        }
        self.done = self.done.max(at);
        self.open.iter().find(|(closes, _)| *closes == ")").map(|&(_, start)| start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_found_wherever_the_preprocessor_does_not_look() {
        let text = "#if 0\nit's no code )\n#CCC for\n#endif\nint f() {\n//#CCC if\n}\nWHOLE\n(a, [] { x();\n/*#CCC if*/ if\n})\n\"#CCC if\";\n// prose: #CCC if\n\
                    #line 70 \"g.h\"\n  #pragma CCC case\n";
        let found = written(text, "k.cu");
        let found: Vec<_> = found.iter().map(|one| (one.file.as_str(), one.line, one.argument_of)).collect();
        assert_eq!(found, [("k.cu", 3, 3), ("k.cu", 6, 6), ("k.cu", 10, 8), ("g.h", 70, 70)]);
        let lines = |text: &str| written(text, "k.cu").iter().map(|one| one.line).collect::<Vec<_>>();
        assert_eq!(lines("#line 5\n#CCC for\n#include <x> //#CCC if\n#endif // #CCC if in words is prose\n"), [5, 6]);
        assert_eq!(lines("// a\r//#CCC if\r\n#CCC for\n"), [2, 3]);
        assert_eq!(lines("#line LINE\n#CCC for\n"), [] as [usize; 0]);
    }
}
