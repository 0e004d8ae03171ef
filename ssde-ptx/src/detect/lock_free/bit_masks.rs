//! The facts about the bits of a word that follow from the operations that made it.
//!
//! ```text
//! bit = left & -left;                       one bit at most, and one of those of left
//! old = Or(word, bit);
//! left = ~(old | bit);                      has no bit of old, so that the next bit is clear there
//! ```
//!
//! All of these are identities of words of one width, whatever their bits are:
//!
//! - no bit is both set and clear;
//! - a word that is part of another one has no bits but those of the other one;
//! - `x & -x` and `1 << __ffs(x) - 1` are one bit of `x`, and 0 only if `x` is.

use super::function::Operation;
use super::terms::{Node, Term, Terms, cut};

/// The most words that are looked at for one.
const MOST_WORDS: usize = 24;

/// Words in which some bits are known to be set or clear.
#[derive(Default)]
struct Bits {
    /// Words in which all of them are set.
    set: Vec<Term>,
    /// Words in which all of them are clear.
    clear: Vec<Term>,
}

impl Terms {
    /// A simpler term for a function of bits: `and`, `or`, `xor` or `not`, of so many bits, of the numbers as they are.
    pub(super) fn simplified_bits(&mut self, operation: Operation, bits: u32, of: &[Term]) -> Option<Term> {
        match (operation, of) {
            (Operation::NOT, &[one]) => match self.as_number(one) {
                Some(number) => Some(self.number(cut(!number, bits))),
                None => self.inverted(one, bits),
            },
            (Operation::XOR, &[one, other]) => {
                let is_full = |term: Term| self.as_number(term).is_some_and(|number| is_full(number, bits));
                let whole = if is_full(other) { one } else { Some(other).filter(|_| is_full(one))? };
                Some(self.apply(Operation::NOT.on(bits), [whole]))
            }
            (Operation::OR, &[one, other]) => {
                let [first, second] = [one, other].map(|term| self.as_number(term).map(|number| cut(number, bits)));
                if let (Some(first), Some(second)) = (first, second) {
                    return Some(self.number(first | second));
                }
                if first == Some(0) || self.is_within(one, other, bits) {
                    return Some(other);
                }
                if self.have_all_bits(one, other, bits) {
                    return Some(self.number(cut(u64::MAX, bits)));
                }
                if let Some(turned) = self.turned_by_shifts(one, other, bits) {
                    return Some(turned);
                }
                (second == Some(0) || self.is_within(other, one, bits)).then_some(one)
            }
            (Operation::AND, &[one, other]) => {
                if self.have_no_bit(&[one, other], bits) {
                    return Some(self.number(0));
                }
                if self.is_within(one, other, bits) {
                    return Some(one);
                }
                self.is_within(other, one, bits).then_some(other)
            }
            _ => None,
        }
    }

    /// Returns true if each bit of `part` is set in `whole` too.
    fn is_within(&self, part: Term, whole: Term, bits: u32) -> bool {
        part == whole || self.bits_of(&[part], bits).set.contains(&whole)
    }

    /// Returns true if each bit is set in one of two words.
    fn have_all_bits(&self, one: Term, other: Term, bits: u32) -> bool {
        let Bits { set, clear } = self.with_bits(Bits { set: Vec::new(), clear: vec![one, other] }, bits);
        set.iter().any(|term| clear.contains(term))
    }

    /// Returns true if no bit is set in all of these words.
    pub(super) fn have_no_bit(&self, words: &[Term], bits: u32) -> bool {
        let Bits { set, clear } = self.bits_of(words, bits);
        let is_number = |term: &Term| self.as_number(*term);
        let left = set.iter().filter_map(is_number).fold(cut(u64::MAX, bits), |left, number| left & number);
        let left = clear.iter().filter_map(is_number).fold(left, |left, number| left & !number);
        left == 0 || set.iter().any(|term| clear.contains(term))
    }

