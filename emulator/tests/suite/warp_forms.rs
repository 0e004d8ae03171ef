//! Forms of atomics, and what lanes of a warp do together.

use emulator::{Launch, Machine, Memory};

use crate::model::{Model, f, operand, s32, uf};
use crate::support::{INDEX, finish, program};

#[test]
fn atomics_return_the_old_value() {
    fn flush(v: f32) -> f32 {
        if v.is_subnormal() { 0f32.copysign(v) } else { v }
    }
    // One thread per case, so that the order of lanes does not matter.
    let cases: &[(&str, Model)] = &[
        ("atom.global.add.u32", |old, b, _| old + b),
        ("atom.global.min.s32", |old, b, _| s32(old).min(s32(b)) as u64),
        ("atom.global.max.u32", |old, b, _| old.max(b)),
        ("atom.global.inc.u32", |old, b, _| if old >= b { 0 } else { old + 1 }),
        ("atom.global.dec.u32", |old, b, _| if old == 0 || old > b { b } else { old - 1 }),
        ("atom.global.and.b32", |old, b, _| old & b),
        ("atom.global.or.b32", |old, b, _| old | b),
        ("atom.global.xor.b32", |old, b, _| old ^ b),
        ("atom.global.exch.b32", |_, b, _| b),
        ("atom.cas.b32", |old, b, c| if old == b { c } else { old }),
        ("atom.global.add.f32", |old, b, _| uf(flush(flush(f(old)) + flush(f(b))))),
    ];
    for (opcode, model) in cases {
        let float = opcode.ends_with("f32");
        let third = if opcode.contains("cas") { ", %r13" } else { "" };
        let (result, source) = if float { ("%f1", "%f2") } else { ("%r11", "%r12") };
        let ty = if float { "f32" } else { "u32" };
        let p = program(
            ".param .u64 a",
            &format!(
                "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [a]; mul.wide.u32 %rd2, %r1, 16; add.s64 %rd1, %rd1, %rd2;
                 ld.global.{ty} {source}, [%rd1+4]; ld.global.u32 %r13, [%rd1+8];
                 {opcode} {result}, [%rd1], {source}{third};
                 st.global.{ty} [%rd1+12], {result}; ret;"
            ),
        );
        let mut state = 5;
        let words: Vec<u32> = (0..4 * 256)
            .map(|i| {
                let value = operand(&mut state, if float { 'f' } else { 'r' }) as u32;
                // Half of the comparisons must succeed.
                if i % 8 < 2 && opcode.contains("cas") { 7 } else { value }
            })
            .collect();
        let mut memory = Memory::new();
        let a = memory.alloc_from(&words, "a");
        finish(&p, &mut memory, &Launch::new(1, 256).arg(a));
        for (before, after) in words.chunks(4).zip(memory.read::<u32>(a, 1024).unwrap().chunks(4)) {
            let [old, b, c] = [0, 1, 2].map(|i| u64::from(before[i]));
            let expected = model(old, b, c) as u32;
            let same = after[0] == expected || float && f(after[0].into()).is_nan() && f(expected.into()).is_nan();
            assert!(same, "{opcode} {before:x?} {after:x?}");
            assert_eq!(after[3], before[0], "{opcode}");
        }
    }
}

#[test]
fn shuffles() {
    // The four modes with a segment of 8 lanes, and the validity they report.
    for (mode, source) in [
        ("up", (|lane, by| (lane >= by, lane.wrapping_sub(by))) as fn(u32, u32) -> (bool, u32)),
        ("down", |lane, by| (lane + by <= 7, lane + by)),
        ("bfly", |lane, by| (lane ^ by <= 7, lane ^ by)),
        ("idx", |_, by| (by <= 7, by & 7)),
    ] {
        for by in [0u32, 1, 3, 7] {
            let clamp = if mode == "up" { 0x1800 } else { 0x1807 };
            let p = program(
                ".param .u64 a",
                &format!(
                    "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [a]; mul.wide.u32 %rd2, %r1, 8; add.s64 %rd1, %rd1, %rd2;
                     mad.lo.u32 %r2, %r1, 10, 1;
                     shfl.sync.{mode}.b32 %r3|%p1, %r2, {by}, {clamp}, -1;
                     selp.u32 %r4, 1, 0, %p1;
                     st.global.v2.u32 [%rd1], {{%r3, %r4}}; ret;"
                ),
            );
            let mut memory = Memory::new();
            let a = memory.alloc(256, "a");
            finish(&p, &mut memory, &Launch::new(1, 32).arg(a));
            for (lane, pair) in (0u32..).zip(memory.read::<u32>(a, 64).unwrap().chunks(2)) {
                let (valid, from) = source(lane % 8, by);
                let from = if valid { lane / 8 * 8 + from } else { lane };
                assert_eq!(pair, [from * 10 + 1, u32::from(valid)], "{mode} {by} lane {lane}");
            }
        }
    }
}

