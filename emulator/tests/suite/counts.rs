//! Counts, worked out by hand.

use emulator::{Launch, Machine, Memory};

use crate::support::{INDEX, TOGETHER, finish, program};

#[test]
fn both_sides_of_a_branch() {
    let p = program(
        ".param .u64 a",
        "mov.u32 %r1, %tid.x;
         setp.lt.u32 %p1, %r1, 8;
         @%p1 bra LOW;
         mov.u32 %r2, 1;
         mov.u32 %r2, 2;
         bra JOIN;
         LOW: mov.u32 %r2, 3;
         JOIN: mov.u32 %r3, %r2;
         ret;",
    );
    for machine in TOGETHER {
        let mut memory = Memory::new();
        let a = memory.alloc(4, "a");
        let report = finish(&p, &mut memory, &Launch::new(1, 32).arg(a).on(machine));
        // Together: mov, setp, bra and, after the join, mov, ret. 8 lanes: one mov. 24 lanes: mov, mov, bra.
        assert_eq!(report.counts.warp_instructions, 5 + 1 + 3);
        assert_eq!(report.counts.active_lanes, 5 * 32 + 8 + 3 * 24);
        // The branch's guard holds in 8 lanes only.
        assert_eq!(report.counts.thread_instructions, 4 * 32 + 8 + 8 + 3 * 24);
        assert_eq!(report.counts.divergent_branches, 1);
        assert_eq!(report.counts.warp_execution_efficiency(), (5.0 * 32.0 + 8.0 + 72.0) / (9.0 * 32.0));
    }
}

#[test]
fn nested_branches() {
    // Lanes 0..16 take the outer side, of which lanes 0..4 take the inner one.
    let p = program(
        "",
        "mov.u32 %r1, %tid.x;
         setp.ge.u32 %p1, %r1, 16;
         @%p1 bra OUTER;
         setp.ge.u32 %p2, %r1, 4;
         @%p2 bra INNER;
         mov.u32 %r2, 1;
         INNER: mov.u32 %r3, 1;
         OUTER: ret;",
    );
    for machine in TOGETHER {
        let report = finish(&p, &mut Memory::new(), &Launch::new(1, 32).on(machine));
        // 32 lanes: mov, setp, bra, ret; 16: setp, bra, mov; 4: mov.
        assert_eq!(report.counts.warp_instructions, 4 + 3 + 1);
        assert_eq!(report.counts.active_lanes, 4 * 32 + 3 * 16 + 4);
        assert_eq!(report.counts.divergent_branches, 2);
    }
}

#[test]
fn a_loop_that_lanes_leave_one_by_one() {
    // Lane i runs the body i + 1 times; the warp runs it 32 times, with 32, 31, … 1 lanes.
    let p = program(
        "",
        "mov.u32 %r1, %tid.x;
         mov.u32 %r2, 0;
         LOOP: add.u32 %r2, %r2, 1;
         setp.le.u32 %p1, %r2, %r1;
         @%p1 bra LOOP;
         ret;",
    );
    for machine in TOGETHER {
        let report = finish(&p, &mut Memory::new(), &Launch::new(1, 32).on(machine));
        let lanes: u64 = (1..=32).sum();
        assert_eq!(report.counts.warp_instructions, 2 + 3 * 32 + 1);
        assert_eq!(report.counts.active_lanes, 3 * 32 + 3 * lanes);
        // The last pass has one lane, which does not part from anybody.
        assert_eq!(report.counts.divergent_branches, 31);
    }
}

#[test]
fn predicated_lanes_are_active_and_not_executed() {
    let p = program(
        "",
        "mov.u32 %r1, %tid.x;
         setp.lt.u32 %p1, %r1, 10;
         @%p1 add.u32 %r2, %r1, 1;
         @!%p1 add.u32 %r2, %r1, 2;
         ret;",
    );
    let report = finish(&p, &mut Memory::new(), &Launch::new(1, 32));
    assert_eq!(report.counts.warp_instructions, 5);
    assert_eq!(report.counts.active_lanes, 160);
    assert_eq!(report.counts.thread_instructions, 3 * 32 + 10 + 22);
    assert_eq!(report.counts.warp_execution_efficiency(), 1.0);
    assert_eq!(report.counts.warp_nonpred_execution_efficiency(), 128.0 / 160.0);
}

#[test]
fn partial_warps_count_32_slots() {
    let p = program("", "mov.u32 %r1, %tid.x; ret;");
    let report = finish(&p, &mut Memory::new(), &Launch::new(3, 33));
    // Three blocks of a full warp and a warp of one lane.
    assert_eq!(report.counts.warp_instructions, 3 * 2 * 2);
    assert_eq!(report.counts.active_lanes, 3 * 33 * 2);
    assert_eq!(report.counts.warp_execution_efficiency(), 33.0 / 64.0);
}

