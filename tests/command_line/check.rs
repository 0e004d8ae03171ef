//! `pxrw check`.

use crate::program::{Folder, golden, pxrw, report};

const HEADER: &str = ".version 9.0\n.target sm_90\n.address_size 64\n";

fn kernel(body: &str) -> String {
    format!("{HEADER}.entry k(.param .u64 p)\n{{\n\t.reg .b32 %r<4>;\n\t.reg .b64 %rd<4>;\n{body}\n\tret;\n}}\n")
}

#[test]
fn a_clean_file_is_counted() {
    let folder = Folder::new();
    let input = folder.file("k.ptx", kernel("\tmov.u32 %r1, %tid.x;"));
    let ran = pxrw(["check", &input]).ends_with(0);
    assert_eq!(ran.stdout(), "1 file, 1 kernel, 2 instructions: no errors, no warnings\n");
    assert_eq!(ran.stderr, "");
}

#[test]
fn all_that_is_wrong_is_shown_in_one_run() {
    let folder = Folder::new();
    let body = "\tadd.s32 %r1, %r2;\n\tld.gloabl.u32 %r1, [%rd2];\n\tmov.u64 %r1, 1;\n\tfoo.bar %r1;\n\tbra OUT;";
    let input = folder.file("k.ptx", kernel(&body.replace("\tbra OUT;", "\tcvt.u32.u64 %rd1, %rd2;")));
    pxrw(["check", &input]).ends_with(1).prints(&[
        "error: `add.s32` takes 3 operands, not 2",
        &format!("{input}:8:2"),
        "  add.s32 %r1, %r2;",
        "error: `.gloabl` is no modifier of `ld`",
        "help: did you mean `.global`?",
        "operand 1 of `mov.u64` is the .b32 register `%r1`",
        "error: unknown instruction `foo`",
        "1 file, 1 kernel, 6 instructions: ",
        "no warnings\n",
    ]);
    let input = folder.file("broken.ptx", kernel("\tmov.u32 %r1, ;\n\tadd.s32 %r1, %r9, 1;\n\tbra OUT;"));
    let ran = pxrw(["check", &input]).ends_with(1);
    assert!(ran.stdout().contains("\n1 file: ") && !ran.stdout().contains("no kernels"), "{}", ran.stdout());
    ran.prints(&[
        "error: expected an operand, found `;`",
        "error: register `%r9` is not declared",
        "help: `%r<4>` declares the numbers below 4",
        "error: no label `OUT` is defined here",
        ": 3 errors, no warnings\n",
    ]);
}

#[test]
fn the_report_for_programs_has_every_finding() {
    let folder = Folder::new();
    let good = folder.file("good.ptx", kernel(""));
    let bad = folder.file("bad.ptx", kernel("\tmov.u32 %r1, %r9;\n\tmov.u32 %r1, ;"));
    let ran = pxrw(["check", "--report", "json", &good, &bad]).ends_with(1);
    let report = report(ran.stdout(), &["files.0.file", "files.1.findings.0.help", "files.1.instructions"]);
    assert_eq!(report["files"][0]["findings"].as_array().map(Vec::len), Some(0));
    assert_eq!(report["files"][0]["kernels"], 1);
    let findings = &report["files"][1]["findings"];
    assert_eq!((&findings[0]["line"], &findings[0]["column"]), (&8.into(), &15.into()));
    assert_eq!(findings[0]["message"], "register `%r9` is not declared");
    assert_eq!(findings[1]["level"], "error");
}

#[test]
fn a_warning_alone_is_no_failure() {
    let folder = Folder::new();
    // In a version that is newer than the table, an instruction that it does not list may well exist.
    let newer = kernel("\tfoo.bar %r1;").replace(".version 9.0", ".version 9.1");
    let input = folder.file("k.ptx", newer);
    pxrw(["check", &input]).ends_with(0).prints(&["warning: unknown instruction `foo`", "no errors, 1 warning"]);
    let input = folder.file("nul.ptx", kernel("") + "\0");
    pxrw(["check", &input]).ends_with(0).prints(&["warning: ", "NUL character", "ptxas"]);
}

#[test]
fn the_programs_own_output_is_clean() {
    let folder = Folder::new();
    let out = folder.argument("out.ptx");
    pxrw(["ccc", &golden("ccc/widths.ptx"), "-o", &out]).ends_with(0);
    pxrw(["check", &out]).ends_with(0).prints(&[": no errors, no warnings"]);
}

#[test]
fn what_cannot_be_read() {
    let folder = Folder::new();
    pxrw(["check", "no-such-file.ptx"]).ends_with(2).says(&["no-such-file.ptx"]);
    pxrw(["check", &folder.argument("")]).ends_with(2);
    pxrw(["check"]).ends_with(2).says(&["<FILE>"]);
    pxrw(["check", "examples/bfs.cu"]).ends_with(2).says(&["is CUDA source", "nvcc -ptx"]);
    let input = folder.file("latin.ptx", b"// caf\xe9\n.version 9.0\n");
    pxrw(["check", &input]).ends_with(1).prints(&["the text is not UTF-8", "latin.ptx:1:7"]);
    let input = folder.file("empty.ptx", "");
    pxrw(["check", &input]).ends_with(1).prints(&["`.version`"]);
}
