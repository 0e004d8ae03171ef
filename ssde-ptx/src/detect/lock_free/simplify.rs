//! The known properties of some functions of terms: masks, the lowest bit of a number, minimum and maximum.

use smallvec::SmallVec;

use super::terms::{Node, Term, Terms, cut, signed};

/// The names of functions that are looked at.
const WIDENED: &str = "cvt.u64.u32";
const NARROWED: &str = "cvt.u32.u64";
const SIGNED_WIDENED: &str = "cvt.s64.s32";
const PRODUCT_IN_64_BITS: &str = "mul.wide.u32";
const SIGNED_PRODUCT_IN_64_BITS: &str = "mul.wide.s32";
const LONG_PRODUCT: &str = "mul.lo.s64";
const LONG_PRODUCT_UNSIGNED: &str = "mul.lo.u64";
const PRODUCT_SIGNED: &str = "mul.lo.s32";
const PRODUCT_UNSIGNED: &str = "mul.lo.u32";
const SHIFTED_32: &str = "shl.b32";
const SHIFTED_64: &str = "shl.b64";
const INVERTED_32: &str = "not.b32";
const INVERTED_64: &str = "not.b64";
const NEGATIVE_32: &str = "neg.s32";
const SHIFTED_RIGHT_32: &str = "shr.u32";
const SHIFTED_RIGHT_64: &str = "shr.u64";
/// Conversions that leave a number which has no more bits than they read.
const LEFT_AS_IS: [(&str, u32); 5] =
    [("cvt.u16.u8", 8), ("cvt.u32.u8", 8), ("cvt.u64.u8", 8), ("cvt.u32.u16", 16), ("cvt.u64.u16", 16)];
const TURNED_LEFT: &str = "shf.l.wrap.b32";

/// The name of a number that is put together from parts, and how that of a part begins; which one and of how many follows.
pub(super) const PACK: &str = "pack";
pub(super) const PART: &str = "part ";

/// A bit at a place in a word, or all bits but that.
pub(super) struct ShiftedWithin {
    pub(super) word: Term,
    pub(super) place: Term,
    pub(super) bits: u32,
    pub(super) all_but: bool,
}

