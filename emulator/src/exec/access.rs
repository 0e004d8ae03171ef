//! Where an access goes: address rows, their patterns, state spaces, and the traffic they cause.
//!
//! Most accesses of real kernels are, per half warp, either consecutive or all to one address. Those are tested first
//! and resolved once per half; only what is left is resolved lane by lane.

use super::scalar::{TAG64, untagged};
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

/// The distinct 32-byte sectors that a warp's access touches.
#[inline(always)]
pub(crate) fn sectors(halves: Halves, addresses: &[u64; 32], mask: u32, bytes: u64) -> u32 {
    let Halves { firsts, patterns } = halves;
    if patterns.contains(&Pattern::Scatter) {
        return distinct(addresses, mask, 5);
    }
    let range = |half: usize| {
        let first = firsts[half];
        let length = match patterns[half] {
            Pattern::Unit => 16 * bytes,
            Pattern::Uniform => bytes,
            _ => 0,
        };
        (first >> 5, first.wrapping_add(length).wrapping_add(31) >> 5)
    };
    match (patterns[0], patterns[1]) {
        (Pattern::Idle, Pattern::Idle) => 0,
        (_, Pattern::Idle) => range(0).1.wrapping_sub(range(0).0) as u32,
        (Pattern::Idle, _) => range(1).1.wrapping_sub(range(1).0) as u32,
        _ => {
            let ((a, b), (c, d)) = (range(0), range(1));
            let shared = b.min(d).saturating_sub(a.max(c));
            b.wrapping_sub(a).wrapping_add(d.wrapping_sub(c)).wrapping_sub(shared) as u32
        }
    }
}

/// How many different values `address >> shift` has over the active lanes.
pub(crate) fn distinct(addresses: &[u64; 32], mask: u32, shift: u32) -> u32 {
    // Open addressing in twice as many slots as there can be values; a bit per slot says whether it is taken, so that the
    // slots need no clearing.
    let mut slots = [0u64; 64];
    let mut taken = 0u64;
    for lane in super::rows::lanes(mask) {
        let key = addresses[lane] >> shift;
        let mut slot = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize;
        while taken >> slot & 1 != 0 && slots[slot] != key {
            slot = (slot + 1) % 64;
        }
        taken |= 1 << slot;
        slots[slot] = key;
    }
    taken.count_ones()
}

/// How often the shared memory must be asked for a warp's access: the most different 4-byte words in one of its 32 banks.
#[inline(always)]
pub(crate) fn wavefronts(halves: Halves, addresses: &[u64; 32], mask: u32, bytes: u64) -> u32 {
    let Halves { firsts, patterns } = halves;
    // The words of a half warp as a range, where its pattern makes them one.
    let range = |half: usize| {
        let first = firsts[half];
        let length = match patterns[half] {
            Pattern::Unit => 16 * bytes,
            Pattern::Uniform => bytes,
            _ => 0,
        };
        (first >> 2, first.wrapping_add(length).wrapping_add(3) >> 2)
    };
    if patterns.contains(&Pattern::Scatter) {
        return busiest_bank(addresses, mask, bytes);
    }
    let ((a, b), (c, d)) = match patterns {
        [_, Pattern::Idle] => (range(0), range(0)),
        [Pattern::Idle, _] => (range(1), range(1)),
        _ => (range(0), range(1)),
    };
    // Addresses near the end of the address space wrap around. Such an access is a fault, but it is counted first.
    let (first, second) = (b.wrapping_sub(a), d.wrapping_sub(c));
    if a <= d && c <= b {
        return b.max(d).wrapping_sub(a.min(c)).div_ceil(32) as u32;
    }
    if first > 32 || second > 32 {
        return busiest_bank(addresses, mask, bytes);
    }
    // Two ranges of at most one word per bank each: they conflict where they meet in a bank.
    let meet = c.wrapping_sub(a) % 32 < first || a.wrapping_sub(c) % 32 < second;
    1 + u32::from(meet)
}

/// The most different words in one bank, of any addresses.
fn busiest_bank(addresses: &[u64; 32], mask: u32, bytes: u64) -> u32 {
    let words = bytes.div_ceil(4).max(1);
    // Per bank a chain of the words seen in it; 32 lanes of up to four words.
    let mut head = [0u8; 32];
    let mut chain = [(0u64, 0u8); 129];
    let (mut used, mut depth, mut most) = (0u8, [0u8; 32], 1u8);
    for lane in super::rows::lanes(mask) {
        for word in (0..words.min(4)).map(|word| (addresses[lane] >> 2).wrapping_add(word)) {
            let bank = (word % 32) as usize;
            let mut link = head[bank];
            while link != 0 && chain[link as usize].0 != word {
                link = chain[link as usize].1;
            }
            if link == 0 {
                used += 1;
                chain[used as usize] = (word, head[bank]);
                head[bank] = used;
                depth[bank] += 1;
                most = most.max(depth[bank]);
            }
        }
    }
    u32::from(most)
}
