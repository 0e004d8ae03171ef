//! Swaps by which a word may come back to what it was before: no steps.
//!
//! ```text
//! t = tail;
//! if (slot[t] == free) …
//! CAS(&tail, t, t ^ 1);                                       the lane goes round a ring until another lane frees a slot
//! ```
//!
//! A lane that is alone moves on for good only in one direction of an order. It sets or clears bits, which a second swap of that kind leaves alone; it counts (`counter_swaps`); or it follows links, which
//! are assumed to come to an end. Everything else that is made from what the swap compares with is a permutation or a table in general: exclusive or, difference, negation, product, remainder,
//! rotation, a choice from numbers. After some rounds, the word may hold what it held first, and the lane goes through the same rounds again. So such a swap is a step only if a test by which the lane
//! comes to it does not hold of the new value: then the next round takes another way.
//!
//! - A *constant* is what the word holds from the second round on. So the same is true of it.
//! - *Links* come to an end only if a test looks at them. A table that is read at what the swap compares with, and whose numbers no test looks at, may map in a circle.
//! - Two swaps of which each writes what the other one compares with *take each other back*.

use analysis::{Value, ValueKind};
use ptx_parser::{Inst, Linear, Memory, Mnemonic, Operand, Relation};
use rustc_hash::FxHashSet;

use super::loop_facts::{LoopFacts, MOST_VALUES};
use super::tested_bits::Bit;

/// The greatest depth to which values are followed.
const DEEPEST: u32 = 12;

/// The way in which a new value is made from the value that a swap compares with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    /// It is what the swap compares with, but for bits that are set or cleared.
    Masks,
    /// It is not made from that, nor read in the loop.
    Steady,
    /// It is a constant.
    Constant,
    /// It is, or its bits have in them, what is read at an address that is made from that.
    Follows,
    /// It is, or its bits have in them, what is read somewhere else.
    Elsewhere,
    /// It is made from that in another way.
    Returns,
}

