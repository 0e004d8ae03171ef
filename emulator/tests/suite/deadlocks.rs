//! Launches in which nothing gets on: what it is called, whom it names, and how long it takes to find out.

use emulator::{Launch, Machine, Memory, Occupancy, Outcome, Program, Report, run};

use crate::support::{finish, program};

fn launch(p: &Program, machine: Machine, (blocks, threads): (u32, u32), resident: u32, host: usize) -> Report {
    let mut memory = Memory::new();
    let a = memory.alloc(1024, "a");
    let mut launch = Launch::new(blocks, threads).arg(a).on(machine);
    launch.resident = Occupancy::Blocks(resident);
    launch.threads = host;
    run(p, &mut memory, &launch).unwrap()
}

fn lanes(places: &[emulator::LanesAt], block: u64, warp: u32) -> u32 {
    let there = places.iter().filter(|place| (place.block, place.warp) == (block, warp));
    there.fold(0, |lanes, place| lanes | place.lanes)
}

/// Even threads take lock 0 first, odd ones lock 1; each then waits for the other one's.
const CROSSED_LOCKS: &str = "
    ld.param.u64 %rd1, [a];
    mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 1; xor.b32 %r3, %r2, 1;
    mul.wide.u32 %rd2, %r2, 4; add.s64 %rd2, %rd1, %rd2; mul.wide.u32 %rd3, %r3, 4; add.s64 %rd3, %rd1, %rd3;
    FIRST: atom.global.cas.b32 %r4, [%rd2], 0, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra FIRST;
    add.u32 %r5, %r1, 1;
    red.global.add.u32 [%rd1+8], 1;
    BOTH: ld.volatile.global.u32 %r6, [%rd1+8]; setp.lt.u32 %p2, %r6, 2; @%p2 bra BOTH;
    SECOND: atom.global.cas.b32 %r4, [%rd3], 0, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra SECOND;
    ret;";

#[test]
fn crossed_locks_are_nobodys_fault_but_the_programs() {
    let p = program(".param .u64 a", CROSSED_LOCKS);
    for &machine in Machine::ALL {
        for host in [1, 2] {
            let report = launch(&p, machine, (1, 2), 1, host);
            let Outcome::Livelock { running, .. } = &report.outcome else {
                panic!("{}: {}", machine.name(), report.outcome)
            };
            assert_eq!(lanes(running, 0, 0), 0b11, "{}", machine.name());
            assert!(running.iter().all(|place| place.site.ptx_line == 19), "{}", report.outcome);
        }
    }
}

#[test]
fn a_deadlock_names_who_waits_at_a_barrier_meanwhile() {
    // Warp 0 waits at the barrier for warp 1, which waits for a flag that warp 0 sets behind the barrier.
    let p = program(
        ".param .u64 a",
        "ld.param.u64 %rd1, [a];
         mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32;
         @%p1 bra MEET;
         SPIN: ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p2, %r2, 0; @%p2 bra SPIN;
         MEET: bar.sync 0;
         st.volatile.global.u32 [%rd1], 1;
         ret;",
    );
    for &machine in Machine::ALL {
        let report = launch(&p, machine, (1, 64), 1, 1);
        let Outcome::Livelock { running, waiting } = &report.outcome else { panic!("{}", report.outcome) };
        assert_eq!((lanes(running, 0, 1), lanes(waiting, 0, 0)), (u32::MAX, u32::MAX), "{}", machine.name());
        assert_eq!((running[0].site.ptx_line, waiting[0].site.ptx_line), (14, 15));
        let text = report.outcome.to_string();
        assert!(text.contains("loops: block 0 warp 1 lanes 0xffffffff at PTX line 14"), "{text}");
    }
}

#[test]
fn a_loop_around_a_barrier_is_a_livelock_too() {
    // Both warps come by the barrier for ever; a flag says when to stop, and a vote and a shared word pass it on.
    let p = program(
        ".param .u64 a",
        ".shared .align 4 .b8 s[4];
         ld.param.u64 %rd1, [a];
         SPIN: ld.volatile.global.u32 %r2, [%rd1];
         setp.ne.u32 %p1, %r2, 0;
         vote.sync.any.pred %p2, %p1, -1;
         selp.u32 %r3, 1, 0, %p2;
         st.shared.u32 [s], %r3;
         bar.sync 0;
         ld.shared.u32 %r4, [s];
         bar.sync 0;
         setp.eq.u32 %p3, %r4, 0;
         @%p3 bra SPIN;
         ret;",
    );
    for &machine in Machine::ALL {
        for host in [1, 2] {
            let mut memory = Memory::new();
            let a = memory.alloc(4, "a");
            let mut launch = Launch::new(3, 64).arg(a).on(machine);
            launch.threads = host;
            // Two host threads agree once both have run for a while; on a busy computer one of them may have to wait for that.
            launch.step_budget = 1 << 34;
            let report = run(&p, &mut memory, &launch).unwrap();
            assert_eq!(report.outcome.name(), "livelock", "{}: {}", machine.name(), report.outcome);
            memory.write(a, &[1u32]).unwrap();
            finish(&p, &mut memory, &launch);
        }
    }
}

