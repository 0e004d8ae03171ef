//! Runs pip to put pinned packages into a folder, and follows it.
//!
//! `--target` needs no virtual environment and is not refused by distributions that manage their own Python. pip keeps
//! its cache, so that a repair does not fetch again.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::pip_settings::Settings;
use crate::process;
use crate::progress::Progress;

/// One package and the version that this project was tried with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Package {
    /// Its name on the package index.
    pub name: &'static str,
    /// Its exact version.
    pub version: &'static str,
}

/// Time between two counts of the bytes on disk.
const COUNT_EVERY: Duration = Duration::from_millis(250);

/// Lines of pip's output that an error shows.
const LINES_SHOWN: usize = 12;

/// A command that behaves as pip: a program and its first arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pip(pub(crate) Vec<OsString>);

impl Pip {
    /// The usual ways to reach pip, best first.
    pub(crate) fn usual() -> Vec<Pip> {
        vec![Pip(vec!["python3".into(), "-m".into(), "pip".into()]), Pip(vec!["pip3".into()])]
    }

    /// Finds the first of `candidates` that runs, and its settings if they can be read.
    ///
    /// # Errors
    /// [`Error::NoPip`] with the reason for each.
    pub(crate) fn first_working(candidates: &[Pip]) -> Result<(&Pip, Option<Settings>), Error> {
        let mut tried = Vec::new();
        for pip in candidates {
            // Python takes long to start, so one run tells both that pip works and its settings.
            match process::run(pip.command().args(["config", "list"])) {
                Ok(finished) if finished.status.success() => return Ok((pip, Settings::from_list(&finished.stdout))),
                Ok(finished) => {
                    let said = finished.stderr.trim().lines().last().unwrap_or("no message").to_owned();
                    tried.push(format!("{pip} says \"{said}\""));
                }
                Err(Error::Start { source, .. }) => tried.push(format!("{pip}: {source}")),
                Err(other) => tried.push(format!("{pip}: {other}")),
            }
        }
        Err(Error::NoPip { tried: tried.join("; ") })
    }

    fn command(&self) -> Command {
        let mut words = self.0.iter();
        let mut command = Command::new(words.next().cloned().unwrap_or_default());
        command.args(words);
        command
    }

    /// Installs `packages` into `target`, with pip's temporary files in `scratch`. `lock` becomes pip's standard
    /// input: a file lock belongs to every copy of the descriptor, so if this process is killed, the next one waits
    /// until an orphaned pip has stopped writing.
    ///
    /// # Errors
    /// [`Error::Fetch`] when pip fails, [`Error::Start`] when it cannot run.
    pub(crate) fn install(
        &self,
        packages: &[Package],
        target: &Path,
        scratch: &Path,
        lock: File,
        progress: &mut dyn Progress,
    ) -> Result<(), Error> {
        let mut command = self.command();
        command.args(["install", "--no-deps", "--only-binary=:all:", "--no-input", "--no-compile"]);
        command.args(["--disable-pip-version-check", "--no-warn-script-location", "--progress-bar", "off"]);
        command.arg("--target").arg(target);
        command.args(packages.iter().map(|p| format!("{}=={}", p.name, p.version)));
        // Both settings may be on in the user's configuration, and pip refuses to combine them with --target.
        command.env("PIP_USER", "0").env("PIP_REQUIRE_VIRTUALENV", "0");
        command.env("TMPDIR", scratch).stdin(Stdio::from(lock));
        let mut child = process::start(&mut command)?;
        let lines = follow(&mut child, &[target, scratch], progress);
        let status =
            child.wait().map_err(|source| Error::Start { tool: PathBuf::from(command.get_program()), source })?;
        if status.success() {
            return Ok(());
        }
        let help = what_helps(&lines);
        let shown: Vec<&str> = lines.iter().rev().take(LINES_SHOWN).rev().map(|l| l.trim_end()).collect();
        Err(Error::Fetch { outcome: process::describe(status), output: shown.join("\n"), help })
    }
}

impl std::fmt::Display for Pip {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words: Vec<_> = self.0.iter().map(|w| w.to_string_lossy()).collect();
        f.write_str(&words.join(" "))
    }
}

/// Reads what pip prints until it ends and reports the stage and the bytes on disk meanwhile. Returns the lines.
fn follow(child: &mut Child, folders: &[&Path], progress: &mut dyn Progress) -> Vec<String> {
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let (sender, receiver) = mpsc::channel();
    let second = sender.clone();
    thread::scope(|scope| {
        scope.spawn(move || send_lines(out, &sender));
        scope.spawn(move || send_lines(err, &second));
        report(&receiver, folders, progress)
    })
}

