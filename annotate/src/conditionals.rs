//! Preprocessor conditionals: which branch a token stands in, and which branches count for the shape of the code.
//!
//! nvcc sees one branch of each `#if`; this crate sees the text and does not know which one. It keeps them all as long
//! as each balances its brackets by itself. Where they do not, as in
//!
//! ```text
//! #ifdef WIDE
//!   for (int i = 0; i < n; i += 2) {
//! #else
//!   for (int i = 0; i < n; ++i) {
//! #endif
//!   }
//! ```
//!
//! only the first branch is kept, because the text with both has no shape at all. A branch that never compiles
//! (`#if 0`, the `#else` of `#if 1`) is left alone altogether.

/// The branch a token or line stands in; equal numbers mean that the same conditionals decide about both.
pub(crate) type Group = u32;

struct Frame {
    /// What holds outside the conditional.
    outer: (Group, bool),
    /// Some branch so far is known to be taken, so that the others never compile.
    taken: bool,
    /// Bracket depth at the `#if`, the least depth in this branch, and the depth behind the first live branch.
    entry: i64,
    least: i64,
    after_first: Option<i64>,
    least_of_all: i64,
    unbalanced: bool,
    live_branches: usize,
    /// Numbers of tokens and lines at the end of the first live branch.
    first_end: Option<(usize, usize)>,
}

/// What is to be forgotten at an `#endif`: tokens and lines from these numbers on.
pub(crate) type Cut = (usize, usize);

/// Follows the conditionals while a file is read from top to bottom.
#[derive(Default)]
pub(crate) struct Conditionals {
    frames: Vec<Frame>,
    groups: Group,
    group: Group,
    skipping: bool,
    depth: i64,
}

impl Conditionals {
    pub(crate) fn group(&self) -> Group {
        self.group
    }

    /// Inside a branch that never compiles.
    pub(crate) fn skipping(&self) -> bool {
        self.skipping
    }

    /// Inside any conditional, so that nvcc may or may not see what is here.
    pub(crate) fn conditional(&self) -> bool {
        !self.frames.is_empty()
    }

    /// Counts a bracket: `1` for an opening one, `-1` for a closing one.
    pub(crate) fn bracket(&mut self, step: i64) {
        self.depth += step;
        if let Some(frame) = self.frames.last_mut() {
            frame.least = frame.least.min(self.depth);
        }
    }

    /// Takes one preprocessor line (without comments); `read` are the numbers of tokens and lines before it.
    pub(crate) fn line(&mut self, text: &str, read: Cut) -> Option<Cut> {
        let text = text.trim_start().strip_prefix('#')?.trim_start();
        let word = text.split(|c: char| !c.is_ascii_alphabetic()).next()?;
        let condition = text[word.len()..].trim();
        match word {
            "if" | "ifdef" | "ifndef" => self.begin(word == "if", condition),
            "elif" | "elifdef" | "elifndef" => {
                self.end_branch(read);
                self.next_branch(word == "elif", condition);
            }
            "else" => {
                self.end_branch(read);
                self.next_branch(false, "");
            }
            "endif" => {
                self.end_branch(read);
                return self.end();
            }
            _ => {}
        }
        None
    }

    fn begin(&mut self, literal: bool, condition: &str) {
        self.frames.push(Frame {
            outer: (self.group, self.skipping),
            taken: false,
            entry: self.depth,
            least: self.depth,
            after_first: None,
            least_of_all: self.depth,
            unbalanced: false,
            live_branches: 0,
            first_end: None,
        });
        self.next_branch(literal, condition);
    }

    fn next_branch(&mut self, literal: bool, condition: &str) {
        let Some(frame) = self.frames.last_mut() else { return };
        self.groups += 1;
        self.group = self.groups;
        let never = literal && matches!(condition, "0" | "false");
        self.skipping = frame.outer.1 || frame.taken || never;
        frame.taken |= literal && matches!(condition, "1" | "true");
        frame.live_branches += usize::from(!self.skipping);
        frame.least = frame.entry;
        self.depth = frame.entry;
    }

    fn end_branch(&mut self, read: Cut) {
        let Some(frame) = self.frames.last_mut() else { return };
        if self.skipping {
            return;
        }
        frame.unbalanced |= frame.least < frame.entry || self.depth != frame.entry;
        if frame.first_end.is_none() {
            frame.first_end = Some(read);
            frame.after_first = Some(self.depth);
            frame.least_of_all = frame.least;
        }
    }

    fn end(&mut self) -> Option<Cut> {
        let frame = self.frames.pop()?;
        (self.group, self.skipping) = frame.outer;
        self.depth = frame.after_first.unwrap_or(frame.entry);
        if let Some(outer) = self.frames.last_mut() {
            outer.least = outer.least.min(frame.least_of_all);
        }
        if frame.unbalanced && frame.live_branches > 1 { frame.first_end } else { None }
    }
}
