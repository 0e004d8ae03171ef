//! Integer arithmetic and bit fields (PTX ISA, "Integer Arithmetic Instructions").
//!
//! Sums, differences and products are operators of C on unsigned integers, which wrap around. C computes with 16-bit operands as signed integers of 32 bits, so
//! that their products are widened before and cut behind. Everything else is a function of `runtime/integer.h`, named after the instruction and its type.

use ptx_parser::{Mnemonic, Modifier, Type};

use super::names::c_type;
use super::view::View;
use crate::refusal::Refusal;

/// Returns the statement of C for an instruction.
///
/// # Errors
/// A form that the ISA or the emulator does not have.
pub(crate) fn emit(view: &View<'_>) -> Result<String, Refusal> {
    use Mnemonic::{Abs, Add, Addc, Div, Mad, Madc, Max, Min, Mul, Neg, Rem, Sad, Sub, Subc};
    let (ty, mnemonic) = (view.ty(), view.opcode().mnemonic());
    let packed = matches!(ty, Type::U16x2 | Type::S16x2);
    let (saturates, high, wide) = (view.has(Modifier::Sat), view.has(Modifier::Hi), view.has(Modifier::Wide));
    if view.has(Modifier::Cc) || matches!(mnemonic, Addc | Subc | Madc) {
        return extended(view, ty);
    }
    match mnemonic {
        Add | Min | Max if packed => packed16(view, ty),
        Add | Sub | Mad if saturates => saturating(view, ty),
        Add => operator(view, ty, "+"),
        Sub => operator(view, ty, "-"),
        Mul | Mad if wide => wide_product(view, ty),
        Mul if high => by_type(view, ty, "pxrw_mul_hi", 2),
        Mad if high => {
            let (product, c) = (high_product(view, ty)?, source_of(view, 3, ty, 3)?);
            sum(view, ty, &product, &c)
        }
        Mul => {
            let product = low_product(view, ty, 2)?;
            view.assign(ty, &product)
        }
        Mad => {
            let (product, c) = (low_product(view, ty, 3)?, source_of(view, 3, ty, 3)?);
            sum(view, ty, &product, &c)
        }
        Min | Max if view.has(Modifier::Relu) => {
            let name = if mnemonic == Max { "pxrw_max_relu_s32" } else { "pxrw_min_relu_s32" };
            check_sources(view, 2)?;
            view.call(Type::S32, name, &[Type::S32; 2])
        }
        Min => by_type(view, ty, "pxrw_min", 2),
        Max => by_type(view, ty, "pxrw_max", 2),
        Sad => by_type(view, ty, "pxrw_sad", 3),
        Div => by_type(view, ty, "pxrw_div", 2),
        Rem => by_type(view, ty, "pxrw_rem", 2),
        Abs => by_type(view, ty, "pxrw_abs", 1),
        Neg => {
            check_sources(view, 1)?;
            let (c, a) = (word(view, ty)?, view.source(1, ty)?);
            view.assign(ty, &format!("({c})(0u - {a})"))
        }
        _ => bits(view, ty),
    }
}

/// Refuses an instruction that has another number of sources behind its result.
pub(super) fn check_sources(view: &View<'_>, count: usize) -> Result<(), Refusal> {
    match view.operands().len() {
        operands if operands == count + 1 => Ok(()),
        operands => Err(view.refuse(format!("it has {operands} operands and not {}", count + 1))),
    }
}

