//! CCC directives in CUDA source, turned into markers that reach the PTX.
//!
//! A user names a loop and the divergent branch in it (CCC paper, Section 5):
//!
//! ```text
//! #CCC for const
//! for (int v = threadIdx.x + blockIdx.x * blockDim.x; v < n; v += gridDim.x * blockDim.x) {
//!   #CCC if
//!   if (levels[v] == current) visit(v);
//! }
//! ```
//!
//! A loop may have several marked branches, one after the other or as `else if`s, and `#CCC case` above the label of a case marks the
//! statements of that case. `#CCC while` marks a loop inside the loop, and `#CCC recursive` a call in it, that are run step by step; so does
//! `#CCC for` where nothing in its own loop is marked. [`annotate`] replaces the lines by inline assembler around the loop and in the branch. In the PTX each
//! marker is a comment on a line of its own between `// begin inline asm` and `// end inline asm`:
//!
//! ```text
//! //#CCC for_begin ID [const] [block N] [reduce OP:NAME]… line L
//! //#CCC for_end ID
//! //#CCC if_begin ID loop LID line L [probability P] [ctx %r20]
//! //#CCC if_end ID
//! //#CCC step_begin ID loop LID [for] line L [probability P] [ctx %r21]
//! //#CCC recursive_begin ID loop LID line L [probability P]
//! //#CCC step_end ID
//! //#CCC part NAME [ctx %r20]
//! //#CCC grid ID [block N] [blocks N] line L
//! ```
//!
//! `ID` counts the directives of the file from 1; `LID` is the `ID` of the loop that the branch is in, or of the kernel's
//! `grid`; `L` is the user's line of the `for`, `if` or `grid`; `ctx` names the register that holds the branch's own copy of the loop variable,
//! where it has one; `P` says how probable it is that a lane takes the branch, `for` that the steps are independent of each other. `part` stands where a marked path of a loop with accumulators begins and ends: the compiler cannot see through it,
//! so that it neither computes an accumulator in the path from what it was elsewhere, nor moves an update out. nvcc may copy markers when it inlines or clones code, so a reader pairs them per instance.
//!
//! [`without_directives`] puts nothing in their places: what nvcc compiles then is what a user has before.
//!
//! The steps, one file each: `lexer` (with `conditionals`) makes tokens, `brackets` pairs them, `parser`,
//! `statements` and `scopes` find loops, conditions and functions, `directives` reads the directive lines, `place`
//! finds their statements, `pin` decides about the copy, `mark` says what goes where, `emit` writes the text.

mod brackets;
mod conditionals;
mod directives;
mod emit;
mod error;
mod lexer;
mod lines;
mod mark;
mod parser;
mod pin;
mod place;
mod scopes;
mod statements;
mod tree;

use brackets::Code;
use emit::Edits;
pub use error::{Error, Place};
use lexer::Lexed;
use lines::Lines;
use parser::{DEPTH_LIMIT, TooDeep};
use pin::Pins;
use place::Site;

/// Source beyond this size is generated data; a file with directives is looked at as a whole, at some 16 times its size.
const SIZE_LIMIT: usize = 64 << 20;

/// An annotated file.
#[derive(Debug, Clone, PartialEq)]
pub struct Annotated {
    /// What nvcc is to compile: [`prologue_lines`](Self::prologue_lines) lines, the last of which is
    /// `#line 1 "file"`, then the user's file line by line.
    pub text: String,
    /// Number of lines before the user's first one.
    pub prologue_lines: usize,
    /// The directives in source order.
    pub directives: Vec<Directive>,
}

/// What a directive is about.
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
    /// Which directive.
    pub kind: Kind,
    /// Its number in the markers.
    pub id: u32,
    /// The line of the directive.
    pub line: usize,
    /// The column of the directive.
    pub column: usize,
    /// The line of the statement that it marks.
    pub target_line: usize,
    /// The largest block size, from `block(N)`.
    pub block: Option<u32>,
    /// How probable it is that a lane takes the marked path in an iteration, from `probability(P)`: more than 0, at most 1.
    pub probability: Option<f64>,
    /// The accumulators of a loop, each as `operator:name`, from `reduce(…)`.
    pub reduce: Vec<String>,
    /// For a directive about a part of a marked loop, `#CCC for` among them: the number of that loop.
    pub loop_id: Option<u32>,
    /// The loop variable that the marked branch has a copy of; for a loop that is run in steps, its own one that its body has.
    pub copied: Option<String>,
    /// What the user may want to know.
    pub notes: Vec<Note>,
}

/// Something that was done to the user's text beyond what the directive says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The line it is about.
    pub line: usize,
    /// The column it is about.
    pub column: usize,
    /// One sentence.
    pub message: String,
}

/// Replaces the CCC directives in `source` by markers. `file_name` is how messages of nvcc will name the file.
///
/// A file without directives only gets its `#line`, whatever else is in it.
///
/// # Errors
/// Everything that is wrong with the directives of the file, in source order.
pub fn annotate(source: &str, file_name: &str) -> Result<Annotated, Vec<Error>> {
    annotate_from(source, file_name, 1)
}

