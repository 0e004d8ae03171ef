//! Registers that get less by the difference of two numbers, of which a branch says which one is greater.
//!
//! ```text
//! if (first >= back) continue;
//! …; distance -= back - first;                  at least by one
//! ```
//!
//! Where nothing says so, the difference may be 0, and the lane asks for the same again.

use analysis::{Block, Value, ValueKind};
use ptx_parser::{Inst, Linear, Number, Operand, Relation};

use super::loop_facts::LoopFacts;
use super::prior_reads::Root;

/// The most sums and differences through which a register is followed.
const DEEPEST: usize = 8;

/// A value and a number that is added to it; the number alone, if there is no value.
type Made = (Option<Value>, i64);

/// The values and the number that a value is made of beside a register.
#[derive(Default)]
struct Beside {
    added: Vec<Value>,
    taken: Vec<Value>,
    number: i64,
}

impl LoopFacts<'_> {
    /// Returns whether a value is a register less the difference of two numbers, of which one is greater wherever they come from.
    pub(super) fn gets_less(&self, phi: Value, value: Value) -> bool {
        let Some(Beside { mut added, mut taken, number }) = self.beside(phi, value) else { return false };
        let (less, more) = (added.pop(), taken.pop());
        let is_difference = added.is_empty() && taken.is_empty() && (less.is_some() || more.is_some());
        is_difference && self.is_less_in(self.facts.values.block(value), (less, number), (more, 0))
    }

    /// Returns what is added to a register to make a value, and what is taken from it.
    fn beside(&self, phi: Value, value: Value) -> Option<Beside> {
        let (mut beside, mut found, mut steps) = (Beside::default(), false, 0);
        let mut work = vec![(value, true)];
        while let Some((value, plus)) = work.pop() {
            let value = self.origin(value);
            if value == phi && plus && !found {
                found = true;
                continue;
            }
            steps += 1;
            let made = self.facts.values.made_by(self.kernel, value).filter(|&made| self.is_plain(made));
            let (made, linear) = match made.map(|made| (made, self.kernel.properties(made).linear)) {
                Some((made, Some(linear @ (Linear::Sum | Linear::Difference)))) if steps <= DEEPEST => (made, linear),
                _ => {
                    if plus { &mut beside.added } else { &mut beside.taken }.push(value);
                    continue;
                }
            };
            let &[_, one, other] = self.kernel.operands(made) else { return None };
            for (operand, plus) in [(one, plus), (other, plus == (linear == Linear::Sum))] {
                match (self.facts.values.of_operand(made, &operand), operand) {
                    (Some(value), _) => work.push((value, plus)),
                    (None, Operand::Int(number)) if plus => beside.number = beside.number.checked_add(number)?,
                    (None, Operand::Int(number)) => beside.number = beside.number.checked_sub(number)?,
                    _ => return None,
                }
            }
        }
        found.then_some(beside)
    }

    fn is_plain(&self, inst: Inst) -> bool {
        self.kernel.inst(inst).guard.is_none()
            && self.facts.cfg.block_of(inst).is_some_and(|block| self.contains(block))
    }

    /// Returns whether one of two numbers is less than the other one in a block, on each way that leads to it if they meet others there.
    fn is_less_in(&self, block: Block, less: Made, more: Made) -> bool {
        let values = &self.facts.values;
        let is_phi = |made: Made| {
            made.0.is_some_and(|value| matches!(values.kind(value), ValueKind::Phi(..)) && values.block(value) == block)
        };
        if !is_phi(less) && !is_phi(more) || !self.contains(block) || self.is_header(block) {
            return self.is_less(less, more, &self.on_the_way_to(block));
        }
        self.facts.cfg.preds(block).iter().all(|&from| {
            let on_way = |made: Made| match made.0.filter(|_| is_phi(made)) {
                Some(phi) => (self.on_way(phi, from, block), made.1),
                None => made,
            };
            self.is_less(on_way(less), on_way(more), &self.known_behind(from, block))
        })
    }

    /// Returns whether one of two numbers is less than the other one by some comparison of signed numbers that are made from both by constants.
    fn is_less(&self, less: Made, more: Made, known: &[(Inst, bool)]) -> bool {
        let root = |(value, number): Made| match value.map(|value| self.sum(value, number)) {
            Some((Root::Value(root), number)) => match self.facts.values.copied_to(self.kernel, root) {
                Some(known) => Some((None, known.wrapping_add(number))),
                None => Some((Some(root), number)),
            },
            Some(_) => None,
            None => Some((None, number)),
        };
        let (Some(less), Some(more)) = (root(less), root(more)) else { return false };
        known.iter().any(|&(made, holds)| {
            let (Some(comparison), &[_, one, other]) =
                (self.kernel.properties(made).comparison, self.kernel.operands(made))
            else {
                return false;
            };
            let of = |operand: Operand| match operand {
                Operand::Int(number) => Some((None, number)),
                operand => root((Some(self.facts.values.of_operand(made, &operand)?), 0)),
            };
            let (Some(one), Some(other)) = (of(one), of(other)) else { return false };
            let relation = comparison.relation_if(holds);
            let (low, high, least) = match relation {
                Relation::Less => (one, other, 1),
                Relation::LessOrEqual => (one, other, 0),
                Relation::Greater => (other, one, 1),
                Relation::GreaterOrEqual => (other, one, 0),
                _ => return false,
            };
            // What is below a small number without a sign is so with one.
            let is_signed = comparison.number == Number::Signed || matches!(high, (None, 0..=0x7fff_ffff));
            let difference = i128::from(more.1) - i128::from(less.1) + i128::from(low.1) - i128::from(high.1);
            is_signed && (low.0, high.0) == (less.0, more.0) && difference + least >= 1
        })
    }
}
