//! Logic, shifts, comparison and selection (PTX ISA, "Logic and Shift Instructions", "Comparison and Selection Instructions").

use ptx_parser::{Mnemonic, Modifier, Operand, Type};

use super::half;
use super::integer::{check_sources, operator, suffix, unsupported, word};
use super::view::View;
use crate::refusal::Refusal;

/// Returns the statement of C for an instruction.
///
/// # Errors
/// A form that the ISA or the emulator does not have.
pub(crate) fn emit(view: &View<'_>) -> Result<String, Refusal> {
    use Mnemonic::{And, Cnot, Lop3, Not, Or, Selp, Set, Setp, Shf, Shl, Shr, Slct, Xor};
    let (ty, mnemonic) = (view.ty(), view.opcode().mnemonic());
    match mnemonic {
        Set | Setp if half::is_half(view) => half::emit(view),
        Setp => setp(view),
        Set => set(view),
        And | Or | Xor | Not if ty == Type::Pred => predicates(view),
        And => operator(view, ty, "&"),
        Or => operator(view, ty, "|"),
        Xor => operator(view, ty, "^"),
        Not => {
            check_sources(view, 1)?;
            let (c, a) = (word(view, ty)?, view.source(1, ty)?);
            view.assign(ty, &format!("({c})~{a}"))
        }
        Cnot => {
            check_sources(view, 1)?;
            word(view, ty)?;
            let a = view.source(1, ty)?;
            view.assign(ty, &format!("{a} == 0"))
        }
        Shl | Shr => shift(view, ty),
        Shf => {
            check_sources(view, 3)?;
            let side = if view.has(Modifier::L) { "l" } else { "r" };
            let mode = if view.has(Modifier::Clamp) { "clamp" } else { "wrap" };
            view.call(Type::B32, &format!("pxrw_shf_{side}_{mode}"), &[Type::B32; 3])
        }
        Lop3 => lop3(view),
        Selp => {
            check_sources(view, 3)?;
            word(view, ty)?;
            let (a, b, p) = (view.source(1, ty)?, view.source(2, ty)?, view.predicate(3)?);
            view.assign(ty, &format!("{p} ? {a} : {b}"))
        }
        Slct => slct(view),
        _ => Err(unsupported(view)),
    }
}

/// The last type of the opcode: that of the operands, where results have another one.
fn operand_type(view: &View<'_>) -> Type {
    view.opcode().types().last().copied().unwrap_or(Type::B32)
}

/// A predicate as the left operand of an operator: compilers warn of a `!` there.
fn parenthesised(predicate: String) -> String {
    if predicate.starts_with('!') { format!("({predicate})") } else { predicate }
}

fn predicates(view: &View<'_>) -> Result<String, Refusal> {
    let operator = match view.opcode().mnemonic() {
        Mnemonic::And => "&",
        Mnemonic::Or => "|",
        Mnemonic::Xor => "^",
        _ => {
            check_sources(view, 1)?;
            return view.assign(Type::Pred, &format!("!{}", parenthesised(view.predicate(1)?)));
        }
    };
    check_sources(view, 2)?;
    let (a, b) = (parenthesised(view.predicate(1)?), view.predicate(2)?);
    view.assign(Type::Pred, &format!("{a} {operator} {b}"))
}

/// Emits `shl` and `shr`. An operator of C does it where the amount is known and below the width.
fn shift(view: &View<'_>, ty: Type) -> Result<String, Refusal> {
    check_sources(view, 2)?;
    let c = word(view, ty)?;
    let left = view.opcode().mnemonic() == Mnemonic::Shl;
    let suffix = suffix(view, ty)?;
    let (a, by) = (view.source(1, ty)?, view.source(2, Type::U32)?);
    if let Operand::Int(amount) = *view.operand(2)? {
        let amount = amount as u32;
        if amount < ty.bits() {
            let value = match (left, ty) {
                (true, _) if c == "uint16_t" => format!("({c})((uint32_t){a} << {amount})"),
                (true, _) => format!("{a} << {amount}"),
                (false, Type::S16 | Type::S32 | Type::S64) => format!("({c})((int{}_t){a} >> {amount})", ty.bits()),
                (false, _) => format!("({c})({a} >> {amount})"),
            };
            return view.assign(ty, &value);
        }
    }
    match left {
        true => view.assign(ty, &format!("pxrw_shl_{}({a}, {by})", ty.bits())),
        false => view.assign(ty, &format!("pxrw_shr_{suffix}({a}, {by})")),
    }
}

