//! The functions of scalar forms: bit fields, permutations, dot products, functions of mathematics.

use ptx_parser::{Modifier, Type};

use super::convert::{Number, number, type_of};
use super::float::Float;
use super::formats::Format;
use super::integer::extract;
use super::rounding::{Arithmetic, Mode, compute32, compute64};
use super::rows::lanes;
use super::scalar::{get, scalar, set};
use super::{Ctx, Execute, Op};

/// Bit of the immediate of float forms: subnormal operands and results count as zero.
pub(crate) const FTZ: u64 = 1 << 16;
/// The result is clamped to [0, 1].
pub(crate) const SAT: u64 = 1 << 17;
/// Of the two operands a NaN wins (`min.NaN`).
pub(crate) const NAN_WINS: u64 = 1 << 18;

fn single(bits: u64, imm: u64) -> f32 {
    let value = f32::from_bits(bits as u32);
    if imm & FTZ != 0 { value.flush() } else { value }
}

fn finish_single(value: f32, imm: u64) -> u64 {
    let value = if imm & FTZ != 0 { value.flush() } else { value };
    let value = if imm & SAT != 0 { value.saturate() } else { value.canonical() };
    u64::from(value.to_bits())
}

/// A function of mathematics in double precision, rounded once: closer than what the hardware documents.
fn approximate(bits: u64, imm: u64, function: fn(f64) -> f64) -> u64 {
    finish_single(function(f64::from(single(bits, imm))) as f32, imm)
}