impl Terms {
    /// A simpler term for a function, if there is one.
    pub(super) fn simplified(&mut self, name: u32, of: &SmallVec<[Term; 4]>) -> Option<Term> {
        let text = self.texts.get(name as usize)?;
        if let (TURNED_LEFT, &[low, high, by]) = (text.as_str(), of.as_slice()) {
            return if low == high { self.turned(low, by, 32) } else { None };
        }
        if text == PACK {
            return self.put_together(of);
        }
        let &[one, other] = of.as_slice() else {
            let &[one] = of.as_slice() else { return None };
            if let Some((number, parts)) = part_of(text) {
                return self.taken_apart(one, number, parts);
            }
            let bits = LEFT_AS_IS.iter().find(|&&(name, _)| name == text).map(|&(_, bits)| bits);
            if bits.is_some_and(|bits| self.width(one) <= bits) {
                return Some(one);
            }
            return match text.as_str() {
                WIDENED if self.width(one) <= 32 => Some(one),
                SIGNED_WIDENED if self.width(one) <= 31 => Some(one),
                WIDENED => self.widened(one),
                NARROWED => self.narrowed(one),
                SIGNED_WIDENED => self.as_number(one).map(|number| self.number(signed(number, 32).cast_unsigned())),
                INVERTED_32 => self.simplified_bits("not", 32, &[one]),
                INVERTED_64 => self.simplified_bits("not", 64, &[one]),
                _ => None,
            };
        };
        match (text.as_str(), self.as_number(other)) {
            (PRODUCT_IN_64_BITS, Some(factor)) => {
                let whole = self.apply(WIDENED, SmallVec::from_iter([one]));
                let factor = self.number(cut(factor, 32));
                return Some(self.apply(LONG_PRODUCT, SmallVec::from_iter([whole, factor])));
            }
            (SIGNED_PRODUCT_IN_64_BITS, Some(factor)) => {
                let whole = self.apply(SIGNED_WIDENED, SmallVec::from_iter([one]));
                let factor = self.number(signed(factor, 32).cast_unsigned());
                return Some(self.apply(LONG_PRODUCT, SmallVec::from_iter([whole, factor])));
            }
            (LONG_PRODUCT | LONG_PRODUCT_UNSIGNED, Some(factor)) => {
                if let Some(number) = self.as_number(one) {
                    return Some(self.number(number.wrapping_mul(factor)));
                }
                if factor.is_power_of_two() {
                    let by = self.number(u64::from(factor.trailing_zeros()));
                    return Some(self.apply(SHIFTED_64, SmallVec::from_iter([one, by])));
                }
                return (text == LONG_PRODUCT_UNSIGNED)
                    .then(|| self.apply(LONG_PRODUCT, SmallVec::from_iter([one, other])));
            }
            (PRODUCT_SIGNED | PRODUCT_UNSIGNED, Some(factor)) if factor.is_power_of_two() => {
                let by = self.number(u64::from(factor.trailing_zeros()));
                return Some(self.apply("shl.b32", SmallVec::from_iter([one, by])));
            }
            (SHIFTED_RIGHT_32 | SHIFTED_RIGHT_64, Some(by)) => {
                return self
                    .as_number(one)
                    .filter(|&number| by < 32 && (text == SHIFTED_RIGHT_64 || number <= u64::from(u32::MAX)))
                    .map(|number| self.number(number >> by));
            }
            (SHIFTED_32, Some(by)) => return self.shifted(one, by, 32),
            (SHIFTED_64, Some(by)) => return self.shifted(one, by, 64),
            _ => {}
        }
        let (operation, kind) = text.split_once('.')?;
        if operation == "add" && kind.starts_with('b') {
            let is_simple = |term: Term| !matches!(self.node(term), Node::Plus(..) | Node::Number(_));
            let bits = kind.get(1..)?.parse().ok()?;
            return (one > other || !is_simple(one) || !is_simple(other)).then(|| self.sum(one, other, bits));
        }
        if operation == "setp" && one == other {
            let holds = compared_with_itself(kind)?;
            return Some(self.truth(holds));
        }
        let operation = ["and", "or", "xor"].into_iter().find(|&name| name == operation && kind.starts_with('b'))?;
        let bits: u32 = kind.get(1..)?.parse().ok()?;
        if one > other && self.as_number(one).or(self.as_number(other)).is_none() {
            return Some(self.applied(name, SmallVec::from_iter([other, one])));
        }
        if operation != "and" {
            return self.simplified_bits(operation, bits, of);
        }
        let (whole, mask) = if self.as_number(one).is_some() { (other, one) } else { (one, other) };
        match (self.as_number(whole), self.as_number(mask)) {
            (Some(whole), Some(mask)) => return Some(self.number(cut(whole & mask, bits))),
            (_, Some(0)) => return Some(mask),
            (None, Some(number)) => {
                if cut(number, bits) != number {
                    let mask = self.number(cut(number, bits));
                    return Some(self.apply(&format!("and.b{bits}"), SmallVec::from_iter([whole, mask])));
                }
                if let Some((first, before)) = self.masked(whole, bits) {
                    let both = self.number(before & number);
                    return Some(self.apply(&format!("and.b{bits}"), SmallVec::from_iter([first, both])));
                }
                if bits == 32
                    && let Some(wide) = self.of_one(whole, "cvt.u32.u64")
                {
                    return Some(self.apply("and.b64", SmallVec::from_iter([wide, mask])));
                }
                if let Some(rest) = self.without_above(whole, number, bits) {
                    return Some(self.apply(&format!("and.b{bits}"), SmallVec::from_iter([rest, mask])));
                }
                // A shift before the conversion or behind it: what differs is masked out.
                if bits == 64
                    && number <= u64::from(u32::MAX)
                    && let Some(narrow) = self.of_one(whole, "cvt.u64.u32")
                    && let Some((first, by)) = self.of_two(narrow, "shl.b32")
                    && self.as_number(by).is_some_and(|by| by < 32)
                {
                    let wide = self.apply("cvt.u64.u32", SmallVec::from_iter([first]));
                    let moved = self.apply("shl.b64", SmallVec::from_iter([wide, by]));
                    return Some(self.apply("and.b64", SmallVec::from_iter([moved, mask])));
                }
                if number == 1
                    && let Some((shifted, place)) = self.of_two_in(whole, "shr.u", bits)
                    && let Some(found) = self.placed(place, bits)
                    && self.have_no_bit(&[shifted, found], bits)
                {
                    return Some(self.number(0));
                }
            }
            _ => {}
        }
        self.simplified_bits(operation, bits, of)
    }

