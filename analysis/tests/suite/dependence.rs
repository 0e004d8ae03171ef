//! Memory dependence and exclusion: how two accesses of one iteration are related.
use analysis::{Analyses, Block, Exclusion, MemoryDependence, Relation};
use ptx_parser::{Inst, Kernel, Module};

const HEAD: &str = ".version 9.0\n.target sm_90\n.address_size 64\n\
    .global .align 4 .b32 table[64];\n.global .align 4 .b32 other[64];\n.shared .align 4 .b32 tile[64];\n\
    .extern .shared .align 16 .b8 words[];\n.extern .shared .align 16 .b32 numbers[];\n\
    .entry k(.param .u64 a, .param .u64 b, .param .u32 n)\n{\n.reg .pred %p<9>;\n.reg .b32 %r<29>;\n.reg .b64 %rd<19>;\n\
    ld.param.u64 %rd1, [a]; cvta.to.global.u64 %rd1, %rd1; ld.param.u64 %rd2, [b]; cvta.to.global.u64 %rd2, %rd2;\n\
    ld.param.u32 %r9, [n]; mov.u32 %r1, %tid.x; mov.u32 %r8, %ntid.x;\nH:\n";
const TAIL: &str = "add.s32 %r1, %r1, %r8; setp.lt.s32 %p8, %r1, %r9; @%p8 bra H;\nret;\n}\n";

fn kernel(body: &str) -> Module {
    Module::parse(&format!("{HEAD}{body}\n{TAIL}")).unwrap()
}

/// The memory accesses of a kernel's loop, in order.
fn accesses(kernel: &Kernel, all: &Analyses, memory: &MemoryDependence<'_>) -> Vec<Inst> {
    let insts = all.cfg.blocks().filter(|&block| all.loops.innermost(block).is_some());
    let insts = insts.flat_map(|block| all.cfg.insts(block).to_vec());
    insts.filter(|&inst| memory.access(inst).is_some() && kernel.properties(inst).is_terminator().eq(&false)).collect()
}

/// How the first and the last access of the loop are related, in an iteration of it.
fn relation(body: &str, restricted: &[usize]) -> Relation {
    let module = kernel(body);
    let kernel = &module.kernels()[0];
    let all = Analyses::of(kernel);
    let memory = MemoryDependence::of(kernel, &all.cfg, &all.loops, &all.values, &all.invariance, restricted);
    let insts = accesses(kernel, &all, &memory);
    let [first, .., last] = insts[..] else { panic!("{} accesses", insts.len()) };
    let outer = all.loops.iter().next().unwrap();
    memory.relation(&memory.access(first).unwrap(), &memory.access(last).unwrap(), outer)
}

#[test]
fn state_spaces_and_variables_are_apart() {
    let at = |one: &str, other: &str| relation(&format!("st{one}, 1; st{other}, 2;"), &[]);
    assert_eq!(at(".global.u32 [table]", ".shared.u32 [tile]"), Relation::Disjoint);
    assert_eq!(at(".global.u32 [table]", ".global.u32 [other]"), Relation::Disjoint);
    assert_eq!(at(".global.u32 [table]", ".global.u32 [table]"), Relation::Overlapping);
    assert_eq!(at(".global.u32 [table+4]", ".global.u16 [table+6]"), Relation::Overlapping);
    assert_eq!(at(".global.u32 [table+4]", ".global.u32 [table+8]"), Relation::Disjoint);
    // The launch puts all arrays without a size at one address.
    assert_eq!(at(".shared.u32 [words]", ".shared.u32 [numbers]"), Relation::Overlapping);
    assert_eq!(at(".shared.u32 [words]", ".shared.u32 [tile]"), Relation::Disjoint);
    // What the host passes may be the address of a variable, or the same twice, or nowhere in a CTA.
    assert_eq!(at(".global.u32 [%rd1]", ".global.u32 [table]"), Relation::Unknown);
    assert_eq!(at(".global.u32 [%rd1]", ".global.u32 [%rd2]"), Relation::Unknown);
    assert_eq!(at(".u32 [%rd1]", ".shared.u32 [tile]"), Relation::Disjoint);
    // Numbers that are used as addresses are anywhere.
    assert_eq!(at(".global.u32 [4096]", ".global.u32 [table]"), Relation::Unknown);
}

