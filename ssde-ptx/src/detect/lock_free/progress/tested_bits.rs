//! A check that a swap does not change the bits by which a lane stays in a loop.
//!
//! ```text
//! while ((v = word) & 1) CAS(&word, v, v + 4);        the lock is held before and behind it
//! ```
//!
//! A lane that changes the word that it waits for, but not the awaited bits of it, has not moved.

use analysis::{Block, Value, ValueKind};
use ptx_parser::{Comparison, Inst, Linear, Memory, Mnemonic, Number, Operand, Relation, Type};

use super::loop_facts::LoopFacts;

/// The greatest depth to which values are followed.
const DEEPEST: u32 = 12;

/// A bit of a value, by the bits of another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bit {
    PathCondition(bool),
    /// The bit of that number of the other value.
    Of(usize),
    /// The inverse of that bit.
    Not(usize),
    Any,
}

pub(super) type Bits = [Bit; 64];

/// A comparison with a constant.
pub(super) struct Compared {
    pub(super) bits: Vec<Bit>,
    pub(super) relation: Relation,
    pub(super) end: i64,
    pub(super) comparison: Comparison,
}

pub(super) fn number(number: i64) -> Bits {
    std::array::from_fn(|at| Bit::PathCondition(number.cast_unsigned() >> at & 1 == 1))
}

/// The bit of a number in a word; any beyond the last one.
pub(super) fn bit(of: &Bits, at: usize) -> Bit {
    of.get(at).copied().unwrap_or(Bit::Any)
}

