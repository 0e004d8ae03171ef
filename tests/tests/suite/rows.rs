//! Blocks that run row by row as native code: where lanes part and meet, which values they share, and how indices wrap around, beside the emulator.

use cpu::Sync;
use ptx_parser::Module;
use tests::translated;

/// Kernels of two buffers: `%rd1` and `%rd2` are their addresses, `%rd3` and `%rd4` those of a word for each thread, `%r0` is the number of the thread. They have no races.
const KERNELS: &[(&str, &str)] = &[
    (
        // The index of the first lanes is negative: as an unsigned number of 32 bits it wraps around within the first row.
        "an index that wraps around",
        "sub.u32 %r1, %r0, 9; mul.wide.u32 %rd6, %r1, 4; add.u64 %rd6, %rd1, %rd6; setp.ge.u32 %p1, %r0, 9;
         @%p1 st.global.u32 [%rd6], %r0;",
    ),
    (
        "an index that wraps around before a barrier",
        "sub.u32 %r1, %r0, 9; mul.wide.u32 %rd6, %r1, 4; add.u64 %rd6, %rd1, %rd6; setp.ge.u32 %p1, %r0, 9; add.u32 %r2, %r0, 5;
         bar.sync 0; @%p1 st.global.u32 [%rd6], %r2; bar.sync 0; st.global.u32 [%rd4], %r2;",
    ),
    (
        "an index with its sign",
        "sub.s32 %r1, %r0, 3; mul.wide.s32 %rd6, %r1, 4; add.u64 %rd6, %rd2, %rd6; st.global.u32 [%rd6+12], %r1;",
    ),
    (
        "ways that join",
        "and.b32 %r1, %r0, 3; setp.eq.u32 %p1, %r1, 0; @%p1 bra A; mov.u32 %r2, 17; setp.eq.u32 %p2, %r1, 1; @%p2 bra B;
         mov.u32 %r2, 23; mul.lo.u32 %r3, %r0, 5; bra C;
         A: mov.u32 %r2, 5; mov.u32 %r3, 9; bra C;
         B: add.u32 %r3, %r2, %r0;
         C: mad.lo.u32 %r2, %r2, 1000, %r3; st.global.u32 [%rd3], %r2;",
    ),
    (
        // The counter is the same for all lanes in the loop, and differs behind it.
        "a counter behind its loop",
        "and.b32 %r1, %r0, 7; mov.u32 %r2, 0; mov.u32 %r3, 0;
         L: add.u32 %r2, %r2, 1; add.u32 %r3, %r3, %r2; setp.le.u32 %p1, %r2, %r1; @%p1 bra L;
         st.global.u32 [%rd3], %r2; st.global.u32 [%rd4], %r3;",
    ),
    (
        "loops in loops with different ends",
        "and.b32 %r1, %r0, 3; mov.u32 %r2, 0; mov.u32 %r4, 0;
         L: mov.u32 %r3, 0;
         M: add.u32 %r4, %r4, %r3; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r2; @%p1 bra M;
         add.u32 %r2, %r2, 1; setp.le.u32 %p2, %r2, %r1; @%p2 bra L;
         setp.gt.u32 %p3, %r0, 20; @%p3 exit;
         st.global.u32 [%rd3], %r4;",
    ),
    (
        "threads that end before a barrier",
        "setp.ge.u32 %p1, %r0, 37; mul.lo.u32 %r1, %r0, 3; @%p1 exit; st.shared.u32 [s], %r1; bar.sync 0;
         add.u32 %r2, %r1, 1; st.global.u32 [%rd3], %r2;",
    ),
    (
        "a barrier in a loop of equal rounds",
        "shl.b32 %r4, %r0, 2; mov.u32 %r5, s; add.u32 %r4, %r4, %r5; mov.u32 %r1, 0; mov.u32 %r3, %r0;
         L: st.shared.u32 [%r4], %r3; bar.sync 0; xor.b32 %r6, %r0, 1; shl.b32 %r6, %r6, 2; add.u32 %r6, %r6, %r5;
         ld.shared.u32 %r7, [%r6]; bar.sync 0; mad.lo.u32 %r3, %r7, 3, %r1; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 5; @%p1 bra L;
         st.global.u32 [%rd3], %r3;",
    ),
    (
        "addresses of the block's memory below its beginning",
        "shl.b32 %r4, %r0, 2; mov.u32 %r5, s; add.u32 %r4, %r4, %r5; st.shared.u32 [%r4], %r0; bar.sync 0;
         sub.u32 %r6, %r4, 8; mov.u32 %r7, 99; setp.ge.u32 %p1, %r0, 2; @%p1 ld.shared.u32 %r7, [%r6]; st.global.u32 [%rd3], %r7;",
    ),
    (
        "operations of a warp",
        "mul.lo.u32 %r1, %r0, %r0; shfl.sync.down.b32 %r2|%p1, %r1, 3, 31, -1; selp.u32 %r3, %r2, 7, %p1; vote.sync.ballot.b32 %r4, %p1, -1;
         add.u32 %r3, %r3, %r4; st.global.u32 [%rd3], %r3; activemask.b32 %r5; st.global.u32 [%rd4], %r5;",
    ),
    (
        "operations of parts of a warp",
        "and.b32 %r1, %r0, 31; setp.lt.u32 %p1, %r1, 12; mov.u32 %r4, 3; @%p1 bra A;
         shfl.sync.bfly.b32 %r2, %r0, 1, 31, 0xfffff000; mul.lo.u32 %r4, %r2, 7; bra B;
         A: shfl.sync.bfly.b32 %r2, %r0, 2, 31, 0xfff; add.u32 %r4, %r2, 100;
         B: bar.warp.sync -1; st.global.u32 [%rd3], %r4; bar.sync 0; st.global.u32 [%rd4], %r2;",
    ),
    (
        "lanes that go on in lockstep behind a branch",
        "and.b32 %r1, %r0, 31; setp.ge.u32 %p1, %r1, 8; @%p1 bra DONE;
         ld.volatile.global.u32 %r2, [%rd3]; ld.volatile.global.u32 %r3, [%rd3+32]; add.u32 %r2, %r2, %r3; st.volatile.global.u32 [%rd3], %r2;
         setp.ge.u32 %p2, %r1, 4; @%p2 bra JOIN;
         ld.volatile.global.u32 %r2, [%rd3]; ld.volatile.global.u32 %r3, [%rd3+16]; add.u32 %r2, %r2, %r3; st.volatile.global.u32 [%rd3], %r2;
         JOIN: add.u32 %r2, %r2, 1; st.volatile.global.u32 [%rd4], %r2;
         DONE:",
    ),
    (
        // A counter that is one for all lanes would be counted on before some of them have read it.
        "lanes that go round a loop in lockstep by two ways",
        "and.b32 %r1, %r0, 31; setp.ge.u32 %p1, %r1, 16; @%p1 bra DONE; mov.u32 %r4, 0; mov.u32 %r6, 0;
         L: add.u32 %r4, %r4, 1; ld.volatile.global.u32 %r2, [%rd3+64]; and.b32 %r5, %r2, 1; add.u32 %r2, %r2, %r4; st.volatile.global.u32 [%rd3], %r2;
         setp.eq.u32 %p2, %r5, 0; setp.lt.u32 %p3, %r4, 5; @!%p2 bra ODD; mad.lo.u32 %r6, %r4, 3, %r6; @%p3 bra L; bra END;
         ODD: mad.lo.u32 %r6, %r4, 7, %r6; @%p3 bra L;
         END: st.volatile.global.u32 [%rd4], %r6;
         DONE:",
    ),
    (
        "floats with any bits",
        "ld.global.f32 %f1, [%rd3]; mov.f32 %f2, %f1; st.global.f32 [%rd3], %f2; add.f32 %f3, %f1, 0f00000000; mul.f32 %f4, %f3, 0fC0000000;
         fma.rn.f32 %f5, %f4, %f3, %f1; neg.f32 %f6, %f4; min.f32 %f7, %f4, %f6; setp.gt.f32 %p1, %f5, %f7; selp.f32 %f8, %f5, %f4, %p1;
         mov.b32 %r1, %f8; mov.b32 %r2, %f6; xor.b32 %r1, %r1, %r2; mov.b32 %r2, %f5; xor.b32 %r1, %r1, %r2; st.global.u32 [%rd4], %r1;",
    ),
];

