//! Video instructions: arithmetic on bytes and half-words of registers (PTX ISA, "Scalar Video Instructions", "SIMD Video
//! Instructions").
//!
//! They are rare and have many variants, so that one description, made by the decoder, says what an instruction does and one function
//! does it lane by lane.

use super::lanes::lanes;
use super::op::{Ctx, Execute, Op};
use super::scalar::{get, set};
use crate::program::video::{Action, Form, Second};

fn element(pair: u64, number: u8, bits: u32, signed: bool) -> i128 {
    let field = pair >> (u32::from(number) * bits % 64) & ((1u64 << bits) - 1);
    if signed { i128::from((field << (64 - bits)).cast_signed() >> (64 - bits)) } else { i128::from(field) }
}

fn limits(bits: u32, signed: bool) -> (i128, i128) {
    if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

impl Form {
    fn act(&self, a: i128, b: i128) -> i128 {
        let amount = |b: i128| if self.wrap { b & 31 } else { b.clamp(0, 32) };
        match self.action {
            Action::Add => a + b,
            Action::Subtract => a - b,
            Action::Difference => (a - b).abs(),
            Action::Min => a.min(b),
            Action::Max => a.max(b),
            Action::Average => (a + b + i128::from(a + b >= 0)) >> 1,
            Action::Left => a << amount(b),
            Action::Right => a >> amount(b),
            Action::Compare(relation) => i128::from(match relation {
                0 => a == b,
                1 => a != b,
                2 => a < b,
                3 => a <= b,
                4 => a > b,
                _ => a >= b,
            }),
            Action::MultiplyAdd => a * b,
        }
    }

    /// The result of the whole instruction.
    pub(crate) fn compute(&self, a: u32, b: u32, c: u32) -> u32 {
        if self.count == 1 { self.scalar(a, b, c) } else { self.parallel(a, b, c) }
    }

    fn scalar(&self, a: u32, b: u32, c: u32) -> u32 {
        let [x, y] = self.sources;
        let a = element(a.into(), x.elements[0], x.bits, x.signed);
        let b = element(b.into(), y.elements[0], y.bits, y.signed);
        let mut value = self.act(a, b);
        if self.action == Action::MultiplyAdd {
            return self.multiply_add(value, c);
        }
        if self.saturate {
            let (low, high) = limits(self.part, self.signed);
            value = value.clamp(low, high);
        }
        let third = element(c.into(), 0, 32, self.signed);
        // Beyond the register nothing is kept before the second operation either.
        let cut = element(value as u64 & 0xffff_ffff, 0, 32, self.signed);
        let value = match self.second {
            Second::Add => cut + third,
            Second::Min => cut.min(third),
            Second::Max => cut.max(third),
            Second::Merge => cut,
        };
        if self.part == 32 {
            return value as u32;
        }
        let field = ((1u32 << self.part) - 1) << self.mask;
        (value as u32) << self.mask & field | c & !field
    }

    fn multiply_add(&self, product: i128, c: u32) -> u32 {
        let [x, y] = self.sources;
        let negated = x.negated != y.negated;
        let signed = x.signed || y.signed || negated || self.negate_c;
        let c = element(c.into(), 0, 32, signed);
        let sum = match () {
            () if self.plus_one => product + c + 1,
            () if negated => c - product,
            () if self.negate_c => product - c,
            () => product + c,
        };
        let sum = sum >> self.scale;
        let (low, high) = limits(32, signed);
        (if self.saturate { sum.clamp(low, high) } else { sum }) as u32
    }

    fn parallel(&self, a: u32, b: u32, c: u32) -> u32 {
        let pair = u64::from(b) << 32 | u64::from(a);
        let bits = 32 / self.count;
        let mut merged = 0u32;
        let mut sum = i128::from(c);
        for index in 0..self.count {
            let [x, y] = self.sources.map(|s| element(pair, s.elements[index as usize], bits, s.signed));
            let mut value = self.act(x, y);
            if self.saturate {
                let (low, high) = limits(bits, self.signed);
                value = value.clamp(low, high);
            }
            let field = (u32::MAX >> (32 - bits)) << (index * bits);
            if self.mask >> index & 1 != 0 {
                merged |= (value as u32) << (index * bits) & field;
                sum += value;
            } else {
                merged |= c & field;
            }
        }
        if self.second == Second::Add { sum as u32 } else { merged }
    }
}

/// A video instruction: `op.imm` is its number among the forms of the program.
pub(crate) struct Video;

impl Execute for Video {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let form = ctx.tables.video[op.imm as usize];
        for lane in lanes(ctx.mask) {
            let [a, b, c] = [op.a, op.b, op.c].map(|row| get(ctx, row, lane) as u32);
            set(ctx, op.d, lane, form.compute(a, b, c).into());
        }
        true
    }
}
