//! `pxrw bench`: the papers' programs before and after a rewrite, and the speed of translated kernels and of the emulator.

use std::path::Path;
use std::sync::Arc;

use benchmarks::bfs::{self, BfsOptions};
use benchmarks::ccc::{self, CccOptions};
use benchmarks::cpu::{self, CpuOptions};
use benchmarks::emulator as timing;
use benchmarks::ssde::{self, SsdeOptions};
use benchmarks::{MACHINES, Plot, emulators};
use device::{Figures, Monitor};
use emulator::Machine;
use toolkit::Toolkit;

use super::gpu::{all_suites, lock, suites, worker};
use crate::Verdict;
use crate::arguments::{
    Bench, BfsSuite, CccSuite, Common, CpuSuite, EmulatorSuite, Measured, On, ReportForm, SsdeSuite, Suite,
};
use crate::commands::suite::{explain, show, size};
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;
use crate::input::LazyToolkit;
use crate::interruption::{self, Instead};
use crate::output;

pub(crate) fn run(options: &Bench) -> Result<Verdict, Failure> {
    let output = match &options.suite {
        Suite::Bfs(options) => options.measured.on.output.as_deref(),
        Suite::Ccc(options) => options.measured.on.output.as_deref(),
        Suite::Ssde(options) => options.on.output.as_deref(),
        Suite::Cpu(options) => options.output.as_deref(),
        Suite::Emulator(options) => options.output.as_deref(),
        Suite::Lock(options) => options.output.as_deref(),
        Suite::Efficiency(options) => options.output.as_deref(),
        // These write files that they look at in their own ways.
        Suite::Gpu(_) | Suite::Worker(_) => None,
    };
    output::check(output)?;
    match &options.suite {
        Suite::Bfs(options) => search(options),
        Suite::Ccc(options) => programs(options),
        Suite::Ssde(options) => deadlocks(options),
        Suite::Cpu(options) => translated(options),
        Suite::Emulator(options) => time(options),
        Suite::Lock(options) => lock::run(options),
        Suite::Efficiency(options) => suites::agreement(options),
        Suite::Gpu(options) => all_suites::run(options),
        Suite::Worker(options) => worker::run(options),
    }
}

fn search(options: &BfsSuite) -> Result<Verdict, Failure> {
    let On { device, common, output, timing } = &options.measured.on;
    let figures = options.given.check_suite(*device)?;
    let options_of_suite = bfs_options(options, figures);
    match figures {
        Figures::Times => {
            let (block, grid) = (options_of_suite.block, options.grid);
            let report = suites::measure(timing, &options.given, common, |on_gpu| {
                (on_gpu.search, on_gpu.block, on_gpu.grid) = (Some(options_of_suite), block, grid);
                Ok(())
            })?;
            show(&report, || report.document(), report.is_complete(), output.as_deref(), common)
        }
        Figures::Counts => {
            // What is wrong with the graph is said before a compiler is fetched.
            let suite = bfs::Suite::prepare(&options_of_suite).map_err(explain)?;
            let measurement = Measurement::begin(&options_of_suite.monitor, common)?;
            let Some(report) = measurement.run(|toolkit| suite.run(toolkit))? else { return Ok(Verdict::Interrupted) };
            let verdict = show(&report, || report.document(), report.results_equal(), output.as_deref(), common);
            measurement.end(verdict)
        }
    }
}

fn programs(options: &CccSuite) -> Result<Verdict, Failure> {
    let On { device, common, output, timing } = &options.measured.on;
    let figures = options.given.check_suite(*device)?;
    let options_of_suite = ccc_options(options, figures);
    match figures {
        Figures::Times => {
            let report = suites::measure(timing, &options.given, common, |on_gpu| {
                let CccOptions { programs, size, synthetic, block, grid, .. } = options_of_suite;
                (on_gpu.ccc, on_gpu.size, on_gpu.synthetic, on_gpu.block, on_gpu.grid) =
                    (programs, size, synthetic, block, grid);
                make_folder(options.plots.as_deref())
            })?;
            plot(options.plots.as_deref(), || report.plots())?;
            show(&report, || report.document(), report.is_complete(), output.as_deref(), common)
        }
        Figures::Counts => {
            // What is wrong with the sizes or the folder is said before a compiler is fetched.
            let suite = ccc::Suite::prepare(&options_of_suite).map_err(explain)?;
            make_folder(options.plots.as_deref())?;
            let measurement = Measurement::begin(&options_of_suite.monitor, common)?;
            let Some(report) = measurement.run(|toolkit| suite.run(toolkit))? else { return Ok(Verdict::Interrupted) };
            plot(options.plots.as_deref(), || report.plots())?;
            let verdict = show(&report, || report.document(), report.results_equal(), output.as_deref(), common);
            measurement.end(verdict)
        }
    }
}

