//! The instructions that lanes cannot execute while other lanes of their warp are in a loop (paper, Listing 1).
//!
//! - *Reachable*: the code after the point where the lanes that leave the loop reconverge. They wait there for the lanes that do not leave.
//!   Paths end at barriers of the CTA and of the whole warp. Lanes in the loop have not reached such a barrier, so no lane of the warp is
//!   behind it.
//! - *Parallel*: the code on one side of a branch, up to its reconvergence point, while the loop is on the other side. The side that
//!   executes first continues until that point.
//!
//! Reconvergence points are immediate postdominators. For a branch that does not dominate its own, the paper (Section IV.A.1) takes that of
//! the branch above it. Machines differ here. So the reachable blocks begin at the earlier of the two points, and the parallel ones end at
//! the later one.

use std::ops::Range;

use analysis::{Analyses, Block};
use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use ptx_parser::{Inst, Kernel, Operand, Scope};
use rustc_hash::FxHashSet;

use crate::detect::loops::Cycle;
use crate::detect::reachability::{Component, Reach};

/// The reasons why a write is blocked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocked {
    /// True if it follows the loop.
    pub(crate) reachable: bool,
    /// The branches that part it from the loop.
    pub(crate) parting: Vec<Block>,
}

impl Blocked {
    /// Returns true if it is blocked at all.
    pub(crate) fn is_blocked(&self) -> bool {
        self.reachable || !self.parting.is_empty()
    }
}

/// The facts that hold for all loops of a kernel: the blocks that lanes reach from a block, and the branches that part them.
pub(crate) struct Blockades<'a> {
    facts: &'a Analyses,
    /// The number of instructions in a block before the first one that all lanes wait at; `usize::MAX` if there is none.
    barriers: SecondaryMap<Block, usize>,
    /// The blocks that each block leads to without a barrier.
    behind: Reach<Block>,
    /// The branches that part lanes.
    partings: PrimaryMap<PartingId, Parting>,
    /// For each block, the branches that lead to it before their lanes meet again, and by which way.
    led_to: SecondaryMap<Block, Vec<(PartingId, Way)>>,
}

/// Names a [`Parting`] of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PartingId(u32);
entity_impl!(PartingId, "parting");

/// A branch that parts lanes, which are still apart behind several of its ways.
struct Parting {
    branch: Block,
    /// The block where they meet again.
    end: Option<Block>,
    /// The number of ways it has.
    ways: usize,
}

/// By which ways of a branch a block is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// By this one alone.
    Only(usize),
    /// By at least two.
    Several,
}

/// The region that one loop blocks; empty by default.
#[derive(Default)]
pub(crate) struct Region {
    /// The block where the lanes that leave the loop meet.
    start: Option<Block>,
    /// The branches that part lanes around the loop, and the way that it is on.
    parallel: Vec<(PartingId, Way)>,
}

