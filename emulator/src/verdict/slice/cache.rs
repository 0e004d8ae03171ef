//! The slices that one host thread has computed. Warps that spin execute the same few blocks again and again, turn after turn, and
//! computing a slice costs as much as many turns.

use std::cell::RefCell;
use std::sync::Arc;

use cranelift_entity::{EntityRef, EntitySet};
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use super::{Slice, Unknown};
use crate::observe::local_accesses::Touched;
use crate::program::Program;
use crate::program::code::BlockId;

/// The most slices that are kept. A launch that needs more of them does not come back to the same blocks.
const CAPACITY: usize = 256;

/// Slices of one program by the blocks for which they hold, all for one version of [`Touched`].
#[derive(Debug, Default)]
pub(crate) struct Slices(RefCell<Known>);

#[derive(Debug, Default)]
struct Known {
    version: Option<u64>,
    by_blocks: FxHashMap<FixedBitSet, Result<Arc<Slice>, Unknown>>,
}

impl Slices {
    /// Returns [`Slice::of`] the blocks that were executed.
    pub(crate) fn of(
        &self,
        program: &Program,
        executed: impl Iterator<Item = BlockId>,
        touched: Option<&Touched>,
    ) -> Result<Arc<Slice>, Unknown> {
        let mut known = self.0.borrow_mut();
        let version = touched.map(|touched| touched.version);
        if known.version != version || known.by_blocks.len() >= CAPACITY {
            *known = Known { version, by_blocks: FxHashMap::default() };
        }
        let mut blocks = FixedBitSet::with_capacity(program.code.blocks.len());
        executed.for_each(|block| blocks.insert(block.index()));
        if let Some(slice) = known.by_blocks.get(&blocks) {
            return slice.clone();
        }
        let mut executed = EntitySet::with_capacity(program.code.blocks.len());
        executed.extend(blocks.ones().map(BlockId::new));
        let slice = Slice::of(program, &executed, touched).map(Arc::new);
        known.by_blocks.insert(blocks, slice.clone());
        slice
    }
}
