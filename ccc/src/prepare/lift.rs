//! Moves out of tasks what they compute and the code behind them reads, where it is nothing of theirs.
//!
//! The compiler computes a value where it is first needed. The index of an iteration, in another width, may first be needed behind the steps of
//! a task, and then once more for the next iteration:
//!
//! ```text
//!   cvt.s64.s32 %rd3, %r18;               // the index
//! $STEPS:
//!   …
//!   @%p3 bra $STEPS;
//!   cvt.u32.u64 %r16, %rd3;               // first needed by the task,
//!   st.global.u32 [%rd9], %r17;
//!   // #CCC step_end 2
//!   add.s32 %r18, %r16, %r2;              // and then by the code behind it
//! ```
//!
//! That is no value of the task: `%rd3` is known before the steps. Such an instruction is moved in front of them. It has no effect, nothing else writes
//! its register, and its inputs have one value each, which is there. Where its block dominates everything that reads it, and the new place dominates
//! the block, each reader still reads what was computed last with the same inputs: a way from the new place to a reader that avoids the old one would
//! be one that avoids it from the beginning on.

use analysis::{Block, ValueKind};
use ptx_parser::{Error, Inst, Kernel, Patch, Reg};

use crate::context::defs_of;
use crate::emit::{insert_at_end, take_out};
use crate::facts::Facts;
use crate::facts::rematerializable::stands_outermost;
use crate::markers::{Kind, Site};
use crate::region::Region;

/// The depth in instructions up to which inputs are moved too.
const DEEPEST: u32 = 16;

/// Moves what can be moved out of the tasks of some regions.
///
/// # Errors
/// None that a kernel as it was read could cause.
pub(crate) fn lift(kernel: &mut Kernel, sites: &[Site]) -> Result<(), Error> {
    // A path that some lanes skip leaves nothing that all others read.
    let tasks: Vec<&Site> = sites.iter().filter(|site| site.kind != Kind::If || site.task_end.is_some()).collect();
    if tasks.is_empty() {
        return Ok(());
    }
    let mut patch = Patch::new();
    let facts = Facts::of(kernel);
    let mut regions: Vec<Region> = Vec::new();
    for site in tasks {
        let Ok(region) = Region::of(&facts, site) else { continue };
        // Of two that have code in common, one is refused later.
        if regions.iter().any(|other| other.overlaps(&region)) {
            continue;
        }
        if let Some((above, moved)) = free(&facts, &region).filter(|(_, moved)| !moved.is_empty()) {
            let code = take_out(&mut patch, kernel, &facts.cfg, &moved);
            insert_at_end(&mut patch, kernel, &facts.cfg, above, code);
        }
        regions.push(region);
    }
    drop(facts);
    kernel.apply(patch)
}

/// Finds what a task computes and the code behind it reads, although it is nothing of the task's, and the block at whose end that may be executed instead.
fn free(facts: &Facts<'_>, region: &Region) -> Option<(Block, Vec<Inst>)> {
    // A task without any step may begin behind them.
    let before = |block: Block| {
        !region.contains(block) && region.blocks.iter().all(|&inner| facts.dominators.dominates(block, inner))
    };
    let idom = |block: Block| facts.dominators.idom(block);
    let above = std::iter::successors(idom(region.entry), |&block| idom(block)).find(|&block| before(block))?;
    let mut moved = Vec::new();
    for &inst in region.blocks.iter().flat_map(|&block| facts.cfg.insts(block)) {
        let alive = |&reg: &Reg| facts.liveness.is_live_in(region.exit, reg);
        let mut needed = Vec::new();
        if facts.kernel.defs(inst).iter().any(alive) && is_free(facts, region, above, inst, &mut needed, 0) {
            needed.retain(|inst| !moved.contains(inst));
            moved.extend(needed);
        }
    }
    Some((above, moved))
}

/// Returns true if an instruction may be executed at the end of block `above` instead, after those in `needed`, to which it is added.
fn is_free(facts: &Facts<'_>, region: &Region, above: Block, inst: Inst, needed: &mut Vec<Inst>, depth: u32) -> bool {
    let kernel = facts.kernel;
    let properties = kernel.properties(inst);
    let [def] = *kernel.defs(inst).as_slice() else { return false };
    let Some(home) = facts.cfg.block_of(inst) else { return false };
    if depth > DEEPEST
        || !properties.is_pure()
        || kernel.inst(inst).guard.is_some()
        || defs_of(facts, def) != 1
        || !facts.dominators.dominates(above, home)
        || !stands_outermost(facts, inst)
    {
        return false;
    }
    let reaching = facts.reaching(kernel);
    let behind = |user: &Inst| facts.cfg.block_of(*user).is_some_and(|block| facts.dominators.dominates(home, block));
    if !reaching.uses_of(inst, def).iter().all(behind) {
        return false;
    }
    for input in kernel.uses(inst) {
        let Some(value) = facts.values.at_use(inst, input) else { return false };
        let block = facts.values.block(value);
        let known = !region.contains(block) && facts.dominators.dominates(block, above);
        let moved = |needed: &mut Vec<Inst>| match facts.values.kind(value) {
            ValueKind::Def(by, _) => is_free(facts, region, above, by, needed, depth + 1),
            ValueKind::Phi(..) | ValueKind::Undefined(_) => false,
        };
        let undefined = matches!(facts.values.kind(value), ValueKind::Undefined(_));
        if undefined || (!known && !moved(needed)) {
            return false;
        }
    }
    if !needed.contains(&inst) {
        needed.push(inst);
    }
    true
}
