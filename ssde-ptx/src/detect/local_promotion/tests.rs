//! Random kernels that work in local memory, and the copies of them that have it in registers: both leave the same.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fmt::Write as _;

use emulator::{Launch, Machine, Outcome, Program, run};
use ptx_parser::Module;

use super::*;

const THREADS: u32 = 8;

/// Random numbers.
struct Random(u64);

impl Random {
    fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % below
    }

    fn one_in(&mut self, of: u64) -> bool {
        self.next(of) == 0
    }
}

/// Two variables of 32 bytes, `a` and `b`, and a body. `%r1` is the thread, `%r2` what comes out; `%rd2` and `%rd3` are the variables in their window, `%rd4` and `%rd5` as
/// generic addresses.
fn module(body: &str) -> Module {
    let text = format!(
        ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) {{\n.reg .pred %p<4>;\n.reg .b16 %rs<4>;\n\
         .reg .b32 %r<12>;\n.reg .b64 %rd<20>;\n.local .align 8 .b8 a[32];\n.local .align 8 .b8 b[32];\nld.param.u64 %rd1, [out];\n\
         mov.u32 %r1, %tid.x;\nmov.u32 %r2, %r1;\nand.b32 %r3, %r1, 1;\nsetp.eq.u32 %p1, %r3, 0;\nmov.u64 %rd2, a;\nmov.u64 %rd3, b;\n\
         mov.u32 %r4, 1;\nmov.u32 %r5, 2;\ncvta.local.u64 %rd4, %rd2;\ncvta.local.u64 %rd5, %rd3;\n{body}\nmul.wide.u32 %rd9, %r1, 4;\nadd.s64 %rd9, %rd1, %rd9;\n\
         st.global.u32 [%rd9], %r2;\nret;\n}}\n"
    );
    Module::parse(&text).unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

fn copy(module: &Module) -> Option<InRegisters> {
    let kernel = &module.kernels()[0];
    InRegisters::of(&Analyses::beside_traps(kernel), kernel)
}

/// Counts the accesses of a body that become moves.
fn moves(body: &str) -> usize {
    copy(&module(body)).map_or(0, |copy| copy.moved.values().collect::<FxHashSet<_>>().len())
}

fn ran(module: &Module) -> Vec<u32> {
    let program = Program::decode(module, "k").unwrap_or_else(|error| panic!("{error}\n{module}"));
    let mut memory = emulator::Memory::new();
    let out = memory.alloc_from(&vec![0u32; THREADS as usize], "out");
    let report = run(&program, &mut memory, &Launch::new(1, THREADS).arg(out).on(Machine::Its)).unwrap();
    assert_eq!(report.outcome, Outcome::Finished, "{module}");
    memory.read::<u32>(out, THREADS as usize).unwrap()
}

/// An address of a byte of a variable, in one of the ways that kernels have it, and the space that an access by it names.
fn address(random: &mut Random, variable: usize, offset: u64) -> (String, &'static str) {
    let name = ["a", "b"][variable];
    match random.next(4) {
        0 => (format!("{name}+{offset}"), ".local"),
        1 => (format!("%rd{}+{offset}", 2 + variable), ".local"),
        _ => (format!("%rd{}+{offset}", 4 + variable), ""),
    }
}

