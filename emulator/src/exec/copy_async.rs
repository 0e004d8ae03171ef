//! Asynchronous copies (PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy").
//!
//! A copy is done when it is issued, which is one of the times at which it may be done; waiting for it then does nothing. A kernel that
//! reads too early, without waiting, is noticed by the checks alone (`observe/checks/copies.rs`).

use super::access::{Global, Shared, Space};
use super::address_pattern::{addresses, halves};
use super::lanes::lanes;
use super::mbarrier;
use super::op::{Ctx, Execute, NONE, Op};
use super::scalar::get;
use crate::api::outcome::FaultKind;
use crate::memory::raw_access::Word;
use crate::memory::space::SHARED_WINDOW;
use crate::program::tables::{Address, Copy};

/// Copy number `op.imm` of the program.
pub(crate) struct CopyAsync;

impl Execute for CopyAsync {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let copy = ctx.tables.copies[op.imm as usize];
        let view = |ctx: &Ctx<'_>, at: Address| addresses(ctx, &Op { a: at.row, imm: at.offset, ..*op });
        let (from, to) = (view(ctx, copy.from), view(ctx, copy.to));
        if copy.bytes != 0 {
            for (at, list) in [(copy.from, &from), (copy.to, &to)] {
                let halves = halves(list, ctx.mask, copy.bytes.into());
                match at.shared {
                    true => Shared::count(ctx, op, halves, list, copy.bytes.into()),
                    false => Global::count(ctx, op, halves, list, copy.bytes.into()),
                }
            }
        }
        for lane in lanes(ctx.mask) {
            let sizes = copy.sizes(ctx, lane);
            if !one(ctx, op, &copy, [from[lane], to[lane]], sizes, lane) {
                return false;
            }
        }
        true
    }
}

impl Copy {
    /// Returns how many bytes a lane reads, and how many it writes.
    pub(crate) fn sizes(&self, ctx: &Ctx<'_>, lane: usize) -> [u32; 2] {
        let count = if self.count == NONE { self.bytes } else { get(ctx, self.count, lane) as u32 };
        let bytes = if self.bytes == 0 { count } else { self.bytes };
        let ignored = self.ignore != NONE && super::compare::predicate(ctx, self.ignore) >> lane & 1 != 0;
        [if ignored { 0 } else { count.min(bytes) }, bytes]
    }
}

impl Address {
    /// An address as a generic one, which a message can tell the space of.
    fn generic(self, address: u64) -> u64 {
        if self.shared { address.wrapping_add(SHARED_WINDOW) } else { address }
    }
}

fn resolve(ctx: &mut Ctx<'_>, op: &Op, at: Address, address: u64, bytes: u64, lane: usize) -> Option<*mut u8> {
    let host = match at.shared {
        true => Shared::resolve(ctx, op, address, bytes, lane),
        false => Global::resolve(ctx, op, address, bytes, lane),
    };
    if host.is_none() {
        ctx.stop(op, FaultKind::OutOfBounds, at.generic(address), bytes as u32, lane);
    }
    host
}

/// The copy of one lane: `count` bytes and then zeros, up to `bytes`.
fn one(ctx: &mut Ctx<'_>, op: &Op, copy: &Copy, [from, to]: [u64; 2], [count, bytes]: [u32; 2], lane: usize) -> bool {
    let aligned = u64::from(if copy.bytes == 0 { 16 } else { copy.bytes });
    let misaligned =
        [(copy.from, from), (copy.to, to)].into_iter().find(|(_, address)| !address.is_multiple_of(aligned));
    if let Some((at, address)) = misaligned {
        return ctx.stop(op, FaultKind::Misaligned, at.generic(address), bytes, lane);
    }
    if bytes == 0 {
        return true;
    }
    let source = if count == 0 { None } else { resolve(ctx, op, copy.from, from, count.into(), lane) };
    if count != 0 && source.is_none() {
        return false;
    }
    let Some(target) = resolve(ctx, op, copy.to, to, bytes.into(), lane) else { return false };
    for index in 0..bytes as usize {
        let byte = match source {
            // SAFETY: `resolve` promised `count` bytes.
            Some(source) if index < count as usize => unsafe { u8::peek(source.wrapping_add(index), ctx.solo) },
            _ => 0,
        };
        // SAFETY: `resolve` promised `bytes` bytes.
        unsafe { u8::poke(target.wrapping_add(index), byte, ctx.solo) };
    }
    ctx.wrote = true;
    let Some(barrier) = copy.barrier else { return true };
    let address = addresses(ctx, &Op { a: barrier.row, imm: barrier.offset, ..*op })[lane];
    let Some(host) = resolve(ctx, op, barrier, address, 8, lane) else { return false };
    if !address.is_multiple_of(8) {
        return ctx.stop(op, FaultKind::Misaligned, barrier.generic(address), 8, lane);
    }
    // SAFETY: `resolve` promised eight bytes, which are aligned, in the shared memory of this host thread.
    unsafe { u64::modify(host, true, |word| mbarrier::complete_bytes(word, bytes.into())) };
    true
}
