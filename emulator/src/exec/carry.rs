//! Extended-precision arithmetic: `add.cc`, `addc`, `sub.cc`, `subc`, `mad.cc`, `madc` (PTX ISA, "Extended-Precision
//! Integer Arithmetic Instructions"). The carry flag is a predicate row, `op.e`.
//!
//! A difference is `a + !b + 1`, and the flag is that sum's carry: it is clear where something was borrowed. The ISA speaks of a borrow; but the
//! CUDA compiler's division of 128-bit integers reads the flag of `subc.cc` with `addc`, and counts on this.

use std::marker::PhantomData;

use super::integer::Int;
use super::lanes::lanes;
use super::op::{Ctx, Execute, Op};
use super::payload::{Form, choices, payloads};
use super::rows::Bits;

choices! {
    /// An operation of extended precision.
    Operation {
        /// `a + b`
        Sum,
        /// `a - b`
        Difference,
        /// The low half of `a * b`, plus `c`.
        LowProduct,
        /// The high half of `a * b`, plus `c`.
        HighProduct,
    }
}

payloads! {
    /// An instruction of extended precision.
    CarryForm {
        operation: Operation,
        /// The carry is read.
        reads: bool,
        /// The carry is written.
        writes: bool,
    }
}

/// An extended-precision instruction on operands of type `T`.
pub(crate) struct Carry<T>(PhantomData<T>);

impl<T: Int> Form for Carry<T> {
    type Payload = CarryForm;
}

impl<T: Int> Execute for Carry<T> {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let form = Self::payload(op);
        let bits = 8 * size_of::<T::Bits>() as u32;
        let read = |ctx: &Ctx<'_>, row, lane: usize| T::Bits::row(ctx, row)[lane];
        for lane in lanes(ctx.mask) {
            let (a, b) = (read(ctx, op.a, lane), read(ctx, op.b, lane));
            let (x, y) = (T::from_bits(a), T::from_bits(b));
            let (left, right) = match form.operation {
                Operation::Sum | Operation::Difference => (a, b),
                Operation::LowProduct => (x.mul(y).to_bits(), read(ctx, op.c, lane)),
                Operation::HighProduct => (x.mul_high(y).to_bits(), read(ctx, op.c, lane)),
            };
            let subtract = form.operation == Operation::Difference;
            let carry = if form.reads { ctx.preds[op.e as usize] >> lane & 1 } else { u32::from(subtract) };
            let (left, right) = (u128::from(left.widen()), u128::from(right.widen()));
            let right = if subtract { !right & ((1 << bits) - 1) } else { right };
            let sum = left + right + u128::from(carry);
            T::Bits::row_mut(ctx, op.d)[lane] = T::Bits::narrow(sum as u64);
            if form.writes {
                let out = (sum >> bits & 1) as u32;
                let flag = &mut ctx.preds[op.e as usize];
                *flag = *flag & !(1 << lane) | out << lane;
            }
        }
        true
    }
}
