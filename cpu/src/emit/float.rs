//! Arithmetic of single and double precision (PTX ISA, "Floating-Point Instructions").
//!
//! Functions of the runtime are named as opcodes are: `pxrw_add_rz_ftz_sat_f32`. The default rounding has no name.

use ptx_parser::{Mnemonic, Modifier, Type};

use super::raw;
use super::view::View;
use crate::refusal::Refusal;

/// Returns the statement of C for an instruction.
///
/// # Errors
/// A form that the ISA or the emulator does not have.
pub(crate) fn emit(view: &View<'_>) -> Result<String, Refusal> {
    let ty = view.ty();
    match ty {
        Type::F32 | Type::F64 => {}
        Type::F32x2 => return pair(view),
        _ => return Err(view.refuse("floats have no such type here")),
    }
    match view.opcode().mnemonic() {
        Mnemonic::Testp => testp(view),
        Mnemonic::Min | Mnemonic::Max if ty == Type::F32 => extreme(view),
        _ if raw::arithmetic(view.kernel, view.inst) == Some(ty) => arithmetic(view, ty),
        _ => {
            let function = function(view, ty)?;
            view.call(ty, &function, &[ty; 3][..view.operands().len().saturating_sub(1).min(3)])
        }
    }
}

/// Arithmetic in the default rounding, with operators of C.
fn arithmetic(view: &View<'_>, ty: Type) -> Result<String, Refusal> {
    let of = |index: usize| view.float_source(index, ty);
    let suffix = if ty == Type::F32 { "f" } else { "" };
    let value = match view.opcode().mnemonic() {
        Mnemonic::Add => format!("{} + {}", of(1)?, of(2)?),
        Mnemonic::Sub => format!("{} - {}", of(1)?, of(2)?),
        Mnemonic::Mul => format!("{} * {}", of(1)?, of(2)?),
        Mnemonic::Div => format!("{} / {}", of(1)?, of(2)?),
        Mnemonic::Sqrt => format!("sqrt{suffix}({})", of(1)?),
        _ => format!("fma{suffix}({}, {}, {})", of(1)?, of(2)?, of(3)?),
    };
    view.assign_float(ty, &value)
}

/// Returns the part of a function's name that is the rounding; the default has none.
pub(crate) fn rounding(view: &View<'_>) -> &'static str {
    match () {
        () if view.has(Modifier::Rz) => "_rz",
        () if view.has(Modifier::Rm) => "_rm",
        () if view.has(Modifier::Rp) => "_rp",
        () => "",
    }
}

/// Returns the part of a function's name that is `.ftz` and `.sat`.
pub(crate) fn flags(view: &View<'_>) -> &'static str {
    match (view.has(Modifier::Ftz), view.has(Modifier::Sat)) {
        (false, false) => "",
        (true, false) => "_ftz",
        (false, true) => "_sat",
        (true, true) => "_ftz_sat",
    }
}

/// Returns the function of an operation on values of a type.
fn function(view: &View<'_>, ty: Type) -> Result<String, Refusal> {
    let operation = match view.opcode().mnemonic() {
        Mnemonic::Div if view.has(Modifier::Approx) => "div_approx",
        Mnemonic::Abs => "abs",
        Mnemonic::Add => "add",
        Mnemonic::Copysign => "copysign",
        Mnemonic::Cos => "cos",
        Mnemonic::Div => "div",
        Mnemonic::Ex2 => "ex2",
        Mnemonic::Fma | Mnemonic::Mad => "fma",
        Mnemonic::Lg2 => "lg2",
        Mnemonic::Max => "max",
        Mnemonic::Min => "min",
        Mnemonic::Mul => "mul",
        Mnemonic::Neg => "neg",
        Mnemonic::Rcp => "rcp",
        Mnemonic::Rsqrt => "rsqrt",
        Mnemonic::Sin => "sin",
        Mnemonic::Sqrt => "sqrt",
        Mnemonic::Sub => "sub",
        Mnemonic::Tanh => "tanh",
        _ => return Err(view.refuse("this instruction does not compute with floats")),
    };
    // Double precision has neither `.sat` nor, but for its approximations, `.ftz`, which changes nothing there.
    let flags = if ty == Type::F64 { "" } else { flags(view) };
    Ok(format!("pxrw_{operation}{}{flags}_{}", rounding(view), ty.text()))
}

/// `.f32x2`: a function of singles for both.
fn pair(view: &View<'_>) -> Result<String, Refusal> {
    let function = function(view, Type::F32)?;
    let value = match view.operands().len() {
        3 => format!("PXRW_F32X2_2({function}, {}, {})", wide(view, 1)?, wide(view, 2)?),
        4 => format!("PXRW_F32X2_3({function}, {}, {}, {})", wide(view, 1)?, wide(view, 2)?, wide(view, 3)?),
        _ => return Err(view.refuse("it has the wrong number of operands")),
    };
    view.assign(Type::F32x2, &value)
}

fn wide(view: &View<'_>, index: usize) -> Result<String, Refusal> {
    view.source(index, Type::B64)
}

/// `min` and `max` of two or three singles.
fn extreme(view: &View<'_>) -> Result<String, Refusal> {
    let name = if view.opcode().mnemonic() == Mnemonic::Max { "max" } else { "min" };
    let nan = if view.has(Modifier::NaN) { "_nan" } else { "" };
    let function = format!("pxrw_{name}{nan}{}_f32", flags(view));
    let magnitude = |index| {
        let source = view.any_nan(index, Type::F32)?;
        Ok(if view.has(Modifier::Abs) { format!("pxrw_abs_f32({source})") } else { source })
    };
    let mut value = format!("{function}({}, {})", magnitude(1)?, magnitude(2)?);
    if view.operands().len() == 4 {
        value = format!("{function}({value}, {})", magnitude(3)?);
    }
    if view.has(Modifier::Xorsign) {
        value = format!("pxrw_xorsign_f32({value}, {}, {})", view.source(1, Type::F32)?, view.source(2, Type::F32)?);
    }
    view.assign(Type::F32, &value)
}

fn testp(view: &View<'_>) -> Result<String, Refusal> {
    let kinds = [
        (Modifier::Finite, "finite"),
        (Modifier::Infinite, "infinite"),
        (Modifier::Number, "number"),
        (Modifier::Notanumber, "notanumber"),
        (Modifier::Normal, "normal"),
        (Modifier::Subnormal, "subnormal"),
    ];
    let Some((_, kind)) = kinds.into_iter().find(|&(kind, _)| view.has(kind)) else {
        return Err(view.refuse("the property to test is missing"));
    };
    let ty = view.ty();
    view.call(Type::Pred, &format!("pxrw_testp_{kind}_{}", ty.text()), &[ty])
}
