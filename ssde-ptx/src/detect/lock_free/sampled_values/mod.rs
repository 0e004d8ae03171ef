//! Numbers that a value is in some threads of a usual launch: by a move, a choice, where ways meet, by way of memory that the kernel stores them to, or by arithmetic of constants, of the numbers of threads and
//! blocks, and of what the kernel is given.
//!
//! ```text
//! unsigned end[2] = { 3, ~0u };                               a lane that counts to end[k] may count for ever
//! ```
//!
//! They are some of the numbers that it may be, never all. What a kernel is given, in parameters and in memory, is taken to be a small number. Of what is made in other ways nothing is known: by
//! instructions that are not evaluated here, or by a loop that does more than count. A lane that counts to such a number is assumed to come to it, as is told.

mod memory_contents;
mod transfer;
mod value_set;

use std::cell::{OnceCell, RefCell};
use std::ops::Range;

use analysis::{Analyses, Block, Edge, Value, ValueKind};
use ptx_parser::{Inst, Kernel, Operand};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::exit_tests::{End, plain};
use super::terms::as_compared;
use crate::detect::alias::Location;
use transfer::usual;
pub(super) use transfer::{part, result};
use value_set::{Found, How, Number};

/// The most values that are followed for one.
const MOST_VALUES: usize = 256;

/// The number of lanes of a warp.
const LANES: i64 = 32;

/// The number that a kernel is given if nothing else is known of its input. It is odd, because loops may depend on a remainder of it.
const GIVEN: i64 = 21;

/// The threads whose numbers are looked at: those of a warp.
const THREADS: Range<i64> = 0..LANES;

/// The numbers that a value may be, as far as they are known.
#[derive(Clone, Default)]
pub(super) struct MayBe {
    /// Some numbers that it may be.
    pub(super) numbers: SmallVec<[i64; 4]>,
    /// True if it is made in a way that is not evaluated, so that it may be anything else.
    pub(super) is_unknown: bool,
    /// True if it is one of these numbers, by nothing but constants and the numbers of threads.
    pub(super) is_sure: bool,
}

impl MayBe {
    /// Adds what is known of another value that it may be.
    pub(super) fn or(&mut self, other: MayBe) {
        self.numbers.extend(other.numbers);
        self.is_unknown |= other.is_unknown;
        self.is_sure &= other.is_sure;
    }
}

impl From<i64> for MayBe {
    fn from(number: i64) -> MayBe {
        MayBe { numbers: smallvec![number], is_unknown: false, is_sure: true }
    }
}

/// The numbers that two values may be together, as far as they are known.
#[derive(Default)]
pub(super) struct Pairs {
    /// Some pairs that they may be.
    pub(super) pairs: Vec<(i64, i64)>,
    /// True if one of them is made in a way that is not evaluated.
    pub(super) is_unknown: bool,
    /// True if one of them may be made of what the kernel is given.
    pub(super) is_given: bool,
}

/// The numbers that values of a kernel may be.
pub(super) struct Samples<'a> {
    facts: &'a Analyses,
    kernel: &'a Kernel,
    /// The stores of the kernel, each with its place.
    stores: OnceCell<Vec<(Location, Inst)>>,
    /// The results so far.
    found: RefCell<FxHashMap<(Value, Block), MayBe>>,
    /// By branch and the block behind it, the threads that go there, as bits.
    takers: RefCell<FxHashMap<[Block; 2], u32>>,
    /// The numbers that registers count to, as far as they are known.
    counters: RefCell<FxHashMap<Value, i64>>,
}

/// The results in one thread for the values that were followed so far.
pub(super) struct ThreadValues {
    thread: i64,
    found: FxHashMap<Value, Found>,
    /// The numbers of the values that are being followed, the first one first.
    open: Vec<usize>,
    /// True if they are followed through memory, where what is not looked at any more is given.
    is_stored: bool,
}

impl ThreadValues {
    pub(super) fn in_thread(thread: i64) -> ThreadValues {
        ThreadValues { thread, found: FxHashMap::default(), open: Vec::new(), is_stored: false }
    }
}

