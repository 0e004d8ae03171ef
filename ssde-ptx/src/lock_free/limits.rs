//! The numbers that counters are held against: whether a lane that goes round comes nearer to them, and how soon.
//!
//! ```text
//! while (i < limit) { i++; if (!flag) limit++; }              as far from its end as before
//! ```
//!
//! A counter that goes up while its end does so as well ends when the numbers do, which is no better than waiting.

use super::bounded::MANY;
use super::execute::{Execution, State};
use super::memory::{Spot, Written};
use super::order::Direction;
use super::terms::{Node, Term, Terms, signed};

/// One iteration of a lane that stays: where it begins and where it ends.
pub(super) struct Round<'a> {
    pub(super) before: &'a State,
    pub(super) after: &'a State,
}

impl Round<'_> {
    /// Whether steps of this size take very many rounds: because the counter is below 0, where a lock has its sign, and goes up; or because its end is a great constant, or moves on with it.
    pub(super) fn takes_long(
        &self,
        execution: &mut Execution<'_>,
        (bits, direction): (u32, Direction),
        (from, to): (Term, Term),
    ) -> bool {
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
        let mut ends = Vec::new();
        for (predicate, holds) in self.after.known.truths().to_vec() {
            let predicate = self.after.known.canonical(&mut execution.terms, predicate);
            let &Node::Less { signed: is_signed, bits: width, one, other } = execution.terms.node(predicate) else {
                continue;
            };
            let (low, high) = if holds { (one, other) } else { (other, one) };
            let (counter, end) = if direction.up { (low, high) } else { (high, low) };
            if width == bits && [from, to].contains(&counter) {
                ends.push((end, is_signed));
            }
        }
        if ends.is_empty() {
            return false;
        }
        let registers = self.registers(execution);
        let along = along(&execution.terms, &registers, base);
        let moved = self.moved(execution, registers);
        let terms = &execution.terms;
        // The counter is taken to begin at 0.
        let is_far = |(end, is_signed): (Term, bool)| {
            let number = terms.as_number(end).filter(|_| direction.up);
            let number = number.map(|end| if is_signed { signed(end, bits).max(0).cast_unsigned() } else { end });
            let goes_along = is_counted && [base].iter().chain(&along).any(|&part| terms.contains(end, part));
            let leads_away = |&(was, is): &(Term, Option<Term>)| {
                is.is_none_or(|is| leads_away(terms, was, is, base, direction.up)) && terms.contains(end, was)
            };
            goes_along || moved.iter().any(leads_away) || number.is_some_and(|end| many(end.into()))
        };
        ends.into_iter().all(is_far)
    }

    /// What the registers of the header hold before the iteration, and behind it.
    fn registers(&self, execution: &mut Execution<'_>) -> Vec<(Term, Term)> {
        let phis = execution.facts.values.phis(execution.region.header).to_vec();
        let both = phis.into_iter().map(|phi| {
            let ends = [self.before, self.after].map(|state| execution.value(&mut state.clone(), phi));
            let [was, is] = ends.map(|term| self.after.known.canonical(&mut execution.terms, term));
            (was, is)
        });
        both.collect()
    }

    /// What the lane itself changes in the iteration, in registers and in memory, where others see it or not: what was there, and what is there now, if that is known.
    fn moved(&self, execution: &mut Execution<'_>, registers: Vec<(Term, Term)>) -> Vec<(Term, Option<Term>)> {
        let mut moved: Vec<(Term, Option<Term>)> = registers.into_iter().map(|(was, is)| (was, Some(is))).collect();
        let read = self.after.read.iter().filter_map(|&(spot, found)| Some((spot, found?)));
        let read: Vec<(Spot, Term)> = read.chain(self.after.own_read.iter().copied()).collect();
        let (memory, known) = (&self.after.memory, &self.after.known);
        for (spot, found) in read {
            let mut written = self.after.written.iter();
            let is_written = |written: &Written| !memory.are_apart(&mut execution.terms, known, &spot, &written.spot);
            let is_written = written.any(is_written);
            let now = memory.finds(&mut execution.terms, known, &spot);
            let is_own = spot.place.is_own() && now.is_some();
            if !is_written && !is_own {
                continue;
            }
            let terms = &mut execution.terms;
            let was = known.canonical(terms, found);
            let now = now.map(|now| known.canonical(terms, now));
            let is_known = |now: &Term| terms.as_number(*now).is_some() || terms.parts(was).0 == terms.parts(*now).0;
            moved.push((was, now.filter(is_known)));
        }
        moved.retain(|&(was, is)| is != Some(was));
        moved
    }
}

/// What registers were that an iteration makes from a number, and that were not made from it.
fn along(terms: &Terms, registers: &[(Term, Term)], number: Term) -> Vec<Term> {
    let along = registers.iter().filter(|&&(was, is)| terms.contains(is, number) && !terms.contains(was, number));
    along.map(|&(was, _)| was).collect()
}

/// Whether a number may be further away than it was from a counter that is made of `base`.
fn leads_away(terms: &Terms, was: Term, is: Term, base: Term, up: bool) -> bool {
    let ((first, before), (second, behind)) = (terms.parts(was), terms.parts(is));
    if first == second {
        return if up { behind > before } else { behind < before };
    }
    terms.contains(is, first) || terms.contains(is, base)
}
