//! The changes that lanes make while they stay in a loop, and the reasons why these come to an end.
//!
//! ```text
//! x = *flag;                                          t = *tail; h = *head;
//! if (x & 1) { CAS(flag, x, x & ~1); continue; }      if (h != t) { CAS(tail, t, h); continue; }
//! ```
//!
//! Changes by lanes that stay are limited in number in two cases. In both, nobody else changes these places any more.
//!
//! - Each change leaves a number from which none of them starts. In the example, a lane that clears the bit makes a number of which no bit
//!   is cleared. The lanes of two changes are different, so all registers of the second lane are other ones. A place that no staying lane
//!   changes is settled: all lanes read the same there.
//! - All changes go in one direction: each makes a greater number of a lesser one, and none passes the last number.
//!
//! All changes of one loop at places that may be the same are examined together, and only if they have one width.

use super::counters::Measure;
use super::function::Operation;
use super::path_condition::PathCondition;
use super::symbolic_execution::{Execution, Others, State};
use super::symbolic_memory::{How, Written};
use super::term_order::{DIRECTIONS, Direction};
use super::terms::Term;
use crate::detect::alias::Location;

/// The most pairs of changes that are compared.
const MOST_PAIRS: usize = 400;

/// The places that lanes change while they stay. Changes of the `tame` ones come to an end by themselves; those of the `wild` ones may not.
#[derive(Default)]
pub(super) struct Changes {
    pub(super) tame: Vec<Location>,
    pub(super) wild: Vec<Location>,
}

/// A change on a way by which a lane stays.
struct Change {
    known: PathCondition,
    written: Written,
}

