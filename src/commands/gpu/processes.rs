//! Starts workers, one after the other, and goes on behind the parts that fail.
//!
//! ```text
//!  parts ── a request as JSON ──> worker ── after each part: what there is so far, as JSON ──> done, or left out with the reason
//!    ^                              │ a fault, a hang, a crash
//!    └── the parts that are left <──┘
//!
//!  the same under Nsight Compute: ncu pxrw bench worker … ── its report, and ncu's counts of each launch
//! ```

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use benchmarks::gpu::{Part, Unit};
use toolkit::{LaunchCounts, Profiler, end_after};

use super::worker::Request;

/// How long a process may take beside its share and a launch: to start the driver, and for an input of which nothing was known.
const BESIDE: Duration = Duration::from_secs(60);

/// How often a process is looked at.
const PAUSE: Duration = Duration::from_millis(20);

/// What a process left.
pub(super) struct Left {
    /// The parts that it did, with their results; none if it did not do any.
    pub(super) part: Option<Part>,
    /// The reason why it did not end well.
    pub(super) failed: Option<Failed>,
}

/// How a process ended that did not end well.
pub(super) enum Failed {
    /// It did not end, and was killed.
    Killed(String),
    /// It ended with an error.
    Ended(String),
}

impl Failed {
    /// The reason in words.
    pub(super) fn reason(&self) -> &str {
        match self {
            Failed::Killed(reason) | Failed::Ended(reason) => reason,
        }
    }
}

/// Runs a worker. It is killed when it takes longer than it may for a part, if there is a limit, and when a launch does not end that may hang.
///
/// # Errors
/// What the system says if no process can be started.
pub(super) fn run(request: &Request) -> io::Result<Left> {
    let files = Files::new(request)?;
    let messages = fs::File::create(files.messages())?;
    let mut command = Command::new(std::env::current_exe()?);
    command.args(files.arguments()).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(messages);
    let mut child = command.spawn()?;
    let hangs = || request.units.iter().all(|unit| matches!(unit, Unit::Hang(_))).then_some(Duration::ZERO);
    let patience = request.limit.or_else(hangs).map(|limit| limit + request.timeout + BESIDE);
    let (mut seen, mut since) = (None, Instant::now());
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        // Each part has so long.
        let written = fs::metadata(files.part()).and_then(|file| file.modified()).ok();
        if written != seen {
            (seen, since) = (written, Instant::now());
        }
        if patience.is_some_and(|patience| since.elapsed() > patience) {
            end_after(&mut child, Duration::ZERO);
            break None;
        }
        sleep(PAUSE);
    };
    let failed = match status {
        None => {
            let seconds = patience.unwrap_or_default().as_secs();
            Some(Failed::Killed(format!("its process did not end within {seconds} seconds and was killed")))
        }
        Some(status) if status.success() => None,
        Some(status) => Some(Failed::Ended(files.complaint(status))),
    };
    Ok(Left { part: files.read(), failed })
}

/// Runs a worker under Nsight Compute, for so long at most, and returns its results with the counts of its launches.
///
/// # Errors
/// The reason why there are no counts.
pub(super) fn count(request: &Request, profiler: &Profiler, limit: Duration) -> Result<Part, String> {
    let failed = |error: io::Error| format!("cannot start a process: {error}");
    let files = Files::new(request).map_err(failed)?;
    let program = std::env::current_exe().map_err(failed)?;
    let launches = profiler.profile(&program, &files.arguments(), limit).map_err(|error| error.to_string())?;
    counted(files.read(), &launches)
}

/// The results of a worker with the counts of its launches.
fn counted(part: Option<Part>, launches: &[LaunchCounts]) -> Result<Part, String> {
    let part = part.ok_or_else(|| "the run that Nsight Compute watched has no report".to_owned())?;
    let of_other = |reason| format!("Nsight Compute's counts are not those of the run: {reason}");
    let report = part.report.with_counts(launches).map_err(of_other)?;
    Ok(Part { report, ..part })
}

/// The files by which a worker is talked to; they go away with this.
struct Files(tempfile::TempDir);

impl Files {
    fn new(request: &Request) -> io::Result<Files> {
        let folder = tempfile::Builder::new().prefix("pxrw-").tempdir()?;
        fs::write(folder.path().join("request.json"), serde_json::to_vec(request)?)?;
        Ok(Files(folder))
    }

    fn part(&self) -> PathBuf {
        self.0.path().join("part.json")
    }

    fn messages(&self) -> PathBuf {
        self.0.path().join("messages")
    }

    fn arguments(&self) -> Vec<OsString> {
        let request = self.0.path().join("request.json");
        vec!["bench".into(), "worker".into(), request.into(), "-o".into(), self.part().into()]
    }

    fn read(&self) -> Option<Part> {
        serde_json::from_str(&fs::read_to_string(self.part()).ok()?).ok()
    }

    /// What a process said before it ended badly, or how it ended.
    fn complaint(&self, status: ExitStatus) -> String {
        let said =
            fs::read(self.messages()).map_or_else(|_| String::new(), |bytes| String::from_utf8_lossy(&bytes).into());
        let error = said.lines().find_map(|line| line.strip_prefix("error: "));
        error.map_or_else(|| format!("its process ended with {status}"), str::to_owned)
    }
}

/// Parts in groups that one process is asked for: each program alone, and together what is quickly done: all rows of the synthetic kernels, and all that
/// may hang, of which each that does takes its process with it.
pub(super) fn groups(units: &[Unit]) -> Vec<Vec<Unit>> {
    let quick = |unit: &Unit| matches!(unit, Unit::Synthetic(_) | Unit::Hang(_));
    let together =
        |one: &Unit, other: &Unit| quick(one) && std::mem::discriminant(one) == std::mem::discriminant(other);
    units.chunk_by(together).map(<[Unit]>::to_vec).collect()
}