/// A body that stores and loads at random. Each byte is written before anything else, so that what is read is known.
fn body(random: &mut Random) -> String {
    // Where the parts of each variable begin, and how many bytes they have.
    let mut parts: Vec<(usize, u64, u64)> = Vec::new();
    for variable in 0..2 {
        let mut at = 0;
        while at < 32 {
            let bytes = [1, 2, 4, 8][random.next(4) as usize];
            at += (bytes - at % bytes) % bytes;
            if at < 32 {
                parts.push((variable, at, bytes));
            }
            at += bytes;
        }
    }
    let mut out = String::new();
    for &(variable, offset, bytes) in &parts {
        let _ = writeln!(out, "st.local.u{} [{}+{offset}], {};", 8 * bytes, ["a", "b"][variable], random.next(100));
    }
    let looped = random.one_in(3);
    if looped {
        out += "mov.u32 %r10, 0;\nAGAIN:\n";
    }
    for step in 0..6 + random.next(20) {
        let &(variable, offset, bytes) = &parts[random.next(parts.len() as u64) as usize];
        let (at, space) = address(random, variable, offset);
        let guard = if random.one_in(4) { "@%p1 " } else { "" };
        let bits = 8 * bytes;
        match random.next(12) {
            // A store, of a register as wide or wider, or of a number.
            0..3 => {
                let from = match bits {
                    8 | 16 if random.one_in(2) => {
                        out += "cvt.u16.u32 %rs1, %r2;\n";
                        "%rs1"
                    }
                    64 => {
                        out += "cvt.u64.u32 %rd6, %r2;\n";
                        "%rd6"
                    }
                    _ if random.one_in(4) => "-3",
                    _ => "%r2",
                };
                let _ = writeln!(out, "{guard}st{space}.u{bits} [{at}], {from};");
            }
            3..8 => {
                let sign = ["u", "s"][random.next(2) as usize];
                let into = match bits {
                    64 => "%rd7",
                    8 | 16 if random.one_in(2) => "%rs2",
                    _ => "%r4",
                };
                let widened = match into {
                    "%rd7" => "cvt.u32.u64 %r4, %rd7;\n",
                    "%rs2" => "cvt.s32.s16 %r4, %rs2;\n",
                    _ => "",
                };
                // A load that is guarded leaves what was there.
                let before =
                    if guard.is_empty() { "" } else { "mov.b64 %rd7, 7;\nmov.b16 %rs2, 7;\nmov.b32 %r4, 7;\n" };
                let _ = write!(out, "{before}{guard}ld{space}.{sign}{bits} {into}, [{at}];\n{widened}");
                out += "mad.lo.u32 %r2, %r2, 31, %r4;\n";
            }
            // An address that is kept in local memory itself, and goes back and forth.
            8 | 9 if bits == 64 => {
                let &(other, there, count) = &parts[random.next(parts.len() as u64) as usize];
                if (other, there) == (variable, offset) {
                    continue;
                }
                let _ = writeln!(out, "add.s64 %rd10, %rd{}, {there};\nst{space}.u64 [{at}], %rd10;", 4 + other);
                let _ = writeln!(out, "ld{space}.u64 %rd11, [{at}];");
                let into = if count == 8 { "%rd7" } else { "%r4" };
                let _ = writeln!(out, "ld.u{} {into}, [%rd11];", 8 * count);
                out += if count == 8 { "cvt.u32.u64 %r4, %rd7;\n" } else { "" };
                let _ = writeln!(out, "add.u32 %r2, %r2, %r4;\nmov.b64 %rd12, 5;\nst{space}.u64 [{at}], %rd12;");
            }
            // One of two addresses.
            10 if random.one_in(6) => {
                let (first, second) = (random.next(8) * 4, random.next(8) * 4);
                let _ = writeln!(out, "add.s64 %rd13, %rd4, {first};\nadd.s64 %rd14, %rd5, {second};");
                out += "selp.b64 %rd15, %rd13, %rd14, %p1;\nld.u32 %r4, [%rd15];\nxor.b32 %r2, %r2, %r4;\n";
            }
            // Several bytes at once, or a part of some.
            11 if random.one_in(2) => {
                let at = 8 * random.next(4);
                out += &match random.next(6) {
                    0 => format!("ld.local.v2.u32 {{%r4, %r5}}, [a+{at}];\n"),
                    1 => format!("{guard}st.local.v2.u32 [a+{at}], {{%r2, %r1}};\n"),
                    2 => format!("{guard}st.local.v4.u16 [a+{at}], {{%r1, %r2, 5, %r1}};\n"),
                    3 => format!("{guard}st.local.u64 [a+{at}], -3;\n"),
                    4 => format!("{guard}st.local.u8 [a+{}], %r2;\n", at + random.next(8)),
                    _ => format!("ld.local.s16 %r4, [a+{}];\n", at + 2 * random.next(4)),
                };
                out += "add.u32 %r2, %r2, %r4;\nxor.b32 %r2, %r2, %r5;\n";
            }
            11 if random.one_in(6) => {
                let _ = writeln!(out, "and.b32 %r6, %r2, 31;\ncvt.u64.u32 %rd16, %r6;\nadd.s64 %rd17, %rd5, %rd16;");
                out += "st.u8 [%rd17], %r1;\n";
            }
            _ => {
                let _ = writeln!(out, "@%p1 bra L{step};\nst{space}.u{bits} [{at}], {};\nL{step}:", random.next(50));
            }
        }
    }
    if looped {
        out += "add.u32 %r10, %r10, 1;\nsetp.lt.u32 %p2, %r10, 3;\n@%p2 bra AGAIN;\n";
    }
    // All that is left counts.
    for &(variable, offset, bytes) in &parts {
        let name = ["a", "b"][variable];
        let into = if bytes == 8 { "%rd7" } else { "%r4" };
        let _ = writeln!(out, "ld.local.u{} {into}, [{name}+{offset}];", 8 * bytes);
        out += if bytes == 8 { "cvt.u32.u64 %r4, %rd7;\n" } else { "" };
        out += "mad.lo.u32 %r2, %r2, 31, %r4;\n";
    }
    out
}

