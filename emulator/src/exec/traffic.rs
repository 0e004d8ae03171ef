//! The cost of an access: sectors of global memory, passes of the banks of shared memory.
//!
//! Where both halves of a warp have a pattern, the answer is arithmetic on two ranges; only scattered lanes are counted one by one.

use super::address_cache::{Passes, Pattern};
use super::address_pattern::Halves;
use super::lanes::lanes;

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

/// Returns how many different values `address >> shift` has over the active lanes.
pub(crate) fn distinct(addresses: &[u64; 32], mask: u32, shift: u32) -> u32 {
    // Open addressing in twice as many slots as there can be values; a bit per slot says whether it is taken, so that the
    // slots need no clearing.
    let mut slots = [0u64; 64];
    let mut taken = 0u64;
    for lane in lanes(mask) {
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

/// The passes over the 32 banks of shared memory, of 4 bytes each, that an access of `bytes` bytes per lane takes.
///
/// The CUDA C++ Programming Guide says of accesses of 64 bits per lane that the half warps go one after the other, and of 128 bits that the quarters
/// do ("Shared Memory"). That words in different banks take one pass however wide the access is, is an assumption.
#[inline(always)]
pub(crate) fn passes(halves: Halves, addresses: &[u64; 32], mask: u32, bytes: u64) -> Passes {
    if halves.patterns.contains(&Pattern::Scatter) {
        return scattered_passes(addresses, mask, bytes);
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
    let one_pass = if a <= d && c <= b {
        b.max(d).wrapping_sub(a.min(c)) <= 32
    } else {
        // Two ranges of at most one word per bank each conflict where they meet in a bank.
        first <= 32 && second <= 32 && c.wrapping_sub(a) % 32 >= first && a.wrapping_sub(c) % 32 >= second
    };
    if one_pass {
        return Passes { taken: 1, conflicts: 0 };
    }
    if bytes <= 4 {
        // A half is one word or up to sixteen neighbours, so that no bank is asked for more than two.
        return Passes { taken: 2, conflicts: 1 };
    }
    // Lanes of one part are neighbours or ask for the same, so that they do not conflict.
    let active = halves.patterns.iter().filter(|pattern| **pattern != Pattern::Idle).count() as u16;
    Passes { taken: active * (bytes / 8) as u16, conflicts: 0 }
}

/// The same of any addresses.
fn scattered_passes(addresses: &[u64; 32], mask: u32, bytes: u64) -> Passes {
    let most = busiest_bank(addresses, mask, bytes);
    if most == 1 || bytes <= 4 {
        return Passes { taken: most, conflicts: most - 1 };
    }
    let lanes = (128 / bytes).max(1) as u32;
    let parts = (0..32 / lanes).map(|part| mask & (u32::MAX >> (32 - lanes)) << (part * lanes));
    let busiest = parts.filter(|part| *part != 0).map(|part| busiest_bank(addresses, part, bytes));
    busiest.fold(Passes::NONE, |sum, most| Passes { taken: sum.taken + most, conflicts: sum.conflicts + most - 1 })
}

/// The most different words in one bank, of any addresses.
fn busiest_bank(addresses: &[u64; 32], mask: u32, bytes: u64) -> u16 {
    let words = bytes.div_ceil(4).max(1);
    // Per bank a chain of the words seen in it; 32 lanes of up to four words.
    let mut head = [0u8; 32];
    let mut chain = [(0u64, 0u8); 129];
    let (mut used, mut depth, mut most) = (0u8, [0u8; 32], 1u8);
    for lane in lanes(mask) {
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
    u16::from(most)
}
