//! Extended-precision arithmetic: `add.cc`, `addc`, `sub.cc`, `subc`, `mad.cc`, `madc` (PTX ISA, "Extended-Precision
//! Integer Arithmetic Instructions"). The carry flag is a predicate row, `op.e`.
//!
//! A difference is `a + !b + 1`, and the flag is that sum's carry: it is clear where something was borrowed. The ISA speaks of a borrow; but the
//! CUDA compiler's division of 128-bit integers reads the flag of `subc.cc` with `addc`, and counts on this.

use std::marker::PhantomData;

use super::integer::Int;
use super::rows::{Bits, lanes};
use super::{Ctx, Execute, Op};

/// Bits of `op.imm`.
pub(crate) const READ: u64 = 1;
/// The carry is written.
pub(crate) const WRITE: u64 = 2;
/// `a - b` and not `a + b`.
pub(crate) const SUBTRACT: u64 = 4;
/// The low half of `a * b`, plus `c`.
pub(crate) const LOW: u64 = 8;
/// The high half of `a * b`, plus `c`.
pub(crate) const HIGH: u64 = 16;

/// An extended-precision instruction on operands of type `T`.
pub(crate) struct Carry<T>(PhantomData<T>);

impl<T: Int> Execute for Carry<T> {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let bits = 8 * size_of::<T::Bits>() as u32;
        let read = |ctx: &Ctx<'_>, row, lane: usize| T::Bits::row(ctx, row)[lane];
        for lane in lanes(ctx.mask) {
            let (a, b) = (read(ctx, op.a, lane), read(ctx, op.b, lane));
            let (left, right) = if op.imm & (LOW | HIGH) != 0 {
                let (x, y) = (T::from_bits(a), T::from_bits(b));
                let product = if op.imm & LOW != 0 { x.mul(y) } else { x.mul_high(y) };
                (product.to_bits(), read(ctx, op.c, lane))
            } else {
                (a, b)
            };
            let subtract = op.imm & SUBTRACT != 0;
            let carry = if op.imm & READ != 0 { ctx.preds[op.e as usize] >> lane & 1 } else { u32::from(subtract) };
            let (left, right) = (u128::from(left.widen()), u128::from(right.widen()));
            let right = if subtract { !right & ((1 << bits) - 1) } else { right };
            let sum = left + right + u128::from(carry);
            T::Bits::row_mut(ctx, op.d)[lane] = T::Bits::narrow(sum as u64);
            if op.imm & WRITE != 0 {
                let out = (sum >> bits & 1) as u32;
                let flag = &mut ctx.preds[op.e as usize];
                *flag = *flag & !(1 << lane) | out << lane;
            }
        }
        true
    }
}