    /// A sum, or bits put together, without a part of which all bits lie above those of a mask. What the mask leaves is the same.
    fn without_above(&mut self, term: Term, mask: u64, bits: u32) -> Option<Term> {
        let is_above = |least: u32| mask.checked_shr(least).unwrap_or(0) == 0;
        if let Node::Plus(base, more, width) = *self.node(term) {
            if width != bits {
                return None;
            }
            if is_above(more.trailing_zeros()) {
                return Some(base);
            }
            let rest = self.without_above(base, mask, bits)?;
            return Some(self.plus(rest, more, bits));
        }
        let (one, other) = self.of_two_in(term, "add.b", bits).or_else(|| self.of_two_in(term, "or.b", bits))?;
        let is_shifted_above = |part: Term| {
            let by = self.of_two_in(part, "shl.b", bits).and_then(|(_, by)| self.as_number(by));
            by.is_some_and(|by| u32::try_from(by).is_ok_and(is_above))
        };
        [(one, other), (other, one)].into_iter().find(|&(part, _)| is_shifted_above(part)).map(|(_, rest)| rest)
    }

    /// The number of which these are all the parts, in order.
    fn put_together(&self, parts: &[Term]) -> Option<Term> {
        let mut wholes = parts.iter().enumerate().map(|(at, &part)| {
            let (name, of) = self.function(part)?;
            of.first().copied().filter(|_| part_of(name) == Some((at, parts.len())))
        });
        let first = wholes.next()??;
        wholes.all(|whole| whole == Some(first)).then_some(first)
    }

    /// A part of a number that was put together.
    fn taken_apart(&mut self, whole: Term, number: usize, parts: usize) -> Option<Term> {
        match self.operands(whole, PACK) {
            Some(of) if of.len() == parts => of.get(number).copied(),
            _ if parts == 2 => self.half(whole, number == 1),
            _ => None,
        }
    }

    /// A number of 32 bits as one of 64: bits are masked out behind that.
    fn widened(&mut self, term: Term) -> Option<Term> {
        if let Some(number) = self.as_number(term) {
            return Some(self.number(cut(number, 32)));
        }
        let (first, mask) = self.masked(term, 32)?;
        let wide = self.apply("cvt.u64.u32", SmallVec::from_iter([first]));
        let mask = self.number(mask);
        Some(self.apply("and.b64", SmallVec::from_iter([wide, mask])))
    }

    /// The lower half of 64 bits, or the upper one where that was shifted down, if they were put together from two halves.
    fn narrowed(&mut self, term: Term) -> Option<Term> {
        // What was 32 bits before is the same again.
        if let Some(before) = self.of_one(term, WIDENED).or_else(|| self.of_one(term, SIGNED_WIDENED)) {
            return Some(before);
        }
        match self.of_two(term, "shr.u64") {
            Some((whole, by)) if self.as_number(by) == Some(32) => self.half(whole, true),
            _ => self.half(term, false),
        }
    }

