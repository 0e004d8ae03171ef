//! What an access costs: sectors of global memory, turns of the banks of shared memory.
//!
//! Where both halves of a warp have a pattern, the answer is arithmetic on two ranges; only scattered lanes are counted one by one.

use super::access::Space;
use super::pattern::{Halves, Pattern, halves};
use super::{Ctx, Op};

/// The distinct 32-byte sectors that a warp's access touches.
#[inline(always)]
pub(crate) fn sectors(halves: Halves, addresses: &[u64; 32], mask: u32, bytes: u64) -> u32 {
    if halves.patterns.contains(&Pattern::Scatter) {
        return distinct(addresses, mask, 5);
    }
    let range = |half: usize| halves.range(half, bytes, 5);
    match (halves.patterns[0], halves.patterns[1]) {
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

/// Counts an atomic of `bytes` bytes per lane: its traffic, and how many of its lanes must wait for another one at their address.
#[inline(always)]
pub(crate) fn count_atomic<S: Space>(ctx: &mut Ctx<'_>, op: &Op, addresses: &[u64; 32], bytes: u64) {
    S::count(ctx, op, halves(addresses, ctx.mask, bytes), addresses, bytes);
    let lanes = ctx.mask.count_ones();
    let traffic = &mut ctx.traffic[op.id as usize];
    traffic.atomics += u64::from(lanes);
    traffic.atomics_serialised += u64::from(lanes - distinct(addresses, ctx.mask, 0));
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
    if halves.patterns.contains(&Pattern::Scatter) {
        return busiest_bank(addresses, mask, bytes);
    }
    // The words of a half warp as a range.
    let range = |half: usize| halves.range(half, bytes, 2);
    let ((a, b), (c, d)) = match halves.patterns {
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
