//! The loops that run a function over register rows.
//!
//! A warp has three files: rows of 32-bit values (16-bit registers live there too, zero-extended), rows of 64-bit values,
//! and predicates, which are one bit per lane of a `u32`. A function is always computed for all 32 lanes and then
//! written under the mask: with a full mask that is straight vector code, and every function is total, so that what
//! inactive lanes compute is harmless. What is slow per lane (division, libm) runs for active lanes only.

use std::marker::PhantomData;

use super::lanes::lanes;
use super::op::{Ctx, Execute, FULL, Op};

/// The machine word of a row.
pub(crate) trait Bits: Copy + Default + PartialEq {
    fn row<'c>(ctx: &'c Ctx<'_>, index: u32) -> &'c [Self; 32];
    fn row_mut<'c>(ctx: &'c mut Ctx<'_>, index: u32) -> &'c mut [Self; 32];
    fn widen(self) -> u64;
    fn narrow(bits: u64) -> Self;
    /// `self` where `chosen` is 1, `other` where it is 0.
    fn choose(self, other: Self, chosen: u32) -> Self;
}

impl Bits for u32 {
    #[inline(always)]
    fn row<'c>(ctx: &'c Ctx<'_>, index: u32) -> &'c [u32; 32] {
        &ctx.r32[index as usize].0
    }
    #[inline(always)]
    fn row_mut<'c>(ctx: &'c mut Ctx<'_>, index: u32) -> &'c mut [u32; 32] {
        &mut ctx.r32[index as usize].0
    }
    #[inline(always)]
    fn widen(self) -> u64 {
        u64::from(self)
    }
    #[inline(always)]
    fn narrow(bits: u64) -> u32 {
        bits as u32
    }
    #[inline(always)]
    fn choose(self, other: u32, chosen: u32) -> u32 {
        other ^ ((self ^ other) & chosen.wrapping_neg())
    }
}

impl Bits for u64 {
    #[inline(always)]
    fn row<'c>(ctx: &'c Ctx<'_>, index: u32) -> &'c [u64; 32] {
        &ctx.r64[index as usize].0
    }
    #[inline(always)]
    fn row_mut<'c>(ctx: &'c mut Ctx<'_>, index: u32) -> &'c mut [u64; 32] {
        &mut ctx.r64[index as usize].0
    }
    #[inline(always)]
    fn widen(self) -> u64 {
        self
    }
    #[inline(always)]
    fn narrow(bits: u64) -> u64 {
        bits
    }
    #[inline(always)]
    fn choose(self, other: u64, chosen: u32) -> u64 {
        other ^ ((self ^ other) & u64::from(chosen).wrapping_neg())
    }
}

/// A value that a lane computes with, and the word that its register holds.
pub(crate) trait Value: Copy {
    type Bits: Bits;
    fn from_bits(bits: Self::Bits) -> Self;
    fn to_bits(self) -> Self::Bits;
}

macro_rules! values {
    ($($ty:ty, $bits:ty, $from:expr, $to:expr;)*) => { $(
        impl Value for $ty {
            type Bits = $bits;
            #[inline(always)]
            fn from_bits(bits: $bits) -> $ty { let from: fn($bits) -> $ty = $from; from(bits) }
            #[inline(always)]
            fn to_bits(self) -> $bits { let to: fn($ty) -> $bits = $to; to(self) }
        }
    )* };
}

values! {
    u8, u32, |b| b as u8, u32::from;
    i8, u32, |b| b as i8, |v| v as u32;
    u16, u32, |b| b as u16, u32::from;
    i16, u32, |b| b as i16, |v| u32::from(v as u16);
    u32, u32, |b| b, |v| v;
    i32, u32, |b| b as i32, |v| v as u32;
    f32, u32, f32::from_bits, f32::to_bits;
    u64, u64, |b| b, |v| v;
    i64, u64, |b| b as i64, |v| v as u64;
    f64, u64, f64::from_bits, f64::to_bits;
}

/// Writes a computed row under the mask.
#[inline(always)]
pub(crate) fn write<B: Bits>(ctx: &mut Ctx<'_>, index: u32, values: &[B; 32]) {
    let mask = ctx.mask;
    let row = B::row_mut(ctx, index);
    if mask == FULL {
        *row = *values;
    } else {
        // All lanes are written, the inactive ones with what they hold: branches would keep this from being vector code.
        let mut blended = [B::default(); 32];
        for lane in 0..32 {
            blended[lane] = values[lane].choose(row[lane], mask >> lane & 1);
        }
        *row = blended;
    }
}

/// Writes a predicate under the mask.
#[inline(always)]
pub(crate) fn write_pred(ctx: &mut Ctx<'_>, index: u32, value: u32) {
    let mask = ctx.mask;
    let pred = &mut ctx.preds[index as usize];
    *pred = *pred & !mask | value & mask;
}

/// A function of one operand.
pub(crate) trait Fn1 {
    type D: Value;
    type A: Value;
    fn call(a: Self::A) -> Self::D;
}

