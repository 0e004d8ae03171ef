//! Single instructions as native code beside the emulator: every form, on values of all kinds.

use std::fmt::Write as _;

use cpu::Sync;
use emulator::Program;
use ptx_parser::{Flow, Inst, Kernel, Memory as Effect, Module, Operand, Reg, Type};

use crate::generate::Random;
use crate::translated::both;

/// Threads of a launch. Each has values of its own.
const THREADS: u32 = 256;
/// Words of input.
const INPUT: u32 = 4096;

/// What the forms may name.
const DECLARATIONS: &str = ".reg .pred %p<128>; .reg .b16 %h<128>; .reg .b32 %r<128>; .reg .f32 %f<128>; .reg .b64 %rd<128>; .reg .f64 %fd<128>; \
                            .reg .b128 %rq<128>; .reg .b32 %xr<8>; .reg .b64 %xd<8>; .reg .pred %xp;";

/// The result for one form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tried {
    /// It is control flow, accesses memory, or depends on time.
    Other,
    /// The emulator does not run it.
    NotEmulated,
    /// It is not translated, and why.
    Refused(String),
    /// Both have the same results, or the difference.
    Ran(Result<(), String>),
}

/// Returns a module with a kernel that executes a form.
fn module_of(target: &str, body: &str) -> String {
    format!(
        ".version 9.0\n.target {target}\n.address_size 64\n.entry k(.param .u64 in, .param .u64 out)\n{{\n{DECLARATIONS}\n{body}\nret;\n}}\n"
    )
}

/// Returns true for a form that computes values from registers.
fn computes(kernel: &Kernel, inst: Inst) -> bool {
    let properties = kernel.properties(inst);
    let plain = |operand: &Operand| {
        !matches!(
            operand,
            Operand::Address(..) | Operand::Symbol(..) | Operand::Label(_) | Operand::Special(_) | Operand::Bracket(_)
        )
    };
    properties.flow == Flow::Next
        && properties.memory == Effect::None
        && !properties.convergent
        && kernel.operands(inst).iter().all(plain)
        && kernel
            .operands(inst)
            .iter()
            .all(|operand| operand.list().is_none_or(|list| kernel.list(list).iter().all(plain)))
        && !kernel.defs(inst).is_empty()
}

/// Loads a register from the input at a place of its own.
fn load(text: &mut String, name: &str, ty: Type, number: u32) {
    let at = (number.wrapping_mul(2_654_435_761) >> 4) % (INPUT / 2 - THREADS) * 8;
    let _ = match ty {
        Type::Pred => {
            writeln!(text, "ld.global.u32 %xr1, [%xd1+{at}]; and.b32 %xr1, %xr1, 1; setp.ne.u32 {name}, %xr1, 0;")
        }
        Type::B128 => {
            writeln!(text, "ld.global.v2.b64 {{%xd3, %xd4}}, [%xd2+{}]; mov.b128 {name}, {{%xd3, %xd4}};", at / 16 * 16)
        }
        _ => writeln!(text, "ld.global.b{} {name}, [%xd1+{at}];", ty.bits()),
    };
}

/// Stores a register to a row of the output.
fn store(text: &mut String, name: &str, ty: Type, row: u32) {
    let at = row * THREADS * 16;
    let _ = match ty {
        Type::Pred => writeln!(text, "selp.u32 %xr1, 1, 0, {name}; st.global.u32 [%xd5+{at}], %xr1;"),
        Type::B128 => writeln!(text, "mov.b128 {{%xd3, %xd4}}, {name}; st.global.v2.b64 [%xd5+{at}], {{%xd3, %xd4}};"),
        _ => writeln!(text, "st.global.b{} [%xd5+{at}], {name};", ty.bits()),
    };
}

/// Values of all kinds: small and large integers, bits, and what is special among floats of each size.
fn input(seed: u64) -> Vec<u32> {
    let mut random = Random::new(seed);
    let halves: &[u16] =
        &[0, 0x8000, 1, 0x8001, 0x03ff, 0x0400, 0x3c00, 0xbc00, 0x7bff, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7f80, 0x4248];
    let words: &[u32] = &[
        0,
        1,
        2,
        31,
        32,
        33,
        255,
        0xffff,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
        0x3f80_0000,
        0xbf80_0000,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0001,
        0x0080_0000,
        0x007f_ffff,
        0x0000_0001,
        0x8000_0001,
        0x4f00_0000,
        0xcf00_0000,
        0x4b80_0001,
        0x3f00_0000,
        0x4020_0000,
        0x7f7f_ffff,
        0x4049_0fdb,
        0xc2ce_8ed0,
        0x42fc_0000,
    ];
    let doubles: &[f64] = &[
        0.0,
        -0.0,
        1.0,
        -1.5,
        0.5,
        2.5,
        1e300,
        1e-310,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        2147483647.5,
        4294967296.0,
        1e19,
    ];
    let mut values = Vec::new();
    while values.len() < INPUT as usize {
        let pair: [u32; 2] = match random.below(8) {
            0 => [*random.pick(words), *random.pick(words)],
            1 => {
                let bits = random.pick(doubles).to_bits();
                [bits as u32, (bits >> 32) as u32]
            }
            2 => [0, 0].map(|_: u32| u32::from(*random.pick(halves)) << 16 | u32::from(*random.pick(halves))),
            3 => [random.below(64), random.below(64)],
            // Singles and doubles of moderate size.
            4 => [0, 0].map(|_: u32| ((random.next() as i32 % 100_000) as f32 / 256.0).to_bits()),
            5 => {
                let bits = ((random.next() as i64 % 10_000_000_000) as f64 / 4096.0).to_bits();
                [bits as u32, (bits >> 32) as u32]
            }
            _ => [random.next() as u32, random.next() as u32],
        };
        values.extend(pair);
    }
    values
}

