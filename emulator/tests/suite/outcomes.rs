//! How launches end that do not end well, and what is refused before it starts.

use emulator::{Error, FaultKind, Launch, Machine, Memory, Occupancy, Outcome, Program, run};

use crate::support::{INDEX, finish, module, program};

#[test]
fn an_access_beyond_the_end() {
    let p = program(".param .u64 a", &format!("{INDEX}\nst.global.u32 [%rd2], %r1;\nret;"));
    let mut memory = Memory::new();
    let a = memory.alloc(4 * 100, "numbers");
    let report = run(&p, &mut memory, &Launch::new(2, 64).arg(a)).unwrap();
    let Outcome::Fault(fault) = &report.outcome else { panic!("{}", report.outcome) };
    assert_eq!(fault.kind, FaultKind::OutOfBounds);
    assert_eq!((fault.block, fault.thread, fault.lane), ([1, 0, 0], [36, 0, 0], 4));
    assert_eq!(fault.address, a.address() + 400);
    assert_eq!(fault.nearest, Some(("numbers".into(), a.address(), 400)));
    assert_eq!(fault.opcode, "st.global.u32");
    // The line is that of the store: 4 lines of header, 6 of registers, 9 of the index.
    assert_eq!(report.outcome.site().unwrap().ptx_line, 20);
    // What came before is done.
    assert_eq!(memory.read::<u32>(a, 100).unwrap(), (0..100).collect::<Vec<u32>>());
}

#[test]
fn an_access_through_a_null_pointer() {
    let p = program(".param .u64 a", "ld.param.u64 %rd1, [a]; ld.global.u32 %r1, [%rd1+12]; ret;");
    let mut memory = Memory::new();
    memory.alloc(64, "a");
    let report = run(&p, &mut memory, &Launch::new(1, 1).arg(0u64)).unwrap();
    let text = report.outcome.to_string();
    assert!(
        text.contains("out-of-bounds access of 4 bytes at 0xc")
            && text.ends_with("a null pointer, or an index from one"),
        "{text}"
    );
}

#[test]
fn a_misaligned_access() {
    let p = program(".param .u64 a", "ld.param.u64 %rd1, [a]; ld.global.u32 %r1, [%rd1+2]; ret;");
    let mut memory = Memory::new();
    let a = memory.alloc(64, "a");
    let report = run(&p, &mut memory, &Launch::new(1, 32).arg(a)).unwrap();
    let Outcome::Fault(fault) = report.outcome else { panic!("{}", report.outcome) };
    assert_eq!((fault.kind, fault.address), (FaultKind::Misaligned, a.address() + 2));
}

#[test]
fn shared_and_local_memory_have_ends() {
    for body in [
        ".shared .align 4 .b8 s[64]; mov.u32 %r1, 64; st.shared.u32 [%r1], %r1; ret;",
        ".local .align 4 .b8 s[64]; mov.u64 %rd1, s; st.local.u32 [%rd1+64], %r1; ret;",
        "mov.u64 %rd1, 0; ld.global.u32 %r1, [%rd1]; ret;",
    ] {
        let report = run(&program("", body), &mut Memory::new(), &Launch::new(1, 1)).unwrap();
        let Outcome::Fault(fault) = report.outcome else { panic!("{}", report.outcome) };
        assert_eq!(fault.kind, FaultKind::OutOfBounds, "{body}");
    }
}

#[test]
fn freed_memory_is_gone() {
    let p = program(".param .u64 a", &format!("{INDEX}\nld.global.u32 %r10, [%rd2];\nret;"));
    let mut memory = Memory::new();
    let (a, _b) = (memory.alloc(128, "a"), memory.alloc(128, "b"));
    finish(&p, &mut memory, &Launch::new(1, 32).arg(a));
    memory.free(a).unwrap();
    let report = run(&p, &mut memory, &Launch::new(1, 32).arg(a)).unwrap();
    assert_eq!(report.outcome.name(), "fault");
}

#[test]
fn a_trap_names_the_thread() {
    let p = program("", "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 5; @%p1 trap; ret;");
    let report = run(&p, &mut Memory::new(), &Launch::new(1, 32)).unwrap();
    let Outcome::Fault(fault) = report.outcome else { panic!("{}", report.outcome) };
    assert_eq!((fault.kind, fault.thread), (FaultKind::Trap, [5, 0, 0]));
    // Where nobody traps, the guarded trap is counted like any predicated instruction.
    let report =
        finish(&program("", "setp.ne.u32 %p1, 0, 0; @%p1 trap; ret;"), &mut Memory::new(), &Launch::new(1, 32));
    assert_eq!((report.counts.warp_instructions, report.counts.thread_instructions), (3, 64));
}

