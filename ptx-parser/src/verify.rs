//! What must hold of a kernel whatever was done to it.
//!
//! - Every statement's instruction is in the table, and no instruction stands in two places.
//! - No label is defined twice, and every branch goes to a label that is defined.
//! - Scopes are balanced.
//! - Operands refer to registers, lists and symbols that exist.

use rustc_hash::FxHashSet;

use crate::kernel::{Kernel, StmtKind};
use crate::operand::{Base, Operand};

impl Kernel {
    /// Checks the invariants; the message names what is broken and where.
    ///
    /// # Errors
    /// The first invariant that does not hold.
    pub fn verify(&self) -> Result<(), String> {
        let mut placed = FxHashSet::default();
        let mut defined = FxHashSet::default();
        let mut depth = 0i64;
        for stmt in &self.stmts {
            match &stmt.kind {
                StmtKind::Inst(inst) if !self.insts.is_valid(*inst) => {
                    return Err(format!("{inst} is not in the table"));
                }
                StmtKind::Inst(inst) if !placed.insert(*inst) => {
                    return Err(format!("`{}` stands in two places", self.inst_text(*inst)));
                }
                StmtKind::Label(label) if !defined.insert(*label) => {
                    return Err(format!("label `{}` is defined twice", self.label_name(*label)));
                }
                StmtKind::Open => depth += 1,
                StmtKind::Close => depth -= 1,
                _ => {}
            }
            if depth < 0 {
                return Err("a scope is closed that was not opened".to_owned());
            }
        }
        if depth != 0 {
            return Err(format!("{depth} scopes are left open"));
        }
        for &inst in &placed {
            for operand in &self.insts[inst].operands {
                self.verify_operand(operand).map_err(|what| format!("{inst}: {what}"))?;
            }
            for label in self.branch_targets(inst) {
                if !defined.contains(&label) {
                    let text = self.inst_text(inst);
                    return Err(format!("`{text}` goes to a label that is not defined"));
                }
            }
        }
        Ok(())
    }

    fn verify_operand(&self, operand: &Operand) -> Result<(), String> {
        let reg = |reg| if self.regs.is_valid(reg) { Ok(()) } else { Err(format!("{reg} is not in the table")) };
        match *operand {
            Operand::Reg(r) | Operand::Not(r) | Operand::Component(r, _) | Operand::Address(Base::Reg(r), _) => reg(r),
            Operand::Pair(first, second) => first.into_iter().chain(second).try_for_each(reg),
            Operand::Vector(list) | Operand::Tuple(list) | Operand::Bracket(list) => match self.lists.get(list) {
                Some(elements) => elements.iter().try_for_each(|element| self.verify_operand(element)),
                None => Err(format!("{list} is not in the table")),
            },
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