    /// Finds other words in which the bits are set, or clear, that all of these words have.
    fn bits_of(&self, words: &[Term], bits: u32) -> Bits {
        self.with_bits(Bits { set: words.to_vec(), clear: Vec::new() }, bits)
    }

    /// Adds the other words in which the same bits are set, or clear.
    fn with_bits(&self, mut of: Bits, bits: u32) -> Bits {
        let (mut set, mut clear) = (0, 0);
        while of.set.len() + of.clear.len() <= MOST_WORDS {
            if let Some(&word) = of.set.get(set) {
                set += 1;
                let both = self.of_two(word, Operation::AND.on(bits)).map(|(one, other)| [one, other]);
                of.set.extend(both.into_iter().flatten());
                of.set.extend(self.shifted_bit(word, bits));
                of.clear.extend(self.inverted(word, bits));
            } else if let Some(&word) = of.clear.get(clear) {
                clear += 1;
                let either = self.of_two(word, Operation::OR.on(bits)).map(|(one, other)| [one, other]);
                of.clear.extend(either.into_iter().flatten());
                of.set.extend(self.inverted(word, bits));
            } else if !self.follows(&mut of, bits) {
                break;
            }
        }
        of
    }

    /// Adds what follows of two words: a bit of one or the other that is clear in one is set in the other. Returns whether that is something new.
    fn follows(&self, of: &mut Bits, bits: u32) -> bool {
        let other_of = |pair: (Term, Term), known: &[Term]| match pair {
            (one, other) if known.contains(&one) => Some(other),
            (one, other) if known.contains(&other) => Some(one),
            _ => None,
        };
        let either = of.set.iter().filter_map(|&word| self.of_two(word, Operation::OR.on(bits)));
        let set = either.filter_map(|pair| other_of(pair, &of.clear)).find(|other| !of.set.contains(other));
        let both = of.clear.iter().filter_map(|&word| self.of_two(word, Operation::AND.on(bits)));
        let clear = both.filter_map(|pair| other_of(pair, &of.set)).find(|other| !of.clear.contains(other));
        of.set.extend(set);
        of.clear.extend(clear);
        set.is_some() || clear.is_some()
    }

    /// The word of which a term has the other bits.
    fn inverted(&self, term: Term, bits: u32) -> Option<Term> {
        self.of_one(term, Operation::NOT.on(bits))
    }

    /// Returns true if the operations that made a word leave at most one bit set.
    pub(super) fn is_one_bit(&self, term: Term, bits: u32) -> bool {
        self.bits_of(&[term], bits).set.into_iter().any(|word| match self.as_number(word) {
            Some(number) => number.is_power_of_two(),
            None => self.is_shifted_one(word) || self.bit_of(word, bits).is_some(),
        })
    }

    /// The word of which a term is one bit, and 0 only if that is.
    fn bit_of(&self, term: Term, bits: u32) -> Option<Term> {
        self.shifted_bit(term, bits).or_else(|| {
            let (one, other) = self.of_two(term, Operation::AND.on(bits))?;
            let pairs = [(one, other), (other, one)].into_iter();
            pairs.filter(|&(one, other)| self.is_negative(one, other, bits)).map(|(one, _)| one).next()
        })
    }

    /// Returns true if `negative` is minus `term`, written as `-x`, `0 - x`, `~x + 1` or `~(x - 1)`.
    fn is_negative(&self, term: Term, negative: Term, bits: u32) -> bool {
        let is_before = |before: Term| match *self.node(before) {
            Node::Plus(base, number, width) => base == term && width == bits && is_full(number, bits),
            _ => false,
        };
        let is_after = match *self.node(negative) {
            Node::Plus(base, 1, width) => width == bits && self.inverted(term, bits) == Some(base),
            _ => false,
        };
        let is_difference = |operation: Operation| {
            let of = self.of_two(negative, operation.on(bits));
            of.is_some_and(|(from, less)| self.as_number(from) == Some(0) && less == term)
        };
        is_after
            || self.of_one(negative, Operation::NEG.on(bits)) == Some(term)
            || [Operation::SUB_SIGNED, Operation::SUB].into_iter().any(is_difference)
            || self.inverted(negative, bits).is_some_and(is_before)
    }