#[test]
fn a_breakpoint_ends_the_launch_because_nobody_is_there_to_go_on() {
    let p = program("", "mov.u32 %r1, %tid.x;\n setp.eq.u32 %p1, %r1, 5;\n @%p1 brkpt;\n ret;");
    let report = run(&p, &mut Memory::new(), &Launch::new(1, 32)).unwrap();
    let Outcome::Fault(fault) = report.outcome else { panic!("{}", report.outcome) };
    assert_eq!((fault.kind, fault.thread, &*fault.opcode), (FaultKind::Breakpoint, [5, 0, 0], "brkpt"));
    assert_eq!(
        fault.to_string(),
        "PTX line 13: block (0,0,0) thread (5,0,0) executed `brkpt`, and there is no debugger to go on from it"
    );
    // A guard that never holds keeps it from stopping anything.
    finish(&program("", "setp.ne.u32 %p1, 0, 0;\n @%p1 brkpt;\n ret;"), &mut Memory::new(), &Launch::new(1, 32));
}

/// Lanes below 16 go to a barrier, the others past it and end at another one.
const SPLIT_BARRIER: &str = "
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p1, %r1, 16;
    @%p1 bra LOW;
    bar.sync 1;
    bra OUT;
    LOW: bar.sync 0;
    OUT: ret;";

#[test]
fn a_barrier_that_half_a_warp_does_not_reach() {
    let p = program("", SPLIT_BARRIER);
    let report = run(&p, &mut Memory::new(), &Launch::new(1, 32)).unwrap();
    let Outcome::BarrierDivergence { waiting, missing } = report.outcome else { panic!("{}", report.outcome) };
    assert_eq!(waiting.iter().map(|place| place.lanes).collect::<Vec<_>>(), [0xffff]);
    assert_eq!(missing.iter().fold(0, |lanes, place| lanes | place.lanes), 0xffff_0000);
    // With a program counter per thread each half waits at its own barrier.
    let report = run(&p, &mut Memory::new(), &Launch::new(1, 32).on(Machine::Its)).unwrap();
    let Outcome::BarrierDivergence { waiting, missing } = report.outcome else { panic!("{}", report.outcome) };
    let lanes = |places: &[emulator::LanesAt]| places.iter().fold(0, |lanes, place| lanes | place.lanes);
    assert_eq!(lanes(&waiting) | lanes(&missing), u32::MAX);
    assert_eq!(lanes(&waiting) & lanes(&missing), 0);
}

#[test]
fn lanes_that_have_ended_are_not_waited_for() {
    let p = program("", "mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 40; @%p1 exit; bar.sync 0; ret;");
    for &machine in Machine::ALL {
        finish(&p, &mut Memory::new(), &Launch::new(2, 100).on(machine));
    }
}

#[test]
fn a_barrier_in_both_sides_completes_with_a_counter_per_thread() {
    // Both sides wait at barrier 0, at different instructions.
    let p = program(
        ".param .u64 a",
        &format!(
            "{INDEX}
            setp.lt.u32 %p1, %r3, 16;
            @%p1 bra LOW;
            bar.sync 0;
            mov.u32 %r10, 2;
            bra OUT;
            LOW: bar.sync 0;
            mov.u32 %r10, 1;
            OUT: st.global.u32 [%rd2], %r10;
            ret;"
        ),
    );
    let mut memory = Memory::new();
    let a = memory.alloc(128, "a");
    finish(&p, &mut memory, &Launch::new(1, 32).arg(a).on(Machine::Its));
    let expected: Vec<u32> = (0..32).map(|i| if i < 16 { 1 } else { 2 }).collect();
    assert_eq!(memory.read::<u32>(a, 32).unwrap(), expected);
}

#[test]
fn a_vote_waits_for_lanes_on_another_way() {
    // The two halves come to the vote at different times; it needs all 32.
    let body = format!(
        "{INDEX}
        setp.lt.u32 %p1, %r3, 16;
        @%p1 bra LOW;
        mov.u32 %r10, 2;
        bra.uni MEET;
        LOW: mov.u32 %r10, 1;
        mov.u32 %r11, 0;
        SPIN: add.u32 %r11, %r11, 1;
        setp.lt.u32 %p2, %r11, 50;
        @%p2 bra SPIN;
        MEET: vote.sync.ballot.b32 %r12, %p1, -1;
        bar.warp.sync -1;
        st.global.u32 [%rd2], %r12;
        ret;"
    );
    let p = program(".param .u64 a", &body);
    for &machine in Machine::ALL {
        let mut memory = Memory::new();
        let a = memory.alloc(128, "a");
        finish(&p, &mut memory, &Launch::new(1, 32).arg(a).on(machine));
        assert_eq!(memory.read::<u32>(a, 32).unwrap(), [0xffff; 32]);
    }
}