impl LoopFacts<'_> {
    /// Returns whether a comparison and swap may have a word come back, after some rounds of a lane alone, to what it was before.
    pub(super) fn may_turn(&self, swap: Inst, wanted: Value) -> bool {
        let Some((_, new)) = self.swaps().find(|&(inst, _)| inst == swap) else {
            // A constant is no value.
            let constant = self.given(swap, 2).and_then(|new| self.facts.values.constant(self.kernel, swap, &new));
            return constant.is_some_and(|new| !self.is_constant_refuted(swap, wanted, new));
        };
        let (wanted, new) = (self.origin(wanted), self.origin(new));
        if self.is_taken_back(swap, wanted, new) {
            return true;
        }
        match self.change(new, wanted, DEEPEST) {
            Change::Returns | Change::Constant => !self.is_refuted(swap, wanted, new),
            Change::Follows => !self.looks_at(swap, wanted, new),
            // What the swap compares with may be made from what it writes.
            Change::Steady | Change::Elsewhere => {
                let is_computed =
                    self.read(wanted).is_none() && !matches!(self.facts.values.kind(wanted), ValueKind::Phi(..));
                is_computed && self.change(wanted, new, DEEPEST) == Change::Returns
            }
            Change::Masks => false,
        }
    }

    /// Returns whether another swap compares with what this one writes, and writes what this one compares with.
    fn is_taken_back(&self, swap: Inst, wanted: Value, new: Value) -> bool {
        self.swaps().any(|(other, back)| {
            let compared = self.wanted(other).map(|compared| self.origin(compared));
            other != swap && compared == Some(new) && self.origin(back) == wanted
        })
    }

    /// Returns how a value is made from another one.
    fn change(&self, value: Value, of: Value, depth: u32) -> Change {
        let (values, kernel) = (&self.facts.values, self.kernel);
        let value = self.origin(value);
        if values.copied_to(kernel, value).is_some() {
            return Change::Constant;
        }
        if value == of {
            return Change::Masks;
        }
        if !self.contains(values.block(value)) {
            return Change::Steady;
        }
        if let Some(read) = self.read(value) {
            return if self.leads_from(of, read) { Change::Follows } else { Change::Elsewhere };
        }
        let Some(depth) = depth.checked_sub(1) else { return Change::Returns };
        let of_all =
            |all: Vec<Value>| -> Vec<Change> { all.into_iter().map(|input| self.change(input, of, depth)).collect() };
        if let ValueKind::Phi(..) = values.kind(value) {
            if self.is_header(values.block(value)) {
                return Change::Elsewhere;
            }
            return chosen(&of_all(values.phi_inputs(value).iter().map(|&(_, input)| input).collect()));
        }
        let Some(made) = values.made_by(kernel, value) else { return Change::Elsewhere };
        let operands = kernel.operands(made);
        let of_operand = |operand: &Operand| match values.of_operand(made, operand) {
            Some(input) => self.change(input, of, depth),
            None => Change::Constant,
        };
        let family = kernel.opcode(made).mnemonic();
        if let (Mnemonic::Selp | Mnemonic::Min | Mnemonic::Max, [_, one, other, ..]) = (family, operands) {
            return chosen(&[of_operand(one), of_operand(other)]);
        }
        let all = of_all(values.inputs(kernel, value).to_vec());
        let is = |change: Change| all.contains(&change);
        let packs = matches!(
            family,
            Mnemonic::Or
                | Mnemonic::And
                | Mnemonic::Mov
                | Mnemonic::Cvt
                | Mnemonic::Shl
                | Mnemonic::Shr
                | Mnemonic::Bfi
                | Mnemonic::Prmt
        ) || matches!(kernel.properties(made).linear, Some(Linear::Sum | Linear::ProductSum));
        let only_masks = matches!(family, Mnemonic::Or | Mnemonic::And) && !is(Change::Returns);
        // Whatever says which bits of the word are cleared, there are fewer of them.
        let only_clears =
            family == Mnemonic::And && values.inputs(kernel, value).into_iter().any(|input| self.origin(input) == of);
        let has_of = is(Change::Masks) || is(Change::Returns);
        let read = [Change::Follows, Change::Elsewhere].into_iter().find(|&change| is(change));
        match read {
            _ if kernel.properties(made).memory != Memory::None => Change::Elsewhere,
            Some(read) if packs || !has_of => read,
            _ if !has_of => Change::Steady,
            _ if only_masks || only_clears || self.only_masks(value, of) => Change::Masks,
            _ => Change::Returns,
        }
    }

    /// Returns whether each bit of a value is the same bit of another one, or known.
    fn only_masks(&self, value: Value, of: Value) -> bool {
        let bits = self.bits_of(value, of);
        bits.iter().enumerate().all(|(at, bit)| matches!(bit, Bit::PathCondition(_)) || *bit == Bit::Of(at))
    }

    /// Returns whether a test on the way to a swap, or where lanes leave, looks at what the swap compares with, or at a link that it writes or packs.
    fn looks_at(&self, swap: Inst, wanted: Value, new: Value) -> bool {
        let mut links: FxHashSet<Value> = self.tested(wanted).into_iter().chain([new]).collect();
        let read = self.reads_behind(vec![new], MOST_VALUES).into_iter().flat_map(|read| self.facts.values.defs(read));
        links.extend(read.map(|&(_, made)| made));
        self.tests_of(swap).into_iter().any(|(made, _)| {
            let values = &self.facts.values;
            let equality = self.kernel.properties(made).comparison.map(|comparison| comparison.relation);
            let mut work: Vec<Value> = values.uses(made).iter().map(|&(_, value)| self.origin(value)).collect();
            // A second read says whether others have moved, and nothing of where links lead.
            if let ([one, other], Some(Relation::Equal | Relation::NotEqual)) = (work.as_slice(), equality)
                && (self.reread(*one, *other).is_some() || self.reread(*other, *one).is_some())
            {
                return false;
            }
            let mut seen: FxHashSet<Value> = work.iter().copied().collect();
            while let Some(value) = work.pop() {
                if links.contains(&value) {
                    return true;
                }
                if seen.len() > MOST_VALUES || self.read(value).is_some() || !self.contains(values.block(value)) {
                    continue;
                }
                let inputs = values.inputs(self.kernel, value).into_iter().map(|input| self.origin(input));
                work.extend(inputs.filter(|&input| seen.insert(input)));
            }
            false
        })
    }
}

/// Returns what a choice from values is.
fn chosen(all: &[Change]) -> Change {
    let is = |change: Change| all.contains(&change);
    match all {
        _ if is(Change::Follows) => Change::Follows,
        _ if is(Change::Elsewhere) => Change::Elsewhere,
        _ if all.iter().all(|&change| change == Change::Steady) => Change::Steady,
        _ if all.iter().all(|&change| change == Change::Masks) => Change::Masks,
        _ => Change::Returns,
    }
}
