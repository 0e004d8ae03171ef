//! The kinds of mutations, and how one is made at a random place of a text.

use std::ops::Range;

use super::tokens::{Class, Statement, Token, statements, tokens};
use crate::generate::Random;

macro_rules! kinds {
    ($(#[doc = $doc:literal] $kind:ident = $name:literal,)*) => {
        /// The kind of change that is made to a text.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum Kind { $(#[doc = $doc] $kind,)* }

        impl Kind {
            /// All of them.
            pub const ALL: &[Kind] = &[$(Kind::$kind),*];

            /// As a report calls it.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Kind::$kind => $name,)* }
            }
        }
    };
}

kinds! {
    /// A comma is dropped.
    Comma = "comma dropped",
    /// A semicolon is dropped.
    Semicolon = "semicolon dropped",
    /// A brace is dropped.
    Brace = "brace dropped",
    /// A parenthesis is dropped.
    Parenthesis = "parenthesis dropped",
    /// A bracket is dropped.
    Bracket = "bracket dropped",
    /// An operand is dropped, with a comma beside it.
    Operand = "operand dropped",
    /// Any token is dropped.
    Token = "token dropped",
    /// Two neighbours change places.
    Swap = "tokens swapped",
    /// A register is replaced by one of another family of the same function.
    Register = "other register",
    /// A modifier is replaced by one that stands somewhere else.
    Modifier = "other modifier",
    /// A number is replaced.
    Number = "other number",
    /// A name is replaced by one that nobody declares.
    Name = "undeclared name",
    /// A label is dropped.
    Label = "label dropped",
    /// A declaration is written twice.
    Twice = "declared twice",
}

impl Kind {
    /// Those that drop something of the grammar.
    pub const DROPPED: &[Kind] = {
        use Kind::*;
        &[Comma, Semicolon, Brace, Parenthesis, Bracket, Operand, Token]
    };
}

/// One change of a text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mutation {
    /// The kind of change.
    pub kind: Kind,
    /// The line, in the mutated text, where it is wrong.
    pub line: u32,
    /// The bytes that are replaced.
    start: usize,
    end: usize,
    with: String,
}

impl Mutation {
    /// The mutated text.
    #[must_use]
    pub fn apply(&self, text: &str) -> String {
        format!("{}{}{}", &text[..self.start], self.with, &text[self.end..])
    }

    /// Returns what changed, on one line: `[add.s32 %r1, %r2] -> []`.
    #[must_use]
    pub fn describe(&self, text: &str) -> String {
        let short = |text: &str| {
            let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
            if line.chars().count() > 60 { line.chars().take(60).collect::<String>() + "…" } else { line }
        };
        format!("[{}] -> [{}]", short(&text[self.start..self.end]), short(&self.with))
    }
}

/// Numbers that are wrong in most places. None of them is an offset beyond 32 bits, which ptxas takes and the parser by design does not.
const NUMBERS: [&str; 9] = ["0", "3", "33", "-1", "1.5", "2147483647", "0f3F800000", "99999999999999999999", "0x"];

/// Directives whose statements declare something.
const DECLARATIONS: [&str; 9] =
    [".reg", ".shared", ".local", ".global", ".const", ".param", ".visible", ".extern", ".weak"];

/// A text whose tokens are known.
pub struct Source<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    statements: Vec<Statement>,
}

impl<'a> Source<'a> {
    /// Splits a text, which ptxas must accept.
    #[must_use]
    pub fn new(text: &'a str) -> Source<'a> {
        let tokens = tokens(text);
        let statements = statements(&tokens);
        Source { text, tokens, statements }
    }

    /// A mutation of a kind at a random place; `None` if the text has no place for it.
    pub fn mutate(&self, kind: Kind, random: &mut Random) -> Option<Mutation> {
        match kind {
            Kind::Comma => self.drop(kind, random, |token| token.is(b',')),
            Kind::Semicolon => self.drop(kind, random, |token| token.is(b';')),
            Kind::Brace => self.drop(kind, random, |token| token.is(b'{') || token.is(b'}')),
            Kind::Parenthesis => self.drop(kind, random, |token| token.is(b'(') || token.is(b')')),
            Kind::Bracket => self.drop(kind, random, |token| token.is(b'[') || token.is(b']')),
            Kind::Token => self.drop(kind, random, |_| true),
            Kind::Operand => self.operand(random),
            Kind::Swap => self.swap(random),
            Kind::Register => self.register(random),
            Kind::Modifier => self.modifier(random),
            Kind::Number => {
                let at = self.choose(random, |_, token| token.class == Class::Number)?;
                Some(self.replace(kind, at, *random.pick(&NUMBERS)))
            }
            Kind::Name => self.name(random),
            Kind::Label => self.label(random),
            Kind::Twice => self.twice(random),
        }
    }

    fn of(&self, at: usize) -> &'a str {
        &self.text[self.tokens[at].span.clone()]
    }

