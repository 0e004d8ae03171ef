//! Edits: what they print, that the print reads as the same instructions, and that `ptxas` takes it.
use crate::common;
use crate::common::{check, contents, find, insts, kernel, parse, reg};
use ptx_parser::{Kernel, Module, Operand, Patch, Space, StmtKind, Type};

/// The text of the body behind the declarations that every test kernel has.
fn body(text: &str) -> &str {
    let (_, body) = text.split_once(".reg .v4 .f32 %v;").unwrap();
    body.trim_end().strip_suffix('}').unwrap().trim()
}

fn edit(text: &str, change: impl FnOnce(&mut Kernel)) -> (Module, String) {
    let mut module = parse(&kernel(text));
    change(&mut module.kernels_mut()[0]);
    let printed = check(&module);
    (module, printed)
}

#[test]
fn an_edited_kernel_leaves_the_others_alone() {
    for (name, text) in common::samples() {
        let mut module = parse(&text);
        let last = module.kernels().len() - 1;
        module.kernels_mut()[last].new_reg("extra", Type::B32);
        let printed = check(&module);
        let declaration = "\n\t.reg .b32 \t%extra;";
        assert!(printed.contains(declaration), "{name}");
        let normal = |text: &str| text.replace(declaration, "").split_whitespace().collect::<Vec<_>>().join(" ");
        // The brace of the edited body goes to a line of its own; nothing else moves.
        assert_eq!(normal(&printed), normal(&text), "{name}");
    }
}

#[test]
fn new_names_do_not_collide() {
    let text = "{ .reg .b32 %x, %y_1; mov.u32 %x, 1; mov.u32 %y_1, %x; }\n$L: ret;\n.shared .b32 buffer;";
    let (module, printed) = edit(text, |kernel| {
        let names = ["x", "x", "y", "y", "r3", "r8", "r9", "tid", "a b", "%p", "", "clock64", "envreg5"].map(|stem| {
            let reg = kernel.new_reg(stem, Type::B32);
            kernel.reg_name(reg).to_owned()
        });
        let expected = [
            "%x_1",
            "%x_2",
            "%y",
            "%y_2",
            "%r3_1",
            "%r8_1",
            "%r9",
            "%tid_1",
            "%a_b",
            "%p",
            "%_1",
            "%clock64_1",
            "%envreg5_1",
        ];
        assert_eq!(names, expected);
        let labels = ["L", "L", "M"].map(|stem| {
            let label = kernel.new_label(stem);
            kernel.label_name(label).to_owned()
        });
        assert_eq!(labels, ["$L_1", "$L_2", "$M"]);
        let symbols = ["buffer", "a", "4", "WARP_SZ", "_", "k"].map(|stem| {
            let symbol = kernel.new_shared(stem, 4, 16);
            kernel.symbol_name(symbol).to_owned()
        });
        assert_eq!(symbols, ["buffer_1", "a_1", "_4", "WARP_SZ_1", "__1", "k"]);
    });
    assert!(printed.contains(".shared .align 4 .b8 buffer_1[16];"));
    assert_eq!(module.kernels()[0].declared_bytes(Space::Shared), 4 + 6 * 16);
}

#[test]
fn registers_of_every_type_can_be_declared() {
    edit("ret;", |kernel| {
        for &ty in Type::ALL {
            let reg = kernel.new_reg("t", ty);
            assert_eq!(kernel.reg(reg).ty.bytes(), ty.bytes().next_power_of_two().min(16), "{ty}");
        }
        kernel.new_shared("odd", 0, 0);
        kernel.new_shared("odd", 24, 3);
        let endless = kernel.new_local("endless", 1, u64::MAX);
        assert_eq!(kernel.variable(endless).unwrap().bytes(), u64::from(u32::MAX));
    });
}

