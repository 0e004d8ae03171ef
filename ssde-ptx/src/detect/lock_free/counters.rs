//! Counters that bound a loop: registers that each iteration leaves alone or takes one step nearer to a number that stays.
//!
//! Going up by 1 below a number, or down by 1 above one, or by 1 towards one that is tested for equality, ends after 2^64 steps at the latest, wherever it begins. Longer
//! steps end if none of them can pass the end of the numbers; that is only known where the number is a constant.

use analysis::Value;

use super::bounded_loops::ends;
use super::counter_limits::{Round, is_far};
use super::sampled_values::MayBe;
use super::size_limits::MANY;
use super::symbolic_execution::{Execution, Others, State};
use super::symbolic_memory::Spot;
use super::term_order::{DIRECTIONS, Direction};
use super::terms::{Node, Term, Terms, signed};

/// A counter, by its value at the header: a register, or the sum of two of which a round counts one or the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Counter {
    phi: Value,
    and: Option<Value>,
    step: i64,
    bits: u32,
}

/// The most registers of which the sums of two are tried.
const MOST_SUMMED: usize = 8;

/// The end that a step is guarded by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Guard {
    /// The counter is on the right side of some number.
    Ordered,
    /// The counter is not this number.
    NotEqual(Term),
}

impl Counter {
    /// Returns the counters of a loop, by the states in which lanes stay after one iteration from `start`, whatever others do.
    pub(super) fn all(execution: &mut Execution<'_>, start: &State, stays: &[State]) -> Vec<Counter> {
        let phis = execution.facts.values.phis(execution.region.header).to_vec();
        let unchanged: Vec<Term> = phis
            .iter()
            .filter_map(|&phi| {
                let before = execution.value(&mut start.clone(), phi);
                let same = stays.iter().all(|stay| {
                    let after = execution.value(&mut stay.clone(), phi);
                    stay.known.canonical(&mut execution.terms, after)
                        == stay.known.canonical(&mut execution.terms, before)
                });
                same.then_some(before)
            })
            .collect();
        let alone = phis.iter().map(|&phi| (phi, None));
        let bits = |phi: Value| execution.kernel.reg(execution.facts.values.reg(phi)).ty.bits();
        let summed: Vec<Value> = phis.iter().copied().filter(|&phi| bits(phi) == 32).collect();
        let summed = if summed.len() > MOST_SUMMED { &[] } else { summed.as_slice() };
        let pairs = summed
            .iter()
            .enumerate()
            .flat_map(|(number, &phi)| summed.iter().skip(number + 1).map(move |&and| (phi, Some(and))));
        let all: Vec<(Value, Option<Value>)> = alone.chain(pairs).collect();
        let counters = all.into_iter().filter_map(|of| Counter::of(execution, start, stays, of, &unchanged));
        counters.collect()
    }

    /// The number of a counter in a state: that of its register, or the sum of its two.
    fn value(execution: &mut Execution<'_>, state: &State, (phi, and): (Value, Option<Value>)) -> Term {
        let mut state = state.clone();
        let one = execution.value(&mut state, phi);
        match and {
            Some(and) => {
                let other = execution.value(&mut state, and);
                execution.terms.sum(one, other, 32)
            }
            None => one,
        }
    }

    fn of(
        execution: &mut Execution<'_>,
        start: &State,
        stays: &[State],
        (phi, and): (Value, Option<Value>),
        unchanged: &[Term],
    ) -> Option<Counter> {
        let before = Counter::value(execution, start, (phi, and));
        let mut counter: Option<Counter> = None;
        let mut guard: Option<Guard> = None;
        for stay in stays {
            let after = Counter::value(execution, stay, (phi, and));
            if after == before {
                continue;
            }
            let &Node::Plus(base, number, bits) = execution.terms.node(after) else { return None };
            let found = Counter { phi, and, step: signed(number, bits), bits };
            if base != before || counter.is_some_and(|counter| counter != found) {
                return None;
            }
            counter = Some(found);
            let now = found.guard(execution, Round { before: start, after: stay }, (before, after), unchanged)?;
            if guard.is_some_and(|guard| guard != now) {
                return None;
            }
            guard = Some(now);
        }
        counter
    }

