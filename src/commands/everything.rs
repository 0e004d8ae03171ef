//! `pxrw bench gpu`: all that a GPU can say of both papers' programs, as a file of results.
//!
//! What takes the GPU with it comes last, and each part is in the file before the next one begins: a machine that is lent for minutes may be taken away.

use std::path::Path;

use benchmarks::gpu::{GpuReport, LeftOut, Options};
use benchmarks::{ccc, ssde};

use super::bench::size;
use super::lock;
use super::timed::OnGpu;
use crate::Verdict;
use crate::arguments::{DeviceName, GpuSuite};
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;
use crate::input::LazyToolkit;
use crate::output;

/// The folder of results, in the folder where pxrw is run.
const RESULTS: &str = "benchmarks/results";

/// Seconds that a spin lock has: what ends takes less than one.
const LOCK_SECONDS: u64 = 5;

/// Times both papers' programs, counts what their warps do, tries the spin lock, and writes the results.
pub(super) fn run(options: &GpuSuite) -> Result<Verdict, Failure> {
    let GpuSuite { given, sizes, output, common, timing } = options;
    let on_gpu = OnGpu::open(&timing.watched, given, common)?;
    // That there is no place for the results is said before minutes are spent on them.
    match output {
        Some(file) => check_folder(file)?,
        None => make_results()?,
    }
    let options = Options {
        ccc: ccc::Program::ALL.to_vec(),
        synthetic: true,
        ssde: ssde::Program::ALL.to_vec(),
        size: size(sizes, DeviceName::Gpu),
        ..on_gpu.nothing(timing)
    };
    let mut timed = on_gpu.time(&options)?;
    let file = output.clone().unwrap_or_else(|| Path::new(RESULTS).join(timed.report.file_name()));
    let save = |report: &GpuReport| output::write(Some(&file), output::json(report)?.as_bytes());
    // What cannot be written now is tried again at the end, and said then.
    let _ = save(&timed.report);
    on_gpu.count_too(&mut timed, &options, timing);
    let mut report = timed.report;
    let _ = save(&report);
    if !timing.no_ncu && !report.is_lost() {
        match on_gpu.efficiency(sizes.tasks)? {
            Ok(compared) => {
                report.efficiency = compared.rows;
                let not_held = |one: LeftOut| LeftOut {
                    reason: format!("the emulator is not held against it: {}", one.reason),
                    ..one
                };
                report.left_out.extend(compared.left_out.into_iter().map(not_held));
            }
            Err(reason) => report.notes.push(format!("the emulator is not held against the GPU: {reason}")),
        }
        let _ = save(&report);
    }
    let mut toolkit = LazyToolkit::new(common.cuda_path.as_ref());
    report.lock = lock::on_gpu(&report.device, (timing.watched.ordinal, LOCK_SECONDS), toolkit.get()?)?;
    let written = save(&report);
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
