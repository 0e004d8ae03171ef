//! Bodies of another compilation in a module: what is shared, what is added and renamed, what is refused.
use crate::common::{check, parse};
use ptx_parser::{Module, SpliceError};

const HEAD: &str = ".version 9.0\n.target sm_90\n.address_size 64\n";

fn module(text: &str) -> Module {
    parse(&format!("{HEAD}{text}"))
}

/// The spliced text without its header, which `ptxas` takes if it is there.
fn splice(plain: &str, marked: &str, names: &[&str]) -> String {
    let (mut plain, marked) = (module(plain), module(marked));
    check(&plain);
    check(&marked);
    plain.splice(&marked, names).unwrap_or_else(|error| panic!("{error}"));
    check(&plain).strip_prefix(HEAD).unwrap().to_owned()
}

/// The refusal, which changes nothing.
fn refusal(plain: &str, marked: &str, names: &[&str]) -> SpliceError {
    let (mut plain, marked) = (module(plain), module(marked));
    let before = plain.to_string();
    let error = plain.splice(&marked, names).unwrap_err();
    assert_eq!(plain.to_string(), before);
    assert!(!error.help().is_empty());
    error
}

#[test]
fn only_the_named_bodies_change() {
    let plain = "// first\n.global .u32 x; // x\n\n\t// .globl\tk\n.visible .entry k(\n\t.param .u64 p)  {\n\tret;  }\n\n\
                 .visible .entry other() { trap; /* odd */ } // behind\n// end\n";
    let marked = ".global .u32 x;\n.visible .entry k(.param .u64 q)\n.maxntid 32\n{ //#CCC\n\tbar.sync 0;\n\tret;\n}\n\
                  .visible .entry other() { ret; }";
    let expected = "// first\n.global .u32 x; // x\n\n\t// .globl\tk\n.visible .entry k(.param .u64 q)\n.maxntid 32\n{ //#CCC\n\tbar.sync 0;\n\tret;\n}\n\n\
                    .visible .entry other() { trap; /* odd */ } // behind\n// end\n";
    assert_eq!(splice(plain, marked, &["k"]), expected);
    assert_eq!(splice(plain, marked, &["k", "k"]), expected);
    assert_eq!(splice(plain, marked, &[]), plain);
}

#[test]
fn edits_of_both_modules_are_in_the_result() {
    let (mut plain, mut marked) =
        (module(".entry a() { ret; }\n.entry b() { ret; }\n"), module(".entry a() { ret; }\n.entry b() { ret; }\n"));
    for (own, body) in [(&mut plain, "bar.sync 1;"), (&mut marked, "bar.sync 2;")] {
        for kernel in own.kernels_mut() {
            let code = kernel.fragment(body).unwrap();
            let mut patch = ptx_parser::Patch::new();
            patch.insert_before(0, code);
            kernel.apply(patch).unwrap();
        }
    }
    plain.splice(&marked, &["b"]).unwrap();
    let expected = ".entry a()\n{\n\tbar.sync 1; ret; }\n.entry b()\n{\n\tbar.sync 2; ret; }\n";
    assert_eq!(check(&plain), format!("{HEAD}{expected}"));
}

fn body(lines: &str) -> String {
    format!(".visible .entry k()\n{{\n\t.reg .b32 %r<4>;\n\t.reg .b64 %rd<4>;\n{lines}\tret;\n}}\n")
}

#[test]
fn a_variable_of_both_stays_one() {
    let plain = format!(".global .u32 counter;\n.const .align 8 .b8 table[4] = {{1, 2}};\n{}", body(""));
    let taken = body("\tmov.u64 %rd1, counter;\n\tld.const.u32 %r1, [table];\n");
    // Numbers are compared, not how they are written; what is aligned less is aligned well enough.
    let marked = format!(".const .align 4 .b8 table[4] = {{0x1, 2}};\n.global .u32 counter;\n{taken}");
    let expected = format!(".global .u32 counter;\n.const .align 8 .b8 table[4] = {{1, 2}};\n{taken}");
    assert_eq!(splice(&plain, &marked, &["k"]), expected);
}

