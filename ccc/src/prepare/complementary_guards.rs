//! Marks registers as fully written where instructions with complementary guards write them together.
//!
//! ```text
//!                                   mov.b32 t, 0;
//!     @p  ld.global.b32 t, [a];     @p  ld.global.b32 t, [a];
//!     @!p mov.b32 t, 9;             @!p mov.b32 t, 9;
//! ```
//!
//! Every analysis takes a guarded write for one that may keep the old value. For `t` that is wrong: each lane executes one of the two
//! writes. So `t` would seem to carry a value from one iteration to the next. A constant written in front of the first one makes the
//! fact visible to all analyses. No lane reads the constant, which is checked here:
//!
//! - both writes stand in one block, and their guards have the same value, or values that are each other's negation;
//! - in between, only instructions with the guard of the first write read the register; they follow that write in the same lanes;
//! - neither of the two reads the register itself or writes only a part of it.

use analysis::Value;
use ptx_parser::{Code, Error, Inst, Kernel, Patch, Reg, Stmt, StmtKind, Type};
use rustc_hash::FxHashSet;

use crate::facts::Facts;

/// A condition: a value of a predicate, and whether it is negated.
type Literal = (Value, bool);

/// Writes a constant in front of each pair of complementary writes that seems to keep an old value.
///
/// # Errors
/// None that a kernel as it was read could cause.
pub(crate) fn complete(kernel: &mut Kernel) -> Result<(), Error> {
    let guarded = |stmt: &Stmt| match stmt.kind {
        StmtKind::Inst(inst) => kernel.inst(inst).guard.is_some() && !kernel.defs(inst).is_empty(),
        _ => false,
    };
    if kernel.stmts().iter().filter(|stmt| guarded(stmt)).count() < 2 {
        return Ok(());
    }
    let facts = Facts::of(kernel);
    let found = pairs(&facts);
    drop(facts);
    let mut patch = Patch::new();
    for &(stmt, reg) in &found {
        let ty = kernel.reg(reg).ty;
        let mut code = Code::new();
        match ty {
            Type::Pred => code.ins().set(reg, false),
            _ => code.ins().mov(Type::untyped(ty.bits()), reg, 0),
        }
        patch.insert_before(stmt, kernel.build(code)?);
    }
    kernel.apply(patch)
}

/// Returns the registers that complementary writes define together and that seem live before them, each with the statement of the first write.
fn pairs(facts: &Facts<'_>) -> Vec<(usize, Reg)> {
    let kernel = facts.kernel;
    let mut found = Vec::new();
    for block in facts.cfg.blocks().filter(|&block| facts.cfg.is_reachable(block)) {
        let mut insts = facts.cfg.insts(block).iter();
        let mut done: FxHashSet<Reg> = FxHashSet::default();
        while let Some(&first) = insts.next() {
            let Some(literal) = guard(facts, first) else { continue };
            for reg in kernel.defs(first) {
                if is_plain(kernel, reg)
                    && !kernel.reads(first).contains(&reg)
                    && !done.contains(&reg)
                    && facts.liveness.live_before(kernel, &facts.cfg, first).contains(&reg)
                    && is_completed(facts, insts.as_slice(), reg, literal)
                    && let Some(stmt) = facts.cfg.stmt_of(kernel, first)
                {
                    done.insert(reg);
                    found.push((stmt, reg));
                }
            }
        }
    }
    found
}

/// Returns true if some instructions, which follow a write under a guard, also write the register under the complement before other lanes read it.
fn is_completed(facts: &Facts<'_>, insts: &[Inst], reg: Reg, first: Literal) -> bool {
    let kernel = facts.kernel;
    for &inst in insts {
        let own = guard(facts, inst);
        if own != Some(first) && kernel.reads(inst).contains(&reg) {
            return false;
        }
        if own == Some((first.0, !first.1)) && kernel.defs(inst).contains(&reg) {
            return true;
        }
    }
    false
}

/// Returns the condition under which an instruction is executed; `None` without a guard.
fn guard(facts: &Facts<'_>, inst: Inst) -> Option<Literal> {
    let guard = facts.kernel.inst(inst).guard?;
    let mut literal = (facts.values.at_use(inst, guard.reg)?, guard.negated);
    // A chain of copies is as long as the kernel at most.
    for _ in 0..facts.values.count() {
        let Some((from, negated)) = facts.values.passed_on(facts.kernel, literal.0) else { break };
        literal = (from, literal.1 != negated);
    }
    Some(literal)
}

/// Returns true for a register that a move can set to a constant.
fn is_plain(kernel: &Kernel, reg: Reg) -> bool {
    let data = kernel.reg(reg);
    let movable = data.ty == Type::Pred || matches!(data.ty.bits(), 16 | 32 | 64);
    movable && data.lanes == 1 && Some(reg) != kernel.carry_flag()
}
