//! The numbers that counters are held against: whether a lane that goes round comes nearer to them, and how soon.
//!
//! ```text
//! while (i < limit) { i++; if (!flag) limit++; }              as far from its end as before
//! ```
//!
//! A counter that goes up while its end does so as well ends when the numbers do, which is no better than waiting. So it is with an end that the kernel itself may set to a very great number
//! (`sampled_values`).

use analysis::Value;

use super::function::Function;
use super::sampled_values::MayBe;
use super::size_limits::MANY;
use super::symbolic_execution::{Execution, State};
use super::symbolic_memory::{Spot, Written};
use super::term_order::Direction;
use super::terms::{Node, Term, Terms, signed};

/// One iteration of a lane that stays: where it begins and where it ends.
pub(super) struct Round<'a> {
    pub(super) before: &'a State,
    pub(super) after: &'a State,
}

impl Round<'_> {
    /// Returns true if steps of this size take very many rounds: because the counter is below 0, where a lock has its sign, and goes up; or because its end is a great constant, may be one, or moves on with it.
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
            // The lower half of a counter is counted as well.
            let is_half = (width, bits) == (32, 64);
            let half = execution.terms.of_one(counter, Function::NARROW).filter(|_| is_half);
            let counter = if width == bits { Some(counter) } else { half };
            if counter.is_some_and(|counter| [from, to].contains(&counter)) {
                ends.push((end, is_signed));
            }
        }
        if is_counted && !direction.up && self.may_begin_far(execution, bits, base) {
            return true;
        }
        if ends.is_empty() {
            return false;
        }
        let registers = self.registers(execution);
        let along = along(&execution.terms, &registers, base);
        let Moved { moved, mut stays } = self.moved(execution, registers);
        // What an end may be that is no number is only told of a counter: a word that a search compares may be any.
        let may_be = |execution: &mut Execution<'_>, end: Term| {
            if is_counted { self.numbers(execution, end) } else { MayBe::default() }
        };
        let may_be: Vec<MayBe> = ends.iter().map(|&(end, _)| may_be(execution, end)).collect();
        let terms = &execution.terms;
        // What a register was is no number that stays, but one of which it is known how it moves.
        stays.extend(moved.iter().map(|&(was, _)| was));
        // The counter is taken to begin at 0.
        let is_out_of_reach = |((end, is_signed), may_be): ((Term, bool), MayBe)| {
            let goes_along = is_counted && [base].iter().chain(&along).any(|&part| terms.contains(end, part));
            let is_far = |end: Term| terms.as_number(end).is_some_and(|end| is_far(end, is_signed, bits, direction.up));
            let leads_away = |was: Term, is: Term| leads_away(terms, (was, is), &moved, &stays, direction.up);
            let moves_away = |&(was, is): &(Term, Option<Term>)| {
                terms.contains(end, was) && is.is_none_or(|is| is_far(is) || leads_away(was, is))
            };
            let is_unknown = may_be.is_unknown || is_counted && !terms.is_made_of_these(end, &stays);
            let is_number_far = |number: i64| self::is_far(number.cast_unsigned(), is_signed, bits, direction.up);
            let may_be_far = may_be.numbers.into_iter().any(is_number_far);
            goes_along || is_unknown || may_be_far || moved.iter().any(moves_away) || is_far(end)
        };
        ends.into_iter().zip(may_be).all(is_out_of_reach)
    }

    /// Returns true if a register that is counted down, by what it was when the round began, may begin at a number that is far away, or that is made in a way that is not evaluated.
    fn may_begin_far(&self, execution: &mut Execution<'_>, bits: u32, counter: Term) -> bool {
        let facts = execution.facts;
        facts.values.phis(execution.region.header).iter().any(|&phi| {
            let was = execution.value(&mut self.before.clone(), phi);
            let inputs = facts.values.phi_inputs(phi).iter();
            let mut begins = inputs.filter(|(from, _)| !execution.region.contains(*from));
            self.after.known.canonical(&mut execution.terms, was) == counter
                && begins.any(|&(_, begin)| {
                    let MayBe { numbers, is_unknown, .. } = execution.samples.of(begin, execution.region.header);
                    is_unknown || numbers.into_iter().any(|number| is_far(number.cast_unsigned(), true, bits, true))
                })
        })
    }

    /// Returns what a term may be which the loop compares something with, by the numbers that the kernel makes it of (`samples`).
    pub(super) fn numbers(&self, execution: &mut Execution<'_>, end: Term) -> MayBe {
        if let Some(number) = execution.terms.as_number(end) {
            return MayBe::from(number.cast_signed());
        }
        let (facts, kernel, known) = (execution.facts, execution.kernel, &self.after.known);
        let insts = execution.region.blocks.iter().flat_map(|&block| facts.cfg.insts(block));
        let compared = insts.filter(|&&inst| kernel.properties(inst).comparison.is_some());
        let compared = compared.flat_map(|&inst| facts.values.uses(inst)).map(|&(_, value)| value);
        let is_end = |execution: &mut Execution<'_>, value: Value| {
            let term = match self.after.values.get(&value) {
                Some(&term) => term,
                None if execution.region.contains(facts.values.block(value)) => return false,
                None => execution.value(&mut self.after.clone(), value),
            };
            known.canonical(&mut execution.terms, term) == end
        };
        let is_phi = |value: Value| facts.values.phis(execution.region.header).contains(&value);
        let (phis, others): (Vec<Value>, Vec<Value>) = compared.partition(|&value| is_phi(value));
        let mut may_be = MayBe::default();
        for value in others {
            if is_end(execution, value) {
                may_be.or(execution.samples.of(value, execution.region.header));
            }
        }
        // A register of the header was compared with what it was when the round began.
        for phi in phis {
            let was = execution.value(&mut self.before.clone(), phi);
            if known.canonical(&mut execution.terms, was) == end {
                may_be.or(execution.samples.of(phi, execution.region.header));
            }
        }
        may_be
    }

    /// Returns what each register of the header holds when the iteration begins, and when it is over.
    fn registers(&self, execution: &mut Execution<'_>) -> Vec<(Term, Term)> {
        let phis = execution.facts.values.phis(execution.region.header).to_vec();
        let both = phis.into_iter().map(|phi| {
            let ends = [self.before, self.after].map(|state| execution.value(&mut state.clone(), phi));
            let [was, is] = ends.map(|term| self.after.known.canonical(&mut execution.terms, term));
            (was, is)
        });
        both.collect()
    }

    /// Returns what the lane itself changes in the iteration, in registers and in memory, where others see it or not, and what it leaves as it was.
    fn moved(&self, execution: &mut Execution<'_>, registers: Vec<(Term, Term)>) -> Moved {
        let mut moved: Vec<(Term, Option<Term>)> = registers.into_iter().map(|(was, is)| (was, Some(is))).collect();
        let mut stays = Vec::new();
        let read = self.after.read.iter().filter_map(|&(spot, found)| Some((spot, found?)));
        let read: Vec<(Spot, Term)> = read.chain(self.after.own_read.iter().copied()).collect();
        let (memory, known) = (&self.after.memory, &self.after.known);
        for (spot, found) in read {
            let mut written = self.after.written.iter();
            let is_written = |written: &Written| !memory.are_apart(&mut execution.terms, known, &spot, &written.spot);
            let is_written = written.any(is_written);
            let now = memory.finds(&mut execution.terms, known, &spot);
            let is_own = spot.place.is_own();
            let terms = &mut execution.terms;
            let was = known.canonical(terms, found);
            if !is_written && !is_own {
                stays.push(was);
                continue;
            }
            let now = now.map(|now| known.canonical(terms, now));
            let is_known = |now: &Term| terms.as_number(*now).is_some() || terms.parts(was).0 == terms.parts(*now).0;
            moved.push((was, now.filter(is_known)));
        }
        stays.extend(moved.iter().filter(|&&(was, is)| is == Some(was)).map(|&(was, _)| was));
        moved.retain(|&(was, is)| is != Some(was));
        Moved { moved, stays }
    }
}

