//! A check that a counter reaches the number that it is compared with.

use ptx_parser::{Inst, Operand, Relation};

use super::loop_facts::LoopFacts;
use crate::detect::lock_free::size_limits::MANY;
use crate::detect::lock_free::terms::{as_compared, signed};

/// In which direction a number counts, and by how much, if that is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counting {
    pub(super) up: bool,
    pub(super) step: Option<u64>,
    /// The least number that it begins at, as far as that is a constant.
    pub(super) from: i64,
}

impl Counting {
    /// Counting by what is added as a number of so many bits.
    pub(super) fn by(added: i64, bits: u32) -> Counting {
        let added = signed(added.cast_unsigned(), bits);
        Counting { up: added > 0, step: Some(added.unsigned_abs()), from: 0 }
    }
}

impl LoopFacts<'_> {
    /// Returns whether a comparison that holds, or does not, where a lane stays, is one that a counter comes to the end of, before it could pass the last of all numbers, and before it has counted for
    /// seconds. One that goes up is taken to begin at 0 where nothing else is known: below that it is a lock that is held, by its sign.
    pub(super) fn is_end_of(
        &self,
        (made, holds): (Inst, bool),
        counting: Counting,
        is_counter: &dyn Fn(&Operand) -> bool,
        is_fixed: &dyn Fn(&Operand) -> bool,
    ) -> bool {
        let (Some(comparison), &[_, one, other]) =
            (self.kernel.properties(made).comparison, self.kernel.operands(made))
        else {
            return false;
        };
        let relation = comparison.relation_if(holds);
        let comes = |relation: Relation, end: &Operand| {
            let step = counting.step.unwrap_or(1);
            let beyond = match (relation, counting.up) {
                // A longer step may pass by a number.
                (Relation::NotEqual, up) if counting.step == Some(1) => i128::from(up),
                (Relation::Less, true) | (Relation::Greater, false) => 0,
                (Relation::LessOrEqual, true) | (Relation::GreaterOrEqual, false) => 1,
                _ => return false,
            };
            // A step of that size passes any number that it is compared with, and goes on behind the last one.
            if u128::from(step) >= MANY {
                return false;
            }
            let way = |end: i64| {
                let end = as_compared(end.cast_unsigned(), comparison);
                if counting.up { end + beyond - i128::from(counting.from) } else { (-end).max(1) }
            };
            let end = self.samples.of_operand(made, end);
            let ways: Vec<i128> = end.numbers.into_iter().map(way).collect();
            let is_near = |&way: &i128| way.max(0).unsigned_abs() / u128::from(step) < MANY;
            // A number that is passed is come to behind the last one.
            let is_passed = |&way: &i128| way <= 0;
            let are_passed = match relation {
                Relation::NotEqual => ways.iter().any(is_passed),
                _ => end.is_sure && ways.iter().all(is_passed),
            };
            ways.iter().all(is_near) && !are_passed
        };
        is_counter(&one) && is_fixed(&other) && comes(relation, &other)
            || is_counter(&other) && is_fixed(&one) && comes(relation.swapped(), &one)
    }
}
