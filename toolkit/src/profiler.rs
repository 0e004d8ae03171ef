//! Nsight Compute, NVIDIA's profiler of kernels: finds its command `ncu`, runs a program under it, and reads what it counted.
//!
//! ```text
//! flag, PATH, CUDA_PATH, usual places ── locate ──> Profiler ── profile a program ──> ncu's file of CSV ──> a LaunchCounts for each launch
//! ```
//!
//! Instructions are counted, and what the multiprocessors and the memory did meanwhile, all as sums, so that launches can be added up. Not all counters are there
//! at a time: `ncu` launches a kernel several times, on the memory that it found. Caches and clocks are left alone. A machine may keep the
//! counters for its administrator; the error then has what `ncu` says of that.

use std::cell::Cell;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

use regex::Regex;

use crate::error::Error;
use crate::launch_counts::{ACTIVITY, ERROR, LaunchCounts, METRICS, read};
use crate::probe::on_path;
use crate::process;
use crate::scratch::{self, Scratch};

/// Time for a program to end by itself after its limit.
const GRACE: Duration = Duration::from_secs(5);

/// The time for an answer of `ncu --version`.
const ANSWER: Duration = Duration::from_secs(20);

static VERSION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\bVersion (\d+(?:\.\d+)+)").expect("the pattern is a constant"));

/// An `ncu` that was seen to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profiler {
    /// The program.
    pub ncu: PathBuf,
    /// Its version, as in `2025.3.1.0`.
    pub version: String,
    /// True once the GPU was found to lack a counter of an [`Activity`](crate::Activity).
    lacks_activity: Cell<bool>,
}

