//! Forms of comparison, floating point and conversion; see `model.rs`.

use emulator::{Launch, Memory};

use crate::model::{Model, check, cut, f, g, operand, s16, s32, uf};
use crate::support::{finish, program};

#[test]
pub(crate) fn comparisons() {
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
pub(crate) fn floating_point() {
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
pub(crate) fn conversions() {
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
    type Exact = fn(f64) -> f64;
    let cases: &[(&str, Exact, f64)] = &[
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
