//! The facts about terms on one path: equal terms, and predicates that hold.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::function::{Function, Operation};
use super::simplify::ShiftedWithin;
use super::terms::{Node, Term, Terms, cut, signed};

/// The greatest depth to which terms are examined.
const DEEPEST: u32 = 64;

/// The most rounds in which equalities are followed up.
const MOST_ROUNDS: usize = 16;

/// The terms that have been rebuilt, and the depth of the one that is being rebuilt.
#[derive(Default)]
struct Rebuilt {
    done: FxHashMap<Term, Term>,
    depth: u32,
    /// True if some were too deep, so that what they are part of is not rebuilt as it would be by itself.
    is_cut: bool,
}

/// The facts about terms on one path.
#[derive(Clone, Default)]
pub(super) struct PathCondition {
    /// Pairs that are equal.
    equal: Vec<(Term, Term)>,
    /// A term and what stands for it.
    instead: FxHashMap<Term, Term>,
    /// Predicates, and whether they hold.
    truths: Vec<(Term, bool)>,
    /// A cache of [`PathCondition::canonical`]. Clones share it until one of them learns something.
    rebuilt: Rc<RefCell<FxHashMap<Term, Term>>>,
}

impl PathCondition {
    /// The predicates that were decided on this way.
    pub(super) fn truths(&self) -> &[(Term, bool)] {
        &self.truths
    }

    /// The pairs that are known to be equal.
    pub(super) fn equalities(&self) -> &[(Term, Term)] {
        &self.equal
    }

    /// The same with what another way knows; `None` if both cannot be.
    pub(super) fn with(&self, terms: &mut Terms, other: &PathCondition) -> Option<PathCondition> {
        let mut known = self.clone();
        for &(one, other) in &other.equal {
            known = known.joined(terms, one, other)?;
        }
        for &(predicate, holds) in &other.truths {
            let mut ways = known.assume(terms, predicate, holds);
            match ways.len() {
                0 => return None,
                1 => known = ways.remove(0),
                _ => {}
            }
        }
        Some(known)
    }

    /// The term that stands for all that are known to be equal to one.
    pub(super) fn canonical(&self, terms: &mut Terms, term: Term) -> Term {
        if self.instead.is_empty() && !terms.has_chosen {
            return term;
        }
        if let Some(&known) = self.rebuilt.borrow().get(&term) {
            return known;
        }
        let mut done = Rebuilt::default();
        let result = self.rebuilt(terms, term, &mut done);
        let mut rebuilt = self.rebuilt.borrow_mut();
        if done.is_cut {
            rebuilt.insert(term, result);
        } else {
            rebuilt.extend(done.done);
        }
        result
    }

    fn rebuilt(&self, terms: &mut Terms, term: Term, done: &mut Rebuilt) -> Term {
        let known = done.done.get(&term).copied().or_else(|| self.rebuilt.borrow().get(&term).copied());
        if let Some(known) = known {
            return known;
        }
        // What is not rebuilt is the same number under another name.
        if done.depth >= DEEPEST {
            done.is_cut = true;
            return term;
        }
        done.depth += 1;
        let result = self.rebuilt_once(terms, term, done);
        done.depth -= 1;
        done.done.insert(term, result);
        result
    }

    fn rebuilt_once(&self, terms: &mut Terms, term: Term, done: &mut Rebuilt) -> Term {
        let inner = match terms.node(term).clone() {
            Node::Unknown(_) | Node::Outer(..) | Node::Number(_) => term,
            Node::Plus(base, number, bits) => {
                let base = self.rebuilt(terms, base, done);
                terms.plus(base, number, bits)
            }
            Node::Apply(function, of) => {
                let of: SmallVec<[Term; 4]> = of.iter().map(|&of| self.rebuilt(terms, of, done)).collect();
                match self.lesser(terms, function, &of).or_else(|| self.shifted_bit(terms, function, &of)) {
                    Some(term) => term,
                    None => terms.apply(function, of),
                }
            }
            Node::Equal(one, other) => {
                let (one, other) = (self.rebuilt(terms, one, done), self.rebuilt(terms, other, done));
                terms.equal(one, other)
            }
            Node::Less { signed, bits, one, other } => {
                let (one, other) = (self.rebuilt(terms, one, done), self.rebuilt(terms, other, done));
                terms.less(signed, bits, one, other)
            }
            Node::Not(inner) => {
                let inner = self.rebuilt(terms, inner, done);
                terms.not(inner)
            }
            Node::And(one, other) => {
                let (one, other) = (self.rebuilt(terms, one, done), self.rebuilt(terms, other, done));
                terms.and(one, other)
            }
        };
        match self.instead.get(&inner) {
            Some(&other) => self.rebuilt(terms, other, done),
            None => inner,
        }
    }

