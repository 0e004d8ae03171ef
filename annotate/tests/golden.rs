//! Each `golden/NAME.cu` is annotated and compared with `golden/NAME.expected`, which begins with the directives and
//! what became of them and goes on with the text.
//!
//! `BLESS=1 cargo test -p annotate --test golden` writes the expectations anew; read the difference before you keep it.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::fmt::Write as _;
use std::path::Path;

mod common;

use common::{Annotated, annotate};

fn golden(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let source = std::fs::read_to_string(folder.join(format!("{name}.cu"))).unwrap();
    let annotated = annotate(&source, &format!("{name}.cu")).unwrap_or_else(|errors| {
        panic!("{name}.cu: {:#?}", errors.iter().map(|e| format!("{}: {e}", e.place())).collect::<Vec<_>>())
    });
    let actual = format!("{}---\n{}", report(&annotated), annotated.text);
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
        d.host_function.iter().for_each(|name| write!(out, " in {name}").unwrap());
        out.push('\n');
    }
    out
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
fn cases() {
    golden("cases");
}

#[test]
fn a_text_without_directives_stays_as_it_is() {
    for source in ["", "int x;", "__global__ void k() { CCC(1); }\n", "// CCC\n\"#CCC for\";\n"] {
        let annotated = annotate(source, "x.cu").unwrap();
        assert_eq!((annotated.text.as_str(), annotated.directives.len()), (source, 0));
    }
}

#[test]
fn crlf_stays_crlf() {
    let source = "__global__ void k(int n, int *a) {\r\n  #CCC for \\\r\n   const\r\n  for (int i = 0; i < n; ++i)\r\n\
                  //#CCC if\r\n    if (a[i])\r\n      a[0] = 1;\r\n}\r\n";
    let annotated = annotate(source, "k.cu").unwrap();
    let marker = |text: &str| format!("asm volatile(\"//#CCC {text}\" ::: \"memory\"); ");
    let expected = format!(
        "__global__ void k(int n, int *a) {{\r\n  \r\n\r\n\
         \x20 {{ {}_Pragma(\"unroll 1\") for (int i = 0; i < n; ++i)\r\n\r\n    if (a[i])\r\n\
         \x20     {{ {}a[0] = 1; {}}} {}}}\r\n}}\r\n",
        marker("for_begin 1 const line 4 parameters n,a"),
        marker("if_begin 2 loop 1 line 6"),
        marker("if_end 2"),
        marker("for_end 1")
    );
    assert_eq!(annotated.text, expected);
}

#[test]
fn steps() {
    golden("steps");
}

#[test]
fn probability() {
    golden("probability");
}

#[test]
fn pragmas_are_blanked_and_nothing_else() {
    let text = "#pragma CCC for /* é */\nconst char *s = R\"(\n#pragma CCC if\n)\";\n#pragma unroll\n  # pragma CCC if\n//#CCC if\n";
    let expected = text.replacen(
        "#pragma CCC for /* é */",
        &format!("{}  {}    {}", " ".repeat(15), " ".repeat(4), " ".repeat(3)),
        1,
    );
    let without = annotate::without_pragmas(text).unwrap();
    assert_eq!(without.len(), text.len());
    assert_eq!(without.trim_start(), expected.replace("# pragma CCC if", &" ".repeat(15)).trim_start());
    assert_eq!(annotate::without_pragmas("R\"(\n#pragma CCC if\n)\"; //#CCC for\n"), None);
}