#[test]
fn variables_that_differ_are_refused() {
    let taken = body("\tmov.u64 %rd1, x;\n");
    for (own, other) in [
        (".global .u32 x = 1;", ".global .u32 x = 2;"),
        (".global .u32 x;", ".global .u64 x;"),
        (".global .u32 x;", ".global .s32 x;"),
        (".global .u32 x;", ".global .u32 x[1];"),
        (".global .u32 x[4];", ".global .u32 x[5];"),
        (".global .u32 x;", ".const .u32 x;"),
        (".global .u32 x;", ".visible .global .u32 x;"),
        (".global .u32 x;", ".global .align 8 .u32 x;"),
        (".global .u32 x;", ".global .attribute(.managed) .u32 x;"),
        (".visible .global .u32 x[4];", ".visible .global .u32 x[5];"),
        (".global .u64 a = 1; .global .u64 x = a;", ".global .u64 b = 1; .global .u64 x = b;"),
        (".global .u64 a = 1; .global .u64 x = a;", ".global .u64 a = 2; .global .u64 x = a;"),
        (".global .u32 x[2]; .global .u64 a = x;", ".global .u64 x = 0;"),
        (".global .texref x = { filter_mode = linear };", ".global .texref x = { filter_mode = nearest };"),
        (".func x() { ret; }", ".global .u32 x;"),
    ] {
        let error = refusal(&format!("{own}\n{}", body("")), &format!("{other}\n{taken}"), &["k"]);
        assert!(matches!(&error, SpliceError::Differs { name, .. } if name == "x"), "{own} {other}: {error}");
        // Both declarations are in the message, and what is not mentioned does not matter.
        splice(&format!("{own}\n{}", body("")), &format!("{other}\n{}", body("\tbar.sync 0;\n")), &["k"]);
    }
    let error =
        refusal(&format!(".global .u32 x = 1;\n{}", body("")), &format!(".global .u32 x = 2;\n{taken}"), &["k"]);
    assert_eq!(
        error.to_string(),
        "`x` is `.global .u32 x = 1;` in this module and `.global .u32 x = 2;` in the other one"
    );
}

#[test]
fn what_other_modules_see_is_shared() {
    let taken = body("\tmov.u64 %rd1, x;\n");
    for (own, other) in [
        (".visible .global .u32 x = 1;", ".visible .global .u32 x = 2;"),
        (".weak .global .u32 x;", ".weak .global .u32 x = 1;"),
        (".common .global .u32 x;", ".common .global .u32 x;"),
        (".extern .global .u32 x;", ".extern .global .u32 x;"),
        (".visible .global .u32 x[4];", ".extern .global .u32 x[];"),
        (".extern .shared .align 16 .b8 x[];", ".extern .shared .align 8 .b8 x[];"),
    ] {
        assert_eq!(
            splice(&format!("{own}\n{}", body("")), &format!("{other}\n{taken}"), &["k"]),
            format!("{own}\n{taken}")
        );
    }
}

#[test]
fn variables_that_are_missing_come_with_what_they_refer_to() {
    let plain = format!(".global .u32 x;\n{}", body(""));
    let marked = format!(
        ".func f() {{ ret; }}\n.global .u32 x;\n// not needed\n.global .u32 y;\n/* a */ .global .u64 a[2] = {{f, x+4}};\n\
         .global .u64 b = generic(a);\n{}",
        body("\tmov.u64 %rd1, b;\n")
    );
    let expected = format!(
        ".global .u32 x;\n.func f() {{ ret; }}\n.global .u64 a[2] = {{f, x+4}};\n.global .u64 b = generic(a);\n{}",
        body("\tmov.u64 %rd1, b;\n")
    );
    assert_eq!(splice(&plain, &marked, &["k"]), expected);
}