    /// A half of 64 bits that were put together from two halves.
    pub(super) fn half(&mut self, whole: Term, upper: bool) -> Option<Term> {
        let is_32 = |term: Term| self.as_number(term) == Some(32);
        let is_narrow = |term: Term| self.width(term) <= 32 || self.of_one(term, WIDENED).is_some();
        let shifted = |term: Term| self.of_two(term, SHIFTED_64).filter(|&(_, by)| is_32(by)).map(|(of, _)| of);
        let (lower_half, upper_half) = match self.operands(whole, "bfi.b64") {
            Some(&[inserted, into, place, bits]) if is_32(place) && is_32(bits) => (into, inserted),
            _ => {
                let (one, other) = self.of_two(whole, "or.b64")?;
                let mut pairs = [(one, other), (other, one)].into_iter();
                pairs.find_map(|(low, high)| shifted(high).filter(|_| is_narrow(low)).map(|high| (low, high)))?
            }
        };
        let half = if upper { upper_half } else { lower_half };
        match self.of_one(half, WIDENED) {
            Some(narrow) => Some(narrow),
            None if self.width(half) <= 32 => Some(half),
            None => Some(self.apply(NARROWED, SmallVec::from_iter([half]))),
        }
    }

    /// A word of which all bits but one are the same, turned to the left: that bit is shifted to its place.
    fn turned(&mut self, word: Term, by: Term, bits: u32) -> Option<Term> {
        let number = self.as_number(word).filter(|&number| number == 1 || number == cut(!1, bits))?;
        let [one, last] = [1, u64::from(bits) - 1].map(|number| self.number(number));
        let place = self.apply("and.b32", SmallVec::from_iter([by, last]));
        let bit = self.apply(&format!("shl.b{bits}"), SmallVec::from_iter([one, place]));
        Some(if number == 1 { bit } else { self.apply(&format!("not.b{bits}"), SmallVec::from_iter([bit])) })
    }

    /// The same of a word that is turned by two shifts, one of them by the negative number, of both of which only the lowest bits count.
    pub(super) fn turned_by_shifts(&mut self, one: Term, other: Term, bits: u32) -> Option<Term> {
        let last = u64::from(bits) - 1;
        let (word, by) = [(one, other), (other, one)].into_iter().find_map(|(left, right)| {
            let (word, left) = self.of_two_in(left, "shl.b", bits)?;
            let (same, right) = self.of_two_in(right, "shr.u", bits)?;
            let (by, negative) = (self.masked(left, 32)?, self.masked(right, 32)?);
            let is_turned = same == word && self.of_one(negative.0, NEGATIVE_32) == Some(by.0);
            (is_turned && (by.1, negative.1) == (last, last)).then_some((word, by.0))
        })?;
        self.turned(word, by, bits)
    }

    /// A bit that a function shifts to its place in a word, if it is one in the word: there is none if no bit is set.
    ///
    /// That is 1 shifted to the place, of which only the lowest bits count, or all bits but one, turned to there by two shifts and a sum.
    pub(super) fn shifted_within(&self, name: u32, of: &[Term]) -> Option<ShiftedWithin> {
        let (&[one, other], text) = (of, self.texts.get(name as usize)?) else { return None };
        if let Some(&(_, bits)) = [(SHIFTED_32, 32), (SHIFTED_64, 64)].iter().find(|&&(name, _)| name == text) {
            let (place, last) = self.masked(other, 32).filter(|_| self.as_number(one) == Some(1))?;
            let word = self.placed(place, bits).filter(|_| last == u64::from(bits) - 1)?;
            return Some(ShiftedWithin { word, place, bits, all_but: false });
        }
        let bits = [("add.b32", 32), ("add.b64", 64)].into_iter().find(|&(name, _)| name == text)?.1;
        let is_all_but_first = |term: Term| self.as_number(term).is_some_and(|number| number == cut(!1, bits));
        [(one, other), (other, one)].into_iter().find_map(|(left, right)| {
            let (turned, place) = self.of_two_in(left, "shl.b", bits)?;
            let (back, by) = self.of_two_in(right, "shr.b", bits).or_else(|| self.of_two_in(right, "shr.u", bits))?;
            let (all, less) = self.of_two(by, "sub.u32").or_else(|| self.of_two(by, "sub.s32"))?;
            let is_turned = is_all_but_first(turned) && back == turned && less == place;
            let is_whole = self.as_number(all) == Some(u64::from(bits));
            let word = self.placed(place, bits).filter(|_| is_turned && is_whole)?;
            Some(ShiftedWithin { word, place, bits, all_but: true })
        })
    }