/// Producer and consumer halves meet at two `bar.warp.sync` that are different instructions.
const WARP_SYNC: &str = "
    .shared .align 4 .b8 s[128];
    mov.u32 %r10, s; shl.b32 %r11, %r3, 2; add.u32 %r10, %r10, %r11;
    setp.lt.u32 %p1, %r3, 16;
    @%p1 bra PRODUCE;
    bar.warp.sync -1;
    ld.shared.u32 %r12, [%r10+-64];
    st.global.u32 [%rd2], %r12;
    bra OUT;
    PRODUCE: mad.lo.u32 %r13, %r3, 3, 1;
    st.shared.u32 [%r10], %r13;
    bar.warp.sync -1;
    OUT: ret;";

#[test]
fn warp_barriers_meet_across_a_branch() {
    let p = program(".param .u64 a", &format!("{INDEX}{WARP_SYNC}"));
    let mut memory = Memory::new();
    let a = memory.alloc(128, "a");
    finish(&p, &mut memory, &Launch::new(1, 32).arg(a).on(Machine::Its));
    let expected: Vec<u32> = (0..32).map(|i: u32| if i < 16 { 0 } else { (i - 16) * 3 + 1 }).collect();
    assert_eq!(memory.read::<u32>(a, 32).unwrap(), expected);
    // One program counter cannot be in two places.
    let report = run(&p, &mut memory, &Launch::new(1, 32).arg(a)).unwrap();
    let Outcome::BarrierDivergence { waiting, missing } = report.outcome else { panic!("{}", report.outcome) };
    assert_eq!((waiting[0].lanes, missing[0].lanes), (0xffff, 0xffff_0000));
}

/// A function with operations of a warp that both sides of a branch call, and a function around it that one side calls.
const MEET_IN_A_FUNCTION: &str = "
.func (.reg .b32 sum) meet(.reg .b32 x) {
  .reg .b32 %r<9>; .reg .pred %p<2>;
  and.b32 %r1, x, 1;
  setp.eq.u32 %p1, %r1, 1;
  vote.sync.ballot.b32 %r2, %p1, -1;
  redux.sync.add.u32 %r3, x, -1;
  add.u32 %r4, x, 1;
  @%p1 shfl.sync.bfly.b32 %r4, x, 2, 31, 0xaaaaaaaa;
  xor.b32 sum, %r2, %r3;
  mad.lo.u32 sum, %r4, 4096, sum;
  ret;
}
.func (.reg .b32 sum) around(.reg .b32 x) {
  .reg .b32 %r<3>;
  add.u32 %r1, x, 100;
  call.uni (sum), meet, (%r1);
  ret;
}
";

#[test]
fn lanes_meet_in_a_function_by_whichever_call() {
    let body = format!(
        "{INDEX}
        setp.lt.u32 %p1, %r3, 16;
        @%p1 bra LOW;
        call.uni (%r10), around, (%r3);
        bra OUT;
        LOW: call.uni (%r10), meet, (%r3);
        OUT: st.global.u32 [%rd2], %r10;
        ret;"
    );
    let module = crate::support::module_with(MEET_IN_A_FUNCTION, ".param .u64 a", &body);
    let p = Program::decode(&module, "k").unwrap();
    let x: Vec<u32> = (0..32).map(|lane| if lane < 16 { lane } else { lane + 100 }).collect();
    let sum: u32 = x.iter().sum();
    let last = |lane: usize| if lane % 2 == 1 { x[lane ^ 2] } else { x[lane] + 1 };
    let expected: Vec<u32> = (0..32).map(|lane| last(lane) * 4096 + (0xaaaa_aaaa ^ sum)).collect();
    for machine in [Machine::Its, Machine::Mimd] {
        let mut memory = Memory::new();
        let a = memory.alloc(128, "a");
        finish(&p, &mut memory, &Launch::new(1, 32).arg(a).on(machine));
        assert_eq!(memory.read::<u32>(a, 32).unwrap(), expected, "{}", machine.name());
    }
}

