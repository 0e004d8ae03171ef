//! Options for the compiler: `-I`, `-D`, `-U`, `-std`, `-include`, and what stands behind `--`.

use std::os::unix::fs::PermissionsExt;

use crate::program::{Folder, command, finish, pxrw};

/// Compiles only with a header's folder, a macro of the command line, one that is defined by `-include`, and C++20.
const SOURCE: &str = "#include <answer.h>
#if __cplusplus != 202002L
#error \"not C++20\"
#endif
extern \"C\" __global__ void k(int *a) { a[threadIdx.x] = ANSWER * FACTOR + OFFSET; }
";

/// The options with which it does.
const OPTIONS: [&str; 4] = ["-D", "FACTOR=1000", "-std=c++20", "-include"];

struct Project {
    folder: Folder,
    source: String,
    options: Vec<String>,
}

fn project() -> Project {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("include")).unwrap();
    folder.file("include/answer.h", "#define ANSWER 42\n");
    let offset = folder.file("offset.h", "#define OFFSET 7\n");
    let source = folder.file("k.cu", SOURCE);
    let mut options: Vec<String> = OPTIONS.map(str::to_owned).to_vec();
    options.extend([offset, format!("-I{}", folder.argument("include"))]);
    Project { folder, source, options }
}

#[test]
fn every_command_that_compiles_hands_them_on() {
    let Project { folder, source, options } = project();
    let with = |before: &[&str]| {
        let words = before.iter().map(|word| (*word).to_owned()).chain([source.clone()]).chain(options.clone());
        words.collect::<Vec<_>>()
    };
    let out = folder.argument("out.ptx");
    pxrw(with(&["ssde", "-o", &out])).ends_with(0);
    assert!(folder.text("out.ptx").contains("42007"), "{}", folder.text("out.ptx"));
    pxrw(with(&["ssde", "--verify", &out])).ends_with(0);
    pxrw(with(&["ccc", "-o", &out])).ends_with(0);
    pxrw(with(&["lint"])).ends_with(0).prints(&["1 kernel, target sm_90: nothing found"]);
    pxrw(with(&["annotate"])).ends_with(0);
    pxrw(with(&["run", "--grid", "1", "--block", "1", "--arg", "i32[1]=0"])).ends_with(0);
    // Without them it does not compile.
    for command in ["ssde", "ccc", "lint", "annotate"] {
        pxrw([command, &source]).ends_with(2).says(&["answer.h"]);
    }
}

#[test]
fn their_order_counts() {
    let folder = Folder::new();
    let source = folder.file("k.cu", "#ifdef A\n#error \"A is defined\"\n#endif\n__global__ void k() {}\n");
    pxrw(["lint", &source, "-DA", "-UA"]).ends_with(0);
    pxrw(["lint", &source, "-UA", "-D", "A"]).ends_with(2).says(&["A is defined", "k.cu:2"]);
}

#[test]
fn more_options_stand_behind_two_hyphens() {
    let folder = Folder::new();
    let source = folder.file("k.cu", "__global__ void k(float *a) { a[0] = a[1] / a[2] + FACTOR; }\n");
    let (exact, fast) = (folder.argument("exact.ptx"), folder.argument("fast.ptx"));
    pxrw(["ssde", &source, "-o", &exact, "--", "-DFACTOR=2"]).ends_with(0);
    pxrw(["ssde", &source, "-o", &fast, "--", "-O1", "--use_fast_math", "-D", "FACTOR=2"]).ends_with(0);
    assert!(folder.text("exact.ptx").contains("div.rn.f32"));
    assert!(folder.text("fast.ptx").contains("div.approx.ftz.f32"));
}

#[test]
fn what_ptxas_is_told_shows_in_the_report() {
    let folder = Folder::new();
    let out = folder.argument("bfs.ptx");
    let common = ["ccc", "examples/bfs.cu", "--block", "256", "-o", &out];
    let registers = |ran: &crate::program::Ran| {
        let line = ran.stdout().lines().find(|line| line.contains("registers")).unwrap().to_owned();
        line.split_whitespace().nth(1).unwrap().parse::<u32>().unwrap()
    };
    let plain = registers(&pxrw(common).ends_with(0));
    let unoptimised = registers(&pxrw(common.iter().chain(&["--", "-Xptxas", "-O0"])).ends_with(0));
    assert!(unoptimised > plain, "{plain}, {unoptimised}");
}

