//! What a malformed text is told: the exact message, and the place where a person would look.
//!
//! A missing mark is reported behind the last token of its line if the line ends there, and at the token that stands in its
//! place if one does.
use crate::common;
use ptx_parser::{Located, Module, Position};

/// The first error of a text in which `¡` stands before the reported place.
#[track_caller]
fn wrong(marked: &str, message: &str) {
    let (text, places) = common::marked(marked);
    let (line, column) = places[0];
    match Module::parse(&text) {
        Ok(_) => panic!("this was accepted:\n{marked}"),
        Err(errors) => assert_eq!(errors.first().to_string(), format!("{line}:{column}: {message}"), "\n{marked}"),
    }
}

/// The same for lines of the body of a kernel.
#[track_caller]
fn wrong_body(body: &str, message: &str) {
    wrong(&common::kernel(body), message);
}

const HEADER: &str = ".version 9.0\n.target sm_90\n.address_size 64\n";

#[test]
fn missing_marks() {
    wrong_body("add.s32 %r1, %r2, %r3¡\nret;", "expected `,` or `;`, found the end of the line");
    wrong_body("add.s32 %r1, %r2, %r3¡ // why\nret;", "expected `,` or `;`, found the end of the line");
    wrong_body("mov.u32 %r1, 5 ¡mov.u32 %r2, 6;", "expected `,` or `;`, found `mov`");
    wrong_body("add.s32 %r1 ¡%r2, %r3;", "expected `,` or `;`, found `%r2`");
    wrong_body("ld.u32 %r1, [%rd1+4¡;", "expected `+`, `,` or `]`, found `;`");
    wrong_body("ld.u32 %r1, [%rd1 ¡4];", "expected `+`, `,` or `]`, found `4`");
    wrong_body("mov.b64 {%r1, %r2, %rd1¡;\nret;", "expected `,` or `}`, found `;`");
    wrong_body("mov.b64 {%r1 ¡%r2}, %rd1;", "expected `,` or `}`, found `%r2`");
    wrong_body("call (%r1), f, (%r2¡;", "expected `,` or `)`, found `;`");
    wrong_body("add.s32 %r1, %r2, ¡;", "expected an operand, found `;`");
    wrong_body("add.s32 %r1, ¡, %r2;", "expected an operand, found `,`");
    wrong_body(".reg .b32 %x¡\nret;", "expected `,` or `;`, found the end of the line");
    wrong_body(".reg .b32 %x<5¡;", "expected `>`, found `;`");
    wrong_body(".pragma \"nounroll\"¡\nret;", "expected `,` or `;`, found the end of the line");
}

#[test]
fn missing_ends() {
    wrong(&format!("{HEADER}.entry k()\n{{\n\tret;\n¡"), "expected `}` for the `{` at 5:1, found the end of the text");
    wrong(
        &format!("{HEADER}.entry k()\n{{\n\tret;\n¡.visible .entry m() {{ ret; }}"),
        "expected `}` at the end of the body, in front of the next declaration of the module, found `.visible`",
    );
    wrong(&format!("{HEADER}.entry k(.param .u64 a¡\n{{ ret; }}"), "expected `,` or `)`, found the end of the line");
    wrong(
        &format!("{HEADER}.entry k()¡\nret;"),
        "expected `{`, `;` or a performance directive, found the end of the line",
    );
    wrong(
        &format!("{}{{ ret;¡", common::kernel("").trim_end().trim_end_matches('}').trim_end()),
        "expected `}` for the `{` at 5:1, found the end of the text",
    );
    wrong(
        &format!("{HEADER}.entry k() {{ ret; }}\n¡/* never ends\nret;"),
        "expected a comment that ends with `*/`, found `/`",
    );
    wrong_body("ret;\n¡/* never ends", "expected a comment that ends with `*/`, found `/`");
    wrong_body("add.s32 %r1, ¡/* never ends", "expected a comment that ends with `*/`, found `/`");
    wrong(
        &format!("{HEADER}.file 1 ¡\"kernel.cu\n.entry k() {{ ret; }}"),
        "expected a string that ends with `\"` on its line, found `\"`",
    );
    wrong_body(".pragma ¡\"nounroll;\nret;", "expected a string that ends with `\"` on its line, found `\"`");
    wrong(
        &format!("{HEADER}.section .debug_str {{ .b8 1\n¡"),
        "expected `}` at the end of the section, found the end of the text",
    );
    wrong(&format!("{HEADER}.global .b32 x[2] = {{1, 2¡;"), "expected `,` or `}`, found `;`");
}

