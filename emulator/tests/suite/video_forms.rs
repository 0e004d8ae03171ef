//! Forms of video instructions, rare integer forms, and rare atomics; see `model.rs`.

use emulator::{Launch, Memory};

use crate::exact::{BF16, F16, Narrow, To, plus};
use crate::model::{Model, check, check_with_suffix, operand, s32};
use crate::support::{finish, program};

fn byte(word: u64, index: u64) -> u64 {
    word >> (8 * index) & 0xff
}

fn signed_byte(word: u64, index: u64) -> i64 {
    i64::from(byte(word, index) as u8 as i8)
}

/// Four bytes, each made by a function of its number.
fn bytes(one: impl Fn(u64) -> i64) -> u64 {
    (0..4).fold(0, |word, i| word | ((one(i) as u64) & 0xff) << (8 * i))
}

fn s16_of(word: u64, index: u64) -> i64 {
    i64::from((word >> (16 * index)) as u16 as i16)
}

pub(crate) const FORMS: &[(&str, &str, Model)] = &[
    ("vadd.u32.u32.u32", "rrr", |a, b, _| a + b),
    ("vadd.s32.s32.s32.sat", "rrr", |a, b, _| (s32(a) + s32(b)).clamp(i32::MIN.into(), i32::MAX.into()) as u64),
    ("vadd.u32.u32.s32.sat", "rrr", |a, b, _| (a as i64 + s32(b)).clamp(0, u32::MAX.into()) as u64),
    ("vsub.s32.u32.u32", "rrr", |a, b, _| a.wrapping_sub(b)),
    ("vabsdiff.u32.s32.s32", "rrr", |a, b, _| s32(a).abs_diff(s32(b))),
    ("vabsdiff.u32.u32.u32.add", "rrrr", |a, b, c| a.abs_diff(b) + c),
    ("vmin.s32.s32.s32.max", "rrrr", |a, b, c| s32(a).min(s32(b)).max(s32(c)) as u64),
    ("vmax.u32.u32.u32.min", "rrrr", |a, b, c| a.max(b).min(c)),
    ("vshl.u32.u32.u32.clamp", "rrr", |a, b, _| if b >= 32 { 0 } else { a << b }),
    ("vshr.s32.s32.u32.wrap", "rrr", |a, b, _| (s32(a) >> (b & 31)) as u64),
    ("vshr.u32.u32.u32.clamp.add", "rrrr", |a, b, c| (if b >= 32 { 0 } else { a >> b }) + c),
    ("vset.u32.u32.lt", "rrr", |a, b, _| u64::from(a < b)),
    ("vset.s32.s32.ge.add", "rrrr", |a, b, c| u64::from(s32(a) >= s32(b)) + c),
    ("vmad.u32.u32.u32", "rrrr", |a, b, c| (a * b).wrapping_add(c)),
    ("vmad.s32.s32.s32.sat", "rrrr", |a, b, c| {
        (i128::from(s32(a)) * i128::from(s32(b)) + i128::from(s32(c))).clamp(i32::MIN.into(), i32::MAX.into()) as u64
    }),
    ("vmad.u32.u32.u32.shr7", "rrrr", |a, b, c| ((u128::from(a) * u128::from(b) + u128::from(c)) >> 7) as u64),
    ("vmad.u32.u32.u32.po", "rrrr", |a, b, c| (u128::from(a) * u128::from(b) + u128::from(c) + 1) as u64),
    ("vadd2.s32.s32.s32.sat", "rrrr", |a, b, _| {
        let part = |i| ((s16_of(a, i) + s16_of(b, i)).clamp(-32768, 32767) as u64 & 0xffff) << (16 * i);
        part(0) | part(1)
    }),
    ("vabsdiff2.u32.u32.u32.add", "rrrr", |a, b, c| {
        c + (a & 0xffff).abs_diff(b & 0xffff) + (a >> 16).abs_diff(b >> 16)
    }),
    ("vset2.u32.u32.eq", "rrrr", |a, b, _| u64::from(a & 0xffff == b & 0xffff) | u64::from(a >> 16 == b >> 16) << 16),
    ("vadd4.u32.u32.u32", "rrrr", |a, b, _| bytes(|i| (byte(a, i) + byte(b, i)) as i64)),
    ("vadd4.u32.u32.u32.sat", "rrrr", |a, b, _| bytes(|i| (byte(a, i) + byte(b, i)).min(255) as i64)),
    ("vsub4.s32.s32.s32.sat", "rrrr", |a, b, _| bytes(|i| (signed_byte(a, i) - signed_byte(b, i)).clamp(-128, 127))),
    ("vabsdiff4.u32.u32.u32.add", "rrrr", |a, b, c| (0..4).map(|i| byte(a, i).abs_diff(byte(b, i))).sum::<u64>() + c),
    ("vavrg4.u32.u32.u32", "rrrr", |a, b, _| bytes(|i| ((byte(a, i) + byte(b, i)).div_ceil(2)) as i64)),
    ("vmin4.s32.s32.s32", "rrrr", |a, b, _| bytes(|i| signed_byte(a, i).min(signed_byte(b, i)))),
    ("vmax4.u32.u32.u32", "rrrr", |a, b, _| bytes(|i| byte(a, i).max(byte(b, i)) as i64)),
    ("vset4.s32.s32.lt.add", "rrrr", |a, b, c| {
        (0..4).filter(|&i| signed_byte(a, i) < signed_byte(b, i)).count() as u64 + c
    }),
    ("mad.hi.sat.s32", "rrrr", |a, b, c| {
        (((s32(a) * s32(b)) >> 32) + s32(c)).clamp(i32::MIN.into(), i32::MAX.into()) as u64
    }),
    ("mad24.hi.sat.s32", "rrrr", |a, b, c| {
        let part = |v: u64| s32(v << 8) >> 8;
        (((part(a) * part(b)) >> 16) + s32(c)).clamp(i32::MIN.into(), i32::MAX.into()) as u64
    }),
    ("min.relu.s32", "rrr", |a, b, _| s32(a).min(s32(b)).max(0) as u64),
    ("max.relu.s32", "rrr", |a, b, _| s32(a).max(s32(b)).max(0) as u64),
    ("max.relu.s16x2", "rrr", |a, b, _| {
        let part = |i| ((s16_of(a, i).max(s16_of(b, i)).max(0)) as u64) << (16 * i);
        part(0) | part(1)
    }),
    ("fns.b32", "rrrr", |mask, base, offset| {
        // As the manual's loop says it.
        let (mut position, offset) = (s32(base), s32(offset));
        if base > 31 {
            return u64::MAX;
        }
        if offset == 0 {
            return if mask >> base & 1 != 0 { base } else { u64::MAX };
        }
        let mut left = offset.abs();
        while (0..32).contains(&position) {
            left -= i64::from(mask >> position & 1 != 0);
            if left == 0 {
                return position as u64;
            }
            position += offset.signum();
        }
        u64::MAX
    }),
];