#[test]
fn sectors_of_patterns() {
    // Consecutive, with a stride of 32 bytes, all the same, and consecutive but 4 bytes off.
    let p = program(
        ".param .u64 a",
        &format!(
            "{INDEX}
            ld.global.u32 %r10, [%rd2];
            mul.wide.u32 %rd3, %r1, 32; add.s64 %rd3, %rd1, %rd3;
            ld.global.u32 %r11, [%rd3];
            ld.global.u32 %r12, [%rd1];
            ld.global.u32 %r13, [%rd2+4];
            setp.lt.u32 %p1, %r1, 3;
            @%p1 ld.global.u32 %r14, [%rd2];
            ret;"
        ),
    );
    let mut memory = Memory::new();
    let a = memory.alloc(2048, "a");
    let report = finish(&p, &mut memory, &Launch::new(1, 32).arg(a));
    assert_eq!(report.counts.traffic.requests, 5);
    assert_eq!(report.counts.sectors(), 4 + 32 + 1 + 5 + 1);
    let per_load: Vec<u64> =
        report.ptx_lines.iter().filter(|line| line.counts.traffic.requests > 0).map(|l| l.counts.sectors()).collect();
    assert_eq!(per_load, [4, 32, 1, 5, 1]);
}

#[test]
fn bank_conflicts() {
    // Strides of one word, two words, 32 words, and one address.
    let p = program(
        "",
        ".shared .align 16 .b8 s[8192];
         mov.u32 %r1, %tid.x; mov.u32 %r2, s;
         mad.lo.u32 %r3, %r1, 4, %r2; ld.shared.u32 %r10, [%r3];
         mad.lo.u32 %r4, %r1, 8, %r2; ld.shared.u32 %r11, [%r4];
         mad.lo.u32 %r5, %r1, 128, %r2; ld.shared.u32 %r12, [%r5];
         ld.shared.u32 %r13, [%r2];
         ret;",
    );
    let report = finish(&p, &mut Memory::new(), &Launch::new(1, 32));
    let wavefronts: Vec<u64> = report
        .ptx_lines
        .iter()
        .filter(|line| line.counts.traffic.shared_requests > 0)
        .map(|line| line.counts.traffic.shared_wavefronts)
        .collect();
    assert_eq!(wavefronts, [1, 2, 32, 1]);
    assert_eq!(report.counts.bank_conflicts(), 1 + 31);
}

#[test]
fn wide_accesses_go_by_parts_of_a_warp() {
    // The address and the access; the passes that it takes, and how many of them are conflicts.
    let cases = [
        // 128 bits: neighbours, rows of 128 bytes, one address, and every fourth lane a neighbour of the other's.
        ("mul.lo.u32 %r3, %r1, 16;", "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r3];", 4, 0),
        (
            "and.b32 %r3, %r1, 7; mul.lo.u32 %r3, %r3, 128; shr.u32 %r4, %r1, 3; mad.lo.u32 %r3, %r4, 16, %r3;",
            "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r3];",
            32,
            28,
        ),
        ("mov.u32 %r3, 32;", "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r3];", 1, 0),
        ("mul.lo.u32 %r3, %r1, 32;", "ld.shared.v2.b64 {%rd1, %rd2}, [%r3];", 8, 4),
        // 64 bits: neighbours, every other one, halves that read the same, lanes that conflict in the second half alone.
        ("mul.lo.u32 %r3, %r1, 8;", "ld.shared.b64 %rd1, [%r3];", 2, 0),
        ("mul.lo.u32 %r3, %r1, 16;", "st.shared.v2.u32 [%r3], {%r1, %r1};", 4, 2),
        ("and.b32 %r3, %r1, 15; mul.lo.u32 %r3, %r3, 8;", "ld.shared.b64 %rd1, [%r3];", 1, 0),
        (
            "setp.lt.u32 %p1, %r1, 16; mul.lo.u32 %r3, %r1, 8; mul.lo.u32 %r4, %r1, 128; @!%p1 mov.u32 %r3, %r4;",
            "ld.shared.b64 %rd1, [%r3];",
            1 + 16,
            15,
        ),
        // Of half a warp, and of every other lane.
        (
            "setp.lt.u32 %p1, %r1, 16; mul.lo.u32 %r3, %r1, 16;",
            "@%p1 ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r3];",
            2,
            0,
        ),
        (
            "and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 1; mul.lo.u32 %r3, %r1, 8;",
            "@%p1 ld.shared.b64 %rd1, [%r3];",
            2,
            0,
        ),
        // 32 bits: two rows that lie in the same banks.
        (
            "and.b32 %r3, %r1, 15; shr.u32 %r4, %r1, 4; mul.lo.u32 %r4, %r4, 128; mad.lo.u32 %r3, %r3, 4, %r4;",
            "ld.shared.b32 %r5, [%r3];",
            2,
            1,
        ),
    ];
    for (address, access, passes, conflicts) in cases {
        let body =
            format!(".shared .align 16 .b8 s[8192];\nmov.u32 %r1, %tid.x;\nmov.u32 %r9, s;\n{address}\n{access}\nret;");
        let report = finish(&program("", &body), &mut Memory::new(), &Launch::new(1, 32));
        let counts = report.counts;
        assert_eq!(
            (counts.traffic.shared_wavefronts, counts.bank_conflicts()),
            (passes, conflicts),
            "{address} {access}"
        );
    }
}