#[test]
fn names() {
    wrong_body("add.s32 %r1, %r2, ¡%r99;", "register `%r99` is not declared");
    wrong_body("@¡%q1 ret;", "register `%q1` is not declared");
    wrong_body("ld.u32 %r1, [¡%ptr+8];", "register `%ptr` is not declared");
    wrong_body("{ .reg .b32 %x; }\nmov.u32 ¡%x, 1;", "register `%x` is not declared");
    wrong_body("@!¡%r1 ret;", "guard `%r1` is not a predicate");
    wrong_body("bra ¡NOWHERE;", "no label `NOWHERE` is defined here");
    wrong_body("bra ¡L;\n{ L: ret; }", "no label `L` is defined here");
    wrong_body("¡bra 5;", "`bra` needs one label");
    wrong_body("¡brx.idx %r1, table;", "`brx.idx` without a `.branchtargets` list");
    wrong_body("L: ret;\n¡L: ret;", "label `L` is defined twice");
    wrong_body(".reg .b32 %x; .reg .f32 ¡%x;", "register `%x` is declared twice");
    wrong_body(".reg .b32 ¡%r3;", "register `%r3` is declared twice");
    wrong_body(".reg .b32 ¡%r<3>;", "registers `%r<…>` are declared twice");
    wrong_body(".shared .b32 x; .shared .b32 ¡x;", "`x` is declared twice");
}

#[test]
fn numbers() {
    wrong_body("mov.u32 %r1, ¡12ab;", "expected a number, found `12ab`");
    wrong_body("mov.u32 %r1, ¡0x;", "expected a number, found `0x`");
    wrong_body("mov.u32 %r1, ¡089;", "expected a number, found `089`");
    wrong_body(
        "mov.u32 %r1, ¡99999999999999999999;",
        "expected a number that fits 64 bits, found `99999999999999999999`",
    );
    wrong_body("mov.f32 %f1, ¡0f3F80;", "expected a number, found `0f3F80`");
    wrong_body(".shared .align ¡3 .b8 x[4];", "alignment 3 is not a power of two");
    wrong_body(".shared .align ¡0 .b8 x[4];", "alignment 0 is not a power of two");
    wrong_body(".shared .b8 x[¡1.5];", "expected an array size, found `1`");
    wrong_body(".reg .b32 %x<¡99999999999>;", "expected a number below 4294967296, found `99999999999`");
    wrong_body(".loc 1 ¡x 0", "expected a number, found `x`");
    wrong(".version ¡nine", "expected a number, found `nine`");
    wrong(".version 9¡;", "expected `.` and the minor version, found `;`");
}

/// `ptxas` 13.0 refuses each.
#[test]
fn families_of_variables() {
    let many = "with `x<65537>`, families declare more than 65536 variables";
    wrong(&format!("{HEADER}.global .b32 ¡x<65537>;"), many);
    wrong_body(".local .b32 ¡x<65537>;", many);
    wrong_body(".local .b32 a<65536>, ¡b<1>;", "with `b<1>`, families declare more than 65536 variables");
    wrong_body(".local .b32 a<3>, ¡a1;", "`a1` is declared twice");
    wrong_body(".local .b32 a1; .shared .b32 ¡a<3>;", "`a` is declared twice");
    wrong_body(".local .b32 a<3>; .local .b64 ¡a<2>;", "`a` is declared twice");
    wrong_body(".local .b32 a<3>¡[4];", "expected `,` or `;` behind a family of variables, found `[`");
    wrong(&format!("{HEADER}.global .b32 a<3> ¡= 1;"), "expected `,` or `;` behind a family of variables, found `=`");
}

