//! The data about scopes: the meaning of each name, the mentions of labels that wait for them, and the opcodes that were looked up.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::lexical::{Fail, broken};
use crate::entities::{Inst, Label, Opcode, Symbol};
use crate::opcode::OpcodeData;
use crate::table::Flow;

/// The result of a step that reads no text itself.
pub(super) type Done<T> = Result<T, nom::Err<Fail>>;

/// The meaning of a name, with the depth of the scope that declares it.
#[derive(Clone, Copy)]
pub(super) struct Meaning<T> {
    pub(super) depth: usize,
    pub(super) id: T,
}

/// Names that a scope declares, with what they meant outside.
pub(super) type Hidden<'a, T> = Vec<(&'a str, Option<Meaning<T>>)>;

pub(super) type Waiting<'a> = FxHashMap<&'a str, SmallVec<[Mention<'a>; 1]>>;

/// The labels of a scope.
#[derive(Default)]
pub(super) struct Labels<'a> {
    pub(super) defined: FxHashMap<&'a str, Label>,
    /// Mentions of labels that this scope or the ones closed in it have not defined.
    pub(super) waiting: Waiting<'a>,
}

/// A mention of a label whose scope is still open.
pub(super) struct Mention<'a> {
    /// The name where it stands, for messages.
    pub(super) at: &'a str,
    pub(super) user: User,
}

#[derive(Clone, Copy)]
pub(super) enum User {
    Operand(Inst, usize),
    Table(usize, usize),
}

/// A `.branchtargets` list: its statement and its labels, filled in when their scopes close.
pub(crate) struct Table {
    pub(crate) stmt: usize,
    pub(crate) labels: Vec<Option<Label>>,
}

/// The families of variables in scope, by prefix, innermost last. Hardly any text has one.
pub(super) type VariableFamilies<'a> = FxHashMap<&'a str, Vec<VariableFamily>>;

/// A declaration `x<4>`: four variables `x0` to `x3`, whose symbols have neighbouring numbers.
pub(super) struct VariableFamily {
    pub(super) depth: usize,
    pub(super) count: u32,
    pub(super) first: Symbol,
}

/// The properties of an opcode that are needed to read an instruction.
#[derive(Clone, Copy)]
pub(crate) struct Brief {
    pub(crate) opcode: Opcode,
    pub(crate) flow: Flow,
    /// True if it accesses memory.
    pub(crate) accesses: bool,
    /// True if it reads or writes the carry flag.
    pub(crate) carry: bool,
}

/// An opcode of the text, looked up in the table once, and its id in the last kernel that has it.
pub(super) struct KnownOpcode {
    pub(super) data: Arc<OpcodeData>,
    pub(super) brief: Brief,
    pub(super) kernel: u32,
}

pub(super) fn several(name: &str, what: &str) -> nom::Err<Fail> {
    broken(name, format!("several scopes have a {what} `{name}`"), Some("the name alone does not say which is meant"))
}

/// Puts back what names meant before a scope.
pub(super) fn restore<'a, T>(now: &mut FxHashMap<&'a str, Meaning<T>>, before: Hidden<'a, T>) {
    for (name, meaning) in before.into_iter().rev() {
        match meaning {
            Some(meaning) => now.insert(name, meaning),
            None => now.remove(name),
        };
    }
}
