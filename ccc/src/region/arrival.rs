//! The analysis of how the lanes of a warp reach the loop, and how all of them are kept together in it.
//!
//! The rewritten loop is executed by whole warps: lanes without an iteration of their own stay and help. So there must be a block that
//! whole warps execute (the *anchor*). From the anchor, every lane either goes to the loop or is *parked*. A parked lane enters the loop
//! without an iteration. When the loop is over, it goes where it wanted to go: behind the loop (the guard that a compiler puts before a
//! rotated loop), to the end of the kernel (`if (i >= n) return;`), or to other code for these lanes (`else`).
//!
//! A parked lane executes that code later than it could have. That matters only to a lane that waits for it. So a loop in which lanes wait
//! is refused if lanes are parked.

use analysis::{Block, Loop, LoopEdge};
use ptx_parser::KernelKind;

use crate::facts::Facts;
use crate::refusal::Refusal;
use crate::source_names::called;

/// The way into the loop.
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    /// The last block before the loop that whole warps execute; it dominates the loop.
    pub(crate) anchor: Block,
    /// Edges that skip the loop and now lead into it, without an iteration.
    pub(crate) parked: Vec<LoopEdge>,
    /// The blocks between the anchor and the loop. Parked lanes do not come through them.
    pub(crate) behind_anchor: Vec<Block>,
}

impl Arrival {
    pub(crate) fn of(facts: &Facts<'_>, marked_loop: Loop) -> Result<Arrival, Refusal> {
        if facts.kernel.kind() == KernelKind::Func {
            return Err(Refusal::Function { function: called(facts.kernel.name()) });
        }
        let header = facts.loops.header(marked_loop);
        let mut anchor = facts.dominators.idom(header);
        while let Some(block) = anchor.filter(|&block| !facts.divergence.is_whole_warp(block)) {
            anchor = facts.dominators.idom(block);
        }
        let Some(anchor) = anchor else {
            let what = "no block before it that whole warps execute".to_owned();
            return Err(Refusal::ControlFlow { what, at: facts.place(header) });
        };
        let between = between(facts, anchor, header);
        let divergent = between.iter().copied().find(|&block| facts.divergence.branch_is_divergent(block));
        let parked = match divergent {
            None => Vec::new(),
            Some(branch) => parked(facts, marked_loop, &between, branch)?,
        };
        let behind_anchor = between.into_iter().filter(|&block| block != anchor).collect();
        Ok(Arrival { anchor, parked, behind_anchor })
    }
}

/// The anchor and the blocks on the paths from it to the header.
fn between(facts: &Facts<'_>, anchor: Block, header: Block) -> Vec<Block> {
    let mut seen = cranelift_entity::EntitySet::new();
    let mut list = vec![anchor];
    seen.insert(anchor);
    seen.insert(header);
    // Backwards from the header: whatever reaches it without passing the anchor, which dominates it.
    let loop_preds = |block: Block| facts.cfg.preds(block).to_vec();
    let mut work: Vec<Block> = loop_preds(header);
    while let Some(block) = work.pop() {
        let inside = facts.loops.innermost(header).is_some_and(|innermost| facts.loops.contains(innermost, block));
        if inside || seen.contains(block) || !facts.cfg.is_reachable(block) {
            continue;
        }
        seen.insert(block);
        list.push(block);
        work.extend(loop_preds(block));
    }
    list.sort();
    list
}

/// The edges that skip the loop, if the lanes that take them can wait for it.
fn parked(facts: &Facts<'_>, marked_loop: Loop, between: &[Block], branch: Block) -> Result<Vec<LoopEdge>, Refusal> {
    let header = facts.loops.header(marked_loop);
    // An outer loop whose lanes leave apart would bring a part of the warp here again and again.
    let outer = facts.loops.parent(marked_loop);
    if between.iter().any(|&block| facts.loops.innermost(block) != outer) {
        let divergent = |block: &Block| facts.divergence.branch_is_divergent(*block);
        let around = facts.loops.around(header).skip(1);
        let leaves = around.flat_map(|id| facts.loops.exits(id)).map(|exit| exit.from);
        let branch = leaves.filter(divergent).last().unwrap_or(branch);
        return Err(Refusal::DivergentLoop { cause: facts.branch_cause(branch), at: facts.branch_place(branch) });
    }
    let mut parked = Vec::new();
    for &from in between {
        // Lanes that leave by a guarded `ret` cannot be led anywhere else by changing an edge.
        if facts.cfg.exits(from) {
            let what = "a guarded `ret` or `exit` before it".to_owned();
            return Err(Refusal::ControlFlow { what, at: facts.branch_place(from) });
        }
        for to in facts.cfg.distinct_succs(from) {
            if to == header || between.contains(&to) {
                continue;
            }
            parked.push(LoopEdge { from, to });
        }
    }
    Ok(parked)
}
