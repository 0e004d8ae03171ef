//! Loops that wait by way of memory: other names of it, copies that others make, state that is kept there, reads that are weak.
use ptx_parser::Module;
use ssde_ptx::{Finding, Found, detect, find};

/// A kernel of a module with dynamic shared memory under two names, two variables beside each other, and a body.
fn module(body: &str) -> Module {
    let text = format!(
        ".version 8.6\n.target sm_90\n.address_size 64\n.extern .shared .align 16 .b8 ints[];\n.extern .shared .align 16 .b8 words[];\n\
         .shared .align 4 .b8 first[16];\n.shared .align 4 .b8 second[16];\n\
         .visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n) {{\n.reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<9>;\n\
         ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nmov.u32 %r1, %tid.x;\n{body}\nret;\n}}\n"
    );
    Module::parse(&text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

fn shared(body: &str) -> Vec<Finding> {
    detect(&module(body).kernels()[0])
}

/// A lock at an address that is given back at another one.
fn lock(taken: &str, given: &str) -> String {
    format!(
        "mul.lo.u32 %r5, %r1, 4;\nmov.u32 %r6, first;\nadd.u32 %r7, %r6, 16;\ncvta.to.global.u64 %rd3, %rd1;\ncvt.u32.u64 %r8, %rd1;\ncvt.u64.u32 %rd4, %r8;\n\
         mov.u64 %rd5, second;\ncvta.shared.u64 %rd6, %rd5;\nLOOP:\natom{taken};\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra LOOP;\nmembar.gl;\nst.volatile{given}, 0;"
    )
}

#[test]
fn names_of_one_memory_are_one_place() {
    let found = |taken: &str, given: &str| shared(&lock(taken, given)).len();
    let take = |at: &str| format!(".shared.cas.b32 %r2, [{at}], 0, 1");
    let give = |at: &str| format!(".shared.u32 [{at}]");
    // All dynamic arrays begin at one address.
    assert_eq!(found(&take("ints"), &give("words")), 1);
    assert_eq!(found(&take("ints+4"), &give("words+4")), 1);
    assert_eq!(found(&take("ints+4"), &give("words+8")), 0);
    // What is behind a variable may be the next one, or the dynamic memory.
    assert_eq!(found(&take("first"), &give("second")), 0);
    assert_eq!(found(&take("first+16"), &give("second")), 1);
    assert_eq!(found(&take("first+12"), &give("second")), 0);
    assert_eq!(found(&take("first+16"), &give("words")), 1);
    assert_eq!(found(&take("second"), &give("%r7")), 1);
    assert_eq!(found(&take("ints"), &give("second")), 0);
    assert_eq!(found(&take("ints+-4"), &give("second+12")), 1);
    // Dynamic memory is not static memory.
    assert_eq!(found(&take("ints"), &give("first")), 0);
}

#[test]
fn numbers_that_are_used_as_addresses_may_be_any() {
    let found = |taken: &str, given: &str| shared(&lock(taken, given)).len();
    let take = ".shared.cas.b32 %r2, [second], 0, 1";
    // A generic address that `cvta` made is one of its variable.
    assert_eq!(found(take, ".u32 [%rd6]"), 1);
    assert_eq!(found(".shared.cas.b32 %r2, [first], 0, 1", ".u32 [%rd6]"), 0);
    // A number of the same value is none, and may lie anywhere in global memory.
    assert_eq!(found(".global.cas.b32 %r2, [%rd1], 0, 1", ".u32 [%rd5]"), 1);
    // A pointer of the host is one to global memory, unless it was cut to 32 bits.
    assert_eq!(found(take, ".u32 [%rd1]"), 0);
    assert_eq!(found(take, ".u32 [%rd4]"), 1);
}

/// One way waits at a loop, and the other one does something.
fn beside(read: &str, done: &str) -> Vec<Finding> {
    shared(&body_beside(read, done))
}

fn body_beside(read: &str, done: &str) -> String {
    format!(
        "mov.u32 %r9, first;\nand.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra SET;\nWAIT:\n{read}\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra WAIT;\nbra JOIN;\n\
         SET:\n{done}\nJOIN:"
    )
}

#[test]
fn asynchronous_copies_write_both_ends_and_their_barrier() {
    let barrier = "mbarrier.test_wait.parity.shared.b64 %p3, [first], 0;\nselp.u32 %r3, 1, 0, %p3;";
    let bulk = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [second], [%rd1], 16, [first];";
    let found = |read: &str, done: &str| beside(read, done).len();
    assert_eq!(found(barrier, bulk), 1);
    assert_eq!(found(barrier, &bulk.replace("[second]", "[first]").replace(", [first];", ", [second];")), 1);
    let reads = |at: &str| format!("ld.volatile.{at};");
    // What is copied is read and not written; where it goes is written.
    assert_eq!(found(&reads("shared.u32 %r3, [second+4]"), bulk), 1);
    assert_eq!(found(&reads("global.u32 %r3, [%rd1]"), bulk), 0);
    assert_eq!(found(&reads("shared.u32 %r3, [second]"), "cp.async.ca.shared.global [second], [%rd1], 4;"), 1);
    assert_eq!(found(&reads("shared.u32 %r3, [second+4]"), "cp.async.ca.shared.global [second], [%rd1], 4;"), 0);
    let global = reads("global.u32 %r3, [%rd1]");
    for done in [
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd2], [second], 16;",
        "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd2, {%r1}], [second];",
        "sust.b.1d.b32.trap [%rd2, {%r1}], %r1;",
        "sured.b.add.1d.u32.trap [%rd2, {%r1}], %r1;",
    ] {
        assert_eq!(found(&global, done), 1, "{done}");
        assert_eq!(found(&reads("shared.u32 %r3, [first]"), done), 0, "{done}");
    }
    for done in [
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r9], %r1, [second];",
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r9], %r1, [second];",
        "cp.async.mbarrier.arrive.shared.b64 [first];",
        "cp.async.mbarrier.arrive.b64 [%rd2];",
    ] {
        assert_eq!(found(&reads("shared.u32 %r3, [first]"), done), 1, "{done}");
        assert_eq!(found(&global, done), 0, "{done}");
    }
    assert_eq!(
        found(
            &reads("shared.u32 %r3, [second]"),
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r9], %r1, [second];"
        ),
        1
    );
    // Waiting for one's own copies writes nothing.
    for done in ["cp.async.wait_all;", "cp.async.bulk.commit_group;", "cp.async.bulk.wait_group.read 0;"] {
        assert_eq!(found(&global, done), 0, "{done}");
    }
}

