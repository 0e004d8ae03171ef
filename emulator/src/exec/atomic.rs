//! Atomics and reductions (PTX ISA, `atom`, `red`).
//!
//! Lanes take their turn in lane order. Other host threads see each as one step; see [`Word::modify`].

use std::marker::PhantomData;

use cranelift_entity::EntityRef;

use super::access::{Space, lane_access};
use super::address_pattern::{addresses, halves};
use super::float::{Float, maximum, minimum};
use super::lanes::lanes;
use super::op::{Ctx, Execute, NONE, Op};
use super::rows::{Bits, Value};
use super::traffic::distinct;
use crate::memory::raw_access::Word;

/// The update that an atomic makes to a value. Its inputs are the old value, the operand `b`, and for `cas` the operand
/// `c`.
pub(crate) trait Update {
    type T: Value;
    /// The new value in shared memory.
    fn update(old: Self::T, b: Self::T, c: Self::T) -> Self::T;
    /// The new value in global memory.
    #[inline(always)]
    fn update_global(old: Self::T, b: Self::T, c: Self::T) -> Self::T {
        Self::update(old, b, c)
    }
}

macro_rules! updates {
    ($($name:ident ($ty:ty) = |$old:ident, $b:ident, $c:ident| $e:expr;)*) => { $(
        pub(crate) struct $name;
        impl Update for $name {
            type T = $ty;
            #[inline(always)]
            fn update($old: $ty, $b: $ty, $c: $ty) -> $ty { $e }
        }
    )* };
}

updates! {
    Add32(u32) = |old, b, _c| old.wrapping_add(b);
    Add64(u64) = |old, b, _c| old.wrapping_add(b);
    AddF64(f64) = |old, b, _c| (old + b).canonical();
    MinU32(u32) = |old, b, _c| old.min(b);
    MinS32(i32) = |old, b, _c| old.min(b);
    MinU64(u64) = |old, b, _c| old.min(b);
    MinS64(i64) = |old, b, _c| old.min(b);
    MinF32(f32) = |old, b, _c| minimum(old, b);
    MinF64(f64) = |old, b, _c| minimum(old, b);
    MaxU32(u32) = |old, b, _c| old.max(b);
    MaxS32(i32) = |old, b, _c| old.max(b);
    MaxU64(u64) = |old, b, _c| old.max(b);
    MaxS64(i64) = |old, b, _c| old.max(b);
    MaxF32(f32) = |old, b, _c| maximum(old, b);
    MaxF64(f64) = |old, b, _c| maximum(old, b);
    Inc32(u32) = |old, b, _c| if old >= b { 0 } else { old + 1 };
    Dec32(u32) = |old, b, _c| if old == 0 || old > b { b } else { old - 1 };
    And32(u32) = |old, b, _c| old & b;
    And64(u64) = |old, b, _c| old & b;
    Or32(u32) = |old, b, _c| old | b;
    Or64(u64) = |old, b, _c| old | b;
    Xor32(u32) = |old, b, _c| old ^ b;
    Xor64(u64) = |old, b, _c| old ^ b;
    Exchange32(u32) = |_old, b, _c| b;
    Exchange64(u64) = |_old, b, _c| b;
    Cas32(u32) = |old, b, c| if old == b { c } else { old };
    Cas64(u64) = |old, b, c| if old == b { c } else { old };
}

/// The sum of singles in global memory, where subnormal operands and sums count as zero with their sign.
#[inline(always)]
pub(crate) fn add_global(old: f32, b: f32) -> f32 {
    (old.flush() + b.flush()).flush().canonical()
}

/// `add.f32`, which flushes subnormal values in global memory only.
pub(crate) struct AddF32;

impl Update for AddF32 {
    type T = f32;
    #[inline(always)]
    fn update(old: f32, b: f32, _: f32) -> f32 {
        (old + b).canonical()
    }
    #[inline(always)]
    fn update_global(old: f32, b: f32, _: f32) -> f32 {
        add_global(old, b)
    }
}

/// `atom` and `red`: `a` the tagged address row, `b` and `c` the operands, `d` the old value or [`NONE`].
pub(crate) struct Atomic<S, U>(PhantomData<(S, U)>);

impl<S: Space, U: Update> Execute for Atomic<S, U>
where
    <U::T as Value>::Bits: Word,
{
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let bytes = size_of::<<U::T as Value>::Bits>() as u64;
        let addresses = addresses(ctx, op);
        count_atomic::<S>(ctx, op, &addresses, bytes);
        let solo = ctx.solo || !S::GLOBAL;
        let third = if op.c == NONE { op.b } else { op.c };
        for lane in lanes(ctx.mask) {
            let Some(host) = lane_access::<S>(ctx, op, addresses[lane], bytes, lane) else { return false };
            let b = U::T::from_bits(<U::T as Value>::Bits::row(ctx, op.b)[lane]);
            let c = U::T::from_bits(<U::T as Value>::Bits::row(ctx, third)[lane]);
            let global = S::is_global(addresses[lane]);
            let mut new = <U::T as Value>::Bits::default();
            // SAFETY: `lane_access` promised `bytes` aligned bytes at `host`.
            let old = unsafe {
                <<U::T as Value>::Bits as Word>::modify(host, solo, |old| {
                    let old = U::T::from_bits(old);
                    new = if global { U::update_global(old, b, c) } else { U::update(old, b, c) }.to_bits();
                    new
                })
            };
            ctx.wrote |= old != new;
            if op.d != NONE {
                <U::T as Value>::Bits::row_mut(ctx, op.d)[lane] = old;
            }
        }
        true
    }
}

/// Counts an atomic of `bytes` bytes per lane: its traffic, and how many of its lanes must wait for another one at their address.
#[inline(always)]
pub(crate) fn count_atomic<S: Space>(ctx: &mut Ctx<'_>, op: &Op, addresses: &[u64; 32], bytes: u64) {
    S::count(ctx, op, halves(addresses, ctx.mask, bytes), addresses, bytes);
    let lanes = ctx.mask.count_ones();
    let traffic = &mut ctx.traffic[op.id.index()];
    traffic.atomics += u64::from(lanes);
    traffic.atomics_serialised += u64::from(lanes - distinct(addresses, ctx.mask, 0));
}