    /// The word of which a term is the lowest bit that is set, or the highest, as one that is shifted to its place. Places beyond the last bit, for a word that is 0, leave nothing.
    fn shifted_bit(&self, term: Term, bits: u32) -> Option<Term> {
        if let Some((one, place)) = self.of_two(term, Operation::SHL.on(bits)) {
            return self.placed(place, bits).filter(|_| self.as_number(one) == Some(1));
        }
        let (highest, place) = self.of_two(term, Operation::SHR.on(bits))?;
        let is_highest = self.as_number(highest).is_some_and(|number| cut(number, bits) == 1 << (bits - 1));
        self.of_one(place, Operation::CLZ.on(bits)).filter(|_| is_highest)
    }

    /// The word of which a term is the place of the lowest bit that is set, or of the highest, and beyond the last bit where none is.
    pub(super) fn placed(&self, place: Term, bits: u32) -> Option<Term> {
        let reversed = |term: Term| self.of_one(term, Operation::BREV.on(bits));
        if let Some(found) = self.of_one(place, Operation::BFIND_SHIFT.on(bits)) {
            return reversed(found);
        }
        if let Some(found) = self.of_one(place, Operation::BFIND.on(bits)) {
            return Some(found);
        }
        if let Some(found) = self.of_one(place, Operation::CLZ.on(bits)) {
            return reversed(found);
        }
        // The last place less the zeros above it, in one step or two.
        let (place, more) = match *self.node(place) {
            Node::Plus(place, more, 32) => (place, more),
            _ => (place, 0),
        };
        let (last, zeros) = self.of_two(place, Operation::SUB_SIGNED.on(32))?;
        let last = self.as_number(last).map(|last| cut(last.wrapping_add(more), 32));
        let is_last = last == Some(u64::from(bits) - 1);
        self.of_one(zeros, Operation::CLZ.on(bits)).filter(|_| is_last)
    }

    /// Two terms that are equal if, and only if, two others are, one of which is a number: a bit of a word is 0 if that is, a word is a number if the other bits are the others, and what is left of a
    /// word without some bits is that word if it had none of them.
    pub(super) fn as_equal(&mut self, one: Term, other: Term) -> Option<(Term, Term)> {
        if let Some(bits_in) = self.taken_from(one, other).or_else(|| self.taken_from(other, one)) {
            return Some((bits_in, self.number(0)));
        }
        let (term, is) = if self.as_number(one).is_some() { (other, one) } else { (one, other) };
        let number = self.as_number(is)?;
        for bits in [32, 64] {
            if let Some(whole) = self.bit_of(term, bits).filter(|_| number == 0) {
                return Some((whole, is));
            }
            if let Some(whole) = self.inverted(term, bits).filter(|_| cut(number, bits) == number) {
                return Some((whole, self.number(cut(!number, bits))));
            }
        }
        None
    }

    /// The bits of a word that it has no more in a term which is all that is left of it.
    fn taken_from(&mut self, left: Term, word: Term) -> Option<Term> {
        let (bits, (one, other)) =
            [32, 64].into_iter().find_map(|bits| Some((bits, self.of_two(left, Operation::AND.on(bits))?)))?;
        let mask = [(one, other), (other, one)].into_iter().find(|&(whole, _)| whole == word)?.1;
        let taken = self.inverted(mask, bits)?;
        Some(self.apply(Operation::AND.on(bits), [word, taken]))
    }

