//! Loops that wait for nobody although they read what others write: lock-free updates, claims of slots, bounded searches.
//!
//! ```text
//! old = *sum;                                     do { h = *head; next[t] = h; }
//! do { seen = old;                                while (CAS(head, h, t) != h);
//!      old = CAS(sum, seen, seen + 1); }
//! while (old != seen);
//! ```
//!
//! A lane stays in such a loop only because another lane has got its way in between; and who gets its way leaves.
//!
//! # What is proved of a loop
//!
//! All ways through one iteration are executed on terms (`symbolic_execution.rs`), from any state of registers and memory, once with memory that nobody else writes to (*idle*) and
//! once where each read may give anything (*busy*). A *measure* (`counters.rs`) is a number that each iteration leaves alone or takes further in one direction, or a step nearer to
//! a number that does not change: a register, whatever others do; for a lane alone, also a word of memory. An iteration in which the lane itself moves the end on, in a register or in memory, is no
//! advance (`counter_limits.rs`).
//!
//! 1. *Bounded*: on all ways by which a busy lane stays, one measure advances. In many loops registers alone say so (`bounded_loops.rs`). What ends after millions of rounds
//!    alone, or in a trap, is not taken for bounded. What lanes tell each other by votes and exchanges may be anything, too; no other loops than these may have such.
//! 2. Otherwise, all of these:
//!    - *Alone it leaves*: an idle lane leaves, or advances a measure, within four iterations. A word that counts up to a number in memory is no measure if the kernel writes that number outside the
//!      loop: whoever lowers it may be who the lane waits for. `progress` may assume that it is not. A read that may give anything in this proof is none that the loop depends on.
//!    - *Changes by those who stay end*: the atomics by which a busy lane that stays, and advances no measure, may have changed memory are *tame* (`finite_changes.rs`):
//!      they end by themselves; or they are made where no such loop reads.
//!      If it has stored where lanes of such a loop may
//!      read, then all that these loops read, on the ways by which lanes stay, is one place, which does not change in the loop, all accesses that may touch it are as wide as it, and nobody who stays changes it by atomics.
//!    - *Writers end*: whatever writes where the loop may read is in no loop that may run for ever, but in those of which all this is proved, and nothing that
//!      is called may be such a loop.
//!    - *Inner loops* end by themselves and write nothing; or the same is proved of them, and lanes that stay in them write nothing. The idle lane goes through those as often as it
//!      has to; the busy lane goes through the last iteration, which may begin in any state.
//!
//! Tame changes of one loop end if nobody else changes what it reads any more. So of two loops that make such changes, one at least reads nothing that the other one
//! changes (`proof.rs`); a loop that is a part of another one with the same header makes no other changes than that.
//!
//! If that does not do, inner loops that a counter lets through few rounds of are executed round by round, as if the compiler had unrolled them.
//!
//! Cycles that are not natural loops, but have one entry, are executed in the same way.
//!
//! # Why nobody stays in such a loop for ever
//!
//! Assume that some lanes stay in such loops for ever, on some machine. A bounded loop ends by itself. Of the others, measures advance a limited number of
//! times, too. Let us look at the time behind that. What is in no loop that may run for ever is executed a limited number of times, and so are the changes by which lanes leave. Then the tame changes
//! end, those first that depend on no others. Behind that, no atomic changes a place any more that such a lane reads.
//! So each place that such lanes read is either not written any more, or stored to again and again, by lanes that stay.
//!
//! - If nothing that a lane reads is written any more, it is idle, and leaves: a contradiction.
//! - So each of these lanes is in a loop that reads but one place, and that is stored to again and again. Take the schedule in which all other threads of the kernel go
//!   on as well, each one's write to such a place right before the next store to it. These lanes read what they have read before, and stay. This schedule is
//!   fair, and the kernel does not end under it, which it is assumed to do (`lib.rs`): a contradiction.
//!
//! What writes "in no loop that may run for ever" is executed a limited number of times because loops that do not depend on what others write end under every schedule if they end
//! under one, and a lane that is kept back does nothing.
//!
//! # What is assumed
//!
//! Of loops that are not proved, `moving.rs` finds some in which a lane alone moves on; that they end is an assumption, which the user is told.
//!
//! # Single writes
//!
//! Of loops that are not proved, `ineffective_writes.rs` finds writes that they do not wait for. A pointer in a parameter may be one to a variable of the module: nothing in PTX says that it is not,
//! so that what is written through it behind a search through such a variable is what the search may wait for.

