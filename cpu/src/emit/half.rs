//! TODO

use super::view::View;
use crate::refusal::Refusal;

/// Returns true if an instruction computes with 16-bit floats.
pub(crate) fn is_half(view: &View<'_>) -> bool {
    use ptx_parser::Type::*;
    view.opcode().types().iter().any(|ty| matches!(ty, F16 | Bf16 | F16x2 | Bf16x2))
}

pub(crate) fn emit(view: &View<'_>) -> Result<String, Refusal> {
    Err(view.refuse("this instruction is not translated yet"))
}
