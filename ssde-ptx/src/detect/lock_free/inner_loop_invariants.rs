//! The facts that each iteration of an inner loop leaves true: relations between registers, and between registers and memory.
//!
//! ```text
//! left = head; next = *left; at = next;          *left == next                          before the first iteration
//! while (key of at < key) {
//!     t = at->link;
//!     if (!(t & 1)) { left = at; next = t; }     *left == next, and bit 0 of next is 0   behind each one
//!     at = t;
//! }
//! ```
//!
//! A walk over links remembers a place with the value that was read there. A lane alone still finds that value after the walk, however long
//! it was. If an inner loop is passed (`inner_loops`), its last iterations begin with any registers for which such facts are true.
//!
//! A place that is not found yet is often a number, which is tested before the place is accessed. So a fact about memory may be true unless
//! a register is what it was before the first iteration.
//!
//! Facts are guessed from the state after one iteration, with the registers of the header in the place of their new values. A fact is kept
//! if it is shown to be true where the loop is entered, and after each iteration that begins with all of them true.

use analysis::{Block, Loop, Value};
use cranelift_entity::{PrimaryMap, entity_impl};
use ptx_parser::Memory as Does;
use rustc_hash::{FxHashMap, FxHashSet};

use super::region::Region;
use super::symbolic_execution::{Execution, Others, State, Way};
use super::symbolic_memory::{How, Spot, Written};
use super::terms::{Node, Term, Terms};
use crate::detect::accesses::changes_nothing;
use crate::detect::alias::{bytes, place};

/// The most facts that are tried for one loop, and how often those are tried that are left.
const MOST_FACTS: usize = 160;
const MOST_ROUNDS: usize = 8;

/// The most ways through one iteration.
const MOST_WAYS: usize = 48;

/// The most registers with the same number that are told apart.
const MOST_ALIKE: usize = 3;

/// The greatest depth to which terms are followed.
const DEEPEST: u32 = 32;

/// Names a spot that facts are about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct SpotId(u32);
entity_impl!(SpotId, "spot");

/// Something that may be true where an iteration begins, by what its registers are then.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Fact {
    Equal(Term, Term),
    Decided(Term, bool),
    /// The spot, and what it holds.
    Holds(SpotId, Term),
    /// Something, the spot, and what that holds unless that is true.
    HoldsUnless(Term, SpotId, Term),
}

/// The facts of one loop.
#[derive(Default)]
pub(super) struct Facts {
    facts: Vec<Fact>,
    spots: PrimaryMap<SpotId, Spot>,
}