#[test]
fn a_restricted_pointer_is_the_only_way_to_its_object() {
    let body = "st.global.u32 [%rd1], 1; st.global.u32 [%rd2], 2;";
    assert_eq!(relation(body, &[0]), Relation::Disjoint);
    assert_eq!(relation(body, &[1]), Relation::Disjoint);
    assert_eq!(relation(body, &[2]), Relation::Unknown);
    let chosen = "selp.b64 %rd3, %rd1, %rd2, %p1; st.global.u32 [%rd3], 1; st.global.u32 [%rd2], 2;";
    assert_eq!(relation(chosen, &[0, 1]), Relation::SameObject);
    let loaded = "ld.global.u64 %rd3, [table]; st.global.u32 [%rd3], 1; st.global.u32 [%rd1+4], 1;";
    let last = relation(&format!("st.global.u32 [%rd2], 2; {loaded}"), &[0]);
    assert_eq!(last, Relation::Disjoint);
    assert_eq!(
        relation(&format!("st.global.u32 [%rd1], 2; {loaded} st.global.u32 [%rd3], 1;"), &[0]),
        Relation::Unknown
    );
}

#[test]
fn an_index_that_is_put_together_leads_to_the_object_that_it_is_added_to() {
    let index =
        "mul.wide.u32 %rd3, %r1, 4; and.b64 %rd4, %rd3, 255; and.b64 %rd3, %rd3, -256; or.b64 %rd4, %rd3, %rd4;";
    let at =
        |address: &str| relation(&format!("{index} {address} st.global.u32 [%rd5], 1; st.global.u32 [%rd1], 2;"), &[1]);
    assert_eq!(at("add.s64 %rd5, %rd1, %rd4;"), Relation::SameObject);
    assert_eq!(at("add.s64 %rd5, %rd2, %rd4;"), Relation::Disjoint);
    // By itself it may be an address whose halves were apart.
    assert_eq!(at("mov.b64 %rd5, %rd4;"), Relation::Unknown);
    assert_eq!(at("selp.b64 %rd5, %rd2, %rd4, %p1;"), Relation::Unknown);
    // A shared address in 32 bits, made a generic one, and chosen or not.
    let generic =
        "mov.u32 %r3, tile; cvt.u64.u32 %rd3, %r3; cvta.shared.u64 %rd3, %rd3; selp.b64 %rd5, %rd3, %rd1, %p1;";
    let after = |store: &str| relation(&format!("{generic} st.u32 [%rd5], 1; {store}"), &[1]);
    assert_eq!(after("st.shared.u32 [tile], 2;"), Relation::SameObject);
    assert_eq!(after("st.global.u32 [%rd1], 2;"), Relation::SameObject);
    assert_eq!(after("st.global.u32 [%rd2], 2;"), Relation::Disjoint);
}

#[test]
fn the_same_index_is_the_same_place_and_a_constant_away_is_another() {
    let index = "mul.wide.s32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3;";
    let at = |more: &str, other: &str| {
        relation(&format!("{index} st.global.u32 [%rd4], 1; {more} st.global.{other}, 2;"), &[])
    };
    assert_eq!(at("", "u32 [%rd4]"), Relation::Overlapping);
    assert_eq!(at("", "u32 [%rd4+4]"), Relation::Disjoint);
    assert_eq!(at("", "u32 [%rd4+-2]"), Relation::Overlapping);
    // Computed again, in another width, and by shifts.
    let again = "cvt.s64.s32 %rd5, %r1; shl.b64 %rd5, %rd5, 2; add.s64 %rd5, %rd5, %rd1;";
    assert_eq!(at(again, "u32 [%rd5]"), Relation::Overlapping);
    let counter = "cvt.s64.s32 %rd5, %r1; cvt.u32.u64 %r3, %rd5; mad.wide.s32 %rd6, %r3, 4, %rd1;";
    assert_eq!(at(counter, "u32 [%rd6]"), Relation::Overlapping);
    // The next element, whether or not the index wraps; half of the elements, of which the same one is in either.
    let next = "add.s32 %r3, %r1, 1; mul.wide.s32 %rd5, %r3, 4; add.s64 %rd5, %rd1, %rd5;";
    assert_eq!(at(next, "u32 [%rd5]"), Relation::Disjoint);
    assert_eq!(at(next, "u64 [%rd5+-4]"), Relation::SameObject);
    let unknown = "add.s32 %r3, %r1, %r9; mul.wide.s32 %rd5, %r3, 4; add.s64 %rd5, %rd1, %rd5;";
    assert_eq!(at(unknown, "u32 [%rd5]"), Relation::SameObject);
    // As an unsigned index it may be the same one.
    let unsigned = "mul.wide.u32 %rd5, %r1, 4; add.s64 %rd5, %rd1, %rd5;";
    assert_eq!(at(unsigned, "u32 [%rd5]"), Relation::SameObject);
}