impl Profiler {
    /// Looks for one: where the user says, or else on `PATH`, in the toolkit of `CUDA_PATH` or `CUDA_HOME`, and where NVIDIA's packages put it. Those that do not run
    /// are passed over; none is no error.
    ///
    /// # Errors
    /// [`Error::Profiler`] when the one that the user names does not run.
    pub fn locate(named: Option<&Path>) -> Result<Option<Profiler>, Error> {
        if let Some(ncu) = named {
            return Profiler::at(ncu).map(Some).map_err(|reason| Error::Profiler { ncu: ncu.to_owned(), reason });
        }
        let path = env::var_os("PATH");
        let roots = ["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(env::var_os).map(PathBuf::from);
        let roots = roots.chain([PathBuf::from("/usr/local/cuda")]).map(|root| root.join("bin/ncu"));
        let places =
            on_path("ncu", path.as_deref()).chain(roots).chain(releases(Path::new("/opt/nvidia/nsight-compute")));
        Ok(places.filter(|ncu| ncu.is_file()).find_map(|ncu| Profiler::at(&ncu).ok()))
    }

    /// The one at a place, or why it does not run.
    fn at(ncu: &Path) -> Result<Profiler, String> {
        let finished =
            process::run_within(Command::new(ncu).arg("--version"), ANSWER).map_err(|error| error.to_string())?;
        let finished = finished.ok_or_else(|| format!("no answer within {} seconds", ANSWER.as_secs()))?;
        if !finished.status.success() {
            return Err(format!("`ncu --version` ended with {}", process::describe(finished.status)));
        }
        let output = finished.output();
        let version = VERSION.captures(&output).map(|found| found[1].to_owned());
        let version = version.ok_or("`ncu --version` prints no version of Nsight Compute")?;
        Ok(Profiler { ncu: ncu.to_owned(), version, lacks_activity: Cell::new(false) })
    }

    /// Runs a program and returns what was counted of its launches, in their order. The program's output is not shown. It has a pipe as its standard input,
    /// which ends when this process does, or when the program takes longer than it may: it should end then as well. How it ended is for the
    /// caller to find out.
    ///
    /// # Errors
    /// [`Error::Profile`] when it takes too long, when `ncu` says that it cannot count, or when its output cannot be read.
    pub fn profile(&self, program: &Path, arguments: &[OsString], limit: Duration) -> Result<Vec<LaunchCounts>, Error> {
        let all = [&METRICS[..], &ACTIVITY].concat();
        if !self.lacks_activity.get() {
            match self.count(&all, program, arguments, limit) {
                // Some GPUs lack some of the counters; all GPUs have those of instructions.
                Err(Error::Profile { reason }) if reason.contains("metric") => self.lacks_activity.set(true),
                counted => return counted,
            }
        }
        self.count(&METRICS, program, arguments, limit)
    }

    fn count(
        &self,
        metrics: &[&str],
        program: &Path,
        arguments: &[OsString],
        limit: Duration,
    ) -> Result<Vec<LaunchCounts>, Error> {
        let refused = |reason: String| Error::Profile { reason };
        let folder = Scratch::new()?;
        let cannot = |source| Error::Io { action: "create a file in", path: folder.path().to_owned(), source };
        let (log, messages) = (folder.path().join("ncu.csv"), folder.path().join("messages"));
        let said = fs::File::create(&messages).map_err(cannot)?;
        let mut command = Command::new(&self.ncu);
        command.args(["--csv", "--page", "raw", "--print-units", "base", "--print-kernel-base", "mangled"]);
        command.args(["--metrics", &metrics.join(",")]);
        command.args(["--cache-control", "none", "--clock-control", "none"]);
        command.args(["--target-processes", "application-only", "--check-exit-code", "no"]);
        command.arg("--log-file").arg(&log).arg(program).args(arguments);
        // Numbers have no separators in this locale. Not all versions look at the same variable.
        command.envs([("LC_ALL", "C"), ("LC_NUMERIC", "C"), ("LANG", "C")]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(said);
        let child = {
            let _not_ending = scratch::hold_end();
            command.spawn()
        };
        let mut child = child.map_err(|source| Error::Start { tool: self.ncu.clone(), source })?;
        let status = process::wait_for(&mut child, limit);
        if status.is_none() {
            drop(child.stdin.take());
            process::end_after(&mut child, GRACE);
            return Err(refused(format!("it had not ended after {} seconds", limit.as_secs())));
        }
        // The part of ncu inside the program writes its errors among those of the program.
        let text =
            |path: &Path| fs::read(path).map_or_else(|_| String::new(), |text| String::from_utf8_lossy(&text).into());
        let messages = text(&messages);
        let errors = messages.lines().filter(|line| line.starts_with(ERROR)).flat_map(|line| [line, "\n"]);
        read(&(errors.collect::<String>() + &text(&log))).map_err(|reason| {
            let own = messages.lines().find(|line| line.starts_with("error: "));
            refused(own.map_or(reason.clone(), |own| format!("{reason} (the program ended with \"{own}\")")))
        })
    }
}

/// The `ncu` of each release in a folder of releases, the newest first.
fn releases(folder: &Path) -> Vec<PathBuf> {
    let number = |path: &PathBuf| -> Vec<u32> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.split('.').map_while(|part| part.parse().ok()).collect()
    };
    let mut folders: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    folders.sort_by_key(number);
    folders.into_iter().rev().map(|folder| folder.join("ncu")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fakes::script;
    use crate::launch_counts::tests::table;

    #[test]
    fn a_program_is_run_with_its_arguments_and_its_counts_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let ncu = folder.path().join("ncu");
        // Writes its table, and behind it the arguments of the program.
        let body = format!(
            "case \"$1\" in --version) echo 'Version 2025.3.1.0 (build 1)'; exit;; esac\n\
             while [ \"$1\" != --log-file ]; do shift; done\n\
             cat > \"$2\" <<'TABLE'\n{}TABLE\nshift 2\n\"$@\"\n",
            table(&[r#""0","7","pxrw","h","k","1","7","1","2","3""#])
        );
        script(&ncu, &body);
        let profiler = Profiler::locate(Some(&ncu)).unwrap().unwrap();
        assert_eq!(profiler.version, "2025.3.1.0");
        let seen = folder.path().join("seen");
        let arguments =
            [OsString::from("-c"), format!("echo ran $LC_ALL $LC_NUMERIC $LANG > {}", seen.display()).into()];
        let launches = profiler.profile(Path::new("/bin/sh"), &arguments, Duration::from_secs(60)).unwrap();
        assert_eq!((launches.len(), launches[0].kernel.as_str()), (1, "k"));
        assert_eq!(fs::read_to_string(seen).unwrap(), "ran C C C\n");
        let arguments = [OsString::from("-c"), "echo hello >&2; echo '==ERROR== no driver' >&2".into()];
        let refused = profiler.profile(Path::new("/bin/sh"), &arguments, Duration::from_secs(60)).unwrap_err();
        assert_eq!(refused.to_string(), "Nsight Compute counted nothing: no driver");
        let arguments = [OsString::from("-c"), "echo '==ERROR== no launch' >&2; echo 'error: no file' >&2".into()];
        let refused = profiler.profile(Path::new("/bin/sh"), &arguments, Duration::from_secs(60)).unwrap_err();
        assert!(refused.to_string().ends_with(": no launch (the program ended with \"error: no file\")"), "{refused}");
        // A program that waits for the end of its input is told to end.
        let late = profiler.profile(Path::new("/bin/cat"), &[], Duration::from_millis(50)).unwrap_err();
        assert_eq!(late.to_string(), "Nsight Compute counted nothing: it had not ended after 0 seconds");
    }

    #[test]
    fn without_some_counters_instructions_are_counted_alone() {
        let folder = tempfile::tempdir().unwrap();
        let ncu = folder.path().join("ncu");
        let body = format!(
            "case \"$1\" in --version) echo 'Version 1.2'; exit;; esac\n\
             case \"$*\" in *dram__bytes*) unknown=yes;; esac\nwhile [ \"$1\" != --log-file ]; do shift; done\n\
             if [ -n \"$unknown\" ]; then echo '==ERROR== Failed to find metric dram__bytes.sum' > \"$2\"; exit 1; fi\n\
             cat > \"$2\" <<'TABLE'\n{}TABLE\n",
            table(&[r#""0","7","pxrw","h","k","1","7","1","2","3""#])
        );
        script(&ncu, &body);
        let profiler = Profiler::locate(Some(&ncu)).unwrap().unwrap();
        let launches = profiler.profile(Path::new("/bin/true"), &[], Duration::from_secs(60)).unwrap();
        assert_eq!((launches[0].thread_instructions, launches[0].activity), (3, None));
    }

    #[test]
    fn one_that_the_user_names_has_to_run() {
        let missing = Profiler::locate(Some(Path::new("/nonexistent/ncu"))).unwrap_err().to_string();
        assert!(missing.starts_with("Nsight Compute at /nonexistent/ncu cannot be used: cannot start"), "{missing}");
        let other = Profiler::locate(Some(Path::new("/bin/true"))).unwrap_err().to_string();
        assert!(other.contains("`ncu --version` prints no version of Nsight Compute\nhelp: "), "{other}");
    }

    #[test]
    fn the_newest_release_comes_first() {
        let folder = tempfile::tempdir().unwrap();
        for release in ["2024.3.2", "2025.1.10", "2025.1.9"] {
            fs::create_dir(folder.path().join(release)).unwrap();
        }
        let names = ["2025.1.10", "2025.1.9", "2024.3.2"].map(|release| folder.path().join(release).join("ncu"));
        assert_eq!(releases(folder.path()), names);
    }
}
