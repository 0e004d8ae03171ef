//! All loops of a kernel: which of them lanes may wait in, what each waits for, and which of these writes are blocked while a lane is in it (paper, Algorithm 1).

use std::cell::OnceCell;

use analysis::{Analyses, Block, Divergence};
use cranelift_entity::{EntitySet, PrimaryMap, entity_impl};
use ptx_parser::{Inst, Kernel, KernelKind};
use rustc_hash::FxHashSet;

use crate::detect::accesses::accesses;
use crate::detect::alias::Location;
use crate::detect::blocked_region::{Blockades, Blocked, Region};
use crate::detect::exit_slice::Controls;
use crate::detect::local_promotion::InRegisters;
use crate::detect::lock_free::{self, Assumed};
use crate::detect::loops::{Cycle, CycleId, cycles};
use crate::detect::module_context::Context;
use crate::detect::nested_loops::{Nested, Together, TogetherId};
use crate::detect::relay::Lasting;
use crate::detect::single_lane::Lanes;
use crate::detect::spin_loops::{Waits, WaitsId, waits};
use crate::detect::waits_for::{Waiter, Waiting};

/// Names a [`Detected`] loop of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct DetectedId(u32);
entity_impl!(DetectedId, "detected");

/// One detected loop with what was found out about it.
pub(crate) struct Detected {
    pub(crate) cycle: CycleId,
    pub(crate) reads: Vec<Inst>,
    /// True if the ISA promises nothing of them.
    pub(crate) weak: bool,
    pub(crate) writes: Vec<(Inst, Blocked)>,
    /// The branches between the loop's end and those of the writes that follow it.
    pub(crate) on_the_way: Vec<Block>,
}

/// The results for all loops of a kernel: those that may wait, and those that may deadlock.
pub(crate) struct Survey {
    /// All loops.
    pub(crate) cycles: PrimaryMap<CycleId, Cycle>,
    /// Those that may wait for something that is written in the kernel.
    pub(crate) waiting: Vec<CycleId>,
    /// Those among them that may deadlock.
    pub(crate) detected: PrimaryMap<DetectedId, Detected>,
    /// The assumptions under which other loops are not detected, each with the loop.
    pub(crate) assumed: Vec<(CycleId, Assumed)>,
}

