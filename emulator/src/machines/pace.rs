//! How long warps and blocks run before others get their turn.

/// What a warp may run in one turn, in weights of blocks.
pub(crate) const QUANTUM: u32 = 2048;

/// What a block may run before the next resident one gets its turn, in weights of code blocks.
pub(crate) const SLICE: i64 = 1 << 18;
