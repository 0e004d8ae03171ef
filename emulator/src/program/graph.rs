//! The analyses of the block graph that the decoder needs: where lanes reconverge, and which registers may be read
//! before they are written.
//!
//! Both are computed on the decoded blocks and not on the kernel, because calls are expanded by then.

use cranelift_entity::{EntityRef, EntitySet, PrimaryMap, SecondaryMap};
use fixedbitset::FixedBitSet;
use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{Dfs, VisitMap};
use smallvec::{SmallVec, smallvec};

use super::code::{Block, BlockId, Blocks, ENTRY, End, NO_BLOCK, Switches};

/// The blocks that a block may go to; an exit is none.
pub(crate) fn successors(end: &End, switches: &Switches) -> SmallVec<[BlockId; 2]> {
    match end {
        End::Jump(next) | End::ExitIf { next, .. } | End::Barrier { next, .. } | End::Sync { next, .. } => {
            smallvec![*next]
        }
        End::Branch { taken, next, .. } => smallvec![*taken, *next],
        End::Switch { table, .. } | End::Call { table, .. } | End::Return { table, .. } => {
            switches[*table].iter().copied().collect()
        }
        End::Exit | End::Trap => SmallVec::new(),
    }
}

/// The immediate postdominator of every block; [`NO_BLOCK`] where only the exit is.
///
/// Blocks from which no exit can be reached (an endless loop) get an edge to it, so that they have postdominators too. A trap is no
/// exit: it ends the launch, and lanes that are not on their way to it meet as if it were not there.
pub(crate) fn meeting_points(blocks: &Blocks, switches: &Switches) -> PrimaryMap<BlockId, BlockId> {
    let node = |block: BlockId| NodeIndex::new(block.index());
    // The graph is built reversed: postdominators are dominators from the exit, which is the node behind the blocks.
    let mut reversed = DiGraph::<(), ()>::with_capacity(blocks.len() + 1, 2 * blocks.len());
    for _ in blocks.keys() {
        reversed.add_node(());
    }
    let exit = reversed.add_node(());
    for (id, block) in blocks {
        // Where lanes meet within a function does not depend on what calls in it do: a call is a step, a return an end.
        let nexts = match block.end {
            End::Call { after, .. } => smallvec![after],
            End::Return { .. } => SmallVec::new(),
            _ => successors(&block.end, switches),
        };
        for next in nexts {
            reversed.add_edge(node(next), node(id), ());
        }
        if matches!(block.end, End::Exit | End::ExitIf { .. } | End::Return { .. }) {
            reversed.add_edge(exit, node(id), ());
        }
    }
    let mut reached = Dfs::empty(&reversed);
    let mut reach = |reversed: &DiGraph<(), ()>, from: NodeIndex| {
        let is_new = !reached.discovered.is_visited(&from);
        reached.move_to(from);
        while reached.next(reversed).is_some() {}
        is_new
    };
    reach(&reversed, exit);
    for (id, _) in blocks.iter().filter(|(_, block)| matches!(block.end, End::Trap)) {
        reach(&reversed, node(id));
    }
    for id in blocks.keys().rev() {
        if reach(&reversed, node(id)) {
            reversed.add_edge(exit, node(id), ());
        }
    }
    let dominators = simple_fast(&reversed, exit);
    let meeting = |id: BlockId| match dominators.immediate_dominator(node(id)) {
        Some(point) if point != exit => BlockId::new(point.index()),
        _ => NO_BLOCK,
    };
    blocks.keys().map(meeting).collect()
}

/// The blocks in which a barrier or an operation that lanes wait for is, or from which one may be come to.
pub(crate) fn may_meet(blocks: &Blocks, switches: &Switches) -> EntitySet<BlockId> {
    let mut before: SecondaryMap<BlockId, Vec<BlockId>> = SecondaryMap::new();
    for (id, block) in blocks {
        for next in successors(&block.end, switches) {
            before[next].push(id);
        }
    }
    let waits = |block: &Block| matches!(block.end, End::Barrier { .. } | End::Sync { .. });
    let mut meets = EntitySet::new();
    let mut work: Vec<BlockId> = blocks.iter().filter(|(_, block)| waits(block)).map(|(id, _)| id).collect();
    while let Some(id) = work.pop() {
        if meets.insert(id) {
            work.extend(&before[id]);
        }
    }
    meets
}

/// Returns some blocks and those from which every way leads to one of them.
pub(crate) fn leading_only_to(blocks: &Blocks, switches: &Switches, targets: EntitySet<BlockId>) -> EntitySet<BlockId> {
    let mut leads = targets;
    let mut changed = !leads.is_empty();
    while changed {
        changed = false;
        for (id, block) in blocks.iter().rev().filter(|(_, block)| !matches!(block.end, End::ExitIf { .. })) {
            let nexts = successors(&block.end, switches);
            let only = !nexts.is_empty() && nexts.iter().all(|&next| leads.contains(next));
            changed |= only && leads.insert(id);
        }
    }
    leads
}

/// Returns true if a block can be come to from another one.
pub(crate) fn reaches(blocks: &Blocks, switches: &Switches, from: BlockId, to: BlockId) -> bool {
    let mut seen = EntitySet::new();
    let mut work = vec![from];
    while let Some(block) = work.pop() {
        for next in successors(&blocks[block].end, switches) {
            if next == to {
                return true;
            }
            if seen.insert(next) {
                work.push(next);
            }
        }
    }
    false
}

/// One access of a block to a register row: the row's number over all files, and whether it is surely written.
pub(crate) type RowAccess = (u32, bool);

/// The rows that may be read before they are written, given each block's accesses in order. Kernels too large for the
/// analysis get all rows, which costs time and is never wrong.
pub(crate) fn read_before_written(
    blocks: &Blocks,
    switches: &Switches,
    accesses: &PrimaryMap<BlockId, Vec<RowAccess>>,
    rows: usize,
) -> Vec<u32> {
    if rows.div_ceil(64).saturating_mul(blocks.len()) > 1 << 22 {
        return (0..rows as u32).collect();
    }
    // Per block: rows read before a write in it, and rows written in it.
    let mut live: PrimaryMap<BlockId, FixedBitSet> = PrimaryMap::with_capacity(blocks.len());
    let mut written: PrimaryMap<BlockId, FixedBitSet> = PrimaryMap::with_capacity(blocks.len());
    for accesses in accesses.values() {
        let (mut reads, mut writes) = (FixedBitSet::with_capacity(rows), FixedBitSet::with_capacity(rows));
        for &(row, write) in accesses {
            if write {
                writes.insert(row as usize);
            } else if !writes.contains(row as usize) {
                reads.insert(row as usize);
            }
        }
        live.push(reads);
        written.push(writes);
    }
    let mut changed = true;
    while changed {
        changed = false;
        for (id, block) in blocks.iter().rev() {
            // A block that leads to itself learns nothing by that.
            let mut here = std::mem::take(&mut live[id]);
            for next in successors(&block.end, switches) {
                let (there, written) = (live[next].as_slice(), written[id].as_slice());
                for ((here, there), written) in here.as_mut_slice().iter_mut().zip(there).zip(written) {
                    let incoming = there & !written;
                    changed |= incoming & !*here != 0;
                    *here |= incoming;
                }
            }
            live[id] = here;
        }
    }
    live.get(ENTRY).into_iter().flat_map(FixedBitSet::ones).map(|row| row as u32).collect()
}
