//! The registers that a loop follows, and whether it takes them back.
//!
//! ```text
//! while (i) { i--; if (!i && !flag) i = 2; }                   counts again and again while it waits
//! ```
//!
//! Who goes round a loop moves on by a register if that is taken back nowhere on the way, or only where the lane moves on otherwise: a search that begins anew because others have changed
//! what it found, a counter of columns that begins anew in each row. So registers are taken one after the other. One is a step where no way around leads by an edge that takes it back, over no
//! step of those before it.

use analysis::{Block, Value, ValueKind};
use rustc_hash::FxHashSet;

use super::loop_facts::{LoopFacts, MOST_VALUES, Steps};
use super::traversal::Followed;
use crate::detect::lock_free::bounded_loops::Bound;

/// A register that a loop follows.
#[derive(Default)]
pub(super) struct Register {
    /// The edges by which it becomes the next link, or the next number.
    pub(super) next: Vec<((Block, Block), Followed)>,
    /// Those by which it becomes something else.
    back: Vec<(Block, Block)>,
}

impl LoopFacts<'_> {
    /// Adds the steps by the registers that the loop, or one in it, follows.
    pub(super) fn follow_registers(&self, steps: &mut Steps) {
        let phis = self.cycle.blocks(self.facts).iter().flat_map(|&block| self.facts.values.phis(block));
        let mut left: Vec<(LoopFacts<'_>, Register)> =
            phis.filter_map(|&phi| self.followed(phi)).filter(|(_, register)| !register.next.is_empty()).collect();
        let told = steps.told.keys().filter(|edge| !self.is_own(edge, steps));
        let mut over: FxHashSet<(Block, Block)> =
            steps.edges.iter().chain(steps.swapped.keys()).chain(told).copied().collect();
        loop {
            let is_step = |(look, register): &(LoopFacts<'_>, Register)| {
                !register.back.iter().any(|&back| !over.contains(&back) && look.comes_around_by(back, &over))
            };
            let Some(at) = left.iter().position(is_step) else { return };
            for (edge, Followed { end, apart }) in left.swap_remove(at).1.next {
                over.insert(edge);
                steps.edges.insert(edge);
                steps.assumed.ends.push(end);
                steps.assumed.apart.extend(apart);
            }
        }
    }

    /// Returns what becomes of a register at the beginning of the loop, or of one in it.
    fn followed(&self, phi: Value) -> Option<(LoopFacts<'_>, Register)> {
        let facts = self.facts;
        if !self.is_header(facts.values.block(phi)) {
            return None;
        }
        let inner = facts
            .loops
            .innermost(facts.values.block(phi))
            .filter(|&id| facts.loops.header(id) == facts.values.block(phi) && self.contains_all(id));
        let look = LoopFacts { inner, ..*self };
        let in_vain = || inner.or(self.cycle.natural()).is_some_and(|id| self.bounds.bound(id) == Some(Bound::InVain));
        let count = |input: Value, met: Value| look.count(phi, input, met).filter(|_| !in_vain());
        let next = |input: Value, met: Value, edge: (Block, Block)| {
            let link = look.link(phi, input, met, edge).or_else(|| count(input, met));
            link.or_else(|| look.search(phi, input)).or_else(|| look.comes_around(phi, input))
        };
        let register = look.taken_up(phi, &next);
        Some((look, register))
    }

    /// The edges by which a register at the beginning of a loop becomes something that is followed, as a value and where it meets others say, and the other ones.
    pub(super) fn taken_up(
        &self,
        phi: Value,
        next: &dyn Fn(Value, Value, (Block, Block)) -> Option<Followed>,
    ) -> Register {
        let facts = self.facts;
        let (mut seen, mut work, mut found) = (FxHashSet::default(), vec![phi], Register::default());
        while let Some(value) = work.pop() {
            if !seen.insert(value) {
                continue;
            }
            let block = facts.values.block(value);
            let is_known = seen.len() <= MOST_VALUES && (value == phi || !self.is_header(block));
            for &(from, input) in facts.values.phi_inputs(value) {
                if !self.contains(from) {
                    continue;
                }
                let input = self.origin(self.chosen_at(input, (from, block)));
                let is_phi = matches!(facts.values.kind(input), ValueKind::Phi(..));
                if !is_known {
                    found.back.push((from, block));
                } else if is_phi && self.contains(facts.values.block(input)) {
                    work.push(input);
                } else if let Some(followed) = next(input, value, (from, block)).filter(|_| !is_phi) {
                    found.next.push(((from, block), followed));
                } else {
                    found.back.push((from, block));
                }
            }
        }
        found
    }

    /// Returns true if a way leads from an edge back to it over none of some edges.
    fn comes_around_by(&self, edge: (Block, Block), over: &FxHashSet<(Block, Block)>) -> bool {
        let (mut seen, mut work) = (FxHashSet::default(), vec![(self.came_by(None, edge.0, edge.1), edge.1)]);
        while let Some((by, block)) = work.pop() {
            for next in self.next(by, block).into_iter().filter(|&next| self.contains(next)) {
                if (block, next) == edge {
                    return true;
                }
                let way = (self.came_by(by, block, next), next);
                if !over.contains(&(block, next)) && seen.insert(way) {
                    work.push(way);
                }
            }
        }
        false
    }
}
