//! Kernels with words exchanged at random: whatever still parses is refused, or runs to an outcome. Nothing panics.

use arbitrary::{Result, Unstructured};
use arbtest::{arbitrary, arbtest};
use emulator::{Arg, Launch, Machine, Memory, Program, run};
use ptx_parser::Module;

/// Something of everything that the decoder knows.
const KERNEL: &str = "
.version 9.0
.target sm_90
.address_size 64
.global .align 8 .u64 place = counter;
.global .align 4 .u32 counter = 1;
.extern .shared .align 16 .b8 dynamic[];
.func (.param .b32 result) helper(.param .b32 x) {
  .reg .b32 %r<4>;
  ld.param.u32 %r1, [x];
  mad.lo.s32 %r2, %r1, %r1, 7;
  st.param.b32 [result], %r2;
  ret;
}
.visible .entry k(.param .u64 a, .param .align 8 .b8 s[16], .param .u32 n) {
  .reg .pred %p<6>;
  .reg .b16 %rs<6>;
  .reg .b32 %r<30>;
  .reg .b64 %rd<12>;
  .reg .f32 %f<8>;
  .reg .f64 %fd<4>;
  .shared .align 8 .b8 box[256];
  .local .align 8 .b8 own[64];
  ld.param.u64 %rd1, [a];
  ld.param.u32 %r1, [s+4];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r3, [%rd3];
  setp.lt.and.u32 %p1|%p2, %r2, 9, %p3;
  @%p1 bra LEFT;
  cvt.rn.f32.s32 %f1, %r3;
  fma.rn.ftz.f32 %f2, %f1, %f1, 0f3F800000;
  sqrt.rz.f64 %fd1, 0d4000000000000000;
  selp.b32 %r4, %r2, 5, %p2;
  bra.uni MEET;
LEFT:
  shfl.sync.bfly.b32 %r5|%p4, %r3, 1, 31, -1;
  mov.b64 {%r6, %r7}, %rd3;
  mov.b32 %r8, {%rs1, %rs2};
  add.cc.u32 %r9, %r6, %r7;
  addc.u32 %r10, %r6, 0;
  prmt.b32 %r11, %r9, %r10, 0x5410;
  bfe.u32 %r12, %r11, 3, 5;
MEET:
  vote.sync.ballot.b32 %r13, %p1, -1;
  mov.u32 %r14, box;
  st.shared.u32 [%r14+4], %r13;
  bar.sync 0;
  ld.shared.v2.u32 {%r15, %r16}, [box+8];
  mov.u64 %rd4, own;
  st.local.u64 [%rd4+8], %rd3;
  cvta.local.u64 %rd5, %rd4;
  ld.u16 %rs3, [%rd5+8];
  atom.global.add.u32 %r17, [counter], 1;
  red.shared.max.s32 [%r14], %r17;
  @%p2 trap;
  {
    .param .b32 p0;
    .param .b32 r0;
    st.param.b32 [p0], %r17;
    call.uni (r0), helper, (p0);
    ld.param.b32 %r18, [r0];
  }
  rem.u32 %r19, %r18, 2;
  TABLE: .branchtargets ONE, TWO;
  brx.idx %r19, TABLE;
ONE:
  add.u32 %r20, %r20, 1;
TWO:
  st.global.u32 [%rd3], %r18;
  @!%p5 exit;
  bar.red.popc.u32 %r21, 0, %p1;
  ret;
}
";

/// Pieces of text: words, numbers, and single other characters.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let word = |c: char| c.is_ascii_alphanumeric() || "_%".contains(c);
    for (at, c) in text.char_indices() {
        let continues = at > start && word(c) && text[start..at].chars().all(word);
        if at > start && !continues {
            pieces.push(&text[start..at]);
            start = at;
        }
    }
    pieces.push(&text[start..]);
    pieces
}

fn survives(source: &mut Unstructured<'_>) -> Result<()> {
    let original = pieces(KERNEL);
    let extra =
        ["0", "-1", "64", "4294967295", "u8", "s16", "f16", "b128", "v4", "wide", "cc", "sat", "rz", "%rd9", "%laneid"];
    let mut text: Vec<&str> = original.clone();
    for _ in 0..source.int_in_range(1..=4)? {
        let at = source.choose_index(text.len())?;
        // Half of the exchanges keep the kind of the word, so that more of them parse.
        let from: &[&str] = if source.arbitrary()? { &original } else { &extra };
        text[at] = source.choose(from)?;
    }
    let text = text.concat();
    let Ok(module) = Module::parse(&text) else { return Ok(()) };
    let Ok(program) = Program::decode(&module, "k") else { return Ok(()) };
    for &machine in Machine::ALL {
        let mut memory = Memory::new();
        let a = memory.alloc(256, "a");
        let mut launch = Launch::new(2, 40).arg(a).arg(Arg::bytes(&[7; 16])).arg(3u32).on(machine);
        (launch.step_budget, launch.shared_bytes) = (20_000, 64);
        // A launch may not fit any more; that it returns is what matters.
        let _ = run(&program, &mut memory, &launch);
    }
    Ok(())
}

#[test]
fn mutated_kernels_never_panic() {
    let module = Module::parse(KERNEL).unwrap();
    Program::decode(&module, "k").unwrap();
    arbtest(survives).size_min(64).budget_ms(3000);
}

#[test]
#[ignore = "runs for a minute"]
fn many_mutated_kernels_never_panic() {
    arbtest(survives).size_min(64).budget_ms(60_000);
}
