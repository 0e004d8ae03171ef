//! All errors of a text in one run: each is reported once, at its place, and nothing that is right is reported.
use crate::common;
use ptx_parser::{Located, Module};

/// A text in which `¡` stands before each place that is reported, in order.
#[track_caller]
fn wrong(marked: &str, messages: &[&str]) {
    let (text, places) = common::marked(marked);
    let Err(errors) = Module::parse(&text) else { panic!("this was accepted:\n{marked}") };
    let found: Vec<String> = errors.into_iter().map(ToString::to_string).collect();
    assert_eq!(places.len(), messages.len(), "the test marks as many places as it has messages");
    let expected: Vec<String> =
        places.iter().zip(messages).map(|((line, column), message)| format!("{line}:{column}: {message}")).collect();
    assert_eq!(found, expected, "\n{marked}");
}

#[track_caller]
fn wrong_body(body: &str, messages: &[&str]) {
    wrong(&common::kernel(body), messages);
}

#[test]
fn a_statement_that_fails_hides_no_other() {
    wrong_body(
        "mov.u32 %r1, ¡;\nadd.s32 %r1, %r2, %r3;\nsub.s32 %r1 ¡%r2, %r3;\n\
         mul.lo.s32 %r1, %r2, %r3¡\nret¡\nmov.u32 %r2, ¡%new;\nret;",
        &[
            "expected an operand, found `;`",
            "expected `,` or `;`, found `%r2`",
            "expected `,` or `;`, found the end of the line",
            "expected an operand or `;`, found the end of the line",
            "register `%new` is not declared",
        ],
    );
}

#[test]
fn what_follows_from_an_error_is_not_reported() {
    // A register that is not declared is reported once; a failed vector does not close the scope.
    wrong_body(
        "mov.u32 ¡%a, 1;\nadd.u32 %a, %a, 1;\n{ mov.b64 {%r1, %r2 ¡%r3}, %rd1;\nmov.u32 %r1, 2; }\nbra ¡OUT;\nbra IN;\nIN: ret;",
        &["register `%a` is not declared", "expected `,` or `}`, found `%r3`", "no label `OUT` is defined here"],
    );
}

#[test]
fn every_branch_to_a_missing_label_is_reported() {
    wrong_body(
        "bra ¡A;\nbra ¡A;\nbra ¡B;\n",
        &["no label `A` is defined here"; 2].into_iter().chain(["no label `B` is defined here"]).collect::<Vec<_>>(),
    );
}

#[test]
fn lines_that_go_on_are_no_statements_of_their_own() {
    common::parse(&common::kernel("mov.b64\n\t{%r1, %r2},\n%rd1;\nmov.f64\n%fd1,\n.5;\ncall\nf,\n(%r1);\nret;"));
    // The call is written over five lines; what is wrong in it does not make errors of the others.
    wrong_body("call.uni\n(%r1),\nf,\n(\n%r2,\n¡*\n);\nret;", &["expected an operand, found `*`"]);
    wrong_body(
        "call.uni\n(%r1),\n¡]f,\n(\n%r2\n);\nmov.u32 %r1, ¡;\nret;",
        &["expected an operand, found `]`", "expected an operand, found `;`"],
    );
}

#[test]
fn a_missing_brace_ends_the_body_at_the_next_declaration() {
    wrong(
        ".version 9.0\n.target sm_90\n.entry a()\n{\nret;\n¡.visible .entry b()\n{\n.reg .b32 %r<2>;\nmov.u32 %r1, ¡;\n}\n.entry c() { ret; }\n",
        &[
            "expected `}` at the end of the body, in front of the next declaration of the module, found `.visible`",
            "expected an operand, found `;`",
        ],
    );
}

#[test]
fn declarations_of_the_module() {
    wrong(
        ".version 9.0\n.target sm_90\n.global .b32 ¡5;\n.global ¡.b33 x;\n.entry k(.param ¡u64 p)\n{\n.reg .b32 %r<2>;\nadd.u32 %r1, %r1, 1;\n}\n\
         .visible .entry m()\n{\nmov.u32 ¡%r1, 1;\n}\n¡garbage\n.file 1 ¡name\n.const .b32 y;\n",
        &[
            "expected a name, found `5`",
            "expected a type, `.align` or `.attribute`, found `.b33`",
            "expected a type such as `.b32`, found `u64`",
            "register `%r1` is not declared",
            "expected a directive such as `.version`, `.target` or `.entry`, found `garbage`",
            "expected a string, found `name`",
        ],
    );
}

#[test]
fn numbers_are_no_directives() {
    wrong(
        ".version 9.0\n.func f ¡.64;\n",
        &["expected a directive such as `.version`, `.target` or `.entry`, found `.64`"],
    );
}

/// The first error is one in front of both comments, but what is reported is the comment that never ends.
#[test]
fn errors_have_the_order_of_their_places() {
    wrong(
        ".version 9.0\n.global .b32 x\n/* all\n.target sm_90, ¡*/ ¡/* the rest\n",
        &["expected a name, found `*`", "expected a comment that ends with `*/`, found `/`"],
    );
}

#[test]
fn there_is_an_end_to_it() {
    let text = common::kernel(&"mov.u32 %r1, ;\n".repeat(5000));
    let errors = Module::parse(&text).unwrap_err();
    assert_eq!(errors.all().len(), 100);
    assert_eq!(errors.first().to_string(), "7:14: expected an operand, found `;`");
    // What is found out all at once, where a scope ends.
    let text = common::kernel(&(0..5000).map(|label| format!("bra L{label};\n")).collect::<String>());
    assert_eq!(Module::parse(&text).unwrap_err().all().len(), 100);
}

#[test]
fn help_names_what_was_meant() {
    let help = |text: &str| Module::parse(text).unwrap_err().first().help();
    let body = |body: &str| help(&common::kernel(body)).unwrap();
    assert_eq!(body(".reg .b32 %count; mov.u32 %cuont, 1;"), "there is a register `%count`");
    assert_eq!(body(".reg .b32 %x<28>; mov.u32 %x28, 1;"), "`%x<28>` declares the numbers below 28");
    assert_eq!(body("bra $L_bx; $L_ax: ret;"), "there is a label `$L_ax`");
    assert_eq!(body("ld.u32 %r1, [%rd1-8];"), "a negative offset is written behind a plus sign: `+-8`");
    assert_eq!(body("mov.f32 %f1, -0f3F800000;"), "put the sign into the bits: `0fBF800000`");
    assert_eq!(help(".verison 9.0").unwrap(), "did you mean `.version`?");
    assert_eq!(help(".unheard_of 9.0"), None);
}
