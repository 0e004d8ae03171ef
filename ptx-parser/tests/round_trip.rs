//! What is read is written back byte for byte.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod common;

use common::{assemble, contents, kernel, parse, samples};
use ptx_parser::{Init, Operand, Space, StmtKind, Type};

#[test]
fn every_sample_prints_as_it_was_read() {
    for (name, text) in samples() {
        let module = parse(&text);
        assert_eq!(module.to_string(), text, "{name}");
        module.kernels().iter().for_each(|kernel| kernel.verify().unwrap());
        assemble(&text);
    }
}

#[test]
fn with_carriage_returns_too() {
    for (name, text) in samples() {
        let windows = text.replace('\n', "\r\n");
        let module = parse(&windows);
        assert_eq!(module.to_string(), windows, "{name}");
        assert_eq!(contents(&module), contents(&parse(&text)), "{name}");
    }
}

/// An instruction whose every operand was changed and changed back prints from its parts: they are all there.
#[test]
fn every_instruction_prints_from_its_parts() {
    for (name, text) in samples() {
        let mut module = parse(&text);
        let before = contents(&module);
        for kernel in module.kernels_mut() {
            let stmts: Vec<_> = kernel.stmts().iter().map(|stmt| stmt.kind.clone()).collect();
            for stmt in stmts {
                let StmtKind::Inst(inst) = stmt else { continue };
                if ["bra", "brx"].contains(&kernel.opcode(inst).mnemonic()) {
                    continue;
                }
                let mut leaves = Vec::new();
                let change = |operand: &mut Operand| {
                    if operand.list().is_none() {
                        leaves.push(std::mem::replace(operand, Operand::Int(17)));
                    }
                };
                kernel.edit_operands(inst, change).unwrap();
                let mut leaves = leaves.into_iter();
                let change_back = |operand: &mut Operand| {
                    if operand.list().is_none() {
                        *operand = leaves.next().unwrap();
                    }
                };
                kernel.edit_operands(inst, change_back).unwrap();
            }
        }
        let printed = module.to_string();
        assert_eq!(contents(&module), before, "{name}");
        assert_eq!(contents(&parse(&printed)), before, "{name}");
        assemble(&printed);
    }
}

#[test]
fn the_header_of_a_module_is_known() {
    let module = parse(&samples().into_iter().find(|(name, _)| name == "debug.ptx").unwrap().1);
    assert_eq!(module.version(), Some((9, 0)));
    assert_eq!(module.target(), [Box::from("sm_90"), Box::from("debug")]);
    assert_eq!(module.address_size(), 64);
    assert_eq!(module.file(1), Some("/examples/debug.cu"));
    assert_eq!(module.file(2), None);
}

#[test]
fn the_header_of_a_kernel_is_known() {
    let module = parse(
        ".version 9.0\n.target sm_90\n.address_size 64\n\
         .visible .func .attribute(.unified(1, 2)) (.param .b32 r) f(.param .align 8 .b8 s[24], .reg .v2 .f32 v) .noreturn;\n\
         .entry k(.param .u64 .ptr .global .align 16 p, .param .u32 n) .maxntid 8, 4, 2 .minnctapersm 2 .pragma \"x\"; {ret;}",
    );
    let f = module.kernel("f").unwrap();
    assert!(!f.has_body());
    assert_eq!((f.results().len(), f.params().len()), (1, 2));
    assert_eq!((f.params()[0].bytes(), f.params()[0].align), (24, 8));
    assert_eq!((f.params()[1].space, f.params()[1].count), (Space::Reg, 2));
    assert_eq!(&*f.directives()[0].name, "noreturn");
    let k = module.kernel("k").unwrap();
    assert_eq!(k.max_threads(), Some(64));
    assert_eq!(k.params()[0].ty, Type::U64);
    let directives: Vec<&str> = k.directives().iter().map(|directive| &*directive.name).collect();
    assert_eq!(directives, ["maxntid", "minnctapersm", "pragma"]);
}

#[test]
fn initial_values_are_read() {
    let module = parse(
        ".version 9.0\n.target sm_90\n.address_size 64\n\
         .global .s32 n = -5;\n.global .f32 x[3] = {-1.0, 0f40000000, 3};\n.const .f64 d = -0f3F800000;\n\
         .global .u64 p[3] = {x, generic(n)+4, x-8};\n.global .b32 rows[2][3] = {{1}, {2, 3}};\n\
         .global .align 1 .b8 s[] = \"a\\n\";\n.global .v2 .u32 v[2] = {{1, 2}, {3, 4}};\n.extern .shared .b8 dynamic[];",
    );
    let variable = |name: &str| module.variables().iter().find(|variable| &*variable.name == name).unwrap();
    let bits = |name: &str| -> Vec<u64> {
        let value = |init: &Init| match init {
            Init::Bits(bits) => *bits,
            Init::Address(..) => panic!("an address"),
        };
        variable(name).init.iter().map(value).collect()
    };
    assert_eq!(bits("n"), [(-5i64) as u64]);
    assert_eq!(bits("x"), [(-1f32).to_bits().into(), 2f32.to_bits().into(), 3f32.to_bits().into()]);
    assert_eq!(bits("d"), [(-1f64).to_bits()]);
    assert_eq!(bits("rows"), [1, 0, 0, 2, 3, 0]);
    assert_eq!(bits("s"), [97, 10, 0]);
    assert_eq!((bits("v"), variable("v").count), (vec![1, 2, 3, 4], Some(4)));
    let address = |name: &str, offset, generic| Init::Address(name.into(), offset, generic);
    assert_eq!(variable("p").init, [address("x", 0, false), address("n", 4, true), address("x", -8, false)]);
    assert_eq!((variable("dynamic").count, variable("dynamic").external), (None, true));
}

