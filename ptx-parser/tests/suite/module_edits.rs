//! Edits of a module as a whole, names with all of their mentions, and source positions that stay with what they describe.
use crate::common;
use crate::common::{assemble, check, find, insts, kernel, parse, reg, sample};
use ptx_parser::{Module, Patch, Type};

#[test]
fn a_module_is_made_from_nothing() {
    let mut module = Module::new((9, 0), "sm_90", 64).unwrap();
    assert_eq!(module.to_string(), ".version 9.0\n.target sm_90\n.address_size 64\n");
    module.add("// a table\n.global .b32 table[2] = {1, 2};\n.func f() { ret; }").unwrap();
    let kernel = module.add_entry("k", &[Type::U64]).unwrap();
    let code = kernel.fragment("call f; ret;").unwrap();
    let mut patch = Patch::new();
    patch.append(code);
    kernel.apply(patch).unwrap();
    module.add(".extern .func g(.param .b32 x);").unwrap();
    let expected = ".version 9.0\n.target sm_90\n.address_size 64\n// a table\n.global .b32 table[2] = {1, 2};\n\n\
                    .extern .func g(\n\t.param .b32 x\n);\n\n.func f()\n{\n\tret;\n}\n\n\
                    .visible .entry k(\n\t.param .u64 k_param_0\n)\n{\n\tcall f;\n\tret;\n}\n";
    assert_eq!(module.canonical(), expected);
    check(&module);
    for (text, message) in [
        (".entry k() { ret; }", "the module defines `k` already"),
        (".global .b8 table;", "the module defines `table` already"),
        (".version 8.0", "`.version 8.0` cannot be added"),
        (".global .b8", "1:12: expected a name, found the end of the text"),
    ] {
        let before = module.to_string();
        assert_eq!(module.add(text).unwrap_err().to_string(), message, "{text}");
        assert_eq!(module.to_string(), before);
    }
}

#[test]
fn kernels_and_variables_are_removed() {
    let text = ".version 9.0\n.target sm_90\n.address_size 64\n.global .b32 a;\n.global .b32 b, c;\n.func f();\n.func f() { ret; }\n\
                .entry k() { call f; st.global.u32 [a], 1; ret; }\n";
    let mut module = parse(text);
    let errors = [
        ("f", "`k` mentions `f`"),
        ("a", "`k` mentions `a`"),
        ("b", "`b` is declared together with other variables"),
        ("d", "the module has no `d`"),
    ];
    for (name, message) in errors {
        assert_eq!(module.remove(name).unwrap_err().to_string(), message);
    }
    assert_eq!(module.to_string(), text);
    for name in ["k", "f", "a"] {
        module.remove(name).unwrap();
    }
    assert_eq!(check(&module), ".version 9.0\n.target sm_90\n.address_size 64\n.global .b32 b, c;\n");
    assert!(module.kernels().is_empty());
}

#[test]
fn kernels_that_nobody_wants_or_mentions_are_removed() {
    let head = ".version 9.0\n.target sm_90\n.address_size 64\n";
    let kernels = |others: &str| {
        format!(
            "{head}.entry listed() {{ ret; }}\n.global .u64 table[1] = {{listed}};\n{others}.func f() {{ ret; }}\n\
             .entry wanted() {{ .reg .b64 %rd; mov.u64 %rd, launched; call f; ret; }}\n"
        )
    };
    let launched = ".entry launched() { ret; }\n";
    let text = kernels(&format!(
        ".entry gone();\n{launched}.entry gone() {{ .reg .b64 %rd; .reg .b64 listed_not; call f; ret; }}\n.entry too() {{ ret; }}\n"
    ));
    let mut module = parse(&text);
    module.retain_kernels(|name| name == "wanted");
    assert_eq!(check(&module), kernels(launched));
    assert_eq!(module.kernels().len(), 4);
    // Debug information speaks of all of them.
    let text = format!("{head}.entry a() {{ ret; }}\n.entry b() {{ ret; }}\n.section .debug_info\n{{\n.b32 1\n}}\n");
    let mut module = parse(&text);
    module.retain_kernels(|name| name == "a");
    assert_eq!(module.to_string(), text);
    let mut module = parse(&text.replace("debug_info", "debug_str"));
    module.retain_kernels(|name| name == "a");
    assert_eq!(module.kernels().len(), 1);
}

