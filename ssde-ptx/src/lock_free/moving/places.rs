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
//! Places of walks, which are registers of a loop's header, are told by what these become (`before`).

use analysis::{Block, Value, ValueKind};
use ptx_parser::{Inst, Memory, Operand, Space, Word};
use rustc_hash::FxHashSet;

use super::before::Root;
use super::{Look, MOST_VALUES};

/// How many choices are followed, one behind the other.
pub(super) const DEEPEST: u32 = 6;

/// What a choice is made by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Predicate(Value),
    Way(Block),
}

impl Look<'_> {
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
            Root::Symbol(_) => true,
        };
        let fixed = self.read(value).filter(|&read| read != at).and_then(|read| self.address(read));
        if fixed.is_some_and(|(fixed, _)| is_steady(fixed)) && !is_steady(root) {
            return true;
        }
        self.is_found_by_itself(value, at) && self.is_computed_with(place, value)
            || self.is_one_apart(value, (place, more), DEEPEST)
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
        let Some((by, places)) = self.options((place, more)) else { return false };
        let all = places.into_iter().enumerate();
        all.into_iter().any(|(number, (root, more))| {
            let value = match self.choice_by(value) {
                Some((other, values)) if other == by => self.origin(values[number]),
                _ => value,
            };
            if let Root::Value(place) = root
                && self.options((place, more)).is_some()
            {
                return self.is_one_apart(value, (place, more), depth);
            }
            let Some((other, there)) = self.read(value).and_then(|read| self.address(read)) else { return false };
            there != more || !(root == other || self.may_be_alike(root, other))
        })
    }

    /// Returns the places that one is chosen from: as a whole, or by a number that an index is.
    fn options(&self, (place, more): (Value, i64)) -> Option<(By, Vec<(Root, i64)>)> {
        if let Some((by, values)) = self.choice_by(place) {
            return Some((by, values.into_iter().map(|value| self.sum(value, more)).collect()));
        }
        let sum = self.linear_sum(place, more)?;
        let at = sum.parts.iter().position(|part| self.choice_by(part.value).is_some())?;
        let ([other], true) = (&*[&sum.parts[..at], &sum.parts[at + 1..]].concat(), sum.parts.len() == 2) else {
            return None;
        };
        let (by, values) = self.choice_by(sum.parts[at].value)?;
        if other.by != 1 || other.widened.is_some() {
            return None;
        }
        let place = |value: Value| {
            let number = self.facts.values.copied_to(self.kernel, value)?;
            Some(self.sum(other.value, sum.number.wrapping_add(number.wrapping_mul(sum.parts[at].by))))
        };
        Some((by, values.into_iter().map(place).collect::<Option<Vec<_>>>()?))
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
    fn choice_by(&self, value: Value) -> Option<(By, Vec<Value>)> {
        let (values, kernel) = (&self.facts.values, self.kernel);
        let value = self.origin(value);
        let block = values.block(value);
        if !self.contains(block) {
            return None;
        }
        if let ValueKind::Phi(..) = values.kind(value) {
            let inputs = values.phi_inputs(value).iter().map(|&(_, input)| input).collect();
            return (!self.is_header(block)).then_some((By::Way(block), inputs));
        }
        let made = values.made_by(kernel, value)?;
        let &[_, one, other, Operand::Reg(predicate)] = kernel.operands(made) else { return None };
        if kernel.opcode(made).family() != Word::Selp || kernel.inst(made).guard.is_some() {
            return None;
        }
        let of = |operand: &Operand| values.of_operand(made, operand);
        Some((By::Predicate(values.at_use(made, predicate)?), vec![of(&one)?, of(&other)?]))
    }
}
