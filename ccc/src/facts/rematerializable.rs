//! The values that the lane which runs a region may compute for itself, and the cost of each computation.
//!
//! An instruction may be repeated if it is cheap and gives every lane the same result from the same inputs. Such are integer and float
//! arithmetic, comparisons, selects, shifts, conversions, and parameters of the kernel. Everything else is stored, for a reason that the
//! report states ([`Obstacle`]).

use analysis::{Block, Value, ValueKind, is_repeatable};
use cranelift_entity::EntitySet;
use ptx_parser::{Class, Inst, Memory, Operand, Reg, StmtKind, Uniformity};

use crate::facts::Facts;

/// The reason why a value is not computed again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Obstacle {
    /// Memory may have changed, or is changed by the instruction.
    Memory(String),
    /// Lanes exchange values.
    Exchange(String),
    /// The instruction is guarded: the value is a mixture of two.
    Guarded,
    /// Several definitions reach the path, those of earlier iterations among them.
    Joins,
    /// Nothing defines it.
    Undefined,
    /// It says which lane computes it, or when or where.
    Place(String),
    /// The instruction takes long.
    Costly(String),
    /// Without a rounding mode, ptxas may fuse the instruction with another one, differently at each place.
    Fused(String),
    /// Anything else that is not computed from scalar registers alone.
    Other(String),
}

impl std::fmt::Display for Obstacle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Obstacle::Memory(opcode) => write!(f, "`{opcode}` accesses memory"),
            Obstacle::Exchange(opcode) => write!(f, "`{opcode}` is executed by lanes together"),
            Obstacle::Guarded => f.write_str("written under a guard"),
            Obstacle::Joins => f.write_str("several definitions reach the path"),
            Obstacle::Undefined => f.write_str("nothing defines it"),
            Obstacle::Place(special) => write!(f, "reads {special}"),
            Obstacle::Costly(opcode) => write!(f, "`{opcode}` costs too much"),
            Obstacle::Fused(opcode) => write!(f, "`{opcode}` may be fused with another operation"),
            Obstacle::Other(opcode) => write!(f, "`{opcode}` cannot be repeated"),
        }
    }
}

/// The instruction that may be done again to compute a value, and its cost in operations.
///
/// # Errors
/// Why there is none.
pub(crate) fn computed_by(facts: &Facts<'_>, named: &EntitySet<Reg>, value: Value) -> Result<(Inst, u64), Obstacle> {
    let inst = match facts.values.kind(value) {
        ValueKind::Def(inst, _) => inst,
        ValueKind::Phi(..) => return Err(Obstacle::Joins),
        ValueKind::Undefined(_) => return Err(Obstacle::Undefined),
    };
    let kernel = facts.kernel;
    let properties = kernel.properties(inst);
    let opcode = || facts.opcode(inst);
    if kernel.inst(inst).guard.is_some() || facts.values.old(value).is_some() {
        return Err(Obstacle::Guarded);
    }
    if properties.convergent {
        return Err(Obstacle::Exchange(opcode()));
    }
    if let Some(special) = place(facts, inst) {
        return Err(Obstacle::Place(special));
    }
    let regs = || kernel.reads(inst).into_iter().chain(kernel.defs(inst));
    let parameter = properties.memory == Memory::Read && is_repeatable(kernel, inst) && kernel.reads(inst).is_empty();
    if properties.memory != Memory::None && !parameter {
        return Err(Obstacle::Memory(opcode()));
    }
    let plain = regs().all(|reg| named.contains(reg) && is_scalar(facts, reg));
    if !(parameter || properties.is_pure()) || facts.touches_local(inst) || !plain || !stands_outermost(facts, inst) {
        return Err(Obstacle::Other(opcode()));
    }
    if facts.kernel.properties(inst).fusible {
        return Err(Obstacle::Fused(opcode()));
    }
    // In units of a 32-bit addition, roughly by throughput (CUDA Programming Guide, "Throughput of Native Arithmetic Instructions").
    // Doubles differ most from chip to chip, from half the rate of floats to a 64th; one or two of them are bearable everywhere.
    let weight = match properties.class {
        Class::Integer | Class::Compare | Class::Multiply | Class::Shift | Class::Single | Class::Half => 1,
        Class::Bits | Class::Convert | Class::Special => 2,
        Class::Double | Class::ConvertWide => 8,
        _ if parameter => 1,
        _ => return Err(Obstacle::Costly(opcode())),
    };
    Ok((inst, weight * u64::from(properties.repeats.max(1))))
}

