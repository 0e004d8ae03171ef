//! The errors in an annotated file, each with its place, its reason and a way to fix it.
//!
//! [`enum@Error`]'s `Display` is the message alone, so that a caller can set it in its own layout next to the source line;
//! [`Error::place`] says where and [`Error::help`] what to do about it.

use std::fmt;

use ptx_parser::{Located, Position};
use thiserror::Error;

/// A part of a user's file; `start..end` are byte offsets into the text that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// Index of the file in [`Unit::files`](crate::Unit::files).
    pub file: usize,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// The position of the first byte in its file.
    pub position: Position,
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.position.fmt(f)
    }
}

/// A reason why a file cannot be annotated. Every variant carries its span as `at`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Error {
    /// The word after `#CCC` names no directive.
    #[error("unknown CCC directive `{found}`")]
    UnknownDirective {
        /// The word.
        at: Span,
        /// Its text.
        found: String,
        /// The directive that was probably meant.
        meant: Option<&'static str>,
    },
    /// `#CCC` written in another case.
    #[error("`{found}` is not a directive: `CCC` is written in capitals")]
    WrongCase {
        /// The word.
        at: Span,
        /// Its text.
        found: String,
    },
    /// `#CCC` with nothing behind it.
    #[error("`#CCC` without a directive")]
    NoDirective {
        /// The `CCC`.
        at: Span,
    },
    /// A word that the directive does not know.
    #[error("`#CCC {directive}` has no option `{found}`")]
    UnknownOption {
        /// The option.
        at: Span,
        /// The directive's name.
        directive: &'static str,
        /// The option's text.
        found: String,
        /// The option that was probably meant.
        meant: Option<&'static str>,
    },
    /// A comment that looks like a directive and is none.
    #[error("`{found}` is not read as a directive")]
    NearMiss {
        /// The comment.
        at: Span,
        /// Its first line.
        found: String,
    },
    /// A directive in a comment in the definition of a macro.
    #[error("the preprocessor drops the comment with a CCC directive in the definition of `{name}`")]
    InDefinition {
        /// The definition.
        at: Span,
        /// The macro.
        name: String,
    },
    /// An option given twice.
    #[error("option `{option}` is given twice")]
    RepeatedOption {
        /// The second one.
        at: Span,
        /// Its name.
        option: &'static str,
    },
    /// `block(…)` with something else than a block size in it.
    #[error("`{found}` is not a block size")]
    BadBlock {
        /// The option.
        at: Span,
        /// The text in the parentheses, or the whole option where there are none.
        found: String,
    },
    /// `probability(…)` with something else than a share in it.
    #[error("`{found}` is not a probability")]
    BadProbability {
        /// The option.
        at: Span,
        /// The text in the parentheses, or the whole option where there are none.
        found: String,
    },
    /// `probability(…)` or `independent` for a loop that is no path of another one.
    #[error("`{option}` is for a path, and this loop is not one: its iterations are collected")]
    NoPath {
        /// The option.
        at: Span,
        /// Its name.
        option: &'static str,
    },
    /// `reduce(…)` with something else than accumulators in it.
    #[error("`{}` does not say what is reduced", if .found.is_empty() { "reduce" } else { .found.as_str() })]
    BadReduce {
        /// The option.
        at: Span,
        /// The part in the parentheses.
        found: String,
    },
    /// `#CCC reduce` above something else than a loop with `#CCC for`.
    #[error("`#CCC reduce` belongs to no loop with `#CCC for`")]
    ReduceAlone {
        /// The directive.
        at: Span,
    },
    /// `blocks(…)` with something else than a number of blocks in it.
    #[error("`{found}` is not a number of blocks")]
    BadBlocks {
        /// The option.
        at: Span,
        /// The text in the parentheses, or the whole option where there are none.
        found: String,
    },
    /// `#CCC grid` inside a statement of the kernel.
    #[error("#CCC grid stands inside a statement: it is about the whole kernel")]
    GridInside {
        /// The directive.
        at: Span,
    },
    /// The directive shares its line with code.
    #[error("a CCC directive must stand on a line of its own")]
    NotOnOwnLine {
        /// The directive.
        at: Span,
    },
    /// A directive in a comment, where the preprocessor makes something else of the source if it keeps comments.
    #[error(
        "the comment does not say what it is about: the preprocessor makes other code of the source if it keeps comments"
    )]
    Unplaced {
        /// The directive.
        at: Span,
    },
    /// `#CCC for` with no `for` statement behind it.
    #[error("#CCC for needs a for loop; found {found}")]
    NoLoop {
        /// The directive.
        at: Span,
        /// The text that is there instead.
        found: String,
    },
    /// `#CCC if` with no `if` statement behind it.
    #[error("#CCC if needs an if statement; found {found}")]
    NoIf {
        /// The directive.
        at: Span,
        /// The text that is there instead.
        found: String,
    },
    /// `#CCC case` with no case label behind it.
    #[error("#CCC case needs a `case` or `default` label; found {found}")]
    NoCase {
        /// The directive.
        at: Span,
        /// The text that is there instead.
        found: String,
    },
    /// `#CCC while` with no loop behind it.
    #[error("#CCC while needs a loop; found {found}")]
    NoSteps {
        /// The directive.
        at: Span,
        /// The text that is there instead.
        found: String,
    },
    /// `#CCC recursive` with no statement behind it.
    #[error("#CCC recursive needs the statement that calls the function; found {found}")]
    NoCall {
        /// The directive.
        at: Span,
        /// The text that is there instead.
        found: String,
    },
    /// `#CCC case` above a case that does nothing.
    #[error("#CCC case stands above a case without statements")]
    EmptyCase {
        /// The directive.
        at: Span,
    },
    /// `#CCC if` above a branch without statements, whose `else` has them.
    #[error("#CCC if stands above a branch without statements; its `else` is not marked")]
    EmptyIf {
        /// The directive.
        at: Span,
    },
    /// `#CCC if` above an `else`.
    #[error("#CCC if stands between a branch and its `else`")]
    BeforeElse {
        /// The directive.
        at: Span,
    },
    /// `#CCC if` above an `if constexpr`.
    #[error("#CCC if needs a branch at run time; `if {keyword}` is decided by the compiler")]
    CompileTimeIf {
        /// The directive.
        at: Span,
        /// `constexpr` or `consteval`.
        keyword: String,
    },
    /// A directive about a part of a loop, which no annotated loop encloses.
    #[error("#CCC {directive} stands in no loop with #CCC for, nor in a kernel with #CCC grid")]
    IfOutsideLoop {
        /// The directive.
        at: Span,
        /// `if`, `case`, `while` or `recursive`.
        directive: &'static str,
    },
    /// Two directives for one statement.
    #[error("the statement on line {target_line} has a CCC directive already")]
    Repeated {
        /// The second directive.
        at: Span,
        /// The statement's line.
        target_line: usize,
    },
    /// An opening bracket with no closing one.
    #[error("`{bracket}` is never closed")]
    Unclosed {
        /// The opening bracket.
        at: Span,
        /// Its text.
        bracket: String,
    },
    /// A closing bracket that closes nothing, or something else.
    #[error("`{bracket}` closes nothing that is open here")]
    Unopened {
        /// The closing bracket.
        at: Span,
        /// Its text.
        bracket: String,
    },
    /// `/*` with no `*/`.
    #[error("the comment is never closed")]
    UnterminatedComment {
        /// Its beginning.
        at: Span,
    },
    /// A string or character literal with no closing quote.
    #[error("the literal is never closed")]
    UnterminatedLiteral {
        /// Its beginning.
        at: Span,
    },
    /// Statements or brackets nested deeper than any compiler takes them.
    #[error("nested more than {limit} deep")]
    TooDeep {
        /// The place where the limit is passed.
        at: Span,
        /// The limit.
        limit: usize,
    },
    /// A file too large to be source text.
    #[error("{bytes} bytes of source are more than the {limit} that are looked through for directives")]
    TooLarge {
        /// The beginning of the file.
        at: Span,
        /// Its size.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
}

