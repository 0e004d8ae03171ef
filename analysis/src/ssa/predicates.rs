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

#[cfg(test)]
mod tests {
    use ptx_parser::{Module, StmtKind};

    use crate::Analyses;

    /// Returns how some text writes `%q`: as `%p` or its opposite (whether it is negated), and as a truth value.
    fn made(text: &str) -> (Option<bool>, Option<bool>) {
        let source = format!(
            ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{{\n.reg .pred %p, %q, %t, %f;\n.reg .b32 %r;\n\
             mov.u32 %r, %tid.x;\nsetp.eq.u32 %p, %r, 0;\nmov.pred %f, 0;\nnot.pred %t, %f;\n{text}\n@%q bra END;\n@%p bra END;\n@%t bra END;\n@%f bra END;\nEND:\nret;\n}}\n"
        );
        let module = Module::parse(&source).unwrap();
        let kernel = &module.kernels()[0];
        let facts = Analyses::of(kernel);
        let insts: Vec<_> = kernel
            .stmts()
            .iter()
            .filter_map(|stmt| match stmt.kind {
                StmtKind::Inst(inst) => Some(inst),
                _ => None,
            })
            .collect();
        let [_, compared, _, _, .., last, _, _, _, _, _] = insts[..] else { panic!("{text}") };
        let (predicate, value) = (facts.values.defs(compared)[0].1, facts.values.defs(last)[0].1);
        let passed = facts.values.passed_on(kernel, value).filter(|&(from, _)| from == predicate);
        (passed.map(|(_, negated)| negated), facts.values.truth(kernel, value))
    }

    #[test]
    fn predicates_that_known_ones_are_combined_with_are_passed_on() {
        for (text, negated) in [
            ("mov.pred %q, %p;", false),
            ("not.pred %q, %p;", true),
            ("xor.pred %q, %p, 0;", false),
            ("xor.pred %q, 1, %p;", true),
            ("xor.pred %q, %p, %f;", false),
            ("xor.pred %q, %t, %p;", true),
            ("and.pred %q, %p, %t;", false),
            ("or.pred %q, %f, %p;", false),
            ("and.pred %q, %p, %p;", false),
            ("or.pred %q, %p, %p;", false),
        ] {
            assert_eq!(made(text), (Some(negated), None), "{text}");
        }
        assert_eq!(made("mov.pred %q, %t;"), (None, Some(true)));
    }

    #[test]
    fn predicates_of_which_nothing_is_known_are_not() {
        for text in [
            "xor.pred %q, %p, %p;",
            "and.pred %q, %p, %f;",
            "or.pred %q, %p, %t;",
            "@%t mov.pred %q, %p;",
            "setp.ne.u32 %q, %r, 1;",
        ] {
            assert_eq!(made(text), (None, None), "{text}");
        }
    }
}
