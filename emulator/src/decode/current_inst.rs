//! The instruction that is being decoded.

use crate::program::code::BlockId;

/// The space that an access goes to, once parameters and locals are told apart.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Global,
    Constant,
    Shared,
    Local,
    Generic,
}

/// The instruction that is being decoded.
#[derive(Default)]
pub(super) struct Current {
    /// The number of rows of each file before the instruction.
    pub(super) rows_before: [u32; 3],
    /// It needs no op.
    pub(super) left_out: bool,
    /// The block at which lanes continue if their guard does not hold.
    pub(super) pending: Option<BlockId>,
    /// The memory that it accesses.
    pub(super) target: Option<Target>,
    /// The numbers of the rows that it reads.
    pub(super) reads: Vec<u32>,
    /// The numbers of the rows that it writes.
    pub(super) writes: Vec<u32>,
}
