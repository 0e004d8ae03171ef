//! A check that a bit is clear in a value, by the way in which the value is made. The bit is clear in these cases:
//!
//! - it is masked out or shifted out;
//! - it was tested on the path;
//! - it is in an address at which something wider was accessed, because all accesses are aligned.
//!
//! Reads that are assumed to find it clear are reported (`unmarked_links`).

use analysis::{Value, ValueKind};
use ptx_parser::{Inst, Memory, Mnemonic, Relation};
use rustc_hash::FxHashSet;

use super::loop_facts::{LoopFacts, MOST_VALUES};
use super::prior_reads::Root;
use crate::detect::alias::{address, bytes, place};

/// The greatest depth to which values are followed.
const DEEPEST: u32 = 32;

/// A bit that is to be clear in a value.
pub(super) struct Clear {
    pub(super) mark: u64,
    /// The read where a walk begins.
    pub(super) first: Inst,
    /// The instruction that uses the value.
    pub(super) at: Inst,
    /// The reads that are assumed to find the bit clear.
    pub(super) reads: Reads,
}

/// Reads of which it is taken that they find no mark.
#[derive(Clone, Copy)]
pub(super) enum Reads {
    None,
    /// Those where walks begin.
    First,
    All,
}

impl LoopFacts<'_> {
    /// Returns true if a bit of a value is clear: by its form, by a test on the way, or because it is the address of something wider.
    pub(super) fn is_clear(&self, value: Value, clear: &Clear) -> bool {
        let &Clear { mark, first, at, reads } = clear;
        let values = &self.facts.values;
        let (mut seen, mut work) = (FxHashSet::default(), vec![value]);
        let above = |block| self.tests_above(block, |_| true);
        let tested = self.facts.cfg.block_of(at).map_or_else(Vec::new, above);
        while let Some(value) = work.pop() {
            let value = self.origin(value);
            if !seen.insert(value) || self.is_tested_clear(tested.iter().copied(), value, mark) {
                continue;
            }
            if seen.len() > MOST_VALUES {
                return false;
            }
            if let Some(number) = values.copied_to(self.kernel, value) {
                if number.cast_unsigned() & mark != 0 {
                    return false;
                }
                continue;
            }
            let made = values.made_by(self.kernel, value);
            let is_taken = |inst: Inst| match reads {
                Reads::None => false,
                Reads::First => self.begins_same_walk(inst, first),
                Reads::All => self.kernel.properties(inst).memory == Memory::Read,
            };
            if made.is_some_and(is_taken) || self.is_accessed(value, mark, at) {
                continue;
            }
            // What a register is before anything is written to it.
            if matches!(values.kind(value), ValueKind::Undefined(_)) {
                continue;
            }
            if let ValueKind::Phi(..) = values.kind(value) {
                let block = values.block(value);
                for &(from, input) in values.phi_inputs(value) {
                    let tests = self.conditions(from, block).into_iter().chain(above(from));
                    if !self.is_tested_clear(tests, input, mark) {
                        work.push(input);
                    }
                }
                continue;
            }
            let Some(made) = made else { return false };
            if let Some(stored) = self.stored_in_own(made) {
                work.extend(stored);
                continue;
            }
            let operands = self.kernel.operands(made);
            let constant = |at: usize| operands.get(at).and_then(|by| values.constant(self.kernel, made, by));
            let input = |at: usize| operands.get(at).and_then(|of| values.of_operand(made, of));
            match (self.kernel.opcode(made).mnemonic(), operands.len()) {
                (Mnemonic::And, 3) if constant(2).is_some_and(|number| number.cast_unsigned() & mark == 0) => {}
                (Mnemonic::Shl, 3) if constant(2).is_some_and(|by| (0..64).contains(&by) && mark >> by == 0) => {}
                (Mnemonic::Mul, 3)
                    if constant(2).is_some_and(|factor| factor.cast_unsigned() & (2 * mark - 1) == 0) => {}
                (Mnemonic::And | Mnemonic::Cvt, _) => match input(1) {
                    Some(input) => work.push(input),
                    None => return false,
                },
                (Mnemonic::Or | Mnemonic::Add, 3)
                    if constant(2).is_some_and(|number| number.cast_unsigned() & (2 * mark - 1) == 0) =>
                {
                    match input(1) {
                        Some(input) => work.push(input),
                        None => return false,
                    }
                }
                (Mnemonic::Selp, 4) => {
                    let by = input(3);
                    for (at, holds) in [(1, true), (2, false)] {
                        let Some(input) = input(at) else { return false };
                        let tests = by.and_then(|by| values.made_by(self.kernel, by)).map(|test| (test, holds));
                        if !self.is_tested_clear(tests, input, mark) {
                            work.push(input);
                        }
                    }
                }
                _ => return false,
            }
        }
        true
    }

    /// All that may be in the thread's own memory where an instruction reads it; `None` if it reads something else, or what is there is not known.
    fn stored_in_own(&self, read: Inst) -> Option<Vec<Value>> {
        let (facts, kernel) = (self.facts, self.kernel);
        let at = place(facts, kernel, read);
        if kernel.properties(read).memory != Memory::Read || !at.is_own() {
            return None;
        }
        let writes = |inst: &Inst| {
            let writes = kernel.properties(*inst).memory == Memory::Write;
            writes && place(facts, kernel, *inst).may_alias(&at)
        };
        let insts = facts.cfg.blocks().flat_map(|block| facts.cfg.insts(block).iter().copied());
        let stored = |inst: Inst| {
            let is_whole = bytes(kernel, inst) == bytes(kernel, read);
            facts.values.of_operand(inst, &self.given(inst, 1)?).filter(|_| is_whole)
        };
        insts.filter(writes).map(stored).collect()
    }

    /// Returns true if a bit of a value is set by an `or` with a number.
    pub(super) fn is_set(&self, value: Value, mark: u64) -> bool {
        let Some(made) = self.facts.values.made_by(self.kernel, self.origin(value)) else { return false };
        let operands = self.kernel.operands(made);
        let number = operands.get(2).and_then(|of| self.facts.values.constant(self.kernel, made, of));
        self.kernel.opcode(made).mnemonic() == Mnemonic::Or
            && number.is_some_and(|number| number.cast_unsigned() & mark != 0)
    }

    /// Returns true if one of some comparisons says of a value that a bit of it is clear.
    fn is_tested_clear(&self, tests: impl IntoIterator<Item = (Inst, bool)>, value: Value, mark: u64) -> bool {
        let values = &self.facts.values;
        tests.into_iter().any(|(test, holds)| {
            let &[_, one, other] = self.kernel.operands(test) else { return false };
            let Some(comparison) = self.kernel.properties(test).comparison else { return false };
            let equal = match comparison.relation_if(holds) {
                Relation::Equal => true,
                Relation::NotEqual => false,
                _ => return false,
            };
            let is = values.constant(self.kernel, test, &other).map(i64::cast_unsigned);
            let bit = values.of_operand(test, &one).and_then(|bit| values.made_by(self.kernel, self.origin(bit)));
            let Some(bit) = bit.filter(|&bit| self.kernel.opcode(bit).mnemonic() == Mnemonic::And) else {
                return false;
            };
            let &[_, of, mask] = self.kernel.operands(bit) else { return false };
            let is_mask = values.constant(self.kernel, bit, &mask).is_some_and(|mask| mask.cast_unsigned() == mark);
            // The lower half of a number has the same bit.
            let whole = |value: Value| {
                let value = self.origin(value);
                let made = values.made_by(self.kernel, value);
                let narrowed = made.filter(|&made| self.kernel.opcode(made).mnemonic() == Mnemonic::Cvt);
                let from = narrowed.and_then(|made| values.of_operand(made, self.kernel.operands(made).get(1)?));
                from.map_or(value, |from| self.origin(from))
            };
            let is_of = values.of_operand(bit, &of).is_some_and(|of| whole(of) == whole(value));
            is_mask && is_of && (equal && is == Some(0) || !equal && is == Some(mark))
        })
    }

    /// Returns true if something was accessed before an instruction at a value as an address, and is wider than a bit of that counts: all accesses are aligned.
    fn is_accessed(&self, value: Value, mark: u64, before: Inst) -> bool {
        let facts = self.facts;
        let blocks = |inst: Inst| Some((facts.cfg.block_of(inst)?, facts.cfg.block_of(before)?));
        let is_before = |inst: Inst| blocks(inst).is_some_and(|(one, other)| facts.dominators.dominates(one, other));
        let accessed = |inst: Inst| {
            let (_, offset) = address(self.kernel, inst)?;
            let at = self.origin(self.read_at(inst)?);
            let (Root::Value(root), more) = self.address(inst)? else { return None };
            let wide = bytes(self.kernel, inst).cast_unsigned();
            let is_aligned = wide.is_power_of_two() && wide > mark;
            let is_at = self.are_one_address(at, value, DEEPEST) && offset.cast_unsigned() % wide == 0
                || root == value && more.cast_unsigned() % wide == 0;
            Some(is_aligned && is_at)
        };
        let mut all = self.facts.cfg.blocks().flat_map(|block| self.facts.cfg.insts(block));
        all.any(|&inst| {
            self.kernel.properties(inst).memory != Memory::None && is_before(inst) && accessed(inst) == Some(true)
        })
    }

    /// Returns true if two values are made alike, but that one of them is an address of global memory and the other one is any.
    fn are_one_address(&self, one: Value, other: Value, depth: u32) -> bool {
        let any = |value: Value| {
            let value = self.origin(value);
            let made = self.facts.values.made_by(self.kernel, value);
            let converts = made.is_some_and(|made| self.kernel.opcode(made).mnemonic() == Mnemonic::Cvta);
            let inputs = self.facts.values.inputs(self.kernel, value);
            match *inputs.as_slice() {
                [input] if converts => self.origin(input),
                _ => value,
            }
        };
        let (one, other) = (any(one), any(other));
        let pairs = || self.same_operation(one, other);
        let are_alike = |depth: u32| {
            pairs().is_some_and(|pairs| pairs.into_iter().all(|(one, other)| self.are_one_address(one, other, depth)))
        };
        one == other || depth.checked_sub(1).is_some_and(are_alike)
    }
}
