//! The messages for misfits.

use super::finding::Part;
use super::operand_types::Misfit;
use crate::entities::Inst;
use crate::kernel::Kernel;
use crate::operand::Operand;
use crate::table::{Geometry, Kind, Param, Width};
use crate::types::Type;

/// Returns what to point at, what is wrong, and what to do.
pub(super) fn misfit(kernel: &Kernel, inst: Inst, misfit: &Misfit<'_>) -> (Part<'static>, String, Option<String>) {
    let opcode = kernel.opcode(inst);
    match misfit {
        Misfit::Count(count) => {
            let message = format!("`{opcode}` takes {}, not {count}", counts(kernel, inst));
            let most = opcode.signatures().iter().map(|signature| signature.params.len()).max().unwrap_or(0);
            let part = if *count > most { Part::Operand(most) } else { Part::Opcode };
            (part, message, None)
        }
        Misfit::Operand(index, param) => {
            let found = kernel.operands(inst).get(*index).map_or(String::new(), |operand| found(kernel, operand));
            let message = format!("operand {} of `{opcode}` is {found}, but must be {}", index + 1, wanted(param));
            let help = kernel.operands(inst).get(*index).and_then(|operand| advice(kernel, param, operand));
            (Part::Operand(*index), message, help)
        }
    }
}

/// Returns how many operands the forms of an opcode have: "3 operands", "2 or 3 operands".
fn counts(kernel: &Kernel, inst: Inst) -> String {
    let signatures = kernel.opcode(inst).signatures();
    let least = signatures.iter().map(|signature| signature.required).min().unwrap_or(0);
    let most = signatures.iter().map(|signature| signature.params.len()).max().unwrap_or(0);
    match (least, most) {
        (0, 0) => "no operands".to_owned(),
        (1, 1) => "1 operand".to_owned(),
        (least, most) if least == most => format!("{least} operands"),
        (least, most) if least + 1 == most => format!("{least} or {most} operands"),
        (least, most) => format!("{least} to {most} operands"),
    }
}

/// Returns what stands there.
pub(super) fn found(kernel: &Kernel, operand: &Operand) -> String {
    let reg = |reg| format!("the {} register `{}`", kernel.reg(reg).ty, kernel.reg_name(reg));
    match operand {
        Operand::Reg(r) => reg(*r),
        Operand::Not(r) => format!("the negated predicate `!{}`", kernel.reg_name(*r)),
        Operand::Sum(r, _) => format!("a sum with `{}`", kernel.reg_name(*r)),
        Operand::Component(r, _) | Operand::Selected(r, _) => format!("a part of `{}`", kernel.reg_name(*r)),
        Operand::Pair(..) => "a pair of results".to_owned(),
        Operand::Special(special) => format!("the special register `{special}`"),
        Operand::Int(value) => format!("the literal {value}"),
        Operand::Float32(_) | Operand::Float64(_) => "a float literal".to_owned(),
        Operand::Symbol(symbol, _) => format!("the name `{}`", kernel.symbol_name(*symbol)),
        Operand::Label(label) => format!("the label `{}`", kernel.label_name(*label)),
        Operand::Address(..) => "an address".to_owned(),
        Operand::Vector(list) | Operand::VectorPair(list, _) => {
            let elements = kernel.list(*list);
            let count = elements.len();
            let sized = format!("a vector of {count} element{}", if count == 1 { "" } else { "s" });
            match elements.iter().find(|element| matches!(element, Operand::Reg(_))) {
                Some(Operand::Reg(r)) => format!("{sized} like {}", reg(*r)),
                _ => sized,
            }
        }
        Operand::Tuple(_) => "a list in parentheses".to_owned(),
        Operand::Bracket(list) => match kernel.list(*list).last() {
            Some(last) => format!("a list in brackets that ends with {}", found(kernel, last)),
            None => "a list in brackets".to_owned(),
        },
        Operand::Sink => "the sink `_`".to_owned(),
    }
}

