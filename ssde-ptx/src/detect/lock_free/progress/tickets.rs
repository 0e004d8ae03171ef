//! Numbers that a lane takes from a counter in each round: tickets.
//!
//! ```text
//! retry: h = atomicAdd(&head, 1); …                        i = atomicAdd(&segment->next, 1);
//!        if (tail > h + 1) goto retry;                      if (i < SIZE) { if (CAS(&segment->item[i], 0, v)) goto retry; … }
//! ```
//!
//! The lane itself takes the counter further in each round. So it takes an edge on which the ticket is before an end only a limited number of times, if that end stays while
//! nobody else writes: a number, or what is read where the loop does not write. Who waits for a turn or a flag compares one ticket again and again, or waits for others to move the end:
//! then the ticket is behind it, not before.
//!
//! In each round, the ticket is a new one, of the same counter; of another one if others have moved on what leads there, or this lane by a step. Nothing else that the loop writes may be the counter: not by
//! the names of pointers and variables, or by the places of words in one structure, or because it is in a new one, at a number that was taken from another counter. The last of these is
//! assumed and told.

use analysis::{Block, Value, ValueKind};
use ptx_parser::{Inst, Linear, Memory, Modifier, Operand, Relation, Space};
use rustc_hash::FxHashSet;

use super::assumptions::Assumed;
use super::counter_ends::Counting;
use super::linear_addresses::{Part, Sum, Widened};
use super::loop_facts::{LoopFacts, MOST_VALUES, Steps};
use super::prior_reads::Root;
use crate::detect::accesses::accesses;
use crate::detect::alias::bytes;

/// One side of a comparison, by what it is made of.
enum Side {
    /// A ticket and a number, less something that stays.
    Ticket(i64, Vec<Inst>),
    /// Something that stays, if these writes are elsewhere.
    Fixed(Vec<Inst>),
}

