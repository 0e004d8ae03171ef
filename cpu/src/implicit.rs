//! Implicit synchronisation: the instructions in front of which lanes of a warp meet, because on a GPU they execute in lockstep (Guo et al., Section V).
//!
//! Between barriers a thread loop runs one lane after the other. That keeps the order of two accesses of different lanes unless they may touch a common byte, one of them
//! writes, and the one that comes later in lockstep is executed first. So lanes meet in front of an access that such a dependence leads to: then all of them have made the
//! accesses before it. Which accesses these are is decided without the direction of the dependence, so that some that a thread loop would keep are among them.
//!
//! Three kinds of pairs are taken for independent:
//!
//! - accesses in different objects, where pointers of different parameters count as different objects ([`ASSUMPTION`]);
//! - two atomics, whose order lockstep does not give either;
//! - accesses whose addresses differ between any two lanes of a row ([`MemoryDependence::are_disjoint_in_a_row`]), in blocks whose warps lie in rows.

use analysis::{Access, Analyses, Block, MemoryDependence, Value};
use ptx_parser::{Flow, Inst, Kernel, Memory, Space};
use rustc_hash::FxHashSet;

use crate::Sync;
use crate::cuts::is_barrier;

/// What `splitting` takes for granted, as a sentence.
pub(crate) const ASSUMPTION: &str =
    "pointers that are passed as different parameters are taken to point to memory that does not overlap";

/// Kernels with more accesses than this are not looked at pair by pair: lanes meet at each of them.
const MOST: usize = 600;

/// The instructions in front of which lanes of a warp meet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meetings {
    /// In any block.
    pub(crate) insts: FxHashSet<Inst>,
    /// True if there are none in blocks whose warps lie in rows: those of one dimension, or with a multiple of 32 threads in x.
    pub(crate) none_in_rows: bool,
    /// True if [`ASSUMPTION`] has been used.
    pub(crate) assumes: bool,
}

impl Meetings {
    /// Finds them for a treatment.
    pub(crate) fn of(kernel: &Kernel, analyses: &Analyses, sync: Sync) -> Meetings {
        let cfg = &analyses.cfg;
        let placed = || cfg.reverse_postorder().iter().flat_map(|&block| cfg.insts(block)).copied();
        let shared: Vec<Inst> = placed().filter(|&inst| accesses_shared_state(kernel, inst)).collect();
        match sync {
            Sync::Basic => Meetings { none_in_rows: true, ..Meetings::default() },
            Sync::Merging => Meetings { insts: shared.into_iter().collect(), ..Meetings::default() },
            Sync::Splitting if shared.len() > MOST => {
                Meetings { insts: shared.into_iter().collect(), ..Meetings::default() }
            }
            Sync::Splitting => splitting(kernel, analyses, &shared),
        }
    }
}

fn splitting(kernel: &Kernel, analyses: &Analyses, shared: &[Inst]) -> Meetings {
    let all: Vec<usize> = (0..kernel.params().len()).collect();
    let of = |restricted: &[usize]| {
        let Analyses { cfg, loops, values, invariance, .. } = analyses;
        MemoryDependence::of(kernel, cfg, loops, values, invariance, restricted)
    };
    // The second one does not assume anything of parameters.
    let (dependence, strict) = (of(&all), of(&[]));
    let accesses: Vec<(Inst, Option<Access>)> = shared.iter().map(|&inst| (inst, dependence.access(inst))).collect();
    let mut meetings = Meetings { none_in_rows: true, ..Meetings::default() };
    for (inst, access) in &accesses {
        for later in reached(kernel, analyses, *inst) {
            let Some((_, other)) = accesses.iter().find(|(other, _)| *other == later) else { continue };
            let (Some(one), Some(other)) = (access, other) else { continue };
            let atomics =
                kernel.properties(*inst).memory == Memory::Atomic && kernel.properties(later).memory == Memory::Atomic;
            if !(one.writes || other.writes) || atomics {
                continue;
            }
            if dependence.are_in_different_objects(one, other) {
                meetings.assumes |= !strict.are_in_different_objects(one, other);
                continue;
            }
            meetings.insts.insert(later);
            let same = |value: Value| is_same_for_all(analyses, value, [*inst, later]);
            meetings.none_in_rows &= dependence.are_disjoint_in_a_row(one, other, &same);
        }
    }
    meetings
}

/// Returns true if a value is the same for all lanes of a warp and at each execution of some instructions.
fn is_same_for_all(analyses: &Analyses, value: Value, insts: [Inst; 2]) -> bool {
    let Analyses { cfg, loops, values, divergence, .. } = analyses;
    let defined = values.block(value);
    let around: Vec<_> = loops.around(defined).collect();
    let changes =
        |inst: Inst| cfg.block_of(inst).is_none_or(|block| loops.around(block).any(|id| around.contains(&id)));
    divergence.value_is_uniform(value) && !loops.is_irreducible(defined) && !insts.into_iter().any(changes)
}

/// The accesses that a thread may come to behind an instruction before the next barrier of its block.
fn reached(kernel: &Kernel, analyses: &Analyses, from: Inst) -> Vec<Inst> {
    let cfg = &analyses.cfg;
    let Some(block) = cfg.block_of(from) else { return Vec::new() };
    let mut found = Vec::new();
    let mut seen: FxHashSet<Block> = FxHashSet::default();
    let position = cfg.insts(block).iter().position(|&inst| inst == from).unwrap_or(0);
    let mut work = vec![(block, position + 1)];
    while let Some((block, first)) = work.pop() {
        let mut passes = true;
        for &inst in cfg.insts(block).iter().skip(first) {
            if is_barrier(kernel, inst) && kernel.inst(inst).guard.is_none() {
                passes = false;
                break;
            }
            if accesses_shared_state(kernel, inst) {
                found.push(inst);
            }
        }
        if passes {
            work.extend(cfg.distinct_succs(block).into_iter().filter(|&succ| seen.insert(succ)).map(|succ| (succ, 0)));
        }
    }
    found
}

/// Returns true if an instruction accesses memory that lanes share.
pub(crate) fn accesses_shared_state(kernel: &Kernel, inst: Inst) -> bool {
    let properties = kernel.properties(inst);
    match properties.memory {
        Memory::None | Memory::Fence => false,
        // A call is not an access; its function runs to its end.
        Memory::Unknown if properties.flow == Flow::Call => false,
        Memory::Read if kernel.opcode(inst).is_noncoherent() => false,
        _ => !matches!(properties.space, Some(Space::Const | Space::Param | Space::Local)),
    }
}