#[test]
fn what_copies_read_decides_what_they_write() {
    // The first CTA's odd lanes wait for what the second one copies again and again from where the even lanes of the first one write.
    let body = |from: &str| {
        format!(
            "mov.u32 %r9, %ctaid.x;\nsetp.eq.u32 %p4, %r9, 0;\n@%p4 bra FIRST;\nCOPY:\n\
             cp.async.bulk.global.shared::cta.bulk_group [%rd1], [second], 16;\ncp.async.ca.shared.global [second], [{from}], 4;\n\
             ld.volatile.shared.u32 %r4, [ints];\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra COPY;\nbra DONE;\n\
             FIRST:\nand.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra SET;\nWAIT:\nld.volatile.global.u32 %r3, [%rd1];\nsetp.eq.u32 %p2, %r3, 0;\n\
             @%p2 bra WAIT;\nbra DONE;\nSET:\nst.volatile.shared.u32 [first], 1;\nDONE:"
        )
    };
    assert_eq!(shared(&body("%rd2")).len(), 0);
    let passed = body("%rd2").replace("st.volatile.shared.u32 [first], 1", "st.volatile.global.u32 [%rd2], 1");
    assert_eq!(shared(&passed).len(), 1);
}

#[test]
fn weak_reads_that_only_another_thread_can_change_are_found_and_marked() {
    let weak = |read: &str| {
        let findings = beside(&format!("{read};"), "st.volatile.global.u32 [%rd1], 1;");
        findings.iter().map(|finding| finding.weak).collect::<Vec<_>>()
    };
    assert_eq!(weak("ld.volatile.global.u32 %r3, [%rd1]"), [false]);
    for read in [
        "ld.global.cg.u32 %r3, [%rd1]",
        "ld.cv.u32 %r3, [%rd1]",
        "ld.global.u32 %r3, [%rd1]",
        "suld.b.1d.b32.trap {%r3}, [%rd2, {%r1}]",
    ] {
        assert_eq!(weak(read), [true], "{read}");
    }
    // The next address, or a counter, comes of the last one: a search, which is taken to learn nothing of what others write meanwhile, unless nothing is assumed.
    for read in [
        "add.u64 %rd1, %rd1, 4;\nld.global.u32 %r3, [%rd1]",
        "ld.global.u64 %rd1, [%rd1];\ncvt.u32.u64 %r3, %rd1",
        "ld.global.u32 %r4, [%rd1];\nadd.u32 %r5, %r5, 1;\nshr.u32 %r3, %r5, %r4",
    ] {
        assert_eq!(weak(read), [true], "{read}");
        let module = module(&body_beside(&format!("{read};"), "st.volatile.global.u32 [%rd1], 1;"));
        let Found { findings, assumptions, .. } = find(&module, &module.kernels()[0]);
        assert_eq!(findings, [], "{read}");
        assert!(matches!(&assumptions[..], [assumption] if !assumption.raced.is_empty()), "{read}: {assumptions:?}");
    }
    // Nobody writes there.
    assert_eq!(beside("add.u64 %rd1, %rd1, 4;\nld.global.u32 %r3, [%rd1];", "st.volatile.shared.u32 [%r9], 1;"), []);
    // A flag that is given constants is neither.
    assert_eq!(
        weak("mov.u32 %r4, %r3;\nld.global.u32 %r7, [%rd1];\nsetp.ne.u32 %p0, %r7, 0;\nselp.u32 %r3, 1, %r4, %p0"),
        [true]
    );
}

