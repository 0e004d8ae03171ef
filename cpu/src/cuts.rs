//! The cuts of a kernel: the places where a thread stops so that others can run.
//!
//! Between two cuts a thread runs by itself: the code from a cut to the next ones is a segment, which becomes the body of a loop over threads. Cuts are
//!
//! - the entry,
//! - barriers, behind which threads go on when all have come ([`CutKind::Barrier`]),
//! - operations that lanes of a warp execute together ([`CutKind::Collective`]),
//! - instructions in front of which lanes of a warp meet, because they depend on what others did before in lockstep ([`CutKind::Implicit`]),
//! - headers of loops in which lanes may part at such a cut, so that all of them have done an iteration before one begins the next; lanes also meet in front of their
//!   first instruction,
//! - calls of functions in which threads meet, behind which threads go on when they return ([`CutKind::Call`]),
//! - headers of loops that may wait for another thread, where others get their turn ([`CutKind::Turn`]).

use analysis::{Analyses, Block, Loop, may_wait};
use cranelift_entity::{PrimaryMap, entity_impl};
use ptx_parser::{Inst, Kernel, Mnemonic, Modifier, Reg};
use rustc_hash::FxHashMap;

use crate::sequence::Sequence;

/// A cut. Cuts are numbered in the order in which a warp comes to them (Guo et al., Section V: sequence numbers).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Cut(u32);
entity_impl!(Cut, "cut");

/// The kinds of cuts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CutKind {
    Entry,
    Barrier(Inst),
    Collective(Inst),
    Implicit(Inst),
    /// In front of an instruction at which lanes of a row may part: those of the warp take turns from there on. Threads that take turns do not stop at it.
    Part(Inst),
    Call(Inst),
    Turn,
}

impl CutKind {
    /// The instruction of a cut that is at one.
    pub(crate) fn inst(self) -> Option<Inst> {
        match self {
            CutKind::Barrier(inst)
            | CutKind::Collective(inst)
            | CutKind::Implicit(inst)
            | CutKind::Part(inst)
            | CutKind::Call(inst) => Some(inst),
            CutKind::Entry | CutKind::Turn => None,
        }
    }
}

/// A cut, and where its segment begins.
#[derive(Clone, Debug)]
pub(crate) struct CutData {
    pub(crate) kind: CutKind,
    pub(crate) block: Block,
    /// The first instruction of the segment, as an index into those of the block.
    pub(crate) index: usize,
    /// The registers that a thread takes along.
    pub(crate) live: Vec<Reg>,
}

/// All cuts of a kernel.
#[derive(Clone, Debug)]
pub(crate) struct Cuts {
    pub(crate) cuts: PrimaryMap<Cut, CutData>,
    at_inst: FxHashMap<Inst, Cut>,
    at_block: FxHashMap<Block, Cut>,
    parts: FxHashMap<Inst, Cut>,
}

impl Cuts {
    /// Finds the cuts of a kernel. `meets` says of an instruction whether the lanes of a warp meet in front of it, `calls` of
    /// a call whether its function may read what another thread writes, and `enters` whether threads meet in it.
    pub(crate) fn of(
        kernel: &Kernel,
        analyses: &Analyses,
        meets: impl Fn(Inst) -> bool,
        calls: &dyn Fn(Inst) -> bool,
        enters: &dyn Fn(Inst) -> bool,
    ) -> Cuts {
        let cfg = &analyses.cfg;
        let sequence = Sequence::of(analyses);
        let mut found: Vec<(Order, CutData)> = Vec::new();
        for &block in cfg.reverse_postorder() {
            let order = |index: usize| (sequence.position(block), 0, index);
            let heads = |id: &Loop| analyses.loops.header(*id) == block;
            let waits = analyses.loops.iter().filter(heads).any(|id| may_wait(kernel, analyses, id, calls))
                || closes_irreducible_cycle(analyses, block);
            if waits {
                let live = analyses.liveness.live_in(block).to_vec();
                found.push((order(0), CutData { kind: CutKind::Turn, block, index: 0, live }));
            }
            for (index, &inst) in cfg.insts(block).iter().enumerate() {
                let before = || analyses.liveness.live_before(kernel, cfg, inst);
                let after = || {
                    let mut live = analyses.liveness.live_after(kernel, cfg, inst);
                    let defs = kernel.defs(inst);
                    live.retain(|reg| !defs.contains(reg));
                    live
                };
                let data = match () {
                    () if is_barrier(kernel, inst) => {
                        CutData { kind: CutKind::Barrier(inst), block, index: index + 1, live: after() }
                    }
                    () if is_collective(kernel, inst) => {
                        CutData { kind: CutKind::Collective(inst), block, index: index + 1, live: after() }
                    }
                    () if enters(inst) => CutData { kind: CutKind::Call(inst), block, index: index + 1, live: after() },
                    () if meets(inst) => CutData { kind: CutKind::Implicit(inst), block, index, live: before() },
                    () => continue,
                };
                found.push((order(index + 1), data));
            }
        }
        let parting: Vec<Loop> = analyses.loops.iter().filter(|&id| lanes_may_part_in(analyses, id, &found)).collect();
        for id in parting {
            let header = analyses.loops.header(id);
            let Some(&first) = cfg.insts(header).first() else { continue };
            // Behind all cuts of the loop, and of inner ones.
            let order = (sequence.last(id), usize::MAX - analyses.loops.depth(id) as usize, 0);
            match found.iter_mut().find(|(_, cut)| cut.block == header && cut.kind.inst() == Some(first)) {
                Some((at, CutData { kind: CutKind::Implicit(_), .. })) => *at = order,
                // Lanes wait there anyway, or go into a function together with those that come at the same time.
                Some(_) => {}
                None => {
                    let live = analyses.liveness.live_before(kernel, cfg, first);
                    found.push((order, CutData { kind: CutKind::Implicit(first), block: header, index: 0, live }));
                }
            }
        }
        found.sort_by_key(|&(order, _)| order);
        let mut cuts = PrimaryMap::new();
        cuts.push(CutData { kind: CutKind::Entry, block: cfg.entry(), index: 0, live: Vec::new() });
        let (mut at_inst, mut at_block) = (FxHashMap::default(), FxHashMap::default());
        for (_, data) in found {
            let (kind, block) = (data.kind, data.block);
            let cut = cuts.push(data);
            match kind.inst() {
                Some(inst) => at_inst.insert(inst, cut),
                None => at_block.insert(block, cut),
            };
        }
        Cuts { cuts, at_inst, at_block, parts: FxHashMap::default() }
    }

