//! Tests on an emulator that is given a clock: results are really computed and checked, only the times are made up.

use std::cell::RefCell;
use std::rc::Rc;

use device::{Argument, Buffer, Device, Emulated, EmulatorOptions, KernelHandle, LaunchConfig, OutcomeKind, RunReport};
use toolkit::Activity;

use super::counts::{Counted, EfficiencyRow};
use super::options::Rounds;
use super::report::{GpuReport, GpuSummary, LeftOut, ProgramTimes, SUITE, SyntheticTimes, Taken, VariantTimes};
use super::rounds::{Timed, time};
use super::statistics::Summary;
use crate::hangs::{HangRow, Target};
use crate::single_launch::{Once, Value, from_u32, to_u32};
use crate::variant::Variant;
use crate::workload::Verdict;

/// The requests that the device received.
#[derive(Default)]
struct Log {
    launched: Vec<String>,
    allocated: Vec<Buffer>,
}

/// An emulator whose n-th launch of a kernel takes as long as the kernel's name says, in the n-th round.
struct Clocked {
    emulator: Emulated,
    seconds: fn(&str, usize) -> Option<f64>,
    log: Rc<RefCell<Log>>,
}

impl Clocked {
    fn new(seconds: fn(&str, usize) -> Option<f64>, log: &Rc<RefCell<Log>>) -> Clocked {
        let options = EmulatorOptions { step_budget: 10_000, ..EmulatorOptions::default() };
        Clocked { emulator: Emulated::new(options), seconds, log: Rc::clone(log) }
    }
}

impl Device for Clocked {
    fn name(&self) -> String {
        "clocked".into()
    }

    fn load(&mut self, ptx: &str, kernel: &str) -> Result<KernelHandle, device::Error> {
        self.emulator.load(ptx, kernel)
    }

    fn alloc(&mut self, bytes: u64, label: &str) -> Result<Buffer, device::Error> {
        let buffer = self.emulator.alloc(bytes, label)?;
        self.log.borrow_mut().allocated.push(buffer);
        Ok(buffer)
    }

    fn upload(&mut self, buffer: Buffer, offset: u64, data: &[u8]) -> Result<(), device::Error> {
        self.emulator.upload(buffer, offset, data)
    }

    fn download(&self, buffer: Buffer, offset: u64, data: &mut [u8]) -> Result<(), device::Error> {
        self.emulator.download(buffer, offset, data)
    }

    fn free(&mut self, buffer: Buffer) -> Result<(), device::Error> {
        self.log.borrow_mut().allocated.retain(|&other| other != buffer);
        self.emulator.free(buffer)
    }

    fn launch(
        &mut self,
        kernel: KernelHandle,
        config: &LaunchConfig,
        arguments: &[Argument],
    ) -> Result<RunReport, device::Error> {
        let run = self.emulator.launch(kernel, config, arguments)?;
        let mut log = self.log.borrow_mut();
        let earlier = log.launched.iter().filter(|name| **name == run.kernel).count();
        log.launched.push(run.kernel.clone());
        Ok(RunReport { time: (self.seconds)(&run.kernel, earlier), ..run })
    }
}

impl Timed for Clocked {
    fn taken(&mut self, _: &Variant, _: &LaunchConfig) -> Result<Option<Taken>, device::Error> {
        Ok(None)
    }
}

/// A kernel that writes a number; of `hang`, one that never ends.
fn variant(name: &str, number: u32) -> Variant {
    let body = if name == "hang" { "L: bra L;" } else { "" };
    let ptx = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry {name}(.param .u64 out)\n{{\n.reg .b64 %o;\n\
         ld.param.u64 %o, [out];\n{body}\nst.global.u32 [%o], {number};\nret;\n}}\n"
    );
    Variant { name: name.into(), ptx, kernel: name.into() }
}

/// 42 and 43 are right.
fn work() -> Once {
    let check = |results: &[Vec<u8>]| {
        let found = to_u32(&results[0]);
        let wrong = || format!("the number is {}, the CPU says 42", found[0]);
        Verdict { difference: (found[0] / 2 != 21).then(wrong), error: 0.0 }
    };
    Once::new(vec![Value::Output("out", from_u32(&[0]))], true, Box::new(check))
}

fn timed(variants: &[Variant], rounds: Rounds, seconds: fn(&str, usize) -> Option<f64>) -> (Vec<VariantTimes>, Log) {
    let log = Rc::default();
    let mut device = Clocked::new(seconds, &log);
    let rows = time(&mut device, &work(), variants, &LaunchConfig::linear(1, 1), rounds, None).unwrap();
    drop(device);
    (rows, Rc::into_inner(log).unwrap().into_inner())
}

