//! The ways by which a lane comes around a loop that is alone, executed on terms.

use rustc_hash::FxHashSet;

use super::{Look, Steps};
use crate::lock_free::LARGEST;
use crate::lock_free::execute::{Execution, Others, State};
use crate::lock_free::region::Region;

/// How many iterations without a step a lane is followed.
const ITERATIONS: usize = 4;

impl Look<'_> {
    /// Whether a lane that is alone comes around again and again only over steps: from any state, it leaves or takes one within a few iterations. The loops in
    /// this one are taken to end, since they are looked at by themselves.
    pub(super) fn steps_alone(&self, steps: &Steps) -> bool {
        self.last_without_step(steps) == Some(0)
    }

    /// The ways that are left after some iterations without a step; `None` if there are too many.
    fn last_without_step(&self, steps: &Steps) -> Option<usize> {
        let (facts, kernel) = (self.facts, self.kernel);
        let region = Region::of_cycle(facts, self.cycle)?;
        if region.blocks.len() > LARGEST || region.blocks.iter().any(|&block| facts.loops.is_irreducible(block)) {
            return None;
        }
        let none = FxHashSet::default();
        let mut execution = Execution::new(facts, kernel, &region, &none, &none);
        execution.passed = region.inner.iter().copied().collect();
        execution.steps.clone_from(&steps.edges);
        let mut states: Vec<State> = vec![execution.anywhere()];
        for _ in 0..ITERATIONS {
            let mut next = Vec::new();
            for state in states {
                next.extend(execution.iterate(state, Others::Idle)?.into_iter().filter(|stay| !stay.has_stepped));
            }
            states = next;
            if states.is_empty() {
                break;
            }
        }
        Some(states.len())
    }
}
