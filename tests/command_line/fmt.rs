//! `pxrw fmt`.

use std::io::Write;
use std::process::Stdio;

use crate::program::{Folder, command, pxrw};

const WILD: &str =
    ".version   9.0\n.target sm_90\n.address_size 64\n.entry k(){ mov.u32 %x , 0x10 ;.reg .b32 %y;ret; }";
const TEXT: &str =
    ".version 9.0 .target sm_90 .address_size 64\n.entry k(){.reg .b32 %x; mov.u32 %x , 0x10 ; // sixteen\n ret; }";
const CANONICAL: &str = ".version 9.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n\t.reg .b32 %x;\n\tmov.u32 %x, 16; // sixteen\n\tret;\n}\n";

#[test]
fn one_file_goes_to_standard_output_or_to_a_file() {
    let folder = Folder::new();
    let input = folder.file("in.ptx", TEXT);
    let ran = pxrw(["fmt", &input]).ends_with(0);
    assert_eq!((ran.stdout(), ran.stderr.as_str()), (CANONICAL, ""));
    let ran = pxrw(["fmt", &input, "-o", &folder.argument("out.ptx")]).ends_with(0);
    assert_eq!((ran.stdout(), folder.text("out.ptx").as_str()), ("", CANONICAL));
    assert_eq!(folder.text("in.ptx"), TEXT);
}

#[test]
fn standard_input_is_read() {
    let mut child = command(["fmt"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(TEXT.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stdout).unwrap().as_str()), (Some(0), CANONICAL));
}

#[test]
fn files_are_replaced_in_place() {
    let folder = Folder::new();
    let inputs = [folder.file("a.ptx", TEXT), folder.file("b.ptx", CANONICAL)];
    pxrw(["fmt", "--in-place", &inputs[0], &inputs[1]]).ends_with(0);
    assert_eq!((folder.text("a.ptx").as_str(), folder.text("b.ptx").as_str()), (CANONICAL, CANONICAL));
    assert_eq!(folder.names(), ["a.ptx", "b.ptx"]);
}

#[test]
fn check_finds_what_would_change() {
    let folder = Folder::new();
    let inputs = [folder.file("a.ptx", TEXT), folder.file("b.ptx", CANONICAL)];
    let ran = pxrw(["fmt", "--check", &inputs[0], &inputs[1]]).ends_with(1);
    assert!(
        ran.stderr.contains("a.ptx: not in canonical layout from line 1") && !ran.stderr.contains("b.ptx"),
        "{}",
        ran.stderr
    );
    pxrw(["fmt", "--check", &inputs[1]]).ends_with(0);
    assert_eq!(folder.text("a.ptx"), TEXT);
}

#[test]
fn wrong_input_changes_nothing() {
    let folder = Folder::new();
    let inputs = [folder.file("a.ptx", TEXT), folder.file("b.ptx", WILD)];
    let ran = pxrw(["fmt", "-i", &inputs[0], &inputs[1]]).ends_with(2);
    ran.says(&["register `%x` is not declared", "b.ptx:4:21"]);
    assert_eq!((folder.text("a.ptx").as_str(), folder.text("b.ptx").as_str()), (TEXT, WILD));
    pxrw(["fmt", &inputs[0], &inputs[1]]).ends_with(2).says(&["several files", "--in-place"]);
    pxrw(["fmt", "--in-place"]).ends_with(2).says(&["standard input"]);
    pxrw(["fmt", &folder.argument("missing.ptx")]).ends_with(2).says(&["cannot read", "missing.ptx"]);
    let binary = folder.path("k.cubin");
    std::fs::write(&binary, [0x7f, b'E', b'L', b'F', 0xff, 0xfe]).unwrap();
    pxrw(["fmt", &folder.argument("k.cubin")]).ends_with(2).says(&["not UTF-8", "cubin"]);
}
