//! Walks on which lanes exchange what they come by: who comes to a place first leaves, who comes second goes on along what it has found there.
//!
//! ```text
//! seen = exchange(&place[right], left);                  two children meet at their parent
//! if (seen == none) return;
//! right = seen;                                          or left = seen, where the exchange was at the other end
//! ```
//!
//! Two lanes undo each other's stores for ever only if they come to one place again and again. If each round takes up a link that an exchange has found, and these links
//! come to an end, as is assumed and told of all links, then the exchanges end with them. A lane that begins anew on some way comes to the places before again, and
//! whoever puts something else there may let others in: so each round takes up a link, and nothing writes there but these exchanges, neither in the loop nor outside it.
//!
//! What waits in this form is a walk over locks, which are given back by a store to the same array.

use ptx_parser::{Inst, Memory, Modifier};
use rustc_hash::FxHashSet;

use super::assumptions::Assumed;
use super::limited_stores::Limited;
use super::loop_facts::{LoopFacts, Steps};
use crate::detect::accesses::accesses;
use crate::detect::alias::Location;

impl LoopFacts<'_> {
    /// Returns the exchanges of a walk that takes up what one of them has found in each round.
    pub(super) fn exchanged(&self) -> Option<Limited> {
        let (facts, kernel) = (self.facts, self.kernel);
        let &[entry] = self.cycle.entries.as_slice() else { return None };
        let mut steps = Steps::default();
        let (mut stores, mut apart) = (FxHashSet::<Inst>::default(), Vec::new());
        let exchanges =
            |inst: Inst| kernel.properties(inst).memory == Memory::Atomic && kernel.opcode(inst).has(Modifier::Exch);
        for &phi in facts.values.phis(entry) {
            let all = self.taken_up(phi, &|input, met, edge| self.link(phi, input, met, edge)).next.into_iter();
            for (edge, followed) in all.filter(|(_, followed)| exchanges(followed.end)) {
                steps.edges.insert(edge);
                stores.insert(followed.end);
                apart.extend(followed.apart);
            }
        }
        if stores.is_empty() || self.goes_round(&steps) {
            return None;
        }
        let places =
            |inst: Inst| accesses(facts, kernel, self.context, inst).into_iter().filter(|access| access.writes);
        let own: Vec<Location> = stores.iter().flat_map(|&inst| places(inst)).map(|access| access.place).collect();
        let mut others = self.cycle.insts(facts).filter(|inst| !stores.contains(inst)).flat_map(places);
        if others.any(|access| own.iter().any(|own| own.may_meet(&access.place))) {
            return None;
        }
        for &store in &stores {
            apart.extend(self.unwritten(store, false)?);
        }
        let ends = stores.iter().copied().collect();
        Some(Limited { stores, assumed: Assumed { ends, apart, ..Assumed::default() } })
    }
}
