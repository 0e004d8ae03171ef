//! `pxrw bench gpu`: measures the programs of both papers on a GPU, and writes a file of results.
//!
//! The file is written after each unit, because a machine that is lent for minutes may be taken away.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use benchmarks::efficiency;
use benchmarks::gpu::{GpuReport, LeftOut, NOT_COUNTED, Options, Rounds, Unit, WATCHED};
use device::Figures;

use super::budget::Budget;
use super::kernels::Prepared;
use super::prepare::prepare;
use super::processes;
use super::session::Session;
use super::suites::{compare, help_for};
use crate::Verdict;
use crate::arguments::{GpuSuite, ReportForm};
use crate::commands::suite::{explain, size};
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;
use crate::input::LazyToolkit;
use crate::output;

/// The folder of results, in the folder where pxrw is run.
const RESULTS: &str = "benchmarks/results";

/// The time for a launch, if the user does not say: the longest one takes a fraction of a second.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The reason for units in a file that no end of the command has completed.
const UNFINISHED: &str = "the command ended before it was measured";

/// The size of a file of results.
const RESULTS_BYTES: usize = 256 << 10;

/// The share of the time for counters that is kept for the comparison with the emulator.
const COMPARISON: f64 = 0.25;

/// Prepares a folder, or measures and writes the results.
pub(in crate::commands) fn run(options: &GpuSuite) -> Result<Verdict, Failure> {
    let GpuSuite { given, sizes, common, timing, .. } = options;
    let all = |arch: &str| Options {
        size: size(sizes, Figures::Times),
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
    session.timeout = timing.watched.timeout.unwrap_or(TIMEOUT);
    // A file that cannot be written is an error before minutes are spent on its content.
    match &options.output {
        Some(file) => check_output(file)?,
        None => {
            make_results()?;
            check_output(&Path::new(RESULTS).join("results.json"))?;
        }
    }
    all(&session.arch).check().map_err(explain)?;
    let prepared = match &options.from {
        Some(folder) => Prepared::read(folder, session.properties())?,
        None => Prepared::compile(&all(&session.arch), common.cuda_path.as_ref())?,
    };
    session.arch.clone_from(&prepared.kernels.arch);
    let mut all = Options { block: prepared.kernels.block, ..all(&session.arch) };
    if let (Some(rehearsal), None, false) = (&prepared.rehearsal, sizes.tasks, sizes.paper) {
        all.size = rehearsal.size();
    }
    let _reports = processes::watch_interruptions();
    let run = Run { options, session, prepared, start: Instant::now() };
    if options.counters_only { run.count(&all) } else { run.time(&all) }
}

/// A run of the command: a GPU, the kernels, and the options.
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

    /// Measures the times, and tries the programs that may hang.
    fn time(&self, all: &Options) -> Result<Verdict, Failure> {
        let mut budget = Budget::new(self.limit(), all, self.prepared.rehearsal.as_ref());
        let minutes = |time: Duration| format!("{:.1} minutes", time.as_secs_f64() / 60.0);
        let most = minutes(self.options.minutes);
        let rehearsed = self.prepared.rehearsal.as_ref();
        let known = rehearsed.and_then(|rehearsal| rehearsal.seconds(*all.units().first()?, all.size, all.rounds));
        let estimate = match known {
            None => String::new(),
            Some(_) => {
                format!("about {} by the rehearsal, without what the kernels take; ", minutes(budget.estimate()))
            }
        };
        let (units, gpu) = (all.units().len(), self.session.summary().name);
        output::stderr_line(&format!("{units} units on {gpu}: {estimate}{most} at most (`--minutes`)"));
        let mut file = None;
        let mut save = |report: &GpuReport, pending: &[Unit]| {
            let file = file.get_or_insert_with(|| self.file(report, ""));
            self.save_so_far(file, report, pending);
        };
        let mut report = self.session.time(all, &self.prepared, &mut budget, &mut save);
        report.note(NOT_COUNTED.to_owned());
        let file = file.unwrap_or_else(|| self.file(&report, ""));
        self.end(&file, &report)
    }

    /// Counts what warps do, and compares the emulator's counts.
    fn count(&self, all: &Options) -> Result<Verdict, Failure> {
        let refused = |reason: String| {
            let help = help_for(&reason);
            Diagnostic::error(format!("nothing is counted: {reason}")).help(help)
        };
        let profiler = self.session.profiler()?.map_err(refused)?;
        let time = self.limit();
        let (minutes, gpu) = (time.as_secs_f64() / 60.0, self.session.summary().name);
        output::stderr_line(&format!("counting on {gpu}: {minutes:.1} minutes at most (`--minutes`)"));
        let watched = Options { rounds: WATCHED, ..all.clone() };
        let mut budget = Budget::new(time.mul_f64(1.0 - COMPARISON), &watched, self.prepared.rehearsal.as_ref());
        let mut file = None;
        let mut save = |report: &GpuReport, pending: &[Unit]| {
            let file = file.get_or_insert_with(|| self.file(report, "-counters"));
            self.save_so_far(file, report, pending);
        };
        let counted = self.session.count(all, &self.prepared, &profiler, &mut budget, &mut save);
        let mut report = counted.map_err(refused)?;
        report.note(format!(
            "warp execution efficiency is of a run that was not timed, by Nsight Compute {}",
            profiler.version
        ));
        let small = Options { block: all.block, ..efficiency::options(&self.session.arch, self.options.sizes.tasks) };
        let mut budget = Budget::new(self.limit(), &small, None);
        match compare(&self.session, &small, &self.prepared, &profiler, &mut budget) {
            Ok(compared) => {
                report.efficiency = compared.rows;
                let not_compared = |one: LeftOut| LeftOut {
                    reason: format!("the emulator is not compared with it: {}", one.reason),
                    ..one
                };
                report.left_out.extend(compared.left_out.into_iter().map(not_compared));
            }
            Err(reason) => report.note(format!("the emulator is not compared with the GPU: {reason}")),
        }
        let file = file.unwrap_or_else(|| self.file(&report, "-counters"));
        self.end(&file, &report)
    }

    /// Returns the file of the results: the one that the user names, or a new one.
    fn file(&self, report: &GpuReport, behind: &str) -> PathBuf {
        if let Some(file) = &self.options.output {
            return file.clone();
        }
        let stem = format!("{}{behind}", report.file_stem());
        let names = std::iter::once(format!("{stem}.json")).chain((2..).map(|number| format!("{stem}-{number}.json")));
        let mut files = names.map(|name| Path::new(RESULTS).join(name));
        files.find(|file| !file.exists()).unwrap_or_else(|| Path::new(RESULTS).join(format!("{stem}.json")))
    }

    /// Writes the results so far, in which the units that are still to be measured are left out. A file that cannot be written now is written at the end, or is an
    /// error then.
    fn save_so_far(&self, file: &Path, report: &GpuReport, pending: &[Unit]) {
        let mut so_far = report.clone();
        so_far.left_out.extend(pending.iter().map(|unit| unit.left_out(UNFINISHED.to_owned())));
        let _ = self.save(file, &so_far);
    }

    fn save(&self, file: &Path, report: &GpuReport) -> Result<(), Failure> {
        output::write(Some(file), output::json(report)?.as_bytes())
    }

    /// Writes and shows the results. If they cannot be written after all, they are still shown.
    fn end(&self, file: &Path, report: &GpuReport) -> Result<Verdict, Failure> {
        let written = self.save(file, report);
        let form: ReportForm = self.options.common.report;
        output::write(
            None,
            output::shown(form, report, || report.document().to_text(output::width(None)))?.as_bytes(),
        )?;
        written?;
        output::stderr_line(&format!(
            "results: {} ({:.1} minutes)",
            file.display(),
            self.start.elapsed().as_secs_f64() / 60.0
        ));
        Ok(match report.is_complete() {
            _ if processes::is_interrupted() => Verdict::Interrupted,
            true => Verdict::Done,
            false => Verdict::Found,
        })
    }
}

/// Checks that a file can be written: that its folder takes as much as the results have. A device such as `/dev/null` has no folder of that kind.
fn check_output(file: &Path) -> Result<(), Failure> {
    if std::fs::metadata(file).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
        return Ok(());
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let refused = |reason: String| {
        let title = format!("cannot write `{}`: {reason}", file.display());
        Failure::from(Diagnostic::error(title).help("name a file in an existing folder with room for it: `-o FILE`"))
    };
    if !folder.is_dir() || file.is_dir() {
        return Err(refused("it is a folder, or lies in none that exists".to_owned()));
    }
    let trial = tempfile::Builder::new().prefix(".pxrw-").tempfile_in(folder);
    let written = trial.and_then(|mut trial| trial.write_all(&vec![b' '; RESULTS_BYTES]).and_then(|()| trial.flush()));
    written.map_err(|error| refused(error.to_string()))
}

/// Makes the folder of results that are given no file.
fn make_results() -> Result<(), Failure> {
    std::fs::create_dir_all(RESULTS).map_err(|error| {
        let title = format!("cannot make the folder `{RESULTS}`: {error}");
        Diagnostic::error(title).help("name the file of the results: `-o FILE`").into()
    })
}
