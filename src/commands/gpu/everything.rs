//! `pxrw bench gpu`: all that a GPU can say of both papers' programs, as a file of results.
//!
//! What takes the GPU with it comes last, and the file is written after each part: a machine that is lent for minutes may be taken away.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use benchmarks::efficiency;
use benchmarks::gpu::{GpuReport, LeftOut, Options, Rounds};

use super::budget::Budget;
use super::kernels::Prepared;
use super::prepare::prepare;
use super::session::Session;
use super::suites::compare;
use crate::Verdict;
use crate::arguments::{DeviceName, GpuSuite, ReportForm};
use crate::commands::bench::{explain, size};
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;
use crate::input::LazyToolkit;
use crate::output;

/// The folder of results, in the folder where pxrw is run.
const RESULTS: &str = "benchmarks/results";

/// How long a launch may take if the user does not say: the longest of them takes a fraction of a second.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The share of the time for counters that is kept for the comparison with the emulator.
const COMPARISON: f64 = 0.25;

/// Prepares a folder, or measures and writes the results.
pub(in crate::commands) fn run(options: &GpuSuite) -> Result<Verdict, Failure> {
    let GpuSuite { given, sizes, common, timing, .. } = options;
    let all = |arch: &str| Options {
        size: size(sizes, DeviceName::Gpu),
        rounds: Rounds { warmup: timing.warmup, runs: timing.runs },
        ..Options::everything(arch)
    };
    if let Some(folder) = &options.prepare {
        let all = all(&common.arch);
        all.check().map_err(explain)?;
        return prepare(folder, &all, &mut LazyToolkit::new(common.cuda_path.as_ref()));
    }
    if timing.watched.ncu.is_some() && !options.counters_only {
        let error = Diagnostic::error("`--ncu` has no effect without `--counters-only`");
        return Err(error.help("counters are a second command: `pxrw bench gpu --counters-only`").into());
    }
    let mut session = Session::open(&timing.watched, given, common)?;
    if !given.names("timeout") {
        session.timeout = session.timeout.min(TIMEOUT);
    }
    // That there is no place for the results is said before minutes are spent on them.
    match &options.output {
        Some(file) => check_folder(file)?,
        None => make_results()?,
    }
    let prepared = match &options.from {
        Some(folder) => Prepared::read(folder, session.properties())?,
        None => {
            let all = all(&session.arch);
            all.check().map_err(explain)?;
            Prepared::compile(&all, common.cuda_path.as_ref())?
        }
    };
    session.arch.clone_from(&prepared.kernels.arch);
    let all = Options { block: prepared.kernels.block, ..all(&session.arch) };
    all.check().map_err(explain)?;
    let run = Run { options, session, prepared, start: Instant::now() };
    if options.counters_only { run.count(&all) } else { run.time(&all) }
}

/// A GPU, the kernels, and where the results go.
struct Run<'a> {
    options: &'a GpuSuite,
    session: Session<'a>,
    prepared: Prepared,
    start: Instant,
}