#[test]
fn constants_of_the_compiler_are_matched_by_value() {
    // Of three strings one has another number, one is not there, and one has its number and value.
    let plain = format!(
        ".global .align 1 .b8 $str[2] = {{65}};\n.global .align 1 .b8 $str$1[2] = {{66}};\n.global .align 1 .b8 $str$2[2] = {{67}};\n{}",
        body("")
    );
    let marked = format!(
        ".global .align 1 .b8 $str[2] = {{66}};\n.global .align 1 .b8 $str$1[2] = {{68}};\n.global .align 1 .b8 $str$2[2] = {{67}};\n\
         .global .align 1 .b8 __unnamed_1[2] = {{69}};\n{}",
        body("\tmov.u64 %rd1, $str;\n\tmov.u64 %rd2, $str$1;\n\tmov.u64 %rd3, $str$2;\n\tmov.u64 %rd3, __unnamed_1;\n")
    );
    let expected = format!(
        ".global .align 1 .b8 $str[2] = {{65}};\n.global .align 1 .b8 $str$1[2] = {{66}};\n.global .align 1 .b8 $str$2[2] = {{67}};\n\
         .global .align 1 .b8 $str$1_1[2] = {{68}};\n.global .align 1 .b8 __unnamed_1[2] = {{69}};\n{}",
        body(
            "\tmov.u64 %rd1, $str$1;\n\tmov.u64 %rd2, $str$1_1;\n\tmov.u64 %rd3, $str$2;\n\tmov.u64 %rd3, __unnamed_1;\n"
        )
    );
    assert_eq!(splice(&plain, &marked, &["k"]), expected);
}

/// A user's variable may refer to strings whose numbers are others, and strings may exchange their names.
#[test]
fn values_are_compared_through_what_they_refer_to() {
    let text = |first: &str, second: &str, lines: &str| {
        format!(
            ".global .align 1 .b8 {first}[2] = {{65}};\n.global .align 1 .b8 {second}[2] = {{66}};\n\
             .global .u64 names[2] = {{generic({first}), generic({second})}};\n{}",
            body(lines)
        )
    };
    let lines = "\tmov.u64 %rd1, names;\n\tmov.u64 %rd2, $str;\n\tmov.u64 %rd3, $str$1;\n";
    let swapped = "\tmov.u64 %rd1, names;\n\tmov.u64 %rd2, $str$1;\n\tmov.u64 %rd3, $str;\n";
    let result = splice(&text("$str", "$str$1", ""), &text("$str$1", "$str", lines), &["k"]);
    assert_eq!(result, text("$str", "$str$1", swapped));
    // In a circle.
    let text = |value: u32, lines: &str| {
        format!(
            ".extern .global .u64 b[2];\n.global .u64 a[2] = {{b, {value}}};\n.visible .global .u64 b[2] = {{a, 1}};\n{}",
            body(lines)
        )
    };
    assert_eq!(splice(&text(3, ""), &text(3, "\tmov.u64 %rd1, a;\n"), &["k"]), text(3, "\tmov.u64 %rd1, a;\n"));
    let error = refusal(&text(3, ""), &text(4, "\tmov.u64 %rd1, a;\n"), &["k"]);
    assert!(matches!(error, SpliceError::Differs { .. }), "{error}");
}

#[test]
fn a_second_copy_of_a_variable_is_refused() {
    for (own, other) in [
        ("g", "g$0"),
        ("g$b", "g"),
        ("g_$_1", "g"),
        ("__nv_static_25__e1a2a681_4_a_cu_66e49e83_x", "__nv_static_25__01a2a681_4_a_cu_66e49e83_x"),
        ("_ZN34_INTERNAL_e1a2a681_4_a_cu_66e49e831xE", "_ZN34_INTERNAL_11a2a681_4_a_cu_66e49e831xE"),
    ] {
        let plain = format!(".global .u32 {own};\n{}", body(""));
        let marked = format!(".global .u32 {other};\n{}", body(&format!("\tmov.u64 %rd1, {other};\n")));
        let error = refusal(&plain, &marked, &["k"]);
        assert_eq!(error, SpliceError::Alike { name: other.to_owned(), own: own.to_owned() });
    }
}

#[test]
fn variables_declared_together_stay_together() {
    let marked = format!(".global .u32 a, b;\n{}", body("\tmov.u64 %rd1, b;\n"));
    let result = splice(&body(""), &marked, &["k"]);
    assert_eq!(result, marked);
    let error = refusal(&format!(".global .u32 a;\n{}", body("")), &marked, &["k"]);
    assert!(matches!(error, SpliceError::Together { .. }), "{error}");
}

const CALL: &str = "\tcall.uni f;\n";

