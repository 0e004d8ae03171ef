//! The loads that are executed where a context is collected ([`crate::context::hoist`]).

use ptx_parser::{Base, Code, Error, Inst, Kernel, Loc, Operand, Position, Reg, Stmt};
use rustc_hash::FxHashMap;

use crate::context::hoist::Hoisted;
use crate::context::value::Source;
use crate::emit::register_copies::Copies;
use crate::origin::Origin;

/// Builds what is executed where the context is collected: each load into the copy of its register, each address in registers of its own.
///
/// # Errors
/// None that an instruction which was read could cause: it names registers that are known everywhere.
pub(crate) fn loads(hoisted: &Hoisted, kernel: &mut Kernel, copies: &Copies) -> Result<Vec<Stmt>, Error> {
    let mut code = Vec::new();
    for load in &hoisted.loads {
        // The load is charged to the line that it comes from.
        if let Origin { file: Some(file), source: Position { line, column }, .. } = load.at {
            let mut position = Code::new();
            position.loc(Loc { file, line, column, inlined_at: None });
            code.extend(kernel.build(position)?);
        }
        let mut own: FxHashMap<Reg, Reg> = FxHashMap::default();
        for &inst in &load.chain {
            let results = kernel.defs(inst);
            let fresh: Vec<(Reg, Reg)> =
                results.iter().map(|&reg| (reg, kernel.new_reg("ccc_a", kernel.reg(reg).ty))).collect();
            let name = |own: &FxHashMap<Reg, Reg>, reg: Reg| own.get(&reg).copied().unwrap_or(reg);
            repeat(kernel, inst, &mut code, |operand, reg| match operand {
                0 => fresh.iter().find(|(old, _)| *old == reg).map_or(reg, |&(_, new)| new),
                _ => name(&own, reg),
            })?;
            own.extend(fresh);
        }
        let Some(copy) = copies.of(Source::Loaded(load.reg)) else { continue };
        repeat(kernel, load.inst, &mut code, |operand, reg| match operand {
            0 => copy,
            _ => own.get(&reg).copied().unwrap_or(reg),
        })?;
    }
    Ok(code)
}

/// Writes an instruction again, with other registers by the index of the operand.
fn repeat(
    kernel: &mut Kernel,
    inst: Inst,
    code: &mut Vec<Stmt>,
    name: impl Fn(usize, Reg) -> Reg,
) -> Result<(), Error> {
    let (again, stmt) = kernel.duplicate(inst);
    let mut index = 0;
    kernel.edit_operands(again, |operand| {
        match operand {
            Operand::Reg(reg) | Operand::Address(Base::Reg(reg), _) => *reg = name(index, *reg),
            _ => {}
        }
        index += 1;
    })?;
    code.push(stmt);
    Ok(())
}
