//! Numbers that a value is in some threads of a usual launch: by a move, a choice, where ways meet, by way of memory that the kernel stores them to, or by arithmetic of constants, of the numbers of threads and
//! blocks, and of what the kernel is given.
//!
//! ```text
//! unsigned end[2] = { 3, ~0u };                               a lane that counts to end[k] may count for ever
//! ```
//!
//! They are some of the numbers that it may be, never all. What a kernel is given, in parameters and in memory, is taken to be a small number. Of what is made in other ways nothing is known: by
//! instructions that are not evaluated here, or by a loop that does more than count. A lane that counts to such a number is assumed to come to it, as is told.

use std::cell::{OnceCell, RefCell};
use std::ops::Range;

use analysis::{Analyses, Block, Edge, Value, ValueKind};
use ptx_parser::{
    Base, Component, Inst, Kernel, Linear, List, Memory, OpcodeData, Operand, Reg, Running, Space, Special,
    SpecialName, Type, Word,
};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::bounded::{End, MANY};
use super::compute::converted;
use super::evaluate::evaluate;
use super::terms::{cut, signed};
use crate::memory::{Place, Root, place};

/// The most values that are followed for one.
const MOST_VALUES: usize = 256;
/// The most numbers of each operand that are combined.
const MOST_COMBINED: usize = 4;
/// The most elements of a variable's initial value that are looked at.
const MOST_ELEMENTS: usize = 1024;

/// The greatest step of a counter whose number is as great as its loop lets it become, which is not looked at.
pub(super) const GREATEST_STEP: i64 = 4096;

/// How many lanes a warp has.
const LANES: i64 = 32;
/// The mask of all of them.
const ALL_LANES: i64 = 0xffff_ffff;

/// What a kernel is given, where nothing else is known of it: an odd number, since what is left over of one decides about loops.
const GIVEN: i64 = 21;

/// Where the generic addresses of a state space begin, which are as far from each other as those in it. Those begin at 0.
const GENERIC: i64 = 1 << 40;

/// The threads whose numbers are looked at: those of a warp.
const THREADS: Range<i64> = 0..LANES;

/// What is known of a value.
#[derive(Clone, Default)]
pub(super) struct MayBe {
    /// Some numbers that it may be.
    pub(super) numbers: SmallVec<[i64; 4]>,
    /// Whether it is made in a way that is not evaluated, so that it may be anything else.
    pub(super) is_unknown: bool,
    /// Whether it is one of these numbers, by nothing but constants and the numbers of threads.
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

/// What is known of two numbers.
#[derive(Default)]
pub(super) struct Pairs {
    /// Some pairs that they may be.
    pub(super) pairs: Vec<(i64, i64)>,
    /// Whether one of them is made in a way that is not evaluated.
    pub(super) is_unknown: bool,
    /// Whether one of them may be made of what the kernel is given.
    pub(super) is_given: bool,
}

/// A number that a value may be in a thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Number {
    number: i64,
    how: How,
}

/// How a number was made, the surest way first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum How {
    /// By nothing but constants and the numbers of the thread.
    Sure,
    /// The same, but it is one of several.
    Chosen,
    /// It stands for a parameter.
    Parameter,
    /// It stands for what others write in memory, or tell.
    Given,
}

/// What is known of a value in one thread.
#[derive(Clone)]
struct Found {
    numbers: SmallVec<[Number; 4]>,
    is_unknown: bool,
    /// Of the values that are being followed, the first one that it is made of, if it is made of one.
    begun: Option<usize>,
}

impl Found {
    fn nothing() -> Found {
        Found { numbers: SmallVec::new(), is_unknown: false, begun: None }
    }

    /// A value that is made in a way that is not evaluated.
    fn unknown() -> Found {
        Found { is_unknown: true, ..Found::nothing() }
    }

    fn number(number: i64, how: How) -> Found {
        Found { numbers: smallvec![Number { number, how }], ..Found::nothing() }
    }