#[test]
fn functions_are_shared_if_their_parameters_are_the_same() {
    let text = |linkage: &str, inside: &str, lines: &str| {
        format!("{linkage}.func f()\n;\n{linkage}.func f() {{ {inside} ret; }}\n{}", body(lines))
    };
    // Other modules see it, so that it has the parameters that the source gives it.
    for linkage in [".visible ", ".weak "] {
        let result = splice(&text(linkage, "bar.sync 1;", ""), &text(linkage, "bar.sync 2;", CALL), &["k"]);
        assert_eq!(result, text(linkage, "bar.sync 1;", CALL));
    }
    // It has the same body, but for positions and markers.
    let result = splice(&text("", "bar.sync 1;", ""), &text("", "\n//#CCC x\n bar.sync 1;", CALL), &["k"]);
    assert_eq!(result, text("", "bar.sync 1;", CALL));
    // Its address is in a variable of both.
    let address = ".func f();\n.global .u64 table = f;\n";
    let (own, other) = (text("", "bar.sync 1;", ""), text("", "bar.sync 2;", CALL));
    let result = splice(&format!("{address}{own}"), &format!("{address}{other}"), &["k"]);
    assert_eq!(result, format!("{address}{}", text("", "bar.sync 1;", CALL)));
    // Otherwise the optimiser may have changed what its parameters mean.
    let result = splice(&own, &other, &["k"]);
    let copy = ".func f_1()\n;\n.func f_1()\n{ bar.sync 2; ret; }";
    let expected =
        text("", "bar.sync 1;", "\tcall.uni f_1;\n").replacen("\n.visible", &format!("\n{copy}\n.visible"), 1);
    assert_eq!(result.replace("f_1() {", "f_1()\n{"), expected);
}

#[test]
fn functions_with_another_declaration_are_copied() {
    let plain = format!(".visible .func f(.param .b32 a) {{ ret; }}\n{}", body(""));
    let marked = format!(
        ".extern .func g();\n.global .u32 x;\n.visible .func f() {{ call g; st.global.u32 [x], 1; ret; }}\n{}",
        body("\tcall f;\n\tcall f, ();\n")
    );
    let result = splice(&plain, &marked, &["k"]);
    // The copy is nothing that other modules see.
    let copy = ".extern .func g();\n.global .u32 x;\n.func f_1() { call g; st.global.u32 [x], 1; ret; }";
    let tidy = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected =
        format!(".visible .func f(.param .b32 a) {{ ret; }}\n{copy}\n{}", body("\tcall f_1;\n\tcall f_1, ();\n"));
    assert_eq!(tidy(&result), tidy(&expected));
    // What another module defines has one declaration.
    let text = |params: &str, lines: &str| format!(".extern .func f({params});\n{}", body(lines));
    let error = refusal(&text(".param .b32 a", ""), &text("", CALL), &["k"]);
    assert!(matches!(error, SpliceError::Differs { .. }), "{error}");
}

#[test]
fn functions_are_replaced_where_everybody_can_call_them() {
    let text = |linkage: &str, inside: &str| {
        format!(
            "{linkage}.func f() {{ {inside} ret; }}\n.visible .entry k() {{ {inside} call f; ret; }}\n\
             .visible .entry m() {{ {inside} call f; ret; }}\n"
        )
    };
    let (own, other) = (module(&text(".visible ", "")), module(&text(".visible ", "bar.sync 2;")));
    assert_eq!(own.splice_closure(&other, &["f", "nothing"]), ["f"]);
    let result = splice(&text(".visible ", ""), &text(".visible ", "bar.sync 2;"), &["f"]);
    assert_eq!(result, text(".visible ", "").replacen("{ ", "{ bar.sync 2;", 1));
    // Of a function whose callers are all known, the callers come along; then nothing else calls what this module has.
    let (own, other) = (module(&text("", "")), module(&text("", "bar.sync 2;")));
    assert_eq!(own.splice_closure(&other, &["f"]), ["f", "k", "m"]);
    let error = refusal(&text("", ""), &text("", "bar.sync 2;"), &["f", "m"]);
    assert_eq!(error, SpliceError::Caller { name: "f".to_owned(), caller: "k".to_owned() });
    assert_eq!(splice(&text("", ""), &text("", "bar.sync 2;"), &["f", "k", "m"]), text("", "bar.sync 2;"));
}

