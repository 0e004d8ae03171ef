//! Nsight Compute, NVIDIA's profiler of kernels: finds its command `ncu`, runs a program under it, and reads what it counted.
//!
//! ```text
//! flag, PATH, CUDA_PATH, usual places ── locate ──> Profiler ── profile a program ──> ncu's file of CSV ──> a LaunchCounts for each launch
//! ```
//!
//! Only instructions are counted, which takes one pass over each launch. Caches and clocks are left alone: they change no count. A machine may keep the
//! counters for its administrator; the error then has what `ncu` says of that.

use std::collections::HashMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

use regex::Regex;

use crate::error::Error;
use crate::probe::on_path;
use crate::process;

/// The metrics: instructions of warps; the same counted once for each lane that is active, and once for each whose guard is true too.
const METRICS: [&str; 3] =
    ["smsp__inst_executed.sum", "smsp__thread_inst_executed.sum", "smsp__thread_inst_executed_pred_on.sum"];

/// What its messages of errors begin with.
const ERROR: &str = "==ERROR==";

/// How long a program has to end once nobody wants its counts any more.
const GRACE: Duration = Duration::from_secs(5);

static VERSION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\bVersion (\d+(?:\.\d+)+)").expect("the pattern is a constant"));

/// An `ncu` that was seen to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profiler {
    /// The program.
    pub ncu: PathBuf,
    /// Its version, as in `2025.3.1.0`.
    pub version: String,
}

