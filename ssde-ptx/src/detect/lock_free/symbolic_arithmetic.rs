//! The effect of an instruction on terms, without memory.

use analysis::{Analyses, Value};
use ptx_parser::{
    Inst, Kernel, Linear, Logic, Memory, Mnemonic, Modifier, Number, Operand, Relation, Space, SpecialName, Symbol,
    Type,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::function::Function;
use super::terms::{Term, Terms, cut, signed};
use crate::detect::alias::is_dynamic;

/// The result of an instruction.
pub(super) enum Computed {
    /// These values.
    Is(Vec<(Value, Term)>),
    /// One of two, by a predicate.
    Chosen { made: Value, predicate: Term, one: Term, other: Term },
}

/// Computes one instruction; `of` are the terms of the registers that it uses.
pub(super) struct Compute<'a> {
    pub(super) facts: &'a Analyses,
    pub(super) kernel: &'a Kernel,
    pub(super) terms: &'a mut Terms,
    pub(super) of: &'a FxHashMap<Value, Term>,
    /// The lane that executes it.
    pub(super) lane: u32,
}

impl Compute<'_> {
    /// Returns true if an instruction gives the same for the same operands, whenever it is executed.
    pub(super) fn is_function(kernel: &Kernel, inst: Inst) -> bool {
        let (properties, opcode) = (kernel.properties(inst), kernel.opcode(inst));
        let constant = match properties.memory {
            Memory::None => properties.is_pure(),
            // Nobody writes there while the kernel runs; parameters of calls are written, but there are none.
            Memory::Read => matches!(properties.space, Some(Space::Param | Space::Const)) || opcode.is_noncoherent(),
            _ => false,
        };
        let steady = |operand: &Operand| match operand {
            Operand::Special(special) => matches!(
                special.name,
                SpecialName::Tid | SpecialName::Ntid | SpecialName::Ctaid | SpecialName::Nctaid | SpecialName::Laneid
            ),
            _ => true,
        };
        let carries = properties.carry_in || properties.carry_out;
        constant && !carries && kernel.operands(inst).iter().all(steady)
    }

    pub(super) fn symbol(kernel: &Kernel, terms: &mut Terms, symbol: Symbol) -> Term {
        // All dynamic arrays begin at one address.
        terms.apply(Function::Address(Some(symbol).filter(|&symbol| !is_dynamic(kernel, symbol))), [])
    }

    /// Returns what an operand is, as a number of so many bits; `None` if it is none of the plain kinds.
    pub(super) fn operand(&mut self, inst: Inst, operand: &Operand, bits: u32) -> Option<Term> {
        Some(match operand {
            Operand::Reg(reg) => *self.of.get(&self.facts.values.at_use(inst, *reg)?)?,
            Operand::Not(reg) => {
                let term = *self.of.get(&self.facts.values.at_use(inst, *reg)?)?;
                self.terms.not(term)
            }
            Operand::Int(number) => self.terms.number(cut(number.cast_unsigned(), bits)),
            Operand::Float32(number) => self.terms.number(u64::from(*number)),
            Operand::Float64(number) => self.terms.number(*number),
            Operand::Symbol(symbol, offset) => {
                let base = Compute::symbol(self.kernel, self.terms, *symbol);
                self.terms.plus(base, offset.get().cast_unsigned(), bits.max(32))
            }
            Operand::Special(special) => {
                let term = self.terms.apply(Function::Special(*special, self.lane), []);
                // A CTA has 1024 threads at most.
                if special.name == SpecialName::Tid { self.terms.narrow(term, 10) } else { term }
            }
            _ => return None,
        })
    }

    pub(super) fn inst(&mut self, inst: Inst) -> Computed {
        let defs = self.facts.values.defs(inst);
        if let [(_, made)] = *defs
            && matches!(self.kernel.operands(inst).first(), Some(Operand::Reg(_)))
            && Compute::is_function(self.kernel, inst)
        {
            if let Some(computed) = self.chosen(inst, made) {
                return computed;
            }
            if let Some(term) = self.one(inst) {
                return Computed::Is(vec![(made, term)]);
            }
        }
        Computed::Is(self.several(inst))
    }

    /// A choice between two operands.
    fn chosen(&mut self, inst: Inst, made: Value) -> Option<Computed> {
        let operands = self.kernel.operands(inst);
        let [_, one, other, predicate] = operands else { return None };
        if self.kernel.opcode(inst).mnemonic() != Mnemonic::Selp {
            return None;
        }
        let bits = self.bits(inst);
        let [one, other] = [self.operand(inst, one, bits)?, self.operand(inst, other, bits)?];
        let predicate = self.operand(inst, predicate, 1)?;
        Some(Computed::Chosen { made, predicate, one, other })
    }

    fn bits(&self, inst: Inst) -> u32 {
        self.kernel.opcode(inst).types().iter().map(|ty| ty.bits()).max().unwrap_or(64)
    }

    /// The one result of an instruction.
    fn one(&mut self, inst: Inst) -> Option<Term> {
        let (kernel, operands) = (self.kernel, self.kernel.operands(inst));
        let (properties, opcode, bits) = (kernel.properties(inst), kernel.opcode(inst), self.bits(inst));
        if let Some(comparison) = properties.comparison {
            let [_, one, other] = operands else { return None };
            let (one, other) = (self.operand(inst, one, comparison.bits)?, self.operand(inst, other, comparison.bits)?);
            return Some(self.compared(comparison.relation, comparison.number, comparison.bits, one, other));
        }
        if let Some(logic) = properties.logic.filter(|&logic| logic != Logic::Xor) {
            let inputs: Option<Vec<Term>> =
                operands.get(1..)?.iter().map(|operand| self.operand(inst, operand, 1)).collect();
            return match (logic, inputs?.as_slice()) {
                (Logic::Same, &[one]) => Some(one),
                (Logic::Not, &[one]) => Some(self.terms.not(one)),
                (Logic::And, &[one, other]) => Some(self.terms.and(one, other)),
                (Logic::Or, &[one, other]) => Some(self.terms.or(one, other)),
                _ => None,
            };
        }
        match (opcode.mnemonic(), operands) {
            (Mnemonic::Mov, [_, one]) if one.list().is_none() => return self.operand(inst, one, bits),
            (Mnemonic::Mov, [_, whole]) => {
                let parts = self.kernel.list(whole.list()?).to_vec();
                let width = bits / u32::try_from(parts.len()).ok()?.max(1);
                let parts: Option<SmallVec<[Term; 4]>> =
                    parts.iter().map(|part| self.operand(inst, part, width)).collect();
                return Some(self.terms.pack(parts?));
            }
            // Both kinds of address of global memory are the same number.
            (Mnemonic::Cvta, [_, one]) if opcode.has(Modifier::Global) => return self.operand(inst, one, bits),
            (Mnemonic::Cvt, [_, one]) if is_same_integer(opcode.types()) => return self.operand(inst, one, bits),
            (Mnemonic::Add | Mnemonic::Sub, [_, one, other]) if properties.linear.is_some() => {
                let (one, other) = (self.operand(inst, one, bits)?, self.operand(inst, other, bits)?);
                let (first, second) = (self.terms.as_number(one), self.terms.as_number(other));
                match (properties.linear, first, second) {
                    (Some(Linear::Sum), _, Some(number)) => return Some(self.terms.plus(one, number, bits)),
                    (Some(Linear::Sum), Some(number), _) => return Some(self.terms.plus(other, number, bits)),
                    (Some(Linear::Difference), _, Some(number)) => {
                        return Some(self.terms.plus(one, number.wrapping_neg(), bits));
                    }
                    (Some(Linear::Sum), None, None) => return Some(self.terms.sum(one, other, bits)),
                    _ => {}
                }
            }
            (Mnemonic::And | Mnemonic::Or | Mnemonic::Xor, [_, one, other]) => {
                let (one, other) = (self.operand(inst, one, bits)?, self.operand(inst, other, bits)?);
                let number = |term: Term| self.terms.as_number(term);
                match (opcode.mnemonic(), number(one), number(other)) {
                    (Mnemonic::Xor, Some(0), None) => return Some(other),
                    (Mnemonic::Xor, None, Some(0)) => return Some(one),
                    (Mnemonic::Xor, Some(_), None) if bits == 1 => return Some(self.terms.not(other)),
                    (Mnemonic::Xor, None, Some(_)) if bits == 1 => return Some(self.terms.not(one)),
                    _ => {}
                }
                if let (Some(first), Some(second)) = (self.terms.as_number(one), self.terms.as_number(other)) {
                    return Some(self.terms.number(match opcode.mnemonic() {
                        Mnemonic::And => first & second,
                        Mnemonic::Or => first | second,
                        _ => first ^ second,
                    }));
                }
            }
            (Mnemonic::Cvt, [_, one]) => {
                let one = self.operand(inst, one, bits)?;
                if is_widened(opcode.types(), self.terms.width(one)) {
                    return Some(one);
                }
                if let (Some(number), Some(converted)) = (self.terms.as_number(one), converted(opcode.types())) {
                    return Some(self.terms.number(converted(number)));
                }
            }
            _ => {}
        }
        let inputs: Option<SmallVec<[Term; 4]>> =
            operands.get(1..)?.iter().map(|operand| self.input(inst, operand, bits)).collect();
        let function = self.terms.of_opcode(opcode);
        Some(self.terms.apply(function, inputs?))
    }

    /// An operand of a function of which nothing more is known.
    fn input(&mut self, inst: Inst, operand: &Operand, bits: u32) -> Option<Term> {
        match operand {
            Operand::Address(base, offset) => {
                let base = match base {
                    ptx_parser::Base::Reg(reg) => *self.of.get(&self.facts.values.at_use(inst, *reg)?)?,
                    ptx_parser::Base::Symbol(symbol) => Compute::symbol(self.kernel, self.terms, *symbol),
                    ptx_parser::Base::Absolute => self.terms.number(0),
                };
                Some(self.terms.plus(base, offset.get().cast_unsigned(), 64))
            }
            // Literals of any width are themselves.
            Operand::Int(number) => Some(self.terms.number(number.cast_unsigned())),
            _ => self.operand(inst, operand, bits),
        }
    }

    fn compared(&mut self, relation: Relation, number: Number, bits: u32, one: Term, other: Term) -> Term {
        let signed = number == Number::Signed;
        match relation {
            Relation::Equal => self.terms.equal(one, other),
            Relation::NotEqual => {
                let equal = self.terms.equal(one, other);
                self.terms.not(equal)
            }
            Relation::Less => self.terms.less(signed, bits, one, other),
            Relation::Greater => self.terms.less(signed, bits, other, one),
            Relation::LessOrEqual => {
                let less = self.terms.less(signed, bits, other, one);
                self.terms.not(less)
            }
            Relation::GreaterOrEqual => {
                let less = self.terms.less(signed, bits, one, other);
                self.terms.not(less)
            }
        }
    }

    /// The results of an instruction of which nothing more is known; the parts of a number that is taken apart.
    fn several(&mut self, inst: Inst) -> Vec<(Value, Term)> {
        let kernel = self.kernel;
        let taken_apart = match kernel.operands(inst) {
            [Operand::Vector(parts), Operand::Reg(reg)] if kernel.opcode(inst).mnemonic() == Mnemonic::Mov => {
                let whole = self.facts.values.at_use(inst, *reg).and_then(|value| self.of.get(&value).copied());
                whole.map(|whole| (kernel.list(*parts), whole))
            }
            _ => None,
        };
        let mut results = Vec::new();
        for &(reg, made) in self.facts.values.defs(inst) {
            let part = taken_apart.and_then(|(parts, whole)| {
                let number = parts.iter().position(|part| *part == Operand::Reg(reg))?;
                Some(self.terms.part(whole, self.bits(inst), number, parts.len()))
            });
            let term = part.unwrap_or_else(|| self.terms.unknown());
            results.push((made, term));
        }
        results
    }
}

