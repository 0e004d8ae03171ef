//! The constants that a kernel itself may give a register: by a move, a choice, where ways meet, by way of memory that it stores them to, or by arithmetic of these and of the numbers of threads and
//! blocks as they are in a usual launch.
//!
//! ```text
//! unsigned end[2] = { 3, ~0u };                               a lane that counts to end[k] may count for ever
//! ```
//!
//! What comes from elsewhere as well may be other numbers too: these are some of those that it may be, never all.

use std::cell::OnceCell;

use analysis::{Analyses, Value, ValueKind};
use ptx_parser::{Inst, Kernel, Linear, List, Memory, Operand, Reg, Running, Space, SpecialName, Type, Word};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::bounded::MANY;
use super::compute::converted;
use super::nonlinear;
use super::terms::{cut, signed};
use crate::memory::{Place, Root, place};

/// The most values that are followed for one.
const MOST_VALUES: usize = 64;
/// The most numbers of each operand that are combined.
const MOST_COMBINED: usize = 4;
/// The most elements of a variable's initial value that are looked at.
const MOST_ELEMENTS: usize = 1024;

/// The mask of all lanes of a warp.
const ALL_LANES: i64 = 0xffff_ffff;

/// Some numbers.
pub(super) type Numbers = SmallVec<[i64; 4]>;

/// The constants of a kernel.
pub(super) struct Constants<'a> {
    facts: &'a Analyses,
    kernel: &'a Kernel,
    /// The stores of the kernel, with where they write.
    stores: OnceCell<Vec<(Place, Inst)>>,
}

/// What was found of the values that were followed so far; nothing yet of those that are being followed.
type Known = FxHashMap<Value, Numbers>;

