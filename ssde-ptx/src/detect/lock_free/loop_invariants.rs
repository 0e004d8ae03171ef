//! Facts that hold at the header of a loop in every iteration, whatever others do: of registers and of the lane's own memory.
//!
//! ```text
//! place[0] = a; place[1] = b;                          place[0] == x and place[1] == y hold where the loop is entered
//! retry: while ((w = node[x]).link != x) x = w.link;
//!        place[0] = x; found[0] = w; …                 the same for y
//!        if (CAS(&node[place[i]], found[i], …) != found[i]) goto retry;
//! ```
//!
//! `progress/solo_execution.rs` follows a lane from any state of registers and memory. Some of these states never occur: there, `place[0]` is not `x`, and the lane swaps another word than it has read.
//! These facts exclude such states. They are proved by induction, so that nothing is assumed:
//!
//! - A fact holds where the loop is entered, on each edge. Only the blocks that lead straight to the loop are executed for that.
//! - If all facts hold where an iteration begins, they hold behind it on all ways, even if each read of shared memory gives anything (`Others::Busy`). So no fact is about memory that others see.
//! - Facts are equalities. A comparison by order that always holds where an iteration begins does not end a counter.
//!
//! They are guessed as the facts of inner loops are (`inner_loop_invariants.rs`).

use analysis::Block;
use ptx_parser::Memory as Does;

use super::symbolic_execution::{Execution, Others, State};
use crate::detect::alias::place;

/// The most blocks before the loop that are executed.
const MOST_BEFORE: usize = 16;

/// The most blocks that are executed to prove facts.
const MOST_BLOCKS: usize = 8_000;

impl Execution<'_> {
    /// Notes in a state at the header what holds there in every iteration.
    pub(super) fn note_invariants(&mut self, start: &mut State) {
        let region = self.region;
        let entered = self.entry_states();
        let blocks = std::mem::replace(&mut self.blocks, MOST_BLOCKS);
        let kept = entered.and_then(|entered| self.kept(&entered, start, region, Others::Busy));
        self.blocks = blocks;
        if let Some(kept) = kept {
            self.take(start, &kept);
        }
    }

    /// Returns the states in which a lane enters the loop, one for each edge; `None` if an instruction before the loop has an unknown effect.
    fn entry_states(&mut self) -> Option<Vec<State>> {
        let header = self.region.header;
        let before = self.facts.cfg.preds(header).iter().copied().filter(|&block| !self.region.contains(block));
        let before: Vec<Block> = before.collect();
        before.into_iter().map(|from| self.entry_state(from)).collect()
    }

    fn entry_state(&mut self, from: Block) -> Option<State> {
        let (facts, kernel) = (self.facts, self.kernel);
        let mut straight = vec![from];
        while let (Some(&first), true) = (straight.last(), straight.len() < MOST_BEFORE)
            && let &[above] = facts.cfg.preds(first)
            && !self.region.contains(above)
            && !straight.contains(&above)
        {
            straight.push(above);
        }
        let mut state = State::default();
        for &inst in straight.iter().rev().flat_map(|&block| facts.cfg.insts(block)) {
            match kernel.properties(inst).memory {
                Does::None | Does::Read | Does::Fence => {}
                Does::Write if kernel.inst(inst).guard.is_none() => self.store(&mut state, inst)?,
                Does::Write | Does::Atomic => state.memory.forget(&place(facts, kernel, inst)),
                Does::Unknown => return None,
            }
        }
        state.written.clear();
        self.enter(&mut state, from, self.region.header);
        Some(state)
    }
}