scalar! {
    Sin = |[a, _, _], imm| approximate(a, imm, f64::sin);
    Cos = |[a, _, _], imm| approximate(a, imm, f64::cos);
    Ex2 = |[a, _, _], imm| approximate(a, imm, f64::exp2);
    Lg2 = |[a, _, _], imm| approximate(a, imm, f64::log2);
    Tanh = |[a, _, _], imm| approximate(a, imm, f64::tanh);

    /// Single precision in any rounding: operation in bits 0 to 7, mode in bits 8 to 15.
    Directed32 = |[a, b, c], imm| {
        let (a, b, c) = (single(a, imm), single(b, imm), single(c, imm));
        finish_single(compute32(Arithmetic::from_code(imm & 0xff), a, b, c, Mode::from_code(imm >> 8)), imm)
    };
    /// Double precision in any rounding.
    Directed64 = |[a, b, c], imm| {
        let [a, b, c] = [a, b, c].map(f64::from_bits);
        compute64(Arithmetic::from_code(imm & 0xff), a, b, c, Mode::from_code(imm >> 8)).canonical().to_bits()
    };
    /// `bfind`: width in bits 0 to 7, bit 8 signed, bit 9 `.shiftamt`.
    Bfind = |[a, _, _], imm| {
        let width = (imm & 0xff) as u32;
        let value = a << (64 - width);
        let value = if imm & 0x100 != 0 && value >> 63 != 0 { !value & u64::MAX << (64 - width) } else { value };
        if value == 0 {
            u64::from(u32::MAX)
        } else {
            let position = width - 1 - value.leading_zeros();
            u64::from(if imm & 0x200 != 0 { width - 1 - position } else { position })
        }
    };
    /// Signed `bfe`; the immediate is the width.
    BfeSigned = |[a, position, length], imm| {
        let width = imm as u32;
        let value = ((a << (64 - width)).cast_signed() >> (64 - width)).cast_unsigned();
        let (position, length) = ((position & 255) as u32, (length & 255) as u32);
        if length == 0 {
            0
        } else {
            // Beyond the value its sign continues, which the extension to 64 bits already holds.
            let shifted = (value.cast_signed() >> position.min(63)).cast_unsigned();
            let sign_at = (position + length - 1).min(width - 1);
            let sign = value >> sign_at & 1;
            let low = extract(shifted, 0, length);
            if sign != 0 && length < 64 { low | u64::MAX << length } else { low }
        }
    };
    /// `prmt`: the immediate is the mode: 0 default, 1 f4e, 2 b4e, 3 rc8, 4 ecl, 5 ecr, 6 rc16.
    Prmt = |[a, b, selector], imm| u64::from(permute(a as u32, b as u32, selector as u32, imm));
    /// `dp4a`: bit 0 `a` signed, bit 1 `b` signed.
    Dp4a = |[a, b, c], imm| {
        let byte = |value: u64, index: u32, signed: bool| {
            let byte = (value >> (8 * index)) as u8;
            if signed { i64::from(byte.cast_signed()) } else { i64::from(byte) }
        };
        let products = (0..4).map(|i| byte(a, i, imm & 1 != 0) * byte(b, i, imm & 2 != 0));
        products.sum::<i64>().wrapping_add(c.cast_signed()).cast_unsigned()
    };
    /// `dp2a`: as `dp4a`, with bit 2 for `.hi`.
    Dp2a = |[a, b, c], imm| {
        let half = |index: u32| {
            let half = (a >> (16 * index)) as u16;
            if imm & 1 != 0 { i64::from(half.cast_signed()) } else { i64::from(half) }
        };
        let byte = |index: u32| {
            let byte = (b >> (8 * (index + if imm & 4 != 0 { 2 } else { 0 }))) as u8;
            if imm & 2 != 0 { i64::from(byte.cast_signed()) } else { i64::from(byte) }
        };
        (half(0) * byte(0) + half(1) * byte(1)).wrapping_add(c.cast_signed()).cast_unsigned()
    };
    /// `mul24` and `mad24`: bit 0 signed, bit 1 `.hi`.
    Mad24 = |[a, b, c], imm| {
        let part = |value: u64| {
            let shifted = (value as u32) << 8;
            if imm & 1 != 0 { i64::from(shifted.cast_signed() >> 8) } else { i64::from(shifted >> 8) }
        };
        let product = part(a) * part(b);
        (product >> if imm & 2 != 0 { 16 } else { 0 }).wrapping_add(c.cast_signed()).cast_unsigned()
    };
    /// `mad.hi.sat.s32` and, where bit 0 is set, `mad24.hi.sat.s32`.
    MadSat = |[a, b, c], imm| {
        let part = |bits: u64| {
            let value = (bits as u32).cast_signed();
            i64::from(if imm & 1 != 0 { value << 8 >> 8 } else { value })
        };
        let product = (part(a) * part(b)) >> if imm & 1 != 0 { 16 } else { 32 };
        let sum = i64::from(product as i32) + i64::from((c as u32).cast_signed());
        sum.clamp(i64::from(i32::MIN), i64::from(i32::MAX)).cast_unsigned()
    };
    /// `fns`: the place of the n-th set bit of `a` from bit `b` on; negative `n` looks downwards.
    Fns = |[mask, base, offset], _| {
        let (base, offset) = (base as u32, (offset as u32).cast_signed());
        let set = |position: &u32| mask >> position & 1 != 0;
        let skip = (offset.unsigned_abs() as usize).saturating_sub(1);
        let found = match offset {
            _ if base > 31 => None,
            0 => Some(base).filter(set),
            1.. => (base..32).filter(set).nth(skip),
            _ => (0..=base).rev().filter(set).nth(skip),
        };
        u64::from(found.unwrap_or(u32::MAX))
    };
    /// `min.relu.s32` and `max.relu.s32`: bit 0 is set for `max`.
    ExtremeRelu = |[a, b, _], imm| {
        let (a, b) = ((a as u32).cast_signed(), (b as u32).cast_signed());
        u64::from((if imm & 1 != 0 { a.max(b) } else { a.min(b) }).max(0).cast_unsigned())
    };
    /// `szext`: bit 0 signed, bit 1 `.wrap`.
    Szext = |[a, position, _], imm| {
        let position = if imm & 2 != 0 { position & 31 } else { (position & 0xffff_ffff).min(32) } as u32;
        match (position, imm & 1 != 0) {
            (0, _) => 0,
            (32.., _) => a,
            (bits, false) => a & ((1 << bits) - 1),
            (bits, true) => ((a << (64 - bits)).cast_signed() >> (64 - bits)).cast_unsigned(),
        }
    };
    /// `bmsk`: bit 0 `.wrap`.
    Bmsk = |[position, length, _], imm| {
        let limit = |value: u64| if imm & 1 != 0 { value & 31 } else { (value & 0xffff_ffff).min(32) };
        let (position, length) = (limit(position), limit(length));
        ((1u64 << length) - 1) << position
    };
    /// `copysign`: the immediate is the width.
    CopySign = |[a, b, _], imm| {
        let sign = 1u64 << (imm - 1);
        a & sign | b & (sign - 1)
    };
    /// `testp`: kind in bits 0 to 7 (0 finite, 1 infinite, 2 number, 3 notanumber, 4 normal, 5 subnormal), bit 8 double.
    Testp = |[a, _, _], imm| {
        let category = if imm & 0x100 != 0 { f64::from_bits(a).classify() } else { f32::from_bits(a as u32).classify() };
        use std::num::FpCategory::*;
        u64::from(match imm & 0xff {
            0 => !matches!(category, Infinite | Nan),
            1 => category == Infinite,
            2 => category != Nan,
            3 => category == Nan,
            4 => category == Normal,
            _ => category == Subnormal,
        })
    };
    /// `slct`: `c >= 0 ? a : b`; bit 0: `c` is a single, else a signed word.
    Slct = |[a, b, c], imm| {
        let chosen = if imm & 1 != 0 { single(c, imm) >= 0.0 } else { (c as u32).cast_signed() >= 0 };
        if chosen { a } else { b }
    };
    /// `set`, and `setp` of half precision: relation in bits 0 to 7, type in bits 8 to 15, bits 16 to 19 are what stands for true ([`TRUE`]).
    Set = |[a, b, c], imm| result(compared(a, b, c, imm), imm);
    /// `set` with a result of 16 bits.
    SetNarrow = |[a, b, c], imm| result(compared(a, b, c, imm), imm) & 0xffff;
    /// `set` of two packed halves: each half of the result by the halves that it belongs to.
    SetPair = |[a, b, c], imm| {
        let part = |shift: u32| result(compared(a >> shift & 0xffff, b >> shift & 0xffff, c, imm), imm) & 0xffff;
        part(16) << 16 | part(0)
    };
    /// `add`, `min`, `max` of two packed 16-bit integers: 0 add, 1 min, 2 max; bit 2 signed, bit 3 `.relu`.
    Packed16 = |[a, b, _], imm| {
        let part = |shift: u32| {
            let (x, y) = ((a >> shift) as u16, (b >> shift) as u16);
            let (sx, sy) = (x.cast_signed(), y.cast_signed());
            let result = match imm & 7 {
                1 => x.min(y),
                2 => x.max(y),
                5 => sx.min(sy).cast_unsigned(),
                6 => sx.max(sy).cast_unsigned(),
                _ => x.wrapping_add(y),
            };
            let result = if imm & 8 != 0 && result.cast_signed() < 0 { 0 } else { result };
            u64::from(result) << shift
        };
        part(0) | part(16)
    };
}

