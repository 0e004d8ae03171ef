//! What the system provides to kernels, on the emulator and on the CPU: `printf`, `assert`, `malloc`, `free`.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use device::{
    Device, EmulatorOptions, KernelHandle, LaunchConfig, OutcomeKind, RunReport, Selection, TranslatedOptions,
};

/// A kernel `k` of a buffer, with strings of the module, some functions and a body.
fn kernel(strings: &[(&str, &str)], functions: &str, body: &str) -> String {
    let mut text = "\
.version 9.0
.target sm_90
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 c);
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
"
    .to_owned();
    for (name, string) in strings {
        let bytes: Vec<String> = string.bytes().chain([0]).map(|byte| byte.to_string()).collect();
        text += &format!(".global .align 1 .b8 {name}[{}] = {{{}}};\n", bytes.len(), bytes.join(", "));
    }
    text += functions;
    text + "
.visible .entry k(.param .u64 a) {
  .local .align 8 .b8 buffer[64];
  .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<4>; .reg .f64 %fd<4>;
  mov.u32 %r1, %tid.x;
  ld.param.u64 %rd8, [a];
" + body + "\n  ret;\n}\n"
}

/// A call of `vprintf` with the format `format` and the buffer. Its result is in `%r8`.
const PRINT: &str = "mov.u64 %rd1, format; cvta.global.u64 %rd1, %rd1; mov.u64 %rd2, buffer; cvta.local.u64 %rd2, %rd2;
  { .param .b64 f; .param .b64 p; .param .b32 v; st.param.b64 [f], %rd1; st.param.b64 [p], %rd2;
    call.uni (v), vprintf, (f, p); ld.param.b32 %r8, [v]; }";

/// Stores `%r8` to the word of a thread.
const KEEP: &str = "mul.wide.u32 %rd7, %r1, 4; add.s64 %rd7, %rd7, %rd8; st.global.u32 [%rd7], %r8;";

const MALLOC: &str =
    "{ .param .b64 n; .param .b64 r; st.param.b64 [n], %rd3; call.uni (r), malloc, (n); ld.param.b64 %rd1, [r]; }";
const FREE: &str = "{ .param .b64 p; st.param.b64 [p], %rd1; call.uni free, (p); }";

/// A kernel `k` on a device.
struct Loaded {
    device: Box<dyn Device>,
    kernel: KernelHandle,
}

impl Loaded {
    fn of(selection: &Selection, text: &str) -> Loaded {
        let mut device = selection.open().unwrap();
        let kernel = device.load(text, "k").unwrap_or_else(|error| panic!("{error}\n{text}"));
        Loaded { device, kernel }
    }

    /// Launches it with a buffer of 4096 bytes, which has some from the middle on, and returns the report, and what is in the buffer.
    fn launch(&mut self, config: &LaunchConfig, bytes: &[u8]) -> (RunReport, Vec<u32>) {
        let buffer = self.device.alloc(4096, "a").unwrap();
        self.device.upload(buffer, 2048, bytes).unwrap();
        let report = self.device.launch(self.kernel, config, &[buffer.into()]).unwrap();
        let mut bytes = vec![0; 4096];
        self.device.download(buffer, 0, &mut bytes).unwrap();
        self.device.free(buffer).unwrap();
        (report, bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect())
    }
}

/// The CPU with some host threads.
fn cpu(threads: u32) -> Selection {
    Selection::Cpu(TranslatedOptions { cache: None, threads, ..TranslatedOptions::default() })
}

fn emulator() -> Selection {
    Selection::Emulator(EmulatorOptions::default())
}

/// A kernel on the CPU, and beside it on the emulator.
struct Both([Loaded; 2]);

impl Both {
    fn of(text: &str) -> Both {
        Both([cpu(1), emulator()].map(|selection| Loaded::of(&selection, text)))
    }

    /// Launches it on both, and sees that it does the same.
    fn launch(&mut self, config: LaunchConfig, bytes: &[u8]) -> (RunReport, Vec<u32>) {
        let [(found, words), (expected, expected_words)] = self.0.each_mut().map(|one| one.launch(&config, bytes));
        assert_eq!((found.outcome, &found.message), (expected.outcome, &expected.message));
        assert_eq!(found.output(), expected.output());
        if found.outcome == OutcomeKind::Finished {
            assert_eq!(words, expected_words);
        }
        (found, words)
    }
}

fn both(text: &str, config: LaunchConfig) -> (RunReport, Vec<u32>) {
    Both::of(text).launch(config, &[])
}

/// One thread.
fn single() -> LaunchConfig {
    LaunchConfig::linear(1, 1)
}

