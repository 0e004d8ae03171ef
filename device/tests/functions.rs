//! Functions in which threads meet, and that call themselves or are called by address, on the CPU and on the emulator.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use device::{EmulatorOptions, LaunchConfig, Machine, OutcomeKind, RunReport, Selection, TranslatedOptions};

/// `deep` exchanges values in its warp, waits at barriers and calls itself. `even` is called by lanes of even numbers, `twice` computes alone, `ends` ends every fifth
/// thread, `takes` takes a lock as often as it is told.
const FUNCTIONS: &str = "\
.version 9.0
.target sm_90
.address_size 64
.global .align 4 .u32 lock;
.func (.param .b32 r) deep(.param .b32 n, .param .b64 s)
{
  .local .align 4 .b8 own[8];
  .reg .b32 %r<9>; .reg .b64 %rd<5>; .reg .pred %p<3>; .param .b32 m; .param .b64 p; .param .b32 x;
  ld.param.u32 %r1, [n];
  ld.param.u64 %rd1, [s];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd2, %rd2, %rd1;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra BASE;
  mul.lo.u32 %r3, %r2, %r1;
  shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1;
  st.local.u32 [own], %r3;
  ld.global.u32 %r4, [%rd2];
  add.u32 %r4, %r4, %r3;
  st.global.u32 [%rd2], %r4;
  bar.sync 0;
  xor.b32 %r5, %r2, 33;
  mul.wide.u32 %rd3, %r5, 4;
  add.s64 %rd3, %rd3, %rd1;
  ld.global.u32 %r6, [%rd3];
  bar.sync 0;
  sub.u32 %r7, %r1, 1;
  st.param.b32 [m], %r7;
  st.param.b64 [p], %rd1;
  call.uni (x), deep, (m, p);
  ld.param.b32 %r8, [x];
  ld.local.u32 %r3, [own];
  mad.lo.u32 %r8, %r8, 3, %r3;
  add.u32 %r8, %r8, %r6;
  st.param.b32 [r], %r8;
  ret;
BASE:
  ld.global.u32 %r8, [%rd2];
  st.param.b32 [r], %r8;
  ret;
}
.func (.param .b32 r) even(.param .b32 n, .param .b64 s)
{
  .reg .b32 %r<5>;
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  shfl.sync.idx.b32 %r3, %r2, 6, 31, 0x55555555;
  mad.lo.u32 %r3, %r3, 100, %r1;
  st.param.b32 [r], %r3;
  ret;
}
.func (.param .b32 r) twice(.param .b32 n, .param .b64 s)
{
  .reg .b32 %r<3>;
  ld.param.u32 %r1, [n];
  add.u32 %r1, %r1, %r1;
  st.param.b32 [r], %r1;
  ret;
}
.func (.param .b32 r) ends(.param .b32 n, .param .b64 s)
{
  .reg .b32 %r<5>; .reg .b64 %rd<2>; .reg .pred %p; .param .b32 m; .param .b64 p; .param .b32 x;
  ld.param.u32 %r1, [n];
  ld.param.u64 %rd1, [s];
  mov.u32 %r2, %tid.x;
  rem.u32 %r3, %r2, 5;
  setp.eq.u32 %p, %r1, %r3;
  @%p END;
  bar.sync 0;
  sub.u32 %r1, %r1, 1;
  setp.eq.u32 %p, %r1, 0;
  @%p bra LAST;
  st.param.b32 [m], %r1;
  st.param.b64 [p], %rd1;
  call.uni (x), ends, (m, p);
  ld.param.b32 %r1, [x];
LAST:
  add.u32 %r1, %r1, 7;
  st.param.b32 [r], %r1;
  ret;
}
.func (.param .b32 r) takes(.param .b32 n, .param .b64 s)
{
  .reg .b32 %r<5>; .reg .b64 %rd<3>; .reg .pred %p; .param .b32 m; .param .b64 p; .param .b32 x;
  ld.param.u32 %r1, [n];
  ld.param.u64 %rd1, [s];
  setp.eq.u32 %p, %r1, 0;
  @%p bra NONE;
TRY:
  atom.global.cas.b32 %r2, [lock], 0, 1;
  setp.ne.u32 %p, %r2, 0;
  @%p bra TRY;
  ld.volatile.global.u32 %r3, [%rd1+1024];
  add.u32 %r3, %r3, 1;
  st.volatile.global.u32 [%rd1+1024], %r3;
  membar.gl;
  atom.global.exch.b32 %r2, [lock], 0;
  sub.u32 %r1, %r1, 1;
  st.param.b32 [m], %r1;
  st.param.b64 [p], %rd1;
  call.uni (x), takes, (m, p);
  ld.param.b32 %r1, [x];
  add.u32 %r1, %r1, 1;
NONE:
  st.param.b32 [r], %r1;
  ret;
}
.global .align 8 .u64 table[3] = {deep, even, twice};
";

