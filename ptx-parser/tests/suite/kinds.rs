//! Kinds of registers, variables, parameters and directives, as `ptxas` 13.0 was asked about each.
use ptx_parser::check;

fn module_of(version: &str, target: &str, text: &str) -> String {
    let found = check(&format!(".version {version}\n.target {target}\n{text}\n"));
    found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn module(text: &str) -> String {
    module_of("9.0", "sm_90\n.address_size 64", text)
}

#[track_caller]
fn takes(texts: &[&str]) {
    texts.iter().for_each(|text| assert_eq!(module(text), "", "{text}"));
}

/// Checks that each text has one error, which says this.
#[track_caller]
fn refuses(texts: &[&str], what: &str) {
    for text in texts {
        let found = module(text);
        assert!(found.contains(": error: ") && found.contains(what) && !found.contains('\n'), "{text}: {found}");
        assert!(!found.starts_with("0:"), "{text}: {found} has a place");
    }
}

#[test]
fn types_of_registers_and_variables() {
    for ty in ["b8", "u16", "s32", "b64", "b128", "f16", "f16x2", "f32", "f64", "pred"] {
        assert_eq!(module(&format!(".func f(.reg .{ty} a) {{ .reg .{ty} z; .reg .{ty} y<3>; ret; }}")), "", "{ty}");
    }
    for ty in ["bf16", "bf16x2", "b1", "e4m3", "e5m2x2", "tf32", "u16x2", "f32x2", "u4", "b1024"] {
        for text in [
            format!(".func f() {{ .reg .{ty} z; ret; }}"),
            format!(".func f() {{ .reg .b32 a; .align 4 .reg .{ty} y<3>; ret; }}"),
            format!(".func f() {{ .shared .{ty} z; ret; }}"),
            format!(".global .{ty} z;"),
            format!(".func f(.reg .{ty} z) {{ ret; }}"),
            format!(".entry f(.param .{ty} z) {{ ret; }}"),
        ] {
            refuses(&[&text], "which is a type of instructions, but not of registers or variables");
        }
    }
    refuses(
        &[".global .pred p;", ".func f() { .local .pred p; ret; }", ".entry k(.param .pred p) { ret; }"],
        "a predicate must be a register",
    );
    takes(&[
        ".global .v4 .f32 v;",
        ".global .v2 .f64 v[3];",
        ".func f() { .reg .v4 .b32 a; .reg .v2 .b64 b; ret; }",
        ".global .b128 b;",
    ]);
    refuses(
        &[".global .v4 .f64 v;", ".global .v8 .b8 v;", ".global .v2 .b128 v;", ".func f() { .reg .v4 .b64 a; ret; }"],
        "a vector has 2 or 4 elements",
    );
    refuses(&[".func f() { .reg .v2 .pred a; ret; }"], "predicates make no vector");
}

#[test]
fn places_of_variables() {
    refuses(
        &[".param .b32 p;", ".local .b32 l;", ".reg .b32 r;", ".reg .pred p<3>;"],
        "stands outside of every function",
    );
    refuses(&[".tex .u32 t;"], "which is gone from PTX 1.5 on");
    assert_eq!(module_of("2.3", "sm_20", ".local .b32 l;\n.reg .b32 r;"), "");
    assert_eq!(module_of("1.4", "sm_13", ".tex .u32 t;"), "");
}

#[test]
fn kinds_of_parameters() {
    takes(&[
        ".entry k(.param .b8 a[4], .param .v2 .f32 b[4], .param .texref t, .param .f16 h) { ret; }",
        ".func (.param .b32 r) f(.param .b8 a[]) { ret; }",
        ".func (.reg .f16x2 r) f(.reg .pred a) { ret; }",
    ]);
    refuses(&[".entry k(.reg .u32 a) { ret; }"], "parameters of a kernel are in .param");
    refuses(
        &[
            ".entry k(.param .v4 .f32 a) { ret; }",
            ".func f(.param .v2 .b8 a) { ret; }",
            ".entry k(.param .f16x2 a) { ret; }",
        ],
        "is a vector, which no parameter in .param can be",
    );
    refuses(&[".entry k(.param .u32 a[]) { ret; }", ".entry k(.param .b8 a[0]) { ret; }"], "without a size");
}

#[test]
fn performance_directives_that_cannot_be() {
    takes(&[
        ".entry k() .maxntid 1024, 2 .minnctapersm 2 .maxnreg 32 { ret; }",
        ".entry k() .maxntid 32 .maxntid 64 { ret; }",
        ".entry k() .blocksareclusters .reqntid 32 .reqnctapercluster 2 { ret; }",
        ".entry k() .maxclusterrank 0 .explicitcluster { ret; }",
        ".func f() .noreturn { trap; }",
    ]);
    refuses(
        &[
            ".entry k() .maxntid 0 { ret; }",
            ".entry k() .reqntid 1, 0 { ret; }",
            ".entry k() .minnctapersm 0 .maxntid 3 { ret; }",
            ".entry k() .maxnreg 0 { ret; }",
        ],
        "takes numbers above 0 only",
    );
    refuses(
        &[".entry k() .maxntid 32 .reqntid 32 { ret; }", ".entry k() .reqntid 32 .maxntid 32 { ret; }"],
        "`.reqntid` contradicts `.maxntid`",
    );
    refuses(
        &[".entry k() .reqnctapercluster 2 .maxclusterrank 2 { ret; }"],
        "`.maxclusterrank` contradicts `.reqnctapercluster`",
    );
    refuses(
        &[".entry k() .noreturn { exit; }", ".entry k() .abi_preserve 2 { exit; }"],
        "stands only behind functions that are no kernels",
    );
    refuses(&[".func k() .maxntid 3 { ret; }", ".func k() .maxnreg 3 { ret; }"], "stands only behind kernels");
    refuses(&[".entry k() .maxnctapersm 2 .maxntid 3 { ret; }"], "is gone from PTX 2.1 on");
    refuses(&[".entry k() .blocksareclusters { ret; }"], "needs `.reqntid` and `.reqnctapercluster`");
}

#[test]
fn initial_values_name_what_stands_in_front_of_them() {
    takes(&[
        ".const .u64 a;.global .u64 b=a;",
        ".func f(); .global .u64 b=f; .func f() { ret; }",
        ".entry e() { ret; } .global .u64 b=e;",
        ".global .f16 h[2]={};",
        ".global .b16 h=1;",
    ]);
    refuses(
        &[
            ".global .u64 b=a;.global .u64 a;",
            ".global .u64 a=a;",
            ".global .u64 b[2]={0,generic(a)};",
            ".global .u64 b=a; .func a() { ret; }",
        ],
        "names `a`, which is not declared in front of it",
    );
    refuses(&[".shared .u64 a;.global .u64 b=a;"], "names `a`, which is in .shared");
    refuses(&[".global .f16 h=1.5;", ".global .f16 h[2]={1,2};"], "which has no initial values");
}

#[test]
fn what_is_called_is_a_function() {
    let body = |line: &str| {
        format!(".func h() {{ ret; }}\n.func g();\n.alias g,h;\n.entry k() {{ .reg .f32 f<3>; {line} ret; }}")
    };
    takes(&[&body("call h;"), &body("call g;")]);
    refuses(&[&body("call f;"), &body("call.uni k2;")], "is not declared");
}

#[test]
fn names_that_are_words_of_the_language() {
    for line in [".reg .b32 _;", ".reg .b32 %;", ".reg .b32 WARP_SZ;", ".shared .b32 WARP_SZ;", ".reg .b32 _<3>;"] {
        refuses(&[&format!(".func f() {{ {line} ret; }}")], "is a word of the language and no name");
    }
    takes(&[".func f() { .reg .b32 _a, %a, WARP_SZ1; ret; }"]);
}

#[test]
fn numbers_of_files_and_spaces_of_addresses() {
    takes(&[".file 1 \"a.cu\"\n.file 2 \"a.cu\""]);
    refuses(&[".file 1 \"a.cu\"\n.file 1 \"a.cu\"", ".file 0 \"a\"\n.file 1 \"b\"\n.file 0 \"c\""], "is given twice");
    let body = |line: &str| format!(".shared .b32 s;\n.global .b32 g;\n.func f() {{ .reg .b64 d; {line} ret; }}");
    takes(&[&body("cvta.shared.u64 d, s;"), &body("cvta.global.u64 d, g;"), &body("cvta.shared::cta.u64 d, s;")]);
    refuses(&[&body("cvta.global.u64 d, s;"), &body("cvta.const.u64 d, g;")], "takes addresses in");
    refuses(&[".func f() { .extern .shared .b8 a[]; ret; }"], "is external, but stands in a body");
}
