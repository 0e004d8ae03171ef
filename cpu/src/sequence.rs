//! The order of blocks in which a warp in lockstep comes to them (Guo et al., Section V: sequence numbers).
//!
//! A block comes before those that it leads to, but for edges back to the header of a loop. The blocks of a loop are in one piece, so that what follows the loop comes
//! behind all of it. Where that leaves a choice, the order is that of the text.

use analysis::{Analyses, Block, Loop};
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashSet;

/// The position of each block in that order.
#[derive(Clone, Debug)]
pub(crate) struct Sequence {
    position: SecondaryMap<Block, usize>,
    /// The last position in each loop.
    last: SecondaryMap<Loop, usize>,
}

impl Sequence {
    /// Computes it.
    pub(crate) fn of(analyses: &Analyses) -> Sequence {
        let mut order = Vec::new();
        arrange(analyses, None, analyses.cfg.entry(), &mut order);
        let mut sequence = Sequence { position: SecondaryMap::with_default(usize::MAX), last: SecondaryMap::new() };
        for (position, &block) in order.iter().enumerate() {
            sequence.position[block] = position;
            for id in analyses.loops.around(block) {
                sequence.last[id] = position;
            }
        }
        sequence
    }

    /// The position of a block; that of one that is not reached is behind all others.
    pub(crate) fn position(&self, block: Block) -> usize {
        self.position[block]
    }

    /// The position of the last block of a loop.
    pub(crate) fn last(&self, id: Loop) -> usize {
        self.last[id]
    }
}

/// Appends the blocks of a loop, or all, in their order. Loops within are one node each.
fn arrange(analyses: &Analyses, within: Option<Loop>, header: Block, order: &mut Vec<Block>) {
    let (cfg, loops) = (&analyses.cfg, &analyses.loops);
    // The loop next in this one that holds a block.
    let child = |block: Block| loops.around(block).take_while(|&id| Some(id) != within).last();
    let holds = |block: Block| within.is_none_or(|id| loops.contains(id, block));
    let node = |block: Block| child(block).map_or(block, |id| loops.header(id));
    let next = |block: Block| -> Vec<Block> {
        let leaving: Vec<Block> = match child(block) {
            Some(id) => loops.exits(id).iter().map(|edge| edge.to).collect(),
            None => cfg.distinct_succs(block).into_vec(),
        };
        // The first in the text is visited last, and so comes first.
        let mut next: Vec<Block> = leaving.into_iter().filter(|&to| holds(to) && to != header).map(node).collect();
        next.sort_unstable();
        next.dedup();
        next
    };
    let mut seen: FxHashSet<Block> = FxHashSet::from_iter([header]);
    let mut left: Vec<Block> = Vec::new();
    // The header of the loop itself has a child only at the top of the kernel, where the entry may be a header.
    let mut work: Vec<(Block, Vec<Block>)> = vec![(header, next(header))];
    while let Some((block, rest)) = work.last_mut() {
        match rest.pop() {
            Some(to) if seen.insert(to) => work.push((to, next(to))),
            Some(_) => {}
            None => {
                left.push(*block);
                work.pop();
            }
        }
    }
    for &block in left.iter().rev() {
        match child(block) {
            Some(id) => arrange(analyses, Some(id), loops.header(id), order),
            None => order.push(block),
        }
    }
}
