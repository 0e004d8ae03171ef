//! Accesses that are right only where the lanes of a warp execute in lockstep: a lane reads what another one has written, or overwrites what another one has read, and nothing
//! makes the two meet in between.
//!
//! Chips since sm_70 let lanes run apart, so that this is a mistake. Only what is certain is told:
//!
//! - the difference of the addresses is known, so that lanes do touch the same bytes if both accesses are executed by all that their conditions allow;
//! - the addresses differ from lane to lane: one place for all lanes may be a flag or a lock;
//! - both are plain loads and stores, `volatile` or not: atomics and accesses with an order of their own may be meant to race;
//! - no way from one to the other has a barrier, `bar.warp.sync`, vote or shuffle that may be one of these lanes. The last two do not order memory by the word of the PTX ISA, but do in practice;
//! - no loop that may wait for another thread has one of the two or lies between: what it waits for may be what makes the lanes meet;
//! - what is overwritten is told only of kernels without such a loop: it may have been read in any round of waiting.

use ptx_parser::{Inst, Kernel, Memory, Mnemonic, Modifier, Operand};
use rustc_hash::FxHashSet;

use super::lanes::{Class, DependenceKind, LaneDependence, LaneDependences, Signs};
use crate::analyses::Analyses;
use crate::cfg::Block;
use crate::loops::Loop;
use crate::waiting::may_wait;

impl LaneDependences {
    /// Returns the dependences between lanes whose order only lockstep decides, in CTAs whose warps lie in rows.
    pub fn relying_on_lockstep<'a>(
        &'a self,
        kernel: &'a Kernel,
        analyses: &'a Analyses,
    ) -> impl Iterator<Item = &'a LaneDependence> {
        let waits = |id: &Loop| may_wait(kernel, analyses, *id, &|_| true);
        let waiting: FxHashSet<Block> =
            analyses.loops.iter().filter(waits).flat_map(|id| analyses.loops.blocks(id)).copied().collect();
        self.dependences.iter().filter(move |one| {
            let waits = |inst: Inst| analyses.cfg.block_of(inst).is_some_and(|block| waiting.contains(&block));
            one.class() != Class::Intra
                && one.lanes != Signs::ANY
                && one.is_certain
                && !one.assumes_no_wrap
                && one.kind != DependenceKind::Output
                && (one.kind == DependenceKind::Flow || waiting.is_empty())
                && [one.source, one.sink].into_iter().all(|inst| is_plain(kernel, inst) && !waits(inst))
                && one.is_open(kernel, analyses, &|inst| waits(inst) || may_be_meeting(kernel, analyses, inst))
        })
    }
}

/// Returns true for a load or store that has no order of its own.
fn is_plain(kernel: &Kernel, inst: Inst) -> bool {
    let ordered = [Modifier::Acquire, Modifier::Release, Modifier::Relaxed, Modifier::Mmio]
        .into_iter()
        .any(|word| kernel.opcode(inst).has(word));
    matches!(kernel.properties(inst).memory, Memory::Read | Memory::Write) && !ordered
}

/// Returns true for a barrier, vote, shuffle or the like of lanes of a warp, which may be those that depend on each other: not for one that some lanes are always left out of.
fn may_be_meeting(kernel: &Kernel, analyses: &Analyses, inst: Inst) -> bool {
    let opcode = kernel.opcode(inst);
    let together = [Mnemonic::Vote, Mnemonic::Shfl, Mnemonic::Match, Mnemonic::Redux].contains(&opcode.mnemonic());
    let names =
        |mask: &Operand| !matches!(mask, Operand::Int(_)) || analyses.values.names_all_lanes(kernel, inst, mask);
    (together && opcode.has(Modifier::Sync) || opcode.has(Modifier::Warp))
        && kernel.inst(inst).guard.is_none()
        && kernel.operands(inst).last().is_some_and(names)
}