#[test]
fn functions_and_variables_are_renamed_with_all_mentions() {
    let text = ".version 9.0\n.target sm_90\n.address_size 64\n.func f(.param .b32 f_0);\n.global .u64 table[1] = {f};\n\
                .global .u64 where = table+8; // the table\n.func f(.param .b32 f_0) { ret; }\n\
                .entry k() { .reg .b64 %rd; mov.u64 %rd, table; { .param .b32 p; call f, (p); } ret; }\n.alias g, f;\n";
    let mut module = parse(text);
    module.rename("f", "helper").unwrap();
    module.rename("table", "functions").unwrap();
    assert_eq!(
        check_text(&module),
        ".version 9.0\n.target sm_90\n.address_size 64\n.func helper(.param .b32 f_0)\n;\n.global .u64 functions[1] = {helper};\n\
         .global .u64 where = functions+8; // the table\n.func helper(.param .b32 f_0)\n{ ret; }\n\
         .entry k()\n{ .reg .b64 %rd; mov.u64 %rd, functions; { .param .b32 p; call helper, (p); } ret; }\n.alias g, helper;\n"
    );
    assert_eq!(module.rename("k", "helper").unwrap_err().to_string(), "the module has a `helper` already");
    assert_eq!(module.rename("k", "a b").unwrap_err().to_string(), "`a b` is no name");
}

/// The text of a module that `ptxas` need not take.
fn check_text(module: &Module) -> String {
    let text = module.to_string();
    common::same(module, &parse(&text)).unwrap();
    text
}

#[test]
fn labels_registers_and_parameters_are_renamed() {
    let text = kernel(
        "mov.u32 %r1, %r2; // copy\n$L: @%p1 bra $L;\n{ .reg .f32 %x; mov.f32 %x, 0f00000000; }\nld.param.u64 %rd1, [a];\nret;",
    );
    let mut module = parse(&text);
    module.rename_label("k", "$L", "$loop").unwrap();
    module.rename_local("k", "a", "data").unwrap();
    let own = &mut module.kernels_mut()[0];
    let (member, single) = (reg(own, "%r1"), reg(own, "%x"));
    own.rename_reg(member, "%copy").unwrap();
    own.rename_reg(single, "%zero").unwrap();
    assert_eq!(own.rename_reg(single, "%r8").unwrap_err().to_string(), "something in `k` is called `%r8` already");
    let printed = check(&module);
    for part in [
        "k(.param .u64 data, .param .u32 n)",
        "{\n\t.reg .b32 \t%copy;\n",
        "mov.u32 %copy, %r2; // copy\n$loop: @%p1 bra $loop;\n{ .reg .f32 %zero; mov.f32 %zero, 0f00000000; }",
        "[data];",
    ] {
        assert!(printed.contains(part), "{part}\n{printed}");
    }
}

#[test]
fn debug_sections_follow_renamed_labels() {
    let text = sample("debug.ptx");
    let mut module = parse(&text);
    let own = module.kernels().iter().find(|kernel| kernel.labels().len() > 0).unwrap();
    let name = own.name().to_owned();
    let mentions = |text: &str, label: &str| {
        let word = |c: char| c.is_ascii_alphanumeric() || "_$".contains(c);
        text.split(|c| !word(c)).filter(|found| *found == label).count()
    };
    let labels: Vec<String> = own.labels().map(|label| own.label_name(label).to_owned()).collect();
    let label = labels.iter().find(|label| mentions(&text, label) > 1).unwrap();
    module.rename_label(&name, label, "$renamed").unwrap();
    let printed = module.to_string();
    assert_eq!((mentions(&printed, label), mentions(&printed, "$renamed")), (0, mentions(&text, label)));
    assemble(&printed);
}