impl Survey {
    /// The same of the kernel that was looked at in a copy.
    pub(crate) fn of_original(mut self, copy: &InRegisters) -> Survey {
        let original = |inst: &mut Inst| *inst = copy.original(*inst);
        for detected in self.detected.values_mut() {
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
    let controls = Controls::of(facts, cycles.values().all(|cycle| cycle.natural().is_some()));
    let nested = Nested::of(facts, cycles);
    // What is found of each loop by itself, and what that says of those that lanes wait in together.
    let all = nested.all();
    let mut every = waits(facts, kernel, context, &controls, all);
    // A function may be called where anybody writes.
    every.retain(|waits| {
        !waits.searches || kernel.kind() != KernelKind::Func && may_be_raced(facts, kernel, context, waits)
    });
    let single: PrimaryMap<WaitsId, Waits> =
        every.iter().filter(|waits| !waits.searches || context.strict).cloned().collect();
    let of = |single: &PrimaryMap<WaitsId, Waits>| Looked::new(facts, kernel, context, &controls, &nested, single);
    let searches = || {
        let looked = if every.len() > single.len() { of(&every.iter().cloned().collect()) } else { None };
        looked.map(|looked| looked.searches()).unwrap_or_default()
    };
    let Some(looked) = of(&single) else {
        let (waiting, detected, assumed) = (Vec::new(), PrimaryMap::new(), searches());
        return Survey { waiting, detected, assumed, cycles: nested.into_cycles() };
    };
    let Looked { look, together, ends, proved } = &looked;
    let (mut waiting, mut detected) = looked.detected();
    let mut assumed = Vec::new();
    if !detected.is_empty() && !context.strict {
        let moving = lock_free::moving_on(facts, kernel, context, all, &single);
        let elsewhere = lock_free::elsewhere(facts, kernel, context, all, &single);
        let either = |(&ends, moving): (&bool, &Option<Assumed>)| ends || moving.is_some();
        let taken_to_end: PrimaryMap<WaitsId, bool> = ends.values().zip(moving.values()).map(either).collect();
        let elsewhere: PrimaryMap<TogetherId, FxHashSet<Inst>> =
            together.values().map(|together| together.common(&elsewhere, &taken_to_end)).collect();
        let moving: Vec<Option<Assumed>> =
            together.values().map(|together| together.each(&moving, ends).map(Assumed::of_all)).collect();
        let waits_for_nobody: PrimaryMap<TogetherId, bool> =
            together.values().map(|together| together.all(&taken_to_end)).collect();
        let is_less_known = waits_for_nobody != *proved || elsewhere.values().any(|writes| !writes.is_empty());
        let fewer = is_less_known.then(|| look.detected(&waits_for_nobody, &elsewhere));
        if let Some(fewer) = fewer.filter(|(_, fewer)| fewer.len() < detected.len()) {
            (waiting, detected) = fewer;
            let told = moving.into_iter().zip(elsewhere).map(|(moving, (_, elsewhere))| match moving {
                None if !elsewhere.is_empty() => Some(Assumed::apart(elsewhere)),
                moving => moving,
            });
            let of_loops = look.waits.values().zip(told).zip(proved.values()).filter(|&(_, &proved)| !proved);
            assumed = of_loops.filter_map(|((waits, told), _)| Some((waits.cycle, told?))).collect();
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
    let reads: Vec<Location> = reads.map(|access| access.place).collect();
    let is_read = |place: Location| reads.iter().any(|read| read.may_be_by_name(&place));
    insts.any(|inst| all(inst).any(|access| access.writes && is_read(access.place)))
}

/// The loops of a kernel that may wait, with what is proved of them.
struct Looked<'a> {
    look: Look<'a>,
    /// The loops that lanes wait in together.
    together: PrimaryMap<TogetherId, Together>,
    /// For each loop by itself: true if it waits for nobody.
    ends: PrimaryMap<WaitsId, bool>,
    /// The same of those that lanes wait in together.
    proved: PrimaryMap<TogetherId, bool>,
}

impl<'a> Looked<'a> {
    /// Looks at some loops; `None` if lanes wait in none of them.
    fn new(
        facts: &'a Analyses,
        kernel: &'a Kernel,
        context: &'a Context,
        controls: &'a Controls,
        nested: &'a Nested,
        single: &PrimaryMap<WaitsId, Waits>,
    ) -> Option<Looked<'a>> {
        let together = nested.together(single);
        if together.is_empty() {
            return None;
        }
        let cycles = nested.all();
        let ends = lock_free::waiting_for_nobody(facts, kernel, context, cycles, single);
        let ignored = lock_free::without_effect(facts, kernel, context, cycles, single);
        let waits = together.values().map(|together| together.waits.clone()).collect();
        let ignored = together.values().map(|together| together.common(&ignored, &ends)).collect();
        let blockades = Blockades::of(facts, kernel);
        let proved: PrimaryMap<TogetherId, bool> = together.values().map(|together| together.all(&ends)).collect();
        let look = Look { facts, kernel, context, cycles, waits, controls, blockades, ignored };
        Some(Looked { look, together, ends, proved })
    }

    /// The loops that wait for something, and those that may deadlock, as far as that is proved.
    fn detected(&self) -> (Vec<CycleId>, PrimaryMap<DetectedId, Detected>) {
        let nothing = self.look.waits.values().map(|_| FxHashSet::default()).collect();
        self.look.detected(&self.proved, &nothing)
    }

    /// The loops that would be found but for this: they search by weak reads, and are assumed to learn nothing of what others write where they read.
    fn searches(&self) -> Vec<(CycleId, Assumed)> {
        let Look { facts, kernel, context, waits, .. } = &self.look;
        let (_, detected) = self.detected();
        let raced = detected.values().filter_map(|detected| {
            let waits = waits.values().find(|waits| waits.cycle == detected.cycle && waits.searches)?;
            let writes = detected.writes.iter().map(|&(write, _)| write);
            let is_raced = write_what_is_read(facts, kernel, context, waits, writes);
            is_raced.then(|| (waits.cycle, Assumed { raced: waits.reads.clone(), ..Assumed::default() }))
        });
        raced.collect()
    }
}

/// The data with which the loops of a kernel that may wait are examined.
struct Look<'a> {
    facts: &'a Analyses,
    kernel: &'a Kernel,
    context: &'a Context,
    cycles: &'a PrimaryMap<CycleId, Cycle>,
    waits: PrimaryMap<TogetherId, Waits>,
    controls: &'a Controls,
    blockades: Blockades<'a>,
    /// Per loop, the writes that it does not wait for.
    ignored: PrimaryMap<TogetherId, FxHashSet<Inst>>,
}

impl Look<'_> {
    /// The loops that wait for something that is written in the kernel, and those of them that may deadlock, if some of them wait for nobody, and some writes are
    /// elsewhere than where they read.
    fn detected(
        &self,
        for_nobody: &PrimaryMap<TogetherId, bool>,
        apart: &PrimaryMap<TogetherId, FxHashSet<Inst>>,
    ) -> (Vec<CycleId>, PrimaryMap<DetectedId, Detected>) {
        let &Look { facts, kernel, context, cycles, ref waits, controls, ref blockades, ref ignored } = self;
        let of_those_that_stay = OnceCell::new();
        let together = |waits: &Waits| {
            let cycle = &cycles[waits.cycle];
            let stay = || of_those_that_stay.get_or_init(|| Divergence::of_those_that_stay(kernel, facts));
            leave_together(&facts.divergence, cycle) || leave_together(stay(), cycle)
        };
        let together: PrimaryMap<TogetherId, bool> = waits.values().map(together).collect();
        let region = |(id, waits): (TogetherId, &Waits)| match together[id] {
            true => Region::default(),
            false => blockades.region(&cycles[waits.cycle]),
        };
        let regions: PrimaryMap<TogetherId, Region> = waits.iter().map(region).collect();
        let waiter = |id: TogetherId| Waiter {
            cycle: &cycles[waits[id].cycle],
            reads: &waits[id].reads,
            region: &regions[id],
            ends: for_nobody[id],
            ignored: &ignored[id],
            apart: &apart[id],
        };
        let waiters: PrimaryMap<TogetherId, Waiter<'_>> = waits.keys().map(waiter).collect();
        let lasting = Lasting::of(facts, waiters.values().filter(|waiter| !waiter.ends).map(|waiter| waiter.cycle));
        let waiting = Waiting::of(facts, kernel, context, blockades, controls, &lasting, &waiters);
        let lanes = Lanes::of(facts, kernel);
        let mut detected = PrimaryMap::new();
        let may_block = |&(id, _): &(TogetherId, &Waiter<'_>)| !together[id] && !for_nobody[id];
        for (id, Waiter { cycle, region, .. }) in waiters.iter().filter(may_block) {
            let lane = lanes.only_lane_of(&cycle.entries);
            // A lane does not keep back itself.
            let own = |write: Inst| {
                let block = facts.cfg.block_of(write);
                lane.is_some() && block.is_some_and(|block| lanes.only_lane_of(&[block]) == lane)
            };
            let relevant = (!waiting.is_chained(id)).then(|| waiting.in_question(id, blockades, region));
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
                let Waits { cycle: index, weak, .. } = waits[id];
                let reads = waiting.reads_in(facts, controls, id, cycle);
                detected.push(Detected { cycle: index, reads, weak, writes, on_the_way });
            }
        }
        let depends = |&(id, _): &(TogetherId, &Waits)| !together[id] && waiting.relevant(id).next().is_some();
        let waiting = waits.iter().filter(depends).map(|(_, waits)| waits.cycle).collect();
        (waiting, detected)
    }
}