/// Returns what should.
fn wanted(param: &Param) -> String {
    let pair = if param.marks.pair_required { ", `|` and a predicate" } else { "" };
    match param.kind {
        Kind::Value | Kind::Register | Kind::Move => registers(param) + literals(param) + &choice(param) + pair,
        Kind::Vector(0) => "a vector".to_owned(),
        Kind::Vector(1) if !param.marks.braces => registers(param) + literals(param),
        Kind::Vector(lanes) => format!("a vector of {lanes}, each {}", registers(param)),
        Kind::Literal => format!("a literal integer{}", choice(param)),
        Kind::Predicate => "a predicate".to_owned(),
        Kind::Address | Kind::FullAddress => "an address in brackets".to_owned(),
        Kind::Coordinates(geometry) => coordinates(geometry, param.ty),
        Kind::Bracket => "a list in brackets".to_owned(),
        Kind::Label => "a label".to_owned(),
        Kind::LabelTable => "the name of a list of branch targets".to_owned(),
        Kind::Callee => "a function or a register".to_owned(),
        Kind::Tuple => "a list in parentheses".to_owned(),
        Kind::Any => "an operand".to_owned(),
    }
}

/// Returns what stands in the brackets of a texture or surface.
fn coordinates(geometry: Geometry, ty: Type) -> String {
    let what = if geometry.sampled { "texture" } else { "surface" };
    let sizes = match geometry.least {
        1 => "1, 2 or 4",
        2 => "2 or 4",
        _ => "4",
    };
    let first = match geometry.indices {
        0 => "",
        1 => ", the first an integer",
        _ => ", the first two integers",
    };
    format!("a {what} and a vector of {sizes} coordinates{first}, in brackets; coordinates are {ty}")
}

fn registers(param: &Param) -> String {
    let ty = param.ty;
    let kind = match ty {
        Type::Pred => return "a predicate".to_owned(),
        Type::Bf16 | Type::F16x2 | Type::Bf16x2 | Type::F32x2 => "an untyped",
        ty if ty.is_float() => "a float or untyped",
        Type::B8 | Type::B16 | Type::B32 | Type::B64 | Type::B128 => "a",
        _ => "an integer or untyped",
    };
    let more = if param.width == Width::OrWider && ty != Type::Bf16 { " or more" } else { "" };
    format!("{kind} register of {} bits{more}", ty.bits())
}

/// Returns which literals may stand, if not all.
fn choice(param: &Param) -> String {
    let literals = param.literals.to_string();
    if literals.is_empty() { literals } else { format!(": {literals}") }
}

/// Returns which literals may stand instead.
fn literals(param: &Param) -> &'static str {
    let packed = matches!(param.ty, Type::U16x2 | Type::S16x2);
    match (param.role, param.kind) {
        (b'r', Kind::Value | Kind::Move | Kind::Vector(1)) => match param.ty {
            Type::F32 | Type::F64 => " or a float literal",
            ty if !ty.is_float() && !packed => " or a literal",
            _ => "",
        },
        _ => "",
    }
}

/// Returns what is likely meant.
fn advice(kernel: &Kernel, param: &Param, operand: &Operand) -> Option<String> {
    match (param.kind, operand) {
        (Kind::Vector(1), Operand::Reg(reg)) => Some(format!("write `{{{}}}`", kernel.reg_name(*reg))),
        (Kind::Address | Kind::FullAddress, Operand::Reg(reg)) => Some(format!("write `[{}]`", kernel.reg_name(*reg))),
        (Kind::Address | Kind::FullAddress, Operand::Symbol(symbol, _)) => {
            Some(format!("write `[{}]`", kernel.symbol_name(*symbol)))
        }
        (Kind::Value, Operand::Int(value)) if matches!(param.ty, Type::F32 | Type::F64) && param.role == b'r' => {
            Some(format!("write `{value}.0`"))
        }
        (Kind::Value, Operand::Special(special)) => Some(format!("move `{special}` into a register first")),
        _ => None,
    }
}
