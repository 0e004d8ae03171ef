//! What lanes cannot execute while others of their warp are in a loop (paper, Listing 1).
//!
//! - *Reachable*: what follows the point where the lanes that leave the loop meet again. They wait there for those that do not leave.
//!   Paths end at barriers of the CTA, and at those of the whole warp: lanes in the loop have not come there, so that nobody of the warp is behind it.
//! - *Parallel*: what is on one way from a branch to its reconvergence point while the loop is on the other. Whoever goes first goes on until
//!   that point.
//!
//! Reconvergence points are immediate postdominators; of a branch that does not dominate its own, the paper (Section IV.A.1) takes that of
//! the branch above it. Machines differ here, so that the reachable blocks begin at the earlier and the parallel ones end at the later of the two.

use analysis::{Analyses, Block};
use cranelift_entity::EntitySet;
use ptx_parser::{Inst, Kernel, Operand, Scope};

use crate::cycle::{Cycle, path};

/// Why a write is blocked, and the branches that are on the way to it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocked {
    /// Whether it follows the loop.
    pub(crate) reachable: bool,
    /// The branches between the loop's end and it.
    pub(crate) on_the_way: Vec<Block>,
    /// The branches that part it from the loop.
    pub(crate) parting: Vec<Block>,
}

impl Blocked {
    /// Whether it is blocked at all.
    pub(crate) fn is_blocked(&self) -> bool {
        self.reachable || !self.parting.is_empty()
    }
}

/// What is blocked by one loop.
pub(crate) struct Region {
    /// Instructions that follow the loop.
    reachable: EntitySet<Inst>,
    /// Blocks that follow it and lead on: no barrier is in them.
    blocks: EntitySet<Block>,
    /// For each branch that parts lanes around the loop, the blocks on the other way.
    parallel: Vec<(Block, EntitySet<Block>)>,
}

impl Region {
    pub(crate) fn of(facts: &Analyses, kernel: &Kernel, cycle: &Cycle) -> Region {
        let mut region = Region { reachable: EntitySet::new(), blocks: EntitySet::new(), parallel: Vec::new() };
        let mut work: Vec<Block> = cycle.meeting.into_iter().collect();
        let mut seen = EntitySet::new();
        while let Some(block) = work.pop() {
            if seen.insert(block) && region.follow(facts, kernel, block) {
                region.blocks.insert(block);
                work.extend(facts.cfg.distinct_succs(block));
            }
        }
        for branch in facts.cfg.blocks() {
            region.part(facts, cycle, branch);
        }
        region
    }

    /// Takes the instructions of a block up to a barrier; whether there is none.
    fn follow(&mut self, facts: &Analyses, kernel: &Kernel, block: Block) -> bool {
        for &inst in facts.cfg.insts(block) {
            if waits_for_all(facts, kernel, inst) {
                return false;
            }
            self.reachable.insert(inst);
        }
        true
    }

    /// Looks at a branch that may part lanes around the loop.
    fn part(&mut self, facts: &Analyses, cycle: &Cycle, branch: Block) {
        let together = facts.divergence.is_whole_warp(branch) && !facts.divergence.branch_is_divergent(branch);
        let ways = facts.cfg.distinct_succs(branch);
        if ways.len() < 2 || together {
            return;
        }
        let end = reconvergence(facts, branch);
        let paths: Vec<EntitySet<Block>> = ways.iter().map(|&way| path(facts, [way], end)).collect();
        let mut other = EntitySet::new();
        for (index, around) in paths.iter().enumerate() {
            if cycle.blocks.iter().all(|&block| around.contains(block)) {
                let others = paths.iter().enumerate().filter(|&(way, _)| way != index).map(|(_, path)| path);
                other.extend(others.flat_map(EntitySet::iter));
            }
        }
        if other.iter().next().is_some() {
            self.parallel.push((branch, other));
        }
    }

    /// Whether an instruction is on the other way of a branch that leads to the loop.
    pub(crate) fn is_parallel(&self, facts: &Analyses, inst: Inst) -> bool {
        let block = facts.cfg.block_of(inst);
        block.is_some_and(|block| self.parallel.iter().any(|(_, blocks)| blocks.contains(block)))
    }

    /// Whether and how an instruction is blocked.
    pub(crate) fn blocked(&self, facts: &Analyses, inst: Inst) -> Blocked {
        let Some(block) = facts.cfg.block_of(inst) else { return Blocked::default() };
        let parting = self.parallel.iter().filter(|(_, blocks)| blocks.contains(block)).map(|&(branch, _)| branch);
        let reachable = self.reachable.contains(inst);
        let on_the_way = if reachable { self.on_the_way(facts, block) } else { Vec::new() };
        Blocked { reachable, on_the_way, parting: parting.collect() }
    }

    /// The branches from which a reachable block can be come to.
    fn on_the_way(&self, facts: &Analyses, block: Block) -> Vec<Block> {
        let mut seen = EntitySet::new();
        let mut work = vec![block];
        while let Some(block) = work.pop() {
            let before = facts.cfg.preds(block).iter().copied().filter(|&pred| self.blocks.contains(pred));
            work.extend(before.filter(|&pred| seen.insert(pred)));
        }
        seen.iter().filter(|&from| facts.cfg.distinct_succs(from).len() > 1).collect()
    }
}

/// Whether an instruction waits for all lanes of the warp that have not ended: a barrier of the CTA or the cluster, or what a mask of all lanes waits
/// at. A barrier that names how many threads may wait for others.
pub(crate) fn waits_for_all(facts: &Analyses, kernel: &Kernel, inst: Inst) -> bool {
    let (properties, operands) = (kernel.properties(inst), kernel.operands(inst));
    let all = match properties.waits_for {
        // Behind a result stand the number of the barrier and what is reduced.
        Some(Scope::Cta) => operands.len() == if kernel.defs(inst).is_empty() { 1 } else { 3 },
        Some(_) => true,
        None => {
            let all = |mask: &Operand| facts.values.names_all_lanes(kernel, inst, mask);
            properties.waits_for_named && operands.last().is_some_and(all)
        }
    };
    all && kernel.inst(inst).guard.is_none()
}

/// Where the lanes that part at a branch meet again; `None` where that is the end of the kernel.
fn reconvergence(facts: &Analyses, branch: Block) -> Option<Block> {
    let mut branch = branch;
    loop {
        let end = facts.postdominators.ipdom(branch)?;
        if facts.dominators.dominates(branch, end) {
            return Some(end);
        }
        let mut above = facts.dominators.idom(branch)?;
        while facts.cfg.distinct_succs(above).len() < 2 || !facts.dominators.dominates(above, end) {
            above = facts.dominators.idom(above)?;
        }
        branch = above;
    }
}
