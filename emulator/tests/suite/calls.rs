//! Functions that call themselves or are called by address, and what the system provides: `printf`, `assert`, `malloc`, `free`.

use emulator::{FaultKind, Launch, Machine, Memory, Outcome, Program, Report, run};
use ptx_parser::Module;

use crate::support::finish;

const HEADER: &str = ".version 9.0\n.target sm_90\n.address_size 64\n";

fn decode(text: &str) -> Program {
    let module = Module::parse(&format!("{HEADER}{text}")).unwrap_or_else(|error| panic!("{error}"));
    Program::decode(&module, "k").unwrap_or_else(|error| panic!("{error}"))
}

/// `fib(x)` by two calls of itself, through parameters in memory.
const FIB: &str = "
.func (.param .b32 result) fib(.param .b32 x) {
  .reg .b32 %r<9>; .reg .pred %p<2>;
  ld.param.u32 %r1, [x];
  setp.lt.u32 %p1, %r1, 2;
  mov.u32 %r5, %r1;
  @%p1 bra DONE;
  sub.u32 %r2, %r1, 1;
  sub.u32 %r3, %r1, 2;
  { .param .b32 a0; .param .b32 b0; st.param.b32 [a0], %r2; call.uni (b0), fib, (a0); ld.param.b32 %r4, [b0]; }
  { .param .b32 a1; .param .b32 b1; st.param.b32 [a1], %r3; call.uni (b1), fib, (a1); ld.param.b32 %r5, [b1]; }
  add.u32 %r5, %r5, %r4;
DONE:
  st.param.b32 [result], %r5;
  ret;
}";

/// A kernel that stores what a function makes of each thread's number; `call` computes `%r2` from `%r1`.
fn kernel(call: &str) -> String {
    format!(
        ".visible .entry k(.param .u64 a) {{
  .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<4>;
  mov.u32 %r1, %tid.x;
  ld.param.u64 %rd1, [a];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd2, %rd1, %rd2;
  {call}
  st.global.u32 [%rd2], %r2;
  ret;
}}"
    )
}

const CALL_FIB: &str =
    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), fib, (a); ld.param.b32 %r2, [b]; }";

fn results(program: &Program, threads: u32) -> Vec<(Report, Vec<u32>)> {
    let run = |&machine: &Machine| {
        let mut memory = Memory::new();
        let a = memory.alloc(4 * u64::from(threads), "a");
        let report = finish(program, &mut memory, &Launch::new(1, threads).arg(a).on(machine));
        (report, memory.read::<u32>(a, threads as usize).unwrap())
    };
    Machine::ALL.iter().map(run).collect()
}

#[test]
fn lanes_recurse_to_different_depths_and_meet_again() {
    let p = decode(&format!("{FIB}\n{}", kernel(&format!("and.b32 %r1, %r1, 15; {CALL_FIB}"))));
    let fib = |n: u32| (0..n).fold((0u32, 1u32), |(a, b), _| (b, a + b)).0;
    for (machine, (report, values)) in Machine::ALL.iter().zip(results(&p, 64)) {
        assert_eq!(values, (0..64).map(|n| fib(n % 16)).collect::<Vec<_>>());
        if !matches!(machine, Machine::Stack | Machine::Its) {
            continue;
        }
        // Behind the call all lanes of both warps are together again: the store and the return.
        let last = report.ptx_lines.iter().rev().take(2).collect::<Vec<_>>();
        for line in last {
            assert_eq!((line.counts.warp_instructions, line.counts.active_lanes), (2, 64), "{line:?}");
        }
    }
}

#[test]
fn functions_that_call_each_other_keep_their_registers() {
    let text = "
.func (.reg .b32 %out) odd(.reg .b32 %n);
.func (.reg .b32 %out) even(.reg .b32 %n) {
  .reg .b32 %r<4>; .reg .pred %p<2>;
  mov.u32 %out, 1;
  setp.eq.u32 %p1, %n, 0;
  @%p1 ret;
  sub.u32 %r1, %n, 1;
  call (%out), odd, (%r1);
  add.u32 %r2, %r1, 1;
  setp.ne.u32 %p1, %r2, %n;
  @%p1 trap;
  ret;
}
.func (.reg .b32 %out) odd(.reg .b32 %n) {
  .reg .b32 %r<4>; .reg .pred %p<2>;
  mov.u32 %out, 0;
  setp.eq.u32 %p1, %n, 0;
  @%p1 ret;
  sub.u32 %r1, %n, 1;
  call (%out), even, (%r1);
  ret;
}";
    let p = decode(&format!("{text}\n{}", kernel("call (%r2), even, (%r1);")));
    for (_, values) in results(&p, 96) {
        assert_eq!(values, (0..96).map(|n| u32::from(n % 2 == 0)).collect::<Vec<_>>());
    }
}

