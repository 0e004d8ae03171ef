//! Blocks that are being made.

use std::ops::Range;

use crate::program::code::End;
use crate::program::graph::RowAccess;

/// A block that is being made.
pub(super) struct Draft {
    pub(super) ops: Range<u32>,
    pub(super) insts: Range<u32>,
    pub(super) weight: u32,
    pub(super) end: Option<End>,
    pub(super) accesses: Vec<RowAccess>,
}
