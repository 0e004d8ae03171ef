//! The ways by which a lane comes around a loop that is alone, executed on terms.
//!
//! Of loops in this one only the last two iterations are followed, the first of which may begin in any state: what the last one begins with was made by one.
//! Pointers and variables of different names lead to different memory here, as is assumed and told of all that this folder finds.

use analysis::{Block, Loop};
use ptx_parser::Inst;
use rustc_hash::{FxHashMap, FxHashSet};

use super::assumptions::Assumed;
use super::loop_facts::{LoopFacts, Steps};
use super::unmarked_links::Unmarked;
use crate::detect::lock_free::bounded_loops::Bound;
use crate::detect::lock_free::counters::Measure;
use crate::detect::lock_free::region::Region;
use crate::detect::lock_free::size_limits::LARGEST;
use crate::detect::lock_free::symbolic_execution::{Execution, Others, State};

/// The most iterations for which a lane is followed without a step, and without progress by a measure.
const ITERATIONS: usize = 4;

/// The most blocks that are executed for one loop, over all ways.
pub(super) const MOST_BLOCKS: usize = 1_600;

/// The most blocks that are executed to see what inner loops leave true.
const MOST_KEPT_BLOCKS: usize = 8_000;

/// The most paths of an iteration that are followed into the next one.
const MOST_WAYS: usize = 32;

/// The assumptions under which a lane that is alone is followed.
struct Taken<'a> {
    /// Its own stores are elsewhere than where it reads.
    apart: bool,
    /// Links that are not marked.
    unmarked: &'a [Unmarked],
    /// The invariants of the loop, which are proved.
    invariants: bool,
    /// Short loops in it are followed round by round.
    unrolled: bool,
}

impl LoopFacts<'_> {
    /// Returns whether a lane that is alone comes around again and again only over steps: from any state, it leaves or takes one within a few iterations. The loops in
    /// this one are taken to end, since they are looked at by themselves.
    ///
    /// Returns what has to be assumed for that besides; `None` if ways without a step are left after some iterations, or too many.
    pub(super) fn steps_alone(&self, steps: &Steps) -> Option<Assumed> {
        // Where its own stores may be what it reads, that they are not is assumed only if nothing is shown otherwise.
        // That links where walks begin are not marked, only if that does not do either.
        // Invariants are proved only if a lane does not leave from any state: that takes time.
        // Debug builds have short loops that others have unrolled.
        let has_short = self.cycle.natural().is_some_and(|id| !self.short(&Region::of_loop(self.facts, id)).is_empty());
        let ways = [(false, false), (true, false), (false, true)];
        ways.into_iter().filter(|&(_, unrolled)| has_short || !unrolled).find_map(|(invariants, unrolled)| {
            let taken = |apart: bool, unmarked: &[Unmarked]| {
                self.steps_alone_with(steps, &Taken { apart, unmarked, invariants, unrolled })
            };
            let plain = [false, true].into_iter().find_map(|apart| taken(apart, &[]));
            plain.or_else(|| {
                let unmarked = self.unmarked();
                (!unmarked.is_empty()).then(|| taken(true, &unmarked)).flatten()
            })
        })
    }

    /// The loops in one that have few rounds.
    fn short(&self, region: &Region) -> FxHashMap<Loop, u32> {
        self.bounds.unrollable(&region.inner)
    }

    /// The same where something is taken for granted.
    fn steps_alone_with(&self, steps: &Steps, taken: &Taken) -> Option<Assumed> {
        let (facts, kernel) = (self.facts, self.kernel);
        let region = Region::of_cycle(facts, self.cycle)?;
        let is_odd = |&block: &Block| facts.loops.is_irreducible(block);
        let left = self.blocks.get();
        if left == 0 || region.blocks.len() > LARGEST || region.blocks.iter().any(is_odd) {
            return None;
        }
        let none = FxHashSet::default();
        let inner: Vec<(Loop, Region)> = region.inner.iter().map(|&id| (id, Region::of_loop(facts, id))).collect();
        let mut execution = Execution::new(facts, kernel, &region, &none, &none);
        execution.blocks = MOST_BLOCKS;
        execution.unrolled = if taken.unrolled { self.short(&region) } else { FxHashMap::default() };
        let passed = region.inner.iter().copied().filter(|id| !execution.unrolled.contains_key(id));
        execution.passed = passed.collect();
        let mut start = execution.anywhere();
        start.memory.by_name = true;
        if taken.invariants {
            execution.note_invariants(&mut start);
        }
        start.memory.apart = taken.apart;
        (execution.regions, execution.kept_blocks) = (&inner, MOST_KEPT_BLOCKS);
        execution.steps.clone_from(&steps.edges);
        execution.told.clone_from(&steps.told);
        execution.swapped.clone_from(&steps.swapped);
        execution.unmarked = taken.unmarked.iter().map(|link| (link.read, link.mark)).collect();
        let ahead = self.comes_around_over_steps(&mut execution, start);
        self.blocks.set(left.saturating_sub(execution.executed));
        Some(assumed(execution, ahead?, taken))
    }

    /// Returns the atomics that move a counter on, of which that is assumed for a lane to come around over steps only.
    fn comes_around_over_steps(&self, execution: &mut Execution<'_>, start: State) -> Option<Vec<Inst>> {
        let first = execution.iterate(start.clone(), Others::Idle)?.len();
        if first > MOST_WAYS {
            return None;
        }
        if first == 0 {
            return Some(Vec::new());
        }
        // What ends after very many rounds is no better than waiting.
        let ends = self.cycle.natural().is_some_and(|id| self.bounds.bound(id) != Some(Bound::InVain));
        let (start, words) = if ends { Measure::written_words(execution, &start)? } else { (start, Vec::new()) };
        let (mut states, mut measures) = (vec![start], Vec::new());
        let mut ahead = Vec::new();
        for _ in 0..ITERATIONS {
            let mut rounds = Vec::new();
            for state in states {
                let stays = execution.iterate(state.clone(), Others::Idle)?;
                rounds.push((state, stays));
            }
            // A measure may be one only from the second iteration on.
            if ends {
                measures.extend(Measure::registers(execution, &rounds));
                measures.extend(Measure::of_words(execution, &words, &rounds));
            }
            let mut next = Vec::new();
            for (state, stays) in rounds {
                let stands = |stay: &State| !measures.iter().any(|measure| measure.advances(execution, &state, stay));
                next.extend(stays.into_iter().filter(stands));
            }
            next.retain(|stay| match self.moved_on(execution, stay) {
                Some(swap) => {
                    ahead.push(swap);
                    false
                }
                None => true,
            });
            if next.len() > MOST_WAYS {
                return None;
            }
            if next.is_empty() {
                return Some(ahead);
            }
            states = next;
        }
        None
    }
}

/// Returns what was assumed where a loop was executed.
fn assumed(execution: Execution<'_>, ahead: Vec<Inst>, taken: &Taken) -> Assumed {
    let cleared = |link: &&Unmarked| execution.cleared.contains(&link.read);
    let besides = taken.unmarked.iter().filter(cleared).flat_map(|link| link.apart.iter().copied());
    let apart = execution.apart.iter().copied().chain(besides).collect();
    Assumed { apart, ahead, unmarked: execution.cleared.into_iter().collect(), ..Assumed::default() }
}