#[test]
pub(crate) fn video_and_rare_integers() {
    FORMS.iter().for_each(|(opcode, kinds, model)| check(opcode, kinds, *model));
    check_with_suffix("prmt.b32.f4e", "rrr", ", 2", |a, b, _| (b << 32 | a) >> 16);
    check_with_suffix("prmt.b32.rc8", "rrr", ", 1", |a, _, _| byte(a, 1) * 0x0101_0101);
    check_with_suffix("prmt.b32.ecl", "rrr", ", 2", |a, _, _| bytes(|i| byte(a, i.max(2)) as i64));
    check_with_suffix("prmt.b32.ecr", "rrr", ", 1", |a, _, _| bytes(|i| byte(a, i.min(1)) as i64));
    check_with_suffix("prmt.b32.rc16", "rrr", ", 1", |a, _, _| (a >> 16) * 0x1_0001);
}

#[test]
fn parts_of_registers() {
    // Selectors, a merge into a byte, and elements picked from both sources.
    let p = program(
        ".param .u64 a",
        "ld.param.u64 %rd1, [a]; ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];
         vadd.u32.u32.s32.sat %r5.b3, %r1.h0, %r2.b1, %r3;
         vsub.s32.s32.s32 %r6.h1, %r1.b0, %r2.h1, %r3;
         vadd4.u32.u32.u32 %r7.b20, %r1.b7610, %r2.b3210, %r3;
         vmad.s32.s32.s32.sat %r8, -%r1.b3, %r2.b0, %r3;
         st.global.v4.u32 [%rd1], {%r5, %r6, %r7, %r8}; ret;",
    );
    let mut memory = Memory::new();
    let [a, b, c] = [0x8123_40f0u32, 0xfedc_8002, 0x1122_3344];
    let buffer = memory.alloc_from(&[a, b, c, 0], "a");
    finish(&p, &mut memory, &Launch::new(1, 1).arg(buffer));
    // 0x40f0 - 128 is far above a byte; -16 - (-292) = 276; bytes 2 and 0 of (b3 b2 a1 a0) + (a3 a2 a1 a0); 127 * 2 + c.
    let expected = [0xff22_3344, (276 << 16) | 0x3344, 0x11ff_33e0, c + 127 * 2];
    assert_eq!(memory.read::<u32>(buffer, 4).unwrap(), expected);
}

