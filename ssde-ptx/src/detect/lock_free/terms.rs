//! Terms: what registers and memory hold on one way through a loop, and what is known of them.
//!
//! Equal terms are equal numbers. Terms that are not equal may be equal numbers all the same, so that all answers but `None` are proofs. A number that is added to a
//! term is kept beside it, modulo 2 to the power of its width; everything else that instructions compute is a function of which only that is known: it
//! gives the same for the same.

use analysis::Value;
use cranelift_entity::{PrimaryMap, entity_impl};
use ptx_parser::{Comparison, Mnemonic, Number, OpcodeData};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::function::{Function, Operation};

/// A term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Term(u32);
entity_impl!(Term, "term");

/// A term, by the operation that makes it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Node {
    /// Some number.
    Unknown(u32),
    /// The value that a register of a lane has held since before the loop.
    Outer(Value, u32),
    Number(u64),
    /// A term and a number, in so many bits.
    Plus(Term, u64, u32),
    /// A function of terms.
    Apply(Function, SmallVec<[Term; 4]>),
    /// A predicate that is true if two terms are equal.
    Equal(Term, Term),
    /// A predicate that is true if one term is less than the other, as signed or unsigned numbers of so many bits.
    Less {
        signed: bool,
        bits: u32,
        one: Term,
        other: Term,
    },
    Not(Term),
    And(Term, Term),
}

/// The terms of one proof, each once.
#[derive(Default)]
pub(super) struct Terms {
    nodes: PrimaryMap<Term, Node>,
    terms: FxHashMap<Node, Term>,
    /// The opcodes of functions that are no operations on integers, each once, and their numbers by their text.
    opcodes: Vec<OpcodeData>,
    texts: FxHashMap<String, u32>,
    unknown: u32,
    /// Terms that have few bits.
    narrow: FxHashMap<Term, u32>,
    /// True if some term is the least or the greatest of others, or a bit that is shifted to a place which there may not be.
    pub(super) has_chosen: bool,
}

/// The number with so many bits.
pub(super) fn cut(number: u64, bits: u32) -> u64 {
    if bits >= 64 { number } else { number & ((1 << bits) - 1) }
}

/// The number with the sign of so many bits.
pub(super) fn signed(number: u64, bits: u32) -> i64 {
    let shift = 64 - bits.clamp(1, 64);
    (number << shift).cast_signed() >> shift
}

/// Returns the number that so many bits are, with a sign or without.
pub(super) fn whole(number: u64, bits: u32, is_signed: bool) -> i128 {
    if is_signed { signed(number, bits).into() } else { cut(number, bits).into() }
}

/// Returns the number that a comparison takes an operand for.
pub(super) fn as_compared(number: u64, comparison: Comparison) -> i128 {
    whole(number, comparison.bits, comparison.number == Number::Signed)
}

impl Terms {
    pub(super) fn node(&self, term: Term) -> &Node {
        &self.nodes[term]
    }