/// `ptxas` 13.0 refuses each.
#[test]
fn values_of_debug_sections() {
    let values = |values: &str, message: &str| wrong(&format!("{HEADER}.section .debug_info {{ {values} }}"), message);
    values(".b8 1, ¡256", "256 does not fit 8 bits");
    values(".b8 ¡0x1ff", "0x1ff does not fit 8 bits");
    values(".b8 255, ¡-129, 5", "-129 does not fit 8 bits");
    values(".b32 1, ¡09", "expected a number, found `09`");
    values(".b16 ¡65536", "65536 does not fit 16 bits");
    values(".b16 -32768, ¡-32769", "-32769 does not fit 16 bits");
    values(".b32 ¡-2147483649", "-2147483649 does not fit 32 bits");
    values(".b64 -¡9223372036854775808", "expected a number of 63 bits without a `U`, found `9223372036854775808`");
    values(".b16 ¡label", "a place does not fit 16 bits");
    values(".b32 label+4¡, 5", "expected a directive or `}`: a place stands alone, found `,`");
    values(".b32 label-¡4", "expected a name, found `4`");
    values(".b32 label+¡other", "expected a number, found `other`");
    values(".b32 .debug_str¡-4", "expected `}` at the end of the section, found `-`");
    values("¡.u8 1", "expected `.b8`, `.b16`, `.b32`, `.b64`, or `}` at the end of the section, found `.u8`");
}

/// `ptxas` 13.0 takes each: it looks at the lowest 32 bits alone.
#[test]
fn values_of_debug_sections_that_are_cut() {
    for values in
        [".b8 255, -128, 4294967296, -18446744073709551617", ".b16 65535, -32768", ".b32 18446744073709551615"]
    {
        let text =
            format!("{HEADER}.section .debug_info {{ l: {values} .b64 -9223372036854775807 .b32 l+4294967296 }}\n");
        assert_eq!(Module::parse(&text).unwrap().to_string(), text);
    }
}

#[test]
fn words() {
    wrong(
        &format!("{HEADER}.entry k() {{ ret; }}\n¡}}"),
        "expected a directive such as `.version`, `.target` or `.entry`, found `}`",
    );
    wrong("¡hello", "expected a directive such as `.version`, `.target` or `.entry`, found `hello`");
    wrong("¡\0", "expected a directive such as `.version`, `.target` or `.entry`, found `\\0`");
    wrong(
        &format!("{HEADER}¡.unheard_of 5"),
        "expected a directive of the module, such as `.entry`, `.func` or `.global`, found `.unheard_of`",
    );
    wrong(&format!("{HEADER}.entry ¡5()"), "expected a name, found `5`");
    wrong(&format!("{HEADER}.global ¡x;"), "expected a type such as `.b32`, found `x`");
    wrong(&format!("{HEADER}.global ¡.b33 x;"), "expected a type, `.align` or `.attribute`, found `.b33`");
    wrong_body(
        "¡.unheard_of 5;",
        "expected an instruction, a label or a directive of a function body, found `.unheard_of`",
    );
    wrong_body("¡5;", "expected an instruction, a label or a directive, found `5`");
    wrong_body("¡a.b: ret;", "expected a label without `.`, or an instruction, found `a`");
    wrong_body("¡§", "expected an instruction, a label or a directive, found `§`");
}

/// Each was given to `ptxas` 13.0, which refuses it for its syntax.
#[test]
fn performance_directives() {
    let header =
        |directives: &str, message: &str| wrong(&format!("{HEADER}.entry k() {directives}{{ ret; }}"), message);
    let next = "expected `{`, `;` or a performance directive, found";
    header(".maxntid ¡", "expected a number, found `{`");
    header(".maxntid 1, ¡", "expected a number, found `{`");
    header(".maxntid ¡-1", "expected a number, found `-`");
    header(".maxntid ¡(1)", "expected a number, found `(`");
    header(".maxntid ¡1.5", "expected an integer, found `1`");
    header(".maxntid 1, 2, 3¡, 4", &format!("{next} `,`"));
    header(".maxntid 1 ¡2", &format!("{next} `2`"));
    header(".maxnreg 32¡, 1", &format!("{next} `,`"));
    header(".explicitcluster ¡1", &format!("{next} `1`"));
    header("¡.maxntdi 32", &format!("{next} `.maxntdi`"));
    header(".unheard_of ¡(a)", &format!("{next} `(`"));
    let errors = Module::parse(".entry k() .maxnreg 32, 1 { }\n.entry k() .regntid 1 { }").unwrap_err();
    let help: Vec<_> = errors.all().iter().map(|error| error.help().unwrap_or_default()).collect();
    assert_eq!(help, ["`.maxnreg` takes no further value", "did you mean `.reqntid`?"]);
}

