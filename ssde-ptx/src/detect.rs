//! Detection (paper, Algorithm 1): loops that wait for a write which cannot happen while lanes of the same warp are in the loop.

use std::cell::OnceCell;

use analysis::{Analyses, Block, Cfg, Divergence};
use ptx_parser::{Inst, Kernel, KernelKind, Loc};
use rustc_hash::FxHashSet;

use crate::accesses::accesses;
use crate::alone::Lanes;
use crate::blocked::{Blockades, Blocked, Region};
use crate::both_ways::{self, Origin};
use crate::context::Context;
use crate::cycle::{Cycle, cycles};
use crate::learning::{Waits, waits};
use crate::lock_free::{self, Assumed};
use crate::memory::Place;
use crate::nested::{Nested, Together};
use crate::own_memory::InRegisters;
use crate::relay::Lasting;
use crate::safe;
use crate::slice::Controls;
use crate::waiting::{Waiter, Waiting};

/// An instruction, for people.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct At {
    /// The instruction.
    pub inst: Inst,
    /// Where it is in the source, where the compiler says so.
    pub source: Option<Loc>,
    /// Where the kernel calls the function that it is in, if that was put in the place of the call.
    pub called: Option<Loc>,
    /// Its line and column in the PTX, counted from 1; 0 if it was not read from text.
    pub text: (u32, u32),
}

impl At {
    pub(crate) fn of(kernel: &Kernel, inst: Inst) -> At {
        At { inst, source: kernel.loc(inst), called: None, text: kernel.text_position(inst).unwrap_or((0, 0)) }
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
    /// Whether the ISA promises of none of these reads that it sees what others write: the compiler may read but once, and the hardware does not.
    pub weak: bool,
    /// The writes that may be what it waits for; those behind the call of a function are not among them.
    pub writes: Vec<Write>,
    /// Where lanes that leave the loop may meet again (paper, Algorithm 2); `None` for the end of the kernel.
    pub safe: Option<SafePoint>,
    /// The instruction before which that is.
    pub meets_at: Option<At>,
    /// Where they meet now; `None` for the end of the kernel.
    pub meeting: Option<Block>,
}

/// What is assumed of a loop that waits for nobody then: a lane alone moves on in each round of it (`lock_free/moving.rs`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumption {
    /// The first instruction of the loop, if there is one.
    pub at: Option<At>,
    /// The links and counters of which it is assumed that they come to an end: where they are read, compared or added to.
    pub ends: Vec<At>,
    /// The atomics by which lanes are assumed not to undo each other's work for ever.
    pub steps: Vec<At>,
    /// The stores that are assumed not to be where the loop reads.
    pub apart: Vec<At>,
    /// The atomics by which lanes help others that hold them up, assumed to be where the loop reads that they do.
    pub helps: Vec<At>,
    /// The atomics that move on the counter of a ring; a slot whose number is ahead of the counter is assumed to be one of which a lane has done so.
    pub ahead: Vec<At>,
    /// The reads of links where walks begin, which are assumed not to be marked.
    pub unmarked: Vec<At>,
    /// The weak reads by which it is assumed to learn nothing of what others write meanwhile; empty where that is not what it waits for.
    pub raced: Vec<At>,
}

/// Barriers on both ways of a branch, at which lanes of one warp wait for each other for ever on a machine with a reconvergence stack. They are assumed not to part there
/// (`both_ways.rs`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BothWays {
    /// The branch.
    pub branch: At,
    /// The barriers.
    pub barriers: [At; 2],
    /// True if they are copies of one vote or exchange of a function that is called on both ways.
    pub copies: bool,
}

/// A function that may call itself until another lane frees it, which a lane of the same warp may not do on a machine with a reconvergence stack. It is
/// assumed to wait for nobody (`recursion.rs`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recursion {
    /// The call that leads back to it.
    pub call: At,
    /// The read of what it may wait for.
    pub read: At,
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
    /// Whether the ISA promises nothing of them.
    pub(crate) weak: bool,
    pub(crate) writes: Vec<(Inst, Blocked)>,
    /// The branches between the loop's end and those of the writes that follow it.
    pub(crate) on_the_way: Vec<Block>,
}

