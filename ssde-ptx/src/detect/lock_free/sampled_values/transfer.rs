//! The effect of an instruction on the numbers of its operands, in one thread.

use ptx_parser::{
    Base, Component, Inst, Kernel, Linear, List, Memory, Mnemonic, Modifier, OpcodeData, Operand, Reg, Running, Space,
    Special, SpecialName, Type,
};

use super::value_set::{Found, How, combined};
use super::{GIVEN, LANES, Samples, ThreadValues};
use crate::detect::alias::place;
use crate::detect::lock_free::evaluate::evaluate;
use crate::detect::lock_free::size_limits::{GREATEST_STEP, MANY};
use crate::detect::lock_free::symbolic_arithmetic::converted;
use crate::detect::lock_free::terms::{cut, signed};

/// The mask of all lanes of a warp.
const ALL_LANES: i64 = 0xffff_ffff;
/// The generic address of the beginning of a state space, whose own addresses begin at 0. Generic addresses are as far from each other as
/// those in the space.
const GENERIC: i64 = 1 << 40;

impl Samples<'_> {
    /// Returns what an instruction writes to a register.
    pub(super) fn made(&self, inst: Inst, reg: Reg, known: &mut ThreadValues) -> Found {
        let (facts, kernel) = (self.facts, self.kernel);
        let (properties, opcode, operands) = (kernel.properties(inst), kernel.opcode(inst), kernel.operands(inst));
        let is_predicate = kernel.reg(reg).ty == Type::Pred;
        match (opcode.mnemonic(), operands) {
            (Mnemonic::Cvt, [_, from]) => {
                if converted(opcode.types()).is_none() {
                    return Found::unknown();
                }
                self.follow_operand(inst, from, known).map(|number| result(opcode, &[number]).unwrap_or(number))
            }
            (Mnemonic::Mov, [_, Operand::Vector(parts)]) => self.packed(inst, *parts, known),
            (Mnemonic::Mov, [Operand::Vector(parts), from]) => self.taken_out(inst, *parts, from, reg, known),
            (Mnemonic::Mov, [_, from]) => self.follow_operand(inst, from, known),
            // All lanes, if they all vote so.
            (Mnemonic::Activemask | Mnemonic::Match | Mnemonic::Vote, _) if !is_predicate => {
                Found::number(ALL_LANES, How::Given)
            }
            // What another lane has is taken for what this one has.
            (Mnemonic::Shfl | Mnemonic::Redux, [_, from, ..]) if !is_predicate => {
                let sums = if opcode.has(Modifier::Add) { LANES } else { 1 };
                let bits = self.bits(inst);
                let of_all = move |number: i64| signed(number.wrapping_mul(sums).cast_unsigned(), bits);
                self.follow_operand(inst, from, known).map(of_all).given()
            }
            (Mnemonic::Selp, [_, one, other, _]) => {
                self.follow_operand(inst, one, known).or(self.follow_operand(inst, other, known))
            }
            (Mnemonic::Cvta, [_, from]) => {
                let is_generic = !opcode.has(Modifier::To);
                let base = if is_generic { GENERIC } else { 0 };
                self.follow_operand(inst, from, known).map(|number| (number & !GENERIC) | base)
            }
            (_, [_, from, ..])
                if properties.running == Some(Running::Copy) || properties.linear == Some(Linear::Same) =>
            {
                self.follow_operand(inst, from, known)
            }
            _ if properties.memory == Memory::Read && properties.space == Some(Space::Param) => {
                if self.is_parameter(inst) { Found::number(GIVEN, How::Parameter) } else { Found::unknown() }
            }
            _ if matches!(properties.memory, Memory::Read | Memory::Atomic) => {
                self.load(inst, &place(facts, kernel, inst), known)
            }
            (_, [_, sources @ ..]) => self.computed(inst, sources, known),
            _ => Found::unknown(),
        }
    }

    /// Returns the result of each combination of numbers of the operands.
    ///
    /// What is made of small numbers that are given is never a number below 0: a kernel does not count to `n - 1` where `n` may be 0. Nor is the difference of two that were chosen, perhaps not
    /// together. A number that is below 0 before is meant as it is.
    fn computed(&self, inst: Inst, sources: &[Operand], known: &mut ThreadValues) -> Found {
        let opcode = self.kernel.opcode(inst);
        let is_great = |number: i64| u128::from(number.unsigned_abs()) >= MANY;
        let of: Vec<Found> = sources.iter().map(|source| self.follow_operand(inst, source, known)).collect();
        let mut made = combined(&of, |of, how, chosen| {
            if matches!((opcode.mnemonic(), of), (Mnemonic::Div | Mnemonic::Rem, &[_, 0])) {
                return Some(None);
            }
            let made = evaluate(opcode, of)?;
            let is_meant = match (opcode.mnemonic(), of) {
                _ if how <= How::Chosen && chosen <= 1 => true,
                (Mnemonic::Sub, &[one, _]) if one < 0 => true,
                // Whatever small number it is of.
                (Mnemonic::Not, _) if how <= How::Parameter => true,
                (Mnemonic::Mad, &[one, other, more]) => is_great(one.wrapping_mul(other)) || is_great(more),
                (Mnemonic::Add | Mnemonic::Sub | Mnemonic::Neg | Mnemonic::Not | Mnemonic::Xor, of) => {
                    of.iter().any(|&of| is_great(of))
                }
                _ => true,
            };
            Some((made >= 0 || is_meant).then_some(made))
        });
        // A counter is as great as its loop lets it become, which is given.
        let is_step = |found: &Found| {
            found.begun.is_none() && found.numbers.iter().all(|number| number.number.abs() <= GREATEST_STEP)
        };
        if let (Mnemonic::Add | Mnemonic::Sub, [one, other]) = (opcode.mnemonic(), &of[..])
            && !(one.is_unknown || other.is_unknown)
            && let Some(begun) =
                [(one, other), (other, one)].into_iter().find_map(|(of, by)| of.begun.filter(|_| is_step(by)))
        {
            made = Found { begun: Some(begun), ..Found::number(GIVEN, How::Given) };
        }
        match most(opcode, sources) {
            Some(most) if made.is_unknown => Found::number(most, How::Given),
            // What is left of a number by a constant is as good as chosen.
            Some(_) => made.chosen(),
            None => made,
        }
    }

    /// Returns whether an instruction reads a parameter of the kernel, not the result of a call.
    fn is_parameter(&self, inst: Inst) -> bool {
        let kernel = self.kernel;
        kernel.operands(inst).iter().any(|operand| match operand {
            Operand::Address(Base::Symbol(symbol), _) => {
                kernel.params().iter().any(|parameter| *parameter.name == *kernel.symbol_name(*symbol))
            }
            _ => false,
        })
    }

    /// Returns the width of an instruction's type, the first one that it names.
    pub(super) fn bits(&self, inst: Inst) -> u32 {
        self.kernel.opcode(inst).types().first().map_or(64, |ty| ty.bits())
    }

    /// Returns numbers that are made of parts, the lowest first.
    fn packed(&self, inst: Inst, parts: List, known: &mut ThreadValues) -> Found {
        let (parts, bits) = (self.kernel.list(parts), self.bits(inst));
        let width = bits / (parts.len() as u32).max(1);
        let of: Vec<Found> = parts.iter().map(|part| self.follow_operand(inst, part, known)).collect();
        combined(&of, |of, _, _| {
            let shifted =
                |number: u64, &part: &i64| number.checked_shl(width).unwrap_or(0) | cut(part.cast_unsigned(), width);
            Some(Some(signed(of.iter().rev().fold(0, shifted), bits)))
        })
    }

    /// Returns one of the parts that a number is taken apart into.
    fn taken_out(&self, inst: Inst, parts: List, from: &Operand, reg: Reg, known: &mut ThreadValues) -> Found {
        let Some((first, width)) = part(self.kernel, inst, parts, reg) else { return Found::unknown() };
        let taken = |number: i64| signed(number.cast_unsigned().checked_shr(first).unwrap_or(0), width);
        self.follow_operand(inst, from, known).map(taken)
    }
}

