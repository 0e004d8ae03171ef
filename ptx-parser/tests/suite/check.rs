//! The messages of `Module::check`: a broken module, and all that is said of it.

use ptx_parser::{Level, Located, Module};

/// The findings of a kernel body, one per line, with lines counted from that of the opening brace.
fn check(body: &str) -> String {
    check_module(&format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.global .b32 counter;\n.shared .b8 tile[256];\n\
         .func (.param .b32 r) twice(.param .b32 a) {{ ret; }}\n\
         .entry k(.param .u64 out) {{\n{body}\nret; }}\n"
    ))
}

fn check_module(text: &str) -> String {
    let module = Module::parse(text).unwrap();
    let findings: Vec<String> = module.check().iter().map(ToString::to_string).collect();
    findings.join("\n")
}

#[test]
fn what_is_right_has_no_findings() {
    let body = ".reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<3>;\n\
        ld.param.u64 %rd0, [out];\ncvta.to.global.u64 %rd1, %rd0;\nmov.u32 %r0, %tid.x;\n\
        setp.lt.s32 %p, %r0, 10;\n@!%p ret;\nld.global.v2.u32 {%r1, _}, [%rd1+8];\n\
        cvt.rn.f32.s32 %f0, %r1;\nfma.rn.f32 %f1, %f0, 2.0, %f0;\nst.global.f32 [%rd1], %f1;\n\
        mov.u64 %rd2, counter;\nadd.s64 %rd2, %rd2, 4;\nbar.sync 0;";
    assert_eq!(check(body), "");
}

#[test]
fn operands_that_do_not_fit() {
    let body = ".reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<3>;\n\
        add.s32 %r0, %r1;\n\
        add.s32 %r0, %r1, %r2, %r3;\n\
        add.s32 %r0, %r1, %rd2;\n\
        add.f32 %f0, %f1, 1;\n\
        add.s32 %r0, %tid.x, 1;\n\
        setp.lt.s32 %r0, %r1, 5;\n\
        ld.global.u32 %r0, %rd0;\n\
        ld.global.v4.u32 {%r0, %r1}, [%rd0];\n\
        mov.b64 %rd0, {%r0, %rd1};\n\
        done: add.s32 %r0, counter, 1;";
    let expected = "\
9:1: error: `add.s32` takes 3 operands, not 2
10:24: error: `add.s32` takes 3 operands, not 4
11:19: error: operand 3 of `add.s32` is the .b64 register `%rd2`, but must be an integer or untyped register of 32 bits or a literal
12:19: error: operand 3 of `add.f32` is the literal 1, but must be a float or untyped register of 32 bits or a float literal (write `1.0`)
13:14: error: operand 2 of `add.s32` is the special register `%tid.x`, but must be an integer or untyped register of 32 bits or a literal (move `%tid.x` into a register first)
14:13: error: operand 1 of `setp.lt.s32` is the .b32 register `%r0`, but must be a predicate
15:20: error: operand 2 of `ld.global.u32` is the .b64 register `%rd0`, but must be an address in brackets (write `[%rd0]`)
16:18: error: operand 1 of `ld.global.v4.u32` is a vector of 2 elements like the .b32 register `%r0`, but must be a vector of 4, each an integer or untyped register of 32 bits or more
17:15: error: operand 2 of `mov.b64` is a vector of 2 elements like the .b32 register `%r0`, but must be a register of 64 bits or a literal
18:20: error: operand 2 of `add.s32` is the variable `counter`, but must be a value (move its address into a register first)";
    assert_eq!(check(body), expected);
}