#[test]
fn functions_that_are_inlined_here_bring_their_callers() {
    let plain = ".visible .entry k() { ret; }\n.visible .entry m() { ret; }\n.visible .entry n() { ret; }\n";
    let marked = ".func g() { bar.sync 1; ret; }\n.func f() { call g; ret; }\n.visible .entry k() { call f; ret; }\n\
                  .visible .entry m() { call g; ret; }\n.visible .entry n() { ret; }\n";
    let (own, other) = (module(plain), module(marked));
    assert_eq!(own.splice_closure(&other, &["g"]), ["g", "f", "k", "m"]);
    assert_eq!(own.splice_closure(&other, &["f"]), ["f", "k"]);
    assert_eq!(own.splice_closure(&other, &["n"]), ["n"]);
    assert_eq!(splice(plain, marked, &["g", "f", "k", "m"]), marked);
    let error = refusal(plain, marked, &["f"]);
    assert_eq!(error, SpliceError::Caller { name: "f".to_owned(), caller: "k".to_owned() });
}

#[test]
fn functions_are_declared_before_they_are_mentioned() {
    let plain = ".visible .entry k() { ret; }\n.visible .func f(.param .b32 a) // f\n{ ret; }\n";
    let marked = ".visible .func f(.param .b32 a) { ret; }\n.global .u64 x = f;\n.visible .entry k() { .reg .b64 %rd; mov.u64 %rd, x; ret; }\n";
    let result = splice(plain, marked, &["k"]);
    let start = ".visible .func f ( .param .b32 a );\n.global .u64 x = f;\n.visible .entry k() { .reg";
    assert!(result.starts_with(start), "{result}");
    // A variable cannot be declared twice.
    let plain = ".visible .entry k() { ret; }\n.global .u32 x;\n";
    let marked = ".global .u32 x;\n.visible .entry k() { .reg .b64 %rd; mov.u64 %rd, x; ret; }\n";
    let error = refusal(plain, marked, &["k"]);
    assert_eq!(error, SpliceError::Order { name: "x".to_owned(), user: "k".to_owned() });
}

#[test]
fn aliases_come_with_their_functions() {
    let marked =
        ".visible .func a();\n.visible .func f() { ret; }\n.alias a, f;\n.visible .entry k() { call a; ret; }\n";
    let result = splice(".visible .entry k() { ret; }\n", marked, &["k"]);
    assert_eq!(result.trim_start(), marked);
    assert_eq!(splice(&marked.replace("call a;", ""), marked, &["k"]), marked);
}

