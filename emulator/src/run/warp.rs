//! The state of a warp, as data.

use cranelift_entity::{PrimaryMap, entity_impl};

use crate::exec::lanes::{Row32, Row64, lanes};
use crate::exec::op::Ctx;

/// The number of a warp in its block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct WarpId(u32);
entity_impl!(WarpId, "warp");

/// The warps of a block.
pub(crate) type Warps<M> = PrimaryMap<WarpId, Warp<M>>;

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

/// A row of a file by its number without the tag. The decoder numbers the rows of each file from 0 on, and the files of a warp have as
/// many as it has numbered: see [`Registers`](crate::program::registers::Registers).
#[inline(always)]
pub(crate) fn row<T>(file: &[T], number: u32) -> &T {
    &file[number as usize]
}

/// As [`row`], to write to it.
#[inline(always)]
pub(crate) fn row_mut<T>(file: &mut [T], number: u32) -> &mut T {
    &mut file[number as usize]
}

/// The lanes of a mask with their values in a row, the lowest first.
#[inline(always)]
pub(crate) fn values<T: Copy>(row: &[T; 32], mask: u32) -> impl Iterator<Item = (usize, T)> {
    lanes(mask).filter_map(|lane| Some((lane, *row.get(lane)?)))
}

/// The words of a 32-bit row.
#[inline(always)]
pub(crate) fn words<'c>(ctx: &'c Ctx<'_>, number: u32) -> &'c [u32; 32] {
    &row(ctx.r32, number).0
}