fn send_lines(pipe: Option<impl Read>, sender: &Sender<String>) {
    let Some(pipe) = pipe else { return };
    for line in BufReader::new(pipe).split(b'\n').map_while(Result::ok) {
        if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
            return;
        }
    }
}

fn report(receiver: &Receiver<String>, folders: &[&Path], progress: &mut dyn Progress) -> Vec<String> {
    let (mut lines, mut most, mut stage) = (Vec::new(), 0, "starting pip".to_owned());
    let mut counted = Instant::now();
    loop {
        match receiver.recv_timeout(COUNT_EVERY) {
            Ok(line) => {
                stage = stage_of(&line).unwrap_or(stage);
                lines.push(line);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return lines,
        }
        if counted.elapsed() >= COUNT_EVERY {
            // pip removes an archive after unpacking it; a bar must not run backwards for that.
            most = folders.iter().map(|folder| bytes_under(folder)).sum::<u64>().max(most);
            progress.advance(most, &stage);
            counted = Instant::now();
        }
    }
}

fn stage_of(line: &str) -> Option<String> {
    let line = line.trim();
    if let Some(package) = line.strip_prefix("Collecting ") {
        return Some(package.split_whitespace().next().unwrap_or(package).to_owned());
    }
    if line.starts_with("Installing collected packages") {
        return Some("unpacking".to_owned());
    }
    line.contains("Retrying").then(|| "no answer, trying again".to_owned())
}

/// The sizes of all files below a folder. A file that vanishes meanwhile counts as nothing.
fn bytes_under(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let sizes = entries.flatten().map(|entry| match entry.metadata() {
        Ok(data) if data.is_dir() => bytes_under(&entry.path()),
        Ok(data) => data.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

fn what_helps(lines: &[String]) -> &'static str {
    let says = |words: &[&str]| lines.iter().any(|line| words.iter().any(|word| line.contains(word)));
    if says(&["No space left", "Disk quota"]) {
        "make room (about 400 MB are needed for a while), or set PXRW_TOOLKIT_DIR to a folder on another disk"
    } else if says(&["Retrying", "ConnectionError", "Temporary failure in name resolution", "ProxyError", "SSLError"]) {
        "the package index was not reached; check the network and pip's proxy settings and run this again"
    } else if says(&["No matching distribution", "Could not find a version"]) {
        "the packages exist for Linux with glibc on x86_64 and aarch64 and need pip 20.3 or newer; check both"
    } else {
        "run this again"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fakes::script;
    use crate::progress::Silent;

    fn pip(program: &Path) -> Pip {
        Pip(vec![program.into(), "-m".into(), "pip".into()])
    }

    #[test]
    fn the_first_pip_that_runs_is_taken() {
        let dir = tempfile::tempdir().unwrap();
        let (broken, good) = (dir.path().join("broken"), dir.path().join("good"));
        script(&broken, "echo '/usr/bin/python3: No module named pip' >&2; exit 1");
        script(&good, "[ \"$*\" = '-m pip config list' ] && echo \"global.proxy='p:1'\"");
        let candidates = [pip(Path::new("/nonexistent/python3")), pip(&broken), pip(&good)];
        let (first, settings) = Pip::first_working(&candidates).unwrap();
        assert_eq!((first, settings.unwrap().get("proxy")), (&pip(&good), Some("p:1")));
        let error = Pip::first_working(&candidates[..2]).unwrap_err().to_string();
        assert!(error.contains("/nonexistent/python3 -m pip: No such file"), "{error}");
        assert!(error.contains("broken -m pip says \"/usr/bin/python3: No module named pip\""), "{error}");
        assert!(error.contains("CUDA_PATH"), "{error}");
    }

    #[test]
    fn a_failure_shows_what_pip_said_and_what_helps() {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("python3");
        let cases = [
            ("WARNING: Retrying (Retry(total=4)) after connection broken", "check the network"),
            ("ERROR: No matching distribution found for x", "glibc"),
            ("ERROR: [Errno 28] No space left on device", "make room"),
        ];
        for (line, help) in cases {
            script(&program, &format!("echo '{line}' >&2; exit 1"));
            let lock = File::create(dir.path().join("lock")).unwrap();
            let error = pip(&program).install(&[], dir.path(), dir.path(), lock, &mut Silent).unwrap_err().to_string();
            assert!(error.contains(line) && error.contains(help) && error.contains("--cuda-path"), "{error}");
        }
    }

    #[test]
    fn stages_are_read_from_pips_lines() {
        assert_eq!(stage_of("Collecting nvidia-nvvm==13.0.88 (from x)").as_deref(), Some("nvidia-nvvm==13.0.88"));
        assert_eq!(stage_of("Installing collected packages: a, b").as_deref(), Some("unpacking"));
        assert_eq!(stage_of("  Downloading x"), None);
    }
}
