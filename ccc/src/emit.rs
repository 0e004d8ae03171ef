//! The edit: from the plan to the kernel's new statements.
//!
//! What each part looks like is shown in the head of the crate. The loop's blocks stay where they are; only edges are led
//! elsewhere, and the region moves behind the code that decides about it ([`crate::machinery`]). All positions are those of the
//! kernel as it was, and take effect in one patch.

use analysis::{Block, Cfg, LoopEdge};
use ptx_parser::{Error, Inst, Kernel, Label, Patch, Stmt, StmtKind};
use rustc_hash::FxHashMap;

use crate::compress;
use crate::context::{Context, Source};
use crate::copies::{Copies, copy_text};
use crate::machinery::Machinery;
use crate::markers::{self, Marker, Site};
use crate::plan::{BlockSize, Plan};
use crate::region::Region;
use crate::stack::Layout;

/// Everything that the edit needs, taken out of the plan so that the kernel can be changed.
pub(crate) struct Edit {
    cfg: Cfg,
    header: Block,
    anchor: Block,
    entering: Vec<LoopEdge>,
    latches: Vec<Block>,
    exits: Vec<LoopEdge>,
    parked: Vec<LoopEdge>,
    region: Region,
    context: Context,
    layout: Layout,
    block: BlockSize,
    site: Site,
}

impl Edit {
    pub(crate) fn of(plan: Plan<'_>) -> Edit {
        let Plan { facts, site, region, arrival, context, layout, block } = plan;
        let (cfg, loops) = facts.into_graph();
        Edit {
            header: loops.header(region.marked_loop),
            entering: loops.entering(region.marked_loop).to_vec(),
            latches: loops.latches(region.marked_loop).to_vec(),
            cfg,
            anchor: arrival.anchor,
            exits: loops.exits(region.marked_loop).to_vec(),
            parked: arrival.parked,
            region,
            context,
            layout,
            block,
            site,
        }
    }

    /// Changes the kernel.
    ///
    /// # Errors
    /// A fragment of this crate's own text does not parse, or the rewritten kernel would not print.
    pub(crate) fn apply(self, kernel: &mut Kernel) -> Result<(), Error> {
        let copies = Copies::new(kernel, &self.context);
        let machinery = Machinery::new(kernel, &self.context, &self.layout, &copies);
        let mut work = Work {
            labels: FxHashMap::default(),
            patch: Patch::new(),
            behind: Vec::new(),
            targets: self.targets(),
            edit: &self,
            machinery: &machinery,
            kernel,
        };
        work.set_up()?;
        work.lead_edges()?;
        work.collect(&copies)?;
        let region = work.move_region(&copies)?;
        work.finish(region)?;
        let Work { patch, .. } = work;
        kernel.apply(patch)?;
        if let BlockSize::Given(threads) = self.block {
            kernel.add_directive("maxntid", &[threads, 1, 1])?;
        }
        Ok(())
    }

    /// Where lanes go when the loop is over: each block once, the loop's own exits first.
    fn targets(&self) -> Vec<Block> {
        let mut targets = Vec::new();
        for edge in self.exits.iter().chain(&self.parked) {
            if !targets.contains(&edge.to) {
                targets.push(edge.to);
            }
        }
        targets
    }
}

struct Work<'a> {
    edit: &'a Edit,
    kernel: &'a mut Kernel,
    machinery: &'a Machinery,
    patch: Patch,
    /// What stands behind the last statement of the body.
    behind: Vec<Stmt>,
    /// Labels of blocks that had none.
    labels: FxHashMap<Block, Label>,
    targets: Vec<Block>,
}

