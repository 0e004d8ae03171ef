//! The suites of a GPU on an emulator that is given a clock, with the CUDA compiler: everything is compiled, run and checked as on a GPU, and only
//! the times are made up.
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::LazyLock;

use benchmarks::gpu::{
    GpuReport, GpuSummary, Kernels, Options, Rounds, Suite, Taken, Target, Timed, Unit, UnitResults, WATCHED, rehearse,
};
use benchmarks::hangs::Attempt;
use benchmarks::{Variant, bfs, ccc, ssde};
use device::{
    Argument, Buffer, Device, Emulated, EmulatorOptions, Error, KernelHandle, LaunchConfig, Machine, OutcomeKind,
    RunReport,
};
use toolkit::{Activity, LaunchCounts};

use crate::TOOLKIT;

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

/// The kernels of all units that are tried here, compiled once for all tests.
fn kernels() -> &'static Kernels {
    static ALL: LazyLock<Kernels> = LazyLock::new(|| {
        let all = Options {
            empty: true,
            search: Some(bfs::BfsOptions::default()),
            ccc: ccc::Program::ALL.to_vec(),
            ssde: vec![ssde::Program::Ht, ssde::Program::BhSm, ssde::Program::Behind],
            synthetic: true,
            hangs: Attempt::all(),
            ..options(0)
        };
        Kernels::build(&all.units(), all.block, &all.arch, &TOOLKIT).unwrap()
    });
    &ALL
}

fn run(options: &Options) -> GpuReport {
    watched(options, "", &Launches::default()).report
}

/// All parts, on a device on which a kernel does not end.
fn watched(options: &Options, endless: &'static str, launches: &Launches) -> UnitResults {
    measured(options, kernels(), endless, launches)
}

fn measured(options: &Options, kernels: &Kernels, endless: &'static str, launches: &Launches) -> UnitResults {
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
        let emulator = Emulated::new(EmulatorOptions { machine: Machine::Its, ..EmulatorOptions::default() });
        Ok(Box::new(Clocked(emulator, endless, Rc::clone(launches))) as Box<dyn Timed>)
    };
    Suite::new(options, kernels, Target { summary, open: &open }).run(&options.units(), None, &mut |_| ())
}

