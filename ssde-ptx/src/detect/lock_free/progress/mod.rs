//! Loops in which a lane alone moves on in each round, so that it comes to an end if what it follows does.
//!
//! ```text
//! retry: t = tail; next = t->next;
//!        if (t != tail) goto retry;                                  others have moved
//!        if (next) { CAS(&tail, t, next); goto retry; }              this lane has moved
//!        if (CAS(&t->next, 0, n) …                                   a constant: no step by itself
//! ```
//!
//! Where a proof from every state of memory (`mod.rs`) fails, because lists may have cycles and pointers may lead anywhere, this one may hold, on assumptions that
//! are told to the user. It looks at the ways around a loop without executing them. Some edges are *steps*, which a lane that goes round for ever cannot take again and again
//! while nobody else writes:
//!
//! - *Others have moved*: what is read is not what was read at the same address before, in this round or the last one. A comparison and swap that fails is such a read, if what
//!   it compares with was read there and is read again on each way around; one that compares with a constant, with what was read before the loop, or with what was read elsewhere than at the place that is chosen (`alias`), is none.
//! - *The lane has moved*: behind a comparison and swap of that kind, which changes what it finds, a way on which no branch leads out of the loop, if the lane stays because of what it compares.
//!   One that stays because of something else, or of bits that the swap leaves alone (`tested_bits`), may do that again and again while it waits. So may one that
//!   counts, if nothing on the way says that this comes to an end (`counter_swaps`), and one by which the word may come back to what it was (`reversible_swaps`). Nor is it a step if the lane has written there itself
//!   before, on a way without one: it may set a bit and clear it again for as long as it waits.
//! - *It helps*: a comparison and swap at whose result nobody looks, with what was read of a word that holds the lane up, where a descriptor says that is found by it. That this is that
//!   word is assumed.
//! - *It follows links*: a register becomes what is read where it leads to, on all ways that meet there, never what it or another register was, and the loop compares it with no link, with what stays, or with another link. *It counts*: a register and a
//!   number or the number of all threads, which is compared with something that stays where the loop is left, or a place in a table with the one where the search began (`cyclic_search`); or a ticket that it takes from a counter in memory, which is before something
//!   that stays (`tickets`). So do a register that gets less by a difference (`decreasing_registers`), and a window over what is read (`sliding_windows`). *It searches*: a register that an address is made from becomes
//!   another number, and nothing outside the loop writes there. That all of these come to an end is assumed. None of them is a step where another way takes the register back (`followed_registers`).
//!
//! If no way leads around the loop but over steps, or if executing the others on terms shows that a lane alone takes none of them again and again (`solo_execution`), a lane that is alone leaves: because what it has
//! read and written leads it elsewhere in the next round, or because a register or a word gets less, or greater, each time, or because the slot of a ring says that others have moved on (`ring_slots`). A
//! lane that waits for a lock or a flag goes round without one. What inner loops leave true counts there (`inner_loop_invariants`), what the loop itself leaves true of registers and of the lane's own memory
//! (`loop_invariants`), and that links where walks begin are not marked (`unmarked_links`).
//!
//! Lanes that stay must not store twice where such loops read: two lanes that both announce themselves, see each other and take it back may do so for ever. Stores that an atomic
//! limits, or a walk that ends (`exchange_walks`), do not count (`limited_stores.rs`). By their steps lanes are assumed not to undo each other's work for ever.
//!
//! Places are told apart by names here: different pointers and variables lead to different memory, an index stays in its array. The stores of which that is assumed are part of
//! what is told, as far as the loop reads what they might change. A lane that only its own store could keep in the loop waits for nobody: such a store is taken to be elsewhere if its address is made
//! in another way, and told, where nothing is shown otherwise. Where a pointer in memory leads, no
//! array of plain numbers is that is written through a parameter (`stable_reads`).
//!
//! A loop in which a lane alone may stay waits for nobody all the same if nothing but the loop itself writes where it tries to get a place (`slot_claims`).

mod assumptions;
mod clear_bits;
mod counter_ends;
mod counter_swaps;
mod cyclic_search;
mod decreasing_registers;
mod dependent_reads;
mod exchange_walks;
mod followed_registers;
mod limited_stores;
mod linear_addresses;
mod loop_facts;
mod loop_paths;
mod mismatched_swaps;
mod prior_reads;
mod refuted_tests;
mod reversible_swaps;
mod ring_slots;
mod sliding_windows;
mod slot_claims;
mod solo_execution;
mod stable_reads;
mod steps;
mod tested_bits;
mod tickets;
mod traversal;
mod unmarked_links;

use std::cell::Cell;

use analysis::{Analyses, Block, Loop};
use cranelift_entity::PrimaryMap;
use ptx_parser::{Inst, Kernel, Memory, Modifier};
use rustc_hash::{FxHashMap, FxHashSet};