    /// A number that is shifted to the left: bits are masked out behind that.
    fn shifted(&mut self, term: Term, by: u64, bits: u32) -> Option<Term> {
        let by = u32::try_from(by).ok().filter(|&by| by < bits)?;
        if let Some(number) = self.as_number(term) {
            return Some(self.number(cut(number << by, bits)));
        }
        // What was shifted to the right before has lost its last bits.
        if let Some((whole, back)) = self.of_two_in(term, "shr.u", bits)
            && let Some(back) = self.as_number(back).filter(|&back| back <= u64::from(by))
        {
            let place = self.number(u64::from(by) - back);
            let moved = match u64::from(by) - back {
                0 => whole,
                _ => self.apply(&format!("shl.b{bits}"), SmallVec::from_iter([whole, place])),
            };
            let mask = self.number(cut(u64::MAX << by, bits));
            return Some(self.apply(&format!("and.b{bits}"), SmallVec::from_iter([moved, mask])));
        }
        // The lower half of a number is all of it with the upper bits masked out.
        let lower_half = self.of_one(term, WIDENED).and_then(|half| self.of_one(half, NARROWED));
        let (first, mask) = match lower_half.filter(|_| bits == 64) {
            Some(whole) => (whole, u64::from(u32::MAX)),
            None => self.masked(term, bits)?,
        };
        let place = self.number(u64::from(by));
        let moved = self.apply(&format!("shl.b{bits}"), SmallVec::from_iter([first, place]));
        let mask = self.number(cut(mask << by, bits));
        Some(self.apply(&format!("and.b{bits}"), SmallVec::from_iter([moved, mask])))
    }

    /// Returns what else is equal if two terms are: all but some bits of a number, if those are 0; and what shifted numbers are without the bits that are lost.
    pub(super) fn equal_bits(&mut self, one: Term, other: Term) -> Vec<(Term, Term)> {
        let mut equal = Vec::new();
        for (term, is) in [(one, other), (other, one)] {
            for bits in [32, 64] {
                if let Some((whole, mask)) = self.masked(term, bits).filter(|_| self.as_number(is) == Some(0)) {
                    let rest = self.number(cut(!mask, bits));
                    let rest = self.apply(&format!("and.b{bits}"), SmallVec::from_iter([whole, rest]));
                    equal.push((rest, whole));
                }
                if let Some((whole, mask)) = self.masked(term, bits)
                    && mask != 0
                    && mask == cut(u64::MAX << mask.trailing_zeros(), bits)
                {
                    let by = self.number(u64::from(mask.trailing_zeros()));
                    let upper = |terms: &mut Terms, term: Term| {
                        terms.apply(&format!("shr.u{bits}"), SmallVec::from_iter([term, by]))
                    };
                    equal.push((upper(self, whole), upper(self, is)));
                }
                if let Some((_, by)) = self.of_two_in(term, "shr.u", bits)
                    && self.as_number(by).is_some_and(|by| by < u64::from(bits))
                {
                    let back = |terms: &mut Terms, term: Term| {
                        terms.apply(&format!("shl.b{bits}"), SmallVec::from_iter([term, by]))
                    };
                    equal.push((back(self, term), back(self, is)));
                }
            }
        }
        equal
    }

