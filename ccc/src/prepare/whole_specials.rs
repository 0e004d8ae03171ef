//! Reads the number of a thread by its components where a kernel reads it as a whole, so that each is a value of a context.
//!
//! ```text
//! mov.v4.u32 {%a, %b, %c, _}, %tid;     mov.u32 %a, %tid.x;
//!                                       mov.u32 %b, %tid.y;
//!                                       mov.u32 %c, %tid.z;
//! ```
//!
//! Compilers write no such instruction; people do in inline PTX.

use ptx_parser::{Code, Component, Error, Inst, Kernel, Operand, Patch, Reg, Special, SpecialName, StmtKind, Type};

/// Replaces the moves of a whole `%tid`.
///
/// # Errors
/// None that a kernel as it was read could cause.
pub(crate) fn part(kernel: &mut Kernel) -> Result<(), Error> {
    let mut replacements: Vec<(usize, Code)> = Vec::new();
    for (index, stmt) in kernel.stmts().iter().enumerate() {
        let StmtKind::Inst(inst) = stmt.kind else { continue };
        let Some(elements) = elements(kernel, inst) else { continue };
        let mut code = Code::new();
        for (to, from) in elements {
            let ins = code.guarded(kernel.inst(inst).guard);
            match from.component {
                // It is the same for all threads.
                Some(Component::W) => ins.mov(Type::U32, to, 0),
                _ => ins.mov(Type::U32, to, from),
            }
        }
        replacements.push((index, code));
    }
    let mut patch = Patch::new();
    for (index, code) in replacements {
        patch.replace(index..index + 1, kernel.build(code)?);
    }
    kernel.apply(patch)
}

/// Returns the registers that an instruction moves a whole `%tid` to, each with its component; `None` for any other instruction.
fn elements(kernel: &Kernel, inst: Inst) -> Option<Vec<(Reg, Special)>> {
    let &[Operand::Vector(to), Operand::Special(from)] = kernel.operands(inst) else { return None };
    let from = from.components().filter(|_| from.name == SpecialName::Tid)?;
    let mut elements = Vec::new();
    for (to, from) in kernel.list(to).iter().zip(from) {
        match *to {
            Operand::Reg(to) => elements.push((to, from)),
            Operand::Sink => {}
            _ => return None,
        }
    }
    Some(elements)
}
