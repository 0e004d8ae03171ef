//! The tables of what an op has no room for: operand lists, and the forms of rare instructions.

use ptx_parser::Type;

use super::video::Form;

/// The tables that ops index.
#[derive(Clone, Default)]
pub(crate) struct Tables {
    /// Operand lists of instructions with more operands than an op holds.
    pub(crate) lists: Vec<u32>,
    pub(crate) video: Vec<Form>,
    /// The rare atomics.
    pub(crate) rare: Vec<RareForm>,
    /// The asynchronous copies.
    pub(crate) copies: Vec<Copy>,
}

/// The operation of the atomic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rare {
    Add,
    Min,
    Max,
    Exchange,
    Compare,
}

/// A rare atomic: the elements' type, how many there are, and where their rows are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RareForm {
    pub(crate) action: Rare,
    pub(crate) ty: Type,
    pub(crate) count: u32,
}

/// An address: a tagged row and an offset.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    pub(crate) row: u32,
    pub(crate) offset: u64,
    /// In shared memory, else in global memory.
    pub(crate) shared: bool,
}

/// A copy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copy {
    pub(crate) to: Address,
    pub(crate) from: Address,
    /// Bytes written; 0 if `count` says it.
    pub(crate) bytes: u32,
    /// Row of the bytes that are copied; what is missing to `bytes` is zero. All if there is none.
    pub(crate) count: u32,
    /// Predicate operand: where it holds nothing is read.
    pub(crate) ignore: u32,
    /// The barrier object that is told.
    pub(crate) barrier: Option<Address>,
}
