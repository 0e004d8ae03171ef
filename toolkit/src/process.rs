//! Runs one child process to its end and says how it ended.
//!
//! Both streams are read at once so that a chatty child cannot block, and each is cut at [`OUTPUT_LIMIT`]: on noise the
//! host preprocessor prints messages for minutes, and closing the pipe is what makes it stop.

use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal};

use crate::error::Error;
use crate::scratch;

/// Bytes kept of each stream.
const OUTPUT_LIMIT: u64 = 1 << 20;

/// The Linux errno for "text file busy".
const TEXT_FILE_BUSY: i32 = 26;

/// A child that ended, and what it printed.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Finished {
    /// Both streams as one text. The tools split their messages over both, each message whole in one of them.
    pub(crate) fn output(&self) -> String {
        format!("{}\n{}", self.stdout, self.stderr)
    }
}

/// Starts `command`, with messages in English, because the host compiler translates its own and we parse them.
///
/// # Errors
/// [`Error::Start`] when the program cannot be executed.
pub(crate) fn start(command: &mut Command) -> Result<Child, Error> {
    command.env("LC_ALL", "C").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut attempts = 0;
    loop {
        let started = {
            let _not_ending = scratch::hold_end();
            command.spawn()
        };
        match started {
            Ok(child) => return Ok(child),
            // A file that was just written counts as busy while any other thread of this process is between fork and
            // exec with a copy of the writer's descriptor. That passes by itself within milliseconds.
            Err(e) if e.raw_os_error() == Some(TEXT_FILE_BUSY) && attempts < 50 => {
                attempts += 1;
                thread::sleep(Duration::from_millis(10));
            }
            Err(source) => return Err(Error::Start { tool: PathBuf::from(command.get_program()), source }),
        }
    }
}

/// Has a command's process end with the thread that starts it, by whatever signal that ends. To be started from a thread that waits for it.
pub(crate) fn tie(command: &mut Command) {
    let parent = getpid();
    let tie = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // Who was started by this process has another parent only if that has ended before.
        if getppid() == Some(parent) { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
    };
    // SAFETY: between fork and exec there are two system calls, which take no lock and allocate nothing.
    unsafe { command.pre_exec(tie) };
}

/// Runs `command` to its end with nothing on its standard input.
///
/// # Errors
/// [`Error::Start`] when it cannot be executed or waited for. A failing exit status is not an error here.
pub(crate) fn run(command: &mut Command) -> Result<Finished, Error> {
    let mut child = start(command.stdin(Stdio::null()))?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let (stdout, stderr) = thread::scope(|scope| {
        let out = scope.spawn(|| read_limited(out));
        let stderr = read_limited(err);
        (out.join().unwrap_or_default(), stderr)
    });
    let status = child.wait().map_err(|source| Error::Start { tool: PathBuf::from(command.get_program()), source })?;
    Ok(Finished { status, stdout, stderr })
}

/// Runs `command` as [`run`] does, and kills it if it takes longer than `most`; `None` if it did.
///
/// # Errors
/// As [`run`].
pub(crate) fn run_within(command: &mut Command, most: Duration) -> Result<Option<Finished>, Error> {
    let mut child = start(command.stdin(Stdio::null()))?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    // A child of the child may keep the pipes open, so that nobody waits for their end then.
    let (out, err) = (thread::spawn(|| read_limited(out)), thread::spawn(|| read_limited(err)));
    let Some(status) = end_after(&mut child, most) else { return Ok(None) };
    Ok(Some(Finished { status, stdout: out.join().unwrap_or_default(), stderr: err.join().unwrap_or_default() }))
}

/// Waits for a child, but not longer than this; its status if it ended. One that did not goes on.
pub(crate) fn wait_for(child: &mut Child, most: Duration) -> Option<ExitStatus> {
    let start = Instant::now();
    // One that ends soon is not waited for much longer than it takes.
    let mut pause = Duration::from_millis(1);
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        let left = most.saturating_sub(start.elapsed());
        if left.is_zero() {
            return None;
        }
        thread::sleep(pause.min(left));
        pause = (2 * pause).min(Duration::from_millis(20));
    }
}

/// The longest wait for a child that was killed.
const KILLED: Duration = Duration::from_secs(20);

/// Waits for a child, and kills it if it does not end by itself within `most`; returns its status if it did. A killed child that is in a call of a driver
/// may not end for a while, and is left behind.
pub fn end_after(child: &mut Child, most: Duration) -> Option<ExitStatus> {
    let status = wait_for(child, most);
    if status.is_none() {
        let _ = child.kill();
        let _ = wait_for(child, KILLED);
    }
    status
}

/// Reads up to the limit and closes the pipe, whether or not the child had more to say.
fn read_limited(pipe: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        // A read error ends the text early; the exit status still says whether the child succeeded.
        let _ = pipe.take(OUTPUT_LIMIT).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// `exit status 2` or `killed by signal 11 (SIGSEGV)`.
pub(crate) fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit status {code}"),
        (None, Some(signal)) => match signal_name(signal) {
            Some(name) => format!("killed by signal {signal} ({name})"),
            None => format!("killed by signal {signal}"),
        },
        (None, None) => status.to_string(),
    }
}

/// Names of the signals that end a compiler in practice.
fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        4 => "SIGILL",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Finished {
        run(Command::new("sh").args(["-c", script])).unwrap()
    }

    #[test]
    fn both_streams_and_the_status_come_back() {
        let finished = shell("echo out; echo err >&2; exit 3");
        assert_eq!((finished.stdout.as_str(), finished.stderr.as_str()), ("out\n", "err\n"));
        assert_eq!(describe(finished.status), "exit status 3");
    }

    #[test]
    fn a_signal_is_reported_as_one() {
        assert_eq!(describe(shell("kill -SEGV $$").status), "killed by signal 11 (SIGSEGV)");
    }

    #[test]
    fn a_child_is_waited_for_so_long_and_not_longer() {
        let mut sleeper = Command::new("sleep").arg("100").spawn().unwrap();
        assert!(wait_for(&mut sleeper, Duration::from_millis(50)).is_none());
        assert!(sleeper.try_wait().unwrap().is_none());
        assert!(end_after(&mut sleeper, Duration::from_millis(50)).is_none());
        assert!(wait_for(&mut sleeper, Duration::from_secs(50)).is_some_and(|status| !status.success()));
    }

    #[test]
    fn an_endless_talker_is_cut_off() {
        let finished = shell("while :; do echo noise noise noise noise >&2; done");
        assert_eq!(finished.stderr.len() as u64, OUTPUT_LIMIT);
        assert!(!finished.status.success());
    }

    #[test]
    fn a_program_that_does_not_answer_is_killed() {
        let answer = run_within(Command::new("echo").arg("hello"), Duration::from_secs(60)).unwrap();
        assert_eq!(answer.map(|answer| answer.stdout).as_deref(), Some("hello\n"));
        assert!(run_within(Command::new("sleep").arg("100"), Duration::from_millis(50)).unwrap().is_none());
    }

    #[test]
    fn a_tied_child_ends_with_the_thread_that_started_it() {
        let mut sleeper = Command::new("sleep");
        tie(sleeper.arg("100"));
        let mut child = thread::spawn(move || sleeper.spawn().unwrap()).join().unwrap();
        let ended = wait_for(&mut child, Duration::from_secs(50)).and_then(|status| status.signal());
        let _ = child.kill();
        assert_eq!(ended, Some(9));
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = run(&mut Command::new("/nonexistent/nvcc")).unwrap_err();
        assert!(error.to_string().starts_with("cannot start /nonexistent/nvcc: "), "{error}");
    }
}