use super::bounded_loops::Bounds;
use super::sampled_values::Samples;
use super::size_limits::LARGEST;
use crate::detect::accesses::{accesses, calls_anything};
use crate::detect::alias::Location;
use crate::detect::loops::{Cycle, CycleId};
use crate::detect::module_context::Context;
use crate::detect::spin_loops::{Waits, WaitsId};
pub(crate) use assumptions::Assumed;
use limited_stores::Limited;
use loop_facts::{Asked, LoopFacts, Steps};
pub(crate) use slot_claims::elsewhere;

/// The most blocks that are executed for all loops of a kernel, which takes some seconds. Loops that are unrolled many times are found rather than looked at for minutes.
const MOST_BLOCKS: usize = 100_000;

/// Per loop that may wait, what has to be assumed for it to wait for nobody; `None` if it may wait all the same.
pub(crate) fn moving_on(
    facts: &Analyses,
    kernel: &Kernel,
    context: &Context,
    cycles: &PrimaryMap<CycleId, Cycle>,
    waits: &PrimaryMap<WaitsId, Waits>,
) -> PrimaryMap<WaitsId, Option<Assumed>> {
    let asked: PrimaryMap<WaitsId, Asked> = waits.values().map(|_| Asked::default()).collect();
    let blocks = Cell::new(MOST_BLOCKS);
    let bounds = Bounds::of(facts, kernel);
    let samples = Samples::new(facts, kernel);
    let cycle_of = |id: WaitsId| &cycles[waits[id].cycle];
    let look_at = |id: WaitsId| {
        let (cycle, asked) = (cycle_of(id), &asked[id]);
        LoopFacts {
            facts,
            kernel,
            context,
            samples: &samples,
            cycle,
            inner: None,
            bounds: &bounds,
            blocks: &blocks,
            asked,
        }
    };
    let moves_on =
        |look: LoopFacts<'_>| (look.cycle.size(facts) <= LARGEST && !look.spoils()).then(|| look.moves_on()).flatten();
    let mut moving: PrimaryMap<WaitsId, Option<Assumed>> = waits.keys().map(|id| moves_on(look_at(id))).collect();
    // Who goes round in a cycle of another shape goes round in the natural loop around it.
    let mut natural: FxHashMap<Loop, Option<Assumed>> = FxHashMap::default();
    for (id, moves) in &moving {
        natural.extend(cycle_of(id).natural().map(|natural| (natural, moves.clone())));
    }
    for (id, moves) in &mut moving {
        let around = if moves.is_none() { cycle_of(id).around(facts) } else { None };
        if let Some((around, shape)) = around.as_ref().and_then(|around| Some((around, around.natural()?))) {
            let asked = Asked::default();
            let look = || LoopFacts { cycle: around, asked: &asked, ..look_at(id) };
            moves.clone_from(natural.entry(shape).or_insert_with(|| moves_on(look())));
        }
    }
    let places = |inst: Inst, writes: bool| {
        let all = accesses(facts, kernel, context, inst).into_iter();
        all.filter(move |access| if writes { access.writes } else { access.reads }).map(|access| access.place)
    };
    let mut limited: FxHashMap<WaitsId, Limited> = FxHashMap::default();
    // Each round leaves out those whose reads may be stored to by lanes that stay in the others.
    loop {
        let ids: Vec<WaitsId> = waits.keys().filter(|&id| moving[id].is_some()).collect();
        let stored: Vec<(WaitsId, Inst, Location)> = ids
            .iter()
            .flat_map(|&id| cycle_of(id).insts(facts).map(move |inst| (id, inst)))
            .filter(|&(_, inst)| {
                kernel.properties(inst).memory != Memory::Atomic || kernel.opcode(inst).has(Modifier::Exch)
            })
            .flat_map(|(id, inst)| places(inst, true).map(move |place| (id, inst, place)))
            .collect();
        // Where a lane stores twice in a round, it may take back what it has said.
        let others = |&(id, inst, place): &(WaitsId, Inst, Location)| -> Vec<Inst> {
            let look = look_at(id);
            let is_other = |&&(other_id, other, at): &&(WaitsId, Inst, Location)| {
                let another = other_id == id && other != inst && at.bytes() == place.bytes();
                another && at.may_meet(&place) && !look.is_apart(inst, other)
            };
            stored.iter().filter(is_other).map(|&(_, other, _)| other).collect()
        };
        for &id in &ids {
            limited.entry(id).or_insert_with(|| {
                let twice = stored.iter().filter(|stored| stored.0 == id && !others(stored).is_empty());
                look_at(id).limited(&twice.map(|&(_, inst, _)| inst).collect())
            });
        }
        let is_again = |stored: &(WaitsId, Inst, Location)| {
            let is_limited =
                |store: &Inst| limited.get(&stored.0).is_some_and(|limited| limited.stores.contains(store));
            !is_limited(&stored.1)
                && others(stored).iter().any(|other| !is_limited(other))
                && !look_at(stored.0).links_own_node(stored.1)
        };
        let mut failing = Vec::new();
        for &id in &ids {
            let look = look_at(id);
            let reads: Vec<Location> = look.direct().into_iter().flat_map(|read| places(read, false)).collect();
            let meets =
                |meet: fn(&Location, &Location) -> bool, place: &Location| reads.iter().any(|read| meet(read, place));
            let mut again = stored.iter().filter(|stored| meets(Location::may_meet, &stored.2) && is_again(stored));
            if let Some(first) = again.next() {
                failing.push((first.0 != id && again.all(|stored| stored.0 != id), id));
                continue;
            }
            let apart = stored.iter().filter(|stored| meets(Location::may_alias, &stored.2)).map(|&(_, inst, _)| inst);
            let apart: FxHashSet<Inst> = apart.collect();
            let mut apart: Vec<Inst> = apart.into_iter().collect();
            apart.sort_unstable();
            if let Some(assumed) = &mut moving[id] {
                assumed.add(Assumed { apart, ..Assumed::default() });
            }
        }
        // Those that take back what they say themselves go first: the others may only have read that.
        let only_reads = failing.iter().all(|&(only_reads, _)| only_reads);
        if failing.is_empty() {
            for id in ids {
                if let (Some(assumed), Some(limited)) = (&mut moving[id], limited.remove(&id)) {
                    assumed.add(limited.assumed);
                    // The lane leaves once no other one is in its way again and again: by what each of them does here.
                    if *assumed == Assumed::default() {
                        let insts = cycle_of(id).insts(facts);
                        assumed.steps =
                            insts.filter(|&inst| kernel.properties(inst).memory == Memory::Atomic).collect();
                        assumed.steps.sort_unstable();
                    }
                }
            }
            return moving;
        }
        for (reads, id) in failing {
            if reads == only_reads {
                moving[id] = None;
            }
        }
    }
}

