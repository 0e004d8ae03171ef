//! The edit: from the plan to the kernel's new statements.
//!
//! What each part looks like is shown in the head of the crate. The loop's blocks stay where they are; only edges are led
//! elsewhere, and each region moves behind the code that decides about it ([`crate::emit::relocate`], [`crate::emit::stage`]). All positions are
//! those of the kernel as it was, and take effect in one patch.

pub(crate) mod collection_cost;
pub(crate) mod conditions;
pub(crate) mod exit_barrier;
pub(crate) mod hoisted_loads;
pub(crate) mod if_conversion;
pub(crate) mod loop_registers;
pub(crate) mod machinery;
pub(crate) mod reductions;
pub(crate) mod register_copies;
pub(crate) mod relocate;
pub(crate) mod rematerialize;
pub(crate) mod stack_slots;
pub(crate) mod stage;
pub(crate) mod work_sharing;

use analysis::{Block, Cfg, LoopEdge};
use cranelift_entity::{EntitySet, PrimaryMap, SecondaryMap};
use ptx_parser::{Code, Error, Inst, Kernel, Label, Patch, Stmt, StmtKind};
use rustc_hash::FxHashMap;

use crate::emit::collection_cost::{Cost, Price, Shared};
use crate::emit::if_conversion::Conversion;
use crate::emit::machinery::Machinery;
use crate::emit::register_copies::Copies;
use crate::layout::BlockSize;
use crate::plan::Plan;
use crate::plan::path::Paths;
use crate::plan::path_id::PathId;
use crate::reduction::{Accumulator, AccumulatorId};

/// Everything that the edit needs, taken out of the plan so that the kernel can be changed.
pub(crate) struct Edit {
    pub(crate) cfg: Cfg,
    pub(crate) header: Block,
    anchor: Block,
    entering: Vec<LoopEdge>,
    latches: Vec<Block>,
    /// The edges out of the loop, each with the first block behind it in which something is done.
    exits: Vec<(LoopEdge, Block)>,
    /// Those that lead around it, likewise.
    parked: Vec<(LoopEdge, Block)>,
    pub(crate) paths: Paths,
    pub(crate) conversions: Vec<Conversion>,
    accumulators: PrimaryMap<AccumulatorId, Accumulator>,
    block: BlockSize,
    /// True if lanes wait for each other where they leave the loop.
    ordered: bool,
}

impl Edit {
    pub(crate) fn of(plan: Plan<'_>) -> Edit {
        let Plan { facts, marked_loop, arrival, paths, accumulators, block } = plan;
        let conversions = if_conversion::conversions(&facts, marked_loop, &paths);
        let ordered = exit_barrier::is_needed(&facts, marked_loop, &arrival, &paths);
        let with_ends = |edges: &[LoopEdge]| edges.iter().map(|&edge| (edge, facts.through(edge.to))).collect();
        let (exits, parked) = (with_ends(facts.loops.exits(marked_loop)), with_ends(&arrival.parked));
        let (cfg, loops) = facts.into_graph();
        Edit {
            header: loops.header(marked_loop),
            entering: loops.entering(marked_loop).to_vec(),
            latches: loops.latches(marked_loop).to_vec(),
            cfg,
            anchor: arrival.anchor,
            exits,
            parked,
            paths,
            conversions,
            accumulators,
            block,
            ordered,
        }
    }