/// A kernel that prints with a format in the middle of its buffer, and stores the result.
fn printing(fill: &str) -> Both {
    let print = PRINT.replace("mov.u64 %rd1, format; cvta.global.u64 %rd1, %rd1;", "add.s64 %rd1, %rd8, 2048;");
    Both::of(&kernel(&[("word", "warp")], "", &format!("{fill}\n{print}\n{KEEP}")))
}

#[test]
fn a_format_prints_what_the_emulator_prints() {
    // An integer of 32 bits, one of 64, a double, and a pointer to text, at multiples of their sizes.
    let mut kernel = printing(
        "st.local.u32 [buffer], -42; mov.u64 %rd3, 81985529216486895; st.local.u64 [buffer+8], %rd3;
        mov.f64 %fd1, 0d400921FB54442D18; st.local.f64 [buffer+16], %fd1;
        mov.u64 %rd4, word; cvta.global.u64 %rd4, %rd4; st.local.u64 [buffer+24], %rd4;",
    );
    let formats = [
        "%d %lld %f %s\n",
        "%6d|%-20lld|%10.3f|%6s|%%|",
        "%08d|%#llx|%+.2e|%.2s",
        "%u|%llu|%g|%-6s|",
        "%x|%p|%a|%s",
        "%c|%llo|%E|%%%s",
        "%.5d|%lli|%G|%10.3s|",
        "% d|%lld|% .0f|%s%q",
        "%hu|%lli|%g|%s",
        "%hhu|%llX|%g|%s",
        "%#hx|%#llo|%#g|%s",
        "%hd|%+llo|%.20f|%s",
        "%-+8d|%030lld|%030.3f|%30s",
        "%i|%.0lld|%.3a|%.0s",
        "%5c|%-5lld|%015.1e|%-9.9s|%",
        "%zd %5 % %l5d %5-d %.-1d",
        "",
        "no arguments",
    ];
    for format in formats {
        let (report, words) = kernel.launch(single(), format.as_bytes());
        let arguments = if format.contains('|') || format.contains("%s") { 4 } else { 0 };
        assert_eq!(words[0], arguments, "{format}: {}", report.output());
    }
}

#[test]
fn a_format_that_is_wrong_ends_nothing() {
    // A width and a precision that are arguments, and more of them than there are.
    for first in [5, -5, 3, i32::MIN, i32::MAX] {
        let mut kernel = printing(&format!("st.local.u32 [buffer], {first}; st.local.u32 [buffer+4], 7;"));
        for format in ["[%*d]", "[%.*d]", "[%*d%s]", "[%-*.*d]", "%*%|%0*x"] {
            kernel.launch(single(), format.as_bytes());
        }
    }
    // Text where no memory is, as an argument and as the format; and no format.
    for address in [8_u64, 0xffff_8000_0000_0000, u64::MAX] {
        let mut kernel = printing(&format!("mov.u64 %rd3, {address}; st.local.u64 [buffer], %rd3;"));
        let (report, words) = kernel.launch(single(), b"<%s>");
        assert_eq!((report.output(), words[0]), ("<>", 1));
    }
    for (address, result) in [(8, 0), (u64::MAX, 0), (0, u32::MAX)] {
        let print =
            PRINT.replace("mov.u64 %rd1, format; cvta.global.u64 %rd1, %rd1;", &format!("mov.u64 %rd1, {address};"));
        let (report, words) = both(&kernel(&[], "", &format!("{print}\n{KEEP}")), single());
        assert_eq!((report.output(), words[0]), ("", result));
    }
}

#[test]
fn what_threads_print_is_not_mixed() {
    let long = format!("%d{}%d\n", "-".repeat(300));
    let text = kernel(
        &[("format", &long)],
        "",
        &format!(
            "mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 64, %r1; st.local.u32 [buffer], %r1; st.local.u32 [buffer+4], %r1;\n{PRINT}"
        ),
    );
    let (report, _) = Loaded::of(&cpu(4), &text).launch(&LaunchConfig::linear(16, 64), &[]);
    let mut lines: Vec<&str> = report.output().lines().collect();
    lines.sort_by_key(|line| line.split('-').next().unwrap().parse::<u32>().unwrap());
    let expected: Vec<String> = (0..1024).map(|thread| format!("{thread}{}{thread}", "-".repeat(300))).collect();
    assert_eq!(lines, expected);
}

