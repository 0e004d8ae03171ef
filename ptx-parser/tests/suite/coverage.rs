//! What people and compilers write, form by form: each is read, means what `ptxas` 13.0 takes it to mean, and is printed again.
use crate::common;
use crate::common::parse;
use ptx_parser::{Kernel, Module};

/// The canonical text of the instructions of a kernel with this body. The module must print as it was written.
#[track_caller]
fn canonical(body: &str) -> Vec<String> {
    let text = common::kernel(body);
    let module = parse(&text);
    assert_eq!(module.to_string(), text);
    instructions(&module.kernels()[0])
}

fn instructions(kernel: &Kernel) -> Vec<String> {
    common::insts(kernel).into_iter().map(|inst| kernel.inst_text(inst)).collect()
}

#[track_caller]
fn reads(written: &str, printed: &str) {
    assert_eq!(canonical(written), [printed], "{written}");
    assert_eq!(canonical(printed), [printed], "{printed}");
}

/// A constant as the operand of a 64-bit move.
#[track_caller]
fn constant(written: &str, value: i64) {
    reads(&format!("mov.u64 %rd1, {written};"), &format!("mov.u64 %rd1, {value};"));
}

#[test]
fn literals() {
    for (written, value) in
        [("0x1F", 31), ("0X1f", 31), ("0b101", 5), ("017", 15), ("5U", 5), ("- 5", -5), ("--5", 5), ("+5", 5)]
    {
        constant(written, value);
    }
    constant("18446744073709551615", -1);
    // Beyond 64 bits a number is cut, unless a digit follows a value with the highest bit set.
    constant("18446744073709551617", 1);
    constant("0x123456789abcdef01", 0x2345_6789_abcd_ef01);
    constant("044444444444444444444444", 0x4924_9249_2492_4924);
    constant("-18446744073709551615", 1);
    constant("18446744073709551617 - 2 < 0", 1);
    reads("mov.f64 %fd1, 1.5;", "mov.f64 %fd1, 0d3FF8000000000000;");
    reads("mov.f64 %fd1, -1e-3;", "mov.f64 %fd1, 0dBF50624DD2F1A9FC;");
    reads("mov.f64 %fd1, .5;", "mov.f64 %fd1, 0d3FE0000000000000;");
    reads("mov.f32 %f1, 0F3f800000;", "mov.f32 %f1, 0f3F800000;");
    reads("mov.f64 %fd1, 0.0e500;", "mov.f64 %fd1, 0d0000000000000000;");
    for beyond in ["1e400", "-1e400", "1e-320", "1e-400"] {
        let errors = Module::parse(&common::kernel(&format!("mov.f64 %fd1, {beyond};"))).unwrap_err();
        assert!(errors.to_string().contains("a number that a double holds"), "{beyond}: {errors}");
    }
}

#[test]
fn a_list_of_no_registers() {
    assert_eq!(canonical(".reg .pred ; ret;"), ["ret;"]);
}

#[test]
fn constant_expressions() {
    for (written, value) in [
        ("2 + 3 * 4", 14),
        ("(2 + 3) * 4", 20),
        ("-7 / 2", -3),
        // Remainders are unsigned: 2^64 - 7 leaves 0 when divided by 3.
        ("-7 % 3", 0),
        ("-8 >> 1", -4),
        ("-1 < 1", 1),
        ("-1 < 1U", 0),
        ("-1 / 2U", i64::MAX),
        ("(-1) >> 1U", -1),
        ("0xFFFFFFFFFFFFFFFF / 2", i64::MAX),
        ("1 << 64", 1),
        ("1 | 2 & 4", 1),
        ("7 & 3 == 3", 1),
        ("2 && 3", 1),
        ("!5 || 0", 0),
        ("~0", -1),
        ("~1U / 2", i64::MAX),
        ("0 ? 1 : 2", 2),
        ("1 ? 2 : 0 ? 3 : 4", 2),
        ("(1U == 1U) - 2 < 0", 1),
        ("(.s64)-1 < 0", 1),
        ("(.u64)-1 < 0", 0),
        ("1.5 < 2.5", 1),
        ("WARP_SZ * 2", 64),
        ("WARP_SZ", 32),
    ] {
        constant(written, value);
    }
    reads("mov.f64 %fd1, 1.0 / 4.0;", "mov.f64 %fd1, 0d3FD0000000000000;");
    let fails =
        |written: &str| Module::parse(&common::kernel(&format!("mov.u64 %rd1, {written};"))).unwrap_err().to_string();
    assert_eq!(fails("1 / 0"), "7:17: a constant is divided by 0");
    assert_eq!(fails("1 + 1.5"), "7:17: a constant mixes an integer and a float");
    assert_eq!(fails("(1 + 2"), "7:21: expected `)`, found `;`");
    assert_eq!(fails("(.u32)1"), "7:16: expected `.s64` or `.u64`, found `.u32`");
    assert!(fails(&"(".repeat(10_000)).contains("nested more than 100 deep"));
    assert!(fails(&"-".repeat(10_000)).contains("nested more than 100 deep"));
}