fn options(tasks: u32) -> Options {
    let rounds = Rounds { warmup: 1, runs: 2 };
    Options { size: ccc::Size::Tasks(tasks), rounds, block: 64, ..Options::nothing("sm_90") }
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
    let report = run(&all);
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
fn after_a_launch_that_does_not_end_the_rest_is_not_done() {
    let ccc = vec![ccc::Program::Iefa, ccc::Program::Rt, ccc::Program::Ff];
    let all = Options { ccc, synthetic: true, ssde: vec![ssde::Program::Ht], ..options(512) };
    let part = watched(&all, "ray_trace", &Launches::default());
    assert_eq!(part.done, [Unit::Ccc(ccc::Program::Iefa), Unit::Ccc(ccc::Program::Rt)]);
    assert_eq!(part.lost.as_deref(), Some("rt (original): too long"));
    let report = part.report;
    assert!(!report.results_equal());
    assert_eq!(report.programs.iter().map(|program| &*program.program).collect::<Vec<_>>(), ["iefa", "rt"]);
    assert!(
        report.to_text().contains("NOT FINISHED: rt, original: too long\nNOT RUN: rt, ccc: not run"),
        "{}",
        report.to_text()
    );
}

/// On the machine `its`, on which they run here, everything ends; the launch that is said not to is the result of its attempt.
#[test]
fn a_program_that_hangs_is_a_result() {
    let hangs: Vec<Attempt> = Attempt::spin_lock();
    let all = Options { empty: true, hangs: hangs.clone(), ..options(512) };
    let part = watched(&all, "", &Launches::default());
    assert_eq!((part.done.len(), part.lost), (5, None));
    assert!(part.report.is_complete() && part.report.hangs.len() == 4, "{}", part.report.to_text());
    assert_eq!(part.report.programs[0].suite, "empty");
    let part = watched(&all, "count", &Launches::default());
    assert_eq!(part.done, [Unit::Empty, Unit::Hang(hangs[0])]);
    assert_eq!(part.lost.as_deref(), Some("`lock (M, sm_70)` did not end"));
    assert_eq!(part.report.hangs[0].outcome, OutcomeKind::Budget);
    assert_eq!(part.report.left_out, []);
}

/// Another machine measures the kernels that were compiled here. A change on the way is noticed.
#[test]
fn kernels_are_the_same_after_they_were_written_and_read() {
    let all = Options {
        ccc: vec![ccc::Program::Iefa],
        ssde: vec![ssde::Program::Ht],
        hangs: Attempt::spin_lock(),
        ..options(64)
    };
    let built = Kernels::build(&all.units(), all.block, &all.arch, &TOOLKIT).unwrap();
    let folder = tempfile::tempdir().unwrap();
    // iefa before and after, ht as S and M+SSDE in one text each, the lock for two targets before and after.
    assert_eq!(built.save(folder.path()).unwrap(), 8);
    let read = Kernels::load(folder.path()).unwrap();
    assert_eq!((&read.arch, read.block, &read.nvcc_version), (&built.arch, 64, &built.nvcc_version));
    for unit in all.units() {
        let text = |kernels: &Kernels| {
            kernels
                .variants(unit)
                .map(|all| all.iter().map(|one| (one.name.clone(), one.ptx.clone())).collect::<Vec<_>>())
        };
        assert_eq!(text(&read), text(&built), "{}", unit.name());
    }
    assert_eq!(read.variants(Unit::Empty).unwrap_err(), "its kernels were not prepared");
    let part =
        measured(&Options { ccc: vec![ccc::Program::Iefa, ccc::Program::Rt], ..all }, &read, "", &Launches::default());
    assert_eq!(part.report.left_out[0].to_string(), "left out: ccc, rt: its kernels were not prepared");
    assert!(part.report.programs.iter().all(|program| program.variants.iter().all(|one| one.results_equal)));

    let text = std::fs::read_dir(folder.path().join("ptx")).unwrap().next().unwrap().unwrap().path();
    let content = std::fs::read_to_string(&text).unwrap();
    std::fs::write(&text, content.replace("ret;", "trap;")).unwrap();
    let says = || Kernels::load(folder.path()).unwrap_err().to_string();
    assert!(says().contains("is not the PTX that was prepared: its content was changed"), "{}", says());
    std::fs::remove_file(&text).unwrap();
    assert!(says().contains(&*text.to_string_lossy()), "{}", says());
    std::fs::write(&text, content).unwrap();
    let list = folder.path().join("kernels.json");
    let listed = std::fs::read_to_string(&list).unwrap();
    std::fs::write(&list, listed.replace("\"block\": 64", "\"block\": 128")).unwrap();
    assert!(says().contains("kernels.json` is damaged: its content was changed"), "{}", says());
    std::fs::write(&list, &listed[..listed.len() / 2]).unwrap();
    assert!(says().contains("kernels.json` is damaged: "), "{}", says());
    std::fs::remove_file(&list).unwrap();
    assert!(says().contains("has no prepared kernels: "), "{}", says());
    // Written again, it is whole.
    built.save(folder.path()).unwrap();
    assert!(Kernels::load(folder.path()).is_ok());
}

#[test]
fn a_rehearsal_goes_through_all_parts_without_a_kernel() {
    let all = Options {
        empty: true,
        ccc: vec![ccc::Program::Sssp],
        ssde: vec![ssde::Program::Ht],
        hangs: Attempt::all(),
        ..options(2048)
    };
    let mut seen = Vec::new();
    let rehearsal = rehearse(&all, kernels(), &mut |one| seen.push(one.unit));
    let [empty, sssp, ht] = [Unit::Empty, Unit::Ccc(ccc::Program::Sssp), Unit::Ssde(ssde::Program::Ht)];
    assert_eq!(seen, [empty, sssp, ht]);
    let seconds = |unit, runs| rehearsal.seconds(unit, all.size, Rounds { warmup: 0, runs });
    for unit in seen {
        assert!(seconds(unit, 10) > seconds(unit, 1) && seconds(unit, 1).is_some(), "{}", unit.name());
    }
    // The emulator would take far longer for the kernels than the host takes for five variants of a search.
    assert!(seconds(sssp, 1) < Some(60.0));
    assert_eq!(seconds(Unit::Hang(all.hangs[0]), 1), None);
    assert_eq!(rehearsal.seconds(sssp, ccc::Size::Gpu, Rounds::default()), None, "inputs of another size");
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
    let report = watched(&all, "", &launches).report;
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
    assert!(lost.lost.is_some());
    assert_eq!(lost.report.with_counts(&[]).unwrap_err(), "a launch of `ray_trace` did not finish");
}

#[test]
fn synthetic_kernels_are_timed_along_both_axes() {
    let report = run(&Options { synthetic: true, ..options(4096) });
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
    let says = |options: Options| options.check().unwrap_err().to_string();
    assert!(says(Options { ccc: vec![ccc::Program::Iefa], ..options(0) }).contains("0 tasks"));
    assert!(says(Options { ssde: vec![ssde::Program::Ht], ..options(1 << 30) }).contains("1073741824 tasks"));
    assert!(says(Options { block: 2000, ..options(5) }).contains("blocks of 2000 threads"));
    assert!(says(Options { grid: Some(0), ..options(5) }).contains("give a grid"));
}