    /// Returns what else is equal if two terms are: of words that have no bit in common, each is left alone if the bits of the other one are cleared; of which one is a part of the other one, that if its
    /// bits are set.
    pub(super) fn equal_parts(&mut self, one: Term, other: Term) -> Vec<(Term, Term)> {
        let mut equal = Vec::new();
        for (term, is) in [(one, other), (other, one)] {
            for bits in [32, 64] {
                let Some((first, second)) = self.of_two(term, Operation::AND.on(bits)) else { continue };
                for (word, part) in [(first, second), (second, first)] {
                    if self.as_number(part).is_some() {
                        continue;
                    }
                    if self.as_number(is) == Some(0) {
                        let rest = self.apply(Operation::NOT.on(bits), [part]);
                        let left = self.apply(Operation::AND.on(bits), [word, rest]);
                        equal.push((left, word));
                    }
                    if is == part {
                        let both = self.apply(Operation::OR.on(bits), [word, part]);
                        equal.push((both, word));
                    }
                }
            }
        }
        equal
    }

    /// Returns what a part of a word with one bit at most is if it is not what it was compared with: that bit, or nothing.
    pub(super) fn other_part(&mut self, one: Term, other: Term) -> Option<(Term, Term)> {
        for (part, is) in [(one, other), (other, one)] {
            for bits in [32, 64] {
                let Some((first, second)) = self.of_two(part, Operation::AND.on(bits)) else { continue };
                for bit in [first, second] {
                    if self.as_number(bit).is_some() || !self.is_one_bit(bit, bits) {
                        continue;
                    }
                    if self.as_number(is) == Some(0) {
                        return Some((part, bit));
                    }
                    if is == bit {
                        return Some((part, self.number(0)));
                    }
                }
            }
        }
        None
    }
}

/// Returns true if a number has all bits.
fn is_full(number: u64, bits: u32) -> bool {
    cut(number, bits) == cut(u64::MAX, bits)
}

#[cfg(test)]
mod tests {
    use super::super::function::Function;
    use super::super::path_condition::PathCondition;
    use super::super::term_order::Direction;
    use super::*;

    /// Random numbers.
    struct Random(u64);

