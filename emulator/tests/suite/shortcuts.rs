//! What the decoder makes cheaper must not show: accesses that share what is known of an address row, and moves of constants that are
//! left out.

use arbitrary::{Result, Unstructured};
use arbtest::{arbitrary, arbtest};
use emulator::{Launch, Memory};

use crate::support::{finish, program};

/// How the lanes of a warp may stand to each other: `%rd10` becomes a thread's distance in bytes, a multiple of the number beside it.
const PATTERNS: [(&str, u32); 6] = [
    ("mul.wide.u32 %rd10, %r1, 4;", 4),
    ("mul.wide.u32 %rd10, %r1, 8;", 8),
    ("mov.u64 %rd10, 64;", 8),
    ("shr.u32 %r2, %r1, 4;\n mul.wide.u32 %rd10, %r2, 128;", 8),
    ("mul.lo.u32 %r2, %r1, 37;\n and.b32 %r2, %r2, 63;\n mul.wide.u32 %rd10, %r2, 16;", 8),
    ("mul.wide.u32 %rd10, %r1, 1;", 1),
];
/// Types, their sizes in bytes, and a register for their values.
const TYPES: [(&str, u32, &str); 4] = [("u8", 1, "%r10"), ("u16", 2, "%r10"), ("u32", 4, "%r10"), ("b64", 8, "%rd9")];

/// Loads and stores of one block of code by three address rows, which change now and then. With `apart`, every access has a row that was
/// just written.
fn accesses(u: &mut Unstructured<'_>) -> Result<[String; 2]> {
    let head = "mov.u32 %r1, %tid.x;\n ld.param.u64 %rd1, [a];\n setp.lt.u32 %p1, %r1, 40;\n mov.u32 %r10, %tid.x;\n \
                mov.u64 %rd9, 7;\n .shared .align 16 .b8 s[8192];\n";
    let mut texts = [head.to_owned(), head.to_owned()];
    let mut add = |line: [String; 2]| texts.iter_mut().zip(line).for_each(|(text, line)| *text += &line);
    let mut aligned = [8; 3];
    for (row, aligned) in aligned.iter_mut().enumerate() {
        let (pattern, multiple) = *u.choose(&PATTERNS)?;
        *aligned = multiple;
        let base = if row == 2 { "mov.u64 %rd13, s;\n".into() } else { format!("mov.u64 %rd1{}, %rd1;\n", row + 1) };
        let line = format!("{pattern}\n {base} add.u64 %rd1{}, %rd1{}, %rd10;\n", row + 1, row + 1);
        add([line.clone(), line]);
    }
    for _ in 0..u.int_in_range(2..=12)? {
        let row = u.int_in_range(1..=3)?;
        let space = if row == 3 { "shared" } else { "global" };
        let guard = if u.ratio(1, 6)? { "@%p1 " } else { "" };
        // Now and then an access is misaligned, which is a fault in both.
        let fitting = TYPES.iter().filter(|(_, size, _)| *size <= aligned[row - 1]).count();
        let (ty, size, register) = if u.ratio(1, 50)? { *u.choose(&TYPES)? } else { *u.choose(&TYPES[..fitting])? };
        let offset = size * u.int_in_range(0..=40)?;
        let access = |address: &str| match register {
            _ if offset % 3 == 0 => format!("{guard}st.{space}.{ty} [{address}+{offset}], {register};\n"),
            "%r10" => format!("{guard}ld.{space}.{ty} %r11, [{address}+{offset}];\n add.u32 %r10, %r10, %r11;\n"),
            _ => format!("{guard}ld.{space}.{ty} %rd8, [{address}+{offset}];\n xor.b64 %rd9, %rd9, %rd8;\n"),
        };
        let name = format!("%rd1{row}");
        add([access(&name), format!("add.u64 %rd20, {name}, 0;\n{}", access("%rd20"))]);
        if u.ratio(1, 5)? {
            let line = format!("{guard}add.u64 {name}, {name}, {};\n", 8 * u.int_in_range(0..=9)?);
            add([line.clone(), line]);
        }
    }
    let tail = "mul.wide.u32 %rd10, %r1, 8;\n add.u64 %rd1, %rd1, %rd10;\n cvt.u64.u32 %rd8, %r10;\n \
                add.u64 %rd9, %rd9, %rd8;\n st.global.u64 [%rd1+16384], %rd9;\n ret;";
    add([tail.into(), tail.into()]);
    Ok(texts)
}

