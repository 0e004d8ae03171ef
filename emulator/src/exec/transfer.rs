//! Loads and stores (PTX ISA, "Data Movement and Conversion Instructions": `ld`, `st`).
//!
//! `op.a` is the tagged address row, `op.imm` the offset. Of a scalar (`ONE`) `op.d` is the row that is moved; of a vector of `op.e`
//! elements the rows are in the operand lists from `op.d` on. [`NONE`] is an element that nobody wants. `op.c` is nonzero for
//! accesses that order others (acquire, release, volatile). `op.b` is the slot that the access shares with others (see `address_pattern.rs`).

use std::marker::PhantomData;
use std::sync::atomic::{Ordering, fence};

use super::access::{Space, lane_access};
use super::address_cache::Pattern;
use super::address_pattern::{Halves, addresses, halves, regular};
use super::lanes::lanes;
use super::op::{Ctx, Execute, NONE, Op};
use super::rows::Bits;
use crate::memory::raw_access::{Word, copy_shared};

/// A type in memory, as a load or store names it.
pub(crate) trait Stored {
    type Word: Word;
    /// As the register gets it: extended by the sign or by zeros.
    fn extend<D: Bits>(word: Self::Word) -> D;
    /// The low bytes of a register.
    fn cut<D: Bits>(bits: D) -> Self::Word;
}

macro_rules! stored {
    ($($ty:ident, $word:ident;)*) => { $(
        impl Stored for $ty {
            type Word = $word;
            #[inline(always)]
            fn extend<D: Bits>(word: $word) -> D { D::narrow(word as $ty as i64 as u64) }
            #[inline(always)]
            fn cut<D: Bits>(bits: D) -> $word { bits.widen() as $word }
        }
    )* };
}

stored! {
    u8, u8;
    i8, u8;
    u16, u16;
    i16, u16;
    u32, u32;
    i32, u32;
    u64, u64;
}

/// `ld`: space, type in memory, word of the register, whether it is a scalar.
pub(crate) struct Load<S, T, D, const ONE: bool>(PhantomData<(S, T, D)>);
/// `st`.
pub(crate) struct Store<S, T, D, const ONE: bool>(PhantomData<(S, T, D)>);

/// Returns how many elements a lane moves.
#[inline(always)]
fn elements<const ONE: bool>(op: &Op) -> usize {
    if ONE { 1 } else { op.e as usize }
}

/// Returns how many bytes a lane moves.
#[inline(always)]
fn bytes<T: Stored, const ONE: bool>(op: &Op) -> u64 {
    (size_of::<T::Word>() * elements::<ONE>(op)) as u64
}

/// The row of an element.
#[inline(always)]
fn row<const ONE: bool>(ctx: &Ctx<'_>, op: &Op, element: usize) -> u32 {
    if ONE { op.d } else { ctx.tables.lists[op.d as usize + element] }
}

impl<S: Space, T: Stored, D: Bits, const ONE: bool> Execute for Load<S, T, D, ONE> {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let bytes = bytes::<T, ONE>(op);
        let done = match regular(ctx, op, bytes) {
            Some(halves) => load::<S, T, D, ONE>(ctx, op, halves, None),
            None => {
                let addresses = addresses(ctx, op);
                load::<S, T, D, ONE>(ctx, op, halves(&addresses, ctx.mask, bytes), Some(&addresses))
            }
        };
        if op.c != 0 && !ctx.solo {
            fence(Ordering::SeqCst);
        }
        done
    }
}

/// Loads by halves where they have a pattern, else by lanes.
#[inline(always)]
fn load<S: Space, T: Stored, D: Bits, const ONE: bool>(
    ctx: &mut Ctx<'_>,
    op: &Op,
    halves: Halves,
    addresses: Addresses<'_>,
) -> bool {
    let bytes = bytes::<T, ONE>(op);
    match addresses {
        Some(addresses) => S::count(ctx, op, halves, addresses, bytes),
        None => S::count_regular(ctx, op, halves, bytes),
    }
    for half in 0..2 {
        let first = halves.firsts[half];
        if halves.patterns[half] == Pattern::Idle {
            continue;
        }
        let length = halves.length(half, bytes);
        let aligned = first & (bytes - 1) == 0 && length != 0 && !S::private(first);
        if let Some(host) = aligned.then(|| S::resolve(ctx, op, first, length, 0)).flatten() {
            load_half::<S, T, D, ONE>(ctx, op, host, half, halves.patterns[half]);
        } else {
            let mask = ctx.mask & 0xffff << (16 * half);
            let done = match addresses {
                Some(addresses) if ONE => load_lanes::<S, T, D>(ctx, op, addresses, mask),
                Some(addresses) => load_vectors::<S, T, D, ONE>(ctx, op, addresses, mask),
                None => load_irregular::<S, T, D, ONE>(ctx, op, mask),
            };
            if !done {
                return false;
            }
        }
    }
    true
}

