//! Conversions of registers, numbers and names to operands and guards.

use std::ops::Not;

use crate::entities::{Label, Reg, Symbol};
use crate::operand::{Offset, Operand};
use crate::special::{Component, Special, SpecialName};
use crate::tables::Guard;

impl From<Reg> for Guard {
    fn from(reg: Reg) -> Guard {
        Guard { reg, negated: false }
    }
}

/// The guard that holds where the other one does not.
impl Not for Guard {
    type Output = Guard;

    fn not(self) -> Guard {
        Guard { negated: !self.negated, ..self }
    }
}

impl From<Reg> for Operand {
    fn from(reg: Reg) -> Operand {
        Operand::Reg(reg)
    }
}

/// The predicate, or its opposite.
impl From<Guard> for Operand {
    fn from(guard: Guard) -> Operand {
        if guard.negated { Operand::Not(guard.reg) } else { Operand::Reg(guard.reg) }
    }
}

impl From<i64> for Operand {
    fn from(number: i64) -> Operand {
        Operand::Int(number)
    }
}

impl From<i32> for Operand {
    fn from(number: i32) -> Operand {
        Operand::Int(number.into())
    }
}

impl From<u32> for Operand {
    fn from(number: u32) -> Operand {
        Operand::Int(number.into())
    }
}

/// The address of a variable.
impl From<Symbol> for Operand {
    fn from(symbol: Symbol) -> Operand {
        Operand::Symbol(symbol, Offset::ZERO)
    }
}

impl From<Label> for Operand {
    fn from(label: Label) -> Operand {
        Operand::Label(label)
    }
}

impl From<Special> for Operand {
    fn from(special: Special) -> Operand {
        Operand::Special(special)
    }
}

/// A special register that has one value.
impl From<SpecialName> for Operand {
    fn from(name: SpecialName) -> Operand {
        Operand::Special(Special { name, component: None })
    }
}

impl SpecialName {
    /// Returns one component of a three-dimensional special register.
    #[must_use]
    pub fn component(self, component: Component) -> Special {
        Special { name: self, component: Some(component) }
    }
}