    /// The one number that it is, if it is given by nobody.
    fn only(&self) -> Option<i64> {
        match self.numbers[..] {
            [Number { number, how: How::Sure | How::Chosen }] if !self.is_unknown && self.begun.is_none() => {
                Some(number)
            }
            _ => None,
        }
    }

    /// One of both.
    fn or(mut self, other: Found) -> Found {
        self.numbers.extend(other.numbers);
        self.numbers.sort_unstable();
        self.numbers.dedup();
        if self.numbers.iter().any(|other| other.number != self.numbers[0].number) {
            self.numbers.iter_mut().for_each(|number| number.how = number.how.max(How::Chosen));
        }
        self.is_unknown |= other.is_unknown;
        self.begun = self.begun.into_iter().chain(other.begun).min();
        self
    }

    /// What is made of each number.
    fn map(mut self, result: impl Fn(i64) -> i64) -> Found {
        self.numbers.iter_mut().for_each(|number| number.number = result(number.number));
        self
    }

    /// The same, chosen by the kernel.
    fn chosen(mut self) -> Found {
        self.numbers.iter_mut().for_each(|number| number.how = number.how.min(How::Chosen));
        self
    }

    /// The same, of which it is not sure that it is still there.
    fn at_best_chosen(mut self) -> Found {
        self.numbers.iter_mut().for_each(|number| number.how = number.how.max(How::Chosen));
        self
    }

    /// The same, given by others.
    fn given(mut self) -> Found {
        self.numbers.iter_mut().for_each(|number| number.how = How::Given);
        self
    }
}

/// What values of a kernel may be.
pub(super) struct Samples<'a> {
    facts: &'a Analyses,
    kernel: &'a Kernel,
    /// What the kernel stores, with where that is.
    stores: OnceCell<Vec<(Place, Inst)>>,
    /// What was found out so far.
    found: RefCell<FxHashMap<(Value, Block), MayBe>>,
    /// What registers count to, as far as that is known.
    counters: RefCell<FxHashMap<Value, i64>>,
}

/// What was found in one thread of the values that were followed so far.
pub(super) struct Known {
    thread: i64,
    found: FxHashMap<Value, Found>,
    /// The numbers of the values that are being followed, the first one first.
    open: Vec<usize>,
    /// Whether they are followed through memory, where what is not looked at any more is given.
    is_stored: bool,
}

impl Known {
    pub(super) fn in_thread(thread: i64) -> Known {
        Known { thread, found: FxHashMap::default(), open: Vec::new(), is_stored: false }
    }
}

