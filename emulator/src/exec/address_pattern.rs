//! The addresses of a warp's lanes: address rows, and the patterns that they form.
//!
//! Most accesses of real kernels are, per half warp, either consecutive or all to one address. Those are tested first
//! and resolved once per half; only what is left is resolved lane by lane. Where a block of code accesses memory by one
//! row several times, the first access leaves what it found for the others in a slot ([`AddressFacts`]).

use super::address_cache::{AddressFacts, Passes, Pattern};
use super::op::{Ctx, FULL, NONE, Op};
use crate::program::registers::{TAG64, untagged};

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

/// The accesses of both halves of a warp.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Halves {
    /// The address of the first lane of each.
    pub(crate) firsts: [u64; 2],
    /// The pattern that the lanes of each half form.
    pub(crate) patterns: [Pattern; 2],
}

impl Halves {
    /// The bytes that a half accesses in one piece from its first address on; 0 where it has no pattern or no lane.
    #[inline(always)]
    pub(crate) fn length(&self, half: usize, bytes: u64) -> u64 {
        match self.patterns[half] {
            Pattern::Unit => 16 * bytes,
            Pattern::Uniform => bytes,
            Pattern::Idle | Pattern::Scatter => 0,
        }
    }

    /// The pieces of `1 << shift` bytes that a half touches, as a range. Near the end of the address space it may wrap around.
    #[inline(always)]
    pub(crate) fn range(&self, half: usize, bytes: u64, shift: u32) -> (u64, u64) {
        let first = self.firsts[half];
        let end = first.wrapping_add(self.length(half, bytes)).wrapping_add((1 << shift) - 1);
        (first >> shift, end >> shift)
    }
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

/// The role of an access that shares a slot: it reads the slot or fills it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Share {
    Takes,
    Gives,
}

/// [`Op::b`] of a load or store that shares a slot; [`NONE`] of one that does not.
pub(crate) fn link(slot: u32, share: Share) -> u32 {
    slot << 1 | u32::from(share == Share::Gives)
}

/// The slot that an access reads.
#[inline(always)]
fn taken(op: &Op) -> Option<usize> {
    (op.b != NONE && op.b & 1 == 0).then_some((op.b >> 1) as usize)
}

/// The slot that an access fills.
#[inline(always)]
fn given(op: &Op) -> Option<usize> {
    (op.b != NONE && op.b & 1 != 0).then_some((op.b >> 1) as usize)
}

/// The halves of a load or store by a whole warp, from the row of its addresses and without computing them; `None` if one is
/// scattered.
///
/// Most accesses of most kernels are of this kind, so that they are not to pay for the others.
#[inline(always)]
pub(crate) fn regular(ctx: &mut Ctx<'_>, op: &Op, bytes: u64) -> Option<Halves> {
    if ctx.mask != FULL {
        return None;
    }
    let (bases, patterns) = match taken(op) {
        Some(slot) => (ctx.known[slot].bases, ctx.known[slot].patterns),
        None => {
            let found = row_patterns(ctx, op, bytes);
            if let Some(slot) = given(op) {
                ctx.known[slot] = AddressFacts { bases: found.0, patterns: found.1, passes: Passes::NONE };
            }
            found
        }
    };
    if patterns.contains(&Pattern::Scatter) {
        return None;
    }
    let firsts = if op.a & TAG64 != 0 {
        bases.map(|base| base.wrapping_add(op.imm))
    } else {
        bases.map(|base| u64::from((base as u32).wrapping_add(op.imm as u32)))
    };
    Some(Halves { firsts, patterns })
}

/// Lanes 0 and 16 of an address row, and the patterns of its halves, all lanes being active.
#[inline(always)]
fn row_patterns(ctx: &Ctx<'_>, op: &Op, bytes: u64) -> ([u64; 2], [Pattern; 2]) {
    let row = untagged(op.a) as usize;
    if op.a & TAG64 != 0 {
        let base = &ctx.r64[row].0;
        ([base[0], base[16]], [pattern64(base, 0, bytes), pattern64(base, 1, bytes)])
    } else {
        let base = &ctx.r32[row].0;
        ([base[0], base[16]].map(u64::from), [pattern32(base, 0, bytes), pattern32(base, 1, bytes)])
    }
}

/// The passes of a [`regular`] access to shared memory: offsets of accesses that share a slot differ by whole words, so that
/// they meet in the banks as those of the first one do.
#[inline(always)]
pub(crate) fn regular_passes(ctx: &mut Ctx<'_>, op: &Op, count: impl FnOnce(u32) -> Passes) -> Passes {
    if let Some(slot) = taken(op) {
        return ctx.known[slot].passes;
    }
    let passes = count(ctx.mask);
    if let Some(slot) = given(op) {
        ctx.known[slot].passes = passes;
    }
    passes
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