#[test]
fn positions_are_found() {
    let text = kernel("  ret; // ä\n/* ö */ bar.sync 0; exit;").replace('\n', "\r\n");
    let module = parse(&text);
    let k = &module.kernels()[0];
    let mut places = Vec::new();
    for stmt in k.stmts() {
        if let StmtKind::Inst(inst) = stmt.kind {
            places.push(k.text_position(inst).unwrap());
        }
    }
    assert_eq!(places, [(7, 3), (8, 9), (8, 21)]);
}

#[test]
fn source_positions_reach_instructions() {
    let text =
        kernel("trap;\n.loc 1 7 2\nadd.s32 %r1, %r1, 1;\n.loc 2 9 0, function_name name+4, inlined_at 1 7 3\nret;");
    let module = parse(&text);
    let k = &module.kernels()[0];
    let insts =
        k.stmts().iter().filter_map(|stmt| if let StmtKind::Inst(inst) = stmt.kind { Some(inst) } else { None });
    let locs: Vec<_> = insts.map(|inst| k.loc(inst).map(|loc| (loc.file, loc.line, loc.inlined_at))).collect();
    assert_eq!(locs, [None, Some((1, 7, None)), Some((2, 9, Some((1, 7, 3))))]);
}

#[test]
fn names_belong_to_scopes() {
    let text = kernel(
        "mov.u32 %r1, 1;\n{\n.reg .b32 %r<3>;\nmov.u32 %r1, 2;\nmov.u32 %r5, 3;\n{ .reg .f32 %r1; mov.f32 %r1, 0f00000000; }\n\
         mov.u32 %r1, 4;\n}\nmov.u32 %r1, 5;\nret;",
    );
    let module = parse(&text);
    let k = &module.kernels()[0];
    let regs: Vec<_> = k
        .stmts()
        .iter()
        .filter_map(|stmt| if let StmtKind::Inst(inst) = stmt.kind { k.defs(inst).first().copied() } else { None })
        .collect();
    assert_eq!(regs[0], regs[5], "the same outside");
    assert_eq!(regs[1], regs[4], "the same inside");
    assert_ne!(regs[0], regs[1]);
    assert!(![regs[0], regs[1]].contains(&regs[3]));
    assert_eq!(k.reg_name(regs[2]), "%r5");
    assert_eq!(k.reg(regs[3]).ty, Type::F32);
    assemble(&text);
}

#[test]
fn branches_reach_the_innermost_label() {
    let text = kernel("{ bra L; L: bra L; }\n{ L: bra M; }\nL: bra L;\nM: ret;");
    let module = parse(&text);
    let k = &module.kernels()[0];
    let mut defined = Vec::new();
    let mut targets = Vec::new();
    for stmt in k.stmts() {
        match stmt.kind {
            StmtKind::Label(label) => defined.push(label),
            StmtKind::Inst(inst) => targets.extend(k.branch_target(inst)),
            _ => {}
        }
    }
    let [inner, _, outer, last] = defined[..] else { panic!("four labels") };
    assert_eq!(targets, [inner, inner, last, outer]);
}

#[test]
fn tables_belong_to_scopes() {
    let module = parse(&samples().into_iter().find(|(name, _)| name == "indirect.ptx").unwrap().1);
    let k = module.kernel("indirect").unwrap();
    let mut targets = Vec::new();
    for stmt in k.stmts() {
        if let StmtKind::Inst(inst) = stmt.kind
            && k.opcode(inst).mnemonic() == "brx"
        {
            targets.push(k.branch_targets(inst).iter().map(|label| k.label_name(*label)).collect::<Vec<_>>());
        }
    }
    assert_eq!(targets, [vec!["ZERO", "ONE", "TWO"], vec!["AGAIN", "OUT"]]);
}

#[test]
fn file_names_are_given_without_their_escapes() {
    let text = ".version 9.0\n.target sm_90\n.address_size 64\n\t.file\t1 \"gr\\303\\266\\303\\237e\\\\x.cu\"\n";
    let module = ptx_parser::Module::parse(text).unwrap();
    assert_eq!(module.file(1), Some("größe\\x.cu"));
    assert_eq!(module.to_string(), text);
}