/// As above, and `.later` is for an attribute of a later PTX, which `ptxas` 13.0 refuses however it is written.
#[test]
fn attributes() {
    let attribute = |list: &str, message: &str| wrong(&format!("{HEADER}.global .attribute{list} .b32 x;"), message);
    attribute("(¡)", "expected an attribute such as `.managed`, found `)`");
    attribute("(¡managed)", "expected an attribute such as `.managed`, found `managed`");
    attribute("(.managed ¡.managed)", "expected `,` or `)`, found `.managed`");
    attribute("(.managed¡(1))", "expected `,` or `)`, found `(`");
    attribute("(.unified¡)", "expected `(`, found `)`");
    attribute("(.unified(1¡))", "expected `,` and another integer, found `)`");
    attribute("(.unified(1, 2¡, 3))", "expected `)`, found `,`");
    attribute("(.unified(¡a, 2))", "expected an integer, found `a`");
    attribute("(.unified(1, ¡-2))", "expected an integer, found `-`");
    attribute("(.unified(¡1.5, 2))", "expected an integer, found `1`");
    attribute("(¡.manged)", "expected an attribute, found `.manged`");
    attribute("(.later(1, ¡))", "expected an integer, found `)`");
}

#[test]
fn where_directives_stand() {
    wrong(&format!("{HEADER}¡.loc 1 2 3\n.entry k() {{ ret; }}"), "`.loc` stands outside of every function");
    let declaration = "expected `.entry`, `.func` or a state space such as `.global`, found";
    for after in [".file 1 \"a\"", ".section .b { }", ".pragma \"a\";", ".alias f, g;", ".visible .global .b32 x;"] {
        let word = after.split(' ').next().unwrap();
        wrong(&format!("{HEADER}.visible ¡{after}"), &format!("{declaration} `{word}`"));
    }
    wrong(&format!("{HEADER}.weak ¡f();"), &format!("{declaration} `f`"));
}

#[test]
fn scopes_may_not_be_nested_without_end() {
    let body = format!("{}{}", "{".repeat(5000), "}".repeat(5000));
    let error = Module::parse(&common::kernel(&body)).unwrap_err();
    assert_eq!(error.to_string(), "7:4096: scopes are nested more than 4096 deep");
}

#[test]
fn the_parts_of_an_error() {
    let error = Module::parse(&common::kernel("@%r1 ret;")).unwrap_err();
    assert_eq!(error.first().position(), Some(Position { line: 7, column: 2 }));
    assert_eq!(error.first().message(), "guard `%r1` is not a predicate");
    assert_eq!(error.first().help().as_deref(), Some("a guard needs a `.pred` register"));
}

#[test]
fn fragments_name_their_own_lines() {
    let mut module = common::parse(&common::kernel(
        "{ .reg .b32 %t; mov.u32 %t, 1; L: }\n{ .reg .b32 %t; mov.u32 %t, 1; L: }\nret;",
    ));
    let kernel = &mut module.kernels_mut()[0];
    let mut wrong = |text: &str, message: &str| {
        assert_eq!(kernel.fragment(text).unwrap_err().to_string(), message, "{text}");
    };
    wrong("ret;\nadd.s32 %r1, %r2, %new;", "2:19: register `%new` is not declared");
    wrong("mov.u32 %t, 1;", "1:9: several scopes have a register `%t`");
    wrong("ret;\n  bra L;", "2:7: several scopes have a label `L`");
    wrong("bra M;", "1:5: no label `M` is defined here");
    wrong("L: ret;", "1:1: several scopes have a label `L`");
    wrong("N: ret; N: ret;", "1:9: label `N` is defined twice");
    wrong(".reg .b32 %r1;", "1:11: register `%r1` is declared twice");
    wrong(".reg .b32 %r<4>;", "1:11: registers `%r<…>` are declared twice");
    wrong("{ ret;", "1:7: expected `}`, found the end of the text");
    wrong("ret; }", "1:6: expected an instruction, a label or a directive, found `}`");
    wrong("brx.idx %r1, table;", "1:1: `brx.idx` without a `.branchtargets` list");
    wrong("bra", "1:4: expected an operand, found the end of the text");
    assert!(!module.kernels()[0].is_edited(), "a failed fragment changes nothing");
}
