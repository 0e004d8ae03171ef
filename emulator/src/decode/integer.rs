//! Integer arithmetic and bit fields.

use ptx_parser::{Mnemonic, Modifier, Type};

use super::rows::Width;
use super::{Decoder, View};
use crate::api::error::Error;
use crate::exec::carry::{Carry, CarryForm};
use crate::exec::integer::*;
use crate::exec::op::{Handler, Op, pick};
use crate::exec::payload::Payload;
use crate::exec::rows::{Each2, Map1, Map2, Map3};
use crate::exec::scalar::{EachLane, Scalar};
use crate::exec::scalar_ops::{
    Bfi, BfindFlags, BfindForm, Bmsk, DotFlags, Dp2a, Dp4a, ExtremeRelu, Fns, Mad24, Mad24Flags, MadSat, Packed16,
    PackedForm, PackedOperation, Prmt, PrmtMode, Szext, SzextFlags,
};
use crate::exec::{carry, scalar_ops};

/// Picks a form by integer type; `None` for any other type.
macro_rules! by_type {
    ($ty:expr, $map:ident, $function:ident) => {
        match $ty {
            Type::U16 | Type::B16 => Some(pick::<$map<$function<u16>>>()),
            Type::S16 => Some(pick::<$map<$function<i16>>>()),
            Type::U32 | Type::B32 => Some(pick::<$map<$function<u32>>>()),
            Type::S32 => Some(pick::<$map<$function<i32>>>()),
            Type::U64 | Type::B64 => Some(pick::<$map<$function<u64>>>()),
            Type::S64 => Some(pick::<$map<$function<i64>>>()),
            _ => None,
        }
    };
}
pub(super) use by_type;

/// Picks a form by size, for functions that do not care about signs.
macro_rules! by_size {
    ($ty:expr, $map:ident, $function:ident) => {
        match $ty.bits() {
            16 => Some(pick::<$map<$function<u16>>>()),
            32 => Some(pick::<$map<$function<u32>>>()),
            64 => Some(pick::<$map<$function<u64>>>()),
            _ => None,
        }
    };
}
pub(super) use by_size;

/// See the module.
pub(super) fn decode<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let ty = view.ty();
    let mnemonic = view.opcode.mnemonic();
    let packed = matches!(ty, Type::U16x2 | Type::S16x2);
    if view.has(Modifier::Cc) || matches!(mnemonic, Mnemonic::Addc | Mnemonic::Subc | Mnemonic::Madc) {
        return extended(d, view);
    }
    let run: Option<Handler> = match mnemonic {
        Mnemonic::Add | Mnemonic::Min | Mnemonic::Max if packed => return packed16(d, view),
        Mnemonic::Add if view.has(Modifier::Sat) => (ty == Type::S32).then(pick::<Map2<AddSat>>),
        Mnemonic::Sub if view.has(Modifier::Sat) => (ty == Type::S32).then(pick::<Map2<SubSat>>),
        Mnemonic::Add => by_size!(ty, Map2, Add),
        Mnemonic::Sub => by_size!(ty, Map2, Sub),
        Mnemonic::Mul if view.has(Modifier::Wide) => return wide(d, view, false),
        Mnemonic::Mul if view.has(Modifier::Hi) => by_type!(ty, Map2, MulHigh),
        Mnemonic::Mul => by_size!(ty, Map2, Mul),
        Mnemonic::Mad if view.has(Modifier::Wide) => return wide(d, view, true),
        Mnemonic::Mad if view.has(Modifier::Sat) => return scalar::<MadSat>(d, view, [ty; 3], false),
        Mnemonic::Min | Mnemonic::Max if view.has(Modifier::Relu) => {
            return scalar::<ExtremeRelu>(d, view, [ty; 3], mnemonic == Mnemonic::Max);
        }
        Mnemonic::Mad if view.has(Modifier::Hi) => by_type!(ty, Map3, MadHigh),
        Mnemonic::Mad => by_size!(ty, Map3, Mad),
        Mnemonic::Sad => by_type!(ty, Map3, Sad),
        Mnemonic::Div => by_type!(ty, Each2, Div),
        Mnemonic::Rem => by_type!(ty, Each2, Rem),
        Mnemonic::Min => by_type!(ty, Map2, Min),
        Mnemonic::Max => by_type!(ty, Map2, Max),
        Mnemonic::Abs => by_type!(ty, Map1, Abs),
        Mnemonic::Neg => by_size!(ty, Map1, Neg),
        _ => return bits(d, view),
    };
    let run = run.ok_or_else(|| d.unsupported(view, "this type or modifier is not supported"))?;
    finish(d, view, run, ty, [ty; 3])
}

