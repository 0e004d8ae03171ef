//! Where an access goes: address rows, their patterns, state spaces, and the traffic they cause.
//!
//! Most accesses of real kernels are, per half warp, either consecutive or all to one address. Those are tested first
//! and resolved once per half; only what is left is resolved lane by lane.

use super::scalar::{TAG64, untagged};
use super::traffic::{sectors, wavefronts};
use super::{Ctx, Op, RawFault};
use crate::memory::{LOCAL_WINDOW, Region, SHARED_WINDOW, WINDOW_BYTES};
use crate::outcome::FaultKind;

/// The addresses of all lanes: the row `op.a` plus the offset `op.imm`.
#[inline(always)]
pub(crate) fn addresses(ctx: &Ctx<'_>, op: &Op) -> [u64; 32] {
    let mut addresses = [0u64; 32];
    let row = untagged(op.a) as usize;
    if op.a & TAG64 != 0 {
        let base = &ctx.r64[row].0;
        for lane in 0..32 {
            addresses[lane] = base[lane].wrapping_add(op.imm);
        }
    } else {
        let base = &ctx.r32[row].0;
        for lane in 0..32 {
            addresses[lane] = u64::from(base[lane].wrapping_add(op.imm as u32));
        }
    }
    // Kept in memory as a whole: taken apart into registers it would be tested lane by lane.
    std::hint::black_box(addresses)
}

/// How the lanes of a half warp address memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pattern {
    /// No lane is active.
    Idle,
    /// All sixteen lanes, one behind the other.
    Unit,
    /// All sixteen lanes the same address.
    Uniform,
    /// Anything else.
    Scatter,
}

/// The distances of sixteen consecutive elements of 1, 2, 4, 8, 16, 32 bytes from the first one.
static STEPS: [[u64; 16]; 6] = {
    let mut steps = [[0; 16]; 6];
    let mut size = 0;
    while size < 6 {
        let mut lane = 0;
        while lane < 16 {
            steps[size][lane] = (lane as u64) << size;
            lane += 1;
        }
        size += 1;
    }
    steps
};

/// The same in 32 bits.
static STEPS32: [[u32; 16]; 6] = {
    let mut steps = [[0; 16]; 6];
    let mut place = 0;
    while place < 6 * 16 {
        steps[place / 16][place % 16] = STEPS[place / 16][place % 16] as u32;
        place += 1;
    }
    steps
};

/// What both halves of a warp do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Halves {
    /// The address of the first lane of each.
    pub(crate) firsts: [u64; 2],
    /// How the others stand to it.
    pub(crate) patterns: [Pattern; 2],
}

/// The addresses of a warp where they need not be looked at one by one; nothing reads them.
pub(crate) static NO_ADDRESSES: [u64; 32] = [0; 32];

/// The halves of a warp whose lanes access `bytes` bytes each, a power of two up to 32.
#[inline(always)]
pub(crate) fn halves(addresses: &[u64; 32], mask: u32, bytes: u64) -> Halves {
    let pattern = |half: usize| {
        let active = mask >> (16 * half) & 0xffff;
        if active != 0xffff {
            return if active == 0 { Pattern::Idle } else { Pattern::Scatter };
        }
        pattern64(addresses, half, bytes)
    };
    Halves { firsts: [addresses[0], addresses[16]], patterns: [pattern(0), pattern(1)] }
}

/// The same of a whole warp, from the row of its addresses and without computing them; `None` if a half is scattered.
///
/// Most accesses of most kernels are of this kind, so that they are not to pay for the others.
#[inline(always)]
pub(crate) fn regular(ctx: &Ctx<'_>, op: &Op, bytes: u64) -> Option<Halves> {
    if ctx.mask != u32::MAX {
        return None;
    }
    let row = untagged(op.a) as usize;
    let halves = if op.a & TAG64 != 0 {
        let base = &ctx.r64[row].0;
        let firsts = [base[0].wrapping_add(op.imm), base[16].wrapping_add(op.imm)];
        Halves { firsts, patterns: [pattern64(base, 0, bytes), pattern64(base, 1, bytes)] }
    } else {
        let base = &ctx.r32[row].0;
        let first = |lane: usize| u64::from(base[lane].wrapping_add(op.imm as u32));
        Halves { firsts: [first(0), first(16)], patterns: [pattern32(base, 0, bytes), pattern32(base, 1, bytes)] }
    };
    (!halves.patterns.contains(&Pattern::Scatter)).then_some(halves)
}

