//! Floating-point results that are compared bit for bit: canonical NaNs, directed roundings of tiny results, atomic sums of subnormal
//! values, and approximations that are exact in places.

use emulator::{Launch, Memory};

use crate::support::{finish, program};

/// Runs one instruction on one operand row, and returns the bits of its result. Kinds: `f` single, `g` double, `h` 16 bits, `r` 32 bits.
fn compute(opcode: &str, kinds: &str, operands: &[u64]) -> u64 {
    let register = |kind: char, index: usize| match kind {
        'f' => format!("%f{}", index + 4),
        'g' => format!("%fd{}", index + 4),
        'h' => format!("%rs{}", index + 4),
        _ => format!("%r{}", index + 4),
    };
    let suffix = |kind: char| match kind {
        'f' => "f32",
        'g' => "f64",
        'h' => "b16",
        _ => "b32",
    };
    let mut body = String::from("ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [out];\n");
    for (index, kind) in kinds.chars().enumerate().skip(1) {
        body += &format!("ld.global.{} {}, [%rd1+{}];\n", suffix(kind), register(kind, index), 8 * (index - 1));
    }
    let names: Vec<String> = kinds.chars().enumerate().map(|(index, kind)| register(kind, index)).collect();
    let result = kinds.chars().next().unwrap();
    body += &format!("{opcode} {};\nst.global.{} [%rd2], {};\nret;", names.join(", "), suffix(result), names[0]);
    let program = program(".param .u64 a, .param .u64 out", &body);
    let mut memory = Memory::new();
    let (a, out) = (memory.alloc_from(operands, "a"), memory.alloc_from(&[0u64], "out"));
    finish(&program, &mut memory, &Launch::new(1, 1).arg(a).arg(out));
    memory.read::<u64>(out, 1).unwrap()[0]
}

const MINUS: u64 = 0xbf80_0000;
const MINUS64: u64 = 0xbff0_0000_0000_0000;
const INFINITY: u64 = 0x7f80_0000;
const INFINITY64: u64 = 0x7ff0_0000_0000_0000;
const SIGNALLING: u64 = 0xff80_0001;
const SIGNALLING64: u64 = 0xfff0_0000_0000_0001;
const NAN: u64 = 0x7fff_ffff;
const NAN64: u64 = 0x7fff_ffff_ffff_ffff;

#[test]
fn every_nan_is_canonical() {
    let mut forms: Vec<(String, &str, Vec<u64>)> = Vec::new();
    for mode in ["rn", "rz", "rm", "rp"] {
        for ftz in ["", ".ftz"] {
            for operand in [MINUS, SIGNALLING, 0xff80_0000, 0xff7f_ffff] {
                forms.push((format!("sqrt.{mode}{ftz}.f32"), "ff", vec![operand]));
            }
            forms.push((format!("rcp.{mode}{ftz}.f32"), "ff", vec![SIGNALLING]));
            forms.push((format!("div.{mode}{ftz}.f32"), "fff", vec![0, 0]));
            forms.push((format!("mul.{mode}{ftz}.f32"), "fff", vec![0, INFINITY]));
            forms.push((format!("add.{mode}{ftz}.f32"), "fff", vec![INFINITY, INFINITY | 1 << 31]));
            forms.push((format!("fma.{mode}{ftz}.f32"), "ffff", vec![0, INFINITY, SIGNALLING]));
        }
        for operand in [MINUS64, SIGNALLING64, INFINITY64 | 1 << 63, 1 << 63 | 1] {
            forms.push((format!("sqrt.{mode}.f64"), "gg", vec![operand]));
        }
        forms.push((format!("rcp.{mode}.f64"), "gg", vec![SIGNALLING64]));
        forms.push((format!("div.{mode}.f64"), "ggg", vec![0, 0]));
        forms.push((format!("mul.{mode}.f64"), "ggg", vec![0, INFINITY64]));
        forms.push((format!("fma.{mode}.f64"), "gggg", vec![0, INFINITY64, SIGNALLING64]));
        forms.push((format!("sub.{mode}.f64"), "ggg", vec![INFINITY64, INFINITY64]));
    }
    for ftz in ["", ".ftz"] {
        for name in ["sqrt", "rsqrt", "lg2"] {
            forms.push((format!("{name}.approx{ftz}.f32"), "ff", vec![MINUS]));
        }
        for name in ["sqrt", "rsqrt", "rcp", "lg2", "ex2", "sin", "cos"] {
            forms.push((format!("{name}.approx{ftz}.f32"), "ff", vec![SIGNALLING]));
        }
        for name in ["sin", "cos"] {
            forms.push((format!("{name}.approx{ftz}.f32"), "ff", vec![INFINITY]));
        }
        for name in ["min", "max"] {
            forms.push((format!("{name}{ftz}.f32"), "fff", vec![SIGNALLING, SIGNALLING]));
            forms.push((format!("{name}{ftz}.NaN.f32"), "fff", vec![SIGNALLING, 0]));
        }
        forms.push((format!("div.approx{ftz}.f32"), "fff", vec![SIGNALLING, 0x7f00_0000]));
        forms.push((format!("div.full{ftz}.f32"), "fff", vec![SIGNALLING, MINUS]));
        forms.push((format!("cvt.rn{ftz}.f32.f64"), "fg", vec![SIGNALLING64]));
    }
    forms.push(("tanh.approx.f32".into(), "ff", vec![SIGNALLING]));
    forms.push(("rsqrt.approx.f64".into(), "gg", vec![MINUS64]));
    forms.push(("min.f64".into(), "ggg", vec![SIGNALLING64, SIGNALLING64]));
    forms.push(("max.f64".into(), "ggg", vec![SIGNALLING64, SIGNALLING64]));
    forms.push(("cvt.f64.f32".into(), "gf", vec![SIGNALLING]));
    for mode in ["rn", "rz", "rna"] {
        forms.push((format!("cvt.{mode}.tf32.f32"), "rf", vec![SIGNALLING]));
    }
    for (ty, infinity) in [("f16", 0x7c00), ("bf16", 0x7f80)] {
        for name in ["add.rn", "mul.rn", "min", "max"] {
            forms.push((format!("{name}.{ty}"), "hhh", vec![infinity | 0x8001, infinity | 0x8001]));
        }
        forms.push((format!("fma.rn.{ty}"), "hhhh", vec![0, infinity, 0]));
        forms.push((format!("cvt.rn.{ty}.f32"), "hf", vec![SIGNALLING]));
    }
    for (opcode, kinds, operands) in forms {
        let expected = match kinds.as_bytes()[0] {
            b'g' => NAN64,
            b'h' => 0x7fff,
            _ => NAN,
        };
        let actual = compute(&opcode, kinds, &operands);
        assert_eq!(actual, expected, "{opcode} of {operands:x?} is {actual:x}");
    }
}

