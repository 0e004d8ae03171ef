//! Loads, stores, atomics, moves and addresses as native code beside the emulator: many snippets in one kernel, each with bytes of its own to write.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fmt::Write as _;

use cpu::{Build, Ending, Object, Options, Sync, translate};
use emulator::{Memory, Outcome, Program};
use ptx_parser::Module;

/// Threads of a launch.
const THREADS: usize = 64;
/// Bytes that each thread reads, and writes in each snippet.
const BYTES: usize = 64;

/// What a snippet may name. `%rd1` is the address of its input, `%rd2` of its output, `%r1` the offset of its part of `smem`, `%rd3` that offset, too.
const DECLARATIONS: &str = ".reg .pred %p<8>; .reg .b16 %h<32>; .reg .b32 %r<32>; .reg .b64 %rd<32>; .reg .f32 %f<8>; .reg .f64 %fd<8>; .reg .b128 %rq<4>; \
                            .reg .v4 .b32 %v<2>; .shared .align 16 .b8 smem[4096]; .local .align 16 .b8 mine[64];";

/// The text of a kernel with the snippets, one row of output each.
fn text(target: &str, snippets: &[String]) -> String {
    let mut body = String::new();
    for (row, snippet) in snippets.iter().enumerate() {
        let _ = writeln!(
            body,
            "ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x; shl.b32 %r1, %r1, 6; mov.u32 %r2, smem; add.u32 %r1, %r1, %r2; cvt.u64.u32 %rd3, %r1; \
             add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3; add.u64 %rd2, %rd2, {}; {{ {snippet} }}",
            row * THREADS * BYTES
        );
    }
    format!(
        ".version 9.0\n.target {target}\n.address_size 64\n.const .align 16 .b8 table[64] = {{1, 2, 3, 200, 5, 6, 7, 129}};\n.global .align 16 .b8 variable[64];\n\
         .entry k(.param .u64 in, .param .u64 out, .param .align 16 .b8 block[64])\n{{\n{DECLARATIONS}\n{body}\nret;\n}}\n"
    )
}

/// Words that are random, or special as integers and as floats of all sizes.
fn input() -> Vec<u32> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let special =
        [0, 1, 0x8000_0000, 0x7f80_0000, 0xffff_ffff, 0x0000_0003, 0x8040_0000, 0x3f80_0000, 0x7e00_3c00, 0x0001_8001];
    let mut word = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let random = (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32;
        if random & 3 == 0 { special[(random >> 4) as usize % special.len()] } else { random }
    };
    (0..THREADS * BYTES / 4).map(|_| word()).collect()
}

