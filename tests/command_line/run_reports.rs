//! `pxrw run`: its reports, checks and traces, and what Ctrl-C leaves.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::program::{Folder, Ran, command, pxrw, report};

/// A sum over a block of 64 threads. `BAR` stands for the barrier between writing and reading shared memory.
const SUM: &str = "\
.version 9.0
.target sm_90
.address_size 64
.visible .entry sum(.param .u64 in, .param .u64 out)
{
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<5>;
  .shared .b32 s[64];
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd3, %rd1, %rd3;
  ld.global.u32 %r2, [%rd3];
  mov.u32 %r3, s;
  shl.b32 %r4, %r1, 2;
  add.s32 %r3, %r3, %r4;
  st.shared.u32 [%r3], %r2;
  BAR
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra DONE;
  mov.u32 %r5, 0;
  mov.u32 %r6, s;
LOOP:
  ld.shared.u32 %r7, [%r6];
  add.u32 %r5, %r5, %r7;
  add.u32 %r6, %r6, 4;
  setp.lt.u32 %p1, %r6, 256;
  @%p1 bra LOOP;
  st.global.u32 [%rd2], %r5;
DONE:
  ret;
}
";

const ARGUMENTS: [&str; 4] = ["--arg", "u32[64]=iota", "--arg", "u32[1]=none"];

fn sum(barrier: &str, more: &[&str]) -> Ran {
    let folder = Folder::new();
    let input = folder.file("sum.ptx", SUM.replace("BAR", barrier));
    pxrw(["run", &input, "--grid", "1", "--block", "64"].iter().chain(more))
}

#[test]
fn the_text_report_says_what_it_cost_and_what_was_checked() {
    let ran = sum("bar.sync 0;", &[&ARGUMENTS[..], &["--check", "races"]].concat()).ends_with(0);
    ran.prints(&[
        "divergent branches                                 1\n",
        "barriers                                           2 by warps\n",
        "sectors per access                               3.0 by a warp\n",
        "accesses to shared memory                         66 by warps\n",
        "cycles of the launch (modelled)",
        " bound by latency\n",
        "issue cycles by class of instruction (modelled)\n  memory  ",
        "races                           none found\n",
        "reads of uninitialised memory   not checked (`--check uninitialised` does)\n",
    ]);
}

#[test]
fn the_json_report_has_lines_blocks_and_classes() {
    let ran = sum("bar.sync 0;", &[&ARGUMENTS[..], &["--report", "json"]].concat()).ends_with(0);
    let value = report(ran.stdout(), &["outcome", "modelled.bound", "coalescing", "resident_blocks", "bank_conflicts"]);
    assert_eq!((&value["races"], &value["uninitialised"]), (&Value::Null, &Value::Null));
    assert_eq!(value["barriers"], 2, "one for each of the two warps");
    let total = value["warp_instructions"].as_u64().unwrap();
    for list in ["lines", "ptx_lines", "blocks", "classes"] {
        let entries = value[list].as_array().unwrap();
        let sum: u64 = entries.iter().map(|entry| entry["warp_instructions"].as_u64().unwrap()).sum();
        assert_eq!(sum, total, "{list}");
    }
    let loads = value["ptx_lines"].as_array().unwrap().iter().find(|line| line["ptx_line"] == 26).unwrap();
    assert_eq!((&loads["shared_requests"], &loads["warp_instructions"]), (&64.into(), &64.into()));
}

#[test]
fn the_counts_do_not_depend_on_the_number_of_threads() {
    let of = |threads: &str| {
        let folder = Folder::new();
        let input = folder.file(
            "sum.ptx",
            SUM.replace("BAR", "bar.sync 0;").replace("st.global.u32 [%rd2]", "red.global.add.u32 [%rd2]"),
        );
        let launch = ["run", &input, "--grid", "100", "--block", "64", "--report", "json", "--threads", threads];
        let ran = pxrw(launch.iter().chain(&ARGUMENTS)).ends_with(0);
        let mut value = report(ran.stdout(), &[]);
        value["threads"].take();
        value
    };
    let one = of("1");
    assert_eq!(one, of("1"));
    assert_eq!(one, of("2"));
    assert_eq!(one, of("7"));
}

