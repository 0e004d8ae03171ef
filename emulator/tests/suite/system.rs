//! What kernels learn of the system and ask of it: clocks, sleep, reserved shared memory, clusters of one block, barriers of the whole grid.

use emulator::{Checks, Launch, Machine, Memory, Occupancy, Outcome, Program, Rule, run};
use ptx_parser::Module;

use crate::support::{INDEX, finish, module, program};

/// What the threads of one block write to `a`, one word each.
fn words(body: &str, threads: u32, machine: Machine) -> Vec<u32> {
    let p = program(".param .u64 a", &format!("{INDEX}\n{body}\nst.global.u32 [%rd2], %r10;\nret;"));
    let mut memory = Memory::new();
    let a = memory.alloc(4 * u64::from(threads), "a");
    finish(&p, &mut memory, &Launch::new(1, threads).arg(a).on(machine));
    memory.read(a, threads as usize).unwrap()
}

#[test]
fn clocks_advance_with_every_instruction() {
    for &machine in Machine::ALL {
        let apart = |between: &str| {
            let body = format!(
                "mov.u64 %rd5, %clock64;\n{between}\nmov.u64 %rd6, %clock64;\nsub.s64 %rd6, %rd6, %rd5;\ncvt.u32.u64 %r10, %rd6;"
            );
            words(&body, 1, machine)[0]
        };
        assert_eq!((apart(""), apart("add.s32 %r4, %r4, 1;\nadd.s32 %r4, %r4, 1;")), (1, 3));
        // Five instructions each round, and one more to begin with.
        assert_eq!(
            apart("mov.u32 %r4, 3;\nAGAIN:\nsub.s32 %r4, %r4, 1;\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 bra AGAIN;"),
            11
        );
        let low = "mov.u32 %r4, %clock;\nmov.u32 %r5, %clock;\nmov.u32 %r6, %clock_hi;\nsub.s32 %r10, %r5, %r4;\nadd.s32 %r10, %r10, %r6;";
        assert_eq!(words(low, 1, machine), [1]);
    }
}

#[test]
fn time_passes_while_a_warp_sleeps() {
    for &machine in Machine::ALL {
        let slept = |sleep: &str| {
            let body = format!(
                "mov.u64 %rd5, %globaltimer;\n{sleep}\nmov.u64 %rd6, %globaltimer;\nsub.s64 %rd6, %rd6, %rd5;\ncvt.u32.u64 %r10, %rd6;"
            );
            words(&body, 1, machine)[0]
        };
        assert_eq!((slept("nanosleep.u32 5000;"), slept("mov.u32 %r4, 70;\nnanosleep.u32 %r4;")), (5002 - 1 + 1, 73));
        // At most a millisecond (PTX ISA, "nanosleep").
        assert_eq!(slept("nanosleep.u32 4000000000;"), 1_000_002);
        // Waits for a tenth of a second, whatever the number of instructions.
        let wait = "mov.u64 %rd5, %globaltimer;\nAGAIN:\nnanosleep.u32 100000;\nmov.u64 %rd6, %globaltimer;\nsub.s64 %rd6, %rd6, %rd5;
            setp.lt.u64 %p1, %rd6, 100000000;\n@%p1 bra AGAIN;\nmov.u32 %r10, 1;";
        assert_eq!(words(wait, 33, machine), [1; 33]);
    }
}

#[test]
fn reserved_shared_memory_lies_behind_that_of_the_kernel() {
    let body = ".shared .align 4 .b8 own[100];
        mov.u32 %r4, %reserved_smem_offset_begin; mov.u32 %r5, %reserved_smem_offset_end; mov.u32 %r6, %reserved_smem_offset_1;
        mov.u32 %r7, own; st.shared.u32 [%r7+96], 5; st.shared.u32 [%r6], 6; st.shared.u32 [%r6+284], 7;
        ld.shared.u32 %r8, [%r7+96]; ld.shared.u32 %r9, [%r6]; mad.lo.u32 %r9, %r8, 10, %r9;
        sub.u32 %r10, %r5, %r4; mad.lo.u32 %r10, %r10, 1000, %r9;
        mov.u32 %r8, %total_smem_size; mov.u32 %r9, %aggr_smem_size; sub.u32 %r9, %r9, %r8; sub.u32 %r9, %r9, 1024; add.u32 %r10, %r10, %r9;";
    assert_eq!(words(body, 1, Machine::Its), [1_024_056]);
    // A kernel that does not ask for it has none.
    let p = program("", "mov.u32 %r1, 1024;\nld.shared.u32 %r2, [%r1];\nret;");
    let report = run(&p, &mut Memory::new(), &Launch::new(1, 1)).unwrap();
    assert!(matches!(report.outcome, Outcome::Fault(_)), "{}", report.outcome);
}

/// Each thread leaves its number for another one at the end of the block, with the barrier of the cluster between them.
const EXCHANGE: &str = ".shared .align 4 .b8 s[512];
    mov.u32 %r4, s; mad.lo.u32 %r5, %r3, 4, %r4;
    mapa.shared::cluster.u32 %r5, %r5, 0;
    st.shared::cluster.u32 [%r5], %r3;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    mov.u32 %r6, %ntid.x; sub.u32 %r6, %r6, 1; sub.u32 %r6, %r6, %r3; mad.lo.u32 %r6, %r6, 4, %r4;
    ld.shared.u32 %r10, [%r6];
    getctarank.shared::cluster.u32 %r7, %r6; add.u32 %r10, %r10, %r7;
    mov.u32 %r7, %cluster_nctaid.x; sub.u32 %r7, %r7, 1; add.u32 %r10, %r10, %r7;";