    /// One of the tokens that are wanted.
    fn choose(&self, random: &mut Random, wanted: impl Fn(usize, &Token) -> bool) -> Option<usize> {
        let places: Vec<usize> = (0..self.tokens.len()).filter(|&at| wanted(at, &self.tokens[at])).collect();
        (!places.is_empty()).then(|| *random.pick(&places))
    }

    fn replace(&self, kind: Kind, at: usize, with: impl Into<String>) -> Mutation {
        let Token { span, line, .. } = &self.tokens[at];
        Mutation { kind, line: *line, start: span.start, end: span.end, with: with.into() }
    }

    /// Replaces several tokens.
    fn replace_all(&self, kind: Kind, range: Range<usize>, with: impl Into<String>) -> Mutation {
        let end = self.tokens[range.end - 1].span.end;
        Mutation { end, ..self.replace(kind, range.start, with) }
    }

    fn drop(&self, kind: Kind, random: &mut Random, wanted: impl Fn(&Token) -> bool) -> Option<Mutation> {
        let at = self.choose(random, |_, token| wanted(token))?;
        // What stands on both sides must not become one token.
        Some(self.replace(kind, at, " "))
    }

    fn operand(&self, random: &mut Random) -> Option<Mutation> {
        let statements: Vec<&Statement> = self.statements.iter().filter(|inst| !inst.operands.is_empty()).collect();
        let inst = (!statements.is_empty()).then(|| *random.pick(&statements))?;
        let index = random.below(inst.operands.len() as u32) as usize;
        let Range { start, end } = inst.operands[index].clone();
        // Of several operands one goes with the comma behind it, the last one with that in front.
        let range = match index {
            _ if inst.operands.len() == 1 => start..end,
            0 => start..end + 1,
            _ => start - 1..end,
        };
        Some(self.replace_all(Kind::Operand, range, " "))
    }

    fn swap(&self, random: &mut Random) -> Option<Mutation> {
        let differ = |at: usize| at + 1 < self.tokens.len() && self.of(at) != self.of(at + 1);
        let at = self.choose(random, |at, token| differ(at) && self.tokens[at + 1].line == token.line)?;
        Some(self.replace_all(Kind::Swap, at..at + 2, format!("{} {}", self.of(at + 1), self.of(at))))
    }

    /// The tokens of the function around a token.
    fn function(&self, at: usize) -> Range<usize> {
        let outside = |token: &Token| token.depth == 0;
        let start = self.tokens[..at].iter().rposition(outside).unwrap_or(0);
        let end = self.tokens[at..].iter().position(outside).map_or(self.tokens.len(), |end| at + end);
        start..end
    }

    fn register(&self, random: &mut Random) -> Option<Mutation> {
        let family = |at: usize| self.of(at).trim_end_matches(|c: char| c.is_ascii_digit());
        let is_member = |at: usize| self.of(at).starts_with('%') && family(at) != self.of(at);
        let at = self.choose(random, |at, token| token.depth > 0 && is_member(at))?;
        let others: Vec<usize> = self.function(at).filter(|&o| is_member(o) && family(o) != family(at)).collect();
        (!others.is_empty()).then(|| self.replace(Kind::Register, at, self.of(*random.pick(&others))))
    }

    fn modifier(&self, random: &mut Random) -> Option<Mutation> {
        let mut places: Vec<usize> = Vec::new();
        for mnemonic in self.statements.iter().filter_map(|statement| statement.mnemonic) {
            places.extend((mnemonic + 1..self.tokens.len()).take_while(|&at| self.tokens[at].class == Class::Dotted));
        }
        if places.is_empty() {
            return None;
        }
        let (at, other) = (*random.pick(&places), *random.pick(&places));
        (self.of(at) != self.of(other)).then(|| self.replace(Kind::Modifier, at, self.of(other)))
    }

    fn name(&self, random: &mut Random) -> Option<Mutation> {
        let heads: Vec<usize> = self.statements.iter().filter_map(|statement| statement.mnemonic).collect();
        let at = self.choose(random, |at, token| {
            token.class == Class::Word && heads.binary_search(&at).is_err() && self.of(at) != "_"
        })?;
        Some(self.replace(Kind::Name, at, format!("{}_gone", self.of(at))))
    }