/// All blocks but the last one wait for all blocks to arrive: a barrier across the grid.
const GRID_BARRIER: &str = "
    ld.param.u64 %rd1, [a];
    mov.u32 %r1, %nctaid.x; mov.u32 %r3, %tid.x; setp.ne.u32 %p1, %r3, 0;
    @%p1 bra MEET;
    red.global.add.u32 [%rd1], 1;
    WAIT: ld.acquire.gpu.global.u32 %r2, [%rd1]; setp.lt.u32 %p2, %r2, %r1; @%p2 bra WAIT;
    MEET: bar.sync 0;
    ret;";

#[test]
fn starvation_is_confirmed_by_more_room() {
    let p = program(".param .u64 a", GRID_BARRIER);
    for &machine in Machine::ALL {
        for host in [1, 2] {
            let report = launch(&p, machine, (12, 64), 4, host);
            let Outcome::Starvation { running, waiting_blocks, needs } = &report.outcome else {
                panic!("{}: {}", machine.name(), report.outcome)
            };
            assert_eq!((*waiting_blocks, *needs), (8, Some(12)), "{}", machine.name());
            assert!(running.iter().all(|place| place.lanes == 1 && place.warp == 0), "{}", report.outcome);
            assert_eq!(launch(&p, machine, (12, 64), 12, host).outcome, Outcome::Finished);
        }
    }
}

#[test]
fn blocks_that_more_room_does_not_help_do_not_starve() {
    // Every block waits for a flag that nobody sets; there are blocks that have found no room all the same.
    let p = program(
        ".param .u64 a",
        "ld.param.u64 %rd1, [a];
         WAIT: ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p2, %r2, 0; @%p2 bra WAIT;
         ret;",
    );
    for &machine in Machine::ALL {
        let report = launch(&p, machine, (40, 32), 4, 1);
        assert_eq!(report.outcome.name(), "livelock", "{}: {}", machine.name(), report.outcome);
    }
}

#[test]
fn a_lock_that_starves_and_is_held_below_a_loop() {
    // Lane 0 of block 0 waits below its siblings' loop and holds what they wait for: the machine, not the room, is at fault
    // on `stack`, although other blocks have found no room.
    let p = program(
        ".param .u64 a",
        "ld.param.u64 %rd1, [a];
         LOCK: atom.global.cas.b32 %r1, [%rd1], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra LOCK;
         atom.global.exch.b32 %r1, [%rd1], 0;
         ret;",
    );
    let report = launch(&p, Machine::Stack, (6, 32), 2, 1);
    let Outcome::SimtDeadlock { running, waiting } = &report.outcome else { panic!("{}", report.outcome) };
    assert_eq!((lanes(running, 0, 0), lanes(waiting, 0, 0)), (0xffff_fffe, 1));
    assert_eq!(waiting.len(), 1);
    for machine in [Machine::Its, Machine::Mimd, Machine::Aware] {
        assert_eq!(launch(&p, machine, (6, 32), 2, 1).outcome, Outcome::Finished);
    }
}

#[test]
fn lanes_that_meet_the_others_in_each_iteration_keep_nobody_back() {
    // All lanes but one wait, and come back with the same registers each time. The one that they wait for counts meanwhile, and waits for them
    // where they meet.
    let p = program(
        ".param .u64 a",
        "ld.param.u64 %rd1, [a];
         mov.u32 %r1, %tid.x; mov.u32 %r3, 0; setp.ne.u32 %p1, %r1, 0;
         LOOP: @%p1 bra WAIT;
         mov.u32 %r2, 0; add.u32 %r3, %r3, 1; setp.lt.u32 %p3, %r3, 300000; @%p3 bra MEET;
         st.volatile.global.u32 [%rd1], 1; mov.u32 %r2, 1; bra MEET;
         WAIT: ld.volatile.global.u32 %r2, [%rd1];
         MEET: setp.eq.u32 %p2, %r2, 0; @%p2 bra LOOP;
         ret;",
    );
    for &machine in Machine::ALL {
        for timeout in [None, Some(1 << 14)] {
            let mut memory = Memory::new();
            let a = memory.alloc(8, "a");
            let mut launch = Launch::new(1, 32).arg(a).on(machine);
            launch.aware.timeout = timeout;
            finish(&p, &mut memory, &launch);
        }
    }
}

