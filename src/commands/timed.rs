//! `pxrw bench … --device gpu` and `pxrw bench gpu`: opens the GPU, has the suites timed on it, and puts the results into a file.

use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

use benchmarks::gpu::{GpuReport, Options, Rounds, Suite, Target, Timed};
use benchmarks::{ccc, ssde};
use device::{Gpu, GpuOptions};

use super::bench::{explain, size};
use crate::Verdict;
use crate::arguments::{Common, DeviceName, Given, GpuSuite, ReportForm, Timing};
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;
use crate::input::LazyToolkit;
use crate::output;

/// The folder of results, in the folder where pxrw is run.
const RESULTS: &str = "benchmarks/results";

/// Times both papers' programs and writes the results.
pub(super) fn everything(options: &GpuSuite) -> Result<Verdict, Failure> {
    let GpuSuite { given, tasks, paper, output, common, timing } = options;
    let report = measure(timing, given, common, |on_gpu| {
        (on_gpu.ccc, on_gpu.synthetic) = (ccc::Program::ALL.to_vec(), true);
        on_gpu.ssde = ssde::Program::ALL.to_vec();
        on_gpu.size = size(*tasks, *paper, DeviceName::Gpu);
    })?;
    let file = match output {
        Some(file) => file.clone(),
        None => in_results(&report)?,
    };
    output::write(Some(&file), output::json(&report)?.as_bytes())?;
    eprintln!("results: {}", file.display());
    output::write(None, output::shown(common.report, &report, || report.to_text())?.as_bytes())?;
    Ok(if report.results_equal() { Verdict::Done } else { Verdict::Found })
}

/// The file of a report that is given none, in a folder that is made.
fn in_results(report: &GpuReport) -> Result<PathBuf, Failure> {
    std::fs::create_dir_all(RESULTS).map_err(|error| {
        let title = format!("cannot make the folder `{RESULTS}`: {error}");
        Diagnostic::error(title).help("name the file of the results: `-o FILE`")
    })?;
    Ok(Path::new(RESULTS).join(report.file_name()))
}

/// Opens the GPU, which is said to be missing before anything is made or compiled, and times what `fill` asks for.
pub(super) fn measure(
    timing: &Timing,
    given: &Given,
    common: &Common,
    fill: impl FnOnce(&mut Options),
) -> Result<GpuReport, Failure> {
    let selected = GpuOptions { ordinal: timing.ordinal, timeout: Some(timing.timeout) };
    let gpu = Gpu::open(&selected).map_err(|error| explain(error.into()))?;
    // It stays open, so that its context is made once. To give it back would wait for a launch that was given up; the end of the process does not.
    let gpu = ManuallyDrop::new(gpu);
    let arch = if given.has("arch") { common.arch.clone() } else { gpu.properties().arch() };
    let rounds = Rounds { warmup: timing.warmup, runs: timing.runs };
    let mut options = Options { rounds, quiet: common.report == ReportForm::Json, ..Options::nothing(&arch) };
    fill(&mut options);
    let open = || Ok(Box::new(Gpu::open(&selected)?) as Box<dyn Timed>);
    let target = Target { summary: gpu.properties().into(), open: &open };
    // What is wrong with the sizes or the graph is said before a compiler is fetched.
    let suite = Suite::prepare(&options, target).map_err(explain)?;
    suite.run(LazyToolkit::new(common.cuda_path.as_ref()).get()?).map_err(explain)
}
