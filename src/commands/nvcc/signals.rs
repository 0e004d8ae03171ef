//! Ends a compilation as a signal asks, and leaves nothing behind.
//!
//! | signal | nvcc | here |
//! | --- | --- | --- |
//! | SIGTERM | `nvcc: Terminated`, exit status 255 | the same |
//! | SIGHUP | dies of it | the same |
//! | SIGINT while a step runs | waits for the step, which gets the signal from the terminal too | the same |
//! | SIGINT between two steps | dies of it | the same |
//!
//! Unlike nvcc, this process ends its steps before it ends itself, and removes the scratch folder and the outputs that it had begun.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use tempfile::TempDir;
use toolkit::{Steps, end_descendants, exit_code};

use crate::diagnostics::Diagnostic;
use crate::failure::Failure;
use crate::interruption::ignored_signals;
use crate::output;

/// The exit status of nvcc after SIGTERM.
const TERMINATED: i32 = 255;

/// The time in which a signal that ended a step ends this process too, where both got it.
const GRACE: Duration = Duration::from_millis(100);

/// The state that the steps share with the thread that waits for signals.
struct Shared {
    /// The steps that run.
    running: usize,
    /// Files that are removed if a signal ends the compilation, provided that they were written after `since`.
    outputs: Vec<PathBuf>,
    since: SystemTime,
    /// The folder for temporary files.
    scratch: Option<PathBuf>,
}

/// The thread that ends the process holds this to the end.
static SHARED: Mutex<Shared> =
    Mutex::new(Shared { running: 0, outputs: Vec::new(), since: SystemTime::UNIX_EPOCH, scratch: None });

fn shared() -> MutexGuard<'static, Shared> {
    SHARED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A program that stands behind this process, and whose behaviour at SIGTERM is imitated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Imitated {
    /// Says so and exits with 255.
    Nvcc,
    /// Dies of the signal.
    Other,
}

/// Makes the folder for temporary files, and waits for signals from now on. A signal that this process was started to ignore stays ignored.
///
/// # Errors
/// The folder cannot be made.
pub(super) fn make_scratch(imitated: Imitated) -> std::io::Result<TempDir> {
    shared().since = SystemTime::now();
    let ignored = ignored_signals();
    let wanted = [SIGTERM, SIGHUP, SIGINT].into_iter().filter(|signal| ignored & (1 << (signal - 1)) == 0);
    // Without the thread, signals have their default effect.
    if let Ok(signals) = Signals::new(wanted) {
        thread::spawn(move || wait_for_signals(signals, imitated));
    }
    let mut state = shared();
    let mut builder = tempfile::Builder::new();
    let builder = builder.prefix("pxrw-nvcc-");
    let folder = std::env::temp_dir();
    // nvcc's list of steps, which is read as text, has names in this folder.
    let scratch = if folder.to_str().is_some() { builder.tempdir_in(folder)? } else { builder.tempdir_in("/tmp")? };
    state.scratch = Some(scratch.path().to_owned());
    Ok(scratch)
}

fn wait_for_signals(mut signals: Signals, imitated: Imitated) {
    for signal in signals.forever() {
        let state = shared();
        if signal == SIGINT && state.running > 0 {
            continue;
        }
        end_descendants(state.scratch.as_deref().into_iter());
        state.outputs.iter().for_each(|output| remove_newer(output, state.since));
        let _complete = output::hold_writes();
        if signal == SIGTERM && imitated == Imitated::Nvcc {
            output::stderr_line("nvcc: Terminated");
            std::process::exit(TERMINATED);
        }
        let _ = emulate_default_handler(signal);
    }
}

/// Returns unless a signal is ending the process.
pub(super) fn pass() {
    drop(shared());
}

/// Names the files that are removed if a signal ends the compilation.
pub(super) fn guard_outputs(outputs: impl IntoIterator<Item = PathBuf>) {
    shared().outputs.extend(outputs);
}

/// Runs a line of the steps; returns its exit status. A death by a signal is told as nvcc tells it.
///
/// # Errors
/// There is no shell.
pub(super) fn run_step(steps: &Steps, line: &str) -> Result<u8, Failure> {
    let status = run(|| steps.start(line))?.map_err(|error| Diagnostic::error(format!("cannot wait: {error}")))?;
    settle(status);
    if let Some(message) = death(line, status) {
        output::stderr_line(&message);
        let state = shared();
        state.outputs.iter().for_each(|output| remove_newer(output, state.since));
    }
    Ok(exit_code(status))
}

/// Runs a child process from its start to its end. None starts after a signal that ends the compilation.
pub(super) fn run<E>(start: impl FnOnce() -> Result<Child, E>) -> Result<std::io::Result<ExitStatus>, E> {
    let mut state = shared();
    let mut child = start()?;
    state.running += 1;
    drop(state);
    let ended = child.wait();
    if ended.as_ref().is_ok_and(|status| status.signal() == Some(SIGINT)) {
        // The thread that waits for signals is to see that a step got the signal too.
        thread::sleep(GRACE);
    }
    shared().running -= 1;
    Ok(ended)
}

/// Removes a file that was written after a point in time.
fn remove_newer(file: &Path, since: SystemTime) {
    // Times of files are coarser than the clock.
    let since = since - Duration::from_millis(20);
    let metadata = fs::metadata(file).ok().filter(fs::Metadata::is_file);
    if metadata.and_then(|metadata| metadata.modified().ok()).is_some_and(|modified| modified >= since) {
        let _ = fs::remove_file(file);
    }
}

/// Gives a signal that a child died of the time to end this process too, where both got it.
pub(super) fn settle(status: ExitStatus) {
    if status.signal().is_some_and(|signal| signal == SIGTERM || signal == SIGHUP) {
        thread::sleep(GRACE);
    }
}

/// Does the same for a child of which is only known that it failed.
pub(super) fn settle_failed<T, E>(outcome: Result<T, E>) -> Result<T, E> {
    outcome.inspect_err(|_| thread::sleep(GRACE))
}

/// nvcc's message about a step that died of a signal, for a line of the steps.
pub(super) fn death(line: &str, status: ExitStatus) -> Option<String> {
    let signal = status.signal()?;
    let program = line.split_whitespace().next().unwrap_or_default().trim_matches('"');
    let program = program.rsplit('/').next().unwrap_or_default();
    let meaning = match signal {
        9 => "(Kill signal)",
        11 => "(Invalid memory reference)",
        _ => "",
    };
    Some(format!("nvcc error   : '{program}' died due to signal {signal} {meaning}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_death_is_told_as_nvcc_tells_it() {
        let killed = ExitStatus::from_raw(9);
        let expected = "nvcc error   : 'cicc' died due to signal 9 (Kill signal)";
        assert_eq!(death("\"$CICC_PATH/cicc\" --c++17 k.ii", killed).as_deref(), Some(expected));
        let expected = "nvcc error   : 'gcc' died due to signal 2 ";
        assert_eq!(death("gcc -E k.cu", ExitStatus::from_raw(2)).as_deref(), Some(expected));
        assert_eq!(death("gcc", ExitStatus::from_raw(2 << 8)), None);
    }
}
