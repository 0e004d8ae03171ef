//! AWARE: the examples of "MIMD Synchronization on SIMT Architectures" (MICRO 2016), Figures 1, 4 and 6, and its tables.

use emulator::{Aware, Branch, Error, Launch, Machine, Memory, Order, Outcome, Program, Reconvergence, Report, run};

use crate::support::{finish, program};

/// Without timeout.
fn waits() -> Aware {
    Aware { timeout: None, ..Aware::default() }
}

fn delayed(branch: &str, point: Option<&str>) -> Aware {
    let wish = Reconvergence { branch: Branch::Label(branch.into()), point: point.map(Into::into) };
    Aware { reconvergence: vec![wish], ..waits() }
}

/// One launch on a few words, and what is in them afterwards.
fn launch(p: &Program, threads: u32, words: usize, machine: Machine, aware: Aware) -> (Report, Vec<u32>) {
    let mut memory = Memory::new();
    let a = memory.alloc(4 * words as u64, "a");
    let mut launch = Launch::new(1, threads).arg(a).on(machine);
    launch.aware = aware;
    let report = run(p, &mut memory, &launch).unwrap();
    (report, memory.read::<u32>(a, words).unwrap())
}

/// Figure 1: a spin lock around a critical section. C' stands behind the release.
const FIGURE_1: &str = "
    ld.param.u64 %rd1, [a];
    LOOP: atom.global.cas.b32 %r1, [%rd1], 0, 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra LOOP;
    ld.volatile.global.u32 %r2, [%rd1+4];
    add.u32 %r2, %r2, 1;
    st.volatile.global.u32 [%rd1+4], %r2;
    atom.global.exch.b32 %r3, [%rd1], 0;
    SAFE: red.global.add.u32 [%rd1+8], 1;
    ret;";

#[test]
fn figure_1_needs_a_timeout_or_delayed_reconvergence() {
    let p = program(".param .u64 a", FIGURE_1);
    // Its lanes wait at the exit of the loop for all that are pending there, as on a stack.
    for (machine, aware) in [(Machine::Stack, waits()), (Machine::Aware, waits())] {
        let (report, words) = launch(&p, 32, 3, machine, aware);
        let Outcome::SimtDeadlock { running, waiting } = &report.outcome else { panic!("{}", report.outcome) };
        let lanes = (running[0].lanes.count_ones(), waiting[0].lanes.count_ones());
        assert_eq!((lanes, running[0].lanes & waiting[0].lanes), ((31, 1), 0));
        assert_eq!((running[0].site.ptx_line, words[1]), (13, 0));
        assert!(report.counts.warp_instructions < 10_000_000);
    }
    for (machine, aware) in [
        (Machine::Its, waits()),
        (Machine::Mimd, waits()),
        (Machine::Aware, Aware { timeout: Some(100), ..waits() }),
        (Machine::Aware, delayed("LOOP", Some("SAFE"))),
        (Machine::Aware, delayed("LOOP", None)),
    ] {
        let (report, words) = launch(&p, 32, 3, machine, aware);
        assert_eq!((report.outcome, words), (Outcome::Finished, vec![0, 32, 32]));
    }
}

#[test]
fn delayed_reconvergence_waits_for_no_timeout_and_meets_where_it_says() {
    let p = program(".param .u64 a", FIGURE_1);
    let (report, _) = launch(&p, 32, 3, Machine::Aware, delayed("LOOP", Some("SAFE")));
    // All lanes are together again at SAFE: one warp instruction adds for all 32.
    let safe = report.ptx_lines.iter().find(|line| line.site.ptx_line == 20).unwrap();
    assert_eq!((safe.counts.warp_instructions, safe.counts.active_lanes), (1, 32));
    assert_eq!((report.scheduling.timeouts, report.scheduling.reconvergences), (0, 1));
    // With a timeout they meet only at the end, if at all.
    let (report, _) = launch(&p, 32, 3, Machine::Aware, Aware { timeout: Some(100), ..waits() });
    let safe = report.ptx_lines.iter().find(|line| line.site.ptx_line == 20).unwrap();
    assert_eq!((safe.counts.warp_instructions, safe.counts.active_lanes), (32, 32));
    // One lane after the other times out at the loop's exit, but for the last one, which nobody is left to wait for.
    assert_eq!(report.scheduling.timeouts, 31);
}

/// Figure 4, a loop parallel to the write that it waits for: one side spins, the other one sets the flag.
const FIGURE_4_PARALLEL: &str = "
    ld.param.u64 %rd1, [a];
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 5;
    @%p1 bra SPIN;
    st.volatile.global.u32 [%rd1], 1;
    bra MEET;
    SPIN: ld.volatile.global.u32 %r2, [%rd1];
    setp.eq.u32 %p2, %r2, 0;
    @%p2 bra SPIN;
    MEET: red.global.add.u32 [%rd1+4], 1;
    ret;";

