//! The carry flag: what one instruction leaves in it for the next, whichever of them adds and which subtracts.

use emulator::{Launch, Memory};

use crate::support::{finish, program};

/// The words that a body leaves in `%r10` and `%r11`.
fn words(body: &str) -> [u32; 2] {
    let text =
        format!("ld.param.u64 %rd1, [a];\n{body}\nst.global.u32 [%rd1], %r10;\nst.global.u32 [%rd1+4], %r11;\nret;");
    let p = program(".param .u64 a", &text);
    let mut memory = Memory::new();
    let a = memory.alloc(8, "a");
    finish(&p, &mut memory, &Launch::new(1, 1).arg(a));
    let words = memory.read::<u32>(a, 2).unwrap();
    [words[0], words[1]]
}

/// Numbers at which carries come and go.
const EDGES: [u32; 6] = [0, 1, 2, 0x7fff_ffff, 0x8000_0000, u32::MAX];

#[test]
fn an_addition_reads_of_a_subtraction_that_nothing_was_borrowed() {
    for (a, b) in EDGES.iter().flat_map(|a| EDGES.map(|b| (*a, b))) {
        let got = words(&format!("sub.cc.u32 %r10, {a}, {b};\naddc.u32 %r11, 0, 0;"));
        assert_eq!(got, [a.wrapping_sub(b), u32::from(a >= b)], "{a} - {b}");
        let got = words(&format!("add.cc.u32 %r10, {a}, {b};\nsubc.u32 %r11, 7, 0;"));
        assert_eq!(got, [a.wrapping_add(b), 6 + u32::from(a.checked_add(b).is_none())], "{a} + {b}");
    }
}

#[test]
fn the_flag_of_a_difference_goes_on_through_further_words() {
    for (a, b) in EDGES.iter().flat_map(|a| EDGES.map(|b| (*a, b))) {
        let (x, y) = (u64::from(a) << 32 | u64::from(b), u64::from(b) << 32 | u64::from(a));
        let text = format!("sub.cc.u32 %r10, {b}, {a};\nsubc.cc.u32 %r11, {a}, {b};\naddc.u32 %r12, 0, 0;");
        let got = words(&text);
        let difference = x.wrapping_sub(y);
        assert_eq!(got, [difference as u32, (difference >> 32) as u32], "{x} - {y}");
        let flag = words(&format!("{text}\nmov.u32 %r10, %r12;"))[0];
        assert_eq!(flag, u32::from(x >= y), "{x} - {y}");
        let wide = words(&format!(
            "sub.cc.u64 %rd2, {x}, {y};\nsubc.u64 %rd3, 5, 5;\ncvt.u32.u64 %r10, %rd2;\ncvt.u32.u64 %r11, %rd3;"
        ));
        assert_eq!(wide, [difference as u32, if x < y { u32::MAX } else { 0 }], "{x} - {y}");
    }
}
