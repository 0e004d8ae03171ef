//! Loops that try to get a place which they choose by what they read, in an array that nothing outside the loop writes to by its name.
//!
//! ```text
//! retry: n = how many of bucket[0 … 15] are taken;
//!        if (n == 16) goto full;
//!        if (CAS(&bucket[n], none, key) != none) goto retry;
//! where[t] = n;                                              may be the bucket, as far as PTX says
//! ```
//!
//! Whoever gets another lane out of such a loop has to write to the array, and all who write there are in the loop themselves, where nobody keeps them back. That what is
//! written behind the loop through
//! another pointer is not written there is assumed and told. A wait has the same form if its end is told through another pointer, such as one to the neighbour's flag. So
//! this holds only where
//!
//! - each round tries, by an atomic at an address that is made from what was read in the same array: who polls a flag, or asks for one lock, does not choose;
//! - all that decides is read in that array;
//! - the other writes are none by which threads tell each other something: plain stores, and sums of which nobody looks at the result, without a fence on the way to them.

use analysis::{Analyses, Block};
use cranelift_entity::PrimaryMap;
use ptx_parser::{Inst, Kernel, Memory, Modifier, Ordering};
use rustc_hash::FxHashSet;

use super::super::bounded_loops::Bounds;
use super::super::sampled_values::Samples;
use super::super::symbolic_access::is_result_used;
use super::loop_facts::{Asked, LoopFacts, MOST_VALUES};
use crate::detect::accesses::{accesses, calls_anything};
use crate::detect::alias::{Root, place};
use crate::detect::loops::{Cycle, CycleId};
use crate::detect::module_context::Context;
use crate::detect::spin_loops::{Waits, WaitsId};

/// Returns, per loop that may wait, the writes outside it that are assumed to be elsewhere than in the array where it looks for a place.
pub(crate) fn elsewhere(
    facts: &Analyses,
    kernel: &Kernel,
    context: &Context,
    cycles: &PrimaryMap<CycleId, Cycle>,
    waits: &PrimaryMap<WaitsId, Waits>,
) -> PrimaryMap<WaitsId, FxHashSet<Inst>> {
    let bounds = Bounds::of(facts, kernel);
    let samples = &Samples::new(facts, kernel);
    let of = |waits: &Waits| {
        let asked = Asked::default();
        let cycle = &cycles[waits.cycle];
        let blocks = Default::default();
        let (inner, bounds, blocks, asked) = (None, &bounds, &blocks, &asked);
        let look = LoopFacts { facts, kernel, context, samples, cycle, inner, bounds, blocks, asked };
        look.elsewhere(&waits.reads).unwrap_or_default()
    };
    waits.values().map(of).collect()
}

impl LoopFacts<'_> {
    fn elsewhere(&self, deciding: &[Inst]) -> Option<FxHashSet<Inst>> {
        let (facts, kernel) = (self.facts, self.kernel);
        let insts = || facts.cfg.blocks().flat_map(|block| facts.cfg.insts(block).iter().copied());
        if insts().any(|inst| calls_anything(kernel, self.context, inst)) {
            return None;
        }
        let name = |inst: Inst| Some(place(facts, kernel, inst).extent().0).filter(|root| *root != Root::Unknown);
        let array = name(*deciding.first()?)?;
        let is_there = |inst: &Inst| name(*inst) == Some(array);
        if !deciding.iter().all(is_there) {
            return None;
        }
        let tries = self.cycle.insts(facts).filter(|inst| is_there(inst) && self.is_try(*inst));
        let chosen = tries.filter(|&inst| {
            let read = self.read_at(inst).map(|at| self.reads_behind(vec![at], MOST_VALUES));
            read.is_some_and(|reads| reads.iter().any(is_there))
        });
        let tried: FxHashSet<Block> = chosen.filter_map(|inst| facts.cfg.block_of(inst)).collect();
        if tried.is_empty() || self.goes_round_without(&tried) {
            return None;
        }
        let reads: Vec<_> = deciding.iter().map(|&inst| place(facts, kernel, inst)).collect();
        let told = self.behind_fences();
        let is_elsewhere = |inst: &Inst| {
            let all = accesses(facts, kernel, self.context, *inst).into_iter().filter(|access| access.writes);
            let places: Vec<_> = all.map(|access| access.place).collect();
            let named_otherwise = |place| reads.iter().all(|read| read.has_another_name(place));
            let block = facts.cfg.block_of(*inst);
            let may_be_there = |place| reads.iter().any(|read| read.may_alias(place));
            places.iter().any(may_be_there)
                && places.iter().all(named_otherwise)
                && block.is_some_and(|block| !self.contains(block) && !told.contains(&block))
                && self.tells_nobody(*inst)
        };
        Some(insts().filter(is_elsewhere).collect())
    }

    /// Returns whether an instruction tries to change a word, and says what it has found there.
    fn is_try(&self, inst: Inst) -> bool {
        let opcode = self.kernel.opcode(inst);
        self.kernel.properties(inst).memory == Memory::Atomic
            && self.kernel.inst(inst).guard.is_none()
            && opcode.has_any(&[Modifier::Cas, Modifier::Max, Modifier::Min])
            && is_result_used(self.facts, self.kernel, inst)
    }

    /// Returns whether a write is a plain store, or a sum of which nobody looks at the result.
    fn tells_nobody(&self, inst: Inst) -> bool {
        let properties = self.kernel.properties(inst);
        match properties.memory {
            Memory::Write => properties.ordering == Ordering::Weak,
            Memory::Atomic => {
                let adds = self.kernel.opcode(inst).has(Modifier::Add);
                adds && !is_result_used(self.facts, self.kernel, inst)
            }
            _ => false,
        }
    }

    /// Returns whether a way leads around from where the loop begins without coming by some blocks.
    fn goes_round_without(&self, blocks: &FxHashSet<Block>) -> bool {
        let &[entry] = self.cycle.entries.as_slice() else { return true };
        let (mut seen, mut work) = (FxHashSet::default(), vec![entry]);
        while let Some(block) = work.pop() {
            if blocks.contains(&block) {
                continue;
            }
            for next in self.facts.cfg.distinct_succs(block).into_iter().filter(|&next| self.contains(next)) {
                if next == entry {
                    return true;
                }
                work.extend(seen.insert(next).then_some(next));
            }
        }
        false
    }

    /// The blocks that a fence leads to, its own one among them.
    fn behind_fences(&self) -> FxHashSet<Block> {
        let cfg = &self.facts.cfg;
        let fences =
            |block: &Block| cfg.insts(*block).iter().any(|&inst| self.kernel.properties(inst).memory == Memory::Fence);
        let mut work: Vec<Block> = cfg.blocks().filter(fences).collect();
        let mut seen: FxHashSet<Block> = work.iter().copied().collect();
        while let Some(block) = work.pop() {
            work.extend(cfg.distinct_succs(block).into_iter().filter(|&next| seen.insert(next)));
        }
        seen
    }
}
