//! The stack of a lane: whether a kernel needs one, the rows that keep track of it, and what uses it directly.
//!
//! Frames ([`super::frames`]) and `alloca` share it. It lies at the beginning of local memory, so that room for it must
//! be made before the first variable has a place: a look at the text of everything that the kernel calls by name
//! decides.

use ptx_parser::{Flow, Kernel, Mnemonic, Operand, StmtKind};

use super::functions::StackRows;
use super::{Decoder, View};
use crate::api::error::Error;
use crate::exec::frame::{Alloca, STACK_BYTES, StackRestore};
use crate::exec::moves::Rebase;
use crate::exec::op::{Op, pick};
use crate::program::registers::TAG64;

impl<'m> Decoder<'m> {
    /// Puts the stack at the beginning of local memory if anything that the kernel calls by name needs one.
    pub(super) fn reserve_stack(&mut self, kernel: &'m Kernel) {
        let mut names = self.callees(kernel.name());
        let mut next = 0;
        while let Some(&name) = names.get(next) {
            let more: Vec<&'m str> = self.callees(name).into_iter().filter(|name| !names.contains(name)).collect();
            names.extend(more);
            next += 1;
        }
        let uses = |kernel: &Kernel| {
            kernel.stmts().iter().any(|stmt| match stmt.kind {
                StmtKind::Inst(inst) if kernel.properties(inst).flow == Flow::Call => {
                    matches!(kernel.call_parts(inst).callee, Some(Operand::Reg(_)))
                }
                StmtKind::Inst(inst) => {
                    matches!(
                        kernel.opcode(inst).mnemonic(),
                        Mnemonic::Alloca | Mnemonic::Stacksave | Mnemonic::Stackrestore
                    )
                }
                _ => false,
            })
        };
        let module = self.module;
        let bodies = std::iter::once(kernel).chain(names.iter().filter_map(|name| module.kernel(name)));
        if bodies.into_iter().any(uses) || names.iter().any(|name| self.is_recursive(name)) {
            self.frames.stack_bytes = STACK_BYTES;
            self.variables.local_bytes = u64::from(STACK_BYTES);
        }
    }

    /// See [`Frames::stack_rows`](super::functions::Frames::stack_rows).
    pub(super) fn stack_rows(&mut self) -> StackRows {
        self.frames.stack_rows(&mut self.rows, &mut self.drafts)
    }
}

/// `alloca`, `stacksave`, `stackrestore`.
pub(super) fn decode<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let sp = d.stack_rows().sp;
    let ty = view.ty();
    match view.opcode.mnemonic() {
        Mnemonic::Alloca => {
            let mut op = d.op(pick::<Alloca>());
            op.d = d.any_result(view, 0)?;
            op.a = d.any_source(view, 1, ty)?;
            op.b = sp;
            op.imm = match view.operand(2) {
                Some(&Operand::Int(align)) => u64::try_from(align).unwrap_or(16).clamp(16, 4096),
                _ => 16,
            };
            Ok(op)
        }
        Mnemonic::Stacksave => {
            let mut op = d.op(pick::<Rebase>());
            (op.d, op.a) = (d.any_result(view, 0)?, sp | TAG64);
            Ok(op)
        }
        _ => {
            let mut op = d.op(pick::<StackRestore>());
            (op.a, op.b) = (d.any_source(view, 0, ty)?, sp);
            Ok(op)
        }
    }
}
