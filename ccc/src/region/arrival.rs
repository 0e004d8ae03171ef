//! How the lanes of a warp come to the loop, and how all of them are kept together in it.
//!
//! The rewritten loop is run by whole warps: lanes without an iteration of their own stay and help. So there must be a
//! block that whole warps execute (the *anchor*) from which every lane either goes to the loop or is *parked*: it enters the loop
//! without an iteration, and goes where it wanted to go when the loop is over. A lane may be parked where it would skip the
//! loop because it has no iteration (the guard that a compiler puts before a rotated loop), or where it would leave
//! the kernel (`if (i >= n) return;`). Where the lanes that skip the loop do something else, the rewrite is refused.

use analysis::{Block, Loop, LoopEdge};
use ptx_parser::{Flow, Kernel, KernelKind, Memory};

use crate::dependence::called;
use crate::facts::Facts;
use crate::refusal::Refusal;

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
    let exits = facts.loops.exits(marked_loop);
    let refuse = |branch: Block| {
        let cause = facts.branch_cause(branch);
        Err(Refusal::DivergentLoop { cause, at: facts.branch_place(branch) })
    };
    // An outer loop whose lanes leave apart would bring a part of the warp here again and again.
    let outer = facts.loops.parent(marked_loop);
    if between.iter().any(|&block| facts.loops.innermost(block) != outer) {
        let divergent = |block: &Block| facts.divergence.branch_is_divergent(*block);
        let around = facts.loops.around(header).skip(1);
        let leaves = around.flat_map(|id| facts.loops.exits(id)).map(|exit| exit.from);
        return refuse(leaves.filter(divergent).last().unwrap_or(branch));
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
            let behind = facts.through(to);
            let guard =
                exits.iter().any(|exit| facts.through(exit.to) == behind) && leads_straight_to(facts, from, to, header);
            if !guard && !ends_kernel(facts, to) {
                return refuse(from);
            }
            parked.push(LoopEdge { from, to });
        }
    }
    Ok(parked)
}

/// Whether a block leads to the header without another branch, once the edge to `other` is left out.
fn leads_straight_to(facts: &Facts<'_>, from: Block, other: Block, header: Block) -> bool {
    let mut block = from;
    // A path longer than the number of blocks would be a cycle.
    for _ in 0..facts.cfg.block_count() {
        let successors = facts.cfg.distinct_succs(block);
        let mut next = successors.iter().copied().filter(|&successor| successor != other);
        match (next.next(), next.next()) {
            (Some(only), None) if only == header => return true,
            (Some(only), None) => block = only,
            _ => return false,
        }
        if facts.cfg.exits(block) {
            return false;
        }
    }
    false
}

/// Whether nothing happens from a block on but the end of the kernel.
fn ends_kernel(facts: &Facts<'_>, block: Block) -> bool {
    let mut block = block;
    for _ in 0..facts.cfg.block_count() {
        if !facts.cfg.insts(block).iter().all(|&inst| is_idle(facts.kernel, inst)) {
            return false;
        }
        match facts.cfg.distinct_succs(block).as_slice() {
            [] => return facts.cfg.exits(block),
            [only] if !facts.cfg.exits(block) => block = *only,
            _ => return false,
        }
    }
    false
}

fn is_idle(kernel: &Kernel, inst: ptx_parser::Inst) -> bool {
    let properties = kernel.properties(inst);
    let leaves = matches!(properties.flow, Flow::Branch | Flow::Return | Flow::Exit);
    properties.known && (properties.is_pure() || (leaves && properties.memory == Memory::None))
}