fn deadlocks(options: &SsdeSuite) -> Result<Verdict, Failure> {
    let On { device, common, output, timing } = &options.on;
    let figures = options.given.check_suite(*device)?;
    let defaults = SsdeOptions::default();
    let named = options.program.clone();
    let options_of_suite = SsdeOptions {
        detections: named.is_empty(),
        programs: if named.is_empty() { defaults.programs } else { named },
        size: size(&options.sizes, figures),
        machines: match options.machine.as_slice() {
            [] => defaults.machines,
            named => named.to_vec(),
        },
        arch: common.arch.clone(),
        quiet: common.report == ReportForm::Json,
        monitor: Arc::default(),
    };
    match figures {
        Figures::Times => {
            let report = suites::measure(timing, &options.given, common, |on_gpu| {
                (on_gpu.ssde, on_gpu.size) = (options_of_suite.programs, options_of_suite.size);
                make_folder(options.plots.as_deref())
            })?;
            plot(options.plots.as_deref(), || report.plots())?;
            show(&report, || report.document(), report.is_complete(), output.as_deref(), common)
        }
        Figures::Counts => {
            // What is wrong with the sizes or the folder is said before a compiler is fetched.
            let suite = ssde::Suite::prepare(&options_of_suite).map_err(explain)?;
            make_folder(options.plots.as_deref())?;
            let measurement = Measurement::begin(&options_of_suite.monitor, common)?;
            let Some(report) = measurement.run(|toolkit| suite.run(toolkit))? else { return Ok(Verdict::Interrupted) };
            plot(options.plots.as_deref(), || report.plots())?;
            let verdict = show(&report, || report.document(), report.as_expected(), output.as_deref(), common);
            measurement.end(verdict)
        }
    }
}

/// Makes the folder that plots go to, if there is one.
pub(super) fn make_folder(folder: Option<&Path>) -> Result<(), Failure> {
    let Some(folder) = folder else { return Ok(()) };
    std::fs::create_dir_all(folder).map_err(|error| {
        let title = format!("cannot make the folder `{}`: {error}", folder.display());
        Diagnostic::error(title).help("name a folder that may be written: `--plots FOLDER`").into()
    })
}

/// Draws into a folder, if there is one.
pub(super) fn plot(
    folder: Option<&Path>,
    plots: impl FnOnce() -> Result<Vec<Plot>, benchmarks::Error>,
) -> Result<(), Failure> {
    let Some(folder) = folder else { return Ok(()) };
    let plots = plots().map_err(explain)?;
    plots.iter().try_for_each(|plot| output::write(Some(&folder.join(&plot.file)), plot.svg.as_bytes()))
}

fn translated(options: &CpuSuite) -> Result<Verdict, Failure> {
    let CpuSuite { common, output, .. } = options;
    let defaults = CpuOptions::default();
    let programs = options.program.clone();
    let options_of_suite = CpuOptions {
        programs: if programs.is_empty() { defaults.programs.clone() } else { programs },
        treatments: if options.sync.is_empty() { defaults.treatments.clone() } else { options.sync.clone() },
        size: if options.quick { cpu::Size::Quick } else { cpu::Size::Usual },
        rounds: options.rounds,
        threads: options.threads.unwrap_or(0),
        arch: common.arch.clone(),
        quiet: common.report == ReportForm::Json,
        ..defaults
    };
    // What is wrong with the folder is said before a compiler is fetched.
    make_folder(options.plots.as_deref())?;
    let measurement = Measurement::begin(&options_of_suite.monitor, common)?;
    let run = |toolkit: &Toolkit| cpu::run_suite(&options_of_suite, toolkit);
    let Some(report) = measurement.run(run)? else { return Ok(Verdict::Interrupted) };
    plot(options.plots.as_deref(), || report.plots())?;
    let verdict = show(&report, || report.document(), report.as_expected(), output.as_deref(), common);
    measurement.end(verdict)
}