/// The cycles of a kernel that lanes may wait in, whatever they wait for.
pub(crate) fn may_wait(
    facts: &Analyses,
    kernel: &Kernel,
    context: &Context,
    cycles: &PrimaryMap<CycleId, Cycle>,
) -> EntitySet<CycleId> {
    let controls = Controls::of(facts, cycles.values().all(|cycle| cycle.natural().is_some()));
    let nested = Nested::of(facts, cycles.clone());
    let mut single = waits(facts, kernel, context, &controls, nested.all());
    single.retain(|waits| !waits.searches || context.strict);
    let mut may = EntitySet::new();
    may.extend(nested.together(&single.into()).values().map(|together| together.waits.cycle));
    may
}

/// Returns true if whole warps come to a loop and leave it in the same iteration: then no lane is anywhere else while another is in it, so that it keeps nobody of
/// its warp back. This holds for conditions that a vote of all lanes makes. What other warps do behind such a loop still waits for it.
fn leave_together(divergence: &Divergence, cycle: &Cycle) -> bool {
    let decides_alike = |&block: &Block| divergence.is_whole_warp(block) && !divergence.branch_is_divergent(block);
    cycle.entries.iter().all(|&entry| divergence.is_whole_warp(entry)) && cycle.deciding.iter().all(decides_alike)
}