/// Finds the loops of a kernel that may deadlock on a machine with a reconvergence stack, and where their lanes may safely meet. Nothing is assumed of lock-free
/// loops.
#[must_use]
pub fn detect(kernel: &Kernel) -> Vec<Finding> {
    Detection::of(kernel, &Context::default().strictly(true)).findings(kernel)
}

/// What was found out about a kernel: for whoever lists its findings, and for whoever rewrites it then.
pub(crate) struct Detection {
    pub(crate) facts: Analyses,
    pub(crate) survey: Survey,
}

impl Detection {
    /// Looks at a kernel, with what is known of the functions that it calls.
    pub(crate) fn of(kernel: &Kernel, context: &Context) -> Detection {
        let facts = Analyses::beside_traps(kernel);
        let survey = match InRegisters::of(&facts, kernel) {
            Some(copy) => survey(&Analyses::beside_traps(&copy.kernel), &copy.kernel, context).of_original(&copy),
            None => survey(&facts, kernel, context),
        };
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
                weak: detected.weak,
                writes: detected.writes.iter().map(write).collect(),
                safe,
                meets_at: safe.and_then(|safe| instruction_at(&facts.cfg, safe)).map(at),
                meeting: cycle.meeting,
            }
        };
        survey.detected.iter().zip(points).map(finding).collect()
    }
}

impl Detection {
    /// The branches with barriers on both ways that lanes of one warp are assumed not to part at.
    /// `origin` says where instructions were copied from.
    pub(crate) fn both_ways(&self, kernel: &Kernel, origin: &dyn Fn(Inst) -> Option<Origin>) -> Vec<BothWays> {
        let at = |inst: Inst| At::of(kernel, inst);
        let pairs = both_ways::pairs(&self.facts, kernel, origin).into_iter();
        let of = |pair: both_ways::Pair| {
            let branch = self.facts.cfg.terminator(pair.branch)?;
            Some(BothWays { branch: at(branch), barriers: [at(pair.one), at(pair.other)], copies: pair.copies })
        };
        pairs.filter_map(of).collect()
    }