impl<'a> Blockades<'a> {
    pub(crate) fn of(facts: &'a Analyses, kernel: &Kernel) -> Blockades<'a> {
        let mut barriers: SecondaryMap<Block, usize> = SecondaryMap::with_default(usize::MAX);
        for block in facts.cfg.blocks() {
            let mut insts = facts.cfg.insts(block).iter();
            if let Some(before) = insts.position(|&inst| waits_for_all(facts, kernel, inst)) {
                barriers[block] = before;
            }
        }
        let open = facts.cfg.blocks().filter(|&block| barriers[block] == usize::MAX);
        let edges = open.flat_map(|block| facts.cfg.distinct_succs(block).into_iter().map(move |next| (block, next)));
        let behind = Reach::of(facts.cfg.block_count(), edges);
        let mut blockades =
            Blockades { facts, barriers, behind, partings: PrimaryMap::new(), led_to: SecondaryMap::new() };
        blockades.part();
        blockades
    }

    /// Looks at each branch that may part lanes.
    fn part(&mut self) {
        let facts = self.facts;
        // The branch for which a block was last reached, and how.
        let mut seen: SecondaryMap<Block, Option<(Block, Way)>> = SecondaryMap::new();
        for branch in facts.cfg.blocks() {
            let together = facts.divergence.is_whole_warp(branch) && !facts.divergence.branch_is_divergent(branch);
            let starts = facts.cfg.distinct_succs(branch);
            if starts.len() < 2 || together {
                continue;
            }
            let end = reconvergence(facts, branch);
            // With one way alone that does not end at once, there is no other way to be on.
            if starts.iter().filter(|&&start| Some(start) != end).count() < 2 {
                continue;
            }
            let mut work: Vec<(Block, Way)> =
                starts.iter().enumerate().map(|(way, &start)| (start, Way::Only(way))).collect();
            let mut reached = Vec::new();
            while let Some((block, way)) = work.pop() {
                if Some(block) == end {
                    continue;
                }
                let way = match seen[block].filter(|(last, _)| *last == branch) {
                    None => {
                        reached.push(block);
                        way
                    }
                    Some((_, known)) if known == way || known == Way::Several => continue,
                    Some(_) => Way::Several,
                };
                seen[block] = Some((branch, way));
                work.extend(facts.cfg.distinct_succs(block).into_iter().map(|next| (next, way)));
            }
            let parting = self.partings.push(Parting { branch, end, ways: starts.len() });
            for block in reached {
                let way = seen[block].map_or(Way::Several, |(_, way)| way);
                self.led_to[block].push((parting, way));
            }
        }
    }

    /// Returns what a loop blocks.
    pub(crate) fn region(&self, cycle: &Cycle) -> Region {
        let led_to = &self.led_to[cycle.begin];
        // The blocks of a loop lead to each other, so that a way to one leads to all, unless the lanes meet in the loop.
        let around = |&&(parting, _): &&(PartingId, Way)| {
            self.partings[parting].end.is_none_or(|end| !cycle.contains(self.facts, end))
        };
        Region { start: cycle.meeting, parallel: led_to.iter().filter(around).copied().collect() }
    }

    /// The branches that lead to a block, and by which way.
    pub(crate) fn led_to(&self, block: Block) -> &[(PartingId, Way)] {
        &self.led_to[block]
    }

    /// The block of a branch that parts lanes.
    pub(crate) fn branch(&self, parting: PartingId) -> Block {
        self.partings[parting].branch
    }

    /// Returns how many ways each branch has that parts lanes.
    pub(crate) fn ways(&self) -> impl Iterator<Item = usize> {
        self.partings.values().map(|parting| parting.ways)
    }

    /// The place of a block in an order in which what follows a loop is in few pieces.
    pub(crate) fn place(&self, block: Block) -> Component {
        self.behind.component(block)
    }

    /// The places of the blocks that follow a loop.
    pub(crate) fn behind(&self, region: &Region) -> &[Range<Component>] {
        region.start.map_or(&[], |start| self.behind.ranges(start))
    }

    /// Returns whether and how an instruction is blocked by a loop.
    pub(crate) fn blocked(&self, region: &Region, inst: Inst) -> Blocked {
        let Some(block) = self.facts.cfg.block_of(inst) else { return Blocked::default() };
        let ways = &self.led_to[block];
        let on_other = |&&(parting, on): &&(PartingId, Way)| {
            let found = ways.binary_search_by_key(&parting, |&(parting, _)| parting).ok();
            found.and_then(|index| ways.get(index)).is_some_and(|&(_, way)| on == Way::Several || way != on)
        };
        let parting = region.parallel.iter().filter(on_other).map(|&(parting, _)| self.partings[parting].branch);
        let reachable =
            region.start.is_some_and(|start| self.behind.leads(start, block)) && self.is_before_barrier(block, inst);
        Blocked { reachable, parting: parting.collect() }
    }

    fn is_before_barrier(&self, block: Block, inst: Inst) -> bool {
        let most = self.barriers[block];
        most == usize::MAX || self.facts.cfg.insts(block).iter().take(most).any(|&other| other == inst)
    }

    /// The branches between the end of a loop and some instructions that follow it.
    pub(crate) fn on_the_way(&self, region: &Region, insts: impl Iterator<Item = Inst>) -> Vec<Block> {
        let Some(start) = region.start else { return Vec::new() };
        let leads_on = |block: Block| self.barriers[block] == usize::MAX && self.behind.leads(start, block);
        let mut seen = FxHashSet::default();
        let mut work: Vec<Block> = insts.filter_map(|inst| self.facts.cfg.block_of(inst)).collect();
        work.dedup();
        while let Some(block) = work.pop() {
            let before = self.facts.cfg.preds(block).iter().copied().filter(|&pred| leads_on(pred));
            work.extend(before.filter(|&pred| seen.insert(pred)));
        }
        seen.into_iter().filter(|&from| self.facts.cfg.distinct_succs(from).len() > 1).collect()
    }
}

impl Region {
    /// The branches that part lanes around the loop, and the way that it is on.
    pub(crate) fn parallel(&self) -> &[(PartingId, Way)] {
        &self.parallel
    }
}

/// Returns true if an instruction waits for all lanes of the warp that have not ended: a barrier of the CTA or the cluster, or what a mask of all lanes waits
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

/// Returns where the lanes that part at a branch meet again; `None` where that is the end of the kernel.
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