    /// Returns what bounds a step from one value to the next in a round.
    fn guard(
        &self,
        execution: &mut Execution<'_>,
        round: Round<'_>,
        (before, after): (Term, Term),
        unchanged: &[Term],
    ) -> Option<Guard> {
        let begins = self.begins(execution);
        let steady = |term: Term, terms: &Terms| terms.is_made_of(term, &|unknown| unchanged.contains(&unknown));
        let is_counter = |term: Term| term == before || term == after;
        let up = self.step > 0;
        for &(predicate, holds) in round.after.known.truths() {
            match *execution.terms.node(predicate) {
                Node::Less { signed, bits, one, other } if bits == self.bits => {
                    // `low < high`, or `low <= high` where the comparison is the other way round.
                    let (low, high) = if holds { (one, other) } else { (other, one) };
                    let (counter, end) = if up { (low, high) } else { (high, low) };
                    if !is_counter(counter) || !steady(end, &execution.terms) || self.and.is_some() && !up {
                        continue;
                    }
                    // What ends after very many rounds is no better than waiting.
                    let MayBe { numbers, is_unknown, .. } = round.numbers(execution, end);
                    if !is_unknown
                        && !numbers.into_iter().any(|end| is_far(end.cast_unsigned(), signed, bits, up))
                        && ends(self.step, self.bits, execution.terms.as_number(end), signed, holds)
                    {
                        return Some(Guard::Ordered);
                    }
                }
                Node::Equal(one, other) if !holds && self.step.abs() == 1 && self.and.is_none() => {
                    for (counter, end) in [(one, other), (other, one)] {
                        // The number is the same for both values: one is next to the other.
                        if is_counter(counter) && steady(end, &execution.terms) {
                            let MayBe { numbers, is_unknown, .. } = round.numbers(execution, end);
                            if !is_unknown && numbers.into_iter().all(|end| self.is_near(begins.as_deref(), end)) {
                                let next = minus(self.step);
                                let next = (counter == after).then(|| execution.terms.plus(end, next, self.bits));
                                return Some(Guard::NotEqual(next.unwrap_or(end)));
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The numbers that a lane comes to the loop with, if all are known.
    fn begins(&self, execution: &Execution<'_>) -> Option<Vec<i64>> {
        let (facts, kernel) = (execution.facts, execution.kernel);
        let inputs = facts.values.phi_inputs(self.phi).iter();
        let mut before = inputs.filter(|(from, _)| !execution.region.contains(*from));
        before.try_fold(Vec::new(), |mut all, &(_, input)| {
            all.push(facts.values.copied_to(kernel, input)?);
            Some(all)
        })
    }

    /// Returns true if a counter that ends at a number comes to it soon, and has not passed it where it begins.
    fn is_near(&self, begins: Option<&[i64]>, end: i64) -> bool {
        let end = i128::from(signed(end.cast_unsigned(), self.bits));
        let is_few = |way: i128| (0..MANY.cast_signed()).contains(&way);
        match begins {
            Some(begins) => begins.iter().all(|&begin| is_few((end - i128::from(begin)) * i128::from(self.step))),
            None => is_few(if self.step > 0 { end } else { end.abs() }),
        }
    }

    /// Returns true if a counter is a step further in one state than in another one.
    pub(super) fn advances(&self, execution: &mut Execution<'_>, before: &State, after: &State) -> bool {
        let [from, to] = [before, after].map(|state| Counter::value(execution, state, (self.phi, self.and)));
        let next = execution.terms.plus(from, self.step.cast_unsigned(), self.bits);
        after.known.canonical(&mut execution.terms, next) == after.known.canonical(&mut execution.terms, to)
    }
}

fn minus(step: i64) -> u64 {
    step.wrapping_neg().cast_unsigned()
}

/// A measure that gets a lane out of a loop in the end, if each iteration takes it further.
#[derive(Clone, Copy, Debug)]
pub(super) enum Measure {
    /// A counter with steps of one size.
    Steps(Counter),
    /// A register that each iteration leaves alone, or makes less (or greater).
    Register(Value, u32, Direction),
    /// A word of memory of which that holds while nobody else writes.
    Word(Spot, Direction),
}

impl Measure {
    /// Returns the measures in registers, by the states in which lanes stay after one iteration from `start`, whatever others do.
    pub(super) fn all(execution: &mut Execution<'_>, start: &State, stays: &[State]) -> Vec<Measure> {
        let mut measures: Vec<Measure> =
            Counter::all(execution, start, stays).into_iter().map(Measure::Steps).collect();
        measures.extend(Measure::registers(execution, &[(start.clone(), stays.to_vec())]));
        measures
    }

    /// The registers that are measures, by some states at the header and those after one iteration from each.
    pub(super) fn registers(execution: &mut Execution<'_>, rounds: &[(State, Vec<State>)]) -> Vec<Measure> {
        let mut measures = Vec::new();
        for phi in execution.facts.values.phis(execution.region.header).to_vec() {
            let bits = execution.kernel.reg(execution.facts.values.reg(phi)).ty.bits();
            for direction in DIRECTIONS {
                let measure = Measure::Register(phi, bits, direction);
                let mut is_kept = |(start, stays): &(State, Vec<State>)| measure.is_kept(execution, start, stays);
                if matches!(bits, 32 | 64) && rounds.iter().all(&mut is_kept) {
                    measures.push(measure);
                }
            }
        }
        measures
    }

    /// Returns a state to begin with that knows what some words of memory hold, and the words that are measures, by what a lane writes that is alone.
    pub(super) fn words(execution: &mut Execution<'_>, start: &State) -> Option<(State, Vec<Measure>)> {
        let (start, spots) = Measure::written_words(execution, start)?;
        if spots.is_empty() {
            return Some((start, Vec::new()));
        }
        let stays = execution.iterate(start.clone(), Others::Idle)?;
        let measures = Measure::of_words(execution, &spots, &[(start.clone(), stays)]);
        Some((start, measures))
    }

    /// Returns a state to begin with that knows what the words hold which a lane writes that is alone, and those words.
    pub(super) fn written_words(execution: &mut Execution<'_>, start: &State) -> Option<(State, Vec<Spot>)> {
        let stays = execution.iterate(start.clone(), Others::Idle)?;
        let mut spots: Vec<Spot> = Vec::new();
        for spot in stays.iter().flat_map(|stay| &stay.written).map(|written| written.spot) {
            let known = spots.iter().any(|other| (other.base, other.offset) == (spot.base, spot.offset));
            if !known && matches!(spot.bytes, 4 | 8) && execution.terms.is_made_of(spot.base, &|_| false) {
                spots.push(spot);
            }
        }
        let mut start = start.clone();
        for &spot in &spots {
            start.memory.load(&mut execution.terms, &start.known, spot);
        }
        Some((start, spots))
    }

    /// The words that are measures, by some states at the header and those after one iteration from each.
    pub(super) fn of_words(
        execution: &mut Execution<'_>,
        spots: &[Spot],
        rounds: &[(State, Vec<State>)],
    ) -> Vec<Measure> {
        let mut measures = Vec::new();
        for &spot in spots {
            let all = DIRECTIONS.into_iter().map(|direction| Measure::Word(spot, direction));
            measures.extend(
                all.filter(|measure| rounds.iter().all(|(start, stays)| measure.is_kept(execution, start, stays))),
            );
        }
        measures
    }

    /// Returns true if each iteration leaves it alone or takes it further.
    fn is_kept(&self, execution: &mut Execution<'_>, start: &State, stays: &[State]) -> bool {
        stays.iter().all(|stay| {
            let (before, after) = self.ends(execution, start, stay);
            let [before, after] = [before, after].map(|term| stay.known.canonical(&mut execution.terms, term));
            let keeps = |(bits, direction): (u32, Direction)| direction.keeps(&execution.terms, bits, before, after);
            before == after || self.kind().is_some_and(keeps) || self.advances(execution, start, stay)
        })
    }

    /// The bits of its number and the direction in which that goes, if its steps are not of one size.
    fn kind(&self) -> Option<(u32, Direction)> {
        match *self {
            Measure::Steps(_) => None,
            Measure::Register(_, bits, direction) => Some((bits, direction)),
            Measure::Word(spot, direction) => Some(((spot.bytes * 8) as u32, direction)),
        }
    }

    /// Its number before an iteration and behind it.
    fn ends(&self, execution: &mut Execution<'_>, before: &State, after: &State) -> (Term, Term) {
        match *self {
            Measure::Steps(Counter { phi, .. }) | Measure::Register(phi, ..) => {
                (execution.value(&mut before.clone(), phi), execution.value(&mut after.clone(), phi))
            }
            Measure::Word(spot, _) => {
                let first = before.memory.clone().load(&mut execution.terms, &before.known, spot);
                let last = after.memory.clone().load(&mut execution.terms, &after.known, spot);
                (first, last)
            }
        }
    }

    /// Returns true if a measure is further in one state than in another one.
    pub(super) fn advances(&self, execution: &mut Execution<'_>, before: &State, after: &State) -> bool {
        if let Measure::Steps(counter) = self {
            return counter.advances(execution, before, after);
        }
        let Some((bits, direction)) = self.kind() else { return false };
        let (first, last) = self.ends(execution, before, after);
        if !direction.leads(&mut execution.terms, &after.known, bits, first, last) {
            return false;
        }
        !Round { before, after }.takes_long(execution, (bits, direction), (first, last))
    }

    /// Returns whether the comparison by which a lane stays holds the measure against a number that was read at such a place, or at an address that was.
    pub(super) fn is_held_against(
        &self,
        execution: &mut Execution<'_>,
        before: &State,
        after: &State,
        is_such: &dyn Fn(&Spot) -> bool,
    ) -> bool {
        let (number, _) = self.ends(execution, before, after);
        let terms = &mut execution.terms;
        let number = after.known.canonical(terms, number);
        let (number, _) = terms.parts(number);
        let mut read: Vec<Term> = Vec::new();
        for (at, found) in &after.read {
            let base = after.known.canonical(terms, at.base);
            let is_own = |spot: &Spot| (at.base, at.offset) == (spot.base, spot.offset);
            let is_own = matches!(self, Measure::Word(spot, _) if is_own(spot));
            if let Some(found) = found.filter(|_| !is_own)
                && (is_such(at) || read.iter().any(|&part| terms.contains(base, part)))
            {
                read.push(after.known.canonical(terms, found));
            }
        }
        after.known.truths().to_vec().into_iter().any(|(predicate, _)| {
            let predicate = after.known.canonical(terms, predicate);
            let (&Node::Less { one, other, .. } | &Node::Equal(one, other)) = terms.node(predicate) else {
                return false;
            };
            [(one, other), (other, one)]
                .into_iter()
                .any(|(word, end)| terms.contains(word, number) && read.iter().any(|&part| terms.contains(end, part)))
        })
    }
}
