//! `pxrw annotate`.

use crate::program::{Folder, golden, pxrw};

#[test]
fn markers_go_to_standard_output_or_to_a_file() {
    let ran = pxrw(["annotate", "examples/bfs.cu"]).ends_with(0);
    let text = ran.stdout().to_owned();
    ran.prints(&["# 22 \"examples/bfs.cu\"", "for_begin 1 line", "step_begin 2 loop 1 for line", "step_end 2"]);
    let folder = Folder::new();
    let ran = pxrw(["annotate", "examples/bfs.cu", "-o", &folder.argument("marked.cu")]).ends_with(0);
    assert_eq!((ran.stdout(), ran.stderr.as_str()), ("", ""));
    assert_eq!(folder.text("marked.cu"), text);
}

#[test]
fn a_wrong_directive_is_shown_with_its_line_and_a_caret() {
    let folder = Folder::new();
    let input = folder.file("k.cu", "__global__ void k(int n) {\n  #CCC fro\n  for (int i = 0; i < n; ++i) {}\n}\n");
    for command in ["annotate", "ccc"] {
        let place = format!("{input}:2:8");
        let ran = pxrw([command, &input]).ends_with(2);
        let ran = ran.says(&[
            "error: unknown CCC directive `fro`",
            &place,
            "  #CCC fro",
            "^^^",
            "help: did you mean `#CCC for`?",
        ]);
        assert_eq!(ran.stdout(), "");
    }
}

#[test]
fn all_wrong_directives_are_shown() {
    pxrw(["annotate", &golden("annotate/mistakes.cu")]).ends_with(2).says(&["`fro`", "not a block size"]);
}

#[test]
fn ptx_has_no_directives() {
    pxrw(["annotate", &golden("ccc/widths.ptx")]).ends_with(2).says(&["is PTX"]);
}