impl Execution<'_> {
    /// Has an inner loop begin with any registers, of which only what its iterations leave true is known.
    pub(super) fn begin_kept(&mut self, state: &mut State, (inner, header): (Loop, Block)) {
        let entered = state.clone();
        self.begin_anyhow(state, (inner, header));
        self.forget(state, inner);
        let Some(region) = self.regions.iter().find(|(id, _)| *id == inner).map(|(_, region)| region) else { return };
        self.note_writes(state, region);
        let before = (self.region, self.blocks, self.apart.clone());
        self.region = region;
        self.blocks = self.kept_blocks;
        let kept = self.kept(&[entered], state, region, Others::Idle);
        self.kept_blocks = self.blocks;
        let apart = std::mem::replace(&mut self.apart, before.2);
        (self.region, self.blocks) = (before.0, before.1);
        if let Some(kept) = kept {
            self.apart.extend(apart);
            self.take(state, &kept);
        }
    }

    /// Notes what earlier iterations of an inner loop may have written, anywhere: what a lane has changed itself tells it nothing of others.
    fn note_writes(&mut self, state: &mut State, region: &Region) {
        let (facts, kernel) = (self.facts, self.kernel);
        for &inst in region.blocks.iter().flat_map(|&block| facts.cfg.insts(block)) {
            let at = place(facts, kernel, inst);
            let how = match kernel.properties(inst).memory {
                Does::Write => How::Stored,
                Does::Atomic if !changes_nothing(kernel, inst) => {
                    How::Changed(self.terms.unknown(), self.terms.unknown())
                }
                _ => continue,
            };
            if !at.is_own() {
                let spot = Spot { base: self.terms.unknown(), offset: 0, bytes: bytes(kernel, inst), place: at };
                state.written.push(Written { inst, spot, how });
            }
        }
    }

    /// The facts that are true where the loop is entered, and that iterations leave true which begin with any registers.
    ///
    /// Where others may do anything meanwhile, these are equalities of registers, and what the lane's own memory holds.
    pub(super) fn kept(&mut self, entered: &[State], anyhow: &State, region: &Region, others: Others) -> Option<Facts> {
        let phis = self.facts.values.phis(region.header).to_vec();
        let slots = phis.iter().map(|phi| anyhow.values.get(phi).copied()).collect::<Option<Vec<Term>>>()?;
        let first = self.once_around(anyhow.clone(), region, others)?;
        let mut kept = Facts::default();
        let mut seen = FxHashSet::default();
        for state in &first {
            self.guess(state, &phis, &slots, &mut kept, &mut seen);
        }
        let mut facts = std::mem::take(&mut kept.facts);
        // What is known to be less than something else would be taken for the end of a counter (`counters.rs`).
        let is_steady = |fact: &Fact| match fact {
            Fact::Holds(spot, _) => kept.spots[*spot].place.is_own(),
            fact => matches!(fact, Fact::Equal(..)),
        };
        facts.retain(|fact| others == Others::Idle || is_steady(fact));
        facts.truncate(MOST_FACTS);
        facts.extend(self.unless_not_found(&facts, entered.first()?, &phis, &slots));
        for entered in entered {
            facts = self.true_in(facts, &kept.spots, entered, &phis, &slots);
        }
        kept.facts = facts;
        for _ in 0..MOST_ROUNDS {
            if kept.facts.is_empty() {
                return None;
            }
            let mut begin = anyhow.clone();
            self.take(&mut begin, &kept);
            let mut left = kept.facts.clone();
            for state in self.once_around(begin, region, others)? {
                left = self.true_in(left, &kept.spots, &state, &phis, &slots);
            }
            if left.len() == kept.facts.len() {
                return Some(kept);
            }
            kept.facts = left;
        }
        None
    }

    /// Returns the facts that spots hold numbers, each with a condition. The fact is true unless one of the registers still is the number
    /// that it is where the loop is entered.
    fn unless_not_found(&mut self, facts: &[Fact], entered: &State, phis: &[Value], slots: &[Term]) -> Vec<Fact> {
        let (mut not_found, mut values) = (Vec::new(), entered.clone());
        for (&phi, &slot) in phis.iter().zip(slots) {
            let now = self.value(&mut values, phi);
            let now = entered.known.canonical(&mut self.terms, now);
            if self.terms.as_number(now).is_some() {
                not_found.push(self.terms.equal(slot, now));
            }
        }
        let mut all = Vec::new();
        for &fact in facts {
            if let Fact::Holds(spot, value) = fact
                && self.terms.as_number(value).is_some()
            {
                all.extend(not_found.iter().map(|&unless| Fact::HoldsUnless(unless, spot, value)));
            }
        }
        all.truncate(MOST_FACTS);
        all
    }

    /// The states at the end of an iteration by which a lane stays in an inner loop.
    fn once_around(&mut self, state: State, region: &Region, others: Others) -> Option<Vec<State>> {
        let mut ways = vec![Way { state, block: region.header, index: 0 }];
        let mut stays = Vec::new();
        while let Some(way) = ways.pop() {
            if ways.len() + stays.len() > MOST_WAYS {
                return None;
            }
            self.advance(way, others, &mut ways, &mut stays)?;
        }
        Some(stays)
    }

    /// Adds what is true of the registers of a state.
    fn guess(
        &mut self,
        state: &State,
        phis: &[Value],
        slots: &[Term],
        all: &mut Facts,
        seen: &mut FxHashSet<(Term, i64, i64, Term)>,
    ) {
        let is_slot = |term: Term| slots.contains(&term);
        let mut become_of: FxHashMap<Term, Vec<Term>> = FxHashMap::default();
        let mut values = state.clone();
        let now: Vec<Term> = phis.iter().map(|&phi| self.value(&mut values, phi)).collect();
        for (&term, &slot) in now.iter().zip(slots) {
            let canonical = state.known.canonical(&mut self.terms, term);
            for term in [term, canonical] {
                if !matches!(self.terms.node(term), Node::Number(_) | Node::Outer(..)) {
                    let slots = become_of.entry(term).or_default();
                    slots.extend((!slots.contains(&slot)).then_some(slot));
                }
            }
        }
        let mut guessed: Vec<Fact> = Vec::new();
        for choice in 0..MOST_ALIKE {
            let slot_of = |(&term, slots): (&Term, &Vec<Term>)| Some((term, *slots.get(choice).or(slots.last())?));
            let map: FxHashMap<Term, Term> = become_of.iter().filter_map(slot_of).collect();
            let abstracted = |terms: &mut Terms, term: Term| {
                let found = terms.replaced(term, &map, DEEPEST)?;
                terms.is_made_of(found, &is_slot).then_some(found)
            };
            for (&term, &slot) in now.iter().zip(slots) {
                let mut others = map.clone();
                let canonical = state.known.canonical(&mut self.terms, term);
                for own in [term, canonical] {
                    let alike = become_of.get(&own).and_then(|slots| slots.iter().find(|&&other| other != slot));
                    match alike {
                        Some(&other) => others.insert(own, other),
                        None => others.remove(&own),
                    };
                }
                if let Some(found) = self.terms.replaced(canonical, &others, DEEPEST)
                    && found != slot
                    && self.terms.is_made_of(found, &is_slot)
                {
                    guessed.push(Fact::Equal(slot, found));
                }
            }
            for &(one, other) in state.known.equalities() {
                if let (Some(one), Some(other)) = (abstracted(&mut self.terms, one), abstracted(&mut self.terms, other))
                    && one != other
                {
                    guessed.push(Fact::Equal(one, other));
                }
            }
            for &(predicate, holds) in state.known.truths() {
                if let Some(predicate) = abstracted(&mut self.terms, predicate) {
                    guessed.push(Fact::Decided(predicate, holds));
                }
            }
            for (spot, value) in state.memory.held() {
                let base = state.known.canonical(&mut self.terms, spot.base);
                let value = state.known.canonical(&mut self.terms, value);
                let Some(base) = abstracted(&mut self.terms, base) else { continue };
                let values = match become_of.get(&value) {
                    Some(slots) => slots.clone(),
                    None => abstracted(&mut self.terms, value).into_iter().collect(),
                };
                for value in values {
                    if seen.insert((base, spot.offset, spot.bytes, value)) {
                        guessed.push(Fact::Holds(all.spots.push(Spot { base, ..spot }), value));
                    }
                }
            }
        }
        for fact in guessed {
            let is_known = matches!(fact, Fact::Holds(..)) || !all.facts.contains(&fact);
            all.facts.extend(is_known.then_some(fact));
        }
    }

    /// Those of some facts that are true of the registers of a state.
    fn true_in(
        &mut self,
        facts: Vec<Fact>,
        spots: &PrimaryMap<SpotId, Spot>,
        state: &State,
        phis: &[Value],
        slots: &[Term],
    ) -> Vec<Fact> {
        let (mut map, mut all) = (FxHashMap::default(), state.clone());
        for (&phi, &slot) in phis.iter().zip(slots) {
            let now = self.value(&mut all, phi);
            map.insert(slot, state.known.canonical(&mut self.terms, now));
        }
        let mut is_true = |fact: &Fact| {
            let now = |terms: &mut Terms, term: Term| terms.replaced(term, &map, DEEPEST);
            let terms = &mut self.terms;
            let are_equal = |terms: &mut Terms, one: Term, other: Term| {
                let equal = terms.equal(one, other);
                state.known.holds(terms, equal) == Some(true)
            };
            match *fact {
                Fact::Equal(one, other) => {
                    let (one, other) = (now(terms, one)?, now(terms, other)?);
                    Some(are_equal(terms, one, other))
                }
                Fact::Decided(predicate, holds) => {
                    let predicate = now(terms, predicate)?;
                    Some(state.known.holds(terms, predicate) == Some(holds))
                }
                Fact::Holds(spot, value) => {
                    let spot = Spot { base: now(terms, spots[spot].base)?, ..spots[spot] };
                    let value = now(terms, value)?;
                    let held = state.memory.finds(terms, &state.known, &spot)?;
                    Some(are_equal(terms, held, value))
                }
                Fact::HoldsUnless(unless, spot, value) => {
                    let unless = now(terms, unless)?;
                    let spot = Spot { base: now(terms, spots[spot].base)?, ..spots[spot] };
                    Some(state.memory.holds_unless(terms, &state.known, unless, &spot, value))
                }
            }
        };
        facts.into_iter().filter(|fact| is_true(fact) == Some(true)).collect()
    }

    /// Notes facts in a state.
    pub(super) fn take(&mut self, state: &mut State, kept: &Facts) {
        for &fact in &kept.facts {
            let (predicate, holds) = match fact {
                Fact::Equal(one, other) => (self.terms.equal(one, other), true),
                Fact::Decided(predicate, holds) => (predicate, holds),
                Fact::Holds(spot, value) => {
                    let spot = kept.spots[spot];
                    if state.memory.finds(&mut self.terms, &state.known, &spot).is_none() {
                        state.memory.note(spot, value);
                    }
                    continue;
                }
                Fact::HoldsUnless(unless, spot, value) => {
                    state.memory.note_unless(unless, kept.spots[spot], value);
                    continue;
                }
            };
            if let [known] = state.known.assume(&mut self.terms, predicate, holds).as_slice() {
                state.known = known.clone();
            }
        }
    }
}