#[test]
fn a_naive_spin_lock_is_found_out_soon() {
    let p = program(
        ".param .u64 a",
        "ld.param.u64 %rd1, [a];
         LOCK: atom.global.cas.b32 %r1, [%rd1], 0, 1;
         setp.ne.u32 %p1, %r1, 0;
         @%p1 bra LOCK;
         ld.volatile.global.u32 %r2, [%rd1+4]; add.u32 %r2, %r2, 1; st.volatile.global.u32 [%rd1+4], %r2;
         atom.global.exch.b32 %r1, [%rd1], 0;
         ret;",
    );
    for blocks in [1, 64] {
        let report = launch(&p, Machine::Stack, (blocks, 32), 64, 1);
        assert_eq!((report.outcome.name(), report.outcome.site().unwrap().ptx_line), ("simt-deadlock", 12));
        let executed = report.counts.warp_instructions;
        assert!(executed < 5_000_000, "{executed} warp instructions, which take a fraction of a second at most");
    }
    for machine in [Machine::Its, Machine::Mimd, Machine::Aware] {
        let mut memory = Memory::new();
        let a = memory.alloc(8, "a");
        finish(&p, &mut memory, &Launch::new(1, 32).arg(a).on(machine));
        assert_eq!(memory.read::<u32>(a, 2).unwrap(), [0, 32]);
    }
}

#[test]
fn a_barrier_that_counts_on_more_threads_than_there_are() {
    let p = program(".param .u64 a", "mov.u32 %r1, 1;\nbarrier.sync 3, 96;\nret;");
    for &machine in Machine::ALL {
        let report = launch(&p, machine, (1, 64), 1, 1);
        let Outcome::BarrierDivergence { waiting, missing } = &report.outcome else { panic!("{}", report.outcome) };
        assert_eq!((lanes(waiting, 0, 0), lanes(waiting, 0, 1), missing.len()), (u32::MAX, u32::MAX, 0));
        assert!(report.outcome.to_string().contains("it counts on more"), "{}", report.outcome);
    }
}

#[test]
fn the_missing_lanes_of_a_barrier_are_those_that_wait_elsewhere() {
    // A warp waits at one barrier, half of the other one at a second, and the rest at a vote for all.
    let p = program(
        ".param .u64 a",
        "mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 32; setp.ge.u32 %p2, %r1, 48;
         @!%p1 bra ONE; @%p2 bra VOTE;
         barrier.sync 2; bra OUT;
         VOTE: vote.sync.ballot.b32 %r2, %p1, -1; bra OUT;
         ONE: barrier.sync 1;
         OUT: ret;",
    );
    for machine in [Machine::Its, Machine::Mimd, Machine::Aware] {
        let report = launch(&p, machine, (1, 64), 1, 1);
        let Outcome::BarrierDivergence { waiting, missing } = &report.outcome else { panic!("{}", report.outcome) };
        assert_eq!((lanes(waiting, 0, 0), waiting.len()), (u32::MAX, 1), "{}", report.outcome);
        assert_eq!((lanes(missing, 0, 1), missing.len()), (u32::MAX, 2), "{}", report.outcome);
    }
}

#[test]
fn named_barriers_with_producers_that_do_not_wait() {
    // Warp 0 and the odd warp of 8 lanes produce and arrive; warp 1 waits for them: 96 threads, counted in whole warps.
    let p = program(
        ".param .u64 a",
        "ld.param.u64 %rd1, [a];
         mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; setp.eq.u32 %p1, %r2, 1;
         @%p1 bra CONSUME;
         red.global.add.u32 [%rd1], 1;
         membar.gl;
         barrier.arrive 1, 96;
         bra OUT;
         CONSUME: barrier.sync 1, 96;
         ld.volatile.global.u32 %r3, [%rd1];
         setp.eq.u32 %p2, %r3, 40;
         @%p2 red.global.add.u32 [%rd1+4], 1;
         OUT: ret;",
    );
    for &machine in Machine::ALL {
        let mut memory = Memory::new();
        let a = memory.alloc(8, "a");
        finish(&p, &mut memory, &Launch::new(1, 72).arg(a).on(machine));
        assert_eq!(memory.read::<u32>(a, 2).unwrap(), [40, 32], "{}", machine.name());
    }
}

