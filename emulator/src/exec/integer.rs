//! Integer arithmetic, logic and shifts (PTX ISA, "Integer Arithmetic Instructions", "Logic and Shift Instructions").

use super::op::{Ctx, Execute, NONE, Op};
use super::payload::{Form, payloads};
use super::rows;
use super::rows::{Value, fn1, fn2, fn3};

/// An integer type of PTX, with the operations of its instructions. Signed and unsigned types share most of them.
pub(crate) trait Int: Value + Ord {
    /// The type of a product of two values in full.
    type Wide: Value;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn mul_high(self, other: Self) -> Self;
    fn mul_wide(self, other: Self) -> Self::Wide;
    fn wide_add(a: Self::Wide, b: Self::Wide) -> Self::Wide;
    fn div(self, other: Self) -> Self;
    fn rem(self, other: Self) -> Self;
    fn abs_value(self) -> Self;
    fn difference(self, other: Self) -> Self;
    fn not(self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn shl(self, by: u32) -> Self;
    fn shr(self, by: u32) -> Self;
    fn is_zero(self) -> Self;
}

macro_rules! ints {
    ($($ty:ident, $unsigned:ident, $wide:ident, $double:ident, $bits:literal, $overshift:expr;)*) => { $(
        impl Int for $ty {
            type Wide = $wide;
            #[inline(always)]
            fn add(self, other: $ty) -> $ty { self.wrapping_add(other) }
            #[inline(always)]
            fn sub(self, other: $ty) -> $ty { self.wrapping_sub(other) }
            #[inline(always)]
            fn mul(self, other: $ty) -> $ty { self.wrapping_mul(other) }
            #[inline(always)]
            fn mul_high(self, other: $ty) -> $ty { (($double::from(self) * $double::from(other)) >> $bits) as $ty }
            #[inline(always)]
            fn mul_wide(self, other: $ty) -> $wide { $wide::from(self).wrapping_mul($wide::from(other)) }
            #[inline(always)]
            fn wide_add(a: $wide, b: $wide) -> $wide { a.wrapping_add(b) }
            // What division by zero gives is unspecified in PTX; the hardware's sequences give all ones.
            #[inline(always)]
            fn div(self, other: $ty) -> $ty { if other == 0 { !0 } else { self.wrapping_div(other) } }
            #[inline(always)]
            fn rem(self, other: $ty) -> $ty { if other == 0 { self } else { self.wrapping_rem(other) } }
            #[inline(always)]
            fn abs_value(self) -> $ty { let v = self as i128; (if v < 0 { -v } else { v }) as $ty }
            #[inline(always)]
            fn difference(self, other: $ty) -> $ty {
                if self > other { self.wrapping_sub(other) } else { other.wrapping_sub(self) }
            }
            #[inline(always)]
            fn not(self) -> $ty { !self }
            #[inline(always)]
            fn and(self, other: $ty) -> $ty { self & other }
            #[inline(always)]
            fn or(self, other: $ty) -> $ty { self | other }
            #[inline(always)]
            fn xor(self, other: $ty) -> $ty { self ^ other }
            #[inline(always)]
            fn shl(self, by: u32) -> $ty { if by < $bits { (self as $unsigned).wrapping_shl(by) as $ty } else { 0 } }
            #[inline(always)]
            fn shr(self, by: u32) -> $ty {
                let overshift: fn($ty) -> $ty = $overshift;
                if by < $bits { self.wrapping_shr(by) } else { overshift(self) }
            }
            #[inline(always)]
            fn is_zero(self) -> $ty { $ty::from(self == 0) }
        }
    )* };
}

ints! {
    u16, u16, u32, u32, 16, |_| 0;
    i16, u16, i32, i32, 16, |v| v >> 15;
    u32, u32, u64, u64, 32, |_| 0;
    i32, u32, i64, i64, 32, |v| v >> 31;
    u64, u64, u64, u128, 64, |_| 0;
    i64, u64, i64, i128, 64, |v| v >> 63;
}

fn2! {
    Add<T: Int>(T, T) -> T = |a, b| a.add(b);
    Sub<T: Int>(T, T) -> T = |a, b| a.sub(b);
    Mul<T: Int>(T, T) -> T = |a, b| a.mul(b);
    MulHigh<T: Int>(T, T) -> T = |a, b| a.mul_high(b);
    MulWide<T: Int>(T, T) -> T::Wide = |a, b| a.mul_wide(b);
    Div<T: Int>(T, T) -> T = |a, b| a.div(b);
    Rem<T: Int>(T, T) -> T = |a, b| a.rem(b);
    Min<T: Int>(T, T) -> T = |a, b| a.min(b);
    Max<T: Int>(T, T) -> T = |a, b| a.max(b);
    And<T: Int>(T, T) -> T = |a, b| a.and(b);
    Or<T: Int>(T, T) -> T = |a, b| a.or(b);
    Xor<T: Int>(T, T) -> T = |a, b| a.xor(b);
    Shl<T: Int>(T, u32) -> T = |a, b| a.shl(b);
    Shr<T: Int>(T, u32) -> T = |a, b| a.shr(b);
    AddSat(i32, i32) -> i32 = |a, b| a.saturating_add(b);
    SubSat(i32, i32) -> i32 = |a, b| a.saturating_sub(b);
}

fn1! {
    Move<T: Int>(T) -> T = |a| a;
    Abs<T: Int>(T) -> T = |a| a.abs_value();
    Neg<T: Int>(T) -> T = |a| a.xor(a).sub(a);
    Not<T: Int>(T) -> T = |a| a.not();
    Cnot<T: Int>(T) -> T = |a| a.is_zero();
    Popc32(u32) -> u32 = |a| a.count_ones();
    Popc64(u64) -> u32 = |a| a.count_ones();
    Clz32(u32) -> u32 = |a| a.leading_zeros();
    Clz64(u64) -> u32 = |a| a.leading_zeros();
    Brev32(u32) -> u32 = |a| a.reverse_bits();
    Brev64(u64) -> u64 = |a| a.reverse_bits();
}

fn3! {
    Mad<T: Int>(T, T, T) -> T = |a, b, c| a.mul(b).add(c);
    MadHigh<T: Int>(T, T, T) -> T = |a, b, c| a.mul_high(b).add(c);
    MadWide<T: Int>(T, T, T::Wide) -> T::Wide = |a, b, c| T::wide_add(a.mul_wide(b), c);
    Sad<T: Int>(T, T, T) -> T = |a, b, c| a.difference(b).add(c);
    ShfLeftWrap(u32, u32, u32) -> u32 = |a, b, c| funnel_left(a, b, c & 31);
    ShfLeftClamp(u32, u32, u32) -> u32 = |a, b, c| funnel_left(a, b, c.min(32));
    ShfRightWrap(u32, u32, u32) -> u32 = |a, b, c| funnel_right(a, b, c & 31);
    ShfRightClamp(u32, u32, u32) -> u32 = |a, b, c| funnel_right(a, b, c.min(32));
    BfeU32(u32, u32, u32) -> u32 = |a, pos, len| extract(u64::from(a), pos & 255, len & 255) as u32;
    BfeU64(u64, u32, u32) -> u64 = |a, pos, len| extract(a, pos & 255, len & 255);
}

#[inline(always)]
fn funnel_left(low: u32, high: u32, by: u32) -> u32 {
    let pair = u64::from(high) << 32 | u64::from(low);
    ((pair << by) >> 32) as u32
}

#[inline(always)]
fn funnel_right(low: u32, high: u32, by: u32) -> u32 {
    let pair = u64::from(high) << 32 | u64::from(low);
    (pair >> by) as u32
}

/// `len` bits of `value` from bit `pos` up; bits beyond the value are zero.
#[inline(always)]
pub(crate) fn extract(value: u64, pos: u32, len: u32) -> u64 {
    let shifted = if pos < 64 { value >> pos } else { 0 };
    let mask = if len < 64 { (1u64 << len) - 1 } else { u64::MAX };
    shifted & mask
}

/// `lop3.b32`: any function of three bits, given as its truth table.
pub(crate) struct Lop3;

impl Form for Lop3 {
    type Payload = u8;
}

impl Execute for Lop3 {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let truth = Self::payload(op);
        // Row `i` of the truth table is the result where a, b, c are the bits 2, 1, 0 of `i`.
        let row = |i: u32| if truth >> i & 1 != 0 { u32::MAX } else { 0 };
        let table = [row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)];
        let choose = |zero: u32, one: u32, by: u32| zero ^ ((zero ^ one) & by);
        let mut values = [0u32; 32];
        let (a, b, c) = (&ctx.r32[op.a as usize].0, &ctx.r32[op.b as usize].0, &ctx.r32[op.c as usize].0);
        for lane in 0..32 {
            let (x, y, z) = (a[lane], b[lane], c[lane]);
            let low = choose(choose(table[0], table[1], z), choose(table[2], table[3], z), y);
            let high = choose(choose(table[4], table[5], z), choose(table[6], table[7], z), y);
            values[lane] = choose(low, high, x);
        }
        rows::write(ctx, op.d, &values);
        true
    }
}