#[test]
fn a_fragment_is_inserted() {
    let (module, printed) = edit("add.s32 %r1, %r1, 1;\nret;", |kernel| {
        let count = kernel.new_reg("count", Type::U32);
        let label = kernel.new_label("again");
        let buffer = kernel.new_shared("buffer", 16, 64);
        let text = format!(
            "{again}:\n//#mark 1\nld.shared.u32 {count}, [{buffer}+4]; // gone\nsetp.ne.u32 %p1, {count}, 0;\n\
             mov.u32 %r7, %tid.x;\n@%p1 bra {again};",
            again = kernel.label_name(label).to_owned(),
            count = kernel.reg_name(count).to_owned(),
            buffer = kernel.symbol_name(buffer).to_owned(),
        );
        let stmts = kernel.fragment(&text).unwrap();
        assert_eq!(stmts.len(), 6);
        let mut patch = Patch::new();
        patch.insert_before(find(kernel, "ret"), stmts);
        kernel.apply(patch).unwrap();
    });
    assert_eq!(
        body(&printed),
        "add.s32 %r1, %r1, 1;\n\n$again:\n\t//#mark 1\n\tld.shared.u32 %count, [buffer+4];\n\tsetp.ne.u32 %p1, %count, 0;\n\
         \tmov.u32 %r7, %tid.x;\n\t@%p1 bra $again;\nret;"
    );
    let kernel = &module.kernels()[0];
    let branch = insts(kernel)[4];
    assert_eq!(kernel.label_name(kernel.branch_target(branch).unwrap()), "$again");
    assert_eq!(kernel.loc(branch), None);
    assert_eq!(kernel.text_position(branch), None);
}

