//! The state of a warp, as data.

use crate::exec::lanes::{Row32, Row64};

/// One warp.
pub(crate) struct Warp<M> {
    pub(crate) machine: M,
    pub(crate) r32: Vec<Row32>,
    pub(crate) r64: Vec<Row64>,
    pub(crate) preds: Vec<u32>,
    /// Local memory, lane after lane.
    pub(crate) local: Vec<u64>,
    /// Warp instructions issued.
    pub(crate) clock: u64,
    /// Nanoseconds of `nanosleep`.
    pub(crate) slept: u64,
    /// The lanes that have run since the block was looked at last, if it is watched; see `verdict/progress.rs`.
    pub(crate) ran: u32,
}
