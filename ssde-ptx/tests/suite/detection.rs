//! Loops that deadlock on a reconvergence stack, and loops that only look like it.
use ptx_parser::{Kernel, Module};
use ssde_ptx::{Finding, detect, find};

/// A module whose kernel has two pointers, a flag and the number of the lane, around a body.
fn module(body: &str) -> Module {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.global .u32 one;\n.global .u32 two;\n\
         .visible .entry k(.param .u64 a, .param .u64 b) {{\n.reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<9>;\n\
         .shared .align 4 .b8 buffer[64];\n.local .align 4 .b8 own[16];\n\
         ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nmov.u32 %r1, %tid.x;\n{body}\nret;\n}}\n"
    );
    Module::parse(&text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

fn kernel(body: &str) -> Kernel {
    module(body).kernels()[0].clone()
}

fn found(body: &str) -> Vec<Finding> {
    detect(&kernel(body))
}

/// The lock of Figure 1: taken in a loop, released behind it.
const SPIN: &str = "
LOOP:
    atom.global.cas.b32 %r2, [%rd1], 0, 1;
    setp.ne.u32 %p1, %r2, 0;
    @%p1 bra LOOP;
    st.global.u32 [%rd2], %r1;
    atom.global.exch.b32 %r3, [%rd1], 0;
DONE:";

#[test]
fn a_lock_that_is_released_behind_its_loop_deadlocks() {
    let kernel = kernel(SPIN);
    let findings = detect(&kernel);
    assert_eq!(findings.len(), 1);
    let finding = &findings[0];
    assert_eq!(finding.reads.len(), 1);
    // The data may be in the lock's place as well, for all that is known of two pointers.
    assert_eq!(finding.writes.len(), 2);
    assert!(finding.writes.iter().all(|write| write.reachable));
    // Lanes may meet behind the release and not before.
    let safe = finding.safe.unwrap();
    assert_eq!(Some(safe.block), finding.meeting);
    assert_eq!(safe.index, 2);
}

#[test]
fn the_instructions_of_all_blocks_of_a_loop_are_counted() {
    let counts = |body: &str| found(body).iter().map(|finding| finding.instructions).collect::<Vec<_>>();
    assert_eq!(counts(SPIN), [3]);
    // What a lane executes on its way out is not of the loop.
    assert_eq!(counts(FLAG), [3]);
    let blocks = SPIN.replace(
        "@%p1 bra LOOP;",
        "@!%p1 bra OUT;\nsetp.gt.u32 %p2, %r1, 7;\n@%p2 bra NEXT;\nadd.u32 %r4, %r4, 1;\nNEXT:\nbra LOOP;\nOUT:",
    );
    assert_eq!(counts(&blocks), [7]);
    let two_entries = SPIN.replace("LOOP:", "mov.u32 %r2, 1;\nsetp.gt.u32 %p2, %r1, 7;\n@%p2 bra TEST;\nLOOP:");
    assert_eq!(counts(&two_entries.replace("setp.ne", "TEST:\nsetp.ne")), [3]);
    // These are the instructions of the kernel: the copy that is looked at has two moves for each of these accesses.
    let own = "LOOP:\nst.local.v2.u32 [own], {%r2, %r4};\nld.local.v2.u32 {%r2, %r4}, [own];";
    assert_eq!(counts(&SPIN.replace("LOOP:", own)), [5]);
}

/// Figure 3: the release is in the loop.
#[test]
fn a_lock_that_is_released_in_its_loop_does_not() {
    let body = "
    mov.u32 %r4, 0;
LOOP:
    atom.global.cas.b32 %r2, [%rd1], 0, 1;
    setp.ne.u32 %p1, %r2, 0;
    @%p1 bra NEXT;
    st.global.u32 [%rd2], %r1;
    atom.global.exch.b32 %r3, [%rd1], 0;
    mov.u32 %r4, 1;
NEXT:
    setp.eq.u32 %p2, %r4, 0;
    @%p2 bra LOOP;";
    assert_eq!(found(body), []);
}

/// One way waits for a flag that the other one sets.
const FLAG: &str = "
    and.b32 %r2, %r1, 1;
    setp.eq.u32 %p1, %r2, 0;
    @%p1 bra SET;
WAIT:
    ld.volatile.global.u32 %r3, [one];
    setp.eq.u32 %p2, %r3, 0;
    @%p2 bra WAIT;
    bra JOIN;
SET:
    st.volatile.global.u32 [one], 1;
JOIN:
    st.global.u32 [two], 5;";

#[test]
fn a_flag_that_the_other_way_of_a_branch_sets_deadlocks() {
    let findings = found(FLAG);
    assert_eq!(findings.len(), 1);
    let [write] = findings[0].writes.as_slice() else { panic!("{findings:?}") };
    assert!(write.parallel && !write.reachable, "{write:?}");
    // Where the two ways meet, everybody who sets the flag has done so.
    let kernel = kernel(FLAG);
    let join = detect(&kernel)[0].safe.unwrap();
    assert_eq!(join.index, 0);
    assert_ne!(Some(join.block), findings[0].meeting);
}

#[test]
fn other_places_set_nobody_free() {
    assert_eq!(found(&FLAG.replace("st.volatile.global.u32 [one]", "st.volatile.global.u32 [two]")), []);
    assert_eq!(
        found(&FLAG.replace("[one], 1", "[buffer], 1").replace("volatile.global.u32 [buf", "volatile.shared.u32 [buf")),
        []
    );
    let apart = FLAG.replace("ld.volatile.global.u32 %r3, [one]", "ld.volatile.global.u32 %r3, [%rd1+4]");
    assert_eq!(
        found(
            &apart
                .replace("st.volatile.global.u32 [one], 1", "st.volatile.global.u32 [%rd1+8], 1")
                .replace("[two]", "[%rd1]")
        ),
        []
    );
    // A store of twice the width touches both.
    let wide = apart
        .replace("st.volatile.global.u32 [one], 1", "st.volatile.global.u64 [%rd1], 1")
        .replace("[two]", "[%rd1+8]");
    assert_eq!(found(&wide).len(), 1);
    // An index that differs between lanes may be anything.
    let indexed = apart.replace(
        "st.volatile.global.u32 [one], 1",
        "mad.wide.u32 %rd3, %r1, 4, %rd1;\nst.volatile.global.u32 [%rd3], 1",
    );
    assert_eq!(found(&indexed).len(), 1);
}

#[test]
fn whole_warps_that_leave_together_wait_for_nobody() {
    let voted = |vote: &str| {
        format!(
            "LOOP:
    ld.volatile.global.u32 %r2, [one];
    setp.ne.u32 %p1, %r2, 0;
    {vote}
    @!%p2 bra LOOP;
    st.volatile.global.u32 [one], 0;"
        )
    };
    assert_eq!(found(&voted("vote.sync.all.pred %p2, %p1, -1;")), []);
    assert_eq!(found(&voted("mov.b32 %r4, -1;\nvote.sync.all.pred %p2, %p1, %r4;")), []);
    assert_eq!(found(&voted("mov.b32 %r4, 15;\nvote.sync.all.pred %p2, %p1, %r4;")).len(), 1);
    // Without the vote, and with one that does not ask all lanes, some lanes leave before others.
    assert_eq!(found(&voted("mov.pred %p2, %p1;")).len(), 1);
    assert_eq!(found(&voted("vote.sync.all.pred %p2, %p1, 15;")).len(), 1);
}

#[test]
fn nobody_in_the_loop_has_come_to_a_barrier_behind_it() {
    let barrier = |barrier: &str| SPIN.replace("st.global.u32 [%rd2], %r1;", barrier);
    assert_eq!(found(&barrier("bar.sync 0;")), []);
    assert_eq!(found(&barrier("bar.red.popc.u32 %r3, 0, %p1;")), []);
    // Nor is anybody of the warp behind what all of its lanes come to.
    for all in [
        "bar.warp.sync -1;",
        "bar.warp.sync 0xffffffff;",
        "mov.u32 %r3, -1;\nbar.warp.sync %r3;",
        "vote.sync.any.pred %p2, %p1, -1;",
        "shfl.sync.idx.b32 %r3, %r1, 0, 31, -1;",
    ] {
        assert_eq!(found(&barrier(all)), [], "{all}");
    }
    // One that only some threads come to, or that is not waited at, keeps nobody.
    for some in [
        "bar.sync 0, 64;",
        "bar.red.popc.u32 %r3, 0, 64, %p1;",
        "bar.arrive 0, 64;",
        "@%p1 bar.sync 0;",
        "bar.warp.sync 15;",
        "@%p1 bar.warp.sync -1;",
        "activemask.b32 %r3;\nbar.warp.sync %r3;",
        "mov.u32 %r3, -1;\n@%p1 mov.u32 %r3, 15;\nbar.warp.sync %r3;",
        "mov.u32 %r3, 15;\nbar.warp.sync %r3;",
        "activemask.b32 %r3;",
    ] {
        assert_eq!(found(&barrier(some)).len(), 1, "{some}");
    }
}

#[test]
fn conditions_are_followed_through_selects_predicates_local_memory_and_control() {
    let loops = [
        "ld.volatile.global.u32 %r2, [one];\nselp.u32 %r3, 1, 0, %p0;\nadd.u32 %r4, %r2, %r3;\nsetp.eq.u32 %p1, %r4, 0;",
        "ld.volatile.global.u32 %r2, [one];\nsetp.eq.u32 %p2, %r2, 0;\nmov.u32 %r3, 0;\n@%p2 mov.u32 %r3, 1;\nsetp.eq.u32 %p1, %r3, 1;",
        "ld.volatile.global.u32 %r2, [one];\nst.local.u32 [own], %r2;\nld.local.u32 %r3, [own];\nsetp.eq.u32 %p1, %r3, 0;",
        "ld.volatile.global.u32 %r2, [one];\nsetp.eq.u32 %p2, %r2, 0;\nmov.u32 %r3, 0;\n@%p2 bra SKIP;\nmov.u32 %r3, 1;\nSKIP:\nsetp.eq.u32 %p1, %r3, 0;",
    ];
    for condition in loops {
        let body =
            format!("setp.eq.u32 %p0, %r1, 3;\nLOOP:\n{condition}\n@%p1 bra LOOP;\nst.volatile.global.u32 [one], 1;");
        let findings = found(&body);
        assert_eq!(findings.len(), 1, "{body}");
        assert_eq!((findings[0].reads.len(), findings[0].writes.len()), (1, 1), "{body}");
    }
    // A counter is no condition that others make.
    let counted = "mov.u32 %r3, 0;\nLOOP:\nld.volatile.global.u32 %r2, [one];\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 9;\n@%p1 bra LOOP;\nst.volatile.global.u32 [one], 1;";
    assert_eq!(found(counted), []);
}

#[test]
fn a_read_before_the_loop_waits_for_nothing() {
    let before = "ld.volatile.global.u32 %r2, [one];\nLOOP:\nsub.u32 %r2, %r2, 1;\nmembar.gl;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra LOOP;\nst.volatile.global.u32 [one], 1;";
    assert_eq!(found(before), []);
}

/// A search through a list, which somebody may be adding to behind it.
const LIST: &str = "mov.u64 %rd3, %rd1;\nLOOP:\nld.volatile.global.u64 %rd3, [%rd3];\nmembar.gl;\nsetp.ne.u64 %p1, %rd3, 0;\n@%p1 bra LOOP;\nst.global.u64 [%rd1], 0;";

#[test]
fn read_only_data_is_not_waited_for() {
    assert_eq!(found(LIST).len(), 1);
    assert_eq!(found(&LIST.replace(".volatile.global", ".global.nc")), []);
}

#[test]
fn what_only_the_thread_itself_sees_is_not_waited_for() {
    // The fence and the atomic would let it learn of others.
    let own = "mov.u64 %rd3, own;\ncvta.local.u64 %rd3, %rd3;\nLOOP:\nld.u32 %r2, [%rd3];\nmembar.gl;\nsetp.ne.u32 %p1, %r2, 0;\n\
               @%p1 bra LOOP;\nst.global.u32 [%rd1], 0;";
    assert_eq!(found(own), []);
    assert_eq!(found(&own.replace("mov.u64 %rd3, own;\ncvta.local.u64 %rd3, %rd3;", "mov.u64 %rd3, %rd1;")).len(), 1);
}

/// A flag that lane 0 of the second warp sets when it has seen another one, which its sibling in the first warp sets.
#[test]
fn who_waits_for_somebody_that_waits_for_what_is_kept_back_is_found() {
    let body = "
    setp.ge.u32 %p2, %r1, 32;
    @!%p2 bra FIRST;
SECOND:
    ld.volatile.global.u32 %r2, [two];
    setp.eq.u32 %p1, %r2, 0;
    @%p1 bra SECOND;
FIRST:
    @%p2 st.volatile.global.u32 [one], 1;
    setp.ne.u32 %p3, %r1, 0;
    @%p3 bra MEET;
LOOP:
    ld.volatile.global.u32 %r2, [one];
    setp.eq.u32 %p1, %r2, 0;
    @%p1 bra LOOP;
MEET:
    st.volatile.global.u32 [two], 1;";
    // What the last loop reads is written before it only. But who writes it waits for what stands behind the loop.
    let headers = |body: &str| found(body).iter().map(|finding| finding.reads.len()).collect::<Vec<_>>();
    assert_eq!(headers(body), [1, 1]);
    // Nobody waits before the first write any more.
    let free = body.replace("@%p1 bra SECOND;\n", "");
    assert!(headers(&free).is_empty());
}

#[test]
fn a_loop_that_reads_weakly_learns_of_nobody() {
    let weak = LIST.replace(".volatile", "");
    // The fence orders what it reads with what others have done.
    assert_eq!(found(&weak).len(), 1);
    let unordered = weak.replace("membar.gl;\n", "");
    assert_eq!(found(&unordered).len(), 1, "nothing is assumed");
    let module = module(&unordered);
    let by_default = find(&module, &module.kernels()[0]);
    assert_eq!(by_default.findings, []);
    assert!(by_default.assumptions.iter().all(|assumption| !assumption.raced.is_empty()), "{by_default:?}");
    assert_eq!(by_default.assumptions.len(), 1);
    assert_eq!(found(&LIST.replace("membar.gl;\n", "")).len(), 1);
    let together = weak.replace("membar.gl;\n", "bar.warp.sync -1;\n");
    assert_eq!(found(&together).len(), 1);
}

#[test]
fn what_is_set_in_a_later_round_of_an_outer_loop_is_behind_the_inner_one() {
    let body = "
    mov.u32 %r5, 0;
OUTER:
WAIT:
    ld.volatile.global.u32 %r3, [one];
    setp.lt.u32 %p2, %r3, %r1;
    @%p2 bra WAIT;
    atom.global.add.u32 %r4, [one], 1;
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p3, %r5, 3;
    @%p3 bra OUTER;
    st.global.u32 [two], 1;";
    let findings = found(body);
    assert_eq!(findings.len(), 1, "{findings:?}");
    // Only behind the outer loop is nobody left who could set anybody free.
    let finding = &findings[0];
    assert_ne!(finding.safe.map(|safe| safe.block), finding.meeting);
}

#[test]
fn a_cycle_with_two_entries_is_a_loop_as_well() {
    let body = "
    setp.eq.u32 %p0, %r1, 0;
    @%p0 bra SECOND;
FIRST:
    ld.volatile.global.u32 %r3, [one];
SECOND:
    ld.volatile.global.u32 %r4, [one];
    setp.eq.u32 %p2, %r4, 0;
    @%p2 bra FIRST;
    st.volatile.global.u32 [one], 1;";
    assert_eq!(found(body).len(), 1);
}

#[test]
fn a_call_may_do_anything() {
    let module = ".version 8.0\n.target sm_90\n.address_size 64\n.extern .func f;\n.global .u32 one;\n\
        .visible .entry k() {\n.reg .pred %p1;\n.reg .b32 %r2;\nLOOP:\nld.volatile.global.u32 %r2, [one];\n\
        setp.eq.u32 %p1, %r2, 0;\n@%p1 bra LOOP;\ncall.uni f;\nret;\n}\n";
    let module = Module::parse(module).unwrap();
    let kernel = module.kernels().iter().find(|kernel| kernel.name() == "k").unwrap();
    assert_eq!(detect(kernel).len(), 1);
}

/// As unoptimised CUDA has it: the atomic is in a function, and its result comes in a parameter.
#[test]
fn what_a_call_returns_may_be_what_others_have_written() {
    let module = ".version 8.0\n.target sm_90\n.address_size 64\n.extern .func (.param .b32 result) take(.param .b64 lock);\n\
        .visible .entry k(.param .u64 a) {\n.reg .pred %p1;\n.reg .b32 %r<4>;\n.reg .b64 %rd1;\nld.param.u64 %rd1, [a];\nLOOP:\n\
        {\n.param .b64 to;\nst.param.b64 [to], %rd1;\n.param .b32 from;\ncall.uni (from), take, (to);\nld.param.b32 %r1, [from];\n}\n\
        setp.ne.u32 %p1, %r1, 0;\n@%p1 bra LOOP;\nst.global.u32 [%rd1], 0;\nret;\n}\n";
    let module = Module::parse(module).unwrap_or_else(|errors| panic!("{errors}"));
    let kernel = module.kernels().iter().find(|kernel| kernel.name() == "k").unwrap();
    let findings = detect(kernel);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].writes.len(), 1);
}

#[test]
fn a_function_that_takes_a_lock_may_wait_for_its_caller() {
    let module = ".version 8.0\n.target sm_90\n.address_size 64\n.func take(.reg .b64 %lock) {\n.reg .pred %p1;\n.reg .b32 %r1;\nLOOP:\n\
        atom.cas.b32 %r1, [%lock], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra LOOP;\nret;\n}\n";
    let module = Module::parse(module).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(detect(&module.kernels()[0]).len(), 1);
}

/// A loop that nothing leads to has no beginning, and nobody waits in it.
#[test]
fn a_loop_that_nothing_leads_to_is_none() {
    let body = "
    bra DONE;
LOOP:
    ld.volatile.global.u32 %r2, [%rd1];
    setp.eq.u32 %p1, %r2, 0;
    @%p1 bra LOOP;
    bra OTHER;
OTHER:
    @%p1 bra LOOP;
DONE:
    st.volatile.global.u32 [%rd1], 1;";
    assert_eq!(found(body).len(), 0);
}
