//! What lanes of a warp do together: the operation itself. Waiting for the lanes is control flow, see `flow.rs`.

use ptx_parser::{Mnemonic, Modifier, Operand, Type};

use super::operands::Width;
use super::{Decoder, View};
use crate::api::error::Error;
use crate::exec::scalar::untagged;
use crate::exec::warp::*;
use crate::exec::{NONE, Op, pick};

/// See the module. A `.sync` operation has its member mask as its last operand, which is not read here.
pub(super) fn decode<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    match view.opcode.mnemonic() {
        Mnemonic::Vote => vote(d, view),
        Mnemonic::Shfl => shuffle(d, view),
        Mnemonic::Match => matching(d, view),
        Mnemonic::Redux => redux(d, view),
        Mnemonic::Elect => {
            let mut op = d.op(pick::<Elect>());
            (op.d, op.e) = d.results(view, Type::U32)?;
            Ok(op)
        }
        _ => {
            let mut op = d.op(pick::<ActiveMask>());
            op.d = d.result(view, 0, Type::B32)?;
            Ok(op)
        }
    }
}

fn vote<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let mut op;
    if view.has(Modifier::Ballot) {
        op = d.op(pick::<Ballot>());
        op.d = d.result(view, 0, Type::B32)?;
    } else {
        op = d.op(pick::<Vote>());
        op.d = d.result(view, 0, Type::Pred)?;
        op.imm = if view.has(Modifier::All) {
            0
        } else if view.has(Modifier::Any) {
            1
        } else {
            2
        };
    }
    op.a = d.predicate(view, 1)?;
    Ok(op)
}

fn shuffle<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let modes = [Modifier::Up, Modifier::Down, Modifier::Bfly, Modifier::Idx];
    let Some(mode) = modes.into_iter().position(|mode| view.has(mode)) else {
        return Err(d.unsupported(view, "the mode is missing"));
    };
    let mut op = d.op(pick::<Shuffle>());
    (op.d, op.e) = d.results(view, Type::B32)?;
    op.a = d.source(view, 1, Type::B32)?;
    op.b = d.source(view, 2, Type::B32)?;
    op.c = d.source(view, 3, Type::B32)?;
    op.imm = mode as u64;
    Ok(op)
}

fn matching<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let ty = view.ty();
    let wide = Width::of(ty) == Width::W64;
    let mut op = d.op(if wide { pick::<Match<u64>>() } else { pick::<Match<u32>>() });
    (op.d, op.e) = d.results(view, Type::B32)?;
    op.a = d.source(view, 1, ty)?;
    op.imm = u64::from(view.has(Modifier::All));
    Ok(op)
}

fn redux<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let ty = view.ty();
    let signed = ty.is_signed();
    let code = match () {
        () if ty.is_float() => {
            let flag = |modifier: Modifier, bit: u64| if view.has(modifier) { bit } else { 0 };
            Some(8 | flag(Modifier::Max, 1) | flag(Modifier::Abs, 16) | flag(Modifier::NaN, 32))
        }
        () if view.has(Modifier::Add) => Some(0),
        () if view.has(Modifier::And) => Some(1),
        () if view.has(Modifier::Or) => Some(2),
        () if view.has(Modifier::Xor) => Some(3),
        () if view.has(Modifier::Min) => Some(if signed { 6 } else { 4 }),
        () if view.has(Modifier::Max) => Some(if signed { 7 } else { 5 }),
        () => None,
    };
    let Some(code) = code else { return Err(d.unsupported(view, "this reduction is not modelled")) };
    let mut op = d.op(pick::<Redux>());
    op.d = d.result(view, 0, Type::B32)?;
    op.a = d.source(view, 1, Type::B32)?;
    op.imm = code;
    Ok(op)
}

/// The row of the member mask: the last operand.
pub(super) fn members<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<u32, Error> {
    let last = view.operands().len().saturating_sub(1);
    if matches!(view.operand(last), Some(Operand::Special(_) | Operand::Symbol(..)) | None) {
        return Err(d.unsupported(view, "the member mask is missing"));
    }
    let row = d.source(view, last, Type::B32)?;
    debug_assert!(row != NONE && untagged(row) == row);
    Ok(row)
}
