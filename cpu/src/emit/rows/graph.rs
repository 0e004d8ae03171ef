//! The blocks that a row of lanes runs through from one cut to the next barriers, and where lanes that part there meet again.

use std::collections::BTreeSet;

use analysis::{Analyses, Block, Edge};
use ptx_parser::{Flow, Inst, Kernel, Operand, Reg};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Rows;
use crate::cuts::{Cut, Cuts, is_barrier, is_collective};
use crate::emit::segment::{Emitter, Start};
use crate::sequence::Sequence;

/// A block, or the rest of the one in which the segment begins.
pub(crate) struct RowNode {
    pub(crate) start: Start,
    /// The block behind its last instruction; `None` if threads end there, or nothing comes there.
    pub(crate) through: Option<Block>,
    /// Where it leads to, as numbers of nodes.
    succs: Vec<usize>,
    /// True if threads may leave the segment in it.
    leaves: bool,
}

/// See the module.
pub(crate) struct RowGraph {
    /// The first one is where the segment begins; the others are whole blocks in the order in which a warp comes to them.
    pub(crate) nodes: Vec<RowNode>,
    /// The barriers that threads come to; `None` stands for their end.
    pub(crate) targets: BTreeSet<Option<Cut>>,
    /// The registers that are written.
    pub(crate) defined: FxHashSet<Reg>,
    numbers: FxHashMap<Block, usize>,
    /// The nearest node that all ways from a node come to.
    joins: Vec<Option<usize>>,
    /// The nodes behind which lanes run through the code up to their join together, with masks; and that code.
    masked: FxHashMap<usize, Vec<usize>>,
}

impl RowGraph {
    /// Finds the blocks behind a cut.
    pub(crate) fn of(emitter: &Emitter<'_>, cuts: &Cuts, cut: Cut) -> RowGraph {
        let (kernel, cfg) = (emitter.kernel, &emitter.analyses.cfg);
        let data = &cuts.cuts[cut];
        let first = Start { block: data.block, index: data.index, left: None };
        let mut reached: FxHashSet<Block> = FxHashSet::default();
        let mut work = vec![first];
        let mut graph = RowGraph {
            nodes: Vec::new(),
            targets: BTreeSet::new(),
            defined: FxHashSet::default(),
            numbers: FxHashMap::default(),
            joins: Vec::new(),
            masked: FxHashMap::default(),
        };
        while let Some(start) = work.pop() {
            for &inst in cfg.insts(start.block).iter().skip(start.index) {
                if is_stop(kernel, cuts, inst) {
                    break;
                }
                graph.defined.extend(kernel.defs(inst));
                if emitter.may_end(inst) {
                    graph.targets.insert(None);
                }
            }
            match barrier(kernel, cuts, cfg.insts(start.block), start.index) {
                Some(end) => {
                    graph.targets.insert(Some(end));
                }
                None => {
                    if cfg.exits(start.block) {
                        graph.targets.insert(None);
                    }
                    let succs = cfg.distinct_succs(start.block);
                    work.extend(succs.into_iter().filter(|&succ| reached.insert(succ)).map(Start::of));
                }
            }
        }
        let sequence = Sequence::of(emitter.analyses);
        let mut order: Vec<Block> = reached.into_iter().collect();
        order.sort_unstable_by_key(|&block| (sequence.position(block), block));
        let starts: Vec<Start> = std::iter::once(first).chain(order.into_iter().map(Start::of)).collect();
        graph.numbers = starts.iter().enumerate().skip(1).map(|(number, start)| (start.block, number)).collect();
        for start in starts {
            let stops = barrier(kernel, cuts, cfg.insts(start.block), start.index).is_some();
            let succs = if stops { Vec::new() } else { cfg.distinct_succs(start.block).to_vec() };
            let through = cfg.succs(start.block).iter().find(|succ| succ.edge == Edge::Fallthrough);
            graph.nodes.push(RowNode {
                start,
                through: through.filter(|_| !stops).map(|succ| succ.block),
                succs: succs.iter().filter_map(|succ| graph.numbers.get(succ).copied()).collect(),
                leaves: stops
                    || cfg.exits(start.block)
                    || cfg.insts(start.block).iter().skip(start.index).any(|&inst| emitter.may_end(inst)),
            });
        }
        graph.joins = graph.postdominators();
        graph
    }