impl Located for Error {
    fn position(&self) -> Option<Position> {
        Some(self.span().position)
    }

    fn message(&self) -> String {
        self.to_string()
    }

    fn help(&self) -> Option<String> {
        Some(self.advice())
    }
}

impl Error {
    /// Returns what the problem is about.
    #[must_use]
    pub fn span(&self) -> Span {
        *self.clone().span_mut()
    }

    /// The same problem at the span that `change` makes of its own.
    pub(crate) fn moved(mut self, change: impl Fn(Span) -> Span) -> Error {
        let at = self.span_mut();
        *at = change(*at);
        self
    }

    fn span_mut(&mut self) -> &mut Span {
        match self {
            Self::UnknownDirective { at, .. }
            | Self::WrongCase { at, .. }
            | Self::NoDirective { at }
            | Self::UnknownOption { at, .. }
            | Self::RepeatedOption { at, .. }
            | Self::BadBlock { at, .. }
            | Self::BadBlocks { at, .. }
            | Self::BadReduce { at, .. }
            | Self::BadProbability { at, .. }
            | Self::NoPath { at, .. }
            | Self::ReduceAlone { at }
            | Self::GridInside { at }
            | Self::NotOnOwnLine { at }
            | Self::Unplaced { at }
            | Self::NoLoop { at, .. }
            | Self::NoIf { at, .. }
            | Self::NoCase { at, .. }
            | Self::NearMiss { at, .. }
            | Self::InDefinition { at, .. }
            | Self::EmptyIf { at }
            | Self::NoSteps { at, .. }
            | Self::NoCall { at, .. }
            | Self::EmptyCase { at }
            | Self::BeforeElse { at }
            | Self::CompileTimeIf { at, .. }
            | Self::IfOutsideLoop { at, .. }
            | Self::Repeated { at, .. }
            | Self::Unclosed { at, .. }
            | Self::Unopened { at, .. }
            | Self::UnterminatedComment { at }
            | Self::UnterminatedLiteral { at }
            | Self::TooDeep { at, .. }
            | Self::TooLarge { at, .. } => at,
        }
    }

