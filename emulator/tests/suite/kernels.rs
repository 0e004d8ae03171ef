//! Small kernels of every kind, on both machines, against plain Rust.

use emulator::{Launch, Machine, Memory};

use crate::support::{INDEX, finish, program};

fn both(mut check: impl FnMut(Machine)) {
    Machine::ALL.iter().for_each(|machine| check(*machine));
}

#[test]
fn saxpy_with_a_guard() {
    let p = program(
        ".param .u64 a, .param .u64 b, .param .f32 s, .param .u32 n",
        &format!(
            "{INDEX}
            ld.param.u32 %r4, [n];
            setp.ge.u32 %p1, %r1, %r4;
            @%p1 bra DONE;
            ld.param.u64 %rd3, [b];
            mul.wide.u32 %rd4, %r1, 4;
            add.s64 %rd4, %rd3, %rd4;
            ld.param.f32 %f1, [s];
            ld.global.f32 %f2, [%rd2];
            ld.global.f32 %f3, [%rd4];
            fma.rn.f32 %f3, %f1, %f2, %f3;
            st.global.f32 [%rd4], %f3;
            DONE: ret;"
        ),
    );
    both(|machine| {
        let x: Vec<f32> = (0..1000).map(|i| i as f32 * 0.25).collect();
        let y: Vec<f32> = (0..1000).map(|i| 1000.0 - i as f32).collect();
        let mut memory = Memory::new();
        let (a, b) = (memory.alloc_from(&x, "x"), memory.alloc_from(&y, "y"));
        let launch = Launch::new(8, 128).arg(a).arg(b).arg(1.5f32).arg(1000u32).on(machine);
        finish(&p, &mut memory, &launch);
        let expected: Vec<f32> = x.iter().zip(&y).map(|(x, y)| 1.5f32.mul_add(*x, *y)).collect();
        assert_eq!(memory.read::<f32>(b, 1000).unwrap(), expected);
    });
}

#[test]
fn reduction_in_shared_memory() {
    let p = program(
        ".param .u64 a, .param .u64 out",
        &format!(
            ".shared .align 4 .b8 part[1024];
            {INDEX}
            ld.global.u32 %r10, [%rd2];
            mov.u32 %r11, part;
            shl.b32 %r12, %r3, 2;
            add.u32 %r12, %r11, %r12;
            st.shared.u32 [%r12], %r10;
            mov.u32 %r13, 128;
            LOOP: bar.sync 0;
            setp.ge.u32 %p1, %r3, %r13;
            @%p1 bra SKIP;
            shl.b32 %r14, %r13, 2;
            add.u32 %r14, %r12, %r14;
            ld.shared.u32 %r15, [%r14];
            ld.shared.u32 %r16, [%r12];
            add.u32 %r16, %r16, %r15;
            st.shared.u32 [%r12], %r16;
            SKIP: shr.u32 %r13, %r13, 1;
            setp.ne.u32 %p2, %r13, 0;
            @%p2 bra LOOP;
            setp.ne.u32 %p3, %r3, 0;
            @%p3 bra DONE;
            ld.shared.u32 %r17, [part];
            ld.param.u64 %rd5, [out];
            red.global.add.u32 [%rd5], %r17;
            DONE: ret;"
        ),
    );
    both(|machine| {
        let values: Vec<u32> = (0..1024).map(|i| i * 7 % 101).collect();
        let mut memory = Memory::new();
        let (a, out) = (memory.alloc_from(&values, "a"), memory.alloc(4, "out"));
        finish(&p, &mut memory, &Launch::new(4, 256).arg(a).arg(out).on(machine));
        assert_eq!(memory.read::<u32>(out, 1).unwrap(), [values.iter().sum::<u32>()]);
    });
}