#[test]
fn a_recursive_function_writes_to_its_callers_variable() {
    // sum(n, &total) adds n to the caller's total; each activation has a variable of its own to which the inner one adds.
    let text = "
.func sum(.param .b32 n, .param .b64 to) {
  .local .align 4 .b8 total[4];
  .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<2>;
  ld.param.u32 %r1, [n];
  ld.param.u64 %rd1, [to];
  setp.eq.u32 %p1, %r1, 0;
  @%p1 ret;
  mov.u64 %rd2, total;
  cvta.local.u64 %rd3, %rd2;
  st.local.u32 [total], %r1;
  sub.u32 %r2, %r1, 1;
  { .param .b32 a0; .param .b64 a1; st.param.b32 [a0], %r2; st.param.b64 [a1], %rd3; call.uni sum, (a0, a1); }
  ld.local.u32 %r3, [%rd2];
  ld.u32 %r4, [%rd1];
  add.u32 %r4, %r4, %r3;
  st.u32 [%rd1], %r4;
  ret;
}";
    let call = ".local .align 4 .b8 mine[4]; mov.u64 %rd4, mine; cvta.local.u64 %rd5, %rd4;
        st.local.u32 [mine], 0;
        { .param .b32 a0; .param .b64 a1; st.param.b32 [a0], %r1; st.param.b64 [a1], %rd5; call.uni sum, (a0, a1); }
        ld.local.u32 %r2, [mine];";
    for (_, values) in results(&decode(&format!("{text}\n{}", kernel(call))), 40) {
        assert_eq!(values, (0..40).map(|n| n * (n + 1) / 2).collect::<Vec<_>>());
    }
}

#[test]
fn functions_are_called_by_address() {
    let functions = "
.func (.param .b32 r) twice(.param .b32 x) {
  .reg .b32 %r<3>; ld.param.u32 %r1, [x]; add.u32 %r1, %r1, %r1; st.param.b32 [r], %r1; ret;
}
.func (.param .b32 r) square(.param .b32 x) {
  .reg .b32 %r<3>; ld.param.u32 %r1, [x]; mul.lo.u32 %r1, %r1, %r1; st.param.b32 [r], %r1; ret;
}
.func (.param .b32 r) seven(.param .b32 x) { st.param.b32 [r], 7; ret; }
.func (.param .b64 r) other(.param .b64 x) { trap; ret; }
.global .align 8 .u64 table[4] = {twice, square, seven, other};";
    let call = "and.b32 %r3, %r1, 3; min.u32 %r3, %r3, 2;
        mul.wide.u32 %rd4, %r3, 8; mov.u64 %rd3, table; add.s64 %rd3, %rd3, %rd4; ld.global.u64 %rd5, [%rd3];
        { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;
          proto: .callprototype (.param .b32 _) _ (.param .b32 _);
          call (b), %rd5, (a), proto; ld.param.b32 %r2, [b]; }";
    let p = decode(&format!("{functions}\n{}", kernel(call)));
    for (machine, (report, values)) in Machine::ALL.iter().zip(results(&p, 32)) {
        let expected = |n: u32| [2 * n, n * n, 7, 7][n as usize % 4];
        assert_eq!(values, (0..32).map(expected).collect::<Vec<_>>());
        let store = report.ptx_lines.iter().rev().nth(1).unwrap();
        let met = store.counts.warp_instructions == 1 || !matches!(machine, Machine::Stack | Machine::Its);
        assert!(met, "lanes meet behind the call: {store:?}");
    }
    // `mov` of a function, and an address that is none.
    let call = "mov.u64 %rd5, square; setp.eq.u32 %p1, %r1, 3; @%p1 add.s64 %rd5, %rd5, 8;
        { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;
          proto: .callprototype (.param .b32 _) _ (.param .b32 _);
          call (b), %rd5, (a), proto; ld.param.b32 %r2, [b]; }";
    let p = decode(&format!("{functions}\n{}", kernel(call)));
    assert_eq!(results(&p, 3)[0].1, [0, 1, 4]);
    let mut memory = Memory::new();
    let a = memory.alloc(16, "a");
    let Outcome::Fault(fault) = run(&p, &mut memory, &Launch::new(1, 4).arg(a)).unwrap().outcome else { panic!() };
    assert_eq!((fault.kind, fault.lane), (FaultKind::NoFunction, 3));
}