#[test]
fn barrier_reductions_and_named_barriers() {
    // 96 threads; warp 2 only arrives at barrier 1, warps 0 and 1 wait there for all 96.
    let p = program(
        ".param .u64 a",
        &format!(
            "{INDEX}
            rem.u32 %r10, %r1, 5;
            setp.eq.u32 %p1, %r10, 0;
            bar.red.popc.u32 %r11, 0, %p1;
            bar.red.and.pred %p2, 0, %p1;
            bar.red.or.pred %p3, 0, !%p1;
            setp.ge.u32 %p4, %r1, 64;
            @%p4 bra LAST;
            bar.sync 1, 96;
            bra OUT;
            LAST: bar.arrive 1, 96;
            OUT: selp.u32 %r12, 1000, 0, %p2;
            selp.u32 %r13, 100, 0, %p3;
            add.u32 %r11, %r11, %r12; add.u32 %r11, %r11, %r13;
            st.global.u32 [%rd2], %r11;
            ret;"
        ),
    );
    for &machine in Machine::ALL {
        let mut memory = Memory::new();
        let a = memory.alloc(4 * 96, "a");
        finish(&p, &mut memory, &Launch::new(1, 96).arg(a).on(machine));
        // 20 of 0..96 are multiples of 5; not all are, and some are not.
        assert_eq!(memory.read::<u32>(a, 96).unwrap(), [120; 96]);
    }
}

#[test]
fn votes_matches_and_reductions_over_a_warp() {
    let p = program(
        ".param .u64 a",
        &format!(
            "{INDEX}
            and.b32 %r10, %r1, 3;
            setp.eq.u32 %p1, %r10, 0;
            vote.sync.ballot.b32 %r11, %p1, -1;
            vote.sync.all.pred %p2, %p1, -1;
            vote.sync.any.pred %p3, %p1, -1;
            vote.sync.uni.pred %p4, %p1, -1;
            match.any.sync.b32 %r12, %r10, -1;
            match.all.sync.b32 %r13|%p5, %r11, -1;
            redux.sync.add.s32 %r14, %r1, -1;
            redux.sync.max.s32 %r15, %r1, -1;
            activemask.b32 %r16;
            elect.sync %r17|%p6, -1;
            selp.u32 %r20, 1, 0, %p2; selp.u32 %r21, 2, 0, %p3; selp.u32 %r22, 4, 0, %p4; selp.u32 %r23, 8, 0, %p5;
            selp.u32 %r24, 16, 0, %p6;
            add.u32 %r20, %r20, %r21; add.u32 %r20, %r20, %r22; add.u32 %r20, %r20, %r23; add.u32 %r20, %r20, %r24;
            mul.wide.u32 %rd3, %r1, 32; add.s64 %rd3, %rd1, %rd3;
            st.global.v4.u32 [%rd3], {{%r11, %r12, %r13, %r14}};
            st.global.v4.u32 [%rd3+16], {{%r15, %r16, %r17, %r20}};
            ret;"
        ),
    );
    for &machine in Machine::ALL {
        let mut memory = Memory::new();
        let a = memory.alloc(32 * 32, "a");
        finish(&p, &mut memory, &Launch::new(1, 32).arg(a).on(machine));
        let words = memory.read::<u32>(a, 256).unwrap();
        for (lane, row) in words.chunks(8).enumerate() {
            let same = 0x1111_1111u32 << (lane % 4);
            let leader = if lane == 0 { 16 } else { 0 };
            // Who is active beside a lane is up to the machine.
            let active = if machine == Machine::Mimd { 1 << lane } else { u32::MAX };
            assert_eq!(row, [0x1111_1111, same, u32::MAX, 496, 31, active, 0, 2 + 8 + leader], "lane {lane}");
        }
    }
}