    /// One bit of a number that is not what it was compared with, and what it is then.
    pub(super) fn other_bit(&mut self, one: Term, other: Term) -> Option<(Term, Term)> {
        let (bit, was) = if self.as_number(one).is_some() { (other, one) } else { (one, other) };
        let (_, mask) = [32, 64].into_iter().find_map(|bits| self.masked(bit, bits))?;
        let was = self.as_number(was).filter(|was| mask.is_power_of_two() && [0, mask].contains(was))?;
        Some((bit, self.number(mask - was)))
    }

    fn masked(&self, term: Term, bits: u32) -> Option<(Term, u64)> {
        let (one, other) = self.of_two_in(term, "and.b", bits)?;
        match (self.as_number(one), self.as_number(other)) {
            (None, Some(number)) => Some((one, number)),
            (Some(number), None) => Some((other, number)),
            _ => None,
        }
    }

    /// The operands of a function of two, if a term is one of that name.
    pub(super) fn of_two(&self, term: Term, name: &str) -> Option<(Term, Term)> {
        match *self.operands(term, name)? {
            [one, other] => Some((one, other)),
            _ => None,
        }
    }

    /// The operands of a function of two numbers of so many bits: its name ends with that number, and `stem` is what stands before.
    pub(super) fn of_two_in(&self, term: Term, stem: &str, bits: u32) -> Option<(Term, Term)> {
        match *self.operands_in(term, stem, bits)? {
            [one, other] => Some((one, other)),
            _ => None,
        }
    }

    /// The operand of a function of one.
    pub(super) fn of_one(&self, term: Term, name: &str) -> Option<Term> {
        match *self.operands(term, name)? {
            [only] => Some(only),
            _ => None,
        }
    }

