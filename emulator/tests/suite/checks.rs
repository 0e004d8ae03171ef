//! The checks of memory: what they find, what they name, and what they leave alone.

use emulator::{Arg, Checks, FaultKind, Launch, Machine, Memory, MemorySpace, Outcome, Report, run};

use crate::support::{INDEX, program};

const RACES: Checks = Checks { races: true, uninitialised: false, undefined: false };
const UNINITIALISED: Checks = Checks { races: false, uninitialised: true, undefined: false };

/// Runs a body with one buffer `a` of 1024 words and one `flag` of 4.
fn checked(body: &str, blocks: u32, threads: u32, machine: Machine, checks: Checks) -> Report {
    let program = program(".param .u64 a, .param .u64 flag", body);
    let mut memory = Memory::new();
    let a = memory.alloc_from(&[0u32; 1024], "a");
    let flag = memory.alloc_from(&[0u32; 4], "flag");
    let launch = Launch { checks, ..Launch::new(blocks, threads).arg(a).arg(flag).on(machine) };
    let report = run(&program, &mut memory, &launch).unwrap();
    assert_eq!(report.outcome, Outcome::Finished, "{}", report.outcome);
    report
}

fn races(body: &str, blocks: u32, threads: u32) -> Vec<emulator::Race> {
    let found = checked(body, blocks, threads, Machine::Its, RACES).findings;
    assert_eq!(found.uninitialised, None, "a check that was not asked for is not made");
    found.races.unwrap()
}

/// Each thread writes its word of shared memory and reads that of the next one.
fn neighbours(between: &str) -> String {
    format!(
        ".shared .b32 s[64];\n mov.u32 %r1, %tid.x;\n shl.b32 %r2, %r1, 2;\n mov.u32 %r3, s;\n add.s32 %r3, %r3, %r2;\n\
         st.shared.u32 [%r3], %r1;\n{between}\n add.s32 %r4, %r1, 1;\n and.b32 %r4, %r4, 63;\n shl.b32 %r4, %r4, 2;\n\
         mov.u32 %r5, s;\n add.s32 %r5, %r5, %r4;\n ld.shared.u32 %r6, [%r5];\n ret;"
    )
}

#[test]
fn a_missing_barrier_is_a_race_and_names_both_threads() {
    assert_eq!(races(&neighbours("bar.sync 0;"), 2, 64), []);
    let found = races(&neighbours(""), 2, 64);
    assert_eq!(found.len(), 1, "{found:?}");
    let race = &found[0];
    assert_eq!((race.spot.space, race.first.writes != race.second.writes), (MemorySpace::Shared, true));
    let text = race.to_string();
    assert!(text.contains("writes at PTX line 16 (`st.shared.u32`)"), "{text}");
    assert!(text.contains("reads at PTX line 23 (`ld.shared.u32`)"), "{text}");
    assert_ne!(race.first.thread, race.second.thread);
}

#[test]
fn a_warp_needs_its_own_barrier_only() {
    let exchange = |between: &str| neighbours(between).replace("63", "31");
    assert_eq!(races(&exchange("bar.warp.sync -1;"), 1, 32), []);
    // A vote brings lanes together, but says nothing about memory.
    assert_eq!(races(&exchange("vote.sync.ballot.b32 %r9, 1, -1;"), 1, 32).len(), 1);
}

#[test]
fn blocks_are_ordered_by_fence_and_flag() {
    // Block 0 fills its words, and thread 0 raises a flag; block 1 waits for it and reads them.
    let hand_over = |fence: &str| {
        format!(
            "ld.param.u64 %rd1, [a];\n ld.param.u64 %rd2, [flag];\n mov.u32 %r1, %tid.x;\n mul.wide.u32 %rd3, %r1, 4;\n\
             add.s64 %rd3, %rd1, %rd3;\n mov.u32 %r2, %ctaid.x;\n setp.ne.u32 %p1, %r2, 0;\n setp.ne.u32 %p2, %r1, 0;\n\
             @%p1 bra READ;\n st.global.u32 [%rd3], %r1;\n bar.sync 0;\n @%p2 bra DONE;\n {fence}\n\
             atom.global.exch.b32 %r3, [%rd2], 1;\n bra DONE;\nREAD:\n @%p2 bra GO;\nWAIT:\n ld.volatile.global.u32 %r4, [%rd2];\n\
             setp.eq.u32 %p3, %r4, 0;\n @%p3 bra WAIT;\n {fence}\nGO:\n bar.sync 0;\n ld.global.u32 %r5, [%rd3];\nDONE:\n ret;"
        )
    };
    for fence in ["membar.gl;", "fence.acq_rel.gpu;"] {
        assert_eq!(races(&hand_over(fence), 2, 64), [], "{fence}");
    }
    let found = races(&hand_over(""), 2, 64);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].spot.allocation, Some(("a".into(), 0, 4096)));
    assert_eq!((found[0].first.block, found[0].second.block), ([0, 0, 0], [1, 0, 0]));
}