#[test]
fn variants_take_turns_and_every_second_round_is_reversed() {
    let variants = [variant("original", 42), variant("ccc", 42), variant("other", 42)];
    let (_, log) = timed(&variants, Rounds { warmup: 1, runs: 2 }, |_, _| Some(1.0));
    let rounds: Vec<_> = log.launched.chunks(3).collect();
    assert_eq!(rounds, [["original", "ccc", "other"], ["other", "ccc", "original"], ["original", "ccc", "other"]]);
    assert!(log.allocated.is_empty(), "all buffers are given back");
}

#[test]
fn a_speedup_is_the_median_of_the_rounds_and_the_warm_up_does_not_count() {
    let variants = [variant("original", 42), variant("ccc", 42)];
    // The warm-up takes for ever; then everything gets slower, from round to round.
    let seconds = |name: &str, run: usize| {
        let slow = if run == 0 { 1000.0 } else { run as f64 };
        Some(if name == "original" { 3.0 * slow } else { slow })
    };
    let (rows, _) = timed(&variants, Rounds { warmup: 1, runs: 3 }, seconds);
    let [original, ccc] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!((original.runs, original.seconds.unwrap().median, original.speedup), (3, 6.0, None));
    let speedup = ccc.speedup.unwrap();
    assert_eq!((speedup.minimum, speedup.median, speedup.maximum), (3.0, 3.0, 3.0));
    assert_eq!(ccc.seconds.unwrap().maximum, 3.0);
    assert!((ccc.relative_time.unwrap().median - 1.0 / 3.0).abs() < 1e-12);
    assert!(rows.iter().all(|row| row.results_equal && row.finished && row.launches == 1));
}

#[test]
fn a_wrong_result_is_reported_and_has_no_speed() {
    let variants = [variant("original", 42), variant("ccc", 7), variant("other", 43)];
    let (rows, log) = timed(&variants, Rounds { warmup: 0, runs: 2 }, |_, _| Some(1.0));
    let difference = |index: usize| rows[index].difference.as_deref();
    assert_eq!((difference(0), difference(1)), (None, Some("the number is 7, the CPU says 42")));
    assert_eq!(difference(2), Some("the result is the CPU's but not the original kernel's bit for bit"));
    assert!(rows[0].results_equal && !rows[1].results_equal && !rows[2].results_equal);
    assert!(rows[1].speedup.is_none() && rows[2].relative_time.is_none() && rows[1].seconds.is_some());
    assert!(log.allocated.is_empty());
}

#[test]
fn a_launch_that_does_not_finish_ends_the_program() {
    let variants = [variant("original", 42), variant("hang", 42), variant("other", 42)];
    let (rows, log) = timed(&variants, Rounds { warmup: 1, runs: 2 }, |_, _| Some(1.0));
    assert_eq!(log.launched, ["original", "hang"]);
    assert!(rows[0].finished && !rows[1].finished && !rows[1].results_equal);
    assert!(rows[1].difference.is_some() && rows[1].seconds.is_none() && rows[1].speedup.is_none());
    assert_eq!(rows[2].difference.as_deref(), Some("not run, because another variant did not finish"));
}

#[test]
fn what_has_no_clock_has_no_times() {
    let variants = [variant("original", 42), variant("ccc", 42)];
    let (rows, _) = timed(&variants, Rounds { warmup: 0, runs: 2 }, |name, _| (name == "ccc").then_some(1.0));
    assert!(rows[0].seconds.is_none() && rows[1].seconds.is_some() && rows[1].speedup.is_none());
    let mut emulator = Emulated::new(EmulatorOptions::default());
    let rounds = Rounds { warmup: 0, runs: 1 };
    let rows = time(&mut emulator, &work(), &variants, &LaunchConfig::linear(1, 1), rounds, None).unwrap();
    assert!(rows.iter().all(|row| row.seconds.is_none() && row.taken.is_none() && row.results_equal));
}

#[test]
fn where_there_is_no_time_for_all_rounds_there_is_one() {
    let variants = [variant("original", 42), variant("ccc", 42)];
    let mut emulator = Emulated::new(EmulatorOptions::default());
    let rounds = Rounds { warmup: 2, runs: 100_000 };
    let now = Some(std::time::Instant::now());
    let rows = time(&mut emulator, &work(), &variants, &LaunchConfig::linear(1, 1), rounds, now).unwrap();
    assert!(rows.iter().all(|row| row.runs == 1 && row.results_equal), "{rows:?}");
}