    /// Changes the kernel, and says what that costs: for each path, and for all together.
    ///
    /// # Errors
    /// An instruction of the new code is not one of the table, or the rewritten kernel would not print.
    pub(crate) fn apply(&self, kernel: &mut Kernel) -> Result<(PrimaryMap<PathId, Price>, Shared), Error> {
        let copies: PrimaryMap<PathId, Copies> =
            self.paths.values().map(|path| Copies::new(kernel, &path.context)).collect();
        let threads = self.block.threads();
        let machinery = Machinery::new(kernel, &self.paths, &copies, &self.accumulators, threads, self.ordered);
        let mut work = Work {
            labels: FxHashMap::default(),
            patch: Patch::new(),
            behind: Vec::new(),
            targets: self.targets(),
            edit: self,
            machinery: &machinery,
            kernel,
        };
        let shared = Shared { once: work.set_up()?, head: work.lead_edges()? };
        work.label_meetings();
        let mut costs: SecondaryMap<PathId, Cost> = SecondaryMap::new();
        for conversion in &self.conversions {
            let added = work.convert(conversion, &copies)?;
            for &index in &conversion.regions {
                costs[index].each = added / conversion.regions.len() as f64;
            }
        }
        let mut restored: PrimaryMap<PathId, Vec<Stmt>> = PrimaryMap::new();
        for (index, path) in &self.paths {
            costs[index].note = work.collect(index, &copies)?;
            let code = rematerialize::restore(work.kernel, &path.context, &copies[index])?;
            costs[index].run = work.besides(index, &copies) + collection_cost::instructions_of(&code);
            restored.push(code);
        }
        // Outer regions come before inner ones.
        let mut regions = Vec::new();
        for (index, restored) in restored.into_iter().rev() {
            regions.push(work.move_region(index, &copies, restored)?);
        }
        regions.reverse();
        let prices = work.finish(regions, &costs)?;
        let Work { patch, .. } = work;
        kernel.apply(patch)?;
        if let BlockSize::Given(threads) = self.block {
            kernel.add_directive("maxntid", &[threads, 1, 1])?;
        }
        Ok((prices, shared))
    }

    /// Returns the regions of which every iteration determines anew whether the lane wants them.
    fn known(&self) -> EntitySet<PathId> {
        let mut known = EntitySet::new();
        let always = self.conversions.iter().filter(|conversion| conversion.always);
        known.extend(always.flat_map(|conversion| conversion.regions.iter().copied()));
        known
    }

    /// Returns where lanes go when the loop is over: each block once, the loop's own exits first.
    fn targets(&self) -> Vec<Block> {
        let mut targets = Vec::new();
        for &(_, end) in self.exits.iter().chain(&self.parked) {
            if !targets.contains(&end) {
                targets.push(end);
            }
        }
        targets
    }
}

/// An edit under way.
pub(crate) struct Work<'a> {
    pub(crate) edit: &'a Edit,
    pub(crate) kernel: &'a mut Kernel,
    pub(crate) machinery: &'a Machinery,
    pub(crate) patch: Patch,
    /// The statements behind the last one of the body.
    behind: Vec<Stmt>,
    /// Labels of blocks that had none.
    labels: FxHashMap<Block, Label>,
    targets: Vec<Block>,
}

