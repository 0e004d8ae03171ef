//! Addresses as polynomials: sums ([`Affine`]) in which products are multiplied out and the registers that loops move are written by what they begin with, their step,
//! and how often the loop has gone round.

use std::collections::BTreeMap;

use ptx_parser::{Component, Special, SpecialName, Uniformity};

use super::access::Access;
use super::affine::{Affine, Affines, Atom};
use super::known::THREADS;
use super::memory::MemoryDependence;
use super::provenance::Origin;
use crate::loops::Loop;
use crate::ssa::{Value, ValueKind};

/// The depth in loops up to which registers that loops move are followed.
const DEEPEST: u32 = 6;

/// The most terms of a polynomial. Beyond them, nothing is known of it.
const MOST: usize = 24;

/// A factor of a term.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Symbol {
    /// A component of the number of the thread in its CTA.
    Thread(Axis),
    /// A component of the size of the CTA.
    Size(Axis),
    /// The number of the thread in its CTA, all components taken together (PTX ISA, "%laneid": warps consist of consecutive ones).
    Linear,
    /// The lane.
    Lane,
    /// Another special register, or an address, that is the same for the whole CTA.
    Fixed(Fixed),
    /// A special register of a thread.
    Special(String),
    /// A register of which no more is known.
    Value(Value),
    /// The lower 32 bits of one.
    Low(Value),
    /// How often a loop has gone round since it was entered.
    Count(Loop),
    /// A polynomial of 32 bits, extended with its sign or with zeros.
    Extended { signed: bool, sum: Box<Polynomial> },
}

/// What is the same for a whole CTA.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Fixed {
    Origin(Origin),
    Special(String),
}

/// A dimension of a CTA.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Axis {
    X,
    Y,
    Z,
}

impl Axis {
    fn of(component: Component) -> Option<Axis> {
        match component {
            Component::X => Some(Axis::X),
            Component::Y => Some(Axis::Y),
            Component::Z => Some(Axis::Z),
            _ => None,
        }
    }
}

/// A sum of products of symbols, modulo 2 to the power of its width.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Polynomial {
    pub(super) bits: u32,
    /// The factor of each product of symbols, which are in their order; the constant is that of none.
    pub(super) terms: BTreeMap<Vec<Symbol>, i64>,
}

impl Polynomial {
    pub(super) fn zero(bits: u32) -> Polynomial {
        Polynomial { bits, terms: BTreeMap::new() }
    }

    fn symbol(bits: u32, symbol: Symbol) -> Polynomial {
        Polynomial { bits, terms: BTreeMap::from([(vec![symbol], 1)]) }
    }

    pub(super) fn add(&mut self, symbols: Vec<Symbol>, times: i64) {
        let bits = self.bits;
        let sum = self.terms.entry(symbols).or_insert(0);
        *sum = cut(bits, sum.wrapping_add(times));
        self.terms.retain(|_, times| *times != 0);
    }

    fn plus(&mut self, other: &Polynomial, factor: i64) {
        for (symbols, times) in &other.terms {
            self.add(symbols.clone(), times.wrapping_mul(factor));
        }
    }

    fn times(&self, other: &Polynomial) -> Polynomial {
        let mut product = Polynomial::zero(self.bits);
        for (one, by) in &self.terms {
            for (other, times) in &other.terms {
                let mut symbols = [one.as_slice(), other.as_slice()].concat();
                symbols.sort_unstable();
                product.add(symbols, by.wrapping_mul(*times));
            }
        }
        product
    }

    /// Returns true if it is a sum of coordinates of the thread and a number that is neither negative nor reaches 2^31.
    pub(super) fn is_small(&self) -> bool {
        let most = |(symbols, &times): (&Vec<Symbol>, &i64)| {
            let most = match symbols.as_slice() {
                [] => 1,
                [Symbol::Thread(_) | Symbol::Lane] => i64::from(THREADS),
                _ => return None,
            };
            (times >= 0).then_some(times.saturating_mul(most))
        };
        let sum = self.terms.iter().map(most).try_fold(0i64, |sum, most| Some(sum.saturating_add(most?)));
        sum.is_some_and(|sum| sum < 1 << 31)
    }