/// What `set` writes where the comparison holds: all ones, one as a single, a predicate, one as a half, one as a bfloat16.
const TRUE: [u64; 5] = [u64::MAX, 0x3f80_0000, 1, 0x3c00, 0x3f80];

fn result(holds: bool, imm: u64) -> u64 {
    if holds { TRUE.get((imm >> 16 & 15) as usize).copied().unwrap_or(0) } else { 0 }
}

/// Returns true if the comparison of a `set` holds, combined with its predicate.
pub(crate) fn compared(a: u64, b: u64, c: u64, imm: u64) -> bool {
    let ty = type_of(imm >> 8);
    let value = |bits: u64| match Format::of(ty) {
        Some(format) if imm & SET_FTZ != 0 && format.is_subnormal(bits as u32) => Number::Float(0.0),
        _ => number(ty, bits),
    };
    let holds = holds(imm & 0xff, value(a), value(b), imm & SET_FTZ != 0 && ty == Type::F32);
    let with = c & 1 != u64::from(imm & SET_NEGATED != 0);
    match imm >> 20 & 3 {
        1 => holds && with,
        2 => holds || with,
        3 => holds != with,
        _ => holds,
    }
}

/// `setp` of two packed halves: the first result is for the lower, the second for the upper one.
pub(crate) struct SetpPair;