#[test]
fn state_in_memory_leads_to_what_it_is_made_of() {
    let body = |slot: &str, space: &str| {
        format!(
            "mov.u32 %r6, first;\nmul.lo.u32 %r5, %r1, 4;\nadd.u32 %r6, %r6, %r5;\nst.volatile.{space}.u32 [{slot}], 0;\nLOOP:\n\
             ld.volatile.{space}.u32 %r4, [{slot}];\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 bra OUT;\natom.global.cas.b32 %r2, [%rd1], 0, 1;\n\
             setp.eq.u32 %p2, %r2, 0;\nselp.u32 %r3, 1, 0, %p2;\nst.volatile.{space}.u32 [{slot}], %r3;\nbra LOOP;\nOUT:\nmembar.gl;\n\
             st.volatile.global.u32 [%rd1], 0;"
        )
    };
    let findings = shared(&body("%r6", "shared"));
    assert_eq!(findings.len(), 1);
    // The read of the state, and that of the lock.
    assert_eq!((findings[0].reads.len(), findings[0].writes.len()), (2, 1));
    assert_eq!(shared(&body("%rd2", "global")).len(), 1);
}

/// A warp that leaves a loop together keeps nobody back, but what it does behind that is waited for.
#[test]
fn loops_of_whole_warps_are_links_of_what_others_wait_for() {
    let body = "
    mov.u32 %r9, %ctaid.x;
    setp.eq.u32 %p4, %r9, 0;
    @%p4 bra FIRST;
TOGETHER:
    ld.volatile.global.u32 %r3, [%rd1];
    setp.ne.u32 %p1, %r3, 0;
    vote.sync.any.pred %p2, %p1, -1;
    @!%p2 bra TOGETHER;
    st.volatile.shared.u32 [first], 1;
    bra DONE;
FIRST:
    setp.ne.u32 %p5, %r1, 0;
    @%p5 bra MEET;
LOOP:
    ld.volatile.shared.u32 %r4, [first];
    setp.eq.u32 %p1, %r4, 0;
    @%p1 bra LOOP;
MEET:
    st.volatile.global.u32 [%rd1], 1;
DONE:";
    assert_eq!(shared(body).len(), 1);
    assert_eq!(shared(&body.replace("    @!%p2 bra TOGETHER;\n", "")).len(), 0);
}
