//! f16 and bf16, one and two in a register, singles mixed with them, and their comparisons (PTX ISA, "Half Precision Floating-Point Instructions", "Mixed
//! Precision Floating-Point Instructions", "Half Precision Comparison Instructions").

use ptx_parser::{Mnemonic, Modifier, Type};

use super::float::{flags, rounding};
use super::names::c_type;
use super::view::View;
use crate::refusal::Refusal;

/// Returns true if an instruction computes with 16-bit floats.
pub(crate) fn is_half(view: &View<'_>) -> bool {
    use ptx_parser::Type::*;
    view.opcode().types().iter().any(|ty| matches!(ty, F16 | Bf16 | F16x2 | Bf16x2))
}

/// Returns the statement of C for an instruction.
///
/// # Errors
/// A form that the ISA or the emulator does not have.
pub(crate) fn emit(view: &View<'_>) -> Result<String, Refusal> {
    if view.has(Modifier::Oob) {
        let reason = "`.oob` looks for a NaN that only tensor copies make and whose bits the ISA does not give";
        return Err(view.refuse(reason));
    }
    match view.opcode().mnemonic() {
        Mnemonic::Setp => return setp(view),
        Mnemonic::Set => return set(view),
        _ => {}
    }
    if view.opcode().types().len() > 1 {
        return mixed(view);
    }
    let ty = view.ty();
    let function = function(view, element(ty))?;
    let count = view.operands().len().saturating_sub(1);
    if !(1..=3).contains(&count) {
        return Err(view.refuse("it has the wrong number of operands"));
    }
    if !is_packed(ty) {
        return view.call(ty, &function, &[ty; 3][..count]);
    }
    let sources = (1..=count).map(|index| view.source(index, ty)).collect::<Result<Vec<_>, _>>()?;
    view.assign(ty, &format!("PXRW_HALVES{count}({function}, {})", sources.join(", ")))
}

/// Returns the type of one of two packed halves, and any other type itself.
fn element(ty: Type) -> Type {
    match ty {
        Type::F16x2 => Type::F16,
        Type::Bf16x2 => Type::Bf16,
        ty => ty,
    }
}

fn is_packed(ty: Type) -> bool {
    matches!(ty, Type::F16x2 | Type::Bf16x2)
}

/// Returns the function of an operation on halves of a type.
fn function(view: &View<'_>, ty: Type) -> Result<String, Refusal> {
    let operation = match view.opcode().mnemonic() {
        Mnemonic::Abs => "abs",
        Mnemonic::Add => "add",
        Mnemonic::Ex2 => "ex2",
        Mnemonic::Fma if view.has(Modifier::Relu) => "fma_relu",
        Mnemonic::Fma => "fma",
        Mnemonic::Max => "max",
        Mnemonic::Min => "min",
        Mnemonic::Mul => "mul",
        Mnemonic::Neg => "neg",
        Mnemonic::Sub => "sub",
        Mnemonic::Tanh => "tanh",
        _ => return Err(view.refuse("half precision has no such form")),
    };
    let is_extreme = matches!(view.opcode().mnemonic(), Mnemonic::Min | Mnemonic::Max);
    let nan = if is_extreme && view.has(Modifier::NaN) { "_nan" } else { "" };
    let sign = if is_extreme && view.has(Modifier::Xorsign) { "_xorsign_abs" } else { "" };
    Ok(format!("pxrw_{operation}{nan}{sign}{}_{}", flags(view), ty.text()))
}

/// A single computed from halves and a single.
fn mixed(view: &View<'_>) -> Result<String, Refusal> {
    let (operation, halves) = match view.opcode().mnemonic() {
        Mnemonic::Add => ("add", 1),
        Mnemonic::Sub => ("sub", 1),
        Mnemonic::Fma => ("fma", 2),
        _ => return Err(view.refuse("these types cannot be mixed")),
    };
    let &[Type::F32, from @ (Type::F16 | Type::Bf16)] = view.opcode().types() else {
        return Err(view.refuse("these types cannot be mixed"));
    };
    let mut sources = Vec::new();
    for index in 1..=halves {
        sources.push(format!("pxrw_widen_{}({})", from.text(), view.source(index, from)?));
    }
    sources.push(view.source(halves + 1, Type::F32)?);
    let function = format!("pxrw_{operation}{}{}_f32", rounding(view), flags(view));
    view.assign(Type::F32, &format!("{function}({})", sources.join(", ")))
}

/// A comparison that can be asked for parts of its operands.
struct Comparison {
    /// The text of the relation.
    relation: &'static str,
    /// The type of the operands, or of a half of them.
    ty: Type,
    flushes: bool,
    a: String,
    b: String,
    /// The connective and the predicate of `.and`, `.or` and `.xor`.
    with: Option<(char, String)>,
}