/// Returns the suffix of functions for an integer type of 16, 32 or 64 bits.
pub(super) fn suffix(view: &View<'_>, ty: Type) -> Result<&'static str, Refusal> {
    use Type::{B16, B32, B64, S16, S32, S64, U16, U32, U64};
    Ok(match ty {
        U16 | B16 => "u16",
        S16 => "s16",
        U32 | B32 => "u32",
        S32 => "s32",
        U64 | B64 => "u64",
        S64 => "s64",
        _ => return Err(unsupported(view)),
    })
}

/// Returns the C type of operands of 16, 32 or 64 bits.
pub(super) fn word(view: &View<'_>, ty: Type) -> Result<&'static str, Refusal> {
    match ty.bits() {
        16 | 32 | 64 => Ok(c_type(ty)),
        _ => Err(unsupported(view)),
    }
}

/// Refuses a type.
pub(super) fn unsupported(view: &View<'_>) -> Refusal {
    view.refuse("this type or modifier is not supported")
}

/// Emits a call of the function of the operands' type.
pub(super) fn by_type(view: &View<'_>, ty: Type, name: &str, sources: usize) -> Result<String, Refusal> {
    check_sources(view, sources)?;
    let name = format!("{name}_{}", suffix(view, ty)?);
    view.call(ty, &name, &[ty; 3][..sources])
}

/// Emits an operator of C on two operands. Results of 16 bits are cut, because C computes them in 32.
pub(super) fn operator(view: &View<'_>, ty: Type, operator: &str) -> Result<String, Refusal> {
    check_sources(view, 2)?;
    let c = word(view, ty)?;
    let (a, b) = (view.source(1, ty)?, view.source(2, ty)?);
    let value = if c == "uint16_t" { format!("({c})({a} {operator} {b})") } else { format!("{a} {operator} {b}") };
    view.assign(ty, &value)
}

/// Emits a sum of two expressions.
fn sum(view: &View<'_>, ty: Type, a: &str, b: &str) -> Result<String, Refusal> {
    let c = c_type(ty);
    let value = if c == "uint16_t" { format!("({c})({a} + {b})") } else { format!("{a} + {b}") };
    view.assign(ty, &value)
}

/// Returns source `index` of an instruction with `count` sources.
fn source_of(view: &View<'_>, index: usize, ty: Type, count: usize) -> Result<String, Refusal> {
    check_sources(view, count)?;
    view.source(index, ty)
}

fn low_product(view: &View<'_>, ty: Type, count: usize) -> Result<String, Refusal> {
    check_sources(view, count)?;
    let c = word(view, ty)?;
    let (a, b) = (view.source(1, ty)?, view.source(2, ty)?);
    Ok(if c == "uint16_t" { format!("({c})((uint32_t){a} * {b})") } else { format!("{a} * {b}") })
}

fn high_product(view: &View<'_>, ty: Type) -> Result<String, Refusal> {
    let suffix = suffix(view, ty)?;
    Ok(format!("pxrw_mul_hi_{suffix}({}, {})", view.source(1, ty)?, view.source(2, ty)?))
}

/// Emits `mul.wide` and `mad.wide`: the product in full.
fn wide_product(view: &View<'_>, ty: Type) -> Result<String, Refusal> {
    let adds = view.opcode().mnemonic() == Mnemonic::Mad;
    check_sources(view, if adds { 3 } else { 2 })?;
    let (a, b) = (view.source(1, ty)?, view.source(2, ty)?);
    let (result, product) = match ty {
        Type::U16 => (Type::U32, format!("(uint32_t){a} * {b}")),
        Type::S16 => (Type::S32, format!("(uint32_t)((int32_t)(int16_t){a} * (int16_t){b})")),
        Type::U32 => (Type::U64, format!("(uint64_t){a} * {b}")),
        Type::S32 => (Type::S64, format!("(uint64_t)((int64_t)(int32_t){a} * (int32_t){b})")),
        _ => return Err(view.refuse("a wide product has operands of 16 or 32 bits")),
    };
    if adds {
        let c = view.source(3, result)?;
        return view.assign(result, &format!("{product} + {c}"));
    }
    view.assign(result, &product)
}

/// Emits `.sat`, which is for `.s32` only; of `mad` for the high half.
fn saturating(view: &View<'_>, ty: Type) -> Result<String, Refusal> {
    let (name, sources) = match view.opcode().mnemonic() {
        Mnemonic::Add => ("pxrw_add_sat_s32", 2),
        Mnemonic::Sub => ("pxrw_sub_sat_s32", 2),
        _ => ("pxrw_mad_hi_sat_s32", 3),
    };
    if ty != Type::S32 {
        return Err(unsupported(view));
    }
    check_sources(view, sources)?;
    view.call(ty, name, &[ty; 3][..sources])
}

fn packed16(view: &View<'_>, ty: Type) -> Result<String, Refusal> {
    let name = match (view.opcode().mnemonic(), ty) {
        (Mnemonic::Min, Type::S16x2) if view.has(Modifier::Relu) => "pxrw_min_relu_s16x2",
        (Mnemonic::Max, Type::S16x2) if view.has(Modifier::Relu) => "pxrw_max_relu_s16x2",
        (Mnemonic::Min, Type::S16x2) => "pxrw_min_s16x2",
        (Mnemonic::Max, Type::S16x2) => "pxrw_max_s16x2",
        (Mnemonic::Min, _) => "pxrw_min_u16x2",
        (Mnemonic::Max, _) => "pxrw_max_u16x2",
        _ => "pxrw_add_u16x2",
    };
    check_sources(view, 2)?;
    view.call(ty, name, &[ty; 2])
}

/// Emits extended-precision arithmetic on the carry flag. A difference is `a + ~b + 1`, and the flag is that sum's carry: it is 0 where something was
/// borrowed.
fn extended(view: &View<'_>, ty: Type) -> Result<String, Refusal> {
    use Mnemonic::{Addc, Mad, Madc, Sub, Subc};
    let mnemonic = view.opcode().mnemonic();
    let c = match ty.bits() {
        32 | 64 if !ty.is_float() => c_type(ty),
        _ => return Err(view.refuse("extended precision needs 32 or 64 bits")),
    };
    let product = matches!(mnemonic, Mad | Madc);
    check_sources(view, if product { 3 } else { 2 })?;
    let (left, right) = match (mnemonic, product) {
        (_, true) => {
            let low = || low_product(view, ty, 3);
            (if view.has(Modifier::Hi) { high_product(view, ty)? } else { low()? }, view.source(3, ty)?)
        }
        (Sub | Subc, _) => (view.source(1, ty)?, format!("~{}", view.source(2, ty)?)),
        _ => (view.source(1, ty)?, view.source(2, ty)?),
    };
    let carried = match mnemonic {
        Addc | Subc | Madc => "carry",
        Sub => "1u",
        _ => "0u",
    };
    let sum = view.assign(ty, "pxrw_left + pxrw_right + pxrw_in")?;
    let flag = match view.has(Modifier::Cc) {
        true => format!("carry = pxrw_carry_{}(pxrw_left, pxrw_right, pxrw_in); ", ty.bits()),
        false => String::new(),
    };
    Ok(format!(
        "{{ const {c} pxrw_left = {left}, pxrw_right = {right}; const uint32_t pxrw_in = {carried}; {flag}{sum} }}"
    ))
}

/// Emits bit fields, counts of bits, permutations, dot products and products of 24 bits.
fn bits(view: &View<'_>, ty: Type) -> Result<String, Refusal> {
    use Mnemonic::{Bfe, Bfi, Bfind, Bmsk, Brev, Clz, Dp2a, Dp4a, Fns, Mad24, Mul24, Popc, Prmt, Szext};
    let mnemonic = view.opcode().mnemonic();
    let wide = ty.bits() == 64;
    let word = if wide { Type::B64 } else { Type::B32 };
    let bits = word.bits();
    let sign = if ty.is_signed() { 's' } else { 'u' };
    let (name, result, sources): (String, Type, &[Type]) = match mnemonic {
        Popc => (format!("pxrw_popc_{bits}"), Type::U32, &[word]),
        Clz => (format!("pxrw_clz_{bits}"), Type::U32, &[word]),
        Brev => (format!("pxrw_brev_{bits}"), word, &[word]),
        Bfind => {
            let shift = if view.has(Modifier::Shiftamt) { "_shiftamt" } else { "" };
            (format!("pxrw_bfind{shift}_{sign}{bits}"), Type::U32, &[word])
        }
        Bfe => (format!("pxrw_bfe_{sign}{bits}"), word, &[word, Type::U32, Type::U32]),
        Bfi => (format!("pxrw_bfi_{bits}"), word, &[word, word, Type::U32, Type::U32]),
        Prmt => (permutation(view).to_owned(), Type::B32, &[Type::B32; 3]),
        Dp4a => (format!("pxrw_dp4a_{}", dot_types(view)), Type::B32, &[Type::B32; 3]),
        Dp2a => {
            let half = if view.has(Modifier::Hi) { "hi" } else { "lo" };
            (format!("pxrw_dp2a_{half}_{}", dot_types(view)), Type::B32, &[Type::B32; 3])
        }
        Fns => ("pxrw_fns".to_owned(), Type::B32, &[Type::B32; 3]),
        Mad24 if view.has(Modifier::Sat) => ("pxrw_mad24_hi_sat_s32".to_owned(), Type::B32, &[Type::B32; 3]),
        Mul24 | Mad24 => {
            let half = if view.has(Modifier::Hi) { "hi" } else { "lo" };
            let product = format!("pxrw_mul24_{half}_{sign}32");
            if mnemonic == Mad24 {
                check_sources(view, 3)?;
                let (a, b, c) = (view.source(1, ty)?, view.source(2, ty)?, view.source(3, ty)?);
                return view.assign(ty, &format!("{product}({a}, {b}) + {c}"));
            }
            (product, Type::B32, &[Type::B32; 2])
        }
        Szext => {
            let mode = if view.has(Modifier::Wrap) { "wrap" } else { "clamp" };
            (format!("pxrw_szext_{mode}_{sign}32"), Type::B32, &[Type::B32; 2])
        }
        Bmsk => {
            let mode = if view.has(Modifier::Wrap) { "wrap" } else { "clamp" };
            (format!("pxrw_bmsk_{mode}"), Type::B32, &[Type::B32; 2])
        }
        _ => return Err(unsupported(view)),
    };
    check_sources(view, sources.len())?;
    view.call(result, &name, sources)
}

/// The function of a `prmt` by its mode.
fn permutation(view: &View<'_>) -> &'static str {
    let modes = [
        (Modifier::F4e, "pxrw_prmt_f4e"),
        (Modifier::B4e, "pxrw_prmt_b4e"),
        (Modifier::Rc8, "pxrw_prmt_rc8"),
        (Modifier::Ecl, "pxrw_prmt_ecl"),
        (Modifier::Ecr, "pxrw_prmt_ecr"),
        (Modifier::Rc16, "pxrw_prmt_rc16"),
    ];
    modes.into_iter().find(|&(mode, _)| view.has(mode)).map_or("pxrw_prmt", |(_, name)| name)
}

/// The signs of both factors of a dot product: `s32_u32`.
fn dot_types(view: &View<'_>) -> String {
    let types = view.opcode().types();
    let name = |index: usize| if types.get(index).is_some_and(|ty| ty.is_signed()) { "s32" } else { "u32" };
    format!("{}_{}", name(0), name(1))
}