    /// Returns how many terms there are.
    pub(super) fn count(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn make(&mut self, node: Node) -> Term {
        *self.terms.entry(node.clone()).or_insert_with(|| self.nodes.push(node))
    }

    /// A number of which nothing is known.
    pub(super) fn unknown(&mut self) -> Term {
        self.unknown += 1;
        self.make(Node::Unknown(self.unknown))
    }

    /// A number of so many bits of which nothing else is known.
    pub(super) fn unknown_of(&mut self, bits: u32) -> Term {
        let term = self.unknown();
        self.narrow(term, bits)
    }

    /// Notes that a term has few bits.
    pub(super) fn narrow(&mut self, term: Term, bits: u32) -> Term {
        self.narrow.insert(term, bits);
        term
    }

    /// Returns how many bits a term has at most.
    pub(super) fn width(&self, term: Term) -> u32 {
        match self.node(term) {
            Node::Number(number) => 64 - number.leading_zeros(),
            _ => self.narrow.get(&term).copied().unwrap_or(64),
        }
    }

    pub(super) fn outer(&mut self, value: Value, lane: u32) -> Term {
        self.make(Node::Outer(value, lane))
    }

    pub(super) fn number(&mut self, number: u64) -> Term {
        self.make(Node::Number(number))
    }

    pub(super) fn truth(&mut self, holds: bool) -> Term {
        self.number(u64::from(holds))
    }

    pub(super) fn as_number(&self, term: Term) -> Option<u64> {
        match self.node(term) {
            Node::Number(number) => Some(*number),
            _ => None,
        }
    }

    pub(super) fn plus(&mut self, term: Term, number: u64, bits: u32) -> Term {
        let number = cut(number, bits);
        match *self.node(term) {
            _ if number == 0 => term,
            Node::Number(before) => self.number(cut(before.wrapping_add(number), bits)),
            Node::Plus(base, before, width) if width == bits => {
                let sum = cut(before.wrapping_add(number), bits);
                if sum == 0 { base } else { self.make(Node::Plus(base, sum, bits)) }
            }
            _ => self.make(Node::Plus(term, number, bits)),
        }
    }

    /// The sum of two terms, the same in whatever order they and the numbers in them are added.
    pub(super) fn sum(&mut self, one: Term, other: Term, bits: u32) -> Term {
        let split = |terms: &Terms, term: Term| match *terms.node(term) {
            Node::Plus(base, number, width) if width == bits => (base, number),
            _ => (term, 0),
        };
        let ((one, first), (other, second)) = (split(self, one), split(self, other));
        for (term, number) in [(one, other), (other, one)] {
            if let Some(number) = self.as_number(number) {
                return self.plus(term, number.wrapping_add(first).wrapping_add(second), bits);
            }
        }
        let sum = self.apply(Operation::SUM.on(bits), [one.min(other), one.max(other)]);
        self.plus(sum, first.wrapping_add(second), bits)
    }

    /// A term as another one and a number that is added to it, with its sign.
    pub(super) fn parts(&self, term: Term) -> (Term, i64) {
        match *self.node(term) {
            Node::Plus(base, number, bits) => (base, signed(number, bits)),
            _ => (term, 0),
        }
    }

    /// Returns the function that an instruction computes, by its opcode.
    pub(super) fn of_opcode(&mut self, opcode: &OpcodeData) -> Function {
        if let Some(function) = Function::of_integers(opcode) {
            return function;
        }
        if let Some(&number) = self.texts.get(opcode.text()) {
            return Function::Opcode(number);
        }
        let number = self.opcodes.len() as u32;
        self.texts.insert(opcode.text().to_owned(), number);
        self.opcodes.push(opcode.clone());
        Function::Opcode(number)
    }

    /// Returns the opcode of a function that is no operation on integers.
    pub(super) fn opcode(&self, function: Function) -> Option<&OpcodeData> {
        match function {
            Function::Opcode(number) => self.opcodes.get(number as usize),
            _ => None,
        }
    }

    /// Returns the instruction that computes a function.
    pub(super) fn mnemonic(&self, function: Function) -> Option<Mnemonic> {
        function.mnemonic().or_else(|| Some(self.opcode(function)?.mnemonic()))
    }

    /// A function of terms, in its simplest form.
    pub(super) fn apply(&mut self, function: Function, of: impl IntoIterator<Item = Term>) -> Term {
        self.has_chosen |= matches!(self.mnemonic(function), Some(Mnemonic::Min | Mnemonic::Max));
        let of: SmallVec<[Term; 4]> = of.into_iter().collect();
        match self.simplified(function, &of) {
            Some(term) => term,
            None => {
                self.has_chosen |= self.shifted_within(function, &of).is_some();
                self.make(Node::Apply(function, of))
            }
        }
    }

    /// A part of a number of so many bits that is taken apart.
    pub(super) fn part(&mut self, whole: Term, bits: u32, number: usize, parts: usize) -> Term {
        let part = self.apply(Function::Part { number, parts }, [whole]);
        let is_taken_apart = matches!(self.function(part), Some((Function::Part { .. }, _)));
        let bits = bits / parts.max(1) as u32;
        if is_taken_apart && bits < 64 { self.narrow(part, bits) } else { part }
    }

    /// The number that is put together from parts.
    pub(super) fn pack(&mut self, parts: SmallVec<[Term; 4]>) -> Term {
        self.apply(Function::Pack, parts)
    }

    /// Returns true if a term is 1 shifted to the left.
    pub(super) fn is_shifted_one(&self, term: Term) -> bool {
        let shifts = [32, 64].map(|bits| Operation::SHL.on(bits));
        match self.function(term) {
            Some((function, of)) => {
                shifts.contains(&function) && of.first().is_some_and(|&of| self.as_number(of) == Some(1))
            }
            None => false,
        }
    }

    /// Returns whether a term is made of what does not change in the loop, and of some unknown numbers.
    pub(super) fn is_made_of(&self, term: Term, known: &dyn Fn(Term) -> bool) -> bool {
        !self.any_part(term, &mut |part| matches!(self.node(part), Node::Unknown(_)) && !known(part))
    }

    /// Returns true if a term is made of these, and of what does not change in the loop.
    pub(super) fn is_made_of_these(&self, term: Term, these: &[Term]) -> bool {
        let mut work = vec![term];
        while let Some(term) = work.pop() {
            if these.contains(&term) {
                continue;
            }
            if matches!(self.node(term), Node::Unknown(_)) {
                return false;
            }
            self.push_parts(term, &mut work);
        }
        true
    }

    /// The function that a term is, and what it is of.
    pub(super) fn function(&self, term: Term) -> Option<(Function, &[Term])> {
        match self.node(term) {
            Node::Apply(function, of) => Some((*function, of)),
            _ => None,
        }
    }

    /// Returns true if a term is another one, or made of that.
    pub(super) fn contains(&self, term: Term, part: Term) -> bool {
        self.any_part(term, &mut |other| other == part)
    }

    /// Returns whether something is true of a term, or of one that it is made of.
    fn any_part(&self, term: Term, is: &mut dyn FnMut(Term) -> bool) -> bool {
        let mut work = vec![term];
        while let Some(term) = work.pop() {
            if is(term) {
                return true;
            }
            self.push_parts(term, &mut work);
        }
        false
    }

    /// Puts what a term is made of on a list.
    fn push_parts(&self, term: Term, list: &mut Vec<Term>) {
        match self.node(term) {
            Node::Unknown(_) | Node::Outer(..) | Node::Number(_) => {}
            Node::Plus(base, ..) => list.push(*base),
            Node::Apply(_, of) => list.extend(of),
            Node::Equal(one, other) | Node::Less { one, other, .. } | Node::And(one, other) => {
                list.extend([*one, *other]);
            }
            Node::Not(inner) => list.push(*inner),
        }
    }

    pub(super) fn equal(&mut self, one: Term, other: Term) -> Term {
        let (one, other) = (one.min(other), one.max(other));
        if let Some(equal) = self.are_equal(one, other) {
            return self.truth(equal);
        }
        match self.as_equal(one, other) {
            Some((one, other)) => self.equal(one, other),
            None => self.make(Node::Equal(one, other)),
        }
    }

    pub(super) fn less(&mut self, is_signed: bool, bits: u32, one: Term, other: Term) -> Term {
        let known = match (self.as_number(one), self.as_number(other)) {
            (Some(one), Some(other)) if is_signed => Some(signed(one, bits) < signed(other, bits)),
            (Some(one), Some(other)) => Some(cut(one, bits) < cut(other, bits)),
            _ if one == other => Some(false),
            // No number is less than the first one.
            (_, Some(0)) if !is_signed => Some(false),
            _ if self.is_at_least(is_signed, bits, one, other) => Some(false),
            _ => None,
        };
        match known {
            Some(holds) => self.truth(holds),
            None => self.make(Node::Less { signed: is_signed, bits, one, other }),
        }
    }

    pub(super) fn not(&mut self, term: Term) -> Term {
        match *self.node(term) {
            Node::Number(number) => self.truth(number == 0),
            Node::Not(inner) => inner,
            _ => self.make(Node::Not(term)),
        }
    }

    pub(super) fn and(&mut self, one: Term, other: Term) -> Term {
        let (one, other) = (one.min(other), one.max(other));
        match (self.as_number(one), self.as_number(other)) {
            (Some(0), _) | (_, Some(0)) => self.truth(false),
            (Some(_), _) => other,
            (_, Some(_)) => one,
            _ if one == other => one,
            _ => self.make(Node::And(one, other)),
        }
    }

    pub(super) fn or(&mut self, one: Term, other: Term) -> Term {
        let (one, other) = (self.not(one), self.not(other));
        let neither = self.and(one, other);
        self.not(neither)
    }

    /// Returns whether two terms are equal by their form alone.
    pub(super) fn are_equal(&self, one: Term, other: Term) -> Option<bool> {
        if one == other {
            return Some(true);
        }
        let same_base = match (self.node(one), self.node(other)) {
            (Node::Number(_), Node::Number(_)) => true,
            (&Node::Plus(base, _, bits), &Node::Plus(another, _, width)) => base == another && bits == width,
            (&Node::Plus(base, ..), _) => base == other,
            (_, &Node::Plus(base, ..)) => base == one,
            _ => false,
        } || self.is_outside(one, other)
            || self.is_outside(other, one)
            || self.is_above(one, other)
            || self.is_above(other, one);
        same_base.then_some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::super::path_condition::PathCondition;
    use super::*;

    #[test]
    fn what_is_put_together_of_other_things_is_no_whole() {
        let mut terms = Terms::default();
        let [one, other] = [terms.unknown(), terms.unknown()];
        let pair = terms.apply(Function::Pack, [one, other]);
        assert_ne!(pair, one);
        assert_eq!(terms.apply(Function::Pack, [one, other]), pair);
    }

    #[test]
    fn equality_reaches_what_is_computed_from_equal_terms() {
        let mut terms = Terms::default();
        let [a, b] = [terms.unknown(), terms.unknown()];
        let function = terms.of_opcode(&OpcodeData::new("ex2.approx.f32"));
        let [f, g] = [a, b].map(|of| terms.apply(function, [of]));
        let (equal, results) = (terms.equal(a, b), terms.equal(f, g));
        let known = PathCondition::default();
        assert_eq!(known.holds(&mut terms, results), None);
        let [known] = known.assume(&mut terms, equal, true).into_vec().try_into().unwrap_or_else(|_| panic!());
        assert_eq!(known.holds(&mut terms, results), Some(true));
        assert!(known.assume(&mut terms, results, false).is_empty());
    }

    #[test]
    fn what_is_known_to_differ_cannot_become_equal() {
        let mut terms = Terms::default();
        let [a, b, c] = [terms.unknown(), terms.unknown(), terms.unknown()];
        let different = terms.equal(a, c);
        let known = PathCondition::default().assume(&mut terms, different, false).remove(0);
        let known = known.joined(&mut terms, a, b).unwrap_or_default();
        assert!(known.joined(&mut terms, b, c).is_none());
        let next = terms.plus(a, 1, 32);
        assert!(known.joined(&mut terms, next, b).is_none());
        // Modulo 2^32, adding 2^32 - 1 takes 1 away.
        assert_eq!(terms.plus(next, 0xffff_ffff, 32), a);
    }

    #[test]
    fn a_sum_that_is_a_number_says_what_its_term_is() {
        let mut terms = Terms::default();
        let a = terms.unknown();
        let (next, zero) = (terms.plus(a, 1, 32), terms.number(0));
        let known = PathCondition::default().joined(&mut terms, next, zero).unwrap_or_default();
        let canonical = known.canonical(&mut terms, a);
        assert_eq!(terms.as_number(canonical), Some(0xffff_ffff));
    }

    #[test]
    fn comparisons_of_numbers_mind_their_signs() {
        let mut terms = Terms::default();
        let [minus, one] = [0xffff_ffff, 1].map(|number| terms.number(number));
        let (signed, unsigned) = (terms.less(true, 32, minus, one), terms.less(false, 32, minus, one));
        assert_eq!((terms.as_number(signed), terms.as_number(unsigned)), (Some(1), Some(0)));
        let a = terms.unknown();
        let (less, equal) = (terms.less(false, 32, a, one), terms.equal(a, one));
        let known = PathCondition::default().assume(&mut terms, less, true).remove(0);
        assert_eq!(known.holds(&mut terms, equal), Some(false));
    }

    #[test]
    fn what_stands_for_a_term_follows_what_is_learned_later() {
        let mut terms = Terms::default();
        let [a, b, c, d] = [terms.unknown(), terms.unknown(), terms.unknown(), terms.unknown()];
        let function = terms.of_opcode(&OpcodeData::new("ex2.approx.f32"));
        let result = terms.apply(function, [c]);
        let first = PathCondition::default().joined(&mut terms, a, d).unwrap_or_default();
        assert_eq!(first.canonical(&mut terms, result), result);
        let second = first.joined(&mut terms, b, c).unwrap_or_default();
        let same = terms.apply(function, [b]);
        assert_eq!(second.canonical(&mut terms, result), same);
        // Which of two is the least one is told by a comparison.
        let least = terms.apply(Operation::MIN.on(32), [a, b]);
        assert_eq!(second.canonical(&mut terms, least), least);
        let less = terms.less(false, 32, a, b);
        let third = second.assume(&mut terms, less, true).remove(0);
        assert_eq!(third.canonical(&mut terms, least), a);
        // Ways that have not learned it know what they knew.
        assert_eq!((first.canonical(&mut terms, result), second.canonical(&mut terms, least)), (result, least));
    }

    #[test]
    fn a_tag_that_is_one_more_makes_another_number() {
        let mut terms = Terms::default();
        let a = terms.unknown();
        let [upper, lower] = [0xffff_ffff_0000_0000, 0xffff_ffff].map(|mask| terms.number(mask));
        let masked = |terms: &mut Terms, more: u64, mask: Term| {
            let counted = terms.plus(a, more, 64);
            terms.apply(Operation::AND.on(64), [counted, mask])
        };
        let next = masked(&mut terms, 1 << 32, upper);
        assert_eq!(terms.are_equal(next, a), Some(false));
        // A sum in the bits that are cleared, and one in those that stay alone, may leave the number as it was.
        let [low, same] = [(1, upper), (1 << 32, lower)].map(|(more, mask)| masked(&mut terms, more, mask));
        assert_eq!((terms.are_equal(low, a), terms.are_equal(same, a)), (None, None));
    }

    #[test]
    fn what_is_less_and_not_less_than_the_number_before_is_that() {
        let mut terms = Terms::default();
        let [a, b] = [terms.unknown(), terms.unknown()];
        let before = terms.plus(b, 0xffff_ffff, 32);
        let [less, least] = [b, before].map(|end| terms.less(true, 32, a, end));
        let equal = terms.equal(a, before);
        let known = PathCondition::default().assume(&mut terms, less, true).remove(0);
        assert_eq!(known.holds(&mut terms, equal), None);
        let known = known.assume(&mut terms, least, false).remove(0);
        assert_eq!(known.holds(&mut terms, equal), Some(true));
    }

    #[test]
    fn the_first_clear_bit_from_a_place_on_is_clear_in_a_word_that_is_not_full() {
        let mut terms = Terms::default();
        let [word, from, other] = [terms.unknown(), terms.unknown(), terms.unknown()];
        let [zero, one, last, full] = [0, 1, 31, 0xffff_ffff].map(|number| terms.number(number));
        let apply = |terms: &mut Terms, function: Function, of: &[Term]| terms.apply(function, of.iter().copied());
        let inverse = apply(&mut terms, Operation::NOT.on(32), &[word]);
        let by = apply(&mut terms, Operation::AND.on(32), &[from, last]);
        let rotated = apply(&mut terms, Operation::SHF_RIGHT.on(32), &[inverse, inverse, by]);
        let reversed = apply(&mut terms, Operation::BREV.on(32), &[rotated]);
        let first = apply(&mut terms, Operation::BFIND_SHIFT.on(32), &[reversed]);
        let test = |terms: &mut Terms, more: Term| {
            let sum = terms.sum(first, more, 32);
            let place = terms.apply(Operation::AND.on(32), [sum, last]);
            let mask = terms.apply(Operation::SHL.on(32), [one, place]);
            let bit = terms.apply(Operation::AND.on(32), [word, mask]);
            terms.equal(bit, zero)
        };
        let [clear, elsewhere] = [from, other].map(|more| test(&mut terms, more));
        assert_eq!(PathCondition::default().holds(&mut terms, clear), None);
        let full = terms.equal(word, full);
        let known = PathCondition::default().assume(&mut terms, full, false).remove(0);
        assert_eq!((known.holds(&mut terms, clear), known.holds(&mut terms, elsewhere)), (Some(true), None));
    }

    #[test]
    fn a_number_with_a_bit_that_is_clear_is_what_is_left_without_it() {
        let mut terms = Terms::default();
        let [a, b] = [terms.unknown(), terms.unknown()];
        let [zero, one, upper] = [0, 1, 0xffff_fffe].map(|number| terms.number(number));
        let apply = |terms: &mut Terms, function: Function, of: &[Term]| terms.apply(function, of.iter().copied());
        let bit = apply(&mut terms, Operation::AND.on(32), &[a, one]);
        let [first, second] = [a, b].map(|of| apply(&mut terms, Operation::AND.on(32), &[of, upper]));
        let [half, other] = [a, b].map(|of| apply(&mut terms, Operation::SHR.on(32), &[of, one]));
        let (set, same, alike) = (terms.equal(bit, one), terms.equal(first, a), terms.equal(first, second));
        assert_eq!(PathCondition::default().holds(&mut terms, same), None);
        let known = PathCondition::default().assume(&mut terms, set, false).remove(0);
        assert_eq!((known.holds(&mut terms, same), known.holds(&mut terms, alike)), (Some(true), None));
        let known = known.joined(&mut terms, half, other).unwrap_or_default();
        assert_eq!(known.holds(&mut terms, alike), Some(true));
        let none = PathCondition::default().joined(&mut terms, first, zero).unwrap_or_default();
        let half = none.canonical(&mut terms, half);
        assert_eq!(terms.as_number(half), Some(0));
    }
}