fn time(options: &EmulatorSuite) -> Result<Verdict, Failure> {
    let EmulatorSuite { common, output, .. } = options;
    let defaults = timing::Options::default();
    let programs = options.kernel.clone();
    let options_of_suite = timing::Options {
        programs: if programs.is_empty() { defaults.programs } else { programs },
        machines: machines(&options.machine),
        arch: common.arch.clone(),
        rounds: options.rounds,
        quiet: common.report == ReportForm::Json,
        monitor: Arc::default(),
    };
    let measurement = Measurement::begin(&options_of_suite.monitor, common)?;
    let run = |toolkit: &Toolkit| timing::run(&options_of_suite, toolkit);
    let Some(report) = measurement.run(run)? else { return Ok(Verdict::Interrupted) };
    let verdict = show(&report, || report.document(), true, output.as_deref(), common);
    measurement.end(verdict)
}

/// A suite on the emulator. The first signal ends its tools and its launches, and what was measured until then is the report.
struct Measurement<'a> {
    monitor: &'a Arc<Monitor>,
    toolkit: Toolkit,
    _reports: Instead,
}

impl<'a> Measurement<'a> {
    /// Begins it once there is a compiler.
    fn begin(monitor: &'a Arc<Monitor>, common: &Common) -> Result<Measurement<'a>, Failure> {
        let toolkit = LazyToolkit::new(common.cuda_path.as_ref()).get()?.clone();
        let ends = Arc::clone(monitor);
        let reports = interruption::instead(move || {
            ends.interrupt();
            toolkit::end_descendants(std::iter::empty());
        });
        Ok(Measurement { monitor, toolkit, _reports: reports })
    }

    /// Runs the suite. `None` if it was interrupted before there was anything to report.
    fn run<R>(&self, suite: impl FnOnce(&Toolkit) -> Result<R, benchmarks::Error>) -> Result<Option<R>, Failure> {
        match suite(&self.toolkit) {
            Err(_) if self.monitor.is_interrupted() => {
                Diagnostic::warning("interrupted: nothing was measured until then").print();
                Ok(None)
            }
            outcome => outcome.map(Some).map_err(explain),
        }
    }

    /// The verdict on a report that was shown, unless a signal ended the suite.
    fn end(&self, verdict: Result<Verdict, Failure>) -> Result<Verdict, Failure> {
        if !self.monitor.is_interrupted() {
            return verdict;
        }
        Diagnostic::warning("interrupted: the report has what was measured until then, and no more").print();
        verdict.map(|_| Verdict::Interrupted)
    }
}

/// The machines that the command line names; those that every suite has otherwise if it names none.
fn machines(named: &[Machine]) -> Vec<Machine> {
    if named.is_empty() { MACHINES.to_vec() } else { named.to_vec() }
}

/// The scale of the graph that is made for a search on a GPU: 134 MB of edges do not fit its L2 cache.
const GPU_SCALE: u32 = 21;

fn bfs_options(options: &BfsSuite, figures: Figures) -> BfsOptions {
    let Measured { block, machine, on } = &options.measured;
    let defaults = BfsOptions::default();
    let scale = match figures {
        Figures::Counts => defaults.scale,
        Figures::Times => GPU_SCALE,
    };
    BfsOptions {
        graph: options.graph.clone(),
        scale: options.scale.unwrap_or(scale),
        seed: options.seed.unwrap_or(defaults.seed),
        undirected: options.undirected,
        source: options.source,
        devices: emulators(&machines(machine), &on.common.arch),
        arch: on.common.arch.clone(),
        block: block.unwrap_or(defaults.block),
        grid: options.grid,
        quiet: on.common.report == ReportForm::Json,
        monitor: Arc::default(),
    }
}

fn ccc_options(options: &CccSuite, figures: Figures) -> CccOptions {
    let Measured { block, machine, on } = &options.measured;
    let defaults = CccOptions::default();
    let named = options.program.clone();
    CccOptions {
        programs: if named.is_empty() { defaults.programs } else { named },
        size: size(&options.sizes, figures),
        synthetic: options.synthetic || options.plots.is_some(),
        devices: emulators(&machines(machine), &on.common.arch),
        arch: on.common.arch.clone(),
        block: block.unwrap_or(defaults.block),
        grid: options.grid,
        quiet: on.common.report == ReportForm::Json,
        monitor: Arc::default(),
    }
}
