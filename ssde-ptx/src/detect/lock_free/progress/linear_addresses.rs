//! Addresses as sums of a number and of multiples of registers.

use analysis::{Value, ValueKind};
use ptx_parser::{Base, Inst, Linear, Mnemonic, Modifier, Operand};

use super::loop_facts::{LoopFacts, MOST_VALUES};
use crate::detect::alias::address;

/// The extension of a register of 32 bits to one of 64.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Widened {
    Signed,
    Unsigned,
}

/// A multiple of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Part {
    pub(super) value: Value,
    pub(super) widened: Option<Widened>,
    pub(super) by: i64,
}

/// A number and multiples of registers.
#[derive(Clone, Default, Debug)]
pub(super) struct Sum {
    pub(super) parts: Vec<Part>,
    pub(super) number: i64,
}

impl LoopFacts<'_> {
    /// The address of an access as a sum; `None` if it is made from none, or if it is too long.
    pub(super) fn linear_address(&self, inst: Inst) -> Option<Sum> {
        let (Base::Reg(reg), more) = address(self.kernel, inst)? else { return None };
        self.linear_sum(self.facts.values.at_use(inst, reg)?, more)
    }

    /// A value and a number as a sum.
    pub(super) fn linear_sum(&self, at: Value, more: i64) -> Option<Sum> {
        let mut sum = Sum { number: more, ..Sum::default() };
        let mut work = vec![Part { value: at, widened: None, by: 1 }];
        for _ in 0..MOST_VALUES {
            let Some(part) = work.pop() else {
                sum.parts.retain(|part| part.by != 0);
                return Some(sum);
            };
            match self.taken_apart(part) {
                Some((parts, number)) => {
                    sum.number = sum.number.wrapping_add(number);
                    work.extend(parts);
                }
                None => {
                    match sum.parts.iter_mut().find(|other| (other.value, other.widened) == (part.value, part.widened))
                    {
                        Some(other) => other.by = other.by.wrapping_add(part.by),
                        None => sum.parts.push(part),
                    }
                }
            }
        }
        None
    }

    /// The registers of which two values are the same multiples, each of one with one of the other, if they are sums with the same number: `a + i * 4` with a product and with a shift.
    pub(super) fn same_sum(&self, one: Value, other: Value) -> Option<Vec<(Value, Value)>> {
        let (first, mut second) = (self.linear_sum(one, 0)?, self.linear_sum(other, 0)?);
        let is_itself = |sum: &Sum, value: Value| sum.parts.iter().any(|part| part.value == value);
        if first.number != second.number
            || first.parts.len() != second.parts.len()
            || is_itself(&first, one)
            || is_itself(&second, other)
        {
            return None;
        }
        let mut pairs = Vec::new();
        for part in first.parts {
            let fits = |other: &Part| (other.by, other.widened) == (part.by, part.widened);
            let same = second.parts.iter().position(|other| *other == part);
            let at = same.or_else(|| second.parts.iter().position(fits))?;
            pairs.push((part.value, second.parts.swap_remove(at).value));
        }
        Some(pairs)
    }

    /// Returns what a multiple of a register is the sum of. What is widened, or the lower half of something, is taken apart no further.
    fn taken_apart(&self, Part { value, widened, by }: Part) -> Option<(Vec<Part>, i64)> {
        let (values, kernel) = (&self.facts.values, self.kernel);
        let ValueKind::Def(inst, _) = values.kind(value) else { return None };
        if kernel.inst(inst).guard.is_some() {
            return None;
        }
        let of = |operand: &Operand| values.of_operand(inst, operand);
        let part =
            |operand: &Operand, factor: i64| Some(Part { value: of(operand)?, widened, by: by.wrapping_mul(factor) });
        let operands = kernel.operands(inst);
        let (opcode, linear) = (kernel.opcode(inst), kernel.properties(inst).linear);
        let is_signed = opcode.types().iter().all(|ty| ty.is_signed());
        let as_widened = if is_signed { Widened::Signed } else { Widened::Unsigned };
        let narrow = |operand: &Operand| of(operand).is_some_and(|value| kernel.reg(values.reg(value)).ty.bits() == 32);
        let bits = kernel.reg(values.reg(value)).ty.bits();
        let is_as_wide = |operand: &Operand| of(operand).is_some_and(|of| kernel.reg(values.reg(of)).ty.bits() == bits);
        match (linear, operands) {
            (Some(Linear::Same), [_, one @ Operand::Reg(_)]) if is_as_wide(one) => Some((vec![part(one, 1)?], 0)),
            _ if widened.is_some() || !matches!(bits, 32 | 64) => None,
            (Some(Linear::Sum), [_, one, Operand::Int(number)]) => {
                Some((vec![part(one, 1)?], by.wrapping_mul(*number)))
            }
            (Some(Linear::Sum), [_, one @ Operand::Reg(_), other @ Operand::Reg(_)]) => {
                Some((vec![part(one, 1)?, part(other, 1)?], 0))
            }
            (Some(Linear::Product), [_, one, Operand::Int(factor)]) if opcode.has(Modifier::Wide) => {
                let by = by.wrapping_mul(*factor);
                narrow(one).then(|| Some((vec![Part { value: of(one)?, widened: Some(as_widened), by }], 0)))?
            }
            (Some(Linear::Product), [_, one, Operand::Int(factor)]) => Some((vec![part(one, *factor)?], 0)),
            (Some(Linear::Shifted), [_, one, Operand::Int(bits)]) => {
                let factor = 1_i64.checked_shl(u32::try_from(*bits).ok()?)?;
                Some((vec![part(one, factor)?], 0))
            }
            (_, [_, shifted @ Operand::Reg(_), Operand::Int(mask)])
                if opcode.mnemonic() == Mnemonic::And && bits == 64 =>
            {
                let (value, factor) = self.shifted(of(shifted)?);
                let half = i64::from(u32::MAX).wrapping_mul(factor);
                let lower = Part { value, widened: Some(Widened::Unsigned), by: by.wrapping_mul(factor) };
                (*mask == half).then(|| (vec![lower], 0))
            }
            (_, [_, one @ Operand::Reg(_)]) if opcode.mnemonic() == Mnemonic::Cvt && bits == 64 && narrow(one) => {
                Some((vec![Part { value: of(one)?, widened: Some(as_widened), by }], 0))
            }
            _ => None,
        }
    }

    /// A value as a power of two times another one, by a shift.
    fn shifted(&self, value: Value) -> (Value, i64) {
        let (values, kernel) = (&self.facts.values, self.kernel);
        let shift = || {
            let made = values.made_by(kernel, value).filter(|&made| kernel.inst(made).guard.is_none())?;
            let &[_, one, Operand::Int(bits)] = kernel.operands(made) else { return None };
            let factor = 1_i64.checked_shl(u32::try_from(bits).ok()?)?;
            let shifts = kernel.properties(made).linear == Some(Linear::Shifted);
            Some((values.of_operand(made, &one).filter(|_| shifts)?, factor))
        };
        shift().unwrap_or((value, 1))
    }
}
