//! Half precision and bfloat16, one at a time and two packed in a register, the packed singles of `.f32x2`, and singles mixed with
//! halves (PTX ISA, "Half Precision Floating-Point Instructions", "Mixed Precision Floating-Point Instructions").
//!
//! Every operation is rounded once: it is computed in double precision rounded to odd, from which rounding to any
//! narrower format is right. `ex2` and `tanh`, for which the manual bounds the error, are the nearest values.

use ptx_parser::Type;

use super::convert::type_of;
use super::float::{Float, maximum, minimum};
use super::formats::Format;
use super::rounding::{Arithmetic, Mode, compute32, to_odd};
use super::scalar::scalar;
use super::scalar_ops::{FTZ, NAN_WINS, SAT};

/// Bit of the immediate: negative results become zero, and NaN the canonical one (`.relu`).
pub(crate) const RELU: u64 = 1 << 19;
/// The operands' magnitudes are compared (`.abs`).
pub(crate) const MAGNITUDE: u64 = 1 << 20;
/// The result's sign is the product of the operands' (`.xorsign`).
pub(crate) const XOR_SIGN: u64 = 1 << 21;

/// Operations of [`Half`] beyond those of [`Arithmetic`].
pub(crate) const MIN: u64 = 6;
/// See [`MIN`].
pub(crate) const MAX: u64 = 7;
/// See [`MIN`].
pub(crate) const NEG: u64 = 8;
/// See [`MIN`].
pub(crate) const ABS: u64 = 9;
/// See [`MIN`].
pub(crate) const EX2: u64 = 10;
/// See [`MIN`].
pub(crate) const TANH: u64 = 11;

scalar! {
    /// Half precision and bfloat16: operation in bits 0 to 7, type in bits 8 to 15.
    Half = |[a, b, c], imm| half_lane(a, b, c, imm);
    /// Two halves at once.
    HalfPair = |[a, b, c], imm| {
        half_lane(a >> 16 & 0xffff, b >> 16 & 0xffff, c >> 16 & 0xffff, imm) << 16
            | half_lane(a & 0xffff, b & 0xffff, c & 0xffff, imm)
    };
    /// Two singles at once: operation in bits 0 to 7, mode in bits 8 to 15.
    SinglePair = |[a, b, c], imm| {
        let part = |shift: u32| {
            let [x, y, z] = [a, b, c].map(|bits| single(bits >> shift, imm));
            finish(compute32(Arithmetic::from_code(imm & 0xff), x, y, z, Mode::from_code(imm >> 8)), imm)
        };
        part(32) << 32 | part(0)
    };
    /// `add.f32.f16`, `fma.rn.f32.bf16` and the like: the operands before the last are halves. Operation in bits 0 to 3, type in
    /// bits 24 to 31, mode in bits 8 to 15.
    Mixed = |[a, b, c], imm| {
        let widen = |bits: u64| Format::of(type_of(imm >> 24)).map_or(0.0, |format| format.decode(bits as u32 & 0xffff) as f32);
        let operation = Arithmetic::from_code(imm & 0xf);
        let (x, y, z) = match operation {
            Arithmetic::MultiplyAdd => (widen(a), widen(b), single(c, imm)),
            _ => (widen(a), single(b, imm), 0.0),
        };
        finish(compute32(operation, x, y, z, Mode::from_code(imm >> 8)), imm)
    };
    /// `min` and `max` of two or three singles: bit 0 is set for `max`, bit 1 for three.
    Extreme = |[a, b, c], imm| {
        let value = |bits: u64| {
            let value = single(bits, imm);
            if imm & MAGNITUDE != 0 { value.abs() } else { value }
        };
        let pick = |x: f32, y: f32| match () {
            () if imm & NAN_WINS != 0 && (x.is_nan() || y.is_nan()) => f32::NAN,
            () if imm & 1 != 0 => maximum(x, y),
            () => minimum(x, y),
        };
        let first = pick(value(a), value(b));
        let result = if imm & 2 != 0 { pick(first, value(c)) } else { first };
        let negative = (a ^ b) >> 31 & 1 != 0;
        let result = if imm & XOR_SIGN != 0 && negative && !result.is_nan() { -result } else { result };
        finish(result, imm)
    };
}

fn single(bits: u64, imm: u64) -> f32 {
    let value = f32::from_bits(bits as u32);
    if imm & FTZ != 0 { value.flush() } else { value }
}

fn finish(value: f32, imm: u64) -> u64 {
    let value = if imm & FTZ != 0 { value.flush() } else { value };
    let value = if imm & SAT != 0 { value.saturate() } else { value.canonical() };
    u64::from(value.to_bits())
}

fn half_lane(a: u64, b: u64, c: u64, imm: u64) -> u64 {
    let Some(format) = Format::of(type_of(imm >> 8)) else { return 0 };
    let flush = |code: u32| if imm & FTZ != 0 && format.is_subnormal(code) { code & format.sign() } else { code };
    let [a, b, c] = [a, b, c].map(|bits| flush(bits as u32 & 0xffff));
    let value = |code: u32| {
        let value = format.decode(code);
        if imm & MAGNITUDE != 0 { value.abs() } else { value }
    };
    let (x, y, z) = (value(a), value(b), value(c));
    let result = match imm & 0xff {
        MIN | MAX if imm & NAN_WINS != 0 && (x.is_nan() || y.is_nan()) => f64::NAN,
        MIN => minimum(x, y),
        MAX => maximum(x, y),
        NEG => return u64::from(a ^ format.sign()),
        ABS => return u64::from(a & !format.sign()),
        EX2 => x.exp2(),
        TANH => x.tanh(),
        code => to_odd(Arithmetic::from_code(code), x, y, z, Mode::Nearest),
    };
    if result.is_nan() {
        return u64::from(if imm & SAT != 0 { 0 } else { format.nan() });
    }
    let result = match () {
        () if imm & SAT != 0 => result.saturate(),
        // Of two zeros the maximum is the positive one.
        () if imm & RELU != 0 => maximum(result, 0.0),
        () if imm & XOR_SIGN != 0 && (a ^ b) & format.sign() != 0 => -result,
        () => result,
    };
    u64::from(flush(format.encode(result, Mode::Nearest, false)))
}

/// The types that [`Half`] and [`HalfPair`] compute in, for the immediate.
pub(crate) fn element(ty: Type) -> Type {
    if matches!(ty, Type::Bf16 | Type::Bf16x2) { Type::Bf16 } else { Type::F16 }
}