#[test]
fn the_root_of_negative_zero_is_negative_zero() {
    for mode in ["rn", "rz", "rm", "rp", "approx"] {
        for ftz in ["", ".ftz"] {
            assert_eq!(compute(&format!("sqrt.{mode}{ftz}.f32"), "ff", &[1 << 31]), 1 << 31);
        }
        if mode != "approx" {
            assert_eq!(compute(&format!("sqrt.{mode}.f64"), "gg", &[1 << 63]), 1 << 63);
        }
    }
    assert_eq!(compute("rsqrt.approx.f32", "ff", &[1 << 31]), INFINITY | 1 << 31);
}

/// Returns the bits of 2^exponent, and `digits` of its last places added.
fn power(exponent: i32, digits: u64) -> u64 {
    (2f64.powi(exponent)).to_bits() + digits
}

#[test]
fn directed_roundings_see_errors_below_the_subnormal_range() {
    // Operation, operands, and the results in rn, rz, rm, rp.
    let (tiny, next) = (power(-600, 0), 1u64);
    let negative = 1u64 << 63;
    let cases: &[(&str, &[u64], [u64; 4])] = &[
        // Below half of the smallest value.
        ("mul", &[tiny, tiny], [0, 0, 0, next]),
        ("mul", &[tiny | negative, tiny], [negative, negative, negative | next, negative]),
        // (1 + 2^-52)^2 * 2^-1000 needs 104 bits below its first one.
        (
            "mul",
            &[power(-500, 1), power(-500, 1)],
            [power(-1000, 2), power(-1000, 2), power(-1000, 2), power(-1000, 3)],
        ),
        ("fma", &[tiny, tiny, power(0, 0)], [power(0, 0), power(0, 0), power(0, 0), power(0, 1)]),
        ("fma", &[tiny, tiny | negative, power(0, 0)], [power(0, 0), power(0, 0) - 1, power(0, 0) - 1, power(0, 0)]),
        // A tiny positive product and negative zero: no exact zero.
        ("fma", &[tiny, tiny, negative], [0, 0, 0, next]),
        ("fma", &[tiny, tiny | negative, 0], [negative, negative, negative | next, negative]),
        // The product alone overflows.
        (
            "fma",
            &[power(600, 0), power(424, 0), power(1023, 1) | negative],
            [power(1023, 0) - 2, power(1023, 0) - 2, power(1023, 0) - 2, power(1023, 0) - 2],
        ),
        // 2^-1050 / 3: a third of 2^24 units.
        ("div", &[1 << 24, 3f64.to_bits()], [5_592_405, 5_592_405, 5_592_405, 5_592_406]),
        ("div", &[1, power(1, 0)], [0, 0, 0, 1]),
        ("rcp", &[power(1023, 1)], [(1 << 51) - 1 + 1, (1 << 51) - 1, (1 << 51) - 1, 1 << 51]),
        // The square of the root is below the normal range.
        ("sqrt", &[2], [0x1e66_a09e_667f_3bcd, 0x1e66_a09e_667f_3bcc, 0x1e66_a09e_667f_3bcc, 0x1e66_a09e_667f_3bcd]),
    ];
    for (name, operands, expected) in cases {
        let kinds = "ggggg".get(..operands.len() + 1).unwrap();
        for (mode, expected) in ["rn", "rz", "rm", "rp"].iter().zip(expected) {
            let actual = compute(&format!("{name}.{mode}.f64"), kinds, operands);
            assert_eq!(actual, *expected, "{name}.{mode}.f64 of {operands:x?} is {actual:x}, expected {expected:x}");
        }
    }
}