/// A kernel that calls what stands in `%rd3`, or a function that is named, with `%r2` and its buffer, and stores the result.
fn kernel(pick: &str, callee: &str) -> String {
    let prototype =
        if callee == "%rd3" { "LIKE: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);" } else { "" };
    let like = if callee == "%rd3" { ", LIKE" } else { "" };
    format!(
        "{FUNCTIONS}
.visible .entry k(.param .u64 a)
{{
  .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<4>; .param .b32 n; .param .b64 s; .param .b32 x;
  ld.param.u64 %rd1, [a];
  mov.u32 %r1, %tid.x;
  {pick}
  {prototype}
  st.param.b32 [n], %r2;
  st.param.b64 [s], %rd1;
  call (x), {callee}, (n, s){like};
  ld.param.b32 %r4, [x];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd2, %rd2, %rd1;
  st.global.u32 [%rd2+512], %r4;
  ret;
}}
"
    )
}

fn launched(selection: &Selection, text: &str, config: &LaunchConfig) -> (RunReport, Vec<u32>) {
    let mut device = selection.open().unwrap();
    let kernel = device.load(text, "k").unwrap_or_else(|error| panic!("{error}"));
    let buffer = device.alloc(2048, "a").unwrap();
    let report = device.launch(kernel, config, &[buffer.into()]).unwrap();
    let mut bytes = vec![0; 2048];
    device.download(buffer, 0, &mut bytes).unwrap();
    (report, bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect())
}

/// Launches a kernel on the CPU in each treatment, and sees that it leaves what it leaves on the emulator.
fn both(text: &str, threads: u32) -> Vec<u32> {
    let config = LaunchConfig::linear(1, threads);
    let (report, expected) = launched(
        &Selection::Emulator(EmulatorOptions { machine: Machine::Its, ..EmulatorOptions::default() }),
        text,
        &config,
    );
    assert_eq!((report.outcome, report.message), (OutcomeKind::Finished, None));
    for &sync in cpu::Sync::ALL {
        let options = TranslatedOptions { cache: None, sync, ..TranslatedOptions::default() };
        let (report, words) = launched(&Selection::Cpu(options), text, &config);
        assert_eq!((report.outcome, report.message), (OutcomeKind::Finished, None));
        assert_eq!(words, expected, "{sync:?}");
    }
    expected
}

#[test]
fn threads_meet_in_a_function_that_calls_itself() {
    let words = both(&kernel("mov.u32 %r2, 5;", "deep"), 64);
    assert_eq!(words[128..192].iter().collect::<std::collections::BTreeSet<_>>().len(), 64);
    // Depths that differ between warps, whose barriers are not those of one another.
    both(&kernel("mov.u32 %r2, 0;", "deep"), 64);
    both(&kernel("mov.u32 %r2, 7;", "deep"), 32);
}

#[test]
fn threads_meet_in_functions_that_are_called_by_address() {
    let at = |index: &str| {
        format!(
            "mov.u32 %r2, 4; {index} mul.wide.u32 %rd2, %r3, 8; mov.u64 %rd3, table; add.s64 %rd3, %rd3, %rd2; ld.global.u64 %rd3, [%rd3];"
        )
    };
    for index in ["mov.u32 %r3, 0;", "mov.u32 %r3, 2;"] {
        both(&kernel(&at(index), "%rd3"), 64);
    }
    // Lanes of even numbers call one, the others another one.
    let words = both(&kernel(&at("and.b32 %r3, %r1, 1; add.u32 %r3, %r3, 1;"), "%rd3"), 64);
    assert_eq!(words[128..132], [604, 8, 604, 8]);
    assert_eq!(words[190..192], [3804, 8]);
}

#[test]
fn threads_that_end_in_such_a_function_are_not_waited_for() {
    let text = kernel("mov.u32 %r2, 4;", "ends").replace("@%p END;", "@%p exit;");
    let words = both(&text, 64);
    assert_eq!(words[128..133], [28, 0, 0, 0, 0]);
    let text = kernel("mov.u32 %r2, 4;", "ends").replace("@%p END;", "@%p trap;");
    let options = TranslatedOptions { cache: None, threads: 1, ..TranslatedOptions::default() };
    let (report, words) = launched(&Selection::Cpu(options), &text, &LaunchConfig::linear(1, 64));
    assert_eq!((report.outcome, words[128]), (OutcomeKind::Fault, 0));
    assert!(report.message.unwrap().ends_with("thread (4,0,0) executed `trap`"));
}

#[test]
fn locks_are_taken_in_such_a_function() {
    let words = both(&kernel("rem.u32 %r2, %r1, 5;", "takes"), 64);
    let expected: Vec<u32> = (0..64).map(|thread| thread % 5).collect();
    assert_eq!((words[256], &words[128..192]), (expected.iter().sum(), &expected[..]));
}

#[test]
fn calls_that_are_nested_too_deep_are_a_fault() {
    let text = kernel("mov.u32 %r2, -1;", "deep");
    for selection in
        [Selection::Cpu(TranslatedOptions { cache: None, ..TranslatedOptions::default() }), Selection::default()]
    {
        let (report, _) = launched(&selection, &text, &LaunchConfig::linear(1, 32));
        let message = report.message.unwrap();
        assert_eq!(report.outcome, OutcomeKind::Fault);
        assert!(message.contains("calls are nested too deep: the stack overflowed"), "{message}");
    }
}