impl Comparison {
    fn of(view: &View<'_>) -> Result<Comparison, Refusal> {
        use Modifier::{
            And, Eq, Equ, Ftz, Ge, Geu, Gt, Gtu, Hi, Hs, Le, Leu, Lo, Ls, Lt, Ltu, Nan, Ne, Neu, Num, Or, Xor,
        };
        let ty = view.opcode().types().last().copied().unwrap_or(Type::F16);
        let relation = [Eq, Ne, Lt, Le, Gt, Ge, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan, Lo, Ls, Hi, Hs];
        let Some(relation) = relation.into_iter().find(|&relation| view.has(relation)) else {
            return Err(view.refuse("no comparison operator is known"));
        };
        let relation = match (ty.is_float(), relation) {
            (true, Eq) => "eq",
            (true, Ne) => "ne",
            (true, Lt) => "lt",
            (true, Le) => "le",
            (true, Gt) => "gt",
            (true, Ge) => "ge",
            (true, Equ) => "equ",
            (true, Neu) => "neu",
            (true, Ltu) => "ltu",
            (true, Leu) => "leu",
            (true, Gtu) => "gtu",
            (true, Geu) => "geu",
            (true, Num) => "num",
            (true, Nan) => "nan",
            (false, Eq) => "==",
            (false, Ne) => "!=",
            (false, Lt | Lo) => "<",
            (false, Le | Ls) => "<=",
            (false, Gt | Hi) => ">",
            (false, Ge | Hs) => ">=",
            _ => return Err(view.refuse("this type has no such comparison")),
        };
        let connective = [(And, '&'), (Or, '|'), (Xor, '^')].into_iter().find(|&(word, _)| view.has(word));
        let with = match connective {
            Some((_, operator)) => Some((operator, view.predicate(3)?)),
            None => None,
        };
        let (a, b) = (view.source(1, ty)?, view.source(2, ty)?);
        Ok(Comparison { relation, ty, flushes: view.has(Ftz), a, b, with })
    }

    /// Returns the condition for the operands, or for one half of them.
    fn condition(&self, upper: Option<bool>) -> String {
        let ty = element(self.ty);
        let value = |bits: &str| {
            let part = match upper {
                Some(true) => format!("(uint16_t)({bits} >> 16)"),
                Some(false) => format!("(uint16_t){bits}"),
                None => bits.to_owned(),
            };
            let part = match ty {
                Type::F16 | Type::Bf16 | Type::F32 if self.flushes => format!("pxrw_flush_{}({part})", ty.text()),
                _ => part,
            };
            match ty {
                Type::F16 | Type::Bf16 => format!("pxrw_value_{}({part})", ty.text()),
                Type::F32 | Type::F64 => format!("pxrw_{}({part})", ty.text()),
                _ if ty.is_signed() => format!("({})({part})", c_type(ty).trim_start_matches('u')),
                _ => format!("({part})"),
            }
        };
        let (a, b, relation) = (value(&self.a), value(&self.b), self.relation);
        let holds =
            if ty.is_float() { format!("pxrw_is_{relation}({a}, {b})") } else { format!("({a} {relation} {b})") };
        match &self.with {
            Some((operator, predicate)) => format!("({holds} {operator} {predicate})"),
            None => holds,
        }
    }
}

/// A half gives one result. Of packed ones the second is that of the upper halves.
fn setp(view: &View<'_>) -> Result<String, Refusal> {
    let comparison = Comparison::of(view)?;
    let [first, second] = view.results()?;
    if !is_packed(comparison.ty) {
        if second.is_some() {
            return Err(view.refuse("a comparison of halves that are not packed has one result"));
        }
        return Ok(match first {
            Some(first) => format!("{first} = {};", comparison.condition(None)),
            None => ";".to_owned(),
        });
    }
    let (lower, upper) = (comparison.condition(Some(false)), comparison.condition(Some(true)));
    Ok(match (first, second) {
        // The first result may be the predicate that the second one is combined with.
        (Some(first), Some(second)) => {
            format!("{{ uint8_t pxrw_lower = {lower}; {second} = {upper}; {first} = pxrw_lower; }}")
        }
        (Some(first), None) => format!("{first} = {lower};"),
        (None, Some(second)) => format!("{second} = {upper};"),
        (None, None) => ";".to_owned(),
    })
}

fn set(view: &View<'_>) -> Result<String, Refusal> {
    let comparison = Comparison::of(view)?;
    let ty = view.ty();
    if is_packed(comparison.ty) {
        let truth = match ty {
            Type::U32 | Type::S32 => "0xffffu",
            Type::F16x2 => "0x3c00u",
            Type::Bf16x2 => "0x3f80u",
            _ => return Err(view.refuse("packed halves are compared into a register of 32 bits")),
        };
        let part = |upper| format!("({} ? {truth} : 0u)", comparison.condition(Some(upper)));
        return view.assign(ty, &format!("PXRW_PACK16({}, {})", part(true), part(false)));
    }
    let truth = match ty {
        Type::U16 | Type::S16 => "0xffffu",
        Type::U32 | Type::S32 => "UINT32_MAX",
        Type::F32 => "0x3f800000u",
        Type::F16 => "0x3c00u",
        Type::Bf16 => "0x3f80u",
        _ => return Err(view.refuse("a comparison has no such result")),
    };
    view.assign(ty, &format!("{} ? {truth} : 0u", comparison.condition(None)))
}
