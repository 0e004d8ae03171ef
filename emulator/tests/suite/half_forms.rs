//! Forms of half precision, bfloat16, packed formats and conversions between them, against the integers of `exact.rs`.

use crate::exact::{BF16, E2M3, E3M2, E4M3, E5M2, Exact, F16, F32, Narrow, TF32, To, negate, plus, times};
use crate::model::{Model, check, f, uf};

/// Rounds a single to tf32, which a register holds in its upper bits. The canonical NaN has all lower bits set.
fn tf32(a: u64, to: To) -> u64 {
    if f(a).is_nan() { 0x7fff_ffff } else { TF32.round(F32.value(a), to, false) << 13 }
}

fn near(format: Narrow, value: Exact) -> u64 {
    format.round(value, To::Nearest, false)
}

fn fma(format: Narrow, a: u64, b: u64, c: u64) -> u64 {
    near(format, plus(times(format.value(a & 0xffff), format.value(b & 0xffff)), format.value(c & 0xffff)))
}

fn add(format: Narrow, a: u64, b: u64) -> u64 {
    near(format, plus(format.value(a & 0xffff), format.value(b & 0xffff)))
}

fn sub(format: Narrow, a: u64, b: u64) -> u64 {
    near(format, plus(format.value(a & 0xffff), negate(format.value(b & 0xffff))))
}

fn mul(format: Narrow, a: u64, b: u64) -> u64 {
    near(format, times(format.value(a & 0xffff), format.value(b & 0xffff)))
}

/// The halves of packed operands one by one.
fn both(a: u64, b: u64, c: u64, one: fn(u64, u64, u64) -> u64) -> u64 {
    one(a >> 16, b >> 16, c >> 16) << 16 | one(a & 0xffff, b & 0xffff, c & 0xffff)
}

fn flush(code: u64) -> u64 {
    if code & 0x7c00 == 0 { code & 0x8000 } else { code & 0xffff }
}

fn relu(code: u64) -> u64 {
    // A NaN stays one; a negative number, minus zero too, becomes zero.
    if code & 0x8000 != 0 { 0 } else { code }
}

fn saturate(code: u64) -> u64 {
    match code {
        0x8000..=0xffff => 0,
        0x7c01..=0x7fff => 0,
        code => code.min(0x3c00),
    }
}

/// A single as a bfloat16, one step away from zero if the 16 bits that are dropped and 16 random ones make a carry.
fn randomly(value: u64, random: u64) -> u64 {
    let below = BF16.round(F32.value(value), To::Zero, false);
    let carry = (value & 0xffff) + (random & 0xffff) >= 0x1_0000;
    below + u64::from(carry && f(value).is_finite())
}

/// A single inside of a longer word, where a NaN must be the canonical one.
fn single(value: f32) -> u64 {
    if value.is_nan() { 0x7fff_ffff } else { uf(value) }
}

/// The larger one of two singles; a NaN only where both are; plus zero is larger than minus zero.
fn largest(a: u64, b: u64) -> u64 {
    match () {
        () if f(a) == 0.0 && f(b) == 0.0 => a & b,
        () => uf(f(a).max(f(b))),
    }
}

/// The order of codes that are not NaN.
fn key(code: u64) -> i64 {
    let magnitude = (code & 0x7fff) as i64;
    if code & 0x8000 != 0 { -magnitude - 1 } else { magnitude }
}

fn is_nan(format: Narrow, code: u64) -> bool {
    format.value(code & 0xffff) == Exact::Nan
}

fn extreme(format: Narrow, a: u64, b: u64, largest: bool) -> u64 {
    let (a, b) = (a & 0xffff, b & 0xffff);
    match (is_nan(format, a), is_nan(format, b)) {
        (true, true) => 0x7fff,
        (true, false) => b,
        (false, true) => a,
        _ if largest == (key(a) > key(b)) => a,
        _ => b,
    }
}

fn extreme_nan(format: Narrow, a: u64, b: u64, largest: bool) -> u64 {
    if is_nan(format, a) || is_nan(format, b) { 0x7fff } else { extreme(format, a, b, largest) }
}