#[test]
fn reduction_by_shuffles() {
    let p = program(
        ".param .u64 a",
        &format!(
            "{INDEX}
            ld.global.u32 %r10, [%rd2];
            mov.u32 %r11, 16;
            LOOP: shfl.sync.down.b32 %r12, %r10, %r11, 31, -1;
            add.u32 %r10, %r10, %r12;
            shr.u32 %r11, %r11, 1;
            setp.ne.u32 %p1, %r11, 0;
            @%p1 bra LOOP;
            shfl.sync.idx.b32 %r13, %r10, 0, 31, -1;
            st.global.u32 [%rd2], %r13;
            ret;"
        ),
    );
    both(|machine| {
        let values: Vec<u32> = (0..64).map(|i| i * i).collect();
        let mut memory = Memory::new();
        let a = memory.alloc_from(&values, "a");
        finish(&p, &mut memory, &Launch::new(1, 64).arg(a).on(machine));
        let sums = [values[..32].iter().sum::<u32>(), values[32..].iter().sum::<u32>()];
        let expected: Vec<u32> = (0..64).map(|i| sums[i / 32]).collect();
        assert_eq!(memory.read::<u32>(a, 64).unwrap(), expected);
    });
}

#[test]
fn histogram_by_atomics() {
    let p = program(
        ".param .u64 a, .param .u64 bins",
        &format!(
            "{INDEX}
            ld.global.u32 %r10, [%rd2];
            and.b32 %r10, %r10, 15;
            ld.param.u64 %rd3, [bins];
            mul.wide.u32 %rd4, %r10, 4;
            add.s64 %rd4, %rd3, %rd4;
            atom.global.add.u32 %r11, [%rd4], 1;
            ret;"
        ),
    );
    both(|machine| {
        let values: Vec<u32> = (0..512u32).map(|i| i.wrapping_mul(2_654_435_761) >> 13).collect();
        let mut memory = Memory::new();
        let (a, bins) = (memory.alloc_from(&values, "a"), memory.alloc(64, "bins"));
        let report = finish(&p, &mut memory, &Launch::new(2, 256).arg(a).arg(bins).on(machine));
        let mut expected = [0u32; 16];
        values.iter().for_each(|value| expected[(value & 15) as usize] += 1);
        assert_eq!(memory.read::<u32>(bins, 16).unwrap(), expected);
        assert_eq!(report.counts.traffic.atomics, 512);
    });
}

#[test]
fn two_dimensional_blocks_and_grids() {
    // Each thread writes x + 100 y of its place in the grid.
    let p = program(
        ".param .u64 a, .param .u32 width",
        "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r1, %r2, %r3;
         mov.u32 %r4, %ctaid.y; mov.u32 %r5, %ntid.y; mov.u32 %r6, %tid.y; mad.lo.u32 %r4, %r4, %r5, %r6;
         ld.param.u32 %r7, [width];
         mad.lo.u32 %r8, %r4, %r7, %r1;
         ld.param.u64 %rd1, [a];
         mul.wide.u32 %rd2, %r8, 4; add.s64 %rd2, %rd1, %rd2;
         mad.lo.u32 %r9, %r4, 100, %r1;
         st.global.u32 [%rd2], %r9;
         ret;",
    );
    both(|machine| {
        let mut memory = Memory::new();
        let a = memory.alloc(4 * 30 * 14, "a");
        let mut launch = Launch::new(0, 0).arg(a).arg(30u32).on(machine);
        (launch.grid, launch.block) = ([3, 2, 1], [10, 7, 1]);
        finish(&p, &mut memory, &launch);
        let expected: Vec<u32> = (0..14).flat_map(|y| (0..30).map(move |x| x + 100 * y)).collect();
        assert_eq!(memory.read::<u32>(a, 30 * 14).unwrap(), expected);
    });
}

