//! Kernels that deadlock on a reconvergence stack, before and after elimination, on every machine of the emulator.
use emulator::{Launch, Machine, Memory, Outcome, Program, run};
use ptx_parser::Module;
use ssde_ptx::{Done, Outcome as Eliminated, Refusal, certify, compared, detect, eliminate, treat};

const WORDS: usize = 64;

fn module(body: &str) -> Module {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a) {{\n.reg .pred %p<9>;\n\
         .reg .b32 %r<20>;\n.reg .b64 %rd<9>;\nld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\n{body}\n}}\n"
    );
    Module::parse(&text).unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

/// How a launch ends and what it leaves.
fn ran(module: &Module, machine: Machine, threads: u32) -> (Outcome, Vec<u32>) {
    let program = Program::decode(module, "k").unwrap_or_else(|error| panic!("{error}\n{module}"));
    let mut memory = Memory::new();
    let a = memory.alloc_from(&vec![0u32; WORDS], "a");
    let mut launch = Launch::new(2, threads).arg(a).on(machine);
    launch.step_budget = 20_000_000;
    let report = run(&program, &mut memory, &launch).unwrap();
    (report.outcome, memory.read::<u32>(a, WORDS).unwrap())
}

/// The kernel deadlocks on the stack, is rewritten, and then leaves the same as on a MIMD machine, on every machine and with any number of lanes.
fn is_freed(body: &str) {
    let original = module(body);
    let mut result = original.clone();
    let outcome = eliminate(&mut result.kernels_mut()[0]);
    assert!(matches!(outcome, Eliminated::Rewritten { .. }), "{outcome:?}\n{body}");
    assert_eq!(detect(&result.kernels()[0]), [], "{result}");
    let (stuck, _) = ran(&original, Machine::Stack, 32);
    assert!(matches!(stuck, Outcome::SimtDeadlock { .. }), "{stuck}\n{body}");
    // What is printed is what was meant.
    let result = Module::parse(&result.to_string()).unwrap();
    for threads in [1, 7, 32, 33, 64] {
        let (ended, expected) = ran(&original, Machine::Mimd, threads);
        assert_eq!(ended, Outcome::Finished, "{body}");
        for &machine in Machine::ALL {
            let (ended, found) = ran(&result, machine, threads);
            assert_eq!(ended, Outcome::Finished, "{}, {threads} threads: {ended}\n{result}", machine.name());
            assert_eq!(found, expected, "{}, {threads} threads\n{result}", machine.name());
        }
    }
}

/// Adds 1 to word 1, which is read and written without atomics.
const CRITICAL: &str =
    "ld.volatile.global.u32 %r8, [%rd1+4];\nadd.u32 %r8, %r8, 1;\nst.volatile.global.u32 [%rd1+4], %r8;\nmembar.gl;";

#[test]
fn a_lock_that_is_released_behind_its_loop() {
    is_freed(&format!(
        "LOOP:\natom.global.cas.b32 %r2, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra LOOP;\n{CRITICAL}\n\
         atom.global.exch.b32 %r3, [%rd1], 0;\nred.global.add.u32 [%rd1+8], 3;\nret;"
    ));
}

#[test]
fn a_lock_that_is_taken_again_and_again() {
    is_freed(&format!(
        "mov.u32 %r5, 0;\nAGAIN:\nLOOP:\natom.global.cas.b32 %r2, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra LOOP;\n{CRITICAL}\n\
         atom.global.exch.b32 %r3, [%rd1], 0;\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, 3;\n@%p2 bra AGAIN;\nret;"
    ));
}

#[test]
fn two_locks_in_order_with_a_branch_in_between() {
    is_freed(&format!(
        "FIRST:\natom.global.cas.b32 %r2, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra FIRST;\n\
         and.b32 %r4, %r1, 3;\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 bra RELEASE;\n\
         SECOND:\natom.global.cas.b32 %r2, [%rd1+16], 0, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra SECOND;\n{CRITICAL}\n\
         atom.global.exch.b32 %r3, [%rd1+16], 0;\nRELEASE:\natom.global.exch.b32 %r3, [%rd1], 0;\nret;"
    ));
}

#[test]
fn a_flag_that_the_other_way_of_a_branch_sets() {
    // Blocks wait for a lane of their own.
    is_freed(
        "mov.u32 %r6, %ctaid.x;\nmul.wide.u32 %rd2, %r6, 4;\nadd.s64 %rd2, %rd1, %rd2;\n\
         setp.eq.u32 %p1, %r1, 0;\n@!%p1 bra WAIT;\nst.volatile.global.u32 [%rd2+32], 1;\nbra JOIN;\n\
         WAIT:\nld.volatile.global.u32 %r3, [%rd2+32];\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra WAIT;\n\
         JOIN:\nred.global.add.u32 [%rd1+8], 1;\nret;",
    );
}

