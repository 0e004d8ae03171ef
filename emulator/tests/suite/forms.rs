//! One instruction form at a time, on random and extreme operands, against a model written for this test alone.
//!
//! A form is its opcode, the kinds of its operands (result first), and the model: three operands as 64 bits to a
//! result. Kinds: `h` 16 bits, `r` 32, `d` 64, `f` single, `g` double, `p` predicate.

use emulator::{Launch, Memory};

use crate::support::{finish, program};

type Model = fn(u64, u64, u64) -> u64;

const LANES: usize = 2048;

/// Random operands, a third of them extreme.
fn operand(state: &mut u64, kind: char) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    let random = state.wrapping_mul(0x2545_f491_4f6c_dd1d);
    let pick = (random >> 60) as usize;
    let floats = [0.0f64, -0.0, 1.0, -1.5, 0.5, 3e9, -3e9, 1e-40, 65504.0, 2.5, 3.5, -2.5, 1e19, 1e38];
    let integers =
        [0, 1, 2, 31, 32, 33, 63, 64, 0x7f, 0x80, 0x7fff, 0x8000, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, u64::MAX];
    match (kind, random >> 56 & 3) {
        ('f', 0) => u64::from((floats[pick % floats.len()] as f32).to_bits()),
        ('f', 1) => {
            u64::from([f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN_POSITIVE][pick % 5].to_bits())
        }
        ('f', 2) => u64::from((((random as i32) as f32) * 1e-6).to_bits()),
        ('f', _) => random & 0xffff_ffff,
        ('g', 0) => floats[pick % floats.len()].to_bits(),
        ('g', 1) => [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN_POSITIVE][pick % 5].to_bits(),
        ('g', 2) => ((random as i64) as f64 * 1e-12).to_bits(),
        (_, 0) => integers[pick],
        (_, 1) => random >> 32 & 0xff,
        _ => random,
    }
}

fn bits(kind: char) -> u32 {
    match kind {
        'p' => 1,
        'h' => 16,
        'r' | 'f' => 32,
        _ => 64,
    }
}

fn cut(value: u64, kind: char) -> u64 {
    value & u64::MAX >> (64 - bits(kind))
}

fn is_nan(value: u64, kind: char) -> bool {
    match kind {
        'f' => f32::from_bits(value as u32).is_nan(),
        'g' => f64::from_bits(value).is_nan(),
        _ => false,
    }
}

/// Runs a form over all operands and compares.
fn check(opcode: &str, kinds: &str, model: Model) {
    let kinds: Vec<char> = kinds.chars().collect();
    let register = |kind: char, index: usize| match kind {
        'p' => format!("%p{}", index + 4),
        'h' => format!("%rs{}", index + 4),
        'r' => format!("%r{}", index + 20),
        'f' => format!("%f{}", index + 4),
        'g' => format!("%fd{}", index + 4),
        _ => format!("%rd{}", index + 10),
    };
    let suffix = |kind: char| match kind {
        'h' => "b16",
        'r' => "b32",
        'f' => "f32",
        'g' => "f64",
        _ => "b64",
    };
    let mut body = String::from(
        "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r1, %r1, %r2, %r3;
         ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [out];
         mul.wide.u32 %rd3, %r1, 24; add.s64 %rd1, %rd1, %rd3; mul.wide.u32 %rd3, %r1, 8; add.s64 %rd2, %rd2, %rd3;\n",
    );
    for (index, &kind) in kinds.iter().enumerate().skip(1) {
        let register = register(kind, index);
        if kind == 'p' {
            body += &format!(
                "ld.global.u8 %rs1, [%rd1+{}]; and.b16 %rs1, %rs1, 1; setp.ne.u16 {register}, %rs1, 0;\n",
                8 * (index - 1)
            );
        } else {
            body += &format!("ld.global.{} {register}, [%rd1+{}];\n", suffix(kind), 8 * (index - 1));
        }
    }
    let names: Vec<String> = kinds.iter().enumerate().map(|(index, &kind)| register(kind, index)).collect();
    body += &format!("{opcode} {};\n", names.join(", "));
    if kinds[0] == 'p' {
        body += &format!("selp.u32 %r5, 1, 0, {}; st.global.u32 [%rd2], %r5;\n", names[0]);
    } else {
        body += &format!("st.global.{} [%rd2], {};\n", suffix(kinds[0]), names[0]);
    }
    body += "ret;";
    let p = program(".param .u64 a, .param .u64 out", &body);
    let mut state = 0x9e37_79b9_7f4a_7c15u64 ^ opcode.len() as u64;
    let operands: Vec<u64> =
        (0..3 * LANES).map(|i| kinds.get(i % 3 + 1).map_or(0, |&kind| cut(operand(&mut state, kind), kind))).collect();
    let mut memory = Memory::new();
    let (a, out) = (memory.alloc_from(&operands, "a"), memory.alloc(8 * LANES as u64, "out"));
    finish(&p, &mut memory, &Launch::new((LANES / 128) as u32, 128).arg(a).arg(out));
    for (row, got) in operands.chunks(3).zip(memory.read::<u64>(out, LANES).unwrap()) {
        let expected = cut(model(row[0], row[1], row[2]), kinds[0]);
        let same = got == expected || is_nan(got, kinds[0]) && is_nan(expected, kinds[0]);
        assert!(same, "{opcode} of {:x} {:x} {:x} is {got:x}, expected {expected:x}", row[0], row[1], row[2]);
    }
}