/// The same for one of several files that are compiled together: its directives are numbered from `first`, so that no two of them share a number.
///
/// # Errors
/// As [`annotate`].
pub fn annotate_from(source: &str, file_name: &str, first: u32) -> Result<Annotated, Vec<Error>> {
    replaced(source, (file_name, first), Instead::Markers)
}

/// Takes the directives out of `source`, so that nvcc compiles what there is without them: empty lines stand in their places, and the pragmas that
/// markers would replace stay. The directives are read and numbered as by [`annotate_from`].
///
/// # Errors
/// As [`annotate`].
pub fn without_directives(source: &str, file_name: &str, first: u32) -> Result<Annotated, Vec<Error>> {
    replaced(source, (file_name, first), Instead::Nothing)
}

/// What stands in the places of directives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Instead {
    Markers,
    Nothing,
}

fn replaced(source: &str, (file_name, first): (&str, u32), instead: Instead) -> Result<Annotated, Vec<Error>> {
    let (mark, body) = match source.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", source),
    };
    let mut errors = Vec::new();
    let annotated = replaced_in_body(body, mark, (file_name, first, instead), &mut errors);
    if errors.is_empty() {
        return Ok(annotated);
    }
    errors.sort_by_key(Error::place);
    errors.dedup();
    Err(errors)
}

fn replaced_in_body(
    source: &str,
    mark: &str,
    (file_name, first, instead): (&str, u32, Instead),
    errors: &mut Vec<Error>,
) -> Annotated {
    let finish = |edits: Edits, directives: Vec<Directive>| {
        let prologue = emit::prologue(source, file_name, instead == Instead::Markers && !directives.is_empty());
        let prologue_lines = prologue.matches('\n').count();
        let text = edits.apply(source, &format!("{mark}{prologue}"));
        Annotated { text, prologue_lines, directives }
    };
    let untouched = || finish(Edits::default(), Vec::new());
    let candidate = source.match_indices('#').any(|(at, _)| lexer::looks_like_directive(&source[at..]));
    let operator = source.contains(directives::OPERATOR);
    if !candidate && !operator {
        return untouched();
    }
    let places = Lines::of(source);
    if source.len() > SIZE_LIMIT {
        errors.push(Error::TooLarge { at: places.place(0, 0), bytes: source.len(), limit: SIZE_LIMIT });
        return untouched();
    }
    let Lexed { tokens, lines, errors: lexical } = lexer::lex(source, &places);
    let parsed = directives::read(source, &lines, &places, errors);
    if parsed.is_empty() && errors.is_empty() && !operator {
        return untouched();
    }
    if !lexical.is_empty() {
        // What is behind an open literal or comment was not read as the user meant it.
        errors.extend(lexical);
        return untouched();
    }
    let device_macros = scopes::device_macros(source, &lines);
    let code = match Code::pair(source, tokens, &places) {
        Ok(code) => code,
        Err(error) => {
            errors.push(error);
            return untouched();
        }
    };
    directives::pragma_operators(&code, &places, errors);
    let tree = match parser::parse(&code, &device_macros) {
        Ok(tree) => tree,
        Err(TooDeep(at)) => {
            errors.push(Error::TooDeep { at: places.place(code.start(at), code.end(at)), limit: DEPTH_LIMIT });
            return untouched();
        }
    };
    let site = Site { code: &code, tree: &tree, lines: &lines, places: &places };
    let pins = Pins::of(source, &lines, &code, &tree);
    let (markers, directives) = mark::mark_all(source, (&site, &pins), &parsed, first, errors);
    let edits = match instead {
        Instead::Markers => markers,
        Instead::Nothing => mark::removed(source, &lines, &parsed),
    };
    finish(edits, directives)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_of_any_spelling_are_taken_out_and_lines_stay() {
        let source = "\u{feff}__global__ void k(int n, int *a, int sum) {\n  #CCC for \\\n    const\n  // #CCC reduce(+:sum)\n  #pragma unroll 4\n  \
                      for (int i = 0; i < n; ++i) {\r\n    #pragma CCC if /* over\n two lines */ // end\n    if (a[i]) sum += 1;\n  }\n}";
        let plain = "__global__ void k(int n, int *a, int sum) {\n  \n\n  \n  #pragma unroll 4\n  \
                     for (int i = 0; i < n; ++i) {\r\n    \n\n    if (a[i]) sum += 1;\n  }\n}";
        let taken = without_directives(source, "k.cu", 3).unwrap();
        assert_eq!(taken.text, format!("\u{feff}#line 1 \"k.cu\"\n{plain}"));
        assert_eq!(taken.prologue_lines, 1);
        assert_eq!(taken.directives, annotate_from(source, "k.cu", 3).unwrap().directives);
        assert_eq!(taken.directives.iter().map(|one| (one.id, one.line)).collect::<Vec<_>>(), [(3, 2), (4, 7)]);
        assert_eq!(without_directives("#CCC fro\n", "k.cu", 1), annotate("#CCC fro\n", "k.cu"));
        assert_eq!(without_directives("int x;\n", "k.cu", 1), annotate("int x;\n", "k.cu"));
    }
}
