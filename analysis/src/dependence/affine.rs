//! Addresses as sums: a number, and registers times numbers.
//!
//! ```text
//! add.s32  %r2, %r1, 1;
//! mul.wide.s32 %rd2, %r2, 4;
//! add.s64  %rd3, %rd1, %rd2;
//! ld.u32   …, [%rd3+8];           %rd1 + 4 * s(%r1 + 1) + 8
//! ```
//!
//! All of it is computed modulo 2 to the power of the width, as the machine does. Where an index of 32 bits is extended, `s(…)` or `u(…)`, what is in it is modulo
//! 2^32: two such indices that differ by a number before they are extended differ by that or by 2^32 more or less afterwards.

use std::cell::RefCell;
use std::collections::BTreeMap;

use ptx_parser::{Base, Inst, Kernel, Linear, Mnemonic, Modifier, Operand, Special};
use rustc_hash::FxHashMap;

use super::provenance::{Origin, origin, parameter};
use crate::loop_invariance::is_fixed_per_thread;
use crate::ssa::{Value, ValueKind, Values};

/// The depth up to which definitions are followed.
const DEEPEST: u32 = 24;

/// The most summands.
const MOST: usize = 12;

/// A factor of a term in a sum.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Atom {
    /// The address of a variable, or the pointer in a parameter.
    Origin(Origin),
    /// A special register that is the same whenever a thread reads it.
    Special(Special),
    /// A register's value of which no more is known.
    Value(Value),
    /// The lower 32 bits of one.
    Low(Value),
    /// A sum of 32 bits, extended with its sign or with zeros.
    Extended { signed: bool, sum: Box<Affine> },
    /// A product of two sums, of their width. Only where [`Affines::products`] asks for it.
    Product { one: Box<Affine>, other: Box<Affine> },
}

/// A sum of 32 or 64 bits.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Affine {
    pub(super) bits: u32,
    pub(super) terms: BTreeMap<Atom, i64>,
    pub(super) constant: i64,
}

impl Affine {
    fn number(bits: u32, constant: i64) -> Affine {
        Affine { bits, terms: BTreeMap::new(), constant: wrap(bits, constant) }
    }

    fn atom(bits: u32, atom: Atom) -> Affine {
        Affine { bits, terms: BTreeMap::from([(atom, 1)]), constant: 0 }
    }

    pub(super) fn plus(mut self, other: &Affine, factor: i64) -> Affine {
        self.constant = wrap(self.bits, self.constant.wrapping_add(other.constant.wrapping_mul(factor)));
        for (atom, &times) in &other.terms {
            let sum = self.terms.entry(atom.clone()).or_insert(0);
            *sum = wrap(self.bits, sum.wrapping_add(times.wrapping_mul(factor)));
        }
        self.terms.retain(|_, times| *times != 0);
        self
    }

    fn times(&self, factor: i64) -> Affine {
        Affine::number(self.bits, 0).plus(self, factor)
    }

    /// Returns the sum with a number of bytes added.
    pub(super) fn offset(self, bytes: i64) -> Affine {
        let number = Affine::number(self.bits, bytes);
        self.plus(&number, 1)
    }

    /// The lower 32 bits of a sum of 64.
    pub(super) fn low(&self) -> Affine {
        let mut low = Affine::number(32, self.constant);
        for (atom, &times) in &self.terms {
            let part = match atom {
                Atom::Extended { sum, .. } => (**sum).clone(),
                Atom::Value(value) => Affine::atom(32, Atom::Low(*value)),
                other => Affine::atom(32, other.clone()),
            };
            low = low.plus(&part, times);
        }
        low
    }

    /// A sum of 32 bits in 64.
    fn extended(self, signed: bool) -> Affine {
        if self.terms.is_empty() {
            let number = if signed { self.constant } else { i64::from(self.constant as u32) };
            return Affine::number(64, number);
        }
        Affine::atom(64, Atom::Extended { signed, sum: Box::new(self) })
    }

