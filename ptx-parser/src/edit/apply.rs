//! Carrying a patch out, or refusing it.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::patch::Patch;
use super::{positions, refused};
use crate::entities::{Inst, Label};
use crate::error::Error;
use crate::kernel::Kernel;
use crate::operand::Operand;
use crate::stmt::{Origin, Stmt, StmtKind};
use crate::table::Flow;

impl Kernel {
    /// Carries a patch out.
    ///
    /// An instruction keeps its place in the user's source: where the patch puts it behind a `.loc` of other code, the `.loc` that
    /// was in force for it is repeated, unless the patch removes that one. This costs a pass over the kernel.
    ///
    /// # Errors
    /// [`Error::Edit`] if the kernel would not print as what it then is: a statement stands in two places or belongs to another kernel, a
    /// label is gone to which a branch goes, a register or variable is used outside of the scope that declares it or where another one
    /// hides its name, a scope is not closed. The kernel is then as it was.
    pub fn apply(&mut self, patch: Patch) -> Result<(), Error> {
        if patch.is_empty() {
            return Ok(());
        }
        if !self.has_body() {
            return Err(refused(format!("`{}` is a prototype: it has no body", self.name), "patch its definition"));
        }
        self.accept(&patch)?;
        let stmts = self.patched(&patch);
        let before = self.set_stmts(stmts);
        let targets = self.lead(&patch.targets);
        self.collect_branch_tables();
        let verdict = match &targets {
            Ok(_) => self.verify().map_err(|what| refused(what, "the kernel is as it was before the patch")),
            Err(error) => Err(error.clone()),
        };
        if let Err(error) = verdict {
            targets.unwrap_or_default().into_iter().rev().for_each(|(inst, before)| self.set_target(inst, before));
            self.set_stmts(before);
            self.collect_branch_tables();
            return Err(error);
        }
        self.commit(&patch, targets.unwrap_or_default(), before);
        Ok(())
    }

    /// Remembers what a patch did.
    fn commit(&mut self, patch: &Patch, targets: Vec<(Inst, Operand)>, before: Vec<Stmt>) {
        for (inst, _) in targets {
            self.insts[inst].edited = true;
        }
        for (index, stmt) in before.into_iter().enumerate() {
            if let Origin::Source(span) = stmt.origin
                && patch.removed.contains(&index)
            {
                self.edits.removed.insert(span.start, stmt);
            }
        }
        self.edits.visible = None;
        self.edits.changed = true;
    }

    /// The statements as the patch leaves them.
    fn patched(&mut self, patch: &Patch) -> Vec<Stmt> {
        let mut placed = Vec::with_capacity(self.stmts.len());
        for (index, stmt) in self.stmts.iter().enumerate() {
            placed.extend(patch.before.get(&index).into_iter().flatten());
            if !patch.removed.contains(&index) {
                placed.push(stmt);
            }
            placed.extend(patch.after.get(&index).into_iter().flatten());
        }
        // What is left refers to places behind the last statement.
        let end = self.stmts.len();
        let behind = patch.before.range(end..).chain(patch.after.range(end..)).flat_map(|(_, stmts)| stmts);
        placed.extend(behind);
        let (stmts, repeated) = positions::kept(self, patch, &placed);
        self.edits.homes += repeated.len() as u64;
        self.edits.remember(&repeated);
        stmts
    }

    /// Lets branches go elsewhere; gives back what they had.
    fn lead(&mut self, targets: &[(Inst, Label)]) -> Result<Vec<(Inst, Operand)>, Error> {
        for &(inst, label) in targets {
            self.check_inst(inst)?;
            if self.branch_target(inst).is_none() {
                let what = format!("`{}` is no direct branch", self.inst_text(inst));
                return Err(refused(what, "only `bra` is led to another label"));
            }
            if !self.labels.is_valid(label) {
                return Err(refused(format!("{label} is not of this kernel"), "make it with `new_label`"));
            }
        }
        let mut before = Vec::new();
        for &(inst, label) in targets {
            before.extend(self.operands(inst).first().map(|&operand| (inst, operand)));
            self.set_target(inst, Operand::Label(label));
        }
        Ok(before)
    }

    fn set_target(&mut self, inst: Inst, target: Operand) {
        if let Some(index) = self.insts[inst].operands.indices().next() {
            self.set_operand(index, target);
        }
    }

    /// Checks that every statement that a patch inserts is one of this kernel and has a text.
    fn accept(&self, patch: &Patch) -> Result<(), Error> {
        let inserted = || patch.before.values().chain(patch.after.values()).flatten();
        let mut source: FxHashMap<u32, &Stmt> = FxHashMap::default();
        if inserted().any(|stmt| matches!(stmt.origin, Origin::Source(_))) {
            for stmt in &self.stmts {
                if let Origin::Source(span) = stmt.origin {
                    source.insert(span.start, stmt);
                }
            }
        }
        for stmt in inserted() {
            let known = match (&stmt.origin, &stmt.kind) {
                (Origin::Source(span), kind) => {
                    let known = source.get(&span.start).copied().or_else(|| self.edits.removed.get(&span.start));
                    known.is_some_and(|known| {
                        known.kind == *kind && matches!(known.origin, Origin::Source(known) if known == *span)
                    })
                }
                (Origin::Text(own), kind) => {
                    self.edits.texts.get(&own.number).is_some_and(|known| known.0 == *kind && known.1 == own.text)
                }
                (Origin::Made, StmtKind::Inst(inst)) => self.insts.is_valid(*inst),
                (Origin::Made, StmtKind::Label(label)) => self.labels.is_valid(*label),
                (Origin::Made, StmtKind::Marker(marker)) => {
                    self.markers.is_valid(*marker) && is_comment(self.marker_text(*marker))
                }
                (Origin::Made, kind) => matches!(kind, StmtKind::Open | StmtKind::Close),
            };
            if !known {
                let what =
                    format!("a statement that is to be inserted does not belong to `{}`: {:?}", self.name, stmt.kind);
                return Err(refused(what, "write it with `fragment` of this kernel, or clone one of its statements"));
            }
        }
        Ok(())
    }

    /// Checks that an instruction id is one of this kernel.
    pub(super) fn check_inst(&self, inst: Inst) -> Result<(), Error> {
        match self.insts.is_valid(inst) {
            true => Ok(()),
            false => Err(refused(format!("{inst} is not of this kernel"), "ids hold for the kernel that gave them")),
        }
    }

    /// The statements of the basic block that a label begins: from the label to the first instruction that ends a block, or to what
    /// stands before the next label or the end of the scope. `None` if the label is not defined.
    #[must_use]
    pub fn block(&self, label: Label) -> Option<Range<usize>> {
        let start = self.stmts.iter().position(|stmt| stmt.kind == StmtKind::Label(label))?;
        let mut depth = 0u32;
        for (index, stmt) in self.stmts.iter().enumerate().skip(start + 1) {
            match &stmt.kind {
                StmtKind::Label(_) => return Some(start..index),
                StmtKind::Close if depth == 0 => return Some(start..index),
                StmtKind::Open => depth += 1,
                StmtKind::Close => depth -= 1,
                StmtKind::Inst(inst) if self.ends_block(*inst) => return Some(start..index + 1),
                _ => {}
            }
        }
        Some(start..self.stmts.len())
    }

    fn ends_block(&self, inst: Inst) -> bool {
        !matches!(self.properties(inst).flow, Flow::Next | Flow::Call)
    }
}

/// Returns true if a text is that of a marker.
fn is_comment(text: &str) -> bool {
    text.starts_with('#') && !text.contains('\n') && text.trim_end() == text
}
