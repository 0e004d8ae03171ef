//! The numbers that counters are held against: whether a lane that goes round comes nearer to them, and how soon.
//!
//! ```text
//! while (i < limit) { i++; if (!flag) limit++; }              as far from its end as before
//! ```
//!
//! A counter that goes up while its end does so as well ends when the numbers do, which is no better than waiting.

use super::bounded::MANY;
use super::execute::{Execution, State};
use super::memory::Spot;
use super::order::Direction;
use super::terms::{Node, Term, Terms, signed};

/// One iteration of a lane that stays: where it begins and where it ends.
pub(super) struct Round<'a> {
    pub(super) before: &'a State,
    pub(super) after: &'a State,
}

impl Round<'_> {
    /// Whether steps of this size take very many rounds: upwards to come to 0 from below, where a lock has its sign, or to an end that is a great constant, or that goes on with the counter.
    pub(super) fn takes_long(
        &self,
        execution: &mut Execution<'_>,
        (bits, direction): (u32, Direction),
        (from, to): (Term, Term),
    ) -> bool {
        let along = self.along(execution, from);
        let [from, to] = [from, to].map(|term| self.after.known.canonical(&mut execution.terms, term));
        let ((base, before), (other, behind)) = (execution.terms.parts(from), execution.terms.parts(to));
        let step = behind.wrapping_sub(before);
        let is_counted = base == other && if direction.up { step > 0 } else { step < 0 };
        let many = |way: u128| is_counted && way / u128::from(step.unsigned_abs()) >= MANY;
        let zero = execution.terms.number(0);
        let negative = execution.terms.less(true, bits, from, zero);
        if direction.up && many(1 << (bits - 1)) && self.after.known.holds(&mut execution.terms, negative) == Some(true)
        {
            return true;
        }
        // It is taken to begin at 0.
        let mut ends = Vec::new();
        for (predicate, holds) in self.after.known.truths().to_vec() {
            let predicate = self.after.known.canonical(&mut execution.terms, predicate);
            let &Node::Less { signed: is_signed, bits: width, one, other } = execution.terms.node(predicate) else {
                continue;
            };
            let (low, high) = if holds { (one, other) } else { (other, one) };
            let (counter, end) = if direction.up { (low, high) } else { (high, low) };
            if width != bits || ![from, to].contains(&counter) {
                continue;
            }
            let number = execution.terms.as_number(end).filter(|_| direction.up);
            let number = number.map(|end| if is_signed { signed(end, bits).max(0).cast_unsigned() } else { end });
            let goes_along = [base].iter().chain(&along).any(|&part| execution.terms.contains(end, part));
            let flees = goes_along && is_counted || self.flees(execution, end, base, direction.up);
            ends.push(flees || number.is_some_and(|end| many(end.into())));
        }
        !ends.is_empty() && ends.into_iter().all(|is_far| is_far)
    }

    /// The registers that an iteration makes from a number, and that were not made from it: what they were before.
    fn along(&self, execution: &mut Execution<'_>, number: Term) -> Vec<Term> {
        let number = self.after.known.canonical(&mut execution.terms, number);
        let (number, _) = execution.terms.parts(number);
        let registers = self.registers(execution).into_iter();
        let along = registers
            .filter(|&(was, is)| execution.terms.contains(is, number) && !execution.terms.contains(was, number));
        along.map(|(was, _)| was).collect()
    }

    /// What the registers of the header were, and what they are behind the iteration.
    fn registers(&self, execution: &mut Execution<'_>) -> Vec<(Term, Term)> {
        let phis = execution.facts.values.phis(execution.region.header).to_vec();
        let both = phis.into_iter().map(|phi| {
            let ends = [self.before, self.after].map(|state| execution.value(&mut state.clone(), phi));
            let [was, is] = ends.map(|term| self.after.known.canonical(&mut execution.terms, term));
            (was, is)
        });
        both.collect()
    }

    /// Whether the lane itself moves an end away from a counter, made of `base`, in this iteration: in a register, or in memory, where others see it or not.
    fn flees(&self, execution: &mut Execution<'_>, end: Term, base: Term, up: bool) -> bool {
        let registers = self.registers(execution).into_iter().map(|(was, is)| (was, Some(is)));
        let mut parts: Vec<(Term, Option<Term>)> = registers.collect();
        let read = self.after.read.iter().filter_map(|&(spot, found)| Some((spot, found?)));
        let read: Vec<(Spot, Term)> = read.chain(self.after.own_read.iter().copied()).collect();
        for (spot, found) in read {
            let found = self.after.known.canonical(&mut execution.terms, found);
            let memory = &self.after.memory;
            let now = memory.finds(&mut execution.terms, &self.after.known, &spot);
            let now = now.map(|now| self.after.known.canonical(&mut execution.terms, now));
            let mut written = self.after.written.iter();
            let is_written =
                written.any(|written| !memory.are_apart(&mut execution.terms, &self.after.known, &spot, &written.spot));
            match now {
                Some(now) if spot.place.is_own() || is_written => {
                    let is_known = execution.terms.as_number(now).is_some() || {
                        let [was, is] = [found, now].map(|term| execution.terms.parts(term).0);
                        was == is
                    };
                    parts.push((found, Some(now).filter(|_| is_known)));
                }
                None if is_written => parts.push((found, None)),
                _ => {}
            }
        }
        parts.into_iter().any(|(was, is)| {
            let terms = &execution.terms;
            let is_moved = is.is_none_or(|is| was != is && leads_away(terms, was, is, base, up));
            is_moved && terms.contains(end, was)
        })
    }
}

/// Whether a number that a counter, made of `base`, is held against may be further from it than it was.
fn leads_away(terms: &Terms, was: Term, is: Term, base: Term, up: bool) -> bool {
    let ((first, before), (second, behind)) = (terms.parts(was), terms.parts(is));
    if first == second {
        return if up { behind > before } else { behind < before };
    }
    terms.contains(is, first) || terms.contains(is, base)
}
