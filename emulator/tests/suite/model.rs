//! One instruction form at a time, on random and extreme operands, against a model written for this test alone.
//!
//! A form is its opcode, the kinds of its operands (result first), and the model: three operands as 64 bits to a
//! result. Kinds: `h` 16 bits, `r` 32, `d` 64, `f` single, `g` double, `p` predicate.

use std::collections::BTreeSet;
use std::sync::Mutex;

use emulator::{Launch, Memory};

use crate::support::{finish, program};

pub(crate) type Model = fn(u64, u64, u64) -> u64;

pub(crate) const LANES: usize = 2048;

/// Random operands, a third of them extreme.
pub(crate) fn operand(state: &mut u64, kind: char) -> u64 {
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

pub(crate) fn bits(kind: char) -> u32 {
    match kind {
        'p' => 1,
        'h' => 16,
        'r' | 'f' => 32,
        _ => 64,
    }
}

pub(crate) fn cut(value: u64, kind: char) -> u64 {
    value & u64::MAX >> (64 - bits(kind))
}

fn is_nan(value: u64, kind: char) -> bool {
    match kind {
        'f' => f32::from_bits(value as u32).is_nan(),
        'g' => f64::from_bits(value).is_nan(),
        _ => false,
    }
}

/// The forms that have been compared so far.
static CHECKED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Runs a form over all operands and compares.
pub(crate) fn check(opcode: &str, kinds: &str, model: Model) {
    CHECKED.lock().unwrap().insert(opcode.into());
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

pub(crate) fn s32(v: u64) -> i64 {
    i64::from(v as u32 as i32)
}

pub(crate) fn s16(v: u64) -> i64 {
    i64::from(v as u16 as i16)
}

pub(crate) fn f(v: u64) -> f32 {
    f32::from_bits(v as u32)
}

pub(crate) fn g(v: u64) -> f64 {
    f64::from_bits(v)
}

pub(crate) fn uf(v: f32) -> u64 {
    u64::from(v.to_bits())
}

/// A form with a literal behind its operands: the opcode is given a register less than it has.
pub(crate) fn check_with_suffix(opcode: &str, kinds: &str, suffix: &str, model: Model) {
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
        (0..3 * 1024).map(|i| kinds.get(i % 3 + 1).map_or(0, |&kind| cut(operand(&mut state, kind), kind))).collect();
    let mut memory = Memory::new();
    let (a, out) = (memory.alloc_from(&operands, "a"), memory.alloc(8 * 1024, "out"));
    finish(&p, &mut memory, &Launch::new(1, 1024).arg(a).arg(out));
    for (row, got) in operands.chunks(3).zip(memory.read::<u64>(out, 1024).unwrap()) {
        let expected = cut(model(row[0], row[1], row[2]), kinds[0]);
        assert_eq!(got, expected, "{opcode} of {row:x?}");
    }
}

#[test]
fn there_are_many_forms() {
    crate::integer_forms::integer_arithmetic();
    crate::integer_forms::bits_and_shifts();
    crate::float_forms::comparisons();
    crate::float_forms::floating_point();
    crate::float_forms::conversions();
    crate::half_forms::half_precision();
    crate::half_forms::narrow_conversions();
    crate::video_forms::video_and_rare_integers();
    let count = CHECKED.lock().unwrap().len();
    assert!(count >= 300, "only {count} forms are compared with a model");
}