impl Run<'_> {
    fn limit(&self) -> Duration {
        self.options.minutes.saturating_sub(self.start.elapsed())
    }

    /// Takes the times, and tries what may hang.
    fn time(&self, all: &Options) -> Result<Verdict, Failure> {
        let units = all.units();
        let mut budget = Budget::new(self.limit(), &units, &self.prepared.rehearsals, all.rounds);
        let minutes = |time: Duration| format!("{:.1} minutes", time.as_secs_f64() / 60.0);
        let most = minutes(self.options.minutes);
        let estimate = match self.prepared.rehearsals.is_empty() {
            true => String::new(),
            false => format!("about {} by the rehearsal, without what the kernels take; ", minutes(budget.estimate())),
        };
        eprintln!("{} parts on {}: {estimate}{most} at most (`--minutes`)", units.len(), self.session.summary().name);
        let mut file = None;
        let mut save = |report: &GpuReport| {
            let file = file.get_or_insert_with(|| self.file(report, ""));
            // What cannot be written now is tried again at the end, and said then.
            let _ = self.save(file, report);
        };
        let mut report = self.session.time(all, &self.prepared, &mut budget, &mut save);
        report.note("warp execution efficiency is counted by a second command, `pxrw bench gpu --counters-only`; `pxrw report` joins both files".to_owned());
        let file = file.unwrap_or_else(|| self.file(&report, ""));
        self.end(&file, &report)
    }

    /// Counts what warps do, and holds the emulator against it.
    fn count(&self, all: &Options) -> Result<Verdict, Failure> {
        let refused = |reason: String| {
            Diagnostic::error(format!("nothing is counted: {reason}"))
                .help("Nsight Compute comes with the CUDA toolkit; `--ncu` names its program `ncu`")
        };
        let profiler = self.session.profiler()?.map_err(refused)?;
        let units = all.units();
        let time = self.limit();
        eprintln!(
            "counting on {}: {:.1} minutes at most (`--minutes`)",
            self.session.summary().name,
            time.as_secs_f64() / 60.0
        );
        let mut budget =
            Budget::new(time.mul_f64(1.0 - COMPARISON), &units, &self.prepared.rehearsals, benchmarks::gpu::WATCHED);
        let mut file = None;
        let mut save = |report: &GpuReport| {
            let mut report = report.clone();
            report.forget_times();
            let file = file.get_or_insert_with(|| self.file(&report, "-counters"));
            let _ = self.save(file, &report);
        };
        let counted = self.session.count(all, &self.prepared, &profiler, &mut budget, &mut save);
        let mut report = counted.map_err(refused)?;
        report.note(format!(
            "warp execution efficiency is of a run that was not timed, by Nsight Compute {}",
            profiler.version
        ));
        let small = Options { block: all.block, ..efficiency::options(&self.session.arch, self.options.sizes.tasks) };
        let mut budget = Budget::new(self.limit(), &small.units(), &[], small.rounds);
        match compare(&self.session, &small, &self.prepared, &profiler, &mut budget) {
            Ok(compared) => {
                report.efficiency = compared.rows;
                let not_held = |one: LeftOut| LeftOut {
                    reason: format!("the emulator is not held against it: {}", one.reason),
                    ..one
                };
                report.left_out.extend(compared.left_out.into_iter().map(not_held));
            }
            Err(reason) => report.note(format!("the emulator is not held against the GPU: {reason}")),
        }
        let file = file.unwrap_or_else(|| self.file(&report, "-counters"));
        self.end(&file, &report)
    }

    /// The file of the results.
    fn file(&self, report: &GpuReport, behind: &str) -> PathBuf {
        let named = || Path::new(RESULTS).join(format!("{}{behind}.json", report.file_stem()));
        self.options.output.clone().unwrap_or_else(named)
    }

    fn save(&self, file: &Path, report: &GpuReport) -> Result<(), Failure> {
        output::write(Some(file), output::json(report)?.as_bytes())
    }

    /// Writes and shows the results. If they cannot be written after all, they are still shown.
    fn end(&self, file: &Path, report: &GpuReport) -> Result<Verdict, Failure> {
        let written = self.save(file, report);
        let form: ReportForm = self.options.common.report;
        output::write(None, output::shown(form, report, || report.to_text())?.as_bytes())?;
        written?;
        eprintln!("results: {} ({:.1} minutes)", file.display(), self.start.elapsed().as_secs_f64() / 60.0);
        Ok(if report.is_complete() { Verdict::Done } else { Verdict::Found })
    }
}

/// Whether a file can have its place.
fn check_folder(file: &Path) -> Result<(), Failure> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if folder.is_dir() && !file.is_dir() {
        return Ok(());
    }
    let title = format!("cannot write `{}`: it is a folder, or lies in none that there is", file.display());
    Err(Diagnostic::error(title).help("name a file in an existing folder: `-o FILE`").into())
}

/// Makes the folder of results that are given no file.
fn make_results() -> Result<(), Failure> {
    std::fs::create_dir_all(RESULTS).map_err(|error| {
        let title = format!("cannot make the folder `{RESULTS}`: {error}");
        Diagnostic::error(title).help("name the file of the results: `-o FILE`").into()
    })
}
