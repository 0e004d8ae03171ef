//! `cvt`.

use ptx_parser::{Modifier, Type};

use super::float::mode;
use super::integer::scalar;
use super::rows::Width;
use super::{Decoder, View};
use crate::api::error::Error;
use crate::exec::convert::*;
use crate::exec::op::{Handler, NONE, Op, pick};
use crate::exec::payload::Payload;
use crate::exec::rounding::Mode;
use crate::exec::rows::Map1;
use crate::program::registers::untagged;

/// See the module.
pub(super) fn decode<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let types = view.opcode.types();
    if view.has(Modifier::Pack) {
        return pack(d, view);
    }
    let &[to, from] = types else {
        return Err(d.unsupported(view, "a conversion names two types"));
    };
    if view.has(Modifier::Rs) {
        return stochastic(d, view, to, from);
    }
    let pair = is_packed(to) && from == Type::F32;
    if view.operands().len() != 2 + usize::from(pair) {
        return Err(d.unsupported(view, "it has the wrong number of operands"));
    }
    match (to, from) {
        _ if pair => return scalar::<ConvertPair>(d, view, [from; 3], form(view, to, from)),
        _ if is_packed(to) && is_packed(from) => {
            return scalar::<ConvertPacked>(d, view, [Type::B32; 3], form(view, to, from));
        }
        (Type::Tf32, Type::F32) => return scalar::<ConvertTf32>(d, view, [from; 3], form(view, to, from)),
        _ => {}
    }
    let scalar_type = |ty: Type| {
        use Type::*;
        matches!(ty, U8 | U16 | U32 | U64 | S8 | S16 | S32 | S64 | F16 | Bf16 | F32 | F64)
            || matches!(ty, B8 | B16 | B32 | B64)
    };
    if !scalar_type(to) || !scalar_type(from) {
        return Err(d.unsupported(view, "this format is not modelled"));
    }
    let result = d.any_result(view, 0)?;
    let source = d.any_source(view, 1, from)?;
    if result == NONE || Width::of_row(result) == Width::Pred || Width::of_row(source) == Width::Pred {
        return Err(d.unsupported(view, "a predicate cannot be converted"));
    }
    let wide = |row: u32| Width::of_row(row) == Width::W64;
    let mut op = d.op(pick::<ConvertLanes>());
    (op.d, op.a) = (untagged(result), untagged(source));
    if !to.is_float() && !from.is_float() && !view.has(Modifier::Sat) {
        op.run = extend(narrower(to, from), wide(source), wide(result));
        return Ok(op);
    }
    // The vector forms write rows of exactly the result's size.
    let plain = !view.has_any(&[Modifier::Sat, Modifier::Ftz, Modifier::Relu, Modifier::Satfinite]);
    let sizes = wide(result) == (to.bits() == 64) && wide(source) == (from.bits() == 64);
    if let Some(run) = direct(view, to, from).filter(|_| plain && sizes) {
        op.run = run;
        return Ok(op);
    }
    (op.d, op.a) = (result, source);
    op.imm = form(view, to, from).pack();
    if !to.is_float() && to.bits() < 64 && to.is_signed() && from.is_float() && wide(result) {
        return Err(d.unsupported(view, "a narrow integer in a 64-bit register is not modelled"));
    }
    Ok(op)
}

/// `cvt.rs`: random bits come as an operand. What it computes is only certain where a format drops as many bits of a single as there are
/// random ones, whatever the value, and that is `.bf16x2` alone.
fn stochastic<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>, to: Type, from: Type) -> Result<Op, Error> {
    if (to, from) != (Type::Bf16x2, Type::F32) {
        let reason = "of `.rs` only `.bf16x2.f32` is modelled: for other formats the ISA does not say to which of the bits that \
                      are dropped the random ones are added where there are more of those (subnormal results, 8 bits and less)";
        return Err(d.unsupported(view, reason));
    }
    if view.operands().len() != 4 {
        return Err(d.unsupported(view, "it has the wrong number of operands"));
    }
    scalar::<ConvertRandomly>(d, view, [from, from, Type::B32], form(view, to, from))
}

/// `cvt.pack.sat.u8.s32.b32`: the first type is what the sources become.
fn pack<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let sources = view.operands().len().saturating_sub(1);
    if sources != view.opcode.types().len() {
        return Err(d.unsupported(view, "it has the wrong number of operands"));
    }
    scalar::<Pack>(d, view, [Type::S32, Type::S32, Type::B32], view.first_ty())
}