#[test]
fn a_whole_special_register_has_all_its_components() {
    // Per thread: x + 10 y + 100 z of the thread, to which the fourth elements, a 0 each, are added, then the same of the block.
    let p = program(
        ".param .u64 a",
        ".reg .v4 .u32 %v;
         mov.v4.u32 {%r1, %r2, %r3, %r4}, %tid; mov.v4.u32 %v, %ctaid;
         mad.lo.u32 %r5, %r3, 10, %r2; mad.lo.u32 %r5, %r5, 10, %r1; add.u32 %r5, %r5, %r4;
         mov.u32 %r9, %v.z; mov.u32 %r10, %v.y; mov.u32 %r11, %v.x; mov.u32 %r12, %v.w;
         mad.lo.u32 %r6, %r9, 10, %r10; mad.lo.u32 %r6, %r6, 10, %r11; add.u32 %r6, %r6, %r12;
         mov.v4.u32 {_, %r7, _, _}, %ntid; mad.lo.u32 %r8, %r3, %r7, %r2;
         mov.v4.u32 {%r7, _, _, _}, %ntid; mad.lo.u32 %r8, %r8, %r7, %r1;
         mov.v4.u32 {%r7, %r13, _, _}, %nctaid; mad.lo.u32 %r14, %r9, %r13, %r10; mad.lo.u32 %r14, %r14, %r7, %r11;
         mad.lo.u32 %r8, %r14, 24, %r8;
         ld.param.u64 %rd1, [a];
         mul.wide.u32 %rd2, %r8, 8; add.s64 %rd2, %rd1, %rd2;
         st.global.v2.u32 [%rd2], {%r5, %r6};
         ret;",
    );
    both(|machine| {
        let mut memory = Memory::new();
        let a = memory.alloc(8 * 24 * 8, "a");
        let mut launch = Launch::new(0, 0).arg(a).on(machine);
        (launch.grid, launch.block) = ([2, 2, 2], [4, 3, 2]);
        finish(&p, &mut memory, &launch);
        let all = |[x, y, z]: [u32; 3]| {
            let places = (0..z).flat_map(move |z| (0..y).map(move |y| (y, z)));
            places.flat_map(move |(y, z)| (0..x).map(move |x| x + 10 * y + 100 * z))
        };
        let expected: Vec<u32> =
            all([2, 2, 2]).flat_map(|block| all([4, 3, 2]).flat_map(move |thread| [thread, block])).collect();
        assert_eq!(memory.read::<u32>(a, 2 * 24 * 8).unwrap(), expected);
    });
}

#[test]
fn arithmetic_of_64_and_128_bits() {
    // (low, high) of a 128-bit sum by the carry flag, and of a 64-bit product.
    let p = program(
        ".param .u64 a",
        "ld.param.u64 %rd1, [a];
         ld.global.v2.u64 {%rd2, %rd3}, [%rd1];
         ld.global.v2.u64 {%rd4, %rd5}, [%rd1+16];
         add.cc.u64 %rd6, %rd2, %rd4;
         addc.u64 %rd7, %rd3, %rd5;
         mul.lo.u64 %rd8, %rd2, %rd4;
         mul.hi.u64 %rd9, %rd2, %rd4;
         st.global.v2.u64 [%rd1+32], {%rd6, %rd7};
         st.global.v2.u64 [%rd1+48], {%rd8, %rd9};
         div.u64 %rd10, %rd5, %rd4;
         rem.s64 %rd11, %rd3, 1000;
         st.global.u64 [%rd1+64], %rd10;
         st.global.u64 [%rd1+72], %rd11;
         ret;",
    );
    let (x, y) = (0xffff_fff0_1234_5678_9abc_def0_1122_3344u128, 0x0123_4567_89ab_cdef_ffff_0000_ffff_0001u128);
    let words = [x as u64, (x >> 64) as u64, y as u64, (y >> 64) as u64];
    let mut memory = Memory::new();
    let a = memory.alloc(80, "a");
    memory.write(a, &words).unwrap();
    finish(&p, &mut memory, &Launch::new(1, 1).arg(a));
    let sum = x.wrapping_add(y);
    let product = u128::from(words[0]) * u128::from(words[2]);
    let rest = (words[1] as i64) % 1000;
    let expected =
        [sum as u64, (sum >> 64) as u64, product as u64, (product >> 64) as u64, words[3] / words[2], rest as u64];
    assert_eq!(memory.read::<u64>(a.offset(32), 6).unwrap(), expected);
}