/// A special register that the instruction reads and that is not the same for all lanes of the warp at all times.
fn place(facts: &Facts<'_>, inst: Inst) -> Option<String> {
    let mut found = None;
    facts.kernel.visit_operands(inst, |operand| {
        if let Operand::Special(special) = operand
            && !matches!(special.name.uniformity(), Uniformity::Grid | Uniformity::Cta)
        {
            found.get_or_insert_with(|| special.to_string());
        }
    });
    found
}

/// Returns true if a register holds one value, and is not the carry flag.
pub(crate) fn is_scalar(facts: &Facts<'_>, reg: Reg) -> bool {
    facts.kernel.reg(reg).lanes == 1 && Some(reg) != facts.kernel.carry_flag()
}

/// The registers that the code behind the body can name: those that an instruction outside of `{ }` scopes names, and whose name
/// no other register has.
pub(crate) fn named(facts: &Facts<'_>) -> EntitySet<Reg> {
    let kernel = facts.kernel;
    let mut count = rustc_hash::FxHashMap::<&str, usize>::default();
    kernel.regs().for_each(|reg| *count.entry(kernel.reg_name(reg)).or_default() += 1);
    let mut named = EntitySet::new();
    for inst in outermost(facts) {
        kernel.visit(inst, |reg, _| {
            if count.get(kernel.reg_name(reg)) == Some(&1) {
                named.insert(reg);
            }
        });
    }
    named
}

/// The instructions outside of `{ }` scopes.
fn outermost<'a>(facts: &'a Facts<'_>) -> impl Iterator<Item = Inst> + 'a {
    let mut depth = 0i64;
    facts.kernel.stmts().iter().filter_map(move |stmt| {
        match stmt.kind {
            StmtKind::Open => depth += 1,
            StmtKind::Close => depth -= 1,
            StmtKind::Inst(inst) if depth == 0 => return Some(inst),
            _ => {}
        }
        None
    })
}

/// Returns false for an instruction in a `{ }` scope that names a variable, which may be the scope's own.
pub(crate) fn stands_outermost(facts: &Facts<'_>, inst: Inst) -> bool {
    let mut symbol = false;
    facts.kernel.visit_operands(inst, |operand| {
        symbol |= matches!(operand, Operand::Symbol(..) | Operand::Address(..));
    });
    !symbol || outermost(facts).any(|other| other == inst)
}

/// Returns true if a register still holds a value where a block begins: on every way there, nothing has written the register since the
/// value came into being. (Liveness does not say it: the value may be read no more.)
pub(crate) fn still_holds(facts: &Facts<'_>, value: Value, block: Block) -> bool {
    let reg = facts.values.reg(value);
    if facts.values.live_in(block, reg) == Some(value) {
        return true;
    }
    let mut seen = EntitySet::new();
    seen.insert(block);
    let mut work = vec![block];
    while let Some(block) = work.pop() {
        let phi = facts.values.phis(block).iter().copied().find(|&phi| facts.values.reg(phi) == reg);
        let undefined = || facts.values.kind(value) == ValueKind::Undefined(reg);
        match phi {
            Some(phi) if phi == value => continue,
            Some(_) => return false,
            None if block == facts.cfg.entry() && !undefined() => return false,
            None => {}
        }
        for &pred in facts.cfg.preds(block) {
            let writes = |inst: &Inst| facts.kernel.defs(*inst).contains(&reg);
            match facts.cfg.insts(pred).iter().rev().copied().find(writes) {
                Some(inst) if facts.values.def(inst, reg) == Some(value) => {}
                Some(_) => return false,
                None if seen.insert(pred) => work.push(pred),
                None => {}
            }
        }
    }
    true
}