/// The formats of which a register holds two.
fn is_packed(ty: Type) -> bool {
    use Type::*;
    matches!(ty, F16x2 | Bf16x2 | E4m3x2 | E5m2x2 | E2m3x2 | E3m2x2 | E2m1x2 | Ue8m0x2)
}

/// Returns what counts in a conversion between integers: the narrower type; of equal ones the result's.
fn narrower(to: Type, from: Type) -> Type {
    if to.bits() <= from.bits() { to } else { from }
}

fn extend(ty: Type, wide_source: bool, wide_result: bool) -> Handler {
    macro_rules! by_rows {
        ($ty:ty) => {
            match (wide_source, wide_result) {
                (false, false) => pick::<Extend<$ty, u32, u32>>(),
                (false, true) => pick::<Extend<$ty, u32, u64>>(),
                (true, false) => pick::<Extend<$ty, u64, u32>>(),
                (true, true) => pick::<Extend<$ty, u64, u64>>(),
            }
        };
    }
    match (ty.bits(), ty.is_signed()) {
        (8, false) => by_rows!(u8),
        (8, true) => by_rows!(i8),
        (16, false) => by_rows!(u16),
        (16, true) => by_rows!(i16),
        (32, false) => by_rows!(u32),
        (32, true) => by_rows!(i32),
        _ => by_rows!(u64),
    }
}

/// The conversions that are vector loops.
fn direct(view: &View<'_, '_>, to: Type, from: Type) -> Option<Handler> {
    use Type::*;
    let integral = view.has_any(&[Modifier::Rni, Modifier::Rzi, Modifier::Rmi, Modifier::Rpi]);
    Some(match (to, from, mode(view)) {
        (F64, F32, Mode::Nearest) if !integral => pick::<Map1<SingleToDouble>>(),
        (F32, F64, Mode::Nearest) if !integral => pick::<Map1<DoubleToSingle>>(),
        (F32, S32, Mode::Nearest) => pick::<Map1<S32ToSingle>>(),
        (F32, U32, Mode::Nearest) => pick::<Map1<U32ToSingle>>(),
        (F64, S32, _) => pick::<Map1<S32ToDouble>>(),
        (F64, U32, _) => pick::<Map1<U32ToDouble>>(),
        (F32, S64, Mode::Nearest) => pick::<Map1<S64ToSingle>>(),
        (F32, U64, Mode::Nearest) => pick::<Map1<U64ToSingle>>(),
        (F64, S64, Mode::Nearest) => pick::<Map1<S64ToDouble>>(),
        (F64, U64, Mode::Nearest) => pick::<Map1<U64ToDouble>>(),
        (S32, F32, Mode::Zero) => pick::<Map1<SingleToS32>>(),
        (U32, F32, Mode::Zero) => pick::<Map1<SingleToU32>>(),
        (F32, F32, Mode::Zero) if integral => pick::<Map1<Truncate<f32>>>(),
        (F32, F32, Mode::Down) if integral => pick::<Map1<Floor<f32>>>(),
        (F32, F32, Mode::Up) if integral => pick::<Map1<Ceiling<f32>>>(),
        (F32, F32, Mode::Nearest) if integral => pick::<Map1<ToEven<f32>>>(),
        (F64, F64, Mode::Zero) if integral => pick::<Map1<Truncate<f64>>>(),
        (F64, F64, Mode::Down) if integral => pick::<Map1<Floor<f64>>>(),
        (F64, F64, Mode::Up) if integral => pick::<Map1<Ceiling<f64>>>(),
        (F64, F64, Mode::Nearest) if integral => pick::<Map1<ToEven<f64>>>(),
        _ => return None,
    })
}

/// Returns the payload of a general conversion.
fn form(view: &View<'_, '_>, to: Type, from: Type) -> ConvertForm {
    let integral = view.has_any(&[Modifier::Rni, Modifier::Rzi, Modifier::Rmi, Modifier::Rpi]);
    let flags = ConvertFlags {
        saturates: view.has(Modifier::Sat),
        flushes: view.has(Modifier::Ftz),
        integral: integral && to.is_float(),
        relu: view.has(Modifier::Relu),
        finite: view.has(Modifier::Satfinite),
    };
    ConvertForm { to, from, mode: mode(view), flags }
}
