//! Atomic updates that are made of a store and a second read, and so need the lanes of a warp to run in lockstep.
//!
//! ```text
//! do {
//!     count = s[bin] & mask;
//!     count = tag | (count + 1);      another tag in each lane
//!     s[bin] = count;                 of lanes with the same bin, one wins
//! } while (s[bin] != count);          and reads what it stored; the others try again
//! ```
//!
//! This counts right only while all lanes store before any of them reads again. Where a lane may be between its read and its store while another
//! goes through the whole loop, the later store undoes the other's, and nobody notices: the paper's assumption that a kernel does the same under
//! every fair schedule does not hold. So a rewrite that lets lanes run apart must not be made of it, and no rewrite makes it right.
//!
//! # What is recognised
//!
//! A loop in which a value that differs between lanes is stored to global or shared memory, the same place is read again behind that store on every
//! way, and a branch that leaves the loop compares what was read with what was stored, as equal or not. There are no atomics, barriers, calls or
//! exchanges between lanes in it, with which a loop would do its own ordering, and no other store between the two: what announces itself in several words, as Lamport's
//! fast mutex does, is made for lanes that run apart.
//!
//! # Why nothing else is
//!
//! A read that surely follows the store of the same thread to the same place, in a loop without any other synchronisation, can only differ from what was
//! stored if another thread has stored there in between. So what the loop waits for is that nobody does: a race that it leaves as its winner. A loop
//! that compares and swaps has an atomic; a spin lock's loop stores nothing, or stores and reads in different places.
//!
//! The other way round, nothing is promised: what is not recognised may need lockstep as well.

use analysis::{Analyses, Block, Value};
use cranelift_entity::PrimaryMap;
use ptx_parser::{Base, Comparison, Flow, Inst, Kernel, Linear, Memory, Operand, Relation, Running, Space};
use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::detect::Detection;
use crate::detect::finding::At;
use crate::detect::loops::{Cycle, CycleId, Having, cycles, path};

/// A loop that needs lockstep.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Lockstep<P = At> {
    /// The store that several lanes make to one place.
    pub store: P,
    /// The read that says which of them has won.
    pub read: P,
    /// The instruction at which the loop begins.
    #[serde(skip)]
    pub at: Option<P>,
}

impl<P> Lockstep<P> {
    /// Puts other places in the places of its instructions.
    pub fn map<Q>(&self, place: impl Fn(&P) -> Q) -> Lockstep<Q> {
        Lockstep { store: place(&self.store), read: place(&self.read), at: self.at.as_ref().map(&place) }
    }
}

/// The greatest depth to which expressions are compared.
const DEEPEST: u32 = 24;

/// Finds the loops of a kernel that need the lanes of a warp to run in lockstep.
#[must_use]
pub fn lockstep(kernel: &Kernel) -> Vec<Lockstep> {
    let facts = Analyses::beside_traps(kernel);
    lockstep_of(&facts, kernel, &cycles(&facts))
}

/// The same where the kernel was looked at already.
pub(crate) fn lockstep_detected(kernel: &Kernel, Detection { facts, survey }: &Detection) -> Vec<Lockstep> {
    lockstep_of(facts, kernel, &survey.cycles)
}

fn lockstep_of(facts: &Analyses, kernel: &Kernel, cycles: &PrimaryMap<CycleId, Cycle>) -> Vec<Lockstep> {
    let look = Look { facts, kernel };
    let ordered = Having::of(facts, |block| facts.cfg.insts(block).iter().any(|&inst| look.orders(inst)));
    let mut found: Vec<Lockstep> = Vec::new();
    let mut known: FxHashSet<Inst> = FxHashSet::default();
    let mut all: Vec<&Cycle> = cycles.values().filter(|cycle| !ordered.is_in(cycle)).collect();
    // A loop around such a one is none itself.
    all.sort_by_key(|cycle| cycle.size(facts));
    for cycle in all {
        for (store, read) in look.pairs(cycle) {
            if known.insert(read) {
                let at = facts.cfg.insts(cycle.begin).first().map(|&inst| At::of(kernel, inst));
                found.push(Lockstep { store: At::of(kernel, store), read: At::of(kernel, read), at });
            }
        }
    }
    found.sort_by_key(|found| found.store.inst);
    found
}

struct Look<'a> {
    facts: &'a Analyses,
    kernel: &'a Kernel,
}