    /// The block where lanes that part at the end of a node meet again; `None` if some may leave the segment before that.
    pub(crate) fn stop(&self, number: usize) -> Option<Block> {
        let join = (*self.joins.get(number)?)?;
        self.nodes.get(join).map(|node| node.start.block)
    }

    /// The blocks that follow a place in a block.
    pub(crate) fn after(&self, emitter: &Emitter<'_>, cuts: &Cuts, start: Start) -> Vec<Block> {
        let cfg = &emitter.analyses.cfg;
        match barrier(emitter.kernel, cuts, cfg.insts(start.block), start.index) {
            Some(_) => Vec::new(),
            None => cfg.distinct_succs(start.block).to_vec(),
        }
    }

    /// The nodes that lanes may come to behind a node before they meet again, in their order.
    fn behind(&self, number: usize) -> Vec<usize> {
        let join = self.joins.get(number).copied().flatten();
        let mut seen: FxHashSet<usize> = FxHashSet::default();
        let mut work = self.nodes.get(number).map(|node| node.succs.clone()).unwrap_or_default();
        while let Some(next) = work.pop() {
            if Some(next) != join && seen.insert(next) {
                work.extend(self.nodes.get(next).map(|node| node.succs.clone()).unwrap_or_default());
            }
        }
        let mut region: Vec<usize> = seen.into_iter().collect();
        region.sort_unstable();
        region
    }

    /// Returns true if lanes that part at the end of a node run through the code up to their join together, with masks.
    pub(crate) fn is_masked(&self, number: usize) -> bool {
        self.masked.contains_key(&number)
    }

    /// That code, in the order of its nodes.
    pub(crate) fn region(&self, number: usize) -> Vec<usize> {
        self.masked.get(&number).cloned().unwrap_or_default()
    }

    /// Returns true if the lanes that execute a block of some code with masks have all seen the same writes to each register that is one scalar for them.
    fn keeps_scalars(&self, emitter: &Emitter<'_>, rows: &Rows<'_>, region: &[usize]) -> bool {
        let kernel = emitter.kernel;
        let Analyses { cfg, loops, dominators, liveness, .. } = emitter.analyses;
        let blocks: Vec<Block> =
            region.iter().filter_map(|&number| self.nodes.get(number)).map(|node| node.start.block).collect();
        let mut writing: FxHashMap<Reg, Vec<Block>> = FxHashMap::default();
        for &block in &blocks {
            let regs = cfg.insts(block).iter().flat_map(|&inst| kernel.defs(inst));
            for reg in regs.filter(|&reg| rows.forms.stride(reg).is_some()) {
                writing.entry(reg).or_default().push(block);
            }
        }
        let is_seen = |write: Block, read: Block| {
            let goes_round = |id| blocks.contains(&loops.header(id));
            // Lanes leave a loop in different iterations, and execute what follows it together.
            if loops.around(write).take_while(|&id| !loops.contains(id, read)).any(goes_round) {
                return false;
            }
            let common = loops.around(write).find(|&id| loops.contains(id, read)).filter(|&id| goes_round(id));
            let in_each_iteration = common.map(|id| emitter.analyses.is_in_each_iteration(write, id));
            match write == read {
                true => in_each_iteration.unwrap_or(true),
                false => dominators.dominates(write, read) || in_each_iteration.unwrap_or(false),
            }
        };
        let all_seen = |read: Block| {
            let live = liveness.live_in(read).iter().filter_map(|reg| writing.get(reg));
            live.flatten().all(|&write| is_seen(write, read))
        };
        blocks.iter().all(|&block| !loops.is_irreducible(block) && all_seen(block))
    }

