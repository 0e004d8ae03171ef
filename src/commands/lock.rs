//! `pxrw bench lock`: the cases of [`benchmarks::lock`] on the emulator, or each in a process of its own on a GPU.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use benchmarks::lock::{Case, KERNEL, LAUNCH, LockReport, LockRow, cases, threads};
use device::{Gpu, OutcomeKind};
use serde_json::Value;
use toolkit::{Toolkit, end_after};

use super::bench::{explain, show};
use crate::Verdict;
use crate::arguments::{DeviceName, LockSuite};
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;
use crate::input::LazyToolkit;

/// How long a process may take beside its launch: to start the driver, and to compile.
const BESIDE: Duration = Duration::from_secs(30);

pub(crate) fn run(options: &LockSuite) -> Result<Verdict, Failure> {
    // What is wrong with the GPU is said before anything is compiled.
    let device = match options.device {
        DeviceName::Emulator => None,
        DeviceName::Gpu => Some(name_of(options.ordinal)?),
    };
    let mut toolkit = LazyToolkit::new(options.common.cuda_path.as_ref());
    let rows = match &device {
        None => cases(toolkit.get()?).and_then(|cases| cases.iter().map(Case::emulate).collect()).map_err(explain)?,
        Some(name) => on_gpu(name, (options.ordinal, options.seconds), toolkit.get()?)?,
    };
    let word = if device.is_some() { "gpu" } else { "emulator" };
    let report = LockReport { suite: "lock".into(), device: word.into(), rows };
    show(&report, || report.to_text(), report.is_freed(), options.output.as_deref(), &options.common)
}

/// The cases on a GPU of some number, each for so many seconds at most.
pub(super) fn on_gpu(name: &str, limits: (u32, u64), toolkit: &Toolkit) -> Result<Vec<LockRow>, Failure> {
    cases(toolkit).map_err(explain)?.iter().map(|case| in_a_process(case, name, limits)).collect()
}

/// Returns the name of a GPU, which stays free for the processes of the cases.
fn name_of(ordinal: u32) -> Result<String, Failure> {
    let gpu = Gpu::describe(ordinal).map_err(|error| Diagnostic::error(error.to_string()))?;
    Ok(format!("gpu ({})", gpu.name))
}

/// Runs a case as `pxrw run` does, in a process that is ended if it does not end.
fn in_a_process(case: &Case, device: &str, (ordinal, seconds): (u32, u64)) -> Result<LockRow, Failure> {
    let failed =
        |what: &str, error: std::io::Error| Failure::from(Diagnostic::error(format!("cannot {what}: {error}")));
    let folder = tempfile::tempdir().map_err(|error| failed("make a folder for temporary files", error))?;
    let (ptx, report) = (folder.path().join("lock.ptx"), folder.path().join("report.json"));
    let total = folder.path().join("total.npy");
    fs::write(&ptx, &case.ptx).map_err(|error| failed("write the PTX", error))?;
    let output = fs::File::create(&report).map_err(|error| failed("make a file for the report", error))?;
    let program = std::env::current_exe().map_err(|error| failed("find this program", error))?;
    let mut command = Command::new(program);
    command.args(["run", "--device", "gpu", "--report", "json", "--kernel", KERNEL, "--arg", "i32[1]=0"]);
    command.args(["--timeout", &seconds.to_string(), "--ordinal", &ordinal.to_string()]);
    command.args(["--grid", &LAUNCH.0.to_string(), "--block", &LAUNCH.1.to_string()]);
    command.arg("--arg").arg(format!("i32[1]=0>{}", total.display())).arg(&ptx);
    command.stdin(Stdio::null()).stdout(output).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| failed("start this program again", error))?;
    let status = end_after(&mut child, Duration::from_secs(seconds) + BESIDE);
    let said = fs::read_to_string(&report).unwrap_or_default();
    row(case, device, status, &said, &total)
}

/// What a process said of its launch.
fn row(case: &Case, device: &str, status: Option<ExitStatus>, said: &str, total: &Path) -> Result<LockRow, Failure> {
    let value: Value = serde_json::from_str(said).unwrap_or_default();
    let outcome = match value["outcome"].as_str() {
        Some("finished") => Some(OutcomeKind::Finished),
        Some("budget") => Some(OutcomeKind::Budget),
        Some("fault") => Some(OutcomeKind::Fault),
        _ if status.is_none() => None,
        _ => {
            let what = format!("the launch of {} for {} has no report", case.version, case.target.name());
            return Err(Diagnostic::error(what).help("`pxrw run --device gpu` with any kernel says why").into());
        }
    };
    // The numbers stand at the end of the file.
    let counted = || fs::read(total).ok().and_then(|bytes| bytes.last_chunk::<4>().copied().map(u32::from_le_bytes));
    Ok(LockRow {
        version: case.version.to_owned(),
        target: case.target,
        device: device.to_owned(),
        outcome,
        right: (outcome == Some(OutcomeKind::Finished)).then(|| counted() == Some(threads())),
        seconds: value["seconds"].as_f64(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchmarks::lock::Target;

    fn case() -> Case {
        Case { version: "M", target: Target::Sm60, ptx: String::new() }
    }

    fn status(code: &str) -> ExitStatus {
        Command::new("sh").args(["-c", code]).status().unwrap()
    }

    #[test]
    fn what_a_process_says_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let total = folder.path().join("total.npy");
        fs::write(&total, [b"header".as_slice(), &128u32.to_le_bytes()].concat()).unwrap();
        let said = r#"{"outcome": "finished", "seconds": 0.25}"#;
        let done = row(&case(), "gpu (X)", Some(status("true")), said, &total).unwrap();
        assert_eq!((done.outcome, done.right, done.seconds), (Some(OutcomeKind::Finished), Some(true), Some(0.25)));
        let late = row(&case(), "gpu (X)", Some(status("exit 1")), r#"{"outcome": "budget"}"#, &total).unwrap();
        assert_eq!((late.outcome, late.right), (Some(OutcomeKind::Budget), None));
        let killed = row(&case(), "gpu (X)", None, "", &total).unwrap();
        assert_eq!((killed.outcome, killed.right), (None, None));
        assert!(row(&case(), "gpu (X)", Some(status("exit 2")), "", &total).is_err());
    }
}
