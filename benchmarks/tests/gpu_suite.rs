//! The suites of a GPU on an emulator that is given a clock, with the CUDA compiler: everything is compiled, run and checked as on a GPU, and only
//! the times are made up.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::cell::RefCell;
use std::rc::Rc;

use benchmarks::gpu::{GpuReport, GpuSummary, Options, Rounds, Suite, Taken, Target, Timed, WATCHED};
use benchmarks::{Variant, bfs, ccc, ssde};
use device::{
    Argument, Buffer, Device, Emulated, EmulatorOptions, Error, KernelHandle, LaunchConfig, OutcomeKind, RunReport,
};
use toolkit::{Activity, LaunchCounts, Search, StderrProgress, Toolkit};

/// Every launch, as a profiler sees it.
type Launches = Rc<RefCell<Vec<LaunchCounts>>>;

/// An emulator on which a thousand warp instructions take a second, and one kernel does not end.
struct Clocked(Emulated, &'static str, Launches);

impl Device for Clocked {
    fn name(&self) -> String {
        "clocked".into()
    }

    fn load(&mut self, ptx: &str, kernel: &str) -> Result<KernelHandle, Error> {
        self.0.load(ptx, kernel)
    }

    fn alloc(&mut self, bytes: u64, label: &str) -> Result<Buffer, Error> {
        self.0.alloc(bytes, label)
    }

    fn upload(&mut self, buffer: Buffer, offset: u64, data: &[u8]) -> Result<(), Error> {
        self.0.upload(buffer, offset, data)
    }

    fn download(&self, buffer: Buffer, offset: u64, data: &mut [u8]) -> Result<(), Error> {
        self.0.download(buffer, offset, data)
    }

    fn free(&mut self, buffer: Buffer) -> Result<(), Error> {
        self.0.free(buffer)
    }

    fn launch(&mut self, kernel: KernelHandle, config: &LaunchConfig, all: &[Argument]) -> Result<RunReport, Error> {
        let run = self.0.launch(kernel, config, all)?;
        self.2.borrow_mut().push(LaunchCounts {
            kernel: run.kernel.clone(),
            warp_instructions: run.counts.warp_instructions.unwrap(),
            active_lanes: run.counts.active_lanes.unwrap(),
            thread_instructions: run.counts.thread_instructions.unwrap(),
            activity: None,
        });
        if run.kernel == self.1 {
            return Ok(RunReport { outcome: OutcomeKind::Budget, message: Some("too long".into()), ..run });
        }
        Ok(RunReport { time: run.counts.warp_instructions.map(|count| count as f64 / 1000.0), ..run })
    }
}

impl Timed for Clocked {
    fn taken(&mut self, _: &Variant, _: &LaunchConfig) -> Result<Option<Taken>, Error> {
        Ok(None)
    }
}

fn run(options: &Options) -> Result<GpuReport, benchmarks::Error> {
    watched(options, "", &Launches::default())
}

/// On a device on which a kernel does not end.
fn run_without(options: &Options, endless: &'static str) -> Result<GpuReport, benchmarks::Error> {
    watched(options, endless, &Launches::default())
}

fn watched(options: &Options, endless: &'static str, launches: &Launches) -> Result<GpuReport, benchmarks::Error> {
    let summary = GpuSummary {
        name: "Clocked".into(),
        compute_capability: (9, 0),
        multiprocessors: 1,
        l2_bytes: 0,
        memory_bytes: 0,
        clock_hz: 0,
        driver_version: (13, 0),
    };
    let open = || {
        let emulator = Emulated::new(EmulatorOptions::default());
        Ok(Box::new(Clocked(emulator, endless, Rc::clone(launches))) as Box<dyn Timed>)
    };
    let suite = Suite::prepare(options, Target { summary, open: &open })?;
    suite.run(&Toolkit::locate_or_install(&Search::default(), &mut StderrProgress::default()).unwrap())
}

fn options(tasks: u32) -> Options {
    let rounds = Rounds { warmup: 1, runs: 2 };
    Options { size: ccc::Size::Tasks(tasks), rounds, block: 64, quiet: true, ..Options::nothing("sm_90") }
}

#[test]
fn programs_of_both_papers_are_timed_and_right() {
    let search = bfs::BfsOptions { scale: 10, ..bfs::BfsOptions::default() };
    let all = Options {
        search: Some(search),
        ccc: ccc::Program::ALL.to_vec(),
        ssde: vec![ssde::Program::Ht, ssde::Program::BhSm, ssde::Program::Behind],
        ..options(512)
    };
    let report = run(&all).unwrap();
    assert!(report.results_equal(), "{}", report.to_text());
    let names: Vec<&str> = report.programs.iter().map(|program| &*program.program).collect();
    let expected = ["bfs", "bfs", "dqg", "emies", "ff", "hash", "iefa", "rt", "sssp", "ht", "bh-sm", "fig4-behind"];
    assert_eq!(names, expected);
    for program in &report.programs {
        let (first, others) = program.variants.split_first().unwrap();
        assert!(first.seconds.is_some() && first.speedup.is_none() && !others.is_empty(), "{program:?}");
        assert!(others.iter().all(|variant| variant.runs == 2 && variant.speedup.is_some()), "{program:?}");
    }
    // Each level of a search is a launch, and all of them are one time.
    let search = &report.programs[0].variants[0];
    assert!(search.launches > 2 && search.seconds.unwrap().median > 0.0, "{search:?}");
    assert_eq!(report.programs[8].variant("whole tasks").map(|variant| variant.finished), Some(true));
    assert_eq!(report.left_out, []);
}

#[test]
fn after_a_launch_that_does_not_end_the_rest_is_left_out() {
    let ccc = vec![ccc::Program::Iefa, ccc::Program::Rt, ccc::Program::Ff];
    let all = Options { ccc, synthetic: true, ssde: vec![ssde::Program::Ht], ..options(512) };
    let report = run_without(&all, "ray_trace").unwrap();
    assert!(!report.results_equal());
    assert_eq!(report.programs.iter().map(|program| &*program.program).collect::<Vec<_>>(), ["iefa", "rt"]);
    let left: Vec<(&str, &str)> = report.left_out.iter().map(|one| (&*one.program, &*one.reason)).collect();
    let reason = "`rt` (original) ended the measurement: too long";
    assert_eq!(left, [("ff", reason), ("ht", reason), ("synthetic", reason)]);
    assert!(
        report.to_text().contains("NOT FINISHED: rt, original: too long\nNOT RUN: rt, ccc: not run"),
        "{}",
        report.to_text()
    );
}

/// The emulator counts as well, so that what is given to a variant by the launches that were seen must be what is there.
#[test]
fn launches_that_a_profiler_saw_go_to_their_variants() {
    let all = Options {
        search: Some(bfs::BfsOptions { scale: 8, ..bfs::BfsOptions::default() }),
        ccc: vec![ccc::Program::Sssp, ccc::Program::Iefa],
        synthetic: true,
        ssde: vec![ssde::Program::Ht, ssde::Program::BhSm],
        rounds: WATCHED,
        ..options(512)
    };
    let launches = Launches::default();
    let report = watched(&all, "", &launches).unwrap();
    assert!(report.results_equal(), "{}", report.to_text());
    let mut launches = launches.borrow().clone();
    assert!(launches.len() > 100, "{}", launches.len());
    // A driver may launch something of its own.
    launches.insert(5, LaunchCounts { kernel: "memset".into(), ..launches[0].clone() });
    let mut without = report.clone();
    for variant in without.programs.iter_mut().flat_map(|program| &mut program.variants) {
        variant.counted = None;
    }
    let counted = without.clone().with_counts(&launches).unwrap();
    assert_eq!(counted, report);
    without.adopt_counts(&counted);
    assert_eq!(without, report);
    // What is counted beside is added up as well, where it is counted of all launches.
    let active = |launch: &LaunchCounts| {
        let activity = Activity { dram_bytes: launch.warp_instructions, ..Activity::default() };
        LaunchCounts { activity: Some(activity), ..launch.clone() }
    };
    let mut all: Vec<LaunchCounts> = launches.iter().map(active).collect();
    let search = |launches: &[LaunchCounts]| {
        let counted = report.clone().with_counts(launches).unwrap().programs[0].variants[0].counted.unwrap();
        (counted.activity.map(|activity| activity.dram_bytes), counted.warp_instructions)
    };
    let (bytes, instructions) = search(&all);
    assert_eq!(bytes, Some(instructions));
    all[1].activity = None;
    assert_eq!(search(&all).0, None);
    let says = |launches: &[LaunchCounts]| report.clone().with_counts(launches).unwrap_err();
    let last = launches.last().unwrap().kernel.clone();
    assert_eq!(says(&launches[..launches.len() - 1]), format!("it did not see all launches of `{last}`"));
    let more: Vec<LaunchCounts> = launches.iter().chain(launches.last()).cloned().collect();
    assert_eq!(says(&more), format!("it saw more launches of `{last}` than there were"));
    launches.swap(0, more.len() - 2);
    assert_eq!(says(&launches), format!("it did not see all launches of `{}`", more[0].kernel));
    let lost = watched(
        &Options { rounds: WATCHED, ccc: vec![ccc::Program::Rt], ..options(64) },
        "ray_trace",
        &Launches::default(),
    );
    let lost = lost.unwrap();
    assert!(lost.is_lost());
    assert_eq!(lost.with_counts(&[]).unwrap_err(), "a launch of `ray_trace` did not finish");
}

#[test]
fn synthetic_kernels_are_timed_along_both_axes() {
    let report = run(&Options { synthetic: true, ..options(4096) }).unwrap();
    assert!(report.results_equal(), "{}", report.to_text());
    assert_eq!(report.synthetic.len(), 30);
    let left = |length: u32| {
        let row = report.synthetic.iter().find(|row| (row.figure, row.takers, row.length) == (14, 8, length)).unwrap();
        assert_eq!(row.variants.len(), if row.left_as_it_was { 2 } else { 3 });
        row.left_as_it_was
    };
    assert!(left(1) && !left(500));
    assert_eq!(report.plots().unwrap().len(), 2);
}

#[test]
fn what_cannot_be_launched_is_said_before_anything_is_compiled() {
    let says = |options: Options| run(&options).unwrap_err().to_string();
    assert!(says(Options { ccc: vec![ccc::Program::Iefa], ..options(0) }).contains("0 tasks"));
    assert!(says(Options { ssde: vec![ssde::Program::Ht], ..options(1 << 30) }).contains("1073741824 tasks"));
    assert!(says(Options { block: 2000, ..options(5) }).contains("blocks of 2000 threads"));
    assert!(says(Options { grid: Some(0), ..options(5) }).contains("give a grid"));
}
