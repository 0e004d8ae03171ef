//! Swaps at a place that is chosen, with what was read at a place that is not.
//!
//! ```text
//! e = key[7]; s = key[1] ? 0 : 1;
//! CAS(&key[s], e, …)                                          fails until another lane makes the two words the same
//! ```
//!
//! A swap that fails says that others have moved only if what it compares with was read where it swaps. Where the loop chooses the place, by a select, by the way that it came, or by an index
//! that it computes, the value has to be chosen with it: each place with what was read there. Three forms show that it is not:
//!
//! - The value is read at a place that is the same in all rounds, and the place of the swap is made in the loop.
//! - The value is what the swap itself has found in the last round, and says where it swaps in this one.
//! - One of the places that are chosen from is not where the value was read that goes with it.
//!
//! Places of walks, which are registers of a loop's header, are told by what these become (`prior_reads`).

use analysis::{Block, Value, ValueKind};
use ptx_parser::{Inst, Memory, Mnemonic, Number, Operand, Relation, Space};
use rustc_hash::FxHashSet;

use super::linear_addresses::Part;
use super::loop_facts::DEEPEST;
use super::loop_facts::{LoopFacts, MOST_VALUES};
use super::prior_reads::Root;
use crate::detect::alias::bytes;

/// The most numbers that an index is chosen from.
const LONGEST: u32 = 64;

/// A place of an array by an index.
pub(super) struct Indexed {
    pub(super) array: Value,
    more: i64,
    index: Value,
    by: i64,
}

/// One of the two that something is chosen from.
#[derive(Clone, Copy)]
enum Chosen {
    Value(Value),
    Number(i64),
}

/// The predicate or the path by which a choice is made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    Predicate(Value),
    Way(Block),
}