fn row(name: &str, seconds: f64, speedup: Option<f64>) -> VariantTimes {
    let one = |figure: f64| Summary::of(&[figure]).unwrap();
    VariantTimes {
        variant: name.into(),
        kernel: "k".into(),
        launches: 1,
        runs: 15,
        finished: true,
        results_equal: true,
        difference: None,
        seconds: Some(one(seconds)),
        speedup: speedup.map(one),
        relative_time: speedup.map(|speedup| one(1.0 / speedup)),
        taken: Some(Taken {
            registers: 32,
            local_bytes: 0,
            static_shared_bytes: 3072,
            resident_blocks: 8,
            occupancy: 1.0,
        }),
        counted: speedup.map(|_| counted(0.75)),
        too_short: false,
    }
}

/// A thousand instructions.
fn counted(warp_execution_efficiency: f64) -> Counted {
    let active_lanes = (32_000.0 * warp_execution_efficiency) as u64;
    Counted {
        warp_instructions: 1000,
        active_lanes,
        thread_instructions: active_lanes,
        warp_execution_efficiency,
        warp_nonpred_execution_efficiency: warp_execution_efficiency,
        activity: None,
    }
}

/// A report with made-up figures of a GPU that there is not.
fn report() -> GpuReport {
    let program = |suite: &str, program: &str, variants: Vec<VariantTimes>| ProgramTimes {
        suite: suite.into(),
        program: program.into(),
        input: "100 tasks".into(),
        grid: 4,
        block: 256,
        variants,
    };
    let synthetic = |figure, length, variants| {
        let left_as_it_was = figure == 14 && length == 1;
        SyntheticTimes { figure, takers: 8, length, left_as_it_was, variants }
    };
    let both = || vec![row("original", 2e-4, None), row("collected", 1e-4, Some(2.0))];
    let mut decided = both();
    decided.insert(1, row("ccc", 1e-4, Some(2.5)));
    let lost = LeftOut { suite: "ssde".into(), program: "bh-fc".into(), reason: "there is no M+SSDE".into() };
    GpuReport {
        suite: SUITE.into(),
        device: "gpu (Made Up)".into(),
        gpu: GpuSummary {
            name: "NVIDIA Made-Up (2) ".into(),
            compute_capability: (9, 0),
            multiprocessors: 132,
            l2_bytes: 52_428_800,
            memory_bytes: 1 << 30,
            clock_hz: 1_980_000_000,
            driver_version: (13, 0),
        },
        pxrw_version: "0.1.0".into(),
        nvcc_version: "13.0.88".into(),
        date: "2026-01-31".into(),
        arch: "sm_90".into(),
        warmup: 2,
        runs: 15,
        notes: vec!["made up".into()],
        programs: vec![
            program("ccc", "iefa", vec![row("original", 3e-4, None), row("ccc", 2e-4, Some(1.5))]),
            program("ccc", "rt", vec![row("original", 1e-4, None), row("ccc", 2e-4, Some(0.5))]),
            program("ssde", "ht", vec![row("S", 1e-4, None), row("M+SSDE", 1.25e-4, Some(0.8))]),
        ],
        synthetic: vec![synthetic(13, 20, both()), synthetic(14, 1, both()), synthetic(14, 500, decided)],
        left_out: vec![lost],
        hangs: [("M", OutcomeKind::Budget, None), ("M+SSDE", OutcomeKind::Finished, Some(true))]
            .map(|(version, outcome, right)| HangRow {
                program: "lock".into(),
                version: version.into(),
                target: Target::Sm60,
                device: "gpu (made up)".into(),
                outcome,
                message: right.is_none().then(|| "the launch did not end within 5s".into()),
                right,
                seconds: right.map(|_| 2.5e-5),
            })
            .to_vec(),
        efficiency: vec![EfficiencyRow {
            suite: "ccc".into(),
            program: "rt".into(),
            input: "100 rays".into(),
            variant: "original".into(),
            gpu: counted(0.25),
            emulator: counted(0.375),
        }],
    }
}

#[test]
fn a_report_is_the_same_after_it_was_written_and_read() {
    let report = report();
    let text = serde_json::to_string_pretty(&report).unwrap();
    assert_eq!(serde_json::from_str::<GpuReport>(&text).unwrap(), report);
    assert_eq!(report.file_stem(), "nvidia-made-up-2-2026-01-31");
}

