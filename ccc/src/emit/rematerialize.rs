//! The code that computes what did not travel with a context, where its region begins ([`crate::context::compress`]).
//!
//! Each instruction is written again with other registers: inputs are read from the copies of what travelled or from registers that every
//! lane knows, results go to the copies that the region reads or, between two instructions, to registers of their own.

use ptx_parser::{Code, Error, Kernel, Reg, Stmt};
use rustc_hash::FxHashMap;

use crate::context::rematerialization::Holder;
use crate::context::value::{Context, Source};
use crate::emit::register_copies::Copies;

/// The code at the region's entry that computes what did not travel, on copies.
///
/// # Errors
/// None that an instruction which was read could cause: it names registers that are known everywhere.
pub(crate) fn restore(kernel: &mut Kernel, context: &Context, copies: &Copies) -> Result<Vec<Stmt>, Error> {
    let mut own: FxHashMap<Holder, Reg> = FxHashMap::default();
    let mut code = Vec::new();
    for again in &context.again {
        let mut register = |kernel: &mut Kernel, reg: Reg, place: Holder| match place {
            Holder::Known(reg) => reg,
            Holder::Copy(reg) => copies.of(Source::Reg(reg)).unwrap_or(reg),
            Holder::Own(_) | Holder::Follows(..) => *own.entry(place).or_insert_with(|| {
                let ty = kernel.reg(reg).ty;
                kernel.new_reg("ccc_v", ty)
            }),
        };
        let mut names: FxHashMap<Reg, Reg> = FxHashMap::default();
        for &(reg, place) in &again.results {
            let register = register(kernel, reg, place);
            names.insert(reg, register);
        }
        for &(reg, place) in &again.inputs {
            let from = register(kernel, reg, place);
            let to = *names.entry(reg).or_insert(from);
            // A register that the instruction reads and writes is one operand's name for two values.
            if to != from {
                let mut copy = Code::new();
                copy.ins().copy(kernel.reg(reg).ty, to, from);
                code.extend(kernel.build(copy)?);
            }
        }
        let (inst, stmt) = kernel.duplicate(again.inst);
        kernel.rename(inst, |reg| names.get(&reg).copied().unwrap_or(reg))?;
        code.push(stmt);
    }
    Ok(code)
}