    /// What is assumed of loops of the kernel that are not found for that.
    pub(crate) fn assumptions(&self, kernel: &Kernel) -> Vec<Assumption> {
        let Detection { facts, survey } = self;
        let at = |&inst: &Inst| At::of(kernel, inst);
        let assumption = |(index, assumed): &(usize, Assumed)| {
            let all = |insts: &[Inst]| insts.iter().map(at).collect();
            let header = survey.cycles[*index].entries[0];
            Assumption {
                at: facts.cfg.insts(header).first().map(at),
                ends: all(&assumed.ends),
                steps: all(&assumed.steps),
                apart: all(&assumed.apart),
                helps: all(&assumed.helps),
                ahead: all(&assumed.ahead),
                unmarked: all(&assumed.unmarked),
                raced: all(&assumed.raced),
            }
        };
        survey.assumed.iter().map(assumption).collect()
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
    /// What is assumed of loops that are not among them for that, each with its number among `cycles`.
    pub(crate) assumed: Vec<(usize, Assumed)>,
}

impl Survey {
    /// The same of the kernel that was looked at in a copy.
    fn of_original(mut self, copy: &InRegisters) -> Survey {
        let original = |inst: &mut Inst| *inst = copy.original(*inst);
        for detected in &mut self.detected {
            detected.reads.iter_mut().chain(detected.writes.iter_mut().map(|(write, _)| write)).for_each(original);
        }
        for (_, assumed) in &mut self.assumed {
            assumed.insts_mut().for_each(original);
        }
        self
    }
}

pub(crate) fn survey(facts: &Analyses, kernel: &Kernel, context: &Context) -> Survey {
    let cycles = cycles(facts);
    let controls = Controls::of(facts, cycles.iter().all(|cycle| cycle.natural().is_some()));
    let nested = Nested::of(facts, cycles);
    // What is found of each loop by itself, and what that says of those that lanes wait in together.
    let all = nested.all();
    let mut every = waits(facts, kernel, context, &controls, all);
    // A function may be called where anybody writes.
    every.retain(|waits| {
        !waits.searches || kernel.kind() != KernelKind::Func && may_be_raced(facts, kernel, context, waits)
    });
    let single: Vec<Waits> = every.iter().filter(|waits| !waits.searches || context.strict).cloned().collect();
    let of = |single: &[Waits]| Looked::new(facts, kernel, context, &controls, &nested, single);
    let searches = || {
        let looked = if every.len() > single.len() { of(&every) } else { None };
        looked.map(|looked| looked.searches()).unwrap_or_default()
    };
    let Some(looked) = of(&single) else {
        let (waiting, detected, assumed) = (Vec::new(), Vec::new(), searches());
        return Survey { waiting, detected, assumed, cycles: nested.into_cycles() };
    };
    let Looked { look, together, ends, proved } = &looked;
    let (mut waiting, mut detected) = looked.detected();
    let mut assumed = Vec::new();
    if !detected.is_empty() && !context.strict {
        let moving = lock_free::moving_on(facts, kernel, context, all, &single);
        let elsewhere = lock_free::elsewhere(facts, kernel, context, all, &single);
        let either = |(&ends, moving): (&bool, &Option<Assumed>)| ends || moving.is_some();
        let taken_to_end: Vec<bool> = ends.iter().zip(&moving).map(either).collect();
        let elsewhere: Vec<FxHashSet<Inst>> =
            together.iter().map(|together| together.common(&elsewhere, &taken_to_end)).collect();
        let moving: Vec<Option<Assumed>> =
            together.iter().map(|together| together.each(&moving, ends).map(Assumed::of_all)).collect();
        let waits_for_nobody: Vec<bool> = together.iter().map(|together| together.all(&taken_to_end)).collect();
        let is_less_known = waits_for_nobody != *proved || elsewhere.iter().any(|writes| !writes.is_empty());
        let fewer = is_less_known.then(|| look.detected(&waits_for_nobody, &elsewhere));
        if let Some(fewer) = fewer.filter(|(_, fewer)| fewer.len() < detected.len()) {
            (waiting, detected) = fewer;
            let told = moving.into_iter().zip(elsewhere).map(|(moving, elsewhere)| match moving {
                None if !elsewhere.is_empty() => Some(Assumed::apart(elsewhere)),
                moving => moving,
            });
            let of_loops = look.waits.iter().zip(told).zip(proved).filter(|&(_, &proved)| !proved);
            assumed = of_loops.filter_map(|((waits, told), _)| Some((waits.index, told?))).collect();
        }
    }
    assumed.extend(searches());
    Survey { waiting, detected, assumed, cycles: nested.into_cycles() }
}

/// Returns true if the kernel writes where a loop reads. Memory with another name counts as other memory.
fn may_be_raced(facts: &Analyses, kernel: &Kernel, context: &Context, waits: &Waits) -> bool {
    let insts = facts.cfg.blocks().flat_map(|block| facts.cfg.insts(block).iter().copied());
    write_what_is_read(facts, kernel, context, waits, insts)
}

/// Returns true if one of some instructions writes where a loop reads. Memory with another name counts as other memory.
fn write_what_is_read(
    facts: &Analyses,
    kernel: &Kernel,
    context: &Context,
    waits: &Waits,
    mut insts: impl Iterator<Item = Inst>,
) -> bool {
    let all = |inst: Inst| accesses(facts, kernel, context, inst).into_iter();
    let reads = waits.reads.iter().flat_map(|&read| all(read)).filter(|access| access.reads);
    let reads: Vec<Place> = reads.map(|access| access.place).collect();
    let is_read = |place: Place| reads.iter().any(|read| read.may_be_by_name(&place));
    insts.any(|inst| all(inst).any(|access| access.writes && is_read(access.place)))
}

/// The loops of a kernel that may wait, with what is proved of them.
struct Looked<'a> {
    look: Look<'a>,
    /// The loops that lanes wait in together.
    together: Vec<Together>,
    /// Of each loop by itself, whether it waits for nobody.
    ends: Vec<bool>,
    /// The same of those that lanes wait in together.
    proved: Vec<bool>,
}