    /// Returns the difference of two addresses. `fixed` says of which values both see the same.
    pub(super) fn minus(&self, other: &Affine, fixed: &impl Fn(Value) -> bool) -> Gap {
        // A shared address may be kept in 32 bits; the window of shared memory is no larger.
        match (self.bits, other.bits) {
            (64, 32) => return self.low().minus(other, fixed),
            (32, 64) => return self.minus(&other.low(), fixed),
            _ => {}
        }
        let (mut left, mut right) = (self.terms.clone(), other.terms.clone());
        let mut rest: Vec<(Atom, i64)> = Vec::new();
        left.retain(|atom, times| match right.get_mut(atom) {
            Some(same) if atom.is_fixed(fixed) => {
                *times = wrap(self.bits, times.wrapping_sub(*same));
                *same = 0;
                *times != 0
            }
            _ => true,
        });
        right.retain(|_, times| *times != 0);
        let mut numbers = vec![i128::from(self.constant) - i128::from(other.constant)];
        for (atom, times) in left {
            let partner = right.iter().find(|(other, same)| **same == times && atom.is_near(other, fixed));
            match partner.map(|(other, _)| other.clone()) {
                Some(other) => {
                    right.remove(&other);
                    let apart = atom.apart(&other);
                    numbers = numbers
                        .iter()
                        .flat_map(|number| apart.iter().map(move |apart| number + apart * i128::from(times)))
                        .collect();
                }
                None => rest.push((atom, times)),
            }
        }
        rest.extend(right);
        Gap { bits: self.bits, numbers, rest: rest.into_iter().map(|(atom, times)| (times, atom.is_small())).collect() }
    }

    pub(super) fn text(&self, kernel: &Kernel, values: &Values) -> String {
        let term = |(atom, times): (&Atom, &i64)| {
            let name = match atom {
                Atom::Origin(Origin::Variable(symbol)) => kernel.symbol_name(*symbol).to_owned(),
                Atom::Origin(Origin::DynamicShared) => "dynamic".to_owned(),
                Atom::Origin(Origin::Parameter(symbol, 0)) => format!("[{}]", kernel.symbol_name(*symbol)),
                Atom::Origin(Origin::Parameter(symbol, at)) => format!("[{}+{at}]", kernel.symbol_name(*symbol)),
                Atom::Special(special) => special.to_string(),
                Atom::Value(value) => kernel.reg_name(values.reg(*value)).to_owned(),
                Atom::Low(value) => format!("low({})", kernel.reg_name(values.reg(*value))),
                Atom::Extended { signed, sum } => {
                    format!("{}({})", if *signed { "s" } else { "u" }, sum.text(kernel, values))
                }
                Atom::Product { one, other } => {
                    format!("({}) * ({})", one.text(kernel, values), other.text(kernel, values))
                }
            };
            if *times == 1 { name } else { format!("{times} * {name}") }
        };
        let mut terms: Vec<String> = self.terms.iter().map(term).collect();
        if self.constant != 0 || terms.is_empty() {
            terms.push(self.constant.to_string());
        }
        terms.join(" + ")
    }
}

impl Atom {
    /// Returns true if its value is the same at both accesses.
    pub(super) fn is_fixed(&self, fixed: &impl Fn(Value) -> bool) -> bool {
        match self {
            Atom::Origin(_) | Atom::Special(_) => true,
            Atom::Value(value) | Atom::Low(value) => fixed(*value),
            Atom::Extended { .. } | Atom::Product { .. } => self.parts().all(|atom| atom.is_fixed(fixed)),
        }
    }

    /// The atoms of the sums that it is made from.
    pub(super) fn parts(&self) -> impl Iterator<Item = &Atom> {
        let sums = match self {
            Atom::Extended { sum, .. } => [Some(sum), None],
            Atom::Product { one, other } => [Some(one), Some(other)],
            _ => [None, None],
        };
        sums.into_iter().flatten().flat_map(|sum| sum.terms.keys())
    }

    /// Returns true for two extended sums that differ by a number before they are extended.
    fn is_near(&self, other: &Atom, fixed: &impl Fn(Value) -> bool) -> bool {
        match (self, other) {
            (Atom::Extended { sum: one, .. }, Atom::Extended { sum: other, .. }) => {
                one.terms == other.terms && self.is_fixed(fixed)
            }
            _ => false,
        }
    }

    /// Returns what the first one may be more than the second, of two that are near.
    fn apart(&self, other: &Atom) -> Vec<i128> {
        let (Atom::Extended { signed, sum: one }, Atom::Extended { signed: as_signed, sum: other }) = (self, other)
        else {
            return Vec::new();
        };
        let before = i128::from(one.constant) - i128::from(other.constant);
        if signed == as_signed {
            return extended_difference(before);
        }
        (-2..=2).map(|turns| before + (turns << 32)).collect()
    }