#[test]
fn accesses_by_one_row_are_those_by_rows_of_their_own() {
    let ended = std::cell::Cell::new((0, 0));
    arbtest(|u| {
        let texts = accesses(u)?;
        let threads = *u.choose(&[64, 48, 32, 7])?;
        let results = texts.map(|text| {
            let mut memory = Memory::new();
            let a =
                memory.alloc_from(&(0..4096u32 + 128).map(|i| i.wrapping_mul(2_654_435_761)).collect::<Vec<_>>(), "a");
            let report = emulator::run(&program(".param .u64 a", &text), &mut memory, &Launch::new(2, threads).arg(a));
            let report = report.unwrap_or_else(|error| panic!("{error}\n{text}"));
            let bytes = memory.read::<u8>(a, 4 * (4096 + 128)).unwrap();
            let finished = report.outcome == emulator::Outcome::Finished;
            (finished, finished.then_some((bytes, report.counts.traffic)))
        });
        assert_eq!(results[0].0, results[1].0);
        ended.set((ended.get().0 + u32::from(results[0].0), ended.get().1 + 1));
        assert!(results[0].1 == results[1].1, "{:?}", results.map(|(_, result)| result.map(|(_, traffic)| traffic)));
        Ok(())
    })
    .size_min(64)
    .budget_ms(3000);
    let (finished, all) = ended.get();
    assert!(2 * finished > all, "only {finished} of {all} kernels finished");
}

/// What each of four threads finds in `%r5`, stored at the end.
fn left(body: &str) -> Vec<u32> {
    let text = format!(
        "ld.param.u64 %rd1, [a];\n mov.u32 %r1, %tid.x;\n mul.wide.u32 %rd2, %r1, 4;\n add.u64 %rd1, %rd1, %rd2;\n\
         setp.lt.u32 %p1, %r1, 2;\n {body}\n st.global.u32 [%rd1], %r5;\n ret;"
    );
    let mut memory = Memory::new();
    let a = memory.alloc_from(&[9u32; 4], "a");
    finish(&program(".param .u64 a", &text), &mut memory, &Launch::new(1, 4).arg(a));
    memory.read(a, 4).unwrap()
}

#[test]
fn a_constant_is_not_there_before_its_move() {
    // Threads that jump over the move find what registers begin with.
    assert_eq!(left("@%p1 bra SKIP;\n mov.u32 %r5, 7;\nSKIP:"), [0, 0, 7, 7]);
    // The first time around nobody has moved it yet.
    let turns = "mov.u32 %r6, 0;\nL:\n add.u32 %r5, %r5, %r7;\n mov.u32 %r7, 3;\n add.u32 %r6, %r6, 1;\n \
                 setp.lt.u32 %p2, %r6, 3;\n @%p2 bra L;";
    assert_eq!(left(turns), [6; 4]);
    // A guard keeps it from some, and a second move changes it.
    assert_eq!(left("@%p1 mov.u32 %r5, 7;"), [7, 7, 0, 0]);
    assert_eq!(left("mov.u32 %r5, 7;\n @%p1 bra SKIP;\n mov.u32 %r5, 8;\nSKIP:"), [7, 7, 8, 8]);
    // By way of other registers, behind a branch.
    assert_eq!(left("@%p1 bra SKIP;\n mov.u32 %r8, 7;\n mov.u32 %r9, %r8;\n mov.u32 %r5, %r9;\nSKIP:"), [0, 0, 7, 7]);
    assert_eq!(left("mov.u32 %r8, 7;\n mov.u32 %r9, %r8;\n @%p1 bra SKIP;\nSKIP:\n mov.u32 %r5, %r9;"), [7; 4]);
}

#[test]
fn moves_that_are_left_out_are_counted() {
    let text = "mov.u32 %r5, 7;\n mov.u32 %r6, %r5;\n ret;";
    let report = finish(&program("", text), &mut Memory::new(), &Launch::new(1, 33));
    assert_eq!((report.counts.warp_instructions, report.counts.thread_instructions), (6, 99));
}