    /// The operand of a function of one number of so many bits, as in [`Terms::of_two_in`].
    pub(super) fn of_one_in(&self, term: Term, stem: &str, bits: u32) -> Option<Term> {
        match *self.operands_in(term, stem, bits)? {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Names are compared without putting one together: this is asked of most terms, and holds for few.
    fn operands_in(&self, term: Term, stem: &str, bits: u32) -> Option<&[Term]> {
        let Node::Apply(number, of) = self.node(term) else { return None };
        let name = self.texts.get(*number as usize)?;
        let is_named = name.strip_prefix(stem).is_some_and(|width| width.parse() == Ok(bits));
        is_named.then_some(of)
    }

    fn operands(&self, term: Term, name: &str) -> Option<&[Term]> {
        match self.node(term) {
            Node::Apply(number, of) if self.texts.get(*number as usize).is_some_and(|text| text == name) => Some(of),
            _ => None,
        }
    }

    /// Returns whether a predicate says of a bit of a word whether it is set, and the bit is the lowest one that is clear, counted from a place in the word and round its end: then that
    /// bit is clear, unless all are set. Returns the word.
    pub(super) fn tests_clear_bit(&self, one: Term, other: Term, bits: u32) -> Option<Term> {
        let tested = [(one, other), (other, one)].into_iter().find(|&(zero, _)| self.as_number(zero) == Some(0))?.1;
        let (first, second) = self.of_two_in(tested, "and.b", bits)?;
        [(first, second), (second, first)].into_iter().find_map(|(whole, mask)| {
            let (bit, place) = self.of_two_in(mask, "shl.b", bits)?;
            let (sum, all) = self.of_two(place, "and.b32")?;
            let is_place = self.as_number(bit) == Some(1) && self.as_number(all) == Some(u64::from(bits) - 1);
            let (left, right) = self.of_two(sum, "add.b32")?;
            let is_found = |(found, from): (Term, Term)| {
                let rotated = self.of_one_in(self.of_one_in(found, "bfind.shiftamt.u", bits)?, "brev.b", bits)?;
                let &[low, high, by] = self.operands_in(rotated, "shf.r.wrap.b", bits)? else { return None };
                let is_by = by == from
                    || self
                        .of_two(by, "and.b32")
                        .is_some_and(|(one, other)| one == from && self.as_number(other) == Some(31));
                Some(low == high && is_by && self.of_one_in(low, "not.b", bits)? == whole)
            };
            let found = [(left, right), (right, left)].into_iter().any(|pair| is_found(pair) == Some(true));
            (is_place && found && bits == 32).then_some(whole)
        })
    }

    /// Returns true if a mask is all ones but where the first bit of a number is that is set.
    pub(super) fn is_all_but_first_bit(&self, mask: Term, whole: Term, bits: u32) -> bool {
        let bit = self.of_one_in(mask, "not.b", bits);
        let shifted = bit.and_then(|bit| self.of_two_in(bit, "shr.u", bits));
        shifted.is_some_and(|(first, place)| {
            self.as_number(first).is_some_and(|first| cut(first, bits) == 1 << (bits - 1))
                && self.of_one_in(place, "clz.b", bits) == Some(whole)
        })
    }

    /// Returns true if one term is never less than another one, by the form of the two.
    pub(super) fn is_at_least(&self, is_signed: bool, bits: u32, one: Term, other: Term) -> bool {
        let (greatest, least) = if is_signed { ("max.s", "min.s") } else { ("max.u", "min.u") };
        let is_one_of = |pair: Option<(Term, Term)>, term: Term| pair.is_some_and(|(a, b)| a == term || b == term);
        is_one_of(self.of_two_in(one, greatest, bits), other)
            || is_one_of(self.of_two_in(other, least, bits), one)
            || (!is_signed && is_one_of(self.of_two_in(other, "and.b", bits), one))
            || (!is_signed && is_one_of(self.of_two_in(one, "or.b", bits), other))
    }

    /// Returns true if a term is another one of which the upper bits count on, and the lower ones are cleared: a tag that is one more.
    pub(super) fn is_above(&self, next: Term, term: Term) -> bool {
        let counts = |bits: u32| {
            let (counted, mask) = self.masked(next, bits)?;
            let &Node::Plus(base, more, width) = self.node(counted) else { return None };
            // What is added has no lower bits, so that the upper ones are the same sum, with or without them.
            let is_upper = mask != 0 && mask == cut(u64::MAX << mask.trailing_zeros(), bits);
            Some(base == term && width == bits && is_upper && more & !mask == 0 && more != 0)
        };
        [32, 64].into_iter().any(|bits| counts(bits) == Some(true))
    }

    /// Returns true if a number is none that a narrow term, with what is added to it, can be.
    pub(super) fn is_outside(&self, number: Term, term: Term) -> bool {
        let (Some(number), &Node::Plus(base, more, bits)) = (self.as_number(number), self.node(term)) else {
            return false;
        };
        let width = self.width(base);
        if width >= bits.min(63) {
            return false;
        }
        let most = u128::from(more) + (1 << width) - 1;
        most < 1 << bits && (number < more || u128::from(number) > most)
    }
}

/// The number of the part that a function takes, and how many parts there are, by the function's name.
fn part_of(name: &str) -> Option<(usize, usize)> {
    let (number, parts) = name.strip_prefix(PART)?.split_once(" of ")?;
    Some((number.parse().ok()?, parts.parse().ok()?))
}

/// Returns what comes of a comparison of a floating-point number, which may be none, with itself. Such comparisons are functions like any other.
fn compared_with_itself(kind: &str) -> Option<bool> {
    let (relation, ty) = kind.split_once('.')?;
    let holds = match relation {
        "lt" | "gt" => false,
        "leu" | "geu" | "equ" => true,
        _ => return None,
    };
    ty.contains('f').then_some(holds)
}
