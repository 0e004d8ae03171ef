//! The tokens of a PTX text and where its statements are, found without the parser: what tests the parser must not ask it.
//!
//! Only what a mutation needs is told apart, and only texts that ptxas accepts are read.

use std::ops::Range;

/// The class of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// A name, a register, a mnemonic, a word of a directive.
    Word,
    /// A word with dots in front: a directive, a modifier, a type.
    Dotted,
    /// Anything that begins with a digit.
    Number,
    /// A string, with its quotes.
    Text,
    /// One character.
    Mark(u8),
}

/// A token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Token {
    /// The token's class.
    pub(super) class: Class,
    /// Its bytes in the text.
    pub(super) span: Range<usize>,
    /// Its line, counted from 1.
    pub(super) line: u32,
    /// The number of braces that are open in front of it.
    pub(super) depth: usize,
}

impl Token {
    /// Returns true if it is this character.
    #[must_use]
    pub(super) fn is(&self, mark: u8) -> bool {
        self.class == Class::Mark(mark)
    }
}

/// Splits a text; comments and blanks are left out.
#[must_use]
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut list = Vec::new();
    let (mut at, mut line, mut depth) = (0, 1, 0usize);
    while at < bytes.len() {
        let (class, end) = next(text, at);
        if bytes[at] == b'}' {
            depth = depth.saturating_sub(1);
        }
        if let Some(class) = class {
            list.push(Token { class, span: at..end, line, depth });
        }
        if bytes[at] == b'{' {
            depth += 1;
        }
        line += bytes[at..end].iter().filter(|&&byte| byte == b'\n').count() as u32;
        at = end;
    }
    list
}

/// The token at a place and where it ends; no class for blanks and comments.
fn next(text: &str, at: usize) -> (Option<Class>, usize) {
    let bytes = text.as_bytes();
    let rest = &text[at..];
    let until = |stop: &dyn Fn(u8) -> bool| {
        bytes[at + 1..].iter().position(|&byte| stop(byte)).map_or(bytes.len(), |found| at + 1 + found)
    };
    let word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
    match bytes[at] {
        byte if byte.is_ascii_whitespace() => (None, at + 1),
        b'/' if rest.starts_with("//") => (None, until(&|byte| byte == b'\n')),
        b'/' if rest.starts_with("/*") => (None, rest.find("*/").map_or(bytes.len(), |end| at + end + 2)),
        b'"' => (Some(Class::Text), (until(&|byte| byte == b'"') + 1).min(bytes.len())),
        byte if byte.is_ascii_digit() => (Some(Class::Number), until(&|byte| !(word(byte) || byte == b'.'))),
        // `::` belongs to modifiers such as `.shared::cta`.
        b'.' => (Some(Class::Dotted), dotted_end(bytes, at)),
        byte if word(byte) || byte == b'%' => (Some(Class::Word), until(&|byte| !word(byte))),
        // Characters outside ASCII stand in comments and strings alone.
        byte => (Some(Class::Mark(byte)), at + rest.chars().next().map_or(1, char::len_utf8)),
    }
}

fn dotted_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while let Some(&byte) = bytes.get(end) {
        match byte {
            _ if byte.is_ascii_alphanumeric() || byte == b'_' => end += 1,
            b':' if bytes.get(end + 1) == Some(&b':') => end += 2,
            _ => break,
        }
    }
    end
}

/// The tokens between two ends of statements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Statement {
    /// Its tokens, by number; the semicolon is the last of them, if it has one.
    pub(super) tokens: Range<usize>,
    /// The number of the mnemonic's token, if it is an instruction.
    pub(super) mnemonic: Option<usize>,
    /// The tokens of each operand, if it is an instruction.
    pub(super) operands: Vec<Range<usize>>,
}

/// The statements of a text, labels among them.
#[must_use]
pub(super) fn statements(tokens: &[Token]) -> Vec<Statement> {
    let mut list = Vec::new();
    let mut first = 0;
    for (at, token) in tokens.iter().enumerate() {
        let label = token.is(b':') && at == first + 1 && token.depth > 0;
        // A vector among the operands is no scope: it stands behind other tokens of the statement.
        let scope = (token.is(b'{') || token.is(b'}')) && (at == first || token.depth == 0 || !in_body(&tokens[first]));
        if token.is(b';') || label {
            list.push(statement(tokens, first..at + 1));
            first = at + 1;
        } else if scope {
            if at > first {
                list.push(statement(tokens, first..at));
            }
            first = at + 1;
        }
    }
    list
}

fn in_body(first: &Token) -> bool {
    first.depth > 0
}

fn statement(tokens: &[Token], range: Range<usize>) -> Statement {
    let nothing = Statement { tokens: range.clone(), mnemonic: None, operands: Vec::new() };
    let mut at = range.start;
    let ends = tokens[range.end - 1].is(b';');
    if tokens[at].is(b'@') {
        at += if tokens.get(at + 1).is_some_and(|token| token.is(b'!')) { 3 } else { 2 };
    }
    if !ends || at >= range.end || tokens[at].class != Class::Word || tokens[at].depth == 0 {
        return nothing;
    }
    let mnemonic = at;
    at += 1;
    while tokens[at].class == Class::Dotted {
        at += 1;
    }
    let (mut operands, mut start, mut depth) = (Vec::new(), at, 0);
    for (index, token) in tokens.iter().enumerate().take(range.end).skip(at) {
        match token.class {
            Class::Mark(b'[' | b'{' | b'(') => depth += 1,
            Class::Mark(b']' | b'}' | b')') => depth -= 1,
            Class::Mark(b',' | b';') if depth == 0 && index > start => {
                operands.push(start..index);
                start = index + 1;
            }
            _ => {}
        }
    }
    Statement { tokens: range, mnemonic: Some(mnemonic), operands }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = ".entry k(.param .u64 p) // {\n{\n@!%p1 ld.shared::cta.v2.u32 {%r1, %r2}, [a+-4];\nL: ret;\n}\n";

    #[test]
    fn texts_are_split() {
        let tokens = tokens(TEXT);
        let shown: Vec<&str> = tokens.iter().map(|token| &TEXT[token.span.clone()]).collect();
        let expected = ".entry k ( .param .u64 p ) { @ ! %p1 ld .shared::cta .v2 .u32 { %r1 , %r2 } , \
                        [ a + - 4 ] ; L : ret ; }";
        assert_eq!(shown.join(" "), expected);
        let line = |word: &str| tokens[shown.iter().position(|shown| *shown == word).unwrap()].line;
        assert_eq!((line(".entry"), line("%r2"), line("ret")), (1, 3, 4));
    }

    #[test]
    fn statements_know_their_operands() {
        let tokens = tokens(TEXT);
        let show = |range: &Range<usize>| &TEXT[tokens[range.start].span.start..tokens[range.end - 1].span.end];
        let statements = statements(&tokens);
        let shown: Vec<&str> = statements.iter().map(|statement| show(&statement.tokens)).collect();
        let load = "@!%p1 ld.shared::cta.v2.u32 {%r1, %r2}, [a+-4];";
        assert_eq!(shown, [".entry k(.param .u64 p)", load, "L:", "ret;"]);
        let operands: Vec<&str> = statements[1].operands.iter().map(show).collect();
        assert_eq!(operands, ["{%r1, %r2}", "[a+-4]"]);
        assert!(statements[3].operands.is_empty());
    }
}