#[test]
fn issue_cycles_follow_the_throughput_table() {
    // On sm_90: mov and ret at 64 lanes per cycle, fma.f32 at 128, sin at 16, fma.f64 at 64, 64-bit add two times 64.
    let p = program(
        "",
        "mov.f32 %f1, 0f3F800000;
         fma.rn.f32 %f2, %f1, %f1, %f1;
         sin.approx.f32 %f3, %f1;
         fma.rn.f64 %fd1, %fd1, %fd1, %fd1;
         add.s64 %rd1, %rd1, 1;
         ret;",
    );
    let report = finish(&p, &mut Memory::new(), &Launch::new(1, 32));
    assert_eq!(report.counts.issue_cycles(), 0.5 + 0.25 + 2.0 + 0.5 + 1.0 + 0.5);
}

#[test]
fn source_lines_are_summed() {
    let text = "
.version 9.0
.target sm_90
.address_size 64
.visible .entry k() {
  .reg .b32 %r<4>;
  .loc 1 10 3
  mov.u32 %r1, %tid.x;
  add.u32 %r2, %r1, 1;
  .loc 1 11 3
  add.u32 %r3, %r2, 1;
  .loc 1 10 9
  add.u32 %r3, %r2, 2;
  ret;
}
.file 1 \"kernel.cu\"
";
    let module = ptx_parser::Module::parse(text).unwrap();
    let p = emulator::Program::decode(&module, "k").unwrap();
    let report = finish(&p, &mut Memory::new(), &Launch::new(1, 64));
    let lines: Vec<_> = report
        .lines
        .iter()
        .map(|line| (line.site.file.as_deref(), line.site.line, line.counts.warp_instructions))
        .collect();
    assert_eq!(lines, [(Some("kernel.cu"), 10, 8), (Some("kernel.cu"), 11, 2)]);
}

#[test]
fn host_threads_change_nothing() {
    let p = program(
        ".param .u64 a",
        &format!(
            ".shared .align 4 .b8 s[512];
            {INDEX}
            mov.u32 %r10, %r1;
            mov.u32 %r11, 0;
            LOOP: and.b32 %r12, %r10, 1;
            setp.eq.u32 %p1, %r12, 0;
            @%p1 bra EVEN;
            mad.lo.u32 %r10, %r10, 3, 1;
            EVEN: shr.u32 %r10, %r10, 1;
            add.u32 %r11, %r11, 1;
            setp.gt.u32 %p2, %r10, 1;
            @%p2 bra LOOP;
            mov.u32 %r13, s; shl.b32 %r14, %r3, 2; add.u32 %r13, %r13, %r14;
            st.shared.u32 [%r13], %r11;
            bar.sync 0;
            ld.shared.u32 %r15, [s+12];
            add.u32 %r11, %r11, %r15;
            atom.global.add.u32 %r16, [%rd1], 1;
            st.global.u32 [%rd2+4], %r11;
            ret;"
        ),
    );
    for &machine in Machine::ALL {
        let run = |threads| {
            let mut memory = Memory::new();
            let a = memory.alloc(4 * (64 * 128 + 1), "a");
            let mut launch = Launch::new(64, 128).arg(a).on(machine);
            launch.threads = threads;
            let report = finish(&p, &mut memory, &launch);
            (memory.read::<u32>(a, 64 * 128 + 1).unwrap(), report.counts, report.ptx_lines)
        };
        let (one, two) = (run(1), run(2));
        assert_eq!(one, two);
        assert_eq!(one.0[0], 64 * 128);
    }
}
