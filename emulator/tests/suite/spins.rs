//! Lanes that spin while their registers change: what is a deadlock, and what is on its way to an exit.

use emulator::{Launch, Machine, Memory, Occupancy, Outcome, Program, Report, run};

use crate::support::module_with;

/// Warp instructions that take a fraction of a second.
const SOON: u64 = 8_000_000;

/// Runs a kernel whose parameter is a buffer of zeros, on blocks of 64 threads that are all resident.
fn launch(p: &Program, machine: Machine, blocks: u32, change: impl FnOnce(&mut Launch)) -> Report {
    let mut memory = Memory::new();
    let a = memory.alloc(1 << 16, "a");
    let mut launch = Launch { step_budget: 1 << 26, ..Launch::new(blocks, 64).arg(a).on(machine) };
    change(&mut launch);
    run(p, &mut memory, &launch).unwrap()
}

fn kernel(body: &str) -> Program {
    let system =
        ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);\n";
    Program::decode(&module_with(system, ".param .u64 a", body), "k").unwrap()
}

/// A naive lock: `before` the loop, in it behind each failed try, and `after` the lock was given back. `%p1` is true while the lock is not had.
fn lock(before: &str, spin: &str, after: &str) -> Program {
    kernel(&format!(
        ".local .align 8 .b8 v[64];
         ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.u64 %rd2, 0;
         {before}
         LOCK: atom.global.cas.b32 %r3, [%rd1], 0, 1; setp.ne.u32 %p1, %r3, 0;
         {spin}
         @%p1 bra LOCK;
         ld.volatile.global.u32 %r4, [%rd1+4]; add.u32 %r4, %r4, 1; st.volatile.global.u32 [%rd1+4], %r4;
         {after}
         atom.global.exch.b32 %r3, [%rd1], 0;
         ret;"
    ))
}

