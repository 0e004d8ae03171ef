//! The C text of single instructions, and which forms are translated.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use cpu::{Options, translate};
use emulator::Program;
use ptx_parser::Module;

const DECLARATIONS: &str = ".reg .pred %p<128>; .reg .b8 %rb<8>; .reg .b16 %h<128>; .reg .b32 %r<128>; .reg .f32 %f<128>; .reg .b64 %rd<128>; \
                            .reg .f64 %fd<128>; .reg .b128 %rq<128>; .shared .align 16 .b8 smem[64];";

fn module(target: &str, body: &str) -> Option<Module> {
    let text = format!(
        ".version 9.0\n.target {target}\n.address_size 64\n.global .align 16 .b8 gbl[64];\n.func (.param .b32 x) fn0(.param .b32 y) {{ ret; }}\n\
         .entry k()\n{{\n{DECLARATIONS}\n{body}\nL: ret;\n}}\n"
    );
    Module::parse(&text).ok()
}

/// A line with the names of registers as they are for one lane: those that are the same for all lanes of a row have `u_` before them.
fn for_one_lane(line: &str) -> String {
    let mut text = String::new();
    for (index, c) in line.char_indices() {
        let begins = |at: usize| line.get(at..).is_some_and(|rest| rest.starts_with("u_"));
        let is_inside = |at: usize| {
            line.get(..at)
                .and_then(|before| before.chars().last())
                .is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        let dropped = (begins(index) && !is_inside(index)) || (index > 0 && begins(index - 1) && !is_inside(index - 1));
        if !dropped {
            text.push(c);
        }
    }
    text
}

/// The line of C that has some text in it, of a kernel with one instruction.
fn line(instruction: &str, part: &str) -> String {
    let module = module("sm_90", instruction).unwrap_or_else(|| panic!("{instruction}"));
    let translation = translate(&module, None, &Options::default()).unwrap_or_else(|refusals| panic!("{refusals:?}"));
    let lines = translation.source.lines().map(|line| for_one_lane(line.trim()));
    lines.filter(|line| !line.starts_with("static")).find(|line| line.contains(part)).unwrap_or_default()
}

/// Checks the statement of an instruction.
fn becomes(instruction: &str, statement: &str) {
    let found = line(instruction, statement);
    assert!(!found.is_empty(), "`{instruction}` does not become `{statement}`");
}

#[test]
fn integers_are_operators_of_c() {
    becomes("add.s32 %r1, %r2, %r3;", "r1 = r2 + r3;");
    becomes("add.u16 %h1, %h2, 3;", "h1 = (uint16_t)(h2 + UINT16_C(3));");
    becomes("mul.lo.u16 %h1, %h2, %h3;", "h1 = (uint16_t)((uint32_t)h2 * h3);");
    becomes("mul.wide.s32 %rd1, %r2, %r3;", "rd1 = (uint64_t)((int64_t)(int32_t)r2 * (int32_t)r3);");
    becomes("mad.lo.s32 %r1, %r2, %r3, %r4;", "r1 = r2 * r3 + r4;");
    becomes("div.s32 %r1, %r2, %r3;", "r1 = pxrw_div_s32(r2, r3);");
    becomes("neg.s64 %rd1, %rd2;", "rd1 = (uint64_t)(0u - rd2);");
    becomes("bfe.u32 %r1, %r2, 4, 8;", "r1 = pxrw_bfe_u32(r2, 4u, 8u);");
    becomes(
        "subc.cc.u32 %r1, %r2, %r3;",
        "{ const uint32_t pxrw_left = r2, pxrw_right = ~r3; const uint32_t pxrw_in = carry; \
         carry = pxrw_carry_32(pxrw_left, pxrw_right, pxrw_in); r1 = pxrw_left + pxrw_right + pxrw_in; }",
    );
}

#[test]
fn logic_and_comparisons_are_operators_of_c() {
    becomes("and.b32 %r1, %r2, 255;", "r1 = r2 & 255u;");
    becomes("shl.b32 %r1, %r2, 3;", "r1 = r2 << 3;");
    becomes("shl.b32 %r1, %r2, %r3;", "r1 = pxrw_shl_32(r2, r3);");
    becomes("shr.s64 %rd1, %rd2, 5;", "rd1 = (uint64_t)((int64_t)rd2 >> 5);");
    becomes("lop3.b32 %r1, %r2, %r3, %r4, 0x96;", "r1 = r2 ^ r3 ^ r4;");
    becomes("lop3.b32 %r1, %r2, %r3, %r4, 0x17;", "r1 = pxrw_lop3(r2, r3, r4, 0x17u);");
    becomes("setp.lt.s32 %p1, %r1, %r2;", "p1 = (int32_t)r1 < (int32_t)r2;");
    becomes("setp.lo.u32 %p1, %r1, 7;", "p1 = r1 < 7u;");
    becomes("setp.ltu.ftz.f32 %p1, %f1, %f2;", "p1 = pxrw_ltu_ftz_f32(f1, f2);");
    becomes("setp.eq.and.u32 %p1, %r1, %r2, !%p2;", "p1 = (r1 == r2) & !p2;");
    becomes("selp.b32 %r1, %r2, %r3, %p1;", "r1 = p1 ? r2 : r3;");
}

#[test]
fn memory_is_accessed_by_width() {
    becomes("ld.global.u32 %r1, [%rd1+4];", "r1 = pxrw_load32((unsigned char *)(uintptr_t)(rd1 + UINT64_C(4)));");
    becomes("ld.global.s8 %r1, [%rd1];", "r1 = (uint32_t)(int8_t)pxrw_load8((unsigned char *)(uintptr_t)rd1);");
    becomes("ld.acquire.gpu.global.b32 %r1, [%rd1];", "r1 = pxrw_load32_ordered((unsigned char *)(uintptr_t)rd1);");
    becomes("st.global.u8 [%rd1], %r1;", "pxrw_store8((unsigned char *)(uintptr_t)rd1, (uint8_t)r1);");
    becomes("st.shared.b32 [smem+8], %r1;", "pxrw_store32((pxrw_shared + 8), r1);");
    becomes("atom.shared.add.u32 %r1, [%r2], 1;", "r1 = pxrw_atomic_add_32((pxrw_shared + r2), 1u);");
    becomes("red.global.min.s32 [%rd1], %r2;", "(void)pxrw_atomic_min_s32((unsigned char *)(uintptr_t)rd1, r2);");
    becomes("membar.gl;", "__atomic_thread_fence(__ATOMIC_SEQ_CST);");
    becomes("mov.b64 {%r1, %r2}, %rd1;", "{ r1 = (uint32_t)rd1; r2 = (uint32_t)(rd1 >> 32); }");
    becomes("cvta.to.shared.u64 %rd1, %rd2;", "rd1 = rd2 - (uint64_t)(uintptr_t)cta->shared;");
}

#[test]
fn what_the_emulator_does_not_run_is_refused() {
    let reason = |body: &str| {
        let module = module("sm_100", body).unwrap_or_else(|| panic!("{body}"));
        let refusals = translate(&module, None, &Options::default()).err().unwrap_or_default();
        refusals.first().map(|refusal| refusal.reason.clone()).unwrap_or_default()
    };
    assert_eq!(reason("st.async.release.sys.b8 [%rd1], 5;"), "asynchronous stores are not translated");
    assert_eq!(reason("red.async.release.gpu.add.u32 [%rd1], %r9;"), "asynchronous reductions are not translated");
    assert_eq!(reason("mov.v2.b32 {%r1, %r2}, {%r2, %r1};"), "a register is both a result and a later source");
}

/// Forms of lists that the parser's tests have, one for each opcode that is translated.
#[test]
fn every_form_that_the_emulator_runs_is_translated() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ptx-parser/tests/data/forms/accepted");
    let files =
        ["integer", "logic", "comparison", "arithmetic", "loads", "stores", "atomics", "caches", "movement", "video"];
    let mut missing = BTreeSet::new();
    let mut count = 0;
    for file in files {
        let list = fs::read_to_string(folder.join(format!("{file}.txt"))).unwrap();
        for (target, form) in list.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' '))
        {
            let Some(module) = module(target, form) else { continue };
            if form.contains(".async") || Program::decode(&module, "k").is_err() {
                continue;
            }
            count += 1;
            if let Err(refusals) = translate(&module, None, &Options::default()) {
                missing.insert(format!("{form} {}", refusals.first().map(ToString::to_string).unwrap_or_default()));
            }
        }
    }
    assert!(missing.is_empty(), "{} of {count}: {missing:#?}", missing.len());
    assert!(count > 2500, "only {count} forms were tried");
}