impl LoopFacts<'_> {
    /// The edges on which a ticket is before an end that stays.
    pub(super) fn ticket(&self, inst: Inst, steps: &mut Steps) {
        let (facts, kernel) = (self.facts, self.kernel);
        let Some(number) = self.taken(inst) else { return };
        let tickets: FxHashSet<Value> = facts.values.defs(inst).iter().map(|&(_, made)| made).collect();
        let counting = Counting::by(number, bytes(kernel, inst) as u32 * 8);
        let mut found: Vec<((Block, Block), Vec<Inst>)> = Vec::new();
        for &block in self.cycle.blocks(facts) {
            let Some(branch) = facts.cfg.terminator(block) else { continue };
            for to in facts.cfg.distinct_succs(block).into_iter().filter(|&to| self.contains(to)) {
                let conditions = self.conditions(block, to).into_iter().filter(|&(made, _)| !self.is_equality(made));
                let apart = conditions.filter_map(|condition| self.is_before_end(condition, &tickets, counting)).next();
                let is_new = || self.is_always_with(branch, &[inst]);
                found.extend(apart.filter(|_| is_new()).map(|apart| ((block, to), apart)));
            }
        }
        if found.is_empty() {
            return;
        }
        let Some(apart) = self.is_steady(inst).then(|| self.is_counted_alone(inst)).flatten() else { return };
        for (edge, apart) in found {
            steps.edges.insert(edge);
            steps.assumed.apart.extend(apart);
        }
        steps.assumed.add(Assumed { ends: vec![inst], apart, ..Assumed::default() });
    }

    /// The number that an atomic adds.
    fn taken(&self, inst: Inst) -> Option<i64> {
        let opcode = self.kernel.opcode(inst);
        let adds = self.kernel.properties(inst).memory == Memory::Atomic
            && opcode.has(Modifier::Add)
            && self.kernel.inst(inst).guard.is_none();
        let operand = self.kernel.operands(inst).last().filter(|_| adds)?;
        self.facts.values.constant(self.kernel, inst, operand).filter(|&number| number != 0)
    }

    /// Returns true if a comparison is one of two numbers for equality: others may have taken the very ticket.
    fn is_equality(&self, made: Inst) -> bool {
        let relation = self.kernel.properties(made).comparison.map(|comparison| comparison.relation);
        matches!(relation, None | Some(Relation::Equal | Relation::NotEqual))
    }

    /// The writes that have to be elsewhere for a comparison to say that a ticket is before an end that stays.
    pub(super) fn is_before_end(
        &self,
        (made, holds): (Inst, bool),
        tickets: &FxHashSet<Value>,
        counting: Counting,
    ) -> Option<Vec<Inst>> {
        let &[_, one, other] = self.kernel.operands(made) else { return None };
        let (first, second) = (self.side(made, &one, tickets)?, self.side(made, &other, tickets)?);
        let (ticket, added, apart) = match (first, second) {
            (Side::Ticket(added, more), Side::Fixed(apart)) => (one, added, [apart, more].concat()),
            (Side::Fixed(apart), Side::Ticket(added, more)) => (other, added, [apart, more].concat()),
            _ => return None,
        };
        let counting = Counting { from: added, ..counting };
        let is_end =
            self.is_end_of((made, holds), counting, &|operand| *operand == ticket, &|operand| *operand != ticket);
        is_end.then_some(apart)
    }

    /// Returns what an operand of a comparison is made of, if that is a ticket or something that stays.
    fn side(&self, made: Inst, operand: &Operand, tickets: &FxHashSet<Value>) -> Option<Side> {
        let values = &self.facts.values;
        let Some(value) = values.of_operand(made, operand) else {
            return (!matches!(operand, Operand::Reg(_))).then(|| Side::Fixed(Vec::new()));
        };
        let (mut value, mut added, mut apart) = (self.origin(value), 0_i64, Vec::new());
        for _ in 0..MOST_VALUES {
            if tickets.contains(&value) {
                return Some(Side::Ticket(added, apart));
            }
            if !self.contains(values.block(value)) {
                break;
            }
            let made = values.made_by(self.kernel, value)?;
            let of = |operand: &Operand| values.of_operand(made, operand).map(|value| self.origin(value));
            value = match (self.kernel.properties(made).linear, self.kernel.operands(made)) {
                (Some(Linear::Sum), [_, one, Operand::Int(number)]) => {
                    added = added.wrapping_add(*number);
                    of(one)?
                }
                (Some(Linear::Difference), [_, one, Operand::Int(number)]) => {
                    added = added.wrapping_sub(*number);
                    of(one)?
                }
                (Some(Linear::Difference), [_, one, other]) if self.is_made_of_ticket(of(one)?, tickets) => {
                    apart.extend(self.stays_by_name(of(other)?)?);
                    of(one)?
                }
                _ => break,
            };
        }
        let value = values.of_operand(made, operand)?;
        self.stays_by_name(value).map(Side::Fixed)
    }

    /// Returns true if a value is a ticket, perhaps with a number that is added.
    fn is_made_of_ticket(&self, value: Value, tickets: &FxHashSet<Value>) -> bool {
        let (Root::Value(root), _) = self.sum(value, 0) else { return false };
        tickets.contains(&root)
    }

    /// The writes of the loop that have to be elsewhere for a value to be the same in all rounds while nobody else writes. Pointers of other names lead elsewhere.
    fn stays_by_name(&self, value: Value) -> Option<Vec<Inst>> {
        let mut apart = Vec::new();
        let stays = self.is_made_by(value, &mut |inst| match self.kernel.properties(inst).memory {
            Memory::None => true,
            Memory::Read => match self.written_by_name(inst) {
                Some(elsewhere) => {
                    apart.extend(elsewhere);
                    true
                }
                None => false,
            },
            _ => false,
        });
        stays.then_some(apart)
    }

    /// The writes of the loop that are not where a read is only by the names of what they go through; `None` if one may be there.
    fn written_by_name(&self, read: Inst) -> Option<Vec<Inst>> {
        let places = |inst: Inst| accesses(self.facts, self.kernel, self.context, inst).into_iter();
        let mut apart = Vec::new();
        for inst in self.cycle.insts(self.facts) {
            for written in places(inst).filter(|access| access.writes).map(|access| access.place) {
                let mut read = places(read).filter(|access| access.reads).map(|access| access.place);
                if read.clone().any(|read| read.may_meet(&written)) {
                    return None;
                }
                apart.extend(read.any(|read| read.may_alias(&written)).then_some(inst));
            }
        }
        Some(apart)
    }

    /// Returns true if an atomic is at the same address in each round, or where what was read leads: not at one that is counted or followed from round to round.
    fn is_steady(&self, inst: Inst) -> bool {
        let Some(at) = self.read_at(inst) else { return true };
        self.is_made_by(at, &mut |made| self.kernel.properties(made).memory != Memory::Atomic)
    }

    /// The writes of the loop that have to be elsewhere for a counter to change only by what is added to it.
    pub(super) fn is_counted_alone(&self, inst: Inst) -> Option<Vec<Inst>> {
        let at = self.linear_address(inst);
        let mut apart = Vec::new();
        for other in self.others_at(inst) {
            let is_alike = self.taken(other).is_some_and(|number| Some(number) == self.taken(inst));
            if is_alike || at.as_ref().is_some_and(|at| self.is_beside(other, at, bytes(self.kernel, inst))) {
                continue;
            }
            if !self.is_in_new_one(other, inst) {
                return None;
            }
            apart.push(other);
        }
        Some(apart)
    }

    /// Returns true if a write is to another word of the structure that a word is in, or to an array in it that begins behind that.
    fn is_beside(&self, write: Inst, at: &Sum, size: i64) -> bool {
        let Some(mut other) = self.linear_address(write) else { return false };
        for part in &at.parts {
            let Some(place) = other.parts.iter().position(|other| other == part) else { return false };
            other.parts.swap_remove(place);
        }
        let is_index = |part: &Part| part.by > 0 && part.widened == Some(Widened::Unsigned);
        let is_behind = other.number >= at.number.saturating_add(size);
        match other.parts.as_slice() {
            [] => is_behind || other.number.saturating_add(bytes(self.kernel, write)) <= at.number,
            indices => is_behind && indices.iter().all(is_index),
        }
    }

    /// Returns true if a write is to a structure of which the number was taken from another counter, so that no other one has it.
    fn is_in_new_one(&self, write: Inst, counter: Inst) -> bool {
        let Some(at) = self.linear_address(write) else { return false };
        let (new, rest): (Vec<Part>, Vec<Part>) =
            at.parts.into_iter().partition(|part| self.is_new(part.value, counter));
        !new.is_empty() && rest.into_iter().all(|part| self.stays_by_name(part.value).is_some())
    }

    /// Returns true if a value is a number that was taken from another counter than one, which nothing else is done to, in this round; or in an earlier one, if nobody has been given it since.
    fn is_new(&self, value: Value, counter: Inst) -> bool {
        let values = &self.facts.values;
        let is_taken = |value: Value| match values.kind(value) {
            ValueKind::Def(inst, _) if inst != counter && self.taken(inst).is_some() => {
                self.contains(values.block(value)) && self.others_at(inst).next().is_none()
            }
            _ => false,
        };
        let value = self.origin(value);
        if is_taken(value) {
            return true;
        }
        let (mut seen, mut work, mut found) = (FxHashSet::from_iter([value]), vec![value], false);
        while let Some(value) = work.pop() {
            if is_taken(value) {
                found = true;
                continue;
            }
            // No number yet.
            if values.copied_to(self.kernel, value).is_some_and(|number| number < 0) {
                continue;
            }
            if !matches!(values.kind(value), ValueKind::Phi(..)) || seen.len() > MOST_VALUES {
                return false;
            }
            let inputs = values.phi_inputs(value).iter().map(|&(_, input)| self.origin(input));
            work.extend(inputs.filter(|&input| seen.insert(input)));
        }
        seen.retain(|&number| values.copied_to(self.kernel, number).is_none());
        found && self.cycle.insts(self.facts).all(|inst| !self.gives_away(inst, &seen))
    }

    /// The other instructions of the loop that may write to a counter, by their names.
    fn others_at(&self, counter: Inst) -> impl Iterator<Item = Inst> {
        let places = |inst: Inst| accesses(self.facts, self.kernel, self.context, inst).into_iter();
        let own: Vec<_> = places(counter).map(|access| access.place).collect();
        self.cycle.insts(self.facts).filter(move |&other| {
            let mut written = places(other).filter(|access| access.writes);
            other != counter && written.any(|access| own.iter().any(|own| access.place.may_meet(own)))
        })
    }

    /// Returns true if a lane may stay in the loop after it has written one of some values to memory: by anything but a comparison and swap behind which it leaves if that has succeeded.
    fn gives_away(&self, inst: Inst, numbers: &FxHashSet<Value>) -> bool {
        let (facts, kernel) = (self.facts, self.kernel);
        if !matches!(kernel.properties(inst).memory, Memory::Write | Memory::Atomic)
            || kernel.properties(inst).space == Some(Space::Local)
        {
            return false;
        }
        let operands = kernel.operands(inst).iter().filter(|operand| !matches!(operand, Operand::Address(..)));
        let written = operands.filter_map(|operand| facts.values.of_operand(inst, operand));
        if !written.map(|value| self.origin(value)).any(|value| self.is_computed_from(value, numbers)) {
            return false;
        }
        let is_swap = kernel.properties(inst).memory == Memory::Atomic && kernel.opcode(inst).has(Modifier::Cas);
        let (Some(wanted), Some(block)) = (self.given(inst, 1).filter(|_| is_swap), facts.cfg.block_of(inst)) else {
            return true;
        };
        let wanted_value = facts.values.of_operand(inst, &wanted).map(|value| self.origin(value));
        let wanted_number = facts.values.constant(kernel, inst, &wanted);
        let fails = |&to: &Block| {
            self.conditions(block, to).into_iter().any(|(made, holds)| {
                let &[_, one, other] = kernel.operands(made) else { return false };
                let of = |operand: &Operand| facts.values.of_operand(made, operand).map(|value| self.origin(value));
                let is_result = |operand: &Operand| {
                    of(operand).is_some_and(|value| facts.values.defs(inst).iter().any(|&(_, made)| made == value))
                };
                let is_wanted = |operand: &Operand| {
                    of(operand).is_some_and(|value| Some(value) == wanted_value)
                        || facts.values.constant(kernel, made, operand).is_some_and(|one| Some(one) == wanted_number)
                };
                let compares = is_result(&one) && is_wanted(&other) || is_result(&other) && is_wanted(&one);
                let relation = kernel.properties(made).comparison.map(|comparison| comparison.relation_if(holds));
                compares && relation == Some(Relation::NotEqual)
            })
        };
        !facts.cfg.distinct_succs(block).iter().filter(|&&to| self.contains(to)).all(fails)
    }

    /// Returns true if a value is made from one of some others without memory.
    fn is_computed_from(&self, value: Value, from: &FxHashSet<Value>) -> bool {
        let (mut seen, mut work) = (FxHashSet::default(), vec![value]);
        while let Some(value) = work.pop() {
            if from.contains(&self.origin(value)) || seen.len() > MOST_VALUES {
                return true;
            }
            if self.contains(self.facts.values.block(value)) && self.read(value).is_none() {
                let inputs = self.facts.values.inputs(self.kernel, value).into_iter();
                work.extend(inputs.filter(|&input| seen.insert(input)));
            }
        }
        false
    }
}
