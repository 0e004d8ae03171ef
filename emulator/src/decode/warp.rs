//! Operations that lanes of a warp perform together. Waiting for the lanes is control flow, see `flow.rs`.

use ptx_parser::{Mnemonic, Modifier, Operand, Type};

use super::rows::Width;
use super::{Decoder, View};
use crate::api::error::Error;
use crate::exec::op::{NONE, Op, pick};
use crate::exec::warp::*;
use crate::program::registers::untagged;

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
        op = d.form::<Vote>(match () {
            () if view.has(Modifier::All) => VoteMode::All,
            () if view.has(Modifier::Any) => VoteMode::Any,
            () => VoteMode::Uniform,
        });
        op.d = d.result(view, 0, Type::Pred)?;
    }
    op.a = d.predicate(view, 1)?;
    Ok(op)
}

fn shuffle<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let mode = match () {
        () if view.has(Modifier::Up) => ShuffleMode::Up,
        () if view.has(Modifier::Down) => ShuffleMode::Down,
        () if view.has(Modifier::Bfly) => ShuffleMode::Butterfly,
        () if view.has(Modifier::Idx) => ShuffleMode::Index,
        () => return Err(d.unsupported(view, "the mode is missing")),
    };
    let mut op = d.form::<Shuffle>(mode);
    (op.d, op.e) = d.results(view, Type::B32)?;
    op.a = d.source(view, 1, Type::B32)?;
    op.b = d.source(view, 2, Type::B32)?;
    op.c = d.source(view, 3, Type::B32)?;
    Ok(op)
}

fn matching<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let ty = view.ty();
    let wide = Width::of(ty) == Width::W64;
    let all = view.has(Modifier::All);
    let mut op = if wide { d.form::<Match<u64>>(all) } else { d.form::<Match<u32>>(all) };
    (op.d, op.e) = d.results(view, Type::B32)?;
    op.a = d.source(view, 1, ty)?;
    Ok(op)
}

fn redux<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let ty = view.ty();
    let extreme = |unsigned, signed, float| match ty {
        Type::F32 => float,
        ty if ty.is_signed() => signed,
        _ => unsigned,
    };
    let operator = match () {
        () if view.has(Modifier::Add) => Reduction::Add,
        () if view.has(Modifier::And) => Reduction::And,
        () if view.has(Modifier::Or) => Reduction::Or,
        () if view.has(Modifier::Xor) => Reduction::Xor,
        () if view.has(Modifier::Min) => extreme(Reduction::MinUnsigned, Reduction::MinSigned, Reduction::MinFloat),
        () if view.has(Modifier::Max) => extreme(Reduction::MaxUnsigned, Reduction::MaxSigned, Reduction::MaxFloat),
        () => return Err(d.unsupported(view, "this reduction is not modelled")),
    };
    let (magnitudes, nan_wins) = (view.has(Modifier::Abs), view.has(Modifier::NaN));
    let mut op = d.form::<Redux>(ReduxForm { operator, magnitudes, nan_wins });
    op.d = d.result(view, 0, Type::B32)?;
    op.a = d.source(view, 1, Type::B32)?;
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
