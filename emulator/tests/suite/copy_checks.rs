//! The checks of memory on what registers do not see: asynchronous copies, and the heap of the device.

use emulator::{Checks, Findings, Launch, Machine, Memory, Outcome, Program, run};
use ptx_parser::Module;

use crate::support::{finish, program};

const BOTH: Checks = Checks { races: true, uninitialised: true, undefined: false };

/// 64 threads with 4 bytes each: `%rd1` their word of `a`, `%r2` theirs of `tile`, `%r3` that of the next thread.
const PLACES: &str = ".shared .align 16 .b8 tile[512];\n .shared .align 8 .b64 done;\n
    mov.u32 %r1, %tid.x;\n ld.param.u64 %rd1, [a];\n mul.wide.u32 %rd2, %r1, 4;\n add.s64 %rd1, %rd1, %rd2;
    mov.u32 %r2, tile;\n mad.lo.u32 %r2, %r1, 4, %r2;\n add.u32 %r3, %r1, 1;\n and.b32 %r3, %r3, 63;
    mov.u32 %r4, tile;\n mad.lo.u32 %r3, %r3, 4, %r4;\n";

fn found_on(machine: Machine, body: &str) -> Findings {
    let program = program(".param .u64 a", &format!("{PLACES}{body}\n ret;"));
    let mut memory = Memory::new();
    let a = memory.alloc(1024, "a");
    memory.write(a, &[1u32; 128]).unwrap();
    finish(&program, &mut memory, &Launch { checks: BOTH, ..Launch::new(1, 64).arg(a).on(machine) }).findings
}

/// How many pairs of instructions race, and how many instructions read what is not written.
fn found(body: &str) -> (usize, usize) {
    let findings = found_on(Machine::Stack, body);
    (findings.races.unwrap().len(), findings.uninitialised.unwrap().len())
}

#[test]
fn a_copy_that_is_waited_for_is_as_good_as_a_store() {
    let copy = "cp.async.ca.shared.global [%r2], [%rd1], 4;\n";
    let next = "bar.sync 0;\n ld.shared.u32 %r5, [%r3];\n st.global.u32 [%rd1], %r5;\n";
    let object = "setp.eq.u32 %p1, %r1, 0;\n @%p1 mbarrier.init.shared.b64 [done], 64;\n bar.sync 0;\n";
    let arrive = "cp.async.mbarrier.arrive.noinc.shared.b64 [done];\n\
                  WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [done], 0;\n @!%p2 bra WAIT;\n";
    for body in [
        format!("{copy} cp.async.commit_group;\n cp.async.wait_group 0;\n {next}"),
        format!("{copy} cp.async.wait_all;\n {next}"),
        format!("{object} {copy} {arrive} ld.shared.u32 %r5, [%r3];\n st.global.u32 [%rd1], %r5;"),
        // Two stages: the first is read while the second is on its way.
        format!(
            "{copy} cp.async.commit_group;\n cp.async.ca.shared.global [%r2+256], [%rd1+256], 4;\n cp.async.commit_group;\n\
             cp.async.wait_group 1;\n bar.sync 0;\n ld.shared.u32 %r5, [%r3];\n cp.async.wait_group 0;\n bar.sync 0;\n\
             ld.shared.u32 %r5, [%r3+256];"
        ),
        // In bulk, by one thread for all.
        format!(
            "{object} @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [done], 256;\n\
             @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 256, [done];\n\
             @!%p1 mbarrier.arrive.shared.b64 _, [done];\n\
             WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [done], 0;\n @!%p2 bra WAIT;\n ld.shared.u32 %r5, [%r3];"
        ),
    ] {
        for &machine in Machine::ALL {
            let findings = found_on(machine, &body);
            assert!(findings.is_empty(), "{machine:?}: {findings:?}\n{body}");
        }
    }
}

#[test]
fn what_a_copy_touches_before_it_is_waited_for_is_a_race() {
    let copy = "cp.async.ca.shared.global [%r2], [%rd1], 4;\n cp.async.commit_group;\n";
    // The thread itself reads too early: the old bytes, and nobody has written them.
    assert_eq!(found(&format!("{copy} ld.shared.u32 %r5, [%r2];\n cp.async.wait_group 0;")), (1, 1));
    // A barrier is no wait, and a wait behind it comes too late for the others.
    assert_eq!(found(&format!("{copy} bar.sync 0;\n ld.shared.u32 %r5, [%r3];")), (1, 1));
    assert_eq!(found(&format!("{copy} bar.sync 0;\n cp.async.wait_group 0;\n ld.shared.u32 %r5, [%r3];")).0, 1);
    // Of two groups only the first is waited for.
    let second = "cp.async.ca.shared.global [%r2+256], [%rd1], 4;\n cp.async.commit_group;\n cp.async.wait_group 1;\n";
    assert_eq!(found(&format!("{copy} {second} ld.shared.u32 %r5, [%r2];")), (0, 0));
    assert_eq!(found(&format!("{copy} {second} ld.shared.u32 %r5, [%r2+256];")), (1, 1));
    // What is not in a group is not waited for either.
    let loose = copy.replace("cp.async.commit_group;", "");
    assert_eq!(found(&format!("{loose} cp.async.wait_group 0;\n ld.shared.u32 %r5, [%r2];")), (1, 1));
    // The source must stay as it is, and the target is the copy's alone.
    assert_eq!(found(&format!("{copy} st.global.u32 [%rd1], %r1;\n cp.async.wait_group 0;")).0, 1);
    assert_eq!(found(&format!("{copy} st.shared.u32 [%r2], %r1;\n cp.async.wait_group 0;")).0, 1);
    let findings = found_on(Machine::Its, &format!("{copy} ld.shared.u32 %r5, [%r2];")).races.unwrap();
    let text = findings[0].to_string();
    assert!(text.contains("race on byte 0 of `tile` (512 bytes in shared memory)"), "{text}");
    assert!(text.contains("thread (0,0,0) writes at PTX line 24 (`cp.async.ca.shared.global`)"), "{text}");
}

