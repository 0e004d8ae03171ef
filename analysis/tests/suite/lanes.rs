//! Dependences between lanes of a warp: their vectors and classes, and what has none.

use analysis::{Analyses, Class, LaneDependence, LaneDependences, Shapes};
use ptx_parser::Module;

/// Returns the dependences of a kernel with the given code. `%rd1` is the pointer `a`, `%r1` the number `n`, `%r2` is `%tid.x`, `%r3` `%ctaid.x`, `%r4` `%ntid.x`, `%r5` `%tid.y`.
fn of(code: &str) -> LaneDependences {
    let text = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 a, .param .u32 n, .param .u64 b)\n{{\n\
         .reg .b32 %r<32>; .reg .b64 %rd<32>; .reg .pred %p<8>; .shared .align 16 .b8 row[4096];\n\
         ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.y;\n\
         {code}\nret;\n}}\n"
    );
    let module = Module::parse(&text).unwrap_or_else(|errors| panic!("{errors}"));
    let kernel = &module.kernels()[0];
    LaneDependences::of(kernel, &Analyses::of(kernel))
}

/// The vectors and classes of dependences in rows, but for those within a lane, in order.
fn between_lanes(code: &str) -> Vec<String> {
    let shown = |one: &LaneDependence| format!("{} {} {}", one.kind.name(), one.vector(), one.class().name());
    of(code).dependences.iter().filter(|one| one.class() != Class::Intra).map(shown).collect()
}

/// An index of 32 bits in `%r9` that is extended, times 4, behind a pointer, in `%rd9`.
fn indexed(index: &str, extension: &str) -> String {
    format!("{index} cvt.{extension} %rd8, %r9; shl.b64 %rd8, %rd8, 2; add.s64 %rd9, %rd1, %rd8;")
}

/// Loads and stores the element of an index.
fn updated(index: &str, extension: &str) -> String {
    format!("{}\nld.global.u32 %r10, [%rd9];\nst.global.u32 [%rd9], %r10;", indexed(index, extension))
}

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
        // Lanes and warps, permuted.
        "and.b32 %r8, %r2, 31; shr.u32 %r9, %r2, 5; mad.lo.s32 %r9, %r9, 40, %r8;",
        "xor.b32 %r9, %r2, 5;",
        "mov.u32 %r9, %laneid;",
    ] {
        for extension in ["s64.s32", "u64.u32"] {
            assert_eq!(between_lanes(&updated(index, extension)), [""; 0], "{index} {extension}");
        }
    }
    let shared = "shl.b32 %r9, %r2, 2; mov.u32 %r8, row; add.s32 %r9, %r8, %r9; ld.shared.u32 %r10, [%r9]; st.shared.u32 [%r9], %r10;";
    assert_eq!(between_lanes(shared), [""; 0]);
    assert_eq!(between_lanes("ld.shared.u32 %r10, [row]; st.shared.u32 [row+4], %r10;"), [""; 0]);
    // The neighbour's place is never touched by a lane whose elements are two words apart.
    let pairs = "shl.b32 %r9, %r2, 3; mov.u32 %r8, row; add.s32 %r9, %r8, %r9; ld.shared.u32 %r10, [%r9]; st.shared.u32 [%r9+4], %r10;";
    assert_eq!(between_lanes(pairs), [""; 0]);
}