#[test]
fn a_listing_shows_the_lines_with_their_cost() {
    let ran = sum("bar.sync 0;", &[&ARGUMENTS[..], &["--report", "listing"]].concat()).ends_with(0);
    let text = ran.stdout();
    let line = text.lines().find(|line| line.ends_with("  ld.shared.u32 %r7, [%r6];")).unwrap();
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!((words[0], words[2], words[3], words[4], words[6]), ("####", "%", "64", "3.1", "26"), "{line}");
    assert!(text.contains("^ 1 divergent branches\n"), "{text}");
    assert!(text.contains("   32  DONE:\n"), "lines around those that ran are shown:\n{text}");
}

#[test]
fn cuda_source_is_listed_where_it_is_at_hand() {
    let folder = Folder::new();
    let source = "// doubles\n__global__ void twice(int *a) {\n  int i = threadIdx.x * 8;\n  a[i] = a[i] * 2;\n}\n";
    let input = folder.file("twice.cu", source);
    let ran = pxrw(["run", &input, "--grid", "1", "--block", "32", "--arg", "i32[256]=iota", "--report", "listing"])
        .ends_with(0);
    let text = ran.stdout();
    assert!(text.contains("    4    a[i] = a[i] * 2;\n"), "{text}");
    assert!(text.contains("^ 32.0 sectors per access where 4.0 would do\n"), "{text}");
}

#[test]
fn a_race_names_both_lines_and_threads() {
    let ran = sum("", &[&ARGUMENTS[..], &["--check", "races"]].concat()).ends_with(1);
    ran.says(&[
        "error: race on byte ",
        "sum.ptx:26",
        "block (0,0,0) thread (0,0,0) reads at PTX line 26 (`ld.shared.u32`)",
        "writes at PTX line 19 (`st.shared.u32`)",
        "help: nothing orders the two",
    ])
    .prints(&["outcome  finished", "races                           1 found"]);
    let json = sum("", &[&ARGUMENTS[..], &["--check", "races", "--report", "json"]].concat()).ends_with(1);
    let value = report(json.stdout(), &["races.0.first.ptx_line", "races.0.second.thread"]);
    assert_eq!(
        (&value["races"][0]["at"]["space"], &value["races"][0]["second"]["ptx_line"]),
        (&"shared".into(), &26.into())
    );
}

#[test]
fn a_buffer_of_none_is_unwritten_and_one_of_zeros_is_not() {
    let check =
        |input: &str| sum("bar.sync 0;", &["--arg", input, "--arg", "u32[1]=none", "--check", "uninitialised,races"]);
    check("u32[64]=0").ends_with(0).prints(&["reads of uninitialised memory   none found"]);
    check("u32[64]=none").ends_with(1).says(&[
        "error: read of uninitialised memory: 4 bytes at byte 0 of `buffer u32[64]=none (argument 1)` (256 bytes)",
        "sum.ptx:15",
        "64 times in all",
    ]);
}

#[test]
fn what_the_isa_leaves_undefined_is_named_and_the_kernel_goes_on() {
    let warp = "bar.warp.sync 0xffff;\n  bar.sync 0;";
    sum(warp, &ARGUMENTS)
        .ends_with(1)
        .says(&[
            "error: undefined behaviour: lanes that the member mask 0x0000ffff does not name execute it",
            "sum.ptx:20:3",
            "`bar.warp.sync`, block 0, warp 0, lanes 0xffff0000; 2 times in all",
        ])
        .prints(&["outcome  finished", "undefined behaviour of warps    1 found\n"]);
    let ran = sum(warp, &[&ARGUMENTS[..], &["--report", "json"]].concat()).ends_with(1);
    let value = report(ran.stdout(), &["undefined.0.what"]);
    assert_eq!((&value["undefined"][0]["lanes"], &value["undefined"][0]["count"]), (&0xffff_0000u32.into(), &2.into()));
    // A value that nobody may use is a warning.
    let shuffle = "bar.sync 0;\n  @%p1 shfl.sync.down.b32 %r8, %r2, 8, 31, 0xffff;";
    let shuffle = format!("setp.lt.u32 %p1, %r1, 16;\n  {shuffle}");
    sum(&shuffle, &ARGUMENTS).ends_with(0).says(&["warning: undefined behaviour: lanes read from lanes 0x00ff0000"]);
    sum("bar.sync 0;", &ARGUMENTS).ends_with(0).prints(&["undefined behaviour of warps    none found\n"]);
}