/// Returns what a conversion from one integer type to another makes of a number.
pub(super) fn converted(types: &[Type]) -> Option<impl Fn(u64) -> u64> {
    let &[to, from] = types else { return None };
    let (from_bits, to_bits, is_signed) = (from.bits(), to.bits(), from.is_signed());
    (is_integer(to) && is_integer(from)).then_some(move |number: u64| {
        let number = if is_signed { signed(number, from_bits).cast_unsigned() } else { cut(number, from_bits) };
        cut(number, to_bits)
    })
}

/// Returns true if a conversion is between integers of one size, signed or not.
fn is_same_integer(types: &[Type]) -> bool {
    let [to, from] = types else { return false };
    is_integer(*to) && is_integer(*from) && to.bytes() == from.bytes()
}

/// Returns true if a conversion between integers leaves a number of so few bits as it is.
fn is_widened(types: &[Type], width: u32) -> bool {
    let &[to, from] = types else { return false };
    let narrower = from.bits().min(to.bits());
    is_integer(to) && is_integer(from) && width <= narrower && (!from.is_signed() || to.bits() <= from.bits())
}

/// Returns true if a type is that of whole numbers, or of bits.
pub(super) fn is_integer(ty: Type) -> bool {
    matches!(ty.bits(), 8 | 16 | 32 | 64) && !ty.is_float() && ty.is_declarable()
}