impl LoopFacts<'_> {
    /// Returns true if a swap of what was wanted for something else leaves some test as it is by which a lane comes to it, or stays behind it.
    pub(super) fn keeps_waiting(&self, swap: Inst, wanted: Value) -> bool {
        let Some((_, new)) = self.swaps().find(|&(inst, _)| inst == swap) else { return false };
        let wanted = self.origin(wanted);
        let tested = self.tested(wanted);
        let tests = self.tests_of(swap);
        // Who writes the same in each round has moved but once, unless finding that leads elsewhere.
        if self.is_the_same_in_all_rounds(new) && !tests.iter().any(|&test| self.differs(test, &tested, new)) {
            return true;
        }
        let new = self.bits(new, wanted, DEEPEST);
        tests.into_iter().any(|test| tested.iter().any(|&value| self.is_kept(test, value, &new)))
    }

    /// The values that tests look at in the place of what a swap compares with: behind the swap, the next round compares what it reads then.
    pub(super) fn tested(&self, wanted: Value) -> Vec<Value> {
        let read_again = match self.facts.values.kind(wanted) {
            ValueKind::Phi(..) => self.facts.values.phi_inputs(wanted),
            _ => &[],
        };
        [wanted].into_iter().chain(read_again.iter().map(|&(_, input)| self.origin(input))).collect()
    }

    /// The tests on the way to a swap, and those where others leave.
    pub(super) fn tests_of(&self, swap: Inst) -> Vec<(Inst, bool)> {
        let before = self.facts.cfg.block_of(swap).into_iter().flat_map(|block| self.on_the_way_to(block));
        before.chain(self.deciding()).collect()
    }

    /// Returns true if a value is the same in all rounds, and no number that is known.
    fn is_the_same_in_all_rounds(&self, value: Value) -> bool {
        let value = self.origin(value);
        if self.facts.values.copied_to(self.kernel, value).is_some() {
            return false;
        }
        self.is_made_by(value, &mut |made| self.kernel.properties(made).memory == Memory::None)
    }

    /// Returns true if a comparison says that one of some values is not another one.
    pub(super) fn differs(&self, (made, holds): (Inst, bool), tested: &[Value], other: Value) -> bool {
        let (Some(comparison), &[_, one, another]) =
            (self.kernel.properties(made).comparison, self.kernel.operands(made))
        else {
            return false;
        };
        let relation = comparison.relation_if(holds);
        let of = |operand: &Operand| self.facts.values.of_operand(made, operand).map(|value| self.origin(value));
        let (one, another) = (of(&one), of(&another));
        let other = Some(self.origin(other));
        let is_tested = |value: Option<Value>| value.is_some_and(|value| tested.contains(&value));
        relation == Relation::NotEqual && (is_tested(one) && another == other || is_tested(another) && one == other)
    }

    /// The comparisons that hold, or do not, behind an edge.
    pub(super) fn known_behind(&self, from: Block, to: Block) -> Vec<(Inst, bool)> {
        let mut known = self.conditions(from, to);
        known.extend(self.on_the_way_to(from));
        known
    }

    /// The comparisons that hold, or do not, wherever a block is come to: those of the branches above it that have one way to it alone.
    pub(super) fn on_the_way_to(&self, block: Block) -> Vec<(Inst, bool)> {
        self.tests_above(block, |above| self.contains(above))
    }

    /// The same as far as some blocks go.
    pub(super) fn tests_above(&self, block: Block, is_asked: impl Fn(Block) -> bool) -> Vec<(Inst, bool)> {
        let facts = self.facts;
        let (mut block, mut found) = (block, Vec::new());
        while let Some(above) = facts.dominators.idom(block).filter(|&above| is_asked(above)) {
            if facts.cfg.reachable_preds(block).eq([above]) {
                found.extend(self.conditions(above, block));
            }
            block = above;
        }
        found
    }

    /// Returns true if a comparison that holds, or does not, of some value is as true of what is written in its place.
    fn is_kept(&self, test: (Inst, bool), value: Value, new: &Bits) -> bool {
        let Some(Compared { bits, relation, end, comparison }) = self.compared_bits(test, value) else { return false };
        let of: Vec<usize> =
            bits.iter().filter_map(|bit| if let Bit::Of(at) = bit { Some(*at) } else { None }).collect();
        // The sign alone.
        if let (Some(&Bit::Of(sign)), Number::Signed) = (bits.last(), comparison.number) {
            let negative = match (relation, end) {
                (Relation::Less, 0) | (Relation::LessOrEqual, -1) => Some(true),
                (Relation::GreaterOrEqual, 0) | (Relation::Greater, -1) => Some(false),
                _ => None,
            };
            if let Some(negative) = negative {
                return [Bit::Of(sign), Bit::PathCondition(negative)].contains(&bit(new, sign));
            }
        }
        if of.is_empty()
            || bits.iter().any(|bit| matches!(bit, Bit::Any | Bit::Not(_)))
            || !matches!(relation, Relation::Equal | Relation::NotEqual)
        {
            return false;
        }
        // Of one bit, it is known what it is where the lane stays.
        let is_set = || {
            let at = bits.iter().position(|bit| matches!(bit, Bit::Of(_)))?;
            let rest = bits.iter().zip(number(end)).filter(|(bit, _)| !matches!(bit, Bit::Of(_)));
            let others_agree = rest.into_iter().all(|(bit, end)| *bit == end);
            let end = bit(&number(end), at) == Bit::PathCondition(true);
            (of.len() == 1 && others_agree).then_some(end == (relation == Relation::Equal))
        };
        let stays = |&at: &usize| {
            let new = bit(new, at);
            new == Bit::Of(at) || is_set().is_some_and(|set| new == Bit::PathCondition(set))
        };
        of.iter().all(stays)
    }

    /// Returns what a comparison with a constant compares, by the bits of a value, how that relates to the constant, and the constant; `None` if it is no such comparison.
    pub(super) fn compared_bits(&self, (made, holds): (Inst, bool), value: Value) -> Option<Compared> {
        let (comparison, &[_, one, other]) = (self.kernel.properties(made).comparison?, self.kernel.operands(made))
        else {
            return None;
        };
        let relation = comparison.relation_if(holds);
        let (compared, relation, end) = match (self.constant(made, &one), self.constant(made, &other)) {
            (None, Some(end)) => (one, relation, end),
            (Some(end), None) => (other, relation.swapped(), end),
            _ => return None,
        };
        let compared = self.facts.values.of_operand(made, &compared)?;
        let bits = self.bits(compared, value, DEEPEST).into_iter().take(comparison.bits as usize).collect();
        Some(Compared { bits, relation, end, comparison })
    }

    /// The bits of a value, by those of another one.
    pub(super) fn bits_of(&self, value: Value, of: Value) -> Bits {
        self.bits(value, of, DEEPEST)
    }

    fn constant(&self, inst: Inst, operand: &Operand) -> Option<i64> {
        self.facts.values.constant(self.kernel, inst, operand)
    }

    /// The bits of a value, by those of another one.
    fn bits(&self, value: Value, of: Value, depth: u32) -> Bits {
        const ANY: Bits = [Bit::Any; 64];
        let value = self.origin(value);
        let width = self.kernel.reg(self.facts.values.reg(value)).ty.bits() as usize;
        let cut = |mut bits: Bits| {
            bits.iter_mut().skip(width).for_each(|bit| *bit = Bit::PathCondition(false));
            bits
        };
        if value == of {
            return cut(std::array::from_fn(Bit::Of));
        }
        if let Some(known) = self.facts.values.copied_to(self.kernel, value) {
            return cut(number(known));
        }
        let (Some(depth), Some(made)) = (depth.checked_sub(1), self.facts.values.made_by(self.kernel, value)) else {
            return cut(ANY);
        };
        let operands = self.kernel.operands(made);
        let input = |at: usize| match operands.get(at) {
            Some(Operand::Int(known)) => number(*known),
            Some(operand) => {
                self.facts.values.of_operand(made, operand).map_or(ANY, |input| self.bits(input, of, depth))
            }
            None => ANY,
        };
        let shift = || operands.get(2).and_then(|by| self.constant(made, by)).and_then(|by| usize::try_from(by).ok());
        let opcode = self.kernel.opcode(made);
        let is_unsigned = |ty: &Type| !ty.is_signed() && !ty.is_float();
        let bits = match (opcode.mnemonic(), operands.len()) {
            (Mnemonic::And, 3) => both(&input(1), &input(2), |one, other| gate(one, other, false)),
            (Mnemonic::Or, 3) => both(&input(1), &input(2), |one, other| gate(one, other, true)),
            (Mnemonic::Xor, 3) => both(&input(1), &input(2), |one, other| match (one, other) {
                (Bit::PathCondition(false), bit) | (bit, Bit::PathCondition(false)) => bit,
                (Bit::PathCondition(true), Bit::PathCondition(true)) => Bit::PathCondition(false),
                (Bit::PathCondition(true), Bit::Of(at)) | (Bit::Of(at), Bit::PathCondition(true)) => Bit::Not(at),
                (Bit::PathCondition(true), Bit::Not(at)) | (Bit::Not(at), Bit::PathCondition(true)) => Bit::Of(at),
                _ => Bit::Any,
            }),
            (Mnemonic::Shl, 3) => shift().map_or(ANY, |by| {
                let from = input(1);
                std::array::from_fn(|at| at.checked_sub(by).map_or(Bit::PathCondition(false), |at| bit(&from, at)))
            }),
            (Mnemonic::Shr, 3) if opcode.types().iter().all(is_unsigned) => shift().map_or(ANY, |by| {
                let from = input(1);
                std::array::from_fn(|at| from.get(at.saturating_add(by)).copied().unwrap_or(Bit::PathCondition(false)))
            }),
            (Mnemonic::Cvt, 2) if opcode.types().iter().all(is_unsigned) => input(1),
            (_, 3) => match (self.kernel.properties(made).linear, operands.get(2)) {
                (Some(Linear::Sum), _) => sum(&input(1), &input(2)),
                (Some(Linear::Difference), Some(Operand::Int(less))) => sum(&input(1), &number(less.wrapping_neg())),
                _ => ANY,
            },
            _ => ANY,
        };
        cut(bits)
    }
}

fn both(one: &Bits, other: &Bits, of: impl Fn(Bit, Bit) -> Bit) -> Bits {
    let mut bits = *one;
    bits.iter_mut().zip(other).for_each(|(bit, &other)| *bit = of(*bit, other));
    bits
}

/// The `and` of two bits, which a 0 decides, or the `or`, which a 1 decides.
fn gate(one: Bit, other: Bit, deciding: bool) -> Bit {
    match (one, other) {
        (Bit::PathCondition(known), bit) | (bit, Bit::PathCondition(known)) if known != deciding => bit,
        (Bit::PathCondition(_), _) | (_, Bit::PathCondition(_)) => Bit::PathCondition(deciding),
        _ if one == other => one,
        _ => Bit::Any,
    }
}

/// A sum: where one of two has no bits yet, those of the other one, up to where both may have one.
fn sum(one: &Bits, other: &Bits) -> Bits {
    let mut bits = [Bit::Any; 64];
    for (bit, both) in bits.iter_mut().zip(one.iter().zip(other)) {
        *bit = match both {
            (Bit::PathCondition(false), &bit) | (&bit, Bit::PathCondition(false)) => bit,
            _ => break,
        };
    }
    bits
}
