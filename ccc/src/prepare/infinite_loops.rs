//! Gives loops that never end a way out of them that no lane takes, so that a marked path can have such a loop.
//!
//! ```text
//! $SPIN:                            $SPIN:
//!     bra.uni $SPIN;                    mov.pred %p, 0;
//!                                       @%p bra $J;             $J: where the path ends
//!                                       bra.uni $SPIN;
//! ```
//!
//! The compiler leaves such a loop where it can prove that a loop of the source does not end: in a copy of an unrolled one, say. To control flow
//! analysis it is no part of the marked loop, and the path seems to leave that. With the way out it is a loop like any other.
//!
//! A lane that is in it stays in it, before and after. Then the launch does not end in either kernel, and there is no result to compare.
//! The other lanes of its warp are different: they go on in the original, and wait for it in the rewritten kernel. Nobody can tell as long as the
//! launch is not over. A loop that accesses memory could tell other threads something for ever. It is left as it is, and the path is refused.

use analysis::{Block, Cfg};
use cranelift_entity::EntitySet;
use ptx_parser::{Code, Error, Flow, Inst, Kernel, Patch, StmtKind, Type};

use crate::facts::{self, Facts};
use crate::markers::Site;
use crate::region;

/// The places of one way out: the first instruction of a block of the loop, and that of the block where the path ends.
type WayOut = (Inst, Inst);

/// Gives the endless loops of some marked paths a way out.
///
/// # Errors
/// None that a kernel as it was read could cause.
pub(crate) fn lead_out(kernel: &mut Kernel, sites: &[Site]) -> Result<(), Error> {
    if facts::endless(&Cfg::of(kernel)).is_empty() {
        return Ok(());
    }
    let facts = Facts::of(kernel);
    let endless = facts.endless();
    let firsts: Vec<Inst> = endless.iter().filter_map(|block| facts.cfg.insts(block).first().copied()).collect();
    // Without these loops, control flow says where the paths end.
    let mut without = kernel.clone();
    let mut patch = Patch::new();
    for &first in &firsts {
        if let Some(stmt) = facts.cfg.stmt_of(kernel, first) {
            let mut code = Code::new();
            code.ins().trap();
            patch.insert_before(stmt, without.build(code)?);
        }
    }
    without.apply(patch)?;
    let beside = Facts::beside_traps(&without);
    let mut ways: Vec<WayOut> = Vec::new();
    for site in sites {
        if let Ok((marked_loop, entry, Some(exit))) = region::span(&beside, site)
            && let Some(entry) = beside.cfg.insts(entry).first()
            && let Some(exit) = beside.cfg.insts(exit).first()
            && let (Some(entry), Some(end)) = (facts.cfg.block_of(*entry), facts.cfg.block_of(*exit))
        {
            let header = beside.cfg.insts(beside.loops.header(marked_loop)).first();
            let header = header.and_then(|&inst| facts.cfg.block_of(inst));
            ways.extend(turns(&facts, &endless, entry, end, header).into_iter().map(|inst| (inst, *exit)));
        }
    }
    ways.sort();
    ways.dedup_by_key(|(inst, _)| *inst);
    let places: Vec<(usize, usize)> = ways
        .iter()
        .filter_map(|&(turn, exit)| {
            let end = facts.cfg.block_of(exit)?;
            Some((facts.cfg.stmt_of(kernel, turn)?, facts.cfg.stmts(end).start))
        })
        .collect();
    drop(facts);
    let mut patch = Patch::new();
    for &(turn, end) in &places {
        let label = kernel.new_label("ccc_never");
        let never = kernel.new_reg("ccc_never", Type::Pred);
        patch.insert_before(end, [kernel.label_stmt(label)]);
        let mut code = Code::new();
        code.ins().set(never, false);
        code.when(never).bra(label);
        patch.insert_before(turn, kernel.build(code)?);
    }
    kernel.apply(patch)
}

/// Returns the instructions in front of which the endless loops of a path need a way out; none if one of these loops has an effect, or belongs to other code
/// as well.
fn turns(facts: &Facts<'_>, endless: &EntitySet<Block>, entry: Block, end: Block, header: Option<Block>) -> Vec<Inst> {
    let mut path = EntitySet::new();
    let mut work = vec![entry];
    while let Some(block) = work.pop() {
        if block != end && Some(block) != header && path.insert(block) {
            work.extend(facts.cfg.distinct_succs(block));
        }
    }
    let own = |block: Block| facts.cfg.preds(block).iter().all(|&pred| path.contains(pred));
    let mut left: Vec<Block> = path.iter().filter(|&block| endless.contains(block)).collect();
    if endless.contains(entry) || !left.iter().all(|&block| own(block) && has_no_effect(facts, block)) {
        return Vec::new();
    }
    let mut turns = Vec::new();
    // The last block is in a loop, or leads to one that was given a way out.
    while let Some(block) = left.pop() {
        let Some(&first) = facts.cfg.insts(block).first() else { continue };
        turns.push(first);
        let mut leading = vec![block];
        while let Some(block) = leading.pop() {
            for &pred in facts.cfg.preds(block) {
                if let Some(place) = left.iter().position(|&other| other == pred) {
                    left.remove(place);
                    leading.push(pred);
                }
            }
        }
    }
    turns
}

/// Returns true if a block only computes and branches.
fn has_no_effect(facts: &Facts<'_>, block: Block) -> bool {
    facts.cfg.insts(block).iter().all(|&inst| {
        let properties = facts.kernel.properties(inst);
        properties.is_pure() || properties.flow == Flow::Branch
    }) && facts
        .cfg
        .stmts_of(facts.kernel, block)
        .all(|(_, stmt)| !matches!(stmt.kind, StmtKind::Open | StmtKind::Close))
}