#[test]
fn the_newest_output_is_kept() {
    // Records of 32 bytes: 32768 of them fill the buffer.
    let body = format!(
        "mov.u32 %r2, 0; AGAIN: st.local.u32 [buffer], %r2;\n{PRINT}\nadd.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 32770; @%p1 bra AGAIN;"
    );
    let (report, _) = both(&kernel(&[("format", "%d ")], "", &body), single());
    assert!(report.output().starts_with("2 3 ") && report.output().ends_with(" 32769 "));
    assert_eq!(report.printed.unwrap().output_lost, 2);
}

const ASSERTION: [(&str, &str); 3] = [("m", "x < 5"), ("f", "a.cu"), ("n", "void k(int*)")];

/// An assertion that the number of a thread is below 5, and the number itself behind it.
fn assertion() -> String {
    let address = |name: &str, to: &str| format!("mov.u64 {to}, {name}; cvta.global.u64 {to}, {to};");
    format!(
        "setp.lt.u32 %p1, %r1, 5; @%p1 bra FINE; {} {} {}
        {{ .param .b64 m0; .param .b64 f0; .param .b32 l0; .param .b64 n0; .param .b64 c0;
        st.param.b64 [m0], %rd1; st.param.b64 [f0], %rd2; st.param.b32 [l0], 12; st.param.b64 [n0], %rd3; st.param.b64 [c0], 1;
        call.uni __assertfail, (m0, f0, l0, n0, c0); }} FINE:",
        address("m", "%rd1"),
        address("f", "%rd2"),
        address("n", "%rd3"),
    )
}

#[test]
fn a_failed_assertion_says_what_and_where() {
    let text = kernel(&ASSERTION, "", &format!("{}\nmov.u32 %r8, 7;\n{KEEP}", assertion()));
    let (report, _) = both(&text, LaunchConfig::linear(1, 5));
    assert_eq!(report.outcome, OutcomeKind::Finished);
    let config = LaunchConfig { block: [2, 4, 1], ..single() };
    let number =
        text.replace("mov.u32 %r1, %tid.x;", "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mad.lo.u32 %r1, %r2, 2, %r1;");
    for text in [&text.replace("mov.u32 %r8, 7;", "bar.sync 0;"), &number] {
        let config = if *text == number { config } else { LaunchConfig::linear(1, 6) };
        let (report, words) = both(text, config);
        assert_eq!(report.outcome, OutcomeKind::Fault);
        let message = report.message.unwrap();
        assert!(message.ends_with(": a.cu:12: void k(int*): assertion `x < 5` failed"), "{message}");
        assert_eq!(words[5..], [0; 1019]);
    }
}

#[test]
fn a_thread_that_ends_in_a_function_does_not_go_on() {
    let function = |body: &str| {
        format!(
            ".func ends(.param .u32 n) {{ .reg .pred %p; .reg .b32 %n; ld.param.u32 %n, [n]; setp.eq.u32 %p, %n, 3; @%p bra END; ret; END:\n{body}\n}}
             .func calls(.param .u32 n) {{ .reg .b32 %n; .param .b32 m; ld.param.u32 %n, [n]; st.param.b32 [m], %n; call.uni ends, (m); ret; }}"
        )
    };
    let call = "{ .param .b32 n; st.param.b32 [n], %r1; call.uni calls, (n); }";
    for behind in ["", "bar.sync 0;", "bar.warp.sync 31;"] {
        let body = format!("{call}\n{behind}\nadd.u32 %r8, %r1, 10;\n{KEEP}");
        let (report, words) = both(&kernel(&[], &function("exit;"), &body), LaunchConfig::linear(1, 5));
        assert_eq!((report.outcome, &words[..6]), (OutcomeKind::Finished, &[10, 11, 12, 0, 14, 0][..]), "{behind}");
        let text = kernel(&[], &function("trap;"), &body);
        let (report, words) = Loaded::of(&cpu(1), &text).launch(&LaunchConfig::linear(1, 5), &[]);
        assert_eq!((report.outcome, words[3]), (OutcomeKind::Fault, 0), "{behind}");
        let line = text.lines().position(|line| line == "trap;").unwrap() + 1;
        assert_eq!(report.message.unwrap(), format!("PTX line {line}: block (0,0,0) thread (3,0,0) executed `trap`"));
    }
}

