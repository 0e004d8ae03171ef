//! Inner loops of which only the last iterations are followed, when a loop around them is executed. They begin in any state of which is true what earlier iterations leave true (`inner_loop_invariants`).

use analysis::{Block, Loop};
use ptx_parser::{Base, Memory as Does};

use super::symbolic_execution::{Execution, State, Way};
use crate::detect::alias::{address, place};

/// The iterations of a loop that is passed, by the number that [`State::rounds`] has for them.
const LAST_BUT_ONE: u32 = 1;
const LAST: u32 = 2;

impl Execution<'_> {
    /// Goes into an inner loop of which only the last iteration is followed, and the one before it, which may begin in any state; or into one that goes
    /// round once.
    pub(super) fn pass(&mut self, mut state: State, (inner, header): (Loop, Block), back: bool, ways: &mut Vec<Way>) {
        if back {
            if state.rounds.insert(inner, LAST) == Some(LAST_BUT_ONE) {
                ways.push(Way { state, block: header, index: 0 });
            }
            return;
        }
        let mut once = state.clone();
        once.rounds.insert(inner, LAST);
        ways.push(Way { state: once, block: header, index: 0 });
        self.begin_kept(&mut state, (inner, header));
        state.rounds.insert(inner, LAST_BUT_ONE);
        ways.push(Way { state, block: header, index: 0 });
    }

    /// Has an iteration of an inner loop begin with any values.
    pub(super) fn begin_anyhow(&mut self, state: &mut State, (inner, header): (Loop, Block)) {
        let (loops, values) = (&self.facts.loops, &self.facts.values);
        state.values.retain(|&value, _| !loops.contains(inner, values.block(value)));
        for &phi in values.phis(header) {
            let any = self.terms.unknown();
            state.values.insert(phi, any);
        }
    }

    /// Returns true if an edge leads out of a passed loop before the last iteration that is followed.
    pub(super) fn leaves_early(&self, state: &State, (from, to): (Block, Block)) -> bool {
        let left = |&id: &Loop| self.facts.loops.contains(id, from) && !self.facts.loops.contains(id, to);
        self.passed.iter().filter(|id| left(id)).any(|id| state.rounds.get(id) == Some(&LAST_BUT_ONE))
    }

    /// Forgets what a loop may have written. Where its stores are taken to be elsewhere, those are whose addresses change in it.
    pub(super) fn forget(&mut self, state: &mut State, id: Loop) {
        let (facts, kernel) = (self.facts, self.kernel);
        let insts = facts.loops.blocks(id).iter().flat_map(|&block| facts.cfg.insts(block));
        for &inst in insts.filter(|&&inst| matches!(kernel.properties(inst).memory, Does::Write | Does::Atomic)) {
            let is_made_inside = match address(kernel, inst) {
                Some((Base::Reg(reg), _)) => {
                    let made = facts.values.at_use(inst, reg);
                    made.is_some_and(|made| facts.loops.contains(id, facts.values.block(made)))
                }
                _ => false,
            };
            if state.memory.apart && is_made_inside {
                self.apart.insert(inst);
            } else {
                state.memory.forget(&place(facts, kernel, inst));
            }
        }
    }
}