mod bit_clearing;
mod bit_masks;
mod bounded_loops;
mod counter_limits;
mod counters;
mod evaluate;
mod exhaustive_trip_count;
mod exit_tests;
mod finite_changes;
mod function;
mod ineffective_writes;
mod inner_loop_invariants;
mod inner_loops;
mod loop_invariants;
mod path_condition;
mod progress;
mod proof;
mod region;
mod sampled_values;
mod simplify;
mod size_limits;
mod symbolic_access;
mod symbolic_arithmetic;
mod symbolic_execution;
mod symbolic_memory;
mod term_order;
mod terms;

use analysis::{Analyses, Block, Loop};
use cranelift_entity::PrimaryMap;
use ptx_parser::{Flow, Inst, Kernel, KernelKind, Memory, Modifier};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::detect::accesses::{accesses, calls_anything, changes_nothing};
use crate::detect::alias::Location;
use crate::detect::loops::{Cycle, CycleId};
use crate::detect::module_context::{Context, is_harmless_call};
use crate::detect::relay::Lasting;
use crate::detect::spin_loops::{Waits, WaitsId};
use bounded_loops::{Bound, Bounds};
use counters::Measure;
use finite_changes::Changes;
pub(crate) use ineffective_writes::without_effect;
pub(crate) use progress::{Assumed, elsewhere, moving_on};
use proof::{Candidate, Candidates, Leaves, Proof};
use region::Region;
use size_limits::LARGEST;
use symbolic_access::is_result_used;
use symbolic_execution::{Execution, Others, State};
use symbolic_memory::{How, Spot};

/// The most iterations that a lane alone may take to leave.
const ITERATIONS: usize = 4;

/// The most loads of a loop that are tried without.
const MOST_LOADS: usize = 8;

/// The most pairs of places that are compared for one kernel.
const MOST_PAIRS: usize = 4_000_000;

/// Says of each of some loops that may wait whether it waits for nobody after all.
pub(crate) fn waiting_for_nobody(
    facts: &Analyses,
    kernel: &Kernel,
    context: &Context,
    cycles: &PrimaryMap<CycleId, Cycle>,
    waits: &PrimaryMap<WaitsId, Waits>,
) -> PrimaryMap<WaitsId, bool> {
    let nobody = waits.values().map(|_| false).collect();
    let insts = || facts.cfg.blocks().flat_map(|block| facts.cfg.insts(block).iter().copied());
    if waits.is_empty()
        || kernel.kind() == KernelKind::Func
        || insts().any(|inst| calls_anything(kernel, context, inst))
    {
        return nobody;
    }
    let look = Look { facts, kernel, context, bounds: &Bounds::of(facts, kernel) };
    let mut candidates = look.candidates(cycles, waits);
    let mut written: FxHashMap<Location, Vec<Block>> = FxHashMap::default();
    for inst in insts() {
        let block = facts.cfg.block_of(inst);
        let places = accesses(facts, kernel, context, inst).into_iter().filter(|access| access.writes);
        places.for_each(|access| written.entry(access.place).or_default().extend(block));
    }
    let reads: usize = candidates.values().map(|candidate| candidate.reads().len()).sum();
    if reads.saturating_mul(written.len()) > MOST_PAIRS {
        return nobody;
    }
    let of_wait = |candidates: &Candidates| -> PrimaryMap<WaitsId, bool> {
        let proved = |wait: WaitsId| {
            candidates.values().any(|candidate| candidate.waits.contains(&wait) && candidate.proof.is_some())
        };
        waits.keys().map(proved).collect()
    };
    // Each round leaves out those that depend on what the last one has left out.
    loop {
        let proved = of_wait(&candidates);
        let others = waits.iter().filter(|&(id, _)| !proved[id]);
        let lasting = Lasting::of(facts, others.map(|(_, waits)| &cycles[waits.cycle]));
        let failing = proof::failing(&candidates, &written, &lasting);
        if failing.is_empty() {
            return proved;
        }
        failing.into_iter().for_each(|id| candidates[id].proof = None);
    }
}

