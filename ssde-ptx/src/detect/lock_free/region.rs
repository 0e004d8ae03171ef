//! The loops that are executed: natural ones, and cycles of other shapes that are entered at one block.

use analysis::{Analyses, Block, Loop};
use cranelift_entity::EntitySet;

use crate::detect::loops::Cycle;

/// A loop with one entry.
pub(super) struct Region {
    /// The block at which it is entered.
    pub(super) header: Block,
    pub(super) blocks: Vec<Block>,
    members: EntitySet<Block>,
    /// The natural loops in it, without itself.
    pub(super) inner: Vec<Loop>,
}

impl Region {
    /// The region of a natural loop.
    pub(super) fn of_loop(facts: &Analyses, id: Loop) -> Region {
        Region::of(facts, facts.loops.header(id), facts.loops.blocks(id))
    }

    /// The region of a cycle of another shape; `None` if it has several entries.
    pub(super) fn of_cycle(facts: &Analyses, cycle: &Cycle) -> Option<Region> {
        match cycle.entries.as_slice() {
            &[header] => Some(Region::of(facts, header, cycle.blocks(facts))),
            _ => None,
        }
    }

    fn of(facts: &Analyses, header: Block, blocks: &[Block]) -> Region {
        let mut members = EntitySet::new();
        members.extend(blocks.iter().copied());
        let mut inner: Vec<Loop> = blocks.iter().filter_map(|&block| facts.loops.innermost(block)).collect();
        inner = inner.iter().flat_map(|&id| facts.loops.around(facts.loops.header(id))).collect();
        inner.sort_unstable();
        inner.dedup();
        inner.retain(|&id| {
            facts.loops.header(id) != header && facts.loops.blocks(id).iter().all(|&block| members.contains(block))
        });
        Region { header, blocks: blocks.to_vec(), members, inner }
    }

    /// Returns true if a block belongs to it.
    pub(super) fn contains(&self, block: Block) -> bool {
        self.members.contains(block)
    }

    /// The loop in it that is entered at a block.
    pub(super) fn inner_at(&self, facts: &Analyses, header: Block) -> Option<Loop> {
        self.inner.iter().copied().find(|&id| facts.loops.header(id) == header)
    }
}
