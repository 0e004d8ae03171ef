//! The state spaces that accesses go to, and the traffic that they count.

use cranelift_entity::EntityRef;

use super::address_cache::{Passes, Pattern};
use super::address_pattern::{Halves, NO_ADDRESSES, regular_passes};
use super::op::{Ctx, Op};
use super::rule_violations::Broken;
use super::traffic::{passes, sectors};
use crate::api::outcome::FaultKind;
use crate::memory::regions::Region;
use crate::memory::space::{LOCAL_WINDOW, SHARED_WINDOW, in_window};

/// A state space as an access sees it.
pub(crate) trait Space {
    /// Returns true if two lanes may name the same byte by different means, so that patterns say nothing.
    fn private(address: u64) -> bool;
    /// True if other host threads may access the same bytes.
    const GLOBAL: bool;
    /// Reports whether an address of this space is in global memory.
    #[inline(always)]
    fn is_global(_: u64) -> bool {
        Self::GLOBAL
    }
    /// The host address of `bytes` bytes, if the space has them.
    fn resolve(ctx: &mut Ctx<'_>, op: &Op, address: u64, bytes: u64, lane: usize) -> Option<*mut u8>;
    /// Counts what the access costs. The addresses are read only where a half is scattered.
    fn count(ctx: &mut Ctx<'_>, op: &Op, halves: Halves, addresses: &[u64; 32], bytes: u64);
    /// The same of a load or store whose halves all lanes of a warp take part in, and both have a pattern.
    #[inline(always)]
    fn count_regular(ctx: &mut Ctx<'_>, op: &Op, halves: Halves, bytes: u64) {
        Self::count(ctx, op, halves, &NO_ADDRESSES, bytes);
    }
}

/// `.global`.
pub(crate) struct Global;
/// `.const`, and `.param` of the kernel by address: found like global memory, but not part of its traffic.
pub(crate) struct Constant;
/// `.shared` of the thread's own CTA.
pub(crate) struct Shared;
/// `.local`.
pub(crate) struct Local;
/// Any of them, by window.
pub(crate) struct Generic;

impl Space for Global {
    const GLOBAL: bool = true;
    #[inline(always)]
    fn private(_: u64) -> bool {
        false
    }
    #[inline(always)]
    fn resolve(ctx: &mut Ctx<'_>, op: &Op, address: u64, bytes: u64, lane: usize) -> Option<*mut u8> {
        let cached = ctx.caches[op.id.index()].host(address, bytes);
        if cached.is_some() { cached } else { resolve_anew(ctx, op, address, bytes, lane) }
    }
    #[inline(always)]
    fn count(ctx: &mut Ctx<'_>, op: &Op, halves: Halves, addresses: &[u64; 32], bytes: u64) {
        let sectors = sectors(halves, addresses, ctx.mask, bytes);
        let traffic = &mut ctx.traffic[op.id.index()];
        traffic.requests += 1;
        traffic.sectors += u64::from(sectors);
    }
}

impl Space for Constant {
    const GLOBAL: bool = true;
    #[inline(always)]
    fn private(_: u64) -> bool {
        false
    }
    #[inline(always)]
    fn resolve(ctx: &mut Ctx<'_>, op: &Op, address: u64, bytes: u64, lane: usize) -> Option<*mut u8> {
        Global::resolve(ctx, op, address, bytes, lane)
    }
    #[inline(always)]
    fn count(_: &mut Ctx<'_>, _: &Op, _: Halves, _: &[u64; 32], _: u64) {}
}

#[cold]
fn resolve_anew(ctx: &mut Ctx<'_>, op: &Op, address: u64, bytes: u64, lane: usize) -> Option<*mut u8> {
    let Some(region): Option<&Region> = ctx.regions.find(address) else {
        // Not remembered: whether a chunk of the heap may be accessed changes while the kernel runs.
        return ctx.system.host(address, bytes);
    };
    if let Some(seen) = &mut ctx.seen
        && let Some(written) = ctx.system.bytes_written(op.id)
        && let Some(rule) = ctx.regions.forbids_writing(region)
    {
        // Not remembered, and not taken for several lanes at a time, so that each of them is named.
        if bytes > written {
            return None;
        }
        seen.note_lane(Broken { rule, inst: op.id, lanes: 1 << lane });
    } else {
        ctx.caches[op.id.index()] = *region;
    }
    region.host(address, bytes)
}

impl Space for Shared {
    const GLOBAL: bool = false;
    #[inline(always)]
    fn private(_: u64) -> bool {
        false
    }
    #[inline(always)]
    fn resolve(ctx: &mut Ctx<'_>, _: &Op, address: u64, bytes: u64, _: usize) -> Option<*mut u8> {
        let size = u64::from(ctx.shared_bytes);
        if address < size && bytes <= size - address {
            Some(ctx.shared.as_mut_ptr().cast::<u8>().wrapping_add(address as usize))
        } else {
            None
        }
    }
    #[inline(always)]
    fn count(ctx: &mut Ctx<'_>, op: &Op, halves: Halves, addresses: &[u64; 32], bytes: u64) {
        let passes = passes(halves, addresses, ctx.mask, bytes);
        count_shared(ctx, op, passes);
    }
    #[inline(always)]
    fn count_regular(ctx: &mut Ctx<'_>, op: &Op, halves: Halves, bytes: u64) {
        let passes = regular_passes(ctx, op, |mask| passes(halves, &NO_ADDRESSES, mask, bytes));
        count_shared(ctx, op, passes);
    }
}

#[inline(always)]
fn count_shared(ctx: &mut Ctx<'_>, op: &Op, passes: Passes) {
    let traffic = &mut ctx.traffic[op.id.index()];
    traffic.shared_requests += 1;
    traffic.shared_wavefronts += u64::from(passes.taken);
    if passes.conflicts != 0 {
        traffic.shared_conflicts += u64::from(passes.conflicts);
    }
}

impl Space for Local {
    const GLOBAL: bool = false;
    #[inline(always)]
    fn private(_: u64) -> bool {
        true
    }
    #[inline(always)]
    fn resolve(ctx: &mut Ctx<'_>, _: &Op, address: u64, bytes: u64, lane: usize) -> Option<*mut u8> {
        let size = u64::from(ctx.local_bytes);
        if address < size && bytes <= size - address {
            let offset = lane * ctx.local_bytes.next_multiple_of(8) as usize + address as usize;
            Some(ctx.local.as_mut_ptr().cast::<u8>().wrapping_add(offset))
        } else {
            None
        }
    }
    #[inline(always)]
    fn count(_: &mut Ctx<'_>, _: &Op, _: Halves, _: &[u64; 32], _: u64) {}
}

impl Space for Generic {
    const GLOBAL: bool = true;
    #[inline(always)]
    fn private(address: u64) -> bool {
        in_window(address, LOCAL_WINDOW).is_some()
    }
    #[inline(always)]
    fn is_global(address: u64) -> bool {
        in_window(address, SHARED_WINDOW).is_none() && in_window(address, LOCAL_WINDOW).is_none()
    }
    #[inline(always)]
    fn resolve(ctx: &mut Ctx<'_>, op: &Op, address: u64, bytes: u64, lane: usize) -> Option<*mut u8> {
        let cached = ctx.caches[op.id.index()].host(address, bytes);
        if cached.is_some() {
            cached
        } else if let Some(offset) = in_window(address, SHARED_WINDOW) {
            Shared::resolve(ctx, op, offset, bytes, lane)
        } else if let Some(offset) = in_window(address, LOCAL_WINDOW) {
            Local::resolve(ctx, op, offset, bytes, lane)
        } else {
            resolve_anew(ctx, op, address, bytes, lane)
        }
    }
    #[inline(always)]
    fn count(ctx: &mut Ctx<'_>, op: &Op, halves: Halves, addresses: &[u64; 32], bytes: u64) {
        // Of a scattered half the first active lane speaks for the others.
        let scattered = halves.patterns.contains(&Pattern::Scatter);
        let lane = ctx.mask.trailing_zeros() as usize & 31;
        let first = if scattered { addresses[lane] } else { halves.firsts[lane / 16] };
        if in_window(first, SHARED_WINDOW).is_some() {
            Shared::count(ctx, op, halves, addresses, bytes);
        } else if in_window(first, LOCAL_WINDOW).is_none() {
            Global::count(ctx, op, halves, addresses, bytes);
        }
    }
}

/// Records an access that cannot be made; returns false, which stops the launch.
#[cold]
pub(crate) fn fault(ctx: &mut Ctx<'_>, op: &Op, kind: FaultKind, address: u64, bytes: u64, lane: usize) -> bool {
    let kind = if ctx.system.is_freed(address) { FaultKind::UseAfterFree } else { kind };
    ctx.stop(op, kind, address, bytes as u32, lane)
}

/// The host address of one lane's access; `None` after recording the fault.
#[inline(always)]
pub(crate) fn lane_access<S: Space>(
    ctx: &mut Ctx<'_>,
    op: &Op,
    address: u64,
    bytes: u64,
    lane: usize,
) -> Option<*mut u8> {
    if address & (bytes - 1) != 0 {
        fault(ctx, op, FaultKind::Misaligned, address, bytes, lane);
        return None;
    }
    let host = S::resolve(ctx, op, address, bytes, lane);
    if host.is_none() {
        fault(ctx, op, FaultKind::OutOfBounds, address, bytes, lane);
    }
    host
}
