//! What the PTX ISA leaves undefined is named; early returns and arrivals are not, and end as they must.

use emulator::{Checks, Launch, Machine, Memory, Outcome, Program, Report, Rule, Undefined, run};

use crate::support::{INDEX, finish, module_with, program};

const UNDEFINED: Checks = Checks { races: false, uninitialised: false, undefined: true };

fn report(p: &Program, memory: &mut Memory, launch: Launch) -> Report {
    run(p, memory, &Launch { checks: UNDEFINED, ..launch }).unwrap()
}

/// What is named in a body that a block of 64 runs, on every machine that does not stop at it.
fn named(body: &str, machine: Machine) -> Vec<Undefined> {
    let body = format!("{INDEX}\n{body}\nst.global.u32 [%rd2], %r10;\nret;");
    let module = module_with(".const .align 4 .b8 table[256];\n", ".param .u64 a", &body);
    let p = Program::decode(&module, "k").unwrap();
    let mut memory = Memory::new();
    let a = memory.alloc(4 * 64, "a");
    let report = report(&p, &mut memory, Launch::new(1, 64).arg(a).on(machine));
    assert_eq!(report.outcome, Outcome::Finished, "{}", report.outcome);
    report.findings.undefined.unwrap()
}

/// The rule that a body breaks and nothing else, with warp and lanes of the first who do.
#[track_caller]
fn breaks(body: &str, rule: Rule, (warp, lanes): (u32, u32)) {
    for &machine in Machine::ALL {
        let found = named(body, machine);
        let lanes = if machine == Machine::Mimd { found[0].lanes } else { lanes };
        let all: Vec<(Rule, u32)> = found.iter().map(|one| (one.rule, one.lanes)).collect();
        assert_eq!(all, [(rule, lanes)], "{machine:?}");
        assert_eq!((found[0].block, found[0].warp), (0, if machine == Machine::Mimd { found[0].warp } else { warp }));
        assert!(found[0].site.ptx_line > 0 && found[0].count > 0);
    }
}

#[track_caller]
fn breaks_nothing(body: &str) {
    for &machine in Machine::ALL {
        assert_eq!(named(body, machine), [], "{machine:?}");
    }
}

#[test]
fn lanes_outside_their_own_mask() {
    let vote = "setp.eq.u32 %p1, %r3, %r3;\nvote.sync.ballot.b32 %r10, %p1, 0xffff;";
    breaks(vote, Rule::NotMember { members: 0xffff }, (0, 0xffff_0000));
    breaks("bar.warp.sync 0;", Rule::NoMembers, (0, u32::MAX));
    breaks_nothing("bar.warp.sync 0xffffffff;");
    // Each half names itself.
    breaks_nothing(
        "and.b32 %r4, %r3, 16;\nshl.b32 %r5, 0xffff, %r4;\nmov.u32 %r10, 7;\nredux.sync.add.u32 %r10, %r10, %r5;",
    );
}

#[test]
fn shuffles_from_lanes_that_do_not_take_part() {
    let half = "mov.u32 %r10, %r3;\nsetp.ge.u32 %p1, %r3, 16;\n@%p1 bra OUT;\n";
    let down = format!("{half}shfl.sync.down.b32 %r10, %r3, 8, 31, 0xffff;\nOUT:");
    breaks(&down, Rule::Source { from: 0x00ff_0000 }, (0, 0xff00));
    let down = format!("{half}shfl.sync.down.b32 %r10, %r3, 8, 0x100f, 0xffff;\nOUT:");
    breaks_nothing(&down);
    // Of the lanes that have ended before, nothing is left to be read.
    let ended = "setp.ge.u32 %p1, %r3, 48;\n@%p1 exit;\nshfl.sync.idx.b32 %r10, %r3, 20, 31, 0xffffffff;";
    breaks(ended, Rule::Source { from: 1 << 20 }, (1, 0xffff));
}

