//! Logic, shifts, comparison and selection.

use ptx_parser::{Mnemonic, Modifier, Operand, Type};

use super::integer::{by_size, by_type, finish, scalar};
use super::{Decoder, View};
use crate::api::error::Error;
use crate::exec::compare;
use crate::exec::compare::{Compare, Flushed, Logic, Select};
use crate::exec::integer::*;
use crate::exec::rows::{Map1, Map2, Map3};
use crate::exec::scalar::{EachLane, TAG_PRED};
use crate::exec::scalar_ops::{RELATIONS, SET_FTZ, SET_NEGATED, Set, SetNarrow, SetPair, SetpPair, Slct};
use crate::exec::{Handler, NONE, Op, pick};

/// See the module.
pub(super) fn decode<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let ty = view.ty();
    let run: Option<Handler> = match view.opcode.mnemonic() {
        Mnemonic::And | Mnemonic::Or | Mnemonic::Xor | Mnemonic::Not if ty == Type::Pred => return predicates(d, view),
        Mnemonic::And => by_size!(ty, Map2, And),
        Mnemonic::Or => by_size!(ty, Map2, Or),
        Mnemonic::Xor => by_size!(ty, Map2, Xor),
        Mnemonic::Not => by_size!(ty, Map1, Not),
        Mnemonic::Cnot => by_size!(ty, Map1, Cnot),
        Mnemonic::Shl => by_size!(ty, Map2, Shl),
        Mnemonic::Shr => by_type!(ty, Map2, Shr),
        Mnemonic::Shf => Some(match (view.has(Modifier::L), view.has(Modifier::Clamp)) {
            (true, false) => pick::<Map3<ShfLeftWrap>>(),
            (true, true) => pick::<Map3<ShfLeftClamp>>(),
            (false, false) => pick::<Map3<ShfRightWrap>>(),
            (false, true) => pick::<Map3<ShfRightClamp>>(),
        }),
        Mnemonic::Lop3 => return lop3(d, view),
        Mnemonic::Setp => return setp(d, view),
        Mnemonic::Set => return set(d, view),
        Mnemonic::Selp => return selp(d, view),
        Mnemonic::Slct => return slct(d, view),
        _ => None,
    };
    match run {
        // The shift amount has 32 bits whatever is shifted.
        Some(run) if matches!(view.opcode.mnemonic(), Mnemonic::Shl | Mnemonic::Shr) => {
            finish(d, view, run, ty, [ty, Type::U32, Type::U32])
        }
        Some(run) => finish(d, view, run, ty, [ty; 3]),
        None => refuse(d, view),
    }
}

fn refuse<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    Err(d.unsupported(view, "this type or modifier is not supported"))
}

fn predicates<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let mut op = d.op(pick::<Logic>());
    op.d = d.result(view, 0, Type::Pred)?;
    op.a = d.predicate(view, 1)?;
    op.imm = match view.opcode.mnemonic() {
        Mnemonic::And => 1,
        Mnemonic::Or => 2,
        Mnemonic::Xor => 3,
        _ => 0,
    };
    if op.imm == 0 {
        op.a ^= 1;
    } else {
        op.b = d.predicate(view, 2)?;
    }
    Ok(op)
}

fn lop3<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let Some(&Operand::Int(table)) = view.operand(4) else {
        return Err(d.unsupported(view, "only `d, a, b, c, table` is supported"));
    };
    // `lop3.or.b32 d|p, a, b, c, table, q` also tells, in `p`, whether anything is set.
    let tests = view.has(Modifier::And) || view.has(Modifier::Or);
    if view.operands().len() != 5 + usize::from(tests) {
        return Err(d.unsupported(view, "it has the wrong number of operands"));
    }
    if tests {
        let mut op = d.op(pick::<Lop3Test>());
        (op.d, op.e) = d.results(view, Type::B32)?;
        let rows = [d.source(view, 1, Type::B32)?, d.source(view, 2, Type::B32)?, d.source(view, 3, Type::B32)?];
        op.a = d.list(&rows);
        op.c = d.predicate(view, 5)?;
        op.imm = table.cast_unsigned() & 0xff | u64::from(view.has(Modifier::Or)) << 8;
        return Ok(op);
    }
    let mut op = d.op(pick::<Lop3>());
    op.d = d.result(view, 0, Type::B32)?;
    op.a = d.source(view, 1, Type::B32)?;
    op.b = d.source(view, 2, Type::B32)?;
    op.c = d.source(view, 3, Type::B32)?;
    op.imm = table.cast_unsigned() & 0xff;
    Ok(op)
}