    /// Returns true if code can be run through with masks: no way leaves the segment for a barrier in it, and nothing in it needs all lanes.
    fn can_be_masked(&self, emitter: &Emitter<'_>, rows: &Rows<'_>, number: usize, region: &[usize]) -> bool {
        let (kernel, cfg) = (emitter.kernel, &emitter.analyses.cfg);
        let ends = self.targets.iter().all(Option::is_none);
        let is_plain = |&number: &usize| {
            let Some(node) = self.nodes.get(number) else { return false };
            let plain = cfg.insts(node.start.block).iter().all(|&inst| {
                let flow = kernel.properties(inst).flow;
                let ends_here = matches!(flow, Flow::Return | Flow::Exit) && ends && kernel.inst(inst).guard.is_none();
                (matches!(flow, Flow::Next | Flow::Call | Flow::Branch) || ends_here)
                    && !is_collective(kernel, inst)
                    && !emitter.may_end(inst)
            });
            plain && (ends || !node.leaves)
        };
        let first = self.nodes.get(number).and_then(|node| cfg.terminator(node.start.block));
        let branches = first.is_some_and(|inst| kernel.properties(inst).flow == Flow::Branch);
        branches
            && (self.stop(number).is_some() || ends)
            && region.iter().all(is_plain)
            && self.keeps_scalars(emitter, rows, region)
    }

    /// Finds the code that is run through with masks, and returns the instructions at which lanes may part although some of them have to meet before their ways join, without
    /// that being possible.
    pub(crate) fn parts(&mut self, emitter: &Emitter<'_>, cuts: &Cuts, rows: &Rows<'_>) -> Vec<Inst> {
        let (kernel, cfg) = (emitter.kernel, &emitter.analyses.cfg);
        let meets = |inst: &Inst| rows.meetings.meet_at(kernel, cuts, *inst);
        let varies = |reg: Reg| !rows.forms.is_uniform(reg);
        let mut found = Vec::new();
        for number in 0..self.nodes.len() {
            let Some(node) = self.nodes.get(number) else { continue };
            let start = node.start;
            for &inst in cfg.insts(start.block).iter().skip(start.index) {
                if is_stop(kernel, cuts, inst) {
                    break;
                }
                if is_collective(kernel, inst) {
                    let guarded = kernel.inst(inst).guard.is_some_and(|guard| varies(guard.reg));
                    let all =
                        matches!(kernel.operands(inst).last(), Some(Operand::Int(mask)) if *mask as u32 == u32::MAX);
                    let named = kernel.properties(inst).waits_for_named;
                    if guarded || named && !all {
                        found.push(inst);
                    }
                    continue;
                }
                if emitter.may_end(inst) {
                    if !may_run_alone(emitter, cuts, &|inst| meets(&inst), inst) {
                        found.push(inst);
                    }
                    continue;
                }
                let flow = kernel.properties(inst).flow;
                let parts = match flow {
                    Flow::Next | Flow::Call => false,
                    Flow::Trap => true,
                    _ => kernel.uses(inst).iter().any(|&reg| varies(reg)),
                };
                if !parts {
                    continue;
                }
                let region = self.behind(number);
                let meeting = region.iter().filter_map(|&number| self.nodes.get(number)).any(|node| {
                    cfg.insts(node.start.block).iter().take_while(|&&inst| !is_stop(kernel, cuts, inst)).any(meets)
                });
                if !meeting {
                    continue;
                }
                if self.can_be_masked(emitter, rows, number, &region) {
                    self.masked.insert(number, region);
                } else {
                    found.push(inst);
                }
            }
        }
        found
    }