/// What a fragment declares is printed where it stands.
#[test]
fn a_fragment_brings_declarations() {
    let (_, printed) = edit("ret;", |kernel| {
        let stmts = kernel
            .fragment(
                "{\n.reg .b32 %t<2>, %r1;\n.param .b32 param0;\n.shared .b32 cell;\n.loc 1 5 0\n\
                 mov.u32 %t1, %r1; st.shared.u32 [cell], %t1;\nTABLE: .branchtargets HERE;\nbrx.idx %t1, TABLE;\nHERE:\n\
                 .pragma \"nounroll\";\n}\n.reg .pred %extra;\nsetp.eq.u32 %extra, %r1, 0;",
            )
            .unwrap();
        let mut patch = Patch::new();
        patch.insert_before(0, Vec::new());
        patch.insert_before(find(kernel, "ret"), stmts);
        kernel.apply(patch).unwrap();
        // A later fragment knows what an earlier one declared.
        let more = kernel.fragment("@%extra exit;").unwrap();
        let mut patch = Patch::new();
        patch.insert_before(find(kernel, "ret"), more);
        kernel.apply(patch).unwrap();
    });
    let text = body(&printed);
    for line in ["\t.reg .b32 %t<2>, %r1;", "\t.loc 1 5 0\n", "\tTABLE: .branchtargets HERE;"] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

/// `ptxas` wants the inlined position to have been mentioned, so that only the text is looked at here.
#[test]
fn a_fragment_keeps_inlined_positions() {
    let mut module = parse(&kernel("ret;"));
    let kernel = &mut module.kernels_mut()[0];
    let stmts = kernel.fragment(".loc 1 5 0, function_name f, inlined_at 1 2 3\ntrap;").unwrap();
    let mut patch = Patch::new();
    patch.insert_after(usize::MAX, stmts);
    kernel.apply(patch).unwrap();
    assert!(module.to_string().contains("ret;\n\t.loc 1 5 0, function_name f, inlined_at 1 2 3\n\ttrap;"), "{module}");
}

#[test]
fn a_removed_statement_takes_its_comments_along() {
    let text =
        "// first\nmov.u32 %r1, 1; // one\n/* second */ mov.u32 %r2, 2; /* two */ // more\n// third\nret; // end";
    let (_, printed) = edit(text, |kernel| {
        let mut patch = Patch::new();
        patch.remove(find(kernel, "mov.u32 %r2"));
        kernel.apply(patch).unwrap();
    });
    assert_eq!(body(&printed), "// first\nmov.u32 %r1, 1; // one\n// third\nret; // end");
}

#[test]
fn a_moved_statement_takes_its_comments_along() {
    let text = "// first\nmov.u32 %r1, 1; // one\n// second\nmov.u32 %r2, 2; // two\n// third\nret; // end";
    let (_, printed) = edit(text, |kernel| {
        let (from, to) = (find(kernel, "mov.u32 %r2"), find(kernel, "mov.u32 %r1"));
        let mut patch = Patch::new();
        patch.insert_before(to, [kernel.stmts()[from].clone()]);
        patch.remove(from);
        kernel.apply(patch).unwrap();
    });
    assert_eq!(
        body(&printed),
        "// second\nmov.u32 %r2, 2; // two\n// first\nmov.u32 %r1, 1; // one\n// third\nret; // end"
    );
}

/// Neither a comment nor a `.loc` may swallow what an edit puts behind it.
#[test]
fn statements_stay_apart() {
    let text = ".loc 1 2 3\nmov.u32 %r1, 1;mov.u32 %r2, 2; // two\n//#mark\nmov.u32 %r3, 3;{ }mov.u32 %r4, 4; ret;";
    let mut count = 0;
    let places = parse(&kernel(text)).kernels()[0].stmts().len();
    // Every statement behind every other one.
    for from in 1..places {
        for to in 1..=places {
            let mut module = parse(&kernel(text));
            let kernel = &mut module.kernels_mut()[0];
            let movable =
                matches!(kernel.stmts()[from].kind, StmtKind::Inst(_) | StmtKind::Marker(_) | StmtKind::Loc(_));
            if !movable || to < 6 {
                continue;
            }
            let mut patch = Patch::new();
            patch.insert_before(to, [kernel.stmts()[from].clone()]);
            patch.remove(from);
            kernel.apply(patch).unwrap();
            assert_eq!(contents(&parse(&module.to_string())), contents(&module), "{from} to {to}:\n{module}");
            count += 1;
        }
    }
    assert!(count > 20, "{count}");
}

#[test]
fn an_edited_instruction_keeps_its_comments() {
    let text = "// before\nadd.s32 %r1, // the sum\n  %r2, /* and */ %r3; // behind\nret;";
    let (_, printed) = edit(text, |kernel| {
        let (from, to) = (reg(kernel, "%r2"), reg(kernel, "%r3"));
        let inst = insts(kernel)[0];
        kernel.rename(inst, |reg| if reg == from { to } else { reg }).unwrap();
    });
    assert_eq!(body(&printed), "// before\nadd.s32 %r1, %r3, %r3; // the sum\n /* and */ // behind\nret;");
}

#[test]
fn registers_are_renamed_wherever_they_stand() {
    let text = "@%p1 add.s32 %r1, %r1, %r2;\nshfl.sync.down.b32 %r1|%p1, %r1, 1, 31, -1;\nld.global.v2.u32 {%r1, %r2}, [%rd1+-8];\n\
                setp.lt.and.s32 %p2, %r1, 5, !%p1;\ntex.2d.v4.f32.s32 {%f1, %f1, _, %f2}, [%rd1, {%r1, %r2}];\nmov.f32 %f1, %v.x;\nret;";
    let (_, printed) = edit(text, |kernel| {
        let mut fresh = std::collections::HashMap::new();
        for reg in kernel.regs() {
            let (ty, lanes) = (kernel.reg(reg).ty, kernel.reg(reg).lanes);
            if lanes == 1 {
                fresh.insert(reg, kernel.new_reg("new", ty));
            }
        }
        for inst in insts(kernel) {
            kernel.rename(inst, |reg| fresh.get(&reg).copied().unwrap_or(reg)).unwrap();
        }
    });
    let text = body(&printed);
    assert!(["%p1", "%r1", "%r2", "%rd1", "%f1"].iter().all(|name| !text.contains(name)), "{text}");
    assert!(text.contains("+-8]") && text.contains("%v.x"), "{text}");
}

#[test]
fn branches_are_retargeted() {
    let (_, printed) = edit("@%p1 bra $A;\nbra.uni $B;\n$A: trap;\n$B: ret;", |kernel| {
        let b = kernel.labels().find(|label| kernel.label_name(*label) == "$B").unwrap();
        let inst = insts(kernel)[0];
        kernel.retarget(inst, b).unwrap();
    });
    assert_eq!(body(&printed), "@%p1 bra $B;\nbra.uni $B;\n$A: trap;\n$B: ret;");
}

#[test]
fn directives_are_added_to_the_header() {
    let (module, printed) = edit("ret;", |kernel| {
        kernel.add_directive("maxntid", &[256, 1, 1]).unwrap();
        kernel.add_directive(".minnctapersm", &[2]).unwrap();
    });
    assert!(printed.contains(")\n.maxntid 256, 1, 1\n.minnctapersm 2\n{"), "{printed}");
    assert_eq!(module.kernels()[0].max_threads(), Some(256));
    assert_eq!(parse(&printed).kernels()[0].max_threads(), Some(256));
}

#[test]
fn a_comment_at_the_end_of_the_header_swallows_nothing() {
    let mut module = parse(
        ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() // the kernel\n{ // its body\n ret; // end\n}",
    );
    module.kernels_mut()[0].add_directive("maxntid", &[8]).unwrap();
    let printed = check(&module);
    assert!(printed.contains("// the kernel\n.maxntid 8\n{ // its body\n ret; // end\n}"), "{printed}");
}

#[test]
fn immediates_are_edited() {
    let (_, printed) =
        edit("mov.b64 {%r1, %r2}, 5;\nmov.f64 %rd1, 1.5;\nst.global.f32 [%rd1], 0f3F800000;\nret;", |kernel| {
            for inst in insts(kernel) {
                let change = |operand: &mut Operand| match operand {
                    Operand::Int(value) => *value = i64::MIN,
                    Operand::Float64(bits) => *bits = (-0.0f64).to_bits(),
                    Operand::Float32(bits) => *bits = f32::NAN.to_bits(),
                    _ => {}
                };
                kernel.edit_operands(inst, change).unwrap();
            }
        });
    assert_eq!(
        body(&printed),
        "mov.b64 {%r1, %r2}, -9223372036854775808;\nmov.f64 %rd1, 0d8000000000000000;\nst.global.f32 [%rd1], 0f7FC00000;\nret;"
    );
}

/// The `.loc` that holds for each instruction, by its text, with all that it names. Fails where one names nothing that precedes it.
fn positions(text: &str) -> std::collections::BTreeMap<String, Vec<String>> {
    let mut latest: std::collections::BTreeMap<String, Vec<String>> = std::collections::BTreeMap::new();
    let mut current = Vec::new();
    let mut found = std::collections::BTreeMap::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(loc) = line.strip_prefix(".loc ") {
            current = vec![loc.to_owned()];
            if let Some((_, call)) = loc.split_once("inlined_at ") {
                current
                    .extend(latest.get(call).unwrap_or_else(|| panic!("nothing precedes `{line}`:\n{text}")).clone());
            }
            let place = loc.split(',').next().unwrap_or_default().to_owned();
            latest.insert(place, current.clone());
        } else {
            found.insert(line.to_owned(), current.clone());
        }
    }
    found
}

