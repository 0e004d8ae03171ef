//! The emulator behind the trait: what goes in, what comes back, and what is said about wrong use.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use device::{Argument, Counts, Device, EmulatorOptions, LaunchConfig, Machine, OutcomeKind, Selection};

/// `scale`, an endless loop, and shared memory.
const SCALE: &str = concat!(
    include_str!("scale.ptx"),
    "
.entry spin()
{
LOOP:
  bra LOOP;
}
.entry shared()
{
  .reg .b32 %r;
  .shared .b32 mine[16];
  ld.shared.u32 %r, [mine];
  ret;
}
"
);

fn emulator(machine: Machine) -> Box<dyn Device> {
    Selection::Emulator(EmulatorOptions { machine, step_budget: 100_000, ..EmulatorOptions::default() }).open().unwrap()
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn a_kernel_runs_and_is_counted() {
    for &machine in Machine::ALL {
        let mut device = emulator(machine);
        let kernel = device.load(SCALE, "scale").unwrap();
        let values: Vec<f32> = (0..40).map(|value| value as f32).collect();
        let input = device.alloc(160, "in").unwrap();
        let output = device.alloc(160, "out").unwrap();
        device.upload(input, 0, &floats(&values)).unwrap();
        let arguments = [output.into(), input.into(), 0.5_f32.into(), 40_u32.into()];
        let report = device.launch(kernel, &LaunchConfig::linear(2, 32), &arguments).unwrap();

        let mut bytes = vec![0; 160];
        device.download(output, 0, &mut bytes).unwrap();
        assert_eq!(bytes, floats(&values.iter().map(|value| value * 0.5).collect::<Vec<_>>()));
        assert_eq!((report.kernel.as_str(), report.machine.as_deref()), ("scale", Some(machine.name())));
        assert_eq!((report.outcome, report.line, report.message), (OutcomeKind::Finished, None, None));
        if machine == Machine::Mimd {
            // Every instruction is a warp instruction of one lane.
            assert_eq!(report.counts.warp_instructions, Some(64 * 11 + 40 * 6));
            continue;
        }
        // Two warps take ten instructions up to the branch and the last one; 40 of their 64 lanes take six in between.
        let Counts { warp_instructions, thread_instructions, active_lanes, issue_cycles, sectors } = report.counts;
        assert_eq!(warp_instructions, Some(2 * 17));
        assert_eq!(active_lanes, Some(64 * 11 + 40 * 6));
        // The branch is guarded: the lanes that do not take it count as predicated off.
        assert_eq!(thread_instructions, Some(64 * 10 + 24 + 40 * 6));
        // 128 bytes and 32 bytes, read and written.
        assert_eq!(sectors, Some(2 * (4 + 1)));
        assert!(issue_cycles.is_some_and(|cycles| cycles > 0.0));
    }
}

#[test]
fn parts_of_buffers_are_read_and_written() {
    let mut device = emulator(Machine::Stack);
    let buffer = device.alloc(8, "b").unwrap();
    device.upload(buffer, 3, &[1, 2, 3]).unwrap();
    let mut bytes = [9; 8];
    device.download(buffer, 0, &mut bytes).unwrap();
    assert_eq!(bytes, [0, 0, 0, 1, 2, 3, 0, 0]);
    device.download(buffer, 8, &mut []).unwrap();
    let error = device.upload(buffer, 6, &[1, 2, 3]).unwrap_err();
    assert_eq!(error.to_string(), "bytes 6 to 9 are not within the 8 bytes of buffer `b`");
    let error = device.download(buffer, u64::MAX, &mut bytes).unwrap_err();
    assert_eq!(
        error.to_string(),
        "bytes 18446744073709551615 to 18446744073709551623 are not within the 8 bytes of buffer `b`"
    );
}

#[test]
fn what_was_freed_is_gone() {
    let mut device = emulator(Machine::Stack);
    let kept = device.alloc(4, "kept").unwrap();
    let freed = device.alloc(0, "freed").unwrap();
    device.free(freed).unwrap();
    let gone = "this buffer is not one of this device's, or it was freed before; allocate it first";
    assert_eq!(device.free(freed).unwrap_err().to_string(), gone);
    assert_eq!(device.upload(freed, 0, &[]).unwrap_err().to_string(), gone);
    let kernel = device.load(SCALE, "scale").unwrap();
    let arguments = [kept.into(), freed.into(), 1_f32.into(), 1_u32.into()];
    assert_eq!(device.launch(kernel, &LaunchConfig::linear(1, 1), &arguments).unwrap_err().to_string(), gone);
    device.upload(kept, 0, &[1, 2, 3, 4]).unwrap();
}

#[test]
fn memory_that_is_not_there_is_refused() {
    let mut device = emulator(Machine::Stack);
    let error = device.alloc(u64::MAX, "huge").unwrap_err();
    assert_eq!(
        error.to_string(),
        "no memory for the 18446744073709551615 bytes of buffer `huge`; use smaller buffers, or free some first"
    );
}

#[test]
fn texts_and_names_that_are_wrong_are_named() {
    let mut device = emulator(Machine::Stack);
    let error = device.load(SCALE, "skale").unwrap_err();
    assert_eq!(error.to_string(), "there is no kernel `skale` in the PTX; it has `scale`, `spin`, `shared`");
    let error = device.load(".version 9.0\n.target sm_90\n.address_size 64\n", "k").unwrap_err();
    assert_eq!(error.to_string(), "there is no kernel `k` in the PTX; it has none at all");
    let error = device.load(".version 9.0\n.target sm_90\n.entry k() { ret }", "k").unwrap_err();
    assert!(error.to_string().starts_with("3:"), "{error}");
    let other = emulator(Machine::Stack).load(SCALE, "spin").unwrap();
    assert!(device.launch(other, &LaunchConfig::linear(1, 1), &[]).is_err());
}

#[test]
fn launches_that_cannot_start_are_refused() {
    let mut device = emulator(Machine::Stack);
    let kernel = device.load(SCALE, "shared").unwrap();
    let config = LaunchConfig::linear(1, 32);
    let shapes = [
        LaunchConfig::linear(0, 32),
        LaunchConfig::linear(1, 0),
        LaunchConfig::linear(1, 1025),
        LaunchConfig { grid: [1, 70_000, 1], ..config },
        LaunchConfig { dynamic_shared: 1 << 30, ..config },
        LaunchConfig { dynamic_shared: u32::MAX, ..config },
        LaunchConfig { dynamic_shared: 49153, ..config },
    ];
    for shape in shapes {
        assert!(device.launch(kernel, &shape, &[]).is_err(), "{shape:?}");
    }
    assert!(device.launch(kernel, &config, &[Argument::from(1_u32)]).is_err());
    assert_eq!(device.launch(kernel, &config, &[]).unwrap().outcome, OutcomeKind::Finished);
}

#[test]
fn what_went_wrong_in_a_kernel_is_a_result() {
    for &machine in Machine::ALL {
        let mut device = emulator(machine);
        let kernel = device.load(SCALE, "spin").unwrap();
        let report = device.launch(kernel, &LaunchConfig::linear(1, 1), &[]).unwrap();
        assert!(matches!(report.outcome, OutcomeKind::Livelock | OutcomeKind::Budget), "{report:?}");
        assert!(report.message.is_some());

        let kernel = device.load(SCALE, "scale").unwrap();
        let short = device.alloc(4, "short").unwrap();
        let arguments = [short.into(), short.into(), 1_f32.into(), 2_u32.into()];
        let report = device.launch(kernel, &LaunchConfig::linear(1, 2), &arguments).unwrap();
        assert_eq!(report.outcome, OutcomeKind::Fault);
        let message = report.message.unwrap();
        assert!(message.contains("`buffer short`"), "{message}");
    }
}

#[test]
fn a_buffer_does_not_stand_in_for_a_variable_of_its_name() {
    let text = "
.version 9.0
.target sm_90
.address_size 64
.global .b32 answer = 42;
.entry k(.param .u64 out)
{
  .reg .b32 %r;
  .reg .b64 %o;
  ld.param.u64 %o, [out];
  ld.global.u32 %r, [answer];
  st.global.u32 [%o], %r;
  ret;
}
";
    let mut device = emulator(Machine::Stack);
    let out = device.alloc(4, "answer").unwrap();
    let kernel = device.load(text, "k").unwrap();
    device.launch(kernel, &LaunchConfig::linear(1, 1), &[out.into()]).unwrap();
    let mut bytes = [0; 4];
    device.download(out, 0, &mut bytes).unwrap();
    assert_eq!(u32::from_le_bytes(bytes), 42);
}

#[test]
fn buffers_and_module_variables_share_the_memory() {
    let limited = || {
        let options = EmulatorOptions { memory_bytes: Some(1000), ..EmulatorOptions::default() };
        Selection::Emulator(options).open().unwrap()
    };
    let using = |bytes: u32| {
        format!(
            ".version 9.0\n.target sm_90\n.address_size 64\n.global .b8 table[{bytes}];\n.global .b8 unused[4000000000];\n\
             .entry k() {{ .reg .b64 %rd; mov.u64 %rd, table; ret; }}\n"
        )
    };
    let error = limited().load(&using(1001), "k").unwrap_err().to_string();
    let expected =
        "the module variables of the kernel take 1001 bytes, `table` 1001 of them, but 1000 bytes of memory are left";
    assert_eq!(error, expected);

    let mut device = limited();
    let kernel = device.load(&using(600), "k").unwrap();
    device.load(&using(600), "k").unwrap();
    assert!(device.alloc(401, "large").is_err());
    let buffer = device.alloc(400, "rest").unwrap();
    assert!(device.alloc(1, "more").is_err());
    device.free(buffer).unwrap();
    device.alloc(400, "again").unwrap();
    assert_eq!(device.launch(kernel, &LaunchConfig::linear(1, 32), &[]).unwrap().outcome, OutcomeKind::Finished);
}

#[test]
fn a_structure_holds_addresses_of_buffers() {
    let text = ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .align 8 .b8 s[16]) {\n\
        .reg .b64 %rd; .reg .b32 %r; ld.param.u32 %r, [s+4]; ld.param.u64 %rd, [s+8]; st.global.u32 [%rd], %r; ret; }\n";
    let mut device = emulator(Machine::Stack);
    let kernel = device.load(text, "k").unwrap();
    let out = device.alloc(4, "out").unwrap();
    let bytes = vec![0, 0, 0, 0, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0];
    let arguments = [Argument::Bytes { bytes, addresses: vec![(8, out)] }];
    let report = device.launch(kernel, &LaunchConfig::linear(1, 1), &arguments).unwrap();
    assert_eq!(report.outcome, OutcomeKind::Finished);
    let mut read = [0; 4];
    device.download(out, 0, &mut read).unwrap();
    assert_eq!(read, [5, 6, 7, 8]);
}
