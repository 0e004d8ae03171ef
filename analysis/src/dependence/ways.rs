//! The ways of a thread from one instruction to another on which it meets no other lanes.

use ptx_parser::{Inst, Kernel, Mnemonic, Modifier};
use rustc_hash::FxHashSet;

use crate::analyses::Analyses;
use crate::cfg::Block;
use crate::loops::Loop;

/// Returns true for an instruction at which all lanes of a warp meet that have not ended: a barrier of the CTA, or `bar.warp.sync` of all lanes.
pub(super) fn is_meeting(kernel: &Kernel, analyses: &Analyses, inst: Inst) -> bool {
    let opcode = kernel.opcode(inst);
    if kernel.inst(inst).guard.is_some() || !matches!(opcode.mnemonic(), Mnemonic::Bar | Mnemonic::Barrier) {
        return false;
    }
    let mask = kernel.operands(inst).first();
    !opcode.has(Modifier::Warp) || mask.is_some_and(|mask| analyses.values.names_all_lanes(kernel, inst, mask))
}

/// The ways from an instruction on which lanes do not meet.
pub(super) struct Ways<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) analyses: &'a Analyses,
    /// Says of an instruction whether lanes meet in front of it, beside those at which all do.
    pub(super) stops: &'a dyn Fn(Inst) -> bool,
}

impl Ways<'_> {
    /// Returns the instructions that a thread may come to from in front of one, wherever it goes round.
    pub(super) fn reached(&self, from: Inst) -> FxHashSet<Inst> {
        let cfg = &self.analyses.cfg;
        let mut reached = FxHashSet::default();
        let Some(start) = cfg.block_of(from) else { return reached };
        let first = cfg.insts(start).iter().position(|&one| one == from).unwrap_or(0);
        let mut seen: FxHashSet<Block> = FxHashSet::default();
        let mut work = vec![(start, first)];
        while let Some((block, first)) = work.pop() {
            let mut insts = cfg.insts(block).iter().skip(first);
            let stops = |inst: Inst| is_meeting(self.kernel, self.analyses, inst) || (self.stops)(inst);
            let stopped = insts.any(|&inst| {
                reached.insert(inst);
                stops(inst)
            });
            if !stopped {
                work.extend(
                    cfg.distinct_succs(block).into_iter().filter(|&succ| seen.insert(succ)).map(|succ| (succ, 0)),
                );
            }
        }
        reached
    }

    /// Returns true if a thread may come from one instruction to another. With a loop, the way goes round it, and stays in it; without, it goes round none of the loops that
    /// hold both.
    pub(super) fn lead(&self, from: Inst, to: Inst, round: Option<Loop>) -> bool {
        let Analyses { cfg, loops, .. } = self.analyses;
        let (Some(start), Some(end)) = (cfg.block_of(from), cfg.block_of(to)) else { return false };
        // Way back to these headers end an iteration that both are in.
        let outer = round.map_or_else(|| loops.common(start, end), |id| loops.parent(id));
        let closed: Vec<Block> =
            std::iter::successors(outer, |&id| loops.parent(id)).map(|id| loops.header(id)).collect();
        let position = |block: Block, inst: Inst| cfg.insts(block).iter().position(|&one| one == inst);
        let (Some(first), Some(last)) = (position(start, from), position(end, to)) else { return false };
        let mut seen: FxHashSet<(Block, bool)> = FxHashSet::default();
        let mut work = vec![(start, first + 1, round.is_none())];
        while let Some((block, first, has_gone_round)) = work.pop() {
            let insts = cfg.insts(block);
            let reaches = block == end && first <= last && has_gone_round;
            let until = if reaches { last } else { insts.len() };
            let stops = |&inst: &Inst| is_meeting(self.kernel, self.analyses, inst) || (self.stops)(inst);
            if insts.iter().take(until).skip(first).any(stops) {
                continue;
            }
            if reaches {
                return !(self.stops)(to);
            }
            for succ in cfg.distinct_succs(block) {
                if closed.contains(&succ) || round.is_some_and(|id| !loops.contains(id, succ)) {
                    continue;
                }
                let round_now = has_gone_round || round.is_some_and(|id| loops.header(id) == succ);
                if seen.insert((succ, round_now)) {
                    work.push((succ, 0, round_now));
                }
            }
        }
        false
    }
}
