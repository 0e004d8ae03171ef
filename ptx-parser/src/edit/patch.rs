//! A patch: what is to be done to the statements of a kernel, collected before any of it is done.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::entities::{Inst, Label};
use crate::stmt::Stmt;

/// Insertions and removals of statements; indices are those of [`Kernel::stmts`](crate::Kernel::stmts) before the patch.
///
/// [`Kernel::apply`](crate::Kernel::apply) carries it out, or refuses all of it.
#[derive(Clone, Debug, Default)]
pub struct Patch {
    pub(super) before: BTreeMap<usize, Vec<Stmt>>,
    pub(super) after: BTreeMap<usize, Vec<Stmt>>,
    pub(super) removed: BTreeSet<usize>,
    pub(super) targets: Vec<(Inst, Label)>,
}

impl Patch {
    /// An empty patch.
    #[must_use]
    pub fn new() -> Patch {
        Patch::default()
    }

    /// Returns true if it does nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.before.is_empty() && self.after.is_empty() && self.removed.is_empty() && self.targets.is_empty()
    }

    /// Inserts statements before the one at `index`, behind those that were inserted there earlier. An index that no statement
    /// has appends.
    pub fn insert_before(&mut self, index: usize, stmts: impl IntoIterator<Item = Stmt>) {
        self.before.entry(index).or_default().extend(stmts);
    }

    /// Inserts statements behind the one at `index`, behind those that were inserted there earlier. They stand before whatever is
    /// inserted before the next statement.
    pub fn insert_after(&mut self, index: usize, stmts: impl IntoIterator<Item = Stmt>) {
        self.after.entry(index).or_default().extend(stmts);
    }

    /// Appends statements to the body.
    pub fn append(&mut self, stmts: impl IntoIterator<Item = Stmt>) {
        self.insert_before(usize::MAX, stmts);
    }

    /// Removes the statement at `index`, with the comments before it and the one behind it on its line. To move a statement,
    /// remove it and insert a clone of it elsewhere: its comments go with it.
    pub fn remove(&mut self, index: usize) {
        self.removed.insert(index);
    }

    /// Removes a range of statements, such as [`Kernel::block`](crate::Kernel::block).
    pub fn remove_range(&mut self, range: Range<usize>) {
        self.removed.extend(range);
    }

    /// Puts statements in the place of a range.
    pub fn replace(&mut self, range: Range<usize>, stmts: impl IntoIterator<Item = Stmt>) {
        self.insert_before(range.start, stmts);
        self.remove_range(range);
    }

    /// Lets a direct branch go to another label, which may be one that the patch inserts.
    pub fn retarget(&mut self, inst: Inst, target: Label) {
        self.targets.push((inst, target));
    }
}