impl Look<'_> {
    /// Returns true if a loop with an instruction does its own ordering.
    fn orders(&self, inst: Inst) -> bool {
        let properties = self.kernel.properties(inst);
        let memory = matches!(properties.memory, Memory::Atomic | Memory::Unknown);
        properties.flow == Flow::Call || properties.convergent || memory
    }

    /// The stores of a loop without such instructions, and the reads that check them.
    fn pairs(&self, cycle: &Cycle) -> Vec<(Inst, Inst)> {
        let is_store = |&inst: &Inst| self.kernel.properties(inst).memory == Memory::Write && self.is_visible(inst);
        let is_inside =
            |&read: &Inst| self.facts.cfg.block_of(read).is_some_and(|block| cycle.contains(self.facts, block));
        let mut pairs = Vec::new();
        for &block in &cycle.deciding {
            let Some(branch) = self.facts.cfg.terminator(block) else { continue };
            let Some(guard) = self.kernel.inst(branch).guard else { continue };
            let Some(condition) = self.facts.values.at_use(branch, guard.reg) else { continue };
            let Some((one, other)) = self.comparison(condition) else { continue };
            for (loaded, kept) in [(one, other), (other, one)] {
                let Some(read) = self.read(loaded).filter(is_inside) else { continue };
                let mut stores = cycle.insts(self.facts).filter(is_store);
                let store = stores.find(|&store| self.checks(cycle, store, read, kept));
                pairs.extend(store.map(|store| (store, read)));
            }
        }
        pairs
    }

    fn is_visible(&self, inst: Inst) -> bool {
        !matches!(self.kernel.properties(inst).space, Some(Space::Local | Space::Param | Space::Const))
    }

    /// Returns true if a read checks that a store is still there, by comparing it with `kept`.
    fn checks(&self, cycle: &Cycle, store: Inst, read: Inst, kept: Value) -> bool {
        let [Operand::Address(to, to_offset), Operand::Reg(reg)] = *self.kernel.operands(store) else { return false };
        let [_, Operand::Address(from, from_offset)] = *self.kernel.operands(read) else { return false };
        let Some(stored) = self.facts.values.at_use(store, reg) else { return false };
        let guarded = self.kernel.inst(store).guard.is_some() || self.kernel.inst(read).guard.is_some();
        let same_place = to_offset == from_offset
            && match (to, from) {
                (Base::Symbol(one), Base::Symbol(other)) => one == other,
                (Base::Reg(one), Base::Reg(other)) => {
                    let one = self.facts.values.at_use(store, one);
                    let other = self.facts.values.at_use(read, other);
                    one.zip(other).is_some_and(|(one, other)| self.same(one, other, DEEPEST))
                }
                _ => false,
            };
        let same_value = self.same(self.plain(stored), self.plain(kept), DEEPEST);
        !guarded
            && same_place
            && same_value
            && self.follows(cycle, store, read)
            && !self.stores_between(cycle, store, read)
            && !self.facts.divergence.value_is_uniform(stored)
    }

    /// Returns true if a store stands on every way to a read, in the same pass of the loop.
    fn follows(&self, cycle: &Cycle, store: Inst, read: Inst) -> bool {
        let block = |inst: Inst| self.facts.cfg.block_of(inst);
        let (Some(first), Some(second)) = (block(store), block(read)) else { return false };
        if first == second {
            let insts = self.facts.cfg.insts(first);
            let place = |inst: Inst| insts.iter().position(|&other| other == inst);
            return place(store) < place(read);
        }
        // Ways round the loop that leave the store out would come to the read by the header.
        !cycle.entries.contains(&second) && self.facts.dominators.dominates(first, second)
    }

    /// Returns true if something else is stored on a way from a store to a read behind it, in the same pass of the loop.
    fn stores_between(&self, cycle: &Cycle, store: Inst, read: Inst) -> bool {
        let block = |inst: Inst| self.facts.cfg.block_of(inst);
        let (Some(first), Some(second)) = (block(store), block(read)) else { return false };
        let is_store = |inst: &Inst| {
            *inst != store && self.kernel.properties(*inst).memory == Memory::Write && self.is_visible(*inst)
        };
        let from = |block: Block| self.facts.cfg.insts(block).iter().skip_while(|&&inst| inst != store);
        let before = |insts: &mut dyn Iterator<Item = &Inst>| insts.take_while(|&&inst| inst != read).any(is_store);
        if first == second {
            return before(&mut from(first));
        }
        let between = path(self.facts, self.facts.cfg.distinct_succs(first), Some(second));
        let mut between = between
            .into_iter()
            .filter(|&block| block != first && cycle.contains(self.facts, block) && !cycle.entries.contains(&block));
        from(first).any(is_store)
            || before(&mut self.facts.cfg.insts(second).iter())
            || between.any(|block| self.facts.cfg.insts(block).iter().any(is_store))
    }

    /// Returns what a predicate compares for being equal or not.
    fn comparison(&self, value: Value) -> Option<(Value, Value)> {
        let mut value = value;
        for _ in 0..DEEPEST {
            let inst = self.facts.values.made_by(self.kernel, value)?;
            let properties = self.kernel.properties(inst);
            let operands = self.kernel.operands(inst);
            let reg = |index: usize| self.facts.values.of_operand(inst, operands.get(index)?);
            if let Some(Comparison { relation, .. }) = properties.comparison {
                let equality = matches!(relation, Relation::Equal | Relation::NotEqual);
                return if equality { Some((reg(1)?, reg(2)?)) } else { None };
            }
            (value, _) = self.facts.values.passed_on(self.kernel, value)?;
        }
        None
    }

    /// The load of memory that other threads see that a value is from, by moves and conversions.
    fn read(&self, value: Value) -> Option<Inst> {
        let inst = self.facts.values.made_by(self.kernel, self.plain(value))?;
        let read = self.kernel.properties(inst).memory == Memory::Read && self.is_visible(inst);
        (read && !self.kernel.opcode(inst).is_noncoherent()).then_some(inst)
    }

    /// Returns what a value is by moves and conversions.
    fn plain(&self, value: Value) -> Value {
        let mut value = value;
        for _ in 0..DEEPEST {
            let Some(inst) = self.facts.values.made_by(self.kernel, value) else { break };
            if self.kernel.properties(inst).linear != Some(Linear::Same) {
                break;
            }
            let Some(Operand::Reg(reg)) = self.kernel.operands(inst).get(1) else { break };
            let Some(from) = self.facts.values.at_use(inst, *reg) else { break };
            value = from;
        }
        value
    }

    /// Returns true if two values of one pass of a loop are equal: one value, or the same computation of equal ones.
    fn same(&self, one: Value, other: Value, depth: u32) -> bool {
        let (one, other) = (self.copied(one), self.copied(other));
        if one == other {
            return true;
        }
        let (Some(depth), Some(first), Some(second)) = (
            depth.checked_sub(1),
            self.facts.values.made_by(self.kernel, one),
            self.facts.values.made_by(self.kernel, other),
        ) else {
            return false;
        };
        let properties = self.kernel.properties(first);
        let pure = properties.memory == Memory::None
            && !properties.convergent
            && !properties.varying
            && !properties.side_effect
            && !properties.carry_in;
        let (left, right) = (self.kernel.operands(first), self.kernel.operands(second));
        if !pure || self.kernel.opcode(first).text() != self.kernel.opcode(second).text() || left.len() != right.len() {
            return false;
        }
        left.iter().zip(right).skip(1).all(|(left, right)| match (left, right) {
            (&Operand::Reg(left), &Operand::Reg(right)) => {
                let left = self.facts.values.at_use(first, left);
                let right = self.facts.values.at_use(second, right);
                left.zip(right).is_some_and(|(left, right)| self.same(left, right, depth))
            }
            (Operand::Special(left), Operand::Special(right)) => {
                left == right && left.name.uniformity() != ptx_parser::Uniformity::WarpVarying && !is_clock(*left)
            }
            (Operand::Int(_) | Operand::Symbol(..), _) => left == right,
            _ => false,
        })
    }

    /// Returns what a value is by moves alone.
    fn copied(&self, value: Value) -> Value {
        let mut value = value;
        for _ in 0..DEEPEST {
            let Some(inst) = self.facts.values.made_by(self.kernel, value) else { break };
            if self.kernel.properties(inst).running != Some(Running::Copy) {
                break;
            }
            let Some(Operand::Reg(reg)) = self.kernel.operands(inst).get(1) else { break };
            let Some(from) = self.facts.values.at_use(inst, *reg) else { break };
            value = from;
        }
        value
    }
}

/// Returns true if a special register is another one each time it is read.
fn is_clock(special: ptx_parser::Special) -> bool {
    let name = special.name.to_string();
    name.starts_with("%clock") || name.starts_with("%globaltimer") || name.starts_with("%pm")
}
