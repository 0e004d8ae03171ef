//! Executes one iteration of a loop on terms, along all ways through it.

use analysis::{Analyses, Block, Loop, Value, ValueKind};
use ptx_parser::{Flow, Inst, Kernel, Memory as Does};
use rustc_hash::{FxHashMap, FxHashSet};

use super::path_condition::PathCondition;
use super::region::Region;
use super::sampled_values::Samples;
use super::symbolic_arithmetic::{Compute, Computed};
use super::symbolic_memory::{How, Memory, Spot, Written, have_one_base};
use super::term_order::most;
use super::terms::{Term, Terms};
use crate::detect::alias::Location;
use crate::detect::module_context::{is_failing_call, is_harmless_call};

/// The most blocks that are executed for one loop, over all ways; the most ways that are under way at once; the most terms.
const MOST_BLOCKS: usize = 6_000;
const MOST_WAYS: usize = 256;
const MOST_TERMS: usize = 200_000;

/// The greatest depth to which values from before the loop are followed.
const DEEPEST: u32 = 32;

/// The most times that a lane alone may come back to the header of an inner loop in one iteration.
const INNER_ROUNDS: u32 = 4;

/// The possible effects of other lanes in the meantime.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Others {
    /// Nothing: memory is as this lane leaves it.
    Idle,
    /// Anything: each read may give anything.
    Busy,
    /// Anything where lanes write that stay; everything else does not change any more, for all lanes.
    Settled,
}

/// The state of a lane on one path.
#[derive(Clone, Default)]
pub(super) struct State {
    pub(super) values: FxHashMap<Value, Term>,
    pub(super) known: PathCondition,
    pub(super) memory: Memory,
    /// The writes of this iteration that others see, and the reads of such memory, with their results.
    pub(super) written: Vec<Written>,
    pub(super) read: Vec<(Spot, Option<Term>)>,
    /// The reads of its own memory, with their results.
    pub(super) own_read: Vec<(Spot, Term)>,
    /// The writes of earlier iterations that others see.
    pub(super) wrote: Vec<Written>,
    /// For each inner loop, the number of times that the lane has come back to its header.
    pub(super) rounds: FxHashMap<Loop, u32>,
}

/// A loop that is executed.
pub(super) struct Execution<'a> {
    pub(super) facts: &'a Analyses,
    pub(super) kernel: &'a Kernel,
    pub(super) samples: Samples<'a>,
    pub(super) region: &'a Region,
    /// Loops in it that end by themselves and write nothing.
    pub(super) silent: &'a FxHashSet<Loop>,
    /// Loops in it that a lane alone leaves, and in which lanes that stay write nothing.
    pub(super) quiet: &'a FxHashSet<Loop>,
    /// Loops in it that a lane alone is taken to leave, after any number of iterations.
    pub(super) passed: FxHashSet<Loop>,
    /// Loops in it that are followed round by round, and how many rounds their counters let through.
    pub(super) unrolled: FxHashMap<Loop, u32>,
    /// Those that are passed of which is looked for what their iterations leave true, and how many blocks may be executed for that.
    pub(super) regions: &'a [(Loop, Region)],
    pub(super) kept_blocks: usize,
    /// Edges that a lane which is alone cannot take again and again: ways that lead over one are not followed.
    pub(super) steps: FxHashSet<(Block, Block)>,
    /// Those of them that tell that others have moved, with the reads that do: a lane that has written itself may find what it has written.
    pub(super) told: FxHashMap<(Block, Block), Vec<Inst>>,
    /// Those that tell that the lane itself has moved, with the swaps by which it has: one that takes back what the lane has written itself is no move.
    pub(super) swapped: FxHashMap<(Block, Block), Vec<Inst>>,
    /// The stores that are taken to be elsewhere than where the lane reads.
    pub(super) apart: FxHashSet<Inst>,
    /// The loads of words of which some bits are taken to be clear, and those of which that was needed.
    pub(super) unmarked: FxHashMap<Inst, u64>,
    pub(super) cleared: FxHashSet<Inst>,
    /// The loads that may give anything although nobody writes.
    pub(super) arbitrary: FxHashSet<Inst>,
    /// The places that lanes write while they stay.
    pub(super) changing: Vec<Location>,
    /// The greatest numbers that registers may be at the header, and their bits.
    pub(super) bounds: Vec<(Value, u64, u32)>,
    /// Tells the registers of one lane from those of another one.
    pub(super) lane: u32,
    pub(super) terms: Terms,
    /// The number of blocks that may still be executed.
    pub(super) blocks: usize,
    /// The number of blocks that have been executed.
    pub(super) executed: usize,
    /// The depth to which values from before the loop are being followed.
    depth: u32,
}

