//! Asynchronous copies and barrier objects.

use ptx_parser::{Mnemonic, Modifier, Operand, Space, Type};

use super::rows::Width;
use super::variables::Location;
use super::{Decoder, View};
use crate::api::error::Error;
use crate::exec::access::{Generic, Shared};
use crate::exec::copy_async::CopyAsync;
use crate::exec::mbarrier::{Action, Mbarrier, MbarrierForm, PendingCount};
use crate::exec::op::{NONE, Nothing, Op, pick};
use crate::exec::payload::Payload;
use crate::memory::access::{Access, Kind};
use crate::memory::space::MemorySpace;
use crate::program::tables::{Address, Copy};

/// `mbarrier`.
pub(super) fn mbarrier<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    if view.has(Modifier::PendingCount) {
        return super::integer::scalar::<PendingCount>(d, view, [Type::B64; 3], ());
    }
    let tests = view.has_any(&[Modifier::TestWait, Modifier::TryWait]);
    let arrives = view.has_any(&[Modifier::Arrive, Modifier::ArriveDrop]);
    let action = match () {
        () if view.has(Modifier::Init) => Action::Init,
        () if view.has(Modifier::Inval) => Action::Invalidate,
        () if arrives => Action::Arrive,
        () if view.has(Modifier::ExpectTx) => Action::ExpectBytes,
        () if view.has(Modifier::CompleteTx) => Action::CompleteBytes,
        () if tests && view.has(Modifier::Parity) => Action::TestParity,
        () if tests => Action::TestState,
        () => return Err(d.unsupported(view, "this operation of a barrier object is not known")),
    };
    let returns = usize::from(tests || arrives && !matches!(view.operand(0), Some(Operand::Address(..))));
    let (op, _) = barrier_address(d, view, returns)?;
    let mut op = op;
    if returns == 1 {
        op.d = d.any_result(view, 0)?;
        let expected = if tests { Width::Pred } else { Width::W64 };
        if op.d != NONE && Width::of_row(op.d) != expected {
            return Err(d.unsupported(view, "the result has the wrong width"));
        }
    }
    if view.operand(returns + 1).is_some() && action != Action::Invalidate {
        let ty = if action == Action::TestState { Type::B64 } else { Type::U32 };
        op.b = d.any_source(view, returns + 1, ty)?;
    }
    let drops = view.has(Modifier::ArriveDrop);
    let expects_bytes = action == Action::Arrive && view.has(Modifier::ExpectTx);
    op.e = MbarrierForm { action, drops, expects_bytes }.pack() as u32;
    Ok(op)
}

/// An op on the barrier object at address operand `index`, and that address. An address of a cluster's shared memory can only be one of
/// the block's own, because `mapa` is refused.
fn barrier_address<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>, index: usize) -> Result<(Op, Address), Error> {
    let names = [Modifier::Shared, Modifier::SharedCta, Modifier::SharedCluster];
    let shared = view.opcode.mnemonic() == Mnemonic::Cp && !view.has(Modifier::Mbarrier) || view.has_any(&names);
    let (row, offset, _) = d.address(view, index, !shared)?;
    let run = if shared { pick::<Mbarrier<Shared>>() } else { pick::<Mbarrier<Generic>>() };
    let mut op = d.op(run);
    (op.a, op.imm) = (row, offset);
    Ok((op, Address { row, offset, shared: true }))
}