#[test]
fn fields_of_structures_are_apart_whichever_their_elements_are() {
    let at = |bytes: u32, other: &str| {
        let body = format!(
            "mul.wide.s32 %rd3, %r1, {bytes}; add.s64 %rd3, %rd1, %rd3; mul.wide.s32 %rd4, %r9, {bytes};
             add.s64 %rd4, %rd1, %rd4; st.global.u32 [%rd3], 1; st.global.{other}, 2;"
        );
        relation(&body, &[])
    };
    assert_eq!(at(12, "u32 [%rd4+4]"), Relation::Disjoint);
    assert_eq!(at(12, "u32 [%rd4+-4]"), Relation::Disjoint);
    assert_eq!(at(12, "u64 [%rd4+4]"), Relation::Disjoint);
    assert_eq!(at(12, "u64 [%rd4+8]"), Relation::SameObject);
    assert_eq!(at(12, "u32 [%rd4+12]"), Relation::SameObject);
    // 64-bit products may wrap, so that only powers of two tell anything.
    let wide = |bytes: u32, offset: u32| {
        let body = format!(
            "ld.global.u64 %rd5, [table]; ld.global.u64 %rd6, [table+8]; mad.lo.s64 %rd3, %rd5, {bytes}, %rd1;
             mad.lo.s64 %rd4, %rd6, {bytes}, %rd1; st.global.u32 [%rd3], 1; st.global.u32 [%rd4+{offset}], 2;"
        );
        let module = kernel(&body);
        let kernel = &module.kernels()[0];
        let all = Analyses::of(kernel);
        let memory = MemoryDependence::of(kernel, &all.cfg, &all.loops, &all.values, &all.invariance, &[]);
        let insts = accesses(kernel, &all, &memory);
        let [.., one, other] = insts[..] else { panic!() };
        let outer = all.loops.iter().next().unwrap();
        memory.relation(&memory.access(one).unwrap(), &memory.access(other).unwrap(), outer)
    };
    assert_eq!(wide(12, 4), Relation::SameObject);
    assert_eq!(wide(16, 4), Relation::Disjoint);
}

#[test]
fn what_an_inner_loop_changes_is_not_the_same_twice() {
    let inner = |other: &str| {
        format!(
            "mov.u32 %r3, 0;\nI: add.s32 %r4, %r1, %r3; mul.wide.s32 %rd3, %r4, 4; add.s64 %rd3, %rd1, %rd3;
             st.global.u32 [%rd3], 1; add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, %r9; @%p1 bra I;
             st.global.u32 [{other}], 2;"
        )
    };
    assert_eq!(relation(&inner("%rd3"), &[]), Relation::SameObject);
    assert_eq!(relation(&inner("%rd3+2"), &[]), Relation::SameObject);
    assert_eq!(relation(&inner("%rd2"), &[]), Relation::Unknown);
}

/// Through the non-coherent cache nothing is read that the kernel writes, but under a name that it is also written by.
#[test]
fn a_noncoherent_load_meets_what_is_written_by_its_own_names_only() {
    let chosen = "setp.ne.s32 %p1, %r1, 0; selp.b64 %rd3, %rd1, %rd2, %p1;";
    let read = |store: &str| format!("{chosen} st.global.u32 [{store}], 1; ld.global.nc.u32 %r3, [%rd3];");
    assert_eq!(relation(&read("%rd1"), &[0, 1]), Relation::SameObject);
    assert_eq!(relation("st.global.u32 [%rd1], 1; ld.global.nc.u32 %r3, [%rd2];", &[]), Relation::Disjoint);
    assert_eq!(relation("st.global.u32 [%rd1], 1; ld.global.nc.u32 %r3, [%rd1];", &[]), Relation::Overlapping);
}

#[test]
fn what_does_not_change_is_no_access() {
    let module = kernel(
        "ld.global.nc.u32 %r3, [%rd1]; ld.param.u32 %r4, [n]; ld.const.u32 %r5, [16]; membar.gl;
         cp.async.ca.shared.global [tile], [%rd1], 4; atom.global.add.u32 %r6, [%rd2], 1;",
    );
    let kernel = &module.kernels()[0];
    let all = Analyses::of(kernel);
    let memory = MemoryDependence::of(kernel, &all.cfg, &all.loops, &all.values, &all.invariance, &[]);
    let text: Vec<String> = memory.describe().lines().map(str::to_owned).collect();
    let expected = [
        "H: ld.global.nc.u32 reads 4 bytes of global at [a], in a",
        "H: cp.async.ca.shared.global updates any bytes of any space at ?, in anything",
        "H: atom.global.add.u32 updates 4 bytes of global at [b], in b",
    ];
    assert_eq!(text, expected);
}