#[test]
fn numbers_counts_and_kinds_of_barriers() {
    breaks("mov.u32 %r10, 17;\nbar.sync %r10;", Rule::BarrierNumber { number: 17 }, (0, u32::MAX));
    breaks("mov.u32 %r10, 48;\nbar.sync 1, %r10;", Rule::BarrierCount { count: 48 }, (0, u32::MAX));
    // The second warp says something else; whichever comes second is named.
    for (first, second, rule) in [
        ("barrier.sync 1, 64;", "barrier.sync 1, 32;", "threads, where others came to it as one for"),
        ("barrier.sync 1, 64;", "barrier.red.or.pred %p2, 1, 64, %p1;", "a reduction and another kind of arrival"),
    ] {
        let body = format!("setp.ge.u32 %p1, %r3, 32;\n@%p1 bra B;\n{first}\nbra C;\nB: {second}\nC:");
        for &machine in Machine::ALL {
            let found = named(&body, machine);
            // Where each lane comes alone, both instructions may meet the other's.
            let fits = if machine == Machine::Mimd { !found.is_empty() } else { found.len() == 1 };
            assert!(fits && found.iter().all(|one| one.to_string().contains(rule)), "{machine:?}: {found:?}");
        }
    }
    let twice = "barrier.arrive 1, 64;\nbarrier.sync 1, 64;";
    let body = format!("setp.lt.u32 %p1, %r3, 32;\n@%p1 bra A;\nbra C;\nA: {twice}\nC:");
    let found = named(&body, Machine::Its);
    assert_eq!(found[0].rule, Rule::BarrierTwice { number: 1 });
}

#[test]
fn a_warp_at_two_aligned_barriers() {
    let body = |bar: &str| {
        format!(
            "and.b32 %r4, %r3, 1;\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra B;\n{bar} 0;\nbra C;\nB: {bar} 0;\nC: mov.u32 %r10, 1;"
        )
    };
    let found = named(&body("bar.sync"), Machine::Its);
    assert_eq!(found.iter().map(|one| one.rule).collect::<Vec<_>>(), [Rule::BarrierDivergence]);
    assert!([0x5555_5555, 0xaaaa_aaaa].contains(&found[0].lanes), "{found:?}");
    assert_eq!(named(&body("barrier.sync"), Machine::Its), []);
}

#[test]
fn lanes_that_pass_by_a_barrier_at_which_others_of_their_warp_wait() {
    // Lanes 8 to 31 of each warp do not come to the barrier, and store behind it.
    let behind = "and.b32 %r4, %r3, 31;\nsetp.ge.u32 %p1, %r4, 8;\n@%p1 bra C;\nbar.sync 0;\nC: st.global.u32 [%rd1], 1;\nmov.u32 %r10, 1;";
    for machine in Machine::ALL {
        let found = named(behind, *machine);
        assert_eq!(found.iter().map(|one| one.rule).collect::<Vec<_>>(), [Rule::BarrierPassed], "{machine:?}");
        assert_eq!((found[0].opcode.as_str(), found[0].lanes & 0xff), ("bar.sync", 0), "{found:?}");
    }
    // Lanes leave a loop that has a barrier one after the other.
    let leave = "mov.u32 %r5, 0;\nL: bar.sync 0;\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, %r3;\n@%p1 bra L;\nst.global.u32 [%rd1], 1;";
    for machine in [Machine::Its, Machine::Mimd, Machine::Aware] {
        let found = named(leave, machine);
        assert_eq!(found.iter().map(|one| one.rule).collect::<Vec<_>>(), [Rule::BarrierPassed], "{machine:?}");
    }
    // Who returns early may do something before, and a barrier that is not aligned may be passed by.
    let early = "and.b32 %r4, %r3, 31;\nsetp.lt.u32 %p1, %r4, 8;\n@%p1 bra C;\nst.global.u32 [%rd1], 1;\nret;\nC: bar.sync 0;\nst.global.u32 [%rd1+4], 1;";
    for machine in Machine::ALL {
        assert_eq!(named(early, *machine), [], "{machine:?}");
        assert_eq!(named(&behind.replace("bar.sync", "barrier.sync"), *machine), [], "{machine:?}");
    }
    // Iterations in which all lanes come and such in which none does.
    let sometimes = "mov.u32 %r5, 0;\nL: and.b32 %r6, %r5, 1;\nsetp.eq.u32 %p1, %r6, 0;\n@%p1 bra N;\nbar.sync 0;\n\
        N: st.global.u32 [%rd1], 1;\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 6;\n@%p1 bra L;";
    for machine in Machine::ALL {
        assert_eq!(named(sometimes, *machine), [], "{machine:?}");
    }
}

