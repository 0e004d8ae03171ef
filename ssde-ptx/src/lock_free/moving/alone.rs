//! The ways by which a lane comes around a loop that is alone, executed on terms.
//!
//! Of loops in this one only the last two iterations are followed, the first of which may begin in any state: what the last one begins with was made by one.
//! Pointers and variables of different names lead to different memory here, as is assumed and told of all that this folder finds.

use rustc_hash::FxHashSet;

use super::{Look, Steps};
use crate::lock_free::LARGEST;
use crate::lock_free::bounded::Bound;
use crate::lock_free::counters::Measure;
use crate::lock_free::execute::{Execution, Others, State};
use crate::lock_free::region::Region;

/// How many iterations without a step, and without one by a measure, a lane is followed.
const ITERATIONS: usize = 4;

/// The most blocks that are executed for one loop, over all ways.
pub(super) const MOST_BLOCKS: usize = 1_600;

/// How many ways of an iteration are followed into the next one.
const MOST_WAYS: usize = 32;

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
        execution.blocks = MOST_BLOCKS;
        execution.passed = region.inner.iter().copied().collect();
        execution.steps.clone_from(&steps.edges);
        execution.told.clone_from(&steps.told);
        let mut start = execution.anywhere();
        start.memory.by_name = true;
        if execution.iterate(start.clone(), Others::Idle)?.len() > MOST_WAYS {
            return None;
        }
        // What ends after very many rounds is no better than waiting.
        let ends = self.cycle.natural().is_some_and(|id| self.bounds.bound(id) != Some(Bound::InVain));
        let (mut states, mut measures) = (vec![start], Vec::new());
        if ends {
            let (start, words) = Measure::words(&mut execution, &states[0])?;
            measures = words;
            states = vec![start];
        }
        for _ in 0..ITERATIONS {
            let mut rounds = Vec::new();
            for state in states {
                let stays = execution.iterate(state.clone(), Others::Idle)?;
                rounds.push((state, stays));
            }
            // A measure may be one only from the second iteration on.
            if ends {
                measures.extend(Measure::registers(&mut execution, &rounds));
            }
            let mut next = Vec::new();
            for (state, stays) in rounds {
                let stands =
                    |stay: &State| !measures.iter().any(|measure| measure.advances(&mut execution, &state, stay));
                next.extend(stays.into_iter().filter(stands));
            }
            if next.len() > MOST_WAYS {
                return None;
            }
            states = next;
            if states.is_empty() {
                break;
            }
        }
        Some(states.len())
    }
}