/// A way to a place in the loop.
pub(super) struct Way {
    pub(super) state: State,
    pub(super) block: Block,
    pub(super) index: usize,
}

impl<'a> Execution<'a> {
    pub(super) fn new(
        facts: &'a Analyses,
        kernel: &'a Kernel,
        region: &'a Region,
        silent: &'a FxHashSet<Loop>,
        quiet: &'a FxHashSet<Loop>,
    ) -> Execution<'a> {
        let (passed, steps, told, apart, arbitrary, changing, bounds, terms) = Default::default();
        Execution {
            facts,
            kernel,
            samples: Samples::new(facts, kernel),
            region,
            silent,
            quiet,
            passed,
            unrolled: FxHashMap::default(),
            regions: &[],
            kept_blocks: 0,
            steps,
            told,
            swapped: FxHashMap::default(),
            apart,
            unmarked: FxHashMap::default(),
            cleared: FxHashSet::default(),
            arbitrary,
            changing,
            bounds,
            lane: 0,
            terms,
            blocks: MOST_BLOCKS,
            executed: 0,
            depth: 0,
        }
    }

    /// Any state in which a lane may come to the header.
    pub(super) fn anywhere(&mut self) -> State {
        let mut state = State::default();
        for &phi in self.facts.values.phis(self.region.header) {
            let any = self.terms.unknown();
            state.values.insert(phi, any);
        }
        for (phi, most, bits) in self.bounds.clone() {
            let value = self.value(&mut state, phi);
            let most = self.terms.number(most);
            let greater = self.terms.less(false, bits, most, value);
            if let [known] = state.known.assume(&mut self.terms, greater, false).as_slice() {
                state.known = known.clone();
            }
        }
        state
    }

    /// Notes how great registers can be at the header: no greater than they begin with, or than they are where lanes stay.
    pub(super) fn note_bounds(&mut self, stays: &[State]) {
        for &phi in self.facts.values.phis(self.region.header) {
            let bits = self.kernel.reg(self.facts.values.reg(phi)).ty.bits();
            if !matches!(bits, 32 | 64) {
                continue;
            }
            let mut greatest = Some(0);
            let join = |one: Option<u64>, other: Option<u64>| Some(one?.max(other?));
            let mut outside = State::default();
            for &(from, input) in self.facts.values.phi_inputs(phi) {
                if !self.region.contains(from) {
                    let begins = self.value(&mut outside, input);
                    let most =
                        self.terms.as_number(begins).or_else(|| most(&mut self.terms, &outside.known, bits, begins));
                    greatest = join(greatest, most);
                }
            }
            for stay in stays {
                let value = self.value(&mut stay.clone(), phi);
                let value = stay.known.canonical(&mut self.terms, value);
                let most = self.terms.as_number(value).or_else(|| most(&mut self.terms, &stay.known, bits, value));
                greatest = join(greatest, most);
            }
            self.bounds.extend(greatest.map(|most| (phi, most, bits)));
        }
    }

    /// Returns what a value of the header is in a state.
    pub(super) fn value(&mut self, state: &mut State, value: Value) -> Term {
        if let Some(&term) = state.values.get(&value) {
            return term;
        }
        let block = self.facts.values.block(value);
        let term = if self.region.contains(block) { self.terms.unknown() } else { self.outer(state, value) };
        state.values.insert(value, term);
        term
    }

    /// A value from before the loop: computed from others if that says more than its name.
    fn outer(&mut self, state: &mut State, value: Value) -> Term {
        if let ValueKind::Def(inst, _) = self.facts.values.kind(value)
            && self.kernel.inst(inst).guard.is_none()
            && Compute::is_function(self.kernel, inst)
            && self.depth < DEEPEST
        {
            self.depth += 1;
            let of = self.facts.values.uses(inst).iter().map(|&(_, of)| of).filter(|&of| of != value);
            let of: Vec<Value> = of.collect();
            let simple = of.iter().all(|&of| {
                let inside = self.region.contains(self.facts.values.block(of));
                !inside && self.is_before(of, value)
            });
            let computed = simple.then(|| self.computed(state, inst));
            self.depth -= 1;
            if let Some(Computed::Is(results)) = computed
                && let Some(&(_, term)) = results.iter().find(|(made, _)| *made == value)
            {
                return term;
            }
        }
        self.terms.outer(value, self.lane)
    }

    /// Returns true if a value is made before another one, so that following values backwards ends.
    fn is_before(&self, one: Value, other: Value) -> bool {
        let made = |value: Value| match self.facts.values.kind(value) {
            ValueKind::Def(inst, _) => Some(inst),
            _ => None,
        };
        let (block, later) = (self.facts.values.block(one), self.facts.values.block(other));
        match (made(one), made(other)) {
            _ if block != later => self.facts.dominators.dominates(block, later),
            (Some(one), Some(other)) => {
                let insts = self.facts.cfg.insts(block);
                let place = |inst: Inst| insts.iter().position(|&other| other == inst);
                place(one) < place(other)
            }
            _ => true,
        }
    }

    /// Executes one iteration from a state at the header. Returns the states in which the lane is at the header again, on all ways on which it may be;
    /// `None` if there are too many, or if it does what is not known.
    pub(super) fn iterate(&mut self, mut state: State, others: Others) -> Option<Vec<State>> {
        let written = std::mem::take(&mut state.written);
        state.wrote.extend(written);
        state.read.clear();
        state.own_read.clear();
        state.rounds.clear();
        self.settle_bits(&mut state);
        let header = self.region.header;
        let mut ways = vec![Way { state, block: header, index: 0 }];
        let mut stays = Vec::new();
        while let Some(way) = ways.pop() {
            if ways.len() + stays.len() > MOST_WAYS || self.terms.count() > MOST_TERMS {
                return None;
            }
            self.advance(way, others, &mut ways, &mut stays)?;
        }
        Some(stays)
    }

    /// Executes what is left of a block.
    pub(super) fn advance(
        &mut self,
        Way { mut state, block, index }: Way,
        others: Others,
        ways: &mut Vec<Way>,
        stays: &mut Vec<State>,
    ) -> Option<()> {
        if index == 0 {
            self.blocks = self.blocks.checked_sub(1)?;
            self.executed += 1;
        }
        let insts = self.facts.cfg.insts(block);
        for (number, &inst) in insts.iter().enumerate().skip(index) {
            let terminator = self.facts.cfg.terminator(block) == Some(inst);
            if let Some(guard) = self.kernel.inst(inst).guard.filter(|_| !terminator) {
                let predicate = self.guard(&mut state, inst, guard.reg)?;
                match state.known.holds(&mut self.terms, predicate) {
                    None => {
                        for holds in [true, false] {
                            for known in state.known.assume(&mut self.terms, predicate, holds) {
                                ways.push(Way { state: State { known, ..state.clone() }, block, index: number });
                            }
                        }
                        return Some(());
                    }
                    Some(holds) if holds == guard.negated => {
                        self.keep_old(&mut state, inst);
                        continue;
                    }
                    Some(_) => {}
                }
            }
            if terminator {
                break;
            }
            // Who fails does not come back.
            if is_failing_call(self.kernel, inst) {
                return Some(());
            }
            let mut states = self.execute(state, inst, others)?;
            // The last one goes on here; the others wait behind the instruction.
            state = states.pop()?;
            ways.extend(states.into_iter().map(|state| Way { state, block, index: number + 1 }));
        }
        self.leave_block(state, block, others, ways, stays)
    }

    fn guard(&mut self, state: &mut State, inst: Inst, reg: ptx_parser::Reg) -> Option<Term> {
        let value = self.facts.values.at_use(inst, reg)?;
        Some(self.value(state, value))
    }

    /// Lets the registers that an instruction would have written keep their old values.
    fn keep_old(&mut self, state: &mut State, inst: Inst) {
        for &(_, made) in self.facts.values.defs(inst) {
            let old = match self.facts.values.old(made) {
                Some(old) => self.value(state, old),
                None => self.terms.unknown(),
            };
            state.values.insert(made, old);
        }
    }

    /// Goes on behind a block, by each edge that may be taken.
    fn leave_block(
        &mut self,
        mut state: State,
        block: Block,
        others: Others,
        ways: &mut Vec<Way>,
        stays: &mut Vec<State>,
    ) -> Option<()> {
        let guard = self.facts.cfg.terminator(block).and_then(|inst| Some((inst, self.kernel.inst(inst).guard?)));
        let predicate = match guard {
            Some((inst, guard)) => Some((self.guard(&mut state, inst, guard.reg)?, guard.negated)),
            None => None,
        };
        for successor in self.facts.cfg.succs(block) {
            if self.is_step(&mut state, block, successor.block) {
                continue;
            }
            let taken = match successor.edge {
                analysis::Edge::Taken => Some(true),
                analysis::Edge::Fallthrough => Some(false),
                analysis::Edge::Indirect => None,
            };
            let ways_on = match (predicate, taken) {
                (Some((predicate, negated)), Some(taken)) => {
                    state.known.assume(&mut self.terms, predicate, taken != negated)
                }
                _ => smallvec::SmallVec::from_iter([state.known.clone()]),
            };
            for known in ways_on {
                let mut state = State { known, ..state.clone() };
                self.enter(&mut state, block, successor.block);
                self.go_on(state, (block, successor.block), others, ways, stays)?;
            }
        }
        Some(())
    }

    /// Returns true if an edge is a step. For the loop around it, the edge back to the header of a loop that is passed or unrolled is no step.
    fn is_step(&mut self, state: &mut State, from: Block, to: Block) -> bool {
        let back = |&id: &Loop| self.facts.loops.header(id) == to && self.facts.loops.contains(id, from);
        if !self.steps.contains(&(from, to)) || self.passed.iter().chain(self.unrolled.keys()).any(back) {
            return false;
        }
        let (told, swapped) = (self.told.get(&(from, to)).cloned(), self.swapped.get(&(from, to)).cloned());
        if told.is_none() && swapped.is_none() {
            return true;
        }
        told.into_iter().flatten().any(|read| self.is_not_own(state, read))
            || swapped.into_iter().flatten().any(|swap| self.is_first_move(state, swap))
    }

    /// Returns true if the lane has not written, since its last step, where a swap of its own has succeeded. Otherwise the swap may take back what the lane itself has written, in each round
    /// again.
    fn is_first_move(&mut self, state: &mut State, swap: Inst) -> bool {
        let last = state.written.iter().rposition(|written| written.inst == swap);
        let own = last.map(|last| state.written.remove(last));
        let is_first = self.is_not_own(state, swap);
        if let (Some(last), Some(own)) = (last, own) {
            state.written.insert(last, own);
        }
        is_first
    }

    /// Returns true if what a read finds is not the lane's own: the lane has written nothing, or only elsewhere. A store is taken to be elsewhere if its address has nothing to do with that
    /// of the read.
    fn is_not_own(&mut self, state: &mut State, read: Inst) -> bool {
        let written: Vec<Written> = state.wrote.iter().chain(&state.written).copied().collect();
        if written.is_empty() {
            return true;
        }
        let Some(spot) = self.spot(state, read) else { return false };
        let mut apart = Vec::new();
        for one in written {
            if state.memory.are_apart(&mut self.terms, &state.known, &spot, &one.spot) {
                continue;
            }
            let is_store = matches!(one.how, How::Stored);
            if !is_store || have_one_base(&mut self.terms, &state.known, &spot, &one.spot) {
                return false;
            }
            apart.push(one.inst);
        }
        self.apart.extend(apart);
        true
    }

    /// The values that meet where a block begins.
    pub(super) fn enter(&mut self, state: &mut State, from: Block, to: Block) {
        let mut met = Vec::new();
        for &phi in self.facts.values.phis(to) {
            let input = self.facts.values.phi_inputs(phi).iter().find(|(pred, _)| *pred == from);
            let term = match input {
                Some(&(_, input)) => self.value(state, input),
                None => self.terms.unknown(),
            };
            met.push((phi, term));
        }
        state.values.extend(met);
    }

    /// Goes to a block: back to the header, out of the loop, past or into an inner loop, or on.
    fn go_on(
        &mut self,
        mut state: State,
        (from, to): (Block, Block),
        others: Others,
        ways: &mut Vec<Way>,
        stays: &mut Vec<State>,
    ) -> Option<()> {
        let loops = &self.facts.loops;
        if self.leaves_early(&state, (from, to)) {
            return Some(());
        }
        if to == self.region.header {
            stays.push(state);
            return Some(());
        }
        if !self.region.contains(to) {
            return Some(());
        }
        let Some(inner) = self.region.inner_at(self.facts, to) else {
            ways.push(Way { state, block: to, index: 0 });
            return Some(());
        };
        let back = loops.contains(inner, from);
        if let Some(&most) = self.unrolled.get(&inner) {
            let rounds = state.rounds.entry(inner).or_default();
            *rounds = if back { *rounds + 1 } else { 0 };
            if *rounds > most {
                return None;
            }
            ways.push(Way { state, block: to, index: 0 });
            return Some(());
        }
        // What inner loops that end leave behind may be anything.
        if self.silent.contains(&inner) {
            for edge in loops.exits(inner) {
                let mut state = state.clone();
                state.values.retain(|&value, _| !loops.contains(inner, self.facts.values.block(value)));
                self.enter(&mut state, edge.from, edge.to);
                self.go_on(state, (edge.from, edge.to), others, ways, stays)?;
            }
            return Some(());
        }
        if self.passed.contains(&inner) {
            self.pass(state, (inner, to), back, ways);
            return Some(());
        }
        if others == Others::Idle {
            let rounds = state.rounds.entry(inner).or_default();
            *rounds = if back { *rounds + 1 } else { 0 };
            if *rounds > INNER_ROUNDS {
                return None;
            }
        } else {
            if !self.quiet.contains(&inner) {
                return None;
            }
            // The last iteration begins in any state, so that those before it are no other ways.
            if back {
                return Some(());
            }
            self.begin_anyhow(&mut state, (inner, to));
            state.memory = Memory::default();
        }
        ways.push(Way { state, block: to, index: 0 });
        Some(())
    }

    /// Returns whether an instruction that lanes execute together only passes values between them. For a busy lane these may be anything; an idle one has nobody to pass any.
    fn is_exchange(&self, inst: Inst, others: Others) -> bool {
        self.kernel.properties(inst).memory == Does::None && others == Others::Busy
    }

    /// Executes one instruction that does not end its block. Returns the states behind it, one at least.
    fn execute(&mut self, mut state: State, inst: Inst, others: Others) -> Option<Vec<State>> {
        let properties = self.kernel.properties(inst);
        if is_harmless_call(self.kernel, inst) {
            for &(_, made) in self.facts.values.defs(inst) {
                let any = self.terms.unknown();
                state.values.insert(made, any);
            }
            return Some(vec![state]);
        }
        if properties.flow != Flow::Next || properties.convergent && !self.is_exchange(inst, others) {
            return None;
        }
        match properties.memory {
            Does::Unknown => return None,
            Does::Fence => return Some(vec![state]),
            Does::None => {}
            Does::Read if Compute::is_function(self.kernel, inst) => {}
            Does::Read => {
                self.load(&mut state, inst, others);
                return Some(vec![state]);
            }
            Does::Write => {
                self.store(&mut state, inst)?;
                return Some(vec![state]);
            }
            Does::Atomic => return self.atomic(state, inst, others),
        }
        match self.computed(&mut state, inst) {
            Computed::Is(results) => {
                state.values.extend(results);
                Some(vec![state])
            }
            Computed::Chosen { made, predicate, one, other } => {
                let mut states = Vec::new();
                for (holds, value) in [(true, one), (false, other)] {
                    for known in state.known.assume(&mut self.terms, predicate, holds) {
                        let mut chosen = State { known, ..state.clone() };
                        chosen.values.insert(made, value);
                        states.push(chosen);
                    }
                }
                Some(states)
            }
        }
    }
}
