//! Registers that lose bits in each round, and are nothing in the end: `x >>= 1`, `x &= x - 1`, `x ^= 1 << (ffs(x) - 1)`.

use analysis::{Analyses, Value};
use ptx_parser::{Kernel, Linear, Mnemonic, Modifier, Operand};

/// Returns whether a value is a counter with fewer bits set, or shifted out, as long as the counter is not 0. After as many rounds as it has bits, it is 0.
pub(super) fn loses_bits(facts: &Analyses, kernel: &Kernel, counter: Value, value: Value) -> bool {
    let look = Look { facts, kernel, counter };
    look.is_shifted(value) || look.is_without_lowest(value)
}

struct Look<'a> {
    facts: &'a Analyses,
    kernel: &'a Kernel,
    counter: Value,
}

impl Look<'_> {
    fn is_shifted(&self, value: Value) -> bool {
        let Some(inst) = self.facts.values.made_by(self.kernel, value) else { return false };
        let opcode = self.kernel.opcode(inst);
        let &[_, of, Operand::Int(1..)] = self.kernel.operands(inst) else { return false };
        let is_lost = match opcode.mnemonic() {
            Mnemonic::Shl => true,
            Mnemonic::Shr => opcode.types().iter().all(|ty| !ty.is_signed()),
            _ => false,
        };
        is_lost && self.facts.values.of_operand(inst, &of) == Some(self.counter)
    }

    /// Returns whether a value is the counter without its lowest set bit.
    fn is_without_lowest(&self, value: Value) -> bool {
        let values = &self.facts.values;
        let Some(inst) = values.made_by(self.kernel, value) else { return false };
        let &[_, one, other] = self.kernel.operands(inst) else { return false };
        let (Some(one), Some(other)) = (values.of_operand(inst, &one), values.of_operand(inst, &other)) else {
            return false;
        };
        let rest = match (one == self.counter, other == self.counter) {
            (true, false) => other,
            (false, true) => one,
            _ => return false,
        };
        match self.kernel.opcode(inst).mnemonic() {
            Mnemonic::And => self.is_one_less(rest),
            Mnemonic::Xor => self.is_lowest(rest),
            _ => false,
        }
    }

    fn is_one_less(&self, value: Value) -> bool {
        let Some(inst) = self.facts.values.made_by(self.kernel, value) else { return false };
        match (self.kernel.properties(inst).linear, self.kernel.operands(inst)) {
            (Some(Linear::Sum), &[_, of, Operand::Int(-1)]) | (Some(Linear::Difference), &[_, of, Operand::Int(1)]) => {
                self.facts.values.of_operand(inst, &of) == Some(self.counter)
            }
            _ => false,
        }
    }

    /// Returns whether a value is the lowest set bit of the counter: `1 << clz(brev(counter))`.
    fn is_lowest(&self, value: Value) -> bool {
        let values = &self.facts.values;
        let made = |value: Value, mnemonic: Mnemonic| {
            values.made_by(self.kernel, value).filter(|&inst| self.kernel.opcode(inst).mnemonic() == mnemonic)
        };
        let from = |inst, number: usize| {
            self.kernel.operands(inst).get(number).and_then(|operand| values.of_operand(inst, operand))
        };
        let is_turned_round =
            |value: Value| made(value, Mnemonic::Brev).and_then(|brev| from(brev, 1)) == Some(self.counter);
        made(value, Mnemonic::Shl).is_some_and(|shift| {
            let one = self.kernel.operands(shift).get(1).and_then(|one| values.constant(self.kernel, shift, one));
            let distance = from(shift, 2)
                .and_then(|distance| made(distance, Mnemonic::Bfind).or_else(|| made(distance, Mnemonic::Clz)));
            let is_distance = |inst| match self.kernel.opcode(inst).mnemonic() {
                Mnemonic::Bfind => self.kernel.opcode(inst).has(Modifier::Shiftamt),
                _ => true,
            };
            one == Some(1)
                && distance
                    .filter(|&inst| is_distance(inst))
                    .and_then(|inst| from(inst, 1))
                    .is_some_and(is_turned_round)
        })
    }
}