#[test]
fn modifiers_that_do_not_exist_miss_or_clash() {
    let body = ".reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<3>;\n\
        ld.gobal.u32 %r0, [%rd0];\n\
        ad.s32 %r0, %r1, %r2;\n\
        div.f32 %f0, %f1, %f2;\n\
        add.rn.s32 %r0, %r1, %r2;\n\
        ld.acquire.u32 %r0, [%rd0];\n\
        and.u32 %r0, %r1, %r2;";
    let expected = "\
9:4: error: `.gobal` is no modifier of `ld` (did you mean `.global`?)
10:1: error: unknown instruction `ad` (did you mean `add`?)
11:1: error: `div` needs a modifier here: `.approx`, `.full`, `.rn`, `.rz`, `.rm`, `.rp`
12:8: error: `.s32` cannot stand beside the other modifiers of this `add`
13:1: error: `ld` needs a modifier here: `.cta`, `.cluster`, `.gpu`, `.sys`
14:5: error: `.u32` is no modifier of `and` (did you mean `.b32`?)";
    assert_eq!(check(body), expected);
}

#[test]
fn versions_and_targets_that_lack_an_instruction() {
    let body = ".reg .b32 %r<4>; .reg .b64 %rd<4>;\n\
        redux.sync.add.s32 %r0, %r1, -1;\n\
        barrier.cluster.arrive;\n\
        fence.acquire.gpu;\n\
        tcgen05.wait::ld.sync.aligned;";
    let expected = "\
10:1: error: `barrier.cluster.arrive` needs sm_90 or later, but the target is sm_80
11:1: error: `fence.acquire.gpu` needs PTX 8.6, but the module is of version 8.0 (write `.version 8.6`)
12:1: error: `tcgen05.wait::ld.sync.aligned` needs PTX 8.6, but the module is of version 8.0 (write `.version 8.6`)
12:1: error: `tcgen05.wait::ld.sync.aligned` needs sm_100f, sm_110f, but the target is sm_80";
    assert_eq!(check(body), expected);
}

#[test]
fn instructions_that_later_targets_have_no_more() {
    let body = "{ .reg .pred %p; .reg .b32 %r<4>;\nvote.all.pred %p, %p;\nshfl.up.b32 %r0, %r1, 1, 0;\nvote.sync.all.pred %p, %p, -1;\nret; }";
    let of = |version: &str, target: &str| {
        check_module(&format!(".version {version}\n.target {target}\n.address_size 64\n.entry k() {body}\n"))
    };
    for (version, target) in [("6.3", "sm_70"), ("9.0", "sm_60"), ("6.4", "sm_61")] {
        assert_eq!(of(version, target), "", "{version} {target}");
    }
    let expected = "\
5:1: error: `vote.all.pred` is gone from PTX 6.4 on for sm_70 and later; the target is sm_75 \
(put `.sync` behind its name, and the mask of the lanes that take part behind its operands)
6:1: error: `shfl.up.b32` is gone from PTX 6.4 on for sm_70 and later; the target is sm_75 \
(put `.sync` behind its name, and the mask of the lanes that take part behind its operands)";
    assert_eq!(of("6.4", "sm_75"), expected);
}

#[test]
fn names_that_are_not_what_the_instruction_needs() {
    let body = ".reg .b32 %r<4>; .reg .b64 %rd<4>; .param .b32 x;\n\
        ld.shared.u32 %r0, [counter];\n\
        ld.global.u32 %r0, [countre];\n\
        st.param.u64 [out], %rd0;\n\
        call (x), twice;\n\
        call twcie, (x);";
    let expected = "\
9:20: error: `counter` is in .global, but `ld.shared.u32` accesses .shared memory
10:20: error: `countre` is not declared (did you mean `counter`?)
11:14: error: `out` is a parameter of the kernel and cannot be written
12:11: error: `twice` is called with 0 arguments and 1 result, but is declared with 1 argument and 1 result
13:6: error: `twcie` is not declared (did you mean `twice`?)";
    assert_eq!(check(body), expected);
}

#[test]
fn a_version_that_the_table_does_not_know_makes_warnings() {
    let text = ".version 9.1\n.target sm_100\n.address_size 64\n.entry k() {\n.reg .b32 %r<3>;\nadd.frob.s32 %r0, %r1, %r2;\nret; }\n";
    let module = Module::parse(text).unwrap();
    let levels: Vec<Level> = module.check().iter().map(ptx_parser::Finding::level).collect();
    assert_eq!(levels, [Level::Warning]);
}

