//! CCC directives in CUDA source, turned into markers that reach the PTX.
//!
//! A user names a loop and the divergent branch in it (CCC paper, Section 5):
//!
//! ```text
//! //#CCC for const
//! for (int v = threadIdx.x + blockIdx.x * blockDim.x; v < n; v += gridDim.x * blockDim.x) {
//!   //#CCC if
//!   if (levels[v] == current) visit(v);
//! }
//! ```
//!
//! A loop may have several marked branches, one after the other or as `else if`s, and `#CCC case` above the label of a case marks the
//! statements of that case. `#CCC while` marks a loop inside the loop, and `#CCC recursive` a call in it, that are run step by step; so does
//! `#CCC for` where nothing in its own loop is marked. [`Unit::marked`] puts inline assembler around the loop and into the branch. In the PTX each
//! marker is a comment on a line of its own between `// begin inline asm` and `// end inline asm`:
//!
//! ```text
//! //#CCC for_begin ID [const] [block N] [reduce OP:NAME]… line L [parameters [*]NAME,…]
//! //#CCC for_end ID
//! //#CCC if_begin ID loop LID line L [probability P] [independent]
//! //#CCC if_end ID
//! //#CCC step_begin ID loop LID [for] line L [probability P] [independent]
//! //#CCC recursive_begin ID loop LID line L [probability P] [independent]
//! //#CCC step_end ID
//! //#CCC part NAME [ctx %r20]
//! //#CCC grid ID [block N] [blocks N] line L [parameters [*]NAME,…]
//! ```
//!
//! `ID` counts the directives of the translation unit from 1; `LID` is the `ID` of the loop that the branch is in, or of the kernel's
//! `grid`; `L` is the user's line of the `for`, `if` or `grid`; `P` says how probable it is that a lane takes the branch, `for` that the steps are
//! independent of each other, `independent` that the path touches no memory that what follows it in its iteration writes, or reads where the path
//! writes. `parameters` names those of the kernel in their order, with `*` those that are `__restrict__` pointers. `part` stands where a marked path of a loop with accumulators begins and ends, with the register that holds the
//! accumulator. nvcc may copy markers when it inlines or clones code, so a reader pairs them per instance.
//!
//! # What is read
//!
//! The preprocessor's output for the device, which the compiler reads next: macros are expanded, headers are in it, conditionals are decided, and
//! line markers say where everything is from. Pragmas are in it where they stand. Comments are not, so that they are found in a second output that
//! keeps them ([`Commented`]), and are led to the same tokens of the first one by file, inclusion, line and order. Only the first one is marked: comments
//! that are kept can change what a preprocessor does (GCC manual, `-C`).
//!
//! The steps, one file each: `lexer` makes tokens, `lines` says where they are from, `brackets` pairs them, `parser`,
//! `statements` and `scopes` find loops, conditions and functions, `directives` reads the directive lines, `comments` finds those in comments, `place`
//! finds their statements, `mark` decides where markers stand, `emit` writes the text.

#![warn(clippy::indexing_slicing, clippy::string_slice)]
#![cfg_attr(test, allow(clippy::indexing_slicing))]

mod brackets;
mod comments;
mod directives;
mod emit;
mod error;
mod lexer;
mod lines;
mod markers;
mod paper_spelling;
mod parameters;
mod parser;
mod placement;
mod scopes;
mod statements;
mod tree;
mod unprocessed;

use brackets::Code;
pub use comments::Commented;
pub use error::{Error, Span};
use lexer::{Lexed, Line, LineKind};
use lines::Lines;
use markers::Marked;
pub use paper_spelling::in_comments;
use parser::{DEPTH_LIMIT, TooDeep};
use placement::Site;
use tree::Tree;
pub use unprocessed::{Written, written};

/// Text beyond this size has offsets that do not fit.
const SIZE_LIMIT: usize = u32::MAX as usize;