impl<'a> Looked<'a> {
    /// Looks at some loops; `None` if lanes wait in none of them.
    fn new(
        facts: &'a Analyses,
        kernel: &'a Kernel,
        context: &'a Context,
        controls: &'a Controls,
        nested: &'a Nested,
        single: &[Waits],
    ) -> Option<Looked<'a>> {
        let together = nested.together(single);
        if together.is_empty() {
            return None;
        }
        let cycles = nested.all();
        let ends = lock_free::waiting_for_nobody(facts, kernel, context, cycles, single);
        let ignored = lock_free::without_effect(facts, kernel, context, cycles, single);
        let waits = together.iter().map(|together| together.waits.clone()).collect();
        let ignored = together.iter().map(|together| together.common(&ignored, &ends)).collect();
        let blockades = Blockades::of(facts, kernel);
        let proved: Vec<bool> = together.iter().map(|together| together.all(&ends)).collect();
        let look = Look { facts, kernel, context, cycles, waits, controls, blockades, ignored };
        Some(Looked { look, together, ends, proved })
    }

    /// The loops that wait for something, and those that may deadlock, as far as that is proved.
    fn detected(&self) -> (Vec<usize>, Vec<Detected>) {
        self.look.detected(&self.proved, &vec![FxHashSet::default(); self.look.waits.len()])
    }

    /// The loops that would be found but for this: they search by weak reads, and are assumed to learn nothing of what others write where they read.
    fn searches(&self) -> Vec<(usize, Assumed)> {
        let Look { facts, kernel, context, waits, .. } = &self.look;
        let (_, detected) = self.detected();
        let raced = detected.iter().filter_map(|detected| {
            let waits = waits.iter().find(|waits| waits.index == detected.index && waits.searches)?;
            let writes = detected.writes.iter().map(|&(write, _)| write);
            let is_raced = write_what_is_read(facts, kernel, context, waits, writes);
            is_raced.then(|| (waits.index, Assumed { raced: waits.reads.clone(), ..Assumed::default() }))
        });
        raced.collect()
    }
}

/// What the loops of a kernel that may wait are looked at with.
struct Look<'a> {
    facts: &'a Analyses,
    kernel: &'a Kernel,
    context: &'a Context,
    cycles: &'a [Cycle],
    waits: Vec<Waits>,
    controls: &'a Controls,
    blockades: Blockades<'a>,
    /// Per loop, the writes that it does not wait for.
    ignored: Vec<FxHashSet<Inst>>,
}

