//! Logic, shifts, comparison and selection.

use ptx_parser::{Mnemonic, Modifier, Operand, Type};

use super::integer::{by_size, by_type, finish, scalar};
use super::{Decoder, View};
use crate::api::error::Error;
use crate::exec::compare;
use crate::exec::compare::{Compare, Connective, Flushed, Logic, Select};
use crate::exec::integer::*;
use crate::exec::op::{Handler, NONE, Op, pick};
use crate::exec::payload::Payload;
use crate::exec::rows::{Map1, Map2, Map3};
use crate::exec::scalar::EachLane;
use crate::exec::scalar_ops::{Relation, Set, SetFlags, SetForm, SetNarrow, SetPair, SetpPair, Slct, SlctFlags, Truth};
use crate::program::registers::TAG_PRED;

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
    let connective = match view.opcode.mnemonic() {
        Mnemonic::And => Connective::And,
        Mnemonic::Or => Connective::Or,
        Mnemonic::Xor => Connective::Xor,
        _ => Connective::None,
    };
    let mut op = d.form::<Logic>(connective);
    op.d = d.result(view, 0, Type::Pred)?;
    op.a = d.predicate(view, 1)?;
    if connective == Connective::None {
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
    let tests = view.has_any(&[Modifier::And, Modifier::Or]);
    if view.operands().len() != 5 + usize::from(tests) {
        return Err(d.unsupported(view, "it has the wrong number of operands"));
    }
    let truth = table as u8;
    if tests {
        let mut op = d.form::<Lop3Test>(Lop3Form { truth, or: view.has(Modifier::Or) });
        (op.d, op.e) = d.results(view, Type::B32)?;
        let rows = [d.source(view, 1, Type::B32)?, d.source(view, 2, Type::B32)?, d.source(view, 3, Type::B32)?];
        op.a = d.list(&rows);
        op.c = d.predicate(view, 5)?;
        return Ok(op);
    }
    let mut op = d.form::<Lop3>(truth);
    op.d = d.result(view, 0, Type::B32)?;
    op.a = d.source(view, 1, Type::B32)?;
    op.b = d.source(view, 2, Type::B32)?;
    op.c = d.source(view, 3, Type::B32)?;
    Ok(op)
}

/// Returns how a comparison is combined with a predicate.
fn connective(view: &View<'_, '_>) -> Connective {
    match () {
        () if view.has(Modifier::And) => Connective::And,
        () if view.has(Modifier::Or) => Connective::Or,
        () if view.has(Modifier::Xor) => Connective::Xor,
        () => Connective::None,
    }
}

/// Returns the relation and the type to compare in: `lo`, `ls`, `hi`, `hs` compare without signs.
fn relation(view: &View<'_, '_>) -> Option<(Relation, Type)> {
    let ty = view.ty();
    if let Some(relation) = view.opcode.modifiers().iter().find_map(|&modifier| Relation::of(modifier)) {
        return Some((relation, ty));
    }
    let unsigned = match ty.bits() {
        16 => Type::U16,
        32 => Type::U32,
        _ => Type::U64,
    };
    let names = [
        (Modifier::Lo, Relation::Lt),
        (Modifier::Ls, Relation::Le),
        (Modifier::Hi, Relation::Gt),
        (Modifier::Hs, Relation::Ge),
    ];
    names.into_iter().find(|&(word, _)| view.has(word)).map(|(_, name)| (name, unsigned))
}

macro_rules! compare_integers {
    ($name:expr, $ty:ty) => {
        match $name {
            Relation::Eq => Some(pick::<Compare<compare::Eq, $ty>>()),
            Relation::Ne => Some(pick::<Compare<compare::Neu, $ty>>()),
            Relation::Lt => Some(pick::<Compare<compare::Lt, $ty>>()),
            Relation::Le => Some(pick::<Compare<compare::Le, $ty>>()),
            Relation::Gt => Some(pick::<Compare<compare::Gt, $ty>>()),
            Relation::Ge => Some(pick::<Compare<compare::Ge, $ty>>()),
            _ => None,
        }
    };
}

macro_rules! compare_floats {
    ($name:expr, $ty:ty) => {
        Some(match $name {
            Relation::Eq => pick::<Compare<compare::Eq, $ty>>(),
            Relation::Ne => pick::<Compare<compare::Ne, $ty>>(),
            Relation::Lt => pick::<Compare<compare::Lt, $ty>>(),
            Relation::Le => pick::<Compare<compare::Le, $ty>>(),
            Relation::Gt => pick::<Compare<compare::Gt, $ty>>(),
            Relation::Ge => pick::<Compare<compare::Ge, $ty>>(),
            Relation::Equ => pick::<Compare<compare::Equ, $ty>>(),
            Relation::Neu => pick::<Compare<compare::Neu, $ty>>(),
            Relation::Ltu => pick::<Compare<compare::Ltu, $ty>>(),
            Relation::Leu => pick::<Compare<compare::Leu, $ty>>(),
            Relation::Gtu => pick::<Compare<compare::Gtu, $ty>>(),
            Relation::Geu => pick::<Compare<compare::Geu, $ty>>(),
            Relation::Num => pick::<Compare<compare::Num, $ty>>(),
            Relation::Nan => pick::<Compare<compare::Nan, $ty>>(),
        })
    };
}