#[test]
fn a_wrong_option_is_nvccs_to_explain() {
    pxrw(["lint", "examples/bfs.cu", "--", "--frobnicate"]).ends_with(2).says(&["Unknown option", "frobnicate"]);
    pxrw(["lint", "examples/bfs.cu", "-std=c++99"]).ends_with(2).says(&["c++99"]);
    // In front of `--`, it is ours; the message says how it gets behind it.
    pxrw(["lint", "examples/bfs.cu", "-O1"]).ends_with(2).says(&["unexpected argument '-O'", "-- -O"]);
}

#[test]
fn what_makes_no_ptx_is_refused_with_what_to_do() {
    for (option, help) in [
        (&["-c"][..], "help: `pxrw nvcc` makes objects"),
        (&["-o", "k.o"], "help: say `-o FILE` before `--`"),
        (&["-dlto"], "no PTX"),
        (&["-gencode", "arch=compute_80,code=sm_80"], "help: say `--arch` before `--`"),
        (&["-arch=sm_80"], "help: say `--arch sm_80` before `--`"),
    ] {
        let place = |option: &str| match option {
            "-arch=sm_80" => format!("`{option}` behind `--`"),
            option => format!("`{option}` cannot follow `--`"),
        };
        for command in ["ccc", "ssde", "lint", "annotate"] {
            let words: Vec<&str> = [command, "examples/bfs.cu", "--"].iter().chain(option).copied().collect();
            pxrw(words).ends_with(2).says(&[&place(option[0]), help]);
        }
    }
    pxrw(["lint", "examples/bfs.cu", "--arch", "sm_80", "--", "-arch=sm_80"]).ends_with(0);
}

#[test]
fn ptx_takes_no_options_of_the_compiler() {
    let folder = Folder::new();
    let ptx = ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() { ret; }\n";
    let (ptx, source) = (folder.file("k.ptx", ptx), folder.file("k.cu", "__global__ void k() {}\n"));
    let message = ["`-DA -O1` has no effect", "k.ptx` is PTX", "help: leave out the options"];
    for command in [&["ccc"][..], &["ssde"], &["lint"], &["run", "--grid", "1", "--block", "1"]] {
        pxrw(command.iter().chain(&[&*ptx, "-DA", "--", "-O1"])).ends_with(2).says(&message);
    }
    // Beside a source they have one.
    pxrw(["lint", &ptx, &source, "-DA"]).ends_with(0);
}

#[test]
fn the_assemblers_check_says_nothing_that_nvcc_does_not_say() {
    let folder = Folder::new();
    let source = folder.file("k.cu", "__global__ void k() {}\n");
    let run = ["run", &source, "--grid", "1", "--block", "32", "--"];
    assert_eq!(pxrw(run.iter().chain(&["-maxrregcount=32"])).ends_with(0).stderr, "");
}

#[test]
fn what_the_compiler_refuses_has_one_prefix_and_a_remedy() {
    let folder = Folder::new();
    let source = folder.file("k.cu", "__global__ void k() {}\n");
    let run = ["run", &source, "--grid", "1", "--block", "32"];
    let ran = pxrw(run.iter().chain(&["-D", "3=4"])).ends_with(2).says(&["error: macro names must be identifiers"]);
    assert!(!ran.stderr.contains("error: note"), "{}", ran.stderr);
    pxrw(run.iter().chain(&["--arch", "sm_70"])).ends_with(2).says(&[
        "Unsupported gpu architecture 'sm_70'",
        "compiles for sm_75, ",
        "--cuda-path",
        "PTX with an older .target needs no nvcc",
    ]);
}

#[test]
fn an_nvcc_that_does_not_answer_is_waited_for_once() {
    let folder = Folder::new();
    let source = folder.file("k.cu", "__global__ void k() {}\n");
    let nvcc = folder.file("nvcc", "#!/bin/sh\necho asked >> \"$0.log\"\nexec sleep 500\n");
    std::fs::set_permissions(&nvcc, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut run = command(["run", &source, "--grid", "1", "--block", "32", "--cuda-path", &nvcc]);
    finish(run.env("PXRW_PROBE_LIMIT", "1")).ends_with(2).says(&[
        "nvcc --version` did not end within 1 seconds, and was stopped",
        "PXRW_PROBE_LIMIT=SECONDS gives it longer",
    ]);
    assert_eq!(folder.text("nvcc.log"), "asked\n");
}