/// A half with a pattern that is not all in one place, or not aligned.
#[cold]
fn load_irregular<S: Space, T: Stored, D: Bits, const ONE: bool>(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> bool {
    load_vectors::<S, T, D, ONE>(ctx, op, &addresses(ctx, op), mask)
}

/// The addresses of all lanes, where they had to be computed.
type Addresses<'a> = Option<&'a [u64; 32]>;

/// Sixteen lanes from consecutive addresses or from one address. The caller has resolved all of it at `host`.
#[inline(always)]
fn load_half<S: Space, T: Stored, D: Bits, const ONE: bool>(
    ctx: &mut Ctx<'_>,
    op: &Op,
    host: *mut u8,
    half: usize,
    pattern: Pattern,
) {
    let size = size_of::<T::Word>();
    let bytes = size * elements::<ONE>(op);
    let solo = ctx.solo || !S::GLOBAL;
    for element in 0..elements::<ONE>(op) {
        let row = row::<ONE>(ctx, op, element);
        if row == NONE {
            continue;
        }
        let row = &mut D::row_mut(ctx, row)[16 * half..16 * half + 16];
        let at = host.wrapping_add(element * size);
        if pattern == Pattern::Uniform {
            // SAFETY: the caller has resolved the element; the address is aligned.
            row.fill(T::extend(unsafe { T::Word::peek(at, solo) }));
        } else if bytes == size {
            // SAFETY: the caller has resolved sixteen elements, which the row has room for where its words are as wide.
            if !solo && size == size_of::<D>() && unsafe { copy_shared(at, row.as_mut_ptr().cast(), 16 * size) } {
                continue;
            }
            let extend = |words: &[T::Word; 16]| {
                row.iter_mut().zip(words).for_each(|(value, word)| *value = T::extend(*word));
            };
            // SAFETY: the caller has resolved sixteen elements; the address is aligned.
            unsafe { T::Word::peek_all(at, solo, extend) };
        } else {
            for (lane, value) in row.iter_mut().enumerate() {
                // SAFETY: the caller has resolved sixteen times `bytes` bytes; the address is aligned.
                *value = T::extend(unsafe { T::Word::peek(at.wrapping_add(lane * bytes), solo) });
            }
        }
    }
}

/// Lanes with addresses of their own.
#[inline(always)]
fn load_lanes<S: Space, T: Stored, D: Bits>(ctx: &mut Ctx<'_>, op: &Op, addresses: &[u64; 32], mask: u32) -> bool {
    let solo = ctx.solo || !S::GLOBAL;
    for lane in lanes(mask) {
        let bytes = size_of::<T::Word>() as u64;
        let Some(host) = lane_access::<S>(ctx, op, addresses[lane], bytes, lane) else { return false };
        // SAFETY: `lane_access` promised `bytes` aligned bytes at `host`.
        let word = unsafe { T::Word::peek(host, solo) };
        if op.d != NONE {
            D::row_mut(ctx, op.d)[lane] = T::extend(word);
        }
    }
    true
}

/// Lanes with addresses of their own, several elements each.
#[inline(always)]
fn load_vectors<S: Space, T: Stored, D: Bits, const ONE: bool>(
    ctx: &mut Ctx<'_>,
    op: &Op,
    addresses: &[u64; 32],
    mask: u32,
) -> bool {
    let size = size_of::<T::Word>();
    let solo = ctx.solo || !S::GLOBAL;
    for lane in lanes(mask) {
        let bytes = bytes::<T, ONE>(op);
        let Some(host) = lane_access::<S>(ctx, op, addresses[lane], bytes, lane) else { return false };
        for element in 0..elements::<ONE>(op) {
            let row = row::<ONE>(ctx, op, element);
            // SAFETY: `lane_access` promised `bytes` aligned bytes at `host`.
            let word = unsafe { T::Word::peek(host.wrapping_add(element * size), solo) };
            if row != NONE {
                D::row_mut(ctx, row)[lane] = T::extend(word);
            }
        }
    }
    true
}

impl<S: Space, T: Stored, D: Bits, const ONE: bool> Execute for Store<S, T, D, ONE> {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let bytes = bytes::<T, ONE>(op);
        if op.c != 0 && !ctx.solo {
            fence(Ordering::SeqCst);
        }
        match regular(ctx, op, bytes) {
            Some(halves) => store::<S, T, D, ONE>(ctx, op, halves, None),
            None => {
                let addresses = addresses(ctx, op);
                store::<S, T, D, ONE>(ctx, op, halves(&addresses, ctx.mask, bytes), Some(&addresses))
            }
        }
    }
}

