//! The known properties of some functions of terms: masks, the lowest bit of a number, minimum and maximum.

use ptx_parser::{Mnemonic, Modifier, OpcodeData, Type};

use super::function::{Function, Operation};
use super::terms::{Node, Term, Terms, cut, signed};

/// A bit at a place in a word, or all bits but that.
pub(super) struct ShiftedWithin {
    pub(super) word: Term,
    pub(super) place: Term,
    pub(super) bits: u32,
    pub(super) all_but: bool,
}

impl Terms {
    /// A simpler term for a function, if there is one.
    pub(super) fn simplified(&mut self, function: Function, of: &[Term]) -> Option<Term> {
        match (function, of) {
            (Function::Pack, parts) => self.put_together(parts),
            (Function::Operation(Operation::SHF_LEFT, 32), &[low, high, by]) if low == high => self.turned(low, by, 32),
            (_, &[one]) => self.simplified_of_one(function, one),
            (_, &[one, other]) => self.simplified_of_two(function, one, other),
            _ => None,
        }
    }

    /// The same for a function of one term.
    fn simplified_of_one(&mut self, function: Function, one: Term) -> Option<Term> {
        match function {
            Function::Part { number, parts } => self.taken_apart(one, number, parts),
            // A number that has no more bits than are read stays what it is.
            Function::Convert { to, from } if leaves_as_is(to, from) && self.width(one) <= from.bits() => Some(one),
            Function::WIDEN_SIGNED if self.width(one) <= 31 => Some(one),
            Function::WIDEN => self.widened(one),
            Function::NARROW => self.narrowed(one),
            Function::WIDEN_SIGNED => self.as_number(one).map(|number| self.number(signed(number, 32).cast_unsigned())),
            Function::Operation(Operation::NOT, bits @ (32 | 64)) => self.simplified_bits(Operation::NOT, bits, &[one]),
            _ => None,
        }
    }

    /// The same for a function of two.
    fn simplified_of_two(&mut self, function: Function, one: Term, other: Term) -> Option<Term> {
        let Function::Operation(operation, bits) = function else {
            let holds = compared_with_itself(self.opcode(function).filter(|_| one == other)?)?;
            return Some(self.truth(holds));
        };
        match (operation, bits, self.as_number(other)) {
            (Operation::MUL_WIDE, 32, Some(factor)) => {
                let whole = self.apply(Function::WIDEN, [one]);
                let factor = self.number(cut(factor, 32));
                Some(self.apply(Operation::MUL_LO_SIGNED.on(64), [whole, factor]))
            }
            (Operation::MUL_WIDE_SIGNED, 32, Some(factor)) => {
                let whole = self.apply(Function::WIDEN_SIGNED, [one]);
                let factor = self.number(signed(factor, 32).cast_unsigned());
                Some(self.apply(Operation::MUL_LO_SIGNED.on(64), [whole, factor]))
            }
            (Operation::MUL_LO | Operation::MUL_LO_SIGNED, 64, Some(factor)) => {
                if let Some(number) = self.as_number(one) {
                    return Some(self.number(number.wrapping_mul(factor)));
                }
                if factor.is_power_of_two() {
                    let by = self.number(u64::from(factor.trailing_zeros()));
                    return Some(self.apply(Operation::SHL.on(64), [one, by]));
                }
                (operation == Operation::MUL_LO).then(|| self.apply(Operation::MUL_LO_SIGNED.on(64), [one, other]))
            }
            (Operation::MUL_LO | Operation::MUL_LO_SIGNED, 32, Some(factor)) if factor.is_power_of_two() => {
                let by = self.number(u64::from(factor.trailing_zeros()));
                Some(self.apply(Operation::SHL.on(32), [one, by]))
            }
            (Operation::SHR, 32 | 64, Some(by)) => self
                .as_number(one)
                .filter(|&number| by < 32 && (bits == 64 || number <= u64::from(u32::MAX)))
                .map(|number| self.number(number >> by)),
            (Operation::SHL, 32 | 64, Some(by)) => self.shifted(one, by, bits),
            (Operation::SUM, ..) => {
                let is_simple = |term: Term| !matches!(self.node(term), Node::Plus(..) | Node::Number(_));
                (one > other || !is_simple(one) || !is_simple(other)).then(|| self.sum(one, other, bits))
            }
            (Operation::AND | Operation::OR | Operation::XOR, ..) => {
                if one > other && self.as_number(one).or(self.as_number(other)).is_none() {
                    return Some(self.apply(function, [other, one]));
                }
                match operation {
                    Operation::AND => self.masked_out(one, other, bits),
                    _ => self.simplified_bits(operation, bits, &[one, other]),
                }
            }
            _ => None,
        }
    }