#[test]
fn figure_4_parallel_paths_are_not_serialised() {
    let p = program(".param .u64 a", FIGURE_4_PARALLEL);
    let (report, _) = launch(&p, 32, 2, Machine::Stack, waits());
    let Outcome::SimtDeadlock { running, waiting } = &report.outcome else { panic!("{}", report.outcome) };
    assert_eq!((running[0].lanes, waiting[0].lanes), (!(1 << 5), 1 << 5));
    assert_eq!((running[0].site.ptx_line, waiting[0].site.ptx_line), (18, 16));
    for machine in [Machine::Its, Machine::Mimd, Machine::Aware] {
        // Splits take turns, so that AWARE needs no timeout here.
        let (report, words) = launch(&p, 32, 2, machine, waits());
        assert_eq!((report.outcome, words), (Outcome::Finished, vec![1, 32]));
    }
}

/// Figure 4, to the right (the sort kernel of Barnes-Hut): lanes of a self loop wait for a flag that lanes of the outer loop
/// set, after as many iterations as their number says. Word i is set by lane i and waited for by lane i + 1.
const FIGURE_4_SORT: &str = "
    ld.param.u64 %rd1, [a];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;
    mov.u32 %r2, 0;
    OUTER: setp.eq.u32 %p1, %r1, 0;
    @%p1 bra WORK;
    SELF: ld.volatile.global.u32 %r3, [%rd2+-4];
    setp.eq.u32 %p2, %r3, 0;
    @%p2 bra SELF;
    WORK: add.u32 %r2, %r2, 1;
    setp.le.u32 %p3, %r2, %r1;
    @%p3 bra OUTER;
    st.volatile.global.u32 [%rd2], %r2;
    AFTER: red.global.add.u32 [%rd1+128], 1;
    ret;";

#[test]
fn figure_4_a_self_loop_in_an_outer_loop() {
    let p = program(".param .u64 a", FIGURE_4_SORT);
    let expected: Vec<u32> = (1..=32).chain([32]).collect();
    let (report, _) = launch(&p, 32, 33, Machine::Stack, waits());
    assert_eq!(report.outcome.name(), "simt-deadlock", "{}", report.outcome);
    let (report, _) = launch(&p, 32, 33, Machine::Aware, waits());
    assert_eq!(report.outcome.name(), "simt-deadlock", "{}", report.outcome);
    // The self loop must not hold lanes before AFTER; that the outer loop's branches follow is up to the machine.
    for (machine, aware) in [
        (Machine::Its, waits()),
        (Machine::Mimd, waits()),
        (Machine::Aware, Aware { timeout: Some(1000), ..waits() }),
        (Machine::Aware, delayed("SELF", Some("AFTER"))),
    ] {
        let (report, words) = launch(&p, 32, 33, machine, aware);
        assert_eq!((report.outcome, words), (Outcome::Finished, expected.clone()), "{}", machine.name());
    }
}

#[test]
fn points_are_found_by_label_and_by_line_and_must_be_postdominators() {
    let p = program(".param .u64 a", FIGURE_1);
    let (report, _) = launch(
        &p,
        32,
        3,
        Machine::Aware,
        Aware {
            reconvergence: vec![Reconvergence { branch: Branch::Line(15), point: Some("SAFE".into()) }],
            ..waits()
        },
    );
    assert_eq!(report.outcome, Outcome::Finished);
    let refused = |text: &str, branch: Branch, point: &str| {
        let mut launch = Launch::new(1, 32).arg(0u64).on(Machine::Aware);
        launch.aware.reconvergence = vec![Reconvergence { branch, point: Some(point.into()) }];
        run(&program(".param .u64 a", text), &mut Memory::new(), &launch).unwrap_err()
    };
    let label = |name: &str| Branch::Label(name.into());
    let Error::NoLabel { label: name, known } = refused(FIGURE_1, label("LOOP"), "NOWHERE") else { panic!() };
    assert_eq!((name.as_str(), known.as_str()), ("NOWHERE", "`LOOP`, `SAFE`"));
    assert!(matches!(refused(FIGURE_1, label("X"), "SAFE"), Error::NoLabel { .. }));
    let message = |text, branch, point| refused(text, branch, point).to_string();
    assert_eq!(message(FIGURE_1, label("SAFE"), "LOOP"), "no branch follows the label `SAFE`");
    assert_eq!(message(FIGURE_1, Branch::Line(14), "SAFE"), "no branch stands at PTX line 14");
    assert_eq!(
        message(FIGURE_4_PARALLEL, Branch::Line(15), "SPIN"),
        "PTX line 15: not all ways from this branch lead to the label `SPIN`, so that lanes cannot meet there"
    );
}