    impl Random {
        fn next(&mut self, below: u64) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) % below
        }
    }

    fn apply(terms: &mut Terms, function: Function, of: &[Term]) -> Term {
        terms.apply(function, of.iter().copied())
    }

    /// Returns what an instruction computes, by the manual of PTX, of words of so many bits.
    fn computed(operation: Operation, bits: u32, of: &[u64]) -> u64 {
        let zeros = |number: u64| u64::from(number.leading_zeros()) - u64::from(64 - bits);
        let of_one = of[0];
        let result = match operation {
            Operation::AND => of_one & of[1],
            Operation::OR => of_one | of[1],
            Operation::XOR => of_one ^ of[1],
            Operation::NOT => !of_one,
            Operation::NEG => of_one.wrapping_neg(),
            Operation::SUB_SIGNED | Operation::SUB => of_one.wrapping_sub(of[1]),
            Operation::SUM => of_one.wrapping_add(of[1]),
            Operation::SHL => of_one.checked_shl(u32::try_from(of[1]).unwrap_or(64)).unwrap_or(0),
            Operation::SHR | Operation::SHR_BITS => of_one.checked_shr(u32::try_from(of[1]).unwrap_or(64)).unwrap_or(0),
            Operation::BREV => of_one.reverse_bits() >> (64 - bits),
            Operation::CLZ => return zeros(of_one),
            Operation::BFIND | Operation::BFIND_SHIFT if of_one == 0 => return u64::from(u32::MAX),
            Operation::BFIND => return u64::from(bits) - 1 - zeros(of_one),
            Operation::BFIND_SHIFT => return zeros(of_one),
            _ => unreachable!("{operation:?}"),
        };
        cut(result, bits)
    }

    /// The number that a term is if some unknown ones are these.
    fn value(terms: &Terms, term: Term, unknown: &[(Term, u64)]) -> u64 {
        if let Some(&(_, number)) = unknown.iter().find(|(other, _)| *other == term) {
            return number;
        }
        let of = |term: &Term| value(terms, *term, unknown);
        match terms.node(term) {
            Node::Number(number) => *number,
            Node::Plus(base, number, bits) => cut(of(base).wrapping_add(*number), *bits),
            Node::Equal(one, other) => u64::from(of(one) == of(other)),
            Node::Apply(..) => {
                let Some((Function::Operation(operation, bits), parts)) = terms.function(term) else {
                    unreachable!("{:?}", terms.node(term))
                };
                computed(operation, bits, &parts.iter().map(of).collect::<Vec<u64>>())
            }
            node => unreachable!("{node:?}"),
        }
    }

    /// A random word, made of others by the instructions that are looked at, and the number that it is.
    fn word(terms: &mut Terms, random: &mut Random, bits: u32, from: &[(Term, u64)]) -> (Term, u64) {
        let one = from[random.next(from.len() as u64) as usize];
        let other = from[random.next(from.len() as u64) as usize];
        let full = cut(u64::MAX, bits);
        let named = |terms: &mut Terms, operation: Operation, bits: u32, of: &[(Term, u64)]| {
            let parts: Vec<Term> = of.iter().map(|&(term, _)| term).collect();
            let numbers: Vec<u64> = of.iter().map(|&(_, number)| number).collect();
            (apply(terms, operation.on(bits), &parts), computed(operation, bits, &numbers))
        };
        let number = |terms: &mut Terms, number: u64| (terms.number(number), number);
        match random.next(14) {
            0 | 1 => named(terms, Operation::AND, bits, &[one, other]),
            2 | 3 => named(terms, Operation::OR, bits, &[one, other]),
            4 => named(terms, Operation::XOR, bits, &[one, other]),
            5 => named(terms, Operation::NOT, bits, &[one]),
            6 => named(terms, Operation::NEG, bits, &[one]),
            7 => {
                let more = if random.next(2) == 0 { 1 } else { full };
                (terms.plus(one.0, more, bits), cut(one.1.wrapping_add(more), bits))
            }
            8 => number(terms, 1 << random.next(u64::from(bits))),
            9 => {
                let all = number(terms, full);
                named(terms, Operation::XOR, bits, &[one, all])
            }
            // What is left below a place of a sum, or of bits put together, where one part begins at a place.
            10 | 11 => {
                let by = number(terms, random.next(u64::from(bits)));
                let shifted = named(terms, Operation::SHL, bits, &[one, by]);
                let both = match random.next(3) {
                    0 => (terms.sum(other.0, shifted.0, bits), cut(other.1.wrapping_add(shifted.1), bits)),
                    1 => named(terms, Operation::OR, bits, &[other, shifted]),
                    _ => (terms.plus(other.0, by.1 << 4, bits), cut(other.1.wrapping_add(by.1 << 4), bits)),
                };
                let mask = number(terms, cut(u64::MAX, 1 + random.next(8) as u32));
                named(terms, Operation::AND, bits, &[both, mask])
            }
            12 => {
                let (highest, zeros) = (number(terms, 1 << (bits - 1)), named(terms, Operation::CLZ, bits, &[one]));
                named(terms, Operation::SHR, bits, &[highest, zeros])
            }
            _ => {
                let reversed = named(terms, Operation::BREV, bits, &[one]);
                let place = match random.next(4) {
                    0 => named(terms, Operation::BFIND_SHIFT, bits, &[reversed]),
                    1 => named(terms, Operation::BFIND, bits, &[one]),
                    2 => named(terms, Operation::CLZ, bits, &[reversed]),
                    _ => {
                        let (last, zeros) =
                            (number(terms, u64::from(bits) - 1), named(terms, Operation::CLZ, bits, &[one]));
                        named(terms, Operation::SUB_SIGNED, 32, &[last, zeros])
                    }
                };
                let first = number(terms, 1);
                named(terms, Operation::SHL, bits, &[first, place])
            }
        }
    }

    #[test]
    fn simpler_terms_are_the_same_numbers() {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let mut simpler = 0;
        for round in 0..4000 {
            let bits = if round % 2 == 0 { 32 } else { 64 };
            let mut terms = Terms::default();
            let edges = [0, 1, cut(u64::MAX, bits), 1 << (bits - 1)];
            let mut words: Vec<(Term, u64)> = (0..3)
                .map(|_| {
                    let any = cut(random.next(u64::MAX) & random.next(u64::MAX), bits);
                    let number = if random.next(2) == 0 { any } else { edges[random.next(4) as usize] };
                    (terms.unknown(), number)
                })
                .collect();
            let unknown = words.clone();
            for _ in 0..12 {
                let made = word(&mut terms, &mut random, bits, &words);
                assert_eq!(value(&terms, made.0, &unknown), made.1, "{:?}", terms.node(made.0));
                simpler += usize::from(terms.as_number(made.0).is_some());
                assert!(!terms.is_one_bit(made.0, bits) || made.1.count_ones() <= 1);
                let (one, other) = (made, words[random.next(words.len() as u64) as usize]);
                let zero = terms.number(0);
                for (other, number) in [other, (zero, 0)] {
                    let equal = terms.equal(one.0, other);
                    assert_eq!(value(&terms, equal, &unknown), u64::from(one.1 == number));
                    let [parts, others] = if one.1 == number {
                        [terms.equal_parts(one.0, other), Vec::new()]
                    } else {
                        [Vec::new(), terms.other_part(one.0, other).into_iter().collect()]
                    };
                    for (first, second) in parts.into_iter().chain(others) {
                        assert_eq!(value(&terms, first, &unknown), value(&terms, second, &unknown));
                    }
                }
                words.push(made);
            }
        }
        assert!(simpler > 1000, "{simpler}");
    }

    /// A mask in all forms in which compilers write it: all bits but the highest or lowest one of a word, which is turned to its place.
    fn masks(terms: &mut Terms, word: Term, bits: u32, lowest: bool) -> Vec<Term> {
        let one_bit = |terms: &mut Terms, word: Term| {
            let negative = apply(terms, Operation::NEG.on(bits), &[word]);
            apply(terms, Operation::AND.on(bits), &[word, negative])
        };
        let of = if lowest { one_bit(terms, word) } else { word };
        let zeros = apply(terms, Operation::CLZ.on(bits), &[of]);
        let [last, all] = [u64::from(bits) - 1, u64::from(bits)].map(|number| terms.number(number));
        let place = apply(terms, Operation::SUB_SIGNED.on(32), &[last, zeros]);
        let behind = apply(terms, Operation::SUB_SIGNED.on(32), &[all, zeros]);
        let before = terms.plus(behind, 0xffff_ffff, 32);
        let (one, all_but) = (terms.number(1), terms.number(cut(!1, bits)));
        let mut found = Vec::new();
        for place in [place, before] {
            let bit = apply(terms, Operation::SHL.on(bits), &[one, place]);
            found.push(apply(terms, Operation::NOT.on(bits), &[bit]));
            let within = apply(terms, Operation::AND.on(32), &[place, last]);
            let left = apply(terms, Operation::SHL.on(bits), &[all_but, within]);
            let negative = apply(terms, Operation::NEG.on(32), &[place]);
            let back = apply(terms, Operation::AND.on(32), &[negative, last]);
            let right = apply(terms, Operation::SHR.on(bits), &[all_but, back]);
            found.push(apply(terms, Operation::OR.on(bits), &[left, right]));
            let left = apply(terms, Operation::SHL.on(bits), &[all_but, place]);
            let rest = apply(terms, Operation::SUB.on(32), &[all, place]);
            let right = apply(terms, Operation::SHR_BITS.on(bits), &[all_but, rest]);
            found.push(terms.sum(left, right, bits));
            if bits == 32 {
                found.push(apply(terms, Operation::SHF_LEFT.on(32), &[all_but, all_but, place]));
            }
        }
        found
    }

    #[test]
    fn what_is_left_without_its_bit_is_less() {
        let mut random = Random(0x1234_5678_9abc_def1);
        for round in 0..400 {
            let (bits, lowest) = (if round % 2 == 0 { 32 } else { 64 }, round % 4 < 2);
            let mut terms = Terms::default();
            let word = terms.unknown();
            let all = masks(&mut terms, word, bits, lowest);
            let zero = terms.number(0);
            let none = terms.equal(word, zero);
            let known = PathCondition::default().assume(&mut terms, none, false).remove(0);
            let number = cut((random.next(u64::MAX) & random.next(u64::MAX)).max(1), bits).max(1);
            let place = if lowest { number.trailing_zeros() } else { 63 - number.leading_zeros() };
            for mask in all {
                let left = apply(&mut terms, Operation::AND.on(bits), &[word, mask]);
                let left = known.canonical(&mut terms, left);
                assert_eq!(value(&terms, left, &[(word, number)]), number & !(1 << place));
                let same = terms.equal(left, word);
                assert_eq!(known.holds(&mut terms, same), Some(false), "{bits} bits, lowest {lowest}");
                // A word without bits stays what it is.
                assert_eq!(PathCondition::default().holds(&mut terms, same), None);
            }
        }
    }

    #[test]
    fn a_word_with_more_bits_is_greater() {
        let up = Direction { signed: false, up: true };
        for bits in [32, 64] {
            let mut terms = Terms::default();
            let [word, other] = [terms.unknown(), terms.unknown()];
            let full = terms.number(cut(u64::MAX, bits));
            let left = apply(&mut terms, Operation::NOT.on(bits), &[word]);
            let negative = apply(&mut terms, Operation::NEG.on(bits), &[left]);
            let lowest = apply(&mut terms, Operation::AND.on(bits), &[left, negative]);
            let next = terms.plus(word, 1, bits);
            let [with_lowest, with_next, with_all, with_other] =
                [lowest, next, left, other].map(|more| apply(&mut terms, Operation::OR.on(bits), &[word, more]));
            assert_eq!(with_all, full);
            let all = terms.equal(word, full);
            let is_left = PathCondition::default().assume(&mut terms, all, false).remove(0);
            for (known, is) in [(&is_left, true), (&PathCondition::default(), false)] {
                assert_eq!(up.leads(&mut terms, known, bits, word, with_lowest), is);
                assert_eq!(up.leads(&mut terms, known, bits, word, with_next), is);
            }
            assert!(!up.leads(&mut terms, &is_left, bits, word, with_other));
            assert!(!Direction { signed: true, up: true }.leads(&mut terms, &is_left, bits, word, with_next));
        }
    }

    #[test]
    fn the_lowest_free_bit_is_free_in_a_word_that_is_not_full() {
        let mut terms = Terms::default();
        let [word, zero] = [terms.unknown(), terms.number(0)];
        let inverse = apply(&mut terms, Operation::NOT.on(32), &[word]);
        let next = terms.plus(word, 1, 32);
        let bit = apply(&mut terms, Operation::AND.on(32), &[inverse, next]);
        let taken = apply(&mut terms, Operation::AND.on(32), &[word, bit]);
        assert_eq!(taken, zero);
        // The bit itself may be 0, where all bits are set, and only there.
        let none = terms.equal(bit, zero);
        assert_eq!(PathCondition::default().holds(&mut terms, none), None);
        let full = terms.number(0xffff_ffff);
        let known = PathCondition::default().joined(&mut terms, word, full).unwrap_or_default();
        assert_eq!(known.holds(&mut terms, none), Some(true));
    }
}