    /// The same for the bits that two numbers have in common, one of which may be a mask.
    fn masked_out(&mut self, one: Term, other: Term, bits: u32) -> Option<Term> {
        let (whole, mask) = if self.as_number(one).is_some() { (other, one) } else { (one, other) };
        match (self.as_number(whole), self.as_number(mask)) {
            (Some(whole), Some(mask)) => return Some(self.number(cut(whole & mask, bits))),
            (_, Some(0)) => return Some(mask),
            (None, Some(number)) => {
                if cut(number, bits) != number {
                    let mask = self.number(cut(number, bits));
                    return Some(self.apply(Operation::AND.on(bits), [whole, mask]));
                }
                if let Some((first, before)) = self.masked(whole, bits) {
                    let both = self.number(before & number);
                    return Some(self.apply(Operation::AND.on(bits), [first, both]));
                }
                if bits == 32
                    && let Some(wide) = self.of_one(whole, Function::NARROW)
                {
                    return Some(self.apply(Operation::AND.on(64), [wide, mask]));
                }
                if let Some(rest) = self.without_above(whole, number, bits) {
                    return Some(self.apply(Operation::AND.on(bits), [rest, mask]));
                }
                // A shift before the conversion or behind it: what differs is masked out.
                if bits == 64
                    && number <= u64::from(u32::MAX)
                    && let Some(narrow) = self.of_one(whole, Function::WIDEN)
                    && let Some((first, by)) = self.of_two(narrow, Operation::SHL.on(32))
                    && self.as_number(by).is_some_and(|by| by < 32)
                {
                    let wide = self.apply(Function::WIDEN, [first]);
                    let moved = self.apply(Operation::SHL.on(64), [wide, by]);
                    return Some(self.apply(Operation::AND.on(64), [moved, mask]));
                }
                if number == 1
                    && let Some((shifted, place)) = self.of_two(whole, Operation::SHR.on(bits))
                    && let Some(found) = self.placed(place, bits)
                    && self.have_no_bit(&[shifted, found], bits)
                {
                    return Some(self.number(0));
                }
            }
            _ => {}
        }
        self.simplified_bits(Operation::AND, bits, &[one, other])
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
        let (one, other) =
            self.of_two(term, Operation::SUM.on(bits)).or_else(|| self.of_two(term, Operation::OR.on(bits)))?;
        let is_shifted_above = |part: Term| {
            let by = self.of_two(part, Operation::SHL.on(bits)).and_then(|(_, by)| self.as_number(by));
            by.is_some_and(|by| u32::try_from(by).is_ok_and(is_above))
        };
        [(one, other), (other, one)].into_iter().find(|&(part, _)| is_shifted_above(part)).map(|(_, rest)| rest)
    }

    /// The number of which these are all the parts, in order.
    fn put_together(&self, parts: &[Term]) -> Option<Term> {
        let mut wholes = parts.iter().enumerate().map(|(at, &part)| {
            let (function, of) = self.function(part)?;
            let is_part = function == Function::Part { number: at, parts: parts.len() };
            of.first().copied().filter(|_| is_part)
        });
        let first = wholes.next()??;
        wholes.all(|whole| whole == Some(first)).then_some(first)
    }