#[test]
fn what_cannot_reach_the_exit_is_no_progress() {
    let count = "mul.wide.u32 %rd3, %r1, 4; add.s64 %rd3, %rd1, %rd3; st.global.u32 [%rd3+256], %r2;";
    let window = "mov.u64 %rd9, v; cvta.local.u64 %rd9, %rd9;";
    for (what, program) in [
        ("a counter", lock("", "add.u32 %r2, %r2, 1;", count)),
        ("a counter of the tries that failed", lock("", "@%p1 add.u32 %r2, %r2, 1;", count)),
        ("a wide counter", lock("", "add.u64 %rd2, %rd2, 1;", "cvt.u32.u64 %r2, %rd2;")),
        ("a sleep that grows", lock("mov.u32 %r5, 1;", "@%p1 nanosleep.u32 %r5; add.u32 %r5, %r5, 3;", "")),
        (
            "a sleep that doubles up to a limit",
            lock("mov.u32 %r5, 8;", "nanosleep.u32 %r5; shl.b32 %r5, %r5, 1; min.u32 %r5, %r5, 256;", ""),
        ),
        ("a loop that grows up to a limit", {
            let wait = "mov.u32 %r6, 0; WAIT: add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, %r5; @%p2 bra WAIT;";
            lock("mov.u32 %r5, 2;", &format!("{wait} shl.b32 %r5, %r5, 1; min.u32 %r5, %r5, 64;"), "")
        }),
        ("the time of the last try", lock("", "mov.u64 %rd2, %clock64;", "cvt.u32.u64 %r2, %rd2;")),
        ("a wait by the clock", {
            let wait = "mov.u32 %r5, %clock; WAIT: mov.u32 %r6, %clock; sub.u32 %r6, %r6, %r5; setp.lt.u32 %p2, %r6, 97; @%p2 bra WAIT;";
            lock("", wait, "")
        }),
        ("a wait by the timer that counts", {
            let wait = "mov.u64 %rd5, %globaltimer; WAIT: add.u32 %r2, %r2, 1; nanosleep.u32 7; mov.u64 %rd6, %globaltimer; \
                        sub.u64 %rd6, %rd6, %rd5; setp.lt.u64 %p2, %rd6, 100; @%p2 bra WAIT;";
            lock("", wait, count)
        }),
        ("a counter in local memory", {
            let spin = "ld.local.u32 %r5, [v+4]; add.u32 %r5, %r5, 1; st.local.u32 [v+4], %r5; ld.local.u32 %r6, [v]; setp.ne.u32 %p1, %r6, 0;";
            lock("st.local.u32 [v+4], 0;", &format!("st.local.u32 [v], %r3; {spin}"), "ld.local.u32 %r2, [v+4];")
        }),
        ("a counter by a generic address", {
            let spin = "ld.u32 %r5, [%rd9+12]; add.u32 %r5, %r5, 1; st.u32 [%rd9+12], %r5; ld.u32 %r6, [%rd9+8]; setp.ne.u32 %p1, %r6, 0;";
            lock(&format!("{window} st.u32 [%rd9+12], 0;"), &format!("st.u32 [%rd9+8], %r3; {spin}"), "")
        }),
        ("a wait by the clock in a frame of its own", {
            // As a function would that was called where the clock says so: it computes the addresses of its variables.
            let call = "mov.u64 %rd7, v; cvta.local.u64 %rd7, %rd7; st.u64 [%rd7+24], %rd7; ld.u64 %rd8, [%rd7+24]; st.u32 [%rd8+32], %r6; ld.u32 %r6, [%rd7+32];";
            let wait = format!(
                "mov.u32 %r5, %clock; mov.u32 %r6, %clock; sub.u32 %r6, %r6, %r5; and.b32 %r6, %r6, 3; setp.ne.u32 %p2, %r6, 1; @%p2 bra ON; {call} ON:"
            );
            lock("", &wait, "")
        }),
        ("a place that holds a time and then a number of tries that nobody asks for", {
            let spin = "mov.u64 %rd5, %clock64; st.local.u64 [v+8], %rd5; ld.local.u64 %rd6, [v+8]; \
                        ld.local.u32 %r5, [v]; add.u32 %r5, %r5, 1; st.local.u32 [v], %r5; st.local.u32 [v+8], %r5; ld.local.u32 %r6, [v+8];";
            lock("st.local.u32 [v], 0;", spin, "ld.local.u32 %r2, [v+8];")
        }),
        ("an assertion about the time", {
            let assert = "{ .param .b64 a0; .param .b64 a1; .param .b32 a2; .param .b64 a3; .param .b64 a4; \
                          st.param.b64 [a0], %rd1; st.param.b64 [a1], %rd1; st.param.b32 [a2], 1; st.param.b64 [a3], %rd1; st.param.b64 [a4], 1; \
                          call __assertfail, (a0, a1, a2, a3, a4); }";
            let spin = format!(
                "mov.u64 %rd5, %clock64; shr.u64 %rd5, %rd5, 60; setp.eq.u64 %p2, %rd5, 0; @%p2 bra FINE; {assert} FINE:"
            );
            lock("", &spin, "")
        }),
        ("a counter beside a vote of the lanes that spin", {
            lock("", "activemask.b32 %r7; vote.sync.any.pred %p3, %p1, %r7; add.u32 %r2, %r2, 1;", count)
        }),
    ] {
        for blocks in [1, 8] {
            let report = launch(&program, Machine::Stack, blocks, |_| {});
            assert_eq!(report.outcome.name(), "simt-deadlock", "{what}: {}", report.outcome);
            let executed = report.counts.warp_instructions;
            assert!(executed < SOON, "{what}: found out after {executed} warp instructions");
        }
        for machine in [Machine::Its, Machine::Mimd, Machine::Aware] {
            let report = launch(&program, machine, 1, |launch| launch.step_budget = 1 << 30);
            assert_eq!(report.outcome, Outcome::Finished, "{what}, {}", machine.name());
        }
    }
}