    /// The least or the greatest of two terms, if it was decided on this way which of them is less.
    fn lesser(&self, terms: &mut Terms, function: Function, of: &[Term]) -> Option<Term> {
        let (Function::Operation(operation, bits), &[one, other]) = (function, of) else { return None };
        let (least, signed) = match operation {
            Operation::MIN => (true, false),
            Operation::MIN_SIGNED => (true, true),
            Operation::MAX => (false, false),
            Operation::MAX_SIGNED => (false, true),
            _ => return None,
        };
        let said =
            |predicate: Term| self.truths.iter().find(|&&(known, _)| known == predicate).map(|&(_, holds)| holds);
        // That neither is less than the other one is no harm: they are equal then.
        let is_less = said(terms.less(signed, bits, one, other))
            .or_else(|| said(terms.less(signed, bits, other, one)).map(|greater| !greater))?;
        Some(if is_less == least { one } else { other })
    }

    /// A bit of a word that is not 0, shifted to its place, or all bits but that: the place is one in the word.
    fn shifted_bit(&self, terms: &mut Terms, function: Function, of: &[Term]) -> Option<Term> {
        let ShiftedWithin { word, place, bits, all_but } = terms.shifted_within(function, of)?;
        let [zero, one] = [0, 1].map(|number| terms.number(number));
        let none = terms.equal(word, zero);
        if !self.truths.iter().any(|&(known, holds)| known == none && !holds) {
            return None;
        }
        let bit = terms.apply(Operation::SHL.on(bits), [one, place]);
        Some(if all_but { terms.apply(Operation::NOT.on(bits), [bit]) } else { bit })
    }

    /// Returns whether a predicate holds, if that is known.
    pub(super) fn holds(&self, terms: &mut Terms, predicate: Term) -> Option<bool> {
        let predicate = self.canonical(terms, predicate);
        match *terms.node(predicate) {
            Node::Number(number) => Some(number != 0),
            Node::Not(inner) => self.holds(terms, inner).map(|holds| !holds),
            Node::And(one, other) => match (self.holds(terms, one), self.holds(terms, other)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => self.decided(terms, predicate),
            },
            Node::Less { signed, bits, one, other } => self.decided(terms, predicate).or_else(|| {
                if let Some(known) = self.is_in_order(terms, (signed, bits), one, other) {
                    return Some(known);
                }
                if !signed && self.is_behind_last(terms, bits, one, other) {
                    return Some(true);
                }
                let swapped = terms.less(signed, bits, other, one);
                match self.known(terms, swapped) {
                    Some(true) => Some(false),
                    // Of two numbers that differ, one is less.
                    Some(false) => {
                        let equal = terms.equal(one, other);
                        self.known(terms, equal).filter(|equal| !equal).map(|_| true)
                    }
                    None => None,
                }
            }),
            Node::Equal(one, other) => self.decided(terms, predicate).or_else(|| {
                let is_next = self.is_number_before(terms, one, other) || self.is_number_before(terms, other, one);
                let word = terms.tests_clear_bit(one, other, 32);
                let is_clear = word.is_some_and(|word| {
                    let all = terms.number(u64::from(u32::MAX));
                    let full = terms.equal(word, all);
                    self.known(terms, full) == Some(false)
                });
                (is_next || is_clear).then_some(true)
            }),
            _ => self.decided(terms, predicate),
        }
    }

    /// Returns whether a term is less than a number, or a number less than a term, by comparisons of that term with other numbers.
    fn is_in_order(&self, terms: &mut Terms, kind: (bool, u32), one: Term, other: Term) -> Option<bool> {
        let (is_signed, bits) = kind;
        let number = |terms: &Terms, term: Term| {
            let number = terms.as_number(term)?;
            Some(if is_signed { signed(number, bits).into() } else { i128::from(cut(number, bits)) })
        };
        let (first, second) = (number(terms, one), number(terms, other));
        let term = match (first, second) {
            (Some(_), None) => other,
            (None, Some(_)) => one,
            _ => return None,
        };
        let (mut least, mut most) = (i128::MIN, i128::MAX);
        for &(known, holds) in &self.truths {
            let known = self.canonical(terms, known);
            let &Node::Less { signed, bits, one, other } = terms.node(known) else { continue };
            if (signed, bits) != kind {
                continue;
            }
            match (number(terms, one), number(terms, other)) {
                (Some(below), None) if other == term && holds => least = least.max(below + 1),
                (Some(above), None) if other == term => most = most.min(above),
                (None, Some(above)) if one == term && holds => most = most.min(above - 1),
                (None, Some(below)) if one == term => least = least.max(below),
                _ => {}
            }
        }
        match (first, second) {
            (Some(below), _) => (below < least).then_some(true).or((below >= most).then_some(false)),
            (_, Some(above)) => (most < above).then_some(true).or((least >= above).then_some(false)),
            _ => None,
        }
    }