fn xorsign(format: Narrow, a: u64, b: u64, largest: bool) -> u64 {
    let result = extreme(format, a & 0x7fff, b & 0x7fff, largest);
    if is_nan(format, result) { result } else { result | (a ^ b) & 0x8000 }
}

pub(crate) const ARITHMETIC: &[(&str, &str, Model)] = &[
    ("add.f16", "hhh", |a, b, _| add(F16, a, b)),
    ("add.rn.bf16", "hhh", |a, b, _| add(BF16, a, b)),
    ("sub.f16", "hhh", |a, b, _| sub(F16, a, b)),
    ("sub.rn.bf16", "hhh", |a, b, _| sub(BF16, a, b)),
    ("mul.f16", "hhh", |a, b, _| mul(F16, a, b)),
    ("mul.rn.bf16", "hhh", |a, b, _| mul(BF16, a, b)),
    ("fma.rn.f16", "hhhh", |a, b, c| fma(F16, a, b, c)),
    ("fma.rn.bf16", "hhhh", |a, b, c| fma(BF16, a, b, c)),
    ("add.f16x2", "rrr", |a, b, c| both(a, b, c, |a, b, _| add(F16, a, b))),
    ("add.rn.bf16x2", "rrr", |a, b, c| both(a, b, c, |a, b, _| add(BF16, a, b))),
    ("sub.f16x2", "rrr", |a, b, c| both(a, b, c, |a, b, _| sub(F16, a, b))),
    ("sub.rn.bf16x2", "rrr", |a, b, c| both(a, b, c, |a, b, _| sub(BF16, a, b))),
    ("mul.f16x2", "rrr", |a, b, c| both(a, b, c, |a, b, _| mul(F16, a, b))),
    ("mul.rn.bf16x2", "rrr", |a, b, c| both(a, b, c, |a, b, _| mul(BF16, a, b))),
    ("fma.rn.f16x2", "rrrr", |a, b, c| both(a, b, c, |a, b, c| fma(F16, a, b, c))),
    ("fma.rn.bf16x2", "rrrr", |a, b, c| both(a, b, c, |a, b, c| fma(BF16, a, b, c))),
    ("add.sat.f16", "hhh", |a, b, _| saturate(add(F16, a, b))),
    ("mul.sat.f16", "hhh", |a, b, _| saturate(mul(F16, a, b))),
    ("fma.rn.sat.f16", "hhhh", |a, b, c| saturate(fma(F16, a, b, c))),
    ("add.ftz.f16", "hhh", |a, b, _| flush(add(F16, flush(a), flush(b)))),
    ("mul.ftz.f16", "hhh", |a, b, _| flush(mul(F16, flush(a), flush(b)))),
    ("fma.rn.ftz.f16x2", "rrrr", |a, b, c| both(a, b, c, |a, b, c| flush(fma(F16, flush(a), flush(b), flush(c))))),
    ("fma.rn.relu.f16", "hhhh", |a, b, c| relu(fma(F16, a, b, c))),
    ("fma.rn.relu.bf16", "hhhh", |a, b, c| relu(fma(BF16, a, b, c))),
    ("fma.rn.relu.f16x2", "rrrr", |a, b, c| both(a, b, c, |a, b, c| relu(fma(F16, a, b, c)))),
    ("fma.rn.relu.bf16x2", "rrrr", |a, b, c| both(a, b, c, |a, b, c| relu(fma(BF16, a, b, c)))),
    ("min.f16", "hhh", |a, b, _| extreme(F16, a, b, false)),
    ("max.f16", "hhh", |a, b, _| extreme(F16, a, b, true)),
    ("min.bf16", "hhh", |a, b, _| extreme(BF16, a, b, false)),
    ("max.bf16x2", "rrr", |a, b, c| both(a, b, c, |a, b, _| extreme(BF16, a, b, true))),
    ("min.NaN.f16", "hhh", |a, b, _| extreme_nan(F16, a, b, false)),
    ("max.NaN.bf16", "hhh", |a, b, _| extreme_nan(BF16, a, b, true)),
    ("max.NaN.f16x2", "rrr", |a, b, c| both(a, b, c, |a, b, _| extreme_nan(F16, a, b, true))),
    ("min.xorsign.abs.f16", "hhh", |a, b, _| xorsign(F16, a, b, false)),
    ("max.xorsign.abs.bf16", "hhh", |a, b, _| xorsign(BF16, a, b, true)),
    ("max.xorsign.abs.f16x2", "rrr", |a, b, c| both(a, b, c, |a, b, _| xorsign(F16, a, b, true))),
    ("abs.f16", "hh", |a, _, _| a & 0x7fff),
    ("abs.bf16x2", "rr", |a, _, _| a & 0x7fff_7fff),
    ("neg.f16", "hh", |a, _, _| a ^ 0x8000),
    ("neg.bf16x2", "rr", |a, _, _| a ^ 0x8000_8000),
    ("add.f32.f16", "fhf", |a, b, _| near(F32, plus(F16.value(a), F32.value(b)))),
    ("fma.rn.f32.bf16", "fhhf", |a, b, c| near(F32, plus(times(BF16.value(a), BF16.value(b)), F32.value(c)))),
    ("add.rz.f32.bf16", "fhf", |a, b, _| F32.round(plus(BF16.value(a), F32.value(b)), To::Zero, false)),
    ("add.rn.f32x2", "ddd", |a, b, _| single(f(a >> 32) + f(b >> 32)) << 32 | single(f(a) + f(b))),
    ("fma.rn.f32x2", "dddd", |a, b, c| {
        let part = |shift: u32| single(f(a >> shift).mul_add(f(b >> shift), f(c >> shift)));
        part(32) << 32 | part(0)
    }),
    ("max.f32", "ffff", |a, b, c| largest(largest(a, b), c)),
    ("min.NaN.f32", "ffff", |a, b, c| {
        let opposite = |v: u64| v ^ 0x8000_0000;
        let smallest = opposite(largest(largest(opposite(a), opposite(b)), opposite(c)));
        if [a, b, c].iter().any(|v| f(*v).is_nan()) { uf(f32::NAN) } else { smallest }
    }),
    ("max.xorsign.abs.f32", "fff", |a, b, _| {
        let largest = f(a).abs().max(f(b).abs());
        if largest.is_nan() { uf(largest) } else { uf(largest) | (a ^ b) & 0x8000_0000 }
    }),
];