#[test]
fn addresses() {
    reads("ld.u32 %r1, [%rd1 + 4];", "ld.u32 %r1, [%rd1+4];");
    reads("ld.u32 %r1, [%rd1+-4];", "ld.u32 %r1, [%rd1+-4];");
    reads("ld.u32 %r1, [%rd1+4*3];", "ld.u32 %r1, [%rd1+12];");
    reads("ld.u32 %r1, [g+8-4];", "ld.u32 %r1, [g+4];");
    reads("mov.u64 %rd1, g+(4);", "mov.u64 %rd1, g+4;");
    reads("ld.local.u32 %r1, [64];", "ld.local.u32 %r1, [64];");
}

/// What stands beside names and parameters; undocumented directives too, which `ptxas` has.
#[test]
fn headers() {
    for item in [
        ".func .attribute(.unified(0x1, 2U)) (.reg .b32 r) f() { ret; }",
        ".func f() .abi_preserve 010 .abi_preserve_control 4 { ret; }",
        ".func f() .noreturn { exit; }",
        ".func .attribute(.unified_func_stub) f() { ret; }",
        ".global .attribute ( .managed, .unified(1, 2) ) .attribute(.managed) .align 4 .b32 a;",
        ".entry k() .reqntid 0x20, 1 .reqnctapercluster 2 .explicitcluster .blocksareclusters .minnctapersm 1 { ret; }",
        ".entry k() .maxntid 32, 2, 2U .maxclusterrank 4 .maxnreg 32 .maxntid 1 { ret; }",
        ".entry k() .local_maxnreg 32 .pragma \"nounroll\"; .maxntid 1 { ret; }",
        ".common .global .b32 a;\n.weak .const .b32 c;\n.visible .shared .b32 s;",
    ] {
        let text = format!(".version 9.0\n.target sm_90\n.address_size 64\n{item}\n");
        assert_eq!(parse(&text).to_string(), text);
        assert!(common::properties::canonical(&text).is_some());
        common::assemble(&text);
    }
}

/// `array[i]` is an element: memory where memory is accessed, an address elsewhere.
#[test]
fn elements_of_arrays() {
    let body = |line: &str| canonical(&format!(".shared .b32 s[8]; {line}"));
    assert_eq!(body("ld.shared.u32 %r1, s[4];"), ["ld.shared.u32 %r1, [s+16];"]);
    assert_eq!(body("mov.u32 %r1, s[2];"), ["mov.u32 %r1, s+8;"]);
    let module = parse(&format!(".global .v4 .b32 g[8];\n{}", common::kernel("ld.global.u32 %r1, g[1];")));
    assert_eq!(instructions(&module.kernels()[0]), ["ld.global.u32 %r1, [g+16];"]);
}