#[test]
fn vectors_and_narrow_types() {
    // Sums the four bytes of a word as signed and as unsigned numbers, and swaps its halves.
    let p = program(
        ".param .u64 a, .param .u64 out",
        &format!(
            "{INDEX}
            ld.global.v4.s8 {{%r10, %r11, %r12, %r13}}, [%rd2];
            add.s32 %r10, %r10, %r11; add.s32 %r10, %r10, %r12; add.s32 %r10, %r10, %r13;
            ld.global.u8 %rs1, [%rd2]; ld.global.u8 %rs2, [%rd2+1]; ld.global.u8 %rs3, [%rd2+2]; ld.global.u8 %rs4, [%rd2+3];
            add.u16 %rs1, %rs1, %rs2; add.u16 %rs1, %rs1, %rs3; add.u16 %rs1, %rs1, %rs4;
            cvt.u32.u16 %r14, %rs1;
            ld.global.v2.u16 {{%rs5, %rs6}}, [%rd2];
            mov.b32 %r15, {{%rs6, %rs5}};
            mov.u32 %r16, 7;
            ld.param.u64 %rd3, [out];
            mul.wide.u32 %rd4, %r1, 16; add.s64 %rd3, %rd3, %rd4;
            st.global.v4.u32 [%rd3], {{%r10, %r14, %r15, %r16}};
            ret;"
        ),
    );
    let values: Vec<u32> = (0..40u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let mut memory = Memory::new();
    let (a, out) = (memory.alloc_from(&values, "a"), memory.alloc(40 * 16, "out"));
    finish(&p, &mut memory, &Launch::new(1, 40).arg(a).arg(out));
    let expected: Vec<u32> = values
        .iter()
        .flat_map(|value| {
            let bytes = value.to_le_bytes();
            let signed: i32 = bytes.iter().map(|b| i32::from(*b as i8)).sum();
            [signed as u32, bytes.iter().map(|b| u32::from(*b)).sum(), value.rotate_left(16), 7]
        })
        .collect();
    assert_eq!(memory.read::<u32>(out, 160).unwrap(), expected);
}

#[test]
fn generic_addresses_reach_every_space() {
    // A value goes through local and shared memory by generic addresses.
    let p = program(
        ".param .u64 a",
        &format!(
            ".shared .align 8 .b8 box[256];
            .local .align 8 .b8 own[16];
            {INDEX}
            cvta.to.global.u64 %rd3, %rd2;
            ld.global.u32 %r10, [%rd3];
            mov.u64 %rd4, own;
            cvta.local.u64 %rd5, %rd4;
            st.u32 [%rd5+8], %r10;
            ld.local.u32 %r11, [own+8];
            mov.u32 %r12, box;
            cvt.u64.u32 %rd6, %r12;
            cvta.shared.u64 %rd7, %rd6;
            mul.wide.u32 %rd8, %r3, 4;
            add.s64 %rd7, %rd7, %rd8;
            st.u32 [%rd7], %r11;
            cvt.u32.u64 %r13, %rd8;
            add.u32 %r13, %r13, %r12;
            ld.shared.u32 %r14, [%r13];
            isspacep.shared %p1, %rd7;
            isspacep.global %p2, %rd7;
            selp.b32 %r15, 1000, 0, %p1;
            selp.b32 %r16, 5000, 0, %p2;
            add.u32 %r14, %r14, %r15;
            add.u32 %r14, %r14, %r16;
            st.u32 [%rd2], %r14;
            ret;"
        ),
    );
    let mut memory = Memory::new();
    let a = memory.alloc_from(&(0..50).collect::<Vec<u32>>(), "a");
    finish(&p, &mut memory, &Launch::new(1, 50).arg(a));
    assert_eq!(memory.read::<u32>(a, 50).unwrap(), (1000..1050).collect::<Vec<u32>>());
}

#[test]
fn a_table_of_targets() {
    let p = program(
        ".param .u64 a",
        &format!(
            "{INDEX}
            rem.u32 %r10, %r1, 3;
            TABLE: .branchtargets ZERO, ONE, TWO;
            brx.idx %r10, TABLE;
            ZERO: mov.u32 %r11, 100; bra JOIN;
            ONE: mov.u32 %r11, 200; bra JOIN;
            TWO: mov.u32 %r11, 300;
            JOIN: st.global.u32 [%rd2], %r11;
            ret;"
        ),
    );
    both(|machine| {
        let mut memory = Memory::new();
        let a = memory.alloc(4 * 32, "a");
        finish(&p, &mut memory, &Launch::new(1, 32).arg(a).on(machine));
        let expected: Vec<u32> = (0..32).map(|i| 100 * (i % 3 + 1)).collect();
        assert_eq!(memory.read::<u32>(a, 32).unwrap(), expected);
    });
}