#[test]
fn members_of_families_have_places() {
    let text = ".version 9.0\n.target sm_90\n.global .b32 x<2>;\n.global .b32 x<3>;\n";
    let found: Vec<String> = ptx_parser::check(text).iter().map(ToString::to_string).collect();
    assert!(found.iter().all(|finding| finding.starts_with("4:14: error: `x")) && found.len() == 2, "{found:?}");
    let text = ".version 9.0\n.target sm_90\n.param .u64 a = 1, b = 2, c<4>;\n";
    assert!(ptx_parser::check(text).iter().all(|finding| finding.position().is_some_and(|at| at.line == 3)));
}

#[test]
fn a_module_has_one_head() {
    let head = ".version 9.0\n.target sm_90\n.address_size 64\n";
    let function = ".func f() { ret; }\n";
    let first = |text: String| ptx_parser::check(&text).first().map_or(String::new(), ToString::to_string);
    assert_eq!(first(format!(".version 9.0\n.target sm_90\n.target sm_80\n{function}")), "");
    let again = "5:1: error: `.version` stands at the beginning of a module, and only there";
    assert_eq!(first(format!("{head}{function}{head}")), again);
    let target = "4:1: error: `.target` stands right behind `.version`";
    assert_eq!(first(format!("{head}.target sm_90\n{function}")), target);
    assert_eq!(first(format!(".version 9.0\n.target sm_90\n{function}.target sm_90\n")), target);
    let missing = "the `.target` directive is missing; it stands right behind `.version` (write `.target sm_90`, or the architecture \
                   that the kernels are for, in the line behind `.version`)";
    assert_eq!(first(format!(".version 9.0\n\n.address_size 64\n{function}")), format!("3:1: error: {missing}"));
    assert_eq!(first(format!(".version 9.0\n{function}.target sm_90\n")), format!("2:1: error: {missing}"));
    assert_eq!(first(".version 9.0\n".to_owned()), format!("2:1: error: {missing}"));
    let version = "2:1: error: the `.version` directive is missing; every module begins with it (write `.version 9.0` as the \
                   first line)";
    assert_eq!(first(format!("// text\n.target sm_90\n{function}")), version);
    // Both of these the assembler takes.
    assert_eq!(first(format!(".version 9.0\n.target sm_90\n{function}")), "");
    assert_eq!(first(".version 9.0\n.target sm_90\n".to_owned()), "");
    let size = "4:1: error: `.address_size` stands right behind `.target`";
    assert_eq!(first(format!("{head}.address_size 64\n{function}")), size);
}