#[test]
fn endless_recursion_overflows_the_stack() {
    let text = "
.func (.param .b32 r) down(.param .b32 x) {
  .reg .b32 %r<3>; ld.param.u32 %r1, [x]; add.u32 %r1, %r1, 1;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;
    call.uni (b), down, (a);
    ld.param.b32 %r2, [b]; }
  st.param.b32 [r], %r2; ret;
}";
    let call = CALL_FIB.replace("fib", "down");
    let p = decode(&format!("{text}\n{}", kernel(&call)));
    for &machine in Machine::ALL {
        let mut memory = Memory::new();
        let a = memory.alloc(128, "a");
        let report = run(&p, &mut memory, &Launch::new(1, 32).arg(a).on(machine)).unwrap();
        let Outcome::Fault(fault) = report.outcome else { panic!("{}", report.outcome) };
        assert_eq!((fault.kind, &*fault.opcode), (FaultKind::StackOverflow, "call.uni"));
        assert!(fault.site.ptx_line > 0 && fault.to_string().contains("nested too deep"), "{fault}");
    }
}

/// A kernel that calls system functions; strings are the module's.
fn system(strings: &str, body: &str) -> Program {
    decode(&format!(
        ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 c);
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
{strings}
.visible .entry k(.param .u64 a) {{
  .local .align 8 .b8 buffer[64];
  .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<4>; .reg .f64 %fd<4>;
  mov.u32 %r1, %tid.x;
  {body}
  ret;
}}"
    ))
}

fn string(name: &str, text: &str) -> String {
    let bytes: Vec<String> = text.bytes().chain([0]).map(|byte| byte.to_string()).collect();
    format!(".global .align 1 .b8 {name}[{}] = {{{}}};\n", bytes.len(), bytes.join(", "))
}

/// A call of `vprintf` with the buffer.
const PRINT: &str = "mov.u64 %rd1, format; cvta.global.u64 %rd1, %rd1; mov.u64 %rd2, buffer; cvta.local.u64 %rd2, %rd2;
  { .param .b64 f; .param .b64 p; .param .b32 v; st.param.b64 [f], %rd1; st.param.b64 [p], %rd2;
    call.uni (v), vprintf, (f, p); ld.param.b32 %r8, [v]; }";

fn print(format: &str, fill: &str) -> String {
    let strings = string("format", format) + &string("word", "warp");
    let p = system(&strings, &format!("{fill}\n{PRINT}"));
    let mut memory = Memory::new();
    let a = memory.alloc(8, "a");
    finish(&p, &mut memory, &Launch::new(1, 1).arg(a)).output
}

#[test]
fn printf_knows_the_conversions_of_the_guide() {
    // One integer of 32 bits, then one of 64, then a double, then a pointer to text, at multiples of their sizes.
    let fill = "st.local.u32 [buffer], -42; mov.u64 %rd3, 81985529216486895; st.local.u64 [buffer+8], %rd3;
        mov.f64 %fd1, 0d400921FB54442D18; st.local.f64 [buffer+16], %fd1;
        mov.u64 %rd4, word; cvta.global.u64 %rd4, %rd4; st.local.u64 [buffer+24], %rd4;";
    let cases = [
        ("%d %lld %f %s\\n", "-42 81985529216486895 3.141593 warp\\n"),
        ("%6d|%-20lld|%10.3f|%6s|", "   -42|81985529216486895   |     3.142|  warp|"),
        ("%08d|%#llx|%+.2e|%.2s", "-0000042|0x123456789abcdef|+3.14e+00|wa"),
        ("%u|%llu|%g|%-6s|", "4294967254|81985529216486895|3.14159|warp  |"),
        ("%x|%p|%a|%s", "ffffffd6|0x123456789abcdef|0x1.921fb54442d18p+1|warp"),
        ("%c|%llo|%E|%%%s", "\u{fffd}|4432126361152746757|3.141593E+00|%warp"),
        ("%.5d|%lli|%G|%10.3s|", "-00042|81985529216486895|3.14159|       war|"),
        ("% d|%lld|% .0f|%s%q", "-42|81985529216486895| 3|warp%q"),
        ("%hu|%lli|%g|%s", "65494|81985529216486895|3.14159|warp"),
        ("%hhu|%llx|%g|%s", "214|123456789abcdef|3.14159|warp"),
        ("%#hx|%llx|%g|%s", "0xffd6|123456789abcdef|3.14159|warp"),
        ("%hd|%llo|%g|%s", "-42|4432126361152746757|3.14159|warp"),
        ("%5 d|%5-d|%.-1d|%l5d|%d", "%5 d|%5-d|%.-1d|%l5d|-42"),
    ];
    for (format, expected) in cases {
        assert_eq!(print(format, fill), expected, "{format}");
    }
    // A width from an argument, positive and negative.
    let two = |first: i32| format!("st.local.u32 [buffer], {first}; st.local.u32 [buffer+4], 7;");
    assert_eq!((print("[%*d]", &two(5)), print("[%*d]", &two(-5))), ("[    7]".into(), "[7    ]".into()));
}

