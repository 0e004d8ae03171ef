//! Source positions of statements that are new in a kernel.

use crate::entities::LocId;
use crate::kernel::Kernel;
use crate::stmt::{Stmt, StmtKind};

impl Kernel {
    /// Gives new instructions the source positions that they have where they will stand: that of the last `.loc` before them, and in front of the first
    /// `.loc` the one that is in force there.
    pub fn place_locs(&mut self, stmts: &[Stmt], in_force: Option<LocId>) {
        let mut position = in_force;
        for stmt in stmts {
            match stmt.kind {
                StmtKind::Loc(here) => position = Some(here),
                StmtKind::Inst(inst) => self.insts[inst].loc = position.into(),
                _ => {}
            }
        }
    }

    /// Writes a `.loc` of this kernel a second time, with the function that it names. `None` for any other statement.
    pub fn repeat_loc(&mut self, loc: &Stmt) -> Option<Stmt> {
        let StmtKind::Loc(position) = loc.kind else { return None };
        Some(self.text_stmt(StmtKind::Loc(position), self.stmt_tokens(loc)))
    }
}