#[test]
fn turns_that_lanes_take() {
    // Each thread of a block waits until the one before it is done.
    is_freed(
        "mov.u32 %r6, %ctaid.x;\nmul.wide.u32 %rd2, %r6, 4;\nadd.s64 %rd2, %rd1, %rd2;\n\
         WAIT:\nld.volatile.global.u32 %r3, [%rd2+32];\nsetp.ne.u32 %p2, %r3, %r1;\n@%p2 bra WAIT;\n\
         red.global.add.u32 [%rd1+8], %r1;\nadd.u32 %r4, %r1, 1;\nst.volatile.global.u32 [%rd2+32], %r4;\nret;",
    );
}

#[test]
fn lanes_that_end_in_different_places() {
    is_freed(&format!(
        "LOOP:\natom.global.cas.b32 %r2, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra LOOP;\n{CRITICAL}\n\
         and.b32 %r4, %r1, 1;\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 bra EVEN;\natom.global.exch.b32 %r3, [%rd1], 0;\nret;\n\
         EVEN:\nred.global.add.u32 [%rd1+8], 1;\natom.global.exch.b32 %r3, [%rd1], 0;\nret;"
    ));
}

#[test]
fn a_loop_with_two_exits() {
    // Nobody ever says that the lock is not to be had. The way round comes first, because it is the one that is branched to.
    is_freed(&format!(
        "LOOP:\natom.global.cas.b32 %r2, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra MISSED;\n\
         {CRITICAL}\natom.global.exch.b32 %r3, [%rd1], 0;\nbra OUT;\n\
         MISSED:\nld.volatile.global.u32 %r5, [%rd1+240];\nsetp.eq.u32 %p2, %r5, 0;\n@%p2 bra LOOP;\nOUT:\nret;"
    ));
}

#[test]
fn what_is_clean_stays_as_it_is() {
    let original =
        module("mov.u32 %r2, 9;\nLOOP:\nsub.u32 %r2, %r2, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra LOOP;\nret;");
    let mut result = original.clone();
    assert_eq!(eliminate(&mut result.kernels_mut()[0]), Eliminated::Clean);
    assert_eq!(result.to_string(), original.to_string());
}

/// Lanes at a barrier of some lanes are not led past it, and those in the lock's loop do not keep them there.
#[test]
fn what_lanes_do_together_behind_the_loop_is_refused() {
    let original = module(&format!(
        "LOOP:\natom.global.cas.b32 %r2, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra LOOP;\n{CRITICAL}\n\
         activemask.b32 %r9;\nbar.warp.sync %r9;\natom.global.exch.b32 %r3, [%rd1], 0;\nret;"
    ));
    let mut result = original.clone();
    let outcome = eliminate(&mut result.kernels_mut()[0]);
    assert!(matches!(outcome, Eliminated::Refused(Refusal::Together { .. })), "{outcome:?}");
    assert_eq!(result.to_string(), original.to_string());
}

/// A lock that is taken twice in each round of a loop, before a barrier and behind it: lanes that have given it back behind the barrier meet the others
/// before the next round's barrier, or behind the loop.
#[test]
fn a_barrier_in_a_loop_around_is_where_lanes_meet() {
    let lock = |name: &str| {
        format!(
            "{name}:\natom.global.cas.b32 %r2, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra {name};\n\
             ld.volatile.global.u32 %r3, [%rd1+4];\nadd.u32 %r3, %r3, 1;\nst.volatile.global.u32 [%rd1+4], %r3;\nmembar.gl;\n\
             atom.global.exch.b32 %r3, [%rd1], 0;\n"
        )
    };
    let body = format!(
        "mov.u32 %r4, 0;\nOUTER:\n{}bar.sync 0;\n{}add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, 3;\n@%p2 bra OUTER;\n\
         red.global.add.u32 [%rd1+64], 1;\nret;",
        lock("FIRST"),
        lock("SECOND")
    );
    let dispatched = |body: &str| {
        is_freed(body);
        let mut result = module(body);
        eliminate(&mut result.kernels_mut()[0]);
        assert!(result.to_string().contains("ssde_gate"), "{result}");
    };
    dispatched(&body);
    // So are those of the warp, several in a row, and where the loop is all that the kernel does.
    dispatched(&body.replace("bar.sync 0;", "bar.warp.sync -1;"));
    dispatched(&body.replace(
        "bar.sync 0;",
        "vote.sync.any.pred %p3, %p1, -1;\nmov.u32 %r9, -1;\nshfl.sync.bfly.b32 %r5, %r4, 1, 31, %r9;",
    ));
    dispatched(&body.replace("red.global.add.u32 [%rd1+64], 1;\nret;", ""));
    // Lanes that end early leave the others at the barrier.
    dispatched(&body.replace("bar.sync 0;", "setp.eq.u32 %p4, %r1, 3;\n@%p4 ret;\nbar.sync 0;"));
    // A barrier that only some of the threads count at is none that all come to.
    let some = body.replace("bar.sync 0;", "bar.sync 1, 64;");
    let outcome = eliminate(&mut module(&some).kernels_mut()[0]);
    assert!(matches!(outcome, Eliminated::Refused(Refusal::Together { .. })), "{outcome:?}");
}

