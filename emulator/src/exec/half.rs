//! Half precision and bfloat16, one at a time and two packed in a register, the packed singles of `.f32x2`, and singles mixed with
//! halves (PTX ISA, "Half Precision Floating-Point Instructions", "Mixed Precision Floating-Point Instructions").
//!
//! Every operation is rounded once: it is computed in double precision rounded to odd, from which rounding to any
//! narrower format is right. `ex2` and `tanh`, for which the manual bounds the error, are the nearest values.

use ptx_parser::Type;

use super::float::{Float, maximum, minimum};
use super::formats::Format;
use super::payload::{Field, choices, payloads, switches};
use super::rounding::{Arithmetic, Mode, compute32, to_odd};
use super::scalar::scalar;
use super::scalar_ops::{Directed, FloatFlags};

/// An operation of half precision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum HalfOperation {
    Arithmetic(Arithmetic),
    Unrounded(Unrounded),
}

choices! {
    /// An operation of half precision beyond [`Arithmetic`].
    Unrounded { Min, Max, Neg, Abs, Ex2, Tanh }
}

impl Field for HalfOperation {
    fn to_byte(self) -> u8 {
        match self {
            HalfOperation::Arithmetic(operation) => operation.to_byte(),
            HalfOperation::Unrounded(operation) => 0x80 | operation.to_byte(),
        }
    }

    fn from_byte(byte: u8) -> HalfOperation {
        match byte & 0x80 {
            0 => HalfOperation::Arithmetic(Arithmetic::from_byte(byte)),
            _ => HalfOperation::Unrounded(Unrounded::from_byte(byte & 0x7f)),
        }
    }
}

switches! {
    /// The modifiers of `min` and `max`.
    ExtremeFlags {
        /// The result is NaN if an operand is NaN (`.NaN`).
        nan_wins,
        /// The operands' magnitudes are compared (`.abs`).
        magnitudes,
        /// The result's sign is the product of the operands' (`.xorsign`).
        xor_sign,
    }
}

payloads! {
    /// Half precision and bfloat16.
    HalfForm {
        operation: HalfOperation,
        ty: Type,
        flags: FloatFlags,
        extremes: ExtremeFlags,
        /// Negative results become zero, and NaN the canonical one (`.relu`).
        relu: bool,
    }
    /// Singles mixed with halves of a type.
    MixedForm { operation: Arithmetic, from: Type, mode: Mode, flags: FloatFlags }
    /// `min` and `max` of two or three singles.
    ExtremeForm { larger: bool, three: bool, flags: FloatFlags, extremes: ExtremeFlags }
}

scalar! {
    /// Half precision and bfloat16.
    Half: HalfForm = |[a, b, c], form| half_lane(a, b, c, form);
    /// Two halves at once.
    HalfPair: HalfForm = |[a, b, c], form| {
        half_lane(a >> 16 & 0xffff, b >> 16 & 0xffff, c >> 16 & 0xffff, form) << 16
            | half_lane(a & 0xffff, b & 0xffff, c & 0xffff, form)
    };
    /// Two singles at once.
    SinglePair: Directed = |[a, b, c], Directed { operation, mode, flags }| {
        let part = |shift: u32| {
            let [x, y, z] = [a, b, c].map(|bits| flags.single(bits >> shift));
            flags.finish(compute32(operation, x, y, z, mode))
        };
        part(32) << 32 | part(0)
    };
    /// `add.f32.f16`, `fma.rn.f32.bf16` and the like: the operands before the last are halves.
    Mixed: MixedForm = |[a, b, c], MixedForm { operation, from, mode, flags }| {
        let widen = |bits: u64| Format::of(from).map_or(0.0, |format| format.decode(bits as u32 & 0xffff) as f32);
        let (x, y, z) = match operation {
            Arithmetic::MultiplyAdd => (widen(a), widen(b), flags.single(c)),
            _ => (widen(a), flags.single(b), 0.0),
        };
        flags.finish(compute32(operation, x, y, z, mode))
    };
    /// `min` and `max` of two or three singles.
    Extreme: ExtremeForm = |[a, b, c], ExtremeForm { larger, three, flags, extremes }| {
        let value = |bits: u64| {
            let value = flags.single(bits);
            if extremes.magnitudes { value.abs() } else { value }
        };
        let pick = |x: f32, y: f32| match () {
            () if extremes.nan_wins && (x.is_nan() || y.is_nan()) => f32::NAN,
            () if larger => maximum(x, y),
            () => minimum(x, y),
        };
        let first = pick(value(a), value(b));
        let result = if three { pick(first, value(c)) } else { first };
        let negative = (a ^ b) >> 31 & 1 != 0;
        let result = if extremes.xor_sign && negative && !result.is_nan() { -result } else { result };
        flags.finish(result)
    };
}

fn half_lane(a: u64, b: u64, c: u64, form: HalfForm) -> u64 {
    let HalfForm { operation, ty, flags, extremes, relu } = form;
    let Some(format) = Format::of(ty) else { return 0 };
    let flush = |code: u32| if flags.flushes && format.is_subnormal(code) { code & format.sign() } else { code };
    let [a, b, c] = [a, b, c].map(|bits| flush(bits as u32 & 0xffff));
    let value = |code: u32| {
        let value = format.decode(code);
        if extremes.magnitudes { value.abs() } else { value }
    };
    let (x, y, z) = (value(a), value(b), value(c));
    use HalfOperation::Unrounded as Plain;
    let result = match operation {
        Plain(Unrounded::Min | Unrounded::Max) if extremes.nan_wins && (x.is_nan() || y.is_nan()) => f64::NAN,
        Plain(Unrounded::Min) => minimum(x, y),
        Plain(Unrounded::Max) => maximum(x, y),
        Plain(Unrounded::Neg) => return u64::from(a ^ format.sign()),
        Plain(Unrounded::Abs) => return u64::from(a & !format.sign()),
        Plain(Unrounded::Ex2) => x.exp2(),
        Plain(Unrounded::Tanh) => x.tanh(),
        HalfOperation::Arithmetic(operation) => to_odd(operation, x, y, z, Mode::Nearest),
    };
    if result.is_nan() {
        return u64::from(if flags.saturates { 0 } else { format.nan() });
    }
    let result = match () {
        () if flags.saturates => result.saturate(),
        // Of two zeros the maximum is the positive one.
        () if relu => maximum(result, 0.0),
        () if extremes.xor_sign && (a ^ b) & format.sign() != 0 => -result,
        () => result,
    };
    u64::from(flush(format.encode(result, Mode::Nearest, false)))
}

/// Returns the type of one half of an operand of [`Half`] or [`HalfPair`].
pub(crate) fn element(ty: Type) -> Type {
    if matches!(ty, Type::Bf16 | Type::Bf16x2) { Type::Bf16 } else { Type::F16 }
}