impl LoopFacts<'_> {
    /// Returns whether a value was read at another place than where an access is, because the loop chooses one of the two and not the other.
    pub(super) fn is_chosen_apart(&self, value: Value, at: Inst) -> bool {
        // The result of a swap may be compared with what another instruction has read.
        if self.wanted(at).is_none() {
            let swap = self.read(value).filter(|&swap| self.wanted(swap).is_some());
            let mut read = self.facts.values.defs(at).iter();
            return swap.is_some_and(|swap| read.any(|&(_, made)| self.is_chosen_apart(made, swap)));
        }
        let Some((root @ Root::Value(place), more)) = self.address(at) else { return false };
        let value = self.origin(value);
        if self.is_root(value, at) {
            return false;
        }
        let is_steady = |root: Root| match root {
            Root::Value(value) => self.is_unchanged(value),
            Root::Variable(_) => true,
        };
        let fixed = self.read(value).filter(|&read| read != at).and_then(|read| self.address(read));
        if fixed.is_some_and(|(fixed, _)| is_steady(fixed)) && !is_steady(root) {
            return true;
        }
        self.is_found_by_itself(value, at) && self.is_computed_with(place, value)
            || self.is_one_apart(value, (place, more), DEEPEST)
    }

    /// Returns whether two accesses are certainly at one address.
    pub(super) fn is_at_one_address(&self, one: Inst, other: Inst) -> bool {
        self.way_between(one, other) == Some(0)
    }

    /// Returns whether a store certainly writes some of the bytes that a read reads, and not the same word.
    pub(super) fn is_in_part_at(&self, store: Inst, read: Inst) -> bool {
        let (stored, read_bytes) = (bytes(self.kernel, store), bytes(self.kernel, read));
        self.way_between(read, store)
            .is_some_and(|way| (way, stored) != (0, read_bytes) && way < read_bytes && -way < stored)
    }

    /// The number of bytes from where one access begins to where another one does, if that is certain.
    fn way_between(&self, one: Inst, other: Inst) -> Option<i64> {
        let ((one, here), (other, there)) = (self.address(one)?, self.address(other)?);
        let is_steady = |root: Root| matches!(root, Root::Value(value) if self.is_unchanged(value));
        let are_same = one == other || is_steady(one) && is_steady(other) && self.may_be_alike(one, other);
        are_same.then(|| there.wrapping_sub(here))
    }

    /// Returns whether a register becomes what a swap finds.
    fn is_found_by_itself(&self, value: Value, swap: Inst) -> bool {
        let values = &self.facts.values;
        let is_phi = matches!(values.kind(value), ValueKind::Phi(..));
        is_phi && values.phi_inputs(value).iter().any(|&(_, input)| self.read(input) == Some(swap))
    }

    /// Returns whether a value is computed in the loop from another one, without reads in between.
    fn is_computed_with(&self, value: Value, from: Value) -> bool {
        let values = &self.facts.values;
        let (mut seen, mut work) = (FxHashSet::default(), vec![self.origin(value)]);
        while let Some(value) = work.pop() {
            if value == from {
                return true;
            }
            let is_phi = matches!(values.kind(value), ValueKind::Phi(..));
            if is_phi || seen.len() > MOST_VALUES || self.read(value).is_some() || !self.contains(values.block(value)) {
                continue;
            }
            let inputs = values.inputs(self.kernel, value).into_iter().map(|input| self.origin(input));
            work.extend(inputs.filter(|&input| seen.insert(input)));
        }
        false
    }

    /// Returns whether a value is made in the same way in all rounds, from nothing that is read in the loop.
    fn is_unchanged(&self, value: Value) -> bool {
        self.is_made_by(value, &mut |made| {
            let properties = self.kernel.properties(made);
            properties.memory == Memory::None || properties.space == Some(Space::Param)
        })
    }

    /// Returns whether one of the places that one is chosen from is not where the value was read that is chosen with it.
    fn is_one_apart(&self, value: Value, (place, more): (Value, i64), depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        let Some((by, places)) = self.choice_by(place) else {
            return self.indexed(place, more).is_some_and(|indexed| {
                self.is_one_index_apart(value, Chosen::Value(indexed.index), &indexed, LONGEST)
            });
        };
        let all = places.into_iter().map(|place| self.sum(place, more)).enumerate();
        all.into_iter().any(|(number, (root, more))| {
            let value = match self.choice_by(value) {
                Some((other, values)) if other == by => values.get(number).map_or(value, |&value| self.origin(value)),
                _ => value,
            };
            if let Root::Value(place) = root
                && (self.choice_by(place).is_some() || self.indexed(place, more).is_some())
            {
                return self.is_one_apart(value, (place, more), depth);
            }
            self.is_read_elsewhere(value, (root, more))
        })
    }

    /// Returns whether one of the numbers that an index is chosen from does not say where the value was read that is chosen with it.
    fn is_one_index_apart(&self, value: Value, index: Chosen, indexed: &Indexed, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        let choice = match index {
            Chosen::Value(index) => self.numbers_by(index),
            Chosen::Number(_) => None,
        };
        if let Some((by, numbers)) = choice {
            let values = self.choice_by(value).filter(|(other, _)| *other == by).map(|(_, values)| values);
            return numbers.into_iter().enumerate().any(|(at, number)| {
                let chosen = values.as_ref().and_then(|values| values.get(at));
                let value = chosen.map_or(value, |&value| self.origin(value));
                self.is_one_index_apart(value, number, indexed, depth)
            });
        }
        let number = match index {
            Chosen::Number(number) => Some(number),
            Chosen::Value(index) => self.facts.values.copied_to(self.kernel, index),
        };
        number.is_some_and(|number| {
            let more = indexed.more.wrapping_add(number.wrapping_mul(indexed.by));
            self.is_read_elsewhere(value, self.sum(indexed.array, more))
        })
    }

    /// Returns whether a value was read at another place.
    fn is_read_elsewhere(&self, value: Value, (root, more): (Root, i64)) -> bool {
        let Some((other, there)) = self.read(value).and_then(|read| self.address(read)) else { return false };
        there != more || !(root == other || self.may_be_alike(root, other))
    }

    /// Returns the array and the index of a place, if it is a place of an array by an index that the loop chooses.
    pub(super) fn indexed(&self, place: Value, more: i64) -> Option<Indexed> {
        let sum = self.linear_sum(place, more)?;
        let [one, other] = sum.parts.as_slice() else { return None };
        let is_chosen = |part: &Part| self.numbers_by(part.value).is_some();
        let (array, index) = if is_chosen(other) { (one, other) } else { (other, one) };
        let is_array = array.by == 1 && array.widened.is_none();
        let indexed = Indexed { array: array.value, more: sum.number, index: index.value, by: index.by };
        (is_array && is_chosen(index)).then_some(indexed)
    }

    /// Returns true if two registers of a header begin with different values, and one way around leaves both unchanged. Of two choices by one condition, any pair may be
    /// such.
    pub(super) fn stay_apart(&self, one: Value, other: Value, depth: u32) -> bool {
        let values = &self.facts.values;
        if let (Some((by, ones)), Some((other_by, others)), Some(depth)) =
            (self.choice_by(one), self.choice_by(other), depth.checked_sub(1))
        {
            let mut pairs = ones.into_iter().zip(others).map(|(one, other)| (self.origin(one), self.origin(other)));
            return by == other_by && pairs.any(|(one, other)| self.stay_apart(one, other, depth));
        }
        let block = values.block(one);
        let are_of_header = [one, other].iter().all(|&value| {
            matches!(values.kind(value), ValueKind::Phi(..)) && values.block(value) == block && self.is_header(block)
        });
        if !are_of_header {
            return false;
        }
        let pairs = values.phi_inputs(one).iter().filter_map(|&(from, input)| {
            let other = values.phi_inputs(other).iter().find(|&&(other, _)| other == from)?;
            Some((self.contains(from), self.origin(input), self.origin(other.1)))
        });
        let (around, begins): (Vec<_>, Vec<_>) = pairs.partition(|&(inside, ..)| inside);
        begins.iter().any(|&(_, first, second)| first != second)
            && around.iter().any(|&(_, first, second)| self.stay((one, first), (other, second), DEEPEST))
    }

    /// Returns true if the same choices leave two registers unchanged.
    fn stay(&self, one: (Value, Value), other: (Value, Value), depth: u32) -> bool {
        let (first, second) = (self.origin(one.1), self.origin(other.1));
        if (first, second) == (one.0, other.0) {
            return true;
        }
        let Some(depth) = depth.checked_sub(1) else { return false };
        match (self.choice_by(first), self.choice_by(second)) {
            (Some((by, firsts)), Some((other_by, seconds))) if by == other_by => {
                let mut pairs = firsts.into_iter().zip(seconds);
                pairs.any(|(first, second)| self.stay((one.0, first), (other.0, second), depth))
            }
            _ => false,
        }
    }

    /// Returns the values that one is chosen from in the loop, and by what: a predicate, or the way on which a lane comes to a block that no loop begins at.
    pub(super) fn choice_by(&self, value: Value) -> Option<(By, Vec<Value>)> {
        let (by, all) = self.numbers_by(value)?;
        let values = all.into_iter().map(|chosen| match chosen {
            Chosen::Value(value) => Some(value),
            Chosen::Number(_) => None,
        });
        Some((by, values.collect::<Option<_>>()?))
    }

    /// The same with numbers among them.
    fn numbers_by(&self, value: Value) -> Option<(By, Vec<Chosen>)> {
        let (values, kernel) = (&self.facts.values, self.kernel);
        let value = self.origin(value);
        let block = values.block(value);
        if !self.contains(block) {
            return None;
        }
        if let ValueKind::Phi(..) = values.kind(value) {
            let inputs = values.phi_inputs(value).iter().map(|&(_, input)| Chosen::Value(input)).collect();
            return (!self.is_header(block)).then_some((By::Way(block), inputs));
        }
        let made = values.made_by(kernel, value).filter(|&made| kernel.inst(made).guard.is_none())?;
        let chosen = |operand: &Operand| match operand {
            Operand::Int(number) => Some(Chosen::Number(*number)),
            operand => values.of_operand(made, operand).map(Chosen::Value),
        };
        match (kernel.opcode(made).mnemonic(), kernel.operands(made)) {
            (Mnemonic::Selp, [_, one, other, Operand::Reg(predicate)]) => {
                Some((By::Predicate(values.at_use(made, *predicate)?), vec![chosen(one)?, chosen(other)?]))
            }
            (Mnemonic::Min | Mnemonic::Max, [_, one, other]) => {
                let (predicate, is_first) = self.lesser(made)?;
                let is_first = is_first == (kernel.opcode(made).mnemonic() == Mnemonic::Min);
                let (one, other) = if is_first { (one, other) } else { (other, one) };
                Some((By::Predicate(predicate), vec![chosen(one)?, chosen(other)?]))
            }
            _ => None,
        }
    }

    /// Returns a predicate of the same block that compares what an instruction takes the lesser or greater of, and whether the first one is the lesser where it holds.
    fn lesser(&self, made: Inst) -> Option<(Value, bool)> {
        let (values, kernel) = (&self.facts.values, self.kernel);
        let ty = *kernel.opcode(made).types().first()?;
        let of = |inst: Inst, operand: &Operand| match values.of_operand(inst, operand) {
            Some(value) => Some(Ok(self.origin(value))),
            None => values.constant(kernel, inst, operand).map(Err),
        };
        let of_two = |inst: Inst| {
            let [_, one, other] = kernel.operands(inst) else { return None };
            Some((of(inst, one)?, of(inst, other)?))
        };
        let (one, other) = of_two(made)?;
        let number = if ty.is_signed() { Number::Signed } else { Number::Unsigned };
        self.facts.cfg.insts(self.facts.cfg.block_of(made)?).iter().find_map(|&inst| {
            let compared = kernel.properties(inst).comparison?;
            let &[(_, predicate)] = values.defs(inst) else { return None };
            if (compared.bits, compared.number) != (ty.bits(), number) || kernel.inst(inst).guard.is_some() {
                return None;
            }
            let pair = of_two(inst)?;
            let relation = match pair {
                pair if pair == (one, other) => compared.relation,
                pair if pair == (other, one) => compared.relation.swapped(),
                _ => return None,
            };
            match relation {
                Relation::Less | Relation::LessOrEqual => Some((predicate, true)),
                Relation::Greater | Relation::GreaterOrEqual => Some((predicate, false)),
                _ => None,
            }
        })
    }
}
