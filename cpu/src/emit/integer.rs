//! Integer arithmetic and bit fields (PTX ISA, "Integer Arithmetic Instructions").

use ptx_parser::{Mnemonic, Modifier, Type};

use super::view::View;
use crate::refusal::Refusal;

/// Returns the statement of C for an instruction.
///
/// # Errors
/// A form that the ISA or the emulator does not have.
pub(crate) fn emit(view: &View<'_>) -> Result<String, Refusal> {
    let ty = view.ty();
    match view.opcode().mnemonic() {
        // Below 32 bits C would compute with signed integers.
        Mnemonic::Add if !view.has(Modifier::Sat) => operator(view, ty, "+"),
        Mnemonic::Sub if !view.has(Modifier::Sat) => operator(view, ty, "-"),
        _ => Err(view.refuse("this instruction is not translated yet")),
    }
}

fn operator(view: &View<'_>, ty: Type, operator: &str) -> Result<String, Refusal> {
    let (a, b) = (view.source(1, ty)?, view.source(2, ty)?);
    let c = super::names::c_type(ty);
    view.assign(ty, &format!("({c})({a} {operator} {b})"))
}
