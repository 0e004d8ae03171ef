//! Slots of a ring whose number is ahead of the counter that leads to them: others have moved the counter on.
//!
//! ```text
//! retry: t = tail; ahead = slot[t & mask].number - t;
//!        if (ahead < 0) return full;
//!        if (ahead > 0) goto retry;                            others have taken the slot, and moved the tail before that
//!        if (CAS(&tail, t, t + 1) != t) goto retry;
//!        …; slot[t & mask].number = t + 1;                     only who has moved the tail writes the number
//! ```
//!
//! A lane alone finds a number ahead of a counter that it has just read only in a memory that no lane has left behind: lanes first move the counter, by a comparison and swap in the loop, and
//! write the number behind that. The first of these is seen here; that a number gets ahead of the counter in no other way is assumed and told. Where the loop itself may write numbers, they may be
//! claimed before the counter is moved on, and whoever waits for that waits.

use ptx_parser::{Inst, Linear, Mnemonic, Operand};

use super::loop_facts::LoopFacts;
use super::prior_reads::Root;
use crate::detect::accesses::accesses;
use crate::detect::lock_free::symbolic_execution::{Execution, State};
use crate::detect::lock_free::symbolic_memory::Spot;
use crate::detect::lock_free::terms::{Node, Term, Terms};

impl LoopFacts<'_> {
    /// The swap that moves a counter on, if a lane stays in a state because a number is ahead of that.
    pub(super) fn moved_on(&self, execution: &mut Execution<'_>, stay: &State) -> Option<Inst> {
        let counting: Vec<Inst> =
            self.swaps().filter(|&(swap, new)| self.counts_up(swap, new)).map(|(swap, _)| swap).collect();
        let mut state = stay.clone();
        let held: Vec<(Spot, Term)> = stay.memory.held().collect();
        counting.into_iter().find(|&swap| {
            let Some((Root::Value(root), more)) = self.address(swap) else { return false };
            let root = execution.value(&mut state, root);
            let root = stay.known.canonical(&mut execution.terms, root);
            let (root, added) = execution.terms.parts(root);
            let is_counter = |spot: &Spot| (spot.base, spot.offset) == (root, more.wrapping_add(added));
            let Some(&(_, now)) = held.iter().find(|(spot, _)| is_counter(spot)) else { return false };
            let now = stay.known.canonical(&mut execution.terms, now);
            held.iter().any(|&(spot, number)| {
                let at = stay.known.canonical(&mut execution.terms, spot.base);
                let number = stay.known.canonical(&mut execution.terms, number);
                execution.terms.contains(at, now)
                    && self.is_ahead(execution, stay, number, now)
                    && !self.writes_to(&spot)
            })
        })
    }

    /// Returns true if a comparison and swap adds a number to what it compares with.
    fn counts_up(&self, swap: Inst, new: analysis::Value) -> bool {
        let (Some(wanted), Some(made)) = (self.wanted(swap), self.facts.values.made_by(self.kernel, self.origin(new)))
        else {
            return false;
        };
        let is_sum = self.kernel.properties(made).linear == Some(Linear::Sum);
        match self.kernel.operands(made) {
            [_, of @ Operand::Reg(_), Operand::Int(1..)] if is_sum => {
                self.facts.values.of_operand(made, of).map(|of| self.origin(of)) == Some(self.origin(wanted))
            }
            _ => false,
        }
    }

    /// Returns true if a number is known to be greater than a counter, by a comparison of the two or of their difference with 0.
    fn is_ahead(&self, execution: &mut Execution<'_>, stay: &State, number: Term, counter: Term) -> bool {
        let terms = &mut execution.terms;
        let zero = terms.number(0);
        stay.known.truths().to_vec().into_iter().any(|(predicate, holds)| {
            let predicate = stay.known.canonical(terms, predicate);
            let &Node::Less { one, other, .. } = terms.node(predicate) else { return false };
            let (low, high) = if holds { (one, other) } else { (other, one) };
            let compares = is_made_of(terms, low, counter, number) && is_made_of(terms, high, number, counter);
            let is_positive = || low == zero && is_difference(terms, high, number, counter);
            if !(compares || is_positive()) {
                return false;
            }
            let equal = terms.equal(low, high);
            holds || stay.known.holds(terms, equal) == Some(false)
        })
    }

    /// Returns true if the loop may write to a spot.
    fn writes_to(&self, spot: &Spot) -> bool {
        let mut all =
            self.cycle.insts(self.facts).flat_map(|inst| accesses(self.facts, self.kernel, self.context, inst));
        all.any(|access| access.writes && access.place.may_meet(&spot.place))
    }
}

/// Returns true if a term is made of another one, and not of a third.
fn is_made_of(terms: &Terms, term: Term, part: Term, without: Term) -> bool {
    terms.contains(term, part) && !terms.contains(term, without)
}

/// Returns true if a term is what is made of one term less what is made of another one, and perhaps a constant.
fn is_difference(terms: &Terms, term: Term, of: Term, less: Term) -> bool {
    let made_of = |term: Term, part: Term, without: Term| is_made_of(terms, term, part, without);
    let whole = match *terms.node(term) {
        Node::Plus(base, ..) => base,
        _ => term,
    };
    let Some((function, &[one, other])) = terms.function(whole) else { return false };
    // The inverse of a number is one less than its negative.
    let is_inverse = |term: Term| {
        let inner = terms.function(term).filter(|&(function, _)| terms.mnemonic(function) == Some(Mnemonic::Not));
        inner.is_some_and(|(_, inputs)| inputs.iter().all(|&input| made_of(input, less, of)))
    };
    match terms.mnemonic(function) {
        Some(Mnemonic::Sub) => made_of(one, of, less) && made_of(other, less, of),
        Some(Mnemonic::Add) => {
            made_of(one, of, less) && is_inverse(other) || made_of(other, of, less) && is_inverse(one)
        }
        _ => false,
    }
}