#[test]
fn calls_that_differ_from_the_declaration() {
    let declared = ".extern .func (.param .b32 r) f(.param .u32 a, .param .align 8 .b8 b[16]);\n\
        .extern .func rest(.param .b64 a, .param .align 8 .b8 all[]);\n.visible .entry k2() { ret; }\n";
    let calls = |lines: &str| {
        let module = format!(
            ".version 9.0\n.target sm_90\n.address_size 64\n{declared}.visible .func g(.param .u32 own) {{\n\
             .reg .b32 %r<3>; .reg .b64 %rd<3>; .reg .f32 %f<3>; .local .b32 l; .param .b32 p; .param .f32 pf;\n\
             .param .align 8 .b8 a[16]; .param .align 4 .b8 a4[16]; .param .align 8 .b8 few[8];\n\
             one: .callprototype (.param .b32 _) _ (.param .b64 _);\nsome: .calltargets rest;\n{lines}\nret; }}\n\
             .func behind() {{ ret; }}\n"
        );
        check_module(&module)
    };
    let right = "call (p), f, (%r1, a); call (%f1), f, (1, a); call (_), f, (p, a); call rest, (%rd1); call rest, (5, few);\n\
        call (p), %rd1, (%rd2), one; call %rd1, (%rd2, a), some; call g, (p);";
    assert_eq!(calls(right), "");
    let wrong = "call (p), f, (%r1);\ncall (p), f, (%rd1, a);\ncall (p), f, (1.5, a);\ncall (p), f, (pf, a);\ncall (p), f, (%r1, few);\n\
        call (p), f, (%r1, a4);\ncall (l), f, (%r1, a);\ncall (p), f, (own, a);\ncall rest, (%rd1, a, a);\ncall k2;\n\
        call (p), %rd1, (%r1), one;\ncall (p), %rd1, (), one;\ncall %rd1, (%r1), some;\ncall behind;\ncall %rd1, (%r1);";
    let expected = "\
12:11: error: `f` is called with 1 argument and 1 result, but is declared with 2 arguments and 1 result
13:14: error: argument 1 is the .b64 register `%rd1`, but `f` declares .u32
14:14: error: argument 1 is a float literal, but `f` declares .u32
15:14: error: argument 1 is `pf`, which is .f32, but `f` declares .u32
16:14: error: argument 2 is `few`, which is .b8[8] aligned to 8, but `f` declares .b8[16] aligned to 8
17:14: error: argument 2 is `a4`, which is .b8[16] aligned to 4, but `f` declares .b8[16] aligned to 8
18:6: error: result 1 is `l`, which is in .local, but `f` declares .b32
19:14: error: argument 1 is `own`, which is a parameter of the caller, but `f` declares .u32
20:6: error: `rest` is called with 3 arguments and 0 results, but is declared with 2 arguments and 0 results
21:6: error: `k2` is a kernel and cannot be called
22:17: error: argument 1 is the .b32 register `%r1`, but `one` declares .b64
23:11: error: `one` is called with 0 arguments and 1 result, but is declared with 1 argument and 1 result
24:12: error: argument 1 is the .b32 register `%r1`, but `rest` declares .b64
25:6: error: `behind` is declared behind this call (write its declaration, without a body, in front of this function)
26:6: error: this call does not say what it calls (put a `.callprototype` in front, and its label behind the arguments)";
    assert_eq!(calls(wrong), expected);
}

#[test]
fn arrays_and_scalars_in_calls() {
    let call = |parameter: &str, argument: &str| {
        check_module(&format!(
            ".version 9.0\n.target sm_90\n.address_size 64\n.func f(.param {parameter}) {{ ret; }}\n\
             .func g() {{ .param {argument}; call f, (v); ret; }}\n"
        ))
    };
    for (parameter, argument) in [
        (".b32 a", ".f32 v"),
        (".b32 a[1]", ".f32 v[1]"),
        (".f32 a[1]", ".align 4 .b8 v[4]"),
        (".align 8 .b8 a[8]", ".f64 v[1]"),
        (".align 8 .b8 a[]", ".align 8 .u32 v[2]"),
    ] {
        assert_eq!(call(parameter, argument), "", "{parameter} {argument}");
    }
    for (parameter, argument, given, declared) in [
        (".b32 a", ".b32 v[1]", ".b32[1]", ".b32"),
        (".b32 a[1]", ".b32 v", ".b32", ".b32[1]"),
        (".u32 a[1]", ".f32 v[1]", ".f32[1]", ".u32[1]"),
        (".u32 a[1]", ".s32 v[1]", ".s32[1]", ".u32[1]"),
        (".align 8 .u32 a[2]", ".u64 v[1]", ".u64[1]", ".u32[2] aligned to 8"),
        (".b32 a[1]", ".b32 v[1][1]", ".b32[1]", ".b32[1]"),
        (".f16x2 a[1]", ".f16x2 v[1]", ".f16x2[1]", ".f16x2[1]"),
        (".align 4 .b8 a[]", ".b32 v", ".b32", ".b8[] aligned to 4"),
    ] {
        let finding = call(parameter, argument);
        let expected = format!("argument 1 is `v`, which is {given}, but `f` declares {declared}");
        assert!(finding.starts_with("5:") && finding.ends_with(&expected), "{parameter} {argument}: {finding}");
    }
}