#[test]
fn what_may_meet_is_critical() {
    for (index, why) in [
        ("mov.u32 %r9, %r1;", "all lanes have one place"),
        ("and.b32 %r9, %r2, 7;", "lanes share a place"),
        ("shr.u32 %r9, %r2, 1;", "two lanes have one place"),
        ("mul.lo.s32 %r9, %r2, %r1;", "a factor may be 0"),
        ("mul.lo.s32 %r9, %r2, 1073741824;", "the index wraps"),
        ("mov.u32 %r8, %clock; add.s32 %r9, %r2, %r8;", "lanes may read another value"),
        ("xor.b32 %r9, %r2, %r1;", "a number that is not known"),
    ] {
        assert_eq!(between_lanes(&updated(index, "s64.s32")), ["anti (*) critical"], "{why}");
    }
    let own = indexed("mov.u32 %r9, %r2;", "s64.s32");
    let with =
        |load: &str, store: &str| between_lanes(&format!("{own} ld.global.{load}; st.global.u32 {store}, %r10;"));
    // Lane 4 reads what lane 5 writes later, and the last one that of another warp.
    assert_eq!(with("u32 %r10, [%rd9+4]", "[%rd9]"), ["anti (<) benign"]);
    assert_eq!(with("u32 %r10, [%rd9+124]", "[%rd9]"), ["anti (<) benign"]);
    assert_eq!(with("u32 %r10, [%rd9+128]", "[%rd9]"), [""; 0]);
    assert_eq!(with("u32 %r10, [%rd9]", "[%rd9+4]"), ["anti (>) reversible"]);
    assert_eq!(with("v2.u32 {%r10, %r11}, [%rd9]", "[%rd9]"), ["anti (<=) benign"]);
    assert_eq!(with("u32 %r10, [%rd9]", "[%rd9+2]"), ["anti (>=) reversible"]);
    let half = "shl.b32 %r9, %r2, 1; mov.u32 %r8, row; add.s32 %r9, %r8, %r9; ld.shared.u32 %r10, [%r9]; st.shared.u32 [%r9], %r10;";
    assert_eq!(between_lanes(half), ["anti (*) critical"]);
}

/// Figure 5 of the paper, by what its captions say, with the source first.
#[test]
fn the_examples_of_the_paper_have_its_vectors() {
    let own = indexed("mov.u32 %r9, %r2;", "s64.s32");
    // (a), (b): the element of the previous lane is read behind the store. (g): that of the next one.
    let straight =
        |by: &str| between_lanes(&format!("{own} st.global.u32 [%rd9], %r2; ld.global.u32 %r10, [%rd9{by}];"));
    assert_eq!(straight("+-4"), ["flow (<) benign"]);
    assert_eq!(straight("+4"), ["flow (>) reversible"]);
    // (c), (d): a lane depends on itself.
    assert_eq!(straight(""), [""; 0]);
    assert!(
        of(&format!("{own} st.global.u32 [%rd9], %r2; ld.global.u32 %r10, [%rd9];")).dependences[0].class()
            == Class::Intra
    );
    // (e), (h): a loop moves the element on, or back.
    let round = |step: &str| {
        between_lanes(&format!(
            "{own} mov.u32 %r11, 0;\nL: ld.global.u32 %r10, [%rd9]; st.global.u32 [%rd9], %r2;\n\
             add.s64 %rd9, %rd9, {step}; add.s32 %r11, %r11, 1; setp.lt.s32 %p1, %r11, %r1; @%p1 bra L;"
        ))
    };
    assert_eq!(round("-4"), ["anti (<, <) benign", "flow (<, <) benign", "output (<, <) benign"]);
    assert_eq!(round("4"), ["anti (>, <) reversible", "flow (>, <) reversible", "output (>, <) reversible"]);
    // A whole warp's elements further.
    assert_eq!(round("128"), [""; 0]);
    assert_eq!(round("120"), ["anti (>, <) reversible", "flow (>, <) reversible", "output (>, <) reversible"]);
}