/// Every thread takes one lock, adds to a counter that is not atomic, and gives the lock back.
const SPIN_LOCK: &str = "
    ld.param.u64 %rd1, [a];
    AGAIN: atom.global.cas.b32 %r1, [%rd1], 0, 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra AGAIN;
    membar.gl;
    ld.volatile.global.u32 %r2, [%rd1+4];
    add.u32 %r2, %r2, 1;
    st.volatile.global.u32 [%rd1+4], %r2;
    membar.gl;
    atom.global.exch.b32 %r3, [%rd1], 0;
    ret;";

#[test]
fn a_spin_lock_finishes_with_a_counter_per_thread() {
    let p = program(".param .u64 a", SPIN_LOCK);
    for (blocks, threads, host) in [(1, 32, 1), (3, 70, 1), (4, 64, 2)] {
        let mut memory = Memory::new();
        let a = memory.alloc(8, "lock");
        let mut launch = Launch::new(blocks, threads).arg(a).on(Machine::Its);
        launch.threads = host;
        finish(&p, &mut memory, &launch);
        assert_eq!(memory.read::<u32>(a, 2).unwrap(), [0, blocks * threads]);
    }
}

#[test]
fn a_spin_lock_deadlocks_the_stack() {
    let p = program(".param .u64 a", SPIN_LOCK);
    let mut memory = Memory::new();
    let a = memory.alloc(8, "lock");
    let report = run(&p, &mut memory, &Launch::new(1, 32).arg(a)).unwrap();
    let Outcome::SimtDeadlock { running, waiting } = &report.outcome else { panic!("{}", report.outcome) };
    // 31 lanes loop at the compare-and-swap; lane 0 has the lock and waits behind the loop.
    assert_eq!((running[0].lanes, waiting[0].lanes), (0xffff_fffe, 1));
    assert_eq!(running[0].site.ptx_line, 13);
    assert!(report.counts.warp_instructions < 10_000_000);
}

#[test]
fn a_loop_that_waits_for_nobody_is_a_livelock() {
    let p = program("", "AGAIN: bra AGAIN;");
    for &machine in Machine::ALL {
        let report = run(&p, &mut Memory::new(), &Launch::new(1, 32).on(machine)).unwrap();
        assert_eq!(report.outcome.name(), "livelock", "{}", report.outcome);
    }
}

/// Lane 0 counts, the others do the same in every round: they are not alone in deciding how often they come by.
const COUNT: &str = "
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, 0;
    setp.eq.u32 %p1, %r1, 0;
    LOOP: @!%p1 bra VOTE;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, 20000;
    VOTE: vote.sync.any.pred %p2, %p1, -1;
    @%p2 bra LOOP;
    ret;";

#[test]
fn lanes_that_vote_while_one_gets_on_are_no_livelock() {
    for &machine in Machine::ALL {
        for seed in 0..4 {
            let launch = Launch { seed, ..Launch::new(1, 32).on(machine) };
            finish(&program("", COUNT), &mut Memory::new(), &launch);
        }
    }
}

#[test]
fn lanes_that_vote_for_ever_are_a_livelock() {
    let p = program("", &COUNT.replace("add.u32 %r2, %r2, 1;", "xor.b32 %r2, %r2, 1;"));
    for &machine in Machine::ALL {
        let launch = Launch { step_budget: 1 << 26, ..Launch::new(2, 64).on(machine) };
        let report = run(&p, &mut Memory::new(), &launch).unwrap();
        assert_eq!(report.outcome.name(), "livelock", "{machine:?}: {}", report.outcome);
    }
}

/// Block 0 waits for the last block, by a flag.
const FLAG: &str = "
    ld.param.u64 %rd1, [a];
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x; sub.u32 %r2, %r2, 1;
    setp.eq.u32 %p1, %r1, %r2;
    @%p1 bra SET;
    setp.ne.u32 %p2, %r1, 0;
    @%p2 bra OUT;
    WAIT: ld.acquire.gpu.global.u32 %r3, [%rd1];
    setp.eq.u32 %p3, %r3, 0;
    @%p3 bra WAIT;
    bra OUT;
    SET: st.release.gpu.global.u32 [%rd1], 1;
    OUT: ret;";

