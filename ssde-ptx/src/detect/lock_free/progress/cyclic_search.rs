//! Searches that go round a table until they are back where they began.
//!
//! ```text
//! i = first = hash % slots;
//! do { …slot[i]… i = (i + step) % slots; } while (i != first);
//! ```
//!
//! That they come back is assumed and told, as of all that a loop counts: it holds where the step and the number of slots have no common divisor.

use analysis::{Value, ValueKind};
use ptx_parser::{Inst, Memory, Operand, Relation};
use rustc_hash::FxHashSet;

use super::loop_facts::{LoopFacts, MOST_VALUES};
use super::traversal::Followed;

impl LoopFacts<'_> {
    /// The comparison that says whether a register is back where it began, if a value is the next place behind it.
    pub(super) fn comes_around(&self, phi: Value, value: Value) -> Option<Followed> {
        let values = &self.facts.values;
        let mut outside = values.phi_inputs(phi).iter().filter(|&&(from, _)| !self.contains(from));
        let first = self.origin(outside.next()?.1);
        if outside.any(|&(_, input)| self.origin(input) != first) || !self.is_next_place(phi, value) {
            return None;
        }
        let is_back = |&(made, holds): &(Inst, bool)| {
            let (Some(comparison), &[_, one, other]) =
                (self.kernel.properties(made).comparison, self.kernel.operands(made))
            else {
                return false;
            };
            let is = |operand: &Operand, value: Value| {
                values.of_operand(made, operand).is_some_and(|operand| self.origin(operand) == value)
            };
            let compares = is(&one, value) && is(&other, first) || is(&other, value) && is(&one, first);
            comparison.relation_if(holds) == Relation::NotEqual && compares
        };
        let (end, _) = self.deciding().find(is_back)?;
        Some(Followed { end, apart: Vec::new() })
    }

    /// Returns true if a value is computed from a register and from what stays, and is never that register.
    fn is_next_place(&self, phi: Value, value: Value) -> bool {
        let values = &self.facts.values;
        if self.may_be(value, phi) {
            return false;
        }
        let (mut seen, mut work, mut found) = (FxHashSet::default(), vec![value], false);
        while let Some(value) = work.pop() {
            found |= value == phi;
            if value == phi || !self.contains(values.block(value)) {
                continue;
            }
            let computes = |made: Inst| self.kernel.properties(made).memory == Memory::None;
            let is_phi = matches!(values.kind(value), ValueKind::Phi(..));
            if is_phi || seen.len() > MOST_VALUES || !values.made_by(self.kernel, value).is_some_and(computes) {
                return false;
            }
            let inputs = values.inputs(self.kernel, value).into_iter().map(|input| self.origin(input));
            work.extend(inputs.filter(|&input| seen.insert(input)));
        }
        found
    }
}
