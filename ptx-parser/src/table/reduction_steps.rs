//! The steps that instructions compute for a running value.
//!
//! A reduction, `x = x op e` repeatedly, is a chain of instructions. Each takes the running value in one operand and computes the next one.
//! An instruction is described here only if it does nothing else: it rounds to nearest, and has no saturation, carries, packed halves or
//! comparisons of absolute values. With any of these, several steps could not be taken as one.

use super::properties::{Number, Operator, Running};
use super::words::{Mnemonic, Modifier};
use crate::types::Type;

/// The modifiers that leave an operation what its mnemonic says, for numbers of 32 and 64 bits.
fn is_plain(modifier: Modifier) -> bool {
    match modifier {
        Modifier::Type(ty) => {
            matches!(ty, Type::S32 | Type::U32 | Type::S64 | Type::U64 | Type::B32 | Type::B64 | Type::F32 | Type::F64)
        }
        _ => matches!(modifier, Modifier::Rn | Modifier::Ftz | Modifier::Lo | Modifier::Wide),
    }
}

/// Returns what the opcode does to a running value; `None` if it is no step of a reduction.
pub(super) fn running(mnemonic: Mnemonic, modifiers: &[Modifier]) -> Option<Running> {
    if !modifiers.iter().copied().all(is_plain) {
        return None;
    }
    let ty = modifiers.last()?.ty()?;
    let (float, signed) = (ty.is_float(), ty.is_signed());
    let wide = modifiers.contains(&Modifier::Wide);
    let arithmetic = if float { Number::Float } else { Number::Integer };
    let ordered = match (float, signed) {
        (true, _) => Number::Float,
        (false, true) => Number::Signed,
        (false, false) => Number::Unsigned,
    };
    let flushes = modifiers.contains(&Modifier::Ftz);
    let fold = |operator, number, operands| Some(Running::Fold { operator, number, flushes, operands });
    match mnemonic {
        Mnemonic::Mov => Some(Running::Copy),
        Mnemonic::Selp => Some(Running::Choice),
        Mnemonic::Add => fold(Operator::Add, arithmetic, [1, 2]),
        // The running value may be taken from, but not be what is taken.
        Mnemonic::Sub => fold(Operator::Add, arithmetic, [1, 1]),
        Mnemonic::Mad | Mnemonic::Fma => fold(Operator::Add, arithmetic, [3, 3]),
        Mnemonic::Mul if !wide => fold(Operator::Multiply, arithmetic, [1, 2]),
        Mnemonic::Min => fold(Operator::Min, ordered, [1, 2]),
        Mnemonic::Max => fold(Operator::Max, ordered, [1, 2]),
        Mnemonic::And => fold(Operator::And, Number::Bits, [1, 2]),
        Mnemonic::Or => fold(Operator::Or, Number::Bits, [1, 2]),
        Mnemonic::Xor => fold(Operator::Xor, Number::Bits, [1, 2]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OpcodeData;

    #[test]
    fn steps_of_reductions_are_known_with_the_operands_that_carry_the_value() {
        let running = |opcode: &str| OpcodeData::new(opcode).properties().running;
        let sum =
            |number, flushes, operands| Some(Running::Fold { operator: Operator::Add, number, flushes, operands });
        let add = |number, operands| sum(number, false, operands);
        assert_eq!(running("add.s32"), add(Number::Integer, [1, 2]));
        assert_eq!(running("sub.f64"), add(Number::Float, [1, 1]));
        assert_eq!(running("mad.wide.s32"), add(Number::Integer, [3, 3]));
        assert_eq!(running("fma.rn.f32"), add(Number::Float, [3, 3]));
        assert_eq!(running("fma.rn.ftz.f32"), sum(Number::Float, true, [3, 3]));
        let (operator, number) = (Operator::Max, Number::Signed);
        let max = Running::Fold { operator, number, flushes: false, operands: [1, 2] };
        assert_eq!(running("max.s32"), Some(max));
        assert_eq!(running("selp.b64"), Some(Running::Choice));
        assert_eq!(running("mov.f32"), Some(Running::Copy));
    }

    #[test]
    fn what_does_more_than_a_step_is_none() {
        let others = [
            "add.sat.s32",
            "add.cc.u32",
            "addc.u32",
            "add.rz.f32",
            "add.f16x2",
            "add.s16",
            "mad.hi.s32",
            "mul.wide.s32",
            "max.NaN.f32",
            "max.s16x2",
            "div.rn.f32",
            "mov.pred",
        ];
        for opcode in others {
            assert_eq!(OpcodeData::new(opcode).properties().running, None, "{opcode}");
        }
    }
}
