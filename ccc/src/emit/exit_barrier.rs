//! Decides whether the lanes of a collected loop wait for each other where they leave it.
//!
//! A path runs in another lane than the one that its iteration belongs to ([`crate::emit::machinery`]). Nothing has to be ordered where no path accesses
//! memory that can change, or nothing that a lane may execute behind the loop does. Another launch sees what this one wrote in any case.
//!
//! All code that can be reached from where the loop is left counts, also the loop itself if there is a loop around it. A call counts.

use analysis::{Block, Loop};
use cranelift_entity::EntitySet;
use ptx_parser::{Flow, Inst, Memory, Space};

use crate::facts::Facts;
use crate::plan::path::Paths;
use crate::region::arrival::Arrival;

/// Returns true if code behind the loop may access memory that a path accesses.
pub(crate) fn is_needed(facts: &Facts<'_>, marked_loop: Loop, arrival: &Arrival, paths: &Paths) -> bool {
    let accesses = |block: Block| facts.cfg.insts(block).iter().any(|&inst| accesses_memory(facts, inst));
    if !paths.values().flat_map(|path| &path.region.blocks).any(|&block| accesses(block)) {
        return false;
    }
    let mut seen = EntitySet::new();
    let mut work: Vec<Block> =
        facts.loops.exits(marked_loop).iter().chain(&arrival.parked).map(|edge| edge.to).collect();
    while let Some(block) = work.pop() {
        if seen.insert(block) {
            if accesses(block) {
                return true;
            }
            work.extend(facts.cfg.distinct_succs(block));
        }
    }
    false
}

/// Returns true if an instruction may access memory that other threads access too, and that may change.
fn accesses_memory(facts: &Facts<'_>, inst: Inst) -> bool {
    let properties = facts.kernel.properties(inst);
    let shared = !matches!(properties.space, Some(Space::Param | Space::Const | Space::Local));
    !properties.known || properties.flow == Flow::Call || (properties.memory != Memory::None && shared)
}
