//! Loops that lanes wait in together with a loop around them.
//!
//! ```text
//! for (i = 0; i < n; i++) {
//!     while (done[lane - 1] <= i)
//!         if (*cancelled) return;       lanes that go on and lanes that wait meet at the end of the kernel
//!     done[lane] = i + 1;
//! }
//! ```
//!
//! The branches of the inner loop part lanes until the end, so that the cycle that they make (`loops.rs`) is the loop around it, and the inner one is none. That the cycle ends
//! says nothing of the loops in it, then. So these are looked at by themselves as well, and the cycle waits for nobody only if none of them does.

use analysis::Analyses;
use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use ptx_parser::Inst;
use rustc_hash::FxHashSet;

use crate::detect::loops::{Cycle, CycleId, inner};
use crate::detect::spin_loops::{Waits, WaitsId};

/// The cycles of a kernel, and the loops in them that are none.
pub(crate) struct Nested {
    /// The cycles, and behind them these loops.
    all: PrimaryMap<CycleId, Cycle>,
    /// The number of them that are cycles.
    cycles: usize,
    /// Per loop that is no cycle, the cycles that it is in.
    holders: SecondaryMap<CycleId, Vec<CycleId>>,
}

/// Names a [`Together`] of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TogetherId(u32);
entity_impl!(TogetherId, "together");

/// A cycle that may wait, or has a loop that may.
pub(crate) struct Together {
    pub(crate) waits: Waits,
    /// The results for it, and for the loops in it.
    parts: Vec<WaitsId>,
}

impl Nested {
    pub(crate) fn of(facts: &Analyses, mut cycles: PrimaryMap<CycleId, Cycle>) -> Nested {
        let count = cycles.len();
        let mut holders = SecondaryMap::new();
        for (cycle, held_by) in inner(facts, &cycles) {
            holders[cycles.push(cycle)] = held_by;
        }
        Nested { all: cycles, cycles: count, holders }
    }

    /// The cycles, and the loops in them that are none.
    pub(crate) fn all(&self) -> &PrimaryMap<CycleId, Cycle> {
        &self.all
    }

    /// The cycles alone.
    pub(crate) fn into_cycles(self) -> PrimaryMap<CycleId, Cycle> {
        self.all.into_iter().take(self.cycles).map(|(_, cycle)| cycle).collect()
    }

    /// Combines the results for all loops into one result for each cycle.
    pub(crate) fn together(&self, found: &PrimaryMap<WaitsId, Waits>) -> PrimaryMap<TogetherId, Together> {
        let of_cycle = |cycle: CycleId| {
            let is_part = |waits: &Waits| waits.cycle == cycle || self.holders[waits.cycle].contains(&cycle);
            let parts: Vec<WaitsId> = found.keys().filter(|&part| is_part(&found[part])).collect();
            let (mut reads, mut known) = (Vec::new(), FxHashSet::default());
            for &part in &parts {
                reads.extend(found[part].reads.iter().copied().filter(|&read| known.insert(read)));
            }
            let weak = parts.iter().all(|&part| found[part].weak);
            let searches = parts.iter().all(|&part| found[part].searches);
            (!parts.is_empty()).then_some(Together { waits: Waits { cycle, reads, weak, searches }, parts })
        };
        self.all.keys().take(self.cycles).filter_map(of_cycle).collect()
    }
}

impl Together {
    /// Returns true if something holds of all parts.
    pub(crate) fn all(&self, holds: &PrimaryMap<WaitsId, bool>) -> bool {
        self.parts.iter().all(|&part| holds[part])
    }

    /// Returns what is assumed of all parts of which something else does not hold; `None` if one of them has nothing of the kind.
    pub(crate) fn each<'a, T>(
        &self,
        of: &'a PrimaryMap<WaitsId, Option<T>>,
        but: &PrimaryMap<WaitsId, bool>,
    ) -> Option<Vec<&'a T>> {
        self.parts.iter().filter(|&&part| !but[part]).map(|&part| of[part].as_ref()).collect()
    }

    /// The writes that all parts have in common, but for those of which something else holds.
    pub(crate) fn common(
        &self,
        writes: &PrimaryMap<WaitsId, FxHashSet<Inst>>,
        but: &PrimaryMap<WaitsId, bool>,
    ) -> FxHashSet<Inst> {
        let mut parts = self.parts.iter().filter(|&&part| !but[part]);
        let first = parts.next().or(self.parts.first());
        let mut common = first.map(|&part| writes[part].clone()).unwrap_or_default();
        parts.for_each(|&part| common.retain(|write| writes[part].contains(write)));
        common
    }
}