/// The code of how a comparison is combined with a predicate.
fn combination(view: &View<'_, '_>) -> u64 {
    let words = [Modifier::And, Modifier::Or, Modifier::Xor];
    words.into_iter().position(|word| view.has(word)).map_or(0, |index| index as u64 + 1)
}

/// The relation's name, and the type to compare in: `lo`, `ls`, `hi`, `hs` compare without signs.
fn relation(view: &View<'_, '_>) -> Option<(Modifier, Type)> {
    let ty = view.ty();
    if let Some(name) = RELATIONS.into_iter().find(|&name| view.has(name)) {
        return Some((name, ty));
    }
    let unsigned = match ty.bits() {
        16 => Type::U16,
        32 => Type::U32,
        _ => Type::U64,
    };
    let names = [
        (Modifier::Lo, Modifier::Lt),
        (Modifier::Ls, Modifier::Le),
        (Modifier::Hi, Modifier::Gt),
        (Modifier::Hs, Modifier::Ge),
    ];
    names.into_iter().find(|&(word, _)| view.has(word)).map(|(_, name)| (name, unsigned))
}

macro_rules! compare_integers {
    ($name:expr, $ty:ty) => {
        match $name {
            Modifier::Eq => Some(pick::<Compare<compare::Eq, $ty>>()),
            Modifier::Ne => Some(pick::<Compare<compare::Neu, $ty>>()),
            Modifier::Lt => Some(pick::<Compare<compare::Lt, $ty>>()),
            Modifier::Le => Some(pick::<Compare<compare::Le, $ty>>()),
            Modifier::Gt => Some(pick::<Compare<compare::Gt, $ty>>()),
            Modifier::Ge => Some(pick::<Compare<compare::Ge, $ty>>()),
            _ => None,
        }
    };
}

macro_rules! compare_floats {
    ($name:expr, $ty:ty) => {
        match $name {
            Modifier::Eq => Some(pick::<Compare<compare::Eq, $ty>>()),
            Modifier::Ne => Some(pick::<Compare<compare::Ne, $ty>>()),
            Modifier::Lt => Some(pick::<Compare<compare::Lt, $ty>>()),
            Modifier::Le => Some(pick::<Compare<compare::Le, $ty>>()),
            Modifier::Gt => Some(pick::<Compare<compare::Gt, $ty>>()),
            Modifier::Ge => Some(pick::<Compare<compare::Ge, $ty>>()),
            Modifier::Equ => Some(pick::<Compare<compare::Equ, $ty>>()),
            Modifier::Neu => Some(pick::<Compare<compare::Neu, $ty>>()),
            Modifier::Ltu => Some(pick::<Compare<compare::Ltu, $ty>>()),
            Modifier::Leu => Some(pick::<Compare<compare::Leu, $ty>>()),
            Modifier::Gtu => Some(pick::<Compare<compare::Gtu, $ty>>()),
            Modifier::Geu => Some(pick::<Compare<compare::Geu, $ty>>()),
            Modifier::Num => Some(pick::<Compare<compare::Num, $ty>>()),
            Modifier::Nan => Some(pick::<Compare<compare::Nan, $ty>>()),
            _ => None,
        }
    };
}

fn setp<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let Some((name, ty)) = relation(view) else { return Err(d.unsupported(view, "no comparison operator is known")) };
    let run = match ty {
        Type::U16 | Type::B16 => compare_integers!(name, u16),
        Type::S16 => compare_integers!(name, i16),
        Type::U32 | Type::B32 => compare_integers!(name, u32),
        Type::S32 => compare_integers!(name, i32),
        Type::U64 | Type::B64 => compare_integers!(name, u64),
        Type::S64 => compare_integers!(name, i64),
        Type::F32 if view.has(Modifier::Ftz) => compare_floats!(name, Flushed),
        Type::F32 => compare_floats!(name, f32),
        Type::F64 => compare_floats!(name, f64),
        Type::F16 | Type::Bf16 | Type::F16x2 | Type::Bf16x2 => return setp_half(d, view),
        _ => None,
    };
    let Some(run) = run else { return refuse(d, view) };
    let mut op = d.op(run);
    (op.d, op.e) = d.results(view, Type::Pred)?;
    op.a = d.source(view, 1, ty)?;
    op.b = d.source(view, 2, ty)?;
    op.imm = combination(view);
    if op.imm != 0 {
        op.c = d.predicate(view, 3)?;
    }
    Ok(op)
}