#[test]
fn atomic_sums_of_singles_flush_subnormal_values_in_global_memory_only() {
    // Old value, operand, sum in global memory, sum in shared memory.
    let cases: &[[u32; 4]] = &[
        [0x0000_0001, 0x0000_0002, 0, 0x0000_0003],
        [0x8000_0001, 0x8000_0002, 0x8000_0000, 0x8000_0003],
        [0x0080_0001, 0x8080_0000, 0, 0x0000_0001],
        [0x0080_0000, 0x0000_0001, 0x0080_0000, 0x0080_0001],
        [0x3f80_0000, 0x3f80_0000, 0x4000_0000, 0x4000_0000],
        [0xff80_0001, 0x3f80_0000, 0x7fff_ffff, 0x7fff_ffff],
    ];
    let forms = [
        ("atom.global.add.f32 %f2, [%rd1], %f1;", 2),
        ("red.global.add.f32 [%rd1], %f1;", 2),
        ("atom.add.f32 %f2, [%rd1], %f1;", 2),
        ("red.add.f32 [%rd1], %f1;", 2),
        ("red.global.v2.f32.add [%rd1], {%f1, %f1};", 2),
        ("atom.shared.add.f32 %f2, [buffer], %f1;", 3),
        ("red.shared.add.f32 [buffer], %f1;", 3),
        ("atom.add.f32 %f2, [%rd4], %f1;", 3),
        ("red.add.f32 [%rd4], %f1;", 3),
    ];
    for (form, column) in forms {
        let place = if column == 2 { "global.f32 %f3, [%rd1]" } else { "shared.f32 %f3, [buffer]" };
        let body = format!(
            ".shared .align 8 .b8 buffer[8];
             ld.param.u64 %rd1, [a]; ld.global.f32 %f2, [%rd1]; st.shared.f32 [buffer], %f2;
             ld.global.f32 %f1, [%rd1+8];
             mov.u64 %rd3, buffer; cvta.shared.u64 %rd4, %rd3;
             {form}
             ld.{place}; st.global.f32 [%rd1+16], %f3; st.global.f32 [%rd1+20], %f2; ret;"
        );
        let program = program(".param .u64 a", &body);
        for case in cases {
            let mut memory = Memory::new();
            let a = memory.alloc_from(&[case[0], 0, case[1], 0, 0, 0], "a");
            finish(&program, &mut memory, &Launch::new(1, 1).arg(a));
            let words = memory.read::<u32>(a, 6).unwrap();
            assert_eq!(words[4], case[column], "{form} on {case:x?} leaves {:x}", words[4]);
            assert_eq!(words[5], case[0], "{form} on {case:x?} returns {:x}", words[5]);
        }
    }
}

#[test]
fn approximations_are_rounded_once() {
    // Rounding the root before its reciprocal gives a neighbour for some of these.
    for digits in 0..500u32 {
        let x = f32::from_bits(0x3f80_0000 + 33_331 * digits);
        let expected = (1.0 / f64::from(x).sqrt()) as f32;
        for opcode in ["rsqrt.approx.f32", "rsqrt.approx.ftz.f32"] {
            let actual = compute(opcode, "ff", &[x.to_bits().into()]);
            assert_eq!(actual, expected.to_bits().into(), "{opcode} of {x}");
        }
    }
}

#[test]
fn approximate_quotients_of_large_divisors_are_zero() {
    let (one, minus) = (0x3f80_0000, 0xbf80_0000);
    let (limit, above, largest) = (0x7e80_0000, 0x7e80_0001, 0x7f7f_ffff);
    let cases = [
        (one, limit, 0x0080_0000),
        (one, above, 0),
        (minus, above, 1 << 31),
        (largest, largest, 0),
        (one, largest | 1 << 31, 1 << 31),
        (INFINITY, above, NAN),
        (INFINITY | 1 << 31, largest, NAN),
        (INFINITY, limit, INFINITY),
        (one, INFINITY, 0),
    ];
    for (a, b, expected) in cases {
        for opcode in ["div.approx.f32", "div.approx.ftz.f32"] {
            let actual = compute(opcode, "fff", &[a, b]);
            assert_eq!(actual, expected, "{opcode} of {a:x}, {b:x} is {actual:x}");
        }
    }
    assert_eq!(compute("div.full.f32", "fff", &[largest, largest]), one);
}