/// Emits `lop3`, which computes any function of three bits, given as its truth table.
fn lop3(view: &View<'_>) -> Result<String, Refusal> {
    let Some(&Operand::Int(table)) = view.operands().get(4) else {
        return Err(view.refuse("only `d, a, b, c, table` is supported"));
    };
    // `lop3.or.b32 d|p, a, b, c, table, q` also tests, into `p`, whether a bit is set.
    let tests = view.opcode().has_any(&[Modifier::And, Modifier::Or]);
    if view.operands().len() != 5 + usize::from(tests) {
        return Err(view.refuse("it has the wrong number of operands"));
    }
    let sources = [view.source(1, Type::B32)?, view.source(2, Type::B32)?, view.source(3, Type::B32)?];
    let value = truth_table(table as u8, &sources);
    if !tests {
        return view.assign(Type::B32, &value);
    }
    let operator = if view.has(Modifier::Or) { "|" } else { "&" };
    let with = view.predicate(5)?;
    let [d, p] = view.results()?;
    let d = d.map(|d| format!(" {d} = pxrw_value;")).unwrap_or_default();
    let p = p.map(|p| format!(" {p} = (pxrw_value != 0) {operator} pxrw_with;")).unwrap_or_default();
    Ok(format!("{{ const uint32_t pxrw_value = {value}; const uint8_t pxrw_with = {with}; (void)pxrw_with;{d}{p} }}"))
}

/// An expression of a truth table. Its bit `i` is the result where a, b, c are the bits 2, 1, 0 of `i`.
fn truth_table(table: u8, [a, b, c]: &[String; 3]) -> String {
    match table {
        0x80 => format!("{a} & {b} & {c}"),
        0xfe => format!("{a} | {b} | {c}"),
        0x96 => format!("{a} ^ {b} ^ {c}"),
        0xc0 => format!("{a} & {b}"),
        0xfc => format!("{a} | {b}"),
        0x3c => format!("{a} ^ {b}"),
        0x30 => format!("{a} & ~{b}"),
        0xf8 => format!("{a} | ({b} & {c})"),
        0xe0 => format!("{a} & ({b} | {c})"),
        0x78 => format!("{a} ^ ({b} & {c})"),
        0xea => format!("({a} & {b}) | {c}"),
        0xa8 => format!("({a} | {b}) & {c}"),
        0x6a => format!("({a} & {b}) ^ {c}"),
        0x60 => format!("{a} & ({b} ^ {c})"),
        0x28 => format!("({a} ^ {b}) & {c}"),
        0xf6 => format!("{a} | ({b} ^ {c})"),
        0xbe => format!("({a} ^ {b}) | {c}"),
        0xca => format!("({a} & {b}) | (~{a} & {c})"),
        0xe8 => format!("({a} & {b}) | ({c} & ({a} | {b}))"),
        _ => format!("pxrw_lop3({a}, {b}, {c}, 0x{table:02x}u)"),
    }
}

/// Returns the expression of a comparison: 1 where it holds, else 0.
fn comparison(view: &View<'_>) -> Result<String, Refusal> {
    use Modifier::{Eq, Equ, Ge, Geu, Gt, Gtu, Hi, Hs, Le, Leu, Lo, Ls, Lt, Ltu, Nan, Ne, Neu, Num};
    let ty = operand_type(view);
    let relations = [
        (Eq, "eq", "=="),
        (Ne, "ne", "!="),
        (Lt, "lt", "<"),
        (Le, "le", "<="),
        (Gt, "gt", ">"),
        (Ge, "ge", ">="),
        (Equ, "equ", ""),
        (Neu, "neu", ""),
        (Ltu, "ltu", ""),
        (Leu, "leu", ""),
        (Gtu, "gtu", ""),
        (Geu, "geu", ""),
        (Num, "num", ""),
        (Nan, "nan", ""),
        (Lo, "", "<"),
        (Ls, "", "<="),
        (Hi, "", ">"),
        (Hs, "", ">="),
    ];
    let found = relations.into_iter().find(|&(modifier, ..)| view.has(modifier));
    let Some((modifier, name, operator)) = found else {
        return Err(view.refuse("no comparison operator is known"));
    };
    let (a, b) = match ty {
        Type::F32 | Type::F64 => (view.any_nan(1, ty)?, view.any_nan(2, ty)?),
        _ => (view.source(1, ty)?, view.source(2, ty)?),
    };
    match ty {
        Type::F32 | Type::F64 if name.is_empty() => Err(unsupported(view)),
        Type::F32 if view.has(Modifier::Ftz) => Ok(format!("pxrw_{name}_ftz_f32({a}, {b})")),
        Type::F32 => Ok(format!("pxrw_{name}_f32({a}, {b})")),
        Type::F64 => Ok(format!("pxrw_{name}_f64({a}, {b})")),
        _ if operator.is_empty() => Err(unsupported(view)),
        // `lo`, `ls`, `hi`, `hs` compare without signs, and equality has none.
        Type::S16 | Type::S32 | Type::S64 if !matches!(modifier, Eq | Ne | Lo | Ls | Hi | Hs) => {
            let bits = ty.bits();
            Ok(format!("(int{bits}_t){a} {operator} (int{bits}_t){b}"))
        }
        _ => {
            suffix(view, ty)?;
            Ok(format!("{a} {operator} {b}"))
        }
    }
}

