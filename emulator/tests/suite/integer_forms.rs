//! Forms of integer arithmetic, bit fields, logic and shifts; see `model.rs`.

use crate::model::{Model, check, check_with_suffix, f, s16, s32};

#[test]
pub(crate) fn integer_arithmetic() {
    let forms: &[(&str, &str, Model)] = &[
        ("add.u16", "hhh", |a, b, _| a + b),
        ("add.s32", "rrr", |a, b, _| a + b),
        ("add.u64", "ddd", |a, b, _| a.wrapping_add(b)),
        ("add.sat.s32", "rrr", |a, b, _| (s32(a) + s32(b)).clamp(i32::MIN.into(), i32::MAX.into()) as u64),
        ("sub.s16", "hhh", |a, b, _| a.wrapping_sub(b)),
        ("sub.u32", "rrr", |a, b, _| a.wrapping_sub(b)),
        ("sub.s64", "ddd", |a, b, _| a.wrapping_sub(b)),
        ("sub.sat.s32", "rrr", |a, b, _| (s32(a) - s32(b)).clamp(i32::MIN.into(), i32::MAX.into()) as u64),
        ("mul.lo.u16", "hhh", |a, b, _| a * b),
        ("mul.lo.s32", "rrr", |a, b, _| a.wrapping_mul(b)),
        ("mul.lo.u64", "ddd", |a, b, _| a.wrapping_mul(b)),
        ("mul.hi.u16", "hhh", |a, b, _| (a * b) >> 16),
        ("mul.hi.s16", "hhh", |a, b, _| ((s16(a) * s16(b)) >> 16) as u64),
        ("mul.hi.u32", "rrr", |a, b, _| (a * b) >> 32),
        ("mul.hi.s32", "rrr", |a, b, _| ((s32(a) * s32(b)) >> 32) as u64),
        ("mul.hi.u64", "ddd", |a, b, _| ((u128::from(a) * u128::from(b)) >> 64) as u64),
        ("mul.hi.s64", "ddd", |a, b, _| ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64),
        ("mul.wide.u16", "rhh", |a, b, _| a * b),
        ("mul.wide.s16", "rhh", |a, b, _| (s16(a) * s16(b)) as u64),
        ("mul.wide.u32", "drr", |a, b, _| a * b),
        ("mul.wide.s32", "drr", |a, b, _| (s32(a) * s32(b)) as u64),
        ("mad.lo.u16", "hhhh", |a, b, c| a * b + c),
        ("mad.lo.s32", "rrrr", |a, b, c| a.wrapping_mul(b).wrapping_add(c)),
        ("mad.lo.s64", "dddd", |a, b, c| a.wrapping_mul(b).wrapping_add(c)),
        ("mad.hi.u32", "rrrr", |a, b, c| ((a * b) >> 32) + c),
        ("mad.hi.s32", "rrrr", |a, b, c| ((s32(a) * s32(b)) >> 32).wrapping_add(s32(c)) as u64),
        ("mad.wide.u32", "drrd", |a, b, c| (a * b).wrapping_add(c)),
        ("mad.wide.s32", "drrd", |a, b, c| (s32(a) * s32(b)).wrapping_add(c as i64) as u64),
        ("mad.wide.s16", "rhhr", |a, b, c| (s16(a) * s16(b)).wrapping_add(c as i64) as u64),
        ("div.u16", "hhh", |a, b, _| a.checked_div(b).unwrap_or(u64::MAX)),
        ("div.u32", "rrr", |a, b, _| a.checked_div(b).unwrap_or(u64::MAX)),
        ("div.s32", "rrr", |a, b, _| s32(a).checked_div(s32(b)).unwrap_or(-1) as u64),
        ("div.u64", "ddd", |a, b, _| a.checked_div(b).unwrap_or(u64::MAX)),
        ("div.s64", "ddd", |a, b, _| if b == 0 { u64::MAX } else { (a as i64).wrapping_div(b as i64) as u64 }),
        ("rem.u32", "rrr", |a, b, _| a.checked_rem(b).unwrap_or(a)),
        ("rem.s32", "rrr", |a, b, _| s32(a).checked_rem(s32(b)).unwrap_or(s32(a)) as u64),
        ("rem.s64", "ddd", |a, b, _| if b == 0 { a } else { (a as i64).wrapping_rem(b as i64) as u64 }),
        ("min.u32", "rrr", |a, b, _| a.min(b)),
        ("min.s32", "rrr", |a, b, _| s32(a).min(s32(b)) as u64),
        ("max.s16", "hhh", |a, b, _| s16(a).max(s16(b)) as u64),
        ("max.u64", "ddd", |a, b, _| a.max(b)),
        ("max.s64", "ddd", |a, b, _| (a as i64).max(b as i64) as u64),
        ("abs.s16", "hh", |a, _, _| s16(a).unsigned_abs()),
        ("abs.s32", "rr", |a, _, _| s32(a).unsigned_abs()),
        ("abs.s64", "dd", |a, _, _| (a as i64).unsigned_abs()),
        ("neg.s32", "rr", |a, _, _| a.wrapping_neg()),
        ("neg.s64", "dd", |a, _, _| a.wrapping_neg()),
        ("sad.u32", "rrrr", |a, b, c| a.abs_diff(b) + c),
        ("sad.s32", "rrrr", |a, b, c| s32(a).abs_diff(s32(b)) + c),
        ("mul24.lo.u32", "rrr", |a, b, _| (a & 0xff_ffff) * (b & 0xff_ffff)),
        ("mul24.hi.s32", "rrr", |a, b, _| (((s32(a << 8) >> 8) * (s32(b << 8) >> 8)) >> 16) as u64),
        ("mad24.lo.s32", "rrrr", |a, b, c| ((s32(a << 8) >> 8) * (s32(b << 8) >> 8)).wrapping_add(s32(c)) as u64),
    ];
    forms.iter().for_each(|(opcode, kinds, model)| check(opcode, kinds, *model));
}