impl Work<'_> {
    /// The label of a block that stays in its place.
    pub(crate) fn label(&mut self, block: Block) -> Label {
        if let Some(label) = self.edit.cfg.label(block) {
            return label;
        }
        if let Some(&label) = self.labels.get(&block) {
            return label;
        }
        let label = self.kernel.new_label("ccc_block");
        let stmt = self.kernel.label_stmt(label);
        self.patch.insert_before(self.edit.cfg.stmts(block).start, [stmt]);
        self.labels.insert(block, label);
        label
    }

    /// The statement of a block's terminator, if it has one.
    pub(crate) fn terminator_stmt(&self, block: Block) -> Option<(usize, Inst)> {
        let inst = self.edit.cfg.terminator(block)?;
        Some((self.edit.cfg.stmt_of(self.kernel, inst)?, inst))
    }

    /// Puts statements at the end of a block that falls through; the block may be empty.
    pub(crate) fn append(&mut self, block: Block, stmts: Vec<Stmt>) {
        append(&mut self.patch, &self.edit.cfg, block, stmts);
    }

    /// Builds the code before the loop, at the end of the last block that whole warps execute. Gives back how many instructions the machinery has there.
    fn set_up(&mut self) -> Result<usize, Error> {
        let mut code = Vec::new();
        // What several regions need moves once; each list has what an instruction needs before it.
        let mut hoisted: Vec<Inst> = Vec::new();
        for inst in self.edit.paths.values().flat_map(|path| path.context.hoisted.iter().copied()) {
            if !hoisted.contains(&inst) {
                hoisted.push(inst);
            }
        }
        code.extend(take_out(&mut self.patch, self.kernel, &self.edit.cfg, &hoisted));
        let set_up = self.machinery.set_up();
        let count = set_up.instructions();
        code.extend(self.kernel.build(set_up)?);
        insert_at_end(&mut self.patch, self.kernel, &self.edit.cfg, self.edit.anchor, code);
        Ok(count)
    }

    /// Leads every edge into, around and out of the loop to where the rewritten loop wants it. Gives back how many instructions its head repeats.
    fn lead_edges(&mut self) -> Result<usize, Error> {
        let edit = self.edit;
        let (head, idle) = self.machinery.head(&edit.paths, &edit.known());
        // What stands before the label is done once for each lane.
        let repeated = head.instructions_behind(self.machinery.labels.head);
        let head = self.kernel.build(head)?;
        let idle = self.kernel.build(idle)?;
        self.behind.extend(idle);
        self.patch.insert_before(edit.cfg.stmts(edit.header).start, head);
        for edge in &edit.entering {
            // The new head stands before the header, so that the block above it falls into it.
            let above = self.edit.cfg.stmts(edge.from).end == self.edit.cfg.stmts(edge.to).start;
            if !above || self.branches_to(edge.from, edge.to) {
                self.lead(edge.from, edge.to, branch(self.machinery.labels.enter))?;
            }
        }
        let moved = |latch: Block| edit.paths.values().any(|path| path.region.takes(latch));
        for &latch in edit.latches.iter().filter(|&&latch| !moved(latch)) {
            self.lead(latch, edit.header, branch(self.machinery.tail()))?;
        }
        for (edges, next) in [(&edit.exits, self.machinery.tail()), (&edit.parked, self.machinery.labels.head)] {
            for &(edge, end) in edges {
                let mut code = Code::new();
                self.machinery.inactive(&mut code);
                let target = self.targets.iter().position(|&target| target == end).unwrap_or(0);
                if self.targets.len() > 1 {
                    // A kernel has fewer blocks than its text has bytes, of which there are less than 2^32.
                    self.machinery.choose(target as u32, &mut code);
                }
                code.ins().bra(next);
                self.lead(edge.from, edge.to, code)?;
            }
        }
        Ok(repeated)
    }

    /// Puts code on an edge; it ends with a branch. A branch is led to the code behind the body; falling through, into it.
    fn lead(&mut self, from: Block, to: Block, code: Code) -> Result<(), Error> {
        let edit = self.edit;
        let taken = self.terminator_stmt(from).filter(|_| self.branches_to(from, to));
        if let Some((_, inst)) = taken {
            let label = match code.only_branch() {
                Some(label) => label,
                None => {
                    let label = self.kernel.new_label("ccc_edge");
                    let stmts = self.kernel.build(code.clone())?;
                    self.behind.push(self.kernel.label_stmt(label));
                    self.behind.extend(stmts);
                    label
                }
            };
            self.patch.retarget(inst, label);
        }
        let falls = edit.cfg.succs(from).iter().any(|s| s.block == to && s.edge == analysis::Edge::Fallthrough);
        if falls {
            let stmts = self.kernel.build(code)?;
            self.append(from, stmts);
        }
        Ok(())
    }

    /// Returns true if the terminator of a block is a branch to another.
    pub(crate) fn branches_to(&self, from: Block, to: Block) -> bool {
        let target = self.terminator_stmt(from).and_then(|(_, inst)| self.kernel.branch_target(inst));
        target.and_then(|label| self.edit.cfg.label_block(label)) == Some(to)
    }

    /// Puts the stages with their regions behind the body. `costs` are the instructions that note a context, and those that
    /// a run of the path takes besides.
    fn finish(
        &mut self,
        regions: Vec<(Vec<Stmt>, bool)>,
        costs: &SecondaryMap<PathId, Cost>,
    ) -> Result<PrimaryMap<PathId, Price>, Error> {
        let edit = self.edit;
        let machinery = self.machinery;
        let targets = self.targets.clone();
        let targets: Vec<(Block, Label)> = targets.into_iter().map(|target| (target, self.label(target))).collect();
        let mut behind = self.end_of_body()?;
        behind.append(&mut self.behind);
        let mut around = Vec::new();
        let stages = machinery.stages.iter().zip(edit.paths.values());
        for (((index, stage), path), (region, leaves)) in stages.zip(regions) {
            if let Some(marker) = self.kernel.index_of(path.site.marker) {
                self.patch.remove(marker);
            }
            let tail = stage.tail(self.kernel, path, &machinery.around(index));
            behind.extend(self.kernel.build(tail.clone())?);
            behind.extend(region);
            let again = stage.next_task(self.kernel, path, &machinery.names, leaves);
            behind.extend(self.kernel.build(again.clone())?);
            around.push((tail, again));
        }
        let mut prices = PrimaryMap::new();
        for ((index, stage), (tail, again)) in machinery.stages.iter().zip(around) {
            let next = machinery.behind(index);
            let drain = stage.drain(&machinery.around(index), machinery.over(index, &targets));
            let push = stage.push(&machinery.names, next);
            prices.push(Price::of(stage, [&tail, &again, &drain, &push], costs[index], next));
            behind.extend(self.kernel.build(drain)?);
            behind.extend(self.kernel.build(push)?);
        }
        let mut end = machinery.drained(&targets);
        end.append(machinery.done(&targets));
        behind.extend(self.kernel.build(end)?);
        let end = self.kernel.stmts().len();
        self.patch.insert_before(end, behind);
        Ok(prices)
    }

    /// A body may end without `ret`; what is put behind it must not be run into.
    fn end_of_body(&mut self) -> Result<Vec<Stmt>, Error> {
        let last = self.kernel.stmts().iter().rev().find_map(|stmt| match stmt.kind {
            StmtKind::Inst(inst) => Some(Some(inst)),
            StmtKind::Label(_) => Some(None),
            _ => None,
        });
        let ends = last
            .flatten()
            .is_some_and(|inst| self.kernel.properties(inst).is_terminator() && self.kernel.inst(inst).guard.is_none());
        let mut code = Code::new();
        if !ends {
            code.ins().ret();
        }
        self.kernel.build(code)
    }
}

