//! Source positions stay with the instructions that they describe.
//!
//! A `.loc` holds for all that follows it in the text. Where a patch moves an instruction, or inserts a `.loc` in front of one that
//! stays, the text would give it the position of other code; the `.loc` that was in force for it is then repeated.

use cranelift_entity::SecondaryMap;

use super::patch::Patch;
use crate::entities::Inst;
use crate::kernel::Kernel;
use crate::print::tokens;
use crate::stmt::{Loc, Origin, Stmt, StmtKind};

/// The statements in their order with positions repeated where needed, and those repeated positions once more.
pub(super) fn kept(kernel: &Kernel, patch: &Patch, placed: &[&Stmt]) -> (Vec<Stmt>, Vec<Stmt>) {
    let before = in_force(&kernel.stmts);
    let mut number = kernel.edits.next_home();
    let mut current: Option<Loc> = None;
    let (mut stmts, mut repeated) = (Vec::with_capacity(placed.len()), Vec::new());
    for &stmt in placed {
        match stmt.kind {
            StmtKind::Loc(loc) => current = Some(kernel.position(loc)),
            StmtKind::Inst(inst) => {
                // One more than the index of the statement; 0 for none.
                let index = before[inst] as usize;
                let position = index.checked_sub(1).filter(|index| !patch.removed.contains(index));
                if let Some(position) = position.and_then(|index| kernel.stmts.get(index))
                    && let StmtKind::Loc(loc) = position.kind
                    && current != Some(kernel.position(loc))
                {
                    let text = tokens::bare(&kernel.own_text(position));
                    let again = Stmt { kind: StmtKind::Loc(loc), origin: Origin::text(number, text) };
                    number += 1;
                    repeated.push(again.clone());
                    stmts.push(again);
                    current = Some(kernel.position(loc));
                }
            }
            _ => {}
        }
        stmts.push(stmt.clone());
    }
    (stmts, repeated)
}

/// For each instruction, one more than the index of the `.loc` that holds for it.
fn in_force(stmts: &[Stmt]) -> SecondaryMap<Inst, u32> {
    let mut map = SecondaryMap::new();
    let mut current = 0;
    for (index, stmt) in stmts.iter().enumerate() {
        match stmt.kind {
            // A text has fewer statements than bytes, of which there are less than 2^32.
            StmtKind::Loc(_) => current = index as u32 + 1,
            StmtKind::Inst(inst) if current > 0 => map[inst] = current,
            _ => {}
        }
    }
    map
}