macro_rules! pattern {
    ($name:ident, $word:ident, $steps:ident) => {
        /// The pattern of a half in which all lanes are active.
        #[inline(always)]
        fn $name(addresses: &[$word; 32], half: usize, bytes: u64) -> Pattern {
            let base = addresses[16 * half];
            // The second lane says which pattern the others can still confirm.
            let step = addresses[16 * half + 1].wrapping_sub(base);
            let (steps, pattern) = match step {
                0 => (&[0; 16], Pattern::Uniform),
                step if step == bytes as $word => (&$steps[bytes.trailing_zeros() as usize % 6], Pattern::Unit),
                _ => return Pattern::Scatter,
            };
            let mut differs = 0;
            for lane in 0..16 {
                differs |= addresses[16 * half + lane].wrapping_sub(base) ^ steps[lane];
            }
            if differs == 0 { pattern } else { Pattern::Scatter }
        }
    };
}

pattern!(pattern64, u64, STEPS);
pattern!(pattern32, u32, STEPS32);

/// A state space as an access sees it.
pub(crate) trait Space {
    /// Whether two lanes may name the same byte by different means, so that patterns say nothing.
    fn private(address: u64) -> bool;
    /// Whether other host threads may access the same bytes.
    const GLOBAL: bool;
    /// The host address of `bytes` bytes, if the space has them.
    fn resolve(ctx: &mut Ctx<'_>, op: &Op, address: u64, bytes: u64, lane: usize) -> Option<*mut u8>;
    /// Counts what the access costs. The addresses are read only where a half is scattered.
    fn count(ctx: &mut Ctx<'_>, op: &Op, halves: Halves, addresses: &[u64; 32], bytes: u64);
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
    fn resolve(ctx: &mut Ctx<'_>, op: &Op, address: u64, bytes: u64, _: usize) -> Option<*mut u8> {
        let cached = ctx.caches[op.id as usize].host(address, bytes);
        if cached.is_some() { cached } else { resolve_anew(ctx, op, address, bytes) }
    }
    #[inline(always)]
    fn count(ctx: &mut Ctx<'_>, op: &Op, halves: Halves, addresses: &[u64; 32], bytes: u64) {
        let sectors = sectors(halves, addresses, ctx.mask, bytes);
        let traffic = &mut ctx.traffic[op.id as usize];
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
fn resolve_anew(ctx: &mut Ctx<'_>, op: &Op, address: u64, bytes: u64) -> Option<*mut u8> {
    let Some(region): Option<&Region> = ctx.regions.find(address) else {
        // Not remembered: whether a chunk of the heap may be accessed changes while the kernel runs.
        return ctx.system.host(address, bytes);
    };
    ctx.caches[op.id as usize] = *region;
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
        let wavefronts = wavefronts(halves, addresses, ctx.mask, bytes);
        let traffic = &mut ctx.traffic[op.id as usize];
        traffic.shared_requests += 1;
        traffic.shared_wavefronts += u64::from(wavefronts);
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

/// The offset of a generic address in a window.
#[inline(always)]
pub(crate) fn in_window(address: u64, window: u64) -> Option<u64> {
    let offset = address.wrapping_sub(window);
    (offset < WINDOW_BYTES).then_some(offset)
}

impl Space for Generic {
    const GLOBAL: bool = true;
    #[inline(always)]
    fn private(address: u64) -> bool {
        in_window(address, LOCAL_WINDOW).is_some()
    }
    #[inline(always)]
    fn resolve(ctx: &mut Ctx<'_>, op: &Op, address: u64, bytes: u64, lane: usize) -> Option<*mut u8> {
        let cached = ctx.caches[op.id as usize].host(address, bytes);
        if cached.is_some() {
            cached
        } else if let Some(offset) = in_window(address, SHARED_WINDOW) {
            Shared::resolve(ctx, op, offset, bytes, lane)
        } else if let Some(offset) = in_window(address, LOCAL_WINDOW) {
            Local::resolve(ctx, op, offset, bytes, lane)
        } else {
            resolve_anew(ctx, op, address, bytes)
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
    ctx.fault = Some(RawFault { kind, address, bytes: bytes as u32, lane: lane as u32, id: op.id });
    false
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