#[test]
fn small_tables_spill_and_change_nothing_else() {
    // Four ways by two bits of the lane's number, nested, each with a loop of its own.
    let p = program(
        ".param .u64 a",
        "ld.param.u64 %rd1, [a];
         mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 1; and.b32 %r3, %r1, 2; shr.u32 %r4, %r1, 2; mov.u32 %r5, 0;
         setp.eq.u32 %p1, %r2, 0; setp.eq.u32 %p2, %r3, 0;
         @%p1 bra A;
         @%p2 bra B;
         C: add.u32 %r5, %r5, 1; setp.le.u32 %p3, %r5, %r4; @%p3 bra C; bra BC;
         B: add.u32 %r5, %r5, 3; setp.le.u32 %p3, %r5, %r4; @%p3 bra B;
         BC: add.u32 %r5, %r5, 100; bra ALL;
         A: @%p2 bra D;
         E: add.u32 %r5, %r5, 5; setp.le.u32 %p3, %r5, %r4; @%p3 bra E; bra DE;
         D: add.u32 %r5, %r5, 7; setp.le.u32 %p3, %r5, %r4; @%p3 bra D;
         DE: add.u32 %r5, %r5, 200;
         ALL: mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2; st.global.u32 [%rd2], %r5;
         ret;",
    );
    let on = |splits, points| {
        let aware = Aware { split_entries: splits, reconvergence_entries: points, ..waits() };
        launch(&p, 32, 32, Machine::Aware, aware)
    };
    let (whole, words) = on(None, None);
    let spills = |report: &Report| {
        let s = report.scheduling;
        [s.split_spills, s.split_fills, s.reconvergence_spills, s.reconvergence_fills]
    };
    assert_eq!(spills(&whole), [0; 4]);
    assert!((3..=8).contains(&whole.scheduling.most_splits), "{:?}", whole.scheduling);
    let mut last = [0; 4];
    for (splits, points) in [(4, 2), (2, 2), (1, 1)] {
        let (report, result) = on(Some(splits), Some(points));
        assert_eq!((&report.outcome, &result), (&Outcome::Finished, &words));
        assert_eq!(report.counts.thread_instructions, whole.counts.thread_instructions);
        // What was spilled is filled before it runs or its mask changes; fewer entries never spill less.
        let now = spills(&report);
        assert!(now[0] == now[1] && now[2] == now[3], "{now:?}");
        assert!(now.iter().zip(&last).all(|(now, last)| now >= last), "{now:?} after {last:?}");
        last = now;
    }
    assert!(last.iter().all(|&count| count > 0), "{last:?}");
    // With as many entries as there are, nothing is spilled.
    let (report, _) = on(Some(whole.scheduling.most_splits), Some(whole.scheduling.most_reconvergences));
    assert_eq!(spills(&report), [0; 4]);
    let mut launch = Launch::new(1, 32).arg(0u64).on(Machine::Aware);
    launch.aware.split_entries = Some(0);
    let error = run(&p, &mut Memory::new(), &launch).unwrap_err();
    assert_eq!(error.to_string(), "the tables of `aware` need at least one entry each");
}

#[test]
fn small_tables_keep_the_machine_fair() {
    let p = program(".param .u64 a", FIGURE_1);
    for entries in [1, 2, 3] {
        let aware = Aware {
            timeout: Some(50),
            split_entries: Some(entries),
            reconvergence_entries: Some(1),
            ..Aware::default()
        };
        let (report, words) = launch(&p, 64, 3, Machine::Aware, aware);
        assert_eq!((report.outcome, words), (Outcome::Finished, vec![0, 64, 64]));
    }
}

/// A lock that each lane takes four times: those that come round the outer loop meet those that still wait for the lock.
const FOUR_TIMES: &str = "
    ld.param.u64 %rd1, [a];
    mov.u32 %r3, 0;
    LOOP: atom.global.cas.b32 %r1, [%rd1], 0, 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra LOOP;
    ld.volatile.global.u32 %r2, [%rd1+4];
    add.u32 %r2, %r2, 1;
    st.volatile.global.u32 [%rd1+4], %r2;
    atom.global.exch.b32 %r1, [%rd1], 0;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p2, %r3, 4;
    @%p2 bra LOOP;
    SAFE: red.global.add.u32 [%rd1+8], 1;
    ret;";