/// The predicate that a comparison is combined with, and the operator of C that combines them.
fn combined(view: &View<'_>) -> Result<Option<(&'static str, String)>, Refusal> {
    let operator = match () {
        () if view.has(Modifier::And) => "&",
        () if view.has(Modifier::Or) => "|",
        () if view.has(Modifier::Xor) => "^",
        () => return Ok(None),
    };
    Ok(Some((operator, view.predicate(3)?)))
}

fn setp(view: &View<'_>) -> Result<String, Refusal> {
    let holds = comparison(view)?;
    let combined = combined(view)?;
    check_sources(view, if combined.is_some() { 3 } else { 2 })?;
    let [first, second] = view.results()?;
    match (first, second, combined) {
        (Some(p), None, None) => Ok(format!("{p} = {holds};")),
        (Some(p), None, Some((operator, with))) => Ok(format!("{p} = ({holds}) {operator} {with};")),
        (first, second, combined) => {
            let (declared, combine) = match combined {
                Some((operator, with)) => {
                    (format!(" const uint8_t pxrw_with = {with}; (void)pxrw_with;"), format!(" {operator} pxrw_with"))
                }
                None => (String::new(), String::new()),
            };
            let first = first.map(|p| format!(" {p} = pxrw_holds{combine};")).unwrap_or_default();
            let second = second.map(|p| format!(" {p} = (!pxrw_holds){combine};")).unwrap_or_default();
            Ok(format!("{{ const uint8_t pxrw_holds = {holds}; (void)pxrw_holds;{declared}{first}{second} }}"))
        }
    }
}

/// Emits `set`: all ones, or one as a single, where the comparison holds.
fn set(view: &View<'_>) -> Result<String, Refusal> {
    let (truth, result) = match view.ty() {
        ty @ (Type::U32 | Type::S32) => ("0xffffffffu", ty),
        ty @ (Type::U16 | Type::S16) => ("UINT16_C(0xffff)", ty),
        Type::F32 => ("0x3f800000u", Type::F32),
        _ => return Err(unsupported(view)),
    };
    let holds = comparison(view)?;
    let condition = match combined(view)? {
        Some((operator, with)) => format!("(({holds}) {operator} {with})"),
        None => format!("({holds})"),
    };
    check_sources(view, if view.operands().len() > 3 { 3 } else { 2 })?;
    view.assign(result, &format!("{condition} ? {truth} : 0"))
}

/// Emits `slct`: the first source where the third one is not negative, else the second one.
fn slct(view: &View<'_>) -> Result<String, Refusal> {
    check_sources(view, 3)?;
    let (ty, by) = (view.ty(), operand_type(view));
    word(view, ty)?;
    let (a, b, c) = (view.source(1, ty)?, view.source(2, ty)?, view.source(3, by)?);
    let condition = match by {
        Type::S32 => format!("(int32_t){c} >= 0"),
        Type::F32 if view.has(Modifier::Ftz) => format!("pxrw_ge_ftz_f32({c}, 0u)"),
        Type::F32 => format!("pxrw_ge_f32({c}, 0u)"),
        _ => return Err(unsupported(view)),
    };
    view.assign(ty, &format!("{condition} ? {a} : {b}"))
}
