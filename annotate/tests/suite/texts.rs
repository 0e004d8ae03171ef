//! Texts that stay as they are, but for their directives.

use crate::common::annotate;

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