fn module(body: &str) -> Module {
    let text = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 a, .param .u64 b)\n{{\n\
         .reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .pred %p<8>; .reg .f32 %f<16>; .shared .align 4 .b8 s[512];\n\
         ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd5, %r0, 4;\n\
         add.u64 %rd3, %rd1, %rd5; add.u64 %rd4, %rd2, %rd5;\n{body}\nret;\n}}\n"
    );
    Module::parse(&text).unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

#[test]
fn rows_of_any_length_leave_the_same_memory() {
    // Words that are numbers of all kinds as floats: NaNs with other bits, infinities, subnormals.
    let words = |count: u32| {
        let special =
            [0x7f80_0001, 0xffc0_0123, 0x7f80_0000, 0xff80_0000, 0x0000_0001, 0x8000_0000, 0x3f80_0000, 0x7fc0_0000];
        (0..count).map(|word| special[word as usize % 8] ^ (word / 8)).collect::<Vec<u32>>()
    };
    for &(name, body) in KERNELS {
        let module = module(body);
        for &sync in Sync::ALL {
            if sync == Sync::Basic && name.contains("lockstep") {
                continue;
            }
            for threads in [1, 16, 31, 32, 33, 40, 64, 100] {
                // Lanes of a mask that are not there would be waited for.
                if name.contains("parts of a warp") && threads % 32 != 0 {
                    continue;
                }
                let (expected, found) = translated::both(&module, threads, [words(160), vec![0; 160]], sync)
                    .unwrap_or_else(|what| panic!("{name}: {what}"));
                assert_eq!(expected, found, "{name}, {} threads, {}", threads, sync.name());
            }
        }
    }
}
