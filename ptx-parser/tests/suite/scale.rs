//! Nothing hangs: deep nesting, many of everything, long lines, large numbers, megabytes of noise, thousands of edits.
//!
//! No test here takes the time. Each does an amount of work that ends in seconds if reading is linear, and that would not end
//! today if it were quadratic.
use std::fmt::Write as _;

use crate::common::noise::{Random, TOKENS};
use crate::common::properties;
use crate::common::{contents, insts, kernel, parse};
use ptx_parser::{Module, Patch, StmtKind, Type};

#[test]
fn deep_nesting() {
    let deep = 100_000;
    assert!(!properties::parse(&kernel(&"{".repeat(deep))));
    assert!(!properties::parse(&kernel(&format!("{}{}", "{".repeat(deep), "}".repeat(deep)))));
    assert!(properties::parse(&kernel(&format!("{}{}", "{ .reg .b32 %r<9>; ".repeat(4000), "}".repeat(4000)))));
    assert!(properties::parse(&kernel(&"{ .reg .b32 %r<9>; mov.u32 %r1, %r8; }".repeat(deep))));
    for open in ["(", "[", "mov.u32 {", "call (", "@", "!", "-", "+", "<", "\"", "/*", "_|"] {
        assert!(!properties::parse(&kernel(&open.repeat(deep))), "{open}");
        assert!(!properties::parse(&kernel(&format!("mov.u32 %r1, {}", open.repeat(deep)))), "{open}");
        assert!(!properties::parse(&format!(".global .b32 x = {}", open.repeat(deep))), "{open}");
        assert!(!properties::parse(&format!(".global .b32 x = {}", "{".repeat(deep))), "{open}");
        assert!(!properties::parse(&open.repeat(deep)), "{open}");
    }
    let nested = format!("{}1{}", "{".repeat(deep), "}".repeat(deep));
    assert!(properties::parse(&format!(".global .b32 x[2] = {nested};")));
    assert!(!properties::parse(&format!(".func .attribute{}", "(".repeat(deep))));
}

/// Labels, registers and mentions in nested scopes: looking a name up must not cost the depth, closing a scope not the number of
/// branches that wait for labels outside.
#[test]
fn many_names_in_deep_scopes() {
    let (depth, mentions) = (4000, 100_000);
    let mut body = String::new();
    for level in 0..depth {
        writeln!(body, "{{ .reg .b32 %t{level}; L{level}:").unwrap();
    }
    for n in 0..mentions {
        writeln!(body, "mov.u32 %t{}, %r1; bra M{n};", n % depth).unwrap();
    }
    body.push_str(&"}".repeat(depth));
    for n in 0..mentions {
        write!(body, "M{n}: ").unwrap();
    }
    assert!(properties::parse(&kernel(&body)));
}

#[test]
fn many_of_everything() {
    let many = 100_000;
    let repeat = |line: &dyn Fn(usize) -> String| kernel(&(0..many).map(line).collect::<String>());
    assert!(properties::parse(&repeat(&|n| format!(".reg .b32 %x{n};"))));
    assert!(properties::parse(&repeat(&|n| format!(
        ".reg .b32 %x{n}_<2>; mov.u32 %x{n}_1, 1; mov.u32 %r1, %x{}_0;",
        n / 2
    ))));
    assert!(properties::parse(&repeat(&|n| format!("L{n}: bra L{};", many - 1 - n))));
    assert!(properties::parse(&repeat(&|n| format!(".shared .b32 s{n}; st.shared.u32 [s{n}], 1;"))));
    assert!(properties::parse(&repeat(&|n| format!("unheard.of{n} %r1;"))));
    assert!(properties::parse(&repeat(&|n| format!("// {n}\n/* {n} */"))));
    assert!(properties::parse(&repeat(&|n| format!("//#mark {n}\n"))));
    assert!(properties::parse(&repeat(&|_| "{ .param .b32 q; st.param.b32 [q], %r1; }".to_owned())));
    assert!(properties::parse(&repeat(&|n| format!("L{n}: T{n}: .branchtargets L{n}; brx.idx %r1, T{n};"))));
    assert!(properties::parse(&(0..many).map(|n| format!(".entry k{n}() {{ ret; }}\n")).collect::<String>()));
    assert!(properties::parse(
        &(0..many).map(|n| format!(".func (.reg .b32 r) f{n} (.reg .b32 a) {{ ret; }}\n")).collect::<String>()
    ));
    // Comments that never end, one in the other.
    assert!(!properties::parse(&kernel(&"/* ".repeat(many))));
    assert!(!properties::parse(&kernel(&format!(".pragma {}", "/* ".repeat(many)))));
    assert!(!properties::parse(&format!(".section .debug_info {{ {}", "/* ".repeat(many))));
}

