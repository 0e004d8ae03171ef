//! Atomics and reductions.

use ptx_parser::{Operand, Space, Type};

use super::memory::{Target, elements, target};
use super::operands::Width;
use super::{Decoder, View};
use crate::error::Error;
use crate::exec::access::{Generic, Global, Shared};
use crate::exec::atomic::*;
use crate::exec::atomic_rare::{AtomicRare, Rare, RareForm};
use crate::exec::scalar::untagged;
use crate::exec::{Handler, NONE, Op, pick};

/// `atom` and `red`.
pub(super) fn decode<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let returns = usize::from(view.opcode.mnemonic() == "atom");
    let ty = view.ty();
    let generic = view.opcode.properties().space.is_none_or(|space| space == Space::Generic);
    let (row, offset, place) = d.address(view, returns, generic)?;
    let target = target(d, view, place)?;
    let names = ["add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas"];
    let name = names.iter().find(|name| view.has(name)).copied().unwrap_or("");
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
        ("add", U32 | S32) => update!(Add32),
        ("add", U64 | S64) => update!(Add64),
        ("add", F32) => update!(AddF32),
        ("add", F64) => update!(AddF64),
        ("min", U32) => update!(MinU32),
        ("min", S32) => update!(MinS32),
        ("min", U64) => update!(MinU64),
        ("min", S64) => update!(MinS64),
        ("min", F32) => update!(MinF32),
        ("min", F64) => update!(MinF64),
        ("max", U32) => update!(MaxU32),
        ("max", S32) => update!(MaxS32),
        ("max", U64) => update!(MaxU64),
        ("max", S64) => update!(MaxS64),
        ("max", F32) => update!(MaxF32),
        ("max", F64) => update!(MaxF64),
        ("inc", U32) => update!(Inc32),
        ("dec", U32) => update!(Dec32),
        ("and", B32) => update!(And32),
        ("and", B64) => update!(And64),
        ("or", B32) => update!(Or32),
        ("or", B64) => update!(Or64),
        ("xor", B32) => update!(Xor32),
        ("xor", B64) => update!(Xor64),
        ("exch", B32) => update!(Exchange32),
        ("exch", B64) => update!(Exchange64),
        ("cas", B32) => update!(Cas32),
        ("cas", B64) => update!(Cas64),
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
    if name == "cas" {
        op.c = d.source(view, returns + 2, ty)?;
    }
    Ok(op)
}

/// Returns what a rare atomic does; `None` for those of `exec/atomic.rs`.
fn rare(view: &View<'_, '_>, name: &str, ty: Type, returns: usize) -> Option<Rare> {
    use Type::*;
    let vector = matches!(view.operand(returns + 1), Some(Operand::Vector(_)));
    match (name, ty) {
        ("add", F16 | Bf16 | F16x2 | Bf16x2) => Some(Rare::Add),
        ("add", F32) if vector => Some(Rare::Add),
        ("min", F16 | Bf16 | F16x2 | Bf16x2) => Some(Rare::Min),
        ("max", F16 | Bf16 | F16x2 | Bf16x2) => Some(Rare::Max),
        ("exch", B128) => Some(Rare::Exchange),
        ("cas", B16 | B128) => Some(Rare::Compare),
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
    d.rare.push(RareForm { action, ty, count: operands.len() as u32 });
    op.e = d.rare.len() as u32 - 1;
    Ok(op)
}
