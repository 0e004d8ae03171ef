//! The connectives of predicates.

use super::words::{Mnemonic, Modifier};
use crate::types::Type;

/// The connective by which a predicate is computed from the operands behind it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Logic {
    /// Operand 1.
    Same,
    /// The opposite of operand 1.
    Not,
    /// Operand 1 and operand 2.
    And,
    /// Operand 1 or operand 2.
    Or,
    /// Returns whether exactly one of operand 1 and operand 2 holds.
    Xor,
}

/// The connective of an opcode; `None` if it makes no predicate of predicates alone, or another one.
pub(super) fn logic(mnemonic: Mnemonic, modifiers: &[Modifier]) -> Option<Logic> {
    if modifiers != [Modifier::Type(Type::Pred)] {
        return None;
    }
    match mnemonic {
        Mnemonic::Mov => Some(Logic::Same),
        Mnemonic::Not => Some(Logic::Not),
        Mnemonic::And => Some(Logic::And),
        Mnemonic::Or => Some(Logic::Or),
        Mnemonic::Xor => Some(Logic::Xor),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OpcodeData;

    #[test]
    fn connectives_of_predicates_are_described() {
        let logic = |text: &str| OpcodeData::new(text).properties().logic;
        assert_eq!(logic("mov.pred"), Some(Logic::Same));
        assert_eq!(logic("not.pred"), Some(Logic::Not));
        assert_eq!(logic("and.pred"), Some(Logic::And));
        assert_eq!(logic("or.pred"), Some(Logic::Or));
        assert_eq!(logic("xor.pred"), Some(Logic::Xor));
        for other in ["xor.b32", "and.b32", "not.b64", "mov.u32", "setp.eq.u32"] {
            assert_eq!(logic(other), None, "{other}");
        }
    }
}
