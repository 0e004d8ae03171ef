//! The heads, declarations and instructions that `ptxas` 13.0 refuses for what the version, the target or the machine does not have, and
//! their neighbours that it takes.
use ptx_parser::check;

/// The findings of a text, one per line.
fn findings(text: &str) -> String {
    check(text).iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn head(version: &str, target: &str, rest: &str) -> String {
    findings(&format!(".version {version}\n.target {target}\n{rest}"))
}

/// The findings of a module of PTX 9.0 for sm_90.
fn module(rest: &str) -> String {
    head("9.0", "sm_90", &format!(".address_size 64\n{rest}"))
}

const KERNEL: &str = ".entry k() { ret; }\n";

#[test]
fn a_version_is_one_that_there_is() {
    for version in ["1.5", "2.3", "3.2", "4.3", "5.1", "6.5", "7.8", "8.8", "9.0", "9.4"] {
        assert_eq!(head(version, "sm_11", KERNEL), "", "{version}");
    }
    for (version, help) in [
        ("0.9", "the first version is 1.0"),
        ("1.6", "the versions around it are 1.5 and 2.0"),
        ("5.9", "the versions around it are 5.1 and 6.0"),
    ] {
        let expected = format!("1:1: error: there is no PTX version {version} ({help})");
        assert!(head(version, "sm_11", "").starts_with(&expected), "{version}: {}", head(version, "sm_11", ""));
    }
    for version in ["9.5", "99.0"] {
        let expected = format!("1:1: warning: PTX version {version} is later than the last that is known, 9.4");
        assert!(head(version, "sm_11", KERNEL).starts_with(&expected), "{version}: {}", head(version, "sm_11", KERNEL));
    }
}

#[test]
fn a_target_is_one_that_the_version_has() {
    for (version, target) in [
        ("5.0", "sm_60"),
        ("6.0", "sm_70"),
        ("6.2", "sm_82"),
        ("7.8", "sm_90"),
        ("8.0", "sm_90a"),
        ("8.6", "sm_100a"),
        ("8.8", "sm_100f"),
        ("8.7", "sm_120"),
        ("9.0", "sm_110f"),
        ("9.0", "sm_10"),
        ("9.0", "compute_80"),
        ("9.0", "sm_90b"),
        ("9.1", "sm_999"),
        ("9.0", "sm_90, sm_80"),
        ("9.0", "sm_90\n.target sm_80"),
        ("9.0", "sm_90, debug, texmode_independent"),
    ] {
        assert_eq!(head(version, target, KERNEL), "", "{version} {target}");
    }
    for (version, target, needed) in [
        ("7.0", "sm_90", "7.8"),
        ("7.8", "sm_90a", "8.0"),
        ("8.5", "sm_100", "8.6"),
        ("8.6", "sm_100f", "8.8"),
        ("8.7", "sm_121", "8.8"),
        ("4.3", "sm_60", "5.0"),
        ("8.8", "sm_110", "9.0"),
        ("7.0", "compute_90", "7.8"),
    ] {
        let expected = format!(
            "2:9: error: `{target}` needs PTX {needed}, but the module is of version {version} (write `.version {needed}`)"
        );
        assert_eq!(head(version, target, KERNEL), expected);
        assert_eq!(head(version, target, ".address_size 64\n"), "", "nothing is there that needs it");
    }
    for (target, at, wrong) in [
        ("sm_99", "2:9", "there is no target `sm_99` (did you mean `sm_90`?)"),
        ("sm_80a", "2:9", "there is no target `sm_80a`"),
        ("foo", "2:9", "there is no target `foo`"),
        ("sm_90, nvopencl", "2:16", "there is no target `nvopencl`"),
        ("sm_90\n.target sm_81", "3:9", "there is no target `sm_81`"),
        ("debug", "2:9", "no architecture stands in front of `debug`"),
        ("sm_90, texmode_unified, texmode_independent", "2:33", "`texmode_independent` contradicts `texmode_unified`"),
        (
            "sm_90, texmode_unified\n.target texmode_independent",
            "3:9",
            "`texmode_independent` contradicts `texmode_unified`",
        ),
        ("sm_13, map_f64_to_f32", "2:16", "`map_f64_to_f32` is for targets before sm_13"),
    ] {
        let found = head("9.0", target, KERNEL);
        let begins = found.starts_with(&format!("{at}: error: {}", wrong.split(" (").next().unwrap()));
        assert!(begins && !found.contains('\n'), "{target}: {found}");
    }
    assert_eq!(head("9.0", "sm_12, map_f64_to_f32", KERNEL), "");
}

#[test]
fn memory_and_parameters_have_limits() {
    let uses = ".reg .b32 r; mov.u32 r, s;";
    for (name, text) in [
        ("a kernel's", ".entry k() { .shared .b8 s[49152]; ret; }".to_owned()),
        ("unused", format!(".shared .b8 s[60000]; {KERNEL}")),
        ("a function's", ".func f() { .shared .b8 s[60000]; ret; }".to_owned()),
        (
            "two kernels",
            ".entry a() { .shared .b8 s[30000]; ret; } .entry b() { .shared .b8 s[30000]; ret; }".to_owned(),
        ),
        ("one of two", format!(".shared .b8 s[30000]; .shared .b8 t[30000]; .entry k() {{ {uses} ret; }}")),
        ("shadowed", format!(".shared .b8 s[60000]; .entry k() {{ .shared .b8 s[9]; {uses} ret; }}")),
        ("constants", ".const .b8 a[40000]; .const .b8 b[25536]; .global .b8 g[99999];".to_owned()),
        (
            "parameters",
            ".entry k(.param .b8 a, .param .align 8 .b8 b[32756]) { ret; } .func f(.param .b8 a[40000]) { ret; }"
                .to_owned(),
        ),
    ] {
        assert_eq!(module(&text), "", "{name}");
    }
    let shared =
        |bytes: u32| format!("error: `k` has {bytes} bytes of static shared memory, but at most 49152 are possible");
    let constant = "error: the module has more than 65536 bytes of constant memory".to_owned();
    let parameters =
        |bytes: u32| format!("error: `k` has {bytes} bytes of parameters, but at most 32764 are possible in PTX 9.0");
    for (text, at, wrong) in [
        (".entry k() { .shared .b8 s[49153]; ret; }".to_owned(), "4:8", shared(49153)),
        (".entry k() { {.shared .b8 s[30000];} {.shared .b8 s[30000];} ret; }".to_owned(), "4:8", shared(60000)),
        (format!(".shared .b8 s[49153]; .entry k() {{ {uses} ret; }}"), "4:30", shared(49153)),
        (
            ".shared .b8 s[49153]; .entry k() { .reg .b32 r; st.shared.u32 [s+4], r; ret; }".to_owned(),
            "4:30",
            shared(49153),
        ),
        (".const .b8 a[40000]; .const .b8 b[25537];".to_owned(), "4:33", constant.clone()),
        (".const .b8 a[1]; .entry k() { .const .b8 b[65536]; ret; }".to_owned(), "4:12", constant),
        (".entry k(.param .b8 a, .param .align 8 .b8 b[32757]) { ret; }".to_owned(), "4:8", parameters(32765)),
    ] {
        let found = module(&text);
        assert!(found.starts_with(&format!("{at}: {wrong}")) && !found.contains('\n'), "{text}: {found}");
    }
    for (version, target, most) in [
        ("1.4", "sm_13", 256),
        ("1.5", "sm_13", 4352),
        ("8.0", "sm_80", 4352),
        ("8.1", "sm_80", 32764),
        ("9.0", "sm_62", 4352),
    ] {
        let of = |bytes: u32| head(version, target, &format!(".entry k(.param .b8 p[{bytes}]) {{ ret; }}"));
        assert_eq!(of(most), "", "{version} {target}");
        assert!(of(most + 1).contains(&format!("at most {most} are possible")), "{version} {target}");
    }
}

/// The findings of a line of a kernel.
fn line(version: &str, target: &str, line: &str) -> String {
    let registers = ".reg .pred p<3>; .reg .b8 c<3>; .reg .b16 h<3>; .reg .b32 r<5>; .reg .b64 d<3>; .reg .f32 f<5>;";
    head(version, target, &format!(".entry k(.param .u64 P) {{\n{registers}\n{line}\nexit; }}\n"))
}

#[test]
fn roundings_are_named_where_the_target_has_them() {
    for (version, target, text) in [
        ("9.0", "sm_13", "mad.f32 f1, f2, f3, f4;"),
        ("3.1", "sm_30", "mad.ftz.f32 f1, f2, f3, f4;"),
        ("3.2", "sm_35", "mad.rn.f32 f1, f2, f3, f4;"),
        ("9.0", "sm_90", "mad.rz.sat.f32 f1, f2, f3, f4;"),
    ] {
        assert_eq!(line(version, target, text), "", "{version} {target} {text}");
    }
    let gone = "5:1: error: `mad.f32` is gone from PTX 3.2 on for sm_20 and later; the target is sm_90 (name a rounding, as in `mad.rn.f32`)";
    assert_eq!(line("9.0", "sm_90", "mad.f32 f1, f2, f3, f4;"), gone);
    assert!(line("3.2", "sm_20", "mad.sat.f32 f1, f2, f3, f4;").contains("is gone from PTX 3.2"));
    assert!(line("9.0", "sm_13", "mad.rn.f32 f1, f2, f3, f4;").contains("needs sm_20 or later"));
    assert!(line("9.0", "sm_90", "fma.f32 f1, f2, f3, f4;").contains("`fma` needs a modifier here"));
}

#[test]
fn what_a_form_needs_depends_on_its_operands() {
    for (version, target, text) in [
        ("9.0", "sm_90", "max.f32 f1, f2, f3;"),
        ("8.8", "sm_100", "max.ftz.abs.f32 f1, f2, f3, f4;"),
        ("9.0", "sm_120", "min.NaN.f32 f1, f2, f3, f4;"),
    ] {
        assert_eq!(line(version, target, text), "", "{version} {target} {text}");
    }
    assert!(line("9.0", "sm_90", "max.f32 f1, f2, f3, f4;").contains("needs sm_100 or later, but the target is sm_90"));
    assert!(line("8.7", "sm_100", "min.NaN.f32 f1, f2, f3, f4;").contains("needs PTX 8.8"));
}

/// Finds one error in a line, in an operand.
#[track_caller]
fn refuses_an_operand(text: &str) {
    let found = line("9.0", "sm_90", text);
    let is_one = found.starts_with("5:") && found.contains("error: operand") && !found.contains('\n');
    assert!(is_one, "{text}: {found}");
}

#[test]
fn results_that_cannot_be_left_out() {
    for text in [
        "shfl.sync.idx.b32 r1|_, r2, r3, 31, -1;",
        "match.all.sync.b32 _|p1, r2, -1;",
        "match.all.sync.b32 _, r2, -1;",
        "elect.sync _|p1, -1;",
        "setp.eq.s32 _|p1, r1, r2;",
        "setp.eq.s32 p1|_, r1, r2;",
    ] {
        assert_eq!(line("9.0", "sm_90", text), "", "{text}");
    }
    for text in [
        "shfl.sync.idx.b32 _|p1, r2, r3, 31, -1;",
        "shfl.sync.idx.b32 _, r2, r3, 31, -1;",
        "elect.sync r1|_, -1;",
        "cvt.rn.bf16.u8 h1, h2;",
        "cvt.rn.bf16.s8 h1, r2;",
        "cvt.rzi.u8.bf16 h1, h2;",
        "cvt.rzi.u16.bf16 r1, h2;",
    ] {
        refuses_an_operand(text);
    }
    for text in
        ["cvt.rn.bf16.u8 h1, c2;", "cvt.rzi.s8.bf16 c1, h2;", "cvt.rn.bf16.u32 h1, r2;", "cvt.rn.f32.u8 f1, r2;"]
    {
        assert_eq!(line("9.0", "sm_90", text), "", "{text}");
    }
}

#[test]
fn names_and_addresses_of_parameters() {
    for text in [
        "{.reg .b32 P;}",
        "{P: }",
        "mov.u64 d1, P;",
        "mov.u32 r1, P;",
        "mov.u64 d1, P+4;",
        ".reg .b32 k;",
        "{ .param .b32 q; st.param.b32 [q], r1; }",
        "{ .param .b32 P; st.param.b32 [P], r1; }",
    ] {
        assert_eq!(line("9.0", "sm_90\n.address_size 64", text), "", "{text}");
    }
    for text in [".reg .b32 P;", ".shared .b32 P;", ".local .b32 a, P;", "P:"] {
        let found = line("9.0", "sm_90", text);
        let expected = "error: `P` is a parameter of `k` and is declared again (rename one of the two)";
        assert!(found.starts_with("5:") && found.ends_with(expected) && !found.contains('\n'), "{text}: {found}");
    }
    assert!(
        module(".func (.param .b32 r) f(.param .b32 p2) { .reg .b32 p<3>; ret; }")
            .contains("`p2` is a parameter of `f`")
    );
    assert_eq!(module(".func f(.param .b32 p3, .param .b32 p01) { .reg .b32 p<3>; ret; }"), "");
    for text in ["mov.u64 d1, q;", "mov.u32 r1, q;", "cvta.param.u64 d1, q;", "mov.u64 d1, q+4;"] {
        let found = line("9.0", "sm_90", &format!(".param .b32 q; {text}"));
        assert!(
            found.contains("the address of `q` is taken, but a `.param` variable of a body has none"),
            "{text}: {found}"
        );
    }
}

#[test]
fn operands_of_one_element_and_of_none() {
    for text in [
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {r1}, [r2];",
        "ld.global.v2.u32 {_, r1}, [d1];",
        "mov.b64 {r1, _}, d1;",
        "ld.global.u32 r1, [d1];",
        "suld.b.1d.b32.trap r1, [d1, {r2}];",
        ".reg .v4 .f32 v; mov.f32 f1, v.w;",
        "cp.async.ca.shared.global [r1], [d1], 8, 8;",
        "cp.async.cg.shared.global [r1], [d1], 16, r2;",
        "cp.async.ca.shared.global [r1], [d1], 4, p1;",
    ] {
        assert_eq!(line("9.0", "sm_90\n.address_size 64", text), "", "{text}");
    }
    for text in [
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 r1, [r2];",
        "stmatrix.sync.aligned.m8n8.x1.shared.b16 [r2], r1;",
        "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {r1, r2}, r3, r4, {r1, r2};",
        "ld.global.v2.u32 {_, _}, [d1];",
        "mov.b64 {_, _}, d1;",
        ".reg .v2 .f32 v; mov.f32 f1, v.z;",
        "cp.async.ca.shared.global [r1], [d1], 8, 9;",
        "cp.async.ca.shared.global [r1], [d1], 4, -1;",
        "cp.async.cg.shared.global [r1], [d1], 16, 17;",
    ] {
        refuses_an_operand(text);
    }
}