    /// The lower 32 bits.
    pub(super) fn low(&self) -> Polynomial {
        if self.bits == 32 {
            return self.clone();
        }
        let mut low = Polynomial::zero(32);
        for (symbols, &times) in &self.terms {
            let part = |symbol: &Symbol| match symbol {
                Symbol::Extended { sum, .. } => (**sum).clone(),
                Symbol::Value(value) => Polynomial::symbol(32, Symbol::Low(*value)),
                other => Polynomial::symbol(32, other.clone()),
            };
            let mut product = Polynomial::zero(32);
            product.add(Vec::new(), times);
            product = symbols.iter().fold(product, |product, symbol| product.times(&part(symbol)));
            low.plus(&product, 1);
        }
        low
    }
}

pub(super) fn cut(bits: u32, number: i64) -> i64 {
    if bits == 32 { i64::from(number as i32) } else { number }
}

impl MemoryDependence<'_> {
    /// Returns the address of an access as a polynomial; `None` if it is no sum.
    pub(super) fn polynomial(&self, access: &Access) -> Option<Polynomial> {
        let [(base, offset)] = self.addresses(access.inst)[..] else { return None };
        let sum = self.sums_of_products().address(access.inst, base, offset)?;
        let polynomial = self.expanded(&sum, DEEPEST);
        (polynomial.terms.len() <= MOST).then_some(polynomial)
    }

    fn sums_of_products(&self) -> Affines<'_> {
        Affines { known: &self.sums_with_products, products: true, ..self.affines() }
    }

    fn expanded(&self, sum: &Affine, depth: u32) -> Polynomial {
        let bits = sum.bits;
        let mut all = Polynomial::zero(bits);
        all.add(Vec::new(), sum.constant);
        for (atom, &times) in &sum.terms {
            let part = match atom {
                Atom::Origin(origin) => Polynomial::symbol(bits, Symbol::Fixed(Fixed::Origin(*origin))),
                Atom::Special(special) => Polynomial::symbol(bits, special_register(*special)),
                Atom::Value(value) => {
                    let moved = depth.checked_sub(1).and_then(|depth| self.moved(*value, bits, depth));
                    moved.unwrap_or_else(|| Polynomial::symbol(bits, Symbol::Value(*value)))
                }
                Atom::Low(value) => Polynomial::symbol(bits, Symbol::Low(*value)),
                Atom::Extended { signed, sum } => {
                    let sum = Box::new(self.expanded(sum, depth));
                    Polynomial::symbol(bits, Symbol::Extended { signed: *signed, sum })
                }
                Atom::Product { one, other } => self.expanded(one, depth).times(&self.expanded(other, depth)),
            };
            all.plus(&part, times);
        }
        all
    }

    /// Returns a register that a loop moves by the same step in each iteration as what it begins with and how often the loop has gone round.
    fn moved(&self, value: Value, bits: u32, depth: u32) -> Option<Polynomial> {
        let ValueKind::Phi(header, _) = self.values.kind(value) else { return None };
        let id = self.loops.innermost(header).filter(|&id| self.loops.header(id) == header)?;
        if self.loops.is_irreducible(header) {
            return None;
        }
        let (mut first, mut step): (Option<Value>, Option<Affine>) = (None, None);
        let itself = self.sums_of_products().of(value, bits)?;
        for &(from, input) in self.values.phi_inputs(value) {
            if !self.loops.contains(id, from) {
                if first.is_some_and(|first| first != input) {
                    return None;
                }
                first = Some(input);
                continue;
            }
            let by = self.sums_of_products().of(input, bits)?.plus(&itself, -1);
            if step.as_ref().is_some_and(|step| *step != by) {
                return None;
            }
            step = Some(by);
        }
        let (first, step) = (first?, step?);
        let stays = |value: Value| {
            !self.loops.is_irreducible(self.values.block(value)) && self.invariance.is_invariant_in(value, id)
        };
        if !step.terms.keys().all(|atom| atom.is_fixed(&stays)) {
            return None;
        }
        let count = Polynomial::symbol(bits, Symbol::Count(id));
        let mut moved = self.expanded(&step, depth).times(&count);
        moved.plus(&self.expanded(&self.sums_of_products().of(first, bits)?, depth), 1);
        Some(moved)
    }
}

fn special_register(special: Special) -> Symbol {
    let axis = special.component.and_then(Axis::of);
    match (special.name, axis) {
        (SpecialName::Tid, Some(axis)) => Symbol::Thread(axis),
        (SpecialName::Ntid, Some(axis)) => Symbol::Size(axis),
        (SpecialName::Laneid, _) => Symbol::Lane,
        (name, _) if matches!(name.uniformity(), Uniformity::Grid | Uniformity::Cta) => {
            Symbol::Fixed(Fixed::Special(special.to_string()))
        }
        _ => Symbol::Special(special.to_string()),
    }
}
