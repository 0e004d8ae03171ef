//! The blocks of a region that is run step by step: a loop inside the marked loop, and what belongs to the task behind it (paper, Sections
//! 3.2 and 3.3).
//!
//! ```text
//!     @!p bra P;           the task has no step: this lane goes on by itself
//! H:  STEP                 entry; a lane that comes from outside has a task
//!     @q bra H;            the task goes on: back to the vote
//! P:  REST                 whoever has done the last step does the rest
//! J:  …                    exit: the end marker, which stands where the block of the directive's loop ends
//! ```
//!
//! A task is the loop and all that follows it in its block, because what follows reads what the steps have left, in registers or in
//! memory. So the region ends where every way from its entry has come past every end marker that it can meet. Lanes without
//! a step come to the rest (`P`) from outside: these blocks are *shared*; they stay in place and the region has copies of them.

use analysis::{Block, Loop};
use ptx_parser::StmtKind;

use crate::facts::{Facts, rematerializable};
use crate::markers::{Kind, Site};
use crate::refusal::Refusal;

/// The loop whose iterations are the steps. Its parent is the loop whose iterations are collected.
pub(crate) fn inner_loop(facts: &Facts<'_>, site: &Site, marked_loop: Loop) -> Result<Loop, Refusal> {
    let block = facts.block_of_marker(site.marker).ok_or(Refusal::NoSteps)?;
    if site.kind == Kind::Recursion {
        return recursion(facts, block, marked_loop).ok_or(Refusal::Recursion);
    }
    match facts.loops.innermost(block) {
        Some(inner) if inner != marked_loop => match facts.loops.parent(inner) {
            Some(parent) if parent != marked_loop => {
                Err(Refusal::InnerLoop { at: facts.place(facts.loops.header(parent)) })
            }
            _ => Ok(inner),
        },
        _ => Err(Refusal::NoSteps),
    }
}

/// The first loop behind the call. Whichever loop it is, the task from there on is the marked statement's.
fn recursion(facts: &Facts<'_>, begin: Block, marked_loop: Loop) -> Option<Loop> {
    let behind = |&candidate: &Loop| {
        facts.loops.parent(candidate) == Some(marked_loop)
            && !facts.loops.contains(candidate, begin)
            && facts.dominators.dominates(begin, facts.loops.header(candidate))
    };
    // Loops come in reverse postorder: one that leads to another before that one.
    facts.loops.iter().find(behind)
}

/// Returns where the task ends, if that is in the marked loop.
pub(crate) fn end(facts: &Facts<'_>, site: &Site, marked_loop: Loop, steps: Loop) -> Option<Block> {
    let entry = facts.loops.header(steps);
    let mut exit = facts.postdominators.ipdom(entry)?;
    while facts.loops.contains(steps, exit) {
        exit = facts.postdominators.ipdom(exit)?;
    }
    let met = facts.ahead(marked_loop, entry);
    let ends = site.ends.iter().filter_map(|&marker| facts.block_behind(marker));
    for end in ends.filter(|&end| met.contains(end)) {
        exit = facts.postdominators.common(exit, end)?;
    }
    facts.loops.contains(marked_loop, exit).then_some(exit)
}

/// Returns true if the statements of a block can be written a second time: nothing in it is declared there, or hidden by something that is.
pub(crate) fn is_copyable(facts: &Facts<'_>, block: Block) -> bool {
    let named = rematerializable::named(facts);
    let kernel = facts.kernel;
    facts.cfg.stmts_of(kernel, block).all(|(_, stmt)| match stmt.kind {
        StmtKind::Inst(inst) => {
            let mut regs = kernel.uses(inst).into_iter().chain(kernel.defs(inst));
            regs.all(|reg| named.contains(reg) || Some(reg) == kernel.carry_flag())
        }
        StmtKind::Open | StmtKind::Close | StmtKind::Registers | StmtKind::Variables(_) => false,
        _ => true,
    })
}
