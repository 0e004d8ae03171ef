//! Accesses of different lanes of a row: those that never meet, and others that might.

use analysis::{Access, Analyses, MemoryDependence};
use ptx_parser::Module;

/// Computes whether a load and a store are disjoint in a row. `code` computes their address in `%rd9` of the index `%r9`.
fn disjoint(code: &str, load: &str, store: &str) -> bool {
    let text = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 a, .param .u32 n)\n{{\n\
         .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .pred %p<4>; .shared .align 4 .b8 row[4096];\n\
         ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x;\n\
         {code}\n{load}\n{store}\nret;\n}}\n"
    );
    let module = Module::parse(&text).unwrap_or_else(|errors| panic!("{errors}"));
    let kernel = &module.kernels()[0];
    let Analyses { cfg, loops, values, invariance, divergence, .. } = Analyses::of(kernel);
    let dependence = MemoryDependence::of(kernel, &cfg, &loops, &values, &invariance, &[]);
    let accesses: Vec<Access> =
        cfg.blocks().flat_map(|block| cfg.insts(block)).filter_map(|&inst| dependence.access(inst)).collect();
    let [one, other] = &accesses[..] else { panic!("{} accesses", accesses.len()) };
    let same = |value| divergence.value_is_uniform(value);
    let result = dependence.are_disjoint_in_a_row(one, other, &same);
    assert_eq!(result, dependence.are_disjoint_in_a_row(other, one, &same), "{code}: it depends on the order");
    result
}

/// An index of 32 bits that is extended, times 4, behind a pointer.
fn indexed(index: &str, extension: &str) -> String {
    format!("{index} cvt.{extension} %rd8, %r9; shl.b64 %rd8, %rd8, 2; add.s64 %rd9, %rd1, %rd8;")
}

const GLOBAL: (&str, &str) = ("ld.global.u32 %r10, [%rd9];", "st.global.u32 [%rd9], %r10;");

#[test]
fn elements_of_lanes_are_disjoint() {
    for index in [
        "mov.u32 %r9, %r2;",
        // The index of a thread in the grid, and what may be added to it.
        "mad.lo.s32 %r9, %r3, %r4, %r2;",
        "mul.lo.s32 %r8, %r3, %r4; add.s32 %r9, %r8, %r2; add.s32 %r9, %r9, %r1; sub.s32 %r9, %r9, 100;",
        // Further apart, and backwards.
        "mad.lo.s32 %r9, %r2, 3, %r1;",
        "sub.s32 %r9, %r1, %r2;",
    ] {
        for extension in ["s64.s32", "u64.u32"] {
            assert!(disjoint(&indexed(index, extension), GLOBAL.0, GLOBAL.1), "{index} {extension}");
        }
    }
    let shared = "shl.b32 %r9, %r2, 2; mov.u32 %r8, row; add.s32 %r9, %r8, %r9;";
    assert!(disjoint(shared, "ld.shared.u32 %r10, [%r9];", "st.shared.u32 [%r9], %r10;"));
    assert!(disjoint("", "ld.shared.u32 %r10, [row];", "st.shared.u32 [row+4], %r10;"));
    // The neighbour's place is never touched by a lane whose elements are two words apart.
    let pairs = "shl.b32 %r9, %r2, 3; mov.u32 %r8, row; add.s32 %r9, %r8, %r9;";
    assert!(disjoint(pairs, "ld.shared.u32 %r10, [%r9];", "st.shared.u32 [%r9+4], %r10;"));
}

#[test]
fn what_may_meet_is_not() {
    for (index, why) in [
        ("mov.u32 %r9, %r1;", "all lanes have one place"),
        ("and.b32 %r9, %r2, 7;", "lanes share a place"),
        ("shr.u32 %r9, %r2, 1;", "two lanes have one place"),
        ("mul.lo.s32 %r9, %r2, %r2;", "a product of lanes may be anything"),
        ("mul.lo.s32 %r9, %r2, %r1;", "a factor may be 0"),
        ("mov.u32 %r9, %laneid;", "nothing is known of it"),
        ("mul.lo.s32 %r9, %r2, 1073741824;", "the index wraps"),
        ("mov.u32 %r8, %clock; add.s32 %r9, %r2, %r8;", "lanes may read another value"),
    ] {
        assert!(!disjoint(&indexed(index, "s64.s32"), GLOBAL.0, GLOBAL.1), "{why}");
    }
    let own = indexed("mov.u32 %r9, %r2;", "s64.s32");
    assert!(!disjoint(&own, "ld.global.u32 %r10, [%rd9+4];", GLOBAL.1), "the neighbour's");
    assert!(!disjoint(&own, "ld.global.u32 %r10, [%rd9+124];", GLOBAL.1), "that of the last lane");
    assert!(disjoint(&own, "ld.global.u32 %r10, [%rd9+128];", GLOBAL.1), "that of another warp");
    assert!(!disjoint(&own, "ld.global.v2.u32 {%r10, %r11}, [%rd9];", GLOBAL.1), "wider than a step");
    assert!(!disjoint(&own, "ld.global.u32 %r10, [%rd9];", "st.global.u32 [%rd9+2], %r10;"), "half of a neighbour's");
    let half = "shl.b32 %r9, %r2, 1; mov.u32 %r8, row; add.s32 %r9, %r8, %r9;";
    assert!(!disjoint(half, "ld.shared.u32 %r10, [%r9];", "st.shared.u32 [%r9], %r10;"), "steps of half a word");
}
