//! Tokens with their brackets paired, which is what everything above reads the code through.

use crate::error::Error;
use crate::lexer::{Token, TokenKind};
use crate::lines::Lines;

/// The tokens of a file; reading past the end gives the empty text, so that callers need no bounds checks.
pub(crate) struct Code<'s> {
    source: &'s str,
    tokens: Vec<Token>,
    /// For a bracket, its partner; for every other token, itself.
    mates: Vec<u32>,
}

impl<'s> Code<'s> {
    /// Pairs the brackets of `tokens`.
    ///
    /// # Errors
    /// The first bracket that has no partner; what is behind it cannot be read.
    pub(crate) fn pair(source: &'s str, tokens: Vec<Token>, places: &Lines<'_>) -> Result<Self, Error> {
        let mates = (0..tokens.len() as u32).collect();
        let mut code = Self { source, tokens, mates };
        let mut open: Vec<usize> = Vec::new();
        for at in 0..code.len() {
            match code.text(at) {
                "(" | "[" | "{" => open.push(at),
                close @ (")" | "]" | "}") => match open.pop() {
                    Some(opener) if closing(code.text(opener)) == close => {
                        code.join(opener, at);
                        code.join(at, opener);
                    }
                    _ => {
                        let (start, end) = (code.start(at), code.end(at));
                        return Err(Error::Unopened { at: places.span(start, end), bracket: close.into() });
                    }
                },
                _ => {}
            }
        }
        match open.pop() {
            None => Ok(code),
            Some(at) => Err(Error::Unclosed {
                at: places.span(code.start(at), code.end(at)),
                bracket: code.text(at).to_owned(),
            }),
        }
    }

    /// Makes `partner` that of the bracket at `at`.
    fn join(&mut self, at: usize, partner: usize) {
        if let Some(mate) = self.mates.get_mut(at) {
            *mate = partner as u32;
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.tokens.len()
    }

    pub(crate) fn text(&self, at: usize) -> &'s str {
        self.tokens.get(at).map_or("", |token| token.text(self.source))
    }

    /// The token before `at`, or the empty text.
    pub(crate) fn before(&self, at: usize) -> &'s str {
        at.checked_sub(1).map_or("", |at| self.text(at))
    }

    pub(crate) fn kind(&self, at: usize) -> Option<TokenKind> {
        self.tokens.get(at).map(|t| t.kind)
    }

    pub(crate) fn is_word(&self, at: usize) -> bool {
        self.kind(at) == Some(TokenKind::Word)
    }

    /// A name: a word that is no keyword of statements or operators.
    pub(crate) fn is_name(&self, at: usize) -> bool {
        self.is_word(at) && !is_keyword(self.text(at))
    }

    /// First byte of a token.
    pub(crate) fn start(&self, at: usize) -> usize {
        self.tokens.get(at).map_or(self.source.len(), |t| t.start as usize)
    }

    /// One past the last byte of a token.
    pub(crate) fn end(&self, at: usize) -> usize {
        self.tokens.get(at).map_or(self.source.len(), |t| t.end as usize)
    }

    /// The partner of the bracket at `at`.
    pub(crate) fn mate(&self, at: usize) -> usize {
        self.mates.get(at).map_or(at, |&mate| mate as usize)
    }

    /// The token behind the `>` that closes the `<` at `at`; `None` where it is a comparison.
    pub(crate) fn behind_angles(&self, at: usize, end: usize) -> Option<usize> {
        let mut depth = 0usize;
        let mut i = at;
        while i < end {
            match self.text(i) {
                "<" => depth += 1,
                ">" => depth = depth.saturating_sub(1),
                ">>" => depth = depth.saturating_sub(2),
                "(" | "[" => i = self.mate(i),
                ";" | "{" | "}" => return None,
                _ => {}
            }
            i += 1;
            if depth == 0 {
                return Some(i);
            }
        }
        None
    }
}

fn closing(open: &str) -> &'static str {
    match open {
        "(" => ")",
        "[" => "]",
        _ => "}",
    }
}

/// Words after which an operand may follow, and which therefore are none themselves.
pub(crate) fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "return"
            | "case"
            | "else"
            | "do"
            | "throw"
            | "goto"
            | "co_return"
            | "co_yield"
            | "co_await"
            | "new"
            | "delete"
            | "sizeof"
            | "if"
            | "for"
            | "while"
            | "switch"
            | "operator"
            | "typedef"
            | "using"
            | "try"
            | "catch"
            | "and"
            | "or"
            | "not"
    )
}
