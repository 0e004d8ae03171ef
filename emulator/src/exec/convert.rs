//! `cvt` (PTX ISA, "Data Movement and Conversion Instructions": `cvt`) and the number formats behind it.
//!
//! The frequent conversions are vector loops; every other pair goes through [`Number`], which holds any value of any
//! scalar format exactly.

use std::marker::PhantomData;

use ptx_parser::Type;

use super::float::{Float, NAN32};
use super::formats::{Format, decode_scale, encode_scale};
use super::op::{Ctx, Execute, Op};
use super::payload::{payloads, switches};
use super::rounding::{Mode, integer_to_double, integer_to_single, to_integral, to_single};
use super::rows::{Bits, fn1, write};
use super::scalar::{EachLane, scalar};
use super::transfer::Stored;

/// Integer to integer: `T` says how many bits count and how they are extended.
pub(crate) struct Extend<T, S, D>(PhantomData<(T, S, D)>);

impl<T: Stored, S: Bits, D: Bits> Execute for Extend<T, S, D> {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let mut values = [D::default(); 32];
        let a = S::row(ctx, op.a);
        for lane in 0..32 {
            values[lane] = T::extend(T::cut(a[lane]));
        }
        write(ctx, op.d, &values);
        true
    }
}

fn1! {
    SingleToDouble(f32) -> f64 = |a| f64::from(a).canonical();
    DoubleToSingle(f64) -> f32 = |a| (a as f32).canonical();
    S32ToSingle(i32) -> f32 = |a| a as f32;
    U32ToSingle(u32) -> f32 = |a| a as f32;
    S32ToDouble(i32) -> f64 = |a| f64::from(a);
    U32ToDouble(u32) -> f64 = |a| f64::from(a);
    S64ToSingle(i64) -> f32 = |a| a as f32;
    U64ToSingle(u64) -> f32 = |a| a as f32;
    S64ToDouble(i64) -> f64 = |a| a as f64;
    U64ToDouble(u64) -> f64 = |a| a as f64;
    SingleToS32(f32) -> i32 = |a| a as i32;
    SingleToU32(f32) -> u32 = |a| a as u32;
    Truncate<T: Rounded>(T) -> T = |a| a.truncate();
    Floor<T: Rounded>(T) -> T = |a| a.down();
    Ceiling<T: Rounded>(T) -> T = |a| a.up();
    ToEven<T: Rounded>(T) -> T = |a| a.even();
}

/// Rounding to an integral value of the same format.
pub(crate) trait Rounded: super::rows::Value {
    fn truncate(self) -> Self;
    fn down(self) -> Self;
    fn up(self) -> Self;
    fn even(self) -> Self;
}

macro_rules! rounded {
    ($($ty:ident),*) => { $(
        impl Rounded for $ty {
            #[inline(always)]
            fn truncate(self) -> $ty { self.trunc().canonical() }
            #[inline(always)]
            fn down(self) -> $ty { self.floor().canonical() }
            #[inline(always)]
            fn up(self) -> $ty { self.ceil().canonical() }
            #[inline(always)]
            fn even(self) -> $ty { self.round_ties_even().canonical() }
        }
    )* };
}

rounded!(f32, f64);

/// A value of any scalar format. Floats up to double precision are exact in a double.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    Integer(i128),
    Float(f64),
}

/// The value of the low bits of a register.
pub(crate) fn number(ty: Type, bits: u64) -> Number {
    match ty {
        Type::F64 => Number::Float(f64::from_bits(bits)),
        Type::F32 => Number::Float(f64::from(f32::from_bits(bits as u32))),
        _ if let Some(format) = Format::of(ty) => Number::Float(format.decode(bits as u32)),
        _ => {
            let width = ty.bits().min(64);
            let shifted = bits << (64 - width);
            let value = if ty.is_signed() {
                i128::from(shifted.cast_signed() >> (64 - width))
            } else {
                i128::from(shifted >> (64 - width))
            };
            Number::Integer(value)
        }
    }
}

