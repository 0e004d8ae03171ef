//! Loops in which a lane can learn of what other threads do meanwhile, and the reads that decide whether it leaves.
//!
//! - By an atomic, a volatile or ordered read, a fence, a barrier, an exchange between lanes, or a call, as the ISA promises.
//! - By a read that the hardware makes anew each time although the ISA calls it weak: `ld.cg`, `ld.cv` and loads from surfaces, on which programs spin.
//! - By any other weak read that the compiler left in a loop in which the slice of the exit computes nothing from what it was in the last iteration, neither a
//!   counter nor the next address: then the lane leaves after a few iterations, or by what others write, or never. Unoptimised code and inline assembly spin in this way.
//!
//! With other weak reads alone a loop waits for nobody: what such a read would see of a write that nothing orders before it is a data race,
//! of which the program means nothing (PTX ISA, "Memory Consistency Model"), and the compiler may read but once. So searches through lists and arrays are
//! no waits, nor is a loop that keeps its state in memory that it reads weakly. They are told from the others here (`searches`): where somebody writes what such a loop reads, that is an assumption that
//! the user is told, and none with `--strict`.

use analysis::{Analyses, Block, Value, ValueKind};
use cranelift_entity::{PrimaryMap, entity_impl};
use ptx_parser::{Inst, Kernel, Logic, Memory, Mnemonic, Modifier, Ordering, Running, Space};
use rustc_hash::FxHashSet;

use crate::detect::accesses::{accesses, reads};
use crate::detect::alias::Location;
use crate::detect::exit_slice::{Awaited, Controls, awaited, is_call, may_read_local, may_store_to_local};
use crate::detect::loops::{Cycle, CycleId, Having};
use crate::detect::module_context::Context;

/// Names a [`Waits`] of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct WaitsId(u32);
entity_impl!(WaitsId, "waits");

/// A loop that may wait, with the reads that decide whether a lane leaves it.
#[derive(Clone, Debug)]
pub(crate) struct Waits {
    pub(crate) cycle: CycleId,
    pub(crate) reads: Vec<Inst>,
    /// True if the ISA promises nothing of its reads.
    pub(crate) weak: bool,
    /// True if it searches by weak reads alone, so that nothing orders what others write before them.
    pub(crate) searches: bool,
}

/// Returns the loops that may wait or search, in their order.
pub(crate) fn waits(
    facts: &Analyses,
    kernel: &Kernel,
    context: &Context,
    controls: &Controls,
    cycles: &PrimaryMap<CycleId, Cycle>,
) -> Vec<Waits> {
    let having = |holds: &dyn Fn(Inst) -> bool| {
        Having::of(facts, |block: Block| facts.cfg.insts(block).iter().any(|&inst| holds(inst)))
    };
    let promised = having(&|inst| is_promised(kernel, inst));
    let reread = having(&|inst| is_reread(kernel, inst));
    let reading = having(&|inst| reads(facts, kernel, context, inst));
    let may = |cycle: &Cycle| promised.is_in(cycle) || reading.is_in(cycle);
    let candidates: Vec<(CycleId, &Cycle)> = cycles.iter().filter(|(_, cycle)| may(cycle)).collect();
    let looked_at: Vec<&Cycle> = candidates.iter().map(|&(_, cycle)| cycle).collect();
    let slices = awaited(facts, kernel, context, controls, &looked_at);
    let mut waits = Vec::new();
    for ((id, cycle), slice) in candidates.into_iter().zip(slices) {
        if slice.reads.is_empty() {
            continue;
        }
        let promised = promised.is_in(cycle);
        let look = Look { facts, kernel, context, cycle };
        let searches = !promised && !reread.is_in(cycle) && !spins(&look, &slice);
        waits.push(Waits { cycle: id, reads: slice.reads, weak: !promised, searches });
    }
    waits
}