/// An op with a result and up to three sources, as many as the instruction has.
pub(super) fn finish<'m>(
    d: &mut Decoder<'m>,
    view: &View<'_, 'm>,
    run: Handler,
    result: Type,
    sources: [Type; 3],
) -> Result<Op, Error> {
    let mut op = d.op(run);
    op.d = d.result(view, 0, result)?;
    let count = view.operands().len().saturating_sub(1);
    for (index, (slot, ty)) in [&mut op.a, &mut op.b, &mut op.c].into_iter().zip(sources).take(count).enumerate() {
        *slot = d.source(view, index + 1, ty)?;
    }
    Ok(op)
}

/// An op of a scalar form: tagged rows.
pub(super) fn scalar<'m, S: Scalar>(
    d: &mut Decoder<'m>,
    view: &View<'_, 'm>,
    sources: [Type; 3],
    payload: S::Payload,
) -> Result<Op, Error> {
    let mut op = d.form::<EachLane<S>>(payload);
    op.d = d.any_result(view, 0)?;
    let count = view.operands().len().saturating_sub(1);
    for (index, (slot, ty)) in [&mut op.a, &mut op.b, &mut op.c].into_iter().zip(sources).take(count).enumerate() {
        *slot = d.any_source(view, index + 1, ty)?;
    }
    Ok(op)
}

fn packed16<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let operation = match (view.opcode.mnemonic(), view.ty()) {
        (Mnemonic::Min, Type::S16x2) => PackedOperation::MinSigned,
        (Mnemonic::Max, Type::S16x2) => PackedOperation::MaxSigned,
        (Mnemonic::Min, _) => PackedOperation::MinUnsigned,
        (Mnemonic::Max, _) => PackedOperation::MaxUnsigned,
        _ => PackedOperation::Add,
    };
    let form = PackedForm { operation, relu: view.has(Modifier::Relu) };
    scalar::<Packed16>(d, view, [Type::B32; 3], form)
}

/// `mul.wide` and `mad.wide`: the product in full.
fn wide<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>, add: bool) -> Result<Op, Error> {
    let ty = view.ty();
    let (product, run) = match (ty, add) {
        (Type::U16, false) => (Type::U32, pick::<Map2<MulWide<u16>>>()),
        (Type::S16, false) => (Type::S32, pick::<Map2<MulWide<i16>>>()),
        (Type::U32, false) => (Type::U64, pick::<Map2<MulWide<u32>>>()),
        (Type::S32, false) => (Type::S64, pick::<Map2<MulWide<i32>>>()),
        (Type::U16, true) => (Type::U32, pick::<Map3<MadWide<u16>>>()),
        (Type::S16, true) => (Type::S32, pick::<Map3<MadWide<i16>>>()),
        (Type::U32, true) => (Type::U64, pick::<Map3<MadWide<u32>>>()),
        (Type::S32, true) => (Type::S64, pick::<Map3<MadWide<i32>>>()),
        _ => return Err(d.unsupported(view, "a wide product has operands of 16 or 32 bits")),
    };
    finish(d, view, run, product, [ty, ty, product])
}

fn extended<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let ty = view.ty();
    let mnemonic = view.opcode.mnemonic();
    let run = match ty {
        Type::U32 | Type::B32 => pick::<Carry<u32>>(),
        Type::S32 => pick::<Carry<i32>>(),
        Type::U64 | Type::B64 => pick::<Carry<u64>>(),
        Type::S64 => pick::<Carry<i64>>(),
        _ => return Err(d.unsupported(view, "extended precision needs 32 or 64 bits")),
    };
    let mut op = finish(d, view, run, ty, [ty; 3])?;
    op.e = d.rows.carry();
    let operation = match mnemonic {
        Mnemonic::Sub | Mnemonic::Subc => carry::Operation::Difference,
        Mnemonic::Mad | Mnemonic::Madc if view.has(Modifier::Hi) => carry::Operation::HighProduct,
        Mnemonic::Mad | Mnemonic::Madc => carry::Operation::LowProduct,
        _ => carry::Operation::Sum,
    };
    let reads = matches!(mnemonic, Mnemonic::Addc | Mnemonic::Subc | Mnemonic::Madc);
    op.imm = CarryForm { operation, reads, writes: view.has(Modifier::Cc) }.pack();
    Ok(op)
}

