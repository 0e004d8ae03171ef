//! The parts of a call.

use crate::entities::Inst;
use crate::kernel::Kernel;
use crate::operand::{Offset, Operand};

/// The operands of a call (PTX ISA, "call").
#[derive(Clone, Copy, Debug)]
pub struct CallParts<'k> {
    /// The operands that take the results; none if there are no parentheses before the callee.
    pub results: &'k [Operand],
    /// A function, or a register with the address of one.
    pub callee: Option<&'k Operand>,
    /// The operands that are passed.
    pub arguments: &'k [Operand],
}

impl Kernel {
    /// Takes the operands of a call apart.
    #[must_use]
    pub fn call_parts(&self, call: Inst) -> CallParts<'_> {
        let operands = self.operands(call);
        let (results, rest): (&[Operand], _) = match operands {
            [Operand::Tuple(list), rest @ ..] => (self.list(*list), rest),
            _ => (&[], operands),
        };
        let arguments: &[Operand] = match rest.get(1) {
            Some(Operand::Tuple(list)) => self.list(*list),
            _ => &[],
        };
        CallParts { results, callee: rest.first(), arguments }
    }

    /// The name of the function that a call names; `None` if it is called by address.
    #[must_use]
    pub fn callee_name(&self, call: Inst) -> Option<&str> {
        match self.call_parts(call).callee {
            Some(&Operand::Symbol(symbol, Offset::ZERO)) if self.variable(symbol).is_none() => {
                Some(self.symbol_name(symbol))
            }
            _ => None,
        }
    }
}