    /// The nearest strict postdominator of each node; `None` where threads may leave the segment first.
    fn postdominators(&self) -> Vec<Option<usize>> {
        let count = self.nodes.len();
        // The node behind all others stands for leaving. Numbers are those of a postorder of the reversed graph.
        let leave = count;
        let mut preds: Vec<Vec<usize>> = vec![Vec::new(); count + 1];
        let succs_of = |number: usize| -> Vec<usize> {
            let Some(node) = self.nodes.get(number) else { return Vec::new() };
            let mut succs = node.succs.clone();
            if node.leaves || succs.is_empty() {
                succs.push(leave);
            }
            succs
        };
        for number in 0..count {
            for succ in succs_of(number) {
                if let Some(list) = preds.get_mut(succ) {
                    list.push(number);
                }
            }
        }
        let mut order = Vec::new();
        let mut seen = vec![false; count + 1];
        let mut stack = vec![(leave, 0)];
        if let Some(one) = seen.get_mut(leave) {
            *one = true;
        }
        while let Some((node, next)) = stack.pop() {
            let list = preds.get(node).map(Vec::as_slice).unwrap_or_default();
            match list.get(next) {
                Some(&pred) => {
                    stack.push((node, next + 1));
                    if let Some(one) = seen.get_mut(pred).filter(|one| !**one) {
                        *one = true;
                        stack.push((pred, 0));
                    }
                }
                None => order.push(node),
            }
        }
        let mut rank = vec![None; count + 1];
        for (position, &node) in order.iter().enumerate() {
            if let Some(one) = rank.get_mut(node) {
                *one = Some(position);
            }
        }
        let rank = |node: usize| rank.get(node).copied().flatten();
        let mut parent: Vec<Option<usize>> = vec![None; count + 1];
        if let Some(one) = parent.get_mut(leave) {
            *one = Some(leave);
        }
        loop {
            let mut changed = false;
            for &node in order.iter().rev().filter(|&&node| node != leave) {
                let mut found: Option<usize> = None;
                for succ in succs_of(node) {
                    if parent.get(succ).copied().flatten().is_none() {
                        continue;
                    }
                    found = Some(match found {
                        None => succ,
                        Some(mut other) => {
                            let mut one = succ;
                            while one != other {
                                // The one of the lower rank is further from the end.
                                if rank(one) < rank(other) {
                                    one = parent.get(one).copied().flatten().unwrap_or(leave);
                                } else {
                                    other = parent.get(other).copied().flatten().unwrap_or(leave);
                                }
                            }
                            one
                        }
                    });
                }
                if let Some(one) = parent.get_mut(node).filter(|one| **one != found) {
                    *one = found;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        (0..count).map(|node| parent.get(node).copied().flatten().filter(|&join| join != leave)).collect()
    }
}

/// Returns true for a barrier at which segments end.
fn is_stop(kernel: &Kernel, cuts: &Cuts, inst: Inst) -> bool {
    is_barrier(kernel, inst) && cuts.at_inst(inst).is_some()
}

/// The first barrier of a block from an index on.
fn barrier(kernel: &Kernel, cuts: &Cuts, insts: &[Inst], from: usize) -> Option<Cut> {
    insts.iter().skip(from).find(|&&inst| is_stop(kernel, cuts, inst)).and_then(|&inst| cuts.at_inst(inst))
}

/// Returns true if no lanes have to meet between an instruction and the next barriers of the block.
pub(crate) fn may_run_alone(emitter: &Emitter<'_>, cuts: &Cuts, meets: &dyn Fn(Inst) -> bool, from: Inst) -> bool {
    let (kernel, cfg) = (emitter.kernel, &emitter.analyses.cfg);
    let Some(block) = cfg.block_of(from) else { return false };
    let index = cfg.insts(block).iter().position(|&inst| inst == from).unwrap_or(0);
    let mut seen: FxHashSet<Block> = FxHashSet::default();
    let mut work = vec![(block, index)];
    while let Some((block, index)) = work.pop() {
        let mut stops = false;
        for &inst in cfg.insts(block).iter().skip(index) {
            if is_stop(kernel, cuts, inst) {
                stops = true;
                break;
            }
            if meets(inst) {
                return false;
            }
        }
        if !stops {
            work.extend(cfg.distinct_succs(block).into_iter().filter(|&succ| seen.insert(succ)).map(|succ| (succ, 0)));
        }
    }
    true
}

/// The blocks that some lanes may pass over although others meet in one of them: no lane runs by itself from there.
pub(crate) fn around_meetings(emitter: &Emitter<'_>, meets: &dyn Fn(Inst) -> bool) -> FxHashSet<Block> {
    let cfg = &emitter.analyses.cfg;
    let meeting: FxHashSet<Block> = cfg
        .reverse_postorder()
        .iter()
        .copied()
        .filter(|&block| cfg.insts(block).iter().any(|&inst| meets(inst)))
        .collect();
    let mut found = FxHashSet::default();
    if meeting.is_empty() {
        return found;
    }
    for &block in cfg.reverse_postorder().iter().filter(|&&block| cfg.distinct_succs(block).len() > 1) {
        let join = emitter.analyses.postdominators.ipdom(block);
        let mut region: FxHashSet<Block> = FxHashSet::default();
        let mut work: Vec<Block> = cfg.distinct_succs(block).to_vec();
        while let Some(next) = work.pop() {
            if Some(next) != join && region.insert(next) {
                work.extend(cfg.distinct_succs(next));
            }
        }
        if region.iter().any(|block| meeting.contains(block)) {
            found.extend(region);
        }
    }
    found
}