/// Section III: the lower levels of a reduction, and those above with barriers.
#[test]
fn reductions_have_the_dependences_that_they_have() {
    let own = "shl.b32 %r9, %r2, 2; mov.u32 %r8, row; add.s32 %r9, %r8, %r9;";
    let level = |by: u32| {
        format!(
            "ld.shared.u32 %r10, [%r9+{by}]; ld.shared.u32 %r11, [%r9]; add.s32 %r11, %r11, %r10; st.shared.u32 [%r9], %r11;"
        )
    };
    let tail = between_lanes(&format!("{own} {} {}", level(64), level(32)));
    // Within each level, a lane overwrites what another one has read; between them, it reads what a higher one wrote.
    let expected = ["anti (<) benign", "anti (<) benign", "flow (>) reversible", "anti (<) benign"];
    assert_eq!(tail, expected);
    // s = ntid / 2, …; with a barrier. Whom it reads are beyond those that write: no dependence.
    let guarded = |guard: &str| {
        between_lanes(&format!(
            "{own} shr.u32 %r12, %r4, 1;\nL: {guard}\nshl.b32 %r13, %r12, 2; add.s32 %r13, %r9, %r13;\n\
             ld.shared.u32 %r10, [%r13]; ld.shared.u32 %r11, [%r9]; add.s32 %r11, %r11, %r10; st.shared.u32 [%r9], %r11;\n\
             NEXT: bar.sync 0; shr.u32 %r12, %r12, 1; setp.gt.u32 %p2, %r12, 0; @%p2 bra L;"
        ))
    };
    assert_eq!(guarded("setp.ge.u32 %p1, %r2, %r12; @%p1 bra NEXT;"), [""; 0]);
    assert_eq!(guarded("setp.le.s32 %p1, %r12, %r2; @%p1 bra NEXT;"), [""; 0]);
    // Without the guard, they are the lanes that follow.
    assert_eq!(guarded(""), ["anti (<=, =) benign"]);
    // Unless they are in other warps.
    assert_eq!(guarded("setp.lt.u32 %p1, %r12, 32; @%p1 bra NEXT;"), [""; 0]);
    // A loop that one warp runs without a barrier.
    let alone = format!(
        "{own} mov.u32 %r12, 16;\nL: shl.b32 %r13, %r12, 2; add.s32 %r13, %r9, %r13;\n\
         ld.shared.u32 %r10, [%r13]; ld.shared.u32 %r11, [%r9]; add.s32 %r11, %r11, %r10; st.shared.u32 [%r9], %r11;\n\
         shr.u32 %r12, %r12, 1; setp.gt.u32 %p2, %r12, 0; @%p2 bra L;"
    );
    assert!(between_lanes(&alone).contains(&"flow (>=, <) reversible".to_owned()), "{:?}", between_lanes(&alone));
}

#[test]
fn grid_strides_part_lanes() {
    let moved = |first: &str, step: &str| {
        of(&format!(
            "{first} {step}\nL: mul.wide.s32 %rd8, %r9, 4; add.s64 %rd9, %rd1, %rd8; ld.global.u32 %r10, [%rd9]; st.global.u32 [%rd9], %r10;\n\
             add.s32 %r9, %r9, %r12; setp.lt.s32 %p1, %r9, %r1; @%p1 bra L;"
        ))
    };
    let grid = "mad.lo.s32 %r9, %r3, %r4, %r2;";
    let by_grid = moved(grid, "mov.u32 %r13, %nctaid.x; mul.lo.s32 %r12, %r4, %r13;");
    // Where rows have a multiple of 32 threads, so has the stride, and an index that wraps changes nothing.
    assert!(by_grid.dependences.iter().all(|one| one.kept_in.bits() & 1 == 1 && !one.assumes_no_wrap));
    let by_block = moved("mov.u32 %r9, %r2;", "mov.u32 %r12, %r4;");
    assert!(by_block.dependences.iter().all(|one| one.kept_in.bits() & 1 == 1));
    let by_n = moved("mov.u32 %r9, %r2;", "mov.u32 %r12, %r1;");
    assert!(by_n.dependences.iter().any(|one| one.class() == Class::Critical));
    // A counter that wraps would come to the lanes in front.
    let by_one = moved("mov.u32 %r9, %r2;", "mov.u32 %r12, 1;");
    assert!(by_one.dependences.iter().any(|one| one.class() == Class::Reversible && one.assumes_no_wrap));
}

#[test]
fn barriers_and_objects_part_lanes() {
    let own = indexed("mov.u32 %r9, %r2;", "s64.s32");
    let between =
        |what: &str| between_lanes(&format!("{own} st.global.u32 [%rd9], %r2; {what} ld.global.u32 %r10, [%rd9+4];"));
    for meets in ["bar.sync 0;", "bar.warp.sync -1;", "barrier.sync 1, 64;"] {
        assert_eq!(between(meets), [""; 0], "{meets}");
    }
    for passes in ["bar.warp.sync 0xffff;", "setp.eq.u32 %p1, %r1, 0; @%p1 bar.sync 0;", "membar.cta;"] {
        assert_eq!(between(passes), ["flow (>) reversible"], "{passes}");
    }
    assert_eq!(between_lanes("atom.global.add.u32 %r9, [%rd1], 1; red.global.add.u32 [%rd1], 2;"), [""; 0]);
    let apart = of("ld.global.u32 %r9, [%rd1]; st.global.u32 [%rd2], %r9;");
    assert!(apart.assumes_apart && apart.dependences.is_empty());
    let own = of("ld.global.u32 %r9, [%rd1]; st.shared.u32 [row], %r9;");
    assert!(!own.assumes_apart && own.dependences.is_empty());
}