#[test]
fn memory_of_the_heap_is_given_and_taken_back() {
    let uses = "st.u32 [%rd1], %r1; st.u32 [%rd1+60], %r1; ld.u32 %r2, [%rd1]; setp.ne.u32 %p1, %r1, %r2; @%p1 trap; and.b64 %rd4, %rd1, 15;
        setp.ne.u64 %p1, %rd4, 0; @%p1 trap;";
    let size = |bytes: u64| format!("mov.u64 %rd3, {bytes};");
    let (report, _) = both(
        &kernel(&[], "", &format!("{}{MALLOC}\nbar.sync 0;\n{uses}\n{FREE}", size(64))),
        LaunchConfig::linear(20, 64),
    );
    assert_eq!(report.outcome, OutcomeKind::Finished);
    // As many allocations as the heap has room for, and again once they are given back: the address of one is in the next one.
    let fill = "mov.u64 %rd5, 0; mov.u32 %r8, 0;
        MORE: MALLOC setp.eq.u64 %p1, %rd1, 0; @%p1 bra FULL; st.u64 [%rd1], %rd5; mov.u64 %rd5, %rd1; add.u32 %r8, %r8, 1; bra MORE;
        FULL: KEEP
        BACK: setp.eq.u64 %p1, %rd5, 0; @%p1 bra EMPTY; mov.u64 %rd1, %rd5; ld.u64 %rd5, [%rd1]; FREE bra BACK;
        EMPTY: "
        .replace("MALLOC", MALLOC)
        .replace("FREE", FREE)
        .replace("KEEP", KEEP);
    for bytes in [1000, 5000, (8 << 20) - 16, (8 << 20) - 15, 1 << 32, u64::MAX] {
        let again =
            fill.replace("MORE", "MORE2").replace("FULL", "FULL2").replace("BACK", "BACK2").replace("EMPTY", "EMPTY2");
        let body = format!("{}{fill}\nadd.u32 %r1, %r1, 1;\n{again}", size(bytes));
        let (_, words) = both(&kernel(&[], "", &body), single());
        let room = (8u64 << 20) / (bytes.min(1 << 33).next_multiple_of(16) + 16);
        assert_eq!(words[..2], [room as u32; 2], "{bytes}");
    }
}

#[test]
fn memory_that_is_given_back_in_any_order_is_one_piece_again() {
    let body = "mov.u64 %rd3, 1048560; mov.u64 %rd5, buffer; mov.u32 %r2, 0;
        TAKE: MALLOC mul.wide.u32 %rd4, %r2, 8; add.s64 %rd4, %rd4, %rd5; st.local.u64 [%rd4], %rd1;
        add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 8; @%p1 bra TAKE;
        mov.u32 %r2, 0;
        GIVE: mul.lo.u32 %r3, %r2, STEP; and.b32 %r3, %r3, 7; mul.wide.u32 %rd4, %r3, 8; add.s64 %rd4, %rd4, %rd5;
        ld.local.u64 %rd1, [%rd4]; FREE add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 8; @%p1 bra GIVE;
        mov.u64 %rd3, 8388592; MALLOC setp.ne.u64 %p1, %rd1, 0; selp.u32 %r8, 1, 0, %p1; KEEP"
        .replace("MALLOC", MALLOC)
        .replace("FREE", FREE)
        .replace("KEEP", KEEP);
    for step in ["1", "3", "5", "7"] {
        let (_, words) = both(&kernel(&[], "", &body.replace("STEP", step)), single());
        assert_eq!(words[0], 1, "{step}");
    }
}

