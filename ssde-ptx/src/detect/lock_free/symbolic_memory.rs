//! Memory on one way through a loop, as the lane that goes it sees it.

use ptx_parser::{Inst, Space};

use super::function::Function;
use super::path_condition::PathCondition;
use super::terms::{Term, Terms};
use crate::detect::alias::Location;

/// A place at which an instruction accesses memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    /// The base of the address, and the constant that is added to it.
    pub(super) base: Term,
    pub(super) offset: i64,
    pub(super) bytes: i64,
    pub(super) place: Location,
}

/// The relation between two spots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Relation {
    Same,
    Apart,
    Unknown,
}

/// A write of the lane to memory that others see.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written {
    pub(super) inst: Inst,
    pub(super) spot: Spot,
    pub(super) how: How,
}

/// The effect of a write on the old value.
#[derive(Clone, Copy, Debug)]
pub(super) enum How {
    /// It overwrites it, whatever it was.
    Stored,
    /// It was the first, and is the second: an atomic.
    Changed(Term, Term),
    /// It was this, and these bits are set: an atomic.
    Set(Term, Term),
}

/// The known contents of memory.
#[derive(Clone, Default)]
pub(super) struct Memory {
    known: Vec<(Spot, Term)>,
    /// The contents of spots, each with a predicate: they are known unless it is true.
    unless: Vec<(Term, Spot, Term)>,
    /// True if different pointers and variables are taken to lead to different memory.
    pub(super) by_name: bool,
    /// True if a store leaves spots alone whose addresses are made in another way.
    pub(super) apart: bool,
}

impl Memory {
    /// Returns what a spot holds: what it is known to hold, else some number that it then is known to hold.
    pub(super) fn load(&mut self, terms: &mut Terms, known: &PathCondition, spot: Spot) -> Term {
        if let Some(value) = self.finds(terms, known, &spot) {
            return value;
        }
        let value = terms.unknown_of(u32::try_from(spot.bytes.saturating_mul(8)).unwrap_or(64));
        self.known.push((spot, value));
        value
    }

    /// Returns what a spot is known to hold.
    pub(super) fn finds(&self, terms: &mut Terms, known: &PathCondition, spot: &Spot) -> Option<Term> {
        let found = self.known.iter().find(|(other, _)| self.relation(terms, known, other, spot) == Relation::Same);
        let found = found.map(|&(_, value)| value);
        let is_so = |terms: &mut Terms, &&(unless, other, _): &&(Term, Spot, Term)| {
            self.relation(terms, known, &other, spot) == Relation::Same && known.holds(terms, unless) == Some(false)
        };
        let found = found.or_else(|| self.unless.iter().find(|one| is_so(terms, one)).map(|&(_, _, value)| value));
        found.or_else(|| self.finds_in(terms, known, spot))
    }

    /// Returns what a spot holds that is a part of one of which it is known.
    fn finds_in(&self, terms: &mut Terms, known: &PathCondition, spot: &Spot) -> Option<Term> {
        let (of, at) = base(terms, known, spot);
        let whole = self.known.iter().find_map(|(other, value)| {
            let (first, from) = base(terms, known, other);
            let is_in = from <= at && at.saturating_add(spot.bytes) <= from.saturating_add(other.bytes);
            (first == of && own_window(other) == own_window(spot) && is_in).then_some((at - from, *value))
        });
        let (at, whole) = whole?;
        let whole = known.canonical(terms, whole);
        Some(terms.apply(Function::Bytes { at, bytes: spot.bytes }, [whole]))
    }

    /// Returns true if a spot holds a value unless something is true.
    pub(super) fn holds_unless(
        &self,
        terms: &mut Terms,
        known: &PathCondition,
        unless: Term,
        spot: &Spot,
        value: Term,
    ) -> bool {
        let is_so = known.holds(terms, unless) == Some(true)
            || self.finds(terms, known, spot).is_some_and(|found| known.canonical(terms, found) == value);
        let unless = known.canonical(terms, unless);
        is_so
            || self.unless.iter().any(|&(other, at, held)| {
                known.canonical(terms, other) == unless
                    && known.canonical(terms, held) == value
                    && self.relation(terms, known, &at, spot) == Relation::Same
            })
    }