impl Execute for SetpPair {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        for lane in lanes(ctx.mask) {
            let [a, b, c] = [op.a, op.b, op.c].map(|row| get(ctx, row, lane));
            for (row, shift) in [(op.d, 0), (op.e, 16)] {
                let holds = compared(a >> shift & 0xffff, b >> shift & 0xffff, c, op.imm);
                set(ctx, row, lane, u64::from(holds));
            }
        }
        true
    }
}

/// Bit of the immediate of [`Set`]: subnormal operands count as zero.
pub(crate) const SET_FTZ: u64 = 1 << 22;
/// The predicate that the comparison is combined with is negated.
pub(crate) const SET_NEGATED: u64 = 1 << 23;

/// The relations of `set` and `setp`, in the order of their codes.
pub(crate) const RELATIONS: [Modifier; 14] = [
    Modifier::Eq,
    Modifier::Ne,
    Modifier::Lt,
    Modifier::Le,
    Modifier::Gt,
    Modifier::Ge,
    Modifier::Equ,
    Modifier::Neu,
    Modifier::Ltu,
    Modifier::Leu,
    Modifier::Gtu,
    Modifier::Geu,
    Modifier::Num,
    Modifier::Nan,
];

fn holds(relation: u64, a: Number, b: Number, flush: bool) -> bool {
    let order = match (a, b) {
        (Number::Integer(a), Number::Integer(b)) => Some(a.cmp(&b)),
        (Number::Float(a), Number::Float(b)) if flush => {
            f64::from((a as f32).flush()).partial_cmp(&f64::from((b as f32).flush()))
        }
        (Number::Float(a), Number::Float(b)) => a.partial_cmp(&b),
        _ => None,
    };
    use std::cmp::Ordering::*;
    match (relation, order) {
        (12, order) => order.is_some(),
        (13, order) => order.is_none(),
        (relation, None) => (6..12).contains(&relation),
        (relation, Some(order)) => match relation % 6 {
            0 => order == Equal,
            1 => order != Equal,
            2 => order == Less,
            3 => order != Greater,
            4 => order == Greater,
            _ => order != Less,
        },
    }
}

fn permute(a: u32, b: u32, selector: u32, mode: u64) -> u32 {
    let pair = u64::from(b) << 32 | u64::from(a);
    let byte = |index: u32| (pair >> (8 * (index & 7)) & 0xff) as u32;
    let s = selector & 3;
    let nibble = |position: u32| {
        let nibble = selector >> (4 * position) & 15;
        let value = byte(nibble & 7);
        // The top bit of the selector asks for the byte's sign in all bits.
        if nibble & 8 == 0 {
            value
        } else if value & 0x80 != 0 {
            0xff
        } else {
            0
        }
    };
    let bytes: [u32; 4] = match mode {
        1 => [0, 1, 2, 3].map(|i| byte(s + i)),
        2 => [0, 1, 2, 3].map(|i| byte(s.wrapping_sub(i))),
        3 => [byte(s); 4],
        4 => [0, 1, 2, 3].map(|i: u32| byte(i.max(s))),
        5 => [0, 1, 2, 3].map(|i: u32| byte(i.min(s))),
        6 => [0, 1, 0, 1].map(|i| byte((s & 1) * 2 + i)),
        _ => [0, 1, 2, 3].map(nibble),
    };
    bytes[0] | bytes[1] << 8 | bytes[2] << 16 | bytes[3] << 24
}

/// `bfi`: inserts the low `op.e` bits of `a` into `b` at `c`; the immediate is the width. Four operands, so not a scalar form.
pub(crate) struct Bfi;

impl Execute for Bfi {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        for lane in lanes(ctx.mask) {
            let (a, b) = (get(ctx, op.a, lane), get(ctx, op.b, lane));
            let (position, length) = (get(ctx, op.c, lane) & 255, get(ctx, op.e, lane) & 255);
            let ones = if length < 64 { (1u64 << length) - 1 } else { u64::MAX };
            let field = if position < op.imm { ones << position } else { 0 };
            let moved = if position < op.imm { a << position } else { 0 };
            set(ctx, op.d, lane, b & !field | moved & field);
        }
        true
    }
}