/// One atomic per lane on memory of its own: the old value comes back, the new one is in memory.
fn atomic(opcode: &str, ty: &str, bytes: usize, model: Model) {
    let register = if bytes == 2 { "%rs" } else { "%r" };
    let third = if opcode.contains("cas") { format!(", {register}4") } else { String::new() };
    let p = program(
        ".param .u64 a",
        &format!(
            "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [a]; mul.wide.u32 %rd2, %r1, 16; add.s64 %rd1, %rd1, %rd2;
             ld.global.{ty} {register}3, [%rd1+4]; ld.global.{ty} {register}4, [%rd1+8];
             {opcode} {register}5, [%rd1], {register}3{third}; st.global.{ty} [%rd1+12], {register}5; ret;"
        ),
    );
    let mut state = 11;
    let kind = if bytes == 2 { 'h' } else { 'r' };
    let mut words: Vec<u32> = (0..1024).map(|_| crate::model::cut(operand(&mut state, kind), kind) as u32).collect();
    // Half of the comparisons must succeed.
    words.chunks_mut(8).for_each(|pair| pair[1] = pair[0]);
    let mut memory = Memory::new();
    let a = memory.alloc_from(&words, "a");
    finish(&p, &mut memory, &Launch::new(1, 256).arg(a));
    let mask = u32::MAX >> (32 - 8 * bytes);
    for (before, after) in words.chunks(4).zip(memory.read::<u32>(a, 1024).unwrap().chunks(4)) {
        let expected = model(before[0].into(), before[1].into(), before[2].into()) as u32 & mask;
        assert_eq!([after[0] & mask, after[3] & mask], [expected, before[0]], "{opcode} {before:x?}");
    }
}

#[test]
fn rare_atomics() {
    fn sum(format: Narrow, a: u64, b: u64) -> u64 {
        format.round(plus(format.value(a & 0xffff), format.value(b & 0xffff)), To::Nearest, false)
    }
    atomic("atom.global.add.noftz.f16", "b16", 2, |a, b, _| sum(F16, a, b));
    atomic("atom.global.add.noftz.bf16", "b16", 2, |a, b, _| sum(BF16, a, b));
    atomic("atom.global.cas.b16", "b16", 2, |a, b, c| if a == b { c } else { a });
    atomic("atom.global.add.noftz.f16x2", "b32", 4, |a, b, _| sum(F16, a >> 16, b >> 16) << 16 | sum(F16, a, b));
    atomic("atom.add.noftz.bf16x2", "b32", 4, |a, b, _| sum(BF16, a >> 16, b >> 16) << 16 | sum(BF16, a, b));
}

#[test]
fn atomics_of_vectors_and_of_128_bits() {
    let p = program(
        ".param .u64 a",
        ".reg .b128 %q<4>; .reg .b64 %x<9>;
         ld.param.u64 %rd1, [a];
         mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000;
         atom.global.add.v2.f32 {%f3, %f4}, [%rd1], {%f1, %f2};
         red.global.add.v4.f32 [%rd1+16], {%f1, %f1, %f2, %f2};
         mov.b64 %x1, 5; mov.b64 %x2, 6; mov.b128 %q1, {%x1, %x2};
         atom.global.exch.b128 %q2, [%rd1+32], %q1;
         atom.global.cas.b128 %q3, [%rd1+32], %q1, %q2;
         mov.b128 {%x3, %x4}, %q3; add.u64 %x3, %x3, %x4;
         st.global.v2.f32 [%rd1+8], {%f3, %f4}; st.global.u64 [%rd1+48], %x3; ret;",
    );
    let mut memory = Memory::new();
    let buffer = memory.alloc(64, "a");
    memory.write(buffer, &[10.0f32, 20.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0]).unwrap();
    memory.write(buffer.offset(32), &[7u64, 8]).unwrap();
    finish(&p, &mut memory, &Launch::new(1, 1).arg(buffer));
    let floats = memory.read::<f32>(buffer, 8).unwrap();
    assert_eq!(floats, [11.0, 22.0, 10.0, 20.0, 2.0, 3.0, 5.0, 6.0]);
    assert_eq!(memory.read::<u64>(buffer.offset(32), 3).unwrap(), [7, 8, 11]);
}