/// Two singles in a packed format of bytes.
fn bytes(format: Narrow, a: u64, b: u64) -> u64 {
    format.round(F32.value(a), To::Nearest, true) << 8 | format.round(F32.value(b), To::Nearest, true)
}

/// Two bytes as packed halves.
fn halves(format: Narrow, a: u64, mask: u64) -> u64 {
    near(F16, format.value(a >> 8 & mask)) << 16 | near(F16, format.value(a & mask))
}

pub(crate) const CONVERSIONS: &[(&str, &str, Model)] = &[
    ("cvt.rn.f16.f32", "hf", |a, _, _| near(F16, F32.value(a))),
    ("cvt.rz.f16.f32", "hf", |a, _, _| F16.round(F32.value(a), To::Zero, false)),
    ("cvt.rn.bf16.f32", "hf", |a, _, _| near(BF16, F32.value(a))),
    ("cvt.rn.relu.bf16.f32", "hf", |a, _, _| relu(near(BF16, F32.value(a)))),
    ("cvt.rn.satfinite.f16.f32", "hf", |a, _, _| F16.round(F32.value(a), To::Nearest, true)),
    ("cvt.rn.f16x2.f32", "rff", |a, b, _| near(F16, F32.value(a)) << 16 | near(F16, F32.value(b))),
    ("cvt.rn.bf16x2.f32", "rff", |a, b, _| near(BF16, F32.value(a)) << 16 | near(BF16, F32.value(b))),
    ("cvt.rs.bf16x2.f32", "rffr", |a, b, r| randomly(a, r >> 16) << 16 | randomly(b, r)),
    ("cvt.rs.satfinite.bf16x2.f32", "rffr", |a, b, r| {
        let finite = |code: u64| if code & 0x7fff == 0x7f80 { code - 1 } else { code };
        finite(randomly(a, r >> 16)) << 16 | finite(randomly(b, r))
    }),
    ("cvt.rs.relu.bf16x2.f32", "rffr", |a, b, r| relu(randomly(a, r >> 16)) << 16 | relu(randomly(b, r))),
    ("cvt.f32.f16", "fh", |a, _, _| near(F32, F16.value(a))),
    ("cvt.f32.bf16", "fh", |a, _, _| near(F32, BF16.value(a))),
    ("cvt.rn.satfinite.e4m3x2.f32", "hff", |a, b, _| bytes(E4M3, a, b)),
    ("cvt.rn.satfinite.e5m2x2.f32", "hff", |a, b, _| bytes(E5M2, a, b)),
    ("cvt.rn.satfinite.e2m3x2.f32", "hff", |a, b, _| bytes(E2M3, a, b)),
    ("cvt.rn.satfinite.e3m2x2.f32", "hff", |a, b, _| bytes(E3M2, a, b)),
    ("cvt.rn.f16x2.e4m3x2", "rh", |a, _, _| halves(E4M3, a, 0xff)),
    ("cvt.rn.f16x2.e5m2x2", "rh", |a, _, _| halves(E5M2, a, 0xff)),
    ("cvt.rn.satfinite.e4m3x2.f16x2", "hr", |a, _, _| {
        let part = |code: u64| E4M3.round(F16.value(code & 0xffff), To::Nearest, true);
        part(a >> 16) << 8 | part(a)
    }),
    ("cvt.rna.tf32.f32", "rf", |a, _, _| tf32(a, To::Away)),
    ("cvt.rn.tf32.f32", "rf", |a, _, _| tf32(a, To::Nearest)),
    ("cvt.rz.tf32.f32", "rf", |a, _, _| tf32(a, To::Zero)),
    ("cvt.pack.sat.u16.s32", "rrr", |a, b, _| {
        let part = |bits: u64| u64::from((bits as u32 as i32).clamp(0, 0xffff) as u32);
        part(a) << 16 | part(b)
    }),
    ("cvt.pack.sat.s8.s32.b32", "rrrr", |a, b, c| {
        let part = |bits: u64| u64::from((bits as u32 as i32).clamp(-128, 127) as u8);
        (c & 0xffff) << 16 | part(a) << 8 | part(b)
    }),
    ("cvt.pack.sat.u4.s32.b32", "rrrr", |a, b, c| {
        let part = |bits: u64| u64::from((bits as u32 as i32).clamp(0, 15) as u32);
        c << 8 | part(a) << 4 | part(b)
    }),
    ("set.eq.f16.f16", "hhh", |a, b, _| if F16.value(a) != Exact::Nan && key_equal(a, b) { 0x3c00 } else { 0 }),
    ("set.lt.f16x2.f16x2", "rrr", |a, b, c| {
        both(a, b, c, |a, b, _| {
            let less = !is_nan(F16, a) && !is_nan(F16, b) && key(a) < key(b) && !key_equal(a, b);
            if less { 0x3c00 } else { 0 }
        })
    }),
    ("set.gtu.u32.bf16", "rhh", |a, b, _| {
        let greater = key(a) > key(b) && !key_equal(a, b);
        if is_nan(BF16, a) || is_nan(BF16, b) || greater { u64::MAX } else { 0 }
    }),
];

/// Equal codes, or zeros of any sign.
fn key_equal(a: u64, b: u64) -> bool {
    a == b || (a | b) & 0x7fff == 0
}

#[test]
pub(crate) fn half_precision() {
    ARITHMETIC.iter().for_each(|(opcode, kinds, model)| check(opcode, kinds, *model));
}

#[test]
pub(crate) fn narrow_conversions() {
    CONVERSIONS.iter().for_each(|(opcode, kinds, model)| check(opcode, kinds, *model));
}
