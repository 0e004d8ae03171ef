//! Detection (paper, Algorithm 1): loops that wait for a write which cannot happen while lanes of the same warp are in the loop.

use analysis::{Analyses, Block, Cfg};
use ptx_parser::{Inst, Kernel, KernelKind, Loc, Memory, Ordering, Space};

use crate::alone::Lanes;
use crate::blocked::{Blockades, Blocked, Region};
use crate::cycle::{Cycle, Having, cycles};
use crate::safe;
use crate::slice::awaited_reads;
use crate::waiting::{Waiter, Waiting};

/// An instruction, for people.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct At {
    /// The instruction.
    pub inst: Inst,
    /// Where it is in the source, where the compiler says so.
    pub source: Option<Loc>,
    /// Its line and column in the PTX, counted from 1; 0 if it was not read from text.
    pub text: (u32, u32),
}

impl At {
    pub(crate) fn of(kernel: &Kernel, inst: Inst) -> At {
        At { inst, source: kernel.loc(inst), text: kernel.text_position(inst).unwrap_or((0, 0)) }
    }
}

/// A write that the loop waits for and that is blocked while a lane is in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Write {
    /// The write.
    pub at: At,
    /// Whether it follows the point where lanes that have left the loop wait for the others.
    pub reachable: bool,
    /// Whether it is on the other way of a branch that leads to the loop.
    pub parallel: bool,
}

/// A loop that may deadlock because lanes of a warp meet again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Where the loop begins: its header, or the first block where a cycle is entered.
    pub header: Block,
    /// The first instruction there, if there is one.
    pub at: Option<At>,
    /// The reads that decide whether a lane leaves the loop.
    pub reads: Vec<At>,
    /// The writes that may be what it waits for; those behind the call of a function are not among them.
    pub writes: Vec<Write>,
    /// Where lanes that leave the loop may meet again (paper, Algorithm 2); `None` for the end of the kernel.
    pub safe: Option<SafePoint>,
    /// The instruction before which that is.
    pub meets_at: Option<At>,
    /// Where they meet now; `None` for the end of the kernel.
    pub meeting: Option<Block>,
}

/// The instruction behind a point.
pub(crate) fn instruction_at(cfg: &Cfg, SafePoint { block, index }: SafePoint) -> Option<Inst> {
    let behind = cfg.insts(block).get(index).copied();
    // Behind the last instruction of a block is the beginning of what follows.
    let next = || cfg.blocks().filter(|&other| other > block).find_map(|block| cfg.insts(block).first().copied());
    behind.or_else(next)
}

/// A point in the kernel: before the instruction of this number in a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SafePoint {
    /// The block.
    pub block: Block,
    /// The number of instructions of the block before the point.
    pub index: usize,
}

/// One detected loop with what was found out about it.
pub(crate) struct Detected {
    /// Its number among all loops.
    pub(crate) index: usize,
    pub(crate) reads: Vec<Inst>,
    pub(crate) writes: Vec<(Inst, Blocked)>,
    /// The branches between the loop's end and those of the writes that follow it.
    pub(crate) on_the_way: Vec<Block>,
}

/// Finds the loops of a kernel that may deadlock on a machine with a reconvergence stack, and where their lanes may safely meet.
#[must_use]
pub fn detect(kernel: &Kernel) -> Vec<Finding> {
    Detection::of(kernel).findings(kernel)
}

/// What was found out about a kernel: for whoever lists its findings, and for whoever rewrites it then.
pub(crate) struct Detection {
    pub(crate) facts: Analyses,
    pub(crate) survey: Survey,
}

impl Detection {
    /// Looks at a kernel.
    pub(crate) fn of(kernel: &Kernel) -> Detection {
        let facts = Analyses::of(kernel);
        let survey = survey(&facts, kernel);
        Detection { facts, survey }
    }

    /// The loops that may deadlock, of the kernel that was looked at.
    pub(crate) fn findings(&self, kernel: &Kernel) -> Vec<Finding> {
        let Detection { facts, survey } = self;
        let points = safe::points(facts, survey);
        let at = |inst: Inst| At::of(kernel, inst);
        let write = |(inst, blocked): &(Inst, Blocked)| Write {
            at: at(*inst),
            reachable: blocked.reachable,
            parallel: !blocked.parting.is_empty(),
        };
        let finding = |(detected, safe): (&Detected, Option<SafePoint>)| {
            let cycle = &survey.cycles[detected.index];
            Finding {
                header: cycle.entries[0],
                at: facts.cfg.insts(cycle.entries[0]).first().map(|&inst| at(inst)),
                reads: detected.reads.iter().map(|&inst| at(inst)).collect(),
                writes: detected.writes.iter().map(write).collect(),
                safe,
                meets_at: safe.and_then(|safe| instruction_at(&facts.cfg, safe)).map(at),
                meeting: cycle.meeting,
            }
        };
        survey.detected.iter().zip(points).map(finding).collect()
    }
}