/// A translation unit as the device compiler reads it, and its directives.
pub struct Unit<'s> {
    source: &'s str,
    code: Code<'s>,
    tree: Tree,
    lines: Vec<Line>,
    places: Lines<'s>,
    marked: Vec<Marked>,
    seen: Vec<Span>,
}

/// The construct that a directive marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// `#CCC for`: the loop whose iterations are collected.
    For {
        /// `const`: the loop has the same number of iterations for the whole warp.
        constant: bool,
    },
    /// `#CCC grid`: the kernel does the work of other blocks as well.
    Grid {
        /// `blocks(N)`: how many blocks do the work of all.
        blocks: Option<u32>,
    },
    /// `#CCC if`: a divergent branch.
    If,
    /// `#CCC case`: the statements of a case of a `switch`.
    Case,
    /// `#CCC while`: a loop in the marked loop, whose iterations are run step by step. `#CCC for` in a marked loop means the same.
    While,
    /// `#CCC recursive`: the call of a function that the compiler makes such a loop of.
    Recursive,
}

impl Kind {
    /// The word behind `#CCC`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::For { .. } => "for",
            Kind::Grid { .. } => "grid",
            Kind::If => "if",
            Kind::Case => "case",
            Kind::While => "while",
            Kind::Recursive => "recursive",
        }
    }
}

/// A directive and what became of it. Lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, PartialEq)]
pub struct Directive {
    /// The kind of directive.
    pub kind: Kind,
    /// Its number in the markers.
    pub id: u32,
    /// Index of its file in [`Unit::files`].
    pub file: usize,
    /// The line of the directive.
    pub line: usize,
    /// The column of the directive.
    pub column: usize,
    /// The line of the statement that it marks.
    pub target_line: usize,
    /// The largest block size, from `block(N)`.
    pub block: Option<u32>,
    /// The probability that a lane takes the marked path in an iteration, from `probability(P)`: more than 0, at most 1.
    pub probability: Option<f64>,
    /// The accumulators of a loop, each as `operator:name`, from `reduce(…)`.
    pub reduce: Vec<String>,
    /// `independent`: the marked path and what follows it in its iteration access no memory in common that either writes.
    pub independent: bool,
    /// For a directive about a part of a marked loop, `#CCC for` among them: the number of that loop.
    pub loop_id: Option<u32>,
    /// The function that it stands in, as in "`main`", if nothing says that it runs on the GPU.
    pub host_function: Option<String>,
}

/// A way to mark loops. The compiler decides differently about a loop that it may unroll; not every way leaves something that can be collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Marking {
    /// Marked loops are not unrolled, whatever pragmas above them say.
    Rolled,
    /// Marked loops are unrolled as they are without markers.
    AsWritten,
}

impl Marking {
    /// All, the one that mostly leaves the best code to collect from first.
    pub const ALL: [Marking; 2] = [Marking::Rolled, Marking::AsWritten];
}

/// The form of markers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options<'a> {
    /// The way to mark loops.
    pub marking: Marking,
    /// True if the compiler knows `__builtin_is_constant_evaluated` (as a GCC 9 or Clang 9), so that markers may stand in `constexpr` functions.
    pub constant_evaluation: bool,
    /// The numbers of loops that are left unmarked, with all that is marked in them.
    pub without: &'a [u32],
}

/// Returns true if a text may hold a directive, in any spelling. Takes bytes, because headers may be in any encoding.
#[must_use]
pub fn may_have_directives(text: &[u8]) -> bool {
    memchr::memchr_iter(b'#', text).any(|at| text.get(at..).is_some_and(lexer::may_be_directive))
}