#[test]
fn a_wrong_free_is_named() {
    let wrong = |body: &str| {
        let body = format!("mov.u64 %rd3, 64;\n{body}");
        let text = kernel(&[], "", &body);
        let (report, words) = Loaded::of(&cpu(1), &text).launch(&single(), &[]);
        let (expected, _) = Loaded::of(&emulator(), &text).launch(&single(), &[]);
        // Addresses, and the places of the allocation, are the emulator's own.
        let known = |report: &RunReport| {
            let message = report.message.clone().unwrap_or_default();
            let message = message.split("; ").next().unwrap_or_default().to_owned();
            message
                .split(' ')
                .map(|word| if word.starts_with("0x") { "0x" } else { word })
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!((report.outcome, known(&report)), (expected.outcome, known(&expected)));
        (known(&report), words[0])
    };
    let stored = "st.global.u32 [%rd8], 1;";
    let (message, word) = wrong(&format!("{MALLOC} {FREE} {FREE} {stored}"));
    assert!(message.ends_with("gives 0x back twice") && word == 0, "{message}");
    let (message, _) = wrong(&format!("{MALLOC} add.s64 %rd1, %rd1, 8; {FREE} {stored}"));
    assert!(message.ends_with("gives 0x back where no allocation begins"), "{message}");
    wrong(&format!("{MALLOC} add.s64 %rd1, %rd1, 32; {FREE}"));
    wrong(&format!("mov.u64 %rd1, %rd8; {FREE}"));
    assert_eq!(wrong(&format!("mov.u64 %rd1, 0; {FREE} {stored}")), (String::new(), 1));
}

#[test]
fn kernels_of_a_text_share_the_heap() {
    let give = "
.visible .entry give(.param .u64 a) {
  .reg .b64 %rd<4>;
  ld.param.u64 %rd2, [a];
  ld.global.u64 %rd1, [%rd2];
  FREE
  ret;
}
"
    .replace("FREE", FREE);
    let text = kernel(&[], "", &format!("mov.u64 %rd3, 100;\n{MALLOC}\nst.global.u64 [%rd8], %rd1;")) + &give;
    let mut device = cpu(0).open().unwrap();
    let [take, give] = ["k", "give"].map(|name| device.load(&text, name).unwrap());
    let buffer = device.alloc(8, "a").unwrap();
    for kernel in [take, give] {
        let report = device.launch(kernel, &single(), &[buffer.into()]).unwrap();
        assert_eq!((report.outcome, report.message), (OutcomeKind::Finished, None));
    }
}

/// A barrier of the whole grid by the workspace of a cooperative launch: the first thread of each block counts up and waits; it traps where there is none.
const GRID: &str = "mov.u32 %r4, %envreg2; mov.u32 %r5, %envreg1; mov.b64 %rd5, {%r4, %r5};
  setp.eq.u64 %p1, %rd5, 0; @%p1 trap;
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r2, %r2, %r3, %r1;
  mul.wide.u32 %rd2, %r2, 4; add.s64 %rd2, %rd2, %rd8; st.global.u32 [%rd2], %r2;
  bar.sync 0;
  setp.ne.u32 %p2, %r1, 0; @%p2 bra WAIT;
  fence.acq_rel.gpu;
  ld.u32 %r6, [%rd5]; setp.ne.u32 %p3, %r6, 8; @%p3 trap;
  atom.add.acq_rel.gpu.u32 %r6, [%rd5+4], 1;
  mov.u32 %r7, %nctaid.x;
  AGAIN: ld.acquire.gpu.u32 %r6, [%rd5+4]; setp.lt.u32 %p3, %r6, %r7; @%p3 bra AGAIN;
  WAIT: bar.sync 0;
  mov.u32 %r7, %nctaid.x; mul.lo.u32 %r8, %r7, %r3;
  sub.u32 %r8, %r8, 1; sub.u32 %r8, %r8, %r2; mul.wide.u32 %rd6, %r8, 4; add.s64 %rd6, %rd8, %rd6;
  ld.global.u32 %r8, [%rd6]; st.global.u32 [%rd2+2048], %r8;";

#[test]
fn the_blocks_of_a_cooperative_launch_wait_for_each_other() {
    let text = kernel(&[], "", GRID);
    let config = LaunchConfig { cooperative: true, ..LaunchConfig::linear(7, 70) };
    let mut kernel = Both::of(&text);
    // The next launch begins anew.
    for _ in 0..2 {
        let (_, words) = kernel.launch(config, &[]);
        assert_eq!(words[512..1002], (0..490).rev().collect::<Vec<u32>>());
    }
    let (_, words) = Loaded::of(&cpu(3), &text).launch(&config, &[]);
    assert_eq!(words[512..1002], (0..490).rev().collect::<Vec<u32>>());
    let (report, _) = both(&text, LaunchConfig::linear(1, 1));
    let message = report.message.unwrap();
    assert!(
        message.ends_with("; the kernel's blocks wait for each other, which needs a cooperative launch"),
        "{message}"
    );
}

#[test]
fn shared_memory_that_the_system_reserves_lies_behind_that_of_the_kernel() {
    let body = "mov.u32 %r2, %reserved_smem_offset_begin; mov.u32 %r3, %reserved_smem_offset_0; mov.u32 %r4, %reserved_smem_offset_1;
        mov.u32 %r5, %reserved_smem_offset_end; mov.u32 %r6, %reserved_smem_offset_cap; mov.u32 %r7, %total_smem_size;
        st.shared.u32 [%r4], %r1; st.shared.u32 [%r5+-4], %r1; ld.shared.u32 %r8, [%r2];
        cvt.u64.u32 %rd1, %r4; cvta.shared.u64 %rd1, %rd1; isspacep.shared %p1, %rd1; selp.u32 %r1, 1, 0, %p1; st.u32 [%rd1], %r1;
        st.global.v4.u32 [%rd8], {%r2, %r3, %r4, %r5}; st.global.v4.u32 [%rd8+16], {%r6, %r7, %r8, %r1};";
    let config = LaunchConfig { dynamic_shared: 2000, ..LaunchConfig::linear(1, 1) };
    let (_, words) = both(&kernel(&[], "", body), config);
    assert_eq!(words[..8], [2048, 2048, 2560, 3072, 3072, 2000, 0, 1]);
}