#[test]
fn what_takes_long_to_come_back_is_found_in_time() {
    let wait = |turns: u32| {
        let wait = format!("mov.u32 %r6, 0; WAIT: add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, {turns}; @%p2 bra WAIT;");
        lock("", &wait, "")
    };
    let tries = |many: u32| {
        let back_off = format!(
            "@%p1 add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, {many}; @%p2 bra AGAIN; nanosleep.u32 100; mov.u32 %r2, 0; AGAIN:"
        );
        lock("", &back_off, "")
    };
    let clock = |cycles: u32| {
        let wait = format!(
            "mov.u32 %r5, %clock; WAIT: mov.u32 %r6, %clock; sub.u32 %r6, %r6, %r5; setp.lt.u32 %p2, %r6, {cycles}; @%p2 bra WAIT;"
        );
        lock("", &wait, "")
    };
    for (what, program) in [
        ("a wait of 10,000 turns between two tries", wait(10_000)),
        ("a wait after each 1,000 tries", tries(1_000)),
        ("a wait after each 10,000 tries", tries(10_000)),
        ("a wait of 10,000 cycles between two tries", clock(10_000)),
    ] {
        let report = launch(&program, Machine::Stack, 1, |launch| launch.step_budget = 1 << 28);
        assert_eq!(report.outcome.name(), "simt-deadlock", "{what}: {}", report.outcome);
    }
    // The same where nobody ever gives the lock back, and two host threads have to agree.
    let never = |program: &Program| {
        let mut memory = Memory::new();
        let a = memory.alloc_from(&[1u32; 2], "a");
        let launch = Launch { step_budget: 1 << 28, threads: 2, ..Launch::new(4, 64).arg(a).on(Machine::Its) };
        run(program, &mut memory, &launch).unwrap()
    };
    for program in [wait(3_000), tries(3_000)] {
        assert_eq!(never(&program).outcome.name(), "livelock");
    }
}