/// The smallest and largest value of an integer type.
fn range(ty: Type) -> (i128, i128) {
    let bits = ty.bits().min(64);
    if ty.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

/// The bits of a value in a format; integers that do not fit are cut, or clamped if `saturate`.
pub(crate) fn encode(ty: Type, value: Number, mode: Mode, saturate: bool) -> u64 {
    let clamp = |v: f64| if saturate { v.saturate() } else { v };
    match (ty, value) {
        (Type::F64, Number::Float(v)) => clamp(v).canonical().to_bits(),
        (Type::F64, Number::Integer(v)) => clamp(integer_to_double(v, mode)).to_bits(),
        (Type::F32, Number::Float(v)) => u64::from(to_single(clamp(v), mode).canonical().to_bits()),
        (Type::F32, Number::Integer(v)) => {
            let single = integer_to_single(v, mode);
            u64::from(if saturate { single.saturate() } else { single }.to_bits())
        }
        (_, v) if let Some(format) = Format::of(ty) => u64::from(format.encode(clamp(as_double(v)), mode, false)),
        (_, Number::Integer(v)) => {
            let (low, high) = range(ty);
            (if saturate { v.clamp(low, high) } else { v }) as u64
        }
        (_, Number::Float(v)) => {
            let (low, high) = range(ty);
            // The cast clamps to i128 and makes NaN zero; clamping to the format follows.
            (to_integral(v, mode) as i128).clamp(low, high) as u64
        }
    }
}

/// The value as a double. An integer between two doubles becomes the odd one of them, which no narrower format takes for a tie.
fn as_double(value: Number) -> f64 {
    match value {
        Number::Integer(v) => {
            let towards_zero = integer_to_double(v, Mode::Zero);
            let exact = towards_zero as i128 == v;
            f64::from_bits(towards_zero.to_bits() | u64::from(!exact))
        }
        Number::Float(v) => v,
    }
}

switches! {
    /// The modifiers of a conversion.
    ConvertFlags {
        /// The value is clamped to the format; floats to [0, 1].
        saturates,
        /// Subnormal singles count as zero.
        flushes,
        /// Float to float, rounded to an integral value.
        integral,
        /// Negative values, minus zero too, become zero (`.relu`).
        relu,
        /// A value that is too large becomes the largest finite one (`.satfinite`).
        finite,
    }
}

payloads! {
    /// A conversion between two formats.
    ConvertForm { to: Type, from: Type, mode: Mode, flags: ConvertFlags }
}

/// Converts between any two scalar formats.
fn convert(bits: u64, form: ConvertForm) -> u64 {
    let ConvertForm { to, from, mode, flags } = form;
    let mut value = number(from, bits);
    if let Number::Float(v) = &mut value {
        if flags.flushes && from == Type::F32 {
            *v = f64::from((*v as f32).flush());
        }
        if v.is_nan() && !to.is_float() && (from == Type::F64 || to.bits() == 64) {
            return 1 << (to.bits() - 1);
        }
        if flags.integral {
            *v = to_integral(*v, mode);
        }
        if flags.relu && *v <= 0.0 {
            *v = 0.0;
        }
    }
    let result = match (Format::of(to), value) {
        (Some(format), Number::Float(v)) if flags.finite => u64::from(format.encode(v, mode, true)),
        _ => encode(to, value, mode, flags.saturates),
    };
    match to {
        Type::F32 if flags.flushes => u64::from(f32::from_bits(result as u32).flush().to_bits()),
        _ => result,
    }
}

scalar! {
    /// `cvt` between any two scalar formats.
    Convert: ConvertForm = |[a, _, _], form| convert(a, form);
    /// `cvt.rna.tf32.f32` and its other roundings: tf32 stands in the upper bits of a single.
    ConvertTf32: ConvertForm = |[a, _, _], form| {
        // The canonical NaN is that of a single, whose low bits are set too.
        if f32::from_bits(a as u32).is_nan() { u64::from(NAN32) } else { convert(a, form) << 13 }
    };
    /// Two singles into one register, the first into the upper half: `cvt.rn.f16x2.f32`, `cvt.rn.satfinite.e4m3x2.f32`.
    ConvertPair: ConvertForm = |[a, b, _], form| {
        let value = |bits: u64| f64::from(f32::from_bits(bits as u32));
        pack([value(a), value(b)], form)
    };
    /// `cvt.rs.bf16x2.f32`: the third operand has 16 random bits for each single, which are added to the 16 bits that are dropped; the carry
    /// rounds away from zero.
    ConvertRandomly: ConvertForm = |[a, b, random], form| {
        let value = |bits: u64, random: u64| {
            let bits = bits as u32;
            let exact = f32::from_bits(bits);
            // Neither has anything to round, and a sum could make a NaN another number.
            if exact.is_finite() { f32::from_bits((bits + (random as u32 & 0xffff)) & 0xffff_0000) } else { exact }
        };
        pack([value(a, random >> 16), value(b, random)].map(f64::from), form)
    };
    /// From one packed format to another: `cvt.rn.f16x2.e4m3x2` and back.
    ConvertPacked: ConvertForm = |[a, _, _], form| {
        let from = form.from;
        let stride = Format::stride(from);
        let mask = (1u32 << stride) - 1;
        let value = |bits: u32| match Format::of(from) {
            Some(format) => format.decode(bits),
            None => decode_scale(bits),
        };
        pack([value(a as u32 >> stride & mask), value(a as u32 & mask)], form)
    };
    /// `cvt.pack`: two integers clamped and put side by side, and `c` shifted in above them if there is room.
    Pack: Type = |[a, b, c], to| {
        let (low, high) = range(to);
        let part = |bits: u64| i128::from((bits as u32).cast_signed()).clamp(low, high) as u64 & ((1 << to.bits()) - 1);
        let above = if to.bits() < 16 { c << (2 * to.bits()) } else { 0 };
        part(b) | part(a) << to.bits() | above
    };
}

/// Two values in a packed format, the first above the second.
fn pack(values: [f64; 2], form: ConvertForm) -> u64 {
    let ConvertForm { to, mode, flags, .. } = form;
    let [upper, lower] = values.map(|value| {
        let value = if flags.relu && value <= 0.0 { 0.0 } else { value };
        match Format::of(to) {
            Some(format) => format.encode(value, mode, flags.finite),
            None => encode_scale(value, mode, flags.finite),
        }
    });
    u64::from(upper) << Format::stride(to) | u64::from(lower)
}

/// The general conversion as a handler.
pub(crate) type ConvertLanes = EachLane<Convert>;
