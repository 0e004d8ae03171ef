//! No thread that can run waits for ever: kernels whose threads wait for each other in nasty ways must end on `its`, `mimd` and `aware`.

use emulator::{Launch, Machine, Memory, Occupancy, Program, Report};

use crate::support::{finish, program};

/// The machines that promise it.
const FAIR: [Machine; 3] = [Machine::Its, Machine::Mimd, Machine::Aware];

/// Runs a kernel on a buffer of words, on every fair machine and with several seeds where that matters.
fn on_fair_machines(p: &Program, launch: &Launch, words: &[u32], check: impl Fn(Machine, &Report, &[u32])) {
    for machine in FAIR {
        for seed in 0..if machine == Machine::Mimd { 5 } else { 1 } {
            let mut memory = Memory::new();
            let a = memory.alloc_from(words, "a");
            let mut launch = launch.clone().arg(a).on(machine);
            launch.seed = seed;
            let report = finish(p, &mut memory, &launch);
            check(machine, &report, &memory.read::<u32>(a, words.len()).unwrap());
        }
    }
}

/// `%rd1` = the buffer, `%r1` = lane, `%r2` = warp of the grid.
const PLACE: &str = "
    ld.param.u64 %rd1, [a];
    mov.u32 %r3, %tid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %ctaid.x; mad.lo.u32 %r6, %r5, %r4, %r3;
    and.b32 %r1, %r3, 31; shr.u32 %r2, %r6, 5;";

#[test]
fn a_lock_around_nested_branches_and_loops() {
    // The critical section has a loop whose length differs, an early way out, and releases the lock at two places.
    let p = program(
        ".param .u64 a",
        &format!(
            "{PLACE}
            AGAIN: atom.global.cas.b32 %r10, [%rd1], 0, 1;
            setp.ne.u32 %p1, %r10, 0;
            @%p1 bra AGAIN;
            and.b32 %r11, %r6, 7;
            setp.eq.u32 %p2, %r11, 3;
            @%p2 bra EARLY;
            INNER: ld.volatile.global.u32 %r12, [%rd1+4];
            add.u32 %r12, %r12, 1;
            st.volatile.global.u32 [%rd1+4], %r12;
            setp.eq.u32 %p3, %r11, 0;
            sub.u32 %r11, %r11, 1;
            @!%p3 bra INNER;
            atom.global.exch.b32 %r13, [%rd1], 0;
            bra OUT;
            EARLY: ld.volatile.global.u32 %r12, [%rd1+8];
            add.u32 %r12, %r12, 1;
            st.volatile.global.u32 [%rd1+8], %r12;
            atom.global.exch.b32 %r13, [%rd1], 0;
            OUT: ret;"
        ),
    );
    for (blocks, threads) in [(1u32, 32u32), (2, 70)] {
        let all: Vec<u32> = (0..blocks * threads).map(|i| i % 8).collect();
        let inner: u32 = all.iter().filter(|&&i| i != 3).map(|i| i + 1).sum();
        let early = all.iter().filter(|&&i| i == 3).count() as u32;
        on_fair_machines(&p, &Launch::new(blocks, threads), &[0; 3], |machine, _, words| {
            assert_eq!(words, [0, inner, early], "{}", machine.name());
        });
    }
}

#[test]
fn lanes_hand_a_token_on_backwards() {
    // Every lane waits for the one after it; the last lane has the token at the beginning. Whoever had it adds its number.
    let p = program(
        ".param .u64 a",
        &format!(
            "{PLACE}
            mov.u32 %r7, 31; sub.u32 %r7, %r7, %r1;
            WAIT: ld.volatile.global.u32 %r10, [%rd1];
            setp.ne.u32 %p1, %r10, %r7;
            @%p1 bra WAIT;
            ld.volatile.global.u32 %r11, [%rd1+4];
            mad.lo.u32 %r11, %r11, 3, %r1;
            st.volatile.global.u32 [%rd1+4], %r11;
            add.u32 %r10, %r10, 1;
            st.volatile.global.u32 [%rd1], %r10;
            ret;"
        ),
    );
    let sum = (0..32u32).rev().fold(0u32, |sum, lane| sum.wrapping_mul(3).wrapping_add(lane));
    on_fair_machines(&p, &Launch::new(1, 32), &[0; 2], |machine, _, words| {
        assert_eq!(words, [32, sum], "{}", machine.name());
    });
}

