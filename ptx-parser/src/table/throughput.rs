//! The throughput class of an opcode, from its family and its types.

use super::effect::Rate;
use super::properties::Class;
use super::words::Modifier;
use crate::types::Type;

/// The class, and how many machine operations of it one instruction takes.
pub(super) fn throughput(rate: Rate, types: &[Type], modifiers: &[Modifier]) -> (Class, u8) {
    let ty = types.last().copied().unwrap_or(Type::B32);
    let float = match ty {
        Type::F64 => Some(Class::Double),
        Type::F32 | Type::F32x2 => Some(Class::Single),
        ty if ty.is_float() => Some(Class::Half),
        _ => None,
    };
    let words = if float.is_none() && ty.bits() == 64 { 2 } else { 1 };
    match rate {
        Rate::Fixed(class) => (class, 1),
        Rate::Arithmetic(integer) => (float.unwrap_or(integer), words),
        Rate::Multiply if modifiers.contains(&Modifier::Wide) => (Class::Multiply, 1),
        Rate::Multiply => (float.unwrap_or(Class::Multiply), if words == 2 { 3 } else { 1 }),
        Rate::Division => (Class::Division, words),
        Rate::Approximate => {
            (if modifiers.contains(&Modifier::Approx) { Class::Transcendental } else { Class::Division }, 1)
        }
        Rate::Compare => (if float == Some(Class::Double) { Class::Double } else { Class::Compare }, words),
        Rate::Words(class) => (class, if ty.bits() == 64 { 2 } else { 1 }),
        Rate::Convert => {
            let wide = types.iter().any(|ty| ty.bits() == 64);
            let integers = types.iter().all(|ty| !ty.is_float());
            match (wide, integers) {
                (_, true) => (Class::Integer, words),
                (true, _) => (Class::ConvertWide, 1),
                _ => (Class::Convert, 1),
            }
        }
    }
}
