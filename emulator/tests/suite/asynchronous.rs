//! Asynchronous copies, barrier objects, and what is refused before anything runs.

use emulator::{Error, Launch, Machine, Memory, Program};

use crate::support::{finish, module, program};

#[test]
fn copies_fill_with_zeros_and_can_be_ignored() {
    let p = program(
        ".param .u64 a, .param .u64 out",
        ".shared .align 16 .b8 tile[512];
         mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [out];
         mul.wide.u32 %rd3, %r1, 16; add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3;
         mov.u32 %r2, tile; mad.lo.u32 %r2, %r1, 16, %r2;
         mov.u32 %r3, 7; st.shared.v4.u32 [%r2], {%r3, %r3, %r3, %r3};
         setp.eq.u32 %p1, %r1, 3;
         and.b32 %r4, %r1, 1; mul.lo.u32 %r4, %r4, 12; add.u32 %r4, %r4, 4;
         @!%p1 cp.async.cg.shared.global [%r2], [%rd1], 16, %r4;
         setp.eq.u32 %p2, %r1, 5;
         @%p2 cp.async.ca.shared.global [%r2], [%rd1], 8, %p2;
         cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;
         ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r2];
         st.global.v4.u32 [%rd2], {%r5, %r6, %r7, %r8}; ret;",
    );
    for &machine in Machine::ALL {
        let mut memory = Memory::new();
        let words: Vec<u32> = (100..228).collect();
        let (a, out) = (memory.alloc_from(&words, "a"), memory.alloc(512, "out"));
        let report = finish(&p, &mut memory, &Launch::new(1, 32).arg(a).arg(out).on(machine));
        assert!(report.counts.traffic.requests >= 2);
        for (lane, got) in memory.read::<u32>(out, 128).unwrap().chunks(4).enumerate() {
            let w = |i: usize| words[4 * lane + i];
            let expected = match lane {
                3 => [7; 4],
                5 => [0, 0, w(2), w(3)],
                lane if lane % 2 == 1 => [w(0), w(1), w(2), w(3)],
                _ => [w(0), 0, 0, 0],
            };
            assert_eq!(got, expected, "lane {lane}");
        }
    }
}

#[test]
fn a_barrier_object_counts_threads_through_its_phases() {
    // Warp 0 writes, arrives and goes on; warp 1 waits for all 64 arrivals, three times over.
    let p = program(
        ".param .u64 out",
        ".shared .align 8 .b64 bar; .shared .align 4 .b32 value;
         mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [out];
         setp.ne.u32 %p1, %r1, 0; @%p1 bra READY;
         mbarrier.init.shared.b64 [bar], 64;
         READY: bar.sync 0;
         mov.u32 %r2, 0; mov.u32 %r9, 0;
         LOOP: setp.eq.u32 %p2, %r1, 5; add.u32 %r3, %r2, 10; @%p2 st.shared.u32 [value], %r3;
         mbarrier.arrive.shared.b64 %rd2, [bar];
         WAIT: mbarrier.try_wait.shared.b64 %p3, [bar], %rd2; @!%p3 bra WAIT;
         ld.shared.u32 %r4, [value]; add.u32 %r9, %r9, %r4;
         mbarrier.arrive.shared.b64 %rd2, [bar];
         and.b32 %r5, %r2, 0; add.u32 %r5, %r5, 1;
         AGAIN: mbarrier.test_wait.parity.shared.b64 %p3, [bar], %r5; @!%p3 bra AGAIN;
         add.u32 %r2, %r2, 1; setp.lt.u32 %p4, %r2, 3; @%p4 bra LOOP;
         mul.wide.u32 %rd3, %r1, 4; add.s64 %rd1, %rd1, %rd3; st.global.u32 [%rd1], %r9; ret;",
    );
    for &machine in Machine::ALL {
        let mut memory = Memory::new();
        let out = memory.alloc(256, "out");
        finish(&p, &mut memory, &Launch::new(1, 64).arg(out).on(machine));
        assert_eq!(memory.read::<u32>(out, 64).unwrap(), [33; 64], "{machine:?}");
    }
}

#[test]
fn a_bulk_copy_tells_the_barrier_object_its_bytes() {
    let p = program(
        ".param .u64 a, .param .u64 out",
        ".shared .align 16 .b8 tile[64]; .shared .align 8 .b64 bar;
         mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [out];
         setp.ne.u32 %p1, %r1, 0; @%p1 bra READY;
         mbarrier.init.shared::cta.b64 [bar], 1;
         mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 64;
         mbarrier.test_wait.parity.shared::cta.b64 %p2, [bar], 0; @%p2 trap;
         cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 64, [bar];
         READY: bar.sync 0;
         WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0; @!%p2 bra WAIT;
         mul.lo.u32 %r2, %r1, 4; mov.u32 %r3, tile; add.u32 %r3, %r3, %r2; ld.shared.u32 %r4, [%r3];
         mul.wide.u32 %rd3, %r1, 4; add.s64 %rd2, %rd2, %rd3; st.global.u32 [%rd2], %r4; ret;",
    );
    let mut memory = Memory::new();
    let words: Vec<u32> = (1..17).collect();
    let (a, out) = (memory.alloc_from(&words, "a"), memory.alloc(64, "out"));
    finish(&p, &mut memory, &Launch::new(1, 16).arg(a).arg(out));
    assert_eq!(memory.read::<u32>(out, 16).unwrap(), words);
}

#[test]
fn everything_that_is_refused_is_told_at_once() {
    let body = "mov.u32 %r1, 5;
        tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}];
        wmma.load.a.sync.aligned.row.m8n8k4.f16 {%r1, %r2, %r3, %r4}, [%rd1];
        clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%rd1], [%rd2];
        call.uni nowhere;
        cvt.rs.f16x2.f32 %r1, %f1, %f2, %r2;
        fma.rn.oob.f16 %rs1, %rs2, %rs3, %rs4;
        setp.lt.f16 %p1|%p2, %rs1, %rs2;
        add.u32 %r2, %r1, missing;
        ret;";
    let m = module("", body);
    let Err(Error::Several(list)) = Program::decode(&m, "k") else { panic!() };
    let told: Vec<String> = list.iter().map(ToString::to_string).collect();
    let expected = [
        ("tex.1d.v4.f32.s32", "textures are not modelled"),
        ("wmma.load.a", "tensor cores are not modelled"),
        ("clusterlaunchcontrol.try_cancel", "launches of clusters are not modelled"),
        ("call.uni", "no body of the function `nowhere`"),
        ("cvt.rs.f16x2.f32", "the ISA does not say to which of the bits"),
        ("fma.rn.oob.f16", "whose bits the ISA does not give"),
        ("setp.lt.f16", "halves that are not packed has one result"),
        ("missing", "declared nowhere"),
    ];
    assert_eq!(told.len(), expected.len(), "{told:#?}");
    for (line, (text, (opcode, reason))) in (12..).zip(told.iter().zip(expected)) {
        assert!(text.contains(opcode) && text.contains(reason), "{text}");
        assert!(text.starts_with(&format!("PTX line {line}:")), "{text}");
    }
}