/// Runs snippets on both, and names those whose bytes differ.
fn check(target: &str, snippets: &[String]) {
    let text = text(target, snippets);
    let module = Module::parse(&text).unwrap_or_else(|errors| panic!("{errors}"));
    let words = snippets.len() * THREADS * BYTES / 4;
    let block: Vec<u8> = (0..64_u8).map(|byte| byte.wrapping_mul(37).wrapping_add(11)).collect();
    let (values, mut memory) = (input(), Memory::new());
    let (from, to) = (memory.alloc_from(&values, "in"), memory.alloc_from(&vec![0_u32; words], "out"));
    let program = Program::decode(&module, "k").unwrap_or_else(|error| panic!("{error}"));
    let launch = emulator::Launch::new(1, THREADS as u32).arg(from).arg(to).arg(emulator::Arg::bytes(&block));
    let report = emulator::run(&program, &mut memory, &launch).unwrap();
    assert_eq!(report.outcome, Outcome::Finished, "{}", report.outcome);
    let expected = memory.read::<u32>(to, words).unwrap();

    let options = Options { sync: Sync::Basic };
    let translation = translate(&module, None, &options).unwrap_or_else(|refusals| {
        panic!("{}", refusals.iter().map(|refusal| format!("{refusal}\n")).collect::<String>())
    });
    let built = Build::default().object(&translation.source).unwrap_or_else(|error| panic!("{error}"));
    // SAFETY: the object is that of a translation.
    let object = unsafe { Object::load(&built.object, None) }.unwrap();
    // The block of parameters is aligned, and so are the parts of threads.
    let (values, mut found) = (aligned(&values), aligned(&vec![0; words]));
    let mut parameters: Vec<u8> =
        [values.as_ptr() as u64, found.as_mut_ptr() as u64].iter().flat_map(|address| address.to_le_bytes()).collect();
    parameters.extend(&block);
    let shape = cpu::Launch { grid: [1; 3], block: [THREADS as u32, 1, 1], host_threads: 1, ..cpu::Launch::default() };
    // SAFETY: the snippets stay within their buffers; the emulator has checked that.
    let ending = unsafe { object.launch(&translation.kernels[0].symbol, &shape, &parameters) }.unwrap();
    assert_eq!(ending, Ending::Finished);
    let found: Vec<u32> = found.iter().flat_map(|line| line.0).collect();
    let row = THREADS * BYTES / 4;
    let mut wrong = String::new();
    for (number, snippet) in snippets.iter().enumerate() {
        let range = number * row..(number + 1) * row;
        let pair = expected[range.clone()].iter().zip(&found[range]).enumerate().find(|(_, (a, b))| a != b);
        if let Some((at, (expected, found))) = pair {
            let _ =
                writeln!(wrong, "{snippet}\n  thread {}, word {}: {found:#x} and not {expected:#x}", at / 16, at % 16);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Sixteen words where a line of a cache begins.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Line([u32; 16]);

fn aligned(words: &[u32]) -> Vec<Line> {
    let line = |chunk: &[u32]| Line(std::array::from_fn(|at| chunk.get(at).copied().unwrap_or_default()));
    words.chunks(16).map(line).collect()
}

const TYPES: &[(&str, u32)] = &[
    ("b8", 8),
    ("u8", 8),
    ("s8", 8),
    ("b16", 16),
    ("u16", 16),
    ("s16", 16),
    ("b32", 32),
    ("u32", 32),
    ("s32", 32),
    ("f32", 32),
    ("b64", 64),
    ("u64", 64),
    ("s64", 64),
    ("f64", 64),
];

/// Registers wide enough for a number of bits: names and the suffix that stores them.
fn registers(bits: u32) -> impl Iterator<Item = (&'static str, u32)> {
    [("%h", 16), ("%r", 32), ("%rd", 64)].into_iter().filter(move |&(_, width)| width >= bits)
}

#[test]
fn loads_extend_and_stores_cut() {
    let mut snippets = Vec::new();
    for &(ty, bits) in TYPES {
        for (reg, width) in registers(bits) {
            let kept = format!("st.global.b{width} [%rd2], {reg}9;");
            for order in ["", ".volatile", ".relaxed.gpu", ".acquire.sys"] {
                snippets.push(format!("ld{order}.global.{ty} {reg}9, [%rd1+8]; {kept}"));
            }
            snippets.push(format!("ld.{ty} {reg}9, [%rd1+{}]; {kept}", bits / 8));
            snippets.push(format!("ld.global.nc.{ty} {reg}9, [%rd1]; {kept}"));
            snippets.push(format!("ldu.global.{ty} {reg}9, [%rd1]; {kept}"));
            snippets.push(format!("ld.const.{ty} {reg}9, [table]; {kept}"));
            snippets.push(format!("mov.u64 %rd8, table; ld.const.{ty} {reg}9, [%rd8+{}]; {kept}", bits / 8 % 8));
            snippets.push(format!("ld.param.{ty} {reg}9, [block+16]; {kept}"));
            let load = format!("ld.global.b{width} {reg}8, [%rd1+16];");
            for order in ["", ".volatile", ".relaxed.gpu", ".release.sys"] {
                snippets.push(format!("{load} st{order}.global.{ty} [%rd2+8], {reg}8;"));
            }
            snippets.push(format!("{load} st.{ty} [%rd2+8], {reg}8;"));
            for space in ["shared", "local"] {
                let at = if space == "shared" { "%r1" } else { "mine" };
                snippets.push(format!(
                    "{load} st.{space}.b{width} [{at}+8], {reg}8; st.{space}.{ty} [{at}+16], {reg}8; ld.{space}.{ty} {reg}9, [{at}+8]; {kept} \
                     ld.{space}.b64 %rd8, [{at}+16]; st.global.b64 [%rd2+16], %rd8;"
                ));
            }
        }
        snippets.push(format!("st.global.{ty} [%rd2], {};", if ty.starts_with('f') { "1.5" } else { "-3" }));
    }
    check("sm_90", &snippets);
}

#[test]
fn vectors_move_their_elements() {
    let mut snippets = Vec::new();
    for &(ty, bits) in TYPES {
        for (reg, width) in registers(bits) {
            for count in [2_u32, 4, 8] {
                if bits * count > 256 || count == 8 && bits < 32 || bits * count == 256 && !ty.contains(['3', '6']) {
                    continue;
                }
                let list =
                    |first: u32| (0..count).map(|at| format!("{reg}{}", first + at)).collect::<Vec<_>>().join(", ");
                let orders: &[&str] = if bits * count > 128 { &[""] } else { &["", ".volatile"] };
                for order in orders {
                    let store = format!("st{order}.global.v{count}.{ty} [%rd2], {{{}}};", list(8));
                    snippets.push(format!("ld{order}.global.v{count}.{ty} {{{}}}, [%rd1+32]; {store}", list(8)));
                }
                if bits * count <= 128 && width == bits.max(16) {
                    snippets.push(format!("ld.global.v{count}.{ty} {{{}}}, [%rd1]; st.shared.v{count}.{ty} [%r1], {{{}}}; bar.warp.sync -1; ld.shared.v{count}.{ty} {{{}}}, [%r1]; st.v{count}.{ty} [%rd2], {{{}}};", list(8), list(8), list(16), list(16)));
                }
            }
        }
    }
    snippets.push("mov.b64 %rd8, %rd1; ld.v2.u64 {%rd8, %rd9}, [%rd8]; st.v2.u64 [%rd2], {%rd8, %rd9};".into());
    snippets.push("ld.global.v4.b32 {%r8, _, %r9, _}, [%rd1]; st.v2.b32 [%rd2], {%r8, %r9};".into());
    for order in ["", ".volatile"] {
        snippets.push(format!("ld{order}.global.b128 %rq1, [%rd1+16]; st{order}.global.b128 [%rd2+32], %rq1;"));
    }
    check("sm_100", &snippets);
}

#[test]
fn atomics_return_what_was_there() {
    let words = |ty: &str| match ty {
        "b16" | "f16" | "bf16" => "%h",
        "b64" | "u64" | "s64" | "f64" => "%rd",
        _ => "%r",
    };
    let forms: &[(&str, &[&str])] = &[
        ("add", &["u32", "s32", "u64", "f32", "f64"]),
        ("min", &["u32", "s32", "u64", "s64"]),
        ("max", &["u32", "s32", "u64", "s64"]),
        ("inc", &["u32"]),
        ("dec", &["u32"]),
        ("and", &["b32", "b64"]),
        ("or", &["b32", "b64"]),
        ("xor", &["b32", "b64"]),
        ("exch", &["b32", "b64"]),
        ("cas", &["b16", "b32", "b64"]),
        ("add.noftz", &["f16", "bf16", "f16x2", "bf16x2"]),
    ];
    let mut snippets = Vec::new();
    for &(operation, types) in forms {
        for &ty in types {
            let reg = words(ty);
            let bits = if reg == "%h" { 16 } else { if reg == "%r" { 32 } else { 64 } };
            let cas = operation == "cas";
            // Half of the threads compare with what is there.
            let equal = if cas {
                format!("and.b32 %r20, %r1, 64; setp.ne.u32 %p1, %r20, 0; @%p1 mov.b{bits} {reg}11, {reg}10;")
            } else {
                String::new()
            };
            let start = format!(
                "ld.global.b{bits} {reg}10, [%rd1]; ld.global.b{bits} {reg}11, [%rd1+8]; ld.global.b{bits} {reg}12, [%rd1+16]; {equal}"
            );
            let third = if cas { format!(", {reg}12") } else { String::new() };
            let kept = format!("st.global.b{bits} [%rd2+8], {reg}13;");
            for (space, at) in [(".global", "%rd2"), ("", "%rd2"), (".shared", "%r1"), ("", "%rd20")] {
                let (memory, generic) = match at {
                    "%r1" => (".shared", ""),
                    "%rd20" => ("", "cvta.shared.u64 %rd20, %rd3;"),
                    _ => (".global", ""),
                };
                snippets.push(format!(
                    "{start} {generic} st{memory}.b{bits} [{at}], {reg}10; atom{space}.{operation}.{ty} {reg}13, [{at}], {reg}11{third}; {kept} \
                     ld{memory}.b{bits} {reg}14, [{at}]; st.global.b{bits} [%rd2], {reg}14;"
                ));
                if !cas && operation != "exch" {
                    snippets.push(format!(
                        "{start} {generic} st{memory}.b{bits} [{at}], {reg}10; red{space}.{operation}.{ty} [{at}], {reg}11; \
                         ld{memory}.b{bits} {reg}14, [{at}]; st.global.b{bits} [%rd2], {reg}14;"
                    ));
                }
            }
        }
    }
    for ty in ["f16", "bf16", "f16x2", "bf16x2"] {
        let (reg, bits) = if ty.ends_with("x2") { ("%r", 32) } else { ("%h", 16) };
        for operation in ["add", "min", "max"] {
            for count in [2, 4] {
                let list =
                    |first: u32| (0..count).map(|at| format!("{reg}{}", first + at)).collect::<Vec<_>>().join(", ");
                snippets.push(format!(
                    "ld.global.v{count}.b{bits} {{{}}}, [%rd1]; st.global.v{count}.b{bits} [%rd2], {{{}}}; ld.global.v{count}.b{bits} {{{}}}, [%rd1+16]; \
                     atom.global.{operation}.noftz.v{count}.{ty} {{{}}}, [%rd2], {{{}}}; st.global.v{count}.b{bits} [%rd2+32], {{{}}};",
                    list(8), list(8), list(12), list(16), list(12), list(16)
                ));
            }
        }
    }
    snippets.push("ld.global.v4.b32 {%r8, %r9, %r10, %r11}, [%rd1]; st.global.v4.b32 [%rd2], {%r8, %r9, %r10, %r11}; ld.global.v4.b32 {%r8, %r9, %r10, %r11}, [%rd1+16]; atom.global.add.v4.f32 {%f1, %f2, %f3, %f4}, [%rd2], {%r8, %r9, %r10, %r11}; st.global.v4.f32 [%rd2+16], {%f1, %f2, %f3, %f4}; red.global.add.v2.f32 [%rd2+16], {%r8, %r9};".into());
    let pair = "ld.global.b128 %rq1, [%rd1]; st.global.b128 [%rd2], %rq1; ld.global.b128 %rq2, [%rd1+16];";
    snippets.push(format!("{pair} atom.global.exch.b128 %rq3, [%rd2], %rq2; st.global.b128 [%rd2+16], %rq3;"));
    snippets.push(format!("{pair} atom.global.cas.b128 %rq3, [%rd2], %rq1, %rq2; st.global.b128 [%rd2+16], %rq3;"));
    snippets.push(format!("{pair} atom.global.cas.b128 %rq3, [%rd2], %rq2, %rq1; st.global.b128 [%rd2+16], %rq3;"));
    // All threads at one place: sums do not depend on their order.
    snippets.push("sub.u64 %rd4, %rd2, %rd3; red.global.add.u32 [%rd4], 3; atom.global.max.u32 %r8, [%rd4+4], %r1; atom.global.or.b64 _, [%rd4+8], %rd3;".into());
    check("sm_90", &snippets);
}

#[test]
fn moves_and_addresses() {
    let words = "ld.global.v4.b32 {%r8, %r9, %r10, %r11}, [%rd1]; ld.global.v4.b16 {%h8, %h9, %h10, %h11}, [%rd1+16]; ld.global.v2.b64 {%rd8, %rd9}, [%rd1+32];";
    let mut snippets = vec![
        "mov.b64 %rd10, {%r8, %r9}; st.b64 [%rd2], %rd10;".to_owned(),
        "mov.b64 {%r12, %r13}, %rd8; st.v2.b32 [%rd2], {%r12, %r13};".into(),
        "mov.b64 {%r12, _}, %rd8; mov.b64 {_, %r13}, %rd9; st.v2.b32 [%rd2], {%r12, %r13};".into(),
        "mov.b64 %rd10, {%r8, -1}; mov.b64 %rd11, {0, %r9}; st.v2.b64 [%rd2], {%rd10, %rd11};".into(),
        "mov.b32 %r12, {%h8, %h9}; st.b32 [%rd2], %r12; mov.b32 {%h12, %h13}, %r8; st.v2.b16 [%rd2+4], {%h12, %h13};".into(),
        "mov.b64 %rd10, {%h8, %h9, %h10, %h11}; st.b64 [%rd2], %rd10; mov.b64 {%h12, %h13, %h14, %h15}, %rd8; st.v4.b16 [%rd2+8], {%h12, %h13, %h14, %h15};".into(),
        "mov.b128 %rq1, {%rd8, %rd9}; st.b128 [%rd2], %rq1; mov.b128 {%rd11, %rd10}, %rq1; st.v2.b64 [%rd2+16], {%rd10, %rd11};".into(),
        "mov.b128 %rq1, {%r8, %r9, %r10, %r11}; mov.b128 %rq2, %rq1; st.b128 [%rd2], %rq2; mov.b128 {%r15, %r14, %r13, %r12}, %rq2; st.v4.b32 [%rd2+16], {%r12, %r13, %r14, %r15};".into(),
        "mov.v2.b32 {%r12, %r13}, {%r9, %r8}; st.v2.b32 [%rd2], {%r12, %r13};".into(),
        "mov.v4.u32 {%r12, %r13, %r14, %r15}, %tid; st.v4.b32 [%rd2], {%r12, %r13, %r14, %r15}; mov.v4.u32 {%r12, %r13, %r14, %r15}, %ntid; st.v4.b32 [%rd2+16], {%r12, %r13, %r14, %r15};".into(),
        "mov.v4.u32 %v0, %tid; mov.v4.b32 %v1, %v0; st.v2.b32 [%rd2], {%v1.x, %v1.y}; mov.b32 %v1.w, %r8; st.b32 [%rd2+8], %v1.w;".into(),
        "mov.u16 %h12, %ntid.x; st.b16 [%rd2], %h12; mov.u32 %r12, %laneid; mov.u64 %rd10, %tid.x; st.b32 [%rd2+4], %r12; st.b64 [%rd2+8], %rd10;".into(),
        "mov.u32 %r12, %lanemask_le; mov.u32 %r13, %lanemask_gt; mov.u32 %r14, %warpid; mov.u32 %r15, %lanemask_eq; st.v4.b32 [%rd2], {%r12, %r13, %r14, %r15};".into(),
        "setp.lt.s32 %p1, %r8, %r9; mov.pred %p2, %p1; mov.pred %p3, 1; selp.u32 %r12, 1, 0, %p2; selp.u32 %r13, 1, 0, %p3; st.v2.b32 [%rd2], {%r12, %r13};".into(),
        "mov.f32 %f1, 1.1; mov.f64 %fd1, 1.1; mov.b32 %r12, %f1; st.f32 [%rd2], %f1; st.f64 [%rd2+8], %fd1; st.b32 [%rd2+4], %r12;".into(),
        "mov.u64 %rd10, smem; mov.u32 %r12, smem; mov.u64 %rd11, mine; st.v2.b64 [%rd2], {%rd10, %rd11}; st.b32 [%rd2+16], %r12;".into(),
        "mov.u64 %rd10, variable; st.global.b32 [variable+8], 7; ld.b32 %r12, [%rd10+8]; cvta.global.u64 %rd11, %rd10; sub.u64 %rd11, %rd11, %rd10; st.b32 [%rd2], %r12; st.b64 [%rd2+8], %rd11;".into(),
        "cvta.shared.u64 %rd10, %rd3; st.shared.b32 [%r1+4], %r8; ld.b32 %r12, [%rd10+4]; cvta.to.shared.u64 %rd11, %rd10; st.b32 [%rd2], %r12; st.b64 [%rd2+8], %rd11;".into(),
        "mov.u64 %rd12, mine; cvta.local.u64 %rd10, %rd12; st.local.b32 [mine+4], %r8; ld.b32 %r12, [%rd10+4]; cvta.to.local.u64 %rd11, %rd10; st.b32 [%rd2], %r12; st.b64 [%rd2+8], %rd11;".into(),
        "cvta.local.u64 %rd10, mine; st.b32 [%rd10+4], %r8; ld.local.b32 %r12, [mine+4]; st.b32 [%rd2], %r12;".into(),
        "mov.b64 %rd10, block; cvta.param.u64 %rd10, %rd10; ld.b32 %r12, [%rd10+4]; ld.param.b32 %r13, [%rd10+8]; st.v2.b32 [%rd2], {%r12, %r13};".into(),
        "membar.gl; fence.acq_rel.gpu; fence.sc.cta; nanosleep.u32 20; prefetch.global.L1 [%rd1]; createpolicy.fractional.L2::evict_last.b64 %rd10; st.b64 [%rd2], %rd10;".into(),
    ];
    let addresses = [
        "cvta.shared.u64 %rd10, %rd3;",
        "cvta.local.u64 %rd10, mine;",
        "mov.b64 %rd10, %rd1;",
        "mov.u64 %rd10, table;",
        "mov.u64 %rd10, variable;",
    ];
    for address in addresses {
        for space in ["shared", "shared::cta", "local", "global", "const"] {
            snippets.push(format!(
                "{address} isspacep.{space} %p1, %rd10; selp.u32 %r12, 1, 2, %p1; st.global.b32 [%rd2], %r12;"
            ));
        }
    }
    snippets.push("mov.u64 %rd10, block; isspacep.param %p1, %rd10; isspacep.param %p2, %rd1; selp.u32 %r12, 1, 2, %p1; selp.u32 %r13, 1, 2, %p2; st.global.v2.b32 [%rd2], {%r12, %r13};".into());
    let snippets: Vec<String> = snippets.into_iter().map(|snippet| format!("{words} {snippet}")).collect();
    check("sm_90", &snippets);
}

#[test]
fn atomics_of_several_host_threads_are_one_step_each() {
    let body = "ld.param.u64 %rd1, [out];
        red.global.add.u32 [%rd1], 3; red.global.inc.u32 [%rd1+4], 4294967295; red.global.add.f32 [%rd1+8], 0f3F800000; red.global.add.f64 [%rd1+16], 0d3FF0000000000000;
        mov.b64 %rd4, 1; mov.b64 %rd5, 2; mov.b128 %rq1, {%rd4, %rd5};
        L: ld.global.b128 %rq2, [%rd1+32]; mov.b128 {%rd6, %rd7}, %rq2; add.u64 %rd8, %rd6, 1; add.u64 %rd9, %rd7, 2; mov.b128 %rq3, {%rd8, %rd9};
        atom.global.cas.b128 %rq1, [%rd1+32], %rq2, %rq3; mov.b128 {%rd4, %rd5}, %rq1; setp.ne.u64 %p1, %rd4, %rd6; setp.ne.or.u64 %p1, %rd5, %rd7, %p1; @%p1 bra L;
        red.global.min.s32 [%rd1+48], -5; atom.global.exch.b64 %rd4, [%rd1+56], 9;";
    let text = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 out)\n{{\n{DECLARATIONS}\n{body}\nret;\n}}\n"
    );
    let module = Module::parse(&text).unwrap_or_else(|errors| panic!("{errors}"));
    let translation = translate(&module, None, &Options::default()).unwrap_or_else(|refusals| panic!("{refusals:?}"));
    let built = Build::default().object(&translation.source).unwrap_or_else(|error| panic!("{error}"));
    // SAFETY: the object is that of a translation.
    let object = unsafe { Object::load(&built.object, None) }.unwrap();
    let mut found = aligned(&[0; 16]);
    let parameters = (found.as_mut_ptr() as u64).to_le_bytes();
    let shape = cpu::Launch { grid: [200, 1, 1], block: [64, 1, 1], host_threads: 4, ..cpu::Launch::default() };
    // SAFETY: the kernel writes 64 bytes.
    let ending = unsafe { object.launch(&translation.kernels[0].symbol, &shape, &parameters) }.unwrap();
    assert_eq!(ending, Ending::Finished);
    let threads = 200 * 64;
    let double = f64::from(threads).to_bits();
    let words = [3 * threads, threads, (threads as f32).to_bits(), 0, double as u32, (double >> 32) as u32, 0, 0];
    assert_eq!(found[0].0[..8], words);
    assert_eq!(found[0].0[8..], [threads, 0, 2 * threads, 0, (-5_i32).cast_unsigned(), 0, 9, 0]);
}