fn bits<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let ty = view.ty();
    let width = ty.bits() as u8;
    let u32s = [Type::U32; 3];
    let wide = Width::of(ty) == Width::W64;
    let one = |d: &mut Decoder<'m>, run, result| finish(d, view, run, result, [ty; 3]);
    match view.opcode.mnemonic() {
        Mnemonic::Popc => one(d, if wide { pick::<Map1<Popc64>>() } else { pick::<Map1<Popc32>>() }, Type::U32),
        Mnemonic::Clz => one(d, if wide { pick::<Map1<Clz64>>() } else { pick::<Map1<Clz32>>() }, Type::U32),
        Mnemonic::Brev => one(d, if wide { pick::<Map1<Brev64>>() } else { pick::<Map1<Brev32>>() }, ty),
        Mnemonic::Bfind => {
            let flags = BfindFlags { signed: ty.is_signed(), shift_amount: view.has(Modifier::Shiftamt) };
            scalar::<scalar_ops::Bfind>(d, view, [ty; 3], BfindForm { width, flags })
        }
        Mnemonic::Bfe if ty.is_signed() => scalar::<scalar_ops::BfeSigned>(d, view, [ty, Type::U32, Type::U32], width),
        Mnemonic::Bfe => {
            let run = if wide { pick::<Map3<BfeU64>>() } else { pick::<Map3<BfeU32>>() };
            finish(d, view, run, ty, [ty, Type::U32, Type::U32])
        }
        Mnemonic::Bfi => {
            let mut op = d.form::<Bfi>(width);
            op.d = d.any_result(view, 0)?;
            op.a = d.any_source(view, 1, ty)?;
            op.b = d.any_source(view, 2, ty)?;
            op.c = d.any_source(view, 3, Type::U32)?;
            op.e = d.any_source(view, 4, Type::U32)?;
            Ok(op)
        }
        Mnemonic::Prmt => {
            let mode = match () {
                () if view.has(Modifier::F4e) => PrmtMode::F4e,
                () if view.has(Modifier::B4e) => PrmtMode::B4e,
                () if view.has(Modifier::Rc8) => PrmtMode::Rc8,
                () if view.has(Modifier::Ecl) => PrmtMode::Ecl,
                () if view.has(Modifier::Ecr) => PrmtMode::Ecr,
                () if view.has(Modifier::Rc16) => PrmtMode::Rc16,
                () => PrmtMode::Selected,
            };
            scalar::<Prmt>(d, view, u32s, mode)
        }
        Mnemonic::Dp4a | Mnemonic::Dp2a => {
            let types = view.opcode.types();
            let signed = |i: usize| types.get(i).is_some_and(|ty| ty.is_signed());
            let flags = DotFlags { a_signed: signed(0), b_signed: signed(1), high: view.has(Modifier::Hi) };
            if view.opcode.mnemonic() == Mnemonic::Dp4a {
                scalar::<Dp4a>(d, view, u32s, flags)
            } else {
                scalar::<Dp2a>(d, view, u32s, flags)
            }
        }
        Mnemonic::Mad24 if view.has(Modifier::Sat) => scalar::<MadSat>(d, view, u32s, true),
        Mnemonic::Fns => scalar::<Fns>(d, view, u32s, ()),
        Mnemonic::Mul24 | Mnemonic::Mad24 => {
            let flags = Mad24Flags { signed: ty.is_signed(), high: view.has(Modifier::Hi) };
            scalar::<Mad24>(d, view, u32s, flags)
        }
        Mnemonic::Szext => {
            let flags = SzextFlags { signed: ty.is_signed(), wraps: view.has(Modifier::Wrap) };
            scalar::<Szext>(d, view, u32s, flags)
        }
        Mnemonic::Bmsk => scalar::<Bmsk>(d, view, u32s, view.has(Modifier::Wrap)),
        _ if !view.opcode.properties().known => Err(d.unsupported(view, "no such instruction is known")),
        _ => Err(d.unsupported(view, "this instruction is not modelled")),
    }
}