fn first_position(kernel: &Kernel) -> usize {
    kernel.stmts().iter().position(|stmt| matches!(stmt.kind, StmtKind::Loc(_))).unwrap()
}

/// Functions that are inlined into each other, one of them at two calls: wherever an instruction is moved, its position and those of the calls
/// stay what they were.
#[test]
fn moved_statements_keep_the_calls_that_they_were_inlined_at() {
    let text = ".loc 1 9 0\nmov.u32 %r1, 1;\n.loc 1 7 3\n.loc 1 2 5, function_name f, inlined_at 1 7 3\nmov.u32 %r2, 2;\n\
                .loc 1 1 4, function_name g, inlined_at 1 2 5\nmov.u32 %r3, 3;\n.loc 1 8 3\n\
                .loc 1 2 5, function_name f, inlined_at 1 8 3\n.loc 1 1 4, function_name g, inlined_at 1 2 5\nmov.u32 %r4, 4;\n\
                mov.u32 %r5, 5;\n.loc 1 10 1\nret;";
    let before = positions(text);
    let module = parse(&kernel(text));
    let (begin, places) = (first_position(&module.kernels()[0]), module.kernels()[0].stmts().len());
    for (from, to) in (begin..places).flat_map(|from| (begin..=places).map(move |to| (from, to))) {
        let mut module = parse(&kernel(text));
        let kernel = &mut module.kernels_mut()[0];
        if !matches!(kernel.stmts()[from].kind, StmtKind::Inst(_)) {
            continue;
        }
        let mut patch = Patch::new();
        patch.insert_before(to, [kernel.stmts()[from].clone()]);
        patch.remove(from);
        kernel.apply(patch).unwrap();
        // What was repeated is moved like everything else.
        let first = kernel.stmts().iter().position(|stmt| matches!(stmt.kind, StmtKind::Inst(_))).unwrap();
        let mut patch = Patch::new();
        patch.insert_after(kernel.stmts().len(), [kernel.stmts()[first].clone()]);
        patch.remove(first);
        kernel.apply(patch).unwrap();
        assert_eq!(positions(body(&module.to_string())), before, "{from} {to}\n{module}");
    }
}