impl LoopFacts<'_> {
    /// Returns what has to be assumed for a lane alone to leave; `None` if a way around leads over no step.
    fn moves_on(&self) -> Option<Assumed> {
        if self.cycle.insts(self.facts).any(|inst| calls_anything(self.kernel, self.context, inst)) {
            return None;
        }
        let mut steps = Steps::default();
        for &block in self.cycle.blocks(self.facts) {
            self.comparisons(block, &mut steps);
            for &inst in self.facts.cfg.insts(block) {
                self.unlooked(block, inst, &mut steps);
                self.helping(block, inst, &mut steps);
                self.ticket(inst, &mut steps);
            }
        }
        self.follow_registers(&mut steps);
        steps.told.retain(|edge, _| !steps.edges.contains(edge));
        steps.swapped.retain(|edge, _| !steps.edges.contains(edge));
        steps.edges.extend(steps.told.keys());
        steps.edges.extend(steps.swapped.keys());
        let edges = steps.edges.iter().copied().filter(|edge| !self.is_own(edge, &steps)).collect();
        let without_own = Steps { edges, ..Steps::default() };
        let mut assumed = Assumed::default();
        if self.goes_round(&without_own) {
            assumed.add(self.steps_alone(&steps)?);
        }
        assumed.add(steps.assumed);
        Some(assumed)
    }

    /// Returns true if the lane itself changes what tells on an edge that others have moved: only executing the loop says who has done that.
    fn is_own(&self, edge: &(Block, Block), steps: &Steps) -> bool {
        !steps.swapped.contains_key(edge) && steps.told.get(edge).is_some_and(|reads| self.changes_any(reads))
    }

    /// Returns true if the loop writes where one of some reads may be that has this name, by an atomic that is no comparison and swap, or by a store at the same address. Other stores
    /// are taken to be elsewhere.
    fn changes_any(&self, reads: &[Inst]) -> bool {
        let places = |inst: Inst| accesses(self.facts, self.kernel, self.context, inst);
        let writes = |inst: Inst, read: Inst| {
            let meet = |written: &Location| places(read).iter().any(|access| access.place.may_meet(written));
            let is_atomic = self.kernel.properties(inst).memory == Memory::Atomic;
            let changes = is_atomic && !self.kernel.opcode(inst).has(Modifier::Cas)
                || !is_atomic && self.is_at_one_address(inst, read);
            changes && places(inst).iter().any(|access| access.writes && meet(&access.place))
        };
        self.cycle.insts(self.facts).any(|inst| reads.iter().any(|&read| writes(inst, read)))
    }

    /// Returns true if a store of the loop certainly changes a part of a word by which it decides, and not all of it: what a swap compares with may be the old word for ever then.
    fn spoils(&self) -> bool {
        let decides = self.direct();
        let stores = self.cycle.insts(self.facts).filter(|&inst| self.kernel.properties(inst).memory == Memory::Write);
        stores.into_iter().any(|store| decides.iter().any(|&read| self.is_in_part_at(store, read)))
    }
}
