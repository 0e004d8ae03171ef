//! Stores of a loop that lanes which stay do not make again and again, because an atomic that changes memory goes with each of them.
//!
//! ```text
//! b = bottom - 1; bottom = b;                    each round
//! if (t == b) { if (CAS(&top, t, t + 1) != t) return;
//!               bottom = b + 1; }                only behind a swap that succeeds
//! ```
//!
//! Two lanes undo each other's announcements for ever only if each of them stores two numbers to one place again and again. If each way by which a lane stays, and makes one
//! of the two stores, also leads over a comparison and swap that succeeds and changes what it finds, or over a number that is added to a word which the loop writes in no other way, then
//! this store ends with those. That these end is assumed and told: swaps among the steps, sums among the ends. Another lane cannot have the swap succeed, so that whoever only waits
//! makes none.
//!
//! All ways are executed while others may do anything. Of loops in this one, the last two iterations are followed; what is stored in them may have been stored before
//! those, and is not limited. What a walk exchanges ends with the walk (`exchange_walks`).

use analysis::Block;
use ptx_parser::{Inst, Memory, Modifier};
use rustc_hash::FxHashSet;

use super::assumptions::Assumed;
use super::loop_facts::LoopFacts;
use super::solo_execution::MOST_BLOCKS;
use crate::detect::lock_free::region::Region;
use crate::detect::lock_free::symbolic_execution::{Execution, Others, State};
use crate::detect::lock_free::symbolic_memory::{How, Written};
use crate::detect::lock_free::terms::Term;

/// The stores that are limited in number, and the atomics of which that is assumed.
#[derive(Default)]
pub(super) struct Limited {
    pub(super) stores: FxHashSet<Inst>,
    pub(super) assumed: Assumed,
}