fn setp<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let Some((relation, ty)) = relation(view) else {
        return Err(d.unsupported(view, "no comparison operator is known"));
    };
    let run = match ty {
        Type::U16 | Type::B16 => compare_integers!(relation, u16),
        Type::S16 => compare_integers!(relation, i16),
        Type::U32 | Type::B32 => compare_integers!(relation, u32),
        Type::S32 => compare_integers!(relation, i32),
        Type::U64 | Type::B64 => compare_integers!(relation, u64),
        Type::S64 => compare_integers!(relation, i64),
        Type::F32 if view.has(Modifier::Ftz) => compare_floats!(relation, Flushed),
        Type::F32 => compare_floats!(relation, f32),
        Type::F64 => compare_floats!(relation, f64),
        Type::F16 | Type::Bf16 | Type::F16x2 | Type::Bf16x2 => return setp_half(d, view),
        _ => None,
    };
    let Some(run) = run else { return refuse(d, view) };
    let mut op = d.op(run);
    (op.d, op.e) = d.results(view, Type::Pred)?;
    op.a = d.source(view, 1, ty)?;
    op.b = d.source(view, 2, ty)?;
    let connective = connective(view);
    op.imm = connective.pack();
    if connective != Connective::None {
        op.c = d.predicate(view, 3)?;
    }
    Ok(op)
}

/// Returns the payload of a [`Set`], and its predicate operand.
fn set_parts<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>, truth: Truth) -> Result<(SetForm, u32), Error> {
    let Some((relation, ty)) = relation(view) else {
        return Err(d.unsupported(view, "no comparison operator is known"));
    };
    let connective = connective(view);
    let element = match ty {
        Type::F16x2 => Type::F16,
        Type::Bf16x2 => Type::Bf16,
        ty => ty,
    };
    let mut flags = SetFlags { flushes: view.has(Modifier::Ftz), negated: false };
    let mut with = NONE;
    if connective != Connective::None {
        let predicate = d.predicate(view, 3)?;
        flags.negated = predicate & 1 != 0;
        with = predicate >> 1 | TAG_PRED;
    }
    Ok((SetForm { relation, ty: element, truth, with: connective, flags }, with))
}

/// A half gives one result. Of packed ones the second is that of the upper halves.
fn setp_half<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let (form, with) = set_parts(d, view, Truth::Predicate)?;
    let (first, second) = d.results(view, Type::Pred)?;
    let packed = matches!(view.ty(), Type::F16x2 | Type::Bf16x2);
    if !packed && second != NONE {
        return Err(d.unsupported(view, "a comparison of halves that are not packed has one result"));
    }
    let mut op = set_op(d, view, form, with)?;
    if packed {
        op.run = pick::<SetpPair>();
        let tagged = |row: u32| if row == NONE { NONE } else { row | TAG_PRED };
        (op.d, op.e) = (tagged(first), tagged(second));
    }
    Ok(op)
}

fn set<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let truth = match view.first_ty() {
        Type::U32 | Type::S32 | Type::U16 | Type::S16 => Truth::Ones,
        Type::F32 => Truth::Single,
        Type::F16 | Type::F16x2 => Truth::Half,
        Type::Bf16 | Type::Bf16x2 => Truth::Bfloat,
        _ => return refuse(d, view),
    };
    let (form, with) = set_parts(d, view, truth)?;
    let mut op = set_op(d, view, form, with)?;
    if matches!(view.first_ty(), Type::U16 | Type::S16) {
        // A register of 16 bits holds nothing above them.
        op.run = pick::<EachLane<SetNarrow>>();
    }
    if matches!(view.ty(), Type::F16x2 | Type::Bf16x2) {
        op.run = pick::<EachLane<SetPair>>();
    }
    Ok(op)
}

fn set_op<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>, form: SetForm, with: u32) -> Result<Op, Error> {
    let ty = view.ty();
    let mut op = d.form::<EachLane<Set>>(form);
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
    let flags = SlctFlags { float: by == Type::F32, flushes: view.has(Modifier::Ftz) };
    match by {
        Type::S32 | Type::F32 => scalar::<Slct>(d, view, [ty, ty, by], flags),
        _ => refuse(d, view),
    }
}