#[test]
fn an_index_beyond_its_table() {
    let body = "
        ts: .branchtargets L0, L1;
        and.b32 %r4, %r3, 3;
        brx.idx %r4, ts;
        L0: mov.u32 %r10, 1;
        bra DONE;
        L1: mov.u32 %r10, 2;
        DONE:";
    breaks(body, Rule::BranchIndex { index: 2, targets: 2 }, (0, 0xcccc_cccc));
    breaks_nothing(&body.replace("%r3, 3", "%r3, 1"));
}

/// Runs a body on machines, with many seeds where there are seeds: it ends, breaks no rule, and the threads of the second warp store a number.
#[track_caller]
fn second_warp_stores(body: &str, threads: u32, machines: &[Machine], number: u32) {
    let p = program(".param .u64 a", &format!("{INDEX}\n{body}"));
    for &machine in machines {
        for seed in 0..if machine == Machine::Mimd { 20 } else { 1 } {
            let mut memory = Memory::new();
            let a = memory.alloc(4 * u64::from(threads), "a");
            let report = report(&p, &mut memory, Launch { seed, ..Launch::new(1, threads).arg(a).on(machine) });
            assert_eq!(report.outcome, Outcome::Finished, "{machine:?}: {}", report.outcome);
            assert_eq!(memory.read::<u32>(a.offset(128), 32).unwrap(), [number; 32], "{machine:?} {seed}");
            assert_eq!(report.findings.undefined.unwrap(), []);
        }
    }
}

#[test]
fn a_warp_of_which_some_lanes_arrive_and_end_has_arrived_once() {
    // The first warp arrives in two parts that end; the third writes late and arrives; the second waits for 96 threads.
    let body = "
        .shared .align 4 .u32 word;
        mov.u32 %r10, 0;
        setp.lt.u32 %p1, %r3, 16;
        @%p1 bra A;
        setp.lt.u32 %p1, %r3, 32;
        @%p1 bra B;
        setp.lt.u32 %p1, %r3, 64;
        @%p1 bra C;
        L1: add.u32 %r10, %r10, 1;
        setp.lt.u32 %p1, %r10, 20000;
        @%p1 bra L1;
        mov.u32 %r11, 77;
        st.volatile.shared.u32 [word], %r11;
        barrier.arrive 1, 96;
        ret;
        A: barrier.arrive 1, 96;
        ret;
        B: add.u32 %r10, %r10, 1;
        setp.lt.u32 %p1, %r10, 100;
        @%p1 bra B;
        barrier.arrive 1, 96;
        ret;
        C: barrier.sync 1, 96;
        ld.volatile.shared.u32 %r11, [word];
        st.global.u32 [%rd2], %r11;
        ret;";
    second_warp_stores(body, 96, &[Machine::Its, Machine::Mimd, Machine::Aware], 77);
}

#[test]
fn a_producer_that_runs_ahead_does_not_lose_an_arrival() {
    // The first warp arrives at one barrier again as soon as the second has gone on from there: two turns of a pipeline of two stages.
    let body = "
        .shared .align 4 .u32 word;
        setp.ge.u32 %p1, %r3, 32;
        mov.u32 %r10, 0;
        @%p1 bra CONSUMER;
        PRODUCER:
        barrier.sync 2, 64;
        add.u32 %r10, %r10, 1;
        st.volatile.shared.u32 [word], %r10;
        barrier.arrive 1, 64;
        setp.lt.u32 %p1, %r10, 5;
        @%p1 bra PRODUCER;
        ret;
        CONSUMER:
        barrier.arrive 2, 64;
        barrier.sync 1, 64;
        ld.volatile.shared.u32 %r11, [word];
        add.u32 %r12, %r12, %r11;
        setp.lt.u32 %p1, %r11, 5;
        @%p1 bra CONSUMER;
        st.global.u32 [%rd2], %r12;
        ret;";
    second_warp_stores(&format!("mov.u32 %r12, 0;\n{body}"), 64, Machine::ALL, 15);
}

