//! A launch watched while it runs: its trace, an interruption, the time model, and counts per block of code and class.

use std::io::Write;
use std::sync::{Arc, Mutex};

use emulator::{Bound, Chip, Launch, Machine, Memory, Monitor, Occupancy, Outcome, Program, Trace, class_name, run};

use crate::support::{INDEX, finish, module, program};

/// A writer whose text can be looked at afterwards.
#[derive(Clone, Default)]
struct Text(Arc<Mutex<Vec<u8>>>);

impl Write for Text {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Lanes below 2 double a number, and all meet again.
const BRANCH: &str = "mov.u32 %r1, %tid.x;\n mov.f32 %f1, 0f3FC00000;\n setp.lt.u32 %p1, %r1, 2;\n @!%p1 bra END;\n\
                      add.f32 %f1, %f1, %f1;\nEND:\n @%p1 add.u32 %r1, %r1, 5;\n bar.sync 0;\n ret;";

fn trace(program: &Program, machine: Machine) -> String {
    let text = Text::default();
    let launch = Launch { trace: Some(Trace::new(text.clone())), ..Launch::new(1, 4).on(machine) };
    finish(program, &mut Memory::new(), &launch);
    let bytes = text.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_trace_has_a_line_per_warp_instruction() {
    let lines = "\
block 0 warp 0 0000000f 11:mov.u32
block 0 warp 0 0000000f 12:mov.f32
block 0 warp 0 0000000f 13:setp.lt.u32
block 0 warp 0 0000000f 14:bra
block 0 warp 0 00000003 15:add.f32
block 0 warp 0 00000003 17:add.u32
block 0 warp 0 0000000f 18:bar.sync
block 0 warp 0 0000000f 19:ret
";
    assert_eq!(trace(&program("", BRANCH), Machine::Stack), lines);
}

#[test]
fn a_trace_with_values_shows_the_first_lane() {
    let program = Program::decode_with_names(&module("", BRANCH), "k").unwrap();
    let text = trace(&program, Machine::Stack);
    for line in [
        "13:setp.lt.u32  %r1=0 -> %p1=1",
        "14:bra  %p1=1",
        "15:add.f32  %f1=1.5 -> %f1=3",
        "17:add.u32  %p1=1 %r1=0 -> %r1=5",
    ] {
        assert!(text.lines().any(|found| found.ends_with(line)), "no `{line}` in\n{text}");
    }
}

#[test]
fn every_counted_instruction_is_in_the_trace() {
    let body = "mov.u32 %r1, %tid.x;\n setp.lt.u32 %p1, %r1, 2;\n mov.u32 %r2, 0;\nL:\n add.u32 %r2, %r2, 1;\n setp.lt.u32 %p2, %r2, %r1;\n\
                @%p2 bra L;\n bar.warp.sync -1;\n shfl.sync.idx.b32 %r3, %r2, 0, 31, -1;\n bar.arrive 1, 64;\n setp.ge.s32 %p3, %r1, 0;\n @%p3 bar.sync 2;\n @%p1 exit;\n bar.sync 0;\n ret;";
    for &machine in Machine::ALL {
        let text = Text::default();
        let launch = Launch { trace: Some(Trace::new(text.clone())), ..Launch::new(3, 32).on(machine) };
        let report = finish(&program("", body), &mut Memory::new(), &launch);
        let lines = String::from_utf8(text.0.lock().unwrap().clone()).unwrap();
        assert_eq!(lines.lines().count() as u64, report.counts.warp_instructions, "{machine:?}\n{lines}");
    }
}

#[test]
fn an_interrupted_launch_reports_what_ran() {
    let endless = program("", "L:\n add.u32 %r1, %r1, 1;\n bra L;");
    let monitor = Arc::new(Monitor::default());
    monitor.interrupt();
    let launch = Launch { monitor: Some(monitor.clone()), ..Launch::new(4, 32) };
    let report = run(&endless, &mut Memory::new(), &launch).unwrap();
    let Outcome::Interrupted { running } = &report.outcome else { panic!("{:?}", report.outcome) };
    assert_eq!(running[0].site.ptx_line, 12);
    assert!(report.counts.warp_instructions > 0);
    assert_eq!((monitor.ended_blocks(), monitor.steps() > 0), (0, true));
    let monitor = Arc::new(Monitor::default());
    let launch = Launch { monitor: Some(monitor.clone()), ..Launch::new(4, 32) };
    finish(&program("", "ret;"), &mut Memory::new(), &launch);
    assert_eq!((monitor.ended_blocks(), monitor.is_interrupted()), (4, false));
}

#[test]
fn counts_per_block_of_code_and_class_add_up() {
    let body = format!(
        "{INDEX} ld.global.u32 %r4, [%rd2];\n setp.lt.u32 %p1, %r3, 8;\n @%p1 bra SKIP;\n div.u32 %r4, %r4, 3;\nSKIP:\n\
         st.global.u32 [%rd2], %r4;\n bar.sync 0;\n ret;"
    );
    let mut memory = Memory::new();
    let a = memory.alloc_from(&[9u32; 128], "a");
    let report = finish(&program(".param .u64 a", &body), &mut memory, &Launch::new(2, 64).arg(a));
    let counts = &report.counts;
    assert_eq!((counts.barriers, counts.divergent_branches), (4, 2));
    assert_eq!(report.blocks.iter().map(|block| block.counts.warp_instructions).sum::<u64>(), counts.warp_instructions);
    assert_eq!(report.classes.iter().map(|class| class.issue_sixteenths).sum::<u64>(), counts.issue_sixteenths);
    // 32 lanes over 8 results a cycle, by 4 warps.
    assert_eq!((class_name(report.classes[0].class), report.classes[0].issue_sixteenths), ("division", 4 * 4 * 16));
    let lines: Vec<(u32, u32, u64)> =
        report.blocks.iter().map(|block| (block.first.ptx_line, block.last.ptx_line, block.executions)).collect();
    assert_eq!(lines, [(12, 21, 4), (22, 22, 4), (24, 24, 4), (25, 25, 4), (26, 26, 4)]);
}

#[test]
fn coalescing_compares_with_the_fewest_sectors() {
    let strided = |stride: u32| {
        let body = format!(
            "{INDEX} mul.wide.u32 %rd3, %r1, {stride};\n add.s64 %rd3, %rd1, %rd3;\n ld.global.u32 %r4, [%rd3];\n ret;"
        );
        let mut memory = Memory::new();
        let a = memory.alloc_from(&[0u32; 1024], "a");
        finish(&program(".param .u64 a", &body), &mut memory, &Launch::new(1, 32).arg(a)).counts
    };
    for (stride, sectors, ideal) in [(4, 4, 4), (8, 8, 4), (32, 32, 4), (0, 1, 1)] {
        let counts = strided(stride);
        assert_eq!((counts.traffic.sectors, counts.ideal_sectors), (sectors, ideal), "stride {stride}");
        assert_eq!(counts.coalescing(), Some(ideal as f64 / sectors as f64));
        assert_eq!(counts.sectors_per_request(), Some(sectors as f64));
    }
}

#[test]
fn the_model_says_what_bounds_a_launch() {
    let model = |body: &str, blocks: u32, occupancy: Occupancy| {
        let mut memory = Memory::new();
        let a = memory.alloc_from(&vec![0u32; 128 * 1024], "a");
        let launch = Launch { resident: occupancy, ..Launch::new(blocks, 128).arg(a) };
        finish(&program(".param .u64 a", body), &mut memory, &launch).model
    };
    let full = Occupancy::Chip { registers: None };
    let stream = format!("{INDEX} ld.global.u32 %r4, [%rd2];\n st.global.u32 [%rd2], %r4;\n ret;");
    let alone = model(&stream, 1, full);
    assert_eq!(alone.bound(), Bound::Latency);
    assert!(alone.cycles() >= 1000.0, "a load and a store, one after the other: {alone:?}");
    // Twice the blocks on one multiprocessor are issued one after the other, and wait together or not.
    let together = model(&stream, 1024, full);
    let apart = model(&stream, 1024, Occupancy::Blocks(1));
    assert!(apart.latency > 500.0 * together.latency, "{apart:?} {together:?}");
    assert_eq!(together.memory, 32.0 * (2 * 16 * 1024) as f64 / f64::from(Chip::SM90.memory_bytes_per_cycle));
    let compute = format!("{INDEX} {} ret;", "div.u32 %r4, %r1, 3;\n".repeat(50));
    assert_eq!(model(&compute, 1024, full).bound(), Bound::Issue);
}

#[test]
fn every_chip_is_found_by_its_name() {
    for chip in Chip::ALL {
        assert_eq!(Chip::from_name(chip.name).as_ref(), Some(chip));
        let (major, minor) = chip.capability;
        assert_eq!(chip.name, format!("sm_{major}{minor}"));
        assert!(chip.resident_blocks(128, 0, None) >= chip.multiprocessors && chip.memory_bytes_per_cycle > 0);
    }
    assert_eq!(Chip::from_name("sm_120a"), Some(Chip::SM120));
    assert_eq!(Chip::from_name("sm_70"), None);
}