#[test]
fn a_lock_is_no_race_and_one_without_a_fence_is() {
    let lock = |fence: &str| {
        format!(
            "ld.param.u64 %rd1, [a];\n ld.param.u64 %rd2, [flag];\nSPIN:\n atom.global.cas.b32 %r1, [%rd2], 0, 1;\n\
             setp.ne.u32 %p1, %r1, 0;\n @%p1 bra SPIN;\n ld.global.u32 %r2, [%rd1];\n add.u32 %r2, %r2, 1;\n\
             st.global.u32 [%rd1], %r2;\n {fence}\n atom.global.exch.b32 %r3, [%rd2], 0;\n ret;"
        )
    };
    assert_eq!(races(&lock("membar.gl;"), 3, 48), []);
    let released = lock("").replace("atom.global.exch", "atom.release.gpu.global.exch");
    assert_eq!(races(&released, 3, 48), []);
    assert!(!races(&lock(""), 3, 48).is_empty());
}

#[test]
fn atomics_do_not_race_with_each_other_but_with_plain_accesses() {
    let update = "ld.param.u64 %rd1, [a];\n red.global.add.u32 [%rd1], 1;\n";
    assert_eq!(races(&format!("{update} ret;"), 4, 64), []);
    let mixed = races(&format!("{update} mov.u32 %r1, %tid.x;\n st.global.u32 [%rd1+4], 3;\n ret;"), 1, 1);
    assert_eq!(mixed, []);
    let plain = races(&format!("{update} ld.global.u32 %r2, [%rd1];\n ret;"), 2, 32);
    assert!(plain.iter().any(|race| race.first.opcode != race.second.opcode), "{plain:?}");
}

#[test]
fn bytes_of_one_word_are_apart() {
    let body = "ld.param.u64 %rd1, [a];\n mov.u32 %r1, %tid.x;\n cvt.u64.u32 %rd2, %r1;\n add.s64 %rd1, %rd1, %rd2;\n\
                st.global.u8 [%rd1], %r1;\n ret;";
    assert_eq!(races(body, 1, 64), []);
    let overlapping = body.replace("st.global.u8 [%rd1], %r1;", "and.b64 %rd1, %rd1, -2;\n st.global.u8 [%rd1], %r1;");
    assert_eq!(races(&overlapping, 1, 64).len(), 1);
}

#[test]
fn reads_of_memory_that_nobody_wrote_are_named() {
    let copy = program(
        ".param .u64 a, .param .u64 b",
        &format!("{INDEX} ld.global.u32 %r4, [%rd2];\n ld.param.u64 %rd3, [b];\n st.global.u32 [%rd3], %r4;\n ret;"),
    );
    let mut memory = Memory::new();
    let (source, result) = (memory.alloc(400, "source"), memory.alloc(4, "result"));
    memory.write(source, &[1u32; 90]).unwrap();
    let launch = Launch { checks: UNINITIALISED, ..Launch::new(1, 96).arg(source).arg(result) };
    let found = run(&copy, &mut memory, &launch).unwrap().findings;
    assert_eq!(found.races, None);
    let found = found.uninitialised.unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].count, found[0].bytes, found[0].reader.thread), (6, 4, [90, 0, 0]));
    assert_eq!(found[0].spot.allocation, Some(("source".into(), 360, 400)));

    // What the kernel wrote is known to the next launch; what was never written still is not.
    let again = Launch { args: vec![Arg::from(result), Arg::from(source)], ..launch.clone() };
    let one = Launch { block: [1, 1, 1], ..again };
    assert!(run(&copy, &mut memory, &one).unwrap().findings.is_empty());
    memory.write(source, &[1u32; 100]).unwrap();
    assert!(run(&copy, &mut memory, &launch).unwrap().findings.is_empty());

    // Zeros that the host asked for are as good as any; and a launch that nobody checked may have written everything.
    let mut memory = Memory::new();
    let (zeros, result) = (memory.alloc(400, "zeros"), memory.alloc(4, "result"));
    memory.initialise(zeros).unwrap();
    let launch = Launch { args: vec![Arg::from(zeros), Arg::from(result)], ..launch };
    assert!(run(&copy, &mut memory, &launch).unwrap().findings.is_empty());
}