/// Returns the first bit and the width of the part that an instruction writes to a register, where it takes a number apart.
pub(in crate::detect::lock_free) fn part(kernel: &Kernel, inst: Inst, parts: List, reg: Reg) -> Option<(u32, u32)> {
    let parts = kernel.list(parts);
    let width = kernel.opcode(inst).types().first()?.bits() / (parts.len() as u32).max(1);
    let at = parts.iter().position(|part| *part == Operand::Reg(reg))?;
    Some((at as u32 * width, width))
}

/// Returns what an instruction makes of numbers; `None` if it is none that is evaluated.
pub(in crate::detect::lock_free) fn result(opcode: &OpcodeData, of: &[i64]) -> Option<i64> {
    match (opcode.mnemonic(), of) {
        (Mnemonic::Cvt, &[number]) => {
            let bits = opcode.types().first()?.bits();
            Some(signed(converted(opcode.types())?(number.cast_unsigned()), bits))
        }
        (Mnemonic::Mov, &[number]) => Some(number),
        (_, of) => evaluate(opcode, of),
    }
}

/// Returns the greatest number that an instruction makes, whatever it makes it of, if that is a small one.
fn most(opcode: &OpcodeData, sources: &[Operand]) -> Option<i64> {
    let ty = opcode.types().first()?;
    let most = match (opcode.mnemonic(), sources) {
        (Mnemonic::Popc | Mnemonic::Clz, _) => 64,
        (Mnemonic::And | Mnemonic::Min, &[_, Operand::Int(most)]) => most,
        (Mnemonic::Rem, &[_, Operand::Int(of)]) if !ty.is_signed() => of.wrapping_sub(1),
        (Mnemonic::Shr, &[_, Operand::Int(by)]) if !ty.is_signed() => {
            1i64.checked_shl(ty.bits().checked_sub(u32::try_from(by).ok()?)?)?.wrapping_sub(1)
        }
        (Mnemonic::Bfe, &[_, _, Operand::Int(length)]) if !ty.is_signed() => {
            1i64.checked_shl(u32::try_from(length).ok()?)?.wrapping_sub(1)
        }
        _ => return None,
    };
    (0..MANY.cast_signed()).contains(&i128::from(most)).then_some(most)
}

/// Returns what a special register is in a thread of a usual launch: of 16 blocks of 64 threads.
pub(super) fn usual(special: Special, thread: i64) -> Found {
    let is_first = matches!(special.component, None | Some(Component::X));
    let bit = 1i64 << thread;
    let number = match special.name {
        SpecialName::Tid if !is_first => thread.min(1),
        SpecialName::Tid | SpecialName::Laneid => thread,
        SpecialName::Ctaid => thread % 4,
        SpecialName::LanemaskEq => bit,
        SpecialName::LanemaskLt => bit - 1,
        SpecialName::LanemaskLe => (bit - 1) | bit,
        SpecialName::LanemaskGe => ALL_LANES & !(bit - 1),
        SpecialName::LanemaskGt => ALL_LANES & !(bit - 1) & !bit,
        SpecialName::Nctaid => return Found::number(16, How::Chosen),
        SpecialName::Ntid => return Found::number(64, How::Chosen),
        _ => return Found::number(GIVEN, How::Given),
    };
    Found::number(number, How::Sure)
}