    /// Returns true if a term is less than itself and a number, because it is known to have just passed the last of all numbers, by so little that the sum does not pass it again.
    fn is_behind_last(&self, terms: &mut Terms, bits: u32, one: Term, other: Term) -> bool {
        let split = |terms: &Terms, term: Term| match *terms.node(term) {
            Node::Plus(base, number, width) if width == bits => (base, number),
            _ => (term, 0),
        };
        let ((base, before), (other, behind)) = (split(terms, one), split(terms, other));
        let step = cut(behind.wrapping_sub(before), bits);
        base == other
            && step > 0
            && self.truths.iter().filter(|&&(_, holds)| !holds).any(|&(known, _)| {
                let known = self.canonical(terms, known);
                let &Node::Less { signed: false, bits: width, one: low, other: high } = terms.node(known) else {
                    return false;
                };
                let (from, number) = split(terms, low);
                let passed = cut(before.wrapping_sub(number), bits);
                let is_passed = width == bits && high == one && from == base && passed > 0;
                is_passed && u128::from(passed) + u128::from(step) <= 1 << bits
            })
    }

    /// Returns true if a term is the number before one that it is less than: it is not less than that number.
    fn is_number_before(&self, terms: &mut Terms, term: Term, before: Term) -> bool {
        let Node::Plus(_, _, bits) = *terms.node(before) else { return false };
        let next = terms.plus(before, 1, bits);
        [true, false].into_iter().any(|signed| {
            let (less, least) = (terms.less(signed, bits, term, next), terms.less(signed, bits, term, before));
            self.known(terms, less) == Some(true) && self.known(terms, least) == Some(false)
        })
    }

    /// The truth of a predicate by its form, or by what was decided on this way.
    fn known(&self, terms: &mut Terms, predicate: Term) -> Option<bool> {
        terms.as_number(predicate).map(|number| number != 0).or_else(|| self.decided(terms, predicate))
    }

    fn decided(&self, terms: &mut Terms, predicate: Term) -> Option<bool> {
        let truths = self.truths.iter();
        truths.filter(|&&(known, _)| self.canonical(terms, known) == predicate).map(|&(_, holds)| holds).next()
    }

    /// The ways on which a predicate holds, or does not: none if that contradicts what is known.
    pub(super) fn assume(&self, terms: &mut Terms, predicate: Term, holds: bool) -> SmallVec<[PathCondition; 2]> {
        let predicate = self.canonical(terms, predicate);
        match (self.holds(terms, predicate), terms.node(predicate).clone()) {
            (Some(known), _) if known == holds => SmallVec::from_iter([self.clone()]),
            (Some(_), _) => SmallVec::new(),
            (None, Node::Not(inner)) => self.assume(terms, inner, !holds),
            (None, Node::And(one, other)) if holds => {
                let ways = self.assume(terms, one, true);
                ways.iter().flat_map(|known| known.assume(terms, other, true)).collect()
            }
            (None, Node::And(one, other)) => {
                let mut ways = self.assume(terms, one, false);
                for known in self.assume(terms, one, true) {
                    ways.extend(known.assume(terms, other, false));
                }
                ways
            }
            (None, Node::Equal(one, other)) if holds => self.joined(terms, one, other).into_iter().collect(),
            (None, node) => {
                let mut known = self.clone();
                known.decide(terms, predicate, holds);
                // Of one bit, it is known what else it is.
                if let Node::Equal(one, other) = node
                    && let Some((bit, is)) = terms.other_bit(one, other).or_else(|| terms.other_part(one, other))
                {
                    return known.joined(terms, bit, is).into_iter().collect();
                }
                if let (true, Node::Less { one, other, .. }) = (holds, terms.node(predicate).clone()) {
                    let equal = terms.equal(one, other);
                    known.decide(terms, equal, false);
                }
                SmallVec::from_iter([known])
            }
        }
    }