/// One way of a branch leads straight to where lanes meet, the other one to a loop and what sets it free.
#[test]
fn a_branch_past_everything() {
    is_freed(
        "and.b32 %r4, %r1, 3;\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 bra END;\nsetp.ne.u32 %p3, %r4, 1;\n@%p3 bra WAIT;\n\
         st.volatile.global.u32 [%rd1], 1;\nbra END;\n\
         WAIT:\nld.volatile.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra WAIT;\n\
         END:\nred.global.add.u32 [%rd1+8], 1;\nret;",
    );
}

/// Tables lead into the loop, round it, and out of it.
#[test]
fn branches_by_a_table() {
    is_freed(&format!(
        "mov.u32 %r9, 0;\nLOOP:\natom.global.cas.b32 %r2, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r2, 0;\nselp.b32 %r4, 1, 0, %p1;\n\
         ways: .branchtargets OUT, LOOP;\nbrx.idx %r4, ways;\nOUT:\n{CRITICAL}\natom.global.exch.b32 %r3, [%rd1], 0;\n\
         add.u32 %r9, %r9, 1;\nsetp.lt.u32 %p2, %r9, 3;\n@%p2 bra LOOP;\nred.global.add.u32 [%rd1+8], 3;\nret;"
    ));
}

/// Lanes come to a branch in other company than before, so that a promise that all go the same way would no longer hold.
#[test]
fn promises_of_branches_go() {
    let body = format!(
        "mov.u32 %r9, 0;\nLOOP:\natom.global.cas.b32 %r2, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra LOOP;\n{CRITICAL}\n\
         atom.global.exch.b32 %r3, [%rd1], 0;\nadd.u32 %r9, %r9, 1;\nsetp.lt.u32 %p2, %r9, 3;\nselp.b32 %r4, 1, 0, %p2;\n\
         @%p2 bra.uni LOOP;\nways: .branchtargets OUT, LOOP;\nbrx.idx.uni %r4, ways;\nOUT:\nbra.uni END;\nEND:\nret;"
    );
    let original = module(&body);
    let mut result = original.clone();
    assert!(matches!(eliminate(&mut result.kernels_mut()[0]), Eliminated::Rewritten { .. }));
    let text = result.to_string();
    assert!(text.contains("bra.uni END") && !text.contains("@%p2 bra.uni") && !text.contains("brx.idx.uni"), "{text}");
    let result = Module::parse(&text).unwrap();
    assert!(certify(&original.kernels()[0], &result.kernels()[0]).is_ok());
    assert_eq!(ran(&result, Machine::Stack, 32), ran(&original, Machine::Mimd, 32));
}

/// Inline assembly that waits in a loop has a scope of its own, and labels that only that scope knows.
#[test]
fn scopes_with_labels_are_opened() {
    let take = "{\n.reg .pred q;\n.reg .b32 old;\nWAIT:\natom.global.cas.b32 old, [%rd1], 0, 1;\nsetp.ne.u32 q, old, 0;\n@q bra WAIT;\n}\n";
    let release = "atom.global.exch.b32 %r3, [%rd1], 0;\n";
    let original = module(&format!("{take}{CRITICAL}\n{release}{take}{CRITICAL}\n{release}ret;"));
    let mut result = original.clone();
    let treated = treat(&mut result, "k").unwrap();
    assert_eq!((treated.found.opened, treated.done), (2, Done::Rewritten { inlined: false }));
    let result = Module::parse(&result.to_string()).unwrap();
    let (before, after) = (&original.kernels()[0], &result.kernels()[0]);
    assert!(certify(before, after).is_err());
    assert!(certify(&compared(&original, before, after), after).is_ok());
    assert!(matches!(ran(&original, Machine::Stack, 32).0, Outcome::SimtDeadlock { .. }));
    for &machine in Machine::ALL {
        assert_eq!(ran(&result, machine, 33), ran(&original, Machine::Mimd, 33), "{}", machine.name());
    }
}

/// An exchange in a scope of its own, between rounds of a lock: the label of where lanes go on would be in that scope.
#[test]
fn scopes_are_opened_where_labels_have_to_be_put() {
    let take = |name: &str| {
        format!(
            "{name}:\natom.global.cas.b32 %r2, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra {name};\n{CRITICAL}\n\
             atom.global.exch.b32 %r3, [%rd1], 0;\n"
        )
    };
    let body = format!(
        "mov.u32 %r4, 0;\nOUTER:\n{}{{\n.reg .b32 r0;\n.reg .pred p;\nshfl.sync.up.b32 r0|p, %r4, 1, 0, -1;\n@p add.s32 %r5, r0, 1;\n}}\n{}\
         add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, 3;\n@%p2 bra OUTER;\nret;",
        take("FIRST"),
        take("SECOND")
    );
    let original = module(&body);
    let mut result = original.clone();
    assert_eq!(treat(&mut result, "k").unwrap().done, Done::Rewritten { inlined: false });
    let result = Module::parse(&result.to_string()).unwrap();
    let (before, after) = (&original.kernels()[0], &result.kernels()[0]);
    assert!(certify(&compared(&original, before, after), after).is_ok());
    for &machine in Machine::ALL {
        assert_eq!(ran(&result, machine, 64), ran(&original, Machine::Mimd, 64), "{}", machine.name());
    }
}
