//! The rows of registers that a warp of a kernel needs, and which of them hold constants.

use ptx_parser::Special;

use super::storage::GlobalId;

/// The file that a tagged row number refers to.
pub(crate) const TAG: u32 = 3 << 30;
/// A row of 64-bit values.
pub(crate) const TAG64: u32 = 1 << 30;
/// A predicate.
pub(crate) const TAG_PRED: u32 = 2 << 30;

/// The row number without its tag.
pub(crate) fn untagged(operand: u32) -> u32 {
    operand & !TAG
}

/// The register file of a kernel.
#[derive(Clone, Default)]
pub(crate) struct Registers {
    /// Rows of each file, registers and constants alike.
    pub(crate) rows32: u32,
    pub(crate) rows64: u32,
    pub(crate) preds: u32,
    /// The rows that hold constants.
    pub(crate) consts32: Vec<(u32, Source)>,
    pub(crate) consts64: Vec<(u32, Source)>,
    pub(crate) const_preds: Vec<(u32, u32)>,
    /// Registers that may be read before they are written, and therefore start as zero in every block.
    pub(crate) zero32: Vec<u32>,
    pub(crate) zero64: Vec<u32>,
    pub(crate) zero_preds: Vec<u32>,
}

/// The value of a constant row, which is known at the launch at the latest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Source {
    /// The same bits in all lanes.
    Bits(u64),
    /// The address of a module variable, by number, plus an offset.
    Global(GlobalId, i64),
    /// Bytes of the parameter block: offset, size, whether the sign is extended.
    Param(u64, u32, bool),
    /// A special register that stays the same while a block runs.
    Special(Special),
}