impl<'a> Samples<'a> {
    pub(super) fn new(facts: &'a Analyses, kernel: &'a Kernel) -> Samples<'a> {
        Samples { facts, kernel, stores: OnceCell::new(), found: RefCell::default(), counters: RefCell::default() }
    }

    /// Takes a register for one that counts to a number.
    pub(super) fn counts_to(&self, register: Value, number: i64) {
        self.counters.borrow_mut().insert(register, number);
        self.found.borrow_mut().clear();
    }

    /// What a value may be in threads that come to a block.
    pub(super) fn of(&self, value: Value, block: Block) -> MayBe {
        if let Some(found) = self.found.borrow().get(&(value, block)) {
            return found.clone();
        }
        let found = self.in_threads(block, |known| self.follow(value, known));
        self.found.borrow_mut().insert((value, block), found.clone());
        found
    }

    /// What an operand may be in threads that come to its instruction.
    pub(super) fn of_operand(&self, inst: Inst, operand: &Operand) -> MayBe {
        let Some(block) = self.facts.cfg.block_of(inst) else { return MayBe::default() };
        match self.facts.values.of_operand(inst, operand) {
            Some(value) => self.of(value, block),
            None => self.in_threads(block, |known| self.follow_operand(inst, operand, known)),
        }
    }

    /// What two numbers may be at once in threads that come to a block.
    pub(super) fn pairs(&self, one: End, other: End, block: Block) -> Pairs {
        let mut all = Pairs::default();
        for thread in self.threads(block) {
            let mut known = Known::in_thread(thread);
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

    /// Those that come to a block, as far as their numbers say; all, if none do.
    pub(super) fn threads(&self, block: Block) -> Vec<i64> {
        let mut threads: Vec<i64> = THREADS.filter(|&thread| self.comes_to(block, thread)).collect();
        if threads.is_empty() {
            threads.extend(THREADS);
        }
        threads
    }

    fn in_threads(&self, block: Block, follow: impl Fn(&mut Known) -> Found) -> MayBe {
        let mut all = MayBe { is_sure: true, ..MayBe::default() };
        for thread in self.threads(block) {
            let found = follow(&mut Known::in_thread(thread));
            let is_sure = !found.is_unknown && matches!(found.numbers[..], [Number { how: How::Sure, .. }]);
            let numbers = found.numbers.iter().map(|number| number.number).collect();
            all.or(MayBe { numbers, is_unknown: found.is_unknown, is_sure });
        }
        all.numbers.sort_unstable();
        all.numbers.dedup();
        all
    }

    /// Whether a thread may come to a block, as far as comparisons of its number say.
    fn comes_to(&self, block: Block, thread: i64) -> bool {
        let facts = self.facts;
        let mut below = block;
        while let Some(branch) = facts.dominators.idom(below) {
            if let [one, other] = facts.cfg.succs(branch)
                && one.block != other.block
                && let Some(way) = [one, other].into_iter().find(|way| way.block == below)
                && facts.cfg.reachable_preds(below).eq([branch])
                && self.takes(branch, way.edge, &mut Known::in_thread(thread)) == Some(false)
            {
                return false;
            }
            below = branch;
        }
        true
    }

    /// Whether a thread takes an edge from a branch, if its number says so.
    fn takes(&self, branch: Block, edge: Edge, known: &mut Known) -> Option<bool> {
        let (facts, kernel) = (self.facts, self.kernel);
        let inst = facts.cfg.terminator(branch)?;
        let guard = kernel.inst(inst).guard?;
        let mut holds = match edge {
            Edge::Taken => !guard.negated,
            Edge::Fallthrough => guard.negated,
            Edge::Indirect => return None,
        };
        let mut predicate = facts.values.at_use(inst, guard.reg)?;
        while let Some((from, negated)) = facts.values.passed_on(kernel, predicate) {
            (predicate, holds) = (from, holds != negated);
        }
        let made = facts.values.made_by(kernel, predicate)?;
        let comparison = kernel.properties(made).comparison?;
        let &[_, one, other] = kernel.operands(made) else { return None };
        let mut number = |operand: Operand| {
            let number = self.follow_operand(made, &operand, known).only()?;
            Some(match comparison.number {
                ptx_parser::Number::Signed => i128::from(signed(number.cast_unsigned(), comparison.bits)),
                _ => i128::from(cut(number.cast_unsigned(), comparison.bits)),
            })
        };
        Some(comparison.relation.holds(number(one)?.cmp(&number(other)?)) == holds)
    }

    /// The number that a value is, if it is known.
    pub(super) fn number(&self, value: Value, known: &mut Known) -> Option<i64> {
        self.follow(value, known).only()
    }

    /// The number that an operand which is no register is in a thread, if it is known.
    pub(super) fn number_of_operand(&self, inst: Inst, operand: &Operand, thread: i64) -> Option<i64> {
        self.follow_operand(inst, operand, &mut Known::in_thread(thread)).only()
    }

    fn follow_operand(&self, inst: Inst, operand: &Operand, known: &mut Known) -> Found {
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

    fn follow(&self, value: Value, known: &mut Known) -> Found {
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

    /// What an instruction writes to a register.
    fn made(&self, inst: Inst, reg: Reg, known: &mut Known) -> Found {
        let (facts, kernel) = (self.facts, self.kernel);
        let (properties, opcode, operands) = (kernel.properties(inst), kernel.opcode(inst), kernel.operands(inst));
        let is_predicate = kernel.reg(reg).ty == Type::Pred;
        match (opcode.family(), operands) {
            (Word::Cvt, [_, from]) => {
                if converted(opcode.types()).is_none() {
                    return Found::unknown();
                }
                self.follow_operand(inst, from, known).map(|number| result(opcode, &[number]).unwrap_or(number))
            }
            (Word::Mov, [_, Operand::Vector(parts)]) => self.packed(inst, *parts, known),
            (Word::Mov, [Operand::Vector(parts), from]) => self.part(inst, *parts, from, reg, known),
            (Word::Mov, [_, from]) => self.follow_operand(inst, from, known),
            // All lanes, if they all vote so.
            (Word::Activemask | Word::Match | Word::Vote, _) if !is_predicate => Found::number(ALL_LANES, How::Given),
            // What another lane has is taken for what this one has.
            (Word::Shfl | Word::Redux, [_, from, ..]) if !is_predicate => {
                let sums = if opcode.is(Word::Add) { LANES } else { 1 };
                let bits = self.bits(inst);
                let of_all = move |number: i64| signed(number.wrapping_mul(sums).cast_unsigned(), bits);
                self.follow_operand(inst, from, known).map(of_all).given()
            }
            (Word::Selp, [_, one, other, _]) => {
                self.follow_operand(inst, one, known).or(self.follow_operand(inst, other, known))
            }
            (Word::Cvta, [_, from]) => {
                let is_generic = !opcode.is(Word::To);
                let base = if is_generic { GENERIC } else { 0 };
                self.follow_operand(inst, from, known).map(|number| (number & !GENERIC) | base)
            }
            _ if properties.running == Some(Running::Copy) || properties.linear == Some(Linear::Same) => {
                self.follow_operand(inst, &operands[1], known)
            }
            _ if properties.memory == Memory::Read && properties.space == Some(Space::Param) => {
                if self.is_parameter(inst) { Found::number(GIVEN, How::Parameter) } else { Found::unknown() }
            }
            _ if matches!(properties.memory, Memory::Read | Memory::Atomic) => {
                self.load(inst, &place(facts, kernel, inst), known)
            }
            (_, [_, sources @ ..]) => self.computed(inst, sources, known),
            _ => Found::unknown(),
        }
    }

    /// The result of each combination of numbers of the operands.
    ///
    /// What is made of small numbers that are given is never a number below 0: a kernel does not count to `n - 1` where `n` may be 0. Nor is the difference of two that were chosen, perhaps not
    /// together. A number that is below 0 before is meant as it is.
    fn computed(&self, inst: Inst, sources: &[Operand], known: &mut Known) -> Found {
        let opcode = self.kernel.opcode(inst);
        let is_great = |number: i64| u128::from(number.unsigned_abs()) >= MANY;
        let of: Vec<Found> = sources.iter().map(|source| self.follow_operand(inst, source, known)).collect();
        let mut made = combined(&of, |of, how, chosen| {
            if matches!((opcode.family(), of), (Word::Div | Word::Rem, &[_, 0])) {
                return Some(None);
            }
            let made = evaluate(opcode, of)?;
            let is_meant = match (opcode.family(), of) {
                _ if how <= How::Chosen && chosen <= 1 => true,
                (Word::Sub, &[one, _]) if one < 0 => true,
                // Whatever small number it is of.
                (Word::Not, _) if how <= How::Parameter => true,
                (Word::Mad, &[one, other, more]) => is_great(one.wrapping_mul(other)) || is_great(more),
                (Word::Add | Word::Sub | Word::Neg | Word::Not | Word::Xor, of) => of.iter().any(|&of| is_great(of)),
                _ => true,
            };
            Some((made >= 0 || is_meant).then_some(made))
        });
        // A counter is as great as its loop lets it become, which is given.
        let is_step = |found: &Found| {
            found.begun.is_none() && found.numbers.iter().all(|number| number.number.abs() <= GREATEST_STEP)
        };
        if let (Word::Add | Word::Sub, [one, other]) = (opcode.family(), &of[..])
            && !(one.is_unknown || other.is_unknown)
            && let Some(begun) =
                [(one, other), (other, one)].into_iter().find_map(|(of, by)| of.begun.filter(|_| is_step(by)))
        {
            made = Found { begun: Some(begun), ..Found::number(GIVEN, How::Given) };
        }
        match most(opcode, sources) {
            Some(most) if made.is_unknown => Found::number(most, How::Given),
            // What is left of a number by a constant is as good as chosen.
            Some(_) => made.chosen(),
            None => made,
        }
    }

    /// Whether an instruction reads a parameter of the kernel, not the result of a call.
    fn is_parameter(&self, inst: Inst) -> bool {
        let kernel = self.kernel;
        kernel.operands(inst).iter().any(|operand| match operand {
            Operand::Address(Base::Symbol(symbol), _) => {
                kernel.params().iter().any(|parameter| *parameter.name == *kernel.symbol_name(*symbol))
            }
            _ => false,
        })
    }

    /// Returns the width of an instruction's type, the first one that it names.
    fn bits(&self, inst: Inst) -> u32 {
        self.kernel.opcode(inst).types().first().map_or(64, |ty| ty.bits())
    }

    /// Returns numbers that are made of parts, the lowest first.
    fn packed(&self, inst: Inst, parts: List, known: &mut Known) -> Found {
        let (parts, bits) = (self.kernel.list(parts), self.bits(inst));
        let width = bits / (parts.len() as u32).max(1);
        let of: Vec<Found> = parts.iter().map(|part| self.follow_operand(inst, part, known)).collect();
        combined(&of, |of, _, _| {
            let shifted =
                |number: u64, &part: &i64| number.checked_shl(width).unwrap_or(0) | cut(part.cast_unsigned(), width);
            Some(Some(signed(of.iter().rev().fold(0, shifted), bits)))
        })
    }

    /// Returns one of the parts that a number is taken apart into.
    fn part(&self, inst: Inst, parts: List, from: &Operand, reg: Reg, known: &mut Known) -> Found {
        let parts = self.kernel.list(parts);
        let width = self.bits(inst) / (parts.len() as u32).max(1);
        let Some(at) = parts.iter().position(|part| *part == Operand::Reg(reg)) else { return Found::unknown() };
        let taken = |number: i64| signed(number.cast_unsigned().checked_shr(width * at as u32).unwrap_or(0), width);
        self.follow_operand(inst, from, known).map(taken)
    }

    /// What the kernel stores at a place, and what is there from the beginning.
    fn load(&self, inst: Inst, from: &Place, known: &mut Known) -> Found {
        let given = Found::number(GIVEN, How::Given);
        let (root, offset) = match from.extent() {
            (root @ (Root::Variable(_) | Root::Dynamic | Root::Parameter(..)), extent) => {
                (root, extent.map(|extent| extent.start))
            }
            _ => return given,
        };
        let (initial, bits) = (self.initial(inst, root, offset), self.bits(inst));
        let stores: Vec<Inst> =
            self.stores().iter().filter(|(place, _)| place.may_fill(from)).map(|&(_, store)| store).collect();
        // Nobody else writes there: neither other kernels, nor the host.
        let is_own = matches!(from.space(), Some(Space::Shared | Space::Local)) && !stores.is_empty();
        // What the host may write before is not known, but of a constant that begins with something that is most likely it.
        let is_constant = from.space() == Some(Space::Const) && !initial.is_empty();
        let mut found = if is_own || is_constant { Found::nothing() } else { given };
        // What a word is made of itself by way of memory that others write is given: that is no loop.
        let open = if is_own { known.open.clone() } else { std::mem::take(&mut known.open) };
        let was_stored = std::mem::replace(&mut known.is_stored, true);
        for store in stores {
            let (wide, is_sum) = (self.bits(store), self.kernel.opcode(store).is(Word::Add));
            // What is put together of narrower words is not followed.
            found.is_unknown |= is_own && wide < bits;
            // What it reads stands before the address.
            let is_address = |operand: &&Operand| matches!(operand, Operand::Address(..));
            for operand in self.kernel.operands(store).iter().skip_while(|operand| !is_address(operand)).skip(1) {
                let operands = match operand {
                    Operand::Vector(list) => self.kernel.list(*list),
                    operand => std::slice::from_ref(operand),
                };
                for operand in operands {
                    let stored = self.follow_operand(store, operand, known);
                    // All lanes may add to it.
                    let sum = is_sum.then(|| stored.clone().map(|number| number.wrapping_mul(LANES)));
                    let stored = sum.into_iter().fold(stored, Found::or);
                    // A wider word is read in parts.
                    for at in (0..wide.max(bits)).step_by(bits.max(1) as usize) {
                        let part = |number: i64| signed(number.cast_unsigned().checked_shr(at).unwrap_or(0), bits);
                        found = found.or(if wide > bits { stored.clone().map(part) } else { stored.clone() });
                    }
                }
            }
        }
        (known.open, known.is_stored) = (open, was_stored);
        found.numbers.extend(initial.into_iter().map(|number| Number { number, how: How::Given }));
        if is_own {
            return found.at_best_chosen();
        }
        Found { begun: None, ..found.given() }
    }

    /// The whole numbers that a variable begins with, of the width that an instruction reads: the one at an offset, if that is known.
    fn initial(&self, inst: Inst, root: Root, offset: Option<i64>) -> Vec<i64> {
        let Root::Variable(symbol) = root else { return Vec::new() };
        let init = self.kernel.variable_in_scope(symbol).and_then(|variable| variable.init.as_ref());
        let Some(init) = init.filter(|init| init.addresses.is_empty()) else { return Vec::new() };
        let Some(&ty) = self.kernel.opcode(inst).types().first().filter(|ty| matches!(ty.bits(), 8 | 16 | 32 | 64))
        else {
            return Vec::new();
        };
        let size = ty.bytes() as usize;
        let number = |bytes: &[u8]| {
            let number = bytes.iter().rev().fold(0u64, |number, &byte| number << 8 | u64::from(byte));
            if ty.is_signed() { signed(number, ty.bits()) } else { number.cast_signed() }
        };
        match offset {
            Some(offset) => {
                let at = usize::try_from(offset).ok().and_then(|at| init.bytes.get(at..at.checked_add(size)?));
                at.map(number).into_iter().collect()
            }
            None => init.bytes.chunks_exact(size).take(MOST_ELEMENTS).map(number).collect(),
        }
    }

    fn stores(&self) -> &[(Place, Inst)] {
        self.stores.get_or_init(|| {
            let (facts, kernel) = (self.facts, self.kernel);
            let insts = facts.cfg.blocks().flat_map(|block| facts.cfg.insts(block).iter().copied());
            let stores = insts.filter(|&inst| matches!(kernel.properties(inst).memory, Memory::Write | Memory::Atomic));
            stores.map(|inst| (place(facts, kernel, inst), inst)).collect()
        })
    }
}

/// What an instruction makes of numbers; `None` if it is none that is evaluated.
pub(super) fn result(opcode: &OpcodeData, of: &[i64]) -> Option<i64> {
    match (opcode.family(), of) {
        (Word::Cvt, &[number]) => {
            let bits = opcode.types().first()?.bits();
            Some(signed(converted(opcode.types())?(number.cast_unsigned()), bits))
        }
        (Word::Mov, &[number]) => Some(number),
        (_, of) => evaluate(opcode, of),
    }
}

/// What is made of each combination of some numbers. The result of one is `None` where nothing is known of it, and no number where it is none that is meant. It is told how the numbers were made, the one
/// that is least sure, and how many of them were chosen.
fn combined(of: &[Found], result: impl Fn(&[i64], How, usize) -> Option<Option<i64>>) -> Found {
    let mut combinations: Vec<SmallVec<[Number; 4]>> = vec![SmallVec::new()];
    for found in of {
        let longer = |before: &SmallVec<[Number; 4]>| {
            let with = |&number: &Number| before.iter().copied().chain([number]).collect();
            outermost(&found.numbers).map(with).collect::<Vec<_>>()
        };
        combinations = combinations.iter().flat_map(longer).collect();
    }
    let mut found =
        Found { is_unknown: of.iter().any(|found| found.is_unknown || found.begun.is_some()), ..Found::nothing() };
    for of in combinations {
        let how = of.iter().map(|number| number.how).max().unwrap_or(How::Sure);
        let chosen = of.iter().filter(|number| number.how == How::Chosen).count();
        let of: SmallVec<[i64; 4]> = of.iter().map(|number| number.number).collect();
        match result(&of, how, chosen) {
            Some(number) => found.numbers.extend(number.map(|number| Number { number, how })),
            None => found.is_unknown = true,
        }
    }
    found.numbers.sort_unstable();
    found.numbers.dedup();
    found
}

/// The first and the last of some numbers, as many as are combined.
fn outermost(numbers: &[Number]) -> impl Iterator<Item = &Number> {
    let half = MOST_COMBINED / 2;
    let last = numbers.len().saturating_sub(half);
    numbers.iter().enumerate().filter(move |&(at, _)| at < half || at >= last).map(|(_, number)| number)
}

/// The greatest number that an instruction makes, whatever it makes it of, if that is a small one.
fn most(opcode: &OpcodeData, sources: &[Operand]) -> Option<i64> {
    let ty = opcode.types().first()?;
    let most = match (opcode.family(), sources) {
        (Word::Popc | Word::Clz, _) => 64,
        (Word::And | Word::Min, &[_, Operand::Int(most)]) => most,
        (Word::Rem, &[_, Operand::Int(of)]) if !ty.is_signed() => of.wrapping_sub(1),
        (Word::Shr, &[_, Operand::Int(by)]) if !ty.is_signed() => {
            1i64.checked_shl(ty.bits().checked_sub(u32::try_from(by).ok()?)?)?.wrapping_sub(1)
        }
        (Word::Bfe, &[_, _, Operand::Int(length)]) if !ty.is_signed() => {
            1i64.checked_shl(u32::try_from(length).ok()?)?.wrapping_sub(1)
        }
        _ => return None,
    };
    (0..MANY.cast_signed()).contains(&i128::from(most)).then_some(most)
}

/// What a special register is in a thread of a usual launch: of 16 blocks of 64 threads.
fn usual(special: Special, thread: i64) -> Found {
    let is_first = matches!(special.component, None | Some(Component::X));
    let bit = 1i64 << thread;
    let number = match special.name {
        SpecialName::Tid if !is_first => thread.min(1),
        SpecialName::Tid | SpecialName::Laneid => thread,
        SpecialName::Ctaid => thread % 4,
        SpecialName::LanemaskEq => bit,
        SpecialName::LanemaskLt => bit - 1,
        SpecialName::LanemaskLe => (bit - 1) | bit,
        SpecialName::LanemaskGe => ALL_LANES & !(bit - 1),
        SpecialName::LanemaskGt => ALL_LANES & !(bit - 1) & !bit,
        SpecialName::Nctaid => return Found::number(16, How::Chosen),
        SpecialName::Ntid => return Found::number(64, How::Chosen),
        _ => return Found::number(GIVEN, How::Given),
    };
    Found::number(number, How::Sure)
}