#[test]
fn copies_read_what_they_copy_and_no_more() {
    let done = "cp.async.wait_all;\n ld.shared.u32 %r5, [%r2];";
    // The last half of `a` is not written.
    assert_eq!(found(&format!("cp.async.ca.shared.global [%r2], [%rd1+512], 4;\n {done}")), (0, 1));
    // Of four bytes none are read: by a size of zero, or because a predicate says so.
    assert_eq!(
        found(&format!("mov.u32 %r6, 0;\n cp.async.ca.shared.global [%r2], [%rd1+512], 4, %r6;\n {done}")),
        (0, 0)
    );
    assert_eq!(
        found(&format!("setp.eq.u32 %p1, 0, 0;\n cp.async.ca.shared.global [%r2], [%rd1+512], 4, %p1;\n {done}")),
        (0, 0)
    );
}

/// A kernel with `malloc` and `free`, run with checks on.
fn on_heap(memory: &mut Memory, body: &str, threads: u32, checks: Checks) -> Findings {
    let text = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.extern .func (.param .b64 p) malloc (.param .b64 n);\n\
         .extern .func free (.param .b64 p);\n.visible .entry k(.param .u64 a) {{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n\
         .reg .pred %p<4>;\n.param .b64 p;\n.param .b64 n;\n ld.param.u64 %rd1, [a];\n mov.u32 %r1, %tid.x;\n{body}\nret;\n}}"
    );
    let program = Program::decode(&Module::parse(&text).unwrap(), "k").unwrap();
    let a = memory.symbol("a").unwrap_or_else(|| memory.alloc_from(&[0u64; 64], "a"));
    // Room for two chunks of 16 bytes and the gaps behind them.
    let launch = Launch { checks, heap_bytes: 64, ..Launch::new(1, threads).arg(a) };
    let report = run(&program, memory, &launch).unwrap();
    assert_eq!(report.outcome, Outcome::Finished, "{}", report.outcome);
    report.findings
}

const MALLOC: &str = "st.param.b64 [n], 16;\n call.uni (p), malloc, (n);\n ld.param.b64 %rd2, [p];\n";
const FREE: &str = "st.param.b64 [n], %rd2;\n call.uni free, (n);\n";

#[test]
fn memory_of_the_heap_is_unwritten_at_first() {
    let reads =
        |findings: Findings| findings.uninitialised.unwrap().iter().map(ToString::to_string).collect::<Vec<_>>();
    let mut memory = Memory::new();
    let body = format!(
        "{MALLOC} st.u32 [%rd2+4], %r1;\n ld.u32 %r2, [%rd2+4];\n ld.u32 %r2, [%rd2+8];\n st.u64 [%rd1], %rd2;"
    );
    let first = reads(on_heap(&mut memory, &body, 1, BOTH));
    assert_eq!(
        first,
        [
            "PTX line 19: read of uninitialised memory, 4 bytes at byte 8 of `malloc: allocated at PTX line 15` (16 bytes) by block (0,0,0) \
          thread (0,0,0), `ld.u32`"
        ]
    );
    // The next launch knows what was written; after one that nobody checked all may have been.
    let again = "ld.u64 %rd2, [%rd1];\n ld.u32 %r2, [%rd2+4];\n ld.u32 %r2, [%rd2];";
    assert_eq!(reads(on_heap(&mut memory, again, 1, BOTH)).len(), 1);
    on_heap(&mut memory, again, 1, Checks::default());
    assert_eq!(reads(on_heap(&mut memory, again, 1, BOTH)).len(), 0);
    // Another chunk at the same place is unwritten again.
    let mut memory = Memory::new();
    let twice = format!("{MALLOC} st.u32 [%rd2], %r1;\n {FREE} {MALLOC} {FREE} {MALLOC} ld.u32 %r2, [%rd2];");
    assert_eq!(reads(on_heap(&mut memory, &twice, 1, BOTH)).len(), 1);
}

#[test]
fn memory_that_changes_hands_by_the_heap_does_not_race() {
    // Each thread in turn writes what it is given, all of them the same place in the end.
    let body = format!("{MALLOC} st.u32 [%rd2], %r1;\n ld.u32 %r2, [%rd2];\n {FREE}");
    let one_by_one = format!(
        "mov.u32 %r3, 0;\nNEXT: setp.ne.u32 %p1, %r3, %r1;\n @%p1 bra OVER;\n {body}\nOVER: add.u32 %r3, %r3, 1;\n\
                              setp.lt.u32 %p2, %r3, 8;\n @%p2 bra NEXT;"
    );
    let findings = on_heap(&mut Memory::new(), &one_by_one, 8, BOTH);
    assert!(findings.is_empty(), "{findings:?}");
    // Two that share a chunk do.
    let shared = format!(
        "setp.ne.u32 %p1, %r1, 0;\n @%p1 bra WRITE;\n {MALLOC} st.u64 [%rd1], %rd2;\n\
                          WRITE: bar.sync 0;\n ld.u64 %rd2, [%rd1];\n st.u32 [%rd2], %r1;"
    );
    assert_eq!(on_heap(&mut Memory::new(), &shared, 8, BOTH).races.unwrap().len(), 1);
}