/// `ptxas` 13.0 takes the first and refuses the others.
#[test]
fn coordinates_of_textures_and_surfaces() {
    let declared = ".reg .b32 %r<5>; .reg .s32 %s<5>; .reg .f32 %f<9>; .reg .b64 %rd<2>; .reg .v4 .f32 %v;\n";
    let tex =
        |geometry: &str, ty: &str, at: &str| format!("tex.{geometry}.v4.f32.{ty} {{%f5, %f6, %f7, %f8}}, [{at}];\n");
    let right = [
        tex("1d", "f32", "%rd1, {%f1}"),
        tex("2d", "f32", "%rd1, {%f1, %f2, %f3, %f4}"),
        tex("2d", "f32", "%rd1, %rd0, {%f1, %f2}"),
        tex("3d", "s32", "%rd1, {%r1, %r2, %r3, %f1}"),
        tex("cube", "f32", "%rd1, %v"),
        tex("a1d", "f32", "%rd1, {%s1, %f1}"),
        tex("2dms", "s32", "%rd1, {1, 2, 3, 4}"),
        tex("a2dms", "s32", "%rd1, {%r1, %r2, %f1, %f2}"),
        "suld.b.a1d.b32.trap {%r1}, [%rd1, %r2];\n".to_owned(),
        "sured.p.min.2d.b64.trap [%rd1, {%s1, %s2}], %rd0;\n".to_owned(),
    ];
    assert_eq!(check(&format!("{declared}{}", right.concat())), "");
    let wrong = [
        tex("2d", "f32", "%rd1, {%f1}"),
        tex("3d", "f32", "%rd1, {%f1, %f2, %f3}"),
        tex("2d", "s32", "%rd1, {%f1, %f2}"),
        tex("2d", "f32", "%rd1, {%s1, %f2}"),
        tex("2d", "f32", "%rd1, {1, 2}"),
        tex("a1d", "f32", "%rd1, {%f1, %f2}"),
        tex("a1d", "s32", "%rd1, %r1"),
        tex("2d", "f32", "%r1, {%f1, %f2}"),
        tex("2d", "f32", "%rd1"),
        "suld.b.2d.b32.trap {%r1}, [%rd1, %rd0, {%r1, %r2}];\n".to_owned(),
        "sured.b.add.a1d.u32.trap [%rd1, {%r1, %r2}], %r3;\n".to_owned(),
    ];
    let found = check(&format!("{declared}{}", wrong.concat()));
    let lines: Vec<&str> = found.lines().collect();
    assert_eq!(
        lines[0],
        "9:41: error: operand 2 of `tex.2d.v4.f32.f32` is a list in brackets that ends with a vector of 1 element like the .f32 \
         register `%f1`, but must be a texture and a vector of 2 or 4 coordinates, in brackets; coordinates are .f32"
    );
    let numbers: Vec<&str> = lines.iter().filter_map(|line| line.split(':').next()).collect();
    assert_eq!(numbers, ["9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19"]);
}

#[test]
fn addresses_that_cannot_be() {
    let registers = ".reg .b16 %h; .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p;\n";
    let right = "ld.shared.u32 %r0, [%r1]; ld.local.u32 %r0, [4]; ld.global.u32 %r0, [%rd1]; ld.global.u32 %r0, [%h];\n\
        mbarrier.init.shared.b64 [%r1], 1; cp.async.ca.shared.global [%r1], [%r2], 4; prefetch.local.L1 [8];";
    assert_eq!(check(&format!("{registers}{right}")), "");
    let wrong = "ld.global.u32 %r0, [%r1];\nst.u32 [%r1+4], %r0;\nmbarrier.init.b64 [%r1], 1;\nld.shared.u32 %r0, [16];\n\
        cp.async.ca.shared.global [%r1], [0], 4;";
    let expected = "\
9:20: error: the address `%r1` of `ld.global.u32` has 32 bits, but addresses have 64 here
10:8: error: the address `%r1` of `st.u32` has 32 bits, but addresses have 64 here
11:19: error: the address `%r1` of `mbarrier.init.b64` has 32 bits, but addresses have 64 here
12:20: error: operand 2 of `ld.shared.u32` has a number as its address
13:34: error: operand 2 of `cp.async.ca.shared.global` has a number as its address";
    assert_eq!(check(&format!("{registers}{wrong}")), expected);
}