/// Tries forms, given with their targets, and returns what came of each.
///
/// # Errors
/// A text of its own that does not parse.
pub fn check(forms: &[(&str, &str)], seed: u64) -> Result<Vec<Tried>, String> {
    let mut tried = vec![Tried::Other; forms.len()];
    let mut chosen: Vec<(usize, String, u32)> = Vec::new();
    let mut rows = 0;
    for (index, &(target, form)) in forms.iter().enumerate() {
        let Ok(module) = Module::parse(&module_of(target, form)) else { continue };
        let Some(kernel) = module.kernel("k") else { continue };
        let Some(inst) = kernel.insts().next().filter(|&inst| computes(kernel, inst)) else { continue };
        if Program::decode(&module, "k").is_err() {
            tried[index] = Tried::NotEmulated;
            continue;
        }
        if let Err(refusals) = cpu::translate(&module, None, &cpu::Options::default()) {
            let reason = refusals.first().map_or_else(String::new, ToString::to_string);
            tried[index] = Tried::Refused(reason);
            continue;
        }
        let mut text = String::new();
        let name = |reg: Reg| kernel.reg_name(reg).to_owned();
        let is_plain = |reg: Reg| kernel.reg_name(reg).starts_with('%') && kernel.carry_flag() != Some(reg);
        for reg in kernel.uses(inst).into_iter().chain(kernel.defs(inst)).filter(|&reg| is_plain(reg)) {
            load(
                &mut text,
                &name(reg),
                kernel.reg(reg).ty,
                rows * 7 + 13 * name(reg).len() as u32 + u32::from(name(reg).as_bytes()[name(reg).len() - 1]),
            );
        }
        let _ = writeln!(text, "{form}");
        let first = rows;
        for reg in kernel.defs(inst).into_iter().filter(|&reg| is_plain(reg)) {
            store(&mut text, &name(reg), kernel.reg(reg).ty, rows);
            rows += 1;
        }
        if kernel.defs(inst).iter().any(|&reg| kernel.carry_flag() == Some(reg)) {
            text += "addc.u32 %xr2, 0, 0;\n";
            store(&mut text, "%xr2", Type::B32, rows);
            rows += 1;
        }
        chosen.push((index, text, first));
    }
    let prologue = "ld.param.u64 %xd1, [in]; ld.param.u64 %xd5, [out]; mov.u32 %xr1, %tid.x; mul.wide.u32 %xd6, %xr1, 8; mul.wide.u32 %xd7, %xr1, 16; \
                    mov.b64 %xd2, %xd1; add.u64 %xd1, %xd1, %xd6; add.u64 %xd5, %xd5, %xd7;\n";
    let bodies: String = chosen.iter().map(|(_, text, _)| text.as_str()).collect();
    let target = forms.first().map_or("sm_90", |form| form.0);
    let text = module_of(target, &format!("{prologue}{bodies}"));
    let module = Module::parse(&text).map_err(|errors| errors.to_string())?;
    let outcome = outputs(&module, rows, seed);
    for (position, &(index, _, first)) in chosen.iter().enumerate() {
        let last = chosen.get(position + 1).map_or(rows, |next| next.2);
        tried[index] = Tried::Ran(match &outcome {
            Ok((expected, found)) => compare(expected, found, first, last),
            Err(what) => Err(what.clone()),
        });
    }
    Ok(tried)
}

/// The outputs of the emulator and of native code.
fn outputs(module: &Module, rows: u32, seed: u64) -> Result<(Vec<u32>, Vec<u32>), String> {
    let words = (rows.max(1) * THREADS * 4) as usize;
    let ([_, expected], [_, found]) = both(module, THREADS, [input(seed), vec![0; words]], Sync::Basic)?;
    Ok((expected, found))
}

fn compare(expected: &[u32], found: &[u32], first: u32, last: u32) -> Result<(), String> {
    let words = |row: u32| (row * THREADS * 4) as usize;
    let range = words(first)..words(last);
    let pairs = expected.get(range.clone()).into_iter().flatten().zip(found.get(range).into_iter().flatten());
    for (at, (expected, found)) in pairs.enumerate() {
        if expected != found {
            let thread = at as u32 / 4 % THREADS;
            return Err(format!("thread {thread}, word {}: {found:#x} and not {expected:#x}", at % 4));
        }
    }
    Ok(())
}