#[test]
fn a_queue_lock_in_a_list() {
    // Each thread appends its node to a list by exchanging the tail, waits until its predecessor hands over, and hands over
    // to its successor (Mellor-Crummey and Scott's lock): word 0 is the tail, word 1 the counter; a node is two words, next and ready.
    let p = program(
        ".param .u64 a",
        &format!(
            "{PLACE}
            shl.b32 %r7, %r6, 3; add.u32 %r7, %r7, 8; cvt.u64.u32 %rd2, %r7; add.s64 %rd2, %rd1, %rd2;
            atom.global.exch.b32 %r10, [%rd1], %r7;
            setp.eq.u32 %p1, %r10, 0;
            @%p1 bra MINE;
            cvt.u64.u32 %rd3, %r10; add.s64 %rd3, %rd1, %rd3;
            st.volatile.global.u32 [%rd3], %r7;
            WAIT: ld.volatile.global.u32 %r11, [%rd2+4];
            setp.eq.u32 %p2, %r11, 0;
            @%p2 bra WAIT;
            MINE: ld.volatile.global.u32 %r12, [%rd1+4];
            add.u32 %r12, %r12, 1;
            st.volatile.global.u32 [%rd1+4], %r12;
            atom.global.cas.b32 %r13, [%rd1], %r7, 0;
            setp.eq.u32 %p3, %r13, %r7;
            @%p3 bra OUT;
            LINK: ld.volatile.global.u32 %r14, [%rd2];
            setp.eq.u32 %p4, %r14, 0;
            @%p4 bra LINK;
            cvt.u64.u32 %rd4, %r14; add.s64 %rd4, %rd1, %rd4;
            st.volatile.global.u32 [%rd4+4], 1;
            OUT: ret;"
        ),
    );
    let (blocks, threads) = (2, 48);
    let words = vec![0; 2 + 2 * (blocks * threads) as usize];
    on_fair_machines(&p, &Launch::new(blocks, threads), &words, |machine, _, words| {
        assert_eq!(words[..2], [0, blocks * threads], "{}", machine.name());
    });
}

#[test]
fn a_lane_waits_for_one_that_has_arrived_where_they_meet() {
    // Lane 0 leaves at once for OUT, where it would wait for the others; they spin until it has set the flag behind OUT.
    let p = program(
        ".param .u64 a",
        &format!(
            "{PLACE}
            setp.eq.u32 %p1, %r1, 0;
            @%p1 bra OUT;
            SPIN: ld.volatile.global.u32 %r10, [%rd1];
            setp.eq.u32 %p2, %r10, 0;
            @%p2 bra SPIN;
            OUT: @%p1 st.volatile.global.u32 [%rd1], 1;
            red.global.add.u32 [%rd1+4], 1;
            ret;"
        ),
    );
    on_fair_machines(&p, &Launch::new(3, 64), &[0; 2], |machine, _, words| {
        assert_eq!(words, [1, 192], "{}", machine.name());
    });
}

#[test]
fn lanes_and_warps_and_blocks_pass_items_round() {
    // A ring of stages: each waits for its turn, 20 rounds long. The stages are lanes of a warp, warps of a block, blocks.
    let ring = |stage: &str| {
        program(
            ".param .u64 a, .param .u32 stages",
            &format!(
                "{PLACE}
                ld.param.u32 %r8, [stages];
                mov.u32 %r9, 0;
                {stage}
                ROUND: mad.lo.u32 %r21, %r9, %r8, %r20;
                WAIT: ld.acquire.gpu.global.u32 %r10, [%rd1];
                setp.ne.u32 %p1, %r10, %r21;
                @%p1 bra WAIT;
                add.u32 %r10, %r10, 1;
                st.release.gpu.global.u32 [%rd1], %r10;
                add.u32 %r9, %r9, 1;
                setp.lt.u32 %p2, %r9, 20;
                @%p2 bra ROUND;
                OUT: ret;"
            ),
        )
    };
    let one_lane = "setp.ne.u32 %p3, %r1, 0; @%p3 bra OUT;";
    for (stage, blocks, threads, stages) in [
        ("mov.u32 %r20, %r1;".into(), 1, 32, 32u32),
        (format!("{one_lane} mov.u32 %r20, %r2;"), 1, 256, 8),
        (format!("{one_lane} mov.u32 %r20, %r2;"), 5, 64, 10),
    ] {
        let p = ring(&stage);
        for machine in FAIR {
            let mut memory = Memory::new();
            let a = memory.alloc(4, "a");
            let mut launch = Launch::new(blocks, threads).arg(a).arg(stages).on(machine);
            launch.resident = Occupancy::Blocks(5);
            finish(&p, &mut memory, &launch);
            assert_eq!(memory.read::<u32>(a, 1).unwrap(), [20 * stages], "{}", machine.name());
        }
    }
}

