//! `pxrw bench … --device gpu` and `pxrw bench gpu`: opens the GPU, has the suites timed on it, and puts the results into a file.

use std::mem::ManuallyDrop;
use std::path::Path;

use benchmarks::gpu::{GpuReport, Options, Rounds, Suite, Target, Timed};
use benchmarks::{ccc, ssde};
use device::{Gpu, GpuOptions};

use super::bench::{explain, size};
use super::lock;
use crate::Verdict;
use crate::arguments::{Common, DeviceName, Given, GpuSuite, ReportForm, Timing};
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;
use crate::input::LazyToolkit;
use crate::output;

/// The folder of results, in the folder where pxrw is run.
const RESULTS: &str = "benchmarks/results";

/// Seconds that a spin lock has: what ends takes less than one.
const LOCK_SECONDS: u64 = 5;

/// Times both papers' programs and writes the results.
pub(super) fn everything(options: &GpuSuite) -> Result<Verdict, Failure> {
    let GpuSuite { given, tasks, paper, output, common, timing } = options;
    let report = measure(timing, given, common, |on_gpu| {
        (on_gpu.ccc, on_gpu.synthetic) = (ccc::Program::ALL.to_vec(), true);
        on_gpu.ssde = ssde::Program::ALL.to_vec();
        on_gpu.size = size(*tasks, *paper, DeviceName::Gpu);
        // That there is no place for the results is said before minutes are spent on them.
        match output {
            Some(file) => check_folder(file),
            None => make_results(),
        }
    })?;
    // Last, because what hangs does so until its process is ended.
    let mut toolkit = LazyToolkit::new(common.cuda_path.as_ref());
    let lock = lock::on_gpu(&report.device, (timing.ordinal, LOCK_SECONDS), toolkit.get()?)?;
    let report = GpuReport { lock, ..report };
    let file = output.clone().unwrap_or_else(|| Path::new(RESULTS).join(report.file_name()));
    let written = output::write(Some(&file), output::json(&report)?.as_bytes());
    // If they could not be written after all, the tables still show them.
    output::write(None, output::shown(common.report, &report, || report.to_text())?.as_bytes())?;
    written?;
    eprintln!("results: {}", file.display());
    Ok(if report.results_equal() { Verdict::Done } else { Verdict::Found })
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

/// Opens the GPU, which is said to be missing before anything is made or compiled, and times what `fill` asks for, which can say no.
pub(super) fn measure(
    timing: &Timing,
    given: &Given,
    common: &Common,
    fill: impl FnOnce(&mut Options) -> Result<(), Failure>,
) -> Result<GpuReport, Failure> {
    let selected = GpuOptions { ordinal: timing.ordinal, timeout: Some(timing.timeout) };
    let gpu = Gpu::open(&selected).map_err(|error| explain(error.into()))?;
    // It stays open, so that its context is made once. To give it back would wait for a launch that was given up; the end of the process does not.
    let gpu = ManuallyDrop::new(gpu);
    let arch = if given.names("arch") { common.arch.clone() } else { gpu.properties().arch() };
    let rounds = Rounds { warmup: timing.warmup, runs: timing.runs };
    let mut options = Options { rounds, quiet: common.report == ReportForm::Json, ..Options::nothing(&arch) };
    fill(&mut options)?;
    let open = || Ok(Box::new(Gpu::open(&selected)?) as Box<dyn Timed>);
    let target = Target { summary: gpu.properties().into(), open: &open };
    // What is wrong with the sizes or the graph is said before a compiler is fetched.
    let suite = Suite::prepare(&options, target).map_err(explain)?;
    suite.run(LazyToolkit::new(common.cuda_path.as_ref()).get()?).map_err(explain)
}