#[test]
fn blocks_wait_for_resident_blocks_only() {
    let p = program(".param .u64 a", FLAG);
    for (host, &machine) in [1, 2].into_iter().flat_map(|host| Machine::ALL.iter().map(move |m| (host, m))) {
        let mut memory = Memory::new();
        let a = memory.alloc(4, "flag");
        let mut launch = Launch::new(3, 32).arg(a).on(machine);
        launch.threads = host;
        launch.resident = Occupancy::Blocks(2);
        // Block 1 ends, so that block 2 finds room although block 0 waits.
        finish(&p, &mut memory, &launch);
    }
    let mut memory = Memory::new();
    let a = memory.alloc(4, "flag");
    let mut launch = Launch::new(3, 32).arg(a);
    launch.resident = Occupancy::Blocks(1);
    let report = run(&p, &mut memory, &launch).unwrap();
    let Outcome::Starvation { running, waiting_blocks, needs } = &report.outcome else { panic!("{}", report.outcome) };
    // Block 1 ends beside block 0, so that two places are enough.
    assert_eq!((running[0].block, *waiting_blocks, *needs), (0, 2, Some(2)));
}

#[test]
fn the_budget_ends_a_launch() {
    // The counter decides where the loop ends, far away, so that this is no livelock however long it is watched.
    let p = program("", "AGAIN: add.u64 %rd1, %rd1, 1; setp.ne.u64 %p1, %rd1, 0; @%p1 bra AGAIN; ret;");
    for (host, &machine) in [1, 2].into_iter().flat_map(|host| Machine::ALL.iter().map(move |m| (host, m))) {
        let mut launch = Launch::new(4, 64).on(machine);
        launch.step_budget = 100_000;
        launch.threads = host;
        let report = run(&p, &mut Memory::new(), &launch).unwrap();
        let Outcome::Budget { running } = &report.outcome else { panic!("{}", report.outcome) };
        assert!(!running.is_empty());
        assert!((100_000..200_000).contains(&report.counts.warp_instructions), "{:?}", report.counts);
    }
}

#[test]
fn what_cannot_be_run_is_refused_by_name_and_line() {
    let m = module("", "mov.u32 %r1, 1;\nmma.sync.aligned.m8n8k4.row.col.f64 %fd1, %fd2, %fd3, %fd4;\nret;");
    let error = Program::decode(&m, "k").unwrap_err();
    let Error::Unsupported { site, opcode, .. } = &error else { panic!("{error}") };
    assert_eq!((site.ptx_line, opcode.as_str()), (12, "mma.sync.aligned.m8n8k4.row.col.f64"));
    let error = Program::decode(&m, "other").unwrap_err();
    assert_eq!(error.to_string(), "the module has no kernel `other`; it has `k`");
}

#[test]
fn unusable_launches_are_errors() {
    let p = program(".param .u64 a, .param .u32 n", "ret;");
    let mut memory = Memory::new();
    let fails = |memory: &mut Memory, launch: Launch| run(&p, memory, &launch).unwrap_err().to_string();
    assert_eq!(fails(&mut memory, Launch::new(1, 1)), "the kernel takes 2 arguments, the launch has 0");
    let wrong = Launch::new(1, 1).arg(1u64).arg(1u64);
    assert_eq!(fails(&mut memory, wrong), "argument 1 (`n`) has 8 bytes, the kernel's parameter has 4");
    let good = |blocks, threads| Launch::new(blocks, threads).arg(1u64).arg(1u32);
    assert!(fails(&mut memory, good(1, 1025)).contains("at most 1024"));
    assert!(fails(&mut memory, good(0, 1)).contains("must not have a zero"));
    let mut much = good(1, 1);
    much.shared_bytes = 300_000;
    assert!(fails(&mut memory, much.clone()).ends_with("; sm_90 has 232448"));
    much.opt_in_shared = true;
    assert!(fails(&mut memory, much).ends_with("; sm_90 has 232448"));
}

/// Static and dynamic shared memory together are more than 48 KiB only where the launch opts in.
#[test]
fn much_shared_memory_is_opted_in_to() {
    let p = program("", ".shared .align 4 .b8 some[1024];\nst.shared.u32 [some], 1;\nret;");
    let launch = |dynamic, opt_in_shared| {
        let launch = Launch { shared_bytes: dynamic, opt_in_shared, ..Launch::new(1, 1) };
        run(&p, &mut Memory::new(), &launch).map(|report| report.outcome).map_err(|error| error.to_string())
    };
    assert_eq!(launch(48128, false), Ok(Outcome::Finished));
    let refused = launch(48129, false).unwrap_err();
    let expected = "a block needs 49153 bytes of shared memory, 1024 that the kernel declares and 48129 of the launch; \
                    unless the launch opts in to more, it has 49152";
    assert!(refused.ends_with(expected), "{refused}");
    assert_eq!(launch(48129, true), Ok(Outcome::Finished));
    assert_eq!(launch(226 << 10, true), Ok(Outcome::Finished));
    assert!(launch((226 << 10) + 1, true).unwrap_err().ends_with("; sm_90 has 232448"));
}