#[test]
fn what_reaches_the_exit_is_progress() {
    // Each of them gives the lock up after a while, and many rounds of all blocks go by until then.
    let tries = "100000";
    let window = "mov.u64 %rd9, v; cvta.local.u64 %rd9, %rd9;";
    let bounded = format!("setp.lt.and.u32 %p1, %r2, {tries}, %p1;");
    for (what, program) in [
        ("a number of tries", lock("", &format!("add.u32 %r2, %r2, 1; {bounded}"), "")),
        ("a number of tries by way of another register", {
            lock("", &format!("add.u32 %r8, %r8, 1; mul.lo.u32 %r9, %r8, 1; mov.u32 %r2, %r9; {bounded}"), "")
        }),
        ("a deadline", {
            let spin = "mov.u64 %rd6, %clock64; sub.u64 %rd6, %rd6, %rd5; setp.lt.and.u64 %p1, %rd6, 1500000, %p1;";
            lock("mov.u64 %rd5, %clock64;", spin, "")
        }),
        ("a deadline that sleep brings nearer", {
            let spin = "nanosleep.u32 50; mov.u64 %rd6, %globaltimer; sub.u64 %rd6, %rd6, %rd5; setp.lt.and.u64 %p1, %rd6, 4500000, %p1;";
            lock("mov.u64 %rd5, %globaltimer;", spin, "")
        }),
        ("a deadline that sets a flag", {
            let spin = "mov.u64 %rd6, %clock64; sub.u64 %rd6, %rd6, %rd5; setp.lt.u64 %p2, %rd6, 1500000; @%p2 bra EARLY; mov.u32 %r2, 1; \
                        EARLY: setp.eq.and.u32 %p1, %r2, 0, %p1;";
            lock("mov.u64 %rd5, %clock64;", spin, "")
        }),
        ("a deadline that frees the lock by a generic address", {
            let spin = "mov.u64 %rd6, %clock64; sub.u64 %rd6, %rd6, %rd5; setp.lt.u64 %p2, %rd6, 1500000; @%p2 bra EARLY; st.u32 [%rd1], 0; \
                        EARLY: ld.u32 %r5, [%rd9+12];";
            lock(&format!("{window} mov.u64 %rd5, %clock64;"), spin, "")
        }),
        ("a deadline that sets a flag in local memory", {
            let spin = "mov.u64 %rd6, %clock64; sub.u64 %rd6, %rd6, %rd5; setp.lt.u64 %p2, %rd6, 1500000; @%p2 bra EARLY; mov.u32 %r5, 1; \
                        st.u32 [%rd9+12], 1; EARLY: ld.local.u32 %r2, [v+12]; setp.eq.and.u32 %p1, %r2, 0, %p1;";
            lock(&format!("{window} st.u32 [%rd9+12], 0; mov.u64 %rd5, %clock64;"), spin, "")
        }),
        ("turns of a wait by the clock", {
            // How many turns there are depends on the clock, and they are counted.
            let spin = "mov.u32 %r5, %clock; WAIT: add.u32 %r2, %r2, 1; mov.u32 %r6, %clock; sub.u32 %r6, %r6, %r5; setp.lt.u32 %p2, %r6, 50; \
                        @%p2 bra WAIT;";
            lock("", &format!("{spin} {bounded}"), "")
        }),
        ("a number of tries in local memory", {
            let spin =
                "ld.local.u32 %r5, [v+4]; add.u32 %r5, %r5, 1; st.local.u32 [v+4], %r5; ld.local.u32 %r2, [v+4];";
            lock("st.local.u32 [v+4], 0;", &format!("{spin} {bounded}"), "")
        }),
        ("a number of tries by a generic address", {
            let spin = "ld.u32 %r5, [%rd9+12]; add.u32 %r5, %r5, 1; st.u32 [%rd9+12], %r5; ld.local.u32 %r2, [v+12];";
            lock(&format!("{window} st.u32 [%rd9+12], 0;"), &format!("{spin} {bounded}"), "")
        }),
        ("a number of tries in a place that holds the time as well", {
            let spin = "ld.local.u32 %r5, [v+8]; mov.u64 %rd5, %clock64; st.local.u64 [v+8], %rd5; ld.local.u64 %rd6, [v+8]; \
                        add.u32 %r5, %r5, 1; st.local.u32 [v+8], %r5; ld.local.u32 %r2, [v+8];";
            lock("st.local.u32 [v+8], 0;", &format!("{spin} {bounded}"), "")
        }),
        ("a number of tries in a register that holds the time as well", {
            let spin =
                "mov.u32 %r5, %clock; add.u32 %r8, %r8, 1; add.u32 %r5, %r5, 1; mov.u32 %r5, %r8; mov.u32 %r2, %r5;";
            lock("", &format!("{spin} {bounded}"), "")
        }),
        ("a number of turns that the clock has decided about", {
            // Half of the tries take another turn around a loop by the clock, and one in a place of its own counts them.
            let spin = "mov.u32 %r5, %clock; ld.local.u32 %r8, [v+4]; TURN: add.u32 %r8, %r8, 1; st.local.u32 [v+4], %r8; \
                        mov.u32 %r6, %clock; sub.u32 %r6, %r6, %r5; setp.lt.u32 %p2, %r6, 40; @%p2 bra TURN; ld.local.u32 %r2, [v+4];";
            lock("st.local.u32 [v+4], 0;", &format!("{spin} {bounded}"), "")
        }),
        ("a byte of a number of tries", {
            let spin = "add.u32 %r8, %r8, 1; st.local.u32 [v+4], %r8; ld.local.u8 %r5, [v+6]; setp.lt.and.u32 %p1, %r5, 3, %p1;";
            lock("st.local.u32 [v+4], 0;", spin, "")
        }),
        ("a number of tries in shared memory", {
            let spin = "add.u32 %r8, %r8, 1; st.volatile.shared.u32 [s], %r8; ld.volatile.shared.u32 %r2, [s];";
            lock(".shared .align 4 .b8 s[4];", &format!("{spin} {bounded}"), "")
        }),
        ("a number of tries in global memory", {
            lock("", &format!("atom.global.add.u32 %r2, [%rd1+8], 1; {bounded}"), "")
        }),
        ("the largest of the numbers of tries", {
            lock(
                "",
                &format!(
                    "add.u32 %r8, %r8, 1; shr.u32 %r9, %r8, 12; atom.global.max.u32 %r9, [%rd1+8], %r9; shl.b32 %r2, %r9, 12; {bounded}"
                ),
                "",
            )
        }),
        ("a number of tries that another lane counts", {
            let spin = "add.u32 %r8, %r8, 1; activemask.b32 %r7; redux.sync.max.u32 %r2, %r8, %r7;";
            lock("", &format!("{spin} {bounded}"), "")
        }),
        ("a word that is found further on", {
            // Each try looks at the next word; the last one is not zero.
            let spin = "add.u64 %rd2, %rd2, 4; and.b64 %rd2, %rd2, 0x3fffff; shr.u64 %rd3, %rd2, 8; and.b64 %rd3, %rd3, 0xfffc; add.s64 %rd3, %rd1, %rd3; \
                        ld.volatile.global.u32 %r5, [%rd3]; setp.eq.and.u32 %p1, %r5, 0, %p1;";
            lock("st.volatile.global.u32 [%rd1+0x9000], 1;", spin, "")
        }),
        ("a try in so many that looks", {
            let spin = "add.u32 %r8, %r8, 1; setp.eq.u32 %p4, %r8, 50000; @%p4 ld.volatile.global.u32 %r2, [%rd1+12]; \
                        setp.eq.and.u32 %p1, %r2, 0, %p1;";
            lock("st.volatile.global.u32 [%rd1+12], 1;", spin, "")
        }),
    ] {
        for host in [1, 2] {
            let report = launch(&program, Machine::Stack, 3, |launch| {
                launch.threads = host;
                launch.step_budget = 1 << 32;
            });
            assert_eq!(report.outcome, Outcome::Finished, "{what}: {}", report.outcome);
        }
    }
}

