//! Finds directives in comments: in a second output of the preprocessor, which keeps comments, and from there in the first one, which has none.
//!
//! ```text
//! with comments                         without
//! # 7 "k.cu"                            # 8 "k.cu"
//! //#CCC for
//! for (int i = 0; i < n; ++i)           for (int i = 0; i < n; ++i)
//! ^ k.cu, first inclusion, line 8, first token there
//! ```
//!
//! The second output is one of two. The quick one (`-fdirectives-only`) has comments, but macros stand as they are written: a directive is led to the first
//! token of the line behind it. In the arguments of a macro there is none, because all that a macro expands to is from one line. The other one (`-C`) has
//! macros expanded, so that tokens are counted. There, a line that begins with a comment is no directive of the preprocessor, which can change
//! what is behind it. Where the tokens behind a directive differ, it is not placed.

use std::collections::HashMap;

use crate::brackets::Code;
use crate::directives::{self, Parsed};
use crate::error::{Error, Span};
use crate::lexer::{self, LineKind, Token, TokenKind};
use crate::lines::Lines;

/// So many tokens behind a directive are compared.
const COMPARED: usize = 8;

/// A line of one inclusion of a file.
type Origin<'a> = (&'a str, usize, usize);

/// A preprocessor's output with comments.
#[derive(Debug, Clone, Copy)]
pub struct Commented<'c> {
    /// The text.
    pub text: &'c str,
    /// True if macros are expanded in it.
    pub expanded: bool,
}

/// Reads the directives in the comments of `commented`, and finds the tokens of `code` that they stand in front of.
pub(crate) fn read(
    Commented { text: commented, expanded }: Commented<'_>,
    name: &str,
    code: &Code<'_>,
    places: &mut Lines<'_>,
    errors: &mut Vec<Error>,
) -> Vec<(Parsed, bool)> {
    let mut theirs = Lines::of(commented, name);
    let lexed = lexer::lex(commented, &theirs);
    theirs.follow(&lexed.markers);
    let comments: Vec<_> = lexed.lines.into_iter().filter(|line| line.kind != LineKind::Preprocessor).collect();
    let mut mistakes = Vec::new();
    let mut found = directives::read(commented, &comments, &theirs, &mut mistakes);
    let starts: Vec<usize> = lexed.tokens.iter().map(|token| token.start as usize).collect();
    let text = |token: &Token| token.text(commented);
    // The token behind each directive: its line, and how many of that line stand before it.
    let wanted: Vec<Option<(Origin<'_>, usize)>> =
        found.iter().map(|(parsed, _)| anchor(&starts, parsed.next, &theirs)).collect();
    let mut lines: HashMap<Origin<'_>, Vec<usize>> =
        wanted.iter().flatten().map(|(origin, _)| (*origin, Vec::new())).collect();
    for (token, origin) in origins((0..code.len()).map(|token| code.start(token)), places) {
        if let Some(tokens) = lines.get_mut(&origin) {
            tokens.push(token);
        }
    }
    let mut placed = Vec::new();
    for ((mut parsed, joins), wanted) in found.drain(..).zip(wanted) {
        let there = match wanted {
            Some((origin, order)) => lines.get(&origin).and_then(|tokens| tokens.get(order)).copied(),
            None => Some(code.len()),
        };
        let same = |token: usize| {
            if !expanded {
                let behind = lexed.tokens.get(parsed.next);
                let is_macro = behind.is_some_and(|token| token.kind == TokenKind::Word);
                return wanted.is_none_or(|(_, order)| order == 0)
                    && (is_macro || behind.map(text).unwrap_or_default() == code.text(token));
            }
            let behind = lexed.tokens.iter().skip(parsed.next).take(COMPARED).map(text);
            behind.enumerate().all(|(offset, text)| code.text(token + offset) == text)
        };
        match there.filter(|&token| same(token)) {
            Some(token) => {
                parsed.next = token;
                parsed.ranges.clear();
                placed.push((parsed, joins));
            }
            None => mistakes.push(Error::Unplaced { at: parsed.at }),
        }
    }
    // Files have numbers of their own in each output.
    let files: Vec<usize> = theirs.files().iter().map(|file| places.number(file)).collect();
    let here = |at: Span| Span { file: files.get(at.file).copied().unwrap_or_default(), ..at };
    errors.extend(mistakes.into_iter().map(|error| error.moved(here)));
    placed.iter_mut().for_each(|(parsed, _)| {
        parsed.at = here(parsed.at);
        parsed.probability = parsed.probability.map(|(share, at)| (share, here(at)));
    });
    placed
}

/// The line that a token is from, and how many tokens of that line stand before it; `None` behind the last token.
fn anchor<'l>(starts: &[usize], token: usize, lines: &'l Lines<'_>) -> Option<(Origin<'l>, usize)> {
    let (before, behind) = starts.split_at_checked(token)?;
    let origin = lines.origin(*behind.first()?);
    // Tokens of a line stand together but for those of an inclusion between them.
    let before = before.iter().rev().take_while(|&&start| lines.origin(start) == origin).count();
    Some((origin, before))
}

/// Each token with the line that it is from.
fn origins<'l>(starts: impl Iterator<Item = usize>, lines: &'l Lines<'_>) -> impl Iterator<Item = (usize, Origin<'l>)> {
    let (mut end, mut origin) = (0, ("", 0, 0));
    starts.enumerate().map(move |(token, start)| {
        if start >= end {
            (origin, end) = (lines.origin(start), lines.end_of_line(start));
        }
        (token, origin)
    })
}