    /// Notes whether a predicate holds.
    fn decide(&mut self, terms: &Terms, predicate: Term, holds: bool) {
        self.truths.push((predicate, holds));
        self.forget_chosen(terms);
    }

    /// Empties the cache if some term is a minimum or maximum, or a bit that is shifted: what stands for it depends on what was decided.
    fn forget_chosen(&mut self, terms: &Terms) {
        if terms.has_chosen {
            self.rebuilt = Rc::default();
        }
    }

    /// The same with two terms that are equal; `None` if that cannot be.
    pub(super) fn joined(&self, terms: &mut Terms, one: Term, other: Term) -> Option<PathCondition> {
        let mut known = self.clone();
        known.equal.push((one, other));
        known.equal.extend(terms.equal_bits(one, other));
        known.equal.extend(terms.equal_parts(one, other));
        // Each round leaves one term less that stands for itself, as long as terms are not too deep.
        for _ in 0..MOST_ROUNDS {
            let mut changed = false;
            for index in 0..known.equal.len() {
                let Some(&(one, other)) = known.equal.get(index) else { break };
                let (one, other) = (known.canonical(terms, one), known.canonical(terms, other));
                match terms.are_equal(one, other) {
                    Some(true) => {}
                    Some(false) => return None,
                    None => {
                        known.replace(terms, one, other);
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        // What was decided before must still hold.
        let truths = std::mem::take(&mut known.truths);
        known.forget_chosen(terms);
        for &(predicate, holds) in &truths {
            match known.holds(terms, predicate) {
                Some(now) if now != holds => return None,
                _ => known.decide(terms, predicate, holds),
            }
        }
        Some(known)
    }

    /// Has one of two terms stand for the other: a number, else the one that was made first.
    fn replace(&mut self, terms: &mut Terms, one: Term, other: Term) {
        self.rebuilt = Rc::default();
        let (older, newer) = (one.min(other), one.max(other));
        let (to, from) = if terms.as_number(newer).is_some() { (newer, older) } else { (older, newer) };
        match *terms.node(from) {
            // Of the sum of a term and a number, the term is replaced, if that was made behind what stands for it.
            Node::Plus(base, number, bits) if terms.as_number(to).is_some() => {
                let difference = terms.plus(to, number.wrapping_neg(), bits);
                self.instead.insert(base, difference);
            }
            _ => _ = self.instead.insert(from, to),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what is known behind a comparison of two terms.
    fn behind(terms: &mut Terms, signed: bool, one: Term, other: Term, holds: bool) -> PathCondition {
        let less = terms.less(signed, 32, one, other);
        PathCondition::default().assume(terms, less, holds).remove(0)
    }

    #[test]
    fn numbers_on_both_sides_of_a_term_are_in_order() {
        let mut terms = Terms::default();
        let a = terms.unknown();
        let [zero, minus, seven, nine] = [0, 0xffff_ffff, 7, 9].map(|number| terms.number(number));
        let known = behind(&mut terms, true, a, zero, true);
        let [below, above, unsigned] =
            [(true, minus, a), (true, a, seven), (false, a, seven)].map(|(signed, one, other)| {
                let less = terms.less(signed, 32, one, other);
                known.holds(&mut terms, less)
            });
        assert_eq!((below, above, unsigned), (Some(false), Some(true), None));
        let known = behind(&mut terms, false, a, seven, false);
        let [greater, within] = [(seven, a), (a, nine)].map(|(one, other)| {
            let less = terms.less(false, 32, one, other);
            known.holds(&mut terms, less)
        });
        assert_eq!((greater, within), (None, None));
    }

    #[test]
    fn a_sum_that_has_passed_the_last_number_does_not_pass_it_again() {
        let mut terms = Terms::default();
        let a = terms.unknown();
        let [next, second, last] = [64, 128, 0xffff_fff0].map(|number| terms.plus(a, number, 32));
        let known = behind(&mut terms, false, a, next, false);
        let [again, far] = [second, last].map(|end| {
            let less = terms.less(false, 32, next, end);
            known.holds(&mut terms, less)
        });
        assert_eq!((again, far), (Some(true), Some(true)));
        let known = behind(&mut terms, false, a, last, false);
        let less = terms.less(false, 32, last, next);
        assert_eq!(known.holds(&mut terms, less), None);
    }
}