#[test]
fn a_copy_leaves_what_the_original_does() {
    let (mut copied, mut partly) = (0, 0);
    for seed in 1..=1500 {
        let mut random = Random(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(seed));
        let original = module(&body(&mut random));
        let Some(InRegisters { kernel, moved }) = copy(&original) else { continue };
        copied += 1;
        let text = kernel.to_string();
        let insts = kernel.insts();
        partly += u32::from(insts.into_iter().any(|inst| kernel.properties(inst).space == Some(Space::Local)));
        // Moves stand for loads and stores.
        assert!(moved.values().all(|&inst| original.kernels()[0].properties(inst).memory != Memory::None));
        let header = ".version 8.6\n.target sm_90\n.address_size 64\n";
        let copy = Module::parse(&format!("{header}{text}")).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
        assert_eq!(ran(&copy), ran(&original), "seed {seed}:\n{original}\n{copy}");
    }
    assert!(copied > 600 && partly > 100, "{copied} copied, {partly} of them partly");
}

#[test]
fn whose_addresses_are_followed_is_in_registers() {
    // By any name, and through addresses that are in local memory themselves.
    assert_eq!(moves("st.local.u32 [a+4], 1;\nld.u32 %r4, [%rd4+4];"), 2);
    let kept = "st.local.u64 [b], %rd4;\nld.local.u64 %rd6, [b];\nst.u32 [%rd6+4], 7;\nld.local.u32 %r4, [a+4];";
    assert_eq!(moves(kept), 4);
    // Bytes of which others are accessed by themselves are several registers, and what is kept there is followed no more.
    assert_eq!(moves("st.local.u32 [a+4], 1;\nld.local.u16 %rs1, [a+6];\nst.local.u32 [a+8], 1;"), 3);
    assert_eq!(moves("st.local.u64 [a], 1;\nld.local.u8 %rs1, [a+7];"), 2);
    assert_eq!(moves(&format!("{kept}\nld.local.u32 %r5, [b+4];")), 3);
    assert_eq!(moves("ld.local.v2.u32 {%r4, %r5}, [a];\nst.local.u64 [a+8], 1;\nld.local.u32 %r4, [a+4];"), 3);
    // A vector, of which one element stays in memory with the bytes of another access.
    assert_eq!(moves("ld.local.v2.u32 {%r4, %r5}, [a];\nld.volatile.local.u32 %r4, [a+4];\nst.local.u32 [a], 1;"), 0);
}

#[test]
fn a_variable_whose_address_goes_elsewhere_stays_in_memory() {
    let stays = |what: &str| {
        let others = "st.local.u32 [a+4], 1;\nst.local.u32 [b+4], 1;";
        assert_eq!(moves(&format!("{others}\n{what}")), 1, "{what}");
    };
    stays("st.global.u64 [%rd1], %rd4;");
    stays("cvt.u64.u32 %rd6, %r1;\nadd.s64 %rd7, %rd4, %rd6;\nst.u8 [%rd7], 1;");
    stays("xor.b64 %rd6, %rd4, 8;");
    stays("cvt.u32.u64 %r4, %rd4;");
    stays("add.s64 %rd6, %rd4, 8;\n@%p1 mov.u64 %rd6, %rd1;\nld.u32 %r4, [%rd6];");
    stays("selp.b64 %rd6, %rd4, %rd1, %p1;");
    stays("atom.add.u32 %r4, [%rd4], 1;");
    // A number that is no generic address, and a generic one in the window.
    stays("ld.u32 %r4, [%rd2];");
    stays("ld.local.u32 %r4, [%rd4];");
    // Beside the variable.
    stays("st.local.u32 [a+32], 1;");
    // A comparison gives nothing away.
    assert_eq!(moves("st.local.u32 [a+4], 1;\nsetp.eq.u64 %p2, %rd4, 0;"), 1);
}
