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
use ptx_parser::{Inst, Kernel, Linear, Memory, Operand, Running, Space, SpecialName, Type, Word};
use smallvec::SmallVec;

use super::bounded::MANY;
use super::compute::converted;
use super::terms::signed;
use crate::memory::{Place, Root, place};

/// The most values that are followed for one.
const MOST_VALUES: usize = 64;
/// The most numbers of each operand that are combined.
const MOST_COMBINED: usize = 4;
/// The most elements of a variable's initial value that are looked at.
const MOST_ELEMENTS: usize = 1024;

/// Some numbers.
pub(super) type Numbers = SmallVec<[i64; 4]>;

/// The constants of a kernel.
pub(super) struct Constants<'a> {
    facts: &'a Analyses,
    kernel: &'a Kernel,
    /// The stores of the kernel to places that have a name.
    stores: OnceCell<Vec<(Place, Inst)>>,
}

/// What was followed so far, and what was found.
#[derive(Default)]
struct Search {
    seen: SmallVec<[Value; 16]>,
    found: Numbers,
}

impl<'a> Constants<'a> {
    pub(super) fn new(facts: &'a Analyses, kernel: &'a Kernel) -> Constants<'a> {
        Constants { facts, kernel, stores: OnceCell::new() }
    }

    /// Some numbers that a value may be.
    pub(super) fn of(&self, value: Value) -> Numbers {
        let mut search = Search::default();
        self.follow(value, &mut search);
        search.found
    }

    /// Some numbers that an operand may be.
    pub(super) fn of_operand(&self, inst: Inst, operand: &Operand) -> Numbers {
        let mut search = Search::default();
        self.follow_operand(inst, operand, &mut search);
        search.found
    }

    fn follow_operand(&self, inst: Inst, operand: &Operand, search: &mut Search) {
        match operand {
            Operand::Int(number) => search.found.push(*number),
            Operand::Special(special) => search.found.extend(usual(special.name)),
            operand => {
                if let Some(value) = self.facts.values.of_operand(inst, operand) {
                    self.follow(value, search);
                }
            }
        }
    }

    fn follow(&self, value: Value, search: &mut Search) {
        if search.seen.contains(&value) || search.seen.len() >= MOST_VALUES {
            return;
        }
        search.seen.push(value);
        let (facts, kernel) = (self.facts, self.kernel);
        let inst = match facts.values.kind(value) {
            ValueKind::Def(inst, _) => inst,
            ValueKind::Undefined(_) => return,
            ValueKind::Phi(..) => {
                facts.values.phi_inputs(value).iter().for_each(|&(_, input)| self.follow(input, search));
                return;
            }
        };
        let (properties, opcode, operands) = (kernel.properties(inst), kernel.opcode(inst), kernel.operands(inst));
        match (opcode.family(), operands) {
            (Word::Cvt, [_, from]) => {
                let Some(converted) = converted(opcode.types()) else { return };
                let before = search.found.len();
                self.follow_operand(inst, from, search);
                let bits = opcode.types().first().map_or(64, |ty| ty.bits());
                search.found[before..]
                    .iter_mut()
                    .for_each(|number| *number = signed(converted(number.cast_unsigned()), bits));
            }
            // Neither is less than one of the two, where it has no sign.
            (Word::Selp, [_, one, other, _]) | (Word::Or | Word::Max, [_, one, other]) => {
                self.follow_operand(inst, one, search);
                self.follow_operand(inst, other, search);
            }
            (_, [_, from]) if properties.running == Some(Running::Copy) || properties.linear == Some(Linear::Same) => {
                self.follow_operand(inst, from, search);
            }
            // Bits that a mask may leave.
            (Word::And, [_, of, Operand::Int(mask)]) => {
                let before = search.found.len();
                self.follow_operand(inst, of, search);
                search.found[before..].iter_mut().for_each(|number| *number &= mask);
            }
            (Word::Not, [_, of]) => {
                let before = search.found.len();
                self.follow_operand(inst, of, search);
                search.found[before..].iter_mut().for_each(|number| *number = !*number);
            }
            _ if properties.linear.is_some() => self.compute(inst, search),
            _ if properties.memory == Memory::Read && properties.space != Some(Space::Param) => {
                self.load(&place(facts, kernel, inst), search);
            }
            _ => {}
        }
    }

    /// A sum, difference or product of such numbers. Small ones make no great number by their difference: `n - 1` where `n` may be 0 is none that anybody counts to.
    fn compute(&self, inst: Inst, search: &mut Search) {
        let (linear, operands) = (self.kernel.properties(inst).linear, self.kernel.operands(inst));
        let mut of = |index: usize| {
            let before = search.found.len();
            if let Some(operand) = operands.get(index) {
                self.follow_operand(inst, operand, search);
            }
            search.found.drain(before..).take(MOST_COMBINED).collect::<Numbers>()
        };
        let (ones, others, added) = (of(1), of(2), of(3));
        let pairs = ones.iter().flat_map(|&one| others.iter().map(move |&other| (one, other)));
        let is_great = |number: i64| u128::from(number.unsigned_abs()) >= MANY;
        for (one, other) in pairs {
            let sum = |sum: i64, one: i64, other: i64| (sum >= 0 || is_great(one) || is_great(other)).then_some(sum);
            let made = match linear {
                Some(Linear::Sum) => sum(one.wrapping_add(other), one, other),
                Some(Linear::Difference) => sum(one.wrapping_sub(other), one, other),
                Some(Linear::Product) => Some(one.wrapping_mul(other)),
                Some(Linear::Shifted) => u32::try_from(other).ok().and_then(|by| one.checked_shl(by)),
                Some(Linear::ProductSum) => {
                    let product = one.wrapping_mul(other);
                    search
                        .found
                        .extend(added.iter().filter_map(|&more| sum(product.wrapping_add(more), product, more)));
                    None
                }
                _ => None,
            };
            search.found.extend(made);
        }
    }

    /// What the kernel stores at a place, and what is there from the beginning.
    fn load(&self, from: &Place, search: &mut Search) {
        let (Root::Variable(_) | Root::Dynamic | Root::Parameter(..), _) = from.extent() else { return };
        for &(place, store) in self.stores() {
            if place.may_fill(from) {
                for operand in self.kernel.operands(store) {
                    match operand {
                        Operand::Address(..) => {}
                        Operand::Vector(list) => {
                            let list = self.kernel.list(*list);
                            list.iter().for_each(|operand| self.follow_operand(store, operand, search));
                        }
                        operand => self.follow_operand(store, operand, search),
                    }
                }
            }
        }
        if let (Root::Variable(symbol), _) = from.extent()
            && let Some(variable) = self.kernel.variable_in_scope(symbol)
            && let Some(init) = variable.init.as_ref().filter(|init| init.addresses.is_empty())
        {
            search.found.extend(elements(&init.bytes, variable.ty).take(MOST_ELEMENTS));
        }
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

/// What a special register may be in a launch as they usually are.
fn usual(name: SpecialName) -> Option<i64> {
    match name {
        SpecialName::Tid | SpecialName::Laneid | SpecialName::Nctaid => Some(16),
        SpecialName::Ntid => Some(64),
        SpecialName::Ctaid | SpecialName::Warpid => Some(1),
        _ => None,
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