    /// Notes that a spot holds a value unless something is true.
    pub(super) fn note_unless(&mut self, unless: Term, spot: Spot, value: Term) {
        self.unless.push((unless, spot, value));
    }

    /// Notes that a spot holds a value.
    pub(super) fn note(&mut self, spot: Spot, value: Term) {
        self.known.push((spot, value));
    }

    /// The spots of which it is known what they hold, and that.
    pub(super) fn held(&self) -> impl Iterator<Item = (Spot, Term)> + '_ {
        self.known.iter().copied()
    }

    /// Somebody may have written to a place.
    pub(super) fn forget(&mut self, place: &Location) {
        let by_name = self.by_name;
        let stays = |spot: &Spot| !spot.place.may_alias(place) || (by_name && spot.place.has_another_name(place));
        self.known.retain(|(spot, _)| stays(spot));
        self.unless.retain(|(_, spot, _)| stays(spot));
    }

    /// A spot gets a value; what may be the same one, and held another value, is not known any more. Returns true if something is known of such a one because it is taken
    /// to be elsewhere.
    pub(super) fn store(&mut self, terms: &mut Terms, known: &PathCondition, spot: Spot, value: Term) -> bool {
        let value = known.canonical(terms, value);
        let (mut held, mut unless) = (std::mem::take(&mut self.known), std::mem::take(&mut self.unless));
        let mut taken = false;
        let mut stays = |other: &Spot, held: Term| match self.relation(terms, known, other, &spot) {
            Relation::Apart => true,
            Relation::Same => false,
            // Accesses are aligned, so that two of one size are the same or apart.
            Relation::Unknown if other.bytes == spot.bytes && known.canonical(terms, held) == value => true,
            Relation::Unknown => {
                let may_be_apart = !spot.place.is_in_own_array_of(&other.place);
                let apart = self.apart && may_be_apart && !have_one_base(terms, known, other, &spot);
                taken |= apart;
                apart
            }
        };
        held.retain(|(other, held)| stays(other, *held));
        unless.retain(|(_, other, held)| stays(other, *held));
        held.push((spot, value));
        (self.known, self.unless) = (held, unless);
        taken
    }

    /// Returns true if two spots are known to have no byte in common.
    pub(super) fn are_apart(&self, terms: &mut Terms, known: &PathCondition, one: &Spot, other: &Spot) -> bool {
        self.relation(terms, known, one, other) == Relation::Apart
    }

    fn relation(&self, terms: &mut Terms, known: &PathCondition, one: &Spot, other: &Spot) -> Relation {
        match relation(terms, known, one, other) {
            Relation::Unknown if self.by_name && one.place.has_another_name(&other.place) => Relation::Apart,
            relation => relation,
        }
    }
}

/// Returns true if the addresses of two spots are made of one term by adding numbers.
pub(super) fn have_one_base(terms: &mut Terms, known: &PathCondition, one: &Spot, other: &Spot) -> bool {
    base(terms, known, one).0 == base(terms, known, other).0
}

/// Returns what the address of a spot is made of, and the number that is added.
fn base(terms: &mut Terms, known: &PathCondition, spot: &Spot) -> (Term, i64) {
    let base = known.canonical(terms, spot.base);
    let (base, more) = terms.parts(base);
    (base, spot.offset.wrapping_add(more))
}

/// The state space that an address is one in. A generic address of global memory is that address.
fn own_window(spot: &Spot) -> Option<Space> {
    spot.place.space().filter(|space| *space != Space::Global)
}

fn relation(terms: &mut Terms, known: &PathCondition, one: &Spot, other: &Spot) -> Relation {
    let ((first, from), (second, to)) = (base(terms, known, one), base(terms, known, other));
    if first == second && own_window(one) == own_window(other) {
        if from == to && one.bytes == other.bytes {
            return Relation::Same;
        }
        if from >= to.saturating_add(other.bytes) || to >= from.saturating_add(one.bytes) {
            return Relation::Apart;
        }
        return Relation::Unknown;
    }
    if one.place.may_alias(&other.place) { Relation::Unknown } else { Relation::Apart }
}