impl<'a> Constants<'a> {
    pub(super) fn new(facts: &'a Analyses, kernel: &'a Kernel) -> Constants<'a> {
        Constants { facts, kernel, stores: OnceCell::new() }
    }

    /// Some numbers that a value may be.
    pub(super) fn of(&self, value: Value) -> Numbers {
        self.follow(value, &mut Known::default())
    }

    /// Some numbers that an operand may be.
    pub(super) fn of_operand(&self, inst: Inst, operand: &Operand) -> Numbers {
        self.follow_operand(inst, operand, &mut Known::default())
    }

    fn follow_operand(&self, inst: Inst, operand: &Operand, known: &mut Known) -> Numbers {
        match operand {
            Operand::Int(number) => Numbers::from_elem(*number, 1),
            Operand::Special(special) => Numbers::from_slice(usual(special.name)),
            operand => match self.facts.values.of_operand(inst, operand) {
                Some(value) => self.follow(value, known),
                None => Numbers::new(),
            },
        }
    }

    fn follow(&self, value: Value, known: &mut Known) -> Numbers {
        if let Some(found) = known.get(&value) {
            return found.clone();
        }
        if known.len() >= MOST_VALUES {
            return Numbers::new();
        }
        known.insert(value, Numbers::new());
        let mut found = match self.facts.values.kind(value) {
            ValueKind::Def(inst, reg) => self.made(inst, reg, known),
            ValueKind::Undefined(_) => Numbers::new(),
            ValueKind::Phi(..) => {
                let inputs = self.facts.values.phi_inputs(value).iter();
                inputs.flat_map(|&(_, input)| self.follow(input, known)).collect()
            }
        };
        found.sort_unstable();
        found.dedup();
        known.insert(value, found.clone());
        found
    }

    /// Returns numbers that an instruction may write to a register.
    fn made(&self, inst: Inst, reg: Reg, known: &mut Known) -> Numbers {
        let (facts, kernel) = (self.facts, self.kernel);
        let (properties, opcode, operands) = (kernel.properties(inst), kernel.opcode(inst), kernel.operands(inst));
        match (opcode.family(), operands) {
            (Word::Cvt, [_, from]) => {
                let Some(converted) = converted(opcode.types()) else { return Numbers::new() };
                let bits = self.bits(inst);
                let from = self.follow_operand(inst, from, known).into_iter();
                from.map(|number| signed(converted(number.cast_unsigned()), bits)).collect()
            }
            (Word::Mov, [_, Operand::Vector(parts)]) => self.packed(inst, *parts, known),
            (Word::Mov, [Operand::Vector(parts), from]) => self.part(inst, *parts, from, reg, known),
            // All lanes, if they all vote so.
            (Word::Activemask | Word::Match, _) => Numbers::from_elem(ALL_LANES, 1),
            (Word::Vote, _) if self.kernel.reg(reg).ty != Type::Pred => Numbers::from_elem(ALL_LANES, 1),
            // A choice is one of the two.
            (Word::Selp, [_, one, other, _]) => self.either(inst, one, other, known),
            // `or` and `max` of unsigned numbers are not below the operand that is known.
            (Word::Or | Word::Max, [_, one, other]) => {
                let found = self.combined(inst, &operands[1..], known, |of| nonlinear::evaluate(opcode, of));
                if found.is_empty() { self.either(inst, one, other, known) } else { found }
            }
            // Bits that a mask may leave.
            (Word::And, [_, of, Operand::Int(mask)]) => {
                self.follow_operand(inst, of, known).into_iter().map(|number| number & mask).collect()
            }
            (Word::Xor, [_, of, Operand::Int(bits)]) => {
                self.follow_operand(inst, of, known).into_iter().map(|number| number ^ bits).collect()
            }
            (Word::Not, [_, of]) => self.follow_operand(inst, of, known).into_iter().map(|number| !number).collect(),
            (_, [_, from]) if properties.running == Some(Running::Copy) || properties.linear == Some(Linear::Same) => {
                self.follow_operand(inst, from, known)
            }
            (_, [_, sources @ ..]) if properties.linear.is_some() => self.computed(inst, sources, known),
            _ if properties.memory == Memory::Read && properties.space != Some(Space::Param) => {
                self.load(&place(facts, kernel, inst), known)
            }
            (family, [_, sources @ ..]) if nonlinear::NEED_ALL.contains(&family) => {
                self.combined(inst, sources, known, |of| nonlinear::evaluate(opcode, of))
            }
            _ => Numbers::new(),
        }
    }

    /// Returns the numbers of both operands.
    fn either(&self, inst: Inst, one: &Operand, other: &Operand, known: &mut Known) -> Numbers {
        let mut found = self.follow_operand(inst, one, known);
        found.extend(self.follow_operand(inst, other, known));
        found
    }

    /// Returns the result of each combination of numbers of the operands.
    fn combined(
        &self,
        inst: Inst,
        sources: &[Operand],
        known: &mut Known,
        result: impl Fn(&[i64]) -> Option<i64>,
    ) -> Numbers {
        let mut combinations: Vec<Numbers> = vec![Numbers::new()];
        for source in sources {
            let numbers = self.follow_operand(inst, source, known);
            let longer = |before: &Numbers| {
                let with = |&number: &i64| before.iter().copied().chain([number]).collect();
                numbers.iter().take(MOST_COMBINED).map(with).collect::<Vec<Numbers>>()
            };
            combinations = combinations.iter().flat_map(longer).collect();
        }
        combinations.iter().filter_map(|of| result(of)).collect()
    }

    /// Returns the width of an instruction's type, the first one that it names.
    fn bits(&self, inst: Inst) -> u32 {
        self.kernel.opcode(inst).types().first().map_or(64, |ty| ty.bits())
    }

    /// Returns numbers that are made of parts, the lowest first.
    fn packed(&self, inst: Inst, parts: List, known: &mut Known) -> Numbers {
        let (parts, bits) = (self.kernel.list(parts), self.bits(inst));
        let width = bits / (parts.len() as u32).max(1);
        self.combined(inst, parts, known, |of| {
            let shifted =
                |number: u64, &part: &i64| number.checked_shl(width).unwrap_or(0) | cut(part.cast_unsigned(), width);
            Some(signed(of.iter().rev().fold(0, shifted), bits))
        })
    }

    /// Returns one of the parts that a number is taken apart into.
    fn part(&self, inst: Inst, parts: List, from: &Operand, reg: Reg, known: &mut Known) -> Numbers {
        let parts = self.kernel.list(parts);
        let width = self.bits(inst) / (parts.len() as u32).max(1);
        let Some(at) = parts.iter().position(|part| *part == Operand::Reg(reg)) else { return Numbers::new() };
        let taken = |number: i64| signed(number.cast_unsigned().checked_shr(width * at as u32).unwrap_or(0), width);
        self.follow_operand(inst, from, known).into_iter().map(taken).collect()
    }

    /// Returns sums, differences and products of such numbers. The difference of small numbers is never a great one: a kernel does not count to `n - 1` where `n` may be 0. A number that is below 0 before
    /// is meant as it is.
    fn computed(&self, inst: Inst, sources: &[Operand], known: &mut Known) -> Numbers {
        let is_great = |number: i64| u128::from(number.unsigned_abs()) >= MANY;
        let sum = |sum: i64, one: i64, other: i64| (sum >= 0 || is_great(one) || is_great(other)).then_some(sum);
        let linear = self.kernel.properties(inst).linear;
        self.combined(inst, sources, known, |of| match (linear, of) {
            (Some(Linear::Sum), &[one, other]) => sum(one.wrapping_add(other), one, other),
            (Some(Linear::Difference), &[one, other]) if one < 0 => Some(one.wrapping_sub(other)),
            (Some(Linear::Difference), &[one, other]) => sum(one.wrapping_sub(other), one, other),
            (Some(Linear::Product), &[one, other]) => Some(one.wrapping_mul(other)),
            (Some(Linear::Shifted), &[one, by]) => u32::try_from(by).ok().and_then(|by| one.checked_shl(by)),
            (Some(Linear::ProductSum), &[one, other, more]) => {
                let product = one.wrapping_mul(other);
                sum(product.wrapping_add(more), product, more)
            }
            _ => None,
        })
    }

    /// What the kernel stores at a place, and what is there from the beginning.
    fn load(&self, from: &Place, known: &mut Known) -> Numbers {
        let mut found = Numbers::new();
        let (Root::Variable(_) | Root::Dynamic | Root::Parameter(..), _) = from.extent() else { return found };
        for &(_, store) in self.stores().iter().filter(|(place, _)| place.may_fill(from)) {
            for operand in self.kernel.operands(store) {
                match operand {
                    Operand::Address(..) => {}
                    Operand::Vector(list) => {
                        let list = self.kernel.list(*list).iter();
                        found.extend(list.flat_map(|operand| self.follow_operand(store, operand, known)));
                    }
                    operand => found.extend(self.follow_operand(store, operand, known)),
                }
            }
        }
        if let (Root::Variable(symbol), _) = from.extent()
            && let Some(variable) = self.kernel.variable_in_scope(symbol)
            && let Some(init) = variable.init.as_ref().filter(|init| init.addresses.is_empty())
        {
            found.extend(elements(&init.bytes, variable.ty).take(MOST_ELEMENTS));
        }
        found
    }

    fn stores(&self) -> &[(Place, Inst)] {
        self.stores.get_or_init(|| {
            let (facts, kernel) = (self.facts, self.kernel);
            let insts = facts.cfg.blocks().flat_map(|block| facts.cfg.insts(block).iter().copied());
            let stores = insts.filter(|&inst| kernel.properties(inst).memory == Memory::Write);
            stores.map(|inst| (place(facts, kernel, inst), inst)).collect()
        })
    }
}

/// Numbers that a special register has in some threads of a usual launch.
fn usual(name: SpecialName) -> &'static [i64] {
    match name {
        SpecialName::Tid | SpecialName::Laneid => &[1, 31],
        SpecialName::Nctaid => &[16],
        SpecialName::Ntid => &[64],
        SpecialName::Ctaid | SpecialName::Warpid => &[1],
        SpecialName::LanemaskLe | SpecialName::LanemaskGe => &[ALL_LANES],
        SpecialName::LanemaskLt | SpecialName::LanemaskGt => &[ALL_LANES >> 1],
        SpecialName::LanemaskEq => &[1 << 31],
        _ => &[],
    }
}

/// The elements of some bytes, if they are whole numbers.
fn elements(bytes: &[u8], ty: Type) -> impl Iterator<Item = i64> + '_ {
    let size = if ty.is_float() { 0 } else { ty.bytes() as usize };
    let whole = bytes.chunks_exact(size.max(1)).filter(move |_| matches!(size, 1 | 2 | 4 | 8));
    whole.map(|bytes| {
        let number = bytes.iter().rev().fold(0u64, |number, &byte| number << 8 | u64::from(byte));
        signed(number, 8 * bytes.len() as u32)
    })
}