impl Look<'_> {
    /// The loops that wait for something that is written in the kernel, and those of them that may deadlock, if some of them wait for nobody, and some writes are
    /// elsewhere than where they read.
    fn detected(&self, for_nobody: &[bool], apart: &[FxHashSet<Inst>]) -> (Vec<usize>, Vec<Detected>) {
        let &Look { facts, kernel, context, cycles, ref waits, controls, ref blockades, ref ignored } = self;
        let of_those_that_stay = OnceCell::new();
        let together = |waits: &Waits| {
            let cycle = &cycles[waits.index];
            let stay = || of_those_that_stay.get_or_init(|| Divergence::of_those_that_stay(kernel, facts));
            leave_together(&facts.divergence, cycle) || leave_together(stay(), cycle)
        };
        let together: Vec<bool> = waits.iter().map(together).collect();
        let region = |(waits, &together): (&Waits, &bool)| match together {
            true => Region::default(),
            false => blockades.region(&cycles[waits.index]),
        };
        let regions: Vec<Region> = waits.iter().zip(&together).map(region).collect();
        let waiters = waits.iter().zip(&regions).zip(for_nobody).zip(ignored.iter().zip(apart));
        let waiters: Vec<Waiter<'_>> = waiters
            .map(|(((waits, region), &ends), (ignored, apart))| Waiter {
                cycle: &cycles[waits.index],
                reads: &waits.reads,
                region,
                ends,
                ignored,
                apart,
            })
            .collect();
        let lasting = Lasting::of(facts, waiters.iter().filter(|waiter| !waiter.ends).map(|waiter| waiter.cycle));
        let waiting = Waiting::of(facts, kernel, context, blockades, controls, &lasting, &waiters);
        let lanes = Lanes::of(facts, kernel);
        let mut detected = Vec::new();
        let may_block = |&(number, _): &(usize, &Waiter<'_>)| !together[number] && !for_nobody[number];
        for (number, Waiter { cycle, region, .. }) in waiters.iter().enumerate().filter(may_block) {
            let lane = lanes.alone(&cycle.entries);
            // A lane does not keep back itself.
            let own = |write: Inst| {
                let block = facts.cfg.block_of(write);
                lane.is_some() && block.is_some_and(|block| lanes.alone(&[block]) == lane)
            };
            let relevant = (!waiting.is_chained(number)).then(|| waiting.in_question(number, blockades, region));
            let blocked = relevant.into_iter().flatten().filter(|&(_, write)| !own(write));
            let blocked = blocked.map(|(place, write)| (place, write, blockades.blocked(region, write)));
            let mut writes: Vec<_> = blocked.filter(|(.., blocked)| blocked.is_blocked()).collect();
            writes.sort_unstable_by_key(|&(place, ..)| place);
            writes.dedup_by_key(|&mut (place, ..)| place);
            let behind = writes.iter().filter(|(.., blocked)| blocked.reachable).map(|&(_, write, _)| write);
            let on_the_way = blockades.on_the_way(region, behind);
            let writes: Vec<_> = writes.into_iter().map(|(_, write, blocked)| (write, blocked)).collect();
            // What a function waits for may be behind its call.
            if !writes.is_empty() || kernel.kind() == KernelKind::Func {
                let Waits { index, weak, .. } = waits[number];
                let reads = waiting.reads_in(facts, controls, number, cycle);
                detected.push(Detected { index, reads, weak, writes, on_the_way });
            }
        }
        let depends = |&number: &usize| !together[number] && waiting.relevant(number).next().is_some();
        let waiting = (0..waits.len()).filter(depends).map(|number| waits[number].index).collect();
        (waiting, detected)
    }
}

/// Per cycle of a kernel, whether lanes may wait in it, whatever they wait for.
pub(crate) fn may_wait(facts: &Analyses, kernel: &Kernel, context: &Context, cycles: &[Cycle]) -> Vec<bool> {
    let controls = Controls::of(facts, cycles.iter().all(|cycle| cycle.natural().is_some()));
    let nested = Nested::of(facts, cycles.to_vec());
    let mut single = waits(facts, kernel, context, &controls, nested.all());
    single.retain(|waits| !waits.searches || context.strict);
    let mut may = vec![false; cycles.len()];
    nested.together(&single).iter().for_each(|together| may[together.waits.index] = true);
    may
}

/// Whether whole warps come to a loop and leave it in the same iteration: then no lane is anywhere else while another is in it, so that it keeps nobody of
/// its warp back. This holds for conditions that a vote of all lanes makes. What other warps do behind such a loop still waits for it.
fn leave_together(divergence: &Divergence, cycle: &Cycle) -> bool {
    let decides_alike = |&block: &Block| divergence.is_whole_warp(block) && !divergence.branch_is_divergent(block);
    cycle.entries.iter().all(|&entry| divergence.is_whole_warp(entry)) && cycle.deciding.iter().all(decides_alike)
}
