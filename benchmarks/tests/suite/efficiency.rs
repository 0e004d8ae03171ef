//! What the emulator counts beside what a GPU does, with the emulator in the place of the GPU as well: then both are the same.
use benchmarks::efficiency::{compare, emulate, options};
use benchmarks::gpu::{GpuReport, GpuSummary, Kernels, LeftOut, Options, agreement};
use benchmarks::{ccc, ssde};
use toolkit::{Search, StderrProgress, Toolkit};

fn emulated() -> GpuReport {
    let toolkit = Toolkit::locate_or_install(&Search::default(), &mut StderrProgress::default()).unwrap();
    let gpu = GpuSummary {
        name: "GPU".into(),
        compute_capability: (9, 0),
        multiprocessors: 132,
        l2_bytes: 0,
        memory_bytes: 0,
        clock_hz: 0,
        driver_version: (13, 0),
    };
    let all = options("sm_90", Some(40_000));
    assert_eq!((all.ccc.len(), all.ssde.len()), (8, 15));
    let some = Options { ccc: vec![ccc::Program::Iefa], ssde: vec![ssde::Program::TlFine], ..all };
    let kernels = Kernels::build(&some.units(), some.block, &some.arch, &toolkit).unwrap();
    emulate(&some, &gpu, &kernels)
}

#[test]
fn the_same_counts_do_not_differ_and_others_do_by_as_much() {
    let report = emulated();
    // Threads have many tasks each, so that there is something to collect: the warps of the rewritten kernel are fuller.
    assert_eq!(report.programs[0].grid, 2);
    let (rows, left_out) = compare(&report, &report);
    let names: Vec<(&str, &str)> = rows.iter().map(|row| (&*row.program, &*row.variant)).collect();
    assert_eq!(names, [("iefa", "original"), ("iefa", "ccc"), ("tl-fg", "S"), ("tl-fg", "M+SSDE")]);
    assert_eq!(left_out, []);
    assert!(rows.iter().all(|row| row.difference() == 0.0), "{rows:?}");
    assert!(rows[1].emulator.warp_execution_efficiency > rows[0].emulator.warp_execution_efficiency + 0.1, "{rows:?}");

    let mut gpu = report.clone();
    let counted = gpu.programs[0].variants[0].counted.as_mut().unwrap();
    counted.warp_execution_efficiency -= 0.125;
    gpu.programs[0].variants[1].counted = None;
    gpu.programs[1].variants[0].difference = Some("value 3 is 1".into());
    let mut emulator = report;
    emulator.programs[1].variants.pop();
    let (rows, left_out) = compare(&gpu, &emulator);
    assert_eq!(rows.len(), 1);
    assert!((rows[0].difference() - 0.125).abs() < 1e-12);
    assert!(
        agreement(&rows)
            .to_text(None)
            .contains("12.5 points from the GPU's on the average, and 12.5 at most (iefa, original)")
    );
    let left = |suite: &str, program: &str, reason: &str| LeftOut {
        suite: suite.into(),
        program: program.into(),
        reason: reason.into(),
    };
    let expected = [
        left("ccc", "iefa (ccc)", "it was not counted on both"),
        left("ssde", "tl-fg (S)", "on the GPU: value 3 is 1"),
        left("ssde", "tl-fg (M+SSDE)", "it was not counted on both"),
    ];
    assert_eq!(left_out, expected);
}