/// What the loops of a kernel wait for.
pub(crate) struct Survey {
    /// All loops.
    pub(crate) cycles: Vec<Cycle>,
    /// Those that may wait for something that is written in the kernel, as numbers of `cycles`.
    pub(crate) waiting: Vec<usize>,
    /// Those among them that may deadlock.
    pub(crate) detected: Vec<Detected>,
}

pub(crate) fn survey(facts: &Analyses, kernel: &Kernel) -> Survey {
    let cycles = cycles(facts);
    let waits = waits(facts, kernel, &cycles);
    if waits.is_empty() {
        return Survey { cycles, waiting: Vec::new(), detected: Vec::new() };
    }
    let blockades = Blockades::of(facts, kernel);
    let regions: Vec<Region> = waits.iter().map(|(index, _)| blockades.region(&cycles[*index])).collect();
    let waiters = waits.iter().zip(&regions);
    let waiters: Vec<Waiter<'_>> =
        waiters.map(|((index, reads), region)| Waiter { cycle: &cycles[*index], reads, region }).collect();
    let waiting = Waiting::of(facts, kernel, &blockades, &waiters);
    let lanes = Lanes::of(facts, kernel);
    let mut detected = Vec::new();
    for (number, Waiter { cycle, reads, region }) in waiters.iter().enumerate() {
        let lane = lanes.alone(&cycle.entries);
        // A lane does not keep back itself.
        let own = |write: Inst| {
            let block = facts.cfg.block_of(write);
            lane.is_some() && block.is_some_and(|block| lanes.alone(&[block]) == lane)
        };
        let relevant = (!waiting.is_chained(number)).then(|| waiting.in_question(number, &blockades, region));
        let blocked = relevant.into_iter().flatten().filter(|&(_, write)| !own(write));
        let blocked = blocked.map(|(place, write)| (place, write, blockades.blocked(region, write)));
        let mut writes: Vec<_> = blocked.filter(|(.., blocked)| blocked.is_blocked()).collect();
        writes.sort_unstable_by_key(|&(place, ..)| place);
        let behind = writes.iter().filter(|(.., blocked)| blocked.reachable).map(|&(_, write, _)| write);
        let on_the_way = blockades.on_the_way(region, behind);
        let writes: Vec<_> = writes.into_iter().map(|(_, write, blocked)| (write, blocked)).collect();
        // What a function waits for may be behind its call.
        if !writes.is_empty() || kernel.kind() == KernelKind::Func {
            detected.push(Detected { index: waits[number].0, reads: reads.to_vec(), writes, on_the_way });
        }
    }
    let depends = |&number: &usize| waiting.relevant(number).next().is_some();
    let waiting = (0..waits.len()).filter(depends).map(|number| waits[number].0).collect();
    Survey { cycles, waiting, detected }
}

/// The loops that may wait, by their numbers, with the reads that decide whether a lane leaves.
fn waits(facts: &Analyses, kernel: &Kernel, cycles: &[Cycle]) -> Vec<(usize, Vec<Inst>)> {
    let learning = learning(facts, kernel);
    let may = |&(_, cycle): &(usize, &Cycle)| learning.is_in(cycle) && !leave_together(facts, cycle);
    let candidates: Vec<(usize, &Cycle)> = cycles.iter().enumerate().filter(may).collect();
    if candidates.is_empty() {
        return Vec::new();
    }
    let looked_at: Vec<&Cycle> = candidates.iter().map(|&(_, cycle)| cycle).collect();
    let reads = awaited_reads(facts, kernel, &looked_at);
    let waits = candidates.into_iter().zip(reads).map(|((index, _), reads)| (index, reads));
    waits.filter(|(_, reads)| !reads.is_empty()).collect()
}

/// Where lanes can learn of anything that another thread does: by an atomic, a volatile or ordered read, a fence, a barrier, an exchange between
/// lanes, a call. With weak reads alone they cannot: what such a read would see of a write that nothing orders before it is a data race,
/// of which the program means nothing (PTX ISA, "Memory Consistency Model"), and the compiler may read but once.
pub(crate) fn learning(facts: &Analyses, kernel: &Kernel) -> Having {
    let learns = |inst: Inst| {
        let properties = kernel.properties(inst);
        match properties.memory {
            Memory::None => properties.convergent,
            Memory::Read => properties.ordering != Ordering::Weak && properties.space != Some(Space::Local),
            Memory::Write => false,
            Memory::Atomic | Memory::Fence | Memory::Unknown => true,
        }
    };
    Having::of(facts, |block| facts.cfg.insts(block).iter().any(|&inst| learns(inst)))
}

/// Whether whole warps come to a loop and leave it in the same iteration: then no lane is anywhere else while another is in it. This holds
/// for conditions that a vote of all lanes makes.
fn leave_together(facts: &Analyses, cycle: &Cycle) -> bool {
    cycle.entries.iter().all(|&entry| facts.divergence.is_whole_warp(entry))
        && cycle
            .deciding
            .iter()
            .all(|&block| facts.divergence.is_whole_warp(block) && !facts.divergence.branch_is_divergent(block))
}