#[test]
fn lanes_that_come_to_the_same_place_become_one_split_in_rounds() {
    let p = program(".param .u64 a", FOUR_TIMES);
    let on = |order| {
        let wish = Reconvergence { branch: Branch::Line(16), point: Some("SAFE".into()) };
        let aware = Aware { order, reconvergence: vec![wish], ..waits() };
        let (report, words) = launch(&p, 32, 3, Machine::Aware, aware);
        assert_eq!((&report.outcome, words), (&Outcome::Finished, vec![0, 128, 32]));
        // Nobody has waited for anybody before SAFE.
        assert_eq!((report.scheduling.timeouts, report.scheduling.reconvergences), (0, 1));
        report
    };
    let (fifo, rounds) = (on(Order::Fifo), on(Order::Rounds));
    // The lane that has the lock, and all others.
    assert_eq!((fifo.scheduling.most_splits, rounds.scheduling.most_splits), (32, 2));
    // It has let go of the lock when they try again.
    let attempts = |report: &Report| report.ptx_lines.iter().find(|line| line.site.ptx_line == 14).unwrap().counts;
    assert_eq!(attempts(&rounds).warp_instructions, 128);
    assert!(attempts(&fifo).warp_instructions > 300, "{:?}", attempts(&fifo));
}

/// The first two lanes part in each iteration of a loop, to meet at its head again, until another lane has written; the others come to that
/// after some turns in a loop of their own.
const MEETING_AT_THE_HEAD: &str = "
    ld.param.u64 %rd1, [a];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, 0;
    setp.gt.u32 %p1, %r1, 1;
    setp.eq.u32 %p2, %r1, 0;
    @%p1 bra OTHERS;
    HEAD: ld.volatile.global.u32 %r3, [%rd1];
    setp.ne.u32 %p3, %r3, 0;
    @%p3 bra END;
    @%p2 bra SIDE;
    add.u32 %r2, %r2, 1;
    bra HEAD;
    SIDE: add.u32 %r2, %r2, 2;
    bra HEAD;
    OTHERS: add.u32 %r2, %r2, 1;
    setp.lt.u32 %p4, %r2, 9;
    @%p4 bra OTHERS;
    st.volatile.global.u32 [%rd1], 1;
    END: ret;";

#[test]
fn a_round_ends_also_where_lanes_meet_at_the_head_of_their_loop() {
    let p = program(".param .u64 a", MEETING_AT_THE_HEAD);
    for order in Order::ALL {
        let (report, words) = launch(&p, 32, 1, Machine::Aware, Aware { order, ..waits() });
        assert_eq!((&report.outcome, words[0]), (&Outcome::Finished, 1), "{}", order.name());
        assert!(report.counts.warp_instructions < 500, "{}: {:?}", order.name(), report.counts);
    }
}

#[test]
fn a_function_called_twice_is_delayed_in_both_calls() {
    let text = |body: &str| {
        format!(
            ".version 9.0\n.target sm_90\n.address_size 64\n\
             .func locked(.param .u64 a) {{ .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<2>; {body} }}\n\
             .visible .entry k(.param .u64 a) {{ .reg .b64 %rd<2>; ld.param.u64 %rd1, [a];\n\
             {{ .param .u64 p; st.param.u64 [p], %rd1; call.uni locked, (p); }}\n\
             {{ .param .u64 p; st.param.u64 [p], %rd1; call.uni locked, (p); }}\n ret; }}"
        )
    };
    let module = ptx_parser::Module::parse(&text(FIGURE_1)).unwrap();
    let p = Program::decode(&module, "k").unwrap();
    let (report, words) = launch(&p, 32, 3, Machine::Aware, delayed("LOOP", Some("SAFE")));
    assert_eq!((report.outcome, words), (Outcome::Finished, vec![0, 64, 64]));
    assert_eq!(report.scheduling.timeouts, 0);
}

#[test]
fn splits_are_counted_on_aware_only() {
    let p = program(".param .u64 a", FIGURE_4_PARALLEL);
    let mut memory = Memory::new();
    let a = memory.alloc(8, "a");
    let its = finish(&p, &mut memory, &Launch::new(1, 32).arg(a).on(Machine::Its));
    assert_eq!(its.scheduling, emulator::Scheduling::default());
    let mut memory = Memory::new();
    let a = memory.alloc(8, "a");
    let aware = finish(&p, &mut memory, &Launch::new(1, 32).arg(a).on(Machine::Aware));
    // The warp, the two sides, and the warp again.
    assert_eq!((aware.scheduling.splits, aware.scheduling.reconvergences), (4, 1));
    assert_eq!((aware.scheduling.most_splits, aware.scheduling.most_reconvergences), (2, 1));
}