/// Returns true if an instruction only reads.
fn is_load(kernel: &Kernel, inst: Inst) -> bool {
    kernel.properties(inst).memory == Memory::Read || changes_nothing(kernel, inst)
}

/// The data with which loops are examined.
struct Look<'a> {
    facts: &'a Analyses,
    kernel: &'a Kernel,
    context: &'a Context,
    bounds: &'a Bounds,
}

impl Look<'_> {
    /// Looks at the loops that may wait, and at the natural ones that they lie in, the inner ones first.
    fn candidates(&self, cycles: &PrimaryMap<CycleId, Cycle>, waits: &PrimaryMap<WaitsId, Waits>) -> Candidates {
        let loops = &self.facts.loops;
        let cycle = |waits: &Waits| &cycles[waits.cycle];
        let (mut natural, mut listed) = (Vec::new(), Vec::new());
        // A cycle with several entries may be anywhere in a loop.
        let mut odd: FxHashSet<Block> = FxHashSet::default();
        for (number, waits) in waits {
            match (cycle(waits).natural(), Region::of_cycle(self.facts, cycle(waits))) {
                (Some(id), _) => natural.push(id),
                (None, Some(region)) => {
                    natural.extend(loops.around(region.header).find(|&id| loops.header(id) == region.header));
                    listed.push((number, region));
                }
                (None, None) => odd.extend(cycle(waits).blocks(self.facts)),
            }
        }
        natural.sort_by_key(|&id| (std::cmp::Reverse(loops.depth(id)), loops.header(id)));
        natural.dedup();
        let is_odd = |block: &Block| loops.is_irreducible(*block) || odd.contains(block);
        let proved = |region: &Region, id: Option<Loop>, candidates: &Candidates| {
            let small = region.blocks.len() <= LARGEST && !region.blocks.iter().any(is_odd);
            small.then(|| self.prove(region, id, &natural, candidates)).flatten()
        };
        let mut candidates: Candidates = PrimaryMap::new();
        for &id in &natural {
            let region = Region::of_loop(self.facts, id);
            let proof = proved(&region, Some(id), &candidates);
            let of = waits.keys().filter(|&number| cycle(&waits[number]).natural() == Some(id)).collect();
            _ = candidates.push(Candidate { waits: of, id: Some(id), region, proof });
        }
        for (number, region) in listed {
            let proof = proved(&region, None, &candidates);
            _ = candidates.push(Candidate { waits: vec![number], id: None, region, proof });
        }
        candidates
    }

    fn prove(&self, region: &Region, id: Option<Loop>, natural: &[Loop], candidates: &Candidates) -> Option<Proof> {
        let (facts, kernel) = (self.facts, self.kernel);
        match id.and_then(|id| self.bounds.bound(id)) {
            Some(Bound::Some) => return Some(Proof::Bounded),
            Some(Bound::InVain | Bound::Unknown) => return None,
            None => {}
        }
        let insts = || region.blocks.iter().flat_map(|&block| facts.cfg.insts(block).iter().copied());
        let odd = |inst: Inst| {
            let properties = kernel.properties(inst);
            let is_odd = properties.convergent && properties.memory != Memory::None
                || properties.flow == Flow::Call
                || properties.memory == Memory::Unknown;
            is_odd && !is_harmless_call(kernel, inst)
        };
        if insts().any(odd) {
            return None;
        }
        // Compilers unroll short loops, but not in debug builds.
        let few = self.bounds.unrollable(&region.inner);
        let proved = self.leaves(region, natural, candidates, FxHashMap::default());
        proved.or_else(|| if few.is_empty() { None } else { self.leaves(region, natural, candidates, few) })
    }

    /// Proves a loop by executing it, with some of the loops in it round by round.
    fn leaves(
        &self,
        region: &Region,
        natural: &[Loop],
        candidates: &Candidates,
        unrolled: FxHashMap<Loop, u32>,
    ) -> Option<Proof> {
        let (facts, kernel) = (self.facts, self.kernel);
        let insts = || region.blocks.iter().flat_map(|&block| facts.cfg.insts(block).iter().copied());
        let mut silent = self.silent(region, natural, candidates);
        silent.retain(|id| !unrolled.contains_key(id));
        let is_inner = |candidate: &&Candidate| candidate.id.is_some_and(|id| region.inner.contains(&id));
        let quiet: FxHashSet<Loop> = candidates
            .values()
            .filter(is_inner)
            .filter_map(|candidate| candidate.id.filter(|id| candidate.is_quiet() && !unrolled.contains_key(id)))
            .collect();
        let mut execution = Execution::new(facts, kernel, region, &silent, &quiet);
        execution.unrolled = unrolled;
        let start = execution.anywhere();
        let stays = execution.iterate(start, Others::Busy)?;
        execution.note_bounds(&stays);
        let start = execution.anywhere();
        let stays = execution.iterate(start.clone(), Others::Busy)?;
        let measures = Measure::all(&mut execution, &start, &stays);
        // Who counts up to a number that others may lower waits for them if it is very great.
        let written = if measures.is_empty() { Vec::new() } else { self.written_outside(region) };
        let is_written = |spot: &Spot| written.iter().any(|place| place.may_meet(&spot.place));
        let advances = |execution: &mut Execution<'_>, stay: &State, measure: &Measure| {
            measure.advances(execution, &start, stay) && !measure.is_held_against(execution, &start, stay, &is_written)
        };
        let every = |execution: &mut Execution<'_>, measure: &Measure| {
            stays.iter().all(|stay| advances(execution, stay, measure))
        };
        let needs: Vec<Loop> = quiet.iter().copied().filter(|id| !silent.contains(id)).collect();
        if needs.is_empty() && (stays.is_empty() || measures.iter().any(|measure| every(&mut execution, measure))) {
            return Some(Proof::Bounded);
        }
        let mut stores = Vec::new();
        let mut spots = Vec::new();
        for stay in &stays {
            if measures.iter().any(|measure| measure.advances(&mut execution, &start, stay)) {
                continue;
            }
            let stored = stay.written.iter().filter(|written| matches!(written.how, How::Stored));
            stores.extend(stored.map(|written| written.spot.place));
            for (spot, _) in &stay.read {
                spots.push((stay.known.canonical(&mut execution.terms, spot.base), *spot));
            }
        }
        let writes = stays.iter().any(|stay| !stay.written.is_empty());
        let Changes { tame, wild } = execution.changes(&stores, &measures)?;
        let loads: Vec<Inst> = insts().filter(|&inst| is_load(kernel, inst)).collect();
        self.alone_leaves(&mut execution, &measures)?;
        // Who is left whatever a load gives does not depend on who writes there.
        if tame.is_empty() && loads.len() <= MOST_LOADS {
            for &load in &loads {
                execution.arbitrary.insert(load);
                if self.alone_leaves(&mut execution, &measures).is_none() {
                    execution.arbitrary.remove(&load);
                }
            }
        }
        let width = spots.first().and_then(|&(base, first)| {
            let same = spots.iter().all(|&(other, spot)| {
                (other, spot.offset, spot.bytes) == (base, first.offset, first.bytes) && spot.place == first.place
            });
            let steady = execution.terms.is_made_of(base, &|_| false);
            (same && steady && region.inner.is_empty() && tame.is_empty()).then_some(first.bytes)
        });
        let is_unused = |inst: Inst| {
            kernel.properties(inst).memory == Memory::Atomic
                && !kernel.opcode(inst).has(Modifier::Cas)
                && !is_result_used(facts, kernel, inst)
        };
        let needed = insts().filter(|inst| !execution.arbitrary.contains(inst) && !is_unused(*inst));
        let reads = needed.flat_map(|inst| accesses(facts, kernel, self.context, inst)).filter(|access| access.reads);
        let mut reads: Vec<Location> = reads.map(|access| access.place).collect();
        let mut known = FxHashSet::default();
        reads.retain(|&place| known.insert(place));
        Some(Proof::Leaves(Leaves { reads, stores, width, tame, wild, needs, writes }))
    }

    /// Proves that a lane leaves a loop, or that a measure advances, while nobody else writes.
    fn alone_leaves(&self, execution: &mut Execution<'_>, measures: &[Measure]) -> Option<()> {
        let start = execution.anywhere();
        let (start, words) = Measure::words(execution, &start)?;
        let measures = [measures, &words].concat();
        let written = if measures.is_empty() { Vec::new() } else { self.written_outside(execution.region) };
        let is_written = |spot: &Spot| written.iter().any(|place| place.may_meet(&spot.place));
        let advances = |execution: &mut Execution<'_>, state: &State, stay: &State, measure: &Measure| {
            measure.advances(execution, state, stay) && !measure.is_held_against(execution, state, stay, &is_written)
        };
        let mut states: Vec<State> = vec![start];
        for _ in 0..ITERATIONS {
            let mut next = Vec::new();
            for state in states {
                for stay in execution.iterate(state.clone(), Others::Idle)? {
                    if !measures.iter().any(|measure| advances(execution, &state, &stay, measure)) {
                        next.push(stay);
                    }
                }
            }
            if next.is_empty() {
                return Some(());
            }
            states = next;
        }
        None
    }

    /// Returns where the kernel writes outside a loop.
    fn written_outside(&self, region: &Region) -> Vec<Location> {
        let (facts, kernel) = (self.facts, self.kernel);
        let blocks = facts.cfg.blocks().filter(|&block| !region.contains(block));
        let insts = blocks.flat_map(|block| facts.cfg.insts(block).iter().copied());
        let all = insts.flat_map(|inst| accesses(facts, kernel, self.context, inst));
        all.filter(|access| access.writes).map(|access| access.place).collect()
    }

    /// The loops in one that end by themselves and write nothing.
    fn silent(&self, region: &Region, natural: &[Loop], candidates: &Candidates) -> FxHashSet<Loop> {
        let loops = &self.facts.loops;
        let bounded = |inner: Loop| {
            let mut of = candidates.values().filter(|candidate| candidate.id == Some(inner));
            of.any(|candidate| matches!(candidate.proof, Some(Proof::Bounded)))
        };
        let ends = |inner: Loop| !natural.contains(&inner) || bounded(inner);
        let writes = |inner: Loop| {
            let insts = loops.blocks(inner).iter().flat_map(|&block| self.facts.cfg.insts(block));
            insts.into_iter().any(|&inst| {
                matches!(self.kernel.properties(inst).memory, Memory::Write | Memory::Atomic | Memory::Unknown)
            })
        };
        let within = |one: Loop, other: Loop| loops.contains(one, loops.header(other));
        let inner = || region.inner.iter().copied();
        let all_end = |outer: Loop| inner().all(|inner| !within(outer, inner) || ends(inner));
        inner().filter(|&inner| all_end(inner) && !writes(inner)).collect()
    }
}