/// Code that branches to a label and does nothing else.
fn branch(label: Label) -> Code {
    let mut code = Code::new();
    code.ins().bra(label);
    code
}

/// Takes instructions out of their places. Returns their statements.
pub(crate) fn take_out(patch: &mut Patch, kernel: &Kernel, cfg: &Cfg, insts: &[Inst]) -> Vec<Stmt> {
    let places = insts.iter().filter_map(|&inst| cfg.stmt_of(kernel, inst));
    let taken = places.filter_map(|index| {
        let stmt = kernel.stmts().get(index)?;
        patch.remove(index);
        Some(stmt.clone())
    });
    taken.collect()
}

/// Puts statements at the end of a block, in front of what ends it.
pub(crate) fn insert_at_end(patch: &mut Patch, kernel: &Kernel, cfg: &Cfg, block: Block, stmts: Vec<Stmt>) {
    match cfg.terminator(block).and_then(|inst| cfg.stmt_of(kernel, inst)) {
        Some(terminator) => patch.insert_before(terminator, stmts),
        None => append(patch, cfg, block, stmts),
    }
}

/// Puts statements behind all of a block, which may be empty.
fn append(patch: &mut Patch, cfg: &Cfg, block: Block, stmts: Vec<Stmt>) {
    let range = cfg.stmts(block);
    match range.clone().last() {
        Some(last) => patch.insert_after(last, stmts),
        None => patch.insert_before(range.end, stmts),
    }
}