/// Stores by halves where they have a pattern, else by lanes.
#[inline(always)]
fn store<S: Space, T: Stored, D: Bits, const ONE: bool>(
    ctx: &mut Ctx<'_>,
    op: &Op,
    halves: Halves,
    addresses: Addresses<'_>,
) -> bool {
    let bytes = bytes::<T, ONE>(op);
    match addresses {
        Some(addresses) => S::count(ctx, op, halves, addresses, bytes),
        None => S::count_regular(ctx, op, halves, bytes),
    }
    for half in 0..2 {
        let first = halves.firsts[half];
        let unit = halves.patterns[half] == Pattern::Unit;
        let whole = unit && first & (bytes - 1) == 0 && !ctx.watch && !S::private(first);
        if let Some(host) = whole.then(|| S::resolve(ctx, op, first, 16 * bytes, 0)).flatten() {
            ctx.wrote = true;
            store_half::<S, T, D, ONE>(ctx, op, host, half);
        } else {
            let mask = ctx.mask & 0xffff << (16 * half);
            let done = match addresses {
                Some(addresses) => store_lanes::<S, T, D, ONE>(ctx, op, addresses, mask),
                None => store_irregular::<S, T, D, ONE>(ctx, op, mask),
            };
            if !done {
                return false;
            }
        }
    }
    true
}

/// As [`load_irregular`], and all lanes to one address.
#[cold]
fn store_irregular<S: Space, T: Stored, D: Bits, const ONE: bool>(ctx: &mut Ctx<'_>, op: &Op, mask: u32) -> bool {
    store_lanes::<S, T, D, ONE>(ctx, op, &addresses(ctx, op), mask)
}

/// Sixteen lanes to consecutive addresses. The caller has resolved all of it at `host`.
#[inline(always)]
fn store_half<S: Space, T: Stored, D: Bits, const ONE: bool>(ctx: &Ctx<'_>, op: &Op, host: *mut u8, half: usize) {
    let size = size_of::<T::Word>();
    let bytes = size * elements::<ONE>(op);
    let solo = ctx.solo || !S::GLOBAL;
    for element in 0..elements::<ONE>(op) {
        let row = &D::row(ctx, row::<ONE>(ctx, op, element))[16 * half..16 * half + 16];
        let at = host.wrapping_add(element * size);
        if bytes == size {
            let words = std::array::from_fn(|lane| T::cut(row[lane]));
            // SAFETY: the caller has resolved sixteen elements; the address is aligned.
            unsafe { T::Word::poke_all(at, &words, solo) };
        } else {
            for (lane, value) in row.iter().enumerate() {
                // SAFETY: the caller has resolved sixteen times `bytes` bytes; the address is aligned.
                unsafe { T::Word::poke(at.wrapping_add(lane * bytes), T::cut(*value), solo) };
            }
        }
    }
}

/// Lanes with addresses of their own.
#[inline(always)]
fn store_lanes<S: Space, T: Stored, D: Bits, const ONE: bool>(
    ctx: &mut Ctx<'_>,
    op: &Op,
    addresses: &[u64; 32],
    mask: u32,
) -> bool {
    let size = size_of::<T::Word>();
    let solo = ctx.solo || !S::GLOBAL;
    for lane in lanes(mask) {
        let bytes = bytes::<T, ONE>(op);
        let Some(host) = lane_access::<S>(ctx, op, addresses[lane], bytes, lane) else { return false };
        for element in 0..elements::<ONE>(op) {
            let word = T::cut(D::row(ctx, row::<ONE>(ctx, op, element))[lane]);
            let at = host.wrapping_add(element * size);
            // SAFETY: `lane_access` promised `bytes` aligned bytes at `host`.
            ctx.wrote |= !S::private(addresses[lane]) && (!ctx.watch || unsafe { T::Word::peek(at, solo) } != word);
            // SAFETY: as above.
            unsafe { T::Word::poke(at, word, solo) };
        }
    }
    true
}
