//! Loops that a lane alone leaves wait for nobody; what looks like them and waits must be found.
use emulator::{Launch, Machine, Memory, Program};
use ptx_parser::Module;
use ssde_ptx::detect;

/// A kernel with two pointers, two variables and the number of the lane, around a body that is followed by a store and a release of both variables.
fn module(body: &str) -> Module {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.global .u32 one;\n.global .u32 two;\n\
         .visible .entry k(.param .u64 a, .param .u64 b) {{\n.reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<9>;\n\
         .local .align 4 .b8 own[16];\n\
         ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nmov.u32 %r1, %tid.x;\nadd.u32 %r15, %r1, 1;\n{body}\n\
         st.volatile.global.u32 [%rd2], %r1;\nmembar.gl;\nst.volatile.global.u32 [one], 0;\nst.volatile.global.u32 [two], 0;\nret;\n}}\n"
    );
    Module::parse(&text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

fn found(body: &str) -> usize {
    detect(&module(body).kernels()[0]).len()
}

/// How a launch of a warp ends; both parameters are arrays of zeros.
fn ends(body: &str, machine: Machine) -> String {
    let program = Program::decode(&module(body), "k").unwrap();
    let mut memory = Memory::new();
    let [a, b] = ["a", "b"].map(|name| memory.alloc_from(&[0u32; 64], name));
    let mut launch = Launch::new(2, 32).on(machine).arg(a).arg(b);
    launch.step_budget = 1 << 22;
    emulator::run(&program, &mut memory, &launch).unwrap().outcome.name().to_owned()
}

/// Nothing is found, and it ends on all machines.
fn is_free(body: &str) {
    assert_eq!(found(body), 0, "{body}");
    for &machine in Machine::ALL {
        assert_eq!(ends(body, machine), "finished", "{}\n{body}", machine.name());
    }
}

/// It deadlocks on a stack, ends elsewhere, and is found.
fn deadlocks(body: &str) {
    assert_eq!(
        (ends(body, Machine::Stack), ends(body, Machine::Mimd)),
        ("simt-deadlock".into(), "finished".into()),
        "{body}"
    );
    assert!(found(body) > 0, "{body}");
}

const UPDATE: &str = "
    ld.volatile.global.u32 %r2, [one];
LOOP:
    mov.u32 %r3, %r2;
    add.u32 %r4, %r3, 3;
    atom.global.cas.b32 %r2, [one], %r3, %r4;
    setp.ne.u32 %p1, %r2, %r3;
    @%p1 bra LOOP;";

#[test]
fn a_comparison_with_what_was_just_read_waits_for_nobody() {
    is_free(UPDATE);
    is_free(
        "LOOP:\nld.volatile.global.u32 %r3, [one];\nadd.u32 %r4, %r3, 3;\natom.global.cas.b32 %r2, [one], %r3, %r4;\nsetp.ne.u32 %p1, %r2, %r3;\n@%p1 bra LOOP;",
    );
    // The result is chosen, kept in the thread's own memory, and tested in two steps.
    is_free(
        "LOOP:\nld.volatile.global.u32 %r3, [one];\natom.global.cas.b32 %r2, [one], %r3, %r15;\nsetp.eq.u32 %p1, %r2, %r3;\n\
             selp.u32 %r5, 7, 9, %p1;\nst.local.u32 [own], %r5;\nld.local.u32 %r6, [own];\nsetp.gt.u32 %p2, %r6, 8;\n@%p2 bra LOOP;",
    );
    // Of two halves that travel in one word.
    is_free(
        "LOOP:\nld.volatile.global.u64 %rd3, [%rd1];\nmov.b64 {%r3, %r4}, %rd3;\nadd.u32 %r5, %r4, 1;\nmov.b64 %rd4, {%r15, %r5};\n\
             atom.global.cas.b64 %rd5, [%rd1], %rd3, %rd4;\nmov.b64 {%r6, %r7}, %rd5;\nsetp.ne.u32 %p1, %r6, %r3;\nsetp.ne.u32 %p2, %r7, %r4;\nor.pred %p1, %p1, %p2;\n@%p1 bra LOOP;",
    );
}

#[test]
fn locks_are_still_found() {
    let test_and_set = "LOOP:\natom.global.cas.b32 %r2, [one], 0, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra LOOP;";
    deadlocks(test_and_set);
    deadlocks(&test_and_set.replace("cas.b32 %r2, [one], 0, 1", "exch.b32 %r2, [one], 1"));
    deadlocks(&test_and_set.replace("cas.b32 %r2, [one], 0, 1", "or.b32 %r2, [one], 1"));
    // What is read first is not what is compared.
    deadlocks(
        &test_and_set
            .replace("LOOP:", "LOOP:\nld.volatile.global.u32 %r2, [one];\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra LOOP;"),
    );
    // The lock is taken with the number of the thread, whoever held it before.
    deadlocks(&test_and_set.replace("0, 1;", "0, %r15;"));
    // Hand over hand: the second is taken while the first is held.
    deadlocks(&format!(
        "{test_and_set}\nNEXT:\natom.global.cas.b32 %r2, [two], 0, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra NEXT;\n\
         membar.gl;\nst.volatile.global.u32 [one], 0;"
    ));
}

#[test]
fn an_expected_value_that_nobody_reads_again_is_waited_for() {
    deadlocks(
        "ld.volatile.global.u32 %r2, [one];\nLOOP:\natom.global.cas.b32 %r3, [one], %r2, %r15;\nsetp.ne.u32 %p1, %r3, %r2;\n@%p1 bra LOOP;",
    );
    // What is read is another place than what is swapped.
    deadlocks(
        "LOOP:\nld.volatile.global.u32 %r2, [two];\natom.global.cas.b32 %r3, [one], %r2, %r15;\nsetp.ne.u32 %p1, %r3, %r2;\n@%p1 bra LOOP;",
    );
    // The word has to become the number of the lane.
    let in_turn = "LOOP:\natom.global.cas.b32 %r3, [%rd1], %r1, %r15;\nsetp.ne.u32 %p1, %r3, %r1;\n@%p1 bra LOOP;";
    assert!(found(&format!("{in_turn}\nst.volatile.global.u32 [%rd1], 0;")) > 0);
}

#[test]
fn a_lane_that_may_stay_for_ever_by_one_way_is_found() {
    // An odd number is looked at again, an even one is swapped.
    let mixed = "
        mov.u32 %r7, 0;
    LOOP:
        ld.volatile.global.u32 %r3, [one];
        and.b32 %r4, %r3, 1;
        setp.ne.u32 %p1, %r4, 0;
        @%p1 bra LOOP;
        add.u32 %r5, %r3, 1;
        atom.global.cas.b32 %r2, [one], %r3, %r5;
        setp.ne.u32 %p1, %r2, %r3;
        @%p1 bra LOOP;";
    deadlocks(mixed);
    // Without that, it is an update.
    assert_eq!(found(&mixed.replacen("@%p1 bra LOOP;", "", 1)), 0);
    // With a bound, it ends by itself.
    let bounded =
        mixed.replacen("@%p1 bra LOOP;", "add.u32 %r7, %r7, 1;\nsetp.lt.and.u32 %p1, %r7, 9, %p1;\n@%p1 bra LOOP;", 1);
    assert!(found(&bounded) > 0, "a comparison with a Boolean operator is not understood");
}

#[test]
fn searches_with_a_bound_wait_for_nobody_unless_they_look_again() {
    let probe = |again: &str| {
        format!(
            "mov.u32 %r7, 0;
        LOOP:
            mul.wide.u32 %rd3, %r7, 4;
            add.s64 %rd4, %rd1, %rd3;
            ld.volatile.global.u32 %r3, [%rd4];
            {again}
            setp.eq.u32 %p2, %r3, %r15;
            @%p2 bra DONE;
            atom.global.cas.b32 %r3, [%rd4], 0, %r15;
            setp.eq.u32 %p2, %r3, 0;
            @%p2 bra DONE;
            add.u32 %r7, %r7, 1;
            setp.lt.u32 %p3, %r7, 64;
            @%p3 bra LOOP;
        DONE:"
        )
    };
    is_free(&probe(""));
    // Who finds a slot that is being filled looks at it again, and who has claimed it fills it behind the loop.
    assert!(found(&probe("setp.eq.u32 %p1, %r3, 77;\n@%p1 bra LOOP;")) > 0);
    // A step of the counter that others may take back, or that is not always taken, bounds nothing.
    assert!(found(&probe("").replace("add.u32 %r7, %r7, 1;", "add.u32 %r7, %r7, %r3;")) > 0);
    assert!(found(&probe("").replace("setp.lt.u32 %p3, %r7, 64;", "setp.lt.u32 %p3, %r3, 64;")) > 0);
    assert!(found(&probe("").replace("add.u32 %r7, %r7, 1;", "add.u32 %r7, %r7, 3;\nand.b32 %r7, %r7, 63;")) > 0);
    // Steps of 3 never meet 64, but do meet 63; and they pass 64.
    let steps = |end: &str| probe("").replace("%r7, 1;", "%r7, 3;").replace("setp.lt.u32 %p3, %r7, 64;", end);
    assert!(found(&steps("setp.ne.u32 %p3, %r7, 64;")) > 0);
    assert_eq!(found(&steps("setp.ne.u32 %p3, %r7, 63;")), 0);
    assert_eq!(found(&steps("setp.lt.u32 %p3, %r7, 64;")), 0);
    assert!(found(&steps("setp.lt.u32 %p3, %r7, -1;")) > 0);
}

#[test]
fn who_stays_must_not_have_changed_anything() {
    // Whoever fails leaves a mark that makes another one fail.
    let marks = "
    LOOP:
        atom.global.add.u32 %r2, [one], 1;
        and.b32 %r3, %r2, 1;
        setp.ne.u32 %p1, %r3, 0;
        @%p1 bra LOOP;";
    assert!(found(marks) > 0);
    // One that reads two places and stores to one that may be either of them.
    let stores = |place: &str, checks: &str| {
        format!(
            "LOOP:
            ld.volatile.global.u32 %r3, [%rd1];
            {checks}
            st.volatile.global.u32 [{place}], %r3;
            atom.global.cas.b32 %r2, [%rd1], %r3, %r15;
            setp.ne.u32 %p1, %r2, %r3;
            @%p1 bra LOOP;"
        )
    };
    // A node that may be where the head is, for all that is known of the two pointers.
    is_free(&stores("%rd2+128", ""));
    assert!(
        found(&stores("%rd2+128", "ld.volatile.global.u32 %r4, [%rd2+64];\nsetp.ne.u32 %p2, %r4, 0;\n@%p2 bra LOOP;"))
            > 0
    );
    // What is stored is not what was read, so that a lane alone may spoil its own comparison.
    assert!(found(&stores("%rd2+128", "").replace("[%rd2+128], %r3", "[%rd2+128], %r15")) > 0);
}

#[test]
fn a_writer_that_may_go_on_for_ever_keeps_a_lane_in() {
    // Another warp counts up until it is told to stop, which is behind the update.
    let body = format!(
        "mov.u32 %r9, %ctaid.x;
        setp.eq.u32 %p5, %r9, 0;
        @%p5 bra UPDATE;
    COUNT:
        atom.global.add.u32 %r10, [one], 1;
        ld.volatile.global.u32 %r11, [%rd1];
        setp.eq.u32 %p6, %r11, 0;
        @%p6 bra COUNT;
        bra DONE;
    UPDATE:
        {UPDATE}
        st.volatile.global.u32 [%rd1], 1;
    DONE:"
    );
    assert!(found(&body) >= 1);
    // In a loop that is bounded, it does not.
    let bounded = body
        .replace("COUNT:", "mov.u32 %r12, 0;\nCOUNT:\nadd.u32 %r12, %r12, 1;")
        .replace("setp.eq.u32 %p6, %r11, 0;", "setp.lt.u32 %p6, %r12, 9;");
    assert_eq!(found(&bounded), 0);
}

#[test]
fn what_is_called_or_done_together_is_not_understood() {
    assert!(found(&UPDATE.replace("add.u32 %r4, %r3, 3;", "activemask.b32 %r4;")) > 0);
}
