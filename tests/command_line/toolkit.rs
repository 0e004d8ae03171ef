//! `pxrw toolkit`.

use crate::program::{Folder, Ran, command, finish, pxrw};

#[test]
fn it_says_what_is_used_and_its_version() {
    // Another test may be the one that fetches the compiler; this one only needs it to be there.
    pxrw(["ccc", "examples/bfs.cu"]).ends_with(0);
    let ran = pxrw(["toolkit"]).ends_with(0).prints(&["nvcc ", "ptxas ", "from "]);
    let version = ran.stdout().split_whitespace().nth(1).unwrap();
    assert!(version.split('.').all(|part| part.parse::<u32>().is_ok()), "{version}");
}

#[test]
fn a_toolkit_that_the_user_names_must_work() {
    let folder = Folder::new();
    let path = folder.argument("nothing");
    pxrw(["toolkit", "--cuda-path", &path]).ends_with(2).says(&["cannot be used", &path]);
    pxrw(["ccc", "examples/bfs.cu", "--cuda-path", &path]).ends_with(2).says(&["cannot be used", &path]);
}

/// Runs the program where there is no compiler, no pip and no network, and checks that it does not even begin to fetch one.
fn without_compiler(arguments: &[&str]) -> Ran {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("bin")).unwrap();
    let mut command = command(arguments);
    command
        .env("PATH", folder.path("bin"))
        .env("PXRW_TOOLKIT_DIR", folder.path("toolkit"))
        .env("HOME", folder.path("home"));
    ["CUDA_PATH", "CUDA_HOME", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"].iter().for_each(|name| {
        command.env_remove(name);
    });
    let ran = finish(&mut command);
    assert_eq!(folder.names(), ["bin"], "{arguments:?}: {}", ran.stderr);
    assert!(!ran.stderr.contains("fetching") && !ran.stderr.contains("pip"), "{arguments:?}: {}", ran.stderr);
    ran
}

/// Where NVIDIA's installers put a compiler that is found without PATH.
pub(crate) fn is_installed() -> bool {
    std::path::Path::new("/usr/local/cuda/bin/nvcc").exists()
}

#[test]
fn nothing_is_fetched_to_answer_a_question() {
    for command in ["annotate", "ccc", "check", "fmt", "lint", "run", "ssde", "bench", "report", "toolkit"] {
        without_compiler(&[command, "--help"]).ends_with(0);
    }
    without_compiler(&["--help"]).ends_with(0);
    without_compiler(&["--version"]).ends_with(0);
    if is_installed() {
        return;
    }
    let note = "no nvcc is found, and none is fetched for this";
    without_compiler(&["nvcc", "--help"]).ends_with(0).prints(&["Usage: pxrw nvcc", "PXRW_REPORT"]).says(&[note]);
    without_compiler(&["nvcc", "--version"]).ends_with(0).prints(&["pxrw "]).says(&[note]);
    without_compiler(&["nvcc", "-V"]).ends_with(0);
    without_compiler(&["toolkit"]).ends_with(1).prints(&["no CUDA compiler found"]);
}

#[test]
fn nothing_is_fetched_for_a_wrong_command_line() {
    for arguments in [
        &["ccc", "missing.cu"][..],
        &["ccc", "examples/bfs.cu", "--frob"],
        &["ccc", "examples/bfs.cu", "--profile", "missing.json"],
        &["ccc", "examples/bfs.cu", "-o", "missing/out.ptx"],
        &["ccc", "examples/bfs.cu", "--", "-c"],
        &["ssde", "examples/bfs.cu", "--emit", "reconvergence", "--certificate", "c.json"],
        &["ssde", "examples/bfs.cu", "--verify", "missing.ptx"],
        &["lint", "missing.cu"],
        &["lint", "docs"],
        &["annotate", "missing.cu"],
        &["run", "missing.cu", "--grid", "1", "--block", "1"],
        &["run", "examples/bfs.cu", "--grid", "1", "--block", "1", "--", "-dlto"],
        &["nvcc", "--pxrw=frob", "-c", "examples/bfs.cu"],
    ] {
        without_compiler(arguments).ends_with(2);
    }
    if !is_installed() {
        for arguments in [&["nvcc"][..], &["nvcc", "-O3"], &["nvcc", "-c", "missing.cu"]] {
            without_compiler(arguments).ends_with(2).says(&["none is fetched for this"]);
        }
    }
}

#[test]
fn nothing_is_fetched_for_ptx_that_no_tool_needs_to_see() {
    let folder = Folder::new();
    let ptx = folder.file("k.ptx", ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() { ret; }\n");
    let launch = ["run", &ptx, "--grid", "1", "--block", "1"];
    for arguments in
        [&["check", &*ptx][..], &["fmt", &ptx], &["lint", &ptx], &["ssde", &ptx], &["ssde", &ptx, "--detect"], &launch]
    {
        without_compiler(arguments).ends_with(0);
    }
}