#[test]
fn the_text_has_the_papers_figures_beside_ours() {
    let mut report = report();
    let text = report.to_text();
    for expected in [
        "NVIDIA Made-Up (2) , compute capability 9.0, 132 multiprocessors at up to 1980 MHz, 52,428,800 bytes of L2",
        "2026-01-31: pxrw 0.1.0, nvcc 13.0.88, driver for CUDA 13.0, compiled for sm_90",
        "note: made up",
        "1.50 (1.50 to 1.50) ┆    2.72",
        "average speedup of 2 programs by `ccc`: 1.00 (paper's eight: 1.69)",
        "left as it was",
        "2.50 (2.50 to 2.50)",
        "1.250 (1.250 to 1.250)",
        "average time of M+SSDE over S, 1 programs: 1.250 (paper's applications: 1.082)",
        "left out: ssde, bh-fc: there is no M+SSDE",
        "│ lock    ┆ M       ┆ sm_60   ┆ gpu (made up) ┆ does not end: the launch did not end within 5s",
        "┆ ends, result as the CPU's",
        "┆    2.72 ┆       75.0 % ┆    97 % ┆",
        "25.0 % ┆   37.5 % ┆      +12.5",
        "12.5 points from the GPU's on the average",
    ] {
        assert!(text.contains(expected), "no `{expected}` in\n{text}");
    }
    assert!(report.results_equal() && !text.contains("WRONG") && !text.contains("what bounds them"), "{text}");
    let activity = Activity {
        issue_cycles: 600,
        scheduler_cycles: 1000,
        warp_cycles: 8500,
        waiting_for_memory: 3400,
        waiting_for_shared_memory: 850,
        l2_sectors: 4_000_000,
        dram_bytes: 128_000_000,
        bank_conflicts: 77,
    };
    report.programs[1].variants[1].counted = Some(Counted { activity: Some(activity), ..counted(0.75) });
    let text = report.to_text();
    let row = "│ rt      ┆ ccc     ┆        1,000 ┆     60.0 % ┆       8.5 ┆        40.0 % ┆     10.0 % ┆     4,000,000 ┆   128,000,000 ┆        77 │";
    assert!(text.contains("what bounds them, by Nsight Compute") && text.contains(row), "{text}");
    let ccc = &mut report.programs[0].variants[1];
    (ccc.results_equal, ccc.difference, ccc.speedup) = (false, Some("value 3 is 1".into()), None);
    assert!(!report.results_equal());
    assert!(report.to_text().contains("WRONG: iefa, ccc: value 3 is 1"), "{}", report.to_text());
}

#[test]
fn plots_are_those_of_what_was_timed() {
    let mut report = report();
    let files = |report: &GpuReport| report.plots().unwrap().into_iter().map(|plot| plot.file).collect::<Vec<_>>();
    assert_eq!(files(&report), ["figure-11.svg", "figure-13.svg", "figure-14.svg", "ssde-time.svg"]);
    let plots = report.plots().unwrap();
    assert!(plots[0].svg.contains("IEFA") && plots[0].svg.contains("Made-Up") && plots[3].svg.contains("\nht\n"));
    // With both efficiencies of a program there is a Figure 12.
    report.programs[0].variants[0].counted = Some(counted(0.5));
    assert_eq!(files(&report)[..2], ["figure-11.svg", "figure-12.svg"]);
    report.programs[0].variants[1].results_equal = false;
    report.synthetic.clear();
    report.programs.remove(2);
    assert_eq!(files(&report), ["figure-11.svg"]);
}

#[test]
fn what_takes_hardly_longer_than_nothing_has_no_ratio() {
    let mut report = report();
    let unmarked = report.clone();
    report.mark_short();
    assert_eq!(report, unmarked, "without a kernel that does nothing nothing is too short");
    // Ten times 11 microseconds are less than 2e-4 seconds and more than 1e-4.
    let empty = ProgramTimes {
        suite: "empty".into(),
        variants: vec![row("original", 11e-6, None)],
        ..report.programs[0].clone()
    };
    report.programs.insert(0, empty);
    report.mark_short();
    let short = |report: &GpuReport, program: usize| -> Vec<(bool, bool)> {
        report.programs[program].variants.iter().map(|one| (one.too_short, one.speedup.is_some())).collect()
    };
    assert_eq!(short(&report, 0), [(false, false)]);
    assert_eq!(short(&report, 1), [(false, false), (false, true)]);
    assert_eq!(short(&report, 2), [(true, false), (false, false)]);
    let text = report.to_text();
    assert!(text.contains("│    too short ┆") || text.contains("too short"), "{text}");
    assert!(text.contains("note: a kernel that does nothing takes 11.00 µs (11.00 to 11.00)"), "{text}");
    assert!(text.contains("average speedup of 1 programs by `ccc`: 1.50"), "{text}");
    // Three launches in the same time are shorter.
    report.programs[1].variants[0].launches = 3;
    report.mark_short();
    assert_eq!(short(&report, 1), [(true, false), (false, false)]);
}