impl LoopFacts<'_> {
    /// Returns those of some stores of the loop that a lane which stays makes only with an atomic that changes memory.
    pub(super) fn limited(&self, stores: &FxHashSet<Inst>) -> Limited {
        self.limited_ways(stores).unwrap_or_default()
    }

    fn limited_ways(&self, stores: &FxHashSet<Inst>) -> Option<Limited> {
        let (facts, kernel) = (self.facts, self.kernel);
        let mut limited = Limited::default();
        if stores.is_empty() {
            return Some(limited);
        }
        let atomics: FxHashSet<Inst> = self.cycle.insts(facts).filter(|&inst| self.is_swap_or_sum(inst)).collect();
        let is_swap = |inst: &Inst| kernel.opcode(*inst).has(Modifier::Cas);
        let (mut sums, mut apart) = (Vec::new(), Vec::new());
        for &inst in atomics.iter().filter(|inst| !is_swap(inst)) {
            if let Some(elsewhere) = self.is_counted_alone(inst) {
                sums.push(inst);
                apart.extend(elsewhere);
            }
        }
        let mut left: Vec<Inst> = Vec::new();
        for &store in stores {
            if self.is_always_with(store, &sums) {
                limited.stores.insert(store);
                limited.assumed.ends.clone_from(&sums);
                limited.assumed.apart.clone_from(&apart);
            } else {
                left.push(store);
            }
        }
        if let Some(exchanged) = self.exchanged().filter(|_| !left.is_empty()) {
            left.retain(|store| !exchanged.stores.contains(store));
            limited.stores.extend(exchanged.stores);
            limited.assumed.add(exchanged.assumed);
        }
        if !left.is_empty() && atomics.iter().any(is_swap) {
            self.limited_by_swaps(&left, &mut limited);
        }
        Some(limited)
    }

    /// Returns true if no way leads from an instruction back to it that leads over none of some unguarded others.
    pub(super) fn is_always_with(&self, inst: Inst, others: &[Inst]) -> bool {
        let (facts, kernel) = (self.facts, self.kernel);
        let others = others.iter().filter(|&&other| kernel.inst(other).guard.is_none());
        let with: FxHashSet<Block> = others.filter_map(|&other| facts.cfg.block_of(other)).collect();
        let Some(block) = facts.cfg.block_of(inst) else { return false };
        let (mut seen, mut work) = (FxHashSet::default(), vec![block]);
        while let Some(from) = work.pop() {
            if with.contains(&from) {
                continue;
            }
            for next in facts.cfg.distinct_succs(from) {
                if next == block {
                    return false;
                }
                work.extend((self.contains(next) && seen.insert(next)).then_some(next));
            }
        }
        true
    }

    /// Adds those of some stores that a lane which stays makes only where a swap of it succeeds.
    fn limited_by_swaps(&self, stores: &[Inst], limited: &mut Limited) -> Option<()> {
        let (facts, kernel) = (self.facts, self.kernel);
        let region = Region::of_cycle(facts, self.cycle)?;
        if region.blocks.iter().any(|&block| facts.loops.is_irreducible(block)) {
            return None;
        }
        let none = FxHashSet::default();
        let mut execution = Execution::new(facts, kernel, &region, &none, &none);
        execution.blocks = MOST_BLOCKS;
        execution.passed = region.inner.iter().copied().collect();
        let start = execution.anywhere();
        let stays = execution.iterate(start, Others::Busy)?;
        let is_inner = |inst: Inst| {
            let block = facts.cfg.block_of(inst);
            block.is_none_or(|block| region.inner.iter().any(|&id| facts.loops.contains(id, block)))
        };
        let mut written = Vec::new();
        for stay in &stays {
            for &one in &stay.written {
                written.push((one, stay.known.canonical(&mut execution.terms, one.spot.base)));
            }
        }
        let mut used = FxHashSet::default();
        for &store in stores.iter().filter(|&&store| !is_inner(store)) {
            let mut with = stays.iter().filter(|stay| stay.written.iter().any(|written| written.inst == store));
            let changes: Option<Vec<Inst>> = with.try_fold(Vec::new(), |mut changes, stay| {
                changes.push(self.swapped(&mut execution, stay, &written)?);
                Some(changes)
            });
            if let Some(changes) = changes {
                limited.stores.insert(store);
                used.extend(changes);
            }
        }
        limited.assumed.steps.extend(used);
        Some(())
    }

    /// Returns true if an instruction is a comparison and swap, or adds a number to a word.
    fn is_swap_or_sum(&self, inst: Inst) -> bool {
        let (kernel, opcode) = (self.kernel, self.kernel.opcode(inst));
        let operand = kernel.operands(inst).last();
        let number = || operand.and_then(|operand| self.facts.values.constant(kernel, inst, operand));
        kernel.properties(inst).memory == Memory::Atomic
            && (opcode.has(Modifier::Cas) || opcode.has(Modifier::Add) && number().is_some_and(|number| number != 0))
    }

    /// A comparison and swap that has changed memory for certain on a way by which a lane stays, at a place that is written by swaps alone on all such ways.
    fn swapped(&self, execution: &mut Execution<'_>, stay: &State, all: &[(Written, Term)]) -> Option<Inst> {
        let is_swap = |inst: Inst| self.kernel.opcode(inst).has(Modifier::Cas);
        for written in stay.written.iter().filter(|written| is_swap(written.inst)) {
            let How::Changed(old, new) = written.how else { continue };
            let same = execution.terms.equal(old, new);
            if stay.known.holds(&mut execution.terms, same) != Some(false) {
                continue;
            }
            let base = stay.known.canonical(&mut execution.terms, written.spot.base);
            let is_steady = execution.terms.is_made_of(base, &|_| false);
            let is_apart = |(other, at): &(Written, Term)| {
                let (from, to) = (written.spot.offset, other.spot.offset);
                let beside =
                    from >= to.saturating_add(other.spot.bytes) || to >= from.saturating_add(written.spot.bytes);
                is_steady && *at == base && beside || !other.spot.place.may_meet(&written.spot.place)
            };
            if all.iter().all(|other| is_swap(other.0.inst) || is_apart(other)) {
                return Some(written.inst);
            }
        }
        None
    }
}