#[test]
fn long_lines_and_large_numbers() {
    let long = 1_000_000;
    assert!(properties::parse(&format!(".global .b8 x[] = {{{}1}};", "1, ".repeat(long))));
    assert!(properties::parse(&kernel(&format!("bra {0}; {0}: ret;", "L".repeat(long)))));
    assert!(properties::parse(&kernel(&format!("call f, ({}%r1);", "%r1, ".repeat(long / 10)))));
    assert!(properties::parse(&kernel(&format!("add{} %r1, %r1, 1;", ".u32".repeat(long / 10)))));
    assert!(properties::parse(&kernel(&format!("//#{}\nret;", "x".repeat(long)))));
    assert!(properties::parse(&kernel(&format!("mov.f64 %rd1, 1.{}e5;", "3".repeat(long)))));
    assert!(!properties::parse(&kernel(&format!("mov.u32 %r1, {};", "9".repeat(long)))));
    assert!(!properties::parse(&kernel(&format!("mov.u32 %r1, 0x{};", "F".repeat(long)))));
    assert!(!properties::parse(&kernel(&format!("mov.u32 %{}, 1;", "r".repeat(long)))));
    assert!(properties::parse(&kernel(&"mov.u32 %r1, %r2; ".repeat(long / 10))));
    for number in ["18446744073709551615", "4294967295", "4294967296", "99999999999999999999", "0", "-1"] {
        for text in [
            format!(".global .align {number} .b8 x[4];"),
            format!(".global .b64 x[{number}][{number}] = {{{{1}}, {{2}}}};"),
            format!(".global .v4 .b64 x[{number}], y;"),
            format!(".global .b64 x = y+{number};"),
            format!(".version {number}.{number}"),
            format!(".file {number} \"x\", {number}, {number}"),
            format!(".entry k(.param .align {number} .b8 p[{number}]) .maxntid {number}, {number} {{ ret; }}"),
            kernel(&format!(".reg .b32 %x<{number}>; ld.u32 %x0, [%rd1+{number}]; mov.u32 %x4294967294, x+{number};")),
            kernel(&format!(".loc {number} {number} {number}\n.shared .align {number} .b8 s[{number}], t[{number}];")),
        ] {
            properties::parse(&text);
            if let Ok(module) = Module::parse(&text) {
                let sizes = module.kernels().iter().map(|kernel| {
                    kernel
                        .declared_bytes(ptx_parser::Space::Shared)
                        .saturating_add(kernel.max_threads().unwrap_or(0).into())
                });
                let bytes = module.variables().iter().map(|variable| variable.bytes());
                assert!(sizes.chain(bytes).fold(0, u64::saturating_add) < u64::MAX || number.len() > 9, "{text}");
            }
        }
    }
}

#[test]
fn noise() {
    let size = 20 << 20;
    let mut random = Random(0xA015E);
    let bytes: Vec<u8> = (0..size / 8).flat_map(|_| random.next().to_le_bytes()).collect();
    properties::parse(&String::from_utf8_lossy(&bytes));
    let printable: String = bytes.iter().map(|byte| char::from(byte % 95 + 32)).collect();
    properties::parse(&printable);
    properties::parse(&kernel(&printable));
    properties::parse(&"\0".repeat(size));
    properties::parse(&" ".repeat(size));
    properties::parse(&"\n".repeat(size));
    properties::parse(&kernel(&"{}".repeat(size / 8)));
    properties::parse(&kernel(&";".repeat(size)));
    properties::parse(&format!("// {printable}"));
    properties::parse(&format!(".section .debug_str {{ {} }}", "x".repeat(size)));
    let mut soup = String::new();
    while soup.len() < size {
        soup.push_str(random.pick(TOKENS));
        soup.push(' ');
    }
    properties::parse(&soup);
    properties::parse(&kernel(&soup));
}

/// Edits, too, must not cost the size of the kernel each.
#[test]
fn many_edits() {
    let many = 50_000;
    let mut module = parse(&kernel(&format!("{}ret;", "add.s32 %r1, %r1, 1;\n".repeat(many))));
    let kernel = &mut module.kernels_mut()[0];
    let mut patch = Patch::new();
    let first = kernel.stmts().iter().position(|stmt| matches!(stmt.kind, StmtKind::Inst(_))).unwrap();
    for index in first..first + many {
        let reg = kernel.new_reg("x", Type::B32);
        let label = kernel.new_label("l");
        let text = format!("mov.u32 {}, %r1; bra {};", kernel.reg_name(reg), kernel.label_name(label));
        patch.insert_before(index, kernel.fragment(&text).unwrap());
        patch.insert_before(index, [kernel.label_stmt(label)]);
    }
    kernel.apply(patch).unwrap();
    let lines: u64 =
        insts(kernel).into_iter().filter_map(|inst| kernel.text_position(inst)).map(|at| u64::from(at.line)).sum();
    assert_eq!(lines, (7..=7 + many as u64).sum());
    let printed = module.to_string();
    assert_eq!(contents(&parse(&printed)).len(), 4 * many + 1);
}
