//! Predicates that are passed on: copied, negated, or combined with a truth value that is known.
//!
//! Compilers write these where they compare truth values: `xor.pred p, q, false` is `q`. Who looks for the comparison behind a branch follows them.

use ptx_parser::{Inst, Kernel, Logic, Operand};

use super::{MOST_COPIES, Value, Values};

impl Values {
    /// The predicate that a value is by itself or negated, with whether it is negated; `None` if its instruction has a guard, or does something else.
    #[must_use]
    pub fn passed_on(&self, kernel: &Kernel, value: Value) -> Option<(Value, bool)> {
        let made = self.made_by(kernel, value)?;
        let (from, negated) = match (kernel.properties(made).logic?, kernel.operands(made)) {
            (Logic::Same, [_, one]) => (one, false),
            (Logic::Not, [_, one]) => (one, true),
            (Logic::And | Logic::Or, [_, one, other]) if one == other => (one, false),
            (logic, [_, one, other]) => {
                let truth = |operand| self.truth_of(kernel, made, operand, MOST_COPIES);
                let (from, known) = match (truth(one), truth(other)) {
                    (None, Some(known)) => (one, known),
                    (Some(known), None) => (other, known),
                    _ => return None,
                };
                match logic {
                    Logic::And if known => (from, false),
                    Logic::Or if !known => (from, false),
                    Logic::Xor => (from, known),
                    _ => return None,
                }
            }
            _ => return None,
        };
        match *from {
            Operand::Reg(_) => Some((self.of_operand(made, from)?, negated)),
            Operand::Not(reg) => Some((self.at_use(made, reg)?, !negated)),
            _ => None,
        }
    }

    /// The truth value that a predicate has always, by way of some copies at most.
    #[must_use]
    pub fn truth(&self, kernel: &Kernel, predicate: Value) -> Option<bool> {
        self.truth_by(kernel, predicate, MOST_COPIES)
    }

    fn truth_by(&self, kernel: &Kernel, predicate: Value, copies: usize) -> Option<bool> {
        let copies = copies.checked_sub(1)?;
        let made = self.made_by(kernel, predicate)?;
        match (kernel.properties(made).logic?, kernel.operands(made)) {
            (Logic::Same, [_, one]) => self.truth_of(kernel, made, one, copies),
            (Logic::Not, [_, one]) => Some(!self.truth_of(kernel, made, one, copies)?),
            _ => None,
        }
    }

    /// The truth value that an operand has always.
    fn truth_of(&self, kernel: &Kernel, at: Inst, operand: &Operand, copies: usize) -> Option<bool> {
        match *operand {
            Operand::Int(number) => Some(number != 0),
            Operand::Not(reg) => Some(!self.truth_by(kernel, self.at_use(at, reg)?, copies)?),
            _ => self.truth_by(kernel, self.of_operand(at, operand)?, copies),
        }
    }
}