impl Work<'_> {
    fn code(&mut self, text: &str) -> Result<Vec<Stmt>, Error> {
        self.kernel.fragment(text)
    }

    /// The label of a block that stays in its place.
    fn label(&mut self, block: Block) -> String {
        let label = match self.edit.cfg.label(block) {
            Some(label) => label,
            None => match self.labels.get(&block) {
                Some(&label) => label,
                None => {
                    let label = self.kernel.new_label("ccc_block");
                    let stmt = self.kernel.label_stmt(label);
                    self.patch.insert_before(self.edit.cfg.stmts(block).start, [stmt]);
                    self.labels.insert(block, label);
                    label
                }
            },
        };
        self.kernel.label_name(label).to_owned()
    }

    /// The statement of a block's terminator, if it has one.
    fn terminator_stmt(&self, block: Block) -> Option<(usize, Inst)> {
        let inst = self.edit.cfg.terminator(block)?;
        let mut range = self.edit.cfg.stmts(block);
        let stmt = range.rfind(|&stmt| self.kernel.stmts()[stmt].kind == StmtKind::Inst(inst))?;
        Some((stmt, inst))
    }

    /// Puts statements at the end of a block that falls through; the block may be empty.
    fn append(&mut self, block: Block, stmts: Vec<Stmt>) {
        let range = self.edit.cfg.stmts(block);
        match range.clone().last() {
            Some(last) => self.patch.insert_after(last, stmts),
            None => self.patch.insert_before(range.end, stmts),
        }
    }

    /// The code before the loop: at the end of the last block that whole warps execute.
    fn set_up(&mut self) -> Result<(), Error> {
        let mut code = Vec::new();
        for &inst in &self.edit.context.hoisted {
            let found = self.kernel.stmts().iter().position(|stmt| stmt.kind == StmtKind::Inst(inst));
            if let Some(index) = found {
                code.push(self.kernel.stmts()[index].clone());
                self.patch.remove(index);
            }
        }
        let text = self.machinery.set_up(self.kernel);
        code.extend(self.code(&text)?);
        match self.terminator_stmt(self.edit.anchor) {
            Some((terminator, _)) => self.patch.insert_before(terminator, code),
            None => self.append(self.edit.anchor, code),
        }
        Ok(())
    }

    /// Leads every edge into, around and out of the loop to where the rewritten loop wants it.
    fn lead_edges(&mut self) -> Result<(), Error> {
        let edit = self.edit;
        let head = self.machinery.head(&edit.site);
        let head = self.code(&head)?;
        self.patch.insert_before(edit.cfg.stmts(edit.header).start, head);
        for edge in &edit.entering {
            // The new head stands before the header, so that the block above it falls into it.
            let above = self.edit.cfg.stmts(edge.from).end == self.edit.cfg.stmts(edge.to).start;
            if !above || self.branches_to(edge.from, edge.to) {
                self.lead(edge.from, edge.to, &format!("bra {};\n", self.machinery.labels.enter))?;
            }
        }
        for &latch in edit.latches.iter().filter(|&&latch| !edit.region.contains(latch)) {
            self.lead(latch, edit.header, &format!("bra {};\n", self.machinery.labels.tail))?;
        }
        for (edges, next) in [(&edit.exits, &self.machinery.labels.tail), (&edit.parked, &self.machinery.labels.head)] {
            for edge in edges {
                let inactive = self.machinery.inactive();
                let target = self.targets.iter().position(|&target| target == edge.to).unwrap_or(0);
                let way = if self.targets.len() > 1 { self.machinery.choose(target) } else { String::new() };
                self.lead(edge.from, edge.to, &format!("{inactive}{way}bra {next};\n"))?;
            }
        }
        Ok(())
    }

    /// Puts code on an edge; it ends with a branch. A branch is led to the code behind the body; falling through, into it.
    fn lead(&mut self, from: Block, to: Block, code: &str) -> Result<(), Error> {
        let edit = self.edit;
        let taken = self.terminator_stmt(from).filter(|_| self.branches_to(from, to));
        if let Some((_, inst)) = taken {
            let label = match code.strip_prefix("bra ").and_then(|rest| rest.strip_suffix(";\n")) {
                Some(name) if !name.contains('\n') => self.known_label(name),
                _ => None,
            };
            let label = match label {
                Some(label) => label,
                None => {
                    let label = self.kernel.new_label("ccc_edge");
                    let stmts = self.code(code)?;
                    self.behind.push(self.kernel.label_stmt(label));
                    self.behind.extend(stmts);
                    label
                }
            };
            self.patch.retarget(inst, label);
        }
        let falls = edit.cfg.succs(from).iter().any(|s| s.block == to && s.edge == analysis::Edge::Fallthrough);
        if falls {
            let stmts = self.code(code)?;
            self.append(from, stmts);
        }
        Ok(())
    }

    /// Whether the terminator of a block is a branch to another.
    fn branches_to(&self, from: Block, to: Block) -> bool {
        let target = self.terminator_stmt(from).and_then(|(_, inst)| self.kernel.branch_target(inst));
        target.and_then(|label| self.edit.cfg.label_block(label)) == Some(to)
    }

    fn known_label(&self, name: &str) -> Option<Label> {
        self.kernel.labels().find(|&label| self.kernel.label_name(label) == name)
    }

    /// What stands in the place of the region: the lane notes its context and that it wants the region, and goes on behind it.
    fn collect(&mut self, copies: &Copies) -> Result<(), Error> {
        let edit = self.edit;
        let mut text = String::new();
        for value in &edit.context.values {
            let Some(copy) = copies.of(value.source) else { continue };
            let from = match value.source {
                Source::Reg(reg) => self.kernel.reg_name(reg).to_owned(),
                Source::Special(special) => special.to_string(),
            };
            text += &copy_text(value.ty, self.kernel.reg_name(copy), &from);
        }
        text += &self.machinery.wanted();
        // What stands between the region's entry and its exit may be the region alone.
        let next = edit.cfg.blocks().find(|&block| block > edit.region.entry && !edit.region.contains(block));
        if edit.region.exit == edit.header {
            text += &format!("bra {};\n", self.machinery.labels.tail);
        } else if next != Some(edit.region.exit) {
            let exit = self.label(edit.region.exit);
            text += &format!("bra {exit};\n");
        }
        let code = self.code(&text)?;
        // Labels in a row, with source positions between them perhaps, are one way in.
        let range = edit.cfg.stmts(edit.region.entry);
        let stmts = &self.kernel.stmts()[range.clone()];
        let last_label = stmts.iter().rposition(|stmt| matches!(stmt.kind, StmtKind::Label(_)));
        self.patch.insert_before(range.start + last_label.map_or(0, |label| label + 1), code);
        Ok(())
    }

    /// Takes the region's statements out of their place and gives them back with the edges that they need elsewhere.
    fn move_region(&mut self, copies: &Copies) -> Result<Vec<Stmt>, Error> {
        let edit = self.edit;
        let entry = edit.region.entry;
        let mut order = vec![entry];
        order.extend(edit.region.blocks.iter().copied().filter(|&block| block != entry));
        // Every block gets a label, so that a block that used to fall through can be followed by any other.
        let mut labels: FxHashMap<Block, Label> = FxHashMap::default();
        for &block in &order {
            let label = match edit.cfg.label(block) {
                Some(label) if block != entry => label,
                _ => self.kernel.new_label("ccc_path"),
            };
            labels.insert(block, label);
        }
        let region_label = self.machinery.labels.region.clone();
        let mut moved = Vec::new();
        for (index, &block) in order.iter().enumerate() {
            if block == entry || edit.cfg.label(block).is_none() {
                moved.push(self.kernel.label_stmt(labels[&block]));
            }
            self.take_block(block, &mut moved);
            if let Some((_, inst)) = self.terminator_stmt(block) {
                self.lead_region_branch(inst, &labels);
            }
            let falls = edit.cfg.succs(block).iter().find(|s| s.edge == analysis::Edge::Fallthrough);
            if let Some(successor) = falls {
                if order.get(index + 1) == Some(&successor.block) {
                    continue;
                }
                let next = match labels.get(&successor.block) {
                    Some(&label) => self.kernel.label_name(label).to_owned(),
                    None => self.machinery.labels.head.clone(),
                };
                moved.extend(self.code(&format!("bra {next};\n"))?);
            }
        }
        for stmt in &moved {
            if let StmtKind::Inst(inst) = stmt.kind {
                copies.rename(self.kernel, inst)?;
            }
        }
        // What the region gets itself names registers and copies as they are meant.
        let fresh = self.machinery.fresh_copies(self.kernel, &edit.context, copies);
        let mut region = self.code(&format!("{region_label}:\n{fresh}"))?;
        region.extend(compress::restore(self.kernel, &edit.context, copies)?);
        region.extend(moved);
        Ok(region)
    }

    /// Moves the statements of a block of the region, except those that stay: declarations, the entry's labels, and what stands behind the
    /// terminator, which is about the block behind it.
    fn take_block(&mut self, block: Block, moved: &mut Vec<Stmt>) {
        let edit = self.edit;
        let last = self.terminator_stmt(block).map_or(usize::MAX, |(stmt, _)| stmt);
        for index in edit.cfg.stmts(block) {
            let stmt = &self.kernel.stmts()[index];
            let own = match markers::of_stmt(stmt) {
                Some(Marker::IfBegin { id, .. } | Marker::IfEnd { id }) => id == edit.site.id,
                _ => false,
            };
            match stmt.kind {
                _ if own => self.patch.remove(index),
                _ if index > last => {}
                StmtKind::Registers | StmtKind::Variables(_) => {}
                StmtKind::Label(_) if block == edit.region.entry => {}
                StmtKind::Loc(_) => moved.push(stmt.clone()),
                _ => {
                    moved.push(stmt.clone());
                    self.patch.remove(index);
                }
            }
        }
    }

    fn lead_region_branch(&mut self, inst: Inst, labels: &FxHashMap<Block, Label>) {
        let edit = self.edit;
        let target = self.kernel.branch_target(inst).and_then(|label| edit.cfg.label_block(label));
        let Some(target) = target else { return };
        let next = match labels.get(&target) {
            Some(&label) => Some(label),
            None => self.known_label(&self.machinery.labels.head),
        };
        if let Some(label) = next {
            self.patch.retarget(inst, label);
        }
    }

    /// Puts the machinery and the region behind the body.
    fn finish(&mut self, region: Vec<Stmt>) -> Result<(), Error> {
        let edit = self.edit;
        self.patch.remove(edit.site.stmt);
        let targets: Vec<Block> = self.targets.clone();
        let names: Vec<String> = targets.into_iter().map(|target| self.label(target)).collect();
        let tail = self.machinery.tail(self.kernel, &edit.site, &edit.context, &edit.layout, &names);
        let push = self.machinery.push(self.kernel, &edit.context, &edit.layout);
        let done = self.machinery.done(&names);
        let mut behind = self.end_of_body()?;
        behind.append(&mut self.behind);
        behind.extend(self.code(&tail)?);
        behind.extend(region);
        behind.extend(self.code(&push)?);
        behind.extend(self.code(&done)?);
        let end = self.kernel.stmts().len();
        self.patch.insert_before(end, behind);
        Ok(())
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
        if ends { Ok(Vec::new()) } else { self.code("ret;\n") }
    }
}
