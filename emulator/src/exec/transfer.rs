//! Loads and stores (PTX ISA, "Data Movement and Conversion Instructions": `ld`, `st`).
//!
//! `op.a` is the tagged address row, `op.imm` the offset. The registers moved are `op.e` entries of the operand lists from
//! `op.d` on: one for a scalar, two or four for a vector; [`NONE`] is an element that nobody wants. `op.c` is nonzero for
//! accesses that order others (acquire, release, volatile).

use std::marker::PhantomData;
use std::sync::atomic::{Ordering, fence};

use super::access::{Pattern, Space, addresses, lane_access, pattern};
use super::rows::{Bits, lanes};
use super::{Ctx, Execute, NONE, Op};
use crate::memory::Word;

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

/// `ld`: space, type in memory, word of the register.
pub(crate) struct Load<S, T, D>(PhantomData<(S, T, D)>);
/// `st`.
pub(crate) struct Store<S, T, D>(PhantomData<(S, T, D)>);

impl<S: Space, T: Stored, D: Bits> Execute for Load<S, T, D> {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let size = size_of::<T::Word>();
        let bytes = (size * op.e as usize) as u64;
        let addresses = addresses(ctx, op);
        let patterns = [pattern(&addresses, ctx.mask, 0, bytes), pattern(&addresses, ctx.mask, 1, bytes)];
        S::count(ctx, op, &addresses, patterns, bytes);
        let solo = ctx.solo || !S::GLOBAL;
        for half in 0..2 {
            let first = addresses[16 * half];
            let length = match patterns[half] {
                Pattern::Idle => continue,
                Pattern::Unit => 16 * bytes,
                Pattern::Uniform => bytes,
                Pattern::Scatter => 0,
            };
            let aligned = first & (bytes - 1) == 0 && length != 0 && !S::private(first);
            if let Some(host) = aligned.then(|| S::resolve(ctx, op, first, length, 0)).flatten() {
                for element in 0..op.e as usize {
                    let row = ctx.lists[op.d as usize + element];
                    if row == NONE {
                        continue;
                    }
                    let row = D::row_mut(ctx, row);
                    let at = host.wrapping_add(element * size);
                    if patterns[half] == Pattern::Uniform {
                        // SAFETY: `resolve` promised `length` bytes at `host`; the address is aligned.
                        let value = T::extend(unsafe { T::Word::peek(at, solo) });
                        row[16 * half..16 * half + 16].fill(value);
                    } else {
                        for lane in 0..16 {
                            // SAFETY: as above.
                            let word = unsafe { T::Word::peek(at.wrapping_add(lane * bytes as usize), solo) };
                            row[16 * half + lane] = T::extend(word);
                        }
                    }
                }
            } else if !load_lanes::<S, T, D>(ctx, op, &addresses, ctx.mask & 0xffff << (16 * half), solo) {
                return false;
            }
        }
        if op.c != 0 && !ctx.solo {
            fence(Ordering::SeqCst);
        }
        true
    }
}

#[inline(always)]
fn load_lanes<S: Space, T: Stored, D: Bits>(
    ctx: &mut Ctx<'_>,
    op: &Op,
    addresses: &[u64; 32],
    mask: u32,
    solo: bool,
) -> bool {
    let size = size_of::<T::Word>();
    let bytes = (size * op.e as usize) as u64;
    for lane in lanes(mask) {
        let Some(host) = lane_access::<S>(ctx, op, addresses[lane], bytes, lane) else { return false };
        for element in 0..op.e as usize {
            let row = ctx.lists[op.d as usize + element];
            // SAFETY: `lane_access` promised `bytes` aligned bytes at `host`.
            let word = unsafe { T::Word::peek(host.wrapping_add(element * size), solo) };
            if row != NONE {
                D::row_mut(ctx, row)[lane] = T::extend(word);
            }
        }
    }
    true
}

impl<S: Space, T: Stored, D: Bits> Execute for Store<S, T, D> {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let size = size_of::<T::Word>();
        let bytes = (size * op.e as usize) as u64;
        let addresses = addresses(ctx, op);
        let patterns = [pattern(&addresses, ctx.mask, 0, bytes), pattern(&addresses, ctx.mask, 1, bytes)];
        S::count(ctx, op, &addresses, patterns, bytes);
        let solo = ctx.solo || !S::GLOBAL;
        if op.c != 0 && !ctx.solo {
            fence(Ordering::SeqCst);
        }
        for half in 0..2 {
            let first = addresses[16 * half];
            let whole = patterns[half] == Pattern::Unit && first & (bytes - 1) == 0 && !ctx.watch && !S::private(first);
            if let Some(host) = whole.then(|| S::resolve(ctx, op, first, 16 * bytes, 0)).flatten() {
                ctx.wrote = true;
                for element in 0..op.e as usize {
                    let row = D::row(ctx, ctx.lists[op.d as usize + element]);
                    let at = host.wrapping_add(element * size);
                    for lane in 0..16 {
                        let word = T::cut(row[16 * half + lane]);
                        // SAFETY: `resolve` promised 16 times `bytes` bytes at `host`; the address is aligned.
                        unsafe { T::Word::poke(at.wrapping_add(lane * bytes as usize), word, solo) };
                    }
                }
            } else if !store_lanes::<S, T, D>(ctx, op, &addresses, ctx.mask & 0xffff << (16 * half), solo) {
                return false;
            }
        }
        true
    }
}

#[inline(always)]
fn store_lanes<S: Space, T: Stored, D: Bits>(
    ctx: &mut Ctx<'_>,
    op: &Op,
    addresses: &[u64; 32],
    mask: u32,
    solo: bool,
) -> bool {
    let size = size_of::<T::Word>();
    let bytes = (size * op.e as usize) as u64;
    for lane in lanes(mask) {
        let Some(host) = lane_access::<S>(ctx, op, addresses[lane], bytes, lane) else { return false };
        for element in 0..op.e as usize {
            let word = T::cut(D::row(ctx, ctx.lists[op.d as usize + element])[lane]);
            let at = host.wrapping_add(element * size);
            // SAFETY: `lane_access` promised `bytes` aligned bytes at `host`.
            ctx.wrote |= !ctx.watch || unsafe { T::Word::peek(at, solo) } != word;
            // SAFETY: as above.
            unsafe { T::Word::poke(at, word, solo) };
        }
    }
    true
}