#[test]
fn times_and_counts_of_one_gpu_are_joined_in_any_order() {
    let whole = report();
    let mut times = whole.clone();
    for program in &mut times.programs {
        program.variants.iter_mut().for_each(|variant| variant.counted = None);
    }
    for row in &mut times.synthetic {
        row.variants.iter_mut().for_each(|variant| variant.counted = None);
    }
    times.efficiency.clear();
    let mut counts = whole.clone();
    counts.forget_times();
    (counts.hangs, counts.left_out) = (Vec::new(), Vec::new());
    counts.notes = vec!["counted".into()];
    let expected = GpuReport { notes: vec!["made up".into(), "counted".into()], ..whole.clone() };
    assert_eq!(times.clone().join(counts.clone()).unwrap(), expected);
    assert_eq!(counts.clone().join(times.clone()).unwrap(), expected);
    // What only the counts have is added, and has no time.
    let mut fewer = times.clone();
    fewer.programs.remove(0);
    let joined = fewer.join(counts.clone()).unwrap();
    assert_eq!(joined.programs.len(), 3);
    assert!(joined.programs[2].variants[0].seconds.is_none() && joined.to_text().contains("not measured"));
    let mut other_input = counts.clone();
    other_input.programs[0].input = "7 tasks".into();
    let refused = times.clone().join(other_input).unwrap_err();
    assert_eq!(refused, "iefa has another input or launch in one than in the other: 100 tasks, 7 tasks");
    let older = GpuReport { nvcc_version: "12.9.1".into(), ..counts.clone() };
    let refused = times.clone().join(older).unwrap_err();
    assert_eq!(refused, "one is of pxrw 0.1.0 with nvcc 13.0.88, the other one of pxrw 0.1.0 with nvcc 12.9.1");
    let mut again = counts.clone();
    again.hangs = whole.hangs.iter().map(|row| HangRow { seconds: Some(1.0), ..row.clone() }).collect();
    assert_eq!(times.clone().join(again).unwrap().hangs, whole.hangs, "an attempt is one row");
    let twice = times.clone().join(times.clone()).unwrap_err();
    assert_eq!(twice, "both have times of `ccc iefa original`; one of them must be of `--counters-only`");
    let twice = counts.clone().join(counts.clone()).unwrap_err();
    assert_eq!(twice, "both have counts of `ccc iefa original`; give one file with counts");
    counts.gpu.name = "Other".into();
    let other = times.join(counts).unwrap_err();
    assert_eq!(other, "one is of NVIDIA Made-Up (2) for sm_90, the other one of Other for sm_90");
}

#[test]
fn each_part_is_a_line_while_the_others_are_measured() {
    let mut report = report();
    let lines = report.lines();
    for expected in [
        "ccc, iefa: original 300.0 µs, ccc 1.500 times as fast",
        "ssde, ht: S 100.0 µs, M+SSDE 1.250 of its time",
        "Figure 14, 8 lanes, 1 multiply-adds: original 200.0 µs, collected 2.000 times as fast",
        "lock (M, sm_60): does not end: the launch did not end within 5s",
        "left out: ssde, bh-fc: there is no M+SSDE",
    ] {
        assert!(lines.iter().any(|line| line == expected), "no `{expected}` in {lines:#?}");
    }
    let wrong = &mut report.programs[0].variants[1];
    (wrong.results_equal, wrong.difference) = (false, Some("value 3 is 1".into()));
    assert_eq!(report.lines()[0], "ccc, iefa: WRONG (ccc): value 3 is 1");
    // A program of which there was time for fewer rounds is named.
    report.programs[1].variants[1].runs = 4;
    assert!(report.to_text().contains("fewer rounds: rt: there was time for 4 of 15"), "{}", report.to_text());
    assert!(!report.is_complete());
}
