//! The origin of instructions, which messages point at.

use ptx_parser::{Inst, Kernel, Loc, Position, StmtKind};

/// The origin of an instruction: in the user's source where the PTX says it, and in the PTX text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Origin {
    /// Index of the `.file` directive; `None` where the PTX has no `.loc`.
    pub file: Option<u32>,
    /// The position in the user's source, if it is known.
    pub source: Position,
    /// The position in the PTX text; unknown for an instruction that a rewrite made.
    pub ptx: Position,
}

impl Origin {
    /// Returns where an instruction comes from. What was inlined from another file, such as an intrinsic from a header of the compiler, is where the
    /// kernel's own file calls it, perhaps through other functions.
    #[must_use]
    pub fn of(kernel: &Kernel, inst: Inst) -> Origin {
        let ptx = kernel.text_position(inst).unwrap_or_default();
        let unknown = Origin { ptx, ..Origin::default() };
        let Some(loc) = kernel.loc(inst).filter(|loc| loc.line > 0) else { return unknown };
        let own_file = kernel.stmts().iter().find_map(|stmt| match stmt.kind {
            StmtKind::Loc(position) => Some(kernel.loc_of(position).file),
            _ => None,
        });
        let own_call = if Some(loc.file) == own_file { None } else { call_in(kernel, inst, loc, own_file) };
        let (file, line, column) = own_call.unwrap_or((loc.file, loc.line, loc.column));
        Origin { file: Some(file), source: Position { line, column }, ptx }
    }
}

/// Returns the innermost call in a file by which the code of an instruction came to where it is. A `.loc` with `inlined_at` names the position of a call; the
/// latest `.loc` of that position says where the caller was inlined.
fn call_in(kernel: &Kernel, inst: Inst, loc: Loc, file: Option<u32>) -> Option<(u32, u32, u32)> {
    let mut call = loc.inlined_at?;
    if Some(call.0) == file {
        return Some(call);
    }
    let stmts = kernel.stmts();
    let at = stmts.iter().position(|stmt| stmt.kind == StmtKind::Inst(inst))?;
    for stmt in stmts.iter().take(at).rev() {
        let StmtKind::Loc(position) = stmt.kind else { continue };
        let loc = kernel.loc_of(position);
        if (loc.file, loc.line, loc.column) == call {
            call = loc.inlined_at?;
            if Some(call.0) == file {
                return Some(call);
            }
        }
    }
    None
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.source.line, self.ptx.line) {
            (0, line) => write!(f, "line {line} of the PTX"),
            (line, _) => write!(f, "line {line}"),
        }
    }
}
