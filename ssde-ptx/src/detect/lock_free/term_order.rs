//! The order of two terms as numbers, as far as it is known on a path.

use super::function::{Function, Operation};
use super::path_condition::PathCondition;
use super::terms::{Node, Term, Terms, cut};

/// A direction in which numbers of so many bits go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Direction {
    pub(super) signed: bool,
    pub(super) up: bool,
}

pub(super) const DIRECTIONS: [Direction; 4] = [
    Direction { signed: false, up: false },
    Direction { signed: false, up: true },
    Direction { signed: true, up: false },
    Direction { signed: true, up: true },
];

impl Direction {
    /// Returns true if one term is strictly further in this direction than another one.
    pub(super) fn leads(self, terms: &mut Terms, known: &PathCondition, bits: u32, from: Term, to: Term) -> bool {
        let [from, to] = [from, to].map(|term| known.canonical(terms, term));
        if self.up {
            is_less(terms, known, self.signed, bits, from, to)
        } else {
            is_less(terms, known, self.signed, bits, to, from)
        }
    }

    /// Returns true if a term is, by the operation that made it, as far in this direction as the other one or further: a maximum is no less than what it is of. Setting and clearing bits has a direction only in
    /// unsigned numbers.
    pub(super) fn keeps(self, terms: &Terms, bits: u32, from: Term, to: Term) -> bool {
        let forms: &[Operation] = match (self.signed, self.up) {
            (true, true) => &[Operation::MAX_SIGNED],
            (false, true) => &[Operation::MAX, Operation::OR],
            (true, false) => &[Operation::MIN_SIGNED],
            (false, false) => &[Operation::MIN, Operation::AND],
        };
        let mut operands = forms.iter().filter_map(|operation| terms.of_two(to, operation.on(bits)));
        operands.any(|(one, other)| one == from || other == from)
    }
}

/// Returns true if one term is less than another one.
fn is_less(terms: &mut Terms, known: &PathCondition, signed: bool, bits: u32, one: Term, other: Term) -> bool {
    let less = terms.less(signed, bits, one, other);
    if known.holds(terms, less) == Some(true) {
        return true;
    }
    let greater = terms.less(signed, bits, other, one);
    let equal = terms.equal(one, other);
    let differ = known.holds(terms, equal) == Some(false);
    if differ && known.holds(terms, greater) == Some(false) {
        return true;
    }
    is_next(terms, known, signed, bits, one, other)
        || !signed
            && (is_part(terms, known, bits, one, other, differ)
                || is_double(terms, known, bits, one, other)
                || has_more(terms, known, bits, one, other))
}

/// Returns true if a term is another one and a number more, or less, that does not lead past the last number.
fn is_next(terms: &mut Terms, known: &PathCondition, signed: bool, bits: u32, one: Term, other: Term) -> bool {
    let step = |from: Term, to: Term, terms: &Terms| match *terms.node(to) {
        Node::Plus(base, number, width) if base == from && width == bits => Some(number),
        _ => None,
    };
    // A number that is less than some other one is not the last one, nor is one that is greater the first.
    if step(one, other, terms) == Some(1) && beside(terms, known, signed, bits, one, true) {
        return true;
    }
    if is_counted_up(terms, known, signed, bits, one, other) {
        return true;
    }
    if step(other, one, terms) == Some(cut(u64::MAX, bits)) {
        return beside(terms, known, signed, bits, other, false) || (!signed && is_not_zero(terms, known, other));
    }
    if signed {
        return false;
    }
    if is_counted_down(terms, known, bits, one, other) {
        return true;
    }
    match step(one, other, terms) {
        Some(number) => {
            most(terms, known, bits, one).is_some_and(|most| u128::from(most) + u128::from(number) < 1 << bits.min(64))
        }
        None => false,
    }
}

/// Returns true if a term is one less than another one, where both are made of a third one by adding numbers, as from the second round on.
fn is_one_less(terms: &Terms, bits: u32, one: Term, other: Term) -> bool {
    let (&Node::Plus(first, from, wide), &Node::Plus(second, to, width)) = (terms.node(one), terms.node(other)) else {
        return false;
    };
    first == second && (wide, width) == (bits, bits) && cut(to.wrapping_sub(from), bits) == 1
}

/// The same where the other one is not 0.
fn is_counted_down(terms: &mut Terms, known: &PathCondition, bits: u32, one: Term, other: Term) -> bool {
    let zero = terms.number(0);
    let none = terms.equal(other, zero);
    is_one_less(terms, bits, one, other) && known.holds(terms, none) == Some(false)
}

/// The same where both are less than some number, that may get less by one: one that goes up as well is no end.
fn is_counted_up(terms: &mut Terms, known: &PathCondition, signed: bool, bits: u32, one: Term, other: Term) -> bool {
    if !is_one_less(terms, bits, one, other) {
        return false;
    }
    let mut ends: [Vec<Term>; 2] = Default::default();
    for (predicate, holds) in known.truths().to_vec() {
        let predicate = known.canonical(terms, predicate);
        if let (true, &Node::Less { signed: sign, bits: width, one: less, other: end }) = (holds, terms.node(predicate))
            && (sign, width) == (signed, bits)
        {
            ends[0].extend((less == one).then_some(end));
            ends[1].extend((less == other).then_some(end));
        }
    }
    let [before, after] = ends;
    before.iter().any(|&end| {
        let less = terms.plus(end, u64::MAX, bits);
        after.iter().any(|&now| now == end || now == less)
    })
}

