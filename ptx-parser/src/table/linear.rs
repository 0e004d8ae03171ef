//! The instructions that are linear in their operands, as addresses are computed.
//!
//! A conversion from one integer type to another counts as the value itself. An address computed from an index that does not wrap around is
//! the same either way.

use super::properties::Linear;
use super::words::{Mnemonic, Modifier};
use crate::types::Type;

const INTEGERS: [Type; 6] = [Type::S32, Type::U32, Type::S64, Type::U64, Type::B32, Type::B64];

/// Returns what the result is of the operands; `None` if it is not linear in them.
pub(super) fn linear(mnemonic: Mnemonic, modifiers: &[Modifier]) -> Option<Linear> {
    if mnemonic == Mnemonic::Cvta {
        return Some(Linear::Same);
    }
    let is_plain = |modifier: &Modifier| match modifier {
        Modifier::Type(ty) => INTEGERS.contains(ty),
        _ => matches!(modifier, Modifier::Lo | Modifier::Wide),
    };
    if !modifiers.iter().all(is_plain) {
        return None;
    }
    match mnemonic {
        Mnemonic::Mov | Mnemonic::Cvt => Some(Linear::Same),
        Mnemonic::Add => Some(Linear::Sum),
        Mnemonic::Sub => Some(Linear::Difference),
        Mnemonic::Mul => Some(Linear::Product),
        Mnemonic::Mad => Some(Linear::ProductSum),
        Mnemonic::Shl => Some(Linear::Shifted),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OpcodeData;

    #[test]
    fn address_arithmetic_is_linear_and_the_rest_is_not() {
        let linear = |opcode: &str| OpcodeData::new(opcode).properties().linear;
        assert_eq!(linear("mul.wide.s32"), Some(Linear::Product));
        assert_eq!(linear("mad.lo.s32"), Some(Linear::ProductSum));
        assert_eq!(linear("shl.b64"), Some(Linear::Shifted));
        assert_eq!(linear("cvta.to.global.u64"), Some(Linear::Same));
        assert_eq!(linear("cvt.s64.s32"), Some(Linear::Same));
        for other in ["add.f32", "mul.hi.s32", "add.sat.s32", "cvt.rn.f32.s32", "and.b32", "shr.s32", "mov.pred"] {
            assert_eq!(linear(other), None, "{other}");
        }
    }
}
