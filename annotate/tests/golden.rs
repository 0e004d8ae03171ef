//! Each `golden/NAME.cu` is annotated and compared with `golden/NAME.expected`, which begins with the directives and
//! what became of them and goes on with the text behind the prologue.
//!
//! `BLESS=1 cargo test -p annotate --test golden` writes the expectations anew; read the difference before you keep it.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::fmt::Write as _;
use std::path::Path;

use annotate::{Annotated, annotate};

fn golden(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let source = std::fs::read_to_string(folder.join(format!("{name}.cu"))).unwrap();
    let annotated = annotate(&source, &format!("{name}.cu")).unwrap_or_else(|errors| {
        panic!("{name}.cu: {:#?}", errors.iter().map(|e| format!("{}: {e}", e.place())).collect::<Vec<_>>())
    });
    let actual = format!("{}---\n{}", report(&annotated), behind_prologue(&annotated));
    let path = folder.join(format!("{name}.expected"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &actual).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    for (number, (actual, expected)) in actual.lines().zip(expected.lines()).enumerate() {
        assert_eq!(actual, expected, "{name}.expected, line {}", number + 1);
    }
    assert_eq!(actual, expected, "{name}.expected");
}

fn report(annotated: &Annotated) -> String {
    let mut out = String::new();
    for d in &annotated.directives {
        write!(out, "{}:{} {} {:?} line {}", d.line, d.column, d.id, d.kind, d.target_line).unwrap();
        for (what, value) in [("block", d.block), ("loop", d.loop_id)] {
            value.iter().for_each(|value| write!(out, " {what} {value}").unwrap());
        }
        d.copied.iter().for_each(|name| write!(out, " copy of {name}").unwrap());
        out.push('\n');
        d.notes.iter().for_each(|n| writeln!(out, "  {}:{} {}", n.line, n.column, n.message).unwrap());
    }
    out
}

fn behind_prologue(annotated: &Annotated) -> String {
    annotated.text.split_inclusive('\n').skip(annotated.prologue_lines).collect()
}

#[test]
fn bfs() {
    golden("bfs");
}

#[test]
fn shapes() {
    golden("shapes");
}

#[test]
fn spellings() {
    golden("spellings");
}

#[test]
fn not_directives() {
    golden("not_directives");
}

#[test]
fn scopes() {
    golden("scopes");
}

#[test]
fn conditionals() {
    golden("conditionals");
}

#[test]
fn copies() {
    golden("copies");
}

#[test]
fn cases() {
    golden("cases");
}

#[test]
fn a_file_without_directives_gets_its_line_and_nothing_else() {
    for source in
        ["", "int x;", "__global__ void k() { CCC(1); }\n", "broken ( { \" CCC\n", "#if 0\n#CCC for\n#endif\n"]
    {
        let annotated = annotate(source, "x.cu").unwrap();
        assert_eq!(annotated.text, format!("#line 1 \"x.cu\"\n{source}"));
        assert_eq!((annotated.prologue_lines, annotated.directives.len()), (1, 0));
    }
}

#[test]
fn the_file_name_is_escaped() {
    let annotated = annotate("int x;\n", "dir\\a \"b\"\n.cu").unwrap();
    assert_eq!(annotated.text, "#line 1 \"dir\\\\a \\\"b\\\"\\012.cu\"\nint x;\n");
}

#[test]
fn crlf_stays_crlf_and_the_byte_order_mark_stays_first() {
    let source = "\u{feff}__global__ void k(int n, int *a) {\r\n  #CCC for \\\r\n   const\r\n  for (int i = 0; i < n; ++i)\r\n\
                  //#CCC if\r\n    if (a[i])\r\n      a[0] = 1;\r\n}\r\n";
    let annotated = annotate(source, "k.cu").unwrap();
    assert!(annotated.text.starts_with("\u{feff}#ifndef __CCC_MARK\r\n"));
    assert_eq!(annotated.text.matches('\n').count(), annotated.text.matches("\r\n").count());
    let expected = "__global__ void k(int n, int *a) {\r\n  \r\n\r\n\
         \x20 { __CCC_LOOP(\"for_begin 1 const line 4\") for (int i = 0; i < n; ++i)\r\n\r\n    if (a[i])\r\n\
         \x20     { __CCC_MARK(\"if_begin 2 loop 1 line 6\") a[0] = 1; __CCC_MARK(\"if_end 2\") } __CCC_MARK(\"for_end 1\") }\r\n}\r\n";
    assert_eq!(behind_prologue(&annotated), expected);
}

#[test]
fn steps() {
    golden("steps");
}

#[test]
fn probability() {
    golden("probability");
}