/// Returns true if the ISA promises that a lane learns of others by an instruction.
pub(crate) fn is_promised(kernel: &Kernel, inst: Inst) -> bool {
    let properties = kernel.properties(inst);
    match properties.memory {
        Memory::None => properties.convergent,
        Memory::Read => properties.ordering != Ordering::Weak && properties.space != Some(Space::Local),
        Memory::Write => false,
        Memory::Atomic | Memory::Fence | Memory::Unknown => true,
    }
}

/// Returns true if the hardware makes a weak read anew each time.
fn is_reread(kernel: &Kernel, inst: Inst) -> bool {
    let opcode = kernel.opcode(inst);
    let passes_first_level = opcode.has_any(&[Modifier::Cg, Modifier::Cv]) || opcode.mnemonic() == Mnemonic::Suld;
    kernel.properties(inst).memory == Memory::Read && passes_first_level && !opcode.is_noncoherent()
}

/// The most values that are followed to see whether one is computed from itself.
const MOST_VALUES: usize = 500;

/// Returns true if only a write of another thread gets a lane out of a loop once it has gone round.
fn spins(look: &Look<'_>, slice: &Awaited) -> bool {
    let &Look { facts, kernel, context, cycle } = look;
    let places = |inst: Inst, writes: bool| {
        let all = accesses(facts, kernel, context, inst).into_iter();
        all.filter(move |access| if writes { access.writes } else { access.reads }).map(|access| access.place)
    };
    let written = || cycle.insts(facts).flat_map(|inst| places(inst, true));
    let is_read = |written: Location| {
        slice.reads.iter().flat_map(|&read| places(read, false)).any(|read| read.may_alias(&written))
    };
    let keeps_state = slice.carried.iter().any(|&phi| look.is_computed_from_itself(phi))
        || (slice.stores && look.keeps_state())
        || written().any(is_read);
    !keeps_state
}

struct Look<'a> {
    facts: &'a Analyses,
    kernel: &'a Kernel,
    context: &'a Context,
    cycle: &'a Cycle,
}

impl Look<'_> {
    /// Returns true if a value of an iteration is computed from that of the last one, by more than copies and choices.
    fn is_computed_from_itself(&self, phi: Value) -> bool {
        let (mut seen, mut work) = (FxHashSet::default(), vec![(phi, false)]);
        while let Some((value, computed)) = work.pop() {
            if seen.len() > MOST_VALUES {
                return true;
            }
            let copies = match self.facts.values.kind(value) {
                ValueKind::Def(inst, _) => {
                    let properties = self.kernel.properties(inst);
                    matches!(properties.running, Some(Running::Copy | Running::Choice))
                        || properties.logic == Some(Logic::Same)
                }
                _ => true,
            };
            let computed = computed || !copies;
            for input in self.facts.values.inputs(self.kernel, value) {
                if input == phi && computed {
                    return true;
                }
                let inside = self.cycle.contains(self.facts, self.facts.values.block(input));
                if inside && seen.insert((input, computed)) {
                    work.push((input, computed));
                }
            }
        }
        false
    }

    /// Returns true if something that is stored to the thread's own memory may be computed from what was there.
    fn keeps_state(&self) -> bool {
        let (mut seen, mut work) = (FxHashSet::default(), Vec::new());
        for inst in self.cycle.insts(self.facts) {
            let properties = self.kernel.properties(inst);
            if is_call(properties) {
                return true;
            }
            if may_store_to_local(properties) {
                work.extend(self.facts.values.uses(inst).iter().map(|&(_, value)| value));
            }
        }
        while let Some(value) = work.pop() {
            if seen.len() > MOST_VALUES {
                return true;
            }
            if let ValueKind::Def(inst, _) = self.facts.values.kind(value)
                && may_read_local(self.kernel.properties(inst))
                && accesses(self.facts, self.kernel, self.context, inst).is_empty()
            {
                return true;
            }
            let inputs = self.facts.values.inputs(self.kernel, value).into_iter();
            let inside = |value: &Value| self.cycle.contains(self.facts, self.facts.values.block(*value));
            work.extend(inputs.filter(inside).filter(|&value| seen.insert(value)));
        }
        false
    }
}