impl Terms {
    /// A term with others put in place of some that it is made of; `None` if it is too deep.
    fn replaced(&mut self, term: Term, by: &FxHashMap<Term, Term>, depth: u32) -> Option<Term> {
        if let Some(&other) = by.get(&term) {
            return Some(other);
        }
        let depth = depth.checked_sub(1)?;
        let of = |terms: &mut Terms, term: Term| terms.replaced(term, by, depth);
        Some(match self.node(term).clone() {
            Node::Unknown(_) | Node::Outer(..) | Node::Number(_) => term,
            Node::Plus(base, number, bits) => {
                let base = of(self, base)?;
                self.plus(base, number, bits)
            }
            Node::Apply(function, parts) => {
                let parts: Option<Vec<Term>> = parts.iter().map(|&part| of(self, part)).collect();
                self.apply(function, parts?)
            }
            Node::Equal(one, other) => {
                let (one, other) = (of(self, one)?, of(self, other)?);
                self.equal(one, other)
            }
            Node::Less { signed, bits, one, other } => {
                let (one, other) = (of(self, one)?, of(self, other)?);
                self.less(signed, bits, one, other)
            }
            Node::Not(inner) => {
                let inner = of(self, inner)?;
                self.not(inner)
            }
            Node::And(one, other) => {
                let (one, other) = (of(self, one)?, of(self, other)?);
                self.and(one, other)
            }
        })
    }
}
