//! The analyses of the block graph that the decoder needs: where lanes reconverge, and which registers may be read
//! before they are written.
//!
//! Both are computed on the decoded blocks and not on the kernel, because calls are expanded by then.

use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};
use smallvec::{SmallVec, smallvec};

use super::code::{Block, End, NO_BLOCK};

/// The blocks that a block may go to; an exit is none.
pub(crate) fn successors(end: &End, switches: &[Box<[u32]>]) -> SmallVec<[u32; 2]> {
    match end {
        End::Jump(next) | End::ExitIf { next, .. } | End::Barrier { next, .. } | End::Sync { next, .. } => {
            smallvec![*next]
        }
        End::Branch { taken, next, .. } => smallvec![*taken, *next],
        End::Switch { table, .. } | End::Call { table, .. } | End::Return { table, .. } => {
            switches[*table as usize].iter().copied().collect()
        }
        End::Exit | End::Trap => SmallVec::new(),
    }
}

/// The immediate postdominator of every block; [`NO_BLOCK`] where only the exit is.
///
/// Blocks from which no exit can be reached (an endless loop) get an edge to it, so that they have postdominators too. A trap is no
/// exit: it ends the launch, and lanes that are not on their way to it meet as if it were not there.
pub(crate) fn meeting_points(blocks: &[Block], switches: &[Box<[u32]>]) -> Vec<u32> {
    let exit = blocks.len();
    // The graph is built reversed: postdominators are dominators from the exit.
    let mut reversed = DiGraph::<(), ()>::with_capacity(exit + 1, 2 * exit);
    let nodes: Vec<NodeIndex> = (0..=exit).map(|_| reversed.add_node(())).collect();
    for (index, block) in blocks.iter().enumerate() {
        // Where lanes meet within a function does not depend on what calls in it do: a call is a step, a return an end.
        let nexts = match block.end {
            End::Call { after, .. } => smallvec![after],
            End::Return { .. } => SmallVec::new(),
            _ => successors(&block.end, switches),
        };
        for next in nexts {
            reversed.add_edge(nodes[next as usize], nodes[index], ());
        }
        if matches!(block.end, End::Exit | End::ExitIf { .. } | End::Return { .. }) {
            reversed.add_edge(nodes[exit], nodes[index], ());
        }
    }
    let mut reached = vec![false; exit + 1];
    let mark = |reversed: &DiGraph<(), ()>, reached: &mut Vec<bool>, from: NodeIndex| {
        let mut work = vec![from];
        while let Some(node) = work.pop() {
            if !std::mem::replace(&mut reached[node.index()], true) {
                work.extend(reversed.neighbors(node).filter(|next| !reached[next.index()]));
            }
        }
    };
    mark(&reversed, &mut reached, nodes[exit]);
    for (index, _) in blocks.iter().enumerate().filter(|(_, block)| matches!(block.end, End::Trap)) {
        mark(&reversed, &mut reached, nodes[index]);
    }
    for index in (0..exit).rev() {
        if !reached[index] {
            reversed.add_edge(nodes[exit], nodes[index], ());
            mark(&reversed, &mut reached, nodes[index]);
        }
    }
    let dominators = simple_fast(&reversed, nodes[exit]);
    let meeting = |index: usize| match dominators.immediate_dominator(nodes[index]) {
        Some(node) if node.index() != exit => node.index() as u32,
        _ => NO_BLOCK,
    };
    (0..exit).map(meeting).collect()
}

/// Per block, whether a barrier or an operation that lanes wait for is in it or may be come to from it.
pub(crate) fn may_meet(blocks: &[Block], switches: &[Box<[u32]>]) -> Vec<bool> {
    let mut before = vec![Vec::new(); blocks.len()];
    for (index, block) in blocks.iter().enumerate() {
        for next in successors(&block.end, switches) {
            before[next as usize].push(index);
        }
    }
    let waits = |block: &Block| matches!(block.end, End::Barrier { .. } | End::Sync { .. });
    let mut meets = vec![false; blocks.len()];
    let mut work: Vec<usize> = (0..blocks.len()).filter(|&index| waits(&blocks[index])).collect();
    while let Some(index) = work.pop() {
        if !std::mem::replace(&mut meets[index], true) {
            work.extend(&before[index]);
        }
    }
    meets
}

/// Returns some blocks and those from which every way leads to one of them, in their order.
pub(crate) fn leading_only_to(blocks: &[Block], switches: &[Box<[u32]>], targets: &[u32]) -> Vec<u32> {
    if targets.is_empty() {
        return Vec::new();
    }
    let mut leads = vec![false; blocks.len()];
    targets.iter().for_each(|&target| leads[target as usize] = true);
    let mut changed = true;
    while changed {
        changed = false;
        for index in (0..blocks.len()).rev().filter(|&index| !matches!(blocks[index].end, End::ExitIf { .. })) {
            let nexts = successors(&blocks[index].end, switches);
            let only = !nexts.is_empty() && nexts.iter().all(|&next| next != NO_BLOCK && leads[next as usize]);
            changed |= only && !std::mem::replace(&mut leads[index], true);
        }
    }
    (0..).zip(leads).filter(|&(_, leads)| leads).map(|(index, _)| index).collect()
}

/// Returns true if a block can be come to from another one.
pub(crate) fn reaches(blocks: &[Block], switches: &[Box<[u32]>], from: u32, to: u32) -> bool {
    let mut seen = vec![false; blocks.len()];
    let mut work = vec![from];
    while let Some(block) = work.pop() {
        for next in successors(&blocks[block as usize].end, switches) {
            if next == to {
                return true;
            }
            if !std::mem::replace(&mut seen[next as usize], true) {
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
    blocks: &[Block],
    switches: &[Box<[u32]>],
    accesses: &[Vec<RowAccess>],
    rows: usize,
) -> Vec<u32> {
    let words = rows.div_ceil(64);
    if words.saturating_mul(blocks.len()) > 1 << 22 {
        return (0..rows as u32).collect();
    }
    // Per block: rows read before a write in it, and rows written in it.
    let mut live = vec![vec![0u64; words]; blocks.len()];
    let mut written = vec![vec![0u64; words]; blocks.len()];
    for (block, accesses) in accesses.iter().enumerate() {
        for &(row, write) in accesses {
            let (word, bit) = (row as usize / 64, 1u64 << (row % 64));
            if write {
                written[block][word] |= bit;
            } else if written[block][word] & bit == 0 {
                live[block][word] |= bit;
            }
        }
    }
    let mut changed = true;
    while changed {
        changed = false;
        for block in (0..blocks.len()).rev() {
            for next in successors(&blocks[block].end, switches) {
                for word in 0..words {
                    let incoming = live[next as usize][word] & !written[block][word];
                    if incoming & !live[block][word] != 0 {
                        live[block][word] |= incoming;
                        changed = true;
                    }
                }
            }
        }
    }
    let entry = live.first().map(Vec::as_slice).unwrap_or_default();
    (0..rows as u32).filter(|&row| entry[row as usize / 64] >> (row % 64) & 1 != 0).collect()
}