/// Numbers that an iteration begins with.
struct Moved {
    /// Those that it changes: what they were, and what they are now, if that is known.
    moved: Vec<(Term, Option<Term>)>,
    /// Those that it leaves as they were.
    stays: Vec<Term>,
}

/// Returns true if a counter that begins at 0 takes very many steps to a number.
pub(super) fn is_far(end: u64, is_signed: bool, bits: u32, up: bool) -> bool {
    let end = if is_signed { i128::from(signed(end, bits)) } else { i128::from(end) };
    let way = if up { end } else { -end };
    u128::try_from(way).is_ok_and(|way| way >= MANY)
}

/// The registers, by what they were, that an iteration makes from a number and that were not made from it before.
fn along(terms: &Terms, registers: &[(Term, Term)], number: Term) -> Vec<Term> {
    let along = registers.iter().filter(|&&(was, is)| terms.contains(is, number) && !terms.contains(was, number));
    along.map(|&(was, _)| was).collect()
}

/// Returns true if an end may be further away from a counter than it was. It is not if it has come nearer by a constant, or is made of nothing but numbers that stay.
fn leads_away(
    terms: &Terms,
    (was, is): (Term, Term),
    moved: &[(Term, Option<Term>)],
    stays: &[Term],
    up: bool,
) -> bool {
    let ((first, before), (second, behind)) = (terms.parts(was), terms.parts(is));
    if first == second {
        return if up { behind > before } else { behind < before };
    }
    moved.iter().any(|&(moves, _)| terms.contains(is, moves)) || !terms.is_made_of_these(is, stays)
}