    /// Returns true if it is less than 2^32 either way.
    fn is_small(&self) -> bool {
        matches!(self, Atom::Extended { .. })
    }
}

/// Returns the possible differences of two numbers of 32 bits that are extended alike, and that differ by a number before.
pub(super) fn extended_difference(before: i128) -> Vec<i128> {
    let least = before.rem_euclid(1 << 32);
    if least == 0 { vec![0] } else { vec![least, least - (1 << 32)] }
}

/// The difference of two addresses: one of some numbers, and multiples of others.
#[derive(Debug)]
pub(super) struct Gap {
    bits: u32,
    numbers: Vec<i128>,
    /// The factors of what is not known, and whether that is less than 2^32 either way.
    rest: Vec<(i64, bool)>,
}

/// The overlap of two accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Difference {
    Never,
    Always,
    Sometimes,
}

impl Gap {
    /// A difference of 64 or 32 bits that is one of some numbers and multiples of others; each of these comes with whether it is less than 2^32 times its factor.
    pub(super) fn new(bits: u32, numbers: Vec<i128>, rest: Vec<(i64, bool)>) -> Gap {
        Gap { bits, numbers, rest }
    }

    /// Returns how an access of some bytes lies to one of others, where the address of the first is the difference behind the second's.
    pub(super) fn overlaps(&self, bytes: i64, other_bytes: i64) -> Difference {
        let (bytes, other_bytes) = (i128::from(bytes), i128::from(other_bytes));
        let turn = 1i128 << self.bits;
        // The difference is a number modulo this.
        let modulus = self.modulus().unwrap_or(turn);
        let meets = |number: &i128| {
            let least = number.rem_euclid(modulus);
            least < other_bytes || modulus - least < bytes
        };
        let meeting = self.numbers.iter().filter(|number| meets(number)).count();
        match meeting {
            0 => Difference::Never,
            _ if meeting == self.numbers.len() && self.rest.is_empty() => Difference::Always,
            _ => Difference::Sometimes,
        }
    }

    /// Returns what all of the unknown rest is a multiple of; `None` if there is none.
    fn modulus(&self) -> Option<i128> {
        if self.rest.is_empty() {
            return None;
        }
        let reach: i128 = self.rest.iter().map(|&(times, _)| i128::from(times).abs() << 32).sum();
        let far = self.numbers.iter().any(|number| number.abs() >= 1 << 61);
        // Sums of what is small do not wrap.
        let wraps = self.bits != 64 || far || reach >= 1 << 61 || self.rest.iter().any(|&(_, small)| !small);
        let factor = |times: i64| match wraps {
            true => 1i128 << times.trailing_zeros().min(63),
            false => i128::from(times).abs(),
        };
        self.rest.iter().map(|&(times, _)| factor(times)).reduce(common_divisor)
    }
}

fn common_divisor(mut one: i128, mut other: i128) -> i128 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

fn wrap(bits: u32, number: i64) -> i64 {
    if bits == 32 { i64::from(number as i32) } else { number }
}

/// The sums that are known already, so that what several values are made from is followed once.
pub(super) type Known = RefCell<FxHashMap<Value, Affine>>;

/// Follows definitions.
#[derive(Clone, Copy)]
pub(super) struct Affines<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) values: &'a Values,
    pub(super) known: &'a Known,
    /// True if products of two sums are followed, too.
    pub(super) products: bool,
}

