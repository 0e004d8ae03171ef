//! What is read is written back byte for byte.
use crate::common::{assemble, contents, insts, kernel, parse, sample, samples};
use ptx_parser::{AddressInit, Mnemonic, Operand, Space, StmtKind, Type};

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
            for inst in insts(kernel) {
                if matches!(kernel.opcode(inst).mnemonic(), Mnemonic::Bra | Mnemonic::Brx) {
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
    let module = parse(&sample("debug.ptx"));
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
         .global .s32 n = -5;\n.global .f32 x[3] = {-1.0, 0f40000000, 1.5 + 1.5};\n.const .f64 d = -1.0;\n\
         .global .u64 p[3] = {x, generic(n)+4, x+-8};\n.global .b32 rows[2][3] = {{1}, {2, 3}};\n\
         .global .u8 m[2] = {0xff(x), 0xff00(generic(n))};\n.global .b32 many<3>;\n.global .b32 half = 1.0;\n\
         .global .align 1 .b8 s[] = \"a\\n\";\n.global .v2 .u32 v[2] = {{1, 2}, {3, 4}};\n.extern .shared .b8 dynamic[];",
    );
    let variable = |name: &str| module.variables().iter().find(|variable| &*variable.name == name).unwrap();
    let bytes = |name: &str| variable(name).init.clone().unwrap().bytes;
    assert_eq!(bytes("n"), (-5i32).to_le_bytes());
    assert_eq!(bytes("x"), [-1f32, 2.0, 3.0].map(f32::to_le_bytes).concat());
    assert_eq!(bytes("d"), (-1f64).to_le_bytes());
    assert_eq!(bytes("half"), 1f32.to_le_bytes());
    // As `ptxas` does it, a row that is not given in full is not filled.
    assert_eq!(bytes("rows"), [1, 2, 3].map(u32::to_le_bytes).concat());
    assert_eq!(bytes("s"), [97, 10, 0]);
    assert_eq!((bytes("v"), variable("v").count), ([1, 2, 3, 4].map(u32::to_le_bytes).concat(), Some(4)));
    let address = |at, bytes, (name, offset): (&str, i64), generic, mask| AddressInit {
        at,
        bytes,
        name: name.into(),
        offset,
        generic,
        mask,
    };
    let p = variable("p").init.clone().unwrap();
    let expected = [
        address(0, 8, ("x", 0), false, None),
        address(8, 8, ("n", 4), true, None),
        address(16, 8, ("x", -8), false, None),
    ];
    assert_eq!((p.bytes, p.addresses), (vec![0; 24], expected.to_vec()));
    let m = variable("m").init.clone().unwrap().addresses;
    assert_eq!(m, [address(0, 1, ("x", 0), false, Some(0xff)), address(1, 1, ("n", 0), true, Some(0xff00))]);
    assert_eq!(m[1].value(0x1234), 0x12);
    assert_eq!(variable("many2").count, Some(1));
    assert_eq!((variable("dynamic").count, variable("dynamic").external), (None, true));
}

#[test]
fn positions_are_found() {
    let text = kernel("  ret; // ä\n/* ö */ bar.sync 0; exit;").replace('\n', "\r\n");
    let module = parse(&text);
    let k = &module.kernels()[0];
    let places: Vec<_> = insts(k).into_iter().map(|inst| k.text_position(inst).unwrap().to_string()).collect();
    assert_eq!(places, ["7:3", "8:9", "8:21"]);
}

#[test]
fn source_positions_reach_instructions() {
    let text =
        kernel("trap;\n.loc 1 7 2\nadd.s32 %r1, %r1, 1;\n.loc 2 9 0, function_name name+4, inlined_at 1 7 3\nret;");
    let module = parse(&text);
    let k = &module.kernels()[0];
    let locs: Vec<_> =
        insts(k).into_iter().map(|inst| k.loc(inst).map(|loc| (loc.file, loc.line, loc.inlined_at))).collect();
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
    let regs: Vec<_> = insts(k).into_iter().filter_map(|inst| k.defs(inst).first().copied()).collect();
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
    let label = |kind: &StmtKind| if let StmtKind::Label(label) = *kind { Some(label) } else { None };
    let defined: Vec<_> = k.stmts().iter().filter_map(|stmt| label(&stmt.kind)).collect();
    let targets: Vec<_> = insts(k).into_iter().filter_map(|inst| k.branch_target(inst)).collect();
    let [inner, _, outer, last] = defined[..] else { panic!("four labels") };
    assert_eq!(targets, [inner, inner, last, outer]);
}

#[test]
fn tables_belong_to_scopes() {
    let module = parse(&sample("indirect.ptx"));
    let k = module.kernel("indirect").unwrap();
    let branches = insts(k).into_iter().filter(|inst| k.opcode(*inst).mnemonic() == Mnemonic::Brx);
    let targets: Vec<Vec<_>> =
        branches.map(|inst| k.branch_targets(inst).iter().map(|label| k.label_name(*label)).collect()).collect();
    assert_eq!(targets, [vec!["ZERO", "ONE", "TWO"], vec!["AGAIN", "OUT"]]);
}

#[test]
fn file_names_are_given_without_their_escapes() {
    let text = ".version 9.0\n.target sm_90\n.address_size 64\n\t.file\t1 \"gr\\303\\266\\303\\237e\\\\x.cu\"\n";
    let module = ptx_parser::Module::parse(text).unwrap();
    assert_eq!(module.file(1), Some("größe\\x.cu"));
    assert_eq!(module.to_string(), text);
    // A quote ends the name whatever stands before it.
    let text = ".version 9.0\n.target sm_90\n.address_size 64\n.file 1 \"C:\\dir\\\"\n.file 2 \"\\\\host\\a.cu\"\n.entry k() { ret; }\n";
    let module = ptx_parser::Module::parse(text).unwrap();
    assert_eq!((module.file(1), module.file(2)), (Some("C:\\dir\\"), Some("\\host\\a.cu")));
    assert_eq!(module.to_string(), text);
    assert_eq!(module.canonical(), ptx_parser::Module::parse(&module.canonical()).unwrap().canonical());
}