#[test]
fn a_loop_that_only_changes_its_own_variables_gets_nowhere() {
    // Local memory is a thread's state like its registers: nobody else gets on because it changes.
    let p = program(
        ".param .u64 a",
        ".local .align 4 .b8 v[8];
         ld.param.u64 %rd1, [a];
         mov.u32 %r1, 1;
         SPIN: st.local.u32 [v+4], %r1;
         xor.b32 %r1, %r1, 3;
         st.local.u32 [v+4], %r1;
         ld.volatile.global.u32 %r2, [%rd1];
         setp.eq.u32 %p1, %r2, 0;
         @%p1 bra SPIN;
         ret;",
    );
    for &machine in Machine::ALL {
        let mut memory = Memory::new();
        let a = memory.alloc(4, "a");
        let launch = Launch { step_budget: 1 << 24, ..Launch::new(2, 64).arg(a).on(machine) };
        let report = run(&p, &mut memory, &launch).unwrap();
        assert_eq!(report.outcome.name(), "livelock", "{}: {}", machine.name(), report.outcome);
    }
}

#[test]
fn threads_that_recurse_are_watched_by_what_they_use_of_their_stacks() {
    // The stack of a lane has 64 KiB, of which the frames here take some hundred bytes.
    let text = "
.version 9.0
.target sm_90
.address_size 64
.func (.param .b32 r) wait(.param .b32 n, .param .b64 at) {
  .reg .b32 %r<6>;
  .reg .b64 %rd<3>;
  .reg .pred %p<3>;
  ld.param.u32 %r1, [n];
  ld.param.u64 %rd1, [at];
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra SPIN;
  {
    .param .b32 less;
    .param .b64 there;
    .param .b32 got;
    sub.u32 %r2, %r1, 1;
    st.param.b32 [less], %r2;
    st.param.b64 [there], %rd1;
    call (got), wait, (less, there);
    ld.param.u32 %r3, [got];
  }
  st.param.b32 [r], %r3;
  ret;
SPIN:
  ld.volatile.global.u32 %r4, [%rd1];
  setp.eq.u32 %p2, %r4, 0;
  @%p2 bra SPIN;
  st.param.b32 [r], %r4;
  ret;
}
.visible .entry k(.param .u64 a) {
  .reg .b32 %r<6>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [a];
  mov.u32 %r1, %tid.x;
  and.b32 %r1, %r1, 7;
  {
    .param .b32 n;
    .param .b64 at;
    .param .b32 got;
    st.param.b32 [n], %r1;
    st.param.b64 [at], %rd1;
    call (got), wait, (n, at);
    ld.param.u32 %r2, [got];
  }
  ret;
}";
    let p = Program::decode(&ptx_parser::Module::parse(text).unwrap(), "k").unwrap();
    for &machine in Machine::ALL {
        let report = launch(&p, machine, (2, 128), 2, 1);
        let Outcome::Livelock { running, .. } = &report.outcome else {
            panic!("{}: {}", machine.name(), report.outcome)
        };
        assert!(running.iter().all(|place| place.site.ptx_line == 26), "{}", report.outcome);
    }
}

#[test]
fn lanes_that_name_different_members_do_not_meet() {
    // Even lanes name all, odd ones the odd ones, who go on to an operation for all. The even ones never come there.
    let p = program(
        ".param .u64 a",
        "mov.u32 %r1, %laneid; and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0;
        selp.b32 %r3, 0xffffffff, 0xaaaaaaaa, %p1;
        redux.sync.add.u32 %r4, %r1, %r3;
        redux.sync.add.u32 %r4, %r1, 0xffffffff;
        ret;",
    );
    for &machine in Machine::ALL {
        for seed in 0..if machine == Machine::Mimd { 32 } else { 1 } {
            let mut launch = Launch::new(1, 64).arg(0u64).on(machine);
            launch.seed = seed;
            let report = run(&p, &mut Memory::new(), &launch).unwrap();
            let Outcome::BarrierDivergence { waiting, missing } = &report.outcome else {
                panic!("{} (seed {seed}): {}", machine.name(), report.outcome)
            };
            // Either may be called the one that the other waits for.
            for lanes in [0x5555_5555, 0xaaaa_aaaa] {
                let there = waiting.iter().chain(missing).any(|place| place.lanes & lanes == lanes);
                assert!(there, "{}: {}", machine.name(), report.outcome);
            }
        }
    }
}