#[test]
fn modifiers_in_an_order_that_is_refused() {
    let body = ".reg .b32 %r<4>; .reg .b64 %rd<4>;\n\
        cvta.global.to.u64 %rd0, %rd1;\n\
        mul.s32.lo %r0, %r1, %r2;\n\
        bar.sync.cta 0;\n\
        cp.async.ca.global.shared [%r0], [%rd1], 4;\n\
        @%p ld.u32.global %r0, [%rd1];";
    let expected = "\
9:13: error: `.to` is part of the instruction's name and does not stand where the name has it (write `cvta.to.global.u64`)
10:9: error: `.lo` is part of the instruction's name and does not stand where the name has it (write `mul.lo.s32`)
11:10: error: `.cta` is part of the instruction's name and does not stand where the name has it (write `bar.cta.sync`)
12:20: error: `.shared` cannot stand beside the other modifiers of this `cp`";
    assert_eq!(check(&format!(".reg .pred %p; {body}")), expected);
}

#[test]
fn literals_that_are_out_of_range() {
    let registers = ".reg .b32 %r<4>; .reg .b64 %rd<4>;\n";
    let right = "bar.sync 15, 64; bar.sync %r0, %r1; bfe.u32 %r0, %r1, 255, 0; cp.async.ca.shared.global [%r0], [%rd1], 8; bar.warp.sync 99;";
    assert_eq!(check(&format!("{registers}{right}")), "");
    let wrong = "bar.sync 16;\nbar.sync 0, 33;\nbfe.u32 %r0, %r1, 256, 0;\ncp.async.cg.shared.global [%r0], [%rd1], 8;\n\
        cp.async.ca.shared.global [%r0], [%rd1], 12;\npmevent -1;";
    let expected = "\
9:10: error: operand 1 of `bar.sync` is the literal 16, but must be an integer or untyped register of 32 bits or a literal: 0 to 15
10:13: error: operand 2 of `bar.sync` is the literal 33, but must be an integer or untyped register of 32 bits or a literal: a multiple of 32
11:19: error: operand 3 of `bfe.u32` is the literal 256, but must be an integer or untyped register of 32 bits or a literal: 0 to 255
12:42: error: operand 3 of `cp.async.cg.shared.global` is the literal 8, but must be a literal integer: 16
13:42: error: operand 3 of `cp.async.ca.shared.global` is the literal 12, but must be a literal integer: 4 or 8 or 16
14:9: error: operand 1 of `pmevent` is the literal -1, but must be a literal integer: 0 to 15";
    assert_eq!(check(&format!("{registers}{wrong}")), expected);
}

#[test]
fn a_function_is_declared_alike_each_time() {
    let twice = |first: &str, second: &str| {
        let head = ".version 9.0\n.target sm_90\n.address_size 64\n";
        check_module(&format!("{head}.func f({first});\n.func f({second}) {{ ret; }}\n"))
    };
    let differs = "5:7: error: `f` is declared with other parameters before";
    assert_eq!(twice(".param .b32 a", ".param .b32 b"), "");
    assert_eq!(twice(".param .b32 a", ".param .u32 a"), differs);
    assert_eq!(twice(".param .align 4 .b8 a[8]", ".param .align 8 .b8 a[8]"), differs);
}

/// Found by the fuzz target `parse`: the name was taken for the end of the type.
#[test]
fn a_name_with_a_percent_sign_is_found_right_behind_the_type() {
    let text = ".version 9.0\n.target sm_90\n.address_size 64\n.shared .u64%a = 1, b[2];\n";
    assert_eq!(check_module(text), "4:13: error: `%a` is in .shared memory, which has no initial values");
}