#[test]
fn a_part_of_a_clock_that_changes_seldom_is_an_exit_all_the_same() {
    for spin in [
        "mov.u32 %r2, %clock_hi; setp.eq.and.u32 %p1, %r2, 0, %p1;",
        "mov.u64 %rd2, %clock64; shr.u64 %rd2, %rd2, 40; setp.eq.and.u64 %p1, %rd2, 0, %p1;",
        "mov.u64 %rd2, %globaltimer; shr.u64 %rd2, %rd2, 40; st.local.u32 [v], %rd2; ld.local.u32 %r2, [v]; setp.eq.and.u32 %p1, %r2, 0, %p1;",
    ] {
        let report = launch(&lock("", spin, ""), Machine::Stack, 1, |_| {});
        assert_eq!(report.outcome.name(), "budget", "{spin}: {}", report.outcome);
    }
}

#[test]
fn who_waits_for_nothing_that_comes_is_no_fault_of_the_machine() {
    // Half of the lanes wait below for those that spin, and nobody sets the flag.
    let spin = |body: &str| {
        kernel(&format!(
            "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mov.u32 %r2, 0; and.b32 %r3, %r1, 1; setp.eq.u32 %p3, %r3, 0;
             @%p3 bra OUT;
             SPIN: ld.volatile.global.u32 %r4, [%rd1]; setp.eq.u32 %p1, %r4, 0;
             {body}
             @%p1 bra SPIN;
             OUT: st.volatile.global.u32 [%rd1+64], %r2;
             ret;"
        ))
    };
    let wait = "mov.u32 %r5, %clock; WAIT: mov.u32 %r6, %clock; sub.u32 %r6, %r6, %r5; setp.lt.u32 %p2, %r6, 60; @%p2 bra WAIT;";
    for body in ["add.u32 %r2, %r2, 1;", "nanosleep.u32 %r2; add.u32 %r2, %r2, 9;", wait] {
        let p = spin(body);
        for &machine in Machine::ALL {
            let report = launch(&p, machine, 2, |_| {});
            assert_eq!(report.outcome.name(), "livelock", "{body}, {}: {}", machine.name(), report.outcome);
        }
    }
}

#[test]
fn whether_the_machine_is_at_fault_does_not_depend_on_what_is_left_of_the_budget() {
    // Each lane waits for the next one, tells the one before it, and counts until the first has been told.
    let p = kernel(
        "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;
         setp.eq.u32 %p1, %r1, 63; mov.u32 %r2, 0; mov.u32 %r3, 9;
         @%p1 bra TELL;
         SPIN: ld.volatile.global.u32 %r4, [%rd2+4]; setp.eq.u32 %p2, %r4, 0; @%p2 bra SPIN;
         TELL: st.volatile.global.u32 [%rd2], 1;
         COUNT: setp.ge.u32 %p2, %r2, %r3; @%p2 bra OUT;
         add.u32 %r2, %r2, 1; ld.volatile.global.u32 %r4, [%rd1]; setp.ne.u32 %p3, %r4, 0;
         @!%p3 add.u32 %r3, %r2, 9; @%p3 bra OUT; bra COUNT;
         OUT: st.global.u32 [%rd2+512], %r1;
         ret;",
    );
    assert_eq!(launch(&p, Machine::Its, 1, |_| {}).outcome, Outcome::Finished);
    for budget in [1 << 17, 1 << 18, 1 << 19, 1 << 20, 1 << 22, 1 << 26] {
        let report = launch(&p, Machine::Stack, 1, |launch| launch.step_budget = budget);
        assert_eq!(report.outcome.name(), "simt-deadlock", "{budget}: {}", report.outcome);
    }
}