    /// Adds the cut at which lanes of a row part in front of an instruction, if it is not there yet.
    pub(crate) fn add_part(&mut self, kernel: &Kernel, analyses: &Analyses, inst: Inst) {
        let cfg = &analyses.cfg;
        let Some(block) = cfg.block_of(inst).filter(|_| !self.parts.contains_key(&inst)) else { return };
        let index = cfg.insts(block).iter().position(|&other| other == inst).unwrap_or(0);
        let live = analyses.liveness.live_before(kernel, cfg, inst);
        let cut = self.cuts.push(CutData { kind: CutKind::Part(inst), block, index, live });
        self.parts.insert(inst, cut);
    }

    /// The cut at which lanes of a row part in front of an instruction.
    pub(crate) fn part(&self, inst: Inst) -> Option<Cut> {
        self.parts.get(&inst).copied()
    }

    /// Returns true if rows of lanes begin at a cut.
    pub(crate) fn begins_row(&self, cut: Cut) -> bool {
        matches!(self.cuts[cut].kind, CutKind::Entry | CutKind::Barrier(_))
    }

    /// The cut at an instruction.
    pub(crate) fn at_inst(&self, inst: Inst) -> Option<Cut> {
        self.at_inst.get(&inst).copied()
    }

    /// The cut at the beginning of a block.
    pub(crate) fn at_block(&self, block: Block) -> Option<Cut> {
        self.at_block.get(&block).copied()
    }
}

/// The place of a cut among all: by block, then those at the end of iterations, then by instruction.
type Order = (usize, usize, usize);

/// Returns true if some lanes may stop at a cut in a loop where others go past it into the next iteration. Then all have to meet before that.
fn lanes_may_part_in(analyses: &Analyses, id: Loop, cuts: &[(Order, CutData)]) -> bool {
    let Analyses { loops, divergence, .. } = analyses;
    let passed_by = |block: Block| {
        let always = analyses.is_in_each_iteration(block, id);
        divergence.block_is_divergent(block) && (!always || loops.innermost(block) != Some(id))
    };
    let is_met = |kind: CutKind| matches!(kind, CutKind::Implicit(_) | CutKind::Collective(_) | CutKind::Call(_));
    cuts.iter().any(|(_, cut)| is_met(cut.kind) && loops.contains(id, cut.block) && passed_by(cut.block))
}

/// Returns true for a barrier of the block.
pub(crate) fn is_barrier(kernel: &Kernel, inst: Inst) -> bool {
    let opcode = kernel.opcode(inst);
    matches!(opcode.mnemonic(), Mnemonic::Bar | Mnemonic::Barrier) && !opcode.has(Modifier::Warp)
}

/// Returns true for an operation that lanes of a warp execute together.
pub(crate) fn is_collective(kernel: &Kernel, inst: Inst) -> bool {
    let opcode = kernel.opcode(inst);
    match opcode.mnemonic() {
        Mnemonic::Bar | Mnemonic::Barrier => opcode.has(Modifier::Warp),
        Mnemonic::Vote
        | Mnemonic::Shfl
        | Mnemonic::Match
        | Mnemonic::Redux
        | Mnemonic::Activemask
        | Mnemonic::Elect => true,
        _ => false,
    }
}

/// Returns true if an edge of an irreducible cycle leads back to a block, in the order of the control flow. Without these edges there is no such cycle. What decides
/// whether a lane leaves it is not looked at.
fn closes_irreducible_cycle(analyses: &Analyses, block: Block) -> bool {
    let cfg = &analyses.cfg;
    let leads_back = |pred: Block| analyses.loops.is_irreducible(pred) && cfg.rpo_index(pred) >= cfg.rpo_index(block);
    analyses.loops.is_irreducible(block) && cfg.reachable_preds(block).any(leads_back)
}
