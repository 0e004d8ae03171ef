//! What a GPU does not count by itself: the suite once more, in a process that Nsight Compute watches.
//!
//! ```text
//!  pxrw bench … --device gpu ── what to run, as JSON ──> ncu pxrw bench profiled ── its report, as JSON ──┐
//!    └── the same report with counts <────────────────────────────── ncu's counts of each launch ─────────┘
//! ```

use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::time::Duration;

use benchmarks::gpu::{GpuReport, Options, WATCHED};
use toolkit::{LaunchCounts, Profiler};

use super::open_gpu::OpenGpu;
use crate::Verdict;
use crate::arguments::{Common, ProfiledSuite, Watched};
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;
use crate::output;

/// A figure, or why it is not measured.
pub(super) type Measured<T> = Result<T, String>;

/// Looks for Nsight Compute. Without it nothing is counted, which is no error.
pub(super) fn locate(watched: &Watched) -> Result<Measured<Profiler>, Failure> {
    let found = Profiler::locate(watched.ncu.as_deref())?;
    Ok(found.ok_or_else(|| "Nsight Compute's `ncu` is not found; `--ncu` names it".to_owned()))
}

/// Runs a suite once, watched, and returns its report with the counts, or why there are none.
pub(super) fn profile(
    options: &Options,
    profiler: &Profiler,
    watched: &Watched,
    common: &Common,
    limit: Duration,
) -> Measured<GpuReport> {
    let failed = |what: &str, error: std::io::Error| format!("cannot {what}: {error}");
    let folder = tempfile::tempdir().map_err(|error| failed("make a folder for temporary files", error))?;
    let (request, report) = (folder.path().join("request.json"), folder.path().join("report.json"));
    let options = Options { rounds: WATCHED, quiet: true, ..options.clone() };
    let json = serde_json::to_vec(&options).map_err(|error| error.to_string())?;
    fs::write(&request, json).map_err(|error| failed("write what is to be run", error))?;
    let program = std::env::current_exe().map_err(|error| failed("find this program", error))?;
    let mut arguments: Vec<OsString> = vec!["bench".into(), "profiled".into(), request.into()];
    arguments.extend(["-o".into(), report.clone().into()]);
    arguments.extend(["--ordinal".into(), watched.ordinal.to_string().into()]);
    arguments.extend(["--timeout".into(), watched.timeout.as_secs_f64().to_string().into()]);
    if let Some(path) = &common.cuda_path {
        arguments.extend(["--cuda-path".into(), path.into()]);
    }
    let launches = profiler.profile(&program, &arguments, limit).map_err(|error| error.to_string())?;
    counted(&fs::read_to_string(&report).unwrap_or_default(), &launches)
}

/// The report that the process wrote, with the counts of its launches.
fn counted(report: &str, launches: &[LaunchCounts]) -> Measured<GpuReport> {
    let run: GpuReport =
        serde_json::from_str(report).map_err(|_| "the run that Nsight Compute watched has no report".to_owned())?;
    run.with_counts(launches).map_err(|reason| format!("Nsight Compute's counts are not those of the run: {reason}"))
}

/// The process that is watched: it runs what it is told, and ends when its standard input does, because nobody wants its report any more.
pub(super) fn run(options: &ProfiledSuite) -> Result<Verdict, Failure> {
    std::thread::spawn(|| {
        let _ = std::io::stdin().lock().read_to_end(&mut Vec::new());
        // An orderly end would wait for a launch that does not end.
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    });
    let cannot = |error: &dyn std::fmt::Display| Diagnostic::error(format!("cannot read what is to be run: {error}"));
    let text = fs::read_to_string(&options.request).map_err(|error| cannot(&error))?;
    let asked: Options = serde_json::from_str(&text).map_err(|error| cannot(&error))?;
    let report = OpenGpu::open(options.ordinal, options.timeout)?.run(&asked, options.cuda_path.as_ref())?;
    output::write(Some(&options.output), output::json(&report)?.as_bytes())?;
    Ok(Verdict::Done)
}