#[test]
pub(crate) fn bits_and_shifts() {
    fn signed_field(a: u64, pos: u64, len: u64, width: u64) -> u64 {
        let (pos, len) = (pos & 255, len & 255);
        let bit = |i: u64| a >> i.min(width - 1) & 1;
        let sign = if len == 0 { 0 } else { bit((pos + len - 1).min(width - 1)) };
        (0..width).fold(0, |field, i| {
            let value = if i < len && pos + i < width { bit(pos + i) } else { sign };
            field | value << i
        })
    }
    fn unsigned_field(a: u64, pos: u64, len: u64, width: u64) -> u64 {
        let (pos, len) = (pos & 255, len & 255);
        (0..width).filter(|&i| i < len && pos + i < width).fold(0, |field, i| field | (a >> (pos + i) & 1) << i)
    }
    fn insert(a: u64, b: u64, pos: u64, len: u64, width: u64) -> u64 {
        (0..width).fold(0, |field, i| {
            let inside = i >= pos && i < pos + len;
            field | (if inside { a >> (i - pos) & 1 } else { b >> i & 1 }) << i
        })
    }
    let forms: &[(&str, &str, Model)] = &[
        ("and.b16", "hhh", |a, b, _| a & b),
        ("and.b32", "rrr", |a, b, _| a & b),
        ("and.b64", "ddd", |a, b, _| a & b),
        ("and.pred", "ppp", |a, b, _| a & b),
        ("or.b32", "rrr", |a, b, _| a | b),
        ("or.b64", "ddd", |a, b, _| a | b),
        ("or.pred", "ppp", |a, b, _| a | b),
        ("xor.b32", "rrr", |a, b, _| a ^ b),
        ("xor.b64", "ddd", |a, b, _| a ^ b),
        ("xor.pred", "ppp", |a, b, _| a ^ b),
        ("not.b16", "hh", |a, _, _| !a),
        ("not.b32", "rr", |a, _, _| !a),
        ("not.b64", "dd", |a, _, _| !a),
        ("not.pred", "pp", |a, _, _| !a),
        ("cnot.b32", "rr", |a, _, _| u64::from(a == 0)),
        ("shl.b16", "hhr", |a, b, _| if b < 16 { a << b } else { 0 }),
        ("shl.b32", "rrr", |a, b, _| if b < 32 { a << b } else { 0 }),
        ("shl.b64", "ddr", |a, b, _| if b < 64 { a << b } else { 0 }),
        ("shr.u16", "hhr", |a, b, _| if b < 16 { a >> b } else { 0 }),
        ("shr.s16", "hhr", |a, b, _| (s16(a) >> b.min(15)) as u64),
        ("shr.u32", "rrr", |a, b, _| if b < 32 { a >> b } else { 0 }),
        ("shr.s32", "rrr", |a, b, _| (s32(a) >> b.min(31)) as u64),
        ("shr.b64", "ddr", |a, b, _| if b < 64 { a >> b } else { 0 }),
        ("shr.s64", "ddr", |a, b, _| (a as i64 >> b.min(63)) as u64),
        ("shf.l.wrap.b32", "rrrr", |a, b, c| ((b << 32 | a) << (c & 31)) >> 32),
        ("shf.l.clamp.b32", "rrrr", |a, b, c| ((u128::from(b << 32 | a) << c.min(32)) >> 32) as u64),
        ("shf.r.wrap.b32", "rrrr", |a, b, c| (b << 32 | a) >> (c & 31)),
        ("shf.r.clamp.b32", "rrrr", |a, b, c| (b << 32 | a) >> c.min(32)),
        ("popc.b32", "rr", |a, _, _| a.count_ones().into()),
        ("popc.b64", "rd", |a, _, _| a.count_ones().into()),
        ("clz.b32", "rr", |a, _, _| (a as u32).leading_zeros().into()),
        ("clz.b64", "rd", |a, _, _| a.leading_zeros().into()),
        ("brev.b32", "rr", |a, _, _| (a as u32).reverse_bits().into()),
        ("brev.b64", "dd", |a, _, _| a.reverse_bits()),
        ("bfind.u32", "rr", |a, _, _| a.checked_ilog2().map_or(u64::MAX, u64::from)),
        ("bfind.s32", "rr", |a, _, _| {
            let value = if s32(a) < 0 { !a & 0xffff_ffff } else { a };
            value.checked_ilog2().map_or(u64::MAX, u64::from)
        }),
        ("bfind.shiftamt.u32", "rr", |a, _, _| a.checked_ilog2().map_or(u64::MAX, |bit| 31 - u64::from(bit))),
        ("bfind.u64", "rd", |a, _, _| a.checked_ilog2().map_or(u64::MAX, u64::from)),
        ("bfind.s64", "rd", |a, _, _| (a ^ (a as i64 >> 63) as u64).checked_ilog2().map_or(u64::MAX, u64::from)),
        ("bfe.u32", "rrrr", |a, b, c| unsigned_field(a, b, c, 32)),
        ("bfe.s32", "rrrr", |a, b, c| signed_field(a, b, c, 32)),
        ("bfe.u64", "ddrr", |a, b, c| unsigned_field(a, b, c, 64)),
        ("bfe.s64", "ddrr", |a, b, c| signed_field(a, b, c, 64)),
        ("szext.clamp.u32", "rrr", |a, b, _| if b >= 32 { a } else { a & ((1 << b) - 1) }),
        (
            "szext.wrap.s32",
            "rrr",
            |a, b, _| if b & 31 == 0 { 0 } else { (s32(a << (32 - (b & 31))) >> (32 - (b & 31))) as u64 },
        ),
        ("bmsk.clamp.b32", "rrr", |a, b, _| (0..32).filter(|i| *i >= a && *i < a + b).fold(0, |m, i| m | 1 << i)),
        ("dp4a.s32.s32", "rrrr", |a, b, c| {
            (0..4).fold(s32(c), |sum, i| sum + i64::from((a >> (8 * i)) as i8) * i64::from((b >> (8 * i)) as i8)) as u64
        }),
        ("dp4a.u32.s32", "rrrr", |a, b, c| {
            (0..4).fold(s32(c), |sum, i| sum + i64::from((a >> (8 * i)) as u8) * i64::from((b >> (8 * i)) as i8)) as u64
        }),
        ("dp2a.lo.s32.u32", "rrrr", |a, b, c| {
            (0..2).fold(s32(c), |sum, i| sum + i64::from((a >> (16 * i)) as i16) * i64::from((b >> (8 * i)) as u8))
                as u64
        }),
        ("prmt.b32", "rrrr", |a, b, c| {
            let bytes: Vec<u8> = (a as u32).to_le_bytes().into_iter().chain((b as u32).to_le_bytes()).collect();
            (0..4).fold(0, |word, i| {
                let nibble = (c >> (4 * i) & 15) as usize;
                let byte = bytes[nibble & 7];
                let byte = if nibble & 8 == 0 {
                    byte
                } else if byte & 0x80 != 0 {
                    0xff
                } else {
                    0
                };
                word | u64::from(byte) << (8 * i)
            })
        }),
        ("selp.b16", "hhhp", |a, b, c| if c != 0 { a } else { b }),
        ("selp.b32", "rrrp", |a, b, c| if c != 0 { a } else { b }),
        ("selp.f64", "gggp", |a, b, c| if c != 0 { a } else { b }),
        ("slct.u32.s32", "rrrr", |a, b, c| if s32(c) >= 0 { a } else { b }),
        ("slct.u64.f32", "dddf", |a, b, c| if f(c) >= 0.0 { a } else { b }),
        ("add.u16x2", "rrr", |a, b, _| ((a >> 16) + (b >> 16)) << 16 | (a + b) & 0xffff),
        ("min.s16x2", "rrr", |a, b, _| {
            (s16(a >> 16).min(s16(b >> 16)) as u64 & 0xffff) << 16 | s16(a).min(s16(b)) as u64 & 0xffff
        }),
    ];
    forms.iter().for_each(|(opcode, kinds, model)| check(opcode, kinds, *model));
    // Four operands do not fit the table: the length is fixed.
    check_with_suffix("bfi.b32", "rrrr", ", 7", |a, b, c| insert(a, b, c & 255, 7, 32));
    check_with_suffix("bfi.b64", "dddr", ", 40", |a, b, c| insert(a, b, c & 255, 40, 64));
    check_with_suffix("lop3.b32", "rrrr", ", 0xe8", |a, b, c| (a & b) | (b & c) | (a & c));
    check_with_suffix("lop3.b32", "rrrr", ", 0x96", |a, b, c| a ^ b ^ c);
    check_with_suffix("lop3.b32", "rrrr", ", 0xca", |a, b, c| (a & b) | (!a & c));
}
