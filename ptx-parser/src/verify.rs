//! The invariants of a kernel, which hold whatever was done to it.
//!
//! - Every statement's instruction is in the table, and no instruction, marker or declaration stands in two places.
//! - The table of markers says where each of them stands.
//! - No label is defined twice, and every branch goes to a label that is defined.
//! - Scopes are balanced, and every register, label and variable is used where its name means it (`verify_scopes`).
//! - Guards are predicates; operands refer to registers, lists and symbols that exist.

use rustc_hash::FxHashSet;

use crate::kernel::Kernel;
use crate::operand::{Base, Operand};
use crate::stmt::StmtKind;
use crate::table::Flow;
use crate::types::Type;

impl Kernel {
    /// Checks the invariants; the message names what is broken and where.
    ///
    /// # Errors
    /// The first invariant that does not hold.
    pub fn verify(&self) -> Result<(), String> {
        let mut placed = FxHashSet::default();
        let mut defined = FxHashSet::default();
        let mut declared = FxHashSet::default();
        let mut depth = 0i64;
        for (index, stmt) in self.stmts.iter().enumerate() {
            match &stmt.kind {
                StmtKind::Inst(inst) if !self.insts.is_valid(*inst) => {
                    return Err(format!("{inst} is not in the table"));
                }
                StmtKind::Inst(inst) if !placed.insert(*inst) => {
                    return Err(format!("`{}` stands in two places", self.inst_text(*inst)));
                }
                StmtKind::Label(label) if !self.labels.is_valid(*label) => {
                    return Err(format!("{label} is not in the table"));
                }
                StmtKind::Label(label) if !defined.insert(*label) => {
                    return Err(format!("label `{}` is defined twice", self.label_name(*label)));
                }
                StmtKind::Marker(marker) if !self.markers.is_valid(*marker) => {
                    return Err(format!("{marker} is not in the table"));
                }
                // Of two places, the table has the last one.
                StmtKind::Marker(marker) if self.index_of(*marker) != Some(index) => {
                    return Err(format!("`//{}` stands in two places", self.marker_text(*marker)));
                }
                StmtKind::Open => depth += 1,
                StmtKind::Close => depth -= 1,
                StmtKind::Registers | StmtKind::Variables(_) | StmtKind::BranchTargets(..) | StmtKind::Directive
                    if !declared.insert(stmt.origin.home()) =>
                {
                    return Err(format!("`{}` stands in two places", self.own_text(stmt).trim()));
                }
                _ => {}
            }
            if depth < 0 {
                return Err("a scope is closed that was not opened".to_owned());
            }
        }
        if depth != 0 {
            return Err(format!("{depth} scopes are left open"));
        }
        for stmt in &self.stmts {
            if let StmtKind::Inst(inst) = stmt.kind {
                self.verify_inst(inst, &defined)?;
            }
        }
        self.verify_scopes()
    }

    fn verify_inst(&self, inst: crate::Inst, defined: &FxHashSet<crate::Label>) -> Result<(), String> {
        let data = &self.insts[inst];
        if let Some(guard) = data.guard {
            match self.regs.get(guard.reg) {
                Some(reg) if reg.ty == Type::Pred => {}
                Some(_) => return Err(format!("`{}` has a guard that is no predicate", self.inst_text(inst))),
                None => return Err(format!("{inst}: {} is not in the table", guard.reg)),
            }
        }
        for operand in self.operands(inst) {
            self.verify_operand(operand, 0).map_err(|what| format!("{inst}: {what}"))?;
        }
        if self.branch_targets(inst).iter().any(|label| !defined.contains(label)) {
            return Err(format!("`{}` goes to a label that is not defined", self.inst_text(inst)));
        }
        if self.properties(inst).flow == Flow::IndirectBranch && self.branch_table(inst).is_none() {
            return Err(format!("`{}` has no list of branch targets", self.inst_text(inst)));
        }
        Ok(())
    }

    fn verify_operand(&self, operand: &Operand, depth: u8) -> Result<(), String> {
        let reg = |reg| if self.regs.is_valid(reg) { Ok(()) } else { Err(format!("{reg} is not in the table")) };
        match *operand {
            Operand::Reg(r)
            | Operand::Sum(r, _)
            | Operand::Not(r)
            | Operand::Selected(r, _)
            | Operand::Component(r, _)
            | Operand::Address(Base::Reg(r), _) => reg(r),
            Operand::Pair(first, second) => first.expand().into_iter().chain(second.expand()).try_for_each(reg),
            Operand::VectorPair(_, Some(resident)) if !self.regs.is_valid(resident) => reg(resident),
            Operand::Vector(list) | Operand::VectorPair(list, _) | Operand::Tuple(list) | Operand::Bracket(list) => {
                match self.lists.get(list) {
                    _ if depth > 1 => Err(format!("{list} is nested too deep")),
                    Some(_) => self.list(list).iter().try_for_each(|element| self.verify_operand(element, depth + 1)),
                    None => Err(format!("{list} is not in the table")),
                }
            }
            Operand::Label(label) if !self.labels.is_valid(label) => Err(format!("{label} is not in the table")),
            Operand::Symbol(symbol, _) | Operand::Address(Base::Symbol(symbol), _)
                if !self.symbols.is_valid(symbol) =>
            {
                Err(format!("{symbol} is not in the table"))
            }
            _ => Ok(()),
        }
    }

    /// Checks the invariants in builds with debug assertions.
    ///
    /// # Panics
    /// In such builds, when an invariant does not hold: the library itself is then wrong.
    pub(crate) fn debug_verify(&self) {
        if cfg!(debug_assertions) {
            let verdict = self.verify();
            debug_assert!(verdict.is_ok(), "{}: {verdict:?}", self.name);
        }
    }
}