/// `cp`.
pub(super) fn copy<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    if view.has_any(&[Modifier::Tensor, Modifier::Reduce, Modifier::MulticastCluster]) {
        return Err(d.unsupported(view, "copies of tensors, to several blocks, and with a reduction are not modelled"));
    }
    let immediate = [Modifier::CommitGroup, Modifier::WaitGroup, Modifier::WaitAll, Modifier::Prefetch];
    if view.has_any(&immediate) {
        // Copies are done when they are issued; see `exec/copy_async.rs`.
        return Ok(d.op(pick::<Nothing>()));
    }
    if view.has(Modifier::Mbarrier) {
        // Without `.noinc` the arrival is expected in addition to all others, so that it changes nothing.
        let (mut op, _) = barrier_address(d, view, 0)?;
        if !view.has(Modifier::Noinc) {
            return Ok(d.op(pick::<Nothing>()));
        }
        op.e = MbarrierForm { action: Action::Arrive, drops: false, expects_bytes: false }.pack() as u32;
        return Ok(op);
    }
    let bulk = view.has(Modifier::Bulk);
    let mut spaces = view.opcode.modifiers().iter().filter_map(|modifier| match modifier.space()? {
        Space::Global => Some(false),
        Space::Shared => Some(true),
        _ => None,
    });
    let (Some(to), Some(from)) = (spaces.next(), spaces.next()) else {
        return Err(d.unsupported(view, "it does not say from where to where"));
    };
    let (to, from) = (address(d, view, 0, to)?, address(d, view, 1, from)?);
    let mut copy = Copy { to, from, bytes: 0, count: NONE, ignore: NONE, barrier: None };
    // The cache policy comes last and changes nothing.
    let operands = view.operands().len() - usize::from(view.has(Modifier::L2CacheHint));
    if bulk {
        copy.count = d.any_source(view, 2, Type::U32)?;
        if operands > 3 && view.has(Modifier::MbarrierCompleteTxBytes) {
            copy.barrier = Some(barrier_address(d, view, 3)?.1);
        }
    } else {
        copy.bytes = match view.operand(2) {
            Some(Operand::Int(bytes @ (4 | 8 | 16))) => *bytes as u32,
            _ => return Err(d.unsupported(view, "4, 8 or 16 bytes are copied")),
        };
        match view.operand(3) {
            Some(Operand::Reg(reg)) if operands > 3 && view.frame.kernel.reg(*reg).ty == Type::Pred => {
                copy.ignore = d.predicate(view, 3)?;
            }
            Some(Operand::Not(_)) if operands > 3 => copy.ignore = d.predicate(view, 3)?,
            Some(_) if operands > 3 => copy.count = d.any_source(view, 3, Type::U32)?,
            _ => {}
        }
    }
    d.tables.copies.push(copy);
    let mut op = d.op(pick::<CopyAsync>());
    op.imm = d.tables.copies.len() as u64 - 1;
    Ok(op)
}

/// Returns what the checks need to know of a copy or of an operation of a barrier object.
///
/// Barrier objects order like fences, whatever they are told: who arrives and who waits need not be known for that. Copies in bulk
/// are done when they are issued, as they are here.
pub(super) fn access(view: &View<'_, '_>) -> Option<Access> {
    if view.opcode.mnemonic() == Mnemonic::Mbarrier {
        let shared = view.has_any(&[Modifier::Shared, Modifier::SharedCta]);
        return Some(Access::ordering(Kind::Fence, shared.then_some(MemorySpace::Shared)));
    }
    let bulk = view.has(Modifier::Bulk);
    let kind = match () {
        () if view.has(Modifier::Prefetch) => return None,
        // Those who wait for the barrier object know that the copies are done, so that its arrival is as good as a wait.
        () if view.has(Modifier::Mbarrier) => return Some(Access::ordering(Kind::WaitAll, None)),
        () if view.has_any(&[Modifier::CommitGroup, Modifier::WaitGroup, Modifier::WaitAll]) => {
            let groups = match view.operand(0) {
                Some(&Operand::Int(groups)) => u32::try_from(groups).unwrap_or(0),
                _ => 0,
            };
            match () {
                () if bulk => return None,
                () if view.has(Modifier::CommitGroup) => Kind::Commit,
                () if view.has(Modifier::WaitGroup) => Kind::Wait(groups),
                () => Kind::WaitAll,
            }
        }
        () => Kind::Copy,
    };
    Some(Access::copying(kind))
}

fn address<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>, index: usize, shared: bool) -> Result<Address, Error> {
    let (row, offset, place) = d.address(view, index, false)?;
    if matches!(place, Some(Location::Local(_) | Location::Frame(_))) {
        return Err(d.unsupported(view, "local memory cannot be copied from or to"));
    }
    Ok(Address { row, offset, shared })
}