#[test]
fn output_is_in_order_and_the_oldest_is_lost() {
    let p = system(&string("format", "%d "), &format!("st.local.u32 [buffer], %r1;\n{PRINT}"));
    let mut memory = Memory::new();
    let a = memory.alloc(8, "a");
    let mut launch = Launch::new(1, 40).arg(a);
    let report = finish(&p, &mut memory, &launch);
    let all: String = (0..40).map(|n| format!("{n} ")).collect();
    assert_eq!((report.output, report.output_lost), (all, 0));
    // A record with one argument takes 32 bytes.
    launch.output_bytes = 100;
    let report = finish(&p, &mut memory, &launch);
    assert_eq!((&*report.output, report.output_lost), ("37 38 39 ", 37));
}

#[test]
fn a_failed_assertion_says_what_and_where() {
    let strings = string("m", "x < 5") + &string("f", "a.cu") + &string("n", "void k(int*)");
    let address = |name: &str, to: &str| format!("mov.u64 {to}, {name}; cvta.global.u64 {to}, {to};");
    let body = format!(
        "setp.lt.u32 %p1, %r1, 5; @%p1 bra FINE; {} {} {}
        {{ .param .b64 m0; .param .b64 f0; .param .b32 l0; .param .b64 n0; .param .b64 c0;
        st.param.b64 [m0], %rd1; st.param.b64 [f0], %rd2; st.param.b32 [l0], 12; st.param.b64 [n0], %rd3; st.param.b64 [c0], 1;
        call.uni __assertfail, (m0, f0, l0, n0, c0); }} FINE:",
        address("m", "%rd1"),
        address("f", "%rd2"),
        address("n", "%rd3"),
    );
    let p = system(&strings, &body);
    let mut memory = Memory::new();
    let a = memory.alloc(8, "a");
    finish(&p, &mut memory, &Launch::new(1, 5).arg(a));
    let report = run(&p, &mut memory, &Launch::new(1, 8).arg(a)).unwrap();
    let Outcome::Fault(fault) = report.outcome else { panic!() };
    assert_eq!((fault.kind, fault.thread), (FaultKind::Assertion, [5, 0, 0]));
    assert_eq!(fault.note.as_deref(), Some("a.cu:12: void k(int*): assertion `x < 5` failed"));
}

const MALLOC: &str =
    "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 64; call.uni (r), malloc, (n); ld.param.b64 %rd1, [r]; }";
const FREE: &str = "{ .param .b64 p; st.param.b64 [p], %rd1; call.uni free, (p); }";

/// How a kernel of 4 threads that uses the heap ends.
fn heap(body: &str) -> Outcome {
    let p = system("", body);
    let mut memory = Memory::new();
    let a = memory.alloc(8, "a");
    let mut launch = Launch::new(1, 4).arg(a);
    launch.heap_bytes = 1024;
    run(&p, &mut memory, &launch).unwrap().outcome
}

#[test]
fn memory_of_the_heap_is_checked() {
    let uses = "st.u32 [%rd1], %r1; ld.u32 %r2, [%rd1]; setp.ne.u32 %p1, %r1, %r2; @%p1 trap;";
    assert_eq!(heap(&format!("{MALLOC} {uses} st.u32 [%rd1+60], 1; {FREE}")), Outcome::Finished);
    let kind = |body: &str| match heap(body) {
        Outcome::Fault(fault) => (fault.kind, fault.note.unwrap_or_default()),
        outcome => panic!("{outcome}"),
    };
    let (after_free, note) = kind(&format!("{MALLOC}\n{uses}\n{FREE}\nst.u32 [%rd1], 1;"));
    assert_eq!(after_free, FaultKind::UseAfterFree);
    assert!(note.starts_with("allocated at PTX line") && note.contains("freed at PTX line"), "{note}");
    assert_eq!(kind(&format!("{MALLOC} {FREE} {FREE}")).0, FaultKind::DoubleFree);
    assert_eq!(kind(&format!("{MALLOC} add.s64 %rd1, %rd1, 8; {FREE}")).0, FaultKind::BadFree);
    assert_eq!(kind(&format!("{MALLOC} st.u32 [%rd1+64], 1;")).0, FaultKind::OutOfBounds);
    // A null pointer may be given back; where there is no room, it is what one gets.
    assert_eq!(heap(&format!("mov.u64 %rd1, 0; {FREE}")), Outcome::Finished);
    let large = MALLOC.replace("64;", "2048;");
    assert_eq!(heap(&format!("{large} setp.ne.u64 %p1, %rd1, 0; @%p1 trap;")), Outcome::Finished);
}