#[test]
fn shared_and_local_memory_begin_unwritten_in_every_block() {
    let body = ".shared .b32 s[4];\n .local .b32 l[2];\n mov.u32 %r1, 7;\n mov.u32 %r3, %ctaid.x;\n setp.ne.u32 %p1, %r3, 0;\n\
                @!%p1 st.shared.u32 [s], %r1;\n @!%p1 st.local.u32 [l], %r1;\n ld.shared.u32 %r2, [s];\n ld.local.u32 %r2, [l];\n ret;";
    let found = |blocks| checked(body, blocks, 1, Machine::Stack, UNINITIALISED).findings.uninitialised.unwrap();
    assert_eq!(found(1), []);
    let second = found(2);
    assert_eq!(second.len(), 2);
    assert!(second.iter().all(|read| read.reader.block == [1, 0, 0] && read.count == 1));
    assert_eq!([second[0].spot.space, second[1].spot.space], [MemorySpace::Shared, MemorySpace::Local]);
    assert_eq!(
        second[0].to_string(),
        "PTX line 18: read of uninitialised memory, 4 bytes at byte 0 of `s` (16 bytes in shared memory) by block (1,0,0) thread (0,0,0), `ld.shared.u32`"
    );
}

#[test]
fn module_variables_and_parameters_adopt_counts_written() {
    let text = ".version 9.0\n.target sm_90\n.address_size 64\n.global .u32 g;\n.const .u32 c = 1;\n.visible .entry k(.param .u64 a) {\n\
                .reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n ld.global.u32 %r1, [g];\n ld.const.u32 %r2, [c];\n ld.param.u64 %rd1, [a];\n\
                mov.b64 %rd2, g;\n cvta.global.u64 %rd2, %rd2;\n ld.u32 %r3, [%rd2];\n ret;\n}";
    let program = emulator::Program::decode(&ptx_parser::Module::parse(text).unwrap(), "k").unwrap();
    let launch = Launch {
        checks: Checks { races: true, uninitialised: true, undefined: false },
        ..Launch::new(2, 64).arg(0u64)
    };
    let found = run(&program, &mut Memory::new(), &launch).unwrap().findings;
    assert!(found.is_empty() && found.races.is_some() && found.uninitialised.is_some(), "{found:?}");
}

#[test]
fn calls_pass_their_parameters_without_an_alarm() {
    // A function that calls itself, so that it has frames; a structure is passed, and its address is taken.
    let text = "
.version 9.0
.target sm_90
.address_size 64
.func (.param .b32 r) sum(.param .align 8 .b8 both[8]) {
  .reg .b32 %r<6>;
  .reg .b64 %rd<3>;
  .reg .pred %p<2>;
  mov.b64 %rd1, both;
  ld.local.u32 %r1, [%rd1];
  ld.param.u32 %r2, [both+4];
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra DONE;
  {
    .param .align 8 .b8 rest[8];
    .param .b32 got;
    sub.u32 %r3, %r1, 1;
    st.param.b32 [rest], %r3;
    st.param.b32 [rest+4], %r2;
    call (got), sum, (rest);
    ld.param.u32 %r4, [got];
  }
  add.u32 %r2, %r2, %r4;
DONE:
  st.param.b32 [r], %r2;
  ret;
}
.visible .entry k(.param .u64 a) {
  .reg .b32 %r<6>;
  .reg .b64 %rd<3>;
  mov.u32 %r1, %tid.x;
  .param .align 8 .b8 both[8];
  .param .b32 got;
  st.param.v2.b32 [both], {%r1, 3};
  call (got), sum, (both);
  ld.param.u32 %r2, [got];
  ld.param.u64 %rd1, [a];
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd1, %rd1, %rd2;
  st.global.u32 [%rd1], %r2;
  ret;
}";
    let program = emulator::Program::decode(&ptx_parser::Module::parse(text).unwrap(), "k").unwrap();
    let mut memory = Memory::new();
    let a = memory.alloc(32, "a");
    let launch =
        Launch { checks: Checks { races: true, uninitialised: true, undefined: false }, ..Launch::new(1, 8).arg(a) };
    let report = run(&program, &mut memory, &launch).unwrap();
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    assert_eq!(memory.read::<u32>(a, 8).unwrap(), [3, 6, 9, 12, 15, 18, 21, 24]);
}

