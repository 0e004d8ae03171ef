//! What may stand in a text beside its statements: line markers, comments inside opcodes, Ctrl-Z; directives in front of a state space.
//! `ptxas` 13.0 takes what is taken here and refuses what is refused.
use crate::common::{contents, parse, properties};
use ptx_parser::{Located, Module, Position, StmtKind};

fn body(lines: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{{\n\
         .reg .b32 r<4>; .reg .b64 d<4>;\n{lines}\nret;\n}}\n"
    )
}

/// Checks that a text is right, is kept byte for byte, and has a canonical form that says the same as `plain`.
#[track_caller]
fn takes(text: &str, plain: &str) {
    let module = parse(text);
    assert_eq!(module.to_string(), text);
    assert!(ptx_parser::check(text).is_empty(), "{:?}", ptx_parser::check(text));
    let canonical = properties::canonical(text).unwrap();
    assert_eq!(contents(&parse(&canonical)), contents(&parse(plain)), "{canonical}");
}

#[test]
fn line_markers_are_blanks() {
    let plain = body("mov.u32 r1,r2;");
    for marker in [
        "# 1 \"foo.cu\"",
        "#line 5 \"x\"",
        "# line 1 \"x\"",
        "#line1 \"x\"",
        "\t#\t \t1 \"/*a//b\"\t3 4 ",
        "# 1 \"\"\r",
    ] {
        takes(&body(&format!("{marker}\nmov.u32 r1,r2;")), &plain);
        takes(&body(&format!("mov.u32 r1,r2; {marker}")), &plain);
        takes(&body(&format!("mov.u32 r1,\n{marker}\nr2\n{marker}\n;")), &plain);
        takes(&body(&format!("mov\n{marker}\n.u32 r1,r2;")), &plain);
        takes(&format!("{marker}\n{plain}{marker}\n"), &plain);
    }
    for wrong in
        ["#", "# 1", "# 1 foo", "#line 7", "# 1\"x\"", "# 1 \"x\" foo", "# -1 \"x\"", "#pragma x", "# 1 \"x\" // c"]
    {
        assert!(Module::parse(&body(wrong)).is_err(), "{wrong}");
    }
    assert!(Module::parse(&format!("{plain}# 1 \"x\"")).is_err(), "a marker ends with its line");
}

#[test]
fn an_edit_keeps_what_stands_inside_an_instruction() {
    let mut module = parse(&body("mov/*why*/.u32 r1,\n# 1 \"/*a//b\"\nr2; // end"));
    let kernel = &mut module.kernels_mut()[0];
    let inst =
        kernel.stmts().iter().find_map(|stmt| if let StmtKind::Inst(inst) = stmt.kind { Some(inst) } else { None });
    let change = |operand: &mut ptx_parser::Operand| {
        if operand.list().is_none() {
            *operand = ptx_parser::Operand::Int(5);
        }
    };
    let mut first = true;
    let second_only = |operand: &mut ptx_parser::Operand| {
        if !std::mem::take(&mut first) {
            change(operand);
        }
    };
    kernel.edit_operands(inst.unwrap(), second_only).unwrap();
    let printed = module.to_string();
    assert!(printed.contains("mov.u32 r1, 5; /*why*/ # 1 \"/*a//b\"\n // end"), "{printed}");
    assert_eq!(contents(&parse(&printed)), contents(&parse(&body("mov.u32 r1,5;"))));
}

#[test]
fn blanks_and_comments_stand_inside_opcodes() {
    let plain = body("ld.global.u32 r1,[d1];");
    for opcode in
        ["ld/*c*/.global.u32", "ld//c\n.global.u32", "ld\n\t.global\r\n.u32", "ld \x0c.global/*.*//**/ .u32\n"]
    {
        takes(&body(&format!("{opcode} r1,[d1];")), &plain);
    }
    for wrong in
        ["ld./*c*/global.u32 r1,[d1];", "ld. global.u32 r1,[d1];", "cp.async.ca.shared /**/::cta.global [r1],[d1],4;"]
    {
        assert!(Module::parse(&body(wrong)).is_err(), "{wrong}");
    }
    let found = ptx_parser::check(&body("add/* a.b */.s32 r1,d1,r2;\nmul/**/.lo.s33 r1,r1,r2;"));
    let places: Vec<_> = found.iter().map(|finding| finding.position().unwrap().to_string()).collect();
    assert_eq!(places, ["7:21", "8:12"], "{found:?}");
    // On the next line, a directive is no modifier.
    let errors = Module::parse(&body("ret\n.reg .b32 x;")).unwrap_err();
    assert_eq!(errors.first().position(), Some(Position { line: 7, column: 4 }), "{errors}");
}

#[test]
fn control_z_is_a_blank() {
    let plain = body("mov.u32 r1,r2;");
    for end in ["\x1a", "\x1a\r\n", "\n\x1a\x1a\n", "\x1a // c"] {
        takes(&format!("{plain}{end}"), &plain);
    }
    takes(&body("\x1amov.u32\x1ar1,r2;"), &plain);
}

#[test]
fn alignments_and_attributes_stand_in_front_of_a_state_space() {
    let plain = ".version 9.0\n.target sm_90\n.address_size 64\n";
    for (line, align) in [
        (".align 16 .global .b8 s[16];", 16),
        (".visible .align 16 .global .b8 s[16];", 16),
        (".align 16 .align 8 .global .b8 s[16];", 16),
        (".align 4 .const .align 8 .b8 s[16];", 8),
        (".attribute(.managed) .align 2 .global .b8 s[16];", 2),
    ] {
        let text = format!("{plain}{line}\n");
        let module = parse(&text);
        let variable = &module.variables()[0];
        assert_eq!((&*variable.name, variable.align, variable.bytes()), ("s", align, 16), "{line}");
        takes(&text, &text);
    }
    let text = body(".align 16 .shared .b8 s[16]; .align 4 .reg .b32 z; .align 8 .local .b32 l;\nmov.u32 z, r1;");
    let aligns: Vec<u32> = parse(&text).kernels()[0].variables().map(|(_, variable)| variable.align).collect();
    assert_eq!(aligns, [16, 8]);
    takes(&text, &text);
    for nothing in [".global .u32 ;", ".shared .b8;"] {
        takes(&format!("{plain}{nothing}\n"), plain);
    }
    for wrong in
        [".align 16 .visible .global .b8 s[16];", ".align 16;", ".align 16 .entry e(){ret;}", ".b8 .global s[16];"]
    {
        assert!(Module::parse(&format!("{plain}{wrong}\n")).is_err(), "{wrong}");
    }
}

#[test]
fn performance_counters_have_64_bits_too() {
    let text = body("mov.u64 d1,%pm0_64; mov.u64 d1,%pm7_64; mov.u32 r1,%pm7;");
    takes(&text, &text);
    for wrong in
        ["mov.u32 r1,%pm7_64;", "mov.u64 d1,%pm7;", "mov.u64 d1,%pm8_64;", "mov.u32 r1,%pm07;", "mov.u32 r1,%envreg01;"]
    {
        assert!(!ptx_parser::check(&body(wrong)).is_empty(), "{wrong}");
    }
}