/// New text means any `.loc` of the place that it names.
#[test]
fn inserted_positions_name_what_precedes_them() {
    let mut module = parse(&kernel("mov.u32 %r1, 1;\n.loc 1 7 3\nmov.u32 %r2, 2;\nret;"));
    let kernel = &mut module.kernels_mut()[0];
    let stmts = kernel.fragment(".loc 1 5 0, function_name f, inlined_at 1 7 3\ntrap;").unwrap();
    let mut patch = Patch::new();
    patch.insert_before(first_position(kernel), stmts);
    kernel.apply(patch).unwrap();
    let printed = module.to_string();
    assert_eq!(positions(body(&printed))["trap;"], ["1 5 0, function_name f, inlined_at 1 7 3", "1 7 3"], "{printed}");
}

#[test]
fn registers_of_inner_scopes_are_declared_for_the_whole_body_under_names_of_their_own() {
    let text = "mov.u32 %r1, 1;\n{ .reg .b64 %r1; .reg .pred p<2>; mov.u64 %r1, 2; setp.eq.u64 p1, %r1, 0; }
        { .reg .f32 %tmp, %p1; mov.f32 %tmp, 0f00000000; mov.f32 %p1, %tmp; }\nmov.u32 %r2, %r1;\nret;";
    let (_, printed) = edit(text, |kernel| {
        assert!(kernel.widen_register_scopes());
        assert!(!kernel.widen_register_scopes());
        // Each name says which register is meant, and each register may be used everywhere.
        let code = kernel.fragment("mov.u32 %r2, %r1;\nmov.u64 %r1_1, 3;\n").unwrap();
        let mut patch = Patch::new();
        patch.insert_before(kernel.stmts().len() - 1, code);
        kernel.apply(patch).unwrap();
    });
    let normal = printed.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(normal.contains("mov.u32 %r1, 1; mov.u64 %r1_1, 2; setp.eq.u64 %p1_1, %r1_1, 0; mov.f32"), "{printed}");
    assert!(normal.contains("mov.u32 %r2, %r1; mov.u32 %r2, %r1; mov.u64 %r1_1, 3; ret;"), "{printed}");
    assert!(!edit("ret;", |kernel| assert!(!kernel.widen_register_scopes())).1.contains("_1"));
}

#[test]
fn scopes_in_which_nothing_is_declared_lose_their_braces() {
    let text = "{add.u32 %r1, %r2, 1;}\n{ { .shared .b32 s; st.shared.u32 [s], %r1; } // why\n}\n{ L: { mov.u32 %r2, 3; } @%p1 bra L; }\nret;";
    let (_, printed) = edit(text, |kernel| {
        assert!(kernel.widen_register_scopes());
        assert!(!kernel.widen_register_scopes());
    });
    let normal = printed.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = "add.u32 %r1, %r2, 1; { .shared .b32 s; st.shared.u32 [s], %r1; } // why { L: mov.u32 %r2, 3; @%p1 bra L; } ret;";
    assert!(normal.contains(expected), "{printed}");
}
