//! The editing API.
//!
//! New instructions are built from typed parts ([`Code`](crate::Code)), or written as PTX text where what is written is a text already
//! ([`Kernel::fragment`](crate::Kernel::fragment)). Changes to the order of statements are collected in a [`Patch`], whose positions all refer to
//! the kernel as it was, and take effect together ([`Kernel::apply`](crate::Kernel::apply)).
//!
//! No edit leaves a kernel that does not print, or whose print reads as something else: what would is refused with
//! [`Error::Edit`], and the kernel is as it was. Three things make sure of it:
//!
//! - [`grammar`]: an operand is taken only where the grammar has a text that reads as that operand;
//! - [`visible`]: a name is taken only where it means what the id says;
//! - `verify`: after a patch, the whole kernel is looked at. That costs a pass over it, as the patch itself does.

mod apply;
mod grammar;
mod module;
mod names;
mod operands;
mod patch;
mod positions;
mod rename;
mod scopes;
mod splice;
mod visible;

use rustc_hash::FxHashMap;

pub use patch::Patch;
pub use splice::SpliceError;

use crate::entities::{Reg, Symbol};
use crate::error::Error;
use crate::index::NameIndex;
use crate::stmt::{Origin, Stmt, StmtKind};
use visible::Visible;

/// What was added to a kernel and has to be declared when it is printed, and what edits remember from one to the next.
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
    /// What every instruction can mention, once an edit needed it and until statements change.
    visible: Option<Box<Visible>>,
    /// Statements with a text of their own, by the number of their origin.
    texts: FxHashMap<u64, (StmtKind, Box<str>)>,
    /// Statements of the source that were removed, by the place where their text begins.
    removed: FxHashMap<u32, Stmt>,
    /// How many statements have a text of their own.
    pub(crate) homes: u64,
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

/// The refusal of an edit.
pub(crate) fn refused(message: impl Into<String>, help: &str) -> Error {
    Error::Edit { message: message.into(), help: Some(help.to_owned()).filter(|help| !help.is_empty()) }
}
