//! Atomics and reductions.

use ptx_parser::{Mnemonic, Modifier, Operand, Space, Type};

use super::current_inst::Target;
use super::memory::{elements, target};
use super::rows::Width;
use super::{Decoder, View};
use crate::api::error::Error;
use crate::exec::access::{Generic, Global, Shared};
use crate::exec::atomic::*;
use crate::exec::atomic_rare::AtomicRare;
use crate::exec::op::{Handler, NONE, Op, pick};
use crate::program::registers::untagged;
use crate::program::tables::{Rare, RareForm};

/// `atom` and `red`.
pub(super) fn decode<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let returns = usize::from(view.opcode.mnemonic() == Mnemonic::Atom);
    let ty = view.ty();
    let generic = view.opcode.properties().space.is_none_or(|space| space == Space::Generic);
    let (row, offset, place) = d.address(view, returns, generic)?;
    let target = target(d, view, place)?;
    let names = [
        Modifier::Add,
        Modifier::Min,
        Modifier::Max,
        Modifier::Inc,
        Modifier::Dec,
        Modifier::And,
        Modifier::Or,
        Modifier::Xor,
        Modifier::Exch,
        Modifier::Cas,
    ];
    let Some(name) = names.into_iter().find(|&name| view.has(name)) else {
        return Err(d.unsupported(view, "this operation is not modelled"));
    };
    if let Some(action) = rare(view, name, ty, returns) {
        return rare_atomic(d, view, action, target, (row, offset), returns);
    }
    macro_rules! update {
        ($update:ident) => {
            match target {
                Target::Global => Some(pick::<Atomic<Global, $update>>()),
                Target::Shared => Some(pick::<Atomic<Shared, $update>>()),
                Target::Generic => Some(pick::<Atomic<Generic, $update>>()),
                Target::Local | Target::Constant => None,
            }
        };
    }
    use Type::*;
    let run: Option<Handler> = match (name, ty) {
        (Modifier::Add, U32 | S32) => update!(Add32),
        (Modifier::Add, U64 | S64) => update!(Add64),
        (Modifier::Add, F32) => update!(AddF32),
        (Modifier::Add, F64) => update!(AddF64),
        (Modifier::Min, U32) => update!(MinU32),
        (Modifier::Min, S32) => update!(MinS32),
        (Modifier::Min, U64) => update!(MinU64),
        (Modifier::Min, S64) => update!(MinS64),
        (Modifier::Min, F32) => update!(MinF32),
        (Modifier::Min, F64) => update!(MinF64),
        (Modifier::Max, U32) => update!(MaxU32),
        (Modifier::Max, S32) => update!(MaxS32),
        (Modifier::Max, U64) => update!(MaxU64),
        (Modifier::Max, S64) => update!(MaxS64),
        (Modifier::Max, F32) => update!(MaxF32),
        (Modifier::Max, F64) => update!(MaxF64),
        (Modifier::Inc, U32) => update!(Inc32),
        (Modifier::Dec, U32) => update!(Dec32),
        (Modifier::And, B32) => update!(And32),
        (Modifier::And, B64) => update!(And64),
        (Modifier::Or, B32) => update!(Or32),
        (Modifier::Or, B64) => update!(Or64),
        (Modifier::Xor, B32) => update!(Xor32),
        (Modifier::Xor, B64) => update!(Xor64),
        (Modifier::Exch, B32) => update!(Exchange32),
        (Modifier::Exch, B64) => update!(Exchange64),
        (Modifier::Cas, B32) => update!(Cas32),
        (Modifier::Cas, B64) => update!(Cas64),
        _ => None,
    };
    let Some(run) = run else {
        return Err(d.unsupported(view, "there is no such atomic, or not in this state space"));
    };
    let mut op = d.op(run);
    (op.a, op.imm) = (row, offset);
    if returns == 1 {
        let result = d.any_result(view, 0)?;
        if result != NONE && Width::of_row(result) != Width::of(ty) {
            return Err(d.unsupported(view, format!("the result must be a register for {ty}")));
        }
        op.d = if result == NONE { NONE } else { untagged(result) };
    }
    op.b = d.source(view, returns + 1, ty)?;
    if name == Modifier::Cas {
        op.c = d.source(view, returns + 2, ty)?;
    }
    Ok(op)
}

/// Returns what a rare atomic does; `None` for those of `exec/atomic.rs`.
fn rare(view: &View<'_, '_>, name: Modifier, ty: Type, returns: usize) -> Option<Rare> {
    use Type::*;
    let vector = matches!(view.operand(returns + 1), Some(Operand::Vector(_)));
    match (name, ty) {
        (Modifier::Add, F16 | Bf16 | F16x2 | Bf16x2) => Some(Rare::Add),
        (Modifier::Add, F32) if vector => Some(Rare::Add),
        (Modifier::Min, F16 | Bf16 | F16x2 | Bf16x2) => Some(Rare::Min),
        (Modifier::Max, F16 | Bf16 | F16x2 | Bf16x2) => Some(Rare::Max),
        (Modifier::Exch, B128) => Some(Rare::Exchange),
        (Modifier::Cas, B16 | B128) => Some(Rare::Compare),
        _ => None,
    }
}

fn rare_atomic<'m>(
    d: &mut Decoder<'m>,
    view: &View<'_, 'm>,
    action: Rare,
    target: Target,
    (row, offset): (u32, u64),
    returns: usize,
) -> Result<Op, Error> {
    let run = match target {
        Target::Global => pick::<AtomicRare<Global>>(),
        Target::Shared => pick::<AtomicRare<Shared>>(),
        Target::Generic => pick::<AtomicRare<Generic>>(),
        Target::Local | Target::Constant => {
            return Err(d.unsupported(view, "atomics reach global and shared memory only"));
        }
    };
    let ty = view.ty();
    let operands = elements(view, returns + 1);
    let mut rows = Vec::new();
    let results = if returns == 1 { elements(view, 0) } else { vec![Operand::Sink; operands.len()] };
    let third = if action == Rare::Compare { elements(view, returns + 2) } else { Vec::new() };
    let counts = [results.len(), third.len()].map(|n| n == operands.len());
    if !counts[0] || !counts[1] && action == Rare::Compare || operands.len() > 8 {
        return Err(d.unsupported(view, "results and operands differ in number"));
    }
    for result in results {
        rows.push(match d.register(view, &result) {
            Some(row) => row,
            None if result == Operand::Sink => NONE,
            None => return Err(d.unsupported(view, "the result must be a register")),
        });
    }
    for operand in operands.iter().chain(&third) {
        rows.push(if ty == Type::B128 { d.wide_value(view, operand)? } else { d.value(view, operand, ty)? });
    }
    if rows
        .iter()
        .any(|&row| row != NONE && Width::of_row(row) != if ty == Type::B128 { Width::W64 } else { Width::W32 })
    {
        return Err(d.unsupported(view, format!("its registers must be for {ty}")));
    }
    let mut op = d.op(run);
    (op.a, op.imm) = (row, offset);
    op.d = d.list(&rows);
    d.tables.rare.push(RareForm { action, ty, count: operands.len() as u32 });
    op.e = d.tables.rare.len() as u32 - 1;
    Ok(op)
}