#[test]
fn parts_of_registers() {
    reads("vadd.s32.s32.s32 %r1, %r2.b0, %r3.h1;", "vadd.s32.s32.s32 %r1, %r2.b0, %r3.h1;");
    reads("vadd.s32.s32.s32 %r1.b2, %r2.b0, %r3.h1, %r4;", "vadd.s32.s32.s32 %r1.b2, %r2.b0, %r3.h1, %r4;");
    reads("vmad.s32.s32.s32 %r1, %r2.h0, -%r3.h1, %r4;", "vmad.s32.s32.s32 %r1, %r2.h0, -%r3.h1, %r4;");
    reads(
        "vadd4.u32.u32.u32 %r1.b20, %r2.b3210, - %r3.b7654, %r4;",
        "vadd4.u32.u32.u32 %r1.b20, %r2.b3210, -%r3.b7654, %r4;",
    );
    reads("mov.u32 %r1, %tid.x;", "mov.u32 %r1, %tid.x;");
    assert_eq!(canonical("mov.f32 %f1, %v.r;"), ["mov.f32 %f1, %v.x;"]);
}

#[test]
fn results_in_pairs() {
    reads("setp.eq.s32 %p1|%p2, %r1, 0;", "setp.eq.s32 %p1|%p2, %r1, 0;");
    reads("shfl.sync.idx.b32 %r1 | %p1, %r2, 0, 31, -1;", "shfl.sync.idx.b32 %r1|%p1, %r2, 0, 31, -1;");
    reads("elect.sync _|%p1, -1;", "elect.sync _|%p1, -1;");
    reads(
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}|%p1, [t, {%f1, %f2}];",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}|%p1, [t, {%f1, %f2}];",
    );
}

#[test]
fn offsets_of_64_bits() {
    reads("ld.u32 %r1, [%rd1+4294967300];", "ld.u32 %r1, [%rd1+4294967300];");
    reads("ld.u32 %r1, [%rd1+-0x100000004];", "ld.u32 %r1, [%rd1+-4294967300];");
    reads("ld.u32 %r1, [%rd1+18446744073709551612];", "ld.u32 %r1, [%rd1+-4];");
    reads("ld.local.u32 %r1, [0x100000004];", "ld.local.u32 %r1, [4294967300];");
    reads("mov.u64 %rd1, g+(1 << 63);", "mov.u64 %rd1, g+-9223372036854775808;");
    reads("st.u64 [%rd1], %rd1+4294967300;", "st.u64 [%rd1], %rd1+4294967300;");
    // The offset of an element is cut to 32 bits.
    let elements = ".shared .b32 a[4];\nld.shared.u32 %r1, a[-1];\nld.shared.u32 %r1, a[1073741825];";
    assert_eq!(canonical(elements), ["ld.shared.u32 %r1, [a+4294967292];", "ld.shared.u32 %r1, [a+4];"]);
}

/// What the outermost size counts is cut to 32 bits, and the whole to 64.
#[test]
fn sizes_of_arrays() {
    let text = ".version 9.0\n.target sm_90\n.global .b8 a[18446744073709551620], b[2][4294967297];\n.global .b32 g[4294967298][3][2], h[2][1073741825];\n\
                .global .b64 c[536870913], d[300000000], e[WARP_SZ];\n.global .b32 f;\n";
    let module = parse(text);
    assert_eq!(module.to_string(), text);
    let shape = |v: &ptx_parser::Variable| (v.dimensions, v.bytes());
    let shapes: Vec<_> = module.variables().iter().map(shape).collect();
    assert_eq!(
        shapes,
        [(1, 4), (2, 2), (3, 0x18_0000_0030), (2, 8), (1, 0x1_0000_0008), (1, 2_400_000_000), (1, 256), (0, 4)]
    );
}

