//! Runs workers: starts a process for some units, waits for it no longer than it may take, and reads its results.
//!
//! ```text
//!  units ── a request as JSON ──> worker ── after each unit: the results so far, as JSON ──> done, or left out with the reason
//!
//!  the same under Nsight Compute: ncu pxrw bench worker … ── its results, and ncu's counts of each launch
//! ```

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use benchmarks::gpu::{Unit, UnitResults};
use toolkit::{LaunchCounts, Profiler, Scratch, end_after};

use super::worker::Request;
use crate::interruption::{self, Instead};

/// The time between two looks at a process.
const PAUSE: Duration = Duration::from_millis(20);

/// The end of a worker.
pub(super) struct Worker {
    /// Its results; `None` if it finished no unit.
    pub(super) results: Option<UnitResults>,
    /// The reason why it did not end well; `None` if it did, or if it lost the GPU, which is in its results.
    pub(super) failed: Option<String>,
}

/// Set by an interruption of this process.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Has an interruption (Ctrl-C, SIGTERM) end the worker, and then the measurement with what it has so far, while the result exists. A second one ends this
/// process.
pub(super) fn watch_interruptions() -> Instead {
    interruption::instead(|| INTERRUPTED.store(true, Ordering::SeqCst))
}

/// Returns true if this process was interrupted.
pub(super) fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// Runs a worker. It is killed after `patience` without another finished unit.
///
/// # Errors
/// The system's error if no process can be started.
pub(super) fn run(request: &Request, patience: Option<Duration>) -> io::Result<Worker> {
    let files = Files::new(request)?;
    let messages = fs::File::create(files.messages())?;
    let mut command = Command::new(std::env::current_exe()?);
    command.args(files.arguments()).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(messages);
    // Code that is loaded at its first launch would be loaded within the time of that launch.
    command.env("CUDA_MODULE_LOADING", "EAGER");
    let mut child = command.spawn()?;
    let (mut seen, mut since) = (None, Instant::now());
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        let written = fs::metadata(files.results()).and_then(|file| file.modified()).ok();
        if written != seen {
            (seen, since) = (written, Instant::now());
        }
        if is_interrupted() || patience.is_some_and(|patience| since.elapsed() > patience) {
            end_after(&mut child, Duration::ZERO);
            break None;
        }
        sleep(PAUSE);
    };
    let results = files.read();
    let failed = match status {
        _ if results.as_ref().is_some_and(|results| results.lost.is_some()) => None,
        _ if is_interrupted() => Some("the measurement was interrupted".to_owned()),
        None => {
            let seconds = patience.unwrap_or_default().as_secs();
            Some(format!("its process did not end within {seconds} seconds and was killed"))
        }
        Some(status) if status.success() => None,
        Some(status) => Some(files.complaint(status)),
    };
    Ok(Worker { results, failed })
}

/// Runs a worker under Nsight Compute for at most `limit`, and returns its results with the counts of its launches.
///
/// # Errors
/// The reason why there are no counts.
pub(super) fn count(request: &Request, profiler: &Profiler, limit: Duration) -> Result<UnitResults, String> {
    let failed = |error: io::Error| format!("cannot start a process: {error}");
    let files = Files::new(request).map_err(failed)?;
    let program = std::env::current_exe().map_err(failed)?;
    let launches = profiler.profile(&program, &files.arguments(), limit).map_err(|error| error.to_string())?;
    counted(files.read(), &launches)
}

/// Adds the counts of its launches to the results of a worker.
fn counted(results: Option<UnitResults>, launches: &[LaunchCounts]) -> Result<UnitResults, String> {
    let results = results.ok_or_else(|| "the run that Nsight Compute watched has no report".to_owned())?;
    let of_other = |reason| format!("Nsight Compute's counts are not those of the run: {reason}");
    let report = results.report.with_counts(launches).map_err(of_other)?;
    Ok(UnitResults { report, ..results })
}

/// Files that are exchanged with a worker. They are removed with this.
struct Files(Scratch);

impl Files {
    fn new(request: &Request) -> io::Result<Files> {
        let temporary = std::env::temp_dir();
        let named = |error: io::Error| {
            io::Error::other(format!("{error}, in the folder `{}`; TMPDIR names another one", temporary.display()))
        };
        let folder = Scratch::new().map_err(io::Error::other)?;
        fs::write(folder.path().join("request.json"), serde_json::to_vec(request)?).map_err(named)?;
        Ok(Files(folder))
    }

    fn results(&self) -> PathBuf {
        self.0.path().join("results.json")
    }

    fn messages(&self) -> PathBuf {
        self.0.path().join("messages")
    }

    fn arguments(&self) -> Vec<OsString> {
        let request = self.0.path().join("request.json");
        vec!["bench".into(), "worker".into(), request.into(), "-o".into(), self.results().into()]
    }

    fn read(&self) -> Option<UnitResults> {
        serde_json::from_str(&fs::read_to_string(self.results()).ok()?).ok()
    }

    /// Returns the error that a process printed before it ended badly, or its exit status.
    fn complaint(&self, status: ExitStatus) -> String {
        let said =
            fs::read(self.messages()).map_or_else(|_| String::new(), |bytes| String::from_utf8_lossy(&bytes).into());
        let error = said.lines().find_map(|line| line.strip_prefix("error: "));
        error.map_or_else(|| format!("its process ended with {status}"), str::to_owned)
    }
}

/// Groups units for processes: a program has one of its own. All rows of the synthetic kernels, which one text holds, are together; so is everything that may
/// hang and is not expected to, and everything that is. A launch that hangs ends the process, and another one continues behind it.
pub(super) fn groups(units: &[Unit]) -> Vec<Vec<Unit>> {
    let together = |one: &Unit, other: &Unit| match (one, other) {
        (Unit::Synthetic(_), Unit::Synthetic(_)) => true,
        (Unit::Hang(one), Unit::Hang(other)) => one.is_expected_to_hang() == other.is_expected_to_hang(),
        _ => false,
    };
    units.chunk_by(together).map(<[Unit]>::to_vec).collect()
}