/// The lines of the user's source that the instructions of a text have when it is read.
fn lines(text: &str) -> Vec<Option<u32>> {
    let module = parse(text);
    let own = &module.kernels()[0];
    insts(own).into_iter().map(|inst| own.loc(inst).map(|loc| loc.line)).collect()
}

#[test]
fn positions_stay_with_their_instructions() {
    let text = kernel(
        ".loc 1 1 0\nmov.u32 %r1, 1;\nmov.u32 %r2, 2;\n.loc 1 5 0, function_name f, inlined_at 1 2 3\nmov.u32 %r3, 3;\nret;",
    );
    let mut module = parse(&text);
    let own = &mut module.kernels_mut()[0];
    // The third goes in front of the second, and new code with a position of its own in front of the first.
    let (first, second, third) = (find(own, "mov.u32 %r1"), find(own, "mov.u32 %r2"), find(own, "mov.u32 %r3"));
    let new = own.fragment(".loc 1 9 0\nbar.sync 0;").unwrap();
    let mut patch = Patch::new();
    patch.insert_before(first, new);
    patch.insert_before(second, [own.stmts()[third].clone()]);
    patch.remove(third);
    own.apply(patch).unwrap();
    let printed = module.to_string();
    assert_eq!(lines(&printed), [Some(9), Some(1), Some(5), Some(1), Some(5)], "{printed}");
    assert!(printed.contains("\n\t.loc 1 5 0, function_name f, inlined_at 1 2 3\nmov.u32 %r3, 3;"), "{printed}");
}

#[test]
fn a_block_is_replaced() {
    let text = kernel("bra A;\nA: mov.u32 %r1, 1;\n@%p1 bra B;\nmov.u32 %r2, 2;\nB: ret;");
    let mut module = parse(&text);
    let own = &mut module.kernels_mut()[0];
    let label = own.labels().find(|label| own.label_name(*label) == "A").unwrap();
    let block = own.block(label).unwrap();
    assert_eq!(block.len(), 3);
    let mut code = vec![own.label_stmt(label)];
    code.extend(own.fragment("mov.u32 %r1, 7;").unwrap());
    let mut patch = Patch::new();
    patch.replace(block, code);
    own.apply(patch).unwrap();
    assert!(check(&module).contains("bra A;\n\nA:\n\tmov.u32 %r1, 7;\nmov.u32 %r2, 2;\nB: ret;"), "{module}");
}

/// The members of a family are variables like others, but share a declaration.
#[test]
fn families_of_variables_are_edited() {
    let text = ".version 9.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n\t.local .b32 a<3>;\n\t.local .b32 b;\n\tret;\n}\n";
    let mut module = parse(text);
    let error = module.rename_local("k", "a1", "data").unwrap_err();
    assert_eq!(error.to_string(), "`a1` is one of a family of variables");
    assert!(module.rename_local("k", "b", "a2").is_err(), "a member has this name");
    assert_eq!(module.to_string(), text);
    module.rename_local("k", "b", "a3").unwrap();
    let kernel = &mut module.kernels_mut()[0];
    let code = kernel
        .fragment("st.local.u32 [a1], 1; st.local.u32 [a3], 1; { .local .b64 a<2>; st.local.u64 [a1], 1; }")
        .unwrap();
    let mut patch = Patch::new();
    patch.insert_before(2, code);
    kernel.apply(patch).unwrap();
    let expected = "{\n\t.local .b32 a<3>;\n\t.local .b32 a3;\n\tst.local.u32 [a1], 1;\n\tst.local.u32 [a3], 1;\n\
                    \t{\n\t.local .b64 a<2>;\n\tst.local.u64 [a1], 1;\n\t}\n\tret;\n}\n";
    assert!(check(&module).ends_with(expected), "{module}");
}
