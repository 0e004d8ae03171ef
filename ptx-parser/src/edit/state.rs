//! The additions of edits to a kernel, and what edits remember from one to the next.

use cranelift_entity::EntitySet;
use rustc_hash::FxHashMap;

use crate::entities::{Inst, Label, Reg, Symbol};
use crate::index::NameIndex;
use crate::stmt::{Origin, Stmt, StmtKind};

/// The additions to a kernel that must be declared when it is printed, and what edits remember from one to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edits {
    /// Registers that are declared at the top of the body.
    pub(crate) regs: Vec<Reg>,
    /// Variables that are declared there.
    pub(crate) variables: Vec<Symbol>,
    /// Performance directives that are added to the header, as text.
    pub(crate) directives: Vec<String>,
    /// The header, once an edit changed it.
    pub(crate) header: Option<Box<str>>,
    pub(crate) changed: bool,
    /// All names of the kernel, once an edit needed them.
    pub(crate) index: Option<Box<NameIndex>>,
    /// The names that every instruction can mention. `Some` from the first edit that needs them until statements change.
    pub(super) visible: Option<Box<Visible>>,
    /// Statements with a text of their own, by the number of their origin.
    pub(super) texts: FxHashMap<u64, (StmtKind, Box<str>)>,
    /// Statements of the source that were removed, by the place where their text begins.
    pub(super) removed: FxHashMap<u32, Stmt>,
    /// The number of statements that have a text of their own.
    pub(crate) homes: u64,
}

/// The names that every instruction of a body can mention ([`super::visible_names`]).
#[derive(Clone, Debug, Default)]
pub(crate) struct Visible {
    /// The instructions that stand in the body.
    pub(super) placed: EntitySet<Inst>,
    pub(super) regs: EntitySet<Reg>,
    pub(super) symbols: EntitySet<Symbol>,
    pub(super) labels: EntitySet<Label>,
    /// The number of registers there were. Later ones were made by edits, with names that nothing else has.
    pub(super) seen: usize,
}

impl Edits {
    /// A number for the next statement with a text of its own, beyond all places of a source text.
    pub(crate) fn next_home(&self) -> u64 {
        (1 << 32) + self.homes
    }

    /// Remembers statements that have a text of their own, so that a patch knows them.
    pub(crate) fn remember(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            if let Origin::Text(own) = &stmt.origin {
                self.texts.insert(own.number, (stmt.kind.clone(), own.text.clone()));
            }
        }
    }
}
