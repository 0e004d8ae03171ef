//! Windows that a counter moves over what is read, until one of them is not full.
//!
//! ```text
//! for (base = 0;; base += 64) {
//!     used = 0;
//!     for each neighbour: used |= 1 << (color[neighbour] - base);      nothing, for numbers outside the window
//!     if (used != all) break;
//! }
//! ```
//!
//! While nobody else writes, the window leaves behind all numbers that there are, and is empty then. That they are not so many that this takes seconds is assumed and
//! told, as of all counters. Who stays while a window is *not* full, or does not begin anew with an empty one, waits until others have filled it.

use analysis::{Value, ValueKind};
use ptx_parser::{Inst, Linear, Mnemonic, Operand, Relation};
use rustc_hash::FxHashSet;

use super::loop_facts::{LoopFacts, MOST_VALUES};

impl LoopFacts<'_> {
    /// Returns whether a lane stays because all bits of a number are set, each by something that is read less a counter.
    pub(super) fn is_full_window(&self, counter: Value, (made, holds): (Inst, bool)) -> bool {
        let (Some(comparison), &[_, one, other]) =
            (self.kernel.properties(made).comparison, self.kernel.operands(made))
        else {
            return false;
        };
        let stays_at = comparison.relation_if(holds);
        let number = |operand: &Operand| self.facts.values.constant(self.kernel, made, operand);
        let (marks, full) = match (number(&one), number(&other)) {
            (None, Some(full)) => (one, full),
            (Some(full), None) => (other, full),
            _ => return false,
        };
        let Some(marks) = self.facts.values.of_operand(made, &marks) else { return false };
        // The others are none.
        let (marks, full) = match self.inverse(marks) {
            Some(marks) => (marks, !full),
            None => (marks, full),
        };
        stays_at == Relation::Equal && full == -1 && self.is_window(counter, marks)
    }

    /// The number that one has the other bits of.
    fn inverse(&self, value: Value) -> Option<Value> {
        let made = self.facts.values.made_by(self.kernel, self.origin(value))?;
        let of = self.kernel.operands(made).get(1)?;
        let inverts = self.kernel.opcode(made).mnemonic() == Mnemonic::Not && self.kernel.inst(made).guard.is_none();
        inverts.then(|| self.facts.values.of_operand(made, of)).flatten()
    }

    /// Returns whether a value begins at 0 in each round, and gets but bits that say what is read less a counter.
    fn is_window(&self, counter: Value, marks: Value) -> bool {
        let values = &self.facts.values;
        let (mut seen, mut work) = (FxHashSet::default(), vec![self.origin(marks)]);
        let mut set = false;
        while let Some(value) = work.pop() {
            if values.copied_to(self.kernel, value) == Some(0) {
                continue;
            }
            let block = values.block(value);
            if seen.len() > MOST_VALUES || !self.contains(block) {
                return false;
            }
            let mut more = Vec::new();
            if let ValueKind::Phi(..) = values.kind(value) {
                // Where the counter is, a round begins.
                if block == values.block(counter) || self.cycle.entries.contains(&block) {
                    return false;
                }
                more.extend(values.phi_inputs(value).iter().map(|&(_, input)| input));
            } else {
                let Some(made) = values.made_by(self.kernel, value) else { return false };
                if self.is_mark(counter, made) {
                    set = true;
                    continue;
                }
                let chosen = match (self.kernel.opcode(made).mnemonic(), self.kernel.operands(made)) {
                    (Mnemonic::Or, &[_, one, other]) | (Mnemonic::Selp, &[_, one, other, _]) => [one, other],
                    _ => return false,
                };
                for operand in chosen {
                    match values.of_operand(made, &operand) {
                        Some(input) => more.push(input),
                        None if operand == Operand::Int(0) => {}
                        None => return false,
                    }
                }
            }
            work.extend(more.into_iter().map(|input| self.origin(input)).filter(|&input| seen.insert(input)));
        }
        set
    }

    /// Returns whether an instruction makes the bit whose number is what is read less a counter: none, if that is outside the word.
    fn is_mark(&self, counter: Value, made: Inst) -> bool {
        let values = &self.facts.values;
        let &[_, one, by] = self.kernel.operands(made) else { return false };
        let is_bit =
            self.kernel.opcode(made).mnemonic() == Mnemonic::Shl && values.constant(self.kernel, made, &one) == Some(1);
        let Some(by) = values.of_operand(made, &by).filter(|_| is_bit) else { return false };
        let Some(difference) = values.made_by(self.kernel, self.origin(by)) else { return false };
        let &[_, of, less] = self.kernel.operands(difference) else { return false };
        let value = |operand: Operand| values.of_operand(difference, &operand).map(|value| self.origin(value));
        self.kernel.properties(difference).linear == Some(Linear::Difference)
            && (value(less) == Some(counter))
            && value(of).is_some_and(|read| self.read(read).is_some())
    }
}