#[test]
fn blocks_that_spin_at_barriers_let_others_run() {
    // No warp of block 0 ever uses up its turn: it waits at the barrier before. Block 1 sets what it waits for.
    let p = program(
        ".param .u64 a",
        &format!(
            "{PLACE}
            setp.ne.u32 %p1, %r5, 0;
            @%p1 bra SET;
            SPIN: ld.volatile.global.u32 %r10, [%rd1];
            bar.sync 0;
            setp.eq.u32 %p2, %r10, 0;
            @%p2 bra SPIN;
            bra OUT;
            SET: st.volatile.global.u32 [%rd1], 1;
            OUT: red.global.add.u32 [%rd1+4], 1;
            ret;"
        ),
    );
    for &machine in Machine::ALL {
        let mut memory = Memory::new();
        let a = memory.alloc(8, "a");
        let mut launch = Launch::new(2, 64).arg(a).on(machine);
        launch.resident = Occupancy::Blocks(2);
        launch.step_budget = 100_000_000;
        finish(&p, &mut memory, &launch);
        assert_eq!(memory.read::<u32>(a, 2).unwrap(), [1, 128], "{}", machine.name());
    }
}

#[test]
fn a_spinning_lane_beside_lanes_that_keep_coming_back_from_barriers() {
    // Lanes 16 to 31 of the first warp meet the second warp at a barrier over and over; lane 0 has to get on between, and
    // lanes 1 to 15 wait for it. Who is released from a barrier must not keep it from running.
    let p = program(
        ".param .u64 a",
        &format!(
            "{PLACE}
            setp.ge.u32 %p1, %r3, 16;
            @%p1 bra MEET;
            setp.eq.u32 %p2, %r1, 0;
            @%p2 bra LONG;
            SPIN: ld.volatile.global.u32 %r10, [%rd1];
            setp.eq.u32 %p3, %r10, 0;
            @%p3 bra SPIN;
            bra OUT;
            LONG: mov.u32 %r11, 0;
            COUNT: add.u32 %r11, %r11, 1;
            setp.lt.u32 %p4, %r11, 20000;
            @%p4 bra COUNT;
            st.volatile.global.u32 [%rd1], 1;
            bra OUT;
            MEET: ld.volatile.global.u32 %r12, [%rd1];
            setp.ne.u32 %p5, %r12, 0;
            barrier.red.or.pred %p6, 1, 48, %p5;
            @!%p6 bra MEET;
            OUT: red.global.add.u32 [%rd1+4], 1;
            ret;"
        ),
    );
    on_fair_machines(&p, &Launch::new(1, 64), &[0; 2], |machine, _, words| {
        assert_eq!(words, [1, 64], "{}", machine.name());
    });
}

#[test]
fn a_barrier_in_both_sides_of_a_branch_and_one_behind_them() {
    // Section II.A of the AWARE paper: every thread reaches either the first or the second barrier before any continues.
    let p = program(
        ".param .u64 a",
        &format!(
            "{PLACE}
            setp.lt.u32 %p1, %r1, 7;
            red.global.add.u32 [%rd1], 1;
            @%p1 bra LOW;
            bar.sync 0;
            ld.volatile.global.u32 %r10, [%rd1];
            bra MEET;
            LOW: bar.sync 0;
            ld.volatile.global.u32 %r10, [%rd1];
            MEET: bar.sync 0;
            setp.eq.u32 %p2, %r10, 96;
            @%p2 red.global.add.u32 [%rd1+4], 1;
            ret;"
        ),
    );
    on_fair_machines(&p, &Launch::new(1, 96), &[0; 2], |machine, _, words| {
        assert_eq!(words, [96, 96], "{}", machine.name());
    });
}

#[test]
fn seeds_are_interleavings_and_repeat() {
    // Threads draw tickets; who gets which is the interleaving.
    let p = program(
        ".param .u64 a",
        &format!(
            "{PLACE}
            atom.global.add.u32 %r10, [%rd1], 1;
            mul.wide.u32 %rd2, %r6, 4; add.s64 %rd2, %rd1, %rd2;
            st.global.u32 [%rd2+4], %r10;
            ret;"
        ),
    );
    let tickets = |seed| {
        let mut memory = Memory::new();
        let a = memory.alloc(4 * 257, "a");
        let mut launch = Launch::new(1, 256).arg(a).on(Machine::Mimd);
        launch.seed = seed;
        finish(&p, &mut memory, &launch);
        memory.read::<u32>(a.offset(4), 256).unwrap()
    };
    assert_eq!(tickets(1), tickets(1));
    assert_ne!(tickets(1), tickets(2));
    // Lanes of a warp change places, and so do warps.
    let firsts = |seed| tickets(seed).chunks(32).map(|warp| *warp.iter().min().unwrap()).collect::<Vec<_>>();
    assert!((0..20).any(|seed| tickets(seed)[..32].windows(2).any(|pair| pair[0] > pair[1])));
    assert!((0..20).any(|seed| firsts(seed)[0] != 0));
    let mut sorted = tickets(3);
    sorted.sort_unstable();
    assert_eq!(sorted, (0..256).collect::<Vec<u32>>());
}
