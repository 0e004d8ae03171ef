//! Writes that get no lane out of a loop that it would not have left before.
//!
//! ```text
//! while (true) {
//!     seen = *slot;
//!     if (seen == 0) seen = CAS(slot, 0, key);         who reads 0 leaves, or finds something else
//!     if (seen == 0 || seen == key) break;
//!     slot = next(slot);
//! }
//! ```
//!
//! A comparison with a constant changes a place only while that holds the constant. If a lane reads a place in an iteration and stays, and has found something else there than the
//! constant, in this read or in another one of the same place in that iteration or the next one, such a write is none that it waits for.
//!
//! # Why
//!
//! Assume that lanes stay in loops for ever on a machine with a reconvergence stack, and that of the writes that their loops depend on, those that are kept back are of this kind.
//! Let those who are kept back go on, on a machine without a stack, each one's comparison at a time when it fails; then it changes nothing, and all lanes that stayed
//! still do. If there is no such time any more, the place holds the constant from then on, until this write. A lane that stays and reads the place again and again then stays in an iteration in which it has
//! found the constant only: a contradiction. If it does not read the place any more, the write does not concern it. So this is a fair schedule under which
//! the kernel does not end, which it is assumed to do.

use analysis::Analyses;
use cranelift_entity::PrimaryMap;
use ptx_parser::{Flow, Inst, Kernel, Linear, Memory, Modifier, Operand};
use rustc_hash::FxHashSet;

use super::path_condition::PathCondition;
use super::region::Region;
use super::size_limits::LARGEST;
use super::symbolic_execution::{Execution, Others};
use super::symbolic_memory::Spot;
use super::terms::Term;
use crate::detect::alias::{Location, place};
use crate::detect::loops::{Cycle, CycleId};
use crate::detect::module_context::Context;
use crate::detect::spin_loops::{Waits, WaitsId};

/// The most ways through two iterations that are looked at.
const MOST_STAYS: usize = 1000;

/// The most copies that a constant is followed through.
const MOST_COPIES: usize = 8;

/// Per loop that may wait, the writes that it does not wait for.
pub(crate) fn without_effect(
    facts: &Analyses,
    kernel: &Kernel,
    context: &Context,
    cycles: &PrimaryMap<CycleId, Cycle>,
    waits: &PrimaryMap<WaitsId, Waits>,
) -> PrimaryMap<WaitsId, FxHashSet<Inst>> {
    let look = Look { facts, kernel, context };
    let insts = facts.cfg.blocks().flat_map(|block| facts.cfg.insts(block).iter().copied());
    let swaps: Vec<(Inst, Location, u64)> =
        if waits.is_empty() { Vec::new() } else { insts.filter_map(|inst| look.swap(inst)).collect() };
    waits.values().map(|waits| look.ignored(&cycles[waits.cycle], &swaps).unwrap_or_default()).collect()
}

struct Look<'a> {
    facts: &'a Analyses,
    kernel: &'a Kernel,
    context: &'a Context,
}

impl Look<'_> {
    /// A comparison and swap, with its place and the constant that it compares with.
    fn swap(&self, inst: Inst) -> Option<(Inst, Location, u64)> {
        let opcode = self.kernel.opcode(inst);
        let operands = self.kernel.operands(inst);
        if self.kernel.properties(inst).memory != Memory::Atomic || !opcode.has(Modifier::Cas) {
            return None;
        }
        let at = operands.iter().position(|operand| matches!(operand, Operand::Address(..)))?;
        Some((inst, place(self.facts, self.kernel, inst), self.number(inst, *operands.get(at + 1)?)?))
    }

    fn number(&self, inst: Inst, operand: Operand) -> Option<u64> {
        let (mut inst, mut operand) = (inst, operand);
        for _ in 0..MOST_COPIES {
            if let Operand::Int(number) = operand {
                return u64::try_from(number).ok();
            }
            let made = self.facts.values.made_by(self.kernel, self.facts.values.of_operand(inst, &operand)?)?;
            let &[_, one] = self.kernel.operands(made) else { return None };
            if self.kernel.properties(made).linear != Some(Linear::Same) || self.kernel.inst(made).guard.is_some() {
                return None;
            }
            (inst, operand) = (made, one);
        }
        None
    }

    fn ignored(&self, cycle: &Cycle, swaps: &[(Inst, Location, u64)]) -> Option<FxHashSet<Inst>> {
        let (facts, kernel) = (self.facts, self.kernel);
        if swaps.is_empty() || cycle.size(facts) > LARGEST {
            return None;
        }
        let region = match cycle.natural() {
            Some(id) => Region::of_loop(facts, id),
            None => Region::of_cycle(facts, cycle)?,
        };
        let odd = |inst: Inst| {
            let properties = kernel.properties(inst);
            properties.convergent || properties.flow == Flow::Call || properties.memory == Memory::Unknown
        };
        let is_odd = |&block: &analysis::Block| facts.loops.is_irreducible(block);
        let calls = |inst: Inst| crate::detect::accesses::calls_anything(kernel, self.context, inst);
        if !region.inner.is_empty()
            || region.blocks.iter().any(is_odd)
            || cycle.insts(facts).any(|inst| odd(inst) || calls(inst))
        {
            return None;
        }
        let none = FxHashSet::default();
        let mut execution = Execution::new(facts, kernel, &region, &none, &none);
        let start = execution.anywhere();
        // What is read last may be looked at in the next iteration only.
        let mut stays = Vec::new();
        for first in execution.iterate(start, Others::Busy)? {
            let read = first.read.clone();
            for mut second in execution.iterate(first, Others::Busy)? {
                second.read = [read.as_slice(), &second.read].concat();
                stays.push((read.len(), second));
                if stays.len() > MOST_STAYS {
                    return None;
                }
            }
        }
        let ignored = swaps.iter().filter(|(_, place, number)| {
            stays.iter().all(|(first, stay)| {
                let concerned = stay.read.iter().take(*first).filter(|(spot, _)| spot.place.may_alias(place));
                concerned.into_iter().all(|&(spot, _)| {
                    spot.place.bytes() == place.bytes()
                        && spot.bytes == place.bytes().unwrap_or(0)
                        && finds_another(&mut execution, &stay.known, &stay.read, &spot, *number)
                })
            })
        });
        Some(ignored.map(|&(inst, ..)| inst).collect())
    }
}

/// Returns true if a lane has found something else than a number in a place.
fn finds_another(
    execution: &mut Execution<'_>,
    known: &PathCondition,
    reads: &[(Spot, Option<Term>)],
    at: &Spot,
    number: u64,
) -> bool {
    let address = |execution: &mut Execution<'_>, spot: &Spot| {
        let base = known.canonical(&mut execution.terms, spot.base);
        let (base, more) = execution.terms.parts(base);
        (base, spot.offset.wrapping_add(more), spot.bytes)
    };
    let here = address(execution, at);
    reads.iter().any(|(spot, value)| {
        let Some(value) = *value else { return false };
        if address(execution, spot) != here {
            return false;
        }
        let number = execution.terms.number(number);
        let same = execution.terms.equal(value, number);
        known.holds(&mut execution.terms, same) == Some(false)
    })
}