/// What lanes see of a value that a loop changes, which they leave apart.
#[test]
fn values_of_loops_that_lanes_leave_apart_differ() {
    let code = |bound: &str| {
        format!(
            "mov.u32 %r9, 0;\nL: add.s32 %r9, %r9, 1; setp.lt.s32 %p1, %r9, {bound}; @%p1 bra L;\n\
             add.s32 %r9, %r9, %r2; {}",
            updated("", "s64.s32")
        )
    };
    assert_eq!(between_lanes(&code("%r1")), [""; 0]);
    assert_eq!(between_lanes(&code("%r2")), ["anti (*) critical"]);
}

#[test]
fn the_shapes_in_which_lanes_are_apart_are_known() {
    let kept = |code: &str| of(code).dependences.iter().fold(Shapes::ALL, |all, one| all.and(one.kept_in)).bits();
    let narrow = |width: u32| 2u64 << width;
    // tile[y][x], with a row of 16 words.
    let tile = "shl.b32 %r9, %r5, 6; mov.u32 %r8, row; add.s32 %r9, %r8, %r9; shl.b32 %r10, %r2, 2; add.s32 %r9, %r9, %r10;\n\
                ld.shared.u32 %r10, [%r9]; st.shared.u32 [%r9], %r10;";
    let found = kept(tile);
    assert_eq!(found & 3, 3, "{found:#x}");
    assert!((1..=16).all(|width| found & narrow(width) != 0), "{found:#x}");
    // With 17 threads in x, thread 16 of a row is thread 0 of the next.
    assert!((17..32).all(|width| found & narrow(width) == 0), "{found:#x}");
    // The number of the thread, in any shape.
    let linear =
        "mov.u32 %r6, %tid.z; mov.u32 %r7, %ntid.y; mad.lo.s32 %r8, %r6, %r7, %r5; mad.lo.s32 %r9, %r8, %r4, %r2;";
    assert_eq!(kept(&updated(linear, "s64.s32")), Shapes::ALL.bits());
    // Without z, in those of which each warp has one.
    let flat = "mad.lo.s32 %r9, %r5, %r4, %r2;";
    assert_eq!(kept(&updated(flat, "s64.s32")), Shapes::ALL.bits() & !(1 << 33));
    // With a row whose width is not known.
    assert_eq!(kept(&updated("mad.lo.s32 %r9, %r5, %r1, %r2;", "s64.s32")), 3);
}

#[test]
fn ways_of_a_branch_are_siblings() {
    let own = "shl.b32 %r9, %r2, 2; mov.u32 %r8, row; add.s32 %r9, %r8, %r9;";
    let both = |condition: &str, load: &str| {
        of(&format!(
            "{own} {condition} @%p1 bra ELSE;\nst.shared.u32 [%r9], %r2; bra JOIN;\nELSE: ld.shared.u32 %r10, [{load}];\nJOIN: mov.u32 %r11, 0;"
        ))
        .siblings
        .len()
    };
    let half = "setp.lt.u32 %p1, %r2, 16;";
    assert_eq!(both(half, "%r9+4"), 1);
    // Lanes 0 to 15 read what lanes 0 to 15 would write, which do not.
    assert_eq!(both(half, "%r9"), 0);
    assert_eq!(both(half, "%r9+-4"), 0);
    // All lanes go one way.
    assert_eq!(both("setp.lt.u32 %p1, %r1, 16;", "%r9+4"), 0);
    assert_eq!(both("and.b32 %r12, %r2, 1; setp.eq.u32 %p1, %r12, 0;", "%r9+8"), 0);
}
