//! `pxrw bench … --device gpu` and `pxrw bench efficiency`: opens the GPU, and has suites timed and counted on it.

use std::time::{Duration, Instant};

use benchmarks::efficiency::{self, EfficiencyReport};
use benchmarks::gpu::{GpuReport, Options, Rounds};
use toolkit::Profiler;

use super::bench::{explain, show};
use super::open_gpu::OpenGpu;
use super::profiled::{self, Measured};
use crate::Verdict;
use crate::arguments::{Common, EfficiencySuite, Given, ReportForm, Timing, Watched};
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;
use crate::input::LazyToolkit;

/// How long a run that is watched may take at least: it compiles everything again.
const LEAST_WATCHED: Duration = Duration::from_secs(120);

/// Holds what the emulator counts against what Nsight Compute does.
pub(super) fn agreement(options: &EfficiencySuite) -> Result<Verdict, Failure> {
    let EfficiencySuite { given, tasks, output, common, watched } = options;
    let report = OnGpu::open(watched, given, common)?.efficiency(*tasks)?.map_err(|reason| {
        Diagnostic::error(format!("warp execution efficiency is not measured: {reason}"))
            .help("Nsight Compute comes with the CUDA toolkit; `--ncu` names its program `ncu`")
    })?;
    show(&report, || report.to_text(), report.is_complete(), output.as_deref(), common)
}

/// Opens the GPU, which is said to be missing before anything is made or compiled, and times and counts what `fill` asks for, which can say no.
pub(super) fn measure(
    timing: &Timing,
    given: &Given,
    common: &Common,
    fill: impl FnOnce(&mut Options) -> Result<(), Failure>,
) -> Result<GpuReport, Failure> {
    let on_gpu = OnGpu::open(&timing.watched, given, common)?;
    let mut options = on_gpu.nothing(timing);
    fill(&mut options)?;
    let mut timed = on_gpu.time(&options)?;
    on_gpu.count_too(&mut timed, &options, timing);
    Ok(timed.report)
}

/// What was timed, and how long it took with compiling it, making inputs and checking results.
pub(super) struct TimedReport {
    pub(super) report: GpuReport,
    took: Duration,
}

/// A GPU that suites are timed on.
pub(super) struct OnGpu<'a> {
    watched: &'a Watched,
    common: &'a Common,
    gpu: OpenGpu,
    arch: String,
    /// What counts, or why nothing does.
    profiler: Measured<Profiler>,
}

impl<'a> OnGpu<'a> {
    /// Opens it, and looks for what counts on it.
    pub(super) fn open(watched: &'a Watched, given: &Given, common: &'a Common) -> Result<OnGpu<'a>, Failure> {
        let gpu = OpenGpu::open(watched.ordinal, watched.timeout)?;
        let arch = if given.names("arch") { common.arch.clone() } else { gpu.properties().arch() };
        Ok(OnGpu { watched, common, gpu, arch, profiler: profiled::locate(watched)? })
    }

    /// Nothing to time yet.
    pub(super) fn nothing(&self, timing: &Timing) -> Options {
        let rounds = Rounds { warmup: timing.warmup, runs: timing.runs };
        Options { rounds, quiet: self.common.report == ReportForm::Json, ..Options::nothing(&self.arch) }
    }

    /// Times it.
    pub(super) fn time(&self, options: &Options) -> Result<TimedReport, Failure> {
        let start = Instant::now();
        let report = self.gpu.run(options, self.common.cuda_path.as_ref())?;
        Ok(TimedReport { report, took: start.elapsed() })
    }

    /// Has what was timed counted as well, where that can be done and is wanted; the report says why it was not. It takes one round, which has twice as long as
    /// all of them took.
    pub(super) fn count_too(&self, timed: &mut TimedReport, options: &Options, timing: &Timing) {
        let TimedReport { report, took } = timed;
        let run = match timing.no_ncu {
            true => Err("`--no-ncu` was given".to_owned()),
            false if report.is_lost() => Err("a launch did not finish".to_owned()),
            false => self.count(options, LEAST_WATCHED.max(2 * *took)),
        };
        let note = match run {
            Ok((version, run)) => {
                report.adopt_counts(&run);
                format!("warp execution efficiency is of a run that was not timed, by Nsight Compute {version}")
            }
            Err(reason) => format!("warp execution efficiency is not measured: {reason}"),
        };
        report.notes.push(note);
    }

    /// Runs it once more, watched, for so long at most; the version of what watches, and the report.
    fn count(&self, options: &Options, limit: Duration) -> Measured<(&str, GpuReport)> {
        let profiler = self.profiler.as_ref().map_err(String::clone)?;
        Ok((&profiler.version, profiled::profile(options, profiler, self.watched, self.common, limit)?))
    }

    /// Holds the emulator's warp execution efficiency against the GPU's.
    pub(super) fn efficiency(&self, tasks: Option<u32>) -> Result<Measured<EfficiencyReport>, Failure> {
        let options = efficiency::options(&self.arch, tasks);
        let (version, counted) = match self.count(&options, LEAST_WATCHED) {
            Ok(counted) => counted,
            Err(reason) => return Ok(Err(reason)),
        };
        let mut toolkit = LazyToolkit::new(self.common.cuda_path.as_ref());
        let emulated = efficiency::emulate(&options, self.gpu.summary(), toolkit.get()?).map_err(explain)?;
        let (rows, left_out) = efficiency::compare(&counted, &emulated);
        let (suite, device, profiler) = ("efficiency".into(), counted.device, version.to_owned());
        Ok(Ok(EfficiencyReport { suite, device, arch: self.arch.clone(), profiler, rows, left_out }))
    }
}
