//! Inputs that are not what they should be: each is named, with the line where there is one, and ends with status 2.

use std::os::unix::fs::PermissionsExt;

use crate::program::{Folder, pxrw};

/// Commands that read a file, with what they need besides.
const READERS: [&[&str]; 3] = [&["annotate"], &["ccc"], &["run", "--grid", "1", "--block", "32"]];

fn each_reader(input: &str, complaints: &[&str]) {
    for reader in READERS {
        let ran = pxrw(reader.iter().chain(&[input])).ends_with(2);
        assert_eq!(ran.stdout(), "", "{reader:?}");
        ran.says(&["error"]).says(complaints);
    }
}

#[test]
fn a_file_that_is_not_there() {
    let folder = Folder::new();
    for name in ["no.cu", "no.ptx"] {
        each_reader(&folder.argument(name), &[name]);
    }
}

#[test]
fn a_directory() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("folder")).unwrap();
    std::fs::create_dir(folder.path("folder.cu")).unwrap();
    each_reader(&folder.argument("folder"), &["folder", "directory"]);
    each_reader(&folder.argument("folder.cu"), &["folder.cu", "directory"]);
}

#[test]
fn a_file_that_may_not_be_read() {
    let folder = Folder::new();
    let input = folder.file("secret.cu", "__global__ void k() {}\n");
    std::fs::set_permissions(folder.path("secret.cu"), std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(folder.path("secret.cu")).is_ok() {
        return; // Permissions do not bind root.
    }
    each_reader(&input, &["secret.cu", "ermission"]);
}

#[test]
fn a_name_that_says_nothing() {
    let folder = Folder::new();
    for name in ["kernel", "kernel.txt", "kernel.CU"] {
        each_reader(&folder.file(name, "x"), &["neither CUDA source nor PTX", "`.cu` or `.ptx`"]);
    }
}

#[test]
fn empty_files() {
    let folder = Folder::new();
    let (cuda, ptx) = (folder.file("empty.cu", ""), folder.file("empty.ptx", ""));
    pxrw(["ccc", &ptx]).ends_with(2).says(&["empty.ptx"]);
    pxrw(["annotate", &cuda]).ends_with(0);
    // An empty CUDA file is a valid program in which nothing is marked.
    pxrw(["ccc", &cuda]).ends_with(0).says(&["no region is marked"]);
    pxrw(["run", &cuda, "--grid", "1", "--block", "32"]).ends_with(2).says(&["empty.cu"]);
}

#[test]
fn malformed_ptx_is_shown_with_line_column_and_caret() {
    let folder = Folder::new();
    let text = ".version 9.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n  .reg .b32 %r1;\n  add.u32 %r1, %r1 %r1;\n  ret;\n}\n";
    let input = folder.file("bad.ptx", text);
    let place = format!("{input}:7:20");
    pxrw(["ccc", &input]).ends_with(2).says(&["error", &place, "  add.u32 %r1, %r1 %r1;", "                   ^"]);
    let input = folder.file("cut.ptx", &text[..60]);
    pxrw(["ccc", &input]).ends_with(2).says(&["cut.ptx:"]);
}

#[test]
fn ptx_that_only_the_assembler_rejects_keeps_its_line() {
    let folder = Folder::new();
    let text = ".version 9.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n  .reg .b32 %r1;\n  add.u32 %r1, %r1, %nothing;\n  ret;\n}\n";
    let input = folder.file("name.ptx", text);
    pxrw(["ccc", &input]).ends_with(2).says(&[&format!("{input}:7"), "%nothing"]);
}

#[test]
fn an_error_of_nvcc_names_the_users_line() {
    let folder = Folder::new();
    let source = "__global__ void k(int n, int *out) {\n#CCC for\nfor (int i = 0; i < n; ++i) {\n#CCC if\nif (out[i]) out[i] = undeclared;\n}\n}\n";
    let input = folder.file("wrong.cu", source);
    let ran = pxrw(["ccc", &input]).ends_with(2);
    ran.says(&[&format!("{input}:5"), "identifier \"undeclared\" is undefined", "out[i] = undeclared;"]);
    let input = folder.file("include.cu", "#include \"nowhere.h\"\n__global__ void k() {}\n");
    pxrw(["ccc", &input]).ends_with(2).says(&[&format!("{input}:1"), "nowhere.h"]);
}

#[test]
fn ten_megabytes_of_noise() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut noise = Vec::with_capacity(10 << 20);
    while noise.len() < 10 << 20 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        noise.extend_from_slice(&(state ^ state >> 29).to_le_bytes());
    }
    // Once as it is, and once without line feeds: one line of ten megabytes.
    let line: Vec<u8> = noise.iter().map(|byte| if byte.is_ascii_control() { b'x' } else { *byte }).collect();
    let folder = Folder::new();
    for (name, content) in [("noise.ptx", &noise), ("noise.cu", &noise), ("line.ptx", &line)] {
        let input = folder.file(name, content);
        let ran = pxrw(["ccc", &input]).ends_with(2).says(&[name]);
        assert!(ran.stderr.len() < 20_000, "{} bytes of messages about {name}", ran.stderr.len());
    }
}

#[test]
fn ptx_that_the_assembler_refuses_is_not_run() {
    let folder = Folder::new();
    let body = "{ .reg .pred %p; .reg .b32 %r; .reg .f32 %f; .reg .b64 %a;\nvote.ballot.b32 %r, %p;\nld.param.u64 %a, [a];\natom.min.f32 %f, [%a], %f;\nret; }";
    let text = format!(".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a) {body}\n");
    let input = folder.file("old.ptx", &text);
    let launch = ["run", &input, "--grid", "1", "--block", "32", "--arg", "f32[1]=0"];
    pxrw(launch).ends_with(2).says(&[
        "error: `vote.ballot.b32` is gone from PTX 6.4 on for sm_70 and later",
        "old.ptx:5:1",
        "put `.sync` behind its name",
        "old.ptx:7:",
    ]);
    pxrw(["check", &input]).ends_with(1).prints(&["2 errors"]);
    // What is left is run as the targets did that had it.
    let old = folder.file("older.ptx", text.replace("sm_90", "sm_60").replace("atom.min.f32 %f, [%a], %f;", ""));
    pxrw(["run", &old, "--grid", "1", "--block", "32", "--arg", "f32[1]=0"]).ends_with(0);
}