/// Returns true if a term is known to be less than some number, or greater than some.
fn beside(terms: &mut Terms, known: &PathCondition, signed: bool, bits: u32, term: Term, less: bool) -> bool {
    known.truths().to_vec().into_iter().any(|(predicate, holds)| {
        let predicate = known.canonical(terms, predicate);
        match *terms.node(predicate) {
            Node::Less { signed: sign, bits: width, one, other } if holds && (sign, width) == (signed, bits) => {
                (if less { one } else { other }) == term
            }
            // The lower half of the last number has all bits set, and is less than no other number.
            Node::Less { signed: false, bits: 32, one, .. } if holds && less && bits == 64 => {
                let whole = terms.of_one(one, Function::NARROW);
                whole == Some(term)
            }
            _ => false,
        }
    })
}

/// Returns true if a term is not 0: it is greater than something, or something would be 0 with it that is not.
fn is_not_zero(terms: &mut Terms, known: &PathCondition, term: Term) -> bool {
    let zero = terms.number(0);
    let none = terms.equal(term, zero);
    known.holds(terms, none) == Some(false)
        || [32, 64].into_iter().any(|bits| beside(terms, known, false, bits, term, false))
}

/// Returns true if one term is what remains of another one: bits masked out, shifted out, or divided.
fn is_part(terms: &mut Terms, known: &PathCondition, bits: u32, one: Term, other: Term, differ: bool) -> bool {
    let not_zero = |terms: &mut Terms| is_not_zero(terms, known, other) || is_not_zero(terms, known, one);
    if let Some((first, second)) = terms.of_two(one, Operation::AND.on(bits)) {
        let whole = [(first, second), (second, first)].into_iter().find(|&(whole, _)| whole == other);
        let Some((_, mask)) = whole else { return false };
        // What is left of a number and the one before it has its lowest bit no more.
        let before = terms.plus(other, u64::MAX, bits);
        let is_first_bit = || terms.is_all_but_first_bit(mask, other, bits);
        return differ || ((mask == before || is_first_bit()) && not_zero(terms));
    }
    for (operation, least) in [(Operation::SHR, 1), (Operation::DIV, 2), (Operation::SHR_BITS, 1)] {
        if let Some((whole, by)) = terms.of_two(one, operation.on(bits)) {
            let is_less = terms.as_number(by).is_some_and(|by| by >= least) && not_zero(terms);
            // What is shifted out of the number before it leaves no more than that.
            let before = terms.plus(other, u64::MAX, bits);
            let is_before = operation != Operation::DIV && whole == before && is_not_zero(terms, known, other);
            return whole == other && is_less || is_before;
        }
    }
    false
}

/// Returns true if the second term is the first one with more bits set. The bits that are added are all clear in the first one, or they are those of the next number: that has
/// the lowest bit which is clear.
fn has_more(terms: &mut Terms, known: &PathCondition, bits: u32, one: Term, other: Term) -> bool {
    let Some((first, second)) = terms.of_two(other, Operation::OR.on(bits)) else { return false };
    let [zero, full] = [0, cut(u64::MAX, bits)].map(|number| terms.number(number));
    [(first, second), (second, first)].into_iter().filter(|&(whole, _)| whole == one).any(|(_, more)| {
        let [none, all] = [(more, zero), (one, full)].map(|(term, number)| terms.equal(term, number));
        let is_next = *terms.node(more) == Node::Plus(one, 1, bits);
        terms.have_no_bit(&[one, more], bits) && known.holds(terms, none) == Some(false)
            || is_next && known.holds(terms, all) == Some(false)
    })
}

/// Returns true if the second term is twice the first one and more, with no way past the last number.
fn is_double(terms: &mut Terms, known: &PathCondition, bits: u32, one: Term, other: Term) -> bool {
    let (twice, more) = match *terms.node(other) {
        Node::Plus(base, number, width) if width == bits => (base, number),
        _ => (other, 0),
    };
    let factor = match terms.of_two(twice, Operation::SHL.on(bits)) {
        Some((whole, by)) if whole == one => terms.as_number(by).filter(|&by| by < 16).map(|by| 1 << by),
        _ => None,
    };
    let (Some(factor), Some(most)) = (factor, most(terms, known, bits, one)) else { return false };
    let fits = u128::from(most) * factor + u128::from(more) < 1 << bits.min(64);
    fits && (more > 0 || is_not_zero(terms, known, one))
}

/// The greatest number that a term can be, as unsigned numbers of so many bits go, if that is known.
pub(super) fn most(terms: &mut Terms, known: &PathCondition, bits: u32, term: Term) -> Option<u64> {
    let width = terms.width(term);
    let mut least = (width < bits.min(64)).then(|| (1 << width) - 1);
    for (predicate, holds) in known.truths().to_vec() {
        let predicate = known.canonical(terms, predicate);
        let Node::Less { signed: false, bits: width, one, other } = *terms.node(predicate) else { continue };
        if width != bits {
            continue;
        }
        let bound = match (holds, terms.as_number(one), terms.as_number(other)) {
            (true, _, Some(number)) if one == term => Some(number.wrapping_sub(1)),
            (false, Some(number), _) if other == term => Some(number),
            _ => None,
        };
        least = match (least, bound) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
    }
    least
}
