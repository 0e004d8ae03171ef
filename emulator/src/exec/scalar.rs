//! Instructions that run lane by lane: those that are rare, or that no vector unit has.
//!
//! A scalar form is an ordinary function of up to three values of 64 bits and a payload. Operands
//! are *tagged* row numbers, so that one handler serves all widths.

use super::lanes::lanes;
use super::op::{Ctx, Execute, NONE, Op};
use super::payload::{Form, Payload};
use crate::program::registers::{TAG, TAG64, untagged};

/// One lane of a tagged row, zero-extended; 0 for no operand.
#[inline(always)]
pub(crate) fn get(ctx: &Ctx<'_>, operand: u32, lane: usize) -> u64 {
    if operand == NONE {
        return 0;
    }
    let row = untagged(operand) as usize;
    match operand & TAG {
        0 => u64::from(ctx.r32[row].0[lane]),
        TAG64 => ctx.r64[row].0[lane],
        _ => u64::from(ctx.preds[row] >> lane & 1),
    }
}

/// Sets one lane of a tagged row; the value is cut to its width.
#[inline(always)]
pub(crate) fn set(ctx: &mut Ctx<'_>, operand: u32, lane: usize, value: u64) {
    if operand == NONE {
        return;
    }
    let row = untagged(operand) as usize;
    match operand & TAG {
        0 => ctx.r32[row].0[lane] = value as u32,
        TAG64 => ctx.r64[row].0[lane] = value,
        _ => ctx.preds[row] = ctx.preds[row] & !(1 << lane) | ((value & 1) as u32) << lane,
    }
}

/// A scalar form.
pub(crate) trait Scalar {
    type Payload: Payload;
    /// Computes the result of one lane from three operands.
    fn call(operands: [u64; 3], payload: Self::Payload) -> u64;
}

/// Runs a scalar form in every active lane.
pub(crate) struct EachLane<S>(std::marker::PhantomData<S>);

impl<S: Scalar> Form for EachLane<S> {
    type Payload = S::Payload;
}

impl<S: Scalar> Execute for EachLane<S> {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let payload = Self::payload(op);
        for lane in lanes(ctx.mask) {
            let operands = [get(ctx, op.a, lane), get(ctx, op.b, lane), get(ctx, op.c, lane)];
            set(ctx, op.d, lane, S::call(operands, payload));
        }
        true
    }
}

/// Declares scalar forms: `Name: Payload = |[a, b, c], payload| expression;`
macro_rules! scalar {
    ($($(#[$doc:meta])* $name:ident: $payload:ty = |$operands:pat_param, $with:pat_param| $e:expr;)*) => { $(
        $(#[$doc])*
        pub(crate) struct $name;
        impl crate::exec::scalar::Scalar for $name {
            type Payload = $payload;
            #[inline(always)]
            fn call($operands: [u64; 3], $with: $payload) -> u64 {
                $e
            }
        }
    )* };
}
pub(crate) use scalar;