#[test]
fn addresses_prototypes_and_textures_are_references() {
    let marked = ".global .texref t;\n.func f() { ret; }\n.func h() { ret; }\n.visible .entry k() {\n.reg .b64 %rd; .reg .f32 %f<4>; .reg .s32 %r;\n\
                  p : .callprototype _ ();\nmov.u64 %rd, f;\ncall %rd, (), p;\ntargets: .calltargets h;\ncall %rd, (), targets;\n\
                  tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [t, {%r}];\nret;\n}\n";
    let plain = ".func f() { trap; ret; }\n.visible .entry k() { ret; }\n";
    let (mut own, other) = (module(plain), module(marked));
    own.splice(&other, &["k"]).unwrap();
    let text = own.to_string();
    for part in [".global .texref t;\n", ".func f_1()", "mov.u64 %rd, f_1;", ".func h()", ".calltargets h;"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

const FILES: &str = "\t.file\t1 \"a.cu\"\n\t.file\t2 \"b.h\", 5, 6\n\t.section\t.debug_str\n\t{\n$L__info_string0:\n.b8 65,0\n$L__info_string1:\n.b8 66,0\n\n\t}\n";

#[test]
fn positions_lead_to_the_same_files_and_names() {
    let plain = format!("{}{FILES}", body(""));
    let lines = "\t.loc\t2 1 0\n\tbar.sync 0;\n\t.loc\t3 7 1, function_name $L__info_string0, inlined_at 2 1 0\n\tbar.sync 1;\n\
                 \t.loc\t1 9 1, function_name $L__info_string1+1, inlined_at 2 1 0\n\tbar.sync 2;\n\
                 \t.loc\t1 9 2, function_name $L__info_string2, inlined_at 2 1 0\n\tbar.sync 3;\n";
    let marked = format!(
        "{}\t.file\t1 \"b.h\", 7, 8\n\t.file\t2 \"a.cu\"\n\t.file\t3 \"b.h\", 5,6\n\t.file\t4 \"unused.h\"\n\
         \t.section .debug_str {{\n$L__info_string0: .b8 66,0\n$L__info_string1: .b8 67, 68\n.b8 69,0 $L__info_string2: .b8 65, 0\n}}",
        body(lines)
    );
    let expected = "\t.loc\t1 1 0\n\tbar.sync 0;\n\t.loc\t2 7 1, function_name $L__info_string1, inlined_at 1 1 0\n\tbar.sync 1;\n\
                    \t.loc\t3 9 1, function_name $L__info_string_1, inlined_at 1 1 0\n\tbar.sync 2;\n\
                    \t.loc\t3 9 2, function_name $L__info_string0, inlined_at 1 1 0\n\tbar.sync 3;\n";
    let files = FILES
        .replace("5, 6\n", "5, 6\n\t.file\t3 \"b.h\", 7, 8\n")
        .replace(".b8 66,0\n", ".b8 66,0\n$L__info_string_1:\n.b8 68,69,0\n");
    let result = splice(&plain, &marked, &["k"]);
    assert_eq!(result, format!("{}{files}", body(expected)));
    // Without any of it here, all of it is added.
    let result = splice(&body(""), &marked, &["k"]);
    assert_eq!(result.matches(".file").count(), 3, "{result}");
    assert!(result.contains("\t.section\t.debug_str\n\t{\n$L__info_string_1:\n.b8 66,0\n"), "{result}");
}

#[test]
fn modules_that_do_not_fit_are_refused() {
    let own = format!("{HEAD}{}", body(""));
    for (directive, text) in [
        (".version", own.replace("9.0", "8.0")),
        (".target", own.replace("sm_90", "sm_80")),
        (".address_size", own.replace("size 64", "size 32")),
        (".pragma", format!("{own}.pragma \"nounroll\";")),
    ] {
        let error = parse(&own).splice(&parse(&text), &["k"]).unwrap_err();
        assert!(matches!(error, SpliceError::Header { directive: d, .. } if d == directive), "{error}");
    }
    for (name, text, found) in [
        ("x", body(""), "the other module has no body of `x`"),
        ("x", format!(".visible .entry x() {{ ret; }}\n{}", body("")), "this module has no entry `x`"),
        ("f", format!(".extern .func f();\n{}", body("")), "the other module has no body of `f`"),
        (
            "k",
            ".visible .entry k(.param .u32 a) { ret; }".to_owned(),
            "`k` is `.visible .entry k ( )` in this module and `.visible .entry k ( .param .u32 a )` in the other one",
        ),
        (
            "k",
            format!("{}\t.section .debug_info {{ .b8 1 }}\n", body("")),
            "debug information cannot be spliced: `.debug_info` describes the code of its whole module",
        ),
        (
            "k",
            format!("{}{FILES}", body("\t.loc 1 1 0, function_name $L__info_string1+7\n")),
            "`$L__info_string1+7` is no string of `.debug_str` in the other module",
        ),
    ] {
        assert_eq!(refusal(&body(""), &text, &[name]).to_string(), found);
    }
}

/// A name must mean the same in the body, whatever else it declares.
#[test]
fn what_would_be_hidden_is_refused() {
    let plain = format!(".global .align 1 .b8 $str[2] = {{65}};\n{}", body(""));
    let lines = "\tmov.u64 %rd1, $str;\n\t{\n\t.local .b32 $str;\n\tmov.u64 %rd1, $str;\n\t}\n";
    let marked = format!(".global .align 1 .b8 $str[2] = {{66}};\n{}", body(lines));
    let error = refusal(&plain, &marked, &["k"]);
    assert_eq!(error, SpliceError::Hidden { function: "k".to_owned(), name: "$str".to_owned() });
    // The local one alone is no reference.
    let lines = "\t{\n\t.local .b32 $str;\n\tmov.u64 %rd1, $str;\n\t}\n";
    let marked = format!(".global .align 1 .b8 $str[2] = {{66}};\n{}", body(lines));
    assert_eq!(splice(&plain, &marked, &["k"]), format!(".global .align 1 .b8 $str[2] = {{65}};\n{}", body(lines)));
}