/// Lanes from 40 on return early; the others meet at `wait`. Behind it each reads what the lane mirrored at 40 has written.
fn early_return(wait: &str, tail: &str) -> String {
    format!(
        "
        .shared .align 4 .b32 s[64];
        shl.b32 %r4, %r3, 2;
        mov.u32 %r5, s;
        add.u32 %r5, %r5, %r4;
        mov.u32 %r10, -1;
        setp.ge.u32 %p1, %r3, 40;
        @%p1 bra END;
        st.shared.u32 [%r5], %r3;
        {wait}
        sub.u32 %r6, 39, %r3;
        shl.b32 %r6, %r6, 2;
        mov.u32 %r7, s;
        add.u32 %r7, %r7, %r6;
        ld.shared.u32 %r10, [%r7];
        {tail}"
    )
}

#[test]
fn lanes_that_return_early_are_not_waited_for() {
    // Where the compiler lets them return, and where it puts their last store together with that of the others.
    let returns = "st.global.u32 [%rd2], %r10;\nEND: ret;";
    let stores = "END: st.global.u32 [%rd2], %r10;\nret;";
    for (tail, rest) in [(returns, 0), (stores, u32::MAX)] {
        for wait in ["bar.sync 0;", "barrier.sync 3, 64;", "bar.warp.sync 0xffffffff;\nbar.sync 0;"] {
            let p = program(".param .u64 a", &format!("{INDEX}\n{}", early_return(wait, tail)));
            for &machine in Machine::ALL {
                let mut memory = Memory::new();
                let a = memory.alloc(4 * 128, "a");
                finish(&p, &mut memory, &Launch::new(2, 64).arg(a).on(machine));
                let expected = |i: u32| if i % 64 < 40 { 39 - i % 64 } else { rest };
                let expected: Vec<u32> = (0..128).map(expected).collect();
                assert_eq!(memory.read::<u32>(a, 128).unwrap(), expected, "{machine:?} {wait}");
            }
        }
    }
}

#[test]
fn lanes_that_come_to_another_barrier_are_missed() {
    let tail = "END: bar.sync 0;\nst.global.u32 [%rd2], %r10;\nret;";
    let p = program(".param .u64 a", &format!("{INDEX}\n{}", early_return("bar.sync 0;", tail)));
    let mut memory = Memory::new();
    let a = memory.alloc(4 * 64, "a");
    let report = run(&p, &mut memory, &Launch::new(1, 64).arg(a)).unwrap();
    let Outcome::BarrierDivergence { missing, .. } = report.outcome else { panic!("{}", report.outcome) };
    assert_eq!(missing.iter().fold(0, |lanes, place| lanes | place.lanes), 0xffff_ff00);
}

#[test]
fn writes_to_what_a_kernel_may_only_read() {
    let odd = "and.b32 %r4, %r3, 1;\nsetp.eq.u32 %p1, %r4, 1;\nmov.u32 %r10, 5;\n";
    let constant = format!("{odd}mov.u64 %rd5, table;\n@%p1 st.u32 [%rd5], %r10;");
    breaks(&constant, Rule::ConstantWritten, (0, 0xaaaa_aaaa));
    let neighbours =
        "mul.wide.u32 %rd6, %r3, 4;\nmov.u64 %rd5, table;\nadd.s64 %rd5, %rd5, %rd6;\nst.u32 [%rd5], %r10;";
    breaks(neighbours, Rule::ConstantWritten, (0, u32::MAX));
    let atomic = format!("{odd}mov.u64 %rd5, table;\n@!%p1 red.add.u32 [%rd5], %r10;");
    breaks(&atomic, Rule::ConstantWritten, (0, 0x5555_5555));
    let parameter = "mov.b64 %rd5, a;\ncvta.param.u64 %rd5, %rd5;\nmov.u32 %r10, 0;\nst.u32 [%rd5+4], %r10;";
    breaks(parameter, Rule::ParameterWritten, (0, u32::MAX));
    breaks_nothing(
        "mov.u64 %rd5, table;\nld.u32 %r10, [%rd5];\nld.const.u32 %r10, [table+4];\nld.param.u32 %r10, [a];",
    );
}
