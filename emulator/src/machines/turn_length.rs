//! The lengths of the turns of warps and blocks.

/// The length of a warp's turn, in weights of code blocks.
pub(crate) const QUANTUM: u32 = 2048;

/// The length of a block's slice, in weights of code blocks. After it the next resident block gets its turn.
pub(crate) const SLICE: i64 = 1 << 18;