/// A function of two operands.
pub(crate) trait Fn2 {
    type D: Value;
    type A: Value;
    type B: Value;
    fn call(a: Self::A, b: Self::B) -> Self::D;
}

/// A function of three operands.
pub(crate) trait Fn3 {
    type D: Value;
    type A: Value;
    type B: Value;
    type C: Value;
    fn call(a: Self::A, b: Self::B, c: Self::C) -> Self::D;
}

/// `d = f(a)` in all lanes.
pub(crate) struct Map1<F>(PhantomData<F>);
/// `d = f(a, b)` in all lanes.
pub(crate) struct Map2<F>(PhantomData<F>);
/// `d = f(a, b, c)` in all lanes.
pub(crate) struct Map3<F>(PhantomData<F>);
/// `d = f(a, b)`, computed for active lanes only, because `f` does not vectorise.
pub(crate) struct Each2<F>(PhantomData<F>);

impl<F: Fn1> Execute for Map1<F> {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let mut values = [<F::D as Value>::Bits::default(); 32];
        let a = <F::A as Value>::Bits::row(ctx, op.a);
        for lane in 0..32 {
            values[lane] = F::call(F::A::from_bits(a[lane])).to_bits();
        }
        write(ctx, op.d, &values);
        true
    }
}

impl<F: Fn2> Execute for Map2<F> {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let mut values = [<F::D as Value>::Bits::default(); 32];
        let a = <F::A as Value>::Bits::row(ctx, op.a);
        let b = <F::B as Value>::Bits::row(ctx, op.b);
        for lane in 0..32 {
            values[lane] = F::call(F::A::from_bits(a[lane]), F::B::from_bits(b[lane])).to_bits();
        }
        write(ctx, op.d, &values);
        true
    }
}

impl<F: Fn3> Execute for Map3<F> {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let mut values = [<F::D as Value>::Bits::default(); 32];
        let a = <F::A as Value>::Bits::row(ctx, op.a);
        let b = <F::B as Value>::Bits::row(ctx, op.b);
        let c = <F::C as Value>::Bits::row(ctx, op.c);
        for lane in 0..32 {
            let result = F::call(F::A::from_bits(a[lane]), F::B::from_bits(b[lane]), F::C::from_bits(c[lane]));
            values[lane] = result.to_bits();
        }
        write(ctx, op.d, &values);
        true
    }
}

impl<F: Fn2> Execute for Each2<F> {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        for lane in lanes(ctx.mask) {
            let a = F::A::from_bits(<F::A as Value>::Bits::row(ctx, op.a)[lane]);
            let b = F::B::from_bits(<F::B as Value>::Bits::row(ctx, op.b)[lane]);
            <F::D as Value>::Bits::row_mut(ctx, op.d)[lane] = F::call(a, b).to_bits();
        }
        true
    }
}

/// Declares functions of one operand: `Name<T: Trait> (A) -> D = |a| expression;`
macro_rules! fn1 {
    ($($(#[$doc:meta])* $name:ident $(<$t:ident: $bound:path>)? ($a:ty) -> $d:ty = |$x:ident| $e:expr;)*) => { $(
        $(#[$doc])*
        pub(crate) struct $name $(<$t>(std::marker::PhantomData<$t>))?;
        impl $(<$t: $bound>)? crate::exec::rows::Fn1 for $name $(<$t>)? {
            type D = $d;
            type A = $a;
            #[inline(always)]
            fn call($x: $a) -> $d { $e }
        }
    )* };
}
pub(crate) use fn1;

/// Declares functions of two operands.
macro_rules! fn2 {
    ($($(#[$doc:meta])* $name:ident $(<$t:ident: $bound:path>)? ($a:ty, $b:ty) -> $d:ty = |$x:ident, $y:ident| $e:expr;)*) => { $(
        $(#[$doc])*
        pub(crate) struct $name $(<$t>(std::marker::PhantomData<$t>))?;
        impl $(<$t: $bound>)? crate::exec::rows::Fn2 for $name $(<$t>)? {
            type D = $d;
            type A = $a;
            type B = $b;
            #[inline(always)]
            fn call($x: $a, $y: $b) -> $d { $e }
        }
    )* };
}
pub(crate) use fn2;

/// Declares functions of three operands.
macro_rules! fn3 {
    ($($(#[$doc:meta])* $name:ident $(<$t:ident: $bound:path>)? ($a:ty, $b:ty, $c:ty) -> $d:ty
        = |$x:ident, $y:ident, $z:ident| $e:expr;)*) => { $(
        $(#[$doc])*
        pub(crate) struct $name $(<$t>(std::marker::PhantomData<$t>))?;
        impl $(<$t: $bound>)? crate::exec::rows::Fn3 for $name $(<$t>)? {
            type D = $d;
            type A = $a;
            type B = $b;
            type C = $c;
            #[inline(always)]
            fn call($x: $a, $y: $b, $z: $c) -> $d { $e }
        }
    )* };
}
pub(crate) use fn3;