#[test]
fn a_wrong_access_names_the_allocation_that_it_missed() {
    let load = program(".param .u64 a", "ld.param.u64 %rd1, [a];\n ld.global.u32 %r1, [%rd1];\n ret;");
    let mut memory = Memory::new();
    let a = memory.alloc_from(&[0u32; 4], "a");
    let fault = |memory: &mut Memory, address: u64| match run(&load, memory, &Launch::new(1, 1).arg(address)) {
        Ok(Report { outcome: Outcome::Fault(fault), .. }) => fault,
        other => panic!("{other:?}"),
    };
    let beyond = fault(&mut memory, a.address() + 20);
    assert_eq!((beyond.kind, beyond.freed), (FaultKind::OutOfBounds, false));
    assert!(beyond.to_string().ends_with(&format!(
        "that is 4 bytes behind the end of the nearest allocation, `a`, 16 bytes at 0x{:x}",
        a.address()
    )));
    memory.free(a).unwrap();
    let late = fault(&mut memory, a.address() + 8);
    assert!(
        late.freed && late.to_string().ends_with("that is byte 8 of `a` (16 bytes), which was freed before"),
        "{late}"
    );
}

/// How a launch of one thread, with 32 bytes of dynamic shared memory, ends.
fn ends(declarations: &str, body: &str) -> String {
    let text = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n{declarations}\n.visible .entry k() {{\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n\
         {body}\nret;\n}}"
    );
    let program = emulator::Program::decode(&ptx_parser::Module::parse(&text).unwrap(), "k").unwrap();
    let launch = Launch { shared_bytes: 32, ..Launch::new(1, 1) };
    run(&program, &mut Memory::new(), &launch).unwrap().outcome.to_string()
}

#[test]
fn a_wrong_access_to_shared_memory_names_the_nearest_variable() {
    let variables = ".shared .b32 first[4];\n.shared .align 8 .b32 tile[16];";
    let all = "; the block has 112 bytes of shared memory";
    let place = |text: &str, place: &str| {
        assert!(text.ends_with(&format!("; that is {place}{all}")), "{text}");
    };
    // By its own addresses and by generic ones.
    for (address, load) in [("", "ld.shared.u32"), ("cvta.shared.u64 %rd1, %rd1;", "ld.u32")] {
        let behind = format!("ld.shared.u32 %r1, [first];\n mov.u64 %rd1, tile;\n {address}\n {load} %r1, [%rd1+100];");
        place(&ends(variables, &behind), "36 bytes behind the end of `tile`, 64 bytes from byte 16 on");
        let between = format!("ld.shared.u32 %r1, [first];\n mov.u64 %rd1, tile;\n {address}\n {load} %r1, [%rd1+6];");
        place(&ends(variables, &between), "at byte 6 of `tile`, 64 bytes from byte 16 on");
    }
    // The last address there is.
    let last = "ld.shared.u32 %r1, [first];\n mov.u64 %rd2, tile;\n mov.u64 %rd1, -1;\n ld.shared.u8 %r1, [%rd1];";
    place(&ends(variables, last), "18446744073709551535 bytes behind the end of `tile`, 64 bytes from byte 16 on");
    // What the launch adds belongs to the array without a size.
    let dynamic = format!("{variables}\n.extern .shared .align 16 .b8 more[];");
    let behind = "mov.u64 %rd1, more;\n ld.shared.u32 %r1, [%rd1+32];";
    place(&ends(&dynamic, behind), "0 bytes behind the end of `more`, 32 bytes from byte 80 on");
    // Where there is no variable, the size is all that can be said.
    let none = ends("", "ld.shared.u32 %r1, [4096];");
    assert!(none.ends_with("`ld.shared.u32`; the block has 32 bytes of shared memory"), "{none}");
    // Copies name it too.
    let copy = "ld.shared.u32 %r1, [first];\n mov.u64 %rd1, tile;\n mov.u64 %rd2, g;\n cp.async.ca.shared.global [%rd1+96], [%rd2], 4;";
    let text = ends(&format!("{variables}\n.global .b32 g[4];"), copy);
    place(&text, "32 bytes behind the end of `tile`, 64 bytes from byte 16 on");
}

#[test]
fn checks_change_no_count() {
    for &machine in Machine::ALL {
        let plain = checked(&neighbours("bar.sync 0;"), 4, 64, machine, Checks::default());
        let both = checked(
            &neighbours("bar.sync 0;"),
            4,
            64,
            machine,
            Checks { races: true, uninitialised: true, undefined: false },
        );
        assert_eq!((plain.counts, plain.lines), (both.counts, both.lines));
        assert_eq!(plain.findings, emulator::Findings::default());
    }
}