#[test]
fn who_is_together_on_mimd_is_said_once() {
    let on =
        |machine: &str| sum("bar.sync 0;\n  activemask.b32 %r8;", &[&ARGUMENTS[..], &["--machine", machine]].concat());
    on("mimd").ends_with(0).says(&["note: PTX line 21: on `mimd` every lane runs alone, so that `activemask.b32`"]);
    assert!(!on("its").ends_with(0).stderr.contains("alone"));
}

#[test]
fn a_trace_has_a_line_per_warp_instruction() {
    let folder = Folder::new();
    let path = folder.argument("trace.txt");
    let to_file = format!("--trace={path}");
    let ran =
        sum("bar.sync 0;", &[&ARGUMENTS[..], &[&to_file, "--trace-values", "--report", "json"]].concat()).ends_with(0);
    let lines = folder.text("trace.txt");
    let count = report(ran.stdout(), &[])["warp_instructions"].as_u64().unwrap();
    assert_eq!(lines.lines().count() as u64, count);
    assert!(lines.contains("block 0 warp 1 ffffffff 18:add.s32  %r3=0 %r4=128 -> %r3=128\n"), "{lines}");
    let ran = sum("bar.sync 0;", &[&ARGUMENTS[..], &["--trace"]].concat()).ends_with(0);
    ran.says(&["block 0 warp 0 ffffffff 12:mov.u32\n"]);
}

#[test]
fn the_chip_and_the_occupancy_are_chosen() {
    for chip in ["sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_100", "sm_103", "sm_120", "sm_121"] {
        sum("bar.sync 0;", &[&ARGUMENTS[..], &["--chip", chip]].concat()).ends_with(0).prints(&[chip]);
    }
    let ran = sum("bar.sync 0;", &[&ARGUMENTS[..], &["--occupancy", "3", "--report", "json"]].concat()).ends_with(0);
    assert_eq!(report(ran.stdout(), &[])["resident_blocks"], 3);
}

#[test]
fn wrong_options_say_what_to_write() {
    for (options, complaints) in [
        (&["--chip", "sm_70"][..], &["'sm_70'", "sm_75", "sm_120"][..]),
        (&["--machine", "simt"], &["'simt'", "stack"]),
        (&["--occupancy", "0"], &["'0'"]),
        (&["--threads", "0"], &["'0'"]),
        (&["--check", "leaks"], &["'leaks'", "races", "uninitialised"]),
        (&["--report", "csv"], &["'csv'", "listing"]),
        (&["--trace-values"], &["--trace"]),
        (&["--trace=/nowhere/at/all"], &["cannot write the trace to `/nowhere/at/all`", "--trace=FILE"]),
    ] {
        sum("", &[&ARGUMENTS[..], options].concat()).ends_with(2).says(complaints);
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_reports_what_ran() {
    let folder = Folder::new();
    let endless = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry spin()\n{\n  .reg .b32 %r<2>; .reg .pred %p<2>;\nL:\n  add.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0;\n  @%p1 bra L; ret;\n}\n";
    let input = folder.file("spin.ptx", endless);
    let mut command = command(["run", &input, "--grid", "1", "--block", "32", "--budget", "0", "--report", "json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(700));
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > Duration::from_secs(20) {
            child.kill().unwrap();
            panic!("the run did not end");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let value = report(std::str::from_utf8(&output.stdout).unwrap(), &["message", "ptx_line"]);
    assert_eq!(value["outcome"], "interrupted");
    assert!(value["warp_instructions"].as_u64().unwrap() > 1000);
}