    /// A part of a number that was put together.
    fn taken_apart(&mut self, whole: Term, number: usize, parts: usize) -> Option<Term> {
        match self.operands(whole, Function::Pack) {
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
        let wide = self.apply(Function::WIDEN, [first]);
        let mask = self.number(mask);
        Some(self.apply(Operation::AND.on(64), [wide, mask]))
    }

    /// The lower half of 64 bits, or the upper one where that was shifted down, if they were put together from two halves.
    fn narrowed(&mut self, term: Term) -> Option<Term> {
        // What was 32 bits before is the same again.
        if let Some(before) = self.of_one(term, Function::WIDEN).or_else(|| self.of_one(term, Function::WIDEN_SIGNED)) {
            return Some(before);
        }
        match self.of_two(term, Operation::SHR.on(64)) {
            Some((whole, by)) if self.as_number(by) == Some(32) => self.half(whole, true),
            _ => self.half(term, false),
        }
    }

    /// A half of 64 bits that were put together from two halves.
    pub(super) fn half(&mut self, whole: Term, upper: bool) -> Option<Term> {
        let is_32 = |term: Term| self.as_number(term) == Some(32);
        let is_narrow = |term: Term| self.width(term) <= 32 || self.of_one(term, Function::WIDEN).is_some();
        let shifted =
            |term: Term| self.of_two(term, Operation::SHL.on(64)).filter(|&(_, by)| is_32(by)).map(|(of, _)| of);
        let (lower_half, upper_half) = match self.operands(whole, Operation::BFI.on(64)) {
            Some(&[inserted, into, place, bits]) if is_32(place) && is_32(bits) => (into, inserted),
            _ => {
                let (one, other) = self.of_two(whole, Operation::OR.on(64))?;
                let mut pairs = [(one, other), (other, one)].into_iter();
                pairs.find_map(|(low, high)| shifted(high).filter(|_| is_narrow(low)).map(|high| (low, high)))?
            }
        };
        let half = if upper { upper_half } else { lower_half };
        match self.of_one(half, Function::WIDEN) {
            Some(narrow) => Some(narrow),
            None if self.width(half) <= 32 => Some(half),
            None => Some(self.apply(Function::NARROW, [half])),
        }
    }

    /// A word of which all bits but one are the same, turned to the left: that bit is shifted to its place.
    fn turned(&mut self, word: Term, by: Term, bits: u32) -> Option<Term> {
        let number = self.as_number(word).filter(|&number| number == 1 || number == cut(!1, bits))?;
        let [one, last] = [1, u64::from(bits) - 1].map(|number| self.number(number));
        let place = self.apply(Operation::AND.on(32), [by, last]);
        let bit = self.apply(Operation::SHL.on(bits), [one, place]);
        Some(if number == 1 { bit } else { self.apply(Operation::NOT.on(bits), [bit]) })
    }

    /// The same of a word that is turned by two shifts, one of them by the negative number, of both of which only the lowest bits count.
    pub(super) fn turned_by_shifts(&mut self, one: Term, other: Term, bits: u32) -> Option<Term> {
        let last = u64::from(bits) - 1;
        let (word, by) = [(one, other), (other, one)].into_iter().find_map(|(left, right)| {
            let (word, left) = self.of_two(left, Operation::SHL.on(bits))?;
            let (same, right) = self.of_two(right, Operation::SHR.on(bits))?;
            let (by, negative) = (self.masked(left, 32)?, self.masked(right, 32)?);
            let is_turned = same == word && self.of_one(negative.0, Operation::NEG.on(32)) == Some(by.0);
            (is_turned && (by.1, negative.1) == (last, last)).then_some((word, by.0))
        })?;
        self.turned(word, by, bits)
    }

    /// A bit that a function shifts to its place in a word, if it is one in the word: there is none if no bit is set.
    ///
    /// That is 1 shifted to the place, of which only the lowest bits count, or all bits but one, turned to there by two shifts and a sum.
    pub(super) fn shifted_within(&self, function: Function, of: &[Term]) -> Option<ShiftedWithin> {
        let (Function::Operation(operation, bits @ (32 | 64)), &[one, other]) = (function, of) else { return None };
        if operation == Operation::SHL {
            let (place, last) = self.masked(other, 32).filter(|_| self.as_number(one) == Some(1))?;
            let word = self.placed(place, bits).filter(|_| last == u64::from(bits) - 1)?;
            return Some(ShiftedWithin { word, place, bits, all_but: false });
        }
        if operation != Operation::SUM {
            return None;
        }
        let is_all_but_first = |term: Term| self.as_number(term).is_some_and(|number| number == cut(!1, bits));
        [(one, other), (other, one)].into_iter().find_map(|(left, right)| {
            let (turned, place) = self.of_two(left, Operation::SHL.on(bits))?;
            let (back, by) = self
                .of_two(right, Operation::SHR_BITS.on(bits))
                .or_else(|| self.of_two(right, Operation::SHR.on(bits)))?;
            let (all, less) =
                self.of_two(by, Operation::SUB.on(32)).or_else(|| self.of_two(by, Operation::SUB_SIGNED.on(32)))?;
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
        if let Some((whole, back)) = self.of_two(term, Operation::SHR.on(bits))
            && let Some(back) = self.as_number(back).filter(|&back| back <= u64::from(by))
        {
            let place = self.number(u64::from(by) - back);
            let moved = match u64::from(by) - back {
                0 => whole,
                _ => self.apply(Operation::SHL.on(bits), [whole, place]),
            };
            let mask = self.number(cut(u64::MAX << by, bits));
            return Some(self.apply(Operation::AND.on(bits), [moved, mask]));
        }
        // The lower half of a number is all of it with the upper bits masked out.
        let lower_half = self.of_one(term, Function::WIDEN).and_then(|half| self.of_one(half, Function::NARROW));
        let (first, mask) = match lower_half.filter(|_| bits == 64) {
            Some(whole) => (whole, u64::from(u32::MAX)),
            None => self.masked(term, bits)?,
        };
        let place = self.number(u64::from(by));
        let moved = self.apply(Operation::SHL.on(bits), [first, place]);
        let mask = self.number(cut(mask << by, bits));
        Some(self.apply(Operation::AND.on(bits), [moved, mask]))
    }

    /// Returns what else is equal if two terms are: all but some bits of a number, if those are 0; and what shifted numbers are without the bits that are lost.
    pub(super) fn equal_bits(&mut self, one: Term, other: Term) -> Vec<(Term, Term)> {
        let mut equal = Vec::new();
        for (term, is) in [(one, other), (other, one)] {
            for bits in [32, 64] {
                if let Some((whole, mask)) = self.masked(term, bits).filter(|_| self.as_number(is) == Some(0)) {
                    let rest = self.number(cut(!mask, bits));
                    let rest = self.apply(Operation::AND.on(bits), [whole, rest]);
                    equal.push((rest, whole));
                }
                if let Some((whole, mask)) = self.masked(term, bits)
                    && mask != 0
                    && mask == cut(u64::MAX << mask.trailing_zeros(), bits)
                {
                    let by = self.number(u64::from(mask.trailing_zeros()));
                    let upper = |terms: &mut Terms, term: Term| terms.apply(Operation::SHR.on(bits), [term, by]);
                    equal.push((upper(self, whole), upper(self, is)));
                }
                if let Some((_, by)) = self.of_two(term, Operation::SHR.on(bits))
                    && self.as_number(by).is_some_and(|by| by < u64::from(bits))
                {
                    let back = |terms: &mut Terms, term: Term| terms.apply(Operation::SHL.on(bits), [term, by]);
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
        let (one, other) = self.of_two(term, Operation::AND.on(bits))?;
        match (self.as_number(one), self.as_number(other)) {
            (None, Some(number)) => Some((one, number)),
            (Some(number), None) => Some((other, number)),
            _ => None,
        }
    }

    /// The operands of a function of two, if a term is that.
    pub(super) fn of_two(&self, term: Term, function: Function) -> Option<(Term, Term)> {
        match *self.operands(term, function)? {
            [one, other] => Some((one, other)),
            _ => None,
        }
    }

    /// The operand of a function of one.
    pub(super) fn of_one(&self, term: Term, function: Function) -> Option<Term> {
        match *self.operands(term, function)? {
            [only] => Some(only),
            _ => None,
        }
    }

    fn operands(&self, term: Term, function: Function) -> Option<&[Term]> {
        self.function(term).filter(|&(other, _)| other == function).map(|(_, of)| of)
    }

    /// Returns whether a predicate says of a bit of a word whether it is set, and the bit is the lowest one that is clear, counted from a place in the word and round its end: then that
    /// bit is clear, unless all are set. Returns the word.
    pub(super) fn tests_clear_bit(&self, one: Term, other: Term, bits: u32) -> Option<Term> {
        let tested = [(one, other), (other, one)].into_iter().find(|&(zero, _)| self.as_number(zero) == Some(0))?.1;
        let (first, second) = self.of_two(tested, Operation::AND.on(bits))?;
        [(first, second), (second, first)].into_iter().find_map(|(whole, mask)| {
            let (bit, place) = self.of_two(mask, Operation::SHL.on(bits))?;
            let (sum, all) = self.of_two(place, Operation::AND.on(32))?;
            let is_place = self.as_number(bit) == Some(1) && self.as_number(all) == Some(u64::from(bits) - 1);
            let (left, right) = self.of_two(sum, Operation::SUM.on(32))?;
            let is_found = |(found, from): (Term, Term)| {
                let rotated =
                    self.of_one(self.of_one(found, Operation::BFIND_SHIFT.on(bits))?, Operation::BREV.on(bits))?;
                let &[low, high, by] = self.operands(rotated, Operation::SHF_RIGHT.on(bits))? else { return None };
                let is_by = by == from
                    || self
                        .of_two(by, Operation::AND.on(32))
                        .is_some_and(|(one, other)| one == from && self.as_number(other) == Some(31));
                Some(low == high && is_by && self.of_one(low, Operation::NOT.on(bits))? == whole)
            };
            let found = [(left, right), (right, left)].into_iter().any(|pair| is_found(pair) == Some(true));
            (is_place && found && bits == 32).then_some(whole)
        })
    }

    /// Returns true if a mask is all ones but where the first bit of a number is that is set.
    pub(super) fn is_all_but_first_bit(&self, mask: Term, whole: Term, bits: u32) -> bool {
        let bit = self.of_one(mask, Operation::NOT.on(bits));
        let shifted = bit.and_then(|bit| self.of_two(bit, Operation::SHR.on(bits)));
        shifted.is_some_and(|(first, place)| {
            self.as_number(first).is_some_and(|first| cut(first, bits) == 1 << (bits - 1))
                && self.of_one(place, Operation::CLZ.on(bits)) == Some(whole)
        })
    }

    /// Returns true if one term is never less than another one, by the form of the two.
    pub(super) fn is_at_least(&self, is_signed: bool, bits: u32, one: Term, other: Term) -> bool {
        let (greatest, least) = match is_signed {
            true => (Operation::MAX_SIGNED, Operation::MIN_SIGNED),
            false => (Operation::MAX, Operation::MIN),
        };
        let is_one_of = |pair: Option<(Term, Term)>, term: Term| pair.is_some_and(|(a, b)| a == term || b == term);
        is_one_of(self.of_two(one, greatest.on(bits)), other)
            || is_one_of(self.of_two(other, least.on(bits)), one)
            || (!is_signed && is_one_of(self.of_two(other, Operation::AND.on(bits)), one))
            || (!is_signed && is_one_of(self.of_two(one, Operation::OR.on(bits)), other))
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

/// Returns true if a conversion leaves a number as it is which has no more bits than it reads.
fn leaves_as_is(to: Type, from: Type) -> bool {
    let is_unsigned = |ty: Type| ty == Type::unsigned(ty.bits());
    is_unsigned(to) && is_unsigned(from) && from.bits() < to.bits()
}

/// Returns what comes of a comparison of a floating-point number, which may be none, with itself. Such comparisons are functions like any other.
fn compared_with_itself(opcode: &OpcodeData) -> Option<bool> {
    let is_float = opcode.types().iter().any(|ty| ty.is_float());
    match opcode.modifiers().first().filter(|_| opcode.mnemonic() == Mnemonic::Setp && is_float)? {
        Modifier::Lt | Modifier::Gt => Some(false),
        Modifier::Leu | Modifier::Geu | Modifier::Equ => Some(true),
        _ => None,
    }
}