/// `lop3.and.b32` and `lop3.or.b32` with a predicate result `op.e`: whether the result has a bit set, combined with predicate
/// operand `op.c`. The sources are three list entries from `op.a` on.
pub(crate) struct Lop3Test;

payloads! {
    /// The truth table of a `lop3`, and whether the predicate is or-ed and not and-ed.
    Lop3Form { truth: u8, or: bool }
}

impl Form for Lop3Test {
    type Payload = Lop3Form;
}

impl Execute for Lop3Test {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let Lop3Form { truth, or } = Self::payload(op);
        let [x, y, z] = [0, 1, 2].map(|i| ctx.r32[ctx.tables.lists[op.a as usize + i] as usize].0);
        let mut values = [0u32; 32];
        let mut any = 0u32;
        for lane in 0..32 {
            for bit in 0..32 {
                let row = (x[lane] >> bit & 1) << 2 | (y[lane] >> bit & 1) << 1 | z[lane] >> bit & 1;
                values[lane] |= u32::from(truth >> row & 1) << bit;
            }
            any |= u32::from(values[lane] != 0) << lane;
        }
        let with = super::compare::predicate(ctx, op.c);
        let holds = if or { any | with } else { any & with };
        if op.d != NONE {
            rows::write(ctx, op.d, &values);
        }
        if op.e != NONE {
            rows::write_pred(ctx, op.e, holds);
        }
        true
    }
}