    fn label(&self, random: &mut Random) -> Option<Mutation> {
        let at = self.choose(random, |at, token| {
            token.class == Class::Word && token.depth > 0 && self.tokens.get(at + 1).is_some_and(|next| next.is(b':'))
        })?;
        // A list of branch targets has its name in front: what is left is another statement.
        Some(self.replace_all(Kind::Label, at..at + 2, " "))
    }

    fn twice(&self, random: &mut Random) -> Option<Mutation> {
        let declares = |statement: &&Statement| {
            let Range { start, end } = statement.tokens;
            let label = self.tokens[end - 1].is(b':');
            label || self.tokens[end - 1].is(b';') && DECLARATIONS.contains(&self.of(start))
        };
        let declarations: Vec<&Statement> = self.statements.iter().filter(declares).collect();
        let parameters: Vec<usize> = self.parameters().collect();
        let all = declarations.len() + parameters.len();
        if all == 0 {
            return None;
        }
        let chosen = random.below(all as u32) as usize;
        let (range, between) = match declarations.get(chosen) {
            Some(statement) => (statement.tokens.clone(), " "),
            None => {
                let start = parameters[chosen - declarations.len()];
                let end =
                    (start..self.tokens.len()).find(|&at| self.tokens[at].is(b',') || self.tokens[at].is(b')'))?;
                (start..end, ", ")
            }
        };
        let copy = &self.text[self.tokens[range.start].span.start..self.tokens[range.end - 1].span.end];
        // A copy of several lines moves its original, which is the one that is wrong, down.
        let lines = copy.bytes().filter(|&byte| byte == b'\n').count() as u32;
        let mutation = self.replace_all(Kind::Twice, range, format!("{copy}{between}{copy}"));
        Some(Mutation { line: mutation.line + lines, ..mutation })
    }

    /// Returns where the parameters of kernels and functions begin.
    fn parameters(&self) -> impl Iterator<Item = usize> {
        let begins = |at: usize| self.tokens[at].is(b'(') || self.tokens[at].is(b',');
        (1..self.tokens.len())
            .filter(move |&at| self.tokens[at].depth == 0 && self.of(at) == ".param" && begins(at - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = ".entry k(.param .u64 p)\n{\n.reg .b32 %r<3>;\n.reg .f32 %f<2>;\n\
                        L: @%p1 add.s32 %r1, %r2, 5;\nmov.f32 %f1, 0f00000000;\n}\n";

    /// All mutations of a kind that many seeds give.
    fn all(kind: Kind) -> Vec<String> {
        let source = Source::new(TEXT);
        let made = (0..200).filter_map(|seed| source.mutate(kind, &mut Random::new(seed)));
        let mut all: Vec<String> = made.map(|mutation| mutation.describe(TEXT)).collect();
        all.sort();
        all.dedup();
        all
    }

    #[test]
    fn each_kind_changes_what_it_says() {
        assert_eq!(all(Kind::Comma), ["[,] -> []"]);
        assert_eq!(all(Kind::Label), ["[L:] -> []"]);
        let operands = ["[%f1,] -> []", "[%r1,] -> []", "[, %r2] -> []", "[, 0f00000000] -> []", "[, 5] -> []"];
        assert_eq!(all(Kind::Operand), operands);
        assert_eq!(all(Kind::Twice)[0], "[.param .u64 p] -> [.param .u64 p, .param .u64 p]");
        assert!(all(Kind::Register).contains(&"[%f1] -> [%r2]".to_owned()));
        assert_eq!(all(Kind::Modifier), ["[.f32] -> [.s32]", "[.s32] -> [.f32]"]);
        assert!(all(Kind::Name).contains(&"[%r2] -> [%r2_gone]".to_owned()));
    }

    #[test]
    fn lines_are_those_of_the_mutated_text() {
        let source = Source::new(TEXT);
        let mut mutations = (0..50).filter_map(|seed| source.mutate(Kind::Number, &mut Random::new(seed)));
        let mutation = mutations.find(|mutation| &TEXT[mutation.start..mutation.end] == "5").unwrap();
        let line = mutation.apply(TEXT).lines().nth(mutation.line as usize - 1).unwrap().to_owned();
        assert!(line.starts_with("L: @%p1 add.s32 %r1, %r2, ") && !line.ends_with(", 5;"), "{line}");
    }
}