impl Affines<'_> {
    /// The address in an operand; `None` for one that is not a sum of 32 or 64 bits.
    pub(super) fn address(&self, inst: Inst, base: Base, offset: i64) -> Option<Affine> {
        match base {
            Base::Reg(reg) => {
                let bits = self.kernel.reg(reg).ty.bits();
                let value = self.values.at_use(inst, reg)?;
                matches!(bits, 32 | 64).then(|| self.value(value, bits, DEEPEST).offset(offset))
            }
            Base::Symbol(symbol) => Some(Affine::atom(64, Atom::Origin(origin(self.kernel, symbol))).offset(offset)),
            Base::Absolute => Some(Affine::number(64, offset)),
        }
    }

    /// A value as a sum of its width; `None` for one of another width.
    pub(super) fn of(&self, value: Value, bits: u32) -> Option<Affine> {
        let width = self.kernel.reg(self.values.reg(value)).ty.bits();
        (width == bits && matches!(bits, 32 | 64)).then(|| self.value(value, bits, DEEPEST))
    }

    fn value(&self, value: Value, bits: u32, depth: u32) -> Affine {
        if let Some(sum) = self.known.borrow().get(&value) {
            return sum.clone();
        }
        let sum = depth.checked_sub(1).and_then(|depth| self.defined(value, bits, depth));
        let sum = sum.filter(|sum| sum.terms.len() <= MOST).unwrap_or_else(|| Affine::atom(bits, Atom::Value(value)));
        self.known.borrow_mut().insert(value, sum.clone());
        sum
    }

    fn defined(&self, value: Value, bits: u32, depth: u32) -> Option<Affine> {
        let ValueKind::Def(inst, _) = self.values.kind(value) else { return None };
        let kernel = self.kernel;
        if self.values.old(value).is_some() || kernel.inst(inst).guard.is_some() {
            return None;
        }
        if let Some((symbol, offset)) = parameter(kernel, inst) {
            return Some(Affine::atom(bits, Atom::Origin(Origin::Parameter(symbol, offset))));
        }
        let opcode = kernel.opcode(inst);
        let types = opcode.types();
        let of = |index: usize, bits: u32| self.operand(inst, index, bits, depth);
        let number = |index: usize| match kernel.operands(inst).get(index) {
            Some(Operand::Int(number)) => Some(*number),
            _ => None,
        };
        let wide = opcode.has(Modifier::Wide);
        // A product has the width of its factors, or twice that.
        let product = || {
            let from = if wide { bits / 2 } else { bits };
            let (one, other) = (of(1, from)?, of(2, from)?);
            let (sum, factor) = match (one.terms.is_empty(), other.terms.is_empty()) {
                (_, true) => (one, other.constant),
                (true, _) => (other, one.constant),
                (false, false) if self.products && !wide => {
                    let (one, other) = if one < other { (one, other) } else { (other, one) };
                    let product = Atom::Product { one: Box::new(one), other: Box::new(other) };
                    return Some(Affine::atom(bits, product));
                }
                _ => return None,
            };
            if !wide {
                return Some(sum.times(factor));
            }
            let signed = types.first()?.is_signed();
            let factor = if signed { factor } else { i64::from(factor as u32) };
            (from == 32).then(|| sum.extended(signed).times(factor))
        };
        match kernel.properties(inst).linear? {
            Linear::Same => match types {
                [to, from, ..] if opcode.mnemonic() == Mnemonic::Cvt && to.bits() != from.bits() => {
                    match (to.bits(), from.bits()) {
                        (64, 32) => Some(of(1, 32)?.extended(from.is_signed())),
                        (32, 64) => Some(of(1, 64)?.low()),
                        _ => None,
                    }
                }
                _ => of(1, bits),
            },
            Linear::Sum => Some(of(1, bits)?.plus(&of(2, bits)?, 1)),
            Linear::Difference => Some(of(1, bits)?.plus(&of(2, bits)?, -1)),
            Linear::Product => product(),
            Linear::ProductSum => Some(product()?.plus(&of(3, bits)?, 1)),
            Linear::Shifted => {
                let shift = number(2).filter(|shift| (0..i64::from(bits)).contains(shift))?;
                Some(of(1, bits)?.times(1i64.wrapping_shl(shift as u32)))
            }
        }
    }

    fn operand(&self, inst: Inst, index: usize, bits: u32, depth: u32) -> Option<Affine> {
        match *self.kernel.operands(inst).get(index)? {
            Operand::Reg(reg) if self.kernel.reg(reg).ty.bits() == bits => {
                Some(self.value(self.values.at_use(inst, reg)?, bits, depth))
            }
            Operand::Int(number) => Some(Affine::number(bits, number)),
            Operand::Symbol(symbol, offset) => {
                Some(Affine::atom(bits, Atom::Origin(origin(self.kernel, symbol))).offset(offset.get()))
            }
            Operand::Special(special) => special_register(special).map(|atom| Affine::atom(bits, atom)),
            _ => None,
        }
    }
}

fn special_register(special: Special) -> Option<Atom> {
    is_fixed_per_thread(special.name).then_some(Atom::Special(special))
}
