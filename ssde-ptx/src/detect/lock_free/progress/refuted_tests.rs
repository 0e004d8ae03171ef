//! Swaps behind which a test does not hold any more that a lane came by: the next round takes another way.
//!
//! ```text
//! if (next & 1) CAS(&link, next, next & ~1);                  the next round finds no mark
//! ```
//!
//! Tests compare bits of the word with a constant, or say that it is not what the swap writes.

use analysis::Value;
use ptx_parser::{Inst, Relation};

use super::loop_facts::LoopFacts;
use super::tested_bits::{self, Bit, Bits, Compared, number};
use crate::detect::lock_free::terms::as_compared;

/// A comparison, and whether it holds.
type Test = (Inst, bool);

impl LoopFacts<'_> {
    /// Returns whether a test by which a lane comes to a swap, or stays behind it, does not hold of what the swap writes.
    pub(super) fn is_refuted(&self, swap: Inst, wanted: Value, new: Value) -> bool {
        let (tests, tested) = (self.tests_of(swap), self.tested(wanted));
        tests.iter().any(|&test| self.differs(test, &tested, new))
            || self.are_bits_refuted(&tests, &tested, wanted, self.bits_of(new, wanted))
    }

    /// The same of a constant.
    pub(super) fn is_constant_refuted(&self, swap: Inst, wanted: Value, new: i64) -> bool {
        let wanted = self.origin(wanted);
        self.are_bits_refuted(&self.tests_of(swap), &self.tested(wanted), wanted, number(new))
    }

    fn are_bits_refuted(&self, tests: &[Test], tested: &[Value], wanted: Value, new: Bits) -> bool {
        let new = self.with_known_bits(tests, wanted, new);
        tests.iter().any(|&test| tested.iter().any(|&value| self.is_false(test, value, &new)))
    }

    /// Returns what a swap writes, with the bits of the old word that tests say.
    fn with_known_bits(&self, tests: &[Test], wanted: Value, mut new: Bits) -> Bits {
        for &test in tests {
            let Some((of, was)) = self.known_bit(test, wanted) else { continue };
            for bit in &mut new {
                *bit = match *bit {
                    Bit::Of(number) if number == of => Bit::PathCondition(was),
                    Bit::Not(number) if number == of => Bit::PathCondition(!was),
                    other => other,
                };
            }
        }
        new
    }

    /// Returns the number of the one bit of a value that a test looks at, and what it is.
    fn known_bit(&self, test: Test, value: Value) -> Option<(usize, bool)> {
        let Compared { bits, relation, end, .. } = self.compared_bits(test, value)?;
        let end = number(end);
        let mut unknown = bits.iter().enumerate().filter(|(_, bit)| !matches!(bit, Bit::PathCondition(_)));
        let (Some((at, &Bit::Of(of))), None) = (unknown.next(), unknown.next()) else { return None };
        let is_set = tested_bits::bit(&end, at) == Bit::PathCondition(true);
        match (bits.iter().zip(end).enumerate().all(|(place, (bit, end))| place == at || *bit == end), relation) {
            (true, Relation::Equal) => Some((of, is_set)),
            (true, Relation::NotEqual) => Some((of, !is_set)),
            _ => None,
        }
    }

    /// Returns whether a test of some value certainly does not hold of what is written in its place.
    fn is_false(&self, test: Test, value: Value, new: &Bits) -> bool {
        let Some(Compared { bits, relation, end, comparison }) = self.compared_bits(test, value) else { return false };
        if !bits.iter().any(|bit| matches!(bit, Bit::Of(_) | Bit::Not(_))) {
            return false;
        }
        let known: Vec<Option<bool>> = bits.iter().map(|&bit| is_set(bit, new)).collect();
        let differs = |(bit, end): (&Option<bool>, Bit)| bit.is_some_and(|bit| Bit::PathCondition(bit) != end);
        if relation == Relation::Equal && known.iter().zip(number(end)).any(differs) {
            return true;
        }
        let all = known.iter().enumerate().try_fold(0, |all, (at, bit)| Some(all | u64::from((*bit)?) << at));
        all.is_some_and(|all| {
            !relation.holds(as_compared(all, comparison).cmp(&as_compared(end.cast_unsigned(), comparison)))
        })
    }
}

/// Returns what a bit is where another word stands in the place of the old one, if that is known.
fn is_set(bit: Bit, new: &Bits) -> Option<bool> {
    let known = |bit: Bit| if let Bit::PathCondition(known) = bit { Some(known) } else { None };
    match bit {
        Bit::Of(at) => known(tested_bits::bit(new, at)),
        Bit::Not(at) => known(tested_bits::bit(new, at)).map(|set| !set),
        bit => known(bit),
    }
}