#[test]
fn a_loop_around_a_barrier_may_count_its_turns() {
    let p = kernel(
        ".shared .align 4 .b8 s[4];
         ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mov.u32 %r5, 0;
         SPIN: ld.volatile.global.u32 %r2, [%rd1];
         st.shared.u32 [s], %r2; add.u32 %r5, %r5, 1;
         bar.sync 0;
         ld.shared.u32 %r4, [s];
         bar.sync 0;
         setp.eq.u32 %p3, %r4, 0;
         @%p3 bra SPIN;
         st.global.u32 [%rd1+4], %r5;
         ret;",
    );
    for &machine in Machine::ALL {
        let report = launch(&p, machine, 3, |_| {});
        assert_eq!(report.outcome.name(), "livelock", "{}: {}", machine.name(), report.outcome);
    }
}

#[test]
fn a_barrier_across_the_grid_may_count_how_often_it_looks() {
    let p = kernel(
        "ld.param.u64 %rd1, [a]; mov.u32 %r5, 0;
         mov.u32 %r1, %nctaid.x; mov.u32 %r3, %tid.x; setp.ne.u32 %p1, %r3, 0;
         @%p1 bra MEET;
         red.global.add.u32 [%rd1], 1;
         WAIT: ld.acquire.gpu.global.u32 %r2, [%rd1]; setp.lt.u32 %p2, %r2, %r1; add.u32 %r5, %r5, 1; @%p2 bra WAIT;
         st.global.u32 [%rd1+4], %r5;
         MEET: bar.sync 0;
         ret;",
    );
    for &machine in Machine::ALL {
        let report = launch(&p, machine, 12, |launch| launch.resident = Occupancy::Blocks(4));
        assert_eq!(report.outcome.name(), "starvation", "{}: {}", machine.name(), report.outcome);
    }
}

#[test]
fn which_side_runs_first_decides_whether_a_warp_deadlocks() {
    // One lane sets what the others wait for. It jumps to that, or they jump to their loop.
    let setter_jumps = kernel(
        "ld.param.u64 %rd1, [a]; mov.u32 %r1, %laneid; setp.eq.u32 %p1, %r1, 5;
         @%p1 bra SET;
         SPIN: ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p2, %r2, 0; @%p2 bra SPIN;
         bra OUT;
         SET: st.volatile.global.u32 [%rd1], 1;
         OUT: ret;",
    );
    let waiters_jump = kernel(
        "ld.param.u64 %rd1, [a]; mov.u32 %r1, %laneid; setp.ne.u32 %p1, %r1, 5;
         @%p1 bra SPIN;
         st.volatile.global.u32 [%rd1], 1;
         bra OUT;
         SPIN: ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p2, %r2, 0; @%p2 bra SPIN;
         OUT: ret;",
    );
    let outcome = |p: &Program, seed: u64| {
        launch(p, Machine::Stack, 1, |launch| (launch.seed, launch.block) = (seed, [32, 1, 1])).outcome
    };
    assert_eq!(outcome(&setter_jumps, 0), Outcome::Finished);
    assert_eq!(outcome(&setter_jumps, 1).name(), "simt-deadlock");
    assert_eq!(outcome(&waiters_jump, 0).name(), "simt-deadlock");
    assert_eq!(outcome(&waiters_jump, 1), Outcome::Finished);
    for p in [setter_jumps, waiters_jump] {
        let ends = (2..40).filter(|&seed| outcome(&p, seed) == Outcome::Finished).count();
        assert!((5..33).contains(&ends), "{ends} of 38");
    }
}
