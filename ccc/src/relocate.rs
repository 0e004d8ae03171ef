//! A region leaves its place in the loop: what stands there instead, and the region's statements where they run.

use analysis::{Block, Edge};
use ptx_parser::{Error, Inst, Label, Stmt, StmtKind};
use rustc_hash::FxHashMap;

use crate::compress;
use crate::context::Source;
use crate::copies::{Copies, copy_text};
use crate::emit::Work;
use crate::markers::{self, Marker};
use crate::plan::Path;

impl Work<'_> {
    /// Where one region ends at the entry of another, the label comes before what the other one collects.
    pub(crate) fn label_meetings(&mut self) {
        let paths = &self.edit.paths;
        for path in paths {
            if paths.iter().any(|other| other.region.entry == path.region.exit) {
                self.label(path.region.exit);
            }
        }
    }

    /// What stands in the place of the region: the lane notes its context and that it wants the region, and goes on behind it.
    pub(crate) fn collect(&mut self, index: usize, copies: &Copies) -> Result<(), Error> {
        let edit = self.edit;
        let Path { region, context, parts, .. } = &edit.paths[index];
        let deposits = self.machinery.deposits.as_ref();
        let mut text = String::new();
        for value in &context.values {
            let Some(copy) = copies.of(value.source) else { continue };
            let from = match value.source {
                Source::Reg(reg) => self.kernel.reg_name(reg).to_owned(),
                Source::Special(special) => special.to_string(),
                // Its load stands before this.
                Source::Loaded(_) => continue,
                Source::Owner => deposits.map(|deposits| deposits.own.clone()).unwrap_or_default(),
            };
            text += &copy_text(value.ty, self.kernel.reg_name(copy), &from);
        }
        text += &deposits.map(|deposits| deposits.pass(self.kernel, parts)).unwrap_or_default();
        text += &self.machinery.stages[index].wanted();
        // What stands between the region's entry and its exit may be the region alone.
        let next = edit.cfg.blocks().find(|&block| block > region.entry && !region.contains(block));
        if region.exit == edit.header {
            text += &format!("bra {};\n", self.machinery.tail());
        } else if next != Some(region.exit) {
            let exit = self.label(region.exit);
            text += &format!("bra {exit};\n");
        }
        let mut code = context.loads.code(self.kernel, copies)?;
        code.extend(self.code(&text)?);
        // Labels in a row, with source positions between them perhaps, are one way in.
        let range = edit.cfg.stmts(region.entry);
        let stmts = &self.kernel.stmts()[range.clone()];
        let last_label = stmts.iter().rposition(|stmt| matches!(stmt.kind, StmtKind::Label(_)));
        self.patch.insert_before(range.start + last_label.map_or(0, |label| label + 1), code);
        Ok(())
    }

    /// Takes the region's statements out of their place and gives them back with the edges that they need elsewhere.
    pub(crate) fn move_region(&mut self, index: usize, copies: &Copies) -> Result<Vec<Stmt>, Error> {
        let edit = self.edit;
        let path = &edit.paths[index];
        let Path { region, context, .. } = path;
        let stage = &self.machinery.stages[index];
        let next_stage = self.machinery.behind(index);
        let deposits = self.machinery.deposits.as_ref().filter(|_| !path.parts.is_empty());
        let behind = match deposits {
            Some(_) => {
                let label = self.kernel.new_label("ccc_deposit");
                self.kernel.label_name(label).to_owned()
            }
            None => next_stage.to_owned(),
        };
        let entry = region.entry;
        let mut order = vec![entry];
        order.extend(region.blocks.iter().copied().filter(|&block| block != entry));
        // Every block gets a label, so that a block that used to fall through can be followed by any other.
        let mut labels: FxHashMap<Block, Label> = FxHashMap::default();
        for &block in &order {
            let label = match edit.cfg.label(block) {
                Some(label) if block != entry => label,
                _ => self.kernel.new_label("ccc_path"),
            };
            labels.insert(block, label);
        }
        let region_label = &stage.labels.region;
        let mut moved = Vec::new();
        for (place, &block) in order.iter().enumerate() {
            if block == entry || edit.cfg.label(block).is_none() {
                moved.push(self.kernel.label_stmt(labels[&block]));
            }
            self.take_block(index, block, &mut moved);
            if let Some((_, inst)) = self.terminator_stmt(block) {
                self.lead_region_branch(inst, &labels, &behind);
            }
            let falls = edit.cfg.succs(block).iter().find(|s| s.edge == Edge::Fallthrough);
            if let Some(successor) = falls {
                if order.get(place + 1) == Some(&successor.block) {
                    continue;
                }
                let next = match labels.get(&successor.block) {
                    Some(&label) => self.kernel.label_name(label).to_owned(),
                    None => behind.clone(),
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
        let mut fresh = stage.fresh_copies(self.kernel, context, copies);
        fresh += &deposits.map(|deposits| deposits.start(self.kernel, &path.parts, copies)).unwrap_or_default();
        let mut region = self.code(&format!("{region_label}:\n{fresh}"))?;
        region.extend(compress::restore(self.kernel, context, copies)?);
        region.extend(moved);
        if let Some(deposits) = deposits {
            let deposit = deposits.deposit(self.kernel, path, &self.machinery.names, copies);
            region.extend(self.code(&format!("{behind}:\n{deposit}bra {next_stage};\n"))?);
        }
        Ok(region)
    }

    /// Moves the statements of a block of the region, except those that stay: declarations, the entry's labels, and what stands behind the
    /// terminator, which is about the block behind it. Declarations in a scope that opens in the block move with it:
    /// inlined assembler has some, and each of its copies declares the same names.
    fn take_block(&mut self, path: usize, block: Block, moved: &mut Vec<Stmt>) {
        let edit = self.edit;
        let Path { site, region, context, .. } = &edit.paths[path];
        let last = self.terminator_stmt(block).map_or(usize::MAX, |(stmt, _)| stmt);
        let mut depth = 0_usize;
        for index in edit.cfg.stmts(block) {
            let stmt = &self.kernel.stmts()[index];
            let own = match markers::of_stmt(stmt) {
                Some(Marker::IfBegin { id, .. } | Marker::IfEnd { id }) => id == site.id,
                _ => false,
            };
            match stmt.kind {
                _ if own => self.patch.remove(index),
                _ if index > last => {}
                StmtKind::Registers | StmtKind::Variables(_) if depth == 0 => {}
                StmtKind::Label(_) if block == region.entry => {}
                StmtKind::Inst(inst) if context.loads.dropped.contains(inst) => self.patch.remove(index),
                StmtKind::Loc(_) => moved.push(stmt.clone()),
                _ => {
                    match stmt.kind {
                        StmtKind::Open => depth += 1,
                        StmtKind::Close => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                    moved.push(stmt.clone());
                    self.patch.remove(index);
                }
            }
        }
    }

    fn lead_region_branch(&mut self, inst: Inst, labels: &FxHashMap<Block, Label>, behind: &str) {
        let edit = self.edit;
        let target = self.kernel.branch_target(inst).and_then(|label| edit.cfg.label_block(label));
        let Some(target) = target else { return };
        let next = match labels.get(&target) {
            Some(&label) => Some(label),
            None => self.known_label(behind),
        };
        if let Some(label) = next {
            self.patch.retarget(inst, label);
        }
    }
}