    /// Returns what the user can do about it, as one sentence.
    fn advice(&self) -> String {
        match self {
            Self::UnknownDirective { meant: Some(word), .. } => format!("did you mean `#CCC {word}`?"),
            Self::UnknownDirective { meant: None, .. } | Self::NoDirective { .. } => {
                "write `#CCC for` above a loop, and `#CCC if`, `#CCC case` or `#CCC while` above a condition, a case or a loop in it".into()
            }
            Self::WrongCase { .. } => "did you mean `#CCC`?".into(),
            Self::UnknownOption { meant: Some(word), .. } => format!("did you mean `{word}`?"),
            Self::UnknownOption { directive: "for", .. } => {
                "the options are `const`, `block(N)` and `reduce(+:x)`, in a marked loop `probability(P)` too".into()
            }
            Self::UnknownOption { directive: "grid", .. } => "the options are `block(N)` and `blocks(N)`".into(),
            Self::UnknownOption { directive: "reduce", .. } => "write the directive without options".into(),
            Self::UnknownOption { .. } => "the options are `probability(P)` and `independent`".into(),
            Self::NearMiss { .. } => "write `//#CCC …`, `/*#CCC …*/` or `#pragma CCC …`, with nothing else in the comment".into(),
            Self::InDefinition { .. } => "write `_Pragma(\"CCC …\")` there".into(),
            Self::EmptyIf { .. } => "turn the condition around, so that the statements of the `else` are the branch that is marked".into(),
            Self::RepeatedOption { .. } => "write it once".into(),
            Self::BadBlock { .. } => {
                "write the largest number of threads per block of any launch, 1 to 1024: `block(256)`".into()
            }
            Self::BadProbability { .. } => {
                "write the share of the lanes that take the path in an iteration, more than 0 and at most 1: `probability(0.1)`".into()
            }
            Self::NoPath { .. } => "put it behind the `#CCC if`, `#CCC case` or `#CCC while` of a path in the loop".into(),
            Self::BadReduce { .. } => {
                "write the operator, one of + * min max & | ^, and the variable: `reduce(+:sum, max:largest)`".into()
            }
            Self::ReduceAlone { .. } => "put it right above or below the `#CCC for` of the loop".into(),
            Self::BadBlocks { .. } => "write how many blocks are to do the work of all: `blocks(528)`".into(),
            Self::GridInside { .. } => "put it in front of the kernel's first statement".into(),
            Self::Unplaced { .. } => "write the directive as a pragma: `#pragma CCC …`".into(),
            Self::NotOnOwnLine { .. } => "move it to the line above the loop or the condition".into(),
            Self::NoLoop { .. } => {
                "put the directive on the line above a `for`; write other loops as `for (; condition; )`, and mark one inside it with `#CCC while`".into()
            }
            Self::NoIf { .. } => "put the directive on the line above the `if`".into(),
            Self::NoCase { .. } => "put the directive on the line above the label, inside the `switch`".into(),
            Self::NoSteps { .. } => "put the directive on the line above a `while`, `do` or `for`".into(),
            Self::NoCall { .. } => "put the directive on the line above the call, in the marked loop".into(),
            Self::EmptyCase { .. } => "remove the directive, or put it above the case that has the statements".into(),
            Self::BeforeElse { .. } => {
                "mark the `if` and leave its `else` alone, or write the condition of the `else` out as `else if`".into()
            }
            Self::CompileTimeIf { .. } => "remove the directive: no warp diverges here".into(),
            Self::IfOutsideLoop { .. } => {
                "put `#CCC for` above the loop whose iterations are to be collected, in the same function; without such a loop a kernel can have `#CCC grid` (a helper function cannot)".into()
            }
            Self::Repeated { .. } => "remove one of the two directives".into(),
            Self::Unclosed { .. } => "close it".into(),
            Self::Unopened { .. } => "remove it".into(),
            Self::UnterminatedComment { .. } => "close it with `*/`".into(),
            Self::UnterminatedLiteral { .. } => "close it with the quote that it began with".into(),
            Self::TooDeep { .. } => "move the inner part to a function of its own".into(),
            Self::TooLarge { .. } => "move the kernel with the directives to a file of its own".into(),
        }
    }
}