fn s32(v: u64) -> i64 {
    i64::from(v as u32 as i32)
}

fn s16(v: u64) -> i64 {
    i64::from(v as u16 as i16)
}

fn f(v: u64) -> f32 {
    f32::from_bits(v as u32)
}

fn g(v: u64) -> f64 {
    f64::from_bits(v)
}

fn uf(v: f32) -> u64 {
    u64::from(v.to_bits())
}

#[test]
fn integer_arithmetic() {
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
        ("mul.hi.s16", "hhh", |a, b, _| (s16(a) * s16(b) >> 16) as u64),
        ("mul.hi.u32", "rrr", |a, b, _| (a * b) >> 32),
        ("mul.hi.s32", "rrr", |a, b, _| (s32(a) * s32(b) >> 32) as u64),
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
        ("mul24.hi.s32", "rrr", |a, b, _| ((s32(a << 8) >> 8) * (s32(b << 8) >> 8) >> 16) as u64),
        ("mad24.lo.s32", "rrrr", |a, b, c| ((s32(a << 8) >> 8) * (s32(b << 8) >> 8)).wrapping_add(s32(c)) as u64),
    ];
    forms.iter().for_each(|(opcode, kinds, model)| check(opcode, kinds, *model));
}

#[test]
fn bits_and_shifts() {
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

/// A form with a literal behind its operands: the opcode is given a register less than it has.
fn check_with_suffix(opcode: &str, kinds: &str, suffix: &str, model: Model) {
    let literal = suffix.trim_start_matches(", ").to_string();
    // The literal is put where `check` joins the operands: as part of the last register's name.
    let kinds: Vec<char> = kinds.chars().collect();
    let names: Vec<String> = kinds
        .iter()
        .enumerate()
        .map(|(index, kind)| if *kind == 'd' { format!("%rd{}", index + 10) } else { format!("%r{}", index + 20) })
        .collect();
    let mut body = String::from(
        "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [out];
         mul.wide.u32 %rd3, %r1, 24; add.s64 %rd1, %rd1, %rd3; mul.wide.u32 %rd3, %r1, 8; add.s64 %rd2, %rd2, %rd3;\n",
    );
    for (index, kind) in kinds.iter().enumerate().skip(1) {
        body += &format!("ld.global.b{} {}, [%rd1+{}];\n", bits(*kind), names[index], 8 * (index - 1));
    }
    body += &format!(
        "{opcode} {}, {literal};\nst.global.b{} [%rd2], {};\nret;",
        names.join(", "),
        bits(kinds[0]),
        names[0]
    );
    let p = program(".param .u64 a, .param .u64 out", &body);
    let mut state = 0x1234_5678_9abc_def1;
    let operands: Vec<u64> =
        (0..3 * 1024).map(|i| cut(operand(&mut state, kinds[i % 3 + 1]), kinds[i % 3 + 1])).collect();
    let mut memory = Memory::new();
    let (a, out) = (memory.alloc_from(&operands, "a"), memory.alloc(8 * 1024, "out"));
    finish(&p, &mut memory, &Launch::new(1, 1024).arg(a).arg(out));
    for (row, got) in operands.chunks(3).zip(memory.read::<u64>(out, 1024).unwrap()) {
        let expected = cut(model(row[0], row[1], row[2]), kinds[0]);
        assert_eq!(got, expected, "{opcode} of {row:x?}");
    }
}

#[test]
fn comparisons() {
    let forms: &[(&str, &str, Model)] = &[
        ("setp.eq.u16", "phh", |a, b, _| u64::from(a == b)),
        ("setp.lt.s16", "phh", |a, b, _| u64::from(s16(a) < s16(b))),
        ("setp.eq.s32", "prr", |a, b, _| u64::from(a == b)),
        ("setp.ne.b32", "prr", |a, b, _| u64::from(a != b)),
        ("setp.lt.s32", "prr", |a, b, _| u64::from(s32(a) < s32(b))),
        ("setp.le.s32", "prr", |a, b, _| u64::from(s32(a) <= s32(b))),
        ("setp.gt.u32", "prr", |a, b, _| u64::from(a > b)),
        ("setp.ge.u32", "prr", |a, b, _| u64::from(a >= b)),
        ("setp.lo.u32", "prr", |a, b, _| u64::from(a < b)),
        ("setp.hs.u32", "prr", |a, b, _| u64::from(a >= b)),
        ("setp.lt.s64", "pdd", |a, b, _| u64::from((a as i64) < b as i64)),
        ("setp.ge.u64", "pdd", |a, b, _| u64::from(a >= b)),
        ("setp.lt.and.u32", "prrp", |a, b, c| u64::from(a < b) & c),
        ("setp.eq.or.s64", "pddp", |a, b, c| u64::from(a == b) | c),
        ("setp.gt.xor.s32", "prrp", |a, b, c| u64::from(s32(a) > s32(b)) ^ c),
        ("setp.eq.f32", "pff", |a, b, _| u64::from(f(a) == f(b))),
        ("setp.ne.f32", "pff", |a, b, _| u64::from(f(a) < f(b) || f(a) > f(b))),
        ("setp.lt.f32", "pff", |a, b, _| u64::from(f(a) < f(b))),
        ("setp.ge.f32", "pff", |a, b, _| u64::from(f(a) >= f(b))),
        ("setp.equ.f32", "pff", |a, b, _| u64::from(f(a) == f(b) || f(a).is_nan() || f(b).is_nan())),
        ("setp.neu.f32", "pff", |a, b, _| u64::from(f(a) != f(b))),
        ("setp.ltu.f32", "pff", |a, b, _| u64::from(f(a) < f(b) || f(a).is_nan() || f(b).is_nan())),
        ("setp.leu.f64", "pgg", |a, b, _| u64::from(g(a) <= g(b) || g(a).is_nan() || g(b).is_nan())),
        ("setp.gtu.f64", "pgg", |a, b, _| u64::from(g(a) > g(b) || g(a).is_nan() || g(b).is_nan())),
        ("setp.geu.f32", "pff", |a, b, _| u64::from(f(a) >= f(b) || f(a).is_nan() || f(b).is_nan())),
        ("setp.num.f32", "pff", |a, b, _| u64::from(!f(a).is_nan() && !f(b).is_nan())),
        ("setp.nan.f64", "pgg", |a, b, _| u64::from(g(a).is_nan() || g(b).is_nan())),
        ("setp.gt.f64", "pgg", |a, b, _| u64::from(g(a) > g(b))),
        ("set.lt.u32.s32", "rrr", |a, b, _| if s32(a) < s32(b) { u64::MAX } else { 0 }),
        ("set.geu.f32.f32", "fff", |a, b, _| if f(a) >= f(b) || f(a).is_nan() || f(b).is_nan() { uf(1.0) } else { 0 }),
        ("set.eq.and.u32.u64", "rddp", |a, b, c| if a == b && c != 0 { u64::MAX } else { 0 }),
        ("testp.finite.f32", "pf", |a, _, _| u64::from(f(a).is_finite())),
        ("testp.notanumber.f64", "pg", |a, _, _| u64::from(g(a).is_nan())),
        ("testp.subnormal.f32", "pf", |a, _, _| u64::from(f(a).is_subnormal())),
    ];
    forms.iter().for_each(|(opcode, kinds, model)| check(opcode, kinds, *model));
}

#[test]
fn floating_point() {
    fn flush(v: f32) -> f32 {
        if v.is_subnormal() { 0f32.copysign(v) } else { v }
    }
    fn saturate(v: f32) -> f32 {
        if v.is_nan() { 0.0 } else { v.clamp(0.0, 1.0) + 0.0 }
    }
    /// The value of two candidates to either side of an exact result, given as a comparison with it.
    fn towards_zero(exact: f64) -> f32 {
        let near = exact as f32;
        if near.is_finite() && f64::from(near).abs() > exact.abs() {
            f32::from_bits(near.to_bits() - 1)
        } else if near.is_infinite() && exact.is_finite() {
            f32::MAX.copysign(near)
        } else {
            near
        }
    }
    let forms: &[(&str, &str, Model)] = &[
        ("add.f32", "fff", |a, b, _| uf(f(a) + f(b))),
        ("add.rn.ftz.f32", "fff", |a, b, _| uf(flush(flush(f(a)) + flush(f(b))))),
        ("add.sat.f32", "fff", |a, b, _| uf(saturate(f(a) + f(b)))),
        ("sub.f32", "fff", |a, b, _| uf(f(a) - f(b))),
        ("mul.f32", "fff", |a, b, _| uf(f(a) * f(b))),
        ("mul.ftz.f32", "fff", |a, b, _| uf(flush(flush(f(a)) * flush(f(b))))),
        ("mul.rz.f32", "fff", |a, b, _| uf(towards_zero(f64::from(f(a)) * f64::from(f(b))))),
        ("fma.rn.f32", "ffff", |a, b, c| uf(f(a).mul_add(f(b), f(c)))),
        ("fma.rn.sat.f32", "ffff", |a, b, c| uf(saturate(f(a).mul_add(f(b), f(c))))),
        ("div.rn.f32", "fff", |a, b, _| uf(f(a) / f(b))),
        ("min.f32", "fff", |a, b, _| if f(a) == 0.0 && f(b) == 0.0 { a | b } else { uf(f(a).min(f(b))) }),
        ("max.f32", "fff", |a, b, _| if f(a) == 0.0 && f(b) == 0.0 { a & b } else { uf(f(a).max(f(b))) }),
        ("min.NaN.f32", "fff", |a, b, _| {
            if f(a).is_nan() || f(b).is_nan() {
                uf(f32::NAN)
            } else if f(a) == 0.0 && f(b) == 0.0 {
                a | b
            } else {
                uf(f(a).min(f(b)))
            }
        }),
        ("abs.f32", "ff", |a, _, _| a & 0x7fff_ffff),
        ("neg.f32", "ff", |a, _, _| a ^ 0x8000_0000),
        ("neg.ftz.f32", "ff", |a, _, _| uf(-flush(f(a)))),
        ("sqrt.rn.f32", "ff", |a, _, _| uf(f(a).sqrt())),
        ("rcp.rn.f32", "ff", |a, _, _| uf(1.0 / f(a))),
        ("copysign.f32", "fff", |a, b, _| a & 0x8000_0000 | b & 0x7fff_ffff),
        ("add.f64", "ggg", |a, b, _| (g(a) + g(b)).to_bits()),
        ("sub.f64", "ggg", |a, b, _| (g(a) - g(b)).to_bits()),
        ("mul.f64", "ggg", |a, b, _| (g(a) * g(b)).to_bits()),
        ("fma.rn.f64", "gggg", |a, b, c| g(a).mul_add(g(b), g(c)).to_bits()),
        ("div.rn.f64", "ggg", |a, b, _| (g(a) / g(b)).to_bits()),
        ("sqrt.rn.f64", "gg", |a, _, _| g(a).sqrt().to_bits()),
        ("rcp.rn.f64", "gg", |a, _, _| (1.0 / g(a)).to_bits()),
        ("abs.f64", "gg", |a, _, _| a & u64::MAX >> 1),
        ("neg.f64", "gg", |a, _, _| a ^ 1 << 63),
    ];
    forms.iter().for_each(|(opcode, kinds, model)| check(opcode, kinds, *model));
}

#[test]
fn directed_rounding_brackets_the_exact_result() {
    // Down is at most up, they differ by at most one step, and one of them is the result to nearest.
    for (name, kinds) in
        [("add", "fff"), ("sub", "fff"), ("mul", "fff"), ("div", "fff"), ("fma", "ffff"), ("sqrt", "ff")]
    {
        for (suffix, wide) in [("f32", false), ("f64", true)] {
            let count = kinds.len() - 1;
            let (file, register) = if wide { ("f64", "%fd") } else { ("f32", "%f") };
            let operands = (1..=count).map(|i| format!("{register}{i}")).collect::<Vec<_>>().join(", ");
            let mut body = String::from(
                "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [out];
                 mul.wide.u32 %rd3, %r1, 24; add.s64 %rd1, %rd1, %rd3; mul.wide.u32 %rd3, %r1, 32; add.s64 %rd2, %rd2, %rd3;\n",
            );
            for i in 0..count {
                body += &format!("ld.global.{file} {register}{}, [%rd1+{}];\n", i + 1, 8 * i);
            }
            for (index, mode) in ["rn", "rz", "rm", "rp"].iter().enumerate() {
                body += &format!(
                    "{name}.{mode}.{suffix} {register}5, {operands};\nst.global.{file} [%rd2+{}], {register}5;\n",
                    8 * index
                );
            }
            body += "ret;";
            let p = program(".param .u64 a, .param .u64 out", &body);
            let mut state = 77;
            let kind = if wide { 'g' } else { 'f' };
            let values: Vec<u64> = (0..3072).map(|_| cut(operand(&mut state, kind), kind)).collect();
            let mut memory = Memory::new();
            let (a, out) = (memory.alloc_from(&values, "a"), memory.alloc(32 * 1024, "out"));
            finish(&p, &mut memory, &Launch::new(1, 1024).arg(a).arg(out));
            let results = memory.read::<u64>(out, 4096).unwrap();
            let value = |bits: u64| if wide { g(bits) } else { f64::from(f(bits)) };
            let next = |v: f64| if wide { v.next_up() } else { f64::from((v as f32).next_up()) };
            for (row, operands) in results.chunks(4).zip(values.chunks(3)) {
                let [near, zero, down, up] = [0, 1, 2, 3].map(|i| value(row[i]));
                if near.is_nan() {
                    assert!(zero.is_nan() && down.is_nan() && up.is_nan());
                    continue;
                }
                let context = format!("{name}.{suffix} {operands:x?}: {row:x?}");
                assert!(down <= near && near <= up, "{context}");
                assert!(up == down || up == next(down), "{context}");
                assert!(near == down || near == up, "{context}");
                let inner = if near > 0.0 || near == 0.0 && down >= 0.0 { down } else { up };
                assert!(zero == inner || zero.abs() == down.abs().min(up.abs()), "{context}");
            }
        }
    }
}

#[test]
fn conversions() {
    let forms: &[(&str, &str, Model)] = &[
        ("cvt.u32.u16", "rh", |a, _, _| a),
        ("cvt.s32.s16", "rh", |a, _, _| s16(a) as u64),
        ("cvt.u16.u32", "hr", |a, _, _| a),
        ("cvt.s32.s8", "rr", |a, _, _| i64::from(a as i8) as u64),
        ("cvt.u32.u8", "rr", |a, _, _| a & 0xff),
        ("cvt.s64.s32", "dr", |a, _, _| s32(a) as u64),
        ("cvt.u64.u32", "dr", |a, _, _| a),
        ("cvt.u32.u64", "rd", |a, _, _| a),
        ("cvt.s64.s16", "dh", |a, _, _| s16(a) as u64),
        ("cvt.sat.s8.s32", "rr", |a, _, _| s32(a).clamp(-128, 127) as u64),
        ("cvt.sat.u16.s32", "hr", |a, _, _| s32(a).clamp(0, 0xffff) as u64),
        ("cvt.sat.u32.s64", "rd", |a, _, _| (a as i64).clamp(0, 0xffff_ffff) as u64),
        ("cvt.rn.f32.s32", "fr", |a, _, _| uf(s32(a) as f32)),
        ("cvt.rn.f32.u32", "fr", |a, _, _| uf(a as f32)),
        ("cvt.rn.f32.u64", "fd", |a, _, _| uf(a as f32)),
        ("cvt.rn.f32.s64", "fd", |a, _, _| uf(a as i64 as f32)),
        ("cvt.rn.f32.s16", "fh", |a, _, _| uf(s16(a) as f32)),
        ("cvt.rn.f64.s32", "gr", |a, _, _| (s32(a) as f64).to_bits()),
        ("cvt.rn.f64.u64", "gd", |a, _, _| (a as f64).to_bits()),
        ("cvt.rz.f32.u32", "fr", |a, _, _| {
            let near = a as f32;
            uf(if near as u64 > a { f32::from_bits(near.to_bits() - 1) } else { near })
        }),
        ("cvt.rzi.s32.f32", "rf", |a, _, _| i64::from(f(a) as i32) as u64),
        ("cvt.rzi.u32.f32", "rf", |a, _, _| u64::from(f(a) as u32)),
        ("cvt.rni.s32.f32", "rf", |a, _, _| i64::from(f(a).round_ties_even() as i32) as u64),
        ("cvt.rmi.s32.f32", "rf", |a, _, _| i64::from(f(a).floor() as i32) as u64),
        (
            "cvt.rpi.s32.f64",
            "rg",
            |a, _, _| {
                if g(a).is_nan() { 0x8000_0000 } else { i64::from(g(a).ceil() as i32) as u64 }
            },
        ),
        ("cvt.rzi.s64.f32", "df", |a, _, _| if f(a).is_nan() { 1 << 63 } else { f(a) as i64 as u64 }),
        ("cvt.rzi.u64.f64", "dg", |a, _, _| if g(a).is_nan() { 1 << 63 } else { g(a) as u64 }),
        ("cvt.rzi.u16.f32", "hf", |a, _, _| u64::from(f(a) as u16)),
        ("cvt.f64.f32", "gf", |a, _, _| f64::from(f(a)).to_bits()),
        ("cvt.rn.f32.f64", "fg", |a, _, _| uf(g(a) as f32)),
        ("cvt.rni.f32.f32", "ff", |a, _, _| uf(f(a).round_ties_even())),
        ("cvt.rmi.f32.f32", "ff", |a, _, _| uf(f(a).floor())),
        ("cvt.rpi.f64.f64", "gg", |a, _, _| g(a).ceil().to_bits()),
        ("cvt.rzi.f32.f32", "ff", |a, _, _| uf(f(a).trunc())),
        ("cvt.sat.f32.f32", "ff", |a, _, _| uf(if f(a).is_nan() { 0.0 } else { f(a).clamp(0.0, 1.0) + 0.0 })),
        ("mov.b32", "rf", |a, _, _| a),
        ("mov.b64", "gd", |a, _, _| a),
        ("mov.u16", "hh", |a, _, _| a),
        ("mov.pred", "pp", |a, _, _| a),
    ];
    forms.iter().for_each(|(opcode, kinds, model)| check(opcode, kinds, *model));
}

#[test]
fn half_precision_survives_a_round_trip() {
    // Every finite half, to single and back.
    let p = program(
        ".param .u64 a",
        "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r1, %r1, %r2, %r3;
         ld.param.u64 %rd1, [a]; mul.wide.u32 %rd2, %r1, 8; add.s64 %rd1, %rd1, %rd2;
         cvt.u16.u32 %rs1, %r1;
         cvt.f32.f16 %f1, %rs1;
         cvt.rn.f16.f32 %rs2, %f1;
         st.global.f32 [%rd1], %f1; st.global.b16 [%rd1+4], %rs2;
         add.f16 %rs3, %rs1, %rs1; st.global.b16 [%rd1+6], %rs3;
         ret;",
    );
    let mut memory = Memory::new();
    let a = memory.alloc(8 * 0x10000, "a");
    finish(&p, &mut memory, &Launch::new(0x10000 / 256, 256).arg(a));
    for (bits, word) in memory.read::<u64>(a, 0x10000).unwrap().into_iter().enumerate() {
        let (exponent, fraction) = (bits >> 10 & 31, (bits & 0x3ff) as f32);
        let sign = if bits & 0x8000 != 0 { -1.0 } else { 1.0 };
        let value = match exponent {
            0 => sign * fraction * 2f32.powi(-24),
            31 => continue,
            e => sign * (1.0 + fraction / 1024.0) * 2f32.powi(e as i32 - 15),
        };
        assert_eq!(f32::from_bits(word as u32), value);
        assert_eq!((word >> 32) as u16, bits as u16);
        // Doubling a half adds one to its exponent, or shifts a subnormal one.
        let doubled = match exponent {
            0 => (bits & 0x8000 | (bits & 0x7fff) << 1) as u16,
            30 => (bits & 0x8000 | 0x7c00) as u16,
            _ => (bits + 0x400) as u16,
        };
        assert_eq!((word >> 48) as u16, doubled, "{bits:x}");
    }
}

#[test]
fn approximate_functions_are_close() {
    let cases: &[(&str, fn(f64) -> f64, f64)] = &[
        ("sin.approx.f32", f64::sin, 6e-7),
        ("cos.approx.f32", f64::cos, 6e-7),
        ("ex2.approx.f32", f64::exp2, 3e-7),
        ("lg2.approx.f32", f64::log2, 3e-7),
        ("tanh.approx.f32", f64::tanh, 5e-4),
        ("rsqrt.approx.f32", |x| 1.0 / x.sqrt(), 1.3e-7),
        ("rcp.approx.f32", |x| 1.0 / x, 1.2e-7),
        ("sqrt.approx.f32", f64::sqrt, 1.2e-7),
    ];
    let inputs: Vec<f32> = (1..=1024).map(|i| i as f32 * 0.003).collect();
    for (opcode, exact, bound) in cases {
        let p = program(
            ".param .u64 a",
            &format!(
                "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [a]; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
                 ld.global.f32 %f1, [%rd1]; {opcode} %f2, %f1; st.global.f32 [%rd1], %f2; ret;"
            ),
        );
        let mut memory = Memory::new();
        let a = memory.alloc_from(&inputs, "a");
        finish(&p, &mut memory, &Launch::new(1, 1024).arg(a));
        for (x, y) in inputs.iter().zip(memory.read::<f32>(a, 1024).unwrap()) {
            let exact = exact(f64::from(*x));
            assert!(
                (f64::from(y) - exact).abs() <= bound * exact.abs().max(1e-1),
                "{opcode} of {x} is {y}, not {exact}"
            );
        }
    }
}

#[test]
fn atomics_return_the_old_value() {
    // One thread per case, so that the order of lanes does not matter.
    let cases: &[(&str, Model)] = &[
        ("atom.global.add.u32", |old, b, _| old + b),
        ("atom.global.min.s32", |old, b, _| s32(old).min(s32(b)) as u64),
        ("atom.global.max.u32", |old, b, _| old.max(b)),
        ("atom.global.inc.u32", |old, b, _| if old >= b { 0 } else { old + 1 }),
        ("atom.global.dec.u32", |old, b, _| if old == 0 || old > b { b } else { old - 1 }),
        ("atom.global.and.b32", |old, b, _| old & b),
        ("atom.global.or.b32", |old, b, _| old | b),
        ("atom.global.xor.b32", |old, b, _| old ^ b),
        ("atom.global.exch.b32", |_, b, _| b),
        ("atom.cas.b32", |old, b, c| if old == b { c } else { old }),
        ("atom.global.add.f32", |old, b, _| uf(f(old) + f(b))),
    ];
    for (opcode, model) in cases {
        let float = opcode.ends_with("f32");
        let third = if opcode.contains("cas") { ", %r13" } else { "" };
        let (result, operand) = if float { ("%f1", "%f2") } else { ("%r11", "%r12") };
        let ty = if float { "f32" } else { "u32" };
        let p = program(
            ".param .u64 a",
            &format!(
                "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [a]; mul.wide.u32 %rd2, %r1, 16; add.s64 %rd1, %rd1, %rd2;
                 ld.global.{ty} {operand}, [%rd1+4]; ld.global.u32 %r13, [%rd1+8];
                 {opcode} {result}, [%rd1], {operand}{third};
                 st.global.{ty} [%rd1+12], {result}; ret;"
            ),
        );
        let mut state = 5;
        let words: Vec<u32> = (0..4 * 256)
            .map(|i| {
                let value = super::forms::operand(&mut state, if float { 'f' } else { 'r' }) as u32;
                // Half of the comparisons must succeed.
                if i % 8 < 2 && opcode.contains("cas") { 7 } else { value }
            })
            .collect();
        let mut memory = Memory::new();
        let a = memory.alloc_from(&words, "a");
        finish(&p, &mut memory, &Launch::new(1, 256).arg(a));
        for (before, after) in words.chunks(4).zip(memory.read::<u32>(a, 1024).unwrap().chunks(4)) {
            let [old, b, c] = [0, 1, 2].map(|i| u64::from(before[i]));
            let expected = model(old, b, c) as u32;
            let same = after[0] == expected || float && f(after[0].into()).is_nan() && f(expected.into()).is_nan();
            assert!(same, "{opcode} {before:x?} {after:x?}");
            assert_eq!(after[3], before[0], "{opcode}");
        }
    }
}

#[test]
fn shuffles() {
    // The four modes with a segment of 8 lanes, and the validity they report.
    for (mode, source) in [
        ("up", (|lane, by| (lane >= by, lane.wrapping_sub(by))) as fn(u32, u32) -> (bool, u32)),
        ("down", |lane, by| (lane + by <= 7, lane + by)),
        ("bfly", |lane, by| (lane ^ by <= 7, lane ^ by)),
        ("idx", |_, by| (by <= 7, by & 7)),
    ] {
        for by in [0u32, 1, 3, 7] {
            let clamp = if mode == "up" { 0x1800 } else { 0x1807 };
            let p = program(
                ".param .u64 a",
                &format!(
                    "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [a]; mul.wide.u32 %rd2, %r1, 8; add.s64 %rd1, %rd1, %rd2;
                     mad.lo.u32 %r2, %r1, 10, 1;
                     shfl.sync.{mode}.b32 %r3|%p1, %r2, {by}, {clamp}, -1;
                     selp.u32 %r4, 1, 0, %p1;
                     st.global.v2.u32 [%rd1], {{%r3, %r4}}; ret;"
                ),
            );
            let mut memory = Memory::new();
            let a = memory.alloc(256, "a");
            finish(&p, &mut memory, &Launch::new(1, 32).arg(a));
            for (lane, pair) in (0u32..).zip(memory.read::<u32>(a, 64).unwrap().chunks(2)) {
                let (valid, from) = source(lane % 8, by);
                let from = if valid { lane / 8 * 8 + from } else { lane };
                assert_eq!(pair, [from * 10 + 1, u32::from(valid)], "{mode} {by} lane {lane}");
            }
        }
    }
}