/// What was counted of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchCounts {
    /// The kernel's name as it stands in its PTX.
    pub kernel: String,
    /// Instructions that warps executed.
    pub warp_instructions: u64,
    /// The same, counted once for each active lane, whether or not its guard was true.
    pub active_lanes: u64,
    /// The same, counted once for each lane whose guard was true.
    pub thread_instructions: u64,
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
        let finished = process::run(Command::new(ncu).arg("--version")).map_err(|error| error.to_string())?;
        if !finished.status.success() {
            return Err(format!("`ncu --version` ended with {}", process::describe(finished.status)));
        }
        let output = finished.output();
        let version = VERSION.captures(&output).map(|found| found[1].to_owned());
        let version = version.ok_or("`ncu --version` prints no version of Nsight Compute")?;
        Ok(Profiler { ncu: ncu.to_owned(), version })
    }

    /// Runs a program and returns what was counted of its launches, in their order. The program's output is not shown. It has a pipe as its standard input,
    /// which ends when this process does, or when the program takes longer than it may: it should end then as well. How it ended is for the
    /// caller to find out.
    ///
    /// # Errors
    /// [`Error::Profile`] when it takes too long, when `ncu` says that it cannot count, or when its output cannot be read.
    pub fn profile(&self, program: &Path, arguments: &[OsString], limit: Duration) -> Result<Vec<LaunchCounts>, Error> {
        let refused = |reason: String| Error::Profile { reason };
        let cannot = |source| Error::Io { action: "create", path: env::temp_dir(), source };
        let folder = tempfile::tempdir().map_err(cannot)?;
        let (log, messages) = (folder.path().join("ncu.csv"), folder.path().join("messages"));
        let said = fs::File::create(&messages).map_err(cannot)?;
        let mut command = Command::new(&self.ncu);
        command.args(["--csv", "--page", "raw", "--print-units", "base", "--print-kernel-base", "mangled"]);
        command.args(["--metrics", &METRICS.join(",")]);
        command.args(["--cache-control", "none", "--clock-control", "none"]);
        command.args(["--target-processes", "application-only", "--check-exit-code", "no"]);
        command.arg("--log-file").arg(&log).arg(program).args(arguments);
        // Numbers have no separators in this locale.
        command.env("LC_ALL", "C").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(said);
        let mut child = command.spawn().map_err(|source| Error::Start { tool: self.ncu.clone(), source })?;
        let status = process::wait_for(&mut child, limit);
        if status.is_none() {
            drop(child.stdin.take());
            if process::wait_for(&mut child, GRACE).is_none() {
                let _ = child.kill();
                let _ = child.wait();
            }
            return Err(refused(format!("it had not ended after {} seconds", limit.as_secs())));
        }
        // What it puts into the program says errors beside the program's own.
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

/// Reads what `ncu` wrote: lines of its own, which begin with `==`, and a table with a line of names, one of units, and one for each launch.
fn read(text: &str) -> Result<Vec<LaunchCounts>, String> {
    let said = |word: &str| text.lines().find_map(|line| line.strip_prefix(word)).map(|said| said.trim().to_owned());
    if let Some(error) = said(ERROR) {
        return Err(error);
    }
    let table: String = text.lines().filter(|line| line.starts_with('"')).flat_map(|line| [line, "\n"]).collect();
    if table.is_empty() {
        return Err(said("==WARNING==").unwrap_or_else(|| "it wrote no counts".to_owned()));
    }
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let strange = |error: csv::Error| format!("its table cannot be read: {error}");
    let rows = reader.deserialize::<HashMap<String, String>>().skip(1);
    rows.map(|row| launch(&row.map_err(strange)?)).collect()
}

/// A line of the table.
fn launch(row: &HashMap<String, String>) -> Result<LaunchCounts, String> {
    let cell = |name: &str| row.get(name).ok_or_else(|| format!("its table has no column `{name}`"));
    let count = |name: &str| -> Result<u64, String> {
        let text = cell(name)?;
        // It writes whole numbers as `12.000000` too.
        let number = text.parse::<f64>().ok().filter(|number| *number >= 0.0 && number.fract() == 0.0);
        number.map(|number| number as u64).ok_or_else(|| format!("it counted `{text}` as `{name}`"))
    };
    let [warps, lanes, threads] = METRICS;
    Ok(LaunchCounts {
        kernel: cell("Kernel Name")?.clone(),
        warp_instructions: count(warps)?,
        active_lanes: count(lanes)?,
        thread_instructions: count(threads)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fakes::script;

    const HEAD: &str = r#""ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","smsp__inst_executed.sum","smsp__thread_inst_executed.sum","smsp__thread_inst_executed_pred_on.sum"
"","","","","","","","inst","inst","inst"
"#;

    fn table(rows: &[&str]) -> String {
        let rows: String = rows.iter().map(|row| format!("{row}\n")).collect();
        format!("==PROF== Connected to process 7 (pxrw)\n==PROF== Profiling \"k\" - 0: 1 pass\n{HEAD}{rows}")
    }

    #[test]
    fn launches_are_read_in_their_order() {
        let text = table(&[
            r#""0","7","pxrw","127.0.0.1","_Z1kPi","1","7","1376256.000000","44040192.000000","40000000""#,
            r#""1","7","pxrw","127.0.0.1","name, with ""marks""","1","7","10","320","300""#,
        ]);
        let launches = read(&(text + "==WARNING== something\n")).unwrap();
        assert_eq!(launches.len(), 2);
        assert_eq!((launches[0].kernel.as_str(), launches[0].warp_instructions), ("_Z1kPi", 1_376_256));
        assert_eq!((launches[1].kernel.as_str(), launches[1].active_lanes), ("name, with \"marks\"", 320));
        assert_eq!(launches[1].thread_instructions, 300);
        assert_eq!(read(&table(&[])).unwrap(), []);
    }

    #[test]
    fn what_is_no_count_is_said() {
        let reason = |text: &str| read(text).unwrap_err();
        assert_eq!(
            reason("==PROF== x\n==ERROR== ERR_NVGPUCTRPERM - no permission\n"),
            "ERR_NVGPUCTRPERM - no permission"
        );
        assert_eq!(reason("==WARNING== No kernels were profiled.\n"), "No kernels were profiled.");
        assert_eq!(reason(""), "it wrote no counts");
        let row = r#""0","7","pxrw","127.0.0.1","k","1","7","n/a","2","3""#;
        assert_eq!(reason(&table(&[row])), "it counted `n/a` as `smsp__inst_executed.sum`");
        let other = table(&[row]).replace("smsp__inst_executed.sum", "other");
        assert_eq!(reason(&other), "its table has no column `smsp__inst_executed.sum`");
        let short = reason(&table(&[r#""0","7""#]));
        assert!(short.starts_with("its table cannot be read: "), "{short}");
    }

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
        let arguments = [OsString::from("-c"), format!("echo ran > {}", seen.display()).into()];
        let launches = profiler.profile(Path::new("/bin/sh"), &arguments, Duration::from_secs(60)).unwrap();
        assert_eq!((launches.len(), launches[0].kernel.as_str()), (1, "k"));
        assert_eq!(fs::read_to_string(seen).unwrap(), "ran\n");
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