#[test]
fn families_of_variables_in_a_body() {
    let body = ".local .b32 a<3>, %l<2>;\nst.local.u32 [a2], 1;\nst.local.u32 [%l1+4], 1;\n\
                { .local .b64 a<2>;\nst.local.u64 [a1], %rd1;\nst.local.u32 [a2], 1; }\nst.local.u32 [a1], 1;";
    let text = common::kernel(body);
    let module = parse(&text);
    assert_eq!(module.to_string(), text);
    let kernel = &module.kernels()[0];
    let name_and_type = |inst| {
        let ptx_parser::Operand::Address(ptx_parser::Base::Symbol(symbol), _) = kernel.operands(inst)[0] else {
            panic!("{} writes no variable", kernel.inst_text(inst))
        };
        let variable = kernel.variable(symbol).unwrap();
        (variable.name.to_string(), variable.ty.to_string())
    };
    let written: Vec<_> = common::insts(kernel).into_iter().map(name_and_type).collect();
    let written: Vec<_> = written.iter().map(|(name, ty)| (name.as_str(), ty.as_str())).collect();
    // The inner family hides two of the three.
    assert_eq!(written, [("a2", ".b32"), ("%l1", ".b32"), ("a1", ".b64"), ("a2", ".b32"), ("a1", ".b32")]);
    assert_eq!(module.check().iter().map(ToString::to_string).collect::<Vec<_>>(), Vec::<String>::new());
    assert_eq!(kernel.variables().count(), 7);
}

#[test]
fn names_that_mean_something_else() {
    // Opcodes, directives and special words as names of kernels, labels and variables.
    let text = ".version 9.0\n.target sm_90\n.address_size 64\n.global .b32 ret, bra;\n.entry add(.param .b64 mul)\n{\n\
                .reg .b64 %rd<2>;\n.reg .b32 mov;\nld.param.b64 %rd1, [mul];\nmov.b32 mov, 1;\nst.global.b32 [ret], mov;\nbra bra;\nbra: ret;\n}\n";
    let module = parse(text);
    assert_eq!(module.to_string(), text);
    assert_eq!(module.kernels()[0].name(), "add");
    assert_eq!(instructions(&module.kernels()[0])[1..4], ["mov.b32 mov, 1;", "st.global.b32 [ret], mov;", "bra bra;"]);
}

/// What PTX 1.x to 2.x allowed.
#[test]
fn old_forms() {
    let text = ".version 2.3\n.target sm_20\n.reg .u32 %ra<4>;\n.global .u32 %counter;\n.visible .func nothing ()\n\
                .func (.reg .u32 %out) f (.reg .u32 %in)\n.file 1 \"<command-line>\"\n.entry k\n{\n\
                p: .callprototype (.reg .f64) _ (.reg .s64);\np: .callprototype (.reg .f64) _ (.reg .s64);\n\
                mov.u32 %ra1, %counter;\nld.global.u32 %ra2, [%counter];\nret;\n}\n";
    let module = parse(text);
    assert_eq!(module.to_string(), text);
    let kernels: Vec<_> = module.kernels().iter().map(|kernel| (kernel.name(), kernel.has_body())).collect();
    assert_eq!(kernels, [("nothing", false), ("f", false), ("k", true)]);
    assert_eq!(
        instructions(&module.kernels()[2]),
        ["mov.u32 %ra1, %counter;", "ld.global.u32 %ra2, [%counter];", "ret;"]
    );
}

#[test]
fn the_edges_of_a_text() {
    for text in [
        "\u{feff}.version 9.0\n.target sm_90\n",
        ".version 9.0\n.target sm_90",
        ".version 9.0\r\n.target sm_90\r\n.entry k()\r\n{\r\n\tret;\r\n}\r\n",
        ".version 9.0\n.target sm_90\n.entry k() { ret; }\n\0",
        "",
        "// nothing but this",
    ] {
        assert_eq!(parse(text).to_string(), text);
    }
    assert_eq!(parse("\u{feff}.version 9.0\n").version(), Some((9, 0)));
    assert!(Module::parse(".version 9.0\n\0.target sm_90\n").is_err(), "a NUL character ends the text for everybody");
}

#[test]
fn samplers_are_declared_with_properties() {
    let text = ".version 9.0\n.target sm_90, texmode_independent\n\
                .global .samplerref s = { addr_mode_0 = clamp_to_edge, filter_mode = linear, force_unnormalized_coords = 1 };\n";
    assert_eq!(parse(text).to_string(), text);
}