#[test]
fn a_block_is_a_cluster_of_its_own() {
    for &machine in Machine::ALL {
        for threads in [1, 31, 32, 33, 100] {
            let expected: Vec<u32> = (0..threads).rev().collect();
            assert_eq!(words(EXCHANGE, threads, machine), expected, "{machine:?}");
        }
    }
    // Another rank has no shared memory here.
    let p = program(
        "",
        ".shared .align 4 .b8 s[512];\nmov.u32 %r4, s;\nmapa.shared::cluster.u32 %r5, %r4, 1;\nld.shared::cluster.u32 %r6, [%r5];\nret;",
    );
    let report = run(&p, &mut Memory::new(), &Launch::new(1, 1)).unwrap();
    assert!(report.outcome.to_string().contains("access of 4 bytes at 0x1000000"), "{}", report.outcome);
    let text = module("", "ret;").to_string().replace("k()", "k() .reqnctapercluster 2, 1, 1");
    let error = Program::decode(&Module::parse(&text).unwrap(), "k").unwrap_err();
    assert!(error.to_string().contains("clusters of 2 blocks"), "{error}");
}

#[test]
fn who_arrives_at_the_barrier_of_a_cluster_goes_on() {
    // The first warp arrives and then waits for what the second one does behind its wait; some threads end without coming.
    let body = ".shared .align 4 .b8 s[8];
        mov.u32 %r4, s; setp.ge.u32 %p1, %r3, 60; @%p1 ret;
        barrier.cluster.arrive.release;
        setp.ge.u32 %p2, %r3, 32; @%p2 bra SECOND;
        AGAIN: ld.volatile.shared.u32 %r10, [%r4]; setp.eq.u32 %p3, %r10, 0; @%p3 bra AGAIN;
        barrier.cluster.wait.acquire;
        bra OUT;
        SECOND: barrier.cluster.wait.acquire;
        mov.u32 %r10, 9; st.volatile.shared.u32 [%r4], %r10;
        OUT:";
    for &machine in Machine::ALL {
        let expected: Vec<u32> = (0..64).map(|thread| if thread < 60 { 9 } else { 0 }).collect();
        assert_eq!(words(body, 64, machine), expected, "{machine:?}");
    }
}

#[test]
fn the_order_at_the_barrier_of_a_cluster_is_checked() {
    let checks = Checks { undefined: true, ..Checks::default() };
    for (body, rule) in [
        ("barrier.cluster.arrive;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\nret;", Rule::ClusterArriveTwice),
        ("barrier.cluster.wait;\nret;", Rule::ClusterWaitFirst),
    ] {
        let launch = Launch { checks, ..Launch::new(1, 32) };
        let report = run(&program("", body), &mut Memory::new(), &launch).unwrap();
        let found: Vec<Rule> = report.findings.undefined.unwrap().iter().map(|one| one.rule).collect();
        assert_eq!(found, [rule], "{}", report.outcome);
    }
}

/// A barrier of the whole grid by the workspace of a cooperative launch: the first thread of each block counts up and waits; it traps where there is none.
const GRID: &str = "
    mov.b64 %rd5, {%r4, %r5};
    setp.eq.u64 %p1, %rd5, 0; @%p1 trap;
    st.global.u32 [%rd2], 1;
    bar.sync 0;
    setp.ne.u32 %p2, %r3, 0; @%p2 bra WAIT;
    fence.acq_rel.gpu;
    atom.add.acq_rel.gpu.u32 %r6, [%rd5+4], 1;
    mov.u32 %r7, %nctaid.x;
    AGAIN: ld.acquire.gpu.u32 %r6, [%rd5+4]; setp.lt.u32 %p3, %r6, %r7; @%p3 bra AGAIN;
    WAIT: bar.sync 0;
    mov.u32 %r7, %nctaid.x; mov.u32 %r8, %ntid.x; mul.lo.u32 %r8, %r7, %r8;
    sub.u32 %r8, %r8, 1; sub.u32 %r8, %r8, %r1; mul.wide.u32 %rd6, %r8, 4; add.s64 %rd6, %rd1, %rd6;
    ld.global.u32 %r10, [%rd6];
    mul.wide.u32 %rd7, %r1, 4; add.s64 %rd7, %rd1, %rd7; st.global.u32 [%rd7+4096], %r10;
    ret;";

#[test]
fn the_blocks_of_a_cooperative_launch_can_wait_for_each_other() {
    let p = program(".param .u64 a", &format!("{INDEX}\nmov.u32 %r4, %envreg2; mov.u32 %r5, %envreg1;\n{GRID}"));
    for &machine in Machine::ALL {
        for threads in [1, 3] {
            let mut memory = Memory::new();
            let a = memory.alloc(8192, "a");
            let launch = Launch { cooperative: true, threads, ..Launch::new(9, 70).arg(a).on(machine) };
            finish(&p, &mut memory, &launch);
            assert_eq!(memory.read::<u32>(a.offset(4096), 9 * 70).unwrap(), [1; 9 * 70]);
            // The next launch begins anew.
            finish(&p, &mut memory, &launch);
        }
    }
    let mut memory = Memory::new();
    let a = memory.alloc(8192, "a");
    let plain = Launch::new(9, 70).arg(a);
    let report = run(&p, &mut memory, &plain).unwrap();
    assert!(report.outcome.to_string().ends_with("which needs a cooperative launch"), "{}", report.outcome);
    let crowded = Launch { cooperative: true, resident: Occupancy::Blocks(8), ..plain };
    let error = run(&p, &mut memory, &crowded).unwrap_err().to_string();
    assert_eq!(error, "a cooperative launch of 9 blocks, of which only 8 are resident at a time; all must be");
}
