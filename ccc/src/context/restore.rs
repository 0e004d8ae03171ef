//! The code that computes what did not travel with a context, where its region begins ([`crate::context::compress`]).
//!
//! Each instruction is written again with other registers: inputs are read from the copies of what travelled or from registers that every
//! lane knows, results go to the copies that the region reads or, between two instructions, to registers of their own.

use analysis::Value;
use ptx_parser::{Code, Error, Inst, Kernel, Reg, Stmt};
use rustc_hash::FxHashMap;

use crate::context::{Context, Source};
use crate::write::copies::Copies;

/// An instruction that is done again, and where its inputs and results are. The registers of the kernel are those that the
/// instruction names.
#[derive(Clone, Debug)]
pub(crate) struct Again {
    pub(crate) inst: Inst,
    pub(crate) inputs: Vec<(Reg, Place)>,
    pub(crate) results: Vec<(Reg, Place)>,
}

/// Where a value is while the region begins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Place {
    /// In a register that every lane has.
    Known(Reg),
    /// In the copy of a register.
    Copy(Reg),
    /// In a register of its own.
    Own(Value),
    /// In a register of its own, as it is for the register that follows from another one, named first.
    Follows(Value, Value),
}

/// The code at the region's entry that computes what did not travel, on copies.
///
/// # Errors
/// None that an instruction which was read could cause: it names registers that are known everywhere.
pub(crate) fn restore(kernel: &mut Kernel, context: &Context, copies: &Copies) -> Result<Vec<Stmt>, Error> {
    let mut own: FxHashMap<Place, Reg> = FxHashMap::default();
    let mut code = Vec::new();
    for again in &context.again {
        let mut register = |kernel: &mut Kernel, reg: Reg, place: Place| match place {
            Place::Known(reg) => reg,
            Place::Copy(reg) => copies.of(Source::Reg(reg)).unwrap_or(reg),
            Place::Own(_) | Place::Follows(..) => *own.entry(place).or_insert_with(|| {
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