/// Returns true if the last two blocks of the loop that are executed under a condition exclude each other.
fn exclude(body: &str) -> bool {
    let module = kernel(body);
    let kernel = &module.kernels()[0];
    let all = Analyses::of(kernel);
    let exclusion = Exclusion {
        kernel,
        cfg: &all.cfg,
        dominators: &all.dominators,
        loops: &all.loops,
        values: &all.values,
        invariance: &all.invariance,
        equal: &rustc_hash::FxHashMap::default(),
    };
    let named = |name: &str| -> Block {
        let label = kernel.labels().find(|&label| kernel.label_name(label) == name).unwrap();
        all.cfg.label_block(label).unwrap()
    };
    let (one, other) = (named("A"), named("B"));
    let outer = all.loops.iter().next().unwrap();
    let both = exclusion.exclude(one, other, outer);
    assert_eq!(both, exclusion.exclude(other, one, outer));
    both
}

#[test]
fn conditions_that_contradict_each_other_exclude() {
    let two = |one: &str, other: &str| {
        let load = "ld.global.u32 %r3, [%rd1]; ld.global.u32 %r4, [%rd2];";
        exclude(&format!(
            "{load} {one} @!%p1 bra X;\nA: st.global.u32 [%rd2], 1;\nX: {other} @%p2 bra B; bra Y;\nB: st.global.u32 [%rd2], 2;\nY:"
        ))
    };
    let is = |number: i32| format!("setp.eq.s32 %p1, %r3, {number};");
    assert!(two(&is(0), "setp.eq.s32 %p2, %r3, 3;"));
    assert!(!two(&is(3), "setp.eq.s32 %p2, %r3, 3;"));
    // Another word, and one of which only an inequality is known.
    assert!(!two(&is(0), "setp.eq.s32 %p2, %r4, 3;"));
    assert!(!two("setp.ne.s32 %p1, %r3, 0;", "setp.eq.s32 %p2, %r3, 3;"));
    // The same condition, and its opposite.
    assert!(two("setp.gt.s32 %p1, %r3, %r4;", "not.pred %p2, %p1;"));
    assert!(!two("setp.gt.s32 %p1, %r3, %r4;", "mov.pred %p2, %p1;"));
    // A remainder, as a compiler computes it.
    let remainder = "shr.s32 %r5, %r3, 31; shr.u32 %r6, %r5, 30; add.s32 %r7, %r3, %r6; and.b32 %r7, %r7, -4;
                     sub.s32 %r7, %r3, %r7; setp.eq.s32 %p2, %r7, ";
    assert!(two(&is(0), &format!("{remainder} 3;")));
    assert!(two(&is(-5), &format!("{remainder} 3;")));
    assert!(!two(&is(-5), &format!("{remainder} -1;")));
    assert!(!two(&is(7), &format!("{remainder} 3;")));
    // Together with something else; either is not enough.
    let both = "setp.eq.s32 %p3, %r3, 0; setp.gt.s32 %p4, %r4, 0;";
    assert!(two(&format!("{both} and.pred %p1, %p3, %p4;"), "setp.eq.s32 %p2, %r3, 3;"));
    assert!(!two(&format!("{both} or.pred %p1, %p3, %p4;"), "setp.eq.s32 %p2, %r3, 3;"));
    // A word that is written again between.
    assert!(!two(&is(0), "ld.global.u32 %r3, [%rd1]; setp.eq.s32 %p2, %r3, 3;"));
}

#[test]
fn what_an_inner_loop_changes_excludes_nothing() {
    let body = "mov.u32 %r3, 0;
        I: setp.eq.s32 %p1, %r3, 0; @!%p1 bra X;\nA: st.global.u32 [%rd2], 1;
        X: setp.eq.s32 %p2, %r3, 3; @!%p2 bra Y;\nB: st.global.u32 [%rd2], 2;
        Y: add.s32 %r3, %r3, 1; setp.lt.s32 %p3, %r3, %r9; @%p3 bra I;";
    assert!(!exclude(body));
}