impl Execution<'_> {
    /// Returns true if a write of an iteration may have changed memory, by all that is known at its end.
    pub(super) fn may_change(&mut self, known: &PathCondition, written: &Written) -> bool {
        match written.how {
            How::Stored => true,
            How::Changed(old, new) => known.canonical(&mut self.terms, old) != known.canonical(&mut self.terms, new),
            How::Set(old, bits) => !self.has_bit(known, old, bits),
        }
    }

    /// Returns true if all bits of a mask are known to be set in a word. For a mask of at most one bit it is enough that the two have a bit in common.
    pub(super) fn has_bit(&mut self, known: &PathCondition, old: Term, mask: Term) -> bool {
        let zero = self.terms.number(0);
        let one = self.terms.number(1);
        let mask = known.canonical(&mut self.terms, mask);
        [32, 64].into_iter().any(|bits| {
            let and = Operation::AND.on(bits);
            let both = self.terms.apply(and, [old, mask]);
            let all = self.terms.equal(both, mask);
            if known.holds(&mut self.terms, all) == Some(true) {
                return true;
            }
            if !self.terms.is_one_bit(mask, bits) {
                return false;
            }
            let none = self.terms.equal(both, zero);
            if known.holds(&mut self.terms, none) == Some(false) {
                return true;
            }
            let Some((_, place)) = self.terms.of_two(mask, Operation::SHL.on(bits)) else { return false };
            let shifted = self.terms.apply(Operation::SHR.on(bits), [old, place]);
            let bit = self.terms.apply(and, [shifted, one]);
            let [none, all] = [zero, one].map(|number| self.terms.equal(bit, number));
            known.holds(&mut self.terms, none) == Some(false) || known.holds(&mut self.terms, all) == Some(true)
        })
    }

    /// Notes that words in which a bit was set that was set already hold what they held before.
    pub(super) fn settle_bits(&mut self, state: &mut State) {
        let held: Vec<(i64, Term)> = state.memory.held().map(|(spot, value)| (spot.bytes, value)).collect();
        for (bytes, value) in held {
            let value = state.known.canonical(&mut self.terms, value);
            let Some((old, bit)) = u32::try_from(bytes.saturating_mul(8))
                .ok()
                .and_then(|bits| self.terms.of_two(value, Operation::OR.on(bits)))
            else {
                continue;
            };
            if self.has_bit(&state.known, old, bit)
                && let Some(known) = state.known.joined(&mut self.terms, value, old)
            {
                state.known = known;
            }
        }
    }

    /// Returns what lanes change that stay, with what they store; `measures` are what makes ways end by themselves.
    pub(super) fn changes(&mut self, stored: &[Location], measures: &[Measure]) -> Option<Changes> {
        let start = self.anywhere();
        let stays = self.iterate(start.clone(), Others::Busy)?;
        let changes = self.changes_of(&start, &stays, measures);
        if changes.is_empty() {
            return Some(Changes::default());
        }
        self.changing = stored.iter().copied().chain(changes.iter().map(|change| change.written.spot.place)).collect();
        let mut lanes = Vec::new();
        for lane in [0, 1] {
            self.lane = lane;
            let start = self.anywhere();
            let stays = self.iterate(start.clone(), Others::Settled)?;
            lanes.push(self.changes_of(&start, &stays, measures));
        }
        self.lane = 0;
        let [first, second] = lanes.as_slice() else { return None };
        if first.len() * second.len() > MOST_PAIRS {
            return Some(Changes { tame: Vec::new(), wild: self.changing.clone() });
        }
        // A change that only busy lanes make is none once all is settled.
        let mut all = Changes::default();
        for (number, change) in first.iter().enumerate() {
            let group = group(first, (number, change));
            let is_stored = stored.iter().any(|place| place.may_alias(&change.written.spot.place));
            let tame = !is_stored && self.is_tame(second, change.written.spot.bytes, &group);
            let places = if tame { &mut all.tame } else { &mut all.wild };
            places.push(change.written.spot.place);
        }
        Some(all)
    }

    fn changes_of(&mut self, start: &State, stays: &[State], measures: &[Measure]) -> Vec<Change> {
        let mut changes = Vec::new();
        for stay in stays {
            if measures.iter().any(|measure| measure.advances(self, start, stay)) {
                continue;
            }
            for written in &stay.written {
                if !matches!(written.how, How::Stored) && self.may_change(&stay.known, written) {
                    // Else it is no change.
                    let known = match written.how {
                        How::Changed(old, new) => {
                            let same = self.terms.equal(old, new);
                            stay.known.assume(&mut self.terms, same, false).into_iter().next()
                        }
                        _ => None,
                    };
                    let known = known.unwrap_or_else(|| stay.known.clone());
                    changes.push(Change { known, written: *written });
                }
            }
        }
        changes
    }

    /// Returns true if the changes of a group, all of so many bytes, are limited in number.
    fn is_tame(&mut self, second: &[Change], bytes: i64, group: &[&Change]) -> bool {
        if group.iter().any(|change| change.written.spot.bytes != bytes) {
            return false;
        }
        let bits = (bytes * 8) as u32;
        let go = |this: &mut Self, direction: Direction| group.iter().all(|change| this.goes(change, direction, bits));
        if DIRECTIONS.into_iter().any(|direction| go(self, direction)) {
            return true;
        }
        group.iter().all(|change| {
            let place = change.written.spot.place;
            let later = second.iter().filter(|later| later.written.spot.place.may_alias(&place));
            later.into_iter().all(|later| !self.may_follow(change, later))
        })
    }

    /// Returns true if a change goes in a direction.
    fn goes(&mut self, change: &Change, direction: Direction, bits: u32) -> bool {
        match change.written.how {
            How::Stored => false,
            How::Set(..) => direction == Direction { signed: false, up: true },
            How::Changed(old, new) => {
                direction.keeps(&self.terms, bits, old, new)
                    || direction.leads(&mut self.terms, &change.known, bits, old, new)
            }
        }
    }

    /// Returns true if what one lane has left behind may be what another one changes next.
    fn may_follow(&mut self, change: &Change, later: &Change) -> bool {
        let (How::Changed(_, new), How::Changed(old, _) | How::Set(old, _)) = (change.written.how, later.written.how)
        else {
            return true;
        };
        let Some(known) = change.known.with(&mut self.terms, &later.known) else { return false };
        known.joined(&mut self.terms, new, old).is_some()
    }
}

/// The changes at places that may be that of one of them, or those of which that holds, and so on.
fn group<'c>(changes: &'c [Change], (number, change): (usize, &'c Change)) -> Vec<&'c Change> {
    let others = changes.iter().enumerate().filter(|&(other, _)| other != number);
    let mut left: Vec<&Change> = others.map(|(_, other)| other).collect();
    let mut group = vec![change];
    let mut next = 0;
    while let Some(&from) = group.get(next) {
        next += 1;
        let place = from.written.spot.place;
        group.extend(left.extract_if(.., |other| other.written.spot.place.may_alias(&place)));
    }
    group
}