impl<'a> Samples<'a> {
    pub(super) fn new(facts: &'a Analyses, kernel: &'a Kernel) -> Samples<'a> {
        Samples {
            facts,
            kernel,
            stores: OnceCell::new(),
            found: RefCell::default(),
            takers: RefCell::default(),
            counters: RefCell::default(),
        }
    }

    /// Takes a register for one that counts to a number.
    pub(super) fn counts_to(&self, register: Value, number: i64) {
        self.counters.borrow_mut().insert(register, number);
        self.found.borrow_mut().clear();
        self.takers.borrow_mut().clear();
    }

    /// Returns what a value may be in threads that come to a block.
    pub(super) fn of(&self, value: Value, block: Block) -> MayBe {
        if let Some(found) = self.found.borrow().get(&(value, block)) {
            return found.clone();
        }
        let found = self.in_threads(block, |known| self.follow(value, known));
        self.found.borrow_mut().insert((value, block), found.clone());
        found
    }

    /// Returns what an operand may be in threads that come to its instruction.
    pub(super) fn of_operand(&self, inst: Inst, operand: &Operand) -> MayBe {
        let Some(block) = self.facts.cfg.block_of(inst) else { return MayBe::default() };
        match self.facts.values.of_operand(inst, operand) {
            Some(value) => self.of(value, block),
            None => self.in_threads(block, |known| self.follow_operand(inst, operand, known)),
        }
    }

    /// Returns what two numbers may be at once in threads that come to a block.
    pub(super) fn pairs(&self, one: End, other: End, block: Block) -> Pairs {
        let mut all = Pairs::default();
        for thread in self.threads(block) {
            let mut known = ThreadValues::in_thread(thread);
            let [one, other] = [one, other].map(|end| match end {
                End::Number(number) => Found::number(number, How::Sure),
                End::Value(value) => self.follow(value, &mut known),
            });
            let is_given = |number: &Number| number.how >= How::Parameter;
            all.is_unknown |= one.is_unknown || other.is_unknown;
            all.is_given |= one.numbers.iter().chain(&other.numbers).any(is_given);
            for one in &one.numbers {
                all.pairs.extend(other.numbers.iter().map(|other| (one.number, other.number)));
            }
        }
        all.pairs.sort_unstable();
        all.pairs.dedup();
        all
    }

    /// Returns the threads that come to a block, as far as comparisons of their numbers say; all, if none do.
    pub(super) fn threads(&self, block: Block) -> impl Iterator<Item = i64> + use<> {
        let facts = self.facts;
        let mut come = u32::MAX;
        let mut below = block;
        while let Some(branch) = facts.dominators.idom(below) {
            if let [one, other] = facts.cfg.succs(branch)
                && one.block != other.block
                && let Some(way) = [one, other].into_iter().find(|way| way.block == below)
                && facts.cfg.reachable_preds(below).eq([branch])
            {
                let mut takers = self.takers.borrow_mut();
                come &= *takers.entry([branch, below]).or_insert_with(|| self.takers(branch, way.edge));
            }
            below = branch;
        }
        let come = if come == 0 { u32::MAX } else { come };
        THREADS.filter(move |thread| come >> thread & 1 != 0)
    }

    /// Returns the threads that take an edge from a branch, as far as their numbers say, as bits.
    fn takers(&self, branch: Block, edge: Edge) -> u32 {
        let takes = |thread: i64| self.takes(branch, edge, &mut ThreadValues::in_thread(thread)) != Some(false);
        THREADS.fold(0, |takers, thread| takers | u32::from(takes(thread)) << thread)
    }

    fn in_threads(&self, block: Block, follow: impl Fn(&mut ThreadValues) -> Found) -> MayBe {
        let mut all = MayBe { is_sure: true, ..MayBe::default() };
        for thread in self.threads(block) {
            let found = follow(&mut ThreadValues::in_thread(thread));
            let is_sure = !found.is_unknown && matches!(found.numbers[..], [Number { how: How::Sure, .. }]);
            let numbers = found.numbers.iter().map(|number| number.number).collect();
            all.or(MayBe { numbers, is_unknown: found.is_unknown, is_sure });
        }
        all.numbers.sort_unstable();
        all.numbers.dedup();
        all
    }

    /// Returns whether a thread takes an edge from a branch, if its number says so.
    fn takes(&self, branch: Block, edge: Edge, known: &mut ThreadValues) -> Option<bool> {
        let (facts, kernel) = (self.facts, self.kernel);
        let (predicate, holds) = facts.condition(kernel, branch, edge)?;
        let (predicate, holds) = plain(facts, kernel, predicate, holds);
        let made = facts.values.made_by(kernel, predicate)?;
        let comparison = kernel.properties(made).comparison?;
        let &[_, one, other] = kernel.operands(made) else { return None };
        let mut number = |operand: Operand| {
            let number = self.follow_operand(made, &operand, known).only()?;
            Some(as_compared(number.cast_unsigned(), comparison))
        };
        Some(comparison.relation.holds(number(one)?.cmp(&number(other)?)) == holds)
    }

    /// Returns the number that a value is, if it is known.
    pub(super) fn number(&self, value: Value, known: &mut ThreadValues) -> Option<i64> {
        self.follow(value, known).only()
    }

    /// Returns the number that an operand which is no register is in a thread, if it is known.
    pub(super) fn number_of_operand(&self, inst: Inst, operand: &Operand, thread: i64) -> Option<i64> {
        self.follow_operand(inst, operand, &mut ThreadValues::in_thread(thread)).only()
    }

    fn follow_operand(&self, inst: Inst, operand: &Operand, known: &mut ThreadValues) -> Found {
        match operand {
            Operand::Int(number) => Found::number(*number, How::Sure),
            Operand::Special(special) => usual(*special, known.thread),
            Operand::Symbol(_, offset) => Found::number(offset.get(), How::Chosen),
            operand => match self.facts.values.of_operand(inst, operand) {
                Some(value) => self.follow(value, known),
                None => Found::unknown(),
            },
        }
    }

    fn follow(&self, value: Value, known: &mut ThreadValues) -> Found {
        if let Some(found) = known.found.get(&value) {
            let begun = found.begun.filter(|begun| known.open.contains(begun));
            return Found { begun, ..found.clone() };
        }
        let number = known.found.len();
        if number >= MOST_VALUES {
            return if known.is_stored { Found::number(GIVEN, How::Given) } else { Found::unknown() };
        }
        known.found.insert(value, Found { begun: Some(number), ..Found::nothing() });
        known.open.push(number);
        let mut found = match self.facts.values.kind(value) {
            ValueKind::Def(inst, reg) => self.made(inst, reg, known),
            ValueKind::Undefined(_) => Found::number(0, How::Given),
            ValueKind::Phi(..) => {
                let inputs = self.facts.values.phi_inputs(value).iter();
                let found = inputs.fold(Found::nothing(), |found, &(_, input)| found.or(self.follow(input, known)));
                let last = self.counters.borrow().get(&value).map(|&last| Found::number(last, How::Given));
                last.into_iter().fold(found, Found::or)
            }
        };
        known.open.pop();
        // What is one of itself is nothing else for that.
        found.begun = found.begun.filter(|&begun| begun < number);
        known.found.insert(value, found.clone());
        found
    }
}
