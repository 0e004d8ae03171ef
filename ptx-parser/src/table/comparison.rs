//! Comparisons of whole numbers, as the ends of loops are tested.
//!
//! Only a comparison whose result is the relation alone is described: none with a Boolean operator, and none of floats, which are not
//! ordered where one of them is no number. Operands 1 and 2 are compared; operand 0 is the result.

use std::cmp::Ordering;

use super::properties::Number;
use super::words::{Mnemonic, Modifier};
use crate::types::Type;

/// The relation of one number to another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Relation {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Relation {
    /// Returns true if two numbers that are in this order relate so.
    #[must_use]
    pub fn holds(self, order: Ordering) -> bool {
        match self {
            Relation::Equal => order.is_eq(),
            Relation::NotEqual => order.is_ne(),
            Relation::Less => order.is_lt(),
            Relation::LessOrEqual => order.is_le(),
            Relation::Greater => order.is_gt(),
            Relation::GreaterOrEqual => order.is_ge(),
        }
    }

    /// The relation that holds where this one does not.
    #[must_use]
    pub fn negated(self) -> Relation {
        match self {
            Relation::Equal => Relation::NotEqual,
            Relation::NotEqual => Relation::Equal,
            Relation::Less => Relation::GreaterOrEqual,
            Relation::LessOrEqual => Relation::Greater,
            Relation::Greater => Relation::LessOrEqual,
            Relation::GreaterOrEqual => Relation::Less,
        }
    }

    /// Returns the word of a comparison into a predicate, for signed and unsigned numbers alike; of the latter PTX has others as well.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Relation::Equal => "eq",
            Relation::NotEqual => "ne",
            Relation::Less => "lt",
            Relation::LessOrEqual => "le",
            Relation::Greater => "gt",
            Relation::GreaterOrEqual => "ge",
        }
    }

    /// The relation of the second number to the first.
    #[must_use]
    pub fn swapped(self) -> Relation {
        match self {
            Relation::Less => Relation::Greater,
            Relation::LessOrEqual => Relation::GreaterOrEqual,
            Relation::Greater => Relation::Less,
            Relation::GreaterOrEqual => Relation::LessOrEqual,
            same => same,
        }
    }
}

/// A comparison: the relation that it tests, and the numbers that it compares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Comparison {
    /// The relation of operand 1 to operand 2.
    pub relation: Relation,
    /// As what they are compared: bits where only equality is asked.
    pub number: Number,
    /// Their width.
    pub bits: u32,
}

impl Comparison {
    /// The relation of the operands if the comparison holds; the opposite one if it does not.
    #[must_use]
    pub fn relation_if(&self, holds: bool) -> Relation {
        if holds { self.relation } else { self.relation.negated() }
    }
}

/// The comparison that an opcode makes; `None` if it is none of whole numbers, or does more.
pub(super) fn comparison(mnemonic: Mnemonic, modifiers: &[Modifier]) -> Option<Comparison> {
    let (Mnemonic::Setp, &[relation, Modifier::Type(ty)]) = (mnemonic, modifiers) else { return None };
    if ty == Type::Pred || ty.is_float() {
        return None;
    }
    // `lo`, `ls`, `hi` and `hs` are the same for unsigned numbers only (PTX ISA, "Integer Comparisons").
    let relation = match relation {
        Modifier::Eq => Relation::Equal,
        Modifier::Ne => Relation::NotEqual,
        Modifier::Lt | Modifier::Lo => Relation::Less,
        Modifier::Le | Modifier::Ls => Relation::LessOrEqual,
        Modifier::Gt | Modifier::Hi => Relation::Greater,
        Modifier::Ge | Modifier::Hs => Relation::GreaterOrEqual,
        _ => return None,
    };
    let number = match relation {
        Relation::Equal | Relation::NotEqual => Number::Bits,
        _ if ty.is_signed() => Number::Signed,
        _ => Number::Unsigned,
    };
    Some(Comparison { relation, number, bits: ty.bits() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OpcodeData;

    #[test]
    fn comparisons_of_whole_numbers_are_known_and_others_are_not() {
        let comparison = |opcode: &str| OpcodeData::new(opcode).properties().comparison;
        let is = |relation, number, bits| Some(Comparison { relation, number, bits });
        assert_eq!(comparison("setp.lt.s32"), is(Relation::Less, Number::Signed, 32));
        assert_eq!(comparison("setp.hs.u64"), is(Relation::GreaterOrEqual, Number::Unsigned, 64));
        assert_eq!(comparison("setp.ne.s32"), is(Relation::NotEqual, Number::Bits, 32));
        for other in ["setp.lt.f32", "setp.lt.and.s32", "set.lt.u32.s32", "setp.lt.bf16", "setp.lo.s32", "add.s32"] {
            assert_eq!(comparison(other), None, "{other}");
        }
    }
}