/// Returns a preprocessor's output with blanks in the places of directives that are pragmas, byte for byte; `None` if there is none.
#[must_use]
pub fn without_pragmas(text: &str) -> Option<String> {
    if !may_have_directives(text.as_bytes()) {
        return None;
    }
    let lexed = lexer::lex(text, &Lines::of(text, ""));
    let is_pragma =
        |line: &&Line| line.kind == LineKind::Preprocessor && lexer::looks_like_directive(line.visible.trim_start());
    let pragmas: Vec<&Line> = lexed.lines.iter().filter(is_pragma).collect();
    let mut without = String::with_capacity(text.len());
    let mut done = 0;
    for line in &pragmas {
        without.push_str(text.get(done..line.start).unwrap_or_default());
        without.extend(line.text(text).chars().flat_map(|c| {
            std::iter::repeat_n(
                if c.is_whitespace() { c } else { ' ' },
                if c.is_whitespace() { 1 } else { c.len_utf8() },
            )
        }));
        done = line.end;
    }
    without.push_str(text.get(done..).unwrap_or_default());
    (!pragmas.is_empty()).then_some(without)
}

impl<'s> Unit<'s> {
    /// Reads what a preprocessor made of a source, `commented` being the same with comments if it was made too. `name` is the file of text without a
    /// line marker. The second value are the mistakes in directives; those directives are left out.
    ///
    /// # Errors
    /// The text is none that can be read: brackets do not match, or it is too large.
    pub fn read(
        source: &'s str,
        commented: Option<Commented<'_>>,
        name: &str,
    ) -> Result<(Unit<'s>, Vec<Error>), Error> {
        let mut places = Lines::of(source, name);
        if source.len() > SIZE_LIMIT {
            return Err(Error::TooLarge { at: places.span(0, 0), bytes: source.len(), limit: SIZE_LIMIT });
        }
        let Lexed { tokens, lines, markers, errors: lexical } = lexer::lex(source, &places);
        places.follow(&markers);
        // What is behind an open literal or comment was not read as the user meant it.
        if let Some(error) = lexical.into_iter().next() {
            return Err(error);
        }
        let code = Code::pair(source, tokens, &places)?;
        let tree = parser::parse(&code).map_err(|TooDeep(at)| Error::TooDeep {
            at: places.span(code.start(at), code.end(at)),
            limit: DEPTH_LIMIT,
        })?;
        let mut errors = Vec::new();
        let mut found = directives::read(source, &lines, &places, &mut errors);
        if let Some(commented) = commented {
            found.extend(comments::read(commented, name, &code, &mut places, &mut errors));
            // One that the first output has too was found there.
            found.sort_by_key(|(parsed, _)| (parsed.next, parsed.at));
            let place = |(parsed, alone): &(directives::Parsed, bool)| {
                (parsed.next, parsed.at.file, parsed.at.position.line, parsed.kind, *alone)
            };
            found.dedup_by(|other, one| one.0.ranges.len() + other.0.ranges.len() == 1 && place(one) == place(other));
        }
        let mut seen: Vec<Span> = found.iter().map(|(parsed, _)| parsed.at).collect();
        seen.extend(errors.iter().map(Error::span));
        let parsed = directives::join(found, &mut errors);
        let site = Site { code: &code, tree: &tree, lines: &lines, places: &places };
        let marked = markers::resolve(&site, &parsed, &mut errors);
        errors.sort_by_key(Error::span);
        errors.dedup();
        Ok((Unit { source, code, tree, lines, places, marked, seen }, errors))
    }

    /// The directives that mark something, in textual order.
    pub fn directives(&self) -> impl Iterator<Item = &Directive> {
        self.marked.iter().map(|marked| &marked.directive)
    }

    /// The places of all that was read as a directive, with and without mistakes.
    #[must_use]
    pub fn seen(&self) -> &[Span] {
        &self.seen
    }

    /// The names of the files that places are in.
    #[must_use]
    pub fn files(&self) -> &[String] {
        self.places.files()
    }

    /// The text with markers in the places of the directives, line by line.
    #[must_use]
    pub fn marked(&self, options: Options<'_>) -> String {
        let site = Site { code: &self.code, tree: &self.tree, lines: &self.lines, places: &self.places };
        let (edits, declarations) = markers::edits(&site, self.source, &self.marked, options);
        let text = edits.apply(self.source);
        if declarations.is_empty() { text } else { format!("{declarations}\n#line 1\n{text}") }
    }
}