/// The immediate of [`Set`], and its predicate operand.
fn set_parts<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>, result: u64) -> Result<(u64, u32), Error> {
    let Some((name, ty)) = relation(view) else { return Err(d.unsupported(view, "no comparison operator is known")) };
    let code = RELATIONS.iter().position(|known| *known == name).unwrap_or(0) as u64;
    let kind = combination(view);
    let element = match ty {
        Type::F16x2 => Type::F16,
        Type::Bf16x2 => Type::Bf16,
        ty => ty,
    };
    let mut imm = code | (element as u64) << 8 | result << 16 | kind << 20;
    imm |= if view.has(Modifier::Ftz) { SET_FTZ } else { 0 };
    let mut with = NONE;
    if kind != 0 {
        let predicate = d.predicate(view, 3)?;
        imm |= if predicate & 1 != 0 { SET_NEGATED } else { 0 };
        with = predicate >> 1 | TAG_PRED;
    }
    Ok((imm, with))
}

/// A half gives one result. Of packed ones the second is that of the upper halves.
fn setp_half<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let (imm, with) = set_parts(d, view, 2)?;
    let (first, second) = d.results(view, Type::Pred)?;
    let packed = matches!(view.ty(), Type::F16x2 | Type::Bf16x2);
    if !packed && second != NONE {
        return Err(d.unsupported(view, "a comparison of halves that are not packed has one result"));
    }
    let mut op = set_op(d, view, imm, with)?;
    if packed {
        op.run = pick::<SetpPair>();
        let tagged = |row: u32| if row == NONE { NONE } else { row | TAG_PRED };
        (op.d, op.e) = (tagged(first), tagged(second));
    }
    Ok(op)
}

fn set<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let result = match view.first_ty() {
        Type::U32 | Type::S32 | Type::U16 | Type::S16 => 0,
        Type::F32 => 1,
        Type::F16 | Type::F16x2 => 3,
        Type::Bf16 | Type::Bf16x2 => 4,
        _ => return refuse(d, view),
    };
    let (imm, with) = set_parts(d, view, result)?;
    let mut op = set_op(d, view, imm, with)?;
    if matches!(view.first_ty(), Type::U16 | Type::S16) {
        // A register of 16 bits holds nothing above them.
        op.run = pick::<EachLane<SetNarrow>>();
    }
    if matches!(view.ty(), Type::F16x2 | Type::Bf16x2) {
        op.run = pick::<EachLane<SetPair>>();
    }
    Ok(op)
}

fn set_op<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>, imm: u64, with: u32) -> Result<Op, Error> {
    let ty = view.ty();
    let mut op = d.op(pick::<EachLane<Set>>());
    op.imm = imm;
    if !matches!(view.operand(0), Some(Operand::Pair(..))) {
        op.d = d.any_result(view, 0)?;
    }
    op.a = d.any_source(view, 1, ty)?;
    op.b = d.any_source(view, 2, ty)?;
    op.c = with;
    Ok(op)
}

fn selp<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let ty = view.ty();
    let run = match ty.bits() {
        16 | 32 => pick::<Select<u32>>(),
        64 => pick::<Select<u64>>(),
        _ => return refuse(d, view),
    };
    let mut op = d.op(run);
    op.d = d.result(view, 0, ty)?;
    op.a = d.source(view, 1, ty)?;
    op.b = d.source(view, 2, ty)?;
    op.c = d.predicate(view, 3)?;
    Ok(op)
}

fn slct<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let (ty, by) = (view.first_ty(), view.ty());
    let ftz = if view.has(Modifier::Ftz) { crate::exec::scalar_ops::FTZ } else { 0 };
    match by {
        Type::S32 | Type::F32 => scalar::<Slct>(d, view, [ty, ty, by], u64::from(by == Type::F32) | ftz),
        _ => refuse(d, view),
    }
}
